"""A curator's methods from the command line: run with controls, saved, and asked."""

import json

import pytest

from privgraph.cli import main
from privgraph.methods import Curated, CuratedRelease, all_methods

KINDS = all_methods()
NAMES = [name for name, kind in all_methods().items() if issubclass(kind, Curated)]


def test_there_are_some():
    assert {"gap", "progap", "dpsgd", "onehopgcn", "nodegap"} <= set(NAMES)


def quick(name: str) -> list[str]:
    """What keeps a run short, and the promise that karate keeps."""
    usual = {"bound": "17", "epochs": "2"}
    return [word for option, value in usual.items() if option in KINDS[name].__dataclass_fields__
            for word in (f"--{option}", value)]


@pytest.mark.parametrize("name", NAMES)
def test_each_runs_beside_its_controls_and_what_is_saved_is_secret_and_can_be_asked(name, tmp_path, capsys):
    place = tmp_path / "out"
    assert main(["run", name, "--graph", "karate", "--repeats", "1", "--epsilon", "3", "--json", "--save", str(place),
                 *quick(name)]) == 0
    out, err = capsys.readouterr()
    line = json.loads(out)
    held, *open_to_all = line["guarantees"]
    assert held["unit"] in ("undirected edge", "node", "features and label") and 2.9 < held["epsilon"] <= 3
    assert all(one["unit"] == "undirected edge" and one["epsilon"] == "inf" for one in open_to_all)
    assert held["delta"] == (1e-5 if "delta" in KINDS[name].__dataclass_fields__ else 0)
    assert err.index("epsilon = ") < err.index("accuracy")
    protected = {"permuted features"} if held["unit"] != "undirected edge" else set()
    inductive = held["unit"] == "node"  # the model reads features of whoever asks
    assert set(line["accuracy"]) == {"real graph", "rewired edges", "majority class", "plain GCN"} | protected
    stated, *_ = CuratedRelease.load(place / "release.pt").guarantees
    assert stated.holds and stated.epsilon == held["epsilon"]
    assert main(["predict", str(place), "karate", "--to", str(tmp_path / "told.csv")]) == (0 if inductive else 2)
    if inductive:
        assert len((tmp_path / "told.csv").read_text().splitlines()) == 35
    else:
        assert main(["predict", str(place), "nothing.npz", "--num-classes", "2"]) == 2
        assert capsys.readouterr().err.count("for the people of its release only, so that GRAPH must be left out") == 2
        assert main(["predict", str(place / "release.pt")]) == 2
        assert f"with a release of a curator; the model is {place / 'model.pt'}" in capsys.readouterr().err
        assert main(["predict", str(place), "--to", str(tmp_path / "told.csv")]) == 0


def test_a_promise_that_a_graph_does_not_keep_is_an_answer(capsys):
    assert main("run nodegap --graph karate --repeats 1 --epochs 1".split()) == 2
    assert "--bound must be at least everybody's number of neighbours" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_each_is_attacked_by_what_it_gives_away_beside_who_knows_less(name, capsys):
    words = [name, "--graph", "karate", "--json", *quick(name)]
    for attack, others in (("posterior-similarity", {"who sees features only"}), ("confidence", set())):
        assert main(["attack", attack, *words]) == 0
        found = json.loads(capsys.readouterr().out)["attackers"]
        public = others if "x" in KINDS[name].PUBLIC else set()
        assert set(found) == {attack, "who knows nothing"} | public
    for attack in ("linkteller", "adamic-adar", "degree-product"):
        assert main(["attack", attack, *words]) == 2
        assert f"which {KINDS[name].__name__} does not give away" in capsys.readouterr().err


def test_what_is_computed_of_features_without_noise_leaves_nothing_of_a_node(capsys):
    """Cut points are; of an edge the same still holds."""
    words = ["--graph", "karate", "--repeats", "1", "--epochs", "1", "--bins", "2", "--json"]
    for name, basis in (("dpsgd", "none"), ("gap", "accounted")):
        assert main(["run", name, *words]) == 0
        out, err = capsys.readouterr()
        held, = json.loads(out)["guarantees"]
        assert held["basis"] == basis and ("no guarantee, as not all is accounted for" in err) == (basis == "none")


def test_without_noise_all_is_taken_as_known(capsys):
    assert main("run gap --graph karate --repeats 1 --epochs 1 --epsilon inf --json".split()) == 0
    assert "edge_index" in json.loads(capsys.readouterr().out)["public"]
