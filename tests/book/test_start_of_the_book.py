"""The book's command loads what it needs and no more, and counts the papers' values anew only where it must."""

import os
import subprocess
import sys

import pytest

from privbook.cli import compared, main


def loaded(*words: str) -> tuple[set[str], str, str]:
    """What a process has loaded after a command, and what it said."""
    code = ("import sys\nfrom contextlib import suppress\nfrom privbook.cli import main\nwith suppress(SystemExit):\n"
            "    main(sys.argv[1:])\nprint('loaded', *sys.modules)")
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, env=os.environ)
    assert ended.returncode == 0, ended.stderr
    said, _, names = ended.stdout.rpartition("loaded ")
    return set(names.split()), said, ended.stderr


@pytest.mark.parametrize("words, strange", [(["--help"], {"numpy", "torch"}), (["--version"], {"numpy", "torch"}),
                                            (["legder"], {"numpy", "torch"}), (["ledger", "--help"], {"torch"}),
                                            (["claims", "--help"], {"torch"}), (["new", "--help"], {"torch"})])
def test_help_loads_no_torch(words, strange):
    found, _, told = loaded(*words)
    assert not found & strange and "loading" not in told


def test_a_count_that_is_kept_is_read_without_torch(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path))
    monkeypatch.setattr(compared, "counted", lambda paper: [f"counted for {paper}"])
    assert main(["ledger"]) == main(["ledger", "rgnn"]) == 0
    assert capsys.readouterr().out == "counted for None\ncounted for rgnn\n"
    found, said, told = loaded("ledger")
    assert said == "counted for None\n" and told == "" and "torch" not in found


def test_a_count_is_made_anew_where_a_result_or_the_code_is_otherwise(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PRIVGRAPH_RESULTS", str(tmp_path))
    made = iter("abcde")
    monkeypatch.setattr(compared, "counted", lambda paper: [next(made)])
    (tmp_path / "measured").mkdir()
    def said() -> str:
        assert main(["ledger"]) == 0
        return capsys.readouterr().out.strip()
    assert [said(), said()] == ["a", "a"]
    (tmp_path / "measured" / "toy.csv").write_text("1\n")
    assert [said(), said()] == ["b", "b"]
    (tmp_path / "measured" / "toy.csv").write_text("2\n")
    assert said() == "c"
    monkeypatch.setattr(compared, "code", lambda: "another")
    assert [said(), said()] == ["d", "d"]
    (tmp_path / "cache" / "ledger" / "all.txt").unlink()
    assert said() == "e"


def test_without_a_place_to_keep_it_the_count_is_said(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(compared, "counted", lambda paper: ["counted"])
    assert main(["ledger"]) == 0 and capsys.readouterr().out == "counted\n"


@pytest.mark.parametrize("name", ["privbook", "privbook.show"])
def test_a_face_has_what_it_names(name):
    face = __import__(name, fromlist=["x"])
    assert set(face.__all__) <= set(dir(face)) and all(hasattr(face, each) for each in face.__all__)
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        face.nothing  # noqa: B018
