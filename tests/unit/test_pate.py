"""PATE: votes of teachers on disjoint parts beside a loop, what labels cost, and the printed epsilons."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from privgraph import datasets
from privgraph.mechanisms.noisy_arg_max import laplace_chance
from privgraph.methods import PATE, data_dependent_epsilon
from privgraph.methods.pate import chance_of_another
from privgraph.nn import Backbone, train
from privgraph.randomness import draw_seed, seeded
from random_graphs import QUICK, pair_of_graphs, random_graph


def test_pate_counts_the_votes_of_disjoint_parts(double):
    private, public = pair_of_graphs()
    method = PATE(scale=1.0, num_queries=9, teachers=4, teacher=QUICK)
    answers = method.teach(private, public, seeded(3))
    assert answers.scores.sum(1).eq(4).all() and public.train_mask[answers.queries].all()
    g = seeded(3)
    queries = method.choose_queries(private, public, g)
    generators = [seeded(draw_seed(g)) for _ in range(4)]
    part = torch.randint(4, (60,), generator=g)
    votes = torch.zeros(9, 3)
    for number, generator in enumerate(generators):
        own = datasets.induced(private, (part == number).nonzero().view(-1))
        net = Backbone("sage", 12, 3, hidden=8, dropout=0.5, activation="relu", batch_norm=True,
                       generator=seeded(0)).redraw(generator)
        train(net, net.prepare(own.x, own.edge_index), lambda z, y=own.y: F.cross_entropy(z, y), None, epochs=30,
              learning_rate=0.01, weight_decay=0.0, generator=generator)
        net.eval()
        winners = net(net.prepare(public.x, public.edge_index))[queries].argmax(1)
        for row, winner in enumerate(winners.tolist()):
            votes[row, winner] += 1
    assert torch.equal(votes, answers.scores)


def test_pate_without_a_node_changes_one_vote_at_most():
    """Each node has a die of its own: without the last one all other nodes keep their teachers."""
    private, public = pair_of_graphs()
    without = datasets.induced(private, torch.arange(59))
    method = PATE(scale=1.0, num_queries=9, teachers=4, teacher=replace(QUICK, kind="mlp", dropout=0.0))
    for seed in range(3):
        first, second = (method.teach(graph, public, seeded(seed)).scores for graph in (private, without))
        assert (first - second).abs().sum(1).max() <= 2


def test_pate_teachers_without_people_abstain():
    private, public = pair_of_graphs(private=6)
    scores = PATE(scale=1.0, num_queries=5, teachers=50, teacher=replace(QUICK, kind="mlp")).teach(private, public,
                                                                                                   seeded(0)).scores
    assert scores.sum(1).max() <= 3


def test_a_teacher_of_two_people_has_a_vote_and_one_of_one_person_has_none():
    _, public = pair_of_graphs()
    method = PATE(scale=1.0, num_queries=5, teachers=1, teacher=replace(QUICK, kind="mlp", epochs=1))
    votes = [method.teach(random_graph(n, 1), public, seeded(0)).scores.sum(1) for n in (1, 2)]
    assert votes[0].eq(0).all() and votes[1].eq(1).all()


def test_the_budget_of_pate():
    method = PATE(num_queries=20, scale=5.0)
    assert method.mechanism(3).scale == 5.0 and method.mechanism(3).epsilon == pytest.approx(0.4)
    gumbel = replace(method, noise="gumbel")
    spent = [each.budget(3).epsilon(1e-5).pessimistic for each in (gumbel, method)]
    assert spent[0] < spent[1] <= 20 * 0.4 + 1e-6
    for each in (method, gumbel):
        labels = each.label(torch.tensor([[20.0, 0.0], [0.0, 20.0]]).repeat(500, 1), seeded(0))
        assert 0.97 < float((labels.view(-1, 2) == torch.tensor([0, 1])).float().mean()) < 1


PATE_ROWS = [(0.1, 500, 27.82), (0.2, 500, 87.82), (0.4, 500, 327.82), (0.8, 500, 800.97), (1.0, 500, 1000.97),
             (0.1, 1000, 47.82), (0.2, 1000, 167.82), (0.4, 1000, 647.82), (0.8, 1000, 1600.97)]


@pytest.mark.parametrize("lam, queries, printed", PATE_ROWS)
def test_the_printed_epsilon_of_pate_without_agreement(lam, queries, printed):
    """Table 2 of PrivGNN, PateG on Amazon: the bounds that do not look at the votes, with delta = 1 / 2500."""
    tied = torch.full((queries, 10), 2.0)
    assert data_dependent_epsilon(tied, 1 / lam, 1 / 2500) == pytest.approx(printed, abs=0.01)


def epsilon_by_hand(votes, lam, delta, orders):
    """Theorems 2 and 3 and Lemma 4 of Papernot et al., query by query and order by order."""
    def moment(counts, order):
        first = max(counts)
        others = sorted(counts)[:-1]
        q = sum((2 + lam * (first - n)) / (4 * math.exp(lam * (first - n))) for n in others)
        free = min(2 * lam**2 * order * (order + 1), 2 * lam * order)
        if q >= (math.exp(2 * lam) - 1) / (math.exp(4 * lam) - 1):
            return free
        return min(free, math.log((1 - q) * ((1 - q) / (1 - math.exp(2 * lam) * q))**order
                                  + q * math.exp(2 * lam * order)))
    return min((sum(moment(row, order) for row in votes) + math.log(1 / delta)) / order for order in orders)


AGREED = [[40, 0, 0], [33, 4, 3], [14, 13, 13], [20, 12, 8], [9, 30, 1], [10, 7, 7], [10, 7, 0]]


@pytest.mark.parametrize("lam", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("orders", [range(1, 9), (1,), (2, 5), (8,)])
def test_epsilon_of_votes_that_agree_is_that_of_the_theorems(lam, orders):
    for votes in (AGREED, *([row] for row in AGREED)):
        found = data_dependent_epsilon(torch.tensor(votes), 1 / lam, 1e-5, orders)
        assert found == pytest.approx(epsilon_by_hand(votes, lam, 1e-5, orders), rel=1e-9, abs=0)
    assert data_dependent_epsilon(torch.tensor(AGREED), 1 / lam, 1e-5) == data_dependent_epsilon(
        torch.tensor(AGREED), 1 / lam, 1e-5, [1, 2, 3, 4, 5, 6, 7, 8])


def test_no_votes_are_below_zero_and_no_order_below_one():
    with pytest.raises(ValueError, match=r"must lie in \[0, inf\], got"):
        data_dependent_epsilon(torch.tensor([[3.0, -0.5]]), 1.0, 1e-5)
    with pytest.raises(ValueError, match="each of orders must be .* at least 1, got 0"):
        data_dependent_epsilon(torch.tensor([[3.0, 0.0]]), 1.0, 1e-5, [0, 1])


def exact_moment(first, second, order, lam):
    """ln E_first[(P_first / P_second)^order] of the noisy winner of two vote vectors, by quadrature."""
    chances = [[laplace_chance(lam * np.asarray(v, float), o) for o in range(len(v))] for v in (first, second)]
    return math.log(sum(p * (p / q)**order for p, q in zip(*chances, strict=True)))


@pytest.mark.parametrize("lam", [0.2, 0.5, 1.0])
def test_moments_bound_the_exact_ones(lam):
    """Three classes, 20 votes, all neighbours (one vote moves):
    the bound is never below the exact moment of any pair."""
    for votes in ([20, 0, 0], [15, 5, 0], [10, 6, 4], [7, 7, 6]):
        for order in (1, 4, 8):
            pure = data_dependent_epsilon(torch.tensor([votes]), 1 / lam, 0.999999999, range(order, order + 1)) * order
            for a, b in permutations(range(3), 2):
                other = list(votes)
                other[a] -= 1
                other[b] += 1
                if min(other) >= 0:
                    assert exact_moment(votes, other, order, lam) <= pure + 1e-9


def test_the_chance_of_another_winner_is_a_bound():
    for votes in ([20, 0, 0], [15, 5, 0], [10, 6, 4]):
        for lam in (0.1, 0.5, 1.0):
            exact = 1 - laplace_chance(lam * np.array(votes, float), 0)
            assert exact <= float(chance_of_another(torch.tensor([votes]), lam)) + 1e-12
    assert chance_of_another(torch.full((1, 9), 2), 0.5).tolist() == [1.0]


@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
def test_labels_cost_what_their_number_costs(noise):
    method = PATE(7, scale=2.0, noise=noise)
    assert method.budget(5).steps == method.mechanism(5).steps(7) and method.budget(5).rate == 1
    assert PATE(scale=1.0) == PATE(1000, scale=1.0, teachers=20, noise="laplace")


def test_an_accuracy_counts_the_test_nodes_of_the_public_graph():
    private, public = pair_of_graphs()
    assert PATE.examples()[0].asked((private, public)) == int(public.test_mask.sum()) > 1
