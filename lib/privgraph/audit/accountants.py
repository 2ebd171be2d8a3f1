r"""Properties that any accountant must have, tried on questions about Gaussian noise: ``check_accountant``.

An accountant is a function from a ``Question`` to epsilon; it may raise, or say inf, where it does not know. The truth
is a curve that never falls below 0, falls with delta and with the noise, rises with the number of uses and the rate,
and has no jumps. Without sampling it is known in closed form, as many Gaussians are one. With sampling it lies
between two bounds that share no code with any accountant: above what an attacker learns who only notes in how many
uses the output was large (a binomial sum), and below what Renyi divergences of whole orders prove.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from scipy.special import ndtr
from scipy.stats import binom

from ..checks import check_all, check_function, check_positive
from ..privacy import GaussianPair, gdp_epsilon, improved_conversion

NEAR = 0.03  # relative change of an argument that must not make epsilon jump
THRESHOLDS = (0.5, 1.0, 1.5, 2.0, 3.0)  # sigmas above the mean that count as large
PROPERTIES = ("answers", "at least 0", "falls with delta", "rises with count", "rises with rate", "falls with noise",
              "no jumps", "above the lower bound", "below the upper bound", "refuses")


@dataclass(frozen=True)
class Question:
    """Epsilon at ``delta`` of ``count`` uses of Gaussian noise, ``noise`` sensitivities wide, each on a Poisson sample
    with probability ``rate``, under add/remove?"""

    noise: float
    count: int = 1
    rate: float = 1.0
    delta: float = 1e-5

    def __str__(self) -> str:
        return f"noise {self.noise:g}, count {self.count}, rate {self.rate:g}, delta {self.delta:.4g}"


@dataclass(frozen=True)
class Finding:
    """A property that fails: at which question, and what came."""

    property: str
    question: Question
    said: str

    def __str__(self) -> str:
        return f"{self.property}: {self.said} ({self.question})"


QUESTIONS = (Question(1.0), Question(4.0, 10), Question(20.0, 1000), Question(0.5, 1, 0.1), Question(1.0, 1000, 0.01),
             Question(2.0, 100, 0.1))
DELTAS = (1e-1, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12, 1e-15, 1.13e-18, 1.10e-18, 1e-20, 1e-30)
UNKNOWABLE = tuple(replace(Question(1.0), **{name: value}) for name, value in (
    ("noise", 0.0), ("noise", -1.0), ("noise", math.nan), ("delta", 0.0), ("delta", -1e-5), ("delta", 1.5),
    ("delta", math.nan), ("rate", 1.5), ("rate", -0.1), ("rate", math.nan), ("count", -1)))


def check_accountant(accountant: Callable[[Question], float], questions: Iterable[Question] = QUESTIONS,
                     slack: float = 0.01) -> list[Finding]:
    """Where an accountant of Gaussian noise lacks a property; an empty list where it has all.

    :param accountant: from a ``Question`` to an upper bound on epsilon.
    :param questions: at which each property is tried, moving one argument at a time.
    :param slack: by how much (relative, and absolute below 1) a grid may make an answer uneven. It does not apply to
        the lower bound: an answer below that is wrong, however little.

    >>> def halved(question):
    ...     return gdp_epsilon(math.sqrt(question.count) / question.noise, question.delta) / 2
    >>> str(check_accountant(halved, [Question(2.0)])[0])
    'above the lower bound: 0.1432 is below 0.2865 (noise 2, count 1, rate 1, delta 0.1)'
    """
    check_function(accountant, "accountant", "question"), check_positive(slack, "slack")
    questions = check_all(questions, "questions", Question)
    asked = Asked(accountant, slack)
    found = [finding for question in questions for finding in asked.all_about(question)]
    return found + [finding for question in UNKNOWABLE for finding in asked.refuses(question)]


@dataclass(frozen=True)
class Asked:
    """An accountant whose answers are remembered."""

    accountant: Callable[[Question], float]
    slack: float

    def __post_init__(self):
        object.__setattr__(self, "known", {})

    def says(self, question: Question) -> float | str:
        """Epsilon, or what was raised."""
        if question not in self.known:
            try:
                self.known[question] = float(self.accountant(question))
            except Exception as error:  # whatever it is, it is no answer
                self.known[question] = f"{type(error).__name__}: {' '.join(str(error).split())[:80]}"
        return self.known[question]

    def all_about(self, question: Question) -> list[Finding]:
        """Each property, with one argument moved at a time."""
        deltas = [replace(question, delta=delta) for delta in DELTAS]
        counts = [replace(question, count=max(1, int(question.count * factor))) for factor in (0.2, 0.5, 1, 2, 5)]
        rates = [replace(question, rate=min(1.0, question.rate * factor)) for factor in (0.1, 0.5, 1, 2, 10)]
        noises = [replace(question, noise=question.noise * factor) for factor in (0.7, 1, 1.5, 4, 20)]
        found = [*self.rising("falls with delta", deltas), *self.rising("rises with count", counts),
                 *self.rising("rises with rate", rates), *self.rising("falls with noise", noises[::-1])]
        near = [self.smooth(each, replace(each, delta=each.delta * (1 - NEAR))) for each in deltas]
        near += [self.smooth(each, replace(each, noise=each.noise * (1 + NEAR))) for each in noises]
        near += [self.smooth(each, replace(each, rate=each.rate * (1 - NEAR))) for each in rates]
        at = [finding for each in dict.fromkeys(deltas + counts + rates + noises) for finding in self.bounded(each)]
        return at + found + [finding for finding in near if finding]

    def rising(self, name: str, questions: list[Question]) -> Iterable[Finding]:
        """Epsilon does not fall from one question to the next."""
        highest, before = -math.inf, None
        for question in dict.fromkeys(questions):
            said = self.says(question)
            if isinstance(said, str) or math.isnan(said):
                continue
            if said < highest - self.slack * min(1.0, highest):
                yield Finding(name, question, f"{said:.4f} after {highest:.4f} at {before}")
            if said > highest:
                highest, before = said, question

    def smooth(self, question: Question, other: Question) -> Finding | None:
        """Epsilon moves little when an argument does: by at most six times as much (the truth: by five here)."""
        said, next_to = self.says(question), self.says(other)
        if isinstance(said, str) or isinstance(next_to, str) or not math.isfinite(said + next_to):
            return None
        if abs(next_to - said) > (6 * NEAR + 2 * self.slack) * max(said, next_to) + self.slack:
            return Finding("no jumps", question, f"{said:.4f}, and {next_to:.4f} at {other}")
        return None

    def bounded(self, question: Question) -> Iterable[Finding]:
        """An answer that is a number, at least 0, and between two bounds."""
        said, (low, high) = self.says(question), bounds(question)
        if isinstance(said, str) or math.isnan(said):
            yield Finding("answers", question, str(said))
        elif said < 0:
            yield Finding("at least 0", question, f"{said:.4g}")
        elif said < low * (1 - 1e-6) - 1e-9:
            yield Finding("above the lower bound", question, f"{said:.4f} is below {low:.4f}")
        elif said > high * (1 + self.slack) + self.slack:
            yield Finding("below the upper bound", question, f"{said:.4f} is above {high:.4f}")

    def refuses(self, question: Question) -> Iterable[Finding]:
        """What cannot be known is refused, or inf (nan is no refusal)."""
        said = self.says(question)
        if not isinstance(said, str) and said != math.inf:
            yield Finding("refuses", question, f"{said:.4g}")


def bounds(question: Question) -> tuple[float, float]:
    """(lower, upper): the truth without sampling; with it, one attack's epsilon and Renyi divergences of whole orders.

    >>> tuple(round(bound, 3) for bound in bounds(Question(1.0, 100, 0.1)))
    (4.507, 7.973)
    """
    if question.rate == 1:
        exact = gdp_epsilon(math.sqrt(question.count) / question.noise, question.delta)
        return exact, renyi_bound(question)
    return max(attack_bound(question, threshold) for threshold in THRESHOLDS), renyi_bound(question)


def renyi_bound(question: Question) -> float:
    """By whole orders up to 256, and at most what it costs without sampling."""
    pair = GaussianPair(question.noise).poisson(question.rate)
    orders = (*range(2, 33), 40, 48, 64, 96, 128, 192, 256)
    by_orders = min(improved_conversion(question.count * pair.rdp(order), order, question.delta) for order in orders)
    exact = gdp_epsilon(math.sqrt(question.count) / question.noise, question.delta)
    return max(exact, by_orders) if question.rate == 1 else min(exact, by_orders)


def attack_bound(question: Question, threshold: float) -> float:
    """What an attacker proves who counts in how many uses the output was above a threshold, and asks whether the count
    was at least k: epsilon is at least ln((p - delta) / q) for each k, where p and q are its probabilities."""
    without = float(ndtr(-threshold))
    with_person = (1 - question.rate) * without + question.rate * float(ndtr(1 / question.noise - threshold))
    found = 0.0
    for k in {int(binom.ppf(share, question.count, with_person)) for share in (0.01, 0.1, 0.5, 0.9, 0.99, 1 - 1e-4)}:
        p, q = (float(binom.sf(k - 1, question.count, chance)) for chance in (with_person, without))
        found = max(found, math.log((p - question.delta) / q) if p > question.delta and q > 0 else 0.0)
    return found
