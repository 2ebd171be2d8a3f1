"""Graphs: ``load(name) -> Data``, a card for each, conversion of anyone's graph, splits; sets: ``load_graphs``."""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from .block_model import blocks
    from .cards import CARDS, PRINTED, Card, card
    from .categories import Categories, GroupFeatures, Quantiles, categories_of
    from .check import check_file, read_npz
    from .convert import from_edge_list, from_networkx, from_npz, from_pyg, make_data, save_npz
    from .episodes import GraphSet, Sampler, Task
    from .exchange import from_adjacency, from_dgl, from_file, to_networkx, to_pyg
    from .fingerprints import fingerprint
    from .graph_sets import (
        LETTERS,
        count_triangles,
        fingerprint_of,
        letters,
        load_graphs,
        neighbourhoods,
        set_statistics,
        shop,
        triangles,
    )
    from .set_cards import PRINTED_SETS, SETS, SetCard, set_card
    from .sources import DatasetUnavailable, at_hand, cache_folder, default, download, load
    from .splits import induced, keep_split, private_public, split, split_links
    from .synthetic import synthetic_cora
    from .weights import keep_weights
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["CARDS", "Card", "Categories", "DatasetUnavailable", "GraphSet", "GroupFeatures", "LETTERS", "PRINTED",
           "PRINTED_SETS", "Quantiles", "SETS", "Sampler", "SetCard", "Task", "at_hand", "blocks", "cache_folder",
           "card", "categories_of", "check_file", "count_triangles", "default", "download", "fingerprint",
           "fingerprint_of", "from_adjacency", "from_dgl", "from_edge_list", "from_file", "from_networkx", "from_npz",
           "from_pyg", "induced", "keep_split", "keep_weights", "letters", "load", "load_graphs", "make_data",
           "neighbourhoods", "private_public", "read_npz", "save_npz", "set_card", "set_statistics", "shop", "split",
           "split_links", "synthetic_cora", "to_networkx", "to_pyg", "triangles"]
