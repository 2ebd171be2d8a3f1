"""The table of `privgraph advise`, written anew from the ledger: tools/advice.py"""

from pathlib import Path

from privbook.papers.side_by_side.advice import table

FILE = Path(__file__).resolve().parents[1] / "lib" / "privgraph" / "cli" / "advice.csv"

if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
