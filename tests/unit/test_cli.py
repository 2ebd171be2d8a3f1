import argparse
import inspect
import json
import math
import re
import shlex
import subprocess
import sys
import types
from dataclasses import dataclass, fields, replace
from typing import Annotated

import numpy as np
import pytest

from privgraph import datasets, discover
from privgraph.checks.parameters import Positive
from privgraph.cli import main, parser, run
from privgraph.cli.options import given
from privgraph.cli.run import method_of
from privgraph.late import returned
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods import (
    DPNE,
    LPGNN,
    PATE,
    Distilled,
    Embedding,
    Embeddings,
    Local,
    Method,
    Noised,
    QueryRelease,
    all_methods,
    load,
)
from privgraph.methods.evaluation import repeat
from privgraph.nn import interval
from privgraph.randomness import seeded


@pytest.fixture
def mine(tmp_path):
    """A stranger's graph: two groups of 20, joined inside, with features that tell them apart."""
    rng = np.random.default_rng(0)
    edges = np.concatenate([rng.integers(0, 20, (2, 60)), rng.integers(20, 40, (2, 60))], axis=1)
    x = rng.random((40, 6)) / 2
    x[20:] += 0.5
    np.savez(tmp_path / "mine.npz", edge_index=edges, x=x, y=np.repeat([0, 1], 20))
    return tmp_path / "mine.npz"


def test_check_then_run_on_ones_own_file(mine, capsys):
    assert main(["check", str(mine)]) == 0
    assert "40 nodes" in capsys.readouterr().out
    assert main(["run", "lpgnn", "--graph", str(mine), "--classes", "2", "--epsilon-x", "2", "--repeats", "2",
                 "--epochs", "5",
                 "--x-steps", "2"]) == 0
    out = capsys.readouterr().out
    assert "features and label: epsilon = 5 (replace, local, proved)" in out and "undirected edge: epsilon = inf" in out
    assert all(arm in out for arm in ("real", "permuted", "constant"))
    assert "(no interval: run at least three seeds)" in out and "Too few runs to compare" in out


@pytest.mark.parametrize("method, settings", [([], (True, "brier")), (["--as-published"], (False, "log")),
                                              (["--no-standardize"], (False, "brier")),
                                              (["--as-published", "--standardize"], (True, "log"))])
def test_settings_of_a_run(method, settings):
    asked = method_of(parser().parse_args(["run", "lpgnn", *method]))
    assert (asked.standardize, asked.selection) == settings


def test_one_seed_has_no_interval_and_every_epoch_moves_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["run", "lpgnn", "--graph", "karate", "--epsilon-x", "2", "--repeats", "1", "--epochs", "7",
                 "--x-steps", "1"]) == 0
    out, bars = capsys.readouterr()
    assert out.count("% (no interval: run at least three seeds)") == 5 and "± inf" not in out
    assert "training" in bars and "/7 [" in bars


def test_every_run_shows_what_can_be_had_without_it(capsys):
    """The largest class, and a GCN without privacy, over the same splits, with their intervals."""
    assert main(["run", "lpgnn", "--graph", "patients", "--epsilon-x", "2", "--repeats", "3", "--epochs", "2"]) == 0
    printed = dict(re.findall(r"^(.*\S) +accuracy (\S+ ± \S+) %", capsys.readouterr().out, flags=re.MULTILINE))
    assert list(printed) == ["real features", "permuted features", "constant features", "majority class", "plain GCN"]
    patients, rows = datasets.load("patients"), []
    for seed in range(3):
        data = datasets.split(patients, seeded(seed))
        ill, well = (100 * float((data.y[data.test_mask] == c).float().mean()) for c in (0, 1))
        rows.append(well if (data.y[data.train_mask] == 1).float().mean() > 0.5 else ill)
    assert printed["majority class"] == str(interval(rows))
    raw = LPGNN(epsilon_x=math.inf, epsilon_y=math.inf, x_steps=0, y_steps=0, standardize=False, selection="log")
    assert printed["plain GCN"] == str(interval(repeat(raw, patients, seeds=3)))


def test_check_fails_on_a_broken_file(tmp_path, capsys):
    np.savez(tmp_path / "bad.npz", edge_index=[[0, 9], [9, 0]], x=np.eye(3), y=[0, 1, 1])
    assert main(["check", str(tmp_path / "bad.npz")]) == 1
    assert "problem: edges must name nodes 0..2" in capsys.readouterr().out


@pytest.mark.parametrize("arguments, message", [
    (["run", "lpgnn", "--epsilon-x", "0"], "--epsilon-x must be a positive number"),
    (["run", "lpgnn", "--epsilon-y", "nan"], "--epsilon-y must be a positive number"),
    (["run", "lpgnn", "--graph", "nowhere.npz", "--classes", "2"], "No such file or directory: 'nowhere.npz'"),
    (["run", "lpgnn", "--graph", "nowhere.npz"], "No such file or directory: 'nowhere.npz'"),
    (["run", "lpgnn", "--graph", "coar"], "for coar, did you mean cora?"),
    (["run", "lpgnn", "--graph", "karate", "--repeats", "0"], "repeats must be"),
    (["data", "karate"], "always at hand"),
])
def test_errors_are_one_sentence(arguments, message, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


def test_data_lists_every_graph(capsys):
    assert main(["data"]) == 0
    out = capsys.readouterr().out
    assert "cora-twin            at hand" in out and "facebook-pages" in out


def test_run_says_what_no_epsilon_accounts_for(capsys):
    for graph, said in (("patients", True), ("karate", False)):
        assert main(["run", "lpgnn", "--graph", graph, "--repeats", "1", "--epochs", "1"]) == 0
        out = capsys.readouterr().out
        assert ("no epsilon accounts for: the edges" in out) == said
        assert ("features and label: no guarantee, as not all is accounted for" in out) == said


# Every method from the command line.

QUICK = {kind: " ".join(words) for kind, words in {
    "Local": ["--epochs 2 --x-steps 2 --y-steps 1"],
    "Distilled": ["--scale 2 --num-queries 5 --student-epochs 2 --student-hidden 4 --teacher-epochs 2"]}.items()}
LEARNS = [name for name, kind in all_methods().items() if issubclass(kind, (Local, Distilled))]
PUBLISHES = [name for name, kind in all_methods().items() if issubclass(kind, Embedding)]
OWN = {"rgnn": "--group 1 --clusters 4 --sampled 3", "pate": "--teachers 2", "privgnn": "--neighbours none",
       "deepwalk": "--epochs 2 --walks 2 --dimension 4", "lppge": "--epochs 2 --sensitive-degree 9"}


def quick(name: str) -> list[str]:
    """Options with which a method runs in a moment."""
    base = next((base.__name__ for base in (Distilled, Local) if issubclass(all_methods()[name], base)), "")
    return f"{QUICK.get(base, '')} {OWN.get(name, '')}".split()


@pytest.mark.parametrize("name", LEARNS)
def test_every_method_runs_and_says_beforehand_what_will_hold(name, tmp_path, capsys):
    if name == "rgnn":
        pytest.importorskip("pymetis", reason="clusters need the extra partition")
    command = ["run", name, "--graph", "karate", "--repeats", "1", "--json", "--save", str(tmp_path / "out"),
               *quick(name)]
    assert main(command) == 0
    out, err = capsys.readouterr()
    line = json.loads(out)  # nothing else on stdout
    assert err.index("epsilon = ") < err.index("accuracy") and line["method"] == name and line["graph"] == "karate"
    assert {g["unit"] for g in line["guarantees"]} & {"features and label", "node"}
    assert {"majority class"} < set(line["accuracy"]) and all(v["n"] == 1 for v in line["accuracy"].values())
    assert json.loads((tmp_path / "out.owner.json").read_text()) == line
    again = load(tmp_path / "out" / "model.pt")
    assert again.predict_proba().shape == (len(again.predict()), 2)
    kind = QueryRelease if "--scale" in command else returned(all_methods()[name].collect)
    release = kind.load(tmp_path / "out" / "release.pt")
    assert release.num_classes == 2
    stated = release.guarantee(1e-5) if "--scale" in command else release.total
    assert stated.epsilon == pytest.approx(line["guarantees"][0]["epsilon"])


@pytest.mark.parametrize("name", PUBLISHES)
def test_every_embedding_is_published_with_what_holds_and_probed(name, tmp_path, capsys):
    command = ["run", name, "--graph", "karate", "--repeats", "1", "--json", "--save", str(tmp_path / "out")]
    assert main([*command, *quick(name)]) == 0
    line = json.loads(capsys.readouterr().out)
    assert line["method"] == name and {"majority class"} < set(line["accuracy"])
    found = Embeddings.load(tmp_path / "out" / "embeddings.pt")
    assert found.z.size(0) == 34
    assert [float(g["epsilon"]) for g in line["guarantees"]] == [g.epsilon for g in found.guarantees]


def test_vectors_of_another_method_are_named(capsys):
    asked = method_of(parser().parse_args("run noised --of dpne --scale 2".split()))
    assert asked == Noised(DPNE(), 2.0)
    with pytest.raises(SystemExit):
        parser().parse_args("run noised --of lpgnn".split())
    told = capsys.readouterr().err
    assert "argument --of: embedding must be one of " in told and " dpne, " in told and "got 'lpgnn'" in told


@pytest.mark.parametrize("name", all_methods())
def test_every_hyperparameter_is_an_option(name):
    """One that could not be said would have a type that the command line cannot read."""
    options = parser().parse_args(["run", name, *quick(name)])
    method = method_of(options)
    said = {action.dest.partition(".")[0] for action in options_of(["run", name])}
    assert {field.name for field in fields(method) if field.init} <= said
    assert replace(method, **given(options, type(method))) == method


def options_of(path: list[str]):
    found = parser()
    for word in path:
        found = next(a for a in found._actions if isinstance(a, argparse._SubParsersAction)).choices[word].filled()
    return found._actions


def test_hyperparameters_of_parts_and_mechanisms_are_read():
    asked = method_of(parser().parse_args("run pate --scale 2 --student-kind mlp --teacher-epochs 7".split()))
    assert (asked.student.kind, asked.student.epochs) == ("mlp", PATE(scale=1).student.epochs)
    assert (asked.teacher.kind, asked.teacher.epochs) == (PATE(scale=1).teacher.kind, 7)
    asked = method_of(parser().parse_args("run graphprivatizer --structure symmetric-response:epsilon=2".split()))
    assert asked.structure == SymmetricResponse(2.0)
    asked = method_of(parser().parse_args("run privgnn --scale 2 --neighbours none --one-teacher".split()))
    assert asked.neighbours is None and asked.one_teacher


def test_noise_is_found_for_what_labels_may_cost(capsys):
    assert main("run privgnn --graph karate --epsilon 2 --delta 1e-3 --num-queries 5 --repeats 1 --student-epochs 1 "
                "--teacher-epochs 1 --json".split()) == 0
    held, = json.loads(capsys.readouterr().out)["guarantees"]
    assert held["unit"] == "node" and held["delta"] == 1e-3 and 1.9 < held["epsilon"] <= 2


def test_a_second_graph_is_public(mine, capsys):
    rng = np.random.default_rng(1)
    other = mine.with_name("other.npz")
    np.savez(other, edge_index=rng.integers(0, 30, (2, 50)), x=rng.random((30, 6)), y=np.repeat([0, 1], 15))
    command = ["run", "pate", "--graph", str(mine), "--num-classes", "2", "--repeats", "1", *quick("pate")]
    assert main([*command, "--public-graph", str(other)]) == 0
    assert "student of true labels" in capsys.readouterr().out
    assert main([*command, "--public-graph", str(mine)]) == 2
    assert "--public-graph must be a graph of other people" in capsys.readouterr().err


def test_a_file_with_other_bounds_is_told_how_to_run(tmp_path, capsys):
    """Bounds are stated, and `check` then prints a command that runs."""
    path = tmp_path / "ages of many.npz"
    rng = np.random.default_rng(0)
    np.savez(path, edge_index=rng.integers(0, 30, (2, 40)), x=rng.integers(0, 90, (30, 3)), y=np.arange(30) % 3)
    assert main(["check", str(path)]) == 1
    assert "--feature-range LOW HIGH" in capsys.readouterr().out
    assert main(["check", str(path), "--feature-range", "0", "120"]) == 0
    command = shlex.split(capsys.readouterr().out.splitlines()[-1].replace("CLASSES", "3"))
    assert command[0] == "privgraph" and main([*command[1:], "--repeats", "1", "--epochs", "1"]) == 0


@pytest.mark.parametrize("words, x_steps, epochs", [
    ("", 2, 50), ("--epochs 100", 2, 100), ("--epochs 7", 2, 7), ("--x-steps 9", 9, 50), ("--x-steps none", None, 50),
    ("--epsilon-x inf", None, 50), ("--as-published", 16, 100), ("--x-steps 0 --epochs 60", 0, 60)])
def test_a_large_graph_gets_fewer_hops_and_epochs_where_none_are_said(words, x_steps, epochs, monkeypatch):
    """By the numbers of nodes and edges alone: other people on the same graph get the same."""
    data, others = datasets.load("karate"), datasets.load("karate")
    others.x, others.y = 1 - others.x, 1 - others.y
    options = parser().parse_args(f"run lpgnn {words}".split())
    small = method_of(options, data)
    assert run.LARGE == 10_000
    assert small == (LPGNN.as_published if "published" in words else LPGNN)(**given(options, LPGNN))
    monkeypatch.setattr(run, "LARGE", 33)
    for graph in (data, others):
        method = method_of(options, graph)
        assert (method.x_steps, method.epochs) == (x_steps, epochs)


@pytest.mark.parametrize("line, said", [
    ("run lpgnn --graph karate --repeats 1 --x-steps 1", ["epochs"]),
    ("run lpgnn --graph karate --repeats 1 --epochs 2", ["x_steps"]),
    ("run lpgnn --graph karate --repeats 1 --epochs 2 --as-published", []),
    ("run rgnn --graph karate --group 1 --repeats 1 --epochs 2 --clusters 4", []),
    ("attack linkteller lpgnn --graph karate --x-steps 1", ["epochs"])])
def test_what_the_size_decided_is_said_before_it_runs(line, said, monkeypatch, capsys):
    if "rgnn" in line:
        pytest.importorskip("pymetis", reason="clusters need the extra partition")
    monkeypatch.setattr(run, "LARGE", 33)
    assert main(line.split()) == 0
    told = capsys.readouterr().out
    for part in (told, told.partition("what will hold")[0]):
        assert re.findall(r"^(\w+) = \d+, by the number of nodes and edges; --", part, re.MULTILINE) == said


@dataclass(frozen=True)
class Shouting(LPGNN):
    """A stranger's method.

    :param volume: how loud.
    """

    volume: Annotated[float, Positive()] = 1.0


class Quiet(Method):
    """A stranger's method of a kind that nothing runs."""

    fit = None
    guarantees = None
    reload = None


def test_a_strangers_method_is_there_by_itself(monkeypatch, capsys):
    written = "\n\n\n".join(map(inspect.getsource, (Shouting, Quiet)))
    module = types.ModuleType("privgraph.methods.strange")
    module.Shouting, module.Quiet = Shouting, Quiet
    monkeypatch.setattr(Shouting, "__module__", module.__name__)
    monkeypatch.setattr(Quiet, "__module__", module.__name__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    texts = discover.texts
    monkeypatch.setattr(discover, "texts", lambda package: texts(package) | (
        {module.__name__: written} if package == "privgraph.methods" else {}))
    assert main("run shouting --volume 2 --graph karate --repeats 1 --epochs 1 --json".split()) == 0
    assert json.loads(capsys.readouterr().out)["hyperparameters"]["volume"] == 2
    assert main("run quiet --graph karate".split()) == 2
    assert "Quiet is of none of the kinds in privgraph.methods" in capsys.readouterr().err


# Whatever is typed is answered.

def every_command(top, path: tuple[str, ...] = ()):
    """All commands and their sub-commands, as words."""
    for action in top.filled()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, own in action.choices.items():
                yield (*path, name)
                yield from every_command(own, (*path, name))


@pytest.mark.parametrize("path", list(every_command(parser())), ids=" ".join)
def test_every_command_explains_itself(path, capsys):
    words = [path[0], "linkteller", *path[1:]] if path[0] == "attack" and path[1:] else path
    with pytest.raises(SystemExit) as end:
        main([*words, "--help"])
    out = capsys.readouterr().out
    assert end.value.code == 0 and out.startswith(f"usage: privgraph {path[0]}") and "-h, --help" in out


BAD_LINES = {
    "": "the following arguments are required: COMMAND", "fly": "invalid choice: 'fly'", "run": "required: METHOD",
    "run fly": "invalid choice: 'fly'", "run lpgnn --volume 3": "unrecognized arguments: --volume 3",
    "run lpgnn --epochs many": "--epochs: must be a whole number, at least 1, got 'many'",
    "run lpgnn --epochs 0": "epochs must be",
    "run lpgnn --epochs 2.5": "--epochs: must be a whole number, at least 1, got '2.5'",
    "run lpgnn --hidden -3": "hidden must be",
    "run lpgnn --dropout 1": "dropout must lie in", "run lpgnn --learning-rate inf": "--learning-rate must be",
    "run lpgnn --weight-decay -1": "--weight-decay must be", "run lpgnn --backbone tree": "backbone must be one of",
    "run lpgnn --x-steps none --epsilon-y -1": "--epsilon-y must be", "run lpgnn --heads 0": "heads must be",
    "run lpgnn --repeats 0 --graph karate": "repeats must be",
    "run lpgnn --repeats x": "--repeats: must be a whole number, got 'x'",
    "run lpgnn --graph ../../nowhere/passwd": "--graph must be an .npz file",
    "run lpgnn --graph .": "is a folder",
    "run lpgnn --graph karate --num-classes 3": "are for files",
    "run lpgnn --graph karate --domain-sizes 2xtwo": "whole numbers with x between",
    "run lpgnn --graph karate --feature-range 1 0": "are for files",
    "run lpgnn --feature-range 1": "expected 2 arguments",
    "run lpgnn --feature-range 0 1 --range-file f.csv": "not allowed with",
    "audit multi-bit:epsilon=1,num_features=2,low=0x1,high=1": "low must be below high",
    "run lpgnn --group 1 --bins 2": "not allowed with",
    "run rgnn --graph karate": "--group 1", "run rgnn --sampled 0": "sampled must be",
    "run rgnn --graph karate --group 1 --sampled 99": "sampled must be",
    "run graphprivatizer --structure magic": "mechanism must be one of",
    "run graphprivatizer --structure symmetric-response:epsilon=-1": "epsilon must be",
    "run graphprivatizer --structure laplace:epsilon=1": "structure must be", "run pate": "--scale",
    "run pate --scale -1": "scale must be", "run pate --scale 1 --epsilon 1": "give one",
    "run pate --graph karate --epsilon 0": "epsilon must be",
    "run pate --graph karate --scale 1": "--num-queries must be at most",
    "run pate --graph karate --scale 1 --public-fraction 2": "fraction must",
    "run pate --graph karate --scale 1 --public-graph karate": "of other people",
    "run pate --graph karate --scale 1 --public-graph patients": "must have the features and classes of --graph",
    "run pate --scale 1 --student-epochs 0": "epochs must be", "run pate --scale 1 --student-kind tree": "kind must be",
    "run privgnn --scale 1 --rate 2": "rate must", "run privgnn --scale 1 --teacher-kind mlp": "--teacher-kind must be",
    "run privgnn --graph karate --scale 1 --delta 3": "delta must",
    "attack": "required: ATTACK, METHOD", "attack burglary lpgnn": "invalid choice: 'burglary'",
    "attack linkteller pate": "invalid choice: 'pate'",
    "attack linkteller lpgnn --graph karate --pairs 0": "--pairs must",
    "attack linkteller lpgnn --graph karate --pairs 9999": "--pairs must be a whole number, between 2 and 78",
    "check": "required: file",
    "attack linkteller lpgnn --graph karate --seed -1": "seed must",
    "audit magic": "name must be one of", "audit": "required: name",
    "audit nowhere:Thing": "cannot be imported", "audit laplace:epsilon": "NAME:key=value",
    "budget laplace:epsilon=1,pitch=3": "key of laplace must be one of", "budget": "required: mechanism",
    "budget laplace:epsilon=1 --delta 2": "delta must",
    "data atlantis": "NAME must be one of"}


@pytest.mark.parametrize("line, message", BAD_LINES.items())
def test_what_makes_no_sense_is_answered_on_stderr(line, message, capsys):
    try:
        status = main(line.split())
    except SystemExit as end:
        status = end.code
    err = capsys.readouterr().err
    assert status == 2 and message in err and "Traceback" not in err


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"a,b\n1,2\n", bytes(range(256)) * 9])
def test_a_broken_file_is_one_line(content, tmp_path, capsys):
    (tmp_path / "broken.npz").write_bytes(content)
    assert main(["check", str(tmp_path / "broken.npz")]) == 1
    assert capsys.readouterr().out.startswith("problem: ")
    assert main(["run", "lpgnn", "--num-classes", "2", "--graph", str(tmp_path / "broken.npz")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_who_has_read_enough_sees_no_traceback():
    """As in `privgraph data | head -1`."""
    command = [sys.executable, "-c", "import sys; from privgraph.cli import main; sys.exit(main())", "data"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.stderr.read().decode() == "" and running.wait() == 0


def test_ctrl_c_is_one_line(monkeypatch, capsys):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt
    monkeypatch.setattr(datasets, "check_file", interrupt)
    assert main(["check", "mine.npz"]) == 130
    assert capsys.readouterr().err == "privgraph: stopped\n"
