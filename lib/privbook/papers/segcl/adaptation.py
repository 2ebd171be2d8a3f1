"""Chapter 12: why MAML gains next to nothing on TRIANGLES: three attempts, judged on base classes alone.

As run, the loss of the queries hardly falls, and the columns of the encoder's vectors that are not zero for every graph
become fewer. Each attempt has a hypothesis:

``longer``: the support is hardly fitted, five steps from a last layer of zeros are too short; ten steps, five times as
wide. ``slower``: the outer rate puts columns to sleep; a fifth of it. ``both``.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from privgraph.datasets import Sampler
from privgraph.methods import MAML
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import QUERIES, WAYS, held, shuffled, solved, tasks_of
from .tasks import ADAPTED

SEEDS, SHOTS = 2, 5
EPISODES = 100  # a third of what the tests' methods have
SET = "triangles-sample"
LONGER, SLOWER = {"steps": 10, "inner_rate": 0.5}, {"learning_rate": 0.001}
ATTEMPTS = {"as-run": {}, "longer": LONGER, "slower": SLOWER, "both": LONGER | SLOWER}


def adaptation_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Tasks of base classes that training did not see, adapted to from trained weights and from the untrained."""
    data = held(cell["dataset"])
    mixed = shuffled(data.train_classes, stream("split", seed))
    seen, new, ways = mixed[len(mixed) // 2:], mixed[:len(mixed) // 2], WAYS[data.name]
    sampler, tasks = Sampler(data, seen, ways, SHOTS, QUERIES), tasks_of(data, new, ways, SHOTS, seed)
    method = MAML(**ADAPTED | ATTEMPTS[cell["attempt"]], episodes=EPISODES, second_order=cell["order"] == "second")
    trained, untrained = (float(solved(each, sampler, tasks, seed).mean())
                          for each in (method, replace(method, episodes=0)))
    return {"accuracy": trained, "untrained": untrained, "gain": trained - untrained}


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Of second order, which is what MAML is."""
    yield SEEDS, [cell(dataset=SET, attempt=attempt) for attempt in ATTEMPTS]


EXPERIMENT = Experiment("segcl-adaptation", 1, {"attempt": str, "order": "second"}, ("accuracy", "untrained", "gain"),
                        grid, adaptation_run, title="Attempts at MAML on TRIANGLES, on base classes (chapter 12)")
