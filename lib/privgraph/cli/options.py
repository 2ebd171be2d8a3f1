"""Hyperparameters as options: every field of a method's dataclass, with its type, its default and its docstring."""

import argparse
import inspect
import re
from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from types import NoneType
from typing import get_args, get_type_hints

from ..checks import check_choice
from ..mechanisms import Mechanism
from ..mechanisms.text import made, parse, said_in
from ..methods import Embedding, Training, all_methods
from ..methods.federated import UploadNoise


def mechanism(text: str) -> Mechanism:
    """A mechanism written as NAME:key=value,..."""
    try:
        return made(*parse(text))
    except (ValueError, TypeError) as error:
        raise ArgumentTypeError(error) from error


def embedding(name: str) -> Embedding:
    """A method that publishes vectors, by its name, as it is by default."""
    kinds = {known: kind for known, kind in all_methods().items() if issubclass(kind, Embedding)}
    try:
        return kinds[check_choice(name, "embedding", kinds)]()
    except (ValueError, TypeError) as error:
        raise ArgumentTypeError(error) from error


def upload_noise(text: str) -> UploadNoise:
    """Noise on uploads written as epsilon=4,clip=0.5,..."""
    try:
        said = said_in(text, text, "upload noise", "key=value,...")
        return UploadNoise(**{name: float(value) for name, value in said.items()})
    except (ValueError, TypeError) as error:
        raise ArgumentTypeError(error) from error


READ: dict[type, Callable[[str], object]] = {float: float, int: int, str: str, Mechanism: mechanism,
                                             Embedding: embedding, UploadNoise: upload_noise}


def readable(kind: type) -> Iterator[tuple[Field, type, bool]]:
    """The fields of a dataclass with their types, and whether None is one of their values; others have none."""
    hints = get_type_hints(kind)
    for field in fields(kind) if is_dataclass(kind) else ():
        kinds = get_args(hints[field.name]) or (hints[field.name],)
        held = [each for each in kinds if each is not NoneType]
        if field.init and len(held) == 1 and isinstance(held[0], type):
            yield field, held[0], NoneType in kinds


def add_fields(parser: argparse.ArgumentParser, kind: type, prefix: str = "", default: object = None,
               needed: bool = True) -> None:
    """An option for each field: ``--epsilon-x``, and ``--student-epochs`` for a field of a field.

    Only what is said reaches ``given``: defaults stay those of the dataclass. A field whose name is a letter away from
    another says in its metadata how its ``option`` is spelt.

    :param needed: whether a field without a default must be said.
    """
    for field, held, none in readable(kind):
        usual = getattr(default, field.name, default_of(field))
        if issubclass(held, Training):
            add_fields(parser, held, f"{prefix}{field.name}.", usual)
        elif held is bool or held in READ:
            how = ({"action": BooleanOptionalAction} if held is bool else
                   {"type": or_none(READ[held]) if none else READ[held], "metavar": held.__name__.upper()})
            name, spelt = (prefix + each for each in (field.name, field.metadata.get("option", field.name)))
            parser.add_argument("--" + re.sub("[._]", "-", spelt), dest=name, default=argparse.SUPPRESS,
                                required=needed and usual is MISSING, help=help_of(kind, field.name, usual), **how)


def default_of(field: Field) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def or_none(read: Callable[[str], object]) -> Callable[[str], object]:
    """A reader that takes "none" too."""
    def either(text: str) -> object:
        return None if text == "none" else read(text)
    either.__name__ = read.__name__  # which argparse names where a text cannot be read
    return either


def help_of(kind: type, name: str, usual: object) -> str:
    """What the docstring of the class, or of one that it extends, says of a field; and the default."""
    found = (re.search(rf":param {name}:(.*?)(?=\n *:|\n\n|\Z)", inspect.cleandoc(base.__doc__ or ""), re.DOTALL)
             for base in kind.__mro__)
    text = next((" ".join(match.group(1).replace("``", "").split()) for match in found if match), "").rstrip(".")
    told = "required" if usual is MISSING else f"default: {usual}"
    return f"{text} ({told})".strip().replace("%", "%%")


def given(options: argparse.Namespace, kind: type) -> dict[str, object]:
    """The fields of ``kind`` that were said, those of its fields put together again."""
    said = {}
    for field, held, _ in readable(kind):
        if field.name in options:
            said[field.name] = getattr(options, field.name)
        elif issubclass(held, Training):
            inner = {name.partition(".")[2]: value for name, value in vars(options).items()
                     if name.startswith(f"{field.name}.")}
            said |= {field.name: replace(default_of(field), **inner)} if inner else {}
    return said
