"""What fitting each method takes, measured beside what ``effort`` says of it beforehand.

    benchmarks/effort.py                         a graph of 20,000 nodes and 10^5 edges, a few minutes
    benchmarks/effort.py --nodes 2700 lpgnn gap  another size, and some methods only

Few epochs and few queries, as the estimate is proportional to them. Seconds are of one processor (``process_time``), so
that a busy machine changes them little. A ratio above 1: it takes longer than is said. The constants of
``privgraph.effort`` were chosen so that ratios lie between a third and three.
"""

import argparse
import time

from privgraph.datasets import GroupFeatures, blocks, split
from privgraph.datasets.splits import parts
from privgraph.effort import Effort
from privgraph.methods import (
    Curated,
    Distilled,
    Embedding,
    Federation,
    FewShot,
    Method,
    NodeClassifier,
    all_methods,
    extent_of,
)
from privgraph.methods.controls import CONTROLS
from privgraph.methods.federated import hold
from privgraph.randomness import seeded

FEW = NodeClassifier(epochs=10)
QUICK = {"onehopgcn": dict(bound=100, epochs=2), "nodegap": dict(bound=100, epochs=2), "dpsgd": dict(epochs=2),
         "gae": dict(epochs=10), "lppge": dict(epochs=5, sensitive_degree=20), "deepwalk": dict(walks=1, epochs=1),
         "fedavggat": dict(rounds=0, epochs=3), "federatedgat": dict(rounds=1, epochs=2),
         "federateddeepwalk": dict(rounds=0, first_epochs=1, walks=1),
         "pate": dict(scale=1.0, num_queries=100, student=FEW, teacher=NodeClassifier("mlp", epochs=10)),
         "privgnn": dict(scale=1.0, num_queries=10, student=FEW)}


def one_fit(method: Method, data) -> tuple[Effort, float]:
    """What is said of one fit, and the seconds that it takes."""
    extent, begun = extent_of(data), time.process_time()
    if isinstance(method, Distilled):
        method.fit(*parts(data, 0.5, 0), seed=0)
        said = method.teaching_effort(extent.part(0.5), extent.part(0.5)) + method.student.effort(extent.part(0.5))
    elif isinstance(method, Federation):
        method.fit(hold(data, seeded(1)), seed=0)
        said = method.client_effort(extent.part(0.55)) * 4
    else:
        method.fit(data, seed=0)
        said = (method.training_effort(extent) if isinstance(method, Curated) else
                method.embedding_effort(extent) if isinstance(method, Embedding) else
                method.effort(extent) * (1 / len(CONTROLS)))
    return said, time.process_time() - begun


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--nodes", type=int, default=20_000)
    options.add_argument("--features", type=int, default=32)
    asked = options.parse_args()
    data = split(blocks(seeded(0), nodes=asked.nodes, classes=5, features=asked.features), seeded(0))
    for name, kind in all_methods().items():
        if issubclass(kind, FewShot) or asked.names and name not in asked.names:
            continue
        try:
            said, taken = one_fit(kind(**QUICK.get(name, {})), GroupFeatures(1)(data) if name == "rgnn" else data)
            print(f"{name:20} {taken:8.2f} s, said {said.seconds:8.2f} s, ratio {taken / said.seconds:.2f}", flush=True)
        except ValueError as error:
            print(f"{name:20} {error}", flush=True)


if __name__ == "__main__":
    main()
