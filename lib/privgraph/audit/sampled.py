"""The checks of ``check_mechanism`` where there is no table of chances: lower bounds on epsilon from what is drawn.

A report may be one number, many, or no number at all. It becomes one *score*, by a rule that nothing needs to be said
for: where numbers get noise of a stated law, the log-likelihood ratio of the two inputs; else numbers are projected on
the direction in which they lie farthest apart, and of all else the shares of the outcomes are compared. The rule and a
threshold are chosen on one half of the draws, and the bound comes from the other.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable

import numpy as np
import torch

from ..privacy import Guarantee
from .refuting import LEVEL, MANY, CheckFailed, Skipped, Subject, neighbours_of, refutation
from .statistical import two_sample_bound

MOST_INPUTS = 6  # of which reports are drawn, for each guarantee
THRESHOLDS = 50
SMALL = 1e-12  # of the spread, so that numbers without any noise can be weighed
FEWER = 3  # times as many draws as where there is a table, of reports of several numbers
DIGITS = 6  # of a score: the last digits of floats tell inputs apart, as noise of a seed is idealised
Draws = np.ndarray | list
Score = Callable[[Draws], np.ndarray]


def lower_bound(subject: Subject) -> str:
    """Where there is no table, a lower bound on epsilon from what is drawn."""
    if subject.case.distribution is not None:
        raise Skipped("its table says more")
    runs = draws_of(subject)
    return bounds(subject, lambda value: drawn_from(subject, value, runs), runs)


def draws_of(subject: Subject) -> int:
    """How many reports are drawn: of several numbers fewer, as each costs more, and together they tell more."""
    report = next(subject.reports(subject.busiest, 1))
    return subject.runs * (FEWER if isinstance(report, torch.Tensor) and report.numel() > 1 else MANY)


def drawn_from(subject: Subject, value: Hashable, count: int) -> Draws:
    """Reports on one input: numbers [count, D], or what ``outcome`` makes of them."""
    reports = list(subject.reports(value, count))
    if isinstance(reports[0], torch.Tensor) and all(report.shape == reports[0].shape for report in reports):
        if reports[0].numel() > 1:
            return torch.stack(reports).flatten(1).double().numpy()
    outcomes = list(map(subject.case.outcome, reports))
    return np.array(outcomes, dtype=float)[:, None] if isinstance(outcomes[0], (int, float)) else outcomes


def pairs_of(subject: Subject, guarantee: Guarantee) -> list[tuple[Hashable, Hashable]]:
    """The pairs of neighbours among some of the inputs, each pair once."""
    inputs, chosen, drawn = subject.case.inputs, [], set()
    for x in inputs:
        for other in neighbours_of(subject.case, guarantee)(x):
            if other in inputs and other != x and (other, x) not in chosen and len(drawn | {x, other}) <= MOST_INPUTS:
                chosen.append((x, other))
                drawn |= {x, other}
    return chosen


def bounds(subject: Subject, draw: Callable[[Hashable], Draws], runs: int) -> str:
    """The lower bound for each finite guarantee, from ``runs`` draws on each input.

    :raises Skipped: where no two inputs are neighbours, or no epsilon is so large that so many draws would show it.
    """
    kept, remarks, finite = {}, [], subject.finite
    for guarantee in finite:
        pairs, best = pairs_of(subject, guarantee), 0.0
        level = LEVEL / max(1, len(pairs)) / len(finite)
        seen = smallest_seen(guarantee, runs // 2, level)
        if not pairs or math.isinf(seen):
            continue
        for x, other in pairs:
            for value in (x, other):
                kept[value] = draw(value) if value not in kept else kept[value]
            best = max(best, compare(subject, guarantee, (x, other), (kept[x], kept[other]), level))
        remarks.append(f"{guarantee.unit} ({guarantee.relation}): at least {best:.3g} of {guarantee.epsilon:.4g}, and "
                       f"{seen:.3g} would be seen")
    if not remarks:
        raise Skipped("no two of its inputs are neighbours, or no excess would be seen in so many draws")
    return "; ".join(remarks) + f" ({runs} draws)"


def compare(subject: Subject, guarantee: Guarantee, pair: tuple, drawn: tuple[Draws, Draws], level: float) -> float:
    """The bound for two inputs, by an event that was chosen on the first half of the draws."""
    half = len(drawn[0]) // 2
    if len({None if isinstance(part, list) else part.shape[1:] for part in drawn}) > 1:
        raise CheckFailed(f"reports on {pair[0]!r} and {pair[1]!r} must have one form")
    score = rule(subject, pair, drawn[0][:half], drawn[1][:half])
    early, late = ([score(part[:half]) for part in drawn], [score(part[half:]) for part in drawn])
    _, threshold, above, turned = max(candidates(*early, guarantee.delta), key=lambda found: found[0])
    hits = [int(((values >= threshold) == above).sum()) for values in late]
    more, less = hits[::-1] if turned else hits
    epsilon = two_sample_bound(more, half, less, half, 1 - level, guarantee.delta)
    if epsilon > guarantee.epsilon:
        event = f"{'at least' if above else 'below'} {threshold:.4g}" + ("" if np.shape(drawn[0])[1:] == (1,) else
                                                                        " in the score of a report")
        x, other = pair[::-1] if turned else pair
        raise CheckFailed(refutation(guarantee, epsilon, event, x, other,
                                     *(f"about {hit / half:.4f}" for hit in (more, less))))
    return epsilon


def candidates(first: np.ndarray, second: np.ndarray, delta: float):
    """(how promising, threshold, above, turned) for events of a score."""
    for threshold in np.unique(np.quantile(np.concatenate([first, second]), np.linspace(0, 1, THRESHOLDS))):
        for above in (True, False):
            shares = [float(((values >= threshold) == above).mean()) for values in (first, second)]
            for turned in (False, True):
                more, less = shares[::-1] if turned else shares
                rare = 4 / math.sqrt(len(first))  # what is rarer than this has no bound worth the name
                yield (more - delta - rare * math.sqrt(more)) / (less + rare * math.sqrt(less) + rare**2), \
                    threshold, above, turned


def rule(subject: Subject, pair: tuple, first: Draws, second: Draws) -> Score:
    """The score of a report, from what is stated and from the first half of the draws."""
    if isinstance(first, list):
        counts = [Counter(first), Counter(second)]
        return lambda part: np.array([math.log((counts[0][o] + 1) / (counts[1][o] + 1)) for o in part])
    if first.shape[1] == 1:
        return lambda part: np.ravel(part)
    law, truths = subject.mechanism.law, [truth_of(subject, value) for value in pair]
    if law is not None and all(truth is not None and truth.size == first.shape[1] for truth in truths):
        return lambda part: np.round(np.clip(law.logpdf(part - truths[0]) - law.logpdf(part - truths[1]), -1e9, 1e9)
                                     .sum(1), DIGITS)
    return lambda part: np.round(part @ apart(first, second), DIGITS)


def apart(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The direction in which two groups of rows [n, D] lie farthest apart for their width (Fisher 1936), which is then
    about 1. Where some numbers have little noise, or share it, this is not the difference of the means."""
    spread = np.cov(np.concatenate([first - first.mean(0), second - second.mean(0)]), rowvar=False)
    ridge = SMALL * max(float(np.trace(spread)), 1e-300)
    direction = np.linalg.solve(spread + ridge * np.eye(len(spread)), first.mean(0) - second.mean(0))
    return direction / max(float((first @ direction).std()), 1e-300)


def truth_of(subject: Subject, value: Hashable) -> np.ndarray | None:
    """What comes out without noise, as numbers, where it is some."""
    truth = subject.case.truth(subject.case.encode(value))
    return truth.double().flatten().numpy() if isinstance(truth, torch.Tensor) else None


def smallest_seen(guarantee: Guarantee, runs: int, level: float) -> float:
    """The least epsilon that so many draws would show to be more than is stated, where one event tells all; inf: none,
    as even events that are certain on one input and never seen on the other bound it no better."""
    def shown(epsilon: float) -> bool:
        chance = 1 / (1 + math.exp(-epsilon))
        hits = (round(runs * chance), round(runs * (1 - chance)))
        return two_sample_bound(hits[0], runs, hits[1], runs, 1 - level, guarantee.delta) > guarantee.epsilon
    low, high = guarantee.epsilon, guarantee.epsilon + 60
    if not shown(high):
        return math.inf
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high
