"""DP-SGD: its equations as loops, what a node moves, and mutants that the contract finds."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch_geometric.data import Data

from privgraph.audit.verdict import TRIED
from privgraph.datasets import from_edge_list
from privgraph.graph import degrees, to_undirected
from privgraph.mechanisms import poisson_sample
from privgraph.methods import Sizes, check_method, dpsgd
from privgraph.methods.contract.toys import changed, path_graph, restricted
from privgraph.methods.curated import NODE
from privgraph.methods.dpsgd import DPSGD, OneHopGCN, Small, clipped, gradients
from privgraph.methods.gap import sums
from privgraph.privacy import GaussianPair, Step, gdp_epsilon, pld_epsilon, rdp_epsilon
from privgraph.randomness import seeded

SIZES = Sizes(8, 2, 3)


def one_by_one(network, rows, y):
    """Each example's gradient by a backward pass of its own."""
    found, network = [], network.double()
    for row, label in zip(rows.double(), y, strict=True):
        network.zero_grad()
        F.cross_entropy(network(row[None]), label[None]).backward()
        found.append(torch.cat([part.grad.flatten() for part in network.parameters()]))
    network.float()
    return found


def test_gradients_of_all_at_once_are_those_of_each():
    network, rows, y = Small(3, 4, 2, seeded(0)), torch.randn(5, 3, generator=seeded(1)), torch.tensor([0, 1, 1, 0, 1])
    assert torch.allclose(gradients(network, rows, y), torch.stack(one_by_one(network, rows, y)), atol=1e-12)
    assert gradients(network, rows[:0], y[:0]).shape == (0, 4 * 3 + 4 + 2 * 4 + 2)


@pytest.mark.parametrize("method", [DPSGD(4.0, 1e-3, 0.1, rate=0.5, hidden=3, epochs=2),
                                    OneHopGCN(4.0, 1e-3, 0.1, bound=2, hidden=3, epochs=3)])
def test_the_weights_are_those_of_the_equations(method):
    """One person after the other, with the same coins, and Adam by its own formula."""
    data, generator, rate = path_graph(), seeded(3), getattr(method, "rate", 1.0)
    network = Small(3, 3, 2, generator)
    first = second = 0.0
    near = [[int(u) for u, w in data.edge_index.t() if int(w) == v] for v in range(8)]
    x = [row / max(float(row.norm()), 1e-12) for row in data.x]
    read = x if rate < 1 else [sum((x[u] for u in near[v]), x[v]) / (1 + len(near[v])) for v in range(8)]
    for number in range(1, method.lots + 1):
        drawn = torch.rand(8, generator=generator) < rate if rate < 1 else torch.ones(8).bool()
        total = torch.zeros(sum(part.numel() for part in network.parameters()), dtype=torch.double)
        for v in range(8):
            if drawn[v] and data.train_mask[v]:
                own, = one_by_one(network, read[v][None], data.y[v][None])
                total += own * min(1.0, method.clip / float(own.norm()))
        total += torch.randn(total.shape, dtype=torch.double, generator=generator) * method.noise.sigma
        first, second = 0.9 * first + 0.1 * total / 0.1, 0.999 * second + 0.001 * (total / 0.1)**2
        move = 0.02 * (first / (1 - 0.9**number)) / ((second / (1 - 0.999**number)).sqrt() + 1e-8)
        with torch.no_grad():
            for part, own in zip(network.parameters(), move.split([p.numel() for p in network.parameters()]),
                                 strict=True):
                part -= own.view_as(part).float()
    released = method.train(data, seeded(3)).tensors
    assert all(torch.allclose(released[name], part, atol=1e-5) for name, part in network.named_parameters())


def test_it_learns_what_features_tell_and_answers_for_others():
    data = path_graph(40)
    y = torch.arange(40) % 2
    data = changed(data, x=torch.eye(2)[y], y=y, train_mask=torch.arange(40) < 30, val_mask=torch.zeros(40).bool(),
                   edge_index=to_undirected(torch.stack([torch.arange(38), torch.arange(2, 40)]), 40))
    for method in (DPSGD(math.inf), OneHopGCN(math.inf, bound=2)):
        fitted = method.learn(method.train(data, seeded(0)), seeded(0))
        assert fitted.predict(data).tolist() == y.tolist()
        assert fitted.predict(restricted(data, [3, 4])).tolist() == [1, 0]


def test_nobodys_record_can_make_others_steps_infinite():
    """Of features at the end of what floats hold, and of a clip length that is hardly one."""
    rows = torch.tensor([[3e200, 0.0], [3.0, 4.0], [math.nan, 1.0], [0.0, 0.0], [0.3, 0.4]], dtype=torch.double)
    kept = torch.tensor([[0.0, 0.0], [0.6, 0.8], [0.0, 0.0], [0.0, 0.0], [0.3, 0.4]], dtype=torch.double)
    assert torch.allclose(clipped(rows, 1.0), kept)
    assert clipped(rows[1:2] * 1e160, 1e-100).norm() <= 1e-100
    data = path_graph()
    data.x[0] = 3e38
    assert all(part.isfinite().all() for part in DPSGD(rate=0.5, hidden=3).train(data, seeded(0)).tensors.values())


# What a node costs.

@pytest.mark.parametrize("epsilon", [0.5, 4.0])
@pytest.mark.parametrize("rate, epochs", [(1.0, 5), (0.1, 5), (0.01, 2)])
def test_two_accountants_keep_what_is_stated_below_what_was_asked_for(epsilon, rate, epochs):
    method = DPSGD(epsilon, 1e-5, rate=rate, epochs=epochs)
    held, = method.guarantees(SIZES)
    step, = method.steps(SIZES)[NODE]
    assert step.count == round(epochs / rate) == method.lots and step.pair.rate == rate
    assert held.epsilon <= epsilon < 1.01 * held.epsilon
    assert held.epsilon <= rdp_epsilon([step], 1e-5) < 1.4 * held.epsilon
    assert pld_epsilon([step], 1e-5).optimistic > 0.98 * held.epsilon
    assert step.pair.sigma == pytest.approx(method.noise.sigma / method.clip, rel=1e-9, abs=0)


def test_a_lot_amplifies_and_all_of_it_is_asked_for():
    """What the same noise costs without sampling is far more."""
    method = DPSGD(2.0, 1e-5, rate=0.1)
    step, = method.steps(SIZES)[NODE]
    assert pld_epsilon([Step(GaussianPair(step.pair.sigma), step.count)], 1e-5).optimistic > 10 * 2.0


@pytest.mark.parametrize("bound", [0, 1, 5])
def test_a_hop_costs_two_for_each_neighbour_and_one(bound):
    method = OneHopGCN(3.0, 1e-5, bound=bound, epochs=7)
    mu = math.sqrt(7) * (2 * bound + 1) * method.clip / method.noise.sigma
    held, = method.guarantees(SIZES)
    assert held.epsilon == pytest.approx(gdp_epsilon(mu, 1e-5), rel=1e-4, abs=0) and held.epsilon <= 3.0


def star(leaves: int) -> Data:
    """One person, the last, whose features are the opposite of her neighbours', who know nobody else."""
    x = torch.ones(leaves + 1, 1)
    x[-1] = -1.0
    pairs = torch.stack([torch.arange(leaves), torch.full((leaves,), leaves)])
    data = from_edge_list(pairs, x, [0] * (leaves + 1), num_classes=2, feature_range=(-1.0, 1.0))
    data.train_mask, data.val_mask = torch.ones(leaves + 1).bool(), torch.zeros(leaves + 1).bool()
    return data


class Sharp(Small):
    """Each hidden unit says 1 to somebody who reads 1, and -1 to whoever reads a tenth less; all classes are alike."""

    def __init__(self, num_features, hidden, num_classes, generator):
        super().__init__(num_features, hidden, num_classes, generator)
        with torch.no_grad():
            for part, value in zip(self.parameters(), (800.0, -760.0, 0.0, 0.0), strict=True):
                part.fill_(value)


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_a_node_turns_her_neighbours_gradients_round(bound):
    """With the centre leaves read 0 in place of 1, and their gradients (of which only one part in 17 is of the bias)
    point the other way: nearly 2 for each, and 1 for her own, is what one node moves."""
    network, method, found = Sharp(1, 16, 2, seeded(0)), OneHopGCN(bound=bound, clip=1e-6), []
    for graph in (star(bound), restricted(star(bound), range(bound))):
        found.append(method.sum_of(network, method.read(graph), graph.y))
    assert 0.96 * (2 * bound + 1) < float((found[0] - found[1]).norm()) / method.clip <= 2 * bound + 1


def test_a_larger_degree_than_promised_is_refused_in_the_same_words():
    for leaves in (4, 9):
        with pytest.raises(ValueError, match="bound must be at least everybody's number of neighbours, as what is "
                                             "stated holds for graphs of which that is known beforehand, got 3"):
            OneHopGCN(bound=3, epochs=1).train(star(leaves), seeded(0))


# Mutants.

SMALL = dict(hidden=3, rate=0.5, epochs=1)


class ClipsTheSum(DPSGD):
    """The sum is clipped, and not each gradient."""
    def sum_of(self, network, rows, y):
        return 3 * clipped(gradients(network, rows, y).sum(0, keepdim=True), self.clip)[0]


class NoClip(DPSGD):
    def sum_of(self, network, rows, y):
        return 100 * gradients(network, rows, y).sum(0)


class ClipsEachLayer(DPSGD):
    """Each layer's gradient is clipped to C, which together is longer."""
    def sum_of(self, network, rows, y):
        sizes = [part.numel() for part in network.parameters()]
        return torch.cat([clipped(100 * part, self.clip).sum(0)
                          for part in gradients(network, rows, y).split(sizes, 1)])


class MeanOfTheLot(DPSGD):
    """The mean of a lot, with noise for the mean of four."""
    def sum_of(self, network, rows, y):
        return super().sum_of(network, rows, y) / max(1, len(rows)) * 4


class LotNormalised(DPSGD):
    """Features are standardised over all people first."""
    def read(self, data):
        return (data.x - data.x.mean(0)) / (data.x.std(0) + 0.1)


class FixedLots(DPSGD):
    """Lots of one fixed size, drawn without replacement, and accounted as if by coins."""
    def train(self, data, generator, progress=False):
        return lots_by(lambda n: torch.isin(torch.arange(n), torch.randperm(n, generator=generator)[:n // 2]), self,
                       data, generator)


class OneLotForAll(DPSGD):
    """One lot is drawn, and used in each step."""
    def train(self, data, generator, progress=False):
        lot = poisson_sample(self.rate, data.num_nodes, generator=generator)
        return lots_by(lambda n: lot, self, data, generator)


class WholeLots(DPSGD):
    """Everybody is in each lot."""
    def train(self, data, generator, progress=False):
        return lots_by(lambda n: torch.ones(n, dtype=torch.bool), self, data, generator)


class FullestLot(DPSGD):
    """Of two lots the larger is taken."""
    def train(self, data, generator, progress=False):
        def lot(n):
            two = [poisson_sample(self.rate, n, generator=generator) for _ in range(2)]
            return max(two, key=lambda lot: int((lot & data.train_mask).sum()))
        return lots_by(lot, self, data, generator)


def lots_by(lot, method, data, generator):
    """Training with lots of another kind."""
    before = dpsgd.poisson_sample
    dpsgd.poisson_sample = lambda rate, n, generator: lot(n)
    try:
        return DPSGD.train(method, data, generator)
    finally:
        dpsgd.poisson_sample = before


class HalfTheRate(DPSGD):
    """What is stated is for half of the rate."""
    def steps(self, sizes):
        step, = super().steps(sizes)[NODE]
        return {NODE: (Step(replace(step.pair, rate=self.rate / 2), step.count),)}


class OneStepStated(DPSGD):
    def steps(self, sizes):
        step, = super().steps(sizes)[NODE]
        return {NODE: (Step(step.pair),)}


class BestOnValidation(DPSGD):
    """Weights are scaled as validation nodes like it."""
    def train(self, data, generator, progress=False):
        made = super().train(data, generator)
        fitted = self.prepare(made, generator)
        right = float((fitted.predict(data) == data.y)[data.val_mask].float().mean())
        return replace(made, tensors={name: part * (1 + right) for name, part in made.tensors.items()})


class TellsHowMany(DPSGD):
    def train(self, data, generator, progress=False):
        made = super().train(data, generator)
        return replace(made, tensors=made.tensors | {"n": torch.tensor(data.num_nodes)})


class NoiseByNumber(DPSGD):
    """The learning rate falls with the number of people."""
    def train(self, data, generator, progress=False):
        return DPSGD.train(DPSGD(**vars(self) | {"learning_rate": 0.1 / max(1, data.num_nodes)}), data, generator)


NOT_COVERED = r"node \(add/remove\) is not covered"
HER = "noise only; with a change of the presence of person"


@pytest.mark.parametrize("kind, found", [
    (ClipsTheSum, NOT_COVERED), (NoClip, NOT_COVERED), (ClipsEachLayer, NOT_COVERED), (MeanOfTheLot, NOT_COVERED),
    (LotNormalised, NOT_COVERED), (FixedLots, NOT_COVERED), (OneLotForAll, NOT_COVERED), (WholeLots, NOT_COVERED),
    (FullestLot, NOT_COVERED), (HalfTheRate, NOT_COVERED), (OneStepStated, NOT_COVERED), (BestOnValidation, HER),
    (TellsHowMany, HER), (NoiseByNumber, HER)], ids=lambda part: getattr(part, "__name__", ""))
def test_a_mutant_is_found(kind, found):
    with pytest.raises(AssertionError, match=found):
        check_method(kind(2.0, 1e-3, **SMALL))


HOP = dict(bound=3, hidden=3, epochs=1, clip=1e-6)


class AsOneTerm(OneHopGCN):
    """Plain DP-SGD: a node is in her own term only."""
    moves = 1


class NeighboursOnce(OneHopGCN):
    """A neighbour's term is taken to move by C, as if it came or went."""
    moves = property(lambda self: self.bound + 1)


class Symmetric(OneHopGCN):
    """The weights of Kipf and Welling: a neighbour's own number of neighbours counts, and so two hops are reached."""

    def read(self, data):
        root = (1 + degrees(data.edge_index, data.num_nodes)).rsqrt()[:, None]
        x = data.x * root
        return (x + sums(x, data.edge_index)) * root


class Refills(OneHopGCN):
    """Each hears the first ``bound`` of her neighbours: who leaves makes room for another."""

    def read(self, data):
        kept = [edge for v in range(data.num_nodes) for edge in [
            pair for pair in data.edge_index.t().tolist() if pair[1] == v][-self.bound:]]
        edges = torch.tensor(kept, dtype=torch.long).reshape(-1, 2).t()
        return (data.x + sums(data.x, edges)) / (1 + self.bound)


def hub(leaves: int) -> Data:
    """A hub, the last, whom all others name first; each of them has another to name in her place."""
    n = 2 * leaves + 1
    pairs = [(v, n - 1) for v in range(leaves)] + [(v, v + leaves) for v in range(leaves)]
    x = torch.zeros(n, 3)
    x[:leaves, 0], x[leaves:-1, 1], x[-1, 2] = 1.0, 1.0, 1.0
    data = from_edge_list(torch.tensor(pairs).t(), x, [0] * n, num_classes=2)
    data.train_mask, data.val_mask = torch.arange(n) < leaves, torch.zeros(n).bool()
    return data


def test_a_bound_of_one_for_many_terms_is_found():
    with pytest.raises(AssertionError, match=NOT_COVERED):
        check_method(AsOneTerm(2.0, 1e-3, **HOP))


def test_a_neighbours_term_that_is_taken_to_move_by_its_length_is_found(monkeypatch):
    """The right price is not refused in the same world."""
    monkeypatch.setattr(dpsgd, "Small", Sharp)
    own = HOP | {"hidden": 16}
    assert check_method(OneHopGCN(2.0, 1e-3, **own), star(3)).verdict == TRIED
    with pytest.raises(AssertionError, match=NOT_COVERED):
        check_method(NeighboursOnce(2.0, 1e-3, **own), star(3))


def test_who_makes_room_for_another_moves_all_who_heard_her():
    with pytest.raises(AssertionError, match=NOT_COVERED):
        check_method(Refills(2.0, 1e-3, **HOP | {"bound": 1}), hub(20))


def test_with_weights_of_both_ends_a_node_moves_those_two_hops_away(monkeypatch):
    """The path 0 - 1 - 4 - 2 - 3: where 4 goes, 0 and 3 hear their one neighbour louder."""
    monkeypatch.setattr(dpsgd, "Small", Sharp)
    x = torch.tensor([1.0, 1, 1, 1, -1])[:, None]
    path = from_edge_list(torch.tensor([[0, 1, 4, 2], [1, 4, 2, 3]]), x, [0] * 5, num_classes=2,
                          feature_range=(-1.0, 1.0))
    path.train_mask, path.val_mask = torch.ones(5).bool(), torch.zeros(5).bool()
    own = HOP | {"hidden": 16, "bound": 2}
    assert check_method(OneHopGCN(2.0, 1e-3, **own), path).verdict == TRIED
    with pytest.raises(AssertionError, match=NOT_COVERED):
        check_method(Symmetric(2.0, 1e-3, **own), path)


def test_right_methods_are_not_refused():
    assert check_method(DPSGD(2.0, 1e-3, **SMALL), hub(5)).verdict == TRIED
    assert check_method(OneHopGCN(2.0, 1e-3, **HOP | {"bound": 20}), hub(20)).verdict == TRIED


@pytest.mark.parametrize("method", [OneHopGCN(1e-4, 1e-5, bound=17, epochs=100), OneHopGCN(1e-8, 1e-9, bound=17),
                                    OneHopGCN(1e-6, 1e-2, bound=2, epochs=10)])
def test_where_delta_pays_for_a_whole_step_the_noise_is_the_same_and_is_drawn(method):
    """A step by itself then costs epsilon 0, of which no Gaussian is made."""
    multiplier = dpsgd.noise_multiplier(method.epsilon, method.delta, 1.0, method.lots)
    assert method.noise.pair.sigma == pytest.approx(multiplier, rel=1e-6,
                                                    abs=0) and method.noise.pair.sigma >= multiplier
    held, = method.guarantees(Sizes(0))
    assert held.epsilon <= method.epsilon and held.delta == method.delta
    assert method.fit(path_graph(10, 3), seed=0).predict(path_graph(10, 3)).shape == (10,)


@pytest.mark.parametrize("kind", [DPSGD, OneHopGCN])
def test_where_there_is_no_such_noise_it_is_said_what_came(kind):
    with pytest.raises(ValueError, match=r"epsilon must be one that some scale reaches, got 1e-30, which none up to"):
        kind(1e-30, 1e-18).fit(path_graph(10, 3), seed=0)


@pytest.mark.parametrize("multiplier", [1e10, 1e20, 1.2e30])
def test_the_widest_noise_is_drawn_as_wide_as_it_was_chosen(multiplier, monkeypatch):
    monkeypatch.setattr(dpsgd, "noise_multiplier", lambda *said: multiplier)
    assert 0 < DPSGD(1.0, 1e-5).noise.pair.sigma / multiplier - 1 < 1e-6
