"""How good an attack is: the AUC and the share of edges found at 1% false alarms, with intervals; the macro F1."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from scipy import special
from torch import Tensor

from ..checks import check_delta, check_number, check_tensor
from ..privacy.limits import upper_limit


@dataclass(frozen=True)
class AttackResult:
    """Two measures of one attack on ``n`` pairs, each with the limits of its confidence interval.

    :param auc: from 0 to 1.
    :param auc_low: the lower limit of the AUC.
    :param auc_high: the upper limit of the AUC.
    :param tpr_at_1_fpr: the share of edges found at 1% false positives, from 0 to 1.
    :param tpr_low: the lower limit of that share.
    :param tpr_high: the upper limit of that share.
    """

    auc: float
    auc_low: float
    auc_high: float
    tpr_at_1_fpr: float
    tpr_low: float
    tpr_high: float
    n: int

    def __str__(self) -> str:
        return (f"AUC {self.auc:.3f} [{self.auc_low:.3f}, {self.auc_high:.3f}], TPR at 1% FPR {self.tpr_at_1_fpr:.3f} "
                f"[{self.tpr_low:.3f}, {self.tpr_high:.3f}], {self.n} pairs")


def evaluate_attack(scores: Tensor, linked: Tensor, confidence: float = 0.95) -> AttackResult:
    r"""The AUC and the true positive rate at 1% false positives of scores for pairs of nodes.

    .. math:: \mathrm{AUC} = \Pr[s_{\text{edge}} > s_{\text{other}}] + \tfrac12 \Pr[s_{\text{edge}} = s_{\text{other}}]

    The interval of the AUC uses the variance of DeLong, DeLong and Clarke-Pearson (1988) on the logit scale, where
    it cannot leave [0, 1]. With 500 + 500 normal scores it covered 94 to 95% up to an AUC of .99, 92.5% at .999.

    TPR: a pair is accused when its score lies *above* that of all non-edges but the highest 1% (rounded down: with
    fewer than 100 non-edges, above all of them). Ties are not accused, so at most 1% of the sampled non-edges are,
    and scores of few values, as bits are, may find nothing. The interval is Clopper and Pearson's for the share
    found at this threshold; the threshold's own false positive rate is only estimated.

    The intervals speak of this graph and this release: what all edges and all non-edges would give, from which
    the pairs were drawn. They say nothing about another release or another training run.

    :param scores: float [n], higher = more likely an edge; infinite is allowed, NaN is not.
    :param linked: bool [n], at least two of each kind.

    >>> print(evaluate_attack(torch.tensor([3.0, 2.0, 1.0, 0.0]), torch.tensor([True, False, True, False])))
    AUC 0.750 [0.069, 0.992], TPR at 1% FPR 0.500 [0.013, 0.987], 4 pairs
    """
    check_scores(scores, linked)
    error = (1 - check_delta(confidence, "confidence")) / 2
    values, linked = scores.detach().cpu().double().numpy(), linked.cpu().numpy()
    positives, negatives = values[linked], values[~linked]
    allowed = len(negatives) // 100
    found, m = int((positives > np.sort(negatives)[-1 - allowed]).sum()), len(positives)
    return AttackResult(*auc_interval(positives, negatives, error), found / m, 1 - upper_limit(m - found, m, error),
                        upper_limit(found, m, error), len(values))


def auc_interval(positives: np.ndarray, negatives: np.ndarray, error: float) -> tuple[float, float, float]:
    r"""The AUC and its limits, each missed with probability ``error`` (nearly, by the central limit theorem).

    .. math:: \mathrm{logit}\,A \pm z \frac{\sqrt{S_{10} / m + S_{01} / n}}{A (1 - A)}

    S are the sample variances of the placements. They are 0 only where all edges lie above all non-edges, or
    below, or all scores are equal. Then k = min(m, n) disjoint comparisons all had the same outcome, so with
    confidence 1 - error at least a share :math:`r = \text{error}^{1/k}` of all comparisons has it, and

    .. math:: r A \le \mathrm{AUC} \le r A + (1 - r).
    """
    beaten, beating = placements(positives, negatives)
    m, n, auc = len(beaten), len(beating), float(beaten.mean())
    deviation = np.sqrt(beaten.var(ddof=1) / m + beating.var(ddof=1) / n)
    if deviation == 0:
        share = error ** (1 / min(m, n))
        return auc, share * auc, share * auc + (1 - share)
    half = -special.ndtri(error) * deviation / (auc * (1 - auc))
    return auc, float(special.expit(special.logit(auc) - half)), float(special.expit(special.logit(auc) + half))


def placements(positives: np.ndarray, negatives: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each positive the share of negatives below it [m], for each negative that of positives above it [n].

    A tie counts half. By sorting, in O((m + n) log(m + n)).
    """
    below = count_below(np.sort(negatives), positives)
    above = len(positives) - count_below(np.sort(positives), negatives)
    return below / len(negatives), above / len(positives)


def count_below(ordered: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each value, how many of ``ordered`` are smaller, plus half of those that are equal."""
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / 2


def macro_f1(scores: Tensor, linked: Tensor, threshold: float = 0.0) -> float:
    r"""The mean over both answers, yes and no, of :math:`2 \,TP / (2 \,TP + FP + FN)`.

    "A link" is said where the score is *above* the threshold. Unlike the AUC it depends on that threshold, and on how
    many pairs of each kind there are. Where they are equally many, a fair coin reaches about 1/2, one answer to all
    1/3.

    :param scores: float [n], higher = more likely an edge.
    :param linked: bool [n], at least two of each kind.
    :param threshold: above which an edge is named.
    :returns: a share in [0, 1].

    >>> macro_f1(torch.tensor([2.0, 1.0, -1.0, -2.0]), torch.tensor([True, False, True, False]))
    0.5
    """
    check_scores(scores, linked)
    said, linked = scores.detach().cpu() > check_number(threshold, "threshold"), linked.cpu()
    return float(mean_f1(int((said & linked).sum()), int((~said & ~linked).sum()), len(linked)))


def best_threshold(scores: Tensor, linked: Tensor) -> float:
    """The threshold with the best macro F1 on these pairs: halfway between two scores, or ``-inf``, "all are links".

    Of several that are equally good, the lowest. It is chosen on pairs whose answers the attacker has been told.

    :param scores: float finite, [n].
    :param linked: bool [n], at least two of each kind.
    :raises ValueError: for infinite scores.

    >>> best_threshold(torch.tensor([4.0, 3.0, 1.0, 0.0]), torch.tensor([True, True, False, False]))
    2.0
    """
    check_scores(scores, linked)
    if (infinite := int(scores.isinf().sum())) > 0:
        raise ValueError(f"scores must be finite to choose a threshold, got {infinite} that are not")
    values, order = scores.detach().cpu().double().sort()
    lost = np.concatenate([[0], linked.cpu()[order].numpy().cumsum()])[:-1]  # links among the i lowest scores
    i = np.arange(len(values))
    reached = mean_f1(lost[-1] + int(linked[order[-1]]) - lost, i - lost, len(values))
    tied = np.diff(values.numpy(), prepend=-np.inf) == 0
    best = int(np.where(tied, -1, reached).argmax())  # equal scores get one answer
    return float(values[best - 1] + values[best]) / 2 if best else -math.inf


def mean_f1(found, refused, n: int):
    """The macro F1 of n answers, of which so many found a link and so many rightly saw none; numbers or arrays."""
    wrong = n - found - refused
    return found / np.maximum(2 * found + wrong, 1) + refused / np.maximum(2 * refused + wrong, 1)


def check_scores(scores: Tensor, linked: Tensor) -> None:
    if check_tensor(scores, "scores").dim() != 1 or scores.shape != check_tensor(linked, "linked").shape:
        raise ValueError("scores and linked must have the same shape [n], "
                         f"got {list(scores.shape)} and {list(linked.shape)}")
    if linked.dtype != torch.bool:
        raise ValueError(f"linked must be a bool tensor, got {linked.dtype}")
    if (missing := int(scores.isnan().sum())) > 0:
        raise ValueError(f"scores must be numbers, got {missing} NaN")
    edges = int(linked.sum())
    if min(edges, len(linked) - edges) < 2:
        raise ValueError("linked must hold at least two edges and two non-edges, "
                         f"got {edges} and {len(linked) - edges}")
