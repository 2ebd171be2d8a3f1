"""Small real graphs that come with the packages we use anyway: karate, patients, digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .cards import card
from .convert import from_edge_list, from_networkx

if TYPE_CHECKING:
    from torch_geometric.data import Data


def karate() -> Data:
    """Zachary's karate club: 34 people, 78 friendships, 2 factions; a node's feature is its own number."""
    import networkx as nx
    graph = nx.karate_club_graph()
    y = [int(club == "Officer") for _, club in graph.nodes(data="club")]
    return from_networkx(graph, np.eye(len(y)), y, "karate", **card("karate").stated)


def patients(neighbours: int = 5) -> Data:
    """Breast-cancer records (569 x 30) joined to their nearest neighbours.

    Features are scaled to [0, 1] with the smallest and largest value *in the data*: a step that would
    have to be accounted for if these were private, and is named on the card.
    """
    from sklearn.datasets import load_breast_cancer
    table = load_breast_cancer()
    low, high = table.data.min(0), table.data.max(0)
    x = (table.data - low) / (high - low)
    return from_edge_list(nearest(x, neighbours), x, table.target, "patients", **card("patients").stated)


def digits(neighbours: int = 5) -> Data:
    """Handwritten digits (1,797 x 64 pixels of 0..16, divided by 16) joined to their nearest neighbours."""
    from sklearn.datasets import load_digits
    table = load_digits()
    return from_edge_list(nearest(table.data, neighbours), table.data / 16, table.target, "digits",
                          **card("digits").stated)


def nearest(x: np.ndarray, neighbours: int) -> np.ndarray:
    """Each row with its nearest rows (Euclidean; the smaller number wins a tie), int64 [2, N * neighbours]."""
    squares = (x**2).sum(1)
    distance = squares[:, None] + squares[None, :] - 2 * x @ x.T
    np.fill_diagonal(distance, np.inf)
    closest = distance.argsort(axis=1, kind="stable")[:, :neighbours]
    return np.stack([np.repeat(np.arange(len(x)), neighbours), closest.ravel()])
