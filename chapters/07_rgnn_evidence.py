# ---
# jupyter:
#   jupytext:
#     default_lexer: ipython3
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # RGNN: the printed numbers, and the whole comparison
#
# At equal true budgets the label budget decides between RGNN and LPGNN. On no graph do the best runs with people's features exceed the best runs on fair coins by more than {glue:text}`owed_at_all:.1f` points, averaged over the label budgets. This page has the evidence for {doc}`RGNN <07_rgnn>` and for {doc}`the worth of its features <07_reconstruction>`. It compares the paper's table and ablations with our runs, and lists all differences between RGNN and LPGNN at equal true budgets. It also exchanges the halves of the two methods, and shows why LPGNN does better when it receives less information. Numbers are from the ledger, in percent, with 95% intervals over five seeds. Every printed cell is in {doc}`the tables of RGNN <15_tables_rgnn>`, and the rule behind the verdicts in {doc}`reproductions <15_reproductions>`.

# %% tags=["hide-input"]
import math
from collections import Counter
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from myst_nb import glue

import privbook
from privbook import show
from privbook.papers.rgnn import search
from privbook.papers.rgnn import tables as grid
from privgraph.mechanisms import MultiBit
from privgraph.nn import interval

show.use_style()

# %% tags=["hide-input"]
runs = privbook.Results("rgnn")
GRAPHS = {"cora": "Cora", "citeseer": "Citeseer", "dblp": "DBLP",
          "facebook-pages": "Facebook", "german-rgnn": "German", "student-rgnn": "Student"}
BUDGETS, LABELS = (10.0, 1.0), (3.0, 2.0, 1.0, 0.5)

def tuned(method, dataset, budget, epsilon_y, features="real",
          all_features=False):
    """The runs at a true budget, with the hyperparameters that were chosen."""
    m = {"rgnn": grid.categories(dataset) if all_features else 10,
         "lpgnn": 0}[method]                            # 0: LPGNN's own m
    return grid.tuned(dataset, method, budget, epsilon_y, features=features,
                      sampled=m)


# %% [markdown]
# ## The paper's numbers and ours
#
# The table has the paper's Table II on Cora. All methods sample $m = 10$ features. In our runs LPGNN has RGNN's hops and, like RGNN, $10\,\varepsilon_x$ for a feature vector, an amount that the paper does not state. GraphSAGE is trained directly on the noisy reports. The printed $\pm$ is a standard deviation over five runs, and ours is a 95% interval of the mean.

# %% tags=["hide-input", "full-width"]
comparisons = privbook.compare_paper("rgnn")
rows = {}
for c in comparisons:
    if c.printed.table == "Table II" and c.printed.dataset == "Cora":
        eps_x, eps_y = (c.printed.parameters[name] for name in ("eps_x", "eps_y"))
        row = rows.setdefault((c.printed.method, eps_x), {"method": c.printed.method, "ε_x": eps_x})
        row |= {f"ε_y = {eps_y}: printed": c.printed, f"ours, {eps_y}": c.ours}
show.table(list(rows.values()))

# %% tags=["remove-cell"]
off = {(c.printed.method, *(c.printed.parameters[n] for n in ("eps_x", "eps_y"))): c.ours.mean - c.printed.value
       for c in comparisons if c.printed.table == "Table II" and c.printed.dataset == "Cora"}
near = max(abs(gap) for (method, _, e), gap in off.items() if method == "RGNN" and e in ("3", "2"))
glue("near", near, display=False)
glue("lpgnn_above", sum(gap > 0 for (method, *_), gap in off.items() if method == "LPGNN"), display=False)
assert near < 2.5 and sum(gap > 0 for (method, *_), gap in off.items() if method == "LPGNN") == 7

# %% [markdown]
# At the two larger label budgets RGNN's accuracy lies within {glue:text}`near:.1f` points of the published values. At $\varepsilon_y$ of 1 and 0.5 our values stay well below. The best setting in hindsight (table below) comes nearer, but does not reach the printed values. LPGNN's printed cells show an effect that {ref}`a later section <sec-07-less>` explains. LPGNN is far worse at the larger feature budget, with large standard deviations. Our values show the same effect, and are higher than the printed ones in {glue:text}`lpgnn_above` of the 8 entries. All six graphs are in {doc}`the tables of RGNN <15_tables_rgnn>`, and the settings that we tried in {doc}`not reproduced <15_not_reproduced>`.
#
# ## RGNN and LPGNN at equal true budgets
#
# For RGNN we tried 40 settings for each graph and each pair of a feature budget and a label budget, drawn from the paper's ranges of $K_x$, $K_y$, $C$ and $\alpha$. For LPGNN we tried all 16 pairs of hops, with and without standardised inputs. On the small graphs each setting had three releases (with one seed each), because there are few labels to select by. The selection criterion is the agreement with the noisy labels of validation people. The best epoch of each run is chosen on these labels too, in RGNN by the share of the voted labels that it predicts, and in LPGNN by its loss. (We took a shortcut, since the choice is made once and used for all five seeds. A server would choose on its one release, which costs nothing, whereas our choice on a small graph used three releases. Both methods use these labels in their votes as well, so the criterion may be biased. Runs on fair coins keep the settings that were chosen on features.)
#
# % Figure: At feature budgets of 10 (shown here) and 1, RGNN is better in {glue:text}`rgnn_wins_large` of {glue:text}`n_half` cells with label budgets of 3 and 2, and LPGNN in {glue:text}`lpgnn_wins_small` with 1 and 0.5.

# %% mystnb={"image": {"alt": "Six panels, one for each graph, of test accuracy over the label budget from 3 down to 0.5, at a true feature budget of 10. In each panel four lines with 95% intervals over five seeds - RGNN, LPGNN, and each of them on coins instead of features."}} tags=["hide-input", "full-width"]
figure, panels = plt.subplots(2, 3, figsize=(9.6, 4.8), sharex=True)
kinds = [("rgnn", "real", "RGNN", "blue", "o", "-"), ("rgnn", "coins", "RGNN on coins", "sky", "o", ":"),
         ("lpgnn", "real", "LPGNN", "orange", "s", "--"), ("lpgnn", "coins", "LPGNN on coins", "yellow", "s", ":")]
for axes, (dataset, name) in zip(panels.flat, GRAPHS.items(), strict=True):
    for shift, (method, features, label, colour, marker, line) in zip((-0.06, -0.02, 0.02, 0.06), kinds, strict=True):
        found = [runs.mean(**tuned(method, dataset, 10.0, e, features)) for e in LABELS]
        show.points(axes, np.arange(4) + shift, found, label, colour, marker=marker, linestyle=line,
                    linewidth=1.4, markerfacecolor="white" if features == "coins" else None)
    axes.set_title(name)
    axes.set_xticks(range(4), [f"{e:g}" for e in LABELS])
panels[1, 1].set_xlabel("$\\varepsilon_y$")
figure.supylabel("accuracy in %", fontsize="medium")
figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
plt.show()

# %% [markdown]
# In the figure the vertical axes differ from graph to graph, and `coins` marks the runs on fair coins. The table has the differences, seed by seed, with their 95% intervals.

# %% tags=["hide-input"]
rows, wins = [], Counter()                       # (label budget, sign) -> cells
for (dataset, name), budget in product(GRAPHS.items(), BUDGETS):
    row = {"graph": name, "features' budget": f"{budget:g}"}
    for e in LABELS:
        gap = runs.gap(tuned("rgnn", dataset, budget, e), tuned("lpgnn", dataset, budget, e))
        row[f"RGNN − LPGNN, ε_y = {e:g}"] = gap
        wins[e, (gap.low > 0) - (gap.high < 0)] += 1
        assert name not in ("German", "Student") or gap.low <= 0 <= gap.high
    rows.append(row)
show.table(rows)


# %% tags=["remove-cell"]
def cells_with(sign, budgets=LABELS):
    return sum(wins[e, sign] for e in budgets)

for name, sign in (("rgnn_wins", 1), ("lpgnn_wins", -1), ("no_winner", 0)):
    glue(name, cells_with(sign), display=False)
    glue(name + "_large", cells_with(sign, (3.0, 2.0)), display=False)
    glue(name + "_small", cells_with(sign, (1.0, 0.5)), display=False)
glue("n_cells", len(GRAPHS) * 8, display=False)
glue("n_half", len(GRAPHS) * 4, display=False)
assert cells_with(1, (3.0, 2.0)) > cells_with(-1, (3.0, 2.0)) and cells_with(-1, (1.0, 0.5)) > cells_with(1, (1.0, 0.5))

# %% [markdown]
# Of {glue:text}`n_cells` cells RGNN is better in {glue:text}`rgnn_wins`, LPGNN in {glue:text}`lpgnn_wins`, and in {glue:text}`no_winner` the interval includes zero. (Each interval errs one time in twenty, so two or three of the cells may be decided by chance.) The label budget decides. At $\varepsilon_y$ of 3 and 2 RGNN is better in {glue:text}`rgnn_wins_large` of {glue:text}`n_half` cells and LPGNN in {glue:text}`lpgnn_wins_large`, whereas at 1 and 0.5 RGNN is better in {glue:text}`rgnn_wins_small` and LPGNN in {glue:text}`lpgnn_wins_small`. On German and Student no cell is decided.
#
# The methods or the tuning could cause these differences, because noisy labels are a poor selection criterion where they are mostly wrong. However, the ledger of the search also contains the accuracy of every setting on true test labels, which the server may not see. The next table therefore has the best setting of each method in hindsight (features' budget 10, means of the trial runs). The best of many means is a little too high, for both methods alike.

# %% tags=["hide-input"]
right = search.means(privbook.Results("rgnn-search").rows, "accuracy")
best = {place: max(found.values()) for place, found in right.items()}
lost = {place: best[place] - found[tuple(grid.chosen()[place].values())]
        for place, found in right.items()}
show.table([{"graph": name} | {f"ε_y = {e:g}: RGNN, LPGNN": " , ".join(
    f"{best[dataset, method, 10.0, e]:.1f}" for method in ("rgnn", "lpgnn")) for e in LABELS}
    for dataset, name in GRAPHS.items()])


# %% tags=["remove-cell"]
def lead(e):
    """RGNN - LPGNN, both at their best in hindsight, mean over the graphs."""
    return float(np.mean([best[d, "rgnn", 10.0, e] - best[d, "lpgnn", 10.0, e] for d in GRAPHS]))

for method in ("rgnn", "lpgnn"):
    losses = [lost[d, method, b, e] for d in GRAPHS for b in BUDGETS for e in LABELS]
    glue(f"lost_{method}", float(np.mean(losses)), display=False)
    glue(f"lost_{method}_worst", max(losses), display=False)
glue("lead_large", lead(3.0), display=False)
glue("lead_small", lead(0.5), display=False)
assert lead(3.0) > 0 > lead(0.5)


# %% [markdown]
# Choosing on noisy labels costs RGNN {glue:text}`lost_rgnn:.1f` points on average and LPGNN {glue:text}`lost_lpgnn:.1f`, and at worst {glue:text}`lost_rgnn_worst:.0f` and {glue:text}`lost_lpgnn_worst:.0f`. On average over the graphs, however, the order of the methods at the largest and at the smallest label budget stays the same. In hindsight RGNN leads by {glue:text}`lead_large:.1f` points at $\varepsilon_y = 3$, and is behind at 0.5 ({glue:text}`lead_small:.1f`). On a single graph the order can change, as on DBLP at 0.5.
#
# ## The best runs with features and without
#
# {doc}`The second page <07_reconstruction>` finds next to no gain from people's features at the budgets of the paper. Another setting might bring a gain back. We therefore take all runs at budgets of 10 and 1 (RGNN and LPGNN at both, RGNN standardised at 10), and compare the best one with people's features and the best one on fair coins.

# %% tags=["hide-input"]
def pooled(dataset, budget, features, method="rgnn", **changes):
    """Accuracy averaged over the label budgets, seed by seed."""
    found = runs.pooled(grid.tuned(dataset, method, budget, e, features=features,
                                   sampled=grid.OWN[method], **changes) for e in LABELS)
    return interval(list(found.values()))

rows, owed_at_all = [], {}
for dataset, name in GRAPHS.items():
    best_of_all = {}
    for features, label in (("real", "features"), ("coins", "coins")):
        tries = [pooled(dataset, b, features) for b in BUDGETS]
        tries += [pooled(dataset, 10.0, features, standardise=1)]
        tries += [pooled(dataset, b, features, method="lpgnn") for b in BUDGETS]
        best_of_all[label] = max(tries, key=lambda each: each.mean)
    owed_at_all[name] = best_of_all["features"].mean - best_of_all["coins"].mean
    rows.append({"graph": name} | {f"best, {k}": v for k, v in best_of_all.items()}
                | {"difference": f"{round(owed_at_all[name], 1) + 0:.1f}"})
glue("owed_at_all", max(owed_at_all.values()), display=False)
assert max(map(abs, owed_at_all.values())) < 3
show.table(rows)

# %% [markdown]
# On no graph are people's features worth more than {glue:text}`owed_at_all:.1f` points on average.
#
# ## The two methods with their halves exchanged
#
# The two methods differ in the inputs of the network, and in their treatment of noisy labels. We therefore exchange these halves. The first half is the features *and the network* with its settings (LPGNN has dropout and weight decay, RGNN has neither). The second half is the labels and the loss, with its clusters. Both methods collect the same noisy labels. The figure has the accuracies on Cora at a features' budget of 10.
#
# % Figure: On Cora the half with the labels decides, because both fields in RGNN's column are higher at a label budget of 3, and both in LPGNN's column at 1.

# %% mystnb={"image": {"alt": "Two squares of four fields, Cora at a label budget of 3 and of 1. Columns are the labels' half of RGNN and of LPGNN, rows the features' half. At 3 both fields in RGNN's column are higher; at 1 both in LPGNN's column are."}} tags=["hide-input"]
kinds = ("rgnn", "lpgnn")

def cell_of(dataset, a, b, e):
    """The features' half of ``a`` with the labels' half of ``b``."""
    return tuned(a, dataset, 10.0, e) if a == b else grid.crossed(dataset, a, b, 10.0, e)

figure, panels = plt.subplots(1, 2, figsize=(7.2, 2.9))
for axes, e in zip(panels, (3.0, 1.0), strict=True):
    found = np.array([[runs.mean(**cell_of("cora", a, b, e)).mean for b in kinds] for a in kinds])
    show.heat(axes, found, [f"{k.upper()}'s features" for k in kinds], [f"{k.upper()}'s labels" for k in kinds])
    axes.set(title=f"Cora, $\\varepsilon_y$ = {e:g}")
    axes.grid(False)
plt.show()


# %% [markdown]
# The lower left field is the original RGNN, and the upper right one LPGNN. A step to the right exchanges the labels' half, and a step up exchanges the features' half. Each entry of the next table is the gain of one half of RGNN over the same half of LPGNN, averaged over the two kinds of the other half (features' budget 10). For one graph and label budget the two gains add up to RGNN − LPGNN.

# %% tags=["hide-input", "full-width"]
def halves(dataset, e):
    """What RGNN's features, and RGNN's labels, add to LPGNN's."""
    of = {(a, b): cell_of(dataset, a, b, e) for a in kinds for b in kinds}
    return (runs.gap([of["rgnn", b] for b in kinds], [of["lpgnn", b] for b in kinds]),
            runs.gap([of[a, "rgnn"] for a in kinds], [of[a, "lpgnn"] for a in kinds]))

rows, labels_gain, features_gain = [], {}, {}
for dataset, name in GRAPHS.items():
    for e in LABELS:
        features_gain[name, e], labels_gain[name, e] = halves(dataset, e)
    rows.append({"graph": name} | {f"labels, ε_y = {e:g}": labels_gain[name, e] for e in LABELS}
                | {f"features, {e:g}": features_gain[name, e] for e in LABELS})
show.table(rows)

# %% tags=["remove-cell"]
(where, at), most = max(features_gain.items(), key=lambda item: item[1].mean)
glue("features_most", most.mean, display=False)
glue("features_where", f"{where}, ε_y = {at:g}", display=False)
glue("labels_three", str(labels_gain["Cora", 3.0]), display=False)
glue("labels_one", str(labels_gain["Cora", 1.0]), display=False)
assert labels_gain["Cora", 3.0].low > 0 > labels_gain["Cora", 1.0].high
assert labels_gain["Citeseer", 3.0].low > 0 and features_gain["Citeseer", 3.0].low > 0
for large in ("DBLP", "Facebook"):
    assert all((labels_gain[large, e].low > 0) == (e > 0.5) and features_gain[large, e].mean < 0 for e in LABELS)
assert labels_gain["Citeseer", 2.0].low > 0 and features_gain["Citeseer", 2.0].low > 0
lost = [features_gain[large, e].high < 0 for large in ("DBLP", "Facebook") for e in LABELS]
assert sum(lost) == len(lost) - 1
glue("features_lose", sum(lost), display=False)
glue("features_cells", len(lost), display=False)
student = [gain["Student", e] for gain in (labels_gain, features_gain) for e in LABELS]
assert all(gap.low < 0 < gap.high for gap in student)
german = [labels_gain["German", e].mean + features_gain["German", e].mean for e in LABELS]
assert max(map(abs, german)) < 1

# %% [markdown]
# On Cora the labels' half decides, and its gain changes its sign. It is {glue:text}`labels_three` points at $\varepsilon_y = 3$ and {glue:text}`labels_one` at 1. On Citeseer both halves gain at the two larger label budgets. On DBLP and Facebook RGNN's labels gain at every label budget except 0.5, whereas its features lose, as {glue:text}`features_lose` of {glue:text}`features_cells` intervals show. This fits the fact that LPGNN's reports, which are empty where RGNN's are fakes, have the smaller variance. On German the halves cancel on average, and on Student each interval contains zero.
#
# (sec-07-less)=
# ## A method that does better with less information

# %% tags=["remove-cell"]
printed = {(c.method, c.dataset, c.parameters["eps_x"], c.parameters["eps_y"]): c.value
           for c in privbook.entries("rgnn", "Table II")}
moves = {method: np.array([printed[method, d, "0.1", e] - value
                           for (m, d, eps, e), value in printed.items() if (m, eps) == (method, "1")])
         for method in ("LPGNN", "RGNN")}
glue("less_is_more", int((moves["LPGNN"] > 0).sum()), display=False)
glue("n_pairs", len(moves["LPGNN"]), display=False)
glue("less_gain", float(moves["LPGNN"].mean()), display=False)
glue("bit_scale", MultiBit(1.0, grid.categories("cora")).scale, display=False)
glue("rgnn_moves", float(moves["RGNN"].mean()), display=False)
assert (moves["LPGNN"] > 0).mean() > 0.8 and abs(moves["RGNN"].mean()) < 1

# %% [markdown]
# In {glue:text}`less_is_more` of {glue:text}`n_pairs` pairs of cells in the paper's own table (its rows for Cora are above), LPGNN is *more* accurate at $\varepsilon_x = 0.1$ than at $\varepsilon_x = 1$, by {glue:text}`less_gain:.1f` points on average. RGNN's cells move by {glue:text}`rgnn_moves:.1f` on average. A method that gains from receiving less information is not learning from that information. The cause is again the scale of the network's inputs. Multi-bit's estimates on Cora lie near $\pm${glue:text}`bit_scale:.0f` at a budget of 1, or at one half where nothing was reported, and between 0 and 1 without noise. After many hops the averages are nearly equal for all people. A network that is trained for 100 epochs at one learning rate learns fast from large inputs and hardly from small ones. A smaller budget has larger estimates, and therefore LPGNN learns faster.
#
# Standardised inputs repair this too, as the next figure shows.
#
# % Figure: LPGNN without standardised inputs loses accuracy on Cora and Citeseer as the features' budget grows from 1 to infinity, and with them it does not.

# %% mystnb={"image": {"alt": "Six panels of accuracy over the true budget of the features, 1 to infinity, LPGNN above and RGNN below, for Cora, Citeseer and Student. LPGNN without standardised inputs falls from 67 to 41% on Cora and from 48 to 36% on Citeseer as the budget grows; standardised it stays or rises. RGNN without standardising rises by about ten points; standardised it stays flat, with coins beside it. On Student all lines lie between 85 and 92% with wide intervals."}} tags=["hide-input", "full-width"]
studied, hops = ("cora", "citeseer", "student-rgnn"), (0, 2, 16)

def best_of(method, dataset, budget, features, scaled):
    """At the number of hops with the best mean, which is kind to all."""
    m = grid.categories(dataset) if method == "rgnn" else 0
    settings = [grid.tuned(dataset, method, *grid.TYPICAL, sampled=m, features=features,
                           x_steps=k, standardise=scaled) | dict(budget=budget) for k in hops]
    return max((runs.mean(**setting) for setting in settings), key=lambda f: f.mean)

figure, panels = plt.subplots(2, 3, figsize=(9.6, 5), sharex=True)
places = np.arange(len(grid.MORE_BUDGETS))
lines = [("real", 0, "not standardised", "purple", "s", "--"), ("real", 1, "standardised", "green", "o", "-"),
         ("coins", 1, "standardised, on coins", "grey", "^", ":")]
for (method, dataset), axes in zip(product(("lpgnn", "rgnn"), studied), panels.flat, strict=True):
    for shift, (features, scaled, label, colour, marker, line) in zip((-0.08, 0, 0.08), lines, strict=True):
        found = [best_of(method, dataset, b, features, scaled) for b in grid.MORE_BUDGETS]
        show.points(axes, places + shift, found, label, colour, marker=marker, linestyle=line, markersize=4,
                    linewidth=1.4)
    axes.set_title(f"{method.upper()}, {GRAPHS[dataset]}")
    axes.set_xticks(places, ["∞" if b == math.inf else f"{b:g}" for b in grid.MORE_BUDGETS])
panels[1, 1].set_xlabel("true budget of the features")
figure.supylabel("accuracy in %", fontsize="medium")
figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()


# %% [markdown]
# All panels have $\varepsilon_y = 1$ and the best of 0, 2 and 16 hops. RGNN reports all features, and the other settings are those chosen at a budget of 10. Without standardised inputs, as in the paper (dashed), LPGNN *loses* accuracy on Cora and Citeseer as its features carry less noise. With standardised inputs (solid) it does not. On Cora it does not gain either. It leaves the fair coins behind only because these get worse. On these two graphs RGNN behaves in the opposite way. It gains from a large budget without standardised inputs, and hardly with them. The scale of the inputs therefore matters to RGNN too, in the other direction. We have not found out why.
#
# The last question is at which budget people's features begin to matter. In the next table each method has the inputs that suit it (LPGNN standardised, RGNN not) and 16 hops, at $\varepsilon_y = 1$. The entries are the accuracy with features minus that with fair coins, seed by seed.

# %% tags=["hide-input"]
def over_coins(method, dataset, budget):
    m = grid.categories(dataset) if method == "rgnn" else 0
    real, coins = (grid.tuned(dataset, method, *grid.TYPICAL, sampled=m, features=features, x_steps=16,
                              standardise=int(method == "lpgnn")) for features in ("real", "coins"))
    return runs.gap(real | dict(budget=budget), coins | dict(budget=budget))

rows, above = [], Counter()                      # budget -> gains whose interval lies above 0
for dataset, method in product(studied, ("lpgnn", "rgnn")):
    gains = {b: over_coins(method, dataset, b) for b in grid.MORE_BUDGETS[1:]}
    above.update(b for b, gain in gains.items() if gain.low > 0)
    rows.append({"graph": GRAPHS[dataset], "method": method.upper()}
                | {"no noise" if b == math.inf else f"budget {b:g}": gain for b, gain in gains.items()})
assert above[10.0] < above[100.0]
show.table(rows)

# %% [markdown]
# At a budget of 10 the interval of the gain lies above zero in {glue:text}`above_10` of {glue:text}`n_above` rows, and at 100 in {glue:text}`above_100`. Spread over the {glue:text}`cora_features` features of Cora, a budget of 100 leaves {glue:text}`each_gets:.1f` for each, and a report is true with probability {glue:text}`each_true:.2f`. This may be acceptable for one feature. For a person it is little privacy, because most of their report is true.

# %% tags=["remove-cell"]
glue("above_10", above[10.0], display=False)
glue("above_100", above[100.0], display=False)
glue("n_above", len(rows), display=False)
glue("cora_features", grid.categories("cora"), display=False)
glue("each_gets", 100 / grid.categories("cora"), display=False)
glue("each_true", 1 / (1 + math.exp(-100 / grid.categories("cora"))), display=False)

# %% [markdown]
# ## What each part does
#
# The paper leaves out one part at a time (section V-B3, $\varepsilon_x = 1$, $\varepsilon_y = 0.5$). The parts are the averaging of features ($f_X$), the vote on labels ($f_Y$) and the clusters (LLP).

# %% tags=["hide-input"]
rows = {}
for c in comparisons:
    if c.printed.table == "Section V-B3":
        row = rows.setdefault(c.printed.method, {"variant": c.printed.method})
        row |= {f"{c.printed.dataset}, printed": c.printed, f"{c.printed.dataset}, ours": c.ours}
show.table(list(rows.values()))


# %% [markdown]
# % Figure: At a label budget of 3, averaging the features raises RGNN's accuracy on Citeseer and DBLP by more than 20 points, far more than averaging the labels does.

# %% mystnb={"image": {"alt": "Six panels of RGNN's accuracy. Left, over the hops of features on Citeseer and DBLP, both curves rise steeply from 0 to 2 hops and slowly to 16, at true budgets of 10 and 1 alike. Middle, over the hops of labels - on Citeseer all four label budgets gain, on DBLP only the smallest does and the others fall by a few points. Upper right, three backbones fall together with the label budget. Lower right, a heat map on DBLP between 60 and 64 percent, with its best cell at weight 1 and 128 clusters."}} tags=["hide-input", "full-width"]
def changed(dataset, budget=10.0, epsilon_y=3.0, **changes):
    return runs.mean(**grid.tuned(dataset, "rgnn", budget, epsilon_y, **changes))

figure, panels = plt.subplots(2, 3, figsize=(9.6, 5.4))
for axes, dataset in zip(panels[:, 0], grid.STUDIED, strict=True):
    for budget in BUDGETS:
        show.band(axes, range(5), [changed(dataset, budget, x_steps=k) for k in grid.STEPS],
                  f"true budget {budget:g}")
    axes.set(title=f"{GRAPHS[dataset]}: hops of features", xlabel="$K_x$")
for axes, dataset in zip(panels[:, 1], grid.STUDIED, strict=True):
    for e in LABELS:
        show.band(axes, range(5), [changed(dataset, epsilon_y=e, y_steps=k) for k in grid.STEPS],
                  f"$\\varepsilon_y$ = {e:g}")
    axes.set(title=f"{GRAPHS[dataset]}: hops of labels", xlabel="$K_y$")
for axes in panels[:, :2].flat:
    axes.set_xticks(range(5), grid.STEPS)
    axes.legend(fontsize=7)
for backbone, label in (("sage", "GraphSAGE"), ("gcn", "GCN"), ("gat", "GAT")):
    show.band(panels[0, 2], range(4), [changed("citeseer", epsilon_y=e, backbone=backbone) for e in LABELS], label)
panels[0, 2].set_xticks(range(4), [f"{e:g}" for e in LABELS])
panels[0, 2].set(title="Citeseer: backbones", xlabel="$\\varepsilon_y$")
panels[0, 2].legend(fontsize=7)
weights, counts = grid.WEIGHTS, grid.CLUSTERS[2:]
heat = np.array([[changed("dblp", epsilon_y=0.5, llp_weight=w, clusters=c).mean for c in counts] for w in weights])
show.heat(panels[1, 2], heat, [f"{w:g}" for w in weights], counts)
panels[1, 2].set(title="DBLP: weight α over clusters C", xlabel="C", ylabel="α")
panels[1, 2].grid(False)
for axes in panels[:, 0]:
    axes.set_ylabel("accuracy in %")
plt.show()

# %% tags=["remove-cell"]
assert np.unravel_index(heat.argmax(), heat.shape) == (weights.index(1.0), counts.index(128))
for dataset in grid.STUDIED:
    assert all(changed(dataset, b).mean > changed(dataset, b, x_steps=0).mean + 20 for b in BUDGETS)

# %% [markdown]
# Averaging the features (left, at $\varepsilon_y = 3$) matters most, at both feature budgets alike. At that label budget the vote on labels gains far less, whereas at 0.5 (in the table) it is worth almost as much on Citeseer. Voting on labels (middle) helps on Citeseer throughout. On DBLP it helps at the smallest label budget only, and at the others it costs a few points, because labels at these budgets are good enough to keep. The backbones (upper right) are alike. The clusters (lower right) gain a few points on DBLP, most with $\alpha = 1$ and 128 clusters, as in the paper, whereas the table shows no gain on Citeseer.
