"""What prototypes tell: scores against densities, recovery against all sets, and an encoder's prototypes."""

from itertools import combinations

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal

from privgraph.attacks import (
    Recovered,
    check_attack,
    evaluate_attack,
    prototype_closeness,
    recover_support,
    support_membership,
    support_trials,
)
from privgraph.attacks.prototypes import RIDGE
from privgraph.datasets import Sampler, load_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.methods import PrototypicalNetwork, prototypes
from privgraph.randomness import seeded

SURE = 1 - 2e-6
Y = torch.arange(3).repeat_interleave(40)
Z = torch.randn(120, 4, generator=seeded(0)) * torch.tensor([1.0, 3.0, 0.2, 1.0]) + Y[:, None]


def test_of_one_shot_the_member_scores_highest_by_far():
    published = prototypes(Z[::40], Y[::40], 3)
    for scores in (support_membership(published, Z, Y, shots=1), prototype_closeness(published, Z, Y)):
        assert scores[::40].abs().max() < 1e-9
        assert scores[torch.arange(120) % 40 > 0].max() < -0.01


@pytest.mark.parametrize("shots, sigma", [(2, 0.0), (5, 0.0), (20, 0.0), (1, 0.5), (2, 0.5), (20, 0.1)])
def test_the_score_is_the_quotient_of_two_densities(shots, sigma):
    """Candidate by candidate, up to one constant."""
    published = prototypes(Z, Y, 3) + 0.3 * torch.randn(3, 4, generator=seeded(1))
    means = torch.stack([Z[c == Y].double().mean(0) for c in range(3)]).numpy()
    residuals = Z.double().numpy() - means[Y]
    spread = residuals.T @ residuals / len(Z)
    spread += RIDGE * spread.diagonal().mean() * np.eye(4)
    slow = []
    for z, c in zip(Z.double().numpy(), Y.tolist(), strict=True):
        told, mean = published[c].double().numpy(), means[c]
        noise = sigma**2 * np.eye(4)
        member = multivariate_normal(mean + (z - mean) / shots, spread * (shots - 1) / shots**2 + noise).logpdf(told)
        slow.append(member - multivariate_normal(mean, spread / shots + noise).logpdf(told))
    fast = support_membership(published, Z, Y, shots, sigma).numpy() / (2 if sigma else 2 * (shots - 1))
    assert np.ptp(fast - np.array(slow)) < 1e-9 * np.ptp(slow) and np.ptp(slow) > 1


def test_few_shots_tell_more_and_allowing_for_what_is_typical_finds_more():
    found = [evaluate_attack(*(part.flatten() for part in support_trials(Z, Y, shots, 100, seeded(2))), SURE)
             for shots in (1, 2, 20)]
    assert found[0].auc == 1
    assert found[0].auc_low > found[1].auc_high and found[1].auc_low > found[2].auc_high and found[2].auc_low > 0.5
    near = evaluate_attack(*(part.flatten() for part in support_trials(Z, Y, 2, 100, seeded(2),
                                                                       attack=prototype_closeness)), SURE)
    assert near.auc_high < found[1].auc_low


def test_who_knows_how_much_noise_there_is_finds_more():
    """5 shots, noise of about the spread of a mean: who takes it for none ranks by the noise."""
    noise = seeded(3)
    def publish(z, y, ways):
        return prototypes(z, y, ways) + 0.3 * torch.randn(ways, 4, generator=noise)
    aware, unaware = (evaluate_attack(*(part.flatten() for part in support_trials(
        Z, Y, 5, 100, seeded(2), publish=publish,
        attack=lambda published, z, y, sigma=sigma: support_membership(published, z, y, 5, sigma))), SURE)
        for sigma in (0.3, 0.0))
    assert aware.auc_low > unaware.auc_high and aware.auc_low > 0.5


def test_prototypes_that_are_noise_tell_nothing():
    """The graphs of a task are asked together, so chance is judged by the tasks: 4.9 deviations of their mean."""
    def noise(z, y, ways):
        return torch.randn(ways, z.size(1), generator=generator)
    generator = seeded(3)
    scores, members = support_trials(Z, Y, 5, 100, seeded(4), publish=noise)
    aucs = torch.tensor([evaluate_attack(s, m).auc for s, m in zip(scores, members, strict=True)])
    assert abs(aucs.mean() - 0.5) < 4.9 * aucs.std() / 10


def test_tasks_draw_so_many_of_each_class_and_publish_their_means():
    def told(published, z, y):
        seen.append(published)
        return prototype_closeness(published, z, y)
    seen = []
    mixed = torch.randperm(120, generator=seeded(5))
    scores, members = support_trials(Z[mixed], Y[mixed], 3, 50, seeded(6), attack=told)
    assert scores.shape == members.shape == (50, 120)
    assert all((members[:, Y[mixed] == c].sum(1) == 3).all() for c in range(3))
    assert all(torch.equal(p, prototypes(Z[mixed][m], Y[mixed][m], 3)) for p, m in zip(seen, members, strict=True))
    drawn = members.sum(0)  # of 50 tasks 3 in 40: 3.75 on average
    assert drawn.max() <= 19 and len(members.unique(dim=0)) == 50  # more of one graph: 2e-8


@pytest.mark.parametrize("shots", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["differ", "twice", "lattice"])
def test_all_sets_that_fit_are_found(shots, kind):
    """As by trying every set. On a lattice, and with each vector twice, several fit."""
    pool = torch.randn(12, 3, generator=seeded(7))
    pool = {"differ": pool, "twice": pool[:6].repeat(2, 1), "lattice": (2 * pool).round()}[kind]
    members = torch.randperm(12, generator=seeded(8))[:shots].sort().values
    published = pool[members].mean(0, keepdim=True)
    slow = [s for s in combinations(range(12), shots) if (pool[list(s)].mean(0) - published[0]).abs().max() < 1e-5]
    found, = recover_support(published, pool, shots)
    assert found.sets.tolist() == [list(s) for s in slow] and tuple(members.tolist()) in slow
    assert found.unique == (len(slow) == 1) and (kind != "differ" or found.unique)
    assert kind != "twice" or not found.unique
    assert found.certain.tolist() == sorted(set.intersection(*map(set, slow)))


def test_a_set_with_a_stranger_fits_nothing():
    pool = torch.randn(12, 3, generator=seeded(9))
    found, = recover_support(torch.cat([pool[:3], torch.ones(1, 3)]).mean(0, keepdim=True), pool)
    assert found.sets.shape == (0, 4) and not found.unique and found.certain.tolist() == []


def test_each_prototype_is_asked_and_rounding_is_allowed_for():
    pool = 1000 * torch.randn(40, 2, generator=seeded(10))
    members = torch.tensor([[0, 5, 9, 30], [1, 2, 3, 4]])
    published = pool[members].mean(1)
    assert [found.sets.tolist() for found in recover_support(published, pool)] == [[s] for s in members.tolist()]
    off = 2 * 4 * torch.finfo(torch.float32).eps * float(pool.abs().max())  # twice what is allowed for
    assert [len(found.sets) for found in recover_support(published.double() + off, pool)] == [0, 0]
    assert [len(found.sets) for found in recover_support(published.double() + off, pool, tolerance=2.1)] == [1, 1]


def test_prototypes_of_an_encoder_give_four_shots_away():
    """Candidates go through the encoder in another pass than the support set."""
    data = load_graphs("letters")
    train = Sampler(data, data.train_classes, 4, 5, 10)
    solver = PrototypicalNetwork(readout="sum", learning_rate=0.005, episodes=30).learn(train, seeded(0))
    graphs = GraphBatch.from_data_list(data.graphs).take(data.of_class(data.test_classes[0])[:100])
    pool = solver.embed(graphs)
    for seed in range(5):
        members = torch.randperm(100, generator=seeded(seed))[:4].sort().values
        found, = recover_support(solver.embed(graphs.take(members)).mean(0, keepdim=True), pool)
        assert found.sets.tolist() == [members.tolist()]


def test_vectors_that_are_all_alike_are_no_answer():
    alike, y = torch.zeros(3, 2), torch.zeros(3, dtype=torch.long)
    assert support_membership(alike[:1], alike, y).tolist() == [0, 0, 0]
    found, = recover_support(torch.zeros(1, 2), torch.zeros(5, 2))
    assert len(found.sets) == 5 and found.certain.tolist() == []
    with pytest.raises(ValueError, match="pool must have vectors that differ: at most 20000000 pairs of sums"):
        recover_support(torch.zeros(1, 2), torch.zeros(120, 2))


def test_what_cannot_be_searched_is_said():
    with pytest.raises(ValueError, match="at most 500000 sets of 3, half of shots, got 608685 of 155"):
        recover_support(torch.zeros(1, 2), torch.zeros(155, 2), shots=6)
    with pytest.raises(ValueError, match="more than shots = 40 of each, got 120 with .40, 40, 40. of each"):
        support_trials(Z, Y, 40, 1, seeded(0))


def test_what_is_certain_is_in_every_set():
    assert Recovered(torch.tensor([[0, 1, 5], [1, 3, 5]])).certain.tolist() == [1, 5]


def upside_down(published, z, y):
    return -support_membership(published, z, y)


def of_another_class(published, z, y):
    return support_membership(published.roll(1, 0), z, y)


@pytest.mark.parametrize("attack", [upside_down, of_another_class])
def test_broken_attacks_are_found(attack):
    with pytest.raises(AssertionError, match="higher scores must mean more likely"):
        check_attack(attack, support_membership.world)
