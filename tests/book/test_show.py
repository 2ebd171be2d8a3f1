import json

import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt

import privbook
from privbook import show
from privbook.show.escape import code, inline, plain
from privgraph import datasets
from privgraph.nn import Interval


def test_tables_are_markdown():
    text = show.table([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]).data
    assert text == "| a | b |\n| --- | ---: |\n| 1 | x |\n| 2 | y |"
    with pytest.raises(ValueError, match="rows of a table must be at least one"):
        show.table([])


def test_a_bar_in_a_cell_starts_no_new_one():
    header, _, row = show.table([{"|Q|": "a | b", "n": 2}]).data.splitlines()
    assert header == r"| \|Q\| | n |" and row == r"| a \| b | 2 |"


def test_banner_says_which_graph():
    assert "synthetic Cora" in show.banner(datasets.load("cora-twin")).data
    assert "ran on karate" in show.banner(datasets.load("karate")).data


def test_card_table_of_known_and_unknown_graphs():
    assert "Zachary" in show.card_table(datasets.load("karate")).data
    mine = datasets.from_edge_list([[0, 1], [1, 0]], torch.eye(2), [0, 1], num_classes=2)
    assert "my-graph" in show.card_table(mine).data and "accounted" not in show.card_table(mine).data
    assert "| columns, taken as public | the 64 pixels" in show.card_table(datasets.load("digits")).data
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


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def bars(axes):
    """The ends of each interval that was drawn, as numbers."""
    return [part.tolist() for part in axes.collections[0].get_segments()]


def test_points_have_their_intervals_and_a_single_run_has_none(axes):
    show.points(axes, [0, 1, 2], [Interval(5, 0.5, 3), None, Interval(7, np.inf, 1)], "runs", "orange", marker="s")
    assert axes.lines[0].get_xydata().tolist() == [[0, 5], [2, 7]] and show.points_outside(axes.figure) == []
    assert bars(axes) == [[[0, 4.5], [0, 5.5]], [[2, 7], [2, 7]]]
    assert axes.lines[0].get_color() == show.COLOURS["orange"] and axes.lines[0].get_marker() == "s"
    assert axes.get_legend_handles_labels()[1] == ["runs"]


def test_points_across_with_two_sides_that_differ(axes):
    show.points(axes, [3], [(0.9, 0.7, 0.95)], "AUC", "blue", across=True)
    assert axes.lines[0].get_xydata().tolist() == [[0.9, 3]]
    assert np.allclose(bars(axes), [[[0.7, 3], [0.95, 3]]])


def test_points_where_there_is_no_run_are_none(axes):
    show.points(axes, [1, 2], [None, None], "not run", "blue")
    assert len(axes.lines[0].get_xydata()) == 0
    with pytest.raises(ValueError, match="intervals must be as many as x, 2, got 1"):
        show.points(axes, [1, 2], [None], "one place too many", "blue")


@pytest.mark.parametrize("colour", ("red", None, 3))
def test_points_are_in_a_colour_of_the_book(axes, colour):
    with pytest.raises(ValueError, match="colour"):
        show.points(axes, [1], [None], "runs", colour)


def test_heat_writes_each_number_where_it_belongs(axes):
    show.heat(axes, [[1, 2, 3], [4, 5, 60]], ["low", "high"], "abc")
    assert {text.get_position(): text.get_text() for text in axes.texts} == {
        (0, 0): "1", (1, 0): "2", (2, 0): "3", (0, 1): "4", (1, 1): "5", (2, 1): "60"}
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [*"abc"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["low", "high"]
    assert axes.get_ylim()[0] < axes.get_ylim()[1]   # the first row is the lowest


@pytest.mark.parametrize("colours, low, high", (("cividis", "white", "black"), ("Blues", "black", "white")))
def test_numbers_are_black_on_bright_cells_and_white_on_dark_ones(axes, colours, low, high):
    show.heat(axes, [[0.0, 1.0]], [0], [0, 1], cmap=colours, text="{:.1f}".format)
    assert {text.get_text(): text.get_color() for text in axes.texts} == {"0.0": low, "1.0": high}


def test_the_page_of_a_paper_counts_every_printed_value_once():
    page, comparisons = show.paper_page("rgnn"), privbook.compare_paper("rgnn")
    values = sum(privbook.tally(comparisons).values())
    assert page.counts().startswith(f"{values:,} printed values: ")
    assert sum(int(part.replace(",", "").split()[0]) for part in page.counts().split(": ")[1].split(", ")) == values
    assert f"| **all** | {values} |" in page.tables().data
    assert f"of {len(comparisons)} rows" in page.entries().data and page.entries().data.count('<th data-menu=""') == 6
    missing = [c.printed.values for c in comparisons if c.ours is None]
    assert sum(int(row.split("|")[2]) for row in page.reasons().data.splitlines()[2:]) == sum(missing)


@pytest.mark.parametrize("text, shown", [
    ("<script>f()</script> a < b", "&#60;script>f()&#60;/script> a &#60; b"),
    ("`a<b` and `{{x}}` and `p{q}`", "`a`&#60;`b` and &#123;`{x}}` and `p{q}`"),
    ("$x<y$ costs $5", r"$x\lt y$ costs &#36;5"),
    (r"$\href{javascript:f()}{x}$ $\hrefs$", r"$\mathrm{href}{javascript:f()}{x}$ $\hrefs$"),
    (r"\`<b>\` $a\$ `<b>` b$", r"&#96;&#60;b>&#96; &#36;a&#36; &#60;`b>` b&#36;"),
    ("{raw}`x` {{ 1 + 1 }} ![x](y)", "&#123;raw}`x` &#123;&#123; 1 + 1 }} &#33;[x](y)"),
    ("one\n\n<b>line</b>", "one &#60;b>line&#60;/b>"),
    ("{1, 2} | **bold** [0, 1]", "&#123;1, 2} | **bold** [0, 1]"),
])
def test_only_emphasis_code_and_mathematics_mean_anything(text, shown):
    assert inline(text) == shown == inline(shown)


def test_a_name_means_nothing():
    assert plain("cora-twin (x), 50% v1.2/3+4") == "cora-twin (x), 50% v1.2/3+4"
    assert plain("_a_ *b* `c` $d$ [e](f) <g> {h} \\i |j|\n# k") == (
        "&#95;a&#95; &#42;b&#42; &#96;c&#96; &#36;d&#36; &#91;e&#93;(f) &#60;g&#62; &#123;h&#125; &#92;i &#124;j&#124; "
        "&#35; k")
    assert code("a`<b>`") == "`a'`&#60;`b>'`"


def test_data_in_a_script_cannot_end_it():
    page = show.filterable([{"a": "<!--<script>"}, {"a": "</script>"}], {}).data
    script = page.partition('application/json">')[2].partition("</script>")[0]
    assert "<" not in script and json.loads(script) == [["<!--<script>", "</script>"], [[0], [1]]]


@pytest.mark.parametrize("draw, hidden", [
    (lambda axes: axes.scatter([1, 5], [0.5, 2.0]), [(5.0, 2.0)]),
    (lambda axes: axes.plot([1, 11], [0.5, 0.5]), [(11.0, 0.5)]),
    (lambda axes: axes.plot([0, 10, np.nan], [0, 1, 7]), []),                           # on the frame; no value
    (lambda axes: axes.errorbar([5], [0.5], yerr=[9], capsize=3), []),                  # an interval may be cut
    (lambda axes: axes.errorbar([5], [3.0], yerr=[9], capsize=3), [(5.0, 3.0)]),
    (lambda axes: axes.fill_between([0, 10], [-9, -9], [9, 9]), []),
    (lambda axes: axes.axhline(0.5), []),
    (lambda axes: axes.axhline(1.5), [(0.0, 1.5), (1.0, 1.5)]),
    (lambda axes: (axes.set_xscale("log"), axes.set_xlim(0.1, 10), axes.plot([0, 1], [0.5, 0.5])), [(0.0, 0.5)])])
def test_points_that_a_figure_does_not_show(draw, hidden):
    figure, axes = plt.subplots()
    axes.set(xlim=(0, 10), ylim=(0, 1))
    draw(axes)
    assert show.points_outside(figure) == hidden
    plt.close(figure)


def test_limits_that_nobody_set_show_everything():
    """They are made when a figure is drawn, or asked for: before that everything would seem to lie outside."""
    figure, axes = plt.subplots()
    axes.plot([2, 300], [5, 700])
    assert show.points_outside(figure) == []
    plt.close(figure)


def test_a_chapter_cannot_show_a_figure_that_hides_a_point(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: "shown")
    show.use_style(), show.use_style()
    figure, axes = plt.subplots()
    axes.plot([1, 11], [0.5, 0.5])
    assert plt.show() == "shown"
    axes.set_xlim(0, 10)
    with pytest.raises(ValueError, match="1 lie outside, the first at"):
        plt.show()
    plt.close(figure)


def test_figures_are_kept_for_slides_where_there_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(plt, "show", show.style.showing_all(lambda: plt.close("all")))
    for folder in (None, tmp_path / "slides", tmp_path / "slides", tmp_path / "again"):
        monkeypatch.setenv("PRIVGRAPH_FIGURES", str(folder or ""))
        show.use_style()
        plt.figure().gca().plot([1, 2], [1, 2])
        plt.show()
    kept = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.svg"))
    assert kept == ["again/01.svg", "slides/01.svg", "slides/02.svg"]
    assert (tmp_path / "again/01.svg").read_bytes() == (tmp_path / "slides/01.svg").read_bytes()
