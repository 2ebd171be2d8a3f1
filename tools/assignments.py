"""Assignments for students and teachers: notebooks, two archives, and a page of the book for each.

`make assignments` writes build/assignments: the students' notebooks; ``students.zip``, with the library and how to
install it; ``teachers.zip``, with solutions, what is compared with what, and answers whose marks are known.
`make sync` writes the pages, book/assignments/NAME.md, from the sources; they are in the contents like chapters.
"""

import argparse
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat

from notebooks import ROOT, files_below
from privbook.classroom import Assignment, assignments

PAGES = ROOT / "book" / "assignments"
STUDENTS, TEACHERS = "students.zip", "teachers.zip"
TOP = "graphs-that-keep-secrets"
INSTALL = ("pyproject.toml", "README.md", "requirements.txt", "constraints.txt", "LICENSE")
START = """Graphs That Keep Secrets: assignments
=====================================

Version {version}, of {date}.

You need Python 3.11. In this folder, once:

    python3 -m venv .venv
    .venv/bin/pip install -r requirements.txt -c constraints.txt
    .venv/bin/pip install --no-deps -e .

Then, each time:

    .venv/bin/jupyter lab assignments

Write your identifier into the first cell, answer where a cell says so, save, and hand in the notebook (.ipynb)
under the name it has.
"""
PAGE = """# {title}

*{goal}*

| | |
|---|---|
| time | about {minutes} minutes |
| difficulty | {dots} |
| points | {total:g}: {points} |
| read before | {needs} |

<p class="downloads">Get it: <a href="../../notebooks/assignments/{name}.ipynb" download>notebook</a> ·
<a href="../../notebooks/assignments/{students}" download>all assignments, with the library</a></p>

Your teacher gives you an identifier, from which your data are drawn, so your numbers differ from those of others. The
cells below each answer test it on a few inputs. Marks come from other inputs, and a person marks the texts. The page on
{{doc}}`teaching <../how_to_teach>` explains the grading.
"""


def page(assignment: Assignment) -> str:
    """A page of the book: what it is about, how long it takes, and where to get it; nothing of its answers."""
    about = assignment.about
    points = ", ".join(f"{name} {points:g}" for name, points in assignment.points.items())
    needs = ", ".join(f"{{doc}}`../../chapters/{chapter}`" for chapter in about["needs"])
    return PAGE.format(name=assignment.name, total=assignment.total(), points=points, students=STUDENTS,
                       dots="●" * about["level"], **{**about, "needs": needs})


def pages() -> dict[Path, str]:
    """Path -> text of each page."""
    return {PAGES / f"{name}.md": page(assignment) for name, assignment in assignments().items()}


def write(folder: Path) -> list[Path]:
    """Notebooks for students, and their archive; returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, assignment in assignments().items():
        made.append(folder / f"{name}.ipynb")
        nbformat.write(assignment.for_students(), made[-1])
    return [*made, archive(folder / STUDENTS, for_students(made))]


def for_students(notebooks: list[Path]) -> Iterator[tuple[str, bytes]]:
    yield "README.txt", START.format(**version()).encode()
    yield from ((f"assignments/{path.name}", path.read_bytes()) for path in notebooks)
    yield from ((name, (ROOT / name).read_bytes()) for name in INSTALL)
    yield from ((name, path.read_bytes()) for name, path in files_below("lib/privgraph"))


def for_teachers() -> Iterator[tuple[str, bytes]]:
    """What lies in assignments/ and course/, and each solution as a notebook."""
    for folder in ("assignments", "course"):
        yield from ((name, path.read_bytes()) for name, path in files_below(folder))
    for name, assignment in assignments().items():
        yield f"solutions/{name}.ipynb", nbformat.writes(assignment.notebook).encode()


def version() -> dict[str, str]:
    """What git calls this state, by the last tag of a term, and the day of its last change."""
    def git(*said: str) -> str:
        done = subprocess.run(["git", *said], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip() or "unknown"

    return {"version": git("describe", "--tags", "--always", "--dirty"), "date": git("log", "-1", "--format=%cs")}


def archive(path: Path, files: Iterator[tuple[str, bytes]]) -> Path:
    """The same files give the same archive, byte by byte."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as found:
        for name, content in sorted(files):
            found.writestr(zipfile.ZipInfo(f"{TOP}/{name}"), content, zipfile.ZIP_DEFLATED, 9)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "assignments")
    parser.add_argument("--pages", action="store_true", help="write the book's pages instead")
    said = parser.parse_args()
    if said.pages:
        PAGES.mkdir(exist_ok=True)
        for path, text in pages().items():
            path.write_text(text, encoding="utf-8")
        return
    folder = said.to
    for path in [*write(folder), archive(folder / TEACHERS, for_teachers())]:
        print(path)


if __name__ == "__main__":
    main()
