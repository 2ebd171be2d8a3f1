"""privgraph run for federations: what leaves, what holds for it, and scores by group beside controls."""

import json
import re

import pytest

from privgraph.cli import main, parser
from privgraph.cli.run import method_of
from privgraph.datasets import load
from privgraph.methods import FederatedDeepWalk
from privgraph.methods.federated import UploadNoise, hold, parts
from privgraph.methods.federated.metrics import GROUPS, fold_of, micro_f1, over_clients
from privgraph.methods.federation import FOLDS
from privgraph.streams import stream

QUICK = dict(dimension=4, rounds=2, walks=2, length=5, window=2, first_epochs=2, epochs=1)
WORDS = [word for name, value in QUICK.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def test_a_federation_runs_beside_its_controls(capsys):
    assert main(["run", "federateddeepwalk", "--graph", "karate", "--clients", "2", "--repeats", "2", *WORDS,
                 "--json"]) == 0
    told, said = capsys.readouterr()
    facts = json.loads(told)
    assert facts["guarantees"] == [] and "no guarantee is given; that data stay at home is none" in said
    assert facts["rounds"] == 2 and facts["messages"] == 4
    names = facts["accuracy"].keys()
    assert {"all", "all, own", "all, noise"} <= names and {name.partition(", ")[0] for name in names} <= set(GROUPS)
    assert all(0 <= found["mean"] <= 100 for found in facts["accuracy"].values())


def test_scores_are_those_of_python():
    held = hold(load("karate"), stream("split", 0), clients=2)
    method = FederatedDeepWalk(**QUICK)
    rounds, found = method.tried(held, 0)
    clients, expected = method.run(held, stream("collect", 0))
    fold = fold_of(34, FOLDS, stream("classifiers", 0))
    assert rounds == expected
    own = {name: value for name, value in found.items() if "," not in name}
    assert own == over_clients([micro_f1(clients[number].embeddings(), part, fold, stream("attacker", 0))
                                for number, part in enumerate(parts(held))])


def test_a_control_is_not_its_own_control():
    held = hold(load("karate"), stream("split", 0), clients=2)
    for answer, controls in (("aligned", {"own", "noise"}), ("own", {"noise"})):
        _, found = FederatedDeepWalk(**QUICK, answer=answer).tried(held, 0)
        assert {name.partition(", ")[2] for name in found} - {""} == controls


@pytest.mark.parametrize("words, message", [
    (["--clients", "9"], "--clients must be at most 4 with private = 0.15 and public = 0.4, got 9"),
    (["--public", "0"], "public must lie in (0, 1], got 0.0"),
    (["--dimension", "30"], "--dimension must be at most 13, the number of public nodes, to be aligned, got 30")])
def test_who_cannot_take_part_is_told_why(words, message, capsys):
    said = dict(zip(WORDS[::2], WORDS[1::2], strict=True)) | dict([words])  # each option once
    words = [word for each in said.items() for word in each]
    assert main(["run", "federateddeepwalk", "--graph", "karate", "--repeats", "1", *words]) == 2
    assert re.search(re.escape(message), capsys.readouterr().err)


def test_noise_on_uploads_is_an_option(capsys):
    asked = method_of(parser().parse_args(["run", "federateddeepwalk", "--noise", "epsilon=4,clip=0.5"]))
    assert asked.noise == UploadNoise(4.0, clip=0.5)
    with pytest.raises(SystemExit):
        parser().parse_args(["run", "federateddeepwalk", "--noise", "epsilon=-1"])
    assert "argument --noise: epsilon must be" in capsys.readouterr().err
