"""Tables of pages, made when the site is built: plans of courses and ways through the book, with hours added up, and
projects.

On book/course.md, how_to_read.md and projects.md a line ``% Plan: NAME``, ``% Paths`` or ``% Projects`` stands where
each goes. A page takes the minutes that it states, its exercises those of their headings, an assignment its own; a
project what its runs took.
"""

import math
import re
import statistics
from collections.abc import Iterator

import yaml

from notebooks import CHAPTERS, ROOT
from privbook.classroom import assignments
from privbook.papers.catalogue import experiments
from privbook.runs.plan import rows_of
from sync import EXERCISE

PLANS, PROJECTS, PATHS = (ROOT / "course" / name for name in ("plans.yml", "projects.yml", "paths.yml"))
TIME = re.compile(r"\*\*Time:\*\* (\d+) minutes")
PLAN = re.compile(r"^% Plan: (\w+)$", re.MULTILINE)


def filled(text: str) -> str:
    """A page with its tables."""
    known = yaml.safe_load(PLANS.read_text(encoding="utf-8"))
    text = PLAN.sub(lambda found: f"### {known[found[1]]['title']}\n\n{table(known[found[1]]['weeks'])}", text)
    text = text.replace("% Paths\n", paths()) if "% Paths\n" in text else text
    return text.replace("% Projects\n", projects()) if "% Projects\n" in text else text


def reading(page: str) -> int:
    """Minutes that a page states."""
    return int(TIME.search((CHAPTERS / f"{page}.md").read_text(encoding="utf-8"))[1])


def exercises(page: str) -> int:
    """Minutes of all exercises of a page."""
    found = EXERCISE.findall((CHAPTERS / f"{page}.md").read_text(encoding="utf-8"))
    return sum(int(minutes) for _, minutes, *_ in found if minutes)


def minutes(week: dict) -> tuple[int, int, int]:
    """Of reading, exercises and the assignment."""
    name = week.get("assignment")
    return (sum(map(reading, week["pages"])), sum(map(exercises, week["pages"])),
            assignments()[name].about["minutes"] if name else 0)


def table(weeks: list[dict]) -> str:
    """A row a week, their sum, and what students can do after each."""
    lines = ["| week | pages | assignment | reading + exercises + assignment, in minutes | hours |",
             "|---|---|---|---|---|"]
    all_of = [minutes(week) for week in weeks]
    for number, (week, parts) in enumerate(zip(weeks, all_of, strict=True), start=1):
        pages = ", ".join(f"{{doc}}`../chapters/{page}`" for page in week["pages"])
        given = f"{{doc}}`assignments/{week['assignment']}`" if "assignment" in week else "none"
        lines.append(f"| {number} | {pages} | {given} | {' + '.join(map(str, parts))} | {sum(parts) / 60:.1f} |")
    total = [sum(part) for part in zip(*all_of, strict=True)]
    lines.append(f"| all | | | {' + '.join(map(str, total))} | {sum(total) / 60:.1f} |")
    return "\n".join([*lines, "", *goals(weeks)])


def goals(weeks: list[dict]) -> Iterator[str]:
    for number, week in enumerate(weeks, start=1):
        yield f"After week {number} students can" if len(weeks) > 1 else "Afterwards students can"
        yield "\n" + ",\n".join(f"- {goal}" for goal in week["goals"]) + ".\n"


def paths() -> str:
    """A row a way through the book."""
    lines = ["| you are | read, in this order | reading | with its exercises |", "|---|---|---|---|"]
    for path in yaml.safe_load(PATHS.read_text(encoding="utf-8")):
        pages = path["pages"]
        read, solve = sum(map(reading, pages)), sum(map(exercises, pages))
        links = ", ".join([*(f"{{doc}}`../chapters/{page}`" for page in pages), f"then {{doc}}`{path['then']}`"])
        lines.append(f"| {path['who']} | {links} | {read / 60:.1f} hours | {(read + solve) / 60:.1f} hours |")
    return "\n".join([*lines, ""])


def projects() -> str:
    """Each project with what it takes."""
    lines = []
    for number, one in enumerate(yaml.safe_load(PROJECTS.read_text(encoding="utf-8")), start=1):
        lines += [f"**{number}. {one['title']}** ({one['kind']}; after {{doc}}`../chapters/{one['needs']}`). "
                  f"{one['question']} *About {one['hours']} hours, and {processor(one)} minutes of the processor for "
                  f"{one['runs']} runs.*", ""]
    return "\n".join(lines)


def processor(project: dict) -> int:
    """Minutes of the processor, in steps of five."""
    seconds = project["seconds"] if "seconds" in project else usual(*project["ledger"])
    return max(5, 5 * math.ceil(project["runs"] * seconds / 300))


def usual(name: str, graph: str) -> float:
    """Seconds of a run in the middle of those in the ledger."""
    return statistics.median(row["seconds"] for row in rows_of(experiments()[name]) if row["dataset"] == graph)
