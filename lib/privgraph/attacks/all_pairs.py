"""All pairs among some nodes, and what an attacker finds who accuses as many of them as she believes to be linked.

LinkTeller's authors ask so (Wu et al. 2022). Nodes are drawn, of all degrees or of low or high ones, and
*all* pairs among them are asked about. Nearly all of these are no edges, so a score that looks nearly perfect beside as
many pairs of either kind may still accuse more strangers than friends. The attacker does not know how many pairs are
linked. She assumes a density, and accuses the pairs of the highest scores up to it.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ..checks import check_count, check_generator, check_positive
from ..graph import Graph, check_edge_index
from .evaluation import check_scores
from .node_pairs import NodePairs

BELIEFS = (0.25, 0.5, 1.0, 2.0, 4.0)  # the assumed density over the true one
# Low degrees end, and high ones begin, here in the authors' released code; of Twitch-PTBR low ones end at 10.
LOW_AND_HIGH = {"cora": (3, 4), "citeseer": (3, 3), "pubmed": (10, 10), "twitch": (5, 10), "flickr": (15, 30),
                "ppi": (15, 30), "deezer": (15, 30)}


def pairs_among(edge_index: Tensor, num_nodes: int, count: int, generator: torch.Generator, least: int = 0,
                most: int | None = None) -> NodePairs:
    """All pairs among ``count`` nodes, which are drawn uniformly from those of a class of degrees.

    Nodes come in random order, so that neither which end is the first nor the place of a pair tells anything.

    :param edge_index: int64 [2, E], both directions of every edge.
    :param count: nodes, at least 2; the authors take 500, which make 124,750 pairs.
    :param least: degree that a node must have.
    :param most: degree that it may have; None: any.
    :raises ValueError: where too few nodes have such a degree.

    >>> from privgraph.randomness import seeded
    >>> path = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    >>> sample = pairs_among(path, 4, 2, seeded(0), least=2)
    >>> sample.pairs.sort(0).values.tolist(), sample.linked.tolist()
    ([[1], [2]], [True])
    """
    check_generator(generator), check_edge_index(edge_index, num_nodes)
    graph, least = Graph(edge_index, num_nodes), check_count(least, "least")
    most = check_count(num_nodes if most is None else most, "most", low=least)
    there = ((graph.degree >= least) & (graph.degree <= most)).nonzero()[:, 0]
    if check_count(count, "count", low=2) > len(there):
        raise ValueError(f"count must be at most {len(there)}, the number of nodes with a degree in {least}..{most}, "
                         f"got {count}")
    nodes = there[torch.randperm(len(there), generator=generator)[:count]]
    pairs = nodes[torch.combinations(torch.arange(count)).t()]
    return NodePairs(pairs, graph.has(pairs))


@dataclass(frozen=True)
class Accused:
    """What an attacker finds who accuses the ``accused`` pairs of the highest scores.

    :param belief: the density that she assumes, over the true one.
    :param precision: the share of edges among the accused.
    :param recall: the share of edges that are accused.
    :param f1: the harmonic mean of both.
    """

    belief: float
    accused: int
    precision: float
    recall: float
    f1: float

    def __str__(self) -> str:
        return (f"at {self.belief:g} times the density {self.accused} accused, precision {self.precision:.3f}, "
                f"recall {self.recall:.3f}, F1 {self.f1:.3f}")


def accuse(scores: Tensor, linked: Tensor, belief: float = 1.0) -> Accused:
    r"""Precision, recall and F1 of accusing as many pairs as an assumed density says, those of the highest scores.

    With k linked of n pairs and a belief b, :math:`m = \lceil b k \rceil` pairs are accused, at most all. Where several
    have the score at which the line is drawn, each is as likely to be accused, and numbers are means over that: the
    authors' code takes whichever a partial sort leaves in front. (It also rounds k / n to one digit; here the true
    density is meant.) A coin has the precision k / n at every belief, and an attacker who is always right has 1 up to
    the belief 1, and 1 / b from there on.

    Pairs of the same nodes are not independent: for an interval, take several samples of nodes.

    :param scores: float [n], higher = more likely an edge; infinite is allowed, NaN is not.
    :param linked: bool [n], at least two of each kind.
    :param belief: b, above 0; the authors take ``BELIEFS``.

    >>> print(accuse(torch.tensor([3.0, 2.0, 1.0, 0.0]), torch.tensor([True, False, True, False])))
    at 1 times the density 2 accused, precision 0.500, recall 0.500, F1 0.500
    """
    check_scores(scores, linked)
    belief, edges = check_positive(belief, "belief"), int(linked.sum())
    wanted = min(len(linked), math.ceil(belief * edges * (1 - 1e-12)))
    line = scores.sort(descending=True).values[wanted - 1]
    above, at = scores > line, scores == line
    share = (wanted - int(above.sum())) / int(at.sum())
    found = int(linked[above].sum()) + share * int(linked[at].sum())
    return Accused(belief, wanted, found / wanted, found / edges, 2 * found / (wanted + edges))
