"""Links from published vectors: attackers from weak to strong, each a function from vectors and pairs to scores.

``inner_product`` and ``closeness`` learn nothing. ``mlp_links`` is the dissertation's attacker (section 3.4.1), trained
to its end; ``boosted_links`` is given the same pairs and asked the same. They learn from links that were exposed, none
of which is sensitive. ``shadow_links`` knows the defence: she learns from vectors that the same defence published of
a graph of her own, where she knows the links that it hid.

Those who learn give the logarithm of the odds of a link, in double precision: a probability would be rounded to 1, and
the order of the surest pairs, on which the true positive rate at 1% false alarms hangs, would be lost.
"""

import copy
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from sklearn.ensemble import HistGradientBoostingClassifier
from torch import Tensor, nn

from ..checks import check_count, check_generator, check_mask, check_pairs, check_sequence
from ..late import pyg
from ..nn import History
from ..nn.training import flushed_denormals, load_best
from ..randomness import draw_seed, torch_seeded
from .node_pairs import in_blocks
from .posterior import check_rows, cosine_similarity
from .worlds import known_links, rows, tried_on

WIDTHS = (64, 32)  # of the hidden layers of the attacker's network
BATCH, RATE = 512, 0.003
EVERY, PATIENCE = 50, 20  # steps between two looks at the pairs held out, and looks without progress
HELD_OUT = 0.2  # of the exposed pairs
LEAST = 10  # pairs from which anything is learnt


@tried_on(rows("z"))
def inner_product(z: Tensor, pairs: Tensor) -> Tensor:
    r"""What GAE's own decoder reads of the vectors: :math:`s(u, v) = z_u \cdot z_v`.

    :param z: float [N, d], what was published.
    :param pairs: int64 [2, n].
    :returns: float64 [n].

    >>> inner_product(torch.tensor([[1.0, 2.0], [3.0, 0.0]]), torch.tensor([[0], [1]])).tolist()
    [3.0]
    """
    check_pairs(pairs, len(check_rows(z, "z")))
    return (z[pairs[0]].double() * z[pairs[1]].double()).sum(1)


@tried_on(rows("z"))
def closeness(z: Tensor, pairs: Tensor) -> Tensor:
    r"""Minus the Euclidean distance: :math:`s(u, v) = -\|z_u - z_v\|`, float64 [n].

    :param z: float [N, d], what was published.
    :param pairs: int64 [2, n].

    >>> closeness(torch.tensor([[1.0, 2.0], [1.0, 0.0]]), torch.tensor([[0], [1]])).tolist()
    [-2.0]
    """
    check_pairs(pairs, len(check_rows(z, "z")))
    return -(z[pairs[0]].double() - z[pairs[1]].double()).norm(dim=1)


@tried_on(known_links)
def mlp_links(z: Tensor, pairs: Tensor, known: Tensor, linked: Tensor, generator: torch.Generator,
              steps: int = 20_000) -> Tensor:
    """The dissertation's attacker: a multi-layer perceptron that reads the vectors of both, one after the other.

    Its widths, rates and length of training are not printed. Ours has two hidden layers, trains by Adam on batches in
    which both orders of a pair are equally likely, holds out a fifth of the exposed pairs, and keeps the weights that
    are best there. It ends when it has not got better for a thousand steps; ``train_on_pairs`` has the losses. The
    score is the mean over both orders, so that a pair has no direction.

    :param z: float [N, d], what was published.
    :param pairs: int64 [2, n], asked about.
    :param known: int64 [2, k], exposed pairs, at least ten.
    :param linked: bool [k], which of them are links.
    :param steps: at most, and at least fifty; few of them make an attacker that has not learnt yet.
    :returns: float64 [n], the logarithm of the odds.
    """
    check_pairs(pairs, len(check_rows(z, "z")))
    model, _ = train_on_pairs(z, known, linked, generator, steps)
    x = standardized(z)
    with torch.no_grad():
        return in_blocks(lambda part: both_orders(model, x, part), pairs)


def train_on_pairs(z: Tensor, known: Tensor, linked: Tensor, generator: torch.Generator,
                   steps: int = 20_000) -> tuple[nn.Module, History]:
    """The network of ``mlp_links``, and how its training went.

    :param z: float [N, d], what was published.
    :param known: int64 [2, k], exposed pairs, at least ten.
    :param linked: bool [k], which of them are links.
    :param steps: of training, at least ``EVERY``.
    :returns: the network with its best weights, and a history in units of ``EVERY`` steps: the mean loss of the
        batches, the loss on the pairs held out, and where that was least.
    """
    check_generator(generator), check_known(known, linked, len(check_rows(z, "z")))
    most, x, y, history = check_count(steps, "steps", low=EVERY) // EVERY, standardized(z), linked.float(), History()
    held, rest = torch.randperm(len(y), generator=generator).tensor_split([round(HELD_OUT * len(y))])
    with torch_seeded(generator), flushed_denormals():
        model = pyg.nn.MLP([2 * x.size(1), *WIDTHS, 1], norm=None)
        optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
        while len(history.val) < most and len(history.val) - history.best_epoch <= PATIENCE:
            history.train.append(train_a_while(model, optimiser, x, known[:, rest], y[rest]))
            with torch.no_grad():
                logits = both_orders(model, x, known[:, held])
                history.val.append(float(F.binary_cross_entropy_with_logits(logits, y[held].double())))
            if history.val[-1] <= min(history.val):
                best, history.best_epoch = copy.deepcopy(model.state_dict()), len(history.val) - 1
    load_best(model, best, history)
    return model, history


def train_a_while(model: nn.Module, optimiser: torch.optim.Optimizer, x: Tensor, pairs: Tensor, y: Tensor) -> float:
    """``EVERY`` steps on batches of pairs, each in one of its two orders; their mean loss."""
    total = 0.0
    for _ in range(EVERY):
        batch = torch.randint(len(y), (BATCH,))
        batch_pairs = torch.where(torch.rand(BATCH) < 0.5, pairs[:, batch], pairs[:, batch].flip(0))
        loss = F.binary_cross_entropy_with_logits(in_order(model, x, batch_pairs), y[batch])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total += float(loss.detach())
    return total / EVERY


def in_order(model: nn.Module, x: Tensor, pairs: Tensor) -> Tensor:
    """The network's logit for u before v, float [n]."""
    return model(torch.cat([x[pairs[0]], x[pairs[1]]], 1)).view(-1)


def both_orders(model: nn.Module, x: Tensor, pairs: Tensor) -> Tensor:
    """The mean logit over both orders, float64 [n]."""
    return (in_order(model, x, pairs).double() + in_order(model, x, pairs.flip(0)).double()) / 2


@tried_on(known_links)
def boosted_links(z: Tensor, pairs: Tensor, known: Tensor, linked: Tensor, generator: torch.Generator,
                  beside: Sequence[Callable[[Tensor], Tensor]] = ()) -> Tensor:
    """Gradient-boosted trees on what a pair's vectors have in common, see ``pair_features``; else as ``mlp_links``.

    They take whatever else is known of a pair: all that an attacker has can be judged together.

    :param z: float [N, d], what was published.
    :param pairs: int64 [2, n], asked about.
    :param known: int64 [2, k], exposed pairs, at least ten.
    :param linked: bool [k], which of them are links.
    :param beside: scores of pairs that she has beside the vectors: ``[partial(adamic_adar, edge_index, num_nodes)]``.
    :returns: float64 [n], the logarithm of the odds.
    """
    check_sequence(beside, "beside", "functions")
    check_generator(generator), check_pairs(pairs, len(check_rows(z, "z"))), check_known(known, linked, len(z))
    model = HistGradientBoostingClassifier(random_state=draw_seed(generator) % 2**32)
    model.fit(pair_features(z, known, beside).numpy(), linked.numpy())
    return in_blocks(lambda part: torch.from_numpy(model.decision_function(pair_features(z, part, beside).numpy())),
                     pairs)


def pair_features(z: Tensor, pairs: Tensor, beside: Sequence[Callable[[Tensor], Tensor]] = ()) -> Tensor:
    r"""What trees are told of a pair, the same in both directions, float64 [n, 2 d + 5 + b].

    :math:`z_u \odot z_v`, :math:`|z_u - z_v|`, ``relations``, and b scores from elsewhere.
    """
    u, v = z[pairs[0]].double(), z[pairs[1]].double()
    others = [score(pairs)[:, None].double() for score in beside]
    return torch.cat([u * v, (u - v).abs(), relations(z, pairs), *others], 1)


def relations(z: Tensor, pairs: Tensor) -> Tensor:
    """Inner product, cosine, distance, the smaller and the larger norm, float64 [n, 5]: no rotation changes them."""
    u, v = z[pairs[0]].double(), z[pairs[1]].double()
    norms = torch.stack([u.norm(dim=1), v.norm(dim=1)])
    return torch.stack([(u * v).sum(1), cosine_similarity(u, v), (u - v).norm(dim=1), norms.amin(0), norms.amax(0)], 1)


def standardized(z: Tensor) -> Tensor:
    """Each column with mean 0 and deviation 1 over all nodes, in single precision; a constant column becomes 0."""
    z = z.detach().double()
    z = z - z.mean(0)
    return (z / z.std(0, unbiased=False).clamp_min(1e-12)).float()


def check_known(known: Tensor, linked: Tensor, num_nodes: int, names: tuple[str, str] = ("known", "linked")) -> None:
    """Pairs and their answers: enough of them to learn from, and both answers."""
    check_mask(linked, names[1], check_pairs(known, num_nodes, names[0], "k").size(1))
    if linked.numel() < LEAST or linked.all() or not linked.any():
        raise ValueError(f"{names[1]} must say of at least {LEAST} pairs whether they are links, and of some each, "
                         f"got {int(linked.sum())} links of {linked.numel()} pairs")
