"""A figure that answers how many of the reported edges are true, and from which budget on most are (chapter 8)."""

import math

from IPython.display import HTML

from privgraph.mechanisms import SymmetricResponse, break_even

from .interactive import BLUE, ORANGE, figure

WIDE, HIGH, LEFT, TOP = 300, 150, 40, 10  # of the field of the drawing, and where it begins
MOST = 20  # the largest budget that has a place
NODES, DEGREE, EPSILON = 3000, 4, 4.0  # what stands there first


def reported(nodes: int, degree: int, epsilon: float) -> dict[str, float]:
    """The break-even budget, how many pairs symmetric response reports on average, and which share of them is true.

    :param nodes: n, an even number, or one with an even degree.
    :param degree: d, how many neighbours a node has on average.
    """
    mechanism, edges = SymmetricResponse(epsilon), nodes * degree // 2
    return {"star": break_even(nodes, degree), "pairs": mechanism.expected_pairs(nodes, edges),
            "true": mechanism.precision_recall(nodes, edges)[0]}


def edges_figure() -> HTML:
    """Three sliders, n, d and epsilon: the share of true pairs, and the break-even budget; without scripts one state.
    """
    found = reported(NODES, DEGREE, EPSILON)
    said = (f"{NODES:,} people with {DEGREE} neighbours each: ε* = {found['star']:.3g}. At ε = {EPSILON:g}, "
            f"{100 * found['true']:.3g} % of {found['pairs']:,.0f} reported pairs are true (the dot).")
    return figure("edges", f'<p class="said" aria-live="polite">{said}</p>{drawing(found)}')


def place(epsilon: float, share: float) -> tuple[float, float]:
    return LEFT + WIDE * epsilon / MOST, TOP + HIGH * (1 - share)


def drawing(found: dict[str, float]) -> str:
    """The share of true pairs over the budget: the logistic curve, moved to the break-even budget."""
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in (
        place(at / 4, 1 / (1 + math.exp(found["star"] - at / 4))) for at in range(4 * MOST + 1)))
    star, (x, y) = place(found["star"], 0)[0], place(EPSILON, found["true"])
    ticks = "".join(f'<text x="{place(at, 0)[0]:g}" y="{TOP + HIGH + 14}" text-anchor="middle">{at}</text>'
                    for at in range(0, MOST + 1, 4))
    shares = "".join(f'<text x="{LEFT - 6}" y="{place(0, at)[1] + 4:g}" text-anchor="end">{100 * at:g} %</text>'
                     for at in (0, 0.5, 1))
    return (f'<svg viewBox="0 0 {LEFT + WIDE + 12} {TOP + HIGH + 34}" width="352" font-size="11" fill="currentColor" '
            'role="img" aria-label="The share of reported pairs that are true, over the budget: a curve that rises '
            f'from 0 to 1 and is at one half at the break-even budget, the dashed line."><rect x="{LEFT}" y="{TOP}" '
            f'width="{WIDE}" height="{HIGH}" fill="none" stroke="currentColor"></rect><polyline class="curve" '
            f'points="{curve}" fill="none" stroke="{BLUE}" stroke-width="3"></polyline><line class="star" '
            f'x1="{star:.1f}" x2="{star:.1f}" y1="{TOP}" y2="{TOP + HIGH}" stroke="currentColor" '
            f'stroke-dasharray="4 3"></line><circle class="here" cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{ORANGE}" '
            f'stroke="currentColor"></circle>{ticks}{shares}<text x="{LEFT + WIDE / 2:g}" y="{TOP + HIGH + 30}" '
            'text-anchor="middle">budget ε</text></svg>')
