"""Single entries, and what the text says of tables."""

from ...contradictions import FINE, SMALL, Contradiction, keep, pick
from .entries import BUDGETS, DATASETS, LPGNN, METHODS, PAPER, PHOTO, budgets, grid, table_6, tables


def base_of_table_3b() -> Contradiction:
    """LastFM, GCN, GP-t: the base case at epsilon 1 is printed three times."""
    mine = keep(tables("Table 3b"), epsilon="1")
    base, ours = (pick(mine, metric="accuracy", alpha=alpha) for alpha in ("0", "0.75"))
    gain = pick(mine, metric="delta_accuracy")
    three_a = pick(tables("Table 3a"), metric="accuracy", epsilon="1", alpha="0")
    nine = budgets()["LastFM", "GP-t", "GCN", "accuracy", "1", "0"]
    return Contradiction(
        PAPER, "Table 3b, ε = 1", f"base accuracy {base.mean}, so ΔAcc {gain.mean}",
        f"{three_a.mean} in Table 3a and {nine.mean} in Table 9, with which ΔAcc is {ours.value - nine.value:.1f}",
        abs(base.value - nine.value), base.rounding + nine.rounding,
        "`gp-table-3-lastfm`: always more accurate than the base case, or not")


def lastfm_without_noise() -> Contradiction:
    """Without edge privacy Table 6 and Table 9 speak of the same runs, or of runs of the same kind."""
    six, found = table_6("accuracy", LPGNN)["LastFM", "GT"], budgets()
    nine = [found["LastFM", method, "GT", "accuracy", "inf", "0"] for method in METHODS]
    return Contradiction(
        PAPER, "Table 6, LastFM, GT", f"accuracy {six} without edge privacy",
        f"{nine[0].mean} (GP-t) and {nine[1].mean} (GP-m) in Table 9; ten other runs could differ as much",
        min(abs(six.value - c.value) for c in nine), six.rounding + nine[0].rounding,
        "nothing we use: LastFM's features are not at hand")


def photo_degree() -> Contradiction:
    """Four degrees are 2E/V, Photo's is E/V: its edges are counted in both directions."""
    rest, row = 0, {}
    for dataset in DATASETS:
        found = {c.metric: c for c in keep(tables("Table 4"), dataset=dataset)}
        row[dataset] = found["edges"].value, found["average_degree"], 2 * found["edges"].value / found["nodes"].value
        rest += abs(row[dataset][1].value - row[dataset][2]) <= found["average_degree"].rounding
    edges, degree, own = row[PHOTO]
    return Contradiction(
        PAPER, "Table 4, Photo", f"{edges:,.0f} edges, mean degree {degree.mean}",
        f"2E/V is {own:.2f} with these; it gives the degree of the other {rest} graphs. With {edges / 2:,.0f} edges it "
        f"would be {own / 2:.2f}", abs(degree.value - own), degree.rounding,
        "our count of Photo's edges, each counted once, beside Table 4")


def majority_below_two() -> Contradiction:
    """Section 5.2 says of Table 2 that most differences in AUC are at most 2."""
    count = {table: [c.value <= 2 for c in keep(tables(table), metric="delta_attack_auc")]
             for table in ("Table 2", "Table 7")}
    found = budgets()
    small = {s: found[*s, "attack_auc", "0.1", ">0"].value - found[*s, "attack_auc", "0.1", "0"].value <= 2 + SMALL
             for s in grid()}
    three = [value for s, value in small.items() if s[2] in ("GAT", "GCN", "SAGE")]
    two, seven = count["Table 2"], count["Table 7"]
    missing = max(0.0, len(two) // 2 + 1 - sum(two))
    return Contradiction(
        PAPER, "Section 5.2, of Table 2", "ΔAUC at most 2 in the majority of cases",
        f"{sum(two)} of {len(two)} in Table 2; {sum(three)} by the averages of Tables 8 to 12. With all six models "
        f"{sum(seven)} of {len(seven)} in Table 7, {sum(small.values())} by Tables 8 to 12",
        missing, 0.0, "`gp-table-2-majority-below-2`")


def half_covers_zero() -> Contradiction:
    """Section 5.2 says of Table 2 that most differences in AUC overlap with zero. Rounded, a tie may be none."""
    entries = {table: keep(tables(table), metric="delta_attack_auc") for table in ("Table 2", "Table 7")}
    two, seven = ([abs(c.value) <= float(c.spread) for c in found] for found in entries.values())
    strict = sum(abs(c.value) < float(c.spread) for c in entries["Table 2"])
    return Contradiction(
        PAPER, "Section 5.2, of Table 2", "ΔAUC overlaps with zero in more than half of the cases",
        f"{sum(two)} of {len(two)} in Table 2 if ties count, {strict} if not. With all six models at most {sum(seven)} "
        f"of {len(seven)} in Table 7", max(0.0, len(two) // 2 + 1 - sum(two)), 0.0, "`gp-table-2-equivalent-privacy`")


def whole_spreads() -> Contradiction:
    """A difference from a fixed number spreads as the number it is taken of."""
    found = budgets()
    pairs = [(found[*s, "delta_accuracy", e, ">0"], found[*s, "accuracy", e, ">0"]) for s in grid() for e in BUDGETS]
    whole = sum(a.spread.endswith(".0") for a, _ in pairs)
    gaps = [abs(float(a.spread) - float(b.spread)) for a, b in pairs]
    fits = sum(gap <= 0.5 + SMALL for gap in gaps)
    return Contradiction(
        PAPER, "Tables 8 to 12, spread of ΔAcc", f"{whole} of {len(pairs)} end in .0",
        f"ΔAcc is the accuracy beside it less the base case, and so has its spread; {fits} of {len(pairs)} are that "
        "spread rounded to a whole number", max(gaps), 2 * FINE,
        "spreads of ΔAcc (Tables 3a and 8 to 12): the accuracy's are to be used")
