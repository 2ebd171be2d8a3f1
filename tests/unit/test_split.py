"""methods.federated.split: who holds what."""

import pytest
import torch

from privgraph.datasets import load
from privgraph.graph import degrees
from privgraph.methods.federated import NOBODY, PUBLIC, hold, parts
from privgraph.randomness import seeded

CORA = load("cora-twin")


@pytest.mark.parametrize("by", ["random", "degree", "labels"])
def test_each_node_has_the_holder_that_it_should(by):
    held = hold(CORA, seeded(0), by=by)
    n = CORA.num_nodes
    assert "holder" not in CORA
    assert (held.holder == PUBLIC).sum() == int(0.4 * n)
    assert held.holder[held.holder >= 0].bincount().tolist() == [int(0.15 * n)] * 4
    assert torch.equal(held.holder, hold(CORA, seeded(0), by=by).holder)
    assert not torch.equal(held.holder, hold(CORA, seeded(1), by=by).holder)


def test_by_degree_nobody_private_has_more_links_than_somebody_public():
    held = hold(CORA, seeded(0), by="degree")
    links = degrees(CORA.edge_index, CORA.num_nodes)
    assert links[held.holder == PUBLIC].min() >= links[held.holder >= 0].max()


def test_by_labels_clients_have_few_classes():
    def classes(by):
        held = hold(CORA, seeded(0), by=by)
        return [CORA.y[held.holder == client].unique().numel() for client in range(4)]
    assert max(classes("labels")) < min(classes("random")) == CORA.num_classes


def test_a_part_is_the_graph_on_its_nodes_as_a_loop_finds_it():
    held = hold(load("karate"), seeded(3), clients=3, public=0.3, private=0.2)
    for client, part in enumerate(parts(held)):
        expected = [v for who in (PUBLIC, client) for v in range(34) if held.holder[v] == who]
        assert part.n_id.tolist() == expected and part.num_nodes == len(expected)
        assert part.num_public == int((held.holder == PUBLIC).sum())
        assert {(expected[a], expected[b]) for a, b in part.edge_index.t().tolist()} == {
            (a, b) for a, b in held.edge_index.t().tolist() if a in expected and b in expected}
        assert torch.equal(part.x, held.x[part.n_id]) and torch.equal(part.y, held.y[part.n_id])


def test_a_part_holds_nothing_of_others():
    """Whatever else the graph carries stays where it is: a mask of all nodes would tell about all."""
    held = hold(load("karate"), seeded(3), clients=3, public=0.3, private=0.2)
    held.secret, held.train_mask = torch.arange(34), torch.arange(34) < 17
    for part in parts(held):
        assert set(part.to_dict()) == {"x", "y", "train_mask", "edge_index", "num_nodes", "n_id", "num_public",
                                       "num_classes", "feature_range"}
        for value in part.to_dict().values():
            if isinstance(value, torch.Tensor):
                assert value.untyped_storage().nbytes() == value.numel() * value.element_size()


def test_one_client_may_hold_all_that_is_not_public():
    held = hold(load("karate"), seeded(0), clients=1, public=0.5, private=0.5)
    assert held.holder.add(1).bincount().tolist() == [17, 17] and [part.num_nodes for part in parts(held)] == [34]


def test_links_of_two_clients_are_in_no_part():
    held = hold(CORA, seeded(0))
    here = {tuple(edge) for part in parts(held) for edge in part.n_id[part.edge_index].t().tolist()}
    a, b = held.holder[CORA.edge_index]
    apart = (a != b) & (a != PUBLIC) & (b != PUBLIC)
    assert 0.2 < float(apart.float().mean()) < 0.35  # (.6 - 4 * .15^2 = .27 in expectation)
    assert len(here) == int((~apart).sum())
    assert not here & {tuple(edge) for edge in CORA.edge_index[:, apart].t().tolist()}


@pytest.mark.parametrize("changes, message", [
    (dict(clients=0), "clients"), (dict(public=0), "public"), (dict(private=0.0), "private"),
    (dict(public=-0.5), r"public must lie in \(0, 1\], got"), (dict(private=1.5), r"private must lie in \(0, 1\], got"),
    (dict(public=0.5), "clients must be at most 3 with private = 0.15 and public = 0.5, got 4; or private at most 0.1"),
    (dict(clients=21), "got 21; 34 nodes are enough for 20 at most"), (dict(clients=20), "; or private at most 0.03$"),
    (dict(public=0.7, private=0.1), "at most 3 with private = 0.1 and public = 0.7, got 4; or private at most 0.075"),
    (dict(by="size"), "by must be one of"),
    (dict(public=0.9), "public and private must be at most 1 together, got 0.9 and 0.15"),
    (dict(clients=2, public=0.01), "a public node and one of its own")])
def test_shares_that_cannot_be(changes, message):
    with pytest.raises(ValueError, match=message):
        hold(load("karate"), seeded(0), **changes)


@pytest.mark.parametrize("holder, message", [
    (None, "data must have holder"), (torch.zeros(34), "int64"), (torch.zeros(33).long(), r"\[34\]"),
    (torch.full((34,), -3), "int64"), (torch.zeros(34).long(), "at least one public"),
    (torch.full((34,), NOBODY), "at least one public"), (torch.full((34,), PUBLIC), "a node of its own"),
    (torch.tensor([PUBLIC] * 33 + [1]), "a node of its own")])
def test_a_holder_that_cannot_be(holder, message):
    data = load("karate")
    if holder is not None:
        data.holder = holder
    with pytest.raises(ValueError, match=message):
        parts(data)
