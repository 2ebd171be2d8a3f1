"""PrivGNN: budgets, percentages and counts."""

import math

import numpy as np

from ..contradictions import Contradiction, keep, listed, pick, rows
from ..published import Printed

LAMBDAS = ("0.1", "0.2", "0.4", "0.8", "1")
STATED = {"Amazon": 1e-4, "Amazon2M": 1e-5, "Reddit": 1e-4, "Facebook": 1e-4}  # delta, section 4.1


def epsilons(dataset: str, method: str, queries: str, table: str = "Table 2") -> list[Printed]:
    """A row of Table 2, one entry a lambda."""
    found = keep(rows("privgnn", table), dataset=dataset, method=method, queries=queries, metric="epsilon")
    return [pick(found, lam=lam) for lam in LAMBDAS]


def quoted(**wanted: str) -> Printed:
    return pick(rows("privgnn", "running text"), **wanted)


def facebook_epsilon() -> Contradiction:
    """Epsilon depends on lambda, gamma, delta and the queries; Amazon, Reddit and Facebook have them in common."""
    amazon, reddit, facebook = (epsilons(name, "PrivGnn", "500") for name in ("Amazon", "Reddit", "Facebook"))
    same = sum(a.value == b.value == c.value for a, b, c in zip(amazon, reddit, facebook, strict=True))
    return Contradiction(
        "privgnn", "Table 2, Facebook, 500 queries", f"ε = {facebook[1].mean} at λ = {LAMBDAS[1]}",
        f"{amazon[1].mean} for Amazon and {reddit[1].mean} for Reddit, with the same λ, γ, δ and queries; the other "
        f"{same} budgets of the row are equal", abs(facebook[1].value - amazon[1].value), 2 * facebook[1].rounding,
        "`privgnn-budget-facebook`")


def amazon2m_epsilon() -> Contradiction:
    """One budget in three tables."""
    entries = {table: pick(rows("privgnn", table), dataset="Amazon2M", method="PrivGnn", metric="epsilon", lam="1",
                           gamma="0.1", queries="1000") for table in ("Table 2", "Table 3", "Table 9")}
    two, three, nine = entries.values()
    return Contradiction(
        "privgnn", "Table 3, Amazon2M, γ = 0.1", f"ε = {three.mean} at λ = 1",
        f"{two.mean} in Table 2 and {nine.mean} in Table 9", abs(three.value - two.value), 2 * three.rounding,
        "`privgnn-budget-amazon2m`")


def b4_budgets() -> Contradiction:
    """B4 adds noise of scale 1/lambda to 1,000 labels; appendix B.2 composes N such queries to N lambda."""
    found = keep(rows("privgnn", "Table 9"), dataset="Amazon", method="B4", metric="epsilon")
    entries = [pick(found, lam=lam) for lam in LAMBDAS]
    own = [float(c.parameters["queries"]) * float(c.parameters["lambda"]) for c in entries]
    same = sum(c.value == value for c, value in zip(entries, own, strict=True))
    return Contradiction(
        "privgnn", "Table 9, B4", f"ε = {', '.join(c.mean for c in entries)} at λ = {', '.join(LAMBDAS)}",
        f"{listed(own)} are the number of queries times λ, the sum of appendix B.2; {same} agree",
        max(abs(c.value - value) for c, value in zip(entries, own, strict=True)), 0.5, "`privgnn-b4-useless`")


def b4_does_not_change() -> Contradiction:
    """The caption of Table 9 says that B4 does not change with lambda."""
    found = keep(rows("privgnn", "Table 9"), method="B4", metric="accuracy")
    values = {name: [c.value for c in keep(found, dataset=name)] for name in sorted({c.dataset for c in found})}
    widest = max(values, key=lambda name: np.ptp(values[name]))
    return Contradiction(
        "privgnn", "Table 9, caption", "B4 does not change with λ",
        f"its accuracy does, on all {sum(np.ptp(v) > 0 for v in values.values())} graphs: "
        f"{listed(values[widest])} on {widest}", float(np.ptp(values[widest])), 2 * found[0].rounding,
        "`privgnn-b4-independent-of-lambda`")


def b1_on_reddit() -> Contradiction:
    """The non-private baseline in a caption and in two tables."""
    caption = quoted(dataset="Reddit", method="B1", section="Table 3 caption")
    five = pick(rows("privgnn", "Table 5"), dataset="Reddit", method="B1", lam="0.1")
    eight = pick(rows("privgnn", "Table 8"), dataset="Reddit", method="B1")
    at = pick(rows("privgnn", "Table 3"), dataset="Reddit", gamma="0.3", lam="0.4", metric="accuracy")
    return Contradiction(
        "privgnn", "Table 3, caption, Reddit", f"baseline B1 {caption.mean}",
        f"{five.mean} in Table 5 and {eight.mean} in Table 8; PrivGNN's {at.mean} at λ = 0.4, which the caption "
        "calls comparable or better, lies between", abs(caption.value - five.value), 2 * five.rounding,
        "from which ε on PrivGNN is as good as no privacy, on Reddit")


def over_20_times() -> Contradiction:
    """The budgets of PATE divided by those of PrivGNN, in Table 2."""
    entry, ratio = quoted(metric="epsilon_reduction_factor"), {}
    for dataset in STATED:
        for queries in ("500", "1000"):
            mine = epsilons(dataset, "PrivGnn", queries)
            for method in ("PateM", "PateG"):
                for a, b in zip(epsilons(dataset, method, queries), mine, strict=True):
                    ratio[dataset, method, queries, a.parameters["lambda"]] = a.value / b.value
    least = min(ratio, key=ratio.get)
    return Contradiction(
        "privgnn", "Section 5.3", f"budgets over {entry.mean} times lower than PATE's on all graphs",
        f"{ratio[least]:.1f} times ({least[0]}, {least[1]}, {least[2]} queries, λ = {least[3]}); more than "
        f"{entry.mean} in {sum(r > entry.value for r in ratio.values())} of {len(ratio)} pairs of Table 2",
        entry.value - ratio[least], 0.01, "`privgnn-over-20-times`")


def gains(method: str) -> dict[tuple, tuple[float, float, float]]:
    """(data set, lambda) -> PrivGNN's relative gain in accuracy in Table 5, the least and the largest with rounding."""
    found, gain = rows("privgnn", "Table 5"), {}
    for dataset in ("Amazon2M", "Facebook", "Reddit"):
        for lam in LAMBDAS:
            ours, theirs = (pick(found, dataset=dataset, method=m, lam=lam) for m in ("PrivGnn", method))
            gain[dataset, lam] = tuple(
                100 * ((ours.value + sign * ours.rounding) / (theirs.value - sign * theirs.rounding) - 1)
                for sign in (0, -1, 1))
    return gain


def up_to_134_percent() -> Contradiction:
    """Relative gains in accuracy over PATE with MLPs and with GNNs, on the three graphs of a high degree."""
    low, high = sorted(keep(rows("privgnn", "running text"), method="PrivGnn over PATE"), key=lambda c: c.value)
    gain, other = gains("PateM"), gains("PateG")
    most, widest = max(gain, key=gain.get), max(other, key=other.get)
    value, least, _ = gain[most]
    return Contradiction(
        "privgnn", "Section 5.1", f"gains in accuracy of up to {low.mean}% and {high.mean}% over PATE",
        f"over PateM {value:.0f}% on {most[0]} at λ = {most[1]}, from Table 5, and at least {least:.0f}% with rounding "
        f"({gain['Reddit', '0.2'][0]:.0f}% on Reddit at λ = 0.2). {high.mean}% over PateG can be right: {widest[0]} at "
        f"λ = {widest[1]} gives {other[widest][1]:.0f}% to {other[widest][2]:.0f}%",
        value - low.value, value - least + low.rounding,
        "how far PrivGNN is above PATE: accuracies are to be compared, not percentages")


def half_the_queries() -> Contradiction:
    """Budgets for 500 queries against those for 1,000, in Table 2."""
    most = {}
    for name in STATED:
        few, many = (epsilons(name, "PrivGnn", queries) for queries in ("500", "1000"))
        most[name] = max(100 * (1 - a.value / b.value) for a, b in zip(few, many, strict=True))
    two_m, three = most.pop("Amazon2M"), max(most.values())
    said = [c for c in rows("privgnn", "running text") if c.metric == "epsilon_decrease_500_vs_1000_queries"]
    sums = [c.value - (two_m if c.dataset == "Amazon2M" else three) for c in said
            if not (c.dataset != "Amazon2M" and c.parameters.get("relation") == "up to")]
    return Contradiction(
        "privgnn", "Section 5.3", "half of the queries: ε lower by 50% (Amazon, Reddit, Facebook); by 40%, up to 45% "
        "(Amazon2M)", f"at most {three:.1f}% and at most {two_m:.1f}%, from Table 2",
        min(sums), 0.5 + 0.1, "`privgnn-45-percent-amazon2m`, `privgnn-50-40-percent`")


def reduction_of_315_percent() -> Contradiction:
    """Reddit at lambda .4: the budget with gamma .1 and with gamma .3."""
    entry = quoted(metric="epsilon_reduction_gamma0.1_vs_0.3")
    found = keep(rows("privgnn", "Table 3"), dataset="Reddit", metric="epsilon", lam="0.4")
    low, high = (pick(found, gamma=gamma) for gamma in ("0.1", "0.3"))
    more = 100 * (high.value / low.value - 1)
    return Contradiction(
        "privgnn", "Section 5.4, Reddit", f"γ = 0.1 reduces ε by {entry.mean}%",
        f"{high.mean} and {low.mean} in Table 3: {100 * (1 - low.value / high.value):.0f}% less, or {more:.0f}% more "
        "the other way round", entry.value - more, entry.rounding + 0.5, "`privgnn-315-percent`")


def private_nodes_of_credit() -> Contradiction:
    """A count in appendix F and in Table 11."""
    text = quoted(dataset="Credit", metric="private_nodes")
    found = {c.metric: c for c in keep(rows("privgnn", "Table 11"), dataset="Credit", part="private")}
    edges, nodes, degree = (found[name] for name in ("edges", "nodes", "average_degree"))
    return Contradiction(
        "privgnn", "Appendix F, Credit", f"{text.value:,.0f} private nodes",
        f"{nodes.value:,.0f} in Table 11, where the degree {degree.mean} is E/V with this number "
        f"({edges.value / text.value:.2f} with the other)", abs(text.value - nodes.value), 500.0,
        "the split of Credit, if it is run")


def facebook_degree() -> Contradiction:
    """The degrees of Table 11 are E/V, for eleven of twelve graphs."""
    row, fits = {}, 0
    for (dataset, part) in {(c.dataset, c.parameters.get("part", "")): 0 for c in rows("privgnn", "Table 11")}:
        found = {c.metric: c for c in keep(rows("privgnn", "Table 11"), dataset=dataset, part=part)}
        if "edges" in found:
            edges, nodes, degree = (found[name] for name in ("edges", "nodes", "average_degree"))
            slack = edges.rounding / edges.value + (nodes.rounding / nodes.value if nodes.unit == "million" else 0)
            own = edges.value / nodes.value
            row[dataset, part] = degree, own
            fits += abs(degree.value - own) <= degree.rounding + own * slack
    degree, own = row["Facebook", "public"]
    return Contradiction(
        "privgnn", "Table 11, Facebook, public graph", f"mean degree {degree.mean}",
        f"{own:.2f} from its nodes and edges; E/V gives the other {fits} of {len(row) - 1} degrees within rounding",
        abs(degree.value - own), degree.rounding, "nothing we use")


def deltas_of_pate() -> Contradiction:
    """PATE's budget at small lambda is ``4 lambda^2 |Q| + ln(1/delta)``: what is left at ``|Q| = 0`` shows delta."""
    left = {name: 2 * a.value - b.value for name in STATED
            for a, b in [[epsilons(name, "PateG", queries)[0] for queries in ("500", "1000")]]}
    gaps = [abs(value + math.log(STATED[name])) for name, value in left.items()]
    shown = ", ".join(f"{math.exp(-value):.1e} ({name})" for name, value in left.items())
    return Contradiction(
        "privgnn", "Table 2, PATE", "δ = 1e-5 for Amazon2M and 1e-4 for the others (section 4.1)",
        f"{shown}: PateG's budgets at λ = 0.1 for 500 and 1000 queries leave {listed(left.values(), '.2f')} for none, "
        "which is ln(1/δ)", min(gaps), 0.02,
        "PATE beside PrivGNN (`privgnn-pate-amazon`, `privgnn-lower-cost-than-pate`): the two are not at one δ")
