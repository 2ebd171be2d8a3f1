"""What the contracts ask of every method, asked of functions that break one promise each."""

from types import SimpleNamespace

import pytest
import torch

from privgraph.methods.contract.all_kinds import accepted, alike, left_alone, require, same, secretly
from privgraph.methods.contract.toys import worlds
from privgraph.randomness import check_generator, kind_of, seeded


def fair(generator):
    check_generator(generator)
    return torch.rand(3, generator=generator)


def test_what_keeps_all_promises_is_handed_back():
    assert torch.equal(alike(fair, "it"), fair(seeded(0)))


def lenient(generator):
    return fair(seeded(0) if generator == 0 else generator)


def shy(generator):
    if generator == 0:
        raise ValueError("no")
    return fair(generator)


@pytest.mark.parametrize("run, said", [
    (lambda generator: fair(generator) + torch.rand(3), "must leave the global random numbers as they are"),
    (lambda generator: fair(generator) + torch.initial_seed(), "must be the same with the same generator"),
    (lenient, "must refuse a generator that is none"), (shy, "by a TypeError, got ValueError"),
], ids=["draws from the global ones", "reads the global seed", "takes any generator", "refuses by another error"])
def test_a_run_hangs_on_its_generator_alone(run, said):
    with pytest.raises(AssertionError, match=said):
        alike(run, "it")


@pytest.mark.parametrize("taken, chosen", [((0, 1, 2), 0), ((1, 2), 1), ((1,), 1), ((2,), 2), ((), 2)])
def test_the_first_world_that_is_taken_is_used_and_the_last_where_none_is(taken, chosen):
    """So that its refusal is what is said."""
    three = worlds()

    def run(data):
        if not any(torch.equal(data.y, three[number].y) for number in taken):
            raise ValueError("refused")
        data.y.zero_()
    before = [data.y.clone() for data in three]
    assert accepted(run, three) is three[chosen]
    assert all(map(torch.equal, before, [data.y for data in three])), "what is tried is a copy"


def test_data_are_left_alone():
    def changes(data):
        data.x += 1
    with pytest.raises(AssertionError, match="data that are handed in must be left as they are"):
        left_alone((worlds()[0],), changes)
    assert left_alone((worlds()[0],), lambda data: data.num_nodes) == 10


def test_what_leaves_says_of_which_kind_its_noise_was():
    secretly(lambda generator: SimpleNamespace(randomness=kind_of(generator)))
    for wrong in ("secret", "public"):
        with pytest.raises(AssertionError, match=f"as that of the generator is, got '{wrong}'"):
            secretly(lambda generator, wrong=wrong: SimpleNamespace(randomness=wrong))


def test_what_differs_is_named():
    same([1, {"a": 2}], [1, {"a": 2}], "it")
    with pytest.raises(AssertionError, match="it; differs: .*a"):
        same([1, {"a": 2}], [1, {"a": 3}], "it")
    with pytest.raises(AssertionError, match="why"):
        require(False, "why")
