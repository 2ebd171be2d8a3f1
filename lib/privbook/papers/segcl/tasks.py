"""Chapter 12: few-shot tasks of classes that training never saw, SE-GCL, what it is made of, and its baselines.

The dissertation's Table 5.4 (two small sets), the protocol of its Table 5.3 on sets of that kind (its own are not
published), and Figure 5.4 (``eta``). All methods with one seed start from the same weights where they have the same,
train on the same tasks and are asked about the same. ``gap`` is a task's share minus that of PN on the same task.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from privgraph.datasets import GraphSet, Sampler
from privgraph.methods import GSM, MAML, SEGCL, Episodes, PrototypicalNetwork, StructuralMean, SupportGIN, WLKernel
from privgraph.methods.few_shot import PrototypeSolver
from privgraph.methods.few_shot.structure import COLUMNS, NearestMean
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .choice import CHOSEN
from .settings import LARGE, QUERIES, SHOTS, SMALL, WAYS, held, solved, tasks_of

SEEDS, MORE, FEW = 5, 10, 3
PRINTED = ("mincut", "wasserstein", 0.001, 1.0, 0.5)  # readout, distance and rate of section 5.3.2, beta; ours: .5
SETTINGS = ("chosen", "printed")
ETAS = tuple(round(0.1 * i, 1) for i in range(1, 10))
ETA, FEW_ETAS = 0.8, (0.1, 0.9, 0.5, 0.3, 0.7)  # the few on generated sets
ENCODED = 5  # shots of the tasks that an encoder learns from, whose prototypes are attacked
PARTS = {"segcl": {}, "segcl-printed": {"contrast": "printed", "mask": "zeros"}, "segcl-zeros": {"mask": "zeros"},
         "segcl-ones": {"mask": "ones"}, "segcl-shuffled": {"positive": "shuffled"}, "segcl-no-meta": {"meta": False},
         "segcl-other-distance": {}}
OTHERS = ("gsm", "maml", "maml-first", "maml-untrained", "wl", "gin", "pn-untrained")
SLOW = {"maml", "maml-first", "gin"}
OTHER = {"wasserstein": "euclidean", "euclidean": "wasserstein"}


def built(cell: dict) -> Episodes:
    """The method that a cell names."""
    name = cell["method"]
    readout, distance, rate, beta, temperature = PRINTED if cell["setting"] == "printed" else CHOSEN[cell["dataset"]]
    same = dict(readout=readout, learning_rate=rate, layer=cell["layer"])
    if name in PARTS:
        distance = OTHER[distance] if name == "segcl-other-distance" else distance
        return SEGCL(distance=distance, beta=beta, temperature=temperature, eta=cell["eta"], **PARTS[name], **same)
    made = {"pn": PrototypicalNetwork(distance=distance, **same), "gsm": GSM(**same), "wl": WLKernel(),
            "gin": SupportGIN(), "maml": MAML(**same | ADAPTED)}
    made["pn-untrained"] = replace(made["pn"], episodes=0)
    made["maml-first"], made["maml-untrained"] = replace(made["maml"], second_order=False), replace(made["maml"],
                                                                                                    episodes=0)
    return made[name]


def encoder_of(data: GraphSet, vectors: str, seed: int) -> PrototypeSolver | NearestMean:
    """What makes vectors of graphs, from base classes alone: PN as chosen, untrained, or the columns of that name."""
    sampler = Sampler(data, data.train_classes, WAYS[data.name], ENCODED, QUERIES)
    method = (StructuralMean(vectors) if vectors in COLUMNS else
              built({"dataset": data.name, "method": vectors, "setting": "chosen", "layer": "gcn"}))
    return method.fit(sampler, stream("learn", seed))


ADAPTED = {"learning_rate": 0.005, "tasks": 4}  # of MAML


def tasks_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """100 tasks of new classes, and PN on the same."""
    data = held(cell["dataset"])
    sampler = Sampler(data, data.train_classes, cell["ways"], cell["shots"], QUERIES)
    tasks = tasks_of(data, data.test_classes, cell["ways"], cell["shots"], seed)
    found = solved(built(cell), sampler, tasks, seed)
    gap = found - solved(built(cell | {"method": "pn"}), sampler, tasks, seed)
    return {"accuracy": float(found.mean()), "deviation": float(found.std()), "gap": float(gap.mean()),
            "gap_deviation": float(gap.std())}


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Table 5.4 first, then what SE-GCL is made of, eta, the large sets, more seeds, what takes longest."""
    def small(*methods: str, shots: tuple[int, ...] = SHOTS, sets: tuple[str, ...] = SMALL, **more) -> list[dict]:
        return [cell(dataset=name, ways=WAYS[name], shots=k, method=method, **more)
                for name in sets for k in shots for method in methods]

    def large(*methods: str, layers: tuple[str, ...] = ("gcn", "gat")) -> list[dict]:
        return [cell(dataset=name, ways=ways, shots=k, method=method, layer=layer)
                for name in LARGE for ways, k in ((5, 5), (5, 10), (8, 5)) for method in methods for layer in layers]
    quick = [name for name in OTHERS if name not in SLOW]
    yield SEEDS, small("pn", "segcl", "segcl-shuffled")
    yield SEEDS, small("pn", "segcl", "segcl-printed", setting="printed", sets=SMALL[:2])
    yield SEEDS, small(*PARTS, *quick, shots=(5,))
    yield SEEDS, small("gsm", shots=SHOTS)
    yield SEEDS, [cell(dataset=name, ways=WAYS[name], shots=5, method="segcl", eta=eta)
                  for name in SMALL[:2] + LARGE for eta in ETAS]
    yield FEW, [cell(dataset=name, ways=WAYS[name], shots=5, method="segcl", eta=eta)
                for eta in FEW_ETAS for name in SMALL[2:]]
    yield SEEDS, large("pn", "segcl") + large("wl", "gin", layers=("gcn",))
    yield MORE, small("pn", "segcl", "segcl-shuffled", sets=SMALL[:2])
    yield SEEDS, small("maml", "maml-first", "gin", shots=(5,), sets=SMALL[:2])
    yield SEEDS, large("maml")


EXPERIMENT = Experiment(
    "segcl-tasks", 1, {"method": str, "ways": int, "shots": int, "layer": "gcn", "setting": "chosen", "eta": ETA},
    ("accuracy", "deviation", "gap", "gap_deviation"), grid, tasks_run,
    title="Few-shot tasks of new classes: SE-GCL, its parts and its baselines (chapter 12)")
