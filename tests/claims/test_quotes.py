"""Numbers that the register quotes from a paper stand in that paper's tables, as ``results/published`` has them."""

import pytest

from privbook.papers.published import entries

# claim -> the paper, where they stand, and the numbers as printed
QUOTES = {
    "gp-table-1b-gap": ("graphprivatizer", "Table 1b", "6.3 12.4 21.7 1.9 2.7 5.0 13.2 3.4 8.0"),
    "gp-cora-0-8-privacy-gain": ("graphprivatizer", "running text", "5.4 0.8"),
    "gp-table-3-lastfm": ("graphprivatizer", "Table 3b", "80 81 83.0 84.1"),
    "gp-table-5-cosine-privacy": ("graphprivatizer", "Table 5", "2 3 1 -1 10 7 4.8"),
    "gp-prior-work": ("graphprivatizer", "running text", "76.3 4"),
    "privgnn-attack-1": ("privgnn", "running text", "0.75 0.54"),
    "privgnn-attack-2": ("privgnn", "running text", "0.40 0.51 0.54 0.82 0.75 0.87"),
    "privgnn-gap-comparison": ("privgnn", "running text", "16 78 70"),
    "lppge-reduces-attack-score": ("dissertation", "Table 3.2",
                                   "90.0 80.7 90.7 81.3 75.8 81.5 72.3 80.5 81.0 77.0 84.1"),
    "lppge-embedding-reveals-removed": ("dissertation", "Table 3.2", "91.8 89.6"),
    "lppge-npge-not-enough": ("dissertation", "Table 3.2", "89.2 92.6 81.0"),
    "lppge-customisation": ("dissertation", "Table A.3", "83.6 82.4 78.4 80.7"),
    "lppge-dpne-scores": ("dissertation", "Table 3.2", "52.7 48.8 60.6 67.3 67.5 52.5 75.9"),
}


@pytest.mark.bears("measured", "gp-table-1b-gap", "gp-cora-0-8-privacy-gain", "gp-table-3-lastfm",
                   "gp-table-5-cosine-privacy", "privgnn-attack-1", "privgnn-attack-2", "lppge-reduces-attack-score",
                   "lppge-embedding-reveals-removed", "lppge-customisation", "lppge-dpne-scores")
@pytest.mark.bears("beside", "gp-prior-work", "privgnn-gap-comparison", "lppge-npge-not-enough")
@pytest.mark.parametrize("claim", QUOTES)
def test_what_the_register_quotes_is_printed(claim):
    paper, table, quoted = QUOTES[claim]
    printed = {text for entry in entries(paper, table) 
               for text in (entry.mean, entry.spread, *entry.parameters.values())}
    assert set(quoted.split()) <= printed
    if claim == "gp-table-3-lastfm":  # the same setting, in three tables
        base = {entry.mean for where in ("Table 3a", "Table 9") for entry in entries(
            paper, where, metric="accuracy", backbone="GCN", method="GP-t", epsilon="1", alpha="0", delta="0")}
        assert base == {"84.2"}
    if claim == "lppge-customisation":
        rochester = {entry.mean for entry in entries(paper, "Table A.4")}
        assert {"75.4", "76.3", "75.1", "81.3"} <= rochester
