"""Canaries for uploads: what is planted, what stands for it, and audits that refute what is false and nothing else."""

import pytest
import torch
from test_attacks_uploads import PARTS
from torch_geometric.data import Data

from privgraph.attacks import (
    bridge,
    canary_auc,
    check_attack,
    moved,
    noise_audit,
    plant_private,
    private_canaries,
    upload_audit,
    upload_canary_runs,
)
from privgraph.attacks.upload_canaries import KINDS, clip_rows
from privgraph.mechanisms import Gaussian
from privgraph.methods import DeepWalk
from privgraph.methods.federated import align_to_each
from privgraph.randomness import seeded

PART = PARTS[0]
PUBLIC = PART.num_public
WALK = DeepWalk(dimension=8, walks=10, length=10, window=3, epochs=10, learning_rate=0.1)


def upload(part: Data, generator: torch.Generator) -> torch.Tensor:
    """Random projections of who is met on walks of one, two and three steps: what DeepWalk learns, in an instant."""
    n = part.num_nodes
    step = torch.zeros(n, n).index_put_(tuple(part.edge_index), torch.ones(part.num_edges))
    step = step / step.sum(1, keepdim=True).clamp_min(1)
    met = step + step @ step + step @ step @ step
    return met[:part.num_public] @ torch.randn(n, 64, generator=generator) / 8


def trained(part: Data, generator: torch.Generator) -> torch.Tensor:
    return WALK.embed(part, generator).z[:part.num_public]


def edges(part: Data) -> set[tuple[int, int]]:
    return {(u, v) for u, v in part.edge_index.t().tolist() if u < v}


@pytest.mark.parametrize("kind", KINDS)
def test_canaries_are_what_they_say_and_neighbours_stand_for_private_ends(kind):
    found = private_canaries(PART, 12, seeded(0), kind)
    u, v = found.pairs
    assert found.pairs.shape == (2, 12) and len(found.pairs.unique()) == 24 and (u < v).all()
    assert (v >= PUBLIC).all() and ((u < PUBLIC).all() if kind == "private-public" else (u >= PUBLIC).all())
    assert not set(map(tuple, found.pairs.t().tolist())) & edges(PART)
    for ends, side in ((u, found.left), (v, found.right)):
        for i, end in enumerate(ends.tolist()):
            near = {b for a, b in PART.edge_index.t().tolist() if a == end and b < PUBLIC} if end >= PUBLIC else {end}
            rows = side[1, side[0] == i].tolist()
            assert near and set(rows) == near and len(rows) == len(near)


def test_only_the_present_ones_are_planted_and_the_part_is_left_alone():
    found, before = private_canaries(PART, 4, seeded(1)), PART.edge_index.clone()
    planted = plant_private(PART, found.pairs, torch.tensor([True, False, False, True]))
    assert edges(planted) == edges(PART) | set(map(tuple, found.pairs[:, [0, 3]].t().tolist()))
    assert torch.equal(PART.edge_index, before) and planted.num_public == PUBLIC


def test_an_edge_between_public_nodes_is_no_clients_secret():
    with pytest.raises(ValueError, match="one end private at least, got 1"):
        plant_private(PART, torch.tensor([[0], [next(v for v in range(1, 40) if (0, v) not in edges(PART))]]),
                      torch.ones(1) > 0)


def test_a_bridge_is_the_cosine_of_mean_directions():
    rows, found = torch.randn(3, PUBLIC, 4, generator=seeded(2)), private_canaries(PART, 6, seeded(3))
    for i, score in enumerate(bridge(rows, found.left, found.right).tolist()):
        slow = 0.0
        for each in rows.double():
            ends = [sum(each[row] / each[row].norm() for row in side[1, side[0] == i]) for side in
                    (found.left, found.right)]
            slow += float(torch.cosine_similarity(*ends, dim=0)) / 3
        assert score == pytest.approx(slow, abs=1e-6)


RUNS = {}


def runs_of(name: str):
    """100 uploads of one client; 15 canaries each, of a private and a public end."""
    def here(part, generator):
        return upload(part, generator)

    def others(part, generator):  # a client that has no such edge
        return upload(PARTS[1], generator)

    def deleting(part, generator):  # the edges are put in, and taken out before anything is looked at
        return upload(PART, generator)

    def of_two(part, generator):  # what the server answers the other client
        return align_to_each(torch.stack([upload(PARTS[1], generator), upload(part, generator)]))[0]
    if name not in RUNS:
        found = private_canaries(PART, 15, seeded(4), "private-public")
        RUNS[name] = upload_canary_runs(locals()[name], PART, found, 100, seeded(5))
    return RUNS[name]


def test_a_clients_upload_tells_of_its_private_edges():
    """AUC and right guesses on 50 judged runs; levels 1e-6, seeds fixed."""
    runs = runs_of("here")
    assert canary_auc(runs.scores, runs.present, 1 - 1e-6).low > 0.9
    assert upload_audit(runs.scores, runs.present, 1 - 1e-6).epsilon > 1.5


@pytest.mark.parametrize("name", ["others", "deleting"])
def test_where_the_edge_is_not_nothing_is_found(name):
    runs = runs_of(name)
    found = canary_auc(runs.scores, runs.present, 1 - 1e-6)
    assert found.low < 0.5 < found.high < 0.8
    assert upload_audit(runs.scores, runs.present, 1 - 1e-6).epsilon == 0.0


def test_what_the_other_client_is_answered_tells_less():
    ours, answered = (canary_auc(runs_of(name).scores, runs_of(name).present).mean for name in ("here", "of_two"))
    assert 0.5 < answered < ours


def test_the_audit_is_exact_about_randomised_coins():
    """Coins told truly with probability e / (1 + e): 10,000 guesses refute .8, and never 1.0 at level 1e-6."""
    coins = torch.rand(1000, 20, generator=seeded(6)) < 0.5
    told = coins ^ (torch.rand(1000, 20, generator=seeded(7)) > 0.7311)
    audit = upload_audit(told.double() + 0.01 * torch.randn(1000, 20, generator=seeded(8)), coins, 1 - 1e-6)
    assert audit.guesses == 10_000 and audit.refutes(0.8) and not audit.refutes(1.0)


def test_an_auditor_who_learns_from_the_runs_she_judges_would_be_wrong():
    """The mutant: scores of noise, and a rule that is fitted to the 20 judged runs themselves."""
    coins = torch.rand(20, 400, generator=seeded(1)) < 0.5
    coins = coins[:, ((coins[:10].sum(0) % 10) * (coins[10:].sum(0) % 10)) > 0]
    scores = torch.randn(coins.shape, generator=seeded(2))
    assert upload_audit(scores, coins, 1 - 1e-6).epsilon == 0.0
    assert upload_audit(scores.repeat(2, 1), coins.repeat(2, 1), 1 - 1e-6).epsilon > 0.0


def row_by_row(epsilon: float, clip: float, rows_that_change: float) -> tuple:
    """Clipping and Gaussian noise for so many rows that change; and what leaves of it."""
    noise = Gaussian(epsilon, 1e-5, sensitivity=2 * clip * rows_that_change ** 0.5)
    return lambda rows, generator: noise(clip_rows(rows, clip), generator=generator)


def one_edge() -> tuple[torch.Tensor, torch.Tensor]:
    """Uploads with one private edge and without it, same coins."""
    found = private_canaries(PART, 1, seeded(9))
    return tuple(trained(plant_private(PART, found.pairs, torch.tensor([here])), seeded(10)) for here in (True, False))


def test_clipping_shortens_long_rows_and_leaves_the_others():
    rows = torch.tensor([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]])
    assert torch.allclose(clip_rows(rows, 1.0), torch.tensor([[0.6, 0.8], [0.3, 0.4], [0.0, 0.0]]))


def test_one_edge_moves_most_rows():
    with_edge, without = one_edge()
    clip = float(with_edge.norm(dim=1).median())
    found = moved(with_edge, without, clip)
    assert found.fraction > 0.75 and found.distance > 2 * found.assumed and found.distance < found.most
    assert moved(with_edge, with_edge, clip).fraction == moved(with_edge, with_edge, clip).distance == 0.0


def test_noise_for_one_row_is_caught_and_noise_for_all_rows_is_not():
    """Claimed: epsilon 1, delta 1e-5 for one private edge. 20,000 coins; level 1e-6."""
    with_edge, without = one_edge()
    clip = float(with_edge.norm(dim=1).median())
    uploads = [clip_rows(each, clip) for each in (with_edge, without)]
    mutant, sound = (noise_audit(row_by_row(1.0, clip, rows), *uploads, 20_000, seeded(11), 1 - 1e-6, 1e-5)
                     for rows in (1, PUBLIC))
    assert mutant.refutes(1.0) and not sound.refutes(1.0)


def test_noise_for_one_row_is_enough_where_one_row_changes():
    rows = torch.eye(8).repeat(4, 1)
    after = rows.clone()
    after[3] *= -1
    assert not noise_audit(row_by_row(1.0, 1.0, 1), rows, after, 20_000, seeded(12), 1 - 1e-6, 1e-5).refutes(1.0)


def by_number(uploads, left, right):
    """Knows that the planted ones come first."""
    return bridge(uploads, left, right) - 0.1 * torch.arange(int(left[0].max()) + 1)


def test_a_score_that_knows_the_order_is_found():
    with pytest.raises(AssertionError, match="the place in the list must not count"):
        check_attack(by_number, bridge.world)
