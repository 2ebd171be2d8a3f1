"""Chapter 11: what a federation on lists of links with noise is worth, beside one that never saw a private link.

Two rounds, with the holders, folds and coins of the page on the server, which runs the federations without noise.
"""

import math
from collections.abc import Callable, Iterator

from torch_geometric.data import Data

from privgraph.mechanisms import SymmetricResponse
from privgraph.methods.federated.federated_deepwalk import FederatedDeepWalk
from privgraph.methods.federated.metrics import fold_of, micro_f1, over_clients
from privgraph.methods.federated.split import hold, parts
from privgraph.randomness import seeded

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from .metrics import GROUP_METRICS
from .settings import FOLDS

EPSILONS = (8.0, 4.0, 0.0)  # 0: public links alone
GRAPHS = ("cora-twin", "cora")  # a page runs on the one that is at hand


def priced_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Micro F1 by groups of nodes, in percent, the mean over clients."""
    data, epsilon = hold(graph(setting["dataset"])[0], seeded(10 * seed)), setting["epsilon"]
    four, fold = parts(data), fold_of(data.num_nodes, FOLDS, seeded(10 * seed + 4))
    method = FederatedDeepWalk(rounds=2, **{"edges": SymmetricResponse(epsilon)} if epsilon else {})
    clients = method.run(data if epsilon else without_private_links(data), seeded(10 * seed + 1))[0]
    found = over_clients([micro_f1(client.embeddings(), part, fold, seeded(10 * seed + 5))
                          for client, part in zip(clients.values(), four, strict=True)])
    return {name: found.get(group, math.nan) for group, name in GROUP_METRICS.items()}


def without_private_links(data: Data) -> Data:
    data = data.clone()
    data.edge_index = data.edge_index[:, (data.holder[data.edge_index] == -1).all(0)]
    return data


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for dataset in GRAPHS:
        yield 1, [setting(dataset=dataset, epsilon=epsilon) for epsilon in EPSILONS]


EXPERIMENT = Experiment("ppfl-priced", 1, {"epsilon": float}, tuple(GROUP_METRICS.values()), grid, priced_run,
                        title="Federated DeepWalk on links with noise, and on public links alone (chapter 11)")
