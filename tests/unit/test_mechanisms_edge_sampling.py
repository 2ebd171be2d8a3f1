"""Which bits are reported: each with the rate of its row, from a seed and from secret bits, however many are drawn at a
time. The test at 1e-6, of 12,000 draws a place, sees a rate that is off by three hundredths."""

from collections import Counter

import numpy as np
import pytest
import torch
from scipy import stats

from privgraph.mechanisms import edge_sampling, exact_noise
from privgraph.mechanisms.drawing import drawing
from privgraph.mechanisms.edge_sampling import Places, exact_ranks, hits, idealised_ranks
from privgraph.randomness import secret, seeded

ROWS = {"sizes": [2, 0, 3, 1, 2, 1], "rates": [0.3, 0.5, 0.9, 0.25, 0.0, 1e-3]}
CERTAIN = {"sizes": [2, 1, 2], "rates": [1.0, 0.4, 0.0]}


@pytest.fixture(autouse=True)
def secret_bits(monkeypatch):
    monkeypatch.setattr(exact_noise, "random_bytes", np.random.default_rng(2).bytes)


@pytest.mark.parametrize("draw, rows", [(lambda *rows: idealised_ranks(*rows, seeded(1)), ROWS),
                                        (lambda *rows: exact_ranks(*rows, secret()), ROWS),
                                        (lambda *rows: exact_ranks(*rows, secret()), CERTAIN)],
                         ids=["seeded", "secret", "certain"])
@pytest.mark.parametrize("chunk, runs", [(1 << 22, 12_000), (3, 500)])
def test_each_place_is_chosen_with_the_rate_of_its_row(draw, rows, chunk, runs, monkeypatch):
    monkeypatch.setattr(edge_sampling, "CHUNK", chunk)
    sizes, rates = torch.tensor(rows["sizes"]), torch.tensor(rows["rates"], dtype=torch.double)
    found = draw(sizes.repeat(runs), rates.repeat(runs))
    assert torch.equal(found, found.unique()), "sorted, and none twice"
    counts = Counter((found % int(sizes.sum())).tolist())
    for place, rate in enumerate(rates.repeat_interleave(sizes).tolist()):
        assert stats.binomtest(counts[place], runs, rate).pvalue > 1e-6 / 18


@pytest.mark.parametrize("draw, generator, runs", [(idealised_ranks, seeded(1), 1_000), (exact_ranks, secret(), 200)],
                         ids=["seeded", "secret"])
def test_the_first_and_the_last_place_of_a_graph_are_chosen_as_often_as_others(draw, generator, runs):
    sizes, rates = torch.tensor([2, 1]), torch.tensor([0.3, 0.2], dtype=torch.double)
    counts = Counter(place for _ in range(runs) for place in draw(sizes, rates, generator).tolist())
    assert set(counts) == {0, 1, 2}
    for place, rate in enumerate((0.3, 0.3, 0.2)):
        assert stats.binomtest(counts[place], runs, rate).pvalue > 1e-6 / 6


@pytest.mark.parametrize("draw", [lambda *rows: idealised_ranks(*rows, seeded(1)),
                                  lambda *rows: exact_ranks(*rows, secret())], ids=["seeded", "secret"])
def test_where_nothing_can_be_chosen_nothing_is(draw):
    for sizes, rates in (([0, 0], [0.5, 0.5]), ([2, 2], [0.0, 0.0]), ([0], [0.0])):
        assert draw(torch.tensor(sizes), torch.tensor(rates, dtype=torch.double)).tolist() == []


@pytest.mark.parametrize("chance, found", [(1.0, [0, 1, 2, 3]), (1 - 1e-12, [0, 1, 2, 3]), (1e-12, [])])
def test_hits_begin_at_the_first_place_and_end_at_the_last(chance, found):
    assert hits(4, chance, drawing(secret())).tolist() == found


@pytest.mark.parametrize("once", [True, False])
def test_bits_are_numbered_row_by_row(once):
    places, n = Places(4, once), 4
    pairs = [(named, person) for person in range(n) for named in range(person + 1 if once else 0, n) if named != person]
    named, person = torch.tensor(pairs).t()
    assert places.index(named, person).tolist() == list(range(len(pairs)))
    assert places.names(torch.arange(len(pairs))).t().tolist() == [list(pair) for pair in pairs]
    assert places.count(torch.tensor([0, 1, 5])).tolist() == ([2, 0, 1, 0] if once else [2, 1, 0, 0])
