"""Weights of edges, of what a file says of its edges: a column of texts, or numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..convert import one_each
from ..layouts import ENTRIES
from .cells import understood, words_of
from .found import Found, Stated, count, some


def weights_of(found: Found, stated: Stated, known: np.ndarray, notes: list[str]) -> np.ndarray | None:
    """A number for each edge whose ends are known, float64 [E]; None where nothing is said to be their weight.

    :param known: bool [n], which edges of the file these are.
    :raises ValueError: where the file does not have it, or not as a number for each.
    """
    name = stated.weight
    if name is None:
        return None
    if name not in found.of_edges:
        raise ValueError(f"--weight must name what {found.label} says of its edges, got {name!r}; there are "
                         f"{some(found.of_edges, 12) or 'none'}")
    values = found.of_edges[name]
    if isinstance(values, np.ndarray):
        numbers, how = one_each(values, len(known))[known], ""
    else:
        numbers, how = numbers_in([text for text, here in zip(values, known.tolist(), strict=True) if here], name,
                                  found.label)
    notes.append(f"weights of edges: column {name}" + (f", numbers with a {how}" if how else ""))
    return numbers


def numbers_in(texts: Sequence[str], name: str, label: str) -> tuple[np.ndarray, str]:
    """What texts say, float64 [n], and in which way they write it, where that is worth saying."""
    words = words_of(texts)
    if missing := sum(not word for word in words):
        raise ValueError(f"{label}: {name} must be a number for each edge, got none for {count(missing, 'edge')}")
    column = understood(words)
    if words and column.kind != "number":
        odd = next((word for word in words if understood([word]).kind != "number"), words[0])
        raise ValueError(f"{label}: {name} must be numbers, all written in one way, got {some([odd])!r}")
    return np.array(column.values, dtype=np.float64), column.how


def unread(found: Found, stated: Stated) -> list[str]:
    """A remark on what else the file says of edges. Entries of a matrix that are all the same say nothing else."""
    names = [name for name, values in found.of_edges.items() if name != stated.weight
             and not (name == ENTRIES and values is not None and len(np.unique(values)) < 2)]
    if not names:
        return []
    use = "" if stated.weight is not None else f"; --weight {names[0] if len(names) == 1 else 'NAME'} uses one"
    return [f"{', '.join(names[:12])} of edges: not read{use}"]
