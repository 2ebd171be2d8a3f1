"""The exact audit of both mechanisms, their mutants, and the slow version of multi-bit."""

import math
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric import transforms as T

from mutants import SamplesTheLargest, WholeBudgetABit
from privgraph import datasets
from privgraph.audit import worst_case
from privgraph.mechanisms import MultiBit, RandomisedResponse, SymmetricResponse, optimal_sampling
from privgraph.randomness import seeded

EPSILONS = [0.1, 1.0, 3.0, 8.0]


@pytest.mark.bears("for", "lpgnn-labels", "dp-randomised-response")
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_randomised_response_spends_exactly_epsilon(epsilon, k):
    assert worst_case(RandomisedResponse(epsilon, k), range(k)).epsilon == pytest.approx(epsilon, abs=1e-9)


@pytest.mark.bears("for", "lpgnn-features")
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("d, m", [(d, m) for d in (1, 2, 3, 4) for m in range(1, d + 1)])
def test_multibit_spends_exactly_epsilon_for_every_m(epsilon, d, m):
    mechanism = MultiBit(epsilon, d, low=-1.0, high=3.0, sampled=m)
    found = worst_case(mechanism, list(product((-1.0, 0.5, 3.0), repeat=d)))
    assert found.epsilon == pytest.approx(epsilon, abs=1e-9)
    assert mechanism.guarantee.epsilon == epsilon


@pytest.mark.bears("for", "lpgnn-features")
@settings(max_examples=60)
@given(epsilon=st.floats(0.01, 12), d=st.integers(1, 4), data=st.data())
def test_no_pair_of_vectors_exceeds_the_guarantee(epsilon, d, data):
    m = data.draw(st.integers(1, d))
    vector = st.lists(st.floats(0, 1), min_size=d, max_size=d).map(tuple)
    inputs = data.draw(st.lists(vector, min_size=2, max_size=4, unique=True))
    mechanism = MultiBit(epsilon, d, sampled=m)
    assert worst_case(mechanism, inputs).epsilon <= mechanism.guarantee.epsilon + 1e-9


class CountsOneTooFew(RandomisedResponse):
    """Mutant: k - 2 in place of k - 1 in the normaliser."""

    def weights(self, answer, t, one=1):
        k = self.num_classes
        return {told: (k - 1) * t if told == answer else (k - 2) * one for told in range(k)}


@pytest.mark.parametrize("mutant, inputs, at_least", [
    (WholeBudgetABit(1.0, 3, sampled=2), list(product((0.0, 1.0), repeat=3)), 2.0),
    (CountsOneTooFew(1.0, 3), range(3), 1.0 + math.log(2)),
    (SamplesTheLargest(1.0, 2, sampled=1), [(0.0, 1.0), (1.0, 0.0)], math.inf),
])
def test_the_audit_catches_broken_twins(mutant, inputs, at_least):
    assert worst_case(mutant, inputs).epsilon >= at_least - 1e-9


def test_worst_case_names_its_witness():
    found = worst_case(MultiBit(2.0, 2), [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)])
    p, q = (MultiBit(2.0, 2).distribution(v)[found.outcome] for v in (found.input, found.neighbour))
    assert math.log(p / q) == pytest.approx(found.epsilon)


def test_worst_case_refuses_what_is_not_a_distribution():
    class Leaky:
        def distribution(self, x):
            return {0: 0.5, 1: 0.4}
    with pytest.raises(ValueError, match="sum to 1, got sum 0.9"):
        worst_case(Leaky(), [0, 1])
    with pytest.raises(ValueError, match="at least two"):
        worst_case(RandomisedResponse(1.0, 2), [0])


def slow_report(mechanism: MultiBit, x: torch.Tensor, generator) -> torch.Tensor:
    """LPGNN's Algorithm 1, line by line, with the library's order of random draws."""
    places = mechanism.sample_places(len(x), generator, x.device).tolist()
    coins = torch.rand(len(x), mechanism.sampled, generator=generator).tolist()
    e = math.exp(mechanism.epsilon / mechanism.sampled)
    report = torch.zeros(x.shape, dtype=torch.int8)
    for v in range(len(x)):
        for j, i in enumerate(places[v]):
            share = (float(x[v, i]) - mechanism.low) / (mechanism.high - mechanism.low)
            plus = 1 / (e + 1) + share * (e - 1) / (e + 1)
            report[v, i] = 1 if coins[v][j] < plus else -1
    return report


@pytest.mark.parametrize("m", [1, 3, 8])
def test_the_fast_mechanism_equals_the_loop(m):
    x = torch.rand(40, 8, generator=seeded(0)) * 4 - 1
    mechanism = MultiBit(2.0, 8, -1.0, 3.0, sampled=m)
    report = mechanism.report(x, generator=seeded(5))
    assert torch.equal(report, slow_report(mechanism, x, seeded(5)))
    assert (report != 0).sum(1).tolist() == [m] * 40
    assert torch.equal(mechanism(x, generator=seeded(5)), mechanism.estimate(report))


@pytest.mark.parametrize("high", [3.0, (1.0, 0.5, 90.0, 2.0, 2.0)])
@pytest.mark.parametrize("dtype", [torch.int8, torch.int64, torch.float32])
def test_estimates_have_the_bits_of_their_formula_and_leave_reports_alone(high, dtype):
    mechanism = MultiBit(2.0, 5, -1.0, high, sampled=2)
    report = torch.randint(-1, 2, (40, 5), generator=seeded(0)).to(dtype)
    given = report.clone()
    assert torch.equal(mechanism.estimate(report), report.float() * mechanism.scale + mechanism.middle)
    assert torch.equal(report, given)


def test_estimates_are_unbiased_by_enumeration():
    """The mean and variance over the exact distribution, not over samples."""
    mechanism, x = MultiBit(1.5, 3, -2.0, 2.0, sampled=2), (-2.0, 0.3, 1.9)
    table = mechanism.distribution(x)
    reports = torch.tensor(list(table), dtype=torch.int8)
    p = torch.tensor(list(table.values()), dtype=torch.float64)[:, None]
    estimates = mechanism.estimate(reports).double()
    mean = (p * estimates).sum(0)
    assert torch.allclose(mean, torch.tensor(x, dtype=torch.float64), atol=1e-5)
    variance = (p * (estimates - mean) ** 2).sum(0)
    assert torch.allclose(variance, mechanism.variance(torch.tensor(x)).double(), rtol=1e-5)


@pytest.mark.parametrize("epsilon", [1.0, 15.9, 16.0, 36.0, 40.0, 300.0, 700.0])
def test_a_lie_has_the_probability_that_the_budget_says(epsilon):
    """Not 0, which would be an infinite loss: ln(p / q) is epsilon as far as doubles go (e^-745)."""
    response, pair = RandomisedResponse(epsilon, 3), SymmetricResponse(epsilon)
    assert math.log(response.keep) - math.log(response.flip) == pytest.approx(epsilon, rel=1e-8, abs=0)
    assert math.log(pair.keep) - math.log(pair.lie) == pytest.approx(epsilon, rel=1e-12, abs=0)
    chances = response.distribution(1)
    assert math.log(chances[1]) - math.log(chances[2]) == pytest.approx(epsilon, rel=1e-8, abs=0)


@pytest.mark.parametrize("classes, last, never", [(2, 17.3, 17.4), (7, 19.1, 19.2)])
def test_from_where_on_the_coins_never_lie(classes, last, never):
    """The largest number that a coin can show; book/sharp_edges.md says the rounded ones."""
    largest = torch.tensor([1 - 2.0**-24])
    assert bool(largest >= RandomisedResponse(last, classes).keep) and not largest >= RandomisedResponse(never,
                                                                                                         classes).keep
    assert torch.rand(10**6, generator=seeded(0)).max() <= largest


def test_infinite_epsilon_means_no_noise():
    x, y = torch.rand(5, 3, generator=seeded(0)), torch.tensor([0, 1, 2])
    assert torch.equal(MultiBit(math.inf, 3)(x, generator=seeded(0)), x)
    assert torch.equal(RandomisedResponse(math.inf, 3)(y, generator=seeded(0)), y)
    with pytest.raises(ValueError, match="makes no bits"):
        MultiBit(math.inf, 3).report(x, generator=seeded(0))


def test_optimal_sampling_by_the_rule():
    assert [optimal_sampling(e, 5) for e in (0.1, 2.17, 2.18, 4.36, 100.0)] == [1, 1, 1, 2, 5]


def test_multibit_at_three_on_cora_has_the_values_of_the_paper():
    values = MultiBit(3.0, 1433).estimate(torch.tensor([-1, 0, 1]))
    assert values.tolist() == pytest.approx([-791.1, 0.5, 792.1], abs=0.1)


def test_mechanisms_are_pyg_transforms():
    data = datasets.load("karate")
    noisy = T.Compose([MultiBit(1.0, 34).transform(generator=seeded(0)),
                       RandomisedResponse(1.0, 2).transform(generator=seeded(1))])(data)
    assert torch.equal(noisy.x, MultiBit(1.0, 34)(data.x, generator=seeded(0)))
    assert torch.equal(noisy.y, RandomisedResponse(1.0, 2)(data.y, generator=seeded(1)))
    assert torch.equal(data.x, torch.eye(34)), "the original must be left as it was"


def test_unlabelled_nodes_report_nothing():
    y = torch.tensor([-1, 0, -1, 1])
    noisy = RandomisedResponse(0.1, 2)(y, generator=seeded(0))
    assert noisy[[0, 2]].tolist() == [-1, -1]
