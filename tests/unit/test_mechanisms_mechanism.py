"""What mechanisms have in common: the first row of a report, and what a transform of a graph needs."""

import pytest
import torch
from torch_geometric.data import Data

from privgraph.mechanisms import Laplace, RandomisedResponse, all_mechanisms
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
