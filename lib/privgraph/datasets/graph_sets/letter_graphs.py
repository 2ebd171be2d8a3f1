"""Letter: capital letters of straight lines, drawn badly, after the data of Riesen and Bunke (2008), level "high".

A node is an end of a line, and its features are where that end lies. The skeletons are drawn here. Each drawing moves
the ends, bends some lines (a bend is a node more), erases some and adds others. How often was set so that the average
drawing has as many nodes and edges as in the published data, 4.67 and 4.50; single letters have up to two edges more
or less there.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from ...checks import check_count, check_fraction, check_generator, check_number
from ..episodes import GraphSet
from .dense import packed, symmetric

# Strokes through points "column row": columns 0..4 from the left, rows 0..2 from below.
SKELETONS = {"A": "00 11 22 31 40, 11 31", "E": "42 02 01 00 40, 01 41", "F": "42 02 01 00, 01 41",
             "H": "02 01 00, 42 41 40, 01 41", "I": "20 22", "K": "02 01 00, 42 01 40", "L": "02 00 40",
             "M": "00 02 21 42 40", "N": "00 02 40 42", "T": "02 22 42, 22 20", "V": "02 20 42",
             "W": "02 10 21 30 42", "X": "02 40, 00 42", "Y": "02 21 42, 21 20", "Z": "02 42 00 40"}
LETTERS = "".join(SKELETONS)  # class c is LETTERS[c]
TEST_LETTERS = "IVWZ"  # as published with Letter-High
UNIT = torch.tensor([0.4, 1.2])  # of a column and of a row: letters are 1.6 wide and 2.4 high
ENDS, LINES = 6, 5  # of a skeleton, at most


class Skeletons(NamedTuple):
    """All fifteen as tables: where the ends lie float [15, 6, 2] and which lines join them int64 [15, 5, 2], with
    how many of the places are in use, int64 [15] each. A line that is not in use joins end 0 with itself."""

    place: Tensor
    line: Tensor
    ends: Tensor
    lines: Tensor


def skeletons() -> Skeletons:
    """The letters of ``SKELETONS``, read."""
    place, line = torch.zeros(len(LETTERS), ENDS, 2), torch.zeros(len(LETTERS), LINES, 2, dtype=torch.long)
    sizes = []
    for number, strokes in enumerate(map(str.split, map(str.strip, SKELETONS.values()))):
        points = list(dict.fromkeys(point.strip(",") for point in strokes))
        pairs = [(points.index(start), points.index(end.strip(",")))
                 for start, end in zip(strokes, strokes[1:], strict=False) if not start.endswith(",")]
        place[number, :len(points)] = torch.tensor([[int(digit) for digit in point] for point in points]) * UNIT
        line[number, :len(pairs)] = torch.tensor(pairs)
        sizes.append((len(points), len(pairs)))
    return Skeletons(place, line, *torch.tensor(sizes).t())


def letters(generator: torch.Generator, per_class: int = 150, noise: float = 0.3, bend: float = 0.1,
            erase: float = 0.1, stray: float = 0.209, name: str = "letters") -> GraphSet:
    """Drawings of fifteen letters: class c is ``LETTERS[c]``.

    A drawing can have several parts, isolated nodes, and no edge at all, but never fewer nodes than its letter has.

    :param generator: source of all randomness.
    :param per_class: how many drawings of each letter.
    :param noise: standard deviation of each coordinate; a letter is 1.6 wide and 2.4 high.
    :param bend: chance that a line gets a node in its middle.
    :param erase: chance that a line, or each half of a bent one, is left out.
    :param stray: chance of a line between two nodes that have none.
    :param name: of the set.
    :returns: graphs; ``x`` float [N, 2] are a node's coordinates.

    >>> letters(torch.Generator().manual_seed(0), 1, noise=0, bend=0, erase=0, stray=0).graphs.num_edges.tolist()
    [5, 5, 4, 5, 1, 4, 2, 4, 3, 3, 2, 4, 2, 3, 3]
    """
    check_generator(generator), check_number(noise, "noise", low=0, open_high=True)
    for value, argument in ((bend, "bend"), (erase, "erase"), (stray, "stray")):
        check_fraction(value, argument, closed=True)
    y = torch.arange(len(LETTERS)).repeat_interleave(check_count(per_class, "per_class", low=1))
    letter = skeletons()
    bent = torch.rand(len(y), LINES, generator=generator) < bend
    bent &= torch.arange(LINES) < letter.lines[y][:, None]
    present = torch.cat([torch.arange(ENDS) < letter.ends[y][:, None], bent], 1)
    drawn = lines_drawn(letter, y, bent)
    coin = torch.rand(drawn.shape, generator=generator)
    drawn = symmetric(torch.where(drawn, coin >= erase, coin < stray) & present[:, None] & present[:, :, None])
    place = letter.place[y]
    middle = place.gather(1, letter.line[y].flatten(1)[..., None].expand(-1, -1, 2)).view(len(y), LINES, 2, 2).mean(2)
    x = torch.cat([place, middle], 1)
    x = x + noise * torch.randn(x.shape, generator=generator)
    test = tuple(map(LETTERS.index, TEST_LETTERS))
    train = tuple(label for label in range(len(LETTERS)) if label not in test)
    return GraphSet(name, packed(drawn, x, present), y, train, test)


def lines_drawn(letter: Skeletons, y: Tensor, bent: Tensor) -> Tensor:
    """The lines of each drawing with ``bent`` bool [G, 5] going through nodes of their own: bool [G, 11, 11]."""
    drawn = torch.zeros(len(y), ENDS + LINES, ENDS + LINES, dtype=torch.bool)
    start, end = letter.line[y].unbind(2)
    bend = (ENDS + torch.arange(LINES)).expand_as(start)
    graph = torch.arange(len(y))[:, None].expand_as(start)
    straight = ~bent & (start != end)
    for one, other, there in ((start, end, straight), (start, bend, bent), (end, bend, bent)):
        drawn[graph[there], one[there], other[there]] = True
    return drawn | drawn.transpose(1, 2)
