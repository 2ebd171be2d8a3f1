"""The chapters as notebooks for readers: no solutions, no markup that only the site understands, and how to install.

A solution becomes an empty cell. Boxes become bold titles, links their text, and numbers in sentences, which the
site takes from the cells around them, the values of the site's own run: "[on the page: 28]", for whoever changes what
the cells compute. The author's checks, which hold the sentences of the page to its own numbers, are left out.

    tools/notebooks.py    the notebooks into notebooks/, for `make lab`; one that was changed there stays as it is
"""

import ast
import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS, EXECUTED, FIGURES = ROOT / "chapters", ROOT / "build" / "executed", ROOT / "build" / "figures"
LAB = ROOT / "notebooks"
ARCHIVE, SLIDES = "graphs-that-keep-secrets.zip", "figures.zip"
WRITTEN = "as_written"  # in a notebook's metadata: the digest of what was written
ANSWER = "# Write your answer here."
GLUED = re.compile(r"\{glue:text\}`([\w.-]+)(?::([^`]*))?`")  # a number in a sentence: its name, and how it is written
START, END = (re.compile(rf"^`{{3,}}{{solution-{which}}}.*\n(?::.*\n)*`{{3,}}$", re.MULTILINE)
              for which in ("start", "end"))
MARKUP = [(re.compile(pattern, re.MULTILINE), text) for pattern, text in (
    (r"^(`{3,}|:{3,})(\{exercise-end\}\n\1)?$", ""), (r"^:(class|label|name|nonumber|height|width):.*\n?", ""),
    (r"^`{3,}\{exercise-start\}$", "**Exercise**"), (r"^%.*$", ""), (r"^\([\w-]+\)=$", ""),
    (r"^[:`]{3,}\{prf:(\w+)\} ?(.*)$", lambda m: f"**{m[1].capitalize()}.** {m[2]}".rstrip()),
    (r"^[:`]{3,}\{[\w:-]+\} ?(.*)$", lambda m: f"**{m[1]}**\n" if m[1] else ""),
    (r"^(\$\$) \([\w-]+\)$", r"\1"),
    (GLUED.pattern, lambda m: "{" + m[1] + ":" + (m[2] or "") + "}"),
    (r"\{cite\w*(?::\w+)?\}`([^`]*)`", r"[\1]"), (r"\{eq\}`eq-([^`]*)`", r"(\1)"),
    (r"\{[\w:-]+\}`([^`<]*?) ?(?:<[^`>]*>)?`", r"*\1*"), (r"\n{3,}", "\n\n"))]
CODE = re.compile(r"^(`{3,}\w+\n.*?^`{3,}$)", re.MULTILINE | re.DOTALL)
VALUE = re.compile(r"\{([\w.-]+):([^{}`$]*)\}( ?%)?")
FILES = ("pyproject.toml", "requirements.txt", "constraints.txt", "LICENSE", "book/claims.yml", "book/attempts.yml")
FOLDERS = ("lib", "results", "book/certificates", "tests/claims", "tests/statistical")
EVIDENCE = re.compile(r"tests/unit/\w+\.py")  # of the other tests the register names a few files
INSTALL = """*This notebook is {chapter} of* Graphs That Keep Secrets. *It needs Python 3.11 and the book's library,
which comes with the archive of all notebooks. In its folder, once:*

    python3 -m venv .venv
    .venv/bin/pip install -r requirements.txt -c constraints.txt
    .venv/bin/pip install --no-deps -e . -e lib
    .venv/bin/jupyter lab notebooks"""


def student(chapter: Path) -> NotebookNode:
    """The notebook of a chapter (its .md) without solutions and outputs."""
    found = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    found.cells = [new_markdown_cell(INSTALL.format(chapter=f"chapters/{chapter.stem}"))]
    values = printed(EXECUTED / f"{chapter.stem}.ipynb")
    for kind, text in without_solutions(jupytext.read(chapter)):
        if kind == "code":
            if text := without_checks(text):
                found.cells.append(new_code_cell(text))
        elif text := readable(text, values):
            found.cells.append(new_markdown_cell(text))
    for number, cell in enumerate(found.cells):
        cell.id = f"cell-{number}"  # not by chance: the same chapter is the same file
    return found


def without_solutions(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """(kind, text) of each cell, with an empty cell in the place of each solution."""
    inside = False
    for cell in notebook.cells:
        text = cell.source
        if cell.cell_type == "code":
            if not inside:
                yield "code", text
            continue
        while text:
            before, found, after = cut(END if inside else START, text)
            if not inside:
                yield "markdown", before
            if found and not inside:
                yield "code", ANSWER
            inside, text = inside != found, after


def without_checks(code: str) -> str:
    """Code without the author's checks: assertions that stand outside of functions, or that have nothing to say. Those
    of an exercise's checker stay."""
    lines = code.splitlines()
    for node in reversed(list(checks(ast.parse(code).body, inside=False))):
        del lines[node.lineno - 1:node.end_lineno]
    return "\n".join(lines).strip("\n")


def checks(body: list[ast.stmt], inside: bool) -> Iterator[ast.stmt]:
    """The statements to leave out, in the order of the source: checks, and loops and conditions of checks alone."""
    for node in body:
        if isinstance(node, ast.Assert):
            if not inside or node.msg is None:
                yield node
            continue
        parts = [getattr(node, name, []) for name in ("body", "orelse")]
        function = isinstance(node, ast.FunctionDef | ast.ClassDef)
        found = [list(checks(part, inside or function)) for part in parts]
        if found[0] and found == parts and not function:
            yield node
        else:
            yield from (each for part in found for each in part)


def cut(mark: re.Pattern, text: str) -> tuple[str, bool, str]:
    found = mark.search(text)
    return (text[:found.start()], True, text[found.end():]) if found else (text, False, "")


def readable(text: str, values: dict[str, object], number: str = "[on the page: {}]") -> str:
    """Markdown for any notebook, from MyST; ``number`` is how a number of the page's run is written."""
    def value(found: re.Match) -> str:
        if found[1] not in values:
            return found[0]
        return number.format(format(values[found[1]], found[2]) + (found[3] or ""))

    pieces = CODE.split(text)  # each second one is code, which stays as it is
    for place in range(0, len(pieces), 2):
        for pattern, replacement in MARKUP:
            pieces[place] = pattern.sub(replacement, pieces[place])
        pieces[place] = VALUE.sub(value, pieces[place])
    return "".join(pieces).strip()


def printed(executed: Path) -> dict[str, object]:
    """What the cells of an executed chapter gave to its sentences; nothing if it was not run."""
    if not executed.is_file():
        return {}
    outputs = [output for cell in nbformat.read(executed, 4).cells for output in cell.get("outputs", [])
               if "scrapbook" in output.get("metadata", {})]
    kinds = ("application/papermill.record/text/plain", "text/plain")  # what is also shown where it is has the second
    return {output.metadata.scrapbook.name: number(next(output.data[kind] for kind in kinds if kind in output.data))
            for output in outputs}


def number(text: str) -> object:
    """A float where it is one, else the text, without the quotation marks of a string."""
    try:
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    except ValueError:
        return text.strip("'\"")


def write(folder: Path) -> Path:
    """Each chapter's .ipynb and .py, and one archive of all with the library and the ledger; returns the archive."""
    folder.mkdir(parents=True, exist_ok=True)
    for chapter in sorted(CHAPTERS.glob("*.md")):
        notebook = student(chapter)
        (folder / f"{chapter.stem}.ipynb").write_text(on_one_line(notebook), encoding="utf-8")
        jupytext.write(notebook, folder / f"{chapter.stem}.py", fmt="py:percent")
    archive = folder / ARCHIVE
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as found:
        for name, path in sorted(contents(folder)):
            inside = zipfile.ZipInfo(f"graphs-that-keep-secrets/{name}")
            found.writestr(inside, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return archive


def on_one_line(notebook: NotebookNode) -> str:
    """A notebook as JSON without the tenth of it that is only there for who reads JSON."""
    return json.dumps(json.loads(nbformat.writes(notebook)), ensure_ascii=False, separators=(",", ":"))


def write_figures(path: Path) -> Path:
    """All figures of the executed chapters as SVG, for slides: CHAPTER-01.svg and so on."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as found:
        for figure in sorted(FIGURES.glob("*/*.svg")):
            name = f"{figure.parent.name}-{figure.name}"
            found.writestr(zipfile.ZipInfo(f"figures/{name}"), figure.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return path


def contents(folder: Path) -> Iterator[tuple[str, Path]]:
    """Name in the archive and path of each file."""
    yield from ((f"notebooks/{path.name}", path) for path in folder.glob("*.ipynb"))
    yield from ((f"scripts/{path.name}", path) for path in folder.glob("*.py"))
    yield from ((name, ROOT / name) for name in FILES)
    for place in FOLDERS:
        yield from files_below(place)
    named = {*EVIDENCE.findall((ROOT / "book/claims.yml").read_text(encoding="utf-8")), "tests/unit/conftest.py"}
    helpers = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").glob("*.py")
               if not path.name.startswith(("test_", "conftest"))}
    yield from ((name, ROOT / name) for name in named | helpers)


def files_below(place: str) -> Iterator[tuple[str, Path]]:
    """Name and path of each file of a folder, but for what was made by running."""
    for path in (ROOT / place).rglob("*"):
        made = "__pycache__" in path.parts or any(part.endswith(".egg-info") for part in path.parts)
        if path.is_file() and not made and path.suffix not in (".lock", ".aside"):
            yield str(path.relative_to(ROOT)), path


def write_for_lab(folder: Path = LAB) -> None:
    """The notebooks of all chapters, but for those that somebody changed since they were written."""
    folder.mkdir(exist_ok=True)
    for chapter in sorted(CHAPTERS.glob("*.md")):
        path, notebook = folder / f"{chapter.stem}.ipynb", student(chapter)
        del notebook.cells[0]  # how to install what is installed here
        notebook.metadata[WRITTEN] = digest(notebook)
        if path.exists() and digest(there := nbformat.read(path, 4)) != there.metadata.get(WRITTEN):
            print(f"{path.relative_to(folder.parent)} was changed and stays; delete it to have the page's again")
        else:
            nbformat.write(notebook, path)


def digest(notebook: NotebookNode) -> str:
    """Of what somebody writes in a notebook: which cells there are, and their text."""
    return hashlib.sha256("\0".join(f"{cell.cell_type} {cell.source}" for cell in notebook.cells).encode()).hexdigest()


if __name__ == "__main__":
    write_for_lab()
