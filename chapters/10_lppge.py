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
# # LPPGE: vectors that should not reveal who is linked
#
# % Front page: publish an embedding of each node (GAE, LPPGE), and state which guarantee the deletion of edges gives
#
# A deleted link can often be guessed from a graph's published embedding, because people with the same neighbours get similar vectors. Against such guesses, LPPGE adds three parts to an autoencoder. One of them makes the *code*, the short inner vector of each person, look like noise, but codes that look like noise can still reveal every link. Deleting all links between the people of a fixed list gives $\varepsilon = 0$ for each of these links. If the list is computed from degrees, no finite $\varepsilon$ holds.
#
# :::{admonition} What you will learn
# :class: tip
# - how a graph autoencoder turns a graph into one vector per person, and how a deleted link is guessed from these vectors;
# - the difference between a link that *leaks* and a link that is *inferred*;
# - how an adversarial defence (LPPGE) is built, line by line;
# - which guarantee deleting links gives, to whom, and how the choice of the sensitive people can void it.
#
# **You need** {doc}`01_graphs_and_message_passing`, {doc}`02_differential_privacy` and, from {doc}`04_attacks`, the AUC. The {doc}`next page <10_arms_race>` attacks the defence. **Time:** 20 minutes.
# :::
#
# :::{admonition} Card
# :class: note
# | | |
# |---|---|
# | Method | LPPGE, in Chapter 3 of the dissertation {cite}`dissertation` and in {cite}`zhang2022link`; baselines GAE {cite}`kipf2016variational` and DPNE {cite}`xu2018dpne` |
# | Who is trusted | the owner of the graph ("central"), who publishes one vector for each person |
# | What the dissertation says is protected | *sensitive links*: some or all links between people with many links |
# | Relation | none is stated |
# | Claimed | no $\varepsilon$, but that a classifier scores worse on sensitive links |
# | Verdict | empirical only: attackers score lower. Compared with plain deletion, LPPGE lowers attackers' AUC on sensitive links by {glue:text}`social_least:.0f` to {glue:text}`social_most:.0f` points on the social networks Yale and Rochester, and by {glue:text}`cora_least:.0f` to {glue:text}`cora_most:.0f` on Cora, where the AUC on other links falls by more ({doc}`next page <10_arms_race>`). refuted: the discriminator eliminates sensitive information. See {doc}`14_claims` |
# | Sound instead | fix the set of sensitive people without using their links, and delete or randomise all pairs between them |
# | Node, with all its edges | no finite $\varepsilon$ |
# :::

# %% tags=["hide-input"]
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from myst_nb import glue

import privbook
from privbook import show
from privgraph import datasets
from privgraph.attacks import closeness, evaluate_attack, inner_product
from privgraph.graph import adjacency, contains, degrees, to_undirected
from privgraph.methods import LPPGE, mark_sensitive, without_links
from privgraph.methods.gae import Links, sparse_features
from privgraph.methods.lppge import Networks
from privgraph.methods.sensitive import Hidden, added, trimmed
from privgraph.randomness import seeded, torch_seeded

show.use_style()


# %% tags=["remove-cell"]
def beyond_deletion(question, *graphs):
    """Points of AUC that LPPGE takes and GAE_RM does not: both variants, three attackers, the ledger's seeds."""
    runs = privbook.Results("lppge")
    return [runs.gap(dict(defence="gae-rm"), dict(defence=variant), f"{attacker}_{question}_auc",
                     dataset=graph, share=1.0)
            for graph in graphs for variant in ("lppge-t", "lppge-a") for attacker in ("mlp", "trees", "inner")]

social, cora = beyond_deletion("between", "fb100-yale", "fb100-rochester"), beyond_deletion("between", "cora")
assert all(gap.low > 0 for gap in social) and min(gap.mean for gap in social) > max(gap.mean for gap in cora)
assert min(gap.mean for gap in beyond_deletion("others", "cora")) > max(gap.mean for gap in cora)
for name, gaps in (("social", social), ("cora", cora)):
    glue(f"{name}_least", min(gap.mean for gap in gaps), display=False)
    glue(f"{name}_most", max(gap.mean for gap in gaps), display=False)

# %% [markdown]
# ## The problem in one picture
#
# A company owns a social network. It does not publish the graph, but an **embedding**, one short vector for each person. Others may train any model on these vectors, for example to predict who is interested in a topic. Two well-known people, 0 and 1, have a *link* (an undirected edge), and do not want this to be known. The company therefore deletes their link, and computes the vectors from the rest of the graph.

# %%
before = to_undirected(torch.tensor([[0, 0, 0, 1, 1], [1, 2, 3, 2, 3]]), 4)
strangers = to_undirected(torch.tensor([[0, 0, 1, 1], [2, 3, 2, 3]]), 4)  # not 0, 1
published = before[:, before.sum(0) != 1]     # without 0 - 1, whose sum is 1

# %% [markdown]
# % Figure: Without their link, the sensitive people 0 and 1 still have the same two neighbours.

# %% mystnb={"image": {"alt": "Two drawings of the same four people. On the left, 0 and 1, in orange, are linked to each other and both to 2 and 3, in blue. On the right the link between 0 and 1 is gone. In both, 2 and 3 are not linked."}} tags=["hide-input"]
PLACES = {0: (0, 0.7), 1: (0, -0.7), 2: (-1.6, 0), 3: (1.6, 0)}
COLOURS = ["#F2B58F", "#F2B58F", "#8FC1E3", "#8FC1E3"]
figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.4))
for ax, edges, title in zip(axes, (before, published), ("the network", "what the vectors are made of"), strict=True):
    show.draw_graph(ax, edges, PLACES, colours=COLOURS)
    ax.set_title(title)
plt.show()


# %% [markdown]
# The simplest vectors come from a graph convolution without any training. Each person starts with a vector that has a 1 in a column of their own, and twice takes a weighted sum of this vector and their neighbours' vectors. This gives $Z = \hat{A}^2$, with the {doc}`normalised adjacency matrix <01_graphs_and_message_passing>` $\hat{A}$. An attacker guesses that two people are linked if the inner product of their vectors, $z_u \cdot z_v$, is large.

# %%
def plain_vectors(edge_index, n):
    hear = adjacency(edge_index, n, self_loops=True)
    return hear @ (hear @ torch.eye(n))

z = plain_vectors(published, 4)
for u, v, what in ((0, 2, "linked"), (1, 3, "linked"), (2, 3, "never linked"),
                   (0, 1, "deleted")):
    print(f"{u} and {v}: {float(z[u] @ z[v]):.3f}   {what}")

# %% tags=["remove-cell"]
score = z @ z.t()
assert torch.allclose(score[0, 1], score[0, 2]) and torch.allclose(score[0, 1], score[2, 3])
assert torch.equal(z, plain_vectors(strangers[:, strangers.sum(0) != 1], 4))
assert not torch.equal(z, plain_vectors(before, 4))


# %% [markdown]
# The deleted link has exactly the same score as the remaining links. Deleting it did not help, because 0 and 1 have the same neighbours, and people with the same neighbours get similar vectors.
#
# However, 2 and 3 have the same score, and were never linked. Suppose that 0 and 1 had never been linked either. The company would have deleted nothing, and published exactly the same vectors. The attacker would still have guessed "linked", and been wrong.
#
# :::{admonition} Leaking and inferring
# :class: important
# **The vectors leak a link** if they would be different without it. **A link is inferred** if other things make it likely, for example common neighbours or similar features. A guarantee such as differential privacy bounds leaking. To prevent inferring, the owner must give up *other* links.
# :::
#
# The dissertation {cite}`dissertation` measures only an attacker's score, which can have either cause, whereas {doc}`the next page <10_arms_race>` measures both.
#
# ## An autoencoder for graphs
#
# Vectors can also be learnt. A **graph autoencoder** (GAE) has an *encoder*, two graph convolutions with weights $W_0$ and $W_1$ that compute $Z$ from the graph and the features $X$,
#
# $$
# Z = \hat{A}\,\mathrm{ReLU}(\hat{A} X W_0)\, W_1 ,
# $$
#
# and a *decoder* without weights, which outputs the probability $\sigma(z_u \cdot z_v)$ that two people are linked, where $\sigma$ is the logistic function. The encoder's weights are trained until the decoder reproduces the graph.

# %%
def autoencoder(x, edge_index, dimension, steps, generator):
    """Kipf and Welling's GAE, all pairs at each step."""
    n = len(x)
    hear = adjacency(edge_index, n, self_loops=True)
    w0 = torch.randn(x.size(1), 32, generator=generator) / x.size(1) ** 0.5
    w1 = torch.randn(32, dimension, generator=generator) / 32 ** 0.5
    target = torch.eye(n)                    # all are linked to themselves
    target[edge_index[0], edge_index[1]] = 1.0
    rare = (n * n - target.sum()) / target.sum()  # unlinked pairs per linked one
    weights = [w0.requires_grad_(), w1.requires_grad_()]
    optimiser = torch.optim.Adam(weights, lr=0.01)
    for _ in range(steps):
        z = hear @ ((hear @ (x @ w0)).relu() @ w1)
        loss = F.binary_cross_entropy_with_logits(z @ z.t(), target,
                                                  pos_weight=rare)
        optimiser.zero_grad(), loss.backward(), optimiser.step()
    return z.detach()

club = datasets.load("karate")
z = autoencoder(torch.eye(34), club.edge_index, 2, 200, seeded(0))
pairs = torch.combinations(torch.arange(34)).t()
linked = contains(club.edge_index, pairs, 34)
told = evaluate_attack(inner_product(z, pairs), linked)
print(f"two numbers per person: links against other pairs, AUC {told.auc:.2f}")

# %% [markdown]
# The vectors were trained on these very links, so this is no attack yet. The factor `rare` gives the few linked pairs together as much weight as all other pairs. The dissertation's loss (eq. 3.4) has the linked pairs only. It falls to zero if all people have the same, ever longer vector ({ref}`ex-10-printed-loss`).
#
# ## Who is sensitive
#
# The dissertation calls a person *sensitive* if they have more than $\lambda$ links (Definition 2), and a link *sensitive* if both its ends are. Its Table 3.1, however, counts people with at least $\lambda$ links, and so do we. The owner may protect some of the sensitive links, or all of them. The next cell marks them in the karate club, with $\lambda = 9$.

# %%
club = mark_sensitive(datasets.load("karate"), degree=9)
print("sensitive people:", club.sensitive_users.nonzero().view(-1).tolist())
print("sensitive links: ", club.sensitive.t().tolist())

# %% [markdown]
# Two defences need no new method. *GAE_RM*, the dissertation's baseline, deletes the sensitive links and trains GAE on the rest. A stricter defence, which the dissertation does not try, deletes *all* links of sensitive people, so that only their features are used.
#
# ## LPPGE: a game of three networks
#
# LPPGE changes three things in the autoencoder.
#
# % Figure: Of LPPGE's networks, only the decoder of links has the privacy embedding as an input.

# %% mystnb={"image": {"alt": "A drawing of the game. The training graph, without sensitive links, goes to the encoder, which makes a code of four numbers for each person; a layer widens it to the published vectors. Decoders of links and of labels read the vectors. The decoder of links also reads the privacy embedding, made of the privacy graph with the sensitive links. A discriminator compares the code with Gaussian noise."}} tags=["hide-input", "full-width"]
SECRET, SENT, PLAYER = "#F7D9C4", "#CFE8F7", "#EEEEEE"
BOXES = ((0, 0, "training graph\n(no sensitive links)", SECRET), (2.2, 0, "encoder", PLAYER),
         (3.9, 0, "code Z'\n4 numbers", SECRET), (5.8, 0, "vectors Z\n16 numbers", SENT),
         (8.1, 0.9, "decoder of links", PLAYER), (8.1, -0.2, "decoder of labels", PLAYER),
         (0, 1.3, "privacy graph\n(with sensitive links)", SECRET), (3.9, 1.3, "privacy embedding Z$_p$", SECRET),
         (3.9, -1.2, "discriminator", PLAYER), (1.6, -1.2, "Gaussian noise", SENT))
ARROWS = (((1.05, 0), (1.7, 0)), ((2.7, 0), (3.2, 0)), ((4.6, 0), (5.0, 0)), ((6.6, 0.2), (7.2, 0.75)),
          ((6.6, -0.05), (7.1, -0.2)), ((1.05, 1.3), (2.75, 1.3)), ((5.05, 1.3), (7.1, 1.0)),
          ((3.9, -0.4), (3.9, -0.9)), ((2.4, -1.2), (3.15, -1.2)))
figure, axes = plt.subplots(figsize=(9.6, 3.2))
for x, y, text, colour in BOXES:
    axes.text(x, y, text, ha="center", va="center", fontsize=9,
              bbox=dict(boxstyle="round,pad=0.5", facecolor=colour, edgecolor="black"))
for start, end in ARROWS:
    axes.annotate("", end, start, arrowprops=dict(arrowstyle="-|>", color="black"))
axes.text(5.8, -0.68, "published", ha="center", fontsize=9, style="italic")
axes.set(xlim=(-1.1, 9.2), ylim=(-1.6, 1.8))
axes.axis("off")
plt.show()


# %% [markdown]
# 1. **A bottleneck.** The encoder computes a *code* $Z'$ of only four numbers for each person. A further layer widens it to the published $Z$.
# 2. **A privacy embedding $Z_p$** goes to the decoder of links *together with* $Z$. It is computed from a *privacy graph*, in which a larger share of the links is near sensitive people. The dissertation argues that information in $Z_p$ is not needed in $Z$, and expects the encoder to leave it out.
# 3. **A discriminator** reads one row, which is a code or Gaussian noise, and learns to predict which of the two it is. The encoder learns to mislead the discriminator. The hope is that a code that looks like noise reveals nothing, but {ref}`this is false <clm-10-eliminates>`.
#
# A second decoder predicts each person's class from $Z$, with a loss that is multiplied by $\alpha = 3$. If a graph has training nodes, only their classes are used.
#
# ### Two privacy graphs
#
# *Trimming* keeps the links near sensitive people. With radius $R = 1$ these are the links between them, and with $R = 2$ all links among sensitive people and their neighbours. *Addition* (Algorithm 1) adds links. For each sensitive link $(i, j)$, neighbours of $i$ who are two steps from $j$ are linked to $j$. There should be $M$ new links in total (`target`), so each sensitive link may add at most an equal share.

# %%
def lists_of(data):
    lists = {v: set() for v in range(data.num_nodes)}
    for u, v in data.edge_index.t().tolist():
        lists[v].add(u)
    return lists

def trimmed_by_hand(data, radius):
    """Links with both ends fewer than `radius` steps from a sensitive person."""
    lists, near = lists_of(data), set(data.sensitive.flatten().tolist())
    for _ in range(radius - 1):
        near |= {u for v in near for u in lists[v]}
    return {(u, v) for u in near for v in lists[u] & near}

def links(data):
    return set(map(tuple, data.edge_index.t().tolist()))

assert links(trimmed(club, 2)) == trimmed_by_hand(club, 2)
kept = len(trimmed_by_hand(club, 2)) // 2
print(f"of {club.num_edges // 2} links, trimming keeps {kept}")


# %%
def added_by_hand(data, target):
    """Algorithm 1: the new links. Distances are those of the original graph."""
    lists, new = lists_of(data), []
    bound = target // data.sensitive.size(1)                          # line 2
    for i, j in data.sensitive.t().tolist():                          # line 1
        count = 0
        for x in sorted(lists[i] - lists[j] - {j}):                   # line 3
            two_steps = any(j in lists[y] for y in lists[x] - {i})
            if two_steps and count < bound and {x, j} not in new:     # line 4
                new, count = new + [{x, j}], count + 1
    return new

new = {pair for a, b in added_by_hand(club, 20) for pair in ((a, b), (b, a))}
assert links(added(club, 20)) == links(club) | new
print(f"addition adds {len(new) // 2} links")


# %% [markdown]
# The dissertation makes each link's share depend on the degrees of its ends. However, its numbers of added links on Yale and Rochester are those of {doc}`equal shares <10_lppge_evidence>`, rounded down. We use these.
#
# ### The game by hand
#
# The next cell is Algorithm 2. `Hidden` is a graph together with its sensitive parts, `Networks` holds the boxes of the drawing, and `makers` are all but the discriminator. `discriminate` is the discriminator's loss (eq. 3.7), $-\ln D(\text{noise}) - \ln (1 - D(z'))$ on average, where $D$ is the predicted probability that the input is noise.

# %%
def algorithm_2(data, method, generator):
    x, hidden = sparse_features(data.x), Hidden.of(data)
    z_p = method.privacy_embedding(x, hidden, generator)   # lines 1 and 2
    kept = without_links(data, data.sensitive)
    hear = adjacency(kept.edge_index, len(kept.x), self_loops=True)
    pairs = Links(kept, None, generator)                   # all pairs, as above
    with torch_seeded(generator):
        net = Networks(method, kept.x.size(1), kept.num_classes)
        rebuild = torch.optim.Adam(net.makers(), lr=0.01)
        judge, deceive = (torch.optim.Adam(each.parameters(), lr=0.001)
                          for each in (net.discriminator, net.encoder))
        for _ in range(method.epochs):                     # line 3
            z = net.widen(net.encoder(x, hear)).tanh()     # lines 4 and 5
            loss = pairs.loss(torch.cat([z, z_p], 1))      # line 6
            loss = loss + method.alpha * F.cross_entropy(net.classify(z), kept.y)
            rebuild.zero_grad(), loss.backward(), rebuild.step()      # line 7
            code, noise = net.encoder(x, hear), torch.randn(len(z), method.code)
            loss = net.discriminate(code.detach(), noise)               # eq. 3.7
            judge.zero_grad(), loss.backward(), judge.step()          # line 8
            loss = -net.discriminate(code, noise)
            deceive.zero_grad(), loss.backward(), deceive.step()      # line 9
        return net.widen(net.encoder(x, hear)).tanh().detach()        # line 11



# %%
method = LPPGE(epochs=50, target=20)
by_hand = algorithm_2(club, method, seeded(7))
assert torch.allclose(by_hand, method.embed(club, seeded(7)).z, atol=1e-5)
print("the library makes the same vectors:", tuple(by_hand.shape))

# %% [markdown]
# :::{admonition} Conventions
# :class: note dropdown
# The dissertation leaves some choices open. Our $Z_p$ consists of GAE's vectors of the privacy graph (Algorithm 2 prints "from $G_{\text{train}}$", section 3.3.1 the privacy graph). A tanh follows the layer that widens, because otherwise $Z$ would have rank four, like the code. The discriminator reads the code. Adam has a rate of `0.01`, and of `0.001` for the discriminator and its opponent. Line 9 maximises eq. 3.7 as printed. Eq. 3.4 has only the linked half of the cross-entropy, whereas we use both halves, as GAE does.
# :::
#
# ## What is guaranteed
#
# The dissertation claims that deletion removes first-order information (the links themselves). The theorem adds the missing condition.
#
# :::{prf:theorem} Deletion, done right (claim `lppge-deletion-removes-first-order`, verdict: corrected)
# :label: thm-10-deletion
#
# Let a set of sensitive people be fixed without using the links between them, and let $f$ be any randomised function of a graph. If $f$ of the graph without these links is published, it has $\varepsilon = 0$ for each of these links (add/remove), and for all of them together.
# :::
#
# :::{prf:proof}
# Two graphs that differ in links between sensitive people are the same once these links are deleted. Hence $f$ has the same input.
# :::
#
# However, Definition 2 calls a person sensitive *because of* their degree, which counts the very links that are deleted. Counted as in Table 3.1, a person with $\lambda - 1$ links is not sensitive. With one more link, to a sensitive person, *all* their links to sensitive people disappear, as the next cell shows for $\lambda = 7$.

# %%
nearly = next(v for v in range(34) if degrees(club.edge_index, 34)[v] == 6)
friend = next(u for u in club.sensitive_users.nonzero().view(-1).tolist()
              if u not in lists_of(club)[nearly])
more = club.clone()
more.edge_index = to_undirected(torch.cat(
    [club.edge_index, torch.tensor([[nearly], [friend]])], 1), 34)
for name, graph in (("without the link", club), ("with it", more)):
    marked = mark_sensitive(graph, degree=7)
    kept = without_links(marked, marked.sensitive)
    left = len(lists_of(kept)[nearly])
    print(f"{name}: person {nearly} keeps {left} published links")

# %% tags=["remove-cell"]
kept = [without_links(m, m.sensitive) for m in (mark_sensitive(g, 7) for g in (club, more))]
assert len(lists_of(kept[0])[nearly]) > len(lists_of(kept[1])[nearly])

# %% [markdown]
# The kept links distinguish the two graphs with certainty, so no finite $\varepsilon$ holds for this rule.
#
# :::{admonition} Claim: the discriminator eliminates sensitive information (claim `lppge-eliminates-sensitive-information`, verdict: refuted)
# :class: warning
# :name: clm-10-eliminates
#
# By regularising the latent representation to a predetermined distribution the method eliminates sensitive information from the embedding.
# :::
#
# The discriminator cannot guarantee this, because it looks at one row at a time. In a constructed example, people are linked in pairs, and each pair shares one Gaussian code. Each row alone is then perfect noise, and shuffling the rows, which hides every link, does not change the discriminator's loss. However, every link can be read from the codes, with an AUC of 1.

# %%
codes = torch.randn(60, 4, generator=seeded(0)).repeat(2, 1)     # u, u + 60 linked
pairs = torch.stack([torch.arange(60), torch.arange(60, 120)])
others = torch.stack([torch.arange(60), torch.arange(60).roll(7) + 60])
asked = torch.cat([pairs, others], 1)
print(evaluate_attack(closeness(codes, asked), torch.arange(120) < 60))

# %% [markdown]
# ## Exercises
#
# ```{exercise-start}
# :label: ex-10-printed-loss
# ```
# % Exercise: 20 minutes, ●●: reading a printed loss
# The dissertation's eq. 3.4 is $-\frac{1}{N} \sum_{ij} A_{ij} \ln \hat A_{ij}$, with $\hat A_{ij} = \sigma(z_i \cdot z_j)$, the decoder's probability, and $N$ the number of people. Find vectors of two numbers for the karate club that make it smaller than $10^{-6}$. How much would an attacker learn from them?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-10-printed-loss
# :class: dropdown
# ```

# %%
alike = 10 * torch.ones(34, 2)
linked = (alike @ alike.t())[club.edge_index[0], club.edge_index[1]]
print(f"loss {float(F.softplus(-linked).mean()):.1e}")

# %% [markdown]
# One long vector for all people is enough. Nothing in the printed loss requires that pairs without a link be distinguished. These vectors therefore reveal nothing, and are useless.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-10-list
# ```
# % Exercise: 25 minutes, ●●●: who is sensitive may be a secret
# The rule "sensitive from $\lambda$ links on" voids {prf:ref}`thm-10-deletion`. Suppose that a public list of *candidates* is given, such as politicians. Change the rule so that the sensitive people are the candidates with at least ten links of a certain kind. Choose this kind so that the theorem holds for the links between sensitive people. Check it on the karate club with the candidates 0, 1, 2, 32 and 33.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-10-list
# :class: dropdown
# ```
# Count only links to people who are *no* candidates. These links are the same in both graphs, and so is the set of sensitive people. {prf:ref}`thm-10-deletion` therefore applies to the links between them.

# %%
candidates = torch.zeros(34, dtype=torch.bool)
candidates[[0, 1, 2, 32, 33]] = True

def sensitive_by_others(data, least):
    outward = data.edge_index[:, ~candidates[data.edge_index[0]]]
    return candidates & (torch.bincount(outward[1], minlength=34) >= least)

found = []
for pair in torch.combinations(torch.tensor([0, 1, 2, 32, 33])):
    without = without_links(club, pair[:, None])
    found.append(sensitive_by_others(without, 10))
assert all(torch.equal(each, found[0]) for each in found)
named = found[0].nonzero().view(-1).tolist()
print("sensitive:", named, "whichever link is taken out")

# %% [markdown]
# Candidates 1 and 2 have fewer than ten such links. Their links are not deleted, and have no guarantee.
# ```{solution-end}
# ```
#
# ## Summary
#
# - Vectors can *leak* a link (they would be different without it) or allow it to be *inferred* (from common neighbours). A guarantee for the link bounds leaking. Inferring depends on other links, so no such guarantee bounds it.
# - LPPGE adds three parts to an autoencoder, namely a bottleneck, a privacy embedding that only the decoder reads, and a discriminator that compares single codes with noise. Codes that look like noise can still reveal every link.
# - Deleting all links between the people of a fixed list gives $\varepsilon = 0$ for each of these links. If the list is computed from degrees, no finite $\varepsilon$ holds.
#
# The {doc}`next page <10_arms_race>` attacks, and the result depends on the graph. LPPGE lowers the AUC on sensitive links by {glue:text}`cora_least:.0f` to {glue:text}`cora_most:.0f` points more than deletion on Cora, and by {glue:text}`social_least:.0f` to {glue:text}`social_most:.0f` points more on Yale and Rochester. On Cora, with labels in the training, its AUC does not differ measurably from that of its bottleneck alone (three runs).
#
# **Further reading.** LPPGE {cite}`zhang2022link`; GAE {cite}`kipf2016variational`; adversarial autoencoders {cite}`makhzani2015adversarial`.
