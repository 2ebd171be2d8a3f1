"""Chapter 12: readout, distance, rate and the weights of contrast, chosen without a look at the classes of the tests.

The base classes are split in two, anew with each seed: training sees one half, tasks come from the other. What is best
there on average is ``CHOSEN``, and a test compares it with the ledger.
"""

from collections.abc import Callable, Iterator
from itertools import product

from privgraph.datasets import Sampler
from privgraph.methods import SEGCL, Episodes, PrototypicalNetwork
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import LARGE, METRICS, QUERIES, SMALL, WAYS, held, shuffled, solved, summary, tasks_of

SEEDS, FEWER, FEWEST, SHOTS = 10, 5, 3, 5  # fewer on the large sets, of SE-GCL fewest
READOUTS, DISTANCES, RATES = ("mean", "sum", "mincut"), ("wasserstein", "euclidean"), (0.001, 0.005, 0.02)
BETAS, TEMPERATURES = (0.1, 1.0), (0.1, 0.5, 2.0)
# For each set the readout, the distance and the rate of PN, and the weight and temperature of SE-GCL's contrast with
# these: the best of the grid on base classes.
CHOSEN = {"triangles-sample": ("mean", "euclidean", 0.02, 0.1, 0.1),
          "letter-high": ("sum", "euclidean", 0.005, 0.1, 2.0),
          "triangles": ("mean", "euclidean", 0.001, 0.1, 0.1),
          "letters": ("sum", "euclidean", 0.005, 0.1, 2.0),
          "amazon-clothing": ("mincut", "euclidean", 0.001, 0.1, 0.1),
          "neighbourhoods-twin": ("sum", "euclidean", 0.001, 0.1, 2.0)}


def built(cell: dict) -> Episodes:
    """The method that a cell names."""
    same = dict(readout=cell["readout"], distance=cell["distance"], learning_rate=cell["learning_rate"])
    if cell["method"] == "pn":
        return PrototypicalNetwork(**same)
    return SEGCL(beta=cell["beta"], temperature=cell["temperature"], **same)


def choice_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Tasks of base classes that training did not see."""
    data = held(cell["dataset"])
    mixed = shuffled(data.train_classes, stream("split", seed))
    half = len(mixed) // 2
    seen, new = mixed[half:], mixed[:half]
    ways = min(WAYS[data.name], len(new))
    return summary(solved(built(cell), Sampler(data, seen, ways, SHOTS, QUERIES),
                          tasks_of(data, new, ways, SHOTS, seed), seed))


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """All combinations for PN, and for SE-GCL with what PN takes."""
    seeds = dict.fromkeys(SMALL, SEEDS) | dict.fromkeys(LARGE, FEWER)
    for name in WAYS:
        yield seeds[name], [cell(dataset=name, method="pn", readout=readout, distance=distance, learning_rate=rate)
                      for readout, distance, rate in product(READOUTS, DISTANCES, RATES)]
    for name, (readout, distance, rate, *_) in CHOSEN.items():
        yield SEEDS if name in SMALL else FEWEST, [
            cell(dataset=name, method="segcl", readout=readout, distance=distance, learning_rate=rate, beta=beta,
                 temperature=temperature) for beta, temperature in product(BETAS, TEMPERATURES)]


EXPERIMENT = Experiment(
    "segcl-choice", 1, {"method": str, "readout": str, "distance": str, "learning_rate": float, "beta": 0.0,
                        "temperature": 0.0}, METRICS, grid, choice_run,
    title="What is chosen for few-shot tasks, on base classes (chapter 12)")
