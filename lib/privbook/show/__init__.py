"""What chapters need to show things: the figure style, drawings of small graphs, tables, the banner, figures that
answer."""

from typing import TYPE_CHECKING

from privgraph.late import face

if TYPE_CHECKING:
    from .choosing import advice_figure
    from .interactive import budget_figure, odds_figure, replacement_figure
    from .intervals import band, points
    from .maps import heat
    from .noise_on_prototypes import prototype_figure
    from .outside import points_outside
    from .pages import banner, card_table, table
    from .promise_tables import accountant_promises, audit_promises, mechanism_promises, not_promised
    from .register import claim_cards, claim_filter
    from .reported_pairs import edges_figure
    from .reproductions import (
        attempts_list,
        attempts_table,
        by_table,
        comparison_rows,
        coverage,
        coverage_rows,
        filterable,
        known,
        left_rows,
        not_run,
        paper_page,
        reasons,
    )
    from .small_graphs import TOY_EDGES, TOY_POSITIONS, draw_graph
    from .style import COLOURS, MARKERS, use_style
    from .turning import rotation_figure
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["COLOURS", "MARKERS", "TOY_EDGES", "TOY_POSITIONS", "accountant_promises", "advice_figure", "attempts_list",
           "attempts_table", "audit_promises", "band", "banner", "budget_figure", "by_table", "card_table",
           "claim_cards", "claim_filter", "comparison_rows", "coverage", "coverage_rows", "draw_graph", "edges_figure",
           "filterable", "heat", "known", "left_rows", "mechanism_promises", "not_promised", "not_run", "odds_figure",
           "paper_page", "points", "points_outside", "prototype_figure", "reasons", "replacement_figure",
           "rotation_figure", "table", "use_style"]
