"""What the ledger says about an experiment: values, means, paired differences, always of one setting and one metric.

What is averaged here differs in its seed and in nothing else that says what was run. An interval is over seeds; a mean
over several settings (graphs, backbones, budgets) is taken seed by seed first, as runs with one seed share splits and
noise.
"""

from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from statistics import fmean

from privgraph.checks import check_choice
from privgraph.nn import Interval, interval

from ..runs.grid import Experiment
from ..runs.plan import open_ledger
from .catalogue import experiments


class Results:
    """The results of an experiment that count (``Ledger.current``), as they are when this is made.

    A *setting* is given by as many of its values (graph and parameters) as tell it from the others in the ledger.
    ``setting`` is the experiment's: it adds the defaults.

    >>> runs = Results("lpgnn")
    >>> private = dict(dataset="cora", backbone="gcn", epsilon_x=3.0, epsilon_y=3.0, x_steps=16, y_steps=2)
    >>> real = runs.mean(features="real", **private)                     # over its seeds, with the 95% interval
    >>> gap = runs.gap(dict(features="real"), dict(features="permuted"), **private)         # seed by seed
    >>> real.n == gap.n == 10 and real.low > 70 and abs(gap.mean) < 1
    True

    :param experiment: one of ``experiments()``, or its name.
    """

    def __init__(self, experiment: str | Experiment):
        if not isinstance(experiment, Experiment):
            experiment = experiments()[check_choice(experiment, "experiment", list(experiments()))]
        self.experiment, self.setting = experiment, experiment.setting
        self.columns = ("dataset", *experiment.parameters)
        self.rows = open_ledger(experiment).current(experiment.revision)
        self._settings = {}
        for row in self.rows:
            self._settings.setdefault(tuple(row.setting.values()), []).append(row)

    def values(self, metric: str | None = None, *, seeds: Container[int] | None = None, **setting) -> dict[int, float]:
        """seed -> value of one setting, in the order of the seeds; empty where it was not run.

        :param metric: may be left out where the experiment has one only.
        :param seeds: only these.
        :param setting: parameters by name; the others are as usual.
        :raises ValueError: naming what differs, where several settings have the values; for an unknown column, metric,
            or a text that neither the grid nor the ledger has.
        """
        metric = self._metric(metric)
        rows = [row for row in self._settings.get(self._place(setting), ()) if metric in row.metrics]
        if len({row.head.sha256 for row in rows}) > 1:
            raise ValueError(f"{self.experiment.name}: several graphs of the ledger are called {rows[0].head.dataset}")
        found = {row.seed: row.metrics[metric] for row in rows if seeds is None or row.seed in seeds}
        return dict(sorted(found.items()))

    def mean(self, metric: str | None = None, *, seeds: Container[int] | None = None, **setting) -> Interval | None:
        """Mean over the seeds of one setting with its 95% interval, None where nothing was run.

        :param metric: may be left out where the experiment has one only.
        :param seeds: only these; None: all.
        :param setting: parameters by name; the others are as usual.
        """
        return over_seeds(self.values(metric, seeds=seeds, **setting))

    def pooled(self, settings: Mapping | Iterable[Mapping], metric: str | None = None, *,
               seeds: Container[int] | None = None, **common) -> dict[int, float]:
        """seed -> mean over several settings (or the value of one), for the seeds that all of them have.

        :param settings: one, or several, of which each seed has the mean.
        :param metric: may be left out where the experiment has one only.
        :param seeds: only these; None: all.
        :param common: what all settings have, by name.

        >>> runs = Results("lpgnn")
        >>> graphs = [dict(dataset=name, x_steps=16, y_steps=2) for name in ("cora", "cora-twin")]
        >>> len(runs.pooled(graphs, backbone="gcn", features="real", epsilon_x=3.0, epsilon_y=3.0))
        10
        """
        settings = [settings] if isinstance(settings, Mapping) else settings
        found = [self.values(metric, seeds=seeds, **{**common, **setting}) for setting in settings]
        shared = set.intersection(*map(set, found)) if found else ()
        return {seed: fmean(each[seed] for each in found) for seed in sorted(shared)}

    def gap(self, first: Mapping | Iterable[Mapping], second: Mapping | Iterable[Mapping], metric: str | None = None, *,
            seeds: Container[int] | None = None, **common) -> Interval | None:
        """Mean difference first - second over the seeds that both have, with its interval; None where there are none.

        :param first: a setting (what it has beside ``common``), or several, which are pooled.
        :param second: the same.
        :param metric: may be left out where the experiment has one only.
        :param seeds: only these; None: all.
        """
        first, second = (self.pooled(each, metric, seeds=seeds, **common) for each in (first, second))
        return over_seeds({seed: first[seed] - second[seed] for seed in first if seed in second})

    def _metric(self, metric: str | None) -> str:
        known = self.experiment.metrics
        if metric is None and len(known) > 1:
            raise ValueError(f"{self.experiment.name} measures several things; choose a metric of {', '.join(known)}")
        return known[0] if metric is None else check_choice(metric, "metric", list(known))

    def _place(self, setting: Mapping) -> tuple | None:
        """The one setting of the ledger that has these values, or None."""
        if unknown := setting.keys() - set(self.columns):
            raise ValueError(f"{self.experiment.name}: the columns are {', '.join(self.columns)}; "
                             f"got {', '.join(sorted(unknown))}")
        if len(setting) == len(self.columns):
            whole = tuple(setting[name] for name in self.columns)
            found = [whole] if whole in self._settings else []
        else:
            wanted = [(self.columns.index(name), value) for name, value in setting.items()]
            found = [each for each in self._settings if all(each[number] == value for number, value in wanted)]
        if len(found) > 1:
            columns = zip(self.columns, zip(*found, strict=True), strict=True)
            choices = {name: sorted(set(said)) for name, said in columns if len(set(said)) > 1}
            raise ValueError(f"{self.experiment.name}: {len(found)} settings have these values; choose one of each: "
                             f"{choices}")
        if not found:
            self._check_texts(setting)
        return found[0] if found else None

    def _check_texts(self, setting: Mapping) -> None:
        """A number that was not run gives nothing; a text that is nowhere is a slip."""
        for name, value in setting.items():
            if isinstance(value, str):
                check_choice(value, name, sorted(self._texts[self.columns.index(name)]))

    @cached_property
    def _texts(self) -> list[set]:
        """What each column has in the grid and in the ledger."""
        whole = [*self._settings, *(tuple(setting.values()) for setting in self.experiment.settings)]
        return [set(column) for column in zip(*whole, strict=True)]


def over_seeds(values: Mapping[int, float]) -> Interval | None:
    """Mean and 95% interval of {seed: value}."""
    return interval(list(values.values())) if values else None
