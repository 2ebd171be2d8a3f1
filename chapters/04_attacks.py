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
# # Attacks: who is linked to whom?
#
# :::{admonition} What you will learn
# :class: tip
# - how an attacker finds out who is linked to whom, from nothing but a trained network's answers;
# - how to score an attack: which pairs to ask about, what an AUC counts, and why it needs company;
# - three kinds of attacker: those who know public things only, those who compare answers, those who ask back;
# - why a weak attack is no evidence of privacy;
# - how to plant *canaries*, the only pairs on which $\varepsilon$ bounds what an attack can score.
#
# **You need** {doc}`01_graphs_and_message_passing`, {doc}`02_differential_privacy` and {doc}`03_what_a_graph_can_leak`. **Time:** 45 minutes.
# :::

# %% tags=["hide-input"]
import math
import time
from dataclasses import replace
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.patches import FancyBboxPatch
from myst_nb import glue
from scipy.stats import binomtest
from sklearn.metrics import roc_curve

from privgraph import attacks, datasets, experiments, graph, show
from privgraph.audit import statistical
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods import LPGNN
from privgraph.nn import BACKBONES, Backbone, accuracy
from privgraph.randomness import seeded

show.use_style()
BLUE, ORANGE, GREEN, GREY = (
    show.COLOURS[c] for c in ("blue", "orange", "green", "grey"))

# %% [markdown]
# ## The problem in one picture
#
# Six people are friends, or not. A service has trained a graph network on their friendships. It keeps the friendships secret and answers questions: send it everybody's features, and it returns a prediction for everybody. Such a door is called an *interface*. An attacker has a list of pairs, and one question about each.
#
# % Figure: The game: the attacker asks the network, and says which pairs are friends.

# %% mystnb={"image": {"alt": "Left, six people with seven dashed, secret friendships. In the middle a box, the trained network, with an arrow from the graph into it. Right, the attacker with three pairs, 0 and 1, 0 and 4, 3 and 5, each with a question mark. She sends features to the network and gets predictions back."}} tags=["hide-input"]
friends = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]
places = {0: (0, 2), 1: (0, 0), 2: (1, 1), 3: (2.2, 1), 4: (3.2, 2), 5: (3.2, 0)}
figure, axes = plt.subplots(figsize=(8.6, 2.7))
for u, v in friends:
    axes.plot(*zip(places[u], places[v], strict=True), color=GREY, linestyle="--", marker="",
              zorder=1)
for v, (across, up) in places.items():
    axes.scatter(across, up, s=480, color="#CFE8F7", edgecolor="black", zorder=2)
    axes.text(across, up, v, ha="center", va="center", zorder=3)
axes.text(1.6, -0.75, "the secret: who is linked", ha="center")
axes.add_patch(FancyBboxPatch((4.9, 0.5), 1.7, 1.0, boxstyle="round,pad=0.08",
                              facecolor="#F7D9C4", edgecolor="black"))
axes.text(5.75, 1.0, "trained\nnetwork", ha="center", va="center")
for start, end, text, place in (
        ((3.7, 1), (4.75, 1), "trained on", (4.2, 1.22)),
        ((8.3, 1.35), (6.75, 1.35), "features", (7.5, 1.55)),
        ((6.75, 0.65), (8.3, 0.65), "predictions", (7.5, 0.2))):
    axes.annotate("", end, start, arrowprops=dict(arrowstyle="-|>", color="black"))
    axes.text(*place, text, ha="center", fontsize=9.5)
for row, (u, v) in enumerate([(0, 1), (0, 4), (3, 5)]):
    axes.text(9.2, 1.75 - 0.75 * row, f"{u} – {v} ?", ha="center", va="center")
axes.text(9.2, -0.75, "the attacker's pairs", ha="center")
axes.set(xlim=(-0.5, 10.2), ylim=(-1.1, 2.5))
axes.axis("off")
plt.show()

# %% [markdown]
# {doc}`03_what_a_graph_can_leak` showed the principle: message passing moves people's data to their friends, and published averages can be solved for the friendships. A network does not average so neatly. It can be attacked all the same. Who attacks, and with what?
#
# | attacker | knows features | uses the interface | section |
# |---|---|---|---|
# | similar features | yes | no | *who know nothing* |
# | many friends | no, but how many friends each person has | no | *who know nothing* |
# | same group | no, but each person's group | no | *who know nothing* |
# | similar answers | no | reads the answers | *similar answers* |
# | LinkTeller | yes, to send them | sends changed features, compares answers | *asking back* |
#
# All of them give each pair a **score**: the higher, the more likely an edge. To give scores, nobody needs to know any true friendship. *We* need them, to see how often the scores are right.
#
# ## Scoring an attack honestly
#
# ### A count of wins
#
# Take four pairs that are edges and four that are not. An attacker gave them these scores. Is she good?

# %%
edges_got, others_got = [0.9, 0.8, 0.5, 0.3], [0.7, 0.5, 0.2, 0.1]
wins = sum(1.0 if e > o else 0.5 if e == o else 0.0
           for e in edges_got for o in others_got)
scores = torch.tensor(edges_got + others_got)
linked = torch.tensor([True] * 4 + [False] * 4)
result = attacks.evaluate_attack(scores, linked)
print(f"{wins} of 16 matches won: {wins / 16:.3f};  library: {result.auc:.3f}")
assert math.isclose(result.auc, wins / 16)

# %% [markdown]
# We let every edge meet every non-edge, 16 matches. The edge wins if it has the higher score; a tie counts half. The share of wins is the **AUC**: the chance that a random edge is ranked above a random non-edge. An attacker who is always right has 1, one who rolls dice 0.5.
#
# The letters stand for *area under the curve*. Here is the curve. Lower a bar through the scores, and accuse every pair above it. The share of edges accused is the *true positive rate* (TPR), the share of non-edges the *false positive rate* (FPR).
#
# % Figure: The ROC curve of eight scores; the shaded area is the AUC.

# %% mystnb={"image": {"alt": "The ROC curve of the eight scores, a staircase with one slanted step where a tie is, from 0,0 to 1,1, above the dashed diagonal of guessing. The area under it is shaded."}} tags=["hide-input"]
false_rate, true_rate, _ = roc_curve(linked, scores, drop_intermediate=False)
figure, axes = plt.subplots(figsize=(3.6, 3.2))
axes.plot(false_rate, true_rate, color=BLUE)
axes.fill_between(false_rate, true_rate, color=BLUE, alpha=0.15, linewidth=0)
axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", marker="")
axes.text(0.55, 0.32, f"area {result.auc:.3f}")
axes.set(xlabel="FPR: non-edges accused", ylabel="TPR: edges accused")
plt.show()

# %% [markdown]
# Each square of the staircase is one match, so the area is the share of wins.
#
# An AUC averages over all bars, low and high. But almost all pairs of a large graph are non-edges. With a few thousand people, to accuse 1% of the non-edges is to accuse tens of thousands of innocent pairs. So we also report the **TPR at 1% FPR**: how many edges are found while at most 1% of the non-edges are accused. For attacks on privacy it is the more telling number: a few people found for certain are worse than everybody suspected a little {cite}`carlini2022membership`.
#
# And both are estimates, from a sample of pairs. The library adds 95% intervals (for the AUC by {cite}`delong1988comparing`): what would all pairs give, if these were drawn at random?
#
# ### Which pairs?
#
# We draw 500 edges, all equally likely, and 500 non-edges, all equally likely. That is easily said.

# %%
data = datasets.split(datasets.default(), seeded(0))
n, edge_index = data.num_nodes, data.edge_index
sample = attacks.sample_pairs(edge_index, n, 500, seeded(4))
degree = graph.degrees(edge_index, n)
print(f"{len(sample.linked)} pairs, {int(sample.linked.sum())} of them edges")
all_pairs = n * (n - 1) // 2
glue("graph_name", data.name, display=False)
glue("people", f"{n:,}", display=False)
glue("edges", f"{edge_index.size(1) // 2:,}", display=False)
glue("all_pairs", f"{all_pairs / 1e6:.2f}", display=False)
glue("accused", f"{(all_pairs - edge_index.size(1) // 2) // 100:,}", display=False)

# %%
show.banner(data)


# %% [markdown]
# ({glue:text}`graph_name` has {glue:text}`edges` edges among {glue:text}`all_pairs` million pairs of {glue:text}`people` people; 1% of its non-edges are {glue:text}`accused`.)
#
# It is easily *done* differently, too. To list all non-edges takes memory, so one is tempted to list a part. The released code of GraphPrivatizer {cite}`joshi2024graphprivatizer` lists all zeros of the adjacency matrix, row by row, and then shuffles and uses only as many of them, from the top, as there are ones. (The paper says that pairs are sampled at random, which was surely the intention.) Which people are in these pairs?

# %%
def first_non_edges(edge_index, n, count, generator, rows=20):
    """`count` of the first zeros of A, row by row; as many zeros as A has ones."""
    top = torch.ones(rows, n, dtype=torch.bool)
    near = edge_index[:, edge_index[0] < rows]
    top[near[0], near[1]] = False
    zeros = top.nonzero()[:edge_index.size(1)]
    assert len(zeros) == edge_index.size(1), "more rows are needed"
    return zeros[torch.randperm(len(zeros), generator=generator)[:count]].t()

pairs = first_non_edges(edge_index, n, 500, seeded(0))
print("first ends of the 500 non-edges:", pairs[0].unique().tolist())
glue("first_ends", len(pairs[0].unique()), display=False)
assert len(pairs[0].unique()) <= 6


# %% [markdown]
# Only {glue:text}`first_ends` people of {glue:text}`people`: those who happen to come first in the file. What an attack scores now depends on these few. To see how much, we shuffle the *file*. The graph stays the same, and so does the attacker, who scores a pair by the product of the two degrees.

# %%
def degree_auc(others, generator):
    asked = torch.cat([graph.sample_edges(edge_index, 500, generator), others], 1)
    score = attacks.degree_product(degree, asked)
    return attacks.evaluate_attack(score, torch.arange(1000) < 500).auc

generator, uniform, shuffled = seeded(1), [], []
for _ in range(100):
    others = graph.sample_non_edges(edge_index, n, 500, generator)
    uniform.append(degree_auc(others, generator))
    order = torch.randperm(n, generator=generator)     # order[i]: who comes i-th
    file = order.argsort()[edge_index]
    others = order[first_non_edges(file, n, 500, generator)]
    shuffled.append(degree_auc(others, generator))
spread = float(np.std(shuffled) / np.std(uniform))
print(f"uniform non-edges:     AUC from {min(uniform):.2f} to {max(uniform):.2f}")
print(f"from the first people: AUC from {min(shuffled):.2f} to {max(shuffled):.2f}")
glue("spread", spread, display=False)
glue("shuffled_low", min(shuffled), display=False)
glue("shuffled_high", max(shuffled), display=False)
assert spread > 3

# %% [markdown]
# % Figure: The same attacker, judged by two choices of non-edges.

# %% mystnb={"image": {"alt": "Two histograms of the AUC of the same attacker on the same graph. With uniform non-edges all hundred values lie close together near 0.8. With non-edges from the first people of a shuffled file they spread from below 0.7 to above 0.9."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(6.2, 2.8))
bins = np.linspace(0.45, 1.0, 45)
axes.hist(shuffled, bins, color=ORANGE, alpha=0.7, hatch="//",
          label="from the first people")
axes.hist(uniform, bins, color=BLUE, alpha=0.7, label="uniform non-edges")
axes.set(xlabel="AUC of the degree attacker", ylabel="samples (of 100)")
axes.legend(loc="upper left")
plt.show()


# %% [markdown]
# Same graph, same attacker, and an AUC anywhere from {glue:text}`shuffled_low:.2f` to {glue:text}`shuffled_high:.2f`, {glue:text}`spread:.0f` times the spread of honest sampling. And as the file is not shuffled between runs, repeating the experiment does not show it: the error is the same each time, so intervals over seeds miss it. We draw uniformly.
#
# ## The attackers who know nothing
#
# Before we attack anything, a control. Let there be *no release at all*: no network, no report, nothing. Three attackers use what may be public anyway: people's features (say, their profiles), the number of their friends, or their group.

# %%
def features_score(pairs):
    return attacks.feature_similarity(data.x, pairs)

def degrees_score(pairs):
    return attacks.degree_product(degree, pairs)

def groups_score(pairs):
    return (data.y[pairs[0]] == data.y[pairs[1]]).double()

references = {"similar features": features_score, "many friends": degrees_score,
              "same group": groups_score}
nothing = {name: attacks.evaluate_attack(score(sample.pairs), sample.linked)
           for name, score in references.items()}

def report(results):
    return show.table([{"attacker": name, "AUC": f"{r.auc:.3f}",
                        "95% interval": f"{r.auc_low:.3f} to {r.auc_high:.3f}",
                        "TPR at 1% FPR": f"{r.tpr_at_1_fpr:.3f}"}
                       for name, r in results.items()])

report(nothing)

# %% tags=["remove-cell"]
glue("least_nothing", min(r.auc for r in nothing.values()), display=False)
glue("features_auc", nothing["similar features"].auc, display=False)
assert all(r.auc_low > 0.7 for r in nothing.values())
assert nothing["same group"].tpr_at_1_fpr == 0

# %% [markdown]
# None of them is below {glue:text}`least_nothing:.2f`, and nothing has leaked! Friends resemble each other (*homophily*), so similar features suggest a friendship. And people with many friends are on many edges, so two of them are likelier to be linked. (The group attacker has only two scores. She can accuse everybody in the same group or nobody, and the first is far more than 1%.)
#
# **The first moral: an AUC means nothing without the attacker who knows nothing beside it.** A paper that reports "the attack reaches 0.80" for a private release has not yet said that the release leaks. If the features are public, 0.80 was there before.
#
# What *is* public is for the situation to say. In {doc}`06_lpgnn` features are private, and people send noisy reports of them. An attacker with these reports alone:

# %%
method = LPGNN.as_published(backbone="gcn", epsilon_x=3.0, epsilon_y=3.0, epochs=50)
release = method.collect(data, seeded(1))
noisy = attacks.evaluate_attack(
    attacks.feature_similarity(release.estimate(), sample.pairs), sample.linked)
print("similar reports:", noisy)
assert noisy.auc_high < 0.56

# %% [markdown]
# Each report is almost all noise, and there is almost nothing to compare.
#
# ## Similar answers
#
# Now the network. {doc}`06_lpgnn` explains how LPGNN trains one on noisy features and labels; here it is enough that it *knows all edges* and that nothing protects them. (`as_published` is the paper's setting, with 50 epochs where it has 100, to save you time.)

# %%
fitted = method.learn(release, seeded(2))
posteriors = fitted.predict_proba()
print(f"test accuracy {accuracy(posteriors, data.y, data.test_mask):.1f} %")
sure = posteriors.amax(1)[sample.pairs[:, sample.linked]].sum(0)
pair = sample.pairs[:, sample.linked][:, sure.argmin()]
u, v = pair.tolist()              # the edge about whose ends it is least sure
for person in (u, v):
    print(person, [round(p, 3) for p in posteriors[person].tolist()])


# %% [markdown]
# For each person the network answers with a **posterior**: a probability for each group. A graph network averages over friends, so friends get similar answers. Turn this round: people with similar answers may be friends. This is *link stealing* {cite}`he2021stealing`. How similar are two posteriors? Its authors try eight distances. Here they are, for one pair, by hand.

# %%
def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))

def angle(a, b):
    return 1 - dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))

def centre(a):
    return [x - sum(a) / len(a) for x in a]

def by_hand(p, q):
    """The eight distances of two lists of probabilities."""
    gaps = [abs(x - y) for x, y in zip(p, q, strict=True)]
    return {"cosine": angle(p, q), "correlation": angle(centre(p), centre(q)),
            "euclidean": math.sqrt(dot(gaps, gaps)), "sqeuclidean": dot(gaps, gaps),
            "cityblock": sum(gaps), "chebyshev": max(gaps),
            "braycurtis": sum(gaps) / sum(x + y for x, y in zip(p, q, strict=True)),
            "canberra": sum(gap / (x + y)
                            for gap, x, y in zip(gaps, p, q, strict=True) if gap)}

slow = by_hand(posteriors[u].double().tolist(), posteriors[v].double().tolist())
for name, distance in slow.items():
    fast = -float(attacks.posterior_similarity(posteriors, pair[:, None], name))
    assert math.isclose(distance, fast, rel_tol=1e-9, abs_tol=1e-12), name
print("eight distances agree;", ", ".join(f"{k} {d:.4f}" for k, d in slow.items()))

# %% [markdown]
# The score is minus the distance. Most of the eight order the pairs almost alike, so we keep one, the correlation. GraphPrivatizer calls this attack LSA2.
#
# Which reference belongs beside it? An attacker who knows nothing of the graph, but reads a network's answers. So we train a second network that is the same but for the edges: it sees true features and true labels, and *no edge*, neither in training nor in answering.

# %%
blind = LPGNN.as_published(backbone="mlp", epsilon_x=math.inf, epsilon_y=math.inf,
                           x_steps=0, y_steps=0, epochs=50)
clean = blind.collect(data, seeded(1))                    # nothing is noisy here
blind_posteriors = blind.learn(clean, seeded(2)).predict_proba()

def answers_score(pairs):
    return attacks.posterior_similarity(posteriors, pairs)

def blind_score(pairs):
    return attacks.posterior_similarity(blind_posteriors, pairs)

similar = {"similar answers of the network": answers_score,
           "similar answers, no edge used": blind_score}
answered = {name: attacks.evaluate_attack(score(sample.pairs), sample.linked)
            for name, score in similar.items()}
report(answered | {"same group (no release)": nothing["same group"]})

# %% tags=["remove-cell"]
lsa, blind_lsa = answered.values()
glue("lsa", lsa.auc, display=False)
glue("lsa_tpr", lsa.tpr_at_1_fpr, display=False)
glue("blind_lsa", blind_lsa.auc, display=False)
assert lsa.auc_low > blind_lsa.auc_high
assert abs(blind_lsa.auc - nothing["same group"].auc) < 0.06
assert lsa.tpr_at_1_fpr < 0.5

# %% [markdown]
# {glue:text}`blind_lsa:.2f` of the {glue:text}`lsa:.2f` come without any edge: the answers tell the group, and the group tells the rest. Only what is above that is the network's doing. And at 1% false alarms the attack finds a share of {glue:text}`lsa_tpr:.2f` of the edges: too many people who are not linked get the very same answer. It knows who *could* be friends. It does not know who is.
#
# ## Asking back: LinkTeller
#
# LinkTeller {cite}`wu2022linkteller` does not wait for answers, it asks. Turn up one person's features a little, and see whose answers move. In a network with message passing they are those of her friends (and, more weakly, of her friends' friends).
#
# ### By hand
#
# The five people of {doc}`01_graphs_and_message_passing`, with four features each, and a small GCN of two layers. Its weights are random; trained ones would do the same. What it returns are **logits**: one number a class, which a softmax would turn into probabilities.

# %%
x = torch.tensor([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1],
                  [0, 0, 1, 1.0]])
net = Backbone("gcn", 4, 2, hidden=8, generator=seeded(3)).eval()

@torch.no_grad()
def logits(x):
    return net(net.prepare(x, show.TOY_EDGES))

def turn_up(person, step=0.001):
    """How fast everybody's logits move when one person's features grow: [5]."""
    louder = x.clone()
    louder[person] *= 1 + step
    return ((logits(louder) - logits(x)) / step).norm(dim=1)

print("before ", [round(z, 4) for z in logits(x)[1].tolist()])
louder = x.clone()
louder[0] *= 1.001
print("after  ", [round(z, 4) for z in logits(louder)[1].tolist()])
print("person 0 moves person 1 at a rate of", round(float(turn_up(0)[1]), 2))

# %% [markdown]
# Two forward passes, one difference. All five in turn give the *influence matrix*:
#
# % Figure: Influence in the toy graph: beyond two steps there is none.

# %% mystnb={"image": {"alt": "Left, the toy graph, a triangle 0-1-2 with a tail 2-3-4. Right, the five by five influence matrix. Friends and friends' friends have positive entries. The entries between 0 and 4 and between 1 and 4 are exactly 0."}} tags=["hide-input"]
influence = torch.stack([turn_up(v) for v in range(5)], dim=1)  # [watched, turned]
figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3), width_ratios=(1.3, 1))
show.draw_graph(left, show.TOY_EDGES, show.TOY_POSITIONS)
show.heat(right, influence, range(5), range(5), cmap="Blues", origin="upper", aspect="equal",
          text=lambda value: f"{value:.2f}" if value else "0", fontsize=9.5)
right.set(xlabel="whose features are turned up", ylabel="whose answer is watched")
plt.show()

# %%
steps = torch.linalg.matrix_power(torch.eye(5) + graph.adjacency(
    show.TOY_EDGES, 5, "sum").to_dense(), 2)
assert ((influence > 0) == (steps > 0)).all()
print("never moved by each other:",
      [(u, v) for u, v in combinations(range(5), 2) if influence[u, v] == 0])

# %% [markdown]
# Zero, not just small: two layers carry a message over two hops, and no further. People three or more hops apart never move each other, and almost all non-edges of a large graph are such pairs. The attacker rules them out at a glance.
#
# ### Fast
#
# The difference above is a step towards a derivative, so we can take the derivative itself:
#
# $$
# s(u, v) = \left\lVert \frac{d}{dt}\, f_u\big(X + t\, e_v x_v^{\top}\big) \right\rVert_2 \quad \text{at } t = 0 ,
# $$ (eq-linkteller)
#
# where $f_u$ are the logits of $u$ and $e_v x_v^{\top}$ is a matrix with the features of $v$ in row $v$ and zeros elsewhere. Only nodes between $v$ and $u$ matter for it, so the library needs one pass for all pairs, and there is neither a step size to choose nor a small difference of large numbers to be rounded.

# %%
grid = torch.cartesian_prod(torch.arange(5), torch.arange(5)).t()
exact = attacks.linkteller(net, x, show.TOY_EDGES, grid).view(5, 5)
assert torch.allclose(exact, influence, atol=2e-3)
assert ((exact == 0) == (influence == 0)).all()
print("largest difference from two forward passes:",
      "below 0.002" if (exact - influence).abs().max() < 2e-3 else "too large")

# %% [markdown]
# Now on {glue:text}`graph_name`, with the network from above. The attacker sends the inputs on which it was trained, that is, the noisy features after the server has averaged them along the edges 16 times ("KProp"). What does a pair cost with two forward passes, and what by {eq}`eq-linkteller`?

# %% tags=["nbval-ignore-output"]
matrix = release.matrix()
sent = release.factored(matrix, method.x_steps)            # features after KProp
dense, few = sent.to_dense(), sample.pairs[:, 495:505]     # five edges, five others

@torch.no_grad()
def two_forwards(u, v, step=0.01):
    louder = dense.clone()
    louder[v] *= 1 + step
    after, before = (fitted.model(fitted.model.prepare(z, edge_index))
                     for z in (louder, dense))
    return ((after - before)[u] / step).norm()

start = time.perf_counter()
slow = torch.stack([two_forwards(u, v) for u, v in few.t().tolist()])
middle = time.perf_counter()
fast = attacks.linkteller(fitted.model, sent, edge_index, sample.pairs)
end = time.perf_counter()
ratio = (middle - start) / few.size(1) / ((end - middle) / sample.pairs.size(1))
print(f"a pair costs {ratio:,.0f} times as much with two forward passes")
assert (slow - fast[495:505]).abs().max() < 0.01 * fast.max() and ratio > 20

# %% [markdown]
# ### Six networks
#
# The same for six kinds of network, each trained on the same release.

# %%
heads = {"gat": 4}             # the others have one, as in GraphPrivatizer's code
networks = {"gcn": fitted}
for backbone in BACKBONES:
    if backbone != "gcn":
        other = replace(method, backbone=backbone, heads=heads.get(backbone, 1))
        networks[backbone] = other.learn(release, seeded(2))

# %%
told, rows = {}, []
for backbone, trained in networks.items():
    scores = attacks.linkteller(trained.model, sent, edge_index, sample.pairs)
    told[backbone] = attacks.evaluate_attack(scores, sample.linked)
    score = accuracy(trained.predict_proba(), data.y, data.test_mask)
    unheard = float((scores[sample.linked] == 0).float().mean())
    rows.append({"network": backbone, "accuracy": f"{score:.1f} %",
                 "LinkTeller: AUC": f"{told[backbone].auc:.3f}",
                 "TPR at 1% FPR": f"{told[backbone].tpr_at_1_fpr:.3f}",
                 "edges that move nothing": f"{unheard:.1%}"})
show.table(rows)

# %% tags=["remove-cell"]
weakest = min(told, key=lambda name: told[name].auc)
above = sum(r.auc > 0.98 for r in told.values())
glue("lt_gcn", told["gcn"].auc, display=False)
glue("lt_above", {4: "four", 5: "five", 6: "six"}[above])
glue("lt_gt", told["gt"].auc, display=False)
glue("lt_gt_unheard", rows[-1]["edges that move nothing"])
assert told["gcn"].auc > 0.995 and above >= 5 and weakest == "gt"
assert told["gcn"].tpr_at_1_fpr > 0.95
with torch.no_grad():
    attention = networks["gt"].model.first(dense, edge_index,
                                           return_attention_weights=True)[1][1]
assert float((attention == 0).float().mean()) > 0.1
glue("gt_attention", f"{float((attention == 0).float().mean()):.0%}")

# %% [markdown]
# An AUC above 0.98 for {glue:text}`lt_above` of six. Nothing protected the edges, and the attack says so. The transformer, `gt`, seems to resist a little ({glue:text}`lt_gt:.2f`). The last column tells why: {glue:text}`lt_gt_unheard` of the sampled edges move *nothing*. Its attention has saturated on the large noisy numbers. {glue:text}`gt_attention` of the weights of its first layer are exactly zero in the computer's arithmetic, and a friend who is never heard cannot be found by listening. That is an accident of training. Nobody promised it, and another run may lack it.
#
# ### What is an AUC of 1 worth?
#
# Suppose the attacker must name names. She knows how many friendships there are, ranks *all* pairs of the graph (LinkTeller: the sum of both directions), and names that many from the top. How many are right?

# %%
true_pairs = edge_index[:, edge_index[0] < edge_index[1]]
near = torch.cat([true_pairs, attacks.pairs.two_hop_pairs(edge_index, n)], 1)
both = sum(attacks.linkteller(fitted.model, sent, edge_index, asked)
           for asked in (near, near.flip(0)))             # all other pairs score 0
count = true_pairs.size(1)
named_lt = float((both.topk(count).indices < count).float().mean())

rows_of = posteriors.double() - posteriors.double().mean(1, keepdim=True)
rows_of = rows_of / rows_of.norm(dim=1, keepdim=True)
correlation = (rows_of @ rows_of.t()).triu(1)
places = correlation.flatten().topk(count).indices
is_edge = torch.zeros(n, n, dtype=torch.bool)
is_edge[edge_index[0], edge_index[1]] = True
named_lsa = float(is_edge.flatten()[places].float().mean())
print(f"right among {count:,} names: LinkTeller {named_lt:.0%}, "
      f"similar answers {named_lsa:.1%}, at random {count / all_pairs:.2%}")

# %% tags=["remove-cell"]
glue("named_lt", f"{named_lt:.0%}")
glue("named_lsa", f"{named_lsa:.1%}")
assert 0.4 < named_lt < 0.95 and named_lsa < 0.1

# %% [markdown]
# An AUC of {glue:text}`lt_gcn:.3f` becomes {glue:text}`named_lt`, and one of {glue:text}`lsa:.2f` becomes {glue:text}`named_lsa`. Among millions of pairs even a rare mistake is made often. So an AUC point is *not* "one per cent more edges found".
#
# ## What the interface answers matters
#
# All this was done with logits. Many services answer with posteriors instead, the logits after a softmax. And the attacker may have only the noisy reports to send, not what the server made of them with KProp. GraphPrivatizer's released code measures in this way: posteriors, on reports as they were sent. (The authors argue that in their setting nobody holds more than noisy features. They attack GraphSAGE by LSA2, because GraphSAGE may sample the friends it listens to; ours listens to all of them, so LinkTeller applies.) Four interfaces to the *same* six networks:

# %%
raw = release.factored(matrix, 0)                      # the reports, not smoothed
interfaces = {"logits, KProp": (sent, "logits"), "logits, reports": (raw, "logits"),
              "posteriors, KProp": (sent, "posteriors"),
              "posteriors, reports": (raw, "posteriors")}
names = {"gcn": "GCN", "sage": "SAGE", "graphconv": "GConv", "gat": "GAT",
         "gatv2": "GATv2", "gt": "GT"}
auc = {}
for (backbone, trained), (name, (inputs, output)) in product(
        networks.items(), interfaces.items()):
    scores = attacks.linkteller(trained.model, inputs, edge_index, sample.pairs,
                                output=output)
    auc[backbone, name] = attacks.evaluate_attack(scores, sample.linked).auc
rows = []
for backbone in networks:
    printed, = experiments.cells("graphprivatizer", "Table 6", dataset="Cora",
                                 backbone=names[backbone], epsilon="inf",
                                 metric="attack_auc")
    shown = f"{printed}" + " (LSA2)" * (backbone == "sage")
    rows.append({"network": backbone} | {
        name: f"{100 * auc[backbone, name]:.1f}" for name in interfaces
    } | {"printed for Cora": shown})
show.table(rows)

# %% tags=["remove-cell"]
for name, printed in (("gcn", "GCN"), ("gat", "GAT"), ("graphconv", "GConv")):
    cell, = experiments.cells("graphprivatizer", "Table 6", dataset="Cora",
                              backbone=printed, epsilon="inf", metric="attack_auc")
    glue(f"printed_{name}", cell.value, display=False)
    glue(f"weak_{name}", 100 * auc[name, "posteriors, reports"], display=False)
    glue(f"strong_{name}", 100 * auc[name, "logits, KProp"], display=False)
    assert auc[name, "logits, KProp"] - auc[name, "posteriors, reports"] > 0.04
assert auc["graphconv", "posteriors, reports"] < 0.65
assert auc["graphconv", "logits, KProp"] > 0.98

# %% [markdown]
# The last column prints GraphPrivatizer's Table 6 for LPGNN *without any edge privacy*: {glue:text}`printed_gcn:.1f` for GCN, {glue:text}`printed_gat:.1f` for GAT, {glue:text}`printed_graphconv:.1f` for GraphConv, the mean of ten runs of 100 epochs. Read by itself, this column could mean that a GraphConv hardly leaks. Through the weakest interface ours, from one run of 50 epochs, says the same ({glue:text}`weak_graphconv:.1f`). But ask this very network for its logits, and the AUC is {glue:text}`strong_graphconv:.1f`. ({doc}`08_sound_edges` repeats the comparison with the paper's settings and many seeds.)
#
# What happened to the edges? The softmax did. If one logit is far above the others, its probability is 1 to all digits that the computer keeps, and a small change of the logits changes nothing that can be seen.
#
# % Figure: Scores of the same attacker from logits and from posteriors.

# %% mystnb={"image": {"alt": "Scores of edges and of non-edges of the GraphConv network, on a logarithmic scale, with a bar at the left for scores of exactly zero. With logits the edges lie to the right and nearly all non-edges are zero. With posteriors most edges are zero too."}} tags=["hide-input"]
figure, panels = plt.subplots(1, 2, figsize=(8.4, 2.9), sharey=True)
bins = np.linspace(-12, 6, 37)
for axes, name in zip(panels, ("logits, KProp", "posteriors, KProp"), strict=True):
    inputs, output = interfaces[name]
    scores = attacks.linkteller(networks["graphconv"].model, inputs, edge_index,
                                sample.pairs, output=output)
    digits = scores.clamp_min(1e-11).log10().clamp_min(-11).numpy()
    for kind, colour, hatch, title in ((False, ORANGE, "//", "non-edges"),
                                       (True, BLUE, "", "edges")):
        axes.hist(digits[sample.linked.numpy() == kind], bins, color=colour,
                  alpha=0.65, hatch=hatch, label=title)
    axes.set(xlabel="score", title=name.split(",")[0], xticks=[-11, -8, -4, 0, 4],
             xticklabels=["0", "$10^{-8}$", "$10^{-4}$", "1", "$10^4$"])
panels[0].set_ylabel("pairs (of 500)")
panels[0].legend(loc="upper center")
plt.show()
silent = float((scores[sample.linked] < 1e-11).float().mean())
sure = networks["graphconv"].predict_proba().amax(1)
print(f"edges whose posteriors do not move: {silent:.0%}; people of whose group "
      f"the network is 99.9 % sure: {(sure > 0.999).float().mean():.0%}")

# %% tags=["remove-cell"]
glue("silent", f"{silent:.0%}")
assert silent > 0.5

# %% [markdown]
# For {glue:text}`silent` of the edges no change is left to see (the bar at 0). The information is still in the network. It was rounded away on the way out, for the people the network is sure about.
#
# **The second moral: a weak attack is no evidence of privacy.** It may be the attack that is weak. Who wants to show that something is safe has to try the best attack, and still has shown nothing about the next one. Only a proof speaks of all attacks.
#
# ## Hard pairs
#
# A uniform non-edge is an easy question. The two people are far apart, mostly in different groups. A harder one: two people who have a friend in common. Are they friends themselves? We draw non-edges uniformly among the pairs at distance two, keep the edges, and ask everybody again.

# %%
hard = attacks.sample_pairs(edge_index, n, 500, seeded(5), non_edges="two-hop")
print(f"non-edges at distance two: {near.size(1) - count:,} "
      f"of {all_pairs - count:,}")

def teller(name):
    inputs, output = interfaces[name]
    return lambda pairs: attacks.linkteller(fitted.model, inputs, edge_index, pairs,
                                            output=output)

everybody = references | {"similar answers": answers_score} | {
    f"LinkTeller, {name}": teller(name)
    for name in ("logits, KProp", "posteriors, KProp")}
fall = {name: [attacks.evaluate_attack(score(asked.pairs), asked.linked)
               for asked in (sample, hard)] for name, score in everybody.items()}
for name, (easy, harder) in fall.items():
    print(f"{name:30} {easy.auc:.2f} -> {harder.auc:.2f}")

# %% [markdown]
# % Figure: Every attacker is weaker when the non-edges are people two steps apart.

# %% mystnb={"image": {"alt": "For each of six attackers two dots with intervals, the AUC on uniform non-edges and on non-edges at distance two. All fall. LinkTeller with logits stays above 0.9, all others fall to 0.75 or less."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(7.2, 3.2))
for place, results in enumerate(fall.values()):
    axes.plot([r.auc for r in results], [place, place], color=GREY, marker="",
              zorder=0, linestyle="-", linewidth=0.8)
for which, (colour, marker, label) in enumerate((("blue", "o", "uniform non-edges"),
                                                 ("orange", "s", "at distance two"))):
    found = [(r[which].auc, r[which].auc_low, r[which].auc_high) for r in fall.values()]
    show.points(axes, range(len(found)), found, label, colour, across=True, marker=marker, linestyle="")
axes.axvline(0.5, color=GREY, linestyle=":", marker="")
axes.set(yticks=range(len(fall)), yticklabels=list(fall),
         xlabel="AUC (95% interval)")
axes.invert_yaxis()
axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()

# %% tags=["remove-cell"]
hardest = fall["LinkTeller, logits, KProp"][1]
glue("lt_hard", hardest.auc, display=False)
glue("lsa_hard", fall["similar answers"][1].auc, display=False)
glue("group_hard", fall["same group"][1].auc, display=False)
glue("ceiling_half", attacks.ceiling(0.5), display=False)
glue("posterior_hard", fall["LinkTeller, posteriors, KProp"][1].auc, display=False)
assert all(harder.auc < easy.auc for easy, harder in fall.values())
assert hardest.auc > 0.9 and fall["LinkTeller, posteriors, KProp"][1].auc_low < 0.55
assert fall["similar answers"][1].auc < 0.7 and fall["same group"][1].auc < 0.62


# %% [markdown]
# All fall. Friends of friends are in the same group as well, so *same group* is close to a coin toss ({glue:text}`group_hard:.2f`), and similar answers do not go much further ({glue:text}`lsa_hard:.2f`): most of what they found were communities. LinkTeller on logits keeps {glue:text}`lt_hard:.2f`. It sees edges. Through posteriors even LinkTeller is down to {glue:text}`posterior_hard:.2f`: it had only told two hops from more. Ask both questions of an attack before you say what it finds.
#
# ## Canaries: pairs on which $\varepsilon$ speaks
#
# Now protect the edges, with a guarantee of $\varepsilon$ for an undirected edge. {prf:ref}`thm-attacker` says that a guess about *a fair coin* is right with probability at most $\frac{e^{\varepsilon}}{1+e^{\varepsilon}}$. At $\varepsilon = 0.5$ this is {glue:text}`ceiling_half:.2f`. But the attackers who know nothing had {glue:text}`least_nothing:.2f` and more. Is the theorem wrong?
#
# It speaks of a coin. A friendship is none: before anything is released, the public features have already told a good part. Differential privacy bounds what the *release* adds.
#
# :::{prf:theorem} An AUC on real edges bounds nothing (claim `book-attack-auc-is-not-epsilon`, verdict: holds)
# :label: thm-auc-not-epsilon
#
# (a) There are graphs on which an attacker who sees public features, and a release that is 0-DP for an undirected edge, has AUC 1. (b) There are releases without any finite $\varepsilon$ on which every attack has an AUC of at most $\frac12 + \frac1P$: if each of $P \ge 2$ pairs is an edge by an independent fair coin, and the release, which is all that the attacker sees, shows one of the coins. (In (b) the AUC is the expected number of wins over the expected number of matches.)
# :::
#
# :::{prf:proof}
# (a) Teams in which all are friends, and nobody else is; the public feature is the team. Equal features are edges, others are not. (b) The shown pair tells its edge with certainty, so no finite $\varepsilon$ holds. A match is between an edge and a non-edge. Given the release and the scores, two hidden pairs that meet are as likely edge and non-edge as the other way round, so half of these matches are won on average. Each of the $P - 1$ possible matches with the shown pair takes place with probability $\frac12$, and gains at most $\frac12$ over a toss. The expected number of matches is $\frac{P(P-1)}{4}$. The gain is at most $\frac{(P-1)/4}{P(P-1)/4} = \frac1P$.
# :::

# %%
def one_shown(P):
    """All graphs on P pairs, the first pair is shown: AUC of who believes it."""
    wins = matches = 0
    for coins in product((0, 1), repeat=P):
        score = [2 * coins[0] - 1] + [0] * (P - 1)
        for i, j in product(range(P), repeat=2):
            if coins[i] > coins[j]:
                matches += 1
                wins += (score[i] > score[j]) + 0.5 * (score[i] == score[j])
    return wins / matches

print({P: round(one_shown(P), 4) for P in (2, 3, 6, 10)})
assert all(math.isclose(one_shown(P), 1 / 2 + 1 / P) for P in (2, 3, 6, 10))

# %% [markdown]
# With $P$ = {glue:text}`all_pairs` million pairs, an edge that is published in the clear would not show in the sixth digit.
#
# So we bring the coin ourselves, as in the audits of {doc}`05_guessing_games`. Choose pairs of people who are not linked, no person in two pairs. Flip a fair coin for each pair, and add the edge if it shows heads. Such a planted pair is a **canary**. Nothing that is public says anything about the coins. On canaries, and on them alone, $\varepsilon$ is a ceiling.
#
# :::{prf:theorem} The ceiling on canaries (claim `book-canary-ceiling`, verdict: holds)
# :label: thm-canary-ceiling
#
# Let the release be $\varepsilon$-DP for one undirected edge (add/remove), and let the canaries' coins be fair and independent of each other and of all else. Whatever the attacker knows and computes, given the release and all other coins each of her guesses is right with probability at most
#
# $$
# c = \frac{e^{\varepsilon}}{1 + e^{\varepsilon}} .
# $$
#
# So of $k$ guesses, on canaries that she chooses after seeing the release, at most $c\,k$ are right on average, and the number of right ones is stochastically no larger than binomial with $k$ and $c$.
# :::
#
# :::{prf:proof}
# Fix the graph and all coins but one. The two graphs that remain differ in one edge, so the release $r$ has probabilities $p_1, p_0$ with $p_1 \le e^{\varepsilon} p_0$ and $p_0 \le e^{\varepsilon} p_1$. The coin is fair, so by Bayes' rule it shows heads with probability $\frac{p_1}{p_0 + p_1}$, which lies between $1 - c$ and $c$. The guess is a function of the release and of what is known anyway, so it is right with at most $c$. For the count, reveal the guessed coins one after the other: each guess is right with at most $c$, whatever the earlier ones showed.
# :::
#
# ### Randomised response reaches it
#
# The simplest release: each pair of people is reported once, by randomised response with budget $\varepsilon$ ({doc}`03_which_neighbours`). The best guess about a canary is what was reported. We plant 500.

# %%
planted = attacks.plant(data, 500, seeded(7))
coins = planted.present

def reported(edges, pairs):
    """Is each pair in a reported edge list?"""
    return torch.isin(pairs[0] * n + pairs[1], edges[0] * n + edges[1])

generator, budgets, told_once, told_twice = seeded(8), (0.5, 1.0, 2.0, 4.0), {}, {}
for epsilon in budgets:
    mechanism = SymmetricResponse(epsilon)
    one, two = (reported(mechanism(planted.data, generator=generator).edge_index,
                         planted.pairs) for _ in range(2))
    told_once[epsilon] = int((one == coins).sum()), len(coins)
    agree = one == two                        # for the twin below: two reports
    told_twice[epsilon] = int((one == coins)[agree].sum()), int(agree.sum())
for epsilon, (right, guesses) in told_once.items():
    print(f"epsilon {epsilon}: {right} of {guesses} right = {right / guesses:.3f}, "
          f"ceiling {attacks.ceiling(epsilon):.3f}")
    assert binomtest(right, guesses, attacks.ceiling(epsilon)).pvalue > 1e-3

# %% [markdown]
# The shares lie at the ceiling, up to the luck of 500 coins. No attack on this release can do better, and none on a network that is trained on it: what is computed from a private output is as private.
#
# ### A broken twin
#
# A plausible mistake: *both* people report the pair, each with budget $\varepsilon$, and $\varepsilon$ is still claimed for the edge. We know from {prf:ref}`thm-two-lists` that this spends $2\varepsilon$. Would canaries notice? The attacker guesses only where the two reports agree.

# %%
for epsilon, (right, guesses) in told_twice.items():
    p = statistical.guessing_p_value(right, guesses, epsilon)
    print(f"epsilon {epsilon}: {right} of {guesses} right = {right / guesses:.3f}, "
          f"ceiling {attacks.ceiling(epsilon):.3f}, p-value {p:.0e}")
    assert binomtest(right, guesses, attacks.ceiling(2 * epsilon)).pvalue > 1e-3
assert statistical.guessing_p_value(*told_twice[1.0], 1.0) < 1e-6

# %% [markdown]
# % Figure: Right guesses on canaries: those on the broken twin lie above the ceiling.

# %% mystnb={"image": {"alt": "Share of right guesses on canaries against epsilon, with 95% intervals. The ceiling rises from 0.5 to 1. The points of the right mechanism lie on it, those of the twin in which both ends report lie clearly above at epsilon 0.5 to 2 and on the dashed ceiling of two epsilon. A dotted line shows the features attacker's AUC on real edges, far above the ceiling at small epsilon."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(6.8, 3.5))
line = np.linspace(0, 4.4, 100)
axes.plot(line, [attacks.ceiling(e) for e in line], color="black", marker="",
          linestyle="-", label="ceiling for ε")
axes.plot(line, [attacks.ceiling(2 * e) for e in line], color=GREY, marker="",
          linestyle="--", label="ceiling for 2ε")
for found, colour, marker, shift, label in (
        (told_once, "blue", "o", -0.04, "each pair reported once"),
        (told_twice, "orange", "s", 0.04, "twin: both ends report")):
    shares = [(right / total, *binomtest(right, total).proportion_ci()) for right, total in found.values()]
    show.points(axes, np.array(budgets) + shift, shares, label, colour, marker=marker, linestyle="")
level = nothing["similar features"].auc
axes.axhline(level, color=GREEN, linestyle=":", marker="")
axes.text(4.4, level - 0.015, "AUC on real edges,\nfeatures only", color=GREEN,
          ha="right", va="top", fontsize=9.5)
axes.set(xlabel="claimed ε (undirected edge)", ylabel="share of right guesses")
axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()

# %% tags=["remove-cell"]
right, guesses = told_twice[1.0]
glue("twin_share", right / guesses, display=False)
glue("ceiling_one", attacks.ceiling(1.0), display=False)

# %% [markdown]
# At $\varepsilon = 1$ a share of {glue:text}`twin_share:.2f` is right where {glue:text}`ceiling_one:.2f` is allowed: the claim is refuted. A single run suffices. (Had the attacker guessed *every* canary, she would have noticed nothing. Where the two reports differ she is as blind as before, and the average is back at the ceiling. Knowing when to be silent is half of an attack.)
#
# ### Canaries against a network
#
# Canaries work with any attack, through any release. We train the GCN on the graph with canaries in it, with no protection of edges, and send LinkTeller. At the 100 highest scores we say "in", at the 100 lowest "out".

# %%
caged = method.collect(planted.data, seeded(1))
singing = method.learn(caged, seeded(2))
smooth = caged.factored(caged.matrix(), method.x_steps)
scores = attacks.linkteller(singing.model, smooth, caged.edge_index, planted.pairs)
on_canaries = attacks.evaluate_attack(scores, coins)
audit = statistical.one_run_audit(scores, coins, 100, 100, generator=seeded(9))
print("LinkTeller on canaries:", on_canaries)
print(f"{audit.correct} of {audit.guesses} right: "
      f"epsilon >= {audit.epsilon:.2f} (95%)")
glue("audit_epsilon", audit.epsilon, display=False)
assert audit.epsilon > 3 and on_canaries.auc > 0.95

# %% [markdown]
# Whoever claims an $\varepsilon$ below {glue:text}`audit_epsilon:.2f` for the edges behind this network is wrong. LPGNN claims none, so there is nothing to refute. And "at least {glue:text}`audit_epsilon:.2f`" is only as much as 200 guesses can certify. The truth is $\infty$.
#
# ## What an AUC says, and what it does not
#
# | attack | needs | found on {glue:text}`graph_name` | reference |
# |---|---|---|---|
# | similar features, degrees, groups | public things | AUC from {glue:text}`least_nothing:.2f`, nothing released | is one |
# | similar answers | posteriors | {glue:text}`lsa:.2f`; communities | {glue:text}`blind_lsa:.2f` without any edge |
# | LinkTeller | logits, features to send | {glue:text}`lt_gcn:.3f`, {glue:text}`lt_hard:.2f` on hard pairs; edges | 0.5: no edge, no influence |
# | best guess on canaries | coins of one's own | the ceiling, if the claim is right | the ceiling |
#
# An AUC says how well *this* attacker ranks *these* pairs, with all she knew before. It does not say that a release leaks (compare with who knows nothing), nor that it does not (the next attack may be better), nor how many edges are found (count them), nor what $\varepsilon$ is (plant canaries).
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-04-constant
# ```
# % Exercise: 10 minutes, ●: what an AUC is
# An attacker gives every pair the same score. Derive her AUC from the definition. What are her TPR and FPR for every possible bar, and what is the area under that curve?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-04-constant
# :class: dropdown
# ```
# Every match is a tie and counts half: $\frac{1}{mn}\sum \frac12 = \frac12$. A bar below the score accuses everybody, TPR = FPR = 1. A bar above it nobody, 0 and 0. The curve is the straight line between the two points, with area $\frac12$.

# %%
flat = attacks.evaluate_attack(torch.zeros(1000), sample.linked)
print(flat.auc, flat.tpr_at_1_fpr)
assert flat.auc == 0.5

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-04-degree
# ```
# % Exercise: 20 minutes, ●●: attackers with other knowledge
# Suppose the attacker knows, besides, *part of the graph*: everything but the pairs asked about. Write the attacker who counts common friends, and compare her with the degree attacker on `sample` and on `hard`. Why is "at distance two" not hard for one of them but a trap?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-04-degree
# :class: dropdown
# ```
# On uniform pairs a common friend is strong evidence: most non-edges have none. At distance two *every* non-edge has one, by construction, and many edges have none. The order turns round, and the AUC falls below one half. An AUC below one half is no failure: turn the scores round, and it is above. But an attacker who does not know how the pairs were chosen would not. The degree attacker falls because the two ends of a path of length two have many friends, too: the middle of the path chooses them as an edge does.

# %%
dense_a = graph.adjacency(edge_index, n, "sum").to_dense()

def common_friends(pairs):
    return (dense_a[pairs[0]] * dense_a[pairs[1]]).sum(1)

for name, score in (("degrees", degrees_score), ("common friends", common_friends)):
    easy, harder = (attacks.evaluate_attack(score(asked.pairs), asked.linked).auc
                    for asked in (sample, hard))
    print(f"{name:15} {easy:.2f} -> {harder:.2f}")
assert harder < 0.5 < easy


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-04-influence
# ```
# % Exercise: 20 minutes, ●●: LinkTeller's idea
# *(With a checker.)* Complete `influence(net, x, edges, u, v)`: how fast do the *posteriors* of `u` move when the features of `v` are turned up? Take two forward passes, one step up and one step down (a step of 0.01 is good; why not $10^{-7}$, why not 1?), and return the norm of the difference by the distance of the two points. The checker asks about 25 pairs and three networks.
# ```{exercise-end}
# ```

# %%
def check(influence):
    for kind in ("gcn", "sage", "gat"):
        net = Backbone(kind, 4, 2, generator=seeded(0)).eval()
        with torch.no_grad():
            slow = torch.tensor([float(influence(net, x, show.TOY_EDGES, u, v))
                                 for u, v in grid.t().tolist()])
        exact = attacks.linkteller(net, x, show.TOY_EDGES, grid,
                                   output="posteriors")
        wrong = ((slow - exact).abs() > 0.001).nonzero()
        assert not len(wrong), f"{kind}: wrong for {grid[:, wrong[0, 0]].tolist()}"
    print("75 answers: all correct")


# %% [markdown]
# ```{solution-start} ex-04-influence
# :class: dropdown
# ```

# %%
def influence(net, x, edges, u, v, step=0.01):
    ends = []
    for sign in (1, -1):
        moved = x.clone()
        moved[v] = (1 + sign * step) * x[v]
        ends.append(net(net.prepare(moved, edges)).softmax(1)[u])
    return (ends[0] - ends[1]).norm() / (2 * step)

check(influence)

# %% [markdown]
# A probability near 1 is kept to about seven digits. With a step of $10^{-7}$ the two ends differ in the last digit at most, and the quotient is rounding noise. With a step of 1 we would measure something else than a rate: the activation (SELU) bends, and it has a kink at 0.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-04-mlp
# ```
# % Exercise: 15 minutes, ●●: an attack that fails proves nothing
# Train LPGNN with `backbone="mlp"`, a network without message passing, on the same release, and run both attacks on it. LinkTeller's scores are all 0. Are the edges safe?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-04-mlp
# :class: dropdown
# ```
# No. An MLP answers for `u` from the features of `u` alone, so turning up `v` moves nothing. But its *inputs* were averaged along the edges by KProp, before the network saw them, and its training labels as well. Similar answers find that, about as well as on the GCN. An AUC of exactly one half says that this attack looks at a door which is closed, and nothing of the others.

# %%
mlp = replace(method, backbone="mlp").learn(release, seeded(2))
asked, mlp_posteriors = sample.pairs, mlp.predict_proba()
scores = {"LinkTeller": attacks.linkteller(mlp.model, sent, edge_index, asked),
          "similar answers": attacks.posterior_similarity(mlp_posteriors, asked)}
for name, score in scores.items():
    print(name, attacks.evaluate_attack(score, sample.linked))
assert not scores["LinkTeller"].any()

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-04-infinite
# ```
# % Exercise: 10 minutes, ●●: what canaries can certify
# A release publishes the graph as it is, $\varepsilon = \infty$. Plant 20 canaries. What share of guesses is right? What lower bound for $\varepsilon$ may you state with 95% confidence, and how many canaries are needed to state 5?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-04-infinite
# :class: dropdown
# ```
# All are right. If $\varepsilon$ were the truth, 20 right guesses had a probability of at most $c^{20}$, so with 95% confidence $c \ge 0.05^{1/20}$. Twenty coins cannot say more, however open the release is. Ask for $0.05^{1/m} \ge c$ at $\varepsilon = 5$, that is $m \ge \ln 0.05 / \ln c$.

# %%
cage = attacks.plant(data, 20, seeded(10))
release_all = SymmetricResponse(math.inf)(cage.data, generator=seeded(11))
right = int((reported(release_all.edge_index, cage.pairs) == cage.present).sum())
bound = statistical.one_run_bound(right, 20, 20, 0.95)
needed = math.ceil(math.log(0.05) / math.log(attacks.ceiling(5.0)))
print(f"{right} of 20 right: epsilon >= {bound:.2f}; {needed} canaries certify 5")
assert right == 20
assert statistical.one_run_bound(needed, needed, needed, 0.95) >= 5
assert statistical.one_run_bound(needed - 1, needed - 1, needed - 1, 0.95) < 5

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - An attack scores pairs; the AUC is the share of edge-against-non-edge matches that it wins. Draw both kinds uniformly, give the interval and the TPR at 1% FPR, and put the attacker who knows nothing beside it.
# - Similar answers find communities. Influence finds edges: without protection, a network's logits give most of them away.
# - The same network looks safe or open depending on what its interface answers. A weak attack is no evidence of privacy.
# - On real edges no AUC is bounded by $\varepsilon$. On canaries, planted by fair coins, at most $e^{\varepsilon}/(1+e^{\varepsilon})$ of the guesses are right, and a broken twin is found out.
#
# ## Further reading
#
# LinkTeller: {cite}`wu2022linkteller`. Link stealing, with attackers who know more than ours: {cite}`he2021stealing`. Intervals for an AUC: {cite}`delong1988comparing`. Why attacks on privacy should be judged where false alarms are rare: {cite}`carlini2022membership`. Canaries in one run: {cite}`steinke2023privacy`. Attacks on *who* was in the training set, not who is linked: {doc}`04_membership`. The attack as GraphPrivatizer's evaluation uses it: {cite}`joshi2024graphprivatizer`.
