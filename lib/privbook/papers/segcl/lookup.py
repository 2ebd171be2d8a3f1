"""The dissertation's chapter 5, SE-GCL. Figures 5.3 and 5.4 are pictures without numbers."""

from privgraph.datasets import PRINTED_SETS

from ..graphs_counted import SETS_EXPERIMENT
from ..lookup import FOLLOWS, Answer, Measured, NotRun
from ..published import Printed
from . import tasks

RUNS = 1  # the text names none: its ± is said to be over the 100 tasks of a test, of one training as ours of a seed is
METHODS = {"SE-GCL": "segcl", "GSM": "gsm"}
OF_SETS = {name: name for name in ("graphs", "average_nodes", "average_edges", "test_classes")} | {
    "node_attributes": "features", "training_classes": "train_classes"}


def segcl(printed: Printed) -> Answer:
    if printed.table == "running text":
        return NotRun("a summary of tables; the evidence page of chapter 12 prints ours beside it", FOLLOWS)
    name = PRINTED_SETS[printed.dataset]
    if printed.table == "Table 5.2":
        return Measured(SETS_EXPERIMENT.name, (SETS_EXPERIMENT.setting(dataset=name),), OF_SETS[printed.metric], None)
    ways, shots = (int(printed.parameters[what]) for what in ("way", "shot"))
    setting = tasks.EXPERIMENT.setting(dataset=name, ways=ways, shots=shots, method=METHODS[printed.method])
    return Measured(tasks.EXPERIMENT.name, (setting,), "accuracy", RUNS)
