"""Views: what stays, how much goes, and the same distribution as a slow loop over nodes and edges."""

import pytest
import torch

from privgraph.graph_batch import GraphBatch
from privgraph.methods.few_shot import masked, perturbed
from privgraph.randomness import seeded

CYCLE = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
BOTH = torch.cat([CYCLE, CYCLE.flip(0)], 1)


def cycles(count: int) -> GraphBatch:
    """Copies of a cycle of five nodes, whose feature says which node it is."""
    return GraphBatch(torch.arange(5.0)[:, None].repeat(count, 1),
                      torch.cat([BOTH + 5 * i for i in range(count)], 1), torch.full((count,), 5))


def test_masked_keeps_the_edges_only():
    graphs = cycles(3)
    for mask, value in {"zeros": 0.0, "ones": 1.0, "mean": 2.0}.items():
        view = masked(graphs, mask)
        assert torch.equal(view.edge_index, graphs.edge_index) and torch.equal(view.sizes, graphs.sizes)
        assert bool((view.x == value).all()) and graphs.x.max() == 4
    with pytest.raises(ValueError, match="mask must be one of"):
        masked(graphs, "nothing")


def test_perturbed_is_a_graph_in_order():
    graphs = cycles(500)
    for eta in (0.0, 0.3, 0.8, 1.0):
        view = perturbed(graphs, eta, seeded(0))
        GraphBatch(view.x, view.edge_index, view.sizes)  # checks itself
        assert len(view) == 500 and bool((view.sizes >= 1).all())
        u, v = view.edge_index
        assert bool((u != v).all()) and len(set(zip(u.tolist(), v.tolist(), strict=True))) == len(u)
        assert bool(torch.isin(torch.stack([v, u], 1)[:, 0] * len(view.x) + u, u * len(view.x) + v).all())


def test_at_its_ends():
    graphs = cycles(200)
    alone = perturbed(graphs, 1.0, seeded(0))
    assert bool((alone.sizes == 1).all()) and alone.edge_index.size(1) == 0
    assert set(alone.x.flatten().tolist()) == {0, 1, 2, 3, 4}, "which node stays is drawn"
    shuffled = perturbed(graphs, 0.0, seeded(0))
    assert bool((shuffled.sizes == 5).all()) and torch.equal(shuffled.x, graphs.x)
    assert bool((shuffled.num_edges <= 5).all()) and not torch.equal(shuffled.edge_index, graphs.edge_index)


def slow(eta: float, generator) -> tuple[int, int, int]:
    """Nodes, edges, and edges of the cycle in a negative view of one cycle, node by node and edge by edge."""
    drawn = torch.rand(5, generator=generator).tolist()
    stay = [v for v in range(5) if drawn[v] >= eta] or [drawn.index(max(drawn))]
    edges, new = set(), []
    for u, v in CYCLE.t().tolist():
        if u in stay and v in stay:
            if float(torch.rand(1, generator=generator)) < 1 - eta:
                pair = torch.randperm(len(stay), generator=generator)[:2]
                new.append(frozenset(stay[i] for i in pair.tolist()))
            else:
                edges.add(frozenset((u, v)))
    edges |= set(new)
    cycle = {frozenset(pair) for pair in CYCLE.t().tolist()}
    return len(stay), len(edges), len(edges & cycle)


@pytest.mark.parametrize("eta", [0.2, 0.5])
def test_perturbed_draws_what_the_slow_loop_draws(eta):
    """Counts of 4,000 views of either kind; for each of three means, beyond 5 standard errors one in a million."""
    count = 4000
    view = perturbed(cycles(count), eta, seeded(1))
    of = view.batch[view.edge_index[0]]
    names = view.x[view.edge_index, 0]
    beside = ((names[0] - names[1]).abs() % 3 == 1).float()  # 1 or 4 apart on the cycle of five
    kept = torch.zeros(count).index_add(0, of, beside) / 2
    fast = torch.stack([view.sizes.float(), view.num_edges.float(), kept], 1)
    generator = seeded(2)
    other = torch.tensor([slow(eta, generator) for _ in range(count)], dtype=torch.float32)
    error = ((fast.var(0) + other.var(0)) / count).sqrt()
    assert bool(((fast.mean(0) - other.mean(0)).abs() < 5 * error).all()), (fast.mean(0), other.mean(0))


@pytest.mark.parametrize("eta", [-0.1, 1.1, "0.5", None, float("nan")])
def test_eta_is_a_share(eta):
    with pytest.raises((ValueError, TypeError), match="eta must"):
        perturbed(cycles(1), eta, seeded(0))


def test_a_node_alone_and_a_graph_without_edges():
    graphs = GraphBatch(torch.ones(4, 1), torch.empty(2, 0, dtype=torch.long), torch.tensor([1, 3]))
    for eta in (0.0, 0.5, 1.0):
        assert perturbed(graphs, eta, seeded(0)).edge_index.size(1) == 0
