"""Checkers of exercises, for chapters and assignments alike: tested once.

A checker takes what a student wrote, returns nothing, and says in an ``AssertionError`` which case it is wrong for. Its
cases by hand are for both. With ``thorough=True`` it also compares with the library, as the chapters do; an assignment
does not, as marks come from inputs that nobody has seen, compared where no student's code runs.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from ..attacks import rate_ceiling
from ..audit import worst_case
from ..mechanisms import MultiBit


def check_loss(loss: Callable[[dict, dict], float], *, thorough: bool = False) -> None:
    """A privacy loss ``loss(a, b)`` between two tables {outcome: chance}: the same both ways.

    >>> check_loss(lambda a, b: max(abs(math.log(a[name] / b[name])) for name in a))
    the tables by hand: right

    :param thorough: also where an outcome is in one table only, and compare with the exact audit.
    """
    one, other = {1: 0.75, 2: 0.25}, {1: 0.25, 2: 0.75}
    agrees(loss(one, other), math.log(3), "outcome 1 is three times as likely in one table as in the other")
    agrees(loss(dict(other), dict(other)), 0.0, "the same table twice")
    cases = [({1: 0.5, 2: 0.5}, {1: 0.25, 2: 0.75}), ({1: 1.0}, {1: 0.5, 2: 0.5}), ({1: 0.5, 2: 0.5}, {1: 1.0}),
             ({1: 0.9, 3: 0.1}, {1: 0.1, 3: 0.9})] if thorough else []
    for a, b in cases:
        agrees(loss(a, b), worst_case(Tables(a, b), (0, 1)).epsilon, f"{a} and {b}")
    print("the tables by hand: right" + (f", and {len(cases)} beside the exact audit" if thorough else ""))


class Tables:
    """A mechanism of two inputs, 0 and 1, written as its two tables."""

    def __init__(self, *tables: Mapping):
        self.tables = tables

    def distribution(self, which: int) -> Mapping:
        return self.tables[which]


def check_variance(variance: Callable[..., float], *, bounds: bool = True, thorough: bool = False) -> None:
    """The variance of multi-bit's estimate of one feature: ``variance(x, d, m, epsilon, low, high)``.

    :param bounds: False for ``variance(x, d, m, epsilon)``, of a feature in [0, 1].
    :param thorough: also compare with the variance of the exact distribution.
    """
    def of(x, d, m, epsilon, *between):
        return variance(x, d, m, epsilon, *between) if bounds else variance(x, d, m, epsilon)

    agrees(of(1.0, 1, 1, 100.0, 0.0, 1.0), 0.0, "one feature and no noise", 1e-6)
    if bounds:
        agrees(of(5.0, 1, 1, 100.0, 2.0, 5.0), 0.0, "one feature between 2 and 5, and no noise", 1e-6)
        agrees(of(0.0, 4, 1, 1.0, -2.0, 2.0), 16 * of(0.5, 4, 1, 1.0, 0.0, 1.0),
               "four times the range is sixteen times the variance", 1e-6)
    cases = [(0.0, 3, 1, 1.0), (0.3, 3, 2, 2.0), (1.0, 4, 3, 5.0)] if thorough else []
    for x, d, m, epsilon in cases:
        agrees(of(x, d, m, epsilon, 0.0, 1.0), variance_of_reports(x, d, m, epsilon),
               f"x = {x}, d = {d}, m = {m}, epsilon = {epsilon}", 1e-4)
    print("without noise: right" + (f", and {len(cases)} cases beside the exact distribution" if thorough else ""))


def variance_of_reports(x: float, d: int, m: int, epsilon: float) -> float:
    """Of the estimate of one of ``d`` features that are all ``x``, counted over all reports."""
    mechanism = MultiBit(epsilon, d, sampled=m)
    return sum(chance * (float(mechanism.estimate(torch.tensor(report[0]))) - x) ** 2
               for report, chance in mechanism.distribution([x] * d).items())


def check_ceiling(ceiling: Callable[..., float], *, delta: bool = True, thorough: bool = False) -> None:
    """The best that anybody can do about one person under ``ceiling(epsilon, delta)``: the largest (TPR + TNR) / 2.

    At ``delta`` 0 it is the largest AUC as well.

    :param delta: False for ``ceiling(epsilon)``.
    :param thorough: also compare with the area under the largest true positive rates (``delta`` is 0 there).
    """
    def of(*budget):
        return ceiling(*budget) if delta else ceiling(budget[0])

    agrees(of(0.0, 0.0), 0.5, "both worlds are alike: one can only guess")
    agrees(of(math.log(3), 0.0), 0.75, "epsilon = ln 3")
    if delta:
        agrees(of(2.0, 1.0), 1.0, "delta = 1 allows everything")
    rates, budgets = np.linspace(0, 1, 20_001), (0.1, 1.0, 3.0) if thorough else ()
    for epsilon in budgets:
        area = np.trapezoid([rate_ceiling(epsilon, 0.0, rate) for rate in rates.tolist()], rates)
        agrees(of(epsilon, 0.0), area, f"epsilon = {epsilon}", 1e-6)
    print("by hand: right" + (f", and {len(budgets)} areas under the bound" if thorough else ""))


def check_turn(turn: Callable, *, mirrors: bool = True, thorough: bool = False) -> None:
    """The orthogonal matrix that brings rows ``x`` nearest to rows ``y``: ``turn(x, y, weights)``, of tensors.

    :param mirrors: False for ``turn(x, y)`` of NumPy arrays, which must not mirror.
    :param thorough: also compare with all turns of the plane in steps of a degree.
    """
    def of(x, y):
        tensors = [torch.from_numpy(rows).float() for rows in (x, y, np.ones(len(x)))]
        w = torch.as_tensor(written(turn(*tensors) if mirrors else turn(x, y))).double().numpy()
        assert w.shape == (2, 2), f"a matrix [2, 2] for rows of two numbers, got {list(w.shape)}"
        assert np.allclose(w @ w.T, np.eye(2), atol=1e-5), "not orthogonal: W times its transpose is not the identity"
        assert mirrors or np.linalg.det(w) > 0, "this one mirrors"
        return w

    rows = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0], [5.0, 5.0]])
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    for exact in (quarter, abs(quarter)) if mirrors else (quarter,):
        assert np.allclose(of(rows, rows @ exact), exact, atol=1e-5), f"x @ W is to be y for y = x @ {exact.tolist()}"
    rng = np.random.default_rng(0)
    for x, y in rng.normal(size=(20 if thorough else 0, 2, 5, 2)):
        found, best = (((x @ w - y) ** 2).sum() for w in (of(x, y), best_turn(x, y)))
        assert found <= best + 1e-9, f"misfit {found:.3f}; {best:.3f} is possible"
    print("turns by hand: right" + (", and no turn in steps of a degree is better" if thorough else ""))


def best_turn(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of all turns of the plane in steps of a degree, without mirrors."""
    angles = np.deg2rad(np.arange(360))
    turns = np.array([[np.cos(angles), np.sin(angles)], [-np.sin(angles), np.cos(angles)]]).transpose(2, 0, 1)
    return min(turns, key=lambda w: ((x @ w - y) ** 2).sum())


def check_auc(auc: Callable, *, small_wins: bool = False) -> None:
    """The chance that a random match has a larger score than a random other one: ``auc(scores, matches)``, of lists.

    :param small_wins: for ``auc(losses, member)`` of tensors, where the smaller number wins.
    """
    def of(scores, matches):
        return auc(-torch.tensor(scores), torch.tensor(matches)) if small_wins else auc(scores, matches)

    agrees(of([0.9, 0.2, 0.1, 0.8], [True, False, False, True]), 1.0, "every match wins: a perfect attack", 1e-6)
    agrees(of([3.0] * 5, [True, True, False, False, False]), 0.5, "nothing but ties: no better than guessing", 1e-6)
    print("by hand: right")


def agrees(found: float, right: float, case: str, tolerance: float = 1e-9) -> None:
    """:raises AssertionError: unless ``found`` is a number next to ``right``; it names the case, not the answer."""
    found = written(found)
    number = found.item() if isinstance(found, (torch.Tensor, np.generic)) else found
    assert isinstance(number, (int, float)), f"a number is asked, got a {type(found).__name__}"
    assert number == right or math.isclose(number, right, rel_tol=tolerance, abs_tol=tolerance), f"wrong: {case}"


def written(found: Any) -> Any:
    """What a blank gives is no answer."""
    assert found is not None and found is not ..., "nothing is written there yet"
    return found
