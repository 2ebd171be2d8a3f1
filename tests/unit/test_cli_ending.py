"""How commands end on full disks, closed pipes and faults of ours: a sentence, a status, nothing half written."""

import errno
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from faulty import Faulty, kept, restore
from privgraph import cli, datasets, writing
from privgraph.cli import data, federate, main, run, saving, sweep
from privgraph.methods import DPNE, LPGNN, Embeddings, Method, Round
from privgraph.methods.contract.toys import path_graph
from privgraph.methods.evaluated import Evaluation
from privgraph.methods.files import packed

MAIN = [sys.executable, "-m", "privgraph"]
QUICK = "run lpgnn --graph karate --repeats 1 --epochs 1 --x-steps 1 --y-steps 1 --save"


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    assert main(f"federate split --graph karate --private 0.1 --to {folder}/all".split()) == 0
    return folder / "all/client-0.pt"


PARSER = cli.parser()


@pytest.fixture
def at_once(monkeypatch):
    """What takes time is left out: commands go straight to what they write."""
    monkeypatch.setattr(cli, "parser", lambda *said: PARSER)
    found = Embeddings(z=torch.ones(34, 2))
    monkeypatch.setattr(Method, "evaluate", lambda *arguments, **how: Evaluation({"real": [1.0]}))
    monkeypatch.setattr(run, "references", lambda *arguments, **how: Evaluation({}))
    monkeypatch.setattr(saving, "saved_run", lambda *arguments: saving.Saved(
        {"release.pt": found, "model.pt": found, "round-1-client-0.pt": b"message" * 9}, (), {}))
    monkeypatch.setattr(DPNE, "tried", lambda *arguments: (None, {"linear probe": 50.0, "majority class": 30.0}))
    monkeypatch.setattr(sweep, "drawn", lambda *arguments: {"picture.svg": b"a picture"})
    monkeypatch.setattr(federate, "alone", lambda *arguments: SimpleNamespace(embeddings=lambda: found.z))
    told = Round({0: b"a" * 9, 1: b"b" * 9}, {0: b"c"}, {})
    monkeypatch.setattr(federate, "serve", lambda *arguments, **how: iter([told]))
    monkeypatch.setattr(federate, "score", lambda z, part: {})


def a_model() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        LPGNN(epochs=1).fit(path_graph(8)).save(path := Path(folder) / "model.pt")
        return path.read_bytes()


# Every command that writes, and what lies there before; {} is the folder.
def vectors() -> bytes:
    return packed(Embeddings(z=torch.eye(3)).content())


VERBS = {
    "run --save": (QUICK + " {}/out", {}),
    "run --save --replace": (QUICK + " {}/out --replace", {"out/release.pt": b"old", "out/said.json": b"old",
                                                           "out.owner.json": b"old"}),
    "federate split": ("federate split --graph karate --private 0.1 --to {}/out", {}),
    "federate split again": ("federate split --graph karate --private 0.1 --to {}/out --replace",
                             {"out/client-1.pt": b"old"}),
    "federate server": ("federate server federateddeepwalk --port 0 --clients 2 --save {}/out", {}),
    "federate client": ("federate client federateddeepwalk PART --alone --dimension 4 --save {}/z.npy --replace",
                        {"z.npy": b"old"}),
    "sweep": ("sweep dpne --graph karate --epsilon 1 --repeats 1 --to {}/out", {}),
    "compare": ("compare dpne --graph karate --epsilon 1 --repeats 1 --to {}/out", {}),
    "predict": ("predict {}/model.pt --to {}/named.csv --replace", {"model.pt": a_model(), "named.csv": b"old"}),
    "convert": ("convert --edges {}/edges.csv --nodes {}/nodes.csv --label club --to {}/made.npz --replace",
                {"edges.csv": b"source,target\na,b\nb,c\n", "nodes.csv": b"id,club,age\na,x,3\nb,y,4\nc,x,5\n",
                 "made.npz": b"old"}),
    "export": ("export {}/embeddings.pt --to {}/z.csv --replace", {"embeddings.pt": vectors(), "z.csv": b"old"}),
    "data": ("data cora", {"cora.npz": b"old"}),
}
ENDS = {"federate server": 3}  # one of ten rounds had an answer


def group(path: str) -> str:
    """A command without the name of a method."""
    words = path.removeprefix("privgraph ").split()
    return " ".join(words[:1 if words[0] in ("run", "predict", "sweep", "compare", "convert", "export") else 2])


def test_every_command_that_writes_is_tried():
    """By their options."""
    from test_cli_spelling import PARSERS, names
    saves = {group(path) for path, own in PARSERS.items() if {"--save", "--to"} & set(names(own))}
    assert saves == {group(words) for words, _ in VERBS.values()} - {"data cora"}


@pytest.mark.parametrize("verb", VERBS)
def test_a_fault_at_each_call_is_one_sentence_and_leaves_nothing_half_written(verb, part, at_once, tmp_path,
                                                                              monkeypatch, capsys, request):
    if verb in ("sweep", "compare"):
        request.getfixturevalue("pictures")
    words, before = VERBS[verb]
    command = words.replace("{}", str(tmp_path)).replace("PART", str(part)).split()
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path))
    monkeypatch.setattr(data.datasets, "download", lambda name: datasets.sources.keep(datasets.load("karate"), name))
    monkeypatch.chdir(tmp_path)
    for folder in ("out", "lib/privgraph/mechanisms", "tests/unit"):
        if folder != "out" or any(name.startswith("out/") for name in before):
            (tmp_path / folder).mkdir(parents=True)
    restore(tmp_path, before, folders := {path for path in tmp_path.rglob("*") if path.is_dir()})
    monkeypatch.setattr(writing, "os", counting := Faulty())
    assert main(command) == ENDS.get(verb, 0)
    whole = kept(tmp_path)
    for number in range(counting.count):
        restore(tmp_path, before, folders)
        monkeypatch.setattr(writing, "os", Faulty(number))
        capsys.readouterr()
        status, now, err = main(command), kept(tmp_path), capsys.readouterr().err
        if status != ENDS.get(verb, 0):
            assert status == 2 and re.search(r"privgraph: .* must be .*No space left", err), err
        for name in (now.keys() | before.keys()) - {f"out/{federate.STATE}"}:  # which grows with each round
            found = size(now, name)
            assert found == size(before, name) or found == size(whole, name), f"call {number}: {name}"
        if words.startswith(("run", "federate split")):
            assert inside(now) == inside(before) or inside(now) == inside(whole)


def size(files: dict[str, bytes], name: str) -> int | None:
    return len(files[name]) if name in files else None  # the content of some changes from run to run


def inside(files: dict[str, bytes]) -> set[str]:
    """What the folder holds, which is one unit."""
    return {name for name in files if name.startswith("out/")}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process")
def test_a_disk_that_is_full_in_earnest(tmp_path):
    """No file may grow beyond 200 bytes, so all of these stop half way (Python's own would, too, and stay so)."""
    done = subprocess.run([*MAIN, *QUICK.split(), "out"], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)))
    assert done.returncode == 2 and "File too large" in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


# A place where nothing can be written.

@pytest.mark.parametrize("words", [
    f"{QUICK} {{}}/out", "federate client federateddeepwalk PART --alone --dimension 4 --save {}/z.npy",
    "federate server federateddeepwalk --port 0 --save {}/out"])
def test_a_place_is_tried_before_the_work(words, part, tmp_path, monkeypatch, capsys):
    def refused(*arguments, **how):
        raise PermissionError(errno.EACCES, "Permission denied")
    monkeypatch.setattr(run, "graph_of", None), monkeypatch.setattr(run, "introduce", None)  # nothing of the work
    monkeypatch.setattr(federate, "alone", None), monkeypatch.setattr(federate, "serve", None)
    monkeypatch.setattr(writing, "fill", refused)
    command = words.replace("{}", str(tmp_path)).replace("PART", str(part)).split()
    assert main(command) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert re.fullmatch("privgraph: --save must be a place where files can be written, got '.*': Permission denied",
                        err)


# Whoever reads has had enough.

@contextmanager
def unread(how: str, monkeypatch):
    """Standard output and standard error of a process, which nobody reads."""
    made = [None, None]
    if how == "a full disk":
        made = [open("/dev/full", "w"), open(os.devnull, "w")]
    elif how == "a reader who left":
        readers, writers = zip(os.pipe(), os.pipe(), strict=True)
        made = [os.fdopen(writer, "w") for writer in writers]
        for reader in readers:
            os.close(reader)
    with monkeypatch.context() as patch:
        for name, stream in zip(("stdout", "stderr"), made, strict=True):
            patch.setattr(sys, name, stream)
        yield
    for stream in filter(None, made):
        stream.close()  # without an error, as when Python ends


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
@pytest.mark.parametrize("how", ["a reader who left", "nobody", "a full disk"])
def test_what_is_to_be_saved_is_saved_though_nobody_reads(how, tmp_path, at_once, monkeypatch):
    monkeypatch.setattr(run, "introduce", lambda method, data, options, report: [report.say("line") for _ in range(9)])
    with unread(how, monkeypatch):
        status = main(f"{QUICK} {tmp_path}/out".split())
    if how == "a full disk":
        assert status == 2 and list(tmp_path.iterdir()) == []
        return
    assert status == 0 and sorted(kept(tmp_path)) == [
        "out.owner.json", "out.run.toml", "out/model.pt", "out/release.pt", "out/round-1-client-0.pt"]
    json.loads((tmp_path / "out.owner.json").read_text())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
@pytest.mark.parametrize("how, expected", [
    ("a reader who left", (0, [])), ("nobody", (0, [1])), ("a full disk", (2, []))])
def test_nothing_is_computed_for_nobody(how, expected, at_once, monkeypatch):
    """A command that leaves no file ends with the first line that cannot be written."""
    monkeypatch.setattr(run, "introduce", lambda method, data, options, report: report.say("line"))
    ran = []
    monkeypatch.setattr(Method, "evaluate", lambda *arguments, **how: ran.append(1) or Evaluation({"real": [1.0]}))
    monkeypatch.setattr(Evaluation, "table", lambda found: "line")
    with unread(how, monkeypatch):
        status = main(QUICK.removesuffix(" --save").split())
    assert (status, ran) == expected


@pytest.mark.skipif(os.name == "nt", reason="a shell")
def test_a_pipe_into_head(tmp_path):
    line = " ".join([*MAIN, QUICK, "out 2>&1 | head -2; exit ${PIPESTATUS[0]}"])
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "\nLPGNN on karate" in done.stdout and done.stderr == ""
    assert sorted(kept(tmp_path)) == ["out.owner.json", "out.run.toml", "out/model.pt", "out/release.pt"]


# Whose fault.

def failing(error):
    def fail(*arguments, **how):
        raise error
    return fail


@pytest.mark.parametrize("error", [RuntimeError("mat1 and mat2"), AssertionError(), KeyError("x"), IndexError("3"),
                                   AttributeError("no such thing"), ZeroDivisionError("division"), RecursionError()])
def test_what_is_our_fault_is_said_so(error, monkeypatch, capsys):
    monkeypatch.delenv("PRIVGRAPH_TRACEBACK", raising=False)
    monkeypatch.setattr(datasets, "check_file", failing(error))
    assert main(["check", "mine.npz"]) == 70
    err = capsys.readouterr().err
    assert err.startswith(f"privgraph: this is our fault, and not yours: {type(error).__name__}")
    assert err.count("\n") == 1 and "PRIVGRAPH_TRACEBACK=1" in err
    monkeypatch.setenv("PRIVGRAPH_TRACEBACK", "1")
    assert main(["check", "mine.npz"]) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_error_of_another_library_is_our_fault_too(monkeypatch, capsys):
    """We should have checked what it was given."""
    monkeypatch.setattr(datasets, "check_file", lambda *arguments, **how: np.linalg.cholesky(np.zeros(3)))
    assert main(["check", "mine.npz"]) == 70
    monkeypatch.setattr(datasets, "check_file", lambda *arguments, **how: json.loads("{"))
    assert main(["check", "mine.npz"]) == 70
    assert "our fault, and not yours: JSONDecodeError: Expecting property name" in capsys.readouterr().err


@pytest.mark.parametrize("error, said", [
    (ValueError("epsilon must be"), "epsilon must be"), (OSError(28, "No space left"), "[Errno 28] No space left"),
    (BrokenPipeError(32, "Broken pipe"), "[Errno 32] Broken pipe"),
    (MemoryError(), "there is not enough memory for this"),
    (FloatingPointError("training must end"), "training must end")])
def test_what_is_nobodys_fault_is_a_sentence(error, said, monkeypatch, capsys):
    """A pipe that is not the reader's of our lines, such as a federation's, is no reason to be silent."""
    monkeypatch.setattr(datasets, "check_file", failing(error))
    assert main(["check", "mine.npz"]) == 2
    assert capsys.readouterr().err == f"privgraph: {said}\n"


# Training that ends in NaN.

@pytest.mark.parametrize("words", [
    "run lpgnn --graph karate --learning-rate 1e30", "run gae --graph karate --epochs 3 --learning-rate 1e30",
    "run deepwalk --graph karate --epochs 2 --learning-rate 1e30", "run lpgnn --graph karate --learning-rate 1e38"])
def test_nothing_is_saved_of_training_that_went_astray(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(f"{words} --repeats 1 --save out".split()) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert "finite" in err and "privgraph: " in err and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", ["maml --episodes 3", "prototypicalnetwork --episodes 3", "segcl --episodes 3"])
def test_tasks_are_not_tried_with_weights_that_are_not_numbers(words, capsys):
    assert main(f"run {words} --learning-rate 1e30 --repeats 1 --test-tasks 2".split()) == 2
    assert " must be finite, got" in (err := capsys.readouterr().err) or "training must end with finite" in err
