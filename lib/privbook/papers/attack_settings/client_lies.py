"""Clients that lie, in each federated method: what that costs the honest ones, and what a server could see.

Four clients, of whom number 0 lies. The cost is the difference of the honest clients' micro F1 in two runs with the
same coins, one of them without the lie. A server has four signs of each client; ``first_SIGN`` says in how many percent
of the runs the liar, or one of its names, has the highest score of all. Of four clients a coin finds it in 25%, of more
names more often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from torch import Tensor

from privgraph.attacks import (
    Lie,
    alike_another,
    alike_the_answer,
    cost_of_lies,
    sent,
    unlike_the_others,
    unusual_length,
)
from privgraph.methods import FedAvgGAT, FederatedDeepWalk, FederatedGAT, Federation
from privgraph.methods.federated import UploadNoise

from ...runs.cache import Cache
from ...runs.grid import Experiment
from ..ppfl.settings import held

METHODS = ("deepwalk", "deepwalk with noise", "gat", "fedavg")
LIES = {"honest": Lie("honest"), "shuffled": Lie("shuffled"), "mirrored": Lie("mirrored"), "noise": Lie("noise"),
        "loud": Lie("noise", 100.0), "followed": Lie("followed"), "sybils": Lie("shuffled", sybils=3),
        "loud sybils": Lie("noise", 100.0, sybils=3)}
SIGNS = ("unlike", "alike", "answer", "length")
GROUPS = ("all", "public", "private")
LIAR, CLIENTS = 0, 4
NOISE = 1000.0  # epsilon of a client's private part over all rounds; less than that leaves nothing of its rows


def method_of(name: str) -> Federation:
    """A federation as chapter 11 runs it, with fewer rounds."""
    walk = FederatedDeepWalk(rounds=4)
    return {"deepwalk": walk, "deepwalk with noise": replace(walk, noise=UploadNoise(NOISE)),
            "gat": FederatedGAT(rounds=4), "fedavg": FedAvgGAT(rounds=4)}[name]


def client_lies_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Micro F1 of the honest clients without the lie, the points that it costs them, and the signs."""
    data, method = held(setting["dataset"], seed), method_of(setting["method"])
    found = cost_of_lies(method, data, seed, {LIAR: LIES[setting["lie"]]})
    uploads, answers = sent(found.rounds)
    return {**{f"alone_{group}": found.alone[group] for group in GROUPS},
            **{f"cost_{group}": found.points[group] for group in GROUPS},
            **signs(uploads, answers, setting["method"] != "fedavg")}


def signs(uploads: Tensor, answers: Tensor, aligned: bool) -> dict[str, float]:
    """100 where the liar, or one of its sybils, is the most suspicious by a sign, else 0."""
    scores = {"unlike": unlike_the_others(uploads, aligned), "alike": alike_another(uploads, aligned),
              "answer": alike_the_answer(uploads, answers, aligned), "length": unusual_length(uploads)}
    names = [LIAR, *range(CLIENTS, len(uploads))]
    return {f"first_{sign}": 100.0 * (int(each.argmax()) in names) for sign, each in scores.items()}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for name in METHODS:
        yield 5, [setting(method=name, lie=lie) for lie in LIES]


EXPERIMENT = Experiment(
    "attack-lies", 1, {"method": str, "lie": str},
    (*(f"{what}_{group}" for what in ("alone", "cost") for group in GROUPS), *(f"first_{sign}" for sign in SIGNS)),
    grid, client_lies_run, dataset="cora", title="Clients that lie, in each federated method (chapter 4)")
