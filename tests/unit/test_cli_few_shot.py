"""privgraph run for few-shot methods: new classes, beside the untrained start, counting and chance."""

import json
import re
import stat

import numpy as np
import pytest
import torch

from privgraph.cli import main
from privgraph.datasets import Sampler, load_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.methods import FewShot, PrototypicalNetwork, StructuralMean, WLKernel, all_methods, load
from privgraph.methods.few_shot import task_accuracies
from privgraph.nn import interval
from privgraph.randomness import seeded
from privgraph.streams import stream

TASKS = ["--ways", "3", "--shots", "2", "--queries", "2", "--test-tasks", "3"]
QUICK = {"maml": ["--steps", "1"], "supportgin": ["--epochs", "2"]}


@pytest.mark.lot("lib/privgraph/cli/", "lib/privgraph/methods/", "lib/privgraph/nn/", "lib/privgraph/datasets/")
@pytest.mark.parametrize("name", [name for name, kind in all_methods().items() if issubclass(kind, FewShot)])
def test_every_few_shot_method_runs_beside_what_it_must_beat(name, capsys):
    kind = all_methods()[name]
    few = ["--episodes", "2"] if "episodes" in kind.__dataclass_fields__ else []
    assert main(["run", name, "--repeats", "2", *TASKS, *few, *QUICK.get(name, ()), "--json"]) == 0
    told, said = capsys.readouterr()
    facts = json.loads(told)
    assert facts["guarantees"] == [] and "no guarantee is given" in said and facts["graphs"] == 2000
    counting = set() if kind is StructuralMean else {"counting"}
    untrained = {"untrained"} if kind().untrained() else set()
    assert set(facts["accuracy"]) == {"new classes", "chance"} | counting | untrained
    assert all(found["n"] == 2 and 0 <= found["mean"] <= 100 for found in facts["accuracy"].values())


def test_scores_are_those_of_python(capsys):
    assert main(["run", "structuralmean", "--set", "letters", "--columns", "counts", "--repeats", "2", *TASKS, "--json"]
                ) == 0
    found = json.loads(capsys.readouterr().out)["accuracy"]
    data, expected = load_graphs("letters"), []
    for seed in range(2):
        train, test = (Sampler(data, classes, 3, 2, 2) for classes in (data.train_classes, data.test_classes))
        draws = stream("tasks", seed)
        tasks = [test(draws) for _ in range(3)]
        solver = StructuralMean("counts").learn(train, stream("learn", seed))
        expected.append(100 * float(task_accuracies(solver, tasks).mean()))
    assert found["new classes"]["mean"] == pytest.approx(interval(expected).mean)
    assert found["chance"]["mean"] == pytest.approx(100 / 3)


def test_who_does_not_train_has_no_untrained_start():
    assert WLKernel().untrained() is None and StructuralMean().untrained() is None
    assert PrototypicalNetwork(episodes=7).untrained() == PrototypicalNetwork(episodes=0)


@pytest.mark.parametrize("words, message", [
    (["--ways", "4"], "ways must be at most the 3 classes that are drawn from, got 4"),
    (["--shots", "300"], "shots + queries must be at most 200, the graphs of the smallest class, got 300 + 10"),
    (["--test-tasks", "0"], "--test-tasks must be a whole number, at least 1, got 0")])
def test_tasks_that_cannot_be_drawn_are_refused(words, message, capsys):
    assert main(["run", "wlkernel", *words]) == 2
    assert re.search(re.escape(message), capsys.readouterr().err)


def test_a_set_that_there_is_not_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["run", "wlkernel", "--set", "nowhere"])
    assert "argument --set: invalid choice: 'nowhere'" in capsys.readouterr().err


def test_what_was_learned_is_saved_for_its_owner_and_names_the_graphs_of_another_task(tmp_path, capsys):
    """Classes and graphs by the numbers that the file has, as the same model gives them in Python."""
    folder, file = tmp_path / "few", tmp_path / "task.npz"
    assert main(["run", "prototypicalnetwork", "--repeats", "1", *TASKS, "--episodes", "2", "--save", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "what holds for it:\n  nothing holds: no guarantee is given" in said and "saved: new classes" in said
    assert [path.name for path in folder.iterdir()] == ["model.pt"]
    assert stat.S_IMODE((folder / "model.pt").stat().st_mode) == 0o600
    drawn = load_graphs("triangles")
    task = Sampler(drawn, drawn.test_classes, 3, 2, 2)(seeded(0))
    graphs, called = GraphBatch.join([task.query, task.support]), torch.tensor([40, 7, 9])
    y = torch.cat([torch.full((6,), -1), called[task.support_y]])
    arrays = {"x": graphs.x, "edge_index": graphs.edge_index, "node_graph_id": graphs.batch, "y": y}
    np.savez(file, **{name: array.numpy() for name, array in arrays.items()})
    assert main(["predict", str(folder), str(file), "--to", str(tmp_path / "classes.csv")]) == 0
    assert capsys.readouterr().out == f"6 graphs are in {tmp_path / 'classes.csv'}\n"
    chances = load(folder / "model.pt").predict_proba(task).max(1)
    rows = [f"{graph},{called[kind]},{chance:.4f}" for graph, (chance, kind) in enumerate(zip(*chances, strict=True))]
    assert (tmp_path / "classes.csv").read_text().splitlines() == ["graph,class,probability", *rows]
    for labels, message in ((task.support_y.repeat(2), "got 3 classes and 0 graphs of -1"),
                            (y.clamp(max=0), "got 1 classes and 6 graphs"),
                            (y[1:], "y must have a class for each of 12"),
                            (y - 1, "y must have a class for each of 12 graphs, or -1")):
        np.savez(file, **{name: array.numpy() for name, array in (arrays | {"y": labels}).items()})
        assert main(["predict", str(folder), str(file)]) == 2
        assert message in capsys.readouterr().err
    np.savez(one := tmp_path / "one.npz", **{name: arrays[name].numpy() for name in ("x", "edge_index", "y")})
    for words, message in (([], "learned from tasks: say with GRAPH what is asked"),
                           (["karate"], "GRAPH must be an .npz file of many graphs"),
                           ([str(one)], "and -1 for those that are to be named; one.npz lacks node_graph_id"),
                           (["none.npz"], "GRAPH cannot be read: No such file or directory: 'none.npz'"),
                           ([str(file), "--num-classes", "3"], "are about the nodes of one graph")):
        assert main(["predict", str(folder), *words]) == 2
        assert message in capsys.readouterr().err
