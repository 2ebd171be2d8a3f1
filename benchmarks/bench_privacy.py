"""Exact noise against fast noise, and accountants of many uses: what secrecy and proved bounds cost in time."""

import time

import pytest
import torch

from privgraph.mechanisms import Gaussian, Laplace
from privgraph.privacy import GaussianPair, Step, calibrate, pld_epsilon
from privgraph.randomness import secret, seeded

MANY = torch.zeros(1_000_000, dtype=torch.double)


@pytest.mark.parametrize("mechanism, most", [(Laplace(1.0), 10), (Gaussian(1.0, 1e-5), 50)], ids=repr)
def test_a_million_numbers_for_good(mechanism, most, compare):
    """The reach: at most ten times what an experiment takes for Laplace noise, fifty times for Gaussian noise."""
    ratio = compare(f"10^6 numbers with noise, {type(mechanism).__name__}: exact / floats",
                    lambda: mechanism(MANY, generator=secret()), lambda: mechanism(MANY, generator=seeded(0)))
    assert ratio < most


@pytest.mark.parametrize("count, tolerance", [(2_250, 0.01), (2_250, 0.001), (10_000, 0.01), (10_000, 0.001)])
def test_sampled_uses_in_seconds(count, tolerance, note):
    """The reach: five seconds of processor time, for DP-SGD's 2,250 to 10,000 steps; so no bar is needed."""
    start = time.process_time()
    found = pld_epsilon([Step(GaussianPair(1.1, 0.01), count)], 1e-5, tolerance=tolerance)
    seconds = time.process_time() - start
    note(f"{count} sampled uses within {tolerance:.1%}, seconds", seconds)
    assert seconds < 5 and found.pessimistic <= (1 + 2 * tolerance) * found.optimistic


def test_calibrating_sampled_uses(note):
    start = time.process_time()
    calibrate(lambda sigma: [Step(GaussianPair(sigma, 0.01), 2_250)], 2.0, 1e-5)
    seconds = time.process_time() - start
    note("calibrating 2,250 sampled uses, seconds", seconds)
    assert seconds < 5
