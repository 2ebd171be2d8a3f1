"""Chapter 10: made-up sensitive links, each put in by a fair coin, and guessed from what is published.

Canaries join sensitive users who have no link, and are sensitive links themselves: the owner hides them as all others.
Whether one is there nothing public knows. So whatever is found here beyond chance has leaked through the vectors; where
the present ones are deleted before anything is learnt (``gae-rm``), nothing can.
"""

from collections.abc import Callable, Iterator

from privgraph.attacks import canary_auc, canary_runs, closeness, inner_product
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .defences import method
from .settings import owned

RUNS = 40  # of the method: half of them teach the attacker, and her AUC is a mean over the others
COUNT = 26  # canaries; Citeseer has hardly more pairs of sensitive users in which nobody is twice
DEFENCES = ("gae", "gae-rm", "lppge-t", "lppge-a")
SCORES = {"inner": inner_product, "distance": closeness}


def canaries_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The AUC of who has learnt how each canary scores, in percent, with the 95% interval over 20 runs."""
    data = owned(cell["dataset"], seed)
    ran = canary_runs(method(cell["defence"], cell["dataset"]), data, COUNT, RUNS, stream("canaries", seed),
                      SCORES[cell["score"]])
    found = canary_auc(ran.scores, ran.present)
    return {"auc": 100 * found.mean, "low": 100 * found.low, "high": 100 * found.high}


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for dataset in ("cora", "citeseer"):
        for score in SCORES:
            yield 3, [cell(dataset=dataset, defence=name, score=score) for name in DEFENCES]


EXPERIMENT = Experiment("lppge-canaries", 1, {"defence": str, "score": "inner"}, ("auc", "low", "high"), grid,
                        canaries_run, title="Made-up sensitive links, guessed from vectors (chapter 10)")
