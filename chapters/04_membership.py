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
# Networks tend to be more confident about people they were trained on, so their answers can reveal who was in the training set. On one network for Cora, an attack with twelve shadow models (networks that the attacker trains) has an AUC of {glue:text}`many_auc:.2f`. One threshold of confidence for all people has {glue:text}`plain_auc:.2f`. An $\varepsilon$ for a node bounds the true positive rate by $e^\varepsilon f + \delta$, where $f$ is the false positive rate.
#
# :::{admonition} What you will learn
# :class: tip
# - how the answers of a network reveal whom it was trained on;
# - what makes a game fair, namely members drawn by fair coins, and the same questions about everybody;
# - how two attacks work, with one shadow model and with the likelihood ratio of many;
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
# A clinic trains a network on its patients and lets anybody ask it. Everybody in the training set is a patient. The secret is therefore not a record's content, but its *membership*, that is, whether it was in the training set.
#
# The attack is a game. A fair coin is flipped for each person, and a network is trained on the people with heads, the **members**. The attacker gives everybody a score, and {doc}`the AUC <04_attacks>` measures how well these scores rank members above others.
#
# | | known to the attacker |
# |---|---|
# | everybody's features, labels and edges | yes, the attacker sends the whole graph and asks about all of it |
# | the kind of network, and how it is trained | yes |
# | the network's weights | no, only its answers (probabilities) |
# | the coin flips | no, they are the secret |
#
# (The nodes are papers, which we call people.)

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
# The network's *confidence* in a person is the log-odds $\ln \frac{p}{1-p}$ of the probability $p$ of their true class. For example, it is 0 for $p = 0.5$ and 4.6 for $p = 0.99$.
#
# % Figure: The network is right about {glue:text}`right_members:.0f` % of the members and {glue:text}`right_others:.0f` % of the others, and more confident about members, but the confidences overlap.

# %% mystnb={"image": {"alt": "Two histograms of the network's confidence in the true class, on a log-odds scale from about -10 to 20. Members lie to the right of others, and the two overlap widely."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(6.2, 2.6))
bins = np.linspace(-12, 22, 60)
axes.hist(sure[~member].clamp(-12, 22), bins, alpha=0.7, color=show.COLOURS["orange"], hatch="//", label="others")
axes.hist(sure[member].clamp(-12, 22), bins, alpha=0.6, color=show.COLOURS["blue"], label="members")
axes.set(xlabel="confidence: log-odds of the true class", ylabel="people")
axes.legend()
plt.show()

# %% [markdown]
# The network is right about {glue:text}`right_members:.0f` % of the members and {glue:text}`right_others:.0f` % of the others, and more confident about members. The simplest attacks use this difference.
#
# ## One shadow model
#
# The attacker does not know the members. However, attackers can play the game themselves, with members that they know. They flip coins, train a network (a **shadow model**), and learn how its answers for members differ from those for others {cite}`shokri2017membership`. For graph networks this attack was proposed in {cite}`olatunji2021membership`, and the authors of {doc}`PrivGNN <09_privgnn>` use it.

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
# (The *pairs* in the output are people here.) A further network, the *attack model*, learns the difference from the shadow model's answers. Its inputs are sorted probabilities, which show the confidence but not the class. (Our attacker trains it on people of the target's graph, but others would do.)
#
# The attack has an AUC of {glue:text}`one_auc:.2f`. At 1% FPR it finds a share of {glue:text}`one_tpr:.3f` of the members, about as many as guessing finds. The printed interval covers the people of this one training, and another training gives another AUC.
#
# ## A fair game
#
# Members and others must differ in *nothing but membership*, and this condition is easily violated. For example, suppose that a curator collects the same number of members from each class, and the others are the rest. An attacker who never uses the network, but knows everybody's class and this rule, accuses the rarest classes first, where the share of members is largest.

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
# The AUC of {glue:text}`class_auc:.2f` says nothing about the network. One way to detect such a flaw is to attack a **stranger**, a network whose training had nothing to do with membership.

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
# A stranger has no information about membership. Yet an attack does well on it that accuses whoever is predicted to have a rare class. This attack therefore does not detect membership. The shadow attack, which gets sorted probabilities without classes, is no better than guessing in either game. An AUC of 0.5 or less on a stranger is therefore no proof that a game is fair, whereas drawing members by fair coins makes it fair. (In the game of {doc}`PrivGNN's authors <09_privgnn>`, the others are public nodes, and we attack a stranger there too.)
#
# ## Many shadow models
#
# Every network is confident about some people, whether it was trained on them or not. One threshold for all accuses these people even if they are not members. The **likelihood ratio** {cite}`carlini2022membership` therefore tests each person separately. We train twelve shadow models, each with its own coin flips. About six of them saw a given person $v$, and about six did not. The next cell shows the person whose confidence varies most.

# %%
generator, halves, heard = seeded(9), [], []
for _ in range(12):
    halves.append(half(generator))
    shadow = trained_on(halves[-1], generator).predict_proba(data)
    heard.append(confidence(shadow, data.y))
seen = torch.stack(halves)
asked = (seen.any(0) & ~seen.all(0)).nonzero().view(-1)     # in some, not in all
v = int(asked[torch.stack(heard)[:, asked].std(0).argmax()])
for text, who in (("saw v:      ", True), ("did not:    ", False)):
    print(text, [round(float(h[v]), 1) for h, s in zip(heard, seen, strict=True)
                 if bool(s[v]) is who])
print(f"the target:  {float(sure[v]):.1f}; a member: {bool(member[v])}")

# %% [markdown]
# We model the confidences as normal, once for networks that saw $v$ (*in*) and once for the others (*out*). Each person has two means of their own, whereas all people share the two standard deviations, because six values are too few for standard deviations per person. The score of $v$ is then
#
# $$
# \text{score}(v) = \ln \frac{N(t_v;\ \mu_v^{\text{in}}, \sigma_{\text{in}}^2)}{N(t_v;\ \mu_v^{\text{out}}, \sigma_{\text{out}}^2)},
# $$
#
# where $t_v$ is the target's confidence in $v$ and $N(t; \mu, \sigma^2)$ is the density of the normal distribution.

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
# From the same answers and labels, one threshold has an AUC of {glue:text}`plain_auc:.2f`, and the likelihood ratio {glue:text}`many_auc:.2f`. At 1% FPR they find {glue:text}`plain_tpr:.0f` % and {glue:text}`many_tpr:.0f` % of the members. The attacker has only trained twelve more networks. A weak attack is therefore no evidence of privacy. (This attack does not need a difference *on average*, because it could also detect that confidence rises for some members and falls for others.)
#
# The authors of {cite}`olatunji2021membership` find that graph networks leak more than other networks, and give the graph structure as the reason. We test this on 5,000 nodes of Amazon Computers (goods bought together) with 32 shadow models of 200 epochs, in runs from the ledger. We use {glue:text}`seeds` seeds, with 95% intervals over them, and the same coin flips for both networks.

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
# GraphSAGE leaks more, by {glue:text}`gap` points of AUC, although it is also the more accurate one on non-members. However, the two networks differ in layers and normalisation, so this does not show that the edges are the reason.
#
# ## What epsilon promises
#
# Let the training be $(\varepsilon, \delta)$-differentially private for a **node**, added or removed with its features, its label and all its edges. (An $\varepsilon$ for an edge or for a label promises less.) Let the attacker see the network, or its answers to questions that do not depend on the coin flips, and accuse people by a rule that was fixed beforehand. Suppose that the rule accuses a person who was not in the training set with probability $f$. If the person was in it, the rule accuses them with probability at most
#
# $$
# \min\big(e^{\varepsilon} f + \delta,\ 1 - e^{-\varepsilon} (1 - f - \delta)\big).
# $$ (eq-rate)
#
# The first term is the definition for the outputs at which the person is accused. The second term applies it to all other outputs, with the two neighbours exchanged, which gives $1 - f \le e^{\varepsilon} (1 - \text{TPR}) + \delta$. (For $\delta = 0$ these are the two inequalities of {prf:ref}`thm-attacker`.)
#
# % Figure: At 1 % false positives, ε = 1 lets no attack find a member with a probability above {glue:text}`at_one:.1f` %, whereas ε = 4 allows {glue:text}`at_four:.0f` %.

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
# At $\varepsilon = 1$ (and $\delta = 10^{-4}$) and 1% FPR, an attack finds a member in at most {glue:text}`at_one:.1f` % of all trainings on average. At $\varepsilon = 4$ this could be {glue:text}`at_four:.0f` %, and at 8 the bound says almost nothing. This does not mean that an attack *does* find the person, because the bound must hold for every graph, every person and every attack. A failed attack proves no $\varepsilon$, and a large $\varepsilon$ does not prove that an attack exists.
#
# The bound is about one person, a threshold set beforehand, and many trainings. Our tables count many people in one training. If each person has a coin of their own, as here, the bound also holds for the *expected* TPR and FPR (it is concave in $f$, so averaging over people keeps it). Everybody is then a {doc}`canary <04_canaries>`. A single table may lie above the bound by chance, or because its threshold was set on the same people. If membership depends on the class, or if the questions depend on membership, no $\varepsilon$ bounds the measured score.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-04m-ceiling
# ```
# % Exercise: 20 minutes, ●●: from epsilon to an AUC
# *(With a checker.)* Write `largest_auc(epsilon)`, the largest AUC that pure $\varepsilon$-DP for a node allows in a fair game about one person. (The AUC is then the probability that the person's score after a training with them exceeds a score after a training without them; ties count half.) First draw the two lines of the bound above for $\delta = 0$. Where do they meet? Where have you seen this AUC before?
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
# The lines $e^\varepsilon f$ and $1 - e^{-\varepsilon}(1 - f)$ meet at $f = \frac{1}{1 + e^\varepsilon}$, where both are $c = \frac{e^\varepsilon}{1 + e^\varepsilon}$. The area under both is $\frac12 + \frac12 (c - f) = c$, which is the ceiling for guesses on canaries. Randomised response attains the corner, because it accuses with probability $c$ if the person is in, and with probability $1 - c$ if not.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-04m-overfit
# ```
# % Exercise: 10 minutes, ●: overfitting and membership
# Train the target for 10 epochs instead of 100, and for 300. How do the accuracy on others and the AUC of the plain confidence change? Is stopping early a protection?
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
# Ten epochs leave a smaller gap, at no cost in accuracy on others (one training each). However, no $\varepsilon$ follows, because an attack with more shadow models, or on an unusual person, may still find what this one misses.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-04m-graph
# ```
# % Exercise: 20 minutes, ●●●: a fair game, and an unfair one
# Our attacker asks about everybody on the *whole* graph. How do AUC and TPR change if the network reads the members' graph when a member is asked about, and otherwise that of the others? Why is that an unfair game? Would a stranger warn us?
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
# To build the two graphs, the attacker needs to know who is a member, which is the secret. Moreover, members are then asked about with exactly the neighbours that they had in training. The *question* depends on the secret, so the answer is no post-processing of the network, and $\varepsilon$ would not bound the attack. A stranger would not warn us here, because two parts drawn by fair coins look alike to it.
# ```{solution-end}
# ```
#
# ## Summary
#
# - Networks tend to be more confident about people they were trained on, and membership attacks measure this.
# - Draw the members by fair coins, and ask about everybody in the same way. Otherwise other differences are counted as membership. A stranger can reveal such a difference, but not always.
# - On one network for Cora, an attack with many shadow models has a higher AUC than one threshold for all people, from the same answers. A weak attack proves nothing.
# - An $\varepsilon$ for a node bounds the true positive rate by $e^\varepsilon f + \delta$. From about $\varepsilon = 5$ on, the bound says next to nothing at $f = 1\%$.
#
# **Further reading.** {cite}`shokri2017membership`, {cite}`olatunji2021membership`, {cite}`carlini2022membership`, and for the bound {cite}`kairouz2015composition`.
