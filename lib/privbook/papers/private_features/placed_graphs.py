"""Where real graphs lie: the sizes that decide whether private features can help, counted on each."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch_geometric.data import Data

from ...runs.cache import Cache
from ...runs.grid import Experiment
from ..side_by_side.terms import GRAPHS, people
from .predicted_gain import Case

PLACED = (*GRAPHS, "facebook-pages", "amazon-photo", "fb100-rochester", "dblp", "patients", "digits",
          "cora-twin", "blocks")
SIZES = ("nodes", "classes", "degree", "homophily", "features", "distance")


def placed_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """What a ``Case`` is told of a graph; nothing here is random."""
    return sizes(people(setting["dataset"]))


def sizes(data: Data) -> dict[str, float]:
    """Of the nodes with a label, and of the edges between them."""
    known = data.y >= 0
    shares = torch.bincount(data.y[known], minlength=data.num_classes).double() / int(known.sum())
    ends = data.y[data.edge_index]
    ends = ends[:, (ends >= 0).all(0)]
    return {"nodes": data.num_nodes, "classes": 1 / float(shares.square().sum()),
            "degree": data.num_edges / data.num_nodes, "homophily": float((ends[0] == ends[1]).double().mean()),
            "features": data.num_features,
            "distance": distance(data.x[known], data.y[known], shares, data.feature_range)}


def distance(x: Tensor, y: Tensor, shares: Tensor, feature_range: tuple[float, float]) -> float:
    """Mean over features of the squared difference of two classes' means, over pairs of nodes of unlike classes.

    The noise of the means is taken off, so that features that say nothing of a class have about 0.

    :param x: float [N, d], within the range.
    :param y: int64 [N].
    :param shares: of the classes, double [C].
    :param feature_range: public bounds.
    """
    low, high = feature_range
    x, counts = (x.double() - low) / (high - low), (shares * len(y)).clamp_min(1)
    means = torch.zeros(len(shares), x.size(1), dtype=torch.double).index_add_(0, y, x) / counts[:, None]
    spread = (x - means[y]).square().mean(1)  # of each node around its class
    noise = torch.zeros_like(shares).index_add_(0, y, spread) / counts / (counts - 1).clamp_min(1)
    between = shares @ (means - shares @ means).square().mean(1) - shares @ ((1 - shares) * noise)
    return max(0.0, 2 * float(between) / (1 - float(shares.square().sum())))


def case_of(found: dict[str, float], epsilon: float, labelled: float, steps: int) -> Case:
    """What is counted on a graph, with a budget, labels and hops.

    :param found: as ``sizes`` has it.
    """
    whole = {name: round(found[name]) for name in ("nodes", "features")}
    return Case(**{name: found[name] for name in SIZES} | whole, epsilon=epsilon, labelled=labelled, steps=steps)


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Each graph once."""
    yield 1, [setting(dataset=name) for name in PLACED]


EXPERIMENT = Experiment("private-features-graphs", 1, {}, SIZES, grid, placed_run,
                        title="What decides whether private features help, counted on real graphs (chapter 13)")
