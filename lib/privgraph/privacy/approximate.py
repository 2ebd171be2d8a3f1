r"""Steps that are :math:`(\varepsilon, \delta)`-DP and no more is known of them; and finite pairs composed exactly.

Every :math:`(\varepsilon, \delta)`-DP mechanism is a mechanism with four outcomes followed by something that does not
look at the data: with probability :math:`\delta` it gives the data away, else it is randomised response (Kairouz, Oh
and Viswanath 2015; Murtagh and Vadhan 2016 for steps that differ). So the composition of these pairs is exact: some
mechanisms with those guarantees attain it.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..checks import check_count, check_epsilon, check_fraction, check_is
from .dominating_pairs import FinitePair, pure_pair

MOST_OUTCOMES = 5_000  # losses of a product that are listed


def approximate_pair(epsilon: float, delta: float) -> FinitePair:
    r"""The pair that dominates every :math:`(\varepsilon, \delta)`-DP mechanism.

    >>> pair = approximate_pair(1.0, 0.1)
    >>> round(pair.delta(1.0), 12), pair.epsilon
    (0.1, inf)
    """
    epsilon, delta = check_epsilon(epsilon), check_fraction(delta, "delta")
    if math.isinf(epsilon):
        return FinitePair((1.0, 0.0), (0.0, 1.0))
    if delta == 0:
        return pure_pair(epsilon)
    keep, flip = ((1 - delta) * p for p in pure_pair(epsilon).p)
    return FinitePair((delta, keep, flip, 0.0), (0.0, flip, keep, delta), (math.inf, epsilon, -epsilon, -math.inf))


def certain_loss(pair: FinitePair) -> tuple[float, float]:
    """(epsilon, delta): the largest finite loss, and the probability of an infinite one, the worse side.

    >>> tuple(round(value, 12) for value in certain_loss(approximate_pair(1.0, 0.1)))
    (1.0, 0.1)
    """
    lost = max(float(p[np.isinf(loss)].sum()) for p, loss in pair.sides)
    finite = np.concatenate([loss[np.isfinite(loss)] for _, loss in pair.sides])
    return float(np.abs(finite).max(initial=0.0)), min(1.0, lost)


def product_pair(pairs: Sequence[tuple[FinitePair, int]], most: int = MOST_OUTCOMES) -> FinitePair:
    """All outcomes of independent uses, those with equal losses together: what composition costs, exactly.

    :param pairs: (pair, how often it is used).
    :raises ValueError: where there are more than ``most`` different losses.

    >>> both = product_pair([(approximate_pair(1.0, 0.1), 1), (approximate_pair(2.0, 0.2), 1)])
    >>> round(both.delta(3.0), 12)
    0.28
    """
    whole = FinitePair((1.0,), (1.0,))
    for pair, count in pairs:
        whole = joined(whole, power(check_is(pair, "each pair", FinitePair), count, most), most)
    return whole


def power(pair: FinitePair, count: int, most: int) -> FinitePair:
    """``count`` uses of one pair, by squaring."""
    whole = FinitePair((1.0,), (1.0,))
    for bit in f"{check_count(count, 'count', low=1):b}":
        whole = joined(whole, whole, most)
        whole = joined(whole, pair, most) if bit == "1" else whole
    return whole


def joined(first: FinitePair, second: FinitePair, most: int) -> FinitePair:
    """Both, unless there are too many outcomes to list."""
    crowded = len(first.p) * len(second.p) > 400 * most
    if crowded or len((both := first.times(second)).p) > most:
        raise ValueError(f"pairs must have at most {most} different losses together to be listed one by one")
    return both


def finite_epsilon(pair: FinitePair, delta: float) -> float:
    r"""The smallest epsilon of at least 0 whose delta is at most ``delta``, which may be 0: solved, not searched for.

    Between two losses :math:`\delta = A - e^{\varepsilon} B`, where A and B are the two sides' probabilities of a
    larger loss.

    >>> finite_epsilon(pure_pair(2.0), 0.0), round(finite_epsilon(approximate_pair(1.0, 0.1), 0.1), 12)
    (2.0, 1.0)
    """
    delta = check_fraction(delta, "delta")
    return max(0.0, *(side_epsilon(p, loss, delta) for p, loss in pair.sides))


def side_epsilon(p: np.ndarray, loss: np.ndarray, delta: float) -> float:
    order = np.argsort(-loss, kind="stable")
    p, loss = p[order], loss[order]
    mine, other = np.cumsum(p), np.cumsum(p * np.exp(-loss))  # of losses at least as large as this one
    with np.errstate(invalid="ignore"):  # where two losses are inf
        below = mine - np.exp(np.append(loss[1:], -np.inf)) * other > delta  # too much at the next loss already
    if not below.any():  # delta is all that there is, but for rounding
        return -math.inf
    i = int(np.argmax(below))
    return math.inf if loss[i] == math.inf else min(float(loss[i]), math.log((mine[i] - delta) / other[i]))
