"""Attacks 1 to 7 of link stealing: what is read of a pair, by loops; what each is given, and what it finds with it."""

import math
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from scipy.spatial import distance as scipy_distance
from scipy.stats import entropy

from privgraph import attacks
from privgraph.attacks import DISTANCES, evaluate_attack, link_stealing_2, posterior_similarity
from privgraph.attacks.link_stealing import Seen, learned, scale_of, with_features
from privgraph.attacks.worlds import N, stealing
from privgraph.randomness import seeded

ATTACKS = {number: getattr(attacks, f"link_stealing_{number}") for number in range(1, 8)}
LEARNS = [number for number in ATTACKS if number != 2]
F_ROWS, G_ROWS, X_ROWS = (torch.rand(9, width, generator=seeded(width)).softmax(1) for width in (3, 4, 6))
PAIRS = torch.cartesian_prod(torch.arange(9), torch.arange(9)).t()
PAIRS = PAIRS[:, PAIRS[0] != PAIRS[1]]


def four(a, b):
    return [(a + b) / 2, a * b, abs(a - b), (a - b) ** 2]


def by_loops(rows, probabilities, vectors, u, v):
    """What He et al. read of one pair: eight distances of each matrix; of each posterior its entropy, combined in four
    ways; and, if wanted, its numbers, combined in the same ways."""
    read = [getattr(scipy_distance, name)(each[u], each[v]) for each in rows for name in DISTANCES]
    for each in probabilities:
        read += four(float(entropy(each[u])), float(entropy(each[v])))
    for each in probabilities if vectors else ():
        combined = [four(float(a), float(b)) for a, b in zip(each[u], each[v], strict=True)]
        read += [numbers[way] for way in range(4) for numbers in combined]
    return read


@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize("features", [False, True])
def test_what_is_read_of_a_pair(features, vectors, monkeypatch):
    if features:
        seen, rows, probabilities = (with_features(F_ROWS, G_ROWS, X_ROWS, vectors=vectors), (F_ROWS, G_ROWS, X_ROWS),
                                     (F_ROWS, G_ROWS))
    else:
        seen, rows, probabilities = Seen((F_ROWS.double(),), vectors=vectors), (F_ROWS,), (F_ROWS,)
    wide, sure = ([each.double().numpy() for each in group] for group in (rows, probabilities))
    slow = torch.tensor([by_loops(wide, sure, vectors, u, v) for u, v in PAIRS.t().tolist()], dtype=torch.double)
    fast = seen.features(PAIRS)
    assert fast.shape == slow.shape and torch.allclose(fast, slow, atol=1e-6)
    assert torch.allclose(fast, seen.features(PAIRS.flip(0)))
    monkeypatch.setattr("privgraph.attacks.link_stealing.CELLS", 20)
    assert torch.equal(seen.features(PAIRS), fast) and seen.features(PAIRS[:, :0]).shape == (0, fast.size(1))


def test_a_scale_is_that_of_random_pairs_of_different_nodes(monkeypatch):
    """Mean and deviation over all pairs of a small graph, within five standard errors of 200,000 drawn ones; a column
    that never moves is divided by something."""
    monkeypatch.setattr("privgraph.attacks.link_stealing.MEASURED", 200_000)
    rows = torch.cat([F_ROWS, torch.zeros(9, 1)], 1).double()
    seen = Seen((rows,), vectors=True)
    mean, deviation = scale_of(seen, seeded(0))
    every = seen.features(PAIRS)
    assert torch.allclose(mean, every.mean(0), atol=5 * float(every.std(0).max()) / math.sqrt(170_000))
    assert torch.allclose(deviation, every.std(0, unbiased=False), rtol=0.03, atol=1e-8) and (deviation > 0).all()


def test_attack_2_is_a_difference_of_distances():
    for name, near in DISTANCES.items():
        oracle = getattr(scipy_distance, name)
        wide = [each.double().numpy() for each in (F_ROWS, G_ROWS)]
        slow = [oracle(wide[1][u], wide[1][v]) - oracle(wide[0][u], wide[0][v]) for u, v in PAIRS.t().tolist()]
        assert link_stealing_2(F_ROWS, G_ROWS, PAIRS, name).tolist() == pytest.approx(slow, abs=1e-12)
        assert near is DISTANCES[name]


def test_attack_2_takes_off_what_features_explain():
    """Nodes answer alike for two reasons: their features' kind, which a reference model knows too, and their links'
    community. Attack-0 is misled by the first, Attack-2 is not."""
    g = seeded(0)
    kind, community = (torch.randint(4, (200,), generator=g) for _ in range(2))
    reasons = [F.one_hot(each, 4) / 2 for each in (kind, community)]
    f, reference = (torch.cat(halves, 1) + 0.02 * torch.rand(200, 8, generator=g)
                    for halves in (reasons, [reasons[0], torch.full((200, 4), 1 / 8)]))
    pairs = torch.randint(200, (2, 4000), generator=g)
    pairs = pairs[:, pairs[0] != pairs[1]]
    linked = community[pairs[0]] == community[pairs[1]]
    alone = evaluate_attack(posterior_similarity(f, pairs, "euclidean"), linked)
    beside = evaluate_attack(link_stealing_2(f, reference, pairs, "euclidean"), linked)
    assert beside.auc_low > 0.99 > alone.auc_high


GIVEN = {1: "shadow", 2: "features", 3: "partial", 4: "partial shadow", 5: "features shadow", 6: "features partial",
         7: "features partial shadow"}
NAMES = {"shadow": ["shadow_posteriors", "shadow_pairs", "shadow_linked"], "features": ["reference"],
         "partial": ["known", "linked"]}


@pytest.mark.parametrize("number", ATTACKS)
def test_each_attack_is_given_what_the_paper_says(number):
    known, _ = ATTACKS[number].world(True, seeded(0))
    wanted = {"posteriors", "pairs", *(name for what in GIVEN[number].split() for name in NAMES[what])}
    wanted |= {"generator"} if number != 2 else set()
    wanted |= {"x"} if number > 4 else set()
    wanted |= {"shadow_reference", "shadow_x"} if number in (5, 7) else set()
    assert known.keys() == wanted


@pytest.mark.parametrize("number", LEARNS)
def test_it_goes_by_its_lessons(number):
    """Told the truth it finds links, told the opposite it finds the others. (That it finds nothing where there is
    nothing, ``check_attack`` tries.)"""
    known, truth = ATTACKS[number].world(True, seeded(0))
    lies = {name: ~known[name] for name in {"linked", "shadow_linked"} & known.keys()}
    right = evaluate_attack(ATTACKS[number](**known), truth, confidence=1 - 2e-6)
    wrong = evaluate_attack(ATTACKS[number](**known | lies | {"generator": seeded(2)}), truth, confidence=1 - 2e-6)
    assert right.auc_low > 0.7 and wrong.auc_high < 0.3


@pytest.mark.parametrize("number", [4, 7])
def test_both_lessons_count(number):
    """Twenty pairs of one lesson are lies: the four hundred of the other are learnt from, whichever it is."""
    known, truth = ATTACKS[number].world(True, seeded(0))
    for pairs, linked in (("known", "linked"), ("shadow_pairs", "shadow_linked")):
        lies = {pairs: known[pairs][:, :20], linked: ~known[linked][:20]}
        found = evaluate_attack(ATTACKS[number](**known | lies | {"generator": seeded(2)}), truth)
        assert found.auc_low > 0.7


def test_each_graph_has_a_scale_of_its_own():
    """A shadow data set whose features are a thousand times as large teaches the same."""
    known, _ = ATTACKS[5].world(True, seeded(0))
    large = known | {"shadow_x": 1000 * known["shadow_x"], "generator": seeded(2)}
    assert torch.allclose(ATTACKS[5](**large), ATTACKS[5](**known | {"generator": seeded(2)}), atol=1e-3)


@pytest.mark.parametrize("number", [1, 4, 5, 7])
def test_a_shadow_data_set_may_have_other_classes_features_and_nodes(number):
    known, truth = ATTACKS[number].world(True, seeded(0))
    for name in ("shadow_posteriors", "shadow_reference"):
        if name in known:  # a class more, which is never named, and ten nodes more
            known[name] = F.pad(known[name], (0, 1, 0, 10), value=0.01)
    if "shadow_x" in known:
        known["shadow_x"] = torch.rand(N + 10, 7, generator=seeded(1))
    assert evaluate_attack(ATTACKS[number](**known), truth).auc_low > 0.7


def test_features_that_explain_links_are_read():
    """Posteriors of noise: Attack-6 finds by features alone what Attack-3 cannot."""
    known, truth = ATTACKS[6].world(True, seeded(0))
    noise = torch.rand(N, 4, generator=seeded(1)).softmax(1)
    known |= {"x": known["posteriors"], "posteriors": noise}
    blind = ATTACKS[3](**{name: known[name] for name in ("posteriors", "pairs", "known", "linked")},
                       generator=seeded(2))
    assert evaluate_attack(ATTACKS[6](**known), truth).auc_low > 0.7 > evaluate_attack(blind, truth).auc_high


def test_the_network_learns_what_a_line_parts():
    """Logits above 0 on one side of a plane and below on the other, for new points; and the same from the same coins.
    """
    x, new = (torch.randn(1000, 5, generator=seeded(seed)) for seed in (0, 1))
    side, wanted = x.sum(1) > 0, new.sum(1) > 0
    logits = learned(x, side.float(), new, seeded(2), 20)
    assert float(((logits > 0) == wanted).double().mean()) > 0.95 and logits.dtype == torch.double
    assert torch.equal(logits, learned(x, side.float(), new, seeded(2), 20))
    assert not torch.equal(logits, learned(x, side.float(), new, seeded(3), 20))


def test_more_epochs_and_no_pairs():
    known, _ = ATTACKS[3].world(True, seeded(0))
    attack = partial(ATTACKS[3], **known | {"pairs": known["pairs"][:, :0]})
    assert attack(epochs=1).shape == (0,)
    one, two = (ATTACKS[3](**known | {"generator": seeded(1)}, epochs=epochs) for epochs in (1, 2))
    assert not torch.allclose(one, two)


@pytest.mark.parametrize("name, short, message", [
    ("reference", lambda rows: rows[:5], f"reference must have a row for each of {N} nodes, got 5"),
    ("x", lambda rows: rows[:5], f"x must have a row for each of {N} nodes, got 5"),
    ("shadow_reference", lambda rows: rows[1:], f"shadow_reference must have a row for each of {N} nodes, got {N - 1}"),
    ("linked", lambda linked: linked & False, "linked must say of at least 10 pairs whether they are links"),
    ("shadow_linked", lambda linked: linked[:9], "shadow_linked must be a bool tensor"),
    ("shadow_pairs", lambda pairs: pairs + N, rf"shadow_pairs must name nodes 0..{N - 1}"),
])
def test_what_does_not_go_together_is_refused(name, short, message):
    known, _ = ATTACKS[7].world(True, seeded(0))
    with pytest.raises(ValueError, match=message):
        ATTACKS[7](**known | {name: short(known[name])})


def test_the_uninformed_world_has_no_clue():
    """What the contract rests on: answers, lessons and truth of a world without information were drawn apart."""
    aucs = []
    for seed in range(40):
        known, truth = stealing("posteriors", "pairs")(False, seeded(seed))
        aucs.append(evaluate_attack(posterior_similarity(known["posteriors"], known["pairs"]), truth).auc)
    assert abs(sum(aucs) / 40 - 0.5) < 5 * 0.03 / math.sqrt(40)
