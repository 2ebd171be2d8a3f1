"""RGNN's Algorithms 1, 2 and 3 as loops, line by line as they are printed (Bhaila et al. 2024): slow and obvious.

Features, values, hops and nodes are taken one at a time, in double precision. The printed loop over nodes reads as if
a mean saw means of the same hop; here every node of a hop hears the last hop, as "k-hop" means. Arg max is left to
the tests, which must allow for ties. What is ours and not the paper's says so.
"""

import math

import torch


def neighbours(edge_index, num_nodes: int) -> list[set[int]]:
    """N(v): whom v hears."""
    near = [set() for _ in range(num_nodes)]
    for u, v in edge_index.t().tolist():
        near[v].add(u)
    return near


def one_hot(value: int, size: int) -> list[float]:
    """A row of zeros for "not labelled" (-1)."""
    return [1.0 if j == value else 0.0 for j in range(size)]


def mean(rows: list[list[float]]) -> list[float]:
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def smooth(rows: list[list[float]], near: list[set[int]], steps: int) -> list[list[float]]:
    """The loop over hops of Algorithms 1 and 2: each hop lambda_v <- MEAN({lambda_v} u {lambda_u : u in N(v)})."""
    for _ in range(steps):
        rows = [mean([rows[v]] + [rows[u] for u in sorted(near[v])]) for v in range(len(rows))]
    return rows


def probabilities(epsilon: float, size: int) -> tuple[float, float]:
    """p and q of generalised randomised response over ``size`` answers."""
    if math.isinf(epsilon):
        return 1.0, 0.0
    return math.exp(epsilon) / (math.exp(epsilon) + size - 1), 1 / (math.exp(epsilon) + size - 1)


def equation_5(share: float, d: int, m: int, gamma: int, p: float, q: float) -> float:
    return d * share / (m * (p - q)) + (m - d - m * gamma * q) / (m * gamma * (p - q))


def estimate_features(reports, edge_index, sizes, epsilon: float, sampled: int, steps: int) -> list[list[list[float]]]:
    """Algorithm 1 up to its arg max: entry [i][v][j] estimates how often v's neighbourhood has value j of feature i."""
    near, rows, d = neighbours(edge_index, len(reports)), reports.tolist(), len(sizes)
    estimates = []
    for i in range(d):
        shares = smooth([one_hot(row[i], sizes[i]) for row in rows], near, steps)
        p, q = probabilities(epsilon, sizes[i])
        estimates.append([[equation_5(share, d, sampled, sizes[i], p, q) for share in row] for row in shares])
    return estimates


def nearest_distribution(row: list[float]) -> list[float]:
    """Ours: max(x - t, 0), with t found by bisection such that the row sums to 1."""
    low, high = min(row) - 1, max(row)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(max(x - middle, 0) for x in row) > 1 else (low, middle)
    return [max(x - low, 0) for x in row]


def transition(epsilon: float, num_classes: int) -> torch.Tensor:
    """The matrix P: p on its diagonal, q elsewhere."""
    p, q = probabilities(epsilon, num_classes)
    return torch.tensor([[p if i == j else q for j in range(num_classes)] for i in range(num_classes)]).double()


def estimate_labels(y, edge_index, num_classes: int, epsilon: float, steps: int) -> dict[int, list[float]]:
    """Algorithm 2 up to its arg max: for every labelled node P^-1 times the label shares around it."""
    shares = [one_hot(label, num_classes) for label in y.tolist()]
    shares = smooth(shares, neighbours(edge_index, len(shares)), steps)
    inverse = torch.linalg.inv(transition(epsilon, num_classes))
    return {v: (inverse @ torch.tensor(shares[v]).double()).tolist() for v in range(len(shares)) if y[v] >= 0}


def bags_of(y, cluster) -> dict[int, list[int]]:
    """Algorithm 3, line 3: the labelled nodes of each cluster that has any."""
    bags = {}
    for v, r in enumerate(cluster.tolist()):
        if y[v] >= 0:
            bags.setdefault(r, []).append(v)
    return dict(sorted(bags.items()))


def estimate_bags(y, cluster, num_classes: int, epsilon: float) -> dict[int, list[float]]:
    """Algorithm 3, lines 4 and 7: the mean label of each bag, times P^-1."""
    inverse = torch.linalg.inv(transition(epsilon, num_classes))
    return {r: (inverse @ torch.tensor(mean([one_hot(int(y[v]), num_classes) for v in bag])).double()).tolist()
            for r, bag in bags_of(y, cluster).items()}


def positive(row: list[float], least: float = 1e-5) -> list[float]:
    """Ours: shares below ``least`` are raised to it, and all divided by their sum. The logarithm must be finite."""
    raised = [max(share, least) for share in row]
    return [share / sum(raised) for share in raised]


def divergence(first: list[float], second: list[float]) -> float:
    """D_KL(first || second)."""
    return sum(a * math.log(a / b) for a, b in zip(first, second, strict=True))


def bag_loss(predicted, y, cluster, targets: dict[int, list[float]], direction: str) -> float:
    """Algorithm 3, lines 10 and 12: the mean over bags of D_KL(prediction || target), or of the reverse."""
    total = 0.0
    for r, bag in bags_of(y, cluster).items():
        pair = mean([predicted[v].tolist() for v in bag]), targets[r]
        total += divergence(*(pair if direction == "prediction" else pair[::-1]))
    return total / len(targets)


def label_loss(predicted, mask, labels) -> float:
    """Algorithm 3, line 11: the mean cross-entropy of the labelled nodes."""
    chosen = [v for v in range(len(labels)) if mask[v]]
    return -sum(math.log(predicted[v][labels[v]]) for v in chosen) / len(chosen)
