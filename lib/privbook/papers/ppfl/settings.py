"""Who holds what, and which federations are run under which name."""

from dataclasses import replace

from torch import Tensor
from torch_geometric.data import Data

from privgraph.methods.federated.averaging import ANSWERS
from privgraph.methods.federated.fedavg import FedAvgGAT
from privgraph.methods.federated.federated_deepwalk import FederatedDeepWalk
from privgraph.methods.federated.gat import FederatedGAT, GATFederation
from privgraph.methods.federated.metrics import fold_of
from privgraph.methods.federated.split import hold
from privgraph.streams import stream

from ...runs.grid import graph

SMALL = ("cora", "citeseer")
SEEDS = {"deepwalk": 5, "gat": 10}
FOLDS = 5
PRIVATE = 0.15  # of the nodes, for each of the four clients
BETA = {"cora": 1.0, "citeseer": 0.75}  # section 4.3.3
WRONG = 0.15  # of a client's training labels


def held(dataset: str, seed: int, percent: float = 40.0, by: str = "random") -> Data:
    """The graph with its holders: by default 40% public nodes at random (section 4.3.1)."""
    return hold(graph(dataset)[0], stream("split", seed), public=percent / 100, private=PRIVATE, by=by)


def folds(dataset: str, seed: int) -> Tensor:
    """The fold of every node of the whole graph, whoever holds it."""
    return fold_of(graph(dataset)[0].num_nodes, FOLDS, stream("folds", seed))


def deepwalk(arm: str, tables: str = "two", start: str = "own", seed: int = 0) -> FederatedDeepWalk:
    """``"local"`` trains once; ``"longer"`` once, on as many walks as all rounds together; else an answer's name.

    :param start: ``"shared"``: public rows begin alike everywhere.
    """
    usual = FederatedDeepWalk(tables=tables, start_seed=seed if start == "shared" else None)
    if arm in ANSWERS:
        return replace(usual, answer=arm)
    more = {"local": 0, "longer": usual.rounds * usual.epochs}[arm]
    return replace(usual, rounds=0, first_epochs=usual.first_epochs + more)


def gat(arm: str, dataset: str, wrong: float = 0.0, seed: int = 0) -> GATFederation:
    """``"local"`` trains alone, as long as the others; ``"fedavg"`` averages all weights; else an answer's name."""
    if arm == "fedavg":
        return FedAvgGAT(wrong_labels=wrong, start=seed)
    usual = FederatedGAT(beta=BETA[dataset], wrong_labels=wrong)
    return replace(usual, answer=arm) if arm in ANSWERS else replace(usual, beta={"local": 0.0}[arm])
