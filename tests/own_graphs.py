"""The same small graph in the kinds of files that people have, each with the words with which it is converted.

Thirty people in three clubs. What a kind cannot hold, such as ages in a matrix, it leaves out.
"""

import codecs
import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse as sp
import torch
from torch_geometric.data import Data, HeteroData

N = 30
CLUBS = ("East", "North", "South")
RNG = np.random.default_rng(5)
CLUB = np.arange(N) % 3
AGE = RNG.integers(18, 90, N)
GENDER = RNG.choice(["f", "m"], N)
PAIRS = sorted({(int(a), int(b)) for a, b in RNG.integers(0, N, (70, 2)) if a < b}
               | {(at, at + 1) for at in range(N - 1)})
STATED = ["--classes", ",".join(CLUBS), "--ranges", "age:0:120", "--categories", "gender:f:m"]
KINDS: dict[str, Callable[[Path], list[str]]] = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def ids(at: int) -> str:
    return f"p{at}"


def rows_of_nodes(name: Callable[[int], object] = ids, club=lambda at: CLUBS[CLUB[at]]) -> list[list]:
    return [["id", "club", "gender", "age"], *([name(at), club(at), GENDER[at], int(AGE[at])] for at in range(N))]


def rows_of_edges(name: Callable[[int], object] = ids) -> list[list]:
    return [["source", "target"], *([name(a), name(b)] for a, b in PAIRS)]


def text(rows: list[list], **how) -> str:
    csv.writer(file := io.StringIO(), lineterminator=how.pop("end", "\n"), **how).writerows(rows)
    return file.getvalue()


def put(folder: Path, edges: str | bytes, nodes: str | bytes, ends: str = ".csv") -> list[str]:
    paths = [folder / f"edges{ends}", folder / f"nodes{ends}"]
    for path, content in zip(paths, (edges, nodes), strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return ["--edges", str(paths[0]), "--nodes", str(paths[1])]


@kind
def plain_csv(folder):
    return [*put(folder, text(rows_of_edges()), text(rows_of_nodes())), "--label", "club", *STATED]


@kind
def semicolons_decimal_commas_bom_crlf(folder):
    nodes = [[*row[:3], f"{row[3]},5" if at else "age"] for at, row in enumerate(rows_of_nodes())]
    marked = codecs.BOM_UTF8 + text(nodes, delimiter=";", end="\r\n").encode()
    return [*put(folder, text(rows_of_edges(), delimiter=";", end="\r\n"), marked), "--label", "club", *STATED]


@kind
def tabs_and_quotes(folder):
    def name(at):
        return f'Person "{at}", the\tfirst'
    how = {"delimiter": "\t", "quoting": csv.QUOTE_ALL}
    return [*put(folder, text(rows_of_edges(name), **how), text(rows_of_nodes(name), **how), ".tsv"), "--label", "club",
            *STATED]


@kind
def utf16_with_umlauts_composed_in_two_ways(folder):
    edges = text(rows_of_edges(lambda at: f"Mu\u0308ller {at} "), delimiter=";").encode("utf-16")
    return [*put(folder, edges, text(rows_of_nodes(lambda at: f"M\u00fcller {at}"), delimiter=";")), "--label", "club",
            *STATED]


@kind
def windows_letters(folder):
    edges, nodes = (text(rows, delimiter=";").encode("cp1252") for rows in (
        rows_of_edges(lambda at: f"Mädchen {at}"), rows_of_nodes(lambda at: f"Mädchen {at}")))
    return [*put(folder, edges, nodes), "--label", "club", *STATED]


@kind
def zeros_lost_by_a_spreadsheet(folder):
    """Edges as Excel left them, ids with their zeros; a blank row, which it writes at the end."""
    nodes = text(rows_of_nodes(lambda at: f"{at + 7:05}")) + ",,,\n"
    return [*put(folder, text(rows_of_edges(lambda at: at + 7)), nodes), "--label", "club", *STATED]


@kind
def scientific_numbers(folder):
    edges = text(rows_of_edges(lambda at: f"{(at + 100) * 1000:.5E}"))
    return [*put(folder, edges, text(rows_of_nodes(lambda at: (at + 100) * 1000))), "--label", "club", *STATED]


@kind
def ids_that_pandas_made_floats(folder):
    return [*put(folder, text(rows_of_edges(lambda at: f"{at}.0")), text(rows_of_nodes(lambda at: at))), "--label",
            "club", *STATED]


@kind
def edges_without_a_header_gzipped(folder):
    lines = "# a network\n# FromNodeId\tToNodeId\n" + "".join(f"{a}\t{b}\n" for a, b in PAIRS)
    (folder / "edges.txt.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "nodes.csv").write_text(text(rows_of_nodes(lambda at: at)))
    return [str(folder / "edges.txt.gz"), "--nodes", str(folder / "nodes.csv"), "--label", "club", *STATED]


@kind
def words_without_a_header(folder):
    """As the papers of Cora were published: id, words, and the class at the end."""
    words = [[f"{at + 1000}", *np.eye(5, dtype=int)[at % 5], CLUBS[CLUB[at]]] for at in range(N)]
    (folder / "a.cites").write_text("".join(f"{a + 1000}\t{b + 1000}\n" for a, b in PAIRS))
    (folder / "a.content").write_text(text(words, delimiter="\t"))
    return [str(folder / "a.cites"), "--nodes", str(folder / "a.content"), "--label", "7", "--classes", ",".join(CLUBS)]


@kind
def dates_booleans_empty_cells(folder):
    """Columns of all kinds, of which nothing is said: what is not stated is read off, and said."""
    head = ["id", "club", "joined", "active", "city", "note", "pay"]
    rows = [[ids(at), CLUBS[CLUB[at]], f"20{at % 20:02}-03-01" if at % 4 else "", ("yes", "no")[at % 2],
             ("Ulm", "", "Bonn")[at % 3], f"note {at}", f"{1000 + at}.50" if at else "NA"] for at in range(N)]
    return [*put(folder, text(rows_of_edges()), text([head, *rows])), "--label", "club"]


@kind
def strangers_loops_repeats_and_no_label(folder):
    """Edges that name people unknown, with weights and years; labels that are missing."""
    edges = [["from", "to", "weight", "since"], *([ids(a), ids(b), 2.5, 2019] for a, b in PAIRS),
             ["p3", "nobody", 1, 2020], ["p4", "p4", 1, 2020], ["p1", "p0", 1, 2020], ["p0", "p1", 1, 2020]]
    nodes = rows_of_nodes(club=lambda at: CLUBS[CLUB[at]] if at != 5 else ("", "NaN", "None")[at % 3])
    return [*put(folder, text(edges), text(nodes)), "--label", "club", *STATED]


@kind
def matrix_as_a_table(folder):
    held = matrix().toarray()
    rows = [["", *map(ids, range(N))], *([ids(at), *map(int, held[at])] for at in range(N))]
    return [*put(folder, text(rows), text(rows_of_nodes())), "--label", "club", *STATED]


@kind
def one_hot_columns(folder):
    rows = [["id", *CLUBS, "age"], *([ids(at), *np.eye(3, dtype=int)[CLUB[at]], AGE[at]] for at in range(N))]
    return [*put(folder, text(rows_of_edges()), text(rows)), "--label", ",".join(CLUBS), "--classes", ",".join(CLUBS),
            "--ranges", "age:0:120"]


def of_networkx() -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from((ids(at), {"club": CLUBS[CLUB[at]], "age": int(AGE[at]), "gender": str(GENDER[at])})
                         for at in range(N))
    graph.add_edges_from((ids(a), ids(b), {"weight": 1.5}) for a, b in PAIRS)
    return graph


def matrix() -> sp.csr_matrix:
    rows, columns = np.array(PAIRS).T
    held = sp.coo_matrix((np.ones(len(PAIRS)), (rows, columns)), shape=(N, N))
    return (held + held.T).tocsr()


def written(folder: Path, name: str, write: Callable) -> list[str]:
    write(of_networkx(), folder / name)
    return [str(folder / name), "--label", "club", *STATED]


@kind
def graphml(folder):
    return written(folder, "a.graphml", nx.write_graphml)


@kind
def gexf(folder):
    return written(folder, "a.gexf", nx.write_gexf)


@kind
def gml(folder):
    return written(folder, "a.gml", nx.write_gml)


@kind
def pajek_with_classes(folder):
    lines = [f"*Vertices {N}", *(f'{at + 1} "{ids(at)}" 0.1 0.2' for at in range(N)), "*Edges",
             *(f"{a + 1} {b + 1} 1" for a, b in PAIRS)]
    (folder / "a.net").write_text("\n".join(lines))
    (folder / "a.clu").write_text("\n".join([f"*Vertices {N}", *(str(club + 1) for club in CLUB)]))
    return [str(folder / "a.net"), "--nodes", str(folder / "a.clu"), "--label", "1", "--classes", "1,2,3", "--features",
            "ones"]


@kind
def json_of_nodes_and_links(folder):
    graph = of_networkx()
    for at in range(N):
        graph.nodes[ids(at)]["x"] = [at % 2, int(at > 9)]
        del graph.nodes[ids(at)]["age"], graph.nodes[ids(at)]["gender"]
    (folder / "a.json").write_text(json.dumps(nx.node_link_data(graph, edges="links")))
    return [str(folder / "a.json"), "--label", "club", "--classes", ",".join(CLUBS)]


@kind
def matrix_market_with_a_table(folder):
    scipy.io.mmwrite(folder / "a.mtx", sp.coo_matrix(matrix()))
    (folder / "classes.csv").write_text("class\n" + "".join(f"{club}\n" for club in CLUB))
    return [str(folder / "a.mtx"), "--nodes", str(folder / "classes.csv"), "--num-classes", "3", "--features", "degree",
            "--ranges", "degree:0:100"]


@kind
def matrix_of_scipy(folder):
    sp.save_npz(folder / "a.npz", matrix())
    (folder / "nodes.csv").write_text(text(rows_of_nodes(lambda at: at)))
    return [str(folder / "a.npz"), "--nodes", str(folder / "nodes.csv"), "--label", "club", *STATED]


def of_pyg(**more) -> Data:
    edges = torch.tensor(np.array(PAIRS).T)
    return Data(x=torch.tensor(AGE)[:, None] / 100, edge_index=torch.cat([edges, edges.flip(0)], 1),
                y=torch.tensor(CLUB), **more)


@kind
def data_of_pyg(folder):
    torch.save(of_pyg(train_mask=torch.arange(N) < 10, edge_attr=torch.ones(2 * len(PAIRS), 3)), folder / "a.pt")
    return [str(folder / "a.pt"), "--num-classes", "3"]


@kind
def heterogeneous_of_one_kind(folder):
    data, plain = HeteroData(), of_pyg()
    data["person"].x, data["person"].y = plain.x, plain.y
    data["person", "knows", "person"].edge_index = plain.edge_index
    torch.save(data, folder / "a.pt")
    return [str(folder / "a.pt"), "--num-classes", "3"]


@kind
def matrices_in_parts(folder):
    """As Amazon's and the coauthors' graphs are published."""
    def parts(name, held):
        return {f"{name}_{part}": getattr(held, part) for part in ("data", "indices", "indptr", "shape")}
    np.savez(folder / "a.npz", **parts("adj", matrix()), **parts("attr", sp.csr_matrix(np.eye(N)[:, :7])), labels=CLUB)
    return [str(folder / "a.npz"), "--num-classes", "3"]


@kind
def pairs_of_rows(folder):
    """As the graphs of low homophily are published."""
    np.savez(folder / "a.npz", edges=np.array(PAIRS), node_features=np.eye(N)[:, :7], node_labels=CLUB,
             train_masks=np.ones((10, N), bool))
    return [str(folder / "a.npz"), "--num-classes", "3"]


@kind
def folder_of_ogb(folder):
    (folder / "set" / "raw").mkdir(parents=True)
    for name, rows in (("edge", PAIRS), ("node-feat", np.eye(N)[:, :7]), ("node-label", CLUB[:, None])):
        (folder / "set" / "raw" / f"{name}.csv.gz").write_bytes(gzip.compress(text(list(rows)).encode()))
    return [str(folder / "set"), "--num-classes", "3"]


@kind
def lists_of_neighbours(folder):
    nx.write_adjlist(of_networkx(), folder / "a.adjlist")
    (folder / "nodes.csv").write_text(text(rows_of_nodes()))
    return [str(folder / "a.adjlist"), "--nodes", str(folder / "nodes.csv"), "--label", "club", *STATED]


@kind
def tables_of_r_with_names_of_rows(folder):
    """As write.table leaves them: a header that is a cell short, and rows that edges number from 1."""
    edges = "from to\n" + "".join(f'"{at}" {a + 1} {b + 1}\n' for at, (a, b) in enumerate(PAIRS, 1))
    nodes = '"club" "gender" "age"\n' + "".join(
        f'"{at + 1}" "{CLUBS[CLUB[at]]}" "{GENDER[at]}" {AGE[at]}\n' for at in range(N))
    return [*put(folder, edges.replace('"', ""), nodes.replace('"', "")), "--label", "club", *STATED]


@kind
def rows_by_their_number(folder):
    return [*put(folder, text(rows_of_edges(lambda at: at)), text([row[1:] for row in rows_of_nodes()])), "--label",
            "club", *STATED]


@kind
def tables_of_gephi(folder):
    edges = [["Source", "Target", "Type", "Id", "Label", "timeset", "Weight"],
             *([ids(a), ids(b), "Undirected", at, "", "", 1.0] for at, (a, b) in enumerate(PAIRS))]
    nodes = [["Id", "Label", "timeset", "modularity_class"],
             *([ids(at), f"Name {at}", "", CLUB[at]] for at in range(N))]
    return [*put(folder, text(edges), text(nodes)), "--label", "modularity_class", "--num-classes", "3", "--features",
            "random"]


@kind
def labels_of_gml_with_a_table(folder):
    """The file numbers its nodes, and the table calls them by their labels."""
    nx.write_gml(nx.Graph(of_networkx().edges), folder / "a.gml")
    (folder / "nodes.csv").write_text(text(rows_of_nodes()))
    return [str(folder / "a.gml"), "--nodes", str(folder / "nodes.csv"), "--label", "club", *STATED]


@kind
def records_as_json(folder):
    def records(rows):
        return json.dumps([dict(zip(rows[0], map(str, row), strict=True)) for row in rows[1:]])
    return [*put(folder, records(rows_of_edges()), records(rows_of_nodes()), ".json"), "--label", "club", *STATED]


def sheet(path: Path, rows: list[list]) -> None:
    """A workbook with one sheet, its texts in the table of all texts."""
    words = list(dict.fromkeys(str(cell) for row in rows for cell in row if isinstance(cell, str)))
    strings = "".join(f"<si><t>{word}</t></si>" for word in words)
    cells = "".join("<row>" + "".join(
        f'<c r="{chr(65 + at)}{line}" t="s"><v>{words.index(str(cell))}</v></c>' if isinstance(cell, str)
        else f'<c r="{chr(65 + at)}{line}"><v>{cell}</v></c>' for at, cell in enumerate(row)) + "</row>"
        for line, row in enumerate(rows, 1))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/sharedStrings.xml", f"<sst>{strings}</sst>")
        file.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{cells}</sheetData></worksheet>")


@kind
def workbooks(folder):
    paths = [folder / "edges.xlsx", folder / "nodes.xlsx"]
    for path, rows in zip(paths, (rows_of_edges(), rows_of_nodes()), strict=True):
        sheet(path, [[str(cell) if isinstance(cell, str) else cell for cell in row] for row in rows])
    return ["--edges", str(paths[0]), "--nodes", str(paths[1]), "--label", "club", *STATED]


@kind
def texts_as_labels_and_nodes_from_one(folder):
    np.savez(folder / "a.npz", edge_index=np.array(PAIRS).T + 1, x=np.eye(N)[:, :7], y=np.array(CLUBS)[CLUB])
    return [str(folder / "a.npz"), "--classes", ",".join(CLUBS)]


@kind
def tensors_under_other_names(folder):
    held = {"edges": torch.tensor(PAIRS).t(), "feat": torch.eye(N), "label": torch.tensor(CLUB) + 1}
    torch.save(held, folder / "a.pt")
    return [str(folder / "a.pt"), "--num-classes", "3"]
