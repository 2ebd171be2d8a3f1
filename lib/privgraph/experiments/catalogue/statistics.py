"""What the papers print about their graphs."""

from torch import Tensor

from ...datasets import PRINTED
from ..cache import Cache
from ..grid import Experiment, graph
from .settings import GROUPS, categorical

GRAPHS = tuple(PRINTED.values())  # those that stand in a paper's tables
METRICS = ("nodes", "edges", "features", "classes", "average_degree", "sparsity", "grouped_features",
           "grouped_sparsity")


def statistics_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The numbers that papers print about a graph; nothing here is random."""
    data, _ = graph(cell["dataset"])
    grouped = categorical(cell["dataset"]) if cell["dataset"] in GROUPS else data
    return {"nodes": data.num_nodes, "edges": data.num_edges // 2, "features": data.num_features,
            "classes": data.num_classes, "average_degree": data.num_edges / data.num_nodes,
            "sparsity": zeros(data.x), "grouped_features": grouped.num_features, "grouped_sparsity": zeros(grouped.x)}


def zeros(x: Tensor) -> float:
    """Share of zeros, in percent."""
    return 100 - 100 * int(x.count_nonzero()) / x.numel()


EXPERIMENT = Experiment(
    "graph-statistics", 2, {}, METRICS,
    lambda cell: [(1, [cell(dataset=name) for name in GRAPHS])], statistics_run, title=__doc__.rstrip(".\n"))
