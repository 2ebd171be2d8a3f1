"""What a parameter may be is said once: every class of parameters refuses by name what its fields say they are not."""

import math
import re
import sys
import types
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Annotated

import numpy as np
import pytest

from privgraph.checks import parameters
from privgraph.checks.parameters import (
    Choice,
    Count,
    Epsilon,
    Finite,
    Flag,
    Instance,
    NotNegative,
    Parameters,
    kinds_of,
    whole,
)
from privgraph.discover import modules
from privgraph.mechanisms import Laplace, Mechanism
from privgraph.methods import LPGNN, Method, PrivGNN
from refusing import INF, NO_DELTA, NO_EPSILON, NO_FLAG, NO_NUMBER, NO_RATE, NO_SHARE, NO_SIZE, NOT_POSITIVE

ROOMS = ("attacks", "audit", "cli", "datasets", "mechanisms", "methods", "nn", "privacy")
# What fields of these names must refuse, whatever they say that they are: a second opinion.
BY_NAME = {"epsilon.*": NO_EPSILON, "delta": NO_DELTA, "rate": NO_RATE, "scale": (*NO_NUMBER, -1.0, INF),
           "sigma|spread|rho|mu|noise_multiplier|clip|temperature|cost|sensitivity|inner_rate": NOT_POSITIVE,
           "learning_rate|first_rate|discriminator_rate": (*NOT_POSITIVE, 1e37), "dropout": (*NO_SHARE, 1),
           "weight_decay|beta|alpha|ridge|llp_weight": (*NO_NUMBER, -0.1, INF),
           "hidden|heads|epochs|dimension|code|window|negatives|walks|shots|queries|num_queries|teachers|tasks|layers|"
           "clusters|radius|target|batch|people|neighbours|count|size|sampled": NO_SIZE[1:],  # None may be allowed
           "standardise|balanced|normalise|second_order|centred|meta|one_teacher|discriminator": NO_FLAG}
# Fields that say nothing, as `agree` looks at them.
SILENT = {"Budget": {"steps"}, "FixedSizePair": {"pair"}, "Task": {"support", "support_y", "query", "query_y"},
          "GraphSet": {"name", "y"}, "ListReport": {"mechanism", "data"}}


def found() -> list[type]:
    """All classes with parameters in the library."""
    for room in ROOMS:
        modules(f"privgraph.{room}")
    seen, left = {}, [Parameters]
    while left:
        left += (below := left.pop().__subclasses__())
        seen |= {f"{each.__module__}.{each.__qualname__}": each for each in below}
    return [kind for name, kind in sorted(seen.items()) if name.startswith("privgraph.") and is_dataclass(kind)]


FOUND = found()


def made(kind: type, /, **said):
    """One with these fields, and with the first that is good of all others; whether they agree is not asked."""
    free = type(kind.__name__, (kind,), {"agree": lambda self: None})
    free.__abstractmethods__ = frozenset()
    thing = object.__new__(free)
    for name, allowed in kinds_of(kind).items():
        object.__setattr__(thing, name, said[name] if name in said else good(allowed))
    thing.__post_init__()
    return thing


def good(allowed: parameters.Kind):
    if allowed.extremes():
        return allowed.extremes()[0]
    first = (getattr(allowed.kind, "__args__", None) or (allowed.kind,))[0]
    stand_in = type(first.__name__, (first,), {})
    stand_in.__abstractmethods__ = frozenset()
    return object.__new__(stand_in)


def faults(kind: type) -> list[str]:
    """What the fields of a class do not refuse, or not by name, or do not take."""
    said = []
    for name, allowed in kinds_of(kind).items():
        named = next((values for pattern, values in BY_NAME.items() if re.fullmatch(pattern, name)), ())
        named = () if kind.__name__ == "Guarantee" else named  # which may be of nothing, or of everything
        for value in (*allowed.bad(), *named):
            try:
                made(kind, **{name: value})
            except (ValueError, TypeError) as error:
                if not re.search(rf"(?<!\w){name}\b.* must .*[,;] got", str(error), re.DOTALL):
                    said.append(f"{name}={value!r} is refused with {error}")
            else:
                said.append(f"{name}={value!r} is taken")
        for value in allowed.extremes():
            try:
                made(kind, **{name: value})
            except (ValueError, TypeError) as error:
                said.append(f"{name}={value!r} is refused: {error}")
    return said


def silent(kind: type) -> set[str]:
    """The fields of a class that say not what they may be."""
    return {field.name for field in fields(kind) if field.init} - kinds_of(kind).keys()


def test_classes_are_found():
    names = {kind.__name__ for kind in FOUND}
    assert {"LPGNN", "Laplace", "Guarantee", "Step", "UploadNoise", "Sampler", "Sampling", "PrototypeSolver"} <= names
    assert sum(len(kinds_of(kind)) for kind in FOUND) >= 300


@pytest.mark.parametrize("kind", FOUND, ids=lambda kind: kind.__name__)
def test_what_a_field_is_not_is_refused_by_its_name(kind):
    assert faults(kind) == []


def test_every_field_says_what_it_may_be():
    assert {kind.__name__: silent(kind) for kind in FOUND
            if silent(kind) != SILENT.get(kind.__name__, set())} == {}


def test_every_mechanism_and_method_is_among_them():
    assert all(issubclass(kind, Parameters) for kind in (Mechanism, Method))


# Classes that break it.

@dataclass(frozen=True)
class Toy(Parameters):
    epsilon: Annotated[float, Epsilon()] = 1.0
    width: Annotated[int, Count(1)] = 3


@dataclass(frozen=True)
class SaysLess(Toy):
    epsilon: Annotated[float, Finite()] = 1.0


@dataclass(frozen=True)
class LooksAtNothing(Toy):
    def __post_init__(self):
        pass


@dataclass(frozen=True)
class SaysNothing(Toy):
    depth: int = 3


@dataclass(frozen=True)
class Anonymous(Toy):
    def __post_init__(self):
        if not isinstance(self.width, int) or isinstance(self.width, bool) or self.width < 1:
            raise ValueError("no")
        super().__post_init__()


def test_faults_are_noticed(monkeypatch):
    assert faults(Toy) == [] and silent(Toy) == set()
    assert {"epsilon=0 is taken", "epsilon=-1.0 is taken"} <= set(faults(SaysLess))
    assert len(faults(LooksAtNothing)) >= 10 and silent(SaysNothing) == {"depth"}
    assert "width=0 is refused with no" in faults(Anonymous)
    monkeypatch.setattr(parameters.numbers, "check_epsilon", parameters.numbers.check_finite)

    @dataclass(frozen=True)
    class Loosened(Parameters):
        epsilon: Annotated[float, Epsilon()] = 1.0
    assert {"epsilon=-1.0 is taken", "epsilon=0 is taken"} <= set(faults(Loosened))
    assert any("epsilon=inf is refused" in fault for fault in faults(Loosened))


# What a class of parameters is otherwise.

@dataclass(frozen=True)
class Wider(Toy):
    width: int = 5

    def agree(self):
        if self.width > self.epsilon:
            raise ValueError(f"width must be at most epsilon, got {self.width}")


def test_another_default_needs_no_kind_of_its_own():
    assert list(kinds_of(Wider)) == ["epsilon", "width"] and Wider(9.0).width == 5
    with pytest.raises(ValueError, match="width must be a whole number, at least 1, got 0"):
        Wider(9.0, 0)
    with pytest.raises(ValueError, match="width must be at most epsilon, got 5"):
        replace(Wider(9.0), epsilon=2.0)


def test_numbers_become_pythons_own():
    toy, same = Toy(np.float32(0.5), np.int64(2)), Toy(0.5, 2)
    assert toy == same and hash(toy) == hash(same) and type(toy.epsilon) is float and type(toy.width) is int


def test_types_may_be_written_as_text():
    source = "from __future__ import annotations\n" + '''
from dataclasses import dataclass
from typing import Annotated, ClassVar
from privgraph.checks.parameters import Count, Parameters

@dataclass(frozen=True)
class Late(Parameters):
    NAME: ClassVar[str] = "late"
    width: Annotated[int | None, Count(1, none=True)] = None
'''
    module = types.ModuleType("late")
    sys.modules["late"] = module
    try:
        exec(source, vars(module))
        assert module.Late().width is None
        with pytest.raises(ValueError, match="width must be"):
            module.Late(0)
    finally:
        del sys.modules["late"]


def test_none_is_taken_where_it_is_said():
    kind = Count(1, none=True)
    assert kind.check(None, "n") is None and None not in kind.bad() and None in kind.extremes()
    assert kind.parse("none") is None and kind.parse("1e3") == 1000
    assert kind.says() == "a whole number, at least 1, or none"
    with pytest.raises(ValueError):
        Count(1).parse("none")


@pytest.mark.parametrize("kind, words", [
    (Epsilon(), "a number above 0, or inf"), (Count(1, 2), "a whole number, 1 to 2"), (Flag(), "True or False"),
    (Choice(("b", "a")), "one of a, b"), (Instance(Exception, none=True), "an Exception, or none"),
    (Instance(int | str), "one of int, str"), (NotNegative(inf=True), "a number of at least 0, or inf")])
def test_a_kind_says_in_words_what_it_allows(kind, words):
    assert kind.says() == repr(kind) == words


def test_texts_are_read_as_the_fields_say():
    kinds = kinds_of(LPGNN)
    assert kinds["epsilon_x"].parse("inf") == math.inf and kinds["backbone"].parse("gcn") == "gcn"
    assert whole("1e6") == kinds["epochs"].parse("1e6") == 10**6
    assert kinds_of(PrivGNN)["student"].read is None and kinds_of(Laplace)["unit"].parse("node") == "node"
