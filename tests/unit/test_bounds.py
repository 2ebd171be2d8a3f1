"""Public bounds of features, one pair for all columns or one for each: what reports, estimates and files make of them.

Ages, shares and temperatures in one vector: with the widest range for all, a share would drown in the noise of an age.
"""

import math
import shlex
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from privgraph import datasets
from privgraph.audit import CheckFailed, check_mechanism, worst_case
from privgraph.cli import main
from privgraph.datasets.bounds import clamped, middle
from privgraph.mechanisms import MultiBit, SymmetricResponse
from privgraph.methods import LPGNN, GraphPrivatizer, LPGNNRelease, check_method
from privgraph.methods.controls import constant_features
from privgraph.methods.release import report_labels
from privgraph.nn import Factored, features
from privgraph.randomness import seeded

RANGES = ((0.0, 120.0), (0.0, 1.0), (-20.0, 40.0))
LOW, HIGH = zip(*RANGES, strict=True)
N = 30


def town(feature_range=RANGES, x=None):
    """People on a path: age, a share, a temperature; a few values lie outside."""
    if x is None:
        x = torch.rand(N, 3, generator=seeded(0)) * torch.tensor([160.0, 1.6, 90.0]) - torch.tensor([20.0, 0.3, 35.0])
    path = torch.stack([torch.arange(N - 1), torch.arange(1, N)])
    data = datasets.from_edge_list(path, x, torch.arange(N) % 2, num_classes=2, feature_range=feature_range)
    return datasets.split(data, seeded(0))


# The mechanism.

def test_ranges_are_accepted_up_to_the_largest_float_that_an_estimate_can_be():
    widest = float(np.finfo(np.float32).max) / MultiBit(1.0, 3, sampled=2).scale
    assert MultiBit(1.0, 3, low=0.0, high=0.99 * widest, sampled=2).scale < float(np.finfo(np.float32).max)
    with pytest.raises(ValueError, match="fits a 32-bit float"):
        MultiBit(1.0, 3, low=0.0, high=1.01 * widest, sampled=2)


def test_what_is_audited_has_both_ends_and_the_middle():
    inputs = MultiBit(1.0, 2, low=(-1.0, 0.0), high=(3.0, 8.0)).audit_case().inputs
    assert [{*column} for column in zip(*inputs, strict=True)] == [{-1.0, 1.0, 3.0}, {0.0, 4.0, 8.0}]
    assert len(inputs) == 9


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_columns_with_ranges_of_their_own_spend_exactly_epsilon(epsilon, m):
    mechanism = MultiBit(epsilon, 3, LOW, HIGH, sampled=m)
    found = worst_case(mechanism, list(product(*((low, 0.3 * low + 0.7 * high, high) for low, high in RANGES))))
    assert found.epsilon == pytest.approx(epsilon, abs=1e-9) and mechanism.guarantee.epsilon == epsilon


def moments(mechanism: MultiBit, x: tuple) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and variance of the estimates over the exact distribution."""
    table = mechanism.distribution(x)
    estimates = mechanism.estimate(torch.tensor(list(table), dtype=torch.int8)).double()
    p = torch.tensor(list(table.values()), dtype=torch.float64)[:, None]
    mean = (p * estimates).sum(0)
    return mean, (p * (estimates - mean) ** 2).sum(0)


class WidestRange(MultiBit):
    """Mutant: the server decodes every column by the widest range."""

    def estimate(self, report):
        return MultiBit(self.epsilon, self.num_features, min(self.low), max(self.high), self.sampled).estimate(report)


def unbiased(kind: type[MultiBit]) -> bool:
    x = (100.0, 0.25, -3.0)
    return torch.allclose(moments(kind(1.5, 3, LOW, HIGH, 2), x)[0], torch.tensor(x).double(), atol=1e-3)


def test_every_column_is_estimated_without_bias_in_its_own_units():
    assert unbiased(MultiBit) and not unbiased(WidestRange)
    x = (100.0, 0.25, -3.0)
    variance = MultiBit(1.5, 3, LOW, HIGH, 2).variance(torch.tensor(x))
    assert torch.allclose(moments(MultiBit(1.5, 3, LOW, HIGH, 2), x)[1], variance.double(), rtol=1e-5)


class FirstRange(MultiBit):
    """Mutant: everybody's bits lean by the range of the first column."""

    def report(self, x, *, generator):
        return MultiBit(self.epsilon, 3, self.low[0], self.high[0], self.sampled).report(
            x.clamp(self.low[0], self.high[0]), generator=generator)


def test_a_range_of_another_column_is_noticed():
    check_mechanism(MultiBit(1.5, 3, LOW, HIGH, 2))
    with pytest.raises(CheckFailed, match="drawn"):
        check_mechanism(FirstRange(1.5, 3, LOW, HIGH, 2))


@pytest.mark.parametrize("low, high", [(0.0, 1.0), (0.1, 0.7), (-1 / 3, math.pi), (0.0, 1e6)])
@pytest.mark.parametrize("m", [1, 4])
def test_the_same_pair_for_all_columns_gives_the_same_bits(low, high, m):
    x = (torch.rand(200, 6, generator=seeded(1)) * (high - low) + low).clamp(low, high)
    one, each = MultiBit(2.0, 6, low, high, m), MultiBit(2.0, 6, (low,) * 6, [high] * 6, m)
    report = one.report(x, generator=seeded(2))
    assert torch.equal(report, each.report(x, generator=seeded(2)))
    assert torch.equal(one.estimate(report), each.estimate(report))
    assert torch.equal(report, MultiBit(2.0, 6, low, (high,) * 6, m).report(x, generator=seeded(2)))


def test_no_rounding_of_bounds_costs_more_than_epsilon():
    """In 32 bits 1,000,000.1 is .025 further from 1,000,000 than it is: bits would lean too far."""
    n, mechanism = 200_000, MultiBit(1.0, 1, 1e6, 1e6 + 0.1)
    plus = [float((mechanism.report(torch.full((n, 1), end), generator=seeded(0)) > 0).double().mean())
            for end in (mechanism.low, mechanism.high)]
    for found, stated in zip(plus, (1 / (1 + math.e), math.e / (1 + math.e)), strict=True):
        assert abs(found - stated) < 5.1 * math.sqrt(stated * (1 - stated) / n)  # both: level 7e-7; one was .847


def test_who_is_outside_her_columns_range_is_told_the_column():
    with pytest.raises(ValueError, match=r"features of column 1 must lie in \[0, 1\], got \[2, 2\]"):
        MultiBit(1.0, 3, LOW, HIGH)(torch.tensor([[50.0, 2.0, 5.0]]), generator=seeded(0))
    with pytest.raises(ValueError, match="features must have 3 columns, as their bounds have, got 2"):
        MultiBit(1.0, 3, LOW, HIGH)(torch.zeros(1, 2), generator=seeded(0))


# Graphs, releases, controls.

@pytest.mark.parametrize("stated", [RANGES, [list(pair) for pair in RANGES], np.array(RANGES),
                                    torch.tensor(RANGES, dtype=torch.float64)])
def test_ranges_are_read_from_whatever_holds_pairs(stated):
    assert town(stated).feature_range == RANGES
    assert town(town(stated).feature_range).feature_range == RANGES


@pytest.mark.parametrize("method", [LPGNN(epsilon_x=2.0), LPGNN(epsilon_x=math.inf),
                                    GraphPrivatizer(structure=SymmetricResponse(1.0))])
def test_a_graph_with_the_same_pair_for_all_columns_is_the_same_graph(method):
    x = torch.rand(N, 3, generator=seeded(3)) * 4 - 1
    one, each = (method.collect(town(stated, x), seeded(1)) for stated in ((-0.5, 2.5), [(-0.5, 2.5)] * 3))
    for name in ("report", "y", "edge_index"):
        assert torch.equal(getattr(one, name), getattr(each, name))
    assert torch.equal(one.estimate(), each.estimate()) and one.guarantees == each.guarantees


def test_people_clamp_each_feature_to_its_own_range():
    data = town()
    assert (data.x < torch.tensor(LOW)).any(0).all() and (data.x > torch.tensor(HIGH)).any(0).all()
    assert torch.equal(clamped(data), data.x.maximum(torch.tensor(LOW)).minimum(torch.tensor(HIGH)))
    assert torch.equal(LPGNN(epsilon_x=math.inf).collect(data, seeded(1)).report, clamped(data))
    stream = seeded(1)
    report_labels(data, 3.0, stream)
    expected = MultiBit(3.0, 3, LOW, HIGH).report(clamped(data), generator=stream)
    assert torch.equal(LPGNN(epsilon_x=3.0).collect(data, seeded(1)).report, expected)


def test_the_constant_control_is_the_middle_of_each_range():
    assert constant_features(town(), seeded(0)).x.unique(dim=0).tolist() == [[60.0, 0.5, 10.0]]
    assert middle(town((0, 1))).tolist() == 0.5


@pytest.mark.parametrize("epsilon_x", [2.0, math.inf])
@pytest.mark.parametrize("standardize", [True, False])
def test_factors_know_the_ranges(epsilon_x, standardize, monkeypatch):
    method = LPGNN(epsilon_x=epsilon_x, x_steps=2, y_steps=1, epochs=3, standardize=standardize)
    release = method.collect(town(), seeded(1))
    dense = method.prepare(release, seeded(1))
    monkeypatch.setattr(features, "LARGE", 0), monkeypatch.setattr(features, "CHEAPER", 0.01)
    factored = method.prepare(release, seeded(1))
    assert isinstance(factored.inputs.features, Factored) and not isinstance(dense.inputs.features, Factored)
    assert torch.allclose(factored.inputs.features.to_dense(), dense.inputs.features.x, rtol=1e-4, atol=1e-4)
    weight = torch.randn(5, 3, generator=seeded(2))
    assert torch.allclose(factored.inputs.features.project(weight), dense.inputs.features.project(weight),
                          rtol=1e-4, atol=1e-3)
    assert torch.allclose(factored.predict_proba(), dense.predict_proba(), atol=1e-4)


def test_a_saved_release_keeps_its_ranges(tmp_path):
    release = LPGNN().collect(town(), seeded(1))
    release.save(tmp_path / "release.pt")
    again = LPGNNRelease.load(tmp_path / "release.pt")
    assert again.feature_range == RANGES and torch.equal(again.estimate(), release.estimate())
    for bad, message in ((RANGES[:2], "one for each of 3 columns, got 2 pairs"), (5.0, "two finite numbers"),
                         ((*RANGES[:2], (1.0, 0.0)), "of column 2 must be two finite numbers")):
        replace(release, feature_range=bad).save(tmp_path / "release.pt")
        with pytest.raises(ValueError, match=f"feature_range in .*{message}"):
            LPGNNRelease.load(tmp_path / "release.pt")


class ReadsThemOff(LPGNN):
    """Mutant: the range of each column is that of its values."""

    def collect(self, data, generator):
        low, high = data.x.aminmax(dim=0)
        return replace(super().collect(data, generator), feature_range=tuple(
            zip(low.tolist(), high.tolist(), strict=True)))


def test_the_contract_holds_where_columns_differ():
    few = LPGNN(x_steps=1, y_steps=1, epochs=2)
    check_method(few, town())
    with pytest.raises(AssertionError, match="through noise only"):
        check_method(ReadsThemOff(x_steps=1, y_steps=1, epochs=2), town())


# The command line.

@pytest.fixture
def mine(tmp_path):
    data = town()
    np.savez(tmp_path / "mine.npz", edge_index=data.edge_index, x=data.x, y=data.y)
    (tmp_path / "my ranges.csv").write_text("".join(f"{low:g}, {high:g}\n" for low, high in RANGES))
    return tmp_path


def test_ranges_come_from_a_file_and_check_says_how_to_run(mine, capsys):
    stated = ["--range-file", str(mine / "my ranges.csv")]
    assert main(["check", str(mine / "mine.npz")]) == 1
    assert "--range-file FILE" in capsys.readouterr().out
    assert main(["check", str(mine / "mine.npz"), *stated]) == 0
    command = shlex.split(capsys.readouterr().out.splitlines()[-1].replace("CLASSES", "2"))
    assert command[-2:] == stated
    assert main([*command[1:], "--repeats", "1", "--epochs", "1", "--save", str(mine / "out")]) == 0
    assert LPGNNRelease.load(mine / "out" / "release.pt").feature_range == RANGES


@pytest.mark.parametrize("text, message", [
    ("0,120\n0,1\n", "one for each of 3 columns, got 2 pairs"),
    ("0,120\n1,0\n0,1\n", "column 1 must be two finite numbers"),
    ("0,120\n0,nan\n0,1\n", "column 1 must be two finite numbers"),
    ("0\n0\n0\n", "column 0 must be two finite numbers"),
    ("low,high\n0,1\n0,1\n", "--range-file must name a text file with LOW,HIGH in each line"),
    ("", "--range-file must name a text file"), (None, "ranges.csv")])
@pytest.mark.parametrize("command", ["check", "run"])
def test_files_of_no_ranges_are_named(mine, capsys, text, message, command):
    path = mine / "ranges.csv"
    if text is not None:
        path.write_text(text)
    words = ["check", str(mine / "mine.npz")] if command == "check" else [
        "run", "lpgnn", "--graph", str(mine / "mine.npz"), "--num-classes", "2"]
    assert main([*words, "--range-file", str(path)]) != 0
    assert message in "".join(capsys.readouterr())
