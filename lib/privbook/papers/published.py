"""The papers' numbers, as printed, from ``results/published``: one CSV file a paper, one row a printed entry."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from privgraph.checks import check_choice

from ..claims import book_folder

COMMON = ("table", "dataset", "method", "backbone", "metric", "mean", "spread", "spread_kind", "unit", "reading",
          "note")


@dataclass(frozen=True)
class Printed:
    """One entry of a table: a mean and perhaps the spread printed beside it.

    :param mean: as text, with the digits that were printed; empty where it cannot be read.
    :param spread_kind: ``std``, ``standard error`` or ``unstated``; empty without a spread.
    :param parameters: name -> text for the paper's own letters; ``inf`` is infinity, ``>0`` an average
        over the positive values, ``all`` an average over all of them.
    :param unit: ``percent``, ``fraction``, ``epsilon``, ``count``, ...
    :param reading: ``clean``, ``repaired`` (every digit was visible in a scan, only a point was lost) or
        ``uncertain`` (a digit is missing or ambiguous; never compared).
    :param paper: its short name.
    :param table: as the paper calls it.
    :param dataset: as the paper calls it.
    :param backbone: as the paper calls it, or empty.
    :param metric: what was measured.
    :param spread: as text, with the digits that were printed, or empty.
    :param note: what else is to be known.
    """

    paper: str
    table: str
    dataset: str
    method: str
    backbone: str
    parameters: Mapping[str, str]
    metric: str
    mean: str
    spread: str
    spread_kind: str
    unit: str
    reading: str
    note: str

    @property
    def value(self) -> float:
        """The mean as a number."""
        return float(self.mean)

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit: how far the number before rounding may lie from ``value``."""
        return 0.5 * 10.0 ** -len(self.mean.partition(".")[2])

    @property
    def values(self) -> int:
        """How many numbers are printed here: mean and spread."""
        return bool(self.mean) + bool(self.spread)

    def __str__(self) -> str:
        return f"{self.mean or '?'} ± {self.spread}" if self.spread else self.mean or "?"


def published_folder() -> Path:
    """``results/published`` of the checkout."""
    return book_folder() / "results" / "published"


def published(paper: str) -> tuple[Printed, ...]:
    """Every entry that a paper prints, in its order: ``published("rgnn")``.

    :param paper: its short name.
    :raises ValueError: for a paper that is none of ``papers()``.
    """
    return read(check_choice(paper, "paper", list(papers())))


@lru_cache(maxsize=None)
def read(paper: str) -> tuple[Printed, ...]:
    """The paper's file, read once."""
    with open(published_folder() / f"{paper}.csv", newline="", encoding="utf-8") as file:
        return tuple(Printed(paper, parameters={k: v for k, v in row.items() if k not in COMMON and v},
                             **{name: row[name] for name in COMMON}) for row in csv.DictReader(file))


def entries(paper: str, table: str | None = None, **wanted: str) -> list[Printed]:
    """The printed entries that have all the wanted values: ``entries("rgnn", "Table II", dataset="Cora", eps_x="1")``.

    Names that are no column of every table are taken as parameters; ``""`` asks for those without it.

    :param paper: its short name.
    :param table: as the paper calls it; None: all tables.
    :param wanted: values by column.
    """
    if table is not None:
        check_choice(table, "table", {entry.table for entry in published(paper)})
    return [entry for entry in published(paper) if table in (None, entry.table)
            and all((getattr(entry, name) if name in COMMON else entry.parameters.get(name, "")) == value
                    for name, value in wanted.items())]


def index() -> list[dict]:
    """What was transcribed: paper, its short name, table, title; numbers of rows, values, uncertain and unread rows."""
    with open(published_folder() / "index.csv", newline="", encoding="utf-8") as file:
        return [{k: int(v) if v.isdigit() else v for k, v in row.items()} for row in csv.DictReader(file)]


@lru_cache(maxsize=None)
def papers() -> dict[str, str]:
    """paper -> its short name, in the order of the index."""
    return {row["paper"]: row["name"] for row in index()}
