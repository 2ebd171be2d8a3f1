"""Methods that cost more than they state, each found by its reason; and right ones that look odd, none of them refused.

What each gets wrong is said in its first line. Together with ``test_method_contract`` (what else a kind promises),
``test_mechanism_contract`` and ``test_attack_contract`` these are the wrong things that the checkers must find.
"""

import math
from dataclasses import dataclass, replace
from typing import Annotated

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph.audit.verdict import NOTHING_TO_REFUTE, PROMISES_NOTHING, TRIED
from privgraph.checks import check_generator
from privgraph.checks.parameters import Count, Epsilon, Positive
from privgraph.datasets.bounds import bounds, clamped
from privgraph.graph import adjacency
from privgraph.mechanisms import Gaussian, Laplace, MultiBit, dealt
from privgraph.methods import (
    DPNE,
    GAE,
    LPGNN,
    PATE,
    Embedding,
    Embeddings,
    FederatedDeepWalk,
    GraphPrivatizer,
    PrivGNN,
    check_method,
)
from privgraph.methods.federated import UploadNoise
from privgraph.methods.federated.federated_deepwalk import DeepWalkClient
from privgraph.methods.federated.row_messages import pack_rows
from privgraph.methods.federated.upload_noise import shortened
from privgraph.methods.release import report_labels
from privgraph.privacy import Budget, Guarantee, Step
from privgraph.randomness import kind_of, seeded

LOT = pytest.mark.lot("lib/privgraph/audit/", "lib/privgraph/methods/contract/", "lib/privgraph/mechanisms/tape.py")


def quick(kind, number=0, **changes):
    return kind(**vars(kind.__mro__[1].examples()[number]) | changes)


# 1. Local: what people report.

class MultiBitOf(LPGNN):
    """Reports something else in place of features."""

    def collect(self, data, generator):
        release = super().collect(data, generator)
        x = self.of(clamped(data), data)
        mechanism = MultiBit(self.epsilon_x, x.size(1), *bounds(data), self.sampled)
        return replace(release, report=mechanism.report(x.clamp(*bounds(data)).to(data.x.dtype), generator=generator))


class Centres(LPGNN):
    """The mean of all is taken off before anybody reports."""

    def collect(self, data, generator):
        x = (data.x - data.x.mean(0) + 0.5).clamp(0, 1)
        return super().collect(changed(data, x=x), generator)


class Scales(LPGNN):
    """Columns are divided by their largest value."""

    def collect(self, data, generator):
        x = data.x.cumsum(1)
        return super().collect(changed(data, x=x / x.max(0).values.clamp(min=1)), generator)


class Ranks(LPGNN):
    """Reports ranks among all people."""

    def collect(self, data, generator):
        ranks = data.x.argsort(stable=True, dim=0).argsort(stable=True, dim=0) / data.num_nodes
        return super().collect(changed(data, x=ranks), generator)


class FriendsMean(LPGNN):
    """Each reports the mean of her friends' features as they are."""

    def collect(self, data, generator):
        return super().collect(changed(data, x=adjacency(data.edge_index, data.num_nodes, "mean") @ data.x), generator)


class LabelAsFeature(LPGNN):
    """The label stands in the first feature, too."""

    def collect(self, data, generator):
        x = data.x.clone()
        x[:, 0] = (data.y == 1).float()
        return super().collect(changed(data, x=x), generator)


class FeatureAsLabel(LPGNN):
    """The label that is reported is a feature where there is one."""

    def collect(self, data, generator):
        y = torch.where(data.y >= 0, data.x[:, 0].long(), data.y)
        return super().collect(changed(data, y=y), generator)


class SameCoins(LPGNN):
    """The generator is put back between labels and features."""

    def collect(self, data, generator):
        state = check_generator(generator).get_state()
        y = report_labels(data, self.epsilon_y, generator)
        generator.set_state(state)
        return replace(super().collect(data, generator), y=y)


class OneSeedTwice(LPGNN):
    """Two generators that start at one number, which is drawn."""

    def collect(self, data, generator):
        seed = int(torch.randint(2**60, (1,), generator=generator))
        release = super().collect(data, seeded(seed))
        return replace(release, y=report_labels(data, self.epsilon_y, seeded(seed)), randomness=kind_of(generator))


class HalfAPage(LPGNN):
    """Features are drawn from the middle of the coins of the labels on."""

    def collect(self, data, generator):
        torch.rand(1, generator=generator)
        state = generator.get_state()
        y = report_labels(data, self.epsilon_y, generator)
        generator.set_state(state)
        torch.rand(2, generator=generator)
        x = MultiBit(self.epsilon_x, data.x.size(1), *bounds(data)).report(clamped(data), generator=generator)
        return replace(super().collect(data, generator), y=y, report=x)


class ConstantCoins(LPGNN):
    """All is reported with seed 5, whatever generator is handed in."""

    def collect(self, data, generator):
        return replace(super().collect(data, seeded(5)), randomness=kind_of(check_generator(generator)))


class FewCoins(LPGNN):
    """One of a hundred seeds."""

    def collect(self, data, generator):
        few = seeded(int(torch.randint(100, (1,), generator=generator)))
        return replace(super().collect(data, few), randomness=kind_of(generator))


class TrainingFeatures(LPGNN):
    """Training people's features go out as they are."""

    def collect(self, data, generator):
        release = super().collect(data, generator)
        return replace(release, report=torch.where(data.train_mask[:, None], data.x.to(release.report.dtype),
                                                   release.report))


class LabelOfTwo(LPGNN):
    """Person 2's label goes out as it is."""

    def collect(self, data, generator):
        release = super().collect(data, generator)
        y = release.y.clone()
        y[2] = data.y[2]
        return replace(release, y=y)


class Weights(LPGNN):
    """The weights of edges come along."""

    def collect(self, data, generator):
        return replace(super().collect(data, generator), edge_weight=data.get("edge_weight"))


class Attributes(LPGNN):
    """What else is known of edges comes along, as a weight."""

    def collect(self, data, generator):
        weight = data.edge_attr[:, 0] if "edge_attr" in data else None
        return replace(super().collect(data, generator), edge_weight=weight)


class Averages(LPGNN):
    """Two reports of features at the full budget, of which one is chosen for each person."""

    def collect(self, data, generator):
        first, second = (super(Averages, self).collect(data, generator) for _ in range(2))
        odd = torch.arange(len(first.y)) % 2 == 0
        return replace(first, report=torch.where(odd[:, None], first.report, second.report))


class LoudFeatures(LPGNN):
    """Draws features with a tenth more than is stated."""

    def collect(self, data, generator):
        return replace(LPGNN(**vars(self) | {"epsilon_x": 1.1 * self.epsilon_x}).collect(data, generator),
                       epsilon_x=self.epsilon_x)


class OnlyTheLabelled(LPGNN):
    """Who has no label reports no features."""

    def collect(self, data, generator):
        release = super().collect(data, generator)
        return replace(release, report=release.report * (data.y >= 0)[:, None])


class MaskOfFeatures(LPGNN):
    """Who has no features at all is left out of the training mask."""

    def collect(self, data, generator):
        return replace(super().collect(data, generator), train_mask=data.train_mask & (data.x.sum(1) > 0))


class TrueFriends(GraphPrivatizer):
    """Lists of neighbours are made private by a look at the true features."""

    def collect(self, data, generator):
        told = self.structure(data, generator=generator)
        return replace(super().collect(data, generator), edge_index=told.edge_index, structure=self.edges)


SEEN = {}


class StopsEarly(LPGNN):
    """Training stops by the true labels, which wait in a global variable."""

    def collect(self, data, generator):
        SEEN["y"] = data.y
        return super().collect(data, generator)

    def objective(self, release, matrix):
        loss, _ = super().objective(release, matrix)
        y = SEEN["y"][release.val_mask]
        return loss, lambda logits: (logits[release.val_mask].argmax(1) != y).float().mean()


class CountsClasses(LPGNN):
    """The server is told how many classes there are here."""

    def collect(self, data, generator):
        return replace(super().collect(data, generator), num_classes=max(2, int(data.y.max()) + 1))


def changed(data, **fields):
    made = data.clone()
    for name, value in fields.items():
        made[name] = value
    return made


LOCAL = [
    (quick(Centres), "made of her own record.* the vector of features of person 0 moves the row of person"),
    (quick(Scales), "made of her own record"), (quick(Ranks), "made of her own record"),
    (quick(FriendsMean), "made of her own record"),
    (quick(LabelAsFeature), r"label \(replace\) is not covered: .* costs epsilon 6, stated is 3"),
    (quick(FeatureAsLabel), r"feature vector \(replace\) is not covered: .* costs epsilon 6, stated is 3"),
    (quick(SameCoins), "no coin may be used twice"), (quick(OneSeedTwice), "no coin may be used twice"),
    (quick(HalfAPage), "no coin may be used twice|is not covered"),
    (quick(ConstantCoins), "must draw from the generator that is handed in"),
    (quick(FewCoins), "must draw from the generator that is handed in"),
    (quick(TrainingFeatures), "noise only; with a change of the vector of features of person"),
    (quick(LabelOfTwo), "noise only; with a change of the label of person 2"),
    (quick(Weights), "noise only; with a change of edge_weight"),
    (quick(Attributes), "noise only; with a change of edge_attr"),
    (quick(Averages), r"not covered: .* costs epsilon 6, stated is 3"),
    (quick(LoudFeatures), r"feature vector \(replace\) is not covered: .* costs epsilon 3.3, stated is 3"),
    (quick(OnlyTheLabelled), "noise only; with a change of the label of person"),
    (quick(MaskOfFeatures), "noise only; with a change of the vector of features of person"),
    (quick(TrueFriends, 1), "not covered: .* costs epsilon inf"),
    (quick(StopsEarly), "learn must read the release and nothing else"),
    (quick(CountsClasses), "noise only; with a change of the label of person 5"),
]


# 2. Distilled: labels of a public graph.

class HalfCounted(PATE):
    """Half of the labels are counted."""

    def budget(self, num_classes):
        return Budget(self.mechanism(num_classes).steps(self.num_queries // 2))


class AllButOne(PATE):
    """One label is not counted."""

    def budget(self, num_classes):
        return Budget(self.mechanism(num_classes).steps(self.num_queries - 1))


class DoubledVotes(PATE):
    """Each vote counts twice."""

    def teach(self, private, public, generator, progress=False):
        found = super().teach(private, public, generator, progress)
        return replace(found, scores=2 * found.scores)


class OneTeacherForAll(PATE):
    """Each teacher learns from everybody."""

    def teach(self, private, public, generator, progress=False):
        alone = PATE(**vars(self) | {"teachers": 1})
        told = [alone.teach(private, public, seeded(100 + n), progress) for n in range(self.teachers)]
        queries = self.choose_queries(private, public, generator)
        return replace(told[0], queries=queries, scores=sum(found.scores for found in told))


class QuietLabels(PATE):
    """Less noise than is counted."""

    def label(self, scores, generator):
        return replace(self, scale=self.scale / 2).mechanism(scores.size(1))(scores, generator=generator)


class AsksTwice(PATE):
    """Each label is the better of two."""

    def label(self, scores, generator):
        return super().label(scores, generator).minimum(super().label(scores, generator))


class NoiseByVotes(PATE):
    """Where teachers agree, there is less noise."""

    def label(self, scores, generator):
        return replace(self, scale=1 / float(scores.max())).mechanism(scores.size(1))(scores, generator=generator)


class OneSampleAsFresh(PrivGNN):
    """One sample for all labels, charged as a fresh one for each."""

    def budget(self, num_classes):
        pair = self.mechanism(num_classes).pair
        return Budget((Step(pair.poisson(self.rate), self.num_queries),))


class FirstSample(PrivGNN):
    """A sample is drawn for each label, and the first is used for all."""

    def draw(self, private, public, generator):
        queries, seeds = super().draw(private, public, generator)
        return queries, seeds[:1] * len(seeds)


class NeverEmpty(PrivGNN):
    """A sample of nobody is drawn again."""

    def chosen(self, x, query, generator):
        while not (found := super().chosen(x, query, generator)).numel():
            pass
        return found


class OwnSample(PrivGNN):
    """Half of the people are drawn, in a way of its own, and charged as a Poisson sample."""

    def chosen(self, x, query, generator):
        return torch.randperm(len(x), generator=generator)[:math.ceil(len(x) * self.rate)].sort().values


class RareSample(PrivGNN):
    """The rate that is charged is half of the one that is drawn."""

    def budget(self, num_classes):
        return replace(self, rate=self.rate / 2).charged(num_classes)

    def charged(self, num_classes):
        return PrivGNN.budget(self, num_classes)


class LooksAtAll(PrivGNN):
    """A teacher's answer is shifted by the mean of all private features."""

    def posteriors(self, private, public, queries, seeds, progress=False, *, batch=1):
        found = super().posteriors(private, public, queries, seeds, progress, batch=batch)
        return (found + private.x.mean() * torch.eye(found.size(1))[0]).softmax(1)


class Likeness(PATE):
    """Asks for labels of public nodes that are like the private ones."""

    def choose_queries(self, private, public, generator):
        super().choose_queries(private, public, generator)
        near = (public.x - private.x.mean(0)).norm(dim=1).where(public.train_mask, torch.tensor(math.inf))
        return near.sort(stable=True).indices[:self.num_queries].sort().values


class StatesATenth(PATE):
    """The guarantee is a tenth of what the labels cost."""

    def budget(self, num_classes):
        return Budget(replace(self, scale=10 * self.scale).mechanism(num_classes).steps(self.num_queries))


HER = "noise only; with a change of the presence of person"
AN_EDGE = "noise only; with a change of the edge"
NODE = r"node \(add/remove\) is not covered"
DISTILLED = [
    (quick(HalfCounted), NODE), (quick(AllButOne), NODE), (quick(DoubledVotes), NODE), (quick(OneTeacherForAll), NODE),
    (quick(QuietLabels), NODE), (quick(AsksTwice), NODE), (quick(StatesATenth), NODE),
    (quick(NoiseByVotes), HER), (quick(Likeness), HER),
    (quick(OneSampleAsFresh, 1), NODE), (quick(FirstSample), NODE + "|no coin may be used twice"),
    (quick(NeverEmpty), NODE + "|number of noisy outputs"), (quick(OwnSample), NODE),
    (quick(RareSample), NODE), (quick(LooksAtAll), NODE),
]


# 3. Published vectors: a curator adds noise to sums over neighbours, as GAP does (Sajadmanesh et al. 2023).

@dataclass(frozen=True)
class GAP(Embedding):
    """Rows of length 1, summed over neighbours, with Gaussian noise in each hop. An edge moves two rows by 1 each."""

    epsilon: Annotated[float, Epsilon()] = 1.0
    hops: Annotated[int, Count(1)] = 2
    share: Annotated[float, Positive()] = 1.0  # of the noise that is needed
    times: Annotated[float, Positive()] = 1.0  # the epsilon that is stated, of the one that was asked for

    def noise(self) -> Gaussian:
        """Of one hop: all together are one Gaussian mechanism of the root of ``hops`` times the sensitivity."""
        return Gaussian(self.epsilon, 1e-5, math.sqrt(2 * self.hops), "undirected edge", "add/remove", "central")

    def hop(self, z: Tensor, matrix, number: int, generator) -> Tensor:
        noise = self.noise()
        if self.share != 1:
            noise = replace(noise, sensitivity=noise.sensitivity * self.share)
        return noise(matrix @ z, generator=generator)

    def prepared(self, data: Data) -> Tensor:
        return torch.nn.functional.normalize(data.x.double() + 0.1, dim=1)

    def embed(self, data, generator):
        z, told = self.prepared(data), []
        matrix = DoubleMatrix(data.edge_index, data.num_nodes)
        for number in range(self.hops):
            z = torch.nn.functional.normalize(self.hop(z, matrix, number, generator), dim=1)
            told.append(z)
        stated = replace(self.noise().guarantee, epsilon=self.times * self.epsilon)
        return Embeddings(z=torch.cat(told, 1).float(), guarantees=(stated,), public=("x", "num_nodes"),
                          randomness=kind_of(generator))


class DoubleMatrix:
    """Sums over neighbours in float64."""

    def __init__(self, edge_index, n):
        self.a = torch.zeros(n, n, dtype=torch.double)
        self.a[edge_index[0], edge_index[1]] = 1.0

    def __matmul__(self, z):
        return self.a @ z


class BudgetOnEachHop(GAP):
    """Each hop has noise for the whole budget."""

    def hop(self, z, matrix, number, generator):
        return Gaussian(self.epsilon, 1e-5, math.sqrt(2), "undirected edge", "add/remove", "central")(
            matrix @ z, generator=generator)


class OneSided(GAP):
    """The sensitivity is that of one row."""

    def hop(self, z, matrix, number, generator):
        noise = self.noise()
        return replace(noise, sensitivity=noise.sensitivity / math.sqrt(2))(matrix @ z, generator=generator)


class LongRows(GAP):
    """Rows are not shortened before they are summed."""

    def prepared(self, data):
        return 2 * data.x.double()


class SecondHopFree(GAP):
    """The second hop has no noise of its own."""

    def hop(self, z, matrix, number, generator):
        return super().hop(z, matrix, number, generator) if number == 0 else matrix @ z


class SameNoiseEachHop(GAP):
    """Both hops have the same noise."""

    def hop(self, z, matrix, number, generator):
        state = check_generator(generator).get_state()
        told = super().hop(z, matrix, number, generator)
        generator.set_state(state)
        return told


class DividesByDegree(GAP):
    """Noisy sums are divided by true degrees."""

    def embed(self, data, generator):
        made = super().embed(data, generator)
        return replace(made, z=made.z / torch.bincount(data.edge_index[0], minlength=len(made.z)).clamp(min=1)[:, None])


class NoiseByDegree(GAP):
    """The noise is as large as the largest degree asks for."""

    def hop(self, z, matrix, number, generator):
        noise = self.noise()
        most = float((matrix @ torch.ones(len(z), 1, dtype=torch.double)).max())
        return replace(noise, sensitivity=noise.sensitivity * max(1.0, most))(matrix @ z, generator=generator)


class PureAsIf(GAP):
    """Gaussian noise, and no delta is stated."""

    def embed(self, data, generator):
        made = super().embed(data, generator)
        return replace(made, guarantees=(replace(made.guarantees[0], delta=0.0),))


class StopsWhereQuiet(GAP):
    """A second hop only where there is a triangle."""

    def embed(self, data, generator):
        a = DoubleMatrix(data.edge_index, data.num_nodes).a
        return GAP(**vars(self) | {"hops": 2 if (a @ a * a).sum() > 0 else 1}).embed(data, generator)


class OwnNoise(GAP):
    """Noise of its own hand, which no mechanism answers for."""

    def hop(self, z, matrix, number, generator):
        return matrix @ z + self.noise().sigma * torch.randn(z.shape, generator=generator, dtype=z.dtype)


class Standardised(Embedding):
    """Features are standardised by all people's, and then get noise for one row."""

    def embed(self, data, generator):
        x = ((data.x - data.x.mean(0)) / data.x.std(0).clamp(min=1e-3)).clamp(-1, 1)
        noise = Laplace(1.0, 2.0 * x.size(1), "feature vector", "replace", "central")
        return Embeddings(z=noise(x, generator=generator), guarantees=(noise.guarantee,), randomness=kind_of(generator))


class ClipsAtTheLargest(Embedding):
    """The bound of a row is the largest that there is."""

    def embed(self, data, generator):
        top = float(data.x.sum(1).max())
        noise = Laplace(1.0, 2 * max(top, 1.0), "feature vector", "replace", "central")
        return Embeddings(z=noise(data.x, generator=generator), guarantees=(replace(noise.guarantee, epsilon=1.0),),
                          randomness=kind_of(generator))


class AsClaimed(DPNE):
    """States the paper's claim."""

    def embed(self, data, generator):
        made = super().embed(data, generator)
        return replace(made, guarantees=tuple(replace(g, epsilon=g.claimed) for g in made.guarantees))


class HalfOfItsMechanism(GAE):
    """States half of what its mechanism costs."""

    def embed(self, data, generator):
        made = super().embed(data, generator)
        return replace(made, guarantees=tuple(replace(g, epsilon=g.epsilon / 2) for g in made.guarantees))


class AnswersTwice(GAE):
    """Links are reported for the vectors, and again for a column of degrees."""

    def embed(self, data, generator):
        made, told = super().embed(data, generator), self.edges(data, generator=generator)
        degrees = torch.bincount(told.edge_index[0], minlength=len(made.z))
        return replace(made, z=torch.cat([made.z, degrees[:, None]], 1))


EDGE = r"undirected edge \(add/remove\) is not covered"
EMBEDDINGS = [
    (BudgetOnEachHop(), EDGE + ".* costs epsilon 1.4"), (GAP(times=0.1), EDGE + ".*costs epsilon 1 .* stated is 0.1"),
    (GAP(share=0.1), EDGE + ".* costs epsilon 1[0-9]"), (OneSided(), EDGE), (LongRows(), EDGE),
    (SecondHopFree(), AN_EDGE), (SameNoiseEachHop(), "no coin may be used twice"),
    (DividesByDegree(), AN_EDGE), (NoiseByDegree(), AN_EDGE),
    (PureAsIf(), EDGE + ".* costs epsilon inf"), (StopsWhereQuiet(), AN_EDGE),
    (OwnNoise(), "must call at least one noisy mechanism|noise only"),
    (Standardised(), r"feature vector \(replace\) is not covered"),
    (ClipsAtTheLargest(), "noise only; with a change of the vector of features"),
    (AsClaimed(), EDGE + ".* stated is 1"), (quick(HalfOfItsMechanism, 3), "is not covered"),
    (quick(AnswersTwice, 3), EDGE + ".* costs epsilon 2, stated is 1"),
]


# 4. Federations: what clients send in all rounds together.

class StatesOneTenth(FederatedDeepWalk):
    """Uploads cost ten times what is stated."""

    def guarantees(self, sizes=None, delta=None):
        return tuple(replace(g, epsilon=g.epsilon / 10) for g in super().guarantees())


@dataclass(frozen=True)
class OtherNoise(UploadNoise):
    def mechanism(self, rounds):
        whole = super().mechanism(rounds)
        return replace(whole, sensitivity=whole.sensitivity * self.factor(rounds))


class OneRoundsNoise(OtherNoise):
    """Noise that is enough for one round."""

    def factor(self, rounds):
        return 1 / math.sqrt(rounds)


class HalfTheStep(OtherNoise):
    """Two uploads in a ball are taken to be its radius apart."""

    def factor(self, rounds):
        return 0.5


class NeverShortened(UploadNoise):
    """Uploads have any length."""

    def __call__(self, rows, rounds, generator):
        return self.mechanism(rounds)(rows.double(), generator=generator).float()


class RowByRow(UploadNoise):
    """Each row is shortened, and not all of them together."""

    def __call__(self, rows, rounds, generator):
        each = torch.stack([shortened(row[None], self.clip)[0] for row in rows])
        return self.mechanism(rounds)(each, generator=generator).float()


class FreshEachRound(DeepWalkClient):
    """Reports its edges anew in each round."""

    def receive(self, message):
        self.graph = self.method.walked(self.part, self.generator)
        super().receive(message)


class SecondUploadFree(DeepWalkClient):
    """Noise on the first upload only."""

    def send(self):
        return super().send() if self.uploads == 0 else pack_rows(self.model.vectors.detach()[:self.part.num_public])


class SameNoiseEachRound(DeepWalkClient):
    """Each upload has the noise of the first."""

    def send(self):
        state = self.generator.get_state()
        self.generator.set_state(getattr(self, "start", state))
        self.start = self.generator.get_state()
        return super().send()


class NoiseOfTheRound(DeepWalkClient):
    """The noise of round r is that of seed r."""

    def send(self):
        own, self.generator = self.generator, seeded(self.uploads)
        try:
            return super().send()
        finally:
            self.generator = own


class FriendsCounted(DeepWalkClient):
    """The number of public people's friends stands in the first number of each row."""

    def send(self):
        public = self.part.num_public
        kept = self.model.vectors.data[:public, 0].clone()
        self.model.vectors.data[:public, 0] = torch.bincount(self.part.edge_index[0])[:public].float()
        try:
            return super().send()
        finally:
            self.model.vectors.data[:public, 0] = kept


class Walks(FederatedDeepWalk):
    """A federation with other clients."""

    CLIENT = DeepWalkClient

    def client(self, part, generator):
        return self.CLIENT(self, part, generator)


def with_clients(kind, number):
    made = type(f"With{kind.__name__}", (Walks,), {"CLIENT": kind})
    return made(**vars(FederatedDeepWalk.examples()[number]))


PART = r"private (part|edge) \([a-z/]+\) is not covered"
FEDERATIONS = [
    (quick(StatesOneTenth, 4), PART),
    *((FederatedDeepWalk(**vars(FederatedDeepWalk.examples()[4]) | {"noise": kind(1.0)}), PART)
      for kind in (OneRoundsNoise, HalfTheStep, NeverShortened, RowByRow)),
    (with_clients(FreshEachRound, 2), PART + ".* costs epsilon 3, stated is 1"),
    (with_clients(FreshEachRound, 3), PART + ".* costs epsilon 3, stated is 1"),
    (with_clients(SecondUploadFree, 4), "noise only; with a change of the private"),
    (with_clients(SameNoiseEachRound, 4), "no coin may be used twice"),
    (with_clients(NoiseOfTheRound, 4), "no coin may be used twice|must draw from the generator"),
    (with_clients(FriendsCounted, 2), "noise only; with a change of the private edge"),
]

WRONG = [*LOCAL, *DISTILLED, *EMBEDDINGS, *FEDERATIONS]


@LOT
@pytest.mark.parametrize("method, found", WRONG, ids=[type(getattr(m, "noise", None) or m).__name__ if isinstance(
    getattr(m, "noise", None), UploadNoise) else type(m).__name__ for m, _ in WRONG])
def test_a_wrong_method_is_found_by_its_reason(method, found):
    with pytest.raises((AssertionError, ValueError), match=found):
        check_method(method)


# 5. Right ones, which look odd.

class TwoHalves(LPGNN):
    """People of even and of odd numbers report their features in two calls: nobody reports twice."""

    def collect(self, data, generator):
        told = LPGNN(**vars(self) | {"epsilon_x": math.inf}).collect(data, generator)
        mechanism = MultiBit(self.epsilon_x, data.x.size(1), *bounds(data), self.sampled)
        halves = [mechanism.report(clamped(data)[start::2], generator=generator) for start in (0, 1)]
        report = halves[0].new_zeros(data.x.shape)
        report[::2], report[1::2] = halves
        return replace(told, report=report, epsilon_x=self.epsilon_x)


class Stingy(LPGNN):
    """Spends less than it states."""

    def collect(self, data, generator):
        return replace(LPGNN(**vars(self) | {"epsilon_x": 0.5 * self.epsilon_x}).collect(data, generator),
                       epsilon_x=self.epsilon_x)


class TwoCallsOfLabels(PATE):
    """Labels in two calls."""

    def label(self, scores, generator):
        return torch.cat([super(TwoCallsOfLabels, self).label(part, generator) for part in scores.split(2)])


class OneQueryEach(PATE):
    """Each teacher answers one query alone, so a person changes one label."""

    def teach(self, private, public, generator, progress=False):
        found = super().teach(private, public, generator, progress)
        part = dealt(len(found.queries), private.num_nodes, generator=generator)
        votes = torch.zeros_like(found.scores)
        for query in range(len(votes)):
            own = private.y[(part == query) & (private.y >= 0)]
            votes[query, int(own.bincount(minlength=2).argmax()) if len(own) else 0] = 1
        return replace(found, scores=votes)

    def budget(self, num_classes):
        return Budget(self.mechanism(num_classes).steps(1))


class OtherScale(GAP):
    """Noise of twice the size that is needed, after rows that are twice as long."""

    def hop(self, z, matrix, number, generator):
        noise = self.noise()
        return replace(noise, sensitivity=2 * noise.sensitivity)(matrix @ (2 * z), generator=generator)


class HalvesApart(Embedding):
    """People of even and of odd numbers get noise in calls of their own."""

    def embed(self, data, generator):
        noise = Laplace(1.0, 3.0, "feature vector", "replace", "central")
        z = data.x.clone()
        z[::2], z[1::2] = (noise(part, generator=generator) for part in (data.x[::2], data.x[1::2]))
        return Embeddings(z=z, guarantees=(noise.guarantee,), randomness=kind_of(generator))


class PublicBounds(Embedding):
    """Features are brought to 0 and 1 by their public range."""

    def embed(self, data, generator):
        low, high = bounds(data)
        noise = Laplace(1.0, float(data.x.size(1)), "feature vector", "replace", "central")
        x = ((clamped(data) - low) / (high - low)).to(data.x.dtype)
        return Embeddings(z=noise(x, generator=generator), guarantees=(noise.guarantee,), public=("feature_range",),
                          randomness=kind_of(generator))


class Constant(Embedding):
    """Publishes nothing, at epsilon 0."""

    def embed(self, data, generator):
        check_generator(generator)
        nothing = Guarantee(0.0, unit="undirected edge", relation="add/remove", trust="central", basis="proved")
        return Embeddings(z=torch.zeros(data.num_nodes, 1), guarantees=(nothing,), randomness=kind_of(generator))


class PaysForEachRound(Walks):
    """Reports its edges anew in each round, and says so."""

    CLIENT = FreshEachRound

    def guarantees(self, sizes=None, delta=None):
        return tuple(replace(g, epsilon=(1 + self.rounds) * g.epsilon) for g in super().guarantees())


class LongCards(Embedding):
    """States a unit of which the small world has none."""

    def embed(self, data, generator):
        noise = Laplace(1.0, 3.0, "support graph", "replace", "central")
        return Embeddings(z=noise(data.x, generator=generator), guarantees=(noise.guarantee,),
                          randomness=kind_of(generator))


ODD = [(quick(TwoHalves), TRIED), (quick(Stingy), TRIED), (quick(TwoCallsOfLabels), TRIED),
       (quick(OneQueryEach), TRIED),
       (GAP(), TRIED), (GAP(hops=3, epsilon=4.0), TRIED), (GAP(times=2.0), TRIED), (OtherScale(), TRIED),
       (HalvesApart(), TRIED), (PublicBounds(), TRIED), (Constant(), TRIED),
       (PaysForEachRound(**vars(FederatedDeepWalk.examples()[2])), TRIED),
       (GAE.examples()[0], PROMISES_NOTHING), (LongCards(), NOTHING_TO_REFUTE),
       (LPGNN(epsilon_x=math.inf, epsilon_y=50.0, epochs=2), TRIED)]


@LOT
@pytest.mark.parametrize("method, verdict", ODD, ids=[f"{type(m).__name__} {n}" for n, (m, _) in enumerate(ODD)])
def test_a_right_method_is_not_refused(method, verdict):
    report = check_method(method)
    assert report.verdict == verdict and str(report).endswith(verdict)


def test_what_costs_nothing_is_said_to_have_been_the_same_and_to_have_moved_nothing():
    report = check_method(Constant())
    assert report.found.moving == 0 < report.found.same
    assert f"{report.found.same} changes of what costs nothing, with which nothing was otherwise" in str(report)


def test_wrong_things_are_sixty_and_right_ones_ten():
    assert len({type(m).__name__ + str(getattr(m, "noise", "")) for m, _ in WRONG}) >= 60 and len(ODD) >= 10
