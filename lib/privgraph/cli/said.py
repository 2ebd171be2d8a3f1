"""What a command tells: lines for people, or one line of JSON for a script."""

import json
import math
import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path

from ..mechanisms import Mechanism, name_of
from ..methods.evaluated import Evaluation
from ..privacy import Guarantee
from ..writing import PRIVATE, write


class Report:
    """Lines as they come, and named facts for the line of JSON; then the lines go to stderr."""

    def __init__(self, as_json: bool):
        self.as_json, self.facts = as_json, {}

    def say(self, line: str, **facts) -> None:
        print(line, file=sys.stderr if self.as_json else sys.stdout, flush=True)
        self.facts |= facts

    def guarantees(self, guarantees: Iterable[Guarantee]) -> None:
        """What will hold, said before anything runs."""
        for guarantee in guarantees:
            self.say(f"  {said(guarantee)}")
            self.facts.setdefault("guarantees", []).append(guarantee)

    def results(self, found: Evaluation) -> None:
        self.say(found.table())
        self.facts.setdefault("accuracy", {}).update(found)

    def end(self, file: Path | None = None) -> None:
        """Print the facts as a line where that was asked for, and write them into a file of the owner's."""
        line = json.dumps(plain(self.facts), ensure_ascii=False)
        if file is not None:
            write(file, line + "\n", PRIVATE, "--save")
            self.say(f"what was said here, with accuracies on true labels and counts of edges, is in {file}: it is for "
                     "the owner of the data only")
        if self.as_json:
            print(line)


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
