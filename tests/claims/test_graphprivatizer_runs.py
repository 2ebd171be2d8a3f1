"""Evidence from the committed ledger for what the GraphPrivatizer paper says about its experiments.

Ours are runs with the paper's settings on Cora, paired by seed (graph split, noise and weights). Where a sentence is
about privacy, three attackers are asked: the paper's (``attack_auc``), LinkTeller on logits (``linkteller_auc``), and
one who only reads the reported edges (``report_auc``).
"""

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from privbook.papers.published import entries
from privbook.papers.results import Results
from privgraph.nn import BACKBONES, Interval, interval

MIX, THRESHOLD = (0.0, 0.25, 0.5, 0.75, 1.0), (0.0, 0.1, 0.25, 0.5, 1.0)
NO_LISTS = dict(mix=0.0, threshold=0.0, similarity="none")


@cache
def runs() -> Results:
    return Results("graphprivatizer")


def values(method: str, metric: str, backbone: str, dataset: str = "cora", epsilon: float = 0.1, mix: float = 0.5,
           threshold: float = 0.0, similarity: str = "cosine", training: str = "paper") -> dict[int, float]:
    """{seed: value} of one setting; public edges and the two-hop baseline have no lists."""
    lists = dict(mix=mix, threshold=threshold, similarity=similarity) if method in ("gp-t", "gp-m") else NO_LISTS
    epsilon = math.inf if method == "lpgnn" else epsilon
    return runs().values(metric, dataset=dataset, backbone=backbone, method=method, training=training, epsilon=epsilon,
                         **lists)


def mean(*where, **setting) -> float:
    return float(np.mean(list(values(*where, **setting).values())))


def minus(first: dict[int, float], second: dict[int, float]) -> Interval:
    """The mean difference with its 95% interval, over the seeds that both have."""
    found = interval([first[seed] - second[seed] for seed in first if seed in second])
    assert found.n >= 3
    return found


def over_backbones(method: str, metric: str, dataset: str = "cora", backbones=tuple(BACKBONES)) -> dict[int, float]:
    """{seed: mean over the backbones}, for the seeds that all of them have."""
    found = [values(method, metric, backbone, dataset) for backbone in backbones]
    return {seed: float(np.mean([v[seed] for v in found])) for seed in set.intersection(*(set(v) for v in found))}


def sweep(metric: str, backbone: str) -> np.ndarray:
    """Means over the grid of Figure 3, [mix, threshold]."""
    return np.array([[mean("gp-t", metric, backbone, mix=m, threshold=t) for t in THRESHOLD] for m in MIX])


@pytest.mark.bears("measured", "gp-table-1b-gap")
def test_table_1b_the_gap(record_property):
    """On Cora the gap to public edges is narrower for GP-t than for the baseline. On PubMed, where both are small,
    it is wider with five of the six backbones (three seeds). On Photo and Facebook it is narrower with the three
    backbones that the baseline was run with."""
    gap = minus(over_backbones("gp-t", "accuracy"), over_backbones("two-hop", "accuracy"))
    assert round(gap.mean) == 7 and (round(gap.low), round(gap.high), gap.n) == (5, 9, 10)
    linear = [name for name, (_, aggregates) in BACKBONES.items() if aggregates]
    larger = {name: minus(*(over_backbones(method, "accuracy", name, linear) for method in ("gp-t", "two-hop")))
              for name in ("amazon-photo", "facebook-pages")}
    assert len(linear) == 3 and all(found.low > 2.0 for found in larger.values())
    pubmed = {b: mean("gp-t", "accuracy", b, "pubmed") - mean("two-hop", "accuracy", b, "pubmed") for b in BACKBONES}
    assert {b for b, difference in pubmed.items() if -2 < difference < -0.5} == set(BACKBONES) - {"graphconv"}
    assert pubmed["graphconv"] > 0 and all(len(values("two-hop", "accuracy", b, "pubmed")) == 3 for b in BACKBONES)
    record_property("witness", f"GP-t minus the baseline: Cora, six backbones, {gap.n} seeds, {gap}; PubMed "
                    + ", ".join(f"{b} {difference:+.1f}" for b, difference in pubmed.items())
                    + "; " + ", ".join(f"{name} {found}" for name, found in larger.items()))


def test_facebook_was_trained_with_the_released_values(record_property):
    """With the learning rate and weight decay of the released file for Facebook, not the text's, all 15 accuracies of
    Table 6 (without edge privacy, GP-t, the baseline on three backbones) come within 4 points of what is printed, 1.2
    on average instead of 3.7. The AUC of the backbones without attention comes nearer too, that of the others does
    not."""
    names = {"GAT": "gat", "GATv2": "gatv2", "GCN": "gcn", "GConv": "graphconv", "GT": "gt", "SAGE": "sage"}
    methods = {"GP": "gp-t", "RR": "two-hop", "LPGNN (no edge privacy)": "lpgnn"}
    linear, far = [name for name, key in names.items() if BACKBONES[key][1]], {}
    for printed in entries("graphprivatizer", "Table 6", dataset="Facebook"):
        if printed.method in methods and (printed.method != "RR" or printed.backbone in linear):
            kind = "linear" if printed.backbone in linear else "attention"
            group = "accuracy" if printed.metric == "accuracy" else kind
            where = methods[printed.method], printed.metric, names[printed.backbone], "facebook-pages"
            far.setdefault(group, []).append([abs(mean(*where, training=t) - printed.value)
                                              for t in ("paper", "released")])
    text, released = ({group: np.array(rows)[:, column] for group, rows in far.items()} for column in (0, 1))
    assert {group: len(rows) for group, rows in far.items()} == {"accuracy": 15, "linear": 9, "attention": 6}
    assert text["accuracy"].mean() > 3.5 and released["accuracy"].mean() < 1.3 and released["accuracy"].max() < 4
    assert released["linear"].mean() < 1.5 < 2.5 < text["linear"].mean()
    assert released["attention"].mean() > 15 > text["attention"].mean()
    record_property("witness", "mean distance from Table 6 with the text's and the released training: " + ", ".join(
        f"{group} {text[group].mean():.1f} and {released[group].mean():.1f}" for group in far))


@pytest.mark.bears("measured", "gp-gcn-more-prone", "gp-linkteller-cannot-sage", "gp-attacks-recover-edges")
def test_gcn_is_prone_because_the_others_saturate(record_property):
    """With the paper's query GCN is far the easiest to attack. With logits, on the same networks, all but the graph
    transformer are as easy, GraphSAGE among them: within two points, intervals included, but for GATv2 on GP-m."""
    for method in ("lpgnn", "gp-t", "gp-m", "two-hop"):
        others = [b for b in BACKBONES if b != "gcn"]
        assert all(mean(method, "attack_auc", "gcn") > mean(method, "attack_auc", b) + 5 for b in others)
        for backbone in set(others) - {"gt"}:
            gap = minus(values(method, "linkteller_auc", "gcn"), values(method, "linkteller_auc", backbone))
            if (method, backbone) == ("gp-m", "gatv2"):
                assert (round(gap.mean, 1), round(gap.half, 1)) == (3.8, 2.3)
            else:
                assert -2 < gap.low < gap.high < 2
    public = {b: mean("lpgnn", "linkteller_auc", b) for b in BACKBONES}
    assert min(v for b, v in public.items() if b != "gt") > 99 and round(public["gt"]) == 91
    assert round(mean("lpgnn", "attack_auc", "sage")) == 81  # by posterior similarity, as the paper attacks it
    record_property("witness", "AUC with public edges, the paper's query and logits: " + ", ".join(
        f"{b} {mean('lpgnn', 'attack_auc', b):.0f} and {public[b]:.0f}" for b in BACKBONES))


@pytest.mark.bears("measured", "gp-privacy-falls-with-alpha-delta")
def test_what_alpha_and_delta_do(record_property):
    """The threshold raises accuracy and exposure. The mix lowers both from 0 to .5, and raises them from .5 to 1."""
    for backbone in ("gcn", "gat"):
        for metric in ("accuracy", "linkteller_auc", "report_auc"):
            grid = sweep(metric, backbone)
            by_threshold, by_mix = grid.mean(0), grid.mean(1)
            assert (np.diff(by_threshold) > -0.5).all() and by_threshold[-1] > by_threshold[0] + 2
            assert by_mix[0] > by_mix[2] + 1 and by_mix[4] > by_mix[2] + 1
    by_mix = sweep("report_auc", "gcn")[:, 0]
    record_property("witness", "GCN, delta = 0, alpha = 0, .25, .5, .75, 1: AUC of reading the report "
                    + ", ".join(f"{v:.0f}" for v in by_mix))


@pytest.mark.bears("measured", "gp-cora-0-8-privacy-gain")
def test_the_example_of_figure_3(record_property):
    """alpha = .5, delta = .1 against alpha = delta = 0, GAT: less accurate here, and better hidden. By the text the
    base case releases two thirds of the slots unchanged, the example one in twenty."""
    accuracy, paper, report = (minus(values("gp-t", metric, "gat", mix=0.5, threshold=0.1),
                                     values("gp-t", metric, "gat", mix=0.0, threshold=0.0))
                               for metric in ("accuracy", "attack_auc", "report_auc"))
    assert (round(accuracy.mean), round(accuracy.low), round(accuracy.high)) == (-6, -9, -3)
    assert paper.high < 0 and round(report.mean) == -18 and report.high < -17
    flipped = minus(values("gp-t", "accuracy", "gat", mix=1.0, threshold=0.0),
                    values("gp-t", "accuracy", "gat", mix=0.5, threshold=0.1))
    assert flipped.low > 0  # the released code's base case
    record_property("witness", f"accuracy {accuracy}, the paper's AUC {paper}, AUC of reading the report {report}")


@pytest.mark.bears("measured", "gp-abstract-threshold-tradeoff")
def test_accuracy_is_bought_with_edges_that_are_released(record_property):
    """Over the 25 settings accuracy goes with what the report shows (rank correlation above .7). Where the report
    shows as much (within 2 points), a threshold that drops dissimilar candidates still gains one to two and a half; one
    of the three intervals touches zero."""
    for backbone in ("gcn", "gat"):
        accuracy, report = sweep("accuracy", backbone).ravel(), sweep("report_auc", backbone).ravel()
        assert stats.spearmanr(accuracy, report)[0] > 0.7
    gains = {}
    for seed_values in (("gcn", 0.75, 0.25), ("gcn", 0.5, 0.25), ("gat", 0.5, 0.25)):
        backbone, mix, threshold = seed_values
        more = dict(mix=mix, threshold=threshold)
        shown = minus(values("gp-t", "report_auc", backbone, **more), values("gp-t", "report_auc", backbone, mix=mix))
        gains[seed_values] = minus(values("gp-t", "accuracy", backbone, **more),
                                   values("gp-t", "accuracy", backbone, mix=mix))
        assert -2 < shown.low < shown.high < 2 and gains[seed_values].mean > 0.9
    assert max(gain.mean for gain in gains.values()) < 2.5 and sum(gain.low < 0 for gain in gains.values()) == 1
    record_property("witness", "; ".join(f"{b}, alpha {m}, delta {t} against 0: accuracy {g}"
                                         for (b, m, t), g in gains.items()))


@pytest.mark.bears("measured", "gp-table-5-cosine-privacy")
def test_table_5_cosine_and_euclidean(record_property):
    """At alpha = .5, delta = 0 nearly all slots have the same candidates under both, and nothing differs much."""
    found = {(backbone, metric): minus(values("gp-t", metric, backbone),
                                       values("gp-t", metric, backbone, similarity="euclidean"))
             for backbone in ("gcn", "sage") for metric in ("accuracy", "attack_auc", "linkteller_auc", "report_auc")}
    assert all(gap.high < 4.8 for (_, metric), gap in found.items() if metric == "accuracy")  # printed: 4.8
    assert all(abs(gap.mean) < 2 and gap.half < 2 for gap in found.values())
    record_property("witness", ", ".join(f"{b} {m} {gap}" for (b, m), gap in found.items()))
