"""Loops that somebody waits for: a bar for who watches, and a line of log for who would otherwise see nothing."""

import logging
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TypeVar

from tqdm.auto import tqdm

from .processes import most_memory

T = TypeVar("T")
LOG = logging.getLogger(__name__)
FIRST, LONG = 2.0, 10.0  # seconds after which it is looked how long a loop will take, and from which on that is said
TOLD: list[str] = []  # the loops around that have said it: those in them need not
SHOWN: list[bool] = []  # whether the loops around show a bar


def steps(items: Sequence[T], what: str, progress: bool | None = None) -> Iterator[T]:
    """The items in order. Of a long loop it is logged once how much time is left, and how much memory was needed.

    :param what: the items are, such as "seeds".
    :param progress: show a bar; None: where the loop around does.

    >>> list(steps("abc", "letters"))
    ['a', 'b', 'c']
    """
    begun, looked, told, shown = monotonic(), False, len(TOLD), len(SHOWN)
    SHOWN.append(bool(progress if progress is not None else SHOWN and SHOWN[-1]))
    try:
        for done, item in enumerate(tqdm(items, desc=what, disable=not SHOWN[-1], leave=False), 1):
            yield item
            spent = monotonic() - begun
            if not (looked or TOLD) and spent > FIRST:
                looked = True
                tell(what, done, len(items) - done, spent)
    finally:
        del TOLD[told:], SHOWN[shown:]


def tell(what: str, done: int, left: int, spent: float) -> None:
    """Log it, where somebody would wait.

    :param spent: seconds.
    """
    if (seconds := spent / done * left) > LONG:
        memory = most_memory()
        TOLD.append(what)
        LOG.info("%s: %d of %d took %.0f s, about %.0f s left%s", what, done, done + left, spent, seconds,
                 "" if memory is None else f"; up to {memory:.1f} GB of memory until now")
