"""Canaries between sensitive users: what is planted, and an AUC whose interval means what it says."""

from dataclasses import dataclass

import pytest
import torch
from test_attacks_exposure import as_set, celebrities
from torch_geometric.data import Data

from privgraph.attacks import canary_auc, canary_runs, plant_sensitive
from privgraph.graph import contains
from privgraph.methods import Embedding, Embeddings
from privgraph.randomness import seeded

DATA = celebrities()


@dataclass(frozen=True)
class Projection(Embedding):
    """Random projections of each one's row of A + 8 I, with or without the sensitive links."""

    deletes: bool = False
    noise: float = 0.0

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        edges, n = data.edge_index, data.num_nodes
        if self.deletes:
            edges = edges[:, ~contains(torch.cat([data.sensitive, data.sensitive.flip(0)], 1), edges, n)]
        rows = (8 * torch.eye(n)).index_put_((edges[0], edges[1]), torch.ones(edges.size(1)))
        z = rows @ torch.randn(n, 400, generator=generator) / 20
        return Embeddings(z=z + self.noise * torch.randn(z.shape, generator=generator))


def test_canaries_are_pairs_of_sensitive_users_without_a_link():
    runs = canary_runs(Projection(), DATA, 10, 20, seeded(0))
    users = set(DATA.sensitive.flatten().tolist())
    assert runs.pairs.shape == (2, 10) and runs.present.shape == runs.scores.shape == (20, 10)
    assert set(runs.pairs.flatten().tolist()) <= users and len(runs.pairs.unique()) == 20
    assert (runs.pairs[0] < runs.pairs[1]).all() and not as_set(runs.pairs) & as_set(DATA.edge_index)
    assert runs.scores.dtype == torch.float64 and 60 < int(runs.present.sum()) < 140


def test_what_is_planted_is_a_sensitive_link_and_nothing_else_changes():
    pairs = canary_runs(Projection(), DATA, 4, 20, seeded(1)).pairs
    before = DATA.edge_index.clone(), DATA.sensitive.clone()
    planted = plant_sensitive(DATA, pairs, torch.tensor([True, False, True, False]))
    added = as_set(pairs[:, ::2])
    assert as_set(planted.edge_index) == as_set(DATA.edge_index) | added
    assert as_set(planted.sensitive) == as_set(DATA.sensitive) | added
    assert (planted.sensitive[0] < planted.sensitive[1]).all()
    assert torch.equal(DATA.edge_index, before[0]) and torch.equal(DATA.sensitive, before[1])


def test_a_method_that_deletes_sensitive_links_first_knows_nothing_of_the_coins():
    """Exactly: the same vectors, whatever the coins. So its AUC is one half by construction."""
    pairs = canary_runs(Projection(), DATA, 10, 20, seeded(0)).pairs
    found = [Projection(deletes).embed(plant_sensitive(DATA, pairs, coins), seeded(1)).z
             for deletes in (True, False) for coins in (torch.ones(10) > 0, torch.zeros(10) > 0)]
    assert torch.equal(found[0], found[1]) and not torch.equal(found[2], found[3])


def test_the_audit_tells_who_deletes_from_who_does_not():
    """40 runs with 12 canaries each, 20 of them judged. At level 1e-6, seeds fixed."""
    shown, deleted = (canary_auc(runs.scores, runs.present, 1 - 1e-6) for runs in (
        canary_runs(Projection(deletes), DATA, 12, 40, seeded(2)) for deletes in (False, True)))
    assert shown.n == deleted.n == 20
    assert shown.low > 0.9 and deleted.low < 0.5 < deleted.high < 0.8


def test_noise_on_the_vectors_hides_canaries():
    means = [canary_auc(runs.scores, runs.present).mean for runs in (
        canary_runs(Projection(noise=noise), DATA, 12, 40, seeded(3)) for noise in (0.0, 1.0, 10.0))]
    assert means[0] > means[1] > means[2] and means[2] < 0.7


def trials(shift, count=200):
    """Intervals from scores of noise about a level of each canary's own, ``shift`` higher where it is present."""
    generator = seeded(4)
    for _ in range(count):
        present = torch.rand(40, 12, generator=generator) < 0.5
        scores = 3 * torch.randn(12, generator=generator) + torch.randn(40, 12, generator=generator)
        yield canary_auc(scores + shift * present, present)


def test_the_interval_covers_one_half_where_there_is_nothing():
    """200 trials, 95% intervals: Bin(200, .05) misses exceed 28 with probability 1e-6; a fit to the judged runs
    themselves (each by all the others) misses in 17%, about 34."""
    missed = [found for found in trials(0.0) if not found.low <= 0.5 <= found.high]
    assert len(missed) <= 28


def test_the_attacker_learns_the_level_of_each_canary():
    """With a shift of 2 and levels that differ by 3, raw scores reach .68, hers .92 = Phi(2 / sqrt 2)."""
    means = [found.mean for found in trials(2.0, 20)]
    assert 0.88 < sum(means) / 20 < 0.93


def test_runs_of_one_kind_have_no_auc():
    present = torch.rand(40, 12, generator=seeded(5)) < 0.5
    present[30], present[31] = True, False
    found = canary_auc(torch.randn(40, 12, generator=seeded(6)), present)
    assert found.n == 18


@pytest.mark.parametrize("call, message", [
    (lambda: canary_auc(torch.zeros(19, 4), torch.zeros(19, 4) > 0), "R at least 20, got shape"),
    (lambda: canary_auc(torch.zeros(20, 4), torch.ones(20, 4) > 0), "each canary in some .* got 4 of which"),
    (lambda: canary_runs(Projection(), DATA, 13, 20, seeded(0)), "between 4 and 12, got 13"),
])
def test_what_cannot_be_audited_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
