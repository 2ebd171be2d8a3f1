"""What is handed out: notebooks, archives, pages."""

import os
import re
import subprocess
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
        hidden = re.compile(r"judge\.py|assignments/.*/answers/|assignment\.md|samples\.md|/course/")
        assert [name for name in archive.namelist() if hidden.search(name)] == []
        notebooks = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".ipynb")]
    assert len(notebooks) == len(KNOWN) and not any("SOLUTION" in text for text in notebooks)


def test_teachers_get_all_of_it(tmp_path):
    path = bundles.archive(tmp_path / bundles.TEACHERS, bundles.for_teachers())
    with zipfile.ZipFile(path) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    for name in KNOWN:
        assert names >= {f"assignments/{name}/{one}" for one in ("judge.py", "assignment.md", "samples.md")}
        assert f"solutions/{name}.ipynb" in names
    assert names >= {"course/oral.md", "course/exam/foundations.md", "course/exam/drawn.py", "course/projects.yml"}


def test_a_students_archive_says_its_version_and_date(tmp_path, monkeypatch):
    """That of the last tag, which a teacher sets once a term."""
    def git(*said):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *said], cwd=tmp_path, check=True,
                       env=os.environ | {"GIT_COMMITTER_DATE": "2027-04-12T12:00:00Z"}, capture_output=True)

    monkeypatch.setattr(bundles, "ROOT", tmp_path)
    git("init"), (tmp_path / "a").write_text("a"), git("add", "a"), git("commit", "-m", "a")
    git("tag", "2027-spring")
    assert bundles.version() == {"version": "2027-spring", "date": "2027-04-12"}
    (tmp_path / "a").write_text("b")
    assert bundles.version()["version"] == "2027-spring-dirty"
    monkeypatch.setattr(bundles, "ROOT", tmp_path / ".git" / "objects")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert bundles.version() == {"version": "unknown", "date": "unknown"}


def test_the_version_stands_in_the_archive(written):
    with zipfile.ZipFile(written[0] / bundles.STUDENTS) as archive:
        text = archive.read(f"{bundles.TOP}/README.txt").decode()
    assert "Version {version}, of {date}.".format(**bundles.version()) in text


@pytest.mark.parametrize("name", KNOWN)
def test_a_page_says_how_hard_it_is(name):
    assert f"| difficulty | {'●' * KNOWN[name].about['level']} |" in bundles.pages()[bundles.PAGES / f"{name}.md"]
    assert KNOWN[name].about["level"] in (1, 2, 3)


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
