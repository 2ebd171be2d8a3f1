"""Whether what is stated covers what a change costs: pipelines of one or two noisy calls, by hand."""

import math
from dataclasses import dataclass

import pytest
import torch

from privgraph.audit import CheckFailed
from privgraph.mechanisms import Laplace, noisy
from privgraph.methods.contract import changes, covering, toys
from privgraph.methods.contract.covering import RUNS, SOME, Found
from privgraph.privacy import Guarantee
from privgraph.randomness import seeded

WORLD = toys.world()
VECTOR = dict(unit="feature vector", relation="replace")
FEATURES = Laplace(1.0, sensitivity=3.0, **VECTOR)  # three bits a person


def once(data, generator):
    return FEATURES(data.x, generator=generator)


def tried(pipeline, epsilon, unit=changes.vectors, **said):
    found = Found()
    covering.try_changes(pipeline, unit(WORLD), [Guarantee(epsilon, **VECTOR | said)], found)
    return found


def test_what_is_covered_is_counted_with_the_dearest():
    found = tried(once, 1.0)
    assert found.changes == found.moving == len(list(changes.vectors(WORLD))) and found.same == 0
    assert found.most == {"feature vector (replace)": pytest.approx(1.0)} and found.untried == []
    assert found.dearest == {"feature vector (replace)": "found 1 of 1"}
    still = tried(once, 1.0, changes.labels)
    assert (still.moving, still.changes) == (0, len(list(changes.labels(WORLD))))


def test_of_little_that_was_spent_no_more_is_noted():
    found = Found()
    found.note(Guarantee(1.0, unit="node"), 0.25), found.note(Guarantee(1.0, unit="node"), 0.125)
    assert found.most == {"node (replace)": 0.25} and found.dearest == {"node (replace)": "found 0.25 of 1"}


def test_less_than_was_spent_is_refused_with_both_numbers():
    with pytest.raises(AssertionError, match="costs epsilon 1, stated is 0.9; it moves the input of noisy call 0, of "
                                             "Laplace"):
        tried(once, 0.9)


def test_who_moves_two_calls_pays_for_both():
    def twice(data, generator):
        untouched, first = Laplace(1.0)(torch.zeros(2), generator=generator), once(data, generator)
        other = Laplace(2.0, sensitivity=6.0, **VECTOR)(data.x, generator=generator)
        return [untouched, first, other]
    assert tried(twice, 2.0).most["feature vector (replace)"] == pytest.approx(2.0)
    with pytest.raises(AssertionError, match=r"input of 2 noisy calls, first of noisy call 1, of Laplace\(epsilon=1"):
        tried(twice, 1.0)


def test_what_leaves_without_noise_is_named_with_the_change():
    with pytest.raises(AssertionError, match="a change of the vector of features of person 0 .*differs"):
        tried(lambda data, generator: [once(data, generator), data.x.sum()], 1.0)


def test_an_error_is_raised_where_it_says_nothing_of_a_person():
    def fails(data, generator):
        raise KeyError("what")
    with pytest.raises(KeyError, match="what"):
        tried(fails, 1.0)

    def tells(data, generator):
        if data.x[0].sum() > 0:
            raise ValueError("somebody")
        return once(data, generator)
    with pytest.raises(AssertionError, match="what leaves must depend on people through noise only"):
        tried(tells, 1.0)


def test_numbers_of_a_generator_are_not_drawn_twice():
    def again(data, generator):
        copy = torch.Generator()
        copy.set_state(generator.get_state())
        return [once(data, generator), once(data, copy)]
    with pytest.raises(AssertionError, match="no coin may be used twice: noisy call 0.*, and noisy call 1"):
        tried(again, 2.0)


@dataclass(frozen=True)
class OwnSeed(Laplace):
    """Its noise is always the same."""

    def __call__(self, answer, *, generator):
        return super().__call__(answer, generator=seeded(7))


def test_noise_is_drawn_from_the_generator_that_is_handed_in():
    def fixed(data, generator):
        return OwnSeed(1.0, sensitivity=3.0, **VECTOR)(data.x, generator=generator)
    with pytest.raises(AssertionError, match="with seeds 0 and 1"):
        covering.fresh_coins(fixed, WORLD)

    def eleventh(data, generator):
        return once(data, seeded(generator.initial_seed() % (RUNS - 1)))
    with pytest.raises(AssertionError, match=f"with seeds 0 and {RUNS - 1} it began alike"):
        covering.fresh_coins(eleventh, WORLD)


@dataclass(frozen=True)
class Stuck(Laplace):
    """It draws, and adds always the same."""

    @noisy
    def __call__(self, answer, *, generator):
        torch.rand(1, generator=generator)
        return answer + 0.5


def test_continuous_noise_is_another_each_time():
    with pytest.raises(AssertionError, match="must give other noise with another generator: with seeds 0 and 1 it"):
        covering.fresh_coins(lambda data, generator: Stuck(1.0)(data.x, generator=generator), WORLD)
    seeds = []

    def counted(data, generator):
        seeds.append(generator.initial_seed())
        return [once(data, generator), Laplace(math.inf)(data.x[:2], generator=generator)]
    covering.fresh_coins(counted, WORLD)
    assert len(seeds) == RUNS == 24, "and without noise nothing is asked"


def centred(data, generator):
    return FEATURES(data.x - data.x.mean(0), generator=generator)


def lined_up(data, generator):
    return FEATURES(data.x.sum(1) - data.x.mean(), generator=generator)


def apart(data, generator):
    """What is no row for each person: one number, others' rows alone, and a table whose size hangs on labels."""
    return [FEATURES(each, generator=generator) for each in (data.x.mean(), data.x[:3] - data.x.mean(0))]


@pytest.mark.parametrize("pipeline", [centred, lined_up])
def test_of_what_people_report_themselves_no_row_knows_of_another(pipeline):
    with pytest.raises(AssertionError, match="features of person 0 moves the row of person 1 in the input of noisy "
                                             "call 0, of Laplace"):
        tried(pipeline, 9.0)
    assert tried(pipeline, 9.0, trust="central").changes > 0, "a curator may take a mean off"
    assert tried(once, 1.0).changes > 0


def test_what_is_no_row_of_each_person_is_not_compared_by_rows():
    assert tried(apart, 9.0).changes > 0

    def by_label(data, generator):
        return FEATURES(torch.ones(10 if data.y[0] == 0 else 11, 1), generator=generator)
    with pytest.raises(AssertionError, match="depend on people through noise only"):
        tried(by_label, 9.0, changes.labels)


class Unusual(Laplace):
    """Not of the library."""


def test_mechanisms_of_ones_own_are_tried_once_each(monkeypatch):
    asked, runs, found = [], [], Found()

    def own(data, generator):
        runs.append(generator)
        return [Unusual(1.0)(data.x, generator=generator), once(data, generator)]

    def nothing(mechanism):
        asked.append(mechanism)
    monkeypatch.setattr(covering, "refute", nothing)
    covering.vouched(own, WORLD, found)
    assert asked == [Unusual(1.0)] == found.unvouched and len(runs) == 1 + SOME == 5
    monkeypatch.setattr(covering, "refute", lambda mechanism: "tried")
    covering.vouched(own, WORLD, found := Found())
    assert found.unvouched == []

    def refuted(mechanism):
        raise CheckFailed("too little")
    monkeypatch.setattr(covering, "refute", refuted)
    with pytest.raises(AssertionError, match="noisy call 0, of Unusual.* is wrong by itself: too little"):
        covering.vouched(own, WORLD, Found())
    covering.vouched(once, WORLD, Found())


PRIVATE = dict(unit="private edge", relation="add/remove")  # of which a world without clients has none


@pytest.mark.parametrize("stated, refused", [(1.0, False), (0.9, True)])
def test_what_no_change_can_show_is_added_up(stated, refused):
    half, found = Laplace(0.5, **PRIVATE), Found()

    def two(data, generator):
        return [half(data.x[:2], generator=generator) for _ in range(2)] + [once(data, generator)]
    if refused:
        with pytest.raises(AssertionError, match=r"mechanisms with epsilon \[0.5, 0.5\] were used, stated is 0.9"):
            covering.states(two, WORLD, [Guarantee(stated, **PRIVATE)], found)
    else:
        assert covering.states(two, WORLD, [Guarantee(stated, **PRIVATE)], found) == []
        assert found.most == {"private edge (add/remove)": 1.0} and found.changes == 0
        assert covering.states(once, WORLD, [Guarantee(stated, **PRIVATE)], found) == [Guarantee(stated, **PRIVATE)]
        assert covering.states(once, WORLD, [Guarantee(math.inf, **PRIVATE)], found) == []


def test_a_slot_says_something_of_an_edge():
    slot = Guarantee(1.0, unit="neighbour slot", relation="add/remove", basis="proved")
    assert covering.of_whole_edges(slot).unit == "undirected edge"
    other = Guarantee(1.0, unit="node", relation="add/remove")
    assert covering.of_whole_edges(other) is other
    assert len(covering.changes_of(Guarantee(1.0, **VECTOR), WORLD)) == len(list(changes.vectors(WORLD)))
    assert covering.changes_of(Guarantee(1.0), WORLD) == []


def test_strays_are_what_nobody_was_promised():
    n, m = WORLD.num_nodes, WORLD.edge_index.size(1)
    sizes = {"edge_weight": [m], "edge_attr": [m, 2], "age": [n], "notes": [n, 2], "mean_age": []}
    found = {name: (one, other) for name, one, other in covering.strays(WORLD)}
    assert {*found} == {*sizes, "city"} and found["city"][0].city != found["city"][1].city
    for name, size in sizes.items():
        one, other = (graph[name] for graph in found[name])
        assert list(one.shape) == list(other.shape) == size and not torch.equal(one, other), name
        assert {*found[name][0].keys()} == {*WORLD.keys(), name} and name not in WORLD


@pytest.mark.parametrize("pipeline, said", [
    (lambda data, generator: [once(data, generator), data.get("city")], "city, of which nothing is stated"),
    (lambda data, generator: FEATURES(data.x + data.get("mean_age", 0), generator=generator),
     "mean_age must not go into what is told")])
def test_strays_that_come_out_or_go_into_noise_are_found(pipeline, said):
    covering.leaves_strays(once, WORLD)
    with pytest.raises(AssertionError, match=said):
        covering.leaves_strays(pipeline, WORLD)
