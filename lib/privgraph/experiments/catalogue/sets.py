"""What Table 5.2 of the dissertation prints about its sets of graphs."""

from ...datasets import SETS, set_statistics
from ..cache import Cache
from ..grid import Experiment, graph

METRICS = ("graphs", "average_nodes", "average_edges", "features", "train_classes", "test_classes")


def sets_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The numbers of a set; nothing here is random."""
    found, _ = graph(cell["dataset"])
    return set_statistics(found)


EXPERIMENT = Experiment(
    "set-statistics", 1, {}, METRICS,
    lambda cell: [(1, [cell(dataset=name) for name in SETS])], sets_run, title=__doc__.rstrip(".\n"))
