"""Sets of graphs with classes, for few-shot tasks: ``load_graphs(name) -> GraphSet``, and what makes new ones."""

from typing import TYPE_CHECKING

from ...late import face

if TYPE_CHECKING:
    from .letter_graphs import LETTERS, letters
    from .loading import fingerprint_of, load_graphs, set_statistics
    from .neighbourhood_graphs import neighbourhoods
    from .shop_network import shop
    from .triangle_graphs import count_triangles, triangles
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["LETTERS", "count_triangles", "fingerprint_of", "letters", "load_graphs", "neighbourhoods",
           "set_statistics", "shop", "triangles"]
