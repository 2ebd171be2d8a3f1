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
# # SE-GCL: the printed numbers, and what else was measured
#
# On the published sets, over ten seeds, SE-GCL shows no gain over a prototypical network (PN). Each of the six intervals of the difference (two sets, three numbers of shots) contains zero or ends below it. This page repeats the experiments on {doc}`SE-GCL <12_segcl>` and {doc}`its prototypes <12_prototypes>` on the published sets, compares the tables of the dissertation {cite}`dissertation` with our runs, and removes every part of SE-GCL in turn.
#
# Numbers come from the {doc}`ledger <../book/glossary>`. They are accuracies in percent over 100 tasks, unless a table says otherwise, with 95% intervals over seeds. Each seed draws its own weights, its own training and its own tasks, the same for all methods. Settings that have not been run are marked. {doc}`The dissertation's tables <15_tables_dissertation>` list every printed cell, and {doc}`the reproductions <15_reproductions>` state the rule behind the verdicts.

# %% tags=["hide-input"]
import math

import matplotlib.pyplot as plt
import torch
from sklearn.manifold import TSNE
from torch_geometric.data import Data

from myst_nb import glue

import privbook
from privbook import show
from privbook.papers.segcl.settings import BETAS, CHOSEN, RATES, TEMPERATURES
from privbook.papers.segcl.tasks import ATTEMPTS, ETAS
from privgraph.datasets import Sampler, load_graphs
from privgraph.graph import to_undirected
from privgraph.graph_batch import GraphBatch
from privgraph.methods import SEGCL, PrototypicalNetwork
from privgraph.methods.few_shot import numbers_of
from privgraph.randomness import seeded

show.use_style()

# %% tags=["hide-input"]
PUBLISHED = {"TRIANGLES": ("triangles-sample", 3), "Letter-High": ("letter-high", 4)}
GENERATED = {"triangles, generated": ("triangles", 3), "letters, generated": ("letters", 4)}
LARGE = {"Amazon-Clothing, in part": "amazon-clothing", "neighbourhoods, generated": "neighbourhoods-twin"}
null, choice, tasks, members, whole, noise, adapted = (privbook.Results(f"segcl-{name}") for name in (
    "null", "choice", "tasks", "membership", "recovery", "noise", "adaptation"))
SHOTS = (5, 10, 20)
CLASS = ("#4C86B8", "#DE8B4A", "#6BB364", "#A97BC4")

def printed(method, name, shots, what="value"):
    cell, = (c for c in privbook.entries("dissertation", "Table 5.4")
             if c.method == method and c.dataset == name and int(c.parameters["shot"]) == shots)
    return float(getattr(cell, what))

def at(dataset, ways, shots=5, setting="chosen", layer="gcn", **more):
    """One setting of the experiment on tasks."""
    return dict(dataset=dataset, ways=ways, shots=shots, setting=setting, layer=layer, **{"eta": 0.8} | more)


# %% [markdown]
# ## Counting as a baseline
#
# The table shows the accuracy of the nearest class mean of simple numbers, without any training (see {doc}`SE-GCL <12_segcl>`), on the sets of Table 5.4. The last row of each set has the dissertation's values for SE-GCL.

# %% tags=["hide-input", "full-width"]
COUNTED = {"nodes and edges": "counts", "degrees": "degrees", "triangles": "triangles", "eigenvalues": "spectrum",
           "these four": "structure", "features, mean and spread": "features", "all": "all"}
rows = []
for name, (short, ways) in PUBLISHED.items():
    for what, columns in COUNTED.items():
        rows.append({"set": name, "nearest mean on": what} |
                    {f"{k}-shot": null.mean("accuracy", dataset=short, columns=columns, shots=k, ways=ways)
                     for k in (1, *SHOTS)})
    rows.append({"set": name, "nearest mean on": "*SE-GCL, printed*", "1-shot": ""} |
                {f"{k}-shot": f"{printed('SE-GCL', name, k):.1f}" for k in SHOTS})
show.table(rows)

# %% [markdown]
# ## Settings were chosen on base classes
#
# The sets have no classes for validation. Base classes were therefore split in two, ten times, and training used one part. By the highest average accuracy on the other part we chose the readout, the distance and the learning rate of PN, and then, with these, the weight and the temperature of SE-GCL's contrast. The column "on base classes" has this accuracy for PN, and the column after it the accuracy with the dissertation's settings, which are MinCUT pooling, the Wasserstein distance and a rate of a thousandth.

# %% tags=["hide-input", "full-width"]
rows = []
for name, (short, _) in (PUBLISHED | GENERATED).items():
    readout, distance, rate, beta, temperature = CHOSEN[short]
    said = dict(dataset=short, method="pn")
    rows.append({"set": name, "readout": readout, "distance": distance, "rate": f"{rate:g}",
                 "on base classes": choice.mean("accuracy", readout=readout, distance=distance, learning_rate=rate,
                                                **said),
                 "with the dissertation's settings": choice.mean("accuracy", readout="mincut", distance="wasserstein",
                                                  learning_rate=0.001, **said),
                 "contrast: weight, temperature": f"{beta:g}, {temperature:g}"})
show.table(rows)


# %% [markdown]
# Many chosen values lie at an end of their grid. On all six sets of this page (four in this table, two more in the next), the weight of the contrast is the smaller of the two that were tried, a tenth and one. A weight of zero is PN, and it is the only weight below a tenth that was tried. The temperature is the lowest or the highest of three on all six sets. The rate is the highest on TRIANGLES, the lowest on three sets, and the middle one on both sets of letters. With other values in the grids, others might therefore have been chosen. The next table compares the weights on base classes, seed by seed, each with its best temperature.

# %% tags=["hide-input", "full-width"]
def on_base(short, beta):
    """SE-GCL's setting with this weight and the temperature that is best with it."""
    readout, distance, rate, *_ = CHOSEN[short]
    place = dict(readout=readout, distance=distance, learning_rate=rate, dataset=short, method="segcl", beta=beta)
    return max((place | {"temperature": each} for each in TEMPERATURES),
               key=lambda place: choice.mean("accuracy", **place).mean)

dear = {}
for name, short in ({name: short for name, (short, _) in (PUBLISHED | GENERATED).items()} | LARGE).items():
    light, heavy = (on_base(short, beta) for beta in BETAS)
    plain = light | dict(method="pn", beta=0.0, temperature=0.0)
    dear[name] = {"a tenth minus PN": choice.gap(light, plain, "accuracy"),
                  "one minus PN": choice.gap(heavy, plain, "accuracy"),
                  "one minus a tenth": choice.gap(heavy, light, "accuracy")}
show.table([{"set": name} | found for name, found in dear.items()])

# %% tags=["remove-cell"]
assert BETAS == (0.1, 1.0) and len(TEMPERATURES) == len(RATES) == 3 and len(CHOSEN) == 6
ends = {short: RATES.index(rate) for short, (_, _, rate, *_) in CHOSEN.items()}
assert all(beta == BETAS[0] and TEMPERATURES.index(each) in (0, 2) for *_, beta, each in CHOSEN.values())
assert ends.pop("triangles-sample") == 2 and {k for k, at in ends.items() if at == 1} == {"letter-high", "letters"}
assert sum(at == 0 for at in ends.values()) == 3
assert all(gap.low < 0 < gap.high for found in dear.values() for gap in found.values())
costs = {name: found["one minus a tenth"].mean for name, found in dear.items()}
assert max(costs.values()) < 0.05 and all((cost < -0.4) == (name != "triangles, generated")
                                          for name, cost in costs.items())
glue("one_costs_t", -costs["TRIANGLES"], display=False)
glue("one_costs_h", -costs["Letter-High"], display=False)

# %% [markdown]
# On average a weight of one is less accurate than a tenth on all sets except generated triangles, where it makes no difference. The loss is {glue:text}`one_costs_t:.1f` points on TRIANGLES and {glue:text}`one_costs_h:.1f` on Letter-High. However, splits of few classes differ much, and every interval of this table contains zero. Base classes therefore cannot show that either weight is better, or worse, than none.
#
# ## Table 5.4
#
# The first table has our runs with the chosen settings, and the second compares them with the printed numbers. The dissertation calls its $\pm$ a standard deviation, and tests with 100 tasks. The last column has this value next to our standard deviation over the 100 tasks of a seed, and ours is many times as large. GSM {cite}`chauhan2020few`, a competing method, groups classes by the spectra of their graphs. The dissertation prints "GSM's best results", and our GSM is simpler than the original (`methods.few_shot.gsm` explains how).

# %% tags=["hide-input", "full-width"]
rows = []
for name, (short, ways) in PUBLISHED.items():
    for shots in SHOTS:
        place = at(short, ways, shots)
        rows.append({"set": name, "shots": shots} |
                    {label: tasks.mean("accuracy", method=method, **place)
                     for label, method in (("SE-GCL", "segcl"), ("PN", "pn"), ("GSM", "gsm"))} |
                    {"SE-GCL over tasks, printed and ours": f"± {printed('SE-GCL', name, shots, 'spread'):.1f}, "
                     f"± {tasks.mean('deviation', method='segcl', **place).mean:.1f}"})
show.table(rows)

# %% [markdown]
# How far are our numbers from the printed ones? The dissertation does not state over how many trainings its means are taken. A printed number therefore counts as that of one training, and two trainings of ours already differ by a point or two. The intervals in the last column are those of a difference to one training, so they are wider than those of our means. A clear verdict takes a large difference.

# %% tags=["hide-input", "full-width"]
rows = []
for found in privbook.compare_paper("dissertation"):
    cell = found.printed
    if cell.table == "Table 5.4":
        rows.append({"set": cell.dataset, "method": cell.method, "shots": int(cell.parameters["shot"]),
                     "verdict": found.verdict, "printed": f"{cell.value:.1f}", "ours": found.ours,
                     "ours minus printed": found.gap})
show.table(sorted(rows, key=lambda row: (row["method"], row["set"], row["shots"])))


# %% [markdown]
# On TRIANGLES the printed accuracy rises with the number of shots. In our runs the accuracy of PN and SE-GCL hardly rises, whatever we tried ({doc}`another page <15_not_reproduced>` lists the attempts), and the accuracy of GSM and counting rises a little. We do not know the reason.
#
# How much does contrast add? The next table shows SE-GCL minus PN, seed by seed on the same tasks. It also shows the same difference with shuffled views, where each graph must agree with the view of a random query. For comparison, one column has half the width of the 95% interval over the tasks of one seed.

# %% tags=["hide-input", "full-width"]
def minus_pn(method, **place):
    return tasks.mean("gap", method=method, **place)

def minus_shuffled(**place):
    return tasks.gap(dict(method="segcl"), dict(method="segcl-shuffled"), "accuracy", **place)

def fine(gap):
    """A difference with two digits, as some are smaller than a tenth."""
    return f"{gap.mean:+.2f} ± {gap.half:.2f}"

rows = []
for name, (short, ways) in (PUBLISHED | GENERATED).items():
    for shots in SHOTS:
        place = at(short, ways, shots)
        spread = tasks.values("gap_deviation", method="segcl", **place)
        rows.append({"set": name, "shots": shots, "SE-GCL minus PN, over seeds": fine(minus_pn("segcl", **place)),
                     "half interval over tasks of a seed": f"{1.98 * sum(spread.values()) / len(spread) / 10:.2f}",
                     "shuffled minus PN, over seeds": fine(minus_pn("segcl-shuffled", **place)),
                     "SE-GCL minus shuffled": fine(minus_shuffled(**place))})
show.table(rows)

# %% tags=["remove-cell"]
ALL = PUBLISHED | GENERATED
found, views, mixed = ({(name, shots): gap(**at(short, ways, shots)) for name, (short, ways) in ALL.items()
                        for shots in SHOTS} for gap in (
    lambda **place: minus_pn("segcl", **place), minus_shuffled, lambda **place: minus_pn("segcl-shuffled", **place)))
triangles, letters_of = GENERATED
assert {place for place, gap in found.items() if gap.low > 0} == {(triangles, shots) for shots in SHOTS}
assert all(gap.high < 1 for (name, _), gap in found.items() if name == triangles)
assert {place for place, gap in found.items() if gap.high < 0} == {("TRIANGLES", 10), (letters_of, 20)}
assert all(mixed[triangles, shots].low > 0 for shots in SHOTS)
assert mixed[letters_of, 20].mean < found[letters_of, 20].mean
assert {place for place, gap in views.items() if gap.low > 0} == {("Letter-High", 10), (letters_of, 20)}
assert all(gap.high > 0 for gap in views.values())
for label, gap in (("costs", found[letters_of, 20]), ("view_h", views["Letter-High", 10]),
                   ("view_l", views[letters_of, 20])):
    glue(label, fine(gap), display=False)
for label, pick in (("least", min), ("most", max)):
    glue(label, pick(found[triangles, shots].mean for shots in SHOTS), display=False)
for name, (short, ways) in PUBLISHED.items():
    assert {minus_pn("segcl", **at(short, ways, shots)).n for shots in SHOTS} == {10}
    for shots in SHOTS:  # the ± over tasks is many times the printed one
        ours = tasks.mean("deviation", method="segcl", **at(short, ways, shots)).mean
        assert ours > 4 * printed("SE-GCL", name, shots, "spread")
for short, ways in GENERATED.values():
    assert {minus_pn("segcl", **at(short, ways, shots)).n for shots in SHOTS} == {5}

# %% [markdown]
# On the *published* sets, over ten seeds, SE-GCL shows no gain over PN, because each of the six intervals contains zero or ends below it. On TRIANGLES with ten shots, contrast costs a little. The *generated* sets have five seeds. On triangles contrast adds {glue:text}`least:.1f` to {glue:text}`most:.1f` points at every number of shots. However, shuffled views add points too, and no interval distinguishes right views from shuffled ones, so the content of a view is not what helps. On letters contrast adds nothing, and with twenty shots it costs accuracy ({glue:text}`costs` points). Shuffled views cost more there.
#
# Is a right view better than a wrong one? In two of the twelve rows the interval lies above zero, namely Letter-High with ten shots ({glue:text}`view_h`) and generated letters with twenty ({glue:text}`view_l`). In neither of them is SE-GCL ahead of PN. Moreover, of twelve intervals at 95%, one may miss the true value by chance.
#
# ## Removing one part at a time
#
# All rows have five shots. The row "as printed" has the contrastive loss (eq. 5.5) unchanged, with features masked to zero. The next two rows have the positive view in the denominator, and masks of zeros and of ones. SE-GCL itself has a mask of means. "Without the classes" trains on the contrast alone, and "the other distance" replaces the Euclidean distance by the Wasserstein distance. The last rows are competing methods. A kernel that counts neighbourhood patterns (WL) feeds a support vector machine, GIN is a network trained on the support alone, and {doc}`MAML <../book/glossary>` adapts learnt initial weights by a few gradient steps. On TRIANGLES training with masks of zeros or ones ends at chance level, a third, and runs with the printed loss end anywhere between chance level and PN. On Letter-High the masks do no visible harm.

# %% tags=["hide-input", "full-width"]
PARTS = {"SE-GCL": "segcl", "as printed": "segcl-printed", "masked with zeros": "segcl-zeros",
         "masked with ones": "segcl-ones", "views shuffled": "segcl-shuffled", "without the classes": "segcl-no-meta",
         "the other distance": "segcl-other-distance", "PN": "pn", "PN, untrained": "pn-untrained", "GSM": "gsm",
         "WL kernel and SVM": "wl", "GIN on the support": "gin", "MAML": "maml", "MAML, first order": "maml-first",
         "MAML, untrained": "maml-untrained"}
rows = []
for label, method in PARTS.items():
    row = {"method": label}
    for name, (short, ways) in PUBLISHED.items():
        place = at(short, ways)
        row |= {name: tasks.mean("accuracy", method=method, **place),
                f"{name}, minus PN": "" if method == "pn" else minus_pn(method, **place)}
    rows.append(row)
show.table(rows)

# %% [markdown]
# MAML is better than its untrained start on Letter-High, both with second-order gradients, which differentiate through the gradient steps, and with first-order ones, which do not. On TRIANGLES it gains {glue:text}`maml_first` points with first order. With second order no gain can be seen ({glue:text}`maml_second`), because one seed of five ends at chance level. Three attempts to repair this were judged on base classes that training did not see. They use second order and a third of the training. The table shows each seed, two for each attempt and three for MAML as run. A column of the embeddings "sleeps" if it is zero for every graph, and the "outer rate" is the learning rate of the initial weights.

# %% tags=["hide-input", "full-width"]
THOUGHT = {"as-run": "", "longer": "the support is hardly fitted: ten steps, five times as wide",
           "slower": "training puts columns to sleep: a fifth of the outer rate", "both": "both of them"}
tried = {attempt: {metric: adapted.values(metric, dataset="triangles-sample", attempt=attempt, order="second")
                   for metric in ("accuracy", "untrained", "gain")} for attempt in ATTEMPTS}

def one_by_one(values, form):
    return ", ".join(format(value, form) for value in values.values())

show.table([{"attempt": attempt, "cause and change": THOUGHT[attempt], "trained": one_by_one(found["accuracy"], ".1f"),
             "untrained": one_by_one(found["untrained"], ".1f"), "gain": one_by_one(found["gain"], "+.1f")}
            for attempt, found in tried.items()], align="left")


# %% tags=["remove-cell"]
def beyond(method, start, short, ways, **more):
    return tasks.gap(dict(method=method), dict(method=start), "accuracy", **at(short, ways, **more))

for method in ("maml", "maml-first"):
    assert beyond(method, "maml-untrained", "letter-high", 4).low > 0
first, second = (beyond(method, "maml-untrained", "triangles-sample", 3) for method in ("maml-first", "maml"))
assert first.low > 0 and second.low < 0 < second.high and first.n == second.n == 5
ended = tasks.values("accuracy", method="maml", **at("triangles-sample", 3)).values()
assert sum(value < 34 for value in ended) == 1 and sorted(ended)[1] > 66
glue("maml_first", fine(first), display=False)
glue("maml_second", fine(second), display=False)
assert all(len(found["gain"]) == 2 + (name == "as-run") for name, found in tried.items())
assert max(gain for name in ("longer", "slower", "both") for gain in tried[name]["gain"].values()) < min(
    tried["as-run"]["gain"].values())
assert max(abs(gain) for found in tried.values() for gain in found["gain"].values()) < 1
for metric in ("accuracy", "untrained"):
    assert all(tried["longer"][metric][seed] > tried["as-run"][metric][seed] + 2 for seed in (0, 1))
means, trained = (beyond(*pair, "triangles-sample", 3) for pair in (
    ("pn-untrained", "maml-untrained"), ("pn", "pn-untrained")))
assert means.low > 10 and trained.high < 5
glue("by_means", means.mean, display=False)
glue("by_training", trained.mean, display=False)

# %% [markdown]
# No attempt gains more than MAML as run, and its gain is less than a point, so the setting stays. More and wider steps raise the accuracy, from trained and from untrained weights alike. We think that there is little to gain here. From the same untrained encoder, class means are {glue:text}`by_means:.0f` points more accurate than adaptation, and training PN adds {glue:text}`by_training:.1f` points to that. {doc}`What we could not reproduce <15_not_reproduced>` has the attempts in full.
#
# The next table has the dissertation's own settings (MinCUT before the last layer, Wasserstein distance, a rate of a thousandth). With them, SE-GCL is far less accurate than PN on TRIANGLES.

# %% tags=["hide-input"]
rows = []
for name, (short, ways) in PUBLISHED.items():
    for shots in SHOTS:
        place = at(short, ways, shots, "printed")
        rows.append({"set": name, "shots": shots} |
                    {label: tasks.mean("accuracy", method=method, **place) for label, method in (
                        ("PN", "pn"), ("SE-GCL", "segcl"), ("SE-GCL as printed", "segcl-printed"))})
show.table(rows)

# %% [markdown]
# ## Figure 5.4: the share of nodes that a negative view loses
#
# A negative view loses each node with the probability $\eta$. The dissertation does not give the points of its figure as numbers, and its large sets are not published. On our two large sets $\eta$ was not varied. The generated sets have three seeds, and five at the dissertation's $\eta$.
#
# % Figure: On all 4 sets, the accuracy of SE-GCL has no trend over η that its intervals confirm.

# %% mystnb={"image": {"alt": "Accuracy of SE-GCL over eta from 0.1 to 0.9 on four sets, with intervals over seeds. On TRIANGLES it wavers between 81 and 84 with wide intervals, on Letter-High it is flat at 78. The generated sets are flat, triangles just below 81, letters between 84 and 85."}} tags=["hide-input", "full-width"]
curves = {name: {eta: mean for eta in ETAS if (mean := tasks.mean("accuracy", method="segcl",
                                                                  **at(short, ways, eta=eta)))}
          for name, (short, ways) in (PUBLISHED | GENERATED).items()}
figure, axes = plt.subplots(1, 4, figsize=(12, 3.2))
for ax, (name, curve) in zip(axes, curves.items(), strict=True):
    show.points(ax, list(curve), list(curve.values()), "SE-GCL", colour="blue")
    ax.set(title=name, xlabel="η", ylabel="accuracy, %", xlim=(0, 1))
plt.show()

# %% [markdown]
# The dissertation finds that large $\eta$ helps on TRIANGLES, and that accuracy falls with $\eta$ on Letter-High. The next table has our differences, seed by seed.

# %% tags=["hide-input"]
trend = {name: tasks.gap(dict(eta=0.9), dict(eta=0.1), "accuracy", **at(short, ways, method="segcl"))
         for name, (short, ways) in (PUBLISHED | GENERATED).items()}
show.table([{"set": name, "η = 0.9 minus η = 0.1": gap} for name, gap in trend.items()])

# %% tags=["remove-cell"]
assert all(gap.low < 0 < gap.high for gap in trend.values())
for name, low, high in ((triangles, 80.5, 81), (letters_of, 84, 85)):
    assert all(low < mean.mean < high for mean in curves[name].values())
    assert {mean.n for eta, mean in curves[name].items() if eta != 0.8} == {3} and curves[name][0.8].n == 5
    assert len(curves[name]) == 6

# %% [markdown]
# All four intervals contain zero, so neither the rise nor the fall can be confirmed.
#
# ## Attacks on prototypes, and the cost of noise
#
# The following tables repeat the attacks and the noise of the page on {doc}`prototypes <12_prototypes>` on the published sets, with a freshly trained encoder for each seed. The first table is about membership, that is, whether a candidate graph was in the support. It shows, in percent, the AUC of the attack and the share of members that it finds at a false positive rate of 1%.

# %% tags=["hide-input", "full-width"]
rows = []
for name, (short, _) in (PUBLISHED | GENERATED).items():
    for label, vectors in (("trained", "pn"), ("untrained", "pn-untrained")):
        place = dict(dataset=short, vectors=vectors)
        rows.append({"set": name, "encoder": label} |
                    {f"AUC, {k}-shot": members.mean("auc", shots=k, **place) for k in (1, 5, 20)} |
                    {"found, 20-shot": members.mean("tpr", shots=20, **place)})
show.table(rows)

# %% tags=["remove-cell"]
for name, (short, _) in (PUBLISHED | GENERATED).items():
    own, other = (members.mean("auc", dataset=short, vectors=vectors, shots=5) for vectors in ("pn", "pn-untrained"))
    assert other.low > 55 and (own.low > other.high) == name.lower().startswith("triangles")
few = noise.mean("auc", dataset="letter-high", vectors="pn", directions=2, epsilon=math.inf)
assert few.high < members.mean("auc", dataset="letter-high", vectors="pn", shots=20).low

# %% [markdown]
# An encoder that was never trained reveals members too, and training adds to that on TRIANGLES.
#
# The second table is about whole support sets, among 160 candidates of the task's classes. The first columns show how often the true set was among those that have the published mean. The columns "alone" show how often no other set had it.

# %% tags=["hide-input", "full-width"]
show.table([{"set": name} | {f"{k}-shot": whole.mean("fits", dataset=short, shots=k) for k in (2, 3, 4)} |
            {f"alone, {k}-shot": whole.mean("alone", dataset=short, shots=k) for k in (2, 3, 4)}
            for name, (short, _) in (PUBLISHED | GENERATED).items()])

# %% [markdown]
# The third table shows the cost of noise for twenty shots, $\delta = 10^{-5}$, and one support graph replaced by another of its class. Centre, directions and bound come from base classes. The last two rows of each set have no network, only class means of counted numbers.

# %% tags=["hide-input", "full-width"]
EPSILONS = (math.inf, 8.0, 4.0, 2.0, 1.0)
NOISY = {**{f"PN, {count} of 16 directions": ("pn", count) for count in (1, 2, 4, 16)},
         "features, 2 directions": ("features", 2), "nodes and edges, 1 direction": ("counts", 1)}
rows = []
for name, (short, _) in PUBLISHED.items():
    for label, (vectors, count) in NOISY.items():
        place = dict(dataset=short, vectors=vectors, directions=count)
        rows.append({"set": name, "published": label} |
                    {"no noise" if epsilon == math.inf else f"ε = {epsilon:.0f}":
                     noise.mean("accuracy", epsilon=epsilon, **place) for epsilon in EPSILONS})
show.table(rows)

# %% [markdown]
# The fourth table shows the AUC of the membership attack on the same prototypes, in percent. The attacker knows how much noise there is.

# %% tags=["hide-input", "full-width"]
show.table([{"set": name, "published": label} |
            {"no noise" if epsilon == math.inf else f"ε = {epsilon:.0f}":
             noise.mean("auc", dataset=short, vectors=vectors, directions=count, epsilon=epsilon)
             for epsilon in EPSILONS}
            for name, (short, _) in PUBLISHED.items() for label, (vectors, count) in NOISY.items()])


# %% [markdown]
# Embeddings are clipped and projected even with "no noise". If few directions are left, the AUC is therefore below that of the first table. The success of this attack is not a bound, and only the theorem gives one.
#
# ## Figure 5.1: when attributes mislead
#
# The dissertation draws a case in which attributes hurt. The next cell has a case that can be counted. Its classes are a triangle with a tail and a star. Its query has the shape of the first class and, except at one node, the attributes of the second.

# %%
def small(links, x):
    edges = to_undirected(torch.tensor(links).t(), len(x))
    return Data(x=torch.tensor(x)[:, None], edge_index=edges)

triangle, star = [(0, 1), (1, 2), (2, 0), (2, 3)], [(0, 1), (0, 2), (0, 3)]
support = GraphBatch.from_data_list([small(triangle, [1.0, 1.0, 1.0, 1.0]),
                                     small(star, [0.0, 0.0, 0.0, 0.0])])
query = GraphBatch.from_data_list([small(triangle, [0.0, 0.0, 1.0, 0.0])])
for columns in ("structure", "features"):
    far = torch.cdist(numbers_of(query, columns), numbers_of(support, columns))[0]
    print(f"nearest by {columns}: class {int(far.argmin())}")

# %% [markdown]
# By structure the query belongs to the first class, and by attributes to the second. Which of these is *right* depends on the meaning of the classes, and no method knows this meaning without being shown. On TRIANGLES structure defines the classes, whereas on letters the coordinates matter.
#
# ## Figure 5.3: pictures of embeddings
#
# The dissertation shows embeddings of its DBLP set in two dimensions by t-SNE {cite}`maaten2008visualizing`, and reports better clusters for SE-GCL. Its set is not published. The next figure therefore shows all graphs of the four classes of our letters that training never saw, with the settings chosen above and ten shots.
#
# % Figure: Untrained, three of the four classes are mixed, whereas PN and SE-GCL alike give five islands, although some islands still mix two classes.

# %% mystnb={"image": {"alt": "Three maps of points in four colours. Untrained, one colour is apart and three are mixed in one cloud. Trained, by PN and by SE-GCL alike, there are about five islands, and several of them mix colours."}} tags=["hide-input", "full-width"]
letters = load_graphs("letters")
train = Sampler(letters, letters.train_classes, ways=4, shots=10, queries=10)
new = torch.cat([letters.of_class(label) for label in letters.test_classes])
readout, distance, rate, beta, temperature = CHOSEN[letters.name]
same = dict(readout=readout, distance=distance, learning_rate=rate)
TRAINED = {"PN, untrained": PrototypicalNetwork(episodes=0, **same), "PN": PrototypicalNetwork(**same),
           "SE-GCL": SEGCL(beta=beta, temperature=temperature, **same)}
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4))
nearest = {}
for ax, (label, method) in zip(axes, TRAINED.items(), strict=True):
    z, y = method.learn(train, seeded(0)).embed(letters.graphs.take(new)), letters.y[new]
    away = torch.cdist(z, z).fill_diagonal_(math.inf)
    nearest[label] = 100 * float((y[away.argmin(1)] == y).float().mean())
    flat = TSNE(random_state=0).fit_transform(z.numpy())
    for label_of, colour in zip(y.unique().tolist(), CLASS, strict=True):
        ax.plot(*flat[(y == label_of).numpy()].T, ".", color=colour, markersize=4)
    ax.set(title=label, xticks=[], yticks=[])
plt.show()

# %% [markdown]
# t-SNE keeps neighbours and invents distances, so a picture proves little. A number that it cannot distort is the share of graphs whose nearest other graph, by all 16 numbers, is of the same class.

# %% tags=["hide-input"]
show.table([{"method": label, "nearest graph is of the same class": f"{share:.0f}%"}
            for label, share in nearest.items()])

# %% [markdown]
# ## Table 5.3: not comparable
#
# The tasks of this table are drawn from two networks whose sets of graphs are not published. We have Amazon-Clothing in part (20 of 77 classes of products), so our runs have other graphs and other classes. A generated network is our second set. The protocol is the same, namely five ways with five and with ten shots, and eight ways with five.

# %% tags=["hide-input", "full-width"]
METHODS = {"WL kernel": ("wl", "gcn"), "GIN": ("gin", "gcn"), "GSM (GCN)": ("gsm", "gcn"),
           "MAML (GCN)": ("maml", "gcn"), "MAML (GAT)": ("maml", "gat"), "PN (GCN)": ("pn", "gcn"),
           "PN (GAT)": ("pn", "gat"), "SE-GCL (GCN)": ("segcl", "gcn"), "SE-GCL (GAT)": ("segcl", "gat")}
PROTOCOL = ((5, 5), (5, 10), (8, 5))
protocol = {(name, label): [tasks.mean("accuracy", method=method, **at(short, ways, shots, layer=layer))
                            for ways, shots in PROTOCOL]
            for name, short in LARGE.items() for label, (method, layer) in METHODS.items()}
for name, short in LARGE.items():
    protocol[name, "counting (features)"] = [
        null.mean("accuracy", dataset=short, columns="features", shots=shots, ways=ways) for ways, shots in PROTOCOL]
show.table([{"set": name, "method": label} |
            {f"{ways}-way {shots}-shot": found for (ways, shots), found in zip(PROTOCOL, row, strict=True)}
            for (name, label), row in sorted(protocol.items(), key=lambda item: list(LARGE).index(item[0][0]))])

# %% tags=["remove-cell"]
never = {label for label in METHODS if not any(any(protocol[name, label]) for name in LARGE)}
assert never == {"GSM (GCN)", "MAML (GCN)", "MAML (GAT)", "PN (GAT)", "SE-GCL (GAT)"}
amazon, network = LARGE
assert not any(protocol[network, "GIN"]) and [bool(each) for each in protocol[amazon, "GIN"]] == [True, True, False]
assert {each.n for each in protocol[amazon, "GIN"] if each} == {1}
for name in LARGE:
    for label in ("WL kernel", "PN (GCN)", "SE-GCL (GCN)"):
        assert {each.n for each in protocol[name, label]} == {3}
    *counted, none = protocol[name, "counting (features)"]
    assert none is None
    for label in METHODS:
        assert all(found.mean < least.mean
                   for found, least in zip(protocol[name, label][:2], counted, strict=True) if found)
for short, eta in ((short, eta) for short in LARGE.values() for eta in ETAS if eta != 0.8):
    assert tasks.mean("accuracy", method="segcl", **at(short, 5, eta=eta)) is None

# %% [markdown]
# Some settings have not been run. On both sets these are MAML, GSM and all methods with GAT layers (the experiment's grid leaves GSM out). GIN is missing on the generated set, and on the other with eight ways. Counting is missing with eight ways, and $\eta$ was not varied on either set. The two numbers of GIN, without ±, are of one seed, and the others are of three. With five ways, every method that was run is less accurate than class means of counted numbers, with five shots and with ten. The likely reason is that hundreds of columns of features, with their means and spreads, contain more than an encoder's 16 numbers do. With eight ways this comparison is missing.
