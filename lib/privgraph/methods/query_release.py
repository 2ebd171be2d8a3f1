"""What teachers say, and what of it leaves the private side: noisy labels of public nodes, with what they cost."""

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ..checks import check_choice, check_count, check_features, check_labels
from ..graph import check_edge_index
from ..privacy import RANDOMNESS, Budget, Guarantee, basic_composition
from ..privacy.repeated import packed, unpacked
from .files import Stored
from .release import check_form, check_names, stated_kind


@dataclass(frozen=True, kw_only=True)
class TeacherScores:
    """What teachers say, which the private side keeps to itself.

    ``queries`` int64 [Q]: nodes of the public graph. ``scores`` [Q, C]: probabilities (PrivGNN) or votes (PATE).
    ``unaccounted`` and ``randomness``, of the samples, as in ``Release``.

    :param scores: float [Q, C].
    """

    queries: Tensor
    scores: Tensor
    unaccounted: tuple[str, ...] = ()
    randomness: str = "public"


@dataclass(frozen=True, kw_only=True)
class QueryRelease(Stored):
    """What leaves the private side: noisy ``labels`` int64 [Q] of the public nodes ``queries``; with the public graph.

    ``budget`` is what they cost, for an accountant of your choice; None: no finite epsilon holds. ``unaccounted`` was
    computed from raw data before any noise, and ``randomness`` is that of samples and noise, as in ``Release``.

    :param x: features of the public graph, float [N, d].
    :param queries: int64 [Q], nodes of the public graph.
    """

    NAMED = "release of labels"

    x: Tensor
    edge_index: Tensor
    num_classes: int
    queries: Tensor
    labels: Tensor
    budget: Budget | None
    unaccounted: tuple[str, ...] = ()
    randomness: str = "public"

    def guarantee(self, delta: float | None = None) -> Guarantee:
        """What holds for a private node, its features, its label and its edges, at ``delta``."""
        return replace(of_a_node(self.budget, delta, self.unaccounted), randomness=self.randomness)

    def stated(self, delta: float | None = None) -> tuple[Guarantee, ...]:
        """All that holds: of ``guarantee`` there is one."""
        return (self.guarantee(delta),)

    def content(self) -> dict:
        return vars(self) | {"budget": None if self.budget is None else packed(self.budget)}

    @classmethod
    def of_content(cls, found: dict, path) -> "QueryRelease":
        found = stated_kind(found, path)
        check_names(cls, found, path)
        budget = None if found["budget"] is None else unpacked(found["budget"], path)
        return cls(**found | {"budget": budget}).checked(path)

    def checked(self, path) -> "QueryRelease":
        """The same, once its tensors fit each other: what was read may be anybody's."""
        check_choice(self.randomness, f"randomness in {path}", RANDOMNESS)
        check_form(self.queries, f"queries in {path}", (...,), torch.long)
        check_form(self.labels, f"labels in {path}", (self.queries.numel(),), torch.long)
        check_form(self.edge_index, f"edge_index in {path}", (2, ...), torch.long)
        check_form(self.x, f"x in {path}", (..., ...), None)
        n = check_features(self.x).size(0)
        check_edge_index(self.edge_index, n), check_labels(self.queries, n)
        check_labels(self.labels, check_count(self.num_classes, f"num_classes in {path}", low=2))
        return self


def of_a_node(budget: Budget | None, delta: float | None, unaccounted: tuple[str, ...] = ()) -> Guarantee:
    """What holds for a private node, its features, its label and its edges, once ``budget`` is spent.

    :param delta: None: with a pure epsilon.
    :raises ValueError: where none is said, and no pure epsilon holds.
    """
    if budget is None:
        epsilon, basis = math.inf, "none"
    elif delta is not None:
        epsilon, basis = budget.epsilon(delta).pessimistic, "accounted"
    elif math.isfinite(epsilon := budget.amplified(basic_composition(list(budget.steps)))):
        basis = "accounted"
    else:
        raise ValueError("say delta: no pure epsilon holds for what is drawn")
    return Guarantee(epsilon, delta or 0.0, unit="node", relation="add/remove", trust="central",
                     basis="none" if unaccounted else basis)
