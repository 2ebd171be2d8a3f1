"""Categories beside what the papers print of them."""

import pytest
import torch
from torch_geometric.data import Data

from privbook.papers.published import entries
from privgraph import datasets
from privgraph.datasets import GroupFeatures, Quantiles

BLOCK = {"Cora": 25, "Citeseer": 70, "DBLP": 50, "Facebook": 100, "German": 1, "Student": 1}  # section V-A1
NAMES = {"Facebook": "facebook-pages", "German": "german-rgnn", "Student": "student-rgnn"}


def toy(x, **more) -> Data:
    """A graph without edges, with these features."""
    return Data(x=torch.as_tensor(x, dtype=torch.float32), edge_index=torch.empty(2, 0, dtype=torch.long), **more)


def zeros(x: torch.Tensor) -> float:
    """The share of entries that are zero, in percent."""
    return 100 * (1 - int(x.count_nonzero()) / x.numel())


def printed(graph: str, metric: str):
    entry, = entries("rgnn", "Table I", dataset=graph, metric=metric)
    return entry


@pytest.mark.parametrize("graph", ["Citeseer", "Cora", "DBLP", "Facebook"])
def test_the_blocks_of_the_paper_give_its_dimensions(graph):
    """From the cards alone: every row of Table I has ceil(d / s) grouped features."""
    features = datasets.card(NAMES.get(graph, graph.lower())).features
    assert features == printed(graph, "features").value
    grouped = GroupFeatures(BLOCK[graph])(toy(torch.zeros(1, features)))
    assert grouped.x.shape == (1, printed(graph, "grouped_features").value)
# The only cell of these that does not round to what is printed, and what it is.
OTHERWISE = {("Citeseer", "sparsity_of_features"): 99.1464}


def agrees(graph: str, metric: str, ours: float) -> bool:
    """Whether ours rounds to the printed number."""
    entry = printed(graph, metric)
    return abs(ours - entry.value) <= entry.rounding


@pytest.mark.parametrize("graph", BLOCK)
def test_sparsity_is_that_of_table_1(graph):
    """Shares of zeros before and after grouping, on the real graphs; DBLP's amounts are made 0/1 first."""
    name = NAMES.get(graph, graph.lower())
    if not datasets.at_hand(name):
        pytest.skip(f"{name} is not on this machine")
    data = datasets.load(name)
    found = {"sparsity_of_features": zeros(data.x)}
    if graph == "DBLP":
        data = Quantiles(cuts=[(0,)] * data.x.size(1))(data)
    grouped = GroupFeatures(BLOCK[graph])(data)
    if BLOCK[graph] > 1:
        found["sparsity_of_grouped_features"] = zeros(grouped.x)
    for metric, ours in found.items():
        if (graph, metric) in OTHERWISE:
            assert not agrees(graph, metric, ours) and round(ours, 4) == OTHERWISE[graph, metric]
        else:
            assert agrees(graph, metric, ours), (metric, ours)
