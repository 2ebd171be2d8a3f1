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
# A hospital knows who visited whom, a shop knows which products were bought together, and a social network knows who is friends with whom. A *graph neural network* learns from both the properties of the nodes and the edges between them, because each node averages over its neighbours. On a citation graph, a graph convolutional network (GCN) is {glue:text}`gain:.1f` percentage points more accurate than a neural network of the same size that does not use the edges. The same averaging can reveal secrets, however, because the output for one node depends on the features of its neighbours. Both the methods that protect data and the attacks that steal them use this averaging.
#
# :::{admonition} What you will learn
# :class: tip
# - how a graph is stored, and how to count, normalise and aggregate with one sparse matrix;
# - what six common layers of graph neural networks compute, one of them by hand;
# - how much the edges of a citation graph add to the accuracy that the features alone give;
# - why averaging over neighbours reduces noise, and why the same averaging carries secrets.
#
# **You need** Python, a little linear algebra, and an idea of how a neural network is trained. **Time:** 25 minutes.
# :::

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
# ## A toy graph
#
# Our first graph has five people. Persons 0, 1 and 2 know each other, and person 3 knows persons 2 and 4. Each person has one number, the hours that they spent online last week.
#
# % Figure: In the toy graph, persons 0, 1 and 2 form a triangle, and person 4 is connected to them only through person 3.

# %% mystnb={"image": {"alt": "Five circles joined by lines. 0, 1 and 2 form a triangle; a tail leads from 2 to 3 to 4. The hours are 2, 4, 6, 20 and 10."}} tags=["hide-input"]
edge_index, hours = show.TOY_EDGES, torch.tensor([2.0, 4.0, 6.0, 20.0, 10.0])
figure, axes = plt.subplots(figsize=(6, 2.4))
labels = {v: f"{v}\n{h:.0f} h" for v, h in enumerate(hours.tolist())}
show.draw_graph(axes, edge_index, show.TOY_POSITIONS, labels, size=1500)
plt.show()

# %% [markdown]
# PyG, the library that we build on, stores a graph as a list of pairs, the columns of a matrix called `edge_index`. The first row holds the senders of the messages, and the second row the receivers. An edge carries messages both ways, so each of the five lines in the picture appears twice, as two *directed* edges.

# %%
print(edge_index)
print("directed:", edge_index.size(1), " undirected:", edge_index.size(1) // 2)

# %% [markdown]
# Every graph in this book obeys four rules. Both directions of an edge are present, no edge appears twice, no node has an edge to itself, and nodes are numbered from 0. The functions of `privgraph`, the library of this book, check these rules and name the broken one.
#
# :::{prf:definition} Neighbours and degree
# :label: def-neighbours
#
# The *neighbours* of node $v$ are $\mathcal{N}(v) = \{u : (u, v) \text{ is an edge}\}$. Their number $d_v = |\mathcal{N}(v)|$ is the *degree* of $v$.
# :::
#
# Person 2, for example, has the neighbours 0, 1 and 3, and hence degree 3. Degrees can be counted from the second row of `edge_index` alone, because a node receives one message per neighbour.

# %%
print("degrees:", graph.degrees(edge_index, 5).tolist())


# %% [markdown]
# ## One step of message passing
#
# Suppose that each person asks all neighbours how many hours they spent online, and writes down the average. One step of message passing does no more than *collect* values and then *combine* them.

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
# Person 4 knows only person 3. After the step, person 4 therefore holds the number 20, the unchanged hours of person 3. An average hides single values only if it contains many of them.
#
# The loop visits the edges one by one. A matrix product computes all averages at once. Let $P$ be a matrix with one row per receiver $v$ and one column per sender $u$. If $u$ is a neighbour of $v$, the entry is the weight that $v$ gives to the value of $u$, and otherwise 0. For the average this weight is $1 / d_v$. If $x$ is the vector of hours, the averages are the product $P x$. Since most entries are zero, $P$ is stored in *compressed sparse row* form, and a product costs one multiplication per directed edge.

# %%
mean_matrix = graph.adjacency(edge_index, 5, "mean")
print(mean_matrix.to_dense().numpy().round(2))

fast = (mean_matrix @ hours[:, None]).squeeze()
assert torch.allclose(fast, torch.tensor(mean_of_neighbours(edge_index, hours)))

# %% [markdown]
# The loop is the definition, and the matrix is the version that we use. Every chapter on a method shows such a pair. The assertion below the fast version stays in the page, so the book cannot be built if the two disagree.
#
# ### Three ways to weigh a neighbour
#
# Networks differ in these weights, and three choices are common. In the table, $A$ is the plain *adjacency matrix* (1 where there is an edge, 0 elsewhere), and $D$ is the diagonal matrix of degrees. The last column lists layers that the next section explains, and KProp, which smooths noisy features in {doc}`Chapter 6 <06_lpgnn>`. GCN adds each node to its own neighbours before it computes the degrees.
#
# | name | weight of $u$ for $v$ | matrix | used by |
# |---|---|---|---|
# | sum | $1$ | $A$ | GraphConv |
# | mean | $1/d_v$ | $D^{-1}A$ | GraphSAGE |
# | symmetric | $1/\sqrt{d_u d_v}$ | $D^{-1/2} A D^{-1/2}$ | GCN, KProp |
#
# The sum grows with the number of neighbours, so a popular person gets a large value. The mean does not. With the symmetric weight, a popular person still gets a larger value, but less so than with the sum. This weight is also lower for messages from a *sender* with many neighbours.

# %%
for kind in graph.NORMALISATIONS:
    heard = graph.adjacency(edge_index, 5, kind) @ hours[:, None]
    print(f"{kind:10}", heard.squeeze().numpy().round(2))

# %% [markdown]
# ### Two steps reach twice as far
#
# After a second step, person 0 has received from person 2 a value that contains the hours of person 3. In $K$ steps the values are multiplied by $P^K$. Row $v$ of $P^K$, shown in the figure, contains the weights with which the receiver $v$ (the *listener*) combines the values of all senders (the *speakers*). Only senders from which a walk of exactly $K$ steps leads to $v$ have weight. Nothing has therefore come from further than $K$ edges away.
#
# % Figure: With 1 step only neighbours have weight, whereas with 8 steps every person has weight for every other.

# %% mystnb={"image": {"alt": "Three 5 by 5 heat maps of the weights for 1, 2 and 8 steps. With 1 step only neighbours have weight; with 8 steps every person has weight for every other, although rows still differ."}} tags=["hide-input"]
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
# With more than eight steps, the rows become alike. Many steps therefore average over many nodes, but distinguish people poorly.
#
# ## From averaging to a layer
#
# A layer of a graph neural network does two things. It *aggregates*, that is, it combines the neighbours' feature vectors as above. It also *projects*, that is, it multiplies by a matrix of learnt weights. A non-linear function follows, and then the next layer. Let $X$ be the feature matrix with one row per node, and let $W$, $W_1$, $W_2$ and $b$ be learnt. The outputs $H$ of two common layers are
#
# $$
# \begin{aligned}
# \text{GCN:}\quad & H = \tilde D^{-1/2} (A + I) \tilde D^{-1/2} \, X \, W + b \\
# \text{GraphSAGE:}\quad & H = D^{-1} A \, X \, W_1 + X \, W_2 + b .
# \end{aligned}
# $$
#
# GCN {cite}`kipf2017semi` adds every node to its own neighbourhood, hence the $+I$, and $\tilde D$ is the diagonal matrix of the degrees in $A + I$. GraphSAGE {cite}`hamilton2017inductive` keeps a node's own features separate, with weights of their own. GraphConv {cite}`morris2019weisfeiler` is GraphSAGE with the sum in place of the mean.
#
# Three further layers *learn* how much weight each neighbour gets. They compute a score for every edge, and turn the scores around a node into weights that sum to one. Let $x_u$ and $h_v$ be rows of $X$ and $H$. Then
#
# $$
# h_v = \sum_{u \in \mathcal{N}(v)} \alpha_{uv} W x_u, \qquad
# \alpha_{uv} = \frac{\exp s(x_u, x_v)}{\sum_{w \in \mathcal{N}(v)} \exp s(x_w, x_v)} .
# $$
#
# The three layers differ in the score $s$. GAT {cite}`velickovic2018graph` adds a number that depends on the sender and a number that depends on the receiver. The ranking of the senders is therefore the same for every receiver. In GATv2 {cite}`brody2022attentive` it may differ, because the score can depend on both together. TransformerConv (GT) {cite}`shi2021masked` takes the inner product of a *query* computed from the receiver and a *key* computed from the sender, as in language models. GAT and GATv2 count $v$ among its own neighbours, whereas GT adds the features of $v$ through a further matrix.
#
# To check that we understand PyG correctly, we compute the formula of GraphSAGE with PyG's own weights.

# %%
x = torch.rand(5, 3, generator=seeded(0))
model = Backbone("sage", num_features=3, num_classes=2, generator=seeded(1))
layer = model.first                                    # PyG's SAGEConv
by_hand = (mean_matrix @ x) @ layer.lin_l.weight.T + layer.lin_l.bias
by_hand = by_hand + x @ layer.lin_r.weight.T
assert torch.allclose(by_hand, layer(x, edge_index), atol=1e-6)
print("by hand and PyG agree for", x.size(0), "nodes")

# %% [markdown]
# :::{admonition} The first average needs to be computed only once
# :class: note
# In the first layer, $D^{-1} A X$ contains nothing learnt, and it is therefore the same in every epoch of training. `privgraph` computes it once.
# :::
#
# ## A real graph
#
# Cora is a graph of research papers. A paper's features say which of 1,433 words occur in it, an edge is a citation, and the label is the field. None of this is secret. Research on private graph learning, however, treats papers as people and citations as contacts, and Cora is its favourite test bench.

# %%
data = datasets.default()
show.banner(data)

# %%
show.card_table(data)

# %% [markdown]
# Two properties of this graph matter in all later chapters. The first, for privacy, is that *degrees are unequal*, because a few papers have very many neighbours and most have few.
#
# % Figure: In this graph {glue:text}`leaves:.0f` % of the nodes have one neighbour, whereas a few nodes have very many.

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
# Of 100 nodes, {glue:text}`leaves:.0f` are *leaves*, which have one neighbour like person 4 above. For a leaf, the average over neighbours is somebody's raw value.
#
# The second property, for learning, is that *edges tend to join nodes of the same class*. The **homophily** of a graph is the share of edges that do so. For comparison, we shuffle the labels.

# %%
shuffled = data.y[torch.randperm(data.num_nodes, generator=seeded(0))]
homophily = graph.homophily(data.edge_index, data.y)
chance = graph.homophily(data.edge_index, shuffled)
glue("homophily", homophily, display=False)
glue("chance", chance, display=False)
print(f"homophily {homophily:.2f}, with shuffled labels {chance:.2f}")


# %% [markdown]
# The homophily is {glue:text}`homophily:.2f`, compared with {glue:text}`chance:.2f` for shuffled labels. A neighbour's class is therefore a strong hint about a node's own class, and message passing works here for this reason. For the same reason, a person's label does not stay secret merely because they keep it to themselves.
#
# ## How much do the edges add?
#
# We train on half of the nodes, choose the best epoch on a quarter, and measure accuracy on the last quarter, whose labels are hidden until then. All networks here have two layers. The reference is a *multilayer perceptron* (MLP), which uses no edges. Accuracy above that of the MLP is therefore due to the graph.
#
# Every run draws a new split and new weights from its seed. We report the mean over seeds with a 95% interval (Student's t). If we repeated the whole experiment many times, about 95 of 100 such intervals would contain the mean over all splits and initial weights on this graph. We say "about" because accuracies need not be normally distributed, as Student's t assumes. Below, `plain` is an ordinary network. It is {doc}`LPGNN <06_lpgnn>`, the private method of Chapter 6, without noise and smoothing.

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
# The three runs of GCN and of the MLP used the same splits. We may therefore subtract their accuracies pair by pair, which removes the luck of the split. With the edges, the accuracy is {glue:text}`gain:.1f` points higher (± {glue:text}`gain_half:.1f`, a 95% interval).
#
# Three seeds make wide intervals, so the next table has ten seeds and all six layers. Its numbers come from the *ledger*, the files in which our long runs are recorded one by one, with their seed and software versions. The last column is for Cora's twin, a similar synthetic graph.

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
# All six layers beat the MLP, and they differ less from each other than from the MLP. On these graphs, *whether* a network aggregates over neighbours matters more than *how* it does so.
#
# ## Averaging reduces noise and carries secrets
#
# Suppose that each person adds so much noise that a single answer reveals little. If the noise is independent, however, it partly cancels in an average of $n$ answers, whose error shrinks like $1/\sqrt n$. A server that receives only noisy answers can therefore still learn the typical value of a neighbourhood. {doc}`LPGNN <06_lpgnn>` is built on this idea.
#
# % Figure: The error of an average of n noisy answers falls like 1/√n, so that with 64 answers it is an eighth of one answer's error.

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
# The averaging that helps to classify a node also carries its neighbours' secrets, however. If the features of one node change, the outputs of all nodes within reach can change. The next cell deletes the words of the paper with the most neighbours, and counts the nodes whose output changes in a trained two-layer GCN.

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
# Here {glue:text}`moved` outputs changed, and none of them is more than two steps away. *An attacker who can change one person's features and watch the outputs learns who is near that person.* LinkTeller {cite}`wu2022linkteller` turns this idea into a guess of the edges. The rest of the book shows how to prevent such attacks, and how to check that this works.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-01-by-hand
# ```
# % Exercise: 10 minutes, ●: aggregation, by hand
# Without running code, which values does node 2 of the five-person graph receive under *mean* and under *sum*, with the hours above? Which values do nodes 3 and 4 receive under *symmetric*? Check your results with `graph.adjacency`.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-01-by-hand
# :class: dropdown
# ```
# Node 2 receives values from nodes 0, 1 and 3. Their sum is $2 + 4 + 20 = 26$, and their mean is $26/3$. Under *symmetric*, node 3 has degree 2. It receives the value of node 2 (degree 3) with weight $1/\sqrt{6}$ and that of node 4 (degree 1) with weight $1/\sqrt{2}$, together $6/\sqrt 6 + 10/\sqrt 2$. Node 4 receives only the value of node 3, with weight $1/\sqrt 2$.

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
# *(With a checker.)* Write `sum_aggregate(edge_index, x)`, which returns for every node the sum of its neighbours' feature vectors, without a loop over edges and without a sparse matrix. The function `torch.Tensor.index_add_` helps. Run `check(sum_aggregate)`, which tests isolated nodes too.
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
# Do the *edges* help, or just the averaging? Replace the edges by as many random pairs, and train the GCN again. Do you expect its accuracy above that of the MLP, equal to it or below it, and why?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-01-rewired
# :class: dropdown
# ```
# The accuracy is far below that of the MLP. Random neighbours have random classes, so the average mixes the words of all fields, and GCN cannot separate a node's own words from the mixture. The gain therefore comes from the true edges.

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
# - A graph is stored as a list of pairs, and one sparse matrix computes the averages over neighbours.
# - A layer aggregates and then projects. After $K$ layers, a node's output depends on features within $K$ steps, and on no others.
# - On Cora and its synthetic twin, a network that uses the edges is much more accurate than one that does not, whichever layer it has. Here the GCN gains {glue:text}`gain:.1f` points.
# - Averaging shrinks independent noise like $1/\sqrt n$, but a leaf has nothing to average with.
# - The output for one node depends on the features of its neighbours, and can therefore reveal information about them.
#
# **Further reading.** {cite}`kipf2017semi` for GCN, {cite}`hamilton2017inductive` for GraphSAGE, {cite}`velickovic2018graph` for attention, and {cite}`wu2022linkteller` for the attack of the last section.
