"""Tasks: classes are drawn anew and renamed, support and query share no graph, and what cannot be drawn is refused."""

from collections import Counter
from dataclasses import replace

import pytest
import torch

from privgraph.datasets import GraphSet, Sampler, Task
from privgraph.graph_batch import GraphBatch
from privgraph.randomness import seeded

EACH = 9  # graphs of a class


def numbered(classes: int = 5) -> GraphSet:
    """Graphs of one node, whose feature is the graph's number."""
    count = classes * EACH
    graphs = GraphBatch(torch.arange(count).float()[:, None], torch.zeros(2, 0).long(), torch.ones(count).long())
    return GraphSet("numbered", graphs, torch.arange(count) % classes, tuple(range(classes - 1)), (classes - 1,))


SAMPLER = Sampler(numbered(), numbered().train_classes, 3, 2, 4)


def test_a_task_has_shots_and_queries_of_each_class_and_no_graph_twice():
    for seed in range(20):
        task = SAMPLER(seeded(seed))
        support, query = task.support.x.squeeze(1).long(), task.query.x.squeeze(1).long()
        assert len({*support.tolist(), *query.tolist()}) == 3 * (2 + 4)
        assert Counter(task.support_y.tolist()) == {0: 2, 1: 2, 2: 2} and task.ways == 3
        assert Counter(task.query_y.tolist()) == {0: 4, 1: 4, 2: 4}
        for label in range(3):  # one true class behind each name, in both halves
            assert len({*(support[task.support_y == label] % 5).tolist(),
                        *(query[task.query_y == label] % 5).tolist()}) == 1


def test_all_classes_and_graphs_come_up_and_the_others_never():
    tasks = [SAMPLER(seeded(seed)) for seed in range(200)]
    first = Counter(int(task.support.x[0, 0]) % 5 for task in tasks)
    assert set(first) == {0, 1, 2, 3}
    # Each of four is first in a quarter of 200 tasks; 20 to 85 are left with probability below 1e-6.
    assert all(20 <= times <= 85 for times in first.values())
    seen = {int(x) for task in tasks for x in [*task.support.x[:, 0], *task.query.x[:, 0]]}
    assert seen == {i for i in range(45) if i % 5 != 4}


def test_the_same_coins_draw_the_same_task():
    a, b, c = SAMPLER(seeded(3)), SAMPLER(seeded(3)), SAMPLER(seeded(4))
    assert torch.equal(a.query.x, b.query.x) and not torch.equal(a.query.x, c.query.x)


@pytest.mark.parametrize("changes, words", [
    (dict(ways=5), "ways must be at most the 4 classes"),
    (dict(ways=1), "ways must"),
    (dict(shots=0), "shots must"),
    (dict(queries=0), "queries must"),
    (dict(shots=5, queries=5), r"shots \+ queries must be at most 9"),
    (dict(classes=(0, 1, 1)), "classes must be different"),
    (dict(classes=(0, 1, 9)), "at most 0"),
])
def test_what_cannot_be_drawn_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        replace(SAMPLER, **changes)


def test_a_set_without_order_is_refused():
    held = numbered()
    with pytest.raises(ValueError, match=r"got \[4\] in both"):
        replace(held, train_classes=(0, 4))
    with pytest.raises(ValueError, match="a class for each of 45"):
        replace(held, y=held.y[:3])
    with pytest.raises(TypeError, match="graphs must be a GraphBatch"):
        replace(held, graphs=3)
    with pytest.raises(TypeError, match="data must be a GraphSet"):
        replace(SAMPLER, data=held.graphs)
    with pytest.raises(TypeError, match="generator"):
        SAMPLER(3)


@pytest.mark.parametrize("changed, message", [
    ({"support_y": torch.tensor([0, 0, 1, 1, 1, 1])}, r"must have a graph of each of 3 classes, got none of \[2\]"),
    ({"support_y": torch.tensor([0, 0, 1, 1, 2, 3])}, "0..2"),
    ({"support_y": torch.tensor([0, 1, 2])}, r"support_y must be one class for each of 6 graphs, got \[3\]"),
    ({"query_y": torch.zeros(4, dtype=torch.long)}, r"query_y must be one class for each of 12 graphs, got \[4\]"),
    ({"ways": 1}, "ways must be a whole number, at least 2, got 1")])
def test_a_task_that_is_none_is_refused_before_any_method_sees_it(changed, message):
    """All methods take a ``Task``, so none of them has to look for a class without a graph."""
    with pytest.raises(ValueError, match=message):
        replace(SAMPLER(seeded(0)), **changed)


def test_classes_of_queries_may_be_unknown():
    task = SAMPLER(seeded(0))
    assert (replace(task, query_y=torch.full_like(task.query_y, -1)).query_y == -1).all()
    assert isinstance(task, Task)
