"""More mechanisms that are wrong, and more right ones that look odd: a second reading of ``check_mechanism``."""

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated

import pytest
import torch
from test_wrong_mechanisms import Three, graph_of
from torch_geometric.data import Data

from privgraph.audit import CheckFailed, check_mechanism
from privgraph.audit.relations import neighbour_lists
from privgraph.audit.verdict import NOTHING_TO_REFUTE, TRIED
from privgraph.checks import check_generator
from privgraph.checks.parameters import Count, Epsilon
from privgraph.mechanisms import (
    AuditCase,
    Gaussian,
    GraphMechanism,
    Laplace,
    Mechanism,
    MultiBit,
    RandomisedResponse,
    SymmetricResponse,
    noisy,
)
from privgraph.privacy import Guarantee, LaplacePair, Step, pure_pair
from privgraph.randomness import seeded

LOT = pytest.mark.lot(
    "lib/privgraph/audit/", "lib/privgraph/mechanisms/mechanism.py", "lib/privgraph/mechanisms/tape.py")

# Wrong ones.


class NotQuiet(Laplace):
    """Without a form that has no noise, which would tell more."""

    def noiseless(self):
        raise NotImplementedError


def laplace(mechanism, answer, generator):
    return Laplace.__call__.__wrapped__(mechanism, answer, generator=generator)


class ThirdOpen(RandomisedResponse):
    """Whoever comes third answers as it is."""

    @noisy
    def __call__(self, y, *, generator):
        told = RandomisedResponse.__call__.__wrapped__(self, y, generator=generator)
        return torch.where(torch.arange(len(y)) == 2, y, told)


class LastOpen(RandomisedResponse):
    """The last of three or more answers as it is."""

    @noisy
    def __call__(self, y, *, generator):
        told = RandomisedResponse.__call__.__wrapped__(self, y, generator=generator)
        return torch.where((torch.arange(len(y)) == len(y) - 1) & (len(y) > 2), y, told)


class FifthNumberOpen(Laplace):
    """The fifth answer has no noise."""

    @noisy
    def __call__(self, answer, *, generator):
        told = laplace(self, answer, generator)
        at = torch.arange(len(answer)) == 4
        return torch.where(at.reshape(-1, *[1] * (answer.dim() - 1)), answer, told)


class FifthOfMany(FifthNumberOpen):
    """The same without a law."""

    law = None


class TruthNowAndThen(NotQuiet):
    """The truth, three times of a hundred."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        told = laplace(self, answer, generator)
        return torch.where(torch.rand(answer.shape, generator=generator) < 0.03, answer, told)


class TruthNowAndThenOfThree(Three):
    """One of three numbers is the true one, three times of a hundred."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        told = laplace(self, answer, generator)
        true = torch.rand(answer.shape, generator=generator) < 0.03
        return torch.where(true, answer, told)


class TruthInTheDecimals(NotQuiet):
    """Rounded to hundredths, and the truth stands in the millionths."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        return (laplace(self, answer, generator) * 100).round() / 100 + answer * 1e-6


class TruthInTheSign(NotQuiet):
    """Noise of one sign, as the truth is."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        noise = (laplace(self, answer, generator) - answer).abs()
        return answer + torch.where(answer > self.sensitivity / 2, noise, -noise)


class CutNoise(NotQuiet):
    """Noise ends three scales out."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        noise = laplace(self, answer, generator) - answer
        return answer + noise.clamp(-3 * self.scale, 3 * self.scale)


class NoiseGrowsWithTheAnswer(NotQuiet):
    """Three times the noise where the answer is large."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        noise = laplace(self, answer, generator) - answer
        return answer + noise * torch.where(answer > self.sensitivity / 2, 3.0, 1.0)


class AlongWithTheTruth(Laplace):
    """A dict, in which the truth stands beside the noisy answer."""

    law = None

    def audit_case(self):
        return AuditCase((0.0, self.sensitivity), outcome=lambda told: told["noisy"].item())

    @noisy
    def __call__(self, answer, *, generator):
        return {"noisy": laplace(self, answer, generator), "rounded": answer.round()}

    def noiseless(self):
        raise NotImplementedError


class PairOfALaw(Laplace):
    """The pair costs half of what its law does."""

    @property
    def pair(self):
        return LaplacePair(2 / self.epsilon)


class BetweenOfALaw(Laplace):
    """Two inputs cost half of what the law says."""

    @staticmethod
    def pair_at(moved):
        return LaplacePair(2 / moved)


class FarCornerOpen(SymmetricResponse):
    """Pairs of people whose numbers are above 3 are told as they are."""

    @noisy
    def report(self, data, *, generator):
        told = SymmetricResponse.report.__wrapped__(self, data, generator=generator)
        far = (told.edge_index > 3).all(0)
        u, v = data.edge_index
        true = data.edge_index[:, (u > 3) & (v > 3) & (u > v)]
        both = torch.cat([told.edge_index[:, ~far], true], 1)
        return type(told).sorted(both, data.num_nodes)


class NoTwoAreNeighbours(RandomisedResponse):
    """Says that no two answers are neighbours, and lies."""

    @property
    def keep(self):
        return 0.99

    def weights(self, answer, t, one=1):
        return {told: 99 * (self.num_classes - 1) if told == answer else 1 for told in range(self.num_classes)}

    def audit_case(self):
        return replace(super().audit_case(), neighbours={("label", "replace"): lambda value: ()})


class CountsTwoClasses(RandomisedResponse):
    """The chance of the truth is that of two classes, whatever their number."""

    @property
    def keep(self):
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def flip(self):
        return (1 - self.keep) / (self.num_classes - 1)

    def weights(self, answer, t, one=1):
        k = self.num_classes
        return {told: (k - 1) * t if told == answer else one for told in range(k)}


class SameNoiseForSameAnswers(Laplace):
    """Who has the same answer gets the same noise."""

    @noisy
    def __call__(self, answer, *, generator):
        values, which = answer.unique(return_inverse=True)
        return laplace(self, values, generator)[which]


class NeighboursAnswer(RandomisedResponse):
    """Each tells the answer of who comes after her."""

    @noisy
    def __call__(self, y, *, generator):
        return RandomisedResponse.__call__.__wrapped__(self, y.roll(-1), generator=generator)


class TwoLooks(RandomisedResponse):
    """Two answers at the full budget, stated once."""

    def audit_case(self):
        return AuditCase(tuple(range(self.num_classes)))

    @noisy
    def __call__(self, y, *, generator):
        return torch.stack([RandomisedResponse.__call__.__wrapped__(self, y, generator=generator)
                            for _ in range(2)], 1)

    def noiseless(self):
        raise NotImplementedError


class ExactType(NotQuiet):
    """The type of the report tells whether the answer is 0."""

    @noisy
    def __call__(self, answer, *, generator):
        told = laplace(self, answer, generator)
        return told.double() if bool((answer == 0).any()) else told


class TellsHowMany(NotQuiet):
    """A report is longer where the answer is large."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        told = laplace(self, answer, generator)
        return told if float(answer.sum()) == 0 else torch.cat([told, told])


class TrueDegrees(SymmetricResponse):
    """True degrees come along."""

    @noisy
    def report(self, data, *, generator):
        told = SymmetricResponse.report.__wrapped__(self, data, generator=generator)
        return replace(told, degrees=torch.bincount(data.edge_index[0], minlength=data.num_nodes))


class TrueDegreesUntabled(TrueDegrees):
    """The same, and no table says what a report holds."""

    def audit_case(self):
        return replace(super().audit_case(), distribution=None)


@dataclass(frozen=True)
class Pick(Mechanism):
    """The exponential mechanism for one of several scores of 0 to 1; two people's scores may differ in all."""

    epsilon: Annotated[float, Epsilon()] = 1.0
    share: float = 2.0  # of the sensitivity: all scores may move, up and down

    @property
    def guarantee(self):
        return Guarantee(self.epsilon, unit="feature vector", basis="proved")

    def distribution(self, scores):
        weights = [math.exp(self.epsilon / self.share * s) for s in scores]
        return {i: w / sum(weights) for i, w in enumerate(weights)}

    def audit_case(self):
        return AuditCase(tuple(product((0.0, 1.0), repeat=3)), outcome=lambda told: int(told[0]),
                         distribution=self.distribution)

    def noiseless(self):
        raise NotImplementedError

    @noisy
    def __call__(self, scores, *, generator):
        if not torch.isfinite(scores).all():
            raise ValueError("scores must be finite")
        gumbel = -torch.empty(scores.shape, dtype=torch.double).exponential_(
            generator=check_generator(generator)).log()
        return (self.epsilon / self.share * scores.double() + gumbel).argmax(1)


class GaussianAsPure(Gaussian):
    """Gaussian noise, and no delta is stated."""

    @property
    def guarantee(self):
        return replace(super().guarantee, delta=0.0)


class CachedBySize(Laplace):
    """Noise of a seed that hangs on the number of answers."""

    @noisy
    def __call__(self, answer, *, generator):
        torch.rand(1, generator=check_generator(generator))
        return laplace(self, answer, seeded(len(answer)))


WRONG = [(ThirdOpen(1.0, 3), "several people"), (LastOpen(1.0, 3), "several people"),
         (FifthNumberOpen(1.0), "several people"), (FifthOfMany(1.0), "several people"),
         (TruthNowAndThen(1.0), "lower bound"), (TruthNowAndThenOfThree(1.0), "lower bound|several people"),
         (TruthInTheDecimals(1.0), "lower bound"), (TruthInTheSign(1.0), "lower bound"), (CutNoise(1.0), "lower bound"),
         (NoiseGrowsWithTheAnswer(1.0), "lower bound"), (AlongWithTheTruth(1.0), "lower bound"),
         (PairOfALaw(1.0), "stated law: pair"), (BetweenOfALaw(1.0), "stated law: between"),
         (FarCornerOpen(1.0), "larger graph"), (CountsTwoClasses(1.0, 5), "worst case|dominating pair"),
         (SameNoiseForSameAnswers(1.0), "added noise"), (NeighboursAnswer(1.0, 3), "several people"),
         (TwoLooks(1.0, 2), "lower bound"), (ExactType(1.0), "replays"), (TellsHowMany(1.0), "replays|together"),
         (TrueDegrees(1.0), "whole report"), (TrueDegreesUntabled(1.0), "lower bound"),
         (Pick(share=1.0), "worst case"), (GaussianAsPure(1.0, 1e-5), "stated law"),
         (CachedBySize(1.0), "fresh noise|added noise")]


@LOT
@pytest.mark.parametrize("mechanism, found", WRONG, ids=[type(m).__name__ for m, _ in WRONG])
def test_a_wrong_mechanism_is_found_by_its_reason(mechanism, found):
    with pytest.raises(CheckFailed, match=f"^({found})"):
        check_mechanism(mechanism)


def test_where_no_two_inputs_are_neighbours_nothing_was_tried():
    assert check_mechanism(NoTwoAreNeighbours(1.0, 3)).verdict == NOTHING_TO_REFUTE


# Right ones, which look odd.

class Rounded(Laplace):
    """Rounded afterwards."""

    law = None

    @noisy
    def __call__(self, answer, *, generator):
        return (4 * laplace(self, answer, generator)).round() / 4

    def noiseless(self):
        raise NotImplementedError


class Clipped(Rounded):
    """Cut to what the truth can be, so that both ends come often."""

    @noisy
    def __call__(self, answer, *, generator):
        return laplace(self, answer, generator).clamp(0, self.sensitivity)


class OfTwo(Rounded):
    """Half of the budget on each of two looks, of which a mean is told."""

    @noisy
    def __call__(self, answer, *, generator):
        half = Laplace(self.epsilon / 2, self.sensitivity)
        return (half(answer, generator=generator) + half(answer, generator=generator)) / 2


class InADict(AlongWithTheTruth):
    """A dict of the noisy answer, and of what is made of it."""

    @noisy
    def __call__(self, answer, *, generator):
        told = laplace(self, answer, generator)
        return {"noisy": told, "rounded": told.round()}


class ResponseOfResponse(RandomisedResponse):
    """What was answered at the budget is answered once more."""

    def audit_case(self):
        return replace(super().audit_case(), distribution=None)

    @noisy
    def __call__(self, y, *, generator):
        once = RandomisedResponse(self.epsilon, self.num_classes)
        return once(once(y, generator=generator), generator=generator)

    def noiseless(self):
        raise NotImplementedError


@dataclass(frozen=True)
class Bits(Mechanism):
    """Each of d bits of one person is true with odds e^(epsilon / d)."""

    epsilon: Annotated[float, Epsilon()] = 1.0
    d: Annotated[int, Count(1)] = 3

    @property
    def keep(self):
        return 1 / (1 + math.exp(-self.epsilon / self.d))

    @property
    def guarantee(self):
        return Guarantee(self.epsilon, unit="feature vector", basis="proved")

    def distribution(self, bits):
        return {told: math.prod(self.keep if a == b else 1 - self.keep for a, b in zip(bits, told, strict=True))
                for told in product((0, 1), repeat=self.d)}

    def audit_case(self):
        return AuditCase(tuple(product((0, 1), repeat=self.d)), encode=lambda bits: torch.tensor([bits]),
                         distribution=self.distribution)

    @noisy
    def __call__(self, bits, *, generator):
        lies = torch.rand(bits.shape, generator=check_generator(generator), dtype=torch.double) >= self.keep
        return torch.where(lies, 1 - bits, bits)


@dataclass(frozen=True)
class Counts(Mechanism):
    """Counts of classes with two-sided geometric noise, of one curator: no person has a row."""

    epsilon: Annotated[float, Epsilon()] = 1.0

    @property
    def guarantee(self):
        return Guarantee(self.epsilon, unit="label", relation="replace", trust="central", basis="proved")

    def between(self, x, other):
        moved = int((x - other).abs().sum())
        return (Step(pure_pair(moved * self.epsilon / 2)),) if moved else ()

    def audit_case(self):
        return AuditCase(((3, 1, 0), (2, 2, 0), (2, 1, 1)), encode=lambda counts: torch.tensor(counts))

    def noiseless(self):
        raise NotImplementedError

    @noisy
    def __call__(self, counts, *, generator):
        stop = min(max(-math.expm1(-self.epsilon / 2), 1e-300), 1 - 1e-16)
        first, second = (torch.empty(counts.shape, dtype=torch.double).geometric_(
            stop, generator=check_generator(generator)).long() for _ in range(2))
        return counts + first - second


@dataclass(frozen=True)
class PairsFlipped(GraphMechanism):
    """Each pair of people is told truly with odds e^epsilon, and no table says so."""

    epsilon: Annotated[float, Epsilon()] = 1.0

    @property
    def guarantee(self):
        return Guarantee(self.epsilon, unit="undirected edge", relation="add/remove", basis="proved")

    def noiseless(self):
        raise NotImplementedError

    def audit_case(self):
        graphs = tuple(neighbour_lists(edges, 4) for edges in ([(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 3)]))
        return AuditCase(graphs, encode=graph_of,
                         outcome=lambda told: tuple(sorted(map(tuple, told.edge_index.t().tolist()))))

    @noisy
    def __call__(self, data, *, generator):
        a = torch.zeros(data.num_nodes, data.num_nodes, dtype=torch.bool)
        a[data.edge_index[0], data.edge_index[1]] = True
        lies = torch.rand(a.shape, generator=check_generator(generator)) < torch.sigmoid(torch.tensor(-self.epsilon))
        told = (a ^ lies).triu(1)
        return Data(edge_index=(told | told.t()).nonzero().t().contiguous(), num_nodes=data.num_nodes)


class LikelyDelta(Laplace):
    """With a chance of 1% the truth, and that is stated as delta."""

    law = None

    @property
    def guarantee(self):
        return replace(super().guarantee, delta=0.01)

    @property
    def pair(self):
        raise AttributeError("none is known")

    @noisy
    def __call__(self, answer, *, generator):
        told = laplace(self, answer, generator)
        return torch.where(torch.rand(answer.shape, generator=generator) < 0.01, answer, told)

    def noiseless(self):
        raise NotImplementedError


RIGHT = [(Rounded(1.0), TRIED), (Clipped(1.0), TRIED), (OfTwo(1.0), TRIED), (InADict(1.0), TRIED),
         (ResponseOfResponse(1.0, 3), TRIED), (Bits(), TRIED), (Bits(4.0, 2), TRIED), (Counts(), TRIED),
         (PairsFlipped(), TRIED), (Pick(), TRIED), (LikelyDelta(1.0), TRIED), (Three(1e-3), TRIED), (Three(9.0), TRIED),
         (Gaussian(0.01, 0.2), TRIED), (Laplace(40.0), TRIED), (MultiBit(0.1, 3, 0.0, 1.0, 1), TRIED),
         (RandomisedResponse(1e-6, 7), TRIED), (SymmetricResponse(20.0), TRIED)]


@LOT
@pytest.mark.parametrize("mechanism, verdict", RIGHT, ids=[f"{type(m).__name__} {m.epsilon:g}" for m, _ in RIGHT])
def test_a_right_mechanism_is_not_refused(mechanism, verdict):
    assert check_mechanism(mechanism, runs=1_000).verdict == verdict
