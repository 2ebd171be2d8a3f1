"""The ledger: one row a run, appended, never rewritten.

A row says what was run (experiment, revision, dataset and its hash, every parameter, seed), what came
out (metric, value, seconds) and on what (library and torch version, device). Rows of an older
revision stay in the file and count as not run.
"""

import csv
import io
import math
import os
from pathlib import Path

RESULT_COLUMNS = ["seed", "metric", "value", "seconds", "privgraph", "torch", "device"]


def results_folder() -> Path:
    """``PRIVGRAPH_RESULTS``, or the folder ``results`` beside ``lib`` in a checkout."""
    return Path(os.environ.get("PRIVGRAPH_RESULTS") or Path(__file__).resolve().parents[3] / "results")


class Ledger:
    """The measured results of one experiment, in ``results/measured/NAME.csv``.

    :param parameters: the names of the experiment's parameters, in the order of their columns.
    """

    def __init__(self, path: Path, parameters: list[str]):
        self.path, self.parameters = Path(path), list(parameters)
        self.columns = ["experiment", "revision", "dataset", "sha256", *self.parameters, *RESULT_COLUMNS]

    def append(self, rows: list[dict]) -> None:
        """Add rows in one write, so that a killed process leaves whole rows or none."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        if not self.path.exists():
            writer.writeheader()
        writer.writerows({**row, "value": f"{row['value']:.6g}", "seconds": f"{row['seconds']:.2f}"} for row in rows)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, text.getvalue().encode())
        finally:
            os.close(descriptor)

    def rows(self, revision: int | None = None) -> list[dict]:
        """All rows (of one revision), with numbers as numbers.

        :raises ValueError: naming the line, for a row that the ledger did not write.
        """
        if not self.path.exists():
            return []
        with open(self.path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if reader.fieldnames != self.columns:
                raise ValueError(f"{self.path.name}: expected the columns {self.columns}, got {reader.fieldnames}")
            rows = [parse(row, f"{self.path.name}, line {line}") for line, row in enumerate(reader, start=2)]
        return rows if revision is None else [row for row in rows if row["revision"] == revision]

    def key(self, row: dict) -> tuple:
        """What makes a run the same run: dataset, parameters and seed."""
        return (row["dataset"], *(row[name] for name in self.parameters), row["seed"])


def parse(row: dict, place: str) -> dict:
    if None in row or None in row.values():
        raise ValueError(f"{place}: not a whole row; the ledger is only appended to, never edited")
    return {name: number(text) if name not in ("sha256", "privgraph", "torch") else text for name, text in row.items()}


def number(text: str) -> int | float | str:
    """``"3"`` -> 3, ``"0.5"`` and ``"inf"`` -> float, anything else stays text."""
    for kind in (int, float):
        try:
            value = kind(text)
            return value if not (kind is float and math.isnan(value)) else text
        except ValueError:
            continue
    return text
