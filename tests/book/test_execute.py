"""What `make book` and `make test` print of the chapters: one line for each, with its seconds, and no warnings."""

import pytest
from jupyter_cache import get_cache

import execute

CHAPTER = """---
kernelspec:
  name: python3
---
# A chapter

```{{code-cell}} ipython3
{code}
```
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A book with one chapter of one cell: ``run(code)`` executes what is not in its cache."""
    monkeypatch.setattr(execute, "BUILD", tmp_path)
    monkeypatch.setattr(execute, "EXECUTED", tmp_path / "executed")
    cache, chapter = get_cache(tmp_path / "cache"), tmp_path / "01_toy.md"

    def run(code: str) -> list[str]:
        chapter.write_text(CHAPTER.format(code=code), encoding="utf-8")
        done, failures = execute.execute(cache, [chapter], 60)
        if not failures:
            execute.collect(cache, [chapter], done)
        return failures
    return run


@pytest.mark.slow
def test_a_chapter_takes_one_line_of_the_log(toy, capfd):
    for remark in ("", " (from the cache)"):
        assert toy("print(1 + 1)") == []
        printed = "".join(capfd.readouterr()).splitlines()
        assert len(printed) == 1 and printed[0].endswith(f" s  01_toy{remark}"), printed


@pytest.mark.slow
def test_a_chapter_that_fails_is_named_with_its_traceback(toy, capfd):
    assert toy("1 / 0") == ["01_toy.md did not run through: its traceback is above"]
    assert "ZeroDivisionError" in "".join(capfd.readouterr())


def test_pages_that_read_the_ledger_are_run_again_when_it_grows():
    """All of chapter 15, though four of its pages show a paper's tables by one call; and none without any."""
    found = {path.stem: bool(execute.READS_LEDGER.search(path.read_text(encoding="utf-8")))
             for path in (execute.ROOT / "chapters").glob("*.md")}
    assert all(reads for name, reads in found.items() if name.startswith("15_"))
    assert found["06_lpgnn"] is False is found["02_noise_on_a_computer"] and found["06_null_control"]
