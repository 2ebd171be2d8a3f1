"""What `privgraph budget` and `calibrate` can be asked about: mechanisms, laws of noise, and statements about others'.

A name may be written in several ways: `laplace:epsilon=1` is the mechanism, `laplace:scale=2` its law.
"""

import math
from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar

from ..checks import check_choice, check_count
from ..checks.parameters import Choice, Count, Delta, Parameters, Positive, Rate, beyond, kinds_of
from ..mechanisms import Mechanism, all_mechanisms, name_of
from ..mechanisms.text import fields_of, made, parse, said_in
from ..privacy import (
    ConcentratedPair,
    DiscreteGaussianPair,
    FinitePair,
    GaussianPair,
    Guarantee,
    LaplacePair,
    Step,
    approximate_pair,
    discrete_laplace_pair,
    fixed_size_pair,
    pure_pair,
)
from ..privacy.guarantee import RELATIONS, TRUSTS, UNITS

SIGMAS, MOST_SUMMED = (1e-150, 1e150), 1e7  # of Gaussian noise; and of that whose outcomes are summed one by one
GROWING = ("noise_multiplier", "scale", "sigma")  # more of these is more noise; of a budget, less


@dataclass(frozen=True)
class Stated(Parameters):
    """A law of noise, or what is known of a mechanism: a pair, for a unit and relation that the caller vouches for."""

    NAME: ClassVar[str]
    SOUGHT: ClassVar[str]  # what calibrate looks for
    _: KW_ONLY
    unit: Annotated[str, Choice(UNITS)] = "node"
    relation: Annotated[str, Choice(RELATIONS)] = "add/remove"
    trust: Annotated[str, Choice(TRUSTS)] = "central"

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """For whom; what it costs is the pair's to say."""
        return (Guarantee(math.inf, unit=self.unit, relation=self.relation, trust=self.trust),)


@dataclass(frozen=True)
class LaplaceNoise(Stated):
    """Laplace noise of scale ``scale`` on an answer that one neighbour moves by ``sensitivity`` in the L1 norm."""

    NAME, SOUGHT = "laplace", "scale"
    scale: Annotated[float, Positive()]
    sensitivity: Annotated[float, Positive()] = 1.0

    @property
    def pair(self) -> LaplacePair:
        return LaplacePair(self.scale / self.sensitivity)


@dataclass(frozen=True)
class GaussianNoise(Stated):
    """Gaussian noise with standard deviation ``sigma``; ``sensitivity`` is meant in the L2 norm."""

    NAME, SOUGHT = "gaussian", "sigma"
    sigma: Annotated[float, Positive()]
    sensitivity: Annotated[float, Positive()] = 1.0

    @property
    def pair(self) -> GaussianPair:
        return GaussianPair(self.sigma / self.sensitivity)


@dataclass(frozen=True)
class GaussianMultiplier(Stated):
    """Gaussian noise whose sigma is ``noise_multiplier`` sensitivities, as in DP-SGD."""

    NAME, SOUGHT = "gaussian", "noise_multiplier"
    noise_multiplier: Annotated[float, Positive()]

    @property
    def pair(self) -> GaussianPair:
        return GaussianPair(self.noise_multiplier)


@dataclass(frozen=True)
class DiscreteLaplaceNoise(Stated):
    """Noise on the integers with Pr[k] ~ e^(-abs(k)/scale); one neighbour moves the answer by ``sensitivity``."""

    NAME, SOUGHT = "discrete-laplace", "scale"
    scale: Annotated[float, Positive()]
    sensitivity: Annotated[int, Count(1)] = 1

    @property
    def pair(self) -> FinitePair:
        return discrete_laplace_pair(self.scale, self.sensitivity)


@dataclass(frozen=True)
class DiscreteGaussianNoise(Stated):
    """Noise on the integers with Pr[k] ~ e^(-k^2/2 sigma^2); one neighbour moves the answer by ``sensitivity``."""

    NAME, SOUGHT = "discrete-gaussian", "sigma"
    sigma: Annotated[float, Positive()]
    sensitivity: Annotated[int, Count(1)] = 1

    @property
    def pair(self) -> DiscreteGaussianPair:
        return DiscreteGaussianPair(self.sigma, self.sensitivity)


@dataclass(frozen=True)
class PureStatement(Stated):
    """A mechanism of which only epsilon is known."""

    NAME, SOUGHT = "pure", "epsilon"
    epsilon: Annotated[float, Positive()]

    @property
    def pair(self) -> FinitePair:
        return pure_pair(self.epsilon)


@dataclass(frozen=True)
class ApproximateStatement(Stated):
    """A mechanism of which only (epsilon, delta) is known."""

    NAME, SOUGHT = "approximate", "epsilon"
    epsilon: Annotated[float, Positive()]
    delta: Annotated[float, Delta()]

    @property
    def pair(self) -> FinitePair:
        return approximate_pair(self.epsilon, self.delta)


@dataclass(frozen=True)
class ConcentratedStatement(Stated):
    """A mechanism of which only rho-zCDP is known."""

    NAME, SOUGHT = "zcdp", "rho"
    rho: Annotated[float, Positive()]

    @property
    def pair(self) -> ConcentratedPair:
        return ConcentratedPair(self.rho)


@dataclass(frozen=True)
class GaussianStatement(Stated):
    """A mechanism of which only mu-GDP is known."""

    NAME, SOUGHT = "gdp", "mu"
    mu: Annotated[float, Positive()]

    @property
    def pair(self) -> GaussianPair:
        return GaussianPair(1 / self.mu)


def forms() -> dict[str, list[type]]:
    """Each name and the ways in which it can be written, laws of noise first."""
    found = {}
    for kind in globals().values():  # of this module: who extends one elsewhere has no name of its own
        if isinstance(kind, type) and issubclass(kind, Stated) and kind is not Stated:
            found.setdefault(kind.NAME, []).append(kind)
    for name, kind in all_mechanisms().items():
        found.setdefault(name, []).append(kind)
    return found


@dataclass(frozen=True)
class Sampling(Parameters):
    """How often, and on whom: everybody, a Poisson sample, or ``batch`` of ``people`` without replacement."""

    count: Annotated[int, Count(1)] = 1
    rate: Annotated[float, Rate()] = 1.0
    batch: Annotated[int | None, Count(1, none=True)] = None
    people: Annotated[int | None, Count(1, none=True)] = None

    def agree(self):
        if (self.batch is None) != (self.people is None):
            raise ValueError("batch and people must be said together: so many of so many, without replacement")
        if self.batch is not None:
            check_count(self.batch, "batch", low=1, high=self.people)
            if self.rate < 1:
                raise ValueError("rate must be left out where batch and people are said: a sample is Poisson, or has a "
                                 "fixed size")


def parsed(text: str) -> tuple[str, dict[str, str], list[type]]:
    """(name, what is said, the ways in which this name can be written) of NAME:key=value,..."""
    name, _, rest = text.partition(":")
    known = forms()
    if name not in known and rest.partition(":")[0].isidentifier() and "=" not in rest.partition(":")[0]:
        kind, said = parse(text)  # module:Class of one's own
        return name_of(kind), said, [kind]
    if "=" in name:
        raise ValueError(f"mechanism must be written NAME:key=value,... without blanks, got {text!r}")
    check_choice(name, "mechanism", known)
    return name, said_in(rest, text), known[name]


def taken(said: dict[str, str]) -> Sampling:
    """Takes count, rate, batch and people out of what is said."""
    uses, kinds = {}, kinds_of(Sampling)
    for key in kinds.keys() & said.keys():
        try:
            uses[key] = kinds[key].parse(value := said.pop(key))
        except (ValueError, OverflowError):
            raise ValueError(f"{key} must be a {'whole ' * (key != 'rate')}number, got {value!r}{beyond(value)}"
                             ) from None
    return Sampling(**uses)


def fitting(name: str, said: dict[str, str], kinds: list[type], others: Collection[str] = ()) -> list[type]:
    """The ways of writing this name that have all keys that were said.

    :param others: keys that are read elsewhere, for messages.
    """
    found = [kind for kind in kinds if said.keys() <= fields_of(kind).keys()]
    if found:
        return found
    known = {key for kind in kinds for key in fields_of(kind)} | {*others}
    for key in said:
        check_choice(key, f"key of {name}", known)
    ways = "; or ".join(", ".join(fields_of(kind)) for kind in kinds)
    raise ValueError(f"{name} must be written with keys that go together, {ways}; got {', '.join(said)}")


def read(text: str) -> tuple[object, dict[str, str], str, Sampling]:
    """(what it is, what was said of it, its name, how often it is used) of one argument of `privgraph budget`."""
    name, said, kinds = parsed(text)
    ways = fitting(name, {key: said[key] for key in said if key not in kinds_of(Sampling)}, kinds, kinds_of(Sampling))
    sampling = taken(said)
    complete = [kind for kind in ways if getattr(kind, "SOUGHT", "") in said] or ways
    return made(complete[-1] if complete is ways else complete[0], said, name), said, name, sampling


def steps_of(thing, said: dict[str, str], name: str, sampling: Sampling) -> list[tuple[Guarantee, list[Step]]]:
    """For each unit and relation: the guarantee, and what all uses are dominated by."""
    told = ", ".join(f"{key} = {value}" for key, value in said.items()) or "nothing"
    if isinstance(thing, Mechanism) and all(math.isinf(each.epsilon) for each in thing.guarantees):
        raise ValueError(f"{name} must leave some noise for a budget, got {told}, for which no finite epsilon holds")
    found = []
    for guarantee in thing.guarantees:
        try:
            pairs = pairs_of(thing, guarantee, sampling)
            check_squares(*(pair for pair, _ in pairs))
        except (ValueError, ArithmeticError) as error:
            raise ValueError(f"{name} must have noise that floats can express, got {told}: {error}") from error
        found.append((guarantee, [Step(sampled(pair, guarantee, name, sampling), count) for pair, count in pairs]))
    return found


def check_squares(*pairs) -> None:
    """Refuse noise whose square no float expresses, or of which too many outcomes would have to be summed."""
    for pair in pairs:
        most = MOST_SUMMED if isinstance(pair, DiscreteGaussianPair) else SIGMAS[1]
        if not SIGMAS[0] <= getattr(pair, "sigma", 1.0) <= most:
            raise ValueError(f"sigma must lie in [{SIGMAS[0]:g}, {most:g}], got {pair.sigma:g}")


def pairs_of(thing, guarantee: Guarantee, sampling: Sampling) -> list[tuple[object, int]]:
    """What dominates all uses: the mechanism's own steps or pair, or that of whatever has such a guarantee.

    Where one use is several steps and is made of a sample, all of its steps are made of the same one, which costs more
    than a fresh sample for each would. Then what has the guarantee of the whole use stands for it.
    """
    whole = sampling.rate == 1 and sampling.batch is None
    if callable(getattr(thing, "steps", None)) and (whole or sum(step.count for step in thing.steps(1)) == 1):
        return [(step.pair, step.count) for step in thing.steps(sampling.count)]
    if hasattr(thing, "pair") and len(thing.guarantees) == 1:
        return [(thing.pair, sampling.count)]
    return [(approximate_pair(guarantee.epsilon, guarantee.delta), sampling.count)]


def sampled(pair, guarantee: Guarantee, name: str, sampling: Sampling):
    """The pair on a sample of the people, where its guarantee is one that a sample makes better."""
    if sampling.rate < 1 and guarantee.relation != "add/remove":
        raise ValueError(f"rate must be 1 for {name}: Poisson sampling amplifies under add/remove of whole people "
                         f"only, and its relation is {guarantee.relation!r}")
    if sampling.batch is not None and guarantee.relation != "replace":
        raise ValueError(f"batch must be left out for {name}: a sample of a fixed size amplifies under replace of "
                         f"whole people only, and its relation is {guarantee.relation!r}")
    if (sampling.rate < 1 or sampling.batch is not None) and guarantee.trust != "central":
        raise ValueError(f"{'rate' if sampling.batch is None else 'batch'} must be left out for {name}: nobody may see "
                         "who was sampled, and whoever receives people's own reports does")
    if sampling.batch is not None:
        return fixed_size_pair(pair, sampling.batch, sampling.people)
    return pair if sampling.rate == 1 else pair.poisson(sampling.rate)
