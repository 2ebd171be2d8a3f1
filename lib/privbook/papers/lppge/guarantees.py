"""Chapter 10: what a guarantee for links would cost instead: a mechanism answers for the links, then GAE.

``sensitive-pairs`` answers for the pairs between sensitive users, whose list must be public and made without a look at
these links: the unit is a sensitive link. ``all-pairs`` and ``degrees`` (degree-preserving) answer for all pairs: the
unit is an undirected edge.
"""

from collections.abc import Callable, Iterator

from privgraph.mechanisms import DegreePreservingResponse, SymmetricResponse
from privgraph.mechanisms.sensitive_response import SensitiveResponse
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .defences import SETTINGS, gae, owned
from .metrics import METRICS, measure

RESPONSES = {"sensitive-pairs": SensitiveResponse, "all-pairs": SymmetricResponse.for_edge,
             "degrees": DegreePreservingResponse.for_edge}
BUDGETS = (1.0, 2.0, 4.0, 8.0)


def guarantees_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """As the tables."""
    data = owned(setting["dataset"], seed)
    mechanism = RESPONSES[setting["response"]](setting["epsilon"])
    z = gae(SETTINGS[setting["dataset"]], edges=mechanism).embed(data, stream("learn", seed)).z
    return measure(z, data, seed)


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """All on Cora; on the others what keeps the other links as they are. The largest budgets list the fewest lies."""
    def budgets(dataset: str, response: str) -> list[dict]:
        return [setting(dataset=dataset, response=response, epsilon=epsilon)
                for epsilon in sorted(BUDGETS, reverse=True)]
    for response in RESPONSES:
        yield 3, budgets("cora", response)
    for dataset in ("citeseer", "fb100-yale", "fb100-rochester"):
        yield 3, budgets(dataset, "sensitive-pairs")
    yield 10, budgets("cora", "sensitive-pairs")
    yield 3, [each for response in ("all-pairs", "degrees") for each in budgets("citeseer", response)]


EXPERIMENT = Experiment("lppge-guarantees", 1, {"response": str, "epsilon": float}, METRICS, grid, guarantees_run,
                        title="Mechanisms for links, then GAE: what a guarantee costs (chapter 10)")
