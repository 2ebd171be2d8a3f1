"""What the server gets from people who privatise their own features and labels, and what it makes of it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from ..checks import (
    check_all,
    check_choice,
    check_count,
    check_data,
    check_epsilon,
    check_generator,
    check_labels,
    check_pairs,
)
from ..datasets.splits import PER_CLASS
from ..graph import check_task
from ..mechanisms import RandomisedResponse
from ..mechanisms.drawing import drawing
from ..privacy import RANDOMNESS, Guarantee, compose, drawn, find_guarantee
from .files import Stored

if TYPE_CHECKING:
    from torch_geometric.data import Data

PUBLIC_EDGES = (Guarantee(math.inf, unit="undirected edge", relation="add/remove", trust="local", basis="proved"),)


OF_EDGES = ("undirected edge", "neighbour slot", "sensitive link", "private edge")  # units without features


@dataclass(frozen=True, kw_only=True)
class Release(Stored):
    """Everything the server gets; nothing else of the data enters ``learn``. Each method adds what reads its features.

    ``report`` [N, d]: reports of a ``feature_mechanism`` (the features where epsilon_x is inf). ``y`` int64 [N]:
    noisy labels of training and validation nodes, -1 elsewhere. The masks are known to the server as they
    are, and so are the edges ``edge_index`` int64 [2, E], unless people reported them through a mechanism:
    then they may be directed and weighted, and ``structure`` says what holds for them.

    Everything else in it is one of the ``ARGUMENTS`` of the method or one of ``public``; who adds a field says which
    (a test asks). What the columns of ``report`` stand for
    is taken as known to all (``Card.columns``). ``unaccounted`` names what was computed from raw features before any
    noise and went into what is public, such as cut points: no guarantee speaks of that, so those that speak of
    features have the basis "none", and so has that of labels where people were chosen by theirs. ``randomness``:
    "secret", or "public" where the noise came from a seed; then nothing that is stated holds (``Guarantee.holds``).

    :param report: float, int8 or int64 [N, d], by the mechanism of features.
    """

    NAMED = "release"
    PUBLIC: ClassVar[tuple[str, ...]] = ("train_mask", "val_mask", "num_classes")
    ARGUMENTS: ClassVar[tuple[str, ...]] = ("epsilon_x", "epsilon_y", "structure")

    report: Tensor
    y: Tensor
    edge_index: Tensor
    train_mask: Tensor
    val_mask: Tensor
    num_classes: int
    epsilon_x: float
    epsilon_y: float
    edge_weight: Tensor | None = None
    randomness: str = "public"
    structure: tuple[Guarantee, ...] = PUBLIC_EDGES
    unaccounted: tuple[str, ...] = ()

    @property
    def public(self) -> tuple[str, ...]:
        """The fields of which no finite epsilon holds: who publishes a release takes them for known beforehand.

        The masks tell who was asked for a label, so who has one. Weights are as public as their edges.
        """
        spent = {"report": self.epsilon_x, "y": self.epsilon_y, "edge_index": min(g.epsilon for g in self.structure)}
        if self.edge_weight is not None:
            spent["edge_weight"] = spent["edge_index"]
        return (*self.PUBLIC, *(name for name, epsilon in spent.items() if math.isinf(epsilon)))

    @property
    def label_mechanism(self) -> RandomisedResponse:
        """Which made ``y``."""
        return RandomisedResponse(self.epsilon_y, self.num_classes)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds for a label, a feature vector, and the edges."""
        label, features = self.label_mechanism.guarantee, self.feature_mechanism.guarantee
        if self.unaccounted:
            features = replace(features, basis="none")
        if PER_CLASS in self.unaccounted:
            label = replace(label, basis="none")
        return drawn((label, features, *self.structure), self.randomness)

    @property
    def total(self) -> Guarantee:
        """Features and label of a node together, her edges being what they are: the sum of two epsilons."""
        parts = (find_guarantee(self.guarantees, unit) for unit in ("label", "feature vector"))
        return compose(*(part.convert("features and label") for part in parts))

    @property
    def node(self) -> Guarantee:
        """A node: her features, her label and all her edges may be others. Infinite where the edges are public."""
        return of_node(self.total, drawn(self.structure, self.randomness), self.y.numel())

    def stated(self, delta: float | None = None) -> tuple[Guarantee, ...]:
        """All that holds: for features and label together, for a node, for a label, features and edges alone."""
        return (self.total, self.node, *self.guarantees)

    def content(self) -> dict:
        return vars(self) | {"structure": plain(self.structure)}

    @classmethod
    def of_content(cls, found: dict, path) -> "Release":
        return load_guarantees(cls, stated_kind(found, path), "structure", path).checked(path)

    def checked(self, path) -> "Release":
        """The same, once its tensors fit each other: what was read may be anybody's."""
        check_form(self.y, f"y in {path}", (...,), torch.long)
        n = self.y.numel()
        wanted = {"report": (n, ...), "train_mask": (n,), "val_mask": (n,), "edge_index": (2, ...)}
        kinds = {"edge_index": torch.long, "train_mask": torch.bool, "val_mask": torch.bool}
        for name, shape in wanted.items():
            check_form(getattr(self, name), f"{name} in {path}", shape, kinds.get(name))
        if self.edge_weight is not None:
            check_form(self.edge_weight, f"edge_weight in {path}", (self.edge_index.size(1),), None)
        check_count(self.num_classes, f"num_classes in {path}", low=2)
        check_labels(self.y, self.num_classes, missing=True), check_pairs(self.edge_index, n, "edge_index", "E")
        check_epsilon(self.epsilon_x, "epsilon_x"), check_epsilon(self.epsilon_y, "epsilon_y")
        check_choice(self.randomness, f"randomness in {path}", RANDOMNESS)
        return self


def of_node(total: Guarantee, structure: Iterable[Guarantee], num_nodes: int) -> Guarantee:
    """What holds for a node, by what holds for her features and label together and for an edge."""
    edge = find_guarantee(structure, "undirected edge")
    # All her pairs may change, n - 1 at most: so many edges added or removed replace her edges by any others.
    edges = replace(edge.convert("node", num_nodes - 1), relation="replace")
    return compose(total.convert("node"), edges)


def left_of(held: Iterable[Guarantee], unaccounted: tuple[str, ...]) -> tuple[Guarantee, ...]:
    """What is left of guarantees where something was computed of features without noise: those of edges alone."""
    return tuple(replace(g, basis="none") if unaccounted and g.unit not in OF_EDGES else g for g in held)


def plain(guarantees: Iterable[Guarantee]) -> list[dict]:
    """Guarantees as dicts, for a file."""
    return [vars(g) for g in guarantees]


def load_guarantees(kind, found: dict, name: str, path):
    """A ``kind`` of the fields that were found in a file, its guarantees under ``name``; others are refused."""
    check_names(kind, found, path)
    try:
        guarantees = tuple(Guarantee(**stated) for stated in found[name])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} in {path} must hold guarantees, got {found[name]!r}") from error
    return kind(**found | {name: guarantees})


def stated_kind(found: dict, path) -> dict:
    """What was found in a file, with the kind of its randomness, and a warning where that is public.

    Files of version 0.1 do not say it; what they hold was drawn from a seed that everybody knows.
    """
    found = {"randomness": "public"} | found
    for name in {"unaccounted", "public"} & found.keys():
        check_all(found[name], f"{name} in {path}", str)
    if found["randomness"] == "public":
        warnings.warn(f"{path} was drawn from a public seed: whoever knows the seed takes the noise off, and none of "
                      "its guarantees holds. For what you pass on, use privgraph.randomness.secret()", stacklevel=4)
    return found


def check_names(kind, found: dict, path) -> None:
    """What was found in a file has the names of a ``kind``'s fields, and no others."""
    allowed = {field.name for field in fields(kind)}
    if set(found) != allowed:
        raise ValueError(f"{path} holds no {kind.__name__}: missing {sorted(allowed - set(found))}, "
                         f"unknown {sorted(map(str, set(found) - allowed))}")


def check_form(value, name: str, shape: tuple, dtype: torch.dtype | None) -> None:
    """A tensor of a shape, ``...`` standing for any size, and of a type."""
    fits = isinstance(value, Tensor) and value.dim() == len(shape) and dtype in (None, value.dtype) and all(
        size in (..., own) for size, own in zip(shape, value.shape, strict=True))
    if not fits:
        came = f"{value.dtype} of shape {list(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
        wanted = ["any" if size is ... else size for size in shape]
        raise ValueError(f"{name} must be {dtype or 'a tensor'} of shape {wanted}, got {came}")


def report_labels(data: Data, epsilon_y: float, generator: torch.Generator) -> Tensor:
    r"""Noisy labels of training and validation nodes, -1 elsewhere, int64 [N]. Checks what the method was given.

    Who is asked is public, and answers. Who is asked and has no label names one at random. Proof that this costs no
    more than a label does: with k classes every report then has probability 1 / k, and the two of randomised response
    are at most :math:`e^{\varepsilon} / k` and at least :math:`e^{-\varepsilon} / k`.
    """
    check_generator(generator), check_task(data)
    check_data(data, "train_mask", "val_mask")
    asked, y = data.train_mask | data.val_mask, data.y
    if (silent := asked & (y < 0)).any():
        if math.isinf(epsilon_y):  # where nothing is promised, a refusal breaks no promise
            raise ValueError("train_mask and val_mask must select nodes with a label where epsilon_y is inf, "
                             f"got {int(silent.sum())} without one")
        y = torch.where(silent, drawing(generator).integers(0, data.num_classes, y.shape), y)
    return RandomisedResponse(epsilon_y, data.num_classes)(torch.where(asked, y, -1), generator=generator)


def unaccounted(data: Data) -> tuple[str, ...]:
    """What the transforms of a graph, or its card, say was computed from raw data (see ``Release``)."""
    return tuple(getattr(data, "unaccounted", ()))
