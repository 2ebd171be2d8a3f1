"""The pool of questions: its numbers beside formulas of their own, and what stays secret."""

import math
import random
import re
from collections import Counter
from itertools import product

import pytest
import torch
from scipy import stats
from torch_geometric.data import Data

from notebooks import CHAPTERS
from privbook.classroom import exam
from privbook.cli import main as privbook
from privgraph.audit import delta_curve, worst_case
from privgraph.mechanisms import GRRFS, MultiBit, NeighbourReplacement, NoisyArgMax, RandomisedResponse
from privgraph.privacy import pure_pair
from privgraph.teach.checkers import Tables

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


class Coded:
    """Two reports of one answer by one mechanism; or one report that two flips of an edge are joined to."""

    def __init__(self, one, join=lambda a, b: (a, b)):
        self.one, self.join = one, join

    def distribution(self, truth):
        found = Counter()
        for (a, p), (b, q) in product(self.one.distribution(truth).items(), repeat=2):
            found[self.join(a, b)] += p * q
        return found


def loss(mechanism, *inputs):
    return worst_case(mechanism, inputs).epsilon


def tables(*rows):
    return Tables(*(dict(enumerate(row)) for row in rows))


def test_what_the_other_keys_say_was_computed():
    """Numbers that are typed, in the order of the questions."""
    key = {name: " ".join(said for _, said in question.key) for name, question in POOL.items()}
    told = tables((0.50, 0.49, 0.01), (0.51, 0.49, 0.0))
    assert delta_curve(told, (0, 1), [0.02])[0] == pytest.approx(0.01) and loss(told, 0, 1) == math.inf
    assert "0.01 is the maximum" in key["average-deniable"]
    p, q = (0.5, 0.3, 0.2), (0.25, 0.3, 0.45)
    assert loss(tables(p, q), 0, 1) == pytest.approx(ln(2.25)) and 2.25 / 3.25 == pytest.approx(9 / 13)
    for one, other, said in ((p, q, "(0.7, 0.3, 0)"), (q, p, "(0.05, 0.3, 0.65)")):
        made = [(9 * a - 4 * b) / 5 for a, b in zip(one, other, strict=True)]
        assert "({:g}, {:g}, {:g})".format(*(round(part, 9) for part in made)) == said and said in key["coin-worst"]
    each = RandomisedResponse(1.0, 2)
    either = loss(Coded(each, lambda a, b: a or b), 0, 1)
    assert either == pytest.approx(2.0) and "2\\varepsilon" in key["symmetrised-or"]
    agreed = each.keep**2 / (each.keep**2 + each.flip**2)
    assert agreed == pytest.approx(e(2) / (1 + e(2))) and "e^{2\\varepsilon}" in key["silent-canaries"]
    assert 1 - each.keep**2 - each.flip**2 == pytest.approx(2 * each.keep * each.flip)
    for s in (0.1, 1.0, 7.0):  # the certificate: e^epsilon is 1 + s
        assert loss(Coded(RandomisedResponse(ln(1 + s), 3)), 0, 1) == pytest.approx(2 * ln(1 + s))
        assert (1 + s) ** 4 - 1 == pytest.approx(4 * s + 6 * s**2 + 4 * s**3 + s**4)
    assert f"{(e(8) / (1 + e(8))) ** 1000:.3f}" == "0.715" and "0.715" in key["clean-audit"]


def test_what_the_keys_on_methods_say_was_computed():
    key = {name: " ".join(said for _, said in question.key) for name, question in POOL.items()}
    whole = MultiBit(4.0, 4, sampled=4)  # four bits with the whole of a budget of 1
    assert loss(whole, (0.0,) * 4, (1.0,) * 4) == pytest.approx(4.0) and "$4\\varepsilon$" in key["broken-multibit"]
    report = GRRFS(ln(3), (2,) * 4, 2)
    zeros, ones, last = report.distribution((0,) * 4), report.distribution((1,) * 4), report.distribution((0, 0, 0, 1))
    assert zeros[0, 0, 0, 0] / ones[0, 0, 0, 0] == pytest.approx(9) == e(loss(report, (0,) * 4, (1,) * 4))
    assert zeros[1, 1, 1, 0] / last[1, 1, 1, 0] == pytest.approx(2) == e(loss(report, (0,) * 4, (0, 0, 0, 1)))
    assert report.guarantee.claimed == pytest.approx(ln(5)) and "ln 5" in key["hidden-choice"]
    for keep, said in ((0.6, "0.75$, then 0.25 and 0"), (0.4, "2, 0 and −1")):
        flip = (1 - keep) / 2
        made = [round((part / 10 - flip) / (keep - flip), 9) + 0.0 for part in (5, 3, 2)]
        assert [f"{one:g}" for one in made] == re.findall(r"[-\d.]+", said.replace("−", "-"))
        assert said in key["vote-argmax"]
    assert RandomisedResponse(ln(3), 3).keep == pytest.approx(0.6)
    assert reported((0, 1), (1, 2), (2, 3)) == {1: 2 / 3, 2: 1 / 3}
    assert reported((0, 2), (1, 2), (2, 3)) == {2: 1 / 2, 1: 1 / 4, 3: 1 / 4}
    assert "1 with 2/3, 2 with 1/3; list {2}: 2 with 1/2, 1 and 3 with 1/4 each" in key["candidate-sets"]
    assert f"{pure_pair(3.2).poisson(0.1).epsilon:.2f}" == "1.21" and 8 * 0.4 == 3.2 and "1.21" in key["equal-lambda"]
    assert f"{100 * NoisyArgMax(1 / 0.4, 10, noise='gumbel').win:.1f}$ %" == "14.2$ %" in key["too-good-student"]
    sets = math.comb(160, 4)
    assert (round(sets / 1e6), math.ceil(math.log2(sets)), math.comb(160, 2)) == (26, 25, 12720)
    assert all(said in key["four-letters"] for said in ("26$ million", "25 bits", "12,720", "512"))


def reported(*edges):
    """How person 0, who has one neighbour, reports it at e^epsilon = 2 without a threshold."""
    both = torch.tensor([*edges, *(edge[::-1] for edge in edges)]).t()
    data = Data(x=torch.ones(4, 2), edge_index=both, num_nodes=4)
    mechanism = NeighbourReplacement(ln(2), mix=0.0, threshold=-1.0)
    slot = int((both[1] == 0).nonzero()[0, 0])
    return {name: pytest.approx(p) for name, p in mechanism.slot_distribution(mechanism.slots(data), slot).items()}


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
