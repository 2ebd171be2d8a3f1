"""A mechanism as a PyG transform, so that it can stand in a ``T.Compose``."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform


@dataclass(eq=False)
class MechanismTransform(BaseTransform):
    """Replace one attribute of a ``Data`` by its private report; the original is left as it was."""

    mechanism: Callable
    attribute: str
    generator: torch.Generator = field(repr=False)

    def forward(self, data: Data) -> Data:
        data = copy.copy(data)
        data[self.attribute] = self.mechanism(data[self.attribute], generator=self.generator)
        return data


@dataclass(eq=False)
class StructureTransform(BaseTransform):
    """A mechanism that reports edges, as a transform of the whole graph."""

    mechanism: Callable
    generator: torch.Generator = field(repr=False)

    def forward(self, data: Data) -> Data:
        return self.mechanism(data, generator=self.generator)
