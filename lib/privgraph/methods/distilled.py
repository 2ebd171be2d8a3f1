"""From a private and a public graph to a student that may be released: what PrivGNN and PATE have in common.

Both ask teachers, which were trained on private data, for labels of some public nodes (the *queries*). Only noisy
labels leave the private side. A student learns from them and from the public graph: post-processing.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, asdict, dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data

from ..checks import (
    check_choice,
    check_count,
    check_edge_index,
    check_features,
    check_fields,
    check_generator,
    check_labels,
    check_task,
)
from ..datasets import induced
from ..nn import MLP, Backbone
from ..privacy import Budget, FinitePair, GaussianPair, Guarantee, LaplacePair, Step
from ..randomness import seeded
from .files import read, write
from .fitted import Fitted, Inductive, Training
from .kinds import Method
from .release import check_form, check_names

PAIRS = {kind.__name__: kind for kind in (FinitePair, GaussianPair, LaplacePair)}
KINDS = ("sage", "mlp")
FEWEST = 2  # nodes that batch normalisation can work with; a teacher of fewer knows nothing


@dataclass(frozen=True)
class NodeClassifier(Training):
    """The network of teachers, students and baselines alike, and how it is trained (PrivGNN, appendix G.1).

    :param kind: ``"sage"``: two layers of GraphSAGE with batch normalisation; ``"mlp"``: three layers, no edges.
    """

    kind: str = "sage"
    _: KW_ONLY
    hidden: int = 64
    epochs: int = 200

    def __post_init__(self):
        super().__post_init__()
        check_choice(self.kind, "kind", KINDS)

    def untrained(self, num_features: int, num_classes: int, generator: torch.Generator) -> Backbone | MLP:
        if self.kind == "mlp":
            return MLP(num_features, num_classes, hidden=self.hidden, dropout=self.dropout, generator=generator)
        return self.shape(num_features, num_classes).redraw(generator)

    def shape(self, num_features: int, num_classes: int) -> Backbone:
        """The GraphSAGE network, with weights that mean nothing."""
        return Backbone("sage", num_features, num_classes, hidden=self.hidden, dropout=self.dropout, activation="relu",
                        batch_norm=True, generator=seeded(0))

    def fit(self, x: Tensor, edge_index: Tensor, nodes: Tensor, targets: Tensor, num_classes: int,
            generator: torch.Generator, start: Backbone | None = None, progress: bool = False) -> Inductive:
        """Train on some nodes of a graph, with cross-entropy; the last epoch counts.

        :param nodes: int64 [Q], where the loss looks.
        :param targets: their classes int64 [Q], or shares [Q, C].
        :param start: a network to begin with, instead of fresh weights.
        """
        model = self.untrained(x.size(1), num_classes, generator) if start is None else start
        fitted = Inductive(self, model, model.prepare(x, edge_index))
        return fitted.train(lambda logits: F.cross_entropy(logits[nodes], targets), None, generator, progress)


QUICK = NodeClassifier(hidden=4, epochs=2)  # of the examples


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What teachers say, which the private side keeps to itself.

    ``queries`` int64 [Q]: nodes of the public graph. ``scores`` [Q, C]: probabilities (PrivGNN) or votes (PATE).
    ``unaccounted`` as in ``Release``.
    """

    queries: Tensor
    scores: Tensor
    unaccounted: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class QueryRelease:
    """What leaves the private side: noisy ``labels`` int64 [Q] of the public nodes ``queries``; with the public graph.

    ``budget`` is what they cost, for an accountant of your choice; None: no finite epsilon holds. ``unaccounted`` was
    computed from raw data before any noise, as in ``Release``.
    """

    x: Tensor
    edge_index: Tensor
    num_classes: int
    queries: Tensor
    labels: Tensor
    budget: Budget | None
    unaccounted: tuple[str, ...] = ()

    def guarantee(self, delta: float) -> Guarantee:
        """What holds for a private node, its features, its label and its edges, at ``delta``."""
        return of_a_node(self.budget, delta, self.unaccounted)

    def save(self, path) -> None:
        write(vars(self) | {"budget": None if self.budget is None else packed(self.budget)}, path)

    @classmethod
    def load(cls, path) -> "QueryRelease":
        """Read a release; the file holds tensors, numbers and text only and cannot run code."""
        found = read(path, "release of labels")
        check_names(cls, found, path)
        budget = None if found["budget"] is None else unpacked(found["budget"], path)
        return cls(**found | {"budget": budget}).checked(path)

    def checked(self, path) -> "QueryRelease":
        """The same, once its tensors fit each other: what was read may be anybody's."""
        check_form(self.queries, f"queries in {path}", (...,), torch.long)
        check_form(self.labels, f"labels in {path}", (self.queries.numel(),), torch.long)
        check_form(self.edge_index, f"edge_index in {path}", (2, ...), torch.long)
        check_form(self.x, f"x in {path}", (..., ...), None)
        n = check_features(self.x).size(0)
        check_edge_index(self.edge_index, n), check_labels(self.queries, n)
        check_labels(self.labels, check_count(self.num_classes, f"num_classes in {path}", low=2))
        return self


@dataclass(frozen=True)
class Distilled(Method, ABC):
    """``collect`` = ``teach`` (private) + ``answer`` (noisy labels); ``learn`` trains the student.

    A method gives the three that differ: ``teach``; ``label``, noisy labels of scores; ``budget``, what they cost.
    How much noise it adds it has to be told: with so many labels no scale is harmless, and ``total`` says what one
    costs before anybody is asked.

    :param num_queries: |Q|, public nodes that are labelled.
    :param student: how the student is trained.
    :param pretrain: epochs of graph reconstruction on the public graph
        before that (PrivGNN, appendix D.7).
    """

    num_queries: int = 1000
    student: NodeClassifier = field(default_factory=NodeClassifier)
    pretrain: int = 0

    def __post_init__(self):
        check_fields(self, check_count, "num_queries", low=1)
        check_fields(self, check_count, "pretrain")
        check_fields(self, check_classifier, "student")

    @abstractmethod
    def teach(self, private: Data, public: Data, generator: torch.Generator, progress: bool = False) -> Answers:
        """What teachers say of some public nodes. Not private: never release it."""

    @abstractmethod
    def label(self, scores: Tensor, generator: torch.Generator) -> Tensor:
        """Noisy labels int64 [Q] of scores [Q, C]."""

    @abstractmethod
    def budget(self, num_classes: int) -> Budget | None:
        """What the labels of all queries cost, whatever the scores; None: no finite epsilon holds."""

    def total(self, num_classes: int, delta: float) -> Guarantee:
        """What ``collect`` will cost a private node, before it runs: from hyperparameters alone."""
        return of_a_node(self.budget(num_classes), delta)

    def collect(self, private: Data, public: Data, generator: torch.Generator, progress: bool = False) -> QueryRelease:
        """The private side: noisy labels of random nodes in ``public.train_mask``."""
        return self.answer(self.teach(private, public, generator, progress), public, generator)

    def answer(self, answers: Answers, public: Data, generator: torch.Generator) -> QueryRelease:
        """Noisy labels from what teachers said. The same answers may serve several noise levels, if one is released."""
        labels = self.label(answers.scores, generator)
        return QueryRelease(x=public.x, edge_index=public.edge_index, num_classes=public.num_classes,
                            queries=answers.queries, labels=labels, budget=self.budget(public.num_classes),
                            unaccounted=answers.unaccounted)

    def learn(self, release: QueryRelease, generator: torch.Generator, progress: bool = False) -> Inductive:
        """The student: trained on the noisy labels, with all of the public graph to pass messages."""
        check_generator(generator)
        start = None
        if self.pretrain:
            start = reconstruct(self.student, release.x, release.edge_index, release.num_classes, self.pretrain,
                                generator)
        return self.student.fit(release.x, release.edge_index, release.queries, release.labels, release.num_classes,
                                generator, start, progress)

    def choose_queries(self, private: Data, public: Data, generator: torch.Generator) -> Tensor:
        """|Q| nodes of ``public.train_mask`` at random, int64 [Q]; checks both graphs first.

        Of the private graph it asks what holds for each person or for none: no exception hangs on one of them.
        """
        check_generator(generator), check_task(private, least=0), check_task(public)
        # By identity, an error of the caller's: that two graphs have the same records might hang on one person.
        if private is public or private.x is public.x:
            raise ValueError("private and public must be two graphs of different people, got the same one twice: what "
                             "is published beside the labels would be the private graph; datasets.private_public "
                             "makes two")
        if private.x.size(1) != public.x.size(1) or private.num_classes != public.num_classes:
            raise ValueError("private and public must have the same features and classes, got "
                             f"{private.x.size(1)} and {public.x.size(1)} features, "
                             f"{private.num_classes} and {public.num_classes} classes")
        candidates = public.train_mask.nonzero().view(-1)
        if self.num_queries > candidates.numel():
            raise ValueError(f"num_queries must be at most the {candidates.numel()} nodes of public.train_mask, "
                             f"got {self.num_queries}")
        return candidates[torch.randperm(candidates.numel(), generator=generator)[:self.num_queries]]


def of_a_node(budget: Budget | None, delta: float, unaccounted: tuple[str, ...] = ()) -> Guarantee:
    """What holds for a private node, its features, its label and its edges, once ``budget`` is spent."""
    if budget is None:
        epsilon, basis = math.inf, "none"
    else:
        epsilon, basis = budget.epsilon(delta).pessimistic, "none" if unaccounted else "accounted"
    return Guarantee(epsilon, delta, unit="node", relation="add/remove", trust="central", basis=basis)


def packed(budget: Budget) -> dict:
    """A budget as numbers and text, for a file."""
    return {"rate": budget.rate, "steps": [{"pair": type(step.pair).__name__, "count": step.count,
                                            "fields": asdict(step.pair)} for step in budget.steps]}


def unpacked(found: dict, path) -> Budget:
    """What ``packed`` packed. Only the pairs of this library are made."""
    try:
        return Budget(tuple(Step(PAIRS[step["pair"]](**step["fields"]), step["count"]) for step in found["steps"]),
                      found["rate"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"budget in {path} must hold the steps of a budget, got {found!r}") from error


def check_classifier(value: NodeClassifier, name: str) -> NodeClassifier:
    if not isinstance(value, NodeClassifier):
        raise TypeError(f"{name} must be a NodeClassifier, got {value!r}")
    return value


def labelled(private: Data) -> Data:
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

    fitted = Fitted(student, model, model.prepare(x, edge_index))
    fitted.train(loss, None, generator, epochs=epochs)
    return model
