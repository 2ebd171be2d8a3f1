"""Which reader a file needs, by its name; and what to do with a file that none of them reads."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ..layouts import ENTRIES, OutOfScope
from . import node_link
from .delimited import read_table, square
from .found import Found, Stated, Table, count, some

TABLES = (".csv", ".tsv", ".tab", ".txt", ".edges", ".edgelist", ".cites", ".content", ".dat", ".clu", ".vec", "")
WHOLE = (".npz", ".npy", ".mtx", ".pt", ".pth", ".graphml", ".gexf", ".xml", ".gml", ".net", ".paj", ".adjlist")
COLUMNAR = (".parquet", ".feather", ".arrow")
SOURCES = ("source", "src", "from", "u", "node1", "id1", "id_1", "source_id", "from_id", "a", "von", "quelle", "head")
TARGETS = ("target", "dst", "to", "v", "node2", "id2", "id_2", "target_id", "to_id", "b", "nach", "ziel", "tail")
REFUSED = {
    **dict.fromkeys((".pkl", ".pickle", ".gpickle", ".p", ".joblib"), (
        "is pickled, and may run code when it is read. If you know who made it, write it anew once: import pickle, "
        "networkx; graph = pickle.load(open('FILE', 'rb')); networkx.write_graphml(graph, 'graph.graphml')")),
    **dict.fromkeys((".xls", ".ods", ".numbers"), "is a workbook of an old or another kind: save the sheet as CSV"),
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), (
        "is a data base. In a shell: sqlite3 -header -csv FILE 'select * from TABLE' > table.csv")),
    **dict.fromkeys((".dot", ".gv"), (
        "is of Graphviz. In Python: networkx.write_graphml(networkx.nx_pydot.read_dot('FILE'), 'graph.graphml')")),
    **dict.fromkeys((".mat", ".h5", ".hdf5"), (
        "is of MATLAB or HDF5. In Python: from scipy import io, sparse; held = io.loadmat('FILE'); "
        "sparse.save_npz('graph.npz', held['network'].tocsr())")),
    **dict.fromkeys((".rds", ".rdata", ".rda"), "is of R. In R: write.csv(table, 'table.csv', row.names = FALSE)"),
    **dict.fromkeys((".bin", ".dgl"), (
        "may be of DGL. In Python: graphs, _ = dgl.load_graphs('FILE'); datasets.from_dgl(graphs[0], num_classes=7)"))}
HETEROGENEOUS = (".ttl", ".nt", ".nq", ".rdf", ".owl")


def open_graph(path, stated: Stated) -> Found:
    """What a file, or a folder of the Open Graph Benchmark, holds of a graph.

    :raises ValueError: for a file that cannot be read, with what can be done about it.
    """
    kind = "" if Path(path).is_dir() else kind_of(path)
    if (stated.source or stated.target) and (kind in WHOLE or Path(path).is_dir()):
        raise ValueError(f"--source and --target must be left out, as {Path(path).name} is no table of edges")
    if Path(path).is_dir():
        return open_folder(Path(path))
    if kind in (".npz", ".npy", ".mtx"):
        from . import numbered
        return numbered.read_numbers(path, stated.weight) if kind == ".npz" else {
            ".npy": numbered.read_npy, ".mtx": numbered.read_mtx}[kind](path)
    if kind in (".pt", ".pth"):
        from .saved_pyg import read_saved
        return read_saved(path, stated.weight)
    if kind in (".graphml", ".gexf", ".xml"):
        from .markup import read_markup
        return read_markup(path)
    if kind == ".json" and not isinstance(held := node_link.read_any(path), list):
        return node_link.read_json(path, held)
    if kind in (".gml", ".net", ".paj", ".adjlist"):
        from . import plain_graphs
        return {".gml": plain_graphs.read_gml, ".adjlist": plain_graphs.read_neighbours}.get(
            kind, plain_graphs.read_pajek)(path)
    return edges_of(open_table(path, stated.header), stated)


def kind_of(path) -> str:
    """The end of a file's name in small letters, without .gz.

    >>> kind_of("a/Edges.CSV.gz")
    '.csv'
    """
    name = Path(path).name.lower().removesuffix(".gz")
    kind = Path(name).suffix
    if kind in REFUSED:
        raise ValueError(f"{Path(path).name} {REFUSED[kind].replace('FILE', Path(path).name)}")
    if kind in HETEROGENEOUS:
        raise OutOfScope(f"{Path(path).name} holds statements of many kinds: heterogeneous graphs are not read")
    return kind


def open_table(path, header: bool | None) -> Table:
    """A table, of text or of columns."""
    kind = kind_of(path)
    if kind in COLUMNAR:
        from .columnar import read_columns
        return read_columns(path)
    if kind in (".json", ".jsonl", ".ndjson"):
        return node_link.read_records(path)
    if kind == ".xlsx":
        from .workbook import read_workbook
        return read_workbook(path, header)
    if kind not in TABLES:
        raise ValueError(f"{Path(path).name} ends on {kind}, which nothing here reads; a table of text may end on "
                         ".csv, .tsv or .txt, and `privgraph convert --help` lists the others")
    return read_table(path, header)


def edges_of(table: Table, stated: Stated) -> Found:
    """A table of edges: a row for each; or a matrix with a row and a column for each node."""
    if stated.source is None and (found := square(table)):
        ids, cells = found
        ends = [ids[row] for row, _, _ in cells], [ids[column] for _, column, _ in cells]
        return Found(table.label, ends, ids, of_edges={ENTRIES: [cell for *_, cell in cells]},
                     notes=[*table.notes, "read as a matrix with a row and a column for each node"])
    names = [*table.columns]
    if len(names) < 2:
        raise ValueError(f"{table.label} must have a column for each end of an edge, got "
                         f"{count(len(names), 'column')}, {some(names)}")
    source, target = end_columns(table, stated)
    of_edges = {name: table.columns[name] for name in names if name not in (source, target)}
    notes = [*table.notes, f"{count(len(table), 'edge')}, from column {source} to column {target}"]
    return Found(table.label, (table.columns[source], table.columns[target]), of_edges=of_edges, notes=notes)


def end_columns(table: Table, stated: Stated) -> tuple[str, str]:
    """The columns that hold the ends: those that are said, those that are called so, or the first two."""
    said, names = [stated.source, stated.target], [*table.columns]
    for option, name in zip(("--source", "--target"), said, strict=True):
        if name is not None and name not in names:
            raise ValueError(f"{option} must name a column of {table.label}, got {name!r}; there are {some(names, 12)}")
    source, target = [*called_ends(names), names[:2]][0]
    source, target = said[0] or source, said[1] or target
    if source == target:
        raise ValueError(f"{table.label} must have a column for each end of an edge, got {source} for both; say "
                         "--source and --target")
    return source, target


def called_ends(names: Collection[str]) -> list[tuple[str, str]]:
    """The columns that are called as the two ends of edges are.

    >>> called_ends(["To", "From", "weight"]), called_ends(["id", "age"])
    ([('From', 'To')], [])
    """
    small = {name.strip().lower(): name for name in reversed([*names])}
    return [(small[one], small[other]) for one, other in zip(SOURCES, TARGETS, strict=True)
            if one in small and other in small]


def exchanged(path, nodes: Table, stated: Stated) -> bool:
    """Whether a table of edges and one of nodes look as if each stood in the other's place.

    :param path: of what should be the edges.
    """
    try:
        columns = open_table(path, stated.header).columns
    except (ValueError, OSError):  # it is no table
        return False
    return not called_ends(columns) and bool(called_ends(nodes.columns) or
                                             stated.label in columns.keys() - nodes.columns.keys())


def open_folder(folder: Path) -> Found:
    """Files of the Open Graph Benchmark: edge, node-feat and node-label, a row for each edge and each node."""
    place = folder / "raw" if (folder / "raw").is_dir() else folder
    if any(place.glob("*graph_indicator*")):
        raise OutOfScope(f"{folder.name} holds a set of graphs: classes of graphs are not read")
    paths = {name: next(iter(sorted(place.glob(f"{name}.csv*"))), None) for name in ("edge", "node-feat", "node-label")}
    if paths["edge"] is None:
        raise ValueError(f"{folder.name} is a folder without edge.csv or edge.csv.gz, as the Open Graph Benchmark has "
                         "them; name a file in it")
    edges, features, labels = (path and read_table(path, False) for path in paths.values())
    found = edges_of(edges, Stated())
    columns = {f"x{name}": texts for name, texts in (features.columns if features else {}).items()}
    if labels:
        several = len(labels.columns) > 1
        columns |= {f"task {name}" if several else "label": texts for name, texts in labels.columns.items()}
    length = len(next(iter(columns.values()), []))
    if any(len(texts) != length for texts in columns.values()):
        raise ValueError(f"{folder.name}: node-feat and node-label must have a row for each node, got other numbers")
    found.label, found.nodes = folder.name, Table(folder.name, columns)
    found.ids = [str(at) for at in range(length)] if columns else None
    return found
