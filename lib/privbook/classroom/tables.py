"""Tables as spreadsheets and learning platforms write them: read as text, and written so that no cell is a formula."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from privgraph.writing import PRIVATE, ready_folder, write

from .texts import FORMULA, spreadsheet

LARGEST = 20_000_000  # bytes of a table
SEPARATORS = ",;\t"
HIDDEN = re.compile(r"([;\t\r\n])(?=[=+@-])")  # a formula, for a spreadsheet that separates elsewhere than we do


@dataclass(frozen=True)
class Table:
    """:param columns: the heads, as they stand there; two may be the same.
    :param rows: each as long as the heads.
    """

    columns: list[str]
    rows: list[list[str]]

    @classmethod
    def read(cls, path: Path, name: str = "table") -> "Table":
        """A table with commas, semicolons or tabs, in UTF-8, or in UTF-16 with its mark.

        :param name: of the argument or option that said the path, for messages.
        """
        try:
            lines = list(csv.reader(io.StringIO(decoded(Path(path)), newline=""), delimiter=separator(Path(path))))
        except (OSError, ValueError, csv.Error) as error:
            raise ValueError(f"{name} must be a table (CSV), got {str(path)!r}: {error}") from None
        lines = [line for line in lines if any(cell.strip() for cell in line)]
        if not lines:
            raise ValueError(f"{name} must have a line of heads, got {str(path)!r}, which is empty")
        columns = [head.strip() for head in lines[0]]
        return cls(columns, [[*map(unquoted, line), *[""] * len(columns)][:len(columns)] for line in lines[1:]])

    def at(self, *heads: str) -> int | None:
        """Where the first of these heads stands, in whatever case; None if there is none."""
        folded = [column.casefold() for column in self.columns]
        return next((folded.index(head.casefold()) for head in heads if head.casefold() in folded), None)

    def get(self, row: Sequence[str], *heads: str) -> str:
        """A row's cell under the first of these heads that there is; nothing if there is none."""
        at = self.at(*heads)
        return "" if at is None else row[at].strip()

    def dictionaries(self) -> list[dict[str, str]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def decoded(path: Path) -> str:
    with open(path, "rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes")
    if content.startswith(b"PK"):
        raise ValueError("this is a workbook or an archive; save it as 'CSV UTF-8'")
    try:
        return content.decode("utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:  # which of the others it is, nobody can know, and names would be other ones
        raise ValueError("it is not in UTF-8; save it as 'CSV UTF-8'") from None


def separator(path: Path) -> str:
    """What gives the first line the most cells."""
    first = next(iter(decoded(path).splitlines()), "")
    return max(SEPARATORS, key=lambda one: len(next(csv.reader([first], delimiter=one), [])))


def cell(value: str) -> str:
    """A text that no spreadsheet takes for a formula, wherever it separates cells.

    >>> cell("=1+1"), cell("Müller, Änne"), cell("a;=1+1"), cell(chr(0xFF1D) + "1"), cell("-")
    ("'=1+1", 'Müller, Änne', "a;'=1+1", "'＝1", '-')
    """
    value = HIDDEN.sub(r"\1'", value)
    folded = unicodedata.normalize("NFKC", value).lstrip()  # wide signs are signs for some
    formula = len(folded) > 1 and folded.startswith(FORMULA) and spreadsheet(folded) != folded
    return "'" + value if formula else value


def unquoted(value: str) -> str:
    """What ``cell`` was given.

    >>> unquoted(cell("=1+1")), unquoted("'s Gravenhage")
    ('=1+1', "'s Gravenhage")
    """
    return value[1:] if value.startswith("'") and cell(value[1:]) == value else value


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """With commas, in UTF-8, for the teacher alone; it replaces what was there. ``--to`` says where."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([list(map(cell, map(str, row))) for row in (columns, *rows)])
    ready_folder(path.parent, "to")
    write(path, text.getvalue(), PRIVATE, "to")


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[dict[str, str]]) -> None:
    """The same, of dictionaries; what a row does not say is empty."""
    write_table(path, columns, [[row.get(column, "") for column in columns] for row in rows])
