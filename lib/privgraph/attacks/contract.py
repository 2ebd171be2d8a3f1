"""What every attack promises, as a check that anybody can run on one of their own: ``check_attack(my_attack)``."""

import inspect
import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from ..randomness import seeded
from .evaluation import evaluate_attack
from .worlds import World, rows

LEVEL = 1e-6  # how often a sound attack fails one of the two statistical checks, at most
QUANTILE = 4.9  # of a normal distribution, which is exceeded on either side with probability 1e-6


def check_attack(attack: Callable[..., Tensor], world: World | None = None, symmetric: bool | None = None) -> None:
    r"""Raise an ``AssertionError`` that says what an attack does not keep of these promises.

    It gives one finite score for each pair or node, the same each time; leaves what it is given as it is; refuses
    NaN, naming the argument; and where pairs have no direction, (u, v) and (v, u) score alike. *Higher means more
    likely*: in a world where there is something to find its AUC is above one half by an interval of level 1e-6. And
    it invents nothing: where what it gets was drawn without a look at the truth, its AUC lies within

    .. math:: \frac12 \pm 4.9 \sqrt{\frac{m + n + 1}{12 m n}},

    which by the normal approximation fails for one in a million of worlds (ties only make the variance smaller).

    :param attack: scores [n] of ``world``'s arguments, by their names.
    :param world: see ``attacks.worlds``; by default the one that the attack was marked with, or else posteriors of four
        communities, handed in as the first argument, and ``pairs``.
    :param symmetric: whether both directions of a pair must score alike; by default as marked, or else True.

    >>> def dot(posteriors, pairs):
    ...     if posteriors.isnan().any():
    ...         raise ValueError("posteriors must be numbers, got NaN")
    ...     return (posteriors[pairs[0]] * posteriors[pairs[1]]).sum(1)
    >>> check_attack(dot)
    """
    if not callable(attack):
        raise TypeError(f"attack must be a function whose scores are to be checked, got {attack!r}")
    first = next(iter(inspect.signature(attack).parameters))
    world = world or getattr(attack, "world", rows(first))
    symmetric = getattr(attack, "symmetric", True) if symmetric is None else symmetric
    known, truth = world(True, seeded(0))
    before = state(known)
    scores = attack(**known)
    in_form(scores, truth)
    for name, was, now in zip(before, before.values(), state(known).values(), strict=True):
        require(torch.equal(was, now), f"{name} must be left as it is")
    require(torch.equal(scores, attack(**world(True, seeded(0))[0])), "scores must be the same each time")
    if symmetric and "pairs" in known:
        turned = attack(**world(True, seeded(0))[0] | {"pairs": known["pairs"].flip(0)})
        require(torch.allclose(scores, turned), "(u, v) and (v, u) must have the same score")
    refuses_nan(attack, world)
    finds(attack, world)


def state(known: dict) -> dict[str, Tensor]:
    """Copies of all tensors that an attack can change: arguments, weights of a model, the global random state."""
    found = {name: value.clone() for name, value in known.items() if isinstance(value, Tensor)}
    for name, model in known.items():
        if isinstance(model, nn.Module):
            found |= {f"{name}.{part}": value.clone() for part, value in model.state_dict().items()}
    return found | {"the global random state": torch.get_rng_state()}


def require(held: bool, broken: str) -> None:
    if not held:
        raise AssertionError(broken)


def in_form(scores, truth: Tensor) -> None:
    """One finite number for each pair or node."""
    require(isinstance(scores, Tensor) and scores.shape == truth.shape and scores.is_floating_point(),
            f"scores must be a float tensor of shape {list(truth.shape)}, "
            f"got {getattr(scores, 'shape', type(scores).__name__)}")
    odd = int((~scores.isfinite()).sum())
    require(odd == 0, f"scores must be finite, got {odd} that are not")


def refuses_nan(attack: Callable[..., Tensor], world: World) -> None:
    """One NaN in any of the arguments is refused, by the argument's name."""
    for name, value in world(True, seeded(0))[0].items():
        if isinstance(value, Tensor) and value.is_floating_point():
            value = value.clone()
            value.view(-1)[0] = math.nan
            try:
                attack(**world(True, seeded(0))[0] | {name: value})
            except ValueError as error:
                known = (name, "features") if name == "x" else (name,)  # checks that others share spell it out
                require(any(word in str(error) for word in known),
                        f"the refusal of NaN in {name} must name {name}, got {str(error)!r}")
            else:
                raise AssertionError(f"NaN in {name} must be refused")


def finds(attack: Callable[..., Tensor], world: World) -> None:
    """Something where there is something, and nothing where there is nothing."""
    known, truth = world(True, seeded(1))
    found = evaluate_attack(attack(**known), truth, confidence=1 - 2 * LEVEL)
    require(found.auc_low > 0.5, "higher scores must mean more likely: where there is something to find, the AUC is "
            f"{found.auc:.3f} and at least {found.auc_low:.3f} only")
    known, truth = world(False, seeded(2))
    found, positives = evaluate_attack(attack(**known), truth), int(truth.sum())
    negatives = len(truth) - positives
    most = QUANTILE * math.sqrt((positives + negatives + 1) / (12 * positives * negatives))
    require(abs(found.auc - 0.5) <= most, f"where there is nothing to find, the AUC must lie within 0.5 +- {most:.3f}, "
            f"got {found.auc:.3f}")
