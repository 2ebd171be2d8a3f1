"""The checks of ``check_mechanism`` where there is no table of chances: lower bounds on epsilon from what is drawn.

A report may be one number, many, or no number at all. It becomes one *score*, by a rule that nothing needs to be said
for: where numbers get noise of a stated law, the log-likelihood ratio of the two inputs; else numbers are projected on
the direction in which they lie farthest apart, and of all else the shares of the outcomes are compared. The rule and a
threshold are chosen on one half of the draws, and the bound comes from the other.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import torch

from ..privacy import Guarantee
from .refuting import LEVEL, MANY, CheckFailed, Skipped, Subject, neighbours_of, refutation
from .statistical import two_sample_bound

MOST_INPUTS = 6  # of which reports are drawn, for each guarantee
THRESHOLDS = 50
MOST_NUMBERS = 4  # of a report that are looked at by themselves
ASIDE = 0.1  # of the level, for events of single numbers
CHOSEN_ON = 10_000  # draws, whether a single number is the better score
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
    return subject.runs * (MANY if isinstance(report, torch.Tensor) and report.numel() == 1 else FEWER)


def drawn_from(subject: Subject, value: Hashable, count: int) -> Draws:
    """Reports on one input: all their numbers [count, D] where these are as many each time; else all that is in them,
    or what ``outcome`` makes of them where that never comes twice."""
    reports = list(subject.reports(value, count))
    if not isinstance(reports[0], torch.Tensor):
        return untabled(subject, [numbers_in(report) for report in reports], reports)
    if isinstance(reports[0], torch.Tensor) and all(report.shape == reports[0].shape for report in reports):
        if reports[0].numel() > 1:
            return torch.stack(reports).flatten(1).double().numpy()
    outcomes = list(map(subject.case.outcome, reports))
    return np.array(outcomes, dtype=float)[:, None] if isinstance(outcomes[0], (int, float)) else outcomes


def untabled(subject: Subject, numbers: list[np.ndarray], reports: list) -> Draws:
    """Records, dicts and graphs: their numbers, or keys of all that is in them, or else of what ``outcome`` says."""
    if len({len(part) for part in numbers}) == 1:
        return np.stack(numbers)
    keys = [part.tobytes() for part in numbers]
    return keys if len(set(keys)) < len(keys) / 2 else list(map(subject.case.outcome, reports))


def numbers_in(report) -> np.ndarray:
    """All numbers of a report, in order."""
    if isinstance(report, torch.Tensor):
        return report.detach().double().flatten().numpy()
    if isinstance(report, (bool, int, float)):
        return np.array([float(report)])
    if is_dataclass(report) or hasattr(report, "to_dict"):
        report = report.to_dict() if hasattr(report, "to_dict") else {f.name: getattr(report, f.name)
                                                                      for f in fields(report)}
    parts = report.values() if isinstance(report, Mapping) else report if isinstance(report, (tuple, list)) else ()
    return np.concatenate([np.empty(0), *map(numbers_in, parts)])


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
    halves = drawn[0][:half], drawn[1][:half]
    best = judged(guarantee, pair, drawn, [rule(subject, pair, *halves)], level * (1 - ASIDE))
    others = single(*halves)
    return max(best, judged(guarantee, pair, drawn, others, level * ASIDE)) if others else best


def judged(guarantee: Guarantee, pair: tuple, drawn: tuple[Draws, Draws], scores: list[Score], level: float) -> float:
    """The bound by the most promising event of some scores."""
    half, found = len(drawn[0]) // 2, []
    for score in scores:
        early = [score(part[:half if len(scores) == 1 else min(half, CHOSEN_ON)]) for part in drawn]
        found.append((*max(candidates(*early, guarantee.delta), key=lambda each: each[0]), score))
    _, threshold, above, turned, score = max(found, key=lambda each: each[0])
    hits = [int(((score(part[half:]) >= threshold) == above).sum()) for part in drawn]
    more, less = hits[::-1] if turned else hits
    epsilon = two_sample_bound(more, half, less, half, 1 - level, guarantee.delta)
    if epsilon > guarantee.epsilon:
        itself = len(scores) == 1 and not isinstance(drawn[0], list) and drawn[0].shape[1:] == (1,)
        event = f"{'at least' if above else 'below'} {threshold:.4g}" + ("" if itself else " in the score of a report")
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


def single(first: Draws, second: Draws) -> list[Score]:
    """Other scores, of one number of a report each: whether it is the one that came most often, as a truth that is told
    now and then; and its digits from each on, in which a truth may stand behind rounded noise."""
    if isinstance(first, list) or isinstance(second, list):
        return []
    found = []
    for j in range(min(first.shape[1], MOST_NUMBERS)):
        for column in (first[:, j], second[:, j]):
            values, counts = np.unique(column, return_counts=True)
            if counts.max() > 2:
                often = values[counts.argmax()]
                found.append(lambda part, j=j, often=often: (np.asarray(part)[:, j] == often).astype(float))
        found += [lambda part, j=j, k=k: (np.asarray(part)[:, j] * 10.0**k + 0.5) % 1 for k in range(DIGITS)]
    return found


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
