"""Means with their 95% intervals: as a band around a line, or as points with bars."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from privgraph.checks import check_all, check_choice
from privgraph.nn import Interval

from .style import COLOURS

Ends = tuple[float, float, float]


def band(axes: Axes, x: Sequence[float], intervals: Sequence[Interval | None], label: str) -> None:
    """A line of means with a shaded 95% interval, in the next colour, marker and line style; None leaves a gap.

    :param axes: of matplotlib.
    :param x: the place of each.
    :param intervals: one for each place; None leaves a gap.
    :param label: for the legend.
    """
    x, middle, low, high = present(x, intervals).T
    line, = axes.plot(x, middle, label=label)
    axes.fill_between(x, low, high, color=line.get_color(), alpha=0.18, linewidth=0)


def points(axes: Axes, x: Sequence[float], intervals: Sequence[Interval | Ends | None], label: str, colour: str, *,
           across: bool = False, **style) -> None:
    """Points with bars for their 95% intervals; None leaves a gap, and a single run, which has no interval, no bar.

    :param x: the place of each. Series shown side by side are shifted a little, so that no bar hides another.
    :param intervals: ``Interval``, or (middle, low, high) where the two sides differ
    :param colour: a name in ``COLOURS``
    :param across: the bars lie along the horizontal axis, and ``x`` are heights
    :param style: matplotlib's, above all ``marker`` and ``linestyle``
    :param axes: of matplotlib.
    :param label: for the legend.
    """
    x, middle, low, high = present(x, intervals).T
    ends = np.array([middle - low, high - middle])
    ends[~np.isfinite(ends)] = 0
    style = {"elinewidth": 1.0, "color": COLOURS[check_choice(colour, "colour", COLOURS)], "label": label} | style
    if across:
        axes.errorbar(middle, x, xerr=ends, **style)
    else:
        axes.errorbar(x, middle, yerr=ends, **style)


def present(x: Sequence[float], intervals: Sequence[Interval | Ends | None]) -> np.ndarray:
    """[n, 4]: place, middle and both ends of the intervals that there are."""
    x, intervals = list(x), check_all(intervals, "intervals", object)
    if odd := [i for i in intervals if not isinstance(i, Interval | tuple | list | None)]:
        raise TypeError(f"each of intervals must be an Interval, (middle, low, high) or None, got {odd[0]!r}")
    if len(intervals) != len(x):
        raise ValueError(f"intervals must be as many as x, {len(x)}, got {len(intervals)}")
    ends = [(i.mean, i.low, i.high) if isinstance(i, Interval) else i for i in intervals]
    return np.array([(place, *found) for place, found in zip(x, ends, strict=True) if found is not None],
                    dtype=float).reshape(-1, 4)
