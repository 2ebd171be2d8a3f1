"""Mechanisms written as text: every field is read as its type, and what means nothing is refused by name."""

import pytest

from privgraph import mechanisms as M
from privgraph.checks.parameters import whole
from privgraph.mechanisms.text import made, parse


@pytest.mark.parametrize("text, wanted", [
    ("laplace:epsilon=0.5,sensitivity=2,unit=undirected edge", M.Laplace(0.5, 2.0, unit="undirected edge")),
    ("multi-bit:epsilon=1,num_features=3,low=-1,high=2.5", M.MultiBit(1.0, 3, low=-1.0, high=2.5)),
    ("multi-bit:epsilon=1,num_features=2,low=-1x0,high=1x2.5", M.MultiBit(1.0, 2, low=(-1.0, 0.0), high=(1.0, 2.5))),
    ("grr-fs:epsilon=1,domain_sizes=2x3,sampled=1", M.GRRFS(1.0, (2, 3), sampled=1)),
    ("noisy-arg-max:scale=2,num_classes=3,noise=laplace", M.NoisyArgMax(2.0, 3, noise="laplace")),
    ("gaussian:epsilon=1,delta=1e-5", M.Gaussian(1.0, 1e-5)),
    ("randomised-response:epsilon=1,num_classes=4", M.RandomisedResponse(1.0, 4)),
    ("blink:epsilon_degree=1,epsilon_edges=2,reports=1", M.Blink(1.0, 2.0, reports=1)),
    ("randomised-response:epsilon=1,num_classes=1e1", M.RandomisedResponse(1.0, 10)),
    ("two-hop-response:epsilon=1", M.TwoHopResponse(1.0))])
def test_text_says_every_field(text, wanted):
    assert repr(made(*parse(text))) == repr(wanted)


def test_a_class_is_named_with_its_module():
    fields = "epsilon=0.5,sensitivity=2,unit=undirected edge"
    assert made(*parse(f"privgraph.mechanisms:Laplace:{fields}")) == made(*parse(f"laplace:{fields}"))


@pytest.mark.parametrize("text, message", [
    ("laplas:epsilon=1", "mechanism must be one of .*laplace.*; got 'laplas'"), ("laplace:epsilon", "NAME:key=value"),
    ("laplace:epsilon=x", "epsilon of laplace must be a number above 0, or inf, got 'x'"),
    ("laplace:eps=1", "key of laplace must be one of epsilon"),
    ("laplace", "laplace needs epsilon, laplace:epsilon="), ("laplace:epsilon=1,unit=planet", "unit must be one of"),
    ("nowhere:Mine", "cannot be imported"), ("math:sqrt", "subclass of Mechanism"),
    ("laplace:epsilon=1,epsilon=2", "each key once, got epsilon=1 and epsilon=2 in 'laplace:epsilon=1,epsilon=2'"),
    ("randomised-response:epsilon=1,num_classes=2.5", "num_classes of randomised-response must be a whole number"),
    ("laplace:=1", "NAME:key=value"), ("laplace:epsilon=0", "epsilon must be")])
def test_text_that_means_nothing_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        made(*parse(text))


@pytest.mark.parametrize("text, number", [("12", 12), ("-3", -3), ("1e6", 10**6), ("2.0", 2), ("1_000", 1000)])
def test_whole_numbers_however_they_are_written(text, number):
    assert whole(text) == number and type(whole(text)) is int


@pytest.mark.parametrize("text", ["2.5", "inf", "nan", "x", "", "1e-3"])
def test_what_is_no_whole_number(text):
    with pytest.raises(ValueError):
        whole(text)
