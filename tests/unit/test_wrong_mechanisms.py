"""Mechanisms that are wrong in ways that one number, one input or one generator does not show; and right ones that look
odd. Those of ``test_mechanism_contract`` each fail one check; here all checks run, and one of them must say why."""

import math
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated

import pytest
import torch
from torch_geometric.data import Data

from privgraph.audit import CheckFailed, check_mechanism
from privgraph.audit.relations import neighbour_lists
from privgraph.audit.verdict import NOTHING_TO_REFUTE, PROMISES_NOTHING, TRIED
from privgraph.checks import check_generator
from privgraph.checks.parameters import Epsilon, Positive
from privgraph.cli import main
from privgraph.mechanisms import (
    AuditCase,
    Gaussian,
    GraphMechanism,
    Laplace,
    Mechanism,
    RandomisedResponse,
    SymmetricResponse,
    noisy,
)
from privgraph.privacy import Guarantee, Step, pure_pair
from privgraph.randomness import seeded

LOT = pytest.mark.lot(
    "lib/privgraph/audit/", "lib/privgraph/mechanisms/mechanism.py", "lib/privgraph/mechanisms/tape.py")


@dataclass(frozen=True)
class Three(Laplace):
    """Three numbers of one person, with noise for what they move together."""

    def audit_case(self):
        inputs = (0.0, 0.0, 0.0), (self.sensitivity, 0.0, 0.0), tuple(self.sensitivity / 4 * k for k in (2, 1, 1))
        return AuditCase(inputs, encode=lambda value: torch.tensor([value], dtype=torch.double))

    def with_scale(self, answer, scale, generator):
        told = Laplace.__call__.__wrapped__(self, answer, generator=generator)
        return answer + (told - answer) * (scale / self.scale if self.scale else 1)


@cache
def calibrated(epsilon, sensitivity):
    return Gaussian(epsilon, 1e-5, sensitivity, "undirected edge", "add/remove", "central")


@dataclass(frozen=True)
class Sums(GraphMechanism):
    """Each person's neighbours, summed up by their numbers, with Gaussian noise: one hop of GAP."""

    epsilon: Annotated[float, Epsilon()] = 1.0
    share: Annotated[float, Positive()] = 1.0  # of the noise that is needed

    @property
    def noise(self):
        return calibrated(self.epsilon, math.sqrt(2) * self.share)

    @property
    def guarantee(self):
        return Guarantee(self.epsilon, 1e-5, unit="undirected edge", relation="add/remove", trust="central",
                         basis="proved")

    def between(self, x, other):
        return self.noise.between(self.sums(x), self.sums(other))

    def noiseless(self):
        raise NotImplementedError

    @staticmethod
    def sums(data):
        rows = torch.zeros(data.num_nodes, data.num_nodes, dtype=torch.double)
        rows[data.edge_index[0], data.edge_index[1]] = 1
        return rows

    @noisy
    def __call__(self, data, *, generator):
        return self.noise(self.sums(data), generator=check_generator(generator))

    def audit_case(self):
        graphs = tuple(neighbour_lists(edges, 4) for edges in ([(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 3)]))
        return AuditCase(graphs, encode=graph_of, truth=self.sums)


def graph_of(lists):
    pairs = [(v, u) for v, own in enumerate(lists) for u in sorted(own)]
    return Data(edge_index=torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t(), num_nodes=len(lists))


# Wrong ones.

class TenthOfTheNoise(Three):
    @noisy
    def __call__(self, answer, *, generator):
        return self.with_scale(answer, self.scale / 10, generator)


class TenthWithoutLaw(TenthOfTheNoise):
    """As little, and no law is stated that could be compared."""

    law = None


class OneNoiseForThree(Three):
    """The three numbers share their noise, so that their differences are told as they are."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        first = answer[:, :1]
        return answer + (super().__call__(first, generator=generator) - first)


class LastWithoutNoise(Three):
    law = None

    @noisy
    def __call__(self, answer, *, generator):
        return torch.cat([super().__call__(answer, generator=generator)[:, :-1], answer[:, -1:]], 1)


class EachForItself(Three):
    """Each number has noise as if it moved alone and by the third part."""

    @property
    def scale(self):
        return self.sensitivity / 3 / self.epsilon


class SeedOfTheFirstState(Laplace):
    """The noise of the seed with which the generator began: with one generator it is always the same."""

    @noisy
    def __call__(self, answer, *, generator):
        torch.rand(1, generator=check_generator(generator))
        return Laplace.__call__.__wrapped__(self, answer, generator=seeded(generator.initial_seed()))


class SeedOfTheAnswer(Laplace):
    """The noise hangs on the answer alone, which is told by it."""

    @noisy
    def __call__(self, answer, *, generator):
        torch.rand(1, generator=check_generator(generator))
        return Laplace.__call__.__wrapped__(self, answer, generator=seeded(abs(hash(tuple(answer.tolist())))))


class OneOfTen(Laplace):
    """One of ten seeds."""

    @noisy
    def __call__(self, answer, *, generator):
        few = seeded(int(torch.randint(10, (1,), generator=check_generator(generator))))
        return Laplace.__call__.__wrapped__(self, answer, generator=few)


@dataclass(frozen=True)
class NoiseKept(Laplace):
    """Noise is drawn once and kept."""

    kept: dict = field(default_factory=dict, compare=False)

    @noisy
    def __call__(self, answer, *, generator):
        check_generator(generator), self.kept.setdefault(answer.shape, Laplace.__call__.__wrapped__(
            self, torch.zeros_like(answer), generator=generator))
        told = Laplace.__call__.__wrapped__(self, answer, generator=generator)
        return told if math.isinf(self.epsilon) else told * 0 + answer + self.kept[answer.shape]


class ConstantAnswer(RandomisedResponse):
    """Coins of seed 1."""

    @noisy
    def __call__(self, y, *, generator):
        torch.rand(1, generator=check_generator(generator))
        return RandomisedResponse.__call__.__wrapped__(self, y, generator=seeded(1))


class PairsOfTwo(RandomisedResponse):
    """Says that two answers cost half."""

    def between(self, x, other):
        return (Step(pure_pair(self.epsilon / 2)),) if not torch.equal(x, other) else ()


class DiscreteTooLoud(Mechanism):
    """Two whole numbers with geometric noise of half the size that is needed, and no table."""

    epsilon = 1.0

    @property
    def guarantee(self):
        return Guarantee(1.0, unit="feature vector", basis="proved")

    def audit_case(self):
        return AuditCase(((0, 0), (1, 0)), encode=lambda value: torch.tensor([value]))

    def noiseless(self):
        raise NotImplementedError

    @property
    def decay(self):
        return 2.0

    @noisy
    def __call__(self, x, *, generator):
        p = 1 - math.exp(-self.decay)
        u = torch.rand((2, *x.shape), generator=check_generator(generator), dtype=torch.double)
        first, second = (u.log() / math.log(1 - p)).floor().long()
        return x + first - second


DiscreteTooLoud = dataclass(frozen=True)(DiscreteTooLoud)


class Silly(SymmetricResponse):
    """States half."""

    @property
    def guarantees(self):
        return tuple(Guarantee(g.epsilon / 2, unit=g.unit, relation=g.relation, basis="proved")
                     for g in super().guarantees)


WRONG = [(TenthOfTheNoise(1.0), "added noise"), (TenthWithoutLaw(1.0), "lower bound: .* epsilon is at least [2-9]"),
         (OneNoiseForThree(1.0), "lower bound"), (LastWithoutNoise(1.0), "lower bound|replays|together"),
         (EachForItself(1.0), "stated law: .* epsilon is at least 3, stated is 1"),
         (Sums(share=0.1), "lower bound: .* epsilon is at least [2-9]"),
         (SeedOfTheFirstState(1.0), "fresh noise"), (SeedOfTheAnswer(1.0), "fresh noise"),
         (OneOfTen(1.0), "fresh noise"),
         (NoiseKept(1.0), "same seed|fresh noise|extreme budgets"), (ConstantAnswer(1.0, 3), "drawn"),
         (PairsOfTwo(1.0, 3), "two inputs"), (DiscreteTooLoud(), "lower bound"), (Silly(1.0), "worst case")]


@LOT
@pytest.mark.parametrize("mechanism, found", WRONG, ids=[type(m).__name__ for m, _ in WRONG])
def test_a_wrong_mechanism_is_found_by_its_reason(mechanism, found):
    with pytest.raises(CheckFailed, match=f"^({found})"):
        check_mechanism(mechanism)


# Right ones, which look odd.

class Geometric(DiscreteTooLoud):
    """Two whole numbers with geometric noise, and no table."""

    decay = 1.0


class Loud(RandomisedResponse):
    """At epsilon 50 all answers are true as often as one looks."""


class LawUnsaid(Three):
    law = None


class Strangers(RandomisedResponse):
    """No two of its inputs are neighbours, so that no table of chances says anything."""

    def audit_case(self):
        return replace(super().audit_case(), neighbours={("label", "replace"): lambda value: ()})


class AsLongAsOneLikes(Geometric):
    """Its outcomes are of one length and of another."""

    def audit_case(self):
        return replace(super().audit_case(), outcome=lambda told: (1,) * (1 + int(told.sum()) % 2))


RIGHT = [(Three(1.0), TRIED), (Strangers(1.0, 3), NOTHING_TO_REFUTE), (AsLongAsOneLikes(), TRIED),
         (LawUnsaid(1.0), TRIED), (Sums(), TRIED), (Geometric(), TRIED), (Loud(50.0, 3), TRIED),
         (Three(math.inf), PROMISES_NOTHING), (LawUnsaid(80.0), NOTHING_TO_REFUTE)]


@LOT
@pytest.mark.parametrize("mechanism, verdict", RIGHT, ids=[f"{type(m).__name__} {m.epsilon:g}" for m, _ in RIGHT])
def test_a_right_mechanism_is_not_refused(mechanism, verdict):
    report = check_mechanism(mechanism, runs=1_000)
    assert report.verdict == verdict and str(report).endswith(verdict)


class Bare(Mechanism):
    """Has no inputs to be tried on."""

    @property
    def guarantee(self):
        return Guarantee(1.0, unit="label", basis="proved")

    @classmethod
    def examples(cls):
        return (cls(),)

    @noisy
    def __call__(self, y, *, generator):
        return y


def test_the_command_ends_with_three_where_nothing_could_be_tried(capsys):
    assert main(["audit", f"{__name__}:Bare"]) == 3
    told = capsys.readouterr().out
    assert "Bare has no audit case: give check_mechanism the inputs" in told and told.endswith(f"{NOTHING_TO_REFUTE}\n")


def test_who_could_not_be_refuted_is_told_what_is_missing():
    assert "it needs an audit_case() with two inputs" in str(check_mechanism(LawUnsaid(80.0), runs=100))
