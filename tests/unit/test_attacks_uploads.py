"""What uploads give away: each attack against slow loops, on clients that train, and against attackers that cheat."""

import inspect

import pytest
import torch
from torch_geometric.data import Data

from privgraph.attacks import (
    alike_here,
    ask_shared,
    check_attack,
    edgeless,
    evaluate_attack,
    neighbours_class,
    private_attributes,
    recover_others,
    recovered_similarity,
    upload_similarity,
    uploads,
)
from privgraph.attacks.upload_questions import without_edges
from privgraph.graph import sample_non_edges, to_undirected
from privgraph.methods import DeepWalk
from privgraph.methods.federated import align_to_each, hold, parts
from privgraph.randomness import seeded

WALK = DeepWalk(dimension=8, walks=10, length=10, window=3, epochs=4)
READ = {"uploads", "others", "answers", "answer", "own", "clients", "pairs", "y", "nodes", "classes"}
ATTACKS = {name: each for name, each in vars(uploads).items() if inspect.isfunction(each) and hasattr(each, "world")}


def random_graph(n: int = 240, links: int = 400, seed: int = 0) -> Data:
    edges = sample_non_edges(torch.empty(2, 0, dtype=torch.long), n, links, seeded(seed))
    return Data(edge_index=to_undirected(edges, n), y=torch.arange(n) % 3, num_nodes=n)


PARTS = parts(hold(random_graph(), seeded(1), clients=2, public=0.4, private=0.3))
SENT = torch.stack([WALK.embed(part, seeded(2 + i)).z[:part.num_public] for i, part in enumerate(PARTS)])
ROWS = torch.randn(2, 5, 12, 4, generator=seeded(9))  # clients, rounds, P, d
PAIRS = torch.combinations(torch.arange(12)).t()


def turned(rows: torch.Tensor) -> torch.Tensor:
    """Each round's rows in another space."""
    return rows @ torch.linalg.qr(torch.randn(*rows.shape[:-2], 4, 4, generator=seeded(8)))[0]


def test_an_attack_reads_what_the_server_has_and_no_graph():
    assert len(ATTACKS) == 5
    assert all(set(inspect.signature(attack).parameters) <= READ for attack in ATTACKS.values())


def test_similarity_is_the_mean_cosine_over_rounds_in_whatever_space():
    slow = [sum(torch.cosine_similarity(each[u], each[v], dim=0).double() for each in ROWS[0]) / 5
            for u, v in PAIRS.t()]
    assert torch.allclose(upload_similarity(ROWS[0], PAIRS), torch.stack(slow), atol=1e-6)
    assert torch.allclose(upload_similarity(turned(ROWS[0]), PAIRS), upload_similarity(ROWS[0], PAIRS), atol=1e-5)
    assert torch.equal(upload_similarity(ROWS[0, 0], PAIRS), upload_similarity(ROWS[0, :1], PAIRS))


def test_what_all_clients_know_cancels():
    assert alike_here(ROWS[0], turned(ROWS[:1]), PAIRS).abs().max() < 1e-5
    assert torch.equal(alike_here(ROWS[0], ROWS[1:], PAIRS),
                       upload_similarity(ROWS[0], PAIRS) - upload_similarity(ROWS[1], PAIRS))


def test_a_zero_row_is_like_nobody():
    assert upload_similarity(torch.zeros(3, 2), torch.tensor([[0], [1]])).tolist() == [0.0]


def test_who_shares_a_private_neighbour_shows_in_this_clients_upload_and_not_in_the_others():
    """On a random graph, where friends of friends are no friends. Level 1e-6 each, seeds fixed."""
    asked = ask_shared(PARTS, 0, 1000, seeded(5), "elsewhere")
    assert len(asked.linked) >= 60
    here, there = (evaluate_attack(upload_similarity(sent, asked.pairs), asked.linked, 1 - 2e-6) for sent in SENT)
    assert here.auc_low > 0.6 and there.auc_high < 0.4
    beside = evaluate_attack(alike_here(SENT[0], SENT[1:], asked.pairs), asked.linked, 1 - 2e-6)
    assert beside.auc_low > 0.8


def test_who_has_no_edge_is_told_by_lengths_in_the_first_round_exactly():
    for part, sent in zip(PARTS, SENT, strict=True):
        alone = without_edges(part)
        assert 5 < alone.sum() < part.num_public - 5
        scores = edgeless(sent)
        assert scores[alone].min() > scores[~alone].max()


def test_a_row_that_comes_back_as_it_was_sent_has_no_edge():
    answers, back = ROWS[1, :2], ROWS[0, :3].clone()
    back[0, 3], back[1:, 3] = 0, answers[:, 3]
    assert edgeless(back, answers).argmax() == 3 and edgeless(back, answers)[3] == 0
    slow = [-sum(float((back[t, 5] - start).norm()) for t, start in enumerate([torch.zeros(4), *answers[:, 5]])) / 3]
    assert edgeless(back, answers)[5].item() == pytest.approx(slow[0], rel=1e-5, abs=0)


@pytest.mark.parametrize("clients", [2, 4])
def test_the_others_sum_comes_back_exactly(clients):
    rows = torch.randn(clients, 30, 5, generator=seeded(3)).double()
    answer = align_to_each(rows)
    others = recover_others(answer[0], rows[0], clients).total
    frames = [torch.linalg.svd(each.t() @ rows[0]) for each in rows[1:]]
    aligned = sum(each @ (u @ v) for each, (u, _, v) in zip(rows[1:], frames, strict=True))
    assert torch.allclose(others, aligned, atol=1e-9)
    if clients == 2:  # and all inner products of the only other client's rows with it
        assert torch.allclose(others @ others.t(), rows[1] @ rows[1].t(), atol=1e-9)
    else:
        assert not torch.allclose(others @ others.t(), rows[1] @ rows[1].t(), atol=1)


def test_a_fellow_client_of_two_is_told_what_the_server_is_told():
    pairs = torch.combinations(torch.arange(PARTS[0].num_public)).t()[:, ::37]
    answer = align_to_each(SENT.double())
    assert torch.allclose(recovered_similarity(answer[1], SENT[1].double(), pairs), upload_similarity(SENT[0], pairs),
                          atol=1e-6)


def test_a_class_is_the_share_of_the_nearest_rows_and_never_ones_own_label():
    rows, y = ROWS[0].flatten(0, 1)[:40, :3], torch.arange(40) % 3
    nodes, classes = torch.arange(40).repeat(3), torch.arange(3).repeat_interleave(40)
    found = neighbours_class(rows, y, nodes, classes).view(3, 40)
    for i in range(40):
        cosine = torch.cosine_similarity(rows[i:i + 1].double(), rows.double())
        near = [j for j in cosine.argsort(descending=True).tolist() if j != i][:10]
        assert torch.allclose(found[:, i], torch.bincount(y[near], minlength=3).double() / 10, atol=1e-9)
    y[7] = (y[7] + 1) % 3
    assert torch.equal(neighbours_class(rows, y, torch.tensor([7] * 3), torch.arange(3)), found[:, 7])


def test_accuracy_over_all_hides_what_is_told_where_the_label_does_not_suggest_it():
    asked = private_attributes(PARTS[0])
    own = PARTS[0].y[asked.nodes]
    everywhere, elsewhere = asked.right(own)
    assert everywhere == pytest.approx(1 - float(asked.other.double().mean())) and elsewhere == 0.0


def by_order(uploads, pairs):
    """Knows that the links come first."""
    return upload_similarity(uploads, pairs) - 0.1 * torch.arange(pairs.size(1))


def by_graph(uploads, pairs):
    """Reads no upload: takes the numbers of the nodes for their communities."""
    return ((pairs[0] - pairs[1]) % 4 == 0).double() + 0 * upload_similarity(uploads, pairs)


def swapped(uploads, pairs):
    """Takes those who are alike for strangers."""
    return -upload_similarity(uploads, pairs)


@pytest.mark.parametrize("attack, found", [(by_order, "the place in the list must not count"),
                                           (by_graph, "the numbers of nodes must not count"),
                                           (swapped, "higher scores must mean more likely")])
def test_an_attacker_that_cheats_is_found(attack, found):
    with pytest.raises(AssertionError, match=found):
        check_attack(attack, upload_similarity.world)
