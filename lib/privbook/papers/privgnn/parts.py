"""Chapter 9: edges of the private and the public graph (PrivGNN, Table 11),
and the largest class among the test nodes."""

import torch

from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .released import drawn_from_all
from .tables import PARTS, SEEDS, parts


def parts_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Undirected edges inside the two parts of a random split, and in a public part drawn as in the authors' code;
    and the accuracy, in percent, of one answer for all.
    """
    private, public = parts(setting["dataset"], seed)
    tested = public.y[public.test_mask]
    released = drawn_from_all(setting["dataset"], public.num_nodes, stream("released", seed))
    return {"private": private.num_edges / 2, "public": public.num_edges / 2, "released": released.num_edges / 2,
            "constant": 100 * float(torch.bincount(tested).max()) / tested.numel()}


EXPERIMENT = Experiment(
    "privgnn-parts", 3, {}, ("private", "public", "released", "constant"),
    lambda setting: [(SEEDS, [setting(dataset=name) for name in PARTS])], parts_run,
    title="Edges of the private and the public graph (chapter 9)")
