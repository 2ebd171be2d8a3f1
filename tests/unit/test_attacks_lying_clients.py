"""Clients that lie: what each lie sends, that honest ones draw the same coins beside it, and what it costs them."""

from dataclasses import replace

import pytest
import torch

from privgraph import datasets
from privgraph.attacks import LIES, Lie, cost_of_lies, play_with_liars, sent
from privgraph.attacks.lying_clients import Liar, Sybil, scores_of
from privgraph.methods import FedAvgGAT, FederatedDeepWalk, FederatedGAT, Federation, all_methods
from privgraph.methods.federated import align_to_each, hold
from privgraph.methods.federated.row_messages import LONGEST, unpack_rows
from privgraph.methods.federation import Round
from privgraph.randomness import secret, seeded
from privgraph.streams import stream

METHODS = {name: example for name, kind in all_methods().items() if issubclass(kind, Federation)
           for example in kind.examples()[:1]}
DATA = hold(datasets.load("karate"), seeded(0), clients=3, public=0.4, private=0.15)
DATA.train_mask = torch.ones(34, dtype=torch.bool)
ROWS = torch.randn(6, 3, generator=seeded(1))
WALK, GAT, AVERAGE = (kind.examples()[0] for kind in (FederatedDeepWalk, FederatedGAT, FedAvgGAT))


@pytest.mark.parametrize("name", METHODS)
def test_without_lies_it_is_the_federation_as_it_is(name):
    method = METHODS[name]
    clients, rounds = method.run(DATA, seeded(3))
    played, told = play_with_liars(method, DATA, seeded(3), {})
    assert [each.messages for each in told] == [each.messages for each in rounds] and len(rounds) == method.rounds
    assert [each.replies for each in told] == [each.replies for each in rounds]
    assert all(torch.equal(played[number].embeddings(), clients[number].embeddings()) for number in clients)


@pytest.mark.parametrize("kind", LIES)
@pytest.mark.parametrize("name", METHODS)
def test_in_each_method_only_the_liar_says_something_else(name, kind):
    """In the first round the others say what they would have said; later they have been answered otherwise."""
    method = METHODS[name]
    _, rounds = method.run(DATA, seeded(3))
    clients, told = play_with_liars(method, DATA, seeded(3), {1: Lie(kind, strength=2.0)})
    assert isinstance(clients[1], Liar) and not any(each.left_out for each in told)
    first, as_it_was = told[0].messages, rounds[0].messages
    assert first[0] == as_it_was[0] and first[2] == as_it_was[2] and first[1] != as_it_was[1]
    assert unpack_rows(first[1]).shape == unpack_rows(as_it_was[1]).shape
    again = play_with_liars(method, DATA, seeded(3), {1: Lie(kind, strength=2.0)})[1]
    assert [each.messages for each in again] == [each.messages for each in told]


def test_what_each_lie_sends():
    answer = torch.randn(6, 3, generator=seeded(2))
    lies = {name: lie(ROWS, answer, seeded(3)) for name, lie in LIES.items()}
    assert sorted(lies["shuffled"].tolist()) == sorted(ROWS.tolist()) and not torch.equal(lies["shuffled"], ROWS)
    assert torch.equal(lies["mirrored"], -ROWS) and torch.equal(lies["honest"], ROWS)
    assert torch.equal(lies["followed"], answer)
    assert torch.allclose(lies["noise"].norm(dim=1), ROWS.norm(dim=1)) and not torch.allclose(lies["noise"], ROWS)
    assert torch.equal(LIES["followed"](ROWS, None, seeded(3)), lies["noise"])
    weights = ROWS.view(1, 18)
    alone = LIES["shuffled"](weights, None, seeded(3))
    assert not torch.equal(alone, weights) and sorted(alone[0].tolist()) == sorted(weights[0].tolist())


def test_a_lie_is_multiplied_and_no_row_is_longer_than_a_server_takes():
    class Within(Liar):
        def __init__(self):
            self.heard = []

        def send(self):
            from privgraph.methods.federated.row_messages import pack_rows
            return pack_rows(ROWS)

        def receive(self, message):
            self.heard.append(message)

        def embeddings(self):
            return ROWS
    for strength in (0.5, 100.0, 1e300):
        liar = Liar(Within(), Lie("honest", strength), seeded(0))
        rows = unpack_rows(liar.send())
        if strength < 1e3:
            assert torch.allclose(rows, strength * ROWS)
        assert float(rows.norm(dim=1).max()) <= LONGEST and rows.isfinite().all()
    liar = Liar(Within(), Lie("followed"), seeded(0))
    message = liar.send()
    liar.receive(message)
    assert liar.send() == message and liar.within.heard == [message] and liar.embeddings() is ROWS


@pytest.mark.parametrize("count", [1, 3])
def test_sybils_have_numbers_of_their_own_and_send_the_same(count):
    clients, rounds = play_with_liars(WALK, DATA, seeded(3), {2: Lie("shuffled", sybils=count), 0: Lie("noise")})
    assert list(clients) == list(range(3 + count)) and all(isinstance(clients[3 + i], Sybil) for i in range(count))
    for each in rounds:
        assert len({each.messages[number] for number in (2, *range(3, 3 + count))}) == 1
        assert each.messages[0] != each.messages[2] and len(each.messages) == len(each.replies) == 3 + count
    assert clients[3].embeddings() is None


def test_a_follower_sends_what_it_was_answered():
    _, rounds = play_with_liars(replace(WALK, rounds=3), DATA, seeded(3), {1: Lie("followed")})
    for before, after in zip(rounds, rounds[1:], strict=False):
        assert after.messages[1] == before.replies[1]


def test_a_mirror_costs_nothing_where_rows_are_aligned_and_much_where_weights_are_averaged():
    """A reflection of one client's space: all others are answered as if nothing had happened."""
    uploads = torch.randn(3, 20, 4, generator=seeded(0), dtype=torch.double)
    mirrored = uploads.clone()
    mirrored[1] *= -1
    assert torch.allclose(align_to_each(mirrored)[[0, 2]], align_to_each(uploads)[[0, 2]])
    plain = replace(WALK, answer="mean")
    for method, same in ((WALK, True), (plain, False), (AVERAGE, False)):
        honest = play_with_liars(method, DATA, seeded(3), {})[1][0].replies
        beside = play_with_liars(method, DATA, seeded(3), {1: Lie("mirrored")})[1][0].replies
        assert torch.allclose(unpack_rows(honest[0]), unpack_rows(beside[0]), atol=1e-5) == same


def test_the_cost_is_the_difference_of_two_runs_of_honest_clients():
    """By hand: both federations run and scored apart, over the two clients that are honest."""
    lies = {1: Lie("noise", strength=3.0, sybils=2)}
    for method in (WALK, GAT):
        found = cost_of_lies(method, DATA, 5, lies)
        alone, beside = (scores_of(method, DATA, 5, told, [0, 2])[0] for told in ({}, lies))
        assert found.alone == alone and found.beside == beside
        assert found.points == {group: alone[group] - beside[group] for group in alone} and "all" in found.points
        assert len(found.rounds) == method.rounds and set(found.rounds[0].messages) == set(range(5))
    both = method.scored(DATA, 5, lambda name: stream(name, 5))[0]
    every = scores_of(method, DATA, 5, {}, [0, 1, 2])[0]
    assert every == both and alone != every


def test_what_was_sent_comes_in_the_order_of_numbers():
    _, rounds = play_with_liars(WALK, DATA, seeded(3), {1: Lie("noise", sybils=1)})
    uploads, answers = sent(rounds)
    for number in range(4):
        for i, each in enumerate(rounds):
            assert torch.equal(uploads[number, i], unpack_rows(each.messages[number]))
            assert torch.equal(answers[number, i], unpack_rows(each.replies[number]))
    gone = replace(rounds[1], replies={0: rounds[1].replies[0]}, left_out={1: "late"})
    for odd in ([], [rounds[0], gone], [rounds[0], replace(rounds[1], replies={})]):
        with pytest.raises(ValueError, match="rounds must be at least one, and nobody left out"):
            sent(odd)
    with pytest.raises(TypeError, match="each of rounds must be a Round"):
        sent([None])
    assert isinstance(rounds[0], Round)


def test_liars_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="lies' clients must be a whole number, between 0 and 2, got 3"):
        play_with_liars(WALK, DATA, seeded(0), {3: Lie("noise")})
    with pytest.raises(ValueError, match="lies must leave an honest client, got 3 of 3 clients that lie"):
        cost_of_lies(WALK, DATA, 0, {number: Lie("noise") for number in range(3)})
    with pytest.raises(TypeError, match="each of lies must be a Lie, got 'noise'"):
        play_with_liars(WALK, DATA, seeded(0), {1: "noise"})
    with pytest.raises(TypeError, match="lies must be a Mapping"):
        play_with_liars(WALK, DATA, seeded(0), [Lie("noise")])


def test_from_secret_randomness_no_two_runs_are_the_same():
    first, second = (play_with_liars(WALK, DATA, secret(), {1: Lie("noise")})[1] for _ in range(2))
    assert first[0].messages != second[0].messages
