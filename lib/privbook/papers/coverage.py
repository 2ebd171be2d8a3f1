"""Every printed number beside ours, and the reason where there is none of ours.

``answers`` says for each printed entry which runs answer it, or why none can. Nothing here holds a result, and
nothing here knows a paper; ``compare_paper`` reads the ledgers as they are now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from privgraph.checks import check_all
from privgraph.nn import Interval, interval

from ..runs.plan import identity
from .catalogue import experiments
from .current import measured
from .lookup import Computed, Measured, NotRun, lookup
from .published import Printed, published
from .verdicts import SCALE, compare, compare_computed

VERDICTS = ("agrees", "inconclusive", "differs", "not run", "uncertain reading")


@dataclass(frozen=True)
class Comparison:
    """A printed entry, ours if there is one (in the printed unit), the difference and the verdict.

    :param printed: the entry.
    :param verdict: one of ``VERDICTS``.
    :param ours: our mean with its interval; None where there is none.
    :param gap: ours - theirs, with its interval; None where nothing is compared.
    :param reason: why nothing is compared, or "".
    :param work: seconds of each run that is missing; None where that is not known.
    """

    printed: Printed
    verdict: str
    ours: Interval | None = None
    gap: Interval | None = None
    reason: str = ""
    work: Mapping[tuple, float | None] = field(default_factory=dict)


def compare_paper(paper: str) -> list[Comparison]:
    """Every printed entry of a paper with its verdict, in the paper's order.

    :param paper: its short name.
    """
    return [compare_entry(printed) for printed in published(paper)]


def compare_entry(printed: Printed) -> Comparison:
    """One printed entry with its verdict."""
    if printed.reading == "uncertain":
        return Comparison(printed, "uncertain reading", reason=printed.note)
    if not printed.mean:
        return Comparison(printed, "not run", reason="printed as a dash")
    found = lookup(printed)
    if isinstance(found, NotRun):
        return Comparison(printed, "not run", reason=found.reason, work=found.work)
    if isinstance(found, Computed):
        gap, verdict = compare_computed(found.value, printed)
        return Comparison(printed, verdict, Interval(found.value, 0.0, 1), gap)
    if values := values_of(found):
        return compare_runs(printed, found, values)
    reason = f"`privbook reproduce {found.experiment}` has not run it yet"
    return Comparison(printed, "not run", reason=reason, work=missing_work(found))


def compare_runs(printed: Printed, found: Measured, values: Sequence[float]) -> Comparison:
    """Our values against the printed number, in its unit.

    What is printed beside an average over settings is how far these lie apart, and says nothing of its luck: where all
    settings come to the same, it is 0, though single runs scatter.
    """
    values = [value / SCALE.get(printed.unit, 1.0) for value in values]
    known = printed if len(found.settings) == 1 else replace(printed, spread="", spread_kind="")
    gap, verdict = compare(values, known, found.runs, found.spread)
    return Comparison(printed, verdict, interval(values) if found.runs else Interval(values[0], 0.0, len(values)), gap)


def values_of(found: Measured) -> list[float]:
    """One value a seed that all settings have: their mean, less the value of the base case where there is one."""
    runs = measured(found.experiment)
    ours = runs.pooled(found.settings, found.metric)
    base = runs.values(found.metric, **found.minus) if found.minus else dict.fromkeys(ours, 0.0)
    return [value - base[seed] for seed, value in ours.items() if seed in base]


def missing_work(found: Measured) -> dict[tuple, float | None]:
    """The settings without any run, at the price of all their runs."""
    setting, runs = identity(experiments()[found.experiment]), measured(found.experiment)
    wanted = [*found.settings, *([found.minus] if found.minus else [])]
    return {setting(each): found.seconds and (found.runs or 1) * found.seconds
            for each in wanted if not runs.values(found.metric, **each)}


def tally(comparisons: Sequence[Comparison]) -> dict[str, int]:
    """How many printed values (means and spreads) have which verdict; a spread goes with its mean.

    :param comparisons: of ``compare_paper``.
    """
    counts = dict.fromkeys(VERDICTS, 0)
    for comparison in check_all(comparisons, "comparisons", Comparison):
        counts[comparison.verdict] += comparison.printed.values
    return counts


def hours(comparisons: Sequence[Comparison]) -> tuple[float, bool]:
    """Core hours of what was not run, each setting once; and whether that is all (else some was never measured).

    :param comparisons: of ``compare_paper``.
    """
    comparisons = check_all(comparisons, "comparisons", Comparison)
    work = {key: seconds for comparison in comparisons for key, seconds in comparison.work.items()}
    unknown = [c for c in comparisons if c.verdict == "not run" and (not c.work or None in c.work.values())]
    return sum(seconds or 0.0 for seconds in work.values()) / 3600, not unknown
