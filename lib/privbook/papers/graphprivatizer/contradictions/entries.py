"""What GraphPrivatizer prints, by setting.

Its Figures 3 to 15 (4 repeats 3) have one panel of 25 entries (alpha x delta) for each data set,
method, backbone and metric, at epsilon .1; Tables 8 to 12 have averages over the 16 entries with alpha, delta > 0.
"""

from collections.abc import Iterable
from functools import partial

import numpy as np

from ...contradictions import figures, keep, rows
from ...published import Printed

PAPER = "graphprivatizer"
DATASETS = {"Cora": "Table 8", "LastFM": "Table 9", "PubMed": "Table 10", "Facebook": "Table 11",
            "Amazon Photo": "Table 12"}
PHOTO = "Amazon Photo"
OTHERS = [name for name in DATASETS if name != PHOTO]
METHODS = ("GP-t", "GP-m")
BACKBONES = ("GAT", "GCN", "SAGE", "GT", "GATv2", "GConv")
BUDGETS = ("0.1", "1", "2", "8", "inf")
METRICS = ("accuracy", "attack_auc")
GP, LPGNN = "GP", "LPGNN (no edge privacy)"
APPENDIX_A = ("0", "0.1", "0.25", "0.5", "1")  # delta, first paragraph of Appendix A
SHORT = {"accuracy": "accuracy", "attack_auc": "AUC", "delta_accuracy": "ΔAcc", "delta_attack_auc": "ΔAUC"}

tables, heat_maps = partial(rows, PAPER), partial(figures, PAPER)


def grid(datasets: Iterable[str] = DATASETS, methods: Iterable[str] = METHODS) -> list[tuple[str, str, str]]:
    return [(dataset, method, backbone) for dataset in datasets for method in methods for backbone in BACKBONES]


def panels() -> dict[tuple, dict[tuple, float]]:
    """(data set, method, backbone, metric) -> (alpha, delta) -> the difference from alpha = delta = 0."""
    found = {}
    for entry in heat_maps():
        key = entry.dataset, entry.method, entry.backbone, entry.metric.removeprefix("delta_")
        found.setdefault(key, {})[entry.parameters["alpha"], entry.parameters["delta"]] = entry.value
    return found


def over(panel: dict[tuple, float], entries: int) -> float:
    """The mean over the 16 entries with alpha, delta > 0, over the 24 other than (0, 0), or over all 25."""
    inside = {16: lambda a, d: "0" not in (a, d), 24: lambda a, d: (a, d) != ("0", "0"), 25: lambda a, d: True}[entries]
    return float(np.mean([value for (a, d), value in panel.items() if inside(a, d)]))


def budgets() -> dict[tuple, Printed]:
    """(data set, method, backbone, metric, epsilon, alpha) -> the entry of Tables 8 to 12; alpha "0" or ">0"."""
    return {(c.dataset, c.method, c.backbone, c.metric, c.parameters["epsilon"], c.parameters["alpha"]): c
            for c in tables(*DATASETS.values())}


def at_base(metric: str = "accuracy") -> dict[tuple, float]:
    """The value at alpha = delta = 0 and epsilon .1 in each setting."""
    found = budgets()
    return {setting: found[*setting, metric, "0.1", "0"].value for setting in grid()}


def table_7(metric: str) -> dict[tuple, Printed]:
    return {(c.dataset, c.method, c.backbone): c for c in keep(tables("Table 7"), metric=metric)}


def table_6(metric: str, method: str) -> dict[tuple, Printed]:
    entries = keep(tables("Table 6"), metric=metric, method=method)
    return {(c.dataset, c.backbone): c for c in entries}


def utility_gaps(method: str, datasets: Iterable[str], metric: str = "accuracy") -> list[float]:
    """What a method loses against no edge privacy, for each backbone, in Table 6."""
    whole, part = table_6(metric, LPGNN), table_6(metric, method)
    return [whole[d, b].value - part[d, b].value for d in datasets for b in BACKBONES]
