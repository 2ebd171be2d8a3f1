"""What was tried where a printed number differs from ours: the entries of ``book/attempts.yml``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import yaml

from ..audit.claims import book_folder
from .printed import COMMON, Printed

STATUSES = ("explained", "open")


@dataclass(frozen=True)
class Attempt:
    """One entry: the cells it is about, whether they are explained, what was tried, tests for the numbers in it."""

    where: Mapping[str, str]
    status: str
    tried: tuple[str, ...]
    evidence: tuple[str, ...] = ()

    def about(self, printed: Printed) -> bool:
        """Whether a printed cell has all the values in ``where``."""
        columns = ("paper", *COMMON)
        return all((getattr(printed, name) if name in columns else printed.parameters.get(name)) == value
                   for name, value in self.where.items())


def load_attempts() -> list[Attempt]:
    """The entries, checked.

    :raises ValueError: for an entry without a paper, with an unknown status, or with nothing tried.
    """
    with open(book_folder() / "book" / "attempts.yml", encoding="utf-8") as file:
        entries = yaml.safe_load(file) or []
    found = [Attempt(entry["where"], entry["status"], tuple(entry["tried"]), tuple(entry.get("evidence", ())))
             for entry in entries]
    for attempt in found:
        if "paper" not in attempt.where or attempt.status not in STATUSES or not attempt.tried:
            raise ValueError(f"an attempt needs a paper, a status of {STATUSES} and what was tried, got {attempt}")
    return found


def attempts_for(printed: Printed, attempts: Sequence[Attempt]) -> list[Attempt]:
    """The entries that speak of a printed cell."""
    return [attempt for attempt in attempts if attempt.about(printed)]
