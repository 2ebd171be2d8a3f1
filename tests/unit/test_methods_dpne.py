"""DPNE: the matrix, the minimum of the perturbed objective, what one edge moves; and noise for rows."""

import math

import pytest
import torch
from scipy import stats
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.audit.relations import change_edge, neighbour_lists
from privgraph.audit.statistical import two_sample_bound
from privgraph.effort import Extent
from privgraph.graph import Graph, to_undirected
from privgraph.mechanisms import RowNoise
from privgraph.mechanisms.edge_mechanism import graph_of
from privgraph.methods import DPNE
from privgraph.methods.dpne import MOST_NODES, ROW, walk_matrix
from privgraph.privacy import find_guarantee
from privgraph.randomness import seeded

KITE = [(0, 1), (0, 2), (1, 2), (2, 3)]  # and person 4, who knows nobody


def graph(edges, n) -> Data:
    return Data(edge_index=to_undirected(torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t(), n), num_nodes=n)


@pytest.mark.parametrize("window, negatives", [(1, 1), (2, 1), (3, 2)])
def test_the_matrix_holds_the_logs_of_walks(window, negatives):
    """Walks of each length from each person, as a loop."""
    n, near = 5, {u: [v for e in KITE for v in e if u in e and v != u] for u in range(5)}
    m = torch.zeros(n, n)
    for start in range(n):
        chance, total = {start: 1.0}, [0.0] * n
        for _ in range(window):
            step = {}
            for u, p in chance.items():
                for v in near[u]:
                    step[v] = step.get(v, 0.0) + p / len(near[u])
            chance = step
            for v, p in chance.items():
                total[v] += p
        row = torch.tensor([math.log(max(1.0, n * p / (negatives * window))) for p in total])
        m[start] = row / max(1.0, float(row.norm()))
    assert torch.allclose(walk_matrix(Graph.of(graph(KITE, 5)), window, negatives), m, atol=1e-6)
    assert m[4].eq(0).all() and m.gt(0).any()


@pytest.mark.parametrize("method", [DPNE(2.0, dimension=3, ridge=0.7), DPNE(2.0, dimension=3, contexts="drawn")])
def test_what_is_published_is_the_minimum_of_the_perturbed_objective(method):
    """The noise is what the answer lacks; with it the gradient is 0, and each of 20 points beside is higher."""
    data, generator = graph(KITE, 5), seeded(4)
    m = walk_matrix(Graph.of(data), 2, 1)
    h = method.basis(m, generator)
    eta = 2 * (m @ h - method.mechanism(5)(m @ h, generator=generator))

    def objective(w):
        return ((m - w @ h.t()) ** 2).sum() + method.ridge * (w ** 2).sum() + (eta * w).sum()
    w = method.embed(data, seeded(4)).z.requires_grad_()
    objective(w).backward()
    assert w.grad.abs().max() < 1e-4 < 1e-2 < eta.norm(dim=1).min()
    for seed in range(20):
        beside = w.detach() + 0.1 * torch.randn(w.shape, generator=seeded(seed))
        assert objective(beside) > objective(w)


def test_learnt_contexts_are_those_of_the_objective_without_noise():
    """No other factors of that rank are nearer to M: what is left are its other singular values."""
    m = walk_matrix(Graph.of(datasets.load("karate")), 2, 1)
    h = DPNE(dimension=5).basis(m, seeded(0))
    left = torch.linalg.svdvals(m)[5:].square().sum()
    assert float((m - m @ h @ h.t()).square().sum()) == pytest.approx(float(left), rel=1e-4, abs=0)
    for contexts in ("learnt", "drawn"):
        h = DPNE(dimension=5, contexts=contexts).basis(m, seeded(0))
        assert torch.allclose(h.t() @ h, torch.eye(5), atol=1e-5)
    assert torch.equal(h, DPNE(dimension=5, contexts="drawn").basis(torch.zeros(34, 34), seeded(0)))


def test_contexts_have_one_sign_whatever_the_solver_says(monkeypatch):
    m = walk_matrix(Graph.of(datasets.load("karate")), 2, 1)
    h, solve = DPNE(dimension=5).basis(m, seeded(0)), torch.svd_lowrank
    assert (h.sum(0).abs() < 1).any()
    monkeypatch.setattr(torch, "svd_lowrank", lambda *args, **how: tuple(-part for part in solve(*args, **how)))
    assert torch.equal(DPNE(dimension=5).basis(m, seeded(0)), h)


@pytest.mark.parametrize("method, times", [(DPNE(0.5), math.sqrt(2) * 5), (DPNE(0.5, contexts="drawn"), 5),
                                           (DPNE(0.5, contexts="drawn", window=1), 2),
                                           (DPNE(0.5, window=1), math.sqrt(2) * 5), (DPNE(math.inf), math.inf)])
def test_what_holds_is_more_than_the_paper_claims_and_the_noise_is_the_papers(method, times):
    found = method.embed(graph(KITE, 5), seeded(0))
    held = find_guarantee(found.guarantees, "undirected edge")
    assert held.epsilon == pytest.approx(times * method.epsilon) and held.claimed == method.epsilon
    assert (held.relation, held.trust, held.basis) == ("add/remove", "central", "proved")
    assert method.mechanism(5).scale == pytest.approx(ROW / method.epsilon)


@pytest.mark.parametrize("method", [DPNE(window=1), DPNE(), DPNE(contexts="drawn"), DPNE(window=1, contexts="drawn"),
                                    DPNE(dimension=1), DPNE(dimension=2, window=1)])
def test_no_pair_of_neighbours_costs_more_than_what_is_stated(method):
    """All 64 graphs of four people, and each edge added or removed."""
    graphs = [neighbour_lists([pair for bit, pair in enumerate(
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]) if number >> bit & 1], 4) for number in range(64)]
    losses = [method.loss(graph_of(lists), graph_of(other), seeded(0)) for lists in graphs
              for other in change_edge(lists)]
    assert len(losses) == 6 * 64 and method.epsilon < max(losses) <= method.mechanism(4).epsilon


def test_the_loss_is_the_sum_of_what_rows_move():
    """A third person's first link: with one step two rows change, from (0, 0, 0) to length 1 by hand."""
    nobody, pair = graph([], 3), graph([(0, 1)], 3)
    method = DPNE(3.0, window=1, contexts="drawn")
    assert method.loss(nobody, pair, seeded(0)) == pytest.approx(3.0 * 2 * 1 / math.sqrt(2), rel=1e-5, abs=0)
    assert method.loss(pair, pair, seeded(0)) == 0.0


@pytest.mark.parametrize("call, message", [
    (lambda: walk_matrix(Graph(torch.empty(2, 0, dtype=torch.long), MOST_NODES + 1), 1, 1),
     "num_nodes must be at most 12,000, as M has a number for every two nodes, got 12,001, which take about 2 GB of "
     "memory; on larger graphs gae and deepwalk"),
    (lambda: DPNE().embedding_effort(Extent(200_000, 10**6)), "got 200,000, which take about 480 GB of memory"),
    (lambda: walk_matrix(Graph.of(graph(KITE, 5)), 0, 1), "window must be .* at least 1, got 0"),
    (lambda: walk_matrix(Graph.of(graph(KITE, 5)), 1, 0), "negatives must be .* at least 1, got 0"),
    (lambda: DPNE().loss(graph(KITE, 5), graph(KITE, 6), seeded(0)), "number of people in other must be .* got 6"),
    (lambda: DPNE().embed(Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), seeded(0)), "both directions"),
    (lambda: DPNE().embed(Data(edge_index=torch.tensor([[0, 1], [1, 0]])), seeded(0)), "state how many people"),
])
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("method", DPNE.examples())
def test_graphs_without_edges_and_small_ones(method):
    for data in (graph([], 1), graph([], 4), graph([(0, 1)], 2)):
        z = method.embed(data, seeded(0)).z
        assert z.shape == (data.num_nodes, min(method.dimension, data.num_nodes)) and torch.isfinite(z).all()


# Noise for rows. 20,000 rows; at level 1e-6 the distance of a distribution function is found from 0.02 on.

@pytest.mark.parametrize("width", [1, 3, 64])
def test_lengths_are_gamma_and_directions_are_alike(width):
    mechanism, level = RowNoise(2.0, sensitivity=6.0), 1e-6 / 5
    noise = mechanism(torch.ones(20_000, width, dtype=torch.double), generator=seeded(1)) - 1
    length = noise.norm(dim=1)
    assert stats.kstest(length.numpy(), stats.gamma(width, scale=3.0).cdf).pvalue > level
    assert stats.kstest(length.numpy(), stats.gamma(width, scale=3.3).cdf).pvalue < level  # a tenth more is found
    first = (noise[:, 0] / length).numpy()
    if width == 1:
        assert stats.binomtest(int((first > 0).sum()), 20_000).pvalue > level
    else:  # (1 + cos) / 2 is Beta on a sphere
        alike = stats.beta((width - 1) / 2, (width - 1) / 2)
        assert stats.kstest((first + 1) / 2, alike.cdf).pvalue > level
        assert abs(stats.spearmanr(first, length).statistic) < 5.1 / math.sqrt(20_000)


def test_noise_that_pays_for_one_row_is_refuted_where_two_move():
    """Both rows from 0 to 1, stated as if one did: the sum of both tells, 20,000 draws at level 1e-6."""
    mechanism = RowNoise(1.0, sensitivity=1.0)
    low, high = (mechanism(torch.full((40_000, 1), value), generator=seeded(seed)).reshape(-1, 2)
                 for seed, value in enumerate((0.0, 1.0)))
    hits = [int((told > 1).all(1).sum()) for told in (high, low)]
    assert two_sample_bound(hits[0], 20_000, hits[1], 20_000, 1 - 1e-6) > 1.5


@pytest.mark.parametrize("shape, fits", [((1, 60), True), ((60, 1), True), ((1, 70), False), ((70, 1), True)])
def test_a_type_must_have_room_for_noise_as_long_as_rows_are_wide(shape, fits):
    """Half floats end at 65,504; the length of noise of scale 10 has the mean 10 d."""
    mechanism, answer = RowNoise(1.0, sensitivity=10.0), torch.zeros(shape, dtype=torch.float16)
    if fits:
        assert torch.isfinite(mechanism(answer, generator=seeded(0))).all()
    else:
        with pytest.raises(ValueError, match="answer must be of a type with room for noise of scale 700, got"):
            mechanism(answer, generator=seeded(0))


def test_rows_of_no_columns_get_no_noise():
    assert RowNoise(1.0)(torch.zeros(3, 0), generator=seeded(0)).shape == (3, 0)


def test_its_audit_asks_one_row_of_one_number_as_far_apart_as_the_sensitivity_says():
    case = RowNoise(1.0, sensitivity=6.0).audit_case()
    assert case.inputs == (0.0, 6.0) and case.encode(6.0).tolist() == [[6.0]]
    assert case.outcome(torch.tensor([[2.0, 3.0], [4.0, 5.0]])) == 2.0
