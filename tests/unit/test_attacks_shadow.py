"""The attacker who knows the defence: what she hides again, and what she learns from it."""

from functools import partial

import pytest
import torch
from test_attacks_exposure import as_set, celebrities

from privgraph.attacks import Shadow, adamic_adar, evaluate_attack, hide_again, shadow_links
from privgraph.attacks.worlds import own_graph
from privgraph.graph import contains, degrees
from privgraph.randomness import seeded


def left_of(data, users=24):
    """What the attacker knows: the graph without the links between its celebrities."""
    known = data.clone()
    known.edge_index = data.edge_index[:, ~(data.edge_index < users).all(0)]
    known.sensitive_users = torch.arange(data.num_nodes) < users
    del known.sensitive
    return known


@pytest.mark.parametrize("count", [10, 60])
def test_the_links_of_the_highest_degrees_are_hidden_again(count):
    known = left_of(celebrities())
    before = known.edge_index.clone()
    shadow = hide_again(known, count, seeded(0))
    degree = degrees(known.edge_index, known.num_nodes).tolist()
    ranks = {pair: min(degree[u] for u in pair) for pair in as_set(known.edge_index)}
    hidden = as_set(shadow.data.sensitive)
    assert len(hidden) == shadow.data.sensitive.size(1) == count and hidden <= set(ranks)
    assert min(ranks[pair] for pair in hidden) >= max(rank for pair, rank in ranks.items() if pair not in hidden)
    assert torch.equal(shadow.data.edge_index, before) and torch.equal(known.edge_index, before)
    assert set(shadow.data.sensitive_users.nonzero()[:, 0].tolist()) == {node for pair in hidden for node in pair}
    assert as_set(shadow.pairs[:, shadow.linked]) == hidden
    others = shadow.pairs[:, ~shadow.linked]
    assert 10 <= others.size(1) <= count and len(as_set(others)) == others.size(1)
    assert not contains(before, others, known.num_nodes).any() and shadow.data.sensitive_users[others].all()


def test_pairs_whose_truth_she_does_not_know_teach_her_nothing():
    """Between sensitive users of the attacked graph the links were taken out: none of them is called "no link"."""
    data = celebrities(others=60)
    for seed in range(5):
        shadow = hide_again(left_of(data), 100, seeded(seed))
        assert len(set(shadow.pairs[shadow.pairs < 24].tolist())) > 12  # she hides links of most of them
        assert not as_set(shadow.pairs) & as_set(data.sensitive)
        assert not (shadow.pairs < 24).all(0).any()


def test_another_basis_and_another_scale_change_nothing():
    """Two trainings give vectors that differ by a rotation at least."""
    known, _ = own_graph(True, seeded(0))
    turn = torch.linalg.qr(torch.randn(4, 4, generator=seeded(1)))[0]
    scores = shadow_links(**known | {"generator": seeded(2)})
    turned = shadow_links(**known | {"shadow_z": 3 * known["shadow_z"] @ turn, "generator": seeded(2)})
    assert torch.allclose(scores, turned, atol=1e-3)


def test_scores_beside_the_vectors_are_heard():
    """Vectors of noise, and a score that knows: she takes the score's word."""
    known, truth = own_graph(True, seeded(0))
    noise = {name: torch.randn(80, 4, generator=seeded(3)) for name in ("z", "shadow_z")}
    deaf = shadow_links(**known | noise | {"generator": seeded(2)})

    columns = [*known["pairs"].t().tolist(), *known["shadow_pairs"].t().tolist()]
    answers = {tuple(pair): float(linked) for pair, linked in zip(columns, [*truth, *known["shadow_linked"]],
                                                                 strict=True)}

    def knowing(pairs):
        return torch.tensor([answers[tuple(pair)] for pair in pairs.t().tolist()]) + 0.1 * (pairs.sum(0) % 7)
    heard = shadow_links(**known | noise | {"generator": seeded(2)}, beside=[knowing], shadow_beside=[knowing])
    assert evaluate_attack(deaf, truth).auc_high < 0.7 and evaluate_attack(heard, truth).auc_low > 0.95


def test_the_shadow_graph_is_defended_and_read_like_the_published_one():
    """From end to end with a defence that publishes what is left of the graph as random projections of its rows."""
    data = celebrities()
    known = left_of(data)
    shadow = hide_again(known, 40, seeded(0))
    assert isinstance(shadow, Shadow)

    def defended(graph, hidden, seed):
        kept = graph.edge_index[:, ~contains(torch.cat([hidden, hidden.flip(0)], 1), graph.edge_index, 624)]
        rows = torch.zeros(624, 624).index_put_((kept[0], kept[1]), torch.ones(kept.size(1)))
        return rows @ torch.randn(624, 16, generator=seeded(seed)), kept
    z, edges = defended(data, data.sensitive, 1)
    own, own_edges = defended(shadow.data, shadow.data.sensitive, 2)
    scores = shadow_links(z, data.sensitive, own, shadow.pairs, shadow.linked, seeded(0),
                          [partial(adamic_adar, edges, 624)], [partial(adamic_adar, own_edges, 624)])
    assert scores.shape == data.sensitive.shape[1:] and scores.isfinite().all()


@pytest.mark.parametrize("call, message", [
    (lambda: hide_again(left_of(celebrities()), 9, seeded(0)), "between 10 and 1770, got 9"),
    (lambda: hide_again(celebrities(), 20, seeded(0)), "data must have sensitive_users"),
    (lambda: shadow_links(**own_graph(True, seeded(0))[0], beside=[len]), "must be equally many, got 1 and 0"),
])
def test_what_cannot_be_learnt_from_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
