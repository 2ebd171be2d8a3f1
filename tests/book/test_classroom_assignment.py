"""What assignments call passes their right answers and refuses slips."""

import re

import pytest

from privbook.classroom import assignments
from privgraph.teach import checkers

KNOWN = assignments()
# Assignment, part -> its checker.
CALLED = {
    ("05-multibit-and-kprop", "variance"): checkers.check_variance,
    ("07-graphprivatizer-candidates", "loss"): checkers.check_loss,
    ("09-link-attack", "auc"): checkers.check_auc,
    ("10-membership-attack", "auc"): lambda auc: checkers.check_auc(auc, small_wins=True),
    ("10-membership-attack", "ceiling"): checkers.check_ceiling,
    ("11-procrustes", "align"): checkers.check_turn,
}


@pytest.mark.parametrize("assignment, part", CALLED, ids=lambda said: said)
def test_what_an_assignment_calls_passes_its_right_answer(assignment, part):
    source = KNOWN[assignment]
    given, answer = source.given("ada"), source.parts[part]
    CALLED[assignment, part](lambda *arguments: answer.right(given, *arguments))
    called = re.search(rf":check: {part}\n:points: \d\n\n(?:.*\n)*?```", (source.folder / "assignment.md").read_text())
    assert "checkers.check_" in called.group()


@pytest.mark.parametrize("assignment, part", CALLED, ids=lambda said: said)
@pytest.mark.parametrize("slip", [lambda right: None, lambda right: ..., lambda right: right * 1.01 + 0.01,
                                  lambda right: "0.5"], ids=["nothing", "dots", "one in a hundred", "a text"])
def test_what_an_assignment_calls_refuses_slips(assignment, part, slip):
    source = KNOWN[assignment]
    given, answer = source.given("ada"), source.parts[part]
    with pytest.raises((AssertionError, TypeError)):
        CALLED[assignment, part](lambda *arguments: slip(answer.right(given, *arguments)))
