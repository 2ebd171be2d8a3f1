"""privgraph: privacy-preserving graph neural networks, written to be read.

The folders are listed here in the order in which data flows through them. A module imports only
from rooms above its own; ``tests/test_architecture.py`` proves it.

    late                 what takes seconds to import, when it is asked for
    checks, randomness   arguments that are refused, and where random numbers come from
    streams              the coins of a run with a seed, by name
    discover             what lies in a folder belongs to it
    processes, waiting   that end with whoever started them, and loops that say how long they take
    effort               what a method will take, before it begins
    writing              files that are whole or not there
    graph                edge lists and sparse matrices: normalise, propagate, count, cut, walk, sample
    graph_batch          many small graphs as one
    datasets             load(name) -> Data, cards, splits, synthetic Cora
    privacy              what a guarantee is, dominating pairs, and accountants that add them up
    mechanisms           randomised response, multi-bit, GRR-FS, edge reports, Laplace, Gaussian, noisy arg max
    audit                exact worst cases, statistical lower bounds, replay
    nn                   the six backbones, the one training loop, skip-gram, evaluation
    methods              LPGNN, RGNN, GraphPrivatizer, PATE, PrivGNN, GAE, LPPGE, DeepWalk: what leaves, what is learnt
    federate             clients and server of a federation in separate processes, here or on several machines
    attacks              which pairs are edges? scores, references, canaries with a ceiling
    teach                students' own coins, and how an answer leaves a notebook
    cli                  the command ``privgraph``

What the book needs beside it is ``privbook``: the register of claims, the ledger, the papers' tables, the classroom.

What is used most can be had from here, ``privgraph.LPGNN``; each name is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

from .late import face

if TYPE_CHECKING:
    from .audit import check_mechanism
    from .methods import (
        DPNE,
        DPSGD,
        GAE,
        GAP,
        GSM,
        LPGNN,
        LPPGE,
        MAML,
        PATE,
        RGNN,
        SEGCL,
        Centroids,
        DeepWalk,
        FederatedDeepWalk,
        FederatedGAT,
        GraphPrivatizer,
        NeighbourVotes,
        NodeGAP,
        PrivGNN,
        ProGAP,
        check_method,
        load,
    )
    from .methods.spent import budget_file
    from .randomness import secret, seeded
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["DPNE", "DPSGD", "GAE", "GAP", "GSM", "LPGNN", "LPPGE", "MAML", "PATE", "RGNN", "SEGCL", "Centroids",
           "DeepWalk", "FederatedDeepWalk", "FederatedGAT", "GraphPrivatizer", "NeighbourVotes", "NodeGAP", "PrivGNN",
           "ProGAP", "budget_file", "check_mechanism", "check_method", "load", "secret", "seeded"]

__version__ = "0.1.0"
