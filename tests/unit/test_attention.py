"""Attention by sparse products gives what PyG's layers give, and the same gradients."""

import pytest
import torch
import torch.nn.functional as F

from privgraph.nn import Backbone, Dense, Factored
from privgraph.nn.attention import Common, Ends, Pattern, Received, Softmax, attend, projections
from privgraph.nn.backbones import linear
from privgraph.nn.features import sparse_rows
from privgraph.randomness import seeded

KINDS = ("gat", "gatv2", "gt")
NODES, COLUMNS, CLASSES = 12, 5, 3
# Directed, with an edge that is there three times, a loop, a node that hears nobody and one whom nobody hears.
EDGES = torch.cat([torch.randint(1, NODES - 1, (2, 40), generator=seeded(0)),
                   torch.tensor([[2, 2, 2, 3, 0, 4], [5, 5, 5, 3, 4, NODES - 1]])], 1)
PATTERN = Pattern.of(EDGES, NODES)


def numbers(*shape, seed=1):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.double).requires_grad_()


@pytest.fixture(params=KINDS)
def net(request):
    return Backbone(request.param, COLUMNS, CLASSES, generator=seeded(0)).double()


def slow(net, inputs):
    """The network with PyG's layers on the edges as they came."""
    hidden = attend(net.first, [linear(part, inputs.features) for part in projections(net.first)], inputs.edge_index)
    active = Dense(net.hidden_step(hidden))
    return attend(net.second, [linear(part, active) for part in projections(net.second)], inputs.edge_index)


def gradients(net, logits):
    names, weights = zip(*net.named_parameters(), strict=True)
    found = torch.autograd.grad(F.cross_entropy(logits, torch.arange(NODES) % CLASSES), weights)
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("edges", [EDGES, EDGES[:, :0], EDGES[:, -1:]], ids=["many", "none", "one"])
def test_the_same_logits_and_gradients_as_pygs_layers(net, edges):
    net.eval()
    inputs = net.prepare(numbers(NODES, COLUMNS).detach(), edges)
    expected = slow(net, inputs)
    torch.testing.assert_close(net(inputs), expected, rtol=1e-12, atol=1e-12)
    wanted, found = gradients(net, expected), gradients(net, net(inputs))
    for name, gradient in wanted.items():
        torch.testing.assert_close(found[name], gradient, rtol=1e-9, atol=1e-12, msg=name)


def test_also_on_features_in_factors_and_in_single_precision(net):
    net.float().eval()
    x = Factored(sparse_rows((numbers(NODES, COLUMNS).detach() > 0.5).float()), scale=2.0, shift=0.5)
    inputs = net.prepare(x, EDGES)
    torch.testing.assert_close(net(inputs), slow(net, inputs), rtol=1e-5, atol=1e-6)


def test_saturated_attention_is_no_other(net):
    """Scores in the thousands, as inputs with much noise make them."""
    net.eval()
    inputs = net.prepare(3000 * numbers(NODES, COLUMNS).detach(), EDGES)
    torch.testing.assert_close(net(inputs), slow(net, inputs), rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize("function, inputs", [
    (Received, (numbers(EDGES.size(1), 2), numbers(NODES, 2, 3, seed=2))),
    (Common, (numbers(NODES, 2, 3), numbers(NODES, 2, 3, seed=2))), (Softmax, (numbers(EDGES.size(1), 2),)),
    (Ends, (numbers(NODES, 2), numbers(NODES, 2, seed=2))),
    (Ends, (numbers(NODES, 2, 3), numbers(NODES, 2, 3, seed=2)))])
def test_derivatives_are_those_of_small_differences(function, inputs):
    assert torch.autograd.gradcheck(lambda *values: function.apply(*values, PATTERN), inputs)


def test_a_second_derivative_is_refused_and_not_wrong():
    x = numbers(NODES, 2)
    once, = torch.autograd.grad((Ends.apply(x, x, PATTERN) ** 2).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        once.sum().backward()


def test_by_hand_on_four_edges():
    pattern = Pattern.of(torch.tensor([[2, 0, 1, 0], [1, 1, 0, 0]]), 3)
    assert pattern.source.tolist() == [1, 0, 2, 0] and pattern.target.tolist() == [0, 0, 1, 1]
    assert pattern.start.tolist() == [0, 2, 4, 4] and pattern.reverse.source.tolist() == [0, 1, 0, 1]
    weight, x = torch.tensor([[1.0], [2.0], [3.0], [4.0]]), torch.tensor([[[1.0]], [[10.0]], [[100.0]]])
    assert pattern.received(weight, x).flatten().tolist() == [12.0, 304.0, 0.0]
    assert pattern.common(x, x).flatten().tolist() == [10.0, 1.0, 1000.0, 10.0]
    assert pattern.summed(weight).flatten().tolist() == [3.0, 7.0, 0.0]
    assert Softmax.apply(torch.tensor([[0.0], [0.0], [5.0], [5.0]]), pattern).flatten().tolist() == [0.5] * 4
