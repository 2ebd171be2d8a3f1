"""Chapter 9: what is the last epoch's accuracy, and what the best epoch's by the test labels?

The second is no result: it is chosen by the answers. It is here because printed accuracies seem to be chosen so.
"""

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data

from ...methods import NodeClassifier
from ...nn import accuracy, train
from ...randomness import seeded
from ..cache import Cache
from ..grid import Experiment
from .privgnn import LAMBDAS, SEEDS, answers, joined, method_of, noisy_labels, noisy_shares, parts

DATASET = "amazon-computers"


def epochs_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy after the last epoch, and after the one where it was highest, in percent; and which that was."""
    private, public = parts(cell["dataset"], seed)
    generator = seeded(3_000_000 + seed)
    if cell["method"] == "b1":
        return curve(private, torch.arange(private.num_nodes), private.y, public, generator)
    if cell["method"] == "b3":
        both = joined(DATASET, private, public)
        return curve(both, both.train_mask.nonzero().view(-1), both.y[both.train_mask], both, generator)
    nodes, labels = lesson(cell, public, seed, cache, generator)
    return curve(public, nodes, labels, public, generator)


def lesson(cell: dict, public: Data, seed: int, cache: Cache, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Public nodes and the labels, or the shares of labels, that a student is told, as in the experiment ``privgnn``."""
    if cell["method"] == "b2":
        nodes = public.train_mask.nonzero().view(-1)
        return nodes, public.y[nodes]
    if cell["method"] == "b4":
        return noisy_shares(cell["lam"], 1000, public, generator)
    setting = noisy_labels(DATASET, cell["method"], lam=cell["lam"], noise=cell["noise"], queries=1000, rate=0.3)
    setting |= dict(neighbours=750) if cell["method"] == "privgnn" else {}
    release = method_of(setting).answer(answers(setting, seed, cache), public, seeded(2_000_000 + seed))
    return release.queries, release.labels


def curve(data: Data, nodes: Tensor, labels: Tensor, tested: Data, generator: torch.Generator) -> dict[str, float]:
    """Train on some nodes of a graph, and look at the test labels after each epoch."""
    how = NodeClassifier()
    model = how.untrained(data.x.size(1), data.num_classes, generator)
    shown = model.prepare(tested.x, tested.edge_index)
    history = train(model, model.prepare(data.x, data.edge_index), lambda logits: F.cross_entropy(logits[nodes], labels),
                    lambda _: -accuracy(model(shown), tested.y, tested.test_mask), epochs=how.epochs, generator=generator,
                    learning_rate=how.learning_rate, weight_decay=how.weight_decay)
    return {"last": -history.val[-1], "best": -min(history.val), "epoch": 1.0 + history.best_epoch}


def cell_of(method: str, noise: str = "none", lam: float = 0.0) -> dict:
    return dict(dataset=DATASET, seeds=SEEDS, method=method, noise=noise, lam=lam)


EXPERIMENT = Experiment(
    "privgnn-epochs", 1, {"method": str, "noise": str, "lam": float}, ("last", "best", "epoch"),
    (*map(cell_of, ("b1", "b2", "b3")),
     *(cell_of("privgnn", noise, lam) for noise in ("laplace", "log-laplace") for lam in LAMBDAS),
     *(cell_of("oracle", "laplace", lam) for lam in LAMBDAS), *(cell_of("b4", "laplace", lam) for lam in LAMBDAS)),
    epochs_run, title="The last epoch and the best one by test labels (chapter 9)")
