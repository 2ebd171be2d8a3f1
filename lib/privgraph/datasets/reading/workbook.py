"""The first sheet of a workbook (.xlsx), which is a zip folder of XML: its cells as they are stored, no formula run."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from ..npz import MAX_RATIO
from .delimited import columns_of, has_header, unique
from .found import MAX_FILE, Table, octets, too_large
from .markup import checked, inside, text

STRINGS, SHEETS = "xl/sharedStrings.xml", re.compile(r"xl/worksheets/sheet(\d+)\.xml")


def read_workbook(path, header: bool | None = None) -> Table:
    """A table of texts from the first sheet.

    :param header: whether its first line names the columns; None: as it looks.
    :raises ValueError: for a file that is no workbook.
    """
    label, notes = Path(path).name, []
    try:
        with zipfile.ZipFile(io.BytesIO(octets(path))) as file:
            sheets = sorted((int(match[1]), name) for name in file.namelist() if (match := SHEETS.fullmatch(name)))
            shared = member(file, STRINGS, path) if STRINGS in file.namelist() else None
            if not sheets:
                raise ValueError(f"{label} is no workbook of Excel: it has no sheet")
            sheet = member(file, sheets[0][1], path)
    except ValueError:
        raise
    except Exception as error:  # a broken file may raise almost anything, from zlib to struct
        raise ValueError(f"{label} is no workbook of Excel: {error if str(error) else type(error).__name__}") from error
    words = [] if shared is None else ["".join(text(part) for part in inside(each, "t"))
                                       for each in inside(shared, "si")]
    rows = [cells for row in inside(sheet, "row") if any(cells := cells_of(row, words, label))]
    if len(sheets) > 1:
        notes.append(f"the first of {len(sheets)} sheets is read")
    if not rows:
        raise ValueError(f"{label} has no rows")
    named = has_header(rows) if header is None else header
    names = unique(rows[0]) if named else []
    return Table(label, columns_of(rows[named:], names, label, notes, 1 + named), notes, named)


def member(file: zipfile.ZipFile, name: str, path) -> ElementTree.Element:
    """One document of the folder, whose size is known before it is unpacked."""
    about = file.getinfo(name)
    if about.file_size > min(MAX_FILE, MAX_RATIO * (about.compress_size + 1)):
        raise ValueError(too_large(Path(path)))
    with file.open(about) as held:
        data = held.read(MAX_FILE + 1)
    return ElementTree.parse(io.BytesIO(checked(data, Path(path).name))).getroot()


def cells_of(row: ElementTree.Element, words: list[str], label: str) -> list[str]:
    """The texts of a row in the columns that they name; empty ones are not stored."""
    cells: dict[int, str] = {}
    for at, cell in enumerate(inside(row, "c")):
        place = re.match("[A-Z]{1,3}", cell.get("r", ""))
        cells[column_of(place[0]) if place else at] = value_of(cell, words, label)
    return [cells.get(at, "") for at in range(max(cells, default=-1) + 1)]


def column_of(letters: str) -> int:
    """
    >>> column_of("A"), column_of("Z"), column_of("AA")
    (0, 25, 26)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def value_of(cell: ElementTree.Element, words: list[str], label: str) -> str:
    kind, held = cell.get("t"), text(next(inside(cell, "v"), None))
    if kind == "inlineStr":
        return "".join(text(part) for part in inside(cell, "t"))
    if kind == "s":
        if not re.fullmatch(r"\d{1,9}", held) or int(held) >= len(words):
            raise ValueError(f"{label} names a text that it does not hold")
        return words[int(held)]
    if kind == "b":
        return {"0": "false", "1": "true"}.get(held, "")
    return "" if kind == "e" else held
