"""The site's own Sphinx extension: chapters' numbers, links to claims, and nothing that no page asks for.

``chapters/08_x`` is chapter 8, whatever is not written yet; its evidence is a section of it. Links to a chapter say
its number. A claim's id, written as code, leads to its card in the register; its verdict in a title is a badge.
Figures, the glossary and what links show before they are followed have modules of their own beside this one.
"""

import csv
import re
import shutil
from pathlib import Path

import yaml
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles as Collector

import addresses
import assignments
import notebooks
import plans
import privbook
import site_figures
import site_glossary
import site_math
import site_parameters
import site_previews
import site_prompts
import site_search
import sync
from privbook import claims, show
from privbook.papers.published import papers

AS_COUNTED = Collector.assign_section_numbers  # by place in the contents
CHAPTER = re.compile(r"chapters/(\d+)_")
REGISTER = site_previews.REGISTER
SLOWEST = 20  # tests on the page of the status
VERDICT = re.compile("(?<=verdict: )(holds|corrected|refuted|empirical only)")
# What MathJax is asked for beside its one script: fonts, its menu, and its reader for screens, in English.
MATHJAX = ("output/chtml/fonts/woff-v2/", "ui/menu.js", "a11y/", "sre/mathmaps/base.json", "sre/mathmaps/en.json")
# Fonts of letters that no formula of the book has, and the commands that would ask for them.
NO_LETTERS = {"Fraktur": "frak", "SansSerif": "sf", "Script": "scr", "Typewriter": "tt", "Math-BoldItalic": "bm",
              "Calligraphic-Bold": "boldsymbol"}
# An icon as the theme's script holds it, `sun:[512,512,[9728,"other-name"],"f185","M375..."],`, and where one is named.
ICON = re.compile(r'"?(?P<name>[\w-]+)"?:\[\d+,\d+,\[(?P<aliases>[^\]]*)\],"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\],?')
ALIAS, NAMED_ICON = re.compile(r'"([\w-]+)"'), re.compile(r"\bfa-([a-z0-9-]+)")
# The same icon as a letter of a font: the script draws all that are asked for.
LETTER = re.compile(r"(?:\.fa-[\w-]+:before,?)+\{content:\"[^{}]*\}")
# Names, punctuation and spaces of code, which have the colour of all text, and Sphinx's ``pre``, which no style sheet
# names: most of the tags of code.
UNCOLOURED = re.compile(r'<span class="(?:[npw]|pre)">([^<]*)</span>')
UNREAD = re.compile(r"<!--[^>]*-->|(?<=<code class=\")docutils ")  # of no style sheet, script or reader
INDENT = re.compile(r"(<(pre|script|textarea|style)\b[\s\S]*?</\2>)|\n\s+")  # but not in what is shown as written
LAST = 999  # after the extensions that copy files


def numbered_by_file(collector: Collector, env: BuildEnvironment) -> list[str]:
    """The numbers of sections, with the chapter's taken from its file's name."""
    changed = AS_COUNTED(collector, env)
    for page, numbers in env.toc_secnumbers.items():
        if found := CHAPTER.match(page):
            chapter = int(found[1])
            env.toc_secnumbers[page] = {anchor: number and (chapter, *number[1:]) for anchor, number in numbers.items()}
            for place in (env.titles[page], *env.tocs[page].findall(nodes.reference)):
                if place.get("secnumber"):
                    place["secnumber"] = [chapter, *place["secnumber"][1:]]
    return changed


def say_numbers(app: Sphinx, doctree: nodes.document, _: str) -> None:
    """"8. GraphPrivatizer ..." where a link says a chapter's title."""
    for link in doctree.findall(nodes.reference):
        page = Path(link.get("refuri", "").partition("#")[0]).stem
        number = app.env.toc_secnumbers.get(f"chapters/{page}", {}).get("")
        for text in link.findall(nodes.inline):
            if number and "doc" in text["classes"] and text.astext() == app.env.titles[f"chapters/{page}"].astext():
                text.insert(0, nodes.Text(".".join(map(str, number)) + ". "))


def link_claims(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """`rgnn-theorem-1` leads to the card of that claim."""
    register = "" if page == REGISTER else app.builder.get_relative_uri(page, REGISTER)
    for code in list(doctree.findall(nodes.literal)):
        inside = isinstance(code.parent, nodes.reference)
        if code.astext() in app.env.claim_ids and not inside:
            link = nodes.reference("", "", code.deepcopy(), refuri=f"{register}#{code.astext()}", internal=True)
            code.replace_self(link)


def show_verdicts(_: Sphinx, doctree: nodes.document, __: str) -> None:
    """In the title of a theorem or of a claim, "refuted" is a badge, which leads where the claim's id does."""
    for title in doctree.findall(nodes.title):
        card = next((link["refuri"] for link in title.findall(nodes.reference) if "refuri" in link), None)
        for text in list(title.findall(nodes.Text)):
            before, *rest = VERDICT.split(text, maxsplit=1)
            if rest:
                verdict, after = rest
                badge = nodes.inline("", verdict, classes=["verdict", verdict.split()[0]])
                link = nodes.reference("", "", badge, refuri=card, internal=True) if card else badge
                text.parent.replace(text, [nodes.Text(before), link, nodes.Text(after)])
                if isinstance(title.parent, nodes.admonition):  # a theorem that refutes a claim is none itself
                    title.parent["classes"].append(f"is-{verdict.split()[0]}")


def live_numbers(_: Sphinx, config: Config) -> None:
    """What the front page says of the register and of the ledger: {{ claims_refuted }} and the like."""
    judged = [claim for claim in claims.load_claims().values()
              if claim.paper != "book" and claim.verdict not in ("pending", "not a privacy claim")]
    everything = [c for paper in papers() for c in privbook.compare_paper(paper)]
    *_, total = show.coverage_rows({"all": everything})
    agree = total["agrees"]
    features = privbook.Results("lpgnn").gap(
        dict(features="real"), dict(features="permuted"), dataset="cora", backbone="gcn", epsilon_x=3.0, epsilon_y=3.0,
        x_steps=16, y_steps=2)
    config.myst_substitutions = {
        "claims_checked": len(judged), "claims_refuted": sum(claim.verdict == "refuted" for claim in judged),
        "values_printed": f"{total['printed values']:,}", "values_agree": f"{agree:,}",
        "values_compared": f"{agree + total['differs'] + total['inconclusive']:,}", "features_add": str(features)}


def offer_notebook(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Below a chapter's title: the notebook, the script, and the archive of all."""
    if CHAPTER.match(page) and app.builder.format == "html":
        name = page.partition("/")[2]
        files = {f"{name}.ipynb": "notebook", f"{name}.py": "script", notebooks.ARCHIVE: "all, with the library"}
        launches = addresses.setting().launches(name)
        links = " · ".join([*(f'<a href="../notebooks/{file}" download>{text}</a>' for file, text in files.items()),
                            *(f'<a href="{address}">{text}</a>' for text, address in launches.items())])
        line = nodes.raw("", f'<p class="downloads">Get it: {links}</p>', format="html")
        doctree.next_node(nodes.section).insert(1, line)


def list_exercises(_: Sphinx, page: str, source: list[str]) -> None:
    """The page of all exercises, from the chapters."""
    if page == "book/exercises":
        source[0] = sync.all_exercises()


def add_plans(_: Sphinx, page: str, source: list[str]) -> None:
    """The tables of the pages for teachers and of ways through the book."""
    if page in ("book/course", "book/how_to_read", "book/projects"):
        source[0] = plans.filled(source[0])


def show_slowest_tests(app: Sphinx, page: str, source: list[str]) -> None:
    """On the page of the status: what the tests cost, where they ran before the site was built (tools/seconds.py)."""
    if page == "book/status":
        kept = Path(app.srcdir) / "build" / "seconds.csv"
        source[0] += slowest_tests(kept.read_text(encoding="utf-8") if kept.exists() else "")


def slowest_tests(kept: str) -> str:
    head, *rows = csv.reader(kept.splitlines()) if kept else [()]
    rows = [*rows[:-1][:SLOWEST], *rows[-1:]]  # the last is their sum
    if not rows:
        return "\n## The slowest tests\n\nThis site was built without running them.\n"
    lines = ["| test | seconds of the processor |", "|---|---:|", *(f"| `{test}` | {cost} |" for test, cost in rows)]
    return "\n## The slowest tests\n\n" + "\n".join(lines) + "\n"


def write_notebooks(app: Sphinx, error: Exception | None) -> None:
    if not error and app.builder.format == "html":
        notebooks.write(Path(app.outdir) / "notebooks")
        notebooks.write_figures(Path(app.outdir) / "notebooks" / notebooks.SLIDES)
        assignments.write(Path(app.outdir) / "notebooks" / "assignments")


def read_claims(app: Sphinx) -> None:
    app.env.claims = yaml.safe_load((Path(app.srcdir) / "book/claims.yml").read_text(encoding="utf-8"))
    app.env.claim_ids = {claim["id"] for claim in app.env.claims}


def leave_out(app: Sphinx, error: Exception | None) -> None:
    """Remove what no page can ask for: most of MathJax and of the icons, source maps, the theme's own templates and
    catalogues of translations, fonts for browsers before 2016; tags that colour nothing, and indents. And paint figures
    with 256 colours, which they seldom have."""
    static = Path(app.outdir) / "_static"
    if error or app.builder.format != "html":
        return
    for path in (*static.rglob("*.map"), *static.rglob("*.ttf"), *static.glob("*.html")):
        path.unlink()
    shutil.rmtree(static / "locales", ignore_errors=True)
    leave_out_icons(Path(app.outdir))
    for path in Path(app.outdir).rglob("*.html"):
        path.write_text(flush_left(plainer(path.read_text(encoding="utf-8"))), encoding="utf-8")
    for path in (Path(app.outdir) / "_images").glob("*.png"):
        with Image.open(path) as figure:
            figure.convert("RGB").quantize(256).save(path, optimize=True)
    mathjax, kept = static / "mathjax", (Path(app.config.mathjax_path).name, *MATHJAX)
    for path in (path for path in mathjax.rglob("*") if path.is_file()):
        if not str(path.relative_to(mathjax)).startswith(kept) or any(font in path.name for font in NO_LETTERS):
            path.unlink()
    for folder in mathjax.iterdir():
        if folder.is_dir() and not any(path.is_file() for path in folder.rglob("*")):
            shutil.rmtree(folder)


def plainer(page: str) -> str:
    """A page without comments, and without marks around words that no style sheet asks for; some are in others.

    >>> plainer('<em><span class="n"><span class="pre">x</span></span></em>')
    '<em>x</em>'
    >>> plainer('<!-- for the theme --><code class="docutils literal">x</code>')
    '<code class="literal">x</code>'
    """
    return UNREAD.sub("", UNCOLOURED.sub(r"\1", UNCOLOURED.sub(r"\1", page)))


def flush_left(page: str) -> str:
    """A page without indents and empty lines, which a browser shows as one space, where they mean nothing.

    >>> flush_left("<p>one\\n   two</p>\\n\\n<pre>three\\n   four</pre>")
    '<p>one\\ntwo</p>\\n<pre>three\\n   four</pre>'
    """
    return INDENT.sub(lambda found: found[1] or "\n", page)


def leave_out_icons(site: Path) -> None:
    """Keep the icons that a page, or a script that makes one, names: fifteen of two thousand; none as letters, and no
    font of brands."""
    icons = site / "_static/scripts/fontawesome.js"
    texts = (path.read_text(encoding="utf-8") for path in site.rglob("*")
             if path.suffix in (".html", ".js") and path != icons and "mathjax" not in path.parts)
    named = set(NAMED_ICON.findall("".join(texts)))
    drawn = icons.read_text(encoding="utf-8")
    for sheet in (site / "_static/styles").glob("*.css"):
        sheet.write_text(LETTER.sub("", sheet.read_text(encoding="utf-8")), encoding="utf-8")
    for font in (site / "_static").rglob("fa-brands-*.woff2"):
        font.unlink()
    icons.write_text(ICON.sub(lambda icon: icon[0] if named & {icon["name"], *ALIAS.findall(icon["aliases"])} else "",
                              drawn), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    Collector.assign_section_numbers = numbered_by_file
    app.connect("config-inited", live_numbers)
    app.connect("config-inited", site_search.write_scorer)
    app.connect("builder-inited", read_claims)
    app.connect("source-read", list_exercises)
    app.connect("source-read", add_plans)
    app.connect("source-read", show_slowest_tests)
    app.connect("source-read", site_figures.write_captions)
    app.connect("doctree-read", site_figures.number_figures)
    app.connect("doctree-read", site_prompts.label_folded_cells)
    app.connect("doctree-read", site_math.keep_marks_beside_formulas)
    app.add_node(site_previews.preview, html=(site_previews.visit_preview, site_previews.depart_preview))
    app.add_js_file("preview.js")
    for change in (say_numbers, link_claims, show_verdicts, site_glossary.link_terms, site_previews.add_previews,
                   offer_notebook):
        app.connect("doctree-resolved", change)
    app.connect("autodoc-process-signature", site_parameters.show_signature)
    app.connect("autodoc-process-docstring", site_parameters.show_parameters)
    app.connect("build-finished", write_notebooks)
    app.connect("build-finished", leave_out, priority=LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
