"""One face for all kinds: fit, predict, score, guarantees, save, load, and predict again."""

import math
import re
import warnings
from dataclasses import dataclass

import pytest
import torch
from torch_geometric.data import Data

from elsewhere import ELSEWHERE, Elsewhere
from privgraph.cli import main
from privgraph.datasets import load as graph_named
from privgraph.datasets import split
from privgraph.mechanisms import Laplace
from privgraph.methods import (
    GAP,
    LPGNN,
    PATE,
    Distilled,
    FederatedDeepWalk,
    FederatedModel,
    FewShot,
    InductiveModel,
    LinearProbe,
    PrivGNN,
    ProGAP,
    Sizes,
    WLKernel,
    all_methods,
    load,
    sizes_of,
)
from privgraph.methods.contract.toys import draw_task, path_graph, shared_world, worlds
from privgraph.methods.federated import NOBODY, parts
from privgraph.randomness import draw_seed, seeded
from privgraph.streams import source

CASES = [(name, number) for name, kind in all_methods().items() for number in range(len(kind.examples()))]
GRAPHS = [case for case in CASES if not issubclass(all_methods()[case[0]], FewShot)]
DELTA = 1e-5


def made(name, number):
    """A method, and the graphs that it can be fitted to: of the worlds of the contract the first that it takes."""
    if name == "rgnn":
        pytest.importorskip("pymetis", reason="clusters need the extra partition")
    method = all_methods()[name].examples()[number]
    public = (path_graph(10, 3),) if isinstance(method, Distilled) else ()
    tried = []
    for world in (*worlds(True), *worlds(False), shared_world()):
        try:
            return method, (world, *public), method.fit(world, *public, seed=0)
        except ValueError as error:
            tried.append(str(error))
    raise AssertionError(f"{method} refuses every world: {tried}")


def about(model, graph):
    """What ``predict`` is told: a probe needs the labels that it learns from, and some networks hold nobody's rows."""
    return graph if isinstance(model, LinearProbe | FederatedModel) or getattr(model, "inputs", 0) is None else None


@pytest.mark.parametrize("name, number", GRAPHS, ids=[f"{name} {number}" for name, number in GRAPHS])
def test_every_method_has_the_face(name, number, tmp_path):
    method, graphs, model = made(name, number)
    graph = graphs[-1]
    p, classes = model.predict_proba(about(model, graph)), model.predict(about(model, graph))
    assert p.shape == (graph.num_nodes, graph.num_classes) and classes.shape == (graph.num_nodes,)
    known = ~p.isnan().any(1)
    assert torch.equal(classes[known], p[known].argmax(1)) and bool((classes[~known] == -1).all())
    mask = (graph.y >= 0) & known
    assert model.score(graph, mask) == pytest.approx(float((classes[mask] == graph.y[mask]).float().mean()))
    model.save(tmp_path / "model.pt")
    with warnings.catch_warnings(action="ignore"):  # that its seed is public
        again = load(tmp_path / "model.pt")
    assert again.method == method == model.method and type(again) is type(model)
    assert torch.allclose(again.predict_proba(about(model, graph)), p, rtol=0, atol=0, equal_nan=True)
    assert again.guarantees(DELTA) == model.guarantees(DELTA)
    assert not any(g.holds for g in model.guarantees(DELTA))  # as the seed is public


@pytest.mark.parametrize("name", ["lpgnn", "gap", "nodegap", "dpne", "pate", "federateddeepwalk"])
def test_a_graph_may_lie_on_another_device(name):
    method, graphs, model = made(name, 0)
    graph = graphs[-1]
    mask = (graph.y >= 0) & (model.predict(about(model, graph)) >= 0)
    with Elsewhere():
        away = [each.clone().to(ELSEWHERE) for each in graphs]
        again = method.fit(*away, seed=0)
        assert away[-1].edge_index.device == ELSEWHERE  # a copy was moved
        assert again.score(away[-1], mask.to(ELSEWHERE)) == model.score(graph, mask)
        asked = about(again, away[-1])
        p = again.predict_proba(asked)
        assert p.device == (ELSEWHERE if asked is not None else torch.device("cpu"))
        assert torch.equal(p.cpu().nan_to_num(-1), model.predict_proba(about(model, graph)).nan_to_num(-1))


def test_arms_are_tried_on_a_graph_of_another_device():
    graph = split(path_graph(40, 3), seeded(0))
    with Elsewhere():
        away = GAP(1.0, epochs=1).evaluate(graph.clone().to(ELSEWHERE), seeds=2)
    assert dict(away) == dict(GAP(1.0, epochs=1).evaluate(graph, seeds=2))


@pytest.mark.parametrize("name, number", GRAPHS, ids=[f"{name} {number}" for name, number in GRAPHS])
def test_what_is_said_beforehand_is_what_holds(name, number):
    method, graphs, model = made(name, number)
    after = {(g.unit, g.relation): g for g in model.guarantees(DELTA)}
    before = method.guarantees(sizes_of(graphs[-1]), DELTA)
    assert all(after[g.unit, g.relation].epsilon == g.epsilon for g in before)
    assert bool(before) == bool(after)


@pytest.mark.parametrize("name, number", [case for case in CASES if case not in GRAPHS])
def test_a_method_of_tasks_is_asked_about_tasks(name, number, tmp_path):
    method, task = all_methods()[name].examples()[number], draw_task(seeded(3))
    model = method.fit(draw_task, seed=0)
    assert model.predict_proba(task).shape == (len(task.query), task.ways) and model.guarantees() == ()
    assert model.score(task) == float((model.predict(task) == task.query_y).float().mean())
    model.save(path := tmp_path / "model.pt")
    again = load(path)
    assert again.method == method and type(again.solver) is type(model.solver) and again.guarantees() == ()
    assert torch.equal(again.predict_proba(task), model.predict_proba(task))
    assert path.stat().st_mode & 0o777 == 0o600  # as no guarantee speaks of it
    whole, refused = torch.load(path, weights_only=True), 0
    for count, at in enumerate(place for place in places(whole) if place):
        torch.save(put(whole, at, ODD[count % len(ODD)]), tmp_path / "odd.pt")
        try:
            load(tmp_path / "odd.pt").predict_proba(task)
        except ValueError:
            refused += 1
    assert refused > 2


class Unkept(WLKernel):
    """Says nothing of what is kept."""

    kept, solver = FewShot.kept, FewShot.solver


def test_a_method_of_tasks_that_does_not_say_what_is_kept_is_not_saved(tmp_path, capsys):
    with pytest.raises(ValueError, match="Unkept does not say what of its solver is kept"):
        Unkept().fit(draw_task, seed=0).save(tmp_path / "model.pt")
    WLKernel().fit(draw_task, seed=0).save(tmp_path / "model.pt")
    assert main(["predict", str(tmp_path / "model.pt")]) == 2
    assert "say with GRAPH what is asked" in capsys.readouterr().err
    whole = torch.load(tmp_path / "model.pt", weights_only=True)
    whole["method"]["class"] = f"{Unkept.__module__}.Unkept"
    torch.save(whole, tmp_path / "model.pt")
    with pytest.raises(ValueError, match="model.pt names Unkept, which does not say what is kept"):
        load(tmp_path / "model.pt")


@dataclass(frozen=True)
class DealtAnew(FederatedDeepWalk):
    """Who is private at which client is drawn at each split."""

    def split(self, data, generator):
        holder = data.holder.clone()
        own = (holder >= 0).nonzero().view(-1)
        holder[own] = holder[own[torch.randperm(len(own), generator=generator)]]
        return parts(Data(**data.to_dict() | {"holder": holder}))


def test_the_vectors_of_a_client_are_of_the_nodes_that_it_held():
    model = DealtAnew(**vars(FederatedDeepWalk.examples()[0])).fit(shared_world(), seed=0)
    draw_seed(generator := source("collect", 0))  # of the server
    held = model.method.split(shared_world(), generator)
    assert [part.n_id.tolist() for part in held] == [each.nodes.tolist() for each in model.held]


def test_where_nothing_is_said_nothing_is_right():
    """Of people whom no client holds; their class is 0, the first."""
    graph = shared_world()
    nobodys = (graph.holder >= 0) & (torch.arange(graph.num_nodes) % 3 == 0)
    graph.holder[nobodys] = NOBODY
    model = FederatedDeepWalk.examples()[0].fit(graph, seed=0)
    first = Data(**graph.to_dict() | {"y": torch.where(nobodys, 0, graph.y)})
    assert nobodys.any() and bool((model.predict(graph)[nobodys] == -1).all()) and model.score(first, nobodys) == 0


def test_without_a_seed_the_randomness_is_secret_and_what_is_stated_holds():
    data = path_graph(8)
    first, second = (LPGNN(epochs=2).fit(data) for _ in range(2))
    assert first.release.randomness == "secret" and first.guarantees()[0].holds
    assert not torch.equal(first.release.report, second.release.report)
    assert torch.equal(*(LPGNN(epochs=2).fit(data, seed=3).predict_proba() for _ in range(2)))


def test_a_delta_is_asked_for_where_no_pure_epsilon_holds():
    gumbel, laplace = PrivGNN(10, scale=1.0), PATE(10, scale=1.0)
    assert laplace.guarantees(Sizes(100, 3))[0].epsilon == 20 == laplace.guarantees(Sizes(100, 3), None)[0].epsilon
    assert laplace.guarantees(Sizes(100, 3))[0].delta == 0 < laplace.guarantees(Sizes(100, 3), DELTA)[0].delta
    assert math.isfinite(gumbel.guarantees(Sizes(100, 3), DELTA)[0].epsilon)


def test_a_network_of_a_release_is_asked_about_nobody_else():
    model, data = LPGNN(epochs=2).fit(path_graph(8), seed=0), path_graph(8)
    with pytest.raises(ValueError, match="for the people of its release only: ask without"):
        model.predict(data)
    with pytest.raises(ValueError, match="data must have y, test_mask, got none for test_mask; datasets.split"):
        model.score(Data(y=data.y, num_nodes=8))


def test_a_graph_as_pyg_makes_it_is_told_what_it_lacks_and_by_which_line():
    edges, y = path_graph(12).edge_index, torch.arange(12) % 2
    data, lines = Data(x=torch.rand(12, 3), edge_index=edges, y=y), []
    for _ in range(3):
        with pytest.raises(ValueError, match="data must have") as refused:
            LPGNN(epochs=1).fit(data)
        lines.append(str(refused.value).partition("; ")[2])
        data = {"data.num_classes": lambda data: Data(**data.to_dict(), num_classes=2),
                "datasets.split": lambda data: split(data, seeded(0)),
                "data.feature_range": lambda data: Data(**data.to_dict(), feature_range=(0, 1))}[
                    re.match(r"[\w.]+", lines[-1])[0]](data)
    assert LPGNN(epochs=1).fit(data).predict().shape == (12,) and len(set(lines)) == 3


def test_a_student_is_asked_about_other_graphs_too():
    _, (private, public), model = made("pate", 0)
    assert isinstance(model, InductiveModel) and model.predict(private).shape == (private.num_nodes,)
    assert torch.equal(model.predict_proba(public), model.predict_proba())  # which is of the public graph


def test_a_file_of_a_method_of_ones_own_is_read_where_its_class_is_known(tmp_path):
    class Mine(LPGNN):
        """One's own."""

    Mine(epochs=2).fit(path_graph(8), seed=0).save(tmp_path / "mine.pt")
    with warnings.catch_warnings(action="ignore"):
        assert type(load(tmp_path / "mine.pt").method) is Mine
    whole = torch.load(tmp_path / "mine.pt", weights_only=True)
    whole["method"]["class"] = whole["method"]["class"].replace("Mine", "Yours")
    torch.save(whole, tmp_path / "yours.pt")
    with pytest.raises(ValueError, match="Yours', which is no Method that is known here; if it is one of your own"):
        load(tmp_path / "yours.pt")


ODD = (None, "x", 5, -1.0, math.nan, [], {}, torch.zeros(2, 2), torch.full((3,), 99), (1,), True,
       {"class": "os.system"})


def places(content, at=()):
    """Every place in a nest of dicts and lists."""
    yield at
    inner = content.items() if isinstance(content, dict) else enumerate(
        content if isinstance(content, list | tuple) else ())
    for key, part in inner:
        yield from places(part, (*at, key))


def put(content, at, new):
    """The same with something else at one place."""
    if not at:
        return new
    parts = dict(content) if isinstance(content, dict) else dict(enumerate(content))
    parts[at[0]] = put(parts[at[0]], at[1:], new)
    return parts if isinstance(content, dict) else type(content)(parts.values())


@pytest.mark.parametrize("name, number", [(name, 0) for name in dict(GRAPHS)] + [("gae", 3)])
def test_whatever_stands_in_a_file_it_is_a_model_that_answers_or_refused(name, number, tmp_path):
    _, graphs, model = made(name, number)
    model.save(tmp_path / "model.pt")
    whole, refused = torch.load(tmp_path / "model.pt", weights_only=True), 0
    for count, at in enumerate(place for place in places(whole) if place):
        for new in (ODD[count % len(ODD)], ODD[(count + 5) % len(ODD)]):
            torch.save(put(whole, at, new), tmp_path / "odd.pt")
            try:
                with warnings.catch_warnings(action="ignore"):
                    again = load(tmp_path / "odd.pt")
                again.guarantees(DELTA), again.predict_proba(about(again, graphs[-1]))
            except ValueError:
                refused += 1
    assert refused > 10


def test_vectors_are_asked_about_the_people_whose_they_are():
    model = all_methods()["publicfeatures"]().fit(path_graph(8), seed=0)
    with pytest.raises(ValueError, match="data must have a node for each of 8 vectors, got 10"):
        model.predict(path_graph(10))


def test_predictions_of_a_saved_model_from_the_command_line(tmp_path, capsys):
    model = LPGNN(epochs=2).fit(path_graph(8))
    model.save(tmp_path / "model.pt")
    assert main(["predict", str(tmp_path / "model.pt")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "node,class,probability"
    assert [int(line.split(",")[1]) for line in lines[1:]] == model.predict().tolist()
    assert main(["predict", str(tmp_path), "--to", str(tmp_path / "named.csv")]) == 0
    assert (tmp_path / "named.csv").read_text().splitlines() == lines
    assert main(["predict", str(tmp_path), "karate"]) == 2
    assert "for the people of its release only" in capsys.readouterr().err


def karate():
    return split(graph_named("karate"), seeded(0))


WRONG = {
    "a release of another kind": (lambda: LPGNN().learn(GAP(1.0, epochs=1).fit(karate(), seed=0).release, seeded(0)),
                                  "release must be an? LPGNNRelease, got"),
    "a graph for a release": (lambda: LPGNN().learn(karate(), seeded(0)), "release must be an? LPGNNRelease"),
    "a release of another method": (lambda: ProGAP(1.0).learn(GAP(1.0, epochs=1).fit(karate(), seed=0).release,
                                                              seeded(0)), "release must be of this method, and hold"),
    "reports for a curator": (lambda: GAP(1.0).learn(LPGNN(epochs=1).fit(karate(), seed=0).release, seeded(0)),
                              "release must be an? CuratedRelease"),
    "a list for a tensor": (lambda: Laplace(1.0)([1, 2], generator=seeded(0)),
                            "answer must be a torch.Tensor, got list"),
    "no graph": (lambda: LPGNN().fit(None), "data must be a torch_geometric.data.Data, got None"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_handed_in_by_mistake_is_named(what):
    wrong, sentence = WRONG[what]
    with pytest.raises((TypeError, ValueError), match=sentence):
        wrong()
