"""How commands end: full disks, closed pipes, our own faults; in a sentence, with a status, with nothing half written."""

import errno
import json
import os
import re
import resource
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from test_writing import Faulty, kept, restore

from privgraph import datasets, writing
from privgraph.cli import data, federate, main, run, saving
from privgraph.methods import Embeddings, Round

MAIN = [sys.executable, "-m", "privgraph.cli"]
QUICK = "run lpgnn --graph karate --repeats 1 --epochs 1 --x-steps 1 --y-steps 1 --save"
WALK = "federatedrandom"


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    assert main(f"federate split --graph karate --private 0.1 --to {folder}/all".split()) == 0
    return folder / "all/client-0.pt"


@pytest.fixture
def at_once(monkeypatch):
    """What takes time is left out: commands go straight to what they write."""
    found = Embeddings(z=torch.ones(34, 2))
    monkeypatch.setattr(run, "RUNNERS", dict.fromkeys(run.RUNNERS, lambda *arguments: None))
    monkeypatch.setattr(saving, "saver", lambda kind: lambda *arguments: saving.Saved(
        {"release.pt": found, "model.pt": found, "round-1-client-0.pt": b"message" * 9}, (), {}))
    monkeypatch.setattr(federate, "alone", lambda *arguments: SimpleNamespace(embeddings=lambda: found.z))
    monkeypatch.setattr(federate, "serve", lambda *arguments, **how: iter([Round({0: b"a" * 9, 1: b"b" * 9}, {}, {})]))
    monkeypatch.setattr(federate, "score", lambda z, part: {})


# Every command that writes, and what lies there before; {} is the folder.
VERBS = {
    "run --save": (QUICK + " {}/out", {}),
    "run --save --replace": (QUICK + " {}/out --replace", {"out/release.pt": b"old", "out/said.json": b"old",
                                                           "out.owner.json": b"old"}),
    "federate split": ("federate split --graph karate --private 0.1 --to {}/out", {}),
    "federate split again": ("federate split --graph karate --private 0.1 --to {}/out", {"out/client-1.pt": b"old"}),
    "federate server": ("federate server federateddeepwalk --port 0 --clients 2 --save {}/out", {}),
    "federate client": ("federate client federateddeepwalk PART --alone --save {}/z.npy", {"z.npy": b"old"}),
    "data": ("data cora", {"cora.npz": b"old"}),
    "new": ("new mechanism noisy_degrees", {}),
}
WRITES_IN_PARTS = {"federate server"}  # each message as it comes


def commands_that_write() -> set[str]:
    """By their options, of all parsers."""
    from test_cli_exact import PARSERS, names
    return {path for path, own in PARSERS.items() if {"--save", "--to"} & set(names(own))}


def test_every_command_that_writes_is_tried():
    """``classroom grade`` and ``reproduce`` by the functions that write for them, in test_writing."""
    tried = [" ".join(["privgraph", *words.split()]) for words, _ in VERBS.values()]
    missing = {path for path in commands_that_write() if not any(each.startswith(path) for each in tried)}
    assert {" ".join(path.split()[1:3]) for path in missing} <= {"classroom grade"} | {
        " ".join(path.split()[1:3]) for path in missing if path.startswith(("privgraph run", "privgraph federate"))}


@pytest.mark.parametrize("verb", VERBS)
def test_a_fault_at_each_call_is_one_sentence_and_leaves_nothing_half_written(verb, part, at_once, tmp_path, monkeypatch,
                                                                              capsys):
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
    assert main(command) == 0
    whole = kept(tmp_path)
    for number in range(counting.count):
        restore(tmp_path, before, folders)
        monkeypatch.setattr(writing, "os", Faulty(number))
        capsys.readouterr()
        status, now, err = main(command), kept(tmp_path), capsys.readouterr().err
        assert status in (0, 2) and (status == 0 or re.search(r"privgraph: .* must be .*No space left", err)), err
        for name in now.keys() | before.keys():
            sizes = {len(each[name]) for each in (before, whole) if name in each} | ({0} if name not in now else set())
            assert name in now or name not in before, f"call {number}: {name} is lost"
            assert name not in now or len(now[name]) in sizes, f"call {number}: {name} is left, or half written"
        if status and verb not in WRITES_IN_PARTS and not {"out.owner.json"} & (now.keys() - before.keys()):
            assert now.keys() - before.keys() in (set(), {name for name in whole if name.startswith("out/")})


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process")
@pytest.mark.parametrize("words, left", [
    (f"{QUICK} out", []), ("federate split --graph karate --private 0.1 --to out", [])])
def test_a_disk_that_is_full_in_earnest(words, left, tmp_path):
    """No file may grow beyond 200 bytes, so all of these stop half way."""
    done = subprocess.run([*MAIN, *words.split()], cwd=tmp_path, capture_output=True, text=True, preexec_fn=lambda:
                          resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)))
    assert done.returncode == 2 and "File too large" in done.stderr and "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == left


# A place where nothing can be written.

@pytest.mark.parametrize("words", [f"{QUICK} {{}}/out", "federate client federateddeepwalk PART --alone --save {}/z.npy",
                                   "federate server federateddeepwalk --port 0 --save {}/out"])
def test_a_place_is_tried_before_the_work(words, part, tmp_path, monkeypatch, capsys):
    def refused(*arguments, **how):
        raise PermissionError(errno.EACCES, "Permission denied")
    for name in ("RUNNERS", "introduce"):
        monkeypatch.setattr(run, name, None)  # nothing of the work
    monkeypatch.setattr(federate, "alone", None), monkeypatch.setattr(federate, "serve", None)
    monkeypatch.setattr(run, "RUNNERS", dict.fromkeys([torch.nn.Module], None) | {object: None.__class__})
    monkeypatch.setattr(writing, "fill", refused)
    command = words.replace("{}", str(tmp_path)).replace("PART", str(part)).split()
    assert main(command) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert re.fullmatch("privgraph: --save must be a place where files can be written, got '.*': Permission denied", err)


# Whoever reads has had enough.

@pytest.mark.skipif(os.name == "nt", reason="a shell")
@pytest.mark.parametrize("reader", ["| head -1", "2>&1 | head -1", "2>&1 | true", ">&- 2>&-"])
def test_what_is_to_be_saved_is_saved_though_nobody_reads(reader, tmp_path):
    line = " ".join([*MAIN, QUICK, "out", reader])
    subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, check=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.owner.json"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["model.pt", "release.pt"]
    json.loads((tmp_path / "out.owner.json").read_text())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
@pytest.mark.parametrize("words, status, said", [
    ("data > /dev/full", 2, "privgraph: [Errno 28] No space left on device\n"), ("data >&-", 0, ""),
    ("run --help | true", 0, ""), ("--help > /dev/full", 2, None)])
def test_lines_that_cannot_be_written_are_no_traceback(words, status, said):
    line = "set -o pipefail; " + " ".join([*MAIN, words])
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == status and "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
    assert said is None or done.stderr == said


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
    assert err.startswith(f"privgraph: this is our fault, and not yours: {type(error).__name__}") and err.count("\n") == 1
    assert "PRIVGRAPH_TRACEBACK=1" in err
    monkeypatch.setenv("PRIVGRAPH_TRACEBACK", "1")
    assert main(["check", "mine.npz"]) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_error_of_another_library_is_our_fault_too(monkeypatch, capsys):
    """We should have checked what it was given."""
    monkeypatch.setattr(datasets, "check_file", lambda *arguments: np.linalg.cholesky(np.zeros(3)))
    assert main(["check", "mine.npz"]) == 70
    monkeypatch.setattr(datasets, "check_file", lambda *arguments: json.loads("{"))
    assert main(["check", "mine.npz"]) == 70
    assert "our fault, and not yours: JSONDecodeError: Expecting property name" in capsys.readouterr().err


@pytest.mark.parametrize("error, said", [
    (ValueError("epsilon must be"), "epsilon must be"), (OSError(28, "No space left"), "[Errno 28] No space left"),
    (BrokenPipeError(32, "Broken pipe"), "[Errno 32] Broken pipe"), (MemoryError(), "MemoryError"),
    (FloatingPointError("training must end"), "training must end")])
def test_what_is_nobodys_fault_is_a_sentence(error, said, monkeypatch, capsys):
    """A pipe that is not the reader's of our lines, such as a federation's, is no reason to be silent."""
    monkeypatch.setattr(datasets, "check_file", failing(error))
    assert main(["check", "mine.npz"]) == 2
    assert capsys.readouterr().err == f"privgraph: {said}\n"


# Training that ends in NaN.

@pytest.mark.parametrize("words", [
    "run lpgnn --graph karate --learning-rate 1e30", "run gae --graph karate --epochs 3 --learning-rate 1e30",
    "run deepwalk --graph karate --epochs 2 --learning-rate 1e30", "run lpgnn --graph karate --learning-rate 1e38",
    "run pate --graph karate --scale 1 --num-queries 5 --student-learning-rate 1e38 --student-epochs 5 "
    "--teacher-epochs 2"])
def test_nothing_is_saved_of_training_that_went_astray(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(f"{words} --repeats 1 --save out".split()) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert "finite" in err and "privgraph: " in err and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", ["maml --episodes 3", "prototypicalnetwork --episodes 3", "segcl --episodes 3"])
def test_tasks_are_not_tried_with_weights_that_are_not_numbers(words, capsys):
    assert main(f"run {words} --learning-rate 1e30 --repeats 1 --test-tasks 2".split()) == 2
    assert "training must end with finite weights, got" in capsys.readouterr().err
