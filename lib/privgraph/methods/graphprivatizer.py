"""GraphPrivatizer: LPGNN on edges that people report themselves (Joshi, Indri and Mishra 2024).

People send noisy features and labels as in LPGNN. Then each privatises her list of neighbours with the help
of her neighbours' noisy features, and sends that too. The server learns on the graph it was told.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import torch

from ..checks.parameters import Instance
from ..effort import Effort, Extent
from ..late import pyg
from ..mechanisms import GraphMechanism, Mechanism, NeighbourReplacement, SymmetricResponse
from ..mechanisms.text import mechanism
from ..privacy import Guarantee
from .controls import CONTROLS
from .lpgnn import LPGNN, LPGNNRelease

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True)
class GraphPrivatizer(LPGNN):
    """LPGNN (whose hyperparameters it shares) with a private ``structure``.

    The budgets of features, labels and edges are those of different units, so they are kept apart:
    ``release.guarantees`` lists what holds for each. (The paper's Theorem 4.4 adds them.)

    :param structure: the mechanism that reports the edges. The default is the paper's; any other one of
        ``privgraph.mechanisms`` that maps a graph to a graph makes a method of the same shape.
    """

    _: KW_ONLY
    structure: Annotated[Mechanism, Instance(Mechanism, read=mechanism)] = NeighbourReplacement(0.1)

    WEIGHTS: ClassVar[bool] = False  # those of true edges would tell which of the reported ones are

    @classmethod
    def examples(cls) -> tuple["GraphPrivatizer", ...]:
        return tuple(cls(x_steps=2, y_steps=1, epochs=3, structure=structure)
                     for structure in (SymmetricResponse(1.0), NeighbourReplacement(1.0)))

    def agree(self):
        super().agree()
        check_structure(self.structure)

    @property
    def edges(self) -> tuple[Guarantee, ...]:
        return self.structure.guarantees

    def effort(self, extent: Extent, **how) -> Effort:
        """Of LPGNN on the graph that people report, and of their reports."""
        if not isinstance(self.structure, GraphMechanism):  # somebody's own
            return super().effort(extent, **how)
        told, reports = self.structure.effort(extent)
        return super().effort(told, **how) + reports * len(CONTROLS)

    def collect(self, data: Data, generator: torch.Generator) -> LPGNNRelease:
        """The people's half: noisy labels and features first, then lists of neighbours privatised with them."""
        release = super().collect(data, generator)
        seen = pyg.data.Data(x=release.estimate(), edge_index=release.edge_index, num_nodes=data.num_nodes)
        told = self.structure(seen, generator=generator)
        return replace(release, edge_index=told.edge_index, edge_weight=told.edge_weight,
                       structure=self.edges)


def check_structure(structure: Mechanism) -> Mechanism:
    """A mechanism that answers for an edge: who reports edges through anything else has no guarantee to state."""
    if not isinstance(structure, Mechanism) or all((g.unit, g.trust) != ("undirected edge", "local")
                                                   for g in structure.guarantees):
        raise TypeError("structure must be a mechanism that reports edges, each person her own, and states what holds, "
                        f"such as symmetric-response:epsilon=1, got {structure!r}")
    return structure
