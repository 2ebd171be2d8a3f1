"""What an experiment is: a typed grid of cells, and a function from one cell to metrics."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from torch_geometric.data import Data

from .. import datasets
from ..checks import check_count
from .cache import Cache

# Every cell also says which graph it is about, and how many seeds it wants.
ALWAYS = {"dataset": str, "seeds": int}
NOT_IN_A_ROW = set(',"\r\n')  # what would break a line of the ledger


@dataclass(frozen=True)
class Experiment:
    """``run(cell, seed, cache) -> {metric: value}`` over ``cells``, with ``parameters`` (name -> type) in each.

    ``revision`` is raised when a change of the code changes what is measured; older rows then count as
    not run. ``run`` must give the same metrics for the same cell and seed, wherever it runs.

    :raises ValueError: for a cell with a missing, an unknown or a wrongly typed parameter, and for two
        cells with the same setting.
    """

    name: str
    revision: int
    parameters: Mapping[str, type]
    metrics: tuple[str, ...]
    cells: tuple[dict, ...]
    run: Callable[[dict, int, Cache], dict[str, float]]
    title: str = ""

    def __post_init__(self):
        check_count(self.revision, "revision", low=1)
        if wrong := {name: kind for name, kind in self.parameters.items() if kind not in (str, int, float)}:
            raise ValueError(f"{self.name}: a parameter must be str, int or float, got {wrong}")
        types = {**ALWAYS, **self.parameters}
        for cell in self.cells:
            if set(cell) != set(types):
                raise ValueError(f"{self.name}: a cell must have {sorted(types)}, got {sorted(cell)}")
            for name, value in cell.items():
                if type(value) is not types[name] or value != value or set(str(value)) & NOT_IN_A_ROW:
                    raise ValueError(f"{self.name}: {name} must be {types[name].__name__}, without comma, quote or "
                                     f"line end, got {value!r} ({type(value).__name__})")
        settings = [tuple(cell[name] for name in types if name != "seeds") for cell in self.cells]
        if len(set(settings)) < len(settings):
            raise ValueError(f"{self.name}: two cells have the same setting")

    @property
    def datasets(self) -> list[str]:
        """The graphs of the grid, in order."""
        return list(dict.fromkeys(cell["dataset"] for cell in self.cells))


def distinct(cells: Iterable[dict]) -> tuple[dict, ...]:
    """The cells without repetitions, in order."""
    return tuple({tuple(sorted(cell.items())): cell for cell in cells}.values())


@lru_cache(maxsize=1)
def graph(name: str) -> tuple[Data, str]:
    """The graph and its hash; the last one is kept, as runs come sorted by graph.

    :raises ValueError: when the file at hand is another graph than its card describes, so that no
        result is filed under the wrong name.
    """
    data = datasets.load(name)
    if data.name != name:
        raise ValueError(f"the graph at hand for {name!r} is another one ({data.name!r}); nothing was run")
    return data, datasets.fingerprint(data.edge_index, data.x, data.y)
