"""What an arm does before its first noise is the same at every budget: it is done once, and kept."""

from dataclasses import fields

import torch
import torch.nn.functional as F

from privgraph.datasets import split
from privgraph.methods import GAP, Method, NeighbourVotes
from privgraph.methods.curated import told_labels
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import graph
from .terms import people

REVISION = 1
AFTER = {"epsilon", "delta", "labels", "rounds", "hops", "trust"}  # what the part before the noise does not read


def once_before_noise(method: Method, dataset: str, seed: int, cache: Cache) -> Method:
    """The same method, bit for bit, which looks up the part that hangs on no budget; others as they are."""
    if type(method) not in PARTS:
        return method
    name, _ = PARTS[type(method)]
    usual = getattr(type(method), name)
    said = {field.name: getattr(method, field.name) for field in fields(method) if field.name not in AFTER}
    told = dict(kind=type(method).__name__, said=said, dataset=dataset, sha256=graph(dataset)[1], seed=seed)
    fresh = stream("collect", seed).get_state()

    def looked_up(self, *arguments):
        generator = next(each for each in arguments if isinstance(each, torch.Generator))
        if not torch.equal(generator.get_state(), fresh):  # a later round reads noise
            return usual(self, *arguments)
        value, state = cache.once(before_noise, revision=REVISION, **told)
        generator.set_state(state)
        return value
    return type(type(method).__name__, (type(method),), {name: looked_up})(**vars(method))


def before_noise(kind: str, said: dict, dataset: str, sha256: str, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What the part gives, and the state of its coins afterwards."""
    one, = (one for one in PARTS if one.__name__ == kind)
    generator, (_, part) = stream("collect", seed), PARTS[one]
    return part(one(**said), split(people(dataset), stream("split", seed)), generator), generator.get_state()


def of_votes(method: NeighbourVotes, data, generator: torch.Generator) -> torch.Tensor:
    return method.out_of_fold(F.normalize(data.x.float(), dim=1), told_labels(data), (data.train_mask, data.val_mask),
                              data.num_classes, generator, False)


def of_gap(method: GAP, data, generator: torch.Generator) -> torch.Tensor:
    return method.encode(data, told_labels(data), generator)


PARTS = {NeighbourVotes: ("out_of_fold", of_votes), GAP: ("encode", of_gap)}
