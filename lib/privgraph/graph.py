"""Edge lists and sparse matrices: normalise, propagate, count, cut, walk, sample.

A graph is an ``edge_index`` of shape [2, E] with both directions of every undirected edge, and a
number of nodes. It is checked where it comes in, ``Graph.of(data)``, and by the functions that take tensors;
what reads a ``Graph`` or ``Edges`` checks nothing. Products with a sparse CSR matrix do the work that a loop over edges
would do.
"""

from __future__ import annotations

import copy
import math
import warnings
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from .checks import (
    check_choice,
    check_count,
    check_data,
    check_features,
    check_flag,
    check_generator,
    check_labels,
    check_nodes,
    check_number,
    check_pairs,
    check_people,
    check_tensor,
)
from .late import torch

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

NORMALISATIONS = ("symmetric", "mean", "sum")
MOST_BIAS = 100.0  # for p and q of a walk, and their inverse: so many draws a step may take
TASK = ("x", "y", "edge_index", "num_classes")  # what node classification reads
DENSE = 0.1  # a matrix with a larger share of entries is multiplied as a dense one
COLUMNS = 64  # of many, which go through all hops together and stay in the processor's cache


def edge_key(edge_index: Tensor | tuple, num_nodes: int) -> Tensor:
    """One number for each edge (u, v), u N + v: in order of u and then v, and different for different edges.

    :returns: int64 [E].
    """
    source, target = edge_index
    return source * num_nodes + target


def key_edges(key: Tensor, num_nodes: int) -> Tensor:
    """The edges [2, n] of their keys; the inverse of ``edge_key``.

    :param key: int64 [n].
    :returns: int64 [2, n].
    """
    return torch.stack([key // num_nodes, key % num_nodes])


def lookup(key: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """Which of ``wanted`` int64 [n] are among the sorted keys ``key`` int64 [E], bool [n]; and where, int64 [n]."""
    if not len(key):
        return torch.zeros_like(wanted, dtype=torch.bool), wanted
    place = torch.searchsorted(key, wanted).clamp_(max=len(key) - 1)
    return key[place] == wanted, place


def both_ways(pairs: Tensor, num_nodes: int) -> Tensor:
    """The keys of ``pairs`` int64 [2, n] and of the same turned round, int64 [m] in order, each once; no loops."""
    pairs = pairs[:, pairs[0] != pairs[1]]
    return torch.cat([edge_key(pairs, num_nodes), edge_key(pairs.flip(0), num_nodes)]).unique()


class SparseMatrix:
    """A constant sparse matrix [n, m] that multiplies dense ones: ``matrix @ x``, with a gradient for x.

    torch would transpose the CSR matrix anew in every backward pass; we keep the transpose, which for the
    symmetric matrices of undirected graphs is the matrix itself. Some private reports make a graph with a
    tenth of all possible edges; then both are kept dense (``is_dense``).

    :param row: int64 [e], of each entry.
    :param column: int64 [e].
    :param weight: float [e]; entries of one place add.
    :param shape: (n, m).
    :param symmetric: whether the matrix is its own transpose.
    """

    def __init__(self, row: Tensor, column: Tensor, weight: Tensor, shape: tuple[int, int], symmetric: bool = False):
        self.shape = shape
        self.csr = to_csr(row, column, weight, shape)
        self.entries = self.csr.values().numel()
        self.is_dense = self.entries > DENSE * shape[0] * shape[1]
        if self.is_dense:
            self.factor = self.csr.to_dense()
            self.transposed = self.factor.t()
        else:
            self.factor = self.csr
            self.transposed = self.csr if symmetric else to_csr(column, row, weight, shape[::-1])

    def __matmul__(self, x: Tensor) -> Tensor:
        return product().apply(x, self.factor, self.transposed, 1)

    def __deepcopy__(self, memo: dict) -> SparseMatrix:
        """Itself: it is constant, and torch copies no CSR matrix."""
        return self

    def to_dense(self) -> Tensor:
        """The same with all its zeros.

        :returns: float [n, m].
        """
        return self.csr.to_dense()


@cache
def product() -> type:
    """``factor`` to the power of ``steps``, times x, with a gradient for x; a class of torch's, made when torch is
    there."""
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, transposed, steps):
            ctx.factor, ctx.transposed, ctx.steps = factor, transposed, steps
            return multiplied(factor, x, steps)

        @staticmethod
        def backward(ctx, gradient):  # which has a gradient too
            return Product.apply(gradient, ctx.transposed, ctx.factor, ctx.steps), None, None, None
    return Product


def multiplied(factor: Tensor, x: Tensor, steps: int) -> Tensor:
    """``steps`` products of a matrix with x, of a sparse one with ``COLUMNS`` of many columns at a time. Bit for bit as
    with all columns at once (MKL rounds otherwise where there are fewer than 32).

    :param factor: dense or CSR, float [N, N]; for one step [n, N].
    :param x: float [N, d].
    :returns: float [N, d].
    """
    if steps > 1 and x.dim() == 2 and x.size(1) >= 2 * COLUMNS and factor.layout == torch.sparse_csr:
        result = torch.empty_like(x, memory_format=torch.contiguous_format)
        for block, place in zip(column_blocks(x), column_blocks(result), strict=True):
            place.copy_(multiplied(factor, block, steps))
        return result
    for _ in range(steps):
        x = factor @ x
    return x


def column_blocks(x: Tensor) -> tuple[Tensor, ...]:
    """Views of ``COLUMNS`` columns each; the last has those that are left too, fewer than twice as many.

    :param x: float [N, d], of at least ``COLUMNS`` columns.
    :returns: each float [N, b].
    """
    count, left = divmod(x.size(1), COLUMNS)
    return x.split([*[COLUMNS] * (count - 1), COLUMNS + left], 1)


def to_csr(row: Tensor, column: Tensor, weight: Tensor, shape: tuple[int, int]) -> Tensor:
    """A torch CSR tensor from its entries in any order; entries of one place add.

    :param row: int64 [e], of each entry.
    :param column: int64 [e].
    :param weight: float [e].
    :param shape: (n, m).
    :returns: sparse float [n, m].
    """
    key, order = (row * shape[1] + column).sort(stable=True)
    weight = weight[order]
    if (key[1:] == key[:-1]).any():
        key, place = key.unique_consecutive(return_inverse=True)
        weight = weight.new_zeros(len(key)).index_add_(0, place, weight)
    row_start = torch.zeros(shape[0] + 1, dtype=torch.long, device=row.device)
    row_start[1:] = torch.bincount(key // shape[1], minlength=shape[0]).cumsum(0)
    with warnings.catch_warnings():  # torch says once that CSR is in beta; its products are what makes propagation fast
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(row_start, key % shape[1], weight, shape, check_invariants=False)


@dataclass(frozen=True, eq=False)
class Edges:
    """Pairs of nodes that have been checked; they may be directed, and repeat: what people report, say.

    ``edge_index`` int64 [2, E], in the order in which it came. What is computed of it is kept: it does not change.
    """

    edge_index: Tensor
    num_nodes: int

    @cached_property
    def key(self) -> Tensor:
        """``edge_key`` of all, int64 [E], in order: so membership is a search."""
        return edge_key(self.edge_index, self.num_nodes).sort().values

    @cached_property
    def degree(self) -> Tensor:
        """How many edges end at each node, int64 [N]."""
        return torch.bincount(self.edge_index[1], minlength=self.num_nodes)

    @cached_property
    def links(self) -> Tensor:
        """Those with the lower end first: of an undirected graph each edge once, int64 [2, L]."""
        return self.edge_index[:, self.edge_index[0] < self.edge_index[1]]

    def has(self, pairs: Tensor | tuple) -> Tensor:
        """Which of ``pairs`` [2, n] are edges, in this direction, bool [n]."""
        return lookup(self.key, edge_key(pairs, self.num_nodes))[0]

    def mutual(self, weight: Tensor | None = None) -> bool:
        """Does every edge come in both directions, equally often and with the same weight?

        :param weight: float [E]; None: all weigh the same.
        """
        there, order = edge_key(self.edge_index, self.num_nodes).sort(stable=True)
        back, reverse = edge_key(self.edge_index.flip(0), self.num_nodes).sort(stable=True)
        return torch.equal(there, back) and (weight is None or torch.equal(weight[order], weight[reverse]))

    def adjacency(self, normalize: str = "symmetric", self_loops: bool = False,
                  weight: Tensor | None = None) -> SparseMatrix:
        """The (normalised) adjacency matrix.

        :param normalize: one of ``NORMALISATIONS``, as the function ``adjacency`` says.
        :param self_loops: whether each node hears itself as well.
        :param weight: float [E]; None: all weigh 1.
        """
        source, target = self.edge_index
        weight = None if weight is None else weight.to(torch.get_default_dtype())
        symmetric = normalize != "mean" and self.mutual(weight)
        if weight is None:
            weight = torch.ones(source.numel(), device=source.device)
        if self_loops:
            nodes = torch.arange(self.num_nodes, device=source.device)
            source, target = torch.cat([source, nodes]), torch.cat([target, nodes])
            weight = torch.cat([weight, weight.new_ones(self.num_nodes)])
        if normalize != "sum":
            degree = weight.new_zeros(self.num_nodes).index_add_(0, target, weight)
            scale = (degree[source] * degree[target]).rsqrt() if normalize == "symmetric" else 1 / degree[target]
            weight = weight * scale.masked_fill(scale.isinf(), 0.0)  # of who hears nobody, if only as all weigh 0
        return SparseMatrix(target, source, weight, (self.num_nodes, self.num_nodes), symmetric)

    @cached_property
    def staying(self) -> Edges:
        """These, and a loop at each node that none of them leaves, so that walks stay there."""
        alone = (torch.bincount(self.edge_index[0], minlength=self.num_nodes) == 0).nonzero().t()
        return Edges(torch.cat([self.edge_index, alone.expand(2, -1)], 1), self.num_nodes)

    def walks(self, starts: Tensor, length: int, generator: torch.Generator, p: float = 1.0, q: float = 1.0) -> Tensor:
        """Random walks, as the function ``random_walks`` says.

        :param starts: int64 [W], the node at which each walk begins.
        :param length: nodes of a walk, the first included.
        :param p: a step back weighs 1 / p.
        :param q: a step further away weighs 1 / q.
        :returns: int64 [W, length].
        """
        walker = _Walker(self.staying, generator)
        walks = starts.new_empty(length, len(starts))
        walks[0] = starts
        for now in range(1, length):
            biased = now > 1 and (p, q) != (1, 1)
            walks[now] = (walker.biased(walks[now - 2], walks[now - 1], p, q) if biased
                          else walker.uniform(walks[now - 1]))
        return walks.t().contiguous()

    def non_edges(self, count: int, generator: torch.Generator) -> Tensor:
        """Pairs without an edge, as the function ``sample_non_edges`` says; of a graph, both of whose ways count.

        :param count: how many, at most as many as there are.
        :returns: int64 [2, count], each once.
        """
        free = self.num_nodes * (self.num_nodes - 1) // 2 - self.edge_index.size(1) // 2
        count = check_count(count, "count", high=free)
        found = torch.empty(0, dtype=torch.long)
        while found.numel() < count:
            drawn = torch.randint(self.num_nodes, (2, 2 * count + 16), generator=generator)
            low, high = drawn.amin(0), drawn.amax(0)
            pairs = torch.stack([low, high])[:, low < high]
            new = edge_key(pairs[:, ~self.has(pairs)], self.num_nodes)
            found = first_of_each(torch.cat([found, new]))[:count]
        return key_edges(found, self.num_nodes)


class Graph(Edges):
    """An undirected graph that was checked where it came in: each edge in both directions, no loop, none twice.

    What its own operations make has these properties again. One that is made otherwise must have them.

    >>> from privgraph.datasets import load
    >>> graph = Graph.of(load("karate"))
    >>> graph.degree[:3].tolist(), graph.has(torch.tensor([[0, 0], [1, 9]])).tolist()
    ([16, 9, 10], [True, False])
    """

    @classmethod
    def of(cls, data: Data) -> Graph:
        """The border: the edges that a graph of PyG has, among as many people as it states."""
        return cls(check_edge_index(check_data(data, "edge_index").edge_index, check_people(data)), data.num_nodes)

    @classmethod
    def made(cls, pairs: Tensor, num_nodes: int) -> Graph:
        """The graph with some pairs as edges, and no others.

        :param pairs: int64 [2, n], in any direction, more than once or not; loops are left out.
        """
        return cls(key_edges(both_ways(pairs, num_nodes), num_nodes), num_nodes)

    def mutual(self, weight: Tensor | None = None) -> bool:
        """Whether the weights are the same in both directions.

        :param weight: float [E]; None: all weigh the same.
        """
        return weight is None or super().mutual(weight)

    def where(self, kept: Tensor) -> Graph:
        """The edges that are ``kept``, bool [E]; of a graph both directions or neither."""
        return type(self)(self.edge_index[:, kept], self.num_nodes)

    def among(self, nodes: Tensor) -> Graph:
        """The edges whose two ends are in ``nodes`` bool [N]; the others stay, isolated."""
        return self.where(nodes[self.edge_index].all(0))

    def without(self, pairs: Tensor) -> Graph:
        """All edges but ``pairs`` int64 [2, n], in both directions. Who had no other is isolated then."""
        gone = both_ways(pairs, self.num_nodes)
        return self.where(~lookup(gone, edge_key(self.edge_index, self.num_nodes))[0])

    def plus(self, pairs: Tensor) -> Graph:
        """All edges and ``pairs`` int64 [2, n], in both directions."""
        return self.made(torch.cat([self.edge_index, pairs], 1), self.num_nodes)


def check_edge_index(edge_index: Tensor, num_nodes: int, least: int = 1) -> Tensor:
    """The project's edge list: int64 [2, E], both directions, no self loops, no duplicates.

    Isolated nodes are legal, and so is a graph without any edge. ``least`` nodes are needed.

    :raises ValueError: for a loop, a duplicate, and an edge that is there one way only.
    """
    there, back = sorted_key(edge_index, num_nodes, least), edge_key(edge_index.flip(0), num_nodes)
    if not torch.equal(there, back.sort().values):
        raise ValueError("edge_index must hold both directions of every edge (an undirected graph); "
                         "graph.to_undirected adds the missing ones; got some one way only")
    return edge_index


def check_lists(edge_index: Tensor, num_nodes: int, least: int = 1) -> Tensor:
    """Edges that may be directed: int64 [2, E], no self loops, no duplicates.

    :param least: how many nodes are needed.
    """
    sorted_key(edge_index, num_nodes, least)
    return edge_index


def sorted_key(edge_index: Tensor, num_nodes: int, least: int) -> Tensor:
    """The keys of edges that ``check_lists`` takes, int64 [E], in order.

    :param least: how many nodes are needed.
    :raises ValueError: for a loop or a duplicate.
    """
    source, target = check_pairs(edge_index, num_nodes, "edge_index", "E", least)
    if (loops := int((source == target).sum())) > 0:
        raise ValueError(f"edge_index must have no self loops, got {loops}; "
                         "graph.to_undirected removes them")
    key = edge_key(edge_index, num_nodes).sort().values
    if (duplicates := int((key[1:] == key[:-1]).sum())) > 0:
        raise ValueError(f"edge_index must have no duplicate edges, got {duplicates}; "
                         "graph.to_undirected removes them")
    return key


def check_task(data: Data, least: int = 1) -> None:
    """What node classification needs of a graph: edges in order, finite features, labels in the public range.

    Each rule speaks of one person's record, or of public things: it says on which data a method is defined. A
    property of the data as a whole is not asked for. That somebody is in a second class can hang on one person, and
    then whether it is refused would tell of her. Where even the number of people is private, ``least`` is 0.

    :raises ValueError: for a graph of which one of these does not hold.
    """
    check_count(check_data(data, *TASK).num_classes, "num_classes", low=2)
    check_edge_index(data.edge_index, data.num_nodes, least)
    if check_features(data.x).size(1) == 0:
        raise ValueError(f"features must have at least one column, got shape {list(data.x.shape)}")
    check_tensor(data.y, "labels")
    if data.x.size(0) != data.num_nodes or data.y.size(0) != data.num_nodes:
        raise ValueError(f"x, y and the graph must have the same number of nodes, "
                         f"got {data.x.size(0)}, {data.y.size(0)} and {data.num_nodes}")
    check_labels(data.y, data.num_classes, missing=True)


def read(edge_index: Tensor, num_nodes: int) -> Edges:
    """The border of the functions below, which take tensors."""
    return Edges(check_pairs(edge_index, num_nodes, "edge_index", "E"), num_nodes)


def to_undirected(edge_index: Tensor, num_nodes: int) -> Tensor:
    """Both directions of every edge, sorted, without duplicates and self loops.

    :returns: int64 [2, E'].

    >>> to_undirected(torch.tensor([[0, 1, 1, 2], [1, 0, 1, 0]]), 3).tolist()
    [[0, 0, 1, 2], [1, 2, 0, 0]]
    """
    return Graph.made(read(edge_index, num_nodes).edge_index, num_nodes).edge_index


def contains(edge_index: Tensor, pairs: Tensor, num_nodes: int) -> Tensor:
    """Which of ``pairs`` [2, n] are edges, in this direction, bool [n].

    >>> contains(torch.tensor([[0, 1], [1, 2]]), torch.tensor([[1, 2], [2, 1]]), 3).tolist()
    [True, False]
    """
    return Edges(edge_index, num_nodes).has(pairs)


def degrees(edge_index: Tensor, num_nodes: int) -> Tensor:
    """Number of neighbours of every node, int64 [N]."""
    return read(edge_index, num_nodes).degree


def adjacency(edge_index: Tensor, num_nodes: int, normalize: str = "symmetric", self_loops: bool = False,
              weight: Tensor | None = None) -> SparseMatrix:
    r"""The (normalised) adjacency matrix A of shape [N, N].

    Row v holds the weights with which v hears its neighbours: ``(A @ x)[v]`` aggregates over N(v), the sources of
    the edges into v. D is the diagonal matrix of the row sums (degrees).

    - ``symmetric``: :math:`D^{-1/2} A D^{-1/2}` (GCN, KProp),
    - ``mean``: :math:`D^{-1} A` (GraphSAGE),
    - ``sum``: :math:`A` (GraphConv).

    ``self_loops=True`` adds the identity before normalising. ``weight`` float [E]: one weight an edge, at least 0; by
    default 1. Edges may be directed and may repeat (their weights add). A node that hears nobody has a row of
    zeros, and with ``symmetric``, as in PyG, its column is zero too.

    :param normalize: "symmetric", "mean" or "sum".
    :param self_loops: whether everybody hears themselves too.

    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> adjacency(path, 3, "mean").to_dense().tolist()
    [[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]
    """
    check_choice(normalize, "normalize", NORMALISATIONS), check_flag(self_loops, "self_loops")
    return read(edge_index, num_nodes).adjacency(normalize, self_loops, check_weight(weight, edge_index))


def with_edge_index(data: Data, edge_index: Tensor) -> Data:
    """A shallow copy of ``data`` with these edges, and without what belonged to its own.

    That is every attribute whose name contains "edge" or begins with "adj", as PyG's do, and ``own_weights``. Under
    other names nothing is taken for one number an edge; to go by lengths would tell how many edges there are.

    :param edge_index: int64 [2, E].
    """
    made = copy.copy(data)
    for name in data.keys():
        if "edge" in name or name.startswith("adj") or name == "own_weights":
            del made[name]
    made.edge_index = edge_index
    return made


def check_weight(weight: Tensor | None, edge_index: Tensor) -> Tensor | None:
    """One number an edge, none of them below 0 or NaN.

    :param weight: float [E]; None: nothing is checked.
    :returns: the same, float [E] or None.
    :raises ValueError: for another number of weights than edges, and for one below 0 or NaN.
    """
    if weight is not None and (check_tensor(weight, "weight").shape != edge_index.shape[1:] or not (weight >= 0).all()):
        raise ValueError(f"weight must hold a number of at least 0 for each of {edge_index.size(1)} edges, "
                         f"got shape {list(weight.shape)}")
    return weight


def covering_hops(num_nodes: int, num_edges: int, most: int = 16) -> int:
    r"""After so many hops a random graph is covered, and averaging over more makes everybody alike.

    .. math:: K = \lfloor \ln n / \ln d \rfloor \text{, from 1 to } most

    A rule of thumb for graphs that mix quickly, from public sizes; where communities are hardly joined, more hops help.

    :param num_edges: undirected edges, each counted once; d, at least 2, is the mean degree.
    :param most: an upper limit.

    >>> covering_hops(2_708, 5_278), covering_hops(24_000, 96_000), covering_hops(100, 100)
    (5, 4, 6)
    """
    check_count(num_nodes, "num_nodes", low=1), check_count(num_edges, "num_edges")
    degree = max(2.0, 2 * num_edges / num_nodes)
    return max(1, min(most, int(math.log(num_nodes) / math.log(degree))))


def propagate(matrix: SparseMatrix, x: Tensor, steps: int) -> Tensor:
    r"""``steps`` products with a sparse matrix: :math:`A^{K} x`, shape [N, d]. ``steps=0`` returns x.

    :param x: float [N, d].
    :returns: float [N, d].
    """
    check_tensor(x, "x")
    if check_count(steps, "steps") == 0:
        return x
    return product().apply(x, matrix.factor, matrix.transposed, steps)


def homophily(edge_index: Tensor, y: Tensor) -> float:
    """Share of edges whose two ends carry the same label, over edges with both ends labelled (y >= 0).

    :param y: int64 [N], -1 = not labelled.
    """
    source, target = y[read(edge_index, len(check_labels(y, None, missing=True))).edge_index]
    labelled = (source >= 0) & (target >= 0)
    return float((source[labelled] == target[labelled]).float().mean())


def rewire(edge_index: Tensor, num_nodes: int, generator: torch.Generator, rounds: int = 40) -> Tensor:
    """An undirected graph with the same degrees and random edges, int64 [2, E]: the null model of a graph.

    In each round all edges are paired at random, and a pair a - b, c - d becomes a - d, c - b unless that makes a
    loop or an edge that is there already.

    :param rounds: how often all edges are paired.
    """
    check_generator(generator)
    edges = read(edge_index, num_nodes).links
    for _ in range(check_count(rounds, "rounds")):
        order = torch.randperm(edges.size(1), generator=generator)
        turned = torch.rand(edges.size(1), generator=generator) < 0.5
        edges = torch.where(turned, edges.flip(0), edges)[:, order]
        half = edges.size(1) // 2
        first, second = edges[:, :half], edges[:, half:2 * half]
        new = torch.stack([torch.stack([first[0], second[1]]), torch.stack([second[0], first[1]])])  # [2, 2, half]
        key = edge_key((new.amin(1), new.amax(1)), num_nodes)
        _, inverse, count = key.unique(return_inverse=True, return_counts=True)
        taken = torch.isin(key, edge_key((edges.amin(0), edges.amax(0)), num_nodes))
        good = ((count[inverse] == 1) & ~taken & (new[:, 0] != new[:, 1])).all(0)
        edges = torch.cat([torch.where(good, new[0], first), torch.where(good, new[1], second), edges[:, 2 * half:]], 1)
    return Graph.made(edges, num_nodes).edge_index


def partition(edge_index: Tensor, num_nodes: int, parts: int) -> Tensor:
    """Cut a graph into ``parts`` clusters of about equal size with few edges between them, int64 [N].

    METIS by recursive bisection; its k-way variant cuts more edges where clusters are small. The answer for one
    graph is always the same. A small graph can leave a cluster empty.

    :raises ModuleNotFoundError: where pymetis is not installed.
    """
    try:
        import pymetis
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("clusters need pymetis: pip install 'privgraph[partition]'") from error
    parts = check_count(parts, "parts", low=1, high=check_count(num_nodes, "num_nodes"))
    source, target = to_undirected(edge_index, num_nodes)
    starts = torch.zeros(num_nodes + 1, dtype=torch.long)
    starts[1:] = torch.bincount(source, minlength=num_nodes).cumsum(0)
    neighbours = pymetis.CSRAdjacency(starts.numpy(), target.numpy())
    _, cluster = pymetis.part_graph(parts, adjacency=neighbours, recursive=True, options=pymetis.Options(seed=0))
    return torch.tensor(cluster, dtype=torch.long)


def random_walks(edge_index: Tensor, num_nodes: int, starts: Tensor, length: int, generator: torch.Generator,
                 p: float = 1.0, q: float = 1.0) -> Tensor:
    r"""Random walks of ``length`` nodes along the edges, int64 [W, length]: row w begins with ``starts[w]``.

    A walk that came from t to v goes on to a neighbour x of v, with a chance in proportion to

    .. math:: \alpha(t, x) = 1/p \text{ if } x = t, \quad 1 \text{ if } t \to x \text{ is an edge}, \quad
              1/q \text{ otherwise}

    so with p = q = 1 to each alike (DeepWalk: Perozzi et al. 2014, Algorithm 1), and else with a bias of second order
    (node2vec: Grover and Leskovec 2016, section 3.2), drawn by rejection: a neighbour that was drawn uniformly is
    taken with the chance alpha / max alpha. The first step is uniform. Edges are followed from the first row of
    ``edge_index`` to the second; a walk **stays where it is** at a node without any, so one from an isolated node is
    that node again and again.

    :param starts: int64 [W], a node for each walk; a node may come as often as walks are to begin there.
    :param length: nodes of a walk, its first included.
    :param p: large values keep a walk from going back at once. In [0.01, 100], as is q: rejection takes up to
        max alpha / min alpha draws a step.
    :param q: large values keep a walk near where it came from, small ones send it away.
    :param edge_index: int64 [2, E], followed from the first row to the second.
    :raises ValueError: names the argument, what came and what is allowed.

    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> random_walks(path, 4, torch.tensor([0, 3]), 2, torch.Generator()).tolist()
    [[0, 1], [3, 3]]
    """
    edges = read(edge_index, num_nodes)
    check_generator(generator), check_nodes(starts, num_nodes, "starts"), check_count(length, "length", low=1)
    p, q = (check_number(value, name, low=1 / MOST_BIAS, high=MOST_BIAS) for value, name in ((p, "p"), (q, "q")))
    return edges.walks(starts, length, generator, p, q)


class _Walker:
    """Draws the next node of many walks at once, along ``edges`` of which one or more leave each node."""

    def __init__(self, edges: Edges, generator: torch.Generator):
        self.edges, self.generator = edges, generator
        source, self.neighbour = key_edges(edges.key, edges.num_nodes)
        degree = torch.bincount(source, minlength=edges.num_nodes)
        self.first, self.degree = degree.cumsum(0) - degree, degree.double()  # of whose numbers each is exact

    def random(self, count: int) -> Tensor:
        return torch.rand(count, generator=self.generator, dtype=torch.double, device=self.neighbour.device)

    def uniform(self, at: Tensor) -> Tensor:
        """A neighbour of each node ``at`` [W]. A random number below 1 times a degree is below it in doubles too."""
        return self.neighbour[self.first[at] + (self.random(len(at)) * self.degree[at]).long()]

    def biased(self, before: Tensor, at: Tensor, p: float, q: float) -> Tensor:
        """Draw neighbours for those who wait until each has taken one, the fewer wait the more at a time."""
        chosen, waiting = at.clone(), torch.arange(len(at), device=at.device)
        while waiting.numel():
            tries = len(at) // len(waiting)
            came, here = (nodes[waiting].repeat_interleave(tries) for nodes in (before, at))
            to = self.uniform(here)
            some, first = self.taken(came, to, p, q).view(-1, tries).max(1)
            chosen[waiting] = to.view(-1, tries).gather(1, first[:, None])[:, 0]  # who took none draws again
            waiting = waiting[~some]
        return chosen

    def taken(self, came: Tensor, to: Tensor, p: float, q: float) -> Tensor:
        """Whether to go on to a neighbour that was drawn: bool, with the chance alpha / max alpha.

        Most coins decide whether there is an edge or not; only for the others is it looked up.
        """
        (low, high), coin = sorted((1, 1 / q)), self.random(len(to)) * max(1 / p, 1, 1 / q)
        back = came == to
        taken = coin < torch.where(back, 1 / p, low)
        open = (~back & (low <= coin) & (coin < high)).nonzero()[:, 0]
        taken[open] = self.edges.has((came[open], to[open])) == (q > 1)
        return taken


def sample_edges(edge_index: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """``count`` different undirected edges, uniformly, int64 [2, count] (smaller end first)."""
    check_generator(generator)
    edges = check_tensor(edge_index, "edge_index")
    edges = edges[:, edges[0] < edges[1]]
    count = check_count(count, "count", high=edges.size(1))
    return edges[:, torch.randperm(edges.size(1), generator=generator)[:count]]


def sample_non_edges(edge_index: Tensor, num_nodes: int, count: int, generator: torch.Generator) -> Tensor:
    """``count`` different unordered pairs without an edge, uniformly over all of them, int64 [2, count].

    Pairs are drawn uniformly and refused when they are edges, loops or repeats, so memory stays
    linear in ``count`` and E.
    """
    check_generator(generator)
    return read(edge_index, num_nodes).non_edges(count, generator)


def first_of_each(values: Tensor) -> Tensor:
    """The distinct values in the order of their first appearance.

    :param values: int64 [n].
    :returns: int64 [m].
    """
    order = values.argsort(stable=True)
    ordered = values[order]
    is_first = torch.ones_like(ordered, dtype=torch.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return values[order[is_first].sort().values]
