r"""How accurate LPGNN gets with people's own features and with those of others, predicted from public sizes.

A node's averaged report is scored by its inner product with the mean of each class over the labelled nodes. One report
has

.. math:: J = \frac{4 m \bar\delta^2}{c^2}, \qquad c = \frac{e^{\varepsilon / m} + 1}{e^{\varepsilon / m} - 1},

as its squared signal-to-noise ratio, where :math:`\bar\delta^2` is the mean over d features of the squared difference
of two classes' means, in units of a feature's range. The difference of two classes' scores has the mean

.. math:: \rho_K^2 \frac{J}{2} + \rho_{2K} \frac{C d}{n}

in units of a report's noise. K counts all averagings, those of the network included. The first term is what features
reveal, with the correlation :math:`\rho_K` of the labels at both ends of a walk of K steps on a tree. The second is
there for features of others as well, without walks that return to the node (it has no label), and each report that a
node and a class mean share counts C / n in a mean over n / C nodes. Averaged noise is a random address: nodes that
share neighbours have similar ones. Features matter little where the first term is far below the second; up to the
correlations, the border is

.. math:: I = \frac{n J}{2 C} = d.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from privgraph.mechanisms import MultiBit

# Fitted on the first 180 drawn graphs, and kept since: the network's two convolutions average twice more than KProp,
# and it reaches this share of the separation of the sums above.
MORE_STEPS, REACHED = 2, 0.8
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)  # of integrals over a standard normal


@dataclass(frozen=True)
class Case:
    """Public sizes of a graph and of its reports.

    :param nodes: n.
    :param classes: C, or one over the chance that two random nodes are of one class.
    :param degree: mean number of neighbours.
    :param homophily: share of the edges within a class.
    :param features: d.
    :param distance: mean squared difference of two classes' means in a feature, in units of its range.
    :param epsilon: of a node's features.
    :param labelled: share of the nodes that training knows the label of.
    :param steps: K of KProp.
    """

    nodes: int
    classes: float
    degree: float
    homophily: float
    features: int
    distance: float
    epsilon: float
    labelled: float
    steps: int

    @property
    def correlation(self) -> float:
        """Of the labels of two neighbours: 0 where edges say nothing, below 0 where unlike nodes link."""
        return (self.homophily * self.classes - 1) / (self.classes - 1)

    @property
    def information(self) -> float:
        """J, what one report tells of a class."""
        mechanism = MultiBit(self.epsilon, self.features)
        return 4 * mechanism.sampled * self.distance * mechanism.slope**2

    @property
    def reports(self) -> float:
        """I, what all reports tell; below d, features hardly matter."""
        return self.nodes * self.information / (2 * self.classes)


def predicted(case: Case) -> tuple[float, float]:
    """Accuracy in percent with a node's own features, and with those of others.

    >>> own, others = predicted(Case(2000, 4, 10.0, 0.5, 8, 0.18, 3.0, 0.05, 1))
    >>> own > others + 10
    True
    """
    own, others = (REACHED * separation(case, information, case.steps + MORE_STEPS)
                   for information in (case.information, 0.0))
    return accuracy(max(own, others), case.classes), accuracy(others, case.classes)


def gain(case: Case) -> float:
    """Predicted points of accuracy that own features add."""
    own, others = predicted(case)
    return own - others


def walk(steps: int, degree: float) -> tuple[np.ndarray, np.ndarray]:
    """How far a random walk is from where it began, on a tree in which everybody has ``degree`` neighbours.

    :returns: chances of the distances 0 to ``steps``, and how many nodes there are at each.
    """
    degree = max(degree, 2.0)
    chances, onward = np.eye(1, steps + 2)[0], (degree - 1) / degree
    for _ in range(steps):
        away, back = chances * onward, chances / degree
        away[0], back[0] = chances[0], 0.0
        chances = np.append(0.0, away[:-1]) + np.append(back[1:], 0.0)
    distances = np.arange(steps + 1)
    return chances[:-1], np.where(distances == 0, 1.0, degree * (degree - 1) ** (distances - 1.0))


def separation(case: Case, information: float, steps: int) -> float:
    """Mean over standard deviation of the difference of two classes' scores of a node, with J and K as given."""
    c, d = case.classes, case.features
    once, many = walk(steps, case.degree)
    twice, pairs = walk(2 * steps, case.degree)
    noise = (once**2 / many).sum()  # what averaging leaves of a report's variance
    correlations = case.correlation ** np.arange(2 * steps + 1)
    signal = (once @ correlations[:steps + 1]) ** 2 * information
    near = twice[1:] @ correlations[1:]
    means = 2 * c / case.nodes * (noise / case.labelled + near)  # random part of the difference of two classes' means
    mean = signal / 2 + c * d / case.nodes * near
    variance = (d * noise * means  # noise of the node times noise of the means
                + 2 * c * d**2 / (case.labelled * case.nodes**2) * (twice[1:] ** 2 / pairs[1:]).sum()  # who is near
                + signal * noise + signal / 4 * means  # signal times noise, both ways
                + signal * information / (2 * c) * noise)  # which classes were met
    return mean / math.sqrt(variance)


def accuracy(ratio: float, classes: float) -> float:
    """Percent of nodes whose own class scores highest, where scores are normal and a pair's separation is ``ratio``."""
    return float(100 * WEIGHTS @ ndtr(NODES + math.sqrt(2) * ratio) ** (classes - 1) / math.sqrt(2 * math.pi))
