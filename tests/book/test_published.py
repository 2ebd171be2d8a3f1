"""What `make publish` writes, and where it does not; the check itself is tried on the built site, in tests/site."""

import io
import os
import subprocess
import sys
import zipfile

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_notebook

import published

OURS = {".nojekyll", "404.html"}


@pytest.fixture
def site(tmp_path):
    """A site as the builder leaves it, with files of its own."""
    for name in ("index.html", "chapters/01_a.html", "_static/a.css", ".buildinfo", ".doctrees/a.doctree"):
        path = tmp_path / "html" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "html"


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_host_gets_the_site_without_the_builders_files(site, tmp_path):
    published.publish(site, served := tmp_path / "served")
    assert names(served) == {"index.html", "chapters/01_a.html", "_static/a.css", *OURS}
    assert all((served / name).read_bytes() == (site / name).read_bytes() for name in names(served) - OURS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["html", "served"]


def test_a_page_that_there_is_not_leads_home_wherever_it_was_asked_for(site, tmp_path):
    published.publish(site, served := tmp_path / "served", "https://example.org/book/")
    page = BeautifulSoup((served / "404.html").read_text(encoding="utf-8"), "html.parser")
    assert [link["href"] for link in page.find_all("a")] == ["https://example.org/book/",
                                                             "https://example.org/book/search.html"]
    assert page.find_all(["script", "img", "link"]) == []


def test_an_empty_folder_is_taken_and_an_earlier_one_replaced(site, tmp_path):
    (served := tmp_path / "served").mkdir()
    published.publish(site, served)
    (site / "chapters/01_a.html").rename(site / "chapters/01_b.html")
    published.publish(site, served)
    assert names(served) == {"index.html", "chapters/01_b.html", "_static/a.css", *OURS}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["html", "served"]


@pytest.mark.parametrize("there, said", [
    ("thesis.tex", "is not empty, and not of an earlier"), (".nojekyll", "is not empty, and not of an earlier")])
def test_a_folder_of_somebody_elses_is_left_alone(site, tmp_path, there, said):
    (served := tmp_path / "served").mkdir()
    (served / there).write_text("mine")
    with pytest.raises(SystemExit, match=said):
        published.publish(site, served)
    assert names(served) == {there} and (served / there).read_text() == "mine"


def test_a_file_that_somebody_added_is_not_lost(site, tmp_path):
    published.publish(site, served := tmp_path / "served")
    (served / "CNAME").write_text("a.example")
    before = names(served)
    with pytest.raises(SystemExit, match="did not write, such as CNAME: nothing was written"):
        published.publish(site, served)
    assert names(served) == before


def test_a_file_and_the_site_itself_are_no_place(site, tmp_path):
    (tmp_path / "file").write_text("mine")
    for place, said in ((tmp_path / "file", "is no folder"), (site / "served", "lie in each other"),
                        (tmp_path, "lie in each other"), (site, "lie in each other")):
        with pytest.raises(SystemExit, match=said):
            published.publish(site, place)


@pytest.mark.parametrize("where", ["copyfile", "rename"])
def test_a_disk_that_fails_leaves_the_earlier_one(site, tmp_path, monkeypatch, where):
    published.publish(site, served := tmp_path / "served")
    before = {name: (served / name).read_bytes() for name in names(served)}
    (site / "index.html").write_text("new")

    def failing(source, target):
        if where == "copyfile" or source.name.endswith("-new"):
            raise OSError(28, "No space left on device")
        os.rename(source, target)
    monkeypatch.setattr({"copyfile": published.shutil, "rename": published.Path}[where], where, failing)
    with pytest.raises(OSError):
        published.publish(site, served)
    assert {name: (served / name).read_bytes() for name in names(served)} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["html", "served"]


def zipped(**members):
    with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
        for suffix, content in members.items():
            archive.writestr(f"a.{suffix}", content)
    return buffer.getvalue()


NOTEBOOK = nbformat.writes(new_notebook(cells=[new_code_cell("1")])).encode()
OPENS = {"a.ipynb": NOTEBOOK, "a.json": b"{}", "a.csv": b"a,b\n1,2", "a.py": b"a = 1",
         "a.zip": zipped(ipynb=NOTEBOOK, csv=b"a", py=b"")}


@pytest.mark.parametrize("name, content, said", [
    ("a.ipynb", nbformat.writes(new_notebook()).encode(), "has no cells"), ("a.ipynb", NOTEBOOK[:40], "does not open"),
    ("a.ipynb", b'{"cells": [], "nbformat": 4}', "does not open"), ("a.json", b"{", "does not open"),
    ("a.csv", b"", "has no rows"), ("a.csv", b'a,"b', "does not open"), ("a.py", b"def", "does not open"),
    ("a.zip", OPENS["a.zip"][:100], "does not open"), ("a.zip", zipped(), "is an empty archive"),
    ("a.zip", OPENS["a.zip"].replace(b"nbformat", b"nbfOrmat", 1), "does not open"),
    ("a.zip", zipped(csv=b"a", ipynb=b"{"), "a.zip: a.ipynb does not open"),
    ("a.zip", zipped(csv=b""), "a.zip: a.csv has no rows")], ids=range(12))
def test_a_file_that_does_not_open_is_found(name, content, said):
    assert published.closed(name, OPENS[name]) == ""
    assert said in published.closed(name, content)


def test_without_a_site_it_says_what_to_do(tmp_path):
    with pytest.raises(SystemExit, match="there is no built site: `make book`"):
        published.main(["--site", str(tmp_path / "html")])


def test_the_check_imports_no_torch():
    code = "import sys, published; print({'torch', 'privgraph', 'privbook', 'bs4'} & set(sys.modules))"
    asked = subprocess.run([sys.executable, "-c", code], cwd=published.ROOT / "tools", capture_output=True, text=True)
    assert asked.stdout == "{'bs4'}\n", asked.stderr
