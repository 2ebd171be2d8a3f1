"""Chapter 10: where only some links between sensitive users are chosen, whether these are hidden better than the rest.

Section 3.4.4 asks about the chosen ones alone. Here both are set beside the same unconnected pairs of sensitive users,
and the attacker is told of none of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from torch import Tensor

from privgraph.attacks import Exposure
from privgraph.graph import contains, to_undirected
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .defences import method
from .measures import attack, exposed
from .settings import SEEDS, owned
from .tables import SHARES, SMALL

DEFENCES, ATTACKERS, PARTS = ("gae", "gae-rm", "lppge-t", "lppge-a"), ("mlp", "trees", "inner"), ("chosen", "rest")


def customised_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC of three attackers in percent, of the chosen links and of the rest."""
    data = owned(cell["dataset"], seed, cell["share"])
    z = method(cell["defence"], cell["dataset"]).embed(data, stream("learn", seed)).z
    asked = parted(exposed(owned(cell["dataset"], seed), seed), data.sensitive, data.num_nodes)
    return {f"{name}_{part}_auc": 100 * reached.result.auc
            for name in ATTACKERS for part, reached in attack(name, z, asked, seed).items()}


def parted(exposure: Exposure, chosen: Tensor, num_nodes: int) -> Exposure:
    """Asked about ``chosen`` links [2, n] and about the rest of the sensitive ones, each with all pairs of sensitive
    users that are not linked."""
    pairs, linked = exposure.asked["between sensitive users"]
    wanted = contains(to_undirected(chosen, num_nodes), pairs, num_nodes)
    return replace(exposure, asked={part: (pairs[:, kept], linked[kept])
                                    for part, kept in zip(PARTS, (wanted | ~linked, ~wanted), strict=True)})


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds, then all."""
    for seeds in (3, SEEDS[SMALL[0]]):
        yield seeds, [cell(dataset=dataset, defence=name, share=share)
                      for dataset in SMALL for share in SHARES for name in DEFENCES]


EXPERIMENT = Experiment("lppge-customised", 1, {"defence": str, "share": float},
                        tuple(f"{name}_{part}_auc" for name in ATTACKERS for part in PARTS), grid, customised_run,
                        title="Some sensitive links chosen, and the others beside them (chapter 10)")
