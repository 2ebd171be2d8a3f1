"""Each parameter of a page is found, changed alone, and what comes of it is told apart."""

import pytest

import vary

PAGE = """# A page

```{code-cell} ipython3
import math
epsilon, n = 1.0, 5
rate = 0.25
EPS
```

```{code-cell} ipython3
:tags: [hide-input]
width = 1.5
```

```{code-cell} ipython3
print(math.isclose(rate, rate, rel_tol=1e-9), dict(scale=3.0, count=4))
assert rate == 0.25
```

```{code-cell} ipython3
:tags: [parameters]
people = 6
```
"""


@pytest.fixture
def page(tmp_path):
    def written(line: str = ""):
        path = tmp_path / "01_toy.md"
        path.write_text(PAGE.replace("EPS", line))
        return path
    return written


def test_parameters_are_the_numbers_with_a_fraction_that_one_sees(page):
    found = vary.variants(page("delta = 0.5"))
    assert [(each.name, each.value) for each in found[::2]] == [
        ("epsilon", 1.0), ("rate", 0.25), ("delta", 0.5), ("scale", 3.0), ("people", 6)]
    assert {each.factor for each in found} == {0.5, 2.0} and str(found[3]) == "01_toy: rate = 0.25 -> 0.5"
    assert str(found[-2]) == "01_toy: people = 6 -> 3" and type(found[-2].changed) is int


@pytest.mark.parametrize("line, answer", [
    ("def check(): assert rate == 0.25, 'a quarter'\ncheck()", "it asserts"), ("assert rate == 0.25", "it runs"),
    ("exec('assert rate == 0.25')", "an assertion fails and says nothing"),
    ("if rate != 0.25: raise ValueError('rate is no quarter')", "it refuses"),
    ("if rate != 0.25: raise ValueError('no')", "ValueError: no"), ("1 / (rate - 0.5)", "ZeroDivisionError: "),
    ("if rate != 0.25: import os; os.kill(os.getpid(), 9)", "it was ended: SIGKILL"), ("", "it runs")])
def test_what_comes_of_a_change(page, line, answer):
    path = page(line)
    double = vary.variants(path)[3]
    found = vary.try_all([(path, double), (path, None)], jobs=2)
    assert found[path, double].startswith(answer) and found[path, None] == "it runs"


def test_one_parameter_is_changed_and_nothing_else(page):
    path = page("def check(): assert rate == 0.125, 'an eighth'\ncheck()")
    one, two, half, *others = vary.variants(path)
    found = vary.try_all([(path, each) for each in (one, two, half, *others)], jobs=1)
    assert found.pop((path, half)) == "it runs" and set(found.values()) == {"it asserts"}


def test_a_lot_is_one_change_of_each_page_that_changed_and_of_a_few_others(tmp_path):
    found = {tmp_path / f"{n:02}_toy.md": [vary.Variant(f"{n:02}_toy", k, "x", 1.0, 2.0) for k in range(5)]
             for n in range(30)} | {tmp_path / "nothing.md": []}
    touched = {"chapters/04_toy.md", "chapters/nothing.md", "lib/a.py"}
    pages = [path.stem for path, _ in vary.drawn(found, touched, "one")]
    assert pages[0] == "04_toy" and len(set(pages)) == len(pages) == 1 + vary.OTHERS
    lots = [vary.drawn(found, touched, state) for state in ("one", "one", "two")]
    assert lots[0] == lots[1] != lots[2]


def test_every_page_that_teaches_a_budget_is_tried():
    tried = {path.stem for path in (vary.ROOT / "chapters").glob("*.md") if vary.variants(path)}
    assert tried >= {"02_differential_privacy", "06_lpgnn", "07_reconstruction", "08_graphprivatizer", "09_privgnn"}
