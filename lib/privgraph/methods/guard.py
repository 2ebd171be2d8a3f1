"""What several people's shares are needed for, where one of them may be anything: it costs that one, and nobody else.

Whoever reads a message checks what can be foreseen. What cannot be, such as an error of a numerical routine, is met
here: the work is done again without those with whom it fails.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

Share = TypeVar("Share")
Found = TypeVar("Found")


def guarded(work: Callable[[dict[int, Share]], Found], shares: Mapping[int, Share]) -> tuple[Found | None,
                                                                                            dict[int, str]]:
    """What ``work`` makes of the shares, and who is left out of it, with the reason.

    Where it fails for all together, who fails alone is out first; then shares are added one by one, in their order,
    and one with which it fails is out. So ``work`` may be done n + 1 times for n shares more than once.

    :returns: ``None`` in the place of what was found where it fails for everybody.

    >>> guarded(lambda shares: sum(1 / share for share in shares.values()), {0: 2, 1: 0, 2: 4})
    (0.75, {1: 'it cannot be worked with: ZeroDivisionError: division by zero'})
    """
    shares = dict(shares)
    try:
        return work(shares), {}
    except Exception as error:
        if len(shares) <= 1:
            return None, dict.fromkeys(shares, reason(error))
    alone = {number: guarded(work, {number: share})[1] for number, share in shares.items()}
    left_out = {number: why for out in alone.values() for number, why in out.items()}
    usable = {number: share for number, share in shares.items() if number not in left_out}
    found, more = adding(work, usable)
    return found, left_out | more


def adding(work: Callable[[dict[int, Share]], Found], shares: dict[int, Share]) -> tuple[Found | None, dict[int, str]]:
    """The same for shares with each of which it is done alone."""
    try:
        return (work(shares) if shares else None), {}
    except Exception:
        found, kept, left_out = None, {}, {}
    for number, share in shares.items():
        try:
            found, kept = work(kept | {number: share}), kept | {number: share}
        except Exception as error:
            left_out[number] = reason(error)
    return found, left_out


def reason(error: Exception) -> str:
    """What is said to whoever sent the share: what we foresaw in our words, all else by its name too."""
    told = " ".join(str(error).split())[:300]
    return told if type(error) in (ValueError, TypeError) else f"it cannot be worked with: {type(error).__name__}" + (
        f": {told}" if told else "")
