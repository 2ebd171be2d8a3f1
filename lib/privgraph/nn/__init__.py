"""Backbones, the training loop and evaluation."""

from .backbones import BACKBONES, REFERENCE, Backbone, GraphInput
from .evaluation import Interval, accuracy, interval
from .features import Dense, Factored, sparse_rows, standardise
from .training import History, train

__all__ = ["BACKBONES", "REFERENCE", "Backbone", "Dense", "Factored", "GraphInput", "History", "Interval", "accuracy",
           "interval", "sparse_rows", "standardise", "train"]
