"""A figure that answers how much noise hides one support graph in a prototype (chapter 12)."""

import math

from IPython.display import HTML

from privgraph.mechanisms import NoisyMean

from .interactive import BLUE, ORANGE, figure

SIZE = 300  # of the drawing; C, the bound on a length, is a quarter of it
EPSILON, DELTA, SHOTS = 1.0, 1e-5, 20  # what stands there first


def told(epsilon: float, delta: float, shots: int) -> dict[str, float]:
    """How far one graph moves a prototype and the deviation that hides it, in units of the bound C; and how likely the
    noise swaps two prototypes that are C apart, along the line that joins them.
    """
    mechanism = NoisyMean(epsilon, delta, clip=1.0, shots=shots)
    apart = 1 / (math.sqrt(2) * mechanism.sigma)  # in deviations of the difference of two noises
    return {"step": mechanism.sensitivity, "sigma": mechanism.sigma, "swapped": math.erfc(apart / math.sqrt(2)) / 2}


def prototype_figure() -> HTML:
    """Two sliders, epsilon and the number of shots: three prototypes, and the noise on each; without scripts one state.
    """
    found = told(EPSILON, DELTA, SHOTS)
    said = (f"ε = {EPSILON:g}, δ = {DELTA:g}, {SHOTS} shots: one graph moves its prototype by at most "
            f"{found['step']:.4g} C (the line), and the noise has deviation {found['sigma']:.4g} C in each coordinate "
            f"(the circles). It swaps two prototypes that are C apart with probability {100 * found['swapped']:.3g} %.")
    return figure("prototype", f'<p class="said" aria-live="polite">{said}</p>{drawing(found)}')


def drawing(found: dict[str, float]) -> str:
    """Three prototypes, each C from the others, within the circle of length C."""
    bound, middle, places = SIZE / 4, SIZE / 2, []
    for corner in range(3):
        angle = math.pi / 2 + corner * 2 * math.pi / 3
        places.append((f"{middle + bound / math.sqrt(3) * math.cos(angle):.1f}",
                       f"{middle - bound / math.sqrt(3) * math.sin(angle):.1f}"))
    sigma, step = (bound * found[name] for name in ("sigma", "step"))
    parts = "".join(
        f'<circle class="noise" cx="{x}" cy="{y}" r="{sigma:.1f}" fill="{BLUE}" fill-opacity="0.3" '
        f'stroke="currentColor"></circle><line class="step" x1="{x}" y1="{y}" x2="{float(x) + step:.1f}" y2="{y}" '
        f'stroke="{ORANGE}" stroke-width="4"></line><circle cx="{x}" cy="{y}" r="4" fill="currentColor"></circle>'
        for x, y in places)
    return (f'<svg viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" role="img" aria-label="Three prototypes as dots within '
            f'the dashed circle of the longest embeddings, each with a circle of one deviation of the noise."><circle '
            f'cx="{middle:g}" cy="{middle:g}" r="{bound:g}" fill="none" stroke="currentColor" stroke-dasharray="4 3">'
            f'</circle>{parts}</svg>')
