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
# # Which method: all numbers
#
# Neighbour votes are the most accurate release of edges on two sparse graphs and a dense one, at budgets that are large enough for them to help and at most 4. This page has all numbers behind {doc}`the comparison of methods <13_which_method>`. After each mean stands half the width of its 95% interval over seeds, rounded to whole points. It covers splits and noise, but no other graphs. A number without ± is of one run. A dash means that a setting was not run, for example because randomised response reports too many pairs on larger graphs below 8.

# %% tags=["hide-input"]
import math

from myst_nb import glue

import privbook
from privbook import show
from privbook.papers.side_by_side.break_even import UNITS, of_arm, only_real
from privbook.papers.side_by_side.terms import BUDGETS, GRAPHS
from privbook.show.equal_budgets import from_which

show.use_style()
runs = {unit: privbook.Results(compared.experiment) for unit, compared in UNITS.items()}

def measured(unit, graph):
    """Whether anything was run there."""
    return any(row.head.dataset == graph for row in runs[unit].rows)

def shown(found):
    """A mean, and half of its interval in whole points: a column must not be off the page."""
    if found is None:
        return "–"
    return f"{found.mean:.1f}" + (f" ± {found.half:.0f}" if math.isfinite(found.half) else "")


# %% tags=["hide-input"]
def grid(unit, graph, arms, **more):
    """One row per arm, one column per true budget."""
    extra = only_real(unit) | more
    rows = [{"method": arm} | {f"{budget:g}": shown(runs[unit].mean(
        "accuracy", dataset=graph, method=arm, budget=budget, **extra)) for budget in BUDGETS} for arm in arms]
    return show.table([row for row in rows if any(value != "–" for value in list(row.values())[1:])])

def costless(unit, graph):
    """What reads nothing private, or hides nothing."""
    names = dict.fromkeys(row.setting["method"] for row in runs[unit].rows
                          if row.head.dataset == graph and not row.setting["budget"])
    return show.table([{"reference": name, "accuracy in %": shown(runs[unit].mean(
        "accuracy", dataset=graph, method=name, budget=0.0, **only_real(unit)))} for name in names])


# %% [markdown]
# ## An undirected edge
#
# Plain *votes* contain the labels of the training nodes (*votes no labels* do not). GAP and ProGAP with *labels* sum them as well. With *two rounds* or *two stages* a method sums twice. *Regularised* means 64 hidden units, a dropout of one half and weight decay, as for the votes. A *noisy graph* comes from randomised response on every pair, *lapgraph* from Laplace noise and *blink* from {doc}`Blink <08_sound_edges>`, and a plain GCN is trained on each. With *noisy graph votes*, the votes are summed over the first of these graphs for the read-out (the second perceptron). After the methods, each graph has a table of references that use no private edge (*no edges* is the read-out without sums), or all edges without noise (*labels alone* is label propagation).

# %% tags=["hide-input"]
from IPython.display import Markdown, display

def all_of(unit, heading):
    for graph in GRAPHS:
        if measured(unit, graph):
            display(Markdown(f"**{graph}**, {heading}"), grid(unit, graph, UNITS[unit].arms), costless(unit, graph))

all_of("undirected edge", "true budget of an undirected edge")


# %% [markdown]
# Three results stand out. First, *permuted features* cost a plain GCN {glue:text}`cora_lost:.0f` points on Cora and {glue:text}`yale_lost:.0f` on Yale, where the graph alone predicts the class. Second, *structure alone*, a perceptron on random numbers averaged twice, is {glue:text}`cora_structure:.0f` points below a perceptron on Cora's features. Third, a noisy graph can be useless to a GCN, for example at a budget of 1 on Cora and Citeseer. There it costs the votes' read-out only about a point, because the read-out can ignore the graph.

# %% tags=["remove-cell"]
def above(graph, first, second):
    """How much more accurate one reference is than another, in points."""
    return runs["undirected edge"].gap(dict(method=first), dict(method=second), "accuracy", dataset=graph,
                                       budget=0.0).mean

for graph, short in (("cora", "cora"), ("fb100-yale", "yale")):
    glue(f"{short}_lost", above(graph, "plain gcn", "plain gcn permuted features"), display=False)
for graph in ("cora", "citeseer"):
    noisy, without, gcn = (runs["undirected edge"].mean("accuracy", dataset=graph, method=name, budget=budget).mean
                           for name, budget in (("noisy graph votes", 1.0), ("no edges", 0.0), ("noisy graph", 1.0)))
    assert without - noisy < 1.5 and gcn < without - 30
glue("cora_structure", above("cora", "perceptron", "structure alone"), display=False)
one, other = runs["features and label"].values("accuracy", dataset="fb100-yale", method="lpgnn label only",
                                               budget=2.0).values()
glue("yale_apart", abs(one - other), display=False)

# %% [markdown]
# ### Who gains?
#
# The table shows the break-even of votes, that is, the smallest budget from which on they beat the best method without edges, for thirds of the nodes by number of neighbours. Brackets hold the 95% interval, if it has more than one budget. On Cora and Citeseer, nodes with few neighbours need the largest budget. On Yale the smallest budget suffices.

# %% tags=["hide-input"]
rows = []
for graph in GRAPHS:
    found = {third: of_arm(runs["undirected edge"], graph, "undirected edge", "votes", third)
             for third in ("few", "some", "many")}
    if all(found.values()):
        rows.append({"graph": graph} | {f"{third} neighbours": from_which(even) for third, even in found.items()})
show.table(rows)

# %% [markdown]
# ## Features and label
#
# On Yale each mean is of two or three runs. The interval of two runs reaches almost 13 standard errors to each side. For example, the two runs of *lpgnn label only* at 2 differ by {glue:text}`yale_apart:.0f` points, hence their wide interval.

# %% tags=["hide-input"]
all_of("features and label", "true budget of features and label together")

# %% [markdown]
# ### Real features minus those of somebody else
#
# The table shows the difference in accuracy, paired by seed, for the two methods that send features. An interval that excludes 0 would suggest that features are used. However, about one in twenty 95% intervals excludes 0 by chance. For LPGNN on Cora, for example, the interval lies just above 0 at a budget of 2 and contains 0 at the others.

# %% tags=["hide-input"]
rows = []
for graph in GRAPHS:
    for method in ("lpgnn", "rgnn"):
        gaps = [runs["features and label"].gap({"features": "real"}, {"features": "permuted"}, "accuracy",
                                               dataset=graph, method=method, budget=budget)
                if measured("features and label", graph) and (method == "lpgnn" or graph in ("cora", "citeseer"))
                else None for budget in BUDGETS]
        if any(gap is not None for gap in gaps):
            rows.append({"graph": graph, "method": method}
                        | {f"{budget:g}": shown(gap) for budget, gap in zip(BUDGETS, gaps, strict=True)})
show.table(rows)

# %% [markdown]
# ## A node
#
# NodeGAP protects a node that is replaced, the others one that is added or removed. NodeGAP and the one-hop GCN were run at two budgets, with the graph's largest degree as promised bound. The one-hop GCN was also run once at two smaller budgets.

# %% tags=["hide-input"]
all_of("node", "true budget of a node, without public data")

# %% [markdown]
# ## What is missing
#
# The experiments were not run on the graphs in this table.

# %% tags=["hide-input"]
missing = {unit: [graph for graph in GRAPHS if not measured(unit, graph)] for unit in UNITS}
show.table([{"unit": unit, "graphs": ", ".join(graphs) or "none"} for unit, graphs in missing.items()])

# %% [markdown]
# `privbook reproduce side-edges` (and `side-records`, `side-nodes`) continues these experiments where they stopped. Four other methods (LPGNet as published, noisy graph diffusion, DPAR, UPGNet) are missing, because we know only their abstracts or code. We did not attack every method at every budget, nor measure the gain from choosing among methods by private validation labels.
