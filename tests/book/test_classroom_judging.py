"""Answers as data: packed, compared, and told what is wrong with them."""

import math
from array import array
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given, strategies
from scipy import stats

from privbook.classroom import Draws, Mark, Part
from privbook.classroom.judging import HIDDEN, LEVEL, answered, close, follows
from privgraph.randomness import seeded
from privgraph.teach import pack, pack_input, tell, unpack
from privgraph.teach.handing_in import DEEPEST, MIME

PLAIN = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers(-9, 9) | strategies.text(max_size=3)
    | strategies.floats(allow_nan=False), lambda inner: strategies.lists(inner, max_size=3)
    | strategies.dictionaries(strategies.text(max_size=2), inner, max_size=2), max_leaves=6)


@given(PLAIN)
def test_what_is_packed_is_unpacked(value):
    assert unpack(pack(value)) == value and close(unpack(pack(value)), value, 1e-9)


def test_tensors_arrays_and_sets_are_packed():
    assert pack(torch.ones(2)) == pack(np.ones(2)) == [1.0, 1.0] and pack(np.float32(0.5)) == 0.5
    assert unpack(pack({frozenset({1, 2}): (3,)})) == {frozenset({1, 2}): [3]}
    assert unpack(pack(seeded(5))).initial_seed() == 5
    for tensor in (torch.rand(2, dtype=torch.float64), torch.arange(3), torch.tensor([True])):
        again = unpack(pack_input(tensor))
        assert again.dtype == tensor.dtype and torch.equal(again, tensor)


def test_numbers_and_columns_of_other_libraries_are_packed():
    """What can be compared with a number on the student's page can be compared here."""
    assert pack(Fraction(1, 4)) == pack(Decimal("0.25")) == pack(sympy.Rational(1, 4)) == 0.25
    assert pack(range(2)) == pack(array("b", [0, 1])) == [0, 1] and pack([Fraction(1, 2)]) == [0.5]


@pytest.mark.parametrize("value", [object(), type, lambda: 0, [torch.nn.Linear(1, 1)], {1: open}])
def test_objects_are_not_packed(value):
    with pytest.raises(TypeError, match="an answer is made of"):
        pack(value)


def test_what_is_too_deep_is_not_packed():
    deep = 1
    for _ in range(DEEPEST):
        deep = [deep]
    assert pack(deep) == deep
    with pytest.raises(TypeError, match="nested"):
        pack([deep])


@pytest.mark.parametrize("found, right, same", [
    (1, 1.0, True), (0.1 + 0.2, 0.3, True), (math.inf, math.inf, True), (math.inf, 1, False),
    (math.nan, math.nan, False),
    ("Yes ", "yes", True), ([1, 2], [1, 2], True), ([1], [1, 2], False), ("1", 1, False), (None, 0, False),
    ({"a": 1}, {"a": 1.0}, True), ({"a": 1}, {"b": 1}, False), (frozenset({1}), frozenset({1}), True),
    ([1], frozenset({1}), False), (True, "true", False), (None, None, True)])
def test_close(found, right, same):
    assert close(found, right, 1e-6) is same


PART = Part("double", lambda given, x: given["scale"] * x, lambda given: [(1.0,), (2.5,)],
            {"You squared it.": lambda given, x: x * x})
GIVEN = {"scale": 2}


def sent(*values):
    return [{"value": pack(value)} for value in values]


@pytest.mark.parametrize("answer, fraction, words", [
    (sent(2.0, 5.0), 1.0, "Right"), (sent(1.0, 6.25), 0.0, "You squared it"), (sent(2.0, 5.1), 0.5, "not right yet"),
    (sent(2.0, 6.25), 0.5, "right for 1 of 2"), (sent(2.0, 2.0), 0.0, "not right yet"),
    (sent(2.0), 0.0, "could not be read"), (None, 0.0, "could not be read"), ("no list", 0.0, "could not be read"),
    ([{"value": 2.0}, {"error": "ValueError: no"}], 0.5, "no answer: ValueError. It is right for 1 of 2"),
    ([{}, {}], 0.0, "could not be read"),
    ([{"value": {"unknown": 1}}, {"value": 5.0}], 0.0, "could not be read"), ([1, 2], 0.0, "could not be read")])
def test_marks(answer, fraction, words):
    mark = PART.mark(GIVEN, answer)
    assert mark.fraction == fraction and words in mark.feedback


@pytest.mark.parametrize("error, said", [
    ("ValueError: asked with 2.5", "ValueError"), ("Asked_with_2_5: x", "an error of its own"), ("2.5", "of its own"),
    ("there is no 'double'", "there is no 'double'"), ("there is no 'x_2_5'", "of its own"),
    ("TypeError: nothing is written there yet", "nothing is written there yet"), ("\ud83d" * 10**6, "of its own")])
def test_no_error_says_what_a_function_was_asked(error, said):
    """It may be the student's own, whose words are any; a value's may be seen, as it was asked for nothing."""
    feedback = PART.mark(GIVEN, [{"error": error}] * 2).feedback
    assert said in feedback and "2.5" not in feedback and "2_5" not in feedback and len(feedback) < 200
    assert error[:100] in Part("x", lambda given: 1).mark({}, [{"error": error}]).feedback


def test_hidden_inputs_are_added_where_they_are_right_for_everybody():
    own = Part("f", lambda given, x: x, lambda given: [(given["n"],), (1,)])
    assert own.inputs({"n": 5, HIDDEN: {"n": 7}}) == [(5,), (1,), (7,)]
    assert PART.inputs({"scale": 2, HIDDEN: {"scale": 3}}) == [(1.0,), (2.5,)], "what is right depends on whose it is"
    assert Part("x", lambda given: 1).inputs({HIDDEN: {}}) == [()]


def test_all_misunderstandings_that_fit_are_told():
    wrong = {message: lambda given, value=value: value for message, value in (("This.", 2), ("That.", 2), ("No.", 3))}
    part = Part("x", lambda given: 1, wrong=wrong)
    assert part.mark({}, sent(2)).feedback == "This. Or: That."


def test_another_kind_of_answer_is_named():
    """A list of pairs, where the set of them is asked, reads like a wrong answer otherwise."""
    part = Part("finite", lambda given: {(1, 2)})
    assert part.mark({}, sent({(1, 2)})).fraction == 1
    assert part.mark({}, sent([(1, 2)])).feedback == "`finite` must be a set; here it is a list."
    assert part.mark({}, sent({(2, 1)})).feedback == "`finite` is not right yet."
    assert Draws("roll", coin(0.5)).mark({}, sent(3)).feedback == "`roll` must be a list; here it is a number."
    assert "must be a number; here it is nothing" in PART.mark(GIVEN, sent(2.0, None)).feedback


def test_no_message_says_what_is_right():
    assert "5" not in PART.mark(GIVEN, sent(2.0, 4.9)).feedback


def coin(p):
    return lambda given, *_: {0: 1 - p, 1: p}


def test_draws_are_compared_with_a_law():
    part = Draws("draw", coin(0.3), lambda given: [(1,)], {"You turned it around.": coin(0.7)})
    for p, words in ((0.3, "Right"), (0.7, "turned it around"), (0.33, "not right yet")):
        draws = (torch.rand(20_000, generator=seeded(1)) < p).int().tolist()
        assert words in part.mark({}, sent(draws)).feedback
    assert part.mark({}, sent([0, 1, 2] * 1000)).fraction == 0, "2 has no chance"
    assert part.mark({}, sent([])).fraction == part.mark({}, sent(7)).fraction == 0


def test_right_draws_are_refused_seldom():
    """At LEVEL 1e-7; of 300 tests at level .01 about 3 refuse, more than 14 with a chance below 1e-6."""
    laws = {0: 0.2, 1: 0.5, 2: 0.3}
    generator, refused = seeded(0), 0
    for _ in range(300):
        draws = torch.multinomial(torch.tensor([0.2, 0.5, 0.3]), 500, True, generator=generator).tolist()
        refused += not follows(draws, laws, 0.01)
    assert refused <= 14 and LEVEL <= 1e-6


def test_draws_of_numbers_are_compared_with_a_distribution_function():
    noise = torch.randn(5000, generator=seeded(2)).tolist()
    assert follows(noise, stats.norm(), 1e-7)
    assert not follows(noise, stats.norm(scale=1.2), 1e-7) and not follows(["a"], stats.norm(), 1e-7)


def shown(monkeypatch, namespace, name, calls):
    found = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: found.append(data[MIME]))
    tell(namespace, name, calls)
    return found


def test_an_answer_is_told_or_why_there_is_none(monkeypatch):
    space = {"x": torch.tensor([1, 2]), "f": lambda a: a + 1, "bad": lambda a: 1 / a, "big": lambda a: [0] * 10**6}
    assert shown(monkeypatch, space, "x", None) == ['[{"value": [1, 2]}]']
    assert shown(monkeypatch, space, "f", "[[1], [2]]") == ['[{"value": 2}, {"value": 3}]']
    space["blank"] = lambda a: ...
    for name, words in (("bad", "ZeroDivisionError"), ("gone", "there is no"), ("big", "characters"),
                        ("blank", "nothing is written")):
        assert words in shown(monkeypatch, space, name, "[[0]]")[0]


def test_a_mark_is_of_what_was_told_only():
    assert PART.mark(GIVEN, sent(2.0, 5.0)) == Mark(1.0, "Right.") and answered(sent(1), 1) and not answered(sent(1), 2)
