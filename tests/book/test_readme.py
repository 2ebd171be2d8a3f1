"""What the README shows can be pasted: each command of the two packages ends well, and so do the lines of Python."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from privgraph import datasets
from privgraph.datasets import save_npz

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
LINES = [line.partition(" #")[0].split() for kind, block in BLOCKS if kind == "bash" for line in block.splitlines()]
NEEDS_MORE = "192.0.2.1", "openssl"  # machines that there are not; tests of TLS use these lines of openssl
CLIENTS = 4


def commands(*names: str) -> list[list[str]]:
    """The README's lines that call one of these."""
    return [line for line in LINES if line[0] in names and not any(word in " ".join(line) for word in NEEDS_MORE)]


def paste(line: list[str], folder: Path, **how) -> subprocess.Popen:
    program, *words = line
    return subprocess.Popen([BIN / Path(program).name, *words], cwd=folder, stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.STDOUT, env=os.environ | how)


def ended(process: subprocess.Popen) -> str:
    """What a command printed that ended well."""
    printed, _ = process.communicate()
    assert process.returncode == 0, f"{process.args}: {printed[-2000:]}"
    return printed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a reader is, with a graph of her own."""
    found = tmp_path_factory.mktemp("reader")
    save_npz(datasets.load("cora-twin"), found / "mine.npz")
    return found


PRIVGRAPH, FEDERATE = commands(".venv/bin/privgraph"), ["server", "client"]


def test_every_line_of_the_readme_is_tried():
    """By this test, by another, or by hand."""
    elsewhere = {"make", "openssl"}  # tests/book/test_workflow.py and test_catalogue.py; tests/unit/conftest.py
    rest = [line for line in LINES if line and line[0] not in elsewhere | {".venv/bin/privgraph", ".venv/bin/privbook"}]
    assert rest == [] and len(PRIVGRAPH) > 10 and len(commands(".venv/bin/privbook")) >= 4
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{line[1]}:", targets, re.M) for line in commands("make"))


@pytest.mark.full
@pytest.mark.parametrize("line", [line for line in PRIVGRAPH if line[2] not in FEDERATE], ids=" ".join)
def test_a_line_of_the_library(line, folder):
    assert ended(paste(line, folder))


@pytest.mark.full
def test_server_and_clients(folder):
    """Each in a terminal of its own; the README says "and 1, 2, 3 in three more terminals"."""
    ended(paste(["privgraph", *"federate split --graph cora-twin --clients 4 --to parts".split()], folder))
    server, = (line for line in PRIVGRAPH if line[2] == "server")
    client, by_itself = (line for line in PRIVGRAPH if line[2] == "client")
    running = [paste(server, folder)]
    running += [paste([word.replace("client-0", f"client-{number}") for word in client], folder)
                for number in range(CLIENTS)]
    assert all([ended(each) for each in running])
    assert list((folder / "heard").glob("*.pt")) and ended(paste(by_itself, folder))


@pytest.mark.full
@pytest.mark.parametrize("line", commands(".venv/bin/privbook"), ids=" ".join)
def test_a_line_of_the_book(line, folder, tmp_path):
    """Runs go into a ledger of their own, and for a moment."""
    line = [*line[:line.index("--minutes")], "--minutes", "0.1"] if "--minutes" in line else line
    own = {"PRIVGRAPH_RESULTS": str(tmp_path)} if "reproduce" in line else {}
    assert ended(paste(line, ROOT, **own))


@pytest.mark.full
def test_the_lines_of_python(folder):
    code, = (block for kind, block in BLOCKS if kind == "python")
    printed = ended(paste(["python", "-c", code], folder))
    assert printed.count("Guarantee(") >= 2
