"""What all arms of federated DeepWalk begin with, which is most of the work: done once, and kept."""

from collections.abc import Iterator
from dataclasses import replace

from torch import Tensor

from privgraph.methods.federated.deepwalk import FederatedDeepWalk
from privgraph.methods.kinds import Client
from privgraph.randomness import draw_seed
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import graph
from .measures import begin, each_round
from .settings import held


def deepwalk_rounds(method: FederatedDeepWalk, dataset: str, seed: int, cache: Cache,
                    **split) -> Iterator[list[Tensor]]:
    """What each client has before the first round and after each.

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
