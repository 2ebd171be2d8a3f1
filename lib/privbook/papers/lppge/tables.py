"""Chapter 10: what an attacker finds in the vectors of each defence, and what they are good for.

The dissertation's Tables 3.2, 3.3 and A.3 to A.8 (the metrics ``mlp_others_f1``, ``mlp_sensitive_f1``, ``node_mlp``,
``node_svm``), and the same vectors before other attackers, asked about other pairs.
"""

from collections.abc import Callable, Iterator

from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .defences import method
from .measures import METRICS, measure
from .settings import SEEDS, owned

PRINTED = ("gae", "gae-rm", "lppge-t", "lppge-a", "npge", "dpne")
WALKS = ("deepwalk",)  # on small graphs only
SMALL, LARGE = ("cora", "citeseer"), ("fb100-yale", "fb100-rochester")
SHARES = (0.25, 0.5, 0.75)


def tables_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Embed once, and measure everything about these vectors."""
    data = owned(cell["dataset"], seed, cell["share"])
    z = method(cell["defence"], cell["dataset"]).embed(data, stream("learn", seed)).z
    return measure(z, data, seed)


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds of the main tables, then ten of the small graphs, then parts of the sensitive links."""
    for dataset in (*SMALL, *LARGE):
        yield 3, [cell(dataset=dataset, defence=name) for name in PRINTED]
    for dataset in SMALL:
        yield SEEDS[dataset], [cell(dataset=dataset, defence=name) for name in (*PRINTED, *WALKS)]
    for dataset in (*SMALL, *LARGE):
        yield SEEDS[dataset], [cell(dataset=dataset, defence=name, share=share)
                               for share in SHARES for name in PRINTED]


EXPERIMENT = Experiment("lppge", 1, {"defence": str, "share": 1.0}, METRICS, grid, tables_run,
                        title="LPPGE and what it is compared with, attacked and used (chapter 10)")
