"""What models and methods of all kinds have in common, on toys that answer in no time."""

import math
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch_geometric.data import Data

from privgraph.methods import LPGNN, FewShot, LPGNNRelease, PublicFeatures, Sizes, StructuralMean, sizes_of
from privgraph.methods.contract.toys import changed, draw_task, path_graph
from privgraph.methods.few_shot.kind import TaskModel, task_accuracies
from privgraph.methods.local import Local
from privgraph.methods.method import Method
from privgraph.methods.model import InductiveModel, Model, NetworkModel, Training, filled
from privgraph.methods.release import Release
from privgraph.randomness import seeded


class Told(Model):
    """Says what it was told, whatever it is asked."""

    def __init__(self, p):
        self.p = p

    def predict_proba(self, data=None):
        return self.p


P = torch.tensor([[0.2, 0.8], [math.nan, math.nan], [0.6, 0.4], [0.0, 1.0]])


def graph(**fields) -> Data:
    return Data(y=torch.tensor([1, 0, 1, 1]), num_nodes=4, **fields)


# Models.

def test_where_a_probability_means_nothing_no_class_is_named():
    assert Told(P).predict().tolist() == [1, -1, 0, 1]
    assert Told(P[:, [1, 0]]).predict().tolist() == [0, -1, 1, 0]


def test_a_score_is_the_share_of_those_asked_whose_class_is_right():
    tested = graph(test_mask=torch.tensor([True, False, True, True]))
    assert Told(P).score(tested) == pytest.approx(2 / 3)
    assert Told(P).score(graph(), torch.tensor([True, False, False, True])) == 1
    with pytest.raises(ValueError, match="test_mask"):
        Told(P).score(graph())


def test_what_came_of_no_method_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="this model came of none"):
        Told(P).save(tmp_path / "model.pt")


def test_a_network_answers_with_the_shares_of_its_logits_for_whom_they_mean_something():
    logits = torch.tensor([[0.0, math.log(3)], [0.0, 0.0], [1.0, 1.0]])
    shares, known = torch.tensor([[0.25, 0.75], [0.5, 0.5], [0.5, 0.5]]), torch.tensor([True, False, True])
    assert torch.allclose(NetworkModel(Training(), nn.Identity(), logits).predict_proba(), shares)
    told = NetworkModel(Training(), nn.Identity(), logits, nodes=known).predict_proba()
    assert torch.allclose(told[known], shares[known]) and told[1].isnan().all()
    with pytest.raises(ValueError, match="for the people of its release only"):
        NetworkModel(Training(), nn.Identity(), logits).predict_proba(graph())


class Reads(nn.Identity):
    def prepare(self, x, edge_index):
        return x


def test_a_network_of_features_is_asked_about_its_own_people_or_others():
    model = InductiveModel(Training(), Reads(), torch.zeros(3, 2))
    others = graph(x=torch.tensor([[0.0, math.log(3)]] * 4), edge_index=torch.empty(2, 0, dtype=torch.long))
    assert model.predict_proba().tolist() == [[0.5, 0.5]] * 3
    assert torch.allclose(model.predict_proba(others), torch.tensor([[0.25, 0.75]] * 4))


def test_weights_are_taken_that_are_ones_own_in_name_shape_and_type():
    own, good = nn.Linear(2, 1), {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    assert filled(own, good, "file").weight.tolist() == [[1.0, 1.0]]
    for wrong, message in ((good | {"more": torch.ones(1)}, "holds the weights of another network"),
                           (good | {"weight": torch.ones(2, 1)}, r"weight in file must be .* of shape \[1, 2\]"),
                           (good | {"bias": torch.zeros(1).double()}, "got torch.float64 of shape")):
        with pytest.raises(ValueError, match=message):
            filled(own, wrong, "file")


# Methods.

def test_the_sizes_of_a_graph_are_those_of_its_people_classes_and_columns():
    data = path_graph()
    assert sizes_of(data) == Sizes(8, 2, 3)
    assert sizes_of(Data(edge_index=data.edge_index, num_nodes=8)) == Sizes(8, None, None)


@dataclass(frozen=True)
class Toy(Method):
    """Each run tells its seed, and what it was dealt."""

    def guarantees(self, sizes, delta=None):
        return ()

    def costs_on(self, data, delta):
        return []

    def reload(self, release, learned, path):
        raise NotImplementedError

    def dealt(self, data, seed, **how):
        return how

    def tried(self, given, seed, progress=False):
        return f"of seed {seed}", {"arm": float(seed), **{name: 1.0 for name in given}}

    def both_halves(self, graphs, coins, progress=False):
        model = Told(P)
        model.release = len(graphs[0].y)
        return model


def test_what_is_evaluated_are_three_seeds_from_0_and_what_left_is_of_the_first():
    found = Toy().evaluate(None)
    assert (found["arm"].mean, found.first, list(found)) == (1.0, "of seed 0", ["arm"])
    assert list(Toy().evaluate(None, 0.5, seeds=1)) == ["arm", "public"]
    with pytest.raises(ValueError, match="seeds must be .* at least 1, got 0"):
        Toy().evaluate(None, seeds=0)


def test_an_arm_is_scored_in_percent_on_its_own_graph():
    right, wrong = (changed(graph(test_mask=torch.tensor([True, False, False, True])), y=y)
                    for y in (torch.tensor([1, 0, 1, 1]), torch.tensor([0, 0, 1, 1])))
    assert Toy().tried_on({"right": right, "half": wrong}, 0, False) == (4, {"right": 100.0, "half": 50.0})


def test_a_probe_of_features_that_are_published_as_they_are_is_the_probe_of_features():
    data = changed(path_graph(), test_mask=torch.arange(8) > 3)
    _, found = PublicFeatures().tried(data, seed=0)
    assert found["linear probe"] == found["linear probe of x"] > 0
    with pytest.raises(ValueError, match="vectors name no classes: hand in the graph"):
        PublicFeatures().fit(data, seed=0).predict_proba()


class Inherits(LPGNN):
    pass


class SaysNothing(LPGNN):
    def collect(self, data, generator):
        return super().collect(data, generator)


def test_what_leaves_is_of_the_class_that_the_nearest_says():
    assert LPGNN.release_type() is Inherits.release_type() is SaysNothing.release_type() is LPGNNRelease
    assert Local.release_type() is Release


# Methods of tasks.

class Knows(FewShot):
    """Always right, or without learning always wrong."""

    right = True

    def learn(self, sample, generator):
        return lambda task: torch.nn.functional.one_hot(task.query_y if self.right else 1 - task.query_y, 3).float()


class Guesses(Knows):
    right = False


class Learns(Knows):
    def untrained(self):
        return Guesses()


@pytest.mark.parametrize("method, arms", [(Knows(), {}), (Learns(), {"untrained": 0.0})])
def test_new_classes_stand_beside_first_weights_others_and_chance(method, arms):
    tasks = [draw_task(seeded(number)) for number in range(2)]
    tasks[1].__dict__["ways"] = 4  # chance is that of the first
    _, found = method.tried((draw_task, tasks, {"other": Guesses()}), seed=0)
    assert found == {"new classes": 100.0, "other": 0.0, "chance": 50.0} | arms


def test_a_hundred_tasks_are_dealt_where_no_number_is_said_and_one_at_least():
    deal = Knows().dealt
    assert [len(deal(draw_task, 0, test=draw_task, **many)[1]) for many in ({}, {"tasks": 1})] == [100, 1]
    with pytest.raises(ValueError, match="tasks must be .* at least 1, got 0"):
        deal(draw_task, 0, test=draw_task, tasks=0)


def test_the_score_of_a_task_is_the_share_of_its_query_that_is_right():
    task = draw_task(seeded(0))
    half = torch.where(torch.arange(4) < 1, task.query_y, 1 - task.query_y)
    model = TaskModel(Knows(), lambda task: torch.nn.functional.one_hot(half, 2).float())
    assert model.score(task) == 0.25 == float(task_accuracies(model.solver, [task]))


def test_an_accuracy_of_tasks_counts_all_that_was_asked():
    tasks = [SimpleNamespace(query_y=torch.zeros(size)) for size in (3, 4)]
    assert StructuralMean().asked((None, tasks, None)) == 7
