"""Numbers of figures, links to the glossary and what links show, on pages of a few lines."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

import site_figures
import site_glossary
import site_previews

TERMS = ("Audit", "KProp", "Null control", "Power", "Privacy loss", "Randomised response", "Rényi divergence",
         "Teacher, student", "Neighbouring relation")
ROOT = Path(__file__).parents[2]


def document(*blocks: nodes.Node) -> nodes.document:
    page = new_document("page")
    page += nodes.section("", nodes.title("", "An audit"), *blocks)
    return page


def app(**more):
    objects = {("term", name): ("book/glossary", "term-" + name.split(",")[0]) for name in TERMS}
    builder = SimpleNamespace(get_relative_uri=lambda page, other: f"../{other}.html", name="html")
    env = SimpleNamespace(domaindata={"std": {"objects": objects | {("label", "x"): ("y", "z")}}}, **more)
    return SimpleNamespace(env=env, builder=builder)


def linked(page: str, *blocks: nodes.Node) -> list[tuple[str, str]]:
    found = document(*blocks)
    before = found.astext()
    site_glossary.link_terms(app(), found, page)
    assert found.astext() == before, "a link changes no word"
    return [(link.astext(), link["refuri"].partition("#")[2]) for link in found.findall(nodes.reference)
            if "term" in link["classes"]]


@pytest.mark.parametrize("text, words", [
    ("An audit, then another audit.", ["audit"]), ("Audits find it.", ["Audits"]), ("An auditor, audited.", []),
    ("The null\ncontrol", ["null\ncontrol"]), ("privacy losses", ["privacy losses"]), ("non-audit", []),
    ("randomized response", ["randomized response"]), ("Renyi divergence", ["Renyi divergence"]),
    ("neighboring relations", ["neighboring relations"]), ("KProp and a null control", ["KProp", "null control"]),
    ("A power cut; a student.", [])])
def test_the_first_of_each_term_is_a_link(text, words):
    assert [word for word, _ in linked("chapters/06_x", nodes.paragraph("", text))] == words


def test_words_of_every_day_are_terms_on_their_own_pages():
    assert linked("chapters/05_x", nodes.paragraph("", "its power")) == [("power", "term-Power")]
    assert linked("chapters/09_x", nodes.paragraph("", "a student")) == [("student", "term-Teacher")]
    glossary = (ROOT / "book/glossary.md").read_text(encoding="utf-8")
    assert [word for word in site_glossary.ONLY if not re.search(rf"^{word}$", glossary, re.MULTILINE)] == []


def test_only_prose_is_linked():
    apart = [nodes.reference("", "audit", refuri="x"), nodes.literal("", "audit"), nodes.math("", "audit")]
    output = nodes.container("", nodes.paragraph("", "An audit."), classes=["cell_output"])
    table = nodes.table("", nodes.entry("", nodes.paragraph("", "An audit.")))
    box = nodes.admonition("", nodes.title("", "What you will learn"), nodes.paragraph("", "An audit."))
    assert linked("chapters/06_x", nodes.paragraph("", "", *apart), output, table, box) == []
    item = nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", "", nodes.strong("", "an audit"))))
    assert linked("chapters/06_x", item) == [("audit", "term-Audit")]
    for page in ("book/glossary", "book/bibliography", "book/api/audit"):
        assert linked(page, nodes.paragraph("", "An audit.")) == []


def test_a_figure_gets_a_number_and_its_caption():
    def cell():
        return nodes.container("", nodes.container("", nodes.image(uri="x.png", alt="Bars.")))

    def box(text):
        return nodes.container("", nodes.paragraph(text, "", nodes.Text(text), nodes.inline("", " 7")),
                               classes=[site_figures.BOX])

    page = document(box("Few have many."), cell(), nodes.comment("", "Exercise: no"), cell(), box("Many have few."),
                    cell(), box("no cell"))
    site_figures.number_figures(app(), page)
    found = [(figure["ids"], figure.next_node(nodes.caption).astext(), figure.next_node(nodes.image)["alt"])
             for figure in page.findall(nodes.figure)]
    assert found == [(["figure-1"], "Few have many. 7", "Bars."), (["figure-2"], "Many have few. 7", "Bars.")]
    assert len(list(page.findall(nodes.image))) == 3 and "no cell" not in page.astext()


def test_a_preview_has_no_anchors_and_no_links():
    block = nodes.paragraph("", "", nodes.Text("Text, "), nodes.reference("", "", nodes.emphasis("", "a link")),
                            nodes.math("", "x"), nodes.comment("", "hidden"), ids=["here"])
    formula = nodes.math_block("", "y", number=3, label="eq-y", ids=["eq"])
    copy, set_formula = site_previews.opening([block, formula, nodes.image(uri="x.png")])
    assert copy.astext() == "Text, a linkx" and not list(copy.findall(nodes.reference)) and not copy["ids"]
    assert (set_formula.astext(), set_formula["number"], set_formula["ids"]) == ("y", None, [])
    long = [nodes.paragraph("", "word " * 100) for _ in range(5)]
    assert len(site_previews.opening(long)) == 2


def test_a_claim_shows_its_verdict_and_its_mathematics():
    claim, = site_previews.claim({"statement": "**No** $x$ in `code`.\n", "verdict": "empirical only"})
    assert claim.astext() == "empirical only No x in code."
    assert [type(node) for node in claim] == [nodes.inline, nodes.Text, nodes.Text, nodes.math, nodes.Text,
                                              nodes.literal, nodes.Text]
    assert claim[0]["classes"] == ["verdict", "empirical"]


@pytest.mark.parametrize("link, there", [
    (dict(refuri="../book/glossary.html#term-Audit"), ("book/glossary", "term-Audit")),
    (dict(refuri="14_claims.html#x"), ("chapters/14_claims", "x")), (dict(refuri="#x"), ("chapters/02_x", "x")),
    (dict(refid="thm"), ("chapters/02_x", "thm")), (dict(refuri="03_y.html"), ("chapters/03_y", ""))])
def test_where_a_link_leads(link, there):
    assert site_previews.place("chapters/02_x", nodes.reference("", "", **link)) == there


def test_a_page_carries_what_its_links_show_once():
    site = app()
    site.builder.preview_targets = {("chapters/02_x", "thm"): [nodes.paragraph("", "A theorem.")],
                                    ("chapters/02_x", "eq"): [nodes.paragraph("", "", nodes.math("", "x"))]}
    equations = {}
    site.env.get_domain = lambda name: SimpleNamespace(data={"has_equations": equations})
    links = [nodes.reference("", "t", refuri="02_x.html#thm", internal=True) for _ in range(2)]
    page = document(nodes.paragraph("", "", *links, nodes.reference("", "t", refuri="02_x.html#no", internal=True)))
    site_previews.add_previews(site, page, "chapters/03_y")
    assert [(found["href"], found.astext()) for found in page.findall(site_previews.preview)] == [
        ("02_x.html#thm", "A theorem.")]
    assert equations == {}
    page[0] += nodes.reference("", "t", refuri="02_x.html#eq", internal=True)
    site_previews.add_previews(site, page, "chapters/03_y")
    assert equations == {"chapters/03_y": True}, "no MathJax to set the preview"
