"""Chapter 9: what is the last epoch's accuracy, and what the best epoch's by the test labels?

The second is no result: it is chosen by the answers. It is here because printed accuracies seem to be chosen so.
"""

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data

from privgraph.methods import NodeClassifier
from privgraph.nn import accuracy, train
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .tables import EXPERIMENT as TABLES
from .tables import LAMBDAS, SEEDS, answers, joined, method_of, noisy_shares, parts

DATASET = "amazon-computers"


def epochs_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy after the last epoch, and after the one where it was highest, in percent; and which that was."""
    private, public = parts(setting["dataset"], seed)
    generator = stream("learn", seed)
    if setting["method"] == "b1":
        return curve(private, torch.arange(private.num_nodes), private.y, public, generator)
    if setting["method"] == "b3":
        both = joined(DATASET, private, public)
        return curve(both, both.train_mask.nonzero().view(-1), both.y[both.train_mask], both, generator)
    nodes, labels = train_student(setting, public, seed, cache, generator)
    return curve(public, nodes, labels, public, generator)


def train_student(setting: dict, public: Data, seed: int, cache: Cache,
                  generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Public nodes and the labels, or the shares of labels, that a student is told,
    as in the experiment ``privgnn``."""
    if setting["method"] == "b2":
        nodes = public.train_mask.nonzero().view(-1)
        return nodes, public.y[nodes]
    if setting["method"] == "b4":
        return noisy_shares(setting["lam"], 1000, public, generator)
    whole = TABLES.setting(**setting, queries=1000, rate=0.3, neighbours=750 if setting["method"] == "privgnn" else 0)
    release = method_of(whole).answer(answers(whole, seed, cache), public, stream("collect", seed))
    return release.queries, release.labels


def curve(data: Data, nodes: Tensor, labels: Tensor, tested: Data, generator: torch.Generator) -> dict[str, float]:
    """Train on some nodes of a graph, and look at the test labels after each epoch."""
    how = NodeClassifier()
    model = how.untrained(data.x.size(1), data.num_classes, generator)
    shown = model.prepare(tested.x, tested.edge_index)
    history = train(model, model.prepare(data.x, data.edge_index),
                    lambda logits: F.cross_entropy(logits[nodes], labels),
                    lambda _: -accuracy(model(shown), tested.y, tested.test_mask), epochs=how.epochs,
                    generator=generator,
                    learning_rate=how.learning_rate, weight_decay=how.weight_decay)
    return {"last": -history.val[-1], "best": -min(history.val), "epoch": 1.0 + history.best_epoch}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    yield SEEDS, [setting(method=name) for name in ("b1", "b2", "b3")]
    yield SEEDS, [setting(method=name, noise="laplace", lam=lam) for name in ("privgnn", "oracle", "b4")
                  for lam in LAMBDAS]
    yield SEEDS, [setting(method="privgnn", noise="log-laplace", lam=lam) for lam in LAMBDAS]


EXPERIMENT = Experiment(
    "privgnn-epochs", 1, {"method": str, "noise": "none", "lam": 0.0}, ("last", "best", "epoch"), grid, epochs_run,
    dataset=DATASET, title="The last epoch and the best one by test labels (chapter 9)")
