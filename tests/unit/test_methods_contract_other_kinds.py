"""What the contracts ask of vectors, messages and solvers, asked of stubs that break one promise each."""

from types import SimpleNamespace

import pytest
import torch
from torch_geometric.data import Data

from privgraph.methods import FedAvgGAT, FederatedDeepWalk
from privgraph.methods.contract import changes, other_kinds, toys
from privgraph.methods.contract.covering import Found
from privgraph.methods.messages import pack
from privgraph.privacy import Guarantee
from privgraph.randomness import check_generator

WORLD = toys.world()
BYSTANDERS = [torch.zeros(1, 3), torch.ones(4, 2), torch.arange(10), WORLD.y[:-1], WORLD.edge_index[:, 1:],
              WORLD.x[1].clone(), torch.full((2, 3), 0.5), torch.ones(2, 2, 3)]


@pytest.mark.parametrize("record", [WORLD.y, WORLD.edge_index, WORLD.y.double(), WORLD.x, WORLD.x[1:2],
                                    torch.stack([torch.full((3,), 0.5), WORLD.x[9]])])
def test_records_are_found_wherever_they_are_held(record):
    """Of the features a single row will do, unless it is empty, as anybody may have zeros."""
    other_kinds.no_record(BYSTANDERS, WORLD, "it")
    inner = SimpleNamespace(kept={"a": [*BYSTANDERS, record]}, name="text")
    inner.again = inner
    for holder in (record, {"a": (1, record)}, inner, Data(x=record)):
        with pytest.raises(AssertionError, match="it must not hold anybody's records as they are, got a tensor of"):
            other_kinds.no_record(holder, WORLD, "it")


def test_each_holder_is_looked_into_once():
    shared = [torch.ones(1)]
    assert len(list(other_kinds.tensors([shared, shared, {"a": shared}, "text", b"bytes", 3], set()))) == 1


def test_a_message_is_what_it_holds_and_nothing_else():
    message = pack({"rows": torch.ones(2, 2)})
    assert torch.equal(other_kinds.read_whole(message)["rows"], torch.ones(2, 2))
    for wrong in (message + b"\0", b"garbage", message[:-1]):
        with pytest.raises(AssertionError, match="a message must be what pack makes of what unpack reads"):
            other_kinds.read_whole(wrong)


@pytest.mark.parametrize("rounds, more", [(1, 4), (4, 4), (6, 6)])
def test_an_eager_federation_learns_fast_and_long(rounds, more):
    hot = other_kinds.eager(FederatedDeepWalk(rounds=rounds, learning_rate=0.25))
    assert (hot.rounds, hot.learning_rate) == (more, 1.0)
    assert other_kinds.eager(FedAvgGAT(rounds=rounds)).rounds == more


def embedding(embed):
    return SimpleNamespace(embed=embed)


LABEL = Guarantee(0.0, unit="label", relation="replace")


def test_what_costs_nothing_is_the_same_whoever_changes():
    seeds, found = [], Found()

    def embed(data, generator):
        seeds.append(generator.initial_seed())
        return torch.rand(3, generator=generator)
    other_kinds.nothing_at_all(embedding(embed), LABEL, WORLD, found)
    count = len(list(changes.labels(WORLD)))
    assert found.same == count and len(seeds) == 6 * count and len({*seeds}) == 3
    assert found.most == {"label (replace)": 0.0} and found.untried == []
    with pytest.raises(AssertionError, match="epsilon 0 is stated for one label, so what is published must not depend"):
        other_kinds.nothing_at_all(embedding(lambda data, generator: data.y.sum()), LABEL, WORLD, Found())
    other_kinds.nothing_at_all(embedding(embed), unseen := Guarantee(0.0, unit="private edge", relation="add/remove"),
                               WORLD, found := Found())
    assert found.untried == [unseen] and found.same == 0


def solver(answer):
    def learn(sample, generator):
        check_generator(generator)
        return lambda task: answer(task)
    return SimpleNamespace(learn=learn)


def one_hot(task):
    return torch.eye(2)[torch.arange(4) % 2]


def test_a_solver_gives_probabilities_and_does_not_read_classes():
    other_kinds.episodes(solver(one_hot), Found())
    for wrong in (lambda task: one_hot(task)[:3], lambda task: 3 * one_hot(task) - 1, lambda task: one_hot(task) + 1):
        with pytest.raises(AssertionError, match=r"a solver must give probabilities \[4, 2\]"):
            other_kinds.episodes(solver(wrong), Found())
    with pytest.raises(AssertionError, match="a solver must not read the classes of the query"):
        other_kinds.episodes(solver(lambda task: torch.eye(4, 2)[task.query_y.clamp(0, 1)]), Found())
