"""Whose record is changed, and how: every person's, to every other value, and the graph step by step."""

import re
from itertools import combinations

import pytest
import torch

from privgraph.methods.contract import changes
from privgraph.methods.contract.toys import shared_world, world, worlds

WORLD, LABELLED, _ = worlds()
N, CLASSES, EDGES = 10, 3, 8
LOW, HIGH = [0.0] * 3, [1.0] * 3


def links(data) -> set[tuple[int, int]]:
    return {(u, v) for u, v in data.edge_index.t().tolist() if u < v}


def differ(change) -> set[str]:
    """The fields in which the two worlds of a change differ."""
    return {name for name, value in change.data if torch.is_tensor(value) and
            not torch.equal(value, change.neighbour[name])}


def rows(change, name: str) -> list[int]:
    first, second = (each[name].reshape(len(each[name]), -1) for each in (change.data, change.neighbour))
    return (first != second).any(1).nonzero().flatten().tolist()


@pytest.mark.parametrize("data, values", [(WORLD, range(-1, CLASSES)), (LABELLED, range(CLASSES))])
def test_each_label_becomes_each_other_and_none_where_there_may_be_none(data, values):
    found = [*changes.label(data)]
    assert [(each.person, int(each.neighbour.y[each.person])) for each in found] == [
        (v, c) for v in range(N) for c in values if c != data.y[v]]
    assert all(differ(each) == {"y"} and rows(each, "y") == [each.person] for each in found)


@pytest.mark.parametrize("data, missing", [(WORLD, True), (LABELLED, False)])
def test_each_is_alone_with_a_label_and_alone_in_a_class(data, missing):
    found = [*changes.silence(data)]
    assert [each.person for each in found] == [v for v in range(N) for _ in range(1 + missing)]
    for each in found:
        v, rest = each.person, [u for u in range(N) if u != each.person]
        others = {*each.data.y[rest].tolist(), *each.neighbour.y[rest].tolist()}
        alone = "only one that there is" in each.words
        assert others == ({-1} if alone else {0})
        assert {int(each.data.y[v]), int(each.neighbour.y[v])} == {1, *others}
    assert sum("only one that there is" in each.words for each in found) == N * missing


def test_each_vector_of_features_is_at_either_end_and_turned_round():
    expected = [(k, v, tuple(row)) for k, x in enumerate((WORLD.x, torch.zeros(N, 3))) for v in range(N)
                for row in (LOW, HIGH, (1 - x[v]).tolist()) if row != x[v].tolist()]
    found = [*changes.features(WORLD)]
    assert [(int(not each.data.x.any()), each.person, tuple(each.neighbour.x[each.person].tolist()))
            for each in found] == expected
    assert all(rows(each, "x") == [each.person] and differ(each) == {"x"} for each in found)


def test_each_single_feature_changes_its_end():
    found = [*changes.one_feature(WORLD)]
    moved = [(each.neighbour.x - each.data.x).nonzero().tolist() for each in found]
    assert moved == [[[v, j]] for v in range(N) for j in range(3)]
    assert all(set(each.neighbour.x.unique().tolist()) <= {0.0, 1.0} for each in found)


@pytest.mark.parametrize("several, name, end", [(changes.one_more, "x", 1.0), (changes.one_more_label, "y", 1)])
def test_one_more_each_time_from_nobody_to_everybody(several, name, end):
    found = [*several(WORLD)]
    counted = [[int((each[name] == end).reshape(N, -1).all(1).sum()) for each in (change.data, change.neighbour)]
               for change in found]
    assert counted == [[v, v + 1] for v in range(N)] and [change.person for change in found] == [*range(N)]
    assert all(rows(change, name) == [change.person] and set(change.data[name].unique().tolist()) <= {0, 1}
               for change in found)
    assert [re.search(r"the (\d+\w+) ", change.words)[1] for change in found] == [
        "1st", "2nd", "3rd", *(f"{v}th" for v in range(4, N + 1))]


def test_one_edge_more_each_time_first_around_a_ring():
    found = [*changes.one_more_edge(WORLD)]
    ring = [(0, 1), (0, 9), *((v, v + 1) for v in range(1, 9))]
    pairs = ring + [pair for pair in combinations(range(N), 2) if pair not in ring]
    assert [links(each.neighbour) - links(each.data) for each in found] == [{pair} for pair in pairs]
    assert [len(links(each.data)) for each in found] == [*range(45)] and found[7].words.endswith("with 7 others")


def test_each_record_changes_in_features_and_label_and_with_all_edges():
    for change, whole in zip(changes.record(WORLD), changes.someone_else(WORLD), strict=True):
        v = change.person
        assert whole.person == v and rows(change, "y") == rows(change, "x") == rows(whole, "x") == [v]
        assert change.neighbour.y[v] == (max(int(WORLD.y[v]), 0) + 1) % CLASSES
        assert torch.equal(change.neighbour.x[v], 1 - WORLD.x[v]) and links(change.neighbour) == links(WORLD)
        assert links(whole.neighbour) ^ links(WORLD) == {(min(u, v), max(u, v)) for u in range(N) if u != v}


def test_each_pair_of_people_is_linked_or_not():
    assert [links(each.data) ^ links(each.neighbour) for each in changes.edge(WORLD)] == [
        {pair} for pair in combinations(range(N), 2)]
    assert [links(each.data) ^ links(each.neighbour) for each in changes.sensitive_link(WORLD)] == [
        {pair} for pair in combinations((2, 3, 8, 9), 2)]


# What a client holds.

SHARED = shared_world()
HOLDER = SHARED.holder.tolist()


def test_of_each_private_person_a_link_of_each_kind():
    found: dict[int, list] = {}
    for change in changes.private_edge(SHARED):
        (u, v), = links(change.data) ^ links(change.neighbour)
        first, second = (int(each) for each in change.words.split()[-1].split("-"))  # with whom, whose
        assert {u, v} == {first, second} and HOLDER[second] >= 0
        found.setdefault(second, []).append((HOLDER[first], (u, v) in links(SHARED)))
    for v, kinds in found.items():
        mates = [u for u in range(16) if u != v and HOLDER[u] in (-1, HOLDER[v])]
        assert sorted(kinds) == sorted({(HOLDER[u], (min(u, v), max(u, v)) in links(SHARED)) for u in mates})
    assert sorted(found) == [v for v in range(16) if HOLDER[v] >= 0]


def test_one_private_edge_more_each_time_of_one_client():
    found = [*changes.one_more_private_edge(SHARED)]
    mates = [v for v in range(16) if HOLDER[v] in (-1, 0)]
    pairs = [pair for pair in combinations(mates, 2) if 0 in (HOLDER[pair[0]], HOLDER[pair[1]])]
    others = {(u, v) for u, v in links(SHARED) if 0 not in (HOLDER[u], HOLDER[v])}
    assert links(found[0].data) == others
    assert [links(each.neighbour) - links(each.data) for each in found] == [{pair} for pair in pairs]
    assert [*changes.private_edges(SHARED)][-1].words == found[-1].words


def test_all_that_a_client_holds_is_another_in_three_ways():
    found = [*changes.private_part(SHARED)]
    assert len(found) == 6
    for client, three in enumerate((found[:3], found[3:])):
        own = {v for v in range(16) if HOLDER[v] == client}
        apart = {pair for pair in links(SHARED) if not own & {*pair}}
        mates = [v for v in range(16) if HOLDER[v] in (-1, client)]
        full = links(SHARED) | {pair for pair in combinations(mates, 2) if own & {*pair}}
        assert [(links(each.data), links(each.neighbour)) for each in three] == [
            (links(SHARED), apart), (links(SHARED), full), (apart, full)]
        for each, x in zip(three, (0.0, 1.0), strict=False):
            assert {*rows(each, "y")} == own and {*rows(each, "x")} <= own
            assert (each.neighbour.x[sorted(own)] == x).all()
            assert torch.equal(each.neighbour.y[sorted(own)], (SHARED.y[sorted(own)] + 1) % 2)
        assert differ(three[2]) == {"edge_index"}


# Who leaves.

def test_each_leaves_from_the_last_place():
    found = [*changes.someone_less(WORLD)]
    assert [each.data.num_nodes for each in found] == [n for n in (N, 3, 2) for _ in range(n)]
    for each, v in zip(found, [v for n in (N, 3, 2) for v in range(n)], strict=True):
        n = each.data.num_nodes
        order = [u for u in range(n) if u != v] + [v]
        assert torch.equal(each.data.x, WORLD.x[order]) and torch.equal(each.data.y, WORLD.y[order])
        assert each.person == n - 1 and each.gone is None and each.neighbour.num_nodes == n - 1
        assert torch.equal(each.neighbour.x, each.data.x[:-1]) and links(each.neighbour) == {
            pair for pair in links(each.data) if n - 1 not in pair}


def test_each_leaves_from_her_own_place_in_several_orders():
    found = [*changes.someone_gone(world())]
    assert [each.gone for each in found] == [v for _ in range(10) for v in range(N - 1)]
    for each in found:
        rest = [u for u in range(N) if u != each.gone]
        place = {u: i for i, u in enumerate(rest)}
        assert each.person == each.gone and torch.equal(each.neighbour.x, each.data.x[rest])
        assert links(each.neighbour) == {(place[u], place[v]) for u, v in links(each.data) if each.gone not in (u, v)}
        assert len(links(each.data)) == EDGES and {*each.data.y.tolist()} <= {0, 1}
    worlds = {tuple(each.data.y.tolist()) for each in found}
    assert len(worlds) == 10 and len({tuple(each.data.x.flatten().tolist()) for each in found}) == 10


@pytest.mark.parametrize("unit", changes.CHANGES)
def test_every_unit_has_changes_in_one_of_the_worlds(unit):
    assert any(True for data in (WORLD, SHARED) for _ in changes.CHANGES[unit](data))
