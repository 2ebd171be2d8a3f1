"""What ``run --save`` writes: nothing but what leaves, and noise that nobody else can draw."""

import json
import re
import stat
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from privgraph import datasets, randomness
from privgraph.cli import main
from privgraph.mechanisms import MultiBit, RandomisedResponse, exact_noise
from privgraph.methods import DPNE, Embeddings, FewShot, LPGNNRelease, QueryRelease, RGNNRelease, WLKernel
from privgraph.randomness import Secret, seeded
from privgraph.streams import STREAMS, stream

QUICK = ["--graph", "karate", "--repeats", "1"]
RUNS = {
    "lpgnn": ["lpgnn", *QUICK, "--epochs", "2", "--epsilon-x", "1", "--epsilon-y", "0.1"],
    "rgnn": ["rgnn", *QUICK, "--epochs", "2", "--group", "1", "--clusters", "2"],
    "graphprivatizer": ["graphprivatizer", *QUICK, "--epochs", "2", "--structure", "symmetric-response:epsilon=2"],
    "privgnn": ["privgnn", *QUICK, "--scale", "1", "--num-queries", "5", "--teacher-epochs", "2",
                "--student-epochs", "2"],
    "dpne": ["dpne", *QUICK, "--contexts", "drawn", "--window", "1", "--dimension", "2"],
    "gae": ["gae", *QUICK, "--epochs", "2", "--edges", "symmetric-response:epsilon=2"],
    "federateddeepwalk": ["federateddeepwalk", *QUICK, "--dimension", "4", "--rounds", "1", "--first-epochs", "1",
                          "--epochs", "1", "--walks", "1", "--noise", "epsilon=1"],
}


def run(*arguments) -> int:
    return main(["run", *map(str, arguments)])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """A folder in which every kind of method was saved once, on bits of a seed, so that tests repeat."""
    place = tmp_path_factory.mktemp("saved")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(exact_noise, "random_bytes", np.random.default_rng(0).bytes)
        patched.setattr(randomness.secrets, "randbits", lambda count: 5)
        for name, command in RUNS.items():
            if name != "rgnn" or find_spec("pymetis"):
                assert run(*command, "--save", place / name) == 0
    return place


@pytest.fixture(autouse=True)
def clusters(request):
    if "rgnn" in request.node.name:
        pytest.importorskip("pymetis", reason="clusters need the extra partition")


@pytest.mark.parametrize("name, files", [
    *((name, {"release.pt", "model.pt"}) for name in ("lpgnn", "rgnn", "privgnn", "graphprivatizer")),
    ("dpne", {"embeddings.pt"}), ("gae", {"embeddings.pt"}),
    ("federateddeepwalk", {"rounds.json", *(f"round-1-client-{client}.pt" for client in range(4))})])
def test_the_folder_holds_what_leaves_and_the_owner_has_the_rest(saved, name, files):
    assert set(contents(saved / name)) == files
    owners = saved / f"{name}.owner.json"
    assert stat.S_IMODE(owners.stat().st_mode) == 0o600
    said = json.loads(owners.read_text("utf-8"))
    assert said["saved"]["randomness"] == "secret" and said["edges"] == 78 and said["saved"]["accuracy"]
    assert all(g["randomness"] == "secret" for g in said["saved"]["guarantees"])


FILES = {"lpgnn": (LPGNNRelease, "release.pt"), "graphprivatizer": (LPGNNRelease, "release.pt"),
         "rgnn": (RGNNRelease, "release.pt"), "privgnn": (QueryRelease, "release.pt"),
         "dpne": (Embeddings, "embeddings.pt"), "gae": (Embeddings, "embeddings.pt")}


def loaded(saved: Path) -> dict:
    return {name: kind.load(saved / name / file) for name, (kind, file) in FILES.items()
            if (saved / name).is_dir()}


def test_every_file_says_that_its_randomness_is_secret(saved, recwarn):
    for release in loaded(saved).values():
        assert release.randomness == "secret"
        stated = [release.guarantee(1e-5)] if isinstance(release, QueryRelease) else release.guarantees
        assert stated and all(g.randomness == "secret" and g.numerics == "exact" for g in stated)
    assert not [each for each in recwarn if "public seed" in str(each.message)]


def test_messages_are_saved_with_what_holds_for_them(saved, tmp_path):
    said = json.loads((saved / "federateddeepwalk" / "rounds.json").read_text("utf-8"))
    assert said["randomness"] == "secret"
    assert {g["unit"] for g in said["guarantees"]} == {"private part", "private edge"}
    assert run(*RUNS["federateddeepwalk"], "--save", tmp_path / "out", "--seed", 1) == 0
    said = json.loads((tmp_path / "out" / "rounds.json").read_text("utf-8"))
    assert said["randomness"] == "public" and all(g["randomness"] == "public" for g in said["guarantees"])


# Somebody with our source takes the noise off.

def flips(response: RandomisedResponse, people: int, generator: torch.Generator) -> torch.Tensor:
    """What randomised response adds to each answer, as ``Release`` draws it first of all."""
    lie = torch.rand(people, generator=generator) >= response.keep
    return torch.where(lie, torch.randint(1, response.num_classes, (people,), generator=generator), 0)


def insider(release: LPGNNRelease, truth: torch.Tensor, seeds: range) -> tuple[float, float]:
    """The attacker knows half of the true labels, tries every stream with every seed, and keeps what explains most of
    them: the shares of right labels among those that she knew, and among the others."""
    asked, = torch.where(release.y >= 0)
    known, others = asked[::2], asked[1::2]
    best, k = (-1.0, None), release.num_classes
    for offset in sorted(set(STREAMS.values())):
        for seed in seeds:
            added = flips(release.label_mechanism, len(release.y), seeded(1_000_000 * offset + seed))
            found = (release.y - added) % k
            best = max(best, (float((found[known] == truth[known]).double().mean()), found), key=lambda each: each[0])
    return best[0], float((best[1][others] == truth[others]).double().mean())


def test_whoever_tries_all_streams_learns_nothing_about_those_she_does_not_know(saved):
    """26 labels; 13 fair guesses. The best of so many seeds fits what is known; on the others it is as good as any."""
    truth, release = datasets.load("karate").y, LPGNNRelease.load(saved / "lpgnn" / "release.pt")
    fits, learnt = insider(release, truth, range(300))
    assert fits < 1.0 or learnt < 1.0
    assert learnt <= 12 / 13


def test_of_a_public_seed_she_learns_everything(tmp_path, capsys):
    """The mutant: what was saved until now, from the stream of the first run. The screen, the file and load say so."""
    assert run(*RUNS["lpgnn"], "--save", tmp_path / "out", "--seed", 2_000_000) == 0
    said = capsys.readouterr().out
    assert "--seed makes what is saved public" in said and "DOES NOT HOLD" in said
    with pytest.warns(UserWarning, match="was drawn from a public seed"):
        release = LPGNNRelease.load(tmp_path / "out" / "release.pt")
    assert release.randomness == "public" and not release.total.holds and release.total.numerics == "idealised"
    # The seed draws the split first, and then, with what is left of the generator, the noise.
    generator = seeded(2_000_000)
    datasets.split(datasets.load("karate"), generator)
    found = (release.y - flips(release.label_mechanism, len(release.y), generator)) % 2
    asked = release.y >= 0
    assert torch.equal(found[asked], datasets.load("karate").y[asked])


def test_features_of_a_public_seed_come_off_too_and_of_a_secret_one_they_do_not(saved, tmp_path):
    data = datasets.load("karate")
    release = LPGNNRelease.load(saved / "lpgnn" / "release.pt")
    for offset in sorted(set(STREAMS.values())):
        for seed in range(20):
            generator = seeded(1_000_000 * offset + seed)
            flips(release.label_mechanism, 34, generator)
            again = MultiBit(release.epsilon_x, data.x.size(1)).report(data.x, generator=generator)
            assert not torch.equal(again, release.report)


def test_vectors_of_dpne_keep_their_noise(saved):
    """Whoever knows the graph draws the noise of every stream again: none of it brings the vectors near the answers."""
    data, method = datasets.load("karate"), DPNE(contexts="drawn", window=1, dimension=2)
    z = Embeddings.load(saved / "dpne" / "embeddings.pt").z
    for name in STREAMS:
        for seed in range(20):
            assert not torch.allclose(method.embed(data, stream(name, seed)).z, z, atol=1e-3)


@pytest.mark.parametrize("name", RUNS)
def test_two_saves_never_share_noise(saved, tmp_path, name):
    assert run(*RUNS[name], "--save", tmp_path / "again") == 0
    first, second = contents(saved / name), contents(tmp_path / "again")
    noisy = first.keys() - {"rounds.json"}  # which says the same of both
    assert first.keys() == second.keys() and all(first[file] != second[file] for file in noisy)


# Where it is written.

def test_a_folder_is_not_written_twice_unless_told(saved, tmp_path, capsys):
    folder = tmp_path / "out"
    assert run(*RUNS["dpne"], "--save", folder) == 0
    before = contents(folder)
    assert run(*RUNS["dpne"], "--save", folder) == 2
    refusal = "--save must be a new name, got .*out, which is there already; --replace writes in its place, with new"
    assert re.search(refusal, capsys.readouterr().err)
    assert contents(folder) == before
    assert run(*RUNS["dpne"], "--save", folder, "--replace") == 0
    assert contents(folder) != before and set(contents(folder)) == set(before)


@pytest.mark.parametrize("extra, words", [(["--seed", "1"], "--seed is about what --save writes"),
                                          (["--replace"], "--replace is about what --save or --report writes")])
def test_what_is_about_saving_needs_it(extra, words, capsys):
    assert run(*RUNS["lpgnn"], *extra) == 2
    assert words in capsys.readouterr().err


def test_a_few_shot_method_that_keeps_nothing_is_refused_before_anybody_waits(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(WLKernel, "kept", FewShot.kept)
    monkeypatch.setattr(WLKernel, "evaluate", lambda *args, **how: pytest.fail("it ran"))
    assert run("wlkernel", "--repeats", "1", "--test-tasks", "1", "--save", tmp_path / "out") == 2
    assert "--save cannot write wlkernel" in capsys.readouterr().err and not list(tmp_path.iterdir())


def promised(release) -> list:
    """All that a release says of itself."""
    if isinstance(release, QueryRelease):
        return [release.guarantee(1e-5)]
    return [*release.guarantees, *([] if isinstance(release, Embeddings) else [release.total, release.node])]


@pytest.mark.parametrize("name", FILES)
def test_files_of_earlier_versions_are_public(name, tmp_path, saved):
    """A file without a word about randomness was drawn from a seed that everybody knows, whatever is in it."""
    kind, file = FILES[name]
    now = promised(kind.load(saved / name / file))
    fields = torch.load(saved / name / file, weights_only=True)
    assert fields.pop("randomness") == "secret"
    for stated in (fields.get("structure", ()), fields.get("guarantees", ())):
        for guarantee in stated:  # the guarantees that it holds said nothing of it either
            del guarantee["randomness"]
    torch.save(fields, tmp_path / "old.pt")
    with pytest.warns(UserWarning, match="old.pt was drawn from a public seed"):
        release = kind.load(tmp_path / "old.pt")
    assert release.randomness == "public" and any(g.holds for g in now)
    assert [g.randomness for g in promised(release)] == ["public"] * len(now)
    assert not any(g.holds for g in promised(release))
    torch.save(fields | {"randomness": "none"}, tmp_path / "odd.pt")
    where = "" if kind is Embeddings else " in .*odd.pt"  # whose constructor refuses it, and knows of no file
    with pytest.raises(ValueError, match=f"randomness{where} must be one of"):
        kind.load(tmp_path / "odd.pt")


def test_samples_of_privgnn_are_secret_too(monkeypatch):
    """Amplification by sampling rests on nobody knowing the sample."""
    from privgraph.mechanisms.drawing import SecretDrawing
    asked = []
    kept = SecretDrawing.happens
    monkeypatch.setattr(SecretDrawing, "happens", lambda self, *said, **more: (asked.append(said[1]),
                                                                               kept(self, *said, **more))[1])
    from privgraph.methods import PrivGNN
    from privgraph.methods.contract.toys import path_graph
    method = PrivGNN.examples()[0]
    method.collect(path_graph(), path_graph(10), Secret())
    assert asked.count((8,)) == method.num_queries


# What repeated saves spend together.

@pytest.mark.parametrize("name, unit, spent, limit", [
    ("lpgnn", "features and label (replace)", 1.1, 3), ("graphprivatizer", "undirected edge (add/remove)", 2, 5),
    ("privgnn", "node (add/remove)", None, 1e4), ("dpne", "undirected edge (add/remove)", None, 1e4),
    ("federateddeepwalk", "private part (replace)", None, 1e4)])
def test_saves_are_counted_in_the_curators_file(name, unit, spent, limit, tmp_path, capsys):
    words = ["--budget-file", tmp_path / "people.json", "--budget-unit", unit.partition(" (")[0]]
    found = []
    for number in range(2):
        assert run(*RUNS[name], "--save", tmp_path / str(number), *words, "--limit", limit) == 0
        line = capsys.readouterr().out
        told = re.escape(f"{unit} costs epsilon = ")
        count, epsilon = re.search(rf"people.json: (\d) fits?; {told}([\d.e+]+)", line).groups()
        assert int(count) == number + 1
        found.append(float(epsilon))
    assert found[0] < found[1] and (spent is None or found == pytest.approx([spent, 2 * spent]))
    assert run(*RUNS[name], "--save", tmp_path / "more", *words, "--limit", found[0]) == 2
    out, err = capsys.readouterr()
    assert "would pass the limit" in err and "accuracy" not in out and not (tmp_path / "more").exists()
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".json" and path.name != "people.json"
                and b"people" in path.read_bytes()]


@pytest.mark.parametrize("extra, words", [
    (["--budget-file", "f"], "--budget-file is about what --save writes, got no --save"),
    (["--limit", "3"], "--limit is about --budget-file, got none"),
    (["--save", "out", "--budget-unit", "node"], "--budget-unit is about --budget-file, got none"),
    (["--save", "out", "--budget-file", "f", "--seed", "1"], "--budget-file counts secret randomness, got --seed 1"),
    (["--save", "out", "--budget-file", "f", "--limit", "0"], "limit must be a positive number"),
    (["--save", "out", "--budget-file", "no/such/f"], "--budget-file must be a file in a folder that exists")])
def test_what_is_said_of_a_budget_must_fit(extra, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*RUNS["lpgnn"], *extra) == 2
    out, err = capsys.readouterr()
    assert words in err and "accuracy" not in out and not list(tmp_path.iterdir())


def test_what_no_total_will_hold_of_is_said_before_anything_runs(tmp_path, capsys):
    """A file that counts features and labels, and a method that hides edges alone."""
    for name in ("lpgnn", "gae"):
        assert run(*RUNS[name], "--save", tmp_path / name, "--budget-file", tmp_path / "people.json") == 0
        out = capsys.readouterr().out
        said = "people.json: no finite epsilon of features and label (replace) will hold"
        assert (said in out.partition("accuracy")[0]) == (name == "gae")


def test_a_path_through_a_folder_that_is_not_there_keeps_its_files_together(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*RUNS["gae"], "--save", "new/../other") == 0
    assert {path.name for path in tmp_path.iterdir()} == {"other", "other.owner.json", "other.run.toml"}
