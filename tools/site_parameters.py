"""Reference pages: what each parameter is, what it may be, its default, and where a thing stands in the sources.

Docstrings say it; what a class above says, and what means the same everywhere (``reference.described``), is repeated.
"""

import inspect
import re
from dataclasses import MISSING, fields
from pathlib import Path
from pkgutil import resolve_name
from typing import get_type_hints

from sphinx.application import Sphinx
from sphinx.util.inspect import stringify_signature
from torch import Tensor
from torch_geometric.data import Data

import addresses
from privgraph.checks.parameters import Parameters, kinds_of
from privgraph.cli.options import default_of
from reference import ROOT, described, parameters


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
    """After what docstrings say of a parameter: what is allowed, and the default. Then the place in the sources."""
    if what not in ("class", "exception", "function", "method") or not thing.__module__.startswith("priv"):
        return
    text, holder = "\n".join(lines).rstrip(), resolve_name(name.rpartition(".")[0]) if what == "method" else None
    kinds, more = kinds_of(thing) if documented(thing) else {}, ""
    for each in parameters(thing):
        may_be = f" {allowed(thing, each)}" if each in kinds else ""
        block = re.search(rf"^:param {each}:.*?(?=\n *:|\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
        if block:
            text = f"{text[:block.end()]}{may_be}{text[block.end():]}"
        elif may_be or f"``{each}``" not in text:
            says = (described(thing, holder, each) or "").rstrip(".")
            more += f":param {each}:" + f" {says}." * bool(says) + may_be + "\n"
    found = re.search(r"^:(returns|raises)\b|\Z", text, re.MULTILINE)  # what is given stands before what comes out
    text = f"{text[:found.start()]}\n\n{more}{text[found.start():]}" if more else text
    lines[:] = [*text.split("\n"), *([] if what == "method" else ["", f":source: {place_of(thing)}"]), ""]


def place_of(thing) -> str:
    """File and line, with a link where the book is public.

    >>> from privgraph.privacy import Step
    >>> place_of(Step).rpartition(" ")[0]
    '``lib/privgraph/privacy/accounting.py``, line'
    """
    path = Path(inspect.getsourcefile(inspect.unwrap(thing))).resolve().relative_to(ROOT).as_posix()
    line, known = inspect.getsourcelines(inspect.unwrap(thing))[1], addresses.setting()
    if not known.repository:
        return f"``{path}``, line {line}"
    return f"`{path}, line {line} <{known.repository}/blob/{known.branch}/{path}#L{line}>`__"


def allowed(thing: type, name: str) -> str:
    """
    >>> from privgraph.privacy import Step
    >>> allowed(Step, "count")
    'A whole number, at least 1; by default ``1``.'
    """
    words = kinds_of(thing)[name].says()
    usual = default_of(next(field for field in fields(thing) if field.name == name))
    return f"{words[0].upper()}{words[1:]}" + ("." if usual is MISSING else f"; by default ``{usual!r}``.")
