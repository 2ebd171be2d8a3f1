"""The search for RGNN's hyperparameters: complete, reproducible, and used as the ledger says."""

import csv
import itertools
from dataclasses import replace

import torch
from torch_geometric.data import Data

from privbook.papers.results import Results
from privbook.papers.rgnn import search as rgnn_search
from privbook.papers.rgnn import tables as rgnn
from privbook.runs.rows import Head, Row
from privgraph import datasets
from privgraph.datasets import Categories
from privgraph.methods import LPGNN, RGNN
from privgraph.nn import accuracy, train
from privgraph.randomness import seeded
from privgraph.streams import stream

KARATE = datasets.load("karate")


def test_the_settings_in_use_are_those_that_the_ledger_chose():
    """tools/choose_rgnn.py was run after the last search."""
    with open(rgnn.CHOSEN, newline="", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    found = rgnn_search.choose(Results("rgnn-search").rows)
    assert written == [{name: str(value) for name, value in row.items()} for row in found]


def test_choose_takes_the_best_of_a_complete_search_and_leaves_others_out():
    def row(method, k, value, metric=rgnn_search.CRITERION, dataset="dblp"):
        setting = dict(method=method, budget=1.0, epsilon_y=1.0, x_steps=k, y_steps=2, clusters=0, llp_weight=0.0,
                       standardise=0)
        return Row(Head("rgnn-search", 1, dataset, "", "", "", "cpu"), setting, 0, 1.0, {metric: value})
    complete = [row("lpgnn", k, float(k == 5)) for k in range(32)] + [row("lpgnn", 3, 9.0, "accuracy")]
    best, = rgnn_search.choose(complete + [row("rgnn", k, 1.0) for k in range(39)])
    assert best["x_steps"] == 5 and best["method"] == "lpgnn"
    twice = [row("lpgnn", k, value, dataset="cora") for k in range(32) for value in (float(k == 5), k / 25)]
    assert not rgnn_search.choose(twice), "two seeds of three"
    best, = rgnn_search.choose(twice + [row("lpgnn", k, 0.0, dataset="cora") for k in range(32)])
    assert best["x_steps"] == 31, "by the mean: (1 + 5/25 + 0) / 3 is less than (0 + 31/25 + 0) / 3"


def test_at_most_40_settings_from_the_ranges_of_the_paper():
    tried = rgnn_search.settings_tried()
    assert len(tried) == 40 == len({tuple(setting.values()) for setting in tried})
    assert {s["x_steps"] for s in tried} == {s["y_steps"] for s in tried} == {2, 4, 8, 16}
    assert {s["clusters"] for s in tried} <= {4, 8, 16, 32, 64, 128, 256}
    assert {s["llp_weight"] for s in tried} <= {0.01, 0.1, 1.0, 10.0, 20.0}


def test_table_2_has_720_runs_once_the_search_is_complete(monkeypatch):
    """Six graphs, two feature budgets, four label budgets, three methods, five seeds; and the rest beside it."""
    everywhere = {(d, m, b, e): dict(x_steps=8, y_steps=16, clusters=64, llp_weight=0.1, standardise=0)
                  for d in rgnn.GROUPS
                  for m in ("rgnn", "lpgnn") for b in rgnn.BUDGETS for e in rgnn.LABEL_BUDGETS}
    monkeypatch.setattr(rgnn, "chosen", lambda: everywhere)
    planned = replace(rgnn.EXPERIMENT)
    table = [rgnn.as_printed(dataset, method, budget / 10, epsilon_y) for dataset, budget, epsilon_y, method
             in itertools.product(rgnn.GROUPS, rgnn.BUDGETS, rgnn.LABEL_BUDGETS, ("GraphSAGE", "LPGNN", "RGNN"))]
    assert len({tuple(setting.values()) for setting in table}) == len(table) == 144 and all(setting in planned.settings
                                                                                            for setting in table)
    assert {c["budget"] for c in table if c["method"] == "lpgnn"} == {10.0, 1.0}, "the same as RGNN"
    assert {c["sampled"] for c in planned.settings if c["method"] == "lpgnn"} == {0, 10}
    assert {seeds for seeds, _ in planned.groups} == {5}


def test_a_run_is_the_methods_own_and_halves_share_the_noisy_labels(monkeypatch):
    """"rgnn+lpgnn" has RGNN's features and network and LPGNN's loss, on the noisy labels that both alone would have."""
    found = Data(x=torch.zeros(34, 12), **{k: KARATE[k] for k in ("edge_index", "y", "num_classes", "name")})
    found.x[torch.rand(34, 12, generator=seeded(0)) < 0.3] = 1.0
    monkeypatch.setattr(rgnn, "categorical", lambda *where: Categories((2,) * 12)(found))
    hops = dict(x_steps=2, y_steps=1, clusters=3, llp_weight=0.5, standardise=0)
    monkeypatch.setattr(rgnn, "chosen", lambda: {("cora", m, 10.0, 1.0): hops for m in ("rgnn", "lpgnn")})
    data = datasets.split(rgnn.categorical(), stream("split", 4))
    first, last = RGNN("sage", 1.0, 1.0, 2, 1, sampled=10, clusters=3,
                       llp_weight=0.5), LPGNN.as_published("sage", 10.0, 1.0, 2, 1)
    inputs, labels = (method.collect(data, stream("collect", 4)) for method in (first, last))
    assert torch.equal(inputs.y, labels.y)
    loss, validate = last.objective(labels, labels.matrix())
    generator = stream("learn", 4)
    both = first.prepare(inputs, generator)
    train(both.model, both.inputs, loss, validate, epochs=100, learning_rate=first.learning_rate,
          weight_decay=first.weight_decay, generator=generator)
    expected = {"rgnn": first.learn(inputs, stream("learn", 4)), "lpgnn": last.learn(labels, stream("learn", 4)),
                "rgnn+lpgnn": both}
    for name, fitted in expected.items():
        setting = rgnn.crossed("cora", *name.split("+"), 10.0, 1.0) if "+" in name else rgnn.tuned(
            "cora", name, 10.0, 1.0, sampled=rgnn.OWN[name])
        ours = rgnn.rgnn_run(setting, 4, None)["accuracy"]
        assert ours == accuracy(fitted.predict_proba(), data.y, data.test_mask), name
