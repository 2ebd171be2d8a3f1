"""Shares of true answers from shares of reports: right on average, with the variance that is stated."""

from itertools import product

import pytest
import torch

from privgraph.mechanisms import RandomisedResponse
from privgraph.mechanisms.frequencies import estimate_frequencies, frequency_variance

ANSWERS = [0, 0, 1, 2]  # of four people; three answers are possible


def test_mean_and_variance_are_those_of_all_reports():
    """Every report of four people with its probability: no sampling."""
    response = RandomisedResponse(1.0, 3)
    right, wrong = response.distribution(0)[0], response.distribution(0)[1]
    true = torch.tensor([ANSWERS.count(k) / 4 for k in range(3)]).double()
    mean, square = torch.zeros(3).double(), torch.zeros(3).double()
    for told in product(range(3), repeat=4):
        chance = torch.tensor([response.distribution(a)[b] for a, b in zip(ANSWERS, told, strict=True)]).double().prod()
        found = estimate_frequencies(torch.tensor([told.count(k) / 4 for k in range(3)]).double(), right, wrong)
        mean, square = mean + chance * found, square + chance * found**2
    assert mean.tolist() == pytest.approx(true.tolist(), abs=1e-6)
    assert (square - mean**2).tolist() == pytest.approx(frequency_variance(true, 4, right, wrong).tolist(), rel=1e-5,
                                                        abs=0)


def test_reports_that_tell_nothing_are_refused():
    with pytest.raises(ValueError, match="must differ, got 0.5 for both"):
        estimate_frequencies(torch.tensor([0.5, 0.5]), 0.5, 0.5)
