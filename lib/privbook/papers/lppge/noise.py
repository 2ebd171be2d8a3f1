"""Chapter 10: vectors that know nothing, beside DPNE's rows, whose length they have: what attackers score all the same.

They share what is exposed and asked, and the attackers' coins, with the tables' runs of the same seed.
"""

from collections.abc import Callable, Iterator

from privgraph.methods.embedding_controls import RandomVectors
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .measures import METRICS, measure
from .settings import SEEDS, owned
from .tables import LARGE, SMALL


def noise_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    data = owned(cell["dataset"], seed)
    return measure(RandomVectors(cell["dimension"]).embed(data, stream("learn", seed)).z, data, seed)


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds of each graph, then ten of the small ones."""
    yield 3, [cell(dataset=dataset) for dataset in (*SMALL, *LARGE)]
    for dataset in SMALL:
        yield SEEDS[dataset], [cell(dataset=dataset)]


EXPERIMENT = Experiment("lppge-noise", 1, {"dimension": 64}, METRICS, grid, noise_run,
                        title="Vectors that know nothing, beside DPNE's (chapter 10)")
