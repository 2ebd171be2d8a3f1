"""Chapter 11: made-up private edges of one client, each put in by a fair coin, and guessed from what it uploads.

``first`` is one upload, before anybody answers; ``all`` are those of all rounds. The server knows all but the coins.
``exposed`` says how many of the client's private nodes with edges have a public neighbour at all: canaries are planted
between such nodes only, and the share falls with the number of public nodes.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph.attacks import canary_auc, private_canaries, upload_audit, upload_canary_runs
from privgraph.attacks.upload_questions import to_private
from privgraph.graph import degrees
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods.federated.deepwalk import FederatedDeepWalk
from privgraph.methods.federated.messages import unpack_rows
from privgraph.methods.federated.split import parts
from privgraph.methods.kinds import exchange
from privgraph.randomness import draw_seed, seeded
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import SMALL, deepwalk, held

RUNS = 40  # of the method: half of them teach the attacker, and her AUC is a mean over the others
COUNT = 20  # canaries in a run
METRICS = ("auc", "low", "high", "right", "epsilon", "exposed")


def canaries_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The AUC with its 95% interval over 20 runs and the right guesses in percent, and what epsilon is at least (99%).

    They are of the first client.
    """
    own, *others = parts(held(cell["dataset"], seed, cell["percent"], by=cell["by"]))
    generator = stream("canaries", seed)
    canaries = private_canaries(own, COUNT, generator, cell["kind"])
    ran = upload_canary_runs(seen(cell, others), own, canaries, RUNS, generator)
    found, audit = canary_auc(ran.scores, ran.present), upload_audit(ran.scores, ran.present)
    return {"auc": 100 * found.mean, "low": 100 * found.low, "high": 100 * found.high,
            "right": 100 * audit.correct / audit.guesses, "epsilon": audit.epsilon, "exposed": exposed(own)}


def seen(cell: dict, others: Sequence[Data]) -> Callable[[Data, torch.Generator], Tensor]:
    """A training with the first client's part as it is handed in, and that client's uploads, float [r, P, d]."""
    edges = None if cell["epsilon"] == math.inf else SymmetricResponse.for_edge(cell["epsilon"])
    method = replace(deepwalk("aligned"), edges=edges)

    def see(part: Data, generator: torch.Generator) -> Tensor:
        if cell["seen"] == "first":
            return unpack_rows(method.client(part, generator).send())[None]
        return uploads_of(method, (part, *others), generator)
    return see


def uploads_of(method: FederatedDeepWalk, held_parts: Sequence[Data], generator: torch.Generator) -> Tensor:
    """The first client's uploads of all rounds."""
    server = method.server(seeded(draw_seed(generator)))
    clients = {number: method.client(part, seeded(draw_seed(generator))) for number, part in enumerate(held_parts)}
    return torch.stack([unpack_rows(exchange(server, clients).messages[0]) for _ in range(method.rounds)])


def exposed(part: Data) -> float:
    """The share of a client's private nodes with edges that have a public neighbour, in percent."""
    linked = degrees(part.edge_index, part.num_nodes)[part.num_public:] > 0
    return 100 * int((to_private(part).sum(axis=0) > 0).sum()) / int(linked.sum())


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """One upload first, then more or fewer public nodes, then mechanisms, then all rounds, which cost ten times."""
    for dataset in SMALL:
        yield 3, [cell(dataset=dataset)]
    yield 3, [cell(dataset="cora", by="degree", percent=percent) for percent in (5.0, 40.0, 20.0)]
    yield 3, [cell(dataset="cora", epsilon=epsilon) for epsilon in (8.0, 4.0, 1.0)]
    yield 3, [cell(dataset="cora", kind="private-public")]
    yield 3, [cell(dataset=dataset, seen="all") for dataset in SMALL]


EXPERIMENT = Experiment("ppfl-canaries", 1, {"seen": "first", "kind": "private-private", "percent": 40.0,
                                             "by": "random", "epsilon": math.inf}, METRICS, grid, canaries_run,
                        title="Made-up private edges, guessed from uploads (chapter 11)")
