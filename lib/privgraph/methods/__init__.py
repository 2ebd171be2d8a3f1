"""Methods: ``collect`` is what leaves the people's hands, ``learn`` is what the server does with it."""

from .controls import (CONTROLS, constant_features, permuted_features, random_categories, real_features,
                       rewired_edges)
from .graphprivatizer import GraphPrivatizer
from .lpgnn import LPGNN, LPGNNRelease
from .release import Fitted, Release
from .rgnn import RGNN, RGNNRelease

__all__ = ["CONTROLS", "LPGNN", "RGNN", "Fitted", "GraphPrivatizer", "LPGNNRelease", "RGNNRelease", "Release",
           "constant_features", "permuted_features", "random_categories", "real_features", "rewired_edges"]
