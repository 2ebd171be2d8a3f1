"""Averages over alpha and delta: over which entries, and of which setting."""

import numpy as np

from ...contradictions import FINE, SMALL, Contradiction, keep, listed, pick
from .entries import METHODS, OTHERS, PAPER, PHOTO, SHORT, at_base, budgets, grid, over, panels, table_7, tables


def averages_include_the_base() -> Contradiction:
    """Tables 2 and 7, whose rows are the same where both have them, against Tables 8 to 12."""
    printed, found, base, panel = table_7("accuracy"), budgets(), at_base(), panels()
    settings = grid(OTHERS)
    sixteen = [abs(printed[s].value - found[*s, "accuracy", "0.1", ">0"].value) for s in settings]
    misfit = {n: [abs(printed[s].value - base[s] - over(panel[*s, "accuracy"], n)) for s in settings] for n in (24, 25)}
    fits = {n: sum(gap <= 3 * FINE + SMALL for gap in misfit[n]) for n in misfit}
    agree = sum(gap <= 2 * FINE + SMALL for gap in sixteen)
    return Contradiction(
        PAPER, "Tables 2 and 7", f"averages over α, δ > 0; {len(settings)} accuracies outside Photo",
        f"{agree} of {len(settings)} agree with Tables 8 to 12, where these averages are over 16 cells; the mean "
        f"distance is {np.mean(sixteen):.2f} points. The mean over all 25 cells of the panels, the base case "
        f"α = δ = 0 included, fits {fits[25]}; that over the other 24 fits {fits[24]}",
        float(np.mean(sixteen)), 2 * FINE,
        "any comparison with Tables 2 and 7: Tables 8 to 12 are the averages that the captions describe")


def table_3a_includes_the_base() -> Contradiction:
    """Table 3a is LastFM, GCN, GP-t, which Table 9 has as well."""
    mine = pick(tables("Table 3a"), metric="delta_accuracy", epsilon="0.1")
    other = budgets()["LastFM", "GP-t", "GCN", "delta_accuracy", "0.1", ">0"]
    mean = over(panels()["LastFM", "GP-t", "GCN", "accuracy"], 25)
    return Contradiction(
        PAPER, "Table 3a", f"ΔAcc {mine.mean} at ε = 0.1, an average over α, δ > 0",
        f"{other.mean} in Table 9 for the same setting; {mean:.2f} is the mean over all 25 cells of the panel",
        abs(mine.value - other.value), mine.rounding + other.rounding, "`gp-table-3-lastfm`: Table 9 is the one to use")


def table_3a_cuts_digits() -> Contradiction:
    """The AUC of the base case, in whole numbers in Table 3a and with one decimal in Table 9."""
    found, mine = budgets(), keep(tables("Table 3a"), metric="attack_auc", alpha="0")
    other = [found["LastFM", "GP-t", "GCN", "attack_auc", c.parameters["epsilon"], "0"] for c in mine]
    return Contradiction(
        PAPER, "Table 3a, AUC of the base case", listed(c.value for c in mine),
        f"{', '.join(c.mean for c in other)} in Table 9: the decimals were cut off, not rounded",
        max(b.value - a.value for a, b in zip(mine, other, strict=True)), mine[0].rounding + other[0].rounding,
        "AUCs printed as whole numbers (Tables 2, 3a and 7) may lie up to one point low")


def exchanged_aucs() -> Contradiction:
    """Cora under GP-t: the AUC of GAT stands at GCN, and the other way round."""
    printed, panel, base, found = table_7("attack_auc"), panels(), at_base("attack_auc"), budgets()
    settings = [("Cora", "GP-t", "GAT"), ("Cora", "GP-t", "GCN")]
    own = [base[s] + over(panel[*s, "attack_auc"], 25) for s in settings]
    eight = [found[*s, "attack_auc", "0.1", ">0"].value for s in settings]
    return Contradiction(
        PAPER, "Tables 2 and 7, Cora, GP-t",
        f"attack AUC {printed[settings[0]].mean} for GAT, {printed[settings[1]].mean} for GCN",
        f"{own[0]:.1f} and {own[1]:.1f} (base case plus the mean of the panel), {listed(eight)} in Table 8: exchanged",
        min(abs(printed[s].value - value) for s, value in zip(settings, own, strict=True)), 1 + 2 * FINE,
        "any comparison of attack AUCs with Tables 2 and 7, and whether GCN is the easiest to attack "
        "(`gp-gcn-more-prone`)")


def lost_signs() -> Contradiction:
    """GConv on Photo loses accuracy with alpha, delta > 0; Table 7 prints a gain."""
    printed, panel, found = table_7("delta_accuracy"), panels(), budgets()
    settings = [(PHOTO, method, "GConv") for method in METHODS]
    own = [over(panel[*s, "accuracy"], 25) for s in settings]
    twelve = [found[*s, "delta_accuracy", "0.1", ">0"].value for s in settings]
    return Contradiction(
        PAPER, "Table 7, Photo, GConv",
        "ΔAcc " + " and ".join(f"{printed[s].mean} ({s[1]})" for s in settings),
        f"{own[0]:.1f} and {own[1]:.1f} (means of the panels), {listed(twelve)} in Table 12: the minus signs are lost",
        min(abs(printed[s].value - value) for s, value in zip(settings, own, strict=True)), 0.5 + FINE,
        "how often α, δ > 0 costs accuracy (`gp-abstract-threshold-tradeoff`)")


def stray_entries() -> Contradiction:
    """Other entries of Table 7, outside Photo, that the mean over all 25 misses by more than a whole last digit."""
    panel, strays = panels(), []
    for metric in ("accuracy", "attack_auc", "delta_accuracy", "delta_attack_auc"):
        kind = metric.removeprefix("delta_")
        base = at_base(kind) if metric == kind else dict.fromkeys(grid(), 0.0)
        for setting, entry in table_7(metric).items():
            own = base[setting] + over(panel[*setting, kind], 25)
            allowed = 2 * entry.rounding + (2 if metric == kind else 1) * FINE
            exchanged = setting[:2] == ("Cora", "GP-t") and metric == "attack_auc"
            if setting[0] != PHOTO and not exchanged and abs(entry.value - own) > allowed + SMALL:
                strays.append((abs(entry.value - own), allowed, entry, own))
    strays.sort(key=lambda stray: stray[1] - stray[0])
    gap, most = strays[0][:2] if strays else (0.0, 0.0)
    return Contradiction(
        PAPER, "Table 7, single cells outside Photo",
        "; ".join(f"{c.dataset} {c.method} {c.backbone} {SHORT[c.metric]} {c.mean}" for _, _, c, _ in strays),
        f"{listed((own for *_, own in strays), '.1f')} (means over all 25 cells of the panels, which fit the cells "
        "around them)", gap, most, "nothing we use; these cells are not to be compared")
