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
# # Differential privacy: noise on a computer
#
# A proof of differential privacy assumes that nobody can predict the noise and that the noise is a real number. Neither is true of ordinary code. Anyone who knows the seed can subtract the noise. Even without the seed, if the answer is 0 and Laplace noise with $\varepsilon = 1$ is added in 32-bit floats, {glue:text}`certain_single:.0f` % of the reports prove that the answer is not 1.
#
# :::{admonition} What you will learn
# :class: tip
# - why a seed, however large, does not protect anybody;
# - how the lowest digits of a float reveal which answer the noise was added to;
# - how noise on a public grid keeps the guarantee of the proof without more noise;
# - which of the two kinds of randomness this library uses, and how a release says so.
#
# **You need** {doc}`02_differential_privacy` (randomised response, Laplace noise, post-processing). **Time:** 20 minutes.
# :::

# %% tags=["hide-input"]
import math

import matplotlib.pyplot as plt
import numpy as np
import torch
from myst_nb import glue

from privbook import show
from privgraph.mechanisms import Gaussian, Laplace, RandomisedResponse, exact_noise
from privgraph.randomness import secret, seeded

show.use_style()
BLUE, ORANGE = (show.COLOURS[name] for name in ("blue", "orange"))

# %% [markdown]
# ## A known seed removes the noise
#
# Suppose that a server collects one bit from each of a thousand people, who use randomised response with a small budget. Suppose also that the program draws its random numbers from a generator with a fixed seed, as programs for experiments do. An attacker who has the published reports and the program can draw the same random numbers again, and then knows who reported the opposite of the truth.

# %%
truth = (torch.arange(1000) * 7 % 13 < 5).long()
response = RandomisedResponse(0.1, 2)
reports = response(truth, generator=seeded(2_000_000))

# The same random bits on answers of 0: a 1 marks a false report.
flipped = response(torch.zeros_like(truth), generator=seeded(2_000_000))
recovered = (reports + flipped) % 2
print(f"true as sent: {int((reports == truth).sum())} of {len(truth)}")
print(f"after the attack: {int((recovered == truth).sum())} of {len(truth)}")
assert torch.equal(recovered, truth)
glue("kept", 100 * float((reports == truth).float().mean()), display=False)

# %% [markdown]
# The reports were true for {glue:text}`kept:.0f` % of the people. At $\varepsilon = 0.1$ a share of $e^{0.1}/(1 + e^{0.1})$ is expected, a little more than half. The attack recovers the true answers of all people, because the same random bits show which reports are false. {prf:ref}`thm-rr` is not wrong, since it assumes random bits that nobody else knows. A seed in a program does not provide them.
#
# A secret seed does not help much either. PyTorch's generator keeps 32 bits of any seed, so seeds that differ by $2^{32}$ give the same numbers. An attacker who knows about forty true answers, for example those of friends, can try all four billion seeds until one of them explains these forty reports. Each known answer excludes about half of the wrong seeds, so forty usually leave only the true one.

# %%
small, large = (torch.rand(4, generator=seeded(seed)) for seed in (5, 5 + 2**32))
assert torch.equal(small, large)
print("seeds 5 and 5 + 2^32 give the same numbers:", torch.equal(small, large))

# %% [markdown]
# The noise of a real release must therefore be drawn from a *cryptographic* generator, which nobody can predict. Every operating system has one, and the library uses it through `secret()`. Not even we can draw the same numbers again.

# %%
reports = response(truth, generator=secret())
again = response(torch.zeros_like(truth), generator=secret())
guessed = int(((reports + again) % 2 == truth).sum())
chance = abs(guessed - 500) < 5 * math.sqrt(250)
assert chance
print("the same attack is within five standard deviations of chance:", chance)


# %% [markdown]
# ## The low digits of a float reveal the answer
#
# Even with perfect random bits, a float can reveal the answer. A float has a fixed number of binary digits, so floats lie close together near 0 and far apart near 1. A report is the answer plus the noise. If the answer is 0, the report is the noise itself, and near 0 it can be any small float. If the answer is 1, a report near 0 needs noise near $-1$, where floats lie far apart. A small report that lies between two of these floats can therefore only have come from an answer of 0.
#
# The next figure shows this for floats with only four binary digits.
#
# % Figure: With 4 binary digits, an answer of 0 reaches many values that an answer of 1 cannot reach.

# %% mystnb={"image": {"alt": "Two rows of dots on a line from minus one half to one half. The upper row, for an answer of 0, has dots that become denser and denser towards 0. The lower row, for an answer of 1, has dots that stay one eighth apart on the left and one sixteenth apart on the right. Most dots of the upper row have no dot below them."}} tags=["hide-input"]
def rounded(value, digits=4):
    """To floats with so many binary digits."""
    size = np.maximum(np.abs(value), 1e-9)
    step = 2.0 ** (np.floor(np.log2(size)) + 1 - digits)
    return np.round(value / step) * step


sizes = np.geomspace(0.004, 2, 4000)
noise = np.unique(rounded(np.concatenate([-sizes, sizes])))
figure, axes = plt.subplots(figsize=(7.4, 1.9))
reached = {0: noise, 1: np.unique(rounded(1 + noise))}
for (answer, values), colour in zip(reached.items(), (BLUE, ORANGE), strict=True):
    values = values[np.abs(values) <= 0.5]
    axes.plot(values, np.full(len(values), -answer), "o", markersize=3.5, color=colour)
axes.set(xlabel="report", yticks=(0, -1), yticklabels=("answer 0", "answer 1"), ylim=(-1.6, 0.6))
plt.show()


# %% [markdown]
# A single report can therefore be tested. If the answer is 1, a report $o$ with $|o| < \frac12$ needs noise between $-\frac32$ and $-\frac12$. All floats in this range are multiples of the spacing of floats just above $\frac12$. The number 1 is a multiple too, and therefore so is the report. A report with $|o| < \frac12$ that is no such multiple has probability 0 if the answer is 1. The table counts how often it occurs if the answer is 0. (Gaussian noise needs a $\delta$, which {doc}`many releases <02_many_releases>` defines.)

# %%
def gives_away(mechanism, answer, dtype, generator, draws=400_000):
    """The share of reports in percent that an answer of 1 cannot give."""
    answers = torch.full((draws,), answer, dtype=dtype)
    report = mechanism(answers, generator=generator)
    step = torch.finfo(dtype).eps / 2       # the spacing of floats at 1/2
    low = (report.abs() < 0.5) & (report / step != (report / step).round())
    return 100 * float(low.double().mean())


# %%
MECHANISMS = {"Laplace, ε = 1": Laplace(1.0), "Laplace, ε = 0.1": Laplace(0.1),
              "Gaussian, ε = 1, δ = 10⁻⁵": Gaussian(1.0, 1e-5)}


def both_answers(draw):
    """Percent for answers of 0 and of 1, by mechanism and bits of a float."""
    return {(name, torch.finfo(dtype).bits):
            [gives_away(mechanism, answer, dtype, draw()) for answer in (0.0, 1.0)]
            for name, mechanism in MECHANISMS.items()
            for dtype in (torch.float32, torch.float64)}


naive = both_answers(lambda: seeded(1))
assert all(one == 0 for _, one in naive.values())   # certainty, not evidence
shares = {key: f"{share:.1f} %" for key, (share, _) in naive.items()}
show.table([{"noise": name, "certain, 32-bit floats": shares[name, 32],
             "certain, 64-bit floats": shares[name, 64]} for name in MECHANISMS])

# %% tags=["remove-cell"]
single, double = (naive["Laplace, ε = 1", bits][0] for bits in (32, 64))
glue("certain_single", single, display=False)
glue("certain_double", double, display=False)
assert single > 20 and double > 10 and naive["Laplace, ε = 0.1", 32][0] > 1

# %% [markdown]
# At $\varepsilon = 1$, {prf:ref}`thm-laplace` allows a report to change the odds between the two answers by a factor of at most $e$. If the answer is 0, however, {glue:text}`certain_single:.0f` % of the reports change them by an infinite factor with 32-bit floats, and {glue:text}`certain_double:.0f` % with 64-bit floats. No finite $\varepsilon$ holds for the numbers that the program outputs, although the formula is right. Mironov found this flaw in code that was in use {cite}`mironov2012significance`.
#
# ## Noise on a public grid costs nothing
#
# The repair follows from post-processing. Let $a$ be the true answer and $Z$ real-valued noise, so that $a + Z$ has the guarantee of the proof. Choose a step $g$ that everybody may know, and publish only the multiple of $g$ that is nearest to $a + Z$,
#
# $$
# o = g \cdot \operatorname{round}\big((a + Z) / g\big) .
# $$ (eq-grid)
#
# The published number is computed from $a + Z$ alone. It therefore has the same $\varepsilon$ and $\delta$, and the rules for several releases stay valid. In the library $g$ is a power of two of about a millionth of the noise's scale, so the rounding is far smaller than the noise.
#
# The only difficulty is to compute {eq}`eq-grid` without error, because $Z$ has infinitely many digits. Usually a few digits are enough. For example, if 64 random bits place $(a + Z)/g$ well inside the interval that is rounded to 7, the result is 7, whatever the other digits are. If they leave it so close to the end of the interval that 7 and 8 are both possible, the program draws more bits and computes with more digits until the result is certain. This method is called interval refining.

# %%
fine = both_answers(secret)
assert set(map(tuple, fine.values())) == {(0.0, 0.0)}
mechanism = Laplace(1.0)
report = mechanism(torch.tensor([0.1, 1 / 3, 1e6]).double(), generator=secret())
steps = report / exact_noise.grid_of(mechanism.scale)
assert torch.equal(steps, steps.round())
print("reports that give the answer away:", sum(map(sum, fine.values())), "%")
grid = math.log2(exact_noise.grid_of(mechanism.scale))
print("all reports are multiples of 2 to the", int(grid))

# %% [markdown]
# The same multiples can be reached from every answer, whether it lies on the grid or not. For two neighbouring answers, the probabilities of a multiple differ by a factor of at most $e^{\varepsilon}$, as the proof says. The computing time still depends on the random bits and on the answer, because some draws need more bits. We promise nothing about this time ({doc}`sharp edges <../book/sharp_edges>`).
#
# ## What this library does
#
# Experiments must be repeatable, so every experiment in this book has a public seed. Its noise is drawn in floats, as if these were real numbers. Such numbers are called *idealised*. They serve to measure accuracy, because they differ from exact noise in their last digits only, but none of them may be released.
#
# A real release is drawn with `secret()`, on the grid, and cannot be repeated. Each release states which of the two kinds of randomness it used. The example is {doc}`LPGNN <06_lpgnn>`, a method of a later chapter. The members of a karate club report their features with a budget of 1 and their labels with a budget of 1.

# %%
from privgraph import datasets
from privgraph.methods import LPGNN

club = datasets.split(datasets.load("karate"), seeded(0))
method = LPGNN(epsilon_x=1.0, epsilon_y=1.0)
for generator in (seeded(1), secret()):
    release = method.collect(club, generator)
    total = release.total
    print(f"{total.randomness}: ε = {total.epsilon:g}, numbers {total.numerics},",
          "holds" if total.holds else "does not hold for this release")


# %% [markdown]
# On the command line, `privgraph run METHOD --save FOLDER` uses secret randomness for the files that it writes. The library warns if it reads a file that was drawn from a public seed.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-02-seed
# ```
# % Exercise: 15 minutes, ●●: an attack by trying all seeds
# *(With a checker.)* A program publishes the reports of 200 people, and its seed is a number below 5,000. You know the true answers `own` of persons 0 to 39. Write `find(published, own)`, which returns the seed. The mechanism is `RandomisedResponse(1.0, 2)`.

# %%
def check_find(find):
    for seed in (3, 1234, 4999):
        people = torch.randint(2, (200,), generator=seeded(seed + 10_000))
        published = RandomisedResponse(1.0, 2)(people, generator=seeded(seed))
        found = find(published, people[:40])
        assert found == seed, f"the seed was {seed}, got {found}"
    print("found")


# %% [markdown]
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-seed
# :class: dropdown
# ```
# The same generator draws for all 200 people at once, so the random bits of the first 40 follow from the seed. For all 40 people, a wrong seed must decide between a true and a false report as the true seed did. It does so with probability $(p^2 + q^2)^{40}$ on average, where $p = e / (1 + e)$ is the probability of a true report and $q = 1 - p$. That is about $2 \cdot 10^{-9}$, so the first seed that explains all 40 reports is almost certainly the right one.

# %%
def find(published, own):
    nothing = torch.zeros(len(published), dtype=torch.long)
    for seed in range(5000):
        flipped = RandomisedResponse(1.0, 2)(nothing, generator=seeded(seed))
        if torch.equal((own + flipped[:len(own)]) % 2, published[:len(own)]):
            return seed


check_find(find)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-02-low-digits
# ```
# % Exercise: 10 minutes, ●: where the low digits come from
# The table says that a smaller $\varepsilon$ reveals the answer less often. Explain why, and predict the share for Laplace noise with $\varepsilon = 0.01$ and 32-bit floats before you compute it.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-low-digits
# :class: dropdown
# ```
# Only reports between $-\frac12$ and $\frac12$ can reveal the answer. Laplace noise of scale $1/\varepsilon$ falls there with probability $1 - e^{-\varepsilon/2}$, which is about $\varepsilon / 2$. A tenth of the $\varepsilon$ gives about a tenth of the share.

# %%
small = {epsilon: gives_away(Laplace(epsilon), 0.0, torch.float32, seeded(1))
         for epsilon in (0.1, 0.01)}
print({epsilon: f"{share:.2f} %" for epsilon, share in small.items()})
assert 5 < small[0.1] / small[0.01] < 20

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-02-round-after
# ```
# % Exercise: 10 minutes, ●●: rounding what floats have spoilt
# A colleague rounds each noisy *float* to three decimal places and says that the thousandths are the grid. Is the result differentially private, as the computation in {eq}`eq-grid` is? Give the reason.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-round-after
# :class: dropdown
# ```
# It is safer, because the low digits are gone, but the proof does not cover it. The rounded float is a function of the float sum and not of the real number $a + Z$. Near a boundary between two multiples the float error decides, and this error depends on the answer. The probabilities of the two multiples are therefore slightly wrong, by an amount that would have to be bounded and added to $\delta$. With interval refining there is nothing to add, because the real number itself is rounded.
# ```{solution-end}
# ```
#
# ## Summary
#
# - Anyone who knows the seed can subtract the noise, and PyTorch keeps only 32 bits of a seed of any size. The noise of a real release is drawn from the operating system's generator.
# - If the answer is 0 and Laplace noise with $\varepsilon = 1$ is added in 32-bit floats, {glue:text}`certain_single:.0f` % of the reports prove that the answer is not 1.
# - Rounding the real-valued noisy answer to a public grid is post-processing and costs nothing. Interval refining computes it without error.
# - Experiments in this book have public seeds and idealised noise. Their releases state that no guarantee holds for their numbers.
#
# **Further reading.** The low digits: {cite}`mironov2012significance`. Exact samplers on whole numbers: {cite}`canonne2020discrete`.
