"""Features of a graph that has none: what each kind gives away."""

from __future__ import annotations

import numpy as np

from ..check import beyond
from ..npz import check_graph_size
from .feature_columns import Features
from .found import Stated

COLUMNS = 16  # of random features
SEED = 1  # public
KINDS = {
    "degree": "each person's number of neighbours: counted in the edges, which no epsilon accounts for",
    "identity": "a column for each person, 1 in her own row: tells nothing of anybody, and nothing that helps with "
                "people who have no label",
    "ones": "the same 1 for all: gives nothing away and teaches nothing, so that only edges and labels speak",
    "random": f"{COLUMNS} numbers for each person from a public seed: gives nothing away, and tells people apart"}


def made(kind: str, edges: np.ndarray, nodes: int, stated: Stated) -> Features:
    """Features of one of ``KINDS``, with what is to be said of them.

    :param edges: int64 [2, E].
    """
    check_graph_size(nodes, nodes if kind == "identity" else COLUMNS, edges.shape[1])
    notes = [f"features: {KINDS[kind]}"]
    if kind == "degree":
        return of_degrees(edges, nodes, stated, notes)
    if kind == "identity":
        x, names = np.eye(nodes, dtype=np.float32), [f"person {at}" for at in range(nodes)]
    elif kind == "ones":
        x, names = np.ones((nodes, 1), dtype=np.float32), ["one"]
    else:
        x = np.random.default_rng(SEED).random((nodes, COLUMNS), dtype=np.float32)
        names = [f"random {at}" for at in range(COLUMNS)]
    return Features(x, names, [(0.0, 1.0)] * len(names), notes=notes)


def of_degrees(edges: np.ndarray, nodes: int, stated: Stated, notes: list[str]) -> Features:
    pairs = np.unique(np.sort(edges[:, edges[0] != edges[1]], axis=0), axis=1)
    degree = np.bincount(pairs.ravel(), minlength=nodes)
    read_off = ["degrees as features, counted in the edges"]
    if "degree" not in stated.ranges:
        read_off.append("the bounds of degree")
    bounds = stated.ranges.get("degree", (0.0, float(max(1, degree.max(initial=1)))))
    x = degree[:, None].astype(np.float32)
    return Features(x, ["degree"], [bounds], notes=[*notes, *beyond(x, bounds)], read_off=read_off)
