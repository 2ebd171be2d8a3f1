"""Every printed number beside ours, and the reason where there is none of ours.

``answers`` says for each printed entry which runs answer it, or why none can. Nothing here holds a result, and
nothing here knows a paper; ``compare_paper`` reads the ledgers as they are now.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from privgraph.checks import check_all
from privgraph.nn import Interval

from ..runs.plan import PlannedRun
from .costs import Key, costs
from .current import measured
from .lookup import RUNNABLE, WHY, Computed, Measured, NotRun, lookup
from .published import Printed, papers, published
from .verdicts import (
    FEWEST,
    MARGIN,
    OUTLOOKS,
    SCALE,
    SOON,
    Estimate,
    compare,
    compare_computed,
    distance,
    estimate,
    less,
    outlook,
    stratified,
)

VERDICTS = ("agrees", "inconclusive", "differs", "not run", "uncertain reading")


@dataclass(frozen=True)
class Comparison:
    """A printed entry, ours if there is one (in the printed unit), the difference and the verdict.

    :param printed: the entry.
    :param verdict: one of ``VERDICTS``.
    :param ours: our mean with its interval; None where there is none.
    :param gap: ours - theirs, with its interval; None where nothing is compared.
    :param reason: why nothing is compared, or "".
    :param why: of what was not run, which of ``lookup.WHY``; else "".
    :param work: runs that the grid asks for and the ledger has not, and the seconds of the processor that each takes;
        None where that is not known.
    :param settings: what ours is measured in: experiment, and what makes a setting.
    :param outlook: of what is inconclusive, what it waits for: one of ``verdicts.OUTLOOKS``; else "".
    :param near: how near it is to a verdict (``verdicts.distance``).
    """

    printed: Printed
    verdict: str
    ours: Interval | None = None
    gap: Interval | None = None
    reason: str = ""
    why: str = ""
    work: Mapping[Key, float | None] = field(default_factory=dict)
    settings: tuple[Key, ...] = ()
    outlook: str = ""
    near: float = math.inf


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
        work = {(found.reason,): None} if found.why == RUNNABLE else {}
        return Comparison(printed, "not run", reason=found.reason, why=found.why, work=work)
    if isinstance(found, Computed):
        gap, verdict = compare_computed(found.value, printed)
        return Comparison(printed, verdict, Interval(found.value, 0.0, 1), gap)
    return replace(compare_measured(printed, found), **asked(found))


def compare_measured(printed: Printed, found: Measured) -> Comparison:
    """What is measured, or still to be."""
    if (ours := ours_of(found)) is not None:
        return compare_runs(printed, found, ours)
    reason = f"`privbook reproduce {found.experiment}` has not run it yet"
    return Comparison(printed, "not run", reason=reason, why=RUNNABLE)


def compare_runs(printed: Printed, found: Measured, ours: Estimate) -> Comparison:
    """Ours against the printed number, in its unit.

    What is printed beside an average over settings is how far these lie apart, and says nothing of its luck: where all
    settings come to the same, it is 0, though single runs scatter.
    """
    ours = ours.in_units(SCALE.get(printed.unit, 1.0))
    known = printed if not found.averaged else replace(printed, spread="", spread_kind="")
    gap, verdict = compare(ours, known, found.runs, found.spread)
    shown = ours.interval if found.runs else Interval(ours.mean, 0.0, ours.n)
    waits = outlook(ours, known, found.runs, found.spread)
    near = distance(gap, MARGIN / SCALE[printed.unit]) if waits else math.inf
    return Comparison(printed, verdict, shown, gap, outlook=waits, near=near)


def ours_of(found: Measured) -> Estimate | None:
    """What our runs say; None where there are none, or not of every setting.

    A difference is taken seed by seed. Where the settings of an average have luck of their own, the base has another,
    and the two are independent but for seeds that they share by chance, which makes them no less certain.
    """
    runs = measured(found.experiment)
    own = stratified([runs.values(found.metric, **setting) for setting in found.settings]) if found.averaged else None
    if own and found.minus:
        base = runs.values(found.metric, **found.minus)
        own = less(own, estimate(list(base.values()))) if len(base) >= FEWEST else None
    if own:
        return own
    values = values_of(found)
    return estimate(values) if values else None


def values_of(found: Measured) -> list[float]:
    """One value a seed that all settings have: their mean, less the value of the base case where there is one."""
    runs = measured(found.experiment)
    ours = runs.pooled(found.settings, found.metric)
    base = runs.values(found.metric, **found.minus) if found.minus else dict.fromkeys(ours, 0.0)
    return [value - base[seed] for seed, value in ours.items() if seed in base]


def asked(found: Measured) -> dict:
    """``work`` and ``settings`` of what is measured."""
    its = costs(found.experiment)
    settings = [*found.settings, *([found.minus] if found.minus else [])]
    return dict(work=its.missing(settings, found.metric), settings=tuple(map(its.key, settings)))


def tally(comparisons: Sequence[Comparison]) -> dict[str, int]:
    """How many printed values (means and spreads) have which verdict; a spread goes with its mean.

    :param comparisons: of ``compare_paper``.
    """
    return counted(comparisons, dict.fromkeys(VERDICTS, 0), "verdict")


def left(comparisons: Sequence[Comparison]) -> dict[str, int]:
    """How many of the printed values that were not run have none of ours for which reason (``lookup.WHY``).

    :param comparisons: of ``compare_paper``.
    """
    return counted(comparisons, dict.fromkeys(WHY, 0), "why")


def outlooks(comparisons: Sequence[Comparison]) -> dict[str, int]:
    """How many inconclusive printed values wait for what (``verdicts.OUTLOOKS``).

    :param comparisons: of ``compare_paper``.
    """
    return counted(comparisons, dict.fromkeys(OUTLOOKS, 0), "outlook")


def counted(comparisons: Sequence[Comparison], counts: dict[str, int], name: str) -> dict[str, int]:
    for comparison in check_all(comparisons, "comparisons", Comparison):
        if (said := getattr(comparison, name)) in counts:
            counts[said] += comparison.printed.values
    return counts


def by_worth(name: str) -> Callable[[PlannedRun], float]:
    """How near the printed values that a run serves are to a verdict which ten more runs would give: an order for runs.

    :param name: of the experiment.
    """
    place, best = costs(name).key, {}
    for comparison in (each for paper in papers() for each in compare_paper(paper) if each.outlook == SOON):
        for key in comparison.settings:
            best[key] = min(comparison.near, best.get(key, math.inf))
    return lambda run: best.get(place(run.setting), math.inf)


def hours(comparisons: Sequence[Comparison]) -> tuple[float, bool]:
    """Hours of the processor that what the grids still ask for would take, each run once; and whether that is all (else
    nothing like some of it was measured). What cannot be run, and what needs no run, has no price.

    :param comparisons: of ``compare_paper``.
    """
    work = {key: seconds for comparison in check_all(comparisons, "comparisons", Comparison)
            for key, seconds in comparison.work.items()}
    return sum(seconds or 0.0 for seconds in work.values()) / 3600, None not in work.values()


def spent(comparisons: Sequence[Comparison]) -> tuple[float, float]:
    """Hours that the runs of these settings took so far: of the processor, where that is known; and by the clock, where
    it is not, which counts what others did on the machine.

    :param comparisons: of ``compare_paper``.
    """
    comparisons = check_all(comparisons, "comparisons", Comparison)
    keys = dict.fromkeys(key for comparison in comparisons for key in comparison.settings)  # in order: a sum rounds
    took = [costs(key[0]).spent(key) for key in keys]
    return sum(processor for processor, _ in took) / 3600, sum(clock for _, clock in took) / 3600
