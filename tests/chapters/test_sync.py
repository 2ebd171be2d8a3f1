"""Each chapter is one text in two halves: the .py is what jupytext makes of the .md, byte for byte."""

import re
import subprocess

import pytest
import yaml

import site_extension
import sync


def test_pairs_agree():
    assert sync.differing() == [], "the .md is the source: run `make sync`"


def test_a_changed_half_is_named(tmp_path):
    chapter = sorted(sync.CHAPTERS.glob("*.md"))[0]
    copy = tmp_path / chapter.name
    copy.write_bytes(chapter.read_bytes())
    assert sync.differing(tmp_path) == [chapter.stem], "a half is missing"
    copy.with_suffix(".py").write_bytes(sync.script(copy))
    assert sync.differing(tmp_path) == []
    copy.with_suffix(".py").write_bytes(sync.script(copy) + b"\n")
    assert sync.differing(tmp_path) == [chapter.stem], "one byte more"


TEXT = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# Toys

A sentence before.

% Figure: A figure.
```{code-cell} ipython3
---
mystnb:
  image:
    alt: A long line, which jupytext would break in two, as it would put an empty line above the cell of this figure.
---
a = 1
```

A sentence after.
"""
EDITS = {"md": ("A sentence after", "An end"), "py": ("a = 1", "a = 2")}


@pytest.fixture
def toys(tmp_path):
    """A chapter in HEAD, both halves of it, and a function that edits one, or says what it holds."""
    path = tmp_path / "01_toys.md"
    path.write_text(TEXT, encoding="utf-8")
    path.with_suffix(".py").write_bytes(sync.script(path))
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return path


def edit(chapter, half, old, new):
    path = chapter.with_suffix(f".{half}")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def halves(chapter):
    return chapter.read_text(encoding="utf-8"), chapter.with_suffix(".py").read_text(encoding="utf-8")


def test_an_edit_of_the_source_is_written_into_the_script_again_and_again(toys, tmp_path):
    """Also where HEAD knows neither the last state nor this one."""
    for old, new in (EDITS["md"], (EDITS["md"][1], "A second end")):
        edit(toys, "md", old, new)
        assert sync.agree(toys, tmp_path / "agreed") == "" and f"# {new}." in halves(toys)[1]


@pytest.mark.parametrize("old, new", [EDITS["py"], ("# A sentence before.", "# A first one.\n#\n# A second one.")])
def test_an_edit_of_the_script_alone_is_carried_over_into_the_source(toys, tmp_path, old, new):
    """Nothing else is changed there: its head and its tags lie as they lay."""
    edit(toys, "py", old, new)
    edited = halves(toys)[1]
    assert sync.agree(toys, tmp_path / "agreed") == ""
    plain = [words.replace("# ", "").replace("#\n", "\n") for words in (old, new)]
    assert halves(toys) == (TEXT.replace(*plain), edited)


def test_edits_of_both_halves_are_shown_and_nothing_is_written(toys, tmp_path, monkeypatch):
    for name in ("CHAPTERS", "AGREED", "CONTENTS", "FRONT_PAGE"):
        monkeypatch.setattr(sync, name, tmp_path if name == "CHAPTERS" else tmp_path / name)
    monkeypatch.setattr("sys.argv", ["pair.py"])
    for half, words in EDITS.items():
        edit(toys, half, *words)
    before = halves(toys)
    with pytest.raises(SystemExit) as refused:
        sync.main()
    said = refused.value.code
    assert halves(toys) == before
    for line in ("01_toys.py holds an edit that is not in 01_toys.md", "+# An end.", "+a = 2", "remove 01_toys.py"):
        assert line in said, line
    toys.with_suffix(".py").unlink()
    assert sync.agree(toys, sync.AGREED) == "" and "# An end." in halves(toys)[1]


@pytest.mark.parametrize("case", ["no text was ever agreed on", "the source has no place for it"])
def test_what_cannot_be_carried_over_is_refused(toys, tmp_path, case):
    if case.startswith("no text"):
        subprocess.run(["git", "rm", "-q", "--cached", "01_toys.py"], cwd=tmp_path, check=True)
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "away"], cwd=tmp_path,
                       check=True)
        edit(toys, "py", *EDITS["py"])
    else:
        edit(toys, "py", "# %% [markdown]", "# %%  [markdown]")
    before = halves(toys)
    assert "01_toys.py holds an edit" in sync.agree(toys, tmp_path / "agreed") and halves(toys) == before


def test_every_chapter_is_in_the_contents():
    assert sync.expected_contents() == sync.CONTENTS.read_text(encoding="utf-8"), "run `make sync`"


def test_every_exercise_is_on_the_page_of_all():
    texts = "".join(path.read_text(encoding="utf-8") for path in sync.CHAPTERS.glob("*.md"))
    labels, source = re.findall(r"exercise-start\}\n:label: ([\w-]+)", texts), ["# All exercises"]
    site_extension.list_exercises(None, "book/exercises", source)
    assert len(labels) > 30 and sorted(re.findall(r"\{ref\}`([\w-]+)`", source[0])) == sorted(labels)


def test_an_exercise_says_what_it_trains():
    """With its minutes and its level, at its head; a checker is seen in its text."""
    block = "```{{exercise-start}}\n:label: ex-{}\n```\n{}\n```{{exercise-end}}\n```\n"
    told = "% Exercise: 10 minutes, ●●: to think\n"
    text = block.format("a", told + "What?") + block.format("b", told + "*(With a checker.)* Why?")
    page = sync.exercises({"02_y": "", "03_x": text, "09_privgnn": "", "09_students": block.format("c", told + "Who?")})
    assert "| {ref}`ex-a` | 10 | ●● | to think |\n| {ref}`ex-b` | 10 | ●● ✓ | to think |\n" in page
    assert "\n\n## Chapter 9, students\n" in page
    assert page.count("## Chapter") == 2
    with pytest.raises(SystemExit, match="ex-d must begin with a line `% Exercise"):
        sync.exercises({"03_x": block.format("d", "What?")})
    with pytest.raises(SystemExit, match="03_x: an exercise is between"):
        sync.exercises({"03_x": ":::{exercise} Who?\n:label: ex-e\n:::\n"})


CONTENTS = """parts:
  - caption: Foundations
    chapters:
      - file: chapters/01_graphs
  - caption: Methods
    chapters:
      - file: chapters/06_lpgnn
      - file: chapters/09_privgnn
  - caption: Results
    chapters:
      - file: chapters/14_claims
      - file: chapters/15_numbers
        sections:
          - file: chapters/15_tables_rgnn
  - caption: Reference
    chapters:
      - file: book/notation
"""


def test_new_chapters_find_their_place():
    """By their numbers: the first page of a number is a chapter, the next ones are its sections."""
    new = ["06_lpgnn_evidence", "06_lpgnn_searches", "10_lppge", "15_tables_tzzz", "16_last"]
    parts = {part["caption"]: part["chapters"] for part in yaml.safe_load(sync.with_chapters(CONTENTS, new))["parts"]}
    def files(pages):
        return [page["file"].removeprefix("chapters/") for page in pages]
    methods, results = parts["Methods"], parts["Results"]
    assert files(methods) == ["06_lpgnn", "09_privgnn", "10_lppge"]
    assert files(methods[0]["sections"]) == new[:2]
    assert files(results)[-2:] == ["15_numbers", "16_last"] and files(results[1]["sections"])[-1] == new[3]


def test_every_chapter_has_a_row_on_the_front_page():
    assert sync.expected_front_page() == sync.FRONT_PAGE.read_text(encoding="utf-8"), "run `make sync`"


def test_a_new_chapter_gets_a_row_on_the_front_page():
    """Its own sentence, after the chapters with smaller numbers; a section has none, and a chapter must say one."""
    known = {name: name.upper() for name in ("01_graphs", "06_lpgnn", "09_privgnn", "14_claims", "15_numbers")}
    page = "What is here\n" + "".join(f"| {{doc}}`../chapters/{name}` | {said} |\n" for name, said in known.items())
    assert sync.with_rows(page, CONTENTS, {}) == page
    contents, row = sync.with_chapters(CONTENTS, ["10_lppge", "10_lppge_evidence"]), "hide whom a vector stands for"
    lines = sync.with_rows(page, contents, {"10_lppge": row}).splitlines()
    assert lines.pop(4) == f"| {{doc}}`../chapters/10_lppge` | {row} |" and lines == page.splitlines()
    with pytest.raises(SystemExit, match="10_lppge must have a line"):
        sync.with_rows(page, contents, {})
