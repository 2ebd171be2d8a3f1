"""Which tests a mutant meets: those that call the function in which it is, and all where that is not known."""

import ast
import builtins
import textwrap

import pytest

from trials import CALL, COLLECTED, Marks, chosen, span

SOURCE = textwrap.dedent("""
    LIMIT = 3


    @staticmethod
    def outer(x):
        def inner(y):
            return y < 2
        return inner(x)


    class Kind:
        size = 4

        def grow(self):
            return self.size + 1
""")
TREE = ast.parse(SOURCE)
LINES = {text.strip(): number for number, text in enumerate(SOURCE.splitlines(), 1)}
SEEN = {"a.py::one": (0.5, {"m": [5, 7]}), "a.py::two": (0.1, {"m": [5]}), "b.py::three": (0.2, {"m": [15]}),
        "b.py::four": (9.0, {"other": [5]}), COLLECTED: (1.0, {})}


@pytest.mark.parametrize("text, where", [
    ("return y < 2", range(7, 9)), ("return inner(x)", range(5, 10)), ("LIMIT = 3", None), ("size = 4", None),
    ("return self.size + 1", range(15, 17)), ("@staticmethod", None)])
def test_a_line_is_in_the_innermost_function_around_it(text, where):
    assert span(TREE, LINES[text]) == where


def test_only_tests_that_call_the_function_run_and_the_quick_ones_first():
    assert chosen("m", TREE, LINES["return inner(x)"], SEEN, []) == ([["a.py::two", "a.py::one"]], 0.6)
    assert chosen("m", TREE, LINES["return y < 2"], SEEN, [])[0] == [["a.py::one"]]
    assert chosen("other", TREE, LINES["return self.size + 1"], SEEN, []) == ([], 0)


def test_the_latest_to_notice_comes_before_all_others_if_it_may_notice():
    runs, _ = chosen("m", TREE, LINES["return inner(x)"], SEEN, ["b.py::three", "a.py::one"])
    assert runs == [["a.py::one"], ["a.py::two"]]


def test_what_is_made_at_import_or_while_tests_are_collected_meets_all():
    everything = [["a.py::two", "a.py::one"], ["b.py::three", "b.py::four"]]
    assert chosen("m", TREE, LINES["size = 4"], SEEN, [])[0] == everything
    while_collected = SEEN | {COLLECTED: (1.0, {"m": [15]})}
    assert chosen("m", TREE, LINES["return self.size + 1"], while_collected, [])[0] == everything


def test_a_marked_function_says_that_it_was_called_and_does_what_it_did(monkeypatch):
    source = SOURCE + textwrap.dedent('''
        half = lambda x: x / 2


        def one_two():
            """Both."""
            yield from (1, 2)


        def silent():
            """Nothing else."""
    ''')
    called, names = [], {}
    monkeypatch.setattr(builtins, CALL, lambda module, line: called.append(source.splitlines()[line - 1].strip()),
                        raising=False)
    exec(compile(ast.fix_missing_locations(Marks("m").visit(ast.parse(source))), "m", "exec"), names)
    assert called == [] and names["one_two"].__doc__ == "Both."
    assert names["outer"](1) and names["Kind"]().grow() == 5 and names["half"](4) == 2
    assert [*names["one_two"]()] == [1, 2] and names["silent"]() is None
    assert called == ["def outer(x):", "def inner(y):", "def grow(self):", "half = lambda x: x / 2", "def one_two():",
                      "def silent():"]
