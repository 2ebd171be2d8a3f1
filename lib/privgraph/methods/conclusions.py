"""What a run means, in a few sentences that follow by a rule from its accuracies by seed and from its guarantees.

Arms ran on the same seeds, so they are compared seed by seed: by the interval of the mean difference (Student's t), and
never by whether two intervals overlap. The k comparisons of a verdict share an error of 5%: each is made at the level
1 - 0.05 / k (Bonferroni), so that at most 5 in 100 verdicts hold a comparison that is wrong, as far as differences over
seeds are near normal. Accuracies of few test nodes are not: they lie on a grid, on which a few runs look more alike
than they are. So the spread is taken to be at least half of what one test node counts, which is the largest that a
choice between two neighbouring values can have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..checks import check_all, check_count
from ..nn.evaluation import interval
from ..privacy.guarantee import Guarantee

ERROR = 0.05  # of all comparisons of a verdict together
FEWEST = 3  # seeds; of two, the factor of Student's t alone is 12.7 and more
MARGIN = 1.0  # points: less than this between two arms is not worth a difference to anybody
SMALLEST = "majority class"
# What each arm is, by its name; of "all, own" that of "own". Other arms are in the table, and in no sentence.
BASELINES = {SMALLEST: "always naming the largest class", "chance": "guessing",
             "counting": "what one can count in a graph"}
CONTROLS = {"permuted features": "people's own features", "constant features": "people's own features",
            "random features": "people's own features", "rewired edges": "the true edges", "untrained": "training",
            "own": "the other clients", "noise": "the other clients"}
REFERENCES = {"plain GCN": "a plain GCN without privacy", "student of true labels": "a student of the true labels",
              "linear probe of x": "a linear probe of the true features"}
INSTEAD = {"own": "its own rows back", "noise": "noise in place of answers"}
AGAINST_IT = ("less", "same", "unclear", "more")  # a control says most against what it takes away where it is better
ALL = "all"  # nodes of a federation, of which its arms are groups
# How often at most somebody is right who guesses, from what left, which of two equally likely values a unit has.
SIZES = {"small": 0.75, "moderate": 0.95, "large": 0.999}
MEANINGLESS = "meaningless"
AGAINST = {"local": "against everybody, whoever collects the reports included",
           "central": "against whoever sees what is released, but not against the curator"}


@dataclass(frozen=True)
class Gap:
    """By how many points one arm is above another, in the mean over seeds: an interval.

    :param low: its lower end.
    :param high: its upper end.
    :param equal: whether both were the same in every run.
    """

    low: float
    high: float
    equal: bool = False

    @property
    def kind(self) -> str:
        """"more", "less", "same" (within ``MARGIN``), or "unclear".

        >>> [Gap(*ends).kind for ends in ((0.2, 3.0), (-4.0, -0.1), (-0.5, 1.0), (-0.5, 1.1))]
        ['more', 'less', 'same', 'unclear']
        """
        if self.low > 0:
            return "more"
        if self.high < 0:
            return "less"
        return "same" if max(-self.low, self.high) <= MARGIN else "unclear"

    def points(self) -> str:
        """How many: of a difference without its sign, else with it."""
        if self.kind in ("more", "less"):
            low, high = sorted((abs(self.low), abs(self.high)))
            return f"{low:.1f} to {high:.1f} points"
        return "the same in every run" if self.equal else f"{self.low:+.1f} to {self.high:+.1f} points"


def verdict(values: Mapping[str, Sequence[float]], guarantees: Sequence[Guarantee] | None = None, *,
            answers: int | None = None, reads_labels: bool = False) -> tuple[str, ...]:
    """The sentences: is it better than what learns nothing, than its null controls, what did privacy cost, what is
    protected; and how often such sentences err.

    :param values: accuracies in percent by arm, one a seed, the method first; its arms are told apart by their names.
    :param guarantees: what holds where the randomness is secret; None leaves that sentence out.
    :param answers: how many answers one accuracy counts, at least 1; None: so many that it does not matter.
    :param reads_labels: whether the method was told the labels of test nodes: then accuracies say nothing.
    :raises ValueError: where arms have different numbers of seeds.

    >>> found = {"real graph": [80.0, 81.0, 82.5], "rewired edges": [60.0, 60.5, 62.0]}
    >>> print(verdict(found, [Guarantee(1.0, unit="undirected edge", trust="central", basis="proved")])[0])
    The method gains from the true edges: with rewired edges it names 19.6 to 21.1 points fewer right.
    """
    check_paired(values)
    held = () if guarantees is None else (protection(guarantees),)
    if reads_labels:
        return "The labels of test nodes were read: the accuracy says nothing of new people.", *held
    if not values or len(values[method_arm(values)]) < FEWEST:
        return "Too few runs to compare: no interval; run at least three seeds.", *held
    return (*comparisons(values, answers), *held)


def check_paired(values: Mapping[str, Sequence[float]]) -> None:
    """Refuse to compare arms of other seeds, as of two evaluations; groups that some splits lack are not compared."""
    sizes = {name: len(values[name]) for name in ((method_arm(values), *compared(values)) if values else ())}
    if len(set(sizes.values())) > 1:
        raise ValueError("arms must have the same seeds, got these numbers of them: "
                         f"{', '.join(f'{name} {size}' for name, size in sizes.items())}")


def comparisons(values: Mapping[str, Sequence[float]], answers: int | None) -> tuple[str, ...]:
    """The sentences on accuracies, and what they are worth."""
    found = gaps(values, answers)
    told = (against_baselines(found), against_controls(found), against_references(found, measure(values, answers)))
    told = tuple(capital(f"{each}.") for each in told if each)
    if method_arm(values) == ALL and not any(name in CONTROLS for name in found):
        told = (*told, "What the federation is worth to a client these arms do not say: in none does it go without.")
    return (*told, certainty(count(values), len(values[method_arm(values)]))) if found else told


def gaps(values: Mapping[str, Sequence[float]], answers: int | None) -> dict[str, Gap]:
    """The method minus each arm that it is compared with, by what the arm is."""
    own = method_arm(values)
    return {role: gap(values[own], values[name], count(values), answers) for name, role in compared(values).items()}


def method_arm(values: Mapping[str, Sequence[float]]) -> str:
    """The arm of the method itself: the first; of a federation, on all nodes."""
    return ALL if ALL in values else next(iter(values))


def compared(values: Mapping[str, Sequence[float]]) -> dict[str, str]:
    """Arm -> what it is, of the arms that sentences speak of: those of the method's own group of nodes."""
    own = method_arm(values)
    found = {name: name.rpartition(", ")[2] for name in values if name != own}
    return {name: role for name, role in found.items() if role in BASELINES | CONTROLS | REFERENCES
            and name in (role, f"{own}, {role}")}


def count(values: Mapping[str, Sequence[float]]) -> int:
    """How many comparisons a verdict makes: of the method with each arm, and of each reference with the largest
    class."""
    roles = [*compared(values).values()]
    return len(roles) + sum(role in REFERENCES for role in roles if SMALLEST in roles)


def gap(own: Sequence[float], other: Sequence[float], of: int = 1, answers: int | None = None) -> Gap:
    """The interval of a mean difference, one of several that shall all hold.

    :param own: percent by seed.
    :param other: percent by seed, of the same seeds.
    :param of: how many intervals share ``ERROR``.
    :param answers: how many answers one accuracy counts; None: many.
    """
    apart = [a - b for a, b in zip(own, other, strict=True)]
    least = 0.0 if answers is None else 50 / check_count(answers, "answers", low=1)
    found = interval(apart, 1 - ERROR / of, least)
    return Gap(found.low, found.high, not any(apart))


def measure(values: Mapping[str, Sequence[float]], answers: int | None) -> dict[str, Gap]:
    """Each reference minus the largest class: one that knows no more than that measures nothing."""
    if SMALLEST not in values:
        return {}
    return {name: gap(values[name], values[SMALLEST], count(values), answers)
            for name in compared(values).values() if name in REFERENCES}


def against_baselines(found: Mapping[str, Gap]) -> str:
    """Whether anything was learnt."""
    texts = {"more": "the method names {} more right than {than}",
             "less": "the method names {} fewer right than {than}",
             "same": "the method is no better than {than} ({})",
             "unclear": "whether the method beats {than} these runs cannot say ({})"}
    return "; ".join(texts[found[name].kind].format(found[name].points(), than=than)
                     for name, than in BASELINES.items() if name in found)


def against_controls(found: Mapping[str, Gap]) -> str:
    """What each thing adds that a null control takes away: something only if the method beats all controls of it."""
    things: dict[str, list[str]] = {}
    for name in found:
        if name in CONTROLS:
            things.setdefault(CONTROLS[name], []).append(name)
    return "; ".join(what_counts(thing, {name: found[name] for name in names}) for thing, names in things.items())


def what_counts(thing: str, found: Mapping[str, Gap]) -> str:
    """One thing, by the control that says most against it."""
    name = min(found, key=lambda each: (AGAINST_IT.index(found[each].kind), found[each].low))
    told, points = INSTEAD.get(name, name), found[name].points()
    return {"more": f"the method gains from {thing}: with {told} it names {points} fewer right",
            "less": f"the method gains nothing from {thing}: with {told} it names {points} more right",
            "same": f"the method gains nothing from {thing}, or less than {MARGIN:g} point: with {told} it is as good "
                    f"({points})",
            "unclear": f"whether the method gains from {thing} these runs cannot say (with {told}: {points})"
            }[found[name].kind]


def against_references(found: Mapping[str, Gap], own: Mapping[str, Gap]) -> str:
    """What privacy cost, and whether what it is measured by has learnt anything itself."""
    texts = {"more": "the method names {} more right than {than}", "less": "the method loses {} against {than}",
             "same": "the method loses less than a point against {than} ({})",
             "unclear": "whether the method loses anything against {than} these runs cannot say ({})"}
    return "; ".join(texts[found[name].kind].format(found[name].points(), than=than) + collapsed(own.get(name))
                     for name, than in REFERENCES.items() if name in found)


def collapsed(found: Gap | None) -> str:
    """What is to be said of a reference that is not above the largest class."""
    if found is None or found.kind == "more":
        return ""
    if found.equal or found.kind != "unclear":
        return ", which is no measure: it has itself learnt nothing beyond the largest class"
    return ", of which it is not clear whether it beats the largest class itself"


def certainty(comparisons: int, seeds: int) -> str:
    """What the sentences are worth."""
    return (f"({comparisons} comparisons of {seeds} paired seeds, each at {100 * (1 - ERROR / comparisons):.4g}%: at "
            f"most {100 * ERROR:g} in 100 such verdicts err in any of them.)")


def right_guess(guarantee: Guarantee) -> float:
    r"""How often at most somebody is right who guesses, from what left, which of two equally likely values a unit has:
    :math:`(e^\varepsilon + \delta) / (1 + e^\varepsilon)`. Without a look it is a half.

    >>> round(right_guess(Guarantee(math.log(3), basis="proved")), 3)
    0.75
    """
    small = math.exp(-guarantee.epsilon)
    return (1 + guarantee.delta * small) / (1 + small)


def size_of(guarantee: Guarantee) -> str:
    """``"small"`` (a guess between two values is right in at most 3 of 4 cases: epsilon up to 1.1), ``"moderate"``
    (19 of 20: up to 2.9), ``"large"`` (999 of 1000: up to 6.9), or ``"meaningless"``.

    >>> [size_of(Guarantee(epsilon, basis="proved")) for epsilon in (1.0, 2.0, 6.0, 3830.0)]
    ['small', 'moderate', 'large', 'meaningless']
    """
    return next((word for word, most in SIZES.items() if right_guess(guarantee) <= most + 1e-12), MEANINGLESS)


def protection(guarantees: Sequence[Guarantee]) -> str:
    """What is protected, against whom, at which epsilon, whether that is much, and what is not."""
    check_all(guarantees, "guarantees", Guarantee)
    finite = [each for each in guarantees if math.isfinite(each.epsilon)]
    told = [capital(f"{protected(each)}.") for each in finite if each.basis != "none"]
    told += [f"No guarantee holds for {each.unit}, as not all is accounted for; what is, costs epsilon = "
             f"{each.epsilon:,.4g}." for each in finite if each.basis == "none"]
    if units := dict.fromkeys(each.unit for each in guarantees if each not in finite):
        told.append(f"Not protected at all: {', '.join(units)}.")
    return " ".join(told) or "Nothing is protected: no guarantee is given."


def protected(guarantee: Guarantee) -> str:
    """One guarantee that has a finite epsilon."""
    delta = f" at delta = {guarantee.delta:g}" if guarantee.delta else ""
    chance = f"{100 * right_guess(guarantee):.1f}"
    often = "practically always" if chance == "100.0" else f"up to {chance} times in 100"
    return (f"{guarantee.unit} ({guarantee.relation}): epsilon is {guarantee.epsilon:,.4g}{delta} "
            f"{AGAINST[guarantee.trust]}; that is {size_of(guarantee)}, as who guesses between two values may be right "
            f"{often}")


def capital(text: str) -> str:
    """With a capital letter first."""
    return text[:1].upper() + text[1:]
