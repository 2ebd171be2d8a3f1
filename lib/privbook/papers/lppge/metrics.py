"""Everything that is measured about published vectors, in one run: links by four attackers, classes by two learners.

And how many links are sensitive and how many are added, as the dissertation's Table 3.1 counts them.
"""

import warnings
from collections.abc import Iterator
from dataclasses import replace

import torch
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from torch import Tensor
from torch_geometric.data import Data

from privgraph.attacks import Exposure, Reached, ask, boosted_links, closeness, expose, inner_product, mlp_links
from privgraph.methods.sensitive import added
from privgraph.randomness import draw_seed
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .defences import SETTINGS, owned

MOST_ASKED = 50_000  # of the pairs "others", of which a friendship network has 700,000
FOLDS = 5
QUESTIONS = {"others": "others", "sensitive": "sensitive", "between": "between sensitive users"}
MEASURES = ("f1", "auc", "tpr")
ATTACKS = {"mlp": mlp_links, "trees": boosted_links, "inner": inner_product, "distance": closeness}
LEARN = ("mlp", "trees")
METRICS = (*(f"{attack}_{question}_{measure}" for attack in ATTACKS for question in QUESTIONS for measure in MEASURES),
           "node_mlp", "node_svm")


def measure(z: Tensor, data: Data, seed: int) -> dict[str, float]:
    """The metrics of vectors that were published of a graph with sensitive links, in percent."""
    exposure = exposed(data, seed)
    links = {f"{name}_{what}": value for name in ATTACKS for what, value in scored(attack(name, z, exposure, seed))}
    return links | classes(z, data.y, stream("classifiers", seed))


def exposed(data: Data, seed: int) -> Exposure:
    """What the attacker is told and asked: the same for all defences of a graph with one seed."""
    generator = stream("pairs", seed)
    exposure = expose(data, generator)
    pairs, linked = exposure.asked["others"]
    kept = torch.randperm(linked.numel(), generator=generator)[:MOST_ASKED]
    return replace(exposure, asked={**exposure.asked, "others": (pairs[:, kept], linked[kept])})


def attack(name: str, z: Tensor, exposure: Exposure, seed: int) -> dict[str, Reached]:
    """What an attacker of the vectors answers."""
    coins = dict(generator=stream("attacker", seed)) if name in LEARN else {}
    return ask(ATTACKS[name], exposure, z=z, **coins)


def scored(answers: dict[str, Reached]) -> Iterator[tuple[str, float]]:
    """(question_measure, percent) of an attacker's answers."""
    for short, question in QUESTIONS.items():
        reached = answers[question]
        yield f"{short}_f1", 100 * reached.f1
        yield f"{short}_auc", 100 * reached.result.auc
        yield f"{short}_tpr", 100 * reached.result.tpr_at_1_fpr


def classes(z: Tensor, y: Tensor, generator: torch.Generator) -> dict[str, float]:
    """Macro F1 of a multi-layer perceptron and of a support vector machine: the mean over five folds, in percent."""
    known, coins = y >= 0, draw_seed(generator) % 2**32
    x, y = z[known].double().numpy(), y[known].numpy()
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=coins)

    def score(learner: ClassifierMixin) -> float:
        model = make_pipeline(StandardScaler(), learner)
        return 100 * float(cross_val_score(model, x, y, cv=folds, scoring="f1_macro").mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 200 passes are scikit-learn's default, and ours
        return {"node_mlp": score(MLPClassifier(random_state=coins)), "node_svm": score(SVC())}


def counts_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Links, sensitive ones as a share of all in percent, and those that Algorithm 1 adds. Nothing here is random."""
    data = owned(setting["dataset"], seed)
    more = added(data, SETTINGS[setting["dataset"]].target)
    return {"sensitive_links": data.sensitive.size(1), "sensitive_share": 200 * data.sensitive.size(1) / data.num_edges,
            "added_links": (more.num_edges - data.num_edges) / 2, "sensitive_users": int(data.sensitive_users.sum())}


COUNTS_EXPERIMENT = Experiment(
    "lppge-counts", 1, {}, ("sensitive_links", "sensitive_share", "added_links", "sensitive_users"),
    lambda setting: [(1, [setting(dataset=name) for name in SETTINGS])], counts_run,
    title="Sensitive and added links (chapter 10)")
