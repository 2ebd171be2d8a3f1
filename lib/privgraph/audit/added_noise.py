"""The checks of ``check_mechanism`` on noise that is added to numbers, where its law is stated."""

import math
from collections.abc import Hashable
from dataclasses import replace
from itertools import product

import numpy as np
import torch
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
    "below t". No others are worse where the density is log-concave, as those of Laplace and Gaussian noise are.

    Of several numbers, each with noise of its own: Gaussian noise knows only how far apart they are; losses of others
    add up where no delta is stated, and where one is, no more is asked than what each number loses alone."""
    law, most = law_of(subject), 0.0
    for guarantee, x, other in finite_pairs(subject):
        start, moved = (subject.case.truth(one_row(subject, value)).double().flatten().numpy() for value in (x, other))
        steps = moved - start
        if law.dist.name == "norm":
            steps = np.array([np.linalg.norm(steps)]) * (-1 if steps.size == 1 and steps[0] < 0 else 1)
        found = [worst_event(law, float(step), guarantee.delta) for step in steps if step] or [(0.0, 0.0, 1.0, 1.0)]
        loss = max(found)[0] if guarantee.delta else sum(each[0] for each in found)
        most = max(most, loss)
        if loss > guarantee.epsilon + CLOSE * max(1, guarantee.epsilon):
            _, at, more, less = max(found)
            where = start.flat[0] if start.size == 1 else 0.0
            event = f"{'at least' if steps.flat[0] > 0 else 'below'} {where + at:.4g}" + (
                "" if start.size == 1 else " of one number, and as far in the others")
            raise CheckFailed(refutation(guarantee, loss, event, other, x, f"{more:.6g}", f"{less:.6g}"))
        priced(subject, law, steps, x, other, guarantee.epsilon)
    return f"found {most:.4g}"


def priced(subject: Subject, law, steps: np.ndarray, x: Hashable, other: Hashable, epsilon: float) -> None:
    """What is said to dominate these two inputs (``between``), or any (``pair``), has no smaller delta than an event of
    one number has."""
    said, pairs = subject.mechanism.between(*(one_row(subject, value) for value in (x, other))), {}
    if hasattr(subject.mechanism, "pair"):
        pairs["pair"] = subject.mechanism.pair.delta
    if not said:
        pairs["between"] = lambda level: 0.0
    elif len(said) == said[0].count == 1:  # of several together only accountants know
        pairs["between"] = said[0].pair.delta
    rows = [one_row(subject, value) for value in (x, other)]
    twice = subject.mechanism.between(*(torch.cat([row, row]) for row in rows))
    once, both = (sum(step.count * step.pair.delta(0.0) for step in steps_of) for steps_of in (said, twice))
    if (steps != 0).any() and once < 1 - CLOSE and both <= once:
        raise CheckFailed(f"between must say that two people with {x!r}, who are two with {other!r}, cost more than "
                          f"one: delta at epsilon = 0 is {both:.6g} for two and {once:.6g} for one")
    for level, step in product(np.linspace(0, min(epsilon, 10.0), 5), steps[steps != 0]):
        least = least_delta(law, float(step), level)
        for name, delta in pairs.items():
            if least > delta(level) + CLOSE:
                raise CheckFailed(f"{name} must dominate what is told of {x!r} and {other!r}: at epsilon = {level:.6g} "
                                  f"its delta is {delta(level):.6g}, and by the law of the noise there is an event "
                                  f"with {least:.6g}")


def least_delta(law, step: float, epsilon: float) -> float:
    """The largest delta of an event "at least t" or "below t" of a number that moves by ``step`` from 0."""
    at = step + np.concatenate([law.ppf(EVENTS), law.isf(EVENTS)])
    more, less = ((law.sf if step > 0 else law.cdf)(t) for t in (at - step, at))
    return float((more - math.exp(epsilon) * less).max())


def worst_event(law, step: float, delta: float) -> tuple[float, float, float, float]:
    """(loss, t, chance, chance) of the event of a number that moves by ``step`` from 0 that loses most; of equals the
    likeliest."""
    at = step + np.concatenate([law.ppf(EVENTS), law.isf(EVENTS)])
    more, less = ((law.sf if step > 0 else law.cdf)(t) for t in (at - step, at))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.nan_to_num(np.log((more - delta) / np.maximum(less, LEAST)), nan=-math.inf)
    i = int((found > found.max() - CLOSE).argmax())
    return float(found[i]), float(at[i]), float(more[i]), float(less[i])


def fresh_noise(subject: Subject) -> str:
    """With each generator, and each time with the same one, the noise is another: no size of it comes twice."""
    law, calls = law_of(subject), 500
    fine = replace(subject, case=replace(subject.case, encode=lambda value: subject.case.encode(value).double()))
    if not law.std():
        raise Skipped("it adds no noise")
    for value, how in ((value, how) for value in subject.case.inputs for how in (fine.reports, fine.apart)):
        truth = fine.case.truth(fine.case.encode(value))
        noise = torch.stack(list(how(value, calls))) - truth
        repeats(law, noise.flatten().numpy(), LEVEL / 4 / len(subject.case.inputs), truth)
    return f"{calls} calls with one generator, and {calls} generators, give noise of their own"


def added_noise(subject: Subject) -> str:
    """What is added to a million equal numbers in one call follows the stated law: its distribution function, by the
    bound of Dvoretzky, Kiefer, Wolfowitz and Massart; its tails, by counts; and no size of noise comes twice.

    Noise that has gone by a grid, that is used again, or once more with the other sign, repeats itself.
    """
    law, fraction = law_of(subject), LEVEL / TESTS / len(subject.case.inputs)
    close = math.sqrt(math.log(2 / fraction) / 2 / DRAWS)
    for value in subject.case.inputs:
        start = one_row(subject, value).double()
        truth = subject.case.truth(start)
        asked = start.repeat(DRAWS // truth.numel(), *[1] * (start.dim() - 1))
        noise = np.sort((subject.mechanism.report(asked, generator=seeded(4)) - truth).flatten().numpy())
        middle(law, noise, close, value), tails(law, noise, fraction, value), repeats(law, noise, fraction, truth)
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


def repeats(law, noise: np.ndarray, fraction: float, truth: torch.Tensor) -> None:
    """How many sizes come more than once. Floats lie on a grid of their own, coarser where the answer is large; of the
    law it is only used that chance spreads over about the width of its middle half."""
    width = law.isf(0.25) - law.ppf(0.25)
    grid = (np.spacing(1.0) * width + np.spacing(float(truth.abs().max()))) / width
    allowed = stats.poisson.isf(fraction, len(noise) ** 2 / 2 * grid)
    found = len(noise) - len(np.unique(abs(noise)))
    if found > allowed:
        told = truth.item() if truth.numel() == 1 else truth.flatten().tolist()
        raise CheckFailed(f"on {told} {found} of {len(noise)} numbers of noise have a size that "
                          f"came before, at most {allowed:.0f} would by chance: it lies on a grid, or is used again")
