"""Numbers in the sentences of chapters come from variables, or say where else they come from."""

import re
from pathlib import Path

import pytest

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
PAGES = sorted(path.stem for path in CHAPTERS.glob("*.md"))
BUDGET, LAMBDA = "a label budget of the runs, a parameter", "a lambda of the runs, a parameter"
# Decimals that are typed: a parameter, a definition, a number printed in a paper, or asserted in the test that is
# named.
ALLOWED = {
    ("02_differential_privacy", "0.50"): "the chance of a coin",
    ("04_attacks", "0.80"): "an AUC that somebody might report", ("04_canaries", "0.98"): "counted in the cell above",
    ("04_attacks", "0.5"): "the AUC of a coin", ("04_attacks", "0.01"): "a step to try",
    ("05_guessing_games", "1.8"): "the bar of the checker",
    ("05_guessing_games", "0.8"): "ln(Phi(1/2) / Phi(-1/2)), cut",
    ("04_membership", "0.5"): "the AUC of a coin", ("04_membership", "4.6"): "ln 99, the log-odds of .99",
    ("06_null_control", "0.1"): "a budget to try", ("06_null_control", "0.01"): "a learning rate",
    ("07_reconstruction", "0.25"): "a half, squared", ("07_reconstruction", "0.5"): BUDGET,
    ("07_rgnn", "1.434"): "asserted in test_rgnn_claims.py", ("07_rgnn", "4.8"): "asserted in the solution",
    **{("08_graphprivatizer", f"4.{number}"): "a number of the paper" for number in (1, 2, 3, 4)},
    ("08_sound_edges", "0.8"): "a parameter", ("08_sound_edges", "0.2"): "a parameter",
    ("07_rgnn_evidence", "0.5"): BUDGET,
    ("09_privgnn", "0.2"): "computed in the same sentence",
    ("09_adding_up", "0.2"): LAMBDA, ("09_adding_up", "0.4"): LAMBDA, ("09_adding_up", "19.81"): "printed",
    ("09_adding_up", "0.62"): "test_laplace_curve_is_no_bound_for_the_arg_max",
    **{("09_students", number): LAMBDA for number in ("0.1", "0.2", "0.4")},
    ("09_students_evidence", "0.4"): LAMBDA,
    ("09_students", ".75"): "printed", ("09_students", ".54"): "printed",
    ("09_adding_up", "0.70"): "test_laplace_curve_is_no_bound_for_the_arg_max",
    **{("10_lppge", number): "the number of a table or an equation" for number in ("3.1", "3.4", "3.7")},
    ("10_arms_race", "3.2"): "a table's number",
    **{("10_lppge_evidence", f"3.{number}"): "a table's or a figure's number" for number in (1, 2, 3, 5, 6, 7)},
    ("11_federated", "4.4"): "an equation's number", ("11_server", "4.4"): "a section's number",
    **{("11_federated_evidence", f"4.{number}"): "a table's or a figure's number" for number in (1, 2, 3, 6)},
    **{("12_segcl", f"5.{number}"): "an equation's number" for number in (3, 4, 5, 6)},
    ("12_prototypes", "5.3"): "an equation's number",
    **{("12_segcl_evidence", f"5.{number}"): "a table's, figure's or equation's number" for number in (1, 3, 4, 5)},
    ("15_contradictions", "5.1"): "a section's number", ("15_contradictions", "0.05"): "half a unit of the last digit",
    ("15_contradictions", "0.10"): "twice that",
    **{("15_reproductions", number): "a spread of the exercise" for number in ("1.0", "3.0")},
    **{("15_reproductions", number): "asserted in the cell below" for number in ("0.9", "2.8", "2.7")},
}
# Front matter, cells and code, mathematics, code in a line, roles, links, tables and options of directives.
NO_PROSE = re.compile(r"\A---.*?\n---\n|^(`{3,}).*?^\1$|\$\$.*?\$\$"
                      r"|\$[^$]*\$|\{[a-z:]+\}`[^`]*`|`[^`]*`|\]\([^)]*\)|^\s*[|:].*?$",
                      re.DOTALL | re.MULTILINE)
# Exercises and solutions are fenced too, one line each, so that their prose stays.
ONE_LINE = re.compile(r"^`{3,}\{(?:exercise|solution)-(?:start|end)\}.*(?:\n:.*)*\n`{3,}$", re.MULTILINE)
DECIMAL = re.compile(r"(?<![\w.])\d*\.\d+(?![\w]|\.\d)")


def decimals(text: str) -> list[str]:
    """The decimal numbers typed in the sentences of a chapter."""
    return DECIMAL.findall(NO_PROSE.sub(" ", ONE_LINE.sub("", text)))


@pytest.mark.parametrize("chapter", PAGES)
def test_numbers_in_sentences_come_from_variables(chapter):
    typed = set(decimals((CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8")))
    allowed = {number for name, number in ALLOWED if name == chapter}
    assert typed - allowed == set(), "glue them from the cell that computes them"
    assert allowed - typed == set(), "no longer in the text"


@pytest.mark.parametrize("text, found", [
    ("It gains 3.4 points, from .62 on.", ["3.4", ".62"]), ("It gains {glue:text}`gain:.1f` points.", []),
    ("$p = 0.75$, `x = 0.5`, version 1.2.3", []), ("```{code-cell} ipython3\nx = 0.5\n```\nand 0.7", ["0.7"]),
    ("```{exercise-start}\n:label: ex\n```\nIs 0.8 large?\n```{exercise-end}\n```\nOr 0.9?", ["0.8", "0.9"])])
def test_typed_numbers_would_be_seen(text, found):
    assert decimals(text) == found
