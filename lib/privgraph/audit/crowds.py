"""The checks of ``check_mechanism`` that one person alone cannot fail: several and many people, and whole reports."""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import replace
from itertools import islice, product

import numpy as np
import torch
from torch import Tensor

from ..mechanisms import Mechanism
from ..randomness import seeded
from .refuting import LEVEL, CheckFailed, Skipped, Subject, agree, finite_pairs, noticed, refutation, unlikely
from .replaying import differences, replay
from .sampled import bounds, draws_of
from .statistical import two_sample_bound

MOST_PAIRS = 30  # of people who are drawn together
CROWD, CROWDS = 200_000, 8  # how many people are asked in one call, and in how many calls at most
PLACES = 8  # people who are asked in one call, of whom each is looked at
LOOKS = 100  # reports on each input that are compared as a whole


def several_people(subject: Subject) -> str:
    """People who report together do so independently: the joint chances of two are the products of theirs.

    In the order in which they were asked, each with noise of her own. Without a table the second number of an answer,
    and its difference from the first, must keep the guarantee: that difference knows nothing of noise they share.
    """
    x = torch.cat([one_row(subject, value) for value in subject.case.inputs])
    kept = x.clone()
    told = getattr(subject.mechanism, "report", subject.mechanism)(x, generator=seeded(0))
    if not isinstance(told, Tensor) or told.dim() == 0 or len(told) != len(x):
        raise Skipped("its report has no row for each person")
    if not torch.equal(x, kept):
        raise CheckFailed(f"what it is given must be left alone, but {kept} became {x}")
    if subject.case.distribution is None:
        remark = "of two answers together " + "; ".join(vectors(subject))
        at_each_place(subject)
        return remark
    inputs = subject.case.inputs
    pairs = list(islice(zip(inputs, inputs[1:] + inputs[:1], strict=True), MOST_PAIRS))
    for first, second in pairs:
        joint(subject, first, second, len(pairs))
    at_each_place(subject)
    return f"{subject.runs} reports of two people together, on {len(pairs)} pairs of inputs, are independent"


def at_each_place(subject: Subject) -> None:
    """Wherever one stands in a crowd of equals, the report on her has its chances. Where none are stated: no number of
    it is one for ever on an input, and another for ever on a neighbour."""
    calls = max(1, subject.runs // 4)
    if subject.case.distribution is not None:
        for value in (subject.case.inputs[0], subject.busiest):
            crowds = map(subject.outcomes, crowds_of(subject, value, calls))
            for place, told in enumerate(zip(*crowds, strict=True)):
                try:
                    agree(Counter(told), subject.table.distribution(value), value, LEVEL / 2 / PLACES)
                except CheckFailed as failure:
                    raise CheckFailed(f"of person {place + 1} of {PLACES}, {failure}") from failure
        return
    for guarantee, value, other in islice(finite_pairs(subject), 1):
        told = [torch.stack(crowds_of(subject, each, calls)).reshape(calls, PLACES, -1) for each in (value, other)]
        still = [(part == part[0]).all(0) for part in told]
        bare = still[0] & still[1] & (told[0][0] != told[1][0])
        found = two_sample_bound(calls, calls, 0, calls, 1 - LEVEL / told[0][0].numel(), guarantee.delta)
        if bare.any() and found > guarantee.epsilon:
            place = int(bare.any(1).nonzero()[0])
            raise CheckFailed(f"of person {place + 1} of {PLACES}: " + refutation(
                guarantee, found, told[0][0, place].tolist(), value, other, "about 1", "about 0"))


def crowds_of(subject: Subject, value: Hashable, calls: int) -> list[Tensor]:
    """What is told of a few people with one and the same input, so many times."""
    row, generator = one_row(subject, value), seeded(7)
    asked = row.repeat(PLACES, *[1] * (row.dim() - 1))
    return [subject.mechanism.report(asked, generator=generator) for _ in range(calls)]


def one_row(subject: Subject, value: Hashable) -> Tensor:
    row = subject.case.encode(value)
    if not isinstance(row, Tensor) or row.dim() == 0 or row.size(0) != 1:
        raise Skipped("its input is no row of one person")
    return row


def joint(subject: Subject, first: Hashable, second: Hashable, pairs: int) -> None:
    """Two people, many times over in one call: how often each two reports come together."""
    asked = torch.cat([one_row(subject, first), one_row(subject, second)] * subject.runs)
    replies = subject.mechanism.report(asked, generator=seeded(2))
    tables = [subject.table.distribution(value) for value in (first, second)]
    told = subject.outcomes(replies)
    counts = Counter(zip(told[::2], told[1::2], strict=True))
    chances = {(a, b): p * q for (a, p), (b, q) in product(*(table.items() for table in tables))}
    outcomes = [*(counts | chances)]
    expected = np.array([chances.get(outcome, 0.0) for outcome in outcomes])
    likely = unlikely(np.array([counts[outcome] for outcome in outcomes]), subject.runs, expected)
    for outcome, p, chance in zip(outcomes, expected, likely, strict=True):
        if chance < LEVEL / (pairs * len(chances)):
            raise CheckFailed(f"of two people with {first!r} and {second!r}, asked together, the reports {outcome!r} "
                              f"came {counts[outcome]} times of {subject.runs}; had each noise of her own and kept "
                              f"her place, their chance were {p:.6g}")


def vectors(subject: Subject) -> list[str]:
    """The lower bound for the second of two answers, and for what it is more than the first."""
    first, found, runs = one_row(subject, subject.case.inputs[0]), [], draws_of(subject)

    def both(value: Hashable) -> np.ndarray:
        """Reports of two people together [runs, 2, D]."""
        asked = replace(subject.case, encode=lambda value: torch.cat([first, one_row(subject, value)]))
        reports = torch.stack(list(replace(subject, case=asked).reports(value, runs)))
        return reports.reshape(runs, 2, -1).double().numpy()
    told = {}
    for name, part in (("the second", lambda pair: pair[:, 1]),
                       ("their difference", lambda pair: pair[:, 1] - pair[:, 0])):
        def draw(value, part=part):
            told[value] = both(value) if value not in told else told[value]
            return part(told[value])
        try:
            found.append(f"{name}: {bounds(subject, draw, runs)}")
        except CheckFailed as refuted:
            raise CheckFailed(f"of two answers together, {name}: {refuted}") from refuted
    return found


def many_people(subject: Subject) -> str:
    """Very many people with one input, in one call: each report comes as often as stated, by exact binomial tests.
    Where there is no table, the lower bound on epsilon once more, from ten times as many as before."""
    if not isinstance(subject.mechanism.report(one_row(subject, subject.busiest), generator=seeded(5)), Tensor):
        raise Skipped("its report has no row for each person")
    if subject.case.distribution is None:
        return bounds(subject, lambda value: crowd(subject, value).reshape(CROWD, -1).double().numpy(), CROWD)
    asked = subject.case.inputs[::-max(1, len(subject.case.inputs) // CROWDS)][:CROWDS]
    for value in asked:
        told = Counter(subject.outcomes(crowd(subject, value)))
        agree(told, subject.table.distribution(value), value, LEVEL / len(asked))
    return (f"{CROWD} people with each of {len(asked)} inputs agree with the stated chances "
            f"(a chance near one half that is off by {noticed(CROWD):.2g} is noticed)")


def crowd(subject: Subject, value: Hashable) -> Tensor:
    """What is told by many people with one and the same input."""
    row = one_row(subject, value)
    return subject.mechanism.report(row.repeat(CROWD, *[1] * (row.dim() - 1)), generator=seeded(5))


def together(subject: Subject) -> str:
    """Whether a person's report is refused, and its form, does not hang on what another one says."""
    rows = [one_row(subject, value) for value in subject.case.inputs]
    tried = replayed(subject, lambda value, g: subject.mechanism(
        torch.cat([one_row(subject, value), *rows, *rows]), generator=g), "among others, ")
    return f"nothing but noise differs among {len(rows)} inputs twice, for {tried} pairs of neighbours"


def replayed(subject: Subject, report: Callable[[Hashable, torch.Generator], object], where: str = "") -> int:
    """How many pairs of neighbours were tried, between whose reports nothing differs while the noise is frozen."""
    tried = 0
    for guarantee, value, other in finite_pairs(subject):
        if leaks := replay(report, value, other):
            raise CheckFailed(f"{where}what is no noise depends on one {guarantee.unit} ({guarantee.relation}): "
                              f"{value!r} and {other!r} differ in {leaks[0].place}")
        tried += 1
    if not tried:
        raise Skipped("no finite epsilon is stated for two of the inputs")
    return tried


def whole_report(subject: Subject) -> str:
    """Where chances are stated, those are of all of the report: reports of one outcome are the same. It is a plain
    tensor or a plain record, behind which nothing else leaves."""
    kind, m = type(subject.mechanism), subject.mechanism
    if kind.report is not Mechanism.report and hasattr(kind.__call__, "__wrapped__"):
        raise CheckFailed("where report() is the noise, __call__ must be made of it, and not be @noisy itself")
    known = {}
    for value in subject.case.inputs:
        generator, x = seeded(3), subject.case.encode(value)
        for _ in range(LOOKS):
            replies = m.report(x, generator=generator)
            stated = subject.case.distribution is not None
            outcome = subject.case.outcome(replies) if stated else len(known)
            found = next(differences(known.setdefault(outcome, replies), replies), None)
            if found:
                raise CheckFailed(f"what leaves is more than its outcome {outcome!r}, of which "
                                  f"the chances are stated: two reports of it differ in {found.place}, on {value!r}")
            if isinstance(replies, Tensor) and (type(replies) is not Tensor or vars(replies)):
                raise CheckFailed("a report must be a plain tensor: attributes leave with it, got "
                                  f"{type(replies).__name__} with {sorted(vars(replies))}")
            if isinstance(replies, Tensor) and replies.untyped_storage().nbytes() > replies.nbytes:
                raise CheckFailed("a report must be no window onto more: files keep all of the memory behind it")
    return f"{len(known)} outcomes, each with one report" if subject.case.distribution is not None else (
        f"{len(known)} reports, which are plain")
