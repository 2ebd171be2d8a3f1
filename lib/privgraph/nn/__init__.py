"""Backbones, the training loop, skip-gram and evaluation."""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from .backbones import BACKBONES, REFERENCE, Backbone, GraphInput, around
    from .evaluation import Interval, accuracy, interval
    from .features import Dense, Factored, sparse_rows, standardize
    from .graph_encoder import GraphEncoder
    from .mlp import MLP
    from .skipgram import SkipGram, in_window, train_skipgram
    from .stacked import train_stacked
    from .training import History, train
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["BACKBONES", "MLP", "REFERENCE", "Backbone", "Dense", "Factored", "GraphEncoder", "GraphInput", "History",
           "Interval", "SkipGram", "accuracy", "around", "in_window", "interval", "sparse_rows", "standardize",
           "train", "train_skipgram", "train_stacked"]
