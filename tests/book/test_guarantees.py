"""A finite mechanism is certified for every epsilon with no list touched, and a broken one is not."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Annotated

import pytest

from mutants import BothEndsReport, WholeBudgetABit
from privbook.cli import main
from privbook.prover.guarantees import certified, stated
from privgraph.checks.parameters import Count, Epsilon
from privgraph.mechanisms import AuditCase, Mechanism, NoisyVotes, TwoHopResponse, all_mechanisms
from privgraph.mechanisms.law import Finite
from privgraph.privacy import Guarantee

MANY = 1000


@dataclass(frozen=True)
class Toy(Finite, Mechanism):
    """Each of d bits is true with odds e^(epsilon / d); nobody has heard of it."""

    epsilon: Annotated[float, Epsilon()] = 1.0
    d: Annotated[int, Count(1)] = 2

    @property
    def budgets(self):
        return (self.epsilon / self.d,)

    @property
    def guarantee(self):
        return Guarantee(self.epsilon, unit="feature vector", basis="proved")

    @classmethod
    def examples(cls):
        return cls(), cls(0.3, 3)

    def audit_case(self):
        return AuditCase(tuple(product((0, 1), repeat=self.d)), distribution=self.distribution)

    def __call__(self, x, *, generator):
        raise NotImplementedError

    def weights(self, x, t, one=1):
        return {told: math.prod(t if a == b else one for a, b in zip(x, told, strict=True))
                for told in product((0, 1), repeat=self.d)}


class StatesTooLittle(Toy):
    """Half, a tenth less: as a mistake in a proof would say."""

    part = 0.5

    @property
    def guarantee(self):
        return replace(super().guarantee, epsilon=self.part * self.epsilon)


class StatesATenthLess(StatesTooLittle):
    part = 0.9


class OneBitIsTold(Toy):
    """The first bit is twice as surely true as the others."""

    def weights(self, x, t, one=1):
        return {told: w * (t if told[0] == x[0] else one) for told, w in super().weights(x, t, one).items()}


class OneInputOnly(Toy):
    """Wrong for one input alone: who has only ones tells it."""

    def weights(self, x, t, one=1):
        table = super().weights(x, t, one)
        return {told: w * (2 if told == x else 1) for told, w in table.items()} if all(x) else table


class SometimesImpossible(Toy):
    """Where all bits are lies, nothing is said; and where none is, that."""

    def weights(self, x, t, one=1):
        return {told: w for told, w in super().weights(x, t, one).items() if any(a == b for a, b in zip(
            x, told, strict=True))}


@cache
def verdicts(mechanism) -> list[tuple[str, str]]:
    return [(statement.name, found.verdict) for statement, found in certified(mechanism)]


def once(mechanisms) -> list:
    """Of mechanisms with one law the first."""
    return list({(type(each), each.budgets, frozenset(each.distribution(each.audit_case().inputs[-1]).items())): each
                 for each in reversed(mechanisms)}.values())


LIBRARY = once([mechanism for kind in all_mechanisms().values() if issubclass(kind, Finite)
                for mechanism in kind.examples() if getattr(mechanism, "noise", "gumbel") == "gumbel"])


def of_library() -> list:
    """Those with thousands of outcomes take a while."""
    return [pytest.param(each, id=repr(each), marks=[pytest.mark.slow] * (len(each.distribution(
        each.audit_case().inputs[-1])) > MANY)) for each in LIBRARY]


@pytest.mark.parametrize("mechanism", of_library())
def test_what_a_finite_mechanism_of_the_library_guarantees_holds_for_every_epsilon(mechanism):
    found = verdicts(mechanism)
    assert [verdict for _, verdict in found] == ["holds"] * len(found)
    named = {name for name, _ in found} | {"one feature, replace"}  # no multiple of the budget: grr-fs-one-feature
    finite = {f"{g.unit}, {g.relation}" for g in mechanism.guarantees if g.epsilon < math.inf}
    assert finite <= named and bool(found) == (type(mechanism) is not TwoHopResponse)


def test_the_library_is_looked_through():
    assert len(LIBRARY) >= 14 and {type(each).__name__ for each in LIBRARY} >= {
        "Blink", "DegreePreservingResponse", "GRRFS", "MultiBit", "NoisyArgMax", "RandomisedResponse"}


@pytest.mark.parametrize("mechanism", Toy.examples(), ids=repr)
def test_a_toy_is_certified_though_no_list_names_it(mechanism):
    assert verdicts(mechanism) == [("feature vector, replace", "holds")]


@pytest.mark.parametrize("kind", [StatesTooLittle, StatesATenthLess, OneBitIsTold, OneInputOnly, SometimesImpossible])
def test_a_broken_one_is_not(kind):
    assert verdicts(kind()) == [("feature vector, replace", "breaks")]


def test_mutants_of_the_library_are_not_certified():
    assert ("undirected edge, add/remove", "breaks") in verdicts(BothEndsReport(1.0))
    assert verdicts(WholeBudgetABit(1.0, 2, sampled=2)) == [("feature vector, replace", "breaks")]


class AnotherTable(Toy):
    """The audit reads a table that was written by hand."""

    def distribution(self, x):
        return Toy.distribution(Toy(self.epsilon / 2, self.d), x)


class NotOfOneDegree(Toy):
    """What t is for the audit, 1, is not what it is for the prover."""

    def weights(self, x, t, one=1):
        return {told: w * (t if told[0] else 1) for told, w in super().weights(x, t, one).items()}


@pytest.mark.parametrize("kind", [AnotherTable, NotOfOneDegree])
def test_a_law_that_the_audit_does_not_read_is_refused(kind):
    with pytest.raises(ValueError, match="must be those of the weights"):
        list(stated(kind()))


def test_what_is_no_polynomial_is_not_decided():
    """Laplace noise, a guarantee that is no multiple of the budget, and weights that are no whole numbers."""
    with pytest.raises(NotImplementedError, match="no polynomials"):
        list(stated(NoisyVotes(1.0, "laplace")))
    told: Callable = Toy.weights

    class Halves(Toy):
        def weights(self, x, t, one=1):
            return {o: 0.5 * w for o, w in told(self, x, t, one).items()}

    class Another(Toy):
        @property
        def guarantee(self):
            return replace(super().guarantee, epsilon=self.epsilon**2 + 2)
    assert list(stated(Another())) == []
    with pytest.raises(ValueError, match="no two inputs are neighbours"):
        list(certified(Halves()))


@pytest.mark.parametrize("said, status, words", [
    ("randomised-response", 0, "label, replace: holds for every epsilon (2 inputs"),
    (f"{__name__}:Toy", 0, "feature vector, replace: holds for every epsilon (8 inputs"),
    (f"{__name__}:StatesTooLittle", 1, "feature vector, replace: is false for every epsilon"),
    ("two-hop-response", 3, "nothing was decided")])
def test_the_command(said, status, words, capsys):
    assert main(["certify", said]) == status
    assert words in capsys.readouterr().out


def test_a_mechanism_without_weights_is_refused(capsys):
    assert main(["certify", "laplace"]) == 2
    said = capsys.readouterr().err
    assert "name must be one of blink, " in said and "laplace," not in said and "got 'laplace'" in said
