"""A deck of slides for each page of the chapters, of its own headings, figures and summary.

`make slides` writes build/slides/PAGE.html from the executed pages: one file that needs nothing else. Arrow keys turn
the slides, and a browser prints each on a page of its own (PDF). A formula is written in plain text.
"""

import argparse
import html
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from notebooks import CODE, EXECUTED, ROOT, printed, readable
from privbook.show.plain import without_latex
from site_figures import MARK

HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
BOX = re.compile(r"\{prf:(\w+)\} (.+)|\{admonition\} (Claim: .+)")
ITEM = re.compile(r"^- (.+(?:\n(?:  .+))*)", re.MULTILINE)
CAPTION = re.compile(rf"^% {MARK}(.+)$", re.MULTILINE)
PARAGRAPH = re.compile(r"\A\n+([A-Z*][^\n]*(?:\n[^\n]+)*)")
LEFT_OUT = ("Exercises", "Exercise")
EMPHASIS = re.compile(r"\*\*?([^*]+)\*\*?|`([^`]+)`")
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ margin: 0; font: 3.2vmin/1.4 sans-serif; color: #111; background: #fff; }}
section {{ box-sizing: border-box; height: 100vh; padding: 6vmin 8vmin; overflow: hidden; display: flex;
          flex-direction: column; justify-content: center; break-after: page; }}
h1 {{ font-size: 1.9em; }} h2 {{ font-size: 1.4em; margin: 0 0 .6em; }} li {{ margin: .4em 0; }}
img {{ width: 80vw; max-height: 70vh; align-self: center; object-fit: contain; }}
@page {{ size: 297mm 167mm; margin: 0; }}
</style></head><body>
{slides}
<script>
const slides = [...document.querySelectorAll("section")];
let at = 0;
document.addEventListener("keydown", event => {{
  const step = {{ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}}[event.key];
  if (!step) return;
  event.preventDefault();
  at = Math.min(slides.length - 1, Math.max(0, at + step));
  slides[at].scrollIntoView();
}});
</script></body></html>
"""


def deck(notebook: NotebookNode, values: dict[str, object] | None = None) -> str:
    """The slides of a page.

    :param values: of the numbers in its sentences.
    """
    slides = list(of(notebook, values or {}))
    return PAGE.format(title=plain(HEADING.search(notebook.cells[0].source)[2], {}), slides="\n".join(slides))


def of(notebook: NotebookNode, values: dict[str, object]) -> Iterator[str]:
    """Each slide: a title, sections with what stands in them, and figures with their captions."""
    caption, inside = "", True
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = CODE.sub("", cell.source)
            for head, body in sections(text):
                inside = head[1] not in LEFT_OUT and (inside or len(head[0]) < 3) if head else inside
                if inside and head:
                    yield slide(head, body, values)
            caption = (CAPTION.findall(text) or [""])[-1]
        elif inside and caption:
            yield from figures(cell, plain(caption, values))
            caption = ""


def sections(text: str) -> Iterator[tuple[tuple[str, str] | None, str]]:
    """(heading's signs and words, what follows) of a cell; None where it goes on without a heading."""
    found = list(HEADING.finditer(text))
    yield None, text[:found[0].start()] if found else text
    for one, after in zip(found, [*found[1:], None][:len(found)], strict=True):
        yield (one[1], one[2]), text[one.end():after.start() if after else None]


def slide(head: tuple[str, str], body: str, values: dict[str, object]) -> str:
    """A heading, and below it its list, or how it begins and the titles of its definitions and theorems."""
    depth, words = head
    items = ITEM.findall(body) if depth == "#" or words == "Summary" else [
        (f"{kind.capitalize()}. {title}" if kind else claim) for kind, title, claim in BOX.findall(body)]
    listed = "".join(f"<li>{plain(item, values)}</li>" for item in items)
    size = "h1" if depth == "#" else "h2"
    said = "" if depth == "#" or words == "Summary" else plain(begins(body), values)
    return (f"<section><{size}>{plain(words, values)}</{size}>{f'<p>{said}</p>' if said else ''}"
            f"{f'<ul>{listed}</ul>' if listed else ''}</section>")


def begins(body: str) -> str:
    """The first two sentences of a section, if it begins with a sentence."""
    paragraph = PARAGRAPH.match(body)
    sentences = re.split(r"(?<=[.?!])\s+", paragraph[1]) if paragraph else []
    return " ".join(one for one in sentences[:2] if one[-1] in ".?!")


def figures(cell: NotebookNode, caption: str) -> Iterator[str]:
    """What a cell drew, below its caption."""
    said = html.escape(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""), quote=True)
    for output in cell.outputs:
        if picture := output.get("data", {}).get("image/png"):
            source = f"data:image/png;base64,{''.join(picture.split())}"
            yield f'<section><h2>{caption}</h2><img src="{source}" alt="{said}"></section>'


def plain(text: str, values: dict[str, object]) -> str:
    """HTML of a sentence, with its numbers and without markup."""
    words = without_latex(readable(" ".join(text.split()), values, "{}"))
    return html.escape(EMPHASIS.sub(lambda found: found[1] or found[2], words))


def write(folder: Path) -> list[Path]:
    """A deck for each page that was executed; returns where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for path in sorted(EXECUTED.glob("*.ipynb")):
        made.append(folder / f"{path.stem}.html")
        made[-1].write_text(deck(nbformat.read(path, 4), printed(path)), encoding="utf-8")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "slides")
    for path in write(parser.parse_args().to):
        print(path)


if __name__ == "__main__":
    main()
