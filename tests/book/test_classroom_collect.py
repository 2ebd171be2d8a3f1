"""What platforms give out is sorted, all of it is accounted for, and nobody's file becomes somebody else's."""

import csv
import os
import shutil
import struct
import zipfile

import pytest

import sample_exports as sample
from privbook.classroom import platform_files
from privbook.classroom.collect import collect
from privbook.classroom.lateness import moment
from privbook.classroom.roster import NotUnderstood, Roster, Student, make_roster
from privbook.classroom.tables import Table, cell, unquoted
from privbook.classroom.worksheet import Worksheet
from privbook.cli import main
from sample_exports import NAME, canvas_file, moodle_folder, notebook, people, put

NAMES = [NAME, "02-composition-and-sampling"]


def roster_of(members) -> Roster:
    return Roster([Student(one.login, one.name, one.sorts_as, one.email, f"S{one.number}", one.login, str(one.number))
                   for one in members])


class Class:
    """A course's folder and what was said about it."""

    def __init__(self, top, members):
        self.top, self.members, self.roster = top, members, roster_of(members)

    def collect(self, source, **how):
        self.source = source
        before = {path: path.read_bytes() for path in [source, *source.rglob("*")] if path.is_file()}
        done = collect(source, self.roster, self.top / "graded", NAMES, say=lambda _: None, **how)
        assert before == {path: path.read_bytes() for path in before}
        return done

    def taken(self, name=NAME):
        return {path.parts[-3]: path.read_bytes() for path in (self.top / "graded/submitted").glob(f"*/{name}/*")}

    def rows(self):
        return {row["student"]: row for row in Table.read(self.top / "graded/collected.csv").dictionaries()}

    def refused(self):
        return {row["file"]: row["why"] for row in Table.read(self.top / "graded/not-collected.csv").dictionaries()}


@pytest.fixture
def course(tmp_path):
    return Class(tmp_path, people(16))


@pytest.fixture
def archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "hostile.zip", "w") as file:
        yield file


def own(members):
    return {one: notebook(one.login, one.login) for one in members}


def expected(members):
    return {one.login: notebook(one.login, one.login) for one in members}


@pytest.mark.parametrize("how", [dict(end="_"), dict(end=""), dict(flat=True), dict(name=f"{NAME} (1).ipynb"),
                                 dict(name="01_Randomised-Response-Copy1.IPYNB"), dict(name=f"{NAME}-1.ipynb"),
                                 dict(name=f"work/{NAME}.ipynb"), dict(name=f"anna-{NAME}-final.ipynb"),
                                 dict(name=f"{NAME} Kopie 2.ipynb"), dict(name=f"{NAME}.ipynb.txt")])
def test_moodle_gives_everybody_their_own(course, how):
    taken, refused, missing = course.collect(sample.moodle_zip(course.top / "m.zip", own(course.members), **how))
    assert course.taken() == expected(course.members) and (taken, refused, missing) == (16, 0, [])


def test_a_name_may_come_with_either_half_first(course):
    turned = {sample.Person(one.last, one.first, one.login, one.number): one for one in course.members}
    source = sample.moodle_zip(course.top / "m.zip", {one: notebook(turned[one].login, turned[one].login)
                                                      for one in turned})
    course.collect(source)
    assert course.taken() == expected(course.members)


def test_a_name_that_says_nothing_is_enough_where_the_assignment_is_said(course):
    source = sample.moodle_zip(course.top / "m.zip", own(course.members[:3]), name="Untitled.ipynb")
    assert course.collect(source)[:2] == (0, 3)
    assert course.collect(source, said=NAME) == (3, 0, [one.login for one in course.members[3:]])
    source = sample.moodle_zip(course.top / "2.zip", own(course.members[3:5]), name=f"{NAMES[1]}.ipynb")
    assert course.collect(source, said=NAME)[:2] == (0, 2)


@pytest.mark.parametrize("late", [True, False])
def test_canvas_gives_everybody_their_own(course, late):
    files = {canvas_file(one, f"{NAME}-1.ipynb", late): notebook(one.login, one.login) for one in course.members}
    assert course.collect(sample.canvas_zip(course.top / "c.zip", files))[:2] == (16, 0)
    assert course.taken() == expected(course.members)
    assert {row["minutes late"] for row in course.rows().values()} == {"unknown" if late else "0"}


def test_minutes_that_a_teacher_filled_in_stay_as_long_as_the_file_does(course):
    one, path = course.members[0], course.top / "graded/collected.csv"
    source = sample.canvas_zip(course.top / "c.zip", {canvas_file(one, late=True): b"first"})
    course.collect(source)
    path.write_text(path.read_text(encoding="utf-8").replace(",unknown,", ",90,"), encoding="utf-8")
    course.collect(source)
    assert course.rows()[one.login]["minutes late"] == "90"
    course.collect(sample.canvas_zip(course.top / "2.zip", {canvas_file(one, late=True, number=10**6): b"second"}))
    assert course.rows()[one.login]["minutes late"] == "unknown"


def test_canvas_s_newest_file_wins_and_it_is_said(course):
    one = course.members[0]
    files = {canvas_file(one, f"{NAME}-1.ipynb", number=1_000_002): b"new", canvas_file(one, number=999_999): b"old"}
    assert course.collect(sample.canvas_zip(course.top / "c.zip", files))[:2] == (1, 1)
    assert course.taken() == {"user000": b"new"} and "newest of 2" in course.rows()["user000"]["note"]
    assert list(course.refused()) == [canvas_file(one, number=999_999)]
    course.collect(sample.canvas_zip(course.top / "old.zip", {canvas_file(one, number=999_999): b"old"}))
    assert course.taken() == {"user000": b"new"}
    assert course.refused() == {canvas_file(one, number=999_999): "older than what was collected before"}


def test_gradescope_names_those_who_handed_in(course):
    one, two, three, *_ = course.members
    stranger = sample.Person("No", "Body", "nobody", 1)
    groups = [([one], "2026-11-20 20:15:00.5 Z", b"1"), ([two, three], "2026-11-20 22:00:30 Z", b"2"),
              ([stranger], "2026-11-20 20:15:00 Z", b"3")]
    source = sample.gradescope_zip(course.top / "g.zip", groups)
    course.collect(source, due=moment("2026-11-20 21:00+00:00", "due"))
    assert course.taken() == {"user000": b"1", "user001": b"2", "user002": b"2"}
    assert [course.rows()[one]["minutes late"] for one in sorted(course.taken())] == ["0", "61", "61"]
    assert "group of 2" in course.rows()["user001"]["note"]
    (_, why), = course.refused().items()
    assert "nobody in the roster" in why


@pytest.mark.parametrize("called", ["login", "email", "name", "sorts_as"])
def test_a_folder_may_be_called_as_anything_that_is_one_student_s(course, called):
    given = {getattr(one, called): notebook(one.login, one.login) for one in course.members}
    source = sample.nbgrader_folder(course.top / "course", given, "2026-11-20 21:30:10.000 UTC")
    course.collect(source, due=moment("2026-11-20 21:00+00:00", "due"))
    assert course.taken() == expected(course.members) and not course.refused()
    assert {row["minutes late"] for row in course.rows().values()} == {"31"}


@pytest.mark.parametrize("encoding", ["utf-8", "cp437", "cp1252", "cp850"])
def test_names_in_other_encodings_are_read_where_they_fit_one_student(course, encoding):
    """Without the mark that a name is UTF-8, as older programs write it."""
    one, path = course.members[0], course.top / "m.zip"
    plain = f"{'x' * len(moodle_folder(one).encode(encoding))}/{NAME}.ipynb"
    with zipfile.ZipFile(path, "w") as file:
        put(file, plain, b"hers")
    path.write_bytes(path.read_bytes().replace(plain.split("/")[0].encode(), moodle_folder(one).encode(encoding)))
    course.collect(path)
    assert course.taken() == {"user000": b"hers"} and not course.refused()


def test_two_of_one_name_are_told_apart_by_the_worksheet_alone(tmp_path):
    twins = [sample.Person("Ann", "Lee", "ann1", 1), sample.Person("Ann", "Lee", "ann2", 2)]
    course = Class(tmp_path, twins)
    source = sample.moodle_zip(tmp_path / "m.zip", own(twins))
    assert course.collect(source)[:2] == (0, 2)
    assert all("fits 2 students: ann1, ann2" in why for why in course.refused().values())
    sheet = Worksheet.read(sample.worksheet(tmp_path / "w.csv", twins))
    assert course.collect(source, worksheet=sheet)[:2] == (2, 0) and course.taken() == expected(twins)


def test_a_number_and_a_name_that_disagree_are_nobody_s(course):
    one, two, *_ = course.members
    swapped = [sample.Person(one.first, one.last, two.login, two.number)]  # hers is the name, his the number
    sheet = Worksheet.read(sample.worksheet(course.top / "w.csv", course.members))
    assert course.collect(sample.moodle_zip(course.top / "m.zip", {swapped[0]: b"?"}), worksheet=sheet)[:2] == (0, 1)
    source = sample.canvas_zip(course.top / "c.zip", {canvas_file(swapped[0]): b"?"})
    assert course.collect(source)[:2] == (0, 1) and "user001" in str(course.refused())


def test_who_calls_herself_as_another_does_not_become_the_other(course):
    """On each platform Eve has an account of her own, and Bob's name."""
    bob = course.members[1]
    eve = sample.Person(bob.first, bob.last, "eve", 666)
    assert course.collect(sample.moodle_zip(course.top / "m.zip", {bob: b"bob's", eve: b"eve's"}))[:2] == (0, 2)
    assert "2 accounts of the platform (1234666, 1241001)" in str(course.refused())
    sheet = Worksheet.read(sample.worksheet(course.top / "w.csv", [*course.members, eve]))
    assert course.collect(course.source, worksheet=sheet)[:2] == (1, 1) and course.taken() == {bob.login: b"bob's"}
    source = sample.canvas_zip(course.top / "c.zip", {canvas_file(bob): b"bob's", canvas_file(eve): b"eve's"})
    assert course.collect(source)[:2] == (1, 1) and course.taken() == {bob.login: b"bob's"}
    groups = [([eve], "2026-11-20 20:15:00 Z", b"eve's"), ([bob], "2026-11-20 20:14:00 Z", b"bob's")]
    course.collect(sample.gradescope_zip(course.top / "g.zip", groups))
    assert course.taken() == {bob.login: b"bob's"} and "'eve@example.org' is not" in "".join(
        course.refused().values())


def test_a_list_that_a_student_hands_in_is_not_gradescope_s(course):
    eve, bob, *_ = course.members
    groups = [([eve], "2026-11-20 20:15:00 Z", b"eve's"), ([bob], "2026-11-20 20:14:00 Z", b"bob's")]
    source = sample.gradescope_zip(course.top / "g.zip", groups)
    with zipfile.ZipFile(source, "a") as archive:
        put(archive, "assignment_4711_export/submission_1/submission_metadata.yml",
            f"submission_2:\n  :submitters:\n  - :email: {eve.email}\n# {'x' * 5_000}\n".encode())
    course.collect(source)
    assert course.taken() == {eve.login: b"eve's", bob.login: b"bob's"}


def test_a_name_that_fits_two_students_in_two_encodings_is_nobody_s(tmp_path):
    course = Class(tmp_path, [sample.Person("Σx", "Y", "sigma", 1), sample.Person("äx", "Y", "ae", 2)])
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        put(archive, f"Qx Y_77_assignsubmission_file/{NAME}.ipynb", b"?")
    path = tmp_path / "m.zip"
    path.write_bytes(path.read_bytes().replace(b"Qx Y", b"\xe4x Y"))  # cp437 and cp1252
    assert course.collect(path)[:2] == (0, 1) and "fits several students: ae, sigma" in str(course.refused())


HOSTILE_NAMES = ["/etc/passwd.ipynb", "../../out.ipynb", "a/../../out.ipynb", "C:/x.ipynb", "..\\..\\x.ipynb"]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_that_leads_out_is_listed_and_nothing_is_written(course, archive, name):
    put(archive, name, b"x"), put(archive, f"{moodle_folder(course.members[0])}/../../{name}", b"x")
    archive.close()
    before = sorted(course.top.rglob("*"))
    assert course.collect(course.top / "hostile.zip")[:2] == (0, 2)
    assert set(course.refused().values()) == {"its name leads out of the archive"}
    assert sorted(set(course.top.rglob("*")) - set(before)) == [course.top / "graded", *sorted(
        course.top / "graded" / name for name in ("collected.csv", "not-collected.csv"))]


def test_links_locks_and_bombs_are_listed_and_the_others_are_taken(course, archive, monkeypatch):
    monkeypatch.setattr(platform_files, "LARGEST", 1_000_000)
    one, two, three, four, *_ = course.members
    put(archive, f"{moodle_folder(one)}/{NAME}.ipynb", b"/etc/passwd", external_attr=0o120777 << 16)
    put(archive, f"{moodle_folder(two)}/{NAME}.ipynb", b"\0" * 2_000_000)
    put(archive, f"{moodle_folder(three)}/{NAME}.ipynb", b"x" * 50, compress_type=zipfile.ZIP_LZMA)
    put(archive, f"{moodle_folder(four)}/{NAME}.ipynb", b"fine")
    put(archive, f"__MACOSX/{moodle_folder(four)}/._{NAME}.ipynb", b"fork")
    put(archive, f"{moodle_folder(four)}/.ipynb_checkpoints/{NAME}-checkpoint.ipynb", b"old")
    put(archive, f"{moodle_folder(four)}/data.csv", b"1,2")
    archive.close()
    assert course.collect(course.top / "hostile.zip")[:2] == (1, 6) and course.taken() == {four.login: b"fine"}
    assert "it is a link, and links are not followed" in course.refused().values()
    assert "it has more than 1,000,000 bytes" in course.refused().values()
    assert "it is packed in a way that is not read here" in course.refused().values()
    assert course.refused()[f"{moodle_folder(four)}/data.csv"] == "it is no notebook (.ipynb)"


def test_what_says_that_it_is_too_large_is_not_unpacked(course, archive, monkeypatch):
    monkeypatch.setattr(platform_files, "LARGEST", 1_000)
    monkeypatch.setattr(platform_files, "unpacked", None)
    put(archive, f"{moodle_folder(course.members[0])}/{NAME}.ipynb", b"\0" * 1_001)
    archive.close()
    assert course.collect(course.top / "hostile.zip")[:2] == (0, 1)


def test_a_folder_that_has_become_a_link_is_not_followed(tmp_path):
    top = sample.nbgrader_folder(tmp_path / "course", {"ada": b"hers"})
    sample.nbgrader_folder(tmp_path / "other", {"ada": b"secret"})
    with platform_files.open_source(top) as (entry,):
        shutil.rmtree(top / "submitted")
        (top / "submitted").symlink_to(tmp_path / "other/submitted")
        with pytest.raises(NotUnderstood, match="a link"):
            entry.read()


def test_a_bomb_that_lies_of_its_size_stays_within_the_limit(course, archive, monkeypatch):
    monkeypatch.setattr(platform_files, "LARGEST", 100_000)
    put(archive, f"{moodle_folder(course.members[0])}/{NAME}.ipynb", b"\0" * 50_000_000)
    archive.close()
    path = course.top / "hostile.zip"
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", 50_000_000), struct.pack("<I", 10)))
    assert course.collect(path)[:2] == (0, 1) and "cannot be unpacked" in str(course.refused())


def test_all_together_have_a_limit_which_small_files_reach_first(course, archive, monkeypatch):
    monkeypatch.setattr(platform_files, "MOST_BYTES", 1_000_000)
    one, two, *_ = course.members
    put(archive, f"{moodle_folder(one)}/{NAME}.ipynb", b"\0" * 999_999), put(
        archive, f"{moodle_folder(two)}/{NAME}.ipynb", b"small")
    archive.close()
    course.collect(course.top / "hostile.zip")
    assert course.taken() == {two.login: b"small"} and "all files together" in str(course.refused())


def test_a_list_of_millions_of_files_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(platform_files, "MOST_FILES", 10)
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as file:
        for number in range(11):
            file.writestr(f"{number}", b"")
    with pytest.raises(ValueError, match="11"), platform_files.open_source(tmp_path / "many.zip"):
        pass
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as file:
        for number in range(200):
            file.writestr(f"{number}", b"")
    monkeypatch.setattr(zipfile, "ZipFile", None)  # it must not get there
    with pytest.raises(ValueError, match="has more"), platform_files.open_source(tmp_path / "many.zip"):
        pass


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", b"PK\x03\x04" + b"\0" * 40, b"\0" * 100])
def test_what_is_no_zip_is_said_to_be_none(tmp_path, content):
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(ValueError, match="must be a folder or a zip"), platform_files.open_source(tmp_path / "x.zip"):
        pass


def test_what_a_student_calls_a_file_does_not_make_it_another_s(course):
    """Eve's files carry, within her own, the names of Bob's folder on each platform."""
    eve, bob, *_ = course.members
    for number, name in enumerate([f"{moodle_folder(bob)}/{NAME}.ipynb", f"{bob.login}/{NAME}.ipynb",
                                   f"submitted/{bob.login}/{NAME}/{NAME}.ipynb", canvas_file(bob)]):
        course.collect(sample.moodle_zip(course.top / f"{number}.zip", {eve: b"eve's"}, name=name), said=NAME)
        assert course.taken() == {eve.login: b"eve's"}, name
    stranger = sample.nbgrader_folder(course.top / "course", {"stranger": b"", course.members[2].login: b"hers"})
    shutil.move(stranger / "submitted/stranger", stranger / "x")
    place = stranger / "submitted" / "stranger" / bob.login
    place.mkdir(parents=True)
    (place / f"{NAME}.ipynb").write_bytes(b"a stranger's"), (place / canvas_file(bob)).write_bytes(b"a stranger's")
    (place.parent / "submission_metadata.yml").write_text(f"{bob.login}:\n  :submitters:\n  - :email: {bob.email}\n")
    shutil.rmtree(stranger / "x")
    course.collect(stranger, said=NAME)
    assert course.taken() == {eve.login: b"eve's", course.members[2].login: b"hers"}


def test_two_files_of_which_nothing_says_which_counts_are_both_listed(course, archive):
    folder = moodle_folder(course.members[0])
    put(archive, f"{folder}/{NAME}.ipynb", b"one"), put(archive, f"{folder}/{NAME.upper()}.ipynb", b"two")
    archive.close()
    assert course.collect(course.top / "hostile.zip")[:2] == (0, 2)


def test_the_newest_of_two_wins(course, archive):
    folder = moodle_folder(course.members[0])
    put(archive, f"{folder}/{NAME}.ipynb", b"one"), put(archive, f"{folder}/{NAME} (1).ipynb", b"two",
                                                        date=(2026, 11, 20, 21, 15, 2))
    put(archive, f"{folder}/notes.ipynb", b"three", date=(2026, 11, 20, 22, 0, 0))
    archive.close()
    for sheet in (None, Worksheet.read(sample.worksheet(course.top / "w.csv", course.members))):
        assert course.collect(course.top / "hostile.zip", said=NAME, worksheet=sheet)[:2] == (1, 2)
        assert course.taken() == {"user000": b"two"}


def test_a_repaired_notebook_stays_and_a_newer_one_is_listed(course):
    one = course.members[0]
    course.collect(sample.moodle_zip(course.top / "m.zip", {one: b"broken"}))
    target = course.top / "graded/submitted" / one.login / NAME / f"{NAME}.ipynb"
    target.write_bytes(b"repaired")
    course.collect(course.source)
    assert target.read_bytes() == b"repaired" and "repaired by hand" in course.rows()[one.login]["note"]
    course.collect(sample.moodle_zip(course.top / "n.zip", {one: b"newer"}))
    assert target.read_bytes() == b"repaired" and "changed by hand" in str(course.refused())
    target.unlink()
    course.collect(course.source)
    assert target.read_bytes() == b"newer"


def test_late_is_what_moodle_says_less_the_extra_time(course):
    one, two, *_ = course.members
    course.roster = Roster([Student(one.login, one.name, email=one.email, extra_minutes="30"),
                            Student(two.login, two.name, email=two.email)])
    source = sample.moodle_zip(course.top / "m.zip", own([one, two]))
    status = "Submitted for grading - 1 hour 2 mins late"
    sheet = Worksheet.read(sample.worksheet(course.top / "w.csv", [one, two], status=status))
    course.collect(source, worksheet=sheet)
    assert [course.rows()[person.login]["minutes late"] for person in (one, two)] == ["32", "62"]
    course.collect(source, worksheet=sheet, due=moment("2026-11-20 20:30", "due"))
    assert [course.rows()[person.login]["minutes late"] for person in (one, two)] == ["15", "45"]


def test_a_notebook_of_another_identifier_is_noted(course):
    one, two, three, *_ = course.members
    given = {one: notebook(two.login), two: notebook("your-identifier"), three: notebook("user999")}
    course.collect(sample.moodle_zip(course.top / "m.zip", given))
    assert [course.rows()[person.login]["note"] for person in given] == [
        "it says that it is 'user001', another student", "its identifier was never filled in",
        "it says that it is 'user999', which is nobody"]


def test_a_folder_s_links_are_listed_and_not_followed(course):
    one, two, *_ = course.members
    source = sample.nbgrader_folder(course.top / "course", {one.login: b"hers"})
    secret = course.top / "secret.ipynb"
    secret.write_bytes(b"the solution")
    (source / "submitted" / two.login / NAME).mkdir(parents=True)
    (source / "submitted" / two.login / NAME / f"{NAME}.ipynb").symlink_to(secret)
    (source / "submitted" / "user002").symlink_to(source / "submitted" / one.login)
    os.mkfifo(source / "submitted" / one.login / "pipe.ipynb")
    assert course.collect(source)[:2] == (1, 3) and course.taken() == {one.login: b"hers"}


def test_a_roster_of_two_hundred_is_one_command(tmp_path, capsys):
    members = people(200)
    for list_of in (sample.worksheet(tmp_path / "w.csv", members), sample.gradebook(tmp_path / "g.csv", members, {})):
        to = tmp_path / f"roster-{list_of.name}"
        assert main(["classroom", "roster", str(list_of), "--to", str(to)]) == 0
        assert "200 students" in capsys.readouterr().out
        roster = Roster.read(to)
        assert len(roster.students) == 200
        for one in members:
            assert roster.the_one(("name", one.name)).name.replace(",", "") == one.name.replace(",", "")
    assert {"user000", "user199"} <= set(roster.students) and roster.students["user007"].canvas == "7007"


def test_who_comes_later_is_added_and_the_others_stay(tmp_path):
    members, to = people(5), tmp_path / "roster.csv"
    make_roster(sample.worksheet(tmp_path / "w.csv", members[:3]), to)
    text = to.read_text(encoding="utf-8").replace(",extra minutes", ",extra minutes,seat").splitlines()
    to.write_text("\n".join([text[0], text[1] + "5,A1", *[line + "," for line in text[2:]]]) + "\n", encoding="utf-8")
    assert make_roster(sample.worksheet(tmp_path / "w.csv", members), to) == (5, 2)
    first, *_, last = Table.read(to).dictionaries()
    assert (first["extra minutes"], first["seat"], last["identifier"], last["seat"]) == ("5", "A1", "user004", "")
    assert make_roster(sample.gradebook(tmp_path / "g.csv", members, {}), to) == (5, 0)
    assert Roster.read(to).students["user001"].canvas == "7001"


def test_a_newcomer_of_the_same_name_is_another_student(tmp_path):
    first, second = sample.Person("Ann", "Lee", "ann1", 1), sample.Person("Ann", "Lee", "ann2", 2)
    to = tmp_path / "roster.csv"
    assert make_roster(sample.worksheet(tmp_path / "1.csv", [first]), to) == (1, 1)
    assert make_roster(sample.worksheet(tmp_path / "2.csv", [second]), to) == (2, 1)
    assert Roster.read(to).students["ann1"].email == first.email
    (tmp_path / "3.csv").write_text("name\nAnn Lee\nAnn Lee\n")
    with pytest.raises(ValueError, match="nothing tells them apart"):
        make_roster(tmp_path / "3.csv", tmp_path / "other.csv")


@pytest.mark.parametrize("text, said", [
    ("name,mail\nA,b\n", "must have the columns identifier and name"), ("", "is empty"),
    ("identifier,name\nada,Ada\nADA,Ada\n", "line 3 .*two students"), ("identifier,name\na/b,Ada\n", "line 2"),
    ("identifier,name,extra minutes\na,Ada,-5\n", "whole number")])
def test_a_roster_that_cannot_be_is_refused_by_its_line(tmp_path, text, said):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(ValueError, match=said):
        Roster.read(tmp_path / "r.csv")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables_are_read_as_spreadsheets_save_them(tmp_path, encoding, delimiter):
    rows = [["identifier", "name"], ["a", "Änne; the first, \"x\""], ["b", "'=1+1"]]
    with open(tmp_path / "t.csv", "w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert Table.read(tmp_path / "t.csv").rows == [rows[1], ["b", "=1+1"]]
    (tmp_path / "t.csv").write_bytes("identifier,name\na,Änne".encode("cp1252"))
    with pytest.raises(ValueError, match="not in UTF-8"):
        Table.read(tmp_path / "t.csv")


@pytest.mark.parametrize("value", ["=1+1", "+1+1", "-a", "@a", "\t=1", " =1", "＝1", "a;=1", "a\t@b", "x\n=1"])
def test_no_cell_is_a_formula(value):
    assert cell(value) != value and unquoted(cell(value)).replace("'", "") == value.replace("'", "")
