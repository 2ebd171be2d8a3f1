"""What a run will take, told before it begins; and refused, unless it is wanted anyway, where nobody may expect it."""

from __future__ import annotations

import argparse
import math

from ..effort import Effort, Extent, memory_here
from ..methods import Method
from .ending import ANYWAY
from .said import Report

SAID = 10.0  # seconds from which on it is told
MOST = 600.0  # seconds of one run with its controls that are begun unasked


def add_anyway(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--anyway", action="store_true", help="begin although a run would take more than "
                        f"{MOST / 60:g} minutes, or more memory than there is, by an estimate")


def foresee(method: Method, extent: Extent, how: dict, runs: int, options: argparse.Namespace, report: Report,
            beside: Effort | None = None) -> None:
    """Tell what all runs together take, if that is long; or refuse the first.

    :param extent: of the graph.
    :param how: as for ``Method.evaluate``.
    :param runs: how many are wanted.
    :param beside: what is run for comparison, all of it.
    :raises ValueError: by public sizes and the number of edges, for whoever holds the graph.
    """
    each = method.effort(extent, **how)
    if each is None:
        return
    here = memory_here() or math.inf
    if not options.anyway and (each.seconds > MOST or each.gigabytes > here):
        raise ValueError(refusal(method, extent, each, here))
    whole = each * runs + (beside or Effort(0))
    if whole.seconds > SAID or whole.gigabytes > here:
        report.say(f"this takes {whole} on one processor, by an estimate from sizes", effort=whole)


def refusal(method: Method, extent: Extent, each: Effort, here: float) -> str:
    """Why it is not begun, and what may be done about it.

    :param each: what a run takes.
    :param here: GB of this machine.
    """
    most = (f"at most {MOST / 60:g} minutes are begun unasked" if each.seconds > MOST else
            f"this machine has {here:.0f} GB")
    less = ", ".join(f"--{name.replace('_', '-')}" for name in method.CHEAPER)
    return (f"{type(method).__name__} would take {each} for one run with its controls, on {extent}; {most}: take a "
            f"smaller graph, {f'less of {less}, ' if less else ''}or {ANYWAY}")
