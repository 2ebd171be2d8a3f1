"""Federated DeepWalk: the library equals the loop that follows Algorithm 3, and only public rows leave a client."""

import copy
from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

from privgraph.datasets import load
from privgraph.mechanisms import Laplace, SymmetricResponse
from privgraph.methods import DeepWalk, FederatedDeepWalk, check_method
from privgraph.methods.federated import UploadNoise, hold, parts, procrustes
from privgraph.methods.federated.row_messages import pack_rows, unpack_rows
from privgraph.methods.federation import exchange
from privgraph.methods.messages import pack, unpack
from privgraph.nn import SkipGram
from privgraph.randomness import draw_seed, seeded

KARATE = hold(load("karate"), seeded(3), clients=3, public=0.4, private=0.2)
QUICK = FederatedDeepWalk(dimension=4, rounds=3, walks=3, length=6, window=2, first_epochs=3, epochs=2, batch=8)


def by_the_text(method: FederatedDeepWalk, data: Data, generator: torch.Generator) -> list[torch.Tensor]:
    """Algorithm 3, line by line."""
    draw_seed(generator)  # the server's, which needs none
    graphs, phi = parts(data), []
    generators = [seeded(draw_seed(generator)) for _ in graphs]
    public = graphs[0].num_public

    def deepwalk(i, epochs, rate):
        walker = DeepWalk(dimension=method.dimension, walks=method.walks, length=method.length, window=method.window,
                          negatives=method.negatives, epochs=epochs, learning_rate=rate)
        walker.train(phi[i], graphs[i], generators[i], batch=method.batch)
        if method.balanced:  # the text knows nothing of it
            phi[i].balance()
    for i, graph in enumerate(graphs):  # lines 2-7
        phi.append(SkipGram.initial(graph.num_nodes, method.dimension, generators[i]))
        deepwalk(i, method.first_epochs, method.first_rate)
    for _ in range(method.rounds):
        x = [model.vectors.detach()[:public].clone() for model in phi]
        new = []
        for i in range(len(graphs)):  # lines 11-18
            total = x[i].clone()
            for j in range(len(graphs)):
                if j != i:
                    total += x[j] @ procrustes(x[j], x[i])
            new.append(total / len(graphs))
        for i in range(len(graphs)):  # lines 21-26
            phi[i].vectors.data[:public] = new[i]
            deepwalk(i, method.epochs, method.learning_rate)
    return [model.vectors.detach() for model in phi]


@pytest.mark.parametrize("balanced", [True, False])
def test_it_is_algorithm_3(balanced):
    method = replace(QUICK, balanced=balanced)
    clients, _ = method.run(KARATE, seeded(5))
    for client, expected in zip(clients.values(), by_the_text(method, KARATE, seeded(5)), strict=True):
        assert torch.allclose(client.embeddings(), expected, atol=1e-4)


def test_without_rounds_each_client_is_deepwalk_on_its_part():
    alone, told = FederatedDeepWalk(**vars(QUICK) | {"rounds": 0}).run(KARATE, seeded(5))
    assert told == []
    expected = by_the_text(FederatedDeepWalk(**vars(QUICK) | {"rounds": 0}), KARATE, seeded(5))
    assert all(torch.equal(client.embeddings(), rows) for client, rows in zip(alone.values(), expected, strict=True))


def test_messages_are_rows_of_public_nodes_and_nothing_else():
    clients, told = QUICK.run(KARATE, seeded(5))
    for one in told:
        for message in (*one.messages.values(), *one.replies.values()):
            assert set(unpack(message)) == {"rows"}
            assert unpack_rows(message).shape == (KARATE.holder.eq(-1).sum(), 4)
            assert len(message) == len(pack_rows(torch.ones(13, 4)))  # nothing rides along
    last = unpack_rows(clients[1].send())
    assert torch.equal(last, clients[1].embeddings()[:len(last)])


def test_what_touches_no_public_row_changes_no_message():
    """Features, labels, and the vectors of private nodes stay at home: a message is the same with others."""
    other = copy.copy(KARATE)
    other.x, other.y = 1 - KARATE.x, 1 - KARATE.y
    assert QUICK.run(KARATE, seeded(5))[1] == QUICK.run(other, seeded(5))[1]
    client = QUICK.client(parts(KARATE)[0], seeded(0))
    before = client.send()
    client.model.vectors.data[client.part.num_public:] = 7
    assert client.send() == before


def test_a_private_edge_changes_messages():
    """Nothing here hides an edge: the same coins and one edge less of client 0 give other rows."""
    private = KARATE.holder[KARATE.edge_index] == 0
    edge = KARATE.edge_index[:, private.all(0)][:, 0]
    less = copy.copy(KARATE)
    same = (KARATE.edge_index.sort(0).values == edge.sort().values[:, None]).all(0)
    less.edge_index = KARATE.edge_index[:, ~same]
    first, second = (QUICK.run(data, seeded(5))[1][0].messages for data in (KARATE, less))
    assert first[0] != second[0] and first[1] == second[1]


def test_a_client_that_is_gone_keeps_its_vectors_and_the_others_go_on():
    server = QUICK.server(seeded(0))
    clients = {i: QUICK.client(part, seeded(i)) for i, part in enumerate(parts(KARATE))}
    before = {i: client.embeddings() for i, client in clients.items()}
    told = exchange(server, {i: clients[i] for i in (0, 2)})
    assert set(told.replies) == {0, 2}
    assert torch.equal(clients[1].embeddings(), before[1])
    assert not torch.equal(clients[0].embeddings(), before[0])


def test_a_round_goes_on_without_clients_of_every_bad_kind():
    """One has another dimension, one sends NaN, one lacks a public node, and one is gone."""
    data = hold(load("karate"), seeded(3), clients=6, public=0.4, private=0.1)
    members = parts(data)
    clients = {i: QUICK.client(part, seeded(i)) for i, part in enumerate(members)}
    del clients[5]
    sent = {i: client.send() for i, client in clients.items()}
    sent[1] = replace(QUICK, dimension=3).client(members[1], seeded(1)).send()
    sent[2] = pack({"rows": unpack_rows(sent[2]) / 0})
    sent[3] = pack_rows(unpack_rows(sent[3])[1:])
    told = QUICK.server(seeded(0)).combine(sent)
    assert set(told.replies) == {0, 4} and set(told.left_out) == {1, 2, 3}
    assert "[13, 4], got [13, 3]" in told.left_out[1] and "NaN" in told.left_out[2] and "[12, 4]" in told.left_out[3]
    of_two = QUICK.server(seeded(0)).combine({i: sent[i] for i in (0, 4)})
    assert told.replies == of_two.replies  # to the same bits as if the others had never been there


def test_a_shared_start():
    shared = FederatedDeepWalk(**vars(QUICK) | {"start_seed": 9})
    first, second = (shared.initial(part, seeded(i)).vectors.detach() for i, part in enumerate(parts(KARATE)[:2]))
    public = parts(KARATE)[0].num_public
    assert torch.equal(first[:public], second[:public]) and not torch.equal(first[public:][:3], second[public:][:3])


def test_after_training_tables_are_in_balance_where_there_are_two():
    for method in (QUICK, replace(QUICK, balanced=False), replace(QUICK, tables="one")):
        model = method.client(parts(KARATE)[0], seeded(0)).model
        vectors, contexts = (table.detach().t() @ table.detach() for table in (model.vectors, model.contexts))
        assert torch.allclose(vectors, contexts, atol=1e-4) == (method is QUICK or method.tables == "one")


def test_one_table_is_one():
    client = FederatedDeepWalk(**vars(QUICK) | {"tables": "one"}).client(parts(KARATE)[0], seeded(0))
    assert client.model.contexts is client.model.vectors and len(list(client.model.parameters())) == 1


@pytest.mark.parametrize("changes, message", [
    (dict(num_public=3), "dimension must be at most 3, the number of public nodes, to be aligned, got 4"),
    (dict(num_public=99), "num_public"), (dict(num_public=None), "num_public"),
    (dict(edge_index=torch.zeros(2, 0, dtype=torch.long)), "an edge to walk along")])
def test_a_part_that_cannot_take_part(changes, message):
    part = copy.copy(parts(KARATE)[0])
    part.update(changes)
    with pytest.raises((TypeError, ValueError), match=message):
        QUICK.client(part, seeded(0))


def test_as_many_public_nodes_as_dimensions_are_enough_and_one_round_of_noise():
    part = parts(KARATE)[0]
    method = replace(QUICK, dimension=part.num_public, rounds=1, noise=UploadNoise(1.0))
    assert unpack_rows(method.client(part, seeded(0)).send()).shape == (part.num_public, part.num_public)


def test_a_graph_must_say_who_holds_what():
    with pytest.raises(ValueError, match="data must have holder"):
        QUICK.run(load("karate"), seeded(0))


NOISY = replace(QUICK, edges=SymmetricResponse(1.5))


class WalksOnItsOwn(FederatedDeepWalk):
    """A plausible mistake: the mechanism runs, and the client walks along the edges as they are."""

    def walked(self, part, generator):
        super().walked(part, generator)
        return part


class TellsWhoHasNone(FederatedDeepWalk):
    """Another: who has no edge at all is refused before there is any noise."""

    def walked(self, part, generator):
        if part.edge_index.size(1) < 17:  # where a client of the small world has 18 and 24
            raise ValueError("edge_index must hold enough edges")
        return super().walked(part, generator)


def test_what_holds_is_said_of_a_private_edge():
    assert QUICK.guarantees() == ()
    stated, = NOISY.guarantees()
    assert (stated.epsilon, stated.unit, stated.trust, stated.basis) == (1.5, "private edge", "central", "proved")
    check_method(replace(NOISY, rounds=2, walks=2, first_epochs=1, epochs=1))  # all of it learns from one noisy graph


@pytest.mark.parametrize("mutant", [WalksOnItsOwn, TellsWhoHasNone])
def test_a_client_that_lets_edges_past_the_mechanism_is_found(mutant):
    """By the replay audit: the same noisy graph, one private edge less, and every byte of every round is compared."""
    with pytest.raises(AssertionError, match="with a change of the private edge"):
        check_method(mutant(**vars(NOISY)))


def test_each_client_reports_public_links_anew():
    """So a link between public nodes costs as many times epsilon as there are clients, and is no private edge."""
    def public_links(client):
        edges = client.graph.edge_index
        return {tuple(edge) for edge in edges[:, (edges < client.part.num_public).all(0)].t().tolist()}
    first, second, third = (public_links(NOISY.client(part, seeded(i))) for i, part in enumerate(parts(KARATE)))
    assert len({frozenset(first), frozenset(second), frozenset(third)}) == 3
    exact = [public_links(QUICK.client(part, seeded(i))) for i, part in enumerate(parts(KARATE))]
    assert exact[0] == exact[1] == exact[2]


def test_a_client_without_an_edge_takes_part_where_edges_are_noise():
    part = copy.copy(parts(KARATE)[0])
    part.edge_index = torch.zeros(2, 0, dtype=torch.long)
    assert unpack_rows(NOISY.client(part, seeded(0)).send()).shape == (part.num_public, 4)


def test_the_mechanism_sees_edges_and_counts_and_nothing_else():
    """One that reads features would tell of them, and nothing is stated for these."""
    seen = []

    class Looks(SymmetricResponse):
        def __call__(self, data, *, generator):
            seen.append(set(data.to_dict()))
            return super().__call__(data, generator=generator)
    replace(QUICK, edges=Looks(1.0)).client(parts(KARATE)[0], seeded(0))
    assert seen == [{"edge_index", "num_nodes", "num_public"}]


@pytest.mark.parametrize("edges", [1.0, "symmetric-response", Laplace(1.0)])
def test_only_what_reports_edges_may_report_them(edges):
    with pytest.raises(TypeError, match="edges must be"):
        FederatedDeepWalk(edges=edges)
