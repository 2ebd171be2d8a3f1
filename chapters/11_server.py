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
# # PPFL-GNN: what the uploads reveal, and what a guarantee costs
#
# The uploads of PPFL-GNN reveal to the server which public nodes share a private neighbour, and each client recovers the exact sum of the other uploads, rotated into its own space. Randomised response on edges, before the walks, gives a guarantee. On the graph of this page, however, clients with $\varepsilon = 8$ for each private edge have an accuracy of {glue:text}`cost_eight:.0f`%, and clients who stay alone have {glue:text}`cost_alone:.0f`%.
#
# :::{admonition} What you will learn
# :class: tip
# - how much an honest but curious server, and a fellow client, infer from the messages;
# - why noise for a row does not hide an edge;
# - which guarantee can be kept, for which unit, and at which cost.
#
# **You need** {doc}`the page on PPFL-GNN <11_federated>`, {doc}`differential privacy <02_differential_privacy>` and, from {doc}`attacks <04_attacks>`, the AUC. **Time:** 25 minutes.
# :::

# %% tags=["hide-input"]
import copy
import math
from dataclasses import replace

import torch
from myst_nb import glue
from torch_geometric.data import Data

import privbook
from privbook import show
from privbook.papers.ppfl.metrics import GROUP_METRICS
from privgraph import datasets
from privgraph.attacks import evaluate_attack
from privgraph.attacks.upload_questions import ask_shared
from privgraph.attacks.uploads import recover_others, upload_similarity
from privgraph.audit import Independent, worst_case
from privgraph.graph import to_undirected
from privgraph.mechanisms import (RandomisedResponse, SymmetricResponse,
    break_even)
from privgraph.methods.federated.alignment import align_to_each, procrustes
from privgraph.methods.federated.federated_deepwalk import FederatedDeepWalk
from privgraph.methods.federated.metrics import fold_of, micro_f1, over_clients
from privgraph.methods.federated.row_messages import unpack_rows
from privgraph.methods.federated.split import hold, parts
from privgraph.methods.federation import exchange
from privgraph.randomness import seeded

show.use_style()

# %% [markdown]
# We take {doc}`the two clinics <11_federated>` again. People 0 to 4 are public, 5 and 6 are A's alone, and 7 and 8 are B's. The public edges are 0-1, 1-2 and 2-3. Clinic A alone has 0-5, 1-5 and 5-6, and clinic B alone has 3-7, 4-7 and 3-8. We also train the four clients of the same page, with the server's answers and without.

# %% tags=["hide-input"]
public_links = [(0, 1), (1, 2), (2, 3)]          # both clinics see these
only_a, only_b = [(0, 5), (1, 5), (5, 6)], [(3, 7), (4, 7), (3, 8)]
links = public_links + only_a + only_b + [(6, 8)]
world = Data(edge_index=to_undirected(torch.tensor(links).t(), 9), num_nodes=9,
             holder=torch.tensor([-1, -1, -1, -1, -1, 0, 0, 1, 1]))
a, b = parts(world)
method = FederatedDeepWalk(dimension=2, rounds=6, length=10, window=2,
                           negatives=3, first_epochs=20, epochs=5, batch=16)
server = method.server(seeded(0))
pair = {0: method.client(a, seeded(0)), 1: method.client(b, seeded(2))}

# %% tags=["hide-input"]
data = hold(datasets.default(), seeded(0))
four = parts(data)
show.banner(data)
federation = FederatedDeepWalk(rounds=2)
members = federation.parts_and_seeds(data, seeded(1))
trained = {i: federation.client(part, seeded(seed)) for i, (part, seed) in enumerate(members)}

def after(answer):
    """The clients after all rounds with a server that answers like this, and what was said."""
    clients = copy.deepcopy(trained)
    server = replace(federation, answer=answer).server(seeded(2))
    return clients, [exchange(server, clients) for _ in range(federation.rounds)]

alone, _ = after("own")
aligned, told = after("aligned")
GROUPS = {"public, links here": "public with edges here", "public, none here": "public without",
          "private, links": "private with", "private, none": "private without", "all": "all"}
fold = fold_of(data.num_nodes, 5, seeded(4))

def by_group(clients):
    """Micro F1 in percent, the mean over clients."""
    return over_clients([micro_f1(client.embeddings(), part, fold, seeded(5))
                         for client, part in zip(clients.values(), four, strict=True)])


# %% [markdown]
# ## How much the server learns
#
# The dissertation {cite}`dissertation` does not protect anything against the server, which receives the embeddings without noise. We assume that the server is **honest but curious**, that is, it follows the protocol and analyses everything that it receives.
#
# ### Which nodes share a private neighbour
#
# At clinic B, no edge joins people 3 and 4, but both meet person 7, whom nobody outside knows. The server takes B's upload alone, and all pairs of public people without a public edge. It ranks the pairs by the cosine of their two rows, which no rotation changes.

# %%
upload = pair[1].embeddings()[:5]                 # B's rows in round 1
strangers = torch.tensor([(u, v) for v in range(5) for u in range(v)
                          if (u, v) not in public_links]).t()
alike = upload_similarity(upload, strangers)
for i in alike.argsort(descending=True).tolist():
    print(*strangers[:, i].tolist(), f"{float(alike[i]):5.2f}")

# %% tags=["remove-cell"]
assert sorted(strangers[:, int(alike.argmax())].tolist()) in ([3, 4], [0, 2])
assert float(alike[(strangers.t() == torch.tensor([3, 4])).all(1)]) >= float(alike.sort().values[-2])

# %% [markdown]
# Two pairs stand out. Persons 0 and 2 have a public neighbour in common, person 1. Persons 3 and 4 have none, and their similar rows therefore suggest to the server that they share a private one.
#
# The next cell repeats this for each of the four clients. It takes 500 pairs that share a private neighbour at this client, and as many that do not (the *negatives*). Brackets hold 95% intervals.

# %%
BESIDE = {"any pair": "anywhere", "pairs that share one elsewhere": "elsewhere"}
rows = []
for client in range(4):
    upload = unpack_rows(told[0].messages[client])
    row = {"upload of client": client}
    for name, beside in BESIDE.items():
        asked = ask_shared(four, client, 500, seeded(3), beside)
        close = upload_similarity(upload, asked.pairs)
        found = evaluate_attack(close, asked.linked)
        span = f"[{found.auc_low:.3f}, {found.auc_high:.3f}]"
        row[f"AUC against {name}"] = f"{found.auc:.3f} {span}"
    rows.append(row)
    assert found.auc_low > 0.8
show.table(rows)

# %% [markdown]
# The last column is the strict test. Its negatives share a private neighbour too, but at *another* client. The server therefore learns which client holds the shared neighbour. The next section shows what a client can compute.
#
# ### A client recovers the other's upload
#
# Does averaging at least protect the clients from each other? A client receives an average, but it knows its own embeddings in it. With $k$ clients it multiplies the answer by $k$ and subtracts its own embeddings. The result is the sum of the other uploads, rotated into its own space. With two clients this sum is the other upload itself. The cell compares inner products, because no rotation changes them.

# %%
round_ = exchange(server, pair)
own, answer = (unpack_rows(what[0]) for what in (round_.messages, round_.replies))
recovered = 2 * answer - own                       # clinic A computes this at home
assert torch.allclose(recovered.double(), recover_others(answer, own, 2).total)
theirs = unpack_rows(round_.messages[1])           # what B sent, which A never saw
print("largest error in any product:",
      f"{float((recovered @ recovered.t() - theirs @ theirs.t()).abs().max()):.0e}")

# %% tags=["remove-cell"]
assert torch.allclose(recovered @ recovered.t(), theirs @ theirs.t(), atol=1e-4)

# %% [markdown]
# :::{admonition} Claim: usable, while still ensuring privacy (claim `ppfl-ensures-privacy`, verdict: refuted)
# :class: warning
# :name: clm-11-privacy
#
# The framework outperforms local training in terms of data usability while still ensuring privacy.
# :::
#
# "Data stay local" states where the data are. A guarantee, however, must bound how much the messages reveal about the data ({doc}`leaks of a graph <03_what_a_graph_can_leak>`).
#
# The {doc}`page on running a federation <../book/federation>` answers a different question, namely who may take part, and how much a client that fails or misbehaves costs the others.
#
# ## What holds
#
# ### Noise for a row does not hide an edge
#
# The obvious repair is to clip each row to a length of at most $C$ and to add noise that hides *one row*. Does this noise also hide an edge? Suppose that several public people share one private neighbour, and that each of their rows has a bit that is 1 if this neighbour also knows Anna. The one edge to Anna then flips the bits of all these rows.

# %%
for people in (1, 2, 4, 8):
    noisy_rows = Independent((RandomisedResponse(1.0, 2),) * people)
    worst = worst_case(noisy_rows, [(0,) * people, (1,) * people])
    print(f"{people} rows with ε = 1 each: ε = {worst.epsilon:.0f} for the link")

# %% [markdown]
# The unit is wrong, because the noise hides a row and the secret is an edge, which can move many rows. To see how far it moves the rows of an upload (after one epoch of training, to save time), we compare two changes. The first removes one private edge and keeps the seed, and the second keeps all edges and takes another seed. Both uploads are rotated onto the original one, because a rotation alone changes every number.

# %%
private_link = next(e for e in four[0].edge_index.t().tolist()
                    if e[0] > e[1] >= four[0].num_public)
kept = ~torch.isin(four[0].edge_index, torch.tensor(private_link)).all(0)
less = four[0].clone()
less.edge_index = four[0].edge_index[:, kept]
quick = replace(federation, first_epochs=1)
one, other, again = (
    unpack_rows(quick.client(part, seeded(seed)).send()).double()
    for part, seed in ((four[0], 4), (less, 4), (four[0], 5)))

def moved(rows):
    """How far each row is from where it was, in its length."""
    rows = rows @ procrustes(rows, one)
    return (rows - one).norm(dim=1) / one.norm(dim=1)

for change, rows in (("one private link less", other), ("another seed", again)):
    print(f"{change}: the median row moves by {moved(rows).median():.2f} "
          "of its length")

# %% tags=["remove-cell"]
by_link, by_seed = (moved(rows) for rows in (other, again))
assert 0.2 < by_link.median() < by_seed.median() - 0.1
assert (by_link > 0.05).double().mean() > 0.9 and (by_seed > 0.05).double().mean() > 0.9
glue("by_link", float(by_link.median()), display=False)
glue("by_seed", float(by_seed.median()), display=False)
glue("farther", math.sqrt(four[0].num_public), display=False)


# %% [markdown]
# The edge moves the median row by {glue:text}`by_link:.2f` of its length, so its effect is not confined to the rows of its neighbours. Another seed, however, moves the median row by {glue:text}`by_seed:.2f`, which is more. A server who does not know the seed may therefore be unable to detect the edge. The noise of a guarantee must nevertheless cover the largest distance by which an edge can move the rows.
#
# A row of length at most $C$ can move by $2C$, and noise for one row covers this distance. If one edge moves all $P$ public rows, the upload moves by up to $2 C \sqrt{P}$. Here this is {glue:text}`farther:.0f` times as far.
#
# ### Secure aggregation hides single uploads, not their sum
#
# *Secure aggregation* is a cryptographic protocol in which clients mask their uploads so that the masks cancel in the sum {cite}`bonawitz2017practical`. The server then learns the sum of all uploads and no single one. This protocol alone would not repair PPFL-GNN, for three reasons.
#
# 1. The server of PPFL-GNN needs the single uploads, because it rotates each of them before it averages. The clients would have to agree on one space beforehand, for example by rotating onto a public map.
# 2. A client that knows its own share can still subtract it, so that with two clients the sum reveals the other upload exactly.
# 3. Nothing bounds how much a sum without noise reveals, because a private edge can still move it.
#
# Secure aggregation is useful together with noise. Each client then adds a small part of the noise, and the sum has enough noise, although nobody is trusted with a single upload.
#
# ### Randomised response before the walks
#
# The noise must therefore protect edges instead of rows. Before any walk, each client answers once for every pair of its nodes, by {doc}`randomised response <08_sound_edges>`, whether the pair is an edge. The answer is true with probability $e^\varepsilon / (1 + e^\varepsilon)$. From then on the client works on the graph of the answers, and never uses its true edges again.
#
# :::{prf:theorem} Randomise the edges before any walk (claim `federated-private-edge`, verdict: holds)
# :label: thm-11-edges
#
# Let it be fixed, independently of all edges, who is public and which client holds whom. Let each client answer once for each pair of its people by randomised response, and work on the answers alone. Then all messages of all rounds together are $\varepsilon$-differentially private for one edge with a private end (add/remove). For an edge between two public people, whom $k$ clients hold, the guarantee is $k \varepsilon$.
# :::
#
# :::{prf:proof}
# Take two graphs that differ in one pair with a private end. One client alone holds that end, so the pair is in one part and has one answer. The probabilities of this answer in the two graphs have a ratio of at most $e^\varepsilon$. All other pairs are the same in both and have independent randomness. Everything later uses the answers only, so it is post-processing. A pair of public people is in $k$ parts, and has $k$ answers.
# :::
#
# With two clients, two public people (0, 1) and one private person each (2 and 3), every outcome can be listed.

# %%
def part_of(people, own):
    place = {v: i for i, v in enumerate(own)}
    return tuple(frozenset(place[u] for u in people[v] if u in place) for v in own)

def lists(*links):
    return tuple(frozenset(u for pair in links for u in pair
                           if v in pair and u != v) for v in range(4))

seen_by = (0, 1, 2), (0, 1, 3)
replies = Independent((SymmetricResponse(1.0),) * 2,
                      split=lambda w: tuple(part_of(w, who) for who in seen_by))
for kind, link in {"private end": (0, 2), "both public": (0, 1),
                   "nobody's": (2, 3)}.items():
    spent = worst_case(replies, [lists((1, 3)), lists((1, 3), link)]).epsilon
    print(f"{kind:12} ε = {spent:.1f}")

# %% [markdown]
# As the theorem states, an edge costs $\varepsilon$ for each part that contains it. An edge between private people of two clients ("nobody's") is in no part and costs nothing. That the public people are fixed independently of the edges is necessary, as {ref}`an exercise <ex-11-degree>` shows. The unit is one edge. A whole private person is in as many pairs as their client has other people, and each pair costs $\varepsilon$.
#
# ## What the guarantee costs
#
# In the library, one argument adds the randomised response, and the method states its guarantee. The trust model is "central", because each client is trusted with the edges of its people.

# %%
private = replace(federation, edges=SymmetricResponse(8.0))
print(private.guarantees()[0])

# %% [markdown]
# The baseline is the same clients on the public edges alone, with $\varepsilon = 0$ for every private edge. Each row is one run on one split. The long runs come from the {doc}`ledger <../book/glossary>` (`privbook reproduce ppfl-priced`).

# %%
runs = privbook.Results("ppfl-priced")

def ran(epsilon):
    found = {group: runs.values(name, dataset=data.name, epsilon=epsilon)
             for group, name in GROUP_METRICS.items()}
    return {group: seeds[0] for group, seeds in found.items()}

priced = {"alone, no noise": by_group(alone),
          "aligned, no noise": by_group(aligned), "aligned, ε = 8": ran(8.0),
          "aligned, ε = 4": ran(4.0), "public links only, ε = 0": ran(0.0)}
show.table([{"vectors": name} |
            {short: f"{score[group]:.1f}" for short, group in GROUPS.items()
             if group in score} for name, score in priced.items()])

# %% tags=["remove-cell"]
for name, short in (("aligned, ε = 8", "eight"), ("aligned, ε = 4", "four"), ("public links only, ε = 0", "floor"),
                    ("alone, no noise", "alone")):
    glue(f"cost_{short}", priced[name]["all"], display=False)
    glue(f"private_{short}", priced[name]["private with"], display=False)
n = four[0].num_nodes
glue("even", break_even(n, four[0].num_edges / n), display=False)
cost = {name: score["all"] for name, score in priced.items()}
assert cost["alone, no noise"] > cost["aligned, ε = 8"] + 2 > cost["public links only, ε = 0"] + 2
assert cost["aligned, ε = 4"] < cost["public links only, ε = 0"] - 10

# %% [markdown]
# With $\varepsilon = 8$, private nodes keep much of the value of their edges ({glue:text}`private_eight:.0f`%, compared with {glue:text}`private_floor:.0f`% on the public edges alone). Over all nodes, however, {glue:text}`cost_eight:.0f`% is less than the {glue:text}`cost_alone:.0f`% that clients have alone and unprotected. Moreover, $\varepsilon = 8$ allows the odds of an edge to change by a factor of $e^8$. With $\varepsilon = 4$ the clients have {glue:text}`cost_four:.0f`%, less than without any private edges ({glue:text}`cost_floor:.0f`%). The reason is that with an $\varepsilon$ below about {glue:text}`even:.1f` {doc}`most reported edges are false <08_sound_edges>`. Edges between public people are randomised too.
#
# Therefore no version on this page is both private and useful. A client that works *alone* uploads nothing, and has a higher accuracy than any protected federation here. A better result would need fewer pairs to protect, more data for each secret, or noise under secure aggregation, where the server never sees single uploads. We have not found it.
#
# ## Try it with separate processes
#
# Everything above ran in one process. Here each client is a separate process that reads only its own file. Run the first line. Then start the second and the third line in separate terminals, the third once for each of the four files.
#
# ```bash
# privgraph federate split --graph cora-twin --clients 4 --to parts
# privgraph federate server federateddeepwalk --save heard
# privgraph federate client federateddeepwalk parts/client-0.pt
# ```
#
# The folder `heard` then holds everything that the server received, and can be loaded and attacked. {doc}`Run a federation <../book/federation>` shows how to do this on several machines, which messages are encrypted there, and who can run code where.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-11-collude
# ```
# % Exercise: 15 minutes, ●: what a sum gives away
# With three clients, an answer gives a client the *sum* of the two others. Suppose that clients 0 and 1 collude and share all that they know. Show that they get client 2's upload, up to a rotation. How many of $k$ clients must collude to get another client's upload in this way?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-11-collude
# :class: dropdown
# ```

# %%
uploads = torch.randn(3, 6, 2, generator=seeded(0), dtype=torch.float64)
answer = align_to_each(uploads)[0]                          # to client 0
sum_of_others = 3 * answer - uploads[0]
second = uploads[1] @ procrustes(uploads[1], uploads[0])    # client 1, rotated
third = sum_of_others - second
error = (third @ third.t() - uploads[2] @ uploads[2].t()).abs().max()
print(f"largest error in a product: {float(error):.0e}")

# %% [markdown]
# All $k - 1$ others must collude for this. Fewer clients only get sums of several uploads, each sum in its recipient's space. Together these sums may still reveal more than one sum does.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-11-degree
# ```
# % Exercise: 20 minutes, ●●: a public list that depends on private links
# The dissertation also makes the people with the most edges public (section 4.4), as the library does with `hold(..., by="degree")`. Show, on the karate club with one edge more or less, that {prf:ref}`thm-11-edges` does not cover this case, because the list of public people is an output.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-11-degree
# :class: dropdown
# ```

# %%
club = datasets.load("karate")

def public_people(graph):
    chosen = hold(graph, seeded(0), clients=2, public=0.3, private=0.3, by="degree")
    return set((chosen.holder == -1).nonzero().view(-1).tolist())

before = public_people(club)
for pair in torch.combinations(torch.arange(34)).tolist():
    kept = ~torch.isin(club.edge_index, torch.tensor(pair)).all(0)
    less = Data(edge_index=club.edge_index[:, kept], num_nodes=34)
    if public_people(less) != before:
        gone = before - public_people(less)
        print(f"without the link {pair}: {gone} no longer public")
        break

# %% [markdown]
# An edge decides who is public, and everybody sees who is public. No randomness hides this edge.
# ```{solution-end}
# ```
#
# ## Summary
#
# - The uploads of PPFL-GNN reveal to the server which public nodes share a private neighbour, and each client recovers the exact sum of the other uploads, rotated into its own space. With two clients, this sum gives all inner products of the other's rows.
# - "Data stay local" is no guarantee. Noise for a row has the wrong unit, whereas randomised response on edges, before the walks, has the right one.
# - The guarantee is expensive. With the right unit and an $\varepsilon$ that promises something, protected clients have a lower accuracy than clients who stay alone.
#
# **Further reading.** PPFL-GNN {cite}`zhang2023federated`. More attacks on the uploads, and the controls with intervals, are on {doc}`the evidence page <11_federated_evidence>`.
