"""Prototypes, and networks that are trained for them: slow beside fast, at once beside one after the other."""

import math
import time
from dataclasses import replace

import pytest
import torch

from privgraph.datasets import Sampler, load_graphs
from privgraph.methods import PrototypicalNetwork, prototypes, solve_all, task_accuracies
from privgraph.methods.few_shot import DISTANCES, PrototypeSolver
from privgraph.nn import GraphEncoder
from privgraph.randomness import seeded

LETTERS, TRIANGLES = load_graphs("letters"), load_graphs("triangles")
TRAIN, TEST = (Sampler(LETTERS, classes, 4, 5, 10) for classes in (LETTERS.train_classes, LETTERS.test_classes))
SUM = PrototypicalNetwork(readout="sum", learning_rate=0.005)


def test_prototypes_are_class_means():
    z, y = torch.randn(7, 3, generator=seeded(0)), torch.tensor([1, 0, 2, 1, 1, 0, 2])
    expected = torch.stack([z[y == c].mean(0) for c in range(3)])
    assert torch.allclose(prototypes(z, y, 3), expected)


def test_of_one_graph_the_prototype_is_its_vector():
    z, y = torch.randn(3, 4, generator=seeded(0)), torch.tensor([2, 0, 1])
    assert torch.equal(prototypes(z, y, 3)[y], z)


@pytest.mark.parametrize("distance", DISTANCES)
def test_a_task_graph_by_graph(distance):
    """The library names queries as a loop over graphs and classes does."""
    solver = PrototypeSolver(GraphEncoder(2, generator=seeded(0)), distance)
    task = TEST(seeded(1))
    z = [solver.embed([graph])[0] for graph in task.support]
    means = [sum(z[i] for i in range(len(z)) if task.support_y[i] == c) / 5 for c in range(4)]
    for graph, p in zip(task.query, solver(task), strict=True):
        vector = solver.embed([graph])[0]
        if distance == "wasserstein":
            far = [float((vector.sort().values - mean.sort().values).abs().mean()) for mean in means]
        else:
            far = [float((vector - mean).square().sum()) for mean in means]
        total = sum(math.exp(-d) for d in far)
        assert p.tolist() == pytest.approx([math.exp(-d) / total for d in far], abs=1e-5)


def test_many_tasks_at_once_are_one_after_the_other():
    solver = replace(SUM, episodes=3).learn(TRAIN, seeded(0))
    tasks = [TEST(seeded(i)) for i in range(4)]
    for at_once, task in zip(solve_all(solver, tasks), tasks, strict=True):
        assert torch.allclose(at_once, solver(task), atol=1e-6)
    alone = torch.stack([(solver(task).argmax(1) == task.query_y).float().mean() for task in tasks])
    assert torch.equal(task_accuracies(lambda task: solver(task), tasks), alone)


def test_what_is_published_names_the_queries():
    solver, task = replace(SUM, episodes=3).learn(TRAIN, seeded(0)), TEST(seeded(1))
    published = solver.publish(task)
    assert published.shape == (4, 16)
    assert torch.allclose(solver.compare(solver.embed(task.query), published), solver(task), atol=1e-6)


def test_training_teaches():
    """Three seeds: 100 tasks of classes never seen, trained against untrained, letters whose sum is read."""
    gains = []
    for seed in range(3):
        tasks = [TEST(seeded(100 * seed + i)) for i in range(100)]
        gains.append(task_accuracies(SUM.learn(TRAIN, seeded(seed)), tasks).mean()
                     - task_accuracies(replace(SUM, episodes=0).learn(TRAIN, seeded(seed)), tasks).mean())
    assert min(gains) > 0.02, gains


def test_the_first_step_by_hand():
    """Adam's first step moves each weight by the rate, against the sign of the gradient of eq. 5.4."""
    method = replace(SUM, episodes=1, weight_decay=0.0)
    before, after = (replace(method, episodes=e).learn(TRAIN, seeded(0)).encoder for e in (0, 1))
    moved = torch.cat([(b - a).flatten() for a, b in zip(before.parameters(), after.parameters(), strict=True)]).abs()
    assert moved.max().item() == pytest.approx(0.005, rel=1e-3, abs=0)


def test_the_same_seed_is_the_same_and_several_tasks_a_step_differ():
    task = TEST(seeded(0))
    few = replace(SUM, episodes=2)
    assert torch.equal(few.learn(TRAIN, seeded(3))(task), few.learn(TRAIN, seeded(3))(task))
    assert not torch.equal(few.learn(TRAIN, seeded(3))(task), replace(few, tasks=2).learn(TRAIN, seeded(3))(task))


def processor_time(function) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def test_at_once_is_at_least_eight_times_as_fast():
    """Twenty tasks of sixty letters: the encoder on all graphs against one graph at a time, best of three."""
    solver, tasks = replace(SUM, episodes=0).learn(TRAIN, seeded(0)), [TEST(seeded(i)) for i in range(20)]
    solver.all(tasks)
    at_once = min(processor_time(lambda: solver.all(tasks)) for _ in range(3))
    each = min(processor_time(lambda: [solver.embed([graph]) for task in tasks
                                       for part in (task.support, task.query) for graph in part]) for _ in range(2))
    assert each > 8 * at_once, (each, at_once)
