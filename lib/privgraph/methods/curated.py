"""Methods of a curator who holds one graph, whom all its people trust, and who passes on what noise has covered.

A method says what leaves (``train``), what that costs (``steps``), and what anybody makes of it (``prepare`` and
``learn``). In ``train`` every look at what is not public goes through a mechanism; the rest is post-processing.
Guarantees come from the steps alone, by the accountants of ``privacy``, and are known before anything runs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor, nn

from ..checks import check_choice, check_count, check_data, check_fraction, check_generator, check_is, check_mask
from ..effort import Effort, Extent
from ..graph import check_task
from ..privacy import RANDOMNESS, Budget, Guarantee, Step, drawn, pld_epsilon
from ..privacy.guarantee import RELATIONS, TRUSTS, UNITS
from ..privacy.repeated import Cost, packed, unpacked
from ..randomness import kind_of
from ..streams import stream
from .controls import permuted_features, real_features, rewired_edges
from .evaluated import LARGEST, largest_class
from .files import Stored
from .method import Coins, Method, Sizes, sizes_of
from .model import NetworkModel, for_any_device
from .release import check_names, left_of, stated_kind, unaccounted

if TYPE_CHECKING:
    from torch_geometric.data import Data

Spent = Mapping[tuple[str, str], tuple[Step, ...] | None]
EDGE, NODE = ("undirected edge", "add/remove"), ("node", "add/remove")
# What of a graph each unit is: where no finite epsilon holds for it, this is as good as public.
HOLDS = {"label": ("y",), "feature vector": ("x",), "one feature": ("x",), "features and label": ("x", "y"),
         "undirected edge": ("edge_index",), "neighbour slot": ("edge_index",), "sensitive link": ("edge_index",),
         "node": ("x", "y", "edge_index")}


@dataclass(frozen=True, kw_only=True)
class CuratedRelease(Stored):
    """All that leaves the curator. ``tensors``, by name, of any shape [*] and dtype: what
    mechanisms gave, what was made of it, and public things.

    ``spent``: by unit and relation the steps of what was used; None: no finite epsilon holds. ``delta`` is that of
    ``guarantees``, and ``stated`` takes another. ``public`` names what of the graph is taken as known to all: of that
    nothing is stated. ``trust`` says who added the noise, ``"central"`` or ``"local"``. ``unaccounted`` and
    ``randomness`` as in ``Release``.
    """

    NAMED = "release of a curator"

    tensors: dict[str, Tensor]
    num_classes: int
    spent: Spent
    delta: float = 0.0
    public: tuple[str, ...] = ()
    trust: str = "central"
    unaccounted: tuple[str, ...] = ()
    randomness: str = "public"

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds, each unit and relation once."""
        return self.stated()

    def stated(self, delta: float | None = None) -> tuple[Guarantee, ...]:
        """The same at another delta. What was computed of features without noise leaves nothing of a node."""
        held = accounted(self.spent, self.delta if delta is None else delta, self.trust)
        return drawn(left_of(held, self.unaccounted), self.randomness)

    def content(self) -> dict:
        spent = [{"unit": unit, "relation": relation, "budget": packed(Budget(steps)) if steps else None,
                  "finite": steps is not None} for (unit, relation), steps in self.spent.items()]
        return vars(self) | {"spent": spent}

    @classmethod
    def of_content(cls, found: dict, path) -> "CuratedRelease":
        found = {"trust": "central"} | stated_kind(found, path)  # until people could add noise, no file said who does
        check_names(cls, found, path)
        return cls(**found | {"spent": spent_in(found["spent"], path)}).checked(path)

    def checked(self, path) -> "CuratedRelease":
        """The same, once its fields are what they should be: what was read may be anybody's.

        :raises ValueError: where ``tensors`` are not tensors by name.
        """
        check_choice(self.randomness, f"randomness in {path}", RANDOMNESS)
        check_choice(self.trust, f"trust in {path}", TRUSTS)
        check_count(self.num_classes, f"num_classes in {path}", low=2)
        check_fraction(self.delta, f"delta in {path}")
        if not isinstance(self.tensors, dict) or not all(isinstance(part, Tensor) for part in self.tensors.values()):
            raise ValueError(f"tensors in {path} must be tensors by name, got {self.tensors!r}")
        return self


def spent_in(found, path) -> Spent:
    """The steps in a file, by unit and relation."""
    try:
        return {(check_choice(part["unit"], "unit", UNITS), check_choice(part["relation"], "relation", RELATIONS)):
                (unpacked(part["budget"], path).steps if part["budget"] else ()) if part["finite"] else None
                for part in found}
    except (KeyError, TypeError) as error:
        raise ValueError(f"spent in {path} must hold steps by unit and relation, got {found!r}") from error


def accounted(spent: Spent, delta: float, trust: str = "central") -> tuple[Guarantee, ...]:
    """What steps prove at ``delta``, by the tightest accountant; 0: pure epsilon.

    :raises ValueError: where that is asked for, and only some delta goes with a finite epsilon.
    """
    return tuple(Guarantee(math.inf if steps is None else epsilon_of(steps, delta), delta if steps else 0.0, unit=unit,
                           relation=relation, trust=trust, basis="accounted" if steps and delta else "proved")
                 for (unit, relation), steps in spent.items())


@lru_cache(256)
def epsilon_of(steps: tuple[Step, ...], delta: float) -> float:
    epsilon = pld_epsilon(list(steps), delta).pessimistic if steps else 0.0
    if math.isinf(epsilon) and delta == 0:
        raise ValueError("say delta: no finite epsilon holds without one")
    return epsilon


class Curated(Method, ABC):
    """One graph, and one curator who sees all of it; or, where ``trust`` is ``"local"``, people who add the noise of
    their own rows, in place of whom ``train`` draws it.

    ``delta``: of what the method states, and ``trust``: who adds the noise; who has a field of that name says it there.
    ``PUBLIC``: what of the graph is taken as known to all. A method whose model answers for other graphs too has
    ``read``.
    """

    delta: float = 0.0
    trust: str = "central"
    CHEAPER: ClassVar[tuple[str, ...]] = ("epochs",)
    PUBLIC: ClassVar[tuple[str, ...]] = ("num_classes",)
    REMARKS = {"rewired edges": "everybody keeps her number of neighbours, and gets random ones",
               "permuted features": "everybody gets the features of somebody else", "majority class": LARGEST}

    def unread(self) -> dict[str, str]:
        without = math.isinf(vars(self).get("epsilon", 0)) and "delta" in vars(self)
        return {"delta": "epsilon is inf"} if without else {}

    @abstractmethod
    def steps(self, sizes: Sizes) -> Spent:
        """What ``train`` costs, by unit and relation, before it runs; None: no finite epsilon holds.

        Its docstring proves it: what one change moves in each noisy call.
        """

    @abstractmethod
    def train(self, data: Data, generator: torch.Generator, progress: bool = False) -> CuratedRelease:
        """The curator's half: all that leaves. The only place that reads ``data``; ``release`` puts it together."""

    @abstractmethod
    def prepare(self, release: CuratedRelease, generator: torch.Generator) -> "CuratedModel":
        """A model with its inputs, made of a release; ``learn`` trains what is left to train."""

    def learn(self, release: CuratedRelease, generator: torch.Generator, progress: bool = False) -> "CuratedModel":
        """The half of whoever gets the release, which is all that it reads. Here: the model has left as it is."""
        return self.prepare(check_release(release), check_generator(generator))

    def read(self, data: Data) -> Tensor:
        """What the model reads of a graph that it is asked about.

        :returns: as the network takes it, float [N, d].
        :raises ValueError: where the method answers for the people of its release only.
        """
        raise ValueError(f"{type(self).__name__} answers for the people of its release only: ask without another graph")

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What will hold, before anything runs; at the method's own delta, where no other is said."""
        return accounted(self.steps(sizes), self.delta if delta is None else delta, self.trust)

    def costs(self, sizes: Sizes, delta: float | None = None) -> tuple[Cost, ...]:
        """With the steps behind each."""
        return tuple(Cost(held, Budget(steps) if steps else None) for held, steps in zip(
            self.guarantees(sizes, delta), self.steps(sizes).values(), strict=True))

    def release(self, data: Data, generator: torch.Generator, **tensors: Tensor) -> CuratedRelease:
        """What leaves, with all that is to be said of it.

        :param tensors: what leaves, by name, of any shape [...] and dtype.
        """
        sizes = sizes_of(data)
        return CuratedRelease(tensors=tensors, num_classes=data.num_classes, spent=self.steps(sizes), delta=self.delta,
                              public=self.public(sizes), trust=self.trust, unaccounted=unaccounted(data),
                              randomness=kind_of(generator))

    def public(self, sizes: Sizes) -> tuple[str, ...]:
        """What is taken as known to all: ``PUBLIC``, and that for which no finite epsilon holds."""
        open_now = (name for (unit, _), steps in self.steps(sizes).items() if steps is None
                    for name in HOLDS.get(unit, ()))
        return tuple(dict.fromkeys((*self.PUBLIC, *open_now)))

    def both_halves(self, graphs: tuple[Data, ...], coins: Coins, progress: bool = False) -> "CuratedModel":
        data, = graphs
        return self.learn(self.train(data, coins("collect"), progress), coins("learn"), progress)

    def tried(self, given: Data, seed: int, progress: bool = False) -> tuple[CuratedRelease, dict[str, float]]:
        """The real graph, one of other edges and, where they are protected, one of others' features; and the largest
        class."""
        left, found = self.tried_on({name: control(given, stream("controls", seed))
                                     for name, control in self.arms.items()}, seed, progress)
        return left, found | {"majority class": largest_class(given)}

    @property
    def arms(self) -> dict[str, Callable]:
        """What the real graph is turned into, by the name of the arm."""
        controls = {"real graph": real_features, "rewired edges": rewired_edges, "permuted features": permuted_features}
        return {name: control for name, control in controls.items()
                if name != "permuted features" or "x" not in self.PUBLIC}

    def effort(self, extent: Extent, **how) -> Effort | None:
        """``training_effort``, for each arm."""
        once = self.training_effort(extent)
        return once if once is None else once * len(self.arms)

    def training_effort(self, extent: Extent) -> Effort | None:
        """What ``train`` and ``learn`` take together, about; None: nobody has said it.

        :param extent: of the graph.
        """
        return None

    def reload(self, release: dict, learned: dict, path) -> "CuratedModel":
        model = self.prepare(CuratedRelease.of_content(release, path), torch.Generator()).take(learned, path)
        if model.inputs is not None:  # of tensors that are none of its own nothing follows
            model.predict_proba()
        return model  # type: ignore[return-value]

    def model(self, release: CuratedRelease, network: nn.Module, inputs) -> "CuratedModel":
        """A model of this network, of what left; ``inputs`` None: of a graph that it is asked about.

        :param network: trained, or to be filled with weights.
        """
        return CuratedModel(self, network, inputs, method=self, release=release)


def check_release(release: CuratedRelease, *names: str) -> CuratedRelease:
    """One that holds these tensors: that of another method holds others."""
    if missing := set(names) - check_is(release, "release", CuratedRelease).tensors.keys():
        raise ValueError(f"release must be of this method, and hold {', '.join(sorted(missing))} as well, got one with "
                         f"{', '.join(sorted(release.tensors))}")
    return release


class CuratedModel(NetworkModel):
    """What came of a curator's release; ``inputs`` None: it answers for a graph that it is asked about.

    :param model: the network.
    :param inputs: what the network reads, float [N, d] or several such tensors.
    """

    @for_any_device
    def predict_proba(self, data: Data | None = None) -> Tensor:
        """Class probabilities [N, C] for the people of the release, or of another graph; NaN where they mean nothing.

        :returns: float [N, C].
        :raises ValueError: where a graph must be handed in, or must not, or has other features than were learned.
        """
        if data is None and self.inputs is None:
            raise ValueError("say data: the model holds nobody's features, and answers for those of a graph")
        if data is None:
            return super().predict_proba()
        x = self.method.read(data)
        first = next(self.model.parameters())  # a matrix with a column for each feature, where features are read
        if first.dim() == 2 and x.size(1) != (known := first.size(1)):
            raise ValueError(f"features must have {known} columns, as the network was made for, got {x.size(1)}")
        return self.forward(x)

    @property
    def inductive(self) -> bool:
        return type(self.method).read is not Curated.read

    def asked(self, data: Data) -> Data | None:  # type: ignore[override]
        return data if self.inputs is None else None


def check_curated(data: Data, generator: torch.Generator, least: int = 1) -> None:
    """What a curator's method needs: a graph with features, labels and masks. Each rule speaks of one person's record,
    or of public things."""
    check_generator(generator), check_task(data, least)
    for name in ("train_mask", "val_mask"):
        check_mask(check_data(data, name)[name], name, data.num_nodes)


def told_labels(data: Data) -> Tensor:
    """Labels of training and validation nodes, -1 elsewhere: those of test nodes are for counting only."""
    return torch.where(data.train_mask | data.val_mask, data.y, -1)
