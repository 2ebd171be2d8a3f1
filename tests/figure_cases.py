"""The library's numbers for the figures that answer (``privbook.show``), which their scripts must find as well.

``python tests/figure_cases.py`` writes them to figure_cases.json beside it. A unit test computes them again, and
tests/site asks the scripts in a browser.
"""

import json
from itertools import product
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from privbook.papers.side_by_side.terms import BUDGETS as TRIED
from privbook.show.choosing import accuracies, all_places, best_free, rows_of
from privbook.show.interactive import nearest_first, spent
from privbook.show.noise_on_prototypes import told
from privbook.show.reported_pairs import reported
from privgraph import datasets
from privgraph.cli.advise import best_at
from privgraph.mechanisms import GRRFS, MultiBit, NeighbourReplacement, NoisyArgMax, RandomisedResponse
from privgraph.methods.federated import procrustes
from privgraph.privacy import FinitePair, pure_pair
from privgraph.randomness import seeded

TABLE = Path(__file__).with_suffix(".json")
MADE = {"randomised-response": RandomisedResponse, "multi-bit": MultiBit,
        "grr-fs": lambda epsilon, num_features, sampled: GRRFS(epsilon, (2,) * num_features, sampled),
        "noisy-arg-max": lambda lead, num_classes, noise: NoisyArgMax(1 / lead, num_classes, noise)}
# (mechanism, its fields, count, rate, delta)
BUDGETS = [
    *(("noisy-arg-max", dict(lead=lead, num_classes=classes, noise=noise), 1000, rate, 1e-4)
      for lead, classes, noise, rate in product((0.1, 1.0, 3.0), (2, 3, 10), ("laplace", "gumbel"), (0.3, 1.0))),
    ("noisy-arg-max", dict(lead=0.01, num_classes=100, noise="laplace"), 1, 0.01, 1e-9),
    ("noisy-arg-max", dict(lead=20.0, num_classes=100, noise="laplace"), 10, 0.001, 1e-2),
    *(("randomised-response", dict(epsilon=epsilon, num_classes=classes), count, 1.0, 1e-5)
      for epsilon, classes, count in ((1.0, 4, 1), (0.1, 2, 100), (0.01, 100, 10**6), (20.0, 5, 3))),
    *(("multi-bit", dict(epsilon=epsilon, num_features=size), count, 1.0, 1e-6)
      for epsilon, size, count in ((1.0, 30, 10), (8.0, 5, 2), (8.0, 2, 2), (4.36, 10, 1))),
    *(("grr-fs", dict(epsilon=epsilon, num_features=size, sampled=sampled), count, 1.0, 1e-5)
      for epsilon, size, sampled, count in ((1.0, 4, 2, 1), (0.05, 20, 3, 500), (5.0, 3, 3, 2)))]


def odds(epsilon: float, delta: float, fpr: float) -> dict[str, float]:
    """By the best test between two distributions that are as far apart as (epsilon, delta) allows."""
    keep, flip = pure_pair(epsilon).p
    pair = FinitePair((delta, (1 - delta) * keep, (1 - delta) * flip, 0.0), (0.0, (1 - delta) * flip,
                      (1 - delta) * keep, delta))
    accused = np.cumsum([(0, 0), *zip(pair.q, pair.p, strict=True)], 0)  # on the outcomes with the largest losses first
    return {"factor": keep / flip, "guess": (1 + pair.delta(0.0)) / 2, "tpr": float(np.interp(fpr, *accused.T))}


def friends() -> Data:
    """The karate club with four made-up answers a person, as the multi-bit mechanism reports them."""
    answers = torch.rand(34, 4, generator=seeded(0))
    return Data(x=MultiBit(3.0, 4)(answers, generator=seeded(1)), edge_index=datasets.load("karate").edge_index,
                num_nodes=34)


def slots(strategy: str, threshold: float, epsilon: float, people) -> list[dict]:
    """Every slot of some people's lists."""
    data, mechanism = friends(), NeighbourReplacement(epsilon, strategy, threshold=threshold)
    near, found = nearest_first(data, mechanism), mechanism.slots(data)
    return [{"figure": "replacement", "inputs": dict(u=u, v=v, near=list(map(list, near[u])), strategy=strategy,
                                                     threshold=threshold, epsilon=epsilon),
             "numbers": {str(w): chance for w, chance in mechanism.slot_distribution(found, slot).items()}}
            for slot, (u, v) in enumerate(data.edge_index.t().tolist()) if v in people]


def best(unit: str, graph: str) -> list[dict]:
    """At each budget, as ``privgraph advise`` finds it."""
    rows = rows_of(unit, graph)
    free = best_free(rows).accuracy
    table = [accuracies(rows, name) for name in dict.fromkeys(row.method for row in rows if row.epsilon)]
    return [{"figure": "advice", "inputs": dict(accuracies=[each[place] for each in table], free=free),
             "numbers": {"best": (found := best_at(rows, budget).accuracy), "lead": found - free}}
            for place, budget in enumerate(TRIED)]


def maps(seed: int) -> tuple[Tensor, Tensor]:
    """What two clients make of the same five people, for odd seeds with a reflection between them."""
    generator = seeded(seed)
    mine, moved = torch.randn(2, 5, 2, generator=generator, dtype=torch.double)
    angle = 6.3 * torch.rand((), generator=generator, dtype=torch.double)
    turn = torch.stack([angle.cos(), angle.sin(), -angle.sin(), angle.cos()]).view(2, 2)
    turn[:, 1] *= (-1) ** seed
    return mine @ turn + 0.3 * moved, mine


def turns(seed: int) -> list[dict]:
    x, y = maps(seed)
    angles = [(degree, reflected) for degree in (0, 40, 333) for reflected in (False, True)]
    def turned(degree, reflected):
        a = torch.tensor(degree, dtype=torch.double).deg2rad()
        return x @ torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]).double() @ torch.diag(
            torch.tensor([1.0, -1.0 if reflected else 1.0]).double())
    best = float((x @ procrustes(x, y) - y).square().sum())
    return [{"figure": "rotation", "inputs": dict(theirs=x.tolist(), mine=y.tolist(), degree=d, reflected=r),
             "numbers": {"misfit": float((turned(d, r) - y).square().sum()), "best": best}} for d, r in angles]


def library() -> list[dict]:
    """[{figure, inputs, numbers}] as the library finds them."""
    chances = product((0.001, 0.1, 1.0, 3.7, 8.0), (0.0, 1e-6, 0.01, 0.5), (0.001, 0.01, 0.3, 0.95))
    return [
        *({"figure": "odds", "inputs": dict(epsilon=epsilon, delta=delta, fpr=fpr),
           "numbers": odds(epsilon, delta, fpr)} for epsilon, delta, fpr in chances),
        *({"figure": "budget", "inputs": dict(mechanism=name, count=count, rate=rate, delta=delta, **fields),
           "numbers": spent(MADE[name](**fields), count, rate, delta)} for name, fields, count, rate, delta in BUDGETS),
        *(case for place in all_places() for case in best(*place)),
        *(case for seed in range(4) for case in turns(seed)),
        *({"figure": "prototype", "inputs": dict(epsilon=epsilon, delta=delta, shots=shots),
           "numbers": told(epsilon, delta, shots)}
          for epsilon, delta, shots in product((0.25, 1.0, 5.657, 20.0), (1e-5, 1e-9), (1, 20))),
        *({"figure": "edges", "inputs": dict(nodes=nodes, degree=degree, epsilon=epsilon),
           "numbers": reported(nodes, degree, epsilon)}
          for nodes, degree, epsilon in product((100, 3000, 10**6), (1, 64), (0.5, 8.0, 20.0))),
        *slots("threshold", 0.0, 1.0, (4, 11)), *slots("most-similar", 0.0, 0.1, (4, 8)),
        *slots("threshold", 0.5, 2.0, (16,)), *slots("most-similar", 0.9, 5.0, (8,)),
        *slots("threshold", -1.0, 1.0, (16,))]


if __name__ == "__main__":
    TABLE.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in library()) + "\n]\n",
                     encoding="utf-8")
