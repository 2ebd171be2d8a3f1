"""A graph is the same however it is spelt: as file, link, copy, clone, in other types, orders and numberings."""

import os
import shutil

import numpy as np
import pytest
import torch

from privgraph import datasets
from privgraph.cli import main
from privgraph.datasets.sameness import same_graph
from privgraph.methods import PATE, NodeClassifier
from privgraph.randomness import seeded

KARATE = datasets.load("karate")
QUICK = NodeClassifier(hidden=4, epochs=1)


def renumbered(data):
    """The same people in another order."""
    order = torch.randperm(data.num_nodes, generator=seeded(1))
    place = order.argsort()
    return datasets.from_edge_list(place[data.edge_index], data.x[order], data.y[order], num_classes=data.num_classes)


def with_fields(**fields):
    found = KARATE.clone()
    for name, value in fields.items():
        found[name] = value
    return found


SAME = {
    "itself": KARATE, "a clone": KARATE.clone(), "a shallow copy": with_fields(),
    "another order of edges": with_fields(edge_index=KARATE.edge_index.flip(1)),
    "double precision": with_fields(x=KARATE.x.double()), "other labels": with_fields(y=1 - KARATE.y),
    "no labels": with_fields(y=torch.full_like(KARATE.y, -1)), "another name": with_fields(name="others"),
    "another numbering": renumbered(KARATE)}
OTHER = {
    "one edge less": with_fields(edge_index=KARATE.edge_index[:, 2:]),
    "one edge elsewhere": with_fields(edge_index=torch.cat([KARATE.edge_index[:, :-1], torch.tensor([[0], [9]])], 1)),
    "one feature": with_fields(x=KARATE.x + torch.eye(34) * (torch.arange(34) == 3)),
    "patients": datasets.load("patients"), "half of it": datasets.induced(KARATE, torch.arange(17))}


@pytest.mark.parametrize("name", SAME)
def test_a_graph_is_the_same_however_it_is_spelt(name):
    assert same_graph(KARATE, SAME[name]) and same_graph(SAME[name], KARATE)


@pytest.mark.parametrize("name", OTHER)
def test_another_graph_is_another(name):
    assert not same_graph(KARATE, OTHER[name]) and not same_graph(OTHER[name], KARATE)


def test_people_who_look_alike_are_not_taken_for_each_other():
    """Two rings of three and a ring of six: nobody's neighbourhood tells them apart, and they are other graphs."""
    def ring(*places):
        edges = torch.tensor([[a, b] for ring in places for a, b in zip(ring, (*ring[1:], ring[0]), strict=True)]).T
        return datasets.from_edge_list(edges, torch.ones(6, 1), torch.arange(6) % 2, num_classes=2)
    six, threes = ring(range(6)), ring(range(3), range(3, 6))
    assert not same_graph(six, threes) and same_graph(six, ring(range(6)))


@pytest.mark.parametrize("name", SAME)
def test_a_method_refuses_the_private_graph_as_public(name):
    public = SAME[name] if name == "itself" else SAME[name].clone()
    public.train_mask = torch.ones(34, dtype=torch.bool)
    if name == "no labels":
        public.y[:] = 0
    method = PATE(scale=1.0, num_queries=3, teachers=2, student=QUICK, teacher=QUICK)
    public.x = public.x.float()
    with pytest.raises(ValueError, match="must be two graphs of different people, got the same one twice"):
        method.collect(KARATE, public, seeded(0))


@pytest.fixture
def good(tmp_path, monkeypatch):
    """A file, and some ways to name what is in it."""
    monkeypatch.chdir(tmp_path)
    datasets.save_npz(KARATE, "good.npz")
    shutil.copy("good.npz", "copy.npz"), os.symlink("good.npz", "link.npz"), os.link("good.npz", "hard.npz")
    datasets.save_npz(renumbered(KARATE), "renumbered.npz")
    np.savez("dense.npz", edge_index=KARATE.edge_index.flip(1), x=KARATE.x.double(), y=KARATE.y)
    (tmp_path / "sub").mkdir()


@pytest.mark.parametrize("where", ["good.npz", "./good.npz", "sub/../good.npz", "ABSOLUTE/good.npz", "copy.npz",
                                   "link.npz", "hard.npz", "dense.npz", "renumbered.npz"])
def test_a_file_is_refused_by_what_is_in_it(where, good, tmp_path, capsys):
    where = where.replace("ABSOLUTE", str(tmp_path))
    assert main(f"run pate --graph good.npz --public-graph {where} --num-classes 2 --scale 1 --num-queries 3 "
                "--teachers 2 --teacher-epochs 1 --student-epochs 1 --repeats 1".split()) == 2
    assert f"of other people than --graph, got the same twice, good.npz and {where}" in capsys.readouterr().err
