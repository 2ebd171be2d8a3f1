"""The dissertation, whose text is a scan."""

import numpy as np

from ..contradictions import FINE, SMALL, Contradiction, keep, listed, pick, rows


def gat_at_20_percent() -> Contradiction:
    """A difference of two numbers that stand beside it."""
    entries = keep(rows("dissertation", "Table 4.3"), backbone="GAT", percent="20")
    local, federated, gain = (pick(entries, method=method) for method in ("LOC", "FED", "FED minus LOC"))
    return Contradiction(
        "dissertation", "Table 4.3, 20%, GAT", f"difference {gain.mean}",
        f"{federated.mean} - {local.mean} = {federated.value - local.value:.1f}",
        abs(gain.value - federated.value + local.value), 3 * FINE, "nothing we use; the two scores are to be compared")


def sums_as_percentages() -> Contradiction:
    """Section 4.3.3 reports the column GLOBAL, a sum over clients, as the improvement of the global result."""
    entries = rows("dissertation", "Table 4.1", "Table 4.2")
    said = keep(rows("dissertation", "running text"), metric="improvement")
    own = []
    for entry in said:
        where = dict(dataset=entry.dataset, backbone=entry.backbone, classifier=entry.parameters["classifier"])
        own.append(np.mean([pick(entries, **where, method="FED", client=i).value
                            - pick(entries, **where, method="LOC", client=i).value for i in "1234"]))
    return Contradiction(
        "dissertation", "Section 4.3.3, of Tables 4.1 and 4.2",
        f"improves the results by {', '.join(c.mean for c in said)}%",
        f"{listed(own, '.1f')} points a client on average; the printed numbers are sums over four clients, as the "
        "caption of Table 4.1 says", min(c.value - mean for c, mean in zip(said, own, strict=True)), 3 * FINE,
        "what federation adds, when we run it: the mean over clients is to be compared")


def rochester_counted_twice() -> Contradiction:
    """Table 3.3 and the appendix print the same runs; a scan was read, so a digit may be the reader's."""
    gaps, total = [], 0
    for dataset, table in zip(("Cora", "Citeseer", "Yale", "Rochester"), ("A.5", "A.6", "A.7", "A.8"), strict=True):
        other = keep(rows("dissertation", f"Table {table}"), percent="100")
        for entry in keep(rows("dissertation", "Table 3.3"), dataset=dataset):
            again = pick(other, method=entry.method, classifier=entry.parameters["classifier"])
            if "uncertain" not in (entry.reading, again.reading):
                total += 1
                gaps += [(entry, again)] if abs(entry.value - again.value) > 2 * FINE + SMALL else []
    shown = [f"{a.method} {a.parameters['classifier']} {a.mean}" for a, _ in gaps]
    return Contradiction(
        "dissertation", "Table 3.3, Rochester", ", ".join(shown),
        f"{', '.join(b.mean for _, b in gaps)} in Table A.8 (all sensitive links); the other {total - len(gaps)} of "
        f"{total} numbers are equal. Both were read from a scan",
        min((abs(a.value - b.value) for a, b in gaps), default=0.0), 2 * FINE,
        "node classification on Rochester beside ours, when it is run")


def one_method_twice() -> Contradiction:
    """With radius 1 trimming keeps the links between sensitive users, all of which are sensitive: NPGE's graph."""
    radius = pick(rows("dissertation", "Table 3.1"), dataset="Citeseer", metric="radius_R")
    (npge, trimmed), *classes = (
        [pick(rows("dissertation", table), dataset="Citeseer", method=method, **where)
         for method in ("NPGE", "LPPGE(T)")]
        for table, where in (("Table 3.2", dict(metric="macro_f1_sensitive_links")),
                             ("Table 3.3", dict(classifier="MLP")), ("Table 3.3", dict(classifier="SVM"))))
    error = np.hypot(float(npge.spread), float(trimmed.spread))
    named = ", ".join(f"{a.mean} and {b.mean}" for a, b in classes)
    return Contradiction(
        "dissertation", "Table 3.2, Citeseer, sensitive links",
        f"NPGE {npge.mean} ± {npge.spread}, LPPGE(T) {trimmed.mean} ± {trimmed.spread}",
        f"with R = {radius.mean} (Table 3.1) the two are one method. They lie "
        f"{(npge.value - trimmed.value) / error:.1f} standard errors of independent runs apart; as to classes (Table "
        f"3.3, MLP and SVM, no spread) {named}",
        npge.value - trimmed.value, 2 * error + 2 * FINE,
        "`lppge-npge-not-enough`: ours are equal to the last bit, seed by seed")
