"""Hyperparameters as options: every field of a method's dataclass, with its type, its default and its docstring."""

import argparse
import inspect
import re
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import partial

from ..checks.parameters import Flag, Instance, Kind, beyond, kinds_of, whole
from ..discover import Written, index
from .spelling import ExactParser


def add_methods(top: ExactParser, fill: Callable[[ExactParser, type], None], *kinds: str, words: str = "") -> None:
    """A parser for each method of some kinds; ``fill`` adds the options of the one that is asked for.

    :param words: their help; without, what their modules say of them.
    """
    methods = top.add_subparsers(required=True, metavar="METHOD", dest="method")
    for name, written in index("privgraph.methods", *kinds).items():
        told = words or written.summary.replace("%", "%%")
        own = methods.add_parser(name.lower(), help=told, description=told, fill=partial(filled, fill, written))
        own.elsewhere = partial(elsewhere, own, "METHOD is said once; privgraph compare takes several of one graph")


def filled(fill: Callable[[ExactParser, type], None], written: Written, own: ExactParser) -> None:
    fill(own, written.load())


def elsewhere(own: ExactParser, methods: str, word: str) -> list[str]:
    """Where a word belongs for which a command has no place: a method's name, or a graph.

    :param methods: of names of methods.
    """
    from ..datasets import CARDS
    if word.lower() in map(str.lower, index("privgraph.methods", "Method")):
        return [methods]
    known = own.named("--graph") and (word in CARDS or word.endswith(".npz"))
    return [f"a graph is said with --graph {word}"] if known else []


def add_fields(parser: argparse.ArgumentParser, kind: type, prefix: str = "", default: object = None,
               needed: bool = True) -> None:
    """An option for each field: ``--epsilon-x``, and ``--student-epochs`` for a field of a field.

    Only what is said reaches ``given``: defaults stay those of the dataclass. A field whose name is a letter away from
    another says in its metadata how its ``option`` is spelt.

    :param needed: whether a field without a default must be said.
    """
    held = {field.name: field for field in fields(kind)} if is_dataclass(kind) else {}
    for name, allowed in kinds_of(kind).items():
        usual = getattr(default, name, default_of(held[name]))
        if isinstance(allowed, Flag):
            how = {"action": BooleanOptionalAction}
        elif allowed.read:
            how = {"type": reader(allowed), "metavar": word(allowed).upper()}
        else:  # its own parameters are said, where it has any
            add_fields(parser, getattr(allowed, "kind", object), f"{prefix}{name}.", usual)
            continue
        spelt = prefix + held[name].metadata.get("option", name)
        parser.add_argument("--" + re.sub("[._]", "-", spelt), dest=prefix + name, default=argparse.SUPPRESS,
                            required=needed and usual is MISSING, help=help_of(kind, name, allowed, usual), **how)


def default_of(field: Field) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def word(allowed: Kind) -> str:
    return "int" if allowed.read is whole else allowed.read.__name__


def reader(allowed: Kind) -> Callable[[str], object]:
    """For argparse: what a text cannot be read as is said as what is allowed, or as what is wrong within."""
    def read(text: str) -> object:
        try:
            return allowed.parse(text)
        except (ValueError, TypeError, OverflowError) as error:
            inner = str(error) if isinstance(allowed, Instance) else (
                f"must be {allowed.says()}, got {text!r}{beyond(text)}")
            raise ArgumentTypeError(inner) from error
    return read


def docstring_of(kind: type, name: str) -> str:
    """What the docstring of the class, or of one that it extends, says of a field."""
    found = (re.search(rf":param {name}:(.*?)(?=\n *:|\n\n|\Z)", inspect.cleandoc(base.__doc__ or ""), re.DOTALL)
             for base in kind.__mro__)
    return next((" ".join(match.group(1).split()) for match in found if match), "")


def help_of(kind: type, name: str, allowed: Kind, usual: object) -> str:
    """What is said of a field in the docstrings, what is allowed, and the default."""
    text = docstring_of(kind, name).replace("``", "").rstrip(".")
    told = "required" if usual is MISSING else f"default: {usual}"
    if not isinstance(allowed, Flag):
        told = f"{allowed.says()}; {told}"
    return f"{text} ({told})".strip().replace("%", "%%")


def given(options: argparse.Namespace, kind: type) -> dict[str, object]:
    """The fields of ``kind`` that were said, those of its fields put together again."""
    said = {}
    for field in fields(kind) if is_dataclass(kind) else ():
        inner = {name.partition(".")[2]: value for name, value in vars(options).items()
                 if name.startswith(f"{field.name}.")}
        if field.name in options:
            said[field.name] = getattr(options, field.name)
        elif inner:
            said[field.name] = replace(default_of(field), **inner)
    return said
