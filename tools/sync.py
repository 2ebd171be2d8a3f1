"""Write chapters/NN.py (py:percent) from chapters/NN.md, the source of each pair; put new chapters into the contents.

The contents are _toc.yml and the table of the front page, with a row a chapter, of its line ``% Front page: ...``. The
page of all exercises is made from the line ``% Exercise: 10 minutes, ●●: what it trains`` at the head of each, when the
site is built.

Not `jupytext --sync`, which trusts file times and so overwrites the wrong half after a fresh clone. Here a half is
untouched if it is what was last agreed on: in HEAD, or when this was last run. An edit of the .py alone is carried over
into the .md. Where both were edited nothing is written, and both edits are shown.
`--check` writes nothing, names what differs and exits 1.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path

import jupytext

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
AGREED = CHAPTERS.parent / "build" / "pairs"  # each .py as this last wrote it
CONTENTS, FRONT_PAGE = CHAPTERS.parent / "_toc.yml", CHAPTERS.parent / "book" / "intro.md"
ENTRY = re.compile(r"( *)- file: chapters/((\d+)_\w+)")
ROW = re.compile(r"\| \{doc\}`\.\./chapters/(\w+)` \|")
EXERCISE = re.compile(r"\{exercise-start\}\n:label: ([\w-]+)\n`{3,}\n"
                      r"(?:% Exercise: (\d+) minutes, (●{1,3}): (\S.*)\n)?(.*)")
HEAD = """# All exercises

Each has a folded solution on its page, and an empty cell in the notebook. Minutes are for somebody who has read the
page; ● is practice, ●● takes an idea, ●●● takes two. ✓ marks those with a checker: a function that says whether your
answer is right.
"""
PROMISE = re.compile(r"^% Front page: (.*)$", re.MULTILINE)


def script(chapter: Path) -> bytes:
    """What the .py half of `chapter` must hold, byte for byte."""
    return script_of(chapter.read_text(encoding="utf-8"))


def script_of(text: str) -> bytes:
    return jupytext.writes(jupytext.reads(text, "md:myst"), "py:percent").encode()


def differing(folder: Path = CHAPTERS) -> list[str]:
    """The names whose two halves differ, or that have only one."""
    halves = {path.with_suffix("") for path in folder.glob("*") if path.suffix in (".md", ".py")}
    return sorted(stem.name for stem in halves if not _agrees(stem.with_suffix(".md")))


def _agrees(chapter: Path) -> bool:
    other = chapter.with_suffix(".py")
    return chapter.exists() and other.exists() and other.read_bytes() == script(chapter)


def agree(chapter: Path, agreed: Path) -> str:
    """Make the two halves of a chapter one text again; what was refused, or nothing."""
    other, expected = chapter.with_suffix(".py"), script(chapter)
    found = other.read_bytes() if other.exists() else expected
    known = bases(other, agreed)
    if found == expected or found in known:  # the .py is as it was: the .md is the source
        other.write_bytes(expected)
    elif not (expected in known and carry_over(chapter, found)):
        return refusal(chapter, expected, found, known)
    agreed.mkdir(parents=True, exist_ok=True)
    (agreed / other.name).write_bytes(other.read_bytes())
    return ""


def bases(other: Path, agreed: Path) -> list[bytes]:
    """What both halves of a chapter said when they last agreed, as a .py: to this tool, and in HEAD."""
    last = agreed / other.name
    head = subprocess.run(["git", "show", f"HEAD:./{other.name}"], cwd=other.parent, capture_output=True)
    return ([last.read_bytes()] if last.exists() else []) + ([] if head.returncode else [head.stdout])


def carry_over(chapter: Path, found: bytes) -> bool:
    """Put the edit of the .py into the .md, whose own layout jupytext would lose; whether that can be done exactly."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = (Path(folder) / name for name in ("before", "after"))
        for path, half in ((before, script(chapter)), (after, found)):
            path.write_text(jupytext.writes(jupytext.reads(half.decode(), "py:percent"), "md:myst"), encoding="utf-8")
        merged = subprocess.run(["git", "merge-file", "-p", chapter, before, after], capture_output=True)
    exact = merged.returncode == 0 and script_of(merged.stdout.decode()) == found
    if exact:
        chapter.write_bytes(merged.stdout)
        print(f"{chapter.name}: the edit of its .py was carried over")
    return exact


def refusal(chapter: Path, expected: bytes, found: bytes, known: list[bytes]) -> str:
    """Both edits, and what to do. Without a text that was once agreed on: where the halves differ."""
    def edit(before: bytes, after: bytes, name: str) -> str:
        lines = (text.decode().splitlines(keepends=True) for text in (before, after))
        return "".join(unified_diff(*lines, "before", name, n=1))
    name, other = chapter.name, chapter.with_suffix(".py").name
    shown = ([edit(known[0], expected, f"{name}, as a .py"), edit(known[0], found, other)] if known
             else [edit(expected, found, other)])
    return "\n".join([f"{other} holds an edit that is not in {name}, and cannot be carried over: nothing was written.",
                      *shown, f"Put it into {name}, the source; remove {other}; run `make sync`, which writes it."])


def with_chapters(contents: str, stems: list[str]) -> str:
    """_toc.yml with what it lacks of the chapters ``stems``; what is there keeps its place.

    A new number comes after the chapters with smaller ones; a second page of a number is a section of its chapter.
    """
    lines = contents.splitlines()
    for stem in sorted(stems):
        entries = [(i, *ENTRY.match(line).groups()) for i, line in enumerate(lines) if ENTRY.match(line)]
        if stem in [name for _, _, name, _ in entries]:
            continue
        number = stem.partition("_")[0]
        place, indent, *_ = max(entry for entry in entries if entry[3] <= number)
        same = [entry for entry in entries if entry[3] == number]
        indent = min((entry[1] for entry in same), default=min(entry[1] for entry in entries))
        sections = [f"{indent}  sections:"] if len(same) == 1 else []
        lines[place + 1:place + 1] = [*sections, f"{indent}{'    ' * bool(same)}- file: chapters/{stem}"]
    return "\n".join(lines) + "\n"


def expected_contents() -> str:
    return with_chapters(CONTENTS.read_text(encoding="utf-8"), [path.stem for path in CHAPTERS.glob("*.md")])


def with_rows(page: str, contents: str, promises: dict[str, str]) -> str:
    """The front page with a row for each chapter of the contents that it lacks; a section needs none.

    :param promises: chapter -> what its reader will be able to do, for those that say it.
    """
    entries = [match for match in map(ENTRY.match, contents.splitlines()) if match]
    top = min(len(match[1]) for match in entries)
    lines = page.splitlines()
    for chapter in (match[2] for match in entries if len(match[1]) == top):
        rows = {ROW.match(line)[1]: number for number, line in enumerate(lines) if ROW.match(line)}
        if chapter not in rows:
            if chapter not in promises:
                sys.exit(f"{chapter} must have a line `% Front page: ...`: what its reader will be able to do")
            place = max(number for name, number in rows.items() if name < chapter)
            lines.insert(place + 1, f"| {{doc}}`../chapters/{chapter}` | {promises[chapter]} |")
    return "\n".join(lines) + "\n"


def expected_front_page() -> str:
    said = {path.stem: PROMISE.search(path.read_text(encoding="utf-8")) for path in CHAPTERS.glob("*.md")}
    promises = {name: found[1] for name, found in said.items() if found}
    return with_rows(FRONT_PAGE.read_text(encoding="utf-8"), expected_contents(), promises)


def exercises(chapters: dict[str, str]) -> str:
    """The page of all exercises, from the texts of the chapters (name -> text), in the order of the contents."""
    lines, begun = [HEAD], set()
    for name, text in chapters.items():
        aside = f", {name[3:].replace('_', ' ')}" if name[:2] in begun else ""  # a second page of its chapter
        begun.add(name[:2])
        if ":::{exercise}" in text:
            sys.exit(f"{name}: an exercise is between {{exercise-start}} and {{exercise-end}}, or no list has it")
        if rows := EXERCISE.findall(text):
            lines.append(f"## Chapter {int(name[:2])}{aside}\n\n{{doc}}`../chapters/{name}`\n")
            lines.append("| exercise | minutes | level | trains |\n|---|---|---|---|")
            lines += [exercise(*row) for row in rows] + [""]
    return "\n".join(lines).rstrip() + "\n"


def exercise(label: str, minutes: str, level: str, trains: str, text: str) -> str:
    if not minutes:
        sys.exit(f"{label} must begin with a line `% Exercise: 10 minutes, ●●: ...`: its level, and what it trains")
    checker = " ✓" if text.startswith("*(With a checker.)*") else ""
    return f"| {{ref}}`{label}` | {minutes} | {level}{checker} | {trains} |"


def all_exercises() -> str:
    names = [match[2] for match in map(ENTRY.match, expected_contents().splitlines()) if match]
    return exercises({name: (CHAPTERS / f"{name}.md").read_text(encoding="utf-8") for name in names})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="only compare")
    if parser.parse_args().check:
        if names := differing():
            sys.exit(f"pairs that differ: {', '.join(names)} (`make sync` writes the .py from the .md, the source, "
                     "and carries an edit of the .py alone over)")
        for expected, path in ((expected_contents(), CONTENTS), (expected_front_page(), FRONT_PAGE)):
            if expected != path.read_text(encoding="utf-8"):
                sys.exit(f"{path.name} lacks a chapter: `make sync` puts it in")
        return
    if refused := [said for chapter in sorted(CHAPTERS.glob("*.md")) if (said := agree(chapter, AGREED))]:
        sys.exit("\n".join(refused))
    FRONT_PAGE.write_text(expected_front_page(), encoding="utf-8")
    CONTENTS.write_text(expected_contents(), encoding="utf-8")
    all_exercises()  # each says what it trains


if __name__ == "__main__":
    main()
