"""Noise that is a little too small, cut, on a grid or used again is noticed; ``check_mechanism`` says how well."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from scipy import stats

from privgraph.audit import CheckFailed, added_noise, check_mechanism
from privgraph.mechanisms import Gaussian, Laplace, NoisyArgMax, NoisyVotes, noisy
from privgraph.mechanisms.drawing import Drawing

CHANGES = {
    "2% too little": lambda z: 0.98 * z, "2% too much": lambda z: 1.02 * z, "a tenth too little": lambda z: 0.9 * z,
    "cut at 3 scales": lambda z: z.clamp(-3, 3), "drawn again beyond 3 scales": lambda z: z.where(z.abs() < 3, z / 3),
    "cut far out above": lambda z: z.clamp(max=3.9), "cut far out below": lambda z: z.clamp(min=-3.9),
    "a grid of a thousandth": lambda z: (z * 1000).round() / 1000, "32 bits": lambda z: z.float().double(),
    "a grid of 2^-24": lambda z: (z * 2**24).round() / 2**24, "a grid of 2^-30": lambda z: (z * 2**30).round() / 2**30,
    "used twice": lambda z: z[:len(z) // 2].repeat(2), "used with the other sign": lambda z: torch.cat(
        [z[:len(z) // 2], -z[:len(z) // 2].flip(0)]), "one side only": lambda z: z.abs(), "moved": lambda z: z + 0.02}


@dataclass(frozen=True)
class OtherLaplace(Laplace):
    """The noise is changed, and the law is stated as if it were not."""

    change: str = ""

    @noisy
    def __call__(self, answer, *, generator):
        true = Laplace(self.epsilon, self.sensitivity)
        told = (true(answer, generator=generator) - answer) / true.scale
        return answer + true.scale * CHANGES[self.change](told)


@dataclass(frozen=True)
class OtherGaussian(Gaussian):
    change: str = ""

    @noisy
    def __call__(self, answer, *, generator):
        true = Gaussian(self.epsilon, self.delta, self.sensitivity)
        told = (true(answer, generator=generator) - answer) / true.sigma
        return answer + true.sigma * CHANGES[self.change](told)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("make", [lambda change: OtherLaplace(1.0, 2.0, change=change),
                                  lambda change: OtherGaussian(1.0, 1e-5, change=change)], ids=["laplace", "gaussian"])
def test_noise_that_is_not_as_stated_is_noticed(make, change):
    with pytest.raises(CheckFailed, match="^added noise: on 0.0 .* numbers of noise"):
        check_mechanism(make(change), only="added noise")


class SmallerSigma(Gaussian):
    """A tenth too little, and the law says so."""

    @property
    def sigma(self):
        return 0.9 * Gaussian(self.epsilon, self.delta, self.sensitivity).sigma


def test_a_law_with_too_little_noise_is_refuted_by_both_chances():
    """The numbers that are told are those of the law, computed here again."""
    m, right = SmallerSigma(1.0, 1e-5), Gaussian(1.0, 1e-5)
    with pytest.raises(CheckFailed, match="has the chance .* on 1.0 and .* on its neighbour 0.0"):
        check_mechanism(m, only="stated law")
    assert check_mechanism(right, only="stated law").checked["stated law"] == "found 1"
    t = np.linspace(-40, 40, 10_001)
    found = [np.log(((m.law.sf(t - 1) - 1e-5) / m.law.sf(t))[m.law.sf(t - 1) > 1e-5]).max() for m in (m, right)]
    assert found[0] > 1.12 and found[1] == pytest.approx(1, abs=1e-4) and found[1] <= 1


class WithoutLaw(OtherLaplace):
    law = None


def test_a_tenth_is_noticed_where_no_law_is_stated():
    with pytest.raises(CheckFailed, match="^many people: the guarantee .* is refuted: the outcome '"):
        check_mechanism(WithoutLaw(1.0, change="a tenth too little"), only="many people")


WINNERS = [NoisyArgMax(1.0, 3), NoisyArgMax(1.0, 3, "laplace"), NoisyVotes(1.0), NoisyVotes(3.0, "gumbel")]
drawn_as_stated = Drawing.standard


@pytest.mark.parametrize("mechanism", WINNERS, ids=repr)
@pytest.mark.parametrize("share", [0.95, 1.06])
def test_winners_with_a_little_more_or_less_noise_are_noticed(mechanism, share, monkeypatch):
    monkeypatch.setattr(Drawing, "standard", lambda *said: share * drawn_as_stated(*said))
    with pytest.raises(CheckFailed, match="^many people: .* which its stated chance .* explains with probability"):
        check_mechanism(mechanism, only="many people")


@pytest.mark.parametrize("mechanism", WINNERS, ids=repr)
def test_winners_by_noise_on_a_coarse_grid_are_noticed(mechanism, monkeypatch):
    """Ties go to the first class."""
    monkeypatch.setattr(Drawing, "standard", lambda *said: (4 * drawn_as_stated(*said)).round() / 4)
    with pytest.raises(CheckFailed, match="^many people: "):
        check_mechanism(mechanism, only="many people")


@pytest.mark.parametrize("mechanism", [WINNERS[0], *WINNERS[2:]], ids=repr)  # cut Laplace noise: of one vote too many
def test_winners_by_noise_cut_at_3_scales_are_noticed(mechanism, monkeypatch):
    monkeypatch.setattr(Drawing, "standard", lambda *said: drawn_as_stated(*said).clamp(-3, 3))
    with pytest.raises(CheckFailed, match="^many people: "):
        check_mechanism(mechanism, only="many people")


@pytest.mark.parametrize("mechanism", [Laplace(1e3), Laplace(1e-3, 50.0), Laplace(1e6), Gaussian(30.0, 1e-9),
                                       Gaussian(0.01, 1e-3, 9.0)], ids=repr)
def test_sound_noise_of_any_scale_passes(mechanism):
    """Also where floats near the answer lie far apart beside the noise."""
    for name in ("stated law", "added noise", "fresh noise"):
        assert name in check_mechanism(mechanism, only=name).checked
    report = check_mechanism(mechanism, only="many people")  # of a large epsilon 200,000 draws show no excess
    assert ("many people" in report.checked) == (mechanism.epsilon < 10)


def test_how_far_a_right_distribution_function_goes_is_within_the_bound():
    """Of 200 samples none is near the limit of its level, and few reach the one that a twentieth of them may."""
    law, generator, n = stats.laplace(), np.random.default_rng(0), 10_000
    def gap(z):
        steps = np.arange(n + 1) / n
        return max(abs(law.cdf(z) - steps[1:]).max(), abs(law.cdf(z) - steps[:-1]).max())
    gaps = [gap(np.sort(law.rvs(n, random_state=generator))) for _ in range(200)]
    assert 2 <= sum(g > math.sqrt(math.log(2 / 0.05) / 2 / n) for g in gaps) <= 25
    assert max(gaps) < math.sqrt(math.log(2 / 1e-6) / 2 / n)
    with pytest.raises(CheckFailed):
        added_noise.middle(law, np.sort(law.rvs(n, random_state=generator)), min(gaps) / 2, 0.0)
