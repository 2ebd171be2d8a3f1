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
# - why most of what similar answers find could be found without the network.
#
# What such a score is worth, and the only pairs on which $\varepsilon$ bounds it, follow in {doc}`04_canaries`.
#
# **You need** {doc}`01_graphs_and_message_passing`, {doc}`02_differential_privacy` and {doc}`03_what_a_graph_can_leak`. **Time:** 25 minutes.
# :::

# %% tags=["hide-input"]
import math
import time
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.patches import FancyBboxPatch
from myst_nb import glue
from sklearn.metrics import roc_curve

from privbook import show
from privgraph import attacks, datasets, graph
from privgraph.methods import LPGNN
from privgraph.nn import Backbone, accuracy
from privgraph.randomness import seeded

show.use_style()
BLUE, ORANGE, GREY = (show.COLOURS[c] for c in ("blue", "orange", "grey"))

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

# %% tags=["hide-input"]
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

# %%
sent = release.factored(release.matrix(), method.x_steps)  # features after KProp
start = time.perf_counter()
fast = attacks.linkteller(fitted.model, sent, edge_index, sample.pairs)
seconds_fast = time.perf_counter() - start

# %% tags=["nbval-ignore-output", "hide-input"]
dense, few = sent.to_dense(), sample.pairs[:, :10]          # some edges, some others

@torch.no_grad()
def two_forwards(u, v, step=0.01):
    louder = dense.clone()
    louder[v] *= 1 + step
    after, before = (fitted.model(fitted.model.prepare(z, edge_index))
                     for z in (louder, dense))
    return ((after - before)[u] / step).norm()

start = time.perf_counter()
slow = torch.stack([two_forwards(u, v) for u, v in few.t().tolist()])
seconds_slow = time.perf_counter() - start
ratio = (seconds_slow / few.size(1)) / (seconds_fast / sample.pairs.size(1))
print(f"a pair costs {ratio:,.0f} times as much with two forward passes")
assert (slow - fast[:10]).abs().max() < 0.01 * fast.max() and ratio > 20

# %% [markdown]
# Does it find edges?

# %%
asked_back = attacks.evaluate_attack(fast, sample.linked)
report({"LinkTeller": asked_back} | answered)

# %% tags=["remove-cell"]
glue("lt_gcn", asked_back.auc, display=False)
assert asked_back.auc > 0.995 and asked_back.tpr_at_1_fpr > 0.95

# %% [markdown]
# An AUC of {glue:text}`lt_gcn:.3f`. Nothing protected the edges, and the attack says so. Can the attacker name friends with it, and what is left of it when the service answers less? That is {doc}`04_canaries`.
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
# Every match is a tie and counts half, so the share of wins is $\frac12$. A bar below the score accuses everybody, TPR = FPR = 1. A bar above it nobody, 0 and 0. The curve is the straight line between the two points, with area $\frac12$.

# %%
flat = attacks.evaluate_attack(torch.zeros(1000), sample.linked)
print(flat.auc, flat.tpr_at_1_fpr)
assert flat.auc == 0.5


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
# ## Summary
#
# - An attack scores pairs; the AUC is the share of edge-against-non-edge matches that it wins. Draw both kinds uniformly, give the interval and the TPR at 1% FPR, and put the attacker who knows nothing beside it.
# - Similar answers find communities. Influence finds edges: without protection, a network's logits give most of them away.
#
# In {doc}`04_canaries` the same network looks safe or open depending on what its interface answers, and planted pairs give $\varepsilon$ a voice.
#
# **Further reading.** LinkTeller: {cite}`wu2022linkteller`. Link stealing, with attackers who know more than ours: {cite}`he2021stealing`. Intervals for an AUC: {cite}`delong1988comparing`. Why attacks on privacy should be judged where false alarms are rare: {cite}`carlini2022membership`.
