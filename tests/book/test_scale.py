"""The table of how large a graph can be: every step runs, and growth is read off as it is."""

import csv
import importlib.util
import re
from pathlib import Path

import pytest

from privgraph.mechanisms import MOST_PAIRS

PLACE = Path(__file__).parents[2] / "benchmarks" / "scale.py"
SPEC = importlib.util.spec_from_file_location("scale", PLACE)
scale = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(scale)


@pytest.mark.parametrize("step", scale.STEPS)
def test_every_step_runs(step):
    prepare, moved = scale.STEPS[step]
    data = scale.random_graph(2_000)
    result = prepare(data)()
    assert result.numel() > 0 and bool(result.isfinite().all()) and moved(data) > 0


def test_growth_and_the_table():
    rows = [dict(step="a", edges=10**k, seconds=2.0 * 100**k, gigabytes=0.5 * k, limit=50.0**k) for k in (6, 4, 5)]
    assert scale.exponent(rows) == pytest.approx(2.0)
    assert scale.table(rows) == [{"step": "a", "10^4 edges": "2e+08 s, 2.0 GB", "10^5 edges": "2e+10 s, 2.5 GB",
                                  "10^6 edges": "2e+12 s, 3.0 GB", "growth": "2.00", "over copying": "1.3e+02 times"}]


def test_the_page_says_what_the_table_says():
    page = (PLACE.parents[1] / "book" / "your_own_graph.md").read_text(encoding="utf-8")
    assert re.search(r"\{csv-table\}\n:file: \.\./benchmarks/scale_table\.csv\n:header-rows: 1\n", page)
    text = page.partition("## How large a graph can be")[2].partition("\n## ")[0]
    with open(PLACE.with_name("scale_table.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    seconds, gigabytes = zip(*(map(float, re.findall(r"[\d.]+", row["10^6 edges"])) for row in rows), strict=True)
    assert f"every step takes at most {max(seconds):g} seconds and {max(gigabytes):g} GB" in text
    fastest = max(rows, key=lambda row: float(row["growth"]))
    assert fastest["step"].startswith("KProp") and f"({fastest['growth']})" in text
    assert f"mean degree of {scale.DEGREE} and {scale.FEATURES} features" in text
    assert f"{MOST_PAIRS:,} pairs is refused" in text


def test_a_busy_machine_is_not_measured(monkeypatch):
    monkeypatch.setattr("os.getloadavg", lambda: (3.0, 0.0, 0.0))
    monkeypatch.setattr("sys.argv", ["scale.py", "--sizes", "100"])
    with pytest.raises(SystemExit, match="busy .load 3.0, at most 0.5 wanted"):
        scale.main()
