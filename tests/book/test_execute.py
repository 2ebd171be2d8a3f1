"""Pages are run once, as tests; what `make book` prints of them; and what makes one run again."""

import json

import pytest
from jupyter_cache import get_cache

import execute
from warm_python import kernels

CHAPTER = """---
kernelspec:
  name: python3
---
# A chapter

```{{code-cell}} ipython3
{code}
```
"""
READS = f"""
from privgraph.datasets import at_hand
at_hand("cora"), open("{execute.ROOT}/results/published/index.csv").close()
"""


class Toy:
    """A book with one chapter of one cell."""

    def __init__(self, folder):
        self.cache, self.page = get_cache(folder / "cache"), folder / "01_toy.md"

    def run(self, code: str) -> list[str]:
        self.page.write_text(CHAPTER.format(code=code), encoding="utf-8")
        failed = execute.execute(self.cache, [self.page])
        if not failed:
            execute.collect(self.cache, [self.page])
        return failed

    def fresh(self) -> bool:
        execute.content.cache_clear(), execute.shared.cache_clear()
        return execute.fresh(self.cache, self.page)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "BUILD", tmp_path)
    monkeypatch.setattr(execute, "WARM", kernels(PACKAGES=()))  # nothing here needs them
    for name in ("PRIVGRAPH_DATA", "PRIVGRAPH_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
        (tmp_path / name).mkdir()
    yield Toy(tmp_path)
    execute.content.cache_clear(), execute.shared.cache_clear()


def printed(capfd) -> list[str]:
    return [line.strip() for line in "".join(capfd.readouterr()).splitlines() if line.strip()]


@pytest.mark.slow
def test_a_chapter_takes_one_line_of_the_log_and_runs_once_until_it_changes(toy, tmp_path, capfd):
    """Its code, or a tag of a cell; one that fails is named with its traceback."""
    assert toy.run("print(1 + 1)") == []
    line, total = printed(capfd)
    assert line.endswith(" s  01_toy") and total.endswith(" for 1 pages")
    executed = json.loads((tmp_path / "executed" / "01_toy.ipynb").read_text())
    cell, = (cell for cell in executed["cells"] if cell["cell_type"] == "code")
    assert cell["outputs"][0]["text"] == ["2\n"] and cell["execution_count"] == 1
    assert toy.run("print(1 + 1)") == [] and printed(capfd) == [total] and toy.fresh()
    toy.page.write_text(toy.page.read_text().replace("ipython3\n", "ipython3\n:tags: [hide-input]\n\n"))
    assert not toy.fresh()
    assert toy.run("1 / 0") == ["01_toy"] and "ZeroDivisionError" in "".join(capfd.readouterr())


@pytest.mark.slow
def test_a_page_is_run_again_when_what_it_read_has_changed_and_only_then(toy, tmp_path, monkeypatch):
    assert toy.run(READS) == [] and toy.fresh()
    content = execute.content

    def edited(name):
        return lambda path: content(path) + ("edited" if str(path).endswith(name) else "")

    for name, fresh in (("results/published/rgnn.csv", True), ("results/published/index.csv", False),
                        ("lib/privbook/claims.py", False), ("requirements.txt", False)):
        with monkeypatch.context() as patch:
            execute.shared.cache_clear()
            patch.setattr(execute, "content", edited(name))
            assert execute.fresh(toy.cache, toy.page) is fresh, name
    for name, fresh in (("citeseer", True), ("cora", False)):
        (tmp_path / "PRIVGRAPH_DATA" / f"{name}.npz").write_text("a graph")
        assert toy.fresh() is fresh, name


@pytest.mark.slow
def test_a_page_that_starts_processes_depends_on_everything(toy, tmp_path):
    assert toy.run("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'list(range(10**6))']);") == []
    assert toy.fresh()
    (tmp_path / "PRIVGRAPH_DATA" / "citeseer.npz").write_text("a graph")
    assert not toy.fresh()
