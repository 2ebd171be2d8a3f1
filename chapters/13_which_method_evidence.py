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
# For whoever wants to check {doc}`13_which_method`: every method, budget and graph, with half of its 95% interval over seeds. Intervals are over splits and noise of one graph each. A dash stands for what was not run: below a budget of 8 randomised response reports too many pairs on the larger graphs.

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
    """One row an arm, one column a true budget."""
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
# *votes*: with labels; *regularised*: 64 hidden units, dropout of one half and weight decay, as the votes' perceptron has them. *noisy graph*: symmetric randomised response, handed to a plain GCN, or summed and read by the votes' read-out.

# %% tags=["hide-input"]
from IPython.display import Markdown, display

def all_of(unit, heading):
    for graph in GRAPHS:
        if measured(unit, graph):
            display(Markdown(f"**{graph}**, {heading}"), grid(unit, graph, UNITS[unit].arms), costless(unit, graph))

all_of("undirected edge", "true budget of an undirected edge")


# %% [markdown]
# Three things to see there. *Permuted features* cost a plain GCN {glue:text}`cora_lost:.0f` points on Cora and {glue:text}`yale_lost:.0f` on Yale, where the graph tells all. *Structure alone*, rows of the two-hop matrix in place of features, is {glue:text}`cora_structure:.0f` points below a perceptron on Cora. A noisy graph that is useless to a GCN, at a budget of 1 for example, costs the votes' read-out at most a point on Cora and Citeseer, because it may leave the graph alone.

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

# %% [markdown]
# ### Who gains?
#
# Break-even of votes for thirds of the people by their number of neighbours. In brackets, the interval.

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

# %% tags=["hide-input"]
all_of("features and label", "true budget of features and label together")

# %% [markdown]
# ### Real features less those of somebody else
#
# The difference, seed by seed, for the two methods that send features. An interval that excludes 0 would be a sign that they are used; but of so many 95% intervals one in twenty excludes it by chance, on either side.

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
# NodeGAP, whose node is replaced, and the one-hop GCN were run at two budgets, with the largest degree of the graph as the promised bound. The one-hop GCN was run once at two others.

# %% tags=["hide-input"]
all_of("node", "true budget of a node, without public data")

# %% [markdown]
# ## What is missing
#
# Of the graphs that the experiments name, nothing was run on these yet:

# %% tags=["hide-input"]
missing = {unit: [graph for graph in GRAPHS if not measured(unit, graph)] for unit in UNITS}
show.table([{"unit": unit, "graphs": ", ".join(graphs) or "none"} for unit, graphs in missing.items()])

# %% [markdown]
# `privbook reproduce side-edges` (and `side-records`, `side-nodes`) goes on where it stopped. LPGNet as published, noisy graph diffusion, DPAR and UPGNet are known to us by abstract or code only and are not in the grid. Every arm attacked at every budget, and what a choice among methods on private validation labels would have gained, were not measured.
