"""Heat maps with a number in each cell."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes

BRIGHT = 0.45  # a cell above this is written on in black; about where black and white can be read equally well
EYE = (0.299, 0.587, 0.114)  # how bright red, green and blue look


def heat(axes: Axes, values, rows: Sequence, columns: Sequence, *, text: Callable = "{:.0f}".format,
         fontsize: float = 8, **image) -> None:
    """``values`` [rows, columns] as colours, each with its number; the first row is the lowest, as on an axis.

    :param rows: what is written beside the rows
    :param columns: what is written below the columns
    :param text: value -> what is written in its cell
    :param image: matplotlib's for ``imshow``, such as ``cmap``, ``vmin`` and ``vmax``
    :param axes: of matplotlib.
    :param fontsize: in points.
    :raises ValueError: where values and what is written beside them do not fit.
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (len(rows), len(columns)):
        raise ValueError(f"values must be one row for each of {len(rows)} rows, one column for each of {len(columns)} "
                         f"columns; got the shape {list(values.shape)}")
    picture = axes.imshow(values, **{"cmap": "cividis", "origin": "lower", "aspect": "auto"} | image)
    for (row, column), value in np.ndenumerate(values):
        bright = np.dot(picture.cmap(picture.norm(value))[:3], EYE) > BRIGHT
        axes.text(column, row, text(value), ha="center", va="center", fontsize=fontsize,
                  color="black" if bright else "white")
    axes.set_xticks(range(values.shape[1]), list(columns), fontsize=fontsize)
    axes.set_yticks(range(values.shape[0]), list(rows), fontsize=fontsize)
    axes.grid(False)
