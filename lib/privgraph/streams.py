"""The coins of a run, by name: two runs with the same seed share each stream that both use, and so are paired."""

import torch

from .checks import check_choice, check_count
from .randomness import secret, seeded

APART = 1_000_000  # seeds between two streams
# What is drawn from each. The numbers are part of every row that was ever measured. Two names have one number where no
# experiment uses both.
STREAMS = {"split": 0,  # of the nodes, or into a private and a public graph
           "controls": 1,  # features or edges that a control draws anew
           "teachers": 1,  # queries, samples and weights of private teachers
           "collect": 2,  # the noise of what leaves people's hands
           "learn": 3,  # weights and dropout of what is learned from it
           "pairs": 4,  # edges and other pairs that an attack is asked about
           "attack": 4,  # an attacker with private nodes to look for: his networks
           "queries": 5,  # an attacker who looks for the queries of a student
           "coin": 6,  # members by coin, and everything else of that attack
           "outsiders": 7,  # nodes of nobody's graph
           "released": 8,  # the authors' released code
           "untrained": 9,  # teachers with fresh weights
           "attacker": 10,  # of links from vectors: networks, trees
           "classifiers": 11,  # of nodes from vectors: folds, weights
           "shadow": 12,  # a graph of the attacker's own, and what the defence makes of it
           "canaries": 13,  # made-up links, each put in by a coin
           "folds": 14,  # of the nodes of clients, the same whoever holds one
           "tasks": 15,  # few-shot tasks of a test, the same for all methods
           "generated": 16}  # a graph that is drawn, not loaded


def stream(name: str, seed: int) -> torch.Generator:
    """A generator for one purpose in the run with this seed.

    >>> torch.equal(torch.rand(3, generator=stream("collect", 7)), torch.rand(3, generator=seeded(2_000_007)))
    True
    """
    check_choice(name, "name", STREAMS)
    return seeded(STREAMS[name] * APART + check_count(seed, "seed", high=APART - 1))


def source(name: str, seed: int | None) -> torch.Generator:
    """A ``stream`` of this seed, or secret randomness where none is said."""
    return secret() if seed is None else stream(name, seed)
