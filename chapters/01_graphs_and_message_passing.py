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
# # Graphs and message passing
#
# :::{admonition} What you will learn
# :class: tip
# - how a graph is stored, and how to count, normalise and aggregate with one sparse matrix;
# - what one layer of a graph neural network computes, by hand and with PyG, for six layers in use;
# - how much the edges of a citation graph add to what the words already say;
# - why averaging over neighbours hides noise, and why the same averaging carries secrets.
#
# **You need** Python, a little linear algebra, and an idea of how a neural network is trained. **Time:** 25 minutes.
# :::
#
# A hospital knows who visited whom. A shop knows what was bought together. A network knows who is friends with whom.
# In each case there are people with properties, and there are ties between them. A *graph neural network* learns from both.
# It does so by letting every person listen to her neighbours. This chapter shows that step in slow motion, because
# everything private in this book, and everything that leaks, passes through it.

# %% tags=["hide-input"]
import math

import matplotlib.pyplot as plt
import torch
from myst_nb import glue

import privbook
from privbook import show
from privgraph import datasets, graph
from privgraph.methods import LPGNN
from privgraph.methods import evaluation
from privgraph.nn import BACKBONES, Backbone, interval
from privgraph.randomness import seeded

show.use_style()

# %% [markdown]
# ## Five people
#
# Here are five people. Persons 0, 1 and 2 all know each other; 3 knows 2 and 4. Each has one number, the hours she spent
# online last week.
#
# % Figure: The toy graph: five people, who knows whom, and the hours each spends online.

# %% mystnb={"image": {"alt": "Five circles joined by lines. 0, 1 and 2 form a triangle; a tail leads from 2 to 3 to 4. The hours are 2, 4, 6, 20 and 10."}} tags=["hide-input"]
edge_index, hours = show.TOY_EDGES, torch.tensor([2.0, 4.0, 6.0, 20.0, 10.0])
figure, axes = plt.subplots(figsize=(6, 2.4))
labels = {v: f"{v}\n{h:.0f} h" for v, h in enumerate(hours.tolist())}
show.draw_graph(axes, edge_index, show.TOY_POSITIONS, labels, size=1500)
plt.show()

# %% [markdown]
# A computer wants this picture as numbers. PyG, the library we build on, stores a graph as a list of pairs called
# `edge_index`: the first row holds where a message comes from, the second row where it goes. A friendship carries
# messages both ways, so each of the five lines in the picture appears twice.

# %%
print(edge_index)
print("directed:", edge_index.size(1), " undirected:", edge_index.size(1) // 2)

# %% [markdown]
# In this book every graph obeys the same four rules. Both directions of an edge are present. No edge appears twice. Nobody
# is joined to herself. Nodes are numbered from 0. Errors say which rule was broken.
#
# :::{prf:definition} Neighbours and degree
# :label: def-neighbours
#
# The *neighbours* of node $v$ are $\mathcal{N}(v) = \{u : (u, v) \text{ is an edge}\}$. Their number $d_v = |\mathcal{N}(v)|$
# is the *degree* of $v$.
# :::
#
# Degrees can be counted from the second row alone: how often does each node receive a message?

# %%
print("degrees:", graph.degrees(edge_index, 5).tolist())


# %% [markdown]
# ## One step of message passing
#
# Let everyone ask her neighbours for their hours, and write down the average of the answers. That is all: *collect, then
# combine*. In a loop, it reads like this.

# %%
def mean_of_neighbours(edge_index, x):
    """Each node's average over its neighbours, one message at a time."""
    total, count = [0.0] * len(x), [0] * len(x)
    for u, v in edge_index.t().tolist():      # a message goes from u to v
        total[v] += float(x[u])
        count[v] += 1
    return [t / max(c, 1) for t, c in zip(total, count, strict=True)]

print([round(value, 2) for value in mean_of_neighbours(edge_index, hours)])

# %% [markdown]
# Look at person 4. She knows only 3, so she now carries the number 20: the hours of person 3, unchanged. Keep that in mind.
# Averaging hides a person in a crowd, and person 4 has no crowd.
#
# The loop visits edges one by one. A matrix does the same at once. Write down a table $P$ with a row for each listener and
# a column for each speaker, and put in row $v$ the weight with which $v$ hears each neighbour. For the average that weight is
# $1 / d_v$. Then the new numbers are the product $P x$. Most entries of $P$ are zero, so it is stored in *compressed
# sparse row* form, and a product costs one multiplication an edge.

# %%
mean_matrix = graph.adjacency(edge_index, 5, "mean")
print(mean_matrix.to_dense().numpy().round(2))

fast = (mean_matrix @ hours[:, None]).squeeze()
assert torch.allclose(fast, torch.tensor(mean_of_neighbours(edge_index, hours)))

# %% [markdown]
# The loop is the definition, the matrix is what we use. Every chapter of the book shows this pair, and the assertion below
# the fast version stays in the page: if the two ever disagree, the book cannot be built.
#
# ### Three ways to weigh a neighbour
#
# Weights differ between methods. Three are common. Here $A$ is the plain *adjacency matrix* (1 where there is an edge, 0 elsewhere), and $D$ the diagonal matrix of degrees.
#
# | name | weight of $u$ for $v$ | matrix | used by |
# |---|---|---|---|
# | sum | $1$ | $A$ | GraphConv |
# | mean | $1/d_v$ | $D^{-1}A$ | GraphSAGE |
# | symmetric | $1/\sqrt{d_u d_v}$ | $D^{-1/2} A D^{-1/2}$ | GCN, KProp |
#
# The sum keeps the number of neighbours: a popular person gets a large value. The mean forgets it. The symmetric weight
# is in between, and it also turns down the voice of a popular *speaker*.

# %%
for kind in graph.NORMALISATIONS:
    heard = graph.adjacency(edge_index, 5, kind) @ hours[:, None]
    print(f"{kind:10}", heard.squeeze().numpy().round(2))

# %% [markdown]
# ### Two steps reach twice as far
#
# Do the step again. Person 0 now hears what 2 heard from 3. After $K$ steps a node has heard everyone at most $K$ edges
# away. The picture shows how loudly: row $v$ of $P^K$ holds the weights with which $v$ hears everybody.
#
# % Figure: How much each person's number counts in each other's, after more and more steps.

# %% mystnb={"image": {"alt": "Three 5 by 5 heat maps of the weights for 1, 2 and 8 steps. With 1 step only neighbours have weight; with 8 steps all columns do, and the rows look alike."}} tags=["hide-input"]
figure, panels = plt.subplots(1, 3, figsize=(7.2, 2.7))
for axes, steps in zip(panels, (1, 2, 8), strict=True):
    heard = graph.propagate(mean_matrix, torch.eye(5), steps)
    picture = axes.imshow(heard, vmin=0, vmax=1, cmap="cividis")
    axes.set(title=f"{steps} step{'s' if steps > 1 else ''}", xlabel="speaker",
             ylabel="listener", xticks=range(5), yticks=range(5))
    axes.grid(False)
figure.colorbar(picture, ax=panels, label="weight", shrink=0.8)
plt.show()
print("weight of 4 for 0 after 1, 2, 8 steps:",
      [round(float(graph.propagate(mean_matrix, torch.eye(5), k)[0, 4]), 3) for k in (1, 2, 8)])

# %% [markdown]
# After eight steps the rows are almost alike: everyone has heard nearly the same mixture. Many steps average much and
# tell people apart poorly. How many to take is a choice that will return in {doc}`06_lpgnn`.
#
# ## From averaging to a layer
#
# A layer of a graph neural network does two things. It *aggregates*: it averages the neighbours' feature vectors, as
# above. And it *projects*: it multiplies by a matrix of learnt weights. Then comes a non-linear function, and the next layer.
# For a feature matrix $X$ with one row a node:
#
# $$
# \begin{aligned}
# \text{GCN:}\quad & H = \tilde D^{-1/2} (A + I) \tilde D^{-1/2} \, X \, W + b \\
# \text{GraphSAGE:}\quad & H = D^{-1} A \, X \, W_1 + X \, W_2 + b .
# \end{aligned}
# $$
#
# GCN {cite}`kipf2017semi` adds every node to its own neighbourhood (the $+I$, and $\tilde D$ counts it). GraphSAGE
# {cite}`hamilton2017inductive` keeps a node's own features apart, with weights of their own. GraphConv {cite}`morris2019weisfeiler` is GraphSAGE with the
# sum in place of the mean.
#
# Three further layers *learn* how loudly to hear each neighbour. They compute a score for every edge, and turn the scores
# around a node into weights that sum to one:
#
# $$
# h_v = \sum_{u \in \mathcal{N}(v)} \alpha_{uv} W x_u, \qquad
# \alpha_{uv} = \frac{\exp s(x_u, x_v)}{\sum_{w \in \mathcal{N}(v)} \exp s(x_w, x_v)} .
# $$
#
# They differ in the score $s$. GAT {cite}`velickovic2018graph` adds a number for the speaker and a number for the listener. GATv2
# {cite}`brody2022attentive` lets the two interact. TransformerConv (GT) {cite}`shi2021masked` multiplies a query and a key, as in language models.
#
# Let us check that we read PyG right. Here is GraphSAGE's first formula with PyG's own weights.

# %%
x = torch.rand(5, 3, generator=seeded(0))
model = Backbone("sage", num_features=3, num_classes=2, generator=seeded(1))
layer = model.first                                    # PyG's SAGEConv
by_hand = (mean_matrix @ x) @ layer.lin_l.weight.T + layer.lin_l.bias
by_hand = by_hand + x @ layer.lin_r.weight.T
assert torch.allclose(by_hand, layer(x, edge_index), atol=1e-6)
print("by hand and PyG agree for", x.size(0), "nodes")

# %% [markdown]
# :::{admonition} A constant in disguise
# :class: note
# In the first layer, $D^{-1} A X$ contains nothing learnt. It is the same in every epoch of training. The library computes it
# once. `make bench` measures how much faster that makes an epoch of GraphSAGE.
# :::
#
# ## A real graph
#
# Cora is a graph of research papers. A paper's features say which of 1,433 words occur in it, an edge is a citation, the
# label is the field. Nothing in it is secret. Read papers as people and citations as contacts, and it becomes the
# favourite test bench of private graph learning.

# %%
data = datasets.default()
show.banner(data)

# %%
show.card_table(data)

# %% [markdown]
# Two facts decide what we can learn from a graph, and both are in its picture. *Degrees are unequal.* A few papers are
# cited by everyone, most by few.
#
# % Figure: Most people have few neighbours, a few have very many.

# %% mystnb={"image": {"alt": "A falling line on doubly logarithmic axes. The share of nodes with at least k neighbours drops from one at k equal to 1 to below one in a thousand at the largest degrees."}} tags=["hide-input"]
degree = graph.degrees(data.edge_index, data.num_nodes)
ks = torch.arange(1, int(degree.max()) + 1)
share = torch.stack([(degree >= k).float().mean() for k in ks])
figure, axes = plt.subplots(figsize=(5, 3))
axes.loglog(ks, share, marker="", color=show.COLOURS["blue"])
axes.set(xlabel="degree k (neighbours)", ylabel="share of nodes with degree ≥ k")
plt.show()
leaves = float((degree == 1).float().mean())
glue("leaves", 100 * leaves, display=False)
print("largest degree", int(degree.max()), " share of leaves", round(leaves, 3))

# %% [markdown]
# {glue:text}`leaves:.0f` of 100 nodes are *leaves*: they have one neighbour, like person 4 above. For them an average over
# neighbours is somebody's raw value.
#
# *Like sits with like.* The **homophily** of a graph is the share of edges that join two nodes of the same class. To see
# whether it is high, compare with the same graph when the labels are shuffled.

# %%
shuffled = data.y[torch.randperm(data.num_nodes, generator=seeded(0))]
homophily = graph.homophily(data.edge_index, data.y)
chance = graph.homophily(data.edge_index, shuffled)
glue("homophily", homophily, display=False)
glue("chance", chance, display=False)
print(f"homophily {homophily:.2f}, with shuffled labels {chance:.2f}")


# %% [markdown]
# With {glue:text}`homophily:.2f` against {glue:text}`chance:.2f` for shuffled labels, a neighbour's class is a strong hint
# about one's own. This is why message passing works here. It is also why keeping your own label to yourself does not keep it secret.
#
# ## How much do the edges add?
#
# We hide the labels of a quarter of the nodes, train on half, and use the last quarter to decide when to stop. The
# reference is a *multilayer perceptron* (MLP): the same two layers without any edges. What a graph network scores above
# it, it owes to the graph.
#
# Every run draws a new split and new weights from its seed. We report the mean over seeds and a 95% interval (Student's t): if we
# repeated the whole experiment many times, about 95 of 100 such intervals would hold the mean over all splits of this graph. (About, because splits overlap.)

# %%
def plain(backbone):
    """A network without any privacy: true features, true labels, no smoothing."""
    return LPGNN.as_published(backbone, epsilon_x=math.inf, epsilon_y=math.inf,
                              x_steps=0, y_steps=0)

live = {kind: evaluation.repeat(plain(kind), data, seeds=3)
        for kind in ("mlp", "gcn", "sage")}
for kind, values in live.items():
    print(f"{kind:5} {interval(values)}   seeds: {[round(v, 1) for v in values]}")
gain = interval([g - m for g, m in zip(live["gcn"], live["mlp"], strict=True)])
glue("gain", gain.mean, display=False)
glue("gain_half", gain.half, display=False)

# %% [markdown]
# The three runs of both methods used the same splits, so we may subtract them pair by pair, which removes the luck of the
# split. The edges are worth {glue:text}`gain:.1f` points (± {glue:text}`gain_half:.1f`) to GCN.
#
# Three seeds make wide intervals. The next table was made with ten, and with all six layers. It is read from the
# *ledger*, the file in which our long runs are written down one by one, with their seed and software versions.

# %%
runs = privbook.Results("lpgnn")
setting = dict(features="real", epsilon_x=math.inf, epsilon_y=math.inf, x_steps=0,
               y_steps=0)
names = {"mlp": "MLP (no edges)", "gcn": "GCN", "sage": "GraphSAGE",
         "graphconv": "GraphConv", "gat": "GAT", "gatv2": "GATv2",
         "gt": "GT (TransformerConv)"}
scores = {(g, kind): runs.mean(dataset=g, backbone=kind, **setting)
          for g in ("cora", "cora-twin") for kind in names}
assert all(score.low > scores[g, "mlp"].high
           for (g, kind), score in scores.items() if kind != "mlp")
for g in ("cora", "cora-twin"):      # the six are closer together than their lead
    six = [scores[g, kind].mean for kind in BACKBONES]
    assert max(six) - min(six) < min(six) - scores[g, "mlp"].mean
show.table([{"accuracy in %": name, "cora": scores["cora", kind],
             "cora-twin": scores["cora-twin", kind]}
            for kind, name in names.items()])

# %% [markdown]
# All six beat the MLP, and they differ less from each other than from it. On this graph, *that* one listens to one's neighbours matters
# more than *how*.
#
# ## What averaging hides, and what it carries
#
# Suppose everyone adds noise to her number before she says it. One noisy number tells little. The average of $n$ independent ones is more
# exact: its error shrinks like $1/\sqrt n$. So a server that sees noisy numbers only can still learn what is typical
# of a neighbourhood. {doc}`06_lpgnn` is built on this.
#
# % Figure: The more noisy answers an average has, the smaller its error.

# %% mystnb={"image": {"alt": "Error of an average against the number of noisy answers, on logarithmic axes. Measured points fall along the line one over square root of n."}} tags=["hide-input"]
counts = [1, 2, 4, 8, 16, 32, 64]
noise = torch.randn(4000, max(counts), generator=seeded(5))
errors = [float((noise[:, :n].mean(1) ** 2).mean().sqrt()) for n in counts]
figure, axes = plt.subplots(figsize=(5, 3))
axes.loglog(counts, errors, linestyle="", marker="o", label="measured, 4,000 averages")
line = [n**-0.5 for n in counts]
axes.loglog(counts, line, marker="", color=show.COLOURS["black"], label="1/√n")
axes.set(xlabel="n, number of noisy answers", ylabel="error (in units of one answer's noise)")
axes.legend()
plt.show()
print("error at n =", {n: round(error, 2) for n, error in zip(counts, errors, strict=True)})

# %% [markdown]
# But the road that carries a hint carries a secret too. Change the features of one node, and the outputs of everyone within
# reach can change. In the next cell the words of one paper are wiped out; we count whose prediction moves in a trained
# two-layer GCN.

# %%
split = datasets.split(data, seeded(0))
method = plain("gcn")
model = method.learn(method.collect(split, seeded(0)), seeded(0)).model
person = int(degree.argmax())
changed = data.x.clone()
changed[person] = 0
before, after = (model(model.prepare(x, data.edge_index))
                 for x in (data.x, changed))
moved = (before - after).abs().amax(1) > 1e-4
looped = graph.adjacency(data.edge_index, data.num_nodes, self_loops=True)
one_hot = torch.zeros(data.num_nodes, 1)
one_hot[person] = 1.0
reach = (graph.propagate(looped, one_hot, 2) > 0).squeeze()
glue("moved", int(moved.sum()), display=False)
assert (moved <= reach).all()
print(f"{int(moved.sum())} outputs moved, of {int(reach.sum())} within two steps")

# %% [markdown]
# {glue:text}`moved` outputs moved, and nobody's beyond two steps. Read backwards, this is an attack: *whoever can change one person's features and watch the outputs learns who
# is near her.* {cite}`wu2022linkteller` turn this into a guess of the edges. The rest of the book is about stopping such
# readings, and about checking that they are really stopped.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-01-by-hand
# ```
# % Exercise: 10 minutes, ●: aggregation, by hand
# Without running code: what does node 2 of the five-person graph hear under *mean* and under *sum* with the hours
# above? What do 3 and 4 hear under *symmetric*? Then check with `graph.adjacency`.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-01-by-hand
# :class: dropdown
# ```
# Node 2 hears 0, 1 and 3: the sum is $2 + 4 + 20 = 26$, the mean $26/3$. Symmetric: node 3 has degree 2 and hears node 2 (degree 3) with
# weight $1/\sqrt{6}$ and node 4 (degree 1) with $1/\sqrt{2}$, together $6/\sqrt 6 + 10/\sqrt 2$. Node 4 hears only node 3, with $1/\sqrt 2$.

# %%
for kind in ("sum", "mean"):
    heard = graph.adjacency(edge_index, 5, kind) @ hours[:, None]
    print(kind, "at 2:", round(float(heard[2]), 3))
heard = graph.adjacency(edge_index, 5, "symmetric") @ hours[:, None]
assert torch.allclose(heard[3], torch.tensor(6 / math.sqrt(6) + 10 / math.sqrt(2)))
assert torch.allclose(heard[4], torch.tensor(20 / math.sqrt(2)))


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-01-write
# ```
# % Exercise: 15 minutes, ●: scatter instead of a loop
# *(With a checker.)* Write `sum_aggregate(edge_index, x)`, which returns for every node the sum of its neighbours' feature
# vectors, without a loop over edges and without a sparse matrix. Hint: `torch.Tensor.index_add_`. Run `check(sum_aggregate)`; it
# tests isolated nodes too.
# ```{exercise-end}
# ```

# %%
def check(sum_aggregate):
    """Compare with the library on random graphs, one with isolated nodes."""
    for n, pairs in ((5, 8), (50, 120), (40, 5)):
        drawn = torch.randint(n, (2, pairs), generator=seeded(n))
        edges = graph.to_undirected(drawn, n)
        x = torch.rand(n, 3, generator=seeded(n + 1))
        expected = graph.adjacency(edges, n, "sum") @ x
        right = torch.allclose(sum_aggregate(edges, x), expected, atol=1e-5)
        assert right, f"wrong on a graph of {n} nodes"
    print("all three graphs: correct")


# %% [markdown]
# ```{solution-start} ex-01-write
# :class: dropdown
# ```

# %%
def sum_aggregate(edge_index, x):
    source, target = edge_index
    return torch.zeros_like(x).index_add_(0, target, x[source])

check(sum_aggregate)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-01-rewired
# ```
# % Exercise: 15 minutes, ●: a control: are the edges worth anything?
# Is it the *edges* that help, or just the averaging? Replace the edges by as many random pairs and train the
# GCN again. Where do you expect its accuracy: above the MLP, equal, or below? Why?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-01-rewired
# :class: dropdown
# ```
# Far below. Random neighbours have random classes, so averaging mixes the words of all fields into one grey mean, and GCN cannot set its own
# words apart. The edges themselves carry the gain.

# %%
import copy

n, count = data.num_nodes, data.num_edges // 2
random_pairs = graph.sample_non_edges(data.edge_index, n, count, seeded(1))
rewired = copy.copy(data)
rewired.edge_index = graph.to_undirected(random_pairs, n)
score = evaluation.run_once(plain("gcn"), rewired, seed=0)
print(f"GCN on random edges {score:.1f}, on true edges {live['gcn'][0]:.1f},",
      f"MLP {live['mlp'][0]:.1f}")
assert score < live["mlp"][0]

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - A graph is a list of pairs; one sparse matrix turns it into averages over neighbours.
# - A layer aggregates and projects. After $K$ layers a node's output depends on features within $K$ steps, and on no others.
# - On graphs with high homophily the edges add much to the features, whichever of the six layers is used.
# - Averaging shrinks independent noise like $1/\sqrt n$. Leaves have nothing to average with.
# - Outputs move when neighbours change, so outputs tell about neighbours.
#
# **Further reading.** {cite}`kipf2017semi` for GCN, {cite}`hamilton2017inductive` for GraphSAGE, {cite}`velickovic2018graph` for attention, and {cite}`wu2022linkteller` for the attack that the last section hints
# at. Next: {doc}`02_differential_privacy`.
