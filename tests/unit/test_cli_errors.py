"""Errors speak of what was typed: they name an option that exists, a file, or what was perhaps meant."""

import re

import pytest
from torch_geometric.data import Data

from privgraph.cli import command, main, parser, run
from privgraph.cli.options import add_fields
from privgraph.cli.spelling import ExactParser
from privgraph.methods import Distilled, all_methods

ODD = ("-7", "1e30", "banana")


class Constructed(Exception):
    """The method was made: nothing was wrong with the value."""


@pytest.fixture
def stopped(monkeypatch):
    """Commands that end where the method is made."""
    def introduce(*_):
        raise Constructed
    for name in ("introduce", "introduce_set"):
        monkeypatch.setattr(run, name, introduce)
    monkeypatch.setattr(run, "load_graphs", lambda name: None)
    monkeypatch.setattr(run, "graph_of", lambda options: Data(num_nodes=34, num_classes=2))


def options_of(kind) -> list[str]:
    own = ExactParser()
    add_fields(own, kind, needed=False)
    return [action.option_strings[0] for action in own._actions if action.nargs != 0]


TOP = parser(word="run")


@pytest.mark.parametrize("name", all_methods())
def test_what_is_wrong_with_a_parameter_is_said_of_its_option(name, stopped, capsys):
    kind = all_methods()[name]
    needed = ["--scale", "1"] if issubclass(kind, Distilled) else []
    refused = 0
    for option in options_of(kind):
        for value in ODD:
            try:
                command(TOP, ["run", name, *([] if option in needed else needed), option, value], ())
            except Constructed:
                continue
            except (ValueError, SystemExit) as error:  # SystemExit is argparse's
                said = capsys.readouterr().err or str(error)
            assert option in said, (option, value, said)
            refused += 1
    assert refused or not options_of(kind)


def test_a_default_that_nobody_said_is_called_one(capsys):
    assert main(["run", "rgnn", "--graph", "karate", "--group", "1", "--repeats", "1"]) == 2
    assert re.search(r"--clusters must be .* got 64, its default", capsys.readouterr().err)


LINES = {
    "run lpgnn --epsilon 1": "did you mean --epsilon-x, --epsilon-y?",
    "run gap --epoch 3": "did you mean --epochs?",
    "run lpgn": "did you mean lpgnn",
    "run deepwalk --walk-lenght 5": "privgraph run deepwalk: error: unrecognized arguments: --walk-lenght 5",
    "run lpgnn --graph karate --feature-range -1e308 1e308": "for files",
    "run lpgnn --graph karate --group 0": "--group: ",
    "run lpgnn --graph karate --domain-sizes 2x": "must be whole numbers with x between them",
    "run lpgnn --graph karate --domain-sizes axb": "must be whole numbers with x between them",
    "run lpgnn --graph karate --range-file .": "--range-file must name a text file",
    "run lpgnn --graph karate --save ''": "names nothing",
    "run lpgnn --graph= --seed 1": "names nothing",
    "run gap --repeats 0": "--repeats must be a whole number",
    "run gap --repeats -1": "--repeats must be a whole number",
    "run gap --graph . --num-classes 2": "is a folder, and a graph is a file",
    "budget laplace": "laplace needs epsilon, laplace:epsilon=...",
    "budget grr-fs:epsilon=1": "grr-fs needs domain_sizes",
    "budget laplace:epsilon=1,count=0": "count must be a whole number",
    "budget laplace:epsilon=1 --delta 1": "--delta must lie in [0, 1)",
    "calibrate laplace --epsilon -1": "--epsilon must be",
    "predict setup.cfg": "setup.cfg",
    "check .": "is a folder",
}


@pytest.mark.parametrize("line, sentence", LINES.items())
def test_a_wrong_line_is_answered_in_its_own_words(line, sentence, capsys):
    words = [word.strip("'") for word in line.split(" ")]
    try:
        status = main(words)
    except SystemExit as end:
        status = end.code
    told = capsys.readouterr()
    assert status in (1, 2) and sentence in told.err + told.out, told.err
    assert "usage:" not in told.err and "Traceback" not in told.err and len(told.err.splitlines()) < 4


def test_a_parameter_of_two_options_keeps_its_name():
    own = ExactParser()
    own.add_argument("--student-epochs", dest="student.epochs"), own.add_argument("--teacher-epochs",
                                                                                  dest="teacher.epochs")
    both, one = own.parse_args([]), own.parse_args(["--student-epochs", "0"])
    assert own.spelt("epochs must be positive", both) == "epochs must be positive"
    assert own.spelt("epochs must be positive", one) == "--student-epochs must be positive"
    assert own.spelt("this is none of them", one) == "this is none of them"


def test_the_parser_of_a_subcommand_is_found():
    assert parser().asked(["run", "gap", "--epsilon", "run"]).prog == "privgraph run gap"
