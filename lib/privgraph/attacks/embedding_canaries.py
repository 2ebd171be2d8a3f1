r"""Canaries for vectors: pairs of sensitive users whom a coin links or not, and a defence that is to hide it.

Whether vectors tell of *this* link, and not only of what else suggests it, shows where a coin put it in. The attacker
knows all but the coins: graph, features, method, settings. So she runs the method herself, with coins of her own, and
learns for each canary how it scores with the link and without. Friends in common, degrees and features are the same in
all runs and tell of no coin. A method that deletes the sensitive links before it looks at anything reaches an AUC of
1/2 by construction, and yet its vectors may suggest the true links by what is left: that other attacks measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..checks import check_count, check_delta, check_flag, check_function, check_generator, check_mask, check_tensor
from ..graph import with_edge_index
from ..methods import Embedding
from ..nn import Interval, interval
from ..waiting import steps
from .canaries import disjoint_non_edges
from .embeddings import inner_product
from .evaluation import placements
from .exposure import among, check_once, check_sensitive, ends
from .membership import likelihood_ratio

if TYPE_CHECKING:
    from torch_geometric.data import Data

LEAST = 10  # runs of each half


@dataclass(frozen=True, eq=False)
class CanaryRuns:
    """R runs with the same ``pairs`` int64 [2, m]: who was linked, ``present`` bool [R, m]; ``scores`` float [R, m]."""

    pairs: Tensor
    present: Tensor
    scores: Tensor


def plant_sensitive(data: Data, pairs: Tensor, present: Tensor) -> Data:
    """A copy of the graph in which the ``present`` pairs are links, and marked as sensitive beside those that are.

    :param pairs: int64 [2, m], not adjacent, lower end first.
    :param present: bool [m].
    :raises ValueError: for pairs that are linked.
    """
    graph = check_sensitive(data).graph
    check_mask(present, "present", check_once(pairs, graph.num_nodes, "pairs").size(1))
    if (linked := int(graph.has(pairs).sum())) > 0:
        raise ValueError(f"pairs must be without a link, got {linked} links")
    planted = with_edge_index(data, graph.plus(pairs[:, present]).edge_index)
    planted.sensitive = torch.cat([data.sensitive, pairs[:, present]], 1)
    return planted


def canary_runs(method: Embedding, data: Data, count: int, runs: int, generator: torch.Generator, score=inner_product,
                progress: bool = False) -> CanaryRuns:
    """Run a method on graphs that differ in the coins of ``count`` canaries, each run with coins and noise of its own.

    The canaries are pairs of sensitive users who are not linked; no user is in two. They are chosen once.

    :param data: with ``edge_index`` and ``sensitive``, int64 [2, S].
    :param count: of canaries, at least four.
    :param runs: at least twenty: half of them teach the attacker, see ``canary_auc``.
    :param score: scores of pairs from vectors, ``score(z, pairs)``; fixed beforehand.
    :param progress: show a bar.
    :raises TypeError: for a method that publishes no vectors.
    """
    check_generator(generator), check_function(score, "score", "z", "pairs"), check_flag(progress, "progress")
    if not isinstance(method, Embedding):
        raise TypeError(f"method must be an Embedding, got {type(method).__name__}")
    users, runs = ends(check_sensitive(data)), check_count(runs, "runs", low=2 * LEAST)
    count = check_count(count, "count", low=4, high=len(users) // 2)
    pairs = disjoint_non_edges(among(users, data.edge_index), count, generator)
    pairs = users[pairs].sort(0).values
    present = torch.rand(runs, count, generator=generator) < 0.5
    scores = [score(method.embed(plant_sensitive(data, pairs, coins), generator).z, pairs)
              for coins in steps(present, "runs", progress)]
    return CanaryRuns(pairs, present, torch.stack(scores).double())


def canary_auc(scores: Tensor, present: Tensor, confidence: float = 0.95) -> Interval:
    r"""The AUC with which one run's canaries are told apart by who has learnt from other runs, and its interval.

    The first half of the runs teaches her each canary's scores with the link and without: ``likelihood_ratio``. In
    each run of the second half she orders the canaries by it. A run is the unit: one training moves all its canaries
    together. So the interval is Student's t over the AUCs of these runs, given what she has learnt. Runs whose
    canaries are all present, or all absent, have no AUC and are left out.

    Both halves must be apart. Were each run judged by all the others, every run would teach every other: on scores
    of pure noise the 95% interval then held one half in 83% of 300 trials of 20 runs, and in 96% of 1,000 as it is
    (20 + 20 runs, 26 canaries).

    :param scores: float [R, m], R at least twenty.
    :param present: bool [R, m].

    >>> from privgraph.randomness import seeded
    >>> present = torch.rand(40, 20, generator=seeded(0)) < 0.5
    >>> scores = torch.arange(20) + 2 * present + torch.randn(40, 20, generator=seeded(1))
    >>> found = canary_auc(scores, present)
    >>> found.n, round(found.mean, 2), found.low > 0.8
    (20, 0.91, True)
    """
    check_runs(scores, present)
    learnt = len(scores) // 2
    values = []
    for run, coins in zip(scores[learnt:], present[learnt:], strict=True):
        if coins.any() and not coins.all():
            ratio = likelihood_ratio(run.double(), scores[:learnt].double(), present[:learnt]).numpy()
            values.append(float(placements(ratio[coins.numpy()], ratio[~coins.numpy()])[0].mean()))
    return interval(values, check_delta(confidence, "confidence"))


def check_runs(scores: Tensor, present: Tensor) -> None:
    if check_tensor(scores, "scores").dim() != 2 or len(scores) < 2 * LEAST or not scores.isfinite().all():
        raise ValueError(f"scores must be finite and of shape [R, m], R at least {2 * LEAST}, "
                         f"got shape {list(scores.shape)}, {int((~scores.isfinite()).sum())} not finite")
    if check_tensor(present, "present").dtype != torch.bool or present.shape != scores.shape:
        raise ValueError(f"present must be a bool tensor of shape {list(scores.shape)}, "
                         f"got {present.dtype} of shape {list(present.shape)}")
    often = present[:len(present) // 2].double().mean(0)
    if (lonely := int(((often == 0) | (often == 1)).sum())) > 0:
        raise ValueError("present must have each canary in some of the first half of the runs and not in others, "
                         f"got {lonely} of which there is one kind only; more runs have both")
