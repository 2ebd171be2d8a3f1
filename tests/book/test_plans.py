"""The pages for teachers: hours, minutes and answers are as computed, and each essay has answers of all marks."""

import contextlib
import io
import math
import re
import statistics

import pytest
import torch
import yaml
from scipy import stats

import plans
from notebooks import ROOT
from privbook.classroom import assignments
from privbook.classroom.assignment import Sample
from privbook.classroom.recording import rubric
from privgraph.audit import worst_case
from privgraph.privacy import exact_epsilon, pure_pair
from sync import EXERCISE

KNOWN = assignments()
COURSES = yaml.safe_load(plans.PLANS.read_text(encoding="utf-8"))
PROJECTS = yaml.safe_load(plans.PROJECTS.read_text(encoding="utf-8"))


def page(name):
    return (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("plan", COURSES)
def test_hours_are_the_sum_of_what_pages_exercises_and_assignments_state(plan):
    table = plans.filled(f"% Plan: {plan}\n")
    total = 0
    for number, week in enumerate(COURSES[plan]["weeks"], start=1):
        texts = [(plans.CHAPTERS / f"{one}.md").read_text(encoding="utf-8") for one in week["pages"]]
        read = sum(int(re.search(r"\*\*Time:\*\* (\d+)", text)[1]) for text in texts)
        solve = sum(int(found) for text in texts for found in re.findall(r"^% Exercise: (\d+) minutes", text, re.M))
        given = KNOWN[week["assignment"]].about["minutes"] if "assignment" in week else 0
        hours = (read + solve + given) / 60
        assert re.search(rf"\| {number} \|.* {read} \+ {solve} \+ {given} \| {hours:.1f} \|", table)
        total += hours
        assert len(week["goals"]) >= 2
    assert f"| {total:.1f} |" in table.splitlines()[4 + len(COURSES[plan]["weeks"])]


def test_a_plan_has_all_that_is_read_before_an_assignment():
    """In the same week or in an earlier one."""
    for plan in COURSES.values():
        seen = set()
        for week in plan["weeks"]:
            seen |= set(week["pages"])
            if plan is COURSES["semester"]:
                needs = set(KNOWN[week["assignment"]].about["needs"])
                assert needs - seen <= {"09_adding_up"}, "whose sampling is in 02_many_releases, too"


def test_ways_through_the_book_take_what_their_pages_state():
    known, (_, _, *rows) = yaml.safe_load(plans.PATHS.read_text(encoding="utf-8")), plans.paths().splitlines()
    assert "% Paths\n" in page("how_to_read") and "% Paths" not in plans.filled(page("how_to_read"))
    assert len(rows) == len(known) == 3
    for path, row in zip(known, rows, strict=True):
        texts = [(plans.CHAPTERS / f"{one}.md").read_text(encoding="utf-8") for one in path["pages"]]
        read = sum(int(re.search(r"\*\*Time:\*\* (\d+)", text)[1]) for text in texts)
        assert f"| {read / 60:.1f} hours |" in row and len(set(path["pages"])) == len(path["pages"])
        assert (ROOT / "book" / f"{path['then']}.md").exists()


def test_a_page_of_a_path_comes_after_what_it_needs():
    """What a page says one needs stands before it on each path that a beginner takes."""
    student = yaml.safe_load(plans.PATHS.read_text(encoding="utf-8"))[1]["pages"]
    for place, one in enumerate(student):
        text = (plans.CHAPTERS / f"{one}.md").read_text(encoding="utf-8")
        needs = re.search(r"\*\*You need\*\*(.*?)\*\*Time", text, re.DOTALL)
        asked = set(re.findall(r"(\d\d_\w+)", needs[1])) if needs else set()
        assert asked & set(student) <= set(student[:place]), (one, asked)


def test_every_plan_and_the_projects_stand_on_their_pages():
    assert set(plans.PLAN.findall(page("course"))) == set(COURSES) and "% Projects\n" in page("projects")
    assert "% Plan" not in plans.filled(page("course")) and "% Projects" not in plans.filled(page("projects"))


def test_twelve_projects_say_what_they_take():
    assert len(PROJECTS) == 12
    shown = plans.filled(page("projects"))
    for number, one in enumerate(PROJECTS, start=1):
        minutes = plans.processor(one)
        assert minutes % 5 == 0 and 5 <= minutes <= 60 and one["hours"] <= 45, "feasible"
        assert f"**{number}. {one['title']}**" in shown and f"{minutes} minutes of the processor" in shown
        assert (plans.CHAPTERS / f"{one['needs']}.md").exists() and "hours" in one
        assert ("ledger" in one) != ("counted" in one)


def test_the_minutes_of_a_project_are_its_runs_times_what_one_took():
    known = plans.rows_of(plans.experiments()["lpgnn"])
    each = {(row["seed"], str({**row, "metric": 0, "value": 0})): row["seconds"] for row in known
            if row["dataset"] == "cora-twin"}
    middle = statistics.median(each.values())
    for runs in (10, 1000):
        found = plans.processor({"runs": runs, "ledger": ["lpgnn", "cora-twin"]})
        assert found == max(5, math.ceil(runs * middle / 60 / 5) * 5)


def test_the_worked_example_prints_what_the_page_shows():
    code, shown = (re.search(rf"```{kind}\n(.*?)```", page("projects"), re.DOTALL)[1] for kind in ("python", "text"))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "worked example", "exec"), {"__name__": "example"})
    assert printed.getvalue() == shown
    points = [int(found) for found in re.findall(r"^\| (\d) \| \*", page("projects"), re.MULTILINE)]
    earned = [int(found) for found in re.search(r"\*\*Points\.\*\* ([\d +]+) = 19", page("projects"))[1].split(" + ")]
    assert sum(points) == 20 and sum(earned) == 19 and all(a <= b for a, b in zip(earned, points, strict=True))


def test_the_answers_of_the_self_test():
    text = page("self_test")
    a, x = torch.tensor([[0, 1], [2, 0]]), torch.tensor([3, 5])
    product = torch.zeros(5, 3) @ torch.zeros(3, 2) + torch.zeros(2)
    runs = [80, 81, 79, 82, 78]
    half = stats.t.ppf(0.975, 4) * statistics.stdev(runs) / math.sqrt(5)
    answers = {
        1: f"`{[x ** 2 for x in range(5) if x % 2]}`", 2: f"`{tuple(product.shape)}`",
        3: f'`"{max({"a": 3, "b": 7}.items(), key=lambda item: item[1])[0]}"`',
        4: f"$A x = {tuple((a @ x).tolist())}^\\top$. The second is $A^2 x = {tuple((a @ a @ x).tolist())}^\\top$",
        6: f"= {sum(abs(p - q) for p, q in zip((0.7, 0.2, 0.1), (0.1, 0.2, 0.7), strict=True)):.1f}$",
        7: "$1/2$", 8: f"$0.009 / (0.009 + 0.099) = 1/{(0.009 + 0.099) / 0.009:.0f}$", 9: "0.2$",
        10: f"{math.exp(0.1):.3f}$ is larger", 11: f"80 \\pm {half:.1f}$", 12: f"{math.log(2):.2f}$"}
    for number, right in answers.items():
        found = re.findall(rf"^{number}\. (.*)$", text, re.MULTILINE)
        assert len(found) == 2 and right in found[1], (number, right)
    assert statistics.mean((1, 1, 1, -1)) == 0.5 and statistics.pvariance((1, 1, 1, -1)) == 0.75
    assert f"{stats.t.ppf(0.975, 4):.3f}" in text and len(re.findall(r"^\d+\. ", text, re.MULTILINE)) == 24


@pytest.mark.parametrize("assignment", KNOWN.values(), ids=lambda assignment: assignment.name)
def test_each_essay_has_an_answer_for_each_mark(assignment):
    """Whose points are those of the lines that it meets; one that lacks something says what."""
    for name, lines in assignment.rubric.items():
        samples = assignment.samples[name]
        assert sorted(samples) == list(range(1, assignment.points[name] + 1)) and len(samples) == len(lines)
        for points, sample in samples.items():
            assert len(set(sample.lines)) == len(sample.lines) == points and 50 <= len(sample.text.split()) <= 120
            assert bool(sample.lacks) == (points < assignment.points[name]) and ">" not in sample.text
        assert all(sample.text in rubric(assignment) and sample.lacks in rubric(assignment)
                   for sample in samples.values())


def test_an_essay_of_other_points_is_not_overlooked(tmp_path):
    copy = type(KNOWN["12-prototypes"])(tmp_path / "12-prototypes")
    copy.folder.mkdir()
    for name in ("assignment.md", "judge.py"):
        (copy.folder / name).write_bytes((KNOWN["12-prototypes"].folder / name).read_bytes())
    assert copy.samples == {"careful": {}} and "2C/K" in rubric(copy), "a teacher's own assignment may have none"
    (copy.folder / "samples.md").write_text("## careful: 1, 4\n\nA text.\n\n> It lacks much.\n")
    assert copy.samples["careful"] == {2: Sample((1, 4), "A text.", "It lacks much.")}


def test_oral_questions_speak_of_each_part_and_have_answers():
    text = (ROOT / "course" / "oral.md").read_text(encoding="utf-8")
    questions = re.findall(r"^\d+\. (.*)$", text, re.MULTILINE)
    assert len(questions) >= 25 and text.count("\n## ") >= 5
    assert sum(one.endswith(")") for one in questions) >= len(questions) - 3


class Best:
    """The best of several reports of one bit, 1 being better: how many is fixed, or geometric with a chance to stop."""

    def __init__(self, one, count=None, stop=None):
        self.one, self.count, self.stop = one, count, stop

    def distribution(self, truth):
        bad = 1 - self.one.distribution(truth)[1]
        none = bad ** self.count if self.count else self.stop * bad / (1 - (1 - self.stop) * bad)
        return {0: none, 1: 1 - none}


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_what_it_costs_to_choose_the_best_of_private_results(epsilon):
    """02_many_releases: a fixed number attains its multiple; a geometric one stays below three (here below two)."""
    from privgraph.mechanisms import RandomisedResponse
    report = RandomisedResponse(epsilon, 2)
    for count in (1, 2, 10):
        assert worst_case(Best(report, count), (0, 1)).epsilon == pytest.approx(count * epsilon, rel=1e-6, abs=0)
    losses = [worst_case(Best(report, stop=stop), (0, 1)).epsilon for stop in (0.9, 0.1, 1e-3, 1e-6)]
    assert losses == sorted(losses) and epsilon < losses[-1] <= 2 * epsilon


@pytest.mark.parametrize("epsilon", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("count", [5, 100, 2000])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
def test_the_rule_of_thumb_is_an_upper_bound(epsilon, count, delta):
    rule = count * epsilon**2 / 2 + epsilon * math.sqrt(2 * count * math.log(1 / delta))
    assert exact_epsilon(pure_pair(epsilon), count, delta) <= rule


def test_exercises_of_every_page_of_a_plan_state_minutes():
    for plan in COURSES.values():
        for week in plan["weeks"]:
            for one in week["pages"]:
                found = EXERCISE.findall((plans.CHAPTERS / f"{one}.md").read_text(encoding="utf-8"))
                assert found and all(minutes for _, minutes, *_ in found)
