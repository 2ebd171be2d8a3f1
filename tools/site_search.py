"""The search of the site: first the page whose subject was asked for, then the others as Sphinx finds them.

Sphinx finds pages that have all words, and puts those with a word in the title first, then by file name. scorer.js,
which lies beside this, compares what was asked with the title of each page and with what readers call its subject
(book/search.yml), breaks ties by the order of the book, and puts the library's reference behind pages that explain.
"""

import json
from pathlib import Path

import yaml
from sphinx.application import Sphinx
from sphinx.config import Config

TOOLS = Path(__file__).parent
SUBJECTS = TOOLS.parent / "book" / "search.yml"


def subjects() -> dict[str, list[str]]:
    """Page -> what readers call what it is about."""
    said = yaml.safe_load(SUBJECTS.read_text(encoding="utf-8"))
    return {page: [phrase.strip() for line in lines for phrase in line.split(",")] for page, lines in said.items()}


def write_scorer(app: Sphinx, config: Config) -> None:
    """What Sphinx adds to the script of the search page."""
    file = Path(app.outdir).parent / "scorer.js"
    file.parent.mkdir(parents=True, exist_ok=True)
    told = json.dumps(subjects(), ensure_ascii=False, separators=(",", ":"))
    script = (TOOLS / "scorer.js").read_text(encoding="utf-8")
    file.write_text(script.replace("SUBJECTS_OF_PAGES", told), encoding="utf-8")
    config.html_search_scorer = str(file)
