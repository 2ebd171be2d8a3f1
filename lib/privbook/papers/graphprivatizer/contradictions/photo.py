"""Amazon Photo, whose tables and figures tell of different runs, and averages with and without it."""

import math

import numpy as np

from ...contradictions import FINE, SMALL, Contradiction, listed, pick
from ...published import Printed
from .entries import (
    DATASETS,
    GP,
    METRICS,
    OTHERS,
    PAPER,
    PHOTO,
    budgets,
    grid,
    over,
    panels,
    table_6,
    tables,
    utility_gaps,
)


def table_6_on_photo() -> Contradiction:
    """Table 6 is GP-t at epsilon .1 and (alpha, delta) = (.5, 0), which its caption does not say; Photo is not."""
    found, panel, gap = budgets(), panels(), {}
    for metric in METRICS:
        for (dataset, backbone), entry in table_6(metric, GP).items():
            setting = dataset, "GP-t", backbone, metric
            own = found[*setting, "0.1", "0"].value + panel[setting]["0.5", "0"]
            gap[dataset, backbone, metric] = abs(entry.value - own)
    photo = [value for (dataset, *_), value in gap.items() if dataset == PHOTO]
    rest = [value for (dataset, *_), value in gap.items() if dataset != PHOTO]
    fits = sum(value <= 3 * FINE + SMALL for value in rest)
    mean = [np.mean([c.value for s, c in table_6(f"delta_{m}", "GP minus RR").items() if s[0] == PHOTO])
            for m in METRICS]
    one_a = [pick(tables("Table 1a"), dataset=PHOTO, metric=f"delta_{m}").mean for m in METRICS]
    return Contradiction(
        PAPER, "Table 6, Photo", f"{len(photo)} accuracies and AUCs of GraphPrivatizer, ε not stated",
        f"base case plus the panel's cell (0.5, 0) gives {fits} of {len(rest)} on the other graphs (GP-t, ε = 0.1) "
        f"and on Photo misses by up to {max(photo):.1f}. Photo's differences average {mean[0]:.2f} and {mean[1]:.2f}, "
        f"Table 1a's {one_a[0]} and {one_a[1]} for all budgets together",
        max(photo), 3 * FINE, "Table 6 beside ours: Photo's GP columns cannot be placed; the columns without edge "
        "privacy are not concerned")


def table_1b_on_photo() -> Contradiction:
    """The utility gap is a difference of two columns of Table 6."""
    printed = {(c.dataset, c.method): c for c in tables("Table 1b")}
    gap = {key: abs(c.value - np.mean(utility_gaps(key[1], [key[0]]))) for key, c in printed.items()}
    entry, own = printed[PHOTO, GP], utility_gaps(GP, [PHOTO])
    fits = sum(value <= 3 * FINE + SMALL for key, value in gap.items() if key != (PHOTO, GP))
    return Contradiction(
        PAPER, "Table 1b, Photo", f"utility gap {entry} for GraphPrivatizer",
        f"{np.mean(own):.2f} ± {np.std(own, ddof=1):.2f} from Table 6, which gives the other {fits} of {len(gap) - 1}",
        float(gap[PHOTO, GP]), 3 * FINE, "`gp-table-1b-gap`")


def said(metric: str, method: str) -> Printed:
    """An average of section 5.1."""
    return pick(tables("running text"), metric=f"{metric}_LPGNN", method=method)


def averages_without_photo() -> Contradiction:
    """Section 5.1 speaks of all data sets; three of its four averages leave out Photo."""
    cases = [(said("accuracy_decrease_from", GP), GP, "accuracy"),
             (said("accuracy_decrease_from", "RR"), "RR", "accuracy"),
             (said("attack_auc_improvement_over", "RR"), "RR", "attack_auc")]
    every = [float(np.mean(utility_gaps(method, DATASETS, metric))) for _, method, metric in cases]
    some = [float(np.mean(utility_gaps(method, OTHERS, metric))) for _, method, metric in cases]
    return Contradiction(
        PAPER, "Section 5.1",
        f"{', '.join(c.mean for c, *_ in cases)} across all data sets (accuracy of GP and RR, AUC of RR)",
        f"{listed(every, '.2f')} over all of Table 6; {listed(some, '.2f')} without Photo",
        min(abs(c.value - value) for (c, *_), value in zip(cases, every, strict=True)), 3 * FINE, "`gp-6-6-auc-points`")


def auc_points_of_gp() -> Contradiction:
    """The fourth average of section 5.1 follows neither with nor without Photo."""
    entry = said("attack_auc_improvement_over", GP)
    every, some = (float(np.mean(utility_gaps(GP, datasets, "attack_auc"))) for datasets in (DATASETS, OTHERS))
    other = [float(np.mean(utility_gaps("RR", datasets, "attack_auc"))) for datasets in (DATASETS, OTHERS)]
    return Contradiction(
        PAPER, "Section 5.1", f"GraphPrivatizer lowers the AUC by {entry.mean} points",
        f"{every:.2f} from Table 6, {some:.2f} without Photo; the baseline's {listed(other, '.2f')} is more",
        min(abs(entry.value - every), abs(entry.value - some)), 3 * FINE,
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
        PAPER, "Table 12, Photo, SAGE", f"base AUC {eight.mean} at ε = 8 and {none.mean} at ε = ∞ (GP-t)",
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
        PAPER, "Table 12 and Figures 3 to 15, Photo",
        f"averages over 16 cells: in Table 12, {worst[2]}, {worst[1]}, a ΔAUC of {pair[worst][0]:.1f}",
        f"{over(panel[worst], 16):.1f} from the 16 cells of its panel. {wide} of {len(photo)} averages of Photo are "
        f"further off than rounding takes them; the {len(rest)} of the other graphs are within {max(rest):.2f}",
        gap[worst], 3 * FINE, "Photo: Table 12 and the figures cannot both be of the same runs; compare with one")
