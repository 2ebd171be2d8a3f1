import re

import pytest

from privgraph.cli import main
from privgraph.mechanisms import NoisyArgMax
from privgraph.privacy import calibrate
from privgraph.privacy.accounting import Step


def test_noise_that_is_found_keeps_the_target(capsys):
    """The printed epsilon of one use is a little below what the target allows, by every accountant."""
    assert main("calibrate laplace --epsilon 1 --delta 1e-5 --count 100".split()) == 0
    out = capsys.readouterr().out
    assert out.startswith("unit: node (add/remove, central), epsilon = 1, delta = 1e-05, 100 uses, rate 1")
    found = {name: float(value) for name, value in re.findall(r"^  (\w+) +epsilon = (\S+)$", out, re.MULTILINE)}
    assert set(found) == {"basic", "advanced", "rdp", "pld"}
    assert found["basic"] < found["advanced"] < found["rdp"] < found["pld"]
    assert 0.99 / 100 < found["basic"] <= 1 / 100
    assert main(f"budget laplace:epsilon={found['pld']},count=100 --delta 1e-5".split()) == 0
    spent = float(re.search(r"PLD, pessimistic +epsilon = (\S+)|PLD +epsilon = (\S+)", capsys.readouterr().out)[1])
    assert 0.99 < spent <= 1.001


def test_a_scale_is_found_where_a_mechanism_has_one(capsys):
    assert main("calibrate noisy-arg-max:num_classes=4 --epsilon 2 --delta 1e-5 --count 3".split()) == 0
    scale = float(re.search(r"basic +scale = (\S+)", capsys.readouterr().out)[1])
    expected = calibrate(lambda s: [Step(NoisyArgMax(s, 4).pair, 3)], 2, accountant="basic")
    assert scale == pytest.approx(expected, rel=1e-4)


def test_sampling_lets_each_use_cost_more(capsys):
    found = []
    for rate in ("1", "0.1"):
        assert main(["calibrate", "laplace", "--epsilon", "1", "--count", "100", "--rate", rate]) == 0
        found.append(float(re.search(r"rdp +epsilon = (\S+)", capsys.readouterr().out)[1]))
    assert found[1] > 2 * found[0]


@pytest.mark.parametrize("line, message", [
    ("calibrate laplace:epsilon=1 --epsilon 1", "epsilon of laplace is what is looked for"),
    ("calibrate laplace --epsilon 0", "epsilon must be a positive"),
    ("calibrate laplace --epsilon 1 --delta 2", "delta must"),
    ("calibrate laplace --epsilon 1 --rate 7", "rate must lie in (0, 1], got 7.0"),
    ("calibrate laplace --epsilon 1 --count 0", "count must be"),
    ("calibrate randomised-response:num_classes=3 --epsilon 1 --rate .1", "rate must be 1 for randomised-response"),
    ("calibrate laplass --epsilon 1", "mechanism must be one of"),
    ("budget laplace:epsilon=1,count=1e6", "count must be a whole number, got '1e6'"),
    ("budget laplace:epsilon=1,rate=often", "rate must be a number, got 'often'")])
def test_what_cannot_be_said_is_named(line, message, capsys):
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert message in err and "Traceback" not in err and err.count("\n") == 1
