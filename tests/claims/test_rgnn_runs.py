"""Evidence from the committed ledger for what the RGNN paper says about its experiments.

Ours are runs with hyperparameters chosen on noisy labels, five seeds, paired (split, noisy labels and weights share a
seed), and the search itself.
"""

from collections import Counter
from functools import cache

from privgraph import experiments
from privgraph.experiments import EXPERIMENTS, cells, rows_of
from privgraph.experiments.catalogue import rgnn as grid
from privgraph.experiments.catalogue import rgnn_search as search
from privgraph.nn import Interval, interval


@cache
def ledger():
    return experiments.lookup(EXPERIMENTS["rgnn"])


def minus(first: dict[int, float], second: dict[int, float]) -> Interval:
    """The mean difference with its 95% interval over five seeds."""
    found = experiments.minus(first, second)
    assert found.n == grid.SEEDS
    return found


def test_the_printed_table_counts_39(record_property):
    """RGNN above LPGNN in 39 of 48 printed cells, below in 7. LPGNN above itself at the larger budget in 21 of 24."""
    table = {(c.method, c.dataset, c.parameters["eps_x"], c.parameters["eps_y"]): c.value
             for c in cells("rgnn", "Table II")}
    signs = Counter()
    for (method, *where), value in table.items():
        if method == "LPGNN":
            signs[(gap := table["RGNN", *where] - value) > 0, gap < 0] += 1
    assert signs == {(True, False): 39, (False, True): 7, (False, False): 2}
    less = [table["LPGNN", d, "0.1", e] - value for (m, d, x, e), value in table.items() if m == "LPGNN" and x == "1"]
    assert len(less) == 24 and sum(gap > 0 for gap in less) == 21
    record_property("witness", f"printed: LPGNN gains {sum(less) / 24:.1f} points on average where eps_x falls to .1")


def test_low_label_budgets_on_cora_in_hindsight(record_property):
    """Chosen on noisy labels RGNN stays below what is printed at eps_y = 1 and .5. The best of the 40 settings by true test
    labels comes nearer."""
    right = search.means(rows_of(EXPERIMENTS["rgnn-search"]), "accuracy")
    table = {c.parameters["eps_y"]: c.value for c in cells("rgnn", "Table II", dataset="Cora", method="RGNN", eps_x="1")}
    for epsilon_y, least in ((1.0, 3), (0.5, 6)):
        tried = right["cora", "rgnn", 10.0, epsilon_y]
        chosen = tried[tuple(grid.chosen()["cora", "rgnn", 10.0, epsilon_y].values())]
        best, printed = max(tried.values()), table[f"{epsilon_y:g}"]
        assert len(tried) == search.SETTINGS and best > chosen + least and best < printed
        record_property("witness", f"eps_y = {epsilon_y:g}: chosen {chosen:.1f}, best in hindsight {best:.1f}, printed {printed}")


def test_printed_means_on_citeseer_among_our_settings(record_property):
    """At eps_y = 3 and 2 the printed means lie inside the range of our 40 settings, at .5 above the best of them."""
    right = search.means(rows_of(EXPERIMENTS["rgnn-search"]), "accuracy")
    for printed in cells("rgnn", "Table II", dataset="Citeseer", method="RGNN"):
        eps_x, eps_y = (float(printed.parameters[name]) for name in ("eps_x", "eps_y"))
        tried = right["citeseer", "rgnn", search.SAMPLED * eps_x, eps_y].values()
        assert len(tried) == search.SETTINGS
        assert printed.value > max(tried) if eps_y == 0.5 else min(tried) < printed.value < max(tried)
        record_property("witness", f"eps_x = {eps_x:g}, eps_y = {eps_y:g}: printed {printed.mean}, ours {min(tried):.1f} to "
                                   f"{max(tried):.1f}")
    (whole,), (table,) = (cells("rgnn", name, dataset="Citeseer", method="RGNN", eps_x="1", eps_y="0.5")
                          for name in ("Section V-B3", "Table II"))
    assert whole.value == table.value + 4.0, "the same setting, printed twice"


def test_printed_means_on_german_among_our_settings(record_property):
    """RGNN at eps_y = 3 and 2, LPGNN at all label budgets: inside the range of our settings. LPGNN has the same mean in all
    four cells at eps_x = 1."""
    right = search.means(rows_of(EXPERIMENTS["rgnn-search"]), "accuracy")
    for method, tried, budgets in (("RGNN", search.SETTINGS, ("3", "2")), ("LPGNN", search.TRIED["lpgnn"], ("3", "2", "1", "0.5"))):
        printed = [c for c in cells("rgnn", "Table II", dataset="German", method=method, eps_x="1") if c.parameters["eps_y"] in budgets]
        for cell in printed:
            found = right["german-rgnn", method.lower(), 10.0, float(cell.parameters["eps_y"])].values()
            assert len(found) == tried and min(found) < cell.value < max(found), cell
        record_property("witness", f"{method}: printed {', '.join(c.mean for c in printed)}")
    assert len(printed) == 4 and len({(c.mean, c.spread) for c in printed}) == 1


def test_dblp_between_chosen_and_best(record_property):
    """At eps_y = .5 the printed RGNN lies above the setting chosen on noisy labels and below the best in hindsight."""
    right = search.means(rows_of(EXPERIMENTS["rgnn-search"]), "accuracy")
    for printed in cells("rgnn", "Table II", dataset="DBLP", method="RGNN", eps_y="0.5"):
        place = "dblp", "rgnn", search.SAMPLED * float(printed.parameters["eps_x"]), 0.5
        chosen, best = right[place][tuple(grid.chosen()[place].values())], max(right[place].values())
        assert chosen < printed.value < best
        record_property("witness", f"eps_x = {printed.parameters['eps_x']}: chosen {chosen:.1f}, printed {printed.mean}, best {best:.1f}")
    (printed,) = cells("rgnn", "Table II", dataset="DBLP", method="LPGNN", eps_y="0.5", eps_x="1")
    tried = right["dblp", "lpgnn", 10.0, 0.5].values()
    assert min(tried) < printed.value < max(tried)


def test_graphsage_at_chance_on_student(record_property):
    """Without any smoothing, at eps_y = .5, GraphSAGE is at chance on Student (two classes) at both budgets: ours has no
    interval above 55%, the share of the larger class; the printed means are 56.2 and 56.9."""
    for printed in cells("rgnn", "Table II", dataset="Student", method="GraphSAGE", eps_y="0.5"):
        epsilon_x = float(printed.parameters["eps_x"])
        ours = interval(list(ledger()(grid.as_printed("student-rgnn", "GraphSAGE", epsilon_x, 0.5), "accuracy").values()))
        assert ours.n == grid.SEEDS and ours.high < 55 < printed.value < 57
        record_property("witness", f"eps_x = {epsilon_x:g}: ours {ours}, printed {printed.mean}")


def test_what_the_printed_lpgnn_may_have_spent(record_property):
    """On Cora the printed LPGNN gains from the smaller budget. So does ours where it spends m eps_x on a feature vector,
    and not where it spends eps_x."""
    def gain(epsilon_y: str, whole: bool) -> float:
        small, large = (ledger()(grid.as_printed("cora", "LPGNN", x, float(epsilon_y), whole), "accuracy") for x in (0.1, 1.0))
        return minus(small, large).mean
    printed = {e: {c.parameters["eps_x"]: c.value for c in cells("rgnn", "Table II", dataset="Cora", method="LPGNN", eps_y=e)}
               for e in ("3", "2", "1", "0.5")}
    rows = {e: (v["0.1"] - v["1"], gain(e, False), gain(e, True)) for e, v in printed.items()}
    assert all(p > 6 and each > 4 and abs(whole) < 4 for p, each, whole in rows.values()), rows
    record_property("witness", "; ".join(f"eps_y = {e}: printed {p:+.1f}, ours {each:+.1f} and {whole:+.1f}"
                                         for e, (p, each, whole) in rows.items()))
