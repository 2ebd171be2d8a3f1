"""Membership: was this node among those that a model was trained on?

Two attackers. The first trains one shadow model on data of its own and learns what answers members get (Olatunji,
Nejdl and Khosla 2021, after Shokri et al. 2017). The second trains many shadow models and asks of each node how its
own answer differs with and without it (Carlini et al. 2022, the likelihood-ratio attack, "LiRA"); or, where it does not
know in time whom it will ask about, how far its answer lies above those of models without it ("offline").
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import (
    check_choice,
    check_count,
    check_fraction,
    check_generator,
    check_labels,
    check_learning_rate,
    check_mask,
    check_number,
    check_tensor,
)
from ..late import pyg
from ..randomness import torch_seeded
from .posterior import check_rows
from .worlds import many_shadows, one_model, one_shadow, tried_on

WIDTHS = (100, 50)  # of the attack model's hidden layers
LEAST = 1e-6  # a smaller deviation is taken for this one
VARIANCES = ("shared", "own")
SOME = {1: "some", 2: "two or more"}


@tried_on(one_shadow)
def shadow_attack(shadow: Tensor, member: Tensor, target: Tensor, generator: torch.Generator, epochs: int = 200,
                  learning_rate: float = 0.01) -> Tensor:
    """Learn from a shadow model's answers who is a member, and say it of the target model's answers.

    Answers are sorted, so that the attack model sees how sure a model is and not of which class.

    :param shadow: posteriors float [n, C] of the shadow model.
    :param member: bool [n], who trained it; some of each.
    :param target: posteriors float [m, C] of the attacked model.
    :returns: float [m], higher = more likely a member.
    :raises ValueError: where both have different numbers of classes.
    """
    check_generator(generator), check_rows(shadow, "shadow"), check_rows(target, "target")
    epochs, learning_rate = check_count(epochs, "epochs", low=1), check_learning_rate(learning_rate, "learning_rate")
    check_members(member, shadow.size(0))
    if shadow.size(1) != target.size(1):
        raise ValueError(f"shadow and target must have the same classes, got {shadow.size(1)} and {target.size(1)}")
    with torch_seeded(generator):
        model = pyg.nn.MLP([shadow.size(1), *WIDTHS, 1], norm=None)
        optimiser = torch.optim.Adam(model.parameters(), lr=learning_rate)
        x, y = shadow.sort(1, descending=True).values, member.float()
        balance = (1 - y.mean()) / y.mean()  # as if members and others were equally many
        for _ in range(epochs):
            optimiser.zero_grad()
            F.binary_cross_entropy_with_logits(model(x).view(-1), y, pos_weight=balance).backward()
            optimiser.step()
    with torch.no_grad():
        return model(target.sort(1, descending=True).values).view(-1)


@tried_on(one_model)
def confidence(posteriors: Tensor, y: Tensor) -> Tensor:
    r""":math:`\ln \frac{p}{1 - p}` of the true class, float64 [n]: about normal over trainings, which p is not.

    :param posteriors: float [n, C], rows of probabilities.
    :param y: int64 [n], the true classes.
    :raises ValueError: where there are not as many labels as rows.

    >>> confidence(torch.tensor([[0.5, 0.5], [0.75, 0.25]]), torch.tensor([0, 0]))
    tensor([0.0000, 1.0986], dtype=torch.float64)
    """
    check_rows(posteriors, "posteriors"), check_labels(y, posteriors.size(1))
    if len(y) != len(posteriors):
        raise ValueError(f"y must have a label for each of {len(posteriors)} rows, got {len(y)}")
    rows = posteriors.double()
    own = rows.gather(1, y[:, None])[:, 0]
    rest = rows.sum(1) - own
    return own.clamp_min(1e-30).log() - rest.clamp_min(1e-30).log()


@tried_on(many_shadows)
def likelihood_ratio(target: Tensor, shadows: Tensor, member: Tensor, variance: str = "shared") -> Tensor:
    r"""How much more likely a node's confidence is if it was a member, by what S shadow models say of it.

    .. math:: \ln N(t;\, \mu_{\text{in}}, \sigma_{\text{in}}) - \ln N(t;\, \mu_{\text{out}}, \sigma_{\text{out}})

    The means are each node's own, over the shadow models that had it and those that had not. The deviations are
    shared by all nodes, which Carlini et al. advise for few shadow models, or each node's own.

    :param target: confidences float [m] of the attacked model.
    :param shadows: those of the shadow models, float [S, m].
    :param member: bool [S, m], whom each shadow model was trained on; each node at least once, and once not; for
        deviations of its own twice.
    :param variance: "shared" or "own".
    :returns: float64 [m], higher = more likely a member.
    :raises ValueError: for shapes that do not go together, for numbers that are not finite, and for a node that too
        many shadow models had, or too few.
    """
    least = check_shadows(target, shadows, member, variance)
    counts = member.sum(0)
    if (lonely := int(((counts < least) | (counts > len(member) - least)).sum())) > 0:
        raise ValueError(f"each node must be a member of {SOME[least]} shadow models and not of others, "
                         f"got {lonely} that are not")
    scores = []
    for side in (member, ~member):
        mean, deviation = usual(shadows, side, variance)
        scores.append(-((target - mean) / deviation).square() / 2 - deviation.log())
    return (scores[0] - scores[1]).double()


@tried_on(many_shadows)
def offline_likelihood(target: Tensor, shadows: Tensor, member: Tensor, variance: str = "shared") -> Tensor:
    r"""How far a node's confidence lies above what models say of it that were *not* trained on it.

    .. math:: s = \frac{t - \mu_{\text{out}}}{\sigma_{\text{out}}}, \qquad
              \Pr[N(\mu_{\text{out}}, \sigma_{\text{out}}) > t] = 1 - \Phi(s)

    The likelihood-ratio attack "offline": nobody need be known when the shadow models are trained, so these serve for
    all whom one asks about later. Carlini et al. score by :math:`\Phi(s)`, which has the same order and is rounded to 1
    for the surest. It cannot tell whether a confidence is that of a member, only that it is unusual for others.

    :param target: confidences float [m] of the attacked model.
    :param shadows: those of the shadow models, float [S, m].
    :param member: bool [S, m], whom each shadow model was trained on, so that it does not count; each node must be
        missing from one at least, for deviations of its own from two.
    :param variance: "shared" or "own".
    :returns: float64 [m], higher = more likely a member.
    :raises ValueError: for shapes that do not go together, for numbers that are not finite, and for a node that too
        many shadow models had.
    """
    least = check_shadows(target, shadows, member, variance)
    if (lonely := int(((~member).sum(0) < least).sum())) > 0:
        raise ValueError(f"each node must be no member of {SOME[least]} shadow models, got {lonely} that are")
    mean, deviation = usual(shadows, ~member, variance)
    return ((target - mean) / deviation).double()


def usual(shadows: Tensor, side: Tensor, variance: str) -> tuple[Tensor, Tensor]:
    """Each node's mean [m] over its shadow models of one ``side`` [S, m], and the deviation, of all [] or its own [m].
    """
    mean = (shadows * side).sum(0) / side.sum(0)
    squares = (shadows - mean).square() * side
    if variance == "own":
        return mean, (squares.sum(0) / (side.sum(0) - 1)).sqrt().clamp_min(LEAST)
    free = (side.sum() - side.size(1)).clamp_min(1)  # one mean was estimated for each node
    return mean, (squares.sum() / free).sqrt().clamp_min(LEAST)


def check_shadows(target: Tensor, shadows: Tensor, member: Tensor, variance: str) -> int:
    """How many shadow models of either kind a node needs."""
    check_choice(variance, "variance", VARIANCES)
    for value, name in ((target, "target"), (shadows, "shadows"), (member, "member")):
        check_tensor(value, name)
    if shadows.dim() != 2 or shadows.shape != member.shape or target.shape != shadows.shape[1:]:
        raise ValueError("target, shadows and member must have shapes [m], [S, m] and [S, m], "
                         f"got {list(target.shape)}, {list(shadows.shape)} and {list(member.shape)}")
    if member.dtype != torch.bool:
        raise ValueError(f"member must be a bool tensor, got {member.dtype}")
    if not (target.isfinite().all() and shadows.isfinite().all()):
        raise ValueError("target and shadows must be finite, got NaN or infinite values")
    return 1 + (variance == "own")


def rate_ceiling(epsilon: float, delta: float, false_positive_rate: float = 0.01) -> float:
    r"""The largest true positive rate that (epsilon, delta)-DP allows at a false positive rate f, for one person.

    .. math:: \min\big(e^{\varepsilon} f + \delta,\; 1 - e^{-\varepsilon} (1 - f - \delta)\big)

    (Kairouz, Oh and Viswanath 2015, both lines of the region.) It holds for a test of one person's presence, all
    else fixed; members and others that differ in other ways, by their classes for instance, are told apart anyway.

    :param false_positive_rate: f, from 0 to 1.

    >>> round(rate_ceiling(1.0, 0.0), 4), rate_ceiling(math.inf, 0.0)
    (0.0272, 1.0)
    """
    epsilon = check_number(epsilon, "epsilon", low=0, allowed="be at least 0")
    delta, false_positive_rate = (check_fraction(delta, "delta", closed=True),
                                  check_fraction(false_positive_rate, "false_positive_rate", closed=True))
    first = math.inf if epsilon > 700 else math.exp(epsilon) * false_positive_rate + delta
    return min(1.0, first, 1 - math.exp(-epsilon) * (1 - false_positive_rate - delta))


def check_members(member: Tensor, count: int) -> Tensor:
    if check_mask(member, "member", count).all() or not member.any():
        raise ValueError(f"member must hold members and others, got {int(member.sum())} members of {count}")
    return member
