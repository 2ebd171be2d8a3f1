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
# A fresh random sample for each label divides the total $\varepsilon$ of a thousand $\lambda$-DP labels by {glue:text}`cost_factor:.1f` (at $\lambda = 0.1$, a sampling rate of $\gamma = 0.3$ and $\delta = 10^{-4}$). One sample for all labels lowers this total only a little. A tight accountant gives a *smaller* $\varepsilon$ than the paper prints for PrivGNN (except in one cell of Table 9), although the paper's derivation does not hold. This page compares three *accountants*, ways to compose losses.
#
# :::{admonition} What you will learn
# :class: tip
# - why a fresh random sample for each label makes it cheaper, and one sample for all labels hardly does;
# - how to compose a thousand labels with three accountants, and which of them gives no bound;
# - how to check a printed budget, and how to plan one of your own.
#
# **You need** {doc}`PrivGNN's labels <09_privgnn>` and, from {doc}`02_many_releases`, composition and subsampling. **Time:** 20 minutes.
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
# For each label PrivGNN trains a teacher on a fresh sample of the private nodes. A private person is in this sample with probability $\gamma$ only. If the person is not drawn, the teacher does not depend on them, because sample, neighbours, subgraph and training are as without them.
#
# A fast program can break this property. Suppose that eight teachers are trained side by side, with their graphs padded to the largest. If the person is in the sample of one teacher, whose graph then grows, all eight compute their sums in another order, and training amplifies the last digit. The teachers of a release are therefore trained one by one, and a test checks that a person who is not drawn changes no bit of a posterior. (The teachers in our {doc}`ledger <../book/glossary>` come from batches of eight, which is harmless because nobody releases their posteriors.)
#
# :::{prf:theorem} Sampling for each query (claim `privgnn-amplification-in-algorithm`, verdict: holds)
# :label: thm-privgnn-sampling
#
# Drawing a fresh Poisson sample for each query amplifies privacy: a label with loss $\varepsilon_0$ on its sample has loss at most $\ln(1 + \gamma (e^{\varepsilon_0} - 1))$.
# :::
#
# :::{prf:proof}
# Fix the random bits of all others. Without the person, the label has the distribution $Q$. With the person in the graph, its distribution is $(1-\gamma) Q + \gamma P$, namely $Q$ if the person is not drawn and $P$ otherwise. Because $P \le e^{\varepsilon_0} Q$ and $Q \le e^{\varepsilon_0} P$ for each class, the mixture is at most $(1 + \gamma(e^{\varepsilon_0} - 1))\,Q$. It is at least $(1 - \gamma + \gamma e^{-\varepsilon_0})\,Q$, and $1 / (1 - \gamma + \gamma e^{-\varepsilon_0}) \le 1 + \gamma (e^{\varepsilon_0} - 1)$. Averaging over the random bits of the others keeps both bounds.
# :::
#
# The budgets of many labels may be composed, because samples, training and noise are drawn anew for each query, and the queries do not depend on private data. Let $P$ and $Q$ be the two distributions that {doc}`dominate a label <09_privgnn>`. With sampling, we compose the pair of $(1-\gamma) Q + \gamma P$ and $Q$ for a person who is removed, and the pair of $Q$ and this mixture for a person who is added. The proof uses that each person is drawn independently, and that the draw stays secret. It uses neither $K$ nor the distance, the network or the epochs. Removing the nearest-neighbour step therefore changes no guarantee (`privgnn-independent-of-k`, holds).
#
# The paper also tries *SingleGNN*, one sample and one teacher for all queries, and claims "theoretically, the same privacy guarantees" for it. However, a person who is drawn is then drawn for all labels *together*. The labels are therefore composed first, and sampling is applied once, to the total.
#
# :::{prf:observation}
# :label: obs-one-sample
#
# If all labels together are $(\varepsilon, \delta/\gamma)$-DP without sampling, then from one sample they are $\big(\ln(1 + \gamma(e^\varepsilon - 1)),\, \delta\big)$-DP.
# :::
#
# :::{prf:proof}
# Let $P$ and $Q$ be the probabilities of some set of outcomes with the person in the sample and without. If the person is in the graph, the probability is $M = (1-\gamma) Q + \gamma P \le (1 - \gamma) Q + \gamma \big(e^\varepsilon Q + \tfrac{\delta}{\gamma}\big) = (1 + \gamma(e^\varepsilon - 1))\, Q + \delta$. In the other direction $P \ge e^{-\varepsilon}\big(Q - \tfrac\delta\gamma\big)$, hence $M \ge (1 - \gamma + \gamma e^{-\varepsilon})\, Q - e^{-\varepsilon} \delta$. Dividing by the factor of $Q$, which is at least $1 / (1 + \gamma(e^\varepsilon - 1))$ (for the term in $M$) and at least $e^{-\varepsilon}$ (for the term in $\delta$), gives $Q \le (1 + \gamma(e^\varepsilon - 1))\, M + \delta$.
# :::
#
# The expression $\ln(1 + \gamma (e^\varepsilon - 1))$ is about $\gamma \varepsilon$ if $\varepsilon$ is small, and about $\varepsilon - \ln(1/\gamma)$ if it is large. A fresh sample for each label acts on the small $\varepsilon_0$ of one label, and saves a *factor* each time. One sample for all labels acts on their large total $\varepsilon$, and saves about the *constant* $\ln(1/\gamma)$, once. (This total is at $\delta/\gamma$, a little smaller than at $\delta$.) The next cell compares both ways for 1,000 labels, two classes and Gumbel noise.

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
# The claim `privgnn-singlegnn-same-guarantee` is therefore refuted. At $\gamma=0.3$ and $\delta=10^{-4}$, one sample costs {glue:text}`single_0.1:.1f` times as much as fresh samples at $\lambda = 0.1$, and {glue:text}`single_0.4:.1f` times at $0.4$.
#
# ## Adding up a thousand labels
#
# From here on the noise is Laplace, as in the paper.

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
# - **As printed**, the paper's way, takes the Rényi divergences of *one number* plus Laplace noise (derived below), applies sampling, multiplies by 1,000 and converts. However, the label is an arg max of several noisy numbers, all of which may move, and these divergences do not bound its loss ("none" in the cell). For two classes, $\lambda = 1$ and order 2, for example, they give 0.62, and the label has 0.70 (`privgnn-laplace-curve-applied`). (The paper's Theorem 8 also has a factor 3. Its numbers leave it out, which is legitimate {doc}`for Laplace noise <02_many_releases>`.)
# - **Corrected** takes the Rényi divergences of the pair that dominates a label, $c$-ary randomised response, after sampling, with more orders and the improved conversion.
# - **Tight** composes the privacy losses of that pair. We print the upper end of a bracket that is at most 1% wide. The theorems allow any classifier as a teacher, and no $\varepsilon$ below the bracket holds for all classifiers. For example, let a teacher be sure of the label of the nearest node in its sample (class 0 if there is none). Let one node with label 1 be the nearest to all queries, and all others have label 0. The $\varepsilon$ of the labels with and without this node lies in the bracket.
#
# :::{admonition} One number plus Laplace noise
# :class: note dropdown
# Let a number move from 0 to 1, and let the noise have density $\frac{\lambda}{2} e^{-\lambda |x|}$. The noisy number then has the density $p$ or $q$. We cut the integral of $p^\alpha q^{1 - \alpha}$ at 0 and at 1 and obtain
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
# At order 2 the fractions are $\frac23$ and $\frac13$, as in Theorem 7.
# :::
#
# PATE's labels compose too. Each is $2\lambda$-DP, but composing them as such wastes budget.
#
# :::{prf:theorem} Votes (claim `votes-compose`, verdict: holds)
# :label: thm-votes
#
# Suppose that one person moves, casts or withdraws at most one vote per query. With Laplace noise each label then costs no more than two Laplace releases of loss $\lambda$. With Gumbel noise it costs no more than one mechanism whose losses *span* $2\lambda$, that is, the largest loss minus the smallest is at most $2\lambda$.
# :::
#
# For the proof, fix the dice that draw the parts and the random bits of the training. Then a person changes at most one vote per query, and averaging over dice and bits keeps every bound. With Laplace noise two counts move by one, and the label is computed from the noisy counts. With Gumbel noise the label is class $k$, with $n_k$ votes, with probability $e^{\lambda n_k} / \sum_j e^{\lambda n_j}$. Its loss is $\lambda$ times the change of the count, less the change of the logarithm of the sum, which all classes share. If a vote moves, the first part is $+\lambda$ for one class, $-\lambda$ for another and 0 for the rest. The losses therefore span $2\lambda$. Over many releases this span matters, and not the largest loss {cite}`dong2020optimal`. For example, losses from $-0.15$ to $0.05$ span 0.2. Randomised response of loss 0.2 has losses from $-0.2$ to $0.2$, which span 0.4, and therefore costs more. (These are upper bounds, for parts drawn by dice.)

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
# We reproduce the printed budgets to the digit (some are cut off, not rounded), but only at $\delta = 10^{-3}$, *ten times* the $\delta$ that the paper states. (The authors' code has `10e-4` for Amazon, which is $10^{-3}$. With 2,500 private nodes $10^{-3}$ breaks the paper's own rule $\delta < 1/|V|$.) All PrivGNN rows of the paper fit ten times the stated $\delta$, except for {doc}`two slips <14_claims>`. Amazon's budgets are still true bounds at $10^{-4}$, but only because a label among ten classes reveals less than the divergences allow. For two classes, not all budgets are true. At $\lambda = 0.4$ the paper's Credit row (Table 9) has 19.81, and the exact value in the next cell is larger (`privgnn-budget-credit`, refuted).
#
# :::{admonition} Claim: Theorem 7 of the paper (claim `privgnn-theorem-7`, verdict: refuted)
# :class: warning
# :name: clm-privgnn-7
#
# Algorithm 1 is $(\varepsilon, \delta)$-DP with $\varepsilon \le \ln\frac{1}{\sqrt\delta} + |Q| \ln\big(1 + \gamma^2 (\tfrac23 e^{1/\beta} + \tfrac13 e^{-2/\beta} - 1)\big)$.
# :::
#
# Here $|Q|$ is the number of queries. The paper calls this bound rough and much larger than its reported budgets. From $\lambda = 0.2$ on, however, it is smaller than these. Its derivation pairs the Rényi divergence at order $\alpha - 1$ with the conversion at order $\alpha$. For two classes the algorithm itself exceeds it at $\lambda = 0.2$ and $0.4$, with the teacher and the graph described under *Tight* (`test_theorem_7_lies_below_the_algorithm` lists all samples of a graph of four).

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
# % Figure: For ten classes the tight ε of 1,000 labels lies below the printed ε of Table 2 at every λ.

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
# A thousand $\lambda$-DP labels at $\lambda = 0.1$ cost {glue:text}`cost_all:.1f` on all data and {glue:text}`cost_sample:.1f` on samples, a factor of {glue:text}`cost_factor:.1f`. The paper reports "over 20 times reduction" against PATE, but its own Table 2 (Amazon, 1,000 labels) shows {glue:text}`saved_least:.0f` to {glue:text}`saved_most:.0f` times. With one accountant for both, it is {glue:text}`saved_0.1:.0f` times at $\lambda = 0.1$ and {glue:text}`saved_1.0:.0f` times at 1 (ten classes, Laplace noise; for PATE an upper bound; `privgnn-lower-cost-than-pate`). However, equal $\lambda$ does not mean equal utility, as {doc}`the next page <09_students>` shows.
#
# With the next figure you can plan a budget, here or for a mechanism of another chapter. The browser composes exact losses and Rényi divergences, and the command below it gives the tight account.

# %%
show.budget_figure()


# %% [markdown]
# ## Are they worth it?
#
# With ten classes and $\lambda = 0.1$, a label of the best possible teacher is hardly more often right than a guess. The {doc}`next page <09_students>` trains students on such labels, searches for the best one at a given $\varepsilon$, and attacks it.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-09-plan
# ```
# % Exercise: 25 minutes, ●●: planning a release by its budget
# *(With a checker.)* Write `largest_lambda(epsilon, queries, rate)`: the largest $\lambda$ (Gumbel noise, any number of classes) such that `queries` labels from fresh samples cost at most `epsilon` at $\delta = 10^{-4}$. Use `exact_epsilon(pure_pair(lam).poisson(rate), queries, delta)`, which grows with `lam`. Which $\lambda$ does $\varepsilon = 8$ allow for 100, 300 and 1,000 queries at $\gamma = 0.1$? How often is a label of a perfect teacher then right, for ten classes? (This probability is *win* of {doc}`PrivGNN <09_privgnn>`, `NoisyArgMax(1 / lam, 10, noise="gumbel").win`.)
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
# For ten times the queries, $\lambda$ must be about three times smaller, and labels lose most of their value.
# ```{solution-end}
# ```
#
# ## Summary
#
# - A fresh Poisson sample for each query multiplies $e^{\varepsilon_0} - 1$ by $\gamma$. One sample for all queries lowers the total only a little.
# - PATE's votes, composed as votes, cost less than equally many $2\lambda$-DP labels.
# - A tight accountant gives a *smaller* $\varepsilon$ than the paper prints for PrivGNN (except in one cell of Table 9, Credit), although the paper's derivation does not hold.
#
# **Further reading.** PATE {cite}`papernot2017semi` and its successor with Gaussian noise {cite}`papernot2018scalable`; Poisson sampling in Rényi terms {cite}`zhu2019poisson`; the paper {cite}`olatunji2023releasing`.
