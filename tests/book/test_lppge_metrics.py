"""What the experiments of chapter 10 share: whose labels are read, what is asked, which runs answer a printed entry."""

from dataclasses import replace

import pytest
import torch

from privbook.papers.catalogue import experiments
from privbook.papers.lookup import Measured, lookup
from privbook.papers.lppge import defences, metrics, tables
from privbook.papers.lppge.defences import METHODS
from privbook.papers.published import entries, published
from privbook.runs.plan import wanted
from privgraph.datasets import load
from privgraph.methods.sensitive import mark_sensitive
from privgraph.randomness import seeded

OURS = [e for name, e in experiments().items() if name == "lppge" or name.startswith("lppge-")]


def test_the_labels_of_the_largest_classes_are_kept_and_no_other():
    y = torch.tensor([4, 4, 4, 0, 2, 2, -1, 0, 1])
    assert defences.largest(y, 2).tolist() == [1, 1, 1, 0, -1, -1, -1, 0, -1]  # of equally large ones the first
    assert defences.largest(y, 4).tolist() == [3, 3, 3, 0, 2, 2, -1, 0, 1]


def club():
    return mark_sensitive(load("karate"), 6)


class Said:
    """Results by metric and noise: seed -> value."""

    def __init__(self, **metrics):
        self.metrics = metrics

    def values(self, metric, *, defence, noise=0.0, **_):
        return self.metrics[metric].get((defence, noise), {})


def test_noise_of_equal_use_lies_between_two_levels():
    """Use 75 is half way from 80 (noise 1) to 70 (noise 2): noise 1.5, where the attacker has 55."""
    use, auc = [90, 85, 80, 70, 72], [95, 90, 60, 50, 51]
    levels = dict(zip(tables.LEVELS, zip(use, auc, strict=True), strict=True))
    noisy = Said(use={("gae-rm", s): {0: u, 1: u} for s, (u, _) in levels.items()},
                 auc={("gae-rm", s): {0: a} for s, (_, a) in levels.items()})
    clear = Said(use=noisy.metrics["use"] | {("lppge-t", 0.0): {0: 75, 1: 99, 2: 75}},
                  auc=noisy.metrics["auc"] | {("lppge-t", 0.0): {0: 65}})
    found = tables.at_equal_use(clear, noisy, "lppge-t", "cora", "auc", "use")
    assert found == {0: (1.5, 10.0)}  # seed 1 is of more use than no noise leaves, seed 2 was not run with noise


def test_what_is_asked_is_the_same_for_all_defences_and_thinned_where_it_is_much(monkeypatch):
    first, again = metrics.exposed(club(), 3), metrics.exposed(club(), 3)
    assert not torch.equal(first.known, metrics.exposed(club(), 4).known)
    assert torch.equal(first.known, again.known) and all(
        torch.equal(pairs, again.asked[name][0]) for name, (pairs, _) in first.asked.items())
    whole = {tuple(pair) for pair in first.asked["others"][0].T.tolist()}
    monkeypatch.setattr(metrics, "MOST_ASKED", 20)
    few = metrics.exposed(club(), 3)
    kept, linked = few.asked["others"]
    assert kept.size(1) == linked.numel() == 20 and {tuple(pair) for pair in kept.T.tolist()} <= whole
    assert torch.equal(few.asked["sensitive"][0], first.asked["sensitive"][0])


def test_chosen_links_and_the_rest_are_asked_about_beside_the_same_strangers():
    exposure, data = metrics.exposed(club(), 3), club()
    asked = tables.parted(exposure, data.sensitive[:, :4], 34).asked
    (chosen, one), (rest, two) = asked.values()
    def unordered(pairs):
        return set(map(frozenset, pairs.T.tolist()))
    assert unordered(chosen[:, one]) == unordered(data.sensitive[:, :4])
    assert unordered(rest[:, two]) == unordered(data.sensitive[:, 4:]) != set()
    strangers = exposure.asked["between sensitive users"][0][:, ~exposure.asked["between sensitive users"][1]]
    assert torch.equal(chosen[:, ~one], strangers) and torch.equal(rest[:, ~two], strangers)


def test_every_metric_is_measured_and_comes_out_again():
    """Labels as vectors tell all classes, and with the same seed everything else comes out as before."""
    data = club()
    z = torch.nn.functional.one_hot(data.y, 2).float() + 0.01 * torch.randn(34, 2, generator=seeded(0))
    found = metrics.measure(z, data, 1)
    assert tuple(found) == metrics.METRICS and all(0 <= value <= 100 for value in found.values())
    assert found["node_mlp"] == found["node_svm"] == 100
    assert metrics.measure(z, data, 1) == found


def test_vectors_of_noise_tell_no_class():
    data = club()
    noise = torch.randn(34, 2, generator=seeded(5))
    assert max(metrics.classes(noise, data.y, seeded(0)).values()) < 75


def test_a_defence_reads_the_settings_of_its_graph():
    yale = defences.SETTINGS["fb100-yale"]
    method = METHODS["lppge-a"](yale)
    assert (method.privacy, method.target, method.alpha, method.dimension) == ("added", 40_000, 2.0, 32)
    assert METHODS["gae-rm"](yale) == replace(METHODS["gae"](yale), without="links")
    used = {setting["defence"] for e in OURS if "defence" in e.parameters for setting in e.settings}
    assert used == METHODS.keys()


def test_three_seeds_of_the_main_tables_come_first():
    runs = wanted(tables.EXPERIMENT)
    main = [setting for setting, _ in runs[:72]]
    assert all(setting["share"] == 1 and setting["defence"] in tables.PRINTED for setting in main)
    assert {setting["dataset"] for setting in main} == defences.SETTINGS.keys() and max(s for _, s in runs[:72]) == 2
    assert all(seed < defences.SEEDS[setting["dataset"]] for setting, seed in runs)


def test_every_control_stands_beside_the_tables():
    """On the same graphs and with as many seeds, so that differences are paired."""
    assert set(tables.PARTS) <= METHODS.keys() and set(tables.DEFENCES) <= METHODS.keys()
    seeds = {}
    for setting, seed in wanted(tables.CONTROLS_EXPERIMENT):
        seeds.setdefault(setting["dataset"], set()).add(seed)
    assert {name: len(found) for name, found in seeds.items()} == defences.SEEDS


def test_printed_cells_of_chapter_3_are_answered():
    """Each by ten runs of one cell, or a count; what is not, is a setting or a summary."""
    (setting,) = entries("dissertation", "Table A.4", dataset="Rochester", method="LPPGE(A)", percent="25",
                         metric="macro_f1_sensitive_links")
    found = lookup(setting)
    assert (found.experiment, found.metric, found.runs) == ("lppge", "mlp_sensitive_f1", 10)
    assert found.settings == (dict(dataset="fb100-rochester", defence="lppge-a", share=0.25),)
    (setting,) = entries("dissertation", "Table 3.3", dataset="Cora", method="DPNE", classifier="SVM")
    assert lookup(setting).metric == "node_svm" and lookup(setting).settings[0]["share"] == 1.0
    (setting,) = entries("dissertation", "Table 3.1", dataset="Yale", metric="added_links")
    assert lookup(setting).experiment == "lppge-counts" and lookup(setting).runs is None
    three = [c for c in published("dissertation") if c.table[6:7] in ("3", "A")]
    assert len(three) == 424
    reasons = {lookup(c).reason for c in three if not isinstance(lookup(c), Measured)}
    assert reasons == {"a setting; chapter 10 says where ours is another"}


@pytest.mark.parametrize("experiment", OURS, ids=lambda e: e.name)
def test_an_attack_is_asked_where_a_metric_says_so(experiment):
    """No name of a metric is there twice, and each names a question, an attack or a count."""
    assert len(set(experiment.metrics)) == len(experiment.metrics) and len(experiment.settings) > 3
