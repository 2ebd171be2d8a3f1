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
# :::{admonition} What you will learn
# :class: tip
# - why a proof is not enough, and the three places where privacy gets lost;
# - the exact audit: list every outcome of a small case and find the worst, with a witness;
# - how to decide a claim for *every* $\varepsilon$ at once, with a certificate that anybody can check;
# - the replay audit: find what else was computed from private data;
# - how broken twins keep auditors honest;
# - what the verdicts in this book mean.
#
# Where outcomes cannot be listed, one plays a guessing game: {doc}`05_guessing_games`.
#
# **You need** {doc}`02_differential_privacy` and, from {doc}`02_many_releases`, Poisson sampling ({prf:ref}`thm-poisson`). **Time:** 25 minutes.
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
# A privacy claim is a sentence like "*this report is 1-differentially private*". It can be false in three places. The *proof* can be wrong: a sensitivity of 1 that should be 2, a theorem used for a relation
# that it does not cover. The *code* can differ from the proof: a coin with the wrong bias, noise that is clipped away. And the *pipeline* can use private data where nobody looks: to find the range of a feature, to decide when to stop
# training. Nothing visible happens in any of these cases. The outputs look as noisy as ever.
#
# So we check. There are two directions to check from.
#
# % Figure: A proof bounds the loss from above, an audit from below.

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
# A proof (or an accountant) gives an upper bound that holds for all inputs. An audit tries out something definite and gives a lower bound. Where the outcomes can be listed, the audit gives the truth itself, for the inputs that it tried and the probabilities that the code states. (That the sampler draws with these probabilities is another claim, tested by statistics: `tests/statistical/test_sampling.py`.)
#
# ## The exact audit
#
# Take a mechanism with finitely many outputs, and all inputs that are neighbours. Three loops find the largest ratio.

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
# The library's `worst_case` does the same with arrays, knows neighbouring relations, and adds up independent slots instead of listing their product.
#
# ### A published theorem, listed
#
# GRR-FS {cite}`bhaila2024local`, the mechanism of RGNN ({doc}`07_rgnn`), collects categorical features. Each person picks $m$ of her $d$ features at random, answers those by randomised response with budget $\varepsilon_x$ each, and reports *fakes*, uniform values, for the rest. The server
# cannot tell an answer from a fake. The idea is that this uncertainty protects: the published theorem states
#
# $$
# \varepsilon_X = \ln\Big(1 + \frac{m}{d}\big(e^{m \varepsilon_x} - 1\big)\Big)
# $$ (eq-grr-fs-claim)
#
# for *any two* feature vectors, by the amplification of sampling, as in {prf:ref}`thm-poisson` with $\gamma = m/d$ and $\varepsilon = m \varepsilon_x$. With $d = 4$ yes/no features, $m = 2$ and $\varepsilon_x = 1$ there are 16 vectors and 16 reports. We list them all.

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
# The worst case is {glue:text}`grr_found:.3f`, where {glue:text}`grr_claimed:.3f` was stated. The witness shows why. The two vectors differ *everywhere*, and the report equals one of them. Whichever two features were sampled, each speaks for the first vector by a factor of $e$. The attacker does not
# know which two they were, and does not need to.
#
# :::{prf:theorem} GRR-FS for any two vectors (claim `rgnn-theorem-1`, verdict: refuted)
# :label: thm-grr-fs
#
# For $1 \le m < d$ and $\varepsilon_x > 0$ the bound {eq}`eq-grr-fs-claim` fails for some pairs of vectors. Over all pairs of vectors the smallest $\varepsilon$ that holds is $m\,\varepsilon_x$.
# :::
#
# :::{prf:proof}
# *At most* $m \varepsilon_x$: given the sampled set, only the $m$ answers depend on the vector, each by a factor of at most $e^{\varepsilon_x}$; the average over sets keeps the bound. *No less*: for vectors that differ everywhere and the report equal to the first, every set gives exactly $e^{m \varepsilon_x}$. And $m \varepsilon_x$ exceeds the bound, since $1 + \frac{m}{d}(e^{m\varepsilon_x} - 1) < e^{m \varepsilon_x}$ for $m < d$. The witness above is one case.
# :::
#
# Amplification is not an error in itself. It needs neighbours for whom the sampled part may *miss* the difference. If two vectors differ in one feature only, it often does, and then the audit finds a smaller number:

# %%
def one_feature(x):
    return [(*x[:i], 1 - x[i], *x[i + 1:]) for i in range(d)]

single = worst_case(mechanism, vectors, neighbours=one_feature)
formula = math.log(1 + m / d * (math.exp(epsilon) - 1))
print(f"vectors that differ in one feature: {single.epsilon:.4f}  ",
      f"ln(1 + m/d (e^epsilon - 1)) = {formula:.4f}")
assert abs(single.epsilon - formula) < 1e-9


# %% [markdown]
# The same mechanism, two units, two numbers. {doc}`07_rgnn` needs both.
#
# ## Every epsilon at once
#
# The list above was made for $\varepsilon_x = 1$; for all others it took a proof. Can a program decide them, too? The chances of a finite mechanism, as its formula states them, are fractions of polynomials in $t = e^{\varepsilon}$, and polynomials can be *decided*.
#
# Take randomised response with three answers. It says the truth with weight $t$ and each other answer with weight 1; the chances are these weights over their sum $t + 2$. Write $w$ for the weight of an outcome under one truth and $w'$ under another. "At most $e^{\varepsilon}$" says that $w \le t\,w'$: the number $F = t\,w' - w$ is never negative. There are three cases, so three polynomials. Now put $t = 1 + s$. Every $\varepsilon > 0$ is some $s > 0$.
#
# | $w$ | $w'$ | $F = t\,w' - w$ | with $t = 1 + s$ |
# |---|---|---|---|
# | $t$ | $1$ | $0$ | $0$ |
# | $1$ | $t$ | $t^2 - 1$ | $2s + s^2$ |
# | $1$ | $1$ | $t - 1$ | $s$ |
#
# No coefficient on the right is negative. So no value is, for any $s > 0$: the claim holds for *every* $\varepsilon$. That was a complete proof, and multiplying out is all it took. The library multiplies out larger ones.

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
# The result is a **certificate**: the polynomials (those of the weights as well, which must be chances) and why each is never negative. Nobody has to trust the program that found it. A checker verifies it, and shares no calculation with it: it multiplies no polynomials, it only puts in numbers (two polynomials of degree $n$ that agree at $n + 1$ points are the same).

# %%
*others, last = certificate.never_negative
wrong = [*others, {"u": [*last["u"][:-1], last["u"][-1] + 1]}]
versions = {"right": certificate.never_negative, "one coefficient changed": wrong}
for name, reasons in versions.items():
    version = replace(certificate, never_negative=reasons)
    print(f"{name:24}", certificates.verify(statement, version))

# %% [markdown]
# What if signs are mixed? Then **Sturm's theorem** counts the roots with $s > 0$, exactly, and between two roots one point tells the sign. There is a case: GRR-FS again, read as a coin of its own for each feature in place of exactly $m$. With three features and coins of $\tfrac13$ one is sampled on average, so one would expect a loss of at most $\varepsilon_x$, the budget of one.
#
# % Figure: Independent coins: with three or four values the loss exceeds the budget of a sampled feature, while that is small.

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
# With two values the expectation is right, always. With three it is wrong for all $\varepsilon_x$ up to {glue:text}`root_3:.3f`, with four up to {glue:text}`root_4:.3f`, and right from there on. These are not the last points of a grid but roots, and both sides have a certificate.
#
# Below is what this book has decided so far, for small sizes. "Every $\varepsilon$" is about the formulas; where $\varepsilon$ is so large that a chance is rounded to 0, the computer's numbers are another matter. The certificates lie in `book/certificates`, and entries of the register of claims ({doc}`14_claims`) name them.

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
# One mechanism of the papers is not finite: PrivGNN ({doc}`09_privgnn`) tells only which of several scores is largest after *Laplace* noise of scale $\beta$, and its chances are integrals. The loss claimed for it is $1/\beta$. There **interval arithmetic** helps. It calculates with intervals instead of numbers, rounds outwards, and so bounds a function on a whole piece at once. Cut into pieces, the range of all noise scales $\beta$ is covered:

# %%
pieces = [p for p in statements.load_laplace() if p.num_classes in (3, 7, 10)]
for p in pieces:
    said = (f"above 1/beta for all 1/beta up to {p.last}" if p.above
            else f"at most {p.factor}/beta for all beta")
    print(f"{p.num_classes:2} classes: {said:44} {len(p.steps):3} pieces,",
          f"proved: {intervals.verify(p)}")
assert all(intervals.verify(p) for p in pieces)


# %% [markdown]
# ## The replay audit: what else was computed from the data?
#
# Outputs that are noisy enough do not help if the *mechanism itself* was set by private data. Record every noisy output of a run on some data. Change one person. Run again, but hand out the recorded outputs instead of new noise. Noise can no longer explain a difference. Whatever still differs was computed from private data without protection.
#
# Here `MultiBit` ({doc}`06_lpgnn`) sends a random bit for a number between `low` and `high`, whose chances depend on where in this range the number lies.

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
# The probabilities of *everybody's* report now depend on one person's largest value, which the $\varepsilon$ of a report does not count; and a server that is to make estimates must be told the range. A refusal is an output as well, with what its message says: "labels must show two classes" can hang on one person. Ranges, class counts, normalisers, domain sizes, refusals, early stopping on clean labels: the replay audit can find these, if the pair of data it is given changes them.
#
# ## Broken twins
#
# An audit that never complains is worthless. For each audit we keep **broken twins**: mechanisms with one plausible mistake, which it must reject, while it accepts the right one. The file `tests/unit/test_mutants.py` is a collection. Here is one that {doc}`02_many_releases` promised: a sample of fixed size, accounted as if it were a Poisson sample.
#
# Three people hold $-1, -1, +1$. A sample is drawn, and the sum of its values is published with noise of budget 1. In the Poisson version each person is in the sample with probability $\tfrac23$, in the twin exactly two are. The third person is added or removed.

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
# With a fixed size, the third person does not just join the sample: she *replaces* somebody, and the sum moves by two. The worst case is {glue:text}`fixed_size:.3f`, which is $\ln(1 + \tfrac23 (e^2 - 1))$: the amplification of a mechanism that pays 2 for a replacement.
#
# The *evidence of this book* is audited in the same way. Each test that a verdict rests on was also run in a world in which the claim is otherwise: another formula in the library, the control's runs read in place of the method's. There it must fail. `tests/claims/counterfactuals` says for each test what is otherwise, and `make counterfactuals` runs them all. A test that passes in both worlds has seen nothing. Where a claim is about the library, one of its twins changes the library: a twin that changes the test alone shows only that an assertion can fail. (And a claim has more than one part: a twin tries the part that its entry names, and no other.)
#
# ## What the verdicts mean
#
# This book is about six systems from four papers: GraphPrivatizer {cite}`joshi2024graphprivatizer`, PrivGNN {cite}`olatunji2023releasing`, RGNN {cite}`bhaila2024local`, and a dissertation with three more. Every privacy claim in them is in the register, which {doc}`14_claims` prints. Each has a verdict:
#
# | verdict | what it takes |
# |---|---|
# | holds | a proof, and enumeration or a second route that would fail if the claim were false |
# | corrected | close to right: we state what holds, with the same evidence |
# | refuted | a witness: two neighbours and an outcome, or a number that is exact beside the claimed one |
# | empirical only | says how well an attack or a model did; no theorem, so it is measured, not proved, also where our runs say otherwise |
# | not a privacy claim | sounds like one, and promises nothing that can be checked |
# | pending | about a system this book has not built yet |
#
# Each test says how it bears on a claim: *for* it or as the check of a *proof*, *against* it, as a *repair*, as what was *measured*, or on something *beside* it. A verdict that its evidence does not carry fails a test, and so does a number, a unit or a formula that is changed in the register alone. `privbook claims` runs the evidence of all of them again, and `privbook claims rgnn-theorem-1` prints a single one with its witness.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-05-twin
# ```
# % Exercise: 20 minutes, ●●: building a twin, and catching it
# Build a twin of randomised response for a person with two yes/no answers: she flips *one* coin and either tells both truths or inverts both answers, with the probabilities of budget $\varepsilon = 1$. Its author accounts $2\varepsilon$ "to be safe". Is it?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-05-twin
# :class: dropdown
# ```
# No. The report always shows whether the two answers are equal. Some reports are impossible for some inputs, and no finite $\varepsilon$ holds.

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
# A proof bounds $\varepsilon$ from above, an audit from below. The exact audit lists all outcomes of a small case and names a witness. What it lists for one $\varepsilon$, a certificate decides for every one. The replay audit finds what was computed
# from private data without noise. And each audit is itself tested, on twins that leak too much. {doc}`05_guessing_games` audits what cannot be listed, by guessing: it refutes false claims with a stated confidence, and never confirms a true one.
#
# ## Further reading
#
# The mechanism whose theorem we listed: {cite}`bhaila2024local`. Why sampling amplifies, and when: {cite}`balle2018subsampling`.
