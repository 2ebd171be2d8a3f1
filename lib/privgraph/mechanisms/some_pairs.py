"""What answers on some pairs share: randomised response there, and all other edges go out as they are."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from ..checks import check_count
from ..checks.parameters import Epsilon
from ..graph import edge_key, key_edges
from ..late import torch
from ..privacy import Guarantee
from .edge_mechanism import MOST_AUDITED, EdgeMechanism, EdgeReport
from .edge_response import SymmetricResponse
from .edge_sampling import merge
from .law import Finite, Weights, together

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data


@dataclass(frozen=True)
class OpenReport(EdgeReport):
    """What the server receives: in ``edge_index`` the noisy pairs, each once, and in ``open_edges`` int64 [2, E']
    both directions of all edges that no answer is for, as they are."""

    open_edges: Tensor | None = None


@dataclass(frozen=True)
class SomePairsResponse(Finite, EdgeMechanism):
    """Some pairs, which public things name, are answered for once each, truly with probability p.

    The class that says which pairs has the unit, the condition and the proof.

    :param epsilon: budget of one of these pairs, > 0; ``inf`` returns the graph as it is.
    """

    epsilon: Annotated[float, Epsilon()]

    one_total: ClassVar[bool] = True
    UNIT: ClassVar[str]  # of what a finite epsilon holds for

    @staticmethod
    @abstractmethod
    def named(data: Data) -> Any:
        """What of a graph says which pairs these are; a graph that does not is refused, whatever epsilon."""

    def __call__(self, data: Data, *, generator: torch.Generator) -> Data:
        self.named(data)
        return super().__call__(data, generator=generator)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (cls(1.0),)

    @property
    def silent(self) -> bool:
        return math.isinf(self.epsilon)

    @property
    def response(self) -> SymmetricResponse:
        """p and 1 - p of the bits."""
        return SymmetricResponse(self.epsilon)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds for one of these pairs; and that nothing does for an undirected edge in general."""
        return (Guarantee(self.epsilon, unit=self.UNIT, relation="add/remove", basis="proved"),
                Guarantee(math.inf, unit="undirected edge", relation="add/remove", basis="proved"))

    def infer(self, report: OpenReport) -> tuple[Tensor, None]:
        """Both directions of every reported pair, and the open edges."""
        told, n = report.edge_index, report.num_nodes
        return key_edges(merge(*(edge_key(edges, n) for edges in (told.flip(0), told, report.open_edges))), n), None

    def shows(self, report: OpenReport) -> dict:
        """What of a report is no noise: the open edges too."""
        return super().shows(report) | {"open edges": report.open_edges}

    @staticmethod
    def pair_weights(lists: tuple[frozenset[int], ...], answered: Callable[[int, int], bool], t, one) -> Weights:
        """Of a bit for each pair 0-1, 0-2, .. in graphs of up to 4 people; t = e^epsilon.

        :param lists: one neighbour list for each person, of an undirected graph (``audit.relations``).
        :param answered: whether a pair u < v is answered for.
        """
        n = check_count(len(lists), "number of lists", low=1, high=MOST_AUDITED)
        truth, false = {0: one, 1: t}, {0: t, 1: one}
        return together((truth if v in lists[u] else false) if answered(u, v) else {int(v in lists[u]): 1}
                        for u, v in combinations(range(n), 2))


def sorted_edges(edges: Tensor, num_nodes: int) -> Tensor:
    """The same edges in the order of their ends; another order could tell which links stood between them."""
    return key_edges(edge_key(edges, num_nodes).sort().values, num_nodes)


# What the trials consist of.

def lists_of(edges: tuple[tuple[int, int], ...]) -> tuple[frozenset[int], ...]:
    """The neighbour lists of four people."""
    return tuple(frozenset(u + v - w for u, v in edges if w in (u, v)) for w in range(MOST_AUDITED))


def reported_pairs(report: OpenReport) -> tuple[int, ...]:
    """A bit for each pair; a key of ``distribution``."""
    told = {tuple(sorted(pair)) for edges in (report.edge_index, report.open_edges) for pair in edges.t().tolist()}
    return tuple(int(pair in told) for pair in combinations(range(report.num_nodes), 2))


def changed_in(lists: tuple[frozenset[int], ...],
               answered: Callable[[int, int], bool]) -> Iterator[tuple[frozenset[int], ...]]:
    """One pair that is answered for appears or disappears in both lists."""
    for u, v in combinations(range(len(lists)), 2):
        if answered(u, v):
            yield tuple(near ^ {v} if w == u else near ^ {u} if w == v else near for w, near in enumerate(lists))
