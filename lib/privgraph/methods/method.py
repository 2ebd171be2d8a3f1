"""The face of all methods: ``fit`` gives a ``Model``, ``guarantees`` says beforehand what will hold.

``Local``       people report through mechanisms of their own, a server learns: LPGNN, RGNN, GraphPrivatizer
``Distilled``   teachers of a private graph name noisy labels for a public one, a student learns: PATE, PrivGNN
``Curated``     a curator whom people trust with one graph releases noisy sums of it, or a model (``curated``)
``Embedding``   a curator publishes one vector for each node
``Federation``  clients that keep their graphs, and a server that gets messages
``FewShot``     learns from tasks of few labelled graphs to solve another

All are frozen dataclasses of hyperparameters, checked at construction. ``fit`` runs a method from end to end; the
halves that it is made of (``collect`` and ``learn``, ``embed``, ``run``) take generators, for experiments and for
whoever must keep them apart. Randomness comes from the generator that is handed in, and from nowhere else.
``check_method`` says whether one keeps what its kind promises; ``examples`` gives it, and whatever else goes over all
methods, small instances to try.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ..checks import check_people
from ..checks.parameters import Count, Parameters
from ..privacy import Guarantee
from ..privacy.repeated import Cost
from .model import Model

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True)
class Sizes(Parameters):
    """What is public of a graph before anything is told of it.

    :param num_nodes: how many people it has.
    :param num_classes: of labels; None where there are none.
    :param num_features: columns of x; None where there are none.
    """

    num_nodes: Annotated[int, Count()]
    num_classes: Annotated[int | None, Count(1, none=True)] = None
    num_features: Annotated[int | None, Count(none=True)] = None


def sizes_of(data: Data) -> Sizes:
    """
    >>> from privgraph.datasets import load
    >>> sizes_of(load("karate"))
    Sizes(num_nodes=34, num_classes=2, num_features=34)
    """
    return Sizes(check_people(data), data.get("num_classes"), None if data.x is None else data.x.size(1))


class Method(Parameters, ABC):
    """What all kinds have in common."""

    @classmethod
    def examples(cls) -> tuple["Method", ...]:
        """Instances that run in a moment on a graph of a few nodes; one for each way in which the method may send."""
        return (cls(),)

    @abstractmethod
    def fit(self, data: Data, *, seed: int | None = None, progress: bool = False) -> Model:
        """Both halves in this process: what leaves the private side, and what is learned from it.

        :param seed: of all random numbers. None: from secret randomness, which nobody can draw again. With a seed,
            whoever knows or guesses it takes the noise off: no guarantee holds, and the model says so.
        """

    @abstractmethod
    def reload(self, release: dict, learned: dict, path) -> Model:
        """The model that a file holds: ``content`` of its release, and what ``Model.learned`` gave."""

    @abstractmethod
    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What will hold for what leaves, by unit, before anything runs: of hyperparameters and public sizes alone.

        Empty means that no guarantee is given, whatever the method hopes.

        :param delta: for what has no pure epsilon.
        :raises ValueError: where a delta is needed and none is said.
        """

    def costs(self, sizes: Sizes, delta: float | None = None) -> tuple[Cost, ...]:
        """The same ``guarantees``, each with what accountants need to add it up with others', where that is known."""
        return tuple(map(Cost, self.guarantees(sizes, delta)))
