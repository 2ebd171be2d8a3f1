"""The panels of the figures."""

from ...contradictions import FINE, Contradiction, keep, listed
from .entries import APPENDIX_A, METRICS, PAPER, PHOTO, heat_maps, panels


def displaced_reference() -> Contradiction:
    """Figure 13, Photo: the 0.0 of the base case stands in another corner."""
    found = panels()
    panel = [found[PHOTO, "GP-m", "GT", metric] for metric in METRICS]
    corners = keep(heat_maps(), alpha="0", delta="0")
    zeros = sum(c.value == 0 for c in corners)
    return Contradiction(
        PAPER, "Figure 13, Photo", "at α = δ = 0, the reference, "
        f"{listed(p['0', '0'] for p in panel)} (accuracy, AUC); {listed(p['1', '0'] for p in panel)} at α = 1, δ = 0",
        f"a difference from α = δ = 0 is 0 there, as in {zeros} of {len(corners)} panels",
        max(abs(p["0", "0"]) for p in panel), FINE, "these two panels: it is not known what was subtracted")


def tick_labels() -> Contradiction:
    """Panels whose values of delta are not those that Appendix A says were run."""
    found = {}
    for entry in heat_maps():
        found.setdefault((entry.table, entry.dataset, entry.metric), set()).add(entry.parameters["delta"])
    other = [deltas for deltas in found.values() if deltas != set(APPENDIX_A)]
    labels = {", ".join(sorted(deltas)) for deltas in other}
    return Contradiction(
        PAPER, "Figures 5 and 9 to 15", f"δ = {' / '.join(labels)} on the axis of {len(other)} panels",
        f"δ = {', '.join(APPENDIX_A)} in Appendix A and on the other {len(found) - len(other)} panels",
        float(len(other)), 0.0, "which threshold such a column was run with, when we repeat it")
