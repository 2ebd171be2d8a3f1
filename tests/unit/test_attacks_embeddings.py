"""Attackers of published vectors: by definition, trained to their end, and with scores that are not rounded away."""

import pytest
import torch

from privgraph.attacks import boosted_links, closeness, embeddings, evaluate_attack, inner_product, mlp_links
from privgraph.attacks import node_pairs as pairs_module
from privgraph.attacks.embeddings import pair_features, standardized, train_on_pairs
from privgraph.attacks.worlds import known_links
from privgraph.randomness import seeded

Z = torch.randn(7, 3, generator=seeded(0))
PAIRS = torch.combinations(torch.arange(7)).t()


def test_scores_are_those_of_a_loop():
    z = Z.tolist()
    for score, by_hand in ((inner_product, lambda u, v: sum(a * b for a, b in zip(u, v, strict=True))),
                           (closeness, lambda u, v: -sum((a - b) ** 2 for a, b in zip(u, v, strict=True)) ** 0.5)):
        expected = [by_hand(z[u], z[v]) for u, v in PAIRS.t().tolist()]
        assert score(Z, PAIRS).tolist() == pytest.approx(expected, rel=1e-6, abs=0)


def test_what_trees_are_told_has_no_direction():
    features = pair_features(Z, PAIRS)
    assert features.shape == (21, 2 * 3 + 5) and torch.equal(features, pair_features(Z, PAIRS.flip(0)))
    assert torch.allclose(features[:, :3].sum(1), inner_product(Z, PAIRS))
    assert torch.allclose(features[:, 3:6].square().sum(1).sqrt(), -closeness(Z, PAIRS))
    assert torch.allclose(features[:, 6], inner_product(Z, PAIRS))
    assert torch.allclose(features[:, 7], inner_product(Z, PAIRS) / (features[:, 9] * features[:, 10]))
    assert torch.allclose(features[:, 8], -closeness(Z, PAIRS)) and (features[:, 9] <= features[:, 10]).all()


def test_a_rotation_changes_no_relation():
    turn = torch.linalg.qr(torch.randn(3, 3, generator=seeded(1), dtype=torch.double))[0]
    assert torch.allclose(embeddings.relations(Z.double() @ turn, PAIRS), embeddings.relations(Z.double(), PAIRS))


def test_columns_are_standardised_and_a_constant_one_says_nothing():
    x = standardized(torch.cat([5 + 100 * Z, torch.full((7, 1), 0.1)], 1))
    assert torch.allclose(x.mean(0), torch.zeros(4), atol=1e-6)
    assert torch.allclose(x.std(0, unbiased=False), torch.tensor([1.0, 1, 1, 0]), atol=1e-5)


def world(seed: int = 0):
    return known_links(True, seeded(seed))


def test_the_network_is_trained_to_its_end():
    """The loss on pairs held out was least long before the end, and the weights kept are those of that moment."""
    known, _ = world()
    model, history = train_on_pairs(known["z"], known["known"], known["linked"], seeded(1))
    looks, best = len(history.val), history.best_epoch
    assert looks < 400 and looks - best == embeddings.PATIENCE + 1
    assert history.val[best] == min(history.val) and history.train[best] < history.train[0] / 2
    held = torch.randperm(400, generator=seeded(1))[:80]
    with torch.no_grad():
        logits = embeddings.both_orders(model, standardized(known["z"]), known["known"][:, held])
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, known["linked"][held].double())
    assert float(loss) == pytest.approx(history.val[best])


def test_an_attacker_who_stops_early_has_not_learnt_yet():
    """After the first fifty steps, as far as ``steps`` lets her go, she is not where the others end."""
    known, truth = world()
    told = {name: known[name] for name in ("z", "known", "linked")}
    short, full = (train_on_pairs(**told, generator=seeded(1), **steps)[1] for steps in ({"steps": 99}, {}))
    assert len(short.val) == 1 and short.val == full.val[:1] and min(full.val) < short.val[0]
    first, last = (mlp_links(**known | {"generator": seeded(1)}, **steps) for steps in ({"steps": 99}, {}))
    assert evaluate_attack(first, truth).auc < evaluate_attack(last, truth).auc


def test_trees_hear_what_is_known_beside_the_vectors():
    """Vectors of noise, and a score that knows."""
    known, truth = world()
    known["z"] = torch.randn(80, 4, generator=seeded(5))
    columns = [*known["pairs"].t().tolist(), *known["known"].t().tolist()]
    answers = {tuple(pair): float(linked) for pair, linked in zip(columns, [*truth, *known["linked"]], strict=True)}

    def knowing(pairs):
        return torch.tensor([answers[tuple(pair)] for pair in pairs.t().tolist()])
    deaf = boosted_links(**known | {"generator": seeded(2)})
    heard = boosted_links(**known | {"generator": seeded(2)}, beside=[knowing])
    assert evaluate_attack(deaf, truth).auc_high < 0.75 and evaluate_attack(heard, truth).auc == 1


@pytest.mark.parametrize("attack", [mlp_links, boosted_links])
def test_blocks_of_pairs_change_nothing(attack, monkeypatch):
    known, _ = world()
    at_once = attack(**known | {"generator": seeded(3)})
    monkeypatch.setattr(pairs_module, "BLOCK", 7)
    assert torch.allclose(at_once, attack(**known | {"generator": seeded(3)}), atol=1e-5)


def test_the_order_of_the_surest_pairs_is_not_lost():
    """Vectors so far apart that a probability in single precision is 1 for all pairs: the logits still differ."""
    for scale in (30.0, 100.0):
        z = scale * torch.randn(400, 8, generator=seeded(0))
        pairs = torch.stack([torch.arange(200), torch.arange(200, 400)])
        assert inner_product(z, pairs).sigmoid().float().unique().numel() < 10
        assert inner_product(z, pairs).unique().numel() == 200
    known, _ = world()
    for attack in (mlp_links, boosted_links):
        assert attack(**known | {"generator": seeded(2)}).dtype == torch.float64


@pytest.mark.parametrize("attack", [mlp_links, boosted_links])
def test_coins_come_from_the_generator(attack):
    known, _ = world()
    scores = [attack(**known | {"generator": seeded(seed)}) for seed in (3, 3)]
    assert torch.equal(*scores)
    if attack is mlp_links:
        assert not torch.equal(scores[0], attack(**known | {"generator": seeded(4)}))


def test_answers_that_are_all_alike_teach_nothing():
    known, _ = world()
    for told in (torch.ones(400, dtype=torch.bool), torch.zeros(400, dtype=torch.bool)):
        with pytest.raises(ValueError, match="linked must say of at least 10 pairs .* and of some each, got"):
            mlp_links(**known | {"linked": told})
