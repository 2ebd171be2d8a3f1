"""What a finite mechanism guarantees, as statements about every epsilon that nobody has to write."""

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from privgraph.audit.exact import related
from privgraph.audit.refusals import budgets
from privgraph.audit.refuting import neighbours_of
from privgraph.mechanisms import AuditCase, Mechanism

from .certificates import Certificate, Statement, Unknown, verify
from .decide import decide
from .readings import OneLine

MOST_PARTS = 12  # of the smallest budget, in which an epsilon is counted


def certified(mechanism: Mechanism) -> Iterator[tuple[Statement, Certificate]]:
    """Each statement with the certificate that the prover found and the checker verified.

    >>> from privgraph.mechanisms import NoisyVotes
    >>> [(statement.name, found.verdict) for statement, found in certified(NoisyVotes(3.0, "gumbel"))]
    [('node, add/remove', 'holds')]
    """
    for statement in stated(mechanism):
        found = decide(statement)
        if not verify(statement, found):
            raise ArithmeticError(f"{statement.name}: the checker does not believe the prover, of {mechanism!r}")
        yield statement, found


def stated(mechanism: Mechanism) -> Iterator[Statement]:
    """Each guarantee whose epsilon is a multiple of the budgets, on the inputs of the mechanism's own audit case.

    All budgets are alike (``OneLine``). Left out are inputs between others, where weights are no polynomials in whole
    numbers (vectors that are no corners); and an epsilon that is no such multiple, which wants a family of its own.

    :raises ValueError: where the law that the audit reads is another one than ``weights``.
    """
    mechanism = at(mechanism, 1.0)
    case = mechanism.audit_case()
    for place, guarantee in enumerate(mechanism.guarantees):
        if power := multiple(mechanism, place):
            law = OneLine(mechanism, power.denominator, case.public)
            pairs = related(case.inputs, neighbours_of(case, guarantee))
            inputs = {whole: None for whole in map(in_whole_numbers, pairs) if is_whole(law, whole)}
            check_law(mechanism, case, inputs)
            yield Statement(f"{guarantee.unit}, {guarantee.relation}", law, tuple(inputs),
                            lambda t, power=power: (t**power.numerator, 1),
                            lambda x, pairs=pairs, inputs=inputs: [whole for whole in inputs if whole in pairs[x]],
                            "e^budget" if power.denominator == 1 else f"e^(budget/{power.denominator})")


def at(mechanism: Mechanism, epsilon: float) -> Mechanism:
    """The mechanism with this for each budget."""
    return replace(mechanism, **dict.fromkeys(budgets(mechanism), epsilon))


def multiple(mechanism: Mechanism, place: int) -> Fraction | None:
    """How many budgets the epsilon of a guarantee is, whatever the budgets; None: no such number."""
    found = set()
    for each in (at(mechanism, 1.0), at(mechanism, 0.25)):
        stated, unit = each.guarantees[place], min(each.budgets)
        value = stated.epsilon / unit
        if stated.delta or math.isinf(value):
            return None
        power = Fraction(value).limit_denominator(MOST_PARTS)
        found.add(power if math.isclose(power, value, rel_tol=1e-9) else None)
    return found.pop() if len(found) == 1 else None


def in_whole_numbers(x):
    """An input as a certificate has it: 1 for 1.0."""
    if isinstance(x, (tuple, frozenset)):
        return type(x)(map(in_whole_numbers, x))
    return int(x) if x == int(x) else x


def is_whole(law: OneLine, x: Hashable) -> bool:
    """Whether its weights are polynomials in whole numbers."""
    try:
        return all(type(weight) in (int, Unknown) for weight in law.weights(x, Unknown([], "t")).values())
    except TypeError:  # of a t that meets a fraction
        return False


def check_law(mechanism: Mechanism, case: AuditCase, inputs: Iterable[Hashable]) -> None:
    """Whether the audit reads the same law: with t = e^budget in whole numbers, not with t = 1 as it does itself.

    :raises ValueError: where it does not.
    """
    ts = tuple(Fraction(math.exp(budget)) for budget in mechanism.budgets)
    for x in inputs:
        weights = mechanism.weights(x, *((ts[0], 1) if len(ts) == 1 else (ts, (1,) * len(ts))), *case.public)
        told, total = (case.distribution or mechanism.distribution)(x), sum(weights.values())
        weighed = {o: float(weight / total) for o, weight in weights.items()}
        if any(not math.isclose(told.get(o, 0), weighed.get(o, 0), rel_tol=1e-9) for o in {**told, **weighed}):
            raise ValueError(f"the chances on {x!r} must be those of the weights, got {told} beside {weighed}")
