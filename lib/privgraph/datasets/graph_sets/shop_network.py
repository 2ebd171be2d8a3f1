"""A generated shop: goods of many kinds, joined where somebody looked at both. Sets of neighbourhoods are made of it.

Kinds differ in what is written on the goods, and in how closely they are linked: some hang together by few links and
others by many, so both the words and the structure of a neighbourhood tell its kind, and neither always.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...checks import check_count, check_generator
from ...graph import to_undirected
from ..convert import make_data

if TYPE_CHECKING:
    from torch_geometric.data import Data

WORDS = 128
SLOTS = 8  # words written on one article; repeated ones count once
OWN_WORDS = 0.1  # chance that a slot has a word that its kind favours, of which there are:
FAVOURITES = 10
FEWEST, MOST = 2, 12  # links that an article makes, by its kind
STAYS = 0.9  # chance that a link leads to the same kind
REACH = 3  # how far, on average, such a link leads: articles of a kind stand in a ring


def shop(generator: torch.Generator, kinds: int = 30, goods: int = 120) -> Data:
    """An attributed network of ``kinds`` times ``goods`` nodes.

    :param generator: source of all randomness.
    :param kinds: classes of nodes, at least 2.
    :param goods: nodes of each class, at least 2.
    :returns: ``x`` float [N, 128] of 0 and 1, the words; ``y`` int64 [N], the kind.
    """
    check_generator(generator)
    kind = torch.arange(check_count(kinds, "kinds", low=2)).repeat_interleave(check_count(goods, "goods", low=2))
    edges = to_undirected(links(generator, kind, kinds, goods), len(kind))
    return make_data(edges, written(generator, kind, kinds), kind, "shop", num_classes=kinds)


def links(generator: torch.Generator, kind: Tensor, kinds: int, goods: int) -> Tensor:
    """Each article to others of its ring, or to any: int64 [2, L]."""
    each = torch.randint(FEWEST, MOST + 1, (kinds,), generator=generator)[kind]
    start = torch.arange(len(kind)).repeat_interleave(each)
    draw = torch.rand(3, len(start), generator=generator)
    steps = 1 + (-REACH * torch.log1p(-draw[0])).long()
    ring = kind[start] * goods + (start % goods + steps) % goods
    return torch.stack([start, torch.where(draw[1] < STAYS, ring, (draw[2] * len(kind)).long())])


def written(generator: torch.Generator, kind: Tensor, kinds: int) -> Tensor:
    """The words on each article: some that its kind favours, and others, float [N, 128]."""
    favourite = torch.rand(kinds, WORDS, generator=generator).argsort(1)[:, :FAVOURITES]
    draw = torch.rand(3, len(kind), SLOTS, generator=generator)
    own = favourite[kind[:, None], (draw[1] * FAVOURITES).long()]
    word = torch.where(draw[0] < OWN_WORDS, own, (draw[2] * WORDS).long())
    return torch.zeros(len(kind), WORDS).scatter_(1, word, 1.0)
