"""Which tests `make check` runs: those that look at what changed."""

import subprocess

import pytest

import changed

TREE = {
    "lib/privgraph/mechanisms/coins.py": "class Coins:\n    pass\n\n\ndef toss():\n    pass\n",
    "lib/privgraph/mechanisms/other.py": "class Other:\n    pass\n\n\ndef toss_all():\n    pass\n",
    "tools/helper.py": "def helped():\n    pass\n",
    "tests/unit/test_speaks.py": "def test_a():\n    assert M.Coins()\n",
    "tests/unit/test_imports.py": "from privgraph.mechanisms import toss\n",
    "tests/unit/test_module.py": "import privgraph.mechanisms.coins\n",
    "tests/unit/test_other.py": "from privgraph.mechanisms import toss_all\n",
    "tests/unit/test_namesake.py": "from privgraph.methods import toss\n",
    "tests/unit/test_tool.py": "import helper\n",
    "tests/unit/test_outputs.py": "from privgraph.mechanisms import Coins\n",
    "tests/test_lists.py": "",
    "tests/unit/conftest.py": "from privgraph.mechanisms import Coins\n",
}


@pytest.fixture
def tree(tmp_path):
    def git(*words):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)
    for name, source in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    git("init", "-qb", "main"), git("add", "-A")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all")
    git("checkout", "-qb", "work")
    return tmp_path


def whole(tree):
    plugin = changed.Changed(tree)
    return {path.stem for path in tree.rglob("tests/**/*.py") if plugin.whole(path)}


def touch(tree, name):
    with open(tree / name, "a") as file:
        file.write("# touched\n")


@pytest.mark.parametrize("name, looking", [
    ("lib/privgraph/mechanisms/coins.py", {"test_speaks", "test_imports", "test_module"}),
    ("lib/privgraph/mechanisms/other.py", {"test_other"}), ("tools/helper.py", {"test_tool"}),
    ("tests/unit/test_namesake.py", {"test_namesake"}), ("results/new.csv", set())])
def test_files_that_look_at_what_changed_are_run(tree, name, looking):
    assert whole(tree) == {"test_lists"}
    (tree / name).parent.mkdir(exist_ok=True)
    touch(tree, name)
    assert changed.changed_files(tree) == {name} and whole(tree) == {"test_lists", *looking}


def test_what_was_committed_since_main_counts_too(tree):
    touch(tree, "tools/helper.py")
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "more"], cwd=tree, check=True)
    assert changed.changed_files(tree) == {"tools/helper.py"}


def test_of_those_that_find_by_themselves_only_what_speaks_of_it_is_run(tree):
    """A contract tries every mechanism; a file of which nothing is asked for is not even read."""
    assert changed.Changed(tree).pytest_ignore_collect(tree / "tests/unit/test_outputs.py")
    touch(tree, "lib/privgraph/mechanisms/coins.py")
    plugin, file = changed.Changed(tree), tree / "tests/unit/test_outputs.py"
    assert plugin.pytest_ignore_collect(file) is None and not plugin.whole(file)
    assert plugin.pytest_ignore_collect(tree / "tests/unit/test_other.py")
    items = [Item(file, "test_it[Coins(0.5)]"), Item(file, "test_it[Other(1)]"),
             Item(tree / "tests/unit/test_speaks.py", "test_a")]
    left_out = []
    plugin.pytest_collection_modifyitems(Config(left_out), items)
    assert [item.name for item in items] == ["test_it[Coins(0.5)]", "test_a"]
    assert [item.name for item in left_out] == ["test_it[Other(1)]"]


class Item:
    def __init__(self, path, name):
        self.path, self.name = path, name


class Config:
    def __init__(self, left_out):
        self.hook, self.left_out = self, left_out

    def pytest_deselected(self, items):
        self.left_out += items


def test_the_files_that_find_are_there():
    assert [name for name in (*changed.FIND, *changed.ALWAYS) if not (changed.ROOT / name).is_file()] == []


def test_without_main_nothing_changed(tmp_path):
    assert changed.changed_files(tmp_path) == set()
