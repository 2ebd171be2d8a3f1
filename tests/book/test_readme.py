"""What the README and the book's pages on use show can be pasted: each command of the two packages ends well, and so do
the lines of Python, which print what the README says. The README is short, and its findings are the ledger's."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

import site_extension
from privgraph import datasets
from privgraph.datasets import npz, save_npz
from privgraph.randomness import seeded

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in (
    "README.md", "book/how_to_run.md", "book/your_own_graph.md", "book/federation.md", "book/how_to_teach.md")}
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Machines that there are not, which tests/unit/test_keys.py stands in for; and what downloads.
NEEDS_MORE = "192.0.2.1", "data cora"
# Tried by test_cli_platforms.py, with what platforms give out.
ON_PLATFORMS = "classroom roster", "classroom collect", "classroom grade", "classroom export"
# Tried by test_workflow.py and test_catalogue.py, by tests/unit/conftest.py, and by whoever sets up the book.
ELSEWHERE = {"make", "export", "python3", "pip", "jupyter"}
MOST_WORDS = 500


def blocks(page: str, kind: str) -> list[str]:
    return [block for said, block in FENCED.findall(PAGES[page]) if said == kind]


@cache
def lines(page: str) -> list[list[str]]:
    """What a page says to a shell; the first word of each is a program, wherever it lies."""
    said = [line.partition(" #")[0].split() for block in blocks(page, "bash")
            for line in block.replace("\\\n", "").splitlines()]
    return [[Path(line[0]).name, *line[1:]] for line in said if line]


def commands(name: str) -> list:
    """All lines that call a program, by the page on which each stands first."""
    found = {}
    for page in PAGES:
        for line in lines(page):
            if line[0] == name and not any(word in " ".join(line) for word in (*NEEDS_MORE, *ON_PLATFORMS)):
                found.setdefault(" ".join(line), page)
    return [pytest.param(line.split(), id=f"{page}: {line}") for line, page in found.items()]


def paste(line: list[str], folder: Path, **how) -> subprocess.Popen:
    program, *words = line
    return subprocess.Popen([BIN / program, *words], cwd=folder, stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.PIPE, env=os.environ | how)


def ended(process: subprocess.Popen) -> str:
    """What a command printed that ended well."""
    printed, complaints = process.communicate()
    assert process.returncode == 0, f"{process.args}: {printed[-2000:]}{complaints[-2000:]}"
    return printed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where a reader is, with a graph of her own, somebody else's, and the parts of one."""
    found = tmp_path_factory.mktemp("reader")
    halves = datasets.private_public(datasets.load("cora-twin"), seeded(0), 1300, 1300)
    for data, name in zip(halves, ("mine.npz", "others.npz"), strict=True):
        save_npz(data, found / name)
    write_tables(found)
    convert = next(line for line in lines("book/your_own_graph.md") if line[:2] == ["privgraph", "convert"])
    ended(paste(convert, found))
    return found


def write_tables(folder: Path) -> None:
    """The tables with which the page on one's own graph begins, and some more people."""
    page, = blocks("book/your_own_graph.md", "text")
    rows = [re.split(r" {2,}", line.strip()) for line in page.splitlines()[1:]]
    for place, more in enumerate(("p{0},a-17", "p{0},North,f,4{0}")):
        lines = [row[place] for row in rows] + [more.format(at) for at in range(9)]
        (folder / ("edges.csv", "nodes.csv")[place]).write_text("\n".join(lines) + "\n", encoding="utf-8")


def words_of(text: str) -> int:
    """Words outside fenced blocks and outside the comments between which ``make sync`` writes addresses: whatever
    stands between two spaces, with headings, tables, links and the text of the picture."""
    bare = re.sub(r"<!-- Addresses.*?End of addresses -->", "", FENCED.sub("", text), flags=re.DOTALL)
    return len(bare.split())


def test_the_readme_is_short():
    assert words_of(PAGES["README.md"]) <= MOST_WORDS
    assert words_of("two words\n```bash\nnot this\n```\n<!-- Addresses: -->\nnor this\n<!-- End of addresses -->") == 2


def test_the_findings_are_those_of_the_register_and_of_the_ledger():
    config = SimpleNamespace(myst_substitutions={})
    site_extension.live_numbers(None, config)
    now = SimpleNamespace(**config.myst_substitutions)
    assert re.findall(r"^- \*\*(.+?)\*\*", PAGES["README.md"], re.MULTILINE) == [
        f"{now.claims_refuted} of {now.claims_checked}", f"{now.values_agree} of {now.values_compared}",
        now.features_add]


def test_the_links_of_the_readme_lead_somewhere():
    for link in re.findall(r"\]\(([^)]+)\)", PAGES["README.md"]):
        path, _, place = link.partition("#")
        headings = re.findall(r"^#+ (.+)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE) if place else ()
        assert (ROOT / path).is_file(), link
        assert not place or place in {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}, link


def test_every_line_that_is_shown_is_tried():
    """By this test, by another, or by hand."""
    for page in PAGES:
        assert {line[0] for line in lines(page)} <= ELSEWHERE | {"privgraph", "privbook"}, page
    assert len(commands("privgraph")) > 25 and len(commands("privbook")) >= 6
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{line[1]}:", targets, re.M) for page in PAGES for line in lines(page) if line[0] == "make")


@pytest.mark.slow
def test_the_lines_of_python_print_what_the_readme_says(tmp_path):
    """And the file that they save is read by the command, as it says."""
    (code,), (said,) = blocks("README.md", "python"), blocks("README.md", "text")
    assert ended(paste(["python", "-c", code], tmp_path)) == said
    line, = (line for line in lines("README.md") if line[0] == "privgraph")
    assert ended(paste(line, tmp_path))
    assert (tmp_path / line[-1]).read_text(encoding="utf-8").count("\n") == 35


BEFORE = """
import networkx
import numpy
from privgraph import datasets
pyg_data = datasets.load("karate")
edges, x, y = (pyg_data[name].numpy() for name in ("edge_index", "x", "y"))
features, labels, graph, matrix = x, y, networkx.karate_club_graph(), numpy.eye(34)
"""


@pytest.mark.slow
def test_the_lines_of_python_on_bringing_a_graph(tmp_path):
    """With arrays and graphs under the names that the page gives them."""
    code = blocks("book/your_own_graph.md", "python")
    write_tables(tmp_path)
    printed = ended(paste(["python", "-c", "\n".join([BEFORE, *code])], tmp_path))
    assert printed.count("Guarantee(") >= 2 and (tmp_path / "model.pt").exists() and len(code) == 3


TOGETHER = {"split", "server", "client", "karate.pt"}  # the line of the README comes after its lines of Python


@pytest.mark.full
@pytest.mark.parametrize("line", [each for each in commands("privgraph") if not TOGETHER & {*each.values[0]}])
def test_a_line_of_the_library(line, folder):
    again = ["--replace"] if "convert" in line else []  # the folder holds what that line makes
    assert ended(paste([*line, *again], folder))


@pytest.mark.full
def test_server_and_clients(folder):
    """Each in a terminal of its own; the page says "and 1 and 2, each on its own machine"."""
    said = [each.values[0] for each in commands("privgraph")]
    split, = (line for line in said if "split" in line)
    server, again = (line for line in said if "server" in line)
    client, by_itself = (line for line in said if "client" in line)
    ended(paste(split, folder))
    running = [paste(server, folder)]
    running += [paste([word.replace("client-0", f"client-{number}") for word in client], folder)
                for number in range(int(split[split.index("--clients") + 1]))]
    assert all([ended(each) for each in running])
    assert list((folder / "received").glob("*.pt")) and ended(paste(by_itself, folder))
    assert again == [*server, "--resume"]  # tried by tests/book/test_federation_faults.py, where a server ends


@pytest.mark.full
@pytest.mark.parametrize("line", commands("privbook"))
def test_a_line_of_the_book(line, folder, tmp_path):
    """Runs go into a ledger of their own, and for a moment."""
    line = [*line[:line.index("--minutes")], "--minutes", "0.1"] if "--minutes" in line else line
    own = {"PRIVGRAPH_RESULTS": str(tmp_path)} if "reproduce" in line else {}
    graph = line[line.index("--dataset") + 1] if "--dataset" in line else "karate"
    if datasets.at_hand(graph):
        assert ended(paste(line, ROOT, **own))
    else:
        running = paste(line, ROOT, **own)
        assert f"run `privgraph data {graph}`" in running.communicate()[1] and running.returncode == 2


def test_the_page_on_own_graphs_states_the_limits_of_files():
    assert f"more than {npz.MAX_BYTES / 2**30:g} GiB" in (text := PAGES["book/your_own_graph.md"])
    assert f"more than {npz.MAX_CLASSES:,} classes" in text
