"""Clients that lie, in each federated method: what that costs the honest ones, and what a server could see.

Four clients, of whom number 0 lies. The cost is the difference of the honest clients' micro F1 in two runs with the
same coins, one of them without the lie. A server has four signs of each client; ``first_SIGN`` says in how many percent
of the runs the liar, or one of its names, has the highest score of all. The null is the lie ``"honest"``, which is
none: how often client 0 has the highest score then.

``"deepwalk with edges"`` reports each private edge at a budget before any walk; its liar does so too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from torch import Tensor

from privgraph.attacks import Lie, alike_another, alike_the_answer, sent, unlike_the_others, unusual_length
from privgraph.attacks.lying_clients import scores_of
from privgraph.mechanisms import PrivateEndResponse
from privgraph.methods import FedAvgGAT, FederatedDeepWalk, FederatedGAT, Federation

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from ..ppfl.settings import held

METHODS = ("deepwalk", "deepwalk with edges", "gat", "fedavg")
LIES = {"honest": Lie("honest"), "shuffled": Lie("shuffled"), "mirrored": Lie("mirrored"), "loud": Lie("noise", 100.0),
        "followed": Lie("followed"), "sybils": Lie("shuffled", sybils=3)}
SIGNS = ("unlike", "alike", "answer", "length")
GROUPS = ("all", "public", "private")
LIAR, CLIENTS, ROUNDS = 0, 4, 4
HONEST = tuple(number for number in range(CLIENTS) if number != LIAR)
EPSILON = 8.0  # of a private edge


def method_of(name: str) -> Federation:
    """A federation as chapter 11 runs it, with fewer rounds."""
    walk = FederatedDeepWalk(rounds=ROUNDS)
    return {"deepwalk": walk, "deepwalk with edges": replace(walk, edges=PrivateEndResponse(EPSILON)),
            "gat": FederatedGAT(rounds=ROUNDS), "fedavg": FedAvgGAT(rounds=ROUNDS)}[name]


def client_lies_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Micro F1 of the honest clients without the lie, the points that it costs them, and the signs."""
    dataset, name, lie = (setting[each] for each in ("dataset", "method", "lie"))
    alone = cache.once(without_lies, dataset=dataset, sha256=graph(dataset)[1], method=name, seed=seed)
    beside, rounds = scores_of(method_of(name), held(dataset, seed), seed, {LIAR: LIES[lie]}, HONEST)
    uploads, answers = sent(rounds)
    return {**{f"alone_{group}": alone[group] for group in GROUPS},
            **{f"cost_{group}": alone[group] - beside[group] for group in GROUPS},
            **signs(uploads, answers, name != "fedavg")}


def without_lies(dataset: str, sha256: str, method: str, seed: int) -> dict[str, float]:
    """Of the same clients, where all are honest: the same for all lies."""
    return scores_of(method_of(method), held(dataset, seed), seed, {}, HONEST)[0]


def signs(uploads: Tensor, answers: Tensor, aligned: bool) -> dict[str, float]:
    """100 where the liar, or one of its sybils, is the most suspicious by a sign, else 0."""
    scores = {"unlike": unlike_the_others(uploads, aligned), "alike": alike_another(uploads, aligned),
              "answer": alike_the_answer(uploads, answers, aligned), "length": unusual_length(uploads)}
    names = [LIAR, *range(CLIENTS, len(uploads))]
    return {f"first_{sign}": 100.0 * (int(each.argmax()) in names) for sign, each in scores.items()}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for name in METHODS:
        yield 3, [setting(method=name, lie=lie) for lie in LIES]


EXPERIMENT = Experiment(
    "attack-lies", 1, {"method": str, "lie": str},
    (*(f"{what}_{group}" for what in ("alone", "cost") for group in GROUPS), *(f"first_{sign}" for sign in SIGNS)),
    grid, client_lies_run, dataset="cora", title="Clients that lie, in each federated method (chapter 4)")
