"""Anyone's graph as the project's ``Data``: from an .npz file, PyG, networkx or an edge list.

The result always has x float32 [N, d], edge_index int64 [2, E] (both directions, sorted, no self
loops, no duplicates), y int64 [N] (-1 = not labelled), ``name``, ``num_classes`` and
``feature_range``, the public bounds of every feature. The last two are stated, never read off the data.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..checks import (
    check_count,
    check_data,
    check_features,
    check_flag,
    check_is,
    check_mask,
    check_name,
    check_path,
    check_range,
    check_tensor,
)
from ..graph import check_edge_index, check_task, to_undirected
from ..late import pyg, torch
from ..writing import write
from .check import graph_problems, of_edges, read_unaccounted, stated_problems, weight_problems, whole
from .layouts import ANY, MASKS, is_ambiguous, read_arrays, two_rows
from .npz import check_classes
from .weights import agreed, along, own_weight, weighed

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data


def make_data(edge_index: Tensor, x: Tensor, y: Tensor, name: str,
              feature_range: tuple | None = None, num_classes: int | None = None,
              unaccounted: tuple[str, ...] = ()) -> Data:
    """A checked ``Data``; every other constructor of this module ends here.

    :param num_classes: how many classes there can be, whether or not anybody here is in them. It leaves with every
        release, so it must be known without looking at the labels.
    :param feature_range: likewise a promise made without looking at the data (a word is absent or present: 0..1):
        (low, high) for all columns, or a sequence with one such pair for each. Mechanisms clamp to it. Without it the
        features must already lie in [0, 1].
    :param unaccounted: what was nevertheless computed from raw data, in words; every release repeats it.
    :param x: features float32 [N, d].
    :param y: classes int64 [N], -1 = not labelled.
    :raises ValueError: where ``num_classes`` is not given, and for features outside [0, 1] without a ``feature_range``.
    """
    check_name(name)
    if num_classes is None:
        raise ValueError("state how many classes there can be, with num_classes=7 for seven: a public number. "
                         "The largest label of the data would be a release of its own")
    check_features(x)
    if feature_range is None and x.numel() and (x.min() < 0 or x.max() > 1):
        raise ValueError(f"{int(((x < 0) | (x > 1)).sum())} feature values lie outside [0, 1]; "
                         "state their public bounds with feature_range=(low, high), or one such pair for each column. "
                         "Bounds read off the data would be a release of their own")
    data = pyg.data.Data(x=x, edge_index=check_tensor(edge_index, "edge_index"), y=y, name=name)
    data.num_classes = check_count(num_classes, "num_classes", low=2)
    data.feature_range = check_range((0, 1) if feature_range is None else feature_range, columns=x.size(1))
    if unaccounted:
        data.unaccounted = tuple(unaccounted)
    check_task(data)
    check_classes(num_classes, data.num_nodes)
    return data


def from_edge_list(edges, x, y, name: str = "my-graph", undirected: bool = True, edge_weight=None, **kwargs) -> Data:
    """A graph from pairs of node numbers.

    Two pairs can be read either way, as rows or as columns; they are read as [2, E], with a warning where that matters.

    :param edges: array-like [2, E] or [E, 2] of node numbers 0..N-1, which are whole: nothing is cut to one.
    :param x: array-like [N, d] of features.
    :param y: array-like [N] of classes, whole numbers, -1 = not labelled.
    :param undirected: add missing directions and drop duplicates and self loops; ``False`` refuses them.
    :param edge_weight: array-like [E], a weight for each pair, to be used as ``keep_weights`` says; both directions of
        an edge get the one that is said.
    :param kwargs: ``num_classes`` and ``feature_range``, as of ``make_data``.
    :raises ValueError: for what is no such array, and for an edge with two different weights.
    """
    edges = whole_array(edges, "edges")
    if is_ambiguous(edges):
        (a, b), (c, d) = edges.tolist()
        warnings.warn(f"edges [[{a}, {b}], [{c}, {d}]] can be read as [2, E], as {a}-{c} and {b}-{d}, or as [E, 2], "
                      f"as {a}-{b} and {c}-{d}; they are read as [2, E]. Say [[{a}, {c}], [{b}, {d}]] if pairs are "
                      "rows", stacklevel=2)
    return from_pairs(two_rows(edges), x, y, name, undirected, edge_weight, **kwargs)


def from_pairs(edges, x, y, name: str = "my-graph", undirected: bool = True, edge_weight=None,
               called: Sequence[str] | None = None, **kwargs) -> Data:
    """The same of edges that are known to be [2, E].

    :param called: how a message on weights calls the nodes; by default by their numbers.
    """
    x = torch.as_tensor(number_array(x, "x"), dtype=torch.float32)
    y, given = torch.as_tensor(whole_array(y, "y")), whole_array(edges, "edges")
    edges = torch.as_tensor(given)
    inside = edges.numel() and edges.dim() == 2 and 0 <= edges.min() and edges.max() < x.size(0)
    if check_flag(undirected, "undirected") and inside:
        edges = to_undirected(edges, x.size(0))
    check_edge_index(edges, x.size(0))
    data = make_data(edges, x, y, name, **kwargs)
    if edge_weight is None:
        return data
    pairs = agreed(given, one_each(edge_weight, given.shape[1]), len(x), called)
    return weighed(data, torch.from_numpy(along(edges.numpy(), *pairs, len(x))))


def one_each(values, count: int) -> np.ndarray:
    """A number for each of ``count`` edges, float64 [E]; also of an array [E, 1]."""
    array = number_array(values, "edge_weight")
    if array.shape not in ((count,), (count, 1)) or array.dtype.kind == "b":
        raise ValueError(f"edge_weight must hold a number for each of {count} edges, got shape {list(array.shape)} of "
                         f"{array.dtype}")
    return array.reshape(count).astype(np.float64)


def number_array(values, name: str) -> np.ndarray:
    """An array of real numbers from what can be read as one: nested lists, NumPy, torch, SciPy's sparse matrices."""
    try:
        values = values.detach().cpu() if isinstance(values, torch.Tensor) else values
        array = values.toarray() if sp.issparse(values) else np.asarray(values)
    except (TypeError, ValueError) as error:  # rows of several lengths, a type that NumPy does not know
        raise ValueError(f"{name} must be an array of numbers, got {type(values).__name__}: {error}") from error
    if array.dtype.kind not in "iufb":
        raise ValueError(f"{name} must be an array of numbers, got {type(values).__name__} of dtype {array.dtype}")
    return array


def whole_array(values, name: str) -> np.ndarray:
    """Whole numbers as int64, of any type that holds them; 0.5, NaN and booleans are not cut to one."""
    array = number_array(values, name)
    if array.dtype.kind == "f" or array.dtype == np.uint64:
        whole = (array == np.trunc(array)) & (np.abs(array) < 2.0**53)
        if not whole.all():
            raise ValueError(f"{name} must hold whole numbers, got {array[~whole].flat[0]}")
    elif array.dtype.kind == "b":
        raise ValueError(f"{name} must hold whole numbers, got booleans")
    return array.astype(np.int64, copy=False)


def from_npz(path, name: str | None = None, unaccounted: tuple[str, ...] = (), weights: bool = False,
             **kwargs) -> Data:
    """A graph from a ``.npz`` file with ``edge_index`` [2, E], ``y`` [N] and features.

    Features are a dense array ``x`` [N, d] or the parts ``x_data``, ``x_indices``, ``x_indptr``,
    ``x_shape`` of a CSR matrix; files of other projects may call them otherwise (``layouts``). Whatever the file is, it
    runs no code and takes no more memory than it may (``npz.MAX_BYTES``); what ``privgraph check`` calls a problem is
    refused. What the file says of ``unaccounted`` is kept, and so are masks, and categories that it states. It warns of
    weights of edges that are not used.

    :param weights: use the file's weights of edges, as ``keep_weights`` says: ``edge_weight`` [E], or the entries of
        the matrix that has the edges. Both directions of an edge get the weight that is said.
    :param kwargs: ``num_classes`` and ``feature_range``, as of ``make_data``; without, what the file states.
    :raises ValueError: for a file that ``privgraph check`` finds a problem in; with ``weights``, for one without any,
        and for an edge with two different ones.
    """
    found = read_arrays(path, ANY if check_flag(weights, "weights") else None)
    said, label = read_unaccounted(path), Path(path).name
    edge_index, x, y = whole(found, path)
    kwargs = {key: found.stated[key] for key in ("num_classes", "feature_range") if key in found.stated} | kwargs
    problems = graph_problems(edge_index, x, y, kwargs.get("feature_range")) + stated_problems(found)
    if problems := problems or (weight_problems(found) if weights else []):
        raise ValueError(f"{label} cannot be used: {'; '.join(problems)}")
    if isinstance(count := kwargs.get("num_classes"), int) and 2 <= count <= y.max(initial=-1):
        raise ValueError(f"num_classes must be above all classes in {label}, which go up to {y.max()}, got {count}")
    if not weights and (notes := of_edges(found)):
        how = "; in Python from_npz(path, weights=True) uses them" if found.weights else ""
        warnings.warn(f"{label}: {'; '.join(notes)}{how}", stacklevel=2)
    x = torch.from_numpy(x.toarray() if sp.issparse(x) else x)
    name = name_of_file(path) if name is None else name
    data = from_pairs(edge_index, x, y, name, unaccounted=each_once(said, unaccounted),
                      edge_weight=found.weight if weights else None, **kwargs)
    for key, mask in found.masks.items():
        data[key] = torch.from_numpy(mask)
    return with_domains(data, found.stated.get("domain_sizes"))


def name_of_file(path) -> str:
    """The name of a graph, after its file."""
    return re.sub("[^A-Za-z0-9._-]+", "-", Path(path).stem).lstrip("._-")[:100] or "my-graph"


def with_domains(data: Data, sizes: tuple[int, ...] | None) -> Data:
    """The same graph, its features declared as categories where somebody states how many values they have."""
    from .categories import Categories
    return data if sizes is None else Categories(sizes)(data)


def save_npz(data: Data, path, class_names: tuple[str, ...] = (), feature_names: tuple[str, ...] = ()) -> None:
    """Write a graph so that ``from_npz`` reads it back, with masks, ``unaccounted`` and all that is stated of it, and
    with weights of edges that are used (``keep_weights``).

    :param class_names: how the classes are called, in order; for whoever reads the file.
    :param feature_names: how the columns are called.
    """
    check_data(data, "x", "edge_index", "y"), check_path(path)
    x = sp.csr_matrix(data.x.numpy())
    stated = {key: np.asarray(data[key]) for key in ("num_classes", "feature_range", "domain_sizes") if key in data}
    kept = {key: data[key].numpy() for key in (*MASKS, *own_weight(data)) if key in data}
    said = {"unaccounted": getattr(data, "unaccounted", ()), "class_names": class_names, "feature_names": feature_names}
    np.savez_compressed(content := io.BytesIO(), edge_index=data.edge_index.numpy().astype(np.int32), y=data.y.numpy(),
                        x_data=x.data, x_indices=x.indices, x_indptr=x.indptr, x_shape=np.array(x.shape),
                        **stated, **kept, **{key: as_bytes(texts) for key, texts in said.items() if texts})
    write(path, content.getvalue())


def as_bytes(texts: tuple[str, ...]) -> np.ndarray:
    """Lines of text as an array of plain numbers, which is read without unpickling."""
    return np.frombuffer("\n".join(" ".join(text.split()) for text in texts).encode(), dtype=np.uint8)


def from_pyg(data: Data, name: str = "my-graph", unaccounted: tuple[str, ...] = (), weights: bool = False,
             **kwargs) -> Data:
    """A graph from a PyG ``Data`` with x, edge_index and y. Its masks are kept, and what it says of ``unaccounted``.

    :param weights: use its ``edge_weight`` [E], as ``keep_weights`` says.
    :param kwargs: ``num_classes`` and ``feature_range``, as of ``make_data``.
    :raises ValueError: for features of edges, which no method here reads, and for weights that are not to be used.
    """
    check_data(data, "x", "edge_index", "y", *(["edge_weight"] if check_flag(weights, "weights") else []))
    of_edges = ("edge_attr", "edge_type") if weights else ("edge_weight", "edge_attr", "edge_type")
    if unread := [key for key in of_edges if getattr(data, key, None) is not None]:
        use = "weights=True uses it, and " if unread[0] == "edge_weight" else ""
        raise ValueError(f"data must have no {', '.join(unread)}, as nothing here reads it, got {', '.join(unread)}; "
                         f"{use}`del data.{unread[0]}` goes on if the edges mean what they say without")
    unaccounted = each_once(getattr(data, "unaccounted", ()), unaccounted)
    graph = from_pairs(data.edge_index, data.x, check_tensor(data.y, "y").view(-1), name, unaccounted=unaccounted,
                       edge_weight=data.edge_weight if weights else None, **kwargs)
    for key in (key for key in MASKS if getattr(data, key, None) is not None):
        graph[key] = check_mask(data[key], key, graph.num_nodes)
    return graph


def each_once(*texts: tuple[str, ...]) -> tuple[str, ...]:
    """All texts in order, without repetitions."""
    return tuple(dict.fromkeys(text for part in texts for text in part))


def from_networkx(graph, x, y, name: str = "my-graph", weight: str | None = None, **kwargs) -> Data:
    """A graph from networkx; rows of x and entries of y follow ``list(graph.nodes)``.

    :param graph: a ``networkx.Graph``; of a ``MultiGraph``, edges between the same two people count once.
    :param weight: the attribute of edges that is their weight, to be used as ``keep_weights`` says, such as "weight";
        by default none is read.
    :param x: array-like [N, d] of features.
    :param y: array-like [N] of classes, whole numbers, -1 = not labelled.
    :param kwargs: ``num_classes`` and ``feature_range``, as of ``make_data``.
    :raises TypeError: for a graph of another library.
    :raises ValueError: for an edge without that attribute.
    """
    import networkx as nx
    if not isinstance(graph, nx.Graph):
        raise TypeError(f"graph must be a networkx.Graph, got {type(graph).__name__}")
    kwargs["unaccounted"] = each_once(graph.graph.get("unaccounted", ()), kwargs.get("unaccounted", ()))
    number = {node: i for i, node in enumerate(graph.nodes)}
    edges = [(number[u], number[v]) for u, v in graph.edges()]  # without the keys of a MultiGraph
    said = None if weight is None else [value for *_, value in graph.edges(data=check_is(weight, "weight", str))]
    if said is not None and (missing := sum(value is None for value in said)):
        raise ValueError(f"weight must name an attribute of all edges, got {weight!r}, which {missing} do not have")
    return from_pairs(np.array(edges, dtype=np.int64).reshape(-1, 2).T, x, y, name, edge_weight=said, **kwargs)
