"""What readers call the subjects of pages: of pages that exist, and in the script of the search."""

import json
import re
from types import SimpleNamespace

import site_search
from notebooks import ROOT


def test_subjects_are_of_pages_and_each_page_of_chapters_has_some():
    said = site_search.subjects()
    assert [page for page in said if not (ROOT / f"{page}.md").exists()] == []
    teaching = [f"chapters/{path.stem}" for path in (ROOT / "chapters").glob("*.md")
                if not re.search(r"_evidence|15_tables", path.stem)]
    assert [page for page in teaching if page not in said] == []
    assert all(phrases and len(set(phrases)) == len(phrases) and all(phrases) for phrases in said.values())


def test_a_subject_is_one_pages():
    phrases = [phrase for phrases in site_search.subjects().values() for phrase in phrases]
    assert sorted(set(phrases)) == sorted(phrases)


def test_the_script_has_them(tmp_path):
    config = SimpleNamespace()
    site_search.write_scorer(SimpleNamespace(outdir=str(tmp_path / "_build" / "html")), config)
    script = open(config.html_search_scorer, encoding="utf-8").read()
    told, = re.findall(r"const SUBJECTS = (.*?); //", script)
    assert json.loads(told) == site_search.subjects()
