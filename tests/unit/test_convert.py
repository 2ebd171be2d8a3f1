"""Graphs in the files that people have, through ``privgraph convert``, and those of other libraries."""

import csv
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data, HeteroData

import own_graphs
from own_graphs import CLUB, CLUBS, KINDS, PAIRS, N
from privgraph import datasets
from privgraph.cli import main

READ_OFF = {"dates_booleans_empty_cells", "matrix_market_with_a_table"}  # what nobody stated; degrees


def converted(folder: Path, words: list[str], capsys) -> tuple[datasets.GraphSet, str]:
    assert main(["convert", *words, "--to", str(folder / "made.npz")]) == 0, capsys.readouterr().err
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
