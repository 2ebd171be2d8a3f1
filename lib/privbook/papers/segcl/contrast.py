"""Chapter 12: whether contrast helps on small sets, and which repair of the printed loss does, on the page's own tasks.

The method is named ``segcl-LOSS-MASK`` where it is the printed one with a repair. All methods with one seed start from
the same weights and are asked about the same 50 tasks; ``gap`` is a task's share minus that of PN on the same task, and
``gap_half`` half of its 95% interval over the tasks.
"""

from collections.abc import Callable, Iterator

from torch import Tensor

from privgraph.datasets import Sampler
from privgraph.methods import SEGCL, FewShot, PrototypicalNetwork
from privgraph.methods.few_shot import task_accuracies
from privgraph.nn import interval
from privgraph.randomness import seeded

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import QUERIES, WAYS, held

SEEDS, SHOTS, TASKS = 5, 5, 50
READOUT = {"triangles": "mean", "letters": "sum"}
TEMPERATURE = {"mean": 0.1, "sum": 2.0}  # what base classes chose, by the readout
ARMS = ("pn", "segcl", "segcl-shuffled")
REPAIRS = tuple(f"segcl-{loss}-{mask}" for loss in ("printed", "infonce") for mask in ("zeros", "ones", "mean"))
RATE = 0.005


def built(name: str, readout: str) -> FewShot:
    """The method that a setting names."""
    if name == "pn":
        return PrototypicalNetwork(learning_rate=RATE, readout=readout)
    if name in REPAIRS:
        _, loss, mask = name.split("-")
        return SEGCL(learning_rate=RATE, readout=readout, weight_decay=0.0, contrast=loss, mask=mask)
    return SEGCL(learning_rate=RATE, readout=readout, beta=0.1, temperature=TEMPERATURE[readout],
                 positive="shuffled" if name == "segcl-shuffled" else "own")


def accuracies(method: str, dataset: str, seed: int) -> Tensor:
    """The share of each task's queries that is named right, percent [TASKS]; with the page's coins."""
    data, ways = held(dataset), WAYS[dataset]
    train, test = (Sampler(data, classes, ways, SHOTS, QUERIES) for classes in (data.train_classes, data.test_classes))
    solver = built(method, READOUT[dataset]).learn(train, seeded(seed))
    return 100 * task_accuracies(solver, [test(seeded(100 * seed + i)) for i in range(TASKS)])


def contrast_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    found = accuracies(setting["method"], setting["dataset"], seed)
    gap = interval((found - accuracies("pn", setting["dataset"], seed)).tolist())
    return {"accuracy": float(found.mean()), "gap": gap.mean, "gap_half": gap.half}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    yield SEEDS, [setting(dataset=name, method=method) for name in READOUT for method in ARMS]
    yield 1, [setting(dataset="triangles", method=method) for method in REPAIRS]


EXPERIMENT = Experiment("segcl-contrast", 1, {"method": str}, ("accuracy", "gap", "gap_half"), grid, contrast_run,
                        title="Contrast, wrong views and repairs of the printed loss on small sets (chapter 12)")
