"""The kind of a trusted curator: what it states, its files and its models; and whoever breaks its promises is found."""

import math
from dataclasses import dataclass, replace
from typing import Annotated

import pytest
import torch
from torch import nn

from privgraph.audit.verdict import PROMISES_NOTHING, TRIED
from privgraph.checks.parameters import Epsilon, Positive
from privgraph.mechanisms import Laplace
from privgraph.methods import check_method, sizes_of
from privgraph.methods.contract.toys import changed, path_graph, restricted
from privgraph.methods.curated import (
    EDGE,
    NODE,
    Curated,
    CuratedModel,
    CuratedRelease,
    accounted,
    check_curated,
    told_labels,
)
from privgraph.methods.files import read, write
from privgraph.methods.model import Training
from privgraph.privacy import GaussianPair, LaplacePair, Step, rdp_epsilon
from privgraph.randomness import kind_of, secret, seeded

LABEL = ("label", "replace")


class Constant(nn.Module):
    """The same logits for everybody."""

    def __init__(self, counts):
        super().__init__()
        self.logits = nn.Parameter(counts.float().clamp(min=0.1).log())

    def forward(self, x):
        return self.logits.expand(len(x), -1)


@dataclass(frozen=True)
class Prior(Training, Curated):
    """How many people are of each class, with Laplace noise; one label that is another moves two counts by 1."""

    epsilon: Annotated[float, Epsilon()] = 1.0
    moves: Annotated[float, Positive()] = 2.0  # what the noise is for
    pays: Annotated[float, Positive()] = 1.0  # the share of what it costs that is stated

    PUBLIC = ("train_mask", "val_mask", "num_nodes", "num_classes")

    def steps(self, sizes):
        return {LABEL: None if math.isinf(self.epsilon) else (Step(LaplacePair(1 / (self.epsilon * self.pays))),)}

    def counts(self, data):
        y = told_labels(data)
        return y[y >= 0].bincount(minlength=data.num_classes).double()

    def train(self, data, generator, progress=False):
        check_curated(data, generator)
        noise = Laplace(self.epsilon, self.moves, *LABEL, "central")
        return self.release(data, generator, counts=noise(self.counts(data), generator=generator))

    def prepare(self, release, generator):
        return self.model(release, Constant(release.tensors["counts"]), None)

    def read(self, data):
        return data.x


class NothingToAdd(Prior):
    """The same once more, with noise in two calls of which each pays for one half of the people."""

    def train(self, data, generator, progress=False):
        check_curated(data, generator)
        noise, half = Laplace(self.epsilon, 2.0, *LABEL, "central"), torch.arange(data.num_nodes) % 2 == 0
        told = [noise(self.counts(changed(data, y=torch.where(own, data.y, -1))), generator=generator)
                for own in (half, ~half)]
        return self.release(data, generator, counts=sum(told))


@pytest.mark.parametrize("method, verdict", [(Prior(), TRIED), (Prior(epsilon=20.0), TRIED), (NothingToAdd(), TRIED),
                                             (Prior(math.inf), PROMISES_NOTHING)])
def test_a_right_method_is_not_refused(method, verdict):
    assert check_method(method).verdict == verdict


def train_of(change):
    """A method that does something else with what it would release."""
    def train(self, data, generator, progress=False):
        return change(Prior.train(self, data, generator), data, generator)
    return train


class TellsAll(Prior):
    """Labels leave as they are."""
    train = train_of(lambda made, data, generator: replace(made, tensors=made.tensors | {"y": data.y}))


class TellsDegrees(Prior):
    """Degrees leave, of which nothing is stated."""
    train = train_of(lambda made, data, generator: replace(made, tensors=made.tensors | {
        "degrees": torch.bincount(data.edge_index[0], minlength=data.num_nodes)}))


class CountsEdges(Prior):
    """The noise covers a count of edges too, of which nothing is stated."""
    def counts(self, data):
        return super().counts(data) + data.edge_index.size(1)


class CountsFriends(Prior):
    """A label counts as often as somebody has friends."""
    PUBLIC = (*Prior.PUBLIC, "edge_index")

    def counts(self, data):
        y, degree = told_labels(data), torch.bincount(data.edge_index[0], minlength=data.num_nodes).double()
        return torch.zeros(data.num_classes, dtype=torch.double).index_add_(0, y[y >= 0], degree[y >= 0])


class CountsTests(Prior):
    """Labels of people in no mask are counted."""
    def counts(self, data):
        return data.y[data.y >= 0].bincount(minlength=data.num_classes).double()


class OtherThanSaid(Prior):
    """The release states less than was said beforehand."""
    train = train_of(lambda made, data, generator: replace(made, spent={LABEL: (Step(LaplacePair(2.0)),)}))


class SaysSecret(Prior):
    """What leaves says that its randomness was secret, whatever it was."""
    train = train_of(lambda made, data, generator: replace(made, randomness="secret"))


class SaysByMasks(Prior):
    """What is stated hangs on labels."""
    train = train_of(lambda made, data, generator: replace(made, delta=0.1 * float(data.y[0] == 1)))


class CostsMore(Prior):
    """What is stated is right, and more than was asked for."""
    def steps(self, sizes):
        return {LABEL: (Step(LaplacePair(1 / self.epsilon), 2),)}


class NoWord(Prior):
    """Nothing is said of any unit."""
    def steps(self, sizes):
        return {}


class Keeps(Prior):
    """The last graph is kept, and read when the release is."""
    KEPT = []
    train = train_of(lambda made, data, generator: (Keeps.KEPT.append(data.y.sum()), made)[1])

    def prepare(self, release, generator):
        model = super().prepare(release, generator)
        with torch.no_grad():
            model.model.logits[0] += self.KEPT[-1]
        return model


class Logits(Prior):
    def prepare(self, release, generator):
        class Raw(CuratedModel):
            def predict_proba(self, data=None):
                return self.model(data.x)
        return Raw(self, Constant(release.tensors["counts"]), None, method=self, release=release)


class Least(Prior):
    """The class that is named is the least likely."""
    def prepare(self, release, generator):
        class Turned(CuratedModel):
            def predict(self, data=None):
                return self.predict_proba(data).argmin(1)
        return Turned(self, Constant(release.tensors["counts"]), None, method=self, release=release)


class Forgets(Prior):
    """A model that is read from a file is another."""
    def reload(self, release, learned, path):
        return super().reload(release, {"logits": -learned["logits"]}, path)


class OwnRelease(Prior):
    """No release, but what it would hold."""
    train = train_of(lambda made, data, generator: vars(made))


@pytest.mark.parametrize("method, found", [
    (Prior(moves=1.0), r"label \(replace\) is not covered: .* costs epsilon 2, stated is 1"),
    (Prior(pays=0.5), r"label \(replace\) is not covered: .* costs epsilon 1, stated is 0.5"),
    (TellsAll(), "noise only; with a change of the label of person"),
    (TellsDegrees(), "noise only; with a change of the edge"),
    (CountsEdges(), "edge_index must be public, or have a finite guarantee"),
    (CountsFriends(), r"label \(replace\) is not covered"), (CountsTests(), "in neither train_mask nor val_mask"),
    (OtherThanSaid(), "what a method says that it will cost"), (SaysSecret(), "randomness of what leaves"),
    (SaysByMasks(), "noise only; with a change of the label"), (CostsMore(), "no more than was asked for"),
    (NoWord(), "guarantees must speak of some unit"),
    (Keeps(), "learn must read the release and nothing else"), (Logits(), "each row of predict_proba must sum to 1"),
    (Least(), "predict must name the likeliest class"), (Forgets(), "a model must be read as it was written"),
    (OwnRelease(), "train must return a CuratedRelease, got dict")],
    ids=lambda part: type(part).__name__ if isinstance(part, Curated) else "")
def test_a_broken_method_is_found(method, found):
    with pytest.raises(AssertionError, match=found):
        check_method(method)


# What is stated.

GAUSSIAN = {EDGE: (Step(GaussianPair(2.0), 3),), NODE: None, LABEL: ()}


def test_guarantees_come_from_the_steps_and_say_their_delta():
    edge, node, label = accounted(GAUSSIAN, 1e-5)
    assert edge.epsilon <= rdp_epsilon([Step(GaussianPair(2.0), 3)], 1e-5)  # the other accountant
    whole, = accounted({EDGE: (Step(GaussianPair(2 / math.sqrt(3))),)}, 1e-5)
    assert edge.epsilon == pytest.approx(whole.epsilon)
    assert (edge.delta, edge.basis, edge.trust) == (1e-5, "accounted", "central")
    assert (node.epsilon, label.epsilon, label.delta) == (math.inf, 0.0, 0.0)
    pure, = accounted({LABEL: (Step(LaplacePair(0.5), 2),)}, 0.0)
    assert (pure.epsilon, pure.delta, pure.basis) == (4.0, 0.0, "proved")
    with pytest.raises(ValueError, match="say delta"):
        accounted(GAUSSIAN, 0.0)


def test_a_method_says_beforehand_at_any_delta_what_will_hold():
    sizes = sizes_of(path_graph())
    assert [g.epsilon for g in Prior(3.0).guarantees(sizes)] == [3.0]
    assert Prior(3.0).guarantees(sizes, 0.1)[0].epsilon < 3.0


def test_who_says_no_delta_states_pure_epsilon():
    """At another one the same noise is stated for less."""
    release = CuratedRelease(tensors={}, num_classes=2, spent={LABEL: (Step(LaplacePair(0.5)),)}, randomness="secret")
    assert [(g.epsilon, g.delta) for g in release.guarantees] == [(2.0, 0.0)]


def test_labels_of_people_in_no_mask_are_told_to_nobody():
    data = changed(path_graph(), val_mask=torch.arange(8) == 5)
    assert told_labels(data).tolist() == [0, 1, 0, 1, -1, 1, -1, -1]


def test_there_must_be_somebody_unless_a_method_says_that_it_can_do_without():
    one, nobody = (restricted(path_graph(), torch.arange(n)) for n in (1, 0))
    check_curated(one, seeded(0)), check_curated(nobody, seeded(0), least=0)
    with pytest.raises(ValueError, match="at least one node, got 0"):
        check_curated(nobody, seeded(0))


class KnowsFeatures(Prior):
    PUBLIC = (*Prior.PUBLIC, "x")


@pytest.mark.parametrize("kind, arms", [
    (Prior, ["real graph", "rewired edges", "permuted features", "majority class"]),
    (KnowsFeatures, ["real graph", "rewired edges", "majority class"])])
def test_features_of_others_are_tried_where_features_are_protected(kind, arms):
    data = changed(path_graph(), test_mask=torch.arange(8) > 3)
    assert list(kind(20.0).tried(data, seed=0)[1]) == arms


def made(**changes) -> CuratedRelease:
    return replace(CuratedRelease(tensors={"a": torch.ones(2, 3)}, num_classes=2, spent=GAUSSIAN, delta=1e-5,
                                  randomness="secret"), **changes)


def test_what_was_not_accounted_for_leaves_an_edge_as_it_is_and_nothing_of_the_others():
    held = made(unaccounted=("cut points",)).guarantees
    assert [g.basis for g in held] == ["accounted", "none", "none"]
    assert [g.holds for g in made().guarantees] == [True] * 3
    assert [g.holds for g in made(randomness="public").guarantees] == [False] * 3
    assert made().stated(1e-3)[0].epsilon < made().guarantees[0].epsilon


def test_what_no_finite_epsilon_holds_for_is_public():
    data = path_graph()
    assert "y" not in Prior().train(data, seeded(0)).public and "y" in Prior(math.inf).train(data, seeded(0)).public


def test_randomness_is_that_of_the_generator():
    for generator in (secret(), seeded(0)):
        assert Prior().train(path_graph(), generator).randomness == kind_of(generator)


# Files.

def test_a_release_is_read_as_it_was_written(tmp_path):
    made().save(tmp_path / "release.pt")
    again = CuratedRelease.load(tmp_path / "release.pt")
    assert again.spent == GAUSSIAN and torch.equal(again.tensors["a"], torch.ones(2, 3))
    assert again.guarantees == made().guarantees


def test_a_file_of_before_people_could_add_noise_is_a_curators(tmp_path):
    made().save(tmp_path / "release.pt")
    found = read(tmp_path / "release.pt", "release")
    del found["trust"]
    write(found, tmp_path / "release.pt")
    assert {held.trust for held in CuratedRelease.load(tmp_path / "release.pt").guarantees} == {"central"}


@pytest.mark.parametrize("changes, message", [
    (dict(tensors={"a": 1}), "tensors in .* must be tensors by name"), (dict(num_classes=1), "num_classes in .* must"),
    (dict(randomness="mine"), "randomness"), (dict(trust="nobody"), "trust in .* must be"),
    (dict(spent=3), "spent in .* must hold steps"),
    (dict(spent=[{"unit": "soul", "relation": "replace", "budget": None, "finite": True}]), "unit must be one of"),
    (dict(spent=[{"unit": "node"}]), "spent in .* must hold steps"), (dict(more=1), r"unknown \['more'\]")])
def test_files_of_strangers_are_refused(changes, message, tmp_path):
    made().save(tmp_path / "release.pt")
    write(read(tmp_path / "release.pt", "release") | changes, tmp_path / "release.pt")
    with pytest.raises(ValueError, match=message):
        CuratedRelease.load(tmp_path / "release.pt")


# Models.

def test_a_model_of_no_graph_is_asked_about_one():
    data = path_graph()
    fitted = Prior(20.0).learn(Prior(20.0).train(changed(data, y=torch.ones_like(data.y)), seeded(0)), seeded(0))
    assert fitted.predict(data).tolist() == [1] * 8
    with pytest.raises(ValueError, match="say data: the model holds nobody's features"):
        fitted.predict()


@pytest.mark.parametrize("name", ["train_mask", "val_mask"])
def test_masks_are_asked_for(name):
    data = path_graph()
    del data[name]
    with pytest.raises(ValueError, match=f"got none for {name}; datasets.split"):
        Prior().train(data, seeded(0))
