"""TRIANGLES: connected random graphs, whose class is how many triangles they have (Knyazev, Taylor and Amer 2019).

Ours are drawn, from 4 to 25 nodes as in the sample of 2,010 graphs that few-shot papers use: a random tree, and each
further pair with a chance that is drawn as well. What does not have exactly the wanted number of triangles is drawn
again. A node's only feature is its degree, so whoever averages the features has the number of edges already, and more
triangles mean more edges.
"""

import torch
from torch import Tensor

from ...checks import check_count, check_generator, check_is
from ...graph import edge_key
from ...graph_batch import GraphBatch, stretches
from ..episodes import GraphSet
from .dense import packed, symmetric

MOST = 10  # triangles of a graph
NODES = 25  # of the largest graphs; the smallest have 4, or what their triangles need
TRAIN_CLASSES = (0, 2, 3, 5, 6, 7, 8)  # one less than the number of triangles; as published with the sample
TEST_CLASSES = (1, 4, 9)
DRAWN = 2000  # graphs at a time, to find those with the right number
ROUNDS = 1000  # of drawing again at most; two thousand graphs take about 30


def triangles(generator: torch.Generator, per_class: int = 200, name: str = "triangles") -> GraphSet:
    """Graphs with exactly 1, 2, ..., 10 triangles: class c has c + 1 of them.

    Sizes are uniform up to 25 nodes and hardly differ between classes. Classes for training and for tests are those
    that were published for the sample.

    :param generator: source of all randomness.
    :param per_class: how many graphs each class gets.
    :param name: of the set.
    :returns: connected graphs; ``x`` float [N, 1] is each node's degree.
    :raises RuntimeError: if the right number was not found in ``ROUNDS`` times drawing again.

    >>> count_triangles(triangles(torch.Generator().manual_seed(0), per_class=2).graphs).tolist()[:6]
    [1, 1, 2, 2, 3, 3]
    """
    check_generator(generator)
    wanted = torch.arange(1, MOST + 1).repeat_interleave(check_count(per_class, "per_class", low=1))
    least = 4 + (wanted > 2).long() + (wanted > 5).long()  # 3 triangles need 5 nodes; 6, 8 and 9 need 6
    nodes = least + uniform(generator, len(wanted)).mul(NODES + 1 - least).long()
    adjacency = torch.zeros(len(wanted), NODES, NODES, dtype=torch.bool)
    waiting = torch.arange(len(wanted))
    for _ in range(ROUNDS):  # the fewer wait, the more are drawn for each
        drawn = connected(nodes[waiting], wanted[waiting], max(1, DRAWN // len(waiting)), generator)
        right, first = (triangles_of(drawn) == wanted[waiting][:, None]).max(1)
        adjacency[waiting[right]] = drawn[right, first[right]]
        waiting = waiting[~right]
        if not len(waiting):
            break
    else:
        raise RuntimeError(f"generator must find graphs with the right number of triangles in {ROUNDS} rounds, "
                           f"got none for {wanted[waiting].tolist()} triangles with {nodes[waiting].tolist()} nodes")
    degree = adjacency.sum(2, keepdim=True).float()
    return GraphSet(name, packed(adjacency, degree, torch.arange(NODES) < nodes[:, None]), wanted - 1,
                    TRAIN_CLASSES, TEST_CLASSES)


def uniform(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.rand(shape, generator=generator)


def connected(nodes: Tensor, wanted: Tensor, tries: int, generator: torch.Generator) -> Tensor:
    """``tries`` connected graphs for each number of nodes [W], bool [W, tries, 25, 25].

    Node i > 0 hangs on a uniform earlier one. Each further pair is joined with a chance q, uniform up to 3/2 of that
    with which ``nodes`` nodes have ``wanted`` triangles, had they no tree: n^3 q^3 / 6.
    """
    place = torch.arange(NODES)
    tree = uniform(generator, len(nodes), tries, NODES).mul(place).long()
    likely = (6 * wanted / nodes.double()**3)**(1 / 3)
    chance = 1.5 * likely[:, None] * uniform(generator, len(nodes), tries)
    joined = uniform(generator, len(nodes), tries, NODES, NODES) < chance[:, :, None, None]
    joined.scatter_(3, tree[..., None], True)
    present = place < nodes[:, None]
    return symmetric((joined & (present[:, None, :, None] & present[:, None, None])).flatten(0, 1)).view(joined.shape)


def triangles_of(adjacency: Tensor) -> Tensor:
    """Triangles of dense graphs bool [..., n, n]: the trace of the cube counts each six times."""
    walks = adjacency.float()
    return ((walks @ walks) * walks).sum((-2, -1)).div(6).round().long()


def count_triangles(graphs: GraphBatch) -> Tensor:
    """How many triangles each graph has, int64 [G]; memory for the paths of two edges, not for n x n tables.

    A triangle a < b < c is found once: at the path a - b - c, if a - c is an edge.

    :param graphs: G graphs, each of any size.
    :raises TypeError: for anything else.
    """
    nodes = len(check_is(graphs, "graphs", GraphBatch).x)
    low, high = graphs.edge_index
    key = edge_key((low, high), nodes)[low < high].sort().values
    low, high = key // nodes, key % nodes
    later = torch.bincount(low, minlength=nodes)  # neighbours with a larger number
    first = later.cumsum(0) - later
    end = high[stretches(first[high], later[high])]
    start = low.repeat_interleave(later[high])
    closed = torch.isin(edge_key((start, end), nodes), key)
    return torch.bincount(graphs.batch[start[closed]], minlength=len(graphs))
