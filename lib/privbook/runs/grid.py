"""What an experiment is: parameters, a grid of settings, and a function from one setting to metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from privgraph import datasets
from privgraph.checks import check_count, check_name

from .cache import Cache

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from privgraph.datasets import GraphSet

KINDS = (str, int, float)
NOT_IN_A_ROW = set(',"\r\n')  # what would break a line of the ledger
PROCESS = "process_seconds"  # the time of the processor: a column of every row that is written
FIRST_OWN, APART = 1_000, 100  # the first seed of an ``OwnSeeds``, and how far two settings lie apart


@dataclass(frozen=True)
class OwnSeeds:
    """Runs of settings that are averaged, each with seeds that no other of them has.

    Settings that share seeds share splits and noise, so that more of them hardly make an average more certain. Where
    nothing is subtracted from any of them seed by seed, nothing is paired, and each may have luck of its own.

    >>> two = OwnSeeds(2, lambda setting: ("a", "b").index(setting["arm"]))
    >>> list(two.of({"arm": "a"})), list(two.of({"arm": "b"}, runs=3))
    ([1000, 1001], [1100, 1101, 1102])

    :param runs: of each setting, two at least, as one says nothing of its luck.
    :param number: of a setting among those that are averaged, from 0.
    """

    runs: int
    number: Callable[[Mapping], int]

    def __post_init__(self):
        check_count(self.runs, "runs with seeds of their own", low=2)

    def of(self, setting: Mapping, runs: int | None = None) -> range:
        """The seeds of a setting.

        :param setting: one of those that are averaged.
        :param runs: how many; None: as the grid says.
        """
        first = FIRST_OWN + APART * self.number(setting)
        return range(first, first + (self.runs if runs is None else check_count(runs, "runs", high=APART)))


@dataclass(frozen=True)
class Experiment:
    """``run(setting, seed, cache) -> {metric: value}`` over the settings of a grid.

    An experiment stands in a module of ``papers``, alone or with others, and is found there; no list names it.
    ``privbook reproduce NAME`` then runs what is missing, and writes it to ``results/measured/NAME.csv``. A setting
    says which graph it is about and every parameter, and with a seed it says all of a run: ``run`` must give the same
    metrics for both, wherever it runs. It draws its coins from ``stream(purpose, seed)``, and asks
    ``graph(setting["dataset"])`` for the graph; work that settings share goes through ``cache.once``.

    >>> def run(setting, seed, cache):
    ...     return {"accuracy": 80.0 + seed - setting["noise"]}
    >>> def grid(setting):
    ...     yield 3, [setting(dataset="karate", noise=noise) for noise in (0.5, 1.0)]
    ...     yield 10, [setting(dataset="karate")]
    >>> toy = Experiment("toy", 1, {"backbone": "gcn", "noise": 0.0}, ("accuracy",), grid, run)
    >>> toy.setting(dataset="karate", noise=0.5)
    {'dataset': 'karate', 'backbone': 'gcn', 'noise': 0.5}
    >>> [(seeds, len(settings)) for seeds, settings in toy.groups]
    [(3, 2), (10, 1)]

    :param name: of the experiment and of its ledger.
    :param revision: raised when a change of the code changes what is measured; older rows then count as not run.
    :param parameters: name -> what a setting has that does not say it; or ``str``, ``int`` or ``float``, which it
        has to say.
    :param metrics: what ``run`` measures.
    :param grid: from ``setting`` (the method below) to groups (how many seeds, settings), the most wanted first. Where
        two groups have the same setting, it gets the larger number. ``OwnSeeds`` in place of a number: seeds that
        differ by setting.
    :param title: one line for readers.
    :param dataset: the graph of settings that name none.
    :param usual: defaults that go with one value of the first parameter: ``{"pate": {"teacher": "mlp"}}``.
    :param guess: seconds that a run of a setting will take where no run like it was measured; None: nobody knows.
    :raises ValueError: for a parameter of another type; by ``groups`` for a setting with an unknown, a missing or a
        wrongly typed one.
    """

    name: str
    revision: int
    parameters: Mapping[str, str | int | float | type]
    metrics: tuple[str, ...]
    grid: Callable[[Callable[..., dict]], Iterable[tuple[int | OwnSeeds, Iterable[dict]]]]
    run: Callable[[dict, int, Cache], dict[str, float]]
    title: str = ""
    dataset: str | type = str
    usual: Mapping[str, Mapping] = field(default_factory=dict)
    guess: Callable[[Mapping], float | None] | None = None

    def __post_init__(self):
        check_name(self.name, "name of an experiment"), check_count(self.revision, "revision", low=1)
        if wrong := {name: kind for name, kind in self.types.items() if kind not in KINDS}:
            raise ValueError(f"{self.name}: a parameter must be str, int or float, got {wrong}")
        if PROCESS in (*self.parameters, *self.metrics):
            raise ValueError(f"{self.name}: no parameter or metric may be called {PROCESS}, which is a column of all")

    def __getstate__(self) -> dict:
        """What a worker needs: not the settings, which are thousands."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def types(self) -> dict[str, type]:
        """parameter -> its type."""
        return {name: said if isinstance(said, type) else type(said) for name, said in self.parameters.items()}

    def setting(self, **said) -> dict:
        """The graph and every parameter: what is said, and the default for the rest.

        :param said: parameters by name; the others are as usual.
        :raises ValueError: naming a parameter that is unknown, missing or of the wrong type.
        """
        whole = {"dataset": self.dataset, **self.parameters}
        if unknown := said.keys() - whole:
            raise ValueError(f"{self.name}: a setting has {', '.join(whole)}; got {', '.join(sorted(unknown))}")
        usual = self.usual.get(said.get(next(iter(self.parameters), None)), {})
        setting, types = {**whole, **usual, **said}, {"dataset": str, **self.types}
        for name, value in setting.items():
            if type(value) is not types[name] or value != value or set(str(value)) & NOT_IN_A_ROW:
                came = "nothing" if isinstance(value, type) else f"{value!r} ({type(value).__name__})"
                raise ValueError(f"{self.name}: {name} must be {types[name].__name__}, without comma, quote or "
                                 f"line end, got {came}")
        return setting

    @cached_property
    def groups(self) -> tuple[tuple[int | OwnSeeds, tuple[dict, ...]], ...]:
        """(seeds, settings) as the grid has them, the most wanted first."""
        return tuple((seeds if isinstance(seeds, OwnSeeds) else check_count(seeds, "seeds", low=1),
                      tuple(self.setting(**setting) for setting in settings))
                     for seeds, settings in self.grid(self.setting))

    @cached_property
    def settings(self) -> tuple[dict, ...]:
        """The settings of the grid without repetitions, in order."""
        return tuple({tuple(setting.values()): setting for _, settings in self.groups for setting in settings}.values())

    @property
    def datasets(self) -> list[str]:
        """The graphs of the grid, in order."""
        return list(dict.fromkeys(setting["dataset"] for _, settings in self.groups for setting in settings))


def graph(name: str) -> tuple[Data | GraphSet, str]:
    """The graph without masks, or the set of graphs (``datasets.SETS``), and its hash, which tells of edges, features
    and labels; the last one is kept, as runs come sorted by graph.

    :raises ValueError: when the file at hand is another graph than its card describes, so that no
        result is filed under the wrong name.
    """
    datasets.at_hand(name)  # whoever listens hears of each that looks for it, not of the first alone
    return loaded(name)


@lru_cache(maxsize=1)
def loaded(name: str) -> tuple[Data | GraphSet, str]:
    from privgraph.datasets.splits import without_split  # with torch
    data = datasets.load_graphs(name) if name in datasets.SETS else datasets.load(name)
    if data.name != name:
        raise ValueError(f"the graph at hand for {name!r} is another one ({data.name!r}); nothing was run")
    if isinstance(data, datasets.GraphSet):
        return data, datasets.fingerprint_of(data)
    return without_split(data), datasets.fingerprint(data.edge_index, data.x, data.y)
