r"""What a privacy guarantee is, and how guarantees add up.

A mechanism M is :math:`(\varepsilon, \delta)`-differentially private when for all neighbouring inputs
x, x' and all sets S of outputs :math:`\Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta`.
A number without the *unit* (what may change) and the *relation* (how) means nothing, so a
``Guarantee`` carries both, and refuses to be added to one that speaks of something else.
"""

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated

from ..checks import check_all, check_choice, check_count
from ..checks.parameters import Choice, Fraction, NotNegative, Parameters

# A node is her features, her label and all her edges. What leaves the edges open speaks of "features and label".
# A sensitive link is an undirected edge between two people of a public list; other edges are known to all.
# A private edge is an undirected edge that one client of a federation alone holds: one of its ends is private there.
# A private part is all that a client alone holds: its private nodes, and every edge that has one of them as an end.
# A support graph is one labelled example of a class, with all its nodes and edges, of which one vector is made.
UNITS = ("label", "feature vector", "one feature", "features and label", "neighbour slot", "undirected edge",
         "sensitive link", "private edge", "private part", "support graph", "node", "nothing")
RELATIONS = ("replace", "add/remove", "swap in a neighbour list")
TRUSTS = ("local", "central")  # who sees raw data: nobody but its owner; a curator who publishes noisy answers
RANDOMNESS = ("secret", "public")  # noise that nobody can draw again; of a seed that somebody may know
BASES = ("proved", "enumerated", "accounted", "audited", "none")
# (larger unit, smaller unit): how many of the smaller one a larger one holds (None: the caller says), and the relation
# under which a change of the larger is made of that many changes of the smaller. Under another relation it is not: who
# swaps names in her own list changes no undirected edge, as the other end keeps it.
CONTAINS = {("feature vector", "one feature"): (None, "replace"),
            ("undirected edge", "neighbour slot"): (2, "add/remove"),
            ("features and label", "label"): (1, "replace"), ("features and label", "feature vector"): (1, "replace"),
            ("features and label", "one feature"): (None, "replace"),
            ("node", "label"): (1, "replace"), ("node", "feature vector"): (1, "replace"),
            ("node", "one feature"): (None, "replace"), ("node", "features and label"): (1, "replace"),
            ("node", "undirected edge"): (None, "add/remove"), ("node", "neighbour slot"): (None, "add/remove")}


@dataclass(frozen=True)
class Guarantee(Parameters):
    """What holds: ``epsilon`` and ``delta`` for one ``unit`` that changes by one ``relation``.

    ``trust`` says who sees raw data; ``basis`` says how we know; ``claimed`` keeps the epsilon that a paper claims,
    where that differs. ``randomness`` says what the noise was drawn from: of a mechanism or a method, that it is to be
    "secret"; of what came out of a run, what it was. All but the two numbers are given by name.
    """

    epsilon: Annotated[float, NotNegative(inf=True)]
    delta: Annotated[float, Fraction()] = 0.0
    _: KW_ONLY
    unit: Annotated[str, Choice(UNITS)] = "nothing"
    relation: Annotated[str, Choice(RELATIONS)] = "replace"
    trust: Annotated[str, Choice(TRUSTS)] = "local"
    basis: Annotated[str, Choice(BASES)] = "none"
    claimed: Annotated[float | None, NotNegative(inf=True, none=True)] = None
    randomness: Annotated[str, Choice(RANDOMNESS)] = "secret"

    @property
    def numerics(self) -> str:
        """``"exact"``: what was drawn has the stated distribution, in floats too (``mechanisms.exact``).
        ``"idealised"``: it was computed with floats as if they were real numbers, as experiments do."""
        return "exact" if self.randomness == "secret" else "idealised"

    @property
    def holds(self) -> bool:
        """Whether anybody may rely on it: we know why it holds, and nobody else can draw the noise again.

        >>> Guarantee(1.0, unit="label", basis="proved", randomness="public").holds
        False
        """
        return self.basis != "none" and self.randomness == "secret"

    def convert(self, unit: str, count: int | None = None) -> "Guarantee":
        r"""The guarantee of the same output for a larger unit that holds ``count`` of the present one (group privacy).

        :math:`k` changes cost :math:`k\varepsilon` and :math:`\delta \sum_{i<k} e^{i\varepsilon}`
        (Dwork and Roth 2014, Theorem 2.2 and its proof). The output reads nothing else of the larger unit: a report of
        a label costs a node as much as a label. ``CONTAINS`` says under which relation one change is made of k others.
        Where that delta is 1 or more, nothing is left to say, and epsilon is inf.

        :param unit: the larger unit, one of ``UNITS``.
        :raises ValueError: where no proof leads to that unit, or where ``count`` must be given.

        >>> slot = Guarantee(1.0, unit="neighbour slot", relation="add/remove", basis="proved")
        >>> slot.convert("undirected edge").epsilon      # two people hold an undirected edge
        2.0
        """
        if unit == self.unit:
            return self
        if (unit, self.unit) not in CONTAINS:
            raise ValueError(f"a guarantee for {self.unit!r} cannot be lifted to {unit!r}")
        fixed, relation = CONTAINS[unit, self.unit]
        if self.relation != relation:
            raise ValueError(f"a guarantee for {self.unit!r} can be lifted to {unit!r} under {relation!r} only, "
                             f"got {self.relation!r}")
        count = fixed if count is None else count
        if count is None:
            raise ValueError(f"say how many of {self.unit!r} one {unit!r} holds: convert({unit!r}, count)")
        check_count(count, "count", low=0 if fixed is None else fixed, high=fixed)
        if count == 0:
            return replace(self, epsilon=0.0, delta=0.0, unit=unit)
        if self.delta == 0:
            delta = 0.0
        elif math.isinf(self.epsilon):
            raise ValueError("delta of an infinite epsilon cannot be lifted")
        elif (count - 1) * self.epsilon + math.log(self.delta) >= 0:  # the last term is 1 already, or overflows
            delta = 1.0
        else:
            delta = self.delta * sum(math.exp(i * self.epsilon) for i in range(count))
        if delta >= 1:
            return replace(self, epsilon=math.inf, delta=0.0, unit=unit)
        return replace(self, epsilon=count * self.epsilon, delta=delta, unit=unit)


def find_guarantee(guarantees: Iterable[Guarantee], unit: str, relation: str | None = None) -> Guarantee:
    """The one of several guarantees that speaks of ``unit`` and, where more than one does, of ``relation``.

    :raises ValueError: where none speaks of it, or several.

    >>> slot = Guarantee(1.0, unit="neighbour slot", relation="add/remove", basis="proved")
    >>> find_guarantee((slot, slot.convert("undirected edge")), "undirected edge").epsilon
    2.0
    """
    check_choice(unit, "unit", UNITS)
    check_choice("replace" if relation is None else relation, "relation", RELATIONS)
    guarantees = check_all(guarantees, "guarantees", Guarantee)
    found = [g for g in guarantees if g.unit == unit and relation in (None, g.relation)]
    if len(found) != 1:
        stated = ", ".join(f"{g.unit} ({g.relation})" for g in guarantees) or "nothing"
        raise ValueError(f"exactly one guarantee must speak of unit={unit!r}, relation={relation!r}, "
                         f"got {len(found)} of these: {stated}")
    return found[0]


def drawn(guarantees: Iterable[Guarantee], randomness: str) -> tuple[Guarantee, ...]:
    """What holds for a run whose noise was of this kind.

    :param randomness: "secret" or "public".

    >>> [g.holds for g in drawn([Guarantee(1.0, unit="label", basis="proved")], "public")]
    [False]
    """
    return tuple(replace(g, randomness=check_choice(randomness, "randomness", RANDOMNESS)) for g in guarantees)


def compose(*guarantees: Guarantee) -> Guarantee:
    """Basic composition: epsilons and deltas add, within one unit, relation and trust model only;
    see ``convert`` for delta >= 1.

    :raises ValueError: for none, and for several units, relations or trust models.
    :raises TypeError: for what is no guarantee.

    >>> label = Guarantee(3.0, unit="label", basis="proved").convert("features and label")
    >>> vector = Guarantee(1.0, unit="feature vector", basis="proved").convert("features and label")
    >>> compose(label, vector).epsilon
    4.0
    """
    if not guarantees:
        raise ValueError("guarantees must be at least one, got none")
    if odd := [g for g in guarantees if not isinstance(g, Guarantee)]:
        raise TypeError(
            f"each guarantee must be a privgraph.privacy.Guarantee, got {odd[0]!r}; compose(*several) unpacks a list")
    for field in ("unit", "relation", "trust"):
        kinds = {getattr(g, field) for g in guarantees}
        if len(kinds) > 1:
            raise ValueError(f"guarantees compose within one {field} only, got {' and '.join(sorted(kinds))}; "
                             "convert() brings units together")
    weakest = max(guarantees, key=lambda g: BASES.index(g.basis))
    weakest = replace(weakest, randomness=max((g.randomness for g in guarantees), key=RANDOMNESS.index))
    if sum(g.delta for g in guarantees) >= 1:
        return replace(weakest, epsilon=math.inf, delta=0.0, claimed=None)
    return replace(weakest, epsilon=sum(g.epsilon for g in guarantees), delta=sum(g.delta for g in guarantees),
                   claimed=None)
