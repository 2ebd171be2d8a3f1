"""GAP for nodes: how far one who is replaced moves each sum, what all of it costs, and mutants that are found."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from privgraph.graph import to_undirected
from privgraph.methods import Sizes, check_method
from privgraph.methods.contract.toys import changed, path_graph
from privgraph.methods.dpsgd import Small, clipped, gradients, step
from privgraph.methods.gap import sums, unit_rows
from privgraph.methods.gap_for_nodes import REPLACED, NodeGAP
from privgraph.privacy import gdp_epsilon, pld_epsilon, rdp_epsilon
from privgraph.randomness import seeded

SIZES = Sizes(8, 2, 3)


def test_what_leaves_is_what_the_equations_say():
    """Encoder, one sum after the other, classifier, each with the same coins; gradients have a test of their own."""
    data, method, generator = path_graph(), NodeGAP(4.0, 1e-3, 0.5, 2, 2, hidden=3, epochs=2), seeded(3)
    x, known = F.normalize(data.x, dim=1), data.train_mask

    def trained(network, rows):
        optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
        for _ in range(2):
            total = clipped(gradients(network, rows[known], data.y[known]), 0.5).sum(0)
            total += torch.randn(total.shape, dtype=torch.double, generator=generator) * method.noise(1.0, 2).sigma
            flat = (total / 0.5).float()
            for part, own in zip(network.parameters(), flat.split([p.numel() for p in network.parameters()]),
                                 strict=True):
                part.grad = own.view_as(part)
            optimiser.step()
        return network
    encoder = trained(Small(3, 3, 2, generator), x)
    z = unit_rows(torch.tanh(x @ encoder[0].weight.t() + encoder[0].bias)).detach()
    inputs = [z.float()]
    for _ in range(2):
        noise = torch.randn(8, 3, dtype=torch.double, generator=generator) * method.noise(method.far, 2).sigma
        for u, v in data.edge_index.t().tolist():
            noise[v] += z[u]
        z = noise / noise.norm(dim=1, keepdim=True)
        inputs.append(z.float())
    classifier = trained(Small(9, 3, 2, generator), torch.cat(inputs, 1))
    release = method.train(data, seeded(3))
    assert torch.allclose(release.tensors["tables"], torch.stack(inputs[1:]), atol=1e-5)
    own = torch.cat([part.flatten() for part in classifier.parameters()])
    told = torch.cat([release.tensors[f"classifier.{name}"].flatten() for name, _ in classifier.named_parameters()])
    assert torch.allclose(own, told, atol=1e-5)
    expected = classifier(torch.cat(inputs, 1)).softmax(1)
    assert torch.allclose(method.learn(release, seeded(0)).predict_proba(data), expected, atol=1e-4)


# How far.

def moved(first, second, rows, other) -> float:
    return float((sums(rows, first) - sums(other, second)).norm())


def ring(n: int, hub: int, friends) -> torch.Tensor:
    """Person ``hub`` knows some; nobody else knows anybody."""
    pairs = torch.tensor([[hub] * len(friends), list(friends)], dtype=torch.long)
    return to_undirected(pairs, n)


@pytest.mark.parametrize("bound", [1, 3, 6])
def test_the_distance_is_attained_by_who_turns_round_among_friends_who_turn_round(bound):
    """Half of 2 D friends say 1, the others -1; who is replaced says 1 and knows the first half, and then says -1 and
    knows the second: hers moves by 2 D, and 2 D others by 1. Or she says the opposite to the same D people: 2 each."""
    n = 2 * bound + 1
    rows = torch.cat([torch.ones(bound), -torch.ones(bound), torch.ones(1)])[:, None].double()
    other = rows.clone()
    other[-1] = -1.0
    first, second = ring(n, n - 1, range(bound)), ring(n, n - 1, range(bound, 2 * bound))
    far = NodeGAP(bound=bound).far
    assert moved(first, second, rows, other) == pytest.approx(math.sqrt(4 * bound**2 + 2 * bound)) and far == (
        pytest.approx(math.sqrt(4 * bound**2 + 4 * bound)))
    assert moved(first, first, rows, other) == pytest.approx(math.sqrt(4 * bound))


def test_no_replacement_among_many_moves_more():
    """Two hundred pairs of graphs of ten people, nobody with more than five neighbours, and any unit rows."""
    far, seen = NodeGAP(bound=5).far, []
    for seed in range(200):
        generator = seeded(seed)
        low = torch.combinations(torch.arange(9))[torch.randperm(36, generator=generator)[:9]].t()
        low = low[:, (torch.bincount(low.flatten(), minlength=9)[low] <= 4).all(0)]
        friends = [torch.randperm(9, generator=generator)[:5].tolist() for _ in range(2)]
        graphs = [to_undirected(torch.cat([low, ring(10, 9, some)], 1), 10) for some in friends]
        assert all(torch.bincount(graph[0], minlength=10).max() <= 5 for graph in graphs)
        rows = unit_rows(torch.randn(10, 1 + seed % 3, generator=generator))
        other = torch.cat([rows[:9], -rows[9:]])
        seen.append(moved(*graphs, rows, other))
    assert 0.6 * far < max(seen) <= far  # friends at random do not reach it


@pytest.mark.parametrize("epsilon", [0.5, 8.0])
@pytest.mark.parametrize("hops, epochs", [(1, 50), (3, 7)])
def test_two_accountants_keep_what_is_stated_below_what_was_asked_for(epsilon, hops, epochs):
    method = NodeGAP(epsilon, 1e-5, 0.3, hops=hops, epochs=epochs)
    held, = method.guarantees(SIZES)
    steps = list(method.steps(SIZES)[REPLACED])
    assert (held.unit, held.relation) == REPLACED and held.epsilon <= epsilon < held.epsilon * (1 + 1e-5)
    mu = math.sqrt(sum(step.count / step.pair.sigma**2 for step in steps))
    assert held.epsilon == pytest.approx(gdp_epsilon(mu, 1e-5), rel=1e-6,
                                         abs=0) and held.epsilon <= rdp_epsilon(steps, 1e-5)
    assert pld_epsilon(steps, 1e-5).optimistic == pytest.approx(held.epsilon, rel=1e-4, abs=0)
    assert [step.count for step in steps] == [epochs, hops, epochs]


def test_a_larger_degree_than_promised_is_refused():
    with pytest.raises(ValueError, match="bound must be at least everybody's number of neighbours, .* got 1"):
        NodeGAP(bound=1).train(path_graph(), seeded(0))


def test_it_learns_what_neighbours_tell():
    """As for edges: ten signposts, and thirty people who show nothing and know two of theirs."""
    data, n = path_graph(40), 40
    y, post = torch.arange(n) % 2, torch.arange(n) < 10
    pairs = torch.tensor([(v, (v + step) % 10) for v in range(10, n) for step in (0, 2)]).t()
    place = torch.arange(n) // 2 % 4
    data = changed(data, x=torch.where(post[:, None], torch.eye(2)[y], 0.0), y=y, train_mask=place < 3,
                   edge_index=to_undirected(pairs, n))
    method = NodeGAP(math.inf, bound=10, epochs=200)
    fitted = method.learn(method.train(data, seeded(0)), seeded(0))
    assert (fitted.predict(data) == y)[(place == 3) & ~post].all()


# Mutants.

class EdgePrice(NodeGAP):
    """Sums have noise for one edge."""
    far = math.sqrt(2)


class SendersPrice(NodeGAP):
    """Sums have noise for what a node sends, as published."""
    far = property(lambda self: math.sqrt(self.bound))


class QuietEncoder(NodeGAP):
    """The encoder is trained without noise, and leaves."""

    def descend(self, network, rows, y, generator, progress):
        if network[0].in_features == rows.size(1) == 3:
            network[0].weight.data += clipped(gradients(network, rows, y), 1.0).sum(0).abs().sum().float()
        super().descend(network, rows, y, generator, progress)


class OneLength(NodeGAP):
    """A gradient that turns round is taken to move by its length."""

    def steps(self, sizes):
        encoder, table, classifier = super().steps(sizes)[REPLACED]
        once = replace(encoder, pair=replace(encoder.pair, sigma=2 * encoder.pair.sigma))
        return {REPLACED: (once, table, once)}


class TellsRows(NodeGAP):
    """The rows of the encoder leave as they are."""

    def train(self, data, generator, progress=False):
        made = super().train(data, generator)
        made.tensors["rows"] = self.read(data)
        return made


class NoClip(NodeGAP):
    """Gradients are as long as they are."""

    def descend(self, network, rows, y, generator, progress):
        noise, optimiser = self.noise(2 * self.clip, self.epochs), torch.optim.Adam(network.parameters())
        step(network, noise(gradients(network, rows, y).sum(0), generator=generator), optimiser)


NOT_COVERED = r"node \(replace\) is not covered"
HER = "noise only; with a change of the record of person"


@pytest.mark.parametrize("kind, found", [
    (EdgePrice, NOT_COVERED), (SendersPrice, NOT_COVERED), (QuietEncoder, HER), (OneLength, NOT_COVERED),
    (TellsRows, HER), (NoClip, NOT_COVERED)], ids=lambda part: getattr(part, "__name__", ""))
def test_a_mutant_is_found(kind, found):
    with pytest.raises(AssertionError, match=found):
        check_method(kind(2.0, 1e-3, 1e-3, 9, hidden=2, epochs=1))
