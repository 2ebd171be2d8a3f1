"""Under which names and in which form .npz files hold a graph: ours, and those that are published elsewhere.

The parts of a CSR matrix ``adj`` are called ``adj_data``, ``adj_indices``, ``adj_indptr`` and ``adj_shape``; those of
the one matrix that ``scipy.sparse.save_npz`` writes have no name before them. What is not named here is never unpacked.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .npz import CSR_PARTS, GraphFile, check_graph_size, part_names

PAIRS = ("edge_index", "edges", "edge_list")
TRIPLES = ("row", "col", "shape")  # which save_npz of a matrix in COO form writes
MATRICES = ("adj", "adj_matrix", "adjacency", "A", "")
FEATURES = ("x", "attr", "attr_matrix", "node_attr", "node_features", "node_feat", "features", "feat", "feature", "X")
LABELS = ("y", "labels", "node_label", "node_labels", "label", "target")
MASKS = ("train_mask", "val_mask", "test_mask")
NUMBERS = {name: (f"{part}_idx", f"idx_{part}", f"{part}_index")  # of the nodes in a mask, as others write it
           for name, part in zip(MASKS, ("train", "val", "test"), strict=True)}
STATED = ("num_classes", "feature_range", "domain_sizes")
MAX_NAMED = 2**22  # bytes of the names of all columns
NAMES = ("class_names", "feature_names")
TEXTS = (*NAMES, "unaccounted")
SCIPY = ("format", *CSR_PARTS)
OF_EDGES = ("edge_weight", "edge_weights", "edge_attr", "edge_type", "edge_time", "edge_features")
ENTRIES = "entries"  # how the numbers in an adjacency matrix are called
WEIGHTS = (ENTRIES, "data", "edge_weight", "edge_weights")  # "data": the entries of a matrix in COO form
ANY = "any"  # in place of a name: weights under whichever of these names a file has them
OUT_OF_SCOPE = "book/your_own_graph.md, \"What is out of scope\", says more"


class OutOfScope(ValueError):
    """A file that holds something else than one graph of nodes with one class each."""

    def __init__(self, text: str):
        super().__init__(f"{text}; {OUT_OF_SCOPE}")


class Arrays(NamedTuple):
    """The arrays of a file, None where it has none.

    :param edge_index: int64 [2, E].
    :param x: float32 [N, d].
    :param y: int64 [N], -1 = not labelled; or texts [N].
    :param masks: bool [N] by name.
    :param of_edges: what it says of edges beside their ends, by name: numbers [E] of what was asked for, else None.
    :param unread: its other arrays.
    :param stated: ``num_classes``, ``feature_range`` and so on, where somebody stated them in the file.
    """

    edge_index: np.ndarray
    x: np.ndarray | sp.csr_matrix | None
    y: np.ndarray | None
    masks: dict[str, np.ndarray]
    of_edges: dict[str, np.ndarray | None]
    unread: tuple[str, ...]
    stated: dict[str, Any]

    @property
    def weights(self) -> str | None:
        """The name of what can be weights of its edges."""
        return next((name for name in WEIGHTS if name in self.of_edges), None)

    @property
    def weight(self) -> np.ndarray | None:
        """What was read under that name, [E]."""
        return None if self.weights is None else self.of_edges[self.weights]


def present(candidates: Iterable[str], names: Sequence[str]) -> str | None:
    """The first of some arrays that the file has, as it is or in parts. ("" is that of SciPy's one matrix.)"""
    return next((each for each in candidates if each and each in names or {*part_names(each)} <= {*names}), None)


def read_arrays(path, weight: str | None = None) -> Arrays:
    """What an .npz file holds of a graph.

    :param weight: what of that which it says of edges is read, ``ANY`` for what can be their weights; by default
        nothing is unpacked.
    :raises ValueError: for a file that is damaged, hostile or too large, or has no edges.
    """
    with GraphFile(path, ()) as file:
        names = [*file.parts_and_seeds]
    roles = {"edges": edges_of(names), "x": present(FEATURES, names), "y": present(LABELS, names)}
    said = said_of_edges(roles["edges"], names)
    asked = [name for name in (WEIGHTS if weight == ANY else (weight,)) if name in said][:1]
    wanted = [part for role in roles.values() if role is not None for part in parts_of(role, names)]
    stated = [name for name in STATED if name in names]
    masks = {name: held for name in MASKS if (held := present((name, *NUMBERS[name]), names))}
    called = {name: read_names(path, name) for name in NAMES if name in names}
    apart = [name for name in asked if name != ENTRIES]
    with explained(path, roles), GraphFile(path, [*wanted, *stated, *masks.values(), *apart], texts=LABELS) as file:
        if roles["edges"] is None:
            raise ValueError(f"{file.label} lacks edge_index; got {file.names}")
        check_announced(file, roles)
        pairs, entries = read_edges(file, roles["edges"])
        x, y = file.matrix(roles["x"]) if roles["x"] else None, read_classes(file, roles["y"])
        others = {*names} - {*wanted, *stated, *masks.values(), *said, *TEXTS, *SCIPY}
        size = y.size if y is not None else 0 if x is None else x.shape[0]
        return Arrays(pairs, x, y, {name: read_mask(file, held) if held == name else read_members(file, held, size)
                                    for name, held in masks.items()},
                      read_said(file, said, asked, pairs, entries), tuple(sorted(others)),
                      {name: read_stated(file, name) for name in stated} | called)


def edges_of(names: Sequence[str]) -> str | None:
    """The array of the edges, or the name of a matrix that has them."""
    found = present(PAIRS, names)
    if found is None:
        found = present(MATRICES, names)
    return "row" if found is None and {*TRIPLES} <= {*names} else found


def said_of_edges(role: str | None, names: Sequence[str]) -> list[str]:
    """What a file says of edges beside their ends, by name. Other arrays know nothing of the order in which the entries
    of a matrix come."""
    if role in MATRICES:
        return [ENTRIES]
    return [name for name in ("data", *OF_EDGES) if name in names and (name != "data" or role == "row")]


def read_said(file: GraphFile, said: Sequence[str], asked: Sequence[str], pairs: np.ndarray,
              entries: np.ndarray | None) -> dict[str, np.ndarray | None]:
    """What is said of edges, by name; of arrays those that are asked for, and entries where they differ or are."""
    found: dict[str, np.ndarray | None] = dict.fromkeys(said)
    if entries is not None:
        return {ENTRIES: entries} if asked or np.unique(entries).size > 1 else {}
    return found | {name: read_numbers(file, name, pairs.shape[-1] if pairs.ndim == 2 else 0) for name in asked}


def read_numbers(file: GraphFile, name: str, count: int) -> np.ndarray:
    """A number for each of ``count`` edges, [E] or [E, 1] in the file, as float64."""
    header = file.headers[name]
    if header.shape not in ((count,), (count, 1)) or header.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold a number for each of {count} edges, got shape {list(header.shape)} of "
                         f"{header.dtype}")
    return file.read(name).reshape(count).astype(np.float64)


def parts_of(role: str, names: Sequence[str]) -> Sequence[str]:
    if role == "row":
        return TRIPLES
    return [role] if role in names else part_names(role)


class explained:
    """Inside, a message about an array names the file, as an option may be called like the array; where the array turns
    out to hold pickled objects, it says how its owner gets them out."""

    def __init__(self, path, roles: dict[str, str | None]):
        self.path, self.roles = path, roles

    def __enter__(self) -> None:
        pass

    def __exit__(self, _, error, __) -> None:
        if isinstance(error, ValueError) and "dtype object" in str(error):
            raise ValueError(f"{error}: Python objects, which may run code when they are read, and never are here. "
                             f"If you know who made the file, write it anew once: {self.lines()}") from error
        if type(error) is ValueError and (label := Path(self.path).name) not in str(error):
            raise ValueError(f"{label}: {error}") from error

    def lines(self) -> str:
        """Three lines of Python that do so."""
        edges, x, y = (self.roles[role] for role in ("edges", "x", "y"))
        parts = [f"edge_index=sp.coo_matrix(f['{edges}'].item()).nonzero()" if edges in MATRICES and edges
                 else f"edge_index=f['{edges}'].tolist()"]
        parts += [f"x=sp.csr_matrix(f['{x}'].item()).toarray()"] if x else []
        parts += [f"y=f['{y}'].astype(int)"] if y else []
        return (f"import numpy as np, scipy.sparse as sp; f = np.load({str(self.path)!r}, allow_pickle=True); "
                f"np.savez('plain.npz', {', '.join(parts)})")


def check_announced(file: GraphFile, roles: dict[str, str | None]) -> None:
    """Refuse what would be too large as a graph by what the file announces, before any of it is unpacked."""
    edges, x = roles["edges"], roles["x"]
    entries = edges if edges and edges in file else part_names(edges)[1]
    count = int(np.prod(file.headers[entries].shape, dtype=float))
    if edges in PAIRS:
        count //= 2
    nodes, features = file.shape(x) if x else (0, 0)
    check_graph_size(nodes, features, edges=count)


def read_edges(file: GraphFile, name: str) -> tuple[np.ndarray, np.ndarray | None]:
    """The edges [2, E], and the entries [E] of a matrix that has them."""
    if name in PAIRS:
        return two_rows(file.integers(name)), None
    if name == "row":
        row, column = file.integers("row"), file.integers("col")
        if row.ndim != 1 or row.shape != column.shape:
            raise ValueError(f"row and col must hold as many numbers, got shapes {list(row.shape)} and "
                             f"{list(column.shape)}")
        return np.stack([row, column]), None
    matrix = sp.coo_matrix(file.matrix(name))
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name or 'the matrix'} must have a row and a column for each node, got shape "
                         f"{list(matrix.shape)}")
    there = matrix.data != 0
    return np.stack([matrix.row[there], matrix.col[there]]).astype(np.int64), matrix.data[there]


def two_rows(edges: np.ndarray) -> np.ndarray:
    """Pairs of node numbers as [2, E], also where they came as [E, 2] or as an empty list."""
    if edges.size == 0:
        return edges.reshape(2, 0)
    return edges.T if edges.ndim == 2 and edges.shape[0] != 2 and edges.shape[1] == 2 else edges


def is_ambiguous(edges: np.ndarray) -> bool:
    """Whether two pairs of numbers would be other edges with rows for columns."""
    return edges.shape == (2, 2) and {frozenset(pair) for pair in edges.tolist()} != {
        frozenset(pair) for pair in edges.T.tolist()}


def read_classes(file: GraphFile, name: str | None) -> np.ndarray | None:
    if name is None:
        return None
    if file.headers[name].dtype.kind == "U":
        return file.read(name)  # which only ``privgraph convert`` makes numbers of
    return as_classes(file.integers(name) if file.headers[name].dtype.kind in "iu" else file.read(name), name)


def as_classes(y: np.ndarray, name: str) -> np.ndarray:
    """Classes int64 [N]: NaN is -1, and a row with one 1 for each node is the place of that 1.

    :raises ValueError: for numbers that are no classes, and for several classes of one node.
    """
    if y.dtype.kind not in "iufb":
        raise ValueError(f"{name} must hold whole numbers, got dtype {y.dtype}")
    if y.ndim == 2 and y.shape[1] > 1:
        return one_hot(y, name)
    found = y
    if y.dtype.kind == "f":
        found = y.astype(np.float64)
        found[np.isnan(found)] = -1
    if found.dtype.kind == "f" and (found != np.trunc(found)).any():
        raise OutOfScope(f"{name} must hold whole numbers, a class for each node, got "
                         f"{found[found != np.trunc(found)].flat[0]:g}: numbers to be predicted are not read")
    if found.dtype.kind == "f" and found.size and np.abs(found).max() >= 2.0**53:
        raise ValueError(f"{name} must hold whole numbers below 2^53, got {np.abs(found).max():g}")
    return found.astype(np.int64)


def one_hot(y: np.ndarray, name: str) -> np.ndarray:
    if not np.isin(y, (0, 1)).all():
        raise OutOfScope(f"{name} must hold one class for each node, got {y.shape[1]} numbers each")
    each = y.sum(1)
    if (each > 1).any():
        raise OutOfScope(f"{name} must hold one class for each node, got several for {int((each > 1).sum())} nodes")
    return np.where(each == 1, y.argmax(1), -1).astype(np.int64)


def read_mask(file: GraphFile, name: str) -> np.ndarray:
    mask = file.read(name)
    if mask.ndim != 1 or mask.dtype.kind not in "biu" or not np.isin(mask, (0, 1)).all():
        raise ValueError(f"{name} must hold yes or no for each node, one split alone, got shape {list(mask.shape)} of "
                         f"{mask.dtype}")
    return mask.astype(bool)


def read_members(file: GraphFile, name: str, size: int) -> np.ndarray:
    """A mask of nodes that are listed by number."""
    listed = file.integers(name)
    if listed.ndim != 1 or len(listed) and not 0 <= listed.min() <= listed.max() < size:
        raise ValueError(f"{name} must list nodes by their numbers, from 0 to {size - 1}, got shape "
                         f"{list(listed.shape)}" + (f" from {listed.min()} to {listed.max()}" if listed.size else ""))
    mask = np.zeros(size, dtype=bool)
    mask[listed] = True
    return mask


def read_names(path, name: str) -> tuple[str, ...]:
    """What classes or columns are called: lines of text, as we write them; of other projects' arrays what can be
    printed, and where that is not all, nothing."""
    try:
        file = GraphFile(path, [name], texts=[name])
    except ValueError:  # objects, or long texts: they are for readers only
        return ()
    with file:
        header = file.headers[name]
        if header.dtype == np.uint8:
            return file.lines(name)
        if header.dtype.kind != "U" or header.nbytes > MAX_NAMED:
            return ()
        found = tuple(file.read(name).reshape(-1).tolist())
        return found if all(map(str.isprintable, found)) else ()


def read_stated(file: GraphFile, name: str) -> object:
    """What a file states of the kind of data; whether it can be so, ``make_data`` asks."""
    if name == "feature_range":
        bounds = file.read(name).astype(float)
        if bounds.ndim not in (1, 2):
            raise ValueError(f"feature_range must hold two numbers, or two a column, got shape {list(bounds.shape)}")
        return tuple(map(tuple, bounds.tolist())) if bounds.ndim == 2 else tuple(bounds.tolist())
    found = file.integers(name)
    if found.ndim != (name == "domain_sizes"):
        raise ValueError(f"{name} must be a whole number, or one a column, got shape {list(found.shape)}")
    return found.tolist() if found.ndim == 0 else tuple(found.tolist())
