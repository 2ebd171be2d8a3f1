"""GraphPrivatizer: tables print means, and differences beside them; figures, differences to the base case."""

import itertools
import math
from dataclasses import replace
from functools import lru_cache, partial

from privgraph.datasets import PRINTED

from ..lookup import ABSENT, COUNTS, DERIVED, FOLLOWS, Measured, NotRun, count
from ..published import Printed, entries
from ..shared import private
from .tables import EXPERIMENT

RUNS = 10
LAYERS = {"GAT": "gat", "GATv2": "gatv2", "GCN": "gcn", "GConv": "graphconv", "GT": "gt", "SAGE": "sage"}
METHODS = {"GP": "gp-t", "GP minus RR": "gp-t", "GP-t": "gp-t", "GP-m": "gp-m", "RR": "two-hop"}
AWAY = {"LastFM": "data not at hand: LastFM's 7,842 artist columns"}
# The grid of Appendix A, and which of its settings an average is over: by their captions over the 16 with
# alpha, delta > 0; those of three tables include the others too (contradictions/graphprivatizer/averages.py).
MIX, THRESHOLD = ("0", "0.25", "0.5", "0.75", "1"), ("0", "0.1", "0.25", "0.5", "1")
WHOLE, POSITIVE = list(itertools.product(MIX, THRESHOLD)), list(itertools.product(MIX[1:], THRESHOLD[1:]))
OVER_ALL = ("Table 2", "Table 3a", "Table 7")


def lookup(printed: Printed) -> Measured | NotRun:
    if printed.dataset in AWAY:
        return NotRun(AWAY[printed.dataset], ABSENT)
    if printed.metric in COUNTS:
        return count(printed)
    if "cited from other work" in printed.note:
        return NotRun("cited from other work")
    if printed.table == "running text" or printed.dataset == "all":
        return NotRun("a summary of other tables", FOLLOWS)
    if printed.table in ("Table 1a", "Table 5"):
        return NotRun("a summary over runs that are not listed; chapter 8 prints ours beside it")
    metric = printed.metric.removeprefix("delta_")
    nothing = metric != printed.metric and printed.parameters.get("epsilon") == "inf"  # of what is the same there
    if nothing or metric not in ("accuracy", "attack_auc"):
        return NotRun(DERIVED, FOLLOWS)
    return mean(printed, metric)


def mean(printed: Printed, metric: str) -> Measured:
    """Ten runs of one setting, or of all that an average is over; of a difference, less those of what it is against: of
    the baseline in Table 6, else of the base case."""
    found, minus = settings(printed), None
    if printed.method == "GP minus RR":
        minus = settings(replace(printed, method="RR"))[0]
    elif printed.metric != metric:
        minus = found[0] | dict(mix=0.0, threshold=0.0)
    return Measured(EXPERIMENT.name, found, metric, RUNS, table6_spread(printed), minus)


def settings(printed: Printed) -> tuple[dict, ...]:
    """The settings of a printed entry: one, or those that an average over alpha and delta is taken of.

    At eps = inf no edge is changed, whatever the method, alpha and delta.
    """
    setting = partial(EXPERIMENT.setting, **private(PRINTED[printed.dataset]), backbone=LAYERS[printed.backbone])
    given, method = printed.parameters, METHODS.get(printed.method, "lpgnn")
    epsilon = float(given.get("epsilon", 0.1))
    if epsilon == math.inf or method == "lpgnn":
        return (setting(method="lpgnn"),)
    if method == "two-hop":
        return (setting(method=method, epsilon=epsilon),)
    pairs = [(given["alpha"], given["delta"])]
    if ">0" in pairs[0]:
        pairs = WHOLE if printed.table in OVER_ALL else POSITIVE
    return tuple(setting(method=method, epsilon=epsilon, mix=float(mix), threshold=float(least))
                 for mix, least in pairs)


def table6_spread(printed: Printed) -> float | None:
    """Tables 8 to 12 print Table 6's runs at eps = inf again, without their spread, or as averages over 16 settings
    that are all the same there (their spread is 0.0 for GCN)."""
    if printed.table == "Table 6" or printed.parameters.get("epsilon") != "inf":
        return None
    return table6_spreads()[printed.dataset, printed.backbone, printed.metric]


@lru_cache(maxsize=None)
def table6_spreads() -> dict[tuple, float]:
    """(graph, layers, metric) -> the spread that Table 6 prints at eps = inf."""
    printed = entries("graphprivatizer", "Table 6", epsilon="inf")
    return {(c.dataset, c.backbone, c.metric): float(c.spread) for c in printed}
