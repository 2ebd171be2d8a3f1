"""Chapter 10: what a defence has above its parts, above noise, and above what needs no defence at all."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from privgraph.methods.embedding_controls import Noised
from privgraph.methods.sensitive import without_links
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .defences import method
from .measures import METRICS, measure
from .settings import SEEDS, owned
from .tables import LARGE, SMALL

PARTS = ("drop-users", "bottleneck", "permuted", "no-discriminator", "alpha-0", "alpha-0-permuted", "features",
         "labels-degree")
NOISE = (0.5, 1.0, 2.0, 4.0)  # in deviations of the vectors
CODE, CODES = 4, (2, 8, 16)  # widths of Z': the printed one, which the tables have, and others


def controls_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """As the tables, with noise on the vectors, or another width of the code."""
    data, defence = owned(cell["dataset"], seed), method(cell["defence"], cell["dataset"])
    if cell["code"] != CODE:
        defence = replace(defence, code=cell["code"])
    if cell["noise"]:
        defence = Noised(defence, cell["noise"])
    # Published degrees: those without the sensitive links.
    published = without_links(data, data.sensitive) if cell["defence"] == "labels-degree" else data
    return measure(defence.embed(published, stream("learn", seed)).z, data, seed)


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Cora first; dropping the links of sensitive users and noise also where runs take long."""
    def parts(dataset: str) -> list[dict]:
        return [*(cell(dataset=dataset, defence=name) for name in PARTS),
                *(cell(dataset=dataset, defence="gae-rm", noise=noise) for noise in NOISE)]

    def codes(dataset: str) -> list[dict]:
        return [cell(dataset=dataset, defence="lppge-t", code=code) for code in CODES]
    for dataset in SMALL:
        yield 3, [*parts(dataset), *codes(dataset)]
    for dataset in LARGE:
        yield SEEDS[dataset], parts(dataset)
    for dataset in SMALL:
        yield SEEDS[dataset], [*parts(dataset), *codes(dataset)]


EXPERIMENT = Experiment("lppge-controls", 1, {"defence": str, "noise": 0.0, "code": CODE}, METRICS, grid, controls_run,
                        title="What LPPGE has above its parts, above noise and above deletion (chapter 10)")
