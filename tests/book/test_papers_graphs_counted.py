"""Sets of graphs beside what the dissertation prints of them."""

from privbook.papers.coverage import compare_paper
from privbook.papers.results import Results
from privgraph.datasets import (
    SETS,
)

MADE = [name for name, card in SETS.items() if card.file is None]


def test_the_printed_sample_of_triangles_is_another():
    """What book/attempts.yml says of Table 5.2, and that Letter-High and all other cells of the sample agree."""
    ours = Results("set-statistics")
    verdicts = {(c.printed.dataset, c.printed.metric): c.verdict for c in compare_paper("dissertation")
                if c.printed.table == "Table 5.2"}
    assert len(verdicts) == 24
    differing = {key for key, verdict in verdicts.items() if verdict == "differs"}
    assert differing == {("TRIANGLES", name) for name in ("graphs", "average_nodes", "average_edges")}
    assert sum(verdict == "agrees" for verdict in verdicts.values()) == 9
    counted = [ours.values(name, dataset="triangles-sample")[0] for _, name in sorted(differing)]
    assert [round(value, 2) for value in counted] == [24.55, 15.08, 2010]
