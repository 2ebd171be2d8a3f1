"""What several papers print: numbers about a graph, and reasons."""

from ...datasets import PRINTED
from ..answer import Measured, NotRun
from ..printed import Printed

COUNTS = {"nodes": "nodes", "edges": "edges", "links": "edges", "features": "features", "classes": "classes",
          "average_degree": "average_degree", "sparsity_of_features": "sparsity",
          "grouped_features": "grouped_features", "sparsity_of_grouped_features": "grouped_sparsity"}
DERIVED = "follows from other printed columns"


def count(printed: Printed) -> Measured | NotRun:
    """A number printed about a graph: that of the graph which is at hand under a card."""
    if printed.dataset not in PRINTED:
        return NotRun("this graph has no card here yet")
    return Measured("graph-statistics", (dict(dataset=PRINTED[printed.dataset]),), COUNTS[printed.metric], None)
