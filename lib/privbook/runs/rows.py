"""A row of the ledger, its head, and both as text.

What many runs share is said once, in a *head*: what was run, on which graph, with which versions, and the names of the
columns. A head ends with its checksum, and a row begins with the checksum of its head, so rows and heads may stand in
any order, as git leaves them after a merge. A row goes on with its parameters, seed, seconds and metrics, and ends with
a checksum of its own. Where its head names ``process_seconds`` before the metrics, the time of the processor stands
there; rows from before it was taken have other heads, and stay as they are.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from .grid import NOT_IN_A_ROW, PROCESS

TITLE = "#experiment,revision,dataset,sha256,privgraph,torch,device,parameters,metrics,head"  # the first line of a file


@dataclass(frozen=True)
class Head:
    """What runs share that were done in one go."""

    experiment: str
    revision: int
    dataset: str
    sha256: str
    privgraph: str
    torch: str
    device: str


@dataclass(frozen=True)
class Row:
    """One run: ``parameters`` holds every parameter of the experiment, ``metrics`` what came out, name -> value.

    :param seconds: by the clock, which others who use the machine make longer.
    :param process_seconds: of the processor; None where nobody took them.
    """

    head: Head
    parameters: Mapping[str, str | int | float]
    seed: int
    seconds: float
    metrics: Mapping[str, float]
    process_seconds: float | None = None

    @property
    def setting(self) -> dict:
        """The graph and every parameter."""
        return {"dataset": self.head.dataset, **self.parameters}

    @property
    def key(self) -> tuple:
        """What makes a run the same run."""
        return self.head.revision, self.head.dataset, self.head.sha256, tuple(self.parameters.items()), self.seed

    @property
    def results(self) -> set[tuple]:
        """One key for each metric of the run."""
        return {(self.key, metric) for metric in self.metrics}


def check_row(row: Row, parameters: Mapping[str, type]) -> None:
    """:raises ValueError: for a missing or unknown column, or a value that is not of its column's type or no number."""
    if tuple(row.parameters) != tuple(parameters) or not row.metrics:
        raise ValueError(f"a row must have the parameters {list(parameters)} and a metric, "
                         f"got {row.parameters}, {row.metrics}")
    names = [*vars(row.head), *row.parameters, "seed", "seconds", *measured_of(row)]
    kinds = [*Head.__annotations__.values(), *parameters.values(), int, float, *(float for _ in measured_of(row))]
    for name, kind, value in zip(names, kinds, values_of(row), strict=True):
        if type(value) is not kind or value != value:
            raise ValueError(f"{name} must be a number or text of type {kind.__name__}, got {value!r}")


def values_of(row: Row) -> list:
    """Everything a row says, in the order of the columns."""
    return [*vars(row.head).values(), *row.parameters.values(), row.seed, row.seconds, *measured_of(row).values()]


def measured_of(row: Row) -> dict[str, float]:
    """The metrics, and before them the time of the processor, where it is known."""
    return {**({} if row.process_seconds is None else {PROCESS: row.process_seconds}), **row.metrics}


def as_lines(row: Row) -> tuple[str, str]:
    """The head of a row, and the row.

    :raises ValueError: for text that would break a line, or a name with a space.
    """
    shared = [*map(str, vars(row.head).values()), " ".join(row.parameters), " ".join(measured_of(row))]
    own = [*map(str, row.parameters.values()), str(row.seed), f"{row.seconds:.2f}",
           *(f"{value:.2f}" if name == PROCESS else f"{value:.10g}" for name, value in measured_of(row).items())]
    if any(set(text) & NOT_IN_A_ROW for text in shared + own) or " " in "".join([*row.parameters, *row.metrics]):
        raise ValueError("no value of a row may hold a comma, a quote or a line end, and no name a space, "
                         f"got {shared + own}")
    head = with_check("#" + ",".join(shared))
    return head, with_check(",".join([check_of(head), *own]))


def read_head(line: str) -> tuple[Head, list[str], list[str]]:
    """A head, and the names of its rows' parameters and metrics.

    :raises ValueError: for a line that is none.
    """
    check_of(line)
    *said, parameters, metrics, _ = line[1:].split(",")
    head = Head(*(kind(text) for kind, text in zip(Head.__annotations__.values(), said, strict=True)))
    return head, parameters.split(), metrics.split()


def read_row(line: str, heads: Mapping[str, tuple[Head, list[str], list[str]]], kinds: Mapping[str, type]) -> Row:
    """A row under one of the heads (checksum -> head).

    :raises ValueError: for a line that is none.
    :param kinds: name -> type of the parameters; one that the experiment no longer has stays text.
    """
    check_of(line)
    check, *texts = line.split(",")[:-1]
    if check not in heads:
        raise ValueError(f"a row must stand under a head of its file, got {check}")
    head, parameters, metrics = heads[check]
    # texts goes on: seed, seconds, values
    said = {name: kinds.get(name, str)(text) for name, text in zip(parameters, texts, strict=False)}
    seed, seconds, *values = texts[len(parameters):]
    found = dict(zip(metrics, map(float, values), strict=True))
    process = found.pop(PROCESS, None)
    return Row(head, said, int(seed), float(seconds), found, process)


def with_check(text: str) -> str:
    """A line with its checksum (CRC-32) at the end; against accidents, not against fraud."""
    return f"{text},{zlib.crc32(text.encode()):08x}"


def check_of(line: str) -> str:
    """The checksum at the end of a line.

    :raises ValueError: where it is not that of the line.
    """
    text, _, check = line.rpartition(",")
    if with_check(text) != line:
        raise ValueError(f"the checksum of a line must fit, got {line}")
    return check
