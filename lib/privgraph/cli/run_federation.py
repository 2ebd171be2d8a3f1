"""Federations from the command line: what leaves the clients, and what their vectors are good for, group by group."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from tqdm.auto import tqdm

from ..methods import Federation, Round, Training
from ..methods.federated import hold
from ..methods.federated.metrics import fold_of, micro_f1, over_clients, without_fold
from ..methods.federated.split import CHOICES
from ..nn import interval
from ..streams import stream
from .said import Report

if TYPE_CHECKING:
    from torch_geometric.data import Data

FOLDS = 5  # over all nodes of the graph: a public node is in the same fold at every client
# What a server may answer in place of what others know, as controls.
CONTROLS = {"own": "every client gets its own rows back: as long a training, without the others",
            "noise": "every client gets random directions of the length of its own rows"}


def add_split_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Who holds what: the arguments of ``hold``."""
    group = parser.add_argument_group("who holds what")
    group.add_argument("--clients", type=int, default=4, help="how many (default: %(default)s)")
    group.add_argument("--public", type=float, default=0.4,
                       help="share of the nodes that all clients hold (default: %(default)s)")
    group.add_argument("--private", type=float, default=0.15,
                       help="share of the nodes that each client holds alone (default: %(default)s)")
    group.add_argument("--by", choices=CHOICES, default=CHOICES[0],
                       help="how nodes are dealt out: at random, those with most links to all, or to each client "
                            "nodes of few classes (default: %(default)s)")
    return group


def run_federation(method: Federation, data: Data, options, report: Report) -> None:
    """One split a seed; a support vector machine reads each client's vectors with that client's own labels."""
    report.say("clients keep their graphs; what holds for all that they send:")
    report.guarantees(method.guarantees())
    if not method.guarantees():
        report.say("  nothing: no guarantee is given; that data stay at home is none", guarantees=[])
    ran = {answer: [] for answer in arms(method)}
    for seed in tqdm(range(options.repeats), desc="seeds", leave=False):
        held = hold(data, stream("split", seed), options.clients, options.public, options.private, options.by)
        for answer, arm in arms(method).items():
            found, rounds = scores(arm, held, seed)
            ran[answer].append(found)
            if seed == 0 and not answer:
                sent(rounds, report)
    for answer, found in ran.items():
        for name in found[0]:
            report.result(", ".join(filter(None, (name, answer))),
                          interval([each[name] for each in found if name in each]), CONTROLS.get(answer, ""))


def arms(method: Federation) -> dict[str, Federation]:
    """The method under no name, and its controls where its server has any."""
    controls = [answer for answer in CONTROLS if getattr(method, "answer", answer) != answer]
    return {"": method} | {answer: replace(method, answer=answer) for answer in controls}


def scores(method: Federation, held: Data, seed: int,
           generator: torch.Generator | None = None) -> tuple[dict[str, float], Sequence[Round]]:
    """Micro F1 in percent by group of nodes, the mean over clients; and the rounds.

    What learns from labels runs once for each fold, without that fold's labels anywhere.

    :param generator: of all that is sent; by default the stream of the seed, which is public.
    """
    fold = fold_of(held.num_nodes, FOLDS, stream("classifiers", seed))
    graphs = [without_fold(held, fold, number) for number in range(FOLDS)] if isinstance(method, Training) else [held]
    ran = [method.run(graph, generator or stream("collect", seed)) for graph in graphs]
    tables = zip(*([client.embeddings() for client in clients.values()] for clients, _ in ran), strict=True)
    members = method.split(held, stream("collect", seed))
    return over_clients([micro_f1(each if len(each) > 1 else each[0], part, fold, stream("attacker", seed))
                         for each, part in zip(tables, members, strict=True)]), ran[0][1]


def sent(rounds: Sequence[Round], report: Report) -> None:
    """What left the clients' hands in the first run, and who was left out."""
    messages = [message for told in rounds for message in told.messages.values()]
    size = sum(map(len, messages))
    report.say(f"{len(messages)} messages of {size:,} bytes together left the clients in {len(rounds)} rounds",
               rounds=len(rounds), messages=len(messages), bytes=size)
    for number, told in enumerate(rounds):
        for client, reason in told.left_out.items():
            report.say(f"round {number}: client {client} was left out: {reason}")
