"""Chapter 11: federated DeepWalk and federated GAT, and what of their gain is the others'.

The dissertation's Tables 4.1 and 4.2 (``local`` and ``aligned``), by groups of nodes, beside answers that hold nothing
of the others. ``full`` is the method on the whole graph, as one would run it who held it all: each client's rows of it
here, and all rows in the experiment ``whole``. Of DeepWalk, ``longer`` trains longer alone. GAT's ``local`` trains as
long as the others (beta is 0), and ``fedavg`` averages all weights; it is run with and without wrong labels.

``public`` has fewer or more public nodes (Table 4.3). ``rounds`` is how well vectors of two clients can be aligned,
round by round, and what they are good for: Figures 4.3 to 4.6, which print no numbers. Beside them averaging without
alignment: precision is what the loop itself makes, as everybody gets much the same rows, whether they are good for
anything or not.
"""

import copy
from collections.abc import Callable, Iterator

from torch import Tensor
from torch_geometric.data import Data

from privgraph.methods.federated.metrics import LEARNERS, micro_f1, restricted, without_fold
from privgraph.methods.federated.split import parts
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from .metrics import METRICS, PRECISIONS, classes, deepwalk_rounds, each_round_of_folds, measure, precisions
from .settings import FOLDS, SEEDS, SMALL, WRONG, deepwalk, folds, gat, held

ARMS = ("local", "aligned", "own", "mean", "noise", "permuted", "full", "rotated", "halved", "longer")
SHARED = ("local", "aligned", "mean")  # where public rows begin alike
ONE = ("local", "aligned", "mean", "halved", "noise", "own")  # one table with an N(0, 1) start


def deepwalk_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The clients' vectors at the end. All arms with one seed share holders, folds and the clients' own coins."""
    data = held(setting["dataset"], seed)
    if setting["arm"] == "full":
        found = [restricted(whole_deepwalk(data, seed), part) for part in parts(data)]
    else:
        method = deepwalk(setting["arm"], setting["tables"], setting["start"], seed)
        *_, found = deepwalk_rounds(method, setting["dataset"], seed, cache)
    return measure(found, data, folds(setting["dataset"], seed), seed)


def deepwalk_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds of the question on Cora, then of all else, then five."""
    def main(dataset: str) -> list[dict]:
        return [setting(dataset=dataset, arm=arm) for arm in ARMS]

    def readings(dataset: str) -> list[dict]:
        return [*(setting(dataset=dataset, arm=arm, tables="one") for arm in ONE),
                *(setting(dataset=dataset, arm=arm, start="shared") for arm in SHARED)]
    for settings in (main, readings):
        for dataset in SMALL:
            yield 3, settings(dataset)
    for dataset in SMALL:
        yield SEEDS["deepwalk"], [*main(dataset), *readings(dataset)]


DEEPWALK_EXPERIMENT = Experiment(
    "ppfl-deepwalk", 1, {"arm": str, "tables": "two", "start": "own"}, METRICS, deepwalk_grid, deepwalk_run,
    title="Federated DeepWalk by groups of nodes, and its controls (chapter 11)")

GAT_ARMS = ("local", "aligned", "noise", "full", "own", "mean", "permuted", "fedavg")


def gat_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The clients' vectors at the end. All arms with one seed share holders, folds and the clients' own coins."""
    data, fold = held(setting["dataset"], seed), folds(setting["dataset"], seed)
    if setting["arm"] == "full":
        tables = whole_gat(data, fold, seed, setting["wrong"])
        found = [[restricted(z, part) for z in tables] for part in parts(data)]
    else:
        method = gat(setting["arm"], setting["dataset"], setting["wrong"], seed)
        *_, found = each_round_of_folds(method, data, seed, fold)
    return measure(found, data, fold, seed)


def gat_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds with and without wrong labels, then ten."""
    def arms(dataset: str, wrong: float) -> list[dict]:
        return [setting(dataset=dataset, arm=arm, wrong=wrong) for arm in GAT_ARMS]
    tables = (("cora", 0.0), ("cora", WRONG), ("citeseer", 0.0))
    for seeds in (3, SEEDS["gat"]):
        for place in tables:
            yield seeds, arms(*place)


GAT_EXPERIMENT = Experiment("ppfl-gat", 1, {"arm": str, "wrong": 0.0}, METRICS, gat_grid, gat_run,
                            title="Federated GAT, its controls, and wrong labels (chapter 11)")

PERCENTS = (5.0, 10.0, 20.0, 30.0, 40.0)
PUBLIC_ARMS = ("local", "aligned", "noise")


def public_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """As the tables, with the nodes of largest degree public; nobody holds who is left over."""
    split = dict(percent=setting["percent"], by="degree")
    data, fold = held(setting["dataset"], seed, **split), folds(setting["dataset"], seed)
    if setting["method"] == "gat":
        *_, vectors = each_round_of_folds(gat(setting["arm"], setting["dataset"]), data, seed, fold)
    else:
        *_, vectors = deepwalk_rounds(deepwalk(setting["arm"]), setting["dataset"], seed, cache, **split)
    return measure(vectors, data, fold, seed)


def public_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The table names no graph; both are wanted."""
    for seeds in (lambda method: 3, SEEDS.get):
        for method in SEEDS:
            for dataset in SMALL:
                yield seeds(method), [setting(dataset=dataset, method=method, percent=percent, arm=arm)
                                      for percent in PERCENTS for arm in PUBLIC_ARMS]


PUBLIC_EXPERIMENT = Experiment(
    "ppfl-public", 1, {"method": str, "percent": float, "arm": str}, METRICS, public_grid, public_run,
    title="More or fewer public nodes (chapter 11)")

ROUNDS = 10
SHOWN = ("svc_all", *PRECISIONS)
ROUNDS_ARMS = ("aligned", "mean")
FIGURES = (("deepwalk", "cora", 0.0), ("deepwalk", "citeseer", 0.0), ("gat", "cora", WRONG), ("gat", "citeseer", 0.0))


def rounds_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Micro F1 by the support vector machine, and alignment precision, in percent, before the first round and after
    each."""
    data, fold = held(setting["dataset"], seed), folds(setting["dataset"], seed)
    if setting["method"] == "gat":
        rounds = each_round_of_folds(gat(setting["arm"], setting["dataset"], setting["wrong"]), data, seed, fold)
    else:
        rounds = deepwalk_rounds(deepwalk(setting["arm"]), setting["dataset"], seed, cache)
    found = {}
    for number, vectors in enumerate(rounds):
        told = classes(vectors, data, fold, seed, ("svc",)) | precisions(vectors, data)
        found |= {f"{name}_round_{number}": told[name] for name in SHOWN}
    return found


def rounds_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds of each figure, then all."""
    for seeds in (lambda method: 3, SEEDS.get):
        for method, dataset, wrong in FIGURES:
            yield seeds(method), [setting(dataset=dataset, method=method, wrong=wrong, arm=arm) for arm in ROUNDS_ARMS]


ROUNDS_EXPERIMENT = Experiment(
    "ppfl-rounds", 1, {"method": str, "arm": str, "wrong": 0.0},
    tuple(f"{name}_round_{number}" for number in range(ROUNDS + 1) for name in SHOWN), rounds_grid, rounds_run,
    title="Alignment precision and micro F1 round by round (chapter 11)")


def whole_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Micro F1 over all nodes, in percent."""
    data, fold = graph(setting["dataset"])[0], folds(setting["dataset"], seed)
    z = whole_gat(data, fold, seed) if setting["method"] == "gat" else whole_deepwalk(data, seed)
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


def whole_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for seeds in (lambda method: 3, SEEDS.get):
        for method in SEEDS:
            yield seeds(method), [setting(dataset=dataset, method=method) for dataset in SMALL]


WHOLE_EXPERIMENT = Experiment("ppfl-whole", 1, {"method": str}, tuple(LEARNERS), whole_grid, whole_run,
                              title="DeepWalk and GAT on the whole graph (chapter 11)")
