"""Chapter 10: GAE as Kipf and Welling (2016) judge it, a check of what everything else here is built on.

85% of the links are trained on, 10% are asked about; nothing is selected on the 5% that are left. And how many sampled
pairs a step are enough, beside all of them.
"""

from collections.abc import Callable, Iterator

from sklearn.metrics import average_precision_score

from privgraph.attacks import evaluate_attack, inner_product
from privgraph.datasets import split_links
from privgraph.methods.gae import GAE
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph

SAMPLES = (0, 5000, 1000, 200)  # 0: all pairs


def gae_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC and average precision of the inner products of test links, in percent."""
    kept, asked = split_links(graph(cell["dataset"])[0], stream("split", seed))
    pairs, linked = asked["test"]
    scores = inner_product(GAE(pairs=cell["pairs"] or None).embed(kept, stream("learn", seed)).z, pairs)
    return {"auc": 100 * evaluate_attack(scores, linked).auc,
            "precision": 100 * float(average_precision_score(linked.numpy(), scores.numpy()))}


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for samples in (SAMPLES[:2], SAMPLES[2:]):
        yield 10, [cell(dataset=dataset, pairs=pairs) for pairs in samples for dataset in ("cora", "citeseer")]


EXPERIMENT = Experiment("gae", 1, {"pairs": int}, ("auc", "precision"), grid, gae_run,
                        title="GAE's link prediction, as its authors judge it (chapter 10)")
