"""Contrast: eq. 5.5 by hand, as printed it trains to nothing, repaired it does not."""

import math
from dataclasses import replace

import pytest
import torch

from privgraph.datasets import Sampler, load_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.methods import SEGCL, PrototypicalNetwork, task_accuracies
from privgraph.methods.few_shot import contrastive_loss, masked
from privgraph.methods.few_shot.segcl import CONTRASTS
from privgraph.nn import GraphEncoder
from privgraph.randomness import seeded

LETTERS = load_graphs("letters")
TRAIN, TEST = (Sampler(LETTERS, classes, 4, 5, 10) for classes in (LETTERS.train_classes, LETTERS.test_classes))
METHOD = SEGCL(readout="sum", learning_rate=0.005)


def test_equation_5_5_by_hand():
    near, far = [0.5, 1.0], [[2.0, 0.0], [1.0, 3.0]]
    printed = repaired = 0.0
    for i in range(2):
        others = [math.exp(-d) for d in far[i]]
        printed -= math.log(math.exp(-near[i]) / sum(others)) / 2
        hot = [math.exp(-d / 0.5) for d in (near[i], *far[i])]
        repaired -= math.log(hot[0] / sum(hot)) / 2
    near, far = torch.tensor(near), torch.tensor(far)
    assert contrastive_loss(near, far).item() == pytest.approx(printed, abs=1e-6)
    assert contrastive_loss(near, far, 0.5).item() == pytest.approx(repaired, abs=1e-6)


def test_as_printed_there_is_no_least_loss_and_repaired_there_is():
    near, far = torch.zeros(3), torch.ones(3, 3)
    printed = [contrastive_loss(near, far * d).item() for d in (1, 10, 1000)]
    assert printed == sorted(printed, reverse=True) and printed[-1] < -900
    assert contrastive_loss(near, far * 1000, 0.5).item() >= 0


def test_a_view_masked_with_zeros_is_the_same_for_every_graph():
    network = GraphEncoder(2, readout="sum", generator=seeded(0))
    graphs = LETTERS.graphs.take(torch.arange(0, len(LETTERS.graphs), 50))
    assert network(masked(graphs, "zeros")).abs().max() == 0
    for mask in ("ones", "mean"):
        assert network(masked(graphs, mask)).std(0).max() > 0.01


def longest(solver) -> float:
    return float(solver.embed(LETTERS.graphs).norm(dim=1).max())


@pytest.mark.parametrize("seed", range(2))
def test_the_printed_loss_collapses_and_the_repaired_one_does_not(seed):
    """Contrast alone, 300 episodes: all vectors shorter than .01 and guessing (25%), against neither."""
    tasks = [TEST(seeded(i)) for i in range(50)]
    alone = replace(METHOD, meta=False)
    printed, repaired = (method.learn(TRAIN, seeded(seed))
                         for method in (replace(alone, contrast="printed", mask="zeros"), alone))
    assert longest(printed) < 0.01 < 1 < longest(repaired)
    assert task_accuracies(printed, tasks).mean() < 0.30 < 0.5 < task_accuracies(repaired, tasks).mean()


def test_the_whole_printed_loss_collapses_on_triangles():
    """With the loss of the classes too, where features are degrees; a network of zeros has no gradient left. (Weight
    decay would wake it now and then, so there is none here.)"""
    data = load_graphs("triangles")
    train, test = (Sampler(data, classes, 3, 5, 10) for classes in (data.train_classes, data.test_classes))
    still = SEGCL(learning_rate=0.005, weight_decay=0.0)
    printed, repaired = (method.learn(train, seeded(0)) for method in (
        replace(still, contrast="printed", mask="zeros"), still))
    assert printed.embed(data.graphs).abs().max() < 0.01 < 0.1 < repaired.embed(data.graphs).abs().max()
    tasks = [test(seeded(i)) for i in range(30)]
    assert task_accuracies(printed, tasks).mean() < 0.36 < 0.7 < task_accuracies(repaired, tasks).mean()


@pytest.mark.parametrize("contrast", CONTRASTS)
def test_it_is_the_mask_that_makes_the_contrast_collapse(contrast):
    """On graphs of triangles, by the whole loss: with zeros both losses end at zero, with means neither does."""
    data = load_graphs("triangles")
    train = Sampler(data, data.train_classes, 3, 5, 10)
    method = SEGCL(learning_rate=0.005, weight_decay=0.0, contrast=contrast)
    zeros, means = (replace(method, mask=mask).learn(train, seeded(0)).embed(data.graphs) for mask in ("zeros", "mean"))
    assert zeros.abs().max() == 0 < 0.1 < means.abs().max()


@pytest.mark.full
def test_weight_decay_may_wake_a_network_of_zeros():
    """Adam's decay moves biases until a number is positive again: of twelve runs as printed some end asleep, others
    awake, and without decay none is awake."""
    data = load_graphs("triangles")
    train = Sampler(data, data.train_classes, 3, 5, 10)
    printed = SEGCL(learning_rate=0.005, meta=False, contrast="printed", mask="zeros")

    def longest(method, seed):
        return float(method.learn(train, seeded(seed)).embed(data.graphs).norm(dim=1).max())
    runs = [(seed, replace(printed, episodes=episodes)) for seed in range(4) for episodes in (100, 200, 300)]
    ended = [longest(method, seed) for seed, method in runs]
    assert min(ended) == 0 and max(ended) > 0.1
    assert max(longest(replace(method, weight_decay=0.0), seed) for seed, method in runs[::3]) == 0


def test_without_contrast_it_is_the_prototypical_network():
    """With weight 0, and with the same seed, they see the same tasks and start from the same weights."""
    task = TEST(seeded(1))
    plain = PrototypicalNetwork(readout="sum", learning_rate=0.005, episodes=5).learn(TRAIN, seeded(0))
    assert torch.equal(replace(METHOD, beta=0.0, episodes=5).learn(TRAIN, seeded(0))(task), plain(task))
    assert not torch.equal(replace(METHOD, episodes=5).learn(TRAIN, seeded(0))(task), plain(task))


@pytest.mark.parametrize("change", [dict(eta=0.1), dict(momentum=0.0), dict(temperature=5.0), dict(meta=False),
                                    dict(positive="shuffled"), dict(contrast="printed"), dict(mask="zeros"),
                                    dict(mask="ones"), dict(distance="euclidean")])
def test_everything_that_is_said_counts(change):
    task, few = TEST(seeded(1)), replace(METHOD, episodes=4)
    assert not torch.equal(replace(few, **change).learn(TRAIN, seeded(0))(task), few.learn(TRAIN, seeded(0))(task))


def test_the_second_encoder_follows():
    """Algorithm 5, line 8: after one step it has a hundredth of the way behind it."""
    encoder = GraphEncoder(2, readout="sum", generator=seeded(0))
    trainer = METHOD.trainer(encoder, seeded(1))
    start = [p.clone() for p in encoder.parameters()]
    with torch.no_grad():
        for p in encoder.parameters():
            p += 1
    trainer.after_step()
    for old, slow in zip(start, trainer.follower.parameters(), strict=True):
        assert torch.allclose(slow, old + 0.01, atol=1e-6)


def test_views_are_of_the_query_and_change_nothing():
    task = TRAIN(seeded(0))
    before = GraphBatch.from_data_list(task.query).x.clone()
    trainer = METHOD.trainer(GraphEncoder(2, readout="sum", generator=seeded(0)), seeded(1))
    (positive, negative), = trainer.views([task])
    expected = trainer.follower(masked(GraphBatch.from_data_list(task.query)))
    assert torch.allclose(positive, expected) and negative.shape == positive.shape
    assert not positive.requires_grad and torch.equal(GraphBatch.from_data_list(task.query).x, before)
