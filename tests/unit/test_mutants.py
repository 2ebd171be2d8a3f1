"""Mutants: plausible mistakes, each beside the right thing. An audit must accept the one and reject the other.

Three audits judge them: the exact worst case, the exact delta of what an accountant states, and the replay. The
statistical audit has its own mutants in tests/statistical/test_auditors.py.
"""

import math
from dataclasses import dataclass
from itertools import product

import pytest
import torch

from mutants import SamplesTheLargest, WholeBudgetABit
from privgraph.audit import Independent, relations, replay, worst_case
from privgraph.mechanisms import GRRFS, Gaussian, MultiBit, NoisyArgMax, RandomisedResponse
from privgraph.privacy import (
    FinitePair,
    GaussianPair,
    LaplacePair,
    Step,
    classic_conversion,
    exact_delta,
    laplace_rdp,
    pld_epsilon,
    poisson_rdp,
    pure_pair,
    rdp_epsilon,
)
from privgraph.privacy.certified import composed_ends

# 1. Mechanisms, by the exact worst case. Each case: (stated epsilon, inputs, relation or None, right, mutant).

class Keep(RandomisedResponse):
    """Randomised response whose chance of the truth is given by ``rule(epsilon, k)``."""

    rule = staticmethod(lambda epsilon, k: 0.5)

    def distribution(self, answer):
        keep, k = self.rule(self.epsilon, self.num_classes), self.num_classes
        return {told: keep if told == answer else (1 - keep) / (k - 1) for told in range(k)}


class OneTooFew(Keep):
    rule = staticmethod(lambda epsilon, k: math.exp(epsilon) / (math.exp(epsilon) + k - 2))


class BiasedCoin(Keep):
    rule = staticmethod(lambda epsilon, k: min(0.999, 0.05 + math.exp(epsilon) / (math.exp(epsilon) + k - 1)))


class NoFakes(GRRFS):
    """Unsampled features are reported as they are instead of being faked."""

    def distribution(self, vector):
        table = {}
        for report, p in GRRFS(self.epsilon, self.domain_sizes, len(vector)).distribution(vector).items():
            kept = (*report[:self.sampled], *vector[self.sampled:])
            table[kept] = table.get(kept, 0) + p
        return table


@dataclass(frozen=True)
class OnLogProbabilities:
    """Gumbel noise on ln p, as in a released code: the winner has probability proportional to p^(1/scale)."""

    scale: float

    def distribution(self, scores):
        weights = [s ** (1 / self.scale) for s in scores]
        return {o: w / sum(weights) for o, w in enumerate(weights)}


@dataclass(frozen=True)
class SameCoinTwice:
    """Two yes/no answers disturbed by one and the same coin: the report shows whether they were equal."""

    epsilon: float

    def distribution(self, answers):
        keep = RandomisedResponse(self.epsilon, 2).keep
        return {answers: keep, tuple(1 - a for a in answers): 1 - keep}


@dataclass(frozen=True)
class NoisySum:
    """Two-sided geometric noise on a sum of numbers in [-1, 1],
    clamped to -9..9 afterwards (which is post-processing)."""

    epsilon: float
    clip_first: bool = True

    def distribution(self, values):
        total = sum(max(-1, min(1, v)) if self.clip_first else v for v in values)
        ratio = math.exp(-self.epsilon)
        table = dict.fromkeys(range(-9, 10), 0.0)
        for noise in range(-200, 201):
            table[max(-9, min(9, total + noise))] += (1 - ratio) / (1 + ratio) * ratio ** abs(noise)
        rest = 1 - math.fsum(table.values())  # the tail beyond 200, far below rounding
        return {**table, 9: table[9] + rest}


@dataclass(frozen=True)
class Sampled:
    """``NoisySum`` on a sample: each person with probability 2/3 ("poisson"), or exactly two people ("fixed")."""

    epsilon: float
    how: str

    def distribution(self, people):
        table, n = dict.fromkeys(range(-9, 10), 0.0), len(people)
        for chosen in product((0, 1), repeat=n):
            k = sum(chosen)
            weight = (2 / 3) ** k * (1 / 3) ** (n - k) if self.how == "poisson" else (k == 2) / math.comb(n, 2)
            for outcome, p in NoisySum(self.epsilon).distribution([v for v, c in zip(people, chosen, strict=True)
                                                                   if c]).items():
                table[outcome] += weight * p
        return table


def upper_bits(lists):
    """Each undirected edge once, from the list of its lower end."""
    return tuple(int(u in lists[v]) for v in range(len(lists)) for u in range(v + 1, len(lists)))


ONE_END = Independent((RandomisedResponse(1.0, 2),) * 3, split=upper_bits)
BOTH_ENDS = Independent((RandomisedResponse(1.0, 2),) * 6, split=relations.bits)
PATH = relations.neighbour_lists([(0, 1), (1, 2)])
VECTORS = list(product((0.0, 1.0), repeat=3))
CATEGORIES = list(product(range(2), range(2), range(3)))
ONE_LIKELY = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)]
MECHANISMS = {
    "k - 2 for k - 1": (1.0, range(3), None, RandomisedResponse(1.0, 3), OneTooFew(1.0, 3)),
    "a biased coin": (1.0, range(2), None, RandomisedResponse(1.0, 2), BiasedCoin(1.0, 2)),
    "every bit spends the whole budget": (1.0, VECTORS, None, MultiBit(1.0, 3, sampled=2),
                                          WholeBudgetABit(1.0, 3, sampled=2)),
    "sampling that looks at the data": (1.0, VECTORS, None, MultiBit(1.0, 3, sampled=1),
                                        SamplesTheLargest(1.0, 3, sampled=1)),
    "unsampled features sent as they are": (2.0, CATEGORIES, None, GRRFS(1.0, (2, 2, 3), 2),
                                            NoFakes(1.0, (2, 2, 3), 2)),
    "noise on log-probabilities": (1.0, ONE_LIKELY, None, NoisyArgMax(1.0, 2), OnLogProbabilities(1.0)),
    "Laplace arg max stated as 1 / beta": (0.1, [(1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)], None, NoisyArgMax(10.0, 3),
                                           NoisyArgMax(10.0, 3, "laplace")),
    "forgotten composition": (1.0, list(product(range(2), repeat=2)), None,
                              Independent((RandomisedResponse(0.5, 2),) * 2),
                              Independent((RandomisedResponse(1.0, 2),) * 2)),
    "one coin for two answers": (2.0, list(product(range(2), repeat=2)), None,
                                 Independent((RandomisedResponse(1.0, 2),) * 2), SameCoinTwice(1.0)),
    "clipped after the noise": (2.0, [(0, 0), (0, 1), (0, 3)], None, NoisySum(1.0), NoisySum(1.0, clip_first=False)),
    "fixed-size sampling stated as Poisson": (math.log(1 + 2 / 3 * (math.e - 1)), [(-1, -1, 1), (-1, -1)], None,
                                              Sampled(1.0, "poisson"), Sampled(1.0, "fixed")),
    "an edge reported from both ends": (1.0, [PATH], relations.change_edge, ONE_END, BOTH_ENDS),
}


@pytest.mark.bears("for", "dp-poisson")
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_exact_audit_accepts_the_mechanism_and_rejects_its_twin(name):
    stated, inputs, relation, right, mutant = MECHANISMS[name]
    assert worst_case(right, inputs, relation).epsilon <= stated + 1e-9
    assert worst_case(mutant, inputs, relation).epsilon > stated + 1e-3


def test_amplification_does_not_hold_for_vectors_that_differ_everywhere():
    """The same mechanism under two relations: the amplified number is right for one feature,
    wrong for a whole vector."""
    mechanism = GRRFS(1.0, (2,) * 4, 2)
    amplified = math.log(1 + 0.5 * (math.e - 1))
    everything = list(product(range(2), repeat=4))
    def one_feature(x):
        return [(*x[:i], 1 - x[i], *x[i + 1:]) for i in range(4)]
    assert worst_case(mechanism, everything, one_feature).epsilon == pytest.approx(amplified)
    assert worst_case(mechanism, everything).epsilon > mechanism.guarantee.claimed + 0.5 > amplified + 0.5


# 2. Accountants: the delta that the stated epsilon really has. Each case: (delta asked for, right, mutant), both giving
# (true delta).

COUNT, RATE, DELTA = 200, 0.3, 1e-4
COIN = pure_pair(0.4).poisson(RATE)


def true_delta(epsilon):
    """delta of 200 sampled coins at ``epsilon``: exact."""
    return exact_delta(COIN, COUNT, epsilon)


def one_sample_for_all(epsilon):
    """The same 200 coins when one sample serves all: (1 - rate) Q^200 + rate P^200 against Q^200."""
    losses = [COUNT * 0.4 - 2 * 0.4 * misses for misses in range(COUNT + 1)]
    keep = math.exp(0.4) / (1 + math.exp(0.4))
    p = [math.comb(COUNT, m) * keep ** (COUNT - m) * (1 - keep) ** m for m in range(COUNT + 1)]
    q = [v * math.exp(-loss) for v, loss in zip(p, losses, strict=True)]
    mixed = [(1 - RATE) * b + RATE * a for a, b in zip(p, q, strict=True)]
    return sum(max(0.0, a - math.exp(epsilon) * b) for a, b in zip(mixed, q, strict=True))


def vector_delta(epsilon):
    """delta of a noisy probability vector with scale 1: two coordinates move by 1, so two Laplace releases,
    on a grid of losses."""
    one = LaplacePair(1.0).pld(1e-3, pessimistic=False)  # optimistic: a lower bound of the true delta
    return one.self_compose(2).get_delta_for_epsilon(epsilon)


HONEST = rdp_epsilon([Step(COIN, COUNT)], DELTA)
SINGLE = GaussianPair(0.3)
ACCOUNTANTS = {
    "delta ten times smaller than it is": (true_delta, DELTA, HONEST, rdp_epsilon([Step(COIN, COUNT)], 100 * DELTA)),
    "forgotten composition": (true_delta, DELTA, HONEST, rdp_epsilon([Step(COIN, COUNT // 2)], DELTA)),
    "one sample accounted query by query": (one_sample_for_all, DELTA, COUNT * 0.4, HONEST),
    "the optimistic end of the bracket": (true_delta, DELTA, pld_epsilon([Step(COIN, COUNT)], DELTA).pessimistic,
                                          composed_ends([(COIN, COUNT)], DELTA, 0.01, HONEST)[0]),
    "the conversion with order off by one": (
        SINGLE.delta, 1e-3, min(classic_conversion(SINGLE.rdp(a), a, 1e-3) for a in (1.5, 2, 2.5, 3)),
        min(classic_conversion(SINGLE.rdp(a - 1), a, 1e-3) for a in (2.1, 2.5, 3))),
    "sampling rate squared": (true_delta, DELTA, HONEST,
                              rdp_epsilon([Step(pure_pair(0.4).poisson(RATE**2), COUNT)], DELTA)),
    "sensitivity 1 for 2": (vector_delta, 1e-6, 2.0, 1.0),
    "the old Gaussian formula at epsilon 10": (
        lambda sigma: GaussianPair(sigma).delta(10.0), 1e-5, Gaussian(10.0, 1e-5).sigma,
        math.sqrt(2 * math.log(1.25 / 1e-5)) / 10),
}


@pytest.mark.parametrize("name", ACCOUNTANTS)
def test_the_exact_delta_accepts_the_accountant_and_rejects_its_twin(name):
    delta_of, delta, right, mutant = ACCOUNTANTS[name]
    assert delta_of(right) <= delta * (1 + 1e-6)
    assert delta_of(mutant) > delta * (1 + 1e-3)


def test_the_curve_of_one_laplace_number_is_no_bound_for_the_arg_max():
    """Order 2, scale 1, two classes, between the vertices: .696 against .619."""
    mechanism = NoisyArgMax(1.0, 2, "laplace")
    exact = FinitePair((mechanism.win, mechanism.lose), (mechanism.lose, mechanism.win)).rdp(2)
    assert exact > float(laplace_rdp(2, 1.0))
    assert exact <= mechanism.pair.rdp(2) + 1e-12


def test_the_factor_of_the_general_bound_is_needed():
    """A mechanism for which sampling amplifies less than the sum without the factor 3 says (see
    tests/unit/test_dominating_pairs.py)."""
    pair = FinitePair((0.9999, 0.0001), (0.99, 0.01))
    p, q = pair.directions[0]
    mixed = 0.1 * q + 0.9 * p
    true = max(FinitePair.divergence(mixed, q, 16), FinitePair.divergence(q, mixed, 16))
    def one_way(orders):
        return torch.tensor([FinitePair.divergence(p, q, float(o)) for o in orders]).numpy()
    assert poisson_rdp(one_way, 0.9, 16) < true


# 3. Pipelines, by replay.

def normalised(x, g, by_data):
    scale = float(x.abs().max()) if by_data else 1.0
    return MultiBit(1.0, 2, -1.0, 1.0, sampled=1).report(x / scale, generator=g), scale


@pytest.mark.parametrize("by_data", [False, True])
def test_the_replay_rejects_a_normaliser_computed_from_the_data(by_data):
    x, other = torch.tensor([[0.5, -0.5], [0.1, 0.2]]), torch.tensor([[0.5, -0.8], [0.1, 0.2]])
    assert bool(replay(lambda x, g: normalised(x, g, by_data), x, other)) == by_data


def test_there_are_enough_twins():
    assert len(MECHANISMS) + len(ACCOUNTANTS) >= 15
