"""Graphs: ``load(name) -> Data``, a card for each, conversion of anyone's graph, splits."""

from .cards import CARDS, PRINTED, Card, card
from .categories import Categories, GroupFeatures, Quantiles, categories_of
from .check import check_file, read_npz
from .convert import fingerprint, from_edge_list, from_networkx, from_npz, from_pyg, make_data, save_npz
from .episodes import GraphSet, Sampler, Task
from .sources import DatasetUnavailable, at_hand, cache_folder, default, download, load
from .splits import induced, private_public, split, split_links
from .twin import cora_twin

__all__ = ["CARDS", "Card", "Categories", "DatasetUnavailable", "GraphSet", "GroupFeatures", "PRINTED", "Quantiles",
           "Sampler", "Task", "at_hand", "cache_folder", "card", "categories_of", "check_file", "cora_twin", "default",
           "download", "fingerprint", "from_edge_list", "from_networkx", "from_npz", "from_pyg", "induced", "load",
           "make_data", "private_public", "read_npz", "save_npz", "split", "split_links"]
