"""People who privatise their own features and labels, and a server that learns from what it gets."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import torch
from torch import Tensor

from ..checks import check_generator, check_is
from ..checks.parameters import Choice, Count, Epsilon, Flag, Parameters
from ..datasets.weights import keep_weights
from ..effort import Effort, Extent, drawing, summing, training
from ..graph import SparseMatrix
from ..late import returned
from ..nn import BACKBONES, REFERENCE, Backbone, Factored
from ..nn.backbones import check_linear
from ..privacy import Guarantee
from ..streams import stream
from .controls import ARMS, CONTROLS, arms
from .evaluated import LARGEST, largest_class
from .method import Coins, Method, Sizes
from .model import NetworkModel, Training
from .release import PUBLIC_EDGES, Release, of_node

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True)
class Reports(Parameters):
    """What comes first in a ``Local`` method, and may be said without its name.

    :param backbone: one of ``nn.BACKBONES``, or ``"mlp"``, which ignores the edges.
    :param epsilon_x: budget of what a method calls one report of features; ``inf`` sends them as they are.
    :param epsilon_y: budget of a label; ``inf`` sends the labels as they are.
    :param x_steps: K_x, hops over which features are averaged; 0 leaves them as they are.
    :param y_steps: K_y, the same for labels.
    """

    backbone: Annotated[str, Choice([*BACKBONES, REFERENCE])] = "gcn"
    epsilon_x: Annotated[float, Epsilon()] = 3.0
    epsilon_y: Annotated[float, Epsilon()] = 3.0
    x_steps: Annotated[int | None, Count(none=True, within="num_nodes")] = None
    y_steps: Annotated[int | None, Count(none=True, within="num_nodes")] = None


@dataclass(frozen=True)
class Local(Training, Reports, Method, ABC):
    """People privatise their own records; the server learns from what it gets.

    A method says what leaves people's hands (``collect``), what the network reads of it (``features``), and what
    training makes small (``objective``). Everything else is here.

    :param heads: attention heads of the first layer, where the backbone has any.
    :param standardize: centre and scale the columns that the network reads. They are made of reports, so it costs
        nothing.
    """

    _: KW_ONLY
    heads: Annotated[int, Count(1)] = 4
    standardize: Annotated[bool, Flag()] = True

    ACTIVATION: ClassVar[str] = "selu"
    REMARKS = {"majority class": LARGEST}
    CHEAPER: ClassVar[tuple[str, ...]] = ("epochs", "x_steps")

    def unread(self) -> dict[str, str]:
        attends = self.backbone in BACKBONES and BACKBONES[self.backbone][1] is None
        return {} if attends else {"heads": f"backbone {self.backbone} has no attention"}

    @property
    @abstractmethod
    def total(self) -> Guarantee:
        """What ``collect`` will cost a node's features and label together, before anything runs."""

    @property
    def edges(self) -> tuple[Guarantee, ...]:
        """What will hold for edges. They are public, unless a method says otherwise."""
        return PUBLIC_EDGES

    @abstractmethod
    def collect(self, data: Data, generator: torch.Generator) -> Release:
        """The people's half: all that leaves their hands. The only place that reads ``data``."""

    @abstractmethod
    def features(self, release: Release, matrix: SparseMatrix) -> Tensor | Factored:
        """What the network reads [N, D], made of the reports.

        :returns: float [N, D], or factors of it.
        """

    @abstractmethod
    def objective(self, release: Release, matrix: SparseMatrix) -> tuple[Callable, Callable]:
        """What training makes small and what selects the epoch, both functions of logits [N, C]."""

    def check_weights(self, *graphs: Any) -> None:
        super().check_weights(*graphs)
        if any(getattr(graph, "own_weights", False) for graph in graphs):
            check_linear(self.backbone)

    def weights_of(self, data: Data) -> Tensor | None:
        """The weights of edges, float32 [E], where they are used, or None. ``collect`` asks before it draws anything.

        :returns: float32 [E], or None.
        :raises ValueError: for weights that are none, or that nothing here would use.
        """
        self.check_weights(data)
        return keep_weights(data).edge_weight if getattr(data, "own_weights", False) else None

    def both_halves(self, graphs: tuple[Data, ...], coins: Coins, progress: bool = False) -> NetworkModel:
        data, = graphs
        return self.learn(self.collect(data, coins("collect")), coins("learn"), progress)

    def tried(self, given: Data, seed: int, progress: bool = False) -> tuple[Release, dict[str, float]]:
        """The real features, features of others, and none; and the largest class."""
        left, found = self.tried_on({f"{arm} features": ARMS[arm](given, stream("controls", seed))
                                     for arm in arms(given)}, seed, progress)
        return left, found | {"majority class": largest_class(given)}

    def effort(self, extent: Extent, **how) -> Effort:
        """Reports, smoothing and training, for each arm."""
        x_steps, y_steps = self.hops
        once = drawing(extent.nodes * extent.features) + summing(extent, extent.features, x_steps)
        once += summing(extent, extent.classes, 3 * y_steps * self.epochs)  # there, back, and to select the epoch
        return (once + training(extent, self.hidden, self.epochs)) * len(CONTROLS)

    @property
    def hops(self) -> tuple[int, int]:
        """K_x and K_y as they are used."""
        return self.x_steps or 0, self.y_steps or 0

    def public(self, sizes: Sizes) -> tuple[str, ...]:
        """By the class of what ``collect`` returns; and that for which no finite epsilon holds."""
        spent = {"report": self.epsilon_x, "y": self.epsilon_y, "edge_index": min(g.epsilon for g in self.edges)}
        return (*self.release_type().PUBLIC, *(name for name, epsilon in spent.items() if math.isinf(epsilon)))

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """Of features and label together, of a node, who has edges too, and of edges; all without a delta."""
        return (self.total, of_node(self.total, self.edges, sizes.num_nodes), *self.edges)

    def learn(self, release: Release, generator: torch.Generator, progress: bool = False) -> NetworkModel:
        """The server's half: make features of the reports, train, select. Reads the release only."""
        check_generator(generator), check_is(release, "release", self.release_type())
        matrix = release.matrix()
        fitted = self.prepare(release, generator, matrix)
        return fitted.train(*self.objective(release, matrix), generator, progress)

    def prepare(self, release: Release, generator: torch.Generator, matrix: SparseMatrix | None = None) -> NetworkModel:
        """An untrained model with its inputs."""
        x = self.features(release, release.matrix() if matrix is None else matrix)
        model = Backbone(self.backbone, x.shape[1], release.num_classes, hidden=self.hidden, dropout=self.dropout,
                         heads=self.heads, activation=self.ACTIVATION, generator=generator)
        return NetworkModel(self, model, model.prepare(x, release.edge_index, release.edge_weight), method=self,
                            release=release)

    def reload(self, release: dict, learned: dict, path) -> NetworkModel:
        found = self.release_type().of_content(release, path)
        return self.prepare(found, torch.Generator()).take(learned, path)

    @classmethod
    def release_type(cls) -> type[Release]:
        """The class of what ``collect`` returns, as it says itself, or one above it."""
        said = (vars(base)["collect"] for base in cls.__mro__ if "collect" in vars(base))
        return next(returned(collect) for collect in said if "return" in collect.__annotations__)


def features_and_label(epsilon: float) -> Guarantee:
    """What reports of features and of a label cost together."""
    return Guarantee(epsilon, unit="features and label", basis="proved")
