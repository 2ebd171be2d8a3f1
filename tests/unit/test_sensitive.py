"""Algorithm 1 read otherwise: the counts that chapter 10's evidence page sets beside the printed ones."""

import pytest
import torch

from privgraph import datasets
from privgraph.checks.tensors import edge_key
from privgraph.methods import mark_sensitive
from privgraph.methods.sensitive import bounds, candidates, chosen, with_edges

# graph: (lambda, M, printed in Table 3.1, counted under the other reading)
READINGS = {"cora": (13, 540, 405, 397), "citeseer": (15, 470, 434, 425),
            "fb100-rochester": (220, 16_000, 15_906, 16_137)}


def added_from_both_ends(data, target):
    """Friends of either end are linked to the other, of i first, and the bound of a link follows its ends' degrees."""
    other = with_edges(data, data.edge_index)
    other.sensitive = data.sensitive.flip(0)
    sides = [(link, torch.stack([friend, graph.sensitive[1, link]]))
             for graph in (data, other) for link, friend in [candidates(graph)]]
    link, pair = torch.cat([side[0] for side in sides]), torch.cat([side[1] for side in sides], 1)
    order = link.argsort(stable=True)
    key = edge_key(pair[:, order].sort(0).values, data.num_nodes)
    return int(chosen(link[order], key, bounds(data, target, by_degree=True)).sum())


@pytest.mark.parametrize("name", READINGS)
def test_other_readings_of_algorithm_1(name):
    if not datasets.at_hand(name):
        pytest.skip(f"{name} is not at hand")
    degree, target, printed, counted = READINGS[name]
    assert added_from_both_ends(mark_sensitive(datasets.load(name), degree), target) == counted != printed
