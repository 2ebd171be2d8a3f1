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
from .privgnn import LAMBDAS, SEEDS, answers, method_of, noisy_labels, parts

DATASET = "amazon-computers"


def epochs_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy after the last epoch, and after the one where it was highest, in percent; and which that was."""
    private, public = parts(cell["dataset"], seed)
    data, nodes = public, public.train_mask.nonzero().view(-1)
    if cell["method"] == "b1":
        data, nodes = private, torch.arange(private.num_nodes)
    labels = data.y[nodes]
    if cell["method"] == "privgnn":
        setting = noisy_labels(DATASET, "privgnn", lam=cell["lam"], noise=cell["noise"], queries=1000, neighbours=750, rate=0.3)
        release = method_of(setting).answer(answers(setting, seed, cache), public, seeded(2_000_000 + seed))
        nodes, labels = release.queries, release.labels
    return curve(data, nodes, labels, public, seeded(3_000_000 + seed))


def curve(data: Data, nodes: Tensor, labels: Tensor, public: Data, generator: torch.Generator) -> dict[str, float]:
    """Train on some nodes of a graph, and look at the test labels after each epoch."""
    how = NodeClassifier()
    model = how.untrained(data.x.size(1), data.num_classes, generator)
    tested = model.prepare(public.x, public.edge_index)
    history = train(model, model.prepare(data.x, data.edge_index), lambda logits: F.cross_entropy(logits[nodes], labels),
                    lambda _: -accuracy(model(tested), public.y, public.test_mask), epochs=how.epochs, generator=generator,
                    learning_rate=how.learning_rate, weight_decay=how.weight_decay)
    return {"last": -history.val[-1], "best": -min(history.val), "epoch": 1.0 + history.best_epoch}


def cell_of(method: str, noise: str = "none", lam: float = 0.0) -> dict:
    return dict(dataset=DATASET, seeds=SEEDS, method=method, noise=noise, lam=lam)


EXPERIMENT = Experiment(
    "privgnn-epochs", 1, {"method": str, "noise": str, "lam": float}, ("last", "best", "epoch"),
    (cell_of("b1"), cell_of("b2"), *(cell_of("privgnn", noise, lam) for noise in ("laplace", "log-laplace") for lam in LAMBDAS)),
    epochs_run, title="The last epoch and the best one by test labels (chapter 9)")
