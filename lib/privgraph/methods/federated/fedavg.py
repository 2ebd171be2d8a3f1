"""Federated averaging of weights (McMahan et al. 2017), the reference beside the dissertation's federated GAT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from ...checks.parameters import Count
from ...randomness import LARGEST, seeded
from ..federation import Round, Server
from .gat import GATClient, GATFederation
from .row_messages import combined

if TYPE_CHECKING:
    from torch_geometric.data import Data


class FedAvgClient(GATClient):
    """Tells all its weights, and takes those of the answer for its own before it trains on."""

    def rows(self) -> Tensor:
        """All weights in a row, [1, W]."""
        return torch.nn.utils.parameters_to_vector(self.network.parameters()).detach()[None]

    def take(self, answer: Tensor) -> None:
        torch.nn.utils.vector_to_parameters(answer[0], self.network.parameters())
        self.train()


class WeightAveraging(Server):
    """Answers all with the mean of what they sent. Who sends a number of weights that nobody else sends is left out."""

    def combine(self, messages: Mapping[int, bytes]) -> Round:
        return combined(messages, lambda weights: weights.mean(0).expand_as(weights))


@dataclass(frozen=True)
class FedAvgGAT(GATFederation):
    """The same clients, but all weights leave and are averaged in each round; all clients count the same.

    All begin with the same weights: the mean of weights that began apart is a network that nobody trained. It promises
    nothing: weights are functions of features, edges and labels.

    :param start: seeds the weights with which all begin, a number that everybody knows.
    """

    start: Annotated[int, Count(high=LARGEST)] = 0

    @classmethod
    def examples(cls) -> "tuple[FedAvgGAT, ...]":
        return (cls(rounds=2, heads=2, hidden=4, epochs=1),)

    def starting(self, generator: torch.Generator) -> torch.Generator:
        return seeded(self.start)

    def server(self, generator: torch.Generator) -> WeightAveraging:
        return WeightAveraging()

    def made(self, part: Data, generator: torch.Generator, state: dict | None) -> FedAvgClient:
        """A client of this method on its part.

        :param state: what an interrupted client kept; None: it begins.
        """
        return FedAvgClient(self, part, generator, state)

    def layout(self, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]] | None:
        """All weights: of each of two layers a matrix, two vectors of attention, and what is added."""
        if not {"num_features", "num_classes"} <= sizes.keys():
            return None
        first, second = (sizes["num_features"] + 3) * self.hidden, (self.hidden + 3) * sizes["num_classes"]
        return {"rows": (1, first + second)}
