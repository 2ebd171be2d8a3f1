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
# # Auditing claims
#
# A proof bounds the privacy loss $\varepsilon$ from above, and an audit bounds it from below. The exact audit lists all outcomes of a small case and returns a *witness*, that is, two neighbouring inputs and an outcome with the largest loss. It refutes the published theorem of the mechanism GRR-FS, with a loss of {glue:text}`grr_found:.3f` where {glue:text}`grr_claimed:.3f` was stated.
#
# :::{admonition} What you will learn
# :class: tip
# - why a proof is not enough, and the three places where privacy gets lost;
# - the exact audit: list every outcome of a small case and find the worst, with a witness;
# - how to decide a claim for *every* $\varepsilon$ at once, with a certificate that anybody can check;
# - the replay audit: find what else was computed from private data;
# - how broken twins keep auditors honest;
# - what the verdicts in this book mean.
#
# If outcomes cannot be listed, {doc}`guessing games <05_guessing_games>` take the place of the list.
#
# **You need** {doc}`differential privacy <02_differential_privacy>` and, from {doc}`many releases <02_many_releases>`, Poisson sampling ({prf:ref}`thm-poisson`). **Time:** 25 minutes.
# :::

# %% tags=["hide-input"]
import math
from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import torch
from myst_nb import glue

from privbook import show
from privbook.prover import (
    certificates, decide as for_all, interval_proofs as intervals, statements,
)
from privgraph.audit import replay, worst_case
from privgraph.mechanisms import GRRFS, MultiBit, RandomisedResponse

show.use_style()
BLUE, ORANGE, GREEN, GREY = (show.COLOURS[name] for name in ("blue", "orange", "green", "grey"))

# %% [markdown]
# ## Trust, but list the outcomes
#
# A privacy claim is a sentence such as "*this report is 1-differentially private*". It can be false in three places. The *proof* can be wrong, for example with a sensitivity of 1 that should be 2, or with a theorem that does not cover the relation for which it is used. The *code* can differ from the proof, for example by a coin with the wrong bias or by noise that is clipped away. The *pipeline* can use private data where nobody looks, for example to find the range of a feature or to decide when to stop training.
#
# Claims must therefore be checked, from above and from below.
#
# % Figure: The true loss lies between 2 bounds, a proof's from above and an audit's from below, and a claim under the audit's bound is refuted.

# %% mystnb={"image": {"alt": "A number line of epsilon. A proof bounds the truth from above, an audit from below, and the true loss lies between. A claim that lies below the audit's bound is refuted."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(8.0, 1.9))
axes.set(xlim=(0, 4.4), ylim=(-1.1, 1.2), yticks=[], xlabel="ε")
axes.spines["left"].set_visible(False)
axes.grid(False)
for start, _, colour, text in ((3.2, 4.3, BLUE, "a proof says:\nat most this"),
                               (1.8, 0.7, GREEN, "an audit says:\nat least this")):
    axes.plot([start, start], [-0.35, 0.35], color=colour, linewidth=2.5, marker="")
    axes.text(start, 0.5, text, ha="center", color=colour)
axes.plot([2.5], [0], "k", marker="*", markersize=13)
axes.text(2.5, 0.3, "the truth", ha="center")
axes.plot([1.1], [0], color=ORANGE, marker="X", markersize=10)
axes.text(1.1, -0.75, "a claim here\nis refuted", ha="center", color=ORANGE)
axes.axhline(0, color=GREY, linewidth=0.8, zorder=0, marker="")
plt.show()


# %% [markdown]
# A proof (or an accountant) gives an upper bound that holds for all inputs. An audit tries concrete inputs and gives a lower bound. If the outcomes can be listed, the audit gives the true loss itself, for the inputs that it tried and the probabilities that the code states. (That the sampler draws with these probabilities is another claim, which `tests/statistical/test_sampling.py` tests by statistics.)
#
# ## The exact audit
#
# An exact audit takes a mechanism with finitely many outputs, and inputs of which any two are neighbours. Three loops find the largest ratio of probabilities.

# %%
def exact_audit(mechanism, inputs):
    """(largest loss, input, neighbour, outcome) over all pairs and outcomes."""
    worst = (-math.inf, None, None, None)
    for x in inputs:
        for other in inputs:
            p, q = mechanism.distribution(x), mechanism.distribution(other)
            for outcome in p:
                if other != x and p[outcome] > 0:
                    never = q.get(outcome, 0) == 0
                    loss = math.inf if never else math.log(p[outcome] / q[outcome])
                    case = (loss, x, other, outcome)
                    worst = max(worst, case, key=lambda case: case[0])
    return worst

response = RandomisedResponse(epsilon=1.0, num_classes=4)
slow, fast = exact_audit(response, range(4)), worst_case(response, range(4))
print(f"by hand {slow[0]:.6f}   library {fast.epsilon:.6f}")
assert slow[0] == fast.epsilon and math.isclose(fast.epsilon, response.epsilon)

# %% [markdown]
# The library's `worst_case` does the same with arrays. It also supports neighbouring relations, and adds up the losses of independent parts of a report instead of listing their combinations.
#
# ### A published theorem, checked by listing
#
# GRR-FS {cite}`bhaila2024local`, the mechanism of {doc}`RGNN <07_rgnn>`, collects features with finitely many values. Each person picks $m$ of their $d$ features at random, and answers these by randomised response with budget $\varepsilon_x$ each. For the others they report *fakes*, uniformly random values. The server cannot distinguish an answer from a fake, and the idea is that this uncertainty protects the person. The theorem states that the whole report is $\varepsilon_X$-differentially private with
#
# $$
# \varepsilon_X = \ln\Big(1 + \frac{m}{d}\big(e^{m \varepsilon_x} - 1\big)\Big)
# $$ (eq-grr-fs-claim)
#
# for *any two* feature vectors. Its argument is amplification by sampling, as in {prf:ref}`thm-poisson` with $\gamma = m/d$ and the budget of $m$ answers, $\varepsilon = m \varepsilon_x$. With $d = 4$ yes/no features, $m = 2$ and $\varepsilon_x = 1$ there are only 16 vectors and 16 reports, so we can list them all.

# %% tags=["parameters"]
epsilon, d, m = 1.0, 4, 2            # of an answer; features; how many are sampled

# %%
mechanism = GRRFS(epsilon, domain_sizes=(2,) * d, sampled=m)
vectors = list(product([0, 1], repeat=d))
found = worst_case(mechanism, vectors)
p = mechanism.distribution(found.input)[found.outcome]
q = mechanism.distribution(found.neighbour)[found.outcome]
print(f"claimed {mechanism.guarantee.claimed:.3f}, worst case {found.epsilon:.3f}")
print(f"witness: report {found.outcome} has probability {p:.4f} from {found.input}")
print(f"         and {q:.4f} from {found.neighbour}: a ratio of {p / q:.3f}")
glue("grr_claimed", mechanism.guarantee.claimed, display=False)
glue("grr_found", found.epsilon, display=False)
assert math.isclose(found.epsilon, m * epsilon)
assert found.epsilon > mechanism.guarantee.claimed


# %% [markdown]
# The worst case is {glue:text}`grr_found:.3f`, where {glue:text}`grr_claimed:.3f` was stated. The {doc}`witness <../book/glossary>` shows the reason. Its two vectors differ *everywhere*, and the report equals one of them. Whichever two features were sampled, each makes the report more likely under the first vector by a factor of $e$. The attacker need not know which two features these were. The next box states the correct result. Its verdict, *refuted*, belongs to the published bound.
#
# :::{prf:theorem} GRR-FS for any two vectors (claim `rgnn-theorem-1`, verdict: refuted)
# :label: thm-grr-fs
#
# For $1 \le m < d$ and $\varepsilon_x > 0$ the bound {eq}`eq-grr-fs-claim` fails for some pairs of vectors. Over all pairs of vectors the smallest $\varepsilon$ that holds is $m\,\varepsilon_x$.
# :::
#
# :::{prf:proof}
# The loss is *at most* $m \varepsilon_x$. Given the sampled set, only the $m$ answers depend on the vector, each by a factor of at most $e^{\varepsilon_x}$, and averaging over sets keeps this bound. The loss is *no less*, because for vectors that differ everywhere and the report equal to the first, every set gives exactly $e^{m \varepsilon_x}$. Finally, $m \varepsilon_x$ exceeds the bound, since $1 + \frac{m}{d}(e^{m\varepsilon_x} - 1) < e^{m \varepsilon_x}$ for $m < d$.
# :::
#
# Amplification is not an error in itself, but it needs neighbours whose difference the sample may *miss*. If two vectors differ in one feature only, the sample often misses this feature, and the audit finds a smaller loss.

# %%
def one_feature(x):
    return [(*x[:i], 1 - x[i], *x[i + 1:]) for i in range(d)]

single = worst_case(mechanism, vectors, neighbours=one_feature)
formula = math.log(1 + m / d * (math.exp(epsilon) - 1))
print(f"vectors that differ in one feature: {single.epsilon:.4f}  ",
      f"ln(1 + m/d (e^epsilon - 1)) = {formula:.4f}")
assert abs(single.epsilon - formula) < 1e-9


# %% [markdown]
# The same mechanism thus has two values of $\varepsilon$, one for a whole vector and one for a single feature, and {doc}`RGNN <07_rgnn>` needs both.
#
# ## Every epsilon at once
#
# The list above was made for $\varepsilon_x = 1$. For all other values we needed a proof. Can a program find one? For the mechanisms here, the formulas of the probabilities are quotients of polynomials in one variable, for example in $t = e^{\varepsilon}$. Whether a polynomial is ever negative can be *decided* by a program.
#
# Take, for example, randomised response with three answers. It outputs the true answer with weight $t$ and each other answer with weight 1, and the probabilities are these weights over their sum $t + 2$. Write $w$ for the weight of an outcome under one true answer and $w'$ for its weight under another. Since the sums are equal, the definition asks for $w \le t\,w'$, that is, $F = t\,w' - w$ is never negative. There are three cases, and therefore three polynomials. Now put $t = 1 + s$, which turns every $\varepsilon > 0$ into some $s > 0$.
#
# | $w$ | $w'$ | $F = t\,w' - w$ | with $t = 1 + s$ |
# |---|---|---|---|
# | $t$ | $1$ | $0$ | $0$ |
# | $1$ | $t$ | $t^2 - 1$ | $2s + s^2$ |
# | $1$ | $1$ | $t - 1$ | $s$ |
#
# No coefficient on the right is negative. Therefore no value is negative for any $s > 0$, which proves the claim for *every* $\varepsilon$.

# %%
def weights(truth, t):
    """Randomised response with three answers; t may be a number or a polynomial."""
    return {answer: t if answer == truth else 1 for answer in range(3)}

t = for_all.Poly((1, 1))             # 1 + s: the coefficients of 1, s, s^2, ...
by_hand = {tuple(t * weights(other, t)[o] - weights(truth, t)[o])
           for truth in range(3) for other in range(3) if other != truth
           for o in range(3)}
statement = certificates.Statement(
    "three answers", RandomisedResponse(1.0, 3), (0, 1, 2), bound=lambda t: (t, 1))
certificate = for_all.decide(statement)
print("by hand", sorted(by_hand))
print(certificate.verdict, [p["u"] for p in certificate.never_negative])
decided = {tuple(p["u"]) for p in certificate.never_negative}
assert by_hand < decided             # the rest: weights and bound

# %% [markdown]
# The result is a **certificate**. It consists of the polynomials and of the reason why each is never negative. (Each tuple, in the certificate under the key `u`, lists coefficients, and `()` is zero. The additional polynomials are the weights and the bound, which must not be negative either.) Nobody has to trust the program, because a checker that shares no calculation with it verifies the certificate. The checker only puts in numbers, since two polynomials of degree at most $n$ that agree at $n + 1$ points are the same.

# %%
*others, last = certificate.never_negative
wrong = [*others, {"u": [*last["u"][:-1], last["u"][-1] + 1]}]
versions = {"right": certificate.never_negative, "one coefficient changed": wrong}
for name, reasons in versions.items():
    version = replace(certificate, never_negative=reasons)
    print(f"{name:24}", certificates.verify(statement, version))

# %% [markdown]
# If the coefficients have mixed signs, **Sturm's theorem** counts the roots with $s > 0$ exactly. One point between two roots shows the sign there. An example is a variant of GRR-FS that samples each feature by an independent coin flip, instead of exactly $m$ features. With three features and a probability of $\tfrac13$ one feature is sampled on average. For any two vectors one would therefore expect a loss of at most $\varepsilon_x$, the budget of one sampled feature.
#
# % Figure: The loss exceeds the budget of one sampled feature if this budget is below {glue:text}`root_3:.3f` for 3 values per feature, or below {glue:text}`root_4:.3f` for 4.

# %% mystnb={"image": {"alt": "The loss of independent coins divided by epsilon x, against epsilon x from 0 to 4. With two values it stays below one. With three and four values it rises above one first and falls below it at a root, which a dotted line marks."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(6.2, 3.1))
grid = np.linspace(0.02, 4, 200)
for size, colour, line in ((2, BLUE, "-"), (3, ORANGE, "--"), (4, GREEN, "-.")):
    keep = np.exp(grid) / (np.exp(grid) + size - 1)
    lie = (1 - keep) / (size - 1)
    loss = 3 * np.log((keep / 3 + 2 / 3 / size) / (lie / 3 + 2 / 3 / size))
    axes.plot(grid, loss / grid, color=colour, linestyle=line, marker="", label=f"{size} values")
    if statements.ROOTS[size]:
        root = math.log(statements.ROOTS[size])
        axes.axvline(root, color=colour, linewidth=0.9, linestyle=":", marker="")
        glue(f"root_{size}", root, display=False)
        assert abs(np.interp(root, grid, loss / grid) - 1) < 1e-3
axes.axhline(1, color=GREY, linewidth=0.9, linestyle="-", marker="")
axes.set(xlabel="budget of a sampled feature, ε$_x$", ylabel="loss / ε$_x$")
axes.legend()
plt.show()

# %% [markdown]
# With two values per feature this expectation always holds. With three values it fails for all $\varepsilon_x$ up to {glue:text}`root_3:.3f`, with four values up to {glue:text}`root_4:.3f`, and it holds from there on. These limits are roots and not points of a grid, and both sides have a certificate.
#
# The next table shows what this book has decided so far. A case fixes (small) sizes, such as the number of features. If there is a root, each side of it is a case. "Every $\varepsilon$" refers to the formulas. It does not cover a computer's numbers if $\varepsilon$ is so large that a probability is rounded to 0. The certificates lie in `book/certificates`, and entries of the {doc}`register of claims <14_claims>` name them.

# %% tags=["hide-input"]
rows = []
for family, make in statements.FAMILIES.items():
    found = statements.with_certificates(family)
    parts = Counter(("true" if c.verdict == "holds" else "false")
                    + (" on one side of a root" if s.start > 1 or s.end else " for every ε")
                    for s, c in found)
    assert all(c.verdict == "holds" or c.always_negative for _, c in found)
    rows.append({"statement": " ".join(make.__doc__.split("\n\n")[0].split()).rstrip("."),
                 "cases": ", ".join(f"{n} {what}" for what, n in parts.items())})
show.table(rows, align="left")

# %% [markdown]
# One later mechanism has finitely many outputs, but their probabilities are integrals. {doc}`PrivGNN <09_privgnn>` outputs only which of several scores is largest after *Laplace* noise of scale $\beta$. The loss claimed for it is $1/\beta$. We cut the range of $\beta$ into pieces. **Interval arithmetic** calculates with intervals instead of numbers and rounds outwards, and therefore bounds a function on a whole piece at once.

# %%
pieces = [p for p in statements.load_laplace() if p.num_classes in (3, 7, 10)]
for p in pieces:
    said = (f"above 1/beta for all 1/beta up to {p.last}" if p.above
            else f"at most {p.factor}/beta for all beta")
    print(f"{p.num_classes:2} classes: {said:44} {len(p.steps):3} pieces,",
          f"proved: {intervals.verify(p)}")
assert all(intervals.verify(p) for p in pieces)


# %% [markdown]
# For these three numbers of classes, the claim is therefore false for every $1/\beta$ up to the printed limit, whereas the printed multiple holds for every $\beta$.
#
# ## The replay audit: what else was computed from the data?
#
# Noisy outputs do not help if the settings of the *mechanism itself* were computed from private data. The replay audit detects this. It records every noisy output of a run on some data. It then changes one person and runs again, but returns the recorded outputs instead of new noise. Whatever still differs cannot come from noise, and was therefore computed from private data without protection.
#
# In the example, `MultiBit` ({doc}`LPGNN <06_lpgnn>`) sends a random bit for a number between `low` and `high`. The probabilities of the bit depend on where in this range the number lies.

# %%
def careful(x, generator):
    mechanism = MultiBit(1.0, 2, low=0.0, high=10.0)
    return mechanism.report(x.clamp(0, 10), generator=generator)

def careless(x, generator):
    mechanism = MultiBit(1.0, 2, low=float(x.min()), high=float(x.max()))
    return mechanism.report(x, generator=generator)

people = torch.tensor([[1.0, 2.0], [0.5, 3.0], [2.0, 9.0]])
changed = people.clone()
changed[2] = torch.tensor([2.0, 4.0])             # one person's features
print("careful: ", replay(careful, people, changed))
leak, = replay(careless, people, changed)
print(f"careless: {leak.place} was drawn with high =",
      f"{leak.first.high:g} and {leak.second.high:g}")

# %% [markdown]
# The empty list means that the two runs do not differ. In the careless version, the probabilities of *everybody's* report depend on one person's largest value. The $\varepsilon$ of a report does not count this dependence. Moreover, the range itself goes to the server, whose estimates need it. A program that stops with a message also reveals something. For example, "labels must show two classes" can depend on one person. The replay audit can find ranges, class counts, normalisers, domain sizes, refusals and early stopping on clean labels, if they differ between the two data sets that it compares.
#
# ## Broken twins
#
# An audit that never complains is worthless. For each audit we keep **broken twins**, which are mechanisms with one plausible mistake. The audit must reject the twins, and accept the right mechanism. (They are in `tests/unit/test_mutants.py`.) The next twin, promised in {doc}`many releases <02_many_releases>`, is a sample of fixed size that is accounted for as if it were a Poisson sample.
#
# Three people hold the values $-1, -1, +1$. A sample is drawn, and the sum of its values is published with whole-number noise of budget 1. In the Poisson version each person is in the sample with probability $\tfrac23$, whereas in the twin exactly two people are. The third person is added or removed.

# %% tags=["parameters"]
budget, rate = 1.0, 2 / 3            # of the noisy sum; of the Poisson sample


# %%
def noisy_sum(values):
    """Two-sided geometric noise on a sum: {outcome: probability}; no far tails."""
    ratio, far = math.exp(-budget), math.ceil(40 / budget)
    return {o: (1 - ratio) / (1 + ratio) * ratio ** abs(o - sum(values))
            for o in range(-far, far + 1)}

class Sampled:
    def __init__(self, samples):
        self.samples = samples           # people -> [(probability, sample)]
    def distribution(self, people):
        table = Counter()
        for weight, sample in self.samples(people):
            for outcome, p in noisy_sum(sample).items():
                table[outcome] += weight * p
        return dict(table)

def poisson(people):
    for chosen in product((0, 1), repeat=len(people)):
        weight = math.prod(rate if c else 1 - rate for c in chosen)
        yield weight, [v for v, c in zip(people, chosen, strict=True) if c]

def fixed(people):
    pairs = list(combinations(people, 2))
    return [(1 / len(pairs), pair) for pair in pairs]


# %%
stated = math.log(1 + rate * (math.exp(budget) - 1))
inputs = [(-1, -1, 1), (-1, -1)]
for name, samples in (("Poisson", poisson), ("fixed size", fixed)):
    found = worst_case(Sampled(samples), inputs)
    print(f"{name:10}  stated {stated:.3f}   worst case {found.epsilon:.3f}")
    glue(name.replace(" ", "_"), found.epsilon, display=False)
assert worst_case(Sampled(poisson), inputs).epsilon <= stated + 1e-9
replaced = math.log(1 + 2 / 3 * (math.exp(2 * budget) - 1))
assert math.isclose(found.epsilon, replaced, abs_tol=1e-9)
assert found.epsilon > stated + 0.3


# %% [markdown]
# With a fixed size, the third person does not just join the sample but *replaces* somebody, and the sum moves by two. The worst case is {glue:text}`fixed_size:.3f`, where the Poisson sample has {glue:text}`Poisson:.3f`. It equals $\ln(1 + \tfrac23 (e^2 - 1))$, the amplification of a mechanism whose loss is 2 for a replacement.
#
# The *evidence of this book* is audited in the same way. For each test that a verdict rests on, a *counterfactual* changes the library or the runs so that another verdict would be correct, and the test must then fail. For example, a formula is changed, or a method's runs are replaced by runs on inputs without information. `tests/claims/counterfactuals` states for each test what is changed, and `make counterfactuals` runs them all. A changed test shows only that an assertion can fail. Each claim about the library therefore has a counterfactual that changes the library. (A counterfactual tests only the part of a claim that its entry names.)
#
# ## What the verdicts mean
#
# This book is about six systems from four papers, namely GraphPrivatizer {cite}`joshi2024graphprivatizer`, PrivGNN {cite}`olatunji2023releasing`, RGNN {cite}`bhaila2024local`, and a dissertation {cite}`dissertation` with three more (LPPGE, PPFL-GNN and SE-GCL).
#
# :::{admonition} The dissertation
# :class: note
# We know little about the dissertation, because our copy is a scan that begins at its abstract. Author, title, school and year are therefore unknown to us, and we infer no author from the journal papers below.
#
# | | |
# |---|---|
# | Contains | three studies: LPPGE (Chapter 3 of the dissertation), PPFL-GNN (Chapter 4) and SE-GCL (Chapter 5) |
# | Journal papers | our card of LPPGE (the table at the top of its chapter) also cites {cite}`zhang2022link`, our card of PPFL-GNN {cite}`zhang2023federated`, and our card of SE-GCL none |
# | Released code | none that we know of |
# | Tables | some digits of the scan cannot be read. We keep such a value, marked as uncertain, and never compare it |
# | Our findings | are worded as for a paper: what is claimed (with the equation, table or section), what holds, and the test that shows it |
# | Citation | {cite}`dissertation`, where "n.d." (no date) stands for the year that we do not know |
# :::
#
# Every privacy claim in the four papers is in the {doc}`register of claims <14_claims>`, with one of these verdicts.
#
# | verdict | what it takes |
# |---|---|
# | holds | a proof, and a second check, by enumeration or another computation, that would fail if the claim were false |
# | corrected | close to right: we state what holds, with the same evidence |
# | refuted | a witness: two neighbours and an outcome, or an exact number next to the claimed one |
# | empirical only | states how well an attack or a model did. There is no theorem, so we measure it, and the verdict is the same if our runs disagree with the paper |
# | not a privacy claim | sounds like one, and promises nothing that can be checked |
# | pending | about a system this book has not built yet |
#
# Each test states how it bears on a claim. It can be evidence *for* the claim or *against* it, check a *proof* or a *repair*, report what was *measured*, or concern something *beside* the claim. A test fails if the evidence does not support the verdict. It also fails if somebody changes a number, a unit or a formula of the register without its evidence. `privbook claims` runs the evidence of all claims again, and `privbook claims rgnn-theorem-1` prints a single claim with its witness.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-05-twin
# ```
# % Exercise: 20 minutes, ●●: building a twin, and catching it
# Build a twin of randomised response for a person with two yes/no answers. The person flips *one* coin and either reports both answers truthfully or inverts both, with the probabilities of budget $\varepsilon = 1$. The author of the twin accounts for $2\varepsilon$ "to be safe". Is this safe?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-05-twin
# :class: dropdown
# ```
# No, because the report always shows whether the two answers are equal. Some reports are therefore impossible for some inputs, and no finite $\varepsilon$ holds.

# %%
class OneCoin:
    def distribution(self, answers):
        keep = RandomisedResponse(1.0, 2).keep
        return {answers: keep, tuple(1 - a for a in answers): 1 - keep}

found = worst_case(OneCoin(), list(product((0, 1), repeat=2)))
print(f"worst loss {found.epsilon}: {found.outcome} is possible",
      f"from {found.input}, not from {found.neighbour}")
assert math.isinf(found.epsilon)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# A proof bounds the privacy loss $\varepsilon$ from above, and an audit bounds it from below. The exact audit lists all outcomes of a small case and returns a *witness*, that is, two neighbouring inputs and an outcome with the largest loss. It refutes the published theorem of the mechanism GRR-FS, with a loss of {glue:text}`grr_found:.3f` where {glue:text}`grr_claimed:.3f` was stated. Such a list decides a claim for one $\varepsilon$, and a certificate decides it for every $\varepsilon$. The replay audit finds what was computed from private data without noise. Each audit is itself tested, on twins that leak too much.
#
# ## Further reading
#
# The mechanism whose theorem we listed: {cite}`bhaila2024local`. Why sampling amplifies, and when: {cite}`balle2018subsampling`.
