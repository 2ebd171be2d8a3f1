"""Graphs in the files that people have, through ``privgraph convert``, and those of other libraries."""

import csv
import gzip
import os
import re
import sys
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data, HeteroData

import own_graphs
from own_graphs import CLUB, KINDS, PAIRS, N
from privgraph import datasets
from privgraph.cli import main
from privgraph.datasets.reading import cells, found
from privgraph.randomness import seeded

READ_OFF = {"dates_booleans_empty_cells", "matrix_market_with_a_table"}  # what nobody stated; degrees


def converted(folder: Path, words: list[str], capsys) -> tuple[Data, str]:
    assert main(["convert", *words, "--replace", "--to", str(folder / "made.npz")]) == 0, capsys.readouterr().err
    return datasets.from_npz(folder / "made.npz"), capsys.readouterr().out


def places(folder: Path) -> list[int]:
    """Which person of ``own_graphs`` each node is, by the digits of its id."""
    with open(folder / "made.nodes.csv", newline="") as file:
        numbers = [int(float(re.search(r"\d[\d.E+]*", row["id"])[0])) for row in csv.DictReader(file)]
    least, step = min(numbers), max(1, min(np.diff(sorted(numbers))))
    return [(number - least) // step for number in numbers]


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_file_becomes_the_same_graph(name, tmp_path, capsys):
    data, out = converted(tmp_path, KINDS[name](tmp_path), capsys)
    place = places(tmp_path)
    assert data.num_nodes == N and sorted(place) == list(range(N))
    found = {tuple(sorted((place[a], place[b]))) for a, b in data.edge_index.t().tolist()}
    assert found == {*PAIRS}
    labels = {place[node]: label for node, label in enumerate(data.y.tolist())}
    wrong = [at for at in range(N) if labels[at] != CLUB[at]]
    assert wrong == ([5] if name.startswith("strangers") else [])
    assert ("unaccounted" in data) == ("read off" in out) == (name in READ_OFF)
    assert main(["check", str(tmp_path / "made.npz")]) == 0
    assert f"privgraph run lpgnn --graph {tmp_path}/made.npz\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["plain_csv", "graphml", "pajek_with_classes"])
def test_what_was_converted_runs_without_a_further_word(name, tmp_path, capsys):
    converted(tmp_path, KINDS[name](tmp_path), capsys)
    assert main(["run", "lpgnn", "--graph", str(tmp_path / "made.npz"), "--repeats", "1", "--epochs", "2",
                 "--x-steps", "1"]) == 0
    assert "LPGNN on made: 30 nodes" in capsys.readouterr().out


def write(folder: Path, **files: str) -> list[str]:
    """Files of text by their names; those called edges and nodes as options."""
    words = []
    for name, content in files.items():
        path = folder / (name.replace("_", ".") if "_" in name else f"{name}.csv")
        path.write_text(content)
        words += [f"--{name}", str(path)] if name in ("edges", "nodes") else [str(path)]
    return words


EDGES = "source,target\na,b\nb,c\nc,d\n"
NODES = "id,club,age\na,x,20\nb,y,30\nc,x,40\nd,y,50\n"
SAID = ["--label", "club", "--classes", "x,y", "--ranges", "age:0:120"]


def test_all_that_is_mended_dropped_or_missing_is_said(tmp_path, capsys):
    edges = ("source,target,since\na-17,b-3,2019\nb-3,c 9,2020\nc 9,a-17,2020\nd,d,2021\nd,e-11,2018\nd,zz,1\n"
             "a-17,b-3,1\n")
    nodes = ("id,club,gender,age,income\na-17,North,f,34,41000\nb-3,South,m,51,\nc 9,North,,29,38500\n"
             "d,,f,44,52000\ne-11,South,m,163,27000\nf-1,East,f,38,30500\nf-1,East,f,38,30500\n,East,f,3,3\n")
    _, out = converted(tmp_path, [*write(tmp_path, edges=edges, nodes=nodes), "--label", "club", "--classes",
                                  "North,South", "--ranges", "age:0:120,income:0:200000", "--categories", "gender:f:m"],
                       capsys)
    assert out.splitlines()[0] == "what is said here is about private data: for its owner, on this machine"
    for said in ("since of edges: not read; --weight since uses one", "6 ids in column id of nodes.csv, numbered 0..5",
                 "1 row of nodes.csv without an id", "1 row of nodes.csv with an id that an earlier row has",
                 "1 edge with ends that no node has, zz: dropped",
                 "1 label of club, East, not among the classes that are stated: -1",
                 "gender: 1 value missing", "age: 1 value outside 0..120",
                 "income: 1 missing value set to 100000, the middle of the range", "1 self loops: dropped",
                 "1 duplicate edges: dropped", "4 edges have one direction only", "1 isolated nodes",
                 "2 nodes without a label", f"privgraph run lpgnn --graph {tmp_path}/made.npz"):
        assert said in out, said
    assert (tmp_path / "made.ranges.csv").read_text() == "0,1\n0,1\n0,120\n0,200000\n"
    assert (tmp_path / "made.nodes.csv").read_text().splitlines()[:2] == ["node,id", "0,a-17"]
    assert (tmp_path / "made.nodes.csv").stat().st_mode & 0o077 == 0, "who is who is for the owner"


def test_what_nobody_stated_voids_the_guarantee(tmp_path, capsys):
    words = [*write(tmp_path, edges=EDGES, nodes=NODES), "--label", "club"]
    data, out = converted(tmp_path, words, capsys)
    text = "read off the data when it was converted: which classes there are in club, the bounds of age"
    assert data.unaccounted == (text,) and data.feature_range == (20.0, 50.0)
    assert "no guarantee of a run will hold: which classes there are in club, the bounds of age" in out
    assert not (tmp_path / "made.ranges.csv").exists(), "such bounds are not public"
    assert main(["run", "lpgnn", "--graph", str(tmp_path / "made.npz"), "--repeats", "1", "--epochs", "1"]) == 0
    assert "features and label: no guarantee, as not all is accounted for" in capsys.readouterr().out
    data, _ = converted(tmp_path, [*words, *SAID[2:]], capsys)
    assert "unaccounted" not in data and data.feature_range == (0.0, 120.0) and data.num_classes == 2


def test_categories_as_codes_are_what_rgnn_reads(tmp_path, capsys):
    nodes = "id,club,city,sex\na,x,Ulm,f\nb,y,Bonn,m\nc,x,Ulm,m\nd,y,,f\n"
    words = [*write(tmp_path, edges=EDGES, nodes=nodes), "--label", "club", "--classes", "x,y", "--numbered"]
    data, _ = converted(tmp_path, [*words, "--categories", "city:Bonn:Ulm:,sex:f:m"], capsys)
    assert data.domain_sizes == (3, 2) and data.x.tolist() == [[1, 0], [0, 1], [1, 1], [2, 0]]
    assert main(["convert", *words, "--categories", "city:Bonn:Ulm,sex:f:m", "--to", str(tmp_path / "b.npz")]) == 2
    assert "an empty name stands for a missing value: --categories city:Bonn:Ulm:" in capsys.readouterr().err
    one_hot, _ = converted(tmp_path, [*words[:-1], "--categories", "city:Bonn:Ulm,sex:f:m"], capsys)
    assert one_hot.x.tolist() == [[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]]


@pytest.mark.parametrize("kind, said, unaccounted", [
    ("degree", "which no epsilon accounts for", True), ("identity", "tells nothing of anybody", False),
    ("ones", "gives nothing away and teaches nothing", False), ("random", "from a public seed", False)])
def test_features_where_there_are_none(kind, said, unaccounted, tmp_path, capsys):
    nodes = "id,club\na,x\nb,y\nc,x\nd,y\n"
    words = [*write(tmp_path, edges=EDGES, nodes=nodes), *SAID[:4]]
    assert main(["convert", *words, "--to", str(tmp_path / "made.npz")]) == 2
    assert f"{kind} (" in capsys.readouterr().err
    data, out = converted(tmp_path, [*words, "--features", kind], capsys)
    assert said in out and ("unaccounted" in data) == unaccounted
    assert data.x.shape == {"degree": (4, 1), "identity": (4, 4), "ones": (4, 1), "random": (4, 16)}[kind]
    if unaccounted:
        assert data.x.tolist() == [[1], [2], [2], [1]] and "degrees as features" in data.unaccounted[0]


def gexf(inner: str) -> str:
    return f'<gexf xmlns="http://gexf.net/1.3"><graph {inner}</graph></gexf>'


WALLS = {
    "regression": (dict(edges=EDGES, nodes="id,club\na,.5\nb,.6\nc,.7\nd,.8\n"), "numbers to be predicted"),
    "several classes in a cell": (
        dict(edges=EDGES, nodes="id,club\na,x|y\nb,y\nc,x|z\nd,y|z\n"), "one class for each node"),
    "several one-hot": (
        dict(edges=EDGES, nodes="id,club,x,y\na,,1,1\nb,,1,0\nc,,0,1\nd,,1,0\n"), "several classes"),
    "a class for everybody": (dict(edges=EDGES, nodes="id,club\n" + "".join(f"p{at},t{at}\n" for at in range(40)) +
                                   "a,x\nb,y\nc,x\nd,y\n"), "different values"),
    "changing graphs": (dict(a_gexf=gexf('mode="dynamic"><nodes/><edges/>')), "graphs that change are not read"),
    "hyperedges": (dict(a_graphml="<graphml><graph><hyperedge/></graph></graphml>"), "more than two ends"),
    "no label said": (dict(edges=EDGES, nodes="id,club,age\na,x,1\nb,y,2\nc,x,3\nd,y,4\n"), "say with --label"),
    "no such label": (dict(edges=EDGES, nodes=NODES), "there are id, club, age"),
    "no nodes": (dict(edges=EDGES), "says of no node in which class it is: add a table of nodes"),
    "strangers only": (dict(edges="source,target\nr,s\n", nodes=NODES), "no edge of edges.csv names two known nodes"),
    "three columns in two": (dict(edges="source,target\na,b\nb,c,d\n"), "row 3 of edges.csv has 3 cells"),
    "one column": (dict(edges="source\na\n"), "must have a column for each end of an edge"),
    "ragged": (dict(edges="source,target\na,b,c\n"), "row 2 of edges.csv has 3 cells"),
    "two kinds of nodes": (dict(a_net="*Vertices 4 2\n1 a\n"), "two kinds of nodes"),
    "an old workbook": (dict(a_xls="PK"), "save the sheet as CSV"),
    "no workbook": (dict(a_xlsx="PK"), "is no workbook of Excel"),
    "a data base": (dict(a_sqlite="SQL"), "sqlite3 -header -csv a.sqlite"),
    "an end that nobody knows": (dict(a_foo="a,b"), "ends on .foo, which nothing here reads"),
    "a list of numbers": (dict(a_json="[1, 2]"), "a list of objects"),
    "a pickle": (dict(a_pkl="cos\nsystem"), "may run code when it is read"),
    "linked data": (dict(a_ttl="@prefix"), "heterogeneous graphs are not read"),
    "MATLAB": (dict(a_mat="MATLAB"), "sparse.save_npz"),
    "lists of texts": (dict(a_json='{"nodes": [{"id": 1, "club": ["x", "y"]}], "links": []}'), "several classes"),
    "not JSON": (dict(a_json="[" * 100_000), "is no JSON"),
    "no graph in it": (dict(a_json='{"a": 1}'), "the lists nodes and links"),
    "zero bytes": (dict(edges="a,b\nc,\0\n"), "holds zero bytes"),
    "nothing": (dict(edges=""), "has no rows"),
    "no XML": (dict(a_graphml="graph"), "is no XML"),
    "no GML": (dict(a_gml="graph [ node [ id 1 ]"), "a bracket is not closed"),
    "no Pajek": (dict(a_net="1 2\n"), "must begin with *Vertices"),
}
LABELS = {"several one-hot": "x,y", "no label said": None, "no such label": "group", "lists of texts": "club"}


@pytest.mark.parametrize("name", WALLS)
def test_what_cannot_be_read_is_refused_with_what_to_do(name, tmp_path, capsys):
    files, message = WALLS[name]
    label = LABELS.get(name, "club")
    words = [*write(tmp_path, **files), *(["--label", label] if label else []), "--features", "ones"]
    assert main(["convert", *words, "--to", str(tmp_path / "made.npz")]) == 2
    error = capsys.readouterr().err
    assert message in error and "our fault" not in error
    assert not (tmp_path / "made.npz").exists()


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_columnar_tables_make_the_graph_that_csv_makes(ending, tmp_path, capsys):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    from pyarrow import csv, feather, parquet
    made = []
    for name, text in (("edges", "source,target\na,b\nb,c\nc,d\na,d\n"),
                       ("nodes", "name,age,member,club\na,1,true,x\nb,,false,y\nc,3,true,x\nd,4.5,,\n")):
        (tmp_path / f"{name}.csv").write_text(text)
        table = csv.read_csv(tmp_path / f"{name}.csv", convert_options=csv.ConvertOptions(strings_can_be_null=True))
        assert arrow.types.is_string(table.schema.field(0).type)
        (parquet.write_table if ending == ".parquet" else feather.write_feather)(table, str(tmp_path / (name + ending)))
    for end in (".csv", ending):
        edges, nodes, to = (str(tmp_path / name) for name in (f"edges{end}", f"nodes{end}", f"made{end}.npz"))
        assert main(["convert", "--edges", edges, "--nodes", nodes, "--id", "name", "--label", "club", "--to", to]) == 0
        said = capsys.readouterr().out.replace(end, ".csv").splitlines()
        made.append((np.load(to), [line for line in said if "separated by a comma" not in line]))
    (expected, told), (found, said) = made
    assert said == told and sorted(found) == sorted(expected)
    assert all(np.array_equal(found[name], expected[name]) for name in expected)


def test_broken_columnar_files_are_refused(tmp_path, capsys):
    pytest.importorskip("pyarrow", reason="pyarrow is an extra")
    for name, text in (("a.parquet", "PAR1 and no more"), ("a.arrow", "source,target\n1,2\n")):
        (tmp_path / name).write_text(text)
        assert main(["convert", "--edges", str(tmp_path / name), "--to", str(tmp_path / "made.npz")]) == 2
        assert f"{name} cannot be read" in capsys.readouterr().err


def test_parquet_names_the_extra_that_it_needs(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["convert", *write(tmp_path, a_parquet="PAR1"), "--to", str(tmp_path / "made.npz")]) == 2
    assert "pip install 'privgraph[tables]'" in capsys.readouterr().err


@pytest.mark.parametrize("words, message", [
    (["--ranges", "age"], "must be COLUMN:LOW:HIGH"), (["--ranges", "age:9:1"], "the lower one first"),
    (["--ranges", "age:0:inf"], "finite bounds"), (["--categories", "club:x"], "COLUMN:A:B"),
    (["--classes", "x,x"], "each once"), (["--classes", "x,y", "--num-classes", "3"], "leave one out"),
    (["--num-classes", "1"], "at least 2"), (["--ranges", "size:0:1"], "--ranges must name columns of nodes.csv"),
    (["--ranges", "id:0:1"], "holds ids or classes"), (["--label", "club", "--num-classes", "1000", "--columns", "q"],
                                                       "--columns must name columns"),
    (["--classes", "u,v"], "holds none of them but x, y"), (
        ["--num-classes", "2", "--label", "age"], "are numbered 0..1")])
def test_options_are_refused_by_their_names(words, message, tmp_path, capsys):
    files = write(tmp_path, edges=EDGES, nodes=NODES)
    words = ["convert", *files, *([] if "--label" in words else ["--label", "club"]), *words, "--to", "made.npz"]
    try:
        assert main(words) == 2
    except SystemExit as ended:  # of argparse
        assert ended.code == 2
    assert message in capsys.readouterr().err


def test_nothing_that_is_read_is_written_over(tmp_path, capsys):
    nodes = tmp_path / "a.nodes.csv"
    nodes.write_text(NODES)
    words = ["convert", *write(tmp_path, edges=EDGES), "--nodes", str(nodes), *SAID, "--to"]
    assert main([*words, str(tmp_path / "a.npz")]) == 2
    assert "with which" in capsys.readouterr().err and nodes.read_text() == NODES
    assert main([*words, str(tmp_path / "a.csv")]) == 2
    assert "must name a file that ends on .npz" in capsys.readouterr().err


# Hostile files.

BOMB = ('<?xml version="1.0"{}?><!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        "<graphml><graph><node id='&b;'/></graph></graphml>")


@pytest.mark.parametrize("encoding, message", [("utf-8", "document type or entities"), ("cp037", "is no XML"),
                                               ("utf-16", "document type or entities")])
def test_entities_are_refused_in_every_encoding(encoding, message, tmp_path, capsys):
    (tmp_path / "a.graphml").write_bytes(BOMB.format(f' encoding="{encoding}"').encode(encoding))
    assert main(["convert", str(tmp_path / "a.graphml"), "--to", str(tmp_path / "made.npz")]) == 2
    assert message in capsys.readouterr().err


def test_files_that_unpack_or_announce_too_much_are_refused_first(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(found, "MAX_FILE", 2**20)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(bytes(2**22)))
    (tmp_path / "b.csv").write_bytes(b"a" * 2**21)
    for name, sizes in (("a.mtx", "2000000000 2000000000 3"), ("b.mtx", "9 9 2000000000")):
        (tmp_path / name).write_text(f"%%MatrixMarket matrix coordinate real general\n{sizes}\n1 1 1\n")
    (tmp_path / "a.net").write_text("*Vertices 999999999\n")
    (tmp_path / "deep.gexf").write_text("<gexf>" + "<a>" * 500)
    np.save(tmp_path / "a.npy", np.zeros((3, 2), int))
    held = (tmp_path / "a.npy").read_bytes().replace(b"(3, 2)", b"(9, 2)")
    (tmp_path / "a.npy").write_bytes(held)
    torch.save({"edge_index": torch.zeros(2, 1, dtype=torch.long), "x": torch.zeros(1).expand(100_000, 100_000)},
               tmp_path / "a.pt")
    for name, message in (("a.csv.gz", "larger than 1 MiB"), ("b.csv", "larger than 1 MiB"), ("a.mtx", "cannot be"),
                          ("b.mtx", "cannot be"), ("a.net", "at most 10000000"), ("deep.gexf", "nests more than 100"),
                          ("a.npy", "announces 144 bytes and holds 48"), ("a.pt", "GiB")):
        assert main(["convert", str(tmp_path / name), "--to", str(tmp_path / "made.npz")]) == 2, name
        assert message in capsys.readouterr().err, name


class Payload:
    """Unpickled, it makes a folder."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_nothing_is_unpickled(tmp_path, capsys):
    planted = tmp_path / "planted"
    torch.save({"edge_index": Payload(planted)}, tmp_path / "a.pt")
    np.savez(tmp_path / "b.npz", adj_matrix=np.array([Payload(planted)], dtype=object), node_label=[0, 1])
    np.save(tmp_path / "c.npy", np.array([Payload(planted)], dtype=object))
    for name in ("a.pt", "b.npz", "c.npy"):
        assert main(["convert", str(tmp_path / name), "--to", str(tmp_path / "made.npz")]) == 2
    error = capsys.readouterr().err
    assert not planted.exists() and "torch.save(dict(" in error and "np.savez('plain.npz'" in error


def test_the_lines_that_convert_pickled_matrices_do_so(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("old.npz", adj_matrix=np.array([own_graphs.matrix()], dtype=object), node_label=CLUB,
             attr_matrix=np.array(sp.csr_matrix(np.eye(N)), dtype=object))
    with pytest.raises(ValueError, match="dtype object") as refused:
        datasets.from_npz("old.npz", num_classes=3)
    exec(str(refused.value).rpartition("once: ")[2])  # its three lines
    assert {tuple(pair) for pair in datasets.from_npz("plain.npz", num_classes=3).edge_index.t().tolist()} >= {*PAIRS}


@pytest.mark.parametrize("name", ["graphml", "gexf", "gml", "json_of_nodes_and_links", "data_of_pyg",
                                  "plain_csv", "workbooks", "matrix_market_with_a_table", "pajek_with_classes"])
def test_damaged_files_are_refused_in_a_sentence(name, tmp_path, capsys):
    """Some bytes changed, or the end cut off: a graph comes out or a sentence, and it is never our fault."""
    rng, words = np.random.default_rng(3), KINDS[name](tmp_path)
    paths = [Path(word) for word in words if word.startswith(str(tmp_path))]
    good = {path: path.read_bytes() for path in paths}
    seen = set()
    for number in range(40):
        path = paths[number % len(paths)]
        held = bytearray(good[path])
        for place in rng.integers(len(held), size=rng.integers(1, 8)):
            held[place] = rng.integers(256)
        path.write_bytes(held if number % 3 else held[:rng.integers(len(held))])
        seen.add(main(["convert", *words, "--to", str(tmp_path / "made.npz")]))
        error = capsys.readouterr().err
        assert "our fault" not in error, error
        path.write_bytes(good[path])
    assert seen <= {0, 2} and 2 in seen


def test_what_a_stranger_wrote_does_not_reach_the_terminal(tmp_path, capsys):
    nodes = "id,club,a\x1b[2Jb\na,x\x1b[31m,1\nb,y,2\nc,x\x1b[31m,3\nd,y,4\n"
    _, out = converted(tmp_path, [*write(tmp_path, edges=EDGES, nodes=nodes), "--label", "club"], capsys)
    assert "\x1b" not in out and "the bounds of a?[2Jb" in out
    assert main(["check", str(tmp_path / "made.npz")]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_a_thousand_columns_read_off_still_make_a_file(tmp_path, capsys):
    names = [f"a column with a long name {at}" for at in range(1000)]
    nodes = "\n".join([",".join(["id", "club", *names]), *(f"{each},{club}" + f",{at + 2}" * 1000 for at, (each, club)
                                                         in enumerate(zip("abcd", "xyxy", strict=True)))])
    data, _ = converted(tmp_path, [*write(tmp_path, edges=EDGES, nodes=nodes), "--label", "club"], capsys)
    assert data.num_features == 1000 and len(data.unaccounted[0]) < 2000


# Graphs of other libraries, and of other projects' files.

X, Y = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]), [0, 1, 0]


def test_edges_that_can_be_read_either_way_are_named():
    with pytest.warns(UserWarning, match=r"\[2, E\], as 0-2 and 1-3, or as \[E, 2\], as 0-1 and 2-3"):
        datasets.from_edge_list([[0, 1], [2, 3]], torch.ones(4, 1), [0, 1, 0, 1], num_classes=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        datasets.from_edge_list([[0, 1], [1, 0]], X, Y, num_classes=2)  # an edge and its other direction
        datasets.from_edge_list([[0, 1, 2], [1, 2, 0]], X, Y, num_classes=2)
        datasets.from_pyg(Data(x=X, edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.tensor(Y)), num_classes=2)


def test_a_graph_comes_from_every_library_and_goes_back():
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    matrix = sp.csr_matrix(nx.to_numpy_array(graph, weight=None))
    ways = [datasets.from_networkx(graph, X, Y, num_classes=2), datasets.from_adjacency(matrix, X, Y, num_classes=2),
            datasets.from_adjacency(matrix.toarray(), X, Y, num_classes=2),
            datasets.from_dgl(Dgl(X, torch.tensor(Y)), num_classes=2)]
    assert {datasets.fingerprint(data.edge_index, data.x, data.y) for data in ways} == {
        datasets.fingerprint([[0, 1, 1, 2], [1, 0, 2, 1]], X, Y)}
    back = datasets.to_networkx(ways[0])
    assert sorted(back.edges) == [(0, 1), (1, 2)] and back.nodes[2] == {"x": [0.5, 0.5], "y": 0}
    plain = datasets.to_pyg(datasets.split(datasets.load("karate"), seeded(0)))
    assert set(plain.keys()) == {"x", "edge_index", "y", "train_mask", "val_mask", "test_mask"}
    with pytest.raises(TypeError, match="must be a dgl.DGLGraph"):
        datasets.from_dgl(graph)
    with pytest.raises(ValueError, match="got neither"):
        datasets.from_dgl(Dgl())
    with pytest.raises(ValueError, match="must have a row and a column for each node"):
        datasets.from_adjacency(np.ones((2, 3)), X, Y, num_classes=2)


class Dgl:
    """What of DGL's graph is asked for."""

    ntypes = etypes = ("_",)

    def __init__(self, x=None, y=None):
        self.ndata = {} if x is None else {"feat": x, "label": y, "train_mask": torch.tensor([1, 0, 0])}

    def num_nodes(self) -> int:
        return 3

    def edges(self):
        return torch.tensor([0, 1]), torch.tensor([1, 2])


def test_from_file_takes_the_same_words_in_python(tmp_path):
    write(tmp_path, edges=EDGES, nodes=NODES)
    data = datasets.from_file(tmp_path / "edges.csv", tmp_path / "nodes.csv", label="club", classes=("x", "y"),
                              ranges={"age": (0, 120)}, name="mine")
    assert (data.name, data.num_classes, data.x.tolist()) == ("mine", 2, [[20], [30], [40], [50]])


def test_run_says_the_line_that_converts_a_table(tmp_path, capsys):
    path = write(tmp_path, edges=EDGES)[1]
    assert main(["run", "lpgnn", "--graph", path]) == 2
    assert f"`privgraph convert {path} --label COLUMN --to NEW.npz` makes one of it" in capsys.readouterr().err


def test_masks_and_what_is_stated_survive_a_file(tmp_path, capsys):
    data = datasets.split(datasets.load("karate"), seeded(0))
    datasets.save_npz(data, tmp_path / "a.npz", class_names=("Mr. Hi", "Officer"))
    again = datasets.from_npz(tmp_path / "a.npz")
    assert again.num_classes == data.num_classes and torch.equal(again.test_mask, data.test_mask)
    assert datasets.from_npz(tmp_path / "a.npz", num_classes=5).num_classes == 5
    _, remarks = datasets.check_file(tmp_path / "a.npz")
    assert any(line.startswith("train_mask, val_mask, test_mask: used by commands") for line in remarks)
    assert f"the file says {data.num_classes} classes: Mr. Hi, Officer" in remarks
    assert main(["run", "lpgnn", "--graph", str(tmp_path / "a.npz"), "--repeats", "1", "--epochs", "1"]) == 0
    assert "with --own-split" in capsys.readouterr().err


def there_and_back(way: str, data, folder):
    """A graph that left this library and came back."""
    if way == "npz":
        datasets.save_npz(data, folder / "a.npz")
        return datasets.from_npz(folder / "a.npz")
    if way in ("npz converted", "pt converted"):
        datasets.save_npz(data, folder / "a.npz"), torch.save(data, folder / "a.pt")
        return datasets.from_file(folder / f"a.{way.partition(' ')[0]}")
    if way == "pyg":
        return datasets.from_pyg(datasets.to_pyg(data), num_classes=2)
    return datasets.from_networkx(datasets.to_networkx(data), data.x, data.y, num_classes=2)


@pytest.mark.parametrize("way", ["npz", "npz converted", "pt converted", "pyg", "networkx"])
def test_no_way_out_and_back_loses_what_is_unaccounted(way, tmp_path):
    """Otherwise a run would state a guarantee that nothing keeps."""
    data = datasets.load("karate")
    assert not getattr(there_and_back(way, data, tmp_path), "unaccounted", ())
    data.unaccounted = ("cut points of x",)
    assert there_and_back(way, data, tmp_path).unaccounted == ("cut points of x",)


def test_what_a_saved_graph_states_is_kept(tmp_path, capsys):
    data = datasets.from_edge_list([[0, 1, 2], [1, 2, 3]], [[20.0, 1], [30, 2], [40, 3], [50, 4]], [0, 1, 0, 1],
                                   num_classes=5, feature_range=[(0, 120), (0, 9)])
    torch.save(data, tmp_path / "a.pt")
    again = datasets.from_file(tmp_path / "a.pt")
    assert (again.num_classes, again.feature_range) == (5, ((0.0, 120.0), (0.0, 9.0)))
    assert not getattr(again, "unaccounted", ())
    for name, odd in (("unaccounted", ("a\x1b[2J",)), ("unaccounted", "text"), ("num_classes", 1),
                      ("feature_range", (3, 1))):
        wrong = data.clone()
        wrong[name] = odd
        torch.save(wrong, tmp_path / "b.pt")
        with pytest.raises(ValueError, match=name):
            datasets.from_file(tmp_path / "b.pt")


@pytest.mark.parametrize("names, shown", [
    (np.array(["one", "two"]), True), (np.array([b"one", b"two"]), False), (np.array(["one", "two\x1b[2J"]), False),
    (np.array(["one", 2], object), False), (np.array(["one", "t" * 999]), False), (np.zeros((2, 3)), False)])
def test_how_others_call_their_classes_is_shown_or_left_unread(names, shown, tmp_path):
    np.savez(tmp_path / "a.npz", edge_index=[[0, 1], [1, 2]], x=np.eye(3), y=[0, 1, 0], num_classes=2,
             class_names=names, feature_names=names)
    assert datasets.from_npz(tmp_path / "a.npz").num_classes == 2
    problems, remarks = datasets.check_file(tmp_path / "a.npz")
    assert problems == [] and ("the file says 2 classes: one, two" in remarks) == shown


def test_weights_in_a_file_are_never_dropped_in_silence(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", edge_index=[[0, 1, 2], [1, 2, 3]], x=np.eye(4), y=[0] * 4, edge_weight=[1, 2, 3.0])
    with pytest.warns(UserWarning, match=r"weights of edges \(edge_weight\): used by .*weights=True\) uses them"):
        datasets.from_npz(tmp_path / "a.npz", num_classes=2)
    assert main(["run", "lpgnn", "--graph", str(tmp_path / "a.npz"), "--num-classes", "2", "--repeats", "1", "--epochs",
                 "1"]) == 0
    error = capsys.readouterr().err
    assert "weights of edges (edge_weight): used by lpgnn and rgnn with --own-weights" in error
    assert "labels show fewer than two classes" in error


@pytest.mark.parametrize("y, found", [
    (np.eye(3)[[2, 0, 1]], [2, 0, 1]), (np.array([[1, 0], [0, 0], [0, 1]]), [0, -1, 1]),
    (np.array([0.0, np.nan, 1.0]), [0, -1, 1]), (np.array([True, False, True]), [1, 0, 1])])
def test_labels_in_other_forms(y, found, tmp_path):
    np.savez(tmp_path / "a.npz", edge_index=[[0, 1], [1, 2]], x=np.eye(3), y=y)
    assert datasets.from_npz(tmp_path / "a.npz", num_classes=3).y.tolist() == found


@pytest.mark.parametrize("y, message", [
    (np.array([[1, 1], [0, 1], [1, 0]]), "several for 1 nodes"), (np.array([0.5, 1, 1]), "numbers to be predicted"),
    (np.array([[0.2, 0.8]] * 3), "2 numbers each")])
def test_tasks_that_are_out_of_scope_are_refused(y, message, tmp_path):
    np.savez(tmp_path / "a.npz", edge_index=[[0, 1], [1, 2]], x=np.eye(3), y=y)
    with pytest.raises(ValueError, match=f"{message}.*What is out of scope"):
        datasets.from_npz(tmp_path / "a.npz", num_classes=3)


@pytest.mark.parametrize("stated, message", [
    (dict(num_classes=1), "at least 2"), (dict(num_classes=2, y=[0, 1, 2]), "must lie below 2"),
    (dict(num_classes=[2]), "must be a whole number"), (dict(feature_range=[1.0, 0.0]), "low below high"),
    (dict(feature_range=3.0), "two numbers"), (dict(domain_sizes=[2, 2]), "for each of 3 columns"),
    (dict(domain_sizes=[2, 2, 2], x=np.eye(3) * 2), r"whole numbers in 0\.\.1"),
    (dict(train_mask=np.ones(2, bool)), "train_mask must have one entry a node"),
    (dict(train_mask=np.ones((3, 9), bool)), "one split alone"),
    (dict(class_names=np.frombuffer(b"a\x1b[2J", np.uint8)), "printable text")])
def test_what_a_stranger_states_is_checked(stated, message, tmp_path):
    held = dict(edge_index=[[0, 1], [1, 2]], x=np.eye(3), y=[0, 1, 0], num_classes=3) | stated
    np.savez(tmp_path / "a.npz", **held)
    problems, _ = datasets.check_file(tmp_path / "a.npz")
    assert any(re.search(message, problem) for problem in problems), problems
    with pytest.raises(ValueError, match=message):
        datasets.from_npz(tmp_path / "a.npz")


def test_sets_of_graphs_and_several_kinds_of_nodes_are_out_of_scope(tmp_path, capsys):
    several = HeteroData()
    several["person"].x, several["book"].x = X, X
    several["person", "reads", "book"].edge_index = torch.tensor([[0], [1]])
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "A_graph_indicator.txt").write_text("1\n")
    for content, message in ((several, "heterogeneous"), ([own_graphs.of_pyg()] * 2, "a set of graphs"),
                             ((dict(own_graphs.of_pyg()), {"x": torch.arange(4)}, Data), "3 graphs"), (None, "set of")):
        path = tmp_path / "a.pt" if content else tmp_path / "set"
        torch.save(content, tmp_path / "a.pt")
        assert main(["convert", str(path), "--to", str(tmp_path / "made.npz")]) == 2
        error = capsys.readouterr().err
        assert message in error and "What is out of scope" in error, error


@pytest.mark.parametrize("texts, kind, values", [
    (["1.234,5", "2.000,0"], "number", [1234.5, 2000.0]), (["1,234.5", "12"], "number", [1234.5, 12.0]),
    (["3,5", "4"], "number", [3.5, 4.0]), (["1,5E+05", "2E+01"], "number", [150000.0, 20.0]),
    (["45 %", "5%"], "number", [45.0, 5.0]),
    (["1.200,50 €", "900,00 €"], "number", [1200.5, 900.0]), (["TRUE", "FALSE"], "yes or no", [1.0, 0.0]),
    (["31.12.2021", "01.01.2021"], "date", [2021 + 364 / 365, 2021.0]), (["13/1/2020", "2/2/2020"], "date", None),
    (["3/4/2020", "5/6/2020"], "text", ["3/4/2020", "5/6/2020"]), (["f", "f"], "text", ["f", "f"]),
    (["31.06.2021"], "text", ["31.06.2021"]), (["1_000"], "text", ["1_000"]), (["inf"], "text", ["inf"])])
def test_what_a_cell_means(texts, kind, values):
    column = cells.understood(texts)
    assert column.kind == kind and (values is None or column.values == values)


def test_predictions_call_classes_and_nodes_as_the_table_did(tmp_path, capsys):
    """A saved model knows numbers only; the file of the graph knows the names."""
    edges = "".join(f"n{one:02},n{(one + 1) % 12:02}\n" for one in range(12))
    nodes = "".join(f"n{one:02},{('tea, green', 'coffee')[one // 6]},{one % 2}\n".replace("tea, green", '"tea, green"')
                    for one in range(12))
    words = write(tmp_path, edges="source,target\n" + edges, nodes="id,drinks,x\n" + nodes)
    made, out = str(tmp_path / "made.npz"), tmp_path / "told.csv"
    assert main(["convert", *words, "--id", "id", "--label", "drinks", "--classes", 'coffee,"tea, green"', "--ranges",
                 "x:0:1", "--to", made]) == 0
    assert main(["run", "lpgnn", "--graph", made, "--repeats", "1", "--epochs", "2", "--save", str(tmp_path / "m")]
                ) == 0
    assert main(["predict", str(tmp_path / "m"), "--names", made, "--to", str(out)]) == 0
    assert f"12 nodes are in {out}" in capsys.readouterr().out
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [f"n{one:02}" for one in range(12)] and list(rows[0])[-1] == "probability"
    assert main(["predict", str(tmp_path / "m")]) == 0
    plain = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["class"] for row in rows] == [("coffee", "tea, green")[int(row["class"])] for row in plain]
    (tmp_path / "made.nodes.csv").write_text("node,id\n0,a\n")
    assert main(["predict", str(tmp_path / "m"), "--names", made]) == 2
    assert "must be of the graph that is asked about, of 12 nodes" in capsys.readouterr().err
    (tmp_path / "made.nodes.csv").unlink()
    assert main(["predict", str(tmp_path / "m"), "--names", made]) == 0
    assert capsys.readouterr().out.startswith("node,class,probability\n")
    assert main(["predict", str(tmp_path / "m"), "--names", str(tmp_path / "m/model.pt")]) == 2
    assert "the names of 2 classes" in capsys.readouterr().err
