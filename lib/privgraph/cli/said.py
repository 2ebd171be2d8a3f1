"""What a command tells: lines for people, or one line of JSON for a script."""

import json
import logging
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

from tqdm.auto import tqdm

from ..mechanisms import Mechanism, name_of
from ..methods.evaluated import Evaluation
from ..privacy import Guarantee
from ..writing import PRIVATE, write_all


class Report:
    """Lines as they come, and named facts for the line of JSON; then the lines go to stderr.

    :param quiet: tell accuracies, what follows from them and where files are, and nothing else.
    """

    def __init__(self, as_json: bool, quiet: bool = False):
        self.as_json, self.quiet, self.facts = as_json, quiet, {}

    @property
    def bars(self) -> bool:
        """Whether somebody sees bars: in a file of lines they would be thousands."""
        return not self.quiet and sys.stderr.isatty()

    def say(self, line: str, **facts) -> None:
        if not self.quiet:
            self.tell(line)
        self.facts |= facts

    def tell(self, line: str) -> None:
        """A line that is told also where all is quiet."""
        print(line, file=sys.stderr if self.as_json else sys.stdout, flush=True)

    def guarantees(self, guarantees: Iterable[Guarantee]) -> None:
        """What will hold, said before anything runs."""
        for guarantee in guarantees:
            self.say(f"  {said(guarantee)}")
            self.facts.setdefault("guarantees", []).append(guarantee)

    def results(self, found: Evaluation) -> None:
        """The arms that were not told before."""
        known = self.facts.setdefault("accuracy", {})
        new = {name: each for name, each in found.scores.items() if name not in known}
        self.tell(replace(found, scores=new).table())
        known.update(found), self.facts.update(values=found.scores)

    def verdict(self, found: Evaluation) -> None:
        """What follows, in sentences."""
        self.facts["verdict"] = list(found.verdict())
        for sentence in self.facts["verdict"]:
            self.tell(sentence)

    def attackers(self, found: Iterable[tuple[str, object]]) -> None:
        """How well each did, by its name."""
        for name, result in found:
            self.say(f"{name:24} {result}")
            self.facts.setdefault("attackers", {})[name] = result

    @contextmanager
    def hearing(self) -> Iterator[None]:
        """What the library logs, such as how much time is left, as lines on stderr."""
        log, handler = logging.getLogger("privgraph"), Beside()
        before = log.level
        if not self.quiet:
            log.addHandler(handler), log.setLevel(logging.INFO)
        try:
            yield
        finally:
            log.removeHandler(handler), log.setLevel(before)

    def end(self, file: Path | None = None, beside: Mapping[Path, str] | None = None) -> None:
        """Print the facts as a line where that was asked for, and write them into a file of the owner's.

        :param beside: what is written with it, by path.
        """
        line = json.dumps(plain(self.facts), ensure_ascii=False)
        if file is not None:
            write_all({file: line + "\n", **(beside or {})}, PRIVATE, "--save")
            self.tell(f"what was said here, with accuracies on true labels and counts of edges, is in {file}: it is "
                      "for the owner of the data only")
        if self.as_json:
            print(line)


class Beside(logging.Handler):
    """Lines on stderr, that leave the bars whole."""

    def emit(self, record: logging.LogRecord) -> None:
        tqdm.write(record.getMessage(), file=sys.stderr)


def said(guarantee: Guarantee) -> str:
    """One guarantee with all that its numbers mean nothing without; what nothing stands behind is not called one."""
    delta = f", delta = {guarantee.delta:g}" if guarantee.delta else ""
    number = f"epsilon = {guarantee.epsilon:.6g}{delta}"
    kind = f"({guarantee.relation}, {guarantee.trust}, {guarantee.basis})"
    if guarantee.randomness == "public":
        kind += "; DOES NOT HOLD: drawn from a public seed, idealised"
    if guarantee.basis == "none" and math.isfinite(guarantee.epsilon):
        return f"{guarantee.unit}: no guarantee, as not all is accounted for; what is, costs {number} {kind}"
    return f"{guarantee.unit}: {number} {kind}"


def plain(value):
    """What JSON can hold: dataclasses by their fields; infinity, which it has no number for, as text."""
    if is_dataclass(value) and not isinstance(value, type):
        name = {"mechanism": name_of(type(value))} if isinstance(value, Mechanism) else {}
        return name | {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, int | float | str | bool | None) else str(value)
