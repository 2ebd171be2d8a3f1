"""What is wrong with a graph file, said all at once: ``privgraph check FILE``. ``from_npz`` refuses the same."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..checks import check_flag, check_range
from ..graph import edge_key
from .layouts import ANY, ENTRIES, Arrays, read_arrays
from .npz import MAX_CLASSES, MAX_NAMES, GraphFile, as_float32, check_classes, part_names
from .weights import agreed, offered

PARTS = part_names("x")
LEAST, TOO_FEW = 4, "the graph can be loaded, but a split, and so `run`"  # labelled nodes
OUTSIDE = "lie outside of the bounds that are stated"


def read_npz(path) -> tuple[np.ndarray, np.ndarray | sp.csr_matrix, np.ndarray]:
    """The raw arrays of a graph file: (edge_index [2, E] as int64, x [N, d] as float32, y as int64).

    Files of other projects are read too, where these arrays have names that are known (``layouts``).

    :raises ValueError: for a file that is damaged, hostile, too large, or holds no graph.
    """
    return whole(read_arrays(path), path)


def whole(found: Arrays, path) -> tuple[np.ndarray, np.ndarray | sp.csr_matrix, np.ndarray]:
    """The arrays that a graph to learn from needs.

    :raises ValueError: where one is missing, with the command that adds features or labels to what is there.
    """
    label = Path(path).name
    has = ", ".join(map(repr, [*found.unread, *found.masks])) or "no other array"
    table = "--nodes TABLE --label COLUMN "
    if found.x is None:
        raise ValueError(f"{label} holds no features: expected x, or {', '.join(PARTS)}; got {has}. `privgraph convert "
                         f"{label} {table if found.y is None else '--features ones '}--to NEW.npz` adds some")
    if found.y is None:
        raise ValueError(f"{label} lacks y, a class for each node; got {has}. `privgraph convert {label} "
                         f"{table}--to NEW.npz` takes them from a table")
    if found.y.dtype.kind == "U":
        raise ValueError(f"{label} must hold whole numbers as classes, got texts; `privgraph convert {label} --classes "
                         "A,B,... --to NEW.npz` numbers them")
    return found.edge_index, found.x, found.y


def read_unaccounted(path) -> tuple[str, ...]:
    """What the file says was computed from raw data (``unaccounted`` of a graph)."""
    with GraphFile(path, ["unaccounted"]) as file:
        return file.lines("unaccounted") if "unaccounted" in file else ()


def check_file(path, feature_range=None, weights: bool = False) -> tuple[list[str], list[str]]:
    """(problems, remarks) of a graph file: problems stop a run, remarks are worth knowing.

    :param feature_range: the public bounds that are stated for the features; without any, what the file states, and
        without that they must lie in [0, 1].
    :param weights: unpack weights of edges as well, and remark on those that cannot be used.
    """
    check_flag(weights, "weights")
    try:
        found, unaccounted = read_arrays(path), read_unaccounted(path)
        edges, x, y = whole(found, path)
    except (ValueError, OSError) as error:
        return [str(error)], []
    stated = {"feature_range": feature_range} if feature_range is not None else found.stated
    if problems := graph_problems(edges, x, y, stated.get("feature_range")) + stated_problems(found):
        return problems, []
    fault = weight_fault(path) if weights and found.weights else None
    return [], [*remarks(edges, x, y), *beyond(x, stated.get("feature_range")), *of_edges(found, fault), *beside(found),
                *(f"not accounted for, it says: {text}" for text in unaccounted)]


def weight_fault(path) -> str | None:
    """Why the weights of edges in a file, which is a graph without them, cannot be used; None where they can."""
    try:
        problems = weight_problems(read_arrays(path, ANY))
    except ValueError as error:
        return str(error)
    return problems[0] if problems else None


def weight_problems(found: Arrays) -> list[str]:
    """Why what a file says of its edges, once it was read, cannot be their weights."""
    if found.weights is None:
        return [f"it must have weights of edges, as edge_weight or as entries of a matrix, got "
                f"{', '.join(found.of_edges) or 'none'}"]
    try:
        agreed(found.edge_index, found.weight, found.x.shape[0])
    except ValueError as error:
        return [str(error)]
    return []


def of_edges(found: Arrays, fault: str | None = None) -> list[str]:
    """What is to be said of weights, and of what else a file says of its edges.

    :param fault: why the weights cannot be used.
    """
    notes, name = [], found.weights
    if name is not None:
        name = "the entries of the matrix" if name == ENTRIES else name
        notes.append(offered(name) if fault is None else f"weights of edges ({name}): cannot be used: {fault}")
    if others := [each for each in found.of_edges if each != found.weights]:
        notes.append(f"what else it says of edges ({', '.join(others)}): dropped on loading, as nothing here reads it")
    return notes


def beyond(x: np.ndarray | sp.csr_matrix, feature_range) -> list[str]:
    """How many values lie outside of the bounds that are stated for them."""
    if feature_range is None:
        return []
    low, high = as_float32(np.asarray(feature_range)).T
    values = x.toarray() if sp.issparse(x) else x
    outside = int(((values < low) | (values > high)).sum())
    return [f"{outside} feature values {OUTSIDE}: methods move them to the nearer bound"] if outside else []


def beside(found: Arrays) -> list[str]:
    """What is to be said of the other arrays of a file."""
    notes = []
    full = [name for name, mask in found.masks.items() if mask.any()]
    if full:
        notes.append(f"{', '.join(full)}: used by commands with --own-split; without it they draw their own")
    if empty := [name for name in found.masks if name not in full]:
        notes.append(f"{', '.join(empty)}: hold no node, so that --own-split cannot be used")
    if found.unread:
        notes.append(f"arrays that are not read: {', '.join(found.unread[:MAX_NAMES])}")
    stated = {name: found.stated[name] for name in ("num_classes", "feature_range", "domain_sizes")
              if name in found.stated}
    if "num_classes" in stated:
        names = found.stated.get("class_names", ())
        notes.append(f"the file says {stated['num_classes']} classes" + (f": {', '.join(names)}" if names else ""))
    if "domain_sizes" in stated:
        notes.append(f"the file says that its columns hold {'x'.join(map(str, stated['domain_sizes']))} categories")
    elif "feature_range" in stated:
        notes.append("the file says the bounds of its features")
    return notes


def stated_in(path) -> dict[str, object]:
    """What a file states of the kind of data; of one that cannot be read, nothing."""
    try:
        return read_arrays(path).stated
    except (ValueError, OSError):
        return {}


def worth_saying(path, feature_range=None) -> list[str]:
    """Those remarks on a file of which whoever runs a method on it should hear.

    :param feature_range: as for ``check_file``.
    """
    _, found = check_file(path, feature_range)
    return [line for line in found if "--own-split" in line or OUTSIDE in line or line.startswith((
        "weights of edges", "what else it says", "labels show fewer", "arrays that are", "the graph has no edges"))]


def stated_problems(found: Arrays) -> list[str]:
    """What a file states that its own arrays contradict."""
    stated, problems = found.stated, []
    if stated.get("num_classes", 2) < 2:
        problems.append(f"num_classes must be at least 2, got {stated['num_classes']}")
    if "num_classes" in stated and found.y.max(initial=-1) >= stated["num_classes"]:
        problems.append(f"labels must lie below {stated['num_classes']}, the classes that the file states, got "
                        f"{found.y.max()}")
    if "domain_sizes" in stated:
        x, sizes = sp.csc_matrix(found.x), stated["domain_sizes"]
        if len(sizes) != x.shape[1] or min(sizes, default=2) < 2:
            problems.append(f"domain_sizes must be a number of at least 2 for each of {x.shape[1]} columns, got "
                            f"{list(sizes)[:MAX_NAMES]}")
        elif (wrong := [column for column, size in enumerate(sizes) if not whole_below(x, column, size)]):
            problems.append(f"column {wrong[0]} must hold whole numbers in 0..{sizes[wrong[0]] - 1}, as the file says")
    sizes = {name: len(mask) for name, mask in found.masks.items() if len(mask) != found.x.shape[0]}
    return problems + [f"{name} must have one entry a node ({found.x.shape[0]}), got {size}"
                       for name, size in sizes.items()]


def whole_below(x: sp.csc_matrix, column: int, size: int) -> bool:
    values = x.data[x.indptr[column]:x.indptr[column + 1]]
    return bool(((values == np.floor(values)) & (values >= 0) & (values < size)).all())


def graph_problems(edges: np.ndarray, x: np.ndarray | sp.csr_matrix, y: np.ndarray,
                   feature_range=None) -> list[str]:
    """Why the arrays of a file, with the bounds stated for the features, are no graph to learn from."""
    if 0 in x.shape:
        return [f"a graph needs nodes and features, got {x.shape[0]} nodes and {x.shape[1]} features"]
    return edge_problems(edges, x.shape[0]) + label_problems(y, x.shape[0]) + feature_problems(x, feature_range)


def edge_problems(edges: np.ndarray, num_nodes: int) -> list[str]:
    if edges.ndim != 2 or edges.shape[0] != 2:
        return [f"edge_index must have shape [2, E], got {list(edges.shape)}"]
    if edges.size and (edges.min() < 0 or edges.max() >= num_nodes):
        return [f"edges must name nodes 0..{num_nodes - 1}, got {edges.min()}..{edges.max()}"]
    return []


def label_problems(y: np.ndarray, num_nodes: int) -> list[str]:
    if y.shape != (num_nodes,):
        return [f"y must have one entry a node ({num_nodes}), got shape {list(y.shape)}"]
    problems = [] if y.min() >= -1 else [f"labels must be -1 (not labelled) or 0, 1, ...; got {y.min()}"]
    if y.max() >= MAX_CLASSES:
        return [*problems, f"labels must be classes that are numbered 0, 1, 2, ..., at most {MAX_CLASSES} of them; "
                           f"got {y.max()}"]
    try:
        check_classes(int(y.max()) + 1, num_nodes)  # the least number that anybody could state
    except ValueError as error:
        problems.append(str(error))
    return problems


def feature_problems(x: np.ndarray | sp.csr_matrix, feature_range) -> list[str]:
    values = x.data if sp.issparse(x) else x
    if not np.isfinite(values).all():
        return [f"{int((~np.isfinite(values)).sum())} feature values are NaN or infinite"]
    if feature_range is not None:
        return range_problems(feature_range, x.shape[1])
    if x.min() < 0 or x.max() > 1:
        return [f"features lie in [{x.min():g}, {x.max():g}]: state bounds that you know without looking at the data, "
                "with --feature-range LOW HIGH, in Python with from_npz(path, feature_range=(low, high)); "
                "where columns differ, with --range-file FILE, in Python with one such pair for each"]
    return []


def range_problems(feature_range, columns: int) -> list[str]:
    try:
        check_range(feature_range, "bounds of features", columns)
    except ValueError as error:
        return [str(error)]
    return []


def remarks(edges: np.ndarray, x, y: np.ndarray) -> list[str]:
    """What loading repairs, and what a reader of results should know."""
    n = x.shape[0]
    loops = int((edges[0] == edges[1]).sum())
    key = np.unique(edge_key(edges, n))
    back = np.unique(edge_key(edges[::-1], n))
    notes = [f"{n} nodes, {len(key)} directed edges, {x.shape[1]} features, "
             f"{len(np.unique(y[y >= 0]))} classes that occur"]
    if len(np.unique(y[y >= 0])) < 2:
        notes.append("labels show fewer than two classes: there is nothing to learn")
    if edges.size == 0:
        notes.append("the graph has no edges: legal, nobody hears anybody")
    if loops:
        notes.append(f"{loops} self loops: dropped on loading")
    if edges.shape[1] > len(key):
        notes.append(f"{edges.shape[1] - len(key)} duplicate edges: dropped on loading")
    if one_way := len(np.setdiff1d(key, back)):
        notes.append(f"{one_way} edges have one direction only: the other is added on loading")
    if isolated := n - len(np.unique(edges[:, edges[0] != edges[1]])):
        notes.append(f"{isolated} isolated nodes: legal, their aggregate is 0")
    if unlabelled := int((y < 0).sum()):
        notes.append(f"{unlabelled} nodes without a label: never in a split")
    if (labelled := int((y >= 0).sum())) < LEAST:
        notes.append(f"{labelled} labelled nodes: {TOO_FEW}, needs {LEAST}")
    return notes
