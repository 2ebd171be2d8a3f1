"""What was tried where a printed number differs from ours, or where we missed what we set out to reach: the entries of
``book/attempts.yml``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privgraph.checks import check_all, check_choice, check_is

from ..claims import book_folder, read_entries
from .published import COMMON, Printed

STATUSES = ("explained", "open")


@dataclass(frozen=True)
class Attempt:
    """One entry: the entries it is about, whether they are explained, what was tried, tests for the numbers in it.

    ``missed`` says what was to be reached, where nothing is printed; such an entry is about no printed entry.

    :param where: values of the entries that it is about, by column.
    :param status: whether the entries are explained.
    :param tried: what was tried, one text each.
    :param evidence: tests for the numbers in it.
    """

    where: Mapping[str, str]
    status: str
    tried: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    missed: str = ""

    def __post_init__(self):
        if not isinstance(self.where, Mapping) or "paper" not in self.where:
            raise ValueError(f"an attempt must say where, and of which paper, got {self.where!r}")
        check_choice(self.status, "status of an attempt", STATUSES)
        for name in ("tried", "evidence"):
            if not isinstance(getattr(self, name), (list, tuple)):
                raise ValueError(f"{name} of an attempt must be a list of texts, got {getattr(self, name)!r}")
        if not isinstance(self.missed, str):
            raise ValueError(f"missed of an attempt must be a text, got {self.missed!r}")
        if not self.tried:
            raise ValueError("an attempt must say what was tried, got nothing")

    def about(self, printed: Printed) -> bool:
        """Whether a printed entry has all the values in ``where``, and the entry is about printed ones.

        :param printed: an entry of a paper's table.
        """
        columns = ("paper", *COMMON)
        return not self.missed and all(
            (getattr(printed, name) if name in columns else printed.parameters.get(name)) == value
            for name, value in self.where.items())


def load_attempts() -> list[Attempt]:
    """The entries, checked.

    :raises ValueError: for an entry without a paper, with an unknown status, or with nothing tried.
    """
    text = (book_folder() / "book" / "attempts.yml").read_text(encoding="utf-8")
    return read_entries(text, "attempts.yml", Attempt)


def attempts_for(printed: Printed, attempts: Sequence[Attempt]) -> list[Attempt]:
    """The entries that speak of a printed entry.

    :param printed: the entry.
    :param attempts: of ``book/attempts.yml``.
    """
    check_is(printed, "printed", Printed)
    return [attempt for attempt in check_all(attempts, "attempts", Attempt) if attempt.about(printed)]
