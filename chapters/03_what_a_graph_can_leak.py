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
# # What a graph can leak
#
# A graph can leak private data that nobody published, because message passing puts each person's data into the outputs for other people. In this chapter, averages over friends reveal every edge of a small graph and {glue:text}`certain` of the {glue:text}`members` labels of a real graph. Differential privacy limits what *your* participation changes. It does not stop your friends' data from revealing yours.
#
# :::{admonition} What you will learn
# :class: tip
# - through which channels private graph data get out, and how your neighbours' published numbers can reveal yours;
# - which *unit* a guarantee can protect, from one label to a whole node, and who has to be trusted for it;
# - what differential privacy does not promise.
#
# The page on {doc}`neighbouring graphs <03_which_neighbours>` says what a guarantee for one unit is worth for another, and lists ten questions to ask of any claim.
#
# **You need** {doc}`01_graphs_and_message_passing`, {doc}`02_differential_privacy` and the $\delta$ of {doc}`02_many_releases`. **Time:** 25 minutes.
# :::

# %% tags=["hide-input"]
import math
from itertools import combinations

import matplotlib.pyplot as plt
import torch
from myst_nb import glue
from scipy.optimize import linprog

from privbook import show
from privgraph import datasets, graph
from privgraph.mechanisms import Laplace, RandomisedResponse
from privgraph.nn import interval
from privgraph.privacy import Guarantee, compose
from privgraph.randomness import seeded

show.use_style()

# %% [markdown]
# ## Who sees what
#
# Five people use a service. Each person has a number (hours online last week) and belongs to one of two groups (the colour), and some of them are friends. Each observer sees only a part.
#
# % Figure: The five people know hours, groups and friendships, whereas each of three observers sees only a part of them.

# %% mystnb={"image": {"alt": "The five-person graph four times. The people know hours, groups and friends. Friend 2 sees the hours of 0, 1 and 3 and the three ties to them. The reader of the graph sees all ties and no hours. The user of the model sees an average beside each person and no ties."}} tags=["hide-input"]
edge_index, hours = show.TOY_EDGES, torch.tensor([2.0, 4.0, 6.0, 20.0, 10.0])
group = torch.tensor([0, 0, 0, 1, 1])
averages = (graph.adjacency(edge_index, 5, "mean") @ hours[:, None]).squeeze()
TINT, BLANK = ("#CFE8F7", "#F7D9C4"), "#EEEEEE"
no_edges, near_2 = edge_index[:, :0], edge_index[:, (edge_index == 2).any(0)]
known = {v: f"{v}\n{h:.0f} h" for v, h in enumerate(hours.tolist())}
unknown = {v: f"{v}\n?" for v in range(5)}
predicted = {v: f"{v}\n{a:.1f}" for v, a in enumerate(averages.tolist())}
tints, plain = [TINT[c] for c in group], ["white"] * 5
views = {
    "the people": (edge_index, known, tints),
    "friend 2 sees": (near_2, known | {4: unknown[4]}, plain[:4] + [BLANK]),
    "the reader of the graph sees": (edge_index, unknown, [BLANK] * 5),
    "the user of the model sees averages": (no_edges, predicted, plain)}
figure, panels = plt.subplots(2, 2, figsize=(8.2, 4.6))
for axes, (title, (edges, labels, colours)) in zip(panels.flat, views.items(), strict=True):
    show.draw_graph(axes, edges, show.TOY_POSITIONS, labels, colours, size=1350)
    axes.set_title(title, fontsize=10.5)
plt.show()


# %% [markdown]
# The question of this chapter is how much each observer can *infer* about the rest. Private data can get out through five channels.
#
# | what gets out | what it can reveal | example |
# |---|---|---|
# | the raw data | everything | a stolen table of features |
# | the graph itself | edges, degrees, and through them identities | an "anonymous" network, published |
# | messages of neighbours | the neighbours' features | a friend's device, a hospital that trains a model together with others |
# | a trained model, or its predictions | edges, labels, who was in the training set | a public interface to a graph network |
# | embeddings | edges, features, labels | vectors handed to a partner |
#
# Removing the names is no defence, because a person's edges often identify them as well as a name does. For example, members of a network without names were recognised with the help of a second, overlapping network {cite}`narayanan2009deanonymizing`. An attacker who plants a few accounts beforehand, and links them to chosen people, can find them all in the published graph {cite}`backstrom2007wherefore`.
#
# ### An edge that nobody published
#
# Suppose that the hours are public and the edges are secret. The service publishes, for each person, the average hours of their friends. Each average is one step of {doc}`message passing <01_graphs_and_message_passing>`. For each person we try every possible set of friends.

# %%
def possible_friends(v, average, tolerance=1e-4):
    """Every set of other people whose hours have this average."""
    others = [u for u in range(5) if u != v]
    sets = [s for size in range(1, 5) for s in combinations(others, size)]
    return [s for s in sets
            if abs(float(hours[list(s)].mean()) - average) < tolerance]

for v, average in enumerate(averages.tolist()):
    sets = possible_friends(v, average)
    print(f"person {v}: average {average:5.2f}  possible friends: {sets}")
    friends = edge_index[0, edge_index[1] == v].tolist()
    assert len(sets) == 1 and set(sets[0]) == set(friends)

# %% [markdown]
# Exactly one set of friends fits each average. The whole graph therefore follows from five published numbers, although none of them is an edge.
#
# ### A label that nobody published
#
# The next example reverses the roles, so that the edges are known and the labels are secret. The karate club has {glue:text}`members` members, who are real people, and it split into two factions. For each member, the *share of their friends* who joined the second faction is published. A linear programme then finds each member's smallest and largest label that agree with all published shares. It also allows fractions between 0 and 1 as labels. If even then only one value is possible, the label is certain.

# %%
club = datasets.load("karate")
n = club.num_nodes
adjacency = graph.adjacency(club.edge_index, n, "mean")
mean_of_friends = adjacency.to_dense().double().numpy()
published = mean_of_friends @ club.y.double().numpy()

def extreme(v, sign):
    """Least (sign = 1) or largest (sign = -1) label of v that fits all shares."""
    goal = [sign * (u == v) for u in range(n)]
    best = linprog(goal, A_eq=mean_of_friends, b_eq=published, bounds=(0, 1))
    return sign * best.fun

ranges = [(extreme(v, 1), extreme(v, -1)) for v in range(n)]
certain = [v for v, (low, high) in enumerate(ranges) if high - low < 1e-6]
assert all(round(ranges[v][0]) == int(club.y[v]) for v in certain)
glue("certain", len(certain), display=False)
glue("members", n, display=False)
print(f"labels that follow with certainty: {len(certain)} of {n}")

# %% [markdown]
# For {glue:text}`certain` of {glue:text}`members` members the two values are equal, so their labels follow with certainty. The reason is that each member's label is part of the averages of all their friends, and these averages are equations for the labels. If the equations have several solutions, the bounds 0 and 1 can still exclude all values but one. In short, **message passing moves private data to neighbours**. Protecting your own row of a table is therefore not enough when your data are also in other people's rows.
#
# Trained networks do not compute such simple averages. However, their outputs too depend on the neighbours' features, as {doc}`message passing <01_graphs_and_message_passing>` showed for a GCN. The LinkTeller attack {cite}`wu2022linkteller` changes one person's features, observes whose predictions change, and infers the person's edges from these changes. The chapter on {doc}`link attacks <04_attacks>` explains it. First, however, we need terms for what is to be protected.
#
# ## Units: what is one secret?
#
# Differential privacy compares two data sets that differ in *one thing*. In a table this thing is a row. In a graph there is a choice, because all data of our five people are numbers in three tables, the adjacency matrix $A$, the features $X$ (here four numbers per person) and the labels $y$. The picture shows which of these numbers may change when one unit of person 2 changes.
#
# % Figure: A label is one number of the tables A, X and y, whereas a node is a row and a column of A, a row of X and a label.

# %% mystnb={"image": {"alt": "The toy graph, and seven copies of the tables A, X and y side by side, with the numbers that a unit may change in orange. A label and a feature are one number, a neighbour slot one number of A, an undirected edge two mirrored ones, a feature vector and a neighbour list one row each, a node its row and column of A, its row of X and its label."}} tags=["hide-input"]
x = torch.tensor([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1], [0, 0, 1, 1]])
A = graph.adjacency(edge_index, 5, "sum").to_dense().int()
row_2 = {("A", 2, u) for u in range(5) if u != 2}
vector_2 = {("X", 2, i) for i in range(4)}
UNITS = {"label": {("y", 2, 0)}, "one feature": {("X", 2, 1)}, "feature vector": vector_2,
         "neighbour slot": {("A", 2, 3)}, "undirected edge": {("A", 2, 3), ("A", 3, 2)},
         "neighbour list": row_2,
         "node": row_2 | {("A", u, 2) for _, _, u in row_2} | vector_2 | {("y", 2, 0)}}
tables, starts = {"A": A, "X": x, "y": group[:, None]}, {"A": 0, "X": 6, "y": 11}
figure, panels = plt.subplots(2, 4, figsize=(9, 3.6))
show.draw_graph(panels[0, 0], edge_index, show.TOY_POSITIONS, size=150,
                colours=["#FFB77A" if v == 2 else "white" for v in range(5)])
for axes, (unit, entries) in zip(panels.flat[1:], UNITS.items(), strict=True):
    for name, values in tables.items():
        axes.text(starts[name] + values.size(1) / 2, -0.4, f"${name}$", ha="center", fontsize=9)
        for i, row in enumerate(values.tolist()):
            for j, value in enumerate(row):
                colour = "#FFB77A" if (name, i, j) in entries else "#F2F2F2"
                place = (starts[name] + j, i)
                axes.add_patch(plt.Rectangle(place, 1, 1, facecolor=colour, edgecolor="white"))
                axes.text(place[0] + 0.5, i + 0.55, value, ha="center", va="center", fontsize=7)
    axes.set(xlim=(-0.8, 12.8), ylim=(5, -1), aspect="equal")
    axes.set_title(f"{unit} ({len(entries)})", fontsize=9.5)
    axes.axis("off")
plt.show()
print({unit: len(entries) for unit, entries in UNITS.items()})

# %% [markdown]
# Some units are part of a larger one.
#
# - A *label* is one number.
# - *One feature* is a part of the *feature vector*.
# - A *neighbour slot* is one entry of one person's list, in other words a directed edge. For example, "2 lists 3 as a friend" is a slot.
# - An *undirected edge* is two entries of $A$, because it is in the lists of both people.
# - A *neighbour list* is a row of $A$.
# - A *node* is everything about a person: their list, their entries in the lists of all others, their features and their label.
#
# If a mechanism *uses* the edges without protecting them, we state its guarantee for *features and label* only. For the node as a unit, no finite $\varepsilon$ holds, because the node's edges enter the output without noise. (A report that depends on the label alone uses no edges, and costs a node the same $\varepsilon$ as the label.)
#
# A larger unit gives a stronger promise, and it needs more noise. For example, a guarantee for a slot hides that you know *Anna*, but it does not hide that you have three hundred friends. A guarantee for a node hides both.
#
# :::{prf:definition} Unit and relation
# :label: def-unit-relation
#
# The *unit* of a guarantee is the part of the data that may differ between two inputs. Its *neighbouring relation* says how the unit may differ: it is replaced by any other value (*replace*), it appears or disappears (*add/remove*), or, in a neighbour list, one name is exchanged for another (*swap*). Two inputs that differ in one unit by that relation are *neighbours*. A mechanism is $(\varepsilon, \delta)$-differentially private, DP for short, *for this unit and relation* if for all neighbours $G, G'$ and all sets $S$ of outputs $\Pr[M(G) \in S] \le e^{\varepsilon} \Pr[M(G') \in S] + \delta$.
# :::
#
# **An $\varepsilon$ without a unit and a relation means nothing.** The library enforces this rule. A `Guarantee` carries its unit and its relation, and `compose` refuses to add two guarantees that differ in either.

# %%
label = Guarantee(1.0, unit="label", relation="replace", basis="proved")
edge = Guarantee(1.0, unit="undirected edge", relation="add/remove", basis="proved")
for attempt in ((label, edge), (label.convert("node"), edge.convert("node", 3))):
    try:
        compose(*attempt)
    except ValueError as error:
        print(error)

# %% [markdown]
# The first attempt fails because it mixes two units. The second attempt converts both guarantees to the unit *node*, for a person with three edges. It fails because one guarantee is about a label that is *replaced* and the other about edges that *disappear*. The total cost of a node can be stated once both guarantees use the same relation, and the {doc}`next page <03_which_neighbours>` shows how to convert a guarantee for edges.
#
# ## Trust: who sees the raw data?
#
# The noise can be added in different places, and the place decides who must be trusted.
#
# | model | who holds the raw data | what leaves | who must be trusted | in this book |
# |---|---|---|---|---|
# | central | one server, all of it | noisy answers or a noisy model | the server | {doc}`differential privacy <02_differential_privacy>` |
# | local | each person their own | one noisy report per person | nobody else | {doc}`LPGNN <06_lpgnn>` |
# | federated | each client its part of the graph | model updates, sometimes embeddings | depends on what is noised, and where | {doc}`federations <11_federated>` |
# | public + private graph | the owner of the private graph | noisy answers about public nodes | the owner | {doc}`PrivGNN <09_privgnn>` |
#
# The word *federated* says where the data are, not that they are protected. Updates are computed from the data, and without noise no finite $\varepsilon$ holds for them. In the local model of a graph, moreover, the phrase "their own data" is ambiguous, because an edge belongs to two people.
#
# A protocol that trusts nobody needs more noise. Suppose, for example, that the karate club wants to know how many friendships it has, with $\varepsilon = 1$ for each friendship. A trusted server would add Laplace noise to the count. Without a trusted server, one person of every pair answers "are we friends?" by randomised response, and the count is estimated from these answers. In the cell, `variance` is that of the estimated *share* of pairs that are friends, so its root is multiplied by the number of pairs.

# %%
edges, pairs = club.num_edges // 2, n * (n - 1) // 2
answers = RandomisedResponse(1.0, 2)
central = math.sqrt(Laplace(1.0, unit="undirected edge").variance)
shares = torch.tensor([1 - edges / pairs, edges / pairs])
local = pairs * math.sqrt(float(answers.variance(shares, pairs)[1]))
glue("sd_central", central, display=False)
glue("sd_local", local, display=False)
glue("edges", edges, display=False)
print(f"{edges} friendships; standard error:",
      f"central {central:.1f}, local {local:.1f}")

# %% [markdown]
# For a true count of {glue:text}`edges` friendships, the standard error is {glue:text}`sd_central:.1f` with a trusted server and {glue:text}`sd_local:.0f` without one. The gap grows with the number of pairs, because in the local model every pair adds noise. Claims from different trust models must therefore not be ranked by $\varepsilon$ alone.
#
# ## What differential privacy does not promise
#
# Suppose that you do not take part at all. Your label is stored nowhere, and you send no report. However, your friends report their labels by randomised response, and Mallory, the attacker, knows who they are. Because friends often have the same label (*homophily*), Mallory can guess yours from their reports.

# %%
data = datasets.default()
show.banner(data)

# %% [markdown]
# Mallory knows how common each class is and how the reports are made. She assumes that a friend has your class in eight cases of ten, which is about the homophily of this graph, and otherwise a random class (possibly yours). For each class, she computes how probable each report would be if you belonged to this class. Its score adds up the logarithms of these probabilities, over the reports of your friends and, if you reported, your own. In each run, a random fifth of all people sends nothing.

# %%
size, classes = data.num_nodes, data.num_classes
hears = graph.adjacency(data.edge_index, size, "sum")
common = torch.bincount(data.y, minlength=classes).float() / size
# chance of a friend's class, given mine
like_me = 0.8 * torch.eye(classes) + 0.2 * common

def evidence(epsilon, seed):
    """Log-odds from friends' and own reports; and who was silent (one in five)."""
    generator = seeded(seed)
    silent = torch.rand(size, generator=generator) < 0.2
    response = RandomisedResponse(epsilon, classes)
    reports = torch.eye(classes)[response(data.y, generator=generator)]
    reports[silent] = 0                                # nothing was sent
    friends = (hears @ reports) @ (like_me @ response.transition).log().t()
    own = reports @ response.transition.log().t()
    return friends, own, silent

def success(score, who):
    guess = (common.log() + score).argmax(1)
    return 100 * float((guess == data.y)[who].float().mean())


# %% tags=["hide-input"]
def mallory(epsilon, seeds=5):
    """Her success in per cent, with 95% intervals over the seeds."""
    runs = []
    for seed in range(seeds):
        friends, own, silent = evidence(epsilon, seed)
        runs.append((success(0 * friends, silent), success(friends, silent),
                     success(own, ~silent), success(friends + own, ~silent)))
    return [interval(list(column)) for column in zip(*runs, strict=True)]

KNOWS = ("nothing (largest class)", "your friends' reports (you took no part)",
         "your own report alone", "your own report and your friends'")
BUDGETS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
results = {epsilon: mallory(epsilon) for epsilon in BUDGETS}
show.table([{"Mallory knows": name} |
            {f"ε = {e:g}": results[e][i] for e in (1.0, 3.0, 6.0)}
            for i, name in enumerate(KNOWS)])

# %% [markdown]
# % Figure: At ε = 1, friends' reports alone give the labels of {glue:text}`friends_1:.0f` % of the people who sent nothing (largest class: {glue:text}`nothing_1:.0f` %).

# %% mystnb={"image": {"alt": "Mallory's success against the budget of a report. Friends' reports alone rise from the level of the largest class to about 85 per cent, although the person took no part. The person's own report alone rises later, crosses that line, and reaches almost 100. Both together lie highest at small budgets; at the largest the own report alone is ahead."}} tags=["hide-input"]
figure, axes = plt.subplots(figsize=(8.6, 3.6))
for i, name in enumerate(KNOWS):
    show.band(axes, list(results), [row[i] for row in results.values()], name)
axes.set(xscale="log", xlabel="budget ε of each report", ylabel="Mallory guesses right (%)",
         ylim=(0, 105))
axes.set_xticks(list(results), [f"{e:g}" for e in results])
axes.minorticks_off()
axes.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
plt.show()

# %% tags=["remove-cell"]
glue("graph_name", data.name, display=False)
for i, name in enumerate(("nothing", "friends", "own", "both")):
    glue(f"{name}_1", results[1.0][i].mean, display=False)
    glue(f"{name}_6", results[6.0][i].mean, display=False)
assert results[1.0][1].mean > results[1.0][2].mean    # what the next paragraphs say
assert results[2.0][1].low > results[2.0][0].high
assert results[8.0][2].mean > results[8.0][3].mean
assert results[6.0][1].low > 2 * results[6.0][0].high

# %% [markdown]
# On {glue:text}`graph_name` and at $\varepsilon = 1$, Mallory correctly guesses the labels of {glue:text}`friends_1:.0f` % of the people who sent *nothing*. For people who did report, that report alone gives the correct label in {glue:text}`own_1:.0f` % of cases. The two numbers are for different people, but guesses from friends' reports are right at least as often as guesses from a person's own report. At $\varepsilon = 6$ the friends' reports give the labels of {glue:text}`friends_6:.0f` % of the silent people (largest class: {glue:text}`nothing_6:.0f` %). Mallory's rule is simple and not always the best one, because her assumptions are not exactly true. For example, she takes the same eight of ten for everybody. At the largest budgets, it would be better to trust an almost certain report and to ignore the friends, as the two upper lines of the figure show.
#
# No promise is broken here. For a person who sent nothing, the output is the same whatever their label is. They therefore have $\varepsilon = 0$, the strongest guarantee there is. Differential privacy limits the **change that your participation makes**. It does not protect against **inference** from facts that can be learnt without you. For example, a study can find without your data that smoking causes cancer, and this fact then says something about you if you smoke {cite}`dwork2014algorithmic`.
#
# The same experiment also shows what differential privacy does promise. Your own report can change Mallory's log-odds (the logarithm of the odds) between two classes by at most $\varepsilon$. Your friends' reports can change them much more, at $\varepsilon = 1$ by up to {glue:text}`moved_friends:.0f`, because many reports add up.

# %%
friends, own, silent = evidence(1.0, seed=0)

def moved(part):
    return float((part.amax(1) - part.amin(1)).max())

print(f"log-odds moved at most, by one's own report: {moved(own):.3f},",
      f"by friends' reports: {moved(friends):.1f}")
assert moved(own) <= 1.0 + 1e-5 and not own[silent].any() and moved(friends) > 5
glue("moved_friends", moved(friends), display=False)

# %% [markdown]
# On graphs such inference is the rule and not the exception, because graph methods use the dependence between people. On real networks, people's attributes have been inferred from their friends without an attack on any mechanism {cite}`mislove2010you`. If people's data depend on each other, one answer is to protect a larger unit or to change the definition. However, no method protects against every inference and stays useful {cite}`kifer2011free`.
#
# Each later chapter therefore asks two separate questions. Does the guarantee hold? How much does an attacker learn about you *without access to your report*? The second answer is the reference for every attack.
#
# ## Exercises
#
# ```{exercise-start}
# :label: ex-03-rounding
# ```
# % Exercise: 15 minutes, ●●: what a deterministic release can promise
# The service rounds its averages to whole hours. How many sets of friends fit each person now? Can an attacker still find the edges? Does rounding give a finite $\varepsilon$ for an edge?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-03-rounding
# :class: dropdown
# ```
# Only person 2 has two candidate sets. The second set contains person 4, whose own average implies that 3 is their only friend. Because an edge is in two lists, the second set is excluded, and the graph follows again. No finite $\varepsilon$ holds, because rounding is not random. As soon as one edge changes one rounded number, the old output, which had probability 1, has probability 0.

# %%
fits = {v: possible_friends(v, round(float(averages[v])), tolerance=0.5)
        for v in range(5)}
print(fits)
agree = {v: [s for s in sets if all(any(v in t for t in fits[u]) for u in s)]
         for v, sets in fits.items()}
assert all(len(sets) == 1 for sets in agree.values())
print("that agree with the other lists:", agree)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start}
# :label: ex-03-shuffled
# ```
# % Exercise: 15 minutes, ●●: homophily, and who reveals whom
# Is it really *homophily* that reveals the silent people's labels? Keep the edges, shuffle the labels over the people, and let Mallory guess again at $\varepsilon = 6$. What do you expect?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-03-shuffled
# :class: dropdown
# ```
# With shuffled labels, the labels of friends are unrelated. Mallory still trusts the friends' reports, and ends below the guess "largest class". The mechanism is the same as before, so the earlier success was due to a fact about the graph.

# %%
kept, data.y = data.y, data.y[torch.randperm(size, generator=seeded(3))]
shuffled = mallory(6.0)
data.y = kept
print(f"friends' reports, labels shuffled: {shuffled[1]}  ",
      f"as they are: {results[6.0][1]}")
print(f"largest class: {shuffled[0]}")
assert shuffled[1].high < shuffled[0].low

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Data get out through tables, graphs, neighbours, models and embeddings. Message passing puts each person's data into the outputs for other people, so a graph can leak private data that nobody published.
# - A guarantee needs a unit and a relation. Units range from one label to a whole node.
# - The same promise costs more accuracy if nobody is trusted.
# - Differential privacy limits what your participation changes. It does not stop your friends' data from revealing yours.
#
# A guarantee for one unit often implies one for another, with $\varepsilon$ multiplied by a factor. On the {doc}`next page <03_which_neighbours>`, an undirected edge costs twice as much as a slot, a node costs as much as all its edges together, and some changes are not covered by any $\varepsilon$.
#
# **Further reading.** Why there is no free lunch: {cite}`kifer2011free`. A survey of definitions on graphs: {cite}`mueller2022sok`.
