"""Evidence from the committed ledger for what the RGNN paper says about its experiments.

Ours are runs with hyperparameters chosen on noisy labels, five seeds, paired (split, noisy labels and weights share a
seed), and the search itself.
"""

import itertools
from collections import Counter
from functools import cache
from statistics import fmean

import pytest

from privbook.papers.published import entries
from privbook.papers.results import Results
from privbook.papers.rgnn import search
from privbook.papers.rgnn import tables as grid
from privgraph.nn import Interval


@cache
def runs(name: str = "rgnn") -> Results:
    return Results(name)


@cache
def right() -> dict[tuple, dict[tuple, float]]:
    """Where the search was -> its settings with their means on true test labels."""
    return search.means(runs("rgnn-search").rows, "accuracy")


def minus(first: dict | list[dict], second: dict | list[dict]) -> Interval:
    """The mean difference with its 95% interval over five seeds, of two settings or of means over several."""
    found = runs().gap(first, second)
    assert found.n == grid.SEEDS
    return found


@pytest.mark.bears("measured", "rgnn-beats-lpgnn-same-privacy")
def test_the_printed_table_counts_39(record_property):
    """RGNN above LPGNN in 39 of 48 printed entries, below in 7. LPGNN above itself at the larger budget in 21 of 24."""
    table = {(c.method, c.dataset, c.parameters["eps_x"], c.parameters["eps_y"]): c.value
             for c in entries("rgnn", "Table II")}
    signs = Counter()
    for (method, *where), value in table.items():
        if method == "LPGNN":
            signs[(gap := table["RGNN", *where] - value) > 0, gap < 0] += 1
    assert signs == {(True, False): 39, (False, True): 7, (False, False): 2}
    less = [table["LPGNN", d, "0.1", e] - value for (m, d, x, e), value in table.items() if m == "LPGNN" and x == "1"]
    assert len(less) == 24 and sum(gap > 0 for gap in less) == 21
    record_property("witness", f"printed: LPGNN gains {sum(less) / 24:.1f} points on average where eps_x falls to .1")


def test_low_label_budgets_on_cora_in_hindsight(record_property):
    """Chosen on noisy labels RGNN stays below what is printed at eps_y = 1 and .5.
    The best of the 40 settings by true test labels comes nearer."""
    table = {c.parameters["eps_y"]: c.value for c in entries("rgnn", "Table II", dataset="Cora", method="RGNN",
                                                             eps_x="1")}
    for epsilon_y, least in ((1.0, 3), (0.5, 6)):
        tried = right()["cora", "rgnn", 10.0, epsilon_y]
        chosen = tried[tuple(grid.chosen()["cora", "rgnn", 10.0, epsilon_y].values())]
        best, printed = max(tried.values()), table[f"{epsilon_y:g}"]
        assert len(tried) == search.SETTINGS and best > chosen + least and best < printed
        record_property(
            "witness", f"eps_y = {epsilon_y:g}: chosen {chosen:.1f}, best in hindsight {best:.1f}, printed {printed}")


def test_printed_means_on_citeseer_among_our_settings(record_property):
    """At eps_y = 3 and 2 the printed means lie inside the range of our 40 settings, at .5 above the best of them."""
    for printed in entries("rgnn", "Table II", dataset="Citeseer", method="RGNN"):
        eps_x, eps_y = (float(printed.parameters[name]) for name in ("eps_x", "eps_y"))
        tried = right()["citeseer", "rgnn", search.SAMPLED * eps_x, eps_y].values()
        assert len(tried) == search.SETTINGS
        assert printed.value > max(tried) if eps_y == 0.5 else min(tried) < printed.value < max(tried)
        record_property("witness", f"eps_x = {eps_x:g}, eps_y = {eps_y:g}: printed {printed.mean}, ours "
                                   f"{min(tried):.1f} to "
                                   f"{max(tried):.1f}")
    (whole,), (table,) = (entries("rgnn", name, dataset="Citeseer", method="RGNN", eps_x="1", eps_y="0.5")
                          for name in ("Section V-B3", "Table II"))
    assert whole.value == table.value + 4.0, "the same setting, printed twice"


def test_printed_means_on_german_among_our_settings(record_property):
    """RGNN at eps_y = 3 and 2, LPGNN at all label budgets: inside the range of our settings.
    LPGNN has the same mean in all four cells at eps_x = 1."""
    for method, tried, budgets in (("RGNN", search.SETTINGS, ("3", "2")),
                                   ("LPGNN", search.TRIED["lpgnn"], ("3", "2", "1", "0.5"))):
        printed = [c for c in entries("rgnn", "Table II", dataset="German", method=method, eps_x="1")
                   if c.parameters["eps_y"] in budgets]
        for setting in printed:
            found = right()["german-rgnn", method.lower(), 10.0, float(setting.parameters["eps_y"])].values()
            assert len(found) == tried and min(found) < setting.value < max(found), setting
        record_property("witness", f"{method}: printed {', '.join(c.mean for c in printed)}")
    assert len(printed) == 4 and len({(c.mean, c.spread) for c in printed}) == 1


def test_printed_means_on_facebook_among_our_settings(record_property):
    """RGNN at both eps_x and all label budgets: inside the range of our 40 settings.
    The runs of the chosen setting lie 2 to 10 points above print, 5 or more but for eps_x = 1, eps_y = .5."""
    for printed in entries("rgnn", "Table II", dataset="Facebook", method="RGNN"):
        eps_x, eps_y = (float(printed.parameters[name]) for name in ("eps_x", "eps_y"))
        tried = right()["facebook-pages", "rgnn", search.SAMPLED * eps_x, eps_y].values()
        assert len(tried) == search.SETTINGS and min(tried) < printed.value < max(tried)
        above = runs().mean(**grid.as_printed("facebook-pages", "RGNN", eps_x, eps_y)).mean - printed.value
        assert (2 if (eps_x, eps_y) == (1.0, 0.5) else 5) <= round(above) <= 10
        record_property("witness", f"eps_x = {eps_x:g}, eps_y = {eps_y:g}: printed {printed.mean}, ours "
                                   f"{min(tried):.1f} to "
                                   f"{max(tried):.1f}, the chosen {above:+.1f}")


def test_dblp_between_chosen_and_best(record_property):
    """At eps_y = .5 the printed RGNN lies above the setting chosen on noisy labels and below the best in hindsight."""
    for printed in entries("rgnn", "Table II", dataset="DBLP", method="RGNN", eps_y="0.5"):
        place = "dblp", "rgnn", search.SAMPLED * float(printed.parameters["eps_x"]), 0.5
        chosen, best = right()[place][tuple(grid.chosen()[place].values())], max(right()[place].values())
        assert chosen < printed.value < best
        record_property("witness", f"eps_x = {printed.parameters['eps_x']}: chosen {chosen:.1f}, printed "
                                   f"{printed.mean}, best {best:.1f}")
    (printed,) = entries("rgnn", "Table II", dataset="DBLP", method="LPGNN", eps_y="0.5", eps_x="1")
    tried = right()["dblp", "lpgnn", 10.0, 0.5].values()
    assert min(tried) < printed.value < max(tried)


@pytest.mark.bears("measured", "rgnn-noise-costs-utility")
def test_graphsage_at_chance_on_student(record_property):
    """Without any smoothing, at eps_y = .5, GraphSAGE is at chance on Student (two classes) at both budgets:
    ours has no interval above 55%, the share of the larger class; the printed means are 56.2 and 56.9."""
    for printed in entries("rgnn", "Table II", dataset="Student", method="GraphSAGE", eps_y="0.5"):
        epsilon_x = float(printed.parameters["eps_x"])
        ours = runs().mean(**grid.as_printed("student-rgnn", "GraphSAGE", epsilon_x, 0.5))
        assert ours.n == grid.SEEDS and ours.high < 55 < printed.value < 57
        record_property("witness", f"eps_x = {epsilon_x:g}: ours {ours}, printed {printed.mean}")


def test_what_the_printed_lpgnn_may_have_spent(record_property):
    """On Cora the printed LPGNN gains from the smaller budget.
    So does ours where it spends m eps_x on a feature vector, and not where it spends eps_x."""
    def gain(epsilon_y: str, whole: bool) -> float:
        small, large = (grid.as_printed("cora", "LPGNN", x, float(epsilon_y), whole) for x in (0.1, 1.0))
        return minus(small, large).mean
    printed = {e: {c.parameters["eps_x"]: c.value for c in entries("rgnn", "Table II", dataset="Cora", method="LPGNN",
                                                                   eps_y=e)}
               for e in ("3", "2", "1", "0.5")}
    rows = {e: (v["0.1"] - v["1"], gain(e, False), gain(e, True)) for e, v in printed.items()}
    assert all(p > 6 and each > 4 and abs(whole) < 4 for p, each, whole in rows.values()), rows
    record_property("witness", "; ".join(f"eps_y = {e}: printed {p:+.1f}, ours {each:+.1f} and {whole:+.1f}"
                                         for e, (p, each, whole) in rows.items()))


PLACES = list(itertools.product(grid.GROUPS, grid.BUDGETS, grid.LABEL_BUDGETS))


def tuned(method: str, dataset: str, budget: float, epsilon_y: float, features: str = "real", **changes) -> dict:
    """The setting at a true budget, with the hyperparameters that were chosen."""
    return grid.tuned(dataset, method, budget, epsilon_y, features=features, sampled=grid.OWN[method], **changes)


@pytest.mark.bears("measured", "rgnn-beats-lpgnn-same-privacy")
def test_at_equal_true_budgets_the_label_budget_decides(record_property):
    """RGNN - LPGNN at the same true budget, six graphs, two feature budgets.
    Where one is better for sure (95% interval), it is RGNN at eps_y = 3 and 2 and more often LPGNN at 1 and .5: 14
    cells and 6. RGNN's mean is higher in far less than 39 of 48."""
    gaps = {place: minus(tuned("rgnn", *place), tuned("lpgnn", *place)) for place in PLACES}
    assert len(gaps) == 48
    decided = {e: Counter((g.low > 0) - (g.high < 0) for (_, _, label), g in gaps.items() if label == e)
               for e in grid.LABEL_BUDGETS}
    large, small = decided[3.0] + decided[2.0], decided[1.0] + decided[0.5]
    assert (large[1], large[-1], small[1], small[-1]) == (11, 0, 3, 6) and large[1] + small[1] == 14
    assert sum(large.values()) + sum(small.values()) == 48 and large[0] + small[0] == 28
    higher = sum(gap.mean > 0 for gap in gaps.values())
    assert higher < 39
    record_property("witness", f"RGNN's mean is higher in {higher} of 48; " + "; ".join(
        f"eps_y = {e:g}: better {c[1]}, worse {c[-1]}, open {c[0]}" for e, c in decided.items()))


@pytest.mark.bears("measured", "rgnn-beats-lpgnn-same-privacy")
def test_the_halves_of_both_methods_on_cora(record_property):
    """What RGNN's labels add to LPGNN's, over both kinds of features: a gain at eps_y = 3, a loss at 1."""
    gains = {}
    for epsilon_y in grid.LABEL_BUDGETS:
        where = 10.0, epsilon_y
        with_rgnn = [tuned("rgnn", "cora", *where), grid.crossed("cora", "lpgnn", "rgnn", *where)]
        with_lpgnn = [grid.crossed("cora", "rgnn", "lpgnn", *where), tuned("lpgnn", "cora", *where)]
        gains[epsilon_y] = minus(with_rgnn, with_lpgnn)
    assert gains[3.0].low > 0 > gains[1.0].high
    record_property("witness", "; ".join(f"eps_y = {e:g}: {gain}" for e, gain in gains.items()))


def over_labels(method: str, dataset: str, budget: float, features: str, **changes) -> list[dict]:
    """The settings at the four label budgets."""
    return [tuned(method, dataset, budget, e, features, **changes) for e in grid.LABEL_BUDGETS]


@pytest.mark.bears("measured", "rgnn-improves-tradeoff")
def test_the_features_beside_coins(record_property):
    """Features minus fair coins, the mean over four label budgets, seed by seed. RGNN:
    below 2.5 points at a true budget of 1 on all six graphs, and at 10 on all but DBLP and Facebook."""
    gains = {}
    for dataset, budget, method in itertools.product(grid.GROUPS, grid.BUDGETS, ("rgnn", "lpgnn")):
        pair = (over_labels(method, dataset, budget, features) for features in ("real", "coins"))
        gains[dataset, budget, method] = minus(*pair)
    small = [gain for (dataset, budget, method), gain in gains.items()
             if method == "rgnn" and (budget == 1.0 or dataset not in ("dblp", "facebook-pages"))]
    assert len(small) == 10 and all(gain.mean < 2.5 for gain in small)
    record_property("witness", "; ".join(f"{d} {b:g} {m}: {v}" for (d, b, m), v in gains.items()))


@pytest.mark.bears("measured", "rgnn-improves-tradeoff")
@pytest.mark.parametrize("dataset", ["dblp", "facebook-pages"])
def test_coins_at_another_scale_do_as_well_as_features(dataset, record_property):
    """RGNN on coins at a true budget of 1 is more accurate than on features at 10:
    the estimates are ten times as large."""
    gap = minus(over_labels("rgnn", dataset, 1.0, "coins"), over_labels("rgnn", dataset, 10.0, "real"))
    assert gap.mean > 0
    record_property("witness", f"{dataset}: coins at 1 minus features at 10: {gap}")


@pytest.mark.bears("measured", "rgnn-improves-tradeoff", "rgnn-noise-costs-utility", "rgnn-student-like-non-private")
def test_the_best_on_features_beside_the_best_on_coins(record_property):
    """The best mean of five (RGNN at 10 and 1 and with standardised inputs at 10, LPGNN at 10 and 1),
    with features and on coins: at most 1.8 points more on every graph."""
    gaps = {}
    for dataset in grid.GROUPS:
        best = []
        for features in ("real", "coins"):
            tries = [over_labels(method, dataset, budget, features) for method in ("rgnn", "lpgnn")
                     for budget in grid.BUDGETS]
            tries.append(over_labels("rgnn", dataset, 10.0, features, standardise=1))
            best.append(max(fmean(runs().pooled(each).values()) for each in tries))
        gaps[dataset] = best[0] - best[1]
    assert len(gaps) == 6 and round(max(gaps.values()), 1) == 1.8
    record_property("witness", ", ".join(f"{dataset} {gap:+.1f}" for dataset, gap in gaps.items()))
