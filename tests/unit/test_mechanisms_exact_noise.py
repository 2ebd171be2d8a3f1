"""Exact noise step by step, on chosen bits: what each bound promises, and that more bits decide where it leaves room.

What is drawn is counted in ``tests/statistical/test_exact_noise.py``.
"""

import math

import mpmath
import numpy as np
import pytest
import torch

from privgraph.mechanisms import exact_noise
from privgraph.mechanisms.exact_noise import EXPONENTIAL, GUMBEL, LAPLACE, NORMAL, Noise

LAWS = {"exponential": EXPONENTIAL, "laplace": LAPLACE, "normal": NORMAL, "gumbel": GUMBEL}
FULL = 2**64 - 1  # a word of ones
HALF = 2**63


def noise(law, *words: int, rest: int | None = None) -> Noise:
    """Noise of these words, with a plus; the bits behind each are all ``rest``, 448 of them, or not known yet."""
    found = Noise(law, len(words))
    found.words.first, found.sign = np.array(words, dtype=np.uint64), np.ones(len(words))
    if rest is not None:
        found.words.known = {place: ((word << 448) + rest * (2**448 - 1), 512) for place, word in enumerate(words)}
    return found


def real(law, u):
    """With 300 bits."""
    with mpmath.workprec(300):
        return law.slow(mpmath, mpmath.mpf(u))


@pytest.fixture
def ones(monkeypatch):
    """The operating system gives ones only: how many bytes it was asked for."""
    asked = []
    monkeypatch.setattr(exact_noise, "random_bytes", lambda size: asked.append(size) or b"\xff" * size)
    return asked


@pytest.fixture
def seeded_bits(monkeypatch):
    return lambda seed: monkeypatch.setattr(exact_noise, "random_bytes", np.random.default_rng(seed).bytes)


# Bits.

def test_more_bits_of_a_number_go_on_from_those_that_it_had(ones):
    words = exact_noise.Words(2)
    words.first = np.array([5, 9], dtype=np.uint64)
    assert words.ends(0, 64) == (5, 64) and words.ends(1, 192) == (10 * 2**128 - 1, 192)
    assert words.ends(0, 128) == (6 * 2**64 - 1, 128) == words.ends(0, 96)
    assert ones == [16, 16, 8]


def test_what_is_certain_or_impossible_asks_no_further(ones, monkeypatch):
    assert exact_noise.happens(np.array([1.0, 1 - 2.0**-53, 0.0])).tolist() == [True, False, False]
    monkeypatch.setattr(exact_noise, "random_bytes", bytes)
    assert exact_noise.happens(np.array([1.0, 2.0**-70, 0.0])).tolist() == [True, True, False]


def test_every_word_makes_a_number_below_a_power_of_two(ones):
    assert exact_noise.below(np.array([1, 8, 2**62])).tolist() == [0, 7, 2**62 - 1]


@pytest.mark.parametrize("size", [7, 9, 10**12])
def test_a_word_beyond_the_last_whole_round_is_drawn_again(size, monkeypatch):
    words = iter([2**64 - 2**64 % size, 3, 2**64 - 2**64 % size - 1])
    monkeypatch.setattr(exact_noise, "random_bytes", lambda _: np.uint64(next(words)).tobytes())
    assert [int(exact_noise.below(np.array([size]))[0]) for _ in range(2)] == [3, size - 1]


def test_signs_are_signs_however_many():
    for count in range(1, 20):
        found = exact_noise.signs(count)
        assert found.shape == (count,) and set(found.tolist()) <= {1.0, -1.0}


# Bounds.

@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_float_value_keeps_to_its_bound_wherever_u_may_be(law):
    """u is moved by all of du to either side; for du near u nothing is known."""
    centre = np.array([1e-18, 1e-3, 1 / math.e, 0.66])
    for share in (2.0**-40, 0.01, 0.2, 0.49):
        for u, value, error in zip(centre, *law.fast(centre, share * centre), strict=True):
            assert all(abs(real(law, mpmath.mpf(u) * (1 + side * share)) - value) <= error for side in (-1, 1))
    assert np.isfinite(law.fast(centre[:2], 0.4 * centre[:2])[1]).all()
    assert np.isinf(law.fast(centre, 0.9 * centre)[1]).all()


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_number_keeps_to_its_bound_whatever_bits_follow(law):
    words = [0, 1, 2, 3, 9, 2**40 + 1, int(2**64 / math.e), *(FULL // 7 * k for k in range(1, 7)), FULL - 3, FULL - 1]
    for rest in (0, 1):
        found = noise(law, *words, rest=rest)
        for place, (word, value, error) in enumerate(zip(words, *found.near(), strict=True)):
            if np.isfinite(error):
                assert all(abs(value - end) <= error for end in found.between(place, 512)), (place, rest)
            else:
                assert word < 2 or (law is GUMBEL and word > FULL - 4)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_an_interval_has_room_for_the_rounding_of_its_ends_and_little_more(law):
    words = [1, 2, 5, 2**40 + 1, int(2**64 / math.e), *(FULL // 11 * k for k in range(1, 11)), FULL - 5, FULL - 1]
    found = noise(law, *words)
    for place, word in enumerate(words):
        low, high = found.between(place, 64)
        least, most = sorted(real(law, mpmath.ldexp(k, -64)) for k in (word, word + 1))
        room = mpmath.ldexp(1 + max(abs(least), abs(most)), -64)
        assert 0 < least - low < 3 * room and 0 < high - most < 3 * room


def test_at_both_ends_of_u_an_interval_has_no_end_where_the_law_has_none():
    for law, falls in ((EXPONENTIAL, True), (NORMAL, True), (GUMBEL, False)):
        first, last = (noise(law, word).between(0, 64) for word in (0, FULL))
        assert math.isinf(first[1] if falls else first[0]) and math.isinf(last[1]) == (not falls)
        assert not falls or -1e-18 < last[0] < 0 < last[1] < 1e-18


# Rows.

def a_row(*words: int) -> list[int]:
    """Beside a row of ordinary words."""
    return [HALF // 3, HALF // 7, HALF // 5, *words]


ODD_ROWS = [(a_row(3, HALF, HALF // 9), a_row(HALF, HALF // 3, HALF // 2)),
            (a_row(HALF // 3, HALF, HALF // 9), a_row(HALF, 2**19, HALF // 2)),
            (a_row(HALF // 3, 4, HALF // 9), a_row(2**18, FULL - 9, HALF // 2)),
            (a_row(HALF // 3, HALF, HALF // 9), a_row(FULL // 50 * 49, FULL // 30 * 29, FULL // 20 * 19))]


@pytest.mark.parametrize("lengths, normals", ODD_ROWS)
@pytest.mark.parametrize("rest", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_number_of_a_row_keeps_to_its_bound_whatever_bits_follow(lengths, normals, rest):
    lengths, normals = noise(EXPONENTIAL, *lengths, rest=rest[0]), noise(NORMAL, *normals, rest=rest[1])
    value, error = exact_noise.rows_near(lengths, normals, (2, 3))
    assert error[:3].max() < 1e-9 and np.isfinite(error).all()
    for place in range(6):
        row = range(3 * (place // 3), 3 * (place // 3) + 3)
        assert all(abs(value[place] - end) <= error[place]
                   for end in exact_noise.row_between(lengths, normals, row, place, 512)), place


@pytest.mark.parametrize("lengths, normals", ODD_ROWS)
def test_an_interval_of_a_row_holds_what_more_bits_tell(lengths, normals):
    def between(place, bits, rest=None):
        return exact_noise.row_between(noise(EXPONENTIAL, *lengths, rest=rest), noise(NORMAL, *normals, rest=rest),
                                       range(3, 6), place, bits)
    for place in range(3, 6):
        low, high = between(place, 64)
        for rest in (0, 1):
            lower, higher = between(place, 512, rest)
            assert low < lower < higher < high and higher - lower < 1e-100


@pytest.mark.parametrize("lengths, normals", [([HALF], [FULL]), ([HALF, HALF], [0, HALF]), ([0, HALF], [HALF, HALF])])
def test_a_row_whose_norm_or_length_is_not_known_is_anywhere(lengths, normals):
    lengths, normals = noise(EXPONENTIAL, *lengths), noise(NORMAL, *normals)
    row = range(len(lengths.sign))
    assert exact_noise.row_between(lengths, normals, row, 0, 64) == (-mpmath.inf, mpmath.inf)


# Decisions.

def test_the_grid_is_the_largest_power_of_two_that_is_at_most_a_scale_over_2_to_the_20():
    assert [exact_noise.grid_of(scale) for scale in (1.0, 1.99, 2.0, 0.75)] == [2.0**-20, 2.0**-20, 2.0**-19, 2.0**-21]


def test_scales_are_accepted_up_to_the_border():
    for border, beyond in ((2.0**-900, 0.0), (2.0**900, math.inf)):
        assert exact_noise.grid_of(border) == border * 2.0**-20
        with pytest.raises(ValueError, match="scale between"):
            exact_noise.grid_of(math.nextafter(border, beyond))


@pytest.mark.parametrize("value", [1e300, -1e300, 1e18, 3e38])
def test_answers_of_any_size_come_out_as_numbers(value):
    dtype = torch.float if value == 3e38 else torch.double
    told = exact_noise.add_noise(LAPLACE, torch.tensor([value], dtype=dtype), 1.0)
    nearest = math.copysign(min(abs(value), 2.0**42), value)
    assert told.isfinite().all() and float(told) == pytest.approx(nearest, rel=1e-6, abs=0)


def test_a_multiple_is_decided_by_floats_only_where_their_error_leaves_one():
    """The sums lie near 2 1/2: below it by 10^-9, which an error of 10^-12 leaves there, and one of 10^-8 does not."""
    asked = []
    def refine(place, bits):
        asked.append((place, bits))
        return mpmath.mpf(2.25) + 1e-12, mpmath.mpf(2.25) + 1e-11
    value = np.array([2.25 - 1e-9, 2.25 - 1e-9, math.inf])
    found = exact_noise.decided(np.full(3, 0.25), value, np.array([1e-12, 1e-8, math.inf]), refine)
    assert found.tolist() == [2, 3, 3] and asked == [(1, 128), (2, 128)]


def test_noise_that_is_not_known_to_a_step_of_the_grid_is_asked_for_again():
    near = np.array([-0.25, -0.25]), np.array([1e-3, 1e-9])
    told = exact_noise.rounded(torch.zeros(2), 1.0, near, lambda place, bits: [mpmath.mpf(-0.3)] * 2)
    assert told.tolist() == pytest.approx([-0.3, -0.25], abs=2.0**-20)


def test_more_and_more_bits_are_asked_for_until_one_multiple_is_left():
    """Twice as many each time, so that whole bytes are drawn."""
    ends = {128: (1.0, 1.4), 256: (1.0, math.inf), 512: (1.0, 1.1)}
    assert exact_noise.refined(0.25, ends.pop) == 1 and not ends


def test_a_winner_is_whoever_is_left_when_bits_tell_the_others_behind():
    ends = {(3, 128): (-1, 4), (1, 128): (1, 1.2), (0, 128): (-5, 0.4), (3, 256): (0.1, 0.2), (1, 256): (0.5, 0.6)}
    found = exact_noise.winner([0, 1, 3], np.array([1.0, 0.0, 9.0, 1.0]), 2.0, lambda *asked: ends.pop(asked))
    assert found == 3 and not ends


ANSWER, SCORES = torch.tensor([0.1, 1 / 3, -7e5, 1e-9], dtype=torch.double), torch.full((15, 4), 0.25)


@pytest.mark.parametrize("told", [lambda: exact_noise.add_noise(LAPLACE, ANSWER.repeat(15), 0.7),
                                  lambda: exact_noise.add_noise(NORMAL, ANSWER.repeat(15), 0.7),
                                  lambda: exact_noise.add_row_noise(ANSWER.expand(3, 4), 2.0),
                                  lambda: exact_noise.winners(LAPLACE, SCORES, 1.0),
                                  lambda: exact_noise.winners(GUMBEL, SCORES, 1.0),
                                  lambda: torch.from_numpy(exact_noise.quotients(np.array([0.4, 0.01, 2.0] * 20)))],
                         ids=["laplace", "normal", "rows", "laplace winners", "gumbel winners", "geometric"])
def test_the_second_step_decides_as_the_first_does(told, seeded_bits, monkeypatch):
    """Where floats are trusted with a sixteenth only, nearly all goes the slow way, to the same numbers."""
    seeded_bits(4)
    quick = told()
    seeded_bits(4)
    monkeypatch.setattr(exact_noise, "MARGIN", 2.0**-4)
    assert torch.equal(told(), quick)


@pytest.mark.parametrize("law", [LAPLACE, GUMBEL], ids=["laplace", "gumbel"])
def test_the_winner_has_the_largest_sum_of_its_row(law, seeded_bits):
    scores = torch.arange(60).view(15, 4) % 7 / 4
    seeded_bits(6)
    found = exact_noise.winners(law, scores, 1.5)
    seeded_bits(6)
    sums = scores.numpy() / 1.5 + Noise(law, 60).near()[0].reshape(15, 4)
    assert found.tolist() == sums.argmax(1).tolist() and len(set(found.tolist())) == 4


def test_a_geometric_number_is_the_whole_part_of_a_quotient(seeded_bits):
    hazard = np.array([0.4, 0.01, 2.0] * 20)
    seeded_bits(6)
    found = exact_noise.quotients(hazard)
    seeded_bits(6)
    assert found.tolist() == np.floor(Noise(EXPONENTIAL, 60).near()[0] / hazard).tolist()


def test_geometric_numbers_end_where_whole_numbers_do():
    assert exact_noise.quotients(np.array([1e-25, 1e25])).tolist() == [2**62, 0]


def test_noise_is_larger_than_asked_for_by_less_than_anybody_sees(seeded_bits):
    answer = torch.zeros(100, dtype=torch.double)
    seeded_bits(1)
    told = exact_noise.add_noise(LAPLACE, answer, 1.0)
    seeded_bits(1)
    value, _ = Noise(LAPLACE, 100).near()
    assert np.abs(told.numpy() - value).max() <= exact_noise.grid_of(1.0)
    assert 2.0**-50 < exact_noise.SAFER - 1 < 2.0**-20
