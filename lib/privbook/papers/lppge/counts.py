"""Chapter 10: sensitive links and added links, as the dissertation's Table 3.1 counts them. Nothing here is random."""

from privgraph.methods.sensitive import added

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import SETTINGS, owned


def counts_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Links, sensitive ones as a share of all in percent, and those that Algorithm 1 adds."""
    data = owned(cell["dataset"], seed)
    more = added(data, SETTINGS[cell["dataset"]].target)
    return {"sensitive_links": data.sensitive.size(1), "sensitive_share": 200 * data.sensitive.size(1) / data.num_edges,
            "added_links": (more.num_edges - data.num_edges) / 2, "sensitive_users": int(data.sensitive_users.sum())}


EXPERIMENT = Experiment(
    "lppge-counts", 1, {}, ("sensitive_links", "sensitive_share", "added_links", "sensitive_users"),
    lambda cell: [(1, [cell(dataset=name) for name in SETTINGS])], counts_run,
    title="Sensitive and added links (chapter 10)")
