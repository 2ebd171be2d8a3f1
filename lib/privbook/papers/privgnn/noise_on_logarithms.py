"""PrivGNN as its authors' public code has it: noise on the logarithms of posteriors. A mutant, to compare with."""

import torch
from torch import Tensor

from privgraph.mechanisms.drawing import drawing
from privgraph.methods import PrivGNN

LEAST = 1e-30  # keeps ln(0) out


class NoiseOnLogarithms(PrivGNN):
    """PrivGNN with noise on ln p instead of p. A teacher may be as sure as she likes, so no finite epsilon holds."""

    def label(self, scores: Tensor, generator: torch.Generator) -> Tensor:
        """Noisy labels int64 [Q] of posteriors [Q, C]."""
        noise = self.scale * drawing(generator).standard(self.noise, scores)
        return (scores.clamp_min(LEAST).log() + noise).argmax(1)

    def budget(self, num_classes: int) -> None:
        """No finite epsilon holds."""
