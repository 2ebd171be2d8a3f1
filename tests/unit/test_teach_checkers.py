"""The checkers of exercises: right answers of chapters and assignments pass, blanks and slips do not."""

import math

import numpy as np
import pytest
import torch

from privgraph.teach import checkers


def turn(x, y):
    """Without a mirror, of NumPy arrays."""
    u, _, vt = np.linalg.svd(x.T @ y)
    u[:, -1] *= np.sign(np.linalg.det(u @ vt))
    return u @ vt


def variance(x, d, m, epsilon):
    return (d / (2 * m) / math.tanh(epsilon / m / 2)) ** 2 * m / d - (x - 0.5) ** 2


def loss(a, b):
    return math.inf if a.keys() != b.keys() else max(abs(math.log(a[name] / b[name])) for name in a)


def auc_of_epsilon(epsilon):
    return math.exp(epsilon) / (1 + math.exp(epsilon))


def mirrored(x, y):
    u, _, vt = np.linalg.svd(x.T @ y)
    return u @ vt


def wrong_column(x, y):
    """No mirror, but it gives up the larger stretch."""
    u, _, vt = np.linalg.svd(x.T @ y)
    u[:, 0] *= np.sign(np.linalg.det(u @ vt))
    return u @ vt


# As the chapters call them: checker, what it is told, a right function, and slips that only the comparison finds.
THOROUGH = {
    "loss": (checkers.check_loss, {}, loss,
             [lambda a, b: max(abs(math.log(a[name] / b[name])) for name in a.keys() & b.keys()),
              lambda a, b: max(abs(math.log(a[name] / b[name])) for name in a) if a.keys() <= b.keys() else math.inf]),
    "variance": (checkers.check_variance, {"bounds": False}, variance,
                 [lambda x, d, m, epsilon: variance(x, d, m, epsilon * m),  # a bit gets epsilon / m
                  lambda x, d, m, epsilon: variance(x, d, m, epsilon) * m / d]),  # of a sampled feature
    "ceiling": (checkers.check_ceiling, {"delta": False}, auc_of_epsilon,
                [lambda epsilon: 0.5 + 0.25 * epsilon / math.log(3)]),
    "turn": (checkers.check_turn, {"mirrors": False}, turn, [mirrored, wrong_column]),
}


@pytest.mark.parametrize("name", THOROUGH)
def test_what_a_chapter_calls(name, capsys):
    checker, told, right, slips = THOROUGH[name]
    checker(right, **told, thorough=True)
    assert capsys.readouterr().out.count("right") == 1
    for slip in slips:
        with pytest.raises(AssertionError):
            checker(slip, **told, thorough=True)


def test_a_comparison_is_thorough_only_where_it_is_asked():
    """An assignment's visible check is no oracle: what it does not show by hand passes."""
    checkers.check_loss(lambda a, b: max(abs(math.log(a[name] / b[name])) for name in a))


def test_no_message_names_the_right_number():
    with pytest.raises(AssertionError, match=r"^wrong: outcome 1 is three times as likely"):
        checkers.check_loss(lambda a, b: 2.0)
    with pytest.raises(AssertionError, match="nothing is written there yet"):
        checkers.check_ceiling(lambda *budget: None)


def test_the_turns_in_degrees_are_turns():
    x = torch.randn(6, 2, generator=torch.Generator().manual_seed(0)).numpy()
    angle = math.radians(31)
    quarter = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    assert np.allclose(checkers.best_turn(x, x @ quarter), quarter, atol=1e-6)
