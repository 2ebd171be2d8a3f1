"""Execute every chapter once; the tests and the site both read what this leaves behind.

A chapter whose code is in the cache is not run again. The cache looks at code cells only, so it is emptied
when anything else changes that an output can depend on (`refresh`). Each executed chapter is also written
with its outputs to build/executed, where nbval re-runs it.
"""

import hashlib
import logging
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import yaml
from jupyter_cache import get_cache
from jupyter_cache.executors.basic import ExecutionWorkerLocalMProc, JupyterExecutorLocalMproc
from jupyter_cache.executors.utils import single_nb_execution
from jupyter_client import AsyncKernelManager
from myst_nb.core.read import myst_nb_reader_plugin as read
from traitlets import default

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
EXECUTED, FIGURES = BUILD / "executed", BUILD / "figures"
READS_LEDGER = re.compile(r"^import privbook$|privbook\.(papers|runs)|show\.paper_page", re.MULTILINE)
READER = {"type": "plugin", "name": "myst_nb_md"}  # the site's own reader: another one would give other cache keys


class EncryptedKernels(AsyncKernelManager):
    """Kernels that are spoken to in cipher: in plain text each one warns that others on this machine may listen."""

    @default("transport_encryption")
    def _transport_encryption_default(self) -> str:
        return "auto"


class Worker(ExecutionWorkerLocalMProc):
    """Runs a chapter beside its file, and says so in one line."""

    def log_info(self, msg: str) -> None:
        """Neither that a chapter starts nor that it went well needs a line of its own."""

    @staticmethod
    def execute(project_nb, data):
        figures = FIGURES / Path(project_nb.uri).stem
        shutil.rmtree(figures, ignore_errors=True)
        os.environ["PRIVGRAPH_FIGURES"] = str(figures)  # the kernel keeps them there, for slides
        result = single_nb_execution(project_nb.nb, cwd=str(Path(project_nb.uri).parent), timeout=data.timeout,
                                     allow_errors=data.allow_errors, kernel_manager_class=EncryptedKernels)
        print(line(project_nb.uri, result.time), flush=True)
        return result


class Executor(JupyterExecutorLocalMproc):
    """As many chapters at a time as there are cores."""

    _EXECUTION_WORKER = Worker


def line(chapter: str | Path, seconds: float, remark: str = "") -> str:
    return f"{seconds:7.1f} s  {Path(chapter).stem}{remark}"


def settings() -> tuple[Path, int]:
    """The cache's folder and the seconds after which a cell hangs, from _config.yml, which the site reads too."""
    execute = yaml.safe_load((ROOT / "_config.yml").read_text())["execute"]
    return ROOT / execute["cache"], execute["timeout"]


def fingerprint(files: Iterator[tuple[str, Path]]) -> str:
    """A hash over the Python version and the names and contents of files."""
    digest = hashlib.sha256(platform.python_version().encode())
    for name, path in sorted(files):
        digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def inputs() -> Iterator[tuple[str, Path]]:
    """Name and path of what every chapter may depend on: library, claims and their tests, packages, graphs."""
    for name in ("requirements.txt", "constraints.txt", "book/claims.yml"):
        yield name, ROOT / name
    # tests: chapter 14 runs them
    yield from files_in("lib", "book/certificates", "tests/claims", "tests/unit", "tests/statistical")
    for path in data_files():
        yield f"{path.parent.name}/{path.name}", path


def results() -> Iterator[tuple[str, Path]]:
    """What only the chapters depend on that read the ledger; it grows often."""
    yield "book/attempts.yml", ROOT / "book" / "attempts.yml"
    yield from files_in("results")


def files_in(*folders: str) -> Iterator[tuple[str, Path]]:
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            made = "__pycache__" in path.parts or any(part.endswith(".egg-info") for part in path.parts)
            if path.is_file() and not made and path.suffix not in (".lock", ".aside"):
                yield str(path.relative_to(ROOT)), path


def data_files() -> Iterator[Path]:
    """The graphs at hand, where privgraph.datasets looks (spelt again here: importing it takes seconds)."""
    if data := os.environ.get("PRIVGRAPH_DATA"):
        yield from (path for path in Path(data).iterdir() if path.is_file())
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    yield from Path(os.environ.get("PRIVGRAPH_CACHE") or home / "privgraph").glob("*.npz")


def refresh(cache, chapters: list[Path]) -> None:
    """Empty the cache when anything changed since it was filled; of the results, for the chapters that read them."""
    if changed("fingerprint", fingerprint(inputs())):
        cache.clear_cache()
    if changed("fingerprint-results", fingerprint(results())):
        for chapter in chapters:
            if READS_LEDGER.search(chapter.read_text(encoding="utf-8")):
                forget(cache, read(chapter))


def changed(stamp: str, now: str) -> bool:
    """Whether a fingerprint is another than last time; it is written down."""
    path = BUILD / stamp
    before = path.read_text() if path.exists() else ""
    path.write_text(now)
    return before != now


def forget(cache, notebook) -> None:
    """Drop a chapter from the cache, if it is there."""
    try:
        cache.remove_cache(cache.match_cache_notebook(notebook).pk)
    except KeyError:
        pass


def forget_retagged(cache, chapters: list[Path]) -> None:
    """Drop cached chapters whose cell tags changed: the cache would give back the old tags with the outputs."""
    for chapter in chapters:
        notebook = read(chapter)
        try:
            key = cache.match_cache_notebook(notebook).pk
        except KeyError:
            continue
        source = [cell.metadata for cell in notebook.cells if cell.cell_type == "code"]
        if source != [cell.metadata for cell in cache.get_cache_bundle(key).nb.cells]:
            cache.remove_cache(key)


def execute(cache, chapters: list[Path], timeout: int) -> tuple[list[str], list[str]]:
    """Run what is not cached; return the names of the chapters that ran, and a line for each failure."""
    # The register of claims runs longest and comes near the end: from there, so that no core waits for it at last.
    uris = [cache.add_nb_to_project(str(chapter), read_data=READER).uri for chapter in reversed(chapters)]
    logger = logging.getLogger("execute")
    logger.setLevel(logging.WARNING)
    result = Executor(cache, logger).run_and_cache(filter_uris=uris, timeout=timeout)
    failed = [f"{Path(uri).name} did not run through: its traceback is above"
              for uri in result.excepted + result.errored]
    return [Path(uri).stem for uri in result.succeeded], failed


def collect(cache, chapters: list[Path], just_run: list[str]) -> None:
    """Write the executed chapters."""
    shutil.rmtree(EXECUTED, ignore_errors=True)
    EXECUTED.mkdir(parents=True)
    (BUILD / "nbval.json").unlink(missing_ok=True)  # it counted the comparisons of the notebooks just removed
    for chapter in chapters:
        key, notebook = cache.merge_match_into_notebook(read(chapter), cell_meta=())
        nbformat.write(notebook, EXECUTED / f"{chapter.stem}.ipynb")
        if chapter.stem not in just_run:
            print(line(chapter, cache.get_cache_record(key).data["execution_seconds"], " (from the cache)"))


def main() -> None:
    folder, timeout = settings()
    chapters = sorted((ROOT / "chapters").glob("*.md"))
    BUILD.mkdir(exist_ok=True)
    cache = get_cache(folder)
    refresh(cache, chapters)
    forget_retagged(cache, chapters)
    done, failures = execute(cache, chapters, timeout)
    if failures:
        sys.exit("\n".join(failures))
    collect(cache, chapters, done)


if __name__ == "__main__":
    main()
