"""Views of a graph for contrast (the dissertation, section 5.2.2): features away, or a small and noisy part of it."""

import torch
from torch import Tensor

from ...checks import check_choice, check_fraction, check_generator, check_is
from ...graph import to_undirected
from ...graph_batch import GraphBatch, made

MASKS = {"zeros": torch.zeros_like, "ones": torch.ones_like, "mean": lambda x: x.mean(0).expand_as(x)}


def masked(graphs: GraphBatch, mask: str = "mean") -> GraphBatch:
    """The positive view: every graph keeps its edges, and all its nodes have the same features.

    :param mask: one of ``MASKS``. ``"zeros"``: a convolution without bias then gives 0 for every node of every graph,
        so such a view knows nothing of its graph. ``"ones"`` lets the edges through, but where features are degrees a
        view of ones is smaller than its graph, and small is what agrees with it. ``"mean"``: of all nodes of all
        these graphs, column by column; a view is then as large as a graph.
    """
    check_is(graphs, "graphs", GraphBatch)
    return graphs.with_features(MASKS[check_choice(mask, "mask", MASKS)](graphs.x).contiguous())


def perturbed(graphs: GraphBatch, eta: float, generator: torch.Generator) -> GraphBatch:
    """The negative view: each node is deleted with chance eta, then each edge with chance 1 - eta, and for every edge
    that was deleted a random one comes.

    One node of each graph always stays. A new edge joins two different nodes of its graph, uniformly; it may be there
    already, so there may be fewer edges than before.

    :param eta: the perturbation ratio, in [0, 1].
    """
    check_is(graphs, "graphs", GraphBatch), check_generator(generator)
    small = some_nodes(graphs, check_fraction(eta, "eta", closed=True), generator)
    once = small.edge_index[:, small.edge_index[0] < small.edge_index[1]]
    gone = torch.rand(once.size(1), generator=generator) < 1 - eta
    of = small.batch[once[0, gone]]
    size, initial = small.sizes[of], small.ptr[of]
    u = (torch.rand(len(of), generator=generator, dtype=torch.float64) * size).long()
    v = (u + 1 + (torch.rand(len(of), generator=generator, dtype=torch.float64) * (size - 1)).long()) % size
    edges = torch.cat([once[:, ~gone], torch.stack([u + initial, v + initial])], 1)
    return made(small.x, to_undirected(edges, len(small.x)), small.sizes)


def some_nodes(graphs: GraphBatch, eta: float, generator: torch.Generator) -> GraphBatch:
    """Without the nodes that are deleted; of each graph the one that drew the largest number stays."""
    drawn = torch.rand(len(graphs.x), generator=generator)
    most = torch.segment_reduce(drawn, "max", lengths=graphs.sizes)
    return subgraphs(graphs, (drawn >= eta) | (drawn == most[graphs.batch]))


def subgraphs(graphs: GraphBatch, keep: Tensor) -> GraphBatch:
    """What is left of each graph between its nodes with ``keep``, bool [N]; at least one of each."""
    number = keep.cumsum(0) - 1
    left = keep[graphs.edge_index].all(0)
    return made(graphs.x[keep], number[graphs.edge_index[:, left]], torch.bincount(graphs.batch[keep]))
