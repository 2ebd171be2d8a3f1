"""Algorithm 1 read otherwise: the counts that chapter 10's evidence page sets beside the printed ones."""

from dataclasses import replace

import pytest
import torch

from privgraph import datasets
from privgraph.graph import edge_key
from privgraph.methods import mark_sensitive
from privgraph.methods.sensitive import Hidden, chosen

# graph: (lambda, M, printed in Table 3.1, counted under the other reading)
READINGS = {"cora": (13, 540, 405, 397), "citeseer": (15, 470, 434, 425),
            "fb100-rochester": (220, 16_000, 15_906, 16_137)}


def added_from_both_ends(data, target):
    """Friends of either end are linked to the other, of i first, and the bound of a link follows its ends' degrees."""
    hidden = Hidden.of(data)
    sides = [(link, torch.stack([friend, each.links[1, link]]))
             for each in (hidden, replace(hidden, links=hidden.links.flip(0)))
             for link, friend in [each.candidates()]]
    link, pair = torch.cat([side[0] for side in sides]), torch.cat([side[1] for side in sides], 1)
    order = link.argsort(stable=True)
    key = edge_key(pair[:, order].sort(0).values, data.num_nodes)
    return int(chosen(link[order], key, hidden.bounds(target, by_degree=True)).sum())


@pytest.mark.parametrize("name", READINGS)
def test_other_readings_of_algorithm_1(name):
    if not datasets.at_hand(name):
        pytest.skip(f"{name} is not at hand")
    degree, target, printed, counted = READINGS[name]
    assert added_from_both_ends(mark_sensitive(datasets.load(name), degree), target) == counted != printed
