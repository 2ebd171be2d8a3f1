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
# # Attacks in the settings of their papers
#
# On Cora, LinkTeller ranks the edges of an unprotected GCN with an AUC of {glue:text}`lt_auc:.1f` %. However, if it accuses as many pairs among 500 people as there are edges, only {glue:text}`lt_right:.0f` % of the accused pairs are edges. For Attack-0, which compares posteriors, this share (F1) is {glue:text}`a0_f1:.0f` %, at an AUC of {glue:text}`a0_auc:.0f` %. This page runs the attacks of {doc}`this chapter <04_attacks>` as their authors run them, on networks with and without privacy. Each attack stands beside its null, which is the same attack where nothing can have leaked, and beside attackers who use public data only.
#
# All numbers are from the ledger, in percent, with 95% intervals over seeds. They are about Cora, and other graphs may behave differently.

# %% tags=["hide-input"]
from myst_nb import glue

import privbook
from privbook import show
from privbook.papers.attack_settings.client_lies import LIES, METHODS, SIGNS
from privgraph.attacks import BELIEFS, LOW_AND_HIGH

show.use_style()
links, members, lies = (privbook.Results(f"attack-{name}")
                        for name in ("links", "members", "lies"))
NETWORKS = {"no privacy": dict(edges="open"), "ε = 8": dict(edges="symmetric", budget=8.0),
            "ε = 6": dict(edges="symmetric", budget=6.0), "no edges": dict(edges="none")}

def of(runs, metric, setting):
    return runs.mean(metric, **runs.setting(**setting))


# %% [markdown]
# ## Who is linked?
#
# The network is a GCN with two layers. Features and labels are public, and the edges are secret. Without privacy the network uses all edges as they are. At ε = 8 and ε = 6 it uses a graph that symmetric randomised response reports, and ε is the true budget of an undirected edge ({doc}`sound edge mechanisms <08_sound_edges>`). In the last column the network uses no edge, neither in training nor in answering, so that column is the null. Each network answers with the graph on which it was trained.
#
# Every attacker is asked about the same 500 edges and 500 other pairs. LinkTeller {cite}`wu2022linkteller` sends changed features and compares the answers. The attacks of {cite}`he2021stealing` are numbered as in that paper. Next to the posteriors, the attacker may have the features, pairs of the attacked graph that are known to be edges or non-edges (a *partial graph*), and another graph (a *shadow data set*, here Citeseer). The attackers with features also train a reference model, a network that uses no edge.

# %% tags=["hide-input", "full-width"]
NEEDS = {
    "linkteller": ("LinkTeller", "queries"), "both": ("LinkTeller, both directions", "queries"),
    "attack_0": ("Attack-0", "posteriors"), "attack_1": ("Attack-1", "+ shadow data set"),
    "attack_2": ("Attack-2", "+ features"), "attack_3": ("Attack-3", "+ partial graph"),
    "attack_4": ("Attack-4", "+ partial graph, shadow data set"),
    "attack_5": ("Attack-5", "+ features, shadow data set"),
    "attack_6": ("Attack-6", "+ features, partial graph"),
    "attack_7": ("Attack-7", "+ all three"),
    "evidence": ("Attack-0 and features, added", "posteriors, features"),
    "features": ("similar features", "features"),
    "centred": ("similar features, centred", "features"),
    "degrees": ("many friends", "degrees"),
    "reference": ("similar answers of the reference", "features, labels")}
show.table([{"attacker": name, "has": has}
            | {network: of(links, metric, setting) for network, setting in NETWORKS.items()}
            for metric, (name, has) in NEEDS.items()])


# %% tags=["remove-cell"]
def mean(metric, network="no privacy"):
    return of(links, metric, NETWORKS[network]).mean

glue("lt_auc", mean("linkteller"), display=False)
glue("lt_right", mean("precision_linkteller_all"), display=False)
glue("a0_auc", mean("attack_0"), display=False)
glue("a0_f1", mean("f1_posteriors_all"), display=False)
glue("a2_auc", mean("attack_2"), display=False)
glue("a7_auc", mean("attack_7"), display=False)
glue("sum_auc", mean("evidence"), display=False)
glue("blind_0", mean("attack_0", "no edges"), display=False)
glue("blind_7", mean("attack_7", "no edges"), display=False)
glue("features_auc", mean("features"), display=False)
glue("open_right", mean("accuracy"), display=False)
glue("eight_right", mean("accuracy", "ε = 8"), display=False)
glue("six_right", mean("accuracy", "ε = 6"), display=False)
assert mean("linkteller", "no edges") == mean("both", "no edges") == 50
assert mean("linkteller") > 99.5 and mean("attack_7") > mean("attack_0") > mean("features")

# %% [markdown]
# Without privacy LinkTeller is nearly perfect, from one direction or from both. Link stealing gains from the attacker's knowledge. Attack-0 has an AUC of {glue:text}`a0_auc:.1f` %, and Attack-7, with all three, has {glue:text}`a7_auc:.1f` %. The sum of the standardised scores of Attack-0 and of similar features reaches {glue:text}`sum_auc:.1f` % without any training. Attack-2 subtracts the similarity of the reference model's answers and is much weaker here ({glue:text}`a2_auc:.1f` %), because on Cora similar features *are* evidence of an edge.
#
# The null shows how much of this is homophily. If the network uses no edge, Attack-0 still has {glue:text}`blind_0:.1f` % and Attack-7 {glue:text}`blind_7:.1f` %, whereas LinkTeller has exactly 50 %, because no answer changes with another person's features. Only the part above the null can be credited to the edges. (The networks' test accuracies are {glue:text}`open_right:.1f` % without privacy, {glue:text}`eight_right:.1f` % at ε = 8 and {glue:text}`six_right:.1f` % at ε = 6.)
#
# Two differences from the released code of {cite}`he2021stealing` matter for a comparison. Their code standardises the inputs over the pairs that are asked about, so a score depends on the other pairs. Ours takes the scale from random pairs of the same graph. For an AUC below one half in Attack-2, their code reports one minus that AUC. We do not, because this decision uses the true edges.
#
# ## What an AUC hides
#
# LinkTeller's authors draw 500 people and ask about *all* 124,750 pairs among them. An attacker who believes that a share $\hat k$ of the pairs are edges accuses that many pairs, those with the highest scores. Precision is the share of edges among the accused, recall is the share of edges that are accused, and F1 is their harmonic mean. At the true density all three are equal.

# %% tags=["hide-input", "full-width"]
rows = []
for belief in BELIEFS:
    open_ = {what: of(links, f"{what}_{belief:g}", NETWORKS["no privacy"])
             for what in ("precision", "recall", "f1")}
    rows.append({"assumed / true density": f"{belief:g}"}
                | {f"{what.replace('f1', 'F1')}, no privacy": value for what, value in open_.items()}
                | {f"F1, {name}": of(links, f"f1_{belief:g}", NETWORKS[name])
                   for name in ("ε = 8", "ε = 6")})
show.table(rows)

# %% [markdown]
# Among these pairs {glue:text}`density:.0f` in 10,000 are edges, so an attacker who accuses at random has a precision of {glue:text}`density_percent:.2f` %. LinkTeller's errors are almost all friends of friends, whose influence is positive as well. The next table splits the people by degree, as the authors' code does for Cora (at most {glue:text}`low_most` friends, and at least {glue:text}`high_least`). Without privacy, LinkTeller finds the edges among people with few friends best.

# %% tags=["hide-input", "full-width"]
ASKED = {"linkteller": "LinkTeller", "posteriors": "Attack-0", "features": "similar features"}
show.table([{"attacker": name, "degrees": kind,
             "AUC, no privacy": of(links, f"among_{metric}_{kind}", NETWORKS["no privacy"])}
            | {f"F1, {network}": of(links, f"f1_{metric}_{kind}", NETWORKS[network])
               for network in ("no privacy", "ε = 8", "ε = 6")}
            for metric, name in ASKED.items() for kind in ("all", "low", "high")])

# %% tags=["remove-cell"]
glue("density", mean("density"), display=False)
glue("density_percent", mean("density") / 100, display=False)
glue("low_most", LOW_AND_HIGH["cora"][0], display=False)
glue("high_least", LOW_AND_HIGH["cora"][1], display=False)
glue("apart", mean("queried_apart"), display=False)
glue("f1_six", mean("f1_1", "ε = 6"), display=False)
glue("auc_six", mean("linkteller", "ε = 6"), display=False)
assert mean("f1_linkteller_low") > mean("f1_linkteller_all") > mean("f1_posteriors_all")
assert mean("queried_apart") < 3 and abs(mean("queried") - mean("among_linkteller_all")) < 1

# %% [markdown]
# Randomised response lowers the F1 far more than the AUC. At ε = 6 LinkTeller still has an AUC of {glue:text}`auc_six:.1f` % on 500 edges and 500 other pairs, but its F1 falls to {glue:text}`f1_six:.0f` %. The network was trained on a graph with many false edges, and LinkTeller finds these as surely as true ones.
#
# These numbers come from exact derivatives. With the authors' two forward passes per person, with features multiplied by 1 + 10⁻⁴, the F1 at the true density differs by {glue:text}`apart:.1f` points on average. The library's `queried_influence` asks any model in this way.
#
# ## Who was in it?
#
# {doc}`The page on membership <04_membership>` explains the likelihood ratio of {cite}`carlini2022membership`. Its means are each person's own, and its standard deviations are shared by all people. Two variants change this. *Offline*, only shadow models that have never seen the person count, so they can be trained before the attacker knows whom to ask about. With *own spread*, the standard deviations are each person's own as well, and therefore take more shadow models to estimate. The networks are a GraphSAGE without privacy, and an MLP trained by {doc}`DP-SGD <13_which_method>` (with noisy gradients), without noise and at ε = 8 for a node (δ = 10⁻⁵). The last row is the null, the highest AUC of all six attacks against a *stranger*, a network whose training set has nothing to do with the members.

# %% tags=["hide-input", "full-width"]
TARGETS = {"GraphSAGE, 16 shadows": dict(network="sage"),
           "GraphSAGE, 64 shadows": dict(network="sage", shadows=64),
           "DP-SGD, no noise": dict(network="dpsgd"), "DP-SGD, ε = 8": dict(network="dpsgd", budget=8.0)}
KNOWN = {"bar": ("one threshold for all", "answers, labels"),
         "one_shadow": ("one shadow model", "+ a shadow model"),
         "online": ("likelihood ratio", "+ shadows with and without the person"),
         "online_own": ("the same, own spread", "+ the same"),
         "offline": ("offline", "+ shadows without the person"),
         "offline_own": ("offline, own spread", "+ the same")}

def both(metric, setting):
    """AUC with its interval, and the TPR at 1% FPR."""
    auc, tpr = (of(members, f"{metric}_{what}", setting) for what in ("auc", "tpr"))
    return f"{auc} ({tpr.mean:.0f})"

rows = [{"attacker": name, "has": has} | {target: both(metric, setting)
                                          for target, setting in TARGETS.items()}
        for metric, (name, has) in KNOWN.items()]
rows.append({"attacker": "null: a stranger, the highest", "has": "the same"} | {
    target: str(max((of(members, f"{metric}_null_auc", setting) for metric in KNOWN),
                    key=lambda found: found.mean)) for target, setting in TARGETS.items()})
show.table(rows)


# %% tags=["remove-cell"]
def member(metric, target):
    return of(members, metric, TARGETS[target]).mean

for short, target in (("few", "GraphSAGE, 16 shadows"), ("many", "GraphSAGE, 64 shadows")):
    for metric in ("bar_tpr", "online_tpr", "online_own_tpr", "offline_tpr"):
        glue(f"{short}_{metric}", member(metric, target), display=False)
glue("noisy_auc", member("online_auc", "DP-SGD, ε = 8"), display=False)
glue("clear_auc", member("online_auc", "DP-SGD, no noise"), display=False)
glue("noisy_right", member("accuracy", "DP-SGD, ε = 8"), display=False)
glue("clear_right", member("accuracy", "DP-SGD, no noise"), display=False)
assert member("online_tpr", "GraphSAGE, 16 shadows") > 3 * member("bar_tpr", "GraphSAGE, 16 shadows")
assert member("online_own_tpr", "GraphSAGE, 16 shadows") < member("online_tpr", "GraphSAGE, 16 shadows")

# %% [markdown]
# An entry is the AUC with its interval and, in brackets, the TPR at 1% FPR. Against GraphSAGE, the likelihood ratio with 16 shadow models finds {glue:text}`few_online_tpr:.0f` % of the members at 1% false alarms, and offline {glue:text}`few_offline_tpr:.0f` %, compared with {glue:text}`few_bar_tpr:.0f` % for one threshold. Own spread needs more shadow models. With 16 of them it lowers that rate to {glue:text}`few_online_own_tpr:.0f` %, and with 64 it reaches {glue:text}`many_online_own_tpr:.0f` %, compared with {glue:text}`many_online_tpr:.0f` % for shared standard deviations. DP-SGD at ε = 8 lowers the AUC of the likelihood ratio from {glue:text}`clear_auc:.0f` % to {glue:text}`noisy_auc:.0f` %, and the accuracy on others from {glue:text}`clear_right:.0f` % to {glue:text}`noisy_right:.0f` %.
#
# ## A client that lies
#
# In {doc}`a federation <11_federated>`, a server can check the shape, length and finiteness of a client's message, but not whether it is correct. Here one of four clients lies. It sends its rows (an embedding per node, or in FedAvg the weights) in a wrong order (*shuffled*), with the opposite sign (*mirrored*), or random directions a hundred times as long as its own rows (*loud*). It may also send back the server's last answer (*followed*), or send shuffled rows under four names (*sybils*). A liar needs nothing but its place in the federation. In *DeepWalk with edges*, each private edge is reported at ε = 8 before any walk. The table has the cost, the points of micro F1 that the three honest clients lose, compared with a run in which the same client is honest and everything else, including all randomness, is the same.

# %% tags=["hide-input", "full-width"]
NAMES = {"deepwalk": "DeepWalk", "deepwalk with edges": "DeepWalk with edges", "gat": "GAT",
         "fedavg": "FedAvg"}

def cost(method, lie):
    found = of(lies, "cost_all", dict(method=method, lie=lie))
    return None if found is None else str(found)

show.table([{"lie": lie} | {NAMES[method]: cost(method, lie) for method in METHODS}
            for lie in LIES if lie != "honest"])


# %% [markdown]
# A server has four signs of each client, none of which needs any data. These are how *unlike* its upload is to those of the others, how *alike* it is to the most similar one, how close it is to the last *answer*, and how unusual its *length* is. The next table lists the signs by which the liar, or one of its names, was the most suspicious client in every run. The first row is the null. There client 0, the liar of the other rows, is honest, and a sign that suspects it in every run is no proof of a lie.

# %% tags=["hide-input", "full-width"]
def seen(method, lie):
    setting = dict(method=method, lie=lie)
    found = [sign for sign in SIGNS if (each := of(lies, f"first_{sign}", setting)) and each.mean == 100]
    return ", ".join(found) or "none"

show.table([{"lie": "none (null)" if lie == "honest" else lie}
            | {NAMES[method]: seen(method, lie) for method in METHODS} for lie in LIES])


# %% tags=["remove-cell"]
def points(method, lie):
    return of(lies, "cost_all", dict(method=method, lie=lie)).mean

for method, short in (("deepwalk", "walk"), ("gat", "gat"), ("fedavg", "avg")):
    for lie in ("shuffled", "mirrored", "loud", "followed", "sybils"):
        glue(f"{short}_{lie}", points(method, lie), display=False)
assert all(of(lies, "cost_all", dict(method=method, lie="honest")).mean == 0 for method in METHODS)
assert points("deepwalk", "sybils") > points("deepwalk", "mirrored")

# %% [markdown]
# The costs differ between the methods, because their servers combine rows differently. Alignment undoes a reflection, so the mirrored rows cost DeepWalk only {glue:text}`walk_mirrored:.1f` points, whereas they cost FedAvg {glue:text}`avg_mirrored:.1f`. A loud client outvotes the others and costs {glue:text}`walk_loud:.1f` points in DeepWalk and {glue:text}`avg_loud:.1f` in FedAvg. In the GAT federation, where answers only enter through an angle, it costs {glue:text}`gat_loud:.1f`. A client that follows the others costs them {glue:text}`walk_followed:.1f` points in DeepWalk. The guarantee of the edges holds in all of these runs, because it covers the messages of the honest clients, whatever the server answers.
#
# **Further reading.** LinkTeller: {cite}`wu2022linkteller`. Link stealing: {cite}`he2021stealing`. The likelihood ratio: {cite}`carlini2022membership`.
