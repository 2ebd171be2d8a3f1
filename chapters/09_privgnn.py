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
# # PATE and PrivGNN: noisy labels instead of data
#
# :::{admonition} What you will learn
# :class: tip
# - how to release a network that never saw the private data: teachers label, a student learns;
# - what one noisy label costs, and why "the posterior sums to 1" does not make it cheap;
# - how a fresh random sample for each label makes it cheaper, and one sample for all labels hardly does;
# - why a noisy label can be private and say almost nothing, and how to read an accuracy that is too good;
# - how to find the best student for a given $\varepsilon$, and whether she is worth it.
#
# **You need** {doc}`02_differential_privacy` (composition, subsampling, dominating pairs), {doc}`04_membership` and, from {doc}`05_auditing_claims`, the exact audit. A *posterior* is a network's vector of class probabilities. **Time:** 90 minutes.
# :::
#
# :::{admonition} Card
# :class: note
# | | |
# |---|---|
# | Methods | PATE {cite}`papernot2017semi`, PrivGNN {cite}`olatunji2023releasing` |
# | Who is trusted | the owner of the private graph ("central") |
# | What the paper says is protected | a private node: its features, its label and all its edges |
# | Relation | *add/remove* one node |
# | Not protected | the public graph; which public nodes were asked. Samples and parts must stay secret |
# | Claimed | Theorem 7 and Table 2 (Amazon: $\varepsilon = 3.90$ to $81.23$ for 1,000 labels) |
# | Verdict | sound with corrections: a label costs up to 17% more than claimed, with Gumbel noise exactly what is claimed; tight accounting needs *less* than every PrivGNN cell of Table 2. In our search on Amazon, at equal $\varepsilon$ PATE's votes give better students, and the printed accuracies do not come from Algorithm 1 and the printed training. See {doc}`14_claims` |
# | Other units | one edge: PATE, no more than a node, as it lies inside one part; PrivGNN, one label at most $\ln(1 + \gamma^2 (e^{\varepsilon_0} - 1))$, as both ends must be drawn, and many composed as coins of that loss (`privgnn-node-dp-stronger`). Replacing a node is two steps: $2\varepsilon$ and $(1 + e^\varepsilon)\,\delta$ |
# :::

# %% tags=["hide-input"]
import math
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.patches import FancyBboxPatch
from myst_nb import glue

from privgraph import attacks, datasets, experiments, show
from privgraph.audit import worst_case
from privgraph.datasets import induced, private_public
from privgraph.experiments.catalogue.privgnn import frontier, membership
from privgraph.experiments.catalogue.privgnn import tables as grid
from privgraph.mechanisms import NoisyArgMax
from privgraph.methods import PATE, NodeClassifier, PrivGNN, data_dependent_epsilon
from privgraph.nn import accuracy, interval
from privgraph.privacy import (exact_epsilon, printed_epsilon, printed_theorem_7, pure_pair,
                               rdp_epsilon)
from privgraph.randomness import seeded

show.use_style()
LAMBDAS = grid.LAMBDAS
TWIN = "log-laplace"              # noise on ln p, from "On a real graph" on

# %% [markdown]
# ## The problem in one picture
#
# A company has a graph of customers, with labels, and must keep it to itself. Beside it is a public graph of the same kind, without labels. It wants to release a network that classifies public nodes, trained with what the private graph knows.

# %% mystnb={"image": {"alt": "Four boxes from left to right. Private graph with labels, teachers, noisy labels of some public nodes, and a student that is trained on the public graph and released. A dashed wall stands between the teachers and the noisy labels - only noisy labels cross it."}} tags=["hide-input", "full-width"]
figure, axes = plt.subplots(figsize=(9.2, 2.1))
boxes = [(0.0, "private graph\nwith labels", "#F7D9C4"), (2.5, "teachers", "#F7D9C4"),
         (5.2, "noisy labels of\nsome public nodes", "#CFE8F7"),
         (7.9, "student, trained on\nthe public graph", "#CFE8F7")]
for x, text, colour in boxes:
    axes.add_patch(FancyBboxPatch((x, 0.4), 1.75, 0.9, boxstyle="round,pad=0.08", facecolor=colour, edgecolor="black"))
    axes.text(x + 0.87, 0.85, text, ha="center", va="center", fontsize=9.5)
for x, text in ((1.9, "train"), (4.4, "ask, add noise"), (7.1, "train")):
    axes.annotate("", (x + 0.55, 0.85), (x - 0.05, 0.85), arrowprops=dict(arrowstyle="-|>", color="black"))
    axes.text(x + 0.25, 1.5, text, ha="center", fontsize=9.5)
axes.plot([4.7, 4.7], [0.0, 1.35], color="black", linestyle="--", marker="")
axes.text(4.7, -0.25, "only this crosses the wall", ha="center", fontsize=9.5)
axes.set(xlim=(-0.2, 9.9), ylim=(-0.4, 1.75))
axes.axis("off")
plt.show()

# %% [markdown]
# Networks that were trained on private data, the **teachers**, are asked for the classes of some public nodes, the **queries**. Each answer gets noise before it leaves. A **student** is trained on these noisy labels and the public graph, and is released. What is computed from a private output and from public things is as private as that output, so all that counts is: what do the noisy labels cost?
#
# ## PATE: a vote
#
# *Private aggregation of teacher ensembles*: cut the private nodes into parts, train one teacher on each, let them vote. One node lies in one part, so it can change one vote.

# %%
votes = torch.tensor([[11.0, 6.0, 3.0], [7.0, 7.0, 6.0]])     # two queries, 3 classes
noise = torch.distributions.Laplace(0.0, 1 / 0.4)             # scale 1 / lambda, lambda = 0.4
torch.manual_seed(0)
for counts in votes:
    winners = [int((counts + noise.sample((3,))).argmax()) for _ in range(2000)]
    print(counts.tolist(), "->", [round(winners.count(c) / 2000, 2) for c in range(3)])

# %% [markdown]
# If one vote moves from one class to another, two counts change by one each: an $L_1$ distance of 2. Laplace noise of scale $1/\lambda$ on the counts makes the counts, and so the winner, $2\lambda$-DP for each query. That needs parts that do not depend on who else is there: each node's by a die of its own. With parts of equal size somebody must move over when a node is added, and a label may cost more (claim `privgnn-pate-guarantee`, corrected; {ref}`ex-09-parts`). The price: each teacher sees one part of the nodes, and edges between parts are lost. (Ours are twenty parts, by dice. On Amazon the paper found more than twenty to be too many, and does not say how many it took.)
#
# Where nearly all teachers agree, noise rarely changes the winner, and one feels that such a label costs less. PATE's *data-dependent* analysis turns that into a bound. But look at what it makes of two neighbouring sets of votes:

# %%
for counts in ((20.0, 0.0), (19.0, 1.0)):
    value = data_dependent_epsilon(torch.tensor([counts] * 1000), scale=1.0, delta=1e-4)
    print(f"1,000 queries, votes {counts}: epsilon {value:.2f}")

# %% [markdown]
# This "$\varepsilon$" is a function of the private votes. Printing it tells the two apart with certainty: the number itself leaks, and no finite $\varepsilon$ holds for a table of such numbers (claim `privgnn-teacher-agreement`). PATE's authors know, and release it with noise of its own in {cite}`papernot2018scalable`; PrivGNN's tables print it plainly. We use the one that does not look at the votes.
#
# ## PrivGNN: a teacher for each query
#
# PrivGNN's idea is not to cut the graph into parts. For *each* query it
#
# - draws a fresh random sample of the private nodes, each with probability $\gamma$ (Algorithm 1, line 3),
# - keeps the $K$ of them whose features are nearest to the query's (line 4) and the edges between them (line 5),
# - trains a GraphSAGE teacher on them (line 6), and
# - releases the arg max of its class probabilities plus noise of scale $\beta = 1/\lambda$ (line 7).
#
# Here it is, line by line, with the posteriors before the noise.

# %%
data = datasets.default()
private, public = private_public(data, seeded(0), private=900, public=1200)
teacher = NodeClassifier(epochs=3)

def algorithm_1(queries, seeds, rate, K):
    """Lines 2 to 6: the teachers' posteriors, one query after the other."""
    posteriors = []
    for v, seed in zip(queries.tolist(), seeds, strict=True):
        generator = seeded(seed)
        coins = torch.rand(private.num_nodes, generator=generator)
        sample = [u for u in range(private.num_nodes) if coins[u] < rate]             # line 3
        distance = {u: float((private.x[u] - public.x[v]).square().sum()) for u in sample}
        near = sorted(sample, key=distance.get)[:K]                                  # line 4
        H = induced(private, torch.tensor(sorted(near)))                             # line 5
        everyone = torch.arange(H.num_nodes)                                         # line 6
        net = teacher.fit(H.x, H.edge_index, everyone, H.y, H.num_classes, generator)
        posteriors.append(net.predict_on(public.x, public.edge_index)[v])
    return torch.stack(posteriors)

method = PrivGNN(scale=1.0, num_queries=4, rate=0.3, neighbours=100, teacher=teacher)
queries, seeds = method.draw(private, public, seeded(1))
slow = algorithm_1(queries, seeds, 0.3, 100)
fast = method.posteriors(private, public, queries, seeds)
others = method.posteriors(private, public, queries, seeds[::-1])  # other samples, weights
for name, found in (("the library", fast), ("the library with other seeds", others)):
    print(f"{name}: largest difference {float((slow - found).abs().max()):.3f}")
assert (slow - fast).abs().max() < 0.02 < (slow - others).abs().max()

# %%
show.banner(data)

# %% [markdown]
# The library aggregates a teacher's features once instead of in every epoch, and gets the same posteriors up to rounding, which training amplifies. (In double precision they agree to $10^{-5}$: `tests/unit/test_privgnn.py`.) Why a thousand teachers? A label that was computed from a fresh sample is cheaper.
#
# ## What one noisy label costs
#
# A teacher's posterior sums to 1. The paper concludes that its sensitivity is 1, so that noise of scale $\beta$ on each entry costs $1/\beta = \lambda$. But a bound on the size of *one* vector is no bound on the distance of *two*. A node can turn a teacher from (1, 0) to (0, 1). That is a distance of 2, and the whole noisy vector costs $2\lambda$.
#
# Only the arg max is released, though. That is worth something. How much? The two extremes are a teacher who is sure of one class and one who is sure of another; no other pair is worse. (The chance of a class rises with its own score and falls with the others, so it is greatest where its score is 1. The logarithm of that chance is concave in the scores, because the logarithms of both noises' densities are concave, so it is least at another corner of the *simplex*, the set of all posteriors. The proof is with `NoisyArgMax`.) At a corner each class has one of two chances: *win*, if the teacher names it, and *lose*, if she names another. So at the corners the noisy label is $c$-ary randomised response, with loss $\ln(\text{win}/\text{lose})$.

# %%
rows = []
for c in (2, 3, 5, 10, 47):
    label = NoisyArgMax(scale=10.0, num_classes=c, noise="laplace")      # lambda = 0.1
    corners = [tuple(float(k == j) for k in range(c)) for j in range(2)]
    found = worst_case(label, corners).epsilon
    rows.append({"classes": c, "claimed": "0.100", "exact": f"{found:.4f}",
                 "ratio": f"{found / 0.1:.3f}"})
    assert abs(found - label.epsilon) < 1e-8 and (found > 0.1) == (c > 2)
show.table(rows)

# %% [markdown]
# :::{admonition} Claim: One query of Algorithm 1 (claim `privgnn-per-query`, verdict: refuted)
# :class: warning
# :name: clm-privgnn-label
#
# The noisy label of one query is $1/\beta$-DP.
# :::
#
# It fails from three classes on at small $\lambda$, by up to 17% (five classes). The repair is one word: **Gumbel** noise instead of Laplace noise. It is $-\ln E$ with $E$ exponential, and the arg max of $s_k$ plus Gumbel noise of scale $\beta$ is class $k$ with chance $e^{\lambda s_k} / \sum_j e^{\lambda s_j}$: the exponential mechanism. That chance is largest where $s_k = 1$, namely $\frac{e^\lambda}{e^\lambda + c - 1}$, and least where another score is 1, namely $\frac{1}{e^\lambda + c - 1}$. The ratio is $e^\lambda$, whatever $c$.

# %%
for c in (2, 10, 47):
    label = NoisyArgMax(scale=10.0, num_classes=c, noise="gumbel")
    corners = [tuple(float(k == j) for k in range(c)) for j in range(2)]
    print(f"{c} classes: exact loss {worst_case(label, corners).epsilon:.4f}")
    assert abs(worst_case(label, corners).epsilon - 0.1) < 1e-9


# %% [markdown]
# May a thousand such labels be composed as if they were that randomised response? Yes. Each class has a chance of at least *lose* under any teacher. So the labels of two teachers differ by at most $1 - c \cdot \text{lose} = \text{win} - \text{lose}$ in total variation: that bounds $\delta$ at $\varepsilon = 0$. At $\varepsilon = \ln(\text{win}/\text{lose})$ it is 0. And $\delta$ is convex in $e^\varepsilon$, so between the two it lies below the straight line $\text{win} - e^\varepsilon\, \text{lose}$, which is the $\delta$ of $c$-ary randomised response. So that pair *dominates*. (For $\varepsilon < 0$, which sampling and composition need, it follows by letting the two sides change places; the proofs are in `privacy/pairs.py`.)
#
# ## A fresh sample makes it cheaper
#
# A private person is in a teacher's sample with probability $\gamma$ only. If she is not drawn, the teacher knows nothing of her: sample, neighbours, subgraph and training are the same with and without her.
#
# That is a statement about a program too, and a fast program can break it. Train eight teachers side by side, their graphs padded to the largest: if one of them draws her and its graph grows, all eight add up their sums in another order, and training amplifies the last digit. So the teachers of a release are trained one by one, and a test asks for the same posterior, bit by bit. (The ledger, whose posteriors nobody releases, has its teachers from batches of eight.)
#
# :::{prf:theorem} Sampling for each query (claim `privgnn-amplification-in-algorithm`, verdict: holds)
# :label: thm-privgnn-sampling
#
# Drawing a fresh Poisson sample for each query amplifies privacy: a label with loss $\varepsilon_0$ on its sample has loss at most $\ln(1 + \gamma (e^{\varepsilon_0} - 1))$.
# :::
#
# :::{prf:proof}
# Fix the coins of all others. With the person in the graph, the label is drawn from $(1-\gamma) Q + \gamma P$: $Q$ if she is not drawn, $P$ if she is; without her from $Q$. As $P \le e^{\varepsilon_0} Q$ and $Q \le e^{\varepsilon_0} P$ for each class, the mixture is at most $(1 + \gamma(e^{\varepsilon_0} - 1))\,Q$. It is at least $(1 - \gamma + \gamma e^{-\varepsilon_0})\,Q$, and $1 / (1 - \gamma + \gamma e^{-\varepsilon_0}) \le 1 + \gamma (e^{\varepsilon_0} - 1)$. Averaging over the coins of the others keeps both.
# :::
#
# For many labels the budgets are composed: samples, training and noise are drawn anew for each query, and the queries do not depend on private data. What composes is the sampled pair, $(1-\gamma) Q + \gamma P$ against $Q$ for one who is removed and $Q$ against it for one who is added, with $P$, $Q$ the two sides that dominate a label. Note what the proof uses: that each person has a coin of her own, which stays secret. And note what it does not: $K$, the distance, the network, the number of epochs. Removing the nearest-neighbour step changes no guarantee (`privgnn-independent-of-k`, holds).
#
# The paper also tries *SingleGNN*: one sample and one teacher for all queries, "theoretically, the same privacy guarantees". Here the mixture is over all thousand labels *together*. If she is drawn, she is drawn for all of them. So the thousand labels are composed first, and sampled once: $(\varepsilon, \delta/\gamma)$ without sampling is $(\ln(1 + \gamma(e^\varepsilon - 1)), \delta)$ with it. Where $\varepsilon$ is large, the latter is nearly $\varepsilon - \ln(1/\gamma)$: one sample saves a constant, not a factor, and whatever $\delta/\gamma$ in place of $\delta$ is worth. (Two classes, Gumbel noise.)

# %%
def budget(lam, queries=1000, rate=0.3, classes=10, noise="gumbel", **more):
    method = PrivGNN(scale=1 / lam, num_queries=queries, rate=rate, noise=noise, **more)
    return method.budget(classes)

for lam in (0.1, 0.4):
    fresh, single = (budget(lam, classes=2, one_teacher=one).epsilon(1e-4).pessimistic
                     for one in (False, True))
    print(f"lambda {lam}: fresh samples {fresh:.2f}, one sample {single:.2f}")
    glue(f"single_{lam}", single / fresh, display=False)
    assert single > 3 * fresh


# %% [markdown]
# So the claim `privgnn-singlegnn-same-guarantee` is refuted: one sample costs {glue:text}`single_0.1:.1f` times as much at $\lambda = 0.1$, and {glue:text}`single_0.4:.1f` times at $0.4$.
#
# ## Adding up a thousand labels
#
# From here on with Laplace noise, as printed, where nothing else is said.

# %%
@cache                                                             # a second each
def three_epsilons(lam, queries=1000, rate=0.3, classes=10, noise="laplace", delta=1e-4):
    spent = budget(lam, queries, rate, classes, noise)
    return {"as printed": printed_epsilon(1 / lam, rate, queries, delta),  # no bound
            "corrected": rdp_epsilon(list(spent.steps), delta),     # Renyi, the right pair
            "tight": spent.epsilon(delta).pessimistic}              # privacy losses, same pair

for lam in LAMBDAS:
    print(f"lambda {lam}:", {name: round(e, 2) for name, e in three_epsilons(lam).items()})


# %% [markdown]
# - **As printed** takes the Rényi curve of *one number* plus Laplace noise, samples it, multiplies by 1,000 and converts. The released thing is an arg max of several noisy numbers, all of which may move. That curve does not bound it: for two classes, $\lambda = 1$ and order 2 it says 0.62, and the label has 0.70 (`privgnn-laplace-curve-applied`). (The paper's Theorem 8 also has a factor 3, which its numbers leave out; legitimate for Laplace noise, see {doc}`02_differential_privacy`.)
# - **Corrected** takes the right pair, $c$-ary randomised response after sampling, more orders, and the better conversion.
# - **Tight** composes the privacy losses of that pair. We print the upper end of a bracket that is at most 1% wide. If the teacher may be any classifier, and the theorems ask no more, nothing below the bracket holds: let her name the label of the nearest node in her sample, else class 0; let one node near all queries have label 1, and all others label 0.
#
# PATE's votes are added up too. $2\lambda$-DP for each label would be a bound, and a wasteful one.
#
# :::{prf:theorem} Votes (claim `votes-compose`, verdict: holds)
# :label: thm-votes
#
# One person moves, casts or withdraws at most one vote for each query. Then each label costs no more than two Laplace releases of loss $\lambda$ (Laplace noise), or than one mechanism whose losses *span* $2\lambda$: the largest minus the smallest is at most $2\lambda$ (Gumbel noise).
# :::
#
# Fix all dice and the coins of the training: then she changes at most one vote for each query, and averaging over them keeps every bound. With Laplace noise two counts move by one, and the label is computed from the noisy counts. With Gumbel noise the loss of naming a class is $\lambda$ times the change of its count, plus a number that all classes share. Losses from $-0.15$ to $0.05$ span 0.2, while randomised response of loss 0.2 spans 0.4; that is why it costs more {cite}`dong2020optimal`. (These are upper bounds, for parts drawn by dice.)

# %%
def votes_cost(noise, lam, queries=1000):
    spent = PATE(scale=1 / lam, num_queries=queries, noise=noise).budget(10)
    return spent.epsilon(1e-4).pessimistic

print(f"PATE, lambda 0.1: randomised response {exact_epsilon(pure_pair(0.2), 1000, 1e-4):.1f},",
      *(f"{noise} noise {votes_cost(noise, 0.1):.1f}" for noise in ("laplace", "gumbel")))

# %%
printed = {float(c.parameters["lambda"]): c for c in experiments.cells(
    "privgnn", "Table 2", dataset="Amazon", method="PrivGnn", queries="1000")}
rows = []
for lam in LAMBDAS:
    found = three_epsilons(lam)
    rows.append({"λ": lam, "Table 2 prints": printed[lam].mean,
                 "as printed, δ = 10⁻³": f"{printed_epsilon(1 / lam, 0.3, 1000, 1e-3):.2f}",
                 "as printed, δ = 10⁻⁴": f"{found['as printed']:.2f}",
                 "Theorem 7": f"{printed_theorem_7(1 / lam, 0.3, 1000, 1e-4):.2f}",
                 "tight, 10 classes": f"{found['tight']:.2f}",
                 "tight, 2 classes": f"{three_epsilons(lam, classes=2)['tight']:.2f}"})
    assert found["tight"] < printed[lam].value < found["as printed"]
    assert 0 <= printed_epsilon(1 / lam, 0.3, 1000, 1e-3) - printed[lam].value < 0.01
show.table(rows)

# %% [markdown]
# Three things to see. The printed budgets come out to the digit (some are cut, not rounded), but at $\delta = 10^{-3}$, *ten times* what the paper states. (The authors' code has `10e-4` for Amazon, which is $10^{-3}$.) All its PrivGNN rows come out at ten times their $\delta$, but for two slips ({doc}`14_claims`). (With 2,500 private nodes $10^{-3}$ breaks the paper's own rule $\delta < 1/|V|$.) Amazon's budgets are still true for ten classes at $10^{-4}$, though for another reason than the one given: a label among ten tells less than the curve assumes. And for two classes not all of them are: at $\lambda = 0.4$ the paper's Credit row (Table 9) says 19.81, and the exact value, below, is larger (`privgnn-budget-credit`, refuted).
#
# :::{admonition} Claim: Theorem 7 of the paper (claim `privgnn-theorem-7`, verdict: refuted)
# :class: warning
# :name: clm-privgnn-7
#
# Algorithm 1 is $(\varepsilon, \delta)$-DP with $\varepsilon \le \ln\frac{1}{\sqrt\delta} + |Q| \ln\big(1 + \gamma^2 (\tfrac23 e^{1/\beta} + \tfrac13 e^{-2/\beta} - 1)\big)$.
# :::
#
# The paper calls this a rough upper bound, much larger than what it reports. From $\lambda = 0.2$ on it is smaller than what the paper reports. Its derivation pairs the Rényi divergence at order $\alpha - 1$ with the conversion at order $\alpha$. For two classes the algorithm itself exceeds it, with the teacher and the graph that were just described (`test_theorem_7_lies_below_the_algorithm` lists all samples of a graph of four).

# %%
for lam in (0.2, 0.4):
    pair = NoisyArgMax(1 / lam, 2, "laplace").pair.poisson(0.3)
    exact = exact_epsilon(pair, 1000, 1e-4)
    claimed = printed_theorem_7(1 / lam, 0.3, 1000, 1e-4)
    reported = printed_epsilon(1 / lam, 0.3, 1000, 1e-3)          # at ten times the stated delta, as above
    print(f"lambda {lam}: Theorem 7 {claimed:.2f}, reported {reported:.2f}, exact {exact:.2f}")
    assert exact > claimed
assert all((printed_theorem_7(1 / lam, 0.3, 1000, 1e-4) < printed_epsilon(1 / lam, 0.3, 1000, 1e-3)) == (lam >= 0.2)
           for lam in (0.1, 0.2, 0.4, 0.6, 0.8, 1.0))

# %% mystnb={"image": {"alt": "Epsilon at delta 1e-4 over lambda from 0.1 to 1, on logarithmic axes, for 1,000 labels. From the top - PATE with Laplace and with Gumbel noise, PrivGNN's labels without sampling, the printed way, the tight value for two classes, and clearly below the corrected and the tight value for ten classes. The printed points of Table 2 lie near the printed way. Theorem 7 lies below the tight value for two classes between 0.2 and 0.8."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(7.2, 4.0))
curves = [("PATE, Laplace noise", "grey", ":", lambda lam: votes_cost("laplace", lam)),
          ("PATE, Gumbel noise", "grey", "--", lambda lam: votes_cost("gumbel", lam)),
          ("PrivGNN without sampling", "purple", ":", lambda lam: exact_epsilon(pure_pair(lam), 1000, 1e-4)),
          ("as printed", "orange", "--", lambda lam: printed_epsilon(1 / lam, 0.3, 1000, 1e-4)),
          ("Theorem 7", "yellow", "-.", lambda lam: printed_theorem_7(1 / lam, 0.3, 1000, 1e-4)),
          ("corrected, 10 classes", "green", "--", lambda lam: three_epsilons(lam)["corrected"]),
          ("tight, 2 classes", "sky", "-", lambda lam: three_epsilons(lam, classes=2)["tight"]),
          ("tight, 10 classes", "blue", "-", lambda lam: three_epsilons(lam)["tight"])]
for label, colour, style, epsilon_of in curves:
    axes.loglog(LAMBDAS, [epsilon_of(lam) for lam in LAMBDAS], style, color=show.COLOURS[colour], marker="",
                label=label)
axes.plot(list(printed), [c.value for c in printed.values()], "kx", label="Table 2, Amazon")
axes.set(xlabel="λ", ylabel="ε at δ = 10⁻⁴, 1,000 labels", xticks=LAMBDAS)
axes.set_xticklabels([f"{lam:g}" for lam in LAMBDAS])
axes.minorticks_off()
axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()
on_all, on_sample = (exact_epsilon(pair, 1000, 1e-4) for pair in (pure_pair(0.1), pure_pair(0.1).poisson(0.3)))
for name, value in (("all", on_all), ("sample", on_sample), ("factor", on_all / on_sample)):
    glue(f"cost_{name}", value, display=False)
rivals = {c.value / printed[float(c.parameters["lambda"])].value
          for method in ("PateM", "PateG")
          for c in experiments.cells("privgnn", "Table 2", dataset="Amazon", method=method, queries="1000")}
glue("saved_least", min(rivals), display=False)
glue("saved_most", max(rivals), display=False)
for lam in (0.1, 1.0):
    glue(f"saved_{lam}", votes_cost("laplace", lam) / three_epsilons(lam)["tight"], display=False)

# %% [markdown]
# The figure also shows what sampling is worth. At $\lambda = 0.1$ a thousand $\lambda$-DP labels cost {glue:text}`cost_all:.1f` on all data and {glue:text}`cost_sample:.1f` on samples: a factor of {glue:text}`cost_factor:.1f`. The paper reports "over 20 times reduction" against PATE; in its own Table 2, Amazon, 1,000 labels, it is {glue:text}`saved_least:.0f` to {glue:text}`saved_most:.0f` times. By one accountant it is {glue:text}`saved_0.1:.0f` times at $\lambda = 0.1$ and {glue:text}`saved_1.0:.0f` times at 1 (ten classes, Laplace noise; for PATE an upper bound; `privgnn-lower-cost-than-pate`). But equal $\lambda$ is not equal use, as we shall see.
#
# ## What is left of the labels
#
# So the labels are private. Are they useful? Take the best teacher there can be: always right, and sure. Her class has score 1, the others 0. With noise of scale $1/\lambda$ on each, how often is the label still right? That is *win* from above, and nobody does better on average.

# %% mystnb={"image": {"alt": "Two panels. Left, the largest share of right labels over lambda from 0.05 to 10 for 2, 10 and 41 classes and for Laplace and Gumbel noise. For 10 classes it is 0.11 at lambda 0.1 and 0.26 at 1. Right, for 10 classes between lambda 0.1 and 1, the ceiling stays below 0.26 while the printed accuracies of Table 5 rise from 0.40 to 0.83."}} tags=["hide-input", "full-width"]
table_5 = {float(c.parameters["lambda"]): 100 * c.value
           for c in experiments.cells("privgnn", "Table 5", dataset="Amazon", method="PrivGnn")}
ceiling = {lam: 100 * NoisyArgMax(1 / lam, 10, "laplace").win for lam in LAMBDAS}
figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.2))
for c, colour in ((2, "green"), (10, "blue"), (41, "orange")):
    for noise, style in (("laplace", "-"), ("gumbel", "--")):
        wide = np.geomspace(0.05, 12, 60)
        left.semilogx(wide, [100 * NoisyArgMax(1 / lam, c, noise).win for lam in wide.tolist()], style, marker="",
                      color=show.COLOURS[colour], label=f"{c} classes, {noise.title()}")
left.set(xlabel="λ", ylabel="right labels, at most, in %")
left.legend(fontsize=8)
right.plot(list(table_5), list(table_5.values()), "kx--", label="student's accuracy, Table 5")
right.plot(list(ceiling), list(ceiling.values()), "o-", color=show.COLOURS["blue"], label="right labels, at most")
right.set(xlabel="λ", ylabel="%", ylim=(0, 100), title="10 classes (Amazon)")
right.legend(fontsize=8)
plt.show()
glue("ceiling_low", ceiling[0.1], display=False)
glue("ceiling_high", ceiling[1.0], display=False)
assert all(ceiling[lam] < 27 for lam in LAMBDAS)

# %% [markdown]
# For ten classes at most {glue:text}`ceiling_low:.0f`% of the labels are right at $\lambda = 0.1$, where a uniform guess has 10, and {glue:text}`ceiling_high:.0f`% at 1. The paper prints students with {glue:text}`t5_low:.0f`% and {glue:text}`t5_high:.0f`%. Can a student be so much better than her labels? Wrong labels are spread over nine classes, so in principle the right one still wins on average. Let us run it.
#
# ## On a real graph
#
# Amazon Computers: 10 classes of products, 2,500 private nodes (250 of each class), 6,000 public ones, half of them for testing. As in the paper, 1,000 labels, $\gamma = 0.3$, $K = 750$ and 200 epochs, where nothing else is said. {glue:text}`n_seeds` seeds; all runs are in the book's ledger.

# %%
runs, costs = experiments.Results("privgnn"), experiments.Results("privgnn-budgets")
AMAZON, CREDIT = "amazon-computers", "credit-nifty"

def of(method, metric="accuracy", dataset=AMAZON, **settings):
    """The mean over seeds, in percent, with its 95% interval."""
    return runs.mean(metric, **runs.cell(dataset=dataset, method=method, **settings))

def privgnn(lam, noise, metric="accuracy", queries=1000, neighbours=750, rate=0.3, **more):
    return of("privgnn", metric, lam=lam, noise=noise, queries=queries, neighbours=neighbours,
              rate=rate, **more)

def epsilon_of(cell, accountant="tight"):
    """At delta = 1e-4, computed once and kept in the ledger."""
    return costs.mean(accountant, **{name: cell[name] for name in costs.columns}).mean


# %% tags=["full-width"]
def cost(lam, noise):
    cell = runs.cell(dataset=AMAZON, method="privgnn", noise=noise, lam=lam, queries=1000, rate=0.3)
    return f"{epsilon_of(cell, 'corrected'):.1f}, {epsilon_of(cell):.1f}"

rows = [{"λ": lam, "Table 5 prints": f"{table_5[lam]:.0f}", "ε corrected, tight": cost(lam, "laplace"),
         "Algorithm 1 as printed": privgnn(lam, "laplace"), "ε with Gumbel noise": cost(lam, "gumbel"),
         "with Gumbel noise": privgnn(lam, "gumbel"),
         "right labels, as printed": privgnn(lam, "laplace", "right"),
         "a teacher who is never wrong": of("oracle", noise="laplace", lam=lam, queries=1000, rate=0.3)}
        for lam in LAMBDAS]
show.table(rows)

# %% tags=["remove-cell"]
reached = {lam: privgnn(lam, "laplace") for lam in LAMBDAS}
perfect = {lam: of("oracle", noise="laplace", lam=lam, queries=1000, rate=0.3) for lam in LAMBDAS}
twin = {lam: privgnn(lam, TWIN) for lam in LAMBDAS}
glue("n_seeds", min(each.n for each in reached.values()), display=False)
glue("t5_low", table_5[0.1], display=False)
glue("t5_high", table_5[1.0], display=False)
glue("reached_high", reached[1.0].mean, display=False)
glue("perfect_high", perfect[1.0].mean, display=False)
kept = experiments.Results("privgnn-parts")
constant = kept.mean("constant", dataset=AMAZON).mean
glue("constant", constant, display=False)
assert all(each.high < constant for each in perfect.values())
glue("without_noise", privgnn(1.0, "laplace", "clean").mean, display=False)
glue("print_04", table_5[0.4], display=False)
assert all(reached[lam].low <= perfect[lam].high for lam in LAMBDAS)
assert all(table_5[lam] > perfect[lam].high + 20 for lam in LAMBDAS)

# %% [markdown]
# The algorithm as printed gives students between guessing and {glue:text}`reached_high:.0f`%. A teacher who is *never wrong* would have students of {glue:text}`perfect_high:.0f`% at $\lambda = 1$. So Table 5 does not come from Algorithm 1 and 200 epochs of this training, and **no better teachers would help**. Without noise our teachers are right for {glue:text}`without_noise:.0f`% of the queries. (Naming the largest class for everybody gives {glue:text}`constant:.0f`%.)
#
# Could stopping earlier help? A student who is trained for 200 epochs may learn her wrong labels by heart. So look at her after the epoch in which she was best *by the test labels*. Nobody has these, and it is no result; but no rule for stopping does better.
#
# What else can it come from? The authors' code, in the version that is public {cite}`olatunji2023code`, differs from the text in places. Four of them we tried:
#
# - The noise is added to the network's *log*-probabilities.
# - Teachers and student are trained for 500 epochs, not 200. That makes posteriors surer, and their logarithms harder to hide.
# - Public nodes are drawn from *all* nodes. (Two lines are meant to leave out nodes that were drawn before. They look for numbers among tensors and never find them.) So about {glue:text}`test_private:.0f`% of the test nodes are private nodes, and {glue:text}`test_trained:.0f`% are training nodes.
# - The weights of PATE's GraphSAGE teachers (ten in the code) are reset after training, before they are asked. (The paper calls PATE with such teachers *PateG*, with MLPs, which see no edges, *PateM*.)

# %% tags=["full-width"]
trained, code = experiments.Results("privgnn-epochs"), experiments.Results("privgnn-released")

def epoch(metric, *where):
    return trained.mean(metric, **trained.cell(**dict(zip(("method", "noise", "lam"), where, strict=False))))

def released(*where):
    return code.mean("accuracy", **code.cell(**dict(zip(("method", "lam"), where, strict=False))))

rows = [{"λ": lam, "Table 5 prints": f"{table_5[lam]:.0f}",
         "never wrong, last epoch": epoch("last", "oracle", "laplace", lam),
         "never wrong, best epoch": epoch("best", "oracle", "laplace", lam),
         "noise on ln p": privgnn(lam, TWIN),
         "noise on ln p, 500 epochs, public nodes from all": released("single", lam)}
        for lam in LAMBDAS]
show.table(rows)

# %% [markdown]
# (Last column: one teacher for all queries, trained on 750 private nodes.)

# %% tags=["hide-input"]
votes_kept = experiments.Results("pate-reported")

def by_formula(teacher, lam):
    """PATE's data-dependent epsilon, from our votes."""
    return votes_kept.mean(dataset=AMAZON, teacher=teacher, lam=lam, queries=1000)

def edges(part):
    found = kept.mean(part, dataset=AMAZON)
    return f"{found.mean:,.0f} ± {found.half:,.0f}"

def print_of(table, **wanted):
    return experiments.cells("privgnn", table, dataset="Amazon", **wanted)[0].value

paper = {"B1": 100 * print_of("Table 5", method="B1"), "B2": 100 * print_of("Table 5", method="B2"),
         "PateG": 100 * print_of("Table 5", method="PateG", **{"lambda": "1"}),
         "edges": print_of("Table 11", metric="edges", part="public")}
pateg = {lam: print_of("Table 2", method="PateG", queries="1000", **{"lambda": f"{lam:g}"}) for lam in LAMBDAS}

def row(what, printed, ours, theirs):
    return {"Amazon Computers": what, "printed": printed, "by the text": ours, "with that detail of the code": theirs}

show.table([
    row("B1: trained on the private graph", f"{paper['B1']:.0f}", of("b1", teacher="none"), released("b1")),
    row("B2: trained on the public graph, true labels", f"{paper['B2']:.0f}", of("b2", teacher="none"), released("b2")),
    row("edges of the public graph", f"{paper['edges']:,.0f}", edges("public"), edges("released")),
    row("PateG, λ = 1: the student", f"{paper['PateG']:.0f}", of("pate", teacher="sage", lam=1.0, queries=1000),
        released("pate", 1.0)),
    *(row(f"PateG, λ = {lam:g}: data-dependent ε", f"{pateg[lam]:.2f}", by_formula("sage", lam),
          f"{by_formula('reset', lam).mean:.2f}") for lam in LAMBDAS)])

# %% [markdown]
# (Last column: in the first three rows public nodes are drawn from all nodes. In the others ten GraphSAGE teachers are asked with reset weights.)

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
# So no rule for stopping makes Table 5 out of Algorithm 1 and this training: at $\lambda = 0.4$ even a teacher who is never wrong has a student with {glue:text}`perfect_best:.0f`% at her best, where {glue:text}`print_04:.0f` is printed. Noise on logarithms gets within {glue:text}`off_text:.0f` points of Table 5 at every $\lambda$, and never above it. The code's epochs and public nodes (and a single teacher) bring that down to {glue:text}`off_code:.0f`, and are nearer at 0.1 and 0.4 only. So such noise would explain most of the gap, and something is still missing. The code's public nodes bring B1 and B2 within 2 points of print (test nodes that were trained on; scaling, weight decay, learning rate, depth and epochs, tried by hand, did not), and the number of edges, too, is as printed.
#
# PateG's budgets up to $\lambda = 0.8$ are, to the last digit, what its data-dependent formula gives for votes that agree too little to help. At 0.1 and 0.2 all our teachers agree too little. From 0.4 on trained ones do not, and untrained ones do. That fits the reset weights, although at $\lambda = 1$ untrained ones have {glue:text}`reset_1:,.2f` where {glue:text}`pateg_1:,.2f` is printed.
#
# Two more details matter for privacy rather than for accuracy: samples have a fixed size, and one optimiser serves all teachers and then the student, so that she sees more than the labels. (All this is about the version that is public; it may not be the one that made the tables.)
#
# Noise on logarithms takes away the guarantee.

# %%
def log_loss(sure, lam=0.4, classes=3):
    """The loss of the arg max of ln p + Laplace noise, two teachers who are `sure`."""
    gap = math.log(sure / ((1 - sure) / (classes - 1)))       # scores that far apart, not 1
    label = NoisyArgMax(1 / (lam * gap), classes, "laplace")
    return label.epsilon

for sure in (0.9, 0.999, 1 - 1e-6, 1 - 1e-12):
    print(f"posterior {sure}: loss of one label {log_loss(sure):.1f}")
assert log_loss(1 - 1e-12) > 8

# %% [markdown]
# (Only differences of scores matter: a lead of $g$ over noise of scale $\beta$ is a lead of 1 over noise of scale $\beta / g$.) Probabilities lie in $[0, 1]$; their logarithms do not. A teacher may be as sure as she likes, so the loss of one label has no bound: **no finite $\varepsilon$** holds for noise on $\ln p$. (Ours clips at $10^{-30}$, so that computers can go on: finite, and useless.)
#
# So which settings are good? Perhaps fewer questions, and less noise on each?
#
# ## Move the dials
#
# Change the first line and run the cell: it makes the whole release on the small graph from above, with Gumbel noise.

# %%
lam, queries, rate, n_epochs, accountant = 3.0, 50, 0.1, 20, "tight"       # turn here

def dial(classes, right, reached):
    for name, value in three_epsilons(lam, queries, rate, classes, "gumbel").items():
        print(f"epsilon {name:10} {value:8.2f}", "  <--" if name == accountant else "")
    perfect = 100 * NoisyArgMax(1 / lam, classes).win
    print(f"labels right: {right:.0f} % (a perfect teacher: {perfect:.0f} %)")
    print(f"accuracy of the student: {reached:.0f} %")

live = PrivGNN(num_queries=queries, scale=1 / lam, rate=rate,
               teacher=NodeClassifier(epochs=30), student=NodeClassifier(epochs=n_epochs))
release = live.collect(private, public, seeded(2))      # noisy labels: all that leaves
student = live.learn(release, seeded(3))                # sees the release and nothing else
right = 100 * float((release.labels == public.y[release.queries]).double().mean())
dial(public.num_classes, right, accuracy(student.predict_proba(), public.y, public.test_mask))

# %% [markdown]
# The same dials on Amazon Computers, from the ledger (`nan` where it was not run; the table has all that were; *as printed* is always the paper's formula, which is for Laplace noise).

# %%
search = experiments.Results("privgnn-frontier")
cell = search.cell(method="privgnn", noise="gumbel", lam=lam, queries=queries, neighbours=750,
                   rate=rate, epochs=n_epochs)
dial(10, *((search.mean(metric, **cell) or interval([math.nan])).mean
           for metric in ("right", "accuracy")))

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
# ({glue:text}`n_tried` configurations, one seed each; each number is a mean over five releases from the same teachers, and a single student varies more. For PATE, $\lambda$ is one over the scale of the noise on a count; the paper prints a function of private votes, so *as printed* is empty.)
#
# ## The best student for an epsilon
#
# The search was made with one seed. The best of many noisy results is flattered, so the winners were run again, on {glue:text}`n_fresh` *other* seeds; only these count. (Choosing them looked at test labels. That is not paid for: these $\varepsilon$ are for somebody who knows the setting beforehand. See {doc}`../book/sharp_edges`.)

# %% tags=["full-width"]
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

# %% mystnb={"image": {"alt": "Accuracy of students over tight epsilon, on a logarithmic axis. Each configuration is a pale mark - PrivGNN by sampling rate, PATE by its kind of teachers. Large marks with intervals show the winners on fresh seeds at epsilon 4, 8, 16 and 32 - those of PATE lie above. A dashed line marks B1, without privacy, a dotted one the largest class."}} tags=["hide-input", "full-width"]
figure, axes = plt.subplots(figsize=(8.4, 4.2))
groups = [("privgnn", 0.3, "PrivGNN, γ = 0.3", "sky", "o"), ("privgnn", 0.1, "PrivGNN, γ = 0.1", "blue", "o"),
          ("privgnn", 0.03, "PrivGNN, γ = 0.03", "green", "o"), ("privgnn", 0.01, "PrivGNN, γ = 0.01", "yellow", "o"),
          ("mlp", 0.0, "PATE, MLPs", "orange", "s"), ("sage", 0.0, "PATE, GraphSAGE", "grey", "^")]
for kind, rate, label, colour, marker in groups:
    cells = [c for c in tried if kind in (c["method"], c["teacher"]) and c["rate"] == rate]
    accuracies = [search.values("accuracy", **c)[0] for c in cells]
    axes.semilogx([epsilon_of(c) for c in cells], accuracies, marker, markersize=4, linestyle="",
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
# Three answers. First, **few questions**: the winners ask {glue:text}`fewest_asked` to {glue:text}`most_asked`, not 1,000 (20 is the end of the grid, as are 60 epochs; the best may lie beyond). Second, **PATE is better** in this search within the same $\varepsilon$, with teachers that do not even look at edges: seed by seed by {glue:text}`ahead_4` points up to $\varepsilon = 4$, {glue:text}`ahead_8` up to 8, {glue:text}`ahead_16` up to 16 and {glue:text}`ahead_32` up to 32. ($K$ was not searched, nor was the number of PATE's teachers. At $\gamma = 0.1$ a sample is smaller than $K$, so these teachers are not personal.) Third, both have little to offer: at $\varepsilon = 8$ neither reaches the {glue:text}`constant:.0f`% that one and the same answer for all would have, and at 32 it is {glue:text}`pate_at_32:.0f`% for PATE and {glue:text}`privgnn_at_32:.0f`% for PrivGNN, which stays below that answer at all four. (To give that answer one must know which class is largest. Counting private labels does not tell, as there are 250 of each.)
#
# Why is a vote of twenty so hard to beat? One reason: in PrivGNN one person may turn a teacher, and the teacher's answer *is* the answer, so the noise must hide a change from 0 to 1. In PATE she turns one vote of twenty, and the noise is added to the sum. A lead of eight votes at $\lambda = 0.4$ stands out as much as a lead of one at $\lambda = 3.2$, and the losses of a label span only $2\lambda = 0.8$. Sampling at $\gamma = 0.1$ brings 3.2 down to $\ln(1 + 0.1 (e^{3.2} - 1)) = 1.2$. (The paper compares the two at equal $\lambda$, which is not equal $\varepsilon$.)
#
# ## What each part does
#
# The guarantee does not depend on $K$; the accuracy does. And the paper's ablations: all of the sample (*KNNRem*), one sample and one teacher for all (*SingleGNN*), a student that was first trained to tell neighbours from strangers on the public graph (appendix D.7, which costs nothing). All with noise on $\ln p$, as with the printed noise nothing can be told apart; so these compare teachers, and no guarantee holds for any of them.

# %% tags=["full-width"]
parts = {"K = 50": dict(neighbours=50), "K = 100": dict(neighbours=100), "K = 300": dict(neighbours=300),
         "K = 750": dict(neighbours=750), "KNNRem": dict(neighbours=0), "pre-trained": dict(pretrain=50)}
rows = []
for lam in LAMBDAS:
    row = {"λ": lam} | {name: privgnn(lam, TWIN, **change) for name, change in parts.items()}
    row["SingleGNN"] = of("single", noise=TWIN, lam=lam, queries=1000, rate=0.3, neighbours=0)
    rows.append(row)
clean = {name: privgnn(0.4, TWIN, "clean", **change) for name, change in parts.items() if name != "pre-trained"}
clean["SingleGNN"] = of("single", "clean", noise=TWIN, lam=0.4, queries=1000, rate=0.3, neighbours=0)
rows.append({"λ": "labels right without noise"} | {name: clean.get(name, "") for name in rows[0] if name != "λ"})
show.table(rows)


# %% tags=["remove-cell"]
def against_750(lam, method="privgnn", **change):
    """Minus the student with K = 750, seed by seed."""
    usual = dict(noise=TWIN, lam=lam, queries=1000, neighbours=750, rate=0.3)
    return runs.gap(runs.cell(dataset=AMAZON, method=method, **usual | change),
                    runs.cell(dataset=AMAZON, method="privgnn", **usual), "accuracy")

for change in (parts["KNNRem"], parts["pre-trained"]):
    assert {against_750(lam, **change).mean > 0 for lam in LAMBDAS} == {True, False}
single = [against_750(lam, "single", neighbours=0) for lam in LAMBDAS]
assert all(each.mean < 0 and each.low < 0 < each.high for each in single)
assert all(against_750(lam, neighbours=k).high < 0 for lam in LAMBDAS for k in (50, 100))

# %% [markdown]
# Fewer, nearer nodes make worse teachers. (This table cannot say whether for being near or for being few.) $K = 750$ is the mean size of a sample ($0.3 \cdot 2{,}500$), so there the nearest-neighbour step does next to nothing, and neither leaving it out nor training the student beforehand has an effect of one sign. One teacher for all (SingleGNN) has lower means at every $\lambda$ than $K = 750$, but seed by seed none of the five differences is decided.
#
# How many labels does a student need? (The paper's Figure 7, $\lambda = 0.4$.)

# %% mystnb={"image": {"alt": "Two panels over the number of queries from 10 to 1,000, at lambda 0.4. Left, the student's accuracy - with noise on ln p it rises with the number of queries, as printed it stays near that of a guess. Right, epsilon grows with the number of queries, ever more slowly; as printed lies above tight."}} tags=["hide-input", "full-width"]
counts = [10, 100, 200, 300, 500, 1000]
figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 3.0))
for noise, name, colour in ((TWIN, "noise on ln p (no ε)", "orange"), ("laplace", "as printed", "blue")):
    show.points(left, counts, [privgnn(0.4, noise, queries=q) for q in counts], name, colour)
left.set(xlabel="queries", ylabel="student's accuracy in %", ylim=(0, 100))
for name, colour in (("as printed", "grey"), ("tight", "blue")):
    right.plot(counts, [three_epsilons(0.4, queries=q)[name] for q in counts], color=show.COLOURS[colour], label=name)
right.set(xlabel="queries", ylabel="ε at δ = 10⁻⁴")
left.legend(fontsize=8), right.legend(fontsize=8)
plt.show()

# %% [markdown]
# ## Who was in it?
#
# The paper's Attack-1 asks: was this node among the private ones? It is printed to have an AUC above .75 on B1, the network trained on the private graph without protection, and of at most .54 on PrivGNN.

# %%
members = experiments.Results("membership")

def attack(*where, metric="auc"):
    return members.mean(metric, **members.cell(**dict(zip(("attack", "target", "noise", "lam"), where, strict=False))))

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
assert all(abs(attack("private", "student", noise).mean - attack("private", "stranger").mean) < 8
           for noise in ("teachers", "b1"))

# %% [markdown]
# Look at the last row first. This network, the attacker's own shadow model, saw neither the private nodes nor the public ones, and the attack scores {glue:text}`stranger:.0f` on it, far from 50. The two groups differ in more than membership: in their classes, and in the graphs on which they are asked about. So 50 is no reference here. What can be said: on B1 the attack scores far above the stranger. On students of labels *without noise*, with and without sampling, it scores as on the stranger. (Noise moves it towards 50, presumably because who knows little treats all alike.) So on this graph the detour through a student suffices to hide members from this attack, without noise or sampling. (And the true positive rate is about zero for all: at 1% false alarms this attack finds almost nobody.)
#
# Attack-2 asks which *public* nodes were queries. That is no secret (`privgnn-attack-2-by-proxy`); it shows how hard the student holds on to her noisy labels.

# %%
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
# The paper prints an AUC of 40, "a random guess". Ours is {glue:text}`attack_2:.0f` for Algorithm 1, and {glue:text}`attack_2_twin:.0f` with noise on $\ln p$. Where few labels are right it is far larger: labels that contradict their neighbourhood can, presumably, only be learnt by heart.
#
# Back to private nodes. A fair game draws the members by coin (5,000 nodes; 32 shadow models, 8 for students, where those who were in all eight or in none are left out; students of 200 labels with $\gamma = 0.03$; three seeds):

# %%
small = {lam: PrivGNN(scale=1 / lam, **membership.STUDENT).budget(10).epsilon(1e-4).pessimistic
         for lam in membership.STUDENT_LAMBDAS}
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
# *TPR at most* is what $(\varepsilon, \delta)$ promises about the true positive rate at 1% false positives, for one person and any attacker ({doc}`04_membership`). At the smaller $\varepsilon$ it says something, at the larger next to nothing, and for a student without noise nothing at all. The attack, though, finds nothing in any student. Both are true: the guarantee is for the worst graph and the best attacker, the attack is one attack, with few shadow models, on one graph. What it does not find is no guarantee.
#
# ## The paper's numbers beside ours
#
# PATE's budgets are functions of private votes. Beside them is what does not look at votes.

# %%
rows = []
for c in experiments.cells("privgnn", "Table 2", dataset="Amazon", queries="1000"):
    if c.method in ("PateM", "PateG"):
        cell = dict(dataset=AMAZON, teacher={"PateM": "mlp", "PateG": "sage"}[c.method],
                    lam=float(c.parameters["lambda"]), queries=1000)
        tight = epsilon_of(runs.cell(dataset=AMAZON, method="pate", lam=cell["lam"], queries=1000))
        rows.append({"PATE": c.method, "λ": c.parameters["lambda"], "printed": c.mean,
                     "the same formula, our votes": by_formula(cell["teacher"], cell["lam"]),
                     "does not look at votes, δ = 10⁻⁴": f"{tight:.1f}"})
        assert tight < c.value or cell["lam"] > 0.5
show.table(rows)

# %% [markdown]
# (Printed and formula: $\delta = 1/2{,}500$, which fits; the paper says $10^{-4}$.) For GraphSAGE at every $\lambda$, for MLPs up to 0.4, the last column, which looks at no votes, is *smaller* than the printed one, which leaks, although its $\delta$ is smaller too.
#
# Are the graphs the same?

# %%
rows = []
for c in experiments.cells("privgnn", "Table 11", metric="edges"):
    if c.dataset in ("Amazon", "Credit"):
        part = c.parameters["part"]
        name = {"Amazon": AMAZON, "Credit": CREDIT}[c.dataset]
        ours = kept.mean(part, dataset=name)
        rows.append({"graph": f"{c.dataset}, {part}", "edges printed": f"{c.value:,.0f}",
                     "ours": f"{ours.mean:,.0f} ± {ours.half:,.0f}",
                     "printed / ours": f"{c.value / ours.mean:.2f}"})
show.table(rows)

# %% tags=["remove-cell"]
credit = kept.mean("constant", dataset=CREDIT).mean
glue("credit_constant", credit, display=False)
assert all(100 * c.value < credit for c in experiments.cells("privgnn", "Table 9", dataset="Credit", metric="accuracy")
           if float(c.parameters["lambda"]) < 0.5)


# %% [markdown]
# Amazon's public graph by the text has more edges than printed; with public nodes from all nodes it has as many (above). Credit's printed graphs have ten times the edges of the graph at hand, so its numbers are compared on another graph. On ours, one answer for all is right in {glue:text}`credit_constant:.0f`% of the cases, more than what is printed for $\lambda \le 0.4$.
#
# All cells, Credit's among them, are in {doc}`15_tables_privgnn`; what we tried where they differ is in {doc}`15_not_reproduced`.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-09-plan
# ```
# *(With a checker.)* Write `largest_lambda(epsilon, queries, rate)`: the largest $\lambda$ (Gumbel noise, any number of classes) such that `queries` labels from fresh samples cost at most `epsilon` at $\delta = 10^{-4}$. Use `exact_epsilon(pure_pair(lam).poisson(rate), queries, delta)`, which grows with `lam`. What do 100, 300 and 1,000 queries afford at $\varepsilon = 8$, $\gamma = 0.1$, and how often is a label of a perfect teacher right then, for ten classes?
# ```{exercise-end}
# ```

# %%
def check_lambda(largest_lambda):
    for epsilon, queries, rate in ((8.0, 100, 0.1), (2.0, 500, 0.05), (16.0, 50, 0.5)):
        lam = largest_lambda(epsilon, queries, rate)
        spent = [exact_epsilon(pure_pair(each).poisson(rate), queries, 1e-4)
                 for each in (lam, 1.01 * lam)]
        assert spent[0] <= epsilon * (1 + 1e-6), f"{lam} costs {spent[0]:.3f}, not {epsilon}"
        assert spent[1] > epsilon, f"{1.01 * lam:.3f} would do as well for {epsilon}"
    print("all three budgets: correct")


# %% [markdown]
# ```{solution-start} ex-09-plan
# :class: dropdown
# ```

# %%
def largest_lambda(epsilon, queries, rate):
    low, high = 1e-3, 20.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        spent = exact_epsilon(pure_pair(middle).poisson(rate), queries, 1e-4)
        low, high = (middle, high) if spent <= epsilon else (low, middle)
    return low

check_lambda(largest_lambda)
for queries in (100, 300, 1000):
    lam = largest_lambda(8.0, queries, 0.1)
    label = NoisyArgMax(1 / lam, 10, noise="gumbel")
    print(f"{queries} queries: lambda {lam:.2f}, right {100 * label.win:.0f} % (chance: 10 %)")


# %% [markdown]
# Ten times the queries cost about a factor of three in $\lambda$, and most of the labels' worth.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-09-parts
# ```
# Our PATE draws each node's part by a die. Suppose instead that the private nodes are shuffled with a fixed seed and cut into parts of equal size. Nine people, three parts: list which teachers change when one person leaves. What may that do to the $2\lambda$ of a label? And if the shuffle is secret, twelve people in twelve parts, and a thirteenth joins?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-09-parts
# :class: dropdown
# ```

# %%
def equal_parts(people, parts=3):
    order = sorted(people, key=lambda person: person * 7919 % 101)    # a fixed shuffle
    size = math.ceil(len(order) / parts)
    return [set(order[i * size:(i + 1) * size]) for i in range(parts)]

before = equal_parts(range(9))
left = min(before[0])
after = equal_parts(set(range(9)) - {left})
print(before, "->", after, f": {sum(a != b for a, b in zip(before, after, strict=True))} parts changed")
assert sum(a != b for a, b in zip(before, after, strict=True)) > 1

# %% [markdown]
# (The authors' code cuts a seeded shuffle in this way.) When somebody at the front leaves, everybody behind moves up, and people cross from one part into the next. All teachers may change, so all votes may, and $2\lambda$ may become $2\lambda$ times the number of teachers. With a die for each person the others stay where they are.
#
# A secret shuffle helps, but not down to $2\lambda$. With thirteen people one of the twelve parts holds two, any two. Let a teacher say 0 if she has one of the twelve alone, and 1 for everything else: the newcomer alone, or any two. Before, all twelve votes are 0. After, one or two are 1.

# %%
from privgraph.mechanisms import NoisyVotes

def chance_of_1(votes, lam=1.0):
    return NoisyVotes(1 / lam).distribution(votes)[1]

before = chance_of_1((12.0, 0.0))
# 12 of the 78 pairs hold the newcomer, then one vote is 1; else hers and the pair's are
after = 12 / 78 * chance_of_1((11.0, 1.0)) + 66 / 78 * chance_of_1((10.0, 2.0))
print(f"loss {math.log(after / before):.2f}, where 2 lambda = 2")
assert abs(math.log(after / before) - 3.53) < 0.005

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-09-b4
# ```
# The paper's baseline B4 adds Laplace noise (we read: of scale $1/\lambda$) to each entry of the *true* one-hot labels of 1,000 public nodes, and prints $\varepsilon = 100$ to $500$ for it. Each label belongs to another person: *parallel* composition, where each pays for the releases that read her data, and for no others. What does a person pay? Check with the exact audit that four people with three classes pay what one pays.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-09-b4
# :class: dropdown
# ```
# A one-hot vector can change to another, an $L_1$ distance of 2, so one label costs $2\lambda$: 0.2 to 2. A person has one label; the other 999 releases say nothing of hers. So what counts is the largest of the budgets, not their sum. Randomised response stands in for the noisy vector here, with the same worst loss $2\lambda$.

# %%
from privgraph.audit import Independent
from privgraph.mechanisms import RandomisedResponse

def others_fixed(people):
    """All labellings that differ from `people` in one person's label."""
    for person in range(len(people)):
        for label in range(3):
            yield people[:person] + (label,) + people[person + 1:]

together = Independent((RandomisedResponse(0.8, 3),) * 4)      # lambda = 0.4
print(f"{worst_case(together, [(0, 1, 2, 0)], others_fixed).epsilon:.3f}")
assert math.isclose(worst_case(together, [(0, 1, 2, 0)], others_fixed).epsilon, 0.8)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - One noisy label is dominated by randomised response between the corners of the simplex. With Laplace noise it costs up to 17% more than $\lambda$; with Gumbel noise exactly $\lambda$.
# - A fresh Poisson sample for each query multiplies $e^{\varepsilon_0} - 1$ by $\gamma$. One sample for all queries saves little more than $\ln(1/\gamma)$ in all.
# - PATE's votes cost $2\lambda$ a label if parts are drawn by dice. Its data-dependent $\varepsilon$ is a function of private votes. It is no guarantee.
# - A tight accountant gives *less* than the paper prints for PrivGNN (but for one cell, Credit in Table 9), although the paper's derivation does not hold. On Amazon the printed accuracies do not come from Algorithm 1 and 200 epochs. Noise on logarithms, which has no finite $\varepsilon$, comes near them.
# - In our search, within the same $\varepsilon$ (4, 8, 16, 32) PATE's votes beat PrivGNN's teachers on Amazon Computers. There 20 to 50 queries are best, and small $\varepsilon$ leaves little of either.
#
# **Further reading.** PATE {cite}`papernot2017semi` and its successor with Gaussian noise {cite}`papernot2018scalable`; Poisson sampling in Rényi terms {cite}`zhu2019poisson`; the paper {cite}`olatunji2023releasing`.
