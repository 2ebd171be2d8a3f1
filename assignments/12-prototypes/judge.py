"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

from itertools import combinations, combinations_with_replacement, permutations

import networkx as nx
import torch
from scipy import stats

from privbook.classroom import Draws, Part, drawn
from privgraph.attacks.prototypes import recover_support
from privgraph.mechanisms import NoisyMean
from privgraph.methods import prototypes
from privgraph.randomness import seeded

WIDTH = 2500  # numbers of the vectors that are published with noise: each is a draw
LITTLE = 200.0  # an epsilon so large that the noise hides no mistake
WITHIN = 1e-4  # as the assignment says


def counted(_, n, edges):
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(n))
    return [graph.number_of_nodes(), graph.number_of_edges(), sum(nx.triangles(graph).values()) // 3,
            max(degree for _, degree in graph.degree())]


def but(place, change):
    """Like ``counted``, with one number made otherwise."""
    def made(_, n, edges):
        found = counted(None, n, edges)
        found[place] = change(found[place], n, edges)
        return found
    return made


def at_one_end(_, n, edges):
    return max(sum(u == v for u, _ in edges) for v in range(n))


def nearest(z, y, queries, ways, centres=None, distance=torch.cdist):
    centres = prototypes(z, y, ways) if centres is None else centres
    return distance(queries, centres).argmin(1).tolist()


def sums(z, y, ways):
    return torch.stack([z[y == c].sum(0) for c in range(ways)])


def sand(a, b):
    return torch.cdist(a.sort(1).values, b.sort(1).values, p=1)


def classes(seed, counts, width):
    """Support vectors of so many of each class, in disorder, and queries."""
    coins = seeded(seed)
    y = torch.arange(len(counts)).repeat_interleave(torch.tensor(counts))
    y = y[torch.randperm(len(y), generator=coins)]
    middles = 2 * torch.randn(len(counts), width, generator=coins)
    z = middles[y] + 1.5 * torch.randn(len(y), width, generator=coins)
    return z, y, 2 * torch.randn(20, width, generator=coins), len(counts)


def fitting(given, some=slice(None)):
    """Sets of positions in the pool, by the largest difference in any number."""
    vectors = [given["encode"](graph) for graph in given["pool"]]
    found = []
    for published in given["one_shot"]:
        off = [float((vector - published).abs().max()) for vector in vectors]
        found.append(frozenset([i for i, way in enumerate(off) if way < 1e-6][some]))
    return found


def recovered(_, prototype, pool, shots):
    """By meeting in the middle, at a tolerance of its own."""
    widest = shots**2 * torch.finfo(torch.float32).eps * float(pool.abs().max())
    sets = recover_support(prototype[None], pool, shots, tolerance=shots * WITHIN / widest)[0].sets
    return frozenset(map(tuple, sets.tolist()))


def all_of(prototype, pool, shots, choose, of=torch.mean):
    return frozenset(rows for rows in choose(range(len(pool)), shots)
                     if float((of(pool[list(rows)], 0) - prototype).abs().max()) < WITHIN)


def first(_, prototype, pool, shots):
    return frozenset(sorted(recovered(None, prototype, pool, shots))[:1])


def closest(_, prototype, pool, shots):
    rows = (pool - prototype).norm(dim=1).argsort()[:shots]
    return frozenset([tuple(sorted(rows.tolist()))])


def mean_of(seed, count, width, rows, whole=True):
    """Candidates with whole numbers, or any, and the mean of some of them."""
    pool = torch.randn(count, width, generator=seeded(seed))
    pool = (2 * pool).round() if whole else pool
    return pool[list(rows)].mean(0), pool, len(rows)


def clipped(rows, clip):
    return rows * (clip / rows.norm(dim=-1, keepdim=True)).clamp(max=1)


def moves(_, z, others, clip, before=clipped, after=None, worlds=None):
    """The largest move of the mean, by trying every neighbour."""
    def mean(rows):
        found = before(rows, clip).mean(0)
        return found if after is None else after(found, clip)
    worlds = worlds or [torch.cat([z[:i], row[None], z[i + 1:]]) for i in range(len(z)) for row in others]
    return max(float((mean(world) - mean(z)).norm()) for world in worlds)


def as_they_are(rows, _):
    return rows


def removed(_, z, others, clip):
    return moves(None, z, others, clip, worlds=[torch.cat([z[:i], z[i + 1:]]) for i in range(len(z))])


def added(_, z, others, clip):
    return moves(None, z, others, clip, worlds=[torch.cat([z, row[None]]) for row in others])


def cube(rows, clip):
    return rows.clamp(-clip, clip)


def some_rows(seed, count, others, width):
    coins = seeded(seed)
    return tuple(torch.randn(n, width, generator=coins) * (0.3 + 3 * torch.rand(n, 1, generator=coins))
                 for n in (count, others))


def flat(values, clip, epsilon, delta):
    """Rows that have the same number in each place, so that what is published has one law in all places."""
    return (torch.tensor(values)[:, None].expand(-1, WIDTH), clip, epsilon, delta, seeded(len(values)))


def published(_, z, clip, epsilon, delta, generator, step=1.0, before=clipped, after=as_they_are):
    """:param step: in multiples of the right one."""
    mechanism = NoisyMean(epsilon, delta, clip=clip, shots=len(z))
    mean = after(before(z.double(), clip).mean(0), clip)
    return stats.norm(float(mean[0]), step * mechanism.sigma)


def summed(_, z, clip, *more):
    """The sum, with noise made for the mean."""
    law = published(None, z, clip, *more)
    return stats.norm(len(z) * law.mean(), law.std())


PARTS = {
    "numbers": Part(
        "numbers", counted, lambda given: [*(given["support"][i] for i in (0, 5, 11)),
                                           (7, [[0, 1], [0, 2], [1, 2], [2, 4]]),
                                           (5, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])],
        {"Each edge counts once, although it has two ends.": but(1, lambda edges, *_: 2 * edges),
         "Each triangle is counted three times, once for each of its edges or nodes.":
            but(2, lambda triangles, *_: 3 * triangles),
         "Each triangle is counted six times: it has three nodes, and two ways round.":
            but(2, lambda triangles, *_: 6 * triangles),
         "Nodes without an edge count, too.": but(0, lambda _, n, edges: len({v for edge in edges for v in edge})),
         "The *average* number of neighbours stands where the largest belongs.":
            but(3, lambda _, n, edges: 2 * len(edges) / n),
         "A node's neighbours are counted at one end of each edge only.": but(3, at_one_end)}),
    "classify": Part(
        "classify", lambda _, *arguments: nearest(*arguments),
        lambda _: [classes(4, [6, 2, 3], 3), classes(1, [1, 7], 4), classes(2, [3, 5, 2, 8], 3)],
        {"This takes the class of the nearest single *example*. A prototype is the mean of a class.":
            lambda _, z, y, queries, ways: y[torch.cdist(queries, z).argmin(1)].tolist(),
         "These are the sums of the classes; a prototype is a mean.":
            lambda _, z, y, queries, ways: nearest(z, y, queries, ways, sums(z, y, ways)),
         "The largest inner product is taken for the nearest: that favours long prototypes.":
            lambda _, z, y, queries, ways: nearest(z, y, queries, ways, distance=lambda a, b: -a @ b.T),
         "The cosine does not see how long a vector is; the Euclidean distance does.":
            lambda _, z, y, queries, ways: nearest(
                z, y, queries, ways, distance=lambda a, b: -a @ (b / b.norm(dim=1, keepdim=True)).T),
         "This distance sorts the entries of a vector, and forgets which is which. The Euclidean one is asked for.":
            lambda _, z, y, queries, ways: nearest(z, y, queries, ways, distance=sand)}),
    "fits": Part(
        "fits", fitting, wrong={
            "Another graph of the pool has the same vector: *all* that fit belong into the set.":
                lambda given: fitting(given, some=slice(1)),
            "Another graph of the pool has the same vector, and whoever names one only may name the wrong one: *all* "
            "that fit belong into the set.": lambda given: fitting(given, some=slice(-1, None)),
            "Each class has a set of its own; here whatever fits *any* of the prototypes is in each.":
                lambda given: 3 * [frozenset().union(*fitting(given))]}),
    "recover": Part(
        "recover", recovered,
        lambda given: [(given["three_shot"].float(), torch.stack(list(map(given["encode"], given["pool"]))).float(), 3),
                       mean_of(0, 9, 1, (1, 4)), mean_of(1, 14, 2, (0, 3, 7, 9)), mean_of(2, 10, 3, (2, 5, 6), False)],
        {"Only one set is named where several fit: the attacker cannot know which it was.": first,
         "These are the rows nearest to the prototype. A mean need not lie near what it is the mean of.": closest,
         "No row can be in the set twice.": lambda _, prototype, pool, shots: all_of(
             prototype, pool, shots, combinations_with_replacement),
         "A set has no order: each belongs into the answer once, with its rows in ascending order.":
            lambda _, prototype, pool, shots: frozenset(
                order for rows in recovered(None, prototype, pool, shots) for order in permutations(rows)),
         "The *mean* of the rows is published; here their sum is compared with it.":
            lambda _, prototype, pool, shots: all_of(prototype, pool, shots, combinations, torch.sum)}),
    "largest_move": Part(
        "largest_move", moves, lambda given: [(*some_rows(drawn(given).randrange(10**6), 3, 4, 3), 1.2),
                                              (*some_rows(0, 4, 5, 3), 1.0), (*some_rows(1, 2, 3, 2), 2.0),
                                          (*some_rows(2, 5, 4, 4), 0.8)],
        {"The vectors are not clipped.":
            lambda _, z, others, clip: moves(None, z, others, clip, before=as_they_are),
         "The mean is clipped, not the vectors: that bounds the mean and not the move.":
            lambda _, z, others, clip: moves(None, z, others, clip, before=as_they_are, after=clipped),
         "Each number is cut off at C. The *length* of a vector is to be at most C, its direction stays.":
            lambda _, z, others, clip: moves(None, z, others, clip, before=cube),
         "A row is taken away here. Under *replace* another comes in its place.": removed,
         "A row is added here. Under *replace* one goes and another comes.": added,
         "This is how far the row moves, or the sum; the mean moves by a K-th of it.":
            lambda _, z, others, clip: len(z) * moves(None, z, others, clip),
         "This is the most for *any* graphs. These rows may move the mean less; what is asked for is the largest move "
         "among them.":
            lambda _, z, others, clip: 2 * clip / len(z)},
        tolerance=1e-4),
    "noisy": Draws(
        "noisy", published, lambda _: [flat([5.0, -0.01, -0.01, -0.005], 1.0, LITTLE, 1e-5),
                                       flat([-4.0, 0.02], 3.0, LITTLE, 1e-3)],
        {"The noise is made for a step of C/K. One example goes *and another comes*, and they may point in opposite "
         "directions.": lambda _, *arguments: published(None, *arguments, step=0.5),
         "The noise is made for one vector's step, 2C. Of the mean of K it is a K-th.":
            lambda _, z, *arguments: published(None, z, *arguments, step=len(z)),
         "The noise is made for the length C of one vector: neither that another comes in its place nor the mean is "
         "thought of.": lambda _, z, *arguments: published(None, z, *arguments, step=len(z) / 2),
         "The mean is clipped, not the vectors before it: one long vector has then moved it already.":
            lambda _, *arguments: published(None, *arguments, before=as_they_are, after=clipped),
         "Nothing is clipped, so that no noise is enough.":
            lambda _, *arguments: published(None, *arguments, before=as_they_are),
         "Each number is cut off at C. The *length* of a vector is to be at most C.":
            lambda _, *arguments: published(None, *arguments, before=cube),
         "The sum of the vectors is published, not their mean.": summed}),
}
RUBRIC = {"careful": [
    (1, "2C/K under replace: one vector goes, another comes, perhaps in the opposite direction; with half the noise "
        "the stated epsilon and delta do not hold"),
    (1, "what a right noise protects: one support graph, replaced by another of the same class; neither classes nor "
        "the graphs that trained the encoder (which must not have seen the support)"),
    (1, "the two months compose: 2 epsilon with 2 delta, or an accountant's figure, not epsilon"),
    (1, "advice that helps: noise for 2C/K, one release that is used again, more examples in a class, fewer numbers, "
        "a public encoder"),
]}
