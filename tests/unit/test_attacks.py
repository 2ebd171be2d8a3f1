"""Attacks by definition: pairs, AUC and its interval, distances, references, canaries and their ceilings."""

import math
from itertools import combinations, permutations, product

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, vstack
from scipy.spatial import distance as scipy_distance
from sklearn.metrics import roc_auc_score
from torch_geometric.data import Data

from privgraph.attacks import (
    DISTANCES,
    auc_ceiling,
    ceiling,
    degree_product,
    evaluate_attack,
    feature_similarity,
    plant,
    posterior_similarity,
    sample_pairs,
)
from privgraph.attacks import node_pairs as pairs_module
from privgraph.attacks.evaluation import auc_interval, placements
from privgraph.datasets.small import karate
from privgraph.graph import to_undirected
from privgraph.mechanisms import RandomisedResponse
from privgraph.randomness import seeded


def edges_of(graph: nx.Graph) -> torch.Tensor:
    return to_undirected(torch.tensor(list(graph.edges)).t().reshape(2, -1), len(graph))


def neighbour_sets(edge_index, n):
    sets = [set() for _ in range(n)]
    for u, v in edge_index.t().tolist():
        sets[u].add(v)
    return sets


def two_hop_by_definition(edge_index, n):
    near = neighbour_sets(edge_index, n)
    return {(u, v) for u, v in combinations(range(n), 2) if v not in near[u] and near[u] & near[v]}


KARATE = karate().edge_index
ORDERED = [tuple(sorted(pair)) for pair in KARATE.t().tolist()]


# Pairs

@pytest.mark.parametrize("rounds", [100, 0], ids=["by wedges", "by list"])
@pytest.mark.parametrize("non_edges", ["uniform", "two-hop"])
def test_pairs_are_what_they_say(non_edges, rounds, monkeypatch):
    """Different pairs, as many of each kind, edges where ``linked`` says so, each end first in some of them."""
    monkeypatch.setattr(pairs_module, "ROUNDS", rounds)
    sample = sample_pairs(KARATE, 34, 60, seeded(0), non_edges)
    listed = [tuple(sorted(pair)) for pair in sample.pairs.t().tolist()]
    assert sample.pairs.shape == (2, 120) and len(set(listed)) == 120 and int(sample.linked.sum()) == 60
    assert [pair in set(ORDERED) for pair in listed] == sample.linked.tolist()
    assert 0 < int((sample.pairs[0] < sample.pairs[1])[sample.linked].sum()) < 60
    assert 0 < int((sample.pairs[0] < sample.pairs[1])[~sample.linked].sum()) < 60
    if non_edges == "two-hop":
        assert {pair for pair, linked in zip(listed, sample.linked, strict=True) if not linked} <= (
            two_hop_by_definition(KARATE, 34))


def test_no_place_in_the_sample_says_what_is_an_edge():
    """Of 2,000 samples of nine edges and nine others: at level 1e-6 for each place, seen to fail where edges come first
    or the two kinds take turns."""
    generator = seeded(31)
    edges = torch.stack([sample_pairs(KARATE, 34, 9, generator).linked for _ in range(2000)]).sum(0)
    low, high = stats.binom.ppf([0.5e-6 / 18, 1 - 0.5e-6 / 18], 2000, 0.5)
    assert low < int(edges.min()) and int(edges.max()) < high


def test_same_seed_same_pairs():
    first, second, other = (sample_pairs(KARATE, 34, 9, seeded(s), "two-hop").pairs for s in (1, 1, 2))
    assert torch.equal(first, second) and not torch.equal(first, other)


@pytest.mark.parametrize("rounds", [100, 0], ids=["by wedges", "by list"])
@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.star_graph(4), nx.complete_bipartite_graph(4, 3),
                                   nx.gnp_random_graph(40, 0.1, seed=3), nx.path_graph(3)], ids=str)
def test_all_two_hop_pairs_are_found(graph, rounds, monkeypatch):
    """The square of A against sets, and a sample of all of them: every pair once, none left out."""
    monkeypatch.setattr(pairs_module, "ROUNDS", rounds)
    edges, n = edges_of(graph), len(graph)
    expected = two_hop_by_definition(edges, n)
    assert set(map(tuple, pairs_module.two_hop_pairs(edges, n).t().tolist())) == expected
    drawn = pairs_module.sample_two_hop(edges, n, len(expected), seeded(0)).t().tolist()
    assert sorted(map(tuple, drawn)) == sorted(expected)


def test_every_ordered_wedge_has_one_number(monkeypatch):
    """With the numbers 0, 1, ... in place of random ones, each u - w - v comes up exactly once."""
    matrix, near = pairs_module.neighbour_matrix(KARATE, 34), neighbour_sets(KARATE, 34)
    expected = sorted((u, v) for w in range(34) for u, v in permutations(near[w], 2))
    monkeypatch.setattr(torch, "randint", lambda high, shape, **_: torch.arange(high))
    ends = pairs_module.draw_wedges(matrix, len(expected), seeded(0))
    assert sorted(map(tuple, ends.t().tolist())) == expected
    common = pairs_module.common_neighbours(matrix, *ends)
    assert common.tolist() == [len(near[u] & near[v]) for u, v in ends.t().tolist()]


@pytest.mark.parametrize("call, message", [
    (lambda: sample_pairs(KARATE, 34, 0, seeded(0)), "count must be a whole number, at least 1, got 0"),
    (lambda: sample_pairs(KARATE, 34, 79, seeded(0)), "between 0 and 78, got 79"),
    (lambda: sample_pairs(KARATE, 34, 5, seeded(0), "near"), "non_edges must be one of two-hop, uniform; got 'near'"),
    (lambda: sample_pairs(KARATE[:, 1:], 34, 5, seeded(0)), "both directions of every edge"),
    (lambda: sample_pairs(edges_of(nx.complete_graph(5)), 5, 1, seeded(0)), "between 0 and 0, got 1"),
    (lambda: sample_pairs(edges_of(nx.complete_graph(5)), 5, 1, seeded(0), "two-hop"), "at most 0, the number of non-"),
    (lambda: sample_pairs(torch.tensor([[0, 1], [1, 0]]), 4, 1, seeded(0), "two-hop"), "at most 0, .* got 1"),
    (lambda: sample_pairs(edges_of(nx.path_graph(4)), 4, 3, seeded(0), "two-hop"), "at most 2, .* got 3"),
])
def test_pairs_that_do_not_exist_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_pairs_need_a_generator():
    with pytest.raises(TypeError, match="generator must be a torch.Generator"):
        sample_pairs(KARATE, 34, 5, 0)


# Evaluation

def scored(seed, m, n, levels):
    """Positives a little higher than negatives; few levels make many ties."""
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(0.7, 1, m) * levels) / levels, np.round(rng.normal(0, 1, n) * levels) / levels


def together(positives, negatives):
    scores = torch.tensor(np.concatenate([negatives, positives]))
    return scores, torch.arange(len(scores)) >= len(negatives)


@pytest.mark.parametrize("levels", [1, 3, 1000])
@pytest.mark.parametrize("m, n", [(2, 2), (5, 3), (40, 70)])
def test_auc_and_its_variance_are_those_of_all_comparisons(levels, m, n):
    """AUC by a double loop; DeLong's variance from the row and column means of the table of comparisons."""
    positives, negatives = scored(4, m, n, levels)
    table = np.array([[1.0 if p > q else 0.5 if p == q else 0.0 for q in negatives] for p in positives])
    beaten, beating = placements(positives, negatives)
    assert np.allclose(beaten, table.mean(1)) and np.allclose(beating, table.mean(0))
    result = evaluate_attack(*together(positives, negatives))
    assert result.auc == pytest.approx(table.mean()) and result.n == m + n
    assert result.auc == pytest.approx(roc_auc_score([1] * m + [0] * n, np.concatenate([positives, negatives])))
    rows, columns = table.mean(1), table.mean(0)
    variance = ((rows - table.mean()) ** 2).sum() / (m - 1) / m + ((columns - table.mean()) ** 2).sum() / (n - 1) / n
    if variance > 0:
        half = 1.959963985 * math.sqrt(variance) / (result.auc * (1 - result.auc))
        logit = math.log(result.auc / (1 - result.auc))
        assert result.auc_low == pytest.approx(1 / (1 + math.exp(half - logit)), rel=1e-6, abs=0)
        assert result.auc_high == pytest.approx(1 / (1 + math.exp(-half - logit)), rel=1e-6, abs=0)


@pytest.mark.parametrize("n", [2, 99, 100, 250, 500, 2900])
@pytest.mark.parametrize("levels", [2, 1000])
def test_tpr_is_that_of_the_best_threshold_in_the_sample(n, levels):
    """Among all thresholds "score > t", the most edges found with at most 1% of the non-edges accused."""
    positives, negatives = scored(n, 80, n, levels)
    result = evaluate_attack(*together(positives, negatives))
    fair = [t for t in negatives if 100 * (negatives > t).sum() <= n]
    found = max(int((positives > t).sum()) for t in fair)
    assert result.tpr_at_1_fpr == found / 80
    exact = stats.binomtest(found, 80).proportion_ci(0.95, "exact")
    assert (result.tpr_low, result.tpr_high) == pytest.approx((exact.low, exact.high))


def test_scores_that_say_everything_or_nothing():
    """Equal scores: .5. All edges above: 1. All below: 0. Intervals inside [0, 1] and not of width 0."""
    linked = torch.arange(100) >= 50
    nothing, right, wrong = (evaluate_attack(s, linked) for s in (torch.zeros(100), linked * 1.0, linked * -1.0))
    share = 0.025 ** (1 / 50)
    assert (nothing.auc, right.auc, wrong.auc) == (0.5, 1.0, 0.0)
    assert (right.auc_low, right.auc_high) == pytest.approx((share, 1))
    assert (wrong.auc_low, wrong.auc_high) == pytest.approx((0, 1 - share))
    assert (nothing.auc_low, nothing.auc_high) == pytest.approx((share / 2, 1 - share / 2))
    assert (nothing.tpr_at_1_fpr, right.tpr_at_1_fpr, wrong.tpr_at_1_fpr) == (0, 1, 0)
    assert all(0 <= r.auc_low < r.auc_high <= 1 and 0 <= r.tpr_low < r.tpr_high <= 1 for r in (nothing, right, wrong))


@pytest.mark.parametrize("m, n", [(50, 1000), (1000, 50), (2, 2)])
def test_the_limit_of_perfect_separation_is_exact(m, n):
    """The rarer kind misplaced with probability 1 - A makes the AUC A: separated with A^k, 2.5% at the limit."""
    low = auc_interval(np.ones(m), np.zeros(n), 0.025)[1]
    assert low ** min(m, n) == pytest.approx(0.025)


def test_only_the_order_of_the_scores_counts():
    """Monotone maps change nothing, infinite scores are scores, and the mirror image has the mirrored interval."""
    scores, linked = together(*scored(1, 60, 150, 5))
    result = evaluate_attack(scores, linked)
    assert evaluate_attack(scores.exp(), linked) == result
    assert evaluate_attack(torch.where(scores == scores.max(), math.inf, scores), linked) == result
    mirror = evaluate_attack(-scores, linked)
    assert (1 - mirror.auc, 1 - mirror.auc_high, 1 - mirror.auc_low) == pytest.approx(
        (result.auc, result.auc_low, result.auc_high))
    order = torch.randperm(210, generator=seeded(0))
    assert evaluate_attack(scores[order], linked[order]).auc == pytest.approx(result.auc)
    wide = evaluate_attack(scores, linked, confidence=0.999)
    assert wide.auc_low < result.auc_low and wide.tpr_high > result.tpr_high


def test_a_result_prints_on_one_line():
    text = str(evaluate_attack(*together(*scored(1, 60, 150, 5))))
    assert text.startswith("AUC 0.7") and text.endswith("210 pairs") and len(text) < 100


TWO = torch.tensor([True, True, False, False])


@pytest.mark.parametrize("scores, linked, message", [
    (torch.tensor([1.0, math.nan, 0.0, 0.0]), TWO, "scores must be numbers, got 1 NaN"),
    (torch.zeros(3), TWO, r"same shape \[n\], got \[3\] and \[4\]"),
    (torch.zeros(4, 1), TWO[:, None], r"same shape \[n\], got \[4, 1\]"),
    (torch.zeros(4), TWO.long(), "linked must be a bool tensor, got torch.int64"),
    (torch.zeros(4), torch.ones(4).bool(), "at least two edges and two non-edges, got 4 and 0"),
    (torch.zeros(4), torch.tensor([True, False, False, False]), "got 1 and 3"),
])
def test_scores_that_cannot_be_judged_are_refused(scores, linked, message):
    with pytest.raises(ValueError, match=message):
        evaluate_attack(scores, linked)


def test_confidence_is_checked():
    with pytest.raises(ValueError, match="confidence must lie strictly between 0 and 1"):
        evaluate_attack(torch.rand(4, generator=seeded(0)), TWO, confidence=95)


# Posteriors and references

POSTERIORS = torch.rand(12, 5, generator=seeded(0)).softmax(1)
PAIRS = torch.tensor(list(permutations(range(12), 2))).t()


@pytest.mark.parametrize("name", sorted(DISTANCES))
@pytest.mark.parametrize("rows", [POSTERIORS, torch.randn(12, 4, generator=seeded(1))], ids=["posteriors", "any"])
def test_distances_are_those_of_scipy(name, rows):
    """The eight of He et al. (2021), pair by pair, for probabilities and for numbers of any sign."""
    wide, oracle = rows.double().numpy(), getattr(scipy_distance, name)
    expected = [-oracle(wide[u], wide[v]) for u, v in PAIRS.t()]
    assert np.allclose(posterior_similarity(rows, PAIRS, name), expected, atol=1e-12)


def test_there_are_eight_distances():
    assert set(DISTANCES) == {"cosine", "euclidean", "correlation", "chebyshev", "braycurtis", "canberra", "cityblock",
                              "sqeuclidean"}


def test_the_centred_variant_is_the_one_of_linkteller():
    """Cosine of the rows minus the mean row, pair by pair; on probabilities correlation gives the same."""
    p = POSTERIORS.double()
    away = p - sum(p) / 12
    expected = [float(away[u] @ away[v] / away[u].norm() / away[v].norm()) for u, v in PAIRS.t()]
    for name in ("cosine", "correlation"):
        assert np.allclose(posterior_similarity(POSTERIORS, PAIRS, name, centred=True) + 1, expected, atol=1e-6)
    assert not np.allclose(posterior_similarity(POSTERIORS, PAIRS) + 1, expected, atol=0.1)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_rows_that_point_nowhere(classes):
    """An undecided model (equal entries, 1/3 and 1/7 rounded) has correlation 0 with all, zero rows have cosine 0."""
    rows = torch.full((3, classes), 1 / classes)
    rows[1] = torch.eye(classes)[0]
    pairs = torch.tensor([[0, 0, 1], [1, 2, 1]])
    assert posterior_similarity(rows, pairs).tolist() == pytest.approx([-1, -1, 0])
    tenths = torch.full((4, classes), 0.1, dtype=torch.double)  # the mean of three of them is rounded up
    tenths[2:] = POSTERIORS[:2, :classes].repeat(1, 2)[:, :classes]
    similarity = posterior_similarity(tenths, torch.tensor([[0, 0, 1, 3], [1, 2, 3, 0]]))
    assert similarity.tolist() == [-1] * 4
    zeros = torch.zeros(2, classes)
    assert posterior_similarity(zeros, torch.tensor([[0], [1]]), "cosine").tolist() == [-1]
    for name in set(DISTANCES) - {"cosine", "correlation"}:
        assert posterior_similarity(zeros, torch.tensor([[0], [1]]), name).tolist() == [0]
    assert feature_similarity(zeros, torch.tensor([[0], [1]])).tolist() == [0]


def test_references_by_definition():
    x, degree = torch.randn(12, 4, generator=seeded(2)), torch.arange(12)
    cosine = [1 - scipy_distance.cosine(x[u].double().numpy(), x[v].double().numpy()) for u, v in PAIRS.t()]
    assert np.allclose(feature_similarity(x, PAIRS), cosine)
    assert degree_product(degree, PAIRS).tolist() == [float(u * v) for u, v in PAIRS.t()]
    away = (x.double() - sum(x.double()) / 12).numpy()
    cosine = [1 - scipy_distance.cosine(away[u], away[v]) for u, v in PAIRS.t()]
    assert np.allclose(feature_similarity(x, PAIRS, centred=True), cosine)


def test_centred_features_are_not_alike_by_what_everybody_has():
    """A first column of ones makes all nodes alike, unless the mean is taken off."""
    x = torch.cat([10 * torch.ones(4, 1), torch.tensor([[1.0], [1.0], [-1.0], [-1.0]])], 1)
    pairs = torch.tensor([[0, 0], [1, 2]])
    assert feature_similarity(x, pairs).tolist() == pytest.approx([1, 0.98], abs=0.01)
    assert feature_similarity(x, pairs, centred=True).tolist() == pytest.approx([1, -1])


@pytest.mark.parametrize("call, message", [
    (lambda: posterior_similarity(POSTERIORS, PAIRS, "hamming"), "distance must be one of .* got 'hamming'"),
    (lambda: posterior_similarity(POSTERIORS, PAIRS, "canberra", centred=True), "centred must be False .*'canberra'"),
    (lambda: posterior_similarity(POSTERIORS.log() - math.inf, PAIRS), "posteriors must be finite, got 60 NaN or inf"),
    (lambda: posterior_similarity(POSTERIORS.where(POSTERIORS < POSTERIORS.max(), math.nan), PAIRS), "got 1 NaN"),
    (lambda: posterior_similarity(POSTERIORS[0], PAIRS), r"posteriors must be a float tensor of shape \[N, C\]"),
    (lambda: posterior_similarity(POSTERIORS[:, :0], PAIRS), r"C at least 1, got torch.float32 of shape \[12, 0\]"),
    (lambda: posterior_similarity(POSTERIORS, PAIRS + 1), r"pairs must name nodes 0..11, got 1..12"),
    (lambda: posterior_similarity(POSTERIORS, PAIRS - 1), r"got -1..10"),
    (lambda: feature_similarity(POSTERIORS, PAIRS.t()), r"shape \[2, n\], got torch.int64 of shape \[132, 2\]"),
    (lambda: feature_similarity(POSTERIORS.long(), PAIRS), "x must be a float tensor"),
    (lambda: degree_product(torch.tensor([1.0, math.nan]), PAIRS), "numbers of at least 0"),
    (lambda: degree_product(torch.tensor([1.0, -0.5]), PAIRS), "smallest -0.5"),
    (lambda: degree_product(torch.tensor([1, 2]), PAIRS), "pairs must name nodes 0..1, got 0..11"),
])
def test_bad_rows_and_pairs_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Canaries

@pytest.mark.parametrize("count", [1, 8, 17])
@pytest.mark.parametrize("seed", range(5))
def test_canaries_are_planted_as_their_coins_say(count, seed):
    """Disjoint pairs, no edge before; afterwards an edge exactly where the coin says so; nothing else changes."""
    data = karate()
    before = data.edge_index.clone()
    planted = plant(data, count, seeded(seed))
    pairs = [tuple(sorted(pair)) for pair in planted.pairs.t().tolist()]
    assert planted.pairs.unique().numel() == 2 * count and not set(pairs) & set(ORDERED)
    added = {pair for pair, there in zip(pairs, planted.present.tolist(), strict=True) if there}
    both = {(u, v) for pair in added | set(ORDERED) for u, v in (pair, pair[::-1])}
    assert sorted(map(tuple, planted.data.edge_index.t().tolist())) == sorted(both)
    assert torch.equal(data.edge_index, before) and planted.data is not data
    assert planted.data.name == data.name and torch.equal(planted.data.x, data.x)


def test_canaries_where_most_partners_are_neighbours():
    """Four teams of six, everybody a neighbour of all other teams: all 12 canaries must stay inside the teams."""
    graph = nx.complete_multipartite_graph(*[6] * 4)
    planted = plant(Data(edge_index=edges_of(graph), num_nodes=24), 12, seeded(0))
    assert ((planted.pairs[0] // 6) == (planted.pairs[1] // 6)).all() and planted.pairs.unique().numel() == 24


@pytest.mark.parametrize("seed", range(20))
def test_canaries_for_every_node_of_a_path(seed):
    """Four nodes in a row: 0-2 and 1-3, or 0-3 and the neighbours 1-2. The bad start must be parted again."""
    planted = plant(Data(edge_index=edges_of(nx.path_graph(4)), num_nodes=4), 2, seeded(seed))
    assert sorted(tuple(sorted(pair)) for pair in planted.pairs.t().tolist()) == [(0, 2), (1, 3)]


@pytest.mark.parametrize("seed", range(20))
def test_canaries_in_a_graph_of_odd_size(seed):
    """A star with four leaves: the centre must be left over, and a leaf that is left over at first comes back."""
    planted = plant(Data(edge_index=edges_of(nx.star_graph(4)), num_nodes=5), 2, seeded(seed))
    assert sorted(planted.pairs.flatten().tolist()) == [1, 2, 3, 4]


@pytest.mark.parametrize("graph, count, message", [
    (nx.path_graph(5), 3, "count must be a whole number, between 1 and 2, got 3"),
    (nx.path_graph(5), 0, "between 1 and 2, got 0"),
    (nx.complete_graph(6), 1, "disjoint non-adjacent pairs that this graph has, got 1; 100 rounds"),
    (nx.star_graph(5), 3, "got 3; 100 rounds of joining"),
])
def test_canaries_that_do_not_fit_are_refused(graph, count, message):
    with pytest.raises(ValueError, match=message):
        plant(Data(edge_index=edges_of(graph), num_nodes=len(graph)), count, seeded(0))


def test_the_ceiling_is_attained_by_randomised_response():
    """Guessing what the report says is right with e^eps / (1 + e^eps), for epsilon 0 and infinity too."""
    for epsilon in (0.1, 1.0, 5.0):
        assert ceiling(epsilon) == pytest.approx(RandomisedResponse(epsilon, 2).distribution(1)[1])
    assert (ceiling(0.0), ceiling(math.inf), auc_ceiling(0.0, 2), auc_ceiling(math.inf, 2)) == (0.5, 1.0, 0.5, 1.0)
    with pytest.raises(ValueError, match="epsilon must be at least 0, got -1"):
        ceiling(-1)
    with pytest.raises(ValueError, match="canaries must be a whole number, at least 2, got 1"):
        auc_ceiling(1.0, 1)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 3.0, 8.0])
def test_the_auc_ceiling_is_the_area_under_all_curves_that_dp_allows(epsilon):
    """Numerical integration of the upper border; and the AUC of randomised response, ties half, from its table."""
    f = np.linspace(0, 1, 2_000_001)
    border = np.minimum(math.exp(epsilon) * f, 1 - math.exp(-epsilon) * (1 - f))
    assert auc_ceiling(epsilon) == pytest.approx(np.trapezoid(border, f), abs=1e-6)
    if epsilon:
        there, gone = (RandomisedResponse(epsilon, 2).distribution(bit) for bit in (1, 0))
        auc = sum(there[a] * gone[b] * (1.0 if a > b else 0.5 if a == b else 0.0) for a in (0, 1) for b in (0, 1))
        assert auc_ceiling(epsilon) == pytest.approx(auc)


def best_ranking(epsilon, m):
    """The largest E[right comparisons] / E[comparisons] of a mechanism that ranks m canaries and is DP for each coin.

    A linear programme over Pr[ranking | coins], all 2^m coins and m! rankings.
    """
    coins, rankings = list(product((0, 1), repeat=m)), list(permutations(range(m)))
    right = [sum(b[i] > b[j] and r[i] > r[j] for i in range(m) for j in range(m)) for b in coins for r in rankings]
    place = np.eye(len(coins) * len(rankings)).reshape(len(coins), len(rankings), -1)   # [coins, ranking, variable]
    flips = [(a, b) for a, b in permutations(range(len(coins)), 2) if sum(map(int.__ne__, coins[a], coins[b])) == 1]
    losses = np.concatenate([place[a] - math.exp(epsilon) * place[b] for a, b in flips])
    found = linprog(-np.array(right), losses, np.zeros(len(losses)), place.sum(1), np.ones(len(coins)))
    return -found.fun / (len(coins) * m * (m - 1) / 4)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("m", [2, 3])
def test_the_auc_ceiling_of_one_run_holds_and_the_bare_one_does_not(epsilon, m):
    """No mechanism exceeds the bound for m canaries in one run; the best one exceeds the bound for separate runs."""
    best = best_ranking(epsilon, m)
    assert auc_ceiling(epsilon) + 1e-3 < best <= auc_ceiling(epsilon, m) + 1e-9
    assert best == pytest.approx(best_likelihood(epsilon, m, comparisons(m)), abs=1e-6)


def best_likelihood(epsilon, m, weights):
    """The largest mean of AUC with these weights of a run by its number of present canaries, [m + 1].

    A linear programme over the likelihood of *one* ranking at each of the 2^m coins: the mechanism that draws a
    permutation and permutes coins and ranking loses nothing, and makes all rankings alike. The likelihoods of a number
    of present ones have the mean 1, as the chances of all rankings add up to it.
    """
    coins = np.array(list(product((0, 1), repeat=m)))
    present = coins.sum(1)
    right = sum(coins[:, i] * (1 - coins[:, j]) for i, j in combinations(range(m), 2))
    compared = present * (m - present)
    sets = np.array([math.comb(m, k) for k in range(m + 1)])
    value = np.divide(right, compared, where=compared > 0, out=np.zeros(2**m)) * (weights / sets)[present]
    index = np.arange(2**m)
    same = eye_array(2**m).tocsr()
    flip = vstack([same - math.exp(epsilon) * same[index ^ (1 << bit)] for bit in range(m)])
    layers = csr_array((np.ones(2**m), (present, index)))
    return -linprog(-value, flip, np.zeros(flip.shape[0]), layers, sets).fun / weights[1:m].sum()


def comparisons(m, odds=1.0):
    """Weights of a mean of W over a mean of comparisons, coins having these odds."""
    k = np.arange(m + 1)
    return np.array([math.comb(m, j) for j in k]) * k * (m - k) * odds**k


def runs(m):
    """Weights of E[AUC]: fair coins, where both kinds occur."""
    return np.array([math.comb(m, k) for k in range(m + 1)], dtype=float)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("m", [2, 3, 4, 5, 6, 8])
def test_the_auc_ceiling_holds_in_expectation_too(epsilon, m):
    """E[AUC], and wins over comparisons at any odds of the coins, of the best mechanism for each."""
    bare, bound = auc_ceiling(epsilon), auc_ceiling(epsilon, m)
    assert bare + 1e-3 < best_likelihood(epsilon, m, runs(m)) < bound
    for odds in (0.1, 0.5, 3.0):
        assert best_likelihood(epsilon, m, comparisons(m, odds)) < bound


@pytest.mark.parametrize("m", [2, 7, 30])
def test_steps_of_the_proof_of_the_auc_ceiling(m):
    """The fraction, the sum of the concave function, and the weights that turn wins into AUC, by other routes."""
    for epsilon, odds in product((0.1, 1.0, 4.0), (0.01, 0.3, 1.0, 5.0)):
        c, pi = ceiling(epsilon), odds / (1 + odds)
        low, high = odds / (odds + math.exp(epsilon)), odds / (odds + math.exp(-epsilon))
        top = [min(high * k, m * pi - low * (m - k)) for k in range(1, m + 1)]
        assert (pi - low) * (high - pi) / (high - low) == pytest.approx((2 * c - 1) * pi * (1 - pi))
        squares = m * pi * (1 - pi) + (m * pi) ** 2      # E m1^2
        wins = sum(top) - (squares + m * pi) / 2
        bound = (m * c - 0.5) / (m - 1)
        assert wins <= bound * m * (m - 1) * pi * (1 - pi) + 1e-9
        assert auc_ceiling(epsilon, m) == pytest.approx(min(1, bound))
    for j in range(1, m):
        below, above = (quad(lambda x, power=power: x**power / m, *ends)[0]
                        for power, ends in ((j - 1, (0, 1)), (j - 1 - m, (1, math.inf))))
        assert below + above == pytest.approx(1 / (j * (m - j)))
