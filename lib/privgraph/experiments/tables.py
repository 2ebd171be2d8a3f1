"""From rows of the ledger to means, intervals and paired differences: always of one setting and one metric.

What is averaged here differs in its seed and in nothing else that says what was run. Rows that also differ in a
metric, a method or any other parameter raise, however few values the caller asked for.
"""

from collections.abc import Mapping

from ..nn import Interval, interval

# What may differ between two runs of one setting; every other column of the ledger says what was run.
OF_A_RUN = {"seed", "value", "seconds", "privgraph", "torch", "device"}


def by_seed(rows: list[dict], **wanted) -> dict[int, float]:
    """seed -> value of the one setting that has the wanted values: ``by_seed(rows,
    dataset="cora", metric="accuracy")``.

    :raises ValueError: naming what differs, where more than one setting or metric has them; for a name that is no
        column.
    """
    found = select(rows, **wanted)
    columns = {name: sorted({row[name] for row in found}) for name in (found[0] if found else ())
               if name not in OF_A_RUN}
    if mixed := {name: values for name, values in columns.items() if len(values) > 1}:
        raise ValueError(f"{len(found)} rows mix several settings; choose one of each: {mixed}")
    values = {row["seed"]: row["value"] for row in found}
    if len(values) < len(found):
        raise ValueError(f"{len(found)} rows of one setting for {len(values)} seeds: some are there twice")
    return values


def select(rows: list[dict], **wanted) -> list[dict]:
    """The rows that have all the wanted values. They may be of many settings: to average, take ``by_seed``."""
    if unknown := wanted.keys() - (rows[0] if rows else wanted).keys():
        raise ValueError(f"the columns are {list(rows[0])}, got {sorted(unknown)}")
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def summarise(rows: list[dict], **wanted) -> Interval | None:
    """Mean and 95% interval over the seeds of one setting; None where nothing was run."""
    values = by_seed(rows, **wanted)
    return interval(list(values.values())) if values else None


def paired(rows: list[dict], first: dict, second: dict, **common) -> Interval | None:
    """Mean difference first - second over the seeds that both settings were run with."""
    return minus(by_seed(rows, **common, **first), by_seed(rows, **common, **second))


def minus(first: Mapping[int, float], second: Mapping[int, float]) -> Interval | None:
    """Mean difference of two {seed: value} over the seeds that both have; None where there are none."""
    seeds = sorted(first.keys() & second.keys())
    return interval([first[seed] - second[seed] for seed in seeds]) if seeds else None
