"""Budgets and noise on the command line: every answer against another route, and what is refused, in typed words."""

import math
import re

import pytest

from privgraph.cli import main
from privgraph.cli.uses import read, steps_of
from privgraph.mechanisms import NoisyArgMax, all_mechanisms
from privgraph.mechanisms.text import fields_of
from privgraph.privacy import (
    Answer,
    DiscreteGaussianPair,
    GaussianPair,
    LaplacePair,
    Step,
    basic_composition,
    calibrate,
    exact_delta,
    exact_epsilon,
    fixed_size_pair,
    gdp_epsilon,
    pure_pair,
    zcdp_epsilon,
)
from privgraph.privacy.asking import printed


def said(line: str, capsys, status: int = 0) -> str:
    """What a command prints."""
    assert main(line.split()) == status
    return capsys.readouterr().out


def rows(out: str, what: str) -> dict[str, float]:
    """Accountant -> the number that its row prints for ``what``."""
    found = re.findall(rf"^  (\S.*?) +(?:.*, )?\(?{what} = (\S+?)[,)]?(?: .*)?$", out, re.MULTILINE)
    return {name: float(value) for name, value in found}


def test_noise_that_is_found_keeps_the_target(capsys):
    """The printed scale is a little more than what the target needs, by every accountant."""
    out = said("calibrate laplace --epsilon 1 --delta 1e-5 --count 100", capsys)
    assert out.startswith("unit: node (add/remove, central), epsilon = 1, delta = 1e-05, 100 uses, rate 1")
    found = rows(out, "scale")
    assert found["basic"] > found["advanced"] > found["rdp"] > found["pld"]
    assert found["basic"] == 100
    assert f"take this one: scale = {found['pld']:g} (epsilon = " in out and out.endswith("by pld\n")
    out = said(f"budget laplace:scale={found['pld']},count=100 --delta 1e-5", capsys)
    assert 0.99 < rows(out, "epsilon")["PLD, pessimistic"] <= 1
    assert re.search(r"^report this one: epsilon = 0.9\d* at delta = 1e-05, by PLD, pessimistic$", out, re.MULTILINE)


def test_a_scale_is_found_where_a_mechanism_has_one(capsys):
    assert main("calibrate noisy-arg-max:num_classes=4 --epsilon 2 --delta 1e-5 --count 3".split()) == 0
    scale = float(re.search(r"basic +scale = (\S+)", capsys.readouterr().out)[1])
    expected = calibrate(lambda s: [Step(NoisyArgMax(s, 4).pair, 3)], 2, accountant="basic")
    assert scale == pytest.approx(expected, rel=1e-4, abs=0)


def test_sampling_lets_each_use_cost_more(capsys):
    found = []
    for rate in ("1", "0.1"):
        assert main(["calibrate", "laplace", "--epsilon", "1", "--count", "100", "--rate", rate]) == 0
        found.append(rows(capsys.readouterr().out, "scale")["rdp"])
    assert found[1] < found[0] / 2


@pytest.mark.parametrize("line, message", [
    ("calibrate laplace:epsilon=1 --epsilon 1", "epsilon of laplace is what is looked for"),
    ("calibrate laplace --epsilon 0", "epsilon must be a positive"),
    ("calibrate laplace --epsilon 1 --delta 2", "delta must"),
    ("calibrate laplace --epsilon 1 --rate 7", "rate must lie in (0, 1], got 7.0"),
    ("calibrate laplace --epsilon 1 --count 0", "count must be"),
    ("calibrate randomised-response:num_classes=3 --epsilon 1 --rate .1", "rate must be 1 for randomised-response"),
    ("calibrate laplass --epsilon 1", "mechanism must be one of"),
    ("budget laplace:epsilon=1,count=2.5", "count must be a whole number, got '2.5'"),
    ("budget laplace:epsilon=1,count=inf", "count must be a whole number, got 'inf'"),
    ("budget laplace:epsilon=1,epsilon=2", "each key once, got epsilon=1 and epsilon=2"),
    ("budget laplace:epsilon=1,count=2,count=2", "each key once, got count=2 and count=2"),
    ("calibrate laplace:sensitivity=1,sensitivity=2 --epsilon 1", "each key once"),
    ("budget laplace:epsilon=inf", "laplace must leave some noise for a budget, got epsilon = inf"),
    ("budget gaussian:epsilon=inf,delta=1e-5", "got epsilon = inf"),
    ("budget blink:epsilon_degree=1,epsilon_edges=inf", "got epsilon_degree = 1, epsilon_edges = inf"),
    ("budget noisy-arg-max:scale=0,num_classes=3", "got scale = 0"),
    ("budget randomised-response:epsilon=inf,num_classes=3", "got epsilon = inf"),
    ("budget laplace:scale=0", "scale must be a positive finite number, got 0"),
    ("budget laplace:scale=inf", "scale must be a positive finite number, got inf"),
    ("budget gaussian:sigma=-1", "sigma must be a positive finite number, got -1"),
    ("budget gaussian:noise_multiplier=nan", "noise_multiplier must be a positive finite number, got nan"),
    ("budget zcdp:rho=0", "rho must be a positive"), ("budget gdp:mu=inf", "mu must be a positive"),
    ("budget pure:epsilon=0", "epsilon must be a positive"),
    ("budget approximate:epsilon=1,delta=1", "delta must lie strictly between 0 and 1"),
    ("budget discrete-laplace:scale=1,sensitivity=1.5", "sensitivity of discrete-laplace must be a whole number"),
    ("budget discrete-gaussian:sigma=1,sensitivity=0", "sensitivity must be a whole number"),
    ("budget gaussian:sigma=1,epsilon=1", "gaussian must be written with keys that go together"),
    ("budget gaussian:sgima=1", "key of gaussian must be one of"),
    ("budget laplace:epsilon=1,batch=5", "batch and people must be said together"),
    ("budget laplace:epsilon=1,batch=6,people=5", "batch must be a whole number, between 1 and 5, got 6"),
    ("budget laplace:epsilon=1,batch=5,people=50", "batch must be left out for laplace"),
    ("budget laplace:epsilon=1,batch=5,people=50,rate=.5", "rate must be left out where batch and people are said"),
    ("budget symmetric-response:epsilon=1,rate=.5", "rate must be left out for symmetric-response: nobody may see"),
    ("budget zcdp:rho=1,rate=.5", "rate must be 1 for zCDP"),
    ("budget laplace:epsilon=1 --at-epsilon -1", "at-epsilon must be at least 0"),
    ("budget laplace:epsilon=1 --delta 1", "delta must"),
    ("calibrate blink --epsilon 1", "blink has epsilon_degree and epsilon_edges: say all but the one"),
    ("calibrate blink:epsilon_degree=.1 --epsilon 1", "--unit and --relation must name one of those that blink has"),
    ("calibrate gaussian:noise_multiplier=2 --epsilon 1", "noise_multiplier of gaussian is what is looked for"),
    ("budget laplace:epsilon=1,rate=often", "rate must be a number, got 'often'")])
def test_what_cannot_be_said_is_named(line, message, capsys):
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert message in err and "Traceback" not in err and err.count("\n") == 1


def test_one_row_without_an_answer_costs_no_other(capsys):
    out = said("budget laplace:epsilon=1000,count=5", capsys)
    assert rows(out, "epsilon")["basic"] == 5000 and len(out.splitlines()) >= 8
    out = said("budget zcdp:rho=0.1", capsys)
    assert "PLD, pessimistic   none: zCDP has no privacy loss distribution" in out
    assert rows(out, "epsilon")["RDP, improved"] == pytest.approx(zcdp_epsilon(0.1, 1e-5), rel=0.01, abs=0)


def test_budgets_in_every_currency_of_one_gaussian(capsys):
    """sigma, noise multiplier and mu say the same; the exact row is the closed form, rounded up; rho is its own."""
    exact = gdp_epsilon(math.sqrt(10) / 4, 1e-6)
    for text in ("gaussian:sigma=8,sensitivity=2,count=10", "gaussian:noise_multiplier=4,count=1e1",
                 "gdp:mu=.25,count=10"):
        out = said(f"budget {text} --delta 1e-6", capsys)
        found = rows(out, "epsilon")
        assert exact <= found["exact"] < exact * (1 + 1e-4) and found["exact"] < found["RDP, improved"]
        assert rows(out, "rho") == {"as zCDP": 0.3125}
        assert rows(out, "mu")["as mu-GDP"] == pytest.approx(0.79057, rel=1e-4, abs=0)
    assert rows(said("budget zcdp:rho=.3125 --delta 1e-6", capsys), "epsilon")["RDP, improved"] >= found["exact"]


def test_approximate_steps_are_composed_exactly(capsys):
    pair = "budget approximate:epsilon=1,delta=.1 approximate:epsilon=2,delta=.2 "
    assert rows(said(pair + "--at-epsilon 3", capsys), "delta")["exact"] == 0.28
    assert rows(said(pair + "--delta .28", capsys), "epsilon")["exact"] == 3
    assert rows(said(pair + "--delta .2799", capsys), "epsilon")["exact"] == math.inf


@pytest.mark.parametrize("text, epsilon, delta", [
    ("laplace:epsilon=1", 0.5, LaplacePair(1.0).delta(0.5)), ("gaussian:sigma=2", 1.0, GaussianPair(2.0).delta(1.0)),
    ("discrete-gaussian:sigma=2", 1.0, DiscreteGaussianPair(2.0).delta(1.0)),
    ("discrete-laplace:scale=2", 0.2, pure_pair(0.5).delta(0.2)),
    ("gaussian:sigma=2,relation=replace,batch=5,people=50", 0.3, fixed_size_pair(GaussianPair(2.0), 5, 50).delta(0.3))])
def test_delta_at_an_epsilon(text, epsilon, delta, capsys):
    """PLD lies above the closed form and near it."""
    found = rows(said(f"budget {text} --at-epsilon {epsilon}", capsys), "delta")
    assert delta <= found["PLD, pessimistic"] * (1 + 1e-9) and found["PLD, pessimistic"] < 1.05 * delta
    assert found["PLD, pessimistic"] <= found["RDP, improved"]


def test_many_uses_at_an_epsilon(capsys):
    found = rows(said("budget pure:epsilon=0.1,count=100 --at-epsilon 3", capsys), "delta")
    exact = exact_delta(pure_pair(0.1), 100, 3.0)
    assert exact <= found["exact"] < exact * 1.0002
    assert found["exact"] <= found["PLD, pessimistic"] < found["RDP, improved"] < found["advanced"] < 1
    assert found["basic"] == 1
    assert rows(said("budget pure:epsilon=0.1,count=10 --at-epsilon 1", capsys), "delta")["basic"] == 0


def test_delta_zero_asks_for_the_pure_epsilon(capsys):
    out = said("budget laplace:epsilon=.5,count=4 --delta 0", capsys)
    answered = ("basic", "advanced", "PLD, pessimistic", "PLD, optimistic", "exact")
    assert rows(out, "epsilon") == dict.fromkeys(answered, 2)
    assert "RDP, improved      none: Renyi divergences of finite order say nothing about delta = 0" in out
    out = said("calibrate laplace --epsilon 2 --delta 0 --count 4", capsys)
    assert rows(out, "scale")["basic"] == 2 and "take this one: scale = 2 (epsilon = 0.5 a use)" in out
    assert rows(said("budget gaussian:sigma=1 --delta 0", capsys), "epsilon")["exact"] == math.inf


def test_every_mechanism_has_a_budget(capsys):
    """What the table is about is each unit and relation that the mechanism has a guarantee for."""
    for name, kind in all_mechanisms().items():
        example = kind.examples()[0]
        texts = {key: getattr(example, key) for key in fields_of(kind)}
        typed = ",".join(f"{key}={'x'.join(map(str, value)) if isinstance(value, tuple) else value}"
                         for key, value in texts.items() if value is not None)
        thing, said_of, called, sampling = read(f"{name}:{typed},count=3")
        if not any(math.isfinite(each.epsilon) for each in thing.guarantees):
            continue
        found = steps_of(thing, said_of, called, sampling)
        assert [each for each, _ in found] == list(thing.guarantees)
        for guarantee, steps in found:
            assert basic_composition(steps) <= 3 * guarantee.epsilon * (1 + 1e-9) or guarantee.delta > 0


def test_edge_mechanisms_and_votes_are_composed(capsys):
    out = said("budget symmetric-response:epsilon=1,count=2 noisy-votes:scale=10,count=5", capsys)
    assert out.count("unit: ") == 4 and "different units do not add" in out
    edge = out[out.index("unit: undirected edge (add/remove, local), delta = 1e-05"):]
    assert edge.splitlines()[1] == "  of symmetric-response:epsilon=1,count=2 alone"
    votes = out[out.index("unit: node"):]
    assert rows(votes, "epsilon")["basic"] == pytest.approx(1.0)
    gumbel = rows(said("budget noisy-votes:scale=10,noise=gumbel,count=50", capsys), "epsilon")
    assert gumbel["PLD, pessimistic"] < rows(said("budget pure:epsilon=.2,count=50", capsys), "epsilon")["exact"]


def test_dp_sgd_noise_is_found(capsys):
    """What a person who trains with DP-SGD asks; the printed noise keeps the target by an accountant of others."""
    out = said("calibrate gaussian --epsilon 2 --delta 1e-5 --count 1e2 --rate 0.02", capsys)
    assert "100 uses, rate 0.02" in out
    multiplier = float(re.search(r"take this one: sigma = \S+ \(noise multiplier (\S+)\), by pld", out)[1])
    assert multiplier == min(rows(out, "sigma").values())
    from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
    from dp_accounting.pld import PLDAccountant
    def others(noise: float) -> float:
        event = SelfComposedDpEvent(PoissonSampledDpEvent(0.02, GaussianDpEvent(noise)), 100)
        return PLDAccountant(value_discretization_interval=1e-3).compose(event).get_epsilon(1e-5)
    assert others(multiplier) < 2.01 and others(0.97 * multiplier) > 2


def test_calibrated_samples_of_a_fixed_size(capsys):
    out = said("calibrate gaussian:relation=replace --epsilon 1 --batch 5 --people 100 --count 20", capsys)
    assert "unit: node (replace, central), epsilon = 1, delta = 1e-05, 20 uses, on 5 of 100 people" in out
    found = rows(out, "sigma")
    everybody = rows(said("calibrate gaussian:relation=replace --epsilon 1 --count 20", capsys), "sigma")
    assert found["pld"] < everybody["pld"] / 4 and found["pld"] < found["rdp"]


@pytest.mark.parametrize("text, key, epsilon_of", [
    ("zcdp", "rho", lambda rho: zcdp_epsilon(4 * rho, 1e-6)), ("gdp", "mu", lambda mu: gdp_epsilon(2 * mu, 1e-6)),
    ("gaussian", "sigma", lambda sigma: gdp_epsilon(2 / sigma, 1e-6)),
    ("gaussian:sensitivity=5", "sigma", lambda sigma: gdp_epsilon(10 / sigma, 1e-6)),
    ("pure", "epsilon", lambda epsilon: exact_epsilon(pure_pair(epsilon), 4, 1e-6))])
def test_the_printed_digits_keep_the_target(text, key, epsilon_of, capsys):
    """And one more in the last digit of a budget, or one less of the noise, would not, but for the accountant's own."""
    for target in ("0.37", "1", "2.9"):
        out = said(f"calibrate {text} --epsilon {target} --delta 1e-6 --count 4", capsys)
        found = float(re.search(rf"take this one: {key} = ([^\s,]+)", out)[1])
        assert 0.97 * float(target) < epsilon_of(found) <= float(target) * (1 + 1e-12)


def test_upper_ends_are_rounded_up_and_lower_ends_down():
    assert str(Answer(1.000001)) == "1.0001" and str(Answer(1.000099, upper=False)) == "1"
    assert printed(0.1) == "0.1" and printed(12345.6) == "12346" and printed(9.99999e-7) == "1e-6"
    assert printed(0.0) == "0" and printed(math.inf) == "inf" and float(printed(1 / 3)) > 1 / 3
    for value in (1.23456789, 98765.4321, 4.4e-17, 2e300):
        assert float(printed(value)) >= value >= float(printed(value, up=False)) > value * (1 - 2e-4)


def test_one_sample_for_all_parts_of_a_use_is_not_charged_as_many_samples(capsys):
    """Votes with Laplace noise are two releases on one sample: epsilon .4 together, .04801 of a tenth of the people.
    Two samples of epsilon .2 would cost less, .0438, and that is what was printed."""
    out = said("budget noisy-votes:scale=5,rate=0.1,count=1", capsys)
    whole = math.log1p(0.1 * math.expm1(0.4))
    assert rows(out, "epsilon")["basic"] == pytest.approx(whole, rel=1e-4, abs=0)
    assert whole > 2 * math.log1p(0.1 * math.expm1(0.2))


def test_budget_groups_by_unit_and_prints_every_accountant(capsys):
    assert main(["budget", "laplace:epsilon=0.1,rate=0.3,count=100", "randomised-response:epsilon=1,num_classes=4",
                 "laplace:epsilon=0.2", "--delta", "1e-3"]) == 0
    out = capsys.readouterr().out
    assert out.count("unit:") == 2 and "unit: node (add/remove, central), delta = 0.001" in out
    assert "unit: label (replace, local)" in out and "different units do not add" in out
    assert "RDP, improved" in out and "PLD, optimistic    epsilon =" in out and out.count("(a lower bound)") == 2


@pytest.mark.parametrize("mechanism", [
    "multi-bit:epsilon=1,num_features=5", "grr-fs:epsilon=0.5,domain_sizes=2x2x3,sampled=2",
    "noisy-arg-max:scale=2,num_classes=3,noise=laplace",
    "gaussian:epsilon=1,delta=1e-5,sensitivity=2,unit=undirected edge"])
def test_budget_knows_every_mechanism(mechanism, capsys):
    assert main(["budget", mechanism]) == 0
    assert "basic" in capsys.readouterr().out


@pytest.mark.parametrize("arguments, message", [
    (["magic:epsilon=1"], "mechanism must be one of"),
    (["laplace:epsilon=0"], "epsilon must be a positive number"),
    (["laplace:epsilon=1,colour=red"], "key of laplace must be one of"),
    (["multi-bit:epsilon=1"], "multi-bit needs num_features, multi-bit:num_features=..."),
    (["multi-bit:epsilon=1,num_features=5,rate=0.5"], "rate must be 1 for multi-bit"),
    (["laplace:epsilon=1,count=0"], "count must be"),
    (["laplace:epsilon=1", "--delta", "2"], "delta must lie in [0, 1)"),
    (["laplace:epsilon=often"], "epsilon of laplace must be a number above 0, or inf, got 'often'"),
])
def test_budget_says_what_is_wrong(arguments, message, capsys):
    assert main(["budget", *arguments]) == 2
    assert message in capsys.readouterr().err
