"""The files from which PyG makes its named graphs, fetched when the user asks; nothing in them is run.

PyG unpickles them as they come. Here Planetoid's pickles are only gone through (``inert``), and .npz files are read
like anybody's (``npz``). What comes out is still a stranger's graph, until ``sources.download`` knows its fingerprint.
"""

import http.client
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import scipy.sparse as sp

from . import inert
from .npz import CSR_PARTS, GraphFile, check_graph_size

MAX_FILE = 64 * 2**20  # bytes; the largest, of Amazon Computers and PubMed, have some eight million
Arrays = tuple[np.ndarray, sp.csr_matrix, np.ndarray]


def fetch(address: str) -> bytes:
    """The file at ``address``. The only function of the library that opens the network."""
    try:
        with urlopen(address, timeout=60) as answer:
            data = answer.read(MAX_FILE + 1)
    except (OSError, http.client.HTTPException) as error:
        raise OSError(f"{address} could not be fetched: {error}") from error
    if len(data) > MAX_FILE:
        raise ValueError(f"{address} is larger than {MAX_FILE / 2**20:g} MiB, and so is not what was asked for")
    return data


def read(files: Mapping[str, bytes]) -> Arrays:
    """(edge_index, x, y) from files by name: one ``.npz``, or Planetoid's ``ind.<graph>.<part>``.

    :raises ValueError: for anything else, whatever it would raise or do if it were unpickled.
    """
    try:
        if len(files) == 1:
            return citation(*files.values())
        return planetoid({name.split(".", 2)[2]: data for name, data in files.items()})
    except Exception as error:  # of a stranger's bytes anything may be missing
        raise ValueError(f"{', '.join(files)}: no files of a graph ({error})") from error


def planetoid(parts: Mapping[str, bytes]) -> Arrays:
    """Row i of ``tx`` and ``ty`` is the node that line i of ``test.index`` names; a node without a row is empty."""
    allx, tx = (inert.matrix(inert.read(parts[name]), name) for name in ("allx", "tx"))
    ally, ty = (inert.array(inert.read(parts[name])) for name in ("ally", "ty"))
    neighbours = inert.lists(inert.read(parts["graph"]))
    test = np.array([int(line) for line in parts["test.index"].split()])
    first, nodes = allx.shape[0], int(test.max()) + 1
    if test.min() < first or len(np.unique(test)) != len(test) or tx.shape != (len(test), allx.shape[1]):
        raise ValueError(f"test.index must name {tx.shape[0]} nodes, each once, none of them below {first}")
    edges = np.array([(source, target) for source, targets in neighbours.items() for target in targets],
                     dtype=np.int64).T
    check_graph_size(nodes, allx.shape[1], edges.shape[1])
    node = np.concatenate([np.arange(first), test])
    rows = sp.vstack([allx, tx]).tocoo()
    y = np.zeros(nodes, dtype=np.int64)
    y[node] = np.concatenate([ally, ty]).argmax(axis=1)
    return edges, sp.csr_matrix((rows.data, (node[rows.row], rows.col)), shape=(nodes, allx.shape[1])), y


def citation(data: bytes) -> Arrays:
    """Two CSR matrices, ``attr`` and ``adj``, and ``labels``; every positive feature counts as 1, as in PyG."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        path.write_bytes(data)
        with GraphFile(path, ["labels", *(f"{name}_{part}" for name in ("attr", "adj") for part in CSR_PARTS)]) as file:
            x, adjacency, y = file.matrix("attr"), file.matrix("adj").tocoo(), file.integers("labels")
    check_graph_size(*x.shape, edges=adjacency.nnz)
    x.data[x.data > 0] = 1
    return np.stack([adjacency.row, adjacency.col]), x, y
