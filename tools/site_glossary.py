"""The first time that a page's prose says a term of the glossary, the term is a link to its entry."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

GLOSSARY = "book/glossary"
# What is no prose, or is a link already. In the box at a chapter's head all terms would be links, and none below.
APART = (nodes.reference, nodes.literal, nodes.math, nodes.title, nodes.table, nodes.figure, nodes.caption,
         nodes.footnote, nodes.citation, nodes.field_list, nodes.admonition)
NO_PROSE = re.compile(r"book/(api/.*|bibliography|glossary)")

# Words of every day, which are terms of the glossary on these pages only: a power cut is no power of a test.
ONLY = {"Coverage": r"chapters/05", "Degree": r"chapters/(01|03|04_a|08|10)", "Power": r"chapters/05",
        "Query": r"chapters/09", "Split": r"chapters/01|book/your", "Teacher, student": r"chapters/09",
        "Twin": r"chapters/(01|06)|book/how_to_r", "Unit": r"chapters/(0|11)|book/how_to_run"}


def spellings(term: str) -> set[str]:
    """As the glossary's "Other spellings" has them: British first, and as those write who have no accents."""
    american = re.sub(r"(?<=[a-z])is(?=ed\b)", "iz", term.replace("ighbour", "ighbor"))
    return {form.replace("é", e) for form in (term, american) for e in "ée"}


def terms(env: BuildEnvironment, page: str) -> dict[str, str]:
    """Every spelling of every term that `page` may link, in small letters, and where the entry is."""
    found = {name: place for (kind, name), (_, place) in env.domaindata["std"]["objects"].items() if kind == "term"}
    return {form.lower(): place for name, place in found.items() if re.match(ONLY.get(name, ""), page)
            for word in name.split(", ") for form in spellings(word)}


def pattern(forms: list[str]) -> re.Pattern:
    """Whole words, longest first; capitals or not; one or more of it; broken over two lines or not."""
    words = [re.escape(form).replace(r"\ ", r"\s+") for form in sorted(forms, key=len, reverse=True)]
    return re.compile(rf"(?<![\w-])({'|'.join(words)})(?:e?s)?(?![\w-])", re.IGNORECASE)


def is_prose(text: nodes.Text) -> bool:
    above = text.parent
    while above is not None:
        if isinstance(above, APART) or {"cell_output", "toctree-wrapper"} & set(above.get("classes", [])):
            return False
        above = above.parent
    return True


def link_terms(app: Sphinx, doctree: nodes.document, page: str) -> None:
    entries = terms(app.env, page)
    if NO_PROSE.fullmatch(page) or not entries:
        return
    words, glossary, seen = pattern(list(entries)), app.builder.get_relative_uri(page, GLOSSARY), set()
    texts = [text for paragraph in doctree.findall(nodes.paragraph) for text in paragraph.findall(nodes.Text)]
    for text in filter(is_prose, texts):
        pieces, end = [], 0
        for found in words.finditer(text):
            place = entries[" ".join(found[1].lower().split())]
            if place not in seen:
                seen.add(place)
                link = nodes.reference("", found[0], refuri=f"{glossary}#{place}", internal=True, classes=["term"])
                pieces += [nodes.Text(text[end:found.start()]), link]
                end = found.end()
        if pieces:
            text.parent.replace(text, [piece for piece in [*pieces, nodes.Text(text[end:])] if piece.astext()])
