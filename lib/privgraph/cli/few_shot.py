"""Few-shot tasks from the command line: a method beside counting, beside itself untrained, and beside chance."""

import argparse
from dataclasses import fields, replace

from tqdm.auto import tqdm

from ..checks import check_count
from ..datasets import SETS, GraphSet, Sampler, load_graphs
from ..methods import FewShot, StructuralMean
from ..methods.few_shot import task_accuracies
from ..nn import interval
from ..streams import stream
from .said import Report

COUNTED = "nothing learnt: nearest class mean of what one counts in a graph"


def add_task_options(parser: argparse.ArgumentParser) -> None:
    """Which graphs, and which tasks."""
    group = parser.add_argument_group("the set of graphs, and tasks of classes that training never saw")
    group.add_argument("--set", choices=list(SETS), default="triangles", help="its name (default: %(default)s)")
    for name, usual, what in (("ways", 3, "classes of a task"), ("shots", 5, "labelled graphs of each class"),
                              ("queries", 10, "graphs of each class that are to be named"),
                              ("test-tasks", 100, "tasks of each test")):
        group.add_argument(f"--{name}", type=int, default=usual, help=f"{what} (default: %(default)s)")


def set_of(options) -> GraphSet:
    return load_graphs(options.set)


def introduce_set(method: FewShot, data: GraphSet, options, report: Report) -> None:
    report.say(f"{options.kind.__name__} on {data.name}: {len(data.graphs)} graphs, {len(data.train_classes)} classes "
               f"to learn from, {len(data.test_classes)} new ones", method=options.method, hyperparameters=method,
               graph=data.name, graphs=len(data.graphs), repeats=options.repeats)


def run_episodes(method: FewShot, data: GraphSet, options, report: Report) -> None:
    """Each seed trains anew and draws its own tasks, the same for all arms; intervals are over seeds."""
    check_count(options.test_tasks, "test_tasks", low=1)
    train, test = (Sampler(data, classes, options.ways, options.shots, options.queries)
                   for classes in (data.train_classes, data.test_classes))
    report.say("nothing holds: no guarantee is given, for the graphs of training or for the support of a task",
               guarantees=[])
    told = {"": "", "untrained": "the same, from its first weights", "counting": COUNTED}
    found = {name: [] for name in arms(method)}
    for seed in tqdm(range(options.repeats), desc="seeds", leave=False):
        draws = stream("tasks", seed)
        tasks = [test(draws) for _ in range(options.test_tasks)]
        for name, arm in arms(method).items():
            solver = arm.learn(train, stream("learn", seed))
            found[name].append(100 * float(task_accuracies(solver, tasks).mean()))
    for name, values in found.items():
        report.result(name or "new classes", interval(values), told[name])
    report.result("chance", interval([100 / options.ways] * options.repeats))


def arms(method: FewShot) -> dict[str, FewShot]:
    """The method under no name, and what it must beat."""
    if isinstance(method, StructuralMean):
        return {"": method}
    trains = "episodes" in (field.name for field in fields(method))
    return {"": method} | ({"untrained": replace(method, episodes=0)} if trains else {}) | {
        "counting": StructuralMean()}
