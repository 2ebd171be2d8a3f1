"""Centroids: the sums as a loop, what noise alone explains, and mutants that the contract finds."""

import math
from dataclasses import replace

import pytest
import torch

from privgraph.datasets import load, split
from privgraph.mechanisms import Gaussian
from privgraph.methods import Centroids, check_method
from privgraph.methods.contract.toys import changed, path_graph
from privgraph.randomness import seeded


def test_the_sums_are_those_of_the_equation():
    """One training person after the other; the others are in no sum."""
    data, method = path_graph(), Centroids(2.0, 1e-3)
    data.y[int(data.train_mask.nonzero()[0])] = -1
    sums = torch.zeros(2, 3, dtype=torch.double)
    for i in range(data.num_nodes):
        if data.train_mask[i] and data.y[i] >= 0:
            sums[int(data.y[i])] += data.x[i].double() / data.x[i].double().norm()
    expected = method.noise(sums, generator=seeded(3)).float()
    assert torch.allclose(method.train(data, seeded(3)).tensors["sums"], expected)


def test_the_noise_is_that_of_one_row_of_length_1():
    assert Centroids(2.0, 1e-3).noise.sigma == pytest.approx(Gaussian(2.0, 1e-3).sigma, rel=1e-6, abs=0)


def test_everybody_is_answered_by_her_own_features():
    data = path_graph()
    model = Centroids(2.0).fit(data, seed=0)
    alone = torch.cat([model.predict_proba(changed(data, x=data.x[[v]], edge_index=torch.empty(2, 0, dtype=torch.long),
                                                   y=data.y[[v]], num_nodes=1)) for v in range(data.num_nodes)])
    assert torch.allclose(model.predict_proba(data), alone, atol=1e-6)


def test_without_noise_it_names_the_class_that_points_where_a_person_does():
    data = path_graph()
    model = Centroids(math.inf).fit(data, seed=0)
    sums = model.release.tensors["sums"]
    for i, answer in enumerate(model.predict(data).tolist()):
        cosines = [float(torch.dot(data.x[i], one) / one.norm()) for one in sums]
        assert cosines[answer] == max(cosines)


def test_what_noise_alone_explains_counts_as_nothing():
    data, method = path_graph(), Centroids(1.0)
    release = method.train(data, seeded(0))
    sigma = method.noise.sigma
    sums = torch.tensor([[sigma, -0.9 * sigma, 2 * sigma], [-3 * sigma, 0.0, 0.0]])
    weight = method.learn(replace(release, tensors={"sums": sums}), seeded(1)).model.weight
    assert (weight != 0).tolist() == [[False, False, True], [True, False, False]]
    assert torch.allclose(weight.norm(dim=1), torch.full((2,), 10.0)) and weight[1, 0] < 0


def test_it_learns():
    """Patients, whose features tell their class; noise for epsilon 1 of a thousand people."""
    data = split(load("patients"), seeded(0))
    named = {epsilon: Centroids(epsilon).fit(data, seed=1).score(data) for epsilon in (1e-3, 50.0)}
    assert named[50.0] > named[1e-3] + 0.1


class LongRows(Centroids):
    """Features as long as they are: a person may move a sum by more than 1."""

    def train(self, data, generator, progress=False):
        known = data.train_mask & (data.y >= 0)
        sums = torch.zeros(data.num_classes, data.x.size(1), dtype=torch.double)
        sums.index_add_(0, data.y[known], 5 * data.x[known].double())
        return self.release(data, generator, sums=self.noise(sums, generator=generator).float())


class HalfTheNoise(Centroids):
    @property
    def noise(self):
        return replace(super().noise, sensitivity=0.5)


class TrueCounts(Centroids):
    """Means in place of sums, with the true number of people."""

    def train(self, data, generator, progress=False):
        left = super().train(data, generator, progress)
        known = data.train_mask & (data.y >= 0)
        count = torch.bincount(data.y[known], minlength=data.num_classes).clamp_min(1).view(-1, 1)
        return replace(left, tensors={"sums": left.tensors["sums"] / count})


class Neighbourly(Centroids):
    """Rows are means over neighbours: a person is in many."""

    def train(self, data, generator, progress=False):
        x = data.x + torch.zeros_like(data.x).index_add_(0, data.edge_index[1], 3 * data.x[data.edge_index[0]])
        return super().train(changed(data, x=x), generator, progress)


class Centred(Centroids):
    """The mean of all people is taken off first."""

    def train(self, data, generator, progress=False):
        return super().train(changed(data, x=data.x - data.x.mean(0)), generator, progress)


@pytest.mark.parametrize("kind, found", [
    (LongRows, r"node \(add/remove\) is not covered"), (HalfTheNoise, r"node \(add/remove\) is not covered"),
    (TrueCounts, "noise only"), (Neighbourly, "node"), (Centred, "node")],
    ids=lambda part: getattr(part, "__name__", ""))
def test_a_mutant_is_found(kind, found):
    with pytest.raises(AssertionError, match=found):
        check_method(kind(1.0, 1e-3))
