"""What no test may do: pass whatever happens. Each rule reads the source, and is itself seen to find a planted case."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = {folder: sorted((ROOT / folder).rglob("*.py")) for folder in ("tests", "benchmarks", "assignments", "chapters")}
RAISES = ("raises", "warns", "fail")
ANYTHING = ("Exception", "BaseException")


@cache
def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def nodes(tree: ast.Module) -> list[ast.AST]:
    return list(ast.walk(tree))


def asserted(tree: ast.Module) -> Iterator[ast.expr]:
    return (node.test for node in nodes(tree) if isinstance(node, ast.Assert))


def without_brackets(part: ast.expr, text: str) -> bool:
    """Whether a part of a condition has no bracket of its own in front."""
    before = text.splitlines()[part.lineno - 1].encode()[:part.col_offset].decode()
    return not before.rstrip().endswith("(")


def mixed(tree: ast.Module, text: str) -> Iterator[ast.expr]:
    """``a and b or c`` is true for every c that is, whatever a and b are: brackets say that this is meant."""
    for test in asserted(tree):
        for node in ast.walk(test):
            if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
                parts = (part for part in node.values if isinstance(part, ast.BoolOp))
                yield from (part for part in parts if without_brackets(part, text))


def with_message_in_brackets(tree: ast.Module, text: str) -> Iterator[ast.expr]:
    """``assert (x, "message")`` asserts that a tuple has members."""
    return (test for test in asserted(tree) if isinstance(test, ast.Tuple))


def is_true(node: ast.expr) -> bool:
    """Whether an expression is true whatever its names are."""
    if isinstance(node, (ast.Constant, ast.JoinedStr)):
        return bool(node.value if isinstance(node, ast.Constant) else node.values)
    if isinstance(node, ast.BoolOp):
        return (any if isinstance(node.op, ast.Or) else all)(map(is_true, node.values))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.Is)):
        plain = not any(isinstance(part, ast.Call) for part in ast.walk(node))  # two calls may differ
        return plain and ast.dump(node.left) == ast.dump(node.comparators[0])
    filled = isinstance(node, (ast.List, ast.Set)) and node.elts or isinstance(node, ast.Dict) and node.keys
    return bool(filled) or isinstance(node, (ast.GeneratorExp, ast.Lambda))


def always_true(tree: ast.Module, text: str) -> Iterator[ast.expr]:
    """``x or True``, a function that is not called, a generator, a thing that equals itself."""
    functions = {node.name for node in nodes(tree) if isinstance(node, ast.FunctionDef)}
    return (test for test in asserted(tree)
            if is_true(test) or isinstance(test, ast.Name) and test.id in functions)


def hidden_alternatives(tree: ast.Module, text: str) -> Iterator[ast.expr]:
    """``found in (one, other)`` with computed alternatives is a disjunction: it passes for either."""
    for test in asserted(tree):
        for node in ast.walk(test):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
                listed = node.comparators[0]
                if isinstance(listed, (ast.Tuple, ast.List, ast.Set)) and not is_literal(listed):
                    yield node


def is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def any_error_will_do(tree: ast.Module, text: str) -> Iterator[ast.expr]:
    """``pytest.raises(Exception)`` is content with a name that is spelt wrong."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and called(node) == "raises" and node.args:
            kinds = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]
            if any(ast.unparse(kind) in ANYTHING for kind in kinds):
                yield node


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def checks(function: ast.FunctionDef, functions: dict[str, ast.FunctionDef], seen: tuple[str, ...] = ()) -> bool:
    """Whether a function, or one of the same file that it calls, asserts or expects an error."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = called(node)
            if name in RAISES or name.startswith(("check", "assert_")):
                return True
            if name in functions and name not in seen and checks(functions[name], functions, (*seen, name)):
                return True
    return False


def nothing_checked(tree: ast.Module, text: str) -> Iterator[ast.FunctionDef]:
    """A test that asserts nothing passes if it ends."""
    functions = {node.name: node for node in nodes(tree) if isinstance(node, ast.FunctionDef)}
    return (node for name, node in functions.items() if name.startswith("test_") and not checks(node, functions))


RULES = (mixed, with_message_in_brackets, always_true, hidden_alternatives, any_error_will_do, nothing_checked)


def found(rule, text: str) -> list[str]:
    return [f"line {node.lineno}: {ast.unparse(node)[:120]}" for node in rule(parsed(text), text)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_test_passes_whatever_happens(rule):
    """Benchmarks leave it to their fixtures to assert."""
    files = FILES["tests"] if rule is nothing_checked else [path for paths in FILES.values() for path in paths]
    everywhere = {str(path.relative_to(ROOT)): lines for path in files if (lines := found(rule, source(path)))}
    assert everywhere == {} and len(files) > 150, rule.__doc__


@pytest.mark.parametrize("rule, planted", [
    (mixed, "assert a == b and c in d or e"), (mixed, "assert x or (y or z and w)"),
    (mixed, "assert all(a or b and c for a in d)"),
    (with_message_in_brackets, "assert (a == b, 'they differ')"),
    (always_true, "assert a == b or True"), (always_true, "assert 'they are equal'"),
    (always_true, "assert f'{a} is b'"),
    (always_true, "assert (x > 0 for x in found)"), (always_true, "assert lambda: False"),
    (always_true, "assert found == found"), (always_true, "assert [a, b]"), (always_true, "assert {a: b}"),
    (always_true, "def good():\n    return False\nassert good"),
    (hidden_alternatives, "assert printed in (above, from_on)"),
    (hidden_alternatives, "assert all(a in [b] for a in c)"),
    (any_error_will_do, "with pytest.raises(Exception, match='a'):\n    pass"),
    (any_error_will_do, "with raises((ValueError, BaseException)):\n    pass"),
    (nothing_checked, "def helper():\n    return 1\ndef test_a():\n    helper()"),
])
def test_a_rule_finds_what_is_planted(rule, planted):
    assert len(found(rule, planted)) == 1


@pytest.mark.parametrize("fine", [
    "assert a and (b or c)", "assert a or (b and c)", "assert a == b, 'they differ'", "assert f() == f()",
    "assert a in (1, 2)", "assert a in b", "assert any(a or b for a in c)", "assert not (a or True)", "assert [] == a",
    "with pytest.raises(ValueError):\n    pass", "def test_a():\n    check_all(1)",
    "def helper():\n    assert a\ndef test_a():\n    helper()"])
def test_a_rule_leaves_the_rest_alone(fine):
    assert [line for rule in RULES for line in found(rule, fine)] == []
