"""The dissertation's chapter 4, PPFL-GNN. Figures 4.3 to 4.6 are pictures without numbers."""

from privgraph.datasets import CARDS, PRINTED

from ..lookup import Answer, Computed, Measured, NotRun
from ..published import Printed
from .settings import WRONG
from .tables import DEEPWALK_EXPERIMENT, GAT_EXPERIMENT, WHOLE_EXPERIMENT

RUNS = 1  # the text names none; a printed client is one draw of nodes, as ours of the same number is in each run
ARMS = {"LOC": "local", "FED": "aligned"}
EXPERIMENTS = {"DeepWalk": DEEPWALK_EXPERIMENT, "GAT": GAT_EXPERIMENT}
HELD = {"public_nodes_per_client": (40,), "private_nodes_per_client": (15,), "nodes_per_client": (40, 15)}  # percent


def ppfl(printed: Printed) -> Answer:
    if printed.metric in HELD:
        nodes = CARDS[PRINTED[printed.dataset]].nodes
        return Computed(sum(nodes * percent // 100 for percent in HELD[printed.metric]))
    if printed.table == "running text":
        return NotRun("a setting, or a summary of figures; chapter 11 prints ours beside it")
    if not printed.dataset:
        return NotRun("the table names neither the graph nor the classifier; chapter 11 has ours of what was run "
                      "beside it")
    graph, noisy = printed.dataset.partition("_")[::2]
    place, learner = dict(dataset=PRINTED[graph]), printed.parameters["classifier"].lower()
    if printed.method == "full graph":
        setting = WHOLE_EXPERIMENT.setting(**place, method=printed.backbone.lower())
        return Measured(WHOLE_EXPERIMENT.name, (setting,), learner, RUNS)
    experiment, more = EXPERIMENTS[printed.backbone], dict(wrong=WRONG) if noisy else {}
    setting = experiment.setting(**place, arm=ARMS[printed.method], **more)
    return Measured(experiment.name, (setting,), f"{learner}_client_{printed.parameters['client']}", RUNS)
