"""Each chapter is one text in two halves: the .py is what jupytext makes of the .md, byte for byte."""

import pytest
import yaml

import pair


def test_pairs_agree():
    assert pair.differing() == [], "the .md is the source: run `make pairs`"


def test_a_changed_half_is_named(tmp_path):
    chapter = sorted(pair.CHAPTERS.glob("*.md"))[0]
    copy = tmp_path / chapter.name
    copy.write_bytes(chapter.read_bytes())
    assert pair.differing(tmp_path) == [chapter.stem], "a half is missing"
    copy.with_suffix(".py").write_bytes(pair.script(copy))
    assert pair.differing(tmp_path) == []
    copy.with_suffix(".py").write_bytes(pair.script(copy) + b"\n")
    assert pair.differing(tmp_path) == [chapter.stem], "one byte more"


def test_every_chapter_is_in_the_contents():
    assert pair.expected_contents() == pair.CONTENTS.read_text(encoding="utf-8"), "run `make pairs`"


def test_new_chapters_find_their_place():
    """By their numbers: the first page of a number is a chapter, the next ones are its sections."""
    new = ["06_lpgnn_evidence", "06_lpgnn_searches", "10_lppge", "15_tables_lppge", "16_last"]
    before = pair.CONTENTS.read_text(encoding="utf-8")
    parts = {part["caption"]: part["chapters"] for part in yaml.safe_load(pair.with_chapters(before, new))["parts"]}
    def files(pages):
        return [page["file"].removeprefix("chapters/") for page in pages]
    methods, results = parts["Methods"], parts["Results"]
    assert files(methods) == ["06_lpgnn", "07_rgnn", "08_graphprivatizer", "09_privgnn", "10_lppge"]
    assert files(methods[0]["sections"]) == new[:2]
    assert files(results)[-2:] == ["15_reproductions", "16_last"] and files(results[1]["sections"])[-1] == new[3]


def test_a_new_chapter_has_a_row_on_the_front_page():
    """Its own sentence, after the chapters with smaller numbers; a section has none, and a chapter must say one."""
    assert pair.expected_front_page() == pair.FRONT_PAGE.read_text(encoding="utf-8"), "run `make pairs`"
    contents = pair.with_chapters(pair.CONTENTS.read_text(encoding="utf-8"), ["10_lppge", "10_lppge_evidence"])
    page = pair.FRONT_PAGE.read_text(encoding="utf-8")
    more = pair.with_rows(page, contents, {"10_lppge": "hide whom a vector stands for"})
    assert [*set(more.splitlines()) - set(page.splitlines())] == [
        row := "| {doc}`../chapters/10_lppge` | hide whom a vector stands for |"]
    rows = [line for line in more.splitlines() if line.startswith("| {doc}")]
    assert "09_privgnn" in rows[rows.index(row) - 1] and "14_claims" in rows[rows.index(row) + 1]
    with pytest.raises(SystemExit, match="10_lppge must have a line"):
        pair.with_rows(page, contents, {})
