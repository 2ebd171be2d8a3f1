"""What a run says and leaves: sentences, a page, options in a file, and bars for those alone who see them."""

import json
import logging
import re
import stat
import tomllib
from html.parser import HTMLParser
from itertools import count

import pytest

from privgraph import waiting
from privgraph.cli import main
from privgraph.cli.config import as_toml, words_of
from privgraph.cli.report_page import as_html, as_markdown
from privgraph.cli.spelling import ExactParser
from privgraph.methods import FewShot, Method, all_methods

QUICK = "run lpgnn --graph karate --epochs 2 --x-steps 1 --y-steps 1 --repeats".split()


def run(*words) -> int:
    return main([*QUICK, *map(str, words)])


def test_a_run_ends_in_sentences_which_json_has_too(capsys):
    assert run(3, "--json") == 0
    out, err = capsys.readouterr()
    line = json.loads(out)
    assert len(line["verdict"]) == 5 and err.splitlines()[-5:] == line["verdict"]
    assert {*line["values"]} == {*line["accuracy"]} and len(line["values"]["plain GCN"]) == 3
    assert err.count("majority class  ") == 1


@pytest.mark.parametrize("kind", [kind for kind in all_methods().values() if not issubclass(kind, FewShot)])
def test_what_holds_is_said_before_anything_runs(kind, monkeypatch, capsys):
    """Of every kind: the first run ends this one."""
    def ran(*arguments, **how):
        raise ValueError("it runs")
    monkeypatch.setattr(Method, "evaluate", ran)
    needed = {"num_queries": "--scale 1 --num-queries 5", "llp_weight": "--group 1"}
    words = next((said for field, said in needed.items() if field in kind.__dataclass_fields__), "")
    assert main(["run", kind.__name__.lower(), "--graph", "karate", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert "it runs" in err and kind.INTRODUCED in out
    assert "epsilon = " in out.partition(kind.INTRODUCED)[2] or kind.OPEN in out


def test_quiet_tells_accuracies_and_what_follows(capsys):
    assert run(3, "--quiet") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert sum(" accuracy " in line for line in lines) == 5 and len(lines) == 10
    assert "training" not in err


@pytest.mark.parametrize("terminal, more, bars", [(False, [], False), (True, [], True), (True, ["--quiet"], False)])
def test_bars_are_for_terminals(terminal, more, bars, monkeypatch, capsys):
    import sys
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert run(1, *more) == 0
    assert ("/2 [" in capsys.readouterr().err) == bars


@pytest.mark.parametrize("memory, told", [(1.26, "; up to 1.3 GB of memory until now"), (None, "")])
@pytest.mark.parametrize("each, lines", [(0.5, []), (1.25, []), (2.0, ["4 s, about 14 s"])])
def test_what_a_long_loop_will_take_is_said_once(each, lines, memory, told, caplog, monkeypatch):
    """After two seconds, and where at least ten are left."""
    clock = count(0.0, each)
    monkeypatch.setattr(waiting, "most_memory", lambda: memory)
    monkeypatch.setattr(waiting, "monotonic", clock.__next__)
    with caplog.at_level(logging.INFO, "privgraph"):
        assert list(waiting.steps(range(9), "tries")) == [*range(9)]
    assert caplog.messages == [f"tries: 2 of 9 took {line} left{told}" for line in lines]


def test_a_loop_in_one_that_has_said_it_is_silent(caplog, monkeypatch):
    """The first of the loops inside speaks, as nobody knows yet how long the one around it takes."""
    clock = count(0.0, 2.0)
    monkeypatch.setattr(waiting, "most_memory", lambda: None), monkeypatch.setattr(waiting, "monotonic", clock.__next__)
    with caplog.at_level(logging.INFO, "privgraph"):
        for _ in waiting.steps(range(3), "runs"):
            list(waiting.steps(range(9), "training"))
    assert [line.split(" took")[0] for line in caplog.messages] == ["training: 2 of 9", "runs: 1 of 3"]
    assert waiting.TOLD == []


@pytest.mark.parametrize("words", ["run lpgnn --repeats 2 --epochs 3",
                                   "run privgnn --repeats 1 --scale 9 --num-queries 4",
                                   "sweep dpsgd --epsilon 4 --repeats 2 --epochs 1 --to {}/out",
                                   "attack posterior-similarity lpgnn --epochs 3"])
def test_every_wait_says_how_long(words, tmp_path, capsys, monkeypatch):
    """Of the loop that takes long, whichever that is."""
    pytest.importorskip("matplotlib", reason="a sweep draws a picture")
    monkeypatch.setattr(waiting, "FIRST", -1.0), monkeypatch.setattr(waiting, "LONG", -1.0)
    assert main([*words.format(tmp_path).split(), "--graph", "karate"]) == 0
    assert re.search(r"^(training|teachers|steps|runs): \d+ of \d+ took", capsys.readouterr().err, re.MULTILINE)


# Options from a file.

def test_a_file_of_options_counts_less_than_what_is_typed(tmp_path, capsys):
    (tmp_path / "mine.toml").write_text("epsilon-x = 1\nepsilon_y = inf\nstandardize = false\njson = true\n"
                                        "quiet = false\n")
    assert run(1, "--config", tmp_path / "mine.toml", "--epsilon-x", "2") == 0
    found = json.loads(capsys.readouterr().out)["hyperparameters"]
    assert (found["epsilon_x"], found["epsilon_y"], found["standardize"]) == (2.0, "inf", False)


@pytest.mark.parametrize("text, words", [("epsilon-x = ", "must name a TOML file"),
                                         ("[model]\nepsilon = 1", "no tables"),
                                         ("volume = 3", "unrecognized arguments: --volume"),
                                         ("epochs = 0", "epochs must be")])
def test_a_file_that_says_something_else_is_refused(text, words, tmp_path, capsys):
    (tmp_path / "mine.toml").write_text(text)
    try:
        status = main(["run", "lpgnn", "--graph", "karate", f"--config={tmp_path / 'mine.toml'}"])
    except SystemExit as end:
        status = end.code
    assert status == 2 and words in capsys.readouterr().err
    assert main(["run", "lpgnn", "--config", str(tmp_path / "none.toml")]) == 2


def test_what_is_saved_has_its_options_beside_it(tmp_path, capsys):
    assert run(1, "--epsilon-x=1.5", "--no-standardize", "--save", tmp_path / "out", "--json") == 0
    first = json.loads(capsys.readouterr().out)["hyperparameters"]
    kept = tmp_path / "out.run.toml"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600 and not (tmp_path / "out/run.toml").exists()
    assert tomllib.loads(kept.read_text())["epsilon-x"] == "1.5" and "save" not in tomllib.loads(kept.read_text())
    assert main(["run", "lpgnn", "--config", str(kept)]) == 0
    assert json.loads(capsys.readouterr().out)["hyperparameters"] == first
    assert run(1, "--save", tmp_path / "out") == 2  # all of it is there already


def test_every_word_comes_back(tmp_path):
    words = ["--feature-range", "-1", "1", "--graph=a b.npz", "--no-standardize", "--json"]
    (tmp_path / "one.toml").write_text(as_toml(words))
    assert words_of(tmp_path / "one.toml", ExactParser()) == words


# A page.

class Page(HTMLParser):
    """The tags, their attributes and the text of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def test_the_owners_page_holds_all_and_says_whose_it_is(tmp_path, capsys):
    assert run(3, "--report", tmp_path / "run.html") == 0
    page = tmp_path / "run.html"
    found, told = Page(page.read_text()), capsys.readouterr().out
    assert "For the owner of the data only." in found.text and stat.S_IMODE(page.stat().st_mode) == 0o600
    assert all(line in found.text for line in told.splitlines()[-5:])
    assert "privgraph run lpgnn --graph karate" in found.text and "edges" in found.text and "torch" in found.text
    assert found.attributes <= {"lang", "charset"} and not found.tags & {"script", "img", "link", "iframe"}


@pytest.mark.parametrize("kind", ["html", "md"])
def test_a_page_that_may_be_passed_on_holds_nothing_of_private_data(kind, tmp_path):
    assert run(3, "--report", tmp_path / f"run.{kind}", "--publishable") == 0
    text = (tmp_path / f"run.{kind}").read_text()
    plain = Page(text).text if kind == "html" else text.replace("\\", "")
    assert "May be passed on." in plain and "epsilon is 6" in plain
    assert not re.search(r"\b78\b|karate|more right|fewer right|plain GCN|Command", plain)


def test_the_owners_page_has_every_accountant_and_an_attack(tmp_path, capsys):
    page, words = tmp_path / "run.html", ["run", "gap", "--graph", "karate", "--epochs", "2", "--repeats", "1"]
    assert main([*words, "--report", str(page), "--attack", "posterior-similarity", "--json"]) == 0
    out, err = capsys.readouterr()
    found, told = Page(page.read_text()).text, json.loads(out)
    epsilon = {name: value for unit, _, name, value in told["accountants"] if unit == "undirected edge"}
    assert {"RDP, improved", "PLD, pessimistic", "exact"} <= epsilon.keys()
    assert told["guarantees"][0]["epsilon"] <= float(epsilon["PLD, pessimistic"]) < float(epsilon["RDP, improved"])
    assert all(f"undirected edgeadd/remove{name}{value}" in found for name, value in epsilon.items())
    assert {"posterior-similarity", "who knows nothing"} <= told["attackers"].keys()
    assert all(line in found.replace("posterior-similarity", f"{'posterior-similarity':24} ")
               for line in err.splitlines() if line.startswith("posterior-similarity"))
    words += ["--report", str(page), "--publishable", "--attack", "posterior-similarity"]
    assert main(words) == 2 and "run.html, which is there already; --replace writes" in capsys.readouterr().err
    assert main([*words, "--replace"]) == 0
    found = Page(page.read_text()).text
    assert "AUC" not in found and "RDP, improved" in found


def test_a_page_without_them_says_so(tmp_path):
    assert run(1, "--report", tmp_path / "run.html") == 0
    found = Page((tmp_path / "run.html").read_text()).text
    assert "None was tried; --attack tries one" in found and "None but the sum is asked" in found


def test_an_attack_that_a_method_gives_nothing_to_is_refused_before_anything_runs(capsys, monkeypatch):
    monkeypatch.setattr(Method, "evaluate", lambda *_, **__: pytest.fail("it ran"))
    assert main(["run", "gap", "--graph", "karate", "--attack", "linkteller"]) == 2
    assert "linkteller needs model" in capsys.readouterr().err


def test_whatever_a_graph_is_called_is_text():
    bad = "<script>alert(1)</script> | [x](http://y) `z` & <img src=x>"
    page = Page(as_html(bad, bad, [(bad, [bad]), (bad, [(bad,), (bad,)])]))
    assert page.tags == set("html head meta title style body h1 h2 p strong table tr th td".split())
    assert page.text.count("<script>") == 8
    found = as_markdown(bad, bad, [(bad, [bad]), (bad, [(bad,), (bad,)])])
    assert not re.search(r"(?<!\\)[<`\[]", found)


@pytest.mark.parametrize("words, said", [("--report run.pdf", "ends on .html or .md"), ("--publishable", "got none"),
                                         ("--report /nowhere/at/all/run.md", "--report")])
def test_what_cannot_be_written_is_refused_before_anything_runs(words, said, capsys, monkeypatch):
    monkeypatch.setattr(Method, "evaluate", lambda *arguments, **how: pytest.fail("it ran"))
    assert run(1, *words.split()) == 2 and said in capsys.readouterr().err
