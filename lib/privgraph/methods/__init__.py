"""Methods: ``collect`` is what leaves the people's hands, ``learn`` is what the server does with it."""

from .controls import (CONTROLS, constant_features, permuted_features, random_categories, real_features,
                       rewired_edges)
from .distilled import Answers, Distilled, NodeClassifier, QueryRelease
from .graphprivatizer import GraphPrivatizer
from .lpgnn import LPGNN, LPGNNRelease
from .pate import PATE, data_dependent_epsilon
from .privgnn import PrivGNN
from .release import Fitted, Release
from .rgnn import RGNN, RGNNRelease

__all__ = ["CONTROLS", "LPGNN", "PATE", "RGNN", "Answers", "Distilled", "Fitted", "GraphPrivatizer", "LPGNNRelease",
           "NodeClassifier", "PrivGNN", "QueryRelease", "RGNNRelease", "Release", "constant_features", "data_dependent_epsilon",
           "permuted_features", "random_categories", "real_features", "rewired_edges"]
