"""From a private and a public graph to a student that may be released: what PrivGNN and PATE have in common.

Both ask teachers, which were trained on private data, for labels of some public nodes (the *queries*). Only noisy
labels leave the private side. A student learns from them and from the public graph: post-processing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import check_generator, check_is
from ..checks.parameters import Choice, Count, Instance
from ..datasets import induced
from ..datasets.sameness import same_graph
from ..datasets.splits import halves, parts
from ..effort import Effort, Extent, training
from ..graph import check_task
from ..mechanisms import Mechanism
from ..nn import Backbone, accuracy
from ..privacy import RANDOMNESS, Budget, Guarantee
from ..privacy.repeated import Cost
from ..randomness import kind_of, seeded
from ..streams import stream
from .evaluated import LARGEST
from .method import Coins, Method, Sizes, extent_of
from .model import InductiveModel, NetworkModel, Training
from .query_release import QueryRelease, TeacherScores, of_a_node

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from ..nn import MLP

KINDS = ("sage", "mlp")
MOST_QUERIES = 5_000_000  # what each costs is two uses, of which so many can be composed
FEWEST = 2  # nodes that batch normalisation can work with; a teacher of fewer knows nothing


@dataclass(frozen=True)
class NodeClassifier(Training):
    """The network of teachers, students and baselines alike, and how it is trained (PrivGNN, appendix G.1).

    :param kind: ``"sage"``: two layers of GraphSAGE with batch normalisation; ``"mlp"``: three layers, no edges.
    """

    kind: Annotated[str, Choice(KINDS)] = "sage"
    _: KW_ONLY
    hidden: int = 64
    epochs: int = 200

    def untrained(self, num_features: int, num_classes: int, generator: torch.Generator) -> Backbone | MLP:
        """A network of this kind with fresh weights."""
        if self.kind == "mlp":
            from ..nn import MLP  # a class of PyG's
            return MLP(num_features, num_classes, hidden=self.hidden, dropout=self.dropout, generator=generator)
        return self.shape(num_features, num_classes).redraw(generator)

    def shape(self, num_features: int, num_classes: int) -> Backbone:
        """The GraphSAGE network, with weights that mean nothing."""
        return Backbone("sage", num_features, num_classes, hidden=self.hidden, dropout=self.dropout, activation="relu",
                        batch_norm=True, generator=seeded(0))

    def effort(self, extent: Extent, epochs: int | None = None) -> Effort:
        """What ``fit`` takes, about.

        :param extent: of the graph.
        :param epochs: in place of its own.
        """
        return training(extent, self.hidden, self.epochs if epochs is None else epochs, self.kind == "sage", True)

    def fit(self, x: Tensor, edge_index: Tensor, nodes: Tensor, targets: Tensor, num_classes: int,
            generator: torch.Generator, start: Backbone | None = None, progress: bool = False) -> InductiveModel:
        """Train on some nodes of a graph, with cross-entropy; the last epoch counts.

        :param nodes: int64 [Q], where the loss looks.
        :param targets: their classes int64 [Q], or shares [Q, C].
        :param start: a network to begin with, instead of fresh weights.
        :param x: features float [N, d].
        """
        model = self.untrained(x.size(1), num_classes, generator) if start is None else start
        fitted = InductiveModel(self, model, model.prepare(x, edge_index))
        return fitted.train(lambda logits: F.cross_entropy(logits[nodes], targets), None, generator, progress)


QUICK = NodeClassifier(hidden=4, epochs=2)  # of the examples


@dataclass(frozen=True)
class Distilled(Method, ABC):
    """``collect`` = ``teach`` (private) + ``answer`` (noisy labels); ``learn`` trains the student.

    A method gives the three that differ: ``teach``; ``mechanism``, which makes noisy labels of scores; ``budget``, what
    they cost.
    How much noise it adds it has to be told: with so many labels no scale is harmless, and ``guarantees`` says what one
    costs before anybody is asked.

    :param num_queries: ``|Q|``, public nodes that are labelled.
    :param student: how the student is trained.
    :param pretrain: epochs of graph reconstruction on the public graph
        before that (PrivGNN, appendix D.7).
    """

    REMARKS = {"majority class": LARGEST,
               "student of true labels": "no privacy: the same student, told the true labels of the same nodes"}

    num_queries: Annotated[int, Count(1, MOST_QUERIES)] = 1000
    student: Annotated[NodeClassifier, Instance(NodeClassifier)] = field(default_factory=NodeClassifier)
    pretrain: Annotated[int, Count()] = 0

    @abstractmethod
    def teach(self, private: Data, public: Data, generator: torch.Generator, progress: bool = False) -> TeacherScores:
        """What teachers say of some public nodes. Not private: never release it."""

    @abstractmethod
    def mechanism(self, num_classes: int) -> Mechanism:
        """What makes a noisy label of one row of scores; all that leaves goes through it, once."""

    def label(self, scores: Tensor, generator: torch.Generator) -> Tensor:
        """Noisy labels int64 [Q] of scores [Q, C].

        :param scores: float [Q, C].
        """
        return self.mechanism(scores.size(1))(scores, generator=generator)

    @abstractmethod
    def budget(self, num_classes: int) -> Budget | None:
        """What the labels of all queries cost, whatever the scores; None: no finite epsilon holds."""

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What ``collect`` will cost a private node, her features, her label and her edges."""
        return (of_a_node(self.budget(sizes.num_classes), delta),)

    def costs(self, sizes: Sizes, delta: float | None = None) -> tuple[Cost, ...]:
        """With what all labels cost."""
        return tuple(Cost(held, self.budget(sizes.num_classes)) for held in self.guarantees(sizes, delta))

    def both_halves(self, graphs: tuple[Data, ...], coins: Coins, progress: bool = False) -> InductiveModel:
        """Labels of public nodes leave the private graph, and a student learns of them.

        :raises ValueError: where there is no public graph.
        """
        if len(graphs) != 2:
            raise ValueError("public must be a graph of other people, with the same features, got none; "
                             "datasets.private_public makes two of one")
        return self.learn(self.collect(*graphs, coins("teachers"), progress), coins("learn"), progress)

    def dealt(self, data: Data, seed: int, public: Data | float = 0.5) -> tuple[Data, Data]:  # type: ignore[override]
        """A private and a public graph, with masks on the public one.

        :param public: the public one; or which share of these people is public, at random.
        """
        if isinstance(public, float | int):
            return parts(data, public, seed)
        return data, halves(public, seed)

    def tried(self, given: tuple[Data, Data], seed: int, progress: bool = False
              ) -> tuple[QueryRelease, dict[str, float]]:
        """The student, and beside it what is had without teachers."""
        private, public = given
        model = self.fit(private, public, seed=seed, progress=progress)
        queries = model.release.queries
        truth = self.student.fit(public.x, public.edge_index, queries, public.y[queries], public.num_classes,
                                 stream("learn", seed), progress=progress)
        largest = torch.bincount(private.y[private.y >= 0], minlength=private.num_classes).float()
        found = {"student": model.predict_proba(), "majority class": largest.repeat(public.num_nodes, 1),
                 "student of true labels": truth.predict_proba()}
        return model.release, {name: accuracy(scores, public.y, public.test_mask) for name, scores in found.items()}

    def asked(self, given: tuple[Data, Data]) -> int:
        return int(given[1].test_mask.sum())

    CHEAPER: ClassVar[tuple[str, ...]] = ("num_queries", "student.epochs")

    def effort(self, extent: Extent, public: Data | float = 0.5, **how) -> Effort | None:
        """``teaching_effort``, the student, and one who is told the truth.

        :param public: as for ``evaluate``.
        """
        shared = isinstance(public, float | int)
        private, public = (extent.part(1 - public), extent.part(public)) if shared else (extent, extent_of(public))
        once = self.teaching_effort(private, public)
        return once if once is None else once + self.student.effort(public) * 2 + self.student.effort(
            public, self.pretrain)

    def teaching_effort(self, private: Extent, public: Extent) -> Effort | None:
        """What ``teach`` takes, about; None: nobody has said it.

        :param private: the sizes of the private graph.
        :param public: those of the public one.
        """
        return None

    def public(self, sizes: Sizes) -> tuple[str, ...]:
        return "features and edges of the public graph", "num_classes"

    def collect(self, private: Data, public: Data, generator: torch.Generator, progress: bool = False) -> QueryRelease:
        """The private side: noisy labels of random nodes in ``public.train_mask``."""
        answers = self.teach(private, public, generator, progress)
        return self.answer(replace(answers, randomness=kind_of(generator)), public, generator)

    def answer(self, answers: TeacherScores, public: Data, generator: torch.Generator) -> QueryRelease:
        """Noisy labels from what teachers said. The same answers may serve several noise levels, if one is released.

        :param answers: of ``teach``.
        """
        labels = self.label(answers.scores, generator)
        return QueryRelease(x=public.x, edge_index=public.edge_index, num_classes=public.num_classes,
                            queries=answers.queries, labels=labels, budget=self.budget(public.num_classes),
                            unaccounted=answers.unaccounted, randomness=weaker(answers.randomness, kind_of(generator)))

    def learn(self, release: QueryRelease, generator: torch.Generator, progress: bool = False) -> InductiveModel:
        """The student: trained on the noisy labels, with all of the public graph to pass messages."""
        check_generator(generator), check_is(release, "release", QueryRelease)
        start = None
        if self.pretrain:
            start = reconstruct(self.student, release.x, release.edge_index, release.num_classes, self.pretrain,
                                generator)
        fitted = self.student.fit(release.x, release.edge_index, release.queries, release.labels, release.num_classes,
                                  generator, start, progress)
        fitted.check_trained()  # of a student only: teachers are private, and so is whether one of them failed
        return replace(fitted, method=self, release=release)

    def reload(self, release: dict, learned: dict, path) -> InductiveModel:
        found = QueryRelease.of_content(release, path)
        model = self.student.untrained(found.x.size(1), found.num_classes, seeded(0))
        return InductiveModel(self.student, model, model.prepare(found.x, found.edge_index), method=self,
                              release=found).take(learned, path)

    def choose_queries(self, private: Data, public: Data, generator: torch.Generator) -> Tensor:
        """``|Q|`` nodes of ``public.train_mask`` at random, int64 [Q]; checks both graphs first.

        Of the private graph it asks what holds for each person or for none: no exception hangs on one of them. Whether
        it is the public graph is asked of it as a whole; whoever calls this holds both, and knows.

        :raises ValueError: where both graphs are one, differ in features or classes, or have too few nodes to ask
            about.
        """
        check_generator(generator), check_task(private, least=0), check_task(public)
        if private.x is public.x or same_graph(private, public):
            raise ValueError("private and public must be two graphs of different people, got the same one twice: what "
                             "is published beside the labels would be the private graph; datasets.private_public "
                             "makes two")
        if private.x.size(1) != public.x.size(1) or private.num_classes != public.num_classes:
            raise ValueError("private and public must have the same features and classes, got "
                             f"{private.x.size(1)} and {public.x.size(1)} features, "
                             f"{private.num_classes} and {public.num_classes} classes")
        candidates = public.train_mask.nonzero().view(-1)
        if self.num_queries > candidates.numel():
            raise ValueError(f"num_queries must be at most {candidates.numel()}, the public nodes that may be asked "
                             f"(train_mask of the public graph), got {self.num_queries}")
        return candidates[torch.randperm(candidates.numel(), generator=generator)[:self.num_queries]]


def weaker(*kinds: str) -> str:
    """What holds of noise that was drawn of several kinds: public if one was."""
    return max(kinds, key=RANDOMNESS.index)


def with_labels(private: Data) -> Data:
    """The private graph on its nodes with a label, the only ones that teachers learn from; there may be none."""
    known = private.y >= 0
    return private if known.all() else induced(private, known.nonzero().view(-1))


def reconstruct(student: NodeClassifier, x: Tensor, edge_index: Tensor, num_classes: int, epochs: int,
                generator: torch.Generator) -> Backbone:
    r"""A network whose outputs z are alike at neighbours (Hamilton, Ying and Leskovec 2017, eq. 1), one non-neighbour
    for each edge.

    .. math:: -\sum_{(u, v) \in E} \ln \sigma(z_u \cdot z_v) + \ln \sigma(-z_u \cdot z_{n})

    It reads public things only, so it costs nothing.
    """
    model = student.untrained(x.size(1), num_classes, generator)
    source, target = edge_index

    def loss(z):
        other = torch.randint(len(z), (source.numel(),), generator=generator)
        close, far = (z[source] * z[target]).sum(1), (z[source] * z[other]).sum(1)
        return -(F.logsigmoid(close) + F.logsigmoid(-far)).mean()

    fitted = NetworkModel(student, model, model.prepare(x, edge_index))
    fitted.train(loss, None, generator, epochs=epochs)
    return model
