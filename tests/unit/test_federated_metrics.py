"""Micro F1 of a client's own rows: the loop over folds, groups of nodes, and labels that must not be seen."""

import pytest
import torch
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from torch_geometric.data import Data

from privgraph.graph import to_undirected
from privgraph.methods.federated.metrics import (
    GROUPS,
    LEARNERS,
    fold_of,
    groups,
    micro_f1,
    name_folds,
    over_clients,
    restricted,
    without_fold,
)
from privgraph.randomness import draw_seed, seeded


def blobs(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points around three centres, near enough to be mistaken now and then."""
    y = torch.arange(n) % 3
    return torch.eye(3)[y] + 0.6 * torch.randn(n, 3, generator=seeded(seed)), y


def part_of_six(y: torch.Tensor) -> Data:
    """Six people, the first three of them public, of whom 0, 1 and 3 have an edge; nodes 9, 7, 5, 3, 1, 0 of ten."""
    return Data(edge_index=to_undirected(torch.tensor([[0, 1], [1, 3]]), 6), num_nodes=6, num_public=3, y=y,
                n_id=torch.tensor([9, 7, 5, 3, 1, 0]))


def test_folds_are_as_equal_as_can_be_and_drawn():
    fold = fold_of(103, 5, seeded(0))
    assert fold.bincount().tolist() == [21, 21, 21, 20, 20]
    assert not torch.equal(fold, fold_of(103, 5, seeded(1))) and not torch.equal(fold, torch.arange(103) % 5)


def test_training_labels_are_those_of_the_other_folds():
    data, fold = Data(y=torch.tensor([0, 1, -1, 0, 1]), num_nodes=5), torch.tensor([0, 1, 1, 2, 0])
    assert without_fold(data, fold, 0).train_mask.tolist() == [False, True, False, True, False]
    assert "train_mask" not in data


def test_groups_are_what_a_loop_over_people_says():
    part = part_of_six(torch.zeros(6, dtype=torch.long))
    met, said = set(part.edge_index.flatten().tolist()), groups(part)
    for node in range(6):
        kind = "public" if node < 3 else "private"
        fine = {("public", True): "public with edges here", ("public", False): "public without",
                ("private", True): "private with", ("private", False): "private without"}[kind, node in met]
        assert {name for name in GROUPS if said[name][node]} == {kind, fine, "all"}
    whole = Data(edge_index=part.edge_index, num_nodes=6)
    assert list(groups(whole)) == ["all"]


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("learner", LEARNERS)
def test_scores_are_those_of_the_loop_over_folds(learner):
    """The part's own rows, numbered by the whole graph's folds; each person is asked about once."""
    z, y = blobs(60, 0)
    n_id, fold = torch.randperm(80, generator=seeded(1))[:60], fold_of(80, 4, seeded(2))
    edges = to_undirected(torch.randint(60, (2, 40), generator=seeded(3)), 60)
    part = Data(edge_index=edges, num_nodes=60, num_public=20, y=y, n_id=n_id)
    coins, right = seeded(7), torch.zeros(60, dtype=torch.bool)
    for number in range(4):
        mine = torch.tensor([int(fold[i]) == number for i in n_id.tolist()])
        seed = draw_seed(coins) % 2**32
        model = SVC() if learner == "svc" else MLPClassifier(random_state=seed)
        said = model.fit(z[~mine].double().numpy(), y[~mine].numpy()).predict(z[mine].double().numpy())
        right[mine] = torch.from_numpy(said) == y[mine]
    expected = {name: 100 * float(right[inside].double().mean()) for name, inside in groups(part).items()
                if inside.any()}
    assert micro_f1(z, part, fold, seeded(7), learner) == expected
    assert 50 < expected["all"] < 100 and expected["public"] != expected["private"]


@pytest.mark.parametrize("learner", LEARNERS)
def test_nobody_is_named_with_the_help_of_her_own_label(learner):
    """Vectors that say nothing but who one is: a fold's labels change, and what is said of the fold does not."""
    z, fold = torch.eye(30), fold_of(30, 3, seeded(0))
    y = torch.arange(30) % 2
    other = torch.where(fold == 1, 1 - y, y)
    one, two = (name_folds(z, labels, fold, seeded(3), learner) for labels in (y, other))
    assert torch.equal(one[fold == 1], two[fold == 1]) and not torch.equal(one, two)


def test_each_fold_may_have_vectors_of_its_own():
    """Tables in which one fold only is told apart: of each fold its own table is read, of the others the rest."""
    y, fold = torch.arange(40) % 2, fold_of(40, 4, seeded(0))
    told = torch.eye(2)[y]
    mixed = [told if number != 2 else torch.eye(2)[1 - y].where((fold == 2)[:, None], told) for number in range(4)]
    right = name_folds(mixed, y, fold, seeded(0)) == y
    assert torch.equal(right, fold != 2)


def test_what_is_taught_may_be_wrong_and_what_is_asked_may_not():
    z, y = blobs(60, 4)
    part, fold = Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=60, y=y), fold_of(60, 3, seeded(0))
    wrong = micro_f1(z, part, fold, seeded(0), labels=(y + 1) % 3)["all"]
    assert wrong < 40 < 60 < micro_f1(z, part, fold, seeded(0))["all"]
    none = micro_f1(z, part, fold, seeded(0), labels=torch.zeros_like(y))["all"]
    assert none == pytest.approx(100 / 3)  # who was taught one class names that


def test_the_unlabelled_are_neither_taught_nor_asked():
    z, y = blobs(60, 5)
    z, unknown = torch.cat([z, 100 * torch.ones(9, 3)]), torch.cat([y, torch.full((9,), -1)])
    fold = fold_of(69, 3, seeded(0))
    graph = dict(edge_index=torch.zeros(2, 0, dtype=torch.long))
    some = micro_f1(z, Data(y=unknown, num_nodes=69, **graph), fold, seeded(0))
    assert some == micro_f1(z[:60], Data(y=y, num_nodes=60, n_id=torch.arange(60), **graph), fold, seeded(0))


def test_the_mean_is_over_clients_that_have_such_people():
    one, two = {"all": 80.0, "private": 60.0}, {"all": 90.0, "public without": 10.0}
    assert over_clients([one, two]) == {"public without": 10.0, "private": 60.0, "all": 85.0}


def test_vectors_of_the_whole_graph_are_restricted_to_a_part():
    part, z = part_of_six(torch.zeros(6, dtype=torch.long)), torch.arange(20.0).view(10, 2)
    assert restricted(z, part)[:, 0].tolist() == [18, 14, 10, 6, 2, 0]


Z, FOLD, PART = torch.eye(6), torch.arange(10) % 2, part_of_six(torch.tensor([0, 1, 0, 1, 0, 1]))


def but_for(**other) -> Data:
    part = PART.clone()
    for name, value in other.items():
        setattr(part, name, value)
    return part


@pytest.mark.parametrize("call, message", [
    (lambda: fold_of(10, 1, seeded(0)), "folds must be a whole number, at least 2, got 1"),
    (lambda: fold_of(3, 5, seeded(0)), "a graph needs at least 5 nodes, one for each fold"),
    (lambda: fold_of(10, 5, 0), "generator must be"),
    (lambda: without_fold(PART, FOLD[:6], 2), "number must be a whole number, between 0 and 1, got 2"),
    (lambda: without_fold(PART, FOLD, 0), r"fold must be an int64 tensor of shape \[6\]"),
    (lambda: without_fold(Data(num_nodes=3), FOLD, 0), "data must have y"),
    (lambda: groups(but_for(num_public=7)), "num_public must be a whole number, between 0 and 6, got 7"),
    (lambda: groups(Data()), "data must have edge_index"),
    (lambda: micro_f1(Z, PART, FOLD, seeded(0), "trees"), "learner must be one of mlp, svc; got 'trees'"),
    (lambda: micro_f1(Z, PART, FOLD[:9], seeded(0)), r"n_id must name nodes 0\.\.8, got 0\.\.9"),
    (lambda: micro_f1(Z, PART, FOLD - 1, seeded(0)), "fold must hold numbers of folds"),
    (lambda: micro_f1(Z, PART, FOLD.float(), seeded(0)), "fold must be an int64 tensor"),
    (lambda: micro_f1(Z[:5], PART, FOLD, seeded(0)), "z must have a row for each of 6 nodes, got 5"),
    (lambda: micro_f1([Z], PART, FOLD, seeded(0)), r"z must have a table for each fold, 0\.\.1, got 1"),
    (lambda: micro_f1(Z / 0, PART, FOLD, seeded(0)), "features must be finite"),
    (lambda: micro_f1(Z, PART, FOLD, 3), "generator must be"),
    (lambda: micro_f1(Z, PART, FOLD, seeded(0), labels=torch.full((6,), -1)), "a node of another fold must have"),
    (lambda: micro_f1(Z, PART, FOLD, seeded(0), labels=torch.zeros(6)), "labels must be an int64 tensor"),
    (lambda: micro_f1(Z, but_for(n_id=torch.arange(5)), FOLD, seeded(0)), "n_id must have a number for each of"),
    (lambda: restricted(Z[:, 0], PART), "features must be a float tensor"),
    (lambda: restricted(Z, PART), r"n_id must name nodes 0\.\.5, got 0\.\.9")])
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
