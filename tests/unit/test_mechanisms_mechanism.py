"""What mechanisms have in common: the first row of a report, and what a transform of a graph needs."""

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import Compose, ToUndirected

from privgraph.datasets import Categories, GroupFeatures, Quantiles
from privgraph.mechanisms import Laplace, MultiBit, RandomisedResponse, SymmetricResponse, all_mechanisms
from privgraph.mechanisms.mechanism import first_row
from privgraph.randomness import seeded


@pytest.mark.parametrize("report, row", [(torch.tensor([3, 4]), 3), (torch.tensor([7]), 7),
                                         (torch.tensor([[1.0, 2.0]]), (1.0, 2.0))])
def test_the_first_row_is_what_the_first_person_reports(report, row):
    assert first_row(report) == row


def test_a_transform_needs_an_attribute_of_a_graph():
    silent = RandomisedResponse(float("inf"), 3).transform(generator=seeded(0))
    assert silent(Data(y=torch.tensor([0, 2, 1]))).y.tolist() == [0, 2, 1]
    with pytest.raises(TypeError, match="Laplace reports no attribute of a graph, so it is no transform of one"):
        Laplace(1.0).transform(generator=seeded(0))


def test_mechanisms_are_found_by_their_names():
    assert all_mechanisms()["randomised-response"] is RandomisedResponse


def test_transforms_print_what_they_do_and_stand_among_pygs():
    both = Compose([ToUndirected(), GroupFeatures(2), MultiBit(1.0, 2).transform(generator=seeded(0)),
                    SymmetricResponse(2.0).transform(generator=seeded(1))])
    told = str(both)
    assert "GroupFeatures(size=2)" in told and "MechanismTransform(mechanism=MultiBit(epsilon=1.0," in told
    assert "attribute='x'" in told and "StructureTransform(mechanism=SymmetricResponse(epsilon=2.0" in told
    assert "Generator" not in told  # of which nothing can be said
    data = Data(x=torch.tensor([[1.0, 0, 0], [0, 0, 1.0]]), edge_index=torch.tensor([[0, 1], [1, 0]]))
    once, again = both(data), Compose([GroupFeatures(2), MultiBit(1.0, 2).transform(generator=seeded(0))])(data)
    assert torch.equal(once.x, again.x) and once.x.shape == (2, 2) and data.x.shape == (2, 3)
    assert str(Compose([Quantiles(bins=3), Categories((2, 3))])).count("=") == 3
