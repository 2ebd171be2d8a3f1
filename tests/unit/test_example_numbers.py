"""Every example of a mechanism or a method takes NumPy's and torch's numbers too, and then is what it is with Python's.

All are found by their folders, and in each every number: those in tuples and in dataclasses inside it as well.
"""

import dataclasses

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from privgraph.audit.replaying import differences
from privgraph.mechanisms import all_mechanisms
from privgraph.methods import Distilled, Embedding, Federation, FewShot, Local, all_methods
from privgraph.methods.contract.other_kinds import sent
from privgraph.methods.contract.toys import draw_task, path_graph, shared_path
from privgraph.methods.curated import Curated
from privgraph.randomness import seeded

KINDS = {"numpy 32": (np.float32, np.int32), "numpy 64": (np.float64, np.int64), "array": (np.array, np.array),
         "tensor": (torch.tensor, torch.tensor), "python": (lambda value: float(np.float32(value)), int)}
OTHERS = [kind for kind in KINDS if kind != "python"]
MECHANISMS = [example for kind in all_mechanisms().values() for example in kind.examples()]
METHODS = [example for kind in all_methods().values() for example in kind.examples()]


def names(examples) -> list[str]:
    return [f"{type(example).__name__}-{number}" for number, example in enumerate(examples)]


def said_in(kind: str, value):
    """The same with every number in it as another library has it; all of them rounded to 32 bits."""
    real, whole = KINDS[kind]
    if dataclasses.is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        return type(value)(**{name: said_in(kind, part) for name, part in parts.items()})
    if isinstance(value, tuple):
        return tuple(said_in(kind, part) for part in value)
    if type(value) is float:
        return real(float(np.float32(value)))
    return whole(value) if type(value) is int else value


def alike(first, second) -> bool:
    """Equal, and of the same types all the way down."""
    return list(differences(first, second)) == [] and repr(first) == repr(second)


def drawn(mechanism) -> list:
    """What a mechanism says, and what it does to the first of its inputs."""
    case = mechanism.audit_case()
    told = case.distribution(case.inputs[0]) if case.distribution else {}
    made = mechanism(case.encode(case.inputs[0]), generator=seeded(0))
    return [mechanism.guarantees, made.to_dict() if isinstance(made, Data) else made, told]


def learnt(method) -> list:
    """What leaves people's hands or a curator's, and what is learnt of it; of an embedding, what is published; of a
    federation, all messages; of episodes, what is answered."""
    if isinstance(method, Embedding):
        return [method.embed(path_graph(), seeded(0))]
    if isinstance(method, Federation):
        return sent(method, shared_path(), seeded(0))
    if isinstance(method, FewShot):
        return [method.learn(draw_task, seeded(0))(draw_task(seeded(1)))]
    if isinstance(method, Curated):
        release = method.train(path_graph(), seeded(0))
        return [release, release.guarantees, method.learn(release, seeded(1)).model.state_dict()]
    graphs = [path_graph()] if isinstance(method, Local) else [path_graph(), path_graph(10)]
    release = method.collect(*graphs, seeded(0))
    return [release, method.learn(release, seeded(1)).predict_proba()]


def test_there_is_something_to_try():
    assert len(MECHANISMS) >= 20 and len(METHODS) >= 12
    assert all(isinstance(method, Local | Distilled | Curated | Embedding | Federation | FewShot) for method in METHODS)


def not_alike(example, said) -> list[str]:
    """The kinds of numbers with which an example, or what is ``said`` of it, is not what it is with Python's."""
    here = said_in("python", example)
    expected, found = said(here), []
    for kind in OTHERS:
        there = said_in(kind, example)
        if not alike(there, here) or not alike(said(there), expected):
            found.append(kind)
    return found


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=names(MECHANISMS))
def test_a_mechanism_with_numbers_of_any_kind(mechanism):
    assert not_alike(mechanism, drawn) == []


@pytest.mark.parametrize("method", METHODS, ids=names(METHODS))
def test_a_method_with_numbers_of_any_kind(method):
    assert not_alike(method, learnt) == []
