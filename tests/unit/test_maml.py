"""MAML: the steps by hand, both orders of gradients, and that it learns how to begin."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from privgraph.datasets import Sampler, load_graphs
from privgraph.datasets.episodes import Task
from privgraph.graph_batch import GraphBatch
from privgraph.methods import MAML, task_accuracies
from privgraph.methods.few_shot import numbers_of
from privgraph.methods.few_shot.maml import Classifier
from privgraph.nn import GraphEncoder
from privgraph.randomness import seeded

TRIANGLES = load_graphs("triangles")
TRAIN = Sampler(TRIANGLES, TRIANGLES.train_classes, 3, 5, 5)
METHOD = MAML(episodes=1, steps=1, inner_rate=0.1)
LETTERS = load_graphs("letters")
SPELL, READ = (Sampler(LETTERS, classes, 4, 5, 10) for classes in (LETTERS.train_classes, LETTERS.test_classes))
BY_SUM = MAML(readout="sum", learning_rate=0.005, episodes=50, tasks=4)


class Small(nn.Module):
    """One layer on what can be counted, in double precision, for slopes by differences."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.head = nn.Linear(8, 3).double()

    def forward(self, graphs, support=None):
        return self.head(numbers_of(graphs, "degrees").double()).sigmoid()


def task():
    return TRAIN(seeded(1))


def meta_loss(model, drawn, second_order: bool):
    return F.cross_entropy(METHOD.answer(model, drawn, second_order), drawn.query_y)


def test_one_step_by_hand():
    model, drawn = Small(), task()
    F.cross_entropy(model(drawn.support), drawn.support_y).backward()
    answer = METHOD.answer(model, drawn, False)
    with torch.no_grad():
        for weight in model.parameters():
            weight -= 0.1 * weight.grad
        assert torch.allclose(answer, model(drawn.query), atol=1e-9)


def slope(second_order: bool) -> torch.Tensor:
    model = Small()
    return torch.autograd.grad(meta_loss(model, task(), second_order), model.head.weight)[0]


def test_the_gradient_goes_through_the_steps():
    """Of second order it is the slope of the loss after adaptation, by differences; of first order it is not."""
    model, drawn, step = Small(), task(), 1e-5
    measured = torch.zeros(3, 8, dtype=torch.float64)
    with torch.no_grad():
        for i in range(3):
            for j in range(8):
                ends = []
                for sign in (1, -1):
                    model.head.weight[i, j] += sign * step
                    with torch.enable_grad():
                        ends.append(meta_loss(model, drawn, False).item())
                    model.head.weight[i, j] -= sign * step
                measured[i, j] = (ends[0] - ends[1]) / (2 * step)
    assert measured.abs().max() > 1e-3
    assert torch.allclose(slope(True), measured, atol=1e-6)
    assert not torch.allclose(slope(False), measured, atol=1e-3)


def test_a_task_with_other_ways_is_refused():
    solver = METHOD.learn(TRAIN, seeded(0))
    with pytest.raises(ValueError, match="task must have 3 ways, as those for training had, got 2"):
        solver(Sampler(TRIANGLES, TRIANGLES.test_classes, 2, 5, 5)(seeded(0)))


@pytest.fixture(scope="module")
def letters():
    return [READ(seeded(i)) for i in range(50)]


@pytest.mark.parametrize("second_order", [True, False])
def test_it_learns_how_to_begin(letters, second_order):
    """Fifty tasks of classes never seen, adapted to from trained weights and from those training started from; the
    same tasks for both. Measured over seeds 0 and 1: 5 and 8 points of first order, 8 and 14 of second."""
    method = replace(BY_SUM, second_order=second_order)
    trained, untrained = (task_accuracies(replace(method, episodes=e).learn(SPELL, seeded(0)), letters).mean()
                          for e in (50, 0))
    assert trained > untrained + 0.03, (trained, untrained)


def test_without_centring_adaptation_changes_next_to_nothing(letters):
    """From the same untrained encoder: guessing is 25%."""
    plain, centred = (task_accuracies(replace(BY_SUM, episodes=0, centred=c).learn(SPELL, seeded(0)), letters).mean()
                      for c in (False, True))
    assert plain < 0.3 < 0.45 < centred


def test_most_of_an_untrained_vector_is_common_to_all():
    for graphs, readout in ((LETTERS.graphs, "sum"), (TRIANGLES.graphs, "mean")):
        with torch.no_grad():
            z = GraphEncoder(graphs.num_features, readout=readout, generator=seeded(0))(graphs)
        assert z.mean(0).square().sum() > 0.85 * z.square().sum(1).mean()


def classifier() -> Classifier:
    model = Classifier(GraphEncoder(2, readout="sum", generator=seeded(0)), 16)
    nn.init.eye_(model.head.weight)
    return model


def test_vectors_are_centred_by_the_support():
    """With the identity for a last layer: mean 0 and mean variance 1 on the support; of others the same shift and
    scale, so that a query does not move with the graphs that it comes with."""
    model, drawn = classifier(), READ(seeded(0))
    with torch.no_grad():
        support, query = model(drawn.support), model(drawn.query, drawn.support)
        raw, known = model.encoder(drawn.query), model.encoder(drawn.support)
        alone = model(drawn.query.take(torch.tensor([3])), drawn.support)
    assert support.mean(0).abs().max() < 1e-5
    assert support.var(0, unbiased=False).mean().item() == pytest.approx(1, abs=1e-3)
    assert torch.allclose(query, (raw - known.mean(0)) / known.var(0, unbiased=False).mean().sqrt(), atol=1e-3)
    assert torch.allclose(alone[0], query[3], atol=1e-5)


def test_the_last_layer_starts_at_zero_and_nothing_is_drawn_from_outside():
    torch.manual_seed(5)
    state = torch.get_rng_state()
    p = replace(BY_SUM, episodes=0, steps=0).learn(SPELL, seeded(0))(READ(seeded(0)))
    assert torch.equal(p, torch.full_like(p, 0.25)) and torch.equal(torch.get_rng_state(), state)


def test_graphs_that_are_all_alike_and_single_nodes():
    """No spread at all, and no edge: every class is as likely as another."""
    lonely = GraphBatch(torch.ones(4, 1), torch.empty(2, 0, dtype=torch.long), torch.ones(4, dtype=torch.long))
    y = torch.tensor([0, 1, 0, 1])
    for second_order in (True, False):
        solver = MAML(episodes=1, second_order=second_order).learn(lambda generator: Task(lonely, y, lonely, y, 2),
                                                                 seeded(0))
        assert torch.allclose(solver(Task(lonely, y, lonely, y, 2)), torch.full((4, 2), 0.5))
