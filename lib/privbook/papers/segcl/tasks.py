"""Chapter 12: few-shot tasks of classes that training never saw, SE-GCL, what it is made of, and its baselines.

The dissertation's Table 5.4 (two small sets), the protocol of its Table 5.3 on sets of that kind (its own are not
published), and Figure 5.4 (``eta``). All methods with one seed start from the same weights where they have the same,
train on the same tasks and are asked about the same. ``gap`` is a task's share minus that of PN on the same task.

``null`` comes before any network: what can be counted names graphs without any training. It is the nearest class mean
on numbers of nodes, edges, degrees, triangles, eigenvalues, and on means of features.

``adaptation`` asks why MAML gains next to nothing on TRIANGLES: three attempts, judged on base classes alone. As run,
the loss of the queries hardly falls, and the columns of the encoder's vectors that are not zero for every graph become
fewer. Each attempt has a hypothesis. ``longer``: the support is hardly fitted, five steps from a last layer of zeros
are too short; ten steps, five times as wide. ``slower``: the outer rate puts columns to sleep; a fifth of it. ``both``.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from privgraph.datasets import GraphSet, Sampler
from privgraph.methods import GSM, MAML, SEGCL, FewShot, PrototypicalNetwork, StructuralMean, SupportGIN, WLKernel
from privgraph.methods.few_shot import PrototypeSolver
from privgraph.methods.few_shot.structure import COLUMNS, NearestMean
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import (
    CHOSEN,
    LARGE,
    METRICS,
    QUERIES,
    SHOTS,
    SMALL,
    WAYS,
    held,
    shuffled,
    solved,
    summary,
    tasks_of,
)

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


def built(setting: dict) -> FewShot:
    """The method that a setting names."""
    name = setting["method"]
    chosen = PRINTED if setting["setting"] == "printed" else CHOSEN[setting["dataset"]]
    readout, distance, rate, beta, temperature = chosen
    same = dict(readout=readout, learning_rate=rate, layer=setting["layer"])
    if name in PARTS:
        distance = OTHER[distance] if name == "segcl-other-distance" else distance
        return SEGCL(distance=distance, beta=beta, temperature=temperature, eta=setting["eta"], **PARTS[name], **same)
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
    return method.learn(sampler, stream("learn", seed))


ADAPTED = {"learning_rate": 0.005, "tasks": 4}  # of MAML


def tasks_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """100 tasks of new classes, and PN on the same."""
    data = held(setting["dataset"])
    sampler = Sampler(data, data.train_classes, setting["ways"], setting["shots"], QUERIES)
    tasks = tasks_of(data, data.test_classes, setting["ways"], setting["shots"], seed)
    found = solved(built(setting), sampler, tasks, seed)
    gap = found - solved(built(setting | {"method": "pn"}), sampler, tasks, seed)
    return {"accuracy": float(found.mean()), "deviation": float(found.std()), "gap": float(gap.mean()),
            "gap_deviation": float(gap.std())}


def tasks_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Table 5.4 first, then what SE-GCL is made of, eta, the large sets, more seeds, what takes longest."""
    def small(*methods: str, shots: tuple[int, ...] = SHOTS, sets: tuple[str, ...] = SMALL, **more) -> list[dict]:
        return [setting(dataset=name, ways=WAYS[name], shots=k, method=method, **more)
                for name in sets for k in shots for method in methods]

    def large(*methods: str, layers: tuple[str, ...] = ("gcn", "gat")) -> list[dict]:
        return [setting(dataset=name, ways=ways, shots=k, method=method, layer=layer)
                for name in LARGE for ways, k in ((5, 5), (5, 10), (8, 5)) for method in methods for layer in layers]
    quick = [name for name in OTHERS if name not in SLOW]
    yield SEEDS, small("pn", "segcl", "segcl-shuffled")
    yield SEEDS, small("pn", "segcl", "segcl-printed", setting="printed", sets=SMALL[:2])
    yield SEEDS, small(*PARTS, *quick, shots=(5,))
    yield SEEDS, small("gsm", shots=SHOTS)
    yield SEEDS, [setting(dataset=name, ways=WAYS[name], shots=5, method="segcl", eta=eta)
                  for name in SMALL[:2] + LARGE for eta in ETAS]
    yield FEW, [setting(dataset=name, ways=WAYS[name], shots=5, method="segcl", eta=eta)
                for eta in FEW_ETAS for name in SMALL[2:]]
    yield SEEDS, large("pn", "segcl") + large("wl", "gin", layers=("gcn",))
    yield MORE, small("pn", "segcl", "segcl-shuffled", sets=SMALL[:2])
    yield SEEDS, small("maml", "maml-first", "gin", shots=(5,), sets=SMALL[:2])
    yield SEEDS, large("maml")


EXPERIMENT = Experiment(
    "segcl-tasks", 1, {"method": str, "ways": int, "shots": int, "layer": "gcn", "setting": "chosen", "eta": ETA},
    ("accuracy", "deviation", "gap", "gap_deviation"), tasks_grid, tasks_run,
    title="Few-shot tasks of new classes: SE-GCL, its parts and its baselines (chapter 12)")


def null_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Tasks of classes that nothing was fitted to."""
    data, ways = held(setting["dataset"]), setting["ways"]
    sampler = Sampler(data, data.train_classes, ways, setting["shots"], QUERIES)
    tasks = tasks_of(data, data.test_classes, ways, setting["shots"], seed)
    return summary(solved(StructuralMean(setting["columns"]), sampler, tasks, seed))


def null_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Every set, every number of shots."""
    for name, ways in WAYS.items():
        yield SEEDS, [setting(dataset=name, ways=ways, shots=shots, columns=columns)
                      for columns in COLUMNS for shots in (1, *SHOTS)]


NULL_EXPERIMENT = Experiment(
    "segcl-null", 1, {"columns": str, "ways": int, "shots": int}, METRICS, null_grid, null_run,
    title="Few-shot tasks by counting alone (chapter 12)")

ATTEMPTED, ATTEMPT_SHOTS = 2, 5  # seeds, and shots of a task
EPISODES = 100  # a third of what the tests' methods have
ATTEMPT_SET = "triangles-sample"
LONGER, SLOWER = {"steps": 10, "inner_rate": 0.5}, {"learning_rate": 0.001}
ATTEMPTS = {"as-run": {}, "longer": LONGER, "slower": SLOWER, "both": LONGER | SLOWER}


def adaptation_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Tasks of base classes that training did not see, adapted to from trained weights and from the untrained."""
    data = held(setting["dataset"])
    mixed = shuffled(data.train_classes, stream("split", seed))
    seen, new, ways = mixed[len(mixed) // 2:], mixed[:len(mixed) // 2], WAYS[data.name]
    sampler = Sampler(data, seen, ways, ATTEMPT_SHOTS, QUERIES)
    tasks = tasks_of(data, new, ways, ATTEMPT_SHOTS, seed)
    method = MAML(**ADAPTED | ATTEMPTS[setting["attempt"]], episodes=EPISODES,
                  second_order=setting["order"] == "second")
    trained, untrained = (float(solved(each, sampler, tasks, seed).mean())
                          for each in (method, replace(method, episodes=0)))
    return {"accuracy": trained, "untrained": untrained, "gain": trained - untrained}


def adaptation_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Of second order, which is what MAML is."""
    yield ATTEMPTED, [setting(dataset=ATTEMPT_SET, attempt=attempt) for attempt in ATTEMPTS]


ADAPTATION_EXPERIMENT = Experiment(
    "segcl-adaptation", 1, {"attempt": str, "order": "second"}, ("accuracy", "untrained", "gain"), adaptation_grid,
    adaptation_run, title="Attempts at MAML on TRIANGLES, on base classes (chapter 12)")
