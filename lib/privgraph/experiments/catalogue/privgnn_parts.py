"""Chapter 9: edges of the private and the public graph (PrivGNN, Table 11), and the largest class among the test nodes."""

import torch

from ..cache import Cache
from ..grid import Experiment
from .privgnn import PARTS, SEEDS, parts


def parts_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Undirected edges inside the two parts of a random split; and the accuracy, in percent, of one answer for all."""
    private, public = parts(cell["dataset"], seed)
    tested = public.y[public.test_mask]
    return {"private": private.num_edges / 2, "public": public.num_edges / 2,
            "constant": 100 * float(torch.bincount(tested).max()) / tested.numel()}


EXPERIMENT = Experiment(
    "privgnn-parts", 1, {}, ("private", "public", "constant"), tuple(dict(dataset=name, seeds=SEEDS) for name in PARTS), parts_run,
    title="Edges of the private and the public graph (chapter 9)")
