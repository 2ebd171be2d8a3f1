"""What is exposed and what is asked about, by definition; thresholds and F1 against scikit-learn and slow loops."""

from itertools import combinations

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score
from torch_geometric.data import Data

from privgraph.attacks import ask, best_threshold, degree_product, evaluate_attack, expose, macro_f1
from privgraph.datasets.small import karate
from privgraph.graph import degrees, to_undirected
from privgraph.randomness import seeded


def celebrities(users=24, others=600, seed=0) -> Data:
    """A few users with many links each, a third of the pairs of them linked, and others with two links to anybody."""
    generator = seeded(seed)
    top = torch.combinations(torch.arange(users)).t()
    top = top[:, torch.rand(top.size(1), generator=generator) < 1 / 3]
    fans = torch.arange(users, users + others)
    links = [top, torch.stack([fans, fans.roll(1)])]
    links += [torch.stack([fans, torch.randint(users, (others,), generator=generator)]) for _ in range(2)]
    edges = to_undirected(torch.cat(links, 1), users + others)
    data = Data(edge_index=edges, num_nodes=users + others)
    data.sensitive = edges[:, (edges[0] < edges[1]) & (edges < users).all(0)]
    return data


def as_set(pairs) -> set:
    return {tuple(sorted(pair)) for pair in pairs.t().tolist()}


def sensitive_karate(count: int = 6) -> Data:
    """Its links between the users of the highest degrees."""
    data = karate().clone()
    degree = degrees(data.edge_index, 34)
    links = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    data.sensitive = links[:, degree[links].amin(0).argsort(descending=True)[:count]]
    return data


@pytest.mark.parametrize("data", [celebrities(), sensitive_karate()], ids=["celebrities", "karate"])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_asked_is_what_it_says(data, seed):
    """Links are links, others are none; nothing is asked that was exposed; nothing is asked twice."""
    exposure = expose(data, seeded(seed), 0.2)
    links, sensitive = as_set(data.edge_index), as_set(data.sensitive)
    told = as_set(exposure.known)
    assert len(told) == len(exposure.linked) == 2 * round(0.2 * (len(links) - len(sensitive)))
    assert as_set(exposure.known[:, exposure.linked]) <= links - sensitive
    assert not as_set(exposure.known[:, ~exposure.linked]) & links
    for name, (pairs, linked) in exposure.asked.items():
        asked = as_set(pairs)
        assert len(asked) == len(linked) == pairs.size(1) and not asked & told
        hidden = links - sensitive - told if name == "others" else sensitive
        assert as_set(pairs[:, linked]) == hidden and not as_set(pairs[:, ~linked]) & links
        assert int((~linked).sum()) == len(hidden) or name == "between sensitive users"
    users = set(data.sensitive.flatten().tolist())
    near, linked = exposure.asked["between sensitive users"]
    assert set(near.flatten().tolist()) <= users
    free = set(combinations(sorted(users), 2)) - links - told
    assert int((~linked).sum()) == min(len(free), len(sensitive))
    assert not as_set(exposure.asked["others"][0]) & as_set(exposure.asked["sensitive"][0])


def test_both_orders_come_up():
    exposure = expose(celebrities(), seeded(0))
    for pairs, linked in [(exposure.known, exposure.linked), *exposure.asked.values()]:
        for kind in (linked, ~linked):
            first = (pairs[0] < pairs[1])[kind].float().mean()
            assert 0.2 < first < 0.8


def test_same_seed_same_exposure():
    first, second, other = (expose(celebrities(), seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(first.known, second.known) and not torch.equal(first.known, other.known)
    for (pairs, _), (again, _) in zip(first.asked.values(), second.asked.values(), strict=True):
        assert torch.equal(pairs, again)


def test_negatives_are_uniform_over_unconnected_pairs_of_sensitive_users():
    """All five free pairs of five users about equally often: 2 of them in each of 2,000 exposures.

    Each count is Bin(2000, 2/5) but for what was exposed, which is rare here. At 1e-6 (Hoeffding, 5 counts)
    a deviation of 2000 sqrt(ln(1e7) / 4000) = 127 is allowed; a pair left out has a deviation of 800.
    """
    ring = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
    fans = torch.arange(5, 405)
    data = Data(num_nodes=405, edge_index=to_undirected(torch.cat([ring, torch.stack([fans, fans % 5])], 1), 405))
    data.sensitive = torch.tensor([[0, 1], [1, 2]])
    data.sensitive_users = torch.arange(405) < 5
    generator, counts = seeded(0), {pair: 0 for pair in combinations(range(5), 2)}
    for _ in range(2000):
        pairs, linked = expose(data, generator, 0.01).asked["between sensitive users"]
        for pair in as_set(pairs[:, ~linked]):
            counts[pair] += 1
    free = {pair: count for pair, count in counts.items() if count}
    assert set(free) == {(0, 2), (0, 3), (1, 3), (1, 4), (2, 4)}
    assert all(abs(count - 800) < 127 for count in free.values())


def test_a_degree_is_enough_against_random_pairs_and_not_between_sensitive_users():
    """The trap of random negatives: no vector was published, and the sensitive links are found all the same.

    Between sensitive users she says "a link" to everybody: her threshold comes from random pairs too.
    """
    data = celebrities()
    reached = ask(degree_product, expose(data, seeded(0)), degree=degrees(data.edge_index, data.num_nodes))
    assert reached["sensitive"].result.auc > 0.99 and reached["sensitive"].f1 > 0.9
    between = reached["between sensitive users"]
    assert between.result.auc_low < 0.5 < between.result.auc_high and between.f1 == pytest.approx(1 / 3)


def test_who_learns_learns_once_and_is_asked_everything():
    calls = []

    def learner(pairs, known, linked, generator):
        calls.append((pairs, known, linked))
        return pairs.sum(0).double() - 600

    exposure = expose(celebrities(), seeded(0))
    reached = ask(learner, exposure, generator=seeded(1))
    (pairs, known, linked), = calls
    assert torch.equal(known, exposure.known) and torch.equal(linked, exposure.linked)
    asked = torch.cat([asked for asked, _ in exposure.asked.values()], 1)
    assert sorted(pairs.t().tolist()) == sorted(asked.t().tolist()) and not torch.equal(pairs, asked)
    for name, (pairs, linked) in exposure.asked.items():
        assert torch.equal(reached[name].scores, pairs.sum(0).double() - 600) and reached[name].threshold == 0
        assert torch.equal(reached[name].linked, linked)
        assert reached[name].result == evaluate_attack(reached[name].scores, linked)


def test_the_place_of_a_question_says_nothing():
    """Links come first in what is exposed and asked; who is asked gets them in another order."""
    data = celebrities()
    exposure = expose(data, seeded(0))
    for first in (lambda pairs, known, linked: -torch.arange(pairs.size(1)).double(),
                  lambda pairs: -torch.arange(pairs.size(1)).double()):
        for reached in ask(first, exposure).values():
            assert reached.result.auc_low < 0.5 < reached.result.auc_high


def test_who_does_not_learn_takes_the_threshold_of_the_exposed_pairs():
    data = celebrities()
    exposure, degree = expose(data, seeded(0)), degrees(data.edge_index, data.num_nodes)
    expected = best_threshold(degree_product(degree, exposure.known), exposure.linked)
    for reached in ask(degree_product, exposure, degree=degree).values():
        assert reached.threshold == expected
        assert reached.f1 == pytest.approx(f1_score(reached.linked, reached.scores > expected, average="macro"))


@pytest.mark.parametrize("seed", range(20))
def test_macro_f1_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    scores, linked = torch.tensor(np.round(rng.normal(size=30))), torch.tensor(rng.random(30) < rng.uniform(0.1, 0.9))
    linked[:4] = torch.tensor([True, True, False, False])
    for threshold in (-9.0, -1.0, 0.0, 0.5, 9.0):
        expected = f1_score(linked, scores > threshold, average="macro", zero_division=0)
        assert macro_f1(scores, linked, threshold) == pytest.approx(expected)


@pytest.mark.parametrize("levels", [1, 3, 1000])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_threshold_is_that_of_a_loop(seed, levels):
    """Over all cuts between two different scores, and the one below all."""
    rng = np.random.default_rng(seed)
    linked = torch.arange(40) % 4 == 0
    scores = torch.tensor(np.round(rng.normal(0.8 * linked.numpy(), 1) * levels) / levels)
    values = scores.unique().tolist()
    cuts = [-np.inf] + [(low + high) / 2 for low, high in zip(values, values[1:], strict=False)]
    reached = [f1_score(linked, scores > cut, average="macro", zero_division=0) for cut in cuts]
    assert best_threshold(scores, linked) == pytest.approx(cuts[int(np.argmax(np.round(reached, 12)))])


def test_equal_scores_have_no_threshold_between_them():
    assert best_threshold(torch.zeros(6), torch.arange(6) < 3) == -np.inf


def without_negatives() -> Data:
    """Three sensitive users who are all linked."""
    data = karate().clone()
    data.sensitive = torch.tensor([[0, 0, 1], [1, 2, 2]])
    return data


@pytest.mark.parametrize("change, message", [
    (lambda: expose(without_negatives(), seeded(0)), "two pairs of sensitive users without a link, got 0"),
    (lambda: expose(karate(), seeded(0)), "data must have edge_index, sensitive, got none for sensitive"),
    (lambda: expose(sensitive_karate(), seeded(0), 0.02), "expose at least two links .* got 0.02, which is 1 of 72"),
    (lambda: expose(sensitive_karate(77), seeded(0), 0.5), "at least four links that are not sensitive, got 1"),
])
def test_what_cannot_be_asked_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        change()
