"""Is what would be published what was meant? Builds of books have lost pages, outputs and tables under a green light.

What was meant is in the sources: the contents, the chapters, the run that `make execute` left, the papers' numbers.
What would be published is read from the built site alone. `make` runs this after each build; it says what it counted,
or what is not as it was meant, and then exits with 1.

    tools/published.py               # look
    tools/published.py --to FOLDER   # and, if all is well, write what a static host serves
"""

import argparse
import ast
import csv
import functools
import io
import json
import os
import re
import shutil
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import unquote, urlsplit

import jupytext
import nbformat
import yaml
from bs4 import BeautifulSoup, Tag
from nbformat import NotebookNode
from PIL import Image

import addresses
import notebooks
from notebooks import CHAPTERS, EXECUTED, ROOT

SITE = ROOT / "book" / "_build" / "html"
PRINTED = ROOT / "results" / "published"
FRONT_DOOR, SEARCH = "index.html", "search.html"  # no pages of the contents
COLOURED = re.compile(r'<span class="\w{1,2}">([^<]*)</span>')  # a word of code: half of the markup, and says nothing
ADDRESSED = {"a": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "embed": "src",
             "object": "data", "link": "href"}
STRAY = re.compile(r"\{(?:ref|numref|cite|glue|prf:ref|doc|term|eq)[^}]*\}`|:::\{|```\{|\{\{ ?\w")
ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
SERVED = {".css", ".html", ".inv", ".js", ".json", ".png", ".svg", ".txt", ".woff", ".woff2"}
OFFERED = {".ipynb", ".py", ".zip"}  # below notebooks/ only
COMPARED = ("agrees", "inconclusive", "differs")
MISSING = "404.html"  # what hosts serve where there is no page
MARK = "Written by `make publish`, which replaces these files and no others:"


@functools.cache
def parsed(html: str) -> BeautifulSoup:
    return BeautifulSoup(COLOURED.sub(r"\1", html), "html.parser")


def soup(path: Path) -> BeautifulSoup:
    return parsed(path.read_text(encoding="utf-8"))


def article(path: Path) -> Tag:
    """What a page says, without the menus around it."""
    html = soup(path)
    return html.find("article", class_="bd-article") or html


def pages_of(site: Path) -> dict[str, Path]:
    """Name, as the contents have it, -> file of each page that is there."""
    return {path.relative_to(site).with_suffix("").as_posix(): path for path in sorted(site.rglob("*.html"))
            if path not in (site / FRONT_DOOR, site / SEARCH)}


def chapters_of(site: Path) -> Iterator[tuple[str, Path, Tag]]:
    """Page, source and what is on it, of each chapter that is there; ``pages`` says which are not."""
    for source in sorted(CHAPTERS.glob("*.md")):
        page = site / "chapters" / f"{source.stem}.html"
        if page.is_file():
            yield f"chapters/{source.stem}", source, article(page)


def contents() -> list[str]:
    """The pages of _toc.yml, the landing page first."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))

    def below(entries: list) -> Iterator[str]:
        for entry in entries:
            if "file" in entry:
                yield entry["file"]
            yield from below(entry.get("chapters", []) + entry.get("sections", []))
    return [toc["root"], *below(toc["parts"])]


# Each of the checks returns how much it looked at, and its faults.

def pages(site: Path) -> tuple[int, list[str]]:
    """Those of the contents and no others, each with a title and a text, and a front door that leads to the first."""
    wanted, there = contents(), pages_of(site)
    faults = [f"{page}: in _toc.yml, and there is no such page" for page in wanted if page not in there]
    faults += [f"{page}: a page that is not in _toc.yml" for page in there if page not in wanted]
    faults += [f"{page}: {fault}" for page, path in there.items() for fault in text_faults(article(path))]
    door = site / FRONT_DOOR
    if not door.is_file() or f"url={wanted[0]}.html" not in door.read_text(encoding="utf-8"):
        faults.append(f"{FRONT_DOOR} does not lead to {wanted[0]}")
    return len(there), faults


def text_faults(page: Tag) -> Iterator[str]:
    if not page.find("h1") or not page.find(["p", "dl", "pre", "table"]):
        yield "has no title or no text"
    if found := stray_markup(page):
        yield f"shows markup that was not understood: {found[0]}"
    if tracebacks(page):
        yield "shows a traceback"


def stray_markup(page: Tag) -> list[str]:
    """A directive, role or substitution that was not understood stays in the text as it was written."""
    return STRAY.findall(" ".join(tag.get_text() for tag in page.find_all(["p", "li", "td"])))


def tracebacks(page: Tag) -> list[Tag]:
    """Errors but for those that a chapter shows on purpose, in a cell tagged raises-exception."""
    return [cell for cell in page.find_all(class_="cell") if "tag_raises-exception" not in cell["class"]
            and (cell.find(class_=["traceback", "stderr"]) or "Traceback (most recent call last)" in cell.get_text())]


def cells(site: Path) -> tuple[int, list[str]]:
    """Each code cell of the source ran, and shows on the page what it gave then."""
    count, faults = 0, []
    for page, source, there in chapters_of(site):
        ran = executed(source)
        faults += [f"{page}: {fault}" for fault in run_faults(code_cells(jupytext.read(source)), ran)]
        shown, meant = there.find_all(class_="cell"), [cell for cell in ran if "remove-cell" not in tags(cell)]
        if len(shown) != len(meant):
            faults.append(f"{page}: {len(shown)} cells on the page, {len(meant)} in the source")
        pairs = enumerate(zip(meant, shown, strict=False), 1)
        faults += [f"{page}, cell {place}: {fault}" for place, pair in pairs for fault in output_faults(*pair)]
        count += len(ran)
    return count, faults


def executed(source: Path) -> list[NotebookNode]:
    """The code cells of a chapter as it ran; none if it did not."""
    path = EXECUTED / f"{source.stem}.ipynb"
    return code_cells(nbformat.read(path, 4)) if path.is_file() else []


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def run_faults(written: list[NotebookNode], ran: list[NotebookNode]) -> Iterator[str]:
    """What the run lacks of the source, and errors that nobody announced."""
    if [cell.source for cell in written] != [cell.source for cell in ran]:
        yield f"the run is not of this source: {len(ran)} cells, {len(written)} in the source"
    if idle := [cell for cell in ran if not (cell.execution_count or "skip-execution" in tags(cell))]:
        yield f"{len(idle)} cells did not run"
    if [cell for cell in ran if "raises-exception" not in tags(cell)
            and any(output.output_type == "error" for output in cell.outputs)]:
        yield "a cell ended with an error"


def output_faults(cell: NotebookNode, shown: Tag) -> Iterator[str]:
    """What a cell printed and drew, against what the page shows of it."""
    outputs = [output for output in cell.outputs if output.get("name") != "stderr" and not only_glued(output)]
    on_page = shown.find(class_="cell_output")
    if bool(outputs) != bool(on_page):
        yield f"{len(outputs)} outputs, and the page shows {'none' if outputs else 'some'}"
    if not outputs or not on_page:
        return
    text = "".join(output.text for output in outputs if output.output_type == "stream")
    if text.split() != "".join(tag.get_text() for tag in on_page.find_all(class_="stream")).split():
        yield "the page prints another text than the run"
    rows, there = sum(map(rows_of, outputs)), len(on_page.find_all("tr"))
    if rows != there:
        yield f"{there} rows of tables on the page, {rows} in the run"


def only_glued(output: NotebookNode) -> bool:
    """A value for a sentence or a figure elsewhere, which is not shown where it was made."""
    return any(kind.startswith("application/papermill") for kind in output.get("data", {}))


def rows_of(output: NotebookNode) -> int:
    """Rows of the tables in an output, the head among them and Markdown's rule not."""
    data = output.get("data", {})
    if "text/html" in data:
        return len(re.findall(r"<tr\b", data["text/html"]))
    rows = ROW.findall(data.get("text/markdown", ""))
    return len([row for row in rows if row.strip("|-: ")])


def figures(site: Path) -> tuple[int, list[str]]:
    """Each figure that a chapter announces: its text for who cannot see it, a caption, a picture that opens."""
    count, faults = 0, []
    for page, source, there in chapters_of(site):
        wanted = [cell.metadata.get("mystnb", {}).get("image", {}).get("alt") for cell in executed(source)]
        wanted = Counter(" ".join(text.split()) for text in wanted if text)
        images = [image for output in there.find_all(class_="cell_output") for image in output.find_all("img")]
        drawn = Counter(" ".join(image.get("alt", "").split()) for image in images)
        faults += [f"{page}: no figure {text[:60]!r}" for text in (wanted - drawn).elements()]
        announced = len(re.findall(r"^% Figure: ", source.read_text(encoding="utf-8"), re.MULTILINE))
        if announced != (captions := len(there.find_all("figcaption"))):
            faults.append(f"{page}: {captions} captions of figures, {announced} in the source")
        faults += [f"{page}: the picture {image['src']} does not open" for image in images
                   if not opens_as_image(site / "chapters" / image["src"])]
        count += len(images)
    return count, faults


def opens_as_image(path: Path) -> bool:
    try:
        with Image.open(path) as image:
            image.load()
    except (OSError, SyntaxError):
        return False
    return True


def numbers(site: Path) -> tuple[int, list[str]]:
    """Each number in a sentence is there, and is the run's."""
    count, faults = 0, []
    for page, source, html in chapters_of(site):
        values = notebooks.printed(EXECUTED / f"{source.stem}.ipynb")
        roles = notebooks.GLUED.findall(source.read_text(encoding="utf-8"))
        wanted = [format(values[name], form) if name in values else f"no value of {name}" for name, form in roles]
        there = [tag.get_text() for tag in html.find_all(class_="pasted-text") if not tag.find_parent("template")]
        if len(there) != len(wanted):
            faults.append(f"{page}: {len(there)} glued numbers, {len(wanted)} in the source")
        faults += [f"{page}: {text!r} where the run has {number!r}"
                   for text, number in zip(there, wanted, strict=False) if text != number]
        count += len(there)
    return count, faults


def downloads(site: Path) -> tuple[int, list[str]]:
    """What each chapter offers, and each file that any page offers: it is there, and opens."""
    faults = []
    for page, source, there in chapters_of(site):
        files = (f"{source.stem}.ipynb", f"{source.stem}.py", notebooks.ARCHIVE)
        wanted = [*(f"../notebooks/{file}" for file in files), *addresses.setting().launches(source.stem).values()]
        if [link.get("href") for line in there.find_all(class_="downloads") for link in line.find_all("a")] != wanted:
            faults.append(f"{page}: does not offer its notebook, its script and the archive of all, or not these only")
    offered = {(path.parent / unquote(link["href"])).resolve(): page for page, path in pages_of(site).items()
               for link in article(path).find_all("a", download=True)}
    for path, page in sorted(offered.items()):
        if not path.is_file() or not path.stat().st_size:
            faults.append(f"{page}: the download {path.name} is {'empty' if path.is_file() else 'not there'}")
        elif fault := closed(path.name, path.read_bytes()):
            faults.append(f"{page}: the download {fault}")
    return len(offered), faults


@functools.cache
def closed(name: str, content: bytes) -> str:
    """Why a file does not open, or ""; of an archive, the first file in it that does not."""
    try:
        match PurePosixPath(name).suffix:
            case ".zip":
                with zipfile.ZipFile(io.BytesIO(content)) as archive:
                    inside = [closed(f"{name}: {member}", archive.read(member)) for member in archive.namelist()]
                return next(filter(None, inside), "" if inside else f"{name} is an empty archive")
            case ".ipynb":
                return "" if nbformat.reads(content.decode(), 4).cells else f"{name} has no cells"
            case ".json":
                json.loads(content)
            case ".csv":
                return "" if list(csv.reader(io.StringIO(content.decode()), strict=True)) else f"{name} has no rows"
            case ".py":
                ast.parse(content)
    except (ValueError, SyntaxError, csv.Error, nbformat.ValidationError, zipfile.BadZipFile) as error:
        return f"{name} does not open: {error}"
    return ""


def tables(site: Path) -> tuple[int, list[str]]:
    """Chapter 15: each printed entry of each paper has its row, and counts and lists agree with these rows."""
    index, faults, differing, count = read_csv("index"), [], 0, 0
    for paper in dict.fromkeys(row["paper"] for row in index):
        page = f"chapters/15_tables_{paper}"
        if not (site / f"{page}.html").is_file():
            continue  # ``pages`` says so
        there = article(site / f"{page}.html")
        rows = filterable(there)
        faults += [f"{page}: {fault}" for fault in paper_faults(rows, read_csv(paper))]
        values = {row["table"]: int(row["values"]) for row in index if row["paper"] == paper}
        if values_by_table(there) != {**values, "all": sum(values.values())}:
            faults.append(f"{page}: the tables and their printed values are not those of the index")
        differing += sum(row["verdict"] == "differs" for row in rows)
        count += len(rows)
    listed = site / "chapters" / "15_not_reproduced.html"
    if listed.is_file() and differing != (there := len(filterable(article(listed)))):
        faults.append(f"chapters/15_not_reproduced: {there} rows, and {differing} cells differ")
    return count, faults


def read_csv(name: str) -> list[dict[str, str]]:
    with open(PRINTED / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def filterable(page: Tag) -> list[dict[str, str]]:
    """The rows of a table with menus: column -> text. ``show.filterable`` wrote each text once, and rows of places."""
    table = page.find(class_="filterable")
    if not table:
        return []
    texts, rows = json.loads(table.find("script", type="application/json").string)
    columns = [head.get_text() for head in table.find_all("th")]
    return [dict(zip(columns, (texts[place] for place in row), strict=True)) for row in rows]


def paper_faults(rows: list[dict[str, str]], printed: list[dict[str, str]]) -> Iterator[str]:
    wanted = Counter((cell["table"], cell["dataset"], as_printed(cell)) for cell in printed)
    there = Counter((row["table"], row["graph"], row["printed"]) for row in rows)
    if missing := wanted - there:
        yield f"{missing.total()} printed entries have no row, such as {next(iter(missing))}"
    if more := there - wanted:
        yield f"{more.total()} rows of no printed entry, such as {next(iter(more))}"
    if bare := [row for row in rows if (row["verdict"] in COMPARED) != bool(row["ours (runs)"])]:
        yield f"{len(bare)} rows have a verdict and no number of ours, or a number and no verdict"


def as_printed(cell: dict[str, str]) -> str:
    return f"{cell['mean'] or '?'} ± {cell['spread']}" if cell["spread"] else cell["mean"] or "?"


def values_by_table(page: Tag) -> dict[str, int]:
    """Of the first table of a paper's page: table -> printed values."""
    table = page.find("table")
    rows = [row.find_all("td") for row in table.find_all("tr")[1:]] if table else []
    return {row[0].get_text(strip=True): int(row[1].get_text().replace(",", "")) for row in rows}


def links(site: Path) -> tuple[int, list[str]]:
    """Whatever a page leads to or loads from the site itself."""
    html = {page: path for page, path in [*pages_of(site).items(), (SEARCH, site / SEARCH)] if path.is_file()}
    places = {str(path): set() for path in site.rglob("*") if path.is_file()}
    places |= {str(path): anchors(soup(path)) for path in html.values()}
    count, faults = 0, []
    for page, path in html.items():
        found = inside(soup(path))
        faults += [f"{page}: leads to {address}, and there is no such place"
                   for address in found if not leads_somewhere(path, address, places)]
        count += len(found)
    return count, faults


def anchors(html: BeautifulSoup) -> set[str]:
    return {tag[name] for name in ("id", "name") for tag in html.find_all(attrs={name: True})}


def inside(html: BeautifulSoup) -> list[str]:
    """The addresses on a page that lead to the site itself."""
    found = [tag.get(ADDRESSED[tag.name], "#") for tag in html.find_all(list(ADDRESSED))]
    return [address for address in found if address != "#" and not re.match(r"[a-z][a-z+.-]*:|//", address)]


def leads_somewhere(page: Path, address: str, places: dict[str, set[str]]) -> bool:
    link = urlsplit(address)
    target = normpath(f"{page.parent}/{unquote(link.path)}") if link.path else str(page)
    known = target in places and link.fragment and target.endswith(".html")
    return unquote(link.fragment) in places[target] if known else target in places


def files(site: Path) -> tuple[int, list[str]]:
    """No empty file, and nothing of a kind that no page asks for, such as a source with its solutions."""
    there = served(site)
    faults = [f"{name}: an empty file" for name in there if not (site / name).stat().st_size]
    faults += [f"{name}: not for readers" for name in there if name.suffix not in SERVED
               and not (name.suffix in OFFERED and name.parts[0] == "notebooks")]
    return len(there), faults


def served(site: Path) -> list[Path]:
    """What a host would serve, relative to the site; a name with a dot is the builder's own."""
    names = (path.relative_to(site) for path in sorted(site.rglob("*")) if path.is_file())
    return [name for name in names if not any(part.startswith(".") for part in name.parts)]


CHECKS = {"pages": pages, "cells": cells, "figures": figures, "numbers": numbers, "downloads": downloads,
          "rows of chapter 15": tables, "links": links, "files": files}


def look(site: Path) -> tuple[str, list[str]]:
    """What was counted, in a line, and all faults."""
    if not site.is_dir():
        return "0 pages", [f"{site.name}: there is no built site: `make book`"]
    found = {name: check(site) for name, check in CHECKS.items()}
    counts = ", ".join(f"{count:,} {name}" for name, (count, _) in found.items())
    return counts, [fault for _, faults in found.values() for fault in faults]


# Hosts serve it at whatever address was asked for, so nothing in it is relative.
LOST = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Not in this book</title>
<style>:root {{ color-scheme: light dark }} body {{ font: 1.1em sans-serif; margin: 3em auto; max-width: 34em;
padding: 0 1em }}</style>
<h1>This page is not in the book</h1>
<p>The address may be mistyped, or the page has another name by now. You can start at the
<a href="{site}">front page</a> or <a href="{site}search.html">search</a>.</p>
</html>
"""


def publish(site: Path, folder: Path, address: str = "/") -> None:
    """Write what a static host serves, whole or not at all; what lies there may only be an earlier one.

    :param address: where the front page will be.
    """
    if reason := refused(site, folder):
        sys.exit(f"{folder} {reason}: nothing was written")
    fresh, old = (folder.with_name(f".{folder.name}-{os.getpid()}-{which}") for which in ("new", "old"))
    try:
        for name in served(site):
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(site / name, fresh / name)
        (fresh / MISSING).write_text(LOST.format(site=address), encoding="utf-8")
        # Tells GitHub Pages to leave files whose names begin with "_" where they are; what is in it is for us.
        (fresh / ".nojekyll").write_text("\n".join([MARK, MISSING, *map(str, served(site)), ""]), encoding="utf-8")
        if folder.is_dir():
            folder.rename(old)
        fresh.rename(folder)
    finally:
        if old.is_dir() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def refused(site: Path, folder: Path) -> str:
    """Why nothing may be written to a folder, or ""."""
    if folder.is_relative_to(site) or site.is_relative_to(folder):
        return "and the built site lie in each other"
    if not folder.exists():
        return ""
    if not folder.is_dir():
        return "is no folder"
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    mark = folder / ".nojekyll"
    first, *written = mark.read_text(encoding="utf-8").splitlines() if mark.is_file() else [""]
    if first != MARK:
        return "is not empty, and not of an earlier `make publish`" if there else ""
    foreign = sorted(there - {".nojekyll", *written})
    return f"holds what `make publish` did not write, such as {foreign[0]}" if foreign else ""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--site", type=Path, default=SITE, help="the built site")
    parser.add_argument("--to", type=Path, help="write it to this folder, if all is as it was meant")
    said = parser.parse_args(arguments)
    counts, faults = look(site := said.site.resolve())
    print(f"published: {counts}", flush=True)
    if faults:
        sys.exit("\n".join([f"{len(faults)} not as it was meant:", *faults]))
    if said.to:
        publish(site, folder := said.to.resolve(), addresses.setting().site or "/")
        print(f"written to {folder}")


if __name__ == "__main__":
    main()
