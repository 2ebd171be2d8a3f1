"""Chapter 10: the adaptive attacker, who has seen the same defence hide other links.

She knows the method and all links but the sensitive ones, lets it hide others of hers, and learns what is left of them.
``alone`` she reads vectors; ``beside`` them the published graph too, by Adamic-Adar and by local paths.
"""

from collections.abc import Callable, Iterator
from functools import partial

from torch import Tensor
from torch_geometric.data import Data

from privgraph.attacks import adamic_adar, ask, hide_again, local_paths, shadow_links
from privgraph.methods.sensitive import without_links
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .defences import method
from .measures import MEASURES, QUESTIONS, exposed, told
from .settings import SEEDS, owned
from .tables import LARGE, PRINTED, SMALL

DEFENCES = (*PRINTED, "drop-users", "alpha-0")
KNOWS = ("alone", "beside")


def shadow_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Macro F1, AUC and TPR at 1% false alarms, in percent, on the same pairs as in the tables."""
    data, generator = owned(cell["dataset"], seed), stream("shadow", seed)
    embedding, known = method(cell["defence"], cell["dataset"]), without_links(data, data.sensitive)
    own = hide_again(known, data.sensitive.size(1), generator)
    hers = dict(shadow_z=embedding.embed(own.data, generator).z, shadow_pairs=own.pairs, shadow_linked=own.linked)
    z, exposure, found = embedding.embed(data, stream("learn", seed)).z, exposed(data, seed), {}
    beside = dict(beside=paths(known), shadow_beside=paths(without_links(own.data, own.data.sensitive)))
    for name, more in zip(KNOWS, ({}, beside), strict=True):
        answers = ask(shadow_links, exposure, z=z, generator=stream("attacker", seed), **hers, **more)
        found |= {f"{name}_{what}": value for what, value in told(answers)}
    return found


def paths(data: Data) -> list[Callable[[Tensor], Tensor]]:
    """What the links of a published graph say of a pair."""
    return [partial(score, data.edge_index, data.num_nodes) for score in (adamic_adar, local_paths)]


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for dataset in SMALL:
        yield 3, [cell(dataset=dataset, defence=name) for name in DEFENCES]
    for dataset in (*SMALL, *LARGE):
        yield SEEDS[dataset], [cell(dataset=dataset, defence=name) for name in DEFENCES]


EXPERIMENT = Experiment("lppge-shadow", 1, {"defence": str},
                        tuple(f"{known}_{question}_{measure}" for known in KNOWS for question in QUESTIONS
                              for measure in MEASURES), grid, shadow_run,
                        title="An attacker who has seen the defence hide other links (chapter 10)")
