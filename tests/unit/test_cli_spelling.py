"""Options are read as they are spelt, and no two of one command are taken for each other."""

import argparse
import ast
from itertools import combinations
from pathlib import Path

import pytest

from privgraph.cli import main, parser
from privgraph.cli.spelling import RENAMED, ExactParser

ROOT = Path(__file__).parents[2]


def every_parser(top: argparse.ArgumentParser, path: str = "privgraph"):
    """A parser and those of all its subcommands, by the words that lead to them."""
    yield path, top.filled()
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, own in action.choices.items():
                yield from every_parser(own, f"{path} {name}")


PARSERS = dict(every_parser(parser()))


def names(own: argparse.ArgumentParser) -> list[str]:
    return [name for action in own._actions for name in action.option_strings if name.startswith("--")]


def letters_apart(one: str, other: str) -> int:
    """How many letters must be put in, taken out or exchanged (Levenshtein)."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b)))
    return row[-1]


def too_close(one: str, other: str) -> bool:
    """A letter apart. A letter that is a word by itself is a symbol of a paper, as x and y are, and not a slip."""
    words = [(a, b) for a, b in zip(one[2:].split("-"), other[2:].split("-"), strict=False) if a != b]
    symbols = one.count("-") == other.count("-") and all(len(a) == len(b) == 1 for a, b in words)
    return letters_apart(one, other) == 1 and not symbols


def close_pairs(own: argparse.ArgumentParser) -> list[tuple[str, str]]:
    return [pair for pair in combinations(names(own), 2) if too_close(*pair)]


def test_every_parser_is_exact():
    assert len(PARSERS) > 50
    assert not [path for path, own in PARSERS.items() if own.allow_abbrev or not isinstance(own, ExactParser)]


def test_a_subcommand_cannot_ask_for_abbreviations():
    top = ExactParser()
    own = top.add_subparsers().add_parser("new", allow_abbrev=True)
    assert isinstance(own, ExactParser) and not own.allow_abbrev


def test_no_two_options_are_a_letter_apart():
    assert not {path: found for path, own in PARSERS.items() if (found := close_pairs(own))}


@pytest.mark.parametrize("other", ["--seeds", "--sed", "--seep"])
def test_a_slip_would_be_found(other):
    twin = ExactParser()
    twin.add_argument("--seed"), twin.add_argument(other)
    assert close_pairs(twin) == [("--seed", other)]


@pytest.mark.parametrize("one, other, close", [
    ("--p", "--q", False), ("--epsilon-x", "--epsilon-y", False), ("--x-steps", "--y-steps", False),
    ("--eta", "--beta", True), ("--feature-range", "--feature-ranges", True), ("--a-b", "--ab", True)])
def test_symbols_are_words_of_one_letter(one, other, close):
    assert too_close(one, other) == close


@pytest.mark.parametrize("path", PARSERS)
def test_no_beginning_of_an_option_is_taken_for_it(path):
    own = PARSERS[path]
    for action in own._actions:
        for name in action.option_strings:
            if len(name) > 4 and name[:-1] not in names(own):
                assert own._parse_optional(name[:-1])[0] is None


@pytest.mark.parametrize("line", [
    "run lpgnn --graph karate --see 2", "run lpgnn --graph karate --seeds 2", "run lpgnn --graph karate --seeds=2",
    "run lpgnn --graph karate --repeat 2", "attack linkteller lpgnn --graph karate --seeds 2",
    "check mine.npz --feature-ranges f.csv", "budget laplace:epsilon=1 --delt 1e-3",
    "run segcl --eta 0.5", "federate split --to out --split 3"])
def test_what_is_not_spelt_out_is_refused(line, capsys):
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert end.value.code == 2 and "unrecognized arguments: --" in capsys.readouterr().err


@pytest.mark.parametrize("old", RENAMED)
def test_a_former_name_is_answered_with_the_name_of_today(old, capsys):
    with pytest.raises(SystemExit):
        main(["run", "segcl", f"{old}=2"])
    assert f"{old} is not an option: --" in capsys.readouterr().err
    now = RENAMED[old].partition(" ")[0]
    assert any(now in names(own) for own in PARSERS.values()) and not any(old in names(own) for own in PARSERS.values())


def test_parsers_of_tools_are_exact():
    """They are no part of the library, which takes seconds to import, so each says it by itself."""
    made = [call for path in (ROOT / "tools").glob("*.py") for call in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "argparse.ArgumentParser"]
    assert made and all("allow_abbrev=False" in ast.unparse(call) for call in made)
    others = [path for path in (ROOT / "lib").rglob("*.py") if "argparse.ArgumentParser(" in path.read_text("utf-8")]
    assert others == []
