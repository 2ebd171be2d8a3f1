"""A command loads what it needs and no more: torch takes a second, PyG two. Modules are counted, not seconds."""

import importlib
import json
import subprocess
import sys

import numpy as np
import pytest

from privgraph import discover
from privgraph.attacks.catalogue import all_attacks
from privgraph.cli import commands_of, main, parser
from privgraph.discover import index, marked
from privgraph.mechanisms import all_mechanisms
from privgraph.methods import all_methods

RUN = """
import json, sys
from contextlib import suppress
{planted}
from privgraph.cli import main
for words in json.loads(sys.argv[1]):
    with suppress(SystemExit):
        main(words)
print(json.dumps(sorted(sys.modules)))
"""
NOT_AT_ALL, NO_TORCH, NO_PYG = {"numpy", "torch"}, {"torch"}, {"torch_geometric"}


def loaded(*lines: str, planted: str = "") -> tuple[set[str], str]:
    """What a process has loaded after some commands, and what it said on stderr."""
    words = json.dumps([line.split() for line in lines])
    ended = subprocess.run([sys.executable, "-c", RUN.format(planted=planted), words], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stdout.splitlines()[-1])), ended.stderr


@pytest.mark.parametrize("line", ["--help", "--version", "bugdet", "", "convert --help", "convert"])
def test_what_needs_nothing_loads_nothing(line):
    found, told = loaded(line)
    assert not found & NOT_AT_ALL and "loading" not in told


@pytest.mark.parametrize("line", [
    "budget --help", "budget laplace:epsilon=0.1,rate=0.3,count=10 multi-bit:epsilon=1,num_features=5",
    "budget symmetric-response:epsilon=2 gaussian:noise_multiplier=1.1,rate=0.01,count=10",
    "calibrate laplace --epsilon 1 --count 100", "calibrate noisy-votes --epsilon 1", "data", "data --help",
    "check --help"])
def test_accounting_and_lists_load_no_torch(line):
    found, told = loaded(line)
    assert not found & NO_TORCH and "loading" not in told


def test_a_file_is_checked_without_torch(tmp_path):
    np.savez(tmp_path / "mine.npz", edge_index=[[0, 1], [1, 2]], x=np.eye(3), y=[0, 1, 0])
    found, told = loaded(f"check {tmp_path}/mine.npz", f"check {tmp_path}/none.npz")
    assert not found & NO_TORCH and told == ""


def test_help_of_every_verb_and_method_loads_no_pyg():
    names = [*all_methods()]
    lines = ["run --help", "attack --help", "audit --help", "federate --help",
             *(f"run {name} --help" for name in names), *(f"attack linkteller {name} --help" for name in names),
             *(f"federate {step} {name} --help" for step in ("server", "client", "demo") for name in names)]
    found, told = loaded(*lines)
    assert not found & NO_PYG
    assert told.startswith("privgraph: loading PyTorch\n")  # nobody waits in silence


@pytest.mark.parametrize("module", ["numpy", "torch", "torch_geometric"])
def test_what_is_loaded_would_be_seen(module):
    found, told = loaded("--version", planted=f"import {module}")
    assert module in found and told == ""


def test_that_it_loads_is_said_where_it_loads(capsys):
    assert loaded("--version", planted="")[1] == ""
    assert "loading" in loaded("audit nothing")[1]
    assert main(["audit", "nothing"]) == 2  # here it is there already
    assert "loading" not in capsys.readouterr().err and not [each for each in sys.meta_path if hasattr(each, "prog")]


# What is read off texts is what is there.

@pytest.mark.parametrize("package, base, known", [("privgraph.methods", "Method", all_methods),
                                                  ("privgraph.mechanisms", "Mechanism", all_mechanisms)])
def test_the_index_has_the_classes_that_can_be_made(package, base, known):
    found = index(package, base)
    assert [written.load() for written in found.values()] == list(known().values()) and len(found) > 15
    assert all(written.summary and "\n" not in written.summary for written in found.values())


def test_the_index_knows_kinds():
    for base, name in (("Local", "LPGNN"), ("Embedding", "GAE"), ("Federation", "FederatedGAT")):
        kind = getattr(importlib.import_module("privgraph.methods"), base)
        found = index("privgraph.methods", base)
        assert name in found and {each for each in all_methods().values() if issubclass(each, kind)} == {
            written.load() for written in found.values()}


@pytest.mark.parametrize("text, seen", [
    ("class A(Method):  # so\n    x = 1\n", {"A"}), ("class Method(ABC):\n    x = 1\n", set()),
    ("class A(Method):\n    @abstractmethod\n    def f(self): ...\n", set()),
    ("class A(Method):\n    @property\n    @abstractmethod\n    def f(self): ...\n\n\nclass B(A):\n    f = 1\n", {"B"}),
    ("class A(Method):\n    @abstractmethod\n    def f(self): ...\n\n\nclass B(A):\n    def f(self): ...\n", {"B"}),
    ("class A(Method):\n    @abstractmethod\n    def f(self): ...\n\n\nclass B(A):\n    def g(self): ...\n", set()),
    ("class A(Other, module.Method, key=1):\n    x = 1\n", set())])
def test_what_is_abstract_is_left_out(text, seen, monkeypatch):
    known = "class Method:\n    pass\n" if "class Method" not in text else ""
    monkeypatch.setattr(discover, "texts", lambda package: {"m.a": f'"""What it is."""\n\n\n{known}\n\n{text}'})
    assert index("m", "Method").keys() == seen


def test_marked_functions_are_the_attacks():
    found = marked("privgraph.attacks", "tried_on")
    assert {attack.__name__: attack.__module__ for attack in all_attacks().values()} == found


def test_commands_are_read_off_texts():
    top, = (each for each in parser()._actions if each.choices)
    found = commands_of("privgraph.cli")
    assert [*found] == [*top.choices] and len(found) > 7
    assert [told for _, told in found.values()] == [each.help for each in top._choices_actions]


# Faces.

FACES = ["privgraph", *(f"privgraph.{name}" for name in (
    "attacks", "audit", "datasets", "datasets.graph_sets", "federate", "mechanisms", "methods", "methods.federated",
    "methods.few_shot", "nn", "privacy", "teach"))]


@pytest.mark.parametrize("name", FACES)
def test_a_face_has_what_it_names(name):
    face = importlib.import_module(name)
    assert face.__all__ and set(face.__all__) <= set(dir(face)) and all(hasattr(face, each) for each in face.__all__)
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        face.nothing  # noqa: B018


def test_faces_load_nothing_by_themselves():
    found, _ = loaded(planted="\n".join(f"import {name}" for name in FACES) + "\ndir(privgraph)")
    assert not found & {"torch", "torch_geometric", "sklearn", "scipy"}
    found, _ = loaded(planted="import privgraph\nprivgraph.audit.statistical, privgraph.methods.lpgnn")
    assert "torch" in found
