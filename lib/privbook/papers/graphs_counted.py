"""What the papers print about their graphs, and Table 5.2 of the dissertation about its sets of graphs."""

from torch import Tensor

from privgraph.datasets import PRINTED, SETS, set_statistics

from ..runs.cache import Cache
from ..runs.grid import Experiment, graph
from .shared import GROUPS, categorical

GRAPHS = tuple(PRINTED.values())  # those that stand in a paper's tables


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


def sets_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The numbers of a set; nothing here is random."""
    found, _ = graph(cell["dataset"])
    return set_statistics(found)


EXPERIMENT = Experiment(
    "graph-statistics", 2, {}, ("nodes", "edges", "features", "classes", "average_degree", "sparsity",
                                "grouped_features", "grouped_sparsity"),
    lambda cell: [(1, [cell(dataset=name) for name in GRAPHS])], statistics_run,
    title="What the papers print about their graphs")
SETS_EXPERIMENT = Experiment(
    "set-statistics", 1, {}, ("graphs", "average_nodes", "average_edges", "features", "train_classes", "test_classes"),
    lambda cell: [(1, [cell(dataset=name) for name in SETS])], sets_run,
    title="What Table 5.2 of the dissertation prints about its sets of graphs")
