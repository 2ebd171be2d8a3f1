"""The privacy claims of GraphPrivatizer (Joshi, Indri and Mishra 2024), checked by exact enumeration on small
graphs.  The oracle follows Algorithms 1-4 line by line with these conventions: candidates of u are neighbours
of u other than v (the person who reports), aggregation is the mean over the neighbours (eq. 3), the report is
the multiset of replacements, and a neighbour without a candidate is kept. Where the printed algorithm
differs, a test says so and runs that too. """

import math
import statistics
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import stats
from torch_geometric.data import Data

from privbook.papers.published import entries
from privgraph import datasets
from privgraph.audit import Independent, delta_curve, relations, worst_case
from privgraph.mechanisms import Laplace, MultiBit, NeighbourReplacement, RandomisedResponse, SymmetricResponse
from privgraph.privacy import compose
from privgraph.randomness import seeded

# The oracle: GraphPrivatizer, Algorithms 1-4.


@dataclass(frozen=True)
class Setting:
    """A graph with (noisy, public) features x [N][d], and the parameters of the method."""

    lists: relations.Lists
    x: tuple[tuple[float, ...], ...]
    epsilon: float = 1.0
    strategy: str = "t"
    alpha: float = 0.0
    delta: float = -1.0
    exclude_v: bool = True

    @cached_property
    def mixed(self) -> list[np.ndarray]:
        """Eq. 3: (1 - alpha) x_u + alpha Agg_u, the aggregate being the mean over N(u)."""
        x = np.array(self.x)
        means = [x[sorted(near)].mean(0) if near else np.zeros(x.shape[1]) for near in self.lists]
        return [(1 - self.alpha) * own + self.alpha * mean for own, mean in zip(x, means, strict=True)]

    @cached_property
    def cosines(self) -> list[list[float]]:
        """Eq. 4 for every two people: the cosine of their mixed features (0 for a row of zeros)."""
        lengths = [max(float(np.linalg.norm(row)), 1e-300) for row in self.mixed]
        unit = np.array([row / length for row, length in zip(self.mixed, lengths, strict=True)])
        return np.clip(unit @ unit.T, -1, 1).tolist()

    @cached_property
    def tables(self) -> dict:
        """Replacements that were already worked out."""
        return {}


def candidates(setting, u, v):
    """Algorithm 3 (GP-m: the most similar neighbour of u) or 4 (GP-t: all), where the similarity is at least
    delta."""
    near = sorted(setting.lists[u] - {v} if setting.exclude_v else setting.lists[u])
    if setting.strategy == "m" and near:
        near = [max(near, key=setting.cosines[u].__getitem__)]
    return [w for w in near if setting.cosines[u][w] >= setting.delta]


def replacement(setting, u, v):
    """Eq. 5 and 6: what v's neighbour u becomes, {node: probability}; d is the number of candidates plus
    one."""
    if (u, v) not in setting.tables:
        others = candidates(setting, u, v)
        keep = 1 / (1 + len(others) * math.exp(-setting.epsilon))
        lie = (1 - keep) / max(len(others), 1)
        setting.tables[u, v] = {u: keep, **({w: lie for w in others} if lie > 0 else {})}
    return setting.tables[u, v]


@dataclass(frozen=True)
class Report:
    """Algorithm 1 for person v: the distribution of her report when her neighbours are b, the rest of the
    graph fixed.  ``form`` is what the server sees of the independent replacements: a sorted tuple is a
    multiset. """

    setting: Setting
    v: int
    form: type = tuple

    def distribution(self, b):
        table = {(): 1.0}
        for u in sorted(b):
            longer = {}
            for report, p in table.items():
                for w, q in replacement(self.setting, u, self.v).items():
                    names = tuple(sorted((*report, w)))
                    longer[names] = longer.get(names, 0.0) + p * q
            table = longer
        seen = {}
        for report, p in table.items():
            seen[self.form(report)] = seen.get(self.form(report), 0.0) + p
        return seen


class Tabled:
    """A mechanism given by a table or a function."""

    def __init__(self, table):
        self.distribution = table if callable(table) else table.__getitem__


def swaps(lists):
    """Definition 4.1 for every person v: (v, the neighbour that goes, the one that comes)."""
    for v, near in enumerate(lists):
        for old in sorted(near):
            yield from ((v, old, new) for new in range(len(lists)) if new != v and new not in near)


def pair(setting, v, old, new, form=tuple):
    """The worst case of one adjacent pair of neighbour sets."""
    near = setting.lists[v]
    return worst_case(Report(setting, v, form), [near, near - {old} | {new}])


def closed(setting, u, v):
    """What u can become: u and its candidates."""
    return frozenset(replacement(setting, u, v))


def everybody(setting):
    """The whole release: everybody's report, from the tuple of all lists.
    Given the lists the reports are independent."""
    at = cache(lambda lists: replace(setting, lists=lists))
    people = (Tabled(lambda lists, v=v: Report(at(lists), v).distribution(lists[v])) for v in range(len(setting.lists)))
    return Independent(tuple(people), split=lambda lists: (lists,) * len(lists))


def swapped(lists, v, old, new):
    """Definition 4.1: the list of v changes, and no other."""
    return relations.with_list(lists, v, lists[v] - {old} | {new})


def swapped_in_both_lists(lists, v, old, new):
    """The undirected edge v-old becomes v-new."""
    return relations.with_list(relations.with_list(swapped(lists, v, old, new), old, lists[old] - {v}), new,
                               lists[new] | {v})


def collections(setting):
    """For each person what her slots can answer, each with the number of slots that can."""
    return [Counter(closed(setting, u, v) for u in near) for v, near in enumerate(setting.lists)]


def normal_features(n, seed, columns=3):
    return tuple(map(tuple, np.random.default_rng(seed).normal(size=(n, columns)).tolist()))


def random_graph(seed):
    """5 to 8 people, each pair friends with probability .4."""
    rng = np.random.default_rng(seed)
    n = 5 + seed % 4
    return relations.neighbour_lists([e for e in combinations(range(n), 2) if rng.random() < 0.4], n)


def all_graphs(n):
    """Every graph of n named people."""
    possible = list(combinations(range(n), 2))
    for size in range(len(possible) + 1):
        yield from (relations.neighbour_lists(edges, n) for edges in combinations(possible, size))


STAR_6 = relations.neighbour_lists([(0, leaf) for leaf in range(1, 6)])
PATH_4 = relations.neighbour_lists([(0, 1), (1, 2), (2, 3)])
DIAMOND = relations.neighbour_lists([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)])  # only 0 and 3 are strangers
GRAPHS = {name: relations.neighbour_lists(edges) for name, edges in relations.SMALL_GRAPHS.items()} | {
    "star-6": STAR_6, **{f"random-{seed}": random_graph(seed) for seed in (1, 2, 4, 6, 7)}}
KARATE = relations.neighbour_lists(nx.karate_club_graph().edges())
PLAIN = tuple((1.0,) for _ in range(34))  # all alike: every cosine is 1


def settings(strategy, graphs=GRAPHS):
    """The graphs with two feature draws and two choices of (alpha, delta)."""
    for name, lists in graphs.items():
        for alpha, delta in ((0.0, -1.0), (0.5, 0.0)):
            for seed in (0, 1):
                yield name, Setting(lists, normal_features(len(lists), seed), 1.0, strategy, alpha, delta)


# Theorem 4.3: Algorithm 1 is eps-edge set LDP.


@pytest.mark.bears("repair", "gp-eq-5", "gp-eq-6")
def test_oracle_by_hand():
    """Eq. 5 and 6 on a star: the centre has three candidates besides the leaf that reports."""
    setting = Setting(relations.neighbour_lists([(0, 1), (0, 2), (0, 3), (0, 4)]), PLAIN[:5], math.log(3))
    assert replacement(setting, 0, 1) == pytest.approx({0: 1 / 2, 2: 1 / 6, 3: 1 / 6, 4: 1 / 6})
    assert replacement(replace(setting, strategy="m"), 0, 1) == pytest.approx({0: 3 / 4, 2: 1 / 4})
    assert replacement(setting, 1, 0) == {1: 1.0}
    toy = Setting(PATH_4, ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 0.0)), alpha=0.25)
    assert toy.mixed[1].tolist() == [0.25, 0.875]  # 3/4 of (0, 1) and 1/4 of the mean of (1, 0) and (1, 1)


@pytest.mark.bears("beside", "gp-theorem-4-3", "gp-theorem-4-3-for-t", "gp-proof-strict-inequality",
                   "gp-adjacent-within-two-hops", "gp-eq-5", "gp-eq-6", "gp-abstract-no-disclosure",
                   "gp-delta-zero-best-privacy", "gp-similar-nodes-preserve-privacy", "gp-threshold-fewer-candidates",
                   "gp-outdegree-preserved", "gp-trust-only-own-edges", "gp-more-strict-condition",
                   "gp-local-mitigates-untrusted-server", "gp-theorem-4-4-postprocessing",
                   "gp-only-neighbours-features-are-exchanged", "gp-provides-edge", "gp-fully-private",
                   "gp-lpgnn-no-edge-privacy", "gp-noisy-features-ensure-privacy")
@pytest.mark.parametrize("strategy", ["m", "t"])
def test_the_library_replaces_as_the_oracle_does(strategy):
    """``NeighbourReplacement``, slot by slot, on all the small graphs: what is said of the oracle is said of it."""
    name = {"m": "most-similar", "t": "threshold"}[strategy]
    for _, setting in settings(strategy):
        mechanism = NeighbourReplacement(setting.epsilon, name, setting.alpha, setting.delta)
        for v, told in enumerate(mechanism.slot_distributions(setting.lists, torch.tensor(setting.x))):
            expected = [replacement(setting, u, v) for u in sorted(setting.lists[v])]
            assert [*map(pytest.approx, expected)] == sorted(told, key=lambda table: next(iter(table)))


@pytest.mark.bears("against", "gp-theorem-4-3", "gp-theorem-4-3-for-t")
@pytest.mark.parametrize("strategy", ["m", "t"])
def test_theorem_4_3_smallest_counterexample(strategy, record_property):
    """Theorem 4.3, both strategies. Among all graphs of at most 4 people the smallest failure is one
    friendship among three people; with a candidate for every neighbour and no threshold it takes 4 people and
    3 friendships."""
    found = {"any": [], "with candidates": []}
    for n in (2, 3, 4):
        for lists in all_graphs(n):
            for seed in (0, 1) if strategy == "m" else (0,):  # GP-t without a threshold ignores features
                setting = Setting(lists, normal_features(n, seed), strategy=strategy)
                for v, old, new in swaps(lists):
                    worst = pair(setting, v, old, new)
                    assert worst.epsilon == math.inf or worst.epsilon == pytest.approx(setting.epsilon)
                    if worst.epsilon == math.inf:
                        size = (n, sum(map(len, lists)) // 2)
                        found["any"].append((size, worst))
                        if candidates(setting, old, v) and candidates(setting, new, v):
                            found["with candidates"].append((size, worst))
    sizes = {kind: min(size for size, _ in rows) for kind, rows in found.items()}
    assert sizes == {"any": (3, 1), "with candidates": (4, 3)}
    for rows in found.values():
        size, worst = min(rows, key=lambda row: row[0])
        record_property("witness", f"GP-{strategy}, {size[0]} people, {size[1]} friendship{'s' * (size[1] > 1)}: "
                                   "neighbours "
                        f"{set(worst.input)} can report {worst.outcome}, {set(worst.neighbour)} cannot: "
                        "loss infinite")


@pytest.mark.bears("against", "gp-theorem-4-3")
def test_theorem_4_3_a_four_person_path_by_hand(record_property):
    """Theorem 4.3, GP-t, no threshold, path 0-1-2-3: 0's neighbour 2 may be reported as 3, her neighbour 1
    never."""
    report = Report(Setting(PATH_4, PLAIN[:4]), 0)
    e = math.e
    assert report.distribution(frozenset({1})) == pytest.approx({(1,): e / (e + 1), (2,): 1 / (e + 1)})
    lie = 1 / (e + 2)
    assert report.distribution(frozenset({2})) == pytest.approx({(2,): e / (e + 2), (1,): lie, (3,): lie})
    deltas = delta_curve(report, [frozenset({1}), frozenset({2})], [1.0, 20.0])
    assert deltas == pytest.approx([1 / (e + 2)] * 2)  # no epsilon, however large, makes up for it
    record_property("witness", "path 0-1-2-3, eps 1: N(0) = {2} reports 3 with probability "
                    f"{1 / (e + 2):.3f}, N(0) = {{1}} with probability 0")


@pytest.mark.bears("against", "gp-theorem-4-3", "gp-theorem-4-3-for-t", "gp-provides-edge")
@pytest.mark.bears("for", "replacement-loss")
@pytest.mark.parametrize("strategy, count, share", [("m", 924, 0.86), ("t", 1026, 0.96)])
def test_theorem_4_3_loss_is_epsilon_or_infinite(strategy, count, share, record_property):
    """Theorem 4.3 on graphs of 3 to 8 people: the loss of the person's own report is exactly eps where the two
    neighbours and their candidates form the same set, and infinite everywhere else: for 924 (GP-m) and 1,026 (GP-t)
    of 1,072 adjacent pairs."""
    counts = {}
    for name, setting in settings(strategy):
        for v, old, new in swaps(setting.lists):
            worst = pair(setting, v, old, new)
            same = closed(setting, old, v) == closed(setting, new, v)
            assert worst.epsilon == (pytest.approx(setting.epsilon) if same else math.inf)
            pairs, infinite = counts.get(name, (0, 0))
            counts[name] = pairs + 1, infinite + (not same)
    assert counts["star-4"][1] > 0 and "triangle" not in counts  # a full list has nothing to swap in
    pairs, infinite = map(sum, zip(*counts.values(), strict=True))
    assert (pairs, infinite, round(infinite / pairs, 2)) == (1072, count, share)
    record_property("witness", f"GP-{strategy}: {infinite} of {pairs} adjacent pairs have infinite loss "
                               f"({infinite / pairs:.0%}; "
                    f"{', '.join(f'{name} {i}/{p}' for name, (p, i) in counts.items())})")


@pytest.mark.bears("against", "gp-theorem-4-3", "gp-theorem-4-3-for-t")
@pytest.mark.bears("for", "replacement-loss")
@pytest.mark.parametrize("strategy, finite", [("m", 18), ("t", 2)])
def test_theorem_4_3_with_everybodys_reports(strategy, finite, record_property):
    """Theorem 4.3 on the whole release, which is what the server sees. One list changes; the loss of all reports
    together is finite exactly where nobody's collection of answers changes: for 18 (GP-m) and 2 (GP-t) of the 1,072
    adjacent pairs, and it is eps there. Whoever hears v draws from v's list, so own reports (148 and 46) are not
    all."""
    own = together = 0
    for _, setting in settings(strategy):
        every, before = everybody(setting), collections(setting)
        for v, old, new in swaps(setting.lists):
            moved = swapped(setting.lists, v, old, new)
            loss = worst_case(every, [setting.lists, moved]).epsilon
            same = before == collections(replace(setting, lists=moved))
            assert loss == (pytest.approx(setting.epsilon) if same else math.inf)
            assert loss >= pair(setting, v, old, new).epsilon - 1e-9
            own, together = own + (pair(setting, v, old, new).epsilon < math.inf), together + same
    assert (own, together) == ({"m": 148, "t": 46}[strategy], finite)
    record_property("witness", f"GP-{strategy}: of 1,072 adjacent pairs {own} have a finite loss in the person's own "
                               "report, "
                    f"{together} in everybody's")


@pytest.mark.bears("against", "gp-theorem-4-3")
@pytest.mark.bears("for", "replacement-loss")
def test_theorem_4_3_own_report_finite_whole_release_infinite(record_property):
    """Five people, GP-t without a threshold: 0 hears 1 or 2, who hear each other, and 4 hears 0. Person 0's own report
    has loss 1, person 4's infinite, as 4 may name whom 0 hears. In the diamond person 1 can report 3, 3, 3 in one
    case only. All outcomes of the five reports together say the same as adding up the people."""
    apart = tuple(map(frozenset, ({1}, {2}, {1}, (), {0})))
    setting = Setting(apart, PLAIN[:5])
    both = [apart, swapped(apart, 0, 1, 2)]
    losses = [worst_case(people, both).epsilon for people in everybody(setting).mechanisms]
    assert losses == [pytest.approx(1.0), 0, 0, 0, math.inf]
    joint = worst_case(Tabled(everybody(setting).distribution), both)
    assert joint.epsilon == math.inf and joint.outcome[4] == (1,)
    diamond = Setting(DIAMOND, PLAIN[:4])
    both = [DIAMOND, swapped(DIAMOND, 0, 1, 3)]
    assert worst_case(everybody(diamond).mechanisms[0], both).epsilon == pytest.approx(1.0)
    before, after = (everybody(diamond).mechanisms[1].distribution(lists) for lists in both)
    assert (3, 3, 3) not in before and after[3, 3, 3] == pytest.approx(1 / (math.e + 2) ** 2 * math.e / (math.e + 1))
    record_property("witness", "diamond, N(0) = {1, 2} or {2, 3}, GP-t without a threshold, eps 1: loss 1 in the "
                               "report of "
                    f"0; person 1 reports 3, 3, 3 with probability 0 or {after[3, 3, 3]:.4f}")


@pytest.mark.bears("against", "gp-theorem-4-3", "gp-theorem-4-3-for-t")
@pytest.mark.bears("for", "replacement-loss")
def test_theorem_4_3_without_a_threshold_no_pair_is_finite_together(record_property):
    """GP-t without a threshold: on every undirected graph of at most 4 people, and on karate, no adjacent pair has a
    finite loss in the whole release. The neighbour who goes, old, hears v herself (the graph is undirected), so that
    the answers of her slot v grow by new, and her other slots stay as they are."""
    pairs, own = 0, 0
    small = [Setting(lists, PLAIN[:n]) for n in (3, 4) for lists in all_graphs(n)]
    for setting in (*small, Setting(KARATE, PLAIN)):
        for v, old, new in swaps(setting.lists):
            moved = replace(setting, lists=swapped(setting.lists, v, old, new))
            before, after = (Counter(closed(s, u, old) for u in s.lists[old]) for s in (setting, moved))
            assert before != after and after - before == Counter([closed(setting, v, old) | {new}])
            pairs, own = pairs + 1, own + (closed(setting, old, v) == closed(setting, new, v))
    assert 0 < own < pairs
    record_property("witness", f"GP-t without a threshold, all graphs of 3 and 4 people and karate: {pairs} adjacent "
                               "pairs, "
                    f"{own} finite in the own report, 0 in the whole release")


@pytest.mark.bears("beside", "gp-theorem-4-3")
@pytest.mark.parametrize("strategy", ["m", "t"])
def test_theorem_4_3_in_both_lists(strategy):
    """Theorem 4.3, the reading in which a swap changes an undirected edge, so that old and new change their
    lists too. At alpha = 0 the report of v has the same two distributions, so the same pairs are infinite there. The
    reports of old and new change their length, so in the whole release every pair is infinite."""
    own = []
    for lists in (STAR_6, PATH_4, random_graph(1), random_graph(2)):
        setting = Setting(lists, normal_features(len(lists), 0), strategy=strategy)
        every = everybody(setting)
        for v, old, new in swaps(lists):
            moved = swapped_in_both_lists(lists, v, old, new)
            undirected = Report(replace(setting, lists=moved), v).distribution(moved[v])
            assert undirected == pytest.approx(Report(setting, v).distribution(moved[v]))
            own.append(worst_case(every.mechanisms[v], [lists, moved]).epsilon)
            assert own[-1] == pytest.approx(pair(setting, v, old, new).epsilon)
            assert worst_case(every.mechanisms[old], [lists, moved]).epsilon == math.inf
    assert 0 < sum(loss < math.inf for loss in own) < len(own)


@pytest.mark.bears("against", "gp-theorem-4-3")
@pytest.mark.bears("beside", "gp-outdegree-preserved")
def test_theorem_4_3_as_printed(record_property):
    """Theorem 4.3, Algorithm 1 exactly as printed: v stays among u's candidates and the report is a set.
    Then even the path of three people fails, through v's own name, and so does every pair tried. If v is left
    out and the report stays a set, a few pairs with different candidates have a finite loss, above eps."""
    printed = Setting(GRAPHS["path-3"], PLAIN[:3], exclude_v=False)
    worst = pair(printed, 0, 1, 2, frozenset)
    assert worst.epsilon == math.inf and worst.outcome == {0} and worst.input == {1}
    record_property("witness", f"path 0-1-2 as printed, eps 1: N(0) = {{1}} reports 0 with probability "
                               f"{replacement(printed, 1, 0)[0]:.3f}, N(0) = {{2}} never")
    finite, pairs = {True: [], False: []}, 0
    for seed in (2, 3, 5):
        for exclude_v, found in finite.items():
            lists = random_graph(seed)
            setting = Setting(lists, PLAIN[:len(lists)], exclude_v=exclude_v)
            for v, old, new in swaps(setting.lists):
                if closed(setting, old, v) != closed(setting, new, v):
                    loss, pairs = pair(setting, v, old, new, frozenset).epsilon, pairs + 1
                    found += [loss] if loss < math.inf else []
    assert not finite[False] and 0 < len(finite[True]) < 0.1 * pairs
    assert min(finite[True]) > printed.epsilon + 0.1


@pytest.mark.bears("beside", "gp-theorem-4-3", "gp-theorem-4-3-for-t", "gp-proof-strict-inequality")
@pytest.mark.bears("for", "replacement-loss")
def test_theorem_4_3_where_it_holds(record_property):
    """Theorem 4.3 holds, with exactly eps, between neighbours whose candidate sets together with themselves
    coincide: the ends of a path of three, the two middle people of a diamond, mutual most similar
    neighbours."""
    for epsilon in (0.1, 1.0, 3.0):
        assert pair(Setting(GRAPHS["path-3"], PLAIN[:3], epsilon), 0, 1, 2).epsilon == pytest.approx(epsilon)
        diamond = Setting(DIAMOND, PLAIN[:4], epsilon)
        assert closed(diamond, 1, 0) == closed(diamond, 2, 0) == closed(diamond, 3, 0) == {1, 2, 3}
        assert pair(diamond, 0, 1, 3).epsilon == pytest.approx(epsilon)
        star = Setting(GRAPHS["star-4"], ((0.0, 1.0), (1.0, 0.0), (0.1, 1.0), (1.0, 0.1)), epsilon, "m")
        assert candidates(star, 0, 1) == [2] and candidates(star, 2, 1) == [0]  # mutually most similar
        assert pair(star, 1, 0, 2).epsilon == pytest.approx(epsilon)
        assert pair(star, 1, 0, 3).epsilon == math.inf
    mutual = [(u, w) for u in range(34) for w in KARATE[u]
              if candidates(KARATE_M, u, None) == [w] and candidates(KARATE_M, w, None) == [u]]
    for u, w in mutual:
        for v in (v for v in KARATE[u] if v != w and w not in KARATE[v]):
            assert closed(KARATE_M, u, v) == closed(KARATE_M, w, v)
    record_property("witness", f"{len(mutual) // 2} mutual pairs in the karate club; GP-m has loss exactly "
                    "eps on them")


KARATE_M = Setting(KARATE, normal_features(34, 0, 8), strategy="m")


@pytest.mark.bears("repair", "gp-adjacent-within-two-hops")
@pytest.mark.bears("beside", "gp-theorem-4-3", "gp-theorem-4-3-for-t")
@pytest.mark.parametrize("strategy", ["m", "t"])
def test_theorem_4_3_restricted_to_candidates(strategy, record_property):
    """Section 4.2 narrows adjacency to a change inside the two-hop view. With the new neighbour restricted to
    the candidates of the old one the loss is still infinite for many pairs, also in the own report: all of karate for
    GP-t, a quarter to a third for GP-m (over four draws of the features)."""
    small, every = [0, 0], 0
    for _, setting in settings(strategy):
        for v, old, new in swaps(setting.lists):
            every += 1
            if new in candidates(setting, old, v):
                small[0], small[1] = small[0] + 1, small[1] + (pair(setting, v, old, new).epsilon == math.inf)
    assert every == 1072 and small == {"m": [207, 59], "t": [404, 358]}[strategy]
    all_shares, shares = [], []
    for seed in range(4):
        setting = Setting(KARATE, normal_features(34, seed, 8), strategy=strategy)
        infinite = {triple: closed(setting, triple[1], triple[0]) != closed(setting, triple[2], triple[0])
                    for triple in swaps(KARATE)}
        narrow = [i for (v, old, new), i in infinite.items() if new in candidates(setting, old, v)]
        all_shares.append(statistics.mean(infinite.values())), shares.append(statistics.mean(narrow))
    assert len(infinite) == 3936
    if strategy == "t":
        assert all_shares == shares == [1.0] * 4
    else:
        assert min(all_shares) > 0.98 and (round(min(shares), 2), round(max(shares), 2)) == (0.23, 0.35)
    record_property("witness", f"GP-{strategy}, replacement restricted to candidates: {small[1]} of "
                    f"{small[0]} pairs infinite on graphs of 3-8 people, karate "
                    f"{min(shares):.0%}-{max(shares):.0%} (all pairs of karate: "
                    f"{min(all_shares):.1%}-{max(all_shares):.1%})")


@pytest.mark.bears("against", "gp-theorem-4-3-for-t")
@pytest.mark.bears("repair", "gp-eq-6")
def test_eq_6_shared_outcomes_exceed_epsilon(record_property):
    """Eq. 6 and the proof for GP-t: also on an outcome that both neighbours can give, the ratio exceeds
    e^eps, because the normaliser d is the number of candidates of that neighbour. It is e^eps (e^eps + d' -
    1) / (e^eps + d - 1)."""
    for epsilon in (0.1, 1.0, 3.0):
        for extra in range(4):  # 1 and 2 are friends, and 2 has some friends of its own
            lists = relations.neighbour_lists([(0, 1), (1, 2), *((2, 3 + i) for i in range(extra))])
            setting = Setting(lists, PLAIN[:len(lists)], epsilon)
            few, many = replacement(setting, 1, 0), replacement(setting, 2, 0)
            d, e = len(few), math.exp(epsilon)
            assert (d, len(many)) == (2, 2 + extra)
            shared = math.log(few[1] / many[1])
            assert shared == pytest.approx(epsilon + math.log((e + d + extra - 1) / (e + d - 1)))
            assert (shared > epsilon + 1e-9) == (extra > 0)
            if epsilon == 0.1 and extra == 1:
                assert [round(number, 3) for number in (few[1], many[1], shared)] == [0.525, 0.322, 0.489]
                record_property("witness", "path 0-1-2-3, eps .1: N(0) = {1} reports 1 with probability "
                                f"{few[1]:.3f}, N(0) = {{2}} with {many[1]:.3f}: loss {shared:.3f}")


@pytest.mark.bears("repair", "gp-eq-5")
def test_eq_5_shared_outcomes_stay_within_epsilon():
    """Eq. 5, GP-m: on outcomes that both neighbours can give the ratio never exceeds e^eps; what breaks the
    theorem there is the different supports alone."""
    pairs, people = 0, set()
    for _, setting in settings("m"):
        people.add(len(setting.lists))
        for v, old, new in swaps(setting.lists):
            pairs += 1
            a, b = replacement(setting, old, v), replacement(setting, new, v)
            assert all(abs(math.log(a[w] / b[w])) <= setting.epsilon + 1e-12 for w in a.keys() & b.keys())
    assert pairs == 1072 and max(people) == 8


@pytest.mark.bears("against", "gp-proof-strict-inequality")
def test_proof_of_theorem_4_3_ratio(record_property):
    """Proof of Theorem 4.3: "the ratio is that of one factor and below e^eps". It attains e^eps where the
    theorem holds; for an unordered report several slots mix, so it is not the ratio of one factor; elsewhere
    the denominator is 0."""
    setting = Setting(DIAMOND, PLAIN[:4])
    worst = pair(setting, 0, 1, 3)
    assert worst.epsilon == pytest.approx(1.0)  # attained, not below
    one, other = (Report(setting, 0).distribution(b) for b in (frozenset({1, 2}), frozenset({2, 3})))
    e = math.e
    ratio = one[1, 2] / other[1, 2]
    assert ratio == pytest.approx((e**2 + 1) / (e + 1)) == pytest.approx(2.256, abs=5e-4)  # (p^2 + q^2) / (pq + q^2)
    assert all(abs(ratio - factor) > 0.05 for factor in (1, e, 1 / e))
    path = Setting(PATH_4, PLAIN[:4])
    assert 3 not in replacement(path, 1, 0) and replacement(path, 2, 0)[3] > 0
    record_property("witness", "diamond, eps 1: N(0) = {1, 2} against {2, 3} at the report {1, 2}: "
                    f"ratio {ratio:.3f}, one factor e = {e:.3f}; largest ratio exactly e")


@pytest.mark.bears("repair", "gp-eq-5")
@pytest.mark.bears("against", "gp-abstract-no-disclosure", "gp-only-noisy-versions")
@pytest.mark.parametrize("strategy", ["m", "t"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_empty_candidate_set_releases_the_edge(strategy, epsilon, record_property):
    """Abstract ("without disclosing users' private information"): a neighbour without a candidate is reported
    as it is with probability 1, whatever eps. Every leaf is such a neighbour; with a threshold, others are as
    well."""
    star = Setting(STAR_6, PLAIN[:6], epsilon, strategy)
    assert Report(star, 0).distribution(STAR_6[0]) == {(1, 2, 3, 4, 5): 1.0}
    swapped = Setting(relations.neighbour_lists([(0, 1)], 3), PLAIN[:3], epsilon, strategy)
    assert pair(swapped, 0, 1, 2).epsilon == math.inf
    opposite = Setting(PATH_4, ((1.0,), (1.0,), (-1.0,), (1.0,)), epsilon, strategy, delta=0.0)
    assert replacement(opposite, 1, 0) == {1: 1.0}
    assert len(replacement(replace(opposite, delta=-1.0), 1, 0)) == 2
    bare = Setting(KARATE, PLAIN, epsilon, strategy)
    assert [(v, u) for v in range(34) for u in KARATE[v] if replacement(bare, u, v) == {u: 1.0}] == [(0, 11)]
    record_property("witness", f"star with five leaves, GP-{strategy}, eps {epsilon:g}: the centre reports "
                    "all her five friends, with probability 1")


# Definition 4.2: degrees, and how edge set LDP relates to edge LDP.


def lost_names(setting):
    """The expected number of names that a set union loses: sum over v of d(v) minus the expected size of the
    set."""
    lost = 0.0
    for v, near in enumerate(setting.lists):
        tables = [replacement(setting, u, v) for u in near]
        lost += len(near) - sum(1 - math.prod(1 - table.get(w, 0.0) for table in tables)
                                for w in range(len(setting.lists)))
    return lost


@pytest.mark.bears("against", "gp-abstract-no-disclosure", "gp-outdegree-preserved")
def test_degrees_with_a_set_union(record_property):
    """Sections 1 and 4.1: "out-degrees are preserved by construction". Algorithm 1, line 5, is a set union,
    so two neighbours that become the same node leave one name. A multiset preserves the out-degree, and
    neither preserves the in-degree."""
    for epsilon in (0.1, 1.0):
        triangle, e = Setting(GRAPHS["triangle"], PLAIN[:3], epsilon), math.exp(epsilon)
        as_set = Report(triangle, 0, frozenset).distribution({1, 2})
        collision = sum(p for names, p in as_set.items() if len(names) == 1)
        assert collision == pytest.approx(2 * e / (1 + e) ** 2)
        assert all(len(names) == 2 for names in Report(triangle, 0).distribution({1, 2}))
        assert lost_names(triangle) == pytest.approx(3 * collision)
        if epsilon == 0.1:
            assert round(collision, 3) == 0.499
            karate = lost_names(Setting(KARATE, PLAIN, epsilon))
            record_property("witness", "triangle, eps .1: the report of 0 names one node instead of two "
                            f"with probability {collision:.3f}; karate loses {karate:.1f} of 156 names on "
                            "average")
            assert karate == pytest.approx(22.6, abs=0.05) and sum(map(len, KARATE)) == 156
    names_centre = Report(Setting(STAR_6, PLAIN[:6]), 1).distribution({0})[0,]
    assert names_centre == pytest.approx(math.e / (math.e + 4))  # five leaves: in-degree 2.0 for 5


@pytest.mark.bears("beside", "gp-outdegree-preserved")
def test_adjacency_does_not_constrain_outputs(record_property):
    """Section 4.1: "a perturbation based on this notion of adjacency preserves, by construction, the degree".
    The definition compares inputs: the empty report has loss 0, and randomised response a finite one, without
    preserving any degree."""
    silent = Tabled(lambda lists: {(): 1.0})
    assert worst_case(silent, [GRAPHS["star-4"]], relations.swap_in_list).epsilon == 0
    noisy = Independent((RandomisedResponse(0.5, 2),) * 3)
    sizes = {sum(bits) for bits, p in noisy.distribution((1, 0, 0)).items() if p > 0}
    assert worst_case(noisy, [(1, 0, 0)], swap_bits).epsilon == pytest.approx(1.0) and sizes == {0, 1, 2, 3}
    record_property("witness", "the mechanism that always reports nothing is 0-edge set LDP and preserves "
                    "no degree; randomised response (eps .5 a bit) is 1-edge set LDP and turns degree 1 "
                    "into 0, 1, 2 or 3")


def flip_bits(b):
    return ((*b[:i], 1 - b[i], *b[i + 1:]) for i in range(len(b)))


def swap_bits(b):
    """Replace one neighbour by another: two flips that keep the number of ones."""
    return (c for flipped in flip_bits(b) for c in flip_bits(flipped) if c != b and sum(c) == sum(b))


LISTS_OF_4 = list(product((0, 1), repeat=4))


@pytest.mark.bears("against", "gp-2eps-edge-implies-eps-set")
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_a_swap_costs_two_edges(epsilon, record_property):
    """Section 4.1: "a 2 eps-edge LDP mechanism is also eps-edge set LDP". Bitwise randomised response with 2
    eps a bit is 2 eps-edge LDP, and a swap costs 4 eps, not eps."""
    bitwise = Independent((RandomisedResponse(2 * epsilon, 2),) * 4)
    assert worst_case(bitwise, LISTS_OF_4, flip_bits).epsilon == pytest.approx(2 * epsilon)
    worst = worst_case(bitwise, LISTS_OF_4, swap_bits)
    assert worst.epsilon == pytest.approx(4 * epsilon)
    record_property("witness", f"randomised response with {2 * epsilon:g} a bit: lists {worst.input} and "
                    f"{worst.neighbour}, report {worst.outcome}: loss {worst.epsilon:.3g}, claimed "
                    f"{epsilon:g}")


@pytest.mark.bears("repair", "gp-set-ldp-is-relaxation")
@pytest.mark.bears("beside", "gp-2eps-edge-implies-eps-set")
def test_edge_ldp_gives_twice_epsilon_for_a_swap():
    """Section 4.1, the right way round: eps-edge LDP implies 2 eps-edge set LDP (two steps of the triangle
    inequality), shown on 200 random mechanisms over lists of 4 bits and attained by randomised response."""
    rng, ratios = np.random.default_rng(0), []
    for _ in range(200):
        table = dict(zip(LISTS_OF_4, rng.dirichlet(np.ones(3), 16), strict=True))
        mechanism = Tabled(lambda b, table=table: dict(enumerate(table[b].tolist())))
        edge, swap = (worst_case(mechanism, LISTS_OF_4, near).epsilon for near in (flip_bits, swap_bits))
        ratios.append(swap / edge)
    assert max(ratios) <= 2
    bitwise = Independent((RandomisedResponse(1.0, 2),) * 4)
    assert worst_case(bitwise, LISTS_OF_4, swap_bits).epsilon == pytest.approx(
        2 * worst_case(bitwise, LISTS_OF_4, flip_bits).epsilon)


@pytest.mark.bears("repair", "gp-set-ldp-is-relaxation", "gp-degrees-desirable")
@pytest.mark.bears("for", "gp-converse-fails")
def test_the_two_notions_are_incomparable(record_property):
    """Section 4.1: "edge set LDP is a relaxation of edge LDP", "the converse does not hold". Publishing the
    degree costs nothing for a swap and everything for an added edge; randomised response at eps costs eps for
    an edge and 2 eps for a swap."""
    degree = Tabled(lambda b: {sum(b): 1.0})
    assert worst_case(degree, LISTS_OF_4, swap_bits).epsilon == 0
    assert worst_case(degree, LISTS_OF_4, flip_bits).epsilon == math.inf
    bitwise = Independent((RandomisedResponse(1.0, 2),) * 4)
    assert worst_case(bitwise, LISTS_OF_4, flip_bits).epsilon == pytest.approx(1.0)
    assert worst_case(bitwise, LISTS_OF_4, swap_bits).epsilon == pytest.approx(2.0)
    record_property("witness", "publishing the degree: swap 0, added edge infinite; randomised response at "
                    "eps 1: added edge 1, swap 2")


# Other people's edges.


@pytest.mark.bears("against", "gp-trust-only-own-edges")
@pytest.mark.bears("repair", "gp-local-mitigates-untrusted-server")
def test_a_report_exposes_an_edge_of_somebody_else(record_property):
    """Sections 2 and 3.4: "noise-free access only to one's own edges". In the star with five leaves the
    reports of four leaves name the fifth; without the fifth's edge none can, and a replacement that differs
    from u is an edge of u with certainty."""
    with_edge = Setting(STAR_6, PLAIN[:6], 0.1)
    without = replace(with_edge, lists=relations.neighbour_lists([(0, i) for i in (1, 3, 4, 5)], 6))
    leaves = [1, 3, 4, 5]
    named = [replacement(with_edge, 0, leaf)[2] for leaf in leaves]
    exposed = 1 - math.prod(1 - p for p in named)
    assert exposed == pytest.approx(1 - (1 - 1 / (math.exp(0.1) + 4)) ** 4)
    assert round(exposed, 3) == 0.582
    assert all(2 not in replacement(without, 0, leaf) for leaf in leaves)
    for v in range(34):
        for u in KARATE[v]:
            # Certain, not likely: every name other than u itself is a friend of u.
            assert closed(Setting(KARATE, PLAIN), u, v) - {u} <= KARATE[u]
    record_property("witness", "star 0-(1..5), eps .1: somebody other than 0 and 2 names 2 with "
                    f"probability {exposed:.3f}; without the edge 0-2 with probability 0")


@pytest.mark.bears("against", "gp-trust-only-own-edges", "gp-more-strict-condition")
@pytest.mark.bears("repair", "gp-local-mitigates-untrusted-server")
@pytest.mark.parametrize("strategy", ["m", "t"])
def test_a_report_depends_on_lists_two_hops_away(strategy, record_property):
    """Sections 2, 3.4 and 5.1 ("only immediate neighbours are known, unlike the baseline"). Leaf 1's own list
    is the same with and without the edge 0-2, and so are all features; her report differs with infinite loss:
    it uses the list of her neighbour."""
    features = ((0.0, 1.0), (1.0, 0.0), (0.1, 1.0), (1.0, 0.1), (1.0, 0.2), (1.0, 0.3))
    lists = {"with": STAR_6, "without": relations.neighbour_lists([(0, i) for i in (1, 3, 4, 5)], 6)}
    assert lists["with"][1] == lists["without"][1] == {0}
    leaf = Tabled(lambda key: Report(Setting(lists[key], features, 0.1, strategy), 1).distribution({0}))
    worst = worst_case(leaf, lists)
    assert worst.epsilon == math.inf and worst.outcome == (2,)
    assert round(leaf.distribution("with")[2,], 3) == {"m": 0.475, "t": 0.196}[strategy]
    record_property("witness", f"GP-{strategy}, eps .1: leaf 1 (only friend: 0) reports 2 with probability "
                    f"{leaf.distribution('with')[2,]:.3f} where 0 and 2 are friends, never where they are "
                    "not")


@pytest.mark.bears("against", "gp-rr-baseline-edge-ldp")
def test_randomised_response_on_the_two_hop_list(record_property):
    """Section 5.1: the baseline applies randomised response with budget eps to the list of two-hop
    neighbours. That list is computed from private edges, so the support gives it away: infinite loss. Over a
    fixed public list it would be eps a bit."""
    def baseline(lists, v=0, epsilon=1.0):
        within = sorted((lists[v] | set().union(*(lists[u] for u in lists[v]))) - {v})
        bits = Independent(tuple(RandomisedResponse(epsilon, 2) for _ in within)).distribution(
            tuple(int(u in lists[v]) for u in within))
        return {frozenset(u for u, bit in zip(within, row, strict=True) if bit): p for row, p in bits.items()}
    near = relations.neighbour_lists([(0, 1)], 3)
    worst = worst_case(Tabled(baseline), [near], relations.change_edge)
    assert worst.epsilon == math.inf
    grown = relations.neighbour_lists([(0, 1), (0, 2)], 3)
    assert baseline(grown)[frozenset({2})] > 0 and frozenset({2}) not in baseline(near)
    named = sum(p for names, p in baseline(grown).items() if 2 in names)
    assert round(named, 3) == 0.731
    public = Independent((RandomisedResponse(1.0, 2),) * 3)
    assert worst_case(public, list(product((0, 1), repeat=3)), flip_bits).epsilon == pytest.approx(1.0)
    record_property("witness", "three people, edge 0-1: the report of 0 can name 2 (probability "
                    f"{named:.3f} at eps 1) only if the edge "
                    "0-2 exists")


@pytest.mark.bears("beside", "gp-similarity-needs-no-data")
@pytest.mark.bears("repair", "gp-only-neighbours-features-are-exchanged")
@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 1.0])
def test_aggregates_name_the_list(alpha, record_property):
    """Section 4.2: nodes "only require the (perturbed, possibly aggregated) features of their neighbor". Whoever has
    everybody's noisy features finds a list from the aggregated vector: 127 lists, 127 vectors. At alpha = 0 there is
    one vector for all lists."""
    lists = [frozenset(c) for size in range(1, 8) for c in combinations(range(1, 8), size)]
    for seed in (0, 1):
        bare = Setting(({1},) + (frozenset(),) * 7, normal_features(8, seed, 8), alpha=alpha)
        vectors = [replace(bare, lists=(near, *bare.lists[1:])).mixed[0].round(9) for near in lists]
        assert len({tuple(vector) for vector in vectors}) == (127 if alpha > 0 else 1)
    record_property("witness", f"alpha = {alpha:g}: {len(lists)} lists of a person give "
                    f"{len({tuple(vector) for vector in vectors})} aggregated vectors")


@pytest.mark.bears("against", "gp-edge-ldp-unsuitable")
def test_edge_ldp_needs_nobodys_edges(record_property):
    """Sections 3.3 and 4.1: "no graph-wide neighbor lists to perturb". In symmetric randomised response a person's part
    reads her own list only, and costs eps."""
    response, others = SymmetricResponse(1.0), [frozenset(c) for size in range(4)
                                                for c in combinations(range(1, 4), size)]
    own = Tabled(lambda near: response.row_distribution(0, near, 4))
    spent = worst_case(own, others, lambda near: (near ^ {u} for u in (1, 2, 3))).epsilon
    assert spent == pytest.approx(1.0)
    record_property("witness", f"person 0 of four reads her own list alone: loss {spent:.1f} over all "
                               f"{len(others)} lists, at epsilon 1")


@pytest.mark.bears("repair", "lppge-anonymise-first")
@pytest.mark.bears("for", "gp-edge-ldp-dense", "dissertation-privacy-costs-use")
def test_randomised_response_makes_the_graph_dense(record_property):
    """Sections 3.3 and 5.1: it "increases the connectivity". On Cora at eps 1 it reports 988,000 pairs, of which four
    in 1,000 are edges."""
    response, nodes, edges = SymmetricResponse(1.0), 2708, 5278
    reported, (precision, _) = response.expected_pairs(nodes, edges), response.precision_recall(nodes, edges)
    assert (round(reported, -3), round(1000 * precision)) == (988_000, 4)
    record_property("witness", f"Cora, eps 1: {reported:,.0f} pairs reported, {100 * precision:.2f} % of them edges")


# Thresholds: delta = 0 is not "no threshold".


@pytest.mark.bears("against", "gp-alpha-delta-zero-no-threshold", "gp-delta-zero-best-privacy",
                    "gp-similar-nodes-preserve-privacy")
def test_threshold_zero_is_a_threshold(record_property):
    """Section 4.2 ("alpha = delta = 0 introduces no thresholds") and 5.1 ("delta = 0 ensures the best
    privacy"). A pair of negative cosine is dropped at delta = 0: 0's edge is then released with probability
    1; at delta = -1 it is kept with e^eps / (e^eps + 1)."""
    zero = Setting(GRAPHS["path-3"], ((1.0, 0.0), (1.0, 0.0), (-1.0, 0.0)), 0.1, delta=0.0)
    none = replace(zero, delta=-1.0)
    assert replacement(zero, 1, 0) == {1: 1.0}
    assert replacement(none, 1, 0)[1] == pytest.approx(1 / (1 + math.exp(-0.1))) == pytest.approx(0.525, abs=5e-4)
    assert pair(zero, 0, 1, 2).epsilon == math.inf and pair(none, 0, 1, 2).epsilon == pytest.approx(0.1)
    record_property("witness", "path 0-1-2, cosine of 1 and 2 is -1, eps .1: 0 releases her edge to 1 with "
                    f"probability 1 at delta = 0 and {replacement(none, 1, 0)[1]:.3f} at delta = -1")


@pytest.mark.bears("against", "gp-alpha-delta-zero-no-threshold")
def test_threshold_zero_with_the_papers_features(record_property):
    """Section 4.2, at the paper's eps_x = 3 with Cora's 1,433 binary features and alpha = 0: one feature is
    sampled, and two reports have a negative cosine whenever both bits say -1, which is .907 for words that
    neither has."""
    multi_bit = MultiBit(3.0, 1433)
    assert multi_bit.sampled == 1
    down, up = -multi_bit.scale + 0.5, multi_bit.scale + 0.5
    assert (round(down), round(up)) == (-791, 792)
    def cosine_sign(a, b):  # different sampled places: all others hold .5
        return math.copysign(1, 1431 * 0.25 + 0.5 * a + 0.5 * b)
    signs = {(a < 0, b < 0): cosine_sign(a, b) for a in (down, up) for b in (down, up)}
    assert signs == {(True, True): -1, (True, False): 1, (False, True): 1, (False, False): 1}
    bit_down = 1 - MultiBit(3.0, 1).distribution((0.0,))[1,]
    negative = bit_down**2
    assert round(negative, 3) == 0.907
    alone = {k: bit_down ** (k + 1) for k in (1, 2, 3)}  # u and its k possible candidates all say -1
    assert round(alone[3], 3) == 0.823
    record_property("witness", "eps_x = 3, d = 1433, alpha = delta = 0, words that nobody has: a pair is "
                    f"dropped with probability {negative:.3f}; an edge to a neighbour with three others is "
                    f"released as it is with {alone[3]:.3f}")


@pytest.mark.bears("beside", "gp-delta-zero-best-privacy", "gp-similar-nodes-preserve-privacy")
@pytest.mark.bears("for", "gp-threshold-fewer-candidates")
@pytest.mark.parametrize("strategy", ["m", "t"])
def test_a_higher_threshold_keeps_more(strategy):
    """Section 5.2: "a higher threshold implies that fewer nodes may be selected". So the chance that an edge
    is released unchanged never falls with delta; delta = -1 has the least, on the karate club strictly."""
    for alpha in (0.0, 0.5, 1.0):
        for lists in (STAR_6, PATH_4, random_graph(1), random_graph(2), KARATE):
            setting = Setting(lists, normal_features(len(lists), 3), 0.1, strategy, alpha)
            steps = [replace(setting, delta=delta) for delta in (-1.0, 0.0, 0.25, 0.5, 1.01)]
            kept = [[replacement(step, u, v)[u] for v, near in enumerate(lists) for u in near]
                    for step in steps]
            assert all(low <= high for fewer, more in pairwise(kept) for low, high in zip(fewer, more, strict=True))
            assert kept[-1] == [1.0] * len(kept[-1])
            if alpha == 0 and lists is KARATE:
                assert sum(kept[0]) < sum(kept[1]) < sum(kept[2])


@pytest.mark.bears("repair", "gp-alpha-half-without-sacrifice")
def test_the_mix_can_hide_and_can_expose(record_property):
    """Section 5.1: "alpha = .5 ... without sacrificing privacy". At delta = 0 on paths of three, an edge that alpha = 0
    hides may be released at .5, and one that alpha = 0 releases hidden: features and their means can point apart."""
    released = {}
    for name, features in {"exposes": ((-5.0,), (1.0,), (1.0,)), "hides": ((1.0,), (1.0,), (-0.5,))}.items():
        raw = Setting(GRAPHS["path-3"], features, 0.1, delta=0.0)
        released[name] = tuple(replacement(replace(raw, alpha=alpha), 1, 0)[1] for alpha in (0.0, 0.5))
    assert released["exposes"] == (pytest.approx(0.525, abs=5e-4), 1.0)
    assert released["hides"] == (1.0, pytest.approx(0.525, abs=5e-4))
    record_property("witness", "path 0-1-2, delta = 0, eps .1, edge 0-1 released as it is at alpha = 0 and .5: "
                    + ", or ".join("{:.3f} and {:.3f}".format(*both) for both in released.values()))


@pytest.mark.bears("repair", "gp-alpha-half-without-sacrifice")
@pytest.mark.bears("measured", "gp-abstract-threshold-tradeoff", "gp-privacy-falls-with-alpha-delta",
                    "gp-cora-0-8-privacy-gain")
def test_how_many_slots_are_released_unchanged(record_property):
    """Section 4.2 and Figure 3 with the paper's noisy features (eps_x = 3): the shares of slots without a candidate at
    delta = 0 for alpha = 0, .5, 1 and at alpha = .5 for delta = .1, .5, 1, on Cora or synthetic Cora."""
    data = datasets.default()
    bits = MultiBit(3.0, data.num_features, *data.feature_range)
    seen = Data(x=bits.estimate(bits.report(data.x, generator=seeded(0))), edge_index=data.edge_index)
    settings = ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.1), (0.5, 0.5), (0.5, 1.0))
    share = [NeighbourReplacement(0.1, mix=alpha, threshold=delta).slots(seen).certain for alpha, delta in settings]
    assert [round(100 * value) for value in share] == {"cora": [68, 5, 23, 5, 57, 100],
                                                       "cora-twin": [68, 5, 19, 5, 42, 100]}[data.name]
    record_property("witness", f"{data.name}, (alpha, delta): " + ", ".join(
        f"{where} {value:.1%}" for where, value in zip(settings, share, strict=True)))


# Theorem 4.4: GraphPrivatizer is (eps + eps_x + eps_y)-LDP.

VECTORS = list(product((0.0, 1.0), repeat=2))


@dataclass(frozen=True)
class Release:
    """Noisy features and everybody's neighbour report, as the server gets them, from (features, lists)."""

    epsilon: float = 1.0
    epsilon_x: float = 1.3
    strategy: str = "t"

    def distribution(self, data):
        people, lists = data
        multi_bit = MultiBit(self.epsilon_x, 2)
        noisy = [multi_bit.distribution(x).items() for x in people]
        table = {}
        for row in product(*noisy):
            features = tuple(tuple(multi_bit.scale * bit + 0.5 for bit in report) for report, _ in row)
            setting = Setting(lists, features, self.epsilon, self.strategy, delta=0.0)
            reports = [Report(setting, v).distribution(near).items() for v, near in enumerate(lists)]
            for seen in product(*reports):
                key = tuple(report for report, _ in row), tuple(report for report, _ in seen)
                table[key] = math.prod(p for _, p in (*row, *seen))
        return table


def others_features(data):
    people, lists = data
    for v in range(len(people)):
        yield from (((*people[:v], x, *people[v + 1:]), lists) for x in VECTORS)


@pytest.mark.bears("beside", "gp-theorem-4-4")
@pytest.mark.bears("repair", "gp-theorem-4-4-postprocessing")
@pytest.mark.bears("for", "gp-noisy-features-ensure-privacy")
@pytest.mark.parametrize("strategy", ["m", "t"])
@pytest.mark.parametrize("name", ["path-3", "star-4"])
def test_noisy_features_are_only_post_processed(strategy, name):
    """Section 4.2 ("feature privacy is not violated") and the feature half of Theorem 4.4: noisy features and
    all reports together, enumerated, have loss exactly eps_x when one person's features change and the lists
    stay. The people are alike at first, or all different: similarities of raw features would then depend on whose
    vector changes."""
    lists = GRAPHS[name]
    for people in (((0.0, 0.0),) * len(lists), ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0))[:len(lists)]):
        found = worst_case(Release(strategy=strategy), [(people, lists)], others_features)
        assert found.epsilon == pytest.approx(1.3)


@pytest.mark.bears("for", "gp-edge-features-by-rr")
@pytest.mark.bears("beside", "gp-theorem-4-4")
@pytest.mark.bears("for", "gp-features-ldp", "gp-labels-ldp", "gp-provides-feature-label", "privgnn-lpgnn-local",
                    "lppge-related-lpgnn-ldp")
def test_features_and_labels_hold_by_themselves():
    """Section 4.3 and Theorem 4.4: labels by randomised response have loss exactly eps_y, features by the
    multi-bit mechanism exactly eps_x, both together exactly the sum: enumerated for 1 to 3 features and 2 to
    10 classes."""
    for classes in (2, 3, 7, 10):
        assert worst_case(RandomisedResponse(3.0, classes), range(classes)).epsilon == pytest.approx(3.0)
    for d in (1, 2, 3):
        for epsilon in (0.5, 3.0, 7.0):
            grid = list(product((0.0, 0.3, 1.0), repeat=d))
            assert worst_case(MultiBit(epsilon, d), grid).epsilon == pytest.approx(epsilon)
    person = Independent((RandomisedResponse(0.7, 3), MultiBit(1.3, 2)))
    assert worst_case(person, list(product(range(3), VECTORS))).epsilon == pytest.approx(2.0)
    together = Tabled(person.distribution)  # all outcomes at once, not slot by slot
    assert worst_case(together, list(product(range(3), VECTORS))).epsilon == pytest.approx(2.0)


@pytest.mark.bears("against", "gp-theorem-4-4", "gp-fully-private")
@pytest.mark.parametrize("strategy", ["m", "t"])
def test_theorem_4_4(strategy, record_property):
    """Theorem 4.4. Two data points of one person that differ in one neighbour only, features and labels
    fixed: an outcome of the whole release is possible under one of them. So no finite eps + eps_x + eps_y
    holds once edges are included."""
    lists = relations.neighbour_lists([(0, 1), (2, 3)])
    people = ((0.0, 0.0),) * 4
    worst = worst_case(Release(strategy=strategy), [(people, lists)],
                       lambda data: [(people, (frozenset({2}), *lists[1:]))])
    assert worst.epsilon == math.inf
    record_property("witness", f"GP-{strategy}, edges 0-1 and 2-3: the report {worst.outcome[1][0]} of "
                    f"person 0 is possible with N(0) = {set(worst.input[1][0])} only, not with "
                    f"{set(worst.neighbour[1][0])}")


@pytest.mark.bears("against", "gp-theorem-4-4")
def test_a_whole_neighbour_list_costs_a_budget_a_neighbour(record_property):
    """Theorem 4.4 adds eps once. Even where Theorem 4.3 holds, Definition 3.1 compares any two data points:
    replacing both neighbours of a person costs 2 eps in the ordered report."""
    clique = relations.neighbour_lists([(0, 1), (0, 2), *combinations(range(1, 5), 2)])
    setting = Setting(clique, PLAIN[:5])
    # Theorem 4.3 holds for person 0:
    assert {closed(setting, u, 0) for u in range(1, 5)} == {frozenset({1, 2, 3, 4})}
    slots = Independent((Tabled(lambda u: replacement(setting, u, 0)),) * 2)
    assert worst_case(slots, [(1, 2), (3, 2)]).epsilon == pytest.approx(1.0)
    assert worst_case(slots, [(1, 2), (3, 4)]).epsilon == pytest.approx(2.0)
    unordered = worst_case(Report(setting, 0), [frozenset({1, 2}), frozenset({3, 4})]).epsilon
    assert unordered == pytest.approx(math.log((math.e**2 + 1) / 2)) and unordered > 1
    record_property("witness", "0's friends 1, 2 become 3, 4 in a clique of 1..4, eps 1: loss 2 in the "
                    f"ordered report, {unordered:.3f} in the unordered one")


@pytest.mark.bears("repair", "gp-theorem-4-4-postprocessing")
def test_one_persons_edges_are_in_other_peoples_reports(record_property):
    """Proof of Theorem 4.4 ("the private edge information is only used by Algorithm 1"): it is, but by other
    people's runs too. On the path 0-1-2-3-4 the report of 0 is computed from the list of 1, and its
    distribution changes with that list."""
    path = relations.neighbour_lists([(0, 1), (1, 2), (2, 3), (3, 4)])
    changed = []
    for v, near in enumerate(path):
        for other in range(5):
            if other != v:
                cut = tuple(frozenset(list(n)[:1]) if u == other else n for u, n in enumerate(path))
                both = (Setting(lists, PLAIN[:5]) for lists in (path, cut))
                before, after = (Report(setting, v).distribution(near) for setting in both)
                changed += [(v, other)] if before != after else []
    assert (0, 1) in changed and all(abs(v - other) == 1 for v, other in changed)
    record_property("witness", "path of five: dropping names from the list of w changes the report of v "
                    f"for (v, w) = {changed}")


@pytest.mark.bears("for", "gp-basic-composition-used", "gp-local-training-need-not-be-dp")
def test_composition_and_post_processing():
    """Proof of Theorem 4.4 and section 1: budgets add, and no function of a release raises its loss. All 81
    functions from four outcomes to three, and an adaptive second step whose budget depends on the first
    report."""
    first, second = RandomisedResponse(0.5, 4), RandomisedResponse(1.0, 4)
    mappings = list(product(range(3), repeat=4))
    assert len(mappings) == 81
    for mapping in mappings:
        merged = Tabled(lambda y, mapping=mapping: {
            z: sum(p for o, p in first.distribution(y).items() if mapping[o] == z) for z in mapping})
        assert worst_case(merged, range(4)).epsilon <= 0.5 + 1e-12
    both = Tabled(lambda y: {(o, r): p * q for o, p in first.distribution(y).items()
                             for r, q in (second if o else first).distribution((y + o) % 4).items()})
    assert worst_case(both, range(4)).epsilon == pytest.approx(1.5)


@pytest.mark.bears("for", "gp-budgets-used")
def test_budgets_of_the_experiments(record_property):
    """Appendix A: eps_x = eps_y = 3. Features and label of a node together cost 6 under "replace", and attain it."""
    label = RandomisedResponse(3.0, 7).guarantee.convert("node")
    vector = MultiBit(3.0, 1433).guarantee.convert("node")
    assert compose(label, vector).epsilon == 6.0
    both = worst_case(Independent((RandomisedResponse(3.0, 7), MultiBit(3.0, 2))), [(0, (0.0, 0.0)), (1, (1.0, 1.0))])
    assert both.epsilon == pytest.approx(6.0)
    record_property("witness", f"label (7 classes) and vector (2 columns) change: loss {both.epsilon:.1f}")


@pytest.mark.bears("against", "gp-edge-budgets-used")
def test_edge_budgets_of_the_experiments(record_property):
    """Appendix A: eps in {.1, 1, 2, 8} for edges. At each of them a swap on the path of four has an infinite loss in
    the person's own report. An edge budget can be added only where there is one: if the label, the vector and one slot
    of a person change and the loss of her own report is finite, what she sends has loss 3 + 3 + eps (diamond, GP-t
    without a threshold), and with everybody's reports, or from another neighbour, it is infinite."""
    for epsilon in (0.1, 1.0, 2.0, 8.0):
        alone = pair(Setting(PATH_4, PLAIN[:4], epsilon), 0, 1, 2)
        finite = pair(Setting(DIAMOND, PLAIN[:4], epsilon), 0, 1, 3)
        assert alone.epsilon == math.inf and finite.epsilon == pytest.approx(epsilon)
    diamond = everybody(Setting(DIAMOND, PLAIN[:4]))
    changed = [swapped(DIAMOND, 0, 1, 3), swapped(PATH_4, 0, 1, 2)]
    own = Independent((RandomisedResponse(3.0, 7), MultiBit(3.0, 2), diamond.mechanisms[0]))
    sent = worst_case(own, [(0, (0.0, 0.0), DIAMOND), (1, (1.0, 1.0), changed[0])])
    assert sent.epsilon == pytest.approx(7.0)
    together = Independent((*own.mechanisms[:2], *diamond.mechanisms), split=lambda data: (*data[:2], *[data[2]] * 4))
    both = [(0, (0.0, 0.0), DIAMOND), (1, (1.0, 1.0), changed[0])]
    assert worst_case(together, both).epsilon == math.inf
    elsewhere = Independent((*own.mechanisms[:2], everybody(Setting(PATH_4, PLAIN[:4])).mechanisms[0]))
    assert worst_case(elsewhere, [(0, (0.0, 0.0), PATH_4), (1, (1.0, 1.0), changed[1])]).epsilon == math.inf
    record_property("witness", f"path of four, GP-t, eps .1 to 8: with N(0) = {{2}} person 0 can report "
                    f"{set(alone.outcome)}, with {{1}} not; "
                    "diamond, eps 1: label, vector and one slot of person 0 change: loss "
                               f"{sent.epsilon:.1f} in "
                    "what she sends, infinite with the reports of the others")


# What a budget means (sections 1 and 3).


def guessing(p, q):
    """The best chance to tell two distributions apart at even odds."""
    return sum(max(p.get(o, 0.0), q.get(o, 0.0)) for o in p.keys() | q.keys()) / 2


@pytest.mark.bears("repair", "gp-dp-attacker-cannot-infer", "gp-central-nothing-inferred")
@pytest.mark.bears("for", "gp-large-eps-low-privacy")
def test_what_an_attacker_can_infer(record_property):
    """Section 3.2: "an attacker cannot confidently infer". A budget bounds the guess at even odds by e^eps /
    (1 + e^eps), which randomised response attains: .525 at .1, .731 at 1, .953 at 3; it grows to certainty
    with eps."""
    bounds = {}
    for epsilon in (0.1, 1.0, 3.0, 8.0):
        bound = bounds[epsilon] = 1 / (1 + math.exp(-epsilon))
        coin = RandomisedResponse(epsilon, 2)
        assert guessing(coin.distribution(0), coin.distribution(1)) == pytest.approx(bound)
        others = (RandomisedResponse(epsilon, 5), range(5)), (MultiBit(epsilon, 2), VECTORS)
        for mechanism, values in others:
            assert all(guessing(mechanism.distribution(a), mechanism.distribution(b)) <= bound + 1e-12
                       for a, b in combinations(values, 2))
    assert list(bounds.values()) == sorted(bounds.values())
    assert [round(bound, 3) for bound in bounds.values()] == [0.525, 0.731, 0.953, 1.0]
    record_property("witness", "right guesses at even odds: " + ", ".join(
        f"{bound:.3f} at eps {epsilon:g}" for epsilon, bound in bounds.items()))


@pytest.mark.bears("repair", "gp-attacker-cannot-infer-feature-label")
def test_labels_and_features_at_three(record_property):
    """Sections 1 and 4.3: "the server is not able to infer", "an attacker cannot confidently infer the
    label". At the paper's eps_y = 3 the reported label is the true one with probability e^3 / (e^3 + c -
    1)."""
    classes = {"Cora": 7, "LastFM": 10, "PubMed": 3, "Facebook": 4, "Amazon Photo": 8}  # Table 4
    right = {name: RandomisedResponse(3.0, c).distribution(0)[0] for name, c in classes.items()}
    assert {name: round(p, 3) for name, p in right.items()} == {
        "Cora": 0.770, "LastFM": 0.691, "PubMed": 0.909, "Facebook": 0.870, "Amazon Photo": 0.742}
    bit = MultiBit(3.0, 1).distribution((1.0,))[1,]
    assert round(bit, 3) == 0.953
    record_property("witness", "eps_y = 3: the reported label is true with probability " + ", ".join(
        f"{p:.3f} ({name})" for name, p in right.items()) + f"; the sampled feature bit with {bit:.3f}")


@pytest.mark.bears("for", "gp-eps-zero-and-infinity")
def test_the_ends_of_the_scale():
    """Section 3.2: eps = 0 means independence and eps = infinity no guarantee; randomised response tends to
    both ends."""
    nothing, everything = RandomisedResponse(1e-12, 3), RandomisedResponse(math.inf, 3)
    assert all(nothing.distribution(y) == pytest.approx(nothing.distribution(0), abs=1e-9) for y in range(3))
    assert worst_case(everything, range(3)).epsilon == math.inf
    rng = np.random.default_rng(0)
    for _ in range(20):  # loss 0 exactly where all rows are equal
        row, other = rng.dirichlet(np.ones(3), 2)
        table = Tabled([dict(enumerate(row)), dict(enumerate(row)), dict(enumerate(other))])
        assert worst_case(table, [0, 1]).epsilon == 0 < worst_case(table, [0, 2]).epsilon


@pytest.mark.bears("for", "gp-noise-hides-contribution")
def test_noise_in_proportion_to_the_sensitivity():
    """Section 3.2: noise hides one person's contribution, by an amount set by the budget. Laplace noise of
    scale Delta / eps: the log-density ratio of two answers that differ by Delta is at most eps everywhere,
    and attained."""
    z = np.linspace(-30, 30, 6001)
    for epsilon, sensitivity in ((0.1, 1.0), (1.0, 3.0), (2.0, 0.5)):
        scale = sensitivity / epsilon
        loss = np.abs(stats.laplace.logpdf(z, 0, scale) - stats.laplace.logpdf(z, sensitivity, scale))
        assert loss.max() == pytest.approx(epsilon) and Laplace(epsilon, sensitivity).scale == scale


@pytest.mark.bears("repair", "gp-global-not-allowed")
@pytest.mark.bears("for", "gp-ldp-stronger-than-dp")
def test_local_privacy_is_stronger_than_central():
    """Section 3.2. Three eps-LDP reports side by side are eps-DP when one person is replaced; the converse
    fails: a noisy majority vote is eps-DP although each person hands her bit to the curator in the clear."""
    reports = Independent((RandomisedResponse(1.0, 2),) * 3)
    everyone = list(product((0, 1), repeat=3))
    assert worst_case(reports, everyone, flip_bits).epsilon == pytest.approx(1.0)
    vote = Tabled(lambda bits: RandomisedResponse(1.0, 2).distribution(int(sum(bits) > 1)))
    assert worst_case(vote, everyone, flip_bits).epsilon == pytest.approx(1.0)
    handed_over = Tabled(lambda bit: {bit: 1.0})
    assert worst_case(handed_over, [0, 1]).epsilon == math.inf


@pytest.mark.bears("for", "gp-rr-edge-ldp", "gp-edge-features-by-rr")
@pytest.mark.bears("beside", "gp-edge-ldp-unsuitable", "gp-rr-baseline-edge-ldp")
def test_randomised_response_on_neighbour_lists():
    """Section 3.3: flipping each bit with probability 1 / (e^eps + 1) is eps-edge LDP. Enumerated for a list
    of 4 bits; an undirected edge that both ends report costs 2 eps."""
    for epsilon in (0.1, 1.0, 4.0):
        response = RandomisedResponse(epsilon, 2)
        assert response.flip == pytest.approx(1 / (math.exp(epsilon) + 1))
        class Whole:
            distribution = Independent((response,) * 4).distribution
        assert worst_case(Whole(), LISTS_OF_4, flip_bits).epsilon == pytest.approx(epsilon)
        both_ends = Independent((response,) * 12, split=relations.bits)
        found = worst_case(both_ends, [GRAPHS["star-4"]], relations.change_edge)
        assert found.epsilon == pytest.approx(2 * epsilon)


@pytest.mark.bears("for", "gp-lpgnn-no-edge-privacy")
def test_without_a_budget_the_graph_is_released():
    """Section 5.1: eps = infinity (LPGNN) has no edge privacy. The oracle is then the identity, and every
    adjacent pair is told apart."""
    for _, setting in settings("t"):
        bare = replace(setting, epsilon=math.inf)
        for v, old, new in swaps(setting.lists):
            assert Report(bare, v).distribution(setting.lists[v]) == {tuple(sorted(setting.lists[v])): 1.0}
            assert pair(bare, v, old, new).epsilon == math.inf


# What the attack's AUC says (section 5).


def auc(edges, others):
    """The chance that an edge's score beats a non-edge's, ties counting half; both are {score:
    probability}."""
    return sum(p * q * (1 if a > b else Fraction(1, 2) if a == b else 0)
               for a, p in edges.items() for b, q in others.items())


@pytest.mark.bears("repair", "gp-auc-measures-edge-privacy")
def test_an_auc_is_not_a_guarantee(record_property):
    """Sections 1 and 5: "a higher AUC denotes lower edge privacy", "empirically assessing its privacy
    guarantees". With nothing released an attacker who knows the communities has AUC .738; with one edge in
    the clear (infinite loss) the AUC can be .5001."""
    inside, across = Fraction(1, 2), Fraction(1, 10)  # chances of an edge; half of all pairs are inside
    edges = {1: inside / (inside + across), 0: across / (inside + across)}
    others = {1: (1 - inside) / (2 - inside - across), 0: (1 - across) / (2 - inside - across)}
    silent = auc(edges, others)
    assert silent == Fraction(31, 42) and round(float(silent), 3) == 0.738
    fair = {1: Fraction(1, 2), 0: Fraction(1, 2)}  # planted pairs: an edge by a fair coin
    assert auc(fair, fair) == Fraction(1, 2)
    one = auc({1: Fraction(1, 5278), 0: Fraction(5277, 5278)}, {0: 1})  # Cora has 5,278 edges
    assert one == Fraction(1, 2) + Fraction(1, 2 * 5278) and round(float(one), 4) == 0.5001
    bare = Tabled(lambda edge: {edge: 1.0})
    assert worst_case(bare, [0, 1]).epsilon == math.inf
    record_property("witness", f"nothing released: AUC {float(silent):.3f}; one edge of 5,278 released in "
                    f"the clear: AUC {float(one):.4f}")


@pytest.mark.bears("repair", "gp-auc-point-is-one-percent")
def test_an_auc_point_is_not_one_per_cent_of_edges(record_property):
    """Sections 5 and 5.2: "1 AUC point is a 1% increase in the likelihood of correctly identifying edges".
    Two attackers with AUC .9: one names 80% of the edges without a mistake; of the other's positives on Cora
    7 in 1,000 are edges."""
    four_fifths, one_fifth = Fraction(4, 5), Fraction(1, 5)
    sharp = {1: four_fifths, 0: one_fifth}, {0: 1}
    blunt = {1: 1}, {1: one_fifth, 0: four_fifths}
    assert auc(*sharp) == auc(*blunt) == Fraction(9, 10)
    strangers = 2708 * 2707 // 2 - 5278
    precision = [edges[1] * 5278 / (edges[1] * 5278 + others.get(1, 0) * strangers)
                 for edges, others in (sharp, blunt)]
    assert precision[0] == 1 and round(1000 * float(precision[1])) == 7
    at_one_percent = [float(sharp[0][1]), 0.01 / float(blunt[1][1])]  # edges found at 1% false positives
    assert at_one_percent == pytest.approx([0.8, 0.05])
    record_property("witness", f"AUC .9 twice: precision {float(precision[0]):.0f} and "
                    f"{float(precision[1]):.4f} on Cora's pairs, edges found at 1% false positives .80 and "
                    ".05")


DATASETS = ("Cora", "Facebook", "LastFM", "PubMed", "Amazon Photo")
# Table 1a: AUC of GP minus that of RR, over all budgets.
TABLE_1A_AUC = {c.dataset: c.value for c in entries("graphprivatizer", "Table 1a", metric="delta_attack_auc")}


def table_6(metric, method, datasets):
    """A column of Table 6, graph by graph and in the order of its layers."""
    return np.array([c.value for name in datasets
                     for c in entries("graphprivatizer", "Table 6", dataset=name, metric=metric, method=method)])


def losses(datasets):
    """Mean drops from the non-edge-private setting: AUC of GP and of RR, accuracy of GP and of RR."""
    return tuple(table_6(metric, "LPGNN (no edge privacy)", datasets) - table_6(metric, method, datasets)
                 for metric in ("attack_auc", "accuracy") for method in ("GP", "RR"))


@pytest.mark.bears("against", "gp-6-6-auc-points")
def test_section_5_1_averages_do_not_follow_from_table_6(record_property):
    """Section 5.1: "across all models and datasets GP improves the AUC by 6.6 points at 4.9% accuracy, RR by
    a similar 6.4 at 12.5%". Over Table 6 it is 6.16 and 4.43 against 7.86 and 11.61; the printed 4.9, 6.4 and
    12.5 leave out Photo, where GP has 5.22."""
    every = [drop.mean() for drop in losses(DATASETS)]
    without = [drop.mean() for drop in losses(DATASETS[:-1])]
    assert len(losses(DATASETS)[0]) == 30 and every == pytest.approx([6.16, 7.86, 4.43, 11.61], abs=0.006)
    assert without == pytest.approx([5.22, 6.35, 4.90, 12.50], abs=0.006)
    rounding = 0.1  # each drop is a difference of two numbers rounded to .1, so no mean is off by more
    assert abs(without[1] - 6.4) <= 0.06 and all(abs(6.6 - means[0]) > rounding + 0.05 for means in (every, without))
    assert all(means[1] - means[0] > 2 * rounding for means in (every, without))  # RR lowers the AUC more
    record_property("witness", f"AUC lowered by (GP, RR), Table 6: {every[0]:.2f}, {every[1]:.2f}; without "
                    f"Photo {without[0]:.2f}, {without[1]:.2f}; printed 6.6, 6.4")


@pytest.mark.bears("repair", "gp-comparable-privacy-to-rr")
def test_comparable_privacy(record_property):
    """Sections 5.1 and Table 1a: "comparable privacy", "without sacrificing privacy across all datasets", as
    P > .05. GP's AUC is higher on all five data sets of Table 1a and in 18 of 30 cells of Table 6; the mean
    difference has a wide interval."""
    assert sorted(TABLE_1A_AUC.values()) == [0.2, 0.5, 0.6, 2.7, 3.9]
    rr, gp = losses(DATASETS)[1], losses(DATASETS)[0]
    difference = rr - gp  # how much higher GP's AUC is
    assert (difference > 0).sum() == 18 and len(difference) == 30
    mean, half = difference.mean(), stats.t.ppf(0.975, 29) * stats.sem(difference)
    assert mean == pytest.approx(1.70, abs=0.006)
    assert (round(mean - half, 1), round(mean + half, 1)) == (-0.9, 4.2)
    assert (round(difference.min(), 1), round(difference.max(), 1)) == (-12.4, 20.6)
    assert stats.wilcoxon(difference).pvalue > 0.05  # as printed: no significant difference
    assert stats.ttest_1samp(difference, 2.0, alternative="less").pvalue > 0.05  # nor is a gap of 2 excluded
    record_property("witness", f"AUC of GP minus RR: {list(TABLE_1A_AUC.values())} in Table 1a; Table 6 "
                    f"mean {mean:.2f}, 95% interval [{mean - half:.1f}, {mean + half:.1f}], range "
                    f"[{difference.min():.1f}, {difference.max():.1f}]")


# Table 2, Delta AUC as (value, spread): GP-t on each graph and with each layer, then GP-m.
TABLE_2 = [(c.value, float(c.spread)) for method in ("GP-t", "GP-m")
           for c in entries("graphprivatizer", "Table 2", metric="delta_attack_auc", method=method)]


@pytest.mark.bears("against", "gp-table-2-equivalent-privacy", "gp-table-2-majority-below-2")
def test_table_2_counts(record_property):
    """Section 5.2: "in more than half of the cases Delta AUC overlaps with zero", "the majority of cases
    reporting Delta AUC <= 2". Of 30 rows 15 overlap if ties are counted, 9 if not (5 and 10 of 15 for GP-t
    and GP-m), and 14 are at most 2."""
    overlap = [abs(value) <= spread for value, spread in TABLE_2]
    assert (sum(overlap), sum(overlap[:15]), sum(overlap[15:])) == (15, 5, 10)
    assert sum(abs(value) < spread for value, spread in TABLE_2) == 9
    small = [value <= 2 for value, _ in TABLE_2]
    assert (len(TABLE_2), sum(small), sum(small[:15]), sum(small[15:])) == (30, 14, 3, 11)
    assert statistics.mean(value for value, _ in TABLE_2[:15]) > 5.5  # GP-t
    record_property("witness", f"Table 2: Delta AUC within one spread of 0 in {sum(overlap)} of {len(TABLE_2)} rows, "
                               "at most 2 in "
                    f"{sum(small)} (GP-t {sum(small[:15])} of 15, GP-m {sum(small[15:])} of 15)")


@pytest.mark.bears("measured", "gp-table-3a-lastfm-tradeoff")
def test_table_3a_is_a_trade(record_property):
    """Section 5.2 on GCN and LastFM: as Table 3a prints it, thresholds at eps = .1 are more accurate than the base case
    at .1, 1 and 2, at a higher AUC than each; at 8 it is the other way round. At no budget are they better in both."""
    base, ours = ({metric: {c.parameters["epsilon"]: c.value
                            for c in entries("graphprivatizer", "Table 3a", metric=metric)
                            if c.parameters["alpha"] == alpha} for metric in ("accuracy",
                                                                              "attack_auc")} for alpha in ("0", ">0"))
    accuracy, auc = ours["accuracy"]["0.1"], ours["attack_auc"]["0.1"]
    assert (accuracy, auc, ours["accuracy"]["inf"], ours["attack_auc"]["inf"]) == (85.7, 90, 86.5, 94)
    better = {e: (accuracy > base["accuracy"][e], auc < base["attack_auc"][e]) for e in ("0.1", "1", "2", "8")}
    assert better == {"0.1": (True, False), "1": (True, False), "2": (True, False), "8": (False, True)}
    assert [base["attack_auc"][e] for e in ("0.1", "1", "2")] == [80, 84, 89]
    assert not any(ours["accuracy"][e] > base["accuracy"][e] and ours["attack_auc"][e] < base["attack_auc"][e]
                   for e in better)
    record_property("witness", f"Table 3a: {accuracy} at an AUC of {auc:g} (eps .1), the base case " + ", ".join(
        f"{base['accuracy'][e]} at {base['attack_auc'][e]:g} (eps {e})" for e in better))
