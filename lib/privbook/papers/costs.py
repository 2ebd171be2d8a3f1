"""What the grid of an experiment still asks for, what that takes, and what its runs took, as its ledger is now."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from ..runs.grid import PROCESS
from ..runs.plan import wanted
from ..runs.prices import expected_price, identity
from .catalogue import experiments
from .current import measured, stamp

Key = tuple  # the experiment's name, and what makes a setting or a run the same one


class Costs:
    """Of one experiment; whether its graphs are at hand does not matter, as a page says the same everywhere.

    :param name: of the experiment.
    """

    def __init__(self, name: str):
        self.name, experiment = name, experiments()[name]
        self.place, self.rows, self.seeds = identity(experiment), measured(name).rows, {}
        for setting, seed in wanted(experiment):
            self.seeds.setdefault(self.place(setting), []).append(seed)
        self.found = {}
        for row in self.rows:
            self.found.setdefault(self.place(row.setting), []).append(row)
        self.price = expected_price(experiment, [{**row.setting, "seconds": row.seconds, PROCESS: row.process_seconds}
                                                 for row in self.rows])

    def key(self, setting: Mapping) -> Key:
        """What makes it the same setting."""
        return self.name, *self.place(setting)

    def missing(self, settings: Iterable[Mapping], metric: str) -> dict[Key, float | None]:
        """Each run of the settings that the grid asks for and the ledger has not, and the seconds that it takes.

        :param settings: of the experiment.
        :param metric: which the run is to measure.
        """
        work = {}
        for setting in settings:
            here = self.place(setting)
            done = {row.seed for row in self.found.get(here, ()) if metric in row.metrics}
            work |= {(self.name, *here, seed): self.price(setting)
                     for seed in self.seeds.get(here, ()) if seed not in done}
        return work

    def spent(self, key: Key) -> tuple[float, float]:
        """Seconds that all runs of a setting took: of the processor, and of others by the clock.

        :param key: of the setting.
        """
        rows = self.found.get(key[1:], ())
        return (sum(row.process_seconds for row in rows if row.process_seconds is not None),
                sum(row.seconds for row in rows if row.process_seconds is None))


def costs(name: str) -> Costs:
    """Of an experiment, counted anew when there are other rows.

    :param name: of the experiment.
    """
    return _costs(name, stamp(name))


@lru_cache(maxsize=None)
def _costs(name: str, stamped: tuple) -> Costs:
    return Costs(name)
