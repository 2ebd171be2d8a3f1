"""By what a graph is known again: bit for bit, or by everything but the last digits of its features."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from .cards import Card
from .convert import whole_array

if TYPE_CHECKING:
    from torch_geometric.data import Data

FREQUENCIES = np.arange(6) * (np.sqrt(5) - 1) / 2  # 0 first, which adds up; the others tell places apart
CLOSE = 2e-5  # of the length of all values: what writing them with six digits moves a sum by


def fingerprint(edge_index, x, y) -> str:
    """The canonical hash of a graph: sorted edges, features as float32 without zeros, labels.

    Storage details (dtype, dense or sparse, order of the edges) do not change it.

    :param edge_index: array-like [2, E] of whole numbers.
    :param x: array-like [N, d] or a SciPy sparse matrix.
    :param y: array-like [N] of classes.
    """
    edges = whole_array(edge_index, "edge_index")
    edges = edges[:, np.lexsort((edges[1], edges[0]))]
    features = sp.csr_matrix(x, dtype=np.float32)
    features.sum_duplicates()
    features.eliminate_zeros()
    digest = hashlib.sha256(repr((features.shape, edges.shape[1])).encode())
    for part in (edges, features.indptr.astype(np.int64), features.indices.astype(np.int64), features.data,
                 np.asarray(y, dtype=np.int64)):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def described(card: Card, data: Data) -> bool:
    """Whether a graph is the one of a card. Where the card has ``sums``, features may differ in the last digits."""
    if card.sha256 == fingerprint(data.edge_index, data.x, data.y):
        return True
    if card.sums is None or structure(data) != card.structure:
        return False
    away = np.abs(np.subtract(sums(data), card.sums)).max()
    return bool(away <= CLOSE * np.linalg.norm(data.x.numpy()))


def structure(data: Data) -> str:
    """The fingerprint with 1 in the place of every feature that is not 0."""
    return fingerprint(data.edge_index, sp.csr_matrix(data.x.numpy() != 0), data.y)


def sums(data: Data) -> tuple[float, ...]:
    """Of all features that are not 0, in order, with waves of six frequencies as weights; the first is their sum."""
    values = data.x.numpy()[data.x.numpy() != 0].astype(np.float64)
    return tuple(float(np.cos(np.arange(len(values)) * each) @ values) for each in FREQUENCIES)
