"""What students wrote is shown as text: in a notebook, on a page, in a table and on a terminal.

``tests/site/test_formgrader.py`` opens the pages in a real browser.
"""

import base64
import json
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from nbformat.v4 import new_markdown_cell, new_output

from handed_in import FIRST, read_csv
from hostile_essays import RUN, essays
from privbook.classroom import Mark, gradebook
from privbook.classroom.gradebook import Course, inert, write_csv
from privbook.classroom.submissions import outputs
from privbook.classroom.texts import fenced, neutral, one_line, picture, spreadsheet

RIGHT = {part: Mark(1.0, "Right.") for part in FIRST.parts}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TEXTS = essays("http://127.0.0.1:9")


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_shown_as_text(text):
    """As nbconvert renders it: one block of code that holds all of the text, and nothing else."""
    soup = BeautifulSoup(markdown2html_mistune(fenced(text)), "html.parser")
    assert [tag.name for tag in soup.find_all(True)] == ["pre", "code"] and soup.pre.attrs == soup.code.attrs == {}
    assert soup.get_text().strip() == soup.code.get_text().strip()
    assert squeezed(soup.get_text()) == squeezed(text)


def squeezed(text: str) -> str:
    return "".join(c for c in text if c.isprintable() and not c.isspace())


def test_what_is_written_holds_no_markup_and_the_text_is_kept_beside(tmp_path):
    course = Course(tmp_path)
    course.add(FIRST)
    notebook = FIRST.with_answers({"repeat": TEXTS[0]})
    notebook.cells += [new_markdown_cell(text, attachments={"x.svg": {"image/svg+xml": "<svg>"}}) for text in TEXTS[1:]]
    notebook.metadata["title"] = notebook.metadata.kernelspec["name"] = "<script>"
    for cell in notebook.cells:
        cell.metadata["style"] = cell.id = f"\"><script>{RUN}</script>"
        if cell.cell_type == "code":
            cell.outputs = [new_output("display_data", data={"text/html": "<b>x</b>", "image/svg+xml": "<svg>"}),
                            new_output("display_data", data={"image/png": "\"><script>"}, metadata={"image/png": {}}),
                            new_output("display_data", data={"image/png": PIXEL}, metadata={"image/png": {"width": 1}}),
                            new_output("stream", text="\x1b[1mb")]
    course.enter(FIRST, "ada", RIGHT, notebook)
    found = nbformat.read(tmp_path / "autograded" / "ada" / FIRST.name / f"{FIRST.name}.ipynb", 4)
    nbformat.validate(found)
    own = {cell.source for cell in FIRST.for_students().cells}
    texts = [cell.source for cell in found.cells if cell.cell_type == "markdown" and cell.source not in own]
    assert len(texts) == len(TEXTS) and all(text.startswith("```") for text in texts)
    assert [cell.id for cell in found.cells] == [f"cell-{number}" for number in range(len(found.cells))]
    assert not any("attachments" in cell or "style" in cell.metadata for cell in found.cells)
    shown = [new_output("display_data", data={"image/png": PIXEL}), new_output("stream", text="b")]
    assert all(cell.outputs == shown for cell in found.cells if cell.cell_type == "code")
    assert "<script>" not in json.dumps(found.metadata)
    kept = sorted((tmp_path / "texts" / "ada" / FIRST.name).iterdir())
    assert {path.read_bytes() for path in kept} == {text.encode() for text in TEXTS}
    assert (tmp_path / "texts" / "ada" / FIRST.name / "essay-repeat.txt").read_text() == TEXTS[0]


def test_what_an_earlier_version_left_is_mended(tmp_path, monkeypatch):
    course = Course(tmp_path)
    course.add(FIRST)
    with monkeypatch.context() as patch:
        patch.setattr(gradebook, "neutral", lambda notebook, ours: notebook.copy())
        patch.setattr(gradebook, "NEUTRAL", "before")
        course.enter(FIRST, "ada", RIGHT, FIRST.with_answers({"repeat": TEXTS[0]}))
    page = tmp_path / "feedback" / "ada" / FIRST.name / f"{FIRST.name}.html"
    page.parent.mkdir(parents=True)
    page.write_text(f"<html><head></head><body>{TEXTS[0]}</body></html>")
    path = tmp_path / "autograded" / "ada" / FIRST.name / f"{FIRST.name}.ipynb"
    assert sources(path)["essay-repeat"] == TEXTS[0]
    course.add(FIRST)
    assert sources(path)["essay-repeat"] == fenced(TEXTS[0]) and "<script>" not in page.read_text()
    before = path.read_bytes()
    course.add(FIRST)
    assert path.read_bytes() == before, "it is done once"


def sources(path: Path) -> dict[str, str]:
    return gradebook.sources(nbformat.read(path, 4))


def test_a_notebook_that_is_ours_stays_as_it_is():
    ours = FIRST.for_students()
    shown = neutral(ours, ours)
    assert [cell.source for cell in shown.cells] == [cell.source for cell in ours.cells]
    assert gradebook.sources(shown) == gradebook.sources(ours) and shown.metadata == ours.metadata


def test_a_page_says_what_it_may_load_before_anything_else():
    page = inert("<!DOCTYPE html><html><head><title>x</title></head><body style='color: red'><!-- c -->"
                 "<![CDATA[ x ]]><p style='background: image-set(\"http://a\" 1x)'>a</p></body></html>")
    assert page.startswith("<!DOCTYPE html>\n<html><head><meta content=\"default-src 'none'; img-src data:; style-src "
                           "'unsafe-inline'\" http-equiv=\"Content-Security-Policy\"/>") or page.startswith(
        "<!DOCTYPE html>\n<html><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "img-src data:; style-src 'unsafe-inline'\"/>")
    assert page.endswith("<body><p>a</p></body></html>")


@pytest.mark.parametrize("content", ["\"><script>", "", "AAAA", 5, None, PIXEL[:20], "é", PIXEL.replace("A", "<")])
def test_a_picture_that_is_none_is_left_out(content):
    assert picture(content) == ""
    assert list(outputs([["image/png", content]])) == [] and picture(PIXEL + "\n") == PIXEL


def test_a_picture_that_unfolds_is_left_out():
    large = bytearray(base64.b64decode(PIXEL))
    large[16:24] = (60_000).to_bytes(4, "big") * 2
    assert picture(base64.b64encode(large).decode()) == ""


@pytest.mark.parametrize("value", ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", " =1", "\n=1", "|x", "%x",
                                   "=cmd|' /C calc'!A0", "-x", "\u00a0=1"])
def test_no_cell_of_a_table_is_a_formula(tmp_path, value):
    write_csv(tmp_path / "a.csv", [{"identifier": value, "points": "-2.5", "n": 3}])
    row, = read_csv(tmp_path / "a.csv")
    assert row["identifier"].startswith("'") or row["identifier"].lstrip()[0] not in "=+-@|%"
    assert row["points"] == "-2.5" and row["n"] == "3" and spreadsheet("ada b-c") == "ada b-c"


def test_a_terminal_is_told_nothing_but_text():
    hostile = "\x1b[2J\x1b]8;;http://a\x07x\x9b31m\u202e\r\n\ud83d\x00é"
    assert one_line(hostile).isprintable() and one_line(hostile).endswith("é")
