"""What each parameter of a class may be, on the reference pages: its type, what is allowed, and the default."""

import inspect
import re
from dataclasses import MISSING, fields
from typing import get_type_hints

from sphinx.application import Sphinx
from sphinx.util.inspect import stringify_signature
from torch import Tensor
from torch_geometric.data import Data

from privgraph.checks.parameters import Parameters, kinds_of
from privgraph.cli.options import default_of, docstring_of


def documented(thing) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Parameters) and bool(kinds_of(thing))


def show_signature(app: Sphinx, what: str, name: str, thing, options, signature, returns):
    """The types alone: what is allowed is said beside the parameter."""
    if documented(thing):
        hints, shown = get_type_hints(thing, localns={"Data": Data, "Tensor": Tensor}), inspect.signature(thing)
        arguments = [each.replace(annotation=hints.get(each.name, each.annotation))
                     for each in shown.parameters.values()]
        return stringify_signature(shown.replace(parameters=arguments, return_annotation=shown.empty)), returns


def show_parameters(app: Sphinx, what: str, name: str, thing, options, lines: list[str]) -> None:
    """After what docstrings say of a parameter: what is allowed, and the default."""
    if documented(thing):
        text = "\n".join(lines).rstrip()
        for name in kinds_of(thing):
            block = re.search(rf"^:param {name}:.*?(?=\n *:|\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
            if block:
                text = f"{text[:block.end()]} {allowed(thing, name)}{text[block.end():]}"
            else:
                text += f"\n\n:param {name}: {docstring_of(thing, name)} {allowed(thing, name)}"
        lines[:] = [*text.split("\n"), ""]


def allowed(thing: type, name: str) -> str:
    """
    >>> from privgraph.privacy import Step
    >>> allowed(Step, "count")
    'A whole number, at least 1; by default ``1``.'
    """
    words = kinds_of(thing)[name].says()
    usual = default_of(next(field for field in fields(thing) if field.name == name))
    return f"{words[0].upper()}{words[1:]}" + ("." if usual is MISSING else f"; by default ``{usual!r}``.")
