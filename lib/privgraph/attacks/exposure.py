"""Some links of a graph are exposed, and the attacker is asked about the others: the dissertation's section 3.4.1.

What she is asked decides what her score means. Sensitive links join users of many links, and a pair drawn at random
hardly ever does: against such pairs the smaller degree alone is nearly always right, with no vector and no model.
So each sensitive link is also set beside a pair of sensitive users without one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..checks import check_data, check_generator, check_number, check_pairs
from ..graph import Graph, edge_key
from ..methods.sensitive import Hidden
from .evaluation import AttackResult, best_threshold, evaluate_attack, macro_f1
from .node_pairs import any_order

if TYPE_CHECKING:
    from torch_geometric.data import Data

QUESTIONS = ("others", "sensitive", "between sensitive users")


@dataclass(frozen=True, eq=False)
class Exposure:
    """What the attacker is told: ``known`` pairs int64 [2, k], half of them links: ``linked`` bool [k].

    ``asked``: by the names of ``QUESTIONS``, pairs int64 [2, n] and whether they are links, bool [n]. None of them is
    in ``known``.
    """

    known: Tensor
    linked: Tensor
    asked: dict[str, tuple[Tensor, Tensor]]


def expose(data: Data, generator: torch.Generator, fraction: float = 0.1) -> Exposure:
    """Expose a share of the links that are not sensitive, and as many pairs without a link; ask about all the others.

    The protocol of the dissertation, section 3.4.1, with two kinds of negatives:

    - ``others``: the links that are neither sensitive nor exposed, and as many pairs without a link, at random;
    - ``sensitive``: all sensitive links, and as many pairs without a link, at random, as in the dissertation;
    - ``between sensitive users``: the same links, and as many pairs of sensitive users without one. Where there are
      fewer, all of them: none is used twice.

    Pairs at random are uniform over all pairs without a link; none is in two of the first three samples. The ends of
    each pair come in random order. Sensitive users are those of ``data.sensitive_users``, bool [N], where a graph
    has it; else the ends of sensitive links.

    :param data: with ``edge_index`` and ``sensitive``, int64 [2, S]: links of it, each once, lower end first.
    :param fraction: of the other links that is exposed, in (0, 1).
    :raises ValueError: where ``fraction`` exposes too few links, or leaves too few.

    >>> from privgraph.datasets import load
    >>> from privgraph.randomness import seeded
    >>> data = load("karate")
    >>> data.sensitive = torch.tensor([[0, 0, 32], [1, 2, 33]])
    >>> exposure = expose(data, seeded(0))
    >>> exposure.known.shape, [linked.numel() for _, linked in exposure.asked.values()]
    (torch.Size([2, 16]), [134, 6, 6])
    """
    check_generator(generator)
    hidden = check_sensitive(data)
    links = hidden.training.links
    count = round(check_number(fraction, "fraction", low=0, high=1, open_low=True, open_high=True) * links.size(1))
    if links.size(1) < 4:
        raise ValueError(f"data must have at least four links that are not sensitive, got {links.size(1)}: with a "
                         "larger sensitive_degree (--sensitive-degree) fewer are sensitive")
    if not 2 <= count <= links.size(1) - 2:
        raise ValueError("fraction must expose at least two links that are not sensitive, and leave two to ask about; "
                         f"got {fraction}, which is {count} of {links.size(1)}")
    links = links[:, torch.randperm(links.size(1), generator=generator)]
    wanted = [count, links.size(1) - count, hidden.links.size(1)]
    told, rest, far = hidden.graph.non_edges(sum(wanted), generator).split(wanted, 1)
    near = sample_between(ends(hidden), torch.cat([data.edge_index, told], 1), wanted[2], generator)
    asked = [(links[:, count:], rest), (hidden.links, far), (hidden.links, near)]
    return Exposure(*mixed(links[:, :count], told, generator),
                    {name: mixed(*kinds, generator) for name, kinds in zip(QUESTIONS, asked, strict=True)})


def mixed(links: Tensor, others: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Links, then others, both ends in random order, as an attack may treat them differently; and which is which."""
    pairs = torch.cat([links, others], 1)
    turned = torch.rand(pairs.size(1), generator=generator) < 0.5
    return torch.where(turned, pairs.flip(0), pairs), torch.arange(pairs.size(1)) < links.size(1)


def sample_between(users: Tensor, taken: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """``count`` different pairs of ``users`` that are not among ``taken`` [2, m]; all such pairs, where they are fewer.

    Two at least: with fewer pairs nothing can be said of an attack.
    """
    inside = among(users, taken)
    free = len(users) * (len(users) - 1) // 2 - inside.edge_index.size(1) // 2
    if free < 2:
        raise ValueError(f"data must have at least two pairs of sensitive users without a link, got {free}")
    return users[inside.non_edges(min(count, free), generator)]


def among(users: Tensor, pairs: Tensor) -> Graph:
    """Those of ``pairs`` that join two of ``users``, who are numbered anew: 0 to len(users) - 1. In both directions."""
    place = torch.full((int(torch.cat([users, pairs.flatten()]).max()) + 1,), -1)
    place[users] = torch.arange(len(users))
    inside = place[pairs]
    return Graph.made(inside[:, (inside >= 0).all(0)], len(users))


def ends(hidden: Hidden) -> Tensor:
    """The numbers of the sensitive users, in order."""
    return hidden.users.nonzero()[:, 0]


def check_sensitive(data: Data) -> Hidden:
    """What is sensitive in a graph: at least two links of it, each once, lower end first."""
    hidden = Hidden.of(check_data(data, "edge_index", "sensitive"))
    if check_once(hidden.links, hidden.graph.num_nodes, "sensitive").size(1) < 2:
        raise ValueError(f"sensitive must hold at least two links, got {hidden.links.size(1)}: with a smaller "
                         "sensitive_degree (--sensitive-degree) there are more")
    return hidden


def check_once(pairs: Tensor, num_nodes: int, name: str) -> Tensor:
    """Unordered pairs int64 [2, n], each once, lower end first."""
    check_pairs(pairs, num_nodes, name)
    if (pairs[0] >= pairs[1]).any() or len(edge_key(pairs, num_nodes).unique()) < pairs.size(1):
        raise ValueError(f"{name} must hold each pair once, lower end first, got some twice or the other way round")
    return pairs


@dataclass(frozen=True, eq=False)
class Reached:
    """What an attack says of the pairs that it was asked about, and how good that is.

    ``scores`` float [n]; ``linked`` bool [n]; above ``threshold`` the attacker says "a link".
    """

    scores: Tensor
    linked: Tensor
    threshold: float

    @cached_property
    def result(self) -> AttackResult:
        """AUC and TPR at 1% FPR, for which no threshold is needed."""
        return evaluate_attack(self.scores, self.linked)

    @property
    def f1(self) -> float:
        """The macro F1 at the attacker's own threshold, in [0, 1]; the dissertation prints it in percent."""
        return macro_f1(self.scores, self.linked, self.threshold)


def ask(attack: Callable[..., Tensor], exposure: Exposure, **given) -> dict[str, Reached]:
    """Let an attacker answer all questions of an exposure at once: one who learns, learns once.

    Her threshold is her own. One who learns (``known`` or ``shadow_linked`` is among her arguments) gives the logarithm
    of the odds of a link, and says "a link" above 0. One who does not takes the threshold at which her macro F1 on
    the exposed pairs is best; the pairs that are asked about play no part in it.

    :param attack: scores of ``pairs``, given what else is in ``given`` by the names of her arguments.
    :param given: what she has beside the exposure: ``z=...``, ``generator=...``.
    :param exposure: the pairs that she knows, and those that are asked about.

    >>> from privgraph.randomness import seeded
    >>> from torch_geometric.data import Data
    >>> from privgraph.graph import to_undirected
    >>> data = Data(edge_index=to_undirected(torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]]), 6), num_nodes=6)
    >>> data.sensitive = torch.tensor([[0, 2], [1, 3]])
    >>> def near(pairs):
    ...     around = (pairs[0] - pairs[1]).abs()
    ...     return -torch.minimum(around, 6 - around).double()
    >>> [reached.f1 for reached in ask(near, expose(data, seeded(0), 0.5)).values()]
    [1.0, 1.0, 1.0]
    """
    sizes = [linked.numel() for _, linked in exposure.asked.values()]
    pairs = torch.cat([pairs for pairs, _ in exposure.asked.values()], 1)
    arguments = inspect.signature(attack).parameters
    if "known" in arguments:
        given |= {"known": exposure.known, "linked": exposure.linked}
    if {"known", "shadow_linked"} & set(arguments):
        scores, threshold = asked(attack, pairs, given), 0.0
    else:
        told, scores = asked(attack, torch.cat([exposure.known, pairs], 1), given).split([len(exposure.linked),
                                                                                          sum(sizes)])
        threshold = best_threshold(told, exposure.linked)
    parts = zip(exposure.asked.items(), scores.split(sizes), strict=True)
    return {name: Reached(part, linked, threshold) for (name, (_, linked)), part in parts}


def asked(attack: Callable[..., Tensor], pairs: Tensor, given: dict) -> Tensor:
    """The scores of pairs, about which the attacker is asked in another order: here links come first."""
    order = any_order(pairs)
    return attack(pairs=pairs[:, order], **given)[order.argsort()]
