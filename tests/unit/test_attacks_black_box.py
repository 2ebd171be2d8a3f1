"""LinkTeller by queries: against its definition, one pair after another, and against the exact derivatives."""

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GAT, GCN, GIN

from privgraph import datasets
from privgraph.attacks import evaluate_attack, linkteller, queried_influence
from privgraph.attacks.black_box import answering
from privgraph.graph import adjacency, to_undirected
from privgraph.methods import NodeClassifier
from privgraph.nn import BACKBONES, REFERENCE, Backbone, Factored, sparse_rows
from privgraph.randomness import seeded, torch_seeded

KARATE = datasets.load("karate")
EDGES = KARATE.edge_index
ALL = torch.cartesian_prod(torch.arange(34), torch.arange(34)).t()
X = torch.rand(34, 6, generator=seeded(1), dtype=torch.double)
PATH = to_undirected(torch.stack([torch.arange(7), torch.arange(1, 8)]), 8)


@pytest.fixture
def double():
    torch.set_default_dtype(torch.double)
    yield
    torch.set_default_dtype(torch.float32)


def pygs(kind, layers, seed=0, **how):
    with torch_seeded(seeded(seed)):
        return kind(6, 8, num_layers=layers, out_channels=3, **how).double()


@torch.no_grad()
def pair_by_pair(model, x, edges, pairs, step):
    """Two passes for each pair, as the authors define the score."""
    found = []
    for u, v in pairs.t().tolist():
        louder = torch.stack([row * (1 + step) if i == v else row for i, row in enumerate(x)])
        found.append(float(torch.dist(model(louder, edges)[u], model(x, edges)[u])) / step)
    return torch.tensor(found, dtype=x.dtype)


@pytest.mark.parametrize("kind, layers", [(GCN, 1), (GCN, 2), (GCN, 4), (GAT, 3), (GIN, 2)])
def test_scores_are_those_of_two_passes_a_pair(kind, layers):
    model = pygs(kind, layers).eval()
    pairs = ALL[:, torch.randperm(34 * 34, generator=seeded(2))[:60]]
    slow = pair_by_pair(model, X, EDGES, pairs, 1e-4)
    assert torch.allclose(queried_influence(model, X, EDGES, pairs), slow, rtol=1e-6, atol=1e-9)
    other = pair_by_pair(model, X, EDGES, pairs, 0.1)
    assert torch.allclose(queried_influence(model, X, EDGES, pairs, step=0.1), other, rtol=1e-6, atol=1e-9)
    assert torch.allclose(slow, other, rtol=1e-6, atol=1e-9) == (layers == 1)  # one layer is linear: any step will do


@pytest.mark.parametrize("kind", [*BACKBONES, REFERENCE])
def test_of_a_backbone_it_is_the_exact_derivative_but_for_the_step(kind, double):
    net = Backbone(kind, 6, 3, generator=seeded(0)).eval()
    exact = linkteller(net, X, EDGES, ALL)
    asked = queried_influence(net, X, EDGES, ALL, step=1e-7)
    assert torch.allclose(asked, exact, atol=1e-4 * float(exact.max())) and float(exact.max()) > 0
    both = queried_influence(net, X, EDGES, ALL, step=1e-7, both=True)
    assert torch.allclose(both, linkteller(net, X, EDGES, ALL, both=True), atol=2e-4 * float(exact.max()))


@pytest.mark.parametrize("layers", [1, 2, 3, 5])
def test_influence_goes_as_far_as_there_are_layers(layers):
    model, ends = pygs(GCN, layers), torch.stack([torch.zeros(7, dtype=torch.long), torch.arange(1, 8)])
    scores = queried_influence(model, X[:8], PATH, ends)
    assert (scores > 0).tolist() == [distance <= layers for distance in range(1, 8)]


def test_both_directions_are_a_sum_and_the_same_in_either():
    model = pygs(GAT, 2)
    forth, back = (queried_influence(model, X, EDGES, pairs) for pairs in (ALL, ALL.flip(0)))
    assert not torch.allclose(forth, back)
    for pairs in (ALL, ALL.flip(0)):
        assert torch.equal(queried_influence(model, X, EDGES, pairs, both=True), forth + back)


def test_one_query_for_each_node_that_is_turned_up_and_one_more():
    asked = []
    def service(x, edges):
        asked.append((x - X).abs().sum(1).nonzero()[:, 0].tolist())
        return x.cumsum(0)
    queried_influence(service, X, EDGES, torch.tensor([[0, 5, 7, 9], [3, 3, 8, 3]]))
    assert asked == [[], [3], [8]]
    asked.clear()
    queried_influence(service, X, EDGES, torch.tensor([[0, 5], [3, 3]]), both=True)
    assert asked == [[], [0], [3], [5]]


def test_the_attacker_sends_her_features_and_leaves_them_as_they_are():
    def service(x, edges):
        return x[:, :2] * 3.0
    before = X.clone()
    scores = queried_influence(service, X, EDGES, ALL[:, ALL[0] == ALL[1]])
    assert torch.allclose(scores, 3 * X[:, :2].norm(dim=1)) and torch.equal(X, before)


def test_a_module_answers_as_after_training_and_is_put_back_as_it_was():
    model = pygs(GCN, 2, dropout=0.9, norm="batch_norm").train()
    model.convs[1].eval()
    modes = [part.training for part in model.modules()]
    state = {name: value.clone() for name, value in model.state_dict().items()}
    first, second = (queried_influence(model, X, EDGES, ALL) for _ in range(2))
    assert torch.equal(first, second) and [part.training for part in model.modules()] == modes and not all(modes)
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    with pytest.raises(ZeroDivisionError), answering(model):
        assert not any(part.training for part in model.modules())
        raise ZeroDivisionError
    assert [part.training for part in model.modules()] == modes


def test_a_trained_model_of_the_library_is_asked_for_posteriors():
    data = datasets.split(KARATE, seeded(0))
    model = NodeClassifier(epochs=5).fit(data.x, EDGES, torch.arange(34), data.y, data.num_classes, seeded(1))
    def service(x, edges):
        return model.predict_proba(Data(x=x, edge_index=edges))
    scores = queried_influence(model, data.x, EDGES, ALL)
    assert torch.equal(scores, queried_influence(service, data.x, EDGES, ALL)) and float(scores.max()) > 0


def test_features_in_factors():
    x = Factored(sparse_rows((X > 0.7).float()), adjacency(EDGES, 34), steps=2)
    net = Backbone("gcn", 6, 3, generator=seeded(0))
    assert torch.equal(queried_influence(net, x, EDGES, ALL), queried_influence(net, x.to_dense(), EDGES, ALL))


def test_weights_of_edges(double):
    net, weight = Backbone("gcn", 6, 3, generator=seeded(0)), torch.rand(EDGES.size(1), generator=seeded(2))
    weighed = queried_influence(net, X, EDGES, ALL, edge_weight=weight, step=1e-7)
    exact = linkteller(net, X, EDGES, ALL, edge_weight=weight)
    assert torch.allclose(weighed, exact, atol=1e-4 * float(exact.max()))


def test_in_single_precision_small_influences_are_rounded_away():
    """Answers about 1,000, where numbers are 6.1e-5 apart: rates of .01 come out as 0, or as .61 and more."""
    def service(x, edges):
        return 1000 + 0.01 * x
    same = ALL[:, ALL[0] == ALL[1]]
    rounded, exact = queried_influence(service, X.float(), EDGES, same), queried_influence(service, X, EDGES, same)
    assert torch.allclose(exact, 0.01 * X.norm(dim=1), rtol=1e-4)
    assert int((rounded == 0).sum()) > 20 and float(rounded[rounded > 0].min()) > 20 * float(exact.max())


def test_whoever_answers_from_other_edges_tells_nothing():
    """The control: at level 1e-6 neither above nor below one half."""
    pairs, truth = ALL[:, ALL[0] < ALL[1]], torch.zeros(561, dtype=torch.bool)
    truth[torch.randperm(561, generator=seeded(3))[:78]] = True
    elsewhere = to_undirected(torch.randint(34, (2, 78), generator=seeded(4)), 34)
    found = evaluate_attack(queried_influence(pygs(GCN, 3), X, elsewhere, pairs), truth, confidence=1 - 2e-6)
    assert found.auc_low < 0.5 < found.auc_high
    behind = to_undirected(pairs[:, truth], 34)
    assert evaluate_attack(queried_influence(pygs(GCN, 3), X, behind, pairs), truth, 1 - 2e-6).auc_low > 0.7


def test_no_pairs_and_what_is_no_answer():
    model = pygs(GCN, 2)
    assert queried_influence(model, X, EDGES, ALL[:, :0]).shape == (0,)
    assert queried_influence(model, X, EDGES, ALL[:, :0], both=True).shape == (0,)
    with pytest.raises(ValueError, match=r"model must answer with a float tensor \[34, C\], got .* of shape \[3, 6\]"):
        queried_influence(lambda x, edges: x[:3], X, EDGES, ALL)
    with pytest.raises(ValueError, match="model must answer with finite numbers, got 204 that are not"):
        queried_influence(lambda x, edges: x / 0, X, EDGES, ALL)
    with pytest.raises(TypeError, match="model's answer must be a torch.Tensor, got list"):
        queried_influence(lambda x, edges: x.tolist(), X, EDGES, ALL)
