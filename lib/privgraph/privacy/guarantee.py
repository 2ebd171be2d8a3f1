r"""What a privacy guarantee is, and how guarantees add up.

A mechanism M is :math:`(\varepsilon, \delta)`-differentially private when for all neighbouring inputs
x, x' and all sets S of outputs :math:`\Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta`.
A number without the *unit* (what may change) and the *relation* (how) means nothing, so a
``Guarantee`` carries both, and refuses to be added to one that speaks of something else.
"""

import math
from dataclasses import dataclass, replace

from ..checks import check_choice, check_count, check_share

UNITS = ("label", "feature vector", "one feature", "neighbour slot", "undirected edge", "node", "nothing")
RELATIONS = ("replace", "add/remove", "swap in a neighbour list")
BASES = ("proved", "enumerated", "accounted", "audited", "none")
# How many smaller units one larger unit holds, where that number is fixed. `None`: the caller says.
CONTAINS = {("feature vector", "one feature"): None, ("undirected edge", "neighbour slot"): 2,
            ("node", "label"): 1, ("node", "feature vector"): 1, ("node", "undirected edge"): None,
            ("node", "neighbour slot"): None, ("node", "one feature"): None}


@dataclass(frozen=True)
class Guarantee:
    """What holds: ``epsilon`` and ``delta`` for one ``unit`` that changes by one ``relation``.

    ``trust`` says who sees raw data ("local": nobody but its owner); ``basis`` says how we know;
    ``claimed`` keeps the epsilon that a paper claims, where that differs.
    """

    epsilon: float
    delta: float = 0.0
    unit: str = "nothing"
    relation: str = "replace"
    trust: str = "local"
    basis: str = "none"
    claimed: float | None = None

    def __post_init__(self):
        if math.isnan(self.epsilon) or self.epsilon < 0:
            raise ValueError(f"epsilon must be at least 0, got {self.epsilon!r}")
        check_share(self.delta, "delta")
        check_choice(self.unit, "unit", UNITS)
        check_choice(self.relation, "relation", RELATIONS)
        check_choice(self.basis, "basis", BASES)

    def lift(self, unit: str, count: int | None = None) -> "Guarantee":
        r"""The guarantee for a larger unit that holds ``count`` of the present one (group privacy).

        :math:`k` changes cost :math:`k\varepsilon` and :math:`\delta \sum_{i<k} e^{i\varepsilon}`
        (Dwork and Roth 2014, Theorem 2.2 and its proof).

        >>> slot = Guarantee(1.0, unit="neighbour slot", relation="add/remove", basis="proved")
        >>> slot.lift("undirected edge").epsilon      # two people hold an undirected edge
        2.0
        """
        if unit == self.unit:
            return self
        if (unit, self.unit) not in CONTAINS:
            raise ValueError(f"a guarantee for {self.unit!r} cannot be lifted to {unit!r}")
        count = CONTAINS[unit, self.unit] if count is None else count
        if count is None:
            raise ValueError(f"say how many of {self.unit!r} one {unit!r} holds: lift({unit!r}, count)")
        check_count(count, "count", low=0)
        if count == 0:
            return replace(self, epsilon=0.0, delta=0.0, unit=unit)
        if self.delta == 0:
            delta = 0.0
        elif math.isinf(self.epsilon):
            raise ValueError("delta of an infinite epsilon cannot be lifted")
        else:
            delta = self.delta * sum(math.exp(i * self.epsilon) for i in range(count))
        return replace(self, epsilon=count * self.epsilon, delta=delta, unit=unit)


def compose(*guarantees: Guarantee) -> Guarantee:
    """Basic composition: epsilons and deltas add, within one unit, relation and trust model only.

    >>> label = Guarantee(3.0, unit="label", basis="proved").lift("node")
    >>> vector = Guarantee(1.0, unit="feature vector", basis="proved").lift("node")
    >>> compose(label, vector).epsilon
    4.0
    """
    if not guarantees:
        raise ValueError("compose needs at least one guarantee")
    for field in ("unit", "relation", "trust"):
        kinds = {getattr(g, field) for g in guarantees}
        if len(kinds) > 1:
            raise ValueError(f"guarantees compose within one {field} only, got {' and '.join(sorted(kinds))}; "
                             "lift() brings units together")
    weakest = max(guarantees, key=lambda g: BASES.index(g.basis))
    return replace(weakest, epsilon=sum(g.epsilon for g in guarantees), delta=sum(g.delta for g in guarantees),
                   claimed=None)
