"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import torch
from torch.nn.functional import normalize

from privbook.classroom import Part, drawn
from privgraph.attacks.uploads import recover_others, upload_similarity
from privgraph.methods.federated.alignment import align_to_each, nearest_orthogonal, procrustes
from privgraph.randomness import seeded


def weighted(_, x, y, weights):
    """The unweighted problem for rows that are stretched by the roots of the weights."""
    root = weights.sqrt()[:, None]
    return procrustes(root * x, root * y)


def no_mirror(_, x, y, weights):
    u, _, v = torch.linalg.svd(x.T @ (weights[:, None] * y))
    u[:, -1] *= torch.det(u @ v).sign()
    return u @ v


def least_squares(_, x, y, weights):
    root = weights.sqrt()[:, None]
    return torch.linalg.lstsq(root * x, root * y).solution


def centred(_, x, y, weights):
    share = weights / weights.sum()
    return weighted(None, x - share @ x, y - share @ y, weights)


def clouds(seed, count, width, noise, mirrored, move=0.0):
    """Rows, and the same rows turned and shaken."""
    coins = seeded(seed)
    x = torch.randn(count, width, generator=coins)
    turn = torch.linalg.qr(torch.randn(width, width, generator=coins)).Q
    if (torch.det(turn) < 0) != mirrored:
        turn[:, 0] *= -1
    return x + move, x @ turn + move + noise * torch.randn(count, width, generator=coins)


def weighed(seed, *how):
    x, y = clouds(seed, *how)
    return x, y, torch.rand(len(x), generator=seeded(seed + 1)).square() * (torch.arange(len(x)) != 1)


def several(seed, clients, count, width):
    base = clouds(seed, count, width, 0.0, False)[0]
    turns = torch.linalg.qr(torch.randn(clients, width, width, generator=seeded(seed + 1))).Q
    return base @ turns + 0.3 * torch.randn(clients, count, width, generator=seeded(seed + 2))


def turned_to(uploads, target):
    return uploads @ nearest_orthogonal(uploads.transpose(1, 2) @ target)


def precision(_, x, y, anchors, turn=None, asked=None, distance=torch.cdist, among=0):
    """Of the ``asked`` rows those whose nearest row of ``y``, from ``among`` on, is their own."""
    turn = procrustes(x[:anchors], y[:anchors]) if turn is None else turn
    asked = range(anchors, len(x)) if asked is None else asked
    away = distance(x @ turn, y)
    return sum(int(away[i, among:].argmin()) + among == i for i in asked) / len(asked)


def product(a, b):
    return -a @ b.T


def pairs_of(gram, links, linked=False):
    taken = set() if linked else {frozenset(pair) for pair in links}
    return torch.tensor([(i, j) for i in range(len(gram)) for j in range(i + 1, len(gram))
                         if frozenset((i, j)) not in taken]).T


def ranked(gram, links, count, score, **more):
    pairs = pairs_of(gram, links, **more)
    return pairs[:, score(gram, *pairs).argsort(descending=True)[:count]].T.tolist()


def cosine(gram, i, j):
    """By the library, from rows that have these products."""
    values, axes = torch.linalg.eigh(gram.double())
    return upload_similarity(axes * values.clamp(min=0).sqrt(), torch.stack([i, j]))


def nearness(gram, i, j):
    return 2 * gram[i, j] - gram[i, i] - gram[j, j]


def pair_as_written(gram, links, count):
    """Links count only where the smaller number is written first."""
    return ranked(gram, [pair for pair in links if pair[0] < pair[1]], count, cosine)


def meeting(seed, count, links):
    """Products of rows of several lengths, and public links."""
    coins = seeded(seed)
    rows = torch.randn(count, 3, generator=coins) * (0.3 + 2 * torch.rand(count, 1, generator=coins))
    return (rows @ rows.T, links, 4)


def sent(given):
    return recover_others(given["answer"], given["mine"], 2).total


PARTS = {
    "align": Part(
        "align", weighted, lambda given: [weighed(drawn(given).randrange(10**6), 11, 3, 0.2, False, 1.0),
                                            weighed(0, 9, 3, 0.2, False, 1.0), weighed(2, 8, 2, 0.5, True, 0.5),
                                      weighed(4, 12, 4, 0.3, True)],
        {"This turns `y` into the space of `x`, or is the transpose: `x @ W` is to be near `y`.":
            lambda _, x, y, weights: weighted(None, x, y, weights).T,
         "The weights are not used: everybody counts alike.":
            lambda _, x, y, weights: weighted(None, x, y, torch.ones_like(weights)),
         "The weights count twice: each square is multiplied by its weight once, not by the weight's square.":
            lambda _, x, y, weights: weighted(None, x, y, weights.square()),
         "This is the best *matrix* (least squares). It may stretch, and is no turn.": least_squares,
         "This is the best turn *without a mirror*; mirrors are allowed.": no_mirror,
         "The rows are centred first. That solves another problem, in which the spaces may also be moved.": centred},
        tolerance=1e-3),
    "answers": Part(
        "answers", lambda _, uploads: align_to_each(uploads),
        lambda given: [(several(drawn(given).randrange(10**6), 3, 8, 2),),
                       (several(0, 2, 8, 2),), (several(4, 4, 9, 3),)],
        {"The rows are averaged as they came, without turning them into one space.":
            lambda _, uploads: uploads.mean(0).expand_as(uploads),
         "Everybody gets the answer in the space of *client 0*. Each is to get it in its own.":
            lambda _, uploads: turned_to(uploads, uploads[0]).mean(0).expand_as(uploads),
         "A client's own rows are not in its answer; the mean is over all clients.":
            lambda _, uploads: torch.stack([(turned_to(uploads, own).sum(0) - own) / (len(uploads) - 1)
                                            for own in uploads]),
         "This is the sum; the mean is asked for.": lambda _, uploads: len(uploads) * align_to_each(uploads),
         "The clients are turned the wrong way round: each into its space, with the transpose of the right turn.":
            lambda _, uploads: torch.stack([
                (uploads @ nearest_orthogonal(uploads.transpose(1, 2) @ own).transpose(1, 2)).mean(0)
                for own in uploads])},
        tolerance=1e-3),
    "precision": Part(
        "precision", precision, lambda _: [(*clouds(seed, 24, 3, noise, mirrored), 8) for seed, noise, mirrored in
                                           ((0, 0.5, True), (2, 0.6, False), (3, 0.4, True))],
        {"The rows are compared without turning `x` into the space of `y`.":
            lambda _, x, y, anchors: precision(None, x, y, anchors, turn=torch.eye(x.size(1))),
         "The turn is found with the help of *all* rows, among them those that are asked about.":
            lambda _, x, y, anchors: precision(None, x, y, anchors, turn=procrustes(x, y)),
         "The anchors are counted, too: they helped to find the turn, and are easy.":
            lambda _, x, y, anchors: precision(None, x, y, anchors, asked=range(len(x))),
         "Everything is done with all rows: the turn is found with them and judged on them.":
            lambda _, x, y, anchors: precision(None, x, y, anchors, turn=procrustes(x, y), asked=range(len(x))),
         "The own row must be the nearest of *all* rows of `y`, the anchors among them.":
            lambda _, x, y, anchors: precision(None, x, y, anchors, among=anchors),
         "The largest inner product is taken for the nearest row: that favours long rows.":
            lambda _, x, y, anchors: precision(None, x, y, anchors, distance=product)}),
    "others": Part(
        "others", lambda _, answer, own, clients: recover_others(answer, own, clients).total,
        lambda given: [(given["answer"].float(), given["mine"].float(), 2),
                       (align_to_each(several(7, 5, 6, 2))[0], several(7, 5, 6, 2)[0], 5)],
        {"The answer is a *mean*: it must be multiplied by the number of clients before your own rows are taken away.":
            lambda _, answer, own, clients: answer - own,
         "This is the *mean* of the others; their sum is asked for.":
            lambda _, answer, own, clients: (clients * answer - own) / (clients - 1),
         "The mean is over *all* clients, you among them; multiply it by their number, not by the number of the "
         "others.": lambda _, answer, own, clients: (clients - 1) * answer - own},
        tolerance=1e-4),
    "gram": Part(
        "gram", lambda given: sent(given) @ sent(given).T, wrong={
            "These are the products of the *answer's* rows, in which your own are half.":
                lambda given: given["answer"] @ given["answer"].T,
            "These are the products of your *own* rows.": lambda given: given["mine"] @ given["mine"].T,
            "Your own rows were taken away from the mean, not from the sum.":
                lambda given: (given["answer"] - given["mine"]) @ (given["answer"] - given["mine"]).T,
            "These are cosines: each product is divided by both lengths.":
                lambda given: normalize(sent(given)) @ normalize(sent(given)).T},
        tolerance=1e-4),
    "alike": Part(
        "alike", lambda _, gram, links, count: ranked(gram, links, count, cosine),
        lambda _: [meeting(0, 8, [[3, 4], [5, 1], [0, 7]]), meeting(1, 9, [[6, 5], [0, 1], [2, 6]])],
        {"Ranked by the inner product, which is large for long vectors. The cosine divides by both lengths.":
            lambda _, gram, links, count: ranked(gram, links, count, lambda g, i, j: g[i, j]),
         "Ranked by the distance. The cosine does not look at lengths.":
            lambda _, gram, links, count: ranked(gram, links, count, nearness),
         "Pairs that are linked in public are among them: these are no news.":
            lambda _, gram, links, count: ranked(gram, links, count, cosine, linked=True),
         "A pair may stand in `links` either way round.":
            lambda _, gram, links, count: pair_as_written(gram, links, count),
         "The *least* alike come first.":
            lambda _, gram, links, count: ranked(gram, links, count, lambda *where: -cosine(*where))}),
}
RUBRIC = {"turn": [
    (1, "a turn changes no length, product or cosine: the server ranks pairs as before"),
    (1, "the turn can be undone by whoever has rows of the same people (Procrustes); or: what alignment can still use, "
        "an attacker can"),
    (1, "no finite epsilon: if a link changes a product, the two graphs have no outcome in common, whatever the turn"),
    (1, "noise for one row has the wrong unit, as a link moves many rows; and a repair that has the right one, such as "
        "randomised response on links before the training"),
]}
