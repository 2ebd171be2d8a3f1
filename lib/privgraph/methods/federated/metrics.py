"""What a client's vectors are good for: the classes of its nodes, by learners that see its own rows only.

The dissertation's section 4.3.2: micro F1 of a multi-layer perceptron and of a support vector machine, five folds. With
one class a node, micro F1 is the share of nodes that are named rightly. The text does not say how folds are drawn. Here
a node has *one* fold, whoever holds it (``fold_of``). If each client drew folds of its own, a public node could be
tested at one client and taught at another, and what was taught there came back in the upload that the server averages:
another client's upload would leak a test label. So a supervised method is trained once for each fold, without that
fold's labels anywhere (``without_fold``), and its vectors come one table a fold.

Scores are kept apart for ``GROUPS`` of nodes: what averaging gives to public nodes without an edge here, others may
have to pay for, and the mean over all hides it.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ...checks import (
    check_choice,
    check_count,
    check_data,
    check_features,
    check_generator,
    check_labels,
    check_nodes,
    check_tensor,
)
from ...graph import degrees
from ...late import Late
from ...randomness import draw_seed

if TYPE_CHECKING:
    from torch_geometric.data import Data

GROUPS = ("public with edges here", "public without", "private with", "private without", "public", "private", "all")
# scikit-learn's defaults: a radial kernel with C = 1; a hidden layer of 100 and at most 200 passes.
svm, neural_network = Late("sklearn.svm"), Late("sklearn.neural_network")
LEARNERS = {"svc": lambda seed: svm.SVC(), "mlp": lambda seed: neural_network.MLPClassifier(random_state=seed)}


def fold_of(num_nodes: int, folds: int, generator: torch.Generator) -> Tensor:
    """The fold of each node, the same wherever the node is held: int64 [N] in 0..folds-1, in equal numbers but for one.

    >>> from privgraph.randomness import seeded
    >>> fold_of(7, 3, seeded(0)).bincount().tolist()
    [3, 2, 2]
    """
    check_count(folds, "folds", low=2)
    if check_count(num_nodes, "num_nodes") < folds:
        raise ValueError(f"a graph needs at least {folds} nodes, one for each fold in which it is scored, got "
                         f"{num_nodes}")
    return (torch.arange(num_nodes) % folds)[torch.randperm(num_nodes, generator=check_generator(generator))]


def without_fold(data: Data, fold: Tensor, number: int) -> Data:
    """A copy whose ``train_mask`` are the labelled nodes outside one fold; before it is split into clients.

    :param fold: int64 [N], of ``fold_of``.
    :param number: the fold that is to be tested.
    """
    check_labels(check_data(data, "y").y, None, missing=True), check_folds(fold, data.num_nodes)
    data = copy.copy(data)
    data.train_mask = (fold != check_count(number, "number", high=int(fold.max()))) & (data.y >= 0)
    return data


def groups(part: Data) -> dict[str, Tensor]:
    """Which nodes of a part are in which of ``GROUPS``, bool [n] each. Edges are those of this part.

    A graph without ``num_public``, as the whole one, has one group: "all".

    >>> from torch_geometric.data import Data
    >>> part = Data(edge_index=torch.tensor([[0, 2], [2, 0]]), num_nodes=4, num_public=2)
    >>> {name: inside.nonzero().flatten().tolist() for name, inside in groups(part).items() if name != "all"}
    {'public with edges here': [0], 'public without': [1], 'private with': [2], 'private without': [3], \
'public': [0, 1], 'private': [2, 3]}
    """
    n = check_data(part, "edge_index").num_nodes
    everybody = torch.ones(n, dtype=torch.bool)
    if "num_public" not in part:
        return {"all": everybody}
    public = torch.arange(n) < check_count(part.num_public, "num_public", high=n)
    linked = degrees(part.edge_index, n) > 0
    return dict(zip(GROUPS, (public & linked, public & ~linked, ~public & linked, ~public & ~linked, public, ~public,
                             everybody), strict=True))


def micro_f1(z: Tensor | Sequence[Tensor], part: Data, fold: Tensor, generator: torch.Generator, learner: str = "svc",
             labels: Tensor | None = None) -> dict[str, float]:
    """The share of a part's nodes in each of its groups whose class is named rightly, in percent.

    Each node is named once, by a learner of the vectors and labels of the part's other folds. Groups in which nobody
    has a label are left out. Vectors are taken as they are: rows are neither centred nor scaled.

    :param z: vectors of the part's nodes, float [n, d]; or one such table for each fold, made without its labels.
    :param part: a client's graph, with ``n_id`` int64 [n] and ``num_public``; or the whole graph, without these.
    :param fold: of every node of the whole graph, int64 [N].
    :param generator: seeds the perceptron.
    :param learner: one of ``LEARNERS``.
    :param labels: what the learner is taught, int64 [n], -1 for nothing; by default the labels of the part. Whether
        it was right is asked of the part's labels.
    """
    y = check_labels(check_data(part, "y").y, None, missing=True)
    here = check_folds(fold, None)[own_nodes(part, len(fold))]
    named = name_folds(z, y if labels is None else labels, here, generator, learner)
    right, known = named == y, y >= 0
    return {name: 100 * float(right[inside & known].double().mean()) for name, inside in groups(part).items()
            if (inside & known).any()}


def name_folds(z: Tensor | Sequence[Tensor], labels: Tensor, fold: Tensor, generator: torch.Generator,
               learner: str = "svc") -> Tensor:
    """The class of each node as learnt from the other folds, int64 [n].

    :param z: float [n, d], or one table for each fold.
    :param labels: int64 [n], -1 where nothing is taught.
    :param fold: int64 [n].
    """
    check_choice(learner, "learner", LEARNERS), check_generator(generator)
    check_labels(labels, None, missing=True), check_folds(fold, len(labels))
    tables = [z] * (int(fold.max()) + 1) if isinstance(z, Tensor) else z
    if len(tables) <= fold.max():
        raise ValueError(f"z must have a table for each fold, 0..{int(fold.max())}, got {len(tables)}")
    named = torch.empty_like(labels)
    for number in fold.unique().tolist():
        rows, asked = check_features(tables[number]).detach().double().numpy(), fold == number
        if len(rows) != len(labels):
            raise ValueError(f"z must have a row for each of {len(labels)} nodes, got {len(rows)}")
        taught = ~asked & (labels >= 0)
        answer = taught_by(rows[taught], labels[taught].numpy(), learner, draw_seed(generator)).predict(rows[asked])
        named[asked] = torch.from_numpy(answer)
    return named


class OneClass:
    """Who was taught one class names that."""

    def __init__(self, only: int):
        self.only = only

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return np.full(len(rows), self.only)


def taught_by(rows: np.ndarray, y: np.ndarray, learner: str, seed: int):
    """A classifier of scikit-learn's, or one like it, that has seen rows [m, d] with classes y [m]."""
    if len(y) == 0:
        raise ValueError("a node of another fold must have a label, to learn from, got none")
    if (y == y[0]).all():
        return OneClass(y[0])
    from sklearn.exceptions import ConvergenceWarning
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 200 passes are scikit-learn's default, and ours
        return LEARNERS[learner](seed % 2**32).fit(rows, y)


def over_clients(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean over the clients that have somebody in a group, group by group.

    >>> over_clients([{"all": 80.0, "private": 70.0}, {"all": 90.0}])
    {'private': 70.0, 'all': 85.0}
    """
    found = {name: [each[name] for each in scores if name in each] for name in GROUPS}
    return {name: sum(values) / len(values) for name, values in found.items() if values}


def restricted(z: Tensor, part: Data) -> Tensor:
    """Rows of vectors [N, d] of the whole graph for the nodes of a part [n, d]: what a client is measured against."""
    return check_features(z)[own_nodes(part, len(z))]


def own_nodes(part: Data, num_nodes: int) -> Tensor:
    """The number of each of a part's nodes in the whole graph of ``num_nodes``, int64 [n]."""
    n = check_data(part).num_nodes
    nodes = check_nodes(part.n_id if "n_id" in part else torch.arange(n), num_nodes, "n_id")
    if len(nodes) != n:
        raise ValueError(f"n_id must have a number for each of {n} nodes, got {len(nodes)}")
    return nodes


def check_folds(fold: Tensor, size: int | None) -> Tensor:
    """Which fold each of ``size`` nodes is in."""
    if check_tensor(fold, "fold").dtype != torch.long or fold.dim() != 1 or size not in (None, len(fold)):
        raise ValueError(f"fold must be an int64 tensor of shape [{size or 'N'}], "
                         f"got {fold.dtype} of shape {list(fold.shape)}")
    if len(fold) == 0 or fold.min() < 0:
        raise ValueError(f"fold must hold numbers of folds, at least 0, got {fold.unique().tolist()[:3]}")
    return fold
