"""privgraph advise: five sentences, from sizes that are stated, by the table inside the library."""

import numpy as np
import pytest
import scipy.sparse as sp

from privgraph.cli import main
from privgraph.cli.advise import CLEARLY, Measured, advice, best_at, measured, nearest, sizes_of, spent, verdict

SIZES = "--nodes 5000 --classes 7 --degree 4".split()


def row(**changes):
    return Measured(**{"unit": "edge", "graph": "a", "nodes": 100, "degree": 4.0, "classes": 3, "method": "gap",
                       "epsilon": 1.0, "accuracy": 80.0} | changes)


@pytest.mark.parametrize("unit", ["edge", "record", "node"])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "100"])
def test_it_answers_in_five_sentences(unit, epsilon, capsys):
    assert main(["advise", "--unit", unit, *SIZES, "--epsilon", epsilon]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 5 and all(line.endswith(".") for line in told[:4])
    assert told[0].startswith("Protected is") and f"epsilon of {epsilon};" in told[0] and told[4].startswith("Try")


@pytest.mark.parametrize("words, told", [
    ("--features 30", "reveal 8.29 about the classes, against 30 features: features can help"),
    ("--features 1433 --difference 0.03", "against 1433 features: features will hardly help, so send labels only.")])
def test_features_are_worth_sending_or_not(words, told, capsys):
    assert main(["advise", "--unit", "record", *SIZES, "--epsilon", "4", *words.split()]) == 0
    assert told in capsys.readouterr().out.splitlines()[1]


@pytest.mark.parametrize("words, told", [
    ("edge --features 3", "--features are what a record has; with --unit edge leave them out"),
    ("record --features 0", "features must be a whole number, at least 1, got 0"),
    ("record --features 3 --difference 2", "--difference must lie in [0, 1], got 2.0")])
def test_features_that_make_no_sense_are_refused(words, told, capsys):
    assert main(["advise", *SIZES, "--epsilon", "4", "--unit", *words.split()]) == 2
    assert told in capsys.readouterr().err


def test_what_is_named_can_be_typed(tmp_path, capsys):
    """Each method of the table is a command that parses, and its first words are a method of the library."""
    for words in {row.method for row in measured() if row.epsilon}:
        with pytest.raises(SystemExit) as ended:
            main(["run", *spent(words, 2.0).split(), "--help"])
        assert ended.value.code == 0, words


def test_each_graph_has_a_reference_and_each_unit_a_graph():
    units = {row.unit for row in measured()}
    assert units == {"edge", "record", "node"}
    for unit, graph in {(row.unit, row.graph) for row in measured()}:
        rows = [row for row in measured() if (row.unit, row.graph) == (unit, graph)]
        assert any(not row.epsilon for row in rows) and len({row.epsilon for row in rows}) == 7
        assert all(0 < row.accuracy < 100 for row in rows)


def test_the_nearest_graph_is_that_of_as_many_neighbours(monkeypatch):
    rows = (row(), row(graph="b", degree=90.0), row(graph="b", degree=90.0, epsilon=2.0))
    monkeypatch.setattr("privgraph.cli.advise.measured", lambda: rows)
    assert [found.graph for found in nearest("edge", 10**6, 5.0)] == ["a"]
    assert [found.graph for found in nearest("edge", 100, 50.0)] == ["b", "b"]
    assert nearest("edge", 100, 0.0)[0].graph == "a"


def test_where_edges_are_no_part_of_the_noise_people_count_as_well(monkeypatch):
    rows = (row(unit="node", nodes=100), row(unit="node", graph="b", nodes=10**6, degree=8.0))
    monkeypatch.setattr("privgraph.cli.advise.measured", lambda: rows)
    assert nearest("node", 10**6, 5.0)[0].graph == "b" and nearest("node", 90, 5.0)[0].graph == "a"


def test_what_was_measured_at_the_next_smaller_epsilon_counts():
    rows = [row(epsilon=0.0, accuracy=99.0), row(), row(method="votes", accuracy=81.0), row(epsilon=4.0, accuracy=90.0)]
    assert best_at(rows, 3.9).method == "votes" and best_at(rows, 4.0).accuracy == 90
    assert best_at(rows, 0.5) is None


@pytest.mark.parametrize("better, spent", [(CLEARLY + 0.1, True), (CLEARLY - 0.1, False), (-5.0, False)])
def test_a_budget_is_spent_for_a_clear_gain_only(better, spent):
    free = row(epsilon=0.0, accuracy=70.0, method="a perceptron")
    said, typed = verdict(row(accuracy=70 + better), free, 1.0, "mine.npz")
    assert ("do not spend" in said) != spent and ("run gap --epsilon 1 --graph mine.npz" in typed) == spent
    assert spent or "--backbone mlp --epsilon-x inf --epsilon-y inf" in typed


@pytest.mark.parametrize("best", [None, row(unit="node", accuracy=20.0)])
def test_nothing_that_hides_nothing_is_named_where_records_are_secret(best):
    """A perceptron of open features and labels costs nothing where edges alone are secret, and there only."""
    said, typed = verdict(best, row(unit="node", epsilon=0.0, accuracy=29.0, method="the largest class"), 0.1, "a.npz")
    assert "privgraph" not in typed and "29.0% for nothing" in said


def test_both_are_equal_at_four_over_the_number_of_neighbours():
    assert "both are equal at epsilon 0.2." in advice("edge", 1.0, 100, 20.0, 3)[1]
    assert "its noise by 8:" in advice("edge", 0.5, 100, 4.0, 3)[1] and "inf" in advice("edge", 0.5, 100, 0.0, 3)[1]


def test_a_known_graph_is_known_by_its_card():
    nodes, degree, classes = sizes_of("cora", None)
    assert (nodes, classes) == (2708, 7) and degree == pytest.approx(2 * 5278 / 2708)


def test_a_file_is_read_and_that_is_said(tmp_path, capsys):
    """Each edge once, whichever way and however often it stands there."""
    np.savez(tmp_path / "mine.npz", edge_index=[[0, 1, 1, 0], [1, 0, 2, 1]], x=np.eye(4), y=[0, 1, 0, 1])
    path = str(tmp_path / "mine.npz")
    assert main(["advise", "--unit", "edge", "--epsilon", "1", "--graph", path, "--classes", "2"]) == 0
    out, told = capsys.readouterr()
    assert "no epsilon accounts for that" in told and "at most 1 on average" in out and f"--graph {path}" in out


@pytest.mark.parametrize("words, told", [
    (["--epsilon", "1", "--nodes", "50"], "say --degree, --classes, or --graph to have them read"),
    (["--epsilon", "1", "--graph", "cora", "--nodes", "5"], "say either --nodes or --graph, got both"),
    (["--epsilon", "1", "--graph", "nowhere"], "--graph must be an .npz file, or one of"),
    (["--epsilon", "-1", *SIZES], "epsilon must be"),
    (["--epsilon", "inf", *SIZES], "epsilon must be"),
    (["--epsilon", "1", *SIZES[:4], "--degree", "-2"], "degree must"),
    (["--epsilon", "1", "--nodes", "1", *SIZES[2:]], "nodes must be"),
    (["--epsilon", "1", *SIZES[:2], "--classes", "1", *SIZES[4:]], "classes must be")])
def test_what_is_missing_or_wrong_is_said(words, told, capsys):
    assert main(["advise", "--unit", "edge", *words]) == 2
    assert told in capsys.readouterr().err


def test_classes_of_a_file_are_not_read_off_its_labels(tmp_path, capsys):
    np.savez(tmp_path / "mine.npz", edge_index=[[0], [1]], x=np.eye(2), y=[0, 1])
    assert main(["advise", "--unit", "edge", "--epsilon", "1", "--graph", str(tmp_path / "mine.npz")]) == 2
    assert "say with --classes how many classes" in capsys.readouterr().err


def test_what_sends_features_too_is_told_how_a_budget_was_shared_out(capsys):
    """The best for records at 1 puts nearly all on the label, and that is typed."""
    assert main(["advise", "--unit", "record", "--graph", "cora", "--epsilon", "1"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert "lpgnn was best there" in told[3] and "--epsilon-x 0.001 --epsilon-y 0.999" in told[4]


def test_the_budget_of_what_is_typed_is_the_one_that_was_asked_for():
    """Shares of an epsilon add up to it, and a delta is that of the ledger."""
    for words in {row.method for row in measured() if "epsilon" in row.method}:
        shares = [float(word.removesuffix("*epsilon")) for word in words.split() if word.endswith("*epsilon")]
        assert sum(shares) == pytest.approx(1, abs=1e-12)
    assert all("--delta 1e-07" in row.method for row in measured() if "gap" in row.method and row.epsilon)


@pytest.mark.parametrize("fields, nodes", [({"x": sp.csr_matrix(np.eye(5))}, 5), ({}, 4)])
def test_a_file_without_labels_is_read_and_loops_are_no_edges(fields, nodes, tmp_path):
    matrix = fields.get("x")
    parts = {} if matrix is None else {f"x_{name}": getattr(matrix, name) for name in ("data", "indices", "indptr")}
    parts |= {} if matrix is None else {"x_shape": matrix.shape}
    np.savez(tmp_path / "mine.npz", edge_index=[[0, 1, 2, 3], [1, 0, 2, 1]], **parts)
    assert sizes_of(str(tmp_path / "mine.npz"), 2) == (nodes, 4 / nodes, 2)
