"""From rows of the ledger to means, intervals and paired differences."""

from collections.abc import Mapping

from ..nn import Interval, interval


def select(rows: list[dict], **wanted) -> list[dict]:
    """The rows that have all the wanted values, e.g. ``select(rows, dataset="cora", backbone="gcn")``."""
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def by_seed(rows: list[dict]) -> dict[int, float]:
    """seed -> value; two different settings among the rows would give a seed twice, which raises."""
    values = {row["seed"]: row["value"] for row in rows}
    if len(values) < len(rows):
        raise ValueError(f"{len(rows)} rows for {len(values)} seeds: the selection mixes several settings")
    return values


def summarise(rows: list[dict], **wanted) -> Interval | None:
    """Mean and 95% interval over the seeds of one setting; None where nothing was run."""
    values = by_seed(select(rows, **wanted))
    return interval(list(values.values())) if values else None


def paired(rows: list[dict], first: dict, second: dict, **common) -> Interval | None:
    """Mean difference first - second over the seeds that both settings were run with."""
    return minus(by_seed(select(rows, **common, **first)), by_seed(select(rows, **common, **second)))


def minus(first: Mapping[int, float], second: Mapping[int, float]) -> Interval | None:
    """Mean difference of two {seed: value} over the seeds that both have; None where there are none."""
    seeds = sorted(first.keys() & second.keys())
    return interval([first[seed] - second[seed] for seed in seeds]) if seeds else None
