"""Chapter 11: both methods on the whole graph, as one would run them who held it all.

The rows "Full" of the dissertation's Tables 4.1 and 4.2.
"""

import copy
from collections.abc import Callable, Iterator

from torch import Tensor
from torch_geometric.data import Data

from privgraph.methods.federated.measures import LEARNERS, micro_f1, without_fold
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from .settings import FOLDS, SEEDS, SMALL, deepwalk, folds, gat


def whole_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Micro F1 over all nodes, in percent."""
    data, fold = graph(cell["dataset"])[0], folds(cell["dataset"], seed)
    z = whole_gat(data, fold, seed) if cell["method"] == "gat" else whole_deepwalk(data, seed)
    return {name: micro_f1(z, data, fold, stream("classifiers", seed), name)["all"] for name in LEARNERS}


def whole_deepwalk(data: Data, seed: int) -> Tensor:
    """Trained as a client trains before the first round."""
    return deepwalk("local").client(as_part(data), stream("learn", seed)).embeddings()


def whole_gat(data: Data, fold: Tensor, seed: int, wrong: float = 0.0) -> list[Tensor]:
    """Trained as long as a client in all rounds; one table a fold, without that fold's labels."""
    alone, tables = gat("local", data.name, wrong), []
    for number in range(FOLDS):
        client = alone.client(as_part(without_fold(data, fold, number)), stream("learn", seed))
        for _ in range(alone.rounds):
            client.train()
        tables.append(client.embeddings())
    return tables


def as_part(data: Data) -> Data:
    """One who holds everything."""
    data = copy.copy(data)
    data.num_public = data.num_nodes
    return data


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for seeds in (lambda method: 3, SEEDS.get):
        for method in SEEDS:
            yield seeds(method), [cell(dataset=dataset, method=method) for dataset in SMALL]


EXPERIMENT = Experiment("ppfl-whole", 1, {"method": str}, tuple(LEARNERS), grid, whole_run,
                        title="DeepWalk and GAT on the whole graph (chapter 11)")
