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
# # PPFL-GNN: data stay local, embeddings travel
#
# % Front page: train embeddings with other clients without sharing a graph (PPFL-GNN), align their spaces, and find out who gains
#
# In PPFL-GNN (privacy-preserving federated learning), several clients keep their own graphs and exchange embeddings of the *public* nodes, those that all clients know. In one run of two rounds on {glue:text}`graph_name`, public nodes that have no edge in a client's graph gain {glue:text}`live_without:.0f` points of accuracy over training alone, and the accuracy over all nodes changes by {glue:text}`live_all:.1f` points. The gain of these public nodes comes from the other clients.
#
# :::{admonition} What you will learn
# :class: tip
# - how clients train embeddings together, and why these must first be rotated into one space;
# - how Procrustes alignment finds the rotation;
# - which bytes leave a client in a round, and which answer the client gets back;
# - which nodes gain and which lose, and which controls a federation must beat.
#
# **You need** {doc}`message passing <01_graphs_and_message_passing>`. {doc}`The second page <11_server>` shows what the messages reveal and which guarantee can be kept. **Time:** 25 minutes.
# :::
#
# :::{admonition} Card
# :class: note
# | | |
# |---|---|
# | Method | PPFL-GNN, as federated DeepWalk and federated GAT, in Chapter 4 of the dissertation {cite}`dissertation` and in {cite}`zhang2023federated` |
# | Who is trusted | each client with its own part of the graph ("federated"); the server and the other clients get embeddings of public people |
# | What is protected, according to the dissertation | edges and attributes of people whom one client alone holds |
# | Unit and relation | none is stated |
# | Claimed | no $\varepsilon$: "original data" stay local |
# | Verdict | refuted: the framework ensures privacy. See {doc}`the register of claims <14_claims>` |
# | Sound instead | each client randomises its edges before the first walk: $\varepsilon$ for an edge with a private end ({doc}`the second page <11_server>`) |
# | Node, with all its edges | no useful $\varepsilon$, because each pair with another node of the client costs $\varepsilon$ |
# :::

# %% tags=["hide-input"]
import copy
import math
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import torch
from myst_nb import glue
from torch_geometric.data import Data

from privbook import show
from privgraph import datasets
from privgraph.graph import degrees, to_undirected
from privgraph.methods import DeepWalk
from privgraph.methods.federated.alignment import procrustes
from privgraph.methods.federated.federated_deepwalk import FederatedDeepWalk
from privgraph.methods.federated.metrics import fold_of, micro_f1, over_clients
from privgraph.methods.federated.row_messages import unpack_rows
from privgraph.methods.federated.split import hold, parts
from privgraph.methods.federation import exchange
from privgraph.randomness import draw_seed, seeded

show.use_style()
SHARED, PRIVATE = "#8FC1E3", "#F2B58F"

# %% [markdown]
# ## The problem in one picture
#
# Two clinics, A and B, each keep a network of people who met. Five people go to both clinics. They are **public**, which here means only that all clients know them. The others are **private**, because each is known to one clinic only. An edge has a *private end* if at least one of its two people is private. Neither clinic may hand over its network, but each would like to learn from the other. (In the code, edges are `links` and the random bits of a seed are `coins`.)

# %%
public_links = [(0, 1), (1, 2), (2, 3)]          # both clinics see these
only_a = [(0, 5), (1, 5), (5, 6)]
only_b = [(3, 7), (4, 7), (3, 8)]
nobody = [(6, 8)]                  # a private person of A, and one of B
links = public_links + only_a + only_b + nobody
world = Data(edge_index=to_undirected(torch.tensor(links).t(), 9), num_nodes=9,
             holder=torch.tensor([-1, -1, -1, -1, -1, 0, 0, 1, 1]))
a, b = parts(world)                # public people come first in each

# %% [markdown]
# % Figure: Each clinic knows 7 of the 9 people, and neither clinic has the edge between 6 and 8.

# %% mystnb={"image": {"alt": "Three drawings. The world has nine people, 0 to 4 in blue in a row, 5 and 6 above them and 7 and 8 below in orange. Clinic A has 0 to 6, and 4 has no link there. Clinic B has 0 to 4, 7 and 8, and 4 is linked to 7. The link between 6 and 8 is in neither."}} tags=["hide-input", "full-width"]
SPOTS = {0: (0, 0), 1: (1.2, 0), 2: (2.4, 0), 3: (3.6, 0), 4: (4.8, 0), 5: (0.6, 1.1), 6: (3.0, 1.1),
         7: (4.2, -1.1), 8: (3.0, -1.1)}
figure, axes = plt.subplots(1, 3, figsize=(10, 2.6), sharex=True, sharey=True)
for ax, part, title in zip(axes, (world, a, b), ("the world", "what clinic A has", "what clinic B has"), strict=True):
    who = part.n_id.tolist() if "n_id" in part else range(9)
    show.draw_graph(ax, part.edge_index, {i: SPOTS[v] for i, v in enumerate(who)},
                    labels={i: str(v) for i, v in enumerate(who)},
                    colours=[SHARED if v < 5 else PRIVATE for v in who], size=420)
    ax.set_title(title)
plt.show()

# %% [markdown]
# Person 4 shows why a federation can help. Clinic A knows that this person exists and nothing else, whereas clinic B knows whom they meet. The edge between 6 and 8 shows a limit. It joins private people of two clinics, so neither clinic has it.
#
# In **federated learning** {cite}`mcmahan2017communication`, the data stay where they are, and only the results of training are sent. The dissertation {cite}`dissertation` states that privacy is protected because original data stay with each client and only processed embeddings of public nodes are uploaded. {doc}`The second page <11_server>` tests this statement.
#
# ## Embeddings from random walks
#
# Each clinic first trains alone, with **DeepWalk** {cite}`perozzi2014deepwalk`. Random walkers move along the edges, and training gives each person an embedding, a vector of numbers. Two people who are often close on walks should get a large inner product, and others a small one. Close means at most `window` steps apart, and each such pair is compared with `negatives` random people. Two numbers per person are enough here, a point in the plane.

# %%
walker = DeepWalk(dimension=2, walks=10, length=10, window=2,
                  negatives=3, epochs=8)
alone = {"clinic A": walker.embed(a, seeded(0)).z,
         "clinic A, other seed": walker.embed(a, seeded(1)).z,
         "clinic B": walker.embed(b, seeded(2)).z}


# %% [markdown]
# % Figure: Two trainings of clinic A give its 7 people nearly the same shape up to a rotation or reflection, and clinic B's space is rotated differently.

# %% mystnb={"image": {"alt": "Three clouds of seven points each. The two of clinic A have the same shape, a bent line from one end of the path to the other with person 4 near the origin, but one is rotated or reflected. Clinic B's is a bent line too, with person 4 far from the origin, and rotated otherwise."}} tags=["hide-input", "full-width"]
def spread(ax, z, who, marker="o", alpha=1.0):
    """People as points with their numbers; blue ones are public."""
    for (x, y), v in zip(z.tolist(), who, strict=True):
        ax.plot(x, y, marker, color=SHARED if v < 5 else PRIVATE, markeredgecolor="black", markersize=13, alpha=alpha)
        ax.annotate(str(v), (x, y), ha="center", va="center", fontsize=8)
    ax.set_aspect("equal")
    ax.margins(0.15)

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2))
for ax, (name, z) in zip(axes, alone.items(), strict=True):
    spread(ax, z, (b if name.endswith("B") else a).n_id.tolist())
    ax.axhline(0, color="#BBBBBB", linewidth=0.8, zorder=0)
    ax.axvline(0, color="#BBBBBB", linewidth=0.8, zorder=0)
    ax.set(title=name, xlabel="first number", ylabel="second number")
plt.show()

# %% [markdown]
# Clinic A was trained twice with different seeds, and the two results have nearly the same shape up to a rotation or reflection. Nothing fixes the rotation, because training depends on the embeddings only through their inner products. An orthogonal matrix (a rotation, possibly with a reflection) leaves all inner products unchanged.

# %%
z = alone["clinic A"]
quarter = z @ torch.tensor([[0.0, 1.0], [-1.0, 0.0]])     # by 90 degrees
print("same products:", torch.allclose(z @ z.t(), quarter @ quarter.t()))


# %% [markdown]
# The numbers of one clinic therefore mean nothing in the space of the other. Averaging them would be like averaging two maps, one of which is upside down.
#
# ## Aligning two embedding spaces
#
# The five public people appear on both maps, however. We can therefore rotate B's map until these five points are as close as possible to A's. The cell tries all rotations in steps of one degree, without and with a reflection.

# %%
def turn(degree, mirrored):
    c, s = math.cos(math.radians(degree)), math.sin(math.radians(degree))
    return np.array([[c, s], [-s, c]]) @ np.diag([1, -1 if mirrored else 1])

theirs = alone["clinic B"][:5].numpy().astype(float)   # five people, two numbers
mine = alone["clinic A"][:5].numpy().astype(float)

def misfit(w):
    """How far the five are apart in total, squared."""
    return ((theirs @ w - mine) ** 2).sum()

tried = {(d, m): misfit(turn(d, m)) for m in (False, True) for d in range(360)}
best = min(tried, key=tried.get)
print(f"best of {len(tried)}: {best[0]} degrees, reflected: {best[1]}")

# %% [markdown]
# In the next figure you can rotate B's embeddings yourself.

# %%
show.rotation_figure(alone["clinic B"][:5], alone["clinic A"][:5])


# %% [markdown]
# The best rotation can also be computed directly. Let the rows of $X$ be B's embeddings of the five people, and the rows of $Y$ those of A. We look for the orthogonal matrix $W$ with the smallest squared distance, summed over all entries, which is
#
# $$
# \lVert X W - Y \rVert^2 = \lVert X \rVert^2 + \lVert Y \rVert^2 - 2\, \mathrm{tr}(W^\top X^\top Y) .
# $$
#
# An orthogonal matrix changes no length, so only the last term depends on $W$, and its trace should be large. The **singular value decomposition** writes the small matrix $X^\top Y$ as $U \Sigma V^\top$, that is, as an orthogonal matrix, a scaling along the axes and another orthogonal matrix. The trace is then $\mathrm{tr}(\Sigma\, V^\top W^\top U)$, because $\mathrm{tr}(AB) = \mathrm{tr}(BA)$. The matrix $V^\top W^\top U$ is a product of orthogonal matrices and hence orthogonal itself, and no entry of an orthogonal matrix is above 1. Because the singular values in $\Sigma$ are not negative, the trace is largest if all diagonal entries of $V^\top W^\top U$ are 1. The only such orthogonal matrix is the identity, so that
#
# $$
# W = U V^\top .
# $$
#
# This is **Procrustes alignment**, eq. 4.4 of the dissertation. (The dissertation writes people as columns, so its product is $W X$.)

# %%
def procrustes_by_hand(x, y):
    u, _, vt = np.linalg.svd(x.T @ y)
    return u @ vt

w = procrustes_by_hand(theirs, mine)
print(f"misfit: best degree {tried[best]:.4f}, by SVD {misfit(w):.4f}")
assert misfit(w) <= tried[best]
fast = procrustes(torch.tensor(theirs), torch.tensor(mine))
assert np.allclose(w, fast)

# %% [markdown]
# % Figure: No misfit among the 720 candidates is below that of the SVD, and in the aligned space the clinics differ most on person 4.

# %% mystnb={"image": {"alt": "Left, the misfit over the degree, a wave without the reflection and another with it; a dot at the lowest point of the lower wave is the answer by SVD. Right, the five public people of clinic A as circles and those of clinic B, rotated, as squares, joined by lines. The longest line is that of person 4, whom A has near the origin and B far from it."}} tags=["hide-input", "full-width"]
figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.6))
for mirrored, label in ((False, "rotated"), (True, "reflected and rotated")):
    left.plot(range(360), [tried[d, mirrored] for d in range(360)], label=label, marker="")
angle = math.degrees(math.atan2(w[0, 1], w[0, 0])) % 360
left.plot(angle, misfit(w), "o", color="black", markersize=9, label="by SVD")
left.set(xlabel="degrees", ylabel="misfit of the five, squared")
left.legend(fontsize=8)
for (x, y), (p, q) in zip(mine, theirs @ w, strict=True):
    right.plot([x, p], [y, q], "-", color="black", linewidth=1, zorder=0)
spread(right, mine, range(5))
spread(right, theirs @ w, range(5), marker="s")
right.set(xlabel="first number of A", ylabel="second number of A", title="circles: A, squares: B rotated")
plt.show()

# %% [markdown]
# ## The messages of one round
#
# In each **round** of the federation, clients send embeddings of the public people to a server. The server rotates and averages them, and each client gets an answer in *its own* space.

# %%
method = FederatedDeepWalk(dimension=2, rounds=6, length=10, window=2,
                           negatives=3, first_epochs=20, epochs=5, batch=16)
client_a = method.client(a, seeded(0))
message = client_a.send()
print(len(message), "bytes, beginning with", message[:6])
print(unpack_rows(message, (5, 2)))

# %% [markdown]
# These {glue:text}`bytes` bytes are all that leaves clinic A in this round. After a header with the shape of the table, they hold two numbers of four bytes for each of five people. They contain no name, no edge and no private person, but they depend on private edges, as {doc}`the second page <11_server>` shows. Client and server may run on separate machines ({doc}`running a federation <../book/federation>`).

# %% tags=["remove-cell"]
glue("bytes", len(message), display=False)
assert client_a.embeddings().shape == (7, 2) and unpack_rows(message, (5, 2)).shape == (5, 2)


# %% [markdown]
# ## Algorithm 3, line by line
#
# The dissertation states the whole method as its Algorithm 3, whose line numbers stand in the comments below. Before the first round each clinic trains alone. In each round, the server rotates the embeddings of all clients into the space of each client and averages them there. Each client puts this answer in the place of its public people's embeddings, and continues training.

# %%
def algorithm_3(members, method):
    own, seeds = zip(*members, strict=True)
    coins, n = [seeded(seed) for seed in seeds], len(own)
    models = [method.initial(own[i], coins[i]) for i in range(n)]
    p = own[0].num_public

    def train(i, epochs, rate):
        method.walker(epochs, rate).train(models[i], own[i], coins[i],
                                          batch=method.batch)
        models[i].balance()  # see below

    for i in range(n):
        train(i, method.first_epochs, method.first_rate)  # lines 2, 3
    for _ in range(method.rounds):  # line 9
        uploads = [model.vectors.data[:p].clone() for model in models]  # lines 4-7
        for i in range(n):  # line 11
            total = uploads[i].numpy().copy()
            for j in set(range(n)) - {i}:  # line 12
                x, y = uploads[j].numpy(), uploads[i].numpy()
                total += x @ procrustes_by_hand(x, y)  # line 13
            models[i].vectors.data[:p] = torch.tensor(total / n)  # lines 15-22
            train(i, method.epochs, method.learning_rate)  # lines 24, 25
    return [model.vectors.data for model in models]  # line 28


# %%
two_rounds = replace(method, rounds=2)
coins = seeded(5)
draw_seed(coins)                       # the server's; ours needs none
by_hand = algorithm_3(two_rounds.parts_and_seeds(world, coins), two_rounds)

clients, rounds = two_rounds.run(world, seeded(5))
for client, expected in zip(clients.values(), by_hand, strict=True):
    assert torch.allclose(client.embeddings(), expected, atol=1e-4)
print("the library makes the same vectors, in", len(rounds), "rounds")

# %% [markdown]
# :::{admonition} Conventions
# :class: note dropdown
# A person has *two* embeddings in DeepWalk, one as themselves ($u$) and one as the *context* of others ($v$), and training uses only products $u \cdot v$. The dissertation does not state how long clients train, nor what happens to the contexts. The products stay the same if all $u$ are multiplied by any invertible matrix and all $v$ by its transposed inverse, so the spaces of two clients may differ by more than an orthogonal matrix. After each training the library therefore brings the two tables into **balance** ($U^\top U = V^\top V$). Then only orthogonal matrices are left. In a trial on Cora without this step, six rounds cost two clients almost twelve points of accuracy.
# :::
#
# In the next figure, circles are A's people (public ones in blue), and squares are B's public people, rotated into A's space. A line joins the two embeddings of one person.

# %%
server = method.server(seeded(0))
pair = {0: method.client(a, seeded(0)), 1: method.client(b, seeded(2))}
seen = []
for _ in range(method.rounds + 1):
    seen.append([client.embeddings() for client in pair.values()])
    exchange(server, pair)

# %% [markdown]
# % Figure: After one round, clinic A's embedding of person 4 is less than half as far from clinic B's as before.

# %% mystnb={"image": {"alt": "Five panels, before the first round and after one, two, four and six rounds. In the first, person 4 is near the origin at A and far from it at B. After one round the two lie near each other, and stay so, as A's vector of person 4 has moved to where B has this person. Lines of the other public people are shorter too."}} tags=["hide-input", "full-width"]
SHOWN = (0, 1, 2, 4, 6)
figure, axes = plt.subplots(1, len(SHOWN), figsize=(12.5, 3.2), sharex=True, sharey=True)
gone = {}
for ax, number in zip(axes, SHOWN, strict=True):
    za, zb = (z.numpy() for z in seen[number])
    w = procrustes_by_hand(zb[:5], za[:5])
    for one, other in zip(za[:5], zb[:5] @ w, strict=True):
        ax.plot((one[0], other[0]), (one[1], other[1]), "-", color="black", linewidth=1, zorder=0)
    spread(ax, zb[:5] @ w, range(5), marker="s", alpha=0.6)
    spread(ax, za, a.n_id.tolist())
    gone[number] = np.linalg.norm(za[4] - zb[4] @ w)
    ax.set_title(f"after round {number}" if number else "before")
plt.show()

# %% tags=["remove-cell"]
assert max(gone[n] for n in SHOWN[1:]) < gone[0] / 2
assert not set(a.edge_index[0].tolist()) & {4} and set(b.edge_index[0].tolist()) & {4}

# %% [markdown]
# At clinic A, the embedding of person 4 moves from near the origin to where clinic B has it. Clinic A had no edge of this person, and now it has an embedding that encodes whom they meet *at clinic B*. This is the benefit of the method, and it is also the leak.
#
# ## On a graph
#
# We now take four clients, as in the dissertation, and two rounds. Of all nodes, 40% are public, and each client holds another 15% for itself.

# %%
data = hold(datasets.default(), seeded(0))
four = parts(data)
show.banner(data)


# %% tags=["hide-input"]
def number_of(kind):
    return len({tuple(sorted(e)) for e in data.edge_index.t().tolist() if kind(*(int(data.holder[v]) for v in e))})

def public_ends(u, v):
    return u == v == -1

def private_end(u, v):
    return (min(u, v) == -1 and max(u, v) >= 0) or u == v >= 0

total = number_of(lambda u, v: True)
counts = {"between public people: in all four parts": number_of(public_ends),
          "with a private end: in one part": number_of(private_end)}
counts["between private people of two clients: in none"] = total - sum(counts.values())
rows = [{"links": name, "how many": count, "share": f"{100 * count / total:.0f}%"} for name, count in counts.items()]
nothing = [float((degrees(part.edge_index, part.num_nodes)[:part.num_public] == 0).double().mean()) for part in four]
glue("lonely", 100 * sum(nothing) / 4, display=False)
glue("nobodys", 100 * rows[2]["how many"] / total, display=False)
show.table(rows)

# %% [markdown]
# Of the edges, {glue:text}`nobodys:.0f`% are in no client's part of the graph, and no client can train on them. Of the public nodes, {glue:text}`lonely:.0f`% have no edge at all at a client, like person 4 at clinic A.

# %%
federation = FederatedDeepWalk(rounds=2)
members = federation.parts_and_seeds(data, seeded(1))
trained = {i: federation.client(part, seeded(seed))     # each alone
           for i, (part, seed) in enumerate(members)}

def after(answer):
    """The clients after all rounds with a server that answers like this."""
    clients = copy.deepcopy(trained)
    server = replace(federation, answer=answer).server(seeded(2))
    return clients, [exchange(server, clients) for _ in range(federation.rounds)]


# %% [markdown]
# ### Who gains, and from what?
#
# Federation also trains the embeddings longer and perturbs them in each round, and either can change accuracy without any shared information. We therefore compare the aligned average with four other server answers, which contain less information from the other clients or none. These are the client's own embeddings (*alone*), the average without alignment, the aligned average with permuted rows, and noise.

# %%
ANSWERS = {"alone, trained as long": "own", "aligned and averaged": "aligned",
           "averaged without alignment": "mean",
           "aligned, rows permuted": "permuted",
           "noise of the same length": "noise"}
ended = {name: after(answer) for name, answer in ANSWERS.items()}
told = ended["aligned and averaged"][1]
first = told[0].messages[0]
print(f"client 0, round 1: {len(first):,} bytes,",
      tuple(unpack_rows(first).shape), "numbers")

# %% [markdown]
# We evaluate the embeddings by node classification. In five-fold cross-validation, each client trains a support vector machine on the embeddings of four folds, and tests it on those of the fifth. We report the micro F1 in percent, which is the accuracy here, because each node has one class. A node is in the *same* fold at all clients. Otherwise another client could train on a public node's label (as in the GAT below), and the node's embedding would carry this label into the test. We report four groups separately, public and private nodes, each with and without an edge at the client.

# %% tags=["hide-input"]
GROUPS = {"public, links here": "public with edges here", "public, none here": "public without",
          "private, links": "private with", "private, none": "private without", "all": "all"}
fold = fold_of(data.num_nodes, 5, seeded(4))

def by_group(clients):
    """Micro F1 in percent, the mean over clients."""
    return over_clients([micro_f1(client.embeddings(), part, fold, seeded(5))
                         for client, part in zip(clients.values(), four, strict=True)])

live = {name: by_group(clients) for name, (clients, _) in ended.items()}
show.table([{"the server answers": name} | {short: f"{score[group]:.1f}" for short, group in GROUPS.items()}
            for name, score in live.items()])

# %% tags=["remove-cell"]
one, none = live["aligned and averaged"], live["alone, trained as long"]
for short, group in (("with", "public with edges here"), ("without", "public without"), ("private", "private with"),
                     ("lonely", "private without"), ("all", "all")):
    glue(f"live_{short}", one[group] - none[group], display=False)
mixed = live["averaged without alignment"]
glue("live_mixed", one["all"] - mixed["all"], display=False)
glue("live_unaligned", mixed["public without"] - none["public without"], display=False)
glue("graph_name", data.name, display=False)
assert one["public without"] > none["public without"] + 5 > none["public without"] + 2 + abs(one["all"] - none["all"])
assert one["private with"] < none["private with"] and mixed["all"] < one["all"] - 1
assert all(live[name]["all"] < one["all"] - 5 for name in ("aligned, rows permuted", "noise of the same length"))

# %% [markdown]
# The first row is the reference for the aligned average. Public nodes without an edge at a client gain {glue:text}`live_without:.0f` points, because the client had no information on them, like clinic A on person 4. On this one split, private nodes with edges are better off alone, as they change by {glue:text}`live_private:.1f` points. Public nodes with edges change by {glue:text}`live_with:.1f` points, possibly because embeddings that fitted their own neighbourhood are pulled to the mean of four clients. Private nodes without an edge, which no walk or message concerns, change by {glue:text}`live_lonely:.1f` points. Over all nodes the change is {glue:text}`live_all:.1f` points.
#
# The other rows show where the gain comes from. Without alignment, the accuracy over all nodes is {glue:text}`live_mixed:.1f` points lower than with alignment. Public nodes without an edge then change by {glue:text}`live_unaligned:.1f` points, compared with training alone. The clients of the first row train as long, and neither permuted rows nor noise help public nodes without an edge. The gain of these nodes therefore comes from the other clients' information. This is one run. {doc}`The evidence page <11_federated_evidence>` has more controls, Citeseer, the GAT, and intervals over splits.
#
# ### How the federated GAT differs
#
# The dissertation has a second federation, in which each client trains a graph attention network (GAT) in place of DeepWalk. Clients again upload embeddings of the public nodes, and the server rotates and averages them. The two federations differ in four ways.
#
# | | federated DeepWalk | federated GAT |
# |---|---|---|
# | what a client trains on | edges alone | edges, features and labels |
# | what it uploads | the embeddings of the public nodes | the output of the middle layer for the public nodes |
# | what the answer does | it replaces the client's embeddings | it enters the loss, as $\beta$ times one minus the cosine between the client's row and the answer's |
# | what an upload depends on | private edges | private edges, and the features and labels of private nodes |
#
# The third row matters for accuracy. A GAT computes its embeddings from features, so an answer cannot be put in their place, and it can only pull the weights towards it. The last row matters for privacy, because the uploads of a federated GAT also depend on attributes. Neither federation adds any noise that could bound the leak. If the server knows a GAT's weights, one private edge has no finite $\varepsilon$ ({doc}`the register of claims <14_claims>`), and {doc}`the next page <11_server>` attacks the uploads of DeepWalk.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-11-proper
# ```
# % Exercise: 25 minutes, ●●: Procrustes, without reflections
# *(With a checker.)* Write `rotation(x, y)`, which returns the rotation *without* a reflection that brings the rows of `x` [n, 2] nearest to those of `y`. (Hint: if the determinant of $U V^\top$ is $-1$, one column of $U$ must change its sign. For which column does the trace lose least?)
# ```{exercise-end}
# ```

# %%
from privgraph.teach.checkers import check_turn

def check(rotation):
    check_turn(rotation, mirrors=False, thorough=True)


# %% [markdown]
# ```{solution-start} ex-11-proper
# :class: dropdown
# ```
# A changed sign of column $i$ lowers the trace by twice the $i$-th singular value. The column with the smallest singular value, which the decomposition returns last, therefore loses least.

# %%
def rotation(x, y):
    u, _, vt = np.linalg.svd(x.T @ y)
    u[:, -1] *= np.sign(np.linalg.det(u @ vt))
    return u @ vt

check(rotation)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Embeddings that were trained separately live in spaces that are rotated against each other. Procrustes alignment finds the rotation $U V^\top$ with one singular value decomposition.
# - In each round a client sends the embeddings of the public nodes, and gets back the mean over all clients, rotated into its own space. No name, no edge and no private node is in the message.
# - In one run of two rounds on {glue:text}`graph_name`, public nodes that have no edge in a client's graph gain {glue:text}`live_without:.0f` points of accuracy over training alone. Those with edges change by {glue:text}`live_with:.1f` (public) and {glue:text}`live_private:.1f` (private), and the accuracy over all nodes changes by {glue:text}`live_all:.1f` points. Permuted answers and noise make the embeddings worse. The gain of the public nodes without an edge comes from the other clients.
#
# The information that helps is also the information that leaks. On {doc}`the second page <11_server>`, the server infers from the messages who shares a private neighbour, and a client gets the sum of the others' embeddings.
#
# **Further reading.** Federated learning {cite}`mcmahan2017communication`; DeepWalk {cite}`perozzi2014deepwalk`; Procrustes {cite}`schonemann1966generalized`; PPFL-GNN {cite}`zhang2023federated`.
