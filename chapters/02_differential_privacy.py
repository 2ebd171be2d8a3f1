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
# # Differential privacy in one sitting
#
# Take a program with random output, and two data sets that differ in one *unit*, for example in one person's answer. Differential privacy bounds how much more likely any output becomes if one unit of the data changes. The bound is a factor of $e^{\varepsilon}$, so a smaller $\varepsilon$ protects more. If an attacker does not know which of the two data sets was used, the output changes their odds (the ratio of the two probabilities) by at most the same factor.
#
# :::{admonition} What you will learn
# :class: tip
# - how each person can give a *deniable* answer, which proves nothing, while all answers together still give a good estimate;
# - what $\varepsilon$ promises, and how much it limits someone who wants to find out your answer;
# - how to release a number: sensitivity and Laplace noise;
# - three rules that hold for every private mechanism: post-processing, composition, groups.
#
# {doc}`Many releases <02_many_releases>` adds up the $\varepsilon$ of thousands of releases, and shows how much smaller the total becomes if each uses a random sample of the people. {doc}`Noise on a computer <02_noise_on_a_computer>` shows how noise that a program draws can be removed again, and how to prevent it.
#
# **You need** some probability: expectations, logarithms. No graphs in this chapter. **Time:** 30 minutes.
# :::

# %% tags=["hide-input"]
import math
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import torch
from myst_nb import glue

from privbook import show
from privgraph.audit import Independent, worst_case
from privgraph.mechanisms import Laplace, RandomisedResponse
from privgraph.privacy import Guarantee
from privgraph.randomness import seeded

show.use_style()
BLUE, ORANGE, GREY = (show.COLOURS[name] for name in ("blue", "orange", "grey"))


# %% [markdown]
# ## A question nobody wants to answer
#
# A teacher asks a class, "Have you ever cheated in an exam?" Since nobody will openly say "yes", the teacher proposes a game. Each student flips a coin in secret. For heads they answer truthfully. For tails they flip again, and say "yes" for heads and "no" for tails, whatever the truth.

# %%
def play(truth, generator):
    """The game, for one student: truth and answer are 0 (no) or 1 (yes)."""
    heads, second = torch.rand(2, generator=generator) < 0.5
    return truth if heads else int(second)

generator = seeded(2)
print("ten who cheated:        ", [play(1, generator) for _ in range(10)])
print("ten who did not cheat:  ", [play(0, generator) for _ in range(10)])

# %% [markdown]
# A "yes" proves nothing, because a quarter of the students who did not cheat say it too. The teacher nevertheless learns something about the class. Three quarters of the cheaters say "yes", one half after heads, and one quarter after tails and then heads. If a share $\pi$ of the class has cheated, the expected share of "yes" is $\tfrac34 \pi + \tfrac14 (1 - \pi) = \tfrac14 + \tfrac12 \pi$. From a share $\lambda$ of "yes", the teacher therefore estimates $\pi$ as $2\lambda - \tfrac12$.

# %%
truth = (torch.arange(2000) < 600).long()           # 30% of 2,000 students
answers = torch.tensor([play(int(t), generator) for t in truth])
estimate = 2 * float(answers.float().mean()) - 0.5
print(f"yes answers: {answers.float().mean():.3f}, estimate: {estimate:.3f},",
      "truth: 0.300")
assert abs(estimate - 0.3) < 0.1

# %% [markdown]
# A *mechanism* is a program that takes data and gives a random output. The game is called **randomised response** {cite}`warner1965randomized`. The figure compares the two distributions of the answer.
#
# % Figure: Each answer is 3 times as likely from one kind of student as from the other, but both kinds can give it.

# %% mystnb={"image": {"alt": "Two pairs of bars. A student who cheated says no with probability 0.25 and yes with 0.75; one who did not says no with 0.75 and yes with 0.25. The words ratio 3 stand above each pair."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(5.4, 2.9))
axes.bar([-0.18, 0.82], [0.25, 0.75], 0.34, color=ORANGE, label="cheated")
axes.bar([0.18, 1.18], [0.75, 0.25], 0.34, color=BLUE, hatch="//", edgecolor="white",
         label="did not cheat")
axes.set(xticks=[0, 1], xticklabels=["no", "yes"], ylabel="probability", ylim=(0, 1.05),
         xlabel="the answer that the teacher receives")
for place in (0, 1):
    axes.text(place, 0.82, "ratio 3", ha="center", color=GREY)
axes.legend(loc="upper center", ncol=2)
plt.show()

# %% [markdown]
# Each answer is at most *three times* as likely from one kind of student as from the other. This factor is the only privacy that the game offers. It depends neither on what the teacher already knows nor on how the teacher analyses the answers.
#
# ## The definition
#
# :::{prf:definition} Differential privacy
# :label: def-dp
#
# Fix a *unit* that may change (one person's answer, one edge, ...) and a *relation* (replaced by another, added or removed). Two inputs are **neighbours** if they differ in one unit in that way. A random mechanism $M$ is **$\varepsilon$-differentially private** for this unit and relation if for all neighbours $x, x'$ and every set $S$ of outputs
#
# $$
# \Pr[M(x) \in S] \;\le\; e^{\varepsilon} \, \Pr[M(x') \in S] .
# $$
# :::
#
# In the game, the unit is one student's true answer, and the relation is replacement. Neighbours are inputs here, and not the neighbours of a node in a graph. Differential privacy is *local* if each person runs the mechanism on their own data, and any two values of these data are neighbours. It is *central* if a trusted *curator* runs the mechanism on everybody's data. The inequality is the same {cite}`dwork2014algorithmic`.
#
# The **privacy loss** of an output $o$ is the logarithm of the ratio of its two probabilities, $\ln\bigl(\Pr[M(x) = o] / \Pr[M(x') = o]\bigr)$. For numbers with a density, the ratio is that of the densities. By the definition, every loss lies between $-\varepsilon$ and $\varepsilon$, because $x$ and $x'$ can change places. The game, for example, has the losses $\pm \ln 3$, so its $\varepsilon$ is $\ln 3$.
#
# The $\varepsilon$ that a mechanism may spend is called its *privacy budget*. The game spends $\ln 3$, and with a biased coin it can have any other budget, as the next theorem shows for $k$ possible answers. The brackets after a theorem's title hold its name in our {doc}`register of claims <14_claims>` and our verdict. *Holds* means that the claim is proved and that a test {doc}`checks it <05_auditing_claims>`.
#
# :::{prf:theorem} Randomised response (claim `dp-randomised-response`, verdict: holds)
# :label: thm-rr
#
# A mechanism that reports the true answer with probability $p = \frac{e^{\varepsilon}}{e^{\varepsilon} + k - 1}$, and each of the other $k - 1$ answers with probability $q = \frac{1}{e^{\varepsilon} + k - 1}$, is $\varepsilon$-differentially private for one answer. No smaller $\varepsilon$ holds.
# :::
#
# :::{prf:proof}
# Take two possible true answers and one report. The report agrees with at most one of them. If it agrees with the first, the ratio is $p/q = e^{\varepsilon}$. If it agrees with the second, the ratio is $q/p$, and if with neither, $q/q = 1$. The ratio $e^{\varepsilon}$ occurs, so no smaller $\varepsilon$ is possible. The probability of a set of reports is a sum over its members, so the same factor bounds it.
# :::
#
# In words, the true answer is $e^{\varepsilon}$ times as likely as any other answer. The noise can be corrected for. If a share $\pi$ of the people has a given true answer, the expected share of reports with this answer is $\lambda = \pi p + (1 - \pi) q$. Solving for $\pi$ gives the unbiased estimate $(\lambda - q)/(p - q)$.
#
# A proof can be wrong, and code can differ from the proof. We therefore check a mechanism with finitely many outputs by an **exact audit**, which lists all outputs for all neighbours and finds the largest privacy loss. It also reports the **witness**, that is, the inputs and the output that attain it.

# %%
game = RandomisedResponse(epsilon=math.log(3), num_classes=2)
print(game.transition)
found = worst_case(game, inputs=[0, 1])
print(f"worst loss {found.epsilon:.6f} = ln {math.exp(found.epsilon):.4f}, "
      f"from input {found.input} against {found.neighbour}, answer {found.outcome}")
assert abs(found.epsilon - math.log(3)) < 1e-9


# %% [markdown]
# A mechanism is private only if *every* answer is deniable, that is, if somebody with the other truth could have given it too. In the next mechanism a "no" is deniable, because on average half of the cheaters say it too. A "yes" is not, because only cheaters can say it.

# %%
class OnlyCheatersLie:
    """Without cheating, say no. With cheating, say yes or no by a fair coin."""
    def distribution(self, truth):
        return {"no": 1.0} if truth == 0 else {"no": 0.5, "yes": 0.5}

found = worst_case(OnlyCheatersLie(), [0, 1])
print(f"worst loss: {found.epsilon}, at the answer {found.outcome!r}")
assert math.isinf(found.epsilon)

# %% [markdown]
# If one input can produce an output and its neighbour cannot, no finite $\varepsilon$ exists. Later chapters meet this case in published work.
#
# ## What epsilon means to an attacker
#
# Suppose that an attacker wants to know whether you cheated. Their *odds* are the probability that you did, divided by the probability that you did not. By Bayes' rule, your answer multiplies these odds by the ratio of its probabilities under the two truths. In the worst case, an attacker knows all other data, and compares two *neighbouring inputs*. The output changes their odds by a factor of at most $e^{\varepsilon}$, whatever the attacker believed before. In the game, for example, odds of one to one become three to one at most.
#
# The next theorem considers an attacker who looks at the output and then accuses, or does not. One of the two inputs is the guilty one ("cheated"), and the other is the innocent one.
#
# :::{prf:theorem} The attacker's chances (claim `dp-attacker`, verdict: holds)
# :label: thm-attacker
#
# Let a fair coin choose between two neighbours, and let an attacker see the output of $M$ only. If $M$ is $\varepsilon$-differentially private, then the attacker guesses the chosen input with probability at most $\frac{e^{\varepsilon}}{1 + e^{\varepsilon}}$. Let a test accuse with probability $\mathrm{TPR}$ if the guilty input was used (the *true positive rate*) and with probability $\mathrm{FPR}$ if the innocent one was (the *false positive rate*). Then $\mathrm{TPR} \le e^{\varepsilon}\,\mathrm{FPR}$ and $1 - \mathrm{FPR} \le e^{\varepsilon} (1 - \mathrm{TPR})$.
# :::
#
# :::{prf:proof}
# Both inequalities are the definition. The first applies it to the set $S$ of outputs on which the test accuses, with the guilty input on the left. The second applies it to all other outputs, with the innocent input on the left. Because the coin is fair, the odds are one to one before the output. After an output $o$, they are therefore the ratio of its two probabilities, at most $e^{\varepsilon}$ to one for either guess. A guess with such odds is right with probability at most $e^{\varepsilon} / (1 + e^{\varepsilon})$, whatever the output.
# :::
#
# In the figure, no test of an attacker can lie above the curve of the mechanism's $\varepsilon$. The closer the curve is to the diagonal, the less an attacker gains over guessing.
#
# % Figure: At ε = 1, a test that accuses 1 in 100 innocent people can identify fewer than 3 in 100 guilty ones.

# %% mystnb={"image": {"alt": "Curves of the highest true positive rate against the false positive rate for epsilon 0, 0.5, 1, 2 and 4. Each is two straight lines from the corner (0,0) to (1,1) with a corner on the other diagonal; larger epsilon is closer to the upper left."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(5.0, 4.2))
fpr = np.linspace(0, 1, 1001)
shades = plt.cm.viridis(np.linspace(0.85, 0.1, 5))
for epsilon, colour, line in zip((0, 0.5, 1, 2, 4), shades, ("-", "--", "-.", ":", "-"), strict=True):
    tpr = np.minimum(math.exp(epsilon) * fpr, 1 - math.exp(-epsilon) * (1 - fpr))
    axes.plot(fpr, tpr, color=colour, linestyle=line, marker="", label=f"ε = {epsilon:g}")
axes.set(xlabel="wrongly accused (FPR)", ylabel="rightly accused (TPR)", aspect="equal")
axes.legend(loc="lower right")
plt.show()

# %%
rows = [{"ε": epsilon, "odds change by at most": f"× {math.exp(epsilon):.4g}",
         "best guess is right": f"{1 / (1 + math.exp(-epsilon)):.4f}",
         "TPR at 1% FPR, at most": f"{min(1, 0.01 * math.exp(epsilon)):.3f}"}
        for epsilon in (0.1, 0.5, 1, 2, 4, 8)]
glue("right_at_1", 1 / (1 + math.exp(-1)), display=False)
glue("right_at_8", 1 / (1 + math.exp(-8)), display=False)
show.table(rows)

# %%
show.odds_figure()

# %% [markdown]
# Here you can move $\varepsilon$. The blue region holds all pairs (FPR, TPR) that the theorem allows. Leave the slider of $\delta$ at 0 until the next page ({prf:ref}`def-approximate-dp`).
#
# At $\varepsilon = 1$ the best attacker is right with probability at most {glue:text}`right_at_1:.2f` instead of 0.50. At $\varepsilon = 8$ the bound is {glue:text}`right_at_8:.4f`, so the theorem promises next to nothing. (A mechanism may be more private than its bound.)
#
# The theorem covers only the difference that *your* data make. If a study finds that smokers fall ill, for example, an insurer learns something about every smoker, whether or not they took part. Differential privacy does not prevent that. {doc}`What a graph can leak <03_what_a_graph_can_leak>` returns to this point, because on graphs other people's data reveal something about you all the time.
#
# ## Releasing a number: sensitivity and Laplace noise
#
# A hospital wants to publish how many patients have a certain disease. The **sensitivity** of a query (a function of the data) is the largest amount by which one unit can change its answer. It is 1 for the count, because one patient more or less changes it by at most one. For an answer of several numbers, the absolute changes are added up, which gives the $L_1$ sensitivity $\Delta_1$.
#
# To hide each patient, the hospital adds random noise that is wide compared with the sensitivity. *Laplace noise* of scale $b$ has the density $\frac{1}{2b} e^{-|z|/b}$.
#
# % Figure: With Laplace noise of scale 2, the privacy loss of every published count lies between −1/2 and 1/2.

# %% mystnb={"image": {"alt": "Left, the densities of the noisy count for true counts 100 and 101, two pointed curves of scale 2, one step apart. Right, the logarithm of their ratio, which is flat at plus 0.5 left of 100, falls to minus 0.5 between 100 and 101, and is flat again."}} tags=["hide-input"]
z = np.linspace(92, 109, 800)

def density(centre):
    return np.exp(-np.abs(z - centre) / 2) / 4

figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.0))
left.plot(z, density(100), color=ORANGE, marker="", label="100 patients")
left.plot(z, density(101), color=BLUE, linestyle="--", marker="", label="101 patients")
left.set(xlabel="published count", ylabel="density")
left.legend(loc="upper left", fontsize=9)
right.plot(z, np.log(density(100) / density(101)), color="black", marker="")
right.set(xlabel="published count", ylabel="privacy loss", ylim=(-0.8, 0.8))
plt.show()

# %% [markdown]
# In the right panel $b = 2$, so no privacy loss is above $1/b = 0.5$ or below $-0.5$.
#
# :::{prf:theorem} Laplace mechanism (claim `dp-laplace`, verdict: holds)
# :label: thm-laplace
#
# Adding independent Laplace noise of scale $b = \Delta_1 / \varepsilon$ to each number of an answer with $L_1$ sensitivity $\Delta_1$ is $\varepsilon$-differentially private.
# :::
#
# :::{prf:proof}
# Let $f(x)$ be the true answer, a list of numbers, and let $\|\cdot\|_1$ add up the absolute values of a list. The density at an output $o$ is proportional to $e^{-\|o - f(x)\|_1 / b}$. For neighbours, $\|o - f(x')\|_1 \le \|o - f(x)\|_1 + \Delta_1$ by the triangle inequality. The ratio of the densities is therefore at most $e^{\Delta_1/b} = e^{\varepsilon}$. Integrating both densities over $S$ gives the inequality of the definition.
# :::
#
# In words, half the budget requires twice the noise.

# %%
count = Laplace(epsilon=0.5, sensitivity=1.0)
noisy = count(torch.full((5,), 100.0), generator=seeded(1))
print("five imagined publications of 100:", [round(v, 1) for v in noisy.tolist()])
print(f"scale {count.scale:g}, standard deviation {count.variance ** 0.5:.2f}")
print(count.guarantee)

# %% [markdown]
# The theorem is about real numbers, whereas a program computes with rounded ones, which can reveal the answer. For numbers that are really released, the library draws {doc}`noise in another way <02_noise_on_a_computer>`.
#
# The noise does not depend on the number of patients, so central differential privacy works best for large groups. At $\varepsilon = \tfrac12$, for example, the noise has a standard deviation of almost three. This is 40 % of a count of seven, and negligible for a million.
#
# The sensitivity must be *proved*, and never measured on the data at hand, because the definition covers all inputs, and a measured value itself reveals something about the data. A mean of unbounded numbers has infinite sensitivity, because one value can move it arbitrarily far. Clamp the numbers first, to a range that was chosen without looking at them. Ages, for example, can be clamped to the range 0 to 120. A mean of $n$ ages then has the sensitivity $120/n$ if one age is replaced.
#
# ## Three rules
#
# :::{prf:theorem} Post-processing, composition, groups (claim `dp-three-rules`, verdict: holds)
# :label: thm-three-rules
#
# 1. *Post-processing.* Whatever is computed from the output of an $\varepsilon$-differentially private mechanism, without looking at the data again, is $\varepsilon$-differentially private.
# 2. *Composition.* If $M_1$ is $\varepsilon_1$- and $M_2$ is $\varepsilon_2$-differentially private for the same unit and relation, each with fresh, independent randomness, then both outputs together are $(\varepsilon_1 + \varepsilon_2)$-differentially private. $M_2$ may be chosen after seeing the output of $M_1$, if it is $\varepsilon_2$-differentially private for every such output.
# 3. *Groups.* If $M$ is $\varepsilon$-differentially private for one unit, it is $k\varepsilon$-differentially private for inputs that differ in $k$ units.
# :::
#
# :::{prf:proof}
# (1) The computed value lies in a set $S$ exactly if the output lies in the set of outputs that lead to $S$. Apply the definition to that set, and average over the random bits of the computation. (2) The probability of a pair of outputs is that of the first times that of the second given the first. These change by factors of at most $e^{\varepsilon_1}$ and $e^{\varepsilon_2}$. (3) Walk from $x$ to $x'$ in $k$ steps between neighbours, and multiply the $k$ factors $e^{\varepsilon}$.
# :::
#
# Three releases with $\varepsilon = 1$ each, for example, cost at most $\varepsilon = 3$ together. If all four answers of a family may change, $\varepsilon = 1$ for one answer becomes $\varepsilon = 4$. The word *fresh* is important, however. Suppose that a secret bit is encrypted with a random key bit, that is, flipped if the key bit is 1. The encrypted bit alone reveals nothing, and neither does the random key alone. Both together reveal the secret, because they use the same random bit.
#
# The next page defines two weaker notions, $(\varepsilon, \delta)$ and Rényi differential privacy ({doc}`many releases <02_many_releases>`). Post-processing and composition hold for them as well. For $(\varepsilon, \delta)$ both numbers add, and the rule for groups is {prf:ref}`thm-group` ({doc}`neighbouring graphs <03_which_neighbours>`).
#
# Composition can be audited, too. The next cell takes two yes/no questions with budget 1 each as one mechanism.

# %%
both = Independent((RandomisedResponse(1.0, 2), RandomisedResponse(1.0, 2)))
pairs = list(product([0, 1], repeat=2))
anything = worst_case(both, pairs)
one_answer = worst_case(both, pairs, neighbours=lambda x: [(1 - x[0], x[1]),
                                                           (x[0], 1 - x[1])])
print(f"both answers may change: {anything.epsilon:.3f},",
      f"only one: {one_answer.epsilon:.3f}")
assert abs(anything.epsilon - 2) < 1e-9 and abs(one_answer.epsilon - 1) < 1e-9

# %% [markdown]
# The same mechanism has $\varepsilon = 2$ if the unit is "both answers of a person" and $\varepsilon = 1$ if it is "one answer". A number without its unit therefore means nothing. The library refuses to add up guarantees for different units, such as a label and a feature vector. However, a mechanism that uses only one of the two has the same $\varepsilon$ for the larger unit "features and label". The function `convert` restates the guarantee for this unit, and then both budgets add.

# %%
from privgraph.privacy import compose

label = Guarantee(3.0, unit="label", basis="proved")
vector = Guarantee(1.0, unit="feature vector", basis="proved")
try:
    compose(label, vector)
except ValueError as error:
    print(error)
both = "features and label"
print(f"{both}:", compose(label.convert(both), vector.convert(both)).epsilon)


# %% [markdown]
# ## Exercises
#
# ```{exercise-start}
# :label: ex-02-die
# ```
# % Exercise: 20 minutes, ●●: epsilon of a mechanism, from its definition
# *(With a checker.)* A fair die with $k$ sides carries the $k$ possible answers. With probability $\tfrac12$ a person tells the truth. Otherwise they roll the die and report its answer, which may be the truth. Write `epsilon_of_die(k)`, and run `check(epsilon_of_die)`. How does the privacy change if there are more answers, and why?
# ```{exercise-end}
# ```

# %%
def check(epsilon_of_die):
    """Compare with the exact audit of the die."""
    class Die:
        def __init__(self, k):
            self.k = k
        def distribution(self, truth):
            return {o: 0.5 * (o == truth) + 0.5 / self.k for o in range(self.k)}
    for k in (2, 6, 20):
        exact = worst_case(Die(k), range(k)).epsilon
        right = math.isclose(epsilon_of_die(k), exact, rel_tol=1e-9)
        assert right, f"wrong for k = {k}"
    print("three dice: correct")


# %% [markdown]
# ```{solution-start} ex-02-die
# :class: dropdown
# ```
# The true answer is reported with probability $\tfrac12 + \tfrac{1}{2k}$, and each other answer with $\tfrac{1}{2k}$. The ratio of the two is $k + 1$. With more answers, false reports are spread more thinly. One particular report is therefore stronger evidence, and the privacy gets worse.

# %%
def epsilon_of_die(k):
    return math.log(k + 1)

check(epsilon_of_die)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-02-histogram
# ```
# % Exercise: 10 minutes, ●: sensitivity of several numbers at once
# A teacher publishes a histogram of the grades 1 to 6 of a class, with Laplace noise on each of the six counts. One student more or less changes one count by one. What is the $L_1$ sensitivity if a student is added or removed, and if a student's grade is *replaced*? Which scale gives $\varepsilon = 1$ in each case?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-histogram
# :class: dropdown
# ```
# If a student is added or removed, one count changes by one, hence $\Delta_1 = 1$ and the scale is 1. If a grade is replaced, one count falls by one and another rises, hence $\Delta_1 = 2$ and the scale is 2. A common mistake is to take the scale 1 if grades are replaced, although twice as much noise is needed. Two probability vectors can likewise differ by 2 in the $L_1$ norm, but a paper in {doc}`the register <14_claims>` used 1.

# %%
print("added or removed:", Laplace(1.0, sensitivity=1.0).scale)
print("replaced:        ", Laplace(1.0, sensitivity=2.0, relation="replace").scale)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# Differential privacy bounds how much more likely any output becomes if one unit of the data changes. The bound is a factor of $e^{\varepsilon}$, and $\varepsilon$ needs a unit and a relation beside it. An attacker's odds between two neighbouring inputs change by at most the same factor. Post-processing is free, budgets add, and for a group of $k$ units $\varepsilon$ is multiplied by $k$. For {doc}`many releases <02_many_releases>`, however, adding is far too pessimistic. For a hundred questions with $\varepsilon = 0.1$ each, less than half of the sum suffices, if a guarantee may ignore very improbable outcomes.
#
# ## Further reading
#
# The textbook of the field is {cite}`dwork2014algorithmic`. Floating-point arithmetic can break a perfect proof {cite}`mironov2012significance` ({doc}`sharp edges <../book/sharp_edges>`).
