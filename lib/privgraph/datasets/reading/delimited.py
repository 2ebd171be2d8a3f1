"""Tables as text: CSV, TSV and the like, whatever separates their columns; and square tables, which are matrices."""

import codecs
import csv
import re
from collections import Counter
from pathlib import Path

from .cells import STYLES, is_counting, is_missing
from .found import Table, count, octets, printable, some

SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "bar", " ": "blank"}  # the most telling first
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
MAX_COLUMNS = 100_000
LOOKED_AT = 50  # lines, to see what separates columns


def read_table(path, header: bool | None = None) -> Table:
    """A table of texts.

    :param header: whether its first line names the columns; None: as it looks.
    :raises ValueError: for a file that is no table of text.
    """
    label, notes = Path(path).name, []
    rows, separator = rows_of(text_of(octets(path), label, notes), label, notes)
    if Path(path).suffix.lower() in (".clu", ".vec"):  # Pajek's classes and values: a line a node, below their number
        rows, header = rows[1:], False
    if not rows:
        raise ValueError(f"{label} has no rows")
    if header is None and len(rows) == 1 and not any(map(STYLES["point"].fullmatch, map(str.strip, rows[0]))):
        raise ValueError(f"{label} has one line only, {some(rows[0], 12)}: if it is a row, and names no columns, say "
                         "--no-header")
    named = has_header(rows) if header is None else header
    names = unique(said := [cell.strip() for cell in rows[0]]) if named else []
    if again := [name for name, own in zip(names, said, strict=True) if own and name != own] if named else []:
        notes.append(f"several columns have one name; they are called {some(again, 12)}")
    if names and separator != "," and {len(row) - len(names) for row in rows[1:]} == {1}:  # R names rows, too
        names = unique(["", *names])
    if header is None and not named:
        notes.append("no names of columns in the first line, so they are called 1, 2, ...; --header says otherwise")
    return Table(label, columns_of(rows[named:], names, label, notes, first=1 + named), notes, named)


def text_of(data: bytes, label: str, notes: list[str]) -> str:
    """UTF-8 and UTF-16, and where it is neither, what Windows writes in the west of Europe."""
    encoding = next((found for mark, found in MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
        notes.append("read as Windows-1252, as it is no UTF-8")
    if "\0" in text:
        raise ValueError(f"{label} is no text: it holds zero bytes")
    return text


def rows_of(text: str, label: str, notes: list[str]) -> tuple[list[list[str]], str]:
    """The cells of each line, and what separates them; empty lines and comments are left out."""
    lines = [line + "\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    start = next((at for at, line in enumerate(lines) if line.strip() and line.lstrip()[0] not in "#%"), len(lines))
    said = re.fullmatch(r"sep=(.)\n", lines[start]) if start < len(lines) else None  # a first line of Excel's own
    lines = [line for line in lines[start + bool(said):] if line.strip() and not line.startswith("#")]
    try:
        separator = said[1] if said else separator_of(lines[:LOOKED_AT])
        notes.append(f"columns are separated by a {SEPARATORS.get(separator, separator)}")
        if separator == " ":
            return [line.split() for line in lines], separator
        rows = [row for row in csv.reader(lines, delimiter=separator) if any(cell.strip() for cell in row)]
        if rows and rows[-1][-1].endswith("\n"):  # which a line's own end is not part of
            raise ValueError(f"{label} has a quote that is opened and not closed, before {printable(rows[-1][-1])}")
        return rows, separator
    except csv.Error as error:
        raise ValueError(f"{label} is no table of text: {error}") from error


def separator_of(lines: list[str]) -> str:
    """What gives most lines the same number of columns, more than one."""
    best, score = ",", 0.0
    for separator in SEPARATORS:
        rows = [line.split() for line in lines] if separator == " " else list(csv.reader(lines, delimiter=separator))
        (width, often), = Counter(map(len, rows)).most_common(1) or [(0, 0)]
        if width > 1 and often > score * 1.01:
            best, score = separator, often
    return best


def has_header(rows: list[list[str]]) -> bool:
    """Whether the first line names columns: no cell of it is a number, but where they only count."""
    first = [cell.strip() for cell in rows[0]]
    numbers = [cell for cell in first if STYLES["point"].fullmatch(cell)]
    if not numbers:
        below = [cell for row in rows[1:2] for cell in row if STYLES["point"].fullmatch(cell.strip())]
        return len(rows) > 1 and (len({*first}) == len(first) or bool(below))
    return len(numbers) < len(first) and len(numbers) > 2 and is_counting(numbers)


def unique(names: list[str]) -> list[str]:
    """Names of columns, each once; what has none is called by its place."""
    found: list[str] = []
    for at, name in enumerate(names, 1):
        name = name or str(at)
        found.append(name if name not in found else f"{name}.{at}")
    return found


def columns_of(rows: list[list[str]], names: list[str], label: str, notes: list[str],
               first: int) -> dict[str, list[str]]:
    """Columns of one length. Short lines miss their last cells; what is longer must be empty there.

    :param first: the number of the first row, for messages.
    """
    width = len(names) or max(map(len, rows), default=0)
    if width > MAX_COLUMNS:
        raise ValueError(f"{label} has {width} columns, and at most {MAX_COLUMNS} are read")
    for at, row in enumerate(rows, first):
        if any(cell.strip() for cell in row[width:]):
            raise ValueError(f"row {at} of {label} has {len(row)} cells, and there are names for {width} columns: "
                             f"{printable(row[width])} has none. Put texts with a separator in quotes")
    if short := sum(len(row) < width for row in rows):
        notes.append(f"{count(short, 'row')} shorter than the others: the last cells count as missing")
    names = names or [str(at) for at in range(1, width + 1)]
    cells = [row + [""] * (width - len(row)) for row in rows]
    return {name: [row[at] for row in cells] for at, name in enumerate(names)}


def square(table: Table) -> tuple[list[str], list[tuple[int, int, str]]] | None:
    """The ids and the edges of a table that is an adjacency matrix, each with its entry: a row and a column for each
    node, or None."""
    names = [*table.columns]
    if table.named and len(names) > 2 and [cell.strip() for cell in table.columns[names[0]]] == names[1:]:
        ids, cells = names[1:], [table.columns[name] for name in names[1:]]
    elif not table.named and len(names) == len(table) > 2:
        ids, cells = [str(at) for at in range(len(table))], list(table.columns.values())
    else:
        return None
    return ids, [(row, column, cell.strip()) for column, values in enumerate(cells) for row, cell in enumerate(values)
                 if not is_missing(cell) and not re.fullmatch(r"0*[.,]?0*", cell.strip())]
