"""Whose record may be another: for each unit all that the contracts promise to try, and nothing else is another."""

from itertools import combinations

import pytest
import torch

from privgraph.graph import degrees
from privgraph.methods.contract import changes, toys
from privgraph.methods.contract.changes import CHANGES, ORDERS

WORLD, SHARED = toys.world(), toys.shared_world()
LABELLED = toys.worlds()[1]
N = 10


def friends(data):
    """Undirected edges as a set of pairs; each stands in both directions."""
    pairs = {tuple(pair) for pair in data.edge_index.t().tolist()}
    assert pairs == {pair[::-1] for pair in pairs}
    return {pair for pair in pairs if pair[0] < pair[1]}


def differ(change, *names):
    """Rows in which the named fields of the two worlds differ; the others are the same."""
    one, other = change.data, change.neighbour
    for name in {"x", "y", "edge_index"} - {*names}:
        assert torch.equal(one[name], other[name]), name
    rows = [(one[name] != other[name]).reshape(one.num_nodes, -1).any(1).nonzero()[:, 0].tolist() for name in names]
    return rows[0] if len(rows) == 1 else rows


@pytest.mark.parametrize("data, classes", [(WORLD, {-1, 0, 1, 2}), (LABELLED, {0, 1, 2})])
def test_each_label_becomes_each_other(data, classes):
    """None is one where somebody has none."""
    found = list(changes.label(data))
    assert all(change.data is data and differ(change, "y") == [change.person] for change in found)
    assert sorted((change.person, int(change.neighbour.y[change.person])) for change in found) == [
        (v, c) for v in range(N) for c in sorted(classes - {int(data.y[v])})]
    assert found[0].words == "the label of person 0"


@pytest.mark.parametrize("data, kinds", [(WORLD, (-1, 0)), (LABELLED, (0,))])
def test_one_label_among_none_and_one_among_equal_ones(data, kinds):
    found = list(changes.silence(data))
    assert [(change.person, int(change.neighbour.y[change.person])) for change in found] == [
        (v, others) for v in range(N) for others in kinds]
    for change in found:
        others = int(change.neighbour.y[change.person])
        assert differ(change, "y") == [change.person] and change.data.y[change.person] == 1
        assert change.neighbour.y.tolist() == [others] * N
        assert ("only one that there is" in change.words) == (others == -1)


def test_features_go_to_both_ends_and_round():
    """Of a person whose features lie in the middle, and of one whose are mixed; among others as they are, or low."""
    data = toys.changed(WORLD, x=torch.full((N, 3), 0.25))
    found = [(change.data.x[1 - change.person % 2].tolist(), change.neighbour.x[change.person].tolist())
             for change in changes.features(data) if change.person == 4 and differ(change, "x") == [4]]
    for others, to in (([0.25] * 3, (0.0, 1.0, 0.75)), ([0.0] * 3, (1.0, 1.0))):
        assert [row for seen, row in found if seen == others] == [[value] * 3 for value in to]
    mixed = [change.neighbour.x[1].tolist() for change in changes.features(WORLD)
             if change.person == 1 and change.data is WORLD]
    assert mixed == [[0, 0, 0], [1, 1, 1], [0, 1, 1]], "person 1 has 1, 0, 0"
    assert {change.person for change in changes.features(WORLD)} == {*range(N)}


def test_each_feature_goes_to_the_other_end():
    data = toys.changed(WORLD, x=WORLD.x.clone())
    data.x[2, 1] = 0.5
    found = list(changes.one_feature(data))
    assert len(found) == 3 * N and all(differ(change, "x") == [change.person] for change in found)
    for number, change in enumerate(found):
        v, j = divmod(number, 3)
        assert change.words == f"the feature {j} of person {v}" and change.person == v
        expected = data.x[v].clone()
        expected[j] = 1 - expected[j] if (v, j) != (2, 1) else 1
        assert torch.equal(change.neighbour.x[v], expected)


@pytest.mark.parametrize("unit", [changes.one_more, changes.one_more_label])
def test_one_after_the_other_until_all(unit):
    found, name = list(unit(WORLD)), "y" if unit is changes.one_more_label else "x"
    assert [change.person for change in found] == list(range(N))
    for v, change in enumerate(found):
        assert differ(change, name) == [v]
        assert change.data[name].reshape(N, -1).float().mean(1).tolist() == [1.0] * v + [0.0] * (N - v)
        assert change.neighbour[name].reshape(N, -1).float().mean(1).tolist() == [1.0] * (v + 1) + [0.0] * (N - v - 1)
    assert [change.words.split("the ")[-1].split()[0] for change in found[:4]] == ["1st", "2nd", "3rd", "4th"]


def test_edges_come_one_after_the_other_around_a_ring_first():
    data = toys.restricted(WORLD, range(4))
    found = list(changes.one_more_edge(data))
    assert [friends(change.data) for change in found[1:]] == [friends(change.neighbour) for change in found[:-1]]
    added = [friends(change.neighbour) - friends(change.data) for change in found]
    assert added == [{pair} for pair in ((0, 1), (0, 3), (1, 2), (2, 3), (0, 2), (1, 3))]
    assert friends(found[0].data) == set() and len(friends(found[-1].neighbour)) == 6
    assert [change.words for change in found][:2] == ["the edge 0-1 of a graph with 0 others",
                                                     "the edge 0-3 of a graph with 1 others"]
    assert len(list(changes.one_more_edge(WORLD))) == 45 and all(change.person is None for change in found)
    assert len(list(changes.one_more_edge(toys.restricted(WORLD, range(2))))) == 1
    assert list(changes.one_more_edge(toys.restricted(WORLD, [0]))) == []


def test_a_record_is_turned_round():
    found = list(changes.record(WORLD))
    assert [change.person for change in found] == list(range(N))
    for v, change in enumerate(found):
        assert torch.equal(change.neighbour.x[v], 1 - WORLD.x[v])
        assert change.neighbour.y[v] == {-1: 1, 0: 1, 1: 2, 2: 0}[int(WORLD.y[v])]
        assert {*differ(change, "x", "y")[1]} == {v} == {*differ(change, "x", "y")[0]}


def test_each_edge_comes_or_goes():
    found = list(changes.edge(WORLD))
    assert [friends(WORLD) ^ friends(change.neighbour) for change in found] == [
        {pair} for pair in combinations(range(N), 2)]
    assert found[0].words == "the edge 0-1" and all(change.data is WORLD for change in found)
    assert changes.linked(WORLD, 1, 0).tolist() == [pair in ([0, 1], [1, 0]) for pair in WORLD.edge_index.t().tolist()]
    assert not changes.linked(WORLD, 0, 9).any()


def test_sensitive_links_join_sensitive_people():
    found = list(changes.sensitive_link(WORLD))
    assert [friends(WORLD) ^ friends(change.neighbour) for change in found] == [
        {pair} for pair in combinations((2, 3, 8, 9), 2)]
    assert found[0].words == "the sensitive link 2-3"
    assert list(changes.sensitive_link(toys.restricted(toys.of_bits(torch.tensor([[0], [1]]), torch.zeros(2, 3), [0, 1],
                                                                    2), [0, 1]))) == []


def kinds(v):
    """What a private person of the shared world can have in common with others of her part."""
    client = int(SHARED.holder[v])
    return {(int(SHARED.holder[u]), (min(u, v), max(u, v)) in friends(SHARED)) for u in range(16)
            if u != v and SHARED.holder[u] in (-1, client)}


def test_private_edges_are_of_each_kind_once():
    assert changes.held(SHARED) == [(0, 1), (1, 3), (0, 5), (1, 7), (0, 9), (1, 11), (0, 13), (1, 15)]
    assert changes.held(WORLD) == []
    found: dict[int, list] = {}
    for change in changes.private_edge(SHARED):
        (pair,) = friends(SHARED) ^ friends(change.neighbour)
        u, v = map(int, change.words.removeprefix("the private edge ").split("-"))
        assert {u, v} == {*pair}
        found.setdefault(v, []).append((int(SHARED.holder[u]), pair in friends(SHARED)))
    assert {v: {*tried} for v, tried in found.items()} == {v: kinds(v) for _, v in changes.held(SHARED)}
    assert all(len(tried) == len({*tried}) for tried in found.values())


def test_one_clients_private_edges_come_one_after_the_other():
    found = list(changes.one_more_private_edge(SHARED))
    mine = {1, 5, 9, 13}
    mates = mine | {u for u in range(16) if u % 2 == 0}
    pairs = [pair for pair in combinations(sorted(mates), 2) if {*pair} & mine]
    assert [friends(change.data) ^ friends(change.neighbour) for change in found] == [{pair} for pair in pairs]
    assert friends(found[0].data) == {pair for pair in friends(SHARED) if not {*pair} & mine}
    assert len(friends(found[-1].neighbour)) == len(friends(found[0].data)) + len(pairs)
    assert found[0].words == f"the private edge {pairs[0][0]}-{pairs[0][1]}, one more of client 0"


def test_a_private_part_is_empty_or_full():
    found = list(changes.private_part(SHARED))
    assert [change.words for change in found] == [f"the private part of client {c}" for c in (0, 1) for _ in range(3)]
    for client, (apart, full, both) in ((0, found[:3]), (1, found[3:])):
        own = SHARED.holder == client
        mine = {*own.nonzero()[:, 0].tolist()}
        mates = mine | {u for u in range(16) if SHARED.holder[u] == -1}
        others = {pair for pair in friends(SHARED) if not {*pair} & mine}
        whole = others | {pair for pair in combinations(sorted(mates), 2) if {*pair} & mine}
        assert friends(apart.neighbour) == friends(both.data) == others
        assert friends(full.neighbour) == friends(both.neighbour) == whole
        assert apart.data is SHARED is full.data
        for change, value in ((apart, 0.0), (full, 1.0)):
            assert (change.neighbour.x[own] == value).all()
            assert torch.equal(change.neighbour.x[~own], SHARED.x[~own])
            assert torch.equal(change.neighbour.y[~own], SHARED.y[~own])
            assert torch.equal(change.neighbour.y[own], 1 - SHARED.y[own])


def test_labels_of_a_private_part_are_others_where_there_were_none():
    silent = toys.changed(SHARED, y=torch.full((16,), -1))
    change = next(changes.private_part(silent))
    assert change.neighbour.y[SHARED.holder == 0].tolist() == [1] * 4


def test_each_person_leaves_as_the_last_of_all_of_three_and_of_two():
    found = list(changes.someone_less(WORLD))
    assert [(change.words, change.person) for change in found] == [
        (f"the presence of person {v} of {n}", n - 1) for n in (N, 3, 2) for v in range(n)]
    for number, change in enumerate(found[:N]):
        order = [u for u in range(N) if u != number] + [number]
        assert torch.equal(change.data.x, WORLD.x[order]) and torch.equal(change.neighbour.x, WORLD.x[order[:-1]])
        assert degrees(change.data.edge_index, N)[-1] == degrees(WORLD.edge_index, N)[number]
        assert friends(change.neighbour) == {pair for pair in friends(change.data) if N - 1 not in pair}
    assert all(change.neighbour.num_nodes == change.data.num_nodes - 1 == change.person for change in found)


def test_each_person_leaves_from_the_midst():
    found = list(changes.someone_gone(WORLD))
    assert len(found) == 90 and ORDERS == 10
    assert [(change.person, change.gone) for change in found] == [(v, v) for v in range(N - 1)] * ORDERS
    orders = {tuple(change.data.sensitive_users.tolist()) for change in found}
    assert len(orders) > 5, "people stand in other orders"
    for change in found:
        rest = [u for u in range(N) if u != change.gone]
        assert torch.equal(change.neighbour.x, change.data.x[rest])
        assert torch.equal(change.neighbour.y, change.data.y[rest]) and {*change.data.y.tolist()} == {0, 1}
        assert len(friends(change.data)) == len(friends(WORLD))


def test_somebody_else_has_other_friends():
    for v, change in enumerate(changes.someone_else(WORLD)):
        assert change.person == v and change.data is WORLD and change.words == f"the record of person {v}"
        assert friends(WORLD) ^ friends(change.neighbour) == {(min(u, v), max(u, v)) for u in range(N) if u != v}
        assert torch.equal(change.neighbour.x[v], 1 - WORLD.x[v]) and change.neighbour.y[v] != WORLD.y[v]


def test_units_try_what_belongs_to_them():
    counted = {unit: len(list(tried(SHARED))) for (unit, _), tried in CHANGES.items()}
    parts = {"label": (changes.label, changes.one_more_label), "feature vector": (changes.features, changes.one_more),
             "undirected edge": (changes.edge, changes.one_more_edge),
             "private edge": (changes.private_edge, changes.one_more_private_edge)}
    for unit, kinds_of in parts.items():
        assert counted[unit] == sum(len(list(kind(SHARED))) for kind in kinds_of), unit
    assert {relation for unit, relation in CHANGES if unit == "node"} == {"add/remove", "replace"}
