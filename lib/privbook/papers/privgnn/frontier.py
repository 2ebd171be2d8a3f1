"""Chapter 9: which noise, how many queries and which samples give the best student for an epsilon?

The search has one seed: one split and one set of teachers, and the mean over several draws of noise and student, which
vary more. Its winners at each epsilon are run again on other seeds, because the best of many is flattered. A student
may be trained for fewer epochs than in the paper: she learns noisy labels by heart, and that takes time.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean

from privgraph.methods import NodeClassifier
from privgraph.nn import accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .tables import EXPERIMENT as TABLES
from .tables import USUAL, answers, method_of, parts

DATASET = "amazon-computers"
# For each sampling rate the numbers of queries, and the largest lambda. Small samples cost less, and afford more
# queries and less noise.
SEARCH = {0.3: ((20, 50, 100, 200, 500, 1000), 4.0), 0.1: ((20, 50, 200, 500, 1000, 3000), 6.0),
          0.03: ((50, 200, 500, 1000, 3000), 8.0), 0.01: ((200, 500, 1000, 3000), 12.0)}
LAMBDAS = (0.2, 0.4, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
EPOCHS = (20, 60)
TARGETS = (4, 8, 16, 32)  # epsilon at delta 1e-4
FRESH = 10  # other seeds, for the winners
DRAWS = 5  # of noise and student, for the same teachers
# What the search found for each method and epsilon; a test compares it with the ledger.
PRIVGNN = dict(noise="gumbel", neighbours=750, rate=0.1, epochs=60)
VOTES = dict(noise="gumbel", teacher="mlp", epochs=60)
WINNERS = {
    ("privgnn", 4): PRIVGNN | dict(lam=2.0, queries=20), ("pate", 4): VOTES | dict(lam=0.2, queries=20),
    ("privgnn", 8): PRIVGNN | dict(lam=3.0, queries=20), ("pate", 8): VOTES | dict(lam=0.4, queries=20, epochs=20),
    ("privgnn", 16): PRIVGNN | dict(lam=3.0, queries=50),
    ("pate", 16): VOTES | dict(lam=0.3, queries=100),
    ("privgnn", 32): PRIVGNN | dict(lam=6.0, queries=20),
    ("pate", 32): VOTES | dict(lam=0.3, queries=300, epochs=20)}


def frontier_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy of the student and the share of right labels, in percent:
    the mean over draws of noise and student."""
    private, public = parts(setting["dataset"], seed)
    whole = setting_of(setting)
    found = answers(whole, seed, cache)
    method = replace(method_of(whole), student=NodeClassifier(epochs=setting["epochs"]))
    generator, drawn = stream("collect", seed), []
    for _ in range(DRAWS):
        release = method.answer(found, public, generator)
        student = method.learn(release, generator)
        drawn.append((accuracy(student.predict_proba(), public.y, public.test_mask),
                      100 * float((release.labels == public.y[release.queries]).float().mean())))
    return dict(zip(("accuracy", "right"), map(fmean, zip(*drawn, strict=True)), strict=True))


def setting_of(setting: dict) -> dict:
    """What the teachers and the noise have to do with: a setting of the experiment ``privgnn``."""
    return TABLES.setting(**{name: value for name, value in setting.items() if name != "epochs"})


def searched() -> Iterator[dict]:
    """PrivGNN and PATE over rate, number of queries, noise and epochs; a vote counts in PATE as a probability of 1."""
    setting = EXPERIMENT.setting
    for (rate, (counts, most)), lam in itertools.product(SEARCH.items(), LAMBDAS):
        if lam <= most:
            yield from (setting(method="privgnn", noise="gumbel", lam=lam, queries=queries, neighbours=750, rate=rate,
                                epochs=epochs)
                        for queries, epochs in itertools.product(counts, EPOCHS))
    for noise, lam, kind, queries, epochs in itertools.product(("laplace", "gumbel"), LAMBDAS[:-1], ("mlp", "sage"),
                                                               (20, 50, 100, 300, 1000), EPOCHS):
        yield setting(method="pate", teacher=kind, noise=noise, lam=lam / 10, queries=queries, epochs=epochs)


def winners() -> dict[tuple[str, int], dict]:
    """(method, largest epsilon) -> its best setting, by the search's seed."""
    return {place: EXPERIMENT.setting(method=place[0], **settings) for place, settings in WINNERS.items()}


EXPERIMENT = Experiment(
    "privgnn-frontier", 1, {"method": str, "teacher": "none", "noise": "none", "lam": float, "queries": int,
                            "neighbours": 0,
                            "rate": 0.0, "epochs": int},
    ("accuracy", "right"), lambda setting: [(1, searched()), (1 + FRESH, winners().values())], frontier_run,
    dataset=DATASET, usual=USUAL, title="The best student for an epsilon: PrivGNN and PATE (chapter 9)")
