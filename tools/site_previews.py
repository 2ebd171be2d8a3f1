"""What a link leads to, shown before it is followed: terms, claims, theorems, exercises and figures.

Each page carries what its own links lead to, in <template> elements that nobody sees before preview.js shows one. So
it works from disk, where a page may fetch nothing. (sphinx-tippy would do the same with two scripts from outside.)
Citations have theirs from sphinxcontrib-bibtex, in the link's title.
"""

import posixpath
import re
from collections.abc import Iterator
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx_exercise.nodes import exercise_enumerable_node
from sphinx_proof.nodes import NODE_TYPES

import site_glossary

REGISTER = "chapters/14_claims"
BOXES = (*NODE_TYPES.values(), exercise_enumerable_node)
BLOCKS = (nodes.paragraph, nodes.math_block, nodes.bullet_list, nodes.enumerated_list)
KEPT = (*BLOCKS, nodes.list_item, nodes.Text, nodes.math, nodes.literal, nodes.emphasis, nodes.strong, nodes.inline)
MATHS = (nodes.math, nodes.math_block)
LONG = 600  # characters, after which a preview ends with the block that it is in
MARKED = re.compile(r"(\$[^$]+\$|`[^`]+`)")


class preview(nodes.General, nodes.Element):
    """What a link to `href` shows."""


def visit_preview(translator, node: preview) -> None:
    translator.body.append(f'<template data-preview="{escape(node["href"])}">')


def depart_preview(translator, _: preview) -> None:
    translator.body.append("</template>\n")


def plain(node: nodes.Node) -> list[nodes.Node]:
    """A copy without anchors, numbers and links, which are the page's own; what is not known is left out."""
    if isinstance(node, nodes.Text):
        return [nodes.Text(node.astext())]
    inside = [copy for child in node.children for copy in plain(child)]
    if not isinstance(node, KEPT):
        return inside if isinstance(node, nodes.Inline) or "refdomain" in node else []
    if isinstance(node, nodes.math_block):
        return [nodes.math_block("", node.astext(), nowrap=node.get("nowrap", False), number=None, label=None)]
    return [type(node)("", "", *inside, classes=node["classes"]) if isinstance(node, nodes.TextElement)
            else type(node)("", *inside)]


def opening(blocks: list[nodes.Node]) -> list[nodes.Node]:
    """The first of some blocks: enough to remember the rest by."""
    kept, length = [], 0
    for block in blocks:
        if isinstance(block, BLOCKS) and length < LONG:
            kept += plain(block)
            length += len(block.astext())
    return kept


def claim(entry: dict) -> list[nodes.Node]:
    """The verdict and the statement, of which $mathematics$ and `code` are set."""
    kinds = {"$": nodes.math, "`": nodes.literal}
    pieces = [kinds[piece[0]]("", piece[1:-1]) if MARKED.fullmatch(piece) else nodes.Text(piece.replace("**", ""))
              for piece in MARKED.split(entry["statement"].strip())]
    badge = nodes.inline("", entry["verdict"], classes=["verdict", entry["verdict"].split()[0]])
    return [nodes.paragraph("", "", badge, nodes.Text(" "), *pieces)]


def heading(env: BuildEnvironment, page: str, box: nodes.Element, kind: str) -> nodes.paragraph:
    """"Theorem 2.1 Randomised response": the kind, the number, and the title as far as the name of its claim."""
    number = ".".join(map(str, env.toc_fignumbers.get(page, {}).get(kind, {}).get(box["ids"][0], ())))
    title = box.next_node(nodes.title)
    name = re.sub(r"\s*\(claim .*|^[\s(]+", "", title.astext()) if title and kind != "exercise" else ""
    return nodes.paragraph("", "", nodes.strong("", f"{kind.capitalize()} {number} {name}".strip()))


def targets(env: BuildEnvironment) -> Iterator[tuple[tuple[str, str], list[nodes.Node]]]:
    """Each place that has a preview, and what the preview shows."""
    yield from (((REGISTER, entry["id"]), claim(entry)) for entry in env.claims)
    for page in env.found_docs:
        doctree = env.get_doctree(page)
        for item in doctree.findall(nodes.definition_list_item) if page == site_glossary.GLOSSARY else ():
            for term in item.findall(nodes.term):
                yield (page, term["ids"][0]), opening(item.next_node(nodes.definition).children)
        for box in doctree.findall(lambda node: isinstance(node, BOXES)):
            kind = box.get("countertype", "exercise")
            section = box.next_node(nodes.section) or box
            yield (page, box["ids"][0]), [heading(env, page, box, kind), *opening(section.children)]
        for figure in doctree.findall(nodes.figure):
            if figure["ids"]:
                yield (page, figure["ids"][0]), [heading(env, page, figure, "figure"),
                                                 nodes.paragraph("", figure.next_node(nodes.caption).astext())]


def place(page: str, link: nodes.reference) -> tuple[str, str]:
    """(page, anchor) that a link of `page` leads to."""
    address, _, anchor = link.get("refuri", "#" + link.get("refid", "")).partition("#")
    there = posixpath.normpath(posixpath.join(posixpath.dirname(page), address))
    return (there.removesuffix(".html") if address else page), anchor


def add_previews(app: Sphinx, doctree: nodes.document, page: str) -> None:
    if app.builder.name != "html":
        return
    if not hasattr(app.builder, "preview_targets"):
        app.builder.preview_targets = dict(targets(app.env))
    shown = {link.get("refuri") or "#" + link.get("refid", ""): place(page, link)
             for link in doctree.findall(nodes.reference) if link.get("internal")}
    for href, there in shown.items():
        blocks = app.builder.preview_targets.get(there)
        if blocks and (page, there[0]) != (REGISTER, REGISTER):  # whose cards say it themselves
            doctree += preview("", *[block.deepcopy() for block in blocks], href=href)
            if any(True for block in blocks for _ in block.findall(lambda node: isinstance(node, MATHS))):
                app.env.get_domain("math").data["has_equations"][page] = True  # or the page would bring no MathJax
