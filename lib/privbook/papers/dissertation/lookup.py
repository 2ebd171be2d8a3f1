"""The dissertation: LPPGE's tables are means of ten runs; PPFL-GNN's and SE-GCL's do not say."""

from privgraph.datasets import PRINTED

from ..lookup import ABSENT, COUNTS, DERIVED, FOLLOWS, Answer, Measured, NotRun, count
from ..lppge import metrics, tables
from ..ppfl.lookup import ppfl
from ..published import Printed
from ..segcl.lookup import segcl

RUNS = 10
AWAY = {name: f"data not at hand: the episodes of {name}" for name in ("Amazon-Clothing", "DBLP")}
DEFENCES = {"GAE": "gae", "GAE_RM": "gae-rm", "DPNE": "dpne", "NPGE": "npge", "LPPGE(T)": "lppge-t",
            "LPPGE(A)": "lppge-a"}
ATTACKED = {"macro_f1_non_sensitive_links": "mlp_others_f1", "macro_f1_sensitive_links": "mlp_sensitive_f1"}
CLASSIFIED = {"MLP": "node_mlp", "SVM": "node_svm"}
COUNTED = {"sensitive_links": "sensitive_links", "sensitive_link_share": "sensitive_share",
           "added_links": "added_links"}


def lookup(printed: Printed) -> Answer:
    if printed.dataset in AWAY and printed.metric not in COUNTS:
        return NotRun(AWAY[printed.dataset], ABSENT)
    part = printed.parameters.get("section", printed.table.removeprefix("Table "))[0]
    if part in "3A":
        return lppge(printed)
    if "improvement" in printed.metric or "difference" in printed.metric:
        return NotRun(DERIVED, FOLLOWS)
    return (ppfl if part == "4" else segcl)(printed)


def lppge(printed: Printed) -> Measured | NotRun:
    """Chapter 3 and its appendix."""
    if printed.table == "running text":
        return NotRun("a summary of tables and figures; chapter 10 prints ours beside it", FOLLOWS)
    if printed.table == "Table 3.1":
        return of_setting(printed)
    dataset, share = PRINTED[printed.dataset], float(printed.parameters.get("percent", 100)) / 100
    setting = tables.EXPERIMENT.setting(dataset=dataset, defence=DEFENCES[printed.method], share=share)
    metric = ATTACKED.get(printed.metric) or CLASSIFIED[printed.parameters["classifier"]]
    return Measured(tables.EXPERIMENT.name, (setting,), metric, RUNS)


def of_setting(printed: Printed) -> Measured | NotRun:
    """Table 3.1: what is counted on a graph, and what was chosen."""
    if printed.metric in COUNTS:
        return count(printed)
    if printed.metric not in COUNTED:
        return NotRun("a setting; chapter 10 says where ours is another")
    setting = metrics.COUNTS_EXPERIMENT.setting(dataset=PRINTED[printed.dataset])
    return Measured(metrics.COUNTS_EXPERIMENT.name, (setting,), COUNTED[printed.metric], None)
