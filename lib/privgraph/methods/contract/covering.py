"""The contract of spending: what one person's change moves in each noisy call, and whether what is stated covers it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from ...audit.contract import refute
from ...audit.refuting import CheckFailed
from ...audit.replaying import Comparison, Recording
from ...audit.spending import drew, epsilon_of, moved, used_twice, uses
from ...mechanisms import Tape, all_mechanisms
from ...mechanisms.tape import OrdinaryNoise
from ...privacy import Guarantee
from ...randomness import secret
from .all_kinds import require
from .changes import CHANGES, Change

if TYPE_CHECKING:
    from torch_geometric.data import Data

RUNS = 24  # with seeds of their own, of which no two may begin a noisy call alike
DEAREST = 1e-9  # what rounding may add to an epsilon, relative
Pipeline = Callable[["Data", torch.Generator], object]


@dataclass
class Found:
    """What was tried: how many changes, how many of them moved what goes into noise, how many found everything the same
    where nothing may differ, and the dearest of each unit.

    ``unvouched``: mechanisms of the author's own that could not be tried."""

    changes: int = 0
    moving: int = 0
    same: int = 0
    untried: list[Guarantee] = field(default_factory=list)
    dearest: dict[str, str] = field(default_factory=dict)
    most: dict[str, float] = field(default_factory=dict)
    unvouched: list[object] = field(default_factory=list)

    def note(self, stated: Guarantee, spent: float) -> None:
        kind = f"{stated.unit} ({stated.relation})"
        self.most[kind] = max(spent, self.most.get(kind, 0.0))
        self.dearest[kind] = f"found {self.most[kind]:.4g} of {stated.epsilon:.4g}"


def try_changes(pipeline: Pipeline, changes: Iterable[Change], stated: Iterable[Guarantee], found: Found,
                seed: int = 0, quiet: bool = False) -> None:
    """Run on both worlds of each change with the same noise: nothing else may differ in what leaves, and what goes into
    the noise may differ by no more than the guarantees ``stated`` for such a change pay for."""
    stated, world = list(stated), None
    for change in changes:
        if change.data is not world:
            world, recording = change.data, recorded(pipeline, change.data, seed, quiet)
        comparison = recording.against(change.neighbour, change.gone)
        if recording.error is not None and comparison.release == recording.release:
            raise recording.error
        only_noise(change.words, comparison)
        found.changes += 1
        covered(change, comparison.tape, stated, found)


def recorded(pipeline: Pipeline, data: Data, seed: int, quiet: bool = False) -> Recording:
    recording = Recording(pipeline, data, seed, quiet)
    if (twice := used_twice(recording.tape)) is not None:
        raise AssertionError(f"no coin may be used twice: {twice[0]}, and {twice[1]}, drew the same numbers of a "
                             "generator")
    return recording


def only_noise(words: str, comparison: Comparison) -> None:
    require(not comparison.leaks, f"what leaves must depend on people through noise only; with a change of {words} "
            f"{', '.join(leak.place for leak in comparison.leaks)} differs")


def covered(change: Change, tape: Tape, stated: list[Guarantee], found: Found) -> None:
    calls = moved(tape)
    found.moving += any(calls)
    for number, (steps, call) in enumerate(zip(calls, tape.entries, strict=True)):
        cost = sum(step.count * step.pair.epsilon for step in steps)
        require(not steps or math.isinf(cost) or drew(call), f"noisy call {number}, of {call.mechanism}, drew nothing "
                "from the generator that it was given")
    if change.person is not None and any(g.trust == "local" for g in stated):
        her_own_row(change, tape)
    for guarantee in stated:
        spent = epsilon_of(tape, guarantee.delta)
        found.note(guarantee, spent)
        if spent > guarantee.epsilon * (1 + DEAREST):
            raise AssertionError(f"{guarantee.unit} ({guarantee.relation}) is not covered: a change of {change.words} "
                                 f"costs epsilon {spent:.6g}{of_delta(guarantee)}, stated is {guarantee.epsilon:.6g}; "
                                 f"it moves the input of {those_moved(tape, calls)}")


def of_delta(guarantee: Guarantee) -> str:
    return f" at delta {guarantee.delta:.3g}" if guarantee.delta else ""


def those_moved(tape: Tape, calls: list) -> str:
    """Which noisy calls a change reached."""
    reached = [(i, call.mechanism) for i, (steps, call) in enumerate(zip(calls, tape.entries, strict=True)) if steps]
    first = f"noisy call {reached[0][0]}, of {reached[0][1]}"
    return first if len(reached) == 1 else f"{len(reached)} noisy calls, first of {first}"


def her_own_row(change: Change, tape: Tape) -> None:
    """Of what people report themselves, another's row must not know of her: not even by a mean that was taken off."""
    for number, (first, second) in enumerate(zip(tape.entries, tape.played, strict=True)):
        x, other = first.input, second.input
        if not isinstance(x, torch.Tensor) or x.dim() == 0 or len(x) != change.data.num_nodes or x.shape != other.shape:
            continue
        odd = (x != other).reshape(len(x), -1).any(1)
        odd[change.person] = False
        if odd.any():
            raise AssertionError(f"what a person reports must be made of her own record: a change of {change.words} "
                                 f"moves the row of person {int(odd.nonzero()[0])} in the input of noisy call "
                                 f"{number}, of {first.mechanism}")


def fresh_coins(pipeline: Pipeline, data: Data) -> None:
    """Of runs with generators of their own no two begin a noisy call in the same state, nor give the same noise where
    it is continuous."""
    begun, told = {}, {}
    for seed in range(RUNS):
        for number, call in enumerate(recorded(pipeline, data, seed).tape.entries):
            if drew(call) and getattr(call.mechanism, "epsilon", 0.0) != math.inf:
                state = call.before.numpy().tobytes()
                require(begun.setdefault(state, seed) == seed, f"noisy call {number}, of {call.mechanism}, must draw "
                        f"from the generator that is handed in: with seeds {begun[state]} and {seed} it began alike")
            if call.mechanism.law is not None and any(g.epsilon < math.inf for g in call.mechanism.guarantees):
                noise = call.output.numpy().tobytes()
                require(told.setdefault((number, noise), seed) == seed, f"noisy call {number}, of {call.mechanism}, "
                        f"must give other noise with another generator: with seeds {told[number, noise]} and {seed} it "
                        "gave the same")


def secret_coins(pipeline: Pipeline, data: Data) -> None:
    """With a secret generator all noise, and all samples of people, are of secret ones: an ordinary generator starts at
    a number that somebody can try, however it was drawn."""
    tape = Tape()
    try:
        with tape.running(playing=False):
            pipeline(data, secret())
    except OrdinaryNoise:
        return  # nothing leaves
    for name, use in uses(tape):
        require(use.secret, f"{name}, must draw from the generator that is handed in: that was secret, and its coins "
                "came from an ordinary one, which starts at a number that somebody can try")


SOME = 4  # seeds whose mechanisms are tried


def vouched(pipeline: Pipeline, data: Data, found: Found) -> None:
    """A method is as good as its mechanisms: those that are not the library's, whose tests try them, are tried here."""
    secret_coins(pipeline, data)
    own, kinds = [], set(all_mechanisms().values())
    for seed in range(SOME):
        for number, call in enumerate(recorded(pipeline, data, seed).tape.entries):
            if type(call.mechanism) not in kinds and call.mechanism not in own:
                own.append(call.mechanism)
                try:
                    checked = refute(call.mechanism)
                except CheckFailed as failure:
                    raise AssertionError(f"noisy call {number}, of {call.mechanism}, is wrong by itself: "
                                         f"{failure}") from failure
                if checked is None:
                    found.unvouched.append(call.mechanism)


def changes_of(stated: Guarantee, data: Data) -> list[Change]:
    """Worlds that differ in the unit of a guarantee; none where small worlds have no such change."""
    return list(CHANGES.get((stated.unit, stated.relation), lambda data: ())(data))


def of_whole_edges(stated: Guarantee) -> Guarantee:
    """What is stated of one name in a list says something of an edge, which two people hold."""
    slot = (stated.unit, stated.relation) == ("neighbour slot", "add/remove")
    return stated.convert("undirected edge") if slot else stated


def states(pipeline: Pipeline, data: Data, guarantees: Iterable[Guarantee], found: Found) -> list[Guarantee]:
    """Try each finite guarantee on the changes that it speaks of. Returns those for which there is none here."""
    untried = []
    for stated in guarantees:
        if math.isinf(stated.epsilon):
            continue
        if changes := changes_of(whole := of_whole_edges(stated), data):
            try_changes(pipeline, changes, [whole], found)
        else:
            untried += added_up(pipeline, data, stated, found)
    return untried


def added_up(pipeline: Pipeline, data: Data, stated: Guarantee, found: Found) -> list[Guarantee]:
    """Where the world has no such change, as that of one list alone: what the mechanisms say of it themselves adds up
    to no more. Returns the guarantee where none of them speaks of it."""
    drawn = [g.epsilon for call in recorded(pipeline, data, 0).tape.entries for g in call.mechanism.guarantees
             if (g.unit, g.relation) == (stated.unit, stated.relation)]
    require(math.fsum(drawn) <= stated.epsilon * (1 + DEAREST), f"{stated.unit} ({stated.relation}) is not covered: "
            f"mechanisms with epsilon {drawn} were used, stated is {stated.epsilon}")
    if drawn:
        found.note(stated, math.fsum(drawn))
    return [] if drawn else [stated]


def strays(data: Data) -> Iterator[tuple[str, Data, Data]]:
    """Fields that no method was promised, each with what somebody may have there and with something else."""
    n, m = data.num_nodes, data.edge_index.size(1)
    found = {"edge_weight": (torch.ones(m), torch.arange(m) + 1.0), "edge_attr": (torch.ones(m, 2), torch.zeros(m, 2)),
             "age": (torch.arange(n), torch.arange(n).flip(0)), "notes": (torch.ones(n, 2), torch.zeros(n, 2)),
             "mean_age": (torch.tensor(40.0), torch.tensor(41.0)), "city": ("Bern", "Berlin")}
    for name, (one, other) in found.items():
        worlds = [data.clone(), data.clone()]
        for graph, value in zip(worlds, (one, other), strict=True):
            graph[name] = value
        yield name, *worlds


def leaves_strays(pipeline: Pipeline, data: Data) -> None:
    """What nothing is stated of does not come out: it is refused whatever it is, or has no effect."""
    for name, first, second in strays(data):
        comparison = Recording(pipeline, first).against(second)
        only_noise(f"{name}, of which nothing is stated,", comparison)
        require(not any(moved(comparison.tape)), f"{name} must not go into what is told: nothing is stated of it")
