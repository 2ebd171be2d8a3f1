"""Noise that leaves for good: drawn exactly, whatever floats do. Its bits come from a seed here, so that tests repeat.

Statistical tests run at a level of 1e-6, shared among their outcomes.
"""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privgraph.audit import added_noise, crowds, refuting
from privgraph.audit.refuting import Subject
from privgraph.mechanisms import Gaussian, Laplace, NoisyMean, RowNoise, all_mechanisms, exact_noise, noisy
from privgraph.mechanisms.drawing import Drawing, SecretDrawing, drawing
from privgraph.mechanisms.edge_sampling import exact_ranks
from privgraph.methods.federated.upload_noise import UploadNoise
from privgraph.randomness import Secret, secret, seeded

LEVEL = 1e-6
LAWS = {"exponential": exact_noise.EXPONENTIAL, "laplace": exact_noise.LAPLACE, "normal": exact_noise.NORMAL,
        "gumbel": exact_noise.GUMBEL}


@pytest.fixture(autouse=True)
def bits(monkeypatch):
    """Secret bits of a seed; ``bits(7)`` starts them again."""
    def start(seed: int = 0):
        monkeypatch.setattr(exact_noise, "random_bytes", np.random.default_rng(seed).bytes)
    start()
    return start


def words_in_turn(*words: int):
    """A source of one 64-bit word a call."""
    left = iter(words)
    return lambda size: np.uint64(next(left)).tobytes()


def agrees(counts: dict, chances: dict, total: int) -> bool:
    """Whether each outcome came as often as its chance says."""
    tests = [stats.binomtest(int(counts.get(outcome, 0)), total, min(1.0, float(p))).pvalue
             for outcome, p in chances.items()]
    return min(tests) >= LEVEL / len(tests)


# Choices.

@pytest.mark.parametrize("chance", [0.3, 1e-3, 2.0**-20, 1 - 2.0**-12, 0.0, 1.0])
def test_something_happens_with_its_probability(chance):
    found = exact_noise.happens(np.full(200_000, chance))
    assert agrees({True: found.sum()}, {True: chance}, len(found))


@settings(max_examples=200, deadline=None)
@given(st.floats(0, 1), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_a_choice_is_the_comparison_of_all_bits_with_the_exact_probability(chance, first, second):
    """Also where the first 64 bits are those of the probability: then the next ones decide."""
    for word in (first, min(2**64 - 1, math.floor(Fraction(chance) * 2**64))):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(exact_noise, "random_bytes", words_in_turn(word, second, *[0] * 20))
            u = Fraction(word, 2**64) + Fraction(second, 2**128)
            assert exact_noise.happens(np.array([chance]))[0] == (u < Fraction(chance))


def test_whole_numbers_are_all_alike():
    assert agrees(Counter(exact_noise.below(np.full(200_000, 7)).tolist()), dict.fromkeys(range(7), 1 / 7), 200_000)


def test_of_many_features_each_subset_is_alike():
    draw = drawing(secret())
    found = Counter(tuple(sorted(row)) for row in draw.subsets(60_000, 4, 2).tolist())
    assert agrees(found, dict.fromkeys([(i, j) for j in range(4) for i in range(j)], 1 / 6), 60_000)


@pytest.mark.parametrize("hazard", [0.5, 3.0, 0.01])
def test_geometric_numbers(hazard):
    found = Counter(exact_noise.quotients(np.full(200_000, hazard)).tolist())
    assert agrees(found, {k: math.exp(-hazard * k) * -math.expm1(-hazard) for k in range(12)}, 200_000)


@pytest.mark.parametrize("rates", [(0.3, 0.01, 0.9), (0.0, 1e-3, 0.5)])
def test_each_thing_is_chosen_with_the_rate_of_its_row(rates):
    sizes = torch.tensor([2, 3, 1])
    counts, runs = Counter(), 20_000
    rate = torch.tensor(rates, dtype=torch.double)
    for _ in range(10):
        many = exact_ranks(sizes.repeat(runs // 10), rate.repeat(runs // 10), secret())
        assert torch.equal(many, many.sort().values) and len(many.unique()) == len(many)
        counts.update((many % 6).tolist())
    assert agrees(counts, dict(zip(range(6), [rates[0]] * 2 + [rates[1]] * 3 + [rates[2]], strict=True)), runs)


# Noise on the grid.

@pytest.mark.parametrize("law", LAWS)
def test_floats_lie_as_near_the_real_numbers_as_they_say(law):
    """Against 50 digits, for bits at random and at both ends; the stated error is at most 2^-20 where u is not tiny."""
    found = exact_noise.Noise(LAWS[law], 3_000)
    words = found.words.first.copy()
    words[:100], words[100:200] = np.arange(100), [2**64 - 1 - k for k in range(100)]
    words[200:400] = [2**k + j for k in range(1, 51) for j in (-1, 0, 1, 5)]
    found.words.first = words
    value, error = found.near()
    for place in (*range(400), *range(400, 3_000, 10)):
        if not np.isfinite(error[place]):  # it says that it knows nothing
            assert place < 400
            continue
        low, high = found.between(place, 256)
        assert value[place] - error[place] <= high and low <= value[place] + error[place]
    assert error[400:].max() < 2.0**-20


@pytest.mark.parametrize("law", LAWS)
def test_what_few_bits_leave_open_more_bits_narrow(law):
    found = exact_noise.Noise(LAWS[law], 20)
    for place in range(20):
        ends = [found.between(place, count) for count in (64, 128, 256, 512)]
        for (low, high), (lower, higher) in zip(ends, ends[1:], strict=False):
            assert low <= lower < higher <= high
        assert ends[-1][1] - ends[-1][0] < 1e-100


@pytest.mark.parametrize("law, cdf", [(exact_noise.LAPLACE, stats.laplace.cdf), (exact_noise.NORMAL, stats.norm.cdf)])
@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_multiples_of_the_grid_have_exactly_their_probabilities(law, cdf, dtype, monkeypatch):
    """On a coarse grid, so that each has one worth counting: from an answer that is no multiple."""
    monkeypatch.setattr(exact_noise, "FINE", 1)
    answer, scale, runs = 1 / 3, 1.0, 300_000
    grid = exact_noise.grid_of(scale)
    told = exact_noise.add_noise(law, torch.full((runs,), answer, dtype=dtype), scale).double() / grid
    assert grid == 0.5 and torch.equal(told, told.round())
    start = float(torch.tensor(answer, dtype=dtype)) / grid
    chances = {k: cdf((k + 0.5 - start) * grid) - cdf((k - 0.5 - start) * grid) for k in range(-9, 12)}
    assert agrees(Counter(told.long().tolist()), chances, runs)


ADDITIVE = [Laplace(1.0), Laplace(0.1), Gaussian(1.0, 1e-5), RowNoise(1.0), NoisyMean(1.0, 1e-5, clip=1.0, shots=1)]


def told_by(mechanism, value: float, dtype, generator, count: int = 200_000) -> torch.Tensor:
    answer = torch.full((count, 1, 1) if isinstance(mechanism, NoisyMean) else (count, 1), value, dtype=dtype)
    return mechanism(answer, generator=generator).flatten()


def gives_away(zero: torch.Tensor, one: torch.Tensor) -> tuple[float, float]:
    """How often |o| < 1/2 and o is no multiple of ulp(1/2), from an answer of 0 and from 1. From 1 it cannot be."""
    step = torch.finfo(zero.dtype).eps / 2
    return tuple(float(((o.abs() < 0.5) & (o / step != (o / step).round())).double().mean()) for o in (zero, one))


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_no_report_tells_zero_from_one_with_certainty(mechanism, dtype):
    assert gives_away(*(told_by(mechanism, value, dtype, secret()) for value in (0.0, 1.0))) == (0.0, 0.0)


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_naive_noise_does_and_so_a_seed_is_idealised(mechanism, dtype):
    """The mutant: float noise added to float answers, which experiments use. (A mean is taken in 64 bits, whatever its
    type: rounding that to 32 hides the low bits again, in that case.)"""
    if isinstance(mechanism, NoisyMean) and dtype == torch.float:
        return
    zero, one = gives_away(*(told_by(mechanism, value, dtype, seeded(1)) for value in (0.0, 1.0)))
    assert zero > 0.004 and one == 0.0, (zero, one)


@pytest.mark.parametrize("dtype", [torch.float, torch.double])
@pytest.mark.parametrize("pair", [(0.0, 1.0), (0.1, 1 / 3), (1e6 + 0.1, 1e6 + 1)])
@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
def test_all_answers_reach_the_same_multiples_of_one_grid(mechanism, pair, dtype):
    """The grid is that of the scale alone, whatever the answer; near 0, where floats are finer, nothing else comes."""
    scale = mechanism.sigma if hasattr(mechanism, "sigma") else mechanism.scale
    for value in pair:
        steps = told_by(mechanism, value, dtype, secret(), 20_000).double() / exact_noise.grid_of(scale)
        assert torch.equal(steps, steps.round())


def low_bits_are_alike(told: torch.Tensor, scale: float, above: float) -> bool:
    """Whether the two lowest bits of multiples of the grid are alike, above 1/2 (as often as is said) and below."""
    low = (told.double() / exact_noise.grid_of(scale)).round().long() & 3
    chances = {(side, two): (above if side else 1 - above) / 4 for side in (0, 1) for two in range(4)}
    return agrees(Counter(zip((told > 0.5).long().tolist(), low.tolist(), strict=True)), chances, len(told))


@pytest.mark.parametrize("dtype", [torch.float, torch.double])
@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
def test_low_bits_tell_nothing(mechanism, dtype, bits):
    """A distinguisher that sees on which side of 1/2 a report lies, and its two lowest bits: from any answer the bits
    are alike on either side, so that the side alone is all that it ever knows, which stays under (epsilon, delta)."""
    scale = mechanism.sigma if hasattr(mechanism, "sigma") else mechanism.scale
    law = (stats.norm if hasattr(mechanism, "sigma") else stats.laplace)(scale=scale)
    zero, one = (float(law.sf(0.5 - float(torch.tensor(answer, dtype=dtype)))) for answer in (0.1, 1.0))
    for answer, above in ((0.1, zero), (1.0, one)):
        assert low_bits_are_alike(told_by(mechanism, answer, dtype, secret(), 300_000), scale, above)
    guarantee = mechanism.guarantees[0]
    most = math.exp(guarantee.epsilon)
    assert max(one - most * zero, 1 - zero - most * (1 - one)) <= guarantee.delta


def test_low_bits_that_tell_are_seen(bits):
    """A mutant whose noise is four times as coarse as the grid: the answer's own low bits stay as they were."""
    coarse = 4 * exact_noise.grid_of(1.0)
    added_noise = (told_by(Laplace(1.0), 0.0, torch.double, secret(), 300_000) / coarse).round() * coarse
    assert not low_bits_are_alike(added_noise + exact_noise.grid_of(1.0), 1.0, float(stats.laplace.sf(0.5)))


def test_an_upload_goes_by_the_grid(bits):
    added_noise = UploadNoise(1.0, 1e-5, clip=1.0)
    told = added_noise(torch.full((40, 4), 0.1), 3, secret())
    steps = told.double() / exact_noise.grid_of(added_noise.mechanism(3).sigma)
    assert torch.equal(steps, steps.round())


# Every mechanism, as the audit tries it, with secret bits in place of a seed.

def examples() -> list:
    """All but noise on rows, which states no law of one number."""
    found = [m for kind in all_mechanisms().values() for m in kind.examples()]
    assert [type(m) for m in found if m.law is None and m.audit_case().distribution is None] == [RowNoise, RowNoise]
    return [m for m in found if not isinstance(m, RowNoise)]


@pytest.mark.parametrize("width", [1, 3])
def test_rows_have_a_gamma_length_and_any_direction(width):
    told = RowNoise(0.5)(torch.full((60_000, width), 0.3, dtype=torch.double), generator=secret()) - 0.3
    assert stats.kstest(told.norm(dim=1), stats.gamma(width, scale=2.0).cdf).pvalue > LEVEL
    towards = told[:, 0] / told.norm(dim=1)  # for d = 3 uniform on [-1, 1] (Archimedes), for d = 1 a sign
    if width == 3:
        assert stats.kstest(towards, stats.uniform(-1, 2).cdf).pvalue > LEVEL
    else:
        assert agrees({1: int((towards > 0).sum())}, {1: 0.5}, len(towards))


@pytest.mark.parametrize("mechanism", examples(), ids=repr)
def test_every_mechanism_keeps_its_stated_chances_with_secret_bits(mechanism, monkeypatch, bits):
    """The checks of ``check_mechanism`` that compare draws with what is stated, but that of repeats: noise on a grid
    does repeat itself."""
    for module in (crowds, added_noise, refuting):
        monkeypatch.setattr(module, "seeded", lambda seed: [bits(seed), secret()][1])
    monkeypatch.setattr(added_noise, "repeats", lambda *said: None)
    monkeypatch.setattr(crowds, "CROWD", 50_000), monkeypatch.setattr(added_noise, "DRAWS", 200_000)
    subject, tried = Subject(mechanism, mechanism.audit_case(), 300), 0
    counted = mechanism.audit_case().distribution is not None
    for check in (refuting.drawn, crowds.several_people, crowds.many_people) if counted else (added_noise.added_noise,):
        try:
            check(subject)
            tried += 1
        except refuting.Skipped:
            continue
    assert tried or not math.isfinite(min(g.epsilon for g in mechanism.guarantees))


class Ordinary(Laplace):
    """A mutant: it asks the ordinary generator even where noise is to be secret."""

    @noisy
    def __call__(self, answer, *, generator):
        return Drawing(generator).noisy("laplace", answer, self.scale)


def test_noise_of_an_ordinary_generator_is_refused_where_it_is_to_be_secret():
    assert Ordinary(1.0)(torch.zeros(3), generator=seeded(0)).shape == (3,)
    with pytest.raises(RuntimeError, match="Ordinary must draw its noise through mechanisms.drawing"):
        Ordinary(1.0)(torch.zeros(3), generator=secret())


def test_secret_and_public_are_drawn_by_their_own():
    assert type(drawing(secret())) is SecretDrawing and type(drawing(seeded(0))) is Drawing
    assert isinstance(secret(), Secret)
