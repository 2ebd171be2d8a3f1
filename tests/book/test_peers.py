"""The page on accountants shows what was measured, and ours has every property in that measurement, too."""

import pytest

import peers
from privgraph.audit.accountants import PROPERTIES


def test_the_page_shows_what_was_measured():
    page = peers.PAGE.read_text(encoding="utf-8")
    shown = page.partition(peers.BEGIN)[2].partition(peers.END)[0]
    assert shown.strip() == peers.tables(peers.results()).strip() and shown.strip()


def test_every_accountant_was_asked_about_every_property():
    rows = peers.results()
    names = {row["accountant"] for row in rows}
    assert {(row["accountant"], row["property"]) for row in rows} == {(a, p) for a in names for p in PROPERTIES}
    assert {"ours, PLD", "ours, RDP", "autodp", "Opacus, PRV", "dp-accounting, RDP"} <= names <= set(peers.PEERS)
    assert all((int(row["findings"]) > 0) == bool(row["first"]) for row in rows)


@pytest.mark.parametrize("name", ["ours, PLD", "ours, RDP"])
def test_ours_had_every_property(name):
    failed = {row["property"]: row["first"] for row in peers.results() if row["accountant"] == name
              and int(row["findings"])}
    assert set(failed) <= ({"below the upper bound"} if name == "ours, RDP" else set())


def test_the_tool_asks_us_as_anybody(tmp_path):
    path = tmp_path / "some.csv"
    rows = [dict.fromkeys(peers.FIELDS, "") | {"accountant": name, "property": "refuses", "findings": "1",
                                              "first": "refuses: 3 (noise 0)"} for name in ("autodp", "ours, RDP")]
    for row in rows:
        peers.keep([row], path)
    peers.keep([rows[0] | {"findings": "2"}], path)
    kept = [(row["accountant"], row["findings"]) for row in peers.results(path)]
    assert kept == [("ours, RDP", "1"), ("autodp", "2")]
    assert "| autodp | 0 | 0 | 0 | 0 | 2 |" in peers.tables(peers.results(path))
