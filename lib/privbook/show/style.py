"""One figure style: colours that colour-blind readers can tell apart, lines that survive a grey printer."""

import io
import os
from functools import wraps
from pathlib import Path

import matplotlib.pyplot as plt

from privgraph.writing import write

from .outside import points_outside

# Okabe and Ito's palette, darkest first; every series also has a marker and a line style of its own.
COLOURS = {"blue": "#0072B2", "orange": "#D55E00", "green": "#009E73", "purple": "#CC79A7", "sky": "#56B4E9",
           "yellow": "#E69F00", "black": "#000000", "grey": "#767676"}
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":")
FOLDER = "PRIVGRAPH_FIGURES"  # an environment variable: where figures are kept for slides, besides being shown


def use_style() -> None:
    """Set matplotlib's defaults for a chapter, and let ``plt.show`` look that each figure shows all that it was
    given."""
    if not hasattr(plt.show, "shows_all"):
        plt.show = showing_all(plt.show)
    plt.rcParams.update({
        "figure.figsize": (6.4, 3.6), "figure.dpi": 110, "figure.constrained_layout.use": True,
        "axes.prop_cycle": plt.cycler(color=list(COLOURS.values())[:4], linestyle=LINES, marker=MARKERS[:4]),
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#DDDDDD",
        "grid.linewidth": 0.6, "axes.axisbelow": True, "font.size": 10.5, "lines.linewidth": 1.8,
        "lines.markersize": 5, "legend.frameon": False, "savefig.bbox": "tight",
        "svg.hashsalt": "privgraph",  # the same figure is the same file
    })


def keep(figure) -> None:
    """One more file, 01.svg and so on, in the folder for slides, where there is one."""
    if folder := os.environ.get(FOLDER):
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        figure.savefig(content := io.BytesIO(), format="svg", metadata={"Date": None})
        write(place / f"{len(list(place.glob('*.svg'))) + 1:02}.svg", content.getvalue())


def showing_all(show):
    """``plt.show``, but a figure that hides a point it was given raises."""
    @wraps(show)
    def checked(*args, **kwargs):
        for number in plt.get_fignums():
            if hidden := points_outside(plt.figure(number)):
                raise ValueError(f"the axes of a figure must show all its points, {len(hidden)} lie outside, the first "
                                 f"at {hidden[0]}")
            keep(plt.figure(number))
        return show(*args, **kwargs)
    checked.shows_all = True
    return checked
