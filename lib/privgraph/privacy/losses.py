r"""Privacy losses on a grid, never understated: what the accountant in ``composition`` composes.

The loss of an outcome o of a pair (P, Q) is :math:`L = \ln(P(o) / Q(o))`, and
:math:`\delta(\varepsilon) = E_P[(1 - e^{\varepsilon - L})_+]`. Here L is replaced by L', which takes multiples of a
step h only (and perhaps the value inf).

**Upper end** (connect the dots: Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022). Outcomes with losses between the
neighbours a and a + h are divided among the two such that P's and Q's probabilities keep their sums: of an outcome with
loss l the share :math:`w(l) = (1 - e^{a - l}) / (1 - e^{-h})` is moved up. Whoever forgets which of the two it was has
the original pair back, so the divided pair dominates, for every :math:`\varepsilon` and under composition. Moving
*more* up raises a loss in the sense of stochastic order, and :math:`\delta` is an expectation of a rising function of
each loss. Hence L' still dominates where a computed w is too large, where losses above the grid become inf, those
below it its lowest point, and where tail probabilities P(L > l) are taken too large. So w is raised by its largest
error, and the tails by theirs.

**Lower end.** Given L, L' is one of two neighbours, and its mean is at most ``convert`` above L:
:math:`w(l) h - (l - a) \le \frac{h^2}{8} \frac{h}{1 - e^{-h}}` (the error of a chord of w), and the raise of w. So for
independent uses, by Hoeffding's inequality,

.. math:: \Pr\Big[\sum L' > \sum L + \sum \text{lift} + t\Big] \le \eta, \quad
          t = \sqrt{\tfrac12 \ln\tfrac1\eta \sum \text{spread}^2}

where ``spread`` is h, or 0 where all losses lie on the grid. (Losses outside the grid, and the cells where w is raised
most, are left out of that: they have probability ``cut`` at most.) Therefore
:math:`\delta'(\varepsilon) \le \delta(\varepsilon - \sum\text{convert} - t) + \eta + \sum\text{cut}`.

**Errors.** A tail probability e^x (scipy's ``log_ndtr`` gives x, or x is in closed form) has a relative error of at
most ``RELATIVE`` (1 + \|x\|). The tests compare them with 50 digits. A loss l has an error of at most ``LOSS``
(1 + \|ln rate\|) max \|l\|, or of ``SNAP`` steps where a finite pair's loss is put on the grid. Over all uses these add
up to ``slack``, by which epsilon moves.
"""

import math
from dataclasses import dataclass

import numpy as np

RELATIVE = 2e-15  # of a tail probability, times 1 + |its logarithm|
LOSS = 1e-14
SNAP = 1e-9
MOST_CELLS = 2**21  # of one use


@dataclass(frozen=True)
class Losses:
    """The law of L' for one use, as logarithms of probabilities on the grid, and what is needed for both ends."""

    first: int  # multiple of the step
    mass: np.ndarray  # ln Pr[L' = (first + i) h]
    lost: float  # at least Pr[L' = inf]
    certain: float  # at most Pr[L = inf]
    cut: float
    convert: float
    spread: float
    slack: float

    @property
    def places(self) -> np.ndarray:
        return self.first + np.arange(len(self.mass))


def losses_of(pair, forth: bool, step: float, log_cut: float, top: float | None = None) -> Losses:
    """The losses of one use of ``pair``: of the first side against the second, or the other way round.

    :param log_cut: ln of what may lie outside the grid, on either side.
    :param top: where the grid ends instead.
    """
    if hasattr(pair, "tails"):
        return of_tails(pair, forth, step, log_cut, top)
    return of_outcomes(*pair.sides[0 if forth else 1], step)


def of_outcomes(p: np.ndarray, loss: np.ndarray, step: float) -> Losses:
    """Of finitely many outcomes: each is divided among two places, or lies on one."""
    certain = float(p[loss == math.inf].sum())
    lowest = loss[np.isfinite(loss)].min(initial=0.0)
    p, loss = p[loss < math.inf], np.maximum(loss[loss < math.inf], lowest)
    place = np.floor(loss / step + SNAP)
    over = np.maximum(loss / step - place, 0.0)
    over[over <= 2 * SNAP] = 0.0
    up = np.where(over > 0, np.minimum(1.0, np.expm1(-over * step) / np.expm1(-step) * (1 + LOSS) + LOSS), 0.0)
    first = int(place.min(initial=0))
    mass = np.zeros(int(place.max(initial=0)) - first + 2)
    np.add.at(mass, place.astype(int) - first, p * (1 - up))
    np.add.at(mass, place.astype(int) - first + 1, p * up)
    spread = step if (over > 0).any() else 0.0
    with np.errstate(divide="ignore"):
        return Losses(first, np.log(mass), certain * (1 + LOSS), certain * (1 - LOSS), 0.0,
                      chord(step) + step * LOSS if spread else 0.0, spread,
                      2 * SNAP * step + LOSS * np.abs(loss).max(initial=0.0))


def chord(step: float) -> float:
    """By how much the mean of L' is above L at most."""
    return step**2 / 8 * step / -math.expm1(-step)


def of_tails(pair, forth: bool, step: float, log_cut: float, top: float | None = None) -> Losses:
    """Of a continuous law, from its tails at the places of the grid."""
    low, high = pair.loss_range(forth, log_cut)
    high = high if top is None else top
    first, last = math.floor(low / step) - 1, math.ceil(high / step)
    loss = step * np.arange(first, last + 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        above_p, below_p, above_q, below_q = pair.tails(loss, forth)
        a, error_a = bins(above_p, below_p, 1.0)
        b, error_b = bins(above_q, below_q, 0.0)
        error = 4 * (np.exp(error_a - a) + np.exp(error_b - b))
        raised = (-np.expm1(b + loss[:-1] - a) + error) / -math.expm1(-step)
        up = np.where(np.isnan(raised), 1.0, np.clip(raised, 0.0, 1.0))
        stays, moves = np.append(a + np.log1p(-up), -math.inf), np.append(-math.inf, a + np.log(up))
    mass = np.logaddexp(stays, moves)
    mass[0] = np.logaddexp(mass[0], below_p[0])
    lost = math.exp(above_p[-1]) * (1 + 1e-9)
    cut = math.exp(log_cut)
    raise_, left_out = largest_but(error / -math.expm1(-step), np.exp(a), cut)
    return Losses(first, mass, lost, 0.0, lost + math.exp(below_p[0]) + left_out, chord(step) + step * min(1.0, raise_),
                  step, LOSS * (1 + abs(math.log(pair.rate))) * float(np.abs(loss).max()))


def bins(above: np.ndarray, below: np.ndarray, raised: float) -> tuple[np.ndarray, np.ndarray]:
    """ln Pr[cell], and ln of its error: a cell is a difference of tails, of the smaller kind, which are raised (above)
    or lowered (below) by ``raised`` times their own error."""
    upper, lower = above[:-1] <= -math.log(2), below[1:] <= -math.log(2)
    high, low = above + raised * relative(above), below - raised * relative(below)
    from_above = high[:-1] + log_difference(high[1:] - high[:-1])
    from_below = low[1:] + log_difference(low[:-1] - low[1:])
    between = np.log(np.maximum(1 - np.exp(low[:-1]) - np.exp(high[1:]), 0.0))
    largest = np.where(upper, above[:-1], np.where(lower, below[1:], 0.0))
    return np.where(upper, from_above, np.where(lower, from_below, between)), largest + np.log(relative(largest))


def relative(log_tail: np.ndarray) -> np.ndarray:
    """The relative error of a tail probability."""
    return RELATIVE * (1 + np.abs(np.maximum(log_tail, -1e300)))


def log_difference(ratio: np.ndarray) -> np.ndarray:
    """ln(1 - e^ratio), of a ratio of at most 0 (but for rounding)."""
    return np.where(np.isnan(ratio), -math.inf, np.log(-np.expm1(np.minimum(ratio, 0.0))))


def largest_but(values: np.ndarray, mass: np.ndarray, most: float) -> tuple[float, float]:
    """The largest value where there is mass, but for places with ``most`` of it together; and how much those have."""
    values, mass = values[mass > 0], mass[mass > 0]
    order = np.argsort(-values)
    together = np.cumsum(mass[order])
    skipped = min(int(np.searchsorted(together, most)), max(0, len(order) - 1))
    return (float(values[order[skipped]]) if len(order) else 0.0), (float(together[skipped - 1]) if skipped else 0.0)
