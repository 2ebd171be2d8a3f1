"""The ledger: one row a metric of a run, appended, never rewritten.

A row says what was run (experiment, revision, graph and its hash, every parameter, seed), what came out
(metric, value, seconds) and on what (library and torch version, device). It ends with a checksum of
itself, so a row that was cut off or edited is recognised. Rows of an older revision, or of another graph
under the same name, stay in the file and count as not run.
"""

import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from filelock import FileLock

from ..datasets import CARDS
from .grid import NOT_IN_A_ROW

BEFORE = {"experiment": str, "revision": int, "dataset": str, "sha256": str}
AFTER = {"seed": int, "metric": str, "value": float, "seconds": float, "privgraph": str, "torch": str, "device": str}
ROUNDED = {"value": "{:.10g}", "seconds": "{:.2f}"}


def results_folder() -> Path:
    """Where ``measured`` lies: ``PRIVGRAPH_RESULTS``, or the folder ``results`` beside ``lib`` in a checkout."""
    return Path(os.environ.get("PRIVGRAPH_RESULTS") or Path(__file__).resolve().parents[3] / "results")


class Ledger:
    """The measured results of one experiment, in one CSV file.

    Appending is safe against a killed process and against a second writer: rows are written in one
    piece under a lock, what a killed process left half-written is first moved to ``NAME.csv.aside``, and
    a result that is there already is not written twice.

    :param parameters: name -> type of the experiment's parameters, in the order of their columns.
    """

    def __init__(self, path: str | Path, parameters: Mapping[str, type]):
        self.path = Path(path)
        self.types = {**BEFORE, **parameters, **AFTER}
        self.keyed = ["revision", "dataset", "sha256", *parameters, "seed", "metric"]
        self._keys, self._end = set(), 0

    def append(self, rows: Iterable[dict]) -> int:
        """Add those rows that are not there yet, and return how many that were.

        :raises ValueError: for a file that was edited by hand; it is left as it is.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self.path.with_name(self.path.name + ".lock")):
            self._set_aside()
            known = self.keys()
            rows = [row for row in rows if self.key(row) not in known]
            text = "" if self._end else f"{self._header}\n"
            text += "".join(f"{self._line(row)}\n" for row in rows)
            with open(self.path, "ab") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
        return len(rows)

    def rows(self) -> list[dict]:
        """All rows, with numbers as numbers. A last line that is still being written is left out.

        :raises ValueError: naming the line, for a row that the ledger did not write.
        """
        return self._parse(self._read(), first=1)

    def current(self, revision: int) -> list[dict]:
        """The rows that count: of this revision, on the graphs that the cards describe, each result once.

        Some small graphs have no hash on their card (karate); of those every row counts.
        """
        found = {}
        for row in self.rows():
            if row["dataset"] not in CARDS:
                raise ValueError(f"{self.path.name}: no card describes the graph {row['dataset']!r}")
            if row["revision"] == revision and CARDS[row["dataset"]].sha256 in (None, row["sha256"]):
                found.setdefault(self.key(row), row)
        return list(found.values())

    def key(self, row: dict) -> tuple:
        """What makes a result the same result."""
        return tuple(row[name] for name in self.keyed)

    def keys(self) -> set[tuple]:
        """The keys of all rows; only what was added since the last call is read."""
        if not self.path.exists() or self.path.stat().st_size < self._end:
            self._keys, self._end = set(), 0
        data = self._read(self._end)
        try:
            rows = self._parse(data, first=1 if self._end == 0 else None)
        except ValueError:  # or was the file changed before the place up to which it is known, by a merge?
            self._keys, self._end, data = set(), 0, self._read()
            rows = self._parse(data, first=1)
        self._keys |= {self.key(row) for row in rows}
        self._end += len(data)
        return self._keys

    @property
    def _header(self) -> str:
        return ",".join([*self.types, "check"])

    def _read(self, start: int = 0) -> bytes:
        """The whole lines of the file from byte ``start`` on."""
        if not self.path.exists():
            return b""
        with open(self.path, "rb") as file:
            file.seek(start)
            data = file.read()
        return data[:data.rfind(b"\n") + 1]

    def _parse(self, data: bytes, first: int | None) -> list[dict]:
        """The rows of some lines; ``first`` is the number of the first one, which is the header if it is 1."""
        lines = data.decode(errors="replace").split("\n")[:-1]
        if first == 1 and lines:
            if lines[0] != self._header:
                raise ValueError(f"{self.path.name}: expected the columns {self._header}, got {lines[0]}")
            return [self._row(line, number) for number, line in enumerate(lines[1:], start=2)]
        return [self._row(line, None) for line in lines]

    def _line(self, row: dict) -> str:
        """A row as text. :raises ValueError: for a wrong column or type, or text that would break a line."""
        if set(row) != set(self.types):
            raise ValueError(f"a row must have the columns {list(self.types)}, got {list(row)}")
        for name, kind in self.types.items():
            if type(row[name]) is not kind or row[name] != row[name]:
                raise ValueError(f"{name} must be a number or text of type {kind.__name__}, got {row[name]!r}")
        texts = [ROUNDED.get(name, "{}").format(row[name]) for name in self.types]
        if any(set(text) & NOT_IN_A_ROW for text in texts):
            raise ValueError(f"no value of a row may hold a comma, a quote or a line end, got {texts}")
        return with_check(",".join(texts))

    def _row(self, line: str, number: int | None) -> dict:
        text, _, _ = line.rpartition(",")
        if with_check(text) != line:
            raise ValueError(f"{self.path.name}: line {number} was not written by the ledger, which is appended to and "
                             "never edited. Nothing was changed; take the file from git again, or remove the line")
        return {name: kind(value) for (name, kind), value in zip(self.types.items(), text.split(","), strict=True)}

    def _set_aside(self) -> None:
        """Move what follows the last line end, left by a process that died while writing, unless it is a whole line."""
        if not self.path.exists() or last_byte(self.path) in (b"\n", b""):
            return
        whole = len(self._read())
        tail = self.path.read_bytes()[whole:]
        text = tail.decode(errors="replace")
        if text in (self._header, with_check(text.rpartition(",")[0])):  # an editor took the last line end away
            with open(self.path, "ab") as file:
                file.write(b"\n")
            return
        with open(self.path.with_name(self.path.name + ".aside"), "ab") as aside:
            aside.write(tail + b"\n")
        os.truncate(self.path, whole)


def with_check(text: str) -> str:
    """A line with its checksum (CRC-32) at the end; against accidents, not against fraud."""
    return f"{text},{zlib.crc32(text.encode()):08x}"


def last_byte(path: Path) -> bytes:
    """The last byte of a file, b"" if it is empty."""
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - 1))
        return file.read()
