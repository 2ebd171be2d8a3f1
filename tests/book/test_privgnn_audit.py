"""PrivGNN from end to end: what a statistical audit of its noisy labels certifies, and the mutants that it catches.

The worst case that we know: the queries have the features of one private node, the canary, who alone has label 1. With
K = 2 a teacher that drew the canary is sure of 1, a teacher that did not is sure of 0. Each run is Algorithm 1 with
fresh samples, teachers and noise; a coin decides whether the canary is in the private graph. Level 1e-6.
"""

from dataclasses import replace
from functools import cache

import pytest
import torch
from torch_geometric.data import Data

from privbook.papers.privgnn.noise_on_logarithms import NoiseOnLogarithms
from privgraph.audit.statistical import guessing_game
from privgraph.methods import NodeClassifier, PrivGNN
from privgraph.privacy import basic_composition
from privgraph.randomness import draw_seed, seeded

# in each world, shared by the audits with one sampling rate: what they say does not depend on the noise
TEACHERS = 3000
METHOD = PrivGNN(num_queries=1, scale=1.0, rate=0.5, neighbours=2,
                 teacher=NodeClassifier(hidden=4, dropout=0.0, learning_rate=0.3, epochs=15))


def make(x: list, y: list) -> Data:
    data = Data(x=torch.tensor(x), y=torch.tensor(y), edge_index=torch.empty(2, 0, dtype=torch.long))
    data.num_classes = 2
    return data


OTHERS = [[0.0, 1.0]] * 8
WORLDS = make(OTHERS, [0] * 8), make([[1.0, 0.0], *OTHERS], [1] + [0] * 8)
PUBLIC = make([[1.0, 0.0]] * TEACHERS, [0, 1] * (TEACHERS // 2))


@cache
def posteriors(rate: float) -> tuple[torch.Tensor, torch.Tensor]:
    """What the teachers say without and with the canary, [TEACHERS, 2] each; side by side, for speed."""
    method, g = replace(METHOD, rate=rate), seeded(0)
    return tuple(method.posteriors(world, PUBLIC, torch.arange(TEACHERS), [draw_seed(g) for _ in range(TEACHERS)],
                                   batch=500)
                 for world in WORLDS)


def audit(method: PrivGNN, few: int, many: int, delta: float = 0.0):
    """Guess "with" at ``many`` ones or more, "without" at ``few`` or fewer."""
    queries = method.num_queries
    runs = TEACHERS // queries

    def run(coins, generator):
        worlds = [method.label(p, generator).view(runs, queries) for p in posteriors(method.rate)]
        return torch.stack(worlds)[coins, torch.arange(runs)].sum(1)

    def rule(ones):
        return torch.where(ones >= many, 1, torch.where(ones <= few, 0, -1))
    return guessing_game(run, rule, runs, generator=seeded(1), confidence=1 - 1e-6, delta=delta)


CLAIMED = basic_composition(METHOD.budget(2).steps)  # ln(1 + (e - 1) / 2) = .62, pure


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_one_label_stays_below_what_is_claimed(noise, record_property):
    """And the audit is not idle: it certifies more than a third of it, from 3,000 runs (a guess at each 1,
    none at 0)."""
    method = replace(METHOD, noise=noise)
    claimed = basic_composition(method.budget(2).steps)
    found = audit(method, -1, 1)
    assert claimed / 3 < found.epsilon <= claimed
    record_property("witness", f"{noise}: at least {found.epsilon:.2f}, claimed {claimed:.2f}")


TWELVE = replace(METHOD, num_queries=12)


def test_twelve_labels_stay_below_what_is_claimed(record_property):
    claimed = TWELVE.budget(2).epsilon(1e-3).pessimistic
    found = audit(TWELVE, 3, 6, delta=1e-3)
    assert 0.1 < found.epsilon <= claimed
    record_property("witness", f"twelve labels: at least {found.epsilon:.2f}, claimed {claimed:.2f}")


MUTANTS = {"half of the noise": replace(METHOD, scale=0.5), "noise on logarithms": NoiseOnLogarithms(**vars(METHOD)),
           "everybody sampled": replace(METHOD, rate=1.0)}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_audit_catches(mutant, record_property):
    found = audit(MUTANTS[mutant], -1, 1)
    assert found.refutes(CLAIMED)
    record_property("witness", f"{mutant}: at least {found.epsilon:.2f}, claimed {CLAIMED:.2f}")


def test_the_audit_catches_forgotten_composition(record_property):
    """Twelve labels for the price of one."""
    found = audit(TWELVE, 3, 6, delta=1e-3)
    assert found.refutes(CLAIMED)
    record_property("witness", f"twelve labels: at least {found.epsilon:.2f}, claimed for one {CLAIMED:.2f}")
