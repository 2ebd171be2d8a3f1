"""Chapter 10: attackers without any vectors. They see the published graph, or features; of the former all links but the
sensitive ones, as whoever crawls the lists of everybody's friends does."""

from collections.abc import Callable, Iterator

from torch_geometric.data import Data

from privgraph.attacks import adamic_adar, ask, degree_product, feature_similarity, local_paths, shared_neighbours
from privgraph.graph import degrees
from privgraph.methods.sensitive import without_links

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .measures import MEASURES, QUESTIONS, exposed, told
from .settings import SEEDS, owned

ATTACKERS = {"degrees": degree_product, "features": feature_similarity, "shared-neighbours": shared_neighbours,
             "adamic-adar": adamic_adar, "local-paths": local_paths}


def public_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Macro F1, AUC and TPR at 1% false alarms, in percent, on the same pairs as in the tables."""
    data = owned(cell["dataset"], seed)
    return dict(told(ask(ATTACKERS[cell["attacker"]], exposed(data, seed), **seen(cell["attacker"], data))))


def seen(attacker: str, data: Data) -> dict:
    """What an attacker knows of the graph."""
    if attacker == "features":
        return dict(x=data.x)
    published = without_links(data, data.sensitive).edge_index
    if attacker == "degrees":
        return dict(degree=degrees(published, data.num_nodes))
    return dict(edge_index=published, num_nodes=data.num_nodes)


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for dataset, seeds in SEEDS.items():
        yield seeds, [cell(dataset=dataset, attacker=name) for name in ATTACKERS]


EXPERIMENT = Experiment("lppge-public", 1, {"attacker": str},
                        tuple(f"{question}_{measure}" for question in QUESTIONS for measure in MEASURES), grid,
                        public_run, title="Sensitive links from the published graph, without vectors (chapter 10)")
