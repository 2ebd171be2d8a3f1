"""Hyperparameters as what a file can hold, and back: the name of a class and its fields, and no code."""

from collections.abc import Iterator
from dataclasses import fields
from types import UnionType
from typing import Any, TypeVar

from ..checks.parameters import Instance, Parameters, kinds_of

P = TypeVar("P", bound=Parameters)


def written(value: Any) -> Any:
    """
    >>> from privgraph.mechanisms import SymmetricResponse
    >>> written(SymmetricResponse(2.0))
    {'class': 'privgraph.mechanisms.edge_response.SymmetricResponse', 'epsilon': 2.0}
    """
    if not isinstance(value, Parameters):
        return value
    return {"class": name_of(type(value))} | {name: written(getattr(value, name)) for name in of_file(type(value))}


def name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def of_file(kind: type) -> list[str]:
    return [field.name for field in fields(kind) if field.init]  # type: ignore[arg-type]


def made(kind: type[P] | UnionType, found: Any, path) -> P:
    """What ``written`` was told, where that was a ``kind``, or a subclass that is known: whoever wrote one imports it.

    :raises ValueError: where ``found`` names another class, or fields that this one does not have or refuses.
    """
    known = {name_of(each): each for each in subclasses(kind)}
    name = found.get("class") if isinstance(found, dict) else None
    if name not in known:
        raise ValueError(f"{path} was made with {name!r}, which is no {getattr(kind, '__name__', kind)} that is known "
                         "here; if it is one of your own, import it first")
    cls, inner = known[name], kinds_of(known[name])
    said = {key: value for key, value in found.items() if key != "class"}
    if set(said) != set(of_file(cls)):
        raise ValueError(f"{name} in {path} must have the fields {', '.join(of_file(cls))}, got "
                         f"{', '.join(sorted(map(str, said))) or 'none'}")
    for key, value in said.items():
        holder = inner.get(key)
        if isinstance(holder, Instance) and isinstance(value, dict):
            said[key] = made(holder.kind, value, path)
    try:
        return cls(**said)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} in {path} cannot be made: {error}") from error


def subclasses(kind: type | UnionType) -> Iterator[type]:
    """The class or classes, and all that extend them as far as they are imported."""
    for each in kind.__args__ if isinstance(kind, UnionType) else (kind,):
        yield each
        for below in each.__subclasses__():
            yield from subclasses(below)
