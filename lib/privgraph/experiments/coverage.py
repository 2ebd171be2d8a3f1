"""Every printed number beside ours: where ours is found, and the reason where there is none.

``plan`` says for each printed cell which rows of which ledger answer it, or why none can. Nothing here
holds a result; ``compare_paper`` reads the ledgers each time.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

import torch

from ..methods import data_dependent_epsilon
from ..nn import BACKBONES, Interval, interval
from ..privacy import printed_epsilon
from .catalogue import EXPERIMENTS
from .catalogue.rgnn import tables as rgnn_table
from .catalogue.settings import private
from .plan import identity, lookup, rows_of
from .printed import Printed, cells, published
from .verdicts import SCALE, compare, compare_computed

VERDICTS = ("agrees", "inconclusive", "differs", "not run", "uncertain reading")
GRAPHS = {"Cora": "cora", "Citeseer": "citeseer", "PubMed": "pubmed", "Facebook": "facebook-pages",
          "Amazon Photo": "amazon-photo", "DBLP": "dblp", "German": "german-rgnn", "Student": "student-rgnn"}
LAYERS = {"GAT": "gat", "GATv2": "gatv2", "GCN": "gcn", "GConv": "graphconv", "GT": "gt", "SAGE": "sage"}
COUNTS = {"nodes": "nodes", "edges": "edges", "links": "edges", "features": "features", "classes": "classes",
          "average_degree": "average_degree", "sparsity_of_features": "sparsity",
          "grouped_features": "grouped_features", "sparsity_of_grouped_features": "grouped_sparsity"}
# Why a graph cannot be had; the chapters say more.
ABSENT = {("graphprivatizer", "LastFM"): "data not at hand: LastFM's 7,842 artist columns",
          **{("privgnn", name): f"data not at hand: {name}" for name in ("Amazon2M", "Reddit", "ArXiv")},
          ("privgnn", "Facebook"): "data not at hand: the students of UIUC",
          **{("dissertation", name): f"data not at hand: the episodes of {name}"
             for name in ("Amazon-Clothing", "DBLP")}}
DERIVED = "follows from other printed columns"
NO_CARD = "this graph has no card here yet"


@dataclass(frozen=True)
class Measured:
    """Rows of the ledger that answer a printed cell.

    :param setting: dataset and every parameter. :param runs: how many runs the printed mean is over; None
        where nothing is random. :param spread: their deviation over runs, where the cell itself has another or none.
    :param minus: the setting that a printed difference is against; ours is paired by seed.
    """

    experiment: str
    setting: Mapping
    metric: str
    runs: int | None
    spread: float | None = None
    minus: Mapping | None = None


@dataclass(frozen=True)
class Computed:
    """What follows from the printed settings without a run. Papers round such numbers, or cut them."""

    value: float


@dataclass(frozen=True)
class NotRun:
    """Why there is no number of ours.

    :param work: what would have to be run: one key a setting, with the seconds it would take on one core
        (None where nothing like it was measured).
    """

    reason: str
    work: Mapping[tuple, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """A printed cell, ours if there is one (in the printed unit), the difference and the verdict."""

    printed: Printed
    verdict: str
    ours: Interval | None = None
    gap: Interval | None = None
    reason: str = ""
    work: Mapping[tuple, float | None] = field(default_factory=dict)


def compare_paper(paper: str) -> list[Comparison]:
    """Every printed cell of a paper with its verdict, in the paper's order."""
    measured.cache_clear()
    fastest.cache_clear()
    return [compare_cell(printed) for printed in published(paper)]


def compare_cell(printed: Printed) -> Comparison:
    """One printed cell with its verdict."""
    if printed.reading == "uncertain":
        return Comparison(printed, "uncertain reading", reason=printed.note)
    planned = plan(printed) if printed.mean else NotRun("printed as a dash")
    if isinstance(planned, NotRun):
        return Comparison(printed, "not run", reason=planned.reason, work=planned.work)
    if isinstance(planned, Computed):
        gap, verdict = compare_computed(planned.value, printed)
        return Comparison(printed, verdict, Interval(planned.value, 0.0, 1), gap)
    values = values_of(planned)
    if not values:
        setting = identity(EXPERIMENTS[planned.experiment])(planned.setting)
        seconds = run_seconds(*(planned.setting.get(name, "") for name in ("dataset", "backbone", "method")))
        return Comparison(printed, "not run", reason=f"`privgraph reproduce {planned.experiment}` has not run it yet",
                          work={setting: seconds and (planned.runs or 1) * seconds})
    values = [value / SCALE.get(printed.unit, 1.0) for value in values]
    gap, verdict = compare(values, printed, planned.runs, planned.spread)
    ours = interval(values) if planned.runs else Interval(values[0], 0.0, len(values))
    return Comparison(printed, verdict, ours, gap)


def values_of(planned: Measured) -> list[float]:
    """The values of all seeds, or the differences of those that both settings have."""
    ours = measured(planned.experiment)(planned.setting, planned.metric)
    if planned.minus is None:
        return list(ours.values())
    base = measured(planned.experiment)(planned.minus, planned.metric)
    return [value - base[seed] for seed, value in ours.items() if seed in base]


@lru_cache(maxsize=None)
def measured(experiment: str) -> Callable[[Mapping, str], dict[int, float]]:
    return lookup(EXPERIMENTS[experiment])


@lru_cache(maxsize=None)
def planned_places(experiment: str) -> frozenset[tuple]:
    """The settings of an experiment's grid."""
    setting = identity(EXPERIMENTS[experiment])
    return frozenset(setting(cell) for cell in EXPERIMENTS[experiment].cells)


def plan(printed: Printed) -> Measured | Computed | NotRun:
    """Where ours is found, or why not."""
    if (printed.paper, printed.dataset) in ABSENT and printed.metric not in (*COUNTS, "epsilon"):
        return NotRun(ABSENT[printed.paper, printed.dataset], privgnn_work(printed))
    return PLANS[printed.paper](printed)


def graphprivatizer(printed: Printed) -> Measured | NotRun:
    """Tables 6 and 8 to 12 print means; the figures print differences to the base case alpha = delta = 0."""
    if printed.table == "Table 4":
        return count(printed, NotRun(ABSENT["graphprivatizer", "LastFM"]))
    if "cited from other work" in printed.note:
        return NotRun("cited from other work")
    if printed.table == "running text" or printed.dataset == "all":
        return NotRun("a summary of other tables")
    if printed.table in ("Table 1a", "Table 5"):
        return NotRun("a summary over runs that are not listed; chapter 8 prints ours beside it")
    metric, figure = printed.metric.removeprefix("delta_"), printed.table.startswith("Figure")
    if metric not in ("accuracy", "attack_auc") or (metric != printed.metric and not figure):
        return NotRun(DERIVED)
    setting = graphprivatizer_setting(printed)
    if identity(EXPERIMENTS["graphprivatizer"])(setting) not in planned_places("graphprivatizer"):
        several = printed.parameters.get("alpha") == ">0" and setting["epsilon"] < math.inf
        reason = "an average over 16 or 25 settings" if several else "a setting that our grid leaves out"
        return NotRun(reason, graphprivatizer_work(printed))
    if figure:
        return Measured("graphprivatizer", setting, metric, 10, minus=setting | dict(mix=0.0, threshold=0.0))
    return Measured("graphprivatizer", setting, metric, 10, spread=table6_spread(printed))


METHODS = {"GP": "gp-t", "GP-t": "gp-t", "GP-m": "gp-m", "RR": "two-hop"}


def graphprivatizer_setting(printed: Printed) -> dict:
    """The setting of a printed cell; at eps = inf no edge is changed, whatever the method, alpha and delta."""
    dataset, given = GRAPHS[printed.dataset], printed.parameters
    cell = partial(EXPERIMENTS["graphprivatizer"].cell, **private(dataset), backbone=LAYERS[printed.backbone])
    epsilon, method = float(given.get("epsilon", 0.1)), METHODS.get(printed.method, "lpgnn")
    if epsilon == math.inf or method == "lpgnn":
        return cell(method="lpgnn")
    if method == "two-hop":
        return cell(method=method, epsilon=epsilon)
    mix, threshold = (float("nan") if given[name] == ">0" else float(given[name]) for name in ("alpha", "delta"))
    return cell(method=method, epsilon=epsilon) | dict(mix=mix, threshold=threshold)


def table6_spread(printed: Printed) -> float | None:
    """Tables 8 to 12 print Table 6's runs at eps = inf again, without their spread, or as averages over 16 settings
    that are all the same there (their spread is 0.0 for GCN)."""
    if printed.table == "Table 6" or printed.parameters.get("epsilon") != "inf":
        return None
    return table6_spreads()[printed.dataset, printed.backbone, printed.metric]


@lru_cache(maxsize=None)
def table6_spreads() -> dict[tuple, float]:
    """(graph, layers, metric) -> the spread that Table 6 prints at eps = inf."""
    printed = cells("graphprivatizer", "Table 6", epsilon="inf")
    return {(c.dataset, c.backbone, c.metric): float(c.spread) for c in printed}


# GraphPrivatizer's grid (Appendix A), and which of its cells an average is over: by their captions all averages are
# over the 16 with alpha, delta > 0; those of three tables include the others too (contradictions/graphprivatizer.py).
MIX, THRESHOLD = ("0", "0.25", "0.5", "0.75", "1"), ("0", "0.1", "0.25", "0.5", "1")
WHOLE, POSITIVE = list(itertools.product(MIX, THRESHOLD)), list(itertools.product(MIX[1:], THRESHOLD[1:]))
OVER_ALL = ("Table 2", "Table 3a", "Table 7")


def graphprivatizer_work(printed: Printed) -> dict[tuple, float | None]:
    """The settings behind a cell, ten runs each, at the price of LPGNN with the same layers on the same graph."""
    given = printed.parameters
    pairs = [(given.get("alpha", ""), given.get("delta", ""))]
    if given.get("alpha") == ">0":
        pairs = WHOLE if printed.table in OVER_ALL else POSITIVE
    seconds = run_seconds(GRAPHS[printed.dataset], LAYERS[printed.backbone], METHODS.get(printed.method, ""))
    method, epsilon = {"GP": "GP-t"}.get(printed.method, printed.method), given.get("epsilon", "0.1")
    if epsilon == "inf":  # no edge is changed, whatever the method
        return {(printed.dataset, "LPGNN", printed.backbone): seconds and 10 * seconds}
    return {(printed.dataset, method, printed.backbone, epsilon, *pair): seconds and 10 * seconds for pair in pairs}


# Attention over the three million edges of the two-hop baseline's reports, seconds of one run: from GATv2 on
# Photo (7.7 an epoch, 0.3 for a pair of an attack), scaled by LPGNN's times to the mean of three layers, and by edges to
# Facebook.
MILLIONS = {("two-hop", "amazon-photo"): 1900.0, ("two-hop", "facebook-pages"): 2100.0}


def run_seconds(dataset: str, backbone: str, method: str) -> float | None:
    """Seconds of one run without edge privacy: the fastest measured, as the others shared the machine."""
    attention = backbone in BACKBONES and BACKBONES[backbone][1] is None
    return attention and MILLIONS.get((method, dataset)) or fastest().get((dataset, backbone))


@lru_cache(maxsize=None)
def fastest() -> dict[tuple, float]:
    """(graph, layers) -> seconds."""
    taken = {}
    for row in rows_of(EXPERIMENTS["graphprivatizer"]):
        if row["method"] == "lpgnn":
            place = row["dataset"], row["backbone"]
            taken[place] = min(row["seconds"], taken.get(place, math.inf))
    return taken


def privgnn(printed: Printed) -> Measured | Computed | NotRun:
    """Means of ten runs, and budgets, which need no graph but for the votes of PATE."""
    if printed.metric in ("features", "classes") and printed.dataset in GRAPHS_OF_PRIVGNN:
        return Measured("graph-statistics", dict(dataset=GRAPHS_OF_PRIVGNN[printed.dataset]), printed.metric, None)
    if printed.metric == "epsilon" and printed.parameters.get("lambda"):
        return privgnn_budget(printed)
    if (printed.paper, printed.dataset) in ABSENT:
        return NotRun(ABSENT[printed.paper, printed.dataset])
    if printed.metric in COUNTS or printed.metric in ("private_nodes", "public_nodes"):
        return NotRun("a setting, or a count of one random split; chapter 9 prints ours")
    if printed.metric == "attack2_auroc":
        return membership_mean(printed)
    if printed.metric != "accuracy" or printed.table == "running text":
        return NotRun("a summary of tables and figures; chapter 9 prints ours beside it")
    return privgnn_mean(privgnn_setting(printed))


GRAPHS_OF_PRIVGNN = {"Amazon": "amazon-computers", "Credit": "credit-nifty"}


def privgnn_setting(printed: Printed) -> dict:
    """A cell of the grid: Algorithm 1 as printed, with noise on probabilities."""
    given, dataset = printed.parameters, GRAPHS_OF_PRIVGNN[printed.dataset]
    method = {"PrivGnn": "privgnn", "PateM": "pate", "PateG": "pate"}.get(printed.method, printed.method.lower())
    wanted = {}
    if method not in ("b1", "b2", "b3", "mlp"):
        wanted |= dict(lam=float(given["lambda"]), queries=int(given["queries"]))
    if method == "privgnn":
        wanted |= dict(noise="laplace", neighbours=int(given.get("K") or 750), rate=float(given["gamma"]))
    if method == "pate":
        wanted |= dict(teacher={"PateM": "mlp", "PateG": "sage"}[printed.method])
    return EXPERIMENTS["privgnn"].cell(dataset=dataset, method=method, **wanted)


def privgnn_mean(setting: dict) -> Measured:
    return Measured("privgnn", setting, "accuracy", 10)


def membership_mean(printed: Printed) -> Measured:
    """Attack-2 on the student, and the attack on B1, which is Attack-1 (appendix C)."""
    attack = dict(attack="private", target="b1") if printed.method == "B1" else dict(attack="queries", target="student", noise="laplace")
    return Measured("membership", EXPERIMENTS["membership"].cell(**attack), "auc", 10)


DELTAS = {"ArXiv": 1e-4, "Amazon2M": 1e-4}  # ten times what is stated: so the printed budgets come out (else 1e-3)
VOTES = {"Amazon": 4e-4, "Amazon2M": 1e-6, "Reddit": 8e-5, "Facebook": 3e-5}  # the deltas that PATE's rows fit


def privgnn_budget(printed: Printed) -> Computed | NotRun:
    """Budgets in the paper's own way, wherever that needs no votes of private teachers."""
    given, lam = printed.parameters, float(printed.parameters["lambda"])
    queries = int(given.get("queries") or 1000)
    if printed.method == "B4":
        return Computed(2 * lam)  # each label is another person's
    if printed.method == "PrivGnn":
        rate = float(given.get("gamma") or (0.1 if printed.dataset == "Amazon2M" else 0.3))
        return Computed(printed_epsilon(1 / lam, rate, queries, DELTAS.get(printed.dataset, 1e-3)))
    if printed.method == "PateG" and lam < 1 or lam == 0.1:
        without_agreement = torch.zeros(queries, 2)
        return Computed(data_dependent_epsilon(without_agreement, 1 / lam, VOTES[printed.dataset]))
    ours = "chapter 9 prints ours beside it" if printed.dataset in GRAPHS_OF_PRIVGNN else "on a graph that is not at hand"
    return NotRun(f"a function of private teachers' votes; {ours}")


TEACHER_SECONDS = 1.4  # of one on 750 nodes with 767 features, on one core; a network of its own for each query


def privgnn_work(printed: Printed) -> dict[tuple, float | None]:
    """Ten runs of 1,000 teachers, which serve all noise levels; none where a graph is too large to say."""
    if printed.metric != "accuracy" or printed.method != "PrivGnn":
        return {}
    given = printed.parameters
    size = given.get("K") or "750"
    seconds = 10 * 1000 * TEACHER_SECONDS * int(size) / 750
    return {(printed.dataset, "PrivGnn", size, given.get("gamma", "")): seconds}


def rgnn(printed: Printed) -> Measured | NotRun:
    """Tables I and II and section V-B3 print means of five runs."""
    if printed.metric in COUNTS:
        return count(printed, NotRun("printed as a dash"))
    if printed.metric == "total_feature_epsilon":
        return NotRun("Theorem 1, computed; chapter 7 computes what holds")
    if printed.table == "running text":
        return NotRun("a summary of tables and figures; chapter 7 prints ours beside it")
    dataset, epsilon_x = GRAPHS[printed.dataset], printed.parameters.get("eps_x")
    if epsilon_x is None:
        return rgnn_mean(EXPERIMENTS["rgnn"].cell(dataset=dataset, features="original"))
    where = float(epsilon_x), float(printed.parameters["eps_y"])
    if not rgnn_table.searched(dataset, rgnn_table.SAMPLED * where[0], where[1]):
        return NotRun("`privgraph reproduce rgnn-search` has not chosen its hyperparameters yet")
    method, _, part = printed.method.partition(" ")
    return rgnn_mean(rgnn_table.as_printed(dataset, method, *where) | (rgnn_table.PARTS[part] if part else {}))


def rgnn_mean(cell: dict) -> Measured:
    """The runs of one cell of the grid."""
    return Measured("rgnn", cell, "accuracy", rgnn_table.SEEDS)


def dissertation(printed: Printed) -> Measured | NotRun:
    chapter = {"3": "10, LPPGE", "4": "11, PPFL-GNN", "5": "12, SE-GCL", "A": "10, LPPGE"}
    part = printed.parameters.get("section", printed.table.removeprefix("Table "))[0]
    waits = NotRun(f"waits for chapter {chapter[part]}")
    if printed.table == "Table 3.1":
        return count(printed, NotRun(NO_CARD) if printed.metric in COUNTS else waits)
    return NotRun(DERIVED) if "improvement" in printed.metric or "difference" in printed.metric else waits


PLANS = {"graphprivatizer": graphprivatizer, "privgnn": privgnn, "rgnn": rgnn, "dissertation": dissertation}


def count(printed: Printed, otherwise: NotRun) -> Measured | NotRun:
    """A number printed about a graph that is at hand under its card."""
    if printed.metric in COUNTS and printed.dataset in GRAPHS:
        return Measured("graph-statistics", dict(dataset=GRAPHS[printed.dataset]), COUNTS[printed.metric], None)
    return otherwise


def tally(comparisons: Sequence[Comparison]) -> dict[str, int]:
    """How many printed values (means and spreads) have which verdict; a spread goes with its mean."""
    counts = dict.fromkeys(VERDICTS, 0)
    for comparison in comparisons:
        counts[comparison.verdict] += comparison.printed.values
    return counts


def hours(comparisons: Sequence[Comparison]) -> tuple[float, bool]:
    """Core hours of what was not run, each setting once; and whether that is all (else some was never measured)."""
    work = {key: seconds for comparison in comparisons for key, seconds in comparison.work.items()}
    unknown = [c for c in comparisons if c.verdict == "not run" and (not c.work or None in c.work.values())]
    return sum(seconds or 0.0 for seconds in work.values()) / 3600, not unknown
