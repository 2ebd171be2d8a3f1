"""Backbones, the training loop and evaluation."""

from .backbones import BACKBONES, MLP, REFERENCE, Backbone, GraphInput, around
from .evaluation import Interval, accuracy, interval
from .features import Dense, Factored, sparse_rows, standardise
from .stacked import train_stacked
from .training import History, train

__all__ = ["BACKBONES", "MLP", "REFERENCE", "Backbone", "Dense", "Factored", "GraphInput", "History", "Interval",
           "accuracy", "around", "interval", "sparse_rows", "standardise", "train", "train_stacked"]
