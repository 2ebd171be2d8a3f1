"""The checks of ``check_mechanism`` that one person alone cannot fail: several and many people, and whole reports."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from itertools import islice, product

import numpy as np
import torch
from torch import Tensor

from ..mechanisms import Mechanism
from ..randomness import seeded
from .refuting import LEVEL, MANY, CheckFailed, Skipped, Subject, agree, bounds, finite_pairs, noticed, unlikely
from .replaying import differences, replay

MOST_PAIRS = 30  # of people who are drawn together
CROWD, CROWDS = 200_000, 8  # how many people are asked in one call, and in how many calls at most
LOOKS = 100  # reports on each input that are compared as a whole


def several_people(subject: Subject) -> str:
    """People who report together do so independently: the joint chances of two are the products of theirs.

    In the order in which they were asked, each with noise of her own. Without a table the second number of an answer,
    and its difference from the first, must keep the guarantee: that difference knows nothing of noise they share.
    """
    x = torch.cat([one_row(subject, value) for value in subject.case.inputs])
    kept = x.clone()
    subject.mechanism(x, generator=seeded(0))
    if not torch.equal(x, kept):
        raise CheckFailed(f"what it is given must be left alone, but {kept} became {x}")
    if subject.case.distribution is None:
        return "of two numbers " + "; ".join(vectors(subject))
    inputs = subject.case.inputs
    pairs = list(islice(zip(inputs, inputs[1:] + inputs[:1], strict=True), MOST_PAIRS))
    for first, second in pairs:
        joint(subject, first, second, len(pairs))
    return f"{subject.runs} reports of two people together, on {len(pairs)} pairs of inputs, are independent"


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
    counts = Counter((subject.case.outcome(replies[i:i + 1]), subject.case.outcome(replies[i + 1:i + 2]))
                     for i in range(0, 2 * subject.runs, 2))
    chances = {(a, b): p * q for (a, p), (b, q) in product(*(table.items() for table in tables))}
    for outcome in counts | chances:
        p, count = chances.get(outcome, 0.0), counts[outcome]
        if unlikely(count, subject.runs, p) < LEVEL / (pairs * len(chances)):
            raise CheckFailed(f"of two people with {first!r} and {second!r}, asked together, the reports {outcome!r} "
                              f"came {count} times of {subject.runs}; had each noise of her own and kept her place, "
                              f"their chance were {p:.6g}")


def vectors(subject: Subject) -> list[str]:
    """The lower bound for the second of two numbers, and for what it is more than the first."""
    first, found = one_row(subject, subject.case.inputs[0]), []
    def encode(value):
        return torch.cat([first, one_row(subject, value)])
    asked = replace(subject, case=replace(subject.case, encode=encode, outcome=lambda replies: (
        replies[0].item(), replies[1].item())))
    told = {value: np.array(asked.draws(value, MANY * subject.runs)).T for value in subject.case.inputs}
    for name, part in (("the second", lambda first, second: second),
                       ("their difference", lambda first, second: second - first)):
        one = replace(asked, case=replace(asked.case, outcome=lambda replies, part=part: part(
            *asked.case.outcome(replies))))
        try:
            found.append(f"{name}: {bounds(one, {value: part(*numbers) for value, numbers in told.items()})}")
        except CheckFailed as refuted:
            raise CheckFailed(f"of two numbers in one answer, {name}: {refuted}") from refuted
    return found


def many_people(subject: Subject) -> str:
    """Very many people with one input, in one call: each report comes as often as stated, by exact binomial tests.
    Where there is no table, the lower bound on epsilon once more, from ten times as many as before."""
    if subject.case.distribution is None:
        return bounds(subject, {value: np.array(crowd(subject, value).tolist()) for value in subject.case.inputs})
    asked = subject.case.inputs[::-max(1, len(subject.case.inputs) // CROWDS)][:CROWDS]
    for value in asked:
        agree(counted(subject, crowd(subject, value)), subject.table.distribution(value), value, LEVEL / len(asked))
    return (f"{CROWD} people with each of {len(asked)} inputs agree with the stated chances "
            f"(a chance near one half that is off by {noticed(CROWD):.2g} is noticed)")


def crowd(subject: Subject, value: Hashable) -> Tensor:
    """What is told by many people with one and the same input."""
    row = one_row(subject, value)
    return subject.mechanism.report(row.repeat(CROWD, *[1] * (row.dim() - 1)), generator=seeded(5))


def counted(subject: Subject, replies: Tensor) -> Counter:
    """How often each outcome came: that of one row is asked for once for all equal rows."""
    came = Counter()
    for row, count in zip(*np.unique(replies.numpy(), axis=0, return_counts=True), strict=True):
        came[subject.case.outcome(torch.from_numpy(row[None]))] += int(count)
    return came


def together(subject: Subject) -> str:
    """Whether a person's report is refused, and its form, does not hang on what another one says."""
    rows, tried = [one_row(subject, value) for value in subject.case.inputs], 0
    for guarantee, value, other in finite_pairs(subject):
        crowds = [torch.cat([one_row(subject, changed), *rows, *rows]) for changed in (value, other)]
        leaks = replay(lambda x, g: subject.mechanism(x.clone(), generator=g), *crowds)
        if leaks:
            raise CheckFailed(f"among others, what is no noise depends on one {guarantee.unit} ({guarantee.relation}): "
                              f"{value!r} and {other!r} differ in {leaks[0].place}")
        tried += 1
    if not tried:
        raise Skipped("no finite epsilon is stated for two of the inputs")
    return f"nothing but noise differs among {len(rows)} inputs twice, for {tried} pairs of neighbours"


def whole_report(subject: Subject) -> str:
    """The outcome, of which the chances are stated, is all of the report: reports of one outcome are the same."""
    kind, m = type(subject.mechanism), subject.mechanism
    if kind.report is not Mechanism.report and hasattr(kind.__call__, "__wrapped__"):
        raise CheckFailed("where report() is the noise, __call__ must be made of it, and not be @noisy itself")
    known = {}
    for value in subject.case.inputs:
        generator, x = seeded(3), subject.case.encode(value)
        for _ in range(LOOKS):
            replies = m.report(x, generator=generator)
            found = next(differences(known.setdefault(subject.case.outcome(replies), replies), replies), None)
            if found:
                raise CheckFailed(f"what leaves is more than its outcome {subject.case.outcome(replies)!r}, of which "
                                  f"the chances are stated: two reports of it differ in {found.place}, on {value!r}")
            if isinstance(replies, Tensor) and (type(replies) is not Tensor or vars(replies)):
                raise CheckFailed("a report must be a plain tensor: attributes leave with it, got "
                                  f"{type(replies).__name__} with {sorted(vars(replies))}")
            if isinstance(replies, Tensor) and replies.untyped_storage().nbytes() > replies.nbytes:
                raise CheckFailed("a report must be no window onto more: files keep all of the memory behind it")
    return f"{len(known)} outcomes, each with one report"
