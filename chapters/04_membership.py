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
# # Attacks: who was in it?
#
# :::{admonition} What you will learn
# :class: tip
# - how a network gives away whom it was trained on;
# - what a fair game is: members drawn by coin, and everybody asked in the same way;
# - two attacks: one shadow model, and the likelihood ratio of many;
# - what $\varepsilon$ for a node promises about the share of members that can be found.
#
# **You need** {doc}`04_attacks` (AUC, TPR at 1% FPR), {doc}`04_canaries` (the ceiling), {doc}`02_differential_privacy` and the $\delta$ of {doc}`02_many_releases`. **Time:** 20 minutes.
# :::

# %% tags=["hide-input"]
import math

import matplotlib.pyplot as plt
import numpy as np
import torch
from myst_nb import glue

import privbook
from privbook import show
from privgraph import datasets
from privgraph.attacks import (confidence, evaluate_attack, likelihood_ratio, rate_ceiling,
                               shadow_attack)
from privgraph.datasets import induced
from privgraph.methods import NodeClassifier
from privgraph.nn import accuracy
from privgraph.randomness import seeded

show.use_style()

# %% [markdown]
# ## The problem in one picture
#
# A clinic trains a network on its patients and lets anybody ask it. To be in the training set is to be a patient. So the question is not *what* a record says, but whether it was there at all: *membership*. A network tends to be surer of those it has seen.
#
# The game: a coin for each person; a network is trained on the heads, the **members**; the attacker gives everybody a score; and she is judged by how well her scores rank members above others ({doc}`04_attacks`).
#
# | | known to the attacker |
# |---|---|
# | everybody's features, labels and edges | yes, she brings the graph and asks about all of it |
# | the kind of network, and how it is trained | yes |
# | the network's weights | no, only its answers (probabilities) |
# | the coins | no, they are what she wants |
#
# (The graph at hand has papers for nodes. We call them people.)

# %%
data = datasets.default()
everybody = data.num_nodes

def half(generator):
    """A coin for each person, bool [N]."""
    return torch.rand(everybody, generator=generator) < 0.5

def trained_on(member, generator):
    """A network that has seen the members, their labels and their edges."""
    own = induced(data, member.nonzero().view(-1))
    everyone = torch.arange(own.num_nodes)
    return NodeClassifier(epochs=100).fit(own.x, own.edge_index, everyone, own.y,
                                          own.num_classes, generator)

member = half(seeded(1))
target = trained_on(member, seeded(2))
answers = target.predict_proba(data)
for name, who in (("members", member), ("others", ~member)):
    print(f"accuracy on {name}: {accuracy(answers, data.y, who):.0f} %")
sure = confidence(answers, data.y)
glue("right_members", accuracy(answers, data.y, member), display=False)
glue("right_others", accuracy(answers, data.y, ~member), display=False)
assert accuracy(answers, data.y, member) > accuracy(answers, data.y, ~member) + 3

# %%
show.banner(data)

# %% [markdown]
# The network's *confidence* in a person is the log-odds of her true class, $\ln \frac{p}{1-p}$: 0 for $p = 0.5$, 4.6 for $p = 0.99$.
#
# % Figure: The network is surer of the people it was trained on, but the two groups overlap.

# %% mystnb={"image": {"alt": "Two histograms of the network's confidence in the true class, on a log-odds scale from about -10 to 20. Members lie to the right of others, and the two overlap widely."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(6.2, 2.6))
bins = np.linspace(-12, 22, 60)
axes.hist(sure[~member].clamp(-12, 22), bins, alpha=0.7, color=show.COLOURS["orange"], hatch="//", label="others")
axes.hist(sure[member].clamp(-12, 22), bins, alpha=0.6, color=show.COLOURS["blue"], label="members")
axes.set(xlabel="confidence: log-odds of the true class", ylabel="people")
axes.legend()
plt.show()

# %% [markdown]
# Members lie further right: the network is right about {glue:text}`right_members:.0f`% of them and {glue:text}`right_others:.0f`% of the others, and surer. The simplest attacks live on this difference.
#
# ## One shadow model
#
# The attacker does not know the members. But she can play the game herself, where she does know them: toss coins, train a network (a **shadow model**), and learn what its answers look like for its members and for others {cite}`shokri2017membership`. For graph networks this is the attack of {cite}`olatunji2021membership`, which the authors of PrivGNN ({doc}`09_privgnn`) use.

# %%
shadow_member = half(seeded(3))
shadow = trained_on(shadow_member, seeded(4)).predict_proba(data)
one_shadow = shadow_attack(shadow, shadow_member, answers, seeded(5))
found = evaluate_attack(one_shadow, member)
print(found)
glue("one_auc", found.auc, display=False)
glue("one_tpr", found.tpr_at_1_fpr, display=False)
assert found.auc_low > 0.5

# %% [markdown]
# (*Pairs* in the output are people here.) The attack model is a small network that reads sorted probabilities: how sure an answer is, not of which class. (To keep it simple, our attacker plays with the very people of the target. For this attack others would do.)
#
# An AUC of {glue:text}`one_auc:.2f`; and at 1% false alarms it finds {glue:text}`one_tpr:.3f` of the members, about what guessing finds. The interval speaks of the people of this one training. Another training gives another number.
#
# ## A fair game
#
# Members and others must differ in *nothing but membership*. That is easily got wrong. Suppose that a curator collects the same number of members from each class, and the others are what is left. An attacker who never asks the network, but knows everybody's class and this rule, accuses the rarest classes first:

# %%
size = torch.bincount(data.y)
balanced, generator = torch.zeros(everybody, dtype=torch.bool), seeded(6)
for c in range(len(size)):
    nodes = (data.y == c).nonzero().view(-1)
    drawn = torch.randperm(len(nodes), generator=generator)[:int(size.min()) // 2]
    balanced[nodes[drawn]] = True
by_class = evaluate_attack(-size[data.y].double(), balanced)
print("never asks the network:", by_class)
glue("class_auc", by_class.auc, display=False)
assert by_class.auc_low > 0.55

# %% [markdown]
# Her AUC of {glue:text}`class_auc:.2f` says nothing about the network. One way to notice such a thing is to ask a **stranger**: a network whose training had nothing to do with who is a member.

# %%
unasked = trained_on(half(seeded(7)), seeded(8))
stranger = unasked.predict_proba(data)
named = -size[stranger.argmax(1)].double()     # how rare is the class it names?
print("rare classes first:", evaluate_attack(named, balanced))
print("the attack above:  ", evaluate_attack(
    shadow_attack(shadow, shadow_member, stranger, seeded(5)), balanced))
fair = evaluate_attack(
    shadow_attack(shadow, shadow_member, stranger, seeded(5)), member)
print("members by coin:   ", fair)
assert evaluate_attack(named, balanced).auc_low > 0.55
assert fair.auc_low < 0.5 < fair.auc_high

# %% [markdown]
# The stranger cannot know who is a member, and yet the first attacker does well. So what she finds is not membership. The second attack sorts the answers and does not see the classes, so it finds nothing, in the unfair game either: 0.5 on a stranger is no proof of a fair game. Coins are. ({doc}`09_privgnn` plays the game of PrivGNN's authors, private against public nodes, and asks a stranger too.)
#
# ## Many shadow models
#
# Some people are easy: every network is sure of them, whether it saw them or not. One bar for all accuses them wrongly. The **likelihood ratio** {cite}`carlini2022membership` asks about each person separately. Train twelve shadow models, each on its own coins. About six of them saw a given person $v$, and six did not. (Shown is the person whose confidence varies most.)

# %%
generator, halves, heard = seeded(9), [], []
for _ in range(12):
    halves.append(half(generator))
    shadow = trained_on(halves[-1], generator).predict_proba(data)
    heard.append(confidence(shadow, data.y))
seen = torch.stack(halves)
asked = (seen.any(0) & ~seen.all(0)).nonzero().view(-1)     # in some, not in all
v = int(asked[torch.stack(heard)[:, asked].std(0).argmax()])
for text, who in (("saw her:    ", True), ("did not:    ", False)):
    print(text, [round(float(h[v]), 1) for h, s in zip(heard, seen, strict=True)
                 if bool(s[v]) is who])
print(f"the target:  {float(sure[v]):.1f}; a member: {bool(member[v])}")

# %% [markdown]
# If the confidences of each side are taken as normal, with a mean of her own and a spread shared by all people (six values are too few for one each), her score is
#
# $$
# \text{score}(v) = \ln \frac{N(t_v;\ \mu_v^{\text{in}}, \sigma_{\text{in}}^2)}{N(t_v;\ \mu_v^{\text{out}}, \sigma_{\text{out}}^2)},
# $$
#
# where $t_v$ is the target's confidence in her and $N(t; \mu, \sigma^2)$ the density of the normal distribution.

# %%
scores = likelihood_ratio(sure[asked], torch.stack(heard)[:, asked], seen[:, asked])
many = evaluate_attack(scores, member[asked])
plain = evaluate_attack(sure[asked], member[asked])
print("one bar for all: ", plain)
print("likelihood ratio:", many)
for name, found in (("many", many), ("plain", plain)):
    glue(f"{name}_auc", found.auc, display=False)
    glue(f"{name}_tpr", 100 * found.tpr_at_1_fpr, display=False)
assert many.auc_low > plain.auc_high and many.tpr_low > plain.tpr_high

# %% [markdown]
# From the same answers and labels an AUC of {glue:text}`many_auc:.2f` instead of {glue:text}`plain_auc:.2f`, and at 1% false alarms {glue:text}`many_tpr:.0f`% of the members instead of {glue:text}`plain_tpr:.0f`%. She has only trained twelve networks more. A weak attack is no evidence of privacy. (And no difference *on average* is needed: people may shift up and down and cancel, and this attack could still see it.)
#
# {cite}`olatunji2021membership` find graph networks more open than others and name their structure as the reason. On Amazon Computers, from the ledger: a pool of 5,000 people, 32 shadow models of 200 epochs, {glue:text}`seeds` seeds (with 95% intervals over them), the same coins for both networks.

# %%
runs = privbook.Results("membership")
sage, mlp = (runs.setting(attack="coin", target=kind) for kind in ("sage", "mlp"))
METRICS = {"auc": "AUC in %", "tpr": "TPR at 1% FPR in %",
           "accuracy": "accuracy on others in %"}
rows = [{"network": name}
        | {text: runs.mean(metric, **cell) for metric, text in METRICS.items()}
        for cell, name in ((sage, "GraphSAGE"), (mlp, "MLP, no edges"))]
gap = runs.gap(sage, mlp, "auc")
glue("seeds", gap.n, display=False)
glue("gap", str(gap), display=False)
assert gap.mean > 5
show.table(rows)

# %% [markdown]
# GraphSAGE gives away more here, by {glue:text}`gap` points of AUC, although it is also the more accurate one on others. The two also differ in layers and normalisation, so this does not show that the edges are the reason.
#
# ## What epsilon promises
#
# Let the training be $(\varepsilon, \delta)$-differentially private for a **node**, added or removed with its features, label and all its edges. (An $\varepsilon$ for an edge or for a label promises less.) Let the attacker see the network or its answers, to questions that do not depend on the coins, and let her accuse by a rule that was fixed beforehand. Suppose that it accuses a person with probability $f$ when she was not in the training set. When she was, it accuses her with probability at most
#
# $$
# \min\big(e^{\varepsilon} f + \delta,\ 1 - e^{-\varepsilon} (1 - f - \delta)\big).
# $$ (eq-rate)
#
# The first term is the definition, for the outputs at which she is accused. The second is the definition for the others, with the two neighbours exchanged: $1 - f \le e^{\varepsilon} (1 - \text{TPR}) + \delta$. (For $\delta = 0$ these are the two inequalities of {prf:ref}`thm-attacker`.)
#
# % Figure: The best that any attacker of membership can do against each ε.

# %% mystnb={"image": {"alt": "Largest true positive rate over false positive rate from 0.001 to 1 on logarithmic axes, for epsilon 1, 2, 4 and 8, above the diagonal of guessing. At 1% false positives epsilon 1 allows 2.7%, epsilon 4 allows 55% and epsilon 8 nearly everything."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(5.6, 3.4))
rates = np.geomspace(1e-3, 1, 200)
for epsilon in (1, 2, 4, 8):
    axes.loglog(rates, [rate_ceiling(epsilon, 1e-4, f) for f in rates.tolist()], marker="", label=f"ε = {epsilon:g}")
axes.loglog(rates, rates, color="grey", linestyle="--", marker="", label="guessing")
axes.axvline(0.01, color="black", linestyle=":", marker="")
axes.set(xlabel="false positive rate", ylabel="true positive rate, at most", ylim=(1e-3, 1.2))
axes.legend(loc="lower right", fontsize=8)
plt.show()
glue("at_one", 100 * rate_ceiling(1.0, 1e-4), display=False)
glue("at_four", 100 * rate_ceiling(4.0, 1e-4), display=False)

# %% [markdown]
# At $\varepsilon = 1$ (and $\delta = 10^{-4}$) a person who was in it is found with a probability of at most {glue:text}`at_one:.1f`%, over trainings, at 1% false alarms. At 4 it could be {glue:text}`at_four:.0f`%, and at 8 the bound says almost nothing. That does not mean that an attack *does* find her: the bound must hold for every graph, every person and every attack. A failed attack proves no $\varepsilon$, and a large $\varepsilon$ does not prove that an attack exists.
#
# The bound is about one person, a bar set beforehand, and many trainings. Our tables count many people in one training. If each has a coin of her own, as here, the bound holds for the *expected* shares too (it is concave in $f$, so averaging over people keeps it): everybody is a canary, in the words of {doc}`04_canaries`. One table may lie above it by chance, or because its bar was set on the same people. If membership follows the class, or the questions follow membership, no $\varepsilon$ bounds what is measured.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-04m-ceiling
# ```
# % Exercise: 20 minutes, ●●: from epsilon to an AUC
# *(With a checker.)* Write `largest_auc(epsilon)`: the largest AUC that pure $\varepsilon$-DP for a node allows in a fair game about one person. (The AUC is then the chance that her score after a training with her is above one after a training without her; ties count half.) Draw the two lines of the bound above for $\delta = 0$ first; where do they meet? Where have you seen the answer before?
# ```{exercise-end}
# ```

# %%
from privgraph.teach.checkers import check_ceiling

def check(largest_auc):
    check_ceiling(largest_auc, delta=False, thorough=True)


# %% [markdown]
# ```{solution-start} ex-04m-ceiling
# :class: dropdown
# ```

# %%
def largest_auc(epsilon):
    return math.exp(epsilon) / (1 + math.exp(epsilon))

check(largest_auc)
print(f"epsilon 1: AUC at most {largest_auc(1.0):.3f}")

# %% [markdown]
# The lines $e^\varepsilon f$ and $1 - e^{-\varepsilon}(1 - f)$ meet at $f = \frac{1}{1 + e^\varepsilon}$, where both are $c = \frac{e^\varepsilon}{1 + e^\varepsilon}$. The area under the two is $\frac12 + \frac12 (c - f) = c$: the ceiling for guesses on canaries. Randomised response attains the corner: it accuses with probability $c$ if she is in, and $1 - c$ if not.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-04m-overfit
# ```
# % Exercise: 10 minutes, ●: overfitting and membership
# Train the target for 10 epochs instead of 100, and for 300. How do the accuracy on others and the AUC of the plain confidence move? Is stopping early a protection?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-04m-overfit
# :class: dropdown
# ```

# %%
own = induced(data, member.nonzero().view(-1))
for epochs in (10, 300):
    everyone = torch.arange(own.num_nodes)
    net = NodeClassifier(epochs=epochs).fit(own.x, own.edge_index, everyone, own.y,
                                            own.num_classes, seeded(2))
    said = net.predict_proba(data)
    auc = evaluate_attack(confidence(said, data.y), member).auc
    right = [f"{accuracy(said, data.y, who):.0f} %" for who in (member, ~member)]
    print(f"{epochs} epochs: members {right[0]}, others {right[1]}, AUC {auc:.2f}")

# %% [markdown]
# Ten epochs leave a smaller gap, at no cost in accuracy on others (one training each). But no $\varepsilon$ follows: an attack with more shadow models, or on an unusual person, may still find what this one does not.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-04m-graph
# ```
# % Exercise: 20 minutes, ●●●: a fair game, and an unfair one
# Our attacker asks about everybody on the *whole* graph. How do AUC and TPR change if a member is asked about on the members' graph, and another person on the others' graph? Why is that an unfair game? Would a stranger warn us?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-04m-graph
# :class: dropdown
# ```

# %%
own, rest = (induced(data, who.nonzero().view(-1)) for who in (member, ~member))
parts = [target.predict_proba(g) for g in (own, rest)]
labels = torch.cat([own.y, rest.y])
in_own = torch.arange(everybody) < own.num_nodes
asked_apart = evaluate_attack(confidence(torch.cat(parts), labels), in_own)
print("asked on two graphs:", asked_apart)
print("asked on one graph: ", evaluate_attack(sure, member))

# %% [markdown]
# The attacker needs to know who is a member in order to build the two graphs, which is what she wants to find out. And members are then asked about with exactly the neighbours that they had in training. The *question* depends on the secret, so the answer is no post-processing of the network, and $\varepsilon$ would not bound it. A stranger would not warn us here: two parts drawn by coin look alike to it.
# ```{solution-end}
# ```
#
# ## Summary
#
# - Networks tend to be surer of those they have seen. Membership attacks measure that.
# - Draw members by coin, and ask about all in the same way. Else other differences are counted as membership. A stranger can show that, but need not.
# - On one network for Cora, many shadow models make a better attacker than one bar for all, from the same answers. A weak attack proves nothing.
# - $\varepsilon$ for a node bounds the true positive rate by $e^\varepsilon f + \delta$. From about 5 on that says next to nothing at $f = 1\%$.
#
# **Further reading.** {cite}`shokri2017membership`, {cite}`olatunji2021membership`, {cite}`carlini2022membership`, and for the bound {cite}`kairouz2015composition`.
