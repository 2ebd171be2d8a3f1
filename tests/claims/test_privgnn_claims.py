"""The privacy claims of PrivGNN (Olatunji, Funke and Khosla 2023), each recomputed from its definition.

Places are those of the paper. lambda = 1 / beta is the inverse noise scale, gamma the sampling rate and |Q|
the number of queries.
"""

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, product
from unittest.mock import patch

import numpy as np
import pytest
import torch
from scipy.integrate import simpson
from scipy.optimize import brentq
from scipy.special import gammaln
from scipy.stats import binom, laplace

from privbook.papers.privgnn.as_printed import printed_epsilon, printed_theorem_7
from privgraph import datasets
from privgraph.audit import Independent, delta_curve, finite_pair, replay, worst_case
from privgraph.mechanisms import NoisyArgMax, NoisyVotes, RandomisedResponse
from privgraph.mechanisms.drawing import drawing
from privgraph.methods import NodeClassifier, PrivGNN
from privgraph.methods.distilled import reconstruct
from privgraph.privacy import (
    Budget,
    FinitePair,
    GaussianPair,
    Guarantee,
    LaplacePair,
    Step,
    classic_conversion,
    compose,
    exact_delta,
    exact_epsilon,
    laplace_rdp,
    poisson_rdp,
    pure_pair,
    rdp_epsilon,
    response_pair,
)
from privgraph.randomness import kind_of, secret, seeded
from random_graphs import QUICK, pair_of_graphs

LAMBDAS = (0.1, 0.2, 0.4, 0.8, 1.0)
ORDERS = range(2, 32 + 1)  # remark after Theorem 7


class Tabled:
    """A mechanism given by its table."""

    def __init__(self, table):
        self.table = table

    def distribution(self, x):
        return self.table[x]


def one_hot(num_classes, label):
    return tuple(float(k == label) for k in range(num_classes))


def noisy_label(num_classes, lam, noise="laplace"):
    """Line 7 of Algorithm 1."""
    return NoisyArgMax(1 / lam, num_classes, noise)


def label_pair(num_classes, lam):
    """The noisy label where the teacher is sure of class 1, and where it is sure of class 0."""
    return finite_pair(noisy_label(num_classes, lam), one_hot(num_classes, 1), one_hot(num_classes, 0))


def amplified(epsilon, rate):
    return math.log1p(rate * math.expm1(epsilon))


def printed_method(rate, queries, delta, lam):
    """What the paper does (``printed_epsilon``)."""
    return printed_epsilon(1 / lam, rate, queries, delta)


def with_factor_3(rate, queries, delta, lam):
    """The same with Theorem 8 as printed, factor 3 included."""
    return min(classic_conversion(queries * poisson_rdp(lambda orders: laplace_rdp(orders, 1 / lam), rate, order,
                                                        True), order,
                                  delta) for order in ORDERS)


def theorem_7(rate, queries, delta, lam):
    """Equation (2), as printed."""
    return printed_theorem_7(1 / lam, rate, queries, delta)


def sound(num_classes, rate, queries, delta, lam):
    """Holds for any query with the pure loss e0 of the noisy label: the
    pair of e0-DP, sampled, composed by binomials.
    """
    return exact_epsilon(pure_pair(noisy_label(num_classes, lam).epsilon).poisson(rate), queries, delta)


def counts(shares, queries):
    """How many labels 1 and how many labels 0 among all, to 8
    standard deviations, with their log probabilities.
    """
    spans = []
    for mean in (queries * shares[0], queries * shares[1]):
        reach = 8 * math.sqrt(mean)
        spans.append(np.arange(max(0, math.floor(mean - reach)), min(queries, math.ceil(mean + reach)) + 1))
    ones, zeros = np.meshgrid(*spans, indexing="ij")
    possible = ones + zeros <= queries
    ones, zeros = ones[possible], zeros[possible]
    log_chance = gammaln(queries + 1)
    for share, count in zip(shares, (ones, zeros, queries - ones - zeros), strict=True):
        log_chance = log_chance + count * math.log(share) - gammaln(count + 1)
    return ones, zeros, log_chance


@cache
def exact(num_classes, rate, queries, delta, lam):
    """The epsilon of Algorithm 1 over all teachers: k-ary response with its loss, sampled, composed.

    That pair dominates (``test_one_hot_posteriors_dominate``), is attained, and tells by labels 0 and 1 only.
    """
    if num_classes == 2:
        return exact_epsilon(label_pair(2, lam).poisson(rate), queries, delta)
    pair = response_pair(noisy_label(num_classes, lam).epsilon, num_classes).poisson(rate)
    losses, chances = [], []
    for p, q in ((pair.p, pair.q), (pair.q, pair.p)):
        ones, zeros, log_chance = counts(p, queries)
        losses.append(ones * math.log(p[0] / q[0]) + zeros * math.log(p[1] / q[1]))
        chances.append(np.exp(log_chance))
    def one_way(epsilon, loss, chance):
        return float((chance * -np.expm1(np.minimum(epsilon - loss, 0))).sum())
    def excess(epsilon):
        return max(one_way(epsilon, *side) for side in zip(losses, chances, strict=True)) - delta
    return 0.0 if excess(0) <= 0 else brentq(excess, 0, queries * pair.epsilon, xtol=1e-6)


class Told:
    """In the place of a generator's noise: says who is drawn, to whoever asks once, and with the rate of the sample."""

    def __init__(self, drawn, rate):
        self.drawn, self.rate, self.asked = drawn, rate, 0

    def happens(self, chance, shape, double=True, device=None):
        self.asked += 1
        assert (self.asked, chance, shape) == (1, self.rate, (len(self.drawn),))
        return torch.tensor(self.drawn)


class Query:
    """Lines 3-7 of Algorithm 1 for one query at 0, over all that may happen when the library draws a teacher's sample
    of private nodes (place, label).

    The teacher answers with the label shares of the K nearest of the sample, and class 0 if that is empty.
    """

    def __init__(self, rate, neighbours, label):
        self.rate, self.method = rate, PrivGNN(scale=1.0, rate=rate, neighbours=neighbours)
        self.noise, self.num_classes = cache(label.distribution), label.num_classes

    def chosen(self, nodes, drawn):
        """The nodes of a teacher's graph, by the library; and that who is drawn decides it alone."""
        told, generator = Told(drawn, self.rate), seeded(0)
        with patch("privgraph.mechanisms.tape.drawing", lambda generator: told):
            found = self.method.chosen(torch.tensor([[place] for place, _ in nodes]), torch.zeros(1), generator)
        assert told.asked == 1 and torch.equal(generator.get_state(), seeded(0).get_state())
        return [nodes[i] for i in found.tolist()]

    def distribution(self, nodes):
        table = dict.fromkeys(range(self.num_classes), 0.0)
        for drawn in product((True, False), repeat=len(nodes)):
            chance = math.prod(self.rate if kept else 1 - self.rate for kept in drawn)
            labels = [y for _, y in self.chosen(nodes, drawn)] or [0]
            posterior = tuple(labels.count(c) / len(labels) for c in range(self.num_classes))
            for label, share in self.noise(posterior).items():
                table[label] += chance * share
        return table


NODES = ((1.0, 1), (2.0, 0), (3.0, 0), (4.0, 0))


def drop_a_node(nodes):
    return (nodes[:i] + nodes[i + 1:] for i in range(len(nodes)))


def one_person(values):
    return lambda x: ((*x[:v], value, *x[v + 1:]) for v in range(len(x)) for value in values)


# The mechanism of one query.

@pytest.mark.bears("beside", "privgnn-l1-sensitivity-1")
def test_l1_sensitivity_is_two(record_property):
    """Sections 3.1.4 and B.2: "the l1 sensitivity is 1". Two
    probability vectors are up to 2 apart, and never more.
    """
    first, second = np.array(one_hot(2, 0)), np.array(one_hot(2, 1))
    assert np.abs(first - second).sum() == 2 and np.abs(first).sum() == np.abs(second).sum() == 1
    grid = [np.array(v) / 6 for v in product(range(7), repeat=3) if sum(v) == 6]
    assert max(np.abs(a - b).sum() for a in grid for b in grid) == pytest.approx(2)
    record_property("witness", "posteriors (1, 0) and (0, 1): L1 norms 1 and 1, L1 distance 2")


@pytest.mark.bears("against", "privgnn-l1-sensitivity-1")
@pytest.mark.parametrize("lam", LAMBDAS)
def test_the_whole_noisy_vector_costs_twice(lam, record_property):
    """Section B.2: noise of scale beta on each entry makes
    1/beta-DP. For the vector the exact loss is 2/beta.
    """
    grid = [np.array(o) for o in product(np.linspace(-1, 2, 13), repeat=2)]
    def loss(o):
        return (laplace.logpdf(o, [1, 0], 1 / lam) - laplace.logpdf(o, [0, 1], 1 / lam)).sum()
    assert max(map(loss, grid)) == pytest.approx(2 * lam)
    record_property("witness", f"lambda {lam}: (1, 0) against (0, 1), outcome (1, 0): loss "
                               f"{loss(np.array([1, 0])):.1f}")


@pytest.mark.bears("beside", "privgnn-per-query")
def test_the_largest_ratio_is_that_of_five_classes(record_property):
    """2 to 59 classes, lambda from .005 to 3: no label costs more than 1.1733 lambda.
    As lambda vanishes the ratio for five classes tends to c^2 times the integral of f^2 F^(c - 2), 25 * 3 / 64.
    """
    ratios = {(c, lam): noisy_label(c, lam).epsilon / lam for c in range(2, 60)
              for lam in (0.005, 0.02, 0.1, 0.3, 1.0, 3.0)}
    worst = max(ratios, key=ratios.get)
    assert worst[0] == 5 and 1.17 < ratios[worst] < 1.1733
    assert ratios[5, 0.005] == pytest.approx(25 * 3 / 64, abs=1e-3)
    record_property("witness", f"{worst[0]} classes, lambda {worst[1]}: {ratios[worst]:.4f} lambda")


def winning_chance(scores, winner, scale):
    """Pr[arg max of scores + Laplace noise = winner], by Simpson's rule with nodes on the kinks at 0 and 1.
    """
    z = np.linspace(-40 * scale, 1 + 40 * scale, round(1 + 80 * scale) * 64 + 1)
    density = laplace.pdf(z, scores[winner], scale)
    others = [laplace.cdf(z, s, scale) for o, s in enumerate(scores) if o != winner]
    return simpson(density * np.prod(others, axis=0), x=z)


@pytest.mark.bears("repair", "privgnn-abstract-rigorous", "privgnn-sequential-n-over-beta")
@pytest.mark.bears("against", "privgnn-per-query")
@pytest.mark.parametrize("num_classes, lam, ratio",
                         [(2, 0.1, 0.999), (3, 0.1, 1.122), (5, 0.1, 1.173), (7, 0.1, 1.153), (10, 0.1, 1.114),
                          (47, 0.1, 1.023), (3, 2.0, 0.992)])
def test_loss_of_one_noisy_label(num_classes, lam, ratio, record_property):
    """Sections 3.2 and B.2: "the noisy label is 1/beta-DP". The exact
    loss, by two integrals and the closed form.
    """
    label = noisy_label(num_classes, lam)
    sure, other = one_hot(num_classes, 0), one_hot(num_classes, 1)
    loss = math.log(winning_chance(sure, 0, 1 / lam) / winning_chance(other, 0, 1 / lam))
    assert loss == pytest.approx(label.epsilon, rel=1e-5, abs=0)
    assert finite_pair(label, sure, other).epsilon == pytest.approx(label.epsilon, rel=1e-9, abs=0)
    assert label.epsilon / lam == pytest.approx(ratio, abs=5e-4)
    gumbel = noisy_label(num_classes, lam, "gumbel")
    assert finite_pair(gumbel, sure, other).epsilon == pytest.approx(lam) == pytest.approx(gumbel.epsilon)
    if ratio > 1:
        record_property("witness", f"{num_classes} classes, lambda {lam}, sure of 0 against sure of 1: label "
                                   "0 "
                                   f"has loss {loss:.4f} > {lam}")


@pytest.mark.bears("repair", "privgnn-abstract-rigorous")
@pytest.mark.bears("beside", "privgnn-tight-bounds", "privgnn-per-query", "privgnn-laplace-curve-applied")
@pytest.mark.parametrize("num_classes, steps", [(2, 8), (3, 4), (4, 2)])
@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
def test_one_hot_posteriors_dominate(num_classes, steps, noise):
    """The pair of one-hot posteriors is worst at every epsilon: all pairs on a grid, both noises.

    Proof: each label has a chance of at least ``lose``, so two label distributions are at most
    1 - c lose = win - lose apart. delta is convex in e^epsilon, at most win - lose at epsilon 0, and 0 at
    ln(win / lose); the pair's delta is the straight line between.
    """
    label = noisy_label(num_classes, 0.8, noise)
    grid = [tuple(k / steps for k in v) for v in product(range(steps + 1), repeat=num_classes)
            if sum(v) == steps]
    tables = [label.distribution(s) for s in grid]
    assert min(min(table.values()) for table in tables) >= label.lose - 1e-12
    pair = response_pair(label.epsilon, num_classes)
    epsilons = [label.epsilon * k / 6 for k in range(7)]
    worst = delta_curve(Tabled(dict(enumerate(tables))), range(len(grid)), epsilons)
    assert worst == pytest.approx([pair.delta(epsilon) for epsilon in epsilons], abs=1e-9)


@pytest.mark.bears("beside", "privgnn-tight-bounds")
@pytest.mark.parametrize("num_classes, lam", [(3, 0.4), (10, 0.4), (10, 1.0)])
def test_exact_composition_by_a_second_route(num_classes, lam):
    """How many labels tell something is binomial, and these are binary:
    the same epsilon as by counting labels 1 and 0.
    """
    label, queries, rate = noisy_label(num_classes, lam), 300, 0.3
    told = label.win + label.lose
    pair = FinitePair((label.win / told, label.lose / told),
                      (label.lose / told, label.win / told)).poisson(rate)
    chance = binom.pmf(np.arange(queries + 1), queries, told)
    found = exact(num_classes, rate, queries, 1e-4, lam)
    delta = sum(chance[k] * exact_delta(pair, int(k), found) for k in range(1, queries + 1))
    assert delta == pytest.approx(1e-4, rel=1e-4, abs=0)


@pytest.mark.bears("against", "privgnn-laplace-curve-applied")
def test_laplace_curve_is_no_bound_for_the_arg_max(record_property):
    """Section 3.2, proof sketch; B.2: the noisy label has the 1-D curve
    (3). Exceeded at 2 classes, up to order 10.
    """
    pair, sampled = label_pair(2, 1.0), label_pair(2, 1.0).poisson(0.3)
    assert (pair.rdp(2), laplace_rdp(2, 1.0)) == pytest.approx((0.696, 0.619), abs=5e-4)
    assert all(pair.rdp(order) > laplace_rdp(order, 1.0) for order in (1.5, 2, 3, 5, 10))
    equation_5 = math.log(1 - 0.09 + 0.09 * (2 / 3 * math.e + 1 / 3 * math.exp(-2)))
    assert (sampled.rdp(2), equation_5) == pytest.approx((0.0866, 0.0743), abs=5e-5)
    whole = 2 * laplace_rdp(2, 1.0)  # the noisy vector of 2 classes: two independent coordinates
    assert whole > pair.rdp(2)
    record_property("witness", "2 classes, lambda 1, order 2, sure of 1 against sure of 0: "
                               f"{pair.rdp(2):.3f} > {laplace_rdp(2, 1.0):.3f}; "
                               f"with gamma .3 {sampled.rdp(2):.4f} > {equation_5:.4f}")


@pytest.mark.bears("repair", "privgnn-sequential-n-over-beta")
def test_sequential_composition_of_the_crude_bound(record_property):
    """B.2: N queries cost N/beta. The exact pure loss of N = 3 labels is
    3 times that of one: more from 3 classes on.
    """
    for num_classes in (2, 3):
        label = noisy_label(num_classes, 0.1)
        three = Independent((label,) * 3)
        found = worst_case(three, [(one_hot(num_classes, 0),) * 3, (one_hot(num_classes, 1),) * 3])
        assert found.epsilon == pytest.approx(3 * label.epsilon)
        assert (found.epsilon > 3 * 0.1) == (num_classes > 2)
        assert found.epsilon <= 2 * 3 * 0.1
        assert noisy_label(num_classes, 0.1, "gumbel").epsilon == 0.1
    assert found.epsilon == pytest.approx(0.337, abs=5e-4)
    record_property("witness", f"3 classes, lambda .1, N = 3: {found.epsilon:.4f} > 0.3")


@pytest.mark.bears("beside", "privgnn-matches-non-private")
@pytest.mark.bears("repair", "privgnn-practical-guarantees", "privgnn-gap-comparison")
@pytest.mark.parametrize("num_classes, ceiling", [(2, (0.525, 0.550, 0.598, 0.685, 0.724)),
                                                  (10, (0.110, 0.122, 0.149, 0.216, 0.257)),
                                                  (41, (0.027, 0.030, 0.036, 0.054, 0.066)),
                                                  (47, (0.024, 0.026, 0.032, 0.047, 0.058))])
def test_ceiling_of_a_noisy_label(num_classes, ceiling, record_property):
    """Sections 1 and 6, "practical guarantees": how often the label of a
    teacher that is always right is right at most.
    """
    for lam, expected in zip(LAMBDAS, ceiling, strict=True):
        chance = winning_chance(one_hot(num_classes, 0), 0, 1 / lam)
        assert chance == pytest.approx(noisy_label(num_classes, lam).win, rel=1e-5, abs=0)
        assert chance == pytest.approx(expected, abs=5e-4)
    shown = " ".join(f"{noisy_label(num_classes, lam).win:.3f}" for lam in LAMBDAS)
    record_property("witness", f"{num_classes} classes: right at most {shown} of the time at lambda .1 .2 .4 "
                               ".8 1")


@pytest.mark.bears("against", "privgnn-practical-guarantees")
def test_noise_on_log_probabilities_has_no_epsilon(record_property):
    """A variant that would keep labels right: noise on ln p. Gaps of
    ln p have no bound, and so the loss has none.
    """
    # two classes, scores that differ by +-gap: Pr[a difference of Laplace noises > x]
    def loss(gap, lam=0.1):
        def tail(x):
            return math.exp(-x) * (2 + x) / 4
        return math.log((1 - tail(lam * gap)) / tail(lam * gap))
    # a gap of 1 is the simplex's worst
    assert loss(1.0) == pytest.approx(noisy_label(2, 0.1).epsilon, rel=1e-9, abs=0)
    gaps = [math.log(p / (1 - p)) for p in (0.9, 1 - 1e-9, 1 - 1e-15)]
    losses = [loss(gap) for gap in gaps]
    assert all(b > a + 0.5 for a, b in pairwise(losses)) and loss(5e3) > 480
    record_property("witness", f"2 classes, lambda .1: loss {losses[1]:.2f} at p = 1 - 1e-9, {losses[2]:.2f} "
                               "at 1 - 1e-15")


# Sampling, and the algorithm as a whole.

@pytest.mark.bears("repair", "privgnn-abstract-rigorous")
@pytest.mark.bears("for", "privgnn-amplification-in-algorithm", "privgnn-independent-of-k")
@pytest.mark.parametrize("neighbours", [1, 2, 4])
@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_one_query_is_amplified_whatever_k(neighbours, noise, rate):
    """Sections 3.1.1 and 5.2, KNNRem in 5.5: a fresh Poisson sample
    amplifies; the bound does not depend on K.
    """
    label = noisy_label(2, 0.8, noise)
    query = Query(rate, neighbours, label)
    found = worst_case(query, [NODES], drop_a_node)
    bound = amplified(label.epsilon, rate)
    assert 0 < found.epsilon <= bound + 1e-12
    if neighbours == 1:  # the nearest node decides alone: the mixture is attained
        assert found.epsilon == pytest.approx(bound)


@pytest.mark.bears("for", "privgnn-amplification-in-algorithm")
def test_each_query_draws_one_sample_of_its_own(record_property):
    """Section 3.1.1: "a fresh Poisson sample for each query". Samples of .01 of 60 nodes are nearly all too small to
    learn from, and none is drawn again."""
    drawn, private, public = [], *pair_of_graphs()

    def recording(generator):
        drawn.append((kind_of(generator), generator.initial_seed()))
        return drawing(generator)

    method = PrivGNN(scale=1.0, num_queries=12, rate=0.01, teacher=QUICK)
    with patch("privgraph.mechanisms.tape.drawing", recording):
        scores = method.teach(private, public, seeded(0)).scores
        assert len(set(drawn)) == len(drawn) == method.num_queries  # no two of one seed
        method.teach(private, public, secret())
    assert [kind for kind, _ in drawn] == ["public"] * method.num_queries + ["secret"] * method.num_queries
    ignorant = int((scores == 1 / private.num_classes).all(1).sum())
    assert ignorant >= 6
    record_property("witness", f"{method.num_queries} queries: {method.num_queries} samples, of which {ignorant} are "
                               "too small to learn from")


@pytest.mark.bears("repair", "privgnn-global-guarantee")
def test_two_nodes_cost_more_than_one(record_property):
    """Appendix E.1: "privacy for the entire graph". The unit is one
    private node: two together exceed its epsilon.
    """
    label = noisy_label(2, 0.8, "gumbel")
    query, nodes = Query(0.3, 1, label), ((1.0, 1), (2.0, 1), (3.0, 0))
    one = worst_case(query, [nodes], drop_a_node).epsilon
    both = worst_case(query, [nodes, nodes[2:]]).epsilon
    assert one <= amplified(0.8, 0.3) + 1e-12 < both <= 2 * amplified(0.8, 0.3)
    assert (both, amplified(0.8, 0.3)) == pytest.approx((0.486, 0.313), abs=5e-4)
    record_property("witness", f"gamma .3, lambda .8: one node {one:.3f}, two nodes {both:.3f} > "
                               f"{amplified(0.8, 0.3):.3f}")


@pytest.mark.bears("beside", "privgnn-sampling-equivalence")
def test_poisson_sample_is_a_binomial_number_of_uniform_points():
    """Section 3.1.1: Poisson sampling equals a uniform subset of a
    Binomial(n, gamma) size; all subsets of 4 points.
    """
    for rate in (0.1, 0.3):
        for drawn in product((0, 1), repeat=4):
            poisson = math.prod(rate if kept else 1 - rate for kept in drawn)
            size = sum(drawn)
            assert poisson == pytest.approx(binom.pmf(size, 4, rate) / math.comb(4, size))


@pytest.mark.bears("repair", "privgnn-subsampling-lemma")
def test_subsampling_lemma(record_property):
    """Sections 3.1.1, 3.1.4, B.1: sampling gives (O(gamma eps), gamma
    delta). Exact: (ln(1 + gamma(e^eps - 1)), gamma delta).
    """
    rate = 0.1
    for epsilon in (0.1, 1.0, 10.0):
        assert pure_pair(epsilon).poisson(rate).epsilon == pytest.approx(amplified(epsilon, rate))
    assert amplified(0.01, rate) / (rate * 0.01) == pytest.approx(1, abs=0.01)
    assert amplified(10, rate) == pytest.approx(7.6983, abs=1e-3) and amplified(10, rate) > 7 * rate * 10
    p, q = np.array([0.01, 0.99 * 0.8, 0.99 * 0.2, 0.0]), np.array([0.0, 0.99 * 0.2, 0.99 * 0.8, 0.01])
    # (ln 4, .01)-DP, in both directions
    assert FinitePair(tuple(p), tuple(q)).delta(math.log(4)) == pytest.approx(0.01)
    mixed, factor = (1 - rate) * q + rate * p, math.exp(amplified(math.log(4), rate))
    excess = [np.maximum(a - factor * b, 0).sum() for a, b in ((mixed, q), (q, mixed))]
    assert max(excess) == pytest.approx(rate * 0.01)
    record_property("witness", f"eps 10, gamma .1: exact {amplified(10, rate):.2f}, gamma eps = 1")


@pytest.mark.bears("repair", "privgnn-node-dp-stronger")
def test_node_privacy_costs_twice_for_an_edge(record_property):
    """Section 3.1.4: node-DP is stronger than edge-DP. By add/remove of
    a node, an edge may cost 2 eps, and does here.
    """
    top = 0.1  # graphs of at most two nodes; an edge and no edge are two node steps apart
    mechanism = Tabled({graph: {1: top * math.exp(-k), 0: 1 - top * math.exp(-k)}
                        for k, graph in enumerate(("edge", "one node", "no edge"))})
    node_steps = {"one node": ["edge", "no edge"]}
    assert worst_case(mechanism, ["one node"], node_steps.get).epsilon == pytest.approx(1)
    found = worst_case(mechanism, ["edge", "no edge"])
    assert found.epsilon == pytest.approx(2)
    # out, and in again with other edges
    step = Guarantee(1.0, unit="node", relation="add/remove", basis="proved")
    assert compose(step, step).epsilon == pytest.approx(found.epsilon)
    record_property("witness", "1-node-DP on graphs of at most two nodes, edge against no edge: "
                               f"{found.epsilon:.3f}")


@pytest.mark.bears("repair", "privgnn-node-dp-stronger")
def test_one_edge_needs_both_ends():
    """Both ends of an edge must be drawn: a label loses at most ln(1 + gamma^2 (e^eps0 - 1))
    by add/remove of an edge, and does lose that. As coins of that loss a thousand labels cost less than add/remove of a
    node, and for two classes at lambda 1 too."""
    for noise, rate in product(("laplace", "gumbel"), (0.1, 0.3, 0.9)):
        label, both = noisy_label(3, 0.8, noise), rate**2
        grid = [tuple(k / 2 for k in v) for v in product(range(3), repeat=3) if sum(v) == 2]
        told = [np.array(list(label.distribution(scores).values())) for scores in grid]
        losses = [np.log(((1 - both) * r + both * a) / ((1 - both) * r + both * b)).max()
                  for r, a, b in product(told, repeat=3)]
        assert max(losses) == pytest.approx(amplified(label.epsilon, both))
    for num_classes, lam in product((2, 10), (0.1, 1.0)):
        edge = exact_epsilon(pure_pair(amplified(noisy_label(num_classes, lam).epsilon, 0.09)), 1000, 1e-4)
        assert edge < exact(num_classes, 0.3, 1000, 1e-4, lam)


@pytest.mark.bears("against", "privgnn-singlegnn-same-guarantee")
def test_single_sample_is_not_amplified_query_by_query(record_property):
    """Section 5.5: SingleGNN (one sample for all queries) has the
    same guarantee. Exact, 2 classes, delta 1e-4.
    """
    rate, queries, delta = 0.3, 1000, 1e-4
    for lam, single, fresh in ((0.1, 13.82, 3.57), (0.2, 39.08, 8.29), (0.4, 116.90, 20.44)):
        pair = label_pair(2, lam)
        # (1 - g) Q^T + g P^T against Q^T: delta(eps) = g delta_T(ln(1 + (e^eps - 1) / g))
        def outer(epsilon):
            return math.log1p(math.expm1(epsilon) / rate)
        assert rate * exact_delta(pair, queries, outer(single - 0.01)) > delta
        assert rate * exact_delta(pair, queries, outer(single + 0.01)) < delta
        assert exact_epsilon(pair.poisson(rate), queries, delta) == pytest.approx(fresh, abs=0.006)
        record_property("witness", f"lambda {lam}: one sample {single}, fresh samples {fresh}")


@pytest.mark.bears("beside", "privgnn-singlegnn-same-guarantee")
def test_mixture_formula_of_the_single_sample_by_enumeration():
    """The formula of the test above against the definition: all outcomes of 6 labels."""
    p, q = (np.array(side) for side in (label_pair(2, 1.0).p, label_pair(2, 1.0).q))
    all_p, all_q = (np.array([math.prod(side[list(o)]) for o in product((0, 1), repeat=6)])
                    for side in (p, q))
    for epsilon in (0.0, 0.5, 2.0):
        mixed = np.maximum(0.7 * all_q + 0.3 * all_p - math.exp(epsilon) * all_q, 0).sum()
        outer = math.log1p(math.expm1(epsilon) / 0.3)
        assert mixed == pytest.approx(0.3 * exact_delta(label_pair(2, 1.0), 6, outer), abs=1e-12)


SMALL = PrivGNN(scale=1.0, num_queries=4, rate=0.5, neighbours=4, pretrain=3,
                teacher=NodeClassifier(hidden=4, epochs=3),
                student=NodeClassifier(hidden=4, epochs=3))


def small_graphs():
    """Fourteen private and sixteen public nodes of the karate club."""
    return datasets.private_public(datasets.load("karate"), seeded(0), private=14, public=16)


def neighbours_of(graph):
    """The graph without each of its nodes, and with each label turned."""
    def turned(v):
        other = graph.clone()
        other.num_classes, other.y = graph.num_classes, graph.y.clone()
        other.y[v] = 1 - other.y[v]
        return other
    nodes = torch.arange(graph.num_nodes)
    return [datasets.induced(graph, nodes[nodes != v]) for v in nodes] + [turned(v) for v in nodes]


@pytest.mark.bears("repair", "privgnn-attack-2-by-proxy")
def test_which_nodes_are_queried_tells_nothing(record_property):
    """Appendix C.2: finding a privately labelled public node reveals
    private nodes. Exact: only the labels do.
    """
    private, public = small_graphs()
    def asked(graph, seed):
        return SMALL.draw(graph, public, seeded(seed))[0].tolist()
    # a mutant that does look
    def wrong_graph(graph):
        return torch.randperm(graph.num_nodes, generator=seeded(0))[:4].tolist()
    for seed in range(5):  # the same coins choose the same queries, so the distribution is the same
        assert all(asked(graph, seed) == asked(private, seed) for graph in neighbours_of(private))
    assert len({tuple(asked(private, seed)) for seed in range(5)}) == 5
    assert any(wrong_graph(graph) != wrong_graph(private) for graph in neighbours_of(private))
    assert (private.num_nodes, int(public.train_mask.sum()), len(neighbours_of(private))) == (14, 8, 28)
    label = noisy_label(2, 0.8)
    told = worst_case(Query(0.3, 1, label), [NODES], drop_a_node).epsilon
    assert told == pytest.approx(amplified(label.epsilon, 0.3))
    record_property("witness", f"{len(neighbours_of(private))} neighbours of a private graph: the same queries, loss "
                               "0; a label "
                               f"up to {told:.3f}")


def student(data, generator, leak=False):
    """Algorithm 1 in miniature: 1-NN teachers on Poisson samples, noisy
    labels, class means of public nodes as the student.
    """
    places, labels = data
    queries, teachers, found = torch.linspace(0, 3, 7), [], []
    for query in queries:
        drawn = torch.rand(len(places), generator=generator) < 0.9
        distance = torch.where(drawn, (places - query).abs(), torch.inf)
        posterior = torch.nn.functional.one_hot(labels[distance.argmin()], 2).float()[None]
        teachers.append(posterior)
        found.append(noisy_label(2, 1.0)(posterior, generator=generator))
    chosen = torch.cat(found)
    model = {c: queries[chosen == c].mean() for c in range(2)}
    return (model, teachers) if leak else model


@pytest.mark.bears("for", "privgnn-student-postprocessing", "privgnn-user-sees-public-model")
def test_nothing_but_noisy_labels_leaves_the_private_graph():
    """Sections 3.1.3, D.7, H: student and pre-training see public data
    and noisy labels. Frozen noise: nothing differs.
    """
    data = torch.tensor([0.1, 1.1, 2.1, 3.1]), torch.tensor([0, 0, 1, 1])
    without = data[0][:3], data[1][:3]
    other = data[0], torch.tensor([0, 0, 1, 0])
    for seed in range(5):  # on some of them the person is not drawn, and nothing could be found
        assert replay(student, data, without, seed) == [] == replay(student, data, other, seed)
    # a mutant that also releases its teachers
    assert replay(lambda d, g: student(d, g, leak=True), data, other, seed=1)


@pytest.mark.bears("for", "privgnn-pretraining-no-risk", "privgnn-student-postprocessing",
                   "privgnn-user-sees-public-model")
def test_pre_training_does_not_look_at_the_private_graph():
    """Appendix D.7: with frozen labels the pre-trained student is the same for all neighbours;
    the two are not the same as without pre-training, and a pre-training that uses private features is found."""
    private, public = small_graphs()
    def pipeline(graph, generator, leak=0.0):
        release = SMALL.collect(graph, public, generator)
        start = reconstruct(SMALL.student, release.x + leak * graph.x.mean(0), release.edge_index, 2, SMALL.pretrain,
                            seeded(1))
        return release.queries, release.labels, dict(start.state_dict()), SMALL.learn(release,
                                                                                      seeded(1)).predict_proba()
    others = neighbours_of(private)[::5]
    assert all(replay(pipeline, private, other) == [] for other in others)
    assert all(replay(lambda graph, g: pipeline(graph, g, leak=1.0), private, other) for other in others[:2])
    release = SMALL.collect(private, public, seeded(0))
    fresh = replace(SMALL, pretrain=0)
    assert not torch.allclose(SMALL.learn(release, seeded(1)).predict_proba(),
                              fresh.learn(release, seeded(1)).predict_proba())


@pytest.mark.bears("for", "privgnn-b1-no-guarantee")
def test_training_without_noise_has_infinite_epsilon(record_property):
    """Section 5.1, G: B1 has no guarantee. Deterministic training maps two
    neighbours to different models; B2's does not.
    """
    def ridge(x, y):
        return tuple(np.linalg.solve(x.T @ x + np.eye(2), x.T @ y).round(9).tolist())
    private, public = np.array([[1.0, 0.0], [0.5, 1.0], [0.0, 2.0]]), np.array([[1.0, 1.0], [2.0, 0.0]])

    class B1:
        def distribution(self, size):
            return {ridge(private[:size], np.arange(size)): 1.0}

    class B2:
        def distribution(self, size):
            return {ridge(public, np.arange(2)): 1.0}
    assert math.isinf(worst_case(B1(), [2, 3]).epsilon)
    assert worst_case(B2(), [2, 3]).epsilon == 0
    record_property("witness", "ridge regression with and without one node: different models, each with "
                               "probability 1")


@pytest.mark.bears("for", "privgnn-dpsgd-not-for-graphs")
def test_one_node_moves_many_clipped_gradients(record_property):
    """Sections 1, 2, E.7: DP-SGD's guarantee does not carry over. A star of 4
    nodes: removing the hub moves the sum by more than 3 C.
    """
    clip, adjacency = 1.0, np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]])
    x, y = np.array([[9.0], [-1.0], [-1.0], [-1.0]]), np.ones(4)

    def clipped_sum(keep):  # logistic regression at w = 0 on the means of closed neighbourhoods
        a = adjacency[np.ix_(keep, keep)]
        h = a @ x[keep] / a.sum(1, keepdims=True)
        gradients = (0.5 - y[keep])[:, None] * h
        norms = np.linalg.norm(gradients, axis=1, keepdims=True)
        return (gradients * np.minimum(1, clip / norms)).sum(0), norms
    with_hub, norms = clipped_sum([0, 1, 2, 3])
    without, _ = clipped_sum([1, 2, 3])
    moved = np.linalg.norm(with_hub - without)
    assert moved == pytest.approx(5.25 * clip)
    record_property("witness", f"star of 4, clip norm {clip}: the hub moves the sum of clipped gradients by "
                               f"{moved:.2f}")


# Renyi divergences and conversions.

@pytest.mark.bears("for", "privgnn-laplace-rdp-curve")
def test_laplace_rdp_curve_is_the_integral():
    """Equation (3): the RDP of 1-D Laplace noise with sensitivity 1, against the integral."""
    grid = np.linspace(-60, 61, 121 * 512 + 1)
    for order, scale in product((1.5, 2, 7), (1.0, 2.5)):
        p, q = laplace.logpdf(grid, 1, scale), laplace.logpdf(grid, 0, scale)
        integral = math.log(simpson(np.exp(order * p + (1 - order) * q), x=grid)) / (order - 1)
        assert laplace_rdp(order, scale) == pytest.approx(integral, rel=1e-5, abs=0)


@pytest.mark.bears("for", "privgnn-rdp-limit")
def test_rdp_tends_to_the_pure_loss():
    """Section 3.1.4: for order to infinity RDP becomes pure DP; finite pairs and the Laplace curve."""
    rng = np.random.default_rng(0)
    for p, q in rng.dirichlet(np.ones(4), (20, 2)):
        pair = FinitePair(tuple(p), tuple(q))
        orders = [pair.rdp(order) for order in (2, 8, 64, 4096)]
        assert orders == sorted(orders) and orders[-1] <= pair.epsilon + 1e-12
        assert orders[-1] == pytest.approx(pair.epsilon, rel=0.02, abs=0)
    assert laplace_rdp(1e6, 2.0) == pytest.approx(0.5, abs=1e-5)


@pytest.mark.bears("for", "privgnn-lemma-5")
def test_lemma_5_holds_for_finite_pairs():
    """Lemma 5: (alpha, eps)-RDP implies (eps + ln(1/delta)/(alpha - 1), delta)-DP, against the exact delta.
    """
    rng = np.random.default_rng(1)
    for p, q in rng.dirichlet(np.full(5, 0.5) + 0.01, (50, 2)):
        pair = FinitePair(tuple(p), tuple(q))
        settings = list(product((1.2, 2, 10), (0.3, 1e-2, 1e-6)))
        assert len(settings) == 9
        for order, delta in settings:
            assert pair.delta(classic_conversion(pair.rdp(order), order, delta)) <= delta


@pytest.mark.bears("for", "privgnn-lemma-6")
def test_lemma_6_two_adaptive_coins():
    """Lemma 6: RDP curves of adaptively chosen mechanisms add; two coins, the second chosen by the first."""
    first, second = RandomisedResponse(0.7, 2), {0: RandomisedResponse(0.4, 2), 1: RandomisedResponse(1.1, 2)}

    class Both:
        def distribution(self, x):
            return {(a, b): p * q for a, p in first.distribution(x).items()
                    for b, q in second[a].distribution(x).items()}
    for order in (1.5, 2, 10):
        bound = first.pair.rdp(order) + max(coin.pair.rdp(order) for coin in second.values())
        assert first.pair.rdp(order) < finite_pair(Both(), 0, 1).rdp(order) <= bound + 1e-12


@pytest.mark.bears("against", "privgnn-equation-1")
def test_equation_1_pairs_the_wrong_orders(record_property):
    """Equations (1), (6): eps(delta) = min ln(1/delta)/(alpha-1) +
    eps(alpha-1). Gaussian sigma .3, delta 1e-3, exactly.
    """
    sigma, delta = 0.3, 1e-3
    orders = np.linspace(2.0001, 5, 20_000)  # eps(alpha - 1) needs alpha - 1 > 1
    def curve(order):
        return order / (2 * sigma**2)
    printed = (math.log(1 / delta) / (orders - 1) + curve(orders - 1)).min()
    repaired = (math.log(1 / delta) / (orders - 1) + curve(orders)).min()
    pair = GaussianPair(sigma)
    assert printed == pytest.approx(math.sqrt(2 * math.log(1 / delta)) / sigma, abs=1e-4)
    assert (printed, repaired) == pytest.approx((12.39, 17.95), abs=5e-3)
    assert pair.delta(printed) > 10 * delta
    assert pair.delta(15.15) > delta > pair.delta(15.16)
    assert pair.delta(repaired) <= delta
    record_property("witness", f"Gaussian sigma .3, delta 1e-3: printed {printed:.2f}, exact 15.15, with "
                               f"eps(alpha) {repaired:.2f}")


def sum_of_theorem_8(curve, rate, order, factor):
    """The sum as printed, term by term, with ``factor`` in place of 3."""
    total = (1 - rate)**(order - 1) * (order * rate - rate + 1)
    for j in range(2, order + 1):
        term = math.comb(order, j) * rate**j * (1 - rate)**(order - j) * math.exp((j - 1) * curve(j))
        total += term if j == 2 else factor * term
    return math.log(total) / (order - 1)


def sampled_divergences(p, q, rate, order):
    """Of the sampled side against the other, and the other way round."""
    mixed = (1 - rate) * q + rate * p
    return FinitePair.divergence(mixed, q, order), FinitePair.divergence(q, mixed, order)


@pytest.mark.bears("for", "privgnn-theorem-8")
def test_theorem_8_holds_for_random_pairs():
    """Theorem 8 (general bound of Zhu and Wang, factor 3) against the exact divergence of sampled pairs,
    both directions.

    With factor 1 it is attained by a symmetric pair, so no smaller one will do; with a curve that bounds both
    directions factor 1 was enough for all of these pairs.
    """
    rng = np.random.default_rng(2)
    for p, q in rng.dirichlet(np.full(3, 0.7) + 0.01, (30, 2)):
        curve = FinitePair(tuple(p), tuple(q)).rdp
        for rate, order in product((0.05, 0.3, 0.9), (2, 3, 8)):
            bound, without_3 = (sum_of_theorem_8(curve, rate, order, factor) for factor in (3, 1))
            assert poisson_rdp(np.vectorize(curve), rate, order, general=True) == pytest.approx(bound, rel=1e-9,
                                                                                                abs=1e-12)
            for a, b in ((p, q), (q, p)):
                assert max(sampled_divergences(a, b, rate, order)) <= without_3 + 1e-12 <= bound + 2e-12
    coins = pure_pair(1.0)
    attained = sampled_divergences(*coins.directions[0], 0.3, 8)[0]
    assert sum_of_theorem_8(coins.rdp, 0.3, 8, 1) == pytest.approx(attained)
    assert sum_of_theorem_8(coins.rdp, 0.3, 8, 0.99) < attained < sum_of_theorem_8(coins.rdp, 0.3, 8, 3)


@pytest.mark.bears("for", "privgnn-theorem-8")
def test_theorem_8_needs_a_curve_of_both_directions(record_property):
    """A person who joins and one who leaves: a curve of one of the two alone bounds the sampled other not even with
    factor 3."""
    pair = FinitePair((0.9999, 0.0001), (0.99, 0.01))
    p, q = pair.directions[0]
    one_way = sum_of_theorem_8(lambda order: FinitePair.divergence(p, q, order), 0.9, 16, 3)
    both = sum_of_theorem_8(pair.rdp, 0.9, 16, 3)
    found = max(sampled_divergences(p, q, 0.9, 16))
    assert (one_way, found) == pytest.approx((0.082, 1.909), abs=5e-4) and found < both
    record_property("witness", f"(.9999, .0001) and (.99, .01), gamma .9, order 16: exact {found:.2f}, the sum from "
                               "one "
                               f"direction {one_way:.2f}, from both {both:.2f}")


@pytest.mark.bears("repair", "privgnn-definition-4")
def test_definition_4_has_the_wrong_expectation(record_property):
    """Definition 4 takes the mean over theta ~ X. Over M(X) it is alpha / (alpha - 1)
    times the divergence of order alpha + 1, and equation (3) is not the curve of Laplace noise; over M(X') it is."""
    grid = np.linspace(-60, 61, 121 * 512 + 1)
    p, q = laplace.logpdf(grid, 1, 1.0), laplace.logpdf(grid, 0, 1.0)
    for order in (2, 3, 5):
        over_first, over_second = (math.log(simpson(np.exp(order * (p - q) + side), x=grid)) / (order - 1)
                                   for side in (p, q))
        assert over_second == pytest.approx(laplace_rdp(order, 1.0), rel=1e-5, abs=0)
        assert over_first == pytest.approx(order / (order - 1) * laplace_rdp(order + 1, 1.0), rel=1e-5, abs=0)
        if order == 2:
            assert (over_first, over_second) == pytest.approx((1.494, 0.619), abs=5e-4)
            record_property("witness", f"Laplace noise, lambda 1, order 2: {over_first:.3f} over M(X), "
                                       f"{over_second:.3f} over M(X')")


def noise_needed(steps, rate=1.0, epsilon=2.0, delta=1e-5):
    """The standard deviation, in clip norms, with which that many releases cost (epsilon, delta)."""
    if rate == 1:  # as many Gaussian releases are one with sigma / sqrt(steps)
        def excess(sigma):
            return GaussianPair(sigma / math.sqrt(steps)).delta(epsilon) - delta
    else:
        def excess(sigma):
            return rdp_epsilon([Step(GaussianPair(sigma, rate), steps)], delta) - epsilon
    return brentq(excess, 0.7, 1000, xtol=1e-6)


@pytest.mark.bears("repair", "privgnn-dpsgd-noise-epochs")
def test_noise_of_dp_sgd_grows_with_the_root_of_the_epochs(record_property):
    """Section 1: "proportional to the number of training epochs". Four times the steps at one (epsilon, delta):
    twice the noise."""
    for steps in (10, 100):
        assert noise_needed(4 * steps) / noise_needed(steps) == pytest.approx(2, rel=1e-5, abs=0)
    few, many = (noise_needed(steps, rate=0.1) for steps in (2000, 8000))
    assert many / few == pytest.approx(2, abs=0.03)
    record_property(
        "witness", f"epsilon 2, delta 1e-5, batches of a tenth: {few:.1f} for 200 epochs, {many:.1f} for 800")


@pytest.mark.bears("for", "privgnn-plausible-deniability")
def test_every_label_stays_possible():
    """Section 3.1.3, "plausible deniability": whatever the teacher says,
    each class has a chance of at least ``lose``, attained."""
    for num_classes, steps in ((2, 8), (3, 4)):
        for lam in (0.1, 1.0):
            label = noisy_label(num_classes, lam)
            grid = [tuple(k / steps for k in v) for v in product(range(steps + 1), repeat=num_classes)
                    if sum(v) == steps]
            least = min(min(label.distribution(scores).values()) for scores in grid)
            assert least == pytest.approx(label.lose, rel=1e-7, abs=0) and least > 0
    label = noisy_label(10, 1.0)
    assert label.lose == pytest.approx(0.0825, abs=5e-5) and label.win == pytest.approx(0.257, abs=5e-4)


@pytest.mark.bears("against", "privgnn-theorem-8-tight")
def test_theorem_8_is_not_tight_for_laplace_noise(record_property):
    """Sections 3.2, B.1, B.2: "tight composition". The exact RDP (an
    integral) is below half of Theorem 8's bound.
    """
    lam, rate, order = 0.1, 0.3, 4
    grid = np.linspace(-500, 501, 1001 * 64 + 1)
    p, q = laplace.pdf(grid, 1, 1 / lam), laplace.pdf(grid, 0, 1 / lam)
    exact = math.log(simpson(((1 - rate) + rate * p / q)**order * q, x=grid)) / (order - 1)
    bound = poisson_rdp(lambda orders: laplace_rdp(orders, 1 / lam), rate, order, general=True)
    assert LaplacePair(1 / lam).poisson(rate).rdp(order) == pytest.approx(exact, rel=1e-4, abs=0)
    assert (exact, bound) == pytest.approx((0.0017, 0.0546), abs=5e-5)
    with_3, without = (way(rate, 1000, 1e-3, lam) for way in (with_factor_3, printed_method))
    assert (round(without, 2), round(with_3, 2)) == (3.91, 7.78)
    assert math.floor(100 * without) / 100 == 3.90  # as the paper prints it, which cuts
    record_property("witness", f"lambda .1, gamma .3, order 4: exact {exact:.5f}, Theorem 8 {bound:.5f}; "
                               f"1000 queries at delta 1e-3: {without:.2f} against {with_3:.2f}")


@pytest.mark.bears("for", "privgnn-equation-4")
def test_equation_4_is_an_equality_for_scalar_noise():
    """Equation (4): at order 2 the sampled scalar Laplace mechanism has
    RDP ln(1 - g^2 + g^2 e^{eps(2)}); the integral.
    """
    grid = np.linspace(-80, 81, 161 * 256 + 1)
    for lam, rate in product((0.4, 1.0), (0.1, 0.3, 0.9)):
        p, q = laplace.pdf(grid, 1, 1 / lam), laplace.pdf(grid, 0, 1 / lam)
        mixed = (1 - rate) * q + rate * p
        forth, back = (math.log(simpson(a**2 / b, x=grid)) for a, b in ((mixed, q), (q, mixed)))
        formula = math.log(1 - rate**2 + rate**2 * math.exp(laplace_rdp(2, 1 / lam)))
        assert forth == pytest.approx(formula, rel=1e-4, abs=0) and back <= formula + 1e-9


@pytest.mark.bears("for", "privgnn-rdp-amplification-order")
def test_gamma_squared_is_the_order_at_a_fixed_order_only(record_property):
    """B.1: sampling turns eps(alpha) into O(gamma^2 eps(alpha)). Ratio
    of exact RDP to gamma^2 eps(alpha), gamma .3.
    """
    ratio = {(lam, order): LaplacePair(1 / lam).poisson(0.3).rdp(order) / (0.09 * laplace_rdp(order, 1 / lam))
             for lam, order in ((0.1, 2), (0.4, 2), (1.0, 8), (1.0, 32))}
    assert (ratio[0.1, 2], ratio[1.0, 32]) == pytest.approx((1.004, 4.27), abs=5e-3)
    def quotient(rate, order):
        return LaplacePair(1.0).poisson(rate).rdp(order) / (rate**2 * laplace_rdp(order, 1.0))
    for order in (2, 8, 32):  # at a fixed order it tends to a constant as gamma vanishes
        constant = order * math.expm1(laplace_rdp(2, 1.0)) / 2 / laplace_rdp(order, 1.0)
        assert quotient(1e-5, order) == pytest.approx(constant, rel=1e-3, abs=0)
    assert quotient(0.01, 512) == pytest.approx(139, abs=0.5)  # but not for all orders at one gamma
    record_property("witness", f"gamma .3: {ratio[0.1, 2]:.3f} at lambda .1, order 2; "
                               f"{ratio[1.0, 32]:.2f} at lambda 1, order 32; gamma .01, lambda 1, order 512: "
                               f"{quotient(0.01, 512):.0f}")


@pytest.mark.bears("for", "privgnn-laplace-mechanism")
def test_laplace_mechanism_for_vectors(record_property):
    """Section 3.1.4: noise of scale Delta/eps is eps-DP for f in
    R^n, if each coordinate has noise of its own.
    """
    rng = np.random.default_rng(3)
    for f, other in rng.normal(size=(30, 2, 3)):
        spread = np.abs(f - other).sum()
        outcomes = np.vstack([rng.normal(scale=3, size=(200, 3)), f, other])
        loss = laplace.logpdf(outcomes, f, spread).sum(1) - laplace.logpdf(outcomes, other, spread).sum(1)
        assert loss.max() == pytest.approx(1)  # attained at the outcome f
    # one scalar noise for all coordinates: the difference of two coordinates is released as it is
    shared = Tabled({x: {round(x[0] - x[1], 9): 1.0} for x in ((1.0, 0.0), (0.0, 1.0))})
    assert math.isinf(worst_case(shared, shared.table).epsilon)
    record_property("witness", "one noise shared by both coordinates of (1, 0) and (0, 1): their difference "
                               "is 1 or -1")


# Theorem 7 and what is called tight or rough.

@pytest.mark.bears("against", "privgnn-theorem-7")
@pytest.mark.parametrize("lam, formula, exact, repaired",
                         [(0.2, 7.99, 8.29, 12.80), (0.4, 17.51, 20.44, 23.43)])
def test_theorem_7_lies_below_the_algorithm(lam, formula, exact, repaired, record_property):
    """Theorem 7: gamma .3, |Q| 1000, delta 1e-4, two classes, a teacher
    that the node turns from class 0 to class 1.
    """
    rate, queries, delta = 0.3, 1000, 1e-4
    query = Query(rate, 1, noisy_label(2, lam))  # a graph where one node does turn the teacher
    pair = finite_pair(query, NODES, NODES[1:])
    assert pair.p == pytest.approx(label_pair(2, lam).poisson(rate).p)
    assert theorem_7(rate, queries, delta, lam) == pytest.approx(formula, abs=0.005)
    found = exact_epsilon(pair, queries, delta)
    assert found == pytest.approx(exact, abs=0.006)
    assert exact_delta(pair, queries, theorem_7(rate, queries, delta, lam)) > delta
    order_2 = pure_pair(noisy_label(2, lam).epsilon).rdp(2)
    held = math.log(1 / delta) + queries * math.log(1 + rate**2 * math.expm1(order_2))
    assert held == pytest.approx(repaired, abs=0.006) and held > found
    record_property("witness", f"lambda {lam}: Theorem 7 {formula}, exact epsilon of Algorithm 1 "
                               f"{found:.2f}, order 2 "
                               f"with eps(alpha) {held:.2f}")


@pytest.mark.bears("beside", "privgnn-theorem-7")
@pytest.mark.parametrize("num_classes", [2, 3, 10])
def test_repaired_theorem_7(num_classes, record_property):
    """ln(1/delta) + |Q| ln(1 + g^2 (e^D - 1)), D the order-2 divergence of
    one-hot posteriors: an upper bound, unlike (2).
    """
    rate, queries, delta = 0.3, 1000, 1e-4
    exceeded = []
    for lam in LAMBDAS:
        label = noisy_label(num_classes, lam)
        pair = response_pair(label.epsilon, num_classes)
        square = label.win**2 / label.lose + label.lose**2 / label.win + (num_classes - 2) * label.lose  # e^D
        step = math.log(1 + rate**2 * (square - 1))
        assert pair.poisson(rate).rdp(2) == pytest.approx(step)
        found = exact(num_classes, rate, queries, delta, lam)
        assert math.log(1 / delta) + queries * step >= found
        exceeded += [lam] if found > theorem_7(rate, queries, delta, lam) else []
    assert exceeded == {2: [0.2, 0.4, 0.8], 3: [0.4], 10: []}[num_classes]
    record_property("witness", f"{num_classes} classes: Theorem 7 is exceeded at lambda {exceeded or 'none'}")


@pytest.mark.bears("against", "privgnn-remark-rough-bound")
def test_the_rough_bound_is_the_smaller_number(record_property):
    """Remark after Theorem 7: (2) is rough and gives much larger values.
    At gamma .3, delta 1e-3 it is smaller from .2 on.
    """
    formula = [theorem_7(0.3, 1000, 1e-3, lam) for lam in LAMBDAS]
    assert formula == pytest.approx([4.33, 6.84, 16.36, 51.85, 77.78], abs=0.005)
    # Table 2, Amazon, 1000
    for lam, rough, printed in zip(LAMBDAS, formula, (3.90, 8.53, 19.81, 55.30, 81.23), strict=True):
        assert (rough < printed) == (lam >= 0.2)
        assert printed_method(0.3, 1000, 1e-3, lam) == pytest.approx(printed, abs=0.01)
    shown = " ".join(f"{value:.2f}" for value in formula)
    record_property("witness", f"formula {shown} against printed 3.90 8.53 19.81 55.30 81.23")


@pytest.mark.bears("against", "privgnn-tight-bounds")
def test_rdp_is_not_tight(record_property):
    """Section 1: "tight bounds". Exact composition of Algorithm 1 is below the RDP value at the same delta.
    """
    for num_classes, values in ((2, (3.57, 8.29, 20.44, 54.52, 75.97)),
                                (10, (1.64, 3.81, 9.66, 29.09, 43.81))):
        rdp = [printed_method(0.3, 1000, 1e-4, lam) for lam in LAMBDAS]
        found = [exact(num_classes, 0.3, 1000, 1e-4, lam) for lam in LAMBDAS]
        assert found == pytest.approx(values, abs=0.006) and rdp == pytest.approx((4.45, 9.69, 22.12, 57.61, 83.54),
                                                                                  abs=0.006)
        assert all(value < 0.96 * bound for value, bound in zip(found, rdp, strict=True))
        shown, bounds = (" ".join(f"{value:.2f}" for value in row) for row in (found, rdp))
        record_property("witness", f"gamma .3, |Q| 1000, delta 1e-4, {num_classes} classes: exact {shown}, "
                                   f"RDP {bounds}")


# The printed budgets. (table, rate, queries, values at lambda .1 .2 .4 .8 1); delta as stated in section 4.1,
# classes in Table 11.

ROW_3 = (3.90, 8.53, 19.81, 55.30, 81.23)
ROW_500 = (2.67, 5.69, 13.15, 31.10, 44.07)
ROW_ARXIV = (4.45, 9.69, 22.11, 57.60, 83.53)
PRINTED = {
    "Amazon": (10, 1e-4, [("Table 2", 0.3, 500, ROW_500), ("Table 2", 0.3, 1000, ROW_3),
                          ("Table 9", 0.3, 1000, ROW_3)]),
    "Amazon2M": (47, 1e-5, [("Table 2", 0.1, 500, (0.97, 1.96, 4.03, 8.73, 11.17)),
                            ("Table 2", 0.1, 1000, (1.39, 2.83, 5.94, 12.98, 17.73)),
                            ("Table 3", 0.1, 1000, (1.39, 2.83, 5.94, 12.98, 17.17)),
                            ("Table 3", 0.3, 1000, ROW_ARXIV),
                            ("Table 9", 0.1, 1000, (1.38, 2.82, 5.94, 12.97, 17.73))]),
    "Reddit": (41, 1e-4, [("Table 2", 0.3, 500, ROW_500), ("Table 2", 0.3, 1000, ROW_3),
                          ("Table 3", 0.3, 1000, ROW_3),
                          ("Table 3", 0.1, 1000, (1.20, 2.47, 5.20, 11.82, 15.44)),
                          ("Table 9", 0.3, 1000, ROW_3)]),
    "Facebook": (34, 1e-4, [("Table 2", 0.3, 500, (2.67, 5.96, 13.15, 31.10, 44.07)),
                            ("Table 2", 0.3, 1000, ROW_3),
                            ("Table 9", 0.3, 1000, ROW_3)]),
    "ArXiv": (40, 1e-5, [("Table 9", 0.3, 1000, ROW_ARXIV)]),
    "Credit": (2, 1e-4, [("Table 9", 0.3, 1000, ROW_3)]),
}
MISPRINTS = {("Table 2", "Facebook", 0.3, 500, 0.2): 5.69, ("Table 3", "Amazon2M", 0.1, 1000, 1.0): 17.73}
# (rate, queries): at the stated delta, the method; with Theorem 8's factor 3; any e0-DP
# query; Algorithm 1 exactly
BUDGETS = {
    "Amazon": {
        (0.3, 500): ((3.05, 6.46, 14.31, 33.41, 46.37), (9.65, 10.90, 15.66, 33.41, 46.37),
                     (2.70, 6.22, 15.28, 41.18, 57.76), (1.11, 2.55, 6.30, 18.18, 26.87)),
        (0.3, 1000): ((4.45, 9.69, 22.12, 57.61, 83.54), (10.08, 12.60, 22.12, 57.61, 83.54),
                     (4.07, 9.60, 24.50, 69.37, 98.81), (1.64, 3.81, 9.66, 29.09, 43.81)),
    },
    "Amazon2M": {
        (0.1, 500): ((1.08, 2.18, 4.48, 9.50, 12.32), (5.18, 5.59, 7.08, 11.42, 14.48),
                     (0.84, 1.81, 4.02, 9.48, 12.81), (0.16, 0.35, 0.82, 2.15, 3.07)),
        (0.1, 1000): ((1.54, 3.14, 6.52, 14.13, 18.88), (6.56, 7.33, 9.38, 17.01, 20.05),
                     (1.23, 2.67, 6.02, 14.54, 19.87), (0.23, 0.51, 1.18, 3.09, 4.44)),
        (0.3, 1000): ((4.91, 10.61, 24.42, 59.91, 85.84), (12.38, 14.90, 24.42, 59.91, 85.84),
                     (4.23, 9.66, 23.64, 64.14, 90.92), (0.76, 1.69, 4.01, 10.97, 16.10)),
    },
    "Reddit": {
        (0.3, 500): ((3.05, 6.46, 14.31, 33.41, 46.37), (9.65, 10.90, 15.66, 33.41, 46.37),
                     (2.45, 5.61, 13.56, 36.00, 50.58), (0.46, 1.05, 2.53, 6.98, 10.24)),
        (0.3, 1000): ((4.45, 9.69, 22.12, 57.61, 83.54), (10.08, 12.60, 22.12, 57.61, 83.54),
                     (3.69, 8.61, 21.59, 60.18, 86.09), (0.68, 1.55, 3.75, 10.57, 15.72)),
        (0.1, 1000): ((1.39, 2.83, 5.94, 12.98, 17.73), (5.78, 6.28, 8.22, 14.71, 17.75),
                     (1.04, 2.31, 5.29, 13.10, 18.06), (0.20, 0.45, 1.06, 2.85, 4.14)),
    },
    "Facebook": {
        (0.3, 500): ((3.05, 6.46, 14.31, 33.41, 46.37), (9.65, 10.90, 15.66, 33.41, 46.37),
                     (2.47, 5.65, 13.67, 36.41, 51.33), (0.52, 1.17, 2.83, 7.86, 11.58)),
        (0.3, 1000): ((4.45, 9.69, 22.12, 57.61, 83.54), (10.08, 12.60, 22.12, 57.61, 83.54),
                     (3.71, 8.67, 21.78, 60.97, 87.34), (0.76, 1.73, 4.21, 11.98, 17.91)),
    },
    "ArXiv": {
        (0.3, 1000): ((4.91, 10.61, 24.42, 59.91, 85.84), (12.38, 14.90, 24.42, 59.91, 85.84),
                     (4.25, 9.71, 23.79, 64.75, 91.93), (0.83, 1.85, 4.41, 12.15, 17.91)),
    },
    "Credit": {
        (0.3, 1000): ((4.45, 9.69, 22.12, 57.61, 83.54), (10.08, 12.60, 22.12, 57.61, 83.54),
                     (3.57, 8.29, 20.44, 54.52, 75.97), (3.57, 8.29, 20.44, 54.52, 75.97)),
    },
}


@pytest.mark.bears("against", "privgnn-delta-below-1-over-n")
@pytest.mark.bears("repair", "privgnn-budget-amazon", "privgnn-budget-amazon2m", "privgnn-budget-reddit",
                    "privgnn-budget-facebook", "privgnn-budget-arxiv")
@pytest.mark.bears("beside", "privgnn-budget-credit")
@pytest.mark.parametrize("graph", PRINTED)
def test_printed_budgets_belong_to_ten_times_the_stated_delta(graph, record_property):
    """Tables 2, 3, 9: each cell within .01 of the method without
    factor 3 at 10 delta; none at the stated delta.
    """
    num_classes, delta, rows = PRINTED[graph]
    for table, rate, queries, values in rows:
        for lam, printed in zip(LAMBDAS, values, strict=True):
            meant = MISPRINTS.get((table, graph, rate, queries, lam), printed)
            found = printed_method(rate, queries, 10 * delta, lam)
            rounded = graph == "Amazon2M" and rate == 0.1 and table != "Table 9"  # all other cells are cut
            assert (round(found, 2) if rounded else math.floor(100 * found) / 100) == meant
            if meant != printed:
                assert abs(meant - printed) > 0.2
            assert abs(printed_method(rate, queries, delta, lam) - printed) > 0.1
        record_property("witness", f"{graph}, {table}, |Q| {queries}, gamma {rate}: delta {10 * delta:g}, "
                                   f"stated {delta:g}")


@pytest.mark.bears("repair", "privgnn-budget-amazon", "privgnn-budget-amazon2m", "privgnn-budget-reddit",
                    "privgnn-budget-facebook", "privgnn-budget-arxiv", "privgnn-gap-comparison")
@pytest.mark.bears("beside", "privgnn-budget-credit")
@pytest.mark.parametrize("graph", PRINTED)
def test_budgets_at_the_stated_delta(graph, record_property):
    """Tables 2, 3, 9 at the stated delta: the paper's method without and
    with factor 3, any e0-DP query, Algorithm 1.
    """
    num_classes, delta, _ = PRINTED[graph]
    for (rate, queries), columns in BUDGETS[graph].items():
        for lam, *expected in zip(LAMBDAS, *columns, strict=True):
            setting = rate, queries, delta, lam
            found = [printed_method(*setting), with_factor_3(*setting),
                     sound(num_classes, *setting),
                     exact(num_classes, *setting)]
            assert found == pytest.approx(expected, abs=0.0051)
            assert found[3] <= found[2] + 1e-9
        shown = " ".join(f"{value:.2f}" for value in columns[3])
        record_property("witness", f"{graph}, |Q| {queries}, gamma {rate}, delta {delta:g}: exact {shown}")


@pytest.mark.bears("repair", "privgnn-budget-amazon", "privgnn-budget-amazon2m", "privgnn-budget-reddit",
                    "privgnn-budget-facebook", "privgnn-budget-arxiv")
@pytest.mark.bears("beside", "privgnn-budget-credit")
@pytest.mark.parametrize("graph", PRINTED)
def test_printed_budgets_as_bounds_at_the_stated_delta(graph):
    """Tables 2, 3, 9: against the exact epsilon at the stated delta.
    All are bounds but Credit's at lambda .4.
    """
    num_classes, delta, rows = PRINTED[graph]
    exceeded = {(table, rate, queries, lam) for table, rate, queries, values in rows
                for lam, printed in zip(LAMBDAS, values, strict=True)
                if exact(num_classes, rate, queries, delta, lam) > printed}
    assert exceeded == ({("Table 9", 0.3, 1000, 0.4)} if graph == "Credit" else set())


@pytest.mark.bears("against", "privgnn-budget-credit")
def test_credit_exceeds_its_printed_budget(record_property):
    """Table 9, Credit (2 classes), delta 1e-4 as stated: delta of the
    exact composition at the printed epsilons.
    """
    pairs = [label_pair(2, lam).poisson(0.3) for lam in LAMBDAS]
    deltas = [exact_delta(pair, 1000, printed) for pair, printed in zip(pairs, ROW_3, strict=True)]
    assert [delta > 1e-4 for delta in deltas] == [False, False, True, False, False]
    assert deltas[2] == pytest.approx(1.9e-4, abs=5e-6)
    record_property("witness", f"Credit, lambda .4: delta at 19.81 is {deltas[2]:.2g}, not 1e-4; epsilon at "
                               "1e-4 is "
                               f"{exact_epsilon(pairs[2], 1000, 1e-4):.2f}")


NODES_OF = {"Amazon": 2500, "Amazon2M": 1_000_000, "Reddit": 12_300, "Facebook": 13_401, "ArXiv": 90_941,
            "Credit": 10_818}


@pytest.mark.bears("against", "privgnn-delta-below-1-over-n")
def test_delta_against_the_number_of_nodes(record_property):
    """Remark after Theorem 7: delta < 1/|V|. Table 11 gives |V|,
    section 4.1 delta; the tables use ten times that.
    """
    stated = {graph for graph, size in NODES_OF.items() if not PRINTED[graph][1] < 1 / size}
    used = {graph for graph, size in NODES_OF.items() if not 10 * PRINTED[graph][1] < 1 / size}
    assert stated == {"Amazon2M", "Reddit", "Facebook", "Credit"} and used == set(NODES_OF)
    limits = [1 / NODES_OF[graph] for graph in ("Facebook", "Credit", "Reddit", "Amazon2M")]
    assert limits == pytest.approx([7.5e-5, 9.2e-5, 8.1e-5, 1e-6], rel=0.01, abs=0)
    record_property("witness", f"delta stated is not below 1/|V| for {', '.join(sorted(stated))}; delta used "
                               "for none of six")


# PATE.

def pate(lam, queries, delta):
    """Data-independent moments of PATE (Papernot et al. 2017, Theorem
    2), with the pure loss 2 lambda, moments 1..8.
    """
    moments = {k: min(2 * lam**2 * k * (k + 1), 2 * lam * k) for k in range(1, 9)}
    return min((queries * moment + math.log(1 / delta)) / k for k, moment in moments.items())


PATE = {  # Table 2: delta that fits, stated delta, then |Q| = 500 and 1000: PateM, PateG
    "Amazon": (4e-4, 1e-4, ((27.82, 87.82, 223.08, 233.46, 220.57), (27.82, 87.82, 327.82, 800.97, 1000.97)),
               ((47.82, 167.82, 434.69, 449.36, 424.78), (47.82, 167.82, 647.82, 1600.97, 1967.58))),
    "Amazon2M": (1e-6, 1e-5, ((33.82, 93.82, 294.89, 379.92, 416.65),
                              (33.82, 93.82, 333.82, 801.73, 1000.73)),
                 ((53.82, 173.82, 573.80, 751.09, 850.63), (53.82, 173.82, 653.82, 1601.73, 2001.73))),
    "Reddit": (8e-5, 1e-4, ((29.43, 83.73, 243.45, 392.23, 415.35), (29.43, 89.43, 329.43, 801.17, 1001.17)),
               ((49.43, 157.90, 496.61, 775.95, 808.43), (49.43, 169.43, 649.43, 1601.17, 2001.17))),
    "Facebook": (3e-5, 1e-4, ((30.41, 90.41, 293.44, 151.02, 136.41),
                              (30.41, 90.41, 330.41, 801.30, 1000.30)),
                 ((50.41, 170.41, 579.15, 306.12, 282.63), (50.41, 170.41, 650.41, 1601.30, 2001.30))),
}
# a 2 lambda-DP query composed exactly at the stated delta: (delta, |Q|)
COINS = {(1e-4, 500): (25.68, 70.89, 211.08, 624.57, 861.70), (1e-4, 1000): (42.44, 123.82, 388.62, 1196.76, 1667.66),
         (1e-5, 500): (28.08, 75.54, 219.76, 637.67, 875.28), (1e-5, 1000): (45.87, 130.39, 401.07, 1215.90, 1687.66)}
# data-dependent cells at the end of each PateM row
BELOW_M = {"Amazon": 3, "Amazon2M": 3, "Reddit": 4, "Facebook": 3}
BELOW_G = {("Amazon", 1000), ("Amazon2M", 500), ("Facebook", 500)}  # PateG at lambda 1


@pytest.mark.bears("repair", "privgnn-pate-amazon", "privgnn-pate-amazon2m", "privgnn-pate-reddit",
                    "privgnn-pate-facebook")
@pytest.mark.parametrize("graph", PATE)
def test_pate_rows_follow_from_another_delta(graph, record_property):
    """Table 2 and section 5.1, PATE: the data-independent moments at
    the delta that fits; all other cells lie below.
    """
    fits, stated, *pairs = PATE[graph]
    for queries, (mlp, gnn) in zip((500, 1000), pairs, strict=True):
        bound = [pate(lam, queries, fits) for lam in LAMBDAS]
        kept = 5 - BELOW_M[graph]
        assert mlp[:kept] == pytest.approx(bound[:kept], abs=0.01)
        assert all(printed < value - 1 for printed, value in zip(mlp[kept:], bound[kept:], strict=True))
        assert gnn[:4] == pytest.approx(bound[:4], abs=0.01)
        assert (gnn[4] < bound[4] - 0.9) == ((graph, queries) in BELOW_G)
        assert abs(pate(0.1, queries, stated) - gnn[0]) > 0.1
        exact = [exact_epsilon(pure_pair(2 * lam), queries, stated) for lam in LAMBDAS]
        assert exact == pytest.approx(COINS[stated, queries], abs=5e-3)
        if graph != "Amazon" and queries == 500:  # "1.00 below the formula"
            assert bound[4] - gnn[4] == pytest.approx(1.00 if graph != "Reddit" else 0, abs=0.01)
        assert all(value < pate(lam, queries, stated) for lam, value in zip(LAMBDAS, exact, strict=True))
        shown = " ".join(f"{value:.2f}" for value in exact)
        record_property("witness", f"{graph}, |Q| {queries}: delta {fits:g} fits, stated {stated:g}; 2 "
                                   "lambda-DP composed "
                                   f"exactly at the stated one {shown}")


@pytest.mark.bears("repair", "privgnn-pate-similar-budgets")
def test_budgets_of_pate_are_similar_at_small_lambda_only(record_property):
    """Section 5.1: "similar on all datasets except for Reddit". Quotients of PateG and PateM in Table 2."""
    quotient = {(graph, queries, lam): g / m for graph, (_, _, *pairs) in PATE.items()
                for queries, (mlp, gnn) in zip((500, 1000), pairs, strict=True)
                for lam, m, g in zip(LAMBDAS, mlp, gnn, strict=True)}
    assert {graph for graph, _, lam in quotient if quotient[graph, _, lam] > 1 and lam < 0.4} == {"Reddit"}
    assert all(value > 1.1 for (_, _, lam), value in quotient.items() if lam >= 0.4)
    ends = [quotient[where] for where in quotient if where[2] == 1.0]
    assert (min(ends), max(ends)) == pytest.approx((2.35, 7.33), abs=0.01)
    record_property("witness", f"lambda 1: PateG's budget is {min(ends):.1f} to {max(ends):.1f} times PateM's")


@pytest.mark.bears("repair", "privgnn-pate-guarantee")
def test_pate_label_costs_two_lambda():
    """Sections 1, 5, G: one node changes one teacher's vote; all votes of 6
    teachers for 3 classes, Lap(1/lambda) on counts.
    """
    lam, teachers = 0.4, 6

    def one_moves(votes):
        for source, target in product(range(3), repeat=2):
            if votes[source] and source != target:
                yield tuple(v - (k == source) + (k == target) for k, v in enumerate(votes))
    everything = [v for v in product(range(teachers + 1), repeat=3) if sum(v) == teachers]
    found = worst_case(NoisyVotes(1 / lam), everything, one_moves).epsilon
    assert 1.5 * lam < found <= 2 * lam
    # with many votes between two classes the bound is reached: gaps g and g - 2, tails e^-g (2 + g) / 4 in
    # units of 1/lambda
    def tail(gap):
        return math.exp(-lam * gap) * (2 + lam * gap) / 4
    assert math.log(tail(9_998 / 10) / tail(10_018 / 10)) == pytest.approx(2 * lam, abs=0.01)


def equal_parts(people, parts):
    """All ways to cut them, shuffled, into parts of equal size; where there is one too many, one part has two."""
    assert parts <= len(people) <= parts + 1
    if len(people) == parts:
        return [[(person,) for person in people]]
    return [[two, *((person,) for person in people if person not in two)] for two in combinations(people, 2)]


def parts_by_dice(people, parts):
    """Each person's part by a die of her own; all ways that dice fall."""
    return [[tuple(person for person, side in zip(people, rolled, strict=True) if side == part)
             for part in range(parts)]
            for rolled in product(range(parts), repeat=len(people))]


def chances_of_labels(cuts, teacher, lam):
    """The noisy winner of the teachers' votes for two classes, all cuts alike; an empty part abstains."""
    votes = Counter(tuple(sum(teacher(part) == label for part in cut if part) for label in range(2)) for cut in cuts)
    tables = [(times / len(cuts), NoisyVotes(1 / lam).distribution(tuple(map(float, count))))
              for count, times in votes.items()]
    return {label: sum(share * table[label] for share, table in tables) for label in range(2)}


TEACHERS = {"alone": lambda part: int(part == ("new",) or len(part) > 1),  # 0 for one of the old people alone
            "parity": lambda part: int(sum(person != "new" for person in part) % 2 == 0)}


def loss_of_joining(cut, parts, old, teacher, lam=1.0):
    """Between so many people in so many parts, and one more."""
    people = tuple(range(old))
    tables = {here: chances_of_labels(cut(here, parts), TEACHERS[teacher], lam) for here in (people, (*people, "new"))}
    return worst_case(Tabled(tables), list(tables)).epsilon


@pytest.mark.bears("repair", "privgnn-pate-guarantee")
@pytest.mark.parametrize("teacher, loss", [("alone", 3.53), ("parity", 3.50)])
def test_equal_parts_lose_more_than_two_lambda(teacher, loss, record_property):
    """Appendix G, "partitioned into n disjoint subsets". 12 equal parts of a secret shuffle, 12 people,
    a thirteenth joins: somebody must move over, so two votes may. At most 4 lambda: but for one person the parts can be
    drawn alike. By dice: 2 lambda."""
    found = loss_of_joining(equal_parts, 12, 13 - 1, teacher)
    assert found == pytest.approx(loss, abs=5e-3) and 2 < found <= 4
    assert all(loss_of_joining(parts_by_dice, parts, old, teacher) <= 2
               for parts, old in ((2, 2), (2, 6), (3, 4), (4, 4)))
    record_property(
        "witness", f"12 parts, 12 people, lambda 1, a thirteenth joins, teachers {teacher!r}: {found:.2f} > 2")


@pytest.mark.bears("repair", "privgnn-lower-cost-than-pate")
def test_one_accountant_for_pate_and_privgnn(record_property):
    """Sections 5.1, 5.3: lower cost than PATE, mainly by sampling. Both
    with exact composition, delta 1e-4, |Q| 1000.
    """
    for lam, values, sampling, rest, votes in ((0.1, (42.44, 16.05, 3.57, 1.64), 4.5, 2.6, (25.27, 16.17)),
                                               (1.0, (1667.66, 563.50, 80.43, 43.81), 7.0, 3.0, (868.50, 594.59))):
        pate_pays = exact_epsilon(pure_pair(2 * lam), 1000, 1e-4)
        all_data, sampled = (exact_epsilon(pure_pair(lam).poisson(rate), 1000, 1e-4) for rate in (1.0, 0.3))
        own = exact(10, 0.3, 1000, 1e-4, lam)
        assert (pate_pays, all_data, sampled, own) == pytest.approx(values, abs=0.006)
        assert all_data / sampled == pytest.approx(sampling, abs=0.06)
        assert pate_pays / all_data == pytest.approx(rest, abs=0.06)
        counted = [Budget(NoisyVotes(1 / lam, noise).steps(1000)).epsilon(1e-4).pessimistic
                   for noise in ("laplace", "gumbel")]
        assert counted == pytest.approx(votes, abs=0.01)
        record_property("witness", f"lambda {lam}: 2 lambda-DP on all data {pate_pays:.2f}, lambda-DP "
                                   f"{all_data:.2f}, "
                                   f"on samples {sampled:.2f}; PrivGNN, 10 classes, exact {own:.2f}")


def pate_for_votes(votes, lam, queries, delta):
    """Data-dependent moments of PATE (Papernot et al. 2017, Theorem 3 and Lemma 4), where they apply."""
    ranked = sorted(votes, reverse=True)
    wrong = sum((2 + lam * (ranked[0] - v)) / (4 * math.exp(lam * (ranked[0] - v))) for v in ranked[1:])
    moments = {k: min(2 * lam**2 * k * (k + 1), 2 * lam * k) for k in range(1, 9)}
    if wrong < math.expm1(2 * lam) / math.expm1(4 * lam):
        for k in moments:
            right = (1 - wrong) * ((1 - wrong) / (1 - math.exp(2 * lam) * wrong))**k
            dependent = right + wrong * math.exp(2 * lam * k)
            moments[k] = min(moments[k], math.log(dependent))
    return min((queries * moment + math.log(1 / delta)) / k for k, moment in moments.items())


@pytest.mark.bears("repair", "privgnn-teacher-agreement")
def test_a_data_dependent_budget_shows_the_votes(record_property):
    """Sections 5.1, D.1: PATE's budget falls when teachers agree. That
    budget is itself a function of private votes.
    """
    agreed, moved = (20, 0), (19, 1)  # n = 20 teachers (Appendix G); one node moves one vote
    reported = {votes: round(pate_for_votes(votes, 1.0, 1000, 1e-4), 2) for votes in (agreed, moved)}
    assert (reported[agreed], reported[moved]) == (1.84, 2.18) and reported[moved] < pate(1.0, 1000, 1e-4)
    # less noise, smaller value
    assert pate_for_votes(agreed, 1.0, 1000, 1e-4) < pate_for_votes(agreed, 0.4, 1000, 1e-4)
    published = Tabled({votes: {value: 1.0} for votes, value in reported.items()})
    assert math.isinf(worst_case(published, reported).epsilon)
    record_property("witness", f"lambda 1, |Q| 1000: votes 20:0 report {reported[agreed]}, 19:1 report "
                               f"{reported[moved]}")


# Monotone in what, and percentages.

@pytest.mark.bears("for", "privgnn-lambda-controls-privacy", "privgnn-smaller-gamma", "privgnn-fewer-queries")
def test_budgets_grow_with_lambda_gamma_and_queries():
    """Sections 5.1, 5.4, D.6, I: smaller lambda, gamma and |Q| mean
    a smaller epsilon; exact values on grids.
    """
    for num_classes in (2, 3, 10, 47):
        single = [noisy_label(num_classes, lam).epsilon for lam in np.linspace(0.05, 3, 40).tolist()]
        assert all(a < b for a, b in pairwise(single))
    assert all(a < b for a, b in pairwise([exact(10, 0.3, 200, 1e-4, lam) for lam in LAMBDAS]))
    assert all(a < b for a, b in pairwise([exact(10, rate, 200, 1e-4, 0.4)
                                           for rate in (0.05, 0.1, 0.3, 0.6, 1.0)]))
    assert all(a < b for a, b in pairwise([exact(10, 0.3, n, 1e-4, 0.4)
                                           for n in (10, 100, 200, 300, 500, 1000)]))


@pytest.mark.bears("for", "privgnn-lambda-controls-privacy")
def test_smaller_lambda_is_a_special_case_of_larger():
    """The proof of the lambda part: posteriors at .2 are posteriors mixed
    with the uniform one at .5, with the same labels.
    """
    for s in ((1.0, 0.0, 0.0), (0.2, 0.5, 0.3)):
        mixed = tuple(0.4 * v + 0.6 / 3 for v in s)  # .2 / .5 = .4
        low, high = noisy_label(3, 0.2).distribution(s), noisy_label(3, 0.5).distribution(mixed)
        assert [low[o] for o in range(3)] == pytest.approx([high[o] for o in range(3)], abs=1e-9)


def fewer_queries_save(row_500, row_1000):
    return [1 - few / many for few, many in zip(row_500, row_1000, strict=True)]


@pytest.mark.bears("for", "privgnn-46-percent")
@pytest.mark.bears("against", "privgnn-45-percent-amazon2m", "privgnn-50-40-percent")
def test_percentages_against_table_2(record_property):
    """Section 5.3: up to 46% and 45%, then 50% and 40% for 500
    queries instead of 1000. Table 2's own numbers.
    """
    amazon = fewer_queries_save(ROW_500, ROW_3)
    amazon2m = fewer_queries_save((0.97, 1.96, 4.03, 8.73, 11.17), (1.39, 2.83, 5.94, 12.98, 17.73))
    assert (min(amazon), max(amazon)) == pytest.approx((0.315, 0.457), abs=5e-4)
    assert (min(amazon2m), max(amazon2m)) == pytest.approx((0.302, 0.370), abs=5e-4)
    assert 0.45 < max(amazon) < 0.46 < 0.5 and max(amazon2m) < 0.40 < 0.45  # all that section 5.3 says
    held = [1 - exact(10, 0.3, 500, 1e-4, lam) / exact(10, 0.3, 1000, 1e-4, lam) for lam in LAMBDAS]
    assert (min(held), max(held)) == pytest.approx((0.32, 0.39), abs=5e-3)
    assert 1 - 5.96 / 8.53 == pytest.approx(0.301, abs=5e-4)  # Facebook, with its slip for 5.69
    record_property("witness", f"saved: gamma .3 {min(amazon):.1%} to {max(amazon):.1%}, Amazon2M "
                               f"{min(amazon2m):.1%} to "
                               f"{max(amazon2m):.1%}; exact, 10 classes {min(held):.1%} to {max(held):.1%}")


@pytest.mark.bears("against", "privgnn-over-20-times")
def test_over_twenty_times_against_table_2(record_property):
    """Section 5.3: over 20 times lower than both PATE variants on all data sets. Quotients of Table 2."""
    quotients = {}
    for graph, (_, _, *pairs) in PATE.items():
        rows = [row for row in PRINTED[graph][2] if row[0] == "Table 2"]
        for (_, _, queries, own), both in zip(rows, pairs, strict=True):
            for row in both:
                quotients |= {(graph, queries, lam, row is both[0]): p / o for lam, p,
                              o in zip(LAMBDAS, row, own, strict=True)}
    least = min(quotients, key=quotients.get)
    assert least[:3] == ("Facebook", 500, 1.0) and quotients[least] == pytest.approx(3.10, abs=0.005)
    share = sum(q > 20 for q in quotients.values()) / len(quotients)
    assert len(quotients) == 80 and share == 42 / 80
    record_property("witness", f"Facebook, 500 queries, lambda 1: 136.41 / 44.07 = {quotients[least]:.2f}; "
                               "over 20 in "
                               f"{share:.0%} of the cells")


@pytest.mark.bears("against", "privgnn-315-percent")
def test_315_percent_against_table_3(record_property):
    """Section 5.4: gamma .1 cuts the budget by 315% on Reddit. Table 3: 19.81 to 5.20 at lambda .4."""
    before, after = ROW_3, (1.20, 2.47, 5.20, 11.82, 15.44)
    cuts = [1 - b / a for a, b in zip(before, after, strict=True)]
    assert max(cuts) < 1 < 3.15 and cuts[2] == pytest.approx(0.7375, abs=5e-4) and round(cuts[2], 2) == 0.74
    assert before[2] / after[2] == pytest.approx(3.81, abs=0.005)
    held = exact(41, 0.1, 1000, 1e-4, 0.4) / exact(41, 0.3, 1000, 1e-4, 0.4)
    assert held == pytest.approx(0.283, abs=0.002) and round(1 - held, 2) == 0.72
    record_property("witness", f"lambda .4: {cuts[2]:.1%} less, a quotient of {before[2] / after[2]:.2f}; "
                               f"exact values {1 - held:.1%}")


# B4, guessing, and other trust models.

B4_PRINTED = (100, 200, 300, 400, 500)


@pytest.mark.bears("against", "privgnn-b4-useless", "privgnn-b4-independent-of-lambda")
def test_label_noise_composes_in_parallel(record_property):
    """D.5, Table 9, B4: noise on the true labels of 1000 queries costs
    100..500. A label costs 2 lambda, as each has its own.
    """
    losses = []
    for lam, printed in zip(LAMBDAS, B4_PRINTED, strict=True):
        outcomes = np.array(list(product(np.linspace(-1, 2, 7), repeat=3)))
        first, second = (laplace.logpdf(outcomes, one_hot(3, y), 1 / lam) for y in (0, 1))
        loss = (first - second).sum(1)
        assert loss.max() == pytest.approx(2 * lam)
        losses.append(float(loss.max()))
        people = Independent((RandomisedResponse(2 * lam, 3),) * 4)  # what dominates one label's vector
        found = worst_case(people, [(0, 1, 2, 0)], one_person(range(3))).epsilon
        assert found == pytest.approx(2 * lam) and found < printed / 100
    assert losses == pytest.approx([0.2, 0.4, 0.8, 1.6, 2]) and 1000 * np.array(LAMBDAS[2:]) == pytest.approx(
        [400, 800, 1000])
    assert [1000 * lam == printed for lam, printed in zip(LAMBDAS, B4_PRINTED, strict=True)] == [True, True, False,
                                                                                                 False,
                                                                                    False]
    # Table 9, Amazon, B4, whose caption says that it does not change with lambda
    accuracy = (0.42, 0.65, 0.82, 0.84, 0.85)
    assert len(set(accuracy)) == len(set(B4_PRINTED)) == 5
    shown, claimed = (" ".join(f"{value:g}" for value in row) for row in (np.round(losses, 6), B4_PRINTED))
    record_property("witness", f"lambda .1 .2 .4 .8 1: {shown} a label, printed {claimed}; accuracies {accuracy}")


@pytest.mark.bears("repair", "privgnn-dp-individual-probability")
@pytest.mark.parametrize("epsilon, guess, odds", [(2.83, 0.944, 17), (8.53, 0.9998, 5064), (19.81, 1.0, 4.0e8)])
def test_epsilon_bounds_odds_and_is_attained(epsilon, guess, odds, record_property):
    """Sections 1, D.3.1: privacy "with a specific probability", "without
    endangering". A fair prior can become this guess.
    """
    truth = RandomisedResponse(epsilon, 2)
    joint = {(x, o): p / 2 for x in range(2) for o, p in truth.distribution(x).items()}
    right = sum(max(joint[0, o], joint[1, o]) for o in range(2))
    assert right == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)))
    assert right == pytest.approx(guess, abs=5e-4 if epsilon < 3 else 5e-5)
    assert right / (1 - right) == pytest.approx(odds, rel=0.01, abs=0)
    record_property("witness", f"eps {epsilon}: a fair prior becomes {right:.10f}, odds up to "
                               f"{math.exp(epsilon):.3g}")


@pytest.mark.bears("repair", "privgnn-ldp-weaker")
def test_local_implies_central_and_not_the_reverse(record_property):
    """E.2: local DP is not as strong as PrivGNN's guarantee. Three people with a bit, all reports seen."""
    epsilon, everybody = 0.8, list(product((0, 1), repeat=3))
    reports = Independent((RandomisedResponse(epsilon, 2),) * 3)
    assert worst_case(reports, everybody, one_person((0, 1))).epsilon == pytest.approx(epsilon)
    label = noisy_label(2, epsilon, "gumbel")

    class Curator:
        def distribution(self, bits):
            return label.distribution((1 - sum(bits) / 3, sum(bits) / 3))
    assert worst_case(Curator(), everybody, one_person((0, 1))).epsilon <= epsilon
    # what the curator receives
    assert math.isinf(worst_case(RandomisedResponse(math.inf, 2), (0, 1)).epsilon)
    assert all(GaussianPair(1.0).delta(e) > 0 for e in (1.0, 5.0)) and math.isinf(GaussianPair(1.0).epsilon)
    record_property("witness", f"local {epsilon} gives central {epsilon}; a central {epsilon} gives local "
                               "inf")


@pytest.mark.bears("repair", "privgnn-abstract-rigorous")
def test_the_sound_twin():
    """Abstract, 3.1.2, 6: Gumbel noise, fresh Poisson samples, exact
    composition: one query enumerated, then 1000.
    """
    for lam in LAMBDAS:
        label = noisy_label(3, lam, "gumbel")
        grid = [tuple(k / 4 for k in v) for v in product(range(5), repeat=3) if sum(v) == 4]
        assert worst_case(label, grid).epsilon == pytest.approx(lam)
    assert [round(exact_epsilon(pure_pair(lam).poisson(0.3), 1000, 1e-4), 2) for lam in LAMBDAS] == [
        3.57, 8.32, 20.71, 56.77, 80.43]


@pytest.mark.bears("measured", "privgnn-practice-better-than-ablations")
@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
def test_fewer_neighbours_do_not_lower_the_worst_case(noise):
    """Section 5.5: fewer private nodes are used, so practice is better.
    The nearest node is used whenever it is drawn.
    """
    label = noisy_label(2, 0.8, noise)
    losses = [worst_case(Query(0.3, k, label), [NODES], drop_a_node).epsilon for k in (1, 2, 4)]
    assert losses[0] == pytest.approx(amplified(label.epsilon, 0.3)) and losses[0] >= max(losses)
