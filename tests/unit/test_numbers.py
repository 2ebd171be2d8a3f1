"""One rule for every number that comes in: NumPy's and torch's are read and become Python's own, a bool is none."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest
import torch

from privgraph import checks
from privgraph.checks.parameters import Count, Parameters, Rate
from privgraph.privacy import Budget, GaussianPair, LaplacePair, Step, pure_pair

NUMBERS = {checks.check_epsilon: (), checks.check_positive: ("n",), checks.check_finite: ("n",),
           checks.check_fraction: ("n",), checks.check_rate: (), checks.check_delta: ()}
COUNTS = {checks.check_count: ("n",)}
ORDERS = {checks.check_order: ()}


def kinds(value: float):
    """The same number as Python's, NumPy's and torch's."""
    return [value, np.float16(value), np.float32(value), np.float64(value), np.array(value), torch.tensor(value),
            torch.tensor(value, dtype=torch.float64), torch.tensor(value, dtype=torch.float16)]


WHOLE = [3, np.int64(3), np.uint8(3), np.int32(3), np.array(3), torch.tensor(3), torch.tensor(3, dtype=torch.int8)]


@pytest.mark.parametrize("check", NUMBERS)
def test_numbers_of_all_kinds_become_floats(check):
    found = [check(value, *NUMBERS[check]) for value in kinds(0.5)]
    assert found == [0.5] * 8 and {*map(type, found)} == {float}


@pytest.mark.parametrize("value", WHOLE, ids=lambda v: f"{type(v).__name__}-{getattr(v, 'dtype', '')}")
def test_whole_numbers_of_all_kinds_become_ints(value):
    for found in (checks.check_count(value, "n"), checks.check_order(value, whole=True)):
        assert type(found) is int and found == 3
    assert type(checks.check_epsilon(value)) is float


@pytest.mark.parametrize("value", [2.0, np.float32(2), np.array(2.0), torch.tensor(2.0)])
def test_who_counts_does_not_count_in_floats(value):
    with pytest.raises(ValueError, match=r"^n must be a whole number, at least 0, got .*2\.?"):
        checks.check_count(value, "n")


NO_NUMBERS = [True, False, np.True_, np.array(True), torch.tensor(True), None, "1", math.nan, np.float32("nan"),
              torch.tensor(math.nan), 1j, np.complex64(1), torch.tensor(0.5 + 0j), [0.5], np.array([0.5]),
              torch.tensor([0.5]), torch.tensor([]), object, 10**400]


def answer(check, value) -> str:
    try:
        return f"{check(value, 'argument')} is taken"
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("check", NUMBERS | COUNTS | ORDERS)
def test_what_is_no_number_is_refused_with_what_came(check):
    answers = {repr(value): answer(check, value) for value in NO_NUMBERS}
    others = {value: said for value, said in answers.items()
              if not (said.startswith("argument must ") and said.endswith(f"got {value}"))}
    huge = str(10**400)  # counts have no limit of floats
    assert others == ({huge: f"{huge} is taken"} if check is checks.check_count else {})


@pytest.mark.parametrize("check", [checks.check_epsilon, checks.check_positive, checks.check_rate, checks.check_delta])
@pytest.mark.parametrize("value", [1e-320, 5e-324, torch.tensor(1e-320, dtype=torch.float64)])
def test_numbers_below_what_floats_tell_well_are_refused_with_the_reason(check, value):
    with pytest.raises(ValueError, match="n must be at least 2.23e-308, where floats lose their digits"):
        check(value, "n")
    assert check(checks.TINY, "n") == checks.TINY


@pytest.mark.parametrize("keywords, inside, outside", [
    (dict(low=0, high=1), (0, 0.5, 1), (-0.1, 1.1)), (dict(low=0, high=1, open_low=True), (0.5, 1), (0,)),
    (dict(low=0, high=1, open_high=True), (0, 0.5), (1,)), (dict(high=3), (-math.inf, 3), (4, math.inf)),
    (dict(low=2, whole=True), (2, 10**400), (1, 2.5))])
def test_ends_of_a_range(keywords, inside, outside):
    for value in inside:
        assert checks.check_number(value, "n", **keywords) == value
    for value in outside:
        with pytest.raises(ValueError, match="^n must .*, got"):
            checks.check_number(value, "n", **keywords)


@dataclass(frozen=True)
class Toy(Parameters):
    width: Annotated[int, Count(1)]
    rate: Annotated[float, Rate()]


def test_a_frozen_dataclass_keeps_what_the_check_returns():
    toy = Toy(torch.tensor(3), np.float32(0.5))
    assert toy == Toy(3, 0.5) and type(toy.width) is int and type(toy.rate) is float
    with pytest.raises(ValueError, match="width must be a whole number, at least 1, got 3.0"):
        Toy(3.0, 0.5)


@pytest.mark.parametrize("made, field", [
    (lambda v: LaplacePair(v), "scale"), (lambda v: GaussianPair(v), "sigma"), (lambda v: LaplacePair(1.0, v), "rate"),
    (lambda v: Budget((Step(pure_pair(1.0)),), v), "rate")])
def test_pairs_and_budgets_keep_pythons_numbers(made, field):
    assert made(torch.tensor(0.5)) == made(np.float32(0.5)) == made(0.5)
    assert type(getattr(made(np.float32(0.5)), field)) is float
    assert Step(pure_pair(1.0), np.int64(2)).count.__class__ is int


@pytest.mark.parametrize("value", [["gcn"], {}, 3, None, b"gcn"])
def test_a_choice_is_a_name(value):
    with pytest.raises(ValueError, match="backbone must be one of gcn, sage; got"):
        checks.check_choice(value, "backbone", {"gcn": 1, "sage": 2})
