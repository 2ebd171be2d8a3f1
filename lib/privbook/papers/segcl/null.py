"""Chapter 12: what can be counted names graphs without any training; before any network.

Nearest class mean on numbers of nodes, edges, degrees, triangles, eigenvalues, and on means of features.
"""

from collections.abc import Callable, Iterator

from privgraph.datasets import Sampler
from privgraph.methods import StructuralMean
from privgraph.methods.few_shot.structure import COLUMNS

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import METRICS, QUERIES, SHOTS, WAYS, held, solved, summary, tasks_of

SEEDS = 5


def null_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Tasks of classes that nothing was fitted to."""
    data, ways = held(cell["dataset"]), cell["ways"]
    sampler = Sampler(data, data.train_classes, ways, cell["shots"], QUERIES)
    tasks = tasks_of(data, data.test_classes, ways, cell["shots"], seed)
    return summary(solved(StructuralMean(cell["columns"]), sampler, tasks, seed))


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Every set, every number of shots."""
    for name, ways in WAYS.items():
        yield SEEDS, [cell(dataset=name, ways=ways, shots=shots, columns=columns)
                      for columns in COLUMNS for shots in (1, *SHOTS)]


EXPERIMENT = Experiment("segcl-null", 1, {"columns": str, "ways": int, "shots": int}, METRICS, grid, null_run,
                        title="Few-shot tasks by counting alone (chapter 12)")
