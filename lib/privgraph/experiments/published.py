"""The papers' numbers, from ``results/published``."""

import csv

from .ledger import number, results_folder


def published(name: str) -> list[dict]:
    """The rows of ``results/published/NAME.csv``, one a printed value, with numbers as numbers.

    ``mean`` and ``spread`` are as printed; ``source`` names paper and table.
    """
    path = results_folder() / "published" / f"{name}.csv"
    if not path.is_file():
        known = sorted(file.stem for file in path.parent.glob("*.csv"))
        raise ValueError(f"no published table called {name!r}; the known ones are {', '.join(known)}")
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(file)]
