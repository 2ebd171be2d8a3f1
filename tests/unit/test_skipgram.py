"""Skip-gram: windows, loss and negatives against loops; training to the optimum that is known in closed form."""

import math

import pytest
import torch
from scipy import stats

from privgraph.graph import random_walks, to_undirected
from privgraph.nn import SkipGram, in_window, skipgram, train_skipgram
from privgraph.randomness import seeded

LEVEL = 1e-6
N = 6
GRAPH = to_undirected(torch.tensor([[0, 0, 1, 2, 3, 4], [1, 2, 2, 3, 4, 5]]), N)


def walks(count: int = 60, length: int = 8) -> torch.Tensor:
    return random_walks(GRAPH, N, torch.arange(count) % N, length, seeded(1))


def tables(dimension: int = 3, seed: int = 2) -> SkipGram:
    g = seeded(seed)
    return SkipGram(*(torch.randn(N, dimension, generator=g, dtype=torch.double) for _ in range(2)))


def slow_pairs(walk: list[int], window: int) -> list[tuple[int, int]]:
    """Places of a centre and a context, as the paper's Algorithm 2 goes through them."""
    return [(i, j) for i in range(len(walk)) for j in range(i - window, i + window + 1)
            if j != i and 0 <= j < len(walk)]


@pytest.mark.parametrize("length, window", [(2, 1), (5, 1), (5, 2), (7, 3), (4, 9)])
def test_windows_are_those_of_a_loop(length, window):
    assert [tuple(pair) for pair in in_window(length, window).nonzero().tolist()] == slow_pairs([0] * length, window)


def slow_loss(model: SkipGram, drawn: torch.Tensor, negatives: list[int], window: int, count: float) -> float:
    u, v = model.vectors.tolist(), model.contexts.tolist()

    def score(a, b):
        return math.fsum(x * y for x, y in zip(u[a], v[b], strict=True))
    losses = []
    for walk in drawn.tolist():
        for i, j in slow_pairs(walk, window):
            met = math.log1p(math.exp(-score(walk[i], walk[j])))
            apart = [math.log1p(math.exp(score(walk[i], s))) for s in negatives]
            losses.append(met + count * math.fsum(apart) / len(apart))
    return math.fsum(losses) / len(losses)


@pytest.mark.parametrize("window", [1, 3, 20])
def test_the_loss_is_that_of_a_loop_over_all_pairs(window):
    model, drawn, negatives = tables(), walks(5), torch.tensor([0, 5, 5, 2])
    loss = model(drawn, negatives, in_window(drawn.size(1), window).double(), 5)
    assert float(loss.detach()) == pytest.approx(slow_loss(model, drawn, negatives.tolist(), window, 5), rel=1e-12,
                                                 abs=0)


def noise_p_value(power: float) -> float:
    drawn = walks(30)
    counts = [sum(walk.count(node) for walk in drawn.tolist()) for node in range(N)]
    stated = [count ** power for count in counts]
    found = torch.bincount(skipgram.noise(drawn, 4000, tables(), seeded(3)).flatten(), minlength=N).double()
    return stats.chisquare(found, [float(found.sum()) * each / sum(stated) for each in stated]).pvalue


def test_negatives_come_as_often_as_their_counts_to_three_quarters():
    """256,000 draws; a power of .7 or .8 is seen."""
    assert noise_p_value(0.75) > LEVEL and noise_p_value(0.7) < LEVEL and noise_p_value(0.8) < LEVEL


def optimum(drawn: torch.Tensor, window: int, count: int) -> tuple[torch.Tensor, float]:
    """The scores [N, N] with the least mean loss of a pair, and that loss, where dimensions are no limit.

    With #(c, o) pairs that met and k #(c) P(o) that are expected as negatives it is the logarithm of their ratio
    (Levy and Goldberg 2014).
    """
    met = torch.zeros(N, N, dtype=torch.double)
    for walk in drawn.tolist():
        for i, j in slow_pairs(walk, window):
            met[walk[i], walk[j]] += 1
    noise = torch.bincount(drawn.flatten(), minlength=N).double() ** 0.75
    apart = count * met.sum(1, keepdim=True) * noise / noise.sum()
    assert (met > 0).all()
    share = met / (met + apart)
    return (met / apart).log(), float(-(met * share.log() + apart * (1 - share).log()).sum() / met.sum())


def test_training_ends_at_the_optimum():
    """As many dimensions as nodes: no limit. The scores are those of the closed form, and so is the loss."""
    drawn, g = walks(600), seeded(4)
    scores, least = optimum(drawn, 5, 2)
    model = SkipGram.initial(N, N, g)
    history = train_skipgram(model, lambda _: drawn, window=5, negatives=2, epochs=20, learning_rate=0.05, generator=g)
    assert history.train[-1] == pytest.approx(least, rel=0.005, abs=0) and history.train[0] > 1.02 * least
    found = (model.vectors @ model.contexts.t()).detach().double()
    assert (found - scores).abs().max() < 0.15 and len(history.train) == 20 and history.best_epoch == 19


def trained(model: SkipGram, seed: int = 5, **said) -> SkipGram:
    train_skipgram(model, **dict(walks=lambda g: walks(), window=2, negatives=2, epochs=2, learning_rate=0.05, batch=7,
                                                    generator=seeded(seed)) | said)
    return model


def test_training_goes_on_from_what_is_given_and_leaves_that_alone():
    given = [torch.randn(N, 3, generator=seeded(seed)) for seed in (6, 7)]
    kept = [each.clone() for each in given]
    model = SkipGram(*given)
    assert torch.equal(model.vectors, given[0]) and torch.equal(model.contexts, given[1])
    trained(model, learning_rate=1e-6)  # hardly a step: it cannot have begun elsewhere
    for before, copy, now in zip(given, kept, model.parameters(), strict=True):
        assert torch.equal(before, copy) and 0 < (now - before).abs().max() < 1e-4
    model.vectors.data[:2] = 7.0  # what a server sent
    assert (trained(model, learning_rate=1e-6).vectors[:2] - 7).abs().max() < 1e-4


def test_held_rows_stay_in_both_tables():
    held = torch.tensor([True, False, False, True, False, False])
    before, model = SkipGram.initial(N, 3, seeded(8)), SkipGram.initial(N, 3, seeded(8))
    trained(model, held=held)
    for was, now in zip(before.parameters(), model.parameters(), strict=True):
        assert (was == now)[held].all() and not (was == now)[~held].any()


def test_the_same_generator_gives_the_same_tables():
    first, again, other = (trained(SkipGram.initial(N, 3, seeded(9)), seed) for seed in (5, 5, 6))
    assert torch.equal(first.vectors, again.vectors) and not torch.equal(first.vectors, other.vectors)


def test_the_rate_falls_to_zero(monkeypatch):
    rates, take = [], skipgram.take
    monkeypatch.setattr(skipgram, "take", lambda optimiser, *rest: (
        rates.append(optimiser.param_groups[0]["lr"]), take(optimiser, *rest)))
    trained(tables(), batch=15, epochs=2, learning_rate=0.8)  # 60 walks: four steps an epoch
    assert rates == pytest.approx([0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])


@pytest.mark.parametrize("count, size", [(1, 1), (99, 1), (350, 3), (6399, 63), (20_000, 64)])
def test_small_graphs_have_enough_steps(count, size, monkeypatch):
    """At least a hundred an epoch where there are as many walks; on large ones steps of 64 walks."""
    sizes, forward = [], SkipGram.forward
    monkeypatch.setattr(SkipGram, "forward", lambda self, rows, *rest: (sizes.append(len(rows)),
                                                                        forward(self, rows, *rest))[1])
    drawn = walks(6, 2)[torch.arange(count) % 6]
    trained(tables(), batch=None, walks=lambda g: drawn, epochs=1)
    assert sizes[0] == max(sizes) == size and sum(sizes) == count


def one_table() -> SkipGram:
    model = tables()
    model.contexts = model.vectors
    return model


@pytest.mark.parametrize("begun", [tables, one_table])
@pytest.mark.parametrize("held", [None, torch.tensor([True, False, False, True, False, False])])
def test_rows_that_wait_end_where_dense_adam_takes_them(begun, held, monkeypatch):
    ways = []
    for few in (math.inf, 0):  # whole tables, and touched rows
        monkeypatch.setattr(skipgram, "FEW", few)
        ways.append(trained(begun(), held=held, epochs=3, batch=1, walks=lambda g: walks(40, 2)))
    for was, whole, touched in zip(begun().parameters(), *(way.parameters() for way in ways), strict=True):
        assert (whole - was).abs().max() > 0.5 and torch.allclose(whole, touched, rtol=0, atol=1e-5)
        assert held is None or torch.equal(touched[held], was[held])
    assert len(list(ways[1].parameters())) == len(list(begun().parameters()))


@pytest.mark.parametrize("nodes, way", [(4 * (3 * 5 + 64) - 1, skipgram.WholeTables),
                                        (4 * (3 * 5 + 64), skipgram.TouchedRows)])
def test_sizes_say_which_rows_are_computed_with(nodes, way, monkeypatch):
    """Steps of 3 walks of 5 nodes and 64 negatives: from four times as many nodes on, only with what a step reads."""
    taken, stepping = [], skipgram.stepping
    monkeypatch.setattr(skipgram, "stepping", lambda *sizes: taken.append(stepping(*sizes)) or taken[-1])
    trained(SkipGram.initial(nodes, 2, seeded(0)), batch=3, walks=lambda g: walks(6, 5))
    assert taken == [way]  # once for both epochs


@pytest.mark.parametrize("drawn", [None, [[0, 1]], torch.zeros(3, 2), torch.zeros(3, dtype=torch.long),
                                   torch.zeros(0, 4, dtype=torch.long), torch.zeros(4, 1, dtype=torch.long),
                                   torch.tensor([[0, N]]), torch.tensor([[0, -1]])], ids=str)
def test_what_are_no_walks_is_refused(drawn):
    with pytest.raises((ValueError, TypeError), match="^walks must"):
        train_skipgram(tables(), lambda g: drawn, window=2, negatives=2, epochs=1, learning_rate=0.1,
                       generator=seeded(0))


def grams(model: SkipGram) -> tuple[torch.Tensor, torch.Tensor]:
    return tuple((table.t() @ table).detach() for table in (model.vectors, model.contexts))


@pytest.mark.parametrize("dimension", [1, 3, 9])
def test_balanced_tables_have_the_same_scores_and_as_much_each(dimension):
    model = tables(dimension)
    model.contexts.data *= 5
    scores, before = (model.vectors @ model.contexts.t()).detach(), model.vectors.detach().clone()
    model.balance()
    assert torch.allclose(model.vectors @ model.contexts.t(), scores, atol=1e-10)
    vectors, contexts = grams(model)
    assert torch.allclose(vectors, contexts, atol=1e-10)
    turned = (model.vectors.detach().t() @ before)  # symmetric and not negative: no turn brings them nearer
    assert torch.allclose(turned, turned.t(), atol=1e-10) and torch.linalg.eigvalsh(turned).min() > -1e-10


def test_balance_takes_back_whatever_leaves_scores_alone():
    """Distances between balanced vectors do not depend on the map by which the two tables had drifted apart."""
    model, drifted = tables(), tables()
    drift = torch.randn(3, 3, generator=seeded(5), dtype=torch.double)
    drifted.vectors.data, drifted.contexts.data = model.vectors @ drift, model.contexts @ torch.linalg.inv(drift).t()
    far = (torch.cdist(model.vectors, model.vectors) - torch.cdist(drifted.vectors, drifted.vectors)).abs().max()
    model.balance(), drifted.balance()
    assert far > 1
    assert torch.allclose(torch.cdist(model.vectors, model.vectors), torch.cdist(drifted.vectors, drifted.vectors),
                          atol=1e-8)


def test_adam_lets_tables_drift_apart_and_gradient_descent_does_not():
    """What balance is for: U'U - V'V after training on the same walks, from the same start, by either."""
    def drift(optimiser, rate):
        model = tables()
        model.balance()
        step = optimiser(model.parameters(), lr=rate)
        near, unmet = in_window(8, 2).double(), torch.arange(N)
        for _ in range(200):
            step.zero_grad()
            model(walks(), unmet, near, 5).backward()
            step.step()
        vectors, contexts = grams(model)
        return float((vectors - contexts).norm() / vectors.norm())
    assert drift(torch.optim.SGD, 0.05) < 0.01 < 0.1 < drift(torch.optim.Adam, 0.05)
