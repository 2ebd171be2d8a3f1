"""GraphPrivatizer.

Its Figures 3 to 15 (4 repeats 3) have one panel of 25 cells (alpha x delta) for each data set,
method, backbone and metric, at epsilon .1; Tables 8 to 12 have averages over the 16 cells with alpha, delta > 0.
"""

import math
from collections.abc import Iterable

import numpy as np

from ..printed import Printed
from .reading import FINE, SMALL, Contradiction, figures, keep, listed, pick, rows

DATASETS = {"Cora": "Table 8", "LastFM": "Table 9", "PubMed": "Table 10", "Facebook": "Table 11",
            "Amazon Photo": "Table 12"}
PHOTO = "Amazon Photo"
OTHERS = [name for name in DATASETS if name != PHOTO]
METHODS = ("GP-t", "GP-m")
BACKBONES = ("GAT", "GCN", "SAGE", "GT", "GATv2", "GConv")
BUDGETS = ("0.1", "1", "2", "8", "inf")
METRICS = ("accuracy", "attack_auc")
GP, LPGNN = "GP", "LPGNN (no edge privacy)"
APPENDIX_A = ("0", "0.1", "0.25", "0.5", "1")  # delta, first paragraph of Appendix A


def grid(datasets: Iterable[str] = DATASETS, methods: Iterable[str] = METHODS) -> list[tuple[str, str, str]]:
    return [(dataset, method, backbone) for dataset in datasets for method in methods for backbone in BACKBONES]


def panels() -> dict[tuple, dict[tuple, float]]:
    """(data set, method, backbone, metric) -> (alpha, delta) -> the difference from alpha = delta = 0."""
    found = {}
    for cell in figures("graphprivatizer"):
        key = cell.dataset, cell.method, cell.backbone, cell.metric.removeprefix("delta_")
        found.setdefault(key, {})[cell.parameters["alpha"], cell.parameters["delta"]] = cell.value
    return found


def over(panel: dict[tuple, float], cells: int) -> float:
    """The mean over the 16 cells with alpha, delta > 0, over the 24 other than (0, 0), or over all 25."""
    inside = {16: lambda a, d: "0" not in (a, d), 24: lambda a, d: (a, d) != ("0", "0"), 25: lambda a, d: True}[cells]
    return float(np.mean([value for (a, d), value in panel.items() if inside(a, d)]))


def budgets() -> dict[tuple, Printed]:
    """(data set, method, backbone, metric, epsilon, alpha) -> the cell of Tables 8 to 12; alpha "0" or ">0"."""
    return {(c.dataset, c.method, c.backbone, c.metric, c.parameters["epsilon"], c.parameters["alpha"]): c
            for c in rows("graphprivatizer", *DATASETS.values())}


def at_base(metric: str = "accuracy") -> dict[tuple, float]:
    """The value at alpha = delta = 0 and epsilon .1 in each setting."""
    found = budgets()
    return {setting: found[*setting, metric, "0.1", "0"].value for setting in grid()}


def table_7(metric: str) -> dict[tuple, Printed]:
    return {(c.dataset, c.method, c.backbone): c for c in keep(rows("graphprivatizer", "Table 7"), metric=metric)}


def table_6(metric: str, method: str) -> dict[tuple, Printed]:
    cells = keep(rows("graphprivatizer", "Table 6"), metric=metric, method=method)
    return {(c.dataset, c.backbone): c for c in cells}


def averages_include_the_base() -> Contradiction:
    """Tables 2 and 7, whose rows are the same where both have them, against Tables 8 to 12."""
    printed, found, base, panel = table_7("accuracy"), budgets(), at_base(), panels()
    settings = grid(OTHERS)
    sixteen = [abs(printed[s].value - found[*s, "accuracy", "0.1", ">0"].value) for s in settings]
    misfit = {n: [abs(printed[s].value - base[s] - over(panel[*s, "accuracy"], n)) for s in settings] for n in (24, 25)}
    fits = {n: sum(gap <= 3 * FINE + SMALL for gap in misfit[n]) for n in misfit}
    agree = sum(gap <= 2 * FINE + SMALL for gap in sixteen)
    return Contradiction(
        "graphprivatizer", "Tables 2 and 7", f"averages over α, δ > 0; {len(settings)} accuracies outside Photo",
        f"{agree} of {len(settings)} agree with Tables 8 to 12, where these averages are over 16 cells; the mean "
        f"distance is {np.mean(sixteen):.2f} points. The mean over all 25 cells of the panels, the base case "
        f"α = δ = 0 included, fits {fits[25]}; that over the other 24 fits {fits[24]}",
        float(np.mean(sixteen)), 2 * FINE,
        "any comparison with Tables 2 and 7: Tables 8 to 12 are the averages that the captions describe")


def table_3a_includes_the_base() -> Contradiction:
    """Table 3a is LastFM, GCN, GP-t, which Table 9 has as well."""
    mine = pick(rows("graphprivatizer", "Table 3a"), metric="delta_accuracy", epsilon="0.1")
    other = budgets()["LastFM", "GP-t", "GCN", "delta_accuracy", "0.1", ">0"]
    mean = over(panels()["LastFM", "GP-t", "GCN", "accuracy"], 25)
    return Contradiction(
        "graphprivatizer", "Table 3a", f"ΔAcc {mine.mean} at ε = 0.1, an average over α, δ > 0",
        f"{other.mean} in Table 9 for the same setting; {mean:.2f} is the mean over all 25 cells of the panel",
        abs(mine.value - other.value), mine.rounding + other.rounding, "`gp-table-3-lastfm`: Table 9 is the one to use")


def table_3a_cuts_digits() -> Contradiction:
    """The AUC of the base case, in whole numbers in Table 3a and with one decimal in Table 9."""
    found, mine = budgets(), keep(rows("graphprivatizer", "Table 3a"), metric="attack_auc", alpha="0")
    other = [found["LastFM", "GP-t", "GCN", "attack_auc", c.parameters["epsilon"], "0"] for c in mine]
    return Contradiction(
        "graphprivatizer", "Table 3a, AUC of the base case", listed(c.value for c in mine),
        f"{', '.join(c.mean for c in other)} in Table 9: the decimals were cut off, not rounded",
        max(b.value - a.value for a, b in zip(mine, other)), mine[0].rounding + other[0].rounding,
        "AUCs printed as whole numbers (Tables 2, 3a and 7) may lie up to one point low")


def exchanged_aucs() -> Contradiction:
    """Cora under GP-t: the AUC of GAT stands at GCN, and the other way round."""
    printed, panel, base, found = table_7("attack_auc"), panels(), at_base("attack_auc"), budgets()
    settings = [("Cora", "GP-t", "GAT"), ("Cora", "GP-t", "GCN")]
    own = [base[s] + over(panel[*s, "attack_auc"], 25) for s in settings]
    eight = [found[*s, "attack_auc", "0.1", ">0"].value for s in settings]
    return Contradiction(
        "graphprivatizer", "Tables 2 and 7, Cora, GP-t",
        f"attack AUC {printed[settings[0]].mean} for GAT, {printed[settings[1]].mean} for GCN",
        f"{own[0]:.1f} and {own[1]:.1f} (base case plus the mean of the panel), {listed(eight)} in Table 8: exchanged",
        min(abs(printed[s].value - value) for s, value in zip(settings, own)), 1 + 2 * FINE,
        "any comparison of attack AUCs with Tables 2 and 7, and whether GCN is the easiest to attack "
        "(`gp-gcn-more-prone`)")


def lost_signs() -> Contradiction:
    """GConv on Photo loses accuracy with alpha, delta > 0; Table 7 prints a gain."""
    printed, panel, found = table_7("delta_accuracy"), panels(), budgets()
    settings = [(PHOTO, method, "GConv") for method in METHODS]
    own = [over(panel[*s, "accuracy"], 25) for s in settings]
    twelve = [found[*s, "delta_accuracy", "0.1", ">0"].value for s in settings]
    return Contradiction(
        "graphprivatizer", "Table 7, Photo, GConv",
        "ΔAcc " + " and ".join(f"{printed[s].mean} ({s[1]})" for s in settings),
        f"{own[0]:.1f} and {own[1]:.1f} (means of the panels), {listed(twelve)} in Table 12: the minus signs are lost",
        min(abs(printed[s].value - value) for s, value in zip(settings, own)), 0.5 + FINE,
        "how often α, δ > 0 costs accuracy (`gp-abstract-threshold-tradeoff`)")


def stray_cells() -> Contradiction:
    """Other cells of Table 7, outside Photo, that the mean over all 25 cells misses by more than a whole last digit."""
    panel, strays = panels(), []
    for metric in ("accuracy", "attack_auc", "delta_accuracy", "delta_attack_auc"):
        kind = metric.removeprefix("delta_")
        base = at_base(kind) if metric == kind else dict.fromkeys(grid(), 0.0)
        for setting, cell in table_7(metric).items():
            own = base[setting] + over(panel[*setting, kind], 25)
            allowed = 2 * cell.rounding + (2 if metric == kind else 1) * FINE
            exchanged = setting[:2] == ("Cora", "GP-t") and metric == "attack_auc"
            if setting[0] != PHOTO and not exchanged and abs(cell.value - own) > allowed + SMALL:
                strays.append((abs(cell.value - own), allowed, cell, own))
    strays.sort(key=lambda stray: stray[1] - stray[0])
    gap, most = strays[0][:2] if strays else (0.0, 0.0)
    return Contradiction(
        "graphprivatizer", "Table 7, single cells outside Photo",
        "; ".join(f"{c.dataset} {c.method} {c.backbone} {SHORT[c.metric]} {c.mean}" for _, _, c, _ in strays),
        f"{listed((own for *_, own in strays), '.1f')} (means over all 25 cells of the panels, which fit the cells "
        "around them)", gap, most, "nothing we use; these cells are not to be compared")


SHORT = {"accuracy": "accuracy", "attack_auc": "AUC", "delta_accuracy": "ΔAcc", "delta_attack_auc": "ΔAUC"}


def displaced_reference() -> Contradiction:
    """Figure 13, Photo: the 0.0 of the base case stands in another corner."""
    found = panels()
    panel = [found[PHOTO, "GP-m", "GT", metric] for metric in METRICS]
    corners = keep(figures("graphprivatizer"), alpha="0", delta="0")
    zeros = sum(c.value == 0 for c in corners)
    return Contradiction(
        "graphprivatizer", "Figure 13, Photo", "at α = δ = 0, the reference, "
        f"{listed(p['0', '0'] for p in panel)} (accuracy, AUC); {listed(p['1', '0'] for p in panel)} at α = 1, δ = 0",
        f"a difference from α = δ = 0 is 0 there, as in {zeros} of {len(corners)} panels",
        max(abs(p["0", "0"]) for p in panel), FINE, "these two panels: it is not known what was subtracted")


def tick_labels() -> Contradiction:
    """Panels whose values of delta are not those that Appendix A says were run."""
    found = {}
    for cell in figures("graphprivatizer"):
        found.setdefault((cell.table, cell.dataset, cell.metric), set()).add(cell.parameters["delta"])
    other = [deltas for deltas in found.values() if deltas != set(APPENDIX_A)]
    labels = {", ".join(sorted(deltas)) for deltas in other}
    return Contradiction(
        "graphprivatizer", "Figures 5 and 9 to 15", f"δ = {' / '.join(labels)} on the axis of {len(other)} panels",
        f"δ = {', '.join(APPENDIX_A)} in Appendix A and on the other {len(found) - len(other)} panels",
        float(len(other)), 0.0, "which threshold such a column was run with, when we repeat it")


def table_6_on_photo() -> Contradiction:
    """Table 6 is GP-t at epsilon .1 and (alpha, delta) = (.5, 0), which its caption does not say; Photo is not."""
    found, panel, gap = budgets(), panels(), {}
    for metric in METRICS:
        for (dataset, backbone), cell in table_6(metric, GP).items():
            setting = dataset, "GP-t", backbone, metric
            own = found[*setting, "0.1", "0"].value + panel[setting]["0.5", "0"]
            gap[dataset, backbone, metric] = abs(cell.value - own)
    photo = [value for (dataset, *_), value in gap.items() if dataset == PHOTO]
    rest = [value for (dataset, *_), value in gap.items() if dataset != PHOTO]
    fits = sum(value <= 3 * FINE + SMALL for value in rest)
    mean = [np.mean([c.value for s, c in table_6(f"delta_{m}", "GP minus RR").items() if s[0] == PHOTO])
            for m in METRICS]
    one_a = [pick(rows("graphprivatizer", "Table 1a"), dataset=PHOTO, metric=f"delta_{m}").mean for m in METRICS]
    return Contradiction(
        "graphprivatizer", "Table 6, Photo", f"{len(photo)} accuracies and AUCs of GraphPrivatizer, ε not stated",
        f"base case plus the panel's cell (0.5, 0) gives {fits} of {len(rest)} on the other graphs (GP-t, ε = 0.1) "
        f"and on Photo misses by up to {max(photo):.1f}. Photo's differences average {mean[0]:.2f} and {mean[1]:.2f}, "
        f"Table 1a's {one_a[0]} and {one_a[1]} for all budgets together",
        max(photo), 3 * FINE, "Table 6 beside ours: Photo's GP columns cannot be placed; the columns without edge "
        "privacy are not concerned")


def utility_gaps(method: str, datasets: Iterable[str], metric: str = "accuracy") -> list[float]:
    """What a method loses against no edge privacy, for each backbone, in Table 6."""
    whole, part = table_6(metric, LPGNN), table_6(metric, method)
    return [whole[d, b].value - part[d, b].value for d in datasets for b in BACKBONES]


def table_1b_on_photo() -> Contradiction:
    """The utility gap is a difference of two columns of Table 6."""
    printed = {(c.dataset, c.method): c for c in rows("graphprivatizer", "Table 1b")}
    gap = {key: abs(c.value - np.mean(utility_gaps(key[1], [key[0]]))) for key, c in printed.items()}
    cell, own = printed[PHOTO, GP], utility_gaps(GP, [PHOTO])
    fits = sum(value <= 3 * FINE + SMALL for key, value in gap.items() if key != (PHOTO, GP))
    return Contradiction(
        "graphprivatizer", "Table 1b, Photo", f"utility gap {cell} for GraphPrivatizer",
        f"{np.mean(own):.2f} ± {np.std(own, ddof=1):.2f} from Table 6, which gives the other {fits} of {len(gap) - 1}",
        float(gap[PHOTO, GP]), 3 * FINE, "`gp-table-1b-gap`")


def said(metric: str, method: str) -> Printed:
    """An average of section 5.1."""
    return pick(rows("graphprivatizer", "running text"), metric=f"{metric}_LPGNN", method=method)


def averages_without_photo() -> Contradiction:
    """Section 5.1 speaks of all data sets; three of its four averages leave out Photo."""
    cases = [(said("accuracy_decrease_from", GP), GP, "accuracy"),
             (said("accuracy_decrease_from", "RR"), "RR", "accuracy"),
             (said("attack_auc_improvement_over", "RR"), "RR", "attack_auc")]
    every = [float(np.mean(utility_gaps(method, DATASETS, metric))) for _, method, metric in cases]
    some = [float(np.mean(utility_gaps(method, OTHERS, metric))) for _, method, metric in cases]
    return Contradiction(
        "graphprivatizer", "Section 5.1",
        f"{', '.join(c.mean for c, *_ in cases)} across all data sets (accuracy of GP and RR, AUC of RR)",
        f"{listed(every, '.2f')} over all of Table 6; {listed(some, '.2f')} without Photo",
        min(abs(c.value - value) for (c, *_), value in zip(cases, every)), 3 * FINE, "`gp-6-6-auc-points`")


def auc_points_of_gp() -> Contradiction:
    """The fourth average of section 5.1 follows neither with nor without Photo."""
    cell = said("attack_auc_improvement_over", GP)
    every, some = (float(np.mean(utility_gaps(GP, datasets, "attack_auc"))) for datasets in (DATASETS, OTHERS))
    other = [float(np.mean(utility_gaps("RR", datasets, "attack_auc"))) for datasets in (DATASETS, OTHERS)]
    return Contradiction(
        "graphprivatizer", "Section 5.1", f"GraphPrivatizer lowers the AUC by {cell.mean} points",
        f"{every:.2f} from Table 6, {some:.2f} without Photo; the baseline's {listed(other, '.2f')} is more",
        min(abs(cell.value - every), abs(cell.value - some)), 3 * FINE,
        "`gp-6-6-auc-points`, `gp-comparable-privacy-to-rr`")


def photo_sage_auc() -> Contradiction:
    """From epsilon 8 to no edge privacy hardly anything changes, except for the attack on SAGE on Photo."""
    found = budgets()
    jump = {(s, alpha): abs(found[*s, "attack_auc", "inf", alpha].value - found[*s, "attack_auc", "8", alpha].value)
            for s in grid() for alpha in ("0", ">0")}
    sage = (PHOTO, "GP-t", "SAGE")
    eight, none = (found[*sage, "attack_auc", epsilon, "0"] for epsilon in ("8", "inf"))
    rest = max(value for (s, _), value in jump.items() if s[0] != PHOTO)
    return Contradiction(
        "graphprivatizer", "Table 12, Photo, SAGE", f"base AUC {eight.mean} at ε = 8 and {none.mean} at ε = ∞ (GP-t)",
        f"at ε = 8 one slot in {1 + math.exp(8):,.0f} is changed, and on the other graphs the two differ by at most "
        f"{rest:.1f}", jump[sage, "0"], rest, "AUCs of SAGE on Photo are not to be compared")


def photo_panels() -> Contradiction:
    """Table 12 against the panels of which it should be the average."""
    found, panel, pair = budgets(), panels(), {}
    for setting in grid():
        auc, base = (found[*setting, "attack_auc", "0.1", alpha].value for alpha in (">0", "0"))
        pair[*setting, "accuracy"] = found[*setting, "delta_accuracy", "0.1", ">0"].value, 2 * FINE
        pair[*setting, "attack_auc"] = auc - base, 3 * FINE
    gap = {key: abs(value - over(panel[key], 16)) for key, (value, _) in pair.items()}
    photo = [key for key in gap if key[0] == PHOTO]
    rest = [value for key, value in gap.items() if key[0] != PHOTO]
    worst = max(photo, key=gap.get)
    wide = sum(gap[key] > pair[key][1] + SMALL for key in photo)
    return Contradiction(
        "graphprivatizer", "Table 12 and Figures 3 to 15, Photo",
        f"averages over 16 cells: in Table 12, {worst[2]}, {worst[1]}, a ΔAUC of {pair[worst][0]:.1f}",
        f"{over(panel[worst], 16):.1f} from the 16 cells of its panel. {wide} of {len(photo)} averages of Photo are "
        f"further off than rounding takes them; the {len(rest)} of the other graphs are within {max(rest):.2f}",
        gap[worst], 3 * FINE, "Photo: Table 12 and the figures cannot both be of the same runs; compare with one")


def base_of_table_3b() -> Contradiction:
    """LastFM, GCN, GP-t: the base case at epsilon 1 is printed three times."""
    mine = keep(rows("graphprivatizer", "Table 3b"), epsilon="1")
    base, ours = (pick(mine, metric="accuracy", alpha=alpha) for alpha in ("0", "0.75"))
    gain = pick(mine, metric="delta_accuracy")
    three_a = pick(rows("graphprivatizer", "Table 3a"), metric="accuracy", epsilon="1", alpha="0")
    nine = budgets()["LastFM", "GP-t", "GCN", "accuracy", "1", "0"]
    return Contradiction(
        "graphprivatizer", "Table 3b, ε = 1", f"base accuracy {base.mean}, so ΔAcc {gain.mean}",
        f"{three_a.mean} in Table 3a and {nine.mean} in Table 9, with which ΔAcc is {ours.value - nine.value:.1f}",
        abs(base.value - nine.value), base.rounding + nine.rounding,
        "`gp-table-3-lastfm`: always more accurate than the base case, or not")


def lastfm_without_noise() -> Contradiction:
    """Without edge privacy Table 6 and Table 9 speak of the same runs, or of runs of the same kind."""
    six, found = table_6("accuracy", LPGNN)["LastFM", "GT"], budgets()
    nine = [found["LastFM", method, "GT", "accuracy", "inf", "0"] for method in METHODS]
    return Contradiction(
        "graphprivatizer", "Table 6, LastFM, GT", f"accuracy {six} without edge privacy",
        f"{nine[0].mean} (GP-t) and {nine[1].mean} (GP-m) in Table 9; ten other runs could differ as much",
        min(abs(six.value - c.value) for c in nine), six.rounding + nine[0].rounding,
        "nothing we use: LastFM's features are not at hand")


def photo_degree() -> Contradiction:
    """Four degrees are 2E/V, Photo's is E/V: its edges are counted in both directions."""
    rest, row = 0, {}
    for dataset in DATASETS:
        found = {c.metric: c for c in keep(rows("graphprivatizer", "Table 4"), dataset=dataset)}
        row[dataset] = found["edges"].value, found["average_degree"], 2 * found["edges"].value / found["nodes"].value
        rest += abs(row[dataset][1].value - row[dataset][2]) <= found["average_degree"].rounding
    edges, degree, own = row[PHOTO]
    return Contradiction(
        "graphprivatizer", "Table 4, Photo", f"{edges:,.0f} edges, mean degree {degree.mean}",
        f"2E/V is {own:.2f} with these; it gives the degree of the other {rest} graphs. With {edges / 2:,.0f} edges it "
        f"would be {own / 2:.2f}", abs(degree.value - own), degree.rounding,
        "our count of Photo's edges, each counted once, beside Table 4")


def majority_below_two() -> Contradiction:
    """Section 5.2 says of Table 2 that most differences in AUC are at most 2."""
    count = {table: [c.value <= 2 for c in keep(rows("graphprivatizer", table), metric="delta_attack_auc")]
             for table in ("Table 2", "Table 7")}
    found = budgets()
    small = {s: found[*s, "attack_auc", "0.1", ">0"].value - found[*s, "attack_auc", "0.1", "0"].value <= 2 + SMALL
             for s in grid()}
    three = [value for s, value in small.items() if s[2] in ("GAT", "GCN", "SAGE")]
    two, seven = count["Table 2"], count["Table 7"]
    missing = max(0.0, len(two) // 2 + 1 - sum(two))
    return Contradiction(
        "graphprivatizer", "Section 5.2, of Table 2", "ΔAUC at most 2 in the majority of cases",
        f"{sum(two)} of {len(two)} in Table 2; {sum(three)} by the averages of Tables 8 to 12. With all six models "
        f"{sum(seven)} of {len(seven)} in Table 7, {sum(small.values())} by Tables 8 to 12",
        missing, 0.0, "`gp-table-2-majority-below-2`")


def half_covers_zero() -> Contradiction:
    """Section 5.2 says of Table 2 that most differences in AUC overlap with zero. Rounded, a tie may be none."""
    cells = {table: keep(rows("graphprivatizer", table), metric="delta_attack_auc") for table in ("Table 2", "Table 7")}
    two, seven = ([abs(c.value) <= float(c.spread) for c in found] for found in cells.values())
    strict = sum(abs(c.value) < float(c.spread) for c in cells["Table 2"])
    return Contradiction(
        "graphprivatizer", "Section 5.2, of Table 2", "ΔAUC overlaps with zero in more than half of the cases",
        f"{sum(two)} of {len(two)} in Table 2 if ties count, {strict} if not. With all six models at most {sum(seven)} of "
        f"{len(seven)} in Table 7", max(0.0, len(two) // 2 + 1 - sum(two)), 0.0, "`gp-table-2-equivalent-privacy`")


def whole_spreads() -> Contradiction:
    """A difference from a fixed number spreads as the number it is taken of."""
    found = budgets()
    pairs = [(found[*s, "delta_accuracy", e, ">0"], found[*s, "accuracy", e, ">0"]) for s in grid() for e in BUDGETS]
    whole = sum(a.spread.endswith(".0") for a, _ in pairs)
    gaps = [abs(float(a.spread) - float(b.spread)) for a, b in pairs]
    fits = sum(gap <= 0.5 + SMALL for gap in gaps)
    return Contradiction(
        "graphprivatizer", "Tables 8 to 12, spread of ΔAcc", f"{whole} of {len(pairs)} end in .0",
        f"ΔAcc is the accuracy beside it less the base case, and so has its spread; {fits} of {len(pairs)} are that "
        "spread rounded to a whole number", max(gaps), 2 * FINE,
        "spreads of ΔAcc (Tables 3a and 8 to 12): the accuracy's are to be used")
