"""Backbones, the training loop, skip-gram and evaluation."""

from .backbones import BACKBONES, MLP, REFERENCE, Backbone, GraphInput, around
from .evaluation import Interval, accuracy, interval
from .features import Dense, Factored, sparse_rows, standardize
from .graph_encoder import GraphEncoder
from .skipgram import SkipGram, in_window, train_skipgram
from .stacked import train_stacked
from .training import History, train

__all__ = ["BACKBONES", "MLP", "REFERENCE", "Backbone", "Dense", "Factored", "GraphEncoder", "GraphInput", "History",
           "Interval", "SkipGram", "accuracy", "around", "in_window", "interval", "sparse_rows", "standardize",
           "train", "train_skipgram", "train_stacked"]
