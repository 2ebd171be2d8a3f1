"""Chapter 9: what PrivGNN's text does not say and the authors' code does, in the version that is public.

Three details that change printed numbers. Public nodes, for training and for testing, are drawn from *all* nodes, the
private ones among them. Teachers and students are trained for 500 epochs. And PATE's GraphSAGE teachers, ten of them,
get fresh weights after training, before they are asked.
"""

import copy
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data

from privgraph.datasets import induced
from privgraph.methods import Distilled, NodeClassifier, TeacherScores
from privgraph.nn import accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from .tables import BASELINES, LAMBDAS, SEEDS, method_of, parts
from .tables import EXPERIMENT as TABLES

DATASET = "amazon-computers"
TEACHERS = 10
LONG = NodeClassifier(epochs=500)


def released_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy, and the share of right labels, in percent."""
    private, public = parts(setting["dataset"], seed)
    generator = stream("released", seed)
    if setting["method"] == "pate":
        method, found = method_of(TABLES.setting(**setting, queries=1000)), asked_untrained(DATASET, seed)
        return released(method, found, public, generator)
    public = drawn_from_all(DATASET, public.num_nodes, generator)
    if setting["method"] in BASELINES:
        scores, right = BASELINES[setting["method"]](setting, private, public, generator)
        return {"accuracy": accuracy(scores, public.y, public.test_mask), "right": right}
    method = method_of(TABLES.setting(**setting, noise="log-laplace", queries=1000, rate=0.3))
    return released(replace(method, student=LONG), one_for_all(private, public, generator), public, generator)


def released(method: Distilled, found: TeacherScores, public: Data, generator: torch.Generator) -> dict[str, float]:
    release = method.answer(found, public, generator)
    student = method.learn(release, generator)
    return {"accuracy": accuracy(student.predict_proba(), public.y, public.test_mask),
            "right": 100 * float((release.labels == public.y[release.queries]).float().mean())}


def drawn_from_all(dataset: str, count: int, generator: torch.Generator) -> Data:
    """A public graph whose training and test nodes are drawn from all nodes, one after the other.

    A node that was drawn for both is there twice, and its second copy has the edges.
    """
    data, half = graph(dataset)[0], count // 2
    nodes = torch.cat([torch.randperm(data.num_nodes, generator=generator)[:half] for _ in range(2)])
    place = torch.full((data.num_nodes,), -1).scatter_reduce(0, nodes, torch.arange(2 * half), "amax")
    edges = place[data.edge_index]
    public = copy.copy(data)
    public.x, public.y, public.n_id = data.x[nodes], data.y[nodes], nodes
    public.edge_index = edges[:, (edges >= 0).all(0)]
    public.train_mask = torch.arange(2 * half) < half
    public.test_mask = ~public.train_mask
    return public


def one_for_all(private: Data, public: Data, generator: torch.Generator) -> TeacherScores:
    """The posteriors of one teacher, trained on 750 private nodes, for the first 1,000 training nodes."""
    own = induced(private, torch.randperm(private.num_nodes, generator=generator)[:750])
    fitted = LONG.fit(own.x, own.edge_index, torch.arange(own.num_nodes), own.y, own.num_classes, generator)
    asked = torch.arange(1000)
    return TeacherScores(queries=asked, scores=fitted.predict_proba(public)[asked])


def asked_untrained(dataset: str, seed: int, queries: int = 1000) -> TeacherScores:
    """The votes of GraphSAGE teachers with fresh weights."""
    private, public = parts(dataset, seed)
    generator = stream("untrained", seed)
    method = replace(method_of(TABLES.setting(dataset=dataset, method="pate", lam=1.0, queries=queries)),
                     teachers=TEACHERS)
    asked = method.choose_queries(private, public, generator)
    return TeacherScores(queries=asked, scores=sum(fresh_votes(public, asked, generator) for _ in range(TEACHERS)))


@torch.no_grad()
def fresh_votes(public: Data, asked: Tensor, generator: torch.Generator) -> Tensor:
    model = NodeClassifier().untrained(public.num_features, public.num_classes, generator).eval()
    return F.one_hot(model(model.prepare(public.x, public.edge_index))[asked].argmax(1), public.num_classes).float()


EXPERIMENT = Experiment(
    "privgnn-released", 1, {"method": str, "lam": 0.0}, ("accuracy", "right"),
    lambda setting: [(SEEDS, [setting(method="b1"), setting(method="b2")]),
                     (SEEDS, [setting(method=method, lam=lam) for method in ("pate", "single") for lam in LAMBDAS])],
    released_run, dataset=DATASET, title="Three details of PrivGNN's released code (chapter 9)")
