"""The kind of a federation, on one whose clients keep their features: what they hold, and its scores."""

from dataclasses import dataclass

import pytest
import torch

from privgraph.datasets import load
from privgraph.methods import Federation
from privgraph.methods.contract.toys import changed, shared_world
from privgraph.methods.federated import NOBODY, parts
from privgraph.methods.federation import Client, Round, Server, public_sizes
from privgraph.methods.model import Training
from privgraph.methods.probe import probed
from privgraph.randomness import seeded


class Silent(Client):
    """Keeps a vector for each of its nodes, or none, and tells a number."""

    def __init__(self, vectors, number=0):
        self.vectors, self.number = vectors, number

    def send(self):
        return b"%d" % self.number

    def receive(self, message):
        pass

    def embeddings(self):
        return self.vectors


class Echo(Server):
    def combine(self, messages):
        return Round(messages, messages, {})


@dataclass(frozen=True)
class Keeps(Federation):
    numbered: bool = True
    learns: bool = True

    def server(self, generator):
        return Echo()

    def split(self, data, generator):
        return [part if self.numbered else changed(part, n_id=None) for part in parts(data)]

    def client(self, part, generator):
        return Silent(part.x if self.learns else None)


@dataclass(frozen=True)
class Twice(Keeps):
    rounds: int = 2
    answer: str = "aligned"


@dataclass(frozen=True)
class Supervised(Training, Keeps):
    """The vectors name the labels that were read; who ran is noted, and told."""

    def client(self, part, generator):
        RAN.append(part)
        return Silent(torch.nn.functional.one_hot(part.y.where(part.train_mask, -1) + 1, 4).float(), len(RAN))


RAN: list = []


def club():
    """Sixteen people, of three classes; one of them nobody holds."""
    data = shared_world()
    data.y, data.num_classes, data.train_mask = torch.arange(16) % 3, 3, torch.arange(16) < 12
    data.holder = torch.where(torch.arange(16) == 5, NOBODY, data.holder)
    return data


def test_each_node_has_the_mean_of_what_those_say_who_hold_it():
    data = club()
    model, total, count = Keeps().fit(data, seed=0), torch.zeros(16, 3), torch.zeros(16)
    for part in parts(data):
        total[part.n_id] += probed(part.x, part.y, part.train_mask, 3)
        count[part.n_id] += 1
    known = torch.arange(16) != 5
    p = model.predict_proba(data)
    assert count.unique().tolist() == [0, 1, 2] and torch.allclose(p[known], (total / count[:, None])[known])
    assert p[5].isnan().all()
    with pytest.raises(ValueError, match="hand in the graph"):
        model.predict_proba()


@pytest.mark.parametrize("method", [Keeps(numbered=False), Keeps(learns=False)])
def test_of_clients_without_vectors_or_numbers_nothing_is_kept(method):
    model = method.fit(club(), seed=0)
    assert model.held == ()
    with pytest.raises(ValueError, match="have no vectors of their nodes"):
        model.predict_proba(club())


def test_who_says_nothing_of_rounds_has_one():
    assert [len(kind().fit(club(), seed=0).release.rounds) for kind in (Keeps, Twice)] == [1, 2]


def test_a_graph_that_says_who_holds_it_is_taken_as_it_is_unless_more_is_said():
    data, nobodys = club(), load("karate")
    assert Keeps().dealt(data, 0) is data and "holder" in Keeps().dealt(nobodys, 0)
    assert int(Keeps().dealt(data, 0, clients=3, private=0.1).holder.max()) == 2


@pytest.mark.parametrize("method, answers", [(Keeps(), set()), (Twice(), {"own", "noise"}),
                                             (Twice(answer="own"), {"noise"})])
def test_beside_a_server_that_answers_stand_those_who_know_nothing_of_others(method, answers):
    rounds, found = method.tried(club(), seed=0)
    assert len(rounds) == method.rounds and all(isinstance(each, Round) for each in rounds)
    assert {name.partition(", ")[2] for name in found if name.startswith("all")} == {"", *answers}


def test_what_learns_from_labels_runs_once_for_each_of_five_folds_without_its_labels():
    """Of the first of these runs are the messages that are shown."""
    RAN.clear()
    scores, rounds = Supervised().scored(club(), 0, lambda purpose: seeded(0))
    tested = torch.stack([~part.train_mask for part in RAN[::2]])
    assert len(RAN) == 5 * 2 and tested.sum(0).eq(1).all() and scores["all"] < 100
    assert [each.messages for each in rounds] == [{0: b"1", 1: b"2"}]


def test_a_part_without_features_says_nothing_of_them():
    part = parts(club())[0]
    del part["x"]
    assert public_sizes(part) == {"num_public": 8, "num_classes": 3}
