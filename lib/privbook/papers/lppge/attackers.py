"""Chapter 10: other attackers on the same vectors, on what is public beside them, and on vectors that know nothing.

``shadow``, the adaptive attacker, has seen the same defence hide other links. She knows the method and all links but
the sensitive ones, lets it hide others of hers, and learns what is left of them. ``alone`` she reads vectors;
``beside`` them the published graph too, by Adamic-Adar and by local paths.

``public`` attackers have no vectors. They see the published graph, or features; of the former all links but the
sensitive ones, as whoever crawls the lists of everybody's friends does.

``canaries`` are made-up sensitive links, each put in by a fair coin, and guessed from what is published. They join
sensitive users who have no link, and are sensitive links themselves: the owner hides them as all others. Whether one is
there nothing public knows. So whatever is found here beyond chance has leaked through the vectors; where the present
ones are deleted before anything is learnt (``gae-rm``), nothing can.

``noise`` is what attackers score all the same on vectors that know nothing, of the length of DPNE's rows. They share
what is exposed and asked, and the attackers' coins, with the tables' runs of the same seed.
"""

from collections.abc import Callable, Iterator
from functools import partial

from torch import Tensor
from torch_geometric.data import Data

from privgraph.attacks import (
    adamic_adar,
    ask,
    canary_auc,
    canary_runs,
    closeness,
    degree_product,
    feature_similarity,
    hide_again,
    inner_product,
    local_paths,
    shadow_links,
    shared_neighbours,
)
from privgraph.graph import degrees
from privgraph.methods.embedding_controls import RandomVectors
from privgraph.methods.sensitive import without_links
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .defences import SEEDS, method, owned
from .metrics import MEASURES, METRICS, QUESTIONS, exposed, measure, scored
from .tables import DEFENCES, LARGE, PRINTED, SMALL

ADAPTED_TO = (*PRINTED, "drop-users", "alpha-0")
KNOWS = ("alone", "beside")


def shadow_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Macro F1, AUC and TPR at 1% false alarms, in percent, on the same pairs as in the tables."""
    data, generator = owned(setting["dataset"], seed), stream("shadow", seed)
    embedding, known = method(setting["defence"], setting["dataset"]), without_links(data, data.sensitive)
    own = hide_again(known, data.sensitive.size(1), generator)
    hers = dict(shadow_z=embedding.embed(own.data, generator).z, shadow_pairs=own.pairs, shadow_linked=own.linked)
    z, exposure, found = embedding.embed(data, stream("learn", seed)).z, exposed(data, seed), {}
    beside = dict(beside=paths(known), shadow_beside=paths(without_links(own.data, own.data.sensitive)))
    for name, more in zip(KNOWS, ({}, beside), strict=True):
        answers = ask(shadow_links, exposure, z=z, generator=stream("attacker", seed), **hers, **more)
        found |= {f"{name}_{what}": value for what, value in scored(answers)}
    return found


def paths(data: Data) -> list[Callable[[Tensor], Tensor]]:
    """What the links of a published graph say of a pair."""
    return [partial(score, data.edge_index, data.num_nodes) for score in (adamic_adar, local_paths)]


def shadow_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for dataset in SMALL:
        yield 3, [setting(dataset=dataset, defence=name) for name in ADAPTED_TO]
    for dataset in (*SMALL, *LARGE):
        yield SEEDS[dataset], [setting(dataset=dataset, defence=name) for name in ADAPTED_TO]


SHADOW_EXPERIMENT = Experiment(
    "lppge-shadow", 1, {"defence": str},
    tuple(f"{known}_{question}_{measure}" for known in KNOWS for question in QUESTIONS for measure in MEASURES),
    shadow_grid, shadow_run, title="An attacker who has seen the defence hide other links (chapter 10)")

ATTACKERS = {"degrees": degree_product, "features": feature_similarity, "shared-neighbours": shared_neighbours,
             "adamic-adar": adamic_adar, "local-paths": local_paths}


def public_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Macro F1, AUC and TPR at 1% false alarms, in percent, on the same pairs as in the tables."""
    data = owned(setting["dataset"], seed)
    return dict(scored(ask(ATTACKERS[setting["attacker"]], exposed(data, seed), **seen(setting["attacker"], data))))


def seen(attacker: str, data: Data) -> dict:
    """What an attacker knows of the graph."""
    if attacker == "features":
        return dict(x=data.x)
    published = without_links(data, data.sensitive).edge_index
    if attacker == "degrees":
        return dict(degree=degrees(published, data.num_nodes))
    return dict(edge_index=published, num_nodes=data.num_nodes)


def public_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for dataset, seeds in SEEDS.items():
        yield seeds, [setting(dataset=dataset, attacker=name) for name in ATTACKERS]


PUBLIC_EXPERIMENT = Experiment(
    "lppge-public", 1, {"attacker": str},
    tuple(f"{question}_{measure}" for question in QUESTIONS for measure in MEASURES), public_grid, public_run,
    title="Sensitive links from the published graph, without vectors (chapter 10)")

RUNS = 40  # of the method: half of them teach the attacker, and her AUC is a mean over the others
COUNT = 26  # canaries; Citeseer has hardly more pairs of sensitive users in which nobody is twice
SCORES = {"inner": inner_product, "distance": closeness}


def canaries_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The AUC of who has learnt how each canary scores, in percent, with the 95% interval over 20 runs."""
    data = owned(setting["dataset"], seed)
    ran = canary_runs(method(setting["defence"], setting["dataset"]), data, COUNT, RUNS, stream("canaries", seed),
                      SCORES[setting["score"]])
    found = canary_auc(ran.scores, ran.present)
    return {"auc": 100 * found.mean, "low": 100 * found.low, "high": 100 * found.high}


def canaries_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for dataset in SMALL:
        for score in SCORES:
            yield 3, [setting(dataset=dataset, defence=name, score=score) for name in DEFENCES]


CANARIES_EXPERIMENT = Experiment(
    "lppge-canaries", 1, {"defence": str, "score": "inner"}, ("auc", "low", "high"), canaries_grid, canaries_run,
    title="Made-up sensitive links, guessed from vectors (chapter 10)")


def noise_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    data = owned(setting["dataset"], seed)
    return measure(RandomVectors(setting["dimension"]).embed(data, stream("learn", seed)).z, data, seed)


def noise_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds of each graph, then ten of the small ones."""
    yield 3, [setting(dataset=dataset) for dataset in (*SMALL, *LARGE)]
    for dataset in SMALL:
        yield SEEDS[dataset], [setting(dataset=dataset)]


NOISE_EXPERIMENT = Experiment("lppge-noise", 1, {"dimension": 64}, METRICS, noise_grid, noise_run,
                              title="Vectors that know nothing, beside DPNE's (chapter 10)")
