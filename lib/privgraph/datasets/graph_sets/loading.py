"""Sets of graphs by name: generated, or read from the user's folder."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from ...checks import check_is
from ...graph import to_undirected
from ...graph_batch import GraphBatch
from ...late import pyg
from ...randomness import seeded
from ..check import read_npz
from ..episodes import GraphSet, Task
from ..fingerprints import fingerprint
from ..layouts import explained, two_rows
from ..npz import GraphFile
from ..set_cards import SETS, set_card
from ..sources import DatasetUnavailable, find_file, unavailable_message
from .letter_graphs import letters
from .neighbourhood_graphs import neighbourhoods
from .shop_network import shop
from .triangle_graphs import triangles

SEED = 45000  # of the generated sets: fixed beforehand, not chosen among others
COLUMNS = 256  # into which the words of the real goods are folded
GRAPHS = ("edge_index", "x", "y", "node_graph_id")
SETS_OF_CLASSES = ("train_classes", "test_classes")

MADE = {"triangles": lambda: triangles(seeded(SEED)),
        "letters": lambda: letters(seeded(SEED)),
        "neighbourhoods-twin": lambda: from_shop(100, "neighbourhoods-twin"),
        "neighbourhoods-small": lambda: from_shop(20, "neighbourhoods-small")}


def load_graphs(name: str) -> GraphSet:
    """The set of graphs called ``name``: one of ``datasets.SETS``.

    Generated sets are the same each time. Real ones are looked for in the folder ``PRIVGRAPH_DATA`` and in the cache,
    never on the network.

    :raises ValueError: for a name that no card has, and for a damaged file.
    :raises DatasetUnavailable: when the file is not on this machine.

    >>> found = load_graphs("triangles")
    >>> len(found.graphs), found.train_classes, found.test_classes
    (2000, (0, 2, 3, 5, 6, 7, 8), (1, 4, 9))
    """
    card = set_card(name)
    if card.file is None:
        return MADE[name]()
    path = find_file(Path(card.file).stem)
    if path is None:
        raise DatasetUnavailable(unavailable_message(name))
    return with_honest_name(from_clothing(path) if name == "amazon-clothing" else read_set(path, name))


def from_shop(per_class: int, name: str) -> GraphSet:
    """Neighbourhoods of the generated shop, of 20 of its kinds."""
    generator = seeded(SEED)
    return neighbourhoods(shop(generator), generator, per_class=per_class, walks=5, length=9, name=name)


def read_set(path, name: str) -> GraphSet:
    """A file with the nodes of all graphs and, in ``node_graph_id``, the graph of each, which rises from 0.

    :raises ValueError: for a file that is damaged, hostile, or holds no set of graphs.
    """
    graphs, y, train, test = read_graphs(path, SETS_OF_CLASSES)
    return GraphSet(name, graphs, y, train.tolist(), test.tolist())


def read_task(path) -> tuple[Task, Tensor, Tensor]:
    """A task in such a file: its support is the graphs that have a class, and its query those of class -1.

    :returns: the task; int64 [ways], what its classes are called in the file; int64 [Q], the numbers of the query's
        graphs there.
    :raises ValueError: as ``read_set``; and without graphs of two classes, or of class -1.
    """
    with explained(path, {"edges": "edge_index", "x": "x", "y": "y"}):
        return task_of(*read_graphs(path))


def task_of(graphs: GraphBatch, y: Tensor) -> tuple[Task, Tensor, Tensor]:
    """The task in graphs of which some have a class, with what ``read_task`` returns beside it."""
    if y.shape != (len(graphs),) or (y < -1).any():
        raise ValueError(f"y must have a class for each of {len(graphs)} graphs, or -1, got shape {list(y.shape)}")
    known, asked = (y >= 0).nonzero().squeeze(1), (y == -1).nonzero().squeeze(1)
    classes, own = y[known].unique(return_inverse=True)
    if len(classes) < 2 or not len(asked):
        raise ValueError("y must name graphs of at least two classes, and -1 for those that are to be named, got "
                         f"{len(classes)} classes and {len(asked)} graphs of -1")
    return Task(graphs.take(known), own, graphs.take(asked), y[asked], len(classes)), classes, asked


def read_graphs(path, more: tuple[str, ...] = ()) -> tuple:
    """The graphs of a file, int64 [G] their classes, and ``more`` arrays of whole numbers.

    :param more: by name.
    """
    with GraphFile(path, names := GRAPHS + more) as file:
        if missing := [array for array in names if array not in file]:
            raise ValueError(f"{file.label} lacks {', '.join(missing)}; got {file.names}")
        edges, y, graph, *rest = (file.integers(array) for array in names if array != "x")
        x, steps = file.matrix("x"), np.diff(graph, prepend=0)
    if graph.ndim != 1 or len(graph) != len(x) or not len(graph) or graph[0] or not np.isin(steps, (0, 1)).all():
        raise ValueError(f"node_graph_id must name the graph of each of {len(x)} nodes, rising from 0 by 0 or 1, "
                         + (f"got shape {list(graph.shape)}" if len(graph) != len(x) else "got others"))
    graphs = GraphBatch(*map(torch.from_numpy, (x, two_rows(edges), np.bincount(graph))))
    return graphs, torch.from_numpy(y), *rest


def from_clothing(path) -> GraphSet:
    """Neighbourhoods in the part of Amazon clothing whose goods have words and a kind: 100 of each of 16 kinds.

    The 9,034 words are folded into 256 columns, each word into one and with a sign, both drawn: inner products are
    kept on average, and nothing of the data is looked at. (All columns of all graphs would take two gigabytes.)
    """
    edges, x, y = read_npz(path)
    generator, known = seeded(SEED), np.flatnonzero(y >= 0)
    kinds, kind = np.unique(y[known], return_inverse=True)
    number = np.full(len(y), -1)
    number[known] = np.arange(len(known))
    edges = number[edges]
    edges = torch.from_numpy(edges[:, (edges >= 0).all(0)])
    data = pyg.data.Data(x=folded(sp.csr_matrix(x)[known], generator), edge_index=to_undirected(edges, len(known)),
                y=torch.from_numpy(kind), num_classes=len(kinds))
    return neighbourhoods(data, generator, classes=16, walks=8, name="amazon-clothing")


def folded(x: sp.csr_matrix, generator: torch.Generator) -> Tensor:
    """Each column of x [N, d] added to one of 256, or taken away, float [N, 256] (a count sketch: Charikar, Chen and
    Farach-Colton 2002)."""
    words = x.shape[1]
    place = torch.randint(COLUMNS, (words,), generator=generator).numpy()
    sign = torch.randint(2, (words,), generator=generator).numpy() * 2.0 - 1
    return torch.from_numpy((x @ sp.csr_matrix((sign, (np.arange(words), place)), (words, COLUMNS))).toarray()).float()


def with_honest_name(found: GraphSet) -> GraphSet:
    """Rename a set that is not the one its card describes, so that no result is filed under the wrong name."""
    sha256 = fingerprint_of(found)
    if sha256 == SETS[found.name].sha256:
        return found
    name = f"{found.name}-{sha256[:8]}"
    warnings.warn(f"the file for {found.name!r} holds other graphs than its card describes; they are called {name!r}",
                  stacklevel=3)
    return replace(found, name=name)


def fingerprint_of(found: GraphSet) -> str:
    """The canonical hash of a set of graphs: its nodes, edges, sizes and classes, and which are for what.

    :param found: a set of graphs.
    """
    graphs = check_is(found, "found", GraphSet).graphs
    said = [len(found.train_classes), *found.train_classes, *found.test_classes]
    return fingerprint(graphs.edge_index, graphs.x, torch.cat([graphs.sizes, found.y, torch.tensor(said)]))


def set_statistics(found: GraphSet) -> dict[str, float]:
    """What Table 5.2 of the dissertation prints about a set.

    :param found: a set of graphs.
    :returns: ``graphs``, ``average_nodes``, ``average_edges`` (undirected ones), ``features`` of a node,
        ``train_classes`` and ``test_classes``.
    """
    graphs = check_is(found, "found", GraphSet).graphs
    return {"graphs": len(graphs), "average_nodes": len(graphs.x) / len(graphs),
            "average_edges": graphs.edge_index.size(1) / 2 / len(graphs), "features": graphs.num_features,
            "train_classes": len(found.train_classes), "test_classes": len(found.test_classes)}
