"""What is handed out: notebooks, archives, pages."""

import re
import zipfile

import pytest
import yaml

import assignments as bundles
from notebooks import ROOT

KNOWN = bundles.assignments()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    return folder, bundles.write(folder)


def test_each_assignment_has_a_notebook_and_all_have_one_archive(written):
    folder, made = written
    assert {path.name for path in made} == {f"{name}.ipynb" for name in KNOWN} | {bundles.STUDENTS}
    with zipfile.ZipFile(folder / bundles.STUDENTS) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    assert names >= {"README.txt", "requirements.txt", "constraints.txt", "lib/privgraph/teach/seeds.py"}
    assert names >= {f"assignments/{name}.ipynb" for name in KNOWN}


def test_students_get_nothing_of_what_is_hidden(written):
    """Neither a solution nor a judge, in whatever file."""
    with zipfile.ZipFile(written[0] / bundles.STUDENTS) as archive:
        hidden = re.compile(r"judge\.py|assignments/.*/answers/|assignment\.md")
        assert [name for name in archive.namelist() if hidden.search(name)] == []
        notebooks = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".ipynb")]
    assert len(notebooks) == len(KNOWN) and not any("SOLUTION" in text for text in notebooks)


def test_teachers_get_all_of_it(tmp_path):
    path = bundles.archive(tmp_path / bundles.TEACHERS, bundles.for_teachers())
    with zipfile.ZipFile(path) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    for name in KNOWN:
        assert names >= {f"assignments/{name}/judge.py", f"assignments/{name}/assignment.md", f"solutions/{name}.ipynb"}


def test_archives_are_the_same_each_time(written, tmp_path):
    again = {path.name: path.read_bytes() for path in bundles.write(tmp_path)}
    assert again == {path.name: path.read_bytes() for path in written[1]}


def test_pages_are_written_from_the_sources_and_in_the_contents():
    """`make sync` writes them."""
    assert {path: path.read_text(encoding="utf-8") for path in bundles.PAGES.glob("*.md")} == bundles.pages()
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text())["parts"]
    sections = [section["file"] for part in parts for page in part["chapters"] for section in page.get("sections", [])]
    assert [name for name in sections if name.startswith("book/assignments/")] == [
        f"book/assignments/{name}" for name in sorted(KNOWN)]
