"""A mechanism as a PyG transform, so that it can stand in a ``T.Compose``."""

import copy

import torch
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform


class MechanismTransform(BaseTransform):
    """Replace one attribute of a ``Data`` by its private report; the original is left as it was."""

    def __init__(self, mechanism, attribute: str, generator: torch.Generator):
        self.mechanism, self.attribute, self.generator = mechanism, attribute, generator

    def forward(self, data: Data) -> Data:
        data = copy.copy(data)
        data[self.attribute] = self.mechanism(data[self.attribute], generator=self.generator)
        return data


class StructureTransform(BaseTransform):
    """A mechanism that reports edges, as a transform of the whole graph."""

    def __init__(self, mechanism, generator: torch.Generator):
        self.mechanism, self.generator = mechanism, generator

    def forward(self, data: Data) -> Data:
        return self.mechanism(data, generator=self.generator)
