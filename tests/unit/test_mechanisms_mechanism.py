"""What mechanisms have in common: the first row of a report, what two inputs differ in, what a transform needs."""

from collections import Counter

import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import Compose, ToUndirected

from privgraph.datasets import Categories, GroupFeatures, Quantiles
from privgraph.mechanisms import Laplace, MultiBit, RandomisedResponse, SymmetricResponse, all_mechanisms
from privgraph.mechanisms.mechanism import changes_between, first_row, rows_that_differ
from privgraph.randomness import seeded


@pytest.mark.parametrize("report, row", [(torch.tensor([3, 4]), 3), (torch.tensor([7]), 7),
                                         (torch.tensor([[1.0, 2.0]]), (1.0, 2.0))])
def test_the_first_row_is_what_the_first_person_reports(report, row):
    assert first_row(report) == row


@pytest.mark.parametrize("x, other, rows", [
    ([1.0, 2.0, float("nan")], [1.0, 3.0, float("nan")], 1), ([float("nan"), 1.0], [1.0, float("nan")], 2),
    ([[1, 2], [3, 4], [5, 6]], [[1, 2], [4, 3], [5, 7]], 2), ([[[1, 2], [3, 4]]], [[[0, 2], [0, 4]]], 1),
    (1.0, 2.0, 1), (1.0, 1.0, 0), ([], [], 0), ([[], []], [[], []], 0)])
def test_rows_differ_where_any_of_their_numbers_does(x, other, rows):
    assert rows_that_differ(torch.tensor(x), torch.tensor(other)) == rows


def test_inputs_of_two_forms_are_no_neighbours():
    with pytest.raises(ValueError, match=r"other must have the shape of x, \[2\], got \[3\]"):
        rows_that_differ(torch.zeros(2), torch.zeros(3))


SLOT, SWAP = ("neighbour slot", "add/remove"), ("neighbour slot", "swap in a neighbour list")
PAIR, LINK, PRIVATE = ((unit, "add/remove") for unit in ("undirected edge", "sensitive link", "private edge"))


@pytest.mark.parametrize("before, after, said, changes", [
    ([], [(0, 1), (1, 0)], {}, {SLOT: 2, PAIR: 1}),
    ([(1, 2), (2, 1)], [(0, 1), (1, 0), (2, 3), (3, 2)], {}, {SLOT: 6, PAIR: 3}),
    ([(1, 2)], [(1, 3)], {}, {SLOT: 2, SWAP: 1}), ([(1, 2)], [], {}, {SLOT: 1}),
    ([], [(1, 1)], {}, {SLOT: 1, PAIR: 1}), ([(2, 2), (3, 3)], [(0, 1), (1, 0)], {}, {SLOT: 4, PAIR: 3}),
    ([(0, 1), (2, 3)], [(0, 1), (2, 3)], {}, {}),
    ([], [(0, 1), (1, 0)], {"sensitive_users": [1, 1, 0, 0]}, {SLOT: 2, PAIR: 1, LINK: 1}),
    ([], [(0, 2), (2, 0)], {"sensitive_users": [1, 1, 0, 0]}, {SLOT: 2, PAIR: 1}),
    ([], [(0, 2), (2, 0)], {"num_public": 2}, {SLOT: 2, PAIR: 1, PRIVATE: 1}),
    ([], [(0, 1), (1, 0)], {"num_public": 2}, {SLOT: 2, PAIR: 1}),
    ([], [(0, 1), (1, 0), (2, 3), (3, 2)], {"num_public": 2}, {SLOT: 4, PAIR: 2})])
def test_a_graph_is_so_many_changes_from_another(before, after, said, changes):
    said = {key: torch.tensor(value, dtype=torch.bool) if key == "sensitive_users" else value
            for key, value in said.items()}
    graphs = (Data(edge_index=torch.tensor(edges, dtype=torch.long).view(-1, 2).t(), num_nodes=4, **said)
              for edges in (before, after))
    assert Counter(changes_between(*graphs)) == Counter(changes)  # of 0 there are none


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
