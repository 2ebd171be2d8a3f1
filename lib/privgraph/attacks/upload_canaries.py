r"""Canaries for uploads: private edges of one client that a coin puts in or not; does what is sent tell of the coin?

The attacker sees rows of public nodes and knows all else: graph, settings, and all coins but these. A private end is in
no row. So it is sought where walks through it come out: at its public neighbours.

Each run is a training anew, with coins of its own for the canaries. *Several canaries in one run* move each other's
rows, and an AUC takes the run as its unit for that (``canary_auc``). The bound on epsilon does not ask that scores be
independent, only that coins are: if a run is :math:`\varepsilon`-DP for one edge, then given all that was sent and all
other coins the odds of a coin are at most :math:`e^{\varepsilon}`, and the number of right guesses exceeds no more
often than a binomial does (``audit.statistical.one_run_p_value``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from ..audit.statistical import Audit, guessing_game, one_run_bound
from ..checks import (
    check_choice,
    check_count,
    check_delta,
    check_flag,
    check_fraction,
    check_function,
    check_generator,
    check_is,
    check_mask,
    check_nodes,
    check_positive,
    check_rate,
    check_tensor,
)
from ..graph import with_edge_index
from ..randomness import draw_seed, seeded
from ..waiting import steps
from .canaries import disjoint_non_edges
from .embedding_canaries import LEAST, CanaryRuns, check_runs
from .exposure import among, check_once
from .membership import likelihood_ratio
from .upload_questions import check_part, to_private
from .uploads import finite, rounds
from .worlds import bridges, tried_on

if TYPE_CHECKING:
    from torch_geometric.data import Data

KINDS = ("private-private", "private-public")
BLOCK = 2**22  # numbers of noisy uploads that are held at once


@dataclass(frozen=True, eq=False)
class UploadCanaries:
    """Edges that a coin may put in: ``pairs`` int64 [2, m] of a part's nodes, lower first, no node in two of them.

    ``left``, ``right``: int64 [2, s], canary and public row, who stands for its first and for its second end.
    """

    pairs: Tensor
    left: Tensor
    right: Tensor


def private_canaries(part: Data, count: int, generator: torch.Generator,
                     kind: str = "private-private") -> UploadCanaries:
    """``count`` pairs without a link, of one client's private nodes with a public neighbour, or of such a one and a
    public node with an edge.

    :param part: of ``methods.federated.parts``.
    :param kind: one of ``KINDS``. An edge between public nodes is in every part, and no client's secret.
    """
    check_generator(generator), check_choice(kind, "kind", KINDS)
    owned, graph, p = to_private(part), check_part(part), part.num_public
    seen = p + torch.from_numpy(owned.sum(axis=0)).nonzero()[:, 0]
    count = check_count(count, "count", low=1, high=len(seen) // 2)
    if kind == KINDS[0]:
        pairs = seen[disjoint_non_edges(among(seen, graph.edge_index), count, generator)].sort(0).values
    else:
        public = graph.edge_index[0].unique()
        public = public[public < p]
        mixed = [nodes[torch.randperm(len(nodes), generator=generator)] for nodes in (public, seen)]
        pairs = torch.stack([nodes[:min(map(len, mixed))] for nodes in mixed])
        pairs = pairs[:, ~graph.has(pairs)][:, :count]
    return UploadCanaries(pairs, *(stand_ins(part, end) for end in pairs))


def stand_ins(part: Data, ends: Tensor) -> Tensor:
    """Canary and public row, int64 [2, K]: the row of each public end itself, those of a private one's neighbours."""
    p, own = part.num_public, (ends < part.num_public).nonzero()[:, 0]
    canary, row = torch.isin(part.edge_index[0], ends[ends >= p]).nonzero()[:, 0], part.edge_index
    canary = canary[row[1, canary] < p]
    place = torch.full((part.num_nodes,), -1).index_put_((ends,), torch.arange(len(ends)))
    return torch.cat([torch.stack([own, ends[own]]), torch.stack([place[row[0, canary]], row[1, canary]])], 1)


def plant_private(part: Data, pairs: Tensor, present: Tensor) -> Data:
    """A copy of a client's part in which the ``present`` pairs are edges.

    :param pairs: int64 [2, m], not adjacent, lower first, one end at least private.
    :param present: bool [m].
    :raises ValueError: for pairs that are linked, or of two public nodes.
    """
    graph = check_part(part)
    check_mask(present, "present", check_once(pairs, graph.num_nodes, "pairs").size(1))
    if (odd := int((graph.has(pairs) | (pairs < part.num_public).all(0)).sum())) > 0:
        raise ValueError(f"pairs must be without a link, with one end private at least, got {odd} that are not")
    return with_edge_index(part.clone(), graph.plus(pairs[:, present]).edge_index)


@tried_on(bridges)
def bridge(uploads: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """How alike those are who stand for either end: the cosine of their mean directions, averaged over the rounds.

    :param uploads: float [P, d] or [r, P, d].
    :param left: int64 [2, s], canary 0..m-1 and row; every canary at least once.
    :param right: int64 [2, s], the same for the other ends.
    :returns: float64 [m], higher = more likely an edge.
    :raises ValueError: where ``left`` and ``right`` name different canaries.
    """
    seen = F.normalize(rounds(uploads), dim=2)
    count = check_stand_ins(left, seen.size(1), "left")
    if check_stand_ins(right, seen.size(1), "right") != count:
        raise ValueError(f"right must name the same canaries as left, 0..{count - 1}, got 0..{int(right[0].max())}")
    ends = [F.normalize(seen.new_zeros(len(seen), count, seen.size(2)).index_add_(1, canary, seen[:, row]), dim=2)
            for canary, row in (left, right)]
    return (ends[0] * ends[1]).sum(2).mean(0)


def check_stand_ins(side: Tensor, rows: int, name: str) -> int:
    """How many canaries there are, of each of which at least one public row is named."""
    if check_tensor(side, name).dtype != torch.long or side.dim() != 2 or len(side) != 2 or not side.numel():
        raise ValueError(f"{name} must be int64 [2, *], canaries and rows, got {side.dtype} of shape "
                         f"{list(side.shape)}")
    check_nodes(side[1], rows, name)
    if side[0].min() < 0 or len(side[0].unique()) <= (most := int(side[0].max())):
        raise ValueError(f"{name} must have a row for every canary from 0 to the last, got canaries "
                         f"{side[0].unique().tolist()[:5]}")
    return most + 1


def upload_canary_runs(see: Callable[[Data, torch.Generator], Tensor], part: Data, canaries: UploadCanaries, runs: int,
                       generator: torch.Generator, score=bridge, progress: bool = False) -> CanaryRuns:
    """Train anew with fresh coins, and score what is seen of each training.

    :param see: what the attacker sees when this client has ``part``: ``see(part, generator)`` gives float [r, P, d].
        It may run a whole federation, and give this client's uploads, or only the mean of all.
    :param canaries: of ``private_canaries``, chosen before the coins fall.
    :param runs: at least twenty; half of them teach the attacker.
    :param score: scores of canaries from what is seen, ``score(uploads, left, right)``; fixed beforehand.
    :param progress: show a bar.
    """
    check_generator(generator), check_function(see, "see", "part", "generator"), check_flag(progress, "progress")
    check_function(score, "score", "uploads", "left", "right"), check_is(canaries, "canaries", UploadCanaries)
    present = torch.rand(check_count(runs, "runs", low=2 * LEAST), canaries.pairs.size(1), generator=generator) < 0.5
    scores = [score(see(plant_private(part, canaries.pairs, coins), seeded(draw_seed(generator))), canaries.left,
                    canaries.right) for coins in steps(present, "runs", progress)]
    return CanaryRuns(canaries.pairs, present, torch.stack(scores).double())


def upload_audit(scores: Tensor, present: Tensor, confidence: float = 0.99, delta: float = 0.0) -> Audit:
    """A lower bound on epsilon for one private edge, from guesses on all coins of the second half of the runs.

    The first half teaches how each canary scores with the edge and without; a canary is guessed to be present where
    its likelihood ratio is above 1. So the rule is fixed before a coin that it is judged by is seen, and the number of
    guesses before any.

    :param scores: float [R, m], R at least twenty.
    :param present: bool [R, m], the coins.

    >>> present = torch.rand(40, 20, generator=seeded(0)) < 0.5
    >>> audit = upload_audit(present + 0.3 * torch.randn(40, 20, generator=seeded(1)), present)
    >>> audit.guesses, audit.correct > 360, audit.refutes(2.0)
    (400, True, True)
    """
    check_runs(scores, present), check_delta(confidence, "confidence"), check_fraction(delta, "delta")
    half = len(scores) // 2
    said = torch.stack([likelihood_ratio(run.double(), scores[:half].double(), present[:half]) > 0
                        for run in scores[half:]])
    tally = (int((said == present[half:]).sum()), said.numel(), said.numel())
    return Audit(one_run_bound(*tally, confidence, delta), confidence, *tally, delta)


@dataclass(frozen=True)
class Moved:
    """What one private edge does to an upload under the same coins, rows clipped to length C.

    ``fraction`` of the rows that are not what they were; ``distance`` of both uploads in units of C, all rows together;
    ``most`` that it could be, :math:`2 \\sqrt P`; ``assumed`` where noise is calibrated for one row: 2.
    """

    fraction: float
    distance: float
    most: float
    assumed: float = 2.0


def moved(before: Tensor, after: Tensor, clip: float) -> Moved:
    """How far one edge moves an upload.

    :param before: float [P, d], the upload of a training with the edge.
    :param after: float [P, d], that of a training without it, with the same coins.
    :param clip: C, above 0.

    >>> moved(torch.eye(3), torch.eye(3) * torch.tensor([[1.0], [1.0], [-1.0]]), clip=1.0)
    Moved(fraction=0.3333333333333333, distance=2.0, most=3.4641016151377544, assumed=2.0)
    """
    finite(before, "before", None, 2), finite(after, "after", tuple(before.shape))
    away = clip_rows(before, clip).double() - clip_rows(after, clip).double()
    return Moved(float((before != after).any(1).double().mean()), float(away.norm()) / clip, 2 * len(before) ** 0.5)


def clip_rows(uploads: Tensor, clip: float) -> Tensor:
    """Rows that are longer than ``clip`` are shortened to it."""
    lengths = finite(uploads, "uploads").norm(dim=-1, keepdim=True)
    return uploads * (check_positive(clip, "clip") / lengths.clamp_min(1e-30)).clamp_max(1)


def noise_audit(noisy: Callable[[Tensor, torch.Generator], Tensor], before: Tensor, after: Tensor, runs: int,
                generator: torch.Generator, confidence: float = 0.99, delta: float = 0.0, dare: float = 0.1) -> Audit:
    """Audit noise on uploads where a training's own coins are known: only the noise is left to hide an edge.

    A guarantee whose proof speaks of the noise alone holds for every training, also for one whose coins are known, as
    where they come from a seed that all share. The attacker then knows both uploads, and projects on what is between.

    :param noisy: what leaves, ``noisy(rows, generator)``; it is handed many uploads at once, float [n, P, d].
    :param before: float [P, d], the upload with the edge.
    :param after: float [P, d], without it, with the same coins.
    :param runs: coins.
    :param dare: the share of them that is guessed, those furthest from the middle; in (0, 1].
    """
    check_generator(generator), check_function(noisy, "noisy", "rows", "generator")
    both = torch.stack([finite(before, "before", None, 2), finite(after, "after", tuple(before.shape))])
    between = (both[1] - both[0]).double()
    guessed = math.ceil(check_rate(dare, "dare") * check_count(runs, "runs", low=1))
    middle = (between * both.double().mean(0)).sum()

    def run(coins: Tensor, generator: torch.Generator) -> Tensor:
        blocks = coins.split(max(1, BLOCK // before.numel()))
        return torch.cat([torch.einsum("npd,pd->n", noisy(both[block], generator).double(), between)
                          for block in blocks]) - middle

    def rule(found: Tensor) -> Tensor:
        return (found > 0).long().index_fill_(0, found.abs().argsort()[:runs - guessed], -1)

    return guessing_game(run, rule, runs, generator=generator, confidence=confidence, delta=delta)
