"""How the predicted gain stands the test: measured gains beside it, and how often its side of the border is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from privgraph.nn import Interval, interval

from ..results import Results
from .drawn_graphs import HELPS, batches, case_of
from .predicted_gain import Case, predicted

UNCLEAR = 1.0  # points: a measured gain that lies closer to the border is on neither side
DRAWS = 2000  # of graphs anew, for an interval


class Judged(NamedTuple):
    """A drawn graph: its sizes, accuracies as predicted, and as measured with own features, with others', and by how
    much they differ, seed by seed."""

    case: Case
    predicted: tuple[float, float]
    own: Interval
    others: Interval
    gained: Interval

    @property
    def gain(self) -> float:
        """As predicted, in points."""
        return self.predicted[0] - self.predicted[1]


class Balanced(NamedTuple):
    """Mean of the shares of graphs on either side of the border that are predicted there, with a 95% interval over
    graphs; both shares; and how many graphs lie on either side, or on neither."""

    accuracy: float
    low: float
    high: float
    shares: tuple[float, float]
    helped: int
    not_helped: int
    unclear: int


def judged(runs: Results, batch: str) -> list[Judged]:
    """Each graph of a batch that was run."""
    found = []
    for graph in batches()[batch]:
        own, others = (runs.values(metric, batch=batch, **graph) for metric in ("real", "permuted"))
        if own:
            case = case_of(graph)
            found.append(Judged(case, predicted(case), *(interval(list(values)) for values in (
                own.values(), others.values(), [own[seed] - others[seed] for seed in own]))))
    return found


def balanced(found: Sequence[Judged]) -> Balanced:
    """How often the prediction is on the right side of ``HELPS`` points.

    :param found: of one batch.
    :raises ValueError: where no graph is clearly on one of the sides.
    """
    clear = [each for each in found if abs(each.gained.mean - HELPS) > UNCLEAR]
    right = {side: np.array([(each.gain > HELPS) == side for each in clear if (each.gained.mean > HELPS) == side],
                            dtype=float) for side in (True, False)}
    if not all(map(len, right.values())):
        raise ValueError(f"there must be graphs on both sides of {HELPS:g} points, got gains from "
                         f"{min(each.gained.mean for each in found):.1f} to {max(e.gained.mean for e in found):.1f}")
    rng = np.random.Generator(np.random.PCG64(0))
    drawn = sum(side[rng.integers(len(side), size=(DRAWS, len(side)))].mean(1) for side in right.values()) / 2
    shares = tuple(float(side.mean()) for side in right.values())
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Balanced(sum(shares) / 2, float(low), float(high), shares, *map(len, right.values()),
                    len(found) - len(clear))
