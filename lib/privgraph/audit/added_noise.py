"""The checks of ``check_mechanism`` on noise that is added to numbers, where its law is stated."""

import math
from collections.abc import Hashable

import numpy as np
from scipy import stats

from ..randomness import seeded
from .crowds import one_row
from .refuting import CLOSE, LEVEL, CheckFailed, Skipped, Subject, finite_pairs, refutation, unlikely

DRAWS = 1_000_000  # numbers in one answer
TAILS = (1e-2, 1e-3, 1e-4, 3e-5)  # chances beyond which tails are counted, on either side
EVENTS = np.geomspace(0.5, 1e-12, 2_000)  # chances of the events by which a law is judged
LEAST = 1e-300  # smaller chances may be rounded away, and count as this
TESTS = 2 * (len(TAILS) + 1)  # of each input, which share the level


def law_of(subject: Subject):
    if subject.mechanism.law is None:
        raise Skipped("it states no law of noise that is added")
    return subject.mechanism.law


def stated_law(subject: Subject) -> str:
    """Noise of the stated law keeps the guarantee between any two of the inputs, for every event "at least t" and
    "below t". No others are worse where the density is log-concave, as those of Laplace and Gaussian noise are."""
    law, most = law_of(subject), 0.0
    for guarantee, x, other in finite_pairs(subject):
        start, moved = (float(subject.case.truth(one_row(subject, value))) for value in (x, other))
        above = start < moved  # such events are likelier where the answer is larger
        at = moved - start + np.concatenate([law.ppf(EVENTS), law.isf(EVENTS)])
        more, less = ((law.sf if above else law.cdf)(t) for t in (at - (moved - start), at))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.nan_to_num(np.log((more - guarantee.delta) / np.maximum(less, LEAST)), nan=-math.inf)
        i, most = int((found > found.max() - CLOSE).argmax()), max(most, float(found.max()))  # of equals the likeliest
        if found[i] > guarantee.epsilon + CLOSE * max(1, guarantee.epsilon):
            raise CheckFailed(refutation(guarantee, found[i], f"{'at least' if above else 'below'} {start + at[i]:.4g}",
                                         other, x, f"{more[i]:.6g}", f"{less[i]:.6g}"))
    return f"found {most:.4g}"


def added_noise(subject: Subject) -> str:
    """What is added to a million equal numbers in one call follows the stated law: its distribution function, by the
    bound of Dvoretzky, Kiefer, Wolfowitz and Massart; its tails, by counts; and no size of noise comes twice.

    Noise that has gone by a grid, that is used again, or once more with the other sign, repeats itself.
    """
    law, fraction = law_of(subject), LEVEL / TESTS / len(subject.case.inputs)
    close = math.sqrt(math.log(2 / fraction) / 2 / DRAWS)
    for value in subject.case.inputs:
        start = one_row(subject, value).double()
        told = subject.mechanism.report(start.repeat(DRAWS, *[1] * (start.dim() - 1)), generator=seeded(4))
        noise = np.sort((told - subject.case.truth(start)).flatten().numpy())
        middle(law, noise, close, value), tails(law, noise, fraction, value), repeats(law, noise, fraction, value)
    return f"{DRAWS} numbers follow its law (a chance that is off by {2 * close:.2g} is noticed)"


def middle(law, noise: np.ndarray, close: float, value: Hashable) -> None:
    """The largest distance from the law's distribution function."""
    expected, steps = law.cdf(noise), np.arange(len(noise) + 1) / len(noise)
    gap = np.maximum(abs(expected - steps[1:]), abs(expected - steps[:-1]))
    if gap.max() > close:
        i = int(gap.argmax())
        raise CheckFailed(f"on {value!r} a share {steps[i + 1]:.4f} of {len(noise)} numbers of noise is at most "
                          f"{noise[i]:.4g}, and by its law that has the chance {expected[i]:.4f}")


def tails(law, noise: np.ndarray, fraction: float, value: Hashable) -> None:
    """How many numbers lie far out."""
    for tail in TAILS:
        for side, count in ((f"above {law.isf(tail):.4g}", (noise > law.isf(tail)).sum()),
                            (f"below {law.ppf(tail):.4g}", (noise < law.ppf(tail)).sum())):
            if unlikely(int(count), len(noise), tail) < fraction:
                raise CheckFailed(f"on {value!r} {count} of {len(noise)} numbers of noise lie {side}, which its law "
                                  f"has with the chance {tail:g}")


def repeats(law, noise: np.ndarray, fraction: float, value: Hashable) -> None:
    """How many sizes come more than once. Floats lie on a grid of their own, coarser where the answer is large; of the
    law it is only used that chance spreads over about the width of its middle half."""
    width = law.isf(0.25) - law.ppf(0.25)
    grid = (np.spacing(1.0) * width + np.spacing(abs(float(value)))) / width
    allowed = stats.poisson.isf(fraction, len(noise) ** 2 / 2 * grid)
    found = len(noise) - len(np.unique(abs(noise)))
    if found > allowed:
        raise CheckFailed(f"on {value!r} {found} of {len(noise)} numbers of noise have a size that came before, at "
                          f"most {allowed:.0f} would by chance: it lies on a grid, or is used again")
