"""Write the tables of book/federation.md from book/faults.yml: ``python tools/faults.py``; ``--check`` only looks."""

import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PAGE, SOURCE = ROOT / "book" / "federation.md", ROOT / "book" / "faults.yml"
ROUND = {"in": "the message counts once", "out": "left out of this round; the others go on"}
PLACE = {"kept": "stays connected, and takes part in the next round",
         "free": "free at once; the client may connect again and takes part from the next round",
         "never": "closed for the rest of the federation"}


def tables() -> dict[str, str]:
    """Each table by the name in its marker."""
    faults = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    messages = [(each["fault"], each["what"], ROUND[each["round"]], PLACE[each["place"]])
                for each in faults["messages"]]
    connections = [(each["fault"], each["what"], each["happens"]) for each in faults["connections"]]
    return {"messages": table(("fault", "what happens", "the round", "the seat"), messages),
            "connections": table(("fault", "what happens", "outcome"), connections)}


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows))


def written(page: str) -> str:
    """The page with the tables between their markers."""
    for name, rows in tables().items():
        begin, end = f"<!-- {name} of faults.yml -->", "<!-- end -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n\n{rows}\n\n{end}{rest.partition(end)[2]}"
    return page


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        sys.exit(0 if page == written(page) else f"{PAGE} is not what {SOURCE} says: python tools/faults.py")
    PAGE.write_text(written(page), encoding="utf-8")
