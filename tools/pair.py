"""Write chapters/NN.py (py:percent) from chapters/NN.md, the source of each pair.

Not `jupytext --sync`, which trusts file times and so overwrites the wrong half after a fresh clone.
`--check` writes nothing, names the pairs that differ and exits 1.
"""

import argparse
import sys
from pathlib import Path

import jupytext

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"


def script(chapter: Path) -> bytes:
    """What the .py half of `chapter` must hold, byte for byte."""
    return jupytext.writes(jupytext.read(chapter), "py:percent").encode()


def differing(folder: Path = CHAPTERS) -> list[str]:
    """The names whose two halves differ, or that have only one."""
    halves = {path.with_suffix("") for path in folder.glob("*") if path.suffix in (".md", ".py")}
    return sorted(stem.name for stem in halves if not _agrees(stem.with_suffix(".md")))


def _agrees(chapter: Path) -> bool:
    other = chapter.with_suffix(".py")
    return chapter.exists() and other.exists() and other.read_bytes() == script(chapter)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    if parser.parse_args().check:
        if names := differing():
            sys.exit(f"pairs that differ: {', '.join(names)} (the .md is the source; `make pairs` writes the .py)")
        return
    for chapter in sorted(CHAPTERS.glob("*.md")):
        chapter.with_suffix(".py").write_bytes(script(chapter))


if __name__ == "__main__":
    main()
