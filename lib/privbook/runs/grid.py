"""What an experiment is: parameters, a grid of cells, and a function from one cell to metrics."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache

from torch_geometric.data import Data

from privgraph import datasets
from privgraph.checks import check_count, check_name
from privgraph.datasets import GraphSet

from .cache import Cache

KINDS = (str, int, float)
NOT_IN_A_ROW = set(',"\r\n')  # what would break a line of the ledger


@dataclass(frozen=True)
class Experiment:
    """``run(cell, seed, cache) -> {metric: value}`` over the cells of a grid.

    An experiment stands in a module of ``papers``, alone or with others, and is found there; no list names it.
    ``privbook reproduce NAME`` then runs what is missing, and writes it to ``results/measured/NAME.csv``. A cell says
    which graph it is about and every parameter, and with a seed it says all of a run: ``run`` must give the same
    metrics for both, wherever it runs. It draws its coins from ``stream(purpose, seed)``, and asks
    ``graph(cell["dataset"])`` for the graph; work that cells share goes through ``cache.once``.

    >>> def run(cell, seed, cache):
    ...     return {"accuracy": 80.0 + seed - cell["noise"]}
    >>> def grid(cell):
    ...     yield 3, [cell(dataset="karate", noise=noise) for noise in (0.5, 1.0)]
    ...     yield 10, [cell(dataset="karate")]
    >>> toy = Experiment("toy", 1, {"backbone": "gcn", "noise": 0.0}, ("accuracy",), grid, run)
    >>> toy.cell(dataset="karate", noise=0.5)
    {'dataset': 'karate', 'backbone': 'gcn', 'noise': 0.5}
    >>> [(seeds, len(cells)) for seeds, cells in toy.groups]
    [(3, 2), (10, 1)]

    :param name: of the experiment and of its ledger.
    :param revision: raised when a change of the code changes what is measured; older rows then count as not run.
    :param parameters: name -> what a cell has that does not say it; or ``str``, ``int`` or ``float``, which it has to
        say.
    :param metrics: what ``run`` measures.
    :param grid: from ``cell`` (the method below) to groups (how many seeds, cells), the most wanted first. Where two
        groups have the same cell, it gets the larger number.
    :param title: one line for readers.
    :param dataset: the graph of cells that name none.
    :param usual: defaults that go with one value of the first parameter: ``{"pate": {"teacher": "mlp"}}``.
    :raises ValueError: for a parameter of another type; by ``groups`` for a cell with an unknown, a missing or a
        wrongly typed one.
    """

    name: str
    revision: int
    parameters: Mapping[str, str | int | float | type]
    metrics: tuple[str, ...]
    grid: Callable[[Callable[..., dict]], Iterable[tuple[int, Iterable[dict]]]]
    run: Callable[[dict, int, Cache], dict[str, float]]
    title: str = ""
    dataset: str | type = str
    usual: Mapping[str, Mapping] = field(default_factory=dict)

    def __post_init__(self):
        check_name(self.name, "name of an experiment"), check_count(self.revision, "revision", low=1)
        if wrong := {name: kind for name, kind in self.types.items() if kind not in KINDS}:
            raise ValueError(f"{self.name}: a parameter must be str, int or float, got {wrong}")

    def __getstate__(self) -> dict:
        """What a worker needs: not the cells, which are thousands."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def types(self) -> dict[str, type]:
        """parameter -> its type."""
        return {name: said if isinstance(said, type) else type(said) for name, said in self.parameters.items()}

    def cell(self, **said) -> dict:
        """The graph and every parameter: what is said, and the default for the rest.

        :raises ValueError: naming a parameter that is unknown, missing or of the wrong type.
        """
        whole = {"dataset": self.dataset, **self.parameters}
        if unknown := said.keys() - whole:
            raise ValueError(f"{self.name}: a cell has {', '.join(whole)}; got {', '.join(sorted(unknown))}")
        usual = self.usual.get(said.get(next(iter(self.parameters), None)), {})
        cell, types = {**whole, **usual, **said}, {"dataset": str, **self.types}
        for name, value in cell.items():
            if type(value) is not types[name] or value != value or set(str(value)) & NOT_IN_A_ROW:
                came = "nothing" if isinstance(value, type) else f"{value!r} ({type(value).__name__})"
                raise ValueError(f"{self.name}: {name} must be {types[name].__name__}, without comma, quote or "
                                 f"line end, got {came}")
        return cell

    @cached_property
    def groups(self) -> tuple[tuple[int, tuple[dict, ...]], ...]:
        """(seeds, cells) as the grid has them, the most wanted first."""
        return tuple((check_count(seeds, "seeds", low=1), tuple(self.cell(**cell) for cell in cells))
                     for seeds, cells in self.grid(self.cell))

    @cached_property
    def cells(self) -> tuple[dict, ...]:
        """The cells of the grid without repetitions, in order."""
        return tuple({tuple(cell.values()): cell for _, cells in self.groups for cell in cells}.values())

    @property
    def datasets(self) -> list[str]:
        """The graphs of the grid, in order."""
        return list(dict.fromkeys(cell["dataset"] for _, cells in self.groups for cell in cells))


@lru_cache(maxsize=1)
def graph(name: str) -> tuple[Data | GraphSet, str]:
    """The graph, or the set of graphs (``datasets.SETS``), and its hash; the last one is kept, as runs come sorted by
    graph.

    :raises ValueError: when the file at hand is another graph than its card describes, so that no
        result is filed under the wrong name.
    """
    data = datasets.load_graphs(name) if name in datasets.SETS else datasets.load(name)
    if data.name != name:
        raise ValueError(f"the graph at hand for {name!r} is another one ({data.name!r}); nothing was run")
    if isinstance(data, GraphSet):
        return data, datasets.fingerprint_of(data)
    return data, datasets.fingerprint(data.edge_index, data.x, data.y)
