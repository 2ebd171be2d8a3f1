"""What clients' vectors are good for, in one run: classes by two learners, and how alike the public rows are.

And how they come about, round by round.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from statistics import fmean

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph.methods.federated.alignment import precision_at, procrustes
from privgraph.methods.federated.federated_deepwalk import FederatedDeepWalk
from privgraph.methods.federated.metrics import GROUPS, LEARNERS, micro_f1, over_clients, without_fold
from privgraph.methods.federated.split import PUBLIC, parts
from privgraph.methods.federation import Client, Federation, exchange
from privgraph.randomness import draw_seed, seeded
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import graph
from .settings import FOLDS, held

CLIENTS = 4
NEAREST = (1, 5, 10)
GROUP_METRICS = {group: group.replace(" here", "").replace(" edges", "").replace(" ", "_") for group in GROUPS}
CLASSES = tuple(f"{learner}_{name}" for learner in LEARNERS
                for name in (*GROUP_METRICS.values(), *(f"client_{number}" for number in range(1, CLIENTS + 1))))
PRECISIONS = tuple(f"precision_{k}" for k in NEAREST)
METRICS = (*CLASSES, *PRECISIONS)
Vectors = Tensor | Sequence[Tensor]  # of a client: [n, d], or such a table for each fold


def each_round(method: Federation, data: Data, seed: int,
               clients: dict[int, Client] | None = None) -> Iterator[list[Tensor]]:
    """What each client has before the first round and after each, as ``Federation.run`` makes it, bit for bit.

    :param clients: those that begin, where they were made before.
    """
    generator = stream("learn", seed)
    server = method.server(seeded(draw_seed(generator)))
    clients = clients or begin(method, data, generator)
    yield [client.embeddings() for client in clients.values()]
    for _ in range(method.rounds):
        exchange(server, clients)
        yield [client.embeddings() for client in clients.values()]


def begin(method: Federation, data: Data, generator: torch.Generator) -> dict[int, Client]:
    """The clients, who train when they are made."""
    return {number: method.client(part, seeded(seed))
            for number, (part, seed) in enumerate(method.parts_and_seeds(data, generator))}


def deepwalk_rounds(method: FederatedDeepWalk, dataset: str, seed: int, cache: Cache,
                    **split) -> Iterator[list[Tensor]]:
    """What each client has before the first round and after each; what all arms begin with, which is most of the work,
    is done once, and kept.

    :param split: what is said of the holders, see ``held``.
    """
    silent = replace(method, answer="aligned", rounds=0, noise=None)  # nothing is sent yet
    clients = cache.once(trained_alone, method=silent, dataset=dataset, sha256=graph(dataset)[1], seed=seed,
                         split=tuple(split.items()))
    for client in clients.values():
        client.method = method
    return each_round(method, held(dataset, seed, **split), seed, clients)


def trained_alone(method: FederatedDeepWalk, dataset: str, sha256: str, seed: int,
                  split: tuple[tuple, ...]) -> dict[int, Client]:
    """The clients before the first round. What the server answers and how often does not matter yet."""
    generator = stream("learn", seed)
    draw_seed(generator)  # the server's
    return begin(method, held(dataset, seed, **dict(split)), generator)


def each_round_of_folds(method: Federation, data: Data, seed: int, fold: Tensor) -> Iterator[list[Vectors]]:
    """For a method that learns from labels: trained once for each fold, without that fold's labels anywhere."""
    tables = [each_round(method, without_fold(data, fold, number), seed) for number in range(FOLDS)]
    for of_round in zip(*tables, strict=True):
        yield [list(of_client) for of_client in zip(*of_round, strict=True)]


def measure(vectors: Sequence[Vectors], data: Data, fold: Tensor, seed: int) -> dict[str, float]:
    """The metrics of what the clients have at the end, in percent.

    Scores of groups are means over clients. The clients of one split share their public nodes: they are no four
    independent runs, and an interval is over seeds.
    """
    return classes(vectors, data, fold, seed) | precisions(vectors, data)


def classes(vectors: Sequence[Vectors], data: Data, fold: Tensor, seed: int,
            learners: Sequence[str] = tuple(LEARNERS)) -> dict[str, float]:
    """Micro F1 by group, the mean over clients, and of all nodes by client."""
    found = {}
    for learner in learners:
        coins = stream("classifiers", seed)
        scores = [micro_f1(z, part, fold, coins, learner) for z, part in zip(vectors, parts(data), strict=True)]
        found |= {f"{learner}_{GROUP_METRICS[name]}": value for name, value in over_clients(scores).items()}
        found |= {f"{learner}_client_{number}": score["all"] for number, score in enumerate(scores, start=1)}
    return found


def precisions(vectors: Sequence[Vectors], data: Data) -> dict[str, float]:
    """Alignment precision in percent, the mean over all ordered pairs of clients (section 4.3.4).

    Of vectors that come one table a fold, the first fold's.
    """
    shared = int((data.holder == PUBLIC).sum())
    rows = [(z if isinstance(z, Tensor) else z[0])[:shared] for z in vectors]
    turned = [(source @ procrustes(source, target), target) for source, target in permutations(rows, 2)]
    return {name: 100 * fmean(precision_at(*pair, k) for pair in turned)
            for name, k in zip(PRECISIONS, NEAREST, strict=True)}
