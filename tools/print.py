"""The whole book as one PDF: the pages of the built site on one page, which Chromium prints.

Sphinx's own ``singlehtml`` gives every section the anchor that it has in its chapter, so that "Exercises" is the same
place in twelve of them. Here each anchor takes its page's name, and numbers, figures and links are the site's.

Left out, as the title page says: solutions, folded code, and the reference of the library.
"""

import argparse
import base64
import html
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from posixpath import normpath

import yaml
from bs4 import BeautifulSoup, Tag

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "book" / "_build" / "html"
PRINT = ROOT / "book" / "_build" / "print"
PDF = "graphs-that-keep-secrets.pdf"
FRONT = "book/intro"
TO_SITE = "../html/"
LEFT_OUT = re.compile(r"book/api(/|$)")  # who uses the library has its docstrings, and the site
NOT_ON_PAPER = "script, button, .filters, .headerlink, .downloads, .toctree-wrapper, div.solution, details.hide"
ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:|//", re.IGNORECASE)
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --hide-scrollbars""".split()
MARGIN_BOXES = 131  # the first Chromium that prints page numbers as a style sheet asks
TEXT_WIDTH = 672  # pixels: A4 without the margins of STYLE
PATIENCE = 900  # seconds that one step of the browser may take on a busy machine

STYLE = """
@page { size: A4; margin: 20mm 16mm 18mm; @bottom-center { content: counter(page); font: 9pt sans-serif; } }
@page :first { @bottom-center { content: none; } }
.title-page { padding-top: 60mm !important; text-align: center; }
.title-page h1 { font-size: 30pt; }
.title-page .left-out { margin-top: 80mm; font-size: 9pt; }
article { break-before: page; }
.contents p.part { font-weight: 600; margin: 0.9em 0 0.2em; break-after: avoid; }
.contents a { display: flex; align-items: baseline; gap: 0.4em; break-inside: avoid; }
.contents a.below { padding-left: 1.6em; }
.contents .dots { flex: 1; border-bottom: 1px dotted #777; min-width: 2em; }
.contents .number { width: 2.2em; text-align: right; }
"""
HEAD = "font: 8.5pt sans-serif; color: #555;"  # of a running title
TYPESET = """
const done = arguments[arguments.length - 1];
const ready = Promise.all([document.fonts.ready, window.MathJax?.startup?.promise]);
ready.then(() => done(""), error => done(String(error)));
"""
# A table with many columns, or a long formula, is wider than the page even when it wraps: it is printed smaller. Before
# it gets too small to read, its words may break.
SHRINK = """
const share = box => box.parentElement.clientWidth / Math.max(box.scrollWidth, box.offsetWidth);
for (const box of document.querySelectorAll("main table, mjx-container[display='true']")) {
  if (share(box) < 0.6) box.style.overflowWrap = "anywhere";
  if (share(box) < 0.998) box.style.zoom = 0.99 * share(box);
}
"""
FILL = """
for (const link of document.querySelectorAll(".contents a"))
  link.querySelector(".number").textContent = arguments[0][link.getAttribute("href").slice(1)];
"""


@dataclass(frozen=True)
class Line:
    """A line of the contents: a page, or, without one, the name of a part."""

    title: str
    page: str = ""
    below: bool = False


def contents(front: BeautifulSoup) -> list[Line]:
    """Parts and pages in the order of the site's sidebar, the front page first, without what is left out."""
    lines = [Line("About this book", FRONT)]
    for tag in front.select("nav.bd-links p.caption, nav.bd-links li[class*='toctree-l'] > a"):
        if tag.name == "p":
            lines.append(Line(tag.get_text(strip=True)))
        elif (page := target(tag["href"], FRONT)[0]) != FRONT and not LEFT_OUT.match(page):
            lines.append(Line(tag.get_text(strip=True), page, "toctree-l1" not in tag.parent["class"]))
    after = [*lines[1:], Line("")]
    return [line for line, following in zip(lines, after, strict=True) if line.page or following.page]


def target(address: str, page: str) -> tuple[str, str]:
    """Page (without .html) and anchor to which a link of ``page`` leads."""
    path, _, anchor = address.partition("#")
    if path:
        page = normpath(PurePosixPath(page).parent / path).removesuffix(".html")
    return page, anchor


def place(page: str, anchor: str = "") -> str:
    """The anchor in the one page: PDF readers show it, and some mind slashes."""
    name = page.replace("/", ".")
    return f"{name}:{anchor}" if anchor else name


def soup(site: Path, page: str) -> BeautifulSoup:
    return BeautifulSoup((site / f"{page}.html").read_text(encoding="utf-8"), "html.parser")


def article(site: Path, page: str, pages: set[str]) -> Tag:
    """What a page says, as part of the one page."""
    found = soup(site, page).select_one("article")
    for tag in found.select(NOT_ON_PAPER):
        tag.decompose()
    for tag in found.find_all(id=True):
        tag["id"] = place(page, tag["id"])
    for tag in found.find_all("details"):
        tag["open"] = ""
    for tag in found.find_all(src=True):
        resource(tag, page)
    for tag in found.find_all("a", href=True):
        relink(tag, page, pages)
    found["id"] = place(page)
    return found


def resource(tag: Tag, page: str) -> None:
    """Lead a picture, a script or a style sheet of a page from the folder of the print to the site's."""
    name = "href" if tag.name == "link" else "src"
    if tag.get(name) and not ELSEWHERE.match(tag[name]):
        tag[name] = TO_SITE + target(tag[name], page)[0]


def relink(tag: Tag, page: str, pages: set[str]) -> None:
    """Lead a link to its place in the one page; what is not printed is no link."""
    if ELSEWHERE.match(tag["href"]):
        return
    to, anchor = target(tag["href"], page)
    if to in pages:
        tag["href"] = "#" + place(to, anchor)
    else:
        del tag["href"]


def front_matter(lines: list[Line]) -> str:
    """Title page and contents; the numbers of pages are filled in when they are known."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    entries = []
    for line in lines:
        title = html.escape(line.title)
        entries.append(f'<a class="{"below" if line.below else "page"}" href="#{place(line.page)}"><span>{title}</span>'
                       '<span class="dots"></span><span class="number"></span></a>'
                       if line.page else f'<p class="part">{title}</p>')
    return f"""<section class="title-page"><h1>{config["title"]}</h1>
<p>An executable textbook of privacy-preserving graph neural networks</p>
<p>{config["author"]}, {config["copyright"]}</p>
<p class="left-out">Printed from the site of the book. Only there are the solutions of the exercises, code that is
folded, rows of long tables beyond the first ones, and the reference of the library.</p></section>
<article class="bd-article contents"><h1>Contents</h1>{"".join(entries)}</article>"""


def running_heads(lines: list[Line]) -> str:
    """A named page for each page of the site: its title stands at the top."""
    rules = []
    for number, line in enumerate(line for line in lines if line.page):
        title = re.sub(r'[\\"<]', lambda sign: f"\\{ord(sign[0]):x} ", line.title)
        rules.append(f'@page p{number} {{ @top-right {{ content: "{title}"; {HEAD} }} }}\n'
                     f'article[id="{place(line.page)}"] {{ page: p{number}; }}\n')
    return "".join(rules)


def head(site: Path, page: str) -> str:
    """The style sheets of a page, and of its scripts only MathJax with its settings."""
    kept = []
    for tag in soup(site, page).select("head link[rel~='stylesheet'], head script"):
        if tag.name == "link" or "mathjax" in str(tag).lower():
            resource(tag, page)
            kept.append(str(tag))
    return "\n".join(kept)


def with_mathematics(site: Path, pages: list[str]) -> str:
    """A page whose head loads MathJax: the front page need not."""
    return next((page for page in pages if "tex-chtml" in (site / f"{page}.html").read_text(encoding="utf-8")), FRONT)


def one_page(site: Path) -> str:
    """The book as one page of HTML, to lie in a folder beside the site's."""
    lines = contents(soup(site, FRONT))
    pages = [line.page for line in lines if line.page]
    body = "\n".join(str(article(site, page, set(pages))) for page in pages)
    return f"""<!DOCTYPE html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>Graphs That Keep Secrets</title>
{head(site, with_mathematics(site, pages))}<style>{STYLE}{running_heads(lines)}</style></head>
<body><main class="bd-main"><div class="bd-content"><div class="bd-article-container">
{front_matter(lines)}{body}</div></div></main></body></html>"""


def programs() -> tuple[str, str]:
    """Where Chromium and its driver are; without them there is no print."""
    found = [next(filter(None, map(shutil.which, names)), None)
             for names in (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",))]
    if missing := [name for name, path in zip(("chromium", "chromedriver"), found, strict=True) if not path]:
        sys.exit(f"no {' and no '.join(missing)} here, which prints the book: apt-get install chromium chromium-driver")
    return tuple(found)


@contextmanager
def browser() -> Iterator:
    """The system's Chromium without a window, as wide as the text on paper, showing what a printer would get."""
    from selenium import webdriver  # here, so that what is missing is said in one line

    chromium, driver = programs()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        window = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            if int(window.capabilities["browserVersion"].partition(".")[0]) < MARGIN_BOXES:
                sys.exit(f"Chromium {MARGIN_BOXES} or newer is needed, which numbers the pages")
            window.command_executor.client_config.timeout = PATIENCE
            window.set_page_load_timeout(PATIENCE), window.set_script_timeout(PATIENCE)
            as_on_paper(window)
            yield window
        finally:
            window.quit()


def as_on_paper(window) -> None:
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": TEXT_WIDTH, "height": 1000, "deviceScaleFactor": 1, "mobile": False})


def load(window, page: Path) -> None:
    """Open a page, wait for its fonts and mathematics, and make what is too wide smaller."""
    window.get(page.resolve().as_uri())
    if problem := window.execute_async_script(TYPESET):
        sys.exit(f"the mathematics was not set: {problem}")
    window.execute_script(SHRINK)


def pdf(window) -> bytes:
    """The page that is open, as a PDF with bookmarks."""
    settings = {"preferCSSPageSize": True, "printBackground": True, "generateTaggedPDF": True,
                "generateDocumentOutline": True}
    return base64.b64decode(window.execute_cdp_cmd("Page.printToPDF", settings)["data"])


def page_numbers(printed: bytes) -> dict[str, int]:
    """On which page of a PDF each anchor is that a link leads to."""
    number = {page: count for count, page in enumerate(pages_of(printed), start=1)}
    found = re.findall(rb"/([^\s/\[\]<>]+) \[(\d+) 0 R /XYZ", printed)
    return {re.sub(r"#([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), name.decode("latin-1")): number[int(page)]
            for name, page in found if name != b"Dest"}


def pages_of(printed: bytes) -> list[int]:
    """The numbers of the objects that are pages, in order; Chromium's own PDFs, whose objects are not packed."""
    objects = {int(number): text for number, text in re.findall(
        rb"^(\d+) 0 obj\s*(<</Type /Pages?\b.*?)\bendobj", printed, re.MULTILINE | re.DOTALL)}
    inner = {number: [int(kid) for kid in re.findall(rb"(\d+) 0 R", kids[1])]
             for number, text in objects.items() if (kids := re.search(rb"/Kids \[([^\]]*)\]", text))}

    def leaves(number: int) -> list[int]:
        return [leaf for kid in inner[number] for leaf in leaves(kid)] if number in inner else [number]

    top, = inner.keys() - {kid for kids in inner.values() for kid in kids}
    return leaves(top)


def book(site: Path, folder: Path) -> Path:
    """Print the site: once to learn where its pages come to lie, and again with those numbers in the contents."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "book.html"
    page.write_text(one_page(site), encoding="utf-8")
    with browser() as window:
        load(window, page)
        numbers = page_numbers(pdf(window))
        window.execute_script(FILL, numbers)
        printed = pdf(window)
    if page_numbers(printed) != numbers:
        sys.exit("the numbers in the contents moved the pages that they tell of")
    (folder / PDF).write_bytes(printed)
    return folder / PDF


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--look", action="store_true", help="only say whether there is a browser to print with")
    if parser.parse_args().look:
        programs()
        return
    if not (SITE / f"{FRONT}.html").exists():
        sys.exit("there is no built site: `make print` builds it first")
    made = book(SITE, PRINT)
    print(f"{made.relative_to(ROOT)}: {len(pages_of(made.read_bytes()))} pages, {made.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
