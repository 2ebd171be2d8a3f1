"""What a figure was given and does not show: points outside the limits of its axes."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from privgraph.checks import check_is

EDGE = 0.005  # of the axes' width: a point on the frame is seen


def points_outside(figure: Figure) -> list[tuple[float, float]]:
    """The points of lines and scatter plots that lie outside the limits of their axes, or have no place on a log axis.

    Intervals and bands may be cut, points may not; a line at one height (``axhline``) has only that height to be seen.

    :param figure: of matplotlib.

    >>> import matplotlib.pyplot as plt
    >>> figure, axes = plt.subplots()
    >>> _ = axes.plot([1, 2, 30], [0.5, 0.5, 0.5], "o"), axes.set_xlim(0, 10)
    >>> points_outside(figure)
    [(30.0, 0.5)]
    >>> plt.close(figure)
    """
    return [point for axes in check_is(figure, "figure", Figure).axes for points, transform in plotted(axes)
            for point in outside(axes, points, transform)]


def plotted(axes: Axes):
    """The points of each line and scatter plot, and the transform they are drawn with; no ends of intervals."""
    ends = [cap for bars in axes.containers if isinstance(bars, ErrorbarContainer) for cap in bars.lines[1]]
    for line in axes.lines:
        if line not in ends:
            yield line.get_xydata(), line.get_transform()
    for dots in axes.collections:
        if isinstance(dots, PathCollection):
            yield np.ma.filled(dots.get_offsets().astype(float), np.nan), dots.get_offset_transform()


def outside(axes: Axes, points: np.ndarray, transform) -> list[tuple[float, float]]:
    """Those points, among the ones with a value, that are not within the frame, in the directions that are data."""
    axes.get_xlim(), axes.get_ylim()  # asking makes them: limits that nobody set are made when the figure is drawn
    points = np.asarray(points, dtype=float)
    points = points[np.isfinite(points).all(1)]
    data = np.array(transform.contains_branch_seperately(axes.transData))
    with np.errstate(all="ignore"):
        place = axes.transAxes.inverted().transform(transform.transform(points)) if len(points) else points
    seen = ~data | ((place >= -EDGE) & (place <= 1 + EDGE))
    return [(float(x), float(y)) for x, y in points[~seen.all(1)]]
