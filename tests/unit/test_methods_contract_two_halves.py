"""What the contracts ask of the two halves of a method, asked of stubs that break one promise each."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from privgraph.methods import LPGNN, PATE
from privgraph.methods.contract import toys, two_halves
from privgraph.methods.contract.covering import Found


def fitted(*rows, nodes=None):
    return SimpleNamespace(predict_proba=lambda: torch.tensor(rows), nodes=nodes)


KNOWN = torch.tensor([True, False])


def test_predictions_are_probabilities():
    for right in (fitted([1.0, 0.0], [0.5, 0.5]), fitted([1.0, 0.0], [math.nan, math.nan], nodes=KNOWN)):
        assert two_halves.predicts(right, 2, 2) is None, "it is not refused"


@pytest.mark.parametrize("wrong, said", [
    (fitted([1.0, 0.0]), r"must be \[2, 2\], got \[1, 2\]"), (fitted([1.0], [1.0]), r"must be \[2, 2\], got \[2, 1\]"),
    (fitted([1.0, 0.0], [1.5, -0.5]), "must sum to 1"), (fitted([1.0, 1.0], [1.0, 1.0]), "must sum to 1"),
    (fitted([0.0, 0.0], [0.0, 0.0]), "must sum to 1"), (fitted([1.0, 0.0], [0.5, 0.6]), "must sum to 1"),
    (fitted([1.0, 0.0], [0.5, 0.5], nodes=KNOWN), "must be NaN where it means nothing"),
    (fitted([1.0, 0.0], [math.nan, math.nan]), "must sum to 1")])
def test_what_are_none_is_said(wrong, said):
    with pytest.raises(AssertionError, match=said):
        two_halves.predicts(wrong, 2, 2)


@pytest.fixture
def asked(monkeypatch):
    """What would be tried: which changes, of how large a graph of how many classes, with which seed."""
    found = []

    def note(pipeline, changes, stated, found_, seed=0):
        first = next(changes)
        found.append((changes.__name__, first.data.num_nodes, first.data.num_classes, seed, len(stated)))
    monkeypatch.setattr(two_halves, "try_changes", note)
    return found


def test_who_leaves_is_tried_with_several_seeds_and_from_the_midst(asked):
    """Of the seed hangs who teaches what."""
    two_halves.distilled(PATE.examples()[0], Found())
    assert asked == [("someone_less", 10, 3, seed, 1) for seed in range(4)] + [("someone_gone", 10, 3, 0, 1)]


def test_graphs_that_are_handed_in_are_tried(asked):
    two_halves.distilled(PATE.examples()[0], Found(), toys.restricted(toys.worlds()[2], range(8)), toys.path_graph(12))
    assert {each[1:3] for each in asked} == {(8, 2)}


class Loses(LPGNN):
    """It says that it uses weights of edges, and does not."""

    def collect(self, data, generator):
        return replace(super().collect(data, generator), edge_weight=None)


def test_weights_that_are_to_be_used_come_out():
    data = toys.worlds()[2]
    two_halves.takes_weights(LPGNN(epsilon_x=1.0, epsilon_y=1.0), data)
    with pytest.raises(AssertionError, match="weights of edges that are to be used must come out with the edges"):
        two_halves.takes_weights(Loses(epsilon_x=1.0, epsilon_y=1.0), data)
