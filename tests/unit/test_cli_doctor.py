"""`privgraph doctor` says what is here, and ends with 1 where something that everything needs is not."""

from importlib import metadata

import pytest

from privgraph.cli import doctor, main


def test_what_is_here_is_said(capsys):
    assert main(["doctor"]) == 0
    told = capsys.readouterr()
    assert f"torch                {metadata.version('torch')}" in told.out and "karate" in told.out
    assert all(program in told.out for program in doctor.PROGRAMS) and "problem" not in told.err


@pytest.mark.parametrize("versions, said", [({"torch": None}, "torch not installed, and at least"),
                                            ({"numpy": "1.26.4"}, "numpy 1.26.4, and at least 2.0 is needed")])
def test_what_is_missing_or_too_old_is_a_problem(versions, said, monkeypatch, capsys):
    real = doctor.version_of
    monkeypatch.setattr(doctor, "version_of", lambda name: versions[name] if name in versions else real(name))
    assert main(["doctor"]) == 1
    assert f"problem: {said}" in capsys.readouterr().err


def test_extras_are_no_problem(monkeypatch, capsys):
    extras = {name for name, _, needed in doctor.requirements() if not needed}
    assert {"flwr", "pymetis"} <= extras
    real = doctor.version_of
    monkeypatch.setattr(doctor, "version_of", lambda name: None if name in extras else real(name))
    assert main(["doctor"]) == 0 and "not installed, and optional" in capsys.readouterr().out
