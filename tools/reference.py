"""What reference pages say of whatever can be called: each parameter, the shape of tensors, what is raised.

A parameter is described in the docstring, ``:param name:`` or ```` ``name`` ````; in that of the class or of the method
above it; or, where a name means the same everywhere, in the table of ``book/api.md``. ``missing`` lists what is not.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHAPE = re.compile(r"\[[^\]`]*\]|\bscalar\b")  # [N, d]; a scalar has none
DTYPE = re.compile(r"\b(float\d*|int\d*|bool|dtype)\b")


@cache
def shared() -> list[tuple[str, str, str]]:
    """(name, type, what it is): what means the same everywhere, from the table of book/api.md."""
    page = (ROOT / "book" / "api.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)` \|(?: `(\w+)`)? \| (.+) \|$", page, re.MULTILINE)


def pages() -> list[str]:
    """The modules of the reference."""
    return [re.search(r"automodule:: (\S+)", path.read_text(encoding="utf-8")).group(1)
            for path in sorted((ROOT / "book" / "api").glob("*.md"))]


def public(module: str) -> Iterator[tuple[str, type | None, object]]:
    """What a page shows of a module: name, its class, and the thing itself; methods after their class."""
    found = importlib.import_module(module)
    for name in getattr(found, "__all__", sorted(vars(found))):
        thing = getattr(found, name)
        if not callable(thing) or name.startswith("_") or not hasattr(found, "__all__") and thing.__module__ != module:
            continue
        yield f"{module}.{name}", None, thing
        for own, method in vars(thing).items() if inspect.isclass(thing) else ():
            if (inspect.isfunction(bare(method)) and (own == "__call__" or not own.startswith("_"))
                    and own not in parameters(thing)):  # a field may hold a function
                yield f"{module}.{name}.{own}", thing, method


def bare(thing):
    """The function of a method, a property or what is cached."""
    thing = getattr(thing, "__func__", None) or getattr(thing, "fget", None) or getattr(thing, "func", None) or thing
    return inspect.unwrap(thing)


def parameters(thing) -> dict[str, object]:
    """Names and annotations of what a caller gives."""
    if inspect.isclass(thing):
        if is_dataclass(thing):
            return {field.name: field.type for field in fields(thing) if field.init}
        thing = vars(thing).get("__init__", lambda: None)
    found = inspect.signature(bare(thing)).parameters
    return {name: each.annotation for name, each in found.items() if name not in ("self", "cls")}


def texts(thing, holder: type | None) -> list[str]:
    """Docstrings that may describe a parameter: its own, then those above."""
    above = thing.__mro__ if inspect.isclass(thing) else [
        vars(each)[bare(thing).__name__] for each in getattr(holder, "__mro__", ())
        if bare(thing).__name__ in vars(each)]
    return [inspect.cleandoc(each.__doc__) for each in [thing, *above] if getattr(each, "__doc__", None)]


def described(thing, holder: type | None, name: str) -> str | None:
    """What is said of a parameter under its name."""
    for text in texts(thing, holder):
        if found := re.search(rf"^ *:param {name}:(.*?)(?=\n *:|\n\n|\Z)", text, re.DOTALL | re.MULTILINE):
            return " ".join(found.group(1).split())
    kind = str(parameters(thing)[name])
    return next((says for known, of, says in shared() if known == name and re.search(rf"{of}\b", kind)), None)


def mentioned(thing, holder: type | None, name: str) -> str | None:
    """What a sentence says behind a parameter's name."""
    found = (re.search(rf"``\*{{0,2}}{name}``([^.;]*)", text) for text in texts(thing, holder))
    return next((each.group(1) for each in found if each), None)


def is_tensor(kind) -> bool:
    """Whether an annotation speaks of tensors, and not of a function of some."""
    return bool(re.search(r"\bTensor\b", str(kind))) and "Callable" not in str(kind)


def raised(thing) -> set[str]:
    """Errors that a function raises itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(bare(thing))))
    calls = (getattr(node.exc, "func", node.exc) for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return {call.id for call in calls if isinstance(call, ast.Name) and call.id != "NotImplementedError"}


def missing(thing, holder: type | None = None) -> Iterator[str]:
    """What the reference does not say of a class, a function or a method."""
    said = texts(thing, holder)
    text = said[0] if said else ""
    if not text:
        yield "docstring"
    for name, kind in parameters(thing).items():
        words = [each(thing, holder, name) for each in (mentioned, described)]
        if words == [None, None]:
            yield f"param {name}"
        elif is_tensor(kind) and not any(SHAPE.search(each) and DTYPE.search(each) for each in words if each):
            yield f"shape and dtype of {name}"
    if inspect.isclass(thing):
        return
    returned = inspect.signature(bare(thing)).return_annotation
    if re.match(r"(<class ')?(torch\.)?Tensor\b", str(returned)) and not (SHAPE.search(text) and DTYPE.search(text)):
        yield "shape and dtype of what is returned"
    for error in sorted(raised(thing)):
        if not re.search(rf"^ *:raises [\w, ]*\b{error}\b", text, re.MULTILINE):
            yield f"raises {error}"


def gaps(module: str) -> list[str]:
    return [f"{name}: {each}" for name, holder, thing in public(module) for each in missing(thing, holder)]


if __name__ == "__main__":
    print(*(gap for module in pages() for gap in gaps(module)), sep="\n")
