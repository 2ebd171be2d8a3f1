"""Chapter 9: what PrivGNN's text does not say and the authors' code does, in the version that is public.

Two details that change printed numbers. Test nodes are drawn from all nodes that are not private, so some of them are
training nodes as well. And PATE's GraphSAGE teachers, ten of them, get fresh weights after training, before they are asked.
"""

import copy
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data

from ...methods import Answers, NodeClassifier
from ...nn import accuracy
from ...randomness import seeded
from ..cache import Cache
from ..grid import Experiment, graph
from .privgnn import BASELINES, LAMBDAS, SEEDS, method_of, noisy_labels, parts

DATASET = "amazon-computers"
TEACHERS = 10


def released_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy, and the share of right labels, in percent."""
    private, public = parts(cell["dataset"], seed)
    generator = seeded(8_000_000 + seed)
    if cell["method"] in BASELINES:
        drawn_twice = with_copies(cell["dataset"], private, public, generator)
        scores, right = BASELINES[cell["method"]](cell, private, drawn_twice, generator)
        return {"accuracy": accuracy(scores, drawn_twice.y, drawn_twice.test_mask), "right": right}
    method = method_of(noisy_labels(cell["dataset"], "pate", teacher="sage", lam=cell["lam"], queries=1000))
    release = method.answer(asked_untrained(cell["dataset"], seed), public, generator)
    student = method.learn(release, generator)
    right = 100 * float((release.labels == public.y[release.queries]).float().mean())
    return {"accuracy": accuracy(student.predict_proba(), public.y, public.test_mask), "right": right}


def with_copies(dataset: str, private: Data, public: Data, generator: torch.Generator) -> Data:
    """The public graph with test nodes drawn anew from all that are not private.

    A node that was drawn for training and for testing is there twice, and its second copy has the edges.
    """
    data = graph(dataset)[0]
    open_to_all = torch.ones(data.num_nodes, dtype=torch.bool).index_fill(0, private.n_id, False).nonzero().view(-1)
    test = open_to_all[torch.randperm(len(open_to_all), generator=generator)[:int(public.test_mask.sum())]]
    nodes = torch.cat([public.n_id[public.train_mask], test])
    place = torch.full((data.num_nodes,), -1).scatter_reduce(0, nodes, torch.arange(len(nodes)), "amax")
    edges = place[data.edge_index]
    twice = copy.copy(data)
    twice.x, twice.y, twice.edge_index, twice.n_id = data.x[nodes], data.y[nodes], edges[:, (edges >= 0).all(0)], nodes
    twice.test_mask = torch.arange(len(nodes)) >= len(nodes) - len(test)
    twice.train_mask = ~twice.test_mask
    return twice


def asked_untrained(dataset: str, seed: int, queries: int = 1000) -> Answers:
    """The votes of GraphSAGE teachers with fresh weights."""
    private, public = parts(dataset, seed)
    generator = seeded(9_000_000 + seed)
    method = replace(method_of(noisy_labels(dataset, "pate", lam=1.0, queries=queries)), teachers=TEACHERS)
    asked = method.choose_queries(private, public, generator)
    return Answers(queries=asked, scores=sum(fresh_votes(public, asked, generator) for _ in range(TEACHERS)))


@torch.no_grad()
def fresh_votes(public: Data, asked: Tensor, generator: torch.Generator) -> Tensor:
    model = NodeClassifier().untrained(public.num_features, public.num_classes, generator).eval()
    return F.one_hot(model(model.prepare(public.x, public.edge_index))[asked].argmax(1), public.num_classes).float()


def cell_of(method: str, lam: float = 0.0) -> dict:
    return dict(dataset=DATASET, seeds=SEEDS, method=method, lam=lam)


EXPERIMENT = Experiment(
    "privgnn-released", 1, {"method": str, "lam": float}, ("accuracy", "right"),
    (cell_of("b1"), cell_of("b2"), *(cell_of("pate", lam) for lam in LAMBDAS)), released_run,
    title="Two details of PrivGNN's released code (chapter 9)")
