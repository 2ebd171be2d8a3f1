"""Properties of accountants: ours have them all, and each property is seen to catch a plausible mistake."""

import math
from dataclasses import replace
from functools import cache

import pytest

from privgraph.audit import accountants, check_accountant
from privgraph.audit.accountants import PROPERTIES, QUESTIONS, Finding, Question, attack_bound
from privgraph.privacy import FinitePair, GaussianPair, Step, exact_epsilon, gdp_epsilon, pld_epsilon, rdp_epsilon
from privgraph.privacy.conversions import gdp_delta

bounds, renyi_bound = cache(accountants.bounds), cache(accountants.renyi_bound)  # each mistake is asked the same
SOME = (Question(2.0, 10), Question(1.0, 50, 0.05))


@pytest.fixture(autouse=True)
def remembered(monkeypatch):
    monkeypatch.setattr(accountants, "bounds", bounds)


def steps(question: Question) -> list[Step]:
    return [Step(GaussianPair(question.noise).poisson(question.rate), question.count)]


def truthful(question: Question) -> float:
    """Closed form, and whole orders after sampling."""
    _ = steps(question)  # refuses what means nothing
    gdp_delta(1.0, 0.0), gdp_epsilon(1.0, question.delta)
    return bounds(question)[0] if question.rate == 1 else renyi_bound(question)


BROKEN = {
    "answers": lambda q: truthful(q) if q.delta > 1e-16 else math.nan,
    "at least 0": lambda q: truthful(q) - 1.5,
    "falls with delta": lambda q: truthful(q) + (5.0 if q.delta > 1e-3 else 0),
    "rises with count": lambda q: truthful(replace(q, count=max(1, q.count % 100))),
    "rises with rate": lambda q: truthful(replace(q, rate=q.rate if q.rate < 0.3 else 0.01)),
    "falls with noise": lambda q: truthful(q) + (1.0 if q.noise > 10 else 0.0),
    "no jumps": lambda q: truthful(q) * (1 if q.delta > 1.12e-18 else 20),
    "above the lower bound": lambda q: 0.999 * truthful(q),
    "below the upper bound": lambda q: 1.2 * truthful(q) + 0.1,
    "refuses": lambda q: truthful(replace(q, delta=min(0.5, abs(q.delta)) or 1e-5) if q.delta == q.delta else q)}


def test_a_truthful_accountant_passes():
    assert check_accountant(truthful) == []


@pytest.mark.parametrize("property", PROPERTIES)
def test_each_property_catches_a_mistake(property):
    questions = (*SOME, Question(1.0, 60, 0.2))
    found = check_accountant(BROKEN[property], questions)
    assert property in {finding.property for finding in found}, [str(each) for each in found[:5]]


def test_the_tables_are_whole():
    assert BROKEN.keys() == set(PROPERTIES) and {each.rate < 1 for each in QUESTIONS} == {True, False}


@pytest.mark.parametrize("name, accountant", [
    ("pld", lambda q: pld_epsilon(steps(q), q.delta, 0.01).pessimistic),
    ("rdp", lambda q: rdp_epsilon(steps(q), q.delta))])
def test_our_accountants_have_every_property(name, accountant):
    """But that Renyi divergences are no tight bound: they may lie above the upper one, which takes the best of two."""
    found = check_accountant(accountant, SOME)
    assert [str(each) for each in found if (name, each.property) != ("rdp", "below the upper bound")] == []


def test_an_accountant_that_raises_has_no_answer_and_refuses():
    def broken(question):
        raise ArithmeticError("no\n  idea")
    found = check_accountant(broken, [Question(1.0)])
    assert {each.property for each in found} == {"answers"} and found[0].said == "ArithmeticError: no idea"
    assert str(found[0]) == "answers: ArithmeticError: no idea (noise 1, count 1, rate 1, delta 0.1)"
    with pytest.raises(TypeError, match="accountant"):
        check_accountant(3)
    with pytest.raises(ValueError, match="slack"):
        check_accountant(truthful, slack=0)


@pytest.mark.parametrize("question", [Question(1.0, 100, 0.1), Question(0.7, 20, 0.3), Question(3.0, 500, 0.02)])
def test_the_lower_bound_is_an_attack_on_a_coarser_output(question):
    """Whoever keeps one bit of each use has a pair with two outcomes, of which the exact epsilon is known."""
    from scipy.special import ndtr
    without = float(ndtr(-1.0))
    with_person = (1 - question.rate) * without + question.rate * float(ndtr(1 / question.noise - 1.0))
    pair = FinitePair((with_person, 1 - with_person), (without, 1 - without))
    low, high = bounds(question)
    assert attack_bound(question, 1.0) <= exact_epsilon(pair, question.count, question.delta)
    assert 0 < low < high and low <= pld_epsilon(steps(question), question.delta).pessimistic


def test_findings_say_where():
    assert str(Finding("at least 0", Question(2.0, 3, 0.5, 1e-9), "-1")) == (
        "at least 0: -1 (noise 2, count 3, rate 0.5, delta 1e-09)")
