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
# # PrivGNN's students: what noisy labels are worth
#
# With ten classes and noise of scale $1/\lambda = 1$, a noisy label of the best possible teacher is right at most about one time in four. On Amazon the paper's accuracies do not come from its Algorithm 1 and 200 epochs. With this training, even a teacher who is never wrong has students far less accurate than the paper's. In our search on Amazon Computers, PATE's votes beat PrivGNN's teachers within the same $\varepsilon$, and a small $\varepsilon$ leaves both little accuracy.
#
# :::{admonition} What you will learn
# :class: tip
# - why a noisy label can be private and almost useless, and how to read an accuracy that is too good;
# - how to check a paper's numbers with a control that cannot be beaten, a teacher who is never wrong;
# - how to find the best student for a given $\varepsilon$, and whether this student is worth it;
# - how much membership attacks find in students, and why finding nothing proves little.
#
# **You need** {doc}`PrivGNN's labels <09_privgnn>`, {doc}`their total cost <09_adding_up>` and, for the attacks, {doc}`04_membership`. **Time:** 30 minutes.
# :::

# %% tags=["hide-input"]
import math
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
from myst_nb import glue

import privbook
from privbook import show
from privbook.papers.privgnn import frontier, member_attacks
from privbook.papers.privgnn import tables as grid
from privbook.papers.privgnn.as_printed import printed_epsilon
from privgraph import attacks, datasets
from privgraph.datasets import private_public
from privgraph.mechanisms import NoisyArgMax
from privgraph.methods import NodeClassifier, PrivGNN
from privgraph.nn import accuracy
from privgraph.privacy import rdp_epsilon
from privgraph.randomness import seeded

show.use_style()
LAMBDAS = grid.LAMBDAS
TWIN = "log-laplace"              # noise on ln p, from "On a real graph" on

# %% [markdown]
# ## What is left of the labels
#
# The labels of {doc}`PrivGNN <09_privgnn>` are private, but may be useless. To see how useful they can be, take the best possible teacher, which is always right and always sure. The right class has score 1 and the others 0, and noise of scale $1/\lambda$ is added to each score. The probability that the noisy label is still right is {doc}`win <09_privgnn>`, and no teacher does better.
#
# % Figure: With ten classes and λ up to 1, at most {glue:text}`ceiling_high:.0f` % of the noisy labels are right, whereas the paper's students reach {glue:text}`t5_high:.0f` %.

# %% mystnb={"image": {"alt": "Two panels. Left, the largest share of right labels over lambda from 0.05 to 10 for 2, 10 and 41 classes and for Laplace and Gumbel noise. For 10 classes it is 0.11 at lambda 0.1 and 0.26 at 1. Right, for 10 classes between lambda 0.1 and 1, the ceiling stays below 0.26 while the printed accuracies of Table 5 rise from 0.40 to 0.83."}} tags=["hide-input", "full-width"]
table_5 = {float(c.parameters["lambda"]): 100 * c.value
           for c in privbook.entries("privgnn", "Table 5", dataset="Amazon", method="PrivGnn")}
ceiling = {lam: 100 * NoisyArgMax(1 / lam, 10, "laplace").win for lam in LAMBDAS}
figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 2.9))
for c, colour in ((2, "green"), (10, "blue"), (41, "orange")):
    for noise, style in (("laplace", "-"), ("gumbel", "--")):
        wide = np.geomspace(0.05, 12, 60)
        left.semilogx(wide, [100 * NoisyArgMax(1 / lam, c, noise).win for lam in wide.tolist()], style, marker="",
                      color=show.COLOURS[colour], label=f"{c} classes, {noise.title()}")
left.set(xlabel="λ", ylabel="right labels, at most, in %")
left.legend(fontsize=8, loc="upper left", labelspacing=0.2)
right.plot(list(table_5), list(table_5.values()), "kx--", label="student's accuracy, Table 5")
right.plot(list(ceiling), list(ceiling.values()), "o-", color=show.COLOURS["blue"], label="right labels, at most")
right.set(xlabel="λ", ylabel="%", ylim=(0, 100), title="10 classes (Amazon)")
right.legend(fontsize=8)
plt.show()
glue("ceiling_low", ceiling[0.1], display=False)
glue("ceiling_high", ceiling[1.0], display=False)
assert all(ceiling[lam] < 27 for lam in LAMBDAS)

# %% [markdown]
# For ten classes at most {glue:text}`ceiling_low:.0f`% of the labels are right at $\lambda = 0.1$, and at most {glue:text}`ceiling_high:.0f`% at 1. (A uniform guess is right in 10%.) The paper's students have an accuracy of {glue:text}`t5_low:.0f`% at $\lambda = 0.1$ and {glue:text}`t5_high:.0f`% at 1. A student can in principle be better than its labels, because wrong labels are spread over nine classes, so the right class still wins on average. Whether it can be so much better needs an experiment.
#
# ## On a real graph
#
# Amazon Computers has 10 classes of products. There are 2,500 private nodes (250 of each class) and 6,000 public ones, half of them for testing. Unless we state otherwise, the settings are those of the paper, with 1,000 labels, $\gamma = 0.3$, $K = 750$ and 200 epochs. Each setting has {glue:text}`n_seeds` seeds, and all runs are in the {doc}`ledger <../book/glossary>`.

# %%
runs, costs = privbook.Results("privgnn"), privbook.Results("privgnn-budgets")
AMAZON = "amazon-computers"

def of(method, metric="accuracy", dataset=AMAZON, **settings):
    """The mean over seeds, in percent, with its 95% interval."""
    cell = runs.setting(dataset=dataset, method=method, **settings)
    if (found := runs.mean(metric, **cell)) is None:
        raise ValueError(f"the ledger has no runs of {cell}")
    return found

def privgnn(lam, noise, metric="accuracy", **more):
    usual = dict(queries=1000, neighbours=750, rate=0.3)
    return of("privgnn", metric, lam=lam, noise=noise, **usual | more)

def epsilon_of(cell, accountant="tight"):
    """At delta = 1e-4, computed once and kept in the ledger."""
    asked = {name: cell[name] for name in costs.columns}
    return costs.mean(accountant, **asked).mean


# %% tags=["hide-input", "full-width"]
def cost(lam, noise):
    cell = runs.setting(dataset=AMAZON, method="privgnn", noise=noise, lam=lam, queries=1000, rate=0.3)
    return f"{epsilon_of(cell, 'corrected'):.1f}, {epsilon_of(cell):.1f}"

rows = [{"λ": lam, "Table 5 prints": f"{table_5[lam]:.0f}", "ε corrected, tight": cost(lam, "laplace"),
         "Algorithm 1 as printed": privgnn(lam, "laplace"), "ε with Gumbel noise": cost(lam, "gumbel"),
         "with Gumbel noise": privgnn(lam, "gumbel"),
         "right labels, as printed": privgnn(lam, "laplace", "right"),
         "a teacher who is never wrong": of("oracle", noise="laplace", lam=lam, queries=1000, rate=0.3)}
        for lam in LAMBDAS]
show.table(rows)

# %% [markdown]
# Entries with an interval are students' accuracies, and shares of labels in the column *right labels, as printed*. An algorithm or a label *as printed* has Laplace noise. *Corrected* and *tight* are the two sound {doc}`accountants <09_adding_up>`, at $\delta = 10^{-4}$.

# %% tags=["remove-cell"]
reached = {lam: privgnn(lam, "laplace") for lam in LAMBDAS}
perfect = {lam: of("oracle", noise="laplace", lam=lam, queries=1000, rate=0.3) for lam in LAMBDAS}
twin = {lam: privgnn(lam, TWIN) for lam in LAMBDAS}
glue("n_seeds", min(each.n for each in reached.values()), display=False)
glue("t5_low", table_5[0.1], display=False)
glue("t5_high", table_5[1.0], display=False)
glue("reached_high", reached[1.0].mean, display=False)
glue("perfect_high", perfect[1.0].mean, display=False)
kept = privbook.Results("privgnn-parts")
constant = kept.mean("constant", dataset=AMAZON).mean
glue("constant", constant, display=False)
assert all(each.high < constant for each in perfect.values())
glue("without_noise", privgnn(1.0, "laplace", "clean").mean, display=False)
glue("print_04", table_5[0.4], display=False)
assert all(reached[lam].low <= perfect[lam].high for lam in LAMBDAS)
assert all(table_5[lam] > perfect[lam].high + 20 for lam in LAMBDAS)

# %% [markdown]
# The algorithm as printed gives students between guessing and {glue:text}`reached_high:.0f`%. At $\lambda = 1$ a teacher who is *never wrong* has students of {glue:text}`perfect_high:.0f`%, far below the {glue:text}`t5_high:.0f`% of Table 5. This table therefore does not come from Algorithm 1 and 200 epochs of this training, and **better teachers would not help**. Without noise our teachers are right for {glue:text}`without_noise:.0f`% of the queries. (Predicting the largest class for all nodes gives {glue:text}`constant:.0f`%.)
#
# Stopping earlier might help, because a student trained for 200 epochs may memorise its wrong labels. We therefore also evaluate the student after the epoch in which it was best *by the test labels*. In practice nobody has these labels, but no rule for stopping can exceed this number.
#
# The authors' code, in the version that is public {cite}`olatunji2023code`, differs from the paper in places. We tried four of these differences.
#
# - The noise is added to the network's *log*-probabilities.
# - Teachers and student are trained for 500 epochs instead of 200. Longer training makes posteriors surer, so the same noise hides less of their logarithms.
# - Public nodes are drawn from *all* nodes. (Two lines of the code should exclude nodes drawn before, but exclude none, because they compare numbers with tensors.) Therefore about {glue:text}`test_private:.0f`% of the test nodes are private nodes, and {glue:text}`test_trained:.0f`% are public training nodes.
# - The weights of PATE's GraphSAGE teachers (ten in the code) are reset after training, before the teachers predict. (The paper calls PATE with GraphSAGE teachers *PateG*, and with MLPs, which see no edges, *PateM*.)

# %% tags=["hide-input", "full-width"]
trained, code = privbook.Results("privgnn-epochs"), privbook.Results("privgnn-released")

def epoch(metric, *where):
    return trained.mean(metric, **trained.setting(**dict(zip(("method", "noise", "lam"), where, strict=False))))

def released(*where):
    return code.mean("accuracy", **code.setting(**dict(zip(("method", "lam"), where, strict=False))))

rows = [{"λ": lam, "Table 5 prints": f"{table_5[lam]:.0f}",
         "never wrong, last epoch": epoch("last", "oracle", "laplace", lam),
         "never wrong, best epoch": epoch("best", "oracle", "laplace", lam),
         "noise on ln p": privgnn(lam, TWIN),
         "noise on ln p, 500 epochs, public nodes from all": released("single", lam)}
        for lam in LAMBDAS]
show.table(rows)

# %% [markdown]
# (The last column has one teacher for all queries, trained on 750 private nodes.)

# %% tags=["hide-input"]
votes_kept = privbook.Results("pate-reported")

def by_formula(teacher, lam):
    """PATE's data-dependent epsilon, from our votes."""
    return votes_kept.mean(dataset=AMAZON, teacher=teacher, lam=lam, queries=1000)

def edges(part):
    found = kept.mean(part, dataset=AMAZON)
    return f"{found.mean:,.0f} ± {found.half:,.0f}"

def print_of(table, **wanted):
    return privbook.entries("privgnn", table, dataset="Amazon", **wanted)[0].value

paper = {"B1": 100 * print_of("Table 5", method="B1"), "B2": 100 * print_of("Table 5", method="B2"),
         "PateG": 100 * print_of("Table 5", method="PateG", **{"lambda": "1"}),
         "edges": print_of("Table 11", metric="edges", part="public")}
pateg = {lam: print_of("Table 2", method="PateG", queries="1000", **{"lambda": f"{lam:g}"}) for lam in LAMBDAS}

def row(what, printed, ours, theirs):
    return {"Amazon Computers": what, "printed": printed, "by the paper": ours, "with that detail of the code": theirs}

show.table([
    row("B1: trained on the private graph", f"{paper['B1']:.0f}", of("b1", teacher="none"), released("b1")),
    row("B2: trained on the public graph, true labels", f"{paper['B2']:.0f}", of("b2", teacher="none"), released("b2")),
    row("edges of the public graph", f"{paper['edges']:,.0f}", edges("public"), edges("released")),
    row("PateG, λ = 1: the student", f"{paper['PateG']:.0f}", of("pate", teacher="sage", lam=1.0, queries=1000),
        released("pate", 1.0)),
    *(row(f"PateG, λ = {lam:g}: data-dependent ε", f"{pateg[lam]:.2f}", by_formula("sage", lam),
          f"{by_formula('reset', lam).mean:.2f}") for lam in LAMBDAS)])

# %% [markdown]
# (In the last column, public nodes are drawn from all nodes in the first three rows. In the other rows, ten GraphSAGE teachers predict with reset weights.)

# %% tags=["remove-cell"]
best = {lam: epoch("best", "oracle", "laplace", lam) for lam in LAMBDAS}
like_the_code = {lam: released("single", lam).mean for lam in LAMBDAS}
card, (per_class, n_public, _) = datasets.CARDS[AMAZON], grid.PARTS[AMAZON]
glue("test_private", 100 * per_class * card.classes / card.nodes, display=False)
glue("test_trained", 100 * n_public / 2 / card.nodes, display=False)
glue("perfect_best", best[0.4].mean, display=False)
off = {name: {lam: table_5[lam] - found[lam] for lam in LAMBDAS}
       for name, found in (("text", {lam: twin[lam].mean for lam in LAMBDAS}), ("code", like_the_code))}
for name, found in off.items():
    glue(f"off_{name}", max(found.values()), display=False)
glue("reset_1", by_formula("reset", 1.0).mean, display=False)
glue("pateg_1", pateg[1.0], display=False)
assert {lam for lam in LAMBDAS if off["code"][lam] < off["text"][lam]} == {0.1, 0.4}
assert all(best[lam].high < table_5[lam] for lam in LAMBDAS)
assert all(0 < found < 12 for each in off.values() for found in each.values())
assert all(found < (table_5[lam] - reached[lam].mean) / 2 for lam, found in off["text"].items())
for name in ("B1", "B2"):
    text = of(name.lower(), teacher="none").mean
    assert abs(released(name.lower()).mean - paper[name]) < 2 < paper[name] - text
assert all((0 <= by_formula("reset", lam).mean - pateg[lam] < 0.01) == (lam < 1) for lam in LAMBDAS)
assert all((by_formula("sage", lam).high < pateg[lam] - 10) == (lam > 0.2) for lam in LAMBDAS)


# %% [markdown]
# No rule for stopping reproduces Table 5 with Algorithm 1 and this training. At $\lambda = 0.4$ even a teacher who is never wrong has a student with {glue:text}`perfect_best:.0f`% in its best epoch, whereas {glue:text}`print_04:.0f`% is printed. Noise on logarithms comes within {glue:text}`off_text:.0f` points of Table 5 at every $\lambda$, always from below, and would therefore explain most of the gap. Adding the code's epochs and public nodes (and a single teacher) reduces the distance at $\lambda = 0.1$ and 0.4 only. The largest distance over all $\lambda$ thereby falls to {glue:text}`off_code:.0f` points. Something is still missing. With the code's public nodes the number of edges is as printed, and B1 and B2 are within 2 points of the printed values, because some test nodes were trained on. (Scaling, weight decay, learning rate, depth and epochs, tried by hand, did not bring B1 and B2 so near.)
#
# The data-dependent $\varepsilon$ depends on the votes only if the teachers agree enough. Up to $\lambda = 0.8$, PateG's printed budgets equal, to the last digit, the $\varepsilon$ for teachers who do not agree enough. At 0.1 and 0.2 none of our teachers agree enough. From 0.4 on the trained ones agree enough, and the untrained ones do not. The printed budgets therefore fit the reset weights, although at $\lambda = 1$ untrained teachers have {glue:text}`reset_1:,.2f`, whereas {glue:text}`pateg_1:,.2f` is printed.
#
# Two more details of the code matter for privacy, not accuracy. Samples have a fixed size, so the theorem on Poisson samples does not apply, and one optimiser serves all teachers and then the student, which therefore depends on more than the labels. (All of this is about the public code, which may not have made the tables.)
#
# Noise on logarithms removes the guarantee, as the next cell shows for two sure teachers.

# %%
def log_loss(sure, lam=0.4, classes=3):
    """The loss of the arg max of ln p + Laplace noise: two `sure` teachers."""
    gap = math.log(sure / ((1 - sure) / (classes - 1)))   # so far apart, not 1
    label = NoisyArgMax(1 / (lam * gap), classes, "laplace")
    return label.epsilon

for sure in (0.9, 0.999, 1 - 1e-6, 1 - 1e-12):
    print(f"posterior {sure}: loss of one label {log_loss(sure):.1f}")
assert log_loss(1 - 1e-12) > 8

# %% [markdown]
# (The cell uses that only differences of scores matter, so a lead of $g$ with noise of scale $\beta$ equals a lead of 1 with scale $\beta / g$.) Probabilities lie in $[0, 1]$, but their logarithms do not. Because a teacher may be arbitrarily sure, the loss of one label has no bound, and **no finite $\varepsilon$** holds for noise on $\ln p$. (Our code clips at $10^{-30}$ so that it can compute, which gives a finite and useless $\varepsilon$.)
#
# Better settings may exist, for example fewer queries with less noise on each.
#
# ## Try other settings
#
# Change the first line of the second cell and run it. The cell makes the whole release on a small graph, with Gumbel noise.

# %%
data = datasets.default()
private, public = private_public(data, seeded(0), private=900, public=1200)

@cache                                                      # a second each
def three_epsilons(lam, queries=1000, rate=0.3, classes=10, noise="laplace",
                   delta=1e-4):
    spent = PrivGNN(scale=1 / lam, num_queries=queries, rate=rate,
                    noise=noise).budget(classes)
    return {"as printed": printed_epsilon(1 / lam, rate, queries, delta),  # none
            "corrected": rdp_epsilon(list(spent.steps), delta),
            "tight": spent.epsilon(delta).pessimistic}

show.banner(data)

# %%
lam, queries, rate, n_epochs, accountant = 3.0, 50, 0.1, 20, "tight"   # turn here

def dial(classes, right, reached):
    found = three_epsilons(lam, queries, rate, classes, "gumbel")
    for name, value in found.items():
        mark = "  <--" if name == accountant else ""
        print(f"epsilon {name:10} {value:8.2f}{mark}")
    perfect = 100 * NoisyArgMax(1 / lam, classes).win
    print(f"labels right: {right:.0f} % (a perfect teacher: {perfect:.0f} %)")
    print(f"accuracy of the student: {reached:.0f} %")

live = PrivGNN(num_queries=queries, scale=1 / lam, rate=rate,
               teacher=NodeClassifier(epochs=30),
               student=NodeClassifier(epochs=n_epochs))
release = live.collect(private, public, seeded(2))    # the noisy labels
student = live.learn(release, seeded(3))              # sees them only
right = 100 * float((release.labels == public.y[release.queries]).double().mean())
reached_here = accuracy(student.predict_proba(), public.y, public.test_mask)
dial(public.num_classes, right, reached_here)

# %% [markdown]
# The next cell shows the same settings on Amazon Computers, from the ledger. It prints `nan` if a setting was not run, and the table lists all that were. The $\varepsilon$ *as printed* is always the paper's, for Laplace noise.

# %%
search = privbook.Results("privgnn-frontier")
cell = search.setting(method="privgnn", noise="gumbel", lam=lam, queries=queries,
                      neighbours=750, rate=rate, epochs=n_epochs)
found = [search.mean(metric, **cell) for metric in ("right", "accuracy")]
dial(10, *(each.mean if each else math.nan for each in found))

# %% tags=["hide-input", "full-width"]
tried = list(frontier.searched())
KIND = {"mlp": "PATE, MLPs", "sage": "PATE, GraphSAGE"}
dials = [{"method": KIND[c["teacher"]] if c["method"] == "pate" else "PrivGNN", "noise": c["noise"].title(),
          "λ": f"{c['lam']:g}",
          "|Q|": c["queries"], "γ": f"{c['rate']:g}" if c["rate"] else "", "epochs": c["epochs"],
          "ε as printed": "" if c["method"] == "pate" else f"{epsilon_of(c, 'printed'):.1f}",
          "ε corrected": f"{epsilon_of(c, 'corrected'):.1f}",
          "ε tight": f"{epsilon_of(c):.1f}", "labels right": f"{search.values('right', **c)[0]:.1f}",
          "student": f"{search.values('accuracy', **c)[0]:.1f}"} for c in tried]
glue("n_tried", len(tried), display=False)
show.filterable(dials, {"method": "", "noise": "", "λ": "", "|Q|": "", "γ": "", "epochs": ""})

# %% [markdown]
# (The table has {glue:text}`n_tried` configurations with one seed each. Each number is a mean over five releases from the same teachers, and a single student varies more. $|Q|$ is the number of queries. For PATE, $\lambda$ is one over the scale of the noise on a count, and its $\varepsilon$ *as printed* is left out, because it is a function of private votes.)
#
# ## The best student for an epsilon
#
# The search was made with one seed. The best of many noisy results looks better than it is, so we ran the winners again on {glue:text}`n_fresh` *other* seeds, and report these runs only. (The choice of the winners used test labels, and the stated $\varepsilon$ does not account for it. It holds if the setting was known beforehand, see {doc}`sharp edges <../book/sharp_edges>`.)

# %% tags=["hide-input", "full-width"]
FRESH = range(1, 1 + frontier.FRESH)

def fresh(cell):
    return search.mean("accuracy", seeds=FRESH, **cell)

rows = []
for epsilon in frontier.TARGETS:
    for method, name in (("privgnn", "PrivGNN"), ("pate", "PATE")):
        cell = frontier.winners()[method, epsilon]
        how = f"GraphSAGE, γ = {cell['rate']:g}" if cell["rate"] else KIND[cell["teacher"]].split()[1]
        rows.append({"ε at most": epsilon, "method": name, "λ": f"{cell['lam']:g}", "|Q|": cell["queries"],
                     "teachers": how, "noise": cell["noise"].title(), "epochs": cell["epochs"],
                     "ε tight": f"{epsilon_of(cell):.1f}", "student": fresh(cell)})
glue("n_fresh", frontier.FRESH, display=False)
show.table(rows)

# %% [markdown]
# % Figure: On fresh seeds PATE's winner has the better student at each ε, with {glue:text}`pate_at_32:.0f` % at ε = 32, whereas PrivGNN's winner has {glue:text}`privgnn_at_32:.0f` %.

# %% mystnb={"image": {"alt": "Accuracy of students over tight epsilon, on a logarithmic axis. Each configuration is a pale mark - PrivGNN by sampling rate, PATE by its kind of teachers. Large marks with intervals show the winners on fresh seeds at epsilon 4, 8, 16 and 32 - those of PATE lie above. A dashed line marks B1, without privacy, a dotted one the largest class."}} tags=["hide-input", "full-width"]
figure, axes = plt.subplots(figsize=(8.4, 3.4))
groups = [("privgnn", 0.3, "PrivGNN, γ = 0.3", "sky", "o"), ("privgnn", 0.1, "PrivGNN, γ = 0.1", "blue", "o"),
          ("privgnn", 0.03, "PrivGNN, γ = 0.03", "green", "o"), ("privgnn", 0.01, "PrivGNN, γ = 0.01", "yellow", "o"),
          ("mlp", 0.0, "PATE, MLPs", "orange", "s"), ("sage", 0.0, "PATE, GraphSAGE", "grey", "^")]
for kind, rate, label, colour, marker in groups:
    settings = [c for c in tried if kind in (c["method"], c["teacher"]) and c["rate"] == rate]
    accuracies = [search.values("accuracy", **c)[0] for c in settings]
    axes.semilogx([epsilon_of(c) for c in settings], accuracies, marker, markersize=4, linestyle="",
                  alpha=0.6, color=show.COLOURS[colour], label=label)
for method, colour, name in (("privgnn", "black", "PrivGNN"), ("pate", "purple", "PATE")):
    found = [frontier.winners()[method, e] for e in frontier.TARGETS]
    show.points(axes, [epsilon_of(c) for c in found], [fresh(c) for c in found],
                f"{name}, winners on fresh seeds", colour, marker="D", markersize=6)
axes.axhline(epoch("last", "b1").mean, color="grey", linestyle="--", marker="", label="B1, no privacy")
axes.axhline(constant, color="black", linestyle=":", marker="", label="the largest class for all")
axes.set(xlabel="ε at δ = 10⁻⁴ (tight)", ylabel="student's accuracy in %")
axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()

# %% tags=["remove-cell"]
best_fresh = {place: fresh(cell) for place, cell in frontier.winners().items()}
ahead = {e: search.gap(frontier.winners()["pate", e], frontier.winners()["privgnn", e], "accuracy", seeds=FRESH)
         for e in frontier.TARGETS}
assert all(each.low > 0 for each in ahead.values())
assert all((each.mean > constant) == (method == "pate" and e >= 16) for (method, e), each in best_fresh.items())
for e in frontier.TARGETS:
    glue(f"ahead_{e}", str(ahead[e]), display=False)
asked = [cell["queries"] for cell in frontier.winners().values()]
glue("fewest_asked", min(asked), display=False)
glue("most_asked", max(asked), display=False)
assert all(cell["teacher"] == "mlp" if method == "pate" else cell["rate"] == 0.1 and 0.1 * 2500 < cell["neighbours"]
           for (method, _), cell in frontier.winners().items())
for method in ("privgnn", "pate"):
    glue(f"{method}_at_32", best_fresh[method, 32].mean, display=False)

# %% [markdown]
# The search has three results.
#
# - **Few queries are best.** The winners use {glue:text}`fewest_asked` to {glue:text}`most_asked` queries and not 1,000. (20 queries and 60 epochs are the ends of the grid, so the best setting may lie beyond.)
# - **PATE is better** in this search within the same $\varepsilon$, with teachers that do not even use edges. Seed by seed it leads by {glue:text}`ahead_4` points up to $\varepsilon = 4$, by {glue:text}`ahead_8` up to 8, by {glue:text}`ahead_16` up to 16 and by {glue:text}`ahead_32` up to 32. (Neither $K$ nor the number of PATE's teachers was searched. At $\gamma = 0.1$ a sample is smaller than $K$, so these teachers are not specific to a query.)
# - **Both have little to offer.** At $\varepsilon = 8$ neither reaches {glue:text}`constant:.0f`%, the accuracy of predicting the largest class for all nodes. At 32 PATE has {glue:text}`pate_at_32:.0f`% and PrivGNN {glue:text}`privgnn_at_32:.0f`%. PrivGNN stays below that constant prediction at all four budgets. (The private labels do not reveal which class is the largest, because there are 250 of each.)
#
# A vote of twenty is hard to beat, because in PrivGNN one person may change a teacher, and the teacher's answer *is* the answer. In PATE, in contrast, one person changes one vote of twenty, and the noise is added to the sum. The table compares two answers that stand out from their noise equally well.
#
# | | PrivGNN | PATE |
# |---|---|---|
# | a clear answer leads by | 1 | 8 votes of 20 |
# | it stands out by 3.2 noise scales at | $\lambda = 3.2$ | $\lambda = 0.4$ |
# | one person can change | the whole lead | one vote |
# | largest loss of one label | $\lambda = 3.2$ | $2\lambda = 0.8$ |
# | with samples of a tenth | $\ln(1 + 0.1 (e^{3.2} - 1)) = 1.2$ | |
#
# Sampling makes up for part of the difference, but not all of it. (The paper compares the two at equal $\lambda$, which is not equal $\varepsilon$.)
#
# The effect of each part of PrivGNN on its students is on {doc}`the evidence page <09_students_evidence>`. Fewer, nearer nodes make worse teachers. Leaving out the nearest-neighbour step (at $K = 750$), or using one teacher for all labels, makes no difference that our runs can detect.
#
# ## Who was in it?
#
# The paper's Attack-1 tests whether a node was among the private ones, with one {doc}`shadow model <04_membership>` that the attacker trains on other nodes. The paper prints an AUC above .75 for it on B1, the network trained on the private graph without protection, and of at most .54 on PrivGNN.

# %% tags=["hide-input"]
members = privbook.Results("membership")

def attack(*where, metric="auc"):
    said = dict(zip(("attack", "target", "noise", "lam"), where, strict=False))
    return members.mean(metric, **members.setting(**said))

rows = [{"network": name, "Attack-1: AUC in %": attack("private", *where),
         "TPR at 1% FPR": attack("private", *where, metric="tpr")}
        for name, where in (("B1", ("b1",)),
                            ("student, as printed, λ = 0.1", ("student", "laplace", 0.1)),
                            ("student, as printed, λ = 1", ("student", "laplace")),
                            ("student, noise on ln p, λ = 1", ("student", "log-laplace")),
                            ("student, no noise", ("student", "teachers")),
                            ("student of B1: no noise, no sampling", ("student", "b1")),
                            ("a stranger: trained on other nodes", ("stranger",)))]
show.table(rows)

# %% tags=["remove-cell"]
glue("stranger", attack("private", "stranger").mean, display=False)
glue("attack_2", attack("queries", "student", "laplace").mean, display=False)
glue("attack_2_twin", attack("queries", "student", TWIN).mean, display=False)
assert attack("private", "b1").mean > attack("private", "stranger").mean + 25
from_stranger = {noise: members.gap(members.setting(attack="private", target="student", noise=noise),
                                    members.setting(attack="private", target="stranger"), "auc")
                 for noise in ("teachers", "b1")}
assert all(gap.low < 0 < gap.high and gap.half < 5 for gap in from_stranger.values())
for noise, gap in from_stranger.items():
    glue(f"beside_{noise}", str(gap), display=False)

# %% [markdown]
# The last row is the reference. This network (the *stranger*, the attacker's own shadow model) saw neither the private nodes nor the public ones, and yet the attack has an AUC of {glue:text}`stranger:.0f`% on it. Members and non-members also differ in their classes and in the graphs on which the network classifies them. An AUC of 50% is therefore no reference. On B1 the AUC is far above the stranger's. For students of labels *without noise*, the AUC cannot be distinguished from the stranger's, because the intervals of both differences contain zero ({glue:text}`beside_teachers` points with sampling, {glue:text}`beside_b1` without). (Noise moves the AUC towards 50%, presumably because a network that has learnt little treats all nodes alike.) On this graph, as far as such intervals can show, learning from labels alone therefore hides members from this attack, even without noise or sampling. (The true positive rate is about zero for all networks, so at 1% false alarms this attack finds almost nobody.)
#
# Attack-2 asks which *public* nodes were queries. They are no secret (claim `privgnn-attack-2-by-proxy`), but the attack shows how strongly the student memorises its noisy labels.

# %% tags=["hide-input"]
rows = [{"student of 1,000 labels, λ = 1": name,
         "labels right in %": right,
         "Attack-2: AUC in %": attack("queries", "student", noise),
         "TPR at 1% FPR": attack("queries", "student", noise, metric="tpr")}
        for noise, name, right in (
            ("none", "true labels", "100"),
            ("teachers", "labels without noise", privgnn(1.0, TWIN, "clean")),
            *((noise, name, privgnn(1.0, noise, "right"))
              for noise, name in ((TWIN, "noise on ln p"), ("laplace", "as printed"),
                                  ("gumbel", "Gumbel noise"))))]
show.table(rows)

# %% [markdown]
# The paper prints an AUC of 40%, "a random guess". Our runs have {glue:text}`attack_2:.0f`% for Algorithm 1, and {glue:text}`attack_2_twin:.0f`% with noise on $\ln p$. The AUC is far larger if few labels are right, presumably because labels that contradict their neighbourhood can only be memorised.
#
# For private nodes, a fairer game draws the members by fair coins, so that members and others differ in nothing else. It has 5,000 nodes, three seeds, and students of 200 labels with $\gamma = 0.03$. The attack is the {doc}`likelihood ratio <04_membership>` of 32 shadow models. For students there are 8, and a node in all of them or in none has no ratio.

# %% tags=["hide-input"]
small = {lam: PrivGNN(scale=1 / lam, **member_attacks.STUDENT).budget(10).epsilon(1e-4).pessimistic
         for lam in member_attacks.STUDENT_LAMBDAS}
rows = [{"network": name, "likelihood ratio: AUC in %": attack("coin", *where),
         "TPR at 1% FPR": attack("coin", *where, metric="tpr"), "TPR at most": bound,
         "accuracy on non-members": attack("coin", *where, metric="accuracy")}
        for name, where, bound in (
            ("GraphSAGE on the members", ("sage",), "100"),
            ("MLP on the members", ("mlp",), "100"),
            ("student of that GraphSAGE, no noise", ("student", "b1"), "100"),
            *((f"PrivGNN student, ε = {e:.1f}", ("student", "gumbel", lam),
               f"{100 * attacks.rate_ceiling(e, 1e-4):.1f}")
              for lam, e in small.items()))]
show.table(rows)

# %% tags=["remove-cell"]
assert all(attack("coin", "student", *how).low < 50 < attack("coin", "student", *how).high
           for how in (("b1",), *(("gumbel", lam) for lam in small)))

# %% [markdown]
# *TPR at most* is the {doc}`bound on membership attacks <04_membership>` that follows from $(\varepsilon, \delta)$. It limits the true positive rate at 1% false positives, for one person and any attacker. The smaller $\varepsilon$ gives a meaningful bound, the larger hardly any, and a student without noise none at all. The attack, however, finds nothing in any student. There is no contradiction, because a guarantee is for the worst graph and the best attacker, whereas this is one attack, with few shadow models, on one graph. An attack that finds nothing is no guarantee.
#
# ## The paper's numbers beside ours
#
# On Amazon, an account that does not use the votes gives PATE a *smaller* $\varepsilon$ than the paper's data-dependent one, which itself leaks. This holds with GraphSAGE teachers at every $\lambda$, and with MLPs up to 0.4. The table is on {doc}`the evidence page <09_students_evidence>` and all entries on {doc}`the page of tables <15_tables_privgnn>`. Where our numbers differ, the page of {doc}`numbers not reproduced <15_not_reproduced>` lists our attempts.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-09s-ceiling
# ```
# % Exercise: 10 minutes, ●: how much a label can say
# A perfect teacher labels nodes of 47 classes with Gumbel noise. From which $\lambda$ on is half of the labels right? Give the formula first (*win* of {doc}`PrivGNN <09_privgnn>`). How much do 1,000 such labels from fresh samples with $\gamma = 0.1$ cost at $\delta = 10^{-4}$, and how much do 20? (Use `three_epsilons`.)
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-09s-ceiling
# :class: dropdown
# ```
# The equation $\frac{e^\lambda}{e^\lambda + c - 1} = \frac12$ holds where $e^\lambda = c - 1$, so $\lambda = \ln 46$.

# %%
lam_half = math.log(46)
assert abs(NoisyArgMax(1 / lam_half, 47, noise="gumbel").win - 0.5) < 1e-9
for asked in (1000, 20):
    cost_of = three_epsilons(lam_half, asked, 0.1, 47, "gumbel")["tight"]
    print(f"{asked} labels at lambda {lam_half:.2f}: epsilon {cost_of:.1f}")

# %% [markdown]
# The more classes there are, the more often the noise of some wrong class is the largest, and the larger $\lambda$ must be.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-09s-never-wrong
# ```
# % Exercise: 10 minutes, ●: which number to ask for
# A paper prints a student with 60 percent at $\lambda = 0.4$ on ten balanced classes, and explains it by very good teachers. Which single number would you ask for before you believe it, and which experiment would settle it without any of the private data?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-09s-never-wrong
# :class: dropdown
# ```
# Ask for the share of the noisy labels that were right, which is at most *win* for all teachers. The experiment is the control of this page, a teacher who is never wrong. It needs the public graph, its true labels and the noise, and no private data. If the student of *this* teacher does not reach 60 percent with that training, no student does. The training or the noise was then different.

# %%
at_most = NoisyArgMax(1 / 0.4, 10, "laplace").win
print(f"right labels, at most: {100 * at_most:.0f} %")

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-09s-clip
# ```
# % Exercise: 20 minutes, ●●: what unbounded scores cost
# Noise on logarithms has no finite $\varepsilon$ because $\ln p$ is unbounded. As a repair, clip posteriors from below at $\tau$ before taking the logarithm. How large can the loss of one label then be, and how much is left of the idea at $\tau = 0.01$?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-09s-clip
# :class: dropdown
# ```
# Scores lie in $[\ln \tau, 0]$, a range of $g = \ln(1/\tau)$. Dividing scores and noise by $g$ gives a range of 1 with noise of scale $\beta / g$. With Gumbel noise two sure teachers differ by a loss of $\lambda \ln(1/\tau)$. For any two teachers the loss is at most twice that, namely $\lambda$ times the change of the class's own score, and as much again for the sum in the denominator.

# %%
for tau in (0.1, 0.01, 1e-6):
    print(f"tau {tau:g}: scores span {math.log(1 / tau):.1f}, "
          f"at lambda 0.4 a loss of at most {2 * 0.4 * math.log(1 / tau):.1f}")

# %% [markdown]
# At $\tau = 0.01$ the label of a sure teacher is as accurate as if $\lambda$ were multiplied by the span, and it costs accordingly. Logarithms are another way to reduce the noise, and the budget must account for it.
# ```{solution-end}
# ```
#
# ## Summary
#
# - With ten classes and noise of scale $1/\lambda = 1$, a noisy label of the best possible teacher is right at most about one time in four. Accuracies far above those of a never-wrong teacher's student need another explanation.
# - On Amazon the paper's accuracies do not come from its Algorithm 1 and 200 epochs. Noise on logarithms, which has no finite $\varepsilon$, comes near them.
# - In our search on Amazon Computers, PATE's votes beat PrivGNN's teachers within the same $\varepsilon$ (4, 8, 16, 32). There 20 to 50 queries are best, and a small $\varepsilon$ leaves both little accuracy.
# - On Amazon Computers our membership attack by likelihood ratios finds nothing in PrivGNN's students, but nothing in an unprotected student either. Finding nothing is therefore no guarantee.
#
# **Further reading.** The paper {cite}`olatunji2023releasing` and its code {cite}`olatunji2023code`; PATE {cite}`papernot2017semi`.
