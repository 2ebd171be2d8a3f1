"""The check of what is published finds nothing in the built site, and each fault that is planted in a copy of it."""

import functools
import shutil

import pytest
from bs4 import BeautifulSoup
from built_site import SITE

import published
from privbook import compare_paper
from privbook.papers.published import papers
from privbook.show.reproductions import comparison_rows

PAGE = "chapters/09_privgnn.html"  # with a figure, tables, what it prints, and glued numbers
PAPER = "chapters/15_tables_rgnn.html"
LISTED = "chapters/15_not_reproduced.html"
ROWS = "rows of chapter 15"


def on_others(folder, names):
    """Pages on which nothing is planted. Without them the checks find more, and the sooner."""
    return [name for name in names if name.endswith(".html") and not name.startswith(("index", "09_", "15_"))]


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """Of the site, what a fault is planted in."""
    if not SITE.is_dir():
        pytest.skip("there is no built site: `make book`")
    site = shutil.copytree(SITE, tmp_path_factory.mktemp("part") / "html", ignore=on_others)
    (site / "_sources").mkdir()
    return site


@pytest.fixture(scope="module")
def before(part):
    """Check -> what it finds where nothing is planted."""
    return functools.cache(lambda check: published.CHECKS[check](part)[1])


@pytest.fixture
def copy(part, tmp_path):
    return shutil.copytree(part, tmp_path / "html")


def on(page, change):
    """A fault in the HTML of a page."""
    def plant(site):
        html = BeautifulSoup((site / page).read_text(encoding="utf-8"), "html.parser")
        change(html)
        (site / page).write_text(str(html), encoding="utf-8")
    return plant


def without(page, selector, most=None):
    """A page that lacks all that, or the first few."""
    def change(html):
        found = html.select(selector)[:most]
        assert found, f"nothing on {page} is {selector}"
        for tag in found:
            tag.decompose()
    return on(page, change)


def saying(page, selector, text):
    return on(page, lambda html: setattr(html.select_one(selector), "string", text))


def leading(page, selector, attribute, address):
    return on(page, lambda html: html.select_one(selector).__setitem__(attribute, address))


def in_rows(page, change):
    """A fault in the rows of a table with menus, as its script holds them."""
    def plant(html):
        script = html.select_one(".filterable script[type='application/json']")
        texts, rows = published.json.loads(script.string)
        change(texts, rows)
        script.string = published.json.dumps([texts, rows])
    return on(page, plant)


def holding(name, content):
    return lambda site: (site / name).write_bytes(content)


def cut(name):
    return lambda site: (site / name).write_bytes((site / name).read_bytes()[:1000])


def gone(name):
    return lambda site: (site / name).unlink()


def first_picture(change):
    def plant(site):
        image = published.soup(site / PAGE).select_one(".cell_output img")
        change((site / PAGE).parent.joinpath(image["src"]).resolve().relative_to(site.resolve()))(site)
    return plant


PLANTED = {
    "a page is missing": ("pages", gone(PAGE), "09_privgnn: in _toc.yml, and there is no such page"),
    "a page too many": ("pages", holding("book/draft.html", b"<h1>a</h1><p>b</p>"), "book/draft: a page that is not"),
    "an empty page": ("pages", without(PAGE, "article > *"), "has no title or no text"),
    "no front door": ("pages", gone("index.html"), "index.html does not lead to book/intro"),
    "a traceback": ("pages", saying(PAGE, ".stream pre", "Traceback (most recent call last)"), "shows a traceback"),
    "an error output": ("pages", on(PAGE, lambda html: html.select_one(".stream")["class"].append("traceback")),
                        "shows a traceback"),
    "a role not understood": ("pages", saying(PAGE, "article p", "see {prf:ref}`x`"), "markup that was not understood"),
    "a substitution not made": ("pages", saying(PAGE, "article p", "{{ values }}"), "markup that was not understood"),
    "a page without outputs": ("cells", without(PAGE, ".cell_output"), "outputs, and the page shows none"),
    "a cell is missing": ("cells", without(PAGE, ".cell", 1), "cells on the page"),
    "another text is printed": ("cells", saying(PAGE, ".stream pre", "0.5"), "prints another text than the run"),
    "a table without a row": ("cells", without(PAGE, ".cell_output tr:last-child", 1), "rows of tables on the page"),
    "a figure is missing": ("figures", without(PAGE, ".cell_output img", 1), "no figure '"),
    "a caption is missing": ("figures", without(PAGE, "figcaption", 1), "captions of figures"),
    "a picture cut short": ("figures", first_picture(cut), "does not open"),
    "a picture is missing": ("figures", first_picture(gone), "does not open"),
    "an empty number": ("numbers", saying(PAGE, ".pasted-text", ""), "'' where the run has"),
    "another number": ("numbers", saying(PAGE, ".pasted-text", "7.25"), "'7.25' where the run has"),
    "a number is missing": ("numbers", without(PAGE, ".pasted-text", 1), "glued numbers"),
    "nothing offered": ("downloads", without(PAGE, ".downloads"), "does not offer its notebook"),
    "a launch to nowhere": ("downloads", leading(PAGE, ".downloads a", "href", "https://mybinder.org/v2/gh//main"),
                            "does not offer its notebook"),
    "an empty download": ("downloads", holding("notebooks/09_privgnn.ipynb", b""), "09_privgnn.ipynb is empty"),
    "a download is missing": ("downloads", gone("notebooks/09_privgnn.py"), "09_privgnn.py is not there"),
    "chapter 15 without a row": (ROWS, in_rows(PAPER, lambda texts, rows: rows.pop()), "1 printed entries have no row"),
    "chapter 15 with a row twice": (ROWS, in_rows(PAPER, lambda texts, rows: rows.append(rows[0])),
                                    "1 rows of no printed entry"),
    "chapter 15 with a digit changed": (
        ROWS, in_rows(PAPER, lambda texts, rows: texts.__setitem__(rows[0][6], "99.9 ± 9.9")), "have no row"),
    "a verdict on nothing": (ROWS, in_rows(PAPER, lambda texts, rows: texts.__setitem__(rows[0][7], "")),
                             "have a verdict and no number of ours"),
    "a table of the paper is missing": (ROWS, without(PAPER, "main table tr:nth-child(2)", 1),
                                        "are not those of the index"),
    "what differs without a row": (ROWS, in_rows(LISTED, lambda texts, rows: rows.pop()), "cells differ"),
    "a link to no page": ("links", leading(PAGE, "article p a.internal", "href", "13_x.html"), "leads to 13_x.html"),
    "a link to no place": ("links", leading(PAGE, "article p a.internal", "href", "09_students.html#x"),
                           "leads to 09_students.html#x"),
    "a style sheet is missing": ("links", gone("_static/custom.css"), "leads to ../_static/custom.css"),
    "a script is missing": ("links", gone("searchindex.js"), "leads to ../searchindex.js"),
    "an empty file": ("files", holding("_static/preview.js", b""), "_static/preview.js: an empty file"),
    "a source with its solutions": ("files", holding("_sources/09_privgnn.md", b"a"), "09_privgnn.md: not for readers"),
    "a notebook with its solutions": ("files", holding("chapters/09_privgnn.ipynb", b"a"), "not for readers"),
}


def test_the_built_site_is_what_was_meant(capsys):
    if not SITE.is_dir():
        pytest.skip("there is no built site: `make book`")
    published.main(["--site", str(SITE)])
    said = capsys.readouterr().out
    counts = [int(part.split()[0].replace(",", "")) for part in said.removeprefix("published: ").split(", ")]
    assert len(counts) == len(published.CHECKS) and 0 not in counts, said


@pytest.mark.parametrize("check, plant, said", PLANTED.values(), ids=PLANTED)
def test_a_planted_fault_is_found(copy, before, check, plant, said):
    plant(copy)
    _, faults = published.CHECKS[check](copy)
    new = [fault for fault in faults if fault not in before(check)]
    assert any(said in fault for fault in new), faults


def test_a_site_with_a_fault_is_not_written(copy, tmp_path, monkeypatch):
    gone(PAGE)(copy)
    monkeypatch.setattr(published, "CHECKS", {"pages": published.pages})  # the others have been tried above
    with pytest.raises(SystemExit) as stopped:
        published.main(["--site", str(copy), "--to", str(tmp_path / "served")])
    assert "09_privgnn: in _toc.yml, and there is no such page" in str(stopped.value)
    assert not (tmp_path / "served").exists()


@pytest.mark.parametrize("paper", papers())
def test_the_tables_of_chapter_15_are_the_ledger_as_it_is_now(paper):
    """All of each row, not only that it is there: by the library, which the tool never imports."""
    page = SITE / f"chapters/15_tables_{paper}.html"
    if not page.is_file():
        pytest.skip("there is no built site: `make book`")
    rows = [{name: str(text) for name, text in row.items()} for row in comparison_rows(compare_paper(paper))]
    assert published.filterable(published.soup(page)) == rows
