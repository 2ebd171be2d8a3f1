"""Randomised response on pairs with a private end: the exact worst case, what stays as it is, mutants."""

import math
from dataclasses import dataclass, replace
from itertools import combinations

import pytest
import torch
from scipy.stats import binomtest
from torch_geometric.data import Data

from privgraph.audit import CheckFailed, check_mechanism, worst_case
from privgraph.audit.relations import change_edge, neighbour_lists
from privgraph.graph import contains, degrees, to_undirected
from privgraph.mechanisms import OpenReport, PrivateEndResponse, SymmetricResponse, TooManyPairs
from privgraph.mechanisms.private_end_response import KNOWN, answered, change_private
from privgraph.mechanisms.some_pairs import reported_pairs
from privgraph.privacy import find_guarantee
from privgraph.randomness import seeded

TRIAL = PrivateEndResponse(1.0).audit_case()
PAIRS = list(combinations(range(4), 2))


def club(n=40, public=15, edges=150) -> Data:
    """A random graph of a client who shares the first nodes."""
    drawn = torch.randint(n, (2, edges), generator=seeded(1)) if n <= 40 else torch.zeros(2, 0, dtype=torch.long)
    return Data(edge_index=to_undirected(drawn, n), num_nodes=n, num_public=public)


@dataclass(frozen=True)
class Table:
    """The chances of a mechanism where so many of four people are public."""

    of: PrivateEndResponse
    public: int = KNOWN

    def distribution(self, lists):
        return self.of.distribution(lists, self.public)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_private_edge_costs_exactly_epsilon_and_an_open_one_everything(epsilon):
    mechanism = PrivateEndResponse(epsilon)
    assert worst_case(Table(mechanism), TRIAL.inputs, change_private).epsilon == pytest.approx(epsilon, abs=1e-12)
    assert worst_case(Table(mechanism), [TRIAL.inputs[0]], change_edge).epsilon == math.inf
    stated = mechanism.guarantees
    assert [find_guarantee(stated, unit).epsilon for unit in ("private edge", "undirected edge")] == [epsilon, math.inf]


def test_all_edges_of_a_private_node_cost_as_many_times_epsilon():
    none, three = neighbour_lists([], 4), neighbour_lists([(0, 3), (1, 3), (2, 3)])
    assert worst_case(Table(PrivateEndResponse(1.0)), [none], lambda lists: [three]).epsilon == pytest.approx(3.0)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_where_nobody_is_public_it_is_symmetric_response(epsilon):
    for lists in TRIAL.inputs[::7]:
        theirs = SymmetricResponse(epsilon).distribution(lists)
        mine = PrivateEndResponse(epsilon).distribution(lists)
        assert mine == {sum(rows, ()): pytest.approx(p) for rows, p in theirs.items()}


def test_open_edges_stay_and_answers_come_as_often_as_stated():
    """675 pairs with a private end, 400 reports. At level 1e-6 chances that are off by 0.04 are found."""
    data, mechanism, generator, kept, lies = club(), PrivateEndResponse(1.0), seeded(5), 0, 0
    between = (data.edge_index < 15).all(0)
    links = data.edge_index[:, ~between]
    assert answered(40, 15) == 675 and between.any()
    for _ in range(400):
        told = mechanism(data, generator=generator).edge_index
        known = (told < 15).all(0)
        assert torch.equal(told[:, known], data.edge_index[:, between])
        true = contains(links, told[:, ~known], 40)
        kept, lies = kept + int(true.sum()) // 2, lies + int((~true).sum()) // 2
    held = links.size(1) // 2
    for found, of_all, chance in ((kept, held, mechanism.response.keep), (lies, 675 - held, mechanism.response.lie)):
        assert binomtest(found, 400 * of_all, chance).pvalue > 5e-7


def test_what_is_audited_is_each_graph_of_four_people():
    inputs = PrivateEndResponse(1.0).audit_case().inputs
    assert len({*inputs}) == len(inputs) == 64 and {len(lists) for lists in inputs} == {4}


@pytest.mark.parametrize("epsilon, public", [(math.inf, 15), (0.1, 40)])
def test_without_noise_or_where_all_are_public_the_graph_goes_out_as_it_is(epsilon, public):
    told = PrivateEndResponse(epsilon)(club(public=public), generator=seeded(0))
    assert torch.equal(told.edge_index, club().edge_index)


def test_what_is_refused_hangs_on_two_counts_and_says_how_many_pairs():
    with pytest.raises(TooManyPairs, match="hold 24,9.*,... pairs"):
        PrivateEndResponse(1e-3)(club(10_000, 100), generator=seeded(0))
    assert PrivateEndResponse(1e-3)(club(10_000, 9_990), generator=seeded(0)).num_nodes == 10_000


@pytest.mark.parametrize("public", [None, -1, 41, 2.5, True])
@pytest.mark.parametrize("epsilon", [1.0, math.inf])
def test_how_many_are_public_must_be_said(public, epsilon):
    with pytest.raises((TypeError, ValueError), match="num_public"):
        PrivateEndResponse(epsilon)(club(public=public), generator=seeded(0))


# Mutants, which check_mechanism must find.

@dataclass(frozen=True)
class PublicByDegree(PrivateEndResponse):
    """Who is public is counted, private edges included."""

    def audit_case(self):
        return replace(super().audit_case(), distribution=lambda lists: self.distribution(
            lists, sum(len(near) > 1 for near in lists)))


@dataclass(frozen=True)
class OnlyBothEnds(PrivateEndResponse):
    """Only pairs of two private nodes are answered for: an edge to a public node goes out as it is."""

    def distribution(self, lists, public=0):
        table = {}
        for bits, p in super().distribution(lists, public).items():
            key = tuple(int(v in lists[u]) if u < public else bit for bit, (u, v) in zip(bits, PAIRS, strict=True))
            table[key] = table.get(key, 0.0) + p
        return table


@pytest.mark.parametrize("mutant", [PublicByDegree(1.0), OnlyBothEnds(1.0)])
def test_the_audit_finds_the_twin(mutant):
    check_mechanism(PrivateEndResponse(1.0), only="worst case")
    with pytest.raises(CheckFailed, match=r"^worst case: .* private edge \(add/remove\) is refuted"):
        check_mechanism(mutant, only="worst case")


def test_the_audit_finds_open_edges_in_a_telling_order():
    @dataclass(frozen=True)
    class InPlace(PrivateEndResponse):
        def draw(self, data, generator):
            told, turned = super().draw(data, generator), degrees(data.edge_index, data.num_nodes)[2:].any()
            edges = told.open_edges.flip(1) if turned else told.open_edges
            return OpenReport(told.edge_index, told.num_nodes, open_edges=edges)
    with pytest.raises(CheckFailed, match="^replays: what is no noise depends on one private edge"):
        check_mechanism(InPlace(1.0), runs=100)


# What the trial and the audits are made of.

def test_two_of_the_four_people_of_the_trial_are_public_and_five_pairs_are_answered_for():
    lists = neighbour_lists(((0, 1), (1, 2)))[:4]
    lists = (*lists, *[frozenset()] * (4 - len(lists)))
    assert KNOWN == TRIAL.encode(lists).num_public == 2
    changed = {(u, v) for near in change_private(lists) for u, v in PAIRS if (v in near[u]) != (v in lists[u])}
    assert len(list(change_private(lists))) == 5 and changed == set(PAIRS) - {(0, 1)}


def test_without_a_word_nobody_is_public():
    lists = TRIAL.inputs[5]
    mechanism = PrivateEndResponse(1.0)
    assert mechanism.distribution(lists) == mechanism.distribution(lists, 0) != mechanism.distribution(lists, 2)
    assert mechanism.distribution((frozenset(),)) == {(): 1}
    with pytest.raises(ValueError, match="number of lists must be a whole number, between 1 and 4, got 0"):
        mechanism.distribution(())


def test_pairs_are_told_by_their_lower_end_first_and_in_order():
    told = PrivateEndResponse(0.5).report(club(), generator=seeded(3)).edge_index
    assert (told[0] < told[1]).all() and len(told[0]) > 100
    assert (told[1] * 40 + told[0]).diff().gt(0).all()


def test_a_bit_says_whether_a_pair_is_reported_or_open():
    report = OpenReport(torch.tensor([[0], [2]]), 3, open_edges=torch.tensor([[0, 1], [1, 0]]))
    assert reported_pairs(report) == (1, 1, 0)
