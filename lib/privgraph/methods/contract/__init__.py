"""What every method promises, as checks that anybody can run on one of their own: ``check_method(MyMethod())``.

Its modules::

    toys         the people of the examples
    changes      whose record may be another, and how
    all_kinds    what all kinds keep
    covering     what a change moves in each noisy call, and whether what is stated covers it
    two_halves   Local and Distilled: what leaves, and what is learned from it
    curators     Curated: what leaves the curator, and what is made of it
    other_kinds  Embedding, Federation, FewShot
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...audit.verdict import NOTHING_TO_REFUTE, PROMISES_NOTHING, TRIED
from ...checks import check_is
from ..curated import Curated
from ..distilled import Distilled
from ..embedding import Embedding
from ..federation import Federation
from ..few_shot.kind import FewShot
from ..local import Local
from ..method import Method
from .all_kinds import refuses
from .covering import Found
from .curators import curated
from .other_kinds import embedding, episodes, federation
from .two_halves import distilled, local

if TYPE_CHECKING:
    from torch_geometric.data import Data

CHECKS = {Local: local, Distilled: distilled, Curated: curated, Embedding: embedding, Federation: federation,
          FewShot: episodes}


@dataclass(frozen=True)
class MethodReport:
    """What was tried of ``method``, and the verdict; a refutation is raised instead."""

    method: Method
    found: Found

    @property
    def verdict(self) -> str:
        """One of ``audit.verdict``."""
        if not self.found.dearest and not self.found.untried:
            return PROMISES_NOTHING
        tried = (self.found.moving or self.found.same) and not self.found.untried and not self.found.unvouched
        return TRIED if tried else NOTHING_TO_REFUTE

    def __str__(self) -> str:
        lines = [f"  {unit}: {dearest}" for unit, dearest in self.found.dearest.items()]
        lines += [f"  {stated.unit} ({stated.relation}): not tried, as the small world has no such change; hand "
                  "check_method data that have" for stated in self.found.untried]
        lines += [f"  {mechanism}: not tried by itself, as it has no audit_case(); what it costs is its own word"
                  for mechanism in self.found.unvouched]
        if self.found.same:
            lines.append(f"  {self.found.same} changes of what costs nothing, with which nothing was otherwise")
        if self.found.changes:
            lines.append(f"  {self.found.changes} changes of one record, of which {self.found.moving} moved what goes "
                         "into a noisy call")
        return "\n".join([repr(self.method), *lines, self.verdict])


def check_method(method: Method, *graphs: Data) -> MethodReport:
    """Raise an ``AssertionError`` that says what a method does not keep of what its kind promises.

    All kinds: hyperparameters that make no sense are refused at construction; the data that were handed in stay as
    they are; with the same generator the same comes out, whatever the global seed, which stays as it was; with another
    the noise is another, and no coin is used twice; no generator, no release.
    What it states a finite epsilon for: each person of a small world in turn has another record. What leaves depends on
    it through noise only (the replay audit), and what the change *moves* in the inputs of all noisy calls costs, by the
    library's accountants, no more than is stated (``audit.spending``). Fields of which nothing is stated have no
    effect, or are refused.
    ``Local`` and ``Distilled``: guarantees speak of the units that they must, add up to the total, and are what was
    said beforehand; another's report does not know of her; with secret randomness no noise comes from an ordinary
    generator, and what leaves says which of the two it was; who has ``WEIGHTS`` lets out those of edges that are to
    be used, or refuses them;
    ``learn`` reads the release and nothing else; predictions are probabilities; files give back what was written.
    The other kinds: see ``contract.curators`` and ``contract.other_kinds``.

    That nothing is found is no proof: the world is small, and of each record a few others are tried. The report's
    ``verdict`` says whether anything was tried that could have refuted what is stated.

    :param graphs: what the method collects from: one graph with masks, or a private and a public one. By default ten
        people with three 0/1 features.
    :raises AssertionError: which names what is not kept.

    >>> from privgraph.methods import LPGNN
    >>> check_method(LPGNN(x_steps=2, y_steps=1, epochs=2)).verdict
    'tried and not refuted'
    """
    refuses(check_is(method, "method", Method))
    kind = next((kind for kind in CHECKS if isinstance(method, kind)), None)
    if kind is None:
        raise AssertionError(f"method must be one of {', '.join(k.__name__ for k in CHECKS)}, "
                             f"got {type(method).__name__}")
    CHECKS[kind](method, found := Found(), *graphs)
    return MethodReport(method, found)
