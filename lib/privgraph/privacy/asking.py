"""Every answer to one question: epsilon at a delta, or delta at an epsilon, by each accountant that has one.

An accountant that has no answer says why, and costs the others nothing.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from scipy.optimize import brentq

from ..checks import check_count, check_fraction, check_number
from .accounting import (
    MOST_USES,
    ORDERS,
    SAFE,
    Step,
    advanced_composition,
    check_steps,
    classic_conversion,
    exact_delta,
    exact_epsilon,
    pld_epsilon,
    rdp_epsilon,
    uses,
)
from .approximate import certain_loss, finite_epsilon, product_pair
from .calibration import bracket, safe
from .conversions import gdp_delta, gdp_epsilon
from .discrete import DiscreteGaussianPair
from .dominating_pairs import FinitePair
from .noise_pairs import GaussianPair, LaplacePair

DIGITS = 5  # that are printed
LEAST = 1e-300  # a delta below which none is looked for
LOWER = "PLD, optimistic"  # the only row that is a lower bound


@dataclass(frozen=True)
class Answer:
    """``value``, or None and ``why_not``. ``upper``: the truth is not above it; else it is not below."""

    value: float | None
    why_not: str = ""
    upper: bool = True

    def __str__(self) -> str:
        return f"none: {self.why_not}" if self.value is None else printed(self.value, self.upper)


def printed(value: float, up: bool = True, digits: int = DIGITS) -> str:
    """A number in so many digits, rounded to the safe side: bounds from above up, from below down.

    >>> printed(1.00001), printed(1.00001, up=False), printed(27.5100049), printed(1e-9), printed(1234567.0)
    ('1.0001', '1', '27.511', '1e-9', '1234600')
    """
    if math.isinf(value):
        return "inf"
    context = Context(prec=check_count(digits, "digits", low=1), rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = context.create_decimal(Decimal(float(value)) if value != float(f"{value:.{digits}g}") else
                                     Decimal(f"{value:.{digits}g}")).normalize()
    return f"{rounded:f}" if -5 < rounded.adjusted() < 9 else f"{rounded:e}"


def epsilon_answers(steps: Sequence[Step], delta: float) -> dict[str, Answer]:
    """Epsilon of all steps together at ``delta``, which may be 0, by every accountant.

    >>> from privgraph.privacy import pure_pair
    >>> {name: str(answer) for name, answer in epsilon_answers([Step(pure_pair(0.1), 100)], 0.0).items()}["exact"]
    '10'
    """
    steps, delta = list(check_steps(steps)), check_fraction(delta, "delta")
    rows = {"basic": answer(lambda: basic_epsilon(steps, delta)),
            "advanced": answer(lambda: advanced_epsilon(steps, delta)),
            "RDP, classic": answer(lambda: renyi_epsilon(steps, delta, classic_conversion)),
            "RDP, improved": answer(lambda: renyi_epsilon(steps, delta))}
    brackets = []
    rows["PLD, pessimistic"] = answer(lambda: brackets.append(pld_epsilon(steps, delta)) or brackets[0].pessimistic)
    rows[LOWER] = Answer(brackets[0].optimistic, upper=False) if brackets else rows["PLD, pessimistic"]
    rows["exact"] = answer(lambda: exact_answer(steps, delta=delta))
    return rows


def delta_answers(steps: Sequence[Step], epsilon: float) -> dict[str, Answer]:
    """Delta of all steps together at ``epsilon`` of at least 0, by every accountant that can be asked so.

    >>> from privgraph.privacy.approximate import approximate_pair
    >>> both = [Step(approximate_pair(1.0, 0.1)), Step(approximate_pair(2.0, 0.2))]
    >>> str(delta_answers(both, 3.0)["exact"])
    '0.28'
    """
    steps = list(check_steps(steps))
    epsilon = check_number(epsilon, "epsilon", low=0, open_high=True, allowed="be at least 0 and finite")
    return {"basic": answer(lambda: basic_delta(steps, epsilon)),
            "advanced": answer(lambda: advanced_delta(steps, epsilon)),
            "RDP, improved": answer(lambda: renyi_delta(steps, epsilon)),
            "PLD, pessimistic": answer(lambda: pld_delta(steps, epsilon)),
            "exact": answer(lambda: exact_answer(steps, epsilon=epsilon))}


def answer(ask: Callable[[], float]) -> Answer:
    """What an accountant says, or why it says nothing."""
    try:
        return Answer(float(ask()))
    except ArithmeticError:
        return Answer(None, "numbers on the way leave the range of floats")
    except MemoryError:
        return Answer(None, "there is not enough memory")
    except (ValueError, TypeError, NotImplementedError) as error:
        said = " ".join(str(error).split())
        if "must have different signs" in said:  # brentq
            said = "no float is the answer"
        return Answer(None, said)


def best(rows: dict[str, Answer]) -> tuple[str, Answer] | None:
    """The smallest upper bound and whose it is."""
    found = [(name, row) for name, row in rows.items() if row.value is not None and row.upper]
    return min(found, key=lambda each: each[1].value) if found else None


def basic_epsilon(steps: list[Step], delta: float) -> float:
    """The sum of what is certain, if the steps give the data away with probability at most ``delta`` in all."""
    epsilon, lost = certain(steps)
    return epsilon if lost <= delta else math.inf


def basic_delta(steps: list[Step], epsilon: float) -> float:
    certain_epsilon, lost = certain(steps)
    return lost if epsilon >= certain_epsilon else 1.0


def certain(steps: list[Step]) -> tuple[float, float]:
    """(epsilon, delta) by basic composition. Steps that give the data away do so independently."""
    kept, total = 0.0, 0.0
    for step in steps:
        epsilon, lost = certain_loss(step.pair) if isinstance(step.pair, FinitePair) else (step.pair.epsilon, 0.0)
        total += step.count * epsilon
        kept += step.count * (math.log1p(-lost) if lost < 1 else -math.inf)
    return total, -math.expm1(kept)


def pure(steps: list[Step]) -> Step:
    """The only step, whose epsilon is finite: what advanced composition is about."""
    if len(steps) != 1 or not math.isfinite(steps[0].pair.epsilon):
        raise ValueError("advanced composition is about uses of one mechanism with a finite epsilon at delta 0")
    return steps[0]


def advanced_epsilon(steps: list[Step], delta: float) -> float:
    step = pure(steps)
    return step.count * step.pair.epsilon if delta == 0 else advanced_composition(step.pair.epsilon, step.count, delta)


def advanced_delta(steps: list[Step], epsilon: float) -> float:
    """Azuma's inequality at ``epsilon``: ``advanced_composition`` solved for delta."""
    step = pure(steps)
    if epsilon >= step.count * step.pair.epsilon:
        return 0.0
    excess = epsilon - step.count * step.pair.epsilon * math.tanh(step.pair.epsilon / 2)
    return math.exp(-max(excess, 0.0) ** 2 / (2 * step.count * step.pair.epsilon**2))


def renyi_epsilon(steps: list[Step], delta: float, *conversion) -> float:
    """``rdp_epsilon``; at delta 0 there is nothing to convert."""
    if delta == 0:
        raise ValueError("Renyi divergences of finite order say nothing about delta = 0")
    return rdp_epsilon(steps, delta, *conversion)


def renyi_delta(steps: list[Step], epsilon: float) -> float:
    r"""``improved_conversion`` solved for delta, at the best of ``ORDERS``."""
    def log_delta(order: float) -> float:
        rdp = sum(step.count * step.pair.rdp(order) for step in steps) * (1 + SAFE)
        return (order - 1) * (rdp - epsilon + math.log1p(-1 / order)) - math.log(order)
    return math.exp(min(0.0, *(log_delta(order) for order in ORDERS)))


def pld_delta(steps: list[Step], epsilon: float, tolerance: float = 0.01) -> float:
    """A delta at which ``pld_epsilon`` is at most ``epsilon``, about ``tolerance`` (relative) above the smallest."""
    def excess(log_delta: float) -> float:
        spent = pld_epsilon(steps, math.exp(log_delta), 0.002).pessimistic
        return min(spent - epsilon, 1e9) if spent > 0 else -1.0  # the least of many deltas at which nothing is spent
    high = min(-1e-9, math.log(max(renyi_delta(steps, epsilon), LEAST))) if all_renyi(steps) else -1e-9
    if excess(high) > 0:
        return 1.0
    low, step = high - 1.0, 2.0
    while low > math.log(LEAST) and excess(low) <= 0:
        high, low, step = low, max(low - step, math.log(LEAST)), 2 * step
    if excess(low) <= 0:
        return math.exp(low)
    near = brentq(excess, low, high, xtol=tolerance / 2)
    while excess(near) > 0:
        near += tolerance / 2
    return math.exp(near)


def all_renyi(steps: list[Step]) -> bool:
    """Whether Renyi divergences say anything about these steps."""
    return all(math.isfinite(step.pair.rdp(2)) for step in steps)


def exact_answer(steps: list[Step], delta: float | None = None, epsilon: float | None = None) -> float:
    """Epsilon at ``delta`` or delta at ``epsilon`` where sums or closed forms have it to float precision."""
    if all(isinstance(step.pair, GaussianPair) and step.pair.rate == 1 for step in steps):
        mu = math.sqrt(sum(step.count / step.pair.sigma**2 for step in steps))  # many Gaussians are one
        return gdp_delta(mu, epsilon) if delta is None else math.inf if delta == 0 else gdp_epsilon(mu, delta)
    if all(isinstance(step.pair, FinitePair) for step in steps):
        return exact_finite(steps, delta, epsilon)
    if delta == 0:
        return sum(step.count * step.pair.epsilon for step in steps)  # the largest losses meet
    if uses(steps) == 1 and isinstance(steps[0].pair, LaplacePair | GaussianPair | DiscreteGaussianPair):
        return exact_single(steps[0].pair, delta, epsilon)
    raise ValueError("only one use, Gaussian noise without sampling, and few outcomes are summed exactly")


def exact_finite(steps: list[Step], delta: float | None, epsilon: float | None) -> float:
    """Pairs with finitely many outcomes: two outcomes by the binomial sum, others by listing."""
    first, *others = steps
    if delta == 0:
        return basic_epsilon(steps, delta)
    if not others and len(first.pair.p) == 2 and math.isfinite(first.pair.epsilon) and first.count <= MOST_USES:
        asked = (exact_delta, epsilon) if delta is None else (exact_epsilon, delta)
        return asked[0](first.pair, first.count, asked[1])
    whole = product_pair([(step.pair, step.count) for step in steps])
    return whole.delta(epsilon) if delta is None else finite_epsilon(whole, delta)


def exact_single(pair, delta: float | None, epsilon: float | None) -> float:
    """One use, by the closed form of its curve."""
    if delta is None:
        return pair.delta(epsilon)
    if pair.delta(0.0) <= delta:
        return 0.0
    high = 1.0
    while pair.delta(high) > delta and high < pair.epsilon:
        high *= 2
    return float(brentq(lambda e: pair.delta(e) - delta, 0.0, min(high, pair.epsilon), xtol=1e-12))


def exact_scale(steps: Callable[[float], Sequence[Step]], epsilon: float, delta: float) -> float:
    """The smallest scale at which ``exact_answer`` is at most ``epsilon``, rounded up as by ``calibrate``."""
    def spent(scale: float) -> float:
        return exact_answer(list(steps(scale)), delta=delta)

    def excess(log_scale: float) -> float:
        return max(-50.0, min(50.0, math.log(max(spent(math.exp(log_scale)), 1e-300) / epsilon)))
    low, high = bracket(excess, epsilon, "exact")
    near = brentq(excess, low, high, xtol=1e-6)
    return safe(lambda scale: spent(scale) <= epsilon, math.exp(near), 1e-5)
