"""Embeddings that know little: what each is made of, and that it knows nothing else."""

import math
from dataclasses import dataclass

import pytest
import torch
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.methods import (
    DPNE,
    Embedding,
    Embeddings,
    LabelsTimesDegree,
    Noised,
    PublicFeatures,
    RandomDirections,
    RandomVectors,
    check_method,
)
from privgraph.methods.contract.toys import path_graph
from privgraph.privacy import Guarantee, find_guarantee
from privgraph.randomness import seeded

KARATE = datasets.load("karate")


def without_edges(data: Data) -> Data:
    alone = data.clone()
    alone.edge_index = data.edge_index[:, :0]
    return alone


@pytest.mark.parametrize("method", [PublicFeatures(), PublicFeatures(2), RandomVectors(3)])
def test_who_reads_no_edge_publishes_the_same_without_any(method):
    found, alone = (method.embed(data, seeded(1)) for data in (KARATE, without_edges(KARATE)))
    assert torch.equal(found.z, alone.z)
    assert find_guarantee(found.guarantees, "undirected edge").epsilon == 0


def test_features_are_published_as_they_are_or_by_their_first_components():
    data = path_graph(8)
    x = data.x + torch.tensor([0.0, 3.0, 0.0]) * data.x
    data.x = x
    assert torch.equal(PublicFeatures().embed(data, seeded(0)).z, x)
    centred = x - x.mean(0)
    u, s, _ = torch.linalg.svd(centred, full_matrices=False)
    z = PublicFeatures(2).embed(data, seeded(0)).z
    assert torch.allclose(z @ z.t(), (u * s)[:, :2] @ (u * s)[:, :2].t(), atol=1e-5)
    assert PublicFeatures(9).embed(data, seeded(0)).z.shape == (8, 3)
    assert find_guarantee(PublicFeatures().embed(data, seeded(0)).guarantees, "feature vector").epsilon == math.inf


def test_labels_times_degree_by_hand():
    data = path_graph(4)
    data.y = torch.tensor([0, 1, -1, 1])
    found = LabelsTimesDegree().embed(data, seeded(0))
    two, three = math.log(2), math.log(3)
    assert torch.allclose(found.z, torch.tensor([[two, 0], [0, three], [0, 0], [0, two]]))
    assert found.guarantees == ()


def test_random_vectors_have_their_scale():
    """200,000 numbers: a scale that is off by 1% would be 6 standard errors away."""
    z = RandomVectors(100, scale=2.5).embed(Data(num_nodes=2_000), seeded(0)).z
    assert float(z.std()) == pytest.approx(2.5, rel=0.01, abs=0) and abs(float(z.mean())) < 0.03
    assert RandomVectors(scale=0.0).embed(Data(num_nodes=2), seeded(0)).z.eq(0).all()
    stated = RandomVectors().embed(KARATE, seeded(0)).guarantees
    assert {(g.unit, g.epsilon) for g in stated} == {("node", 0.0), ("undirected edge", 0.0)}


def test_of_random_directions_only_lengths_are_left():
    method = RandomDirections(DPNE(dimension=4))
    own, z = DPNE(dimension=4).embed(KARATE, seeded(0)).z, method.embed(KARATE, seeded(0)).z
    assert torch.allclose(own.norm(dim=1), z.norm(dim=1), rtol=1e-5)
    cosine = torch.nn.functional.cosine_similarity(own, z).abs()
    assert cosine.max() < 0.999 and not torch.equal(z, method.embed(KARATE, seeded(1)).z)


def test_noise_is_in_units_of_the_vectors_own_spread():
    """34 x 16 numbers: a standard deviation is right within a seventh at level 1e-6."""
    base = RandomVectors(16, scale=5.0)
    own = base.embed(KARATE, seeded(0)).z
    noise = Noised(base, 2.0).embed(KARATE, seeded(0)).z - own
    unit = own.var(0, unbiased=False).mean().sqrt()
    assert float(noise.std() / unit) == pytest.approx(2.0, rel=0.15, abs=0)
    assert torch.equal(Noised(base, 0.0).embed(KARATE, seeded(0)).z, own)
    x = torch.tensor([[0.0, 10.0], [2.0, 10.0], [4.0, 16.0]])  # columns of variance 8 / 3 and 8, rows of others
    added = Noised().change(x, seeded(3)) - x
    assert torch.allclose(added, math.sqrt((8 / 3 + 8) / 2) * torch.randn(3, 2, generator=seeded(3)), atol=1e-5)


@pytest.mark.parametrize("kind", [Noised, RandomDirections])
def test_what_holds_for_vectors_holds_for_what_is_made_of_them(kind):
    of = DPNE(2.0, dimension=4)
    own, made = (method.embed(KARATE, seeded(0)) for method in (of, kind(of)))
    assert made.guarantees == own.guarantees and made.public == own.public
    check_method(kind(of))


@pytest.mark.parametrize("kind", [Noised, RandomDirections])
@pytest.mark.parametrize("method", [None, "gae", DPNE])
def test_whose_vectors_must_be_said(kind, method):
    with pytest.raises(TypeError, match="^of must be an Embedding, got"):
        kind(method)


@dataclass(frozen=True)
class ReadsEdges(Embedding):
    """A control that looks at the graph and says that it does not."""

    def embed(self, data, generator):
        z = torch.randn(data.num_nodes, 2, generator=generator)
        return Embeddings(z=z + data.num_edges, guarantees=(
            Guarantee(0.0, unit="undirected edge", relation="add/remove", basis="proved"),))


def test_a_control_that_looks_is_found():
    with pytest.raises(AssertionError, match="epsilon 0 is stated for one undirected edge, so what is published must"):
        check_method(ReadsEdges())
