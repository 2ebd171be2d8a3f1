"""The table of how large a graph can be: every step runs, and growth is read off as it is."""

import importlib.util
from pathlib import Path

import pytest

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


def test_a_busy_machine_is_not_measured(monkeypatch):
    monkeypatch.setattr("os.getloadavg", lambda: (3.0, 0.0, 0.0))
    monkeypatch.setattr("sys.argv", ["scale.py", "--sizes", "100"])
    with pytest.raises(SystemExit, match="busy .load 3.0, at most 0.5 wanted"):
        scale.main()
