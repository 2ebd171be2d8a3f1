"""Every mechanism of the library keeps what ``Mechanism`` promises, and every check of ``check_mechanism`` bites."""

import math
import re
import sys
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
import torch

from mutants import BothEndsReport
from privgraph import mechanisms
from privgraph.audit import CheckFailed, check_mechanism, relations
from privgraph.audit.contract import CHECKS
from privgraph.cli import main
from privgraph.mechanisms import (
    AuditCase,
    Gaussian,
    GraphMechanism,
    Laplace,
    Mechanism,
    MultiBit,
    NoisyVotes,
    RandomisedResponse,
    SymmetricResponse,
    all_mechanisms,
    noisy,
)
from privgraph.privacy import Guarantee, Step, pure_pair
from privgraph.randomness import seeded

KINDS = all_mechanisms()
# Who touches one of these has all of them tried; otherwise half are.
LOT = pytest.mark.lot("lib/privgraph/audit/", "lib/privgraph/mechanisms/", "lib/privgraph/privacy/",
                      "lib/privgraph/checks/", "lib/privgraph/randomness.py", "lib/privgraph/graph.py")


@cache
def report_of(mechanism):
    """Of reports of edges tests/statistical/test_edge_sampling.py draws many more, and of noise added to numbers, whose
    law another check compares, ten times as many are drawn."""
    counted = isinstance(mechanism, GraphMechanism) or mechanism.law is not None
    return check_mechanism(mechanism, runs=500 if counted else 2_000)


# 1. All mechanisms, found by themselves.

@pytest.mark.parametrize("kind", KINDS.values())
def test_every_mechanism_has_examples(kind):
    assert kind.examples() and all(type(m) is kind for m in kind.examples())


@LOT
@pytest.mark.parametrize("mechanism", [m for kind in KINDS.values() for m in kind.examples()], ids=repr)
def test_every_mechanism_keeps_its_promises(mechanism):
    report = report_of(mechanism)
    assert set(report.checked).isdisjoint(report.skipped) and len(report.checked) + len(report.skipped) == len(CHECKS)
    assert {"frozen", "guarantees", "same seed", "original", "bad generator"} <= set(report.checked)
    assert "drawn" in report.checked or "lower bound" in report.checked
    assert "transform" in report.checked or not (mechanism.ATTRIBUTE or isinstance(mechanism, GraphMechanism))


def silent(mechanism) -> bool:
    try:
        mechanism.noiseless()
    except (NotImplementedError, TypeError):
        return False
    return True


@LOT
@pytest.mark.parametrize("mechanism", [m for kind in KINDS.values() for m in kind.examples()], ids=repr)
def test_what_is_not_checked_is_said(mechanism):
    """All that a mechanism says of itself is checked; the rest is named, and nothing else."""
    table = mechanism.audit_case().distribution is not None
    finite = any(g.epsilon < math.inf for g in mechanism.guarantees)
    missing = {"chances": not table, "drawn": not table, "stated law": mechanism.law is None,
               "added noise": mechanism.law is None, "fresh noise": mechanism.law is None,
               "worst case": not (table and finite), "lower bound": table,
               "dominating pair": not hasattr(mechanism, "pair"), "no noise": not silent(mechanism),
               "transform": not (mechanism.ATTRIBUTE or isinstance(mechanism, GraphMechanism))}
    skipped = set(report_of(mechanism).skipped)
    assert skipped & missing.keys() == {name for name, lacks in missing.items() if lacks}
    assert "replays" not in skipped or isinstance(mechanism, GraphMechanism)  # no two of its small graphs


@pytest.mark.full  # it asks all of them
def test_mechanisms_of_the_book_have_tables_and_pairs():
    """What is left out is no more than these."""
    skipped = {(type(m).__name__, name) for kind in KINDS.values() for m in kind.examples()
               for name in report_of(m).skipped if type(m).__name__ in mechanisms.__all__}
    graphs = {name for name, kind in ((k.__name__, k) for k in KINDS.values()) if issubclass(kind, GraphMechanism)}
    releases = {"Laplace", "Gaussian", "NoisyMean", "RowNoise"}
    assert {m for m, name in skipped if name in ("chances", "worst case", "drawn")} == {
        *releases, "TwoHopResponse", "NeighbourReplacement"}  # of the last two no finite epsilon is stated
    assert {m for m, name in skipped if name == "no noise"} == {"NoisyVotes"}
    assert {m for m, name in skipped if name == "transform"} == {*releases, "NoisyArgMax", "NoisyVotes"}
    assert {m for m, name in skipped if name in ("several people", "together")} == graphs
    assert {m for m, name in skipped if name == "dominating pair"} == {*graphs, "NoisyVotes"}
    assert {m for m, name in skipped if name == "replays"} == {"TwoHopResponse", "NeighbourReplacement",
                                                               "ExponentialReplacement"}


# 2. A toy that is right, and for each check one that is not.

@dataclass(frozen=True)
class Coin(Mechanism):
    """Answers of 0 or 1, true with odds e^epsilon."""

    ATTRIBUTE = "y"
    epsilon: float = 1.0

    def __post_init__(self):
        if isinstance(self.epsilon, bool) or not isinstance(self.epsilon, float) or not self.epsilon > 0:
            raise ValueError(f"epsilon must be a positive float, got {self.epsilon!r}")

    @property
    def keep(self):
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def guarantee(self):
        return Guarantee(self.epsilon, unit="label", basis="proved")

    @property
    def pair(self):
        return pure_pair(self.epsilon)

    @classmethod
    def examples(cls):
        return (cls(),)

    def audit_case(self):
        return AuditCase((0, 1), distribution=self.distribution)

    def distribution(self, answer: Hashable):
        return {answer: self.keep, 1 - answer: 1 - self.keep}

    @noisy
    def __call__(self, y, *, generator):
        if not isinstance(generator, torch.Generator):
            raise TypeError("generator must be a torch.Generator")
        return torch.where(torch.rand(y.shape, generator=generator) < self.keep, y, 1 - y)


def test_the_toy_is_right():
    report = check_mechanism(Coin())
    assert set(report.skipped) == {"bad data", "lower bound", "stated law", "added noise", "fresh noise",
                                   "larger graph"}
    assert report.checked["worst case"] == "label (replace): found 1 of 1"


@dataclass
class Open(Mechanism):
    """Its field can be set."""

    epsilon: float = 1.0
    keep, guarantee, audit_case = Coin.keep, Coin.guarantee, Coin.audit_case
    distribution, __call__ = Coin.distribution, Coin.__call__


class StatesNothing(Coin):
    guarantees = ()


class StatesTwice(Coin):
    @property
    def guarantees(self):
        return self.guarantee, replace(self.guarantee, epsilon=2.0)


class TakesAnyBudget(Coin):
    def __post_init__(self):
        pass


class RefusesWithoutAName(Coin):
    def __post_init__(self):
        if self.epsilon is None or self.epsilon is True or self.epsilon == "1" or not self.epsilon > 0:
            raise ValueError("no")


class DividesByItsBudget(Coin):
    """The server's estimate at a tiny budget is infinite or NaN."""

    def __call__(self, y, *, generator):
        return (super().__call__(y, generator=generator) - 0.5) / torch.tensor(self.epsilon)


class TakesAnyGenerator(Coin):
    def __call__(self, y, *, generator):
        return super().__call__(y, generator=generator if isinstance(generator, torch.Generator) else seeded(0))


class TakesNaN(Laplace):
    def __call__(self, answer, *, generator):
        return super().__call__(answer.nan_to_num(), generator=generator)


class DrawsElsewhere(Coin):
    @noisy
    def __call__(self, y, *, generator):
        super().__call__(y, generator=generator)
        return torch.where(torch.rand(y.shape) < self.keep, y, 1 - y)


class KeepsCount(Coin):
    """The first report of a process differs from the second."""

    calls = []

    def __call__(self, y, *, generator):
        self.calls.append(1)
        return super().__call__(y, generator=generator) if len(self.calls) % 2 else 1 - y


class WritesOver(Coin):
    def __call__(self, y, *, generator):
        told = super().__call__(y, generator=generator)
        return y.copy_(1 - y).mul_(0).add_(told)


class LiesForEver(Coin):
    def noiseless(self):
        return Coin(1e-9)


class CannotBeQuiet(Coin):
    def noiseless(self):
        return self.without_noise()  # there is no such thing


class OverwritesTheGraph(Coin):
    def transform(self, *, generator):
        def change(data):
            data.y = self(data.y, generator=generator)
            return data
        return change


class ReportsAnother(Coin):
    def transform(self, *, generator):
        return Coin(1e-9).transform(generator=generator)


class AddsTheTruth(Coin):
    """The sum of the true answers goes along in the decimals."""

    def __call__(self, y, *, generator):
        return super().__call__(y, generator=generator) + y * 1e-3

    def noiseless(self):
        raise NotImplementedError


class LosesAChance(Coin):
    def distribution(self, answer):
        return {answer: self.keep, 1 - answer: 0.9 * (1 - self.keep)}


class StatesHalf(Coin):
    @property
    def guarantee(self):
        return Guarantee(self.epsilon / 2, unit="label", basis="proved")


class StatesTooSmallADelta(Coin):
    @property
    def guarantee(self):
        return Guarantee(self.epsilon / 2, 0.1, unit="label", basis="proved")


class PairOfHalf(Coin):
    @property
    def pair(self):
        return pure_pair(self.epsilon / 2)


class PairOfTwice(Coin):
    @property
    def pair(self):
        return pure_pair(self.epsilon * 2)


class DrawsOtherwise(Coin):
    @property
    def keep(self):
        return 0.62

    def distribution(self, answer):
        return Coin.distribution(Coin(self.epsilon), answer)

    def noiseless(self):
        raise NotImplementedError


class DrawsTheImpossible(Coin):
    def distribution(self, answer):
        return {0: 0.5, 1: 0.5, 2: 0.0}

    def __call__(self, y, *, generator):
        return super().__call__(y, generator=generator) + 1

    def noiseless(self):
        raise NotImplementedError


class HalfTheNoise(Laplace):
    """The scale is that of twice the budget."""

    @property
    def scale(self):
        return self.sensitivity / self.epsilon / 2


class SaysNoRelation(NoisyVotes):
    """For graphs: no neighbours are known for votes of nodes."""

    def audit_case(self):
        return replace(super().audit_case(), inputs=relations_of_graphs(), neighbours={})


def relations_of_graphs():
    return tuple(relations.neighbour_lists(edges) for edges in relations.SMALL_GRAPHS.values())


class LiesInTheMiddle(RandomisedResponse):
    """Answers 0 and 2 are drawn as stated, and 1 is not."""

    @noisy
    def __call__(self, y, *, generator):
        told = RandomisedResponse.__call__.__wrapped__(self, y, generator=generator)
        return torch.where(y == 1, y, told)


class SortsPeople(Coin):
    """Reports come in the order of the truth."""

    @noisy
    def __call__(self, y, *, generator):
        return super().__call__(y, generator=generator)[y.argsort(stable=True)]


class OneDieForAll(Coin):
    @noisy
    def __call__(self, y, *, generator):
        super().__call__(y, generator=generator)
        return torch.where(torch.rand(1, generator=generator) < self.keep, y, 1 - y)


class FirstOnly(Coin):
    """Whoever comes second has no noise."""

    @noisy
    def __call__(self, y, *, generator):
        return torch.cat([super().__call__(y, generator=generator)[:1], y[1:]])


class FirstNumberOnly(Laplace):
    @noisy
    def __call__(self, answer, *, generator):
        return torch.cat([super().__call__(answer, generator=generator)[:1], answer[1:]])


class OneNoiseForAll(Laplace):
    @noisy
    def __call__(self, answer, *, generator):
        return answer + (super().__call__(answer[:1], generator=generator) - answer[:1])


class WritesOverOthers(Coin):
    @noisy
    def __call__(self, y, *, generator):
        told = super().__call__(y, generator=generator)
        y[1:] = 0
        return told


class RefusesACrowd(Coin):
    """Says when more than two people have answer 1."""

    @noisy
    def __call__(self, y, *, generator):
        if y.sum() > 2:
            raise ValueError("too many")
        return super().__call__(y, generator=generator)


class TrueEdgesFirst(SymmetricResponse):
    def report(self, data, *, generator):
        told = super().report(data, generator=generator)
        true = {*map(tuple, data.edge_index.t().tolist())}
        order = sorted(range(told.edge_index.size(1)), key=lambda i: tuple(told.edge_index[:, i].tolist()) not in true)
        return replace(told, edge_index=told.edge_index[:, order])


class TrueFarAway(SymmetricResponse):
    """Pairs of people whose numbers are above 3, of whom the trial has none, are told as they are."""

    @noisy
    def report(self, data, *, generator):
        told = SymmetricResponse.report.__wrapped__(self, data, generator=generator)
        u, v = data.edge_index
        true = data.edge_index[:, (u > 3) & (v > 3) & (u > v)]
        far = (told.edge_index > 3).all(0)
        return type(told).sorted(torch.cat([told.edge_index[:, ~far], true], 1), data.num_nodes)


class NoiseTwice(Coin):
    """What leaves is not made of what is reported, and a replay freezes both."""

    def report(self, y, *, generator):
        return super().__call__(y, generator=generator)

    @noisy
    def __call__(self, y, *, generator):
        super().__call__(y, generator=generator)
        return y


class WindowOntoTheTruth(Coin):
    """A report of one number, and behind it the truth in the same memory."""

    @noisy
    def __call__(self, y, *, generator):
        return torch.cat([super().__call__(y, generator=generator), y])[:len(y)]


class CarriesTheTruth(Coin):
    """A report that is a plain number, and has the truth as an attribute."""

    @noisy
    def __call__(self, y, *, generator):
        told = super().__call__(y, generator=generator)
        told.truth = y.clone()
        return told


class ATenthTooLittle(Laplace):
    @property
    def scale(self):
        return 0.9 * super().scale


class StatesALargerLaw(ATenthTooLittle):
    """It draws as little, but the law is the right one."""

    @property
    def law(self):
        return Laplace(self.epsilon).law


class SeedZero(Laplace):
    """The noise of seed 0, whatever generator is handed in."""

    @noisy
    def __call__(self, answer, *, generator):
        return Laplace.__call__.__wrapped__(self, answer, generator=seeded(0)) + 0 * torch.rand(1, generator=generator)


class OneCoinForAllTimes(Coin):
    """The coins of seed 3."""

    @noisy
    def __call__(self, y, *, generator):
        return Coin.__call__.__wrapped__(self, y, generator=seeded(3)) + 0 * torch.randint(2, (1,), generator=generator)


class FreeOfCharge(Coin):
    """Says that no two inputs cost anything."""

    def between(self, x, other):
        return ()


class AlwaysCharges(Coin):
    def between(self, x, other):
        return (Step(self.pair),)


class Sharper(Coin):
    """1% too little of the noise, which a few thousand draws do not see."""

    @noisy
    def __call__(self, y, *, generator):
        return Coin(1.05 * self.epsilon)(y, generator=generator)


TOYS = [("frozen", Open(), "must be a frozen dataclass"), ("guarantees", StatesNothing(), "at least one Guarantee"),
        ("guarantees", StatesTwice(), "stated once"), ("bad budgets", TakesAnyBudget(), "epsilon=-1.0 must be refused"),
        ("bad budgets", RefusesWithoutAName(), "refused by name"),
        ("extreme budgets", DividesByItsBudget(), "epsilon=1e-307 gives"),
        ("bad generator", TakesAnyGenerator(), "generator=None"),
        ("bad data", TakesNaN(1.0), "NaN must be refused"), ("same seed", DrawsElsewhere(), "a global one was"),
        ("same seed", KeepsCount(), "one report"), ("original", WritesOver(), "left alone"),
        ("no noise", LiesForEver(), "must give"),
        ("no noise", CannotBeQuiet(), "ended in AttributeError"),
        ("transform", OverwritesTheGraph(), "must be left alone"),
        ("transform", ReportsAnother(), "must report"),
        ("replays", AddsTheTruth(), "what is no noise depends on one label"),
        ("chances", LosesAChance(), "sum to 1"), ("worst case", StatesHalf(), "is refuted"),
        ("worst case", StatesTooSmallADelta(), "delta is 0.28"), ("worst case", BothEndsReport(1.0), "undirected edge"),
        ("worst case", SaysNoRelation(1.0), "must say in neighbours"),
        ("dominating pair", PairOfTwice(), "the pair has delta"),
        ("dominating pair", PairOfHalf(), "must dominate"), ("drawn", DrawsOtherwise(), "its stated chance"),
        ("drawn", DrawsTheImpossible(), "stated chance 0"), ("lower bound", HalfTheNoise(1.0), "is refuted"),
        *(("several people", toy, "of two people with") for toy in (
            LiesInTheMiddle(1.0, 3), SortsPeople(), OneDieForAll(), FirstOnly())),
        ("several people", WritesOverOthers(), "left alone"),
        ("several people", FirstNumberOnly(1.0), "the second: the guarantee"),
        ("several people", OneNoiseForAll(1.0), "their difference: the guarantee"),
        ("together", RefusesACrowd(), "among others, what is no noise depends on one label"),
        ("whole report", TrueEdgesFirst(1.0), "more than its outcome"),
        ("whole report", NoiseTwice(), "must be made of it"),
        ("whole report", WindowOntoTheTruth(), "no window onto more"),
        ("whole report", CarriesTheTruth(), "got Tensor with ['truth']"),
        ("larger graph", TrueFarAway(1.0), "a path of 9 with (6, 8)"),
        ("stated law", ATenthTooLittle(1.0), "so epsilon is at least 1.11111, stated is 1"),
        ("added noise", StatesALargerLaw(1.0), "by its law that has the chance"),
        ("fresh noise", SeedZero(1.0), "have a size that came before"),
        ("drawn", OneCoinForAllTimes(), "its stated chance"),
        ("two inputs", FreeOfCharge(), "between must dominate"),
        ("two inputs", AlwaysCharges(), "must be empty where nothing differs"),
        ("many people", Sharper(), "which its stated chance"),
        ("many people", ATenthTooLittle(1.0), "is refuted")]


def test_every_check_has_a_toy():
    assert {name for name, *_ in TOYS} == {check.__name__.replace("_", " ") for check in CHECKS}


@pytest.mark.parametrize("check, toy, message", TOYS, ids=[type(toy).__name__ for _, toy, _ in TOYS])
def test_every_check_bites(check, toy, message):
    with pytest.raises(CheckFailed, match=f"^{check}: .*{re.escape(message)}"):
        check_mechanism(toy, only=check)


# 3. What a stranger is told.

def test_a_refuted_guarantee_is_told_with_its_neighbours():
    keep = 1 / (1 + math.exp(-1))
    with pytest.raises(CheckFailed) as caught:
        check_mechanism(StatesHalf())
    said = str(caught.value)
    assert f"has the chance {keep:.6g} on 0 and {1 - keep:.6g} on its neighbour 1" in said
    assert "epsilon is at least 1, stated is 0.5" in said and "one label (replace)" in said


STRANGER = '''
from dataclasses import dataclass

from privgraph.mechanisms import {base}
from privgraph.privacy import Guarantee


@dataclass(frozen=True)
class Mine({base}):
    @property
    def {what}(self):
        return {guarantee}
'''


@pytest.mark.parametrize("base, what, guarantee, said", [
    ("RandomisedResponse", "guarantee", 'Guarantee(self.epsilon / 2, unit="label", basis="proved")',
     "has the chance 0.731059 on 0 and 0.268941 on its neighbour 1; so epsilon is at least 1, stated is 0.5"),
    ("SymmetricResponse", "guarantees", '(Guarantee(self.epsilon, unit="neighbour slot", relation="swap in a neighbour '
     'list", basis="proved"),)', "so epsilon is at least 2, stated is 1"),
    ("MultiBit", "guarantee", 'Guarantee(0.9 * self.epsilon, unit="feature vector", basis="proved")', "(0.0, 0.0)"),
    ("Laplace", "scale", "self.sensitivity / (3 * self.epsilon)", "so epsilon is at least 3, stated is 1")])
def test_one_command_names_the_neighbours_that_refute_a_wrong_guarantee(base, what, guarantee, said, tmp_path,
                                                                        monkeypatch, capsys):
    name = f"stranger_{base.lower()}"
    (tmp_path / f"{name}.py").write_text(STRANGER.format(base=base, what=what, guarantee=guarantee))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    assert main(["audit", f"{name}:Mine"]) == 1
    printed = capsys.readouterr().out
    assert said in printed and "is refuted: the outcome" in printed and "on its neighbour" in printed


def test_a_right_one_is_told_what_was_checked(capsys):
    assert main(["audit", "noisy-arg-max:scale=1,num_classes=2"]) == 0
    assert "worst case: node (add/remove): found 1 of 1" in capsys.readouterr().out
    assert main(["audit", "randomised-response"]) == 0
    assert capsys.readouterr().out.count("RandomisedResponse(epsilon=") >= len(RandomisedResponse.examples())


def test_inputs_of_ones_own():
    """Labels that are given, in place of those of the trial."""
    assert "worst case" in check_mechanism(RandomisedResponse(1.0, 5), (0, 4)).checked
    assert check_mechanism(Coin(), AuditCase((0, 1))).skipped["worst case"] == "it has no table of chances"


@pytest.mark.parametrize("mechanism", [m for kind in KINDS.values() for m in kind.examples()], ids=repr)
def test_numbers_of_numpy_and_torch_become_pythons_own(mechanism):
    """Fields that are numbers: what was given as another library's number is kept as float or int."""
    for name, value in vars(mechanism).items():
        if type(value) is float or type(value) is int:
            others = (np.float64(value), torch.tensor(value, dtype=torch.double)) if type(value) is float else (
                np.int64(value),)
            for other in others:
                made_again = replace(mechanism, **{name: other})
                assert made_again == mechanism and type(getattr(made_again, name)) is type(value), name


@pytest.mark.parametrize("votes", [[[-1.0, 2.0]], [[0.5, 1.0]]])
def test_votes_are_counts(votes):
    for ask in (lambda m: m(torch.tensor(votes), generator=seeded(0)), lambda m: m.distribution(votes[0])):
        with pytest.raises(ValueError, match="votes must be counts: whole numbers of at least 0"):
            ask(NoisyVotes(1.0))


@pytest.mark.parametrize("make", [Laplace, lambda epsilon: Gaussian(epsilon, 1e-5)])
def test_noise_that_overflows_the_type_of_the_answer_is_refused(make):
    """Whether it is hangs on the scale and the type, and on nothing private."""
    with pytest.raises(ValueError, match="answer must be of a type with room for noise of scale .* got torch.float16"):
        make(1e-3)(torch.zeros(3, dtype=torch.float16), generator=seeded(0))
    assert torch.isfinite(make(1e-3)(torch.zeros(10_000), generator=seeded(0))).all()


def test_estimates_that_no_float_holds_are_refused():
    with pytest.raises(ValueError, match="epsilon must be so large that an estimate fits a 32-bit float, got 1e-40"):
        MultiBit(1e-40, 2)
    assert torch.isfinite(MultiBit(1e-37, 2)(torch.zeros(4, 2), generator=seeded(0))).all()


@pytest.mark.parametrize("field", ["unit", "relation", "trust"])
@pytest.mark.parametrize("make", [lambda **said: Laplace(1.0, **said), lambda **said: Gaussian(1.0, 1e-5, **said)])
def test_noise_for_a_unit_that_there_is_not_is_refused_when_it_is_made(make, field):
    with pytest.raises(ValueError, match=f"{field} must be one of .* got 'planet'"):
        make(**{field: "planet"})
