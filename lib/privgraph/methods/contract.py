"""What every method promises, as checks that anybody can run on one of their own: ``check_method(MyMethod())``."""

import copy
import math
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass, replace
from pathlib import Path

import torch
from torch_geometric.data import Data

from ..audit.replaying import differences, replay
from ..checks import check_is
from ..datasets import Categories, from_edge_list, induced
from ..datasets.bounds import bounds
from ..graph import to_undirected
from ..mechanisms.tape import Tape
from ..privacy import Guarantee, holding
from ..randomness import kind_of, secret, seeded
from .distilled import Distilled
from .fitted import Fitted, Training
from .kinds import Local, Method

# What no network can be trained with.
REFUSED = {"hidden": (0, -3, 2.5, True), "dropout": (-1, 1.0, "x", math.nan),
           "learning_rate": (-1.0, 0, "fast", math.inf),
           "epochs": (0, "5", True), "weight_decay": (-1e-3, math.inf), "heads": (0, -1, 1.5),
           "epsilon_x": (0, -1.0, math.nan, "1"), "epsilon_y": (0, -1.0, math.nan, "1"), "num_queries": (0, True),
           "rate": (0.0, 1.5), "scale": (-1.0, math.nan, "1")}
DELTA = 1e-5


def check_method(method: Method, *graphs: Data) -> None:
    """Raise an ``AssertionError`` that says what a method does not keep of what its kind promises.

    All kinds: hyperparameters that make no sense are refused at construction; the data that were handed in stay as
    they are; with the same generator the same comes out, whatever the global seed, which stays as it was; no
    generator, no release.
    ``Local`` and ``Distilled``: what leaves depends on private records through noise only (the replay audit, with
    neighbours on whom such a thing could hang: the only member of a class, the last one with a label, the only one
    with a feature, an edge more); guarantees speak of the units that they must, cover the mechanisms that were used,
    add up to the total, and are what was said beforehand; with secret randomness no noise comes from an ordinary
    generator, and what leaves says which of the two it was;
    ``learn`` reads the release and nothing else; predictions are probabilities; files give back what was written.
    The other kinds: see ``contract_kinds``.

    That nothing is found is no proof: the neighbours are a few, of one small graph.

    :param graphs: what the method collects from: one graph with masks, or a private and a public one. By default eight
        people on a path with three 0/1 features.

    >>> from privgraph.methods import LPGNN
    >>> check_method(LPGNN(x_steps=2, y_steps=1, epochs=2))
    """
    from .contract_kinds import OTHERS  # it uses what is below
    refuses(check_is(method, "method", Method))
    checks = {Local: local, Distilled: distilled, **OTHERS}
    kind = next((kind for kind in checks if isinstance(method, kind)), None)
    require(kind is not None, f"method must be one of {', '.join(k.__name__ for k in checks)}, "
            f"got {type(method).__name__}")
    checks[kind](method, *graphs)


def require(held: bool, broken: str) -> None:
    if not held:
        raise AssertionError(broken)


def path_graph(n: int = 8) -> Data:
    """People on a path, with their numbers in binary as features and two classes; all are asked for their label.

    The last two are known as sensitive, as ``mechanisms.SensitiveResponse`` asks.
    """
    path = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    bits = (torch.arange(n)[:, None] // torch.tensor([1, 2, 4]) % 2).float()
    data = Categories((2, 2, 2))(from_edge_list(path, bits, [0, 1] * (n // 2), num_classes=2))
    data.train_mask = torch.arange(n) < n // 2
    data.val_mask = ~data.train_mask
    data.sensitive_users = torch.arange(n) >= n - 2
    return data


# What all kinds keep.

def refuses(method: Method) -> None:
    """Hyperparameters that make no sense are refused when they are said, by their names."""
    for part in (method, *(value for value in vars(method).values() if isinstance(value, Training))):
        for name, values in REFUSED.items():
            for value in values if is_dataclass(part) and hasattr(part, name) else ():
                try:
                    replace(part, **{name: value})
                except (ValueError, TypeError) as error:
                    require(name in str(error), f"the refusal of {name}={value!r} must name {name}, got {str(error)!r}")
                else:
                    raise AssertionError(f"{type(part).__name__} must refuse {name}={value!r} at construction")


def alike(run: Callable[[torch.Generator], object], what: str) -> object:
    """What ``run`` gives with a seed, once it gave the same under another global seed, and left that one alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        before, first = torch.get_rng_state(), run(seeded(0))
        require(torch.equal(before, torch.get_rng_state()), f"{what} must leave the global random numbers as they are")
        torch.manual_seed(2)
        same(first, run(seeded(0)), f"{what} must be the same with the same generator")
    try:
        run(0)
    except TypeError:
        return first
    raise AssertionError(f"{what} must refuse a generator that is none")


def same(first, second, broken: str) -> None:
    found = next(differences(first, second), None)
    require(found is None, f"{broken}; differs: {found and found.place}")


def left_alone(graphs: tuple[Data, ...], run: Callable[..., object]) -> object:
    """What ``run`` makes of copies of graphs, once these are as they were."""
    handed = [copy.deepcopy(graph) for graph in graphs]
    made = run(*handed)
    for own, now in zip(graphs, handed, strict=True):
        same(own.to_dict(), now.to_dict(), "the data that are handed in must be left as they are")
    return made


def secretly(collect: Callable[[torch.Generator], object]) -> None:
    """With secret randomness all noise is the operating system's (``tape`` sees to it), and what leaves says so."""
    for generator in (secret(), seeded(0)):
        said = collect(generator).randomness
        require(said == kind_of(generator), f"randomness of what leaves must be {kind_of(generator)!r}, as that of the "
                f"generator is, got {said!r}")


def read_again(written, path: Path):
    """What ``load`` makes of a file; that its seed is public is no news here."""
    with warnings.catch_warnings(action="ignore"):
        return type(written).load(path)


def nothing_but_noise(pipeline: Callable, pairs: Iterator[tuple[str, Data, Data]]) -> None:
    """The replay audit on each pair of neighbours, both ways."""
    for words, data, neighbour in pairs:
        for pair in ((data, neighbour), (neighbour, data)):
            leaks = replay(pipeline, *pair)
            require(not leaks, f"what leaves must depend on people through noise only; with another {words} "
                               f"{', '.join(leak.place for leak in leaks)} differs")


def predicts(fitted: Fitted, n: int, num_classes: int) -> None:
    """A row of probabilities for each node of whom the predictions mean something, and NaN for the others."""
    p = fitted.predict_proba()
    require(list(p.shape) == [n, num_classes], f"predict_proba must be [{n}, {num_classes}], got {list(p.shape)}")
    known = torch.ones(n, dtype=torch.bool) if fitted.nodes is None else fitted.nodes
    require(bool(p[~known].isnan().all()), "predict_proba must be NaN where it means nothing")
    p = p[known]
    require(bool((p >= 0).all() and ((p.sum(1) - 1).abs() < 1e-5).all()), "each row of predict_proba must sum to 1")


def learns(method: Local | Distilled, release, n: int, collect_elsewhere: Callable[[], object]) -> Fitted:
    """Learning is the same each time, leaves the release as it is, and predicts, whatever was collected meanwhile."""
    before = copy.deepcopy(release)
    answers = alike(lambda generator: method.learn(release, generator).predict_proba(), "learn")
    same(before, release, "learn must leave the release as it is")
    collect_elsewhere()
    fitted = method.learn(before, seeded(0))  # of a copy, which shares nothing with what was collected
    same(answers, fitted.predict_proba(), "learn must read the release and nothing else")
    predicts(fitted, n, release.num_classes)
    return fitted


# People who report through mechanisms of their own.

def local(method: Local, data: Data | None = None) -> None:
    data = path_graph() if data is None else data
    release = left_alone((data,), lambda data: alike(lambda generator: method.collect(data, generator), "collect"))

    def everything(data, generator):
        release = method.collect(data, generator)
        return [release, release.public, release.guarantees, release.total, release.node]
    secretly(lambda generator: method.collect(data, generator))
    nothing_but_noise(everything, neighbours(data, release))
    adds_up(method, release)
    states_what_it_draws(method, data, release)
    fitted = learns(method, release, data.num_nodes, lambda: method.collect(elsewhere(data), seeded(1)))
    with tempfile.TemporaryDirectory() as folder:
        written, weights = Path(folder) / "release.pt", Path(folder) / "model.pt"
        release.save(written), fitted.save(weights)
        again = read_again(release, written)
        same(release, again, "a release must be read as it was written")
        restored = method.restore(weights, again)
        same(fitted.predict_proba(), restored.predict_proba(), "a model must be read as it was written")


def neighbours(data: Data, release) -> Iterator[tuple[str, Data, Data]]:
    """Data in which one person's record is another, in what is not public."""
    n, everybody = data.num_nodes, {*release.public}
    if "y" not in everybody:
        mixed = [0, 1] * (n // 2) + [0] * (n % 2)
        for words, first, second in (("label of the only member of a class", [1] + [0] * (n - 1), [0] * n),
                                     ("label of the last person", [*mixed[:-1], 0], [*mixed[:-1], 1]),
                                     ("last label", [-1] * (n - 1) + [1], [-1] * n)):
            yield words, *(changed(data, y=torch.tensor(y)) for y in (first, second))
    if "report" not in everybody:
        low, high = (end.to(data.x).expand_as(data.x) for end in bounds(data))
        for rest in (data.x, low):
            ends = (torch.cat([rest[:-1], end[-1:]]) for end in (low, high))
            yield "vector of features", *(changed(data, x=x) for x in ends)
    if "edge_index" not in everybody:
        more = torch.cat([data.edge_index, torch.tensor([[0], [n - 1]])], 1)
        yield "edge", data, changed(data, edge_index=to_undirected(more, n))


def elsewhere(data: Data) -> Data:
    """Other people on the same graph: all with the features of the first, so that no sum or mean is the same."""
    return changed(data, x=data.x[:1].expand_as(data.x).clone(), y=data.y.flip(0))


def changed(data: Data, **fields) -> Data:
    data = copy.copy(data)
    for name, value in fields.items():
        data[name] = value
    return data


def adds_up(method: Local, release) -> None:
    """The release speaks of labels, features and edges; label and features make the total, said beforehand too."""
    parts = [holding(release.guarantees, unit).epsilon for unit in ("label", "feature vector")]
    require(release.total.epsilon == math.fsum(parts), f"total must be the sum of {parts}, got {release.total.epsilon}")
    require(method.total.epsilon == release.total.epsilon, "what a method says that it will cost must be what its "
            f"release says, got {method.total.epsilon} and {release.total.epsilon}")
    require(method.edges == release.structure, "what a method says that edges will cost must be what its release says, "
            f"got {method.edges} and {release.structure}")
    require(release.node.epsilon >= release.total.epsilon, "a node must cost at least what her features and label do, "
            f"got {release.node.epsilon} and {release.total.epsilon}")
    spent = {"y": "label", "report": "feature vector", "edge_index": "undirected edge"}
    for name, unit in spent.items():
        stated = [g.epsilon for g in release.guarantees if g.unit == unit]
        require(bool(stated), f"guarantees must speak of {unit}")
        require(name not in release.public or math.inf in stated,
                f"{name} is public, so nothing finite holds for {unit}")


def states_what_it_draws(method: Local, data: Data, release) -> None:
    """Of each unit and relation, the epsilons of all mechanisms that were used add up to no more than is stated.

    Calls for different people count as if they were for the same; ask all in one call.
    """
    with (tape := Tape()).running(playing=False):
        method.collect(data, seeded(0))
    for stated in release.guarantees:
        drawn = [g.epsilon for mechanism, *_ in tape.entries for g in mechanism.guarantees
                 if (g.unit, g.relation) == (stated.unit, stated.relation)]
        require(math.isinf(stated.epsilon) or bool(drawn),
                f"{stated.unit} ({stated.relation}): epsilon {stated.epsilon} is stated, and no mechanism was used")
        require(math.fsum(drawn) <= stated.epsilon * (1 + 1e-9), f"{stated.unit} ({stated.relation}): mechanisms with "
                f"epsilon {drawn} were used, stated is {stated.epsilon}")


# Teachers and a student.

def distilled(method: Distilled, private: Data | None = None, public: Data | None = None) -> None:
    private, public = path_graph() if private is None else private, path_graph(10) if public is None else public
    release = left_alone((private, public), lambda private, public: alike(
        lambda generator: method.collect(private, public, generator), "collect"))
    secretly(lambda generator: method.collect(private, public, generator))
    nothing_but_noise(lambda private, generator: method.collect(private, public, generator), without_one(private))
    stated = replace(release, unaccounted=(), randomness="secret").guarantee(DELTA)
    same(beforehand := method.total(public.num_classes, DELTA), stated,
         "what a method says that it will cost must be what its release says")
    require(isinstance(beforehand, Guarantee) and beforehand.unit == "node", "total must speak of a node")
    labels_once(method, private, public)
    learns(method, release, public.num_nodes, lambda: method.collect(elsewhere(private), public, seeded(1)))
    with tempfile.TemporaryDirectory() as folder:
        release.save(path := Path(folder) / "release.pt")
        same(release, read_again(release, path), "a release must be read as it was written")
    for same_people, words in ((private, "the same graph"), (private.clone(), "a copy of the private graph")):
        try:
            method.collect(private, same_people, seeded(0))
        except ValueError:
            continue
        raise AssertionError(f"collect must refuse {words} as private and as public")


def labels_once(method: Distilled, private: Data, public: Data) -> None:
    """All noisy labels come from one call of the mechanism that the method names."""
    with (tape := Tape()).running(playing=False):
        method.collect(private, public, seeded(0))
    used, stated = [mechanism for mechanism, *_ in tape.entries], method.mechanism(public.num_classes)
    require(used == [stated], f"labels must come from one call of {stated}, got {used}")


def without_one(private: Data) -> Iterator[tuple[str, Data, Data]]:
    """The private graph, and the same without one person and her edges."""
    n = private.num_nodes
    others = torch.arange(1, n)
    for words, y in (("person", private.y), ("only member of a class", torch.arange(n).eq(0).long()),
                     ("last person with a label", torch.arange(n).eq(0).long() - 1)):
        data = changed(private, y=y)
        yield words, data, induced(data, others)
