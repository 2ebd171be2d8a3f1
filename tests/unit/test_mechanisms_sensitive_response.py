"""Randomised response on pairs of sensitive people: the exact worst case, the condition on the list, mutants."""

import math
from dataclasses import dataclass, replace

import pytest
import torch
from scipy.stats import binomtest
from torch_geometric.data import Data

from privgraph.audit import CheckFailed, check_mechanism, worst_case
from privgraph.audit.relations import change_edge, neighbour_lists
from privgraph.graph import contains, degrees, to_undirected
from privgraph.mechanisms import SensitiveResponse, SymmetricResponse, TooManyPairs
from privgraph.mechanisms.edge_mechanism import EdgeReport, graph_of
from privgraph.mechanisms.sensitive_response import TRIED, OpenReport, change_sensitive
from privgraph.privacy import find_guarantee
from privgraph.randomness import seeded

TRIAL = SensitiveResponse(1.0).audit_case()


def club(n=60, sensitive=20, edges=300) -> Data:
    """A random graph in which the even ones of the first 2 x ``sensitive`` people are sensitive."""
    data = Data(edge_index=to_undirected(torch.randint(n, (2, edges), generator=seeded(1)), n), num_nodes=n)
    data.sensitive_users = (torch.arange(n) % 2 == 0) & (torch.arange(n) < 2 * sensitive)
    return data


def of(mechanism, users=TRIED):
    """Its chances, where these people are sensitive."""
    @dataclass(frozen=True)
    class Table:
        def distribution(self, lists):
            return mechanism.distribution(lists, users)
    return Table()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_sensitive_link_costs_exactly_epsilon_and_an_open_one_everything(epsilon):
    table = of(SensitiveResponse(epsilon))
    assert worst_case(table, TRIAL.inputs, change_sensitive).epsilon == pytest.approx(epsilon, abs=1e-12)
    assert worst_case(table, [TRIAL.inputs[0]], change_edge).epsilon == math.inf
    stated = SensitiveResponse(epsilon).guarantees
    assert find_guarantee(stated, "sensitive link").epsilon == epsilon
    assert find_guarantee(stated, "undirected edge").epsilon == math.inf


def test_two_sensitive_links_cost_twice():
    none, two = neighbour_lists([], 4), neighbour_lists([(0, 1), (0, 3)])
    assert worst_case(of(SensitiveResponse(1.0)), [none], lambda lists: [two]).epsilon == pytest.approx(2.0)


def test_at_no_budget_the_answers_say_nothing_and_the_open_edges_all():
    """Fair coins whatever the links; so nobody can make more of them than of a graph whose sensitive links are gone."""
    nothing = SensitiveResponse(1e-12)
    empty, full = (neighbour_lists(edges, 4) for edges in ([(1, 2)], [(0, 1), (0, 3), (1, 3), (1, 2)]))
    for lists in (empty, full):
        table = nothing.distribution(lists, TRIED)
        assert len(table) == 8 and all(p == pytest.approx(1 / 8, abs=1e-11) for p in table.values())
        assert all(bits[1::2] == (0, 1, 0) for bits in table)  # 0-2, 1-2 and 2-3 are open
    assert worst_case(of(nothing), TRIAL.inputs, change_sensitive).epsilon < 2e-12


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_where_all_are_sensitive_it_is_symmetric_response(epsilon):
    data, mechanism = club(), SensitiveResponse(epsilon)
    data.sensitive_users = torch.ones(60, dtype=torch.bool)
    told, other = (m(data, generator=seeded(3)) for m in (mechanism, SymmetricResponse(epsilon)))
    assert torch.equal(told.edge_index, other.edge_index)
    for lists in TRIAL.inputs[::5]:
        mine = mechanism.distribution(lists)
        theirs = SymmetricResponse(epsilon).distribution(lists)
        assert {bits: pytest.approx(p) for bits, p in mine.items()} == {sum(rows, ()): p for rows, p in theirs.items()}


def test_open_edges_stay_and_answers_come_as_often_as_stated():
    """190 pairs, 35 of them links, 200 reports. At level 1e-6 chances that are off by 0.05 are found."""
    data, mechanism = club(), SensitiveResponse(1.0)
    users, generator, kept, lies = data.sensitive_users, seeded(5), 0, 0
    inner = users[data.edge_index].all(0)
    links, open_edges = data.edge_index[:, inner], data.edge_index[:, ~inner]
    for _ in range(200):
        told = mechanism(data, generator=generator).edge_index
        between = users[told].all(0)
        assert torch.equal(told[:, ~between], open_edges)
        true = contains(links, told[:, between], 60)
        kept, lies = kept + int(true.sum()) // 2, lies + int((~true).sum()) // 2
    assert links.size(1) == 2 * 35
    for found, of_all, chance in ((kept, 35, mechanism.response.keep), (lies, 155, mechanism.response.lie)):
        assert binomtest(found, 200 * of_all, chance).pvalue > 5e-7


def test_without_noise_without_sensitive_people_or_with_one_the_graph_goes_out_as_it_is():
    data = club()
    assert torch.equal(SensitiveResponse(math.inf)(data, generator=seeded(0)).edge_index, data.edge_index)
    for users in ((), (5,)):
        data.sensitive_users = torch.isin(torch.arange(60), torch.tensor(users))
        assert torch.equal(SensitiveResponse(0.1)(data, generator=seeded(0)).edge_index, data.edge_index)


def test_a_list_of_the_links_does_not_travel_along():
    data = club()
    data.sensitive, data.x = torch.tensor([[0], [2]]), torch.ones(60, 1)
    told = SensitiveResponse(1.0)(data, generator=seeded(0))
    assert "sensitive" not in told and "x" in told and "sensitive_users" in told


def test_what_is_refused_hangs_on_the_list_and_not_on_links():
    with pytest.raises(TooManyPairs, match="epsilon is too small for so many people"):
        SensitiveResponse(1e-3)(club(20_000, 10_000, 0), generator=seeded(0))
    assert SensitiveResponse(1e-3)(club(20_000, 10, 0), generator=seeded(0)).num_nodes == 20_000


@pytest.mark.parametrize("users, message", [
    (None, "data must have sensitive_users, got none"),
    (torch.tensor([0, 1]), r"sensitive_users must be a bool tensor of shape \[60\], got torch.int64 of shape \[2\]"),
    (torch.ones(3, dtype=torch.bool), r"sensitive_users must be a bool tensor of shape \[60\]")])
@pytest.mark.parametrize("epsilon", [1.0, math.inf])
def test_the_list_must_be_there(users, message, epsilon):
    data = club()
    data.sensitive_users = users
    with pytest.raises(ValueError, match=message):
        SensitiveResponse(epsilon)(data, generator=seeded(0))


# Mutants, which check_mechanism must find.

@dataclass(frozen=True)
class ListedByDegree(SensitiveResponse):
    """Who is sensitive is counted, sensitive links included: one link more puts both its ends on the list."""

    def __call__(self, data, *, generator):
        data.sensitive_users = degrees(data.edge_index, data.num_nodes) >= 2
        return super().__call__(data, generator=generator)

    def draw(self, data, generator):
        data.sensitive_users = degrees(data.edge_index, data.num_nodes) >= 2
        return super().draw(data, generator)

    def audit_case(self):
        return replace(super().audit_case(), distribution=lambda lists: self.distribution(
            lists, tuple(len(near) >= 2 for near in lists)))


@dataclass(frozen=True)
class BothAnswer(SensitiveResponse):
    """Either end answers for a pair, and the server hears whether one of them, or both, named the other."""

    def distribution(self, lists, users=None):
        table = {}
        for bits, p in super().distribution(lists, users).items():
            for more, q in super().distribution(lists, users).items():
                table[bits + more] = table.get(bits + more, 0.0) + p * q
        return table


@dataclass(frozen=True)
class OnlyTrueOnes(SensitiveResponse):
    """Links are dropped with probability 1 - p, and no false ones are added."""

    def draw(self, data, generator):
        report = super().draw(data, generator)
        true = contains(data.edge_index, report.edge_index, data.num_nodes)
        return OpenReport(report.edge_index[:, true], report.num_nodes, open_edges=report.open_edges)

    def distribution(self, lists, users=None):
        table = {}
        for bits, p in super().distribution(lists, users).items():
            key = tuple(bit * (v in lists[u]) for bit, (u, v) in zip(bits, PAIRS, strict=True))
            table[key] = table.get(key, 0.0) + p
        return table


PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize("mutant", [ListedByDegree(1.0), BothAnswer(1.0), OnlyTrueOnes(1.0)])
def test_the_audit_finds_the_twin(mutant):
    check_mechanism(SensitiveResponse(1.0), only="worst case")
    with pytest.raises(CheckFailed, match=r"^worst case: .* sensitive link \(add/remove\) is refuted"):
        check_mechanism(mutant, only="worst case")


def test_the_audit_finds_open_edges_in_a_telling_order():
    """Edges that stand behind links tell where these were, even if the links themselves are noise."""
    @dataclass(frozen=True)
    class InPlace(SensitiveResponse):
        def draw(self, data, generator):
            report = super().draw(data, generator)
            order = torch.arange(report.open_edges.size(1))
            inner = data.sensitive_users[data.edge_index].all(0)
            turned = order.flip(0) if inner.any() else order
            return OpenReport(report.edge_index, report.num_nodes, open_edges=report.open_edges[:, turned])
    with pytest.raises(CheckFailed, match="^replays: what is no noise depends on one sensitive link"):
        check_mechanism(InPlace(1.0), runs=100)


def test_a_report_is_one_of_edges():
    lists = neighbour_lists([(0, 1), (0, 2)], 4)
    data = graph_of(lists)
    data.sensitive_users = torch.tensor(TRIED)
    report = SensitiveResponse(30.0).report(data, generator=seeded(0))
    assert isinstance(report, EdgeReport) and report.edge_index.tolist() == [[1], [0]]  # 0, the lower end, reports 1
    assert report.open_edges.tolist() == [[0, 2], [2, 0]]
