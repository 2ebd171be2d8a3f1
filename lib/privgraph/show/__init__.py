"""What chapters need to show things: the figure style, drawings of small graphs, tables, the banner."""

from .pages import banner, card_table, claim_table, table, witnesses
from .small_graphs import TOY_EDGES, TOY_POSITIONS, draw_graph
from .style import COLOURS, MARKERS, band, use_style

__all__ = ["COLOURS", "MARKERS", "TOY_EDGES", "TOY_POSITIONS", "band", "banner", "card_table", "claim_table", "draw_graph",
           "table", "use_style", "witnesses"]
