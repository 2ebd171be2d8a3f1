"""Few-shot tasks: N classes, K labelled graphs of each, and others to be named (the dissertation, section 5.2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from ..checks import (
    check_count,
    check_generator,
    check_labels,
    check_name,
    check_sequence,
    check_tensor,
)
from ..checks.parameters import Count, Instance, Kind, Parameters
from ..graph_batch import GraphBatch

if TYPE_CHECKING:
    from torch_geometric.data import Data


def as_classes(classes: Sequence[int], name: str) -> tuple[int, ...]:
    """Different whole numbers from 0 on."""
    found = tuple(check_count(label, f"each of {name}") for label in check_sequence(classes, name, "classes"))
    if len(set(found)) != len(found):
        raise ValueError(f"{name} must be different, got {found}")
    return found


CLASSES = Kind(as_classes, "different whole numbers from 0 on",
               (None, "01", 3, (0, 0), (-1,), (0.5,), (True,)), ((0, 9),), None)


@dataclass(frozen=True, eq=False)
class Task(Parameters):
    """One episode: few labelled graphs, and others to be told apart.

    ``support``: graphs with labels ``support_y`` int64 [S] in 0..ways-1, each at least once. ``query``: graphs to be
    named; ``query_y`` int64 [Q] is for who judges (-1 where nobody knows), and a method never reads it.
    """

    support: Sequence[Data]
    support_y: Tensor
    query: Sequence[Data]
    query_y: Tensor
    ways: Annotated[int, Count(2)]

    def agree(self):
        """Refuse classes that do not go with the graphs.

        :raises ValueError: for too few classes, and where a class has no support graph.
        """
        check_labels(self.support_y, self.ways)
        for name in ("support", "query"):
            graphs, y = getattr(self, name), check_tensor(getattr(self, f"{name}_y"), f"{name}_y")
            if y.shape != (len(graphs),):
                raise ValueError(f"{name}_y must be one class for each of {len(graphs)} graphs, got {list(y.shape)}")
        if missing := sorted(set(range(self.ways)) - set(self.support_y.tolist())):
            raise ValueError(f"support must have a graph of each of {self.ways} classes, got none of {missing}")


@dataclass(frozen=True, eq=False)
class GraphSet(Parameters):
    """Graphs with classes, of which some are for training and others, which training never sees, for tests.

    :param name: what it is called.
    :param graphs: G graphs.
    :param y: int64 [G], the class of each.
    :param train_classes: classes for training.
    :param test_classes: classes for tests; none is in both.
    """

    name: str
    graphs: Annotated[GraphBatch, Instance(GraphBatch)]
    y: Tensor
    train_classes: Annotated[tuple[int, ...], CLASSES]
    test_classes: Annotated[tuple[int, ...], CLASSES]

    def agree(self):
        """Refuse classes that do not go with the graphs.

        :raises ValueError: for too few classes, and for one that is for training and for testing.
        """
        check_name(self.name, "name")
        if len(check_labels(self.y, None)) != len(self.graphs):
            raise ValueError(f"y must have a class for each of {len(self.graphs)} graphs, got {len(self.y)}")
        if both := set(self.train_classes) & set(self.test_classes):
            raise ValueError(f"train_classes and test_classes must have none in common, got {sorted(both)} in both")

    def of_class(self, label: int) -> Tensor:
        """The numbers of the graphs of a class, int64 [n].

        :param label: a class, from 0.
        """
        return (self.y == label).nonzero().squeeze(1)


@dataclass(frozen=True, eq=False)
class Sampler(Parameters):
    """Draws tasks: ``sampler(generator) -> Task``.

    :param data: graphs with classes.
    :param classes: from which of them to draw, for instance ``data.train_classes``.
    :param ways: N, classes of a task; they are drawn anew, and named 0..N-1 in the order drawn.
    :param shots: K, labelled graphs of each class.
    :param queries: graphs of each class that are to be named; none is in the support.
    """

    data: Annotated[GraphSet, Instance(GraphSet)]
    classes: Annotated[tuple[int, ...], CLASSES]
    ways: Annotated[int, Count(2)]
    shots: Annotated[int, Count(1)]
    queries: Annotated[int, Count(1)]

    def agree(self):
        """Refuse tasks that the classes have too few graphs for.

        :raises ValueError: where there are too few classes, or too few graphs of one.
        """
        if self.ways > len(self.classes):
            raise ValueError(f"ways must be at most the {len(self.classes)} classes that are drawn from, "
                             f"got {self.ways}")
        fewest = min(len(self.data.of_class(label)) for label in self.classes)
        if self.shots + self.queries > fewest:
            raise ValueError(f"shots + queries must be at most {fewest}, the graphs of the smallest class, "
                             f"got {self.shots} + {self.queries}")

    def __call__(self, generator: torch.Generator) -> Task:
        """A task, drawn with ``generator``."""
        drawn = torch.randperm(len(self.classes), generator=check_generator(generator))[:self.ways]
        chosen = []
        for label in drawn.tolist():
            members = self.data.of_class(self.classes[label])
            chosen.append(members[torch.randperm(len(members), generator=generator)[:self.shots + self.queries]])
        chosen = torch.stack(chosen)  # [ways, shots + queries]
        y = torch.arange(self.ways)
        return Task(self.data.graphs.take(chosen[:, :self.shots].flatten()), y.repeat_interleave(self.shots),
                    self.data.graphs.take(chosen[:, self.shots:].flatten()), y.repeat_interleave(self.queries),
                    self.ways)
