"""Chapter 11: what the server of federated DeepWalk learns from a client's uploads.

``first`` is one upload, which is local training alone, before anybody answers; ``all`` are those of all rounds.

Leaks are asked about beside rows that know nothing: ``random`` rows are drawn from a normal distribution; ``public``
ones are trained as the first upload is, on the links between public nodes alone, which anybody can do who sees those.
Means over the four clients; intervals are over seeds.

Canaries are made-up private edges of one client, each put in by a fair coin, and guessed from what it uploads. The
server knows all but the coins. ``exposed`` says how many of the client's private nodes with edges have a public
neighbour at all: canaries are planted between such nodes only, and the share falls with the number of public nodes.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph.attacks import (
    alike_here,
    ask_links,
    ask_shared,
    canary_auc,
    edgeless,
    evaluate_attack,
    neighbours_class,
    private_attributes,
    private_canaries,
    upload_audit,
    upload_canary_runs,
    upload_similarity,
)
from privgraph.attacks.upload_questions import public_links, to_private, without_edges
from privgraph.graph import degrees
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods.federated.alignment import align_to_each
from privgraph.methods.federated.federated_deepwalk import FederatedDeepWalk
from privgraph.methods.federated.row_messages import unpack_rows
from privgraph.methods.federated.split import parts
from privgraph.methods.federation import exchange
from privgraph.randomness import draw_seed, seeded
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .metrics import deepwalk_rounds
from .settings import SEEDS, SMALL, deepwalk, held

SEEN = ("first", "all", "random", "public")
PAIRS = 500  # pairs of each kind
QUESTIONS = ("links", "shared_anywhere", "shared_elsewhere", "here_elsewhere", "no_edge")
LEAKS = (*(f"{question}_{measure}" for question in QUESTIONS for measure in ("auc", "tpr")),
           "class_right", "class_other_right")


def leaks_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC and TPR at 1% false alarms of five questions; right answers about classes; all in percent."""
    data = held(setting["dataset"], seed)
    uploads = uploaded(setting, data, seed, cache)
    found = [told(parts(data), client, uploads, seed) for client in range(len(uploads))]
    return {name: fmean(each[name] for each in found) for name in LEAKS}


def uploaded(setting: dict, data: Data, seed: int, cache: Cache) -> Tensor:
    """Rows of the public nodes, float [clients, rounds, P, d]."""
    if setting["seen"] == "public":
        return everybodys(parts(data), seed)
    method, public = deepwalk("aligned" if setting["seen"] == "all" else "local"), parts(data)[0].num_public
    rounds = list(deepwalk_rounds(method, setting["dataset"], seed, cache))[:max(1, method.rounds)]
    sent = torch.stack([torch.stack([z[:public] for z in clients]) for clients in rounds], 1)
    return torch.randn(sent.shape, generator=stream("attacker", seed)) if setting["seen"] == "random" else sent


def everybodys(held_parts: tuple[Data, ...], seed: int) -> Tensor:
    """The same rows as all clients' first upload: what public nodes and their links give."""
    public = held_parts[0].num_public
    seen = Data(edge_index=public_links(held_parts[0]), num_nodes=public, num_public=public)
    rows = deepwalk("local").client(seen, stream("learn", seed)).embeddings()
    return rows.expand(len(held_parts), 1, *rows.shape)


def told(held_parts: tuple[Data, ...], client: int, uploads: Tensor, seed: int) -> dict[str, float]:
    """What the uploads of one client tell a server, which has all clients' and its own answers."""
    part, seen, generator = held_parts[client], uploads[client], stream("pairs", seed)
    others = uploads[[number for number in range(len(uploads)) if number != client]]
    links = ask_links(part, PAIRS, generator)
    anywhere, elsewhere = (ask_shared(held_parts, client, PAIRS, generator, beside)
                           for beside in ("anywhere", "elsewhere"))
    scores = ((upload_similarity(seen, links.pairs), links.linked),
              (upload_similarity(seen, anywhere.pairs), anywhere.linked),
              (upload_similarity(seen, elsewhere.pairs), elsewhere.linked),
              (alike_here(seen, others, elsewhere.pairs), elsewhere.linked),
              (edgeless(seen, answered(uploads, client)), without_edges(part)))
    found = {}
    for question, score in zip(QUESTIONS, scores, strict=True):
        result = evaluate_attack(*score)
        found |= {f"{question}_auc": 100 * result.auc, f"{question}_tpr": 100 * result.tpr_at_1_fpr}
    return found | named(part, seen)


def answered(uploads: Tensor, client: int) -> Tensor | None:
    """What the server said between a client's uploads, float [rounds - 1, P, d]."""
    told = [align_to_each(of_round)[client] for of_round in uploads.transpose(0, 1)[:-1]]
    return torch.stack(told) if told else None


def named(part: Data, seen: Tensor) -> dict[str, float]:
    """The class of most private neighbours: of all public nodes, and of those who are of another class themselves."""
    asked, y = private_attributes(part), part.y[:part.num_public]
    scores = torch.stack([neighbours_class(seen, y, asked.nodes, torch.full_like(asked.classes, c))
                          for c in range(int(part.y.max()) + 1)])
    right, other = asked.right(scores.argmax(0))
    return {"class_right": 100 * right, "class_other_right": 100 * other}


def leaks_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for seeds in (3, SEEDS["deepwalk"]):
        for dataset in SMALL:
            yield seeds, [setting(dataset=dataset, seen=seen) for seen in SEEN]


LEAKS_EXPERIMENT = Experiment("ppfl-leaks", 1, {"seen": str}, LEAKS, leaks_grid, leaks_run,
                              title="What uploads of public rows tell of private links (chapter 11)")

RUNS = 40  # of the method: half of them teach the attacker, and her AUC is a mean over the others
CANARIES = 20  # canaries in a run


def canaries_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The AUC with its 95% interval over 20 runs and the right guesses in percent, and what epsilon is at least (99%).

    They are of the first client.
    """
    own, *others = parts(held(setting["dataset"], seed, setting["percent"], by=setting["by"]))
    generator = stream("canaries", seed)
    canaries = private_canaries(own, CANARIES, generator, setting["kind"])
    ran = upload_canary_runs(seen(setting, others), own, canaries, RUNS, generator)
    found, audit = canary_auc(ran.scores, ran.present), upload_audit(ran.scores, ran.present)
    return {"auc": 100 * found.mean, "low": 100 * found.low, "high": 100 * found.high,
            "right": 100 * audit.correct / audit.guesses, "epsilon": audit.epsilon, "exposed": exposed(own)}


def seen(setting: dict, others: Sequence[Data]) -> Callable[[Data, torch.Generator], Tensor]:
    """A training with the first client's part as it is handed in, and that client's uploads, float [r, P, d]."""
    edges = None if setting["epsilon"] == math.inf else SymmetricResponse.for_edge(setting["epsilon"])
    method = replace(deepwalk("aligned"), edges=edges)

    def see(part: Data, generator: torch.Generator) -> Tensor:
        if setting["seen"] == "first":
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


def canaries_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """One upload first, then more or fewer public nodes, then mechanisms, then all rounds, which cost ten times."""
    for dataset in SMALL:
        yield 3, [setting(dataset=dataset)]
    yield 3, [setting(dataset="cora", by="degree", percent=percent) for percent in (5.0, 40.0, 20.0)]
    yield 3, [setting(dataset="cora", epsilon=epsilon) for epsilon in (8.0, 4.0, 1.0)]
    yield 3, [setting(dataset="cora", kind="private-public")]
    yield 3, [setting(dataset=dataset, seen="all") for dataset in SMALL]


CANARIES_EXPERIMENT = Experiment(
    "ppfl-canaries", 1,
    {"seen": "first", "kind": "private-private", "percent": 40.0, "by": "random", "epsilon": math.inf},
    ("auc", "low", "high", "right", "epsilon", "exposed"), canaries_grid, canaries_run,
    title="Made-up private edges, guessed from uploads (chapter 11)")
