"""Figures that answer: a slider, a calculator and a walk through a mechanism, in plain script.

What stands in the page is written here, with the library's numbers, and can be read where scripts are off. The script
beside it puts controls above it and computes such numbers anew: ``tests/figure_cases.json`` is one table for both.
"""

import html
import json
from pathlib import Path

import networkx as nx
import numpy as np
from IPython.display import HTML
from torch_geometric.data import Data

from privgraph.checks import check_count, check_data, check_features, check_people
from privgraph.mechanisms import (
    GRRFS,
    Mechanism,
    MultiBit,
    NeighbourReplacement,
    NoisyArgMax,
    RandomisedResponse,
    name_of,
)
from privgraph.mechanisms.neighbours import edge_similarity
from privgraph.privacy import Step, basic_composition, pure_pair, rdp_epsilon

from ..papers.privgnn.as_printed import printed_epsilon

SCRIPTS = Path(__file__).parent
MOST_PEOPLE = 60  # that a drawing has room for
ANYBODY = -2.0  # a threshold below every cosine
# What the calculator shows first of each mechanism, and what its paper's statement is worth.
MECHANISMS = {
    NoisyArgMax(10.0, 10, "laplace"): "PrivGNN's loss of one label is refuted from three classes on (Laplace noise).",
    RandomisedResponse(1.0, 4): "What is printed holds.",
    MultiBit(1.0, 30): "What LPGNN prints holds.",
    GRRFS(1.0, (2, 2, 2, 2), 2): "RGNN's Theorem 1 is refuted."}
USES, RATE, DELTA = 1000, 0.3, 1e-4
ORANGE, BLUE, PALE, WHITE = "#F2B58F", "#8FC1E3", "#D6EAF6", "#FFFFFF"


def figure(name: str, still: str, **fields) -> HTML:
    """A box with what can be read without scripts, and the script that answers; ``fields`` is what it needs to know."""
    code = "".join((SCRIPTS / f"{script}.js").read_text(encoding="utf-8") for script in ("figures", name))
    box = f"figure-{name}"
    known = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")
    return HTML(f'<div class="interactive" id="{box}"><div class="controls"></div>\n{still}\n</div>'
                f'<script>{code}privgraphFigures.{name}.start(document.getElementById("{box}"), {known});</script>')


def odds_figure() -> HTML:
    """Two sliders, epsilon and delta: the odds, the best guess, and the region of possible (FPR, TPR)."""
    right = pure_pair(1.0).p[0]
    corners = " ".join(f"{40 + 200 * fpr:g},{10 + 200 * (1 - tpr):g}"
                       for fpr, tpr in ((0, 0), (1 - right, right), (1, 1), (right, 1 - right)))
    ticks = "".join(f'<text x="{40 + 200 * v:g}" y="225" text-anchor="middle">{v:g}</text>'
                    f'<text x="34" y="{214 - 200 * v:g}" text-anchor="end">{v:g}</text>' for v in (0, 0.5, 1))
    drawing = (
        '<svg viewBox="0 0 260 250" width="300" font-size="11" fill="currentColor" role="img" aria-label="Region of '
        f'possible rates of accusation around the diagonal. Its outermost corner is at FPR {1 - right:.3f}, TPR '
        f'{right:.3f}."><rect x="40" y="10" width="200" height="200" fill="none" stroke="currentColor"></rect>'
        f'<polygon points="{corners}" fill="{BLUE}" fill-opacity="0.55" stroke="currentColor"></polygon>'
        '<line x1="40" y1="210" x2="240" y2="10" stroke="currentColor" stroke-dasharray="4 3"></line>'
        f'<circle cx="{240 - 200 * right:g}" cy="{210 - 200 * right:g}" r="4"></circle>{ticks}'
        '<text x="140" y="243" text-anchor="middle">wrongly accused (FPR)</text>'
        '<text transform="translate(12 110) rotate(-90)" text-anchor="middle">rightly accused (TPR)</text></svg>')
    said = (f"ε = 1, δ = 0: odds change by at most × {right / (1 - right):.4g}. The best guess is right with "
            f"probability at most {right:.4f} (the dot).")
    return figure("odds", f'<p class="said" aria-live="polite">{said}</p>{drawing}')


def spent(mechanism: Mechanism, count: int, rate: float, delta: float) -> dict[str, float]:
    """What ``count`` uses cost: as printed, by the exact loss of a use, and by Renyi divergences.

    :param rate: of Poisson sampling, a fresh sample for each use; below 1 under add/remove only.
    """
    guarantee = mechanism.guarantee
    step = Step(mechanism.pair.poisson(rate), count)
    found = {"exact": guarantee.epsilon, "sampled": step.pair.epsilon, "basic": basic_composition([step]),
             "rdp": rdp_epsilon([step], delta)}
    if isinstance(mechanism, MultiBit):
        found["bits"] = mechanism.sampled
    if isinstance(mechanism, NoisyArgMax):
        printed = {"printed": guarantee.claimed, "printed_all": printed_epsilon(mechanism.scale, rate, count, delta)}
        return found | (printed if mechanism.noise == "laplace" else {})
    claimed = guarantee.epsilon if guarantee.claimed is None else guarantee.claimed
    return found | {"printed": claimed, "printed_all": count * claimed}


def settings(mechanism: Mechanism) -> dict:
    """What the calculator's fields say for a mechanism."""
    if isinstance(mechanism, NoisyArgMax):
        return {"lead": mechanism.lead, "num_classes": mechanism.num_classes, "noise": mechanism.noise}
    if isinstance(mechanism, GRRFS):
        return {"epsilon": mechanism.epsilon, "num_features": len(mechanism.domain_sizes), "sampled": mechanism.sampled}
    size = "num_features" if isinstance(mechanism, MultiBit) else "num_classes"
    return {"epsilon": mechanism.epsilon, size: getattr(mechanism, size)}


def sampling(mechanism: Mechanism) -> bool:
    """Whether Poisson sampling makes it cheaper: it speaks of people who are added or removed."""
    return mechanism.guarantee.relation == "add/remove"


def budget_figure() -> HTML:
    """A calculator of budgets for four mechanisms; without scripts a table of one setting of each."""
    fields, rows = {}, []
    for mechanism, about in MECHANISMS.items():
        guarantee, name, rate = mechanism.guarantee, name_of(type(mechanism)), RATE if sampling(mechanism) else 1.0
        fields[name] = {"title": name.replace("-", " "), "settings": settings(mechanism),
                        "sampling": sampling(mechanism),
                      "uses": {"count": USES, "rate": rate, "delta": DELTA},
                      "about": f"{about} Unit: {guarantee.unit} ({guarantee.relation})."}
        found = spent(mechanism, USES, rate, DELTA)
        shown = (found[key] for key in ("printed", "exact", "printed_all", "basic", "rdp"))
        rows.append([name.replace("-", " "), *(f"{epsilon:.4g}" for epsilon in shown)])
    head = ("mechanism", "printed, one use", "exact, one use", "printed, all", "exact, added up", "Rényi (RDP)")
    still = (f'<p class="said" aria-live="polite">{USES} uses at δ = {DELTA:g}, the noisy arg max at sampling rate '
             f'{RATE:g}.</p><div class="scroll">{table_of(head, rows)}</div>'
             '<p class="command">Privacy loss distributions, the tight account, need Python: <code>privgraph budget '
             '--help</code></p>')
    return figure("budget", still, **fields)


def table_of(head, rows) -> str:
    """HTML of a table whose first column says what a row is about."""
    def line(cells, kind):
        return "<tr>" + "".join(f"<{kind}>{html.escape(str(cell))}</{kind}>" for cell in cells) + "</tr>"
    body = "".join(line(row, "td") for row in rows)
    return f'<table class="results"><thead>{line(head, "th")}</thead><tbody>{body}</tbody></table>'


def replacement_figure(data: Data, mix: float = 0.5, person: int = 4) -> HTML:
    """Step by step through one person's report by ``NeighbourReplacement``; without scripts their chances in a table.

    :param data: a small graph with features ``x`` that people may see of each other.
    :param mix: share of the neighbours' mean in the compared features.
    :param person: whose list is shown first.
    """
    check_people(check_data(data, "x", "edge_index")), check_features(data.x)
    check_count(data.num_nodes, "number of nodes of data", low=2, high=MOST_PEOPLE)
    check_count(person, "person", high=data.num_nodes - 1)
    mechanism = NeighbourReplacement(1.0, mix=mix)
    slots, rows = mechanism.slots(data), []
    for slot in (data.edge_index[1] == person).nonzero().squeeze(1).tolist():
        (u, stays), *others = mechanism.slot_distribution(slots, slot).items()
        rows.append([u, f"{100 * stays:.3g} %", ", ".join(str(w) for w, _ in others) or "nobody",
                     f"{100 * others[0][1]:.3g} %" if others else ""])
    still = (f'<p class="said" aria-live="polite">Person {person}, GP-t at ε = 1 and τ = 0: what may be reported for '
             f'each of their neighbours.</p><div class="two">{graph_drawing(data, person)}<div class="scroll">'
             f'{table_of(("neighbour", "stays", "or becomes one of", "each"), sorted(rows))}</div></div>')
    return figure("replacement", still, near=nearest_first(data, mechanism), person=person)


def nearest_first(data: Data, mechanism: NeighbourReplacement) -> list[list[tuple[int, float]]]:
    """For each person the neighbours and their cosines, the most similar first, as the mechanism sorts them."""
    mixed = mechanism.mixed(data)
    cosine = {(u, v): float(f"{score:.9g}") for u, v, score in zip(
        *data.edge_index.tolist(), edge_similarity(mixed, data.edge_index, "cosine").tolist(), strict=True)}
    slots = NeighbourReplacement(1.0, threshold=ANYBODY).slots_by(mixed, data.edge_index)
    accepted = [names.tolist() for names in slots.accepted.split(slots.size.tolist())]
    return [[(w, cosine[w, u]) for w in names] for u, names in enumerate(accepted)]


def graph_drawing(data: Data, person: int) -> str:
    """The graph as SVG, one person orange and the neighbours blue; whole numbers, so that it is the same everywhere."""
    graph = nx.Graph(data.edge_index.t().tolist())
    graph.add_nodes_from(range(data.num_nodes))
    places = np.array([place for _, place in sorted(nx.kamada_kawai_layout(graph).items())])
    low, width = places.min(0), np.ptp(places, 0).clip(1e-9)  # drawn as large as there is room
    at = dict(enumerate(np.rint([14, 14] + [332, 272] * (places - low) / width).astype(int).tolist()))
    lines = "".join(f'<line x1="{at[u][0]}" y1="{at[u][1]}" x2="{at[v][0]}" y2="{at[v][1]}"></line>'
                    for u, v in sorted(map(sorted, graph.edges)))
    colour = {v: BLUE for v in graph[person]} | {person: ORANGE}
    discs = "".join(
        f'<g data-node="{v}"><circle cx="{x}" cy="{y}" r="9" fill="{colour.get(v, WHITE)}" stroke="#333333" '
        f'stroke-width="0.8"></circle><text x="{x}" y="{y + 3.5}">{v}</text></g>' for v, (x, y) in sorted(at.items()))
    return ('<svg viewBox="0 0 360 300" width="420" role="img" aria-label="The graph: the person is orange, their '
            'neighbours are blue, candidates for the next draw light blue with a thick rim.">'
            f'<g stroke="#888888">{lines}</g><g font-size="10" text-anchor="middle" fill="#000000">{discs}</g></svg>')
