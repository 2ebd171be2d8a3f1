"""GAP: its equations as loops, what an edge costs, and mutants that the contract finds."""

import math
from dataclasses import dataclass, replace

import pytest
import torch
from torch.nn.functional import cross_entropy, normalize

from privgraph.audit.statistical import two_sample_bound
from privgraph.checks import check_generator
from privgraph.graph import to_undirected
from privgraph.mechanisms import Gaussian
from privgraph.methods import Sizes, check_method
from privgraph.methods.contract.toys import changed, path_graph, world
from privgraph.methods.curated import EDGE
from privgraph.methods.gap import GAP, classified, sums, unit_rows
from privgraph.privacy import GaussianPair, Step, gdp_epsilon, pld_epsilon, rdp_epsilon
from privgraph.randomness import seeded

SIZES = Sizes(8, 2, 3)
QUICK = dict(hidden=4, epochs=2)


@pytest.mark.parametrize("hops", [1, 3])
def test_the_tables_are_those_of_the_equations(hops):
    """One node and one neighbour after the other, with the same coins."""
    data, method, generator = path_graph(), GAP(2.0, 1e-3, hops, **QUICK), seeded(3)
    z = method.encode(data, data.y, generator)
    tables, near = [z], [[int(u) for u, w in data.edge_index.t() if int(w) == v] for v in range(8)]
    for _ in range(hops):
        noise = torch.randn(8, 4, dtype=torch.double, generator=generator) * method.noise.sigma
        rows = []
        for v in range(8):
            total = noise[v].clone()
            for u in near[v]:
                total += tables[-1][u]
            rows.append(total / math.sqrt(float(total @ total)))
        tables.append(torch.stack(rows))
    released = method.train(data, seeded(3)).tensors
    assert torch.allclose(released["tables"], torch.stack(tables).float(), atol=1e-6)
    assert torch.equal(released["y"], data.y) and (released["tables"].norm(dim=2) - 1).abs().max() < 1e-6


def test_labels_are_summed_beside_rows_and_nobody_is_told_her_own():
    """A row and a label of a training node, both of length 1, make one row of length 1; others have zeros there."""
    data, method, generator = path_graph(), GAP(2.0, 1e-3, labels=True, **QUICK), seeded(3)
    data.y[int(data.train_mask.nonzero()[0])] = -1
    y = torch.where(data.train_mask | data.val_mask, data.y, -1)
    z = method.encode(data, y, generator)
    noise = torch.randn(8, 6, dtype=torch.double, generator=generator) * method.noise.sigma
    for u, v in data.edge_index.t().tolist():
        row = torch.cat([z[u], torch.zeros(2, dtype=torch.double)])
        if data.train_mask[u] and data.y[u] >= 0:
            row[4 + int(data.y[u])] = 1.0
        noise[v] += row / row.norm()
    own, summed = method.train(data, seeded(3)).tensors["tables"]
    assert torch.allclose(summed, normalize(noise, dim=1).float(), atol=1e-6)
    assert torch.allclose(own[:, :4], z.float()) and (own[:, 4:] == 0).all()


def test_the_encoder_reads_no_edge_and_no_label_of_a_test_node():
    data = path_graph()
    data.val_mask = torch.arange(8) == 5
    other = changed(data, y=torch.where(torch.arange(8) > 5, 1 - data.y, data.y), edge_index=data.edge_index[:, :0])
    first, second = (GAP(math.inf, **QUICK).train(graph, seeded(0)).tensors for graph in (data, other))
    assert torch.equal(first["tables"][0], second["tables"][0]) and first["y"].tolist() == [0, 1, 0, 1, -1, 1, -1, -1]
    assert torch.equal(first["y"], second["y"]) and not torch.equal(first["tables"][1], second["tables"][1])


def test_the_classifier_learns_what_the_tables_tell():
    """Ten signposts show their class; thirty people show nothing, and know two signposts of theirs. Without noise all
    is right; without edges nobody of the thirty can be told from another."""
    data, n = path_graph(40), 40
    y, post = torch.arange(n) % 2, torch.arange(n) < 10
    x = torch.where(post[:, None], torch.eye(2)[y], 0.0)
    pairs = torch.tensor([(v, (v + step) % 10) for v in range(10, n) for step in (0, 2)]).t()
    place = torch.arange(n) // 2 % 4
    data = changed(data, x=x, y=y, train_mask=place < 2, val_mask=place == 2, edge_index=to_undirected(pairs, n))
    test, method = (place == 3) & ~post, GAP(math.inf, epochs=60)
    right = [(method.learn(method.train(graph, seeded(0)), seeded(1)).predict() == y)[test].float().mean().item()
             for graph in (data, changed(data, edge_index=data.edge_index[:, :0]))]
    assert right == [1.0, 0.5]


def test_who_has_no_label_or_is_not_asked_teaches_nothing():
    logits, y = torch.randn(4, 2, generator=seeded(0)), torch.tensor([0, -1, 1, 1])
    asked = torch.tensor([True, True, True, False])
    assert classified(logits, y, asked) == cross_entropy(logits[[0, 2]], torch.tensor([0, 1]))


# What an edge costs.

@pytest.mark.parametrize("epsilon", [0.5, 1.0, 8.0])
@pytest.mark.parametrize("hops", [1, 2, 5])
def test_what_is_stated_is_exact_and_both_accountants_agree(epsilon, hops):
    method = GAP(epsilon, 1e-5, hops)
    held, = method.guarantees(SIZES)
    assert (held.unit, held.relation) == EDGE and held.epsilon <= epsilon < held.epsilon * (1 + 2e-6)
    mu = math.sqrt(2 * hops) / method.noise.sigma  # all hops are one Gaussian
    steps = list(method.steps(SIZES)[EDGE])
    assert held.epsilon == pytest.approx(gdp_epsilon(mu, 1e-5), rel=1e-6, abs=0)
    assert held.epsilon <= rdp_epsilon(steps, 1e-5) < 1.2 * held.epsilon
    assert pld_epsilon(steps, 1e-5).optimistic == pytest.approx(held.epsilon, rel=1e-6, abs=0)


@pytest.mark.parametrize("claimed, true", [(1, 1.47), (2, 2.95), (4, 5.99), (8, 12.26)])
def test_noise_for_one_row_costs_an_undirected_edge_more(claimed, true):
    """The papers' sensitivity is that of one entry of the matrix, which moves one row."""
    one_row = Gaussian(float(claimed), 1e-5, 1.0)
    assert gdp_epsilon(math.sqrt(2) / one_row.sigma, 1e-5) == pytest.approx(true, abs=0.005)


def test_no_edge_moves_the_sums_of_unit_rows_by_more_than_the_square_root_of_two():
    """Each pair of ten people, on random rows; some reach it."""
    data = world()
    z = unit_rows(torch.randn(10, 3, generator=seeded(0)))
    moved = []
    for u in range(10):
        for v in range(u):
            pair = torch.tensor([[u, v], [v, u]])
            moved.append(float((sums(z, torch.cat([data.edge_index, pair], 1)) - sums(z, data.edge_index)).norm()))
    assert len(moved) == 45 and max(moved) == pytest.approx(math.sqrt(2), rel=1e-12, abs=0) == min(moved)


RUNS = 40_000


def lower_bound(method: GAP) -> float:
    """What an attacker proves who knows the two graphs, one without any edge: she looks at the sums along the line on
    which they differ. Her threshold comes from one half of the runs. At level 1e-6."""
    z = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.double)
    pair, none = torch.tensor([[0, 1], [1, 0]]), torch.empty(2, 0, dtype=torch.long)
    told, generator = [], seeded(5)
    for edges in (pair, none):
        many = torch.cat([edges + 2 * run for run in range(RUNS)], 1)  # so many graphs of two people at once
        noisy = method.noisy_sums(z.repeat(RUNS, 1), many, generator).view(RUNS, 2, 2)
        told.append((noisy[:, 0, 1] + noisy[:, 1, 0]) / math.sqrt(2))
    chosen, counted = ([part[half] for part in told] for half in (slice(RUNS // 2), slice(RUNS // 2, RUNS)))
    cuts = torch.cat(chosen).quantile(torch.linspace(0.5, 0.999, 50, dtype=torch.double))
    cut = max(cuts, key=lambda cut: bound(chosen, cut))
    return bound(counted, cut)


def bound(samples, cut) -> float:
    hits, false = (int((part > cut).sum()) for part in samples)
    return two_sample_bound(hits, len(samples[0]), false, len(samples[1]), confidence=1 - 1e-6, delta=1e-2)


class ATenth(GAP):
    """The noise is a tenth of what it should be."""

    @property
    def noise(self):
        return replace(super().noise, sensitivity=super().noise.sensitivity / 10)


def test_what_is_seen_in_forty_thousand_runs():
    """Nobody proves more than 1 against the right noise, and she proves most of a larger epsilon; a tenth of the noise
    is found."""
    assert lower_bound(GAP(1.0, 1e-2)) < 1.0 < lower_bound(GAP(3.0, 1e-2)) < 3.0 < lower_bound(ATenth(1.0, 1e-2))


# A node. The paper has a bound for nodes, too: each sends to D of her neighbours, drawn at random; noise for sqrt(D).

def delta_of_a_hub(neighbours: int, epsilon: float, runs: int = 20_000) -> float:
    r"""delta at ``epsilon`` between a graph without a hub and with one, for a bound of one message a person.

    Each of the hub's neighbours has one other, to whom she sends for certain where the hub is not, and else with chance
    1/2: along her row that one's sum is N(1, s^2), or half of N(0, s^2) and half of N(1, s^2). All these are
    independent, so the log of the quotient of the densities is a sum, and delta its mean of (1 - e^(epsilon - L))+.
    """
    sigma = Gaussian(epsilon, 1e-5, 1.0).sigma
    told = 1 + sigma * torch.randn(runs, neighbours, dtype=torch.double, generator=seeded(7))
    loss = -torch.log(0.5 + 0.5 * ((1 - 2 * told) / (2 * sigma**2)).exp()).sum(1)
    return float((1 - (epsilon - loss).exp()).clamp(min=0).mean())


@pytest.mark.bears("against", "gap-a-node")
def test_a_bound_on_messages_that_refills_pays_for_a_node_far_too_little(record_property):
    """Stated is epsilon 4 at delta 1e-5. Whoever loses the hub sends to another in its place, and the sums of all
    these move: one neighbour of the hub is too many already. (A mean of 20,000 numbers in [0, 1] is within .02 of
    theirs at level 1e-6.)"""
    one, fifty, many = (delta_of_a_hub(neighbours, 4.0) for neighbours in (1, 50, 200))
    record_property("witness", f"a hub with 50 neighbours, each of whom has one other: delta at epsilon 4 is "
                               f"{fifty:.2f}, stated 0.00001; with 200 neighbours {many:.3f}")
    assert one < 1e-4 and fifty == pytest.approx(0.50, abs=0.04) and many > 0.97
    # and what is said of an edge says nothing of a node
    assert [held.unit for held in GAP(4.0).guarantees(SIZES)] == ["undirected edge"]


# Mutants.

class BudgetOnEachHop(GAP):
    """Each hop has noise for the whole budget, and says what that costs: more than was asked for."""

    @property
    def noise(self):
        return replace(super().noise, sensitivity=math.sqrt(2))


class OneRow(GAP):
    """The sensitivity is that of one row, as printed, in the noise and in what is stated."""

    @property
    def noise(self):
        return replace(super().noise, sensitivity=math.sqrt(self.hops))

    def steps(self, sizes):
        return {EDGE: (Step(GaussianPair(self.noise.sigma), self.hops),)}


class LongRows(GAP):
    """Rows are not shortened before they are summed."""

    def noisy_sums(self, z, edge_index, generator):
        return self.noise(sums(2 * z.double(), edge_index), generator=generator)


class SecondHopFree(GAP):
    """Only the first sum has noise, and only one is paid for."""

    def noisy_sums(self, z, edge_index, generator):
        first = replace(self, hops=1)
        noisy = super(SecondHopFree, first).noisy_sums(z, edge_index, generator)
        return sums(unit_rows(noisy), edge_index)


class SameCoins(GAP):
    """All hops have the same noise."""

    def noisy_sums(self, z, edge_index, generator):
        state = check_generator(generator).get_state()
        found = super().noisy_sums(z, edge_index, generator)
        generator.set_state(state)
        return found


class EncodesNeighbours(GAP):
    """What is encoded are means over neighbours."""

    def encode(self, data, y, generator, progress=False):
        return super().encode(changed(data, x=data.x + sums(data.x, data.edge_index)), y, generator)


class DividesByDegree(GAP):
    """Noisy sums are divided by true degrees, and lengths stay as they are."""

    def train(self, data, generator, progress=False):
        made = super().train(data, generator)
        degree = torch.bincount(data.edge_index[0], minlength=data.num_nodes).clamp(min=1)
        return replace(made, tensors=made.tensors | {"tables": made.tensors["tables"] / degree[:, None]})


class KeepsSums(GAP):
    """The sums without noise leave too."""

    def noisy_sums(self, z, edge_index, generator):
        noisy = super().noisy_sums(z, edge_index, generator)
        return noisy + 1e-3 * sums(unit_rows(z), edge_index)


class StopsWhereNobodyIsAlone(GAP):
    """As many hops as the graph seems to need."""

    def train(self, data, generator, progress=False):
        alone = torch.bincount(data.edge_index[0], minlength=data.num_nodes).min() == 0
        return GAP.train(replace(self, hops=2 if alone else 1), data, generator)


class NoEncoder(GAP):
    """A row is what somebody's neighbours are before any noise."""

    def encode(self, data, y, generator, progress=False):
        return normalize(sums(data.x.double(), data.edge_index) + 0.1, dim=1)


@dataclass(frozen=True)
class OneHopStated(GAP):
    """Of several hops one is accounted for."""

    def steps(self, sizes):
        step, = super().steps(sizes)[EDGE]
        return {EDGE: (replace(step, count=1),)}


NOT_COVERED = r"undirected edge \(add/remove\) is not covered"
EDGES = "noise only; with a change of the edge"


@pytest.mark.parametrize("kind, found", [
    (BudgetOnEachHop, "must cost no more than was asked for"), (OneRow, NOT_COVERED), (LongRows, NOT_COVERED),
    (SecondHopFree, EDGES), (SameCoins, "no coin may be used twice"), (EncodesNeighbours, EDGES),
    (DividesByDegree, EDGES), (KeepsSums, EDGES), (StopsWhereNobodyIsAlone, EDGES), (NoEncoder, EDGES),
    (OneHopStated, NOT_COVERED)], ids=lambda part: getattr(part, "__name__", ""))
def test_a_mutant_is_found(kind, found):
    with pytest.raises(AssertionError, match=found):
        check_method(kind(1.0, 1e-5, 2, **QUICK))
