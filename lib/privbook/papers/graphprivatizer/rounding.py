"""Chapter 8: how far rounding alone moves a run. The same run with the same coins, its edges listed in another order.

An attention adds up a node's edges in the order in which they come. In another order the sum differs in its last bits
and in nothing else, and training makes more of that. GCN reads its edges from a sorted matrix, and is the control: it
must not move.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from ..shared import private
from .tables import judged, release_of

MOVED = ("accuracy", "attack_auc", "linkteller_auc")
BACKBONES = ("gcn", "gat", "gatv2", "gt")
SEEDS = 20


def rounding_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Accuracy and two attacks on LPGNN, in percent, and by how many points each moves with the order."""
    setting = setting | dict(method="lpgnn", training="paper")
    release = release_of(setting, seed, cache)
    order = torch.randperm(release.edge_index.size(1), generator=stream("controls", seed))
    again = judged(setting, seed, replace(release, edge_index=release.edge_index[:, order]))
    first = judged(setting, seed, release)
    return {name: first[name] for name in MOVED} | {f"{name}_moved": again[name] - first[name] for name in MOVED}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    yield SEEDS, [setting(**private("cora"), backbone=backbone) for backbone in BACKBONES]


EXPERIMENT = Experiment(
    "rounding", 1, {"backbone": str, "epsilon_x": float, "epsilon_y": float, "x_steps": int, "y_steps": int},
    (*MOVED, *(f"{name}_moved" for name in MOVED)), grid, rounding_run,
    title="The same runs with their edges in another order (chapter 8)")
