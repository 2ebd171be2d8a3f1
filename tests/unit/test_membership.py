"""Membership attacks: what they find where there is something to find, and nothing where there is not."""

import math

import pytest
import torch
from scipy.stats import norm

from privgraph.attacks import (
    confidence,
    evaluate_attack,
    likelihood_ratio,
    offline_likelihood,
    rate_ceiling,
    shadow_attack,
)
from privgraph.audit import worst_case
from privgraph.mechanisms import RandomisedResponse
from privgraph.randomness import seeded


def answers(member, generator, sharper=2.0):
    """Posteriors of 5 classes that are sharper for members."""
    logits = torch.randn(len(member), 5, generator=generator)
    return (logits * torch.where(member, sharper, 1.0)[:, None]).softmax(1)


def test_the_shadow_attack_finds_members_and_nothing_where_there_is_nothing():
    """2,000 nodes: far above chance where members' answers are sharper;
    at level 1e-6 not above it where they are alike."""
    member = torch.arange(2000) % 2 == 0
    for sharper, found in ((3.0, True), (1.0, False)):
        shadow, target = answers(member, seeded(0), sharper), answers(member, seeded(1), sharper)
        result = evaluate_attack(shadow_attack(shadow, member, target, seeded(2)), member, confidence=1 - 2e-6)
        assert (result.auc_low > 0.7) if found else (result.auc_low < 0.5 < result.auc_high)


def test_the_shadow_attack_does_not_see_classes():
    """Sorted answers: a permutation of the classes changes no score."""
    member = torch.arange(200) % 2 == 0
    shadow, target = answers(member, seeded(0)), answers(member, seeded(1))
    order = torch.randperm(5, generator=seeded(3))
    plain, turned = (shadow_attack(shadow, member, t, seeded(2), epochs=20) for t in (target, target[:, order]))
    assert torch.equal(plain, turned)
    assert torch.equal(plain, shadow_attack(shadow, member, target, seeded(2), epochs=20))


def test_confidence_is_the_log_odds_of_the_true_class():
    p = torch.tensor([[0.9, 0.05, 0.05], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    found = confidence(p, torch.tensor([0, 0, 0]))
    assert found[0] == pytest.approx(math.log(9), rel=1e-5, abs=0) and found[1] > 50 > -50 > found[2]


def gaussian_shadows(shift, models=64, nodes=3000, seed=0):
    g = seeded(seed)
    hard = 2 * torch.randn(nodes, generator=g)  # each node has its own level
    member = torch.rand(models + 1, nodes, generator=g) < 0.5
    member[0], member[1] = True, False
    scores = hard + shift * member + torch.randn(models + 1, nodes, generator=g)
    return scores[-1], scores[:-1], member[:-1], member[-1]


def test_the_likelihood_ratio_attack_reaches_the_best_auc():
    """Unit-variance normals, a shift of 1: no attack has an AUC above Phi(1 / sqrt 2) = .760;
    ours is within .03 of it."""
    target, shadows, member, truth = gaussian_shadows(1.0)
    best = float(norm.cdf(1 / math.sqrt(2)))
    found = evaluate_attack(likelihood_ratio(target, shadows, member), truth)
    assert best - 0.03 < found.auc < best + 0.03
    naive = evaluate_attack(target, truth)  # the same threshold for all nodes
    assert naive.auc < found.auc - 0.08


def test_the_likelihood_ratio_of_two_normals():
    """Two nodes, exact: means 1 and 0 with deviation sqrt 2, so the ratio is (t - 1/2) / 2."""
    base = torch.tensor([[0.0, 2.0], [2.0, 0.0], [-1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    member = torch.tensor([[True, True], [True, True], [False, False], [False, False]])
    found = likelihood_ratio(torch.tensor([0.3, -0.4], dtype=torch.float64), base, member)
    # variance: 4 squares of 1, less 2 means
    assert found.tolist() == pytest.approx([(t - 0.5) / 2 for t in (0.3, -0.4)])


def node_by_node(target, shadows, member, variance, offline):
    """Both attacks as lists say them: means of each node, deviations of each or of all."""
    nodes = range(len(target))
    parts = [[[float(s[v]) for s, m in zip(shadows, member, strict=True) if bool(m[v]) is side] for v in nodes]
             for side in (True, False)]
    laws = []
    for part in parts:
        if not all(part):
            laws.append(None)
            continue
        away = [[value - sum(values) / len(values) for value in values] for values in part]
        squares = [sum(a * a for a in each) for each in away]
        free = sum(len(each) - 1 for each in away)
        own = [math.sqrt(q / (len(each) - 1)) if variance == "own" else math.sqrt(sum(squares) / free)
               for q, each in zip(squares, away, strict=True)]
        laws.append([norm(sum(values) / len(values), deviation)
                     for values, deviation in zip(part, own, strict=True)])
    if offline:
        return [float(norm.ppf(laws[1][v].cdf(float(target[v])))) for v in nodes]
    return [float(laws[0][v].logpdf(float(target[v])) - laws[1][v].logpdf(float(target[v]))) for v in nodes]


@pytest.mark.parametrize("variance", ["shared", "own"])
def test_both_likelihood_attacks_are_those_of_lists(variance):
    target, shadows, member, _ = gaussian_shadows(1.0, models=12, nodes=40, seed=3)
    enough = (member.sum(0) >= 2) & (member.sum(0) <= 10)
    given = target[enough].double(), shadows[:, enough].double(), member[:, enough]
    for attack, offline in ((likelihood_ratio, False), (offline_likelihood, True)):
        assert attack(*given, variance=variance).tolist() == pytest.approx(
            node_by_node(*given, variance, offline), rel=1e-6, abs=1e-6)
    assert not torch.allclose(likelihood_ratio(*given, variance="own"), likelihood_ratio(*given))


def test_offline_no_shadow_model_need_have_had_a_node():
    """Who was in no shadow model at all is scored, and those models that had a node do not count."""
    target, shadows, member, _ = gaussian_shadows(1.0, models=6, nodes=50)
    member[1] = False
    nobody = torch.zeros_like(member)
    spoiled = torch.where(member, 1e3, shadows)
    for variance in ("shared", "own"):
        least = (~member).sum(0) > (variance == "own")
        given = [each[..., least] for each in (target, shadows, member)]
        scores = offline_likelihood(*given, variance=variance)
        assert torch.equal(scores, offline_likelihood(given[0], spoiled[:, least], given[2], variance=variance))
        assert offline_likelihood(target, shadows, nobody, variance=variance).isfinite().all()


def test_offline_is_as_good_where_confidence_rises_and_blind_where_it_may_fall():
    """Unit-variance normals, a shift of 1. Both order a node by t - mu: the best AUC is that of a known mean, Phi(1 /
    sqrt 2) = .760, and theirs is within .03 of it. Where some members' confidence *falls*, only online finds them."""
    target, shadows, member, truth = gaussian_shadows(1.0)
    best = float(norm.cdf(1 / math.sqrt(2)))
    for attack in (offline_likelihood, likelihood_ratio):
        assert best - 0.03 < evaluate_attack(attack(target, shadows, member), truth).auc < best + 0.03
    sign = torch.where(torch.arange(3000) % 2 == 0, 1.0, -1.0)
    given = sign * target, sign * shadows, member
    offline, online = (evaluate_attack(attack(*given), truth) for attack in (offline_likelihood, likelihood_ratio))
    assert offline.auc_low < 0.5 < offline.auc_high and online.auc > best - 0.03


def test_deviations_of_its_own_pay_where_nodes_differ_in_them():
    """Half of the nodes have a deviation of .2, half of 5, and members a shift of 1. From 64 shadow models each node's
    own deviation is known well enough to find the sure ones at 1% false alarms."""
    g = seeded(5)
    spread = torch.where(torch.arange(3000) % 2 == 0, 0.2, 5.0)
    member = torch.rand(65, 3000, generator=g) < 0.5
    member[:2], member[2:4] = True, False
    scores = member + spread * torch.randn(65, 3000, generator=g)
    own, shared = (evaluate_attack(likelihood_ratio(scores[-1], scores[:-1], member[:-1], variance), member[-1])
                   for variance in ("own", "shared"))
    assert own.tpr_low > shared.tpr_high + 0.2 and own.auc_low > shared.auc_high


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_ceiling_of_the_rate_is_attained_by_randomised_response(epsilon):
    """At its own false positive rate; and no test of it lies above at any rate."""
    response = RandomisedResponse(epsilon, 2)
    assert worst_case(response, [0, 1]).epsilon == pytest.approx(epsilon)
    flip = response.flip
    assert rate_ceiling(epsilon, 0.0, flip) == pytest.approx(1 - flip)
    for f in torch.linspace(0, 1, 50).tolist():  # its curve: straight lines through (flip, keep)
        keep = 1 - flip
        rate = f / flip * keep if f < flip else keep + (f - flip) / (1 - flip) * (1 - keep)
        assert rate <= rate_ceiling(epsilon, 0.0, f) + 1e-12
    assert rate_ceiling(epsilon, 0.1, 0.01) >= rate_ceiling(epsilon, 0.0, 0.01)
    assert rate_ceiling(0.0, 0.0, 0.01) == pytest.approx(0.01) and rate_ceiling(1000.0, 0.0) == 1.0


@pytest.mark.parametrize("call, message", [
    (lambda: shadow_attack(torch.ones(4, 2), torch.ones(4, dtype=torch.bool), torch.ones(2, 2), seeded(0)),
     "members and others, got 4"),
    (lambda: shadow_attack(torch.ones(4, 2), torch.ones(3), torch.ones(2, 2), seeded(0)),
     r"member must be a bool tensor of shape \[4\]"),
    (lambda: shadow_attack(torch.ones(2, 2), torch.tensor([True, False]), torch.ones(2, 3), seeded(0)),
     "same classes, got 2 and 3"),
    (lambda: likelihood_ratio(torch.ones(2), torch.ones(3, 2), torch.ones(3, 2, dtype=torch.bool)),
     "of some shadow models and not of others, got 2 that are not"),
    (lambda: likelihood_ratio(torch.ones(2), torch.ones(3, 2), torch.tensor([[True] * 2, [True, False], [False] * 2]),
                              variance="own"), "of two or more shadow models and not of others, got 2 that are not"),
    (lambda: offline_likelihood(torch.ones(2), torch.ones(3, 2), torch.tensor([[True] * 2, [True, False], [True] * 2])),
     "no member of some shadow models, got 1 that are"),
    (lambda: offline_likelihood(torch.ones(2), torch.ones(3, 2), torch.tensor([[True] * 2, [True, False], [False] * 2]),
                                variance="own"), "no member of two or more shadow models, got 1 that are"),
    (lambda: likelihood_ratio(torch.ones(2), torch.eye(2), torch.eye(2) > 0, variance="each"),
     "variance must be one of own, shared; got 'each'"),
    (lambda: likelihood_ratio(torch.ones(3), torch.ones(3, 2), torch.ones(3, 2, dtype=torch.bool)), "must have shapes"),
    (lambda: confidence(torch.ones(2, 2), torch.tensor([0, 2])), "labels must lie in 0..1"),
    (lambda: rate_ceiling(-1.0, 0.0), "epsilon must be at least 0"),
])
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
