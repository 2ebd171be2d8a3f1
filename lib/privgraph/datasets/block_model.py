"""Blocks: nodes of a few classes that link by class, and bits that each class favours, in any strength.

Here both the edges and the features say something about a class, and how much is a parameter, so that one can see what
a method makes of either: the contextual stochastic block model (Deshpande et al. 2018), with bits as features.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..checks import check_count, check_fraction, check_generator, check_number
from ..graph import to_undirected
from .convert import make_data

if TYPE_CHECKING:
    from torch_geometric.data import Data


def blocks(generator: torch.Generator, nodes: int = 2000, classes: int = 4, degree: float = 10.0,
           homophily: float = 0.5, features: int = 8, contrast: float = 0.6) -> Data:
    """A graph of ``nodes`` in classes of equal size, give or take one.

    :param generator: source of all randomness.
    :param nodes: N, at least two for each class.
    :param classes: C, at least 2.
    :param degree: mean number of neighbours, above 0; a little less comes out, as no edge is drawn twice.
    :param homophily: share of the edges within a class, between 0 and 1; 1 / C of them where edges say nothing.
    :param features: d, bits of each node.
    :param contrast: how much likelier a favoured bit is than another, between 0 and 1.
    :returns: ``x`` float [N, d] of 0 and 1, ``y`` int64 [N], with ``feature_range`` and ``num_classes``.
    :raises ValueError: for sizes or shares out of their range.

    >>> from privgraph.randomness import seeded
    >>> blocks(seeded(0), nodes=100, classes=2, features=3).x.shape
    torch.Size([100, 3])
    """
    check_generator(generator)
    classes = check_count(classes, "classes", low=2)
    nodes = check_count(nodes, "nodes", low=2 * classes)
    check_number(degree, "degree", low=0, high=nodes - 1, open_low=True)
    check_fraction(homophily, "homophily", closed=True), check_fraction(contrast, "contrast", closed=True)
    y = torch.randperm(nodes, generator=generator) % classes
    edges = to_undirected(links(generator, y, classes, round(nodes * degree / 2), homophily), nodes)
    favours = torch.randint(2, (classes, check_count(features, "features", low=1)), generator=generator) * 2 - 1
    x = torch.rand(nodes, features, generator=generator) < (1 + contrast * favours[y]) / 2
    return make_data(edges, x.float(), y, "blocks", num_classes=classes)


def links(generator: torch.Generator, y: Tensor, classes: int, count: int, homophily: float) -> Tensor:
    """Each from a random node to another, of its class or of a random other class: int64 [2, count] or less."""
    order, sizes = torch.argsort(y, stable=True), torch.bincount(y, minlength=classes)
    first = torch.randint(len(y), (count,), generator=generator)
    draw = torch.rand(2, count, generator=generator)
    shift = torch.randint(1, classes, (count,), generator=generator)
    into = torch.where(draw[0] < homophily, y[first], (y[first] + shift) % classes)
    second = order[(sizes.cumsum(0) - sizes)[into] + (draw[1] * sizes[into]).long()]
    return torch.stack([first, second])[:, first != second]
