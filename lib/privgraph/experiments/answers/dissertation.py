"""The dissertation: counts, and methods whose chapters are still to be written."""

from ..answer import Measured, NotRun
from ..printed import Printed
from .shared import COUNTS, DERIVED, count

ABSENT = {name: f"data not at hand: the episodes of {name}" for name in ("Amazon-Clothing", "DBLP")}
CHAPTERS = {"3": "10, LPPGE", "4": "11, PPFL-GNN", "5": "12, SE-GCL", "A": "10, LPPGE"}


def answer(printed: Printed) -> Measured | NotRun:
    if printed.dataset in ABSENT and printed.metric not in COUNTS:
        return NotRun(ABSENT[printed.dataset])
    part = printed.parameters.get("section", printed.table.removeprefix("Table "))[0]
    waits = NotRun(f"waits for chapter {CHAPTERS[part]}")
    if printed.table == "Table 3.1":
        return count(printed) if printed.metric in COUNTS else waits
    return NotRun(DERIVED) if "improvement" in printed.metric or "difference" in printed.metric else waits
