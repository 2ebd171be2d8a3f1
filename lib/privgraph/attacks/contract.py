"""What every attack promises, as a check that anybody can run on one of their own: ``check_attack(my_attack)``."""

import inspect
import math
from collections.abc import Callable, Iterator

import torch
from scipy import stats
from torch import Tensor, nn

from ..randomness import seeded
from .evaluation import evaluate_attack
from .worlds import Layout, World, of_pairs, rows

LEVEL = 1e-6  # how often a sound attack fails one of the statistical checks, at most
ROUNDING = 1e-5  # of the range of all scores: what sums in another order may change
QUANTILE = 4.9  # of a normal distribution, which is exceeded on either side with probability 1e-6


def check_attack(attack: Callable[..., Tensor], world: World | None = None, symmetric: bool | None = None) -> None:
    r"""Raise an ``AssertionError`` that says what an attack does not keep of these promises.

    It gives one finite score for each pair or node, the same each time; leaves what it is given as it is; refuses
    NaN, naming the argument; and where pairs have no direction, (u, v) and (v, u) score alike. *A score is of its own
    question*: it is the same, but for rounding, at another place in the list, beside other questions, asked once or
    twice, and where all nodes have other numbers. The rounding must not go with places, with how often nodes are asked
    about, or with distance or sum of their numbers, so that none of these counts with the least weight. *Higher means
    more likely*: in a world where there is something to find its AUC is above one half by an interval of level 1e-6.
    And *it invents nothing*: where what it gets was drawn without a look at the truth, its AUC lies within

    .. math:: \frac12 \pm 4.9 \sqrt{\frac{m + n + 1}{12 m n}},

    which by the normal approximation fails for one in a million of worlds (ties only make the variance smaller).

    :param attack: scores [n] of ``world``'s arguments, by their names.
    :param world: see ``attacks.worlds``; by default the one that the attack was marked with, or else posteriors of four
        communities, handed in as the first argument, and ``pairs``. One that has neither a ``layout`` nor ``pairs``
        cannot be asked in other ways.
    :param symmetric: whether both directions of a pair must score alike; by default as marked, or else True.
    :raises TypeError: for what cannot be called.

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
    layout = getattr(world, "layout", of_pairs() if "pairs" in known else None)
    if layout is not None:
        speaks_of_its_own_question(attack, world, layout, scores)
        does_not_read_numbers(attack, world, layout, scores)
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


def speaks_of_its_own_question(attack: Callable[..., Tensor], world: World, layout: Layout, scores: Tensor) -> None:
    """A score is the same at another place, beside other questions, and where it is asked for twice; and its rounding
    does not go with how far it moved in the list, or how much more often its nodes are asked about."""
    before = world(True, seeded(0))[0]
    for why, which in other_lists(scores, layout.together):
        known = layout.ask(world(True, seeded(0))[0], which)
        causes = [which - torch.arange(len(which))]
        if "pairs" in known:
            causes.append(times(known["pairs"]) - times(before["pairs"])[which])
        change = answered(attack, known, which, why) - scores[which]
        require(small(change, scores) and not any(goes_with(change, cause) for cause in causes),
                f"{why}, a score changes by up to {largest(change):.3g}")
    if not layout.together:
        same_place(attack, world, layout, scores)


def other_lists(scores: Tensor, together: bool) -> Iterator[tuple[str, Tensor]]:
    """Other lists of the same questions, and what a score does not keep of its promise where it changes with them."""
    n, generator = len(scores), seeded(3)
    order = torch.randperm(n, generator=generator)
    yield "the place in the list must not count: asked in another order", order
    if not together:
        yield "how often a node is asked about must not count: asked everything twice", order.repeat(2)
        some = torch.cat([order[:n // 2], order[:n // 8]])
        yield "what else is asked must not count: asked half of it, some twice", some


def times(pairs: Tensor) -> Tensor:
    """How often the two nodes of each pair are asked about, int64 [n]."""
    return torch.bincount(pairs.flatten())[pairs].sum(0)


def same_place(attack: Callable[..., Tensor], world: World, layout: Layout, scores: Tensor) -> None:
    """Three questions, each asked at each third place of a list: as all is calculated from equal numbers, not even the
    rounding differs (three units of the last place are granted). So a place shows however small its weight is."""
    size = scores.abs()
    three = torch.stack([size.argmin(), size.argsort()[len(size) // 2], size.argmax()])
    why, which = "the place in the list must not count: asked the same at many places", three.repeat(128)
    asked = answered(attack, layout.ask(world(True, seeded(0))[0], which), which, why).view(128, 3)
    apart = asked.amax(0) - asked.amin(0)
    granted = 3 * torch.finfo(asked.dtype).eps * asked.abs().amax(0)
    require(bool((apart <= granted).all()), f"{why}, its scores differ by {largest(apart):.3g}")


def does_not_read_numbers(attack: Callable[..., Tensor], world: World, layout: Layout, scores: Tensor) -> None:
    """The same nodes with other numbers have the same scores; or as near as with other randomness of the attacker's."""
    known = world(True, seeded(0))[0]
    order = torch.randperm(layout.count_nodes(known), generator=seeded(4))
    if not len(order):
        return
    why = "the numbers of nodes must not count: with others"
    change = answered(attack, layout.renumber(world(True, seeded(0))[0], order), scores, why) - scores
    granted = 4 * largest(attack(**known | {"generator": seeded(5)}) - scores) if "generator" in known else 0.0
    require(small(change, scores, granted), f"{why}, a score changes by up to {largest(change):.3g}")
    if "pairs" in known:
        old, new = known["pairs"], order.argsort()[known["pairs"]]
        for what, cause in (("distance", (new[0] - new[1]).abs() - (old[0] - old[1]).abs()),
                            ("sum", new.sum(0) - old.sum(0))):
            require(not goes_with(change, cause), f"{why}, scores change with the {what} of the two numbers")


def answered(attack: Callable[..., Tensor], known: dict, asked: Tensor, why: str) -> Tensor:
    """One score for each question; a list that it cannot be asked breaks the promise too."""
    try:
        scores = attack(**known)
    except Exception as error:
        raise AssertionError(f"{why}, it fails: {error}") from error
    require(isinstance(scores, Tensor) and scores.shape == (len(asked),),
            f"{why}, there must be {len(asked)} scores, got {getattr(scores, 'shape', scores)}")
    return scores


def small(change: Tensor, scores: Tensor, granted: float = 0.0) -> bool:
    """Whether it is but rounding, beside all scores."""
    return largest(change) <= max(ROUNDING * float(scores.max() - scores.min()), granted)


def goes_with(change: Tensor, cause: Tensor) -> bool:
    """Whether what changed grows, or falls, with a cause: by the correlation of ranks, at level 1e-6."""
    if any(bool((each == each[0]).all()) for each in (change, cause)):
        return False
    return bool(stats.spearmanr(change.detach().numpy(), cause.numpy()).pvalue < LEVEL)


def largest(change: Tensor) -> float:
    return float(change.detach().abs().max())


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
