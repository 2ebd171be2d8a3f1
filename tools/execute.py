"""Run each page of chapters/ once, as a test of nbval; the tests and the site both read what this leaves behind.

A page is not run again while its cells are the same, and the library, the pins, and what it read when it ran last:
files of the ledger and of the book, and graphs, at hand or not. Each executed page is also written with its outputs to
build/executed, where `make full` runs it a second time and nbval compares every printed text; and build/costs.csv says
what the pages cost, for the book's page on its status.
"""

import csv
import functools
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import yaml
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import myst_nb_reader_plugin as read  # the site's own: another would give other cache keys

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
FOLDERS = ("results", "book", "tests", "assignments", "build")  # of what lies there, a page depends on what it reads
WARM = (sys.executable, ROOT / "tools" / "warm.py")  # kernels that share the import of the packages
MADE = ("build/running", "build/figures", "build/.jupyter_cache", "book/_build")


def main() -> None:
    pages = sorted((ROOT / "chapters").glob("*.md"))
    BUILD.mkdir(exist_ok=True)
    run_evidence(pages)
    cache = get_cache(ROOT / yaml.safe_load((ROOT / "_config.yml").read_text())["execute"]["cache"])
    if failed := execute(cache, pages):
        sys.exit(f"these did not run through, their tracebacks are above: {', '.join(failed)}")
    collect(cache, pages)


def run_evidence(pages: list[Path]) -> None:
    """What the register's page reads: all cores run what of it has not passed since a change."""
    if any("claims.checked(" in page.read_text(encoding="utf-8") for page in pages):
        code = "from privbook import claims; claims.checked(claims.load_claims().values(), {})"
        subprocess.run([sys.executable, "-c", code.format(os.cpu_count())], cwd=ROOT, check=True)


def execute(cache, pages: list[Path]) -> list[str]:
    """Run what is not fresh, and put it into the cache; the names of pages that did not run through."""
    running = BUILD / "running"
    shutil.rmtree(running, ignore_errors=True)
    running.mkdir(parents=True)
    stale = [page for page in pages if not fresh(cache, page)]
    # What runs longest comes near the end of the book: from there, so that no core waits for it at last.
    notebooks = [running / f"{page.stem}.ipynb" for page in reversed(stale)]
    for page in stale:
        nbformat.write(read(page), running / f"{page.stem}.ipynb")
    if notebooks:
        test(notebooks)
    failed = [page.stem for page in stale if not keep(cache, page, running / f"{page.stem}.ipynb")]
    return failed


def test(notebooks: list[Path]) -> None:
    """nbval on all of them: as many at a time as there are cores."""
    folder, jobs = ROOT / "tests" / "chapters", min(os.cpu_count(), len(notebooks))
    command = [*WARM, sys.executable, "-m", "pytest", "-qq", "-rN", f"--rootdir={notebooks[0].parent}",
               f"--config-file={ROOT / 'pyproject.toml'}", "-p", "no:cacheprovider", "-p", "keep_outputs",
               f"@{folder / 'nbval.args'}", "--dist=loadfile", "--no-loadscope-reorder",
               f"-n{jobs if jobs > 1 else 0}", *notebooks]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": os.pathsep.join(
        filter(None, [str(ROOT / "tools"), os.environ.get("PYTHONPATH")]))})


def keep(cache, page: Path, executed: Path) -> bool:
    """Put an executed page into the cache, with what it used; False if it did not run through."""
    found, notebook = nbformat.read(executed, 4), read(page)
    if "language_info" not in found.metadata:  # written at its end
        return False
    notebook.metadata = found.metadata
    for cell, ran in zip(code(notebook), code(found), strict=True):
        cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    used = json.loads(executed.with_suffix(".json").read_text())
    used = used | {"files": list(filter(counts, used["files"])), "execution_seconds": used["clock"]}
    cache.cache_notebook_bundle(CacheBundleIn(notebook, page, data=used | {"key": key(used)}), overwrite=True)
    return True


def code(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def counts(file: str) -> bool:
    """Whether a page depends on a file or folder that it read: not the library's, and not what pages make."""
    return file.startswith(tuple(f"{folder}/" for folder in FOLDERS)) and not file.startswith(MADE)


def fresh(cache, page: Path) -> bool:
    """Whether the cache holds what the page would give now."""
    try:
        record = cache.match_cache_notebook(read(page))  # by its code, and tags
    except KeyError:
        return False
    return record.data["key"] == key(record.data)


def key(used: dict) -> str:
    """A hash over all that a page's outputs depend on beside its cells.

    A page that started processes, of which nobody knows what they read, depends on everything.
    """
    files = [*files_in(*FOLDERS[:-1]), *used["files"]] if used["children"] else used["files"]
    graphs = [path.stem for path in data_files()] if used["children"] else used["graphs"]
    told = [shared(), *(f"{name} {content(ROOT / name)}" for name in sorted(files)),
            *(f"{name} {content(graph(name))}" for name in sorted(graphs))]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


@functools.cache
def shared() -> str:
    """What every page may depend on: Python, the packages, the library."""
    names = ["requirements.txt", "constraints.txt", *files_in("lib")]
    return "\n".join([platform.python_version(), *(f"{name} {content(ROOT / name)}" for name in sorted(names))])


@functools.cache
def content(path: Path | None) -> str:
    """A file's hash; a folder's names."""
    if path is None or not path.exists():
        return "none"
    return str(sorted(os.listdir(path))) if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()


def files_in(*folders: str) -> Iterator[str]:
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            made = {"__pycache__", "_build"} & set(path.parts) or ".egg-info" in str(path)
            if path.is_file() and not made and path.suffix not in (".lock", ".aside"):
                yield str(path.relative_to(ROOT))


def data_folders() -> Iterator[Path]:
    """Where privgraph.datasets looks for graphs (spelt again here: importing it takes seconds)."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if data := os.environ.get("PRIVGRAPH_DATA"):
        yield Path(data)
    yield Path(os.environ.get("PRIVGRAPH_CACHE") or home / "privgraph")


def data_files() -> Iterator[Path]:
    return (path for folder in data_folders() for path in folder.glob("*.npz"))


def graph(name: str) -> Path | None:
    """The file of a graph, the first that is found."""
    return next((path for path in data_files() if path.stem == name.replace("-", "_")), None)


def collect(cache, pages: list[Path]) -> None:
    """Write the executed pages, and what they cost."""
    executed, costs = BUILD / "executed", []
    shutil.rmtree(executed, ignore_errors=True)
    executed.mkdir(parents=True)
    (BUILD / "nbval.json").unlink(missing_ok=True)  # it counted the comparisons of the notebooks just removed
    for page in pages:
        number, notebook = cache.merge_match_into_notebook(read(page), cell_meta=())
        nbformat.write(notebook, executed / f"{page.stem}.ipynb")
        costs.append((page.stem, cache.get_cache_record(number).data["cells"]))
    costs.sort(key=lambda cost: -sum(cost[1]))
    with open(BUILD / "costs.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("page", "seconds", "longest cell"), *(
            (name, f"{sum(cells):.1f}", f"{max(cells):.1f}") for name, cells in costs)])
    print(f"{sum(sum(cells) for _, cells in costs):7.1f} s  of the processor, for {len(costs)} pages")


if __name__ == "__main__":
    main()
