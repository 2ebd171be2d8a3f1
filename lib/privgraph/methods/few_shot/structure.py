"""The control that knows nothing of learning: nearest class mean on a dozen numbers that one can count.

Of graphs that are made by counting (TRIANGLES: its classes *are* the numbers of triangles) such numbers may say all
there is to say. What a network learns begins where this ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from ...checks import check_choice, check_function, check_generator, check_is
from ...checks.parameters import Choice, Count
from ...datasets.episodes import Task
from ...datasets.graph_sets import count_triangles
from ...graph import degrees
from ...graph_batch import GraphBatch
from ...late import pyg
from ...randomness import draw_seed, seeded
from ..release import check_form
from .episodic import apart, together
from .kind import FewShot
from .prototypical import prototypes
from .similarity import euclidean

if TYPE_CHECKING:
    from torch_geometric.data import Data

LARGEST = 500  # nodes of a graph whose eigenvalues are taken
BLOCK = 1 << 24  # entries of adjacency matrices that are held at a time
MOST = 6  # from this degree on they are counted together


def counts(graphs: GraphBatch) -> Tensor:
    """Nodes and edges [G, 2]."""
    return torch.stack([graphs.sizes, graphs.num_edges], 1).float()


def degree_shares(graphs: GraphBatch) -> Tensor:
    """The share of nodes with 0, 1, ..., ``MOST`` or more neighbours, and the largest degree [G, MOST + 2]."""
    degree = degrees(graphs.edge_index, len(graphs.x))
    bins = graphs.batch * (MOST + 1) + degree.long().clamp(max=MOST)
    shares = torch.bincount(bins, minlength=len(graphs) * (MOST + 1)).view(-1, MOST + 1) / graphs.sizes[:, None]
    return torch.cat([shares, torch.segment_reduce(degree.float(), "max", lengths=graphs.sizes)[:, None]], 1)


def triangle_counts(graphs: GraphBatch) -> Tensor:
    """Triangles [G, 1]."""
    return count_triangles(graphs)[:, None].float()


def spectrum(graphs: GraphBatch) -> Tensor:
    """The smallest eigenvalue of the adjacency matrix and the three largest [G, 4], of a graph with fewer nodes again
    the smallest."""
    together = max(1, BLOCK // int(graphs.sizes.max())**2)
    return torch.cat([extreme_eigenvalues(graphs.take(block)) for block in torch.arange(len(graphs)).split(together)])


def extreme_eigenvalues(graphs: GraphBatch) -> Tensor:
    values = torch.linalg.eigvalsh(padded(graphs, float(graphs.sizes.max()) + 1))  # what pads comes after all others
    last = graphs.sizes[:, None] - torch.tensor([[3, 2, 1]])
    return torch.cat([values[:, :1], values.gather(1, last.clamp(min=0))], 1)


def padded(graphs: GraphBatch, outside: float) -> Tensor:
    """Adjacency matrices of all graphs [G, n, n], n the largest, and ``outside`` on the diagonal of
    nodes that a graph has not."""
    room = int(graphs.sizes.max())
    if room > LARGEST:
        raise ValueError(f"graphs must have at most {LARGEST} nodes for their eigenvalues, got one of {room}")
    links = pyg.utils.to_dense_adj(graphs.edge_index, graphs.batch, max_num_nodes=room, batch_size=len(graphs))
    return links + torch.diag_embed(torch.where(torch.arange(room) < graphs.sizes[:, None], 0.0, outside))


def features(graphs: GraphBatch) -> Tensor:
    """Mean and standard deviation of each feature over the nodes [G, 2d]."""
    def mean(x: Tensor) -> Tensor:
        return x.new_zeros(len(graphs), x.size(1)).index_add(0, graphs.batch, x) / graphs.sizes[:, None]
    middle = mean(graphs.x)
    return torch.cat([middle, mean((graphs.x - middle[graphs.batch]).square()).sqrt()], 1)


STRUCTURE = (counts, degree_shares, triangle_counts, spectrum)
COLUMNS = {"counts": (counts,), "degrees": (degree_shares,), "triangles": (triangle_counts,), "spectrum": (spectrum,),
           "structure": STRUCTURE, "features": (features,), "all": (*STRUCTURE, features)}


def numbers_of(graphs: GraphBatch, columns: str = "all") -> Tensor:
    """What can be counted of each graph, float [G, c].

    :param columns: one of ``COLUMNS``.
    """
    check_is(graphs, "graphs", GraphBatch)
    return torch.cat([count(graphs) for count in COLUMNS[check_choice(columns, "columns", COLUMNS)]], 1)


@dataclass(frozen=True)
class StructuralMean(FewShot):
    """Nearest class mean of standardised numbers. Nothing is trained; **no guarantee**.

    Each number is divided by its spread over graphs of training classes; one that is the same on all of them is left
    out, as any spread would be an invention and new classes would be ruled by it.

    :param columns: which numbers: ``"counts"`` of nodes and edges, ``"degrees"``, ``"triangles"``, ``"spectrum"``,
        ``"structure"`` (these four), ``"features"`` (means and spreads of the nodes' features) or ``"all"``.
    :param episodes: tasks whose graphs say what the spreads are.

    >>> from privgraph.datasets import Sampler, load_graphs
    >>> data = load_graphs("triangles")
    >>> train, test = (Sampler(data, classes, 3, 5, 5) for classes in (data.train_classes, data.test_classes))
    >>> solver = StructuralMean("triangles").learn(train, seeded(0))
    >>> task = test(seeded(1))
    >>> bool((solver(task).argmax(1) == task.query_y).all())
    True
    """

    columns: Annotated[str, Choice(COLUMNS)] = "all"
    episodes: Annotated[int, Count(1)] = 20

    @classmethod
    def examples(cls) -> tuple["StructuralMean", ...]:
        return cls(episodes=2), cls("features", episodes=1)

    @property
    def learning_seconds(self) -> float:
        """Of what is counted beforehand."""
        return 0.01 * self.episodes

    def learn(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> "NearestMean":
        check_function(sample, "sample", "generator")
        draws = seeded(draw_seed(check_generator(generator)))
        found = numbers_of(together([sample(draws) for _ in range(self.episodes)]), self.columns)
        spread = found.std(0, unbiased=False)
        return NearestMean(self.columns, torch.where(spread > 1e-6 * found.abs().amax(0), 1 / spread, 0.0))

    def kept(self, solver: "NearestMean") -> dict[str, Tensor]:  # type: ignore[override]
        return {"weights": solver.weights}

    def solver(self, kept: dict[str, Tensor], path) -> "NearestMean":
        if set(kept) != {"weights"}:
            raise ValueError(f"{path} must hold weights, got {', '.join(map(str, kept)) or 'nothing'}")
        check_form(kept["weights"], f"weights in {path}", (...,), torch.float)
        if not kept["weights"].isfinite().all():
            raise ValueError(f"weights in {path} must be finite")
        return NearestMean(self.columns, kept["weights"])


@dataclass(frozen=True, eq=False)
class NearestMean:
    """``solver(task)``: class probabilities [Q, ways]; ``weights`` float [c] is one over the spread of each number."""

    columns: str
    weights: Tensor

    def __call__(self, task: Task) -> Tensor:
        return self.all([task])[0]

    def embed(self, graphs: Sequence[Data]) -> Tensor:
        """The numbers of graphs, each in units of its spread [G, c]."""
        return numbers_of(GraphBatch.from_data_list(graphs), self.columns) * self.weights

    def all(self, tasks: Sequence[Task]) -> list[Tensor]:
        """The answers to many tasks."""
        return [(-euclidean(query, prototypes(support, task.support_y, task.ways))).softmax(1)
                for task, support, query in apart(tasks, self.embed(together(tasks)))]
