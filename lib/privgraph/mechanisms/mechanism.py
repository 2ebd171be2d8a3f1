"""What every mechanism has, and how all of them are found: ``Mechanism``, ``AuditCase``, ``all_mechanisms``."""

from __future__ import annotations

import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..checks.parameters import Parameters
from ..discover import found_in
from ..effort import REPORTED, Effort, Extent, tables
from ..graph import edge_key, key_edges
from ..late import torch
from ..privacy import FinitePair, Guarantee, Step, approximate_pair, pure_pair

if TYPE_CHECKING:
    from ._transforms import MechanismTransform, StructureTransform


def first_row(report) -> Hashable:
    """What the first person reports: a number, or the tuple of her numbers."""
    row = report[0].tolist()
    return tuple(row) if isinstance(row, list) else row


@dataclass(frozen=True)
class AuditCase:
    """Small data on which a mechanism is tried, and how they become what it takes.

    ``inputs`` are hashable, and few enough for all outcomes to be enumerated: labels 0, 1, 2; vectors as tuples; graphs
    as tuples of neighbour lists (``audit.relations``). ``encode`` makes of one what the mechanism is called with, and
    ``outcome`` makes of a report a key of ``distribution``, input -> {outcome: probability}; None: no such table.
    ``truth`` is what comes out of what ``encode`` made where there is no noise.
    ``neighbours``: (unit, relation) -> a function from an input to its neighbours. Without an entry graphs have those
    of ``audit.relations.CHANGES``, and of other inputs every two are neighbours.
    ``public``: what else the mechanism's ``weights`` take (``law``), as who is sensitive.
    """

    inputs: tuple[Hashable, ...]
    encode: Callable[[Hashable], Any] = lambda value: torch.tensor([value])
    outcome: Callable[[Any], Hashable] = first_row
    distribution: Callable[[Hashable], dict] | None = None
    truth: Callable[[Any], Any] = lambda x: x
    neighbours: Mapping[tuple[str, str], Callable[[Any], Iterable[Hashable]]] = field(default_factory=dict)
    public: tuple = ()


class Mechanism(Parameters, ABC):
    """What takes private data and a generator, and returns a report that may leave. Subclasses are frozen dataclasses.

    A mechanism must have

    - fields that are public (budgets, sizes), checked when it is made; ``epsilon=inf`` means no noise;
    - ``__call__(x, *, generator)``, which draws from that generator only, leaves x alone, and refuses data on which the
      guarantee does not hold. ``@noisy`` marks the method whose output is the noise (``tape``); where the server makes
      something of it afterwards, that method is ``report``;
    - ``guarantee``, or ``guarantees`` where it answers for several units or relations: what HOLDS, not what is claimed;
    - ``examples`` and ``case``: small ones of its kind, and small data. With these ``audit.check_mechanism``, the
      tests and ``privgraph audit`` find the mechanism by themselves and try to refute it.

    It may have a law, for the exact audit and the prover: ``weights``, where it is ``Finite`` (``law``), or a
    ``distribution(input) -> {outcome: probability}`` of another kind; ``pair``, what dominates it, for
    accountants; ``between(x, other)``, what dominates the reports on exactly these two inputs, where that is not once
    the guarantee for each row that differs; ``law``, that of noise added to numbers;
    ``shows(report)``, what of a report is no noise; ``ATTRIBUTE``, what of a graph it reports.
    """

    NAME: ClassVar[str] = ""  # on the command line; by default the name of the class, as in noisy-arg-max
    ATTRIBUTE: ClassVar[str | None] = None  # of a graph: "x", "y"

    @abstractmethod
    def __call__(self, x, *, generator: torch.Generator):
        """The report on ``x``, or what the server makes of it."""

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds, each unit and relation once; ask with ``privacy.find_guarantee``."""
        return (self.guarantee,)

    @property
    def law(self):
        """The continuous distribution (of ``scipy.stats``) of what is added to each number; None: nothing is."""
        return None

    @classmethod
    def examples(cls) -> "tuple[Mechanism, ...]":
        """Small mechanisms of this kind, at least one; a test fails without."""
        return ()

    def audit_case(self) -> AuditCase:
        """Small data for this mechanism."""
        raise NotImplementedError(f"{type(self).__name__} has no audit case: give check_mechanism the inputs")

    def noiseless(self) -> "Mechanism":
        """The same without noise, with a field ``epsilon`` of inf; NotImplementedError where there is no such thing."""
        if not hasattr(self, "epsilon"):
            raise NotImplementedError(f"{type(self).__name__} has no field epsilon; noiseless may say more")
        return replace(self, epsilon=math.inf)

    def between(self, x, other) -> tuple[Step, ...]:
        """What dominates the reports on exactly these two inputs; nothing where they are alike.

        Here for inputs of one person a row: what a report costs, once for each row that differs. A mechanism that adds
        noise to sums says how far the two are apart instead.

        :param x: an input, such as a tensor with one row for each person.
        :param other: a neighbour, in the same form.
        """
        rows = rows_that_differ(x, other)
        return (Step(self.row_pair, rows),) if rows else ()

    @property
    def row_pair(self):
        """What dominates the report on one row: ``pair``, or the dearest of what is stated."""
        return getattr(self, "pair", None) or max((approximate_pair(g.epsilon, g.delta) for g in self.guarantees),
                                                  key=lambda pair: pair.epsilon)

    def report(self, x, *, generator: torch.Generator):
        """What leaves people's hands; all that the server sees.

        :param x: an input, as the mechanism takes it.
        """
        return self(x, generator=generator)

    def transform(self, *, generator: torch.Generator) -> MechanismTransform:
        """The mechanism as a PyG transform of what it reports of a graph.

        :raises TypeError: for a mechanism that reports no attribute of a graph.
        """
        if self.ATTRIBUTE is None:
            raise TypeError(f"{type(self).__name__} reports no attribute of a graph, so it is no transform of one")
        from ._transforms import MechanismTransform  # a class of PyG's
        return MechanismTransform(self, self.ATTRIBUTE, generator)


class GraphMechanism(Mechanism):
    """A mechanism that maps a graph to a graph: it reports edges."""

    def effort(self, extent: Extent) -> tuple[Extent, Effort]:
        """The sizes of the graph that comes out, and what that takes, about.

        :param extent: those of the graph that goes in.
        :raises ValueError: for what is refused by public sizes.
        """
        return extent, Effort(REPORTED * extent.entries, tables(2 * extent.entries))

    def between(self, x, other) -> tuple[Step, ...]:
        """The cheapest way from one graph's edges to the other's in changes of which something is stated.

        :param x: a graph, as its neighbour lists or as a ``Data``.
        :param other: a neighbour, in the same form.
        """
        counts = changes_between(x, other)
        if not any(counts.values()):
            return ()
        costs = [counts[g.unit, g.relation] * g.epsilon for g in self.guarantees if counts.get((g.unit, g.relation))]
        return (Step(pure_pair(min(costs, default=math.inf))),)

    def transform(self, *, generator: torch.Generator) -> StructureTransform:
        """The mechanism as a PyG transform of the graph."""
        from ._transforms import StructureTransform
        return StructureTransform(self, generator)


NOTHING_HOLDS = FinitePair((1.0, 0.0), (0.0, 1.0))


def rows_that_differ(x: torch.Tensor, other: torch.Tensor) -> int:
    """In how many rows two tensors of one form differ.

    :raises ValueError: where they are of two forms: how many people there are is told by no report.
    """
    if x.shape != other.shape:
        raise ValueError(f"other must have the shape of x, {list(x.shape)}, got {list(other.shape)}")
    odd = torch.atleast_1d((x != other) & ~((x != x) & (other != other)))  # NaN is like NaN
    return int(odd.reshape(len(odd), -1).any(1).sum()) if odd.numel() else 0


def changes_between(data, other) -> dict[tuple[str, str], int]:
    """(unit, relation) -> how many such changes lead from one graph's edges to the other's; none that does: absent."""
    n = data.num_nodes
    before, after = (edge_key(edges, n).unique() for edges in (data.edge_index, other.edge_index))
    gone, new = before[~torch.isin(before, after)], after[~torch.isin(after, before)]
    found = {("neighbour slot", "add/remove"): len(gone) + len(new)}
    if all(torch.equal(edge_key(key_edges(part, n).flip(0), n).sort().values, part) for part in (gone, new)):
        # In both lists, so that it is one change of an edge; of a link or an edge that is known as one of a kind, too.
        changed = torch.cat([gone, new])
        pairs = (len(changed) + int((changed % (n + 1) == 0).sum())) // 2
        found |= {(unit, "add/remove"): pairs for unit in units_of(key_edges(changed, n), data)}
    if torch.equal(*(torch.bincount(part // n, minlength=n) for part in (gone, new))):
        found["neighbour slot", "swap in a neighbour list"] = len(gone)
    return found


def units_of(ends: torch.Tensor, data) -> list[str]:
    """The units that all of some edges are, by what a graph says of its people."""
    units = {"undirected edge": True,
             "sensitive link": "sensitive_users" in data and bool(data.sensitive_users[ends].all()),
             "private edge": "num_public" in data and bool((ends >= data.num_public).any(0).all())}
    return [unit for unit, each in units.items() if each]


def name_of(kind: type[Mechanism]) -> str:
    """The name of a mechanism on the command line.

    :param kind: a class of mechanisms.
    :raises TypeError: for anything else.

    >>> from privgraph.mechanisms import NoisyArgMax
    >>> name_of(NoisyArgMax)
    'noisy-arg-max'
    """
    if not inspect.isclass(kind) or not issubclass(kind, Mechanism):
        raise TypeError(f"kind must be a class of mechanisms, got {kind!r}")
    return kind.NAME or re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__).lower()


def all_mechanisms() -> dict[str, type[Mechanism]]:
    """Every mechanism in a module of this folder, by its name on the command line.

    >>> "laplace" in all_mechanisms()
    True
    """
    def wanted(thing) -> bool:
        return inspect.isclass(thing) and issubclass(thing, Mechanism) and not inspect.isabstract(thing)
    return {name_of(kind): kind for _, kind in found_in(__name__.rpartition(".")[0], wanted)}
