"""What the contracts ask of the two halves of a method, asked of stubs that break one promise each."""

import math
from types import SimpleNamespace

import pytest
import torch

from privgraph.methods import PATE
from privgraph.methods.contract import two_halves
from privgraph.methods.contract.covering import Found


def fitted(*rows, nodes=None):
    return SimpleNamespace(predict_proba=lambda: torch.tensor(rows), nodes=nodes)


KNOWN = torch.tensor([True, False])


def test_predictions_are_probabilities():
    two_halves.predicts(fitted([1.0, 0.0], [0.5, 0.5]), 2, 2)
    two_halves.predicts(fitted([1.0, 0.0], [math.nan, math.nan], nodes=KNOWN), 2, 2)


@pytest.mark.parametrize("wrong, said", [
    (fitted([1.0, 0.0]), r"must be \[2, 2\], got \[1, 2\]"), (fitted([1.0], [1.0]), r"must be \[2, 2\], got \[2, 1\]"),
    (fitted([1.0, 0.0], [1.5, -0.5]), "must sum to 1"), (fitted([1.0, 1.0], [1.0, 1.0]), "must sum to 1"),
    (fitted([0.0, 0.0], [0.0, 0.0]), "must sum to 1"), (fitted([1.0, 0.0], [0.5, 0.6]), "must sum to 1"),
    (fitted([1.0, 0.0], [0.5, 0.5], nodes=KNOWN), "must be NaN where it means nothing"),
    (fitted([1.0, 0.0], [math.nan, math.nan]), "must sum to 1")])
def test_what_are_none_is_said(wrong, said):
    with pytest.raises(AssertionError, match=said):
        two_halves.predicts(wrong, 2, 2)


def test_who_leaves_is_tried_with_several_seeds_and_from_the_midst(monkeypatch):
    """Of the seed hangs who teaches what."""
    seeds = []
    monkeypatch.setattr(two_halves, "try_changes", lambda pipeline, changes, stated, found, seed=0: seeds.append(
        (changes.__name__, seed, len(stated))))
    two_halves.distilled(PATE.examples()[0], Found())
    assert seeds == [("someone_less", seed, 1) for seed in range(4)] + [("someone_gone", 0, 1)]
