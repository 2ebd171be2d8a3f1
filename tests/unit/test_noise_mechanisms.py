"""Laplace, Gaussian, noisy arg max and GRR-FS: guarantees by enumeration, second routes, estimators, bad input."""

import math
from functools import cache
from itertools import combinations, pairwise, product

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace

from privgraph.audit import delta_curve, worst_case
from privgraph.mechanisms import GRRFS, Gaussian, Laplace, MultiBit, NoisyArgMax, NoisyVotes, RandomisedResponse
from privgraph.mechanisms.noisy_arg_max import laplace_chances
from privgraph.mechanisms.noisy_arg_max import one_vote_changes as one_vote
from privgraph.privacy import (
    Budget,
    FinitePair,
    GaussianPair,
    LaplacePair,
    Step,
    bounded_range_pair,
    exact_epsilon,
    pure_pair,
)
from privgraph.randomness import seeded

SOME = dict(max_examples=50)


def corners(c):
    return [tuple(float(i == j) for i in range(c)) for j in range(c)]


# Additive noise

@pytest.mark.bears("for", "dp-laplace")
def test_laplace_states_its_scale_and_guarantee():
    mechanism = Laplace(0.5, sensitivity=3.0, unit="undirected edge")
    assert (mechanism.scale, mechanism.variance) == (6.0, 72.0)
    assert mechanism.guarantee.epsilon == mechanism.pair.epsilon == 0.5
    assert (mechanism.guarantee.unit, mechanism.guarantee.delta) == ("undirected edge", 0.0)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
@pytest.mark.parametrize("delta", [1e-8, 1e-3])
def test_gaussian_sigma_is_the_smallest_that_will_do(epsilon, delta):
    mechanism = Gaussian(epsilon, delta, sensitivity=2.0)
    assert mechanism.pair == GaussianPair(mechanism.sigma / 2)
    assert mechanism.pair.delta(epsilon) == pytest.approx(delta, rel=1e-6, abs=0)
    assert GaussianPair(0.999 * mechanism.sigma / 2).delta(epsilon) > delta
    assert mechanism.variance == mechanism.sigma**2
    assert (mechanism.guarantee.epsilon, mechanism.guarantee.delta) == (epsilon, delta)


def test_the_old_formula_of_the_gaussian_fails_for_large_epsilon():
    """sqrt(2 ln(1.25/delta)) / epsilon is enough at epsilon 1 and not at 10."""
    def old(epsilon):
        return GaussianPair(math.sqrt(2 * math.log(1.25 / 1e-5)) / epsilon).delta(epsilon)
    assert old(1.0) < 1e-5 < old(10.0)


@pytest.mark.parametrize("epsilon, delta", [(1.0, 1e-5), (1e-5, 1e-6), (1e-7, 1e-8), (1e-9, 3e-10), (5e-20, 2e-20)])
def test_gaussian_noise_is_as_wide_as_delta_takes_with_60_digits(epsilon, delta):
    """A budget near 0 takes noise so wide that delta is a difference of nearly equal numbers."""
    with mpmath.workdps(60):
        mu, e = 1 / mpmath.mpf(Gaussian(epsilon, delta).sigma), mpmath.mpf(epsilon)
        found = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
        assert float(found) == pytest.approx(delta, rel=1e-10, abs=0)


@pytest.mark.parametrize("mechanism", [Laplace(1.0), Gaussian(1.0, 1e-5)])
def test_additive_noise_keeps_shape_and_type(mechanism):
    for x in (torch.zeros(3, 2), torch.zeros(4, dtype=torch.float64), torch.tensor(2.0)):
        noisy = mechanism(x, generator=seeded(0))
        assert noisy.shape == x.shape and noisy.dtype == x.dtype and (noisy != x).all()
        assert torch.equal(noisy, mechanism(x, generator=seeded(0)))
    for name in ("Laplace", "Gaussian"):
        silent = Laplace(math.inf) if name == "Laplace" else Gaussian(math.inf, 1e-5)
        assert torch.equal(silent(torch.ones(2), generator=seeded(0)), torch.ones(2))


# Noisy arg max

@pytest.mark.parametrize("lead", [0.1, 1.0, 2.0, 8.0])
@pytest.mark.parametrize("c", [2, 3, 7, 47])
def test_laplace_win_and_lose_by_quadrature(lead, c):
    """The closed form against the defining integrals."""
    f, cdf = laplace.pdf, laplace.cdf
    cuts = [-40, 0, lead, lead + 40]
    def integral(g):
        return math.fsum(quad(g, a, b, epsabs=1e-14, epsrel=1e-11)[0] for a, b in pairwise(cuts))
    mechanism = NoisyArgMax(1 / lead, c, "laplace")
    assert mechanism.win == pytest.approx(integral(lambda z: f(z - lead) * cdf(z) ** (c - 1)), rel=1e-8, abs=0)
    assert mechanism.lose == pytest.approx(integral(lambda z: f(z) * cdf(z - lead) * cdf(z) ** (c - 2)), rel=1e-8,
                                           abs=0)


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
@pytest.mark.parametrize("scale", [0.3, 1.0, 10.0])
@pytest.mark.parametrize("c", [2, 3, 5])
def test_the_worst_case_is_between_vertices_and_equals_the_guarantee(noise, scale, c):
    mechanism = NoisyArgMax(scale, c, noise)
    assert worst_case(mechanism, corners(c)).epsilon == pytest.approx(mechanism.guarantee.epsilon, rel=1e-7, abs=0)
    assert mechanism.distribution(corners(c)[0])[0] == pytest.approx(mechanism.win, rel=1e-9, abs=0)
    assert mechanism.distribution(corners(c)[0])[1] == pytest.approx(mechanism.lose, rel=1e-7, abs=0)
    assert mechanism.guarantee.claimed == pytest.approx(1 / scale)
    assert mechanism.pair.epsilon == pytest.approx(mechanism.guarantee.epsilon)


simplex3 = st.lists(st.floats(0, 1), min_size=3, max_size=3).filter(lambda s: sum(s) > 0.1).map(
    lambda s: tuple(v / sum(s) for v in s))


@settings(max_examples=25)
@given(st.lists(simplex3, min_size=2, max_size=3, unique=True), st.floats(0.1, 4),
       st.sampled_from(["gumbel", "laplace"]))
def test_nothing_inside_the_simplex_is_worse(scores, scale, noise):
    """Neither the pure epsilon nor any delta of the dominating pair is exceeded;
    between vertices the pair is attained."""
    mechanism = NoisyArgMax(scale, 3, noise)
    levels = np.linspace(0, mechanism.epsilon, 5)
    ceiling = np.array([mechanism.pair.delta(level) for level in levels])
    assert (delta_curve(mechanism, scores, levels) <= ceiling + 1e-9).all()
    assert delta_curve(mechanism, corners(3), levels) == pytest.approx(ceiling, abs=1e-9)
    assert sum(mechanism.distribution(scores[0]).values()) == pytest.approx(1, abs=1e-9)
    assert worst_case(mechanism, scores).epsilon <= mechanism.guarantee.epsilon + 1e-7


def test_a_hand_of_gumbel():
    table = NoisyArgMax(0.5, 3).distribution((0.2, 0.3, 0.5))
    weights = [math.exp(2 * s) for s in (0.2, 0.3, 0.5)]
    assert list(table.values()) == pytest.approx([w / sum(weights) for w in weights])
    assert NoisyArgMax(0.5, 3).epsilon == 2.0


@settings(**SOME)
@given(st.floats(0.05, 8), st.integers(2, 60), st.sampled_from(["gumbel", "laplace"]))
def test_less_noise_costs_more(scale, c, noise):
    assert NoisyArgMax(scale, c, noise).epsilon < NoisyArgMax(0.9 * scale, c, noise).epsilon


TEACHERS, CLASSES = 5, 3


def one_vote_changes():
    """All pairs of counts of at most 5 votes for 3 classes, one of them moved, cast or withdrawn."""
    everything = {v for v in product(range(TEACHERS + 1), repeat=CLASSES) if sum(v) <= TEACHERS}
    for votes in sorted(everything):
        for source, target in product((None, *range(CLASSES)), repeat=2):
            other = tuple(v - (k == source) + (k == target) for k, v in enumerate(votes))
            if source != target and other in everything:
                yield votes, other


def exceeded(mechanism: NoisyVotes, steps: tuple[Step, ...]) -> int:
    """How many pairs of counts cost more than ``steps``, at four deltas."""
    told = cache(lambda votes: tuple(mechanism.distribution(votes).values()))
    allowed = {delta: Budget(steps).epsilon(delta).pessimistic for delta in (0.01, 0.05, 0.1, 0.15)}
    return sum(FinitePair(told(a), told(b)).delta(epsilon) > delta + 1e-9
               for a, b in one_vote_changes() for delta, epsilon in allowed.items())


@pytest.mark.bears("for", "votes-compose")
@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
@pytest.mark.parametrize("scale", [0.7, 2.5])
def test_no_change_of_one_vote_costs_more_than_the_steps(noise, scale):
    """Mutants: one Laplace release instead of two; half the spread of the losses."""
    mechanism = NoisyVotes(scale, noise)
    assert exceeded(mechanism, mechanism.steps(1)) == 0
    mutant = {"laplace": Step(LaplacePair(scale), 1), "gumbel": Step(bounded_range_pair(1 / scale), 1)}[noise]
    assert exceeded(mechanism, (mutant,)) > 0


def test_one_winner_costs_at_most_two_over_the_scale():
    for noise, scale in product(("laplace", "gumbel"), (0.7, 2.5)):
        told = cache(NoisyVotes(scale, noise).distribution)
        found = max(math.log(told(a)[o] / told(b)[o]) for a, b in one_vote_changes() for o in range(CLASSES))
        assert 1.2 / scale < found <= 2 / scale + 1e-9
        assert NoisyVotes(scale, noise).guarantee.epsilon == NoisyVotes(scale, noise).epsilon == 2 / scale


@pytest.mark.bears("for", "votes-compose")
def test_many_winners_cost_less_with_gumbel_noise():
    """And both cost less than as many coins of loss 2 / scale."""
    for scale, count in ((10.0, 1000), (2.5, 50), (1.0, 20)):
        gumbel, laplace_noise = (Budget(NoisyVotes(scale, noise).steps(count)).epsilon(1e-4).pessimistic
                                 for noise in ("gumbel", "laplace"))
        assert gumbel < 0.9 * laplace_noise < 0.8 * exact_epsilon(pure_pair(2 / scale), count, 1e-4)


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_without_noise_the_largest_wins(noise):
    scores = torch.tensor([[0.2, 0.8], [0.9, 0.1]])
    silent = NoisyArgMax(0.0, 2, noise)
    assert silent(scores, generator=seeded(0)).tolist() == [1, 0]
    assert silent.epsilon == silent.guarantee.claimed == math.inf and silent.win == 1.0


# GRR-FS

def slow_distribution(mechanism, vector):
    """Pr[report | vector] by summing over every choice of sampled features, as RGNN's section IV describes it."""
    d, e = len(vector), math.exp(mechanism.epsilon)
    table = {}
    for report in product(*(range(size) for size in mechanism.domain_sizes)):
        total = 0.0
        for chosen in combinations(range(d), mechanism.sampled):
            p = 1.0
            for i in range(d):
                size = mechanism.domain_sizes[i]
                if i not in chosen:
                    p *= 1 / size
                else:
                    p *= (e if report[i] == vector[i] else 1) / (e + size - 1)
            total += p
        table[report] = total / math.comb(d, mechanism.sampled)
    return table


@settings(**SOME)
@given(st.floats(0.05, 5), st.lists(st.integers(2, 4), min_size=1, max_size=4), st.data())
def test_grr_fs_distribution_is_the_sum_over_choices(epsilon, sizes, data):
    mechanism = GRRFS(epsilon, tuple(sizes), data.draw(st.integers(1, len(sizes))))
    vector = tuple(data.draw(st.integers(0, size - 1)) for size in sizes)
    fast = mechanism.distribution(vector)
    assert fast == pytest.approx(slow_distribution(mechanism, vector), abs=1e-12)
    assert sum(fast.values()) == pytest.approx(1)


GRR_CASES = [((2, 2, 2, 2), 1), ((2, 2, 2, 2), 2), ((2, 2, 2, 6), 2), ((3, 4), 1), ((2, 3, 3), 3), ((2, 5, 3), 2)]


@pytest.mark.bears("for", "grr-fs-one-feature")
@pytest.mark.parametrize("sizes, m", GRR_CASES)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_grr_fs_spends_what_it_states(sizes, m, epsilon):
    mechanism = GRRFS(epsilon, sizes, m)
    everything = list(product(*(range(size) for size in sizes)))
    assert worst_case(mechanism, everything).epsilon == pytest.approx(m * epsilon)
    assert mechanism.guarantee.epsilon == m * epsilon == pytest.approx(mechanism.pair.epsilon)

    def one_feature(x):
        return [(*x[:i], v, *x[i + 1:]) for i in range(len(x)) for v in range(sizes[i])]
    found = worst_case(mechanism, everything, one_feature).epsilon
    assert found == pytest.approx(mechanism.one_feature_guarantee.epsilon)
    if len(set(sizes)) == 1:
        assert found == pytest.approx(math.log(1 + m / len(sizes) * (math.exp(epsilon) - 1)))


def test_grr_fs_claim_of_the_paper():
    assert GRRFS(1.0, (2,) * 4, 2).guarantee.claimed == pytest.approx(math.log(1 + 0.5 * (math.exp(2) - 1)))
    assert GRRFS(100.0, (2,) * 10, 10).guarantee.claimed == pytest.approx(1000.0)  # beyond what exp can hold
    assert GRRFS(100.0, (2,) * 20, 10).guarantee.claimed == pytest.approx(1000.0 + math.log(0.5))


@pytest.mark.parametrize("sizes, m", [((2, 3, 3), 2), ((2, 2), 1), ((4, 4, 4), 3)])
def test_frequency_estimates_are_unbiased_by_enumeration(sizes, m):
    """Mean and variance for three people with fixed values, over the exact distribution of their reports."""
    mechanism, people = GRRFS(1.2, sizes, m), [tuple(v % size for size in sizes) for v in range(3)]
    for feature, size in enumerate(sizes):
        right, wrong = mechanism.chances(feature)
        for person in people:
            table = mechanism.distribution(person)
            for value in range(size):
                chance = sum(p for report, p in table.items() if report[feature] == value)
                assert chance == pytest.approx(right if person[feature] == value else wrong)
        true = torch.tensor([sum(p[feature] == v for p in people) / 3 for v in range(size)], dtype=torch.float64)
        expected = torch.tensor([sum(right if p[feature] == v else wrong for p in people) / 3 for v in range(size)])
        estimate = (expected.double() - wrong) / (right - wrong)
        assert torch.allclose(estimate, true, atol=1e-6)
        variance = [sum(c * (1 - c) for p in people for c in [right if p[feature] == v else wrong]) / 9
                    / (right - wrong) ** 2 for v in range(size)]
        assert mechanism.variance(true, 3, feature).tolist() == pytest.approx(variance)


def test_estimates_from_reports_follow_equation_5():
    """RGNN, eq. 5, term by term, and randomised response as the case m = d."""
    mechanism = GRRFS(1.0, (3, 2), 1)
    reports = mechanism(torch.tensor([[0, 1], [2, 1], [1, 0], [0, 0]]), generator=seeded(1))
    e, d, m, gamma = math.e, 2, 1, 3
    p, q = e / (e + gamma - 1), 1 / (e + gamma - 1)
    observed = torch.tensor([(reports[:, 0] == v).float().mean() for v in range(3)])
    expected = observed * d / (m * (p - q)) + (m - d - m * gamma * q) / (m * gamma * (p - q))
    assert torch.allclose(mechanism.estimate(reports, 0), expected, atol=1e-5)
    response, alone = RandomisedResponse(1.0, 3), GRRFS(1.0, (3,), 1)
    y = torch.tensor([0, 1, 1, 2, 1])
    assert torch.allclose(response.estimate(y), alone.estimate(y[:, None], 0))
    shares = torch.tensor([0.2, 0.6, 0.2])
    assert torch.allclose(response.variance(shares, 5), alone.variance(shares, 5, 0))
    assert response.estimate(y).sum() == pytest.approx(1)


def test_reports_stay_in_their_domains_and_sample_m():
    x = torch.zeros(2000, 3, dtype=torch.long)
    reports = GRRFS(math.inf, (2, 3, 7), 2)(x, generator=seeded(0))
    assert (reports >= 0).all() and (reports.max(0).values == torch.tensor([1, 2, 6])).all()
    assert ((reports != 0).sum(1) <= 1).all()  # without noise only the one fake can be wrong
    assert torch.equal(GRRFS(math.inf, (2, 3, 7), 3)(x, generator=seeded(0)), x)
    assert GRRFS(math.inf, (2, 2), 1).one_feature_guarantee.epsilon == math.inf


# Every mechanism with a table

@pytest.mark.bears("for", "dp-randomised-response")
@settings(**SOME)
@given(st.floats(0.05, 6), st.data())
def test_tables_sum_to_one_keep_the_guarantee_and_grow_with_epsilon(epsilon, data):
    d = data.draw(st.integers(1, 3))
    m = data.draw(st.integers(1, d))
    sizes = tuple(data.draw(st.integers(2, 4)) for _ in range(d))
    k = data.draw(st.integers(2, 6))
    for make, inputs in (
            (lambda e: RandomisedResponse(e, k), range(k)),
            (lambda e: MultiBit(e, d, sampled=m), list(product((0.0, 0.4, 1.0), repeat=d))),
            (lambda e: NoisyArgMax(1 / e, k), corners(k)),
            (lambda e: GRRFS(e, sizes, m), list(product(*(range(s) for s in sizes))))):
        here, above = make(epsilon), make(1.1 * epsilon)
        assert sum(here.distribution(inputs[0]).values()) == pytest.approx(1)
        found = worst_case(here, inputs).epsilon
        assert found <= here.guarantee.epsilon * (1 + 1e-9)
        assert found < worst_case(above, inputs).epsilon
        assert here.pair.epsilon == pytest.approx(here.guarantee.epsilon)


@pytest.mark.parametrize("call, message", [
    (lambda: Laplace(0.0), "epsilon must be a positive number or inf, got 0.0"),
    (lambda: Laplace(-1.0), "epsilon must be"),
    (lambda: Laplace(math.nan), "epsilon must be"),
    (lambda: Laplace(1.0, sensitivity=0.0), "sensitivity must be a positive finite number"),
    (lambda: Laplace(1.0, sensitivity=math.inf), "sensitivity must be"),
    (lambda: Laplace(1.0, unit="person").guarantee, "unit must be one of"),
    (lambda: Laplace(1.0)(torch.tensor([1]), generator=seeded(0)), "answer must be a tensor of finite floats"),
    (lambda: Laplace(1.0)(torch.tensor([math.nan]), generator=seeded(0)), "1 NaN or infinite"),
    (lambda: Gaussian(1.0, 0.0), "delta must lie strictly between"),
    (lambda: Gaussian(0.0, 1e-5), "epsilon must be"),
    (lambda: Gaussian(1.0, 1e-5, sensitivity=-2.0), "sensitivity must be"),
    (lambda: NoisyArgMax(-1.0, 3), "scale must be a finite number of at least 0"),
    (lambda: NoisyArgMax(math.inf, 3), "scale must be a finite number of at least 0"),
    (lambda: NoisyArgMax(True, 3), "scale must be"),
    (lambda: NoisyArgMax(1.0, 1), "num_classes must be"),
    (lambda: NoisyArgMax(1.0, 3, "cauchy"), "noise must be one of"),
    (lambda: NoisyArgMax(0.0, 2).distribution((1.0, 0.0)), "scale must be above 0"),
    (lambda: NoisyVotes(0.0), "scale must be a positive finite number"),
    (lambda: NoisyVotes(1.0, "cauchy"), "noise must be one of"),
    (lambda: NoisyVotes(1.0)(torch.tensor([3.0, 2.0]), generator=seeded(0)), "votes must be a tensor of finite floats"),
    (lambda: NoisyVotes(1.0)(torch.tensor([[3, 2]]), generator=seeded(0)), "votes must be a tensor of finite floats"),
    (lambda: NoisyVotes(1.0).distribution((math.inf, 2.0)), "votes must be a tensor of finite floats"),
    (lambda: NoisyArgMax(1.0, 2).distribution((0.9, 0.0)), "must sum to 1"),
    (lambda: NoisyArgMax(1.0, 2).distribution((2.0, -1.0)), "features must lie in"),
    (lambda: NoisyArgMax(1.0, 3)(torch.tensor([[0.5, 0.5]]), generator=seeded(0)), "must have 3 columns, got 2"),
    (lambda: GRRFS(1.0, (2, 1), 1), "each of domain_sizes must be a whole number, at least 2"),
    (lambda: GRRFS(1.0, (), 1), "number of domain_sizes"),
    (lambda: GRRFS(1.0, (2, 2), 3), "sampled must be a whole number, between 1 and 2, got 3"),
    (lambda: GRRFS(1.0, (2, 2), 0), "sampled must be"),
    (lambda: GRRFS(0.0, (2, 2), 1), "epsilon must be"),
    (lambda: GRRFS(1.0, (2, 2), 1)(torch.zeros(3, 2), generator=seeded(0)), "int64 tensor of shape"),
    (lambda: GRRFS(1.0, (2, 2), 1)(torch.zeros(3, 3).long(), generator=seeded(0)), "int64 tensor of shape"),
    (lambda: GRRFS(1.0, (2, 3), 1)(torch.tensor([[1, 3]]), generator=seeded(0)),
     "got 1 outside, the first in feature 1"),
    (lambda: GRRFS(1.0, (2, 3), 1)(torch.tensor([[-1, 2]]), generator=seeded(0)), "the first in feature 0"),
])
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_generator_is_asked_for():
    for call in (lambda g: Laplace(1.0)(torch.zeros(2), generator=g),
                 lambda g: Gaussian(1.0, 0.1)(torch.zeros(2), generator=g),
                 lambda g: NoisyArgMax(1.0, 2)(torch.tensor([[0.5, 0.5]]), generator=g),
                 lambda g: NoisyVotes(1.0)(torch.tensor([[3.0, 2.0]]), generator=g),
                 lambda g: GRRFS(1.0, (2,), 1)(torch.zeros(1, 1).long(), generator=g)):
        with pytest.raises(TypeError, match="generator must be a torch.Generator"):
            call(None)


def test_edges_of_the_simplex_and_rounding_are_let_through():
    scores = torch.softmax(torch.randn(50, 41, generator=seeded(3)), 1)
    assert NoisyArgMax(1.0, 41)(scores, generator=seeded(0)).shape == (50,)
    assert np.isfinite(list(NoisyArgMax(0.01, 41).distribution(scores[0].double().tolist()).values())).all()


def test_one_vote_is_cast_withdrawn_or_moved():
    """All pairs of counts, against the three things that one voter can do."""
    counts = list(product(range(4), repeat=3))
    for votes in counts:
        reached = set()
        for i, j in product(range(4), repeat=2):  # from class i to class j; 3 stands for no vote
            moved = [*votes, 9]
            moved[i] -= 1
            moved[j] += 1
            reached.add(tuple(moved[:3]))
        reached -= {votes}
        assert {other for other in counts if one_vote(votes, other)} == reached & set(counts)


def test_without_noise_the_highest_score_wins():
    scores = torch.tensor([[0.3, 0.34, 0.36], [0.5, 0.3, 0.2]]).repeat(500, 1)
    quiet = NoisyArgMax(5.0, 3).noiseless()
    assert quiet.scale == 0 and quiet(scores, generator=seeded(0)).tolist() == [2, 0] * 500


def test_a_class_that_is_hopelessly_behind_never_wins():
    assert laplace_chances((0.0, 1.0), 1e-320) == {0: 0.0, 1: pytest.approx(1)}


@pytest.mark.parametrize("votes", [[-1.0, 3.0], [0.5, 1.0], [-0.5, 1.0]])
def test_votes_are_counts(votes):
    with pytest.raises(ValueError, match="whole numbers of at least 0"):
        NoisyVotes(1.0)(torch.tensor([votes]), generator=seeded(0))
