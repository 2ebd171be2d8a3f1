"""Edge lists and sparse matrices: normalise, propagate, count, sample.

A graph is an ``edge_index`` of shape [2, E] with both directions of every undirected edge, and a
number of nodes. Products with a sparse CSR matrix do the work that a loop over edges would do.
"""

import warnings

import torch
from torch import Tensor

from .checks import check_choice, check_count

# torch prints this once per process; CSR products are what makes propagation fast (see benchmarks/).
warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")

NORMALISATIONS = ("symmetric", "mean", "sum")


def to_undirected(edge_index: Tensor, num_nodes: int) -> Tensor:
    """Both directions of every edge, sorted, without duplicates and self loops.

    >>> to_undirected(torch.tensor([[0, 1, 1, 2], [1, 0, 1, 0]]), 3).tolist()
    [[0, 0, 1, 2], [1, 2, 0, 0]]
    """
    source, target = edge_index[:, edge_index[0] != edge_index[1]]
    key = torch.cat([source * num_nodes + target, target * num_nodes + source]).unique()
    return torch.stack([key // num_nodes, key % num_nodes])


def degrees(edge_index: Tensor, num_nodes: int) -> Tensor:
    """Number of neighbours of every node, int64 [N]."""
    return torch.bincount(edge_index[1], minlength=num_nodes)


class SparseMatrix:
    """A constant sparse matrix [n, m] that multiplies dense ones: ``matrix @ x``, with a gradient for x.

    torch would transpose the CSR matrix anew in every backward pass; we keep the transpose, which for the
    symmetric matrices of undirected graphs is the matrix itself.
    """

    def __init__(self, row: Tensor, column: Tensor, weight: Tensor, shape: tuple[int, int], symmetric: bool = False):
        self.shape = shape
        self.csr = to_csr(row, column, weight, shape)
        self.transposed = self.csr if symmetric else to_csr(column, row, weight, shape[::-1])

    def __matmul__(self, x: Tensor) -> Tensor:
        return _Product.apply(x, self.csr, self.transposed)

    def to_dense(self) -> Tensor:
        return self.csr.to_dense()


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, csr, transposed):
        ctx.transposed = transposed
        return csr @ x

    @staticmethod
    def backward(ctx, gradient):
        return ctx.transposed @ gradient, None, None


def to_csr(row: Tensor, column: Tensor, weight: Tensor, shape: tuple[int, int]) -> Tensor:
    """A torch CSR tensor from its entries in any order."""
    order = (row * shape[1] + column).argsort()
    row_start = torch.zeros(shape[0] + 1, dtype=torch.long, device=row.device)
    row_start[1:] = torch.bincount(row, minlength=shape[0]).cumsum(0)
    return torch.sparse_csr_tensor(row_start, column[order], weight[order], shape, check_invariants=False)


def adjacency(edge_index: Tensor, num_nodes: int, normalise: str = "symmetric",
              self_loops: bool = False) -> SparseMatrix:
    r"""The (normalised) adjacency matrix A of shape [N, N].

    Row v holds the weights with which v hears its neighbours: ``(A @ x)[v]`` aggregates over N(v).

    - ``symmetric``: :math:`D^{-1/2} A D^{-1/2}` (GCN, KProp),
    - ``mean``: :math:`D^{-1} A` (GraphSAGE),
    - ``sum``: :math:`A` (GraphConv).

    ``self_loops=True`` adds the identity before normalising. An isolated node hears nothing: its row is 0.

    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> adjacency(path, 3, "mean").to_dense().tolist()
    [[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]
    """
    check_choice(normalise, "normalise", NORMALISATIONS)
    source, target = edge_index
    if self_loops:
        nodes = torch.arange(num_nodes, device=edge_index.device)
        source, target = torch.cat([source, nodes]), torch.cat([target, nodes])
    degree = torch.bincount(target, minlength=num_nodes).float()
    if normalise == "symmetric":
        weight = (degree[source] * degree[target]).rsqrt()
    elif normalise == "mean":
        weight = 1 / degree[target]
    else:
        weight = torch.ones(source.numel(), device=edge_index.device)
    return SparseMatrix(target, source, weight, (num_nodes, num_nodes), symmetric=normalise != "mean")


def propagate(matrix: SparseMatrix, x: Tensor, steps: int) -> Tensor:
    r"""``steps`` products with a sparse matrix: :math:`A^{K} x`, shape [N, d]. ``steps=0`` returns x."""
    check_count(steps, "steps")
    for _ in range(steps):
        x = matrix @ x
    return x


def homophily(edge_index: Tensor, y: Tensor) -> float:
    """Share of edges whose two ends carry the same label, over edges with both ends labelled (y >= 0)."""
    source, target = y[edge_index[0]], y[edge_index[1]]
    labelled = (source >= 0) & (target >= 0)
    return float((source[labelled] == target[labelled]).float().mean())


def sample_edges(edge_index: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """``count`` different undirected edges, uniformly, int64 [2, count] (smaller end first)."""
    edges = edge_index[:, edge_index[0] < edge_index[1]]
    check_count(count, "count", high=edges.size(1))
    return edges[:, torch.randperm(edges.size(1), generator=generator)[:count]]


def sample_non_edges(edge_index: Tensor, num_nodes: int, count: int, generator: torch.Generator) -> Tensor:
    """``count`` different unordered pairs without an edge, uniformly over all of them, int64 [2, count].

    Pairs are drawn uniformly and refused when they are edges, loops or repeats, so memory stays
    linear in ``count`` and E.
    """
    free = num_nodes * (num_nodes - 1) // 2 - edge_index.size(1) // 2
    check_count(count, "count", high=free)
    taken = (edge_index[0] * num_nodes + edge_index[1]).unique()
    found = torch.empty(0, dtype=torch.long)
    while found.numel() < count:
        drawn = torch.randint(num_nodes, (2, 2 * count + 16), generator=generator)
        low, high = drawn.amin(0), drawn.amax(0)
        key = (low * num_nodes + high)[(low < high)]
        key = first_of_each(torch.cat([found, key[~torch.isin(key, taken)]]))
        found = key[:count]
    return torch.stack([found // num_nodes, found % num_nodes])


def first_of_each(values: Tensor) -> Tensor:
    """The distinct values in the order of their first appearance."""
    order = values.argsort(stable=True)
    ordered = values[order]
    is_first = torch.ones_like(ordered, dtype=torch.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return values[order[is_first].sort().values]
