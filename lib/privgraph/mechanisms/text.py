"""Mechanisms written as text: NAME:key=value,... as on the command line."""

from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from typing import get_type_hints

from ..checks import check_choice
from .mechanism import Mechanism, all_mechanisms, name_of

# How a field of each type is read.
READ: dict[object, Callable[[str], object]] = {
    float: float, int: int, str: str, int | None: int, tuple[int, ...]: lambda text: tuple(map(int, text.split("x"))),
    float | tuple[float, ...]: lambda text: tuple(map(float, text.split("x"))) if "x" in text else float(text)}


def fields_of(kind: type[Mechanism]) -> dict[str, Callable[[str], object]]:
    """The fields of a mechanism that can be written as text, and how each is read.

    >>> from privgraph.mechanisms import GRRFS
    >>> list(fields_of(GRRFS)), fields_of(GRRFS)["domain_sizes"]("2x3")
    (['epsilon', 'domain_sizes', 'sampled'], (2, 3))
    """
    hints = get_type_hints(kind)
    return {f.name: READ[hints[f.name]] for f in fields(kind) if f.init and hints[f.name] in READ}


def parse(text: str) -> tuple[type[Mechanism], dict[str, str]]:
    """What kind of mechanism is meant, and what is said of it.

    :param text: NAME:key=value,..., or module:Class:key=value,... for one of your own.

    >>> parse("laplace:epsilon=0.5,sensitivity=2")
    (<class 'privgraph.mechanisms.additive.Laplace'>, {'epsilon': '0.5', 'sensitivity': '2'})
    """
    (name, *rest), known = text.split(":"), all_mechanisms()
    if name not in known and rest and rest[0].isidentifier():
        kind = getattr(imported(name), rest.pop(0), None)
        if not (isinstance(kind, type) and issubclass(kind, Mechanism)):
            raise ValueError(f"mechanism must name a subclass of Mechanism, got {text!r}")
    else:
        kind = known[check_choice(name, "mechanism", known)]
    pairs = [item.partition("=") for item in ":".join(rest).split(",") if item]
    if wrong := [key for key, sign, value in pairs if not (sign and value)]:
        raise ValueError(f"mechanism must be written NAME:key=value,..., got {wrong[0]!r} in {text!r}")
    return kind, {key: value for key, _, value in pairs}


def imported(name: str):
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(f"mechanism is in a module that cannot be imported: {error}") from error


def made(kind: type[Mechanism], said: dict[str, str]) -> Mechanism:
    """The mechanism of this kind with these fields.

    >>> from privgraph.mechanisms import Laplace
    >>> made(Laplace, {"epsilon": "0.5"}).scale
    2.0
    """
    read, values = fields_of(kind), {}
    for key, text in said.items():
        check_choice(key, f"key of {name_of(kind)}", read)
        try:
            values[key] = read[key](text)
        except ValueError:
            raise ValueError(f"{key} of {name_of(kind)} cannot be {text!r}") from None
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"{name_of(kind)} needs {', '.join(read)} (some have defaults): {error}") from error
