"""The search for RGNN's hyperparameters: complete, reproducible, and used as the ledger says."""

import csv
import itertools

from privgraph.experiments import EXPERIMENTS, rows_of
from privgraph.experiments.catalogue import rgnn, rgnn_search


def test_the_settings_in_use_are_those_that_the_ledger_chose():
    """tools/choose_rgnn.py was run after the last search."""
    with open(rgnn.CHOSEN, newline="", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    found = rgnn_search.choose(rows_of(EXPERIMENTS["rgnn-search"]))
    assert written == [{name: str(value) for name, value in row.items()} for row in found]


def test_choose_takes_the_best_of_a_complete_search_and_leaves_others_out():
    def row(method, k, value, metric=rgnn_search.CRITERION):
        return dict(dataset="dblp", method=method, budget=1.0, epsilon_y=1.0, x_steps=k, y_steps=2, clusters=0,
                    llp_weight=0.0, standardise=0, metric=metric, value=value)
    complete = [row("lpgnn", k, float(k == 5)) for k in range(32)] + [row("lpgnn", 3, 9.0, "accuracy")]
    best, = rgnn_search.choose(complete + [row("rgnn", k, 1.0) for k in range(39)])
    assert best["x_steps"] == 5 and best["method"] == "lpgnn"
    twice = [r | dict(dataset="cora", value=v) for r in complete[:32] for v in (r["value"], r["x_steps"] / 25)]
    assert not rgnn_search.choose(twice), "two seeds of three"
    best, = rgnn_search.choose(twice + [r | dict(dataset="cora", value=0.0) for r in complete[:32]])
    assert best["x_steps"] == 31, "by the mean: (1 + 5/25 + 0) / 3 is less than (0 + 31/25 + 0) / 3"


def test_at_most_40_settings_from_the_ranges_of_the_paper():
    tried = rgnn_search.settings_tried()
    assert len(tried) == 40 == len({tuple(setting.values()) for setting in tried})
    assert {s["x_steps"] for s in tried} == {s["y_steps"] for s in tried} == {2, 4, 8, 16}
    assert {s["clusters"] for s in tried} <= {4, 8, 16, 32, 64, 128, 256}
    assert {s["llp_weight"] for s in tried} <= {0.01, 0.1, 1.0, 10.0, 20.0}


def test_table_2_has_720_runs_once_the_search_is_complete(monkeypatch):
    """Six graphs, two feature budgets, four label budgets, three methods, five seeds; and the rest beside it."""
    everywhere = {(d, m, b, e): dict(x_steps=8, y_steps=16, clusters=64, llp_weight=0.1, standardise=0) for d in rgnn.GROUPS
                  for m in ("rgnn", "lpgnn") for b in rgnn.BUDGETS for e in rgnn.LABEL_BUDGETS}
    monkeypatch.setattr(rgnn, "chosen", lambda: everywhere)
    cells = rgnn.distinct(rgnn.rgnn_cells())
    table = [rgnn.as_printed(dataset, method, budget / 10, epsilon_y) for dataset, budget, epsilon_y, method
             in itertools.product(rgnn.GROUPS, rgnn.BUDGETS, rgnn.LABEL_BUDGETS, ("GraphSAGE", "LPGNN", "RGNN"))]
    assert len(rgnn.distinct(table)) == len(table) == 144 and all(cell in cells for cell in table)
    assert {c["budget"] for c in table if c["method"] == "lpgnn"} == {1.0, 0.1}, "what the paper counts"
    assert {c["sampled"] for c in cells if c["method"] == "lpgnn"} == {0, 10}
    assert all(c["seeds"] == 5 for c in cells)
