import json

import pytest
import torch

from privgraph.attacks import BELIEFS, confidence, likelihood_ratio
from privgraph.attacks.catalogue import all_attacks
from privgraph.cli import main
from privgraph.cli.attacking import KnownOfManyRuns, Questions, Trial, needs, other_pairs
from privgraph.datasets import load
from privgraph.methods import LPGNN, Embedding, Local, all_methods
from privgraph.methods.evaluation import run
from privgraph.randomness import seeded

OWN = {"rgnn": "--group 1 --clusters 3 --sampled 3"}
SHADOW = {f"link-stealing-{number}" for number in (1, 4, 5, 7)}  # of another data set
EVIDENCE = {"sum-of-evidence"}  # of several attackers
VECTORS = {"boosted-links", "closeness", "inner-product", "mlp-links", "shadow-links"}  # these publish no vectors
# What clients of a federation send, in one round or in several.
UPLOADS = {"alike-another", "alike-here", "alike-the-answer", "unlike-the-others", "unusual-length", "bridge",
           "edgeless", "neighbours-class", "recovered-similarity", "upload-similarity"}
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


@pytest.mark.parametrize("attack", sorted(all_attacks().keys() - SHADOW - EVIDENCE - VECTORS - UPLOADS
                                          - PROTOTYPES))
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


@pytest.mark.parametrize("attack", [*sorted(VECTORS), "adamic-adar", "degree-product", "link-stealing-3",
                                    "posterior-similarity"])
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


def test_all_pairs_among_some_nodes_are_asked_about(capsys):
    """As many as 12 nodes have; beside each attacker stands what it finds at five assumed densities."""
    found = attacked("posterior-similarity", "lpgnn", capsys, "--among", "12", "--least-degree", "3")
    assert {found[name]["n"] for name in found if "," not in name} == {66}
    for name in ("posterior-similarity", "who knows nothing", "who sees reports only"):
        beliefs = [found[f"{name}, {belief:g} times"] for belief in BELIEFS]
        assert [each["belief"] for each in beliefs] == list(BELIEFS)
        for few, more in zip(beliefs, beliefs[1:], strict=False):
            assert few["accused"] < more["accused"] and few["recall"] <= more["recall"]
        assert all(0 <= each["precision"] <= 1 and 0 <= each["f1"] <= 1 for each in beliefs)


@pytest.mark.parametrize("words, message", [
    ("--among 12 --pairs 9", "--pairs must be left out, as --among asks about all pairs of some nodes, got 9"),
    ("--among 12 --non-edges uniform", "--non-edges must be left out, as --among asks"),
    ("--least-degree 3", "--least-degree must come with --among, as it says which nodes these are, got 3"),
    ("--among 40", "--among must be at most 34, the number of nodes with a degree in 0..34, got 40"),
    ("--among 5 --least-degree 4 --most-degree 3", "--most-degree must be a whole number, at least 4, got 3"),
    ("--among 1", "--among must be a whole number, at least 2, got 1")])
def test_questions_that_do_not_go_together_are_refused(words, message, capsys):
    assert main(["attack", "posterior-similarity", "lpgnn", "--graph", "karate", "--epochs", "2", *words.split()]) == 2
    assert message in capsys.readouterr().err


def test_nodes_are_not_asked_about_in_pairs(capsys):
    assert main("attack confidence lpgnn --graph karate --among 5".split()) == 2
    assert "--among must be left out, as confidence asks about nodes, got 5" in capsys.readouterr().err


def test_what_a_part_of_the_graph_tells_is_not_asked_about():
    """As many links as others, their answers right, and none of the pairs in question among them."""
    data = load("karate")
    links = {tuple(sorted(pair)) for pair in data.edge_index.t().tolist()}
    for seed in range(5):
        asked = Questions().asked(data, seed, left=2)
        part = other_pairs(data, asked.pairs, seeded(seed))
        told, questions = ([tuple(sorted(pair)) for pair in pairs.t().tolist()] for pairs in (part.pairs, asked.pairs))
        assert len(questions) == 78 and len(set(told)) == len(told) >= 60 and not set(told) & set(questions)
        assert part.linked.tolist() == [pair in links for pair in told] and 2 * int(part.linked.sum()) == len(told)
    with pytest.raises(ValueError, match="pairs must leave 10 pairs from which is learnt, .* got 0"):
        other_pairs(data, Questions().asked(data, 0).pairs, seeded(0))


def test_many_shadow_models_are_runs_with_splits_of_their_own():
    """Their members are those of their training masks; asked about are nodes that some had and some had not."""
    data, method = load("karate"), LPGNN(epochs=2, x_steps=2)
    runs = {seed: run(method, data, seed) for seed in range(4)}
    known = KnownOfManyRuns(runs[0], None, runs.__getitem__, False, seeded(0), count=3)
    masks = torch.stack([runs[seed].data.train_mask for seed in (1, 2, 3)])
    base = runs[0].data.train_mask | runs[0].data.test_mask
    nodes = [node for node in range(34) if base[node] and 0 < int(masks[:, node].sum()) < 3]
    assert known.nodes.nonzero()[:, 0].tolist() == nodes and torch.equal(known.member, masks[:, nodes])
    assert torch.equal(known.truth, runs[0].data.train_mask[nodes])
    for number, said in ((0, known.target), *((seed, known.shadows[seed - 1]) for seed in (1, 2, 3))):
        assert torch.equal(said, confidence(runs[number].fitted.predict_proba()[nodes], data.y[nodes]))
    assert likelihood_ratio(known.target, known.shadows, known.member).shape == (len(nodes),)


@pytest.mark.parametrize("name, said, runs", [("likelihood-ratio", None, 9), ("offline-likelihood", 3, 4),
                                              ("shadow-attack", None, 2), ("confidence", None, 1),
                                              ("linkteller", None, 1)])
def test_how_often_the_method_is_run(name, said, runs):
    assert Trial(name, LPGNN(), said).runs == runs


def test_shadow_models_are_said_where_they_are_needed(capsys):
    found = attacked("likelihood-ratio", "lpgnn", capsys, "--shadows", "4")
    assert 0 < found["likelihood-ratio"]["n"] < 34
    line = "attack {} lpgnn --graph karate --epochs 2 --shadows {}"
    for name, count, message in (("linkteller", 4, "--shadows must be left out, as linkteller does not need many"),
                                 ("likelihood-ratio", 1, "--shadows must be a whole number, at least 2, got 1")):
        assert main(line.format(name, count).split()) == 2
        assert message in capsys.readouterr().err


def test_what_no_run_gives_is_named(capsys):
    for name in VECTORS:
        with pytest.raises(ValueError, match="needs z"):
            needs(all_attacks()[name])
    for name in SHADOW | EVIDENCE:
        with pytest.raises(ValueError, match="needs (shadow_posteriors|scores).*in Python it is privgraph.attacks"):
            needs(all_attacks()[name])
    for name in UPLOADS | PROTOTYPES:
        with pytest.raises(ValueError, match="needs (uploads|answer|published)"):
            needs(all_attacks()[name])
    assert main("attack link-stealing-1 lpgnn --graph karate".split()) == 2
    assert "link-stealing-1 needs shadow_posteriors" in capsys.readouterr().err
