"""What reference pages say of parameters: the types in the signature, and beside each what it may be."""

import inspect

import site_parameters
from privbook import Attempt
from privgraph.graph import propagate
from privgraph.methods import LPGNN, PATE, Noised
from privgraph.privacy import Guarantee, Step


def lines_of(thing, what: str = "class", name: str = "") -> list[str]:
    lines = [*inspect.getdoc(thing).split("\n"), ""]
    site_parameters.show_parameters(None, what, name, thing, {}, lines)
    return lines


def test_what_is_allowed_is_said_after_what_the_docstring_says():
    text = "\n".join(lines_of(LPGNN))
    assert (":param epsilon_x: budget of a node's feature vector; ``inf`` sends the features as they are. "
            "A number above 0, or inf; by default ``3.0``.\n:param x_steps:") in text
    assert ":param hidden: width of the hidden layers. A whole number, at least 1; by default ``16``." in text
    assert text.count(":param epsilon_x:") == text.count(":param hidden:") == 1
    assert "    of their variance); 0 is none. A number of at least 0; by default ``1.0``." in lines_of(Noised)
    assert "A number above 0.\n" in "\n".join(lines_of(PATE)), "scale has no default"


def test_what_means_the_same_everywhere_and_what_a_class_above_says_is_repeated():
    text = "\n".join(lines_of(LPGNN.collect, "method", "privgraph.methods.LPGNN.collect"))
    assert ":param data: the graph: ``x`` float [N, d]," in text and ":source:" not in text
    text = "\n".join(lines_of(PATE.mechanism, "method", "privgraph.methods.PATE.mechanism"))
    assert ":param num_classes: C, how many classes there can be, a public number." in text
    assert ":param matrix: the weights of edges [N, N]" in "\n".join(lines_of(propagate, "function"))
    assert any(":param printed:" in line for line in lines_of(Attempt.about, "method", "privbook.Attempt.about"))


def test_the_place_in_the_sources_is_said(monkeypatch):
    place, line = inspect.getsourcefile(Step), inspect.getsourcelines(Step)[1]
    assert lines_of(Step)[-2] == f":source: ``lib/privgraph/privacy/accounting.py``, line {line}"
    assert place.endswith("lib/privgraph/privacy/accounting.py")
    known = site_parameters.addresses.Addresses("https://github.com/a/b", "main", "https://a.example/b/")
    monkeypatch.setattr(site_parameters.addresses, "setting", lambda: known)
    assert f"<https://github.com/a/b/blob/main/lib/privgraph/privacy/accounting.py#L{line}>`__" in lines_of(Step)[-2]


def test_signatures_show_types_alone():
    signature, returned = site_parameters.show_signature(None, "class", "", Step, {}, "", None)
    assert signature.endswith("count: int = 1)") and returned is None and "Annotated" not in signature
    assert "unit: str = 'nothing'" in site_parameters.show_signature(None, "class", "", Guarantee, {}, "", None)[0]


def test_what_has_no_parameters_is_left_alone():
    lines = ["Of no parameters."]
    site_parameters.show_parameters(None, "function", "", max, {}, lines)
    assert lines == ["Of no parameters."]
    assert site_parameters.show_signature(None, "class", "", dict, {}, "()", None) is None
