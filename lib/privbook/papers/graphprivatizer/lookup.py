"""GraphPrivatizer: Tables 6 and 8 to 12 print means; the figures, differences to the base case alpha = delta = 0."""

import itertools
import math
from functools import lru_cache, partial

from privgraph.datasets import PRINTED
from privgraph.nn import BACKBONES

from ..current import measured, stamp
from ..lookup import COUNTS, DERIVED, Measured, NotRun, count
from ..published import Printed, entries
from ..shared import private
from .tables import EXPERIMENT

RUNS = 10
LAYERS = {"GAT": "gat", "GATv2": "gatv2", "GCN": "gcn", "GConv": "graphconv", "GT": "gt", "SAGE": "sage"}
METHODS = {"GP": "gp-t", "GP-t": "gp-t", "GP-m": "gp-m", "RR": "two-hop"}
ABSENT = {"LastFM": "data not at hand: LastFM's 7,842 artist columns"}
# The grid of Appendix A, and which of its settings an average is over: by their captions over the 16 with
# alpha, delta > 0; those of three tables include the others too (contradictions/graphprivatizer/averages.py).
MIX, THRESHOLD = ("0", "0.25", "0.5", "0.75", "1"), ("0", "0.1", "0.25", "0.5", "1")
WHOLE, POSITIVE = list(itertools.product(MIX, THRESHOLD)), list(itertools.product(MIX[1:], THRESHOLD[1:]))
OVER_ALL = ("Table 2", "Table 3a", "Table 7")
# Attention over the three million edges of the two-hop baseline's reports, seconds of one run: from GATv2 on Photo (7.7
# an epoch, 0.3 for a pair of an attack), scaled by LPGNN's times to the mean of three layers, and by edges to Facebook.
MILLIONS = {("two-hop", "amazon-photo"): 1900.0, ("two-hop", "facebook-pages"): 2100.0}


def lookup(printed: Printed) -> Measured | NotRun:
    if printed.dataset in ABSENT:
        return NotRun(ABSENT[printed.dataset])
    if printed.metric in COUNTS:
        return count(printed)
    if "cited from other work" in printed.note:
        return NotRun("cited from other work")
    if printed.table == "running text" or printed.dataset == "all":
        return NotRun("a summary of other tables")
    if printed.table in ("Table 1a", "Table 5"):
        return NotRun("a summary over runs that are not listed; chapter 8 prints ours beside it")
    figure = printed.table.startswith("Figure")
    metric = printed.metric.removeprefix("delta_" if figure else "")
    return mean(printed, metric, figure) if metric in ("accuracy", "attack_auc") else NotRun(DERIVED)


def mean(printed: Printed, metric: str, figure: bool) -> Measured:
    """Ten runs of one setting, or of all that an average is over; a figure's are less those of the base case."""
    found = settings(printed)
    seconds = run_seconds(*(found[0][name] for name in ("dataset", "backbone", "method")))
    minus = found[0] | dict(mix=0.0, threshold=0.0) if figure else None
    return Measured(EXPERIMENT.name, found, metric, RUNS, table6_spread(printed), minus, seconds)


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


def run_seconds(dataset: str, backbone: str, method: str) -> float | None:
    """Seconds of one run without edge privacy: the fastest measured, as the others shared the machine."""
    attention = backbone in BACKBONES and BACKBONES[backbone][1] is None
    return attention and MILLIONS.get((method, dataset)) or fastest(stamp(EXPERIMENT.name)).get((dataset, backbone))


@lru_cache(maxsize=1)
def fastest(stamped: tuple) -> dict[tuple, float]:
    """(graph, layers) -> seconds, in the ledger as it is now."""
    taken = {}
    for row in measured(EXPERIMENT.name).rows:
        if row.parameters["method"] == "lpgnn":
            place = row.head.dataset, row.parameters["backbone"]
            taken[place] = min(row.seconds, taken.get(place, math.inf))
    return taken
