"""A class comes from a platform and goes back, by the lines of the page on teaching, and runs in the box alone."""

import csv
import json
import re
import zipfile
from pathlib import Path

import pytest

import sample_exports as sample
from handed_in import FIRST
from privbook.classroom.containing import available
from privbook.classroom.tables import Table
from privbook.cli import main
from sample_exports import NAME, people

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(available()), reason=f"no box: {available()}")]
PAGE = Path(__file__).resolve().parents[2] / "book/how_to_teach.md"
LINES = {name: [line.split()[1:] for line in block.splitlines()] for block in re.findall(
    r"^```bash\n(privbook classroom.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for name in ("moodle", "canvas") if f"--for {name}" in block}
MEMBERS = people(12)


def platform_gives(name: str) -> None:
    """The files of the page: four honest submissions of which two are oddly called, and two of nobody known."""
    without_text = {part: FIRST.answers()[part] for part in FIRST.parts}
    handed_in = [json.dumps(FIRST.with_answers(cells)).encode() for cells in (without_text, *[FIRST.answers()] * 3)]
    stranger = sample.Person("No", "Body", "nobody", 99)
    if name == "moodle":
        sample.worksheet(Path("participants.csv"), MEMBERS), sample.worksheet(
            Path("worksheet.csv"), [*MEMBERS, stranger], handed_in="Saturday, 21 November 2026, 8:00 AM")
        with zipfile.ZipFile("moodle.zip", "w") as archive:
            for one, content, called in zip(MEMBERS, handed_in, (f"{NAME}.ipynb", f"{NAME} (1).ipynb", "HW1.IPYNB",
                                                                 f"x/{NAME}-Copy1.ipynb"), strict=False):
                sample.put(archive, f"{sample.moodle_folder(one)}/{called}", content)
            sample.put(archive, f"{sample.moodle_folder(stranger)}/{NAME}.ipynb", handed_in[1])
            sample.put(archive, f"../../{NAME}.ipynb", handed_in[1])
    else:
        sample.gradebook(Path("gradebook.csv"), MEMBERS, {f"{FIRST.about['title']} (77)": "20"})
        sample.canvas_zip(Path("canvas.zip"), {
            **{sample.canvas_file(one, f"{NAME}-{number}.ipynb", number == 1): content
               for number, (one, content) in enumerate(zip(MEMBERS, handed_in, strict=False))},
            sample.canvas_file(stranger): handed_in[1], f"../../{NAME}.ipynb": handed_in[1]})


@pytest.mark.full
@pytest.mark.parametrize("platform", ["moodle", "canvas"])
def test_the_page_s_lines_take_a_class_in_and_out(platform, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    platform_gives(platform)
    for line in LINES[platform]:
        assert main(line) == 0, (line, capsys.readouterr())
    with open(f"graded/export/{NAME}-{platform}.csv", encoding="utf-8", newline="") as file:
        heads, *lines = csv.reader(file)
    refused = Table.read(Path("graded/not-collected.csv")).dictionaries()
    assert len(refused) == 2 and all(row["why"] for row in refused)
    not_sent, collected = ({row["student"] for row in Table.read(Path("graded", name)).dictionaries()} for name in (
        f"export/{NAME}-{platform}-not-sent.csv", "collected.csv"))
    assert collected == {one.login for one in MEMBERS[:4]} and collected - not_sent == {"user000"}
    (line,) = [line for line in lines if "Points Possible" not in line[0]]
    assert "16" in line and capsys.readouterr().out.count("not sent: user00") == 3


def test_the_page_has_the_lines_of_both_platforms():
    assert {name: len(lines) for name, lines in LINES.items()} == {"moodle": 4, "canvas": 4}
