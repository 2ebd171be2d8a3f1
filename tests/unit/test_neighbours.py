"""GraphPrivatizer's replacement of neighbours against Algorithms 1 to 4 written out as loops,
and the two-hop baseline."""

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
import torch
from scipy import stats
from torch_geometric.data import Data
from torch_geometric.transforms import Compose

from privgraph import datasets
from privgraph.audit import AdjacentPairs, ListReport, adjacent_pairs, everybody, relations, worst_case
from privgraph.graph import adjacency, to_undirected
from privgraph.mechanisms import MultiBit, NeighbourReplacement, TooManyPairs, TwoHopResponse, two_hop
from privgraph.mechanisms.neighbours import edge_similarity
from privgraph.mechanisms.two_hop import Walks
from privgraph.randomness import secret, seeded

SETTINGS = [(strategy, similarity, mix, threshold)
            for strategy in ("threshold", "most-similar")
            for similarity, thresholds in (("cosine", (-1.0, 0.0, 0.3)), ("euclidean", (0.0, 0.4)))
            for mix in (0.0, 0.5, 1.0) for threshold in thresholds]
KARATE = datasets.load("karate")


def graph(edges, num_nodes, columns=3, seed=0, undirected=True) -> Data:
    edges = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t()
    x = torch.randn(num_nodes, columns, generator=seeded(seed))
    return Data(x=x, edge_index=to_undirected(edges, num_nodes) if undirected else edges, num_nodes=num_nodes)


def karate(seed=0, columns=3) -> Data:
    return Data(x=torch.randn(34, columns, generator=seeded(seed)), edge_index=KARATE.edge_index, num_nodes=34)


# The loops: who is in whose list, eq. 3 and 4, Algorithms 3 and 4, eq. 5 and 6.


def lists_of(data: Data) -> list[list[int]]:
    lists = [[] for _ in range(data.num_nodes)]
    for u, v in data.edge_index.t().tolist():
        lists[v].append(u)
    return [sorted(near) for near in lists]


def similarity(m: NeighbourReplacement, data: Data, u: int, w: int) -> float:
    lists, x = lists_of(data), data.x.double()

    def mixed(node):
        mean = x[lists[node]].mean(0) if lists[node] else torch.zeros(x.size(1), dtype=torch.double)
        return (1 - m.mix) * x[node] + m.mix * mean
    a, b = mixed(u), mixed(w)
    if m.similarity == "euclidean":
        return float(1 / (1 + (a - b).norm()))
    lengths = a.norm() * b.norm()
    return float(a @ b / lengths) if lengths > 0 else 0.0


def slow_candidates(m: NeighbourReplacement, data: Data, u: int, v: int) -> list[int]:
    near = [w for w in lists_of(data)[u] if w != v]
    if m.strategy == "most-similar":
        near = sorted(near, key=lambda w: (-similarity(m, data, u, w), w))[:1]
    return [w for w in near if similarity(m, data, u, w) >= m.threshold]


def slow_distribution(m: NeighbourReplacement, data: Data, u: int, v: int) -> dict[int, float]:
    others = slow_candidates(m, data, u, v)
    total = math.exp(m.epsilon) + len(others)
    return {u: math.exp(m.epsilon) / total, **{w: 1 / total for w in others}}


def slow_perturb(data: Data, distribution, generator: torch.Generator) -> torch.Tensor:
    """Algorithm 1, with a multiset: for each person v and each of her neighbours u, one draw."""
    reported = []
    for u, v in data.edge_index.t().tolist():
        table = distribution(u, v)
        place = torch.multinomial(torch.tensor(list(table.values())), 1, generator=generator)
        reported.append((list(table)[place], v))
    return torch.tensor(reported).t()


@pytest.mark.parametrize("strategy, kind, mix, threshold", SETTINGS)
def test_every_slot_has_the_distribution_of_the_loops(strategy, kind, mix, threshold):
    m = NeighbourReplacement(1.0, strategy, mix, threshold, kind)
    messy = graph([(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 5), (6, 1), (6, 4)], 8, seed=3)
    directed = graph([(0, 1), (1, 0), (1, 2), (2, 3), (3, 1), (4, 1), (2, 0), (0, 3)], 5, seed=4, undirected=False)
    for data in (messy, directed, karate() if mix == 0.5 else messy):
        slots = m.slots(data)
        for e, (u, v) in enumerate(data.edge_index.t().tolist()):
            slow, fast = slow_distribution(m, data, u, v), m.slot_distribution(slots, e)
            assert fast.keys() == slow.keys() and fast == pytest.approx(slow, abs=1e-9), (u, v)


@pytest.mark.parametrize("strategy", ["threshold", "most-similar"])
def test_draws_have_the_distribution_of_the_loops(strategy):
    """2,000 reports of the karate club at eps = 1, every slot pooled into one chi-square test at level 1e-6; a mutant
    with 20% more epsilon is refused."""
    m, data = NeighbourReplacement(1.0, strategy, mix=0.5, threshold=0.0), karate(1)
    slots = m.slots(data)
    tables = [m.slot_distribution(slots, e) for e in range(data.edge_index.size(1))]

    def p_value(mechanism):
        generator, counts = seeded(11), [Counter() for _ in tables]
        for _ in range(2000):
            for count, name in zip(counts, mechanism.draw(slots, generator)[0].tolist(), strict=True):
                count[name] += 1
        assert all(count.keys() <= table.keys() for count, table in zip(counts, tables, strict=True))
        free = [(c, t) for c, t in zip(counts, tables, strict=True) if len(t) > 1]
        total = sum((c[w] - 2000 * p) ** 2 / (2000 * p) for c, t in free for w, p in t.items())
        return stats.chi2.sf(total, sum(len(t) - 1 for _, t in free))
    assert p_value(m) > 1e-6
    assert p_value(replace(m, epsilon=1.2)) < 1e-6


def test_the_loop_of_algorithm_1_draws_from_the_same_distribution():
    """One star slot, 2,000 draws of the loop: level 1e-6."""
    m, data = NeighbourReplacement(1.0, mix=0.0, threshold=-1.0), graph([(0, 1), (0, 2), (0, 3), (0, 4)], 5)
    generator = seeded(5)
    slot = data.edge_index[1].tolist().index(1)
    distribution = cache(lambda u, v: slow_distribution(m, data, u, v))
    seen = Counter(int(slow_perturb(data, distribution, generator)[0, slot]) for _ in range(2000))
    table = distribution(0, 1)
    assert stats.chisquare([seen[w] for w in table], [2000 * p for p in table.values()]).pvalue > 1e-6


def by_person(edges: torch.Tensor) -> torch.Tensor:
    return (edges[1] * 34 + edges[0]).argsort(stable=True)


def test_the_extremes_of_epsilon():
    data = karate()
    assert NeighbourReplacement(math.inf)(data, generator=seeded(0)).edge_index is data.edge_index
    m = NeighbourReplacement(700.0, threshold=-1.0)
    assert torch.equal(m(data, generator=seeded(0)).edge_index, data.edge_index[:, by_person(data.edge_index)])


def test_what_stays_as_it_is():
    """The report is a multiset: every list keeps its length, nobody lists herself, x and the input are untouched."""
    data = karate()
    before = data.edge_index.clone()
    told = NeighbourReplacement(0.1, threshold=-1.0)(data, generator=seeded(1))
    assert torch.equal(told.edge_index[1], data.edge_index[1].sort().values) and torch.equal(data.edge_index, before)
    assert (told.edge_index[0] != told.edge_index[1]).all() and told.x is data.x
    assert torch.equal(by_person(told.edge_index), torch.arange(data.num_edges))  # the order says nothing
    kept = torch.isin(told.edge_index[0] * 34 + told.edge_index[1], before[0] * 34 + before[1])
    assert 0.05 < float(kept.float().mean()) < 0.7


def test_small_and_odd_graphs():
    """A star, a complete graph, leaves, isolated nodes, a graph without edges, duplicate features."""
    m = NeighbourReplacement(0.1, mix=0.0, threshold=-1.0)
    star = m.slots(graph([(0, i) for i in range(1, 6)], 7))
    assert star.certain == 0.5  # the centre's five slots are leaves
    assert [len(star.candidates(e)) for e in range(10)] == [4 if v else 0 for v in star.edge_index[1].tolist()]
    complete = m.slots(graph([(i, j) for i in range(5) for j in range(i)], 5))
    assert complete.count.tolist() == [3] * 20 and complete.certain == 0
    for strategy in ("threshold", "most-similar"):
        nothing = graph([], 3)
        assert replace(m, strategy=strategy)(nothing, generator=seeded(0)).edge_index.shape == (2, 0)
        assert replace(m, strategy=strategy).slots(nothing).certain == 0.0
    twins = graph([(0, 1), (1, 2), (1, 3), (1, 4)], 5)
    twins.x = torch.ones(5, 2)
    slots = replace(m, strategy="most-similar", threshold=0.9).slots(twins)
    slot = slots.edge_index.t().tolist().index([1, 0])
    assert slots.candidates(slot) == [2]  # a tie: the lowest number
    zero = graph([(0, 1), (1, 2)], 3)
    zero.x = torch.zeros(3, 2)
    assert replace(m, threshold=0.0).slots(zero).count.sum() == 2 and replace(m, threshold=0.1).slots(zero).certain == 1
    zero.x = torch.zeros(3, 0)  # no feature at all
    assert replace(m, threshold=0.0).slots(zero).count.sum() == 2 and replace(m, threshold=0.1).slots(zero).certain == 1


def test_a_threshold_of_zero_is_not_no_threshold():
    data = karate()
    everyone, positive = (NeighbourReplacement(1.0, mix=0.0, threshold=t).slots(data) for t in (-1.0, 0.0))
    assert 0 < int(positive.count.sum()) < int(everyone.count.sum()) and positive.certain > everyone.certain
    near = NeighbourReplacement(1.0, mix=0.0, threshold=0.0, similarity="euclidean").slots(data)
    assert torch.equal(near.count, everyone.count)  # nobody is infinitely far away


def test_the_base_case_releases_most_slots():
    """alpha = delta = 0 on noisy features (eps_x = 3): two thirds of the slots have no candidate;
    at alpha = .5 only the leaves have none, at alpha = 1 about a quarter."""
    twin = datasets.load("cora-twin")
    bits = MultiBit(3.0, twin.num_features, *twin.feature_range)
    seen = Data(x=bits.estimate(bits.report(twin.x, generator=seeded(0))), edge_index=twin.edge_index)
    raw, mixed, near = (NeighbourReplacement(0.1, mix=mix).slots(seen).certain for mix in (0.0, 0.5, 1.0))
    leaves = float((torch.bincount(twin.edge_index[1])[twin.edge_index[0]] == 1).float().mean())
    assert 0.6 < raw < 0.75 and mixed == pytest.approx(leaves, abs=0.003) and 0.15 < near < 0.35


def test_the_size_of_a_block_changes_nothing(monkeypatch):
    data, m = karate(), NeighbourReplacement(1.0, similarity="euclidean", threshold=0.3)
    whole = m.slots(data)
    monkeypatch.setattr("privgraph.mechanisms.neighbours.CACHED", 1)
    one_by_one = m.slots(data)
    assert torch.equal(whole.count, one_by_one.count) and torch.equal(whole.accepted, one_by_one.accepted)


@pytest.mark.parametrize("kind", ["cosine", "euclidean"])
@pytest.mark.parametrize("mix", [0.0, 0.3, 1.0])
def test_features_are_mixed_and_compared_with_the_bits_of_the_equations(kind, mix):
    """What is written over on the way are copies: neither the features nor what is compared changes."""
    data = karate(columns=301)
    mechanism, given = NeighbourReplacement(1.0, mix=mix), data.x.clone()
    mixed, mean = mechanism.mixed(data), adjacency(data.edge_index, 34, "mean")
    assert torch.equal(mixed, (1 - mix) * data.x + mix * (mean @ data.x)) and torch.equal(data.x, given)
    kept, (a, b) = mixed.clone(), data.edge_index.sort(0).values
    unit = mixed / mixed.norm(dim=1, keepdim=True)
    wanted = (unit[a] * unit[b]).sum(1) if kind == "cosine" else 1 / (1 + (mixed[a] - mixed[b]).norm(dim=1))
    assert torch.equal(edge_similarity(mixed, data.edge_index, kind), wanted) and torch.equal(mixed, kept)


def test_defaults_are_those_of_table_6():
    assert NeighbourReplacement(0.1) == NeighbourReplacement(0.1, "threshold", 0.5, 0.0, "cosine")


def test_euclidean_similarity_prefers_the_near():
    """The released code takes the distance itself as the similarity, and so prefers the farthest neighbour."""
    data = graph([(0, 1), (1, 2), (1, 3)], 4)
    data.x = torch.tensor([[0.0], [0.0], [5.0], [1.0]])
    slots = NeighbourReplacement(1.0, "most-similar", 0.0, 0.0, "euclidean").slots(data)
    assert slots.candidates(slots.edge_index.t().tolist().index([1, 0])) == [3]


@pytest.mark.parametrize("make, message", [
    (lambda: NeighbourReplacement(0.0), "epsilon must be"),
    (lambda: NeighbourReplacement(1.0, "nearest"), "strategy must be one of most-similar, threshold; got 'nearest'"),
    (lambda: NeighbourReplacement(1.0, similarity="l1"), "similarity must be one of cosine, euclidean; got 'l1'"),
    (lambda: NeighbourReplacement(1.0, mix=1.5), r"mix must lie in \[0, 1\], got 1.5"),
    (lambda: NeighbourReplacement(1.0, threshold=math.nan), "threshold must be a finite number, got nan"),
    (lambda: TwoHopResponse(-1.0), "epsilon must be"),
    (lambda: NeighbourReplacement(1.0).slots(graph([(0, 0)], 2, undirected=False)), "no self loops, got 1"),
    (lambda: NeighbourReplacement(1.0).slots(graph([(0, 1), (0, 1)], 2, undirected=False)),
     "no duplicate edges, got 1"),
    (lambda: NeighbourReplacement(1.0).slots(Data(x=torch.full((2, 1), math.nan), edge_index=torch.empty(2, 0).long())),
     "features must be finite"),
])
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_no_generator_no_report():
    for m in (NeighbourReplacement(1.0), TwoHopResponse(1.0)):
        with pytest.raises(TypeError, match="generator must be a torch.Generator"):
            m(karate(), generator=0)


def test_as_a_transform():
    data, m = karate(), NeighbourReplacement(0.5)
    told = Compose([m.transform(generator=seeded(2))])(data)
    assert torch.equal(told.edge_index, m(data, generator=seeded(2)).edge_index)


# The audit of one list, and of all adjacent lists (Theorem 4.3).


def slow_adjacent_pairs(m, data):
    lists = tuple(map(frozenset, lists_of(data)))
    total = narrow = finite = together = 0
    whole = everybody(m, data.x)
    for v in range(data.num_nodes):
        own = ListReport(m, data, v)
        for u in lists[v]:
            for w in set(range(data.num_nodes)) - {v, *lists[v]}:
                total += 1
                narrow += w in own.tables[u] and w != u
                moved = relations.with_list(lists, v, lists[v] - {u} | {w})
                loss = worst_case(own, [lists[v], moved[v]]).epsilon
                assert loss == math.inf or loss == pytest.approx(m.epsilon)
                assert worst_case(whole.mechanisms[v], [lists, moved]).epsilon == pytest.approx(loss)
                finite += loss < math.inf
                together += worst_case(whole, [lists, moved]).epsilon < math.inf
    return AdjacentPairs(total, narrow, finite, together)


AGAINST = graph([(0, 1), (1, 2), (0, 3), (3, 4), (4, 0), (4, 5)], 6)
AGAINST.x = torch.tensor([[-1.0, 0.1], [1, 0.2], [1, 0.3], [0, 1], [0.3, 1], [1, 0]])  # 0 resembles neither 1 nor 2
AUDITED = (graph([(0, 1), (1, 2)], 4), graph([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 4), AGAINST,
           graph([(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 5), (6, 1), (6, 4)], 8, seed=3), graph([], 3))


@pytest.mark.bears("for", "replacement-loss")
@pytest.mark.parametrize("strategy, mix, threshold, together", [
    ("threshold", 0.0, -1.0, 0), ("threshold", 0.0, 0.0, 2), ("threshold", 0.5, 0.0, 1),
    ("most-similar", 0.0, -1.0, 1), ("most-similar", 0.5, 0.0, 2)])
def test_adjacent_pairs_are_those_of_the_exact_audit(strategy, mix, threshold, together):
    """In her own report, and in everybody's: on five small graphs."""
    m = NeighbourReplacement(1.0, strategy, mix, threshold)
    found = [adjacent_pairs(m, data) for data in AUDITED]
    assert found == [slow_adjacent_pairs(m, data) for data in AUDITED]
    assert sum(pairs.together for pairs in found) == together < sum(pairs.finite for pairs in found)
    assert sum(pairs.total for pairs in found) > 60


def possible_answers(m, data, v, u, w) -> list:
    """For each slot who reports and what can be said, when w has the place of u in v's list: all slots of the graph."""
    edges = torch.where((data.edge_index == torch.tensor([[u], [v]])).all(0), torch.tensor([[w], [v]]), data.edge_index)
    slots = m.slots(Data(x=data.x, edge_index=edges, num_nodes=data.num_nodes))
    return sorted((person, sorted(m.slot_distribution(slots, e))) for e, person in enumerate(edges[1].tolist()))


@pytest.mark.bears("for", "replacement-loss")
@pytest.mark.parametrize("mix", [0.0, 0.5, 1.0])
def test_adjacent_pairs_with_reports_that_tie(mix):
    """Reports of one feature in 200 have many equal similarities; the fast count breaks ties as the mechanism does."""
    bits = MultiBit(1.0, 200)
    x = bits.estimate(bits.report(torch.rand(34, 200, generator=seeded(2)), generator=seeded(3)))
    data, m = Data(x=x, edge_index=KARATE.edge_index, num_nodes=34), NeighbourReplacement(1.0, "most-similar", mix, 0.0)
    lists, found = lists_of(data), Counter()
    for v in range(34):
        tables = ListReport(m, data, v).tables
        for u in lists[v]:
            for w in set(range(34)) - {v, *lists[v]}:
                if tables[u].keys() == tables[w].keys():
                    same = possible_answers(m, data, v, u, u) == possible_answers(m, data, v, u, w)
                    found.update(finite=1, together=same)
    pairs = adjacent_pairs(m, data)
    assert (pairs.finite, pairs.together) == (found["finite"], found["together"]) and 0 < pairs.together < pairs.finite


def test_a_list_report_is_made_of_its_slots():
    data, m = karate(), NeighbourReplacement(1.0, mix=0.0, threshold=-1.0)
    report = ListReport(m, data, 0)
    assert report.tables[33] == pytest.approx(slow_distribution(m, data, 33, 0))  # not her neighbour, yet auditable
    one, two = report.tables[1], report.tables[4]
    both = report.distribution(frozenset({1, 4}))
    assert math.isclose(sum(both.values()), 1) and math.isclose(both[1, 4],
                                                                one[1] * two[4] + one.get(4, 0) * two.get(1, 0))
    with pytest.raises(ValueError, match="person must be a whole number, between 0 and 33, got 34"):
        ListReport(m, data, 34)


# The two-hop baseline.


def test_two_hop_views_are_those_of_the_loop(monkeypatch):
    lists = lists_of(karate())
    slow = {(w, v) for v in range(34) for u in lists[v] for w in lists[u] if w != v and w not in lists[v]}
    assert {tuple(p) for part in TwoHopResponse.strangers(karate()) for p in part.t().tolist()} == slow
    monkeypatch.setattr("privgraph.mechanisms.two_hop.BLOCK", 40)
    parts = list(TwoHopResponse.strangers(karate()))
    assert len(parts) > 5 and {tuple(p) for part in parts for p in part.t().tolist()} == slow


@pytest.mark.parametrize("block", [7, 1 << 22])
@pytest.mark.parametrize("directed", [False, True])
def test_drawn_walks_reach_each_stranger_once(block, directed, monkeypatch):
    """At a rate of (nearly) 1, whatever the size of a block: of many walks of a pair one speaks for it."""
    monkeypatch.setattr("privgraph.mechanisms.two_hop.BLOCK", block)
    edges = karate().edge_index[:, ::3] if directed else karate().edge_index
    lists = [set(edges[0, edges[1] == v].tolist()) for v in range(34)]
    slow = {(w, v) for v in range(34) for u in lists[v] for w in lists[u] if w != v and w not in lists[v]}
    found = list(map(tuple, Walks.of(edges, 34).drawn(1 - 1e-12, seeded(0)).t().tolist()))
    assert len(found) == len(slow) and set(found) == slow
    assert Walks.of(edges[:, :0], 34).drawn(0.5, seeded(0)).shape == (2, 0)


@pytest.mark.parametrize("generator", [seeded(5), secret()], ids=["seeded", "secret"])
def test_strangers_are_drawn_alike_whatever_the_number_of_their_walks(generator):
    """2,000 draws at a rate of .2, by the number of walks from w to v (1 to 10): 1e-6 each. If every walk spoke, those
    with two would come 1.8 times as often."""
    walks, n, rate = Walks.of(karate().edge_index, 34), 34, 0.2
    lists = torch.zeros(n, n).index_put_(tuple(karate().edge_index), torch.ones(1))
    ways = (lists @ lists).long() * (lists == 0) * (1 - torch.eye(n)).long()
    counts = torch.zeros(n, n).long()
    for _ in range(2000):
        w, v = walks.drawn(rate, generator)
        counts[w, v] += 1
    assert int(counts.sum(1)[ways.sum(1) == 0].sum()) == 0 and int(counts[ways == 0].sum()) == 0
    for number in ways[ways > 0].unique().tolist():
        tried = 2000 * int((ways == number).sum())
        assert stats.binomtest(int(counts[ways == number].sum()), tried, rate).pvalue > 1e-6
    twice = counts[ways == 2]
    assert stats.binomtest(int(twice.sum()), 2000 * len(twice), 1 - (1 - rate)**2).pvalue < 1e-6
    pairs = counts[ways > 0].double()
    assert stats.chi2.sf(float(((pairs - 400).square() / 320).sum()), len(pairs)) > 1e-6  # one pair with another


def test_the_report_draws_walks_where_there_are_many(monkeypatch):
    """To the bit what was drawn before below the limit; above, walks are not listed."""
    data, m = karate(), TwoHopResponse(1.0)
    assert m.walks(data) == 1056 < two_hop.LISTED == 1 << 27
    monkeypatch.setattr(two_hop, "LISTED", 1055)
    monkeypatch.setattr(TwoHopResponse, "strangers", staticmethod(lambda data: pytest.fail("walks were listed")))
    strangers = Walks.of(data.edge_index, 34).drawn(1 - 1e-12, seeded(0))
    edges = {tuple(e) for e in data.edge_index.t().tolist()}
    told = [set(map(tuple, m(data, generator=seeded(seed)).edge_index.t().tolist())) for seed in range(200)]
    added, kept = sum(len(each - edges) for each in told), sum(len(each & edges) for each in told)
    assert set.union(*told) <= edges | set(map(tuple, strangers.t().tolist()))
    for count, number, chance in ((added, strangers.size(1), 1 - m.keep), (kept, len(edges), m.keep)):
        assert stats.binomtest(count, 200 * number, chance).pvalue > 1e-6
    assert m.most_pairs(data) == pytest.approx(m.keep * 156 + (1 - m.keep) * 1056)  # each walk counts
    assert math.isinf(TwoHopResponse(1.0).guarantees[0].epsilon)


def test_two_hop_lists_that_would_be_too_long_are_refused_before_they_are_drawn(monkeypatch):
    """A star of 6,001: 36 million walks of two steps, of which at epsilon .1 nearly half would be reported."""
    leaves = torch.arange(1, 6001)
    star = graph(torch.stack([torch.zeros_like(leaves), leaves]).t().tolist(), 6001)
    monkeypatch.setattr(TwoHopResponse, "strangers", staticmethod(lambda data: pytest.fail("lists were made")))
    monkeypatch.setattr("privgraph.mechanisms.edge_mechanism.MOST_PAIRS", 10_000_000)
    with pytest.raises(
        TooManyPairs, match=r"two hops are expected to hold up to 17,10\d,\d+ pairs, allowed are 10,000,000"):
        TwoHopResponse(0.1)(star, generator=seeded(0))
    assert all(math.isinf(guarantee.epsilon) for guarantee in TwoHopResponse(0.1).guarantees)  # told already


def test_the_bound_on_two_hop_lists_is_one():
    for data in (karate(), graph([(0, 1), (1, 2)], 4)):
        strangers = sum(part.size(1) for part in TwoHopResponse.strangers(data))
        m = TwoHopResponse(1.0)
        assert m.keep * data.num_edges + (1 - m.keep) * strangers <= m.most_pairs(data) <= \
            m.keep * data.num_edges + (1 - m.keep) * 12 * strangers
    assert m.most_pairs(data) == pytest.approx(4 * m.keep + 2 * (1 - m.keep))  # on a path both are the same
    complete = graph([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], 4)
    assert m.most_pairs(complete) == pytest.approx(12)  # of 24 walks; there are only 12 pairs


def test_the_distribution_of_two_hop_lists_is_the_one_that_is_drawn():
    """Four people in a row: 0 and 3 are three steps apart, and never speak of each other."""
    m = TwoHopResponse(1.0)
    table = m.distribution((frozenset({1}), frozenset({0, 2}), frozenset({1, 3}), frozenset({2})))
    true, false = m.keep, 1 - m.keep
    row = {0: {1: true, 2: false, 3: 0.0}, 1: {0: true, 2: true, 3: false},
           2: {0: false, 1: true, 3: true}, 3: {0: 0.0, 1: false, 2: true}}
    ones = [row[v][u] for v in range(4) for u in range(4) if u != v]
    slow = {}
    for bits in product((0, 1), repeat=12):
        chance = math.prod(p if bit else 1 - p for bit, p in zip(bits, ones, strict=True))
        rows = tuple(bits[3 * v:3 * v + 3] for v in range(4))
        slow[rows] = chance
    assert all(table.get(rows, 0.0) == pytest.approx(chance, abs=1e-15) for rows, chance in slow.items())
    assert sum(table.values()) == pytest.approx(1)


def test_two_hop_response_flips_each_bit_of_the_view():
    """2,000 reports of the karate club at eps = 1: kept neighbours and added strangers, level 1e-6 each."""
    data, m, generator = karate(), TwoHopResponse(1.0), seeded(3)
    truth = math.e / (math.e + 1)
    assert m.keep == pytest.approx(truth, abs=1e-12)
    edges = {tuple(e) for e in data.edge_index.t().tolist()}
    strangers = sum(part.size(1) for part in TwoHopResponse.strangers(data))
    kept = added = 0
    for _ in range(2000):
        told = {tuple(e) for e in m(data, generator=generator).edge_index.t().tolist()}
        kept, added = kept + len(told & edges), added + len(told - edges)
    for count, number, chance in ((kept, len(edges), truth), (added, strangers, 1 - truth)):
        assert stats.binomtest(count, 2000 * number, chance).pvalue > 1e-6
        assert stats.binomtest(count, 2000 * number, TwoHopResponse(1.2).keep if chance == truth
                               else 1 - TwoHopResponse(1.2).keep).pvalue < 1e-6
    assert TwoHopResponse(math.inf)(data, generator=generator).edge_index is data.edge_index
    assert m(graph([], 3), generator=generator).edge_index.shape == (2, 0)
