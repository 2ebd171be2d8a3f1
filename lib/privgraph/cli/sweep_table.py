"""The folder of a sweep: a table of runs that is written line by line, so that the same command goes on where it ended.

``runs.csv`` has one accuracy a line, and ``settings.json`` what all of them have in common. All of it is the owner's.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path

from .. import writing
from ..privacy import Guarantee

COLUMNS = ("method", "asked", "epsilon", "delta", "seed", "arm", "accuracy")
Key = tuple[str, float, int]  # method, the epsilon that was asked for, seed


class Table:
    """The runs of a folder, read and written.

    :param folder: which may not be there yet.
    :param settings: of all runs, as JSON has them.
    :raises ValueError: where it holds runs of other settings.
    """

    def __init__(self, folder: Path, settings: Mapping):
        self.folder, self.runs = folder, {}
        settings = json.loads(json.dumps(settings))
        if (known := folder / "settings.json").exists() and (folder / "runs.csv").exists():
            check_same(settings, read_settings(known), folder)
            self.runs = read(folder / "runs.csv")
            return
        begun = re.compile(r"settings\.json")  # of a command that ended before its first run
        with writing.new_folder(folder, "--to", 0o700, begun) as made:
            writing.write(made / "settings.json", json.dumps(settings, indent=1) + "\n", writing.PRIVATE)

    def add(self, key: Key, guarantee: Guarantee, accuracies: Mapping[str, float]) -> None:
        """One run, which is on the disk when this returns."""
        method, asked, seed = key
        self.runs[key] = dict(accuracies)
        self.rows = getattr(self, "rows", self.lines())
        self.rows += [(method, asked, guarantee.epsilon, guarantee.delta, seed, arm, value)
                      for arm, value in accuracies.items()]
        self.keep("runs.csv", as_csv(self.rows))

    def lines(self) -> list[tuple]:
        """The rows that stand there."""
        path = self.folder / "runs.csv"
        return [tuple(row[name] for name in COLUMNS) for row in rows_of(path)] if path.exists() else []

    def keep(self, name: str, content: bytes | str) -> None:
        """A file of the folder, whole."""
        writing.write(self.folder / name, content, writing.PRIVATE, "--to")


def as_csv(rows: list[tuple]) -> str:
    held = io.StringIO()
    csv.writer(held, lineterminator="\n").writerows([COLUMNS, *rows])
    return held.getvalue()


def read_settings(path: Path) -> dict:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"--to must name a new folder or one of a sweep, got {path}, which is no JSON: {error}"
                         ) from error


def check_same(now: Mapping, before: Mapping, folder: Path) -> None:
    """Refuse to mix runs of two settings in one table."""
    for name in {**now, **before}:
        if now.get(name) != before.get(name):
            told = "; ".join(difference(name, before.get(name), now.get(name)))
            raise ValueError(f"--to must name a new folder, got {folder}, whose runs have other settings: {told}")


def difference(name: str, before, now) -> list[str]:
    """What differs, part by part.

    >>> difference("gap", {"epochs": 1, "hops": 2}, {"epochs": 3, "hops": 2})
    ['epochs of gap was 1, and is 3']
    >>> difference("methods", {"gap": {"hops": 2}}, {"gap": {"hops": 2}, "progap": {}})
    ['methods were gap, and are gap, progap']
    """
    if name == "content":  # a hash of it
        return ["the graph had other edges, features or labels"]
    if isinstance(before, dict) and isinstance(now, dict):
        whose = "" if name == "methods" else f" of {name}"
        within = [part for key in before.keys() & now.keys() if before[key] != now[key]
                  for part in difference(f"{key}{whose}", before[key], now[key])]
        names = [f"{name} were {', '.join(before)}, and are {', '.join(now)}"] if before.keys() != now.keys() else []
        return names + sorted(within)
    return [f"{name} was {short(before)}, and is {short(now)}"]


def short(value) -> str:
    """A value of a setting; of a mechanism its name."""
    return str(value.get("mechanism", ", ".join(value)) if isinstance(value, dict) else value)


def rows_of(path: Path) -> list[dict]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read(path: Path) -> dict[Key, dict[str, float]]:
    """Accuracies by arm of each run.

    :raises ValueError: where a line is not one of ours.
    """
    found: dict[Key, dict[str, float]] = {}
    for number, row in enumerate(rows_of(path) if path.exists() else [], 2):
        try:
            key = row["method"], float(row["asked"]), int(row["seed"])
            found.setdefault(key, {})[row["arm"]] = float(row["accuracy"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} must hold the columns {', '.join(COLUMNS)}, got in line {number}: {row}"
                             ) from error
    return found
