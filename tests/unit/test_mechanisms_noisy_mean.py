"""Prototypes with noise: the sensitivity, two accountants, what is drawn, and mutants that the audits must catch."""

import math
from dataclasses import dataclass, replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from privgraph.audit import CheckFailed, check_mechanism
from privgraph.audit.refuting import unlikely
from privgraph.audit.statistical import two_sample_bound
from privgraph.mechanisms import Gaussian, NoisyMean
from privgraph.methods import prototypes
from privgraph.privacy import GaussianPair, Step, pld_epsilon, rdp_epsilon
from privgraph.randomness import seeded

WAYS, SHOTS, D, CLIP = 3, 4, 2, 2.0
MECHANISM = NoisyMean(3.0, 0.01, clip=CLIP, shots=SHOTS)


def draw(*shape, seed=0, size=3.0):
    return size * torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def moved(z, other):
    """How far all means move together."""
    return float((MECHANISM.means(other) - MECHANISM.means(z)).norm())


def replaced(z, place, row):
    z = z.clone()
    z[place] = row
    return z


def test_means_are_those_of_clipped_rows():
    z = draw(WAYS, SHOTS, D, size=1.5)
    slow = torch.stack([torch.stack([row if row.norm() <= CLIP else row * CLIP / row.norm() for row in rows]).mean(0)
                        for rows in z])
    assert torch.allclose(MECHANISM.means(z), slow)
    assert (z.norm(dim=2) > CLIP).any() and (z.norm(dim=2) < CLIP).any()
    silent = replace(MECHANISM, epsilon=math.inf)
    assert torch.equal(silent(z, generator=seeded(0)), silent.means(z))
    assert MECHANISM.means(torch.zeros(1, SHOTS, D)).tolist() == [[0, 0]]


def test_short_rows_give_the_prototypes_of_the_dissertation():
    z, y = draw(WAYS * SHOTS, D, size=0.1).float(), torch.tensor([2, 0, 1] * SHOTS)
    assert torch.allclose(MECHANISM.means(MECHANISM.rows(z, y, WAYS)), prototypes(z, y, WAYS))


numbers = st.lists(st.floats(-1e6, 1e6), min_size=D, max_size=D)


@settings(max_examples=100)
@given(numbers, numbers, st.integers(0, WAYS - 1), st.integers(0, SHOTS - 1))
def test_no_replaced_graph_moves_the_means_further(first, second, c, place):
    z, (first, second) = draw(WAYS, SHOTS, D), torch.tensor([first, second], dtype=torch.float64)
    before, after = (replaced(z, (c, place), row) for row in (first, second))
    assert moved(before, after) <= MECHANISM.sensitivity * (1 + 1e-12)
    changed = (MECHANISM.means(before) != MECHANISM.means(after)).any(1)
    assert not changed[torch.arange(WAYS) != c].any()  # the others' means stay


def test_opposite_rows_attain_the_sensitivity_and_exchanged_ones_root_two_of_it():
    z, row = draw(WAYS, SHOTS, D), torch.tensor([30.0, 40.0], dtype=torch.float64)
    assert MECHANISM.sensitivity == 2 * CLIP / SHOTS == 1
    assert moved(replaced(z, (1, 2), row), replaced(z, (1, 2), -row)) == pytest.approx(MECHANISM.sensitivity)
    first, other = (replaced(replaced(z, (0, 0), sign * row), (1, 0), -sign * row) for sign in (1, -1))
    assert moved(first, other) == pytest.approx(math.sqrt(2) * MECHANISM.sensitivity)


def test_with_a_fixed_divisor_a_change_of_class_would_cost_no_more():
    """As the docstring says of sums that are divided by K whatever their length: here a row goes from class 0 to 1."""
    row = torch.tensor([CLIP, 0.0], dtype=torch.float64)
    others = [(-row, row), (row, -row), (row, row)]
    shifts = [float(torch.cat([old, new]).norm()) / SHOTS for old, new in others]
    assert max(shifts) == pytest.approx(math.sqrt(2) * CLIP / SHOTS) and max(shifts) < MECHANISM.sensitivity


def test_the_guarantee_is_for_one_replaced_support_graph():
    stated = MECHANISM.guarantee
    assert (stated.epsilon, stated.delta) == (3.0, 0.01)
    assert (stated.unit, stated.relation) == ("support graph", "replace")
    assert (stated.trust, stated.basis) == ("central", "proved")
    assert MECHANISM.guarantees == (stated,)
    assert MECHANISM.sigma == Gaussian(3.0, 0.01, sensitivity=1.0).sigma
    assert MECHANISM.pair == GaussianPair(MECHANISM.sigma)


@pytest.mark.parametrize("epsilon, delta", [(1.0, 1e-5), (8.0, 1e-5), (0.1, 1e-3), (3.0, 0.01)])
def test_two_accountants_agree(epsilon, delta):
    """Loss distributions bracket the epsilon, Renyi divergences stay above it; and both for two that change places."""
    mechanism = NoisyMean(epsilon, delta, clip=CLIP, shots=SHOTS)
    for uses, stated in ((1, epsilon), (2, mechanism.exchanged_epsilon())):
        steps = [Step(mechanism.pair, uses)]
        found = pld_epsilon(steps, delta)
        assert found.optimistic <= stated * (1 + 1e-9) and stated <= found.pessimistic * (1 + 1e-9)
        assert stated <= rdp_epsilon(steps, delta) * (1 + 1e-9)


def test_what_changes_places_costs_more_than_one_and_nothing_at_all_without_noise_is_promised():
    assert MECHANISM.epsilon < MECHANISM.exchanged_epsilon() < 2 * MECHANISM.epsilon
    assert replace(MECHANISM, epsilon=math.inf).exchanged_epsilon() == math.inf
    assert NoisyMean(1e-3, 0.3).exchanged_epsilon() > 2e-3  # where twice the epsilon would not be enough


@pytest.mark.parametrize("epsilon", [40.0, 3000.0])
def test_what_changes_places_is_found_for_large_epsilons_too(epsilon):
    mechanism = NoisyMean(epsilon, 1e-5)
    shift = math.sqrt(2) * mechanism.sensitivity / mechanism.sigma
    assert GaussianPair(1 / shift).delta(mechanism.exchanged_epsilon()) == pytest.approx(1e-5)


def test_one_shot_and_a_bound_of_one_are_the_default_and_no_shots_are_refused():
    assert NoisyMean(1.0, 1e-5) == NoisyMean(1.0, 1e-5, clip=1.0, shots=1)
    with pytest.raises(ValueError, match="shots must be a whole number, at least 1, got 0"):
        NoisyMean(1.0, 1e-5, shots=0)


def counted(mechanism, sign):
    """In how many of 100,000 classes the noisy mean lies on one side, where one row of four is long."""
    z = replaced(draw(1, SHOTS, D), (0, 0), sign * torch.tensor([300.0, 400.0]))
    told = mechanism(z.repeat(100_000, 1, 1), generator=seeded(7 + sign))
    middle = mechanism.means(replaced(z, (0, 0), 0.0))
    return int(((told - middle) @ torch.tensor([0.6, 0.8], dtype=torch.float64) > 0).sum())


@pytest.mark.bears("for", "segcl-noisy-prototypes")
@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_what_is_drawn_has_its_law_and_proves_no_more_than_is_promised(epsilon):
    """At level 1e-6 each. Counts are those of a shift of half the sensitivity: noise that is off by 10% is seen."""
    mechanism = replace(MECHANISM, epsilon=epsilon)
    hits = [counted(mechanism, sign) for sign in (1, -1)]
    for count, side in zip(hits, (norm.cdf, norm.sf), strict=True):
        assert unlikely(count, 100_000, side(mechanism.sensitivity / 2 / mechanism.sigma)) > 0.5e-6
    assert two_sample_bound(hits[0], 100_000, hits[1], 100_000, 1 - 1e-6, mechanism.delta) <= epsilon


@dataclass(frozen=True)
class ClipsTheMean(NoisyMean):
    def means(self, z):
        mean = z.double().mean(1)
        return (mean * (self.clip / mean.norm(dim=1, keepdim=True)).clamp(max=1)).to(z.dtype)


@dataclass(frozen=True)
class NeverClips(NoisyMean):
    def means(self, z):
        return z.double().mean(1).to(z.dtype)


@dataclass(frozen=True)
class HalfAsSensitive(NoisyMean):
    @property
    def sensitivity(self):
        return self.clip / self.shots


@dataclass(frozen=True)
class ShortestSide(NoisyMean):
    """Clips the largest entry, not the length."""
    def means(self, z):
        return z.double().clamp(-self.clip, self.clip).mean(1).to(z.dtype)


@pytest.mark.parametrize("mutant", [ClipsTheMean, NeverClips, HalfAsSensitive])
@pytest.mark.parametrize("only", ["stated law", "lower bound"])
def test_the_audits_refute_each_twin(mutant, only):
    """By the law of the noise, and by what is drawn. What is right passes: it is among the examples."""
    assert MECHANISM in NoisyMean.examples()
    with pytest.raises(CheckFailed, match=r"the guarantee for one support graph \(replace\) is refuted"):
        check_mechanism(mutant(3.0, 0.01, clip=CLIP, shots=SHOTS), runs=600, only=only)


def test_entries_that_are_clipped_one_by_one_leave_the_ball():
    """One number is not enough to see it, and the trial has one: so rows of two are tried here."""
    z, row = draw(WAYS, SHOTS, D), torch.tensor([30.0, 40.0], dtype=torch.float64)
    mutant = ShortestSide(3.0, 0.01, clip=CLIP, shots=SHOTS)
    far = mutant.means(replaced(z, (0, 0), row)) - mutant.means(replaced(z, (0, 0), -row))
    assert float(far.norm()) > 1.4 * mutant.sensitivity


def test_rows_come_class_by_class_in_their_order():
    z, y = torch.arange(8.0)[:, None], torch.tensor([1, 0, 1, 0, 0, 1, 0, 1])
    assert MECHANISM.rows(z, y, 2)[:, :, 0].tolist() == [[1, 3, 4, 6], [0, 2, 5, 7]]
    with pytest.raises(ValueError, match=r"each of 2 classes 4 times \(shots\), got 7 with .4, 3."):
        MECHANISM.rows(z[1:], y[1:].flip(0), 2)
    assert MECHANISM.rows(z[:4], torch.zeros(4, dtype=torch.long), 1).shape == (1, 4, 1)  # one class is enough
    with pytest.raises(ValueError, match="ways must be a whole number, at least 1, got 0"):
        MECHANISM.rows(z[:0], y[:0], 0)


def test_a_single_number_that_is_none_is_refused():
    with pytest.raises(ValueError, match="z must be finite, got 1 NaN or infinite values"):
        MECHANISM(replaced(draw(WAYS, SHOTS, D), (0, 0, 0), math.nan), generator=seeded(0))


def test_noise_is_drawn_for_every_number():
    told = MECHANISM(torch.zeros(50, SHOTS, D), generator=seeded(0))
    assert told.dtype == torch.float32 and told.shape == (50, D) and len(told.unique()) == 50 * D
