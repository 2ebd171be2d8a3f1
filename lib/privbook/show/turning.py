"""A figure that turns: two clients' embeddings of the same people, and the rotation that lays one on the other."""

import numpy as np
from IPython.display import HTML
from torch import Tensor

from privgraph.methods.federated import procrustes
from privgraph.methods.federated.row_messages import check_rows

from .interactive import BLUE, ORANGE, figure

SIZE, EDGE = 300, 14  # of the drawing, and what is left free around it
WIDE = 2  # numbers of an embedding


def rotation_figure(theirs: Tensor, mine: Tensor) -> HTML:
    """Turn another client's embeddings by hand, with or without a reflection, until they lie on one's own; without
    scripts they lie where Procrustes alignment puts them.

    :param theirs: float [P, 2], of the people whom both know.
    :param mine: float [P, 2], of the same.
    :raises ValueError: for other shapes, and for NaN or infinity.
    """
    check_rows(theirs, (len(check_rows(mine, name="mine")), WIDE), "theirs")
    check_rows(mine, (len(theirs), WIDE), "mine")
    x, y = theirs.double().numpy(), mine.double().numpy()
    turned = x @ procrustes(theirs.double(), mine.double()).numpy()
    far = float(np.sqrt(max((x**2).sum(1).max(), (y**2).sum(1).max(), 1e-12)))  # no turn leads further
    said = (f"Misfit {((x - y) ** 2).sum():.3g} as they came, {((turned - y) ** 2).sum():.3g} after Procrustes "
            "alignment.")
    return figure("rotation", f'<p class="said" aria-live="polite">{said}</p>{drawing(turned / far, y / far)}',
                  theirs=(x / far).tolist(), mine=(y / far).tolist(), unit=far**2)


def drawing(theirs: np.ndarray, mine: np.ndarray) -> str:
    """Both as SVG, joined by lines: one's own as blue circles, the other's as orange squares.

    :param theirs: [P, 2], none further than 1 from the origin.
    :param mine: [P, 2], the same.
    """
    def place(point):
        return (f"{SIZE / 2 + (SIZE / 2 - EDGE) * point[0]:.1f}", f"{SIZE / 2 - (SIZE / 2 - EDGE) * point[1]:.1f}")
    lines, dots = [], []
    for person, (other, own) in enumerate(zip(theirs, mine, strict=True)):
        (x, y), (p, q) = place(other), place(own)
        lines.append(f'<line x1="{x}" y1="{y}" x2="{p}" y2="{q}"></line>')
        dots.append(f'<circle cx="{p}" cy="{q}" r="9" fill="{BLUE}"></circle>'
                    f'<text class="own" x="{p}" y="{float(q) + 3.5:.1f}">{person}</text>'
                    f'<g class="other" transform="translate({x} {y})"><rect x="-8" y="-8" width="16" height="16" '
                    f'fill="{ORANGE}"></rect><text y="3.5">{person}</text></g>')
    return (f'<svg viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" role="img" aria-label="One\'s own embeddings as blue '
            f'circles, the other client\'s as orange squares; a line joins what belongs to one person."><g '
            f'stroke="#bbbbbb"><line class="axis" x1="0" y1="{SIZE / 2:g}" x2="{SIZE}" y2="{SIZE / 2:g}"></line>'
            f'<line class="axis" x1="{SIZE / 2:g}" y1="0" x2="{SIZE / 2:g}" y2="{SIZE}"></line></g>'
            f'<g class="joins" stroke="currentColor">{"".join(lines)}</g><g stroke="#333333" stroke-width="0.8" '
            f'font-size="10" text-anchor="middle">{"".join(dots)}</g></svg>')
