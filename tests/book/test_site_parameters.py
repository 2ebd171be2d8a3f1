"""What reference pages say of parameters: the types in the signature, and beside each what it may be."""

import inspect

import site_parameters
from privgraph.methods import LPGNN, PATE, Noised
from privgraph.privacy import Guarantee, Step


def lines_of(thing) -> list[str]:
    lines = [*inspect.getdoc(thing).split("\n"), ""]
    site_parameters.show_parameters(None, "class", "", thing, {}, lines)
    return lines


def test_what_is_allowed_is_said_after_what_the_docstring_says():
    text = "\n".join(lines_of(LPGNN))
    assert (":param epsilon_x: budget of a node's feature vector; ``inf`` sends the features as they are. "
            "A number above 0, or inf; by default ``3.0``.\n:param x_steps:") in text
    assert ":param hidden: width of the hidden layers. A whole number, at least 1; by default ``16``." in text
    assert text.count(":param epsilon_x:") == text.count(":param hidden:") == 1
    assert lines_of(Noised)[-2] == "    of their variance); 0 is none. A number of at least 0; by default ``1.0``."
    assert "A number above 0.\n" in "\n".join(lines_of(PATE)), "scale has no default"


def test_signatures_show_types_alone():
    signature, returned = site_parameters.show_signature(None, "class", "", Step, {}, "", None)
    assert signature.endswith("count: int = 1)") and returned is None and "Annotated" not in signature
    assert "unit: str = 'nothing'" in site_parameters.show_signature(None, "class", "", Guarantee, {}, "", None)[0]


def test_what_has_no_parameters_is_left_alone():
    lines = ["Of no parameters."]
    site_parameters.show_parameters(None, "function", "", max, {}, lines)
    assert lines == ["Of no parameters."]
    assert site_parameters.show_signature(None, "class", "", dict, {}, "()", None) is None
