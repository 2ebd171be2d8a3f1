"""Chapter 10: what the classes of published vectors say where their method did not read the labels.

LPPGE(T) reads the labels of a share of the nodes, and the classifier is taught and asked about the others; GAE, which
reads none, beside it on the same nodes. With all labels read, all nodes are asked about.
"""

from collections.abc import Callable, Iterator

import torch

from privgraph import datasets
from privgraph.methods.sensitive import mark_sensitive
from privgraph.randomness import seeded

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from .defences import SETTINGS, method
from .metrics import classes

SHARES = (1.0, 0.5, 0.1)
GRAPHS = ("cora-twin", "cora")  # a page runs on the one that is at hand
DEGREE = SETTINGS["cora"].degree


def labels_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Macro F1 of two learners, in percent. The coins are those of the page's other vectors."""
    data = mark_sensitive(graph(setting["dataset"])[0], DEGREE)
    asked = torch.ones(data.num_nodes, dtype=torch.bool)
    if setting["share"] < 1:
        some = datasets.split(data, seeded(10 * seed + 3), train=setting["share"], val=0.1)
        asked = ~some.train_mask
        data = some if setting["defence"] != "gae" else data
    z = method(setting["defence"], "cora").embed(data, seeded(10 * seed + 2)).z
    return classes(z[asked], data.y[asked], seeded(10 * seed + 4))


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for dataset in GRAPHS:
        yield 1, [setting(dataset=dataset, defence=defence, share=share)
                  for share in SHARES for defence in ("lppge-t", "gae")]


EXPERIMENT = Experiment("lppge-labels", 1, {"defence": str, "share": float}, ("node_mlp", "node_svm"), grid, labels_run,
                        title="Classes of nodes whose labels the vectors did not read (chapter 10)")
