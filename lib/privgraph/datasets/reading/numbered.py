"""Graphs whose nodes are numbers already: .npz and .npy arrays, and sparse matrices in Matrix Market's format."""

import io
import os
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

from ..check import read_unaccounted
from ..layouts import ENTRIES, read_arrays, two_rows
from ..npz import MAX_BYTES, check_graph_size, check_size, read_header
from .found import Found, Table, octets


def read_numbers(path, weight: str | None = None) -> Found:
    """The graph of an .npz file, of whatever layout; features and classes where it has them.

    :param weight: what of that which it says of edges is unpacked.
    """
    found, label = read_arrays(path, weight), Path(path).name
    notes = [f"arrays that are not read: {', '.join(found.unread[:12])}"] if found.unread else []
    y, nodes = found.y, None
    if y is not None and y.dtype.kind == "U":
        y, nodes = None, Table(label, {"class": y.ravel().tolist()})
    return Found(label, found.edge_index, nodes=nodes, x=found.x, y=y, masks=found.masks,
                 of_edges=found.of_edges, notes=notes, stated=found.stated, unaccounted=read_unaccounted(path))


def read_npy(path) -> Found:
    """An .npy file with pairs of node numbers, or with a square matrix."""
    label = Path(path).name
    with open(path, "rb") as file:
        shape, dtype, start = read_header(file, label)
        if dtype.kind not in "fiub" or dtype.itemsize > 8 or len(shape) != 2:
            raise ValueError(f"{label} must hold pairs of numbers or a square matrix, got shape {list(shape)} of "
                             f"{dtype}")
        if (size := int(np.prod(shape, dtype=float)) * dtype.itemsize) + start != os.path.getsize(path):
            raise ValueError(f"{label} announces {size} bytes and holds {os.path.getsize(path) - start}")
        check_size(size, label)
        file.seek(0)
        array = np.lib.format.read_array(file, allow_pickle=False)
    if shape[0] == shape[1] and shape[0] > 2:
        return of_matrix(label, sp.coo_matrix(array))
    pairs = two_rows(array)
    if pairs.dtype.kind == "f" and (pairs != np.trunc(pairs)).any():
        raise ValueError(f"{label} must hold whole numbers as pairs of nodes, got {pairs.flat[0]:g}")
    return Found(label, pairs.astype(np.int64))


def read_mtx(path) -> Found:
    """The graph of a matrix in Matrix Market's format: an entry is an edge."""
    data, label = octets(path), Path(path).name
    try:
        rows, columns, entries, form, field, _ = scipy.io.mminfo(io.BytesIO(data))
    except Exception as error:  # of a stranger's bytes anything may be missing
        raise ValueError(f"{label} is no matrix in Matrix Market's format: {error}") from error
    if rows != columns:
        raise ValueError(f"{label} must have a row and a column for each node, got {rows} rows and {columns} columns")
    if field == "complex" or entries > len(data) or rows > MAX_BYTES // 64:
        raise ValueError(f"{label} announces {rows} nodes and {entries} entries of type {field}, which cannot be")
    check_graph_size(rows, 1, entries)
    try:
        matrix = sp.coo_matrix(scipy.io.mmread(io.BytesIO(data)))
    except Exception as error:
        raise ValueError(f"{label} is no matrix in Matrix Market's format: {error}") from error
    return of_matrix(label, matrix)


def of_matrix(label: str, matrix: sp.coo_matrix) -> Found:
    """The edges of an adjacency matrix, an edge where an entry is not zero; entries of one place add."""
    matrix.sum_duplicates()
    there = matrix.data != 0
    pairs = np.stack([matrix.row[there], matrix.col[there]]).astype(np.int64)
    return Found(label, pairs, ids=[str(at) for at in range(matrix.shape[0])],
                 of_edges={ENTRIES: matrix.data[there]})
