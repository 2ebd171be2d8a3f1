"""Chapter 9: the budget that PATE would report from its teachers' votes, as PrivGNN's Table 2 prints it."""

from privgraph.methods import data_dependent_epsilon

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .released import asked_untrained
from .tables import EXPERIMENT as TABLES
from .tables import LAMBDAS, PARTS, SEEDS, answers, parts


def reported_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The data-dependent epsilon. It is computed from private votes:
    printing it is a release that nobody accounts for."""
    if setting["teacher"] == "reset":
        votes = asked_untrained(setting["dataset"], seed, setting["queries"]).scores
    else:
        votes = answers(TABLES.setting(**setting, method="pate"), seed, cache).scores
    delta = 1 / parts(setting["dataset"], seed)[0].num_nodes  # fits Table 2; the paper states 1e-4
    return {"epsilon": data_dependent_epsilon(votes, 1 / setting["lam"], delta)}


EXPERIMENT = Experiment(
    "pate-reported", 1, {"teacher": str, "lam": float, "queries": int}, ("epsilon",),
    lambda setting: [(SEEDS, [setting(dataset=dataset, teacher=teacher, lam=lam, queries=queries) for dataset in PARTS
                              for teacher in ("mlp", "sage", "reset") for queries in (1000, 500) for lam in LAMBDAS])],
    reported_run, title="The budgets that PATE reports from its votes (chapter 9)")
