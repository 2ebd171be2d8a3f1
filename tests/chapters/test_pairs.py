"""Each chapter is one text in two halves: the .py is what jupytext makes of the .md, byte for byte."""

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
