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
# A trained network can reveal who is linked to whom, although it outputs predictions only. On {glue:text}`graph_name`, the LinkTeller attack ranks edges above non-edges with an AUC of {glue:text}`lt_gcn:.3f`, where 1 is perfect and one half is guessing. However, attackers who use only public data reach {glue:text}`least_nothing:.2f` or more without any network, so an AUC means nothing without such a reference.
#
# :::{admonition} What you will learn
# :class: tip
# - how an attacker finds out who is linked to whom, using only the answers of a trained network;
# - how to score an attack: which pairs to test, how an AUC is computed, and why it needs a reference;
# - how three kinds of attackers differ: those who use public data only, those who compare answers, and those who send changed inputs;
# - why an attack that compares answers succeeds almost as well on a network that uses no edge.
#
# {doc}`The next page <04_canaries>` asks what such a score is worth, and shows that $\varepsilon$ bounds it on pairs with random edges only.
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
# Some of six people are friends. A service has trained a graph network on these friendships and keeps them secret. However, anyone may send it features of all people, and it returns a prediction for each person. Such a channel is called an *interface*. An attacker wants to know for each pair in a list whether it is an edge.
#
# % Figure: The attacker sends features to the network, observes its predictions, and guesses for each pair whether it is an edge.

# %% mystnb={"image": {"alt": "Left, six people with seven dashed, secret friendships. In the middle a box, the trained network, with an arrow from the graph into it. Right, the attacker with three pairs, 0 and 1, 0 and 4, 3 and 5, each with a question mark. The attacker sends features to the network and gets predictions back."}} tags=["hide-input"]
friends = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]
places = {0: (0, 2), 1: (0, 0), 2: (1, 1), 3: (2.2, 1), 4: (3.2, 2), 5: (3.2, 0)}
figure, axes = plt.subplots(figsize=(8.6, 2.6))
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
# {doc}`What a graph can leak <03_what_a_graph_can_leak>` showed the principle. Message passing moves people's data to their friends, and published averages can be solved for the friendships. A network does not compute such simple averages, but it can be attacked too. Attackers differ in what they know and in how they use the interface.
#
# | attacker | knows features | uses the interface | section |
# |---|---|---|---|
# | similar features | yes | no | *public data only* |
# | many friends | no, but how many friends each person has | no | *public data only* |
# | same group | no, but each person's group (their class) | no | *public data only* |
# | similar answers | no | reads the answers | *similar answers* |
# | LinkTeller | yes, to send them | sends changed features, compares answers | *changed inputs* |
#
# Each attacker gives every pair a **score**, and a higher score means that an edge is more likely. Scores can be computed without knowing a single true friendship. *We*, however, need the true friendships to evaluate the scores.
#
# ## Scoring an attack honestly
#
# ### A count of wins
#
# Suppose that an attacker gave these scores to four edges and to four non-edges. How good is the attacker?

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
# We compare every edge with every non-edge, which makes 16 matches. The edge wins a match if it has the higher score, and a tie counts half. The share of wins is the **AUC**, the probability that a random edge is ranked above a random non-edge. An attacker who is always right has an AUC of 1, and one who guesses at random has 0.5.
#
# The letters stand for *area under the curve*, namely under the ROC curve. To draw this curve, lower a threshold from the highest score to the lowest, and accuse every pair above it. The share of edges that are accused is the *true positive rate* (TPR), and the share of non-edges is the *false positive rate* (FPR).
#
# % Figure: The shaded area under the ROC curve of these 8 scores is the AUC, the share of the 16 matches that edges win.

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
# The area equals the share of wins, because each win adds one of 16 small squares, and the tie, at the slanted step, half of one.
#
# An AUC averages over all thresholds, even over those that accuse far too many pairs. Almost all pairs of a large graph are non-edges. With a few thousand people, for example, accusing 1% of the non-edges means accusing tens of thousands of innocent pairs. We therefore also report the **TPR at 1% FPR**, the share of edges that are found while at most 1% of the non-edges are accused. For attacks on privacy this number is the more informative one, because finding a few people for certain is worse than suspecting everybody a little {cite}`carlini2022membership`.
#
# Both numbers are estimates from a random sample of pairs. For the value that all pairs would give, the library therefore adds 95% intervals (those of the AUC by the method of {cite}`delong1988comparing`).
#
# ### Which pairs?
#
# We draw 500 edges, all equally likely, and 500 non-edges, all equally likely.

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
# In {glue:text}`graph_name` there are {glue:text}`edges` edges among {glue:text}`all_pairs` million pairs of {glue:text}`people` people, and 1% of the non-edges are {glue:text}`accused` pairs.
#
# Drawing non-edges uniformly is easily said, but also easily done wrong. A list of all non-edges is long, so one is tempted to use only a part. For example, the released code of GraphPrivatizer {cite}`joshi2024graphprivatizer` lists all zeros of the adjacency matrix, row by row. From the top of this list it takes as many zeros as the matrix has ones, and shuffles them. (The paper states that pairs are sampled at random, which was surely the intention.) Which people are in these pairs?

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
# The first end of each pair is one of only {glue:text}`first_ends` people of {glue:text}`people`, namely those who come first in the file. The score of an attack therefore depends on these few people. To measure how much, we shuffle the *file*. The graph stays the same, and so does the attacker, who scores a pair by the product of the two degrees.

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
# % Figure: With non-edges from the first people of the file, the AUC of one attacker is spread {glue:text}`spread:.0f` times as widely as with uniform non-edges.

# %% mystnb={"image": {"alt": "Two histograms of the AUC of the same attacker on the same graph. With uniform non-edges all hundred values lie close together near 0.8. With non-edges from the first people of a shuffled file they spread from about 0.6 to above 0.9."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(6.2, 2.5))
bins = np.linspace(0.45, 1.0, 45)
axes.hist(shuffled, bins, color=ORANGE, alpha=0.7, hatch="//",
          label="from the first people")
axes.hist(uniform, bins, color=BLUE, alpha=0.7, label="uniform non-edges")
axes.set(xlabel="AUC of the degree attacker", ylabel="samples (of 100)")
axes.legend(loc="upper left")
plt.show()


# %% [markdown]
# With the same graph and the same attacker, the AUC lies anywhere from {glue:text}`shuffled_low:.2f` to {glue:text}`shuffled_high:.2f`. Its standard deviation is {glue:text}`spread:.0f` times that of uniform sampling. Repeating the experiment does not reveal the problem, because the file is not shuffled between runs. The error is the same each time, so intervals over seeds miss it. We therefore draw uniformly.
#
# ## Attackers who use public data only
#
# Before we attack anything, we need a control with *no release at all*, neither a network nor a report. Three attackers use data that may be public anyway, namely people's features (for example, their profiles), the number of their friends, or their group, which here is their class.

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
# No AUC is below {glue:text}`least_nothing:.2f`, although nothing was released. Friends resemble each other (*homophily*), so similar features suggest a friendship. People with many friends are part of many edges, so two of them are more likely to be linked. (The group attacker has only two scores. At 1% FPR it accuses nobody, because the pairs within groups are far more than 1% of the non-edges.)
#
# **The first lesson is that an AUC means nothing without the AUC of an attacker who uses public data only.** For example, a paper that reports "the attack reaches 0.80" for a private release has not yet shown that the release leaks. If the features are public, 0.80 was possible before the release.
#
# Which data *are* public depends on the situation. For {doc}`LPGNN <06_lpgnn>`, features are private, and people send noisy reports of them. Here is an attacker who has only these reports, at $\varepsilon = 3$.

# %%
method = LPGNN.as_published(backbone="gcn", epsilon_x=3.0, epsilon_y=3.0, epochs=50)
release = method.collect(data, seeded(1))
noisy = attacks.evaluate_attack(
    attacks.feature_similarity(release.estimate(), sample.pairs), sample.linked)
print("similar reports:", noisy)
assert noisy.auc_high < 0.56

# %% [markdown]
# The AUC is close to one half, because each report is almost all noise, and there is almost nothing to compare.
#
# ## Similar answers
#
# Now we attack a network. {doc}`LPGNN <06_lpgnn>` trains it on noisy features and labels. Here we need only that the network *uses all edges* and that nothing protects them. (`as_published` is the paper's setting, with 50 epochs instead of 100, to save you time.)

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
# For each person the network returns a **posterior**, that is, a probability for each class. A graph network averages over friends, so friends get similar answers. Conversely, people with similar answers may be friends. This attack is called *link stealing* {cite}`he2021stealing`. Its authors try eight distances between two posteriors, and the next cell computes them by hand for one pair.

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
# The score of a pair is minus the distance. Most of the eight distances order the pairs almost alike, so we keep one, the correlation. GraphPrivatizer calls this attack LSA2.
#
# The right reference for this attack is the same comparison on a network without information about the graph. We therefore train a second network that uses *no edge*, neither in training nor in answering. It gets true features and true labels, because without edges it could not average out any noise.

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
# The network without any edge already gives an AUC of {glue:text}`blind_lsa:.2f`, compared with {glue:text}`lsa:.2f` for the network with edges. Its answers reveal the group, and the group alone predicts many edges. Only the part above this reference can be credited to the edges that the network uses. At 1% FPR, moreover, the attack finds a share of only {glue:text}`lsa_tpr:.2f` of the edges, because too many people who are not linked get the very same answer. The attack shows who *could* be friends, and not who is.
#
# ## Changed inputs: LinkTeller
#
# LinkTeller {cite}`wu2022linkteller` does not only read answers, but also changes the inputs. It increases one person's features a little and observes whose answers change. In a network with message passing these are the answers of the person's friends (and, more weakly, of the friends' friends).
#
# ### By hand
#
# We take the five people of the {doc}`toy graph <01_graphs_and_message_passing>`, with four features each, and a small GCN of two layers. Its weights are random, but trained ones would do the same. The GCN returns **logits**, one number per class, which a softmax would turn into probabilities.

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
# Such a rate takes two forward passes and one difference. The rates of all pairs form the *influence matrix*.
#
# % Figure: In the toy graph, the influence between people who are 3 steps apart is exactly 0.

# %% mystnb={"image": {"alt": "Left, the toy graph, a triangle 0-1-2 with a tail 2-3-4. Right, the five by five influence matrix. Friends and friends' friends have positive entries. The entries between 0 and 4 and between 1 and 4 are exactly 0."}} tags=["hide-input"]
influence = torch.stack([turn_up(v) for v in range(5)], dim=1)  # [watched, turned]
figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 2.6), width_ratios=(1.3, 1))
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
# These entries are exactly zero and not just small, because two layers carry a message over two hops and no further. People three or more hops apart never change each other's answers. Almost all non-edges of a large, sparse graph are such pairs, so the attacker can exclude them at once.
#
# ### Fast
#
# The difference above approximates a derivative, so we can also compute the derivative itself:
#
# $$
# s(u, v) = \left\lVert \frac{d}{dt}\, f_u\big(X + t\, e_v x_v^{\top}\big) \right\rVert_2 \quad \text{at } t = 0 ,
# $$ (eq-linkteller)
#
# where $f_u$ are the logits of $u$ and $e_v x_v^{\top}$ is a matrix with the features of $v$ in row $v$ and zeros elsewhere. All pairs share one forward pass. For each derivative the chain rule then needs only the nodes between $v$ and $u$. There is also no step size to choose, and no rounding of a small difference.

# %%
grid = torch.cartesian_prod(torch.arange(5), torch.arange(5)).t()
exact = attacks.linkteller(net, x, show.TOY_EDGES, grid).view(5, 5)
assert torch.allclose(exact, influence, atol=2e-3)
assert ((exact == 0) == (influence == 0)).all()
print("largest difference from two forward passes:",
      "below 0.002" if (exact - influence).abs().max() < 2e-3 else "too large")

# %% [markdown]
# We now attack LPGNN's network on {glue:text}`graph_name`. We favour the attacker, who has and sends the inputs on which the network was trained. These are the noisy features after the server has averaged them along the edges 16 times ("KProp"). The next cells compare the time of two ways to score a pair, by two forward passes and by {eq}`eq-linkteller`.

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
# How well do these scores find edges?

# %%
asked_back = attacks.evaluate_attack(fast, sample.linked)
report({"LinkTeller": asked_back} | answered)

# %% tags=["remove-cell"]
glue("lt_gcn", asked_back.auc, display=False)
assert asked_back.auc > 0.995 and asked_back.tpr_at_1_fpr > 0.95

# %% [markdown]
# LinkTeller has an AUC of {glue:text}`lt_gcn:.3f`. Nothing protected the edges, and the attack shows it. Can the attacker also list the friends correctly, and how much of the attack is left if the service returns less than logits? {doc}`The next page <04_canaries>` answers both questions.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-04-constant
# ```
# % Exercise: 10 minutes, ●: what an AUC is
# An attacker gives every pair the same score. Derive the AUC from its definition. What are the TPR and the FPR for every possible threshold, and what is the area under that curve?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-04-constant
# :class: dropdown
# ```
# Every match is a tie and counts half, so the share of wins is $\frac12$. A threshold below the score accuses all pairs, so TPR = FPR = 1. A threshold above the score accuses none, so both rates are 0. The curve is the straight line between these two points, and the area under it is $\frac12$.

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
# *(With a checker.)* Complete `influence(net, x, edges, u, v)`, which measures how fast the *posteriors* of `u` move when the features of `v` grow. Take two forward passes, with these features multiplied by $1 + h$ and by $1 - h$, and return the norm of the difference divided by $2h$. A step of $h$ = 0.01 is good. Why not $10^{-7}$, and why not 1? The checker tests 25 pairs on three networks.
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
# A probability near 1 is kept to about seven digits. With a step of $10^{-7}$ the two ends therefore differ in the last digit at most, and the quotient is rounding noise. With a step of 1 the quotient would not measure a rate, because the activation (SELU) is curved and has a kink at 0.
# ```{solution-end}
# ```
#
# ## Summary
#
# - An attack scores pairs, and the AUC is the share of edge-against-non-edge matches that it wins. Draw both kinds of pairs uniformly, and give the interval and the TPR at 1% FPR. An AUC means nothing without the AUC of an attacker who uses public data only.
# - A trained network can reveal who is linked to whom. Comparing answers finds communities, whereas LinkTeller finds edges. Without protection, the logits of our network reveal most of the sampled edges.
#
# On {doc}`the next page <04_canaries>` the same network looks safe or unsafe depending on what its interface answers, and $\varepsilon$ bounds the attack on randomly planted pairs.
#
# **Further reading.** LinkTeller: {cite}`wu2022linkteller`. Link stealing, with attackers who know more than ours: {cite}`he2021stealing`. These attacks {doc}`in the settings of their papers <04_attacks_evidence>`. Intervals for an AUC: {cite}`delong1988comparing`. Why attacks on privacy should be judged where false alarms are rare: {cite}`carlini2022membership`.
