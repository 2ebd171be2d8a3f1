"""Perceptrons of any depth, and one that reads several tables at once."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..randomness import torch_seeded


class Perceptron(nn.Sequential):
    """Linear layers, each followed by batch normalisation, SELU and dropout; with ``plain_last`` the last is not.

    :param sizes: columns of the input, and of the output of each layer.
    :param generator: seeds the initial weights.
    """

    def __init__(self, sizes: list[int], *, dropout: float, generator: torch.Generator, plain_last: bool = False):
        layers: list[nn.Module] = []
        with torch_seeded(generator):
            for number, (before, after) in enumerate(zip(sizes, sizes[1:], strict=False), start=2):
                layers.append(nn.Linear(before, after))
                if not (plain_last and number == len(sizes)):
                    layers += [nn.BatchNorm1d(after), nn.SELU(), nn.Dropout(dropout)]
        super().__init__(*layers)


class Encoder(nn.Module):
    """A perceptron of features alone. ``encode`` gives its last hidden rows, of length 1; ``forward`` logits [N, C]."""

    def __init__(self, num_features: int, num_classes: int, *, hidden: int, dropout: float, generator: torch.Generator):
        super().__init__()
        self.base = Perceptron([num_features, hidden, hidden], dropout=dropout, generator=generator)
        self.head = Perceptron([hidden, num_classes], dropout=0.0, generator=generator, plain_last=True)

    def encode(self, x: Tensor) -> Tensor:
        return F.normalize(self.base(x), dim=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encode(x))


class SeveralTables(nn.Module):
    """A perceptron for each of K tables [K, N, d], their outputs side by side, and a head: logits [N, C]."""

    def __init__(self, tables: int, width: int, num_classes: int, *, hidden: int, dropout: float,
                 generator: torch.Generator):
        super().__init__()
        self.each = nn.ModuleList(Perceptron([width, hidden], dropout=dropout, generator=generator)
                                  for _ in range(tables))
        self.head = Perceptron([tables * hidden, num_classes], dropout=0.0, generator=generator, plain_last=True)

    def forward(self, tables: Tensor) -> Tensor:
        return self.head(torch.cat([part(table) for part, table in zip(self.each, tables, strict=True)], 1))


class Progressive(nn.Module):
    """A layer for each of some stages; a head for each, which reads all layers so far side by side, at length 1.

    ``forward`` of s + 1 tables gives the logits of stage s.

    :param sizes: columns of the table of each stage.
    """

    def __init__(self, sizes: list[int], num_classes: int, *, hidden: int, dropout: float, generator: torch.Generator):
        super().__init__()
        self.bases = nn.ModuleList(Perceptron([size, hidden], dropout=dropout, generator=generator) for size in sizes)
        self.heads = nn.ModuleList(
            Perceptron([(stage + 1) * hidden, num_classes], dropout=0.0, generator=generator, plain_last=True)
            for stage in range(len(sizes)))

    def hidden(self, tables: Sequence[Tensor]) -> list[Tensor]:
        """The rows of each stage for which there is a table."""
        return [base(table) for base, table in zip(self.bases, tables, strict=False)]

    def forward(self, tables: Sequence[Tensor]) -> Tensor:
        return self.heads[len(tables) - 1](F.normalize(torch.cat(self.hidden(tables), 1), dim=1))
