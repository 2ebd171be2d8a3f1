"""RGNN."""

import math

import numpy as np

from ..contradictions import FINE, Contradiction, keep, pick, rows


def rgnn_ablation() -> Contradiction:
    """The ablation's first numbers are of a setting that Table II has, too."""
    setting = dict(method="RGNN", eps_x="1", eps_y="0.5", m="10")
    pairs = [(pick(rows("rgnn", "Section V-B3"), dataset=name, **setting),
              pick(rows("rgnn", "Table II"), dataset=name, **setting)) for name in ("Citeseer", "DBLP")]
    return Contradiction(
        "rgnn", "Section V-B3, ablation", f"RGNN {pairs[0][0]} on Citeseer and {pairs[1][0]} on DBLP",
        f"{pairs[0][1]} and {pairs[1][1]} in Table II with the same ε_x, ε_y, m and layers; five other runs could "
        "differ as much", min(abs(a.value - b.value) for a, b in pairs), 2 * FINE,
        "what each part of RGNN adds: the ablation's numbers belong together, and not beside Table II")


def less_budget_more_accuracy() -> Contradiction:
    """Noise grows as epsilon falls; in Table II only LPGNN's accuracy grows with it."""
    gain = {}
    for method in ("LPGNN", "RGNN", "GraphSAGE"):
        entries = keep(rows("rgnn", "Table II"), method=method)
        for entry in keep(entries, eps_x="1"):
            place = dict(dataset=entry.dataset, eps_y=entry.parameters["eps_y"])
            gain[method, *place.values()] = pick(entries, eps_x="0.1", **place).value - entry.value
    mean = {method: float(np.mean([value for key, value in gain.items() if key[0] == method]))
            for method in ("LPGNN", "RGNN", "GraphSAGE")}
    mine = {key: value for key, value in gain.items() if key[0] == "LPGNN"}
    most, up = max(mine, key=mine.get), sum(value > 2 * FINE for value in mine.values())
    return Contradiction(
        "rgnn", "Table II, LPGNN", f"better at ε_x = 0.1 than at 1 in {up} of {len(mine)} settings, by "
        f"{mean['LPGNN']:.1f} points on average, {mine[most]:.1f} on {most[1]} (ε_y = {most[2]})",
        f"with more noise RGNN changes by {mean['RGNN']:.1f} and GraphSAGE by {mean['GraphSAGE']:.1f} on average",
        mean["LPGNN"], 2 * FINE,
        "`rgnn-beats-lpgnn-same-privacy`: LPGNN at ε_x = 1 may not have been tuned as well")


def german_degree() -> Contradiction:
    """The degrees of Table I are 2E/V, except for German."""
    entries = rows("rgnn", "Table I")
    row = {name: [pick(entries, dataset=name, metric=m) for m in ("nodes", "edges", "average_degree")]
           for name in sorted({c.dataset for c in entries})}
    own = {name: 2 * edges.value / nodes.value for name, (nodes, edges, _) in row.items()}
    fits = sum(abs(own[name] - degree.value) <= degree.rounding for name, (*_, degree) in row.items())
    nodes, edges, degree = row["German"]
    span = [(degree.value + sign * degree.rounding) * nodes.value / 2 for sign in (-1, 1)]
    return Contradiction(
        "rgnn", "Table I, German", f"{edges.value:,.0f} edges, mean degree {degree.mean}",
        f"2E/V is {own['German']:.2f}; it fits the other {fits} of {len(row) - 1} graphs. The degree asks for "
        f"{math.ceil(span[0]):,} to {math.floor(span[1]):,} edges", abs(degree.value - own["German"]), degree.rounding,
        "German beside ours, if it is run: which number of edges")
