"""Noise on whole uploads: what it costs over all rounds, what it hides, and why noise for one row hides no edge."""

import copy
from dataclasses import dataclass, replace

import pytest
import torch
from scipy.stats import chi2
from torch_geometric.data import Data

from privgraph.datasets import load
from privgraph.graph import to_undirected
from privgraph.methods import FederatedDeepWalk, check_method
from privgraph.methods.federated import UploadNoise, hold, parts
from privgraph.methods.federated.row_messages import unpack_rows
from privgraph.methods.federated.upload_noise import shortened
from privgraph.privacy import GaussianPair, Step, find_guarantee, pld_epsilon, rdp_epsilon
from privgraph.randomness import seeded

KARATE = hold(load("karate"), seeded(3), clients=3, public=0.4, private=0.2)
QUICK = FederatedDeepWalk(dimension=4, rounds=3, walks=3, length=6, window=2, first_epochs=3, epochs=2, batch=8,
                          noise=UploadNoise(2.0, clip=0.5))


def path(joined: bool) -> Data:
    """Two public nodes hang on a private one; a private edge joins that one to another, or does not."""
    edges = [(0, 2), (1, 2), (2, 3)][:2 + joined]
    return Data(edge_index=to_undirected(torch.tensor(edges).t(), 4), num_nodes=4, num_public=2)


def marks(part: Data) -> torch.Tensor:
    """A training in three lines: each public row is 1 where the last node is reached, and -1 where it is not."""
    step = torch.eye(4).index_put((part.edge_index[0], part.edge_index[1]), torch.ones(())).matrix_power(3)
    return 2 * (step[:2, 3:] > 0).double() - 1


@dataclass(frozen=True)
class NoiseForARow(UploadNoise):
    """The mistake: each row is shortened to C, and the noise pays for one row that moves by 2 C."""

    def clipped(self, rows):
        return rows.double() * (self.clip / rows.double().norm(dim=1, keepdim=True)).clamp(max=1)


def delta_of_an_edge(noise: UploadNoise, clipped) -> float:
    """Delta at the epsilon that is stated for a private edge and one upload, exactly."""
    first, second = (clipped(marks(path(joined))) for joined in (True, False))
    assert ((first - second).norm(dim=1) > 0).all()  # one edge moves both rows
    pair = GaussianPair(noise.mechanism(1).sigma / float((first - second).norm()))
    return pair.delta(find_guarantee(noise.guarantees(1), "private edge").epsilon)


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
def test_noise_for_a_row_hides_no_edge_as_one_edge_moves_many_rows(epsilon):
    """In the smallest graph: two public nodes. What noise for a row states is refuted exactly, by 50 times its delta.

    The proof of such noise would say nothing of how rows are made, so a training in which an edge moves all rows
    refutes it. How far one edge moves the rows of a skip-gram is another question, and no proof bounds it.
    """
    row, whole = NoiseForARow(epsilon), UploadNoise(epsilon)
    assert delta_of_an_edge(row, row.clipped) > 50 * row.delta
    assert delta_of_an_edge(whole, lambda rows: shortened(rows, whole.clip)) == pytest.approx(whole.delta, rel=1e-6,
                                                                                              abs=0)


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
@pytest.mark.parametrize("rounds", [1, 10])
def test_all_rounds_together_cost_what_is_stated(epsilon, rounds):
    """By the library's accountants, which count each round: RDP is never below, and privacy loss brackets it."""
    noise = UploadNoise(epsilon, 1e-5, clip=0.3)
    steps = [Step(GaussianPair(noise.mechanism(rounds).sigma / (2 * noise.clip)), rounds)]
    bracket = pld_epsilon(steps, 1e-5)
    assert bracket.optimistic - 1e-6 <= epsilon <= bracket.pessimistic + 1e-6
    assert epsilon <= rdp_epsilon(steps, 1e-5) < 1.3 * epsilon
    assert {g.unit: g.relation for g in noise.guarantees(rounds)} == {
        "private part": "replace", "private edge": "add/remove"}


def test_uploads_are_shortened_first_and_nan_is_no_refusal():
    far = torch.tensor([[30.0, 0.0], [0.0, float("nan")]])
    assert float(shortened(far, 0.5).norm()) == pytest.approx(0.5) and float(shortened(far[:1], 99).norm()) == 30
    assert float(shortened(torch.zeros(2, 2), 0.5).norm()) == 0
    odd = torch.tensor([[float("inf"), float("-inf")], [float("nan"), 3.0]])
    assert shortened(odd, 99).tolist() == [[0.0, 0.0], [0.0, 3.0]]


def test_a_message_has_the_noise_that_is_stated():
    """At level 1e-6; 30 clients of 13 x 4 numbers: a sigma that is off by a quarter is found."""
    part, sigma = parts(KARATE)[0], QUICK.noise.mechanism(QUICK.rounds).sigma
    total = 0.0
    for seed in range(30):
        client = QUICK.client(part, seeded(seed))
        told = unpack_rows(client.send()).double() - shortened(client.embeddings()[:part.num_public], 0.5)
        total += float((told / sigma).square().sum())
    low, high = chi2(30 * 13 * 4).ppf([5e-7, 1 - 5e-7])
    assert low < total < high
    assert not low < total * 1.25**2 < high and not low < total / 1.25**2 < high


def test_what_holds_is_replayed_and_twins_are_found():
    check_method(replace(QUICK, walks=2, first_epochs=1, epochs=1))  # whatever is learnt is clipped

    @dataclass(frozen=True)
    class Bare(UploadNoise):
        def __call__(self, rows, rounds, generator):
            super().__call__(rows, rounds, generator)
            return rows
    with pytest.raises(AssertionError, match="with a change of the private part"):
        check_method(replace(QUICK, noise=Bare(2.0)))


def test_a_client_without_an_edge_takes_part_and_one_upload_more_is_refused():
    part = copy.copy(parts(KARATE)[0])
    part.edge_index = torch.zeros(2, 0, dtype=torch.long)
    client = QUICK.client(part, seeded(0))
    for _ in range(QUICK.rounds):
        client.receive(client.send())
    with pytest.raises(ValueError, match="rounds must be at most 3"):
        client.send()


@pytest.mark.parametrize("wrong, message", [
    (dict(noise=1.0), "noise must be"), (dict(rounds=0), "rounds"),
    (dict(edges=FederatedDeepWalk.examples()[2].edges), "noise must be left out where edges are noisy already")])
def test_bad_settings(wrong, message):
    with pytest.raises((TypeError, ValueError), match=message):
        replace(QUICK, **wrong)


@pytest.mark.parametrize("name, value", [("epsilon", 0.0), ("epsilon", float("nan")), ("delta", 0.0), ("delta", 1.0),
                                         ("clip", 0.0), ("clip", float("inf"))])
def test_bad_numbers(name, value):
    with pytest.raises(ValueError, match=name):
        UploadNoise(**{"epsilon": 1.0, name: value})


def test_noise_is_for_a_round_at_least_and_its_delta_is_one_in_a_hundred_thousand():
    assert UploadNoise(1.0) == UploadNoise(1.0, 1e-5, 1.0)
    with pytest.raises(ValueError, match="rounds must be .* at least 1, got 0"):
        UploadNoise(1.0).mechanism(0)
