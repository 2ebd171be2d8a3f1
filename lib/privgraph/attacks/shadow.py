"""An attacker who knows the defence: she lets it hide links that she knows, and learns what is left of them.

She knows the method with all its settings, the features, and every link but the sensitive ones: what a crawler of
friends' lists knows, where those of celebrities are closed. So she owns a graph that is nearly the owner's. She marks
those of *its* links as sensitive that join the users of the highest degrees, runs the defence as the owner did, and
has vectors with known answers for the very question that she will ask of the published ones. Whoever has no such
graph may take another of the same kind (one university's network for another's): ``shadow_links`` reads any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from ..checks import check_count, check_data, check_generator, check_mask, check_pairs, check_sequence
from ..graph import Graph
from .embeddings import LEAST, check_known, relations
from .exposure import mixed, sample_between
from .posterior import check_rows
from .worlds import own_graph, tried_on

if TYPE_CHECKING:
    from torch_geometric.data import Data

MEASURED = 10_000  # random pairs by which a scale is known


@dataclass(frozen=True, eq=False)
class Shadow:
    """A graph of the attacker's own: ``data``, with ``sensitive`` links that the defence is to hide, still in it.

    ``pairs`` int64 [2, m], of users of high degree, and whether each is one of these links, ``linked`` bool [m].
    """

    data: Data
    pairs: Tensor
    linked: Tensor


def hide_again(data: Data, count: int, generator: torch.Generator) -> Shadow:
    """What is known of a graph, its ``count`` links between users of the highest degrees marked as sensitive.

    A link ranks by the smaller of its two degrees. As many pairs of their ends without a link are drawn beside them;
    none of two sensitive users of the attacked graph, of whom the attacker does not know the truth.

    :param data: without its sensitive links. ``sensitive_users``, bool [N]: between whom she does not know the links.
    :param count: at least ten.
    :raises ValueError: where too few pairs without a link are left.
    """
    check_generator(generator)
    graph = Graph.of(data)
    unknown = check_mask(check_data(data, "sensitive_users").sensitive_users, "sensitive_users", graph.num_nodes)
    links = graph.links
    count = check_count(count, "count", low=LEAST, high=links.size(1))
    smaller = graph.degree[links].amin(0)
    hidden = links[:, smaller.argsort(descending=True, stable=True)[:count]]
    users = hidden.unique()
    near = sample_between(users, data.edge_index, 4 * count, generator)
    near = near[:, ~unknown[near].all(0)][:, :count]
    if near.size(1) < LEAST:
        raise ValueError(f"count must leave {LEAST} pairs without a link of which the attacker is sure, got {count} "
                         f"and {near.size(1)} of them")
    shadow = data.clone()
    shadow.sensitive, shadow.sensitive_users = hidden, torch.zeros_like(unknown).index_fill_(0, users, True)
    return Shadow(shadow, *mixed(hidden, near, generator))


@tried_on(own_graph)
def shadow_links(z: Tensor, pairs: Tensor, shadow_z: Tensor, shadow_pairs: Tensor, shadow_linked: Tensor,
                 generator: torch.Generator, beside: Sequence[Callable[[Tensor], Tensor]] = (),
                 shadow_beside: Sequence[Callable[[Tensor], Tensor]] = ()) -> Tensor:
    """Learn from vectors of a graph of one's own which pairs were linked before the defence, and say it of the others.

    Two trainings turn their vectors differently, so she reads what no rotation changes: inner product, cosine,
    distance and the norms of a pair, each on the scale of random pairs of its own vectors. A logistic regression
    weighs them; with so few hidden links to learn from, more would learn their noise.

    :param z: float [N, d], what was published.
    :param pairs: int64 [2, n], asked about.
    :param shadow_z: float [M, e], what the same defence published of the attacker's graph.
    :param shadow_pairs: int64 [2, m] of its nodes, at least ten.
    :param shadow_linked: bool [m], which of them are links.
    :param beside: scores of pairs that she can have beside the vectors, of the attacked graph as far as she knows it:
        ``[partial(adamic_adar, edge_index, num_nodes)]``.
    :param shadow_beside: the same scores, of her own graph as the defence left it.
    :returns: float64 [n], the logarithm of the odds.
    :raises ValueError: where the graphs have different numbers of scores beside the vectors.
    """
    check_generator(generator), check_pairs(pairs, len(check_rows(z, "z")))
    check_known(shadow_pairs, shadow_linked, len(check_rows(shadow_z, "shadow_z")), ("shadow_pairs", "shadow_linked"))
    check_sequence(beside, "beside", "functions"), check_sequence(shadow_beside, "shadow_beside", "functions")
    if len(beside) != len(shadow_beside):
        raise ValueError(f"beside and shadow_beside must be equally many, got {len(beside)} and {len(shadow_beside)}")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(on_a_scale(shadow_z, shadow_pairs, shadow_beside, generator).numpy(), shadow_linked.numpy())
    return torch.from_numpy(model.decision_function(on_a_scale(z, pairs, beside, generator).numpy()))


def on_a_scale(z: Tensor, pairs: Tensor, beside: Sequence[Callable[[Tensor], Tensor]],
               generator: torch.Generator) -> Tensor:
    """``relations`` of pairs in deviations from their mean over random pairs; then the other scores. float64 [n, k]."""
    among = torch.randint(len(z), (2, MEASURED), generator=generator)
    usual = relations(z, among[:, among[0] != among[1]])
    scaled = (relations(z, pairs) - usual.mean(0)) / usual.std(0).clamp_min(1e-12)
    return torch.cat([scaled, *(score(pairs)[:, None].double() for score in beside)], 1)
