"""The face of all methods: ``fit`` gives a ``Model``, ``guarantees`` says beforehand what will hold::

    Local       people report through mechanisms of their own, a server learns: LPGNN, RGNN, GraphPrivatizer
    Distilled   teachers of a private graph name noisy labels for a public one, a student learns: PATE, PrivGNN
    Curated     a curator whom people trust with one graph releases noisy sums of it, or a model (curated)
    Embedding   a curator publishes one vector for each node
    Federation  clients that keep their graphs, and a server that gets messages
    FewShot     learns from tasks of few labelled graphs to solve another

All are frozen dataclasses of hyperparameters, checked at construction. ``fit`` runs a method from end to end; the
halves that it is made of (``collect`` and ``learn``, ``embed``, ``run``) take generators, for experiments and for
whoever must keep them apart. Randomness comes from the generator that is handed in, and from nowhere else.
``check_method`` says whether one keeps what its kind promises; ``examples`` gives it, and whatever else goes over all
methods, small instances to try.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import torch

from ..checks import check_count, check_people
from ..checks.parameters import Count, Parameters
from ..datasets.splits import split_or_own
from ..datasets.weights import own_weight, used_by, users
from ..effort import Effort, Extent
from ..privacy import Guarantee
from ..privacy.repeated import Cost
from ..streams import source, stream
from ..waiting import steps
from .evaluated import Evaluation
from .model import Model, here
from .release import left_of, unaccounted
from .spent import Fit, counted

if TYPE_CHECKING:
    from torch_geometric.data import Data

Coins = Callable[[str], torch.Generator]  # from a purpose, as in ``streams``, to the generator of what is drawn for it


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


def extent_of(data: Data) -> Extent:
    """The sizes of a graph, for ``Method.effort``.

    >>> from privgraph.datasets import load
    >>> print(extent_of(load("karate")))
    34 nodes, 78 edges, 34 features and 2 classes
    """
    sizes = sizes_of(data)
    return Extent(sizes.num_nodes, data.num_edges // 2, sizes.num_features or 0, sizes.num_classes or 1)


class Method(Parameters, ABC):
    """What all kinds have in common.

    ``INTRODUCED``: what is said before its guarantees, and ``OPEN`` where there are none. ``REMARKS``: what the arms of
    ``evaluate`` are. ``READS_LABELS``: whether it is told labels of test nodes, which it then gives back. ``WEIGHTS``:
    whether it uses weights of edges (``datasets.keep_weights``). ``CHEAPER``: which hyperparameters make it take less,
    where they are smaller.
    """

    INTRODUCED: ClassVar[str] = "what will hold where the randomness is secret, whatever comes out:"
    OPEN: ClassVar[str] = "  nothing: no guarantee is given"
    REMARKS: ClassVar[dict[str, str]] = {}
    READS_LABELS: ClassVar[bool] = False
    WEIGHTS: ClassVar[bool] = False
    CHEAPER: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def examples(cls) -> tuple["Method", ...]:
        """Instances that run in a moment on a graph of a few nodes; one for each way in which the method may send."""
        return (cls(),)

    def unread(self) -> dict[str, str]:
        """Hyperparameters that change nothing beside the others, by name, and why: a command refuses them.

        :returns: why, as the name of another one and what it is, "epsilon_x is inf".
        """
        return {}

    def fit(self, data: Data, public: Data | None = None, *, seed: int | None = None, progress: bool = False) -> Model:
        """Both halves in this process: what leaves the private side, and what is learned from it.

        Computed on the processor: a graph on another device is copied, and a model answers where it is asked.
        Every fit with secret randomness is one more release about the same people; ``privgraph.budget_file`` adds up.

        :param data: the graph, with x [N, d], edge_index [2, E] and what else the kind reads; for a ``Distilled`` the
            private one; for a ``Federation`` with ``holder``, who holds each node (``methods.federated.hold``).
        :param public: for a ``Distilled`` method only: a graph of other people, with the same features;
            ``datasets.private_public`` makes two of one.
        :param seed: of all random numbers. None: from secret randomness, which nobody can draw again. With a seed,
            whoever knows or guesses it takes the noise off: no guarantee holds, and the model says so.
        :param progress: show bars.
        :raises ValueError: where the graph lacks something, which is named with the line that sets it; for one whose
            weights are to be used (``datasets.keep_weights``), where the method uses none.
        """
        graphs = (here(data),) if public is None else (here(data), here(public))
        self.check_weights(*graphs)
        with self.counted(data, seed):
            return self.both_halves(graphs, partial(source, seed=seed), progress)

    def both_halves(self, graphs: tuple[Data, ...], coins: Coins, progress: bool = False) -> Model:
        """What ``fit`` returns.

        :param graphs: what ``fit`` was given: one, or for a ``Distilled`` a private and a public one.
        :param coins: a generator for each purpose, by its name.
        """
        raise self.of_no_kind()

    def counted(self, data: Data, seed: int | None):
        """Around all that is drawn: what it costs goes into the ``budget_file`` that is open, if one is.

        :param seed: that of ``fit``; a fit from a seed is refused there.
        """
        return counted(self.costing(data), seed)

    def costing(self, data: Data) -> Fit:
        """A fit of this data, for a ``budget_file``."""
        return Fit(type(self).__name__, partial(self.costs_on, data))

    def costs_on(self, data: Data, delta: float | None) -> list[Cost]:
        """What ``fit`` costs on this graph; what was computed of features without noise leaves less of a promise."""
        costs = self.costs(sizes_of(data), delta)
        held = left_of([cost.guarantee for cost in costs], unaccounted(data))
        return [replace(cost, guarantee=each) for cost, each in zip(costs, held, strict=True)]

    def evaluate(self, data: Any, public: Any = None, *, seeds: int = 3, progress: bool = False,
                 delta: float | None = None, **how) -> Evaluation:
        """The method beside its null controls, and beside what is had without it, on paired seeds 0, 1, ...

        A method that scores no better on a control than on the real graph owes its accuracy to something else. All of
        it is drawn from seeds, so nothing may be passed on: it is for the owner of the data. **Choosing is a release
        too**: hyperparameters, or the best of several runs, that were chosen by these numbers tell of the test labels
        and of all that was fitted, and no epsilon accounts for that. Choose on public data, or before looking.

        :param data: a graph with x [N, d], y int64 [N] and edge_index [2, E], whose nodes each seed splits anew
            (``datasets.split``), where ``datasets.keep_split`` does not say that its own masks stay.
        :param public: for a ``Distilled`` method another graph, or the share of these people who are public, by default
            half. For a ``Federation`` the share of the nodes that all clients hold.
        :param how: for a ``Federation`` what else ``methods.federated.hold`` takes; for a ``FewShot`` method, which
            reads tasks, what ``FewShot.dealt`` takes.
        :param seeds: how many, at least 1; an interval and a verdict need 3.
        :param progress: show bars, and log how much time is left.
        :param delta: of the guarantees that the verdict speaks of, as for ``guarantees``.
        :returns: by arm, percent with 95% intervals over seeds; it prints as a table, and what follows in sentences.
            ``| evaluation.references(data, seeds)`` adds what a network without privacy reaches on the same splits.
        :raises ValueError: as ``fit`` and ``guarantees``; and where a ``budget_file`` is open, as seeds cannot be
            counted.

        >>> from privgraph.datasets import load
        >>> from privgraph.methods import GAP
        >>> list(GAP(epsilon=1.0, epochs=1).evaluate(load("karate"), seeds=2))
        ['real graph', 'rewired edges', 'majority class']
        """
        if getattr(data, "own_split", False) and type(self).dealt is not Method.dealt:
            raise ValueError(f"data must be as it was before keep_split: {type(self).__name__} deals its people out "
                             "anew for each seed, and uses no masks of theirs")
        self.check_weights(data, public)
        runs, data = [], here(data)
        how |= {} if public is None else {"public": here(public)}
        held = tuple(cost.guarantee for cost in self.costs_on(data, delta))
        for seed in steps(range(check_count(seeds, "seeds", low=1)), "seeds", progress):
            given = self.dealt(data, seed, **how)
            runs.append((*self.tried(given, seed, progress), self.asked(given)))
        names = dict.fromkeys(name for _, accuracies, _ in runs for name in accuracies)  # some not of all
        values = {name: [found[name] for _, found, _ in runs if name in found] for name in names}
        answers = [each for _, _, each in runs if each is not None]
        return Evaluation(values, self.REMARKS, runs[0][0], held, min(answers, default=None), self.READS_LABELS)

    def effort(self, extent: Extent, **how) -> Effort | None:
        """What one seed of ``evaluate`` takes, all arms together, about; None: nobody has said it.

        Of public sizes, but for the number of edges: for the owner of the data, as ``evaluate`` is.

        :param extent: of the graph.
        :param how: as for ``evaluate``.
        :raises ValueError: for a graph on which it cannot run at all, by public sizes.
        """
        return None

    def asked(self, given: Any) -> int | None:
        """How many answers an accuracy of one run counts; None where that is not known.

        :param given: what was ``dealt`` for it.
        """
        mask = getattr(given, "test_mask", None)
        return None if mask is None else int(mask.sum())

    def dealt(self, data: Data, seed: int) -> Any:
        """What the run of this seed reads: the graph with masks of its own.

        :param seed: of all that this run draws.
        """
        return split_or_own(data, stream("split", seed))

    def tried(self, given: Any, seed: int, progress: bool = False) -> tuple[Any, dict[str, float]]:
        """One run of all arms of ``evaluate``: what left, and accuracies in percent by arm.

        :param given: what was ``dealt`` for this seed.
        :param seed: of all that this run draws.
        """
        raise self.of_no_kind()

    @classmethod
    def of_no_kind(cls) -> TypeError:
        """For what only a kind of method can say."""
        return TypeError(f"{cls.__name__} is of none of the kinds in privgraph.methods, which say what is run and what "
                         "it is set beside")

    def tried_on(self, arms: dict[str, Data], seed: int, progress: bool) -> tuple[Any, dict[str, float]]:
        """The same where each arm is the method on another graph.

        :param arms: these graphs by the names of their arms, the real one first.
        :param seed: of all that this run draws.
        """
        models = {name: self.fit(graph, seed=seed, progress=progress) for name, graph in arms.items()}
        return next(iter(models.values())).release, {name: 100 * model.score(arms[name])
                                                     for name, model in models.items()}

    def check_weights(self, *graphs: Any) -> None:
        """Refuse, before anything is drawn, weights of edges that are to be used and would be dropped.

        :param graphs: what the method is given; what is no graph is left alone.
        :raises ValueError: with the names of the methods that use weights.
        """
        if not self.WEIGHTS and any(getattr(graph, "own_weights", False) for graph in graphs):
            raise ValueError(f"data must be as it was before keep_weights: {type(self).__name__} uses no weights of "
                             f"edges, as {used_by(users())} do; with data.own_weights = False every edge counts the "
                             "same")

    def public(self, sizes: Sizes) -> tuple[str, ...]:
        """What of the data is taken as known to all, by name."""
        return ()

    def public_on(self, data: Data) -> tuple[str, ...]:
        """The same of this graph, whose weights of edges may be used."""
        return (*self.public(sizes_of(data)), *own_weight(data))

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
