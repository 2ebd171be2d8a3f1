"""Mutation testing, on short sources and a toy package: what is changed, what survives, what is stale."""

import ast
import os
import subprocess
import textwrap

import pytest

from mutate import Mutant, excuses, mutants, mutated, paths, sample, survey, trial

pytestmark = pytest.mark.slow


def changes(source: str) -> list[str]:
    return [mutant.change for mutant in mutants("room/module.py", textwrap.dedent(source))]


@pytest.mark.parametrize("source, expected", [
    ("x = 3", ["3 -> 4", "3 -> 2"]),
    ("x = -3", ["3 -> 4", "3 -> 2"]),
    ("x = 0.5", ["0.5 -> 0.75"]),
    ("x = 0.0", ["0.0 -> 1.0"]),
    ("x = [True, None, 'one', 1j]", []),
    ("x = a < b", ["< -> <=", "< -> >="]),
    ("x = a <= b", ["<= -> <", "<= -> >"]),
    ("x = a > b", ["> -> >=", "> -> <="]),
    ("x = a >= b", [">= -> >", ">= -> <"]),
    ("x = a == b, a != b", ["== -> !=", "!= -> =="]),
    ("x = a in b, a not in b", ["in -> not in", "not in -> in"]),
    ("x = a is b, a is not b", ["is -> is not", "is not -> is"]),
    ("x = a < b <= c", ["< -> <=", "< -> >=", "<= -> <", "<= -> >"]),
    ("def f(x=1):\n    return x[2]", ["1 -> 2", "1 -> 0", "2 -> 3", "2 -> 1"]),
    ("x = 1 + 1", ["1 -> 2", "1 -> 0", "1 -> 2 #2", "1 -> 0 #2"]),
])
def test_every_number_and_comparison_is_changed(source, expected):
    assert sorted(changes(source)) == sorted(expected)


def test_what_does_not_compute_is_left_alone():
    assert changes('''
        """Holds when 1 < 2."""
        __all__ = ["a"] * 2
        __all__ += ["b"] * 2

        @dataclass(order=1 > 2)
        class Pair:
            """Two, 2."""

            p: Literal[1]
            q: Literal[1] = a
            epsilon: Annotated[float, Epsilon()] = 1.0

            @classmethod
            def examples(cls):
                return cls(2, 3)

            def server(self, release, steps=3):
                return [release.y > 0 for _ in range(2)]

            def root(self):
                return brentq(f, a, b, xtol=1e-12, rtol=1e-9)

            @check(low=1)
            def sum(self, r: Literal[2], *s: Literal[3]) -> Literal[4]:
                """3 > 2."""
                return self.p
    ''') == []


def test_a_mutant_is_one_change_and_says_where():
    source = "def f(x):\n    return x < 2 < 3.0\n"
    found = {mutant.change: mutant for mutant in mutants("room/module.py", source)}
    lines = {change: ast.unparse(mutated(mutant, source)).splitlines()[1] for change, mutant in found.items()}
    assert {change: line.strip() for change, line in lines.items()} == {
        "< -> <=": "return x <= 2 < 3.0", "< -> >=": "return x >= 2 < 3.0", "2 -> 3": "return x < 3 < 3.0",
        "< -> <= #2": "return x < 2 <= 3.0", "< -> >= #2": "return x < 2 >= 3.0",
        "2 -> 1": "return x < 1 < 3.0", "3.0 -> 4.5": "return x < 2 < 4.5"}
    assert str(found["2 -> 3"]) == "room/module.py:2:16: 2 -> 3     | return x < 2 < 3.0"
    assert ast.unparse(mutated(Mutant("room/module.py"), source)) == source.strip()


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A package whose test and doctest look at some of its numbers, not at `unused`."""
    room = tmp_path / "lib" / "toy_of_mutate" / "room"
    room.mkdir(parents=True)
    (room.parent / "__init__.py").touch()
    (room / "__init__.py").write_text("from .core import few\n")  # the mutant must arrive by this way too
    (room / "core.py").write_text(textwrap.dedent('''
        """A module."""
        unused = 0.5
        limit = 7.0


        def few(x):
            return x < 3.0


        def halve(x):
            """
            >>> halve(8)
            2.0
            """
            while x > 2.5:
                x /= 2
            return x
    '''))
    (tmp_path / "test_toy_of_mutate.py").write_text(textwrap.dedent("""
        from toy_of_mutate.room import few, core

        def test_few():
            assert few(2.9) and not few(3.0) and core.limit == 7
    """))
    monkeypatch.syspath_prepend(room.parents[1])
    return room.parent


TOY = {"room": ["test_toy_of_mutate.py"]}


@pytest.mark.full
def test_survivors_are_reported_and_the_noticed_are_not(toy, capsys):
    found = survey(toy, ["room"], {})
    tests = paths(found, TOY, toy.parents[1])
    alive = trial(toy, found["room/core.py"], tests, {}, jobs=2, patience=2)
    # halve(8) passes 8, 4 and 2: neither 3.75 nor >= shows. With x /= 1 it never ends.
    assert {mutant.change for mutant in alive} == {"0.5 -> 0.75", "2.5 -> 3.75", "> -> >="}
    printed = capsys.readouterr().out
    assert "SURVIVED: room/core.py:3:10: 0.5 -> 0.75 | unused = 0.5\n" in printed
    assert "3.0 -> 4.5" not in printed and "7.0 -> 10.5" not in printed
    assert "10 mutants: 7 noticed, 1 of them by the time limit; 0 excused; 3 survived." in printed
    assert "4 noticed by test_toy_of_mutate.py first\n" in printed  # and two by the doctest


def test_an_excused_mutant_is_counted_and_not_run(toy, capsys):
    excuses = {("room/core.py", "unused = 0.5", "0.5 -> 0.75"): "Nothing reads it."}
    found = survey(toy, ["room"], excuses)
    todo = [mutant for mutant in found["room/core.py"] if mutant.line < 5]
    assert trial(toy, todo, paths(found, TOY, toy.parents[1]), excuses) == []
    printed = capsys.readouterr().out
    assert "2 mutants: 1 noticed, 0 of them by the time limit; 1 excused; 0 survived." in printed


def test_a_child_of_somebody_else_is_left_to_them(toy):
    found = survey(toy, ["room"], {})
    with subprocess.Popen(["true"]) as stranger:
        stranger_ended = os.waitid(os.P_PID, stranger.pid, os.WEXITED | os.WNOWAIT)
        trial(toy, found["room/core.py"][:1], paths(found, TOY, toy.parents[1]), {})
        assert stranger_ended and os.waitpid(stranger.pid, os.WNOHANG) == (stranger.pid, 0)


@pytest.mark.parametrize("key", [
    ("room/core.py", "unused = 0.25", "0.25 -> 0.375"), ("room/core.py", "unused = 0.5", "0.5 -> 0.25"),
    ("room/gone.py", "unused = 0.5", "0.5 -> 0.75"),
])
def test_a_stale_excuse_fails(toy, key):
    with pytest.raises(SystemExit, match="stale excuse"):
        survey(toy, ["room"], {key: "It was so once."})


def test_excuses_are_read(tmp_path):
    (tmp_path / "some.yml").write_text("a.py:\n- line: 'x < 1  # one'\n  changes: [< -> <=, '1 -> 2 #2']\n  why: so\n")
    assert excuses(tmp_path / "some.yml") == {("a.py", "x < 1  # one", "< -> <="): "so",
                                              ("a.py", "x < 1  # one", "1 -> 2 #2"): "so"}


def test_tests_that_fail_anyway_stop_it(toy):
    (toy / "room" / "core.py").write_text("limit = 8.0\ndef few(x):\n    return x < 3.0\n")
    found = survey(toy, ["room"], {})
    with pytest.raises(SystemExit, match="tests fail without mutation: .*test_toy_of_mutate.py"):
        trial(toy, found["room/core.py"], paths(found, TOY, toy.parents[1]), {})


def test_a_module_has_its_own_tests_or_its_folders(tmp_path):
    table = {"room": ["a.py"], "room/core.py": ["b.py", "c.py"], "room/inner": ["b.py"]}
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).touch()
    assert paths(["room/core.py", "room/more.py", "room/inner/most/core.py"], table, tmp_path) == {
        "room/core.py": [tmp_path / "b.py", tmp_path / "c.py"], "room/more.py": [tmp_path / "a.py"],
        "room/inner/most/core.py": [tmp_path / "b.py"]}
    with pytest.raises(SystemExit, match="does not exist: .*gone.py"):
        paths(["room/core.py"], {"room": ["gone.py"]}, tmp_path)


def test_a_module_may_be_named_without_its_folder(toy):
    (toy / "room" / "more.py").write_text("x = 1\n")
    assert [*survey(toy, ["room/core.py"], {})] == ["room/core.py"]
    assert [*survey(toy, ["room", "room/core.py"], {})] == ["room/core.py", "room/more.py"]


def test_a_sample_stays_until_its_module_changes(toy):
    every = survey(toy, ["room"], {})["room/core.py"]
    one = sample(toy, every, 3)
    assert len(one) == 3 and one == sample(toy, every, 3) == [each for each in every if each in one]
    seen = {*one}
    for line in range(20):
        (toy / "room" / "core.py").write_text((toy / "room" / "core.py").read_text() + f"# {line}\n")
        seen |= {*sample(toy, every, 3)}
    assert len(seen) > 5 and sample(toy, every, 999) == every
