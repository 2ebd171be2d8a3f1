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
# # PPFL-GNN: what the vectors told, and what a promise costs
#
# :::{admonition} What you will learn
# :class: tip
# - what an honest but curious server, and a fellow client, read in the messages;
# - why noise for a row does not hide a link;
# - which promise can be kept, for which unit, and what it costs.
#
# **You need** {doc}`11_federated`, {doc}`02_differential_privacy` and, from {doc}`04_attacks`, the AUC. **Time:** 20 minutes.
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
# In {doc}`11_federated` clients trained vectors together: data stay at home, and vectors of public people travel. Public people without a link at a client gained from it. Here are the two clinics of that page again (people 0 to 4 are public, 5 and 6 are A's alone, 7 and 8 B's; public links 0-1, 1-2, 2-3; A's own 0-5, 1-5, 5-6; B's own 3-7, 4-7, 3-8), and the four clients, trained with the server's answers and without.

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
# ## What the server learned
#
# The dissertation protects nothing against the server: it gets the vectors as they are. Call it **honest but curious**: it does what it should, and looks at everything it gets.
#
# ### Who shares a private friend
#
# Look at clinic B. People 3 and 4 are not linked, but both meet 7, whom nobody outside knows. The server looks at B's upload alone, and takes all pairs of public people who are not linked in public. How alike are two rows (their cosine, which no turn changes)?

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
# Two pairs stand out. Persons 0 and 2 have a friend in common in public, person 1. Persons 3 and 4 have none that anybody outside knows of: the server has just learned that they meet somebody.
#
# The same on the graph, for each of the four clients. Asked about are 500 pairs who share a private friend there, and as many who do not.

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
# The last column is the strict one. Its negatives are as close in the whole graph, but have their common friend at *another* client. So the server learns whose private friends they are. Fellow clients learn as much as the server: with two clients, an answer *is* the other client's upload up to a rotation, as the next section computes.
#
# ### A fellow client reads the other
#
# Does at least the server keep the clients from each other? A client gets an average. But it knows its own share of the average. With $k$ clients it multiplies the answer by $k$ and takes its own vectors away. What is left is the sum of the others' vectors, turned into its own space. With two clients that is the other's upload itself:

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
# *Data stay at home* says where the data are. It does not say what the messages tell of them, and that is what a guarantee is about ({doc}`03_what_a_graph_can_leak`).
#
# Who may take part, and what a client that fails or misbehaves costs the others, is a different question. The {doc}`page on running a federation <../book/federation>` answers it.
#
# ## What holds
#
# ### Noise for a row is not enough
#
# The obvious repair is to clip each row to a length of at most $C$ and to add noise to it that hides *one row*. Will that hide a link? Count what a link can do. Here are some public people who all have one private friend, and a row says in one bit whether that friend is linked to a certain second person. One link flips the bits of all of them.

# %%
for people in (1, 2, 4, 8):
    noisy_rows = Independent((RandomisedResponse(1.0, 2),) * people)
    worst = worst_case(noisy_rows, [(0,) * people, (1,) * people])
    print(f"{people} rows with ε = 1 each: ε = {worst.epsilon:.0f} for the link")

# %% [markdown]
# The unit is wrong, because the noise hides a row and the secret is a link, which can move many rows. To see how far it moves the rows of a real upload, we compare two changes. The first takes one private link away and keeps the seed, and the second keeps all links and takes another seed. Both uploads are rotated onto the original one, because a rotation alone changes every number.

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
# The link moves the median row by {glue:text}`by_link:.2f` of its length, so its effect is not confined to the rows of its neighbours. Another seed, however, moves the median row by {glue:text}`by_seed:.2f`, which is more. That rows differ therefore does not show that a server who does not know the seed can see the link. The noise of a guarantee must nevertheless cover the farthest that a link can move the rows.
#
# With $P$ public rows of length at most $C$, one link can move an upload by $2 C \sqrt{P}$: here {glue:text}`farther:.0f` times what noise for a row of length $C$ is made for.
#
# ### Secure aggregation hides single uploads, not their sum
#
# *Secure aggregation* is a cryptographic protocol in which clients mask their uploads so that the masks cancel in the sum {cite}`bonawitz2017practical`. The server then learns the sum of all uploads and no single one. It would not repair this method, for three reasons. First, the server of PPFL-GNN needs the single uploads, because it rotates each of them before it averages. The clients would have to agree on one space beforehand, for example by rotating onto a public map. Second, a client that knows its own share can still subtract it, so that with two clients the sum reveals the other upload exactly. Third, a sum without noise has no finite $\varepsilon$, because a private link can still move it. Secure aggregation is useful together with noise. Each client then adds a small part of the noise, and the sum carries enough of it, although nobody is trusted with a single upload.
#
# ### Noise before the walks
#
# Then let the noise speak of links. Before it takes a single step, each client answers for every pair of its people once, by randomised response ({doc}`08_sound_edges`): true with probability $e^\varepsilon / (1 + e^\varepsilon)$. From then on it works on the graph that comes out, and never looks at its own again.
#
# :::{prf:theorem} Randomise the links, then do as you like (claim `federated-private-edge`, verdict: holds)
# :label: thm-11-edges
#
# Let it be fixed, without a look at any link, who is public and who is held by whom. Let each client answer for each pair of its people by randomised response, and work on the answers alone. Then all messages of all rounds together are $\varepsilon$-differentially private for one link with a private end (add/remove). For a link between two public people, whom $k$ clients hold, it is $k \varepsilon$.
# :::
#
# :::{prf:proof}
# Take two graphs that differ in one pair with a private end. One client alone holds that end, so the pair is in one part, and is answered for once. The chances of its two answers have a quotient of at most $e^\varepsilon$; all other pairs are alike, and have coins of their own. Whatever comes later reads the answers only: post-processing. A pair of public people is in $k$ parts, and is answered for $k$ times.
# :::
#
# Two clients, two public people (0, 1) and one private person each (2 and 3): that is small enough to list every outcome.

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
# The condition is no ornament: {ref}`ex-11-degree` breaks it. And the unit is a link. A whole private person is in as many pairs as her client has other people, and each costs $\varepsilon$.
#
# ## What it costs
#
# The library does it by one argument, and says what holds:

# %%
private = replace(federation, edges=SymmetricResponse(8.0))
print(private.guarantees()[0])

# %% [markdown]
# Beside it the floor: the same clients on the public links alone, which is $\varepsilon = 0$ for every private link. These take longest, and are read from the ledger (`privbook reproduce ppfl-priced`).

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
# With $\varepsilon = 8$ private people keep much of what their links say ({glue:text}`private_eight:.0f`, where the public links alone leave {glue:text}`private_floor:.0f`), but over all {glue:text}`cost_eight:.0f` is less than what each client has alone and unprotected, {glue:text}`cost_alone:.0f`. And $\varepsilon = 8$ lets the odds of a link move by a factor of $e^8$. With $\varepsilon = 4$ the clients do worse ({glue:text}`cost_four:.0f`) than if they had thrown all private links away ({glue:text}`cost_floor:.0f`): below about {glue:text}`even:.1f` most links that are reported are false ({doc}`08_sound_edges`), public ones among them.
#
# So on this page no version is both private and useful. A client that works *alone* uploads nothing, and scores more than any protected federation here. To change that one would have to protect fewer pairs than all, to have more data for each secret, or a server that never sees single uploads. We have not found it.
#
# ## Try it with separate processes
#
# Everything above ran in one process, where one could peep. Here each client is a process of its own, which reads its own file. Start each line in a terminal of its own, the third one for each of the four files:
#
# ```bash
# privgraph federate split --graph cora-twin --clients 4 --to parts
# privgraph federate server federateddeepwalk --save heard
# privgraph federate client federateddeepwalk parts/client-0.pt
# ```
#
# The folder `heard` then holds all that the server learned: load it, and attack it. {doc}`Run a federation <../book/federation>` shows how to do this on several machines, what is encrypted there, and who can run code where.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-11-collude
# ```
# % Exercise: 15 minutes, ●: what a sum gives away
# With three clients, an answer gives a client the *sum* of the two others. Suppose that clients 0 and 1 are friends and tell each other everything. Show that they get client 2's upload, up to a turn. How many of $k$ clients must conspire against one?
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
second = uploads[1] @ procrustes(uploads[1], uploads[0])    # client 1, turned
third = sum_of_others - second
error = (third @ third.t() - uploads[2] @ uploads[2].t()).abs().max()
print(f"largest error in a product: {float(error):.0e}")

# %% [markdown]
# All others, $k - 1$ of them: fewer get a sum of several.
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-11-degree
# ```
# % Exercise: 20 minutes, ●●: a public list that depends on private links
# The dissertation also makes those people public who have the most links (section 4.4). Show, on the karate club with one link more or less, that {prf:ref}`thm-11-edges` does not speak of this: who is public is an output.
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
# A link decided who is public, and everybody sees who is public. No coin hides that.
# ```{solution-end}
# ```
#
# ## Summary
#
# - The messages carry what the method is for: whom a public person meets at this client. The server reads who shares a private friend; a client gets the exact sum of the others' vectors, and with two clients all of the other's products.
# - "Data stay at home" is no guarantee. Noise for a row has the wrong unit. Randomised response on links, before the walks, has the right one.
# - The price is high: with the right unit, and an $\varepsilon$ that promises something, protected clients score less than clients who stay alone.
#
# **Further reading.** PPFL-GNN {cite}`zhang2023federated`. More attacks on the uploads, and the controls with intervals: {doc}`11_federated_evidence`.
