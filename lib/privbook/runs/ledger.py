"""The ledger: one row a run, appended, never rewritten.

Every line is a row or a head (``rows.py``) and carries a checksum, so a line that was cut off or edited is recognised.
A new revision, graph or version of the library is a new head. Rows of an older revision, or of another graph under the
same name, stay in the file and count as not run.
"""

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from privgraph.datasets import CARDS, SETS
from privgraph.writing import append

from .locks import held
from .rows import TITLE, Row, as_lines, check_of, check_row, read_head, read_row, with_check

CHECKOUT = Path(__file__).resolve().parents[3]


def results_folder() -> Path:
    """Where ``measured`` lies: ``PRIVGRAPH_RESULTS``, or the folder ``results`` beside ``lib`` in a checkout."""
    return Path(os.environ.get("PRIVGRAPH_RESULTS") or CHECKOUT / "results")


class Ledger:
    """The measured results of one experiment, in one file of lines with commas.

    Appending is safe against a killed process and against a second writer: rows are written in one
    piece under a lock, what a killed process left half-written is first moved to ``NAME.csv.aside``, and
    a result that is there already is not written twice. Threads may share one.

    :param parameters: name -> type of the experiment's parameters, in the order of their columns.
    """

    def __init__(self, path: str | Path, parameters: Mapping[str, type]):
        self.path = Path(path)
        self.parameters = dict(parameters)
        self._turn = threading.RLock()
        self._forget()

    def append(self, rows: Iterable[Row]) -> int:
        """Add those rows that bring a result that is not there yet, and return how many did.

        :param rows: what was measured, one run each.
        :raises ValueError: for a file that was edited by hand; it is left as it is.
        :raises TimeoutError: naming who holds the lock, where nobody can write for a minute.
        """
        rows = list(rows)
        for row in rows:
            check_row(row, self.parameters)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with held(self.path.with_name(self.path.name + ".lock")), self._turn:
            self._set_aside()
            known = self.keys()
            rows = [row for row in rows if not row.results <= known]
            lines = dict.fromkeys(line for row in rows for line in as_lines(row) if line not in self._heads)
            append(self.path, "".join(f"{line}\n" for line in [*([] if self._end else [TITLE]), *lines]).encode())
        return len(rows)

    def rows(self) -> list[Row]:
        """All rows, read anew, with numbers as numbers. A last line that is still being written is left out.

        :raises ValueError: naming the line, for a row that the ledger did not write.
        """
        with self._turn:
            self._forget()
            return self._more()

    def current(self, revision: int) -> list[Row]:
        """The rows that count: of this revision, on the graphs that the cards describe, each result once.

        Some small graphs have no hash on their card (karate); of those every row counts.

        :param revision: of the experiment.
        :raises ValueError: for rows of another experiment, and of a graph without a card.
        """
        found, seen = [], set()
        for row in self.rows():
            head = row.head
            if head.experiment != self.path.stem:
                raise ValueError(f"{self.path.name}: rows must be of this experiment, got one of {head.experiment!r}; "
                                 "merge each file with its own")
            described = CARDS.get(head.dataset) or SETS.get(head.dataset)
            if described is None:
                raise ValueError(f"{self.path.name}: no card describes the graph {head.dataset!r}")
            fresh = {name: value for name, value in row.metrics.items() if (row.key, name) not in seen}
            if fresh and head.revision == revision and described.sha256 in (None, head.sha256):
                found.append(replace(row, metrics=fresh))
                seen |= row.results
        return found

    def keys(self) -> set[tuple]:
        """The keys of all results; only what was added since the last call is read."""
        with self._turn:
            if not self.path.exists() or self.path.stat().st_size < self._end:
                self._forget()
            try:
                self._more()
            except ValueError:  # or was the file changed before the place up to which it is known, by a merge?
                self.rows()
            return self._keys

    def _forget(self) -> None:
        self._keys, self._heads, self._end = set(), {}, 0

    def _more(self) -> list[Row]:
        """The rows after those that are known, up to the last line end."""
        data = self._read(self._end)
        lines = data.decode(errors="replace").split("\n")[:-1]
        if lines and self._end == 0 and lines[0] != TITLE:
            raise ValueError(f"{self.path.name}: expected the first line {TITLE}, got {lines[0]}")
        self._heads |= {line: self._parsed(read_head, line, number) for number, line in enumerate(lines, start=1)
                        if line.startswith("#") and line != TITLE}
        heads = {check_of(line): head for line, head in self._heads.items()}
        rows = [self._parsed(read_row, line, number, heads, self.parameters)
                for number, line in enumerate(lines, start=1) if not line.startswith("#")]
        self._keys.update(*(row.results for row in rows))
        self._end += len(data)
        return rows

    def _parsed(self, read: Callable, line: str, number: int, *more):
        """``read(line)``, or an error that names the line."""
        try:
            return read(line, *more)
        except ValueError as error:
            raise ValueError(f"{self.path.name}: line {number} was not written by the ledger, which is appended to and "
                             f"never edited ({error}). Nothing was changed; take the file from git again, or remove "
                             "the line") from None

    def _read(self, start: int = 0) -> bytes:
        """The whole lines of the file from byte ``start`` on."""
        if not self.path.exists():
            return b""
        with open(self.path, "rb") as file:
            file.seek(start)
            data = file.read()
        return data[:data.rfind(b"\n") + 1]

    def _set_aside(self) -> None:
        """Move what follows the last line end, left by a process that died while writing, unless it is a whole line."""
        if not self.path.exists() or last_byte(self.path) in (b"\n", b""):
            return
        whole = len(self._read())
        tail = self.path.read_bytes()[whole:]
        if is_whole(tail.decode(errors="replace")):  # an editor took the last line end away
            append(self.path, b"\n")
            return
        append(self.path.with_name(self.path.name + ".aside"), tail + b"\n")
        os.truncate(self.path, whole)


def is_whole(line: str) -> bool:
    """Whether nothing is missing from a line."""
    return line == TITLE or with_check(line.rpartition(",")[0]) == line


def last_byte(path: Path) -> bytes:
    """The last byte of a file, b"" if it is empty."""
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - 1))
        return file.read()
