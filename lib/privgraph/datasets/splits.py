"""Random splits into training, validation and test nodes."""

import copy

import torch
from torch_geometric.data import Data

from ..checks import check_generator, check_share


def split(data: Data, generator: torch.Generator, train: float = 0.5, val: float = 0.25) -> Data:
    """A copy of ``data`` with masks: 50/25/25 of the labelled nodes by default, the rest for testing.

    Only nodes with a label (y >= 0) are in any mask. Masks are bool [N]. x, y and edges are shared
    with the original, not copied.
    """
    check_generator(generator)
    check_share(train, "train"), check_share(val, "val")
    if train + val >= 1:
        raise ValueError(f"train + val must be below 1 to leave test nodes, got {train} + {val}")
    labelled = (data.y >= 0).nonzero().view(-1)
    order = labelled[torch.randperm(labelled.numel(), generator=generator)]
    cuts = [round(train * order.numel()), round((train + val) * order.numel())]
    if not 0 < cuts[0] < cuts[1] < order.numel():
        raise ValueError(f"{order.numel()} labelled nodes are too few for a {train:g}/{val:g} split: "
                         "each part needs at least one")
    data = copy.copy(data)
    for name, nodes in zip(("train_mask", "val_mask", "test_mask"), order.tensor_split(cuts)):
        mask = torch.zeros(data.num_nodes, dtype=torch.bool)
        mask[nodes] = True
        data[name] = mask
    return data
