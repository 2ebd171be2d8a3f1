"""Figures that answer, in a real browser: their scripts find the library's numbers, by hand and by keyboard."""

import functools
import json
import re
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from test_axe import serious
from test_browser import errors
from test_layout import PHONE, SCROLLS, WIDE, resize

import figure_cases
from privbook import show
from privbook.papers.side_by_side.terms import BUDGETS
from privbook.show.choosing import SECRET, graphs_of
from privgraph.cli import main
from privgraph.methods.federated import procrustes

pytestmark = pytest.mark.browser

CASES = json.loads(figure_cases.TABLE.read_text(encoding="utf-8"))
FIGURES = {"odds": show.odds_figure, "budget": show.budget_figure, "advice": show.advice_figure,
           "replacement": lambda: show.replacement_figure(figure_cases.friends()),
           "prototype": show.prototype_figure, "edges": show.edges_figure,
           "rotation": lambda: show.rotation_figure(*figure_cases.maps(0))}
STYLE = Path(__file__).parents[2] / "book" / "_static" / "custom.css"
TOLERANCE = 1e-6
COMPUTE = """
return arguments[1].filter(each => each.figure === arguments[0])
    .map(each => privgraphFigures[arguments[0]].compute(each.inputs));
"""


@functools.cache
def page_of(name: str) -> str:
    """A page with one figure and the book's style."""
    return (f"<!doctype html><html lang='en' data-theme='light'><meta charset='utf-8'><title>{name}</title>"
            "<meta name='viewport' content='width=device-width'>"
            f"<style>{STYLE.read_text(encoding='utf-8')}</style>"
            "<style>html[data-theme='dark'] { background: #121212; color: #ced6dd }</style>"
            "<main><article class='bd-content'><h1>A figure</h1><div class='cell_output'>"
            f"<div class='output text_html'>{FIGURES[name]().data}</div></div></article></main></html>")


@pytest.fixture(params=FIGURES)
def name(request):
    return request.param


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a figure from disk, as a reader without a server does."""
    def open_figure(name: str):
        path = tmp_path / f"{name}.html"
        path.write_text(page_of(name), encoding="utf-8")
        browser.get("about:blank"), browser.get_log("browser")
        browser.get(path.as_uri())
        return browser
    yield open_figure
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def difference(numbers: dict, expected: dict) -> float:
    """The largest difference, relative above 1; infinite where one has a number that the other lacks."""
    if numbers.keys() != expected.keys():
        return float("inf")
    return max(abs(numbers[key] - value) / max(1, abs(value)) for key, value in expected.items())


def largest(browser, name: str, cases: list) -> float:
    expected = [case["numbers"] for case in cases if case["figure"] == name]
    found = browser.execute_script(COMPUTE, name, cases)
    return max(map(difference, found, expected))


def test_scripts_find_the_librarys_numbers(opened, name):
    browser = opened(name)
    found = largest(browser, name, CASES)
    print(f"{name}: largest difference {found:.2g}")
    assert found <= TOLERANCE and errors(browser) == []


def test_a_changed_number_would_be_seen(opened, name):
    browser, changed = opened(name), json.loads(json.dumps(CASES))
    for case in changed:
        key = next(iter(case["numbers"]))
        case["numbers"][key] *= 1 + 1e-5
    assert largest(browser, name, changed) > TOLERANCE


def said(browser) -> str:
    return browser.find_element(By.CSS_SELECTOR, ".said").text


def control(browser, name: str):
    """The control that a label names."""
    label, = (label for label in browser.find_elements(By.TAG_NAME, "label")
              if label.get_property("firstChild")["textContent"].strip() == name)
    return label.find_element(By.CSS_SELECTOR, "input, select")


def set_to(browser, name: str, text: str) -> None:
    field = control(browser, name)
    field.send_keys(Keys.CONTROL, "a"), field.send_keys(text)


def cells(browser) -> list[list[str]]:
    return [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
            for row in browser.find_elements(By.CSS_SELECTOR, ".results tbody tr")]


def test_odds_move_with_the_arrow_keys(opened):
    browser = opened("odds")
    region = browser.find_element(By.TAG_NAME, "polygon")
    before = region.get_attribute("points")
    assert "× 2.718" in said(browser) and "0.7311" in said(browser)
    control(browser, "ε").send_keys(*[Keys.ARROW_RIGHT] * 10)
    assert said(browser).startswith("ε = 2.0, δ = 0: odds change by at most × 7.389.") and "0.8808" in said(browser)
    assert region.get_attribute("points") != before
    control(browser, "δ").send_keys(Keys.END)
    assert "but for a chance of δ" in said(browser)
    assert control(browser, "δ").get_attribute("aria-valuetext") == "0.5"


def test_the_calculator_agrees_with_the_command_that_it_names(opened, capsys):
    browser = opened("budget")
    for mechanism in [option.text for option in Select(control(browser, "mechanism")).options]:
        Select(control(browser, "mechanism")).select_by_visible_text(mechanism)
        set_to(browser, "uses", "100"), set_to(browser, "δ", "0.001")
        program, *words = browser.find_element(By.CSS_SELECTOR, ".command code").text.split()
        assert program == "privgraph" and main(words) == 0
        printed = capsys.readouterr().out
        (_, *_, added), (_, *_, rdp) = cells(browser)[1:]
        for accountant, shown in (("basic", added), ("RDP, improved", rdp)):
            found = float(re.search(rf"{accountant} +epsilon = (\S+)", printed)[1])  # the command rounds up
            assert found == pytest.approx(float(shown), rel=5e-4, abs=0), mechanism  # four digits


def test_the_calculator_says_what_it_does_not_take(opened):
    browser = opened("budget")
    set_to(browser, "classes", "1")
    assert said(browser) == "classes must be a whole number from 2 to 100." and cells(browser) == []
    set_to(browser, "classes", "2")
    assert len(cells(browser)) == 3
    Select(control(browser, "noise")).select_by_value("gumbel")
    assert cells(browser)[0][1:] == ["not in the paper", "", "not in the paper"]
    Select(control(browser, "mechanism")).select_by_visible_text("multi bit")
    set_to(browser, "ε of a vector", "8")
    assert said(browser).endswith("Of each vector m = 3 features are reported.")
    Select(control(browser, "mechanism")).select_by_visible_text("grr fs")
    assert not control(browser, "sampling rate").is_enabled()
    set_to(browser, "sampled features", "5")
    assert said(browser) == "sampled features must be at most the number of features."


def test_a_report_is_made_by_keyboard(opened):
    browser = opened("replacement")
    button = browser.find_element(By.TAG_NAME, "button")
    neighbours = [row[0] for row in cells(browser)]
    assert len(neighbours) == 3 and said(browser).startswith("Person 4, GP-t")
    for count, neighbour in enumerate(neighbours, 1):
        button.send_keys(Keys.ENTER)
        assert said(browser).startswith(f"{neighbour} ")
        names = [row[0] for row in cells(browser)]
        percents = [float(row[2].removesuffix(" %")) for row in cells(browser)]
        assert names[0] == neighbour and sum(percents) == pytest.approx(100, 0.01)
        button.send_keys(Keys.SPACE)
        reported = re.search(r": ([\d, ]+)\.$", said(browser))[1].split(", ")
        drawn, = (row[0] for row in cells(browser) if row[3])
        assert len(reported) == count and drawn in reported
    assert "Her report, sorted" in said(browser) and button.text == "again"
    button.send_keys(Keys.ENTER)
    assert button.text == "next" and cells(browser) == []
    Select(control(browser, "person")).select_by_value("11")
    assert said(browser).endswith("11's neighbours: 0. Each is replaced, or not, in her turn.")
    Select(control(browser, "person")).select_by_value("0")
    button.send_keys(Keys.ENTER)
    many = len(cells(browser))
    Select(control(browser, "strategy")).select_by_value("most-similar")
    button.send_keys(Keys.ENTER)
    assert many > len(cells(browser)) == 2
    assert len(Select(control(browser, "person")).options) == 34


def test_the_chooser_agrees_with_the_command(opened, capsys):
    browser = opened("advice")
    for unit, name in SECRET.items():
        Select(control(browser, "what is secret")).select_by_visible_text(name)
        graphs = [option.text for option in Select(control(browser, "a graph like")).options]
        assert graphs == graphs_of(unit) and control(browser, "neighbours' labels").is_enabled() == (unit == "edge")
        for graph, (place, budget) in product(graphs, enumerate(BUDGETS)):
            Select(control(browser, "a graph like")).select_by_visible_text(graph)
            slider = control(browser, "ε")
            slider.send_keys(Keys.HOME, *[Keys.ARROW_RIGHT] * place)
            assert main(f"advise --unit {unit} --epsilon {budget} --graph {graph}".split()) == 0
            *_, found, typed = capsys.readouterr().out.splitlines()
            method, percent = re.search(r"run, (\S+) was best .* with ([\d.]+)%", found).groups()
            assert f"{method} was best, with {percent} % of test nodes right" in said(browser)
            tried = browser.find_element(By.CSS_SELECTOR, ".command").text
            assert ("do not spend" in said(browser)) == ("do not spend" in found) == (tried == "")
            assert not tried or tried.replace("FILE.npz", graph) == typed
            assert [float(row[2].split()[0]) for row in cells(browser)] == sorted(
                (float(row[2].split()[0]) for row in cells(browser)), reverse=True)


def test_the_chooser_leaves_out_what_sums_labels(opened):
    browser = opened("advice")
    every = {row[0] for row in cells(browser)}
    Select(control(browser, "neighbours' labels")).select_by_value("")
    left = {row[0] for row in cells(browser)}
    assert {"gap labels", "votes"} <= every - left and {"gap", "votes no labels"} <= left < every
    assert "neighbourvotes --no-labels --epsilon 2 " in browser.find_element(By.CSS_SELECTOR, ".command").text


def test_the_button_aligns(opened):
    browser = opened("rotation")
    def numbers():
        return [float(number) for number in re.findall(r"(?:misfit|reaches is) ([\d.]+?)\.? ", said(browser) + " ")]
    before, smallest = numbers()
    control(browser, "degrees").send_keys(*[Keys.ARROW_RIGHT] * 40)
    Select(control(browser, "reflection")).select_by_value("yes")
    assert "Rotated by 40 degrees and reflected" in said(browser) and numbers()[0] != before > smallest
    browser.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    found, smallest = numbers()
    assert smallest <= found < 1.01 * smallest
    x, y = figure_cases.maps(0)
    assert smallest == pytest.approx(float((x @ procrustes(x, y) - y).square().sum()), rel=1e-3)


def test_more_shots_need_less_noise(opened):
    browser = opened("prototype")
    def radius():
        return float(browser.find_element(By.CSS_SELECTOR, ".noise").get_attribute("r"))
    found = [radius()]
    control(browser, "shots K").send_keys(Keys.HOME)
    found.append(radius())
    assert "1 shot:" in said(browser) and found[1] == pytest.approx(20 * found[0], rel=0.01)
    control(browser, "ε").send_keys(Keys.END)
    assert "ε = 5.657" in said(browser) and radius() < found[1] / 3


def test_sparser_graphs_need_larger_budgets(opened):
    browser = opened("edges")
    def star():
        return float(re.search(r"ε\* = ([\d.]+)\. At", said(browser))[1])
    found = [star()]
    control(browser, "people n").send_keys(Keys.END)
    found.append(star())
    control(browser, "neighbours d").send_keys(Keys.END)
    found.append(star())
    assert found == pytest.approx([6.62, 12.4, 9.66], abs=0.005)
    control(browser, "ε").send_keys(Keys.END)
    dot, line = (browser.find_element(By.CSS_SELECTOR, part) for part in (".here", ".star"))
    assert float(dot.get_attribute("cx")) == 340 and float(line.get_attribute("x1")) == pytest.approx(184.8, abs=0.2)


def test_draws_have_their_chances(opened):
    """Names lie side by side, each as wide as its chance: 1,000 points, evenly spaced."""
    browser = opened("replacement")
    names = browser.execute_script("""
        const chances = [[4, 0.5], [0, 0.3], [6, 0.2]];
        return [...Array(1000).keys()].map(i => privgraphFigures.replacement.drawn(chances, (i + 0.5) / 1000));""")
    assert {name: names.count(name) for name in (4, 0, 6)} == {4: 500, 0: 300, 6: 200}


def test_without_scripts_the_numbers_stand_there(opened, browser, name):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened(name)
    assert not browser.find_elements(By.CSS_SELECTOR, "input, select, button")
    shown = browser.find_element(By.CSS_SELECTOR, ".interactive").text
    assert {"odds": "0.7311", "budget": "noisy arg max", "replacement": "or becomes one of",
            "rotation": "after Procrustes alignment", "prototype": "by at most 0.1 C",
            "edges": "reported pairs are true",
            "advice": "a node with all that belongs to it is secret; cora"}[name] in shown


def test_nothing_serious(opened, name, axe):
    browser = opened(name)
    assert {mode: serious(browser, axe, mode) for mode in ("light", "dark")} == {"light": [], "dark": []}


def test_a_figure_fits_a_phone(opened, browser, name):
    resize(browser, PHONE)
    opened(name)
    too_wide, where = browser.execute_script(WIDE.replace("SCROLLS", SCROLLS))
    assert too_wide <= 0 and where == []
    assert all(part.rect["width"] <= PHONE[0] for part in browser.find_elements(By.TAG_NAME, "svg"))
