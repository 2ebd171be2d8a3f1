"""How an answer leaves a student's notebook: as data, never as an object that whoever reads it would have to run.

``pack`` makes JSON of numbers, texts, lists, tensors, dictionaries and sets; ``unpack`` reads it. ``tell`` runs in the
student's kernel: it looks an answer up by its name, calls it where it is a function, and shows what comes out.
"""

import json
from collections.abc import Mapping
from typing import Any

import torch

from ..randomness import seeded

MIME = "application/vnd.privgraph.answer+json"
LARGEST = 2_000_000  # characters of one answer
DEEPEST = 20
PLAIN = {bool, int, float, str, type(None)}  # what JSON holds as it is


def pack(value: Any, depth: int = 0) -> Any:
    """What JSON can hold of ``value``.

    :param depth: how deep ``value`` lies in an answer.

    >>> pack({"edges": torch.tensor([[0, 1]]), "who": frozenset({2, 1})})
    {'dict': [['edges', [[0, 1]]], ['who', {'set': [1, 2]}]]}

    :raises TypeError: for anything that is not made of numbers, texts, lists, tensors, dictionaries and sets.
    """
    if depth > DEEPEST:
        raise TypeError(f"an answer may be nested {DEEPEST} deep")
    if callable(getattr(value, "tolist", None)):  # tensors, arrays, columns of tables; inputs see ``pack_input``
        value = value.tolist()
    if value is ...:
        raise TypeError("nothing is written there yet")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple, range)):
        items = list(value)
        return items if are_plain(items) and depth < DEEPEST else [pack(item, depth + 1) for item in items]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted((pack(item, depth + 1) for item in value), key=repr)}
    if isinstance(value, Mapping):
        return {"dict": [[pack(key, depth + 1), pack(item, depth + 1)] for key, item in value.items()]}
    if isinstance(value, torch.Generator):
        return {"seed": value.initial_seed()}
    if hasattr(type(value), "__float__"):  # fractions, decimals and exact numbers
        return float(value)
    raise TypeError(f"an answer is made of numbers, texts, lists, tensors, dictionaries and sets, got a "
                    f"{type(value).__name__}")


def pack_input(value: Any) -> Any:
    """As ``pack``; a tensor is one again, of its type, when ``unpack`` reads it.

    :param value: an argument of a student's function.
    """
    return {"tensor": [pack(value), str(value.dtype).removeprefix("torch.")]} if isinstance(value, torch.Tensor) \
        else pack(value)


def unpack(value: Any) -> Any:
    """What ``pack`` packed, with the tensors of answers as lists and a generator at its start.

    :param value: which ``pack`` made, after JSON.

    >>> unpack(pack({"who": frozenset({2, 1})}))
    {'who': frozenset({1, 2})}
    """
    if isinstance(value, list):
        return value.copy() if are_plain(value) else [unpack(item) for item in value]
    if isinstance(value, dict):
        (kind, inner), = value.items()
        return READERS[kind](inner)
    return value


def are_plain(items: list) -> bool:
    """Whether none need be looked into: the rows of a tensor, which one by one would take most of a grading's time."""
    return set(map(type, items)) <= PLAIN


def frozen(value: Any) -> Any:
    """Lists as tuples, so that they may be keys and members of sets."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value


READERS = {
    "set": lambda items: frozenset(frozen(unpack(item)) for item in items),
    "dict": lambda pairs: {frozen(unpack(key)): unpack(item) for key, item in pairs},
    "seed": seeded,
    "tensor": lambda told: torch.tensor(unpack(told[0]), dtype=getattr(torch, told[1])),
}


HELD = "_answers_below_their_cells"  # where a notebook's own names keep them


def hold(namespace: dict, name: str) -> None:
    """Keep an answer, which is asked for when the notebook is over: its name may be used again until then.

    :param namespace: of the notebook, names with what they hold.
    """
    namespace.setdefault(HELD, {})[name] = namespace.get(name)


def tell(namespace: dict, name: str, calls: str | None) -> None:
    """Show an answer, for the grader: what ``name`` holds, or what it gives for each of the ``calls`` (JSON).

    :param namespace: of the notebook, names with what they hold.
    """
    from IPython.display import display
    for held, kept in namespace.get(HELD, {}).items():  # others may call it, too
        if calls is not None and callable(kept) and not callable(namespace.get(held)):
            namespace[held] = kept
    if calls is None:
        told = [attempt(lambda: namespace[name])]
    else:
        told = [attempt(lambda arguments=arguments: namespace[name](*unpack(arguments)))
                for arguments in json.loads(calls)]
    display({MIME: json.dumps(told)}, raw=True)


def attempt(answer) -> dict:
    """{"value": ...} or {"error": ...}."""
    try:
        told = {"value": pack(answer())}
        if len(json.dumps(told)) > LARGEST:
            raise ValueError(f"an answer may have {LARGEST:,} characters")
    except KeyError as missing:
        return {"error": f"there is no {words(missing).removeprefix('KeyError: ')}"}
    except Exception as error:
        return {"error": words(error)}
    return told


def words(error: Exception) -> str:
    """What an error says; a student's own may fail to say anything."""
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except Exception:
        return type(error).__name__
