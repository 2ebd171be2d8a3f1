"""A picture of accuracy over epsilon, as the bytes of an SVG and of a PNG. matplotlib is loaded when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO

from ..methods.conclusions import BASELINES, FEWEST, REFERENCES, compared
from ..methods.sweeping import Point
from ..nn import interval

FORMATS = ("svg", "png")
MISSING = "pictures need matplotlib, which is not installed: pip install 'privgraph[pictures]'"


def check_matplotlib() -> None:
    """Refuse before anything runs what could not be drawn after it.

    :raises ImportError: without matplotlib.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(MISSING) from error


def drawn(curves: Mapping[str, Sequence[Point]], even: Mapping[str, float | None], label: str) -> dict[str, bytes]:
    """The picture, by the name of its file.

    :param curves: points of each method by its name, by rising epsilon.
    :param even: where each breaks even; None: nowhere.
    :param label: of the axis of epsilon: whose it is.
    """
    import matplotlib
    from matplotlib.figure import Figure
    with matplotlib.rc_context({"svg.hashsalt": "privgraph", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.add_subplot()
        for number, (name, points) in enumerate(curves.items()):
            curve(axes, name, points, even[name], f"C{number}")
        levels(axes, curves)
        axes.set(xscale="log", xlabel=label, ylabel="accuracy in %")
        ticks = sorted({point.guarantee.epsilon for points in curves.values() for point in points})
        axes.set_xticks(ticks, [f"{each:.4g}" for each in ticks])
        axes.minorticks_off()
        axes.legend(fontsize="small")
        return {f"picture.{kind}": in_bytes(figure, kind) for kind in FORMATS}


def in_bytes(figure, kind: str) -> bytes:
    figure.savefig(held := BytesIO(), format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return held.getvalue()


def curve(axes, name: str, points: Sequence[Point], even: float | None, colour: str) -> None:
    """One method: means with the band of their intervals, and where it breaks even."""
    at, found = [point.guarantee.epsilon for point in points], [interval(point.own) for point in points]
    axes.plot(at, [each.mean for each in found], "o-", color=colour, label=name)
    if found[0].n >= FEWEST:
        axes.fill_between(at, [max(0, each.low) for each in found], [min(100, each.high) for each in found],
                          color=colour, alpha=0.2, linewidth=0)
    if even is not None:
        axes.axvline(even, color=colour, linestyle=":", label=f"{name} breaks even at {even:.4g}")


def levels(axes, curves: Mapping[str, Sequence[Point]]) -> None:
    """What the methods are set beside; of several methods what all have, as controls are each one's own."""
    known = set()
    for points in curves.values():
        for name, role in compared(points[0].scores).items():
            if name not in known and (len(curves) == 1 or role in BASELINES | REFERENCES):
                known.add(name)
                axes.plot([point.guarantee.epsilon for point in points],
                          [interval(point.scores[name]).mean for point in points], "--", linewidth=1,
                          color=f"C{len(curves) + len(known) - 1}", label=name)
