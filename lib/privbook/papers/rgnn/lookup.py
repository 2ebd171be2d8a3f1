"""RGNN: Tables I and II and section V-B3 print means of five runs."""

from privgraph.datasets import PRINTED

from ..lookup import COUNTS, FOLLOWS, RUNNABLE, Measured, NotRun, count
from ..published import Printed
from . import tables


def lookup(printed: Printed) -> Measured | NotRun:
    if printed.metric in COUNTS:
        return count(printed)
    if printed.metric == "total_feature_epsilon":
        return NotRun("Theorem 1, computed; chapter 7 computes what holds")
    if printed.table == "running text":
        return NotRun("a summary of tables and figures; chapter 7 prints ours beside it", FOLLOWS)
    dataset, epsilon_x = PRINTED[printed.dataset], printed.parameters.get("eps_x")
    if epsilon_x is None:
        return mean(tables.EXPERIMENT.setting(dataset=dataset, features="original"))
    where = float(epsilon_x), float(printed.parameters["eps_y"])
    if not tables.searched(dataset, tables.SAMPLED * where[0], where[1]):
        return NotRun("`privbook reproduce rgnn-search` has not chosen its hyperparameters yet", RUNNABLE)
    method, _, part = printed.method.partition(" ")
    return mean(tables.as_printed(dataset, method, *where) | (tables.PARTS[part] if part else {}))


def mean(setting: dict) -> Measured:
    """The runs of one setting of the tables."""
    return Measured(tables.EXPERIMENT.name, (setting,), "accuracy", tables.SEEDS)
