import pytest
import torch
from matplotlib import pyplot as plt

from privgraph import datasets, show
from privgraph.nn import Interval


def test_tables_are_markdown():
    text = show.table([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]).data
    assert text == "| a | b |\n| --- | ---: |\n| 1 | x |\n| 2 | y |"
    with pytest.raises(ValueError, match="at least one row"):
        show.table([])


def test_a_bar_in_a_cell_starts_no_new_one():
    header, _, row = show.table([{"|Q|": "a | b", "n": 2}]).data.splitlines()
    assert header == r"| \|Q\| | n |" and row == r"| a \| b | 2 |"


def test_banner_says_which_graph():
    assert "twin" in show.banner(datasets.load("cora-twin")).data
    assert "ran on karate" in show.banner(datasets.load("karate")).data


def test_card_table_of_known_and_unknown_graphs():
    assert "Zachary" in show.card_table(datasets.load("karate")).data
    mine = datasets.from_edge_list([[0, 1], [1, 0]], torch.eye(2), [0, 1], num_classes=2)
    assert "my-graph" in show.card_table(mine).data and "accounted" not in show.card_table(mine).data
    assert "| not accounted for | the edges: built from" in show.card_table(datasets.load("digits")).data


def test_cells_of_missing_runs_say_so():
    text = show.table([{"a": None, "b": Interval(81.04, 0.56, 3)}]).data
    assert text.endswith("| not run | 81.0 ± 0.6 |")


def test_drawing_leaves_a_node_for_each_position():
    show.use_style()
    figure, axes = plt.subplots()
    show.draw_graph(axes, show.TOY_EDGES, show.TOY_POSITIONS)
    assert sorted(t.get_text() for t in axes.texts) == list("01234")
    show.band(axes, [0, 1], [Interval(1, 0.5, 3), None], "line")
    plt.close(figure)
