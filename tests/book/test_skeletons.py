"""Skeletons are written where they belong, never over anything, and under names that can be names."""

import re
import sys

import pytest

import privgraph.cli
from privbook.cli import main
from privbook.skeletons import FOLDER, KINDS, PLACES, write_skeletons


@pytest.fixture
def checkout(tmp_path):
    for place in (place for places in PLACES.values() for place in places.values()):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    return tmp_path


def test_each_skeleton_is_written_somewhere():
    used = {skeleton.format(kind=kind) for places in PLACES.values() for skeleton in places for kind in KINDS}
    assert used == {path.name.removesuffix(".txt") for path in FOLDER.glob("*.txt")}


@pytest.mark.parametrize("what", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_command_writes_them_and_says_where_to_think(what, kind, checkout, monkeypatch, capsys):
    monkeypatch.chdir(checkout)
    name = "10_noisy_bit" if what == "chapter" else "noisy_bit"
    assert main(["new", what, name, "--kind", kind]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    written = {path.relative_to(checkout).as_posix() for path in checkout.rglob("*") if path.is_file()}
    assert {line.partition(":")[0] for line in lines} == written and f'"A new {what}"' in last
    for path in written:
        text = (checkout / path).read_text(encoding="utf-8")
        assert "TODO" in text and not any(token in text for token in ("CamelName", "snake_name", "kebab-name"))
    if path.endswith(".py"):
        compile(text, path, "exec")


@pytest.mark.parametrize("what, name", [
    *(("mechanism", name) for name in ("", "../mine", "Noisy", "noisy-bit", "1bit", "class", "a__b", "_a", "a.b", "é",
                                       "a\n", None, 5, "10_bit")),
    *(("chapter", name) for name in ("bit", "1_bit", "10_", "10_Bit", "10-bit", "010_bit", "../10_bit", None))])
def test_names_that_can_be_no_names_are_refused(what, name, checkout):
    with pytest.raises(ValueError, match=f"name of a {what} must be .*got"):
        write_skeletons(what, name, checkout)
    assert not [path for path in checkout.rglob("*") if path.is_file()]


@pytest.mark.parametrize("there", ["tests/unit/test_mechanisms_noisy_bit.py", "lib/privgraph/mechanisms/noisy_bit.py"])
def test_nothing_is_overwritten(there, checkout):
    (checkout / there).write_text("mine")
    with pytest.raises(FileExistsError, match="noisy_bit.py is there already; nothing was written"):
        write_skeletons("mechanism", "noisy_bit", checkout)
    assert [(path.relative_to(checkout).as_posix(), path.read_text()) for path in checkout.rglob("*") if path.is_file()
            ] == [(there, "mine")]


def test_a_folder_of_that_name_is_in_the_way_too(checkout):
    (checkout / "lib" / "privbook" / "papers" / "rgnn").mkdir()
    with pytest.raises(FileExistsError):
        write_skeletons("experiment", "rgnn", checkout)


def test_elsewhere_than_in_a_checkout_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mechanism", "noisy_bit"]) == 2
    assert "root must be a checkout of this repository" in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.parametrize("said", [dict(what="list"), dict(kind="cloud")])
def test_other_things_are_refused(said, checkout):
    with pytest.raises(ValueError, match=f"{next(iter(said))} must be one of"):
        write_skeletons(**dict(what="method", name="noisy_bit", root=checkout) | said)


# What a stranger is told who writes a method by the skeleton and makes the usual mistake: by one command, status 1.

FURTHEST = "furthest = (high - low).expand(data.num_features).sum()"
CLAMPED = "x = clamped(data)\n"
SEND = 'return pack({"nodes": self.data.num_nodes})'
NOISY_SEND = '''noise = Laplace(1.0, 2.0, "private edge", "add/remove", "central")
        told = noise(torch.tensor([float(self.data.edge_index.size(1))]), generator=self.generator)
        return pack({"nodes": max(0, round(float(told)))})'''
MISTAKES = {  # kind -> (what is written otherwise, what the command says)
    "embedding": ([(FURTHEST, FURTHEST + " / 10")],
                  r"feature vector \(replace\) is not covered: .* costs epsilon 10, stated is 1"),
    "curated": ([("Laplace(self.epsilon, 2.0,", "Laplace(self.epsilon, 1.0,")],
                r"undirected edge \(add/remove\) is not covered: .* costs epsilon 2, stated is 1"),
    "local": ([(CLAMPED, CLAMPED + "        x = ((x - x.mean(0)) / x.std(0) / 4 + 0.5).clamp(0, 1)\n")],
              "what a person reports must be made of her own record"),
    "federation": ([(SEND, NOISY_SEND), ("def __init__(self, data: Data):\n        self.data, self.all = data, 0",
                    "def __init__(self, data: Data, generator):\n        self.data, self.all = data, 0\n        "
                    "self.generator = generator"),
                    ("return CamelNameClient(part)", "return CamelNameClient(part, generator)"),
                    ("rounds: Annotated[int, Count(1)] = 1", "rounds: Annotated[int, Count(1)] = 3"),
                    ("class CamelName(Federation):", "class CamelName(Federation):\n    def guarantees(self, "
                     'sizes=None, delta=None):\n        return Laplace(1.0, 2.0, "private edge", "add/remove", '
                     '"central").guarantees\n'),
                    ("from ..datasets import", "from ..mechanisms import Laplace\nfrom ..datasets import")],
                   r"private edge \(add/remove\) is not covered: .* costs epsilon 3, stated is 1; it moves the input "
                   "of 3 noisy calls")}


@pytest.mark.parametrize("kind", MISTAKES)
def test_one_command_says_what_is_wrong_with_a_method(kind, tmp_path, monkeypatch, capsys):
    text = (FOLDER / f"method_{kind}.py.txt").read_text(encoding="utf-8")
    changes, said = MISTAKES[kind]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    for near, far in (("from ..", "from privgraph."), ("from .", "from privgraph.methods."), ("CamelName", "Club")):
        text = text.replace(near, far)
    (tmp_path / f"wrong_{kind}.py").write_text(text.replace("TODO: ", ""), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    assert privgraph.cli.main(["audit", f"wrong_{kind}:Club"]) == 1
    printed = capsys.readouterr().out
    assert re.search(said, printed) and printed.endswith("refuted\n")
