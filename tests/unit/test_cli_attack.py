import json

import pytest

from privgraph.attacks.catalogue import all_attacks
from privgraph.cli import main
from privgraph.cli.attacking import needs
from privgraph.methods import Embedding, Local, all_methods

OWN = {"rgnn": "--group 1 --clusters 3 --sampled 3"}
MANY = {"likelihood-ratio"}  # of many shadow models, which no single run has
VECTORS = {"boosted-links", "closeness", "inner-product", "mlp-links", "shadow-links"}  # these publish no vectors
# What clients of a federation send, in one round or in several.
UPLOADS = {"alike-here", "bridge", "edgeless", "neighbours-class", "recovered-similarity", "upload-similarity"}
PROTOTYPES = {"prototype-closeness", "support-membership"}  # of tasks with few examples


def attacked(attack, method, capsys, *more):
    if method == "rgnn":
        pytest.importorskip("pymetis", reason="clusters need the extra partition")
    few = [] if "--x-steps" in more else ["--x-steps", "2"]
    assert main(["attack", attack, method, "--graph", "karate", "--epochs", "2", *few, "--json",
                 *OWN.get(method, "").split(), *more]) == 0
    out, err = capsys.readouterr()
    assert err.index("epsilon = ") < err.index("AUC")
    return json.loads(out)["attackers"]


@pytest.mark.parametrize("attack", sorted(all_attacks().keys() - MANY - VECTORS - UPLOADS - PROTOTYPES))
def test_every_attack_runs_beside_one_who_knows_nothing(attack, capsys):
    found = attacked(attack, "lpgnn", capsys)
    assert {attack, "who knows nothing"} <= set(found)
    for result in found.values():
        assert result["auc_low"] <= result["auc"] <= result["auc_high"]
        assert result["tpr_low"] <= result["tpr_at_1_fpr"] <= result["tpr_high"]
    assert all(found[name]["n"] == found[attack]["n"] for name in found)


@pytest.mark.parametrize("method", [name for name, kind in all_methods().items() if issubclass(kind, Local)])
def test_every_local_method_is_attacked(method, capsys):
    assert attacked("posterior-similarity", method, capsys, "--pairs", "20")["posterior-similarity"]["n"] == 40


def attacked_vectors(attack, method, capsys, *more):
    known = ["--graph", "karate", "--sensitive-degree", "5", "--json"]
    known += ["--epochs", "2"] if "epochs" in all_methods()[method].__dataclass_fields__ else []
    assert main(["attack", attack, method, *known, *more]) == 0
    out, err = capsys.readouterr()
    assert err.index("what holds for it where the randomness is secret") < err.index("AUC")
    return json.loads(out)["attackers"]


@pytest.mark.parametrize("attack", [*sorted(VECTORS), "adamic-adar", "degree-product", "posterior-similarity"])
def test_published_vectors_are_attacked_beside_who_sees_none(attack, capsys):
    found = attacked_vectors(attack, "gae", capsys)
    assert set(found) == {attack, "who sees degrees only", "who sees features only"}
    for reached in found.values():
        assert list(reached) == ["others", "sensitive", "between sensitive users"]
        for answers in reached.values():
            assert 0 <= answers["f1"] <= 1 and answers["result"]["auc_low"] <= answers["result"]["auc"]
    assert found["who sees degrees only"]["sensitive"]["result"]["auc"] > 0.95


@pytest.mark.parametrize("method", [name for name, kind in all_methods().items() if issubclass(kind, Embedding)])
def test_every_embedding_is_attacked(method, capsys):
    assert "inner-product" in attacked_vectors("inner-product", method, capsys)


def test_what_vectors_do_not_give_is_named(capsys):
    assert main("attack linkteller gae --graph karate --sensitive-degree 5".split()) == 2
    assert "linkteller needs model, which published vectors do not give" in capsys.readouterr().err
    assert main("attack inner-product gae --graph karate".split()) == 2
    assert "say with --sensitive-degree" in capsys.readouterr().err


def test_what_reports_say_is_judged_without_the_model(capsys):
    """The reference is not the features that the network reads, which edges have mixed."""
    found = attacked("linkteller", "lpgnn", capsys, "--epsilon-x", "inf", "--x-steps", "4")
    reports = attacked("feature-similarity", "lpgnn", capsys, "--epsilon-x", "inf", "--x-steps", "4")
    assert found["who sees reports only"]["auc"] == reports["feature-similarity"]["auc"]


def test_what_no_run_gives_is_named(capsys):
    with pytest.raises(ValueError, match="likelihood-ratio needs shadows"):
        needs(all_attacks()["likelihood-ratio"])
    for name in VECTORS:
        with pytest.raises(ValueError, match="needs z"):
            needs(all_attacks()[name])
    for name in UPLOADS | PROTOTYPES:
        with pytest.raises(ValueError, match="needs (uploads|answer|published)"):
            needs(all_attacks()[name])
    assert main("attack likelihood-ratio lpgnn --graph karate".split()) == 2
    assert "likelihood-ratio needs shadows" in capsys.readouterr().err
