"""What is asked of uploads: truth by slow loops, and pairs of which nothing but the secret tells."""

import pytest
import torch
from test_attacks_uploads import PARTS, random_graph
from torch_geometric.data import Data

from privgraph.attacks import ask_links, ask_shared, evaluate_attack, private_attributes
from privgraph.attacks.upload_questions import shared_private, without_edges
from privgraph.methods.federated import hold, parts
from privgraph.randomness import seeded


def neighbours(part: Data, node: int) -> set[int]:
    return set(part.edge_index[1, part.edge_index[0] == node].tolist())


def private_neighbours(part: Data, node: int) -> set[int]:
    return {other for other in neighbours(part, node) if other >= part.num_public}


def sharing(part: Data) -> set[tuple[int, int]]:
    owned = [private_neighbours(part, node) for node in range(part.num_public)]
    return {(u, v) for v in range(part.num_public) for u in range(v) if owned[u] & owned[v]}


def test_who_shares_a_private_neighbour_as_a_loop_says():
    for part in PARTS:
        pairs = shared_private(part)
        assert set(map(tuple, pairs.t().tolist())) == sharing(part) and pairs.size(1) == len(sharing(part))


@pytest.mark.parametrize("beside", ["anywhere", "elsewhere"])
def test_pairs_that_are_asked_about_are_what_they_say(beside):
    asked = ask_shared(PARTS, 0, 1000, seeded(0), beside)
    here, there = sharing(PARTS[0]), sharing(PARTS[1])
    pairs = list(map(tuple, asked.pairs.sort(0).values.t().tolist()))
    truth = asked.linked.tolist()
    assert len(set(pairs)) == len(pairs) and 2 * sum(truth) == len(truth)
    assert all((pair in here) == linked for pair, linked in zip(pairs, truth, strict=True))
    assert all(v not in neighbours(PARTS[0], u) for u, v in pairs)
    if beside == "elsewhere":
        assert all(pair in there for pair, linked in zip(pairs, truth, strict=True) if not linked)
    turned = float((asked.pairs[0] > asked.pairs[1]).double().mean())
    assert 0.2 < turned < 0.8  # the order of the ends says nothing, nor does the place
    found = evaluate_attack(-torch.arange(len(truth)).double(), asked.linked)
    assert found.auc_low < 0.5 < found.auc_high


def test_links_between_public_nodes_are_links_of_every_part():
    asked = ask_links(PARTS[0], 20, seeded(0))
    for (u, v), linked in zip(asked.pairs.t().tolist(), asked.linked.tolist(), strict=True):
        assert all((v in neighbours(part, u)) == linked for part in PARTS)
        assert max(u, v) < PARTS[0].num_public


def test_attributes_and_edgeless_as_loops_say():
    part = PARTS[0]
    asked = private_attributes(part)
    slow = {}
    for node in range(part.num_public):
        if classes := [int(part.y[other]) for other in private_neighbours(part, node)]:
            slow[node] = min(set(classes), key=lambda c: (-classes.count(c), c))
    assert dict(zip(asked.nodes.tolist(), asked.classes.tolist(), strict=True)) == slow
    assert asked.other.tolist() == [int(part.y[node]) != c for node, c in slow.items()]
    assert without_edges(part).tolist() == [not neighbours(part, node) for node in range(part.num_public)]


def test_where_both_answers_are_right_they_are_counted_apart():
    asked = private_attributes(PARTS[0])
    assert asked.right(asked.classes) == (1.0, 1.0)
    wrong = torch.where(asked.other, asked.classes, (asked.classes + 1) % 3)
    assert asked.right(wrong) == (pytest.approx(float(asked.other.double().mean())), 1.0)


def test_a_graph_that_is_no_part_is_refused():
    with pytest.raises(ValueError, match="num_public"):
        without_edges(random_graph())
    assert len(parts(hold(random_graph(), seeded(0)))) == 4
