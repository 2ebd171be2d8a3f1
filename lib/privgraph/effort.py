"""What something will take, said before it begins: time and memory, about, from public sizes alone.

What one number costs was measured on one processor of a busy machine, on graphs of 10^5 and 10^6 edges. On another
machine, or on small graphs, it may be three times as much or a third; what matters is minutes or days.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

LIBRARIES = 0.5  # GB that Python and the libraries take
COPIES = 6  # of a table that training holds at once: values, gradients, and what lies between

# Seconds that one of each takes. In training:
PASS = 5e-4  # an epoch on a graph of a few nodes
ROW, ALONG, PRODUCT = 45e-9, 2e-9, 0.2e-9  # a number that is made of a row, of an edge, of a weight
SCORED, COMPARED = 2e-8, 6e-10  # of a pair's inner product: where pairs are drawn, where all are compared
GRADIENT = 30e-9  # of a gradient that is made for one person
MET, MULTIPLIED, MOVED = 4e-8, 3e-10, 5e-9  # a pair on a walk, a number of their product, a number of the tables
# Elsewhere:
DRAWN, ADDED, PROBED = 25e-9, 1.5e-9, 1e-7  # a number that is drawn, added along an edge, read by a linear probe
REPORTED, WALKED, CUT = 2e-6, 1.2e-7, 1.5e-6  # an edge that is reported, a two-hop walk, an edge that METIS looks at
ORDERED, DISTANT = 1e-7, 1e-9  # a distance that is sorted, a number that it is made of
FOUND, FACTORED = 3e-8, 1e-9  # a number of a dense matrix that is found, and its product with a column
SEPARATED = 5e-8  # a pair of nodes, for a support vector machine that learns of them

# In units of a plain network's training:
PLAIN = 0.5  # one that selects no epoch, and drops nothing
GAME = 2.75  # a game of encoder, decoders and discriminator
ATTENTION = 5.0  # layers of attention

WIDE = 100  # columns that are read where zeros are left out: features of more are words, most of which are not there


@dataclass(frozen=True)
class Extent:
    """The sizes of a graph. Of these only the number of edges may be private.

    :param nodes: N.
    :param edges: each counted once.
    :param features: columns of x.
    :param classes: C.
    """

    nodes: int
    edges: int
    features: int = 0
    classes: int = 1

    @property
    def entries(self) -> int:
        """Columns of edge_index."""
        return 2 * self.edges

    def part(self, fraction: float) -> Extent:
        """Of the graph on a random share of the nodes."""
        return replace(self, nodes=int(fraction * self.nodes), edges=int(fraction**2 * self.edges))

    def __str__(self) -> str:
        return f"{self.nodes:,} nodes, {self.edges:,} edges, {self.features:,} features and {self.classes} classes"


@dataclass(frozen=True)
class Effort:
    """``seconds`` of one processor, and ``gigabytes`` of memory at most, those of the libraries among them.

    >>> print(Effort(200.0) + Effort(100.0, 2.0), Effort(4.2) * 10, Effort(9e4), sep="; ")
    about 5 minutes and 2 GB; about 42 seconds and 0.5 GB; about 25 hours and 0.5 GB
    """

    seconds: float
    gigabytes: float = LIBRARIES

    def __add__(self, other: Effort) -> Effort:
        """One after the other."""
        return Effort(self.seconds + other.seconds, max(self.gigabytes, other.gigabytes))

    def __mul__(self, times: float) -> Effort:
        """So many times, one after the other."""
        return replace(self, seconds=self.seconds * times)

    def __str__(self) -> str:
        long, unit = next(((size, name) for size, name in ((7200, "hours"), (120, "minutes"))
                           if self.seconds > size), (1, "seconds"))
        per = {7200: 3600, 120: 60, 1: 1}[long]
        return f"about {self.seconds / per:,.0f} {unit} and {self.gigabytes:.2g} GB"


def tables(numbers: float) -> float:
    """GB of a process that trains on tables of so many numbers of 32 bits."""
    return LIBRARIES + 4 * COPIES * numbers / 1e9


def training(extent: Extent, hidden: int, epochs: int, along: bool = True, dense: bool = False) -> Effort:
    """Of a network with a hidden layer: forward, backward, and once more to select the epoch.

    :param hidden: its width.
    :param along: whether its layers read neighbours.
    :param dense: whether zeros among the features are multiplied too.
    """
    made, read = hidden + extent.classes, extent.features if dense else min(extent.features, WIDE)
    each = PASS + extent.nodes * (made * ROW + read * hidden * PRODUCT) + along * extent.entries * made * ALONG
    return Effort(epochs * each, tables(extent.nodes * (made + extent.features) + along * extent.entries * (
        2 + made / COPIES)))


def summing(extent: Extent, columns: int, hops: int) -> Effort:
    """Of sums over neighbours, hop by hop."""
    return Effort(hops * columns * (extent.entries * ADDED + extent.nodes * ADDED),
                  tables(extent.nodes * columns / 2 + extent.entries))


def drawing(numbers: float) -> Effort:
    """Of noise."""
    return Effort(numbers * DRAWN, tables(numbers / 2))


def probing(extent: Extent, columns: int) -> Effort:
    """Of a linear probe of so many columns."""
    return Effort(extent.nodes * columns * extent.classes * PROBED, tables(extent.nodes * columns))


def comparing(nodes: int, features: int, narrow: bool) -> Effort:
    """Of all pairs of nodes, by the angle of their features.

    :param narrow: with 32 bits.
    """
    each = 7.5e-9 + features * 3e-11 if narrow else 22e-9 + features * 8e-11
    return Effort(nodes**2 * each, tables(nodes * 256))


def memory_here() -> float | None:
    """GB of memory that this machine has; None where it does not say.

    >>> 0.1 < (memory_here() or 1.0) < 1e5
    True
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    except (AttributeError, OSError, ValueError):  # Windows
        return None
