"""Lists that people read agree with what there is: rooms, methods, commands, chapters, targets, modules to mutate.

They are written by hand, as a sentence is; what was forgotten, or is no longer there, fails here. So does a line that
people copy for what leaves their hands and that draws from public coins.
"""

import argparse
import ast
import importlib
import inspect
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest
import yaml

import mutate
import privbook
import privgraph
from privgraph import methods
from privgraph.cli import parser
from test_architecture import ALL_MODULES, BOOK_ROOMS, LIB, ROOMS

ROOT = Path(__file__).parents[1]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def our_methods() -> list[str]:
    """The names of the methods: what has both halves and is no base of others."""
    found = [(name, getattr(methods, name)) for name in methods.__all__]
    return [name for name, kind in found if inspect.isclass(kind) and hasattr(kind, "collect")
            and hasattr(kind, "learn") and not inspect.isabstract(kind)]


def contents() -> list[str]:
    """The chapters of _toc.yml, in order, without their sub-pages."""
    pages = (page["file"] for part in yaml.safe_load(text("_toc.yml"))["parts"] for page in part["chapters"])
    return [page.removeprefix("chapters/") for page in pages if page.startswith("chapters/")]


@pytest.mark.parametrize("package, rooms", [(privgraph, ROOMS), (privbook, BOOK_ROOMS)], ids=["privgraph", "privbook"])
def test_the_package_says_which_rooms_there_are(package, rooms):
    listed = re.findall(r"^    (\w+(?:, \w+)*)  +\S", package.__doc__, re.MULTILINE)
    assert ", ".join(listed).split(", ") == [name for name in rooms if not name.startswith("__")]


@pytest.mark.parametrize("place", ["README.md", "book/intro.md", "lib/privgraph/__init__.py"])
def test_each_method_is_named(place):
    assert len(our_methods()) >= 5
    assert [name for name in our_methods() if name not in text(place)] == []


def test_the_front_page_has_a_line_for_each_chapter():
    listed = re.findall(r"^\| \{doc\}`\.\./chapters/(\w+)` \|", text("book/intro.md"), re.MULTILINE)
    assert [name for name in listed if name in contents()] == contents()
    assert all((ROOT / "chapters" / f"{name}.md").exists() for name in listed)


def test_each_public_room_has_a_page_of_reference():
    """Rooms with an ``__all__``, and the two modules beside them that chapters import; of the book, what it exports."""
    rooms = [f"privgraph.{name}" for name in ROOMS if not name.startswith("__")]
    rooms += ["privbook", *(f"privbook.{name}" for name in BOOK_ROOMS if not name.startswith("__"))]
    public = {name for name in rooms if hasattr(importlib.import_module(name), "__all__")}
    public = public - {"privgraph.checks"} | {"privgraph.graph", "privgraph.randomness"}
    pages = {name.rpartition(".")[2]: name for name in public}
    assert {path.stem for path in (ROOT / "book" / "api").glob("*.md")} == pages.keys()
    assert re.findall(r"api/(\w+)`", text("book/api.md")) == re.findall(r"file: book/api/(\w+)", text("_toc.yml"))
    for name, module in pages.items():
        assert f".. automodule:: {module}\n" in text(f"book/api/{name}.md")


@pytest.mark.parametrize("prog, package", [("privgraph", "privgraph.cli"), ("privbook", "privbook.cli")])
def test_each_command_is_in_the_readme_and_no_other(prog, package):
    subcommands, = (action for action in parser(package)._actions if isinstance(action, argparse._SubParsersAction))
    pages = [text("README.md"), text("CONTRIBUTING.md"), *(p.read_text("utf-8") for p in (ROOT / "book").glob("*.md"))]
    command = re.compile(rf"(?:bin/|`|^){prog} ([a-z-]+)", re.MULTILINE)
    named = {name for page in pages for name in command.findall(page)}
    assert named == set(subcommands.choices)


def test_each_target_is_explained_and_no_other():
    made = set(re.findall(r"^([a-z]+):", text("Makefile"), re.MULTILINE))
    explained = set(re.findall(r"^([a-z]+):.*?## \S", text("Makefile"), re.MULTILINE))
    phony = set(re.search(r"^\.PHONY: (.*)$", text("Makefile"), re.MULTILINE).group(1).split())
    assert made == explained == phony
    pages = [text("README.md"), text("CONTRIBUTING.md"), *(p.read_text("utf-8") for p in (ROOT / "book").glob("*.md"))]
    assert {name for page in pages for name in re.findall(r"(?:`|^)make ([a-z]+)\b", page, re.MULTILINE)} <= made


LEAVES = re.compile(r"\b(what|that|which|it) leaves\b|\bleaves\b.*\bhands\b", re.IGNORECASE)  # and not those of a star


def leaving(page: str) -> list[str]:
    """Lines of Python on a page of which a comment, beside them or above them, says that something leaves."""
    found = []
    for cell in re.findall(r"^```(?:python|\{code-cell\}.*?)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        tokens = tokenize.generate_tokens(io.StringIO(cell).readline)
        comments = {token.start[0]: token for token in tokens if token.type == tokenize.COMMENT}
        said = False
        for number, line in enumerate(cell.splitlines(), 1):
            comment = comments.get(number)
            code = line[:comment.start[1]].strip() if comment else line.strip()
            said = bool(comment and LEAVES.search(comment.string)) or said and bool(comment or code)
            if code:
                found, said = found + [code] * said, False
    return found


def of_public_coins(page: str) -> list[str]:
    """``fit`` draws from secret randomness, unless it is told a seed."""
    return [code for code in leaving(page) if re.search(r"seeded\(|seed=", code)
            or not ("secret()" in code or ".fit(" in code)]


def test_what_is_said_to_leave_is_drawn_from_secret_randomness():
    """People copy these lines for data of their own; of a seed, anybody takes the noise off."""
    pages = ["README.md", *(str(path.relative_to(ROOT)) for folder in ("book", "chapters")
                            for path in sorted((ROOT / folder).glob("*.md")))]
    assert {page: found for page in pages if (found := of_public_coins(text(page)))} == {}


def test_a_line_that_draws_what_leaves_from_a_seed_is_seen():
    """A page as it once was, and comments elsewhere than beside a line."""
    assert (now := "model = method.fit(data)") in leaving(page := text("book/your_own_graph.md"))
    once = "release = method.collect(data, seeded(1))"
    for line in (once, "model = method.fit(data, seed=1)"):
        assert of_public_coins(page.replace(now, line)) == [line]
    for cell in (f"# What leaves\n# them.\n{once}", f"x = 1\n{once}  # leaves her hands",
                 f"{once}  # it leaves; secret()"):
        assert of_public_coins(f"```{{code-cell}} ipython3\n{cell}\n```\n") == [once]
    for cell in (f"x = '# it leaves'\n{once}", f"x = 1  # it leaves\n{once}", f"# it leaves\n\n{once}",
                 f"{once}  # 3 leaves"):
        assert once not in leaving(f"```python\n{cell}\n```\n")


def test_the_changelog_warns_of_what_was_saved_before():
    """Whoever published such a file must hear of it from the list of changes, for as long as such files lie about."""
    notice, = re.findall(r"^\*\*Security notice\.\*\* .*?(?=\n\n)", text("CHANGELOG.md"), re.MULTILINE | re.DOTALL)
    said = " ".join(notice.split())
    for words in ("`privgraph run METHOD --save FOLDER` drew the noise", "from a fixed public seed", "`seeded(...)`",
                  "as good as unprotected", "Withdraw the file"):
        assert words in said


def names_in(module: Path) -> set[str]:
    """What a module defines for others."""
    return {node.name for node in ast.parse(module.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")}


@cache
def mutated():
    return mutate.survey(mutate.LIBRARY, mutate.TESTS, mutate.excuses())


def test_all_privacy_code_is_mutated():
    """Two rooms, and of the methods each module that draws noise or speaks of guarantees; but for what RGNN's server
    makes of its reports. Each excuse names a mutant that there is."""
    rooms = {path for room in ("privacy", "mechanisms") for path in (mutate.LIBRARY / room).rglob("*.py")}
    drawing = {path for path in (mutate.LIBRARY / "methods").rglob("*.py")
               if re.search(r"^from \.+(mechanisms|privacy)", path.read_text(encoding="utf-8"), re.MULTILINE)}
    drawing -= {mutate.LIBRARY / "methods" / "reconstruction.py"}
    wanted = {path.relative_to(mutate.LIBRARY).as_posix() for path in rooms | drawing
              if mutate.mutants("", path.read_text(encoding="utf-8"))}
    assert len(drawing) > 10 and sorted(wanted - mutated().keys()) == []
    assert [entry for entry in mutate.TESTS if not (mutate.LIBRARY / entry).exists()] == []


def test_the_tests_of_a_mutant_speak_of_its_module():
    """One at least uses something that the module defines: a new module needs tests that can notice its mutants."""
    tests = mutate.paths(list(mutated()), mutate.TESTS, ROOT)
    silent = [module for module in mutated() if not names_in(mutate.LIBRARY / module) & words_of(tests[module])]
    assert silent == [], "list tests of these in tools/mutate.py"


def words_of(files: list[Path]) -> set[str]:
    return set(re.findall(r"\w+", " ".join(path.read_text(encoding="utf-8") for path in files)))


# Unit tests that are about no single module, and what they are about.
CROSSING = {"cli_run_curated": "`privgraph run`, saved, asked and attacked, for a curator's methods",
            "cli_run_federation": "`privgraph run` for federations",
            "cli_few_shot": "`privgraph run` for tasks",
            "cli_errors": "errors of all commands speak of what was typed",
            "cli_answers": "`privgraph run`: its sentences, its page, its options in a file, and bars",
            "bad_inputs": "what public functions of every room refuse, one table",
            "classroom_hidden": "what is asked in the box, and what a wrong helper or a busy machine costs",
            "bad_inputs_of_the_book": "the same of the book's package",
            "docstrings": "those of both packages are reStructuredText",
            "workflow": "the rights and commands of what publishes the book on a public host",
            "writing_of_the_book": "what the book's package writes is whole or not there",
            "wrong_methods": "methods that cost more than they state, and right ones that look odd",
            "wrong_methods_more": "what a second reading found of the same",
            "wrong_mechanisms_more": "what a second reading found of mechanisms",
            "wrong_mechanisms": "the same of mechanisms: with several numbers, and with several generators",
            "mutants": "mistakes of many mechanisms that the audits must catch",
            "edge_mechanisms": "the exact loss of every mechanism for edges, under every relation",
            "example_numbers": "small instances of all mechanisms and methods take NumPy's and torch's numbers",
            "expected_numbers": "what the tests of other libraries expect, asked of ours",
            "federation_faults": "each fault of book/faults.yml, in every federation, over sockets",
            "own_split": "a graph's own masks, where `keep_split` or `--own-split` says so",
            "own_weights": "a graph's own weights of edges, where `keep_weights` or `--own-weights` says so",
            "federation_trials": "honest clients beside a hostile one and silent strangers, many times over",
            "kinds_of_methods": "what models and methods of all kinds have in common, on toys",
            "messages_of_strangers": "what servers and clients of every federation do with odd bytes",
            "extremes": "accountants and mechanisms at budgets far beyond use",
            "hostile_files": "graph files of strangers, through datasets.check, npz, raw and inert",
            "mechanism_edges": "mechanisms and guarantees at the limits of what is allowed",
            "noise_mechanisms": "additive noise, the noisy arg max and GRR-FS",
            "both_ends": "both ends of many uses composed, by every way there is, beside exact truths",
            "outputs": "everything that any method lets out",
            "readme": "what the README and the pages on use show, pasted",
            "privgnn_audit": "PrivGNN end to end, a statistical audit of its noisy labels and of its mutants",
            "requirements": "requirements.txt and constraints.txt",
            "start": "which modules each command of the library loads",
            "start_of_the_book": "which modules each command of the book loads"}


def names_of_modules() -> set[str]:
    """Names that a file of unit tests may have: a module, a package, ``package_module``, all packages and the module,
    ``mechanism_contract``."""
    found = {*(path.stem for folder in ("tools", "benchmarks") for path in (ROOT / folder).glob("*.py"))}
    for module in ALL_MODULES:
        *folders, name = [part for part in module.relative_to(LIB).with_suffix("").parts if part != "__init__"]
        found |= {name, *folders, *(f"{folder}_{name}" for folder in folders), "_".join([*folders[1:], name])}
    return found | {f"{room.removesuffix('s')}_contract" for room in ROOMS}


def test_each_file_of_unit_tests_is_named_after_what_it_tests():
    files = {path.stem.removeprefix("test_") for folder in ("unit", "book")
             for path in (ROOT / "tests" / folder).glob("test_*.py")}
    assert sorted(files - names_of_modules() - CROSSING.keys()) == []
    assert sorted(CROSSING.keys() - files) == [] and not CROSSING.keys() & names_of_modules()
