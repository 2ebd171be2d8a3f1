"""What a method sends is drawn by the mechanisms that its release states,
with their budgets and from one stream of randomness.

A guarantee is computed from what a release *says*. Here each report is drawn again, bit by bit, by the stated
mechanisms one after the other from one generator: another budget, or coins that are used twice, would give other
reports.
"""

import pytest
import torch
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.datasets import Categories
from privgraph.mechanisms import (
    GRRFS,
    MultiBit,
    NoisyArgMax,
    NoisyVotes,
    PrivateEndResponse,
    RandomisedResponse,
    SymmetricResponse,
)
from privgraph.methods import LPGNN, PATE, RGNN, FederatedDeepWalk, GraphPrivatizer, PrivGNN
from privgraph.methods.federated import hold, parts
from privgraph.privacy import Step, find_guarantee
from privgraph.randomness import seeded


def club() -> Data:
    return datasets.split(datasets.load("karate"), seeded(0))


def asked(data: Data) -> torch.Tensor:
    return torch.where(data.train_mask | data.val_mask, data.y, -1)


def epsilons(release) -> list[float]:
    parts = [find_guarantee(release.guarantees, unit).epsilon for unit in ("label", "feature vector")]
    return [*parts, release.total.epsilon]


@pytest.mark.bears("for", "lpgnn-total")
@pytest.mark.parametrize("epsilon_x, epsilon_y", [(1.0, 0.5), (4.0, 2.0)])
def test_lpgnn_sends_what_its_release_states(epsilon_x, epsilon_y):
    data, stream = club(), seeded(1)
    release = LPGNN(epsilon_x=epsilon_x, epsilon_y=epsilon_y).collect(data, seeded(1))
    assert torch.equal(release.y, RandomisedResponse(epsilon_y, 2)(asked(data), generator=stream))
    assert torch.equal(release.report, MultiBit(epsilon_x, data.num_features).report(data.x, generator=stream))
    assert epsilons(release) == [epsilon_y, epsilon_x, epsilon_x + epsilon_y]


@pytest.mark.bears("for", "gp-features-ldp", "gp-labels-ldp")
@pytest.mark.parametrize("structure", [SymmetricResponse(3.0), GraphPrivatizer().structure])
def test_graphprivatizer_sends_what_its_release_states(structure):
    """Labels, features, and then the edges, by the structure's own mechanism on the noisy features."""
    data, stream = club(), seeded(1)
    release = GraphPrivatizer(epsilon_x=1.0, epsilon_y=0.5, structure=structure).collect(data, seeded(1))
    assert torch.equal(release.y, RandomisedResponse(0.5, 2)(asked(data), generator=stream))
    features = MultiBit(1.0, data.num_features)
    assert torch.equal(release.report, features.report(data.x, generator=stream))
    seen = Data(x=features.estimate(release.report), edge_index=data.edge_index, num_nodes=data.num_nodes)
    assert torch.equal(release.edge_index, structure(seen, generator=stream).edge_index)
    assert epsilons(release) == [0.5, 1.0, 1.5] and release.structure == structure.guarantees


@pytest.mark.bears("beside", "rgnn-theorem-1")
@pytest.mark.bears("for", "rgnn-labels-grr")
@pytest.mark.parametrize("sampled", [1, 5])
def test_rgnn_sends_what_its_release_states(sampled):
    data, stream = Categories((2,) * 34)(club()), seeded(1)
    release = RGNN(epsilon_x=1.0, epsilon_y=0.5, sampled=sampled).collect(data, seeded(1))
    assert torch.equal(release.y, RandomisedResponse(0.5, 2)(asked(data), generator=stream))
    assert torch.equal(release.report, GRRFS(1.0, (2,) * 34, sampled)(data.x.long(), generator=stream))
    assert epsilons(release) == [0.5, sampled * 1.0, 0.5 + sampled]


@pytest.mark.bears("repair", "privgnn-abstract-rigorous")
@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_privgnn_labels_cost_what_its_budget_states(noise):
    """The noise of line 7, the sample of line 3, and the worst pair of both, once for each query."""
    method = PrivGNN(num_queries=7, scale=2.0, noise=noise, rate=0.3)
    scores = torch.rand(400, 5, generator=seeded(0), dtype=torch.float64).softmax(1)
    mechanism = NoisyArgMax(2.0, 5, noise)
    assert torch.equal(method.label(scores, seeded(1)), mechanism(scores, generator=seeded(1)))
    kept = (torch.rand(400, generator=seeded(1)) < 0.3).nonzero().view(-1)
    assert torch.equal(method.chosen(torch.zeros(400, 3), None, seeded(1)), kept)
    assert method.budget(5).steps == (Step(mechanism.pair.poisson(0.3), 7),) and method.budget(5).rate == 1


@pytest.mark.bears("repair", "privgnn-pate-guarantee")
@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_pate_labels_cost_what_its_budget_states(noise):
    method = PATE(num_queries=7, scale=2.0, noise=noise)
    votes = torch.randint(0, 6, (400, 5), generator=seeded(0)).float()
    mechanism = NoisyVotes(2.0, noise)
    assert torch.equal(method.label(votes, seeded(1)), mechanism(votes, generator=seeded(1)))
    assert method.budget(5).steps == mechanism.steps(7) and method.budget(5).rate == 1


@pytest.mark.parametrize("edges", [SymmetricResponse(3.0), PrivateEndResponse(2.0)])
def test_federated_clients_walk_on_what_their_mechanism_drew_and_on_nothing_else(edges):
    """The first coins of a client's generator are the mechanism's; each part is read once."""
    data = hold(club(), seeded(3), clients=3, public=0.4, private=0.2)
    method = FederatedDeepWalk(dimension=4, walks=2, length=5, window=2, first_epochs=1, edges=edges)
    for number, part in enumerate(parts(data)):
        drawn = edges(Data(edge_index=part.edge_index, num_nodes=part.num_nodes, num_public=part.num_public),
                      generator=seeded(number))
        assert torch.equal(method.client(part, seeded(number)).graph.edge_index, drawn.edge_index)
    assert [g.epsilon for g in method.guarantees() if g.unit == "private edge"] == [edges.epsilon]
