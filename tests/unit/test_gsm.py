"""GSM: spectra of whole sets of graphs against one at a time, and that a new last layer is fitted."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch_geometric.utils import to_dense_adj

from privgraph.datasets import Sampler, Task, load_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.methods import GSM, task_accuracies
from privgraph.methods.few_shot.gsm import POINTS, last_layer, spectral_quantiles
from privgraph.nn import GraphEncoder
from privgraph.randomness import seeded

LETTERS = load_graphs("letters")
TRAIN, TEST = (Sampler(LETTERS, c, 4, 10, 10) for c in (LETTERS.train_classes, LETTERS.test_classes))


def test_quantiles_are_those_of_each_graphs_eigenvalues():
    some = LETTERS.graphs.take(torch.arange(0, len(LETTERS.graphs), 150))
    for graph, found in zip(some, spectral_quantiles(some), strict=True):
        n = graph.num_nodes
        a = to_dense_adj(graph.edge_index, max_num_nodes=n)[0] if graph.num_edges else torch.zeros(n, n)
        root = torch.where(a.sum(1) > 0, a.sum(1), 1).rsqrt()
        laplacian = torch.diag((a.sum(1) > 0).float()) - root[:, None] * a * root
        values = torch.linalg.eigvalsh(laplacian)
        assert found.tolist() == pytest.approx(
            [values[int((i + 0.5) / POINTS * n)].item() for i in range(POINTS)], abs=1e-5)


def test_eigenvalues_lie_between_0_and_2():
    found = spectral_quantiles(LETTERS.graphs)
    assert found.min() > -1e-5 and found.max() < 2 + 1e-5
    alone = GraphBatch(torch.ones(4, 1), torch.empty(2, 0, dtype=torch.long), torch.tensor([1, 3]))
    assert spectral_quantiles(alone).abs().max() == 0


def test_a_last_layer_names_new_classes():
    tasks = [TEST(seeded(i)) for i in range(20)]
    assert task_accuracies(GSM(readout="sum", episodes=20).learn(TRAIN, seeded(0)), tasks).mean() > 0.5


def test_one_group_is_none():
    with pytest.raises(ValueError, match="super_classes must be a whole number, at least 2, got 1"):
        GSM(super_classes=1)


class ByFirst:
    """Groups by the first number: 0 below one half, else 1."""

    def predict(self, rows):
        return (rows[:, 0] >= 0.5).astype(int)


def test_the_loss_by_hand(monkeypatch):
    """Of two queries: the super-class of each one's class, and the nearer class mean."""
    monkeypatch.setattr("privgraph.methods.few_shot.gsm.class_spectra", lambda task: torch.tensor([[1.0], [0.0]]))
    head = nn.Linear(2, 2)
    with torch.no_grad():
        head.weight.copy_(torch.eye(2)), head.bias.zero_()
    support, query = torch.tensor([[0.0, 0.0], [3.0, 4.0]]), torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    y = torch.tensor([0, 1])
    two = TRAIN(seeded(0)).support.take(torch.arange(2))  # whatever they are: their vectors are given
    task = Task(two, y, two, y, 2)
    groups = math.log(1 + math.exp(1)) / 2 + math.log(1 + math.exp(2)) / 2  # logits (1, 0) for group 1, (0, 2) for 0
    far = [(1.0, math.hypot(2, 4)), (2.0, math.hypot(3, 2))]
    classes = sum(math.log(sum(math.exp(d[i] - e) for e in d)) for i, d in enumerate(far)) / 2
    assert GSM().of_task(head, ByFirst(), task, support, query).item() == pytest.approx(groups + classes, abs=1e-5)


def test_training_moves_what_the_last_layer_reads():
    task, few = TEST(seeded(0)), GSM(readout="sum", episodes=3)
    answers = [replace(few, episodes=e).learn(TRAIN, seeded(0))(task) for e in (0, 3)]
    assert not torch.allclose(*answers, atol=1e-3)
    assert not torch.equal(replace(few, super_classes=2).learn(TRAIN, seeded(0))(task), answers[1])


def test_a_support_names_itself():
    """The last layer is fitted to the labels that it is shown: renamed classes are renamed answers."""
    task, network = TEST(seeded(0)), GraphEncoder(2, readout="sum", generator=seeded(0))
    head = nn.Linear(16, 3)
    p = last_layer(network, head, task)
    renamed = last_layer(network, head, replace(task, support_y=3 - task.support_y))
    assert torch.allclose(renamed, p.flip(1), atol=1e-3)
    assert (p.argmax(1) == task.query_y).float().mean() > 0.4
