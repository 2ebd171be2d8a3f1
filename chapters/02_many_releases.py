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
# # Differential privacy: adding up many releases
#
# Adding up the budgets of many releases is correct, but far too pessimistic. A hundred answers of randomised response with $\varepsilon = 0.1$ each have a total $\varepsilon$ of {glue:text}`basic:.0f` if the budgets are added (*basic composition*), but an exact total of {glue:text}`exact:.2f` at a $\delta$ of one in a million. This $\delta$ is a small amount by which a probability may exceed its bound. Asking only a random sample of the people lowers the total further.
#
# :::{admonition} What you will learn
# :class: tip
# - why the sum of worst cases is far from what happens, and what a $\delta$ allows one to ignore;
# - how to add up thousands of releases: worst cases, Rényi divergences, privacy loss distributions;
# - a rule of thumb for many uses, and the cost of choosing the next question, or the result to publish, by earlier results;
# - why one may compute as if every mechanism were binary randomised response;
# - why everybody is better protected if only a random sample takes part, and when this fails.
#
# **You need** {doc}`02_differential_privacy`. **Time:** 30 minutes.
# :::

# %% tags=["hide-input"]
import math

import matplotlib.pyplot as plt
import numpy as np
from myst_nb import glue

from privbook import show
from privgraph.audit import delta_curve
from privgraph.mechanisms import RandomisedResponse
from privgraph.privacy import (LaplacePair, Step, account, classic_conversion, exact_delta,
                               exact_epsilon, improved_conversion, pure_pair)

show.use_style()
BLUE, ORANGE = (show.COLOURS[name] for name in ("blue", "orange"))

# %% [markdown]
# ## The privacy loss over many releases
#
# Suppose that a survey asks a person one hundred yes/no questions, and that randomised response with $\varepsilon = 0.1$ protects each answer. Basic composition adds up the worst cases and states $\varepsilon = 10$ for two inputs, $x$ and $x'$, that differ in all hundred answers of the person. This total is reached only if all hundred reports are true.
#
# To see a typical case, we treat the privacy loss as a random variable. Let $M$ give all hundred reports. Draw an output $o$ from $M(x)$, and then compute $\ln \Pr[M(x) = o] / \Pr[M(x') = o]$. For one question the loss is $0.1$ if the report is true and $-0.1$ if it is false. The losses of independent reports add up, and the number of true reports among $k$ questions is binomial, because each report is true with probability $p = e^{0.1} / (e^{0.1} + 1)$. For a hundred questions, for example, the total loss has a mean of $100 \cdot 0.1\,(2p - 1)$, about $0.5$, and a standard deviation of $0.2 \sqrt{100\,p(1 - p)}$, about $1.0$. The worst case of $10$ lies far outside.
#
# % Figure: With ε = 1/10 per question, the total loss of 100 questions is spread around 1/2, far below the worst case of 10.

# %% mystnb={"image": {"alt": "Three bar charts of the privacy loss of 1, 10 and 100 questions at epsilon 0.1. One question has two bars at minus and plus 0.1. Ten have eleven bars. A hundred form a bell around 0.5 with a spread of about 1; the worst case, 10, is far outside."}} tags=["hide-input"]
from scipy.stats import binom

figure, panels = plt.subplots(1, 3, figsize=(8.6, 2.8))
for axes, k in zip(panels, (1, 10, 100), strict=True):
    hits = np.arange(k + 1)
    losses, keep = 0.1 * (2 * hits - k), RandomisedResponse(0.1, 2).keep
    axes.bar(losses, binom.pmf(hits, k, keep), width=0.16, color=BLUE)
    axes.axvline(0.1 * k, color=ORANGE, linewidth=1.6)
    axes.set(title=f"{k} question{'s' * (k > 1)}", xlabel="privacy loss")
panels[0].set_ylabel("probability")
panels[2].text(9.7, 0.06, "worst\ncase", color=ORANGE, ha="right")
plt.show()

# %% [markdown]
# A guarantee may ignore outcomes that are so improbable, provided that it states their probability. The next definition does this with a second parameter, $\delta$.
#
# :::{prf:definition} Approximate differential privacy
# :label: def-approximate-dp
#
# $M$ is **$(\varepsilon, \delta)$-differentially private** if for all neighbours $x, x'$ and every set $S$ of outputs
#
# $$
# \Pr[M(x) \in S] \;\le\; e^{\varepsilon} \, \Pr[M(x') \in S] + \delta .
# $$
#
# For a given $\varepsilon \ge 0$ the smallest such $\delta$ is the largest value, over all neighbours, of
#
# $$
# \sum_o \max\big(0, \Pr[M(x) = o] - e^{\varepsilon} \Pr[M(x') = o]\big) .
# $$
# :::
#
# The worst set $S$ contains exactly the outputs at which the difference in the sum is positive. Take one question with three answers and budget 1. Only one report is more likely under $x$ than under $x'$, namely the true answer under $x$. By {prf:ref}`thm-rr`, the smallest $\delta$ for $\varepsilon \le 1$ is then $\frac{e}{e + 2} - e^{\varepsilon} \frac{1}{e + 2}$.
#
# The cell prints this $\delta$ for two values of $\varepsilon$, and the $\delta$ of the hundred questions. In the code, `pure_pair(0.1)` is the pair of output distributions of binary randomised response with $\varepsilon = 0.1$, one for each true answer.

# %% tags=["parameters"]
once, k, delta = 0.1, 100, 1e-6      # epsilon of one question; questions; delta

# %%
hundred = {epsilon: exact_delta(pure_pair(once), k, epsilon)
           for epsilon in (0, 1, 2, 4, 6, 8)}
small = delta_curve(RandomisedResponse(1.0, 3), range(3), [0.0, 0.5])
print("one question with three answers, ε = 1:",
      f"δ(0) = {small[0]:.4f}, δ(0.5) = {small[1]:.4f}")
show.table([{"ε": epsilon, f"δ of {k} questions at {once}": f"{found:.1e}"}
            for epsilon, found in hundred.items()])

# %% [markdown]
# The table shows that a smaller $\varepsilon$ can be bought with a larger $\delta$. The row for $\varepsilon = 4$, for example, states a small $\delta$. The value of $\delta$ must be *far* below one divided by the number of people, however. Consider a mechanism that publishes each person's whole file with probability $\delta$. It is $(0, \delta)$-differentially private, but with $\delta = 1/n$ it publishes one file on average.
#
# ## Composition with Rényi divergences
#
# The distribution of a sum of random losses is awkward to compute, whereas averages of $e^{\text{loss}}$ are easy, because they multiply for independent releases. Let $P$ and $Q$ be the output distributions for two neighbours. For an order $\alpha > 1$, the **Rényi divergence** is
#
# $$
# D_\alpha(P \,\|\, Q) = \frac{1}{\alpha - 1} \ln \sum_o P(o)^{\alpha}\, Q(o)^{1 - \alpha},
# $$ (eq-renyi)
#
# and a mechanism is $(\alpha, \rho)$-Rényi differentially private (RDP) if $D_\alpha \le \rho$ between all neighbours {cite}`mironov2017renyi`. The sum in {eq}`eq-renyi` is the average of $e^{(\alpha - 1) L}$ under $P$, where $L = \ln P/Q$ is the loss. With growing $\alpha$, the value of $D_\alpha$ grows from the mean loss (as $\alpha \to 1$) to the worst loss (as $\alpha \to \infty$). For example, let binary randomised response report the truth with probability $\frac34$ ($\varepsilon = \ln 3$). At order 2 the terms are $P^2 / Q$.
#
# | answer | $P$: the truth is yes | $Q$: the truth is no | $P^2 / Q$ |
# |---|---|---|---|
# | yes | $\frac34$ | $\frac14$ | $\frac94$ |
# | no | $\frac14$ | $\frac34$ | $\frac1{12}$ |
#
# The sum is $\frac73$, so $D_2 = \ln \frac73$, which is {glue:text}`renyi_two:.2f`. It lies between the mean loss, $\frac34 \ln 3 - \frac14 \ln 3$ = {glue:text}`renyi_mean:.2f`, and the worst loss, $\ln 3$ = {glue:text}`renyi_worst:.2f`.

# %%
coin = pure_pair(math.log(3))
print({order: round(coin.rdp(order), 3) for order in (1.01, 2, 4, 16, 64)})
assert abs(coin.rdp(2) - math.log(7 / 3)) < 1e-9
glue("renyi_two", coin.rdp(2), display=False)
glue("renyi_mean", math.log(3) / 2, display=False)
glue("renyi_worst", math.log(3), display=False)

# %% [markdown]
# Rényi divergences add up over releases, and can be converted to an $\varepsilon$ and a $\delta$ at the end.
#
# :::{prf:theorem} RDP adds up and converts (claim `dp-rdp`, verdict: holds)
# :label: thm-rdp
#
# 1. If $M_1, M_2$ are $(\alpha, \rho_1)$- and $(\alpha, \rho_2)$-RDP with independent randomness, both outputs together are $(\alpha, \rho_1 + \rho_2)$-RDP, also if $M_2$ is chosen after seeing the first output.
# 2. An $(\alpha, \rho)$-RDP mechanism is $(\varepsilon, \delta)$-differentially private for every $\delta$ in $(0, 1)$, with $\varepsilon = \rho + \frac{\ln(1/\delta)}{\alpha - 1}$, and also with the smaller $\varepsilon = \rho + \ln\frac{\alpha - 1}{\alpha} - \frac{\ln \delta + \ln \alpha}{\alpha - 1}$ (or 0, if that is negative).
# :::
#
# :::{prf:proof}
# Let $\E_P$ and $\E_Q$ be means over outputs drawn from $P$ and $Q$. (1) The sum in {eq}`eq-renyi` is $\E_Q[(P/Q)^{\alpha}]$, and for two outputs $(P/Q)^{\alpha}$ is a product of two factors. For each fixed first output, the mean of the second factor is at most $e^{(\alpha-1)\rho_2}$. The mean of the product is therefore at most this number times the mean of the first factor. (2) Write $L$ for the loss under $P$. Then $\E_P[e^{(\alpha-1)L}] \le e^{(\alpha - 1)\rho}$. Taking $P(o)$ out of each term of the sum in {prf:ref}`def-approximate-dp` gives $\delta(\varepsilon) = \E_P[\max(0, 1 - e^{\varepsilon - L})]$. For the first formula use $\max(0, 1 - e^{\varepsilon - L}) \le e^{(\alpha-1)(L - \varepsilon)}$. For the second, multiply the right side by the smallest constant for which this inequality still holds. With $t = L - \varepsilon$, $(1 - e^{-t})\,e^{-(\alpha-1)t}$ is largest at $e^{-t} = \frac{\alpha - 1}{\alpha}$, where it is $\frac1\alpha \big(\frac{\alpha-1}{\alpha}\big)^{\alpha-1}$. This value is the constant. Set $\delta$ equal to the bound and solve for $\varepsilon$.
# :::
#
# Each order gives a valid $\varepsilon$, and we take the smallest. The order may be chosen freely, because the choice does not use any data. In the table, 100 ρ is the total divergence, and the two formulas give the *classic* and the *improved* $\varepsilon$.

# %%
pair = pure_pair(once)
rows = []
for order in (2, 4, 6, 8, 16, 64):
    rho = k * pair.rdp(order)
    rows.append({"order α": order, f"{k} ρ": f"{rho:.3f}",
                 "classic ε": f"{classic_conversion(rho, order, delta):.3f}",
                 "improved ε": f"{improved_conversion(rho, order, delta):.3f}"})
show.table(rows)

# %% [markdown]
# ## Composition of loss distributions
#
# For two neighbours, the distribution of the loss $L$ is called the **privacy loss distribution** (PLD). It determines $\delta(\varepsilon) = \E_P[\max(0, 1 - e^{\varepsilon - L})]$ for every $\varepsilon$. The losses of independent releases add up, and the distribution of a sum is a convolution, which a computer evaluates on a grid. Rounding every loss up gives an upper bound on $\varepsilon$, the *pessimistic* end. Rounding every loss down gives a lower bound, the *optimistic* end. The true value is between them, and a finer grid brings them together.
#
# The library computes $\varepsilon$ by every route (*accountant*) that it has. For randomised response there is also the exact binomial sum.

# %%
budget = account([Step(pair, k)], delta=delta)
assert budget["PLD, optimistic"] <= budget["exact"] <= budget["PLD, pessimistic"]
assert budget["exact"] < budget["RDP, improved"] < budget["RDP, classic"]
assert budget["RDP, classic"] < budget["basic"]
assert budget["exact"] < budget["basic"] / 2
for name in ("basic", "RDP, improved", "exact"):
    glue(name.replace(", ", "_"), budget[name], display=False)
thumb = k * once**2 / 2 + once * math.sqrt(2 * k * math.log(1 / delta))
assert budget["RDP, classic"] <= thumb + 1e-9
glue("thumb", thumb, display=False)
title = f"ε of {k} uses at ε = {once}, δ = {delta:g}"
show.table([{"route": name, title: f"{epsilon:.3f}"}
            for name, epsilon in budget.items()])

# %% [markdown]
# All rows describe the same mechanism, and they differ only in how tightly the accounting bounds its $\varepsilon$. Basic composition states {glue:text}`basic:.1f`, Rényi divergences give {glue:text}`RDP_improved:.2f`, and the exact value is {glue:text}`exact:.2f`. ("Advanced" is an older theorem, which bounds the sum of the losses by their mean plus a few standard deviations.)
#
# ### A rule of thumb for many uses
#
# If each of $k$ uses is $\varepsilon_0$-differentially private, then all uses together are $(\varepsilon, \delta)$-differentially private with
#
# $$
# \varepsilon = \frac{k\, \varepsilon_0^2}{2} + \varepsilon_0 \sqrt{2 k \ln(1/\delta)} .
# $$ (eq-thumb)
#
# The rule holds for every mechanism, because the Rényi divergence of an $\varepsilon_0$-differentially private mechanism is at most $\alpha\, \varepsilon_0^2 / 2$ at each order $\alpha$ {cite}`bun2016concentrated`. The first formula of {prf:ref}`thm-rdp`, with $\rho = k \alpha\, \varepsilon_0^2 / 2$ and the order that makes it smallest, then gives this upper bound. For the hundred questions above, for example, the rule gives {glue:text}`thumb:.2f`, and the exact value is {glue:text}`exact:.2f`. As long as the first term stays far below the second, a hundred times as many uses cost only about ten times as much.
#
# ### Questions that depend on earlier answers
#
# An analyst often chooses the next question after seeing the last answer. Such *adaptive queries* cost no more than questions that were fixed beforehand, because the proofs bound each release whatever the earlier outputs were. *Budgets* are another matter. If an analyst looks at the results to decide how much to spend next, or when to stop, the budgets are no longer fixed beforehand. Sums of $\varepsilon$ (basic composition) stay valid even then, and so do sums of Rényi divergences of one order that was fixed beforehand {cite}`feldman2021individual`. All other totals of this page hold only for a list of budgets that was fixed before the first answer. The library's `budget_file`, which records the cost of each training on the same people, therefore adds up the $\varepsilon$.
#
# ### Choosing the best of several private results
#
# Suppose that a method is run with $k$ settings on the same private data, that each run is $\varepsilon$-differentially private, and that only the best result is published. The choice uses all $k$ results, so the published result costs up to $k \varepsilon$ by basic composition. This bound is not pessimistic. If, for instance, each run is one answer of randomised response to the same question and "yes" counts as better than "no", then the best of $k$ answers is "no" only if all $k$ are "no". If the true answer changes, this probability changes by a factor of $e^{k \varepsilon}$.
#
# Two remedies exist. A choice costs nothing if it uses only public data, or noisy results that are published and accounted for anyway (post-processing). A *random* number of runs also helps. If it is drawn from a geometric distribution, independently of the data, then the best result of all costs at most $3 \varepsilon$, however many runs there are on average {cite}`liu2019private`. A search for hyperparameters also chooses among results, and {doc}`sharp edges <../book/sharp_edges>` lists where this book does not count it.
#
# ### Randomised response is the worst case
#
# The next theorem says why we may compute with binary randomised response even for other mechanisms.
#
# :::{prf:theorem} Randomised response is the worst case (claim `dp-pure-pair`, verdict: holds)
# :label: thm-pure-pair
#
# Let $M$ be $\varepsilon$-differentially private with $\varepsilon > 0$, and let $x, x'$ be two neighbours. Let binary randomised response with budget $\varepsilon$ answer the question whether the input is $x$ or $x'$. A suitable random step turns its answer into an output that is distributed like $M(x)$ if the input is $x$, and like $M(x')$ if it is $x'$. This step may depend on $x$, $x'$ and earlier outputs, but not on which of the two inputs was used. Therefore every bound on $\delta$ or on a Rényi divergence that holds for binary randomised response after any number of uses also holds for the mechanism.
# :::
#
# :::{prf:proof}
# Let $P, Q$ be the distributions of $M(x)$ and $M(x')$, $p = \frac{e^{\varepsilon}}{e^{\varepsilon}+1}$ and $q = 1 - p$. Set $A = \frac{p P - q Q}{p - q}$ and $B = \frac{p Q - q P}{p - q}$. Both are non-negative, because $P \le e^{\varepsilon} Q$, $Q \le e^{\varepsilon} P$ and $p/q = e^{\varepsilon}$, and both sum to one. Let the true answer be "0" for $x$ and "1" for $x'$. Replacing an answer "0" by a draw from $A$ and an answer "1" by a draw from $B$ gives $p A + q B = P$ and $q A + p B = Q$. Each use of $M$ is therefore a post-processing of one answer {cite}`kairouz2015composition`.
# :::
#
# A pair of distributions **dominates** a mechanism if for all neighbours and every $\varepsilon$ the mechanism's $\delta$ is at most that of the pair. The two output distributions of binary randomised response, for example, dominate every mechanism with the same budget. In the figure, their curve of $\delta$ (*the coin*) therefore lies above that of randomised response with *five answers*.
#
# % Figure: Of three mechanisms with budget 1, binary randomised response has the largest δ at every ε below 1.

# %% mystnb={"image": {"alt": "Delta over epsilon from 0 to 1.1, for three mechanisms with budget 1. The curve of the coin is on top, below it the one of Laplace noise, and lowest the one of randomised response with five answers. All reach 0 at epsilon 1."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(5.6, 2.8))
grid = np.linspace(0, 1.1, 60)
curves = {"the coin": [pure_pair(1.0).delta(e) for e in grid.tolist()],
          "five answers": delta_curve(RandomisedResponse(1.0, 5), range(5), grid.tolist()),
          "Laplace noise": [LaplacePair(scale=1.0).delta(e) for e in grid.tolist()]}
for (name, curve), style in zip(curves.items(), ("-", "--", ":"), strict=True):
    axes.plot(grid, curve, style, marker="", label=name)
    assert all(value <= top + 1e-9 for value, top in zip(curve, curves["the coin"], strict=True))
axes.set(xlabel="ε", ylabel="δ")
axes.legend()
plt.show()

# %% [markdown]
# A mechanism whose pair has a lower curve of $\delta$ costs less after many releases. Laplace noise, for example, is cheaper than randomised response with the same $\varepsilon$ per use.

# %%
from privgraph.privacy import pld_epsilon

cheap = pld_epsilon([Step(LaplacePair(scale=1 / once), k)], delta=delta)
print(f"{k} Laplace counts: {cheap.optimistic:.2f} to {cheap.pessimistic:.2f}")
print(f"{k} answers:        {budget['exact']:.2f}")
assert cheap.pessimistic < budget["exact"]

# %% [markdown]
# ## Subsampling amplifies privacy
#
# Suppose that each person is included in a study with probability $\gamma$, independently and in secret. This procedure is called **Poisson sampling**. An observer cannot be sure that your record was in the sample, and therefore learns less from each output.
#
# :::{prf:theorem} Amplification by Poisson sampling (claim `dp-poisson`, verdict: holds)
# :label: thm-poisson
#
# If $M$ is $\varepsilon$-differentially private when a person is *added or removed*, then $M$ on a Poisson sample with probability $\gamma$ is $\ln\big(1 + \gamma (e^{\varepsilon} - 1)\big)$-differentially private when a person is added or removed.
# :::
#
# :::{prf:proof}
# Fix the sampling of all others. Let $P$ be the output distribution if the person is in the sample, and $Q$ if not. With the person in the data the output is drawn from $(1 - \gamma) Q + \gamma P$, without them from $Q$. Then $(1-\gamma) Q + \gamma P \le (1 - \gamma + \gamma e^{\varepsilon}) Q$, because $P \le e^{\varepsilon} Q$. In the other direction $Q \le e^{\varepsilon} P$. Hence $Q \le \frac{1}{1 - \gamma + \gamma e^{-\varepsilon}} \big((1-\gamma) Q + \gamma P\big)$. The fraction is at most $1 - \gamma + \gamma e^{\varepsilon}$, because $\frac1x$ is convex. Average over the sampling of the others.
# :::
#
# A use with $\varepsilon = 0.4$, for example, costs only {glue:text}`amplified:.3f` on a sample with $\gamma = 0.3$. Sampling lowers the total of 1,000 such uses to less than a fifth at $\delta = 10^{-4}$, as the cell below prints. In the rule of thumb {eq}`eq-thumb`, $\varepsilon_0$ is the budget of one sampled use. If the budget without sampling is small, $\varepsilon_0$ is about $\gamma$ times as large. With $\delta$ the result is similar. Sampling turns $(\varepsilon, \delta)$ into $\big(\ln(1 + \gamma (e^{\varepsilon} - 1)), \gamma\delta\big)$ (claim `privgnn-subsampling-lemma` in {doc}`the register <14_claims>`). The reason, with $P$ and $Q$ as in the proof, is the equation
#
# $$
# (1-\gamma) Q + \gamma P - (1 - \gamma + \gamma e^{\varepsilon}) Q = \gamma (P - e^{\varepsilon} Q) ,
# $$
#
# whose positive terms add up to at most $\gamma\delta$. The $\delta$ with the two outputs exchanged is smaller {cite}`balle2018subsampling`. To find $\varepsilon$ for a given $\delta$ with sampling, therefore, take the $\varepsilon$ of the mechanism without sampling at $\delta / \gamma$, and put it into $\ln(1 + \gamma (e^{\varepsilon} - 1))$.
#
# % Figure: Sampling lowers an ε of 1/2 nearly in proportion to the sampling probability, but an ε of 3 much less.

# %% mystnb={"image": {"alt": "The amplified epsilon against the sampling probability, for a mechanism with epsilon 0.5, 1 and 3. At 1 each keeps its epsilon. For small epsilon the curve is almost a straight line; for epsilon 3 it bends upwards steeply and stays high."}} tags=["hide-input"]
rate = np.linspace(0.001, 1, 400)
figure, axes = plt.subplots(figsize=(5.6, 3.2))
for epsilon, line, colour in zip((3.0, 1.0, 0.5), ("-", "--", "-."), (BLUE, ORANGE, "#009E73"), strict=True):
    axes.plot(rate, np.log(1 + rate * np.expm1(epsilon)), color=colour, linestyle=line, marker="",
              label=f"ε = {epsilon:g} for those in the sample")
axes.set(xlabel="sampling probability γ", ylabel="ε for everybody", ylim=(0, 3.1))
axes.legend()
plt.show()

# %%
whole = pure_pair(0.4)
sampled = whole.poisson(0.3)
print(f"one use:     {whole.epsilon:.3f} -> {sampled.epsilon:.3f}")
glue("amplified", sampled.epsilon, display=False)
without, with_it = (exact_epsilon(p, 1000, 1e-4) for p in (whole, sampled))
print(f"1,000 uses:  {without:.1f} -> {with_it:.1f}   (δ = 10⁻⁴, exact)")
assert with_it < without / 5

# %% [markdown]
# Three conditions of the theorem are easily forgotten.
#
# - The relation is *add or remove*. If a person's data are *replaced*, the formula does not apply, because its proof compares with an input that lacks the person, and both versions of the data contain the person.
# - The sample must be *Poisson*. A sample of fixed size needs another theorem, under another relation. If it is treated as Poisson, the bound fails, as {doc}`auditing claims <05_auditing_claims>` shows on three people.
# - Each use needs a *fresh* sample. One sample that serves for a thousand uses is amplified once, for the thousand uses together. If $\varepsilon$ is their total, the amplified total is $\ln(1 + \gamma (e^{\varepsilon} - 1))$, which for large $\varepsilon$ is nearly $\varepsilon - \ln(1/\gamma)$. Sampling then saves a constant, and not a factor.
#
# Two formulas bound Rényi divergences of the sampled mechanism by a sum over the orders up to $\alpha$. One holds for every mechanism, and multiplies the terms of order three and above by 3. The other needs no such factor, and holds for mechanisms such as Laplace noise, {doc}`Gaussian noise <12_prototypes>` and binary randomised response {cite}`zhu2019poisson`. Both need Rényi divergences that are valid for a person who joins and for one who leaves. `privgraph.privacy.poisson_rdp` has both and says when each is valid.
#
# ## Which accountant to use
#
# The table lists which accountant suits which case.
#
# | you have | use | direction |
# |---|---|---|
# | one or two releases | basic composition | upper bound with $\delta = 0$; exact for randomised responses whose inputs may all change |
# | many releases of a mechanism with finitely many outputs, or of Laplace or Gaussian noise | PLD, pessimistic end | upper bound, as tight as its grid |
# | the same randomised response many times | the binomial sum | exact |
# | a published proof that uses Rényi divergences | RDP with the improved conversion | upper bound, a little loose |
# | no computer at hand | {eq}`eq-thumb`; for Gaussian noise {doc}`the table of noises <12_prototypes>` | upper bound, for one mechanism many times |
# | a total that matters | two accountants, such as both ends of the PLD | if one is an upper and one a lower bound, the true value lies between them |
#
# On the command line, `privgraph budget laplace:epsilon=0.1,rate=0.3,count=1000 --delta 1e-4` computes such a total.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-02-budget
# ```
# % Exercise: 10 minutes, ●: basic and exact composition
# How many yes/no questions at $\varepsilon = 0.1$ can one ask a person within a total of $\varepsilon = 3$ at $\delta = 10^{-6}$, by basic composition and exactly?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-budget
# :class: dropdown
# ```

# %%
basic = int(3 / 0.1 + 1e-9)
exact = max(k for k in range(1, 200) if exact_epsilon(pure_pair(0.1), k, 1e-6) <= 3)
print("basic composition:", basic, "questions   exact:", exact, "questions")
assert exact > basic

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Adding up the budgets of many releases is correct, but far too pessimistic. The total loss is a random sum, and a $\delta$ allows one to ignore its very improbable values.
# - Rényi divergences and loss distributions account for the sum far better than worst cases.
# - Among all mechanisms with the same $\varepsilon$, binary randomised response is the worst case. A mechanism whose dominating pair has a lower curve of $\delta$, such as Laplace noise, has a smaller total after many releases.
# - Asking a random sample of the people lowers the total under three conditions, namely the relation add or remove, Poisson sampling, and a fresh sample for each use.
#
# **Further reading.** Rényi differential privacy: {cite}`mironov2017renyi`; the improved conversion: {cite}`canonne2020discrete`. Composition and the worst pair: {cite}`kairouz2015composition`. Dominating pairs and loss distributions: {cite}`zhu2022optimal`. Subsampling: {cite}`balle2018subsampling,zhu2019poisson`.
