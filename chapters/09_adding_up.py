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
# # PATE and PrivGNN: adding up a thousand labels
#
# {doc}`09_privgnn` ended with the cost of *one* noisy label: as much as randomised response between two sure teachers. A student needs many. Here each gets a fresh sample of the private nodes, and three *accountants*, ways to add up losses, say what a thousand cost.
#
# :::{admonition} What you will learn
# :class: tip
# - how a fresh random sample for each label makes it cheaper, and one sample for all labels hardly does;
# - how to add up a thousand labels with three accountants, and find out which of them is none;
# - what a printed budget can be checked against, and how to plan one of your own.
#
# **You need** {doc}`09_privgnn` and, from {doc}`02_many_releases`, composition and subsampling. **Time:** 20 minutes.
# :::

# %% tags=["hide-input"]
from functools import cache

import matplotlib.pyplot as plt
from myst_nb import glue

import privbook
from privbook import show
from privbook.papers.privgnn import tables as grid
from privbook.papers.privgnn.as_printed import printed_epsilon, printed_theorem_7
from privgraph.mechanisms import NoisyArgMax
from privgraph.methods import PATE, PrivGNN
from privgraph.privacy import exact_epsilon, pure_pair, rdp_epsilon

show.use_style()
LAMBDAS = grid.LAMBDAS

# %% [markdown]
# ## A fresh sample makes it cheaper
#
# For each label PrivGNN trains a teacher on a fresh sample of the private nodes. A private person is in it with probability $\gamma$ only. If she is not drawn, the teacher knows nothing of her: sample, neighbours, subgraph and training are the same with and without her.
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
# For many labels the budgets are composed: samples, training and noise are drawn anew for each query, and the queries do not depend on private data. What composes is the sampled pair, $(1-\gamma) Q + \gamma P$ against $Q$ for one who is removed and $Q$ against it for one who is added, with $P$, $Q$ the two sides that dominate a label ({doc}`09_privgnn`). Note what the proof uses: that each person has a coin of her own, which stays secret. And note what it does not: $K$, the distance, the network, the number of epochs. Removing the nearest-neighbour step changes no guarantee (`privgnn-independent-of-k`, holds).
#
# The paper also tries *SingleGNN*: one sample and one teacher for all queries, "theoretically, the same privacy guarantees". Here the mixture is over all thousand labels *together*. If she is drawn, she is drawn for all of them. So the thousand labels are composed first, and sampled once.
#
# :::{prf:observation}
# :label: obs-one-sample
#
# If all labels together are $(\varepsilon, \delta/\gamma)$-DP without sampling, then from one sample they are $\big(\ln(1 + \gamma(e^\varepsilon - 1)),\, \delta\big)$-DP.
# :::
#
# :::{prf:proof}
# Let $P$ and $Q$ be the chances of some set of outcomes with her in the sample and without. If she is in the graph, the chance is $M = (1-\gamma) Q + \gamma P \le (1 - \gamma) Q + \gamma \big(e^\varepsilon Q + \tfrac{\delta}{\gamma}\big) = (1 + \gamma(e^\varepsilon - 1))\, Q + \delta$. The other way round $P \ge e^{-\varepsilon}\big(Q - \tfrac\delta\gamma\big)$, so $M \ge (1 - \gamma + \gamma e^{-\varepsilon})\, Q - e^{-\varepsilon} \delta$. Divide by the bracket, which is at least $1 / (1 + \gamma(e^\varepsilon - 1))$ and at least $e^{-\varepsilon}$.
# :::
#
# The moral: $\ln(1 + \gamma (e^\varepsilon - 1))$ is about $\gamma \varepsilon$ where $\varepsilon$ is small, and about $\varepsilon - \ln(1/\gamma)$ where it is large. A fresh sample for each label works on the small $\varepsilon_0$ of one label, and saves a *factor* each time. One sample for all works on the large $\varepsilon$ of all of them, and saves a *constant*, once. The next cell compares the two, for two classes and Gumbel noise.

# %% tags=["parameters"]
queries, rate, delta = 1000, 0.3, 1e-4


# %%
def budget(lam, queries=queries, rate=rate, classes=10, noise="gumbel", **more):
    method = PrivGNN(scale=1 / lam, num_queries=queries, rate=rate, noise=noise,
                     **more)
    return method.budget(classes)

for lam in (0.1, 0.4):
    spent = [budget(lam, classes=2, one_teacher=one) for one in (False, True)]
    fresh, single = (each.epsilon(delta).pessimistic for each in spent)
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
@cache                                                      # a second each
def three_epsilons(lam, queries=queries, rate=rate, classes=10, noise="laplace",
                   delta=delta):
    spent = budget(lam, queries, rate, classes, noise)
    return {"as printed": printed_epsilon(1 / lam, rate, queries, delta),  # none
            "corrected": rdp_epsilon(list(spent.steps), delta),    # the right pair
            "tight": spent.epsilon(delta).pessimistic}             # and its losses

for lam in LAMBDAS:
    found = three_epsilons(lam)
    print(f"lambda {lam}:", {name: round(e, 2) for name, e in found.items()})


# %% [markdown]
# - **As printed** takes the Rényi curve of *one number* plus Laplace noise, samples it, multiplies by 1,000 and converts. The curve is derived below. But the released thing is an arg max of several noisy numbers, all of which may move, and the curve does not bound it: for two classes, $\lambda = 1$ and order 2 it says 0.62, and the label has 0.70 (`privgnn-laplace-curve-applied`). (The paper's Theorem 8 also has a factor 3, which its numbers leave out; legitimate for Laplace noise, see {doc}`02_many_releases`.)
# - **Corrected** takes the right pair, $c$-ary randomised response after sampling, more orders, and the better conversion.
# - **Tight** composes the privacy losses of that pair. We print the upper end of a bracket that is at most 1% wide. If the teacher may be any classifier, and the theorems ask no more, nothing below the bracket holds for all of them. One who names the label of the nearest node in her sample (class 0 if it is empty) attains it, where one node near all queries has label 1 and all others label 0.
#
# :::{admonition} The curve of one number plus Laplace noise
# :class: note dropdown
# Let a number move from 0 to 1, and let the noise have density $\frac{\lambda}{2} e^{-\lambda |x|}$. Cut the integral of $p^\alpha q^{1 - \alpha}$ at 0 and at 1:
#
# $$
# \underbrace{\tfrac12 e^{(\alpha - 1)\lambda}}_{x < 0} + \underbrace{\tfrac{1}{2(2\alpha - 1)}\big(e^{(\alpha-1)\lambda} - e^{-\alpha\lambda}\big)}_{0 < x < 1} + \underbrace{\tfrac12 e^{-\alpha\lambda}}_{x > 1}
# $$
#
# The Rényi divergence is the logarithm of this, divided by $\alpha - 1$:
#
# $$
# \frac{1}{\alpha - 1} \ln\Big(\frac{\alpha}{2\alpha - 1}\, e^{(\alpha - 1)\lambda} + \frac{\alpha - 1}{2 \alpha - 1}\, e^{-\alpha\lambda}\Big) .
# $$
#
# At order 2 the fractions are $\frac23$ and $\frac13$. You will meet them again in Theorem 7.
# :::
#
# PATE's votes are added up too. $2\lambda$-DP for each label would be a bound, and a wasteful one.
#
# :::{prf:theorem} Votes (claim `votes-compose`, verdict: holds)
# :label: thm-votes
#
# One person moves, casts or withdraws at most one vote for each query. Then each label costs no more than two Laplace releases of loss $\lambda$ (Laplace noise), or than one mechanism whose losses *span* $2\lambda$: the largest minus the smallest is at most $2\lambda$ (Gumbel noise).
# :::
#
# Fix all dice and the coins of the training: then she changes at most one vote for each query, and averaging over them keeps every bound. With Laplace noise two counts move by one, and the label is computed from the noisy counts. With Gumbel noise class $k$ with $n_k$ votes is named with chance $e^{\lambda n_k} / \sum_j e^{\lambda n_j}$. So the loss of naming it is $\lambda$ times the change of its count, less the change of the logarithm of the sum, which all classes share. If she moves her vote, the first part is $+\lambda$ for one class, $-\lambda$ for another and 0 for the rest: whatever the shared number is, the losses span $2\lambda$. Losses from $-0.15$ to $0.05$ span 0.2. Randomised response of loss 0.2 has losses from $-0.2$ to $0.2$, which span 0.4; that is why it costs more {cite}`dong2020optimal`. (These are upper bounds, for parts drawn by dice.)

# %%
def votes_cost(noise, lam, queries=queries):
    spent = PATE(scale=1 / lam, num_queries=queries, noise=noise).budget(10)
    return spent.epsilon(delta).pessimistic

lam = 0.1
print("PATE, lambda", lam)
as_response = exact_epsilon(pure_pair(2 * lam), queries, delta)
print(f"as randomised response: {as_response:.1f}")
for noise in ("laplace", "gumbel"):
    print(f"votes, {noise} noise: {votes_cost(noise, lam):.1f}")

# %%
printed = {float(c.parameters["lambda"]): c for c in privbook.entries(
    "privgnn", "Table 2", dataset="Amazon", method="PrivGnn", queries="1000")}
rows = []
for lam in LAMBDAS:
    found = three_epsilons(lam)
    theirs = printed_epsilon(1 / lam, rate, queries, 10 * delta)
    values = {f"as printed, δ = {10 * delta:g}": theirs,
              f"as printed, δ = {delta:g}": found["as printed"],
              "Theorem 7": printed_theorem_7(1 / lam, rate, queries, delta),
              "tight, 10 classes": found["tight"],
              "tight, 2 classes": three_epsilons(lam, classes=2)["tight"]}
    rows.append({"λ": lam, "Table 2 prints": printed[lam].mean} |
                {name: f"{value:.2f}" for name, value in values.items()})
    assert found["tight"] < printed[lam].value < found["as printed"]
    assert 0 <= theirs - printed[lam].value < 0.01
show.table(rows)

# %% [markdown]
# The printed budgets come out to the digit (some are cut, not rounded), but at $\delta = 10^{-3}$, *ten times* what the paper states. (The authors' code has `10e-4` for Amazon, which is $10^{-3}$.) All its PrivGNN rows come out at ten times their $\delta$, but for two slips ({doc}`14_claims`). (With 2,500 private nodes $10^{-3}$ breaks the paper's own rule $\delta < 1/|V|$.) Amazon's budgets are still true for ten classes at $10^{-4}$, though for another reason than the one given: a label among ten tells less than the curve assumes. And for two classes not all of them are: at $\lambda = 0.4$ the paper's Credit row (Table 9) says 19.81, and the exact value, below, is larger (`privgnn-budget-credit`, refuted).
#
# :::{admonition} Claim: Theorem 7 of the paper (claim `privgnn-theorem-7`, verdict: refuted)
# :class: warning
# :name: clm-privgnn-7
#
# Algorithm 1 is $(\varepsilon, \delta)$-DP with $\varepsilon \le \ln\frac{1}{\sqrt\delta} + |Q| \ln\big(1 + \gamma^2 (\tfrac23 e^{1/\beta} + \tfrac13 e^{-2/\beta} - 1)\big)$.
# :::
#
# The paper calls this a rough upper bound, much larger than what it reports. From $\lambda = 0.2$ on it is smaller than what the paper reports. Its derivation pairs the Rényi divergence at order $\alpha - 1$ with the conversion at order $\alpha$. For two classes the algorithm itself exceeds it, with the teacher and the graph described under *Tight* (`test_theorem_7_lies_below_the_algorithm` lists all samples of a graph of four).

# %%
for lam in (0.2, 0.4):
    pair = NoisyArgMax(1 / lam, 2, "laplace").pair.poisson(rate)
    exact = exact_epsilon(pair, queries, delta)
    claimed = printed_theorem_7(1 / lam, rate, queries, delta)
    reported = printed_epsilon(1 / lam, rate, queries, 10 * delta)
    print(f"lambda {lam}: Theorem 7 {claimed:.2f}, reported {reported:.2f},",
          f"exact {exact:.2f}")
    assert exact > claimed

# %% tags=["remove-cell"]
assert all((printed_theorem_7(1 / lam, rate, queries, delta) < printed_epsilon(1 / lam, rate, queries, 10 * delta))
           == (lam >= 0.2)
           for lam in (0.1, 0.2, 0.4, 0.6, 0.8, 1.0))

# %% [markdown]
# % Figure: What a thousand labels cost, counted in each of the ways.

# %% mystnb={"image": {"alt": "Epsilon at delta 1e-4 over lambda from 0.1 to 1, on logarithmic axes, for 1,000 labels. From the top - PATE with Laplace and with Gumbel noise, PrivGNN's labels without sampling, the printed way, the tight value for two classes, and clearly below the corrected and the tight value for ten classes. The printed points of Table 2 lie near the printed way. Theorem 7 lies below the tight value for two classes between 0.2 and 0.8."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(7.2, 4.0))
curves = [("PATE, Laplace noise", "grey", ":", lambda lam: votes_cost("laplace", lam)),
          ("PATE, Gumbel noise", "grey", "--", lambda lam: votes_cost("gumbel", lam)),
          ("PrivGNN without sampling", "purple", ":", lambda lam: exact_epsilon(pure_pair(lam), queries, delta)),
          ("as printed", "orange", "--", lambda lam: printed_epsilon(1 / lam, rate, queries, delta)),
          ("Theorem 7", "yellow", "-.", lambda lam: printed_theorem_7(1 / lam, rate, queries, delta)),
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
on_all, on_sample = (exact_epsilon(pair, queries, delta) for pair in (pure_pair(0.1), pure_pair(0.1).poisson(rate)))
for name, value in (("all", on_all), ("sample", on_sample), ("factor", on_all / on_sample)):
    glue(f"cost_{name}", value, display=False)
rivals = {c.value / printed[float(c.parameters["lambda"])].value
          for method in ("PateM", "PateG")
          for c in privbook.entries("privgnn", "Table 2", dataset="Amazon", method=method, queries="1000")}
glue("saved_least", min(rivals), display=False)
glue("saved_most", max(rivals), display=False)
for lam in (0.1, 1.0):
    glue(f"saved_{lam}", votes_cost("laplace", lam) / three_epsilons(lam)["tight"], display=False)

# %% [markdown]
# The figure also shows what sampling is worth. At $\lambda = 0.1$ a thousand $\lambda$-DP labels cost {glue:text}`cost_all:.1f` on all data and {glue:text}`cost_sample:.1f` on samples: a factor of {glue:text}`cost_factor:.1f`. The paper reports "over 20 times reduction" against PATE; in its own Table 2, Amazon, 1,000 labels, it is {glue:text}`saved_least:.0f` to {glue:text}`saved_most:.0f` times. By one accountant it is {glue:text}`saved_0.1:.0f` times at $\lambda = 0.1$ and {glue:text}`saved_1.0:.0f` times at 1 (ten classes, Laplace noise; for PATE an upper bound; `privgnn-lower-cost-than-pate`). But equal $\lambda$ is not equal use, as {doc}`09_students` shows.
#
# Plan a budget of your own, here or for a mechanism of another chapter. What the browser adds up are exact losses and Rényi divergences; the command below them gives the tight account too.

# %%
show.budget_figure()


# %% [markdown]
# ## Are they worth it?
#
# The labels are private. Are they any good? At $\lambda = 0.1$ a label of the best teacher there can be, among ten classes, is right hardly more often than a guess. {doc}`09_students` trains students on such labels, looks for the best one at a given $\varepsilon$, asks where the printed accuracies come from, and attacks.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-09-plan
# ```
# % Exercise: 25 minutes, ●●: planning a release by its budget
# *(With a checker.)* Write `largest_lambda(epsilon, queries, rate)`: the largest $\lambda$ (Gumbel noise, any number of classes) such that `queries` labels from fresh samples cost at most `epsilon` at $\delta = 10^{-4}$. Use `exact_epsilon(pure_pair(lam).poisson(rate), queries, delta)`, which grows with `lam`. What do 100, 300 and 1,000 queries afford at $\varepsilon = 8$, $\gamma = 0.1$, and how often is a label of a perfect teacher right then, for ten classes? (The chance is *win* of {doc}`09_privgnn`: `NoisyArgMax(1 / lam, 10, noise="gumbel").win`.)
# ```{exercise-end}
# ```

# %%
def check_lambda(largest_lambda):
    cases = ((8.0, 100, 0.1), (2.0, 500, 0.05), (16.0, 50, 0.5))
    for epsilon, queries, rate in cases:
        lam = largest_lambda(epsilon, queries, rate)
        spent = [exact_epsilon(pure_pair(each).poisson(rate), queries, 1e-4)
                 for each in (lam, 1.01 * lam)]
        enough = spent[0] <= epsilon * (1 + 1e-6)
        assert enough, f"{lam} costs {spent[0]:.3f}, not {epsilon}"
        assert spent[1] > epsilon, f"{1.01 * lam:.3f} would do for {epsilon}"
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
    print(f"{queries} queries: lambda {lam:.2f}, right {100 * label.win:.0f} %")

# %% [markdown]
# Ten times the queries cost about a factor of three in $\lambda$, and most of the labels' worth.
# ```{solution-end}
# ```
#
# ## Summary
#
# - A fresh Poisson sample for each query multiplies $e^{\varepsilon_0} - 1$ by $\gamma$. One sample for all queries saves little more than $\ln(1/\gamma)$ in all.
# - PATE's votes, added up as what they are, cost less than as many labels that are $2\lambda$-DP.
# - A tight accountant gives *less* than the paper prints for PrivGNN (but for one cell, Credit in Table 9), although the paper's derivation does not hold.
#
# **Further reading.** PATE {cite}`papernot2017semi` and its successor with Gaussian noise {cite}`papernot2018scalable`; Poisson sampling in Rényi terms {cite}`zhu2019poisson`; the paper {cite}`olatunji2023releasing`.
