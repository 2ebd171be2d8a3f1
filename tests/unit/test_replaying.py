"""The replay audit: it passes what only releases noise, and names what else was read from private data."""

import dataclasses
import math
from dataclasses import dataclass

import pytest
import torch

from privgraph import datasets
from privgraph.audit import replay
from privgraph.audit.replaying import Recording
from privgraph.mechanisms import Laplace, MultiBit, RandomisedResponse, noisy
from privgraph.methods import LPGNN
from privgraph.randomness import seeded


@pytest.fixture
def people():
    """(data, the same data with another feature vector and label of node 3,
    who is then alone at the ends of the range)."""
    data = datasets.split(datasets.load("karate"), seeded(0))
    data.train_mask[3] = True
    other = data.clone()
    data.x = 0.25 + data.x / 2
    other.x = torch.where(torch.arange(34)[:, None] == 3, 1 - other.x, data.x)
    other.y[3] = 1 - other.y[3]
    return data, other


@pytest.mark.bears("for", "lpgnn-total")
def test_lpgnn_releases_nothing_but_noise_about_features_and_labels(people):
    method = LPGNN(epsilon_x=1.0, epsilon_y=1.0)
    assert replay(lambda data, g: method.collect(data, g), *people) == []


def test_lpgnn_does_not_protect_edges(people):
    data, _ = people
    other = data.clone()
    other.edge_index = other.edge_index[:, ~((other.edge_index == 3) & (other.edge_index.flip(0) == 0)).any(0)]
    leaks = replay(lambda d, g: LPGNN().collect(d, g), data, other)
    assert [leak.place for leak in leaks] == ["release.edge_index"]


def test_whole_training_with_noisy_validation_passes_and_clean_validation_is_named(people):
    def pipeline(data, g, clean):
        release = LPGNN(epochs=3, x_steps=1).collect(data, g)
        accuracy = (release.y == data.y)[data.val_mask | data.train_mask].float().mean()
        return {"release": release, "picked": accuracy if clean else 0.0}
    assert replay(lambda d, g: pipeline(d, g, clean=False), *people) == []
    leaks = replay(lambda d, g: pipeline(d, g, clean=True), *people)
    assert [leak.place for leak in leaks] == ["release['picked']"]


def test_a_range_computed_from_the_data_is_a_leak():
    def pipeline(x, g):
        return MultiBit(1.0, 2, float(x.min()), float(x.max()), sampled=1).report(x, generator=g)
    x, other = torch.tensor([[0.0, 0.5], [0.2, 0.9]]), torch.tensor([[0.0, 0.5], [0.2, 1.0]])
    leak, = replay(pipeline, x, other)
    assert leak.place == "noisy output 0" and (leak.first.high, leak.second.high) == (pytest.approx(0.9), 1.0)


@pytest.mark.parametrize("pipeline, first, second, place", [
    (lambda y, g: RandomisedResponse(1.0, 3)(y[y >= 0], generator=g), [0, 1, 2, 1], [0, 1, 2, -1], "shape"),
    (lambda y, g: RandomisedResponse(1.0, 3)(y, generator=g), [0, 1, 2], [0, 1, -1], "who answers"),
    (lambda y, g: Laplace(1.0)(y.double() if y.any() else y.float(), generator=g), [0, 0], [0, 1], "dtype")])
def test_the_form_of_noise_is_no_noise(pipeline, first, second, place):
    """How many answer, who they are, and with how many bits: certain, whatever the coins."""
    first, second = torch.tensor(first), torch.tensor(second)
    for pair in ((first, second), (second, first)):
        assert replay(pipeline, *pair)[0].place.startswith(f"noisy output 0['{place}']")


def test_randomness_after_the_noise_is_the_same_in_both_runs():
    def pipeline(x, g):
        noisy = Laplace(1.0)(x, generator=g)
        return noisy + torch.rand(3, generator=g)
    assert replay(pipeline, torch.zeros(3), torch.ones(3)) == []


def test_the_number_of_noisy_outputs_may_not_depend_on_the_data():
    def pipeline(labels, g):
        return [RandomisedResponse(1.0, 2)(labels[v:v + 1], generator=g) for v in range(len(labels)) if labels[v]]
    few, many = torch.tensor([1, 0, 0]), torch.tensor([1, 1, 0])
    for first, second in ((few, many), (many, few)):
        leak = replay(pipeline, first, second)[0]
        assert leak.place == "number of noisy outputs"
    assert replay(pipeline, many, few)[0].second == 1


def test_a_mechanism_made_of_others_is_recorded_once():
    from privgraph.mechanisms import Tape

    @dataclass(frozen=True)
    class Both:
        epsilon: float

        @noisy
        def __call__(self, x, *, generator):
            return Laplace(self.epsilon)(Laplace(self.epsilon)(x, generator=generator), generator=generator)

    tape = Tape()
    with tape.running(playing=False):
        Both(1.0)(torch.zeros(1), generator=seeded(0))
    assert [type(call.mechanism) for call in tape.entries] == [Both]


@dataclass
class Report:
    count: int
    name: str
    score: float


@pytest.mark.parametrize("change, place", [
    ({"count": 2}, "release.count"), ({"name": "b"}, "release.name"), ({"score": 1.0}, "release.score"), ({}, None),
    ({"count": 1.0}, "release.count"),
])
def test_plain_values_are_compared_too(change, place):
    base = Report(1, "a", math.nan)
    def pipeline(report, g):
        Laplace(1.0)(torch.zeros(1), generator=g)
        return report
    leaks = replay(pipeline, base, dataclasses.replace(base, **change))
    assert [leak.place for leak in leaks] == ([place] if place else [])


def test_different_keys_and_shapes_are_leaks():
    def pipeline(value, g):
        Laplace(1.0)(torch.zeros(1), generator=g)
        return value
    assert replay(pipeline, {"a": 1}, {"b": 1})[0].place == "release (its keys)"
    assert replay(pipeline, [1, 2], [1])[0].place == "release (its keys)"
    assert replay(pipeline, torch.zeros(2), torch.zeros(3))[0].place == "release"
    assert replay(pipeline, (torch.zeros(2),), (torch.zeros(2),)) == []


def test_a_pipeline_without_noise_proves_nothing():
    with pytest.raises(ValueError, match="at least one noisy mechanism, got none"):
        replay(lambda x, g: x, torch.zeros(1), torch.zeros(1))


def test_a_refusal_is_an_output():
    def pipeline(labels, g):
        noisy = RandomisedResponse(1.0, 2)(labels, generator=g)
        if labels.unique().numel() < 2:
            raise ValueError(f"{int(labels.sum())} of {len(labels)} labels are 1")
        return noisy
    two, one, other = torch.tensor([1, 0]), torch.tensor([0, 0]), torch.tensor([1, 1])
    for pair in ((two, one), (one, two)):
        assert [leak.place for leak in replay(pipeline, *pair)] == ["release"]
    assert [leak.place for leak in replay(pipeline, one, other)] == ["release.message"]


def test_a_refusal_before_any_noise_is_an_output():
    def pipeline(labels, g):
        if labels.sum() == 0:
            raise ValueError("nobody is in class 1")
        return RandomisedResponse(1.0, 2)(labels, generator=g)
    two, one = torch.tensor([1, 0]), torch.tensor([0, 0])
    assert replay(pipeline, two, one)[0].place == replay(pipeline, one, two)[0].place == "number of noisy outputs"


def test_a_pair_that_is_refused_alike_shows_nothing_and_raises():
    def pipeline(labels, g):
        RandomisedResponse(1.0, 2)(labels, generator=g)
        raise TypeError("this pipeline never releases anything")
    with pytest.raises(TypeError, match="never releases"):
        replay(pipeline, torch.tensor([1, 0]), torch.tensor([0, 0]))


def test_what_a_mechanism_refuses_is_seen_while_its_noise_is_frozen():
    def pipeline(labels, g):
        return RandomisedResponse(1.0, 2)(labels, generator=g)
    inside, outside = torch.tensor([1, 0]), torch.tensor([1, 2])
    assert [leak.place for leak in replay(pipeline, inside, outside)] == ["number of noisy outputs", "release"]
    assert replay(pipeline, outside, inside)


def shown(value, generator):
    """Something in the clear, beside noise."""
    return value, Laplace(1.0)(torch.zeros(1), generator=generator)


def test_memory_behind_a_tensor_leaves_with_it():
    """As a file would keep it: the first row is a window onto everybody's."""
    @dataclass
    class Released:
        rows: torch.Tensor
    x, other = torch.tensor([[1.0], [2.0]]), torch.tensor([[1.0], [3.0]])
    def leaks(released):
        return [leak.place for leak in replay(lambda x, g: shown(released(x), g), x, other)]
    for window in (lambda x: x[:1], lambda x: Released(x[:1]), lambda x: [x[:1]], lambda x: {"rows": x[:1]}):
        place, = leaks(window)
        assert place.endswith("(the memory behind it)")
    assert leaks(lambda x: x[:1].clone()) == []
    assert replay(lambda x, g: shown(x[:1], g), x, x.clone()) == []
    more = replay(lambda x, g: shown(x[:1], g), x, torch.tensor([[1.0], [2.0], [2.0]]))
    assert [leak.place for leak in more] == ["release[0] (the memory behind it)"]


@dataclass(frozen=True)
class Forgetful(Laplace):
    """Its noise hangs on something besides the input and the coins that it is given."""

    @noisy
    def __call__(self, answer, *, generator):
        return answer + torch.rand(answer.shape, generator=OWN, dtype=answer.dtype)


OWN = seeded(1)


@pytest.mark.parametrize("quiet", [False, True])
def test_the_same_input_and_coins_must_give_the_same_noise(quiet):
    """Where a quiet tape says that zeros came out, what else would have is not compared with them."""
    def leaks(mechanism):
        recording = Recording(lambda x, g: mechanism(x, generator=g), torch.zeros(2), quiet=quiet)
        return [leak.place for leak in recording.against(torch.ones(2)).leaks]
    assert leaks(Laplace(1.0)) == []
    assert leaks(Forgetful(1.0)) == ([] if quiet else ["noisy output 0 on the same input with the same coins"])


def test_parameters_that_hang_on_private_data_are_one_leak_where_they_refuse_the_other_input():
    """The range of the second world refuses the features of the first: no call of ours, so no leak of its own."""
    people = torch.tensor([[1.0, 2.0], [0.5, 3.0], [2.0, 9.0]])
    changed = people.clone()
    changed[2] = torch.tensor([2.0, 4.0])
    for first, second in ((people, changed), (changed, people)):
        leak, = replay(lambda x, generator: MultiBit(1.0, 2, low=float(x.min()), high=float(x.max())).report(
            x, generator=generator), first, second)
        assert (leak.first.high, leak.second.high) == (float(first.max()), float(second.max()))
