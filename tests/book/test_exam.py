"""The pool of questions: its numbers beside formulas of their own, and what stays secret."""

import math
import random
from collections import Counter
from itertools import product

import pytest
from scipy import stats

from notebooks import CHAPTERS
from privbook.classroom import exam
from privbook.cli import main as privbook

POOL = exam.pool()
DRAWN = [name for name, question in POOL.items() if question.drawn]
e, ln = math.exp, math.log


def sampled(epsilon, rate):
    return ln(1 + rate * (e(epsilon) - 1))


def hours(v):
    given = [int(one) for one in v["hours"].split(", ")]
    return {"total": given[0] + given[1] + given[3], "mean": (given[0] + given[1] + given[3]) / 3,
            "symmetric": given[2] / math.sqrt(6) + given[4] / math.sqrt(2)}


def auc(v):
    edges, others = ([int(one) for one in v[part].split(", ")] for part in ("edges", "others"))
    return {"auc": sum((a > b) + (a == b) / 2 for a, b in product(edges, others)) / 16,
            "ties": sum(a == b for a, b in product(edges, others))}


def rates(v):
    pairs = v["people"] * (v["people"] - 1) / 2
    edges = v["people"] * v["degree"] / 2
    hits, alarms = edges * v["found"] / 100, (pairs - edges) * v["false"] / 100
    return {"edges": edges, "others": pairs - edges, "precision": 100 * hits / (hits + alarms)}


def canaries(v):
    c = 0.05 ** (1 / v["planted"])
    ceiling = e(v["claim"]) / (1 + e(v["claim"]))
    return {"share": c, "bound": ln(c / (1 - c)), "needed": math.floor(ln(0.05) / ln(ceiling)) + 1}


def table(v):
    first, second = ([float(one) for one in v[row].split(", ")] for row in ("first", "second"))
    losses = {name: abs(ln(p / q)) for name, p, q in zip("abc", first, second, strict=True)}
    most = max(losses.values())
    return {"epsilon": most, "output": ", ".join(name for name in "abc" if math.isclose(losses[name], most))}


def game(v):
    c = e(v["claim"]) / (1 + e(v["claim"]))
    return {"allowed": c, "p": c ** v["guesses"],
            "p_less": c ** v["guesses"] + v["guesses"] * c ** (v["guesses"] - 1) * (1 - c)}


def bit(v):
    lean = (e(v["epsilon"]) + 1) / (e(v["epsilon"]) - 1)
    worth = {"plus": e(v["epsilon"]) / (e(v["epsilon"]) + 1), "high": 0.5 + v["d"] / 2 * lean}
    return worth | {"low": 0.5 - v["d"] / 2 * lean, "variance": v["d"] / 4 * lean**2 - 0.25}


def break_even(v):
    n, d, keep = v["people"], v["degree"], e(4) / (1 + e(4))
    star = ln((n - 1 - d) / d)
    return {"star": star, "nine": ln(9 * (n - 1 - d) / d), "recall": 100 * keep,
            "precision": 100 * d * keep / (d * keep + (n - 1 - d) * (1 - keep))}


def gaussian(v):
    """The deviation of the table by the condition itself, at one side and the other of it."""
    def delta(sigma):
        return stats.norm.cdf(1 / (2 * sigma) - sigma) - e(1) * stats.norm.cdf(-1 / (2 * sigma) - sigma)
    assert delta(v["one"] * 1.0001) < 1e-5 < delta(v["one"] * 0.9999)
    step = 2 * v["clip"] / v["shots"]
    return {"step": step, "noise": v["one"] * step * math.sqrt(v["releases"]),
            "ten": v["one"] * 2 * v["clip"] / (10 * v["shots"]) * math.sqrt(v["releases"])}


def rest(v):
    answer = [float(one) for one in v["answer"].strip("()").split(", ")]
    found = (round(v["clients"] * a - own) for a, own in zip(answer, v["own"], strict=True))
    return {"rest": "({}, {})".format(*found), "others": v["clients"] - 1}


OTHERWISE = {
    "hours-by-hand": hours, "auc-by-hand": auc, "base-rate": rates, "canary-bound": canaries, "witness-table": table,
    "game-p-value": game, "multibit-bit": bit, "break-even-budget": break_even, "prototype-noise": gaussian,
    "sum-of-others": rest,
    "rr-chance": lambda v: {"keep": e(v["epsilon"]) / (e(v["epsilon"]) + v["k"] - 1),
                            "flip": 1 / (e(v["epsilon"]) + v["k"] - 1), "found": v["epsilon"]},
    "rr-estimate": lambda v: {"keep": v["odds"] / (v["odds"] + 1),
                              "share": (v["yes"] / v["people"] * (v["odds"] + 1) - 1) / (v["odds"] - 1),
                              "error": math.sqrt(v["odds"] / v["people"]) / (v["odds"] - 1)},
    "histogram-noise": lambda v: {"joins": 1 / v["epsilon"], "moves": 2 / v["epsilon"]},
    "posterior-odds": lambda v: {"most": 100 / (1 + (100 / v["percent"] - 1) / e(v["epsilon"])),
                                 "guess": 100 / (1 + e(-v["epsilon"]))},
    "die-table": lambda v: {"ratio": 1 + v["k"] / (v["of"] - 1), "loss": ln(1 + v["k"] / (v["of"] - 1)),
                            "right": (1 + (v["of"] - 1) / v["k"]) / v["of"]},
    "many-thumb": lambda v: {"basic": v["count"] * v["epsilon"],
                             "thumb": v["count"] * v["epsilon"] ** 2 / 2 + v["epsilon"] * math.sqrt(
                                 2 * v["count"] * v["digits"] * ln(10))},
    "one-sample": lambda v: {"fresh": sampled(v["epsilon"], v["rate"]), "once": sampled(v["total"], v["rate"]),
                             "fresh_all": v["count"] * sampled(v["epsilon"], v["rate"])},
    "slot-edge-node": lambda v: {"edge": 2 * v["epsilon"], "node": 2 * v["degree"] * v["epsilon"],
                                 "swap": 2 * v["epsilon"]},
    "group-delta": lambda v: {"total": v["steps"] * v["epsilon"],
                              "times": (e(v["steps"] * v["epsilon"]) - 1) / (e(v["epsilon"]) - 1)},
    "membership-rate": lambda v: {"most": min(e(v["epsilon"]) * v["percent"] + 1e-3, 100 - e(-v["epsilon"]) * (
        100 - v["percent"] - 1e-3)), "strong": 100 - e(-8) * (100 - v["percent"] - 1e-3)},
    "grrfs-budget": lambda v: {"true": v["m"] * v["epsilon"], "feature": sampled(v["epsilon"], v["m"] / v["d"]),
                               "claimed": sampled(v["m"] * v["epsilon"], v["m"] / v["d"])},
    "gumbel-label": lambda v: {"win": 100 * e(v["scale"]) / (e(v["scale"]) + v["classes"] - 1), "loss": v["scale"],
                               "half": ln(v["classes"] - 1), "guess": 100 / v["classes"]},
}


def test_sixty_questions_of_three_kinds_and_a_third_with_numbers():
    assert Counter(question.level for question in POOL.values()) == {1: 20, 2: 20, 3: 20} and len(DRAWN) >= 20
    texts = "".join(path.read_text(encoding="utf-8") for path in exam.FOLDER.glob("*.md"))
    assert texts.count("\n## ") == len(POOL), "what is not read has another form"
    assert all((CHAPTERS / f"{question.chapter}.md").exists() for question in POOL.values())
    functions = {name.replace("_", "-") for name, one in vars(exam.drawing()).items()
                 if getattr(one, "__module__", "") == "exam_drawn" and callable(one)}
    assert functions - set(POOL) == {"Two"}, "a function that no question has"


@pytest.mark.parametrize("name", DRAWN)
def test_the_library_computes_what_a_formula_says(name):
    """Twenty draws of each question; half a unit of what is printed would be seen."""
    for number in range(20):
        values = POOL[name].values("secret", str(number))
        for part, right in OTHERWISE[name](values).items():
            same = values[part] == right if isinstance(right, str) else math.isclose(values[part], right, rel_tol=2e-6)
            assert same, (part, values, right)


@pytest.mark.parametrize("name", DRAWN)
def test_each_number_of_a_question_is_drawn_and_shown(name):
    question = POOL[name]
    said = [question.text, *(said for _, said in question.key)]
    named = {found[1] for text in said for found in exam.NUMBER.finditer(text)}
    assert named <= set(question.values("secret", "a")), "filled would raise"
    given = {found[1] for found in exam.NUMBER.finditer(question.text)}
    assert given and named - given, "something is given, and something else is asked"


def test_numbers_hang_on_the_key_and_on_the_exam_and_on_nothing_else():
    def all_of(secret, name):
        return [question.values(secret, name) for question in POOL.values() if question.drawn]
    random.seed(1)
    first = all_of("one", "spring")
    random.seed(2)
    assert all_of("one", "spring") == first
    for other in (all_of("two", "spring"), all_of("one", "autumn")):
        assert sum(map(dict.__eq__, first, other)) <= len(first) / 3


def test_students_get_no_key(tmp_path, capsys):
    """Of no question; and the command writes both papers for the teacher alone."""
    assert privbook(["classroom", "exam", *POOL, "--to", str(tmp_path), "--name", "spring"]) == 0
    paper, key = (tmp_path / "exams" / name for name in ("spring.md", "spring-key.md"))
    asked, answered = paper.read_text(encoding="utf-8"), key.read_text(encoding="utf-8")
    secret = exam.course_key(tmp_path)
    for question in POOL.values():
        lines = [exam.filled(said, question.values(secret, "spring")) for _, said in question.key]
        assert not any(line in asked for line in lines) and all(line in answered for line in lines)
        assert exam.filled(question.text, question.values(secret, "spring")) in asked
    assert secret not in asked + answered + capsys.readouterr().out
    assert {path.stat().st_mode & 0o777 for path in (paper, key, tmp_path / "key")} == {0o600}


def test_the_list_names_all_questions(capsys):
    assert privbook(["classroom", "exam"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in POOL) and printed.count("own numbers") == len(DRAWN)


def test_an_unknown_question_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no question is named nobody"):
        exam.write_exam(tmp_path, ["rr-chance", "nobody"], "spring")
    with pytest.raises(ValueError, match="exam"):
        exam.write_exam(tmp_path, ["rr-chance"], "../spring")
    assert not (tmp_path / "exams").exists()
