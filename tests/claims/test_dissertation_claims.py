"""The privacy claims of the dissertation (LPPGE, PPFL-GNN, SE-GCL) that need no training of its systems.

It states no privacy theorem. What is checked here are its sentences about differential privacy, federated
learning, embedding alignment and the discriminator, and arithmetic on the legible cells of its tables.
"""

import math
import os
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.datasets import load_breast_cancer
from torch_geometric.data import Data
from torch_geometric.nn import GATConv

from privbook.papers.published import entries
from privgraph.attacks import evaluate_attack, inner_product
from privgraph.audit import Independent, worst_case
from privgraph.datasets import load
from privgraph.graph import Graph, contains, to_undirected
from privgraph.mechanisms import RandomisedResponse
from privgraph.methods import GAE, LPPGE, mark_sensitive
from privgraph.methods.dpne import DPNE, walk_matrix
from privgraph.methods.federated.alignment import align_to_each, procrustes
from privgraph.methods.federated.gat import FederatedGAT
from privgraph.methods.lppge import Networks
from privgraph.methods.sensitive import without_links
from privgraph.randomness import seeded

KARATE = nx.karate_club_graph()


class Tabled:
    """A mechanism given by a function from inputs to {outcome: probability}."""

    def __init__(self, distribution):
        self.distribution = distribution


def auc(links, others):
    """The chance that a link's score beats a non-link's, ties counting half."""
    difference = np.subtract.outer(links, others)
    return float(((difference > 0) + (difference == 0) / 2).mean())


# LPPGE (chapter 3): preprocessing (section 3.3.1) and one step of training (section 3.3.2-3.3.4).


def sensitive_links(graph, threshold):
    """Definitions 2 and 3: links between two users of degree above the threshold."""
    return {frozenset(e) for e in graph.edges() if min(graph.degree(u) for u in e) > threshold}


def training_graph(graph, threshold):
    """All sensitive links are deleted."""
    return {frozenset(e) for e in graph.edges()} - sensitive_links(graph, threshold)


def privacy_graph(graph, threshold):
    """The trimming method with R = 1: only links that connect sensitive users are kept."""
    return sensitive_links(graph, threshold)


def propagation(links, n):
    """Eq. 3.2: D^-1/2 (A + I) D^-1/2."""
    a = torch.eye(n, dtype=torch.float64)
    for u, v in links:
        a[u, v] = a[v, u] = 1
    scale = a.sum(1).rsqrt()
    return scale[:, None] * a * scale[None, :]


def encoder_gradient(training, privacy, n):
    """The first gradient of the encoder: two GCN layers, the map to Z, Z_p beside Z, eq. 3.3, balanced cross-
    entropy."""
    generator = torch.Generator().manual_seed(0)
    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)
    x, first, second, widen, label = draw(n, 5), draw(5, 6), draw(6, 2), draw(2, 4), draw(5, 3)
    first.requires_grad_()
    spread = propagation(training, n)
    z = spread @ torch.relu(spread @ x @ first) @ second @ widen
    z = torch.cat([z, propagation(privacy, n) @ x @ label], 1)
    target = (spread > 0).double()
    torch.nn.functional.binary_cross_entropy_with_logits(
        z @ z.t(), target, pos_weight=(1 - target).sum() / target.sum()).backward()
    return first.grad


@pytest.mark.bears("repair", "lppge-deletion-removes-first-order")
def test_deletion_hides_a_link_from_the_training_graph_only(record_property):
    """Section 3.3.1: "deleting the sensitive links removes the first-order information from the embedding".
    True of a function of the training graph (GAE_RM) while both users stay sensitive; in LPPGE the privacy
    embedding is made from the sensitive links and moves the encoder's very first gradient."""
    graph = nx.Graph([(0, 1), (0, 2), (1, 2), *((u, 3 + 3 * u + i) for u in range(3) for i in range(3))])
    cut = graph.copy()
    cut.remove_edge(0, 1)
    n, threshold = graph.number_of_nodes(), 3
    assert n == 15 - 3 and training_graph(graph, threshold) == training_graph(cut, threshold)
    with_link, without = (encoder_gradient(training_graph(g, threshold), privacy_graph(g, threshold), n)
                          for g in (graph, cut))
    moved = float((with_link - without).abs().max())
    assert moved > 0.01
    # Algorithm 2, line 2, as printed makes Z_p from the training graph: then nothing depends on the link.
    printed = [encoder_gradient(training_graph(g, threshold), training_graph(g, threshold), n)
               for g in (graph, cut)]
    assert torch.equal(*printed)
    record_property("witness", "15 users, sensitive links among 0, 1, 2: with and without 0-1 the training "
                    "graph is the same, the first encoder gradient differs by "
                    f"{moved:.2g}")


@pytest.mark.bears("repair", "lppge-deletion-removes-first-order")
def test_deletion_depends_on_degrees(record_property):
    """Section 3.3.1, also for GAE_RM: who is sensitive is decided by degrees that include the link. Where one
    link makes a user sensitive, the deletion of her other links gives it away."""
    graph = nx.Graph([(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (1, 6), (2, 7), (2, 8), (2, 9)])
    cut = graph.copy()
    cut.remove_edge(0, 1)
    assert graph.number_of_nodes() == 10
    extra = training_graph(cut, 2) ^ training_graph(graph, 2)
    assert extra == {frozenset({0, 2})}
    gae_rm = Tabled(lambda name: {frozenset(training_graph({"with": graph, "without": cut}[name], 2)): 1.0})
    assert worst_case(gae_rm, ["with", "without"]).epsilon == math.inf
    record_property("witness", "threshold 2: without the link 0-1 user 0 has degree 2, is not sensitive, "
                    "and 0-2 is in the training graph; with it 0-2 is deleted")


def with_and_without_a_sensitive_link():
    """The karate club with a public list of sensitive users, and the same without one link between two of them."""
    whole = mark_sensitive(load("karate"), 9)
    less = without_links(whole, whole.sensitive[:, :1])
    less.sensitive = whole.sensitive[:, 1:]
    return whole, less


def published(data, privacy):
    """What LPPGE publishes with one seed; "deleted": what GAE_RM does."""
    method = (GAE(epochs=50, without="links") if privacy == "deleted"
              else LPPGE(epochs=50, alpha=0.0, privacy=privacy, target=10))
    return method.embed(data, seeded(0)).z


@pytest.mark.bears("against", "lppge-privacy-label-disentangles", "lppge-without-sacrificing-utility")
@pytest.mark.bears("repair", "lppge-deletion-removes-first-order")
@pytest.mark.bears("measured", "lppge-embedding-reveals-removed")
def test_the_privacy_embedding_brings_a_sensitive_link_back(record_property):
    """Sections 3.3 and 3.3.2: with the privacy embedding given to the decoder, "Z' excludes the private information".
    What is published is the same, bit for bit, with and without a sensitive link where there is no privacy embedding;
    with it, it is not."""
    whole, less = with_and_without_a_sensitive_link()
    assert whole.num_edges == less.num_edges + 2
    for privacy in ("deleted", "none"):
        assert torch.equal(published(whole, privacy), published(less, privacy)), privacy
    moved = {privacy: float((published(whole, privacy) - published(less, privacy)).abs().max())
             for privacy in ("trimmed", "added", "sensitive")}
    assert min(moved.values()) > 0.001  # rounding is a thousandth of that
    record_property("witness", "karate club, one sensitive link more or less: Z the same without a privacy embedding, "
                    + ", ".join(f"moved by up to {far:.2f} with {privacy}" for privacy, far in moved.items()))


@pytest.mark.bears("repair", "lppge-npge-not-enough")
def test_with_radius_1_trimming_keeps_the_sensitive_links_alone(record_property):
    """Table 3.1 has R = 1 for Citeseer. Then the trimmed privacy graph is that of NPGE, and LPPGE(T) publishes the same
    vectors; Table 3.2 prints 81.0 and 92.6."""
    data = mark_sensitive(load("karate"), 9)
    vectors = [LPPGE(epochs=5, alpha=0.0, privacy=privacy, radius=1).embed(data, seeded(0)).z
               for privacy in ("trimmed", "sensitive")]
    assert torch.equal(*vectors)
    printed = printed_scores("Citeseer", "sensitive")
    assert printed["NPGE"] - printed["LPPGE(T)"] > 11
    record_property("witness", f"R = 1: the same {vectors[0].numel()} numbers; printed on Citeseer {printed['NPGE']} "
                    f"for NPGE, {printed['LPPGE(T)']} for LPPGE(T)")


@pytest.mark.bears("measured", "lppge-embeddings-are-like-raw-data")
@pytest.mark.parametrize("name, least, most, at_least, pairs_of_millions", [("karate", 62 / 78, 63 / 78, 0.95, 0.0),
                                                                            ("cora-twin", 0.17, 0.20, 0.985, 3.7)])
def test_a_trained_embedding_gives_links_away(name, least, most, at_least, pairs_of_millions, record_property):
    """Section 3.1: releasing an embedding "poses a similar challenge as publishing raw social network data". A trained
    GAE; as many pairs are called linked as there are links, those with the largest inner products. The share of these
    that are links is 1 for the raw network, high on the karate club, and low where links are rare."""
    data, said = load(name), {} if name == "karate" else dict(pairs=5000)
    pairs = torch.combinations(torch.arange(data.num_nodes)).t()
    linked, found = contains(data.edge_index, pairs, data.num_nodes), []
    for seed in range(3):
        score = inner_product(GAE(**said).embed(data, seeded(seed)).z, pairs)
        right = linked[score.topk(int(linked.sum())).indices].float().mean()
        found.append((float(right), evaluate_attack(score, linked).auc))
    assert GAE().dimension == 16 and round(pairs.shape[1] / 1e6, 1) == pairs_of_millions
    assert all(least <= round(right, 2) + 0.005 and right <= most + 0.005 for right, _ in found)
    assert all(round(area, 3) >= at_least for _, area in found)
    record_property("witness", f"{name}, share of the {int(linked.sum()):,} guessed links that are links, and AUC: "
                    + ", ".join(f"{right:.2f} and {area:.3f}" for right, area in found))


@pytest.mark.bears("beside", "ppfl-domain-adaptation")
@pytest.mark.bears("against", "lppge-eliminates-sensitive-information")
def test_the_discriminator_cannot_see_links(record_property):
    """Sections 3.3.4 and 3.5: "the latent representation is regularised to a predetermined distribution,
    effectively eliminating sensitive information". Eq. 3.7 is a sum over single rows, so it is the same for
    any order of the rows; links are not."""
    rng = np.random.default_rng(0)
    people = rng.normal(size=(60, 4))
    told = np.repeat(people, 2, axis=0)  # links 0-1, 2-3, ..: linked users share a Gaussian code
    shuffled = told[rng.permutation(120)]
    weights = [rng.normal(size=shape) for shape in ((4, 8), (8, 1))]
    def discriminator_loss(z):
        d = 1 / (1 + np.exp(-np.tanh(z @ weights[0]) @ weights[1]))
        return -np.log(1 - d).mean()
    assert discriminator_loss(told) == pytest.approx(discriminator_loss(shuffled), abs=1e-12)
    assert sorted(map(tuple, told)) == sorted(map(tuple, shuffled))  # nor can any other test of single rows
    torch.manual_seed(0)  # layers take no generator
    library = Networks(LPPGE(), 5, 2).double().discriminate
    noise = torch.tensor(rng.normal(size=(120, 4)))
    losses = [library(torch.tensor(z), noise).item() for z in (told, shuffled)]
    assert losses[0] == pytest.approx(losses[1])
    scores = {}
    for name, z in (("told", told), ("shuffled", shuffled)):
        closeness = -np.square(z[:, None] - z[None]).sum(-1)
        links = [(i, i + 1) for i in range(0, 120, 2)]
        others = sorted(set(combinations(range(120), 2)) - set(links))
        scores[name] = auc([closeness[e] for e in links], [closeness[e] for e in others])
    assert scores == {"told": pytest.approx(1, abs=0.005), "shuffled": pytest.approx(0.56, abs=0.005)}
    record_property("witness", "120 users, the same 120 Gaussian codes in two orders: equal discriminator "
                    f"loss, link AUC {scores['told']:.2f} and {scores['shuffled']:.2f}")


@pytest.mark.bears("repair", "lppge-sensitive-easier")
def test_sensitive_links_are_easier_because_of_the_negatives(record_property):
    """Section 3.4.1: "as sensitive users have large degrees, sensitive links are easier to predict". Against
    random unconnected pairs the product of degrees alone nearly separates them; against unconnected sensitive
    users it does not."""
    grown = nx.barabasi_albert_graph(150, 3, 0)  # by preferential attachment
    printed = {"karate": (0.993, 0.844, 0.320), "preferential attachment": (0.998, 0.780, 0.669)}
    for name, graph, threshold in (("karate", KARATE, 8), ("preferential attachment", grown, 12)):
        score = {e: graph.degree(e[0]) * graph.degree(e[1]) for e in combinations(sorted(graph), 2)}
        sensitive = sensitive_links(graph, threshold)
        links = [e for e in score if frozenset(e) in sensitive]
        plain = [e for e in score if graph.has_edge(*e) and frozenset(e) not in sensitive]
        strangers = [e for e in score if not graph.has_edge(*e)]
        matched = [e for e in strangers if min(graph.degree(u) for u in e) > threshold]
        sides = (links, strangers), (plain, strangers), (links, matched)
        easy, ordinary, hard = (auc([score[e] for e in a], [score[e] for e in b]) for a, b in sides)
        assert (easy, ordinary, hard) == pytest.approx(printed[name], abs=5e-4)
        record_property("witness", f"{name}: AUC of the product of degrees {easy:.3f} for sensitive and "
                        f"{ordinary:.3f} for other links against random strangers, {hard:.3f} for sensitive "
                        "links against sensitive strangers")


# Table 3.2, macro F1 of the attack on non-sensitive and on sensitive links, and Table 3.3, node
# classification by MLP and by SVM: Citeseer, the rows whose cells are all legible.
CITESEER = {"GAE_RM": (87.5, 91.8, 63.5, 55.5), "DPNE": (52.7, 67.5, 18.6, 8.32),
            "NPGE": (88.9, 92.6, 69.0, 64.1), "LPPGE(A)": (84.1, 77.0, 66.9, 62.3)}


@pytest.mark.bears("repair", "lppge-ratio")
def test_the_ratio_of_utility_to_privacy(record_property):
    """Section 3.4.3: the ratio (score on other links + node classification) / (score on sensitive links)
    "shows better privacy protection". On Citeseer LPPGE(A) does have the highest; but the ratio puts NPGE,
    the least private row, above DPNE, the most private."""
    for classifier in (2, 3):
        ratio = {name: (row[0] + row[classifier]) / row[1] for name, row in CITESEER.items()}
        assert max(ratio, key=ratio.get) == "LPPGE(A)"
        attack = {name: row[1] for name, row in CITESEER.items()}
        assert max(attack, key=attack.get) == "NPGE" and min(attack, key=attack.get) == "DPNE"
        if classifier == 2:
            assert (ratio["NPGE"], ratio["DPNE"]) == pytest.approx((1.71, 1.06), abs=0.005)
        assert ratio["NPGE"] > 1.6 > 1.1 > ratio["DPNE"]
    record_property("witness", f"Citeseer, MLP: ratio {(88.9 + 69.0) / 92.6:.2f} for NPGE (attack 92.6), "
                    f"{(52.7 + 18.6) / 67.5:.2f} for DPNE (attack 67.5)")


@pytest.mark.skipif(not os.environ.get("PRIVGRAPH_DATA"), reason="the graphs of Table 3.1 are not in the repository")
@pytest.mark.parametrize("name, threshold, above, from_on", [
    ("cora", 13, 50, 53), ("fb100_yale", 320, 2757, 2800), ("fb100_rochester", 220, 1272, 1446),
    ("citeseer", 16, 29, 38), ("citeseer", 15, 38, 62), ("citeseer", 14, 62, 72)])
def test_table_3_1_counts_degrees_from_the_threshold_on(name, threshold, above, from_on):
    """Definition 2 has degree > lambda. The printed numbers of sensitive links are those of >= lambda on three graphs,
    and not of >. Citeseer's is neither with the printed lambda of 16; it is >= 15, or > 14."""
    with np.load(Path(os.environ["PRIVGRAPH_DATA"]) / f"{name}.npz") as file:
        u, v = file["edge_index"]
    degree = np.bincount(u)
    counted = [int(((degree[u] >= least) & (degree[v] >= least)).sum()) // 2 for least in (threshold + 1, threshold)]
    assert counted == [above, from_on]
    graph = {"fb100_yale": "Yale", "fb100_rochester": "Rochester"}.get(name, name.capitalize())
    links, = entries("dissertation", "Table 3.1", dataset=graph, metric="sensitive_links")
    least, = entries("dissertation", "Table 3.1", dataset=graph, metric="sensitive_user_degree_threshold")
    if name != "citeseer":
        assert (least.value, links.value) == (threshold, from_on) and above != from_on
    else:
        assert least.value == 16
        assert [value == links.value for value in counted] == [threshold == 14, threshold == 15]


# Table 3.2, as printed: macro F1 of the attack on sensitive and on other links.


def printed_scores(dataset, kind):
    """{method: score}, of the cells that can be read."""
    found = entries("dissertation", "Table 3.2", dataset=dataset, metric=f"macro_f1_{kind}_links")
    return {entry.method: entry.value for entry in found if entry.reading != "uncertain"}


def printed_by_lppge(value):
    """{(graph, variant): value(sensitive scores, other scores, variant)}, where the cell of other links can be read."""
    found = {}
    for dataset in ("Cora", "Citeseer", "Yale", "Rochester"):
        attacked, useful = printed_scores(dataset, "sensitive"), printed_scores(dataset, "non_sensitive")
        found |= {(dataset, name): round(value(attacked, useful, name), 1)
                  for name in ("LPPGE(T)", "LPPGE(A)") if name in useful}
    return found


@pytest.mark.bears("against", "lppge-superiority", "lppge-dp-susceptible-to-inference")
def test_superiority_in_table_3_2(record_property):
    """Chapter 6: "superiority of our model over conventional methods, both in privacy preservation and data usability".
    On sensitive links DPNE is lowest on all four graphs; on the others GAE_RM is above both variants on all four."""
    rows = []
    for dataset in ("Cora", "Citeseer", "Yale", "Rochester"):
        attacked, useful = printed_scores(dataset, "sensitive"), printed_scores(dataset, "non_sensitive")
        ours = [name for name in attacked if name.startswith("LPPGE")]
        assert len(ours) == 2 and min(attacked, key=attacked.get) == "DPNE"
        assert all(useful["GAE_RM"] > useful[name] for name in ours if name in useful)
        assert all(useful.get("DPNE", 0) < 61 < 80 < useful[name] for name in ours if name in useful)
        low = min(attacked[name] for name in ours)
        assert {name for name, score in attacked.items() if score < low} == {"DPNE"}
        rows.append((dataset, attacked["DPNE"], low))
    assert [row[1:] for row in rows] == [(67.3, 72.3), (67.5, 77.0), (52.5, 80.7), (75.9, 81.3)]
    record_property("witness", "sensitive links, DPNE against the better LPPGE: "
                    + ", ".join(f"{dataset} {dpne} against {low}" for dataset, dpne, low in rows))


@pytest.mark.bears("measured", "lppge-safeguards-social-networks")
def test_sensitive_links_stay_above_the_others_on_the_social_networks(record_property):
    """Abstract: "effectively safeguards sensitive links", on real social networks. There both variants leave them
    easier to predict than others, as printed."""
    above = printed_by_lppge(lambda attacked, useful, name: attacked[name] - useful[name])
    assert above == {("Cora", "LPPGE(T)"): -5.7, ("Cora", "LPPGE(A)"): -8.2, ("Citeseer", "LPPGE(A)"): -7.1,
                     ("Yale", "LPPGE(T)"): 1.9, ("Yale", "LPPGE(A)"): 0.5,
                     ("Rochester", "LPPGE(T)"): 0.9, ("Rochester", "LPPGE(A)"): 0.9}
    record_property("witness", "sensitive minus other links: "
                    + ", ".join(f"{dataset} {name} {gap:+.1f}" for (dataset, name), gap in above.items()))


@pytest.mark.bears("against", "lppge-keeps-structure-social-networks", "lppge-without-sacrificing-utility")
def test_other_links_lose_in_each_cell_of_table_3_2(record_property):
    """Abstract: "without compromising the graph's structure". Against GAE_RM, where the same links are deleted, the
    printed score on other links falls in each cell that can be read."""
    lost = printed_by_lppge(lambda attacked, useful, name: useful["GAE_RM"] - useful[name])
    assert lost["Yale", "LPPGE(A)"] == 4.0 and lost["Rochester", "LPPGE(A)"] == 4.3
    assert len(lost) == 7 and min(lost.values()) >= 2.5
    record_property("witness", "other links, printed, less than GAE_RM: "
                    + ", ".join(f"{dataset} {name} {gap:.1f}" for (dataset, name), gap in lost.items()))


@pytest.mark.bears("for", "lppge-dynamic-graphs")
def test_two_pictures_of_a_growing_graph(record_property):
    """Section 3.5, chapter 6: dynamic graphs let adversaries reconstruct sensitive details. All sensitive
    links are deleted from both pictures, a day apart: the one link that disappears is sensitive. With noise, two
    answers cost twice."""
    first = nx.Graph([(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (1, 6)])
    second = first.copy()
    second.add_edges_from([(0, 7), (1, 8)])  # 0 and 1 cross the threshold of 3 together
    gone = training_graph(first, 3) - training_graph(second, 3)
    assert gone == {frozenset({0, 1})}  # the only link that disappears from the public graph is the sensitive one
    assert second.number_of_nodes() == 9
    answer = RandomisedResponse(1.0, 2)
    twice = Independent((answer, answer))
    found = worst_case(twice, [(0, 0), (1, 1)])
    assert found.epsilon == pytest.approx(2.0) and worst_case(answer, (0, 1)).epsilon == pytest.approx(1.0)
    record_property("witness", f"a link that two training graphs, a day apart, give away: {sorted(*gone)}; with noise "
                               "of "
                    f"budget 1 a day, two days cost {found.epsilon:.1f}")


# Differential privacy, as chapters 1-3 speak of it.


@pytest.mark.bears("repair", "lppge-dp-prevents-inference")
@pytest.mark.bears("for", "lppge-dp-embedding-consistent")
@pytest.mark.bears("against", "lppge-dp-susceptible-to-inference")
def test_a_budget_caps_the_attack_on_one_link(record_property):
    """Sections 3.1 and 3.4.1: "the output remains statistically consistent when an edge is added or removed",
    "differential privacy is susceptible to inference attacks". At eps no attack on a fair-coin link is right
    more often than e^eps / (1 + e^eps), .731 at eps 1, and the two outputs differ by at most tanh(eps / 2) in
    total variation."""
    for epsilon, right, apart in ((0.1, 0.525, 0.05), (1.0, 0.731, 0.46), (3.0, 0.953, 0.91)):
        for answers in (2, 3, 5):
            one, other = (RandomisedResponse(epsilon, answers).distribution(bit) for bit in (0, 1))
            variation = sum(abs(one[o] - other[o]) for o in one) / 2
            guess = sum(max(one[o], other[o]) for o in one) / 2
            assert guess == pytest.approx((1 + variation) / 2)
            assert variation <= math.tanh(epsilon / 2) + 1e-12
            if answers == 2:  # attained
                assert (guess, variation) == (pytest.approx(right, abs=5e-4), pytest.approx(apart, abs=5e-3))
                assert variation == pytest.approx(math.tanh(epsilon / 2))
    record_property("witness", f"eps 1: at most {1 / (1 + math.exp(-1)):.3f} right guesses about a "
                    "fair-coin link, attained")


@pytest.mark.bears("against", "lppge-dp-prevents-inference")
@pytest.mark.bears("for", "lppge-dp-not-foolproof")
@pytest.mark.bears("beside", "lppge-dp-susceptible-to-inference")
def test_correlated_facts_can_be_inferred_at_epsilon_zero(record_property):
    """Sections 1.2 and 2.2: DP is used "to prevent the inference of sensitive information"; it "isn't
    foolproof against all privacy threats". With nothing at all released, a friend's known faction in the
    karate club names a member's with .86."""
    nothing = Tabled(lambda graph: {"": 1.0})
    assert worst_case(nothing, ["one graph", "another"]).epsilon == 0
    same = sum(KARATE.nodes[u]["club"] == KARATE.nodes[v]["club"] for u, v in KARATE.edges())
    right = same / KARATE.number_of_edges()
    assert (same, KARATE.number_of_edges()) == (67, 78) and right == pytest.approx(0.86, abs=0.005)
    record_property("witness", f"epsilon 0, nothing released: {right:.2f} of friends share a faction, so a "
                    "friend's tells hers")


# DPNE, the baseline of section 3.4 with a guarantee, rebuilt (privgraph.methods.dpne): noise for one row of a matrix.


def people(n, links):
    """n people and their links."""
    return Data(edge_index=to_undirected(torch.tensor(links).t(), n), num_nodes=n)


def all_noisy(answers, sides, mechanism):
    """Pr[each noisy number, one a row, lies on its side of a threshold]: ``sides`` has (threshold, above?) a row."""
    noise = [stats.laplace(float(a), mechanism.scale) for a in answers]
    return math.prod(row.sf(t) if above else row.cdf(t) for row, (t, above) in zip(noise, sides, strict=True))


@pytest.mark.bears("repair", "lppge-dpne", "lppge-graph-data-are-sensitive")
def test_one_link_changes_more_rows_than_the_noise_of_dpne_pays_for(record_property):
    """Section 3.4: "a representation satisfying differential privacy", here at epsilon 1. The noise is enough where the
    contexts are constant and one row changes. A star of 12 friends among 64 people; its centre meets a 13th: with
    walks of two steps 14 rows change. The contexts ask, as constants may, how often each meets the 13th."""
    star = [(0, leaf) for leaf in range(1, 13)]
    without, with_link = (walk_matrix(Graph.of(people(64, links)), 2, 1) for links in (star, [*star, (0, 13)]))
    changed = (without != with_link).any(1)
    mechanism = DPNE(1.0, dimension=1, contexts="drawn").mechanism(64)
    sides = [(float(a), True) for a in with_link[changed, 13]]
    chances = [all_noisy(m[changed, 13], sides, mechanism) for m in (with_link, without)]
    assert mechanism.scale == math.sqrt(2) and int(changed.sum()) == 14  # what one row, alone, needs at epsilon 1
    found = math.log(chances[0] / chances[1])
    assert found == pytest.approx(1.88, abs=5e-3) and found < mechanism.epsilon == 64 and len(star) == 12
    most = max(int((walk_matrix(Graph(karate, 34), 2, 1) != walk_matrix(Graph(cut, 34), 2, 1)).any(1).sum())
               for karate, cut in karate_and_cut())
    assert most == 22
    record_property("witness", "a star of 12 among 64 people, and one link more: 14 answers are all above "
                    f"what they are with it, with chance {chances[0]:.2g}, without it {chances[1]:.2g}, so epsilon is "
                    f"at least {found:.3g}, not 1; on the karate club one link changes up to {most} of 34 rows")


def karate_and_cut():
    """The edges of the karate club, and the same without each of its 78 links."""
    links = list(KARATE.edges())
    whole = people(34, links).edge_index
    return [(whole, people(34, links[:i] + links[i + 1:]).edge_index) for i in range(len(links))]


@pytest.mark.bears("repair", "lppge-dpne")
def test_learnt_contexts_of_dpne_move_with_one_link(record_property):
    """The same claim, with contexts that are learnt, as DPNE's are. Six people, 0 - 1 - 2 and the triangle 3, 4, 5, and
    vectors of one number: with the link 1 - 2 it tells of the first three, without it of the others, so all six
    answers move by about 1. That each lies on its side has its stated chance in 20,000 draws (level 1e-6)."""
    method, rest = DPNE(1.0, dimension=1), [(0, 1), (3, 4), (4, 5), (3, 5)]
    graphs, sides = [people(6, [*rest, (1, 2)]), people(6, rest)], [(1.0, True)] * 3 + [(0.0, False)] * 3
    mechanism, answers = method.mechanism(6), [method.answers(graph, seeded(0)) for graph in graphs]
    chances = [all_noisy(a, sides, mechanism) for a in answers]
    for a, chance in zip(answers, chances, strict=True):
        told = mechanism(a.repeat(20_000, 1), generator=seeded(1)).reshape(-1, 6)
        hits = int(torch.stack([told[:, i] >= t if above else told[:, i] <= t
                                for i, (t, above) in enumerate(sides)]).all(0).sum())
        assert stats.binomtest(hits, 20_000, chance).pvalue > 5e-7
    found = math.log(chances[0] / chances[1])
    assert found == pytest.approx(method.loss(*graphs, seeded(0)), rel=1e-4, abs=0)
    assert found == pytest.approx(4.16, abs=5e-3)
    assert found < mechanism.epsilon == pytest.approx(6 * math.sqrt(2))  # what holds: sqrt(2) n epsilon
    wide = DPNE(1.0, dimension=16)
    losses = [wide.loss(*(Data(edge_index=edges, num_nodes=34) for edges in pair), seeded(0))
              for pair in karate_and_cut()]
    assert len(losses) == 78 and min(losses) > 1 and max(losses) < wide.mechanism(34).epsilon
    record_property("witness", "0 - 1 - 2 and a triangle: three answers of at least 1 and three of at most 0 have "
                    f"chance {chances[0]:.3g}, and {chances[1]:.2g} without the link 1 - 2, so epsilon is at least "
                    f"{found:.3g}, not 1; on the karate club each of 78 links costs more than 1, "
                    f"the worst {max(losses):.3g}")


# PPFL-GNN (chapter 4).


@pytest.mark.bears("against", "ppfl-fl-keeps-data-private")
def test_a_model_update_contains_the_sample(record_property):
    """Sections 1.2, 1.3 and 4.1: federated learning trains "while keeping the data private", "circumvents"
    exposure. The update of a linear softmax layer on one sample is (residual x^T, residual): each row divided
    by its residual is the sample itself."""
    generator = torch.Generator().manual_seed(0)
    sample = torch.rand(20, generator=generator, dtype=torch.float64)
    weight = torch.randn(3, 20, generator=generator, dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy((weight @ sample + bias)[None], torch.tensor([1])).backward()
    for row in range(3):
        assert torch.allclose(weight.grad[row] / bias.grad[row], sample, rtol=1e-8)
    assert bias.grad.argmin() == 1  # the label is the only negative residual
    error = float((weight.grad[0] / bias.grad[0] - sample).abs().max())
    record_property("witness", f"a sample of 20 features and its label from one gradient, error {error:.0e}")


def aligned(x, y):
    """Eq. 4.4: W x with the orthogonal W that brings x [d, k] closest to y; W = U V^T from the SVD of y
    x^T."""
    u, _, vt = np.linalg.svd(y @ x.T)
    return u @ vt @ x


@pytest.mark.bears("against", "ppfl-alignment-enhances-privacy")
def test_alignment_hides_nothing(record_property):
    """Section 1.3 and the abstract: embedding alignment "enhances privacy". The map is orthogonal: every
    inner product and distance of the uploaded embeddings, and so every link score made of them, is the same
    after it; and the upload comes before it."""
    rng = np.random.default_rng(0)
    for d, k in ((4, 30), (8, 30), (16, 40)):
        x, y = rng.normal(size=(d, k)), rng.normal(size=(d, k))
        moved = aligned(x, y)
        assert np.linalg.norm(moved - y) <= np.linalg.norm(x - y)  # it does align
        assert np.allclose(moved.T @ moved, x.T @ x)
        turn = moved @ np.linalg.pinv(x)
        assert np.allclose(turn @ turn.T, np.eye(d)) and np.allclose(turn.T @ moved, x)  # and can be undone
        assert np.allclose(procrustes(*map(torch.tensor, (x.T, y.T))).numpy().T, turn)  # as the library turns it
    error = np.abs(moved.T @ moved - x.T @ x).max()
    record_property("witness", "16 dimensions, 40 public nodes: the Gram matrix of the embeddings is equal "
                    f"before and after alignment, error {error:.0e}")


@pytest.mark.bears("against", "ppfl-server-returns-average", "ppfl-ensures-privacy")
def test_the_average_gives_back_the_others_sum(record_property):
    """Section 4.2.2, Algorithms 3 and 4: a client receives the average of the aligned embeddings. Times n,
    less its own, it is the exact sum of the others'; with two clients that is the other's embedding up to a
    rotation."""
    rng = np.random.default_rng(1)
    for clients in (2, 3, 5):
        uploads = [rng.normal(size=(6, 25)) for _ in range(clients)]
        others = [aligned(x, uploads[0]) for x in uploads[1:]]
        returned = (uploads[0] + sum(others)) / clients
        assert np.allclose(align_to_each(torch.tensor(np.array(uploads)).transpose(1, 2))[0].T, returned)
        recovered = clients * returned - uploads[0]
        assert np.allclose(recovered, sum(others))
        same = np.allclose(recovered.T @ recovered, uploads[1].T @ uploads[1])
        assert same == (clients == 2)  # with more it is a sum of several uploads
        if clients == 2:
            error = np.abs(recovered.T @ recovered - uploads[1].T @ uploads[1]).max()
    record_property("witness", "two clients, 25 public nodes: the other's Gram matrix recovered with error "
                    f"{error:.0e}")


@pytest.mark.bears("against", "ppfl-original-data-local", "ppfl-ensures-privacy")
@pytest.mark.bears("for", "ppfl-public-carry-information")
def test_uploads_depend_on_private_edges_without_noise(record_property):
    """Section 4.2.1: "to protect privacy" edges of non-public nodes stay local and only public nodes'
    embeddings are uploaded. One GAT layer with fixed weights: a link between a public and a private node
    changes the upload, and no noise covers it."""
    torch.manual_seed(0)  # PyG layers take no generator
    layer = GATConv(5, 4)
    x = torch.rand(4, 5, generator=torch.Generator().manual_seed(1))
    public = [0, 1]  # 2 and 3 are private
    def upload(links):
        both = torch.tensor([*links, *((v, u) for u, v in links)]).t()
        with torch.no_grad():
            return tuple(round(value, 6) for value in layer(x, both)[public].flatten().tolist())
    client = Tabled(lambda links: {upload(links): 1.0})
    worst = worst_case(client, [((0, 1), (2, 3)), ((0, 1), (2, 3), (0, 2))])
    assert worst.epsilon == math.inf
    changed = np.abs(np.subtract(worst.outcome, upload(worst.neighbour))).max()
    assert changed > 0.01
    def told(links):
        """What the library's client uploads in a round; x, labels and coins are the same."""
        part = Data(edge_index=to_undirected(torch.tensor(links).t(), 4), x=x, y=torch.tensor([0, 1, 0, 1]),
                    num_nodes=4, train_mask=torch.ones(4, dtype=torch.bool), num_classes=2,
                    holder=torch.tensor([-1, -1, 0, 0]))
        return FederatedGAT(rounds=1, heads=1, hidden=2, epochs=1).run(part, seeded(0))[1][0].messages[0]
    with_link, without = [(0, 1), (2, 3), (0, 2)], [(0, 1), (2, 3)]
    assert told(with_link) == told(with_link) != told(without)
    record_property("witness", "public 0, 1 and private 2, 3: the link 0-2 changes the uploaded embeddings "
                    f"by up to {changed:.2f}; given the weights the loss is infinite")


@pytest.mark.bears("for", "ppfl-public-carry-information")
def test_walks_between_public_nodes_pass_private_ones(record_property):
    """Section 4.2.2: public nodes' representations "also carry some sensitive information of the private nodes". In
    DeepWalk they are fitted to how often nodes meet on a walk: two public nodes meet by way of a private one."""
    def meetings(links):
        """How likely a walk that starts at public 0 is at public 1 after one or two steps."""
        graph = nx.Graph(links)
        step = nx.to_numpy_array(graph, nodelist=sorted(graph))
        step /= step.sum(1, keepdims=True)
        return (step + step @ step)[0, 1]
    links = [(0, 2), (0, 3), (1, 3), (1, 4), (2, 4)]  # 0 and 1 are public
    found = [meetings(links), meetings([*links, (1, 2)]), meetings([*links, (2, 3)])]
    assert found == pytest.approx([1 / 4, 5 / 12, 1 / 6])
    record_property("witness", "public 0 and 1 meet within two steps with {:.3f}; {:.3f} with the link 1-2 to private "
                               "2, "
                    "{:.3f} with the link 2-3 of two private nodes".format(*found))


# SE-GCL (chapter 5).


@pytest.mark.bears("repair", "privgnn-anonymised-facebook", "ppfl-akin-to-handing-out")
@pytest.mark.bears("against", "segcl-complexity-hides")
def test_more_attributes_identify_more_people(record_property):
    """Section 5.3.3: complex topology and excessive node information make it "more challenging to extract or
    identify specific sensitive information". Each further attribute splits groups and never joins them:
    never are fewer people unique."""
    table = load_breast_cancer().data
    tenths = np.column_stack([np.searchsorted(np.quantile(column, np.arange(1, 10) / 10), column)
                              for column in table.T])
    unique = [int((np.unique(tenths[:, :k], axis=0, return_counts=True)[1] == 1).sum()) for k in range(1, 30 + 1)]
    assert unique == sorted(unique) and dict(zip((1, 2, 3, 4, 30), (*unique[:4], unique[-1]), strict=True)) == {
        1: 0, 2: 2, 3: 54, 4: 74, 30: 569}
    degrees = [str(KARATE.degree(v)) for v in KARATE]
    around = [f"{KARATE.degree(v)}:{sorted(KARATE.degree(u) for u in KARATE[v])}" for v in KARATE]
    alone = [sum(keys.count(key) == 1 for key in keys) for keys in (degrees, around)]
    assert alone == [6, 23] and len(KARATE) == 34
    record_property("witness", "569 patients unique by tenths of the first 1, 2, 3, 4 attributes: "
                    f"{unique[:4]}; members of karate unique by degree {alone[0]}, by their friends' "
                    f"degrees as well {alone[1]}")
