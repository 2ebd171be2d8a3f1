"""Mechanisms written as text: NAME:key=value,... as on the command line."""

import os
import sys
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module

from ..checks import check_choice
from ..checks.parameters import Instance, Kind, beyond, kinds_of
from .mechanism import Mechanism, all_mechanisms, name_of


def mechanism(text: str) -> Mechanism:
    """
    >>> mechanism("laplace:epsilon=0.5,sensitivity=2").scale
    4.0
    """
    return made(*parse(text))


def mechanism_of(kind: type[Mechanism]) -> Callable[[str], Mechanism]:
    """The same, where it must be of one kind."""
    def read(text: str) -> Mechanism:
        return made(*parse(text, kind))
    read.__name__ = mechanism.__name__  # so the command line calls what it reads
    return read


def fields_of(kind: type) -> dict[str, Kind]:
    """The fields of a mechanism that can be written as text, and what each may be.

    >>> from privgraph.mechanisms import GRRFS
    >>> list(fields_of(GRRFS)), fields_of(GRRFS)["domain_sizes"].parse("2x3")
    (['epsilon', 'domain_sizes', 'sampled'], (2, 3))
    """
    return {name: said for name, said in kinds_of(kind).items() if said.read}


def parse(text: str, of: type[Mechanism] = Mechanism) -> tuple[type[Mechanism], dict[str, str]]:
    """What kind of mechanism is meant, and what is said of it.

    :param text: NAME:key=value,..., or module:Class:key=value,... for one of your own.
    :param of: what it must be.

    >>> parse("laplace:epsilon=0.5,sensitivity=2")
    (<class 'privgraph.mechanisms.additive.Laplace'>, {'epsilon': '0.5', 'sensitivity': '2'})
    """
    (name, *rest), known = text.split(":"), {name: kind for name, kind in all_mechanisms().items()
                                             if issubclass(kind, of)}
    if name not in all_mechanisms() and rest and rest[0].isidentifier():
        kind = getattr(imported(name), rest.pop(0), None)
        if not (isinstance(kind, type) and issubclass(kind, of)):
            raise ValueError(f"mechanism must name a subclass of {of.__name__}, got {text!r}")
    else:
        kind = known[check_choice(name, "mechanism", known)]
    return kind, said_in(":".join(rest), text)


def said_in(items: str, text: str, what: str = "mechanism", form: str = "NAME:key=value,...") -> dict[str, str]:
    """What key=value,key=value says; each key once.

    :param text: all that was written, for messages.

    >>> said_in("epsilon=0.5,sensitivity=2", "laplace:epsilon=0.5,sensitivity=2")
    {'epsilon': '0.5', 'sensitivity': '2'}
    """
    if text.endswith(":") or items and not all(map(str.strip, items.split(","))):
        raise ValueError(f"{what} must be written {form} without blanks, got {text!r}, where something is missing")
    said = {}
    for key, sign, value in (map(str.strip, item.partition("=")) for item in filter(None, items.split(","))):
        if not (key and sign and value):
            raise ValueError(f"{what} must be written {form}, got {key!r} in {text!r}")
        if key in said:
            raise ValueError(f"{what} must say each key once, got {key}={said[key]} and {key}={value} in {text!r}")
        said[key] = value
    return said


def imported(name: str):
    """A module of the user's, whatever happens in it; found from the current folder too, last of all, and only where
    somebody asks for one: a folder of data may hold a file that is called as an extra is.

    :raises ValueError: where it cannot be imported.
    """
    if name.endswith(".py") or not all(map(str.isidentifier, name.split("."))):
        raise ValueError("mechanism must be written module:Class, the module as Python imports it, such as mine for "
                         f"mine.py, got {name!r}")
    try:
        if (here := os.getcwd()) not in sys.path:
            sys.path.append(here)  # and it stays, as a module may import later what lies beside it
        return import_module(name)
    except (Exception, SystemExit) as error:
        how = "" if isinstance(error, ImportError) else f"{name} ends with {type(error).__name__}, "
        raise ValueError(f"mechanism is in a module that cannot be imported: {how}{error}") from error


def made(kind: type, said: dict[str, str], name: str = ""):
    """The mechanism, or whatever else has parameters, of this kind with these fields; ``name`` is how messages call it.

    >>> from privgraph.mechanisms import Laplace
    >>> made(Laplace, {"epsilon": "0.5"}).scale
    2.0
    """
    read, values, name = fields_of(kind), {}, name or name_of(kind)
    for key, text in said.items():
        check_choice(key, f"key of {name}", read)
        try:
            values[key] = read[key].parse(text)
        except ValueError as error:
            inner = f": {error}" if isinstance(read[key], Instance) else beyond(text)
            raise ValueError(f"{key} of {name} must be {read[key].says()}, got {text!r}{inner}") from None
    if missing := [field.name for field in (fields(kind) if is_dataclass(kind) else ())
                   if field.name not in values and field.default is field.default_factory is MISSING]:
        others = [key for key in read if key not in missing]
        form = f"{name}:" * (" " not in name) + ",".join(f"{key}=..." for key in missing)  # some have no name to type
        raise ValueError(f"{name} needs {' and '.join(missing)}, {form}"
                         + (f"; it may be told {', '.join(others)} as well" if others else ""))
    return kind(**values)
