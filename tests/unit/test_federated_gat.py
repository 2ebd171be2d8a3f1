"""Federated GAT: Algorithm 4 line by line, what is sent, local training, wrong labels, and averaged weights."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from privgraph.datasets import load
from privgraph.graph import to_undirected
from privgraph.methods import check_method
from privgraph.methods.federated.fedavg import FedAvgGAT, WeightAveraging
from privgraph.methods.federated.gat import FederatedGAT, GATClient, embedding_loss
from privgraph.methods.federated.labels import mislabel
from privgraph.methods.federated.metrics import fold_of, without_fold
from privgraph.methods.federated.row_messages import pack_rows, unpack_rows
from privgraph.methods.federated.split import NOBODY, PUBLIC, hold, parts
from privgraph.methods.federation import exchange
from privgraph.randomness import draw_seed, seeded

QUICK = FederatedGAT(rounds=2, heads=2, hidden=4, epochs=3, dropout=0.0)


def village() -> Data:
    """Twelve people: six are known to both clients, two to each alone, two to nobody; three classes."""
    edges = torch.tensor([[0, 1, 2, 3, 4, 0, 6, 7, 8, 9, 10, 6, 3], [1, 2, 3, 4, 5, 3, 0, 6, 4, 8, 2, 8, 11]])
    data = Data(x=torch.rand(12, 5, generator=seeded(1)), edge_index=to_undirected(edges, 12), num_classes=3,
                y=torch.arange(12) % 3, num_nodes=12)
    data.holder = torch.tensor([PUBLIC] * 6 + [0, 0, 1, 1, NOBODY, NOBODY])
    data.train_mask = torch.arange(12) % 4 != 3
    return data


def test_the_network_goes_on_from_what_it_began_with():
    client = GATClient(QUICK, parts(village())[0], seeded(0))
    whole, goes_on = (client.network(client.inputs, *begun) for begun in ((), (client.network.begin(client.inputs),)))
    assert all(map(torch.equal, whole, goes_on))
    middle, logits = client.network(client.inputs, torch.zeros_like(whole[0]))
    assert not middle.any() and not torch.equal(logits, whole[1])


def attend(h, near, weight, source, target, bias, concat):
    """Eq. 4.5 to 4.7, one by one: h [n, F], weight [heads, d, F], source and target [heads, d]."""
    rows = []
    for i in range(len(h)):
        heads = []
        for w, a, b in zip(weight, source, target, strict=True):
            score = [torch.nn.functional.leaky_relu(a @ (w @ h[j]) + b @ (w @ h[i]), 0.2) for j in near[i]]
            alpha = torch.stack(score).softmax(0)
            heads.append(sum(alpha[k] * (w @ h[j]) for k, j in enumerate(near[i])))
        rows.append(torch.cat(heads) if concat else sum(heads) / len(heads))
    return torch.stack(rows) + bias


def layer(conv):
    """Its weights as tensors of their own: [heads, d, F], [heads, d] twice, and what is added at the end."""
    heads, d = conv.heads, conv.out_channels
    return [t.detach().clone().requires_grad_() for t in (conv.lin.weight.view(heads, d, -1), conv.att_src[0],
                                                          conv.att_dst[0], conv.bias)]


class Slow:
    """A client of Algorithm 4, in loops."""

    def __init__(self, method, part, network):
        self.method, self.part = method, part
        self.x = torch.stack([row / row.sum() if method.normalize else row for row in part.x])
        self.near = [[i] + [int(u) for u, v in part.edge_index.t() if int(v) == i] for i in range(part.num_nodes)]
        self.first, self.second = layer(network.first), layer(network.second)

    def forward(self):
        middle = torch.selu(attend(self.x, self.near, *self.first, True))
        return middle, attend(middle, self.near, *self.second, False)

    def train(self, answer=None):
        optimiser = torch.optim.Adam([*self.first, *self.second], self.method.learning_rate,
                                     weight_decay=self.method.weight_decay)
        for _ in range(self.method.epochs):
            middle, logits = self.forward()
            known = self.part.train_mask.nonzero().flatten().tolist()
            loss = -sum(logits[i].log_softmax(0)[self.part.y[i]] for i in known) / len(known)
            if answer is not None:
                public = range(self.part.num_public)
                cosines = [middle[i] @ answer[i] / (middle[i].norm() * answer[i].norm()) for i in public]
                loss = loss + self.method.beta * (1 - sum(cosines) / len(cosines))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

    def rows(self):
        return self.forward()[0][:self.part.num_public].detach()


def turned(source, target):
    """The source in the target's space: the rotation of eq. 4.4, for rows."""
    u, _, vt = np.linalg.svd(source.double().numpy().T @ target.double().numpy())
    return torch.from_numpy(source.double().numpy() @ (u @ vt)).float()


def made(method, data, seed):
    """The clients of ``method.run(data, seeded(seed))`` before the first round."""
    generator = seeded(seed)
    draw_seed(generator)  # the server's
    return {number: method.client(part, seeded(own)) for number, (part, own) in
            enumerate(method.parts_and_seeds(data, generator))}


def beginnings(method, data, seed, monkeypatch):
    """Their networks before any training."""
    with monkeypatch.context() as patched:
        patched.setattr(GATClient, "train", lambda client, answer=None: None)
        return [client.network for client in made(method, data, seed).values()]


@pytest.mark.parametrize("normalize", [True, False])
def test_the_federation_is_algorithm_4_line_by_line(normalize, monkeypatch):
    method, data = replace(QUICK, beta=2.0, normalize=normalize), village()
    clients, told = method.run(data, seeded(5))
    slow = [Slow(method, *own) for own in zip(parts(data), beginnings(method, data, 5, monkeypatch), strict=True)]
    for client in slow:
        client.train()                                             # lines 2 and 3
    for seen in told:
        uploads = [client.rows() for client in slow]               # lines 4 to 6
        for i, upload in enumerate(uploads):
            assert torch.allclose(unpack_rows(seen.messages[i], upload.shape), upload, atol=1e-5)
        for i, client in enumerate(slow):                          # lines 10 to 18
            aligned = [turned(x, uploads[i]) for j, x in enumerate(uploads) if j != i]
            answer = sum([uploads[i], *aligned]) / len(uploads)
            assert torch.allclose(unpack_rows(seen.replies[i], answer.shape), answer, atol=1e-5)
            client.train(answer)                                   # lines 20 to 24
    assert len(told) == 2 and len(clients) == len(slow) == 2
    for fast, client in zip(clients.values(), slow, strict=True):
        assert torch.allclose(fast.embeddings(), client.forward()[0], atol=1e-5)
        assert not torch.allclose(fast.embeddings()[:6], unpack_rows(told[0].messages[0], (6, 4)), atol=0.01)


def test_messages_are_the_rows_of_public_nodes_and_nothing_else():
    """[P, 16] as a client has them then; the last ones are those of a federation of one round more at the end."""
    method = FederatedGAT(rounds=2, epochs=2)
    data = without_fold(club := hold(load("karate"), seeded(0), 2, 0.6), fold_of(34, 5, seeded(0)), 0)
    clients, told = method.run(data, seeded(0))
    for seen in told:
        assert list(seen.messages) == list(seen.replies) == [0, 1] and seen.left_out == {}
        assert {len(message) for message in seen.messages.values()} == {len(pack_rows(torch.zeros(20, 16)))}
        assert all(unpack_rows(message).shape == (20, 16) for message in seen.messages.values())
    fewer, _ = replace(method, rounds=1).run(data, seeded(0))
    for i, client in fewer.items():
        assert client.embeddings().shape == (25, 16) and not client.embeddings().requires_grad
        assert client.send() == told[1].messages[i] == pack_rows(client.embeddings()[:20])
    assert "train_mask" not in club


def test_what_is_private_reaches_others_through_the_network_only():
    """Features of somebody who has no neighbour at client 0 change nothing that the server or client 1 ever sees."""
    data, other = village(), village()
    data.edge_index = other.edge_index = data.edge_index[:, (data.edge_index != 7).all(0)]
    data.train_mask[7] = other.train_mask[7] = False
    other.x = data.x.clone()
    other.x[7] += 1
    (one, told), (two, seen) = (QUICK.run(graph, seeded(0)) for graph in (data, other))
    assert [r.messages for r in told] == [r.messages for r in seen]
    assert torch.equal(one[1].embeddings(), two[1].embeddings())
    assert not torch.equal(one[0].embeddings(), two[0].embeddings())


@pytest.mark.parametrize("method", [QUICK, replace(QUICK, dropout=0.5, wrong_labels=0.3)])
def test_without_beta_each_client_trains_alone_bit_for_bit(method):
    alone, _ = replace(method, beta=0.0).run(village(), seeded(3))
    together, _ = method.run(village(), seeded(3))
    local = made(replace(method, beta=5.0), village(), 3)
    for i, mine in local.items():
        for _ in range(method.rounds):
            mine.train()
        assert torch.equal(alone[i].embeddings(), mine.embeddings())
        assert not torch.allclose(alone[i].embeddings(), together[i].embeddings(), atol=1e-3)


def test_who_is_not_answered_trains_on_alone_and_the_others_go_on():
    """Three rounds, in the second of which client 0's message is lost."""
    method, (clients, mine) = replace(QUICK, rounds=3), (made(QUICK, village(), 4) for _ in range(2))
    server = method.server(seeded(0))
    first = exchange(server, clients)
    clients[0].send()
    second = exchange(server, {1: clients[1]})
    third = exchange(server, clients)
    assert list(second.replies) == [1] and list(third.replies) == [0, 1]
    mine[0].receive(first.replies[0])
    mine[0].train()
    assert third.messages[0] == mine[0].send()


def test_ones_own_rows_as_the_answer_hold_a_client_back_but_tell_nothing_of_others():
    """The control ``own``: unlike beta 0 it anchors a client to where it was; another client's data do not matter."""
    method, other = replace(QUICK, answer="own", beta=3.0), village()
    other.x[8:] = 0
    (one, told), (two, _) = (method.run(data, seeded(0)) for data in (village(), other))
    assert all(seen.replies == seen.messages for seen in told)
    assert torch.equal(one[0].embeddings(), two[0].embeddings())
    assert not torch.equal(one[1].embeddings(), two[1].embeddings())
    alone, _ = replace(method, beta=0.0).run(village(), seeded(0))
    assert not torch.allclose(one[0].embeddings(), alone[0].embeddings(), atol=1e-3)


def test_the_embedding_loss_is_one_minus_the_mean_cosine_and_knows_no_length():
    middle, answer = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[3.0, 0.0], [0.0, -1.0]])
    assert embedding_loss(middle, answer).item() == pytest.approx(1.0)
    assert embedding_loss(middle, 7 * middle).item() == pytest.approx(0.0)


def test_dropout_is_between_the_layers_and_in_training_only():
    client = made(replace(QUICK, dropout=0.5), village(), 0)[0]
    client.network.train()
    (one, said), (two, other) = (client.network(client.inputs) for _ in range(2))
    assert torch.equal(one, two) and not torch.allclose(said, other, atol=1e-3)
    client.network.eval()
    assert torch.equal(client.network(client.inputs)[1], client.network(client.inputs)[1])


def test_labels_of_the_test_fold_are_never_read():
    data, other = village(), village()
    other.y = other.y.where(other.train_mask, (other.y + 1) % 3)
    for labels, read in (("train", False), ("all", True)):
        one, two = (replace(QUICK, labels=labels).run(graph, seeded(0))[0] for graph in (data, other))
        assert torch.equal(one[0].embeddings(), two[0].embeddings()) is not read


def test_the_unlabelled_are_not_trained_on():
    data = village()
    data.y[6] = -1
    clients, _ = QUICK.run(data, seeded(0))
    assert clients[0].labels.tolist() == [0, 1, 2, -1, 1, 2, -1, -1] and torch.isfinite(clients[0].embeddings()).all()


@pytest.mark.parametrize("share, wrong", [(0.0, 0), (0.15, 15), (0.5, 48), (1.0, 97)])
def test_a_share_of_labels_is_wrong(share, wrong):
    y = torch.arange(100) % 5
    y[[3, 50, 99]] = -1
    noisy = mislabel(y, share, 5, seeded(0))
    assert int((noisy != y).sum()) == wrong and torch.equal(noisy < 0, y < 0) and noisy.max() < 5
    assert torch.equal(noisy, mislabel(y, share, 5, seeded(0)))


def test_wrong_classes_are_equally_likely():
    """20,000 wrong labels, 5,000 of each other class give or take 61; a shift that misses one class is 80 of these off.
    """
    counts = mislabel(torch.full((20_000,), 2), 1.0, 5, seeded(0)).bincount(minlength=5)
    assert counts[2] == 0 and all(abs(int(c) - 5_000) < 5 * 62 for c in counts[[0, 1, 3, 4]])


def test_each_client_has_wrong_labels_of_its_own_and_only_where_it_trains():
    data = village()
    clients, _ = replace(QUICK, wrong_labels=0.5).run(data, seeded(1))
    true, _ = QUICK.run(data, seeded(1))
    differ = [clients[i].labels != true[i].labels for i in true]
    assert [int(d.sum()) for d in differ] == [round(0.5 * int((c.labels >= 0).sum())) for c in true.values()]
    assert not torch.equal(differ[0][:6], differ[1][:6])


AVERAGED = FedAvgGAT(rounds=2, heads=2, hidden=4, epochs=3, dropout=0.0)


def test_weights_are_averaged_and_everybody_trains_on_from_the_mean():
    """Federated averaging as it is printed: train, average, train on."""
    clients, told = AVERAGED.run(village(), seeded(0))
    mine = made(AVERAGED, village(), 0)
    for seen in told:
        weights = [[w.detach().clone() for w in client.network.parameters()] for client in mine.values()]
        mean = [sum(each) / len(each) for each in zip(*weights, strict=True)]
        for i, client in mine.items():
            flat = torch.cat([w.flatten() for w in weights[i]])[None]
            assert torch.equal(unpack_rows(seen.messages[i]), flat)
            for own, other in zip(client.network.parameters(), mean, strict=True):
                own.data = other.clone()
            client.train()
    assert all(torch.allclose(clients[i].embeddings(), mine[i].embeddings(), atol=1e-6) for i in mine)
    assert not torch.allclose(mine[0].rows(), mine[1].rows(), atol=1e-3)  # after the last mean they trained on apart


def test_weights_of_another_number_are_left_out():
    told = WeightAveraging().combine({0: pack_rows(torch.ones(1, 3)), 1: pack_rows(torch.ones(1, 4)),
                                      2: pack_rows(3 * torch.ones(1, 3)), 3: b"garbage"})
    assert {i: unpack_rows(answer).tolist() for i, answer in told.replies.items()} == {0: [[2, 2, 2]], 2: [[2, 2, 2]]}
    assert sorted(told.left_out) == [1, 3]
    assert WeightAveraging().combine({}).replies == {}


def test_weights_begin_alike_where_they_are_averaged_and_apart_where_rows_are(monkeypatch):
    def apart(method, seed=0):
        one, two = (network.first.lin.weight for network in beginnings(method, village(), seed, monkeypatch))
        return not torch.equal(one, two)
    assert not apart(AVERAGED) and apart(QUICK)
    first, again, other = (beginnings(method, village(), seed, monkeypatch)[0].first.lin.weight for method, seed in
                           ((AVERAGED, 0), (AVERAGED, 9), (replace(AVERAGED, start=1), 0)))
    assert torch.equal(first, again) and not torch.equal(first, other)


@pytest.mark.parametrize("method", [*FederatedGAT.examples(), *FedAvgGAT.examples()])
def test_it_keeps_what_federations_promise(method):
    check_method(method)
    assert method.guarantees() == ()


def but_for(**other) -> Data:
    data = village()
    for name, value in other.items():
        setattr(data, name, value)
    return data


def without(name: str) -> Data:
    data = village()
    del data[name]
    return data


@pytest.mark.parametrize("data, message", [
    (without("x"), "data must have x"), (without("y"), "data must have .*y"),
    (without("holder"), "data must have holder"), (without("num_classes"), "data must have .*num_classes"),
    (without("train_mask"), "labels must be all where a part has no train_mask"),
    (but_for(train_mask=torch.zeros(12, dtype=torch.bool)), "each part must have a node with a label to learn from"),
    (but_for(train_mask=torch.ones(12)), "train_mask must be a bool tensor"),
    (but_for(y=torch.full((12,), -1)), "each part must have a node with a label"),
    (but_for(x=torch.full((12, 5), math.nan)), "features must be finite"),
    (but_for(holder=torch.tensor([PUBLIC] * 3 + [0, 0, 0, 1, 1, 1] + [NOBODY] * 3)),
     "hidden must be at most 3, the number of public nodes, to be aligned, got 4"),
    (but_for(num_classes=1), "num_classes must be a whole number, at least 2, got 1"),
    (but_for(holder=torch.tensor([0, 1] * 6)), "holder must name at least one public node"),
    (but_for(holder=torch.full((12,), PUBLIC)), "holder must give each client")])
def test_graphs_that_cannot_be_learnt_from_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        QUICK.run(data, seeded(0))


def test_as_many_public_nodes_as_numbers_are_enough_and_so_is_one_class():
    data = but_for(y=torch.zeros(12, dtype=torch.long))
    clients, _ = replace(QUICK, hidden=6, rounds=0).run(data, seeded(0))
    assert clients[0].rows().shape == (6, 6)
    assert GATClient(AVERAGED, but_for(num_public=1), seeded(0)).num_public == 1  # weights need no more to be averaged


def test_what_weights_weigh_is_said_where_the_sizes_are_known_that_it_takes():
    sizes = {"num_features": 5, "num_classes": 3}
    network = made(AVERAGED, village(), 0)[0].network
    assert AVERAGED.layout(sizes) == {"rows": (1, sum(w.numel() for w in network.parameters()))}
    assert AVERAGED.layout(sizes | {"num_public": 6}) == AVERAGED.layout(sizes)
    assert AVERAGED.layout({"num_features": 5}) is None


def test_somebody_without_features_stays_without():
    data = but_for(x=torch.cat([torch.zeros(1, 5), village().x[1:]]))
    client = made(QUICK, data, 0)[0]
    assert torch.equal(client.inputs.features.x[0], torch.zeros(5))
    assert torch.allclose(client.inputs.features.x[1:].sum(1), torch.ones(7))


def test_a_client_without_edges_learns_from_features():
    clients, _ = QUICK.run(but_for(edge_index=torch.zeros(2, 0, dtype=torch.long)), seeded(0))
    assert torch.isfinite(clients[0].embeddings()).all()


@pytest.mark.parametrize("said, message", [
    (dict(hidden=5), "hidden must be a multiple of heads, got 5 and 2 heads"), (dict(rounds=-1), "rounds must be"),
    (dict(beta=-1.0), "beta must be a finite number of at least 0, got -1.0"), (dict(beta=math.inf), "beta must be"),
    (dict(answer="best"), "answer must be one of .*aligned.*got 'best'"),
    (dict(labels="test"), "labels must be one of"), (dict(wrong_labels=1.1), "wrong_labels must lie in"),
    (dict(heads=0), "heads must be"),
    (dict(epochs=0), "epochs must be"), (dict(learning_rate=0), "learning_rate must be")])
def test_settings_that_make_no_sense_are_refused(said, message):
    with pytest.raises(ValueError, match=message):
        replace(QUICK, **said)


@pytest.mark.parametrize("answer, message", [
    (torch.zeros(5, 4), r"rows must be a float tensor \[6, 4\], got torch.float32 of shape \[5, 4\]"),
    (torch.zeros(6, 3), r"rows must be a float tensor \[6, 4\]")])
def test_a_client_refuses_answers_of_another_shape_and_stays_as_it_was(answer, message):
    client = made(QUICK, village(), 0)[0]
    before = client.embeddings()
    with pytest.raises(ValueError, match=message):
        client.receive(pack_rows(answer))
    with pytest.raises((TypeError, ValueError), match="message"):
        client.receive(None)
    assert torch.equal(client.embeddings(), before)


@pytest.mark.parametrize("call, message", [
    (lambda: mislabel(torch.tensor([0, 1]), 1.5, 2, seeded(0)), "fraction must lie in"),
    (lambda: mislabel(torch.tensor([0, 2]), 0.5, 2, seeded(0)), r"labels must lie in -1\.\.1"),
    (lambda: mislabel(torch.tensor([0, 0]), 0.5, 1, seeded(0)), "num_classes must be a whole number, at least 2"),
    (lambda: mislabel([0, 1], 0.5, 2, seeded(0)), "labels must be a torch.Tensor"),
    (lambda: mislabel(torch.tensor([0, 1]), 0.5, 2, 0), "generator must be"),
    (lambda: GATClient("gat", parts(village())[0], seeded(0)), "method must be a GATFederation"),
    (lambda: GATClient(QUICK, village(), seeded(0)), "data must have .*num_public"),
    (lambda: GATClient(AVERAGED, but_for(num_public=0), seeded(0)), "num_public must be .* between 1 and 12, got 0"),
    (lambda: GATClient(QUICK, parts(village())[0], 0), "generator must be")])
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
