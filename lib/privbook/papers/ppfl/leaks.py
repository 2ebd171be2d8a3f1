"""Chapter 11: what the server of federated DeepWalk learns from a client's uploads, beside rows that know nothing.

``first`` is one upload, which is local training alone; ``all`` are those of all rounds. ``random`` rows
are drawn from a normal distribution; ``public`` ones are trained as the first upload is, on the links between public
nodes alone, which anybody can do who sees those. Means over the four clients; intervals are over seeds.
"""

from collections.abc import Callable, Iterator
from statistics import fmean

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph.attacks import (
    alike_here,
    ask_links,
    ask_shared,
    edgeless,
    evaluate_attack,
    neighbours_class,
    private_attributes,
    upload_similarity,
)
from privgraph.attacks.upload_questions import public_links, without_edges
from privgraph.methods.federated.alignment import align_to_each
from privgraph.methods.federated.split import parts
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .alone import deepwalk_rounds
from .settings import SEEDS, SMALL, deepwalk, held

SEEN = ("first", "all", "random", "public")
COUNT = 500  # pairs of each kind
QUESTIONS = ("links", "shared_anywhere", "shared_elsewhere", "here_elsewhere", "no_edge")
METRICS = (*(f"{question}_{measure}" for question in QUESTIONS for measure in ("auc", "tpr")),
           "class_right", "class_other_right")


def leaks_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC and TPR at 1% false alarms of five questions; right answers about classes; all in percent."""
    data = held(cell["dataset"], seed)
    uploads = uploaded(cell, data, seed, cache)
    found = [told(parts(data), client, uploads, seed) for client in range(len(uploads))]
    return {name: fmean(each[name] for each in found) for name in METRICS}


def uploaded(cell: dict, data: Data, seed: int, cache: Cache) -> Tensor:
    """Rows of the public nodes, float [clients, rounds, P, d]."""
    if cell["seen"] == "public":
        return everybodys(parts(data), seed)
    method, public = deepwalk("aligned" if cell["seen"] == "all" else "local"), parts(data)[0].num_public
    rounds = list(deepwalk_rounds(method, cell["dataset"], seed, cache))[:max(1, method.rounds)]
    sent = torch.stack([torch.stack([z[:public] for z in clients]) for clients in rounds], 1)
    return torch.randn(sent.shape, generator=stream("attacker", seed)) if cell["seen"] == "random" else sent


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
    links = ask_links(part, COUNT, generator)
    anywhere, elsewhere = (ask_shared(held_parts, client, COUNT, generator, beside)
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


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for seeds in (3, SEEDS["deepwalk"]):
        for dataset in SMALL:
            yield seeds, [cell(dataset=dataset, seen=seen) for seen in SEEN]


EXPERIMENT = Experiment("ppfl-leaks", 1, {"seen": str}, METRICS, grid, leaks_run,
                        title="What uploads of public rows tell of private links (chapter 11)")
