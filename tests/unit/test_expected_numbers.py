"""The numbers that other libraries' own tests expect, asked of ours: we agree, or refuse, and never say less.

Google's tests come with dp-accounting: they are run here as they are, with our library in the place of the functions
that they test. Of autodp's test (values of RDP by tensorflow-privacy, 1,344 of them) the questions are listed here; the
answers are integrals, and 23 of those in its file are typed below. Opacus' and OpenDP's are typed. ``COUNTS`` is what
comes out, for each file of Google's.
"""

import importlib
import math
import unittest
from collections import Counter
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp

from privgraph.privacy import (
    ConcentratedPair,
    DiscreteGaussianPair,
    FinitePair,
    GaussianPair,
    LaplacePair,
    Step,
    approximate_pair,
    calibrate,
    delta_answers,
    discrete_laplace_pair,
    fixed_size_pair,
    gdp_epsilon,
    gdp_mu,
    improved_conversion,
    product_pair,
    rdp_epsilon,
    response_pair,
    zcdp_delta,
    zcdp_epsilon,
)
from privgraph.privacy.approximate import finite_epsilon
from privgraph.privacy.asking import best, epsilon_answers

# library and file -> (agree, refused): what cannot be asked is no noise at all or nobody sampled (dp-accounting answers
# 0 or inf), delta 0 and 1 of Gaussian noise, discrete noise that is cut off, a Poisson sample under replace, mixtures,
# trees, repeated selection, orders of 1.
COUNTS = {"losses": (135, 33), "RDP": (24, 23), "PLD accountant": (9, 5), "accountant": (21, 0), "Gaussian": (68, 28)}


class Refused(Exception):
    """Our library cannot be asked this."""


# --- Google's tests, run with ours in the place of what they test


def one_way(pair, forth: bool, epsilon: float) -> float:
    """delta of the one direction, also at negative epsilons, which curves have."""
    if isinstance(pair, FinitePair):
        p, loss = pair.sides[0 if forth else 1]
        return float((p * -np.expm1(np.minimum(epsilon - loss, 0))).sum())
    above_p, _, above_q, _ = pair.tails(np.array([epsilon]), forth)
    return float(np.exp(above_p[0]) - math.exp(epsilon) * np.exp(above_q[0]))


def losses_of(kind: str):
    """A class in the place of their ``...PrivacyLoss``."""
    from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType

    class Ours:
        def __init__(self, parameter, sensitivity=1, sampling_prob=1.0, adjacency_type=AdjacencyType.REMOVE,
                     truncation_bound=None):
            if truncation_bound is not None and truncation_bound < 10 * parameter:
                raise Refused("noise that is cut off")
            self.parameter = self.standard_deviation = self._sigma = parameter
            self.forth, self.adjacency_type = adjacency_type == AdjacencyType.REMOVE, adjacency_type
            if adjacency_type == AdjacencyType.REPLACE:
                if sampling_prob < 1:
                    raise Refused("a Poisson sample under replace")
                sensitivity = 2 * sensitivity
            self.pair = PAIRS[kind](parameter, sensitivity).poisson(sampling_prob)

        def get_delta_for_epsilon(self, epsilon):
            values = [one_way(self.pair, self.forth, e) for e in np.atleast_1d(epsilon)]
            return values if np.ndim(epsilon) else values[0]

        @classmethod
        def from_privacy_guarantee(cls, asked, sensitivity=1, **more):
            def excess(log_noise: float) -> float:
                made = cls(to_parameter(math.exp(log_noise)), sensitivity, **more)
                if kind == "gaussian":  # theirs is about one direction here, and elsewhere about both
                    return one_way(made.pair, made.forth, asked.epsilon) - asked.delta
                return made.pair.delta(asked.epsilon) - (1e-14 if "laplace" in kind else asked.delta)
            to_parameter = (lambda noise: 1 / noise) if kind == "discrete laplace" else float
            return cls(to_parameter(math.exp(brentq(excess, -3, 4, xtol=1e-12))), sensitivity, **more)
    return Ours


PAIRS = {"laplace": lambda b, s: LaplacePair(b / s), "gaussian": lambda sigma, s: GaussianPair(sigma / s),
         "discrete laplace": lambda a, s: discrete_laplace_pair(1 / a, int(s)),
         "discrete gaussian": lambda sigma, s: DiscreteGaussianPair(sigma, int(s))}


def our_losses(theirs) -> SimpleNamespace:
    return SimpleNamespace(LaplacePrivacyLoss=losses_of("laplace"), GaussianPrivacyLoss=losses_of("gaussian"),
                           DiscreteLaplacePrivacyLoss=losses_of("discrete laplace"),
                           DiscreteGaussianPrivacyLoss=losses_of("discrete gaussian"),
                           AdjacencyType=theirs.AdjacencyType)


def steps_of(event, relation: str, count: int = 1, rate: float = 1.0) -> list[Step]:
    """One of their events as steps of ours."""
    kind, made = type(event).__name__, {
        "GaussianDpEvent": lambda: GaussianPair(event.noise_multiplier),
        "LaplaceDpEvent": lambda: LaplacePair(event.noise_multiplier),
        "DiscreteLaplaceDpEvent": lambda: discrete_laplace_pair(1 / event.noise_parameter, event.sensitivity),
        "RandomizedResponseDpEvent": lambda: response(event.noise_parameter, event.num_buckets, relation),
        "ZCDpEvent": lambda: ConcentratedPair(event.rho)}
    if kind == "SelfComposedDpEvent":
        return steps_of(event.event, relation, count * event.count, rate)
    if kind == "ComposedDpEvent":
        return [step for each in event.events for step in steps_of(each, relation, count, rate)]
    if kind == "PoissonSampledDpEvent":
        return steps_of(event.event, relation, count, rate * event.sampling_probability)
    if kind not in made or getattr(event, "xi", 0) or relation == "REPLACE_ONE" and kind != "RandomizedResponseDpEvent":
        raise Refused(kind)
    if rate == 0:
        raise Refused("nobody is sampled")
    try:
        return [Step(made[kind]() if rate == 1 else made[kind]().poisson(rate), count)]
    except (ValueError, ZeroDivisionError) as error:
        raise Refused(str(error)) from error


def response(flip: float, buckets: int, relation: str) -> FinitePair:
    """Two answers of randomised response, or one against the uniform distribution (their "replace special")."""
    if buckets < 2 or flip in (0, 1):
        raise Refused("no noise, or no question")
    keep, rest = 1 - flip + flip / buckets, flip / buckets
    if relation == "REPLACE_ONE":
        return response_pair(math.log(keep / rest), buckets)
    return FinitePair((keep, rest * (buckets - 1)), (1 / buckets, 1 - 1 / buckets))


class OurAccountant:
    """In the place of both of their accountants."""

    def __init__(self, orders=None, relation=None, by_orders=True, **_):
        from dp_accounting.privacy_accountant import NeighboringRelation
        self._orders, self.steps, self.by_orders = orders, [], by_orders
        self.relation = (relation or NeighboringRelation.ADD_OR_REMOVE_ONE).name

    def compose(self, event, count=1):
        self.steps += steps_of(event, self.relation, count)
        return self

    @property
    def _rdp(self):
        return [self.at(order) for order in self._orders]

    def at(self, order: float) -> float:
        if order <= 1:
            raise Refused("orders are above 1")
        return sum(step.count * (step.pair.rdp(order) if order < math.inf else step.pair.epsilon)
                   for step in self.steps)

    def get_epsilon(self, delta: float) -> float:
        if self.by_orders and self._orders is not None:
            return min(improved_conversion(self.at(o), o, delta) for o in self._orders if 1 < o < math.inf)
        return best(epsilon_answers(self.steps, delta))[1].value

    def get_delta(self, epsilon: float) -> float:
        if self.by_orders and self._orders is not None:
            return math.exp(min(0.0, *(log_delta(self.at(o), o, epsilon) for o in self._orders if 1 < o < math.inf)))
        return best(delta_answers(self.steps, epsilon))[1].value


def log_delta(rdp: float, order: float, epsilon: float) -> float:
    return (order - 1) * (rdp - epsilon + math.log1p(-1 / order)) - math.log(order)


def our_rdp(theirs) -> SimpleNamespace:
    def best_of(function):
        def asked(orders, rdp, **more):
            return min((function(each, order, *more.values()), order) for order, each in zip(orders, rdp, strict=True)
                       if order > 1)
        return asked
    def subsampled(rate, sigma, orders):
        return [GaussianPair(sigma).poisson(rate).rdp(order) if order > 1 else math.inf for order in orders]
    def log_a(rate, sigma, order):
        return (order - 1) * GaussianPair(sigma).poisson(rate).rdp(order)
    return SimpleNamespace(
        RdpAccountant=OurAccountant, compute_epsilon=best_of(lambda rdp, order, delta: improved_conversion(
            rdp, order, delta)), compute_delta=best_of(lambda rdp, order, epsilon: math.exp(log_delta(
                rdp, order, epsilon))), _compute_rdp_poisson_subsampled_gaussian=subsampled, _compute_log_a=log_a,
        _compute_randomized_response_rdp=lambda flip, buckets, orders, relation: [
            rdp_of_response(flip, buckets, order, relation) for order in orders])


def rdp_of_response(flip: float, buckets: int, order: float, relation) -> float:
    pair = response(flip, buckets, relation.name)
    return pair.rdp(order) if order < math.inf else pair.epsilon


def our_plds(theirs) -> SimpleNamespace:
    return SimpleNamespace(PLDAccountant=lambda relation=None: OurAccountant(None, relation, by_orders=False),
                           NeighborRel=theirs.NeighborRel)


def our_gaussian(theirs) -> SimpleNamespace:
    def within(delta):
        if not 0 < delta < 1:
            raise Refused("delta 0 or 1")
    def epsilon(sigma, delta, **_):
        within(delta)
        return gdp_epsilon(1 / sigma, delta)
    def sigma(epsilon, delta, **_):
        within(delta)
        return 1 / gdp_mu(epsilon, delta)
    return SimpleNamespace(get_epsilon_gaussian=epsilon, get_sigma_gaussian=sigma)


def our_searches(theirs) -> SimpleNamespace:
    def scale(pair):
        def found(asked, num_queries, sensitivity=1, **more):
            return sensitivity * calibrate(lambda b: [Step(pair(b, **more), num_queries)], asked.epsilon, asked.delta)
        return found
    def discrete(asked, num_queries, sensitivity=1):
        return 1 / calibrate(lambda b: [Step(discrete_laplace_pair(b, sensitivity), num_queries)], asked.epsilon,
                             asked.delta)
    def composed(asked, num_queries, total_delta):
        step = approximate_pair(asked.epsilon, asked.delta)
        epsilon = finite_epsilon(product_pair([(step, num_queries)]), total_delta)
        return None if epsilon == math.inf else epsilon
    def one_of(total, num_queries, delta):
        def spent(epsilon):
            return product_pair([(approximate_pair(epsilon, delta), num_queries)]).delta(total.epsilon) - total.delta
        return None if spent(1e-9) > 0 else brentq(lambda e: spent(e) - 1e-12, 1e-9, total.epsilon + 1, xtol=1e-12)
    return SimpleNamespace(
        get_smallest_laplace_noise=scale(LaplacePair), get_smallest_discrete_laplace_noise=discrete,
        get_smallest_gaussian_noise=scale(GaussianPair),
        get_smallest_subsampled_gaussian_noise=scale(lambda s, sampling_prob: GaussianPair(s).poisson(sampling_prob)),
        advanced_composition=composed, get_smallest_epsilon_from_advanced_composition=one_of)


# test module, what is replaced in it, by what, and which of its tests are about numbers that anybody could be asked
GOOGLE = {
    "losses": ("pld.privacy_loss_mechanism_test", "privacy_loss_mechanism", our_losses,
               ("laplace_get_delta", "gaussian_get_delta", "laplace_from_privacy_parameters0",
                "from_privacy_parameters"), ("value_errors", "MixtureGaussian", "DoubleMixture")),
    "RDP": ("rdp.rdp_privacy_accountant_test", "rdp_privacy_accountant", our_rdp,
            ("rdp_composition", "compute_rdp_gaussian", "multi_gaussian", "multi_zcdp", "zcdp_matches",
             "poisson_sampled_gaussian", "randomized_response_rep", "randomized_response_inf", "response_boundary",
             "epsilon_delta_pure", "epsilon_delta_gaussian", "log_a_equals", "test_laplace", "zero_poisson",
             "compute_eps_tree_eps", "select_pure"), ()),
    "PLD accountant": ("pld.pld_privacy_accountant_test", "pld_privacy_accountant", our_plds,
                       ("gaussian_basic", "subsampled_gaussian", "laplace_basic", "subsampled_laplace",
                        "test_randomized_response", "mixture_of_gaussians_basic", "truncated"), ("supports", "errors")),
    "accountant": ("pld.accountant_test", "accountant", our_searches, ("",), ()),
    "Gaussian": ("gaussian_mechanism_test", "gaussian_mechanism", our_gaussian, ("",), ("gaussian_pld",))}


def nearly(expected, found, *_, delta: float = 0.0, **__) -> None:
    """Noise is rounded up to five digits."""
    assert expected * (1 - 1e-6) - delta <= found <= expected * (1 + 1e-4) + delta, f"{expected} != {found}"


def tighter(expected, found, *_, **__) -> None:
    """Their totals are multiples of a step's epsilon; ours are exact, and 2 percent better at most."""
    assert (expected is None and found is None) or 0.98 <= found / expected <= 1.02, f"{expected} != {found}"


def asked_of_us(name: str) -> dict[str, str]:
    """Their test -> "agree", or why not."""
    place, replaced, ours, wanted, unwanted = GOOGLE[name]
    module = importlib.import_module(f"dp_accounting.{place}")
    cases = [case for suite in unittest.defaultTestLoader.loadTestsFromModule(module) for case in suite
             if any(each in case.id() for each in wanted) and not any(each in case.id() for each in unwanted)]
    outcomes = {}
    with mock.patch.object(module, replaced, ours(getattr(module, replaced))):
        for case in cases:
            if name == "accountant":
                case.assertAlmostEqual = nearly if "_noise_" in case.id() else tighter
            try:
                getattr(case, case._testMethodName)()
                outcomes[case.id()] = "agree"
            except AssertionError as error:
                outcomes[case.id()] = f"differ: {error}"
            except Refused as error:
                outcomes[case.id()] = f"refused: {error}"
            except Exception as error:  # noqa: BLE001
                outcomes[case.id()] = f"differ: {error!r}"
    return outcomes


# At order 1.5 theirs is above the integral, see below. Last digits: at epsilon 1e-5 and such deltas a sigma rounded to
# the safe side by 1e-12 changes the seventh digit of epsilon.
EXPLAINED = ("test_compute_rdp_poisson_sampled_gaussian", "(eps=1e-05, delta=0.5)", "(eps=1e-05, delta=0.9)")


@pytest.mark.parametrize("name", GOOGLE)
def test_googles_tests_pass_with_ours(name):
    outcomes = asked_of_us(name)
    differ = {test: what for test, what in outcomes.items() if what.startswith("differ")}
    assert {test: what for test, what in differ.items() if not test.endswith(EXPLAINED)} == {}
    counts = Counter(what.partition(":")[0] for what in outcomes.values())
    assert (counts["agree"], counts["refused"]) == COUNTS[name]


def test_at_order_one_and_a_half_ours_is_the_integral():
    """dp-accounting's own test expects 6.706e-4 for 50 steps of noise 2.5 at rate .01; the integral is 3% less."""
    import mpmath
    def integrand(x):
        ratio = 0.99 + 0.01 * mpmath.exp((2 * x - 1) / (2 * 2.5**2))
        return mpmath.npdf(x, 0, 2.5) * ratio**1.5
    exact = 50 * float(mpmath.log(mpmath.quad(integrand, mpmath.linspace(-40, 40, 21))) / 0.5)
    ours = 50 * GaussianPair(2.5).poisson(0.01).rdp(1.5)
    assert exact <= ours <= 1.001 * exact and 6.706e-4 > 1.02 * exact


# --- autodp's 1,344 values of RDP

ORDERS, RATES, SIGMAS = (1.25, 2.0, 2.25, 4.0, 4.5, 10.0, 25.0, 64.0, 128.0), (0.01, 0.05, 0.1, 0.2), (
    0.1, 0.25, 0.5, 1.0, 2.0, 10.0)
USES = (1, 10, 100, 1000, 5000, 10_000)
TYPED = {  # (order, rate, sigma): as printed in its test, for one use
    (1.25, 0.01, 0.1): 39.47435359280898, (2.25, 0.01, 0.1): 104.21069366522143, (128.0, 0.01, 0.1): 6395.3585686314445,
    (1.25, 0.01, 0.25): 0.1103603174246269, (4.5, 0.01, 0.25): 30.079066903729597,
    (1.25, 0.01, 0.5): 0.0018977736416478479, (2.25, 0.01, 0.5): 0.0083541177519165,
    (4.0, 0.01, 0.5): 1.8618755130319669,
    (1.25, 0.01, 2.0): 1.7710637990830963e-05, (2.0, 0.01, 2.0): 2.8402138324210935e-05,
    (4.5, 0.01, 2.0): 6.440025440052329e-05, (64.0, 0.01, 2.0): 3.321746408681008,
    (1.25, 0.01, 10.0): 6.280881026314128e-07, (25.0, 0.01, 10.0): 1.259163330476561e-05,
    (1.25, 0.05, 0.1): 47.52136461284061, (2.25, 0.05, 10.0): 2.8269123305335597e-05,
    (1.25, 0.1, 0.25): 1.804874412576095, (4.0, 0.1, 0.25): 28.929886542674605, (1.25, 0.1, 0.5): 0.09126475987344684,
    (2.25, 0.1, 10.0): 0.00011308433028369105, (128.0, 0.1, 10.0): 0.007298431011732186,
    (1.25, 0.2, 0.1): 54.4528141427903, (2.25, 0.2, 0.25): 15.10301177558829}


def integral(order: float, rate: float, sigma: float) -> float:
    """RDP of one sampled use by a sum over a fine grid; what is small is summed as a small number."""
    x, step = np.linspace(-15 * sigma, order + 15 * sigma, 200_001, retstep=True)
    density = -((x / sigma) ** 2) / 2 - math.log(sigma * math.sqrt(2 * math.pi))
    before = (2 * x - 1) / (2 * sigma**2)
    loss = np.where(before < 1, np.log1p(rate * np.expm1(np.minimum(before, 1))),
                    np.logaddexp(math.log1p(-rate), math.log(rate) + before))
    if (order * loss).max() > 30:
        return float(logsumexp(density + order * loss) + math.log(step)) / (order - 1)
    excess = np.expm1(order * loss) - order * np.expm1(loss)  # of mean the moment less 1, and nowhere negative
    return math.log1p(float((np.exp(density) * excess).sum()) * step) / (order - 1)


@pytest.mark.parametrize("rate", RATES)
def test_autodps_values(rate):
    """1,296 on a grid; uses multiply. Ours is an upper bound, at fractional orders by at most a percent."""
    for sigma in SIGMAS:
        pair = GaussianPair(sigma).poisson(rate)
        for order in ORDERS:
            value, ours = TYPED.get((order, rate, sigma), integral(order, rate, sigma)), pair.rdp(order)
            assert all(uses * value * (1 - 1e-6) <= uses * ours <= uses * value * 1.01 for uses in USES)


@pytest.mark.parametrize("key", TYPED)
def test_autodps_typed_values(key):
    order, rate, sigma = key
    assert TYPED[key] * (1 - 1e-6) <= GaussianPair(sigma).poisson(rate).rdp(order) <= 1.01 * TYPED[key]


def test_autodps_values_without_sampling():
    """24 with rate 1; 24 with rate 0, where nobody is sampled, are refused."""
    for sigma in (1.0, 10.0):
        for order in (2.0, 2.5, 4.0, 4.5, 8.0, 8.5):
            assert GaussianPair(sigma).rdp(order) == pytest.approx(order / (2 * sigma**2), rel=1e-12, abs=0)
        with pytest.raises(ValueError, match="rate must"):
            GaussianPair(sigma).poisson(0.0)


# --- Opacus 1.6.0 and OpenDP: numbers typed from their tests


def test_opacus_numbers():
    """RDP epsilon of 2,250 steps (two of its orders are not ours), and two noise multipliers, searched for to .01."""
    steps = [Step(GaussianPair(1.5).poisson(0.04), 2250)]
    assert rdp_epsilon(steps, 1e-5) == pytest.approx(7.32911117143, rel=5e-3, abs=0)
    for noise, count in ((1.416, 2250), (1.3562, 2000)):
        found = calibrate(lambda sigma, count=count: [Step(GaussianPair(sigma).poisson(0.04), count)], 8.0, 1e-5, "rdp")
        assert found == pytest.approx(noise, rel=5e-3, abs=0)


def test_opendp_numbers():
    """zCDP to (epsilon, delta), to the last digits; amplification by a sample of 10 of 100 without replacement."""
    rho = (1.0 / 4.0) ** 2 / 2
    assert zcdp_epsilon(rho, 1e-3) == pytest.approx(0.6880024554878085, rel=1e-9, abs=0)
    assert zcdp_delta(rho, 0.6880024554878085) == pytest.approx(1e-3, rel=1e-9, abs=0)
    assert zcdp_delta(rho, 0.0) == pytest.approx(0.1508457845622862, rel=1e-9, abs=0)
    assert zcdp_delta(0.05, 0.25) == pytest.approx(8.17727531036956e-2, rel=1e-9, abs=0)
    assert zcdp_delta(5e-30, 1e-13) == pytest.approx(2.619676329730346e-234, rel=1e-6, abs=0)
    assert zcdp_delta(0.5, 0.0) == pytest.approx(0.5588356393474351, rel=1e-9, abs=0)
    sampled = fixed_size_pair(LaplacePair(0.5), 10, 100)
    assert 0.494 < sampled.epsilon <= 0.4941
