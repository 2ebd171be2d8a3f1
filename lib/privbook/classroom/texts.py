"""Students' words, where a page, a spreadsheet or a terminal would take them for commands: written to be read only.

No rule tells harmless markup from harmful, and each reader has rules of its own: nbconvert's Markdown is not
JupyterLab's, and MathJax obeys what both let through. So nothing of a student's is markup. A text stands between
fences, into which none of them looks; of outputs there are text and pictures that are pictures.
"""

import base64
import binascii
import re
import struct
import unicodedata
from typing import Any

from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbformat.v4 import new_output

HALVES = re.compile("[\ud800-\udfff]")  # of a character; no file can hold one
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # what follows is read from right to left
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")  # how a spreadsheet knows one
WIDTH = 100  # characters of a line
LINE = re.compile(rf".{{1,{WIDTH}}}$|.{{0,{WIDTH - 1}}}\s|.{{1,{WIDTH}}}")
PNG = b"\x89PNG\r\n\x1a\n"
PIXELS = 25_000_000  # of a picture; a small file can unfold to gigabytes


def whole(text: str) -> str:
    """A text in which half a character is the sign for an unknown one.

    >>> whole(chr(0xd83d) + "!")
    '\ufffd!'
    """
    return HALVES.sub("\ufffd", text)


def plain(text: str) -> str:
    """A text without control characters, but for new lines and tabs.

    >>> plain("red: " + chr(27) + "[31m")
    'red: [31m'
    """
    kept = whole(text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(c for c in kept if c in "\n\t" or (unicodedata.category(c) != "Cc" and c not in TURNING))


def one_line(text: str) -> str:
    """A text for a terminal or a log: what cannot be printed is spelt out.

    >>> print(one_line("a" + chr(27) + "[2J" + chr(10) + "b"))
    a\\x1b[2J\\nb
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def fenced(text: str) -> str:
    """Markdown that shows a text as it is written: no HTML, no links, no formulas.

    >>> print(fenced("<b> and ```"))
    ````
    <b> and ```
    ````
    """
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{wrapped(plain(text))}\n{fence}"


def wrapped(text: str) -> str:
    """Lines of at most ``WIDTH``, broken at blanks where there are any: Formgrader cuts off what is longer.

    >>> print(wrapped("word " * 21))
    word word word word word word word word word word word word word word word word word word word word
    word
    """
    return "\n".join(piece.rstrip() for line in text.split("\n") for piece in LINE.findall(line) or [""])


def spreadsheet(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; numbers stay.

    >>> spreadsheet("=1+1"), spreadsheet("-2.5"), spreadsheet("ada")
    ("'=1+1", '-2.5', 'ada')
    """
    text = one_line(value) if isinstance(value, str) else value
    if not isinstance(text, str) or not text.lstrip().startswith(FORMULA) or re.fullmatch(r"[+-]?\d+(\.\d+)?", text):
        return text
    return "'" + text


def picture(content: Any) -> str:
    """The base64 of a PNG, written anew; nothing if it is something else."""
    try:
        found = base64.b64decode("".join(content.split()), validate=True)
        width, height = struct.unpack(">II", found[16:24])
    except (AttributeError, binascii.Error, ValueError, struct.error):
        return ""
    return base64.b64encode(found).decode() if found.startswith(PNG) and width * height <= PIXELS else ""


def output(shown: NotebookNode) -> NotebookNode | None:
    """One of a cell's outputs as text or picture; None if it is neither."""
    if shown.get("output_type") == "stream":
        return new_output("stream", name="stdout", text=plain(strip_ansi(str(shown.get("text", "")))))
    image = picture(dict(shown.get("data", {})).get("image/png"))
    return new_output("display_data", data={"image/png": image}) if image else None


def neutral(notebook: NotebookNode, ours: NotebookNode) -> NotebookNode:
    """A submission's notebook in which nothing is a command: what is ours stays, the student's is shown as text.

    :param notebook: a submission that was made fit.
    :param ours: the assignment as it is handed out; a text that is the same as one of its stays as it is.
    """
    own, found = {cell.source for cell in ours.cells if cell.cell_type == "markdown"}, ours.copy()
    found.cells = [neutral_cell(cell, number, own) for number, cell in enumerate(notebook.cells)]
    return found


def neutral_cell(cell: NotebookNode, number: int, own: set[str]) -> NotebookNode:
    kept = {key: cell.metadata[key] for key in ("nbgrader", "deletable", "editable") if key in cell.metadata}
    new = NotebookNode(cell_type="code" if cell.cell_type == "code" else "markdown", id=f"cell-{number}",
                       metadata=NotebookNode(kept))
    if new.cell_type == "code":
        shown = [output(one) for one in cell.get("outputs", [])]
        return NotebookNode(new, source=whole(cell.source), execution_count=None, outputs=[one for one in shown if one])
    return NotebookNode(new, source=cell.source if cell.source in own else fenced(cell.source))
