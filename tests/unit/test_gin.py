"""GIN on a support alone: its sums by hand, and that it learns what it is shown."""

import torch

from privgraph.datasets import Sampler, load_graphs
from privgraph.methods import SupportGIN, task_accuracies
from privgraph.methods.few_shot.gin import GIN
from privgraph.randomness import seeded

LETTERS = load_graphs("letters")
TEST = Sampler(LETTERS, LETTERS.test_classes, 3, 10, 10)


def test_a_layer_adds_the_neighbours():
    graphs = LETTERS.graphs.take(torch.tensor([0, 5]))
    torch.manual_seed(0)
    network = GIN(2, 4, 1, 3)
    x = graphs.x.clone()
    for u, v in graphs.edge_index.t().tolist():
        x[v] += graphs.x[u]
    h = network.layers[0].nn(x).relu()
    read = torch.stack([part.sum(0) for part in h.split(graphs.sizes.tolist())])
    assert torch.allclose(network(graphs), network.read(read), atol=1e-5)


def test_it_learns_the_support_and_the_same_each_time():
    task = TEST(seeded(0))
    solver, again = (SupportGIN(epochs=150).learn(TEST, seeded(0)) for _ in range(2))
    seen = type(task)(task.support, task.support_y, task.support, task.support_y, task.ways)
    assert task_accuracies(solver, [seen]).item() > 0.9
    assert torch.equal(solver(task), again(task)) and torch.equal(solver(task), solver(task))
    assert not torch.equal(SupportGIN(epochs=150).learn(TEST, seeded(1))(task), solver(task))
