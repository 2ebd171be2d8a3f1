"""Chapter 13: the predicted gain is that of the sums it is derived for, and the graphs that test it are as said."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from privbook.papers.private_features import drawn_graphs, placed_graphs
from privbook.papers.private_features.judged_gains import Judged, balanced, judged
from privbook.papers.private_features.predicted_gain import (
    MORE_STEPS,
    REACHED,
    Case,
    accuracy,
    gain,
    predicted,
    separation,
    walk,
)
from privbook.papers.results import Results
from privgraph.cli.advise import ENOUGH, of_features
from privgraph.datasets import blocks, split
from privgraph.graph import adjacency
from privgraph.mechanisms import MultiBit
from privgraph.nn import interval
from privgraph.randomness import seeded

CASES = [Case(3000, 2, 12.0, 0.7, 20, 0.18, 3.0, 0.1, 0), Case(3000, 4, 12.0, 0.5, 20, 0.18, 3.0, 0.1, 1),
         Case(3000, 3, 8.0, 0.2, 50, 0.18, 6.0, 0.3, 1), Case(2000, 2, 6.0, 0.8, 50, 0.05, 1.0, 0.4, 1)]
SEEDS = 8


def by_sums(case: Case, own: bool, seed: int) -> float:
    """Accuracy of the class whose labelled nodes' mean is closest in direction, of averaged reports; no network."""
    coins, classes = seeded(seed), int(case.classes)
    data = blocks(coins, case.nodes, classes, case.degree, case.homophily, case.features, math.sqrt(2 * case.distance))
    x = data.x if own else data.x[torch.randperm(case.nodes, generator=coins)]
    mechanism = MultiBit(case.epsilon, case.features)
    rows, matrix = mechanism.estimate(mechanism.report(x, generator=coins)), adjacency(data.edge_index, case.nodes,
                                                                                      "mean")
    for _ in range(case.steps + 1):
        rows = matrix @ rows
    rows, data = rows - rows.mean(0), split(data, coins, train=case.labelled, val=0.01)
    means = torch.stack([rows[data.train_mask & (data.y == label)].mean(0) for label in range(classes)])
    return 100 * float(((rows @ means.t()).argmax(1) == data.y)[data.test_mask].double().mean())


@pytest.mark.parametrize("case", CASES, ids=["one hop", "four classes", "unlike nodes link", "addresses"])
@pytest.mark.parametrize("own", [True, False], ids=["own", "others"])
def test_the_derivation_is_right_for_sums(case, own):
    """Within four standard errors of eight graphs and a point; without addresses in the means, "addresses" is 7 off."""
    found = np.array([by_sums(case, own, seed) for seed in range(SEEDS)])
    said = accuracy(separation(case, case.information if own else 0.0, case.steps + 1), case.classes)
    assert abs(found.mean() - said) < 1 + 4 * found.std(ddof=1) / math.sqrt(SEEDS)


@pytest.mark.parametrize("degree", [2, 3, 5])
def test_a_walk_is_one_on_a_tree(degree):
    """All walks of four steps, by hand: each step back undoes the one before it."""
    steps, counts = 4, np.zeros(5)
    for moves in itertools.product(range(degree), repeat=steps):
        distance = 0
        for move in moves:  # at a node, move 0 leads back
            distance += 1 if distance == 0 or move else -1
        counts[distance] += 1
    chances, many = walk(steps, degree)
    assert chances == pytest.approx(counts / degree**steps, abs=1e-12)
    assert many.tolist() == [1, *(degree * (degree - 1) ** r for r in range(steps))]


def test_accuracies_are_between_chance_and_certainty():
    assert accuracy(0.0, 4) == pytest.approx(25, abs=1e-6) and accuracy(50.0, 4) == pytest.approx(100, abs=1e-6)
    draws = np.random.default_rng(0).standard_normal((200_000, 3))
    draws[:, 0] += math.sqrt(2) * 0.8
    assert accuracy(0.8, 3) == pytest.approx(100 * (draws.argmax(1) == 0).mean(), abs=0.5)


def test_features_that_say_nothing_gain_nothing():
    for case in CASES:
        own, others = predicted(replace(case, distance=0.0))
        assert own == others > 100 / case.classes - 1e-6
        assert gain(replace(case, distance=0.3)) > 0


def test_more_budget_and_clearer_features_gain_more():
    case = CASES[1]
    assert sorted(gains := [gain(replace(case, epsilon=e)) for e in (0.5, 1.0, 2.0, 4.0)]) == gains
    assert sorted(gains := [gain(replace(case, distance=d)) for d in (0.02, 0.08, 0.2, 0.4)]) == gains
    assert case.reports == pytest.approx(3000 * 4 * 0.18 * math.tanh(1.5) ** 2 / 8)


def test_the_second_batch_is_half_on_each_side_and_of_other_graphs():
    batches = drawn_graphs.batches()
    sides = [gain(drawn_graphs.case_of(graph)) > drawn_graphs.HELPS for graph in batches["second"]]
    assert sum(sides) == len(sides) - sum(sides) == drawn_graphs.NEW
    assert not {tuple(graph.items()) for graph in batches["first"]} & {tuple(g.items()) for g in batches["second"]}


@pytest.mark.parametrize("contrast", [0.0, 0.4])
def test_the_distance_of_classes_is_that_of_their_chances(contrast):
    """Whatever classes' sizes, and free of the noise of their means: a hundred graphs of forty nodes, in the mean."""
    found = [placed_graphs.sizes(blocks(seeded(seed), 40, 2, 4.0, features=50, contrast=contrast))["distance"]
             for seed in range(100)]
    assert np.mean(found) == pytest.approx(contrast**2 / 2, abs=0.02)


def test_sizes_are_counted():
    data = blocks(seeded(0), 5000, 4, 10.0, 0.6, 8, 0.6)
    found = placed_graphs.sizes(data)
    assert found["classes"] == pytest.approx(4, abs=1e-3) and found["homophily"] == pytest.approx(0.6, abs=0.02)
    assert placed_graphs.case_of(found, 3.0, 0.5, 1).correlation == pytest.approx((0.6 * 4 - 1) / 3, abs=0.02)
    data.feature_range = (-1.0, 3.0)
    assert placed_graphs.sizes(data)["distance"] == pytest.approx(found["distance"] / 16)
    data.y = torch.where(torch.rand(5000, generator=seeded(1)) < 0.3, -1, data.y)
    assert placed_graphs.sizes(data)["homophily"] == pytest.approx(0.6, abs=0.03)


def test_who_gets_whose_features():
    clear = drawn_graphs.CONTROL | {"nodes": 400, "contrast": 1.0, "epsilon": 50.0, "labelled": 0.3}
    found = drawn_graphs.drawn_run(drawn_graphs.EXPERIMENT.setting(batch="control", **clear), 0, None)
    assert found["real"] > 85 > 50 > found["permuted"]


def test_graphs_near_the_border_are_on_neither_side():
    def graph(said: float, measured: float) -> Judged:
        one = interval([measured])
        return Judged(CASES[0], (50 + said, 50.0), one, one, one)

    found = balanced([graph(5, 9), graph(5, 4), graph(0, 7), graph(0, 3.1), graph(0, 0.5), graph(9, -3), graph(0, 2.9)])
    assert found.shares == (0.5, 0.5) and (found.helped, found.not_helped, found.unclear) == (4, 2, 1)
    assert found.accuracy == 0.5 and 0 <= found.low < 0.5 < found.high <= 1
    with pytest.raises(ValueError, match="on both sides of 2 points, got gains from 9.0 to 9.0"):
        balanced([graph(5, 9)])


def test_the_two_constants_are_those_that_fit_the_first_batch_best():
    """Of sixteen pairs, by the mean error of the gain."""
    found = judged(Results(drawn_graphs.EXPERIMENT), "first")
    apart = {steps: [[separation(each.case, information, each.case.steps + steps)
                      for information in (each.case.information, 0.0)] for each in found] for steps in range(4)}

    def error(steps, reached):
        return np.mean([abs(accuracy(reached * max(own, others), each.case.classes)
                            - accuracy(reached * others, each.case.classes) - each.gained.mean)
                        for each, (own, others) in zip(found, apart[steps], strict=True)])

    errors = {(steps, reached): error(steps, reached) for steps in apart for reached in (0.6, 0.8, 1.0, 1.2)}
    assert len(found) == drawn_graphs.FITTED and min(errors, key=errors.get) == (MORE_STEPS, REACHED)


def test_advise_has_the_same_border_and_it_was_kept():
    case = replace(CASES[1], epsilon=2.0)
    told = of_features(2.0, case.nodes, int(case.classes), case.features, math.sqrt(case.distance))
    assert f"reveal {case.reports:.3g} about" in told
    low = [each for each in judged(Results(drawn_graphs.EXPERIMENT), "second")
           if each.case.reports < ENOUGH * each.case.features]
    assert len(low) == 32 and max(each.gained.mean for each in low) < 3


def test_the_ledger_has_the_batches():
    runs = Results(drawn_graphs.EXPERIMENT)
    for batch, seeds in (("first", 2), ("second", 5)):
        for graph in drawn_graphs.batches()[batch]:
            assert len(runs.values("real", batch=batch, **graph)) >= seeds
