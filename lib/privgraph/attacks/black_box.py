r"""LinkTeller as its authors run it: two passes of a model that answers queries, and their difference (Wu et al. 2022).

``influence`` differentiates a network of two layers that it holds. Who only has an interface sends all features, then
the same with those of v turned up by the factor 1 + h, and watches the answer of u:

.. math:: \mathrm{score}(u, v) = \Big\lVert \frac{f_u(X + h\, e_v x_v^{\top}) - f_u(X)}{h} \Big\rVert_2

It costs one query for each node that is turned up, and one more; of as many layers as there are, of whatever kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from ..checks import check_features, check_flag, check_pairs, check_positive, check_tensor
from ..late import pyg
from ..methods.model import Model
from ..nn import Backbone, Factored
from .worlds import deep_network, tried_on

STEP = 1e-4  # h, "influence" in the authors' code


@tried_on(deep_network, symmetric=False)
def queried_influence(model: Callable | Model, x: Tensor | Factored, edge_index: Tensor, pairs: Tensor, *,
                      edge_weight: Tensor | None = None, step: float = STEP, both: bool = False) -> Tensor:
    """The influence of v on u for every pair, by queries alone, float [n]: higher means more likely an edge.

    In single precision an answer is rounded at its seventh digit, and the quotient at about 6e-8 / h of it: .0006 with
    the authors' h. Smaller influences drown; ``linkteller`` has no such limit.

    :param model: a ``Backbone``; a trained ``Model`` that can be asked about other features; or whatever answers float
        [N, C] when it is called as PyG's modules are, ``model(x, edge_index)``, with ``edge_weight`` behind if it is
        given. A module answers as after training, without dropout.
    :param x: the features float [N, d] that the attacker sends.
    :param edge_index: the edges int64 [2, E] behind the interface (with their weights).
    :param pairs: int64 [2, n], rows u and v.
    :param step: h, above 0.
    :param both: add the influence of u on v, so that both ends are turned up. The authors take one direction.
    :raises TypeError: for a model that cannot be called.
    :raises ValueError: for answers of another shape, or that are not finite.
    """
    step, both = check_positive(step, "step"), check_flag(both, "both")
    x = check_features(x.to_dense() if isinstance(x, Factored) else x)
    check_pairs(pairs, len(x)), check_pairs(edge_index, len(x), "edge_index", "E")
    asked = torch.cat([pairs, pairs.flip(0)], 1) if both else pairs
    weights = () if edge_weight is None else (edge_weight,)
    with answering(model) as answer, torch.no_grad():
        before = checked(answer(x, edge_index, *weights), len(x))
        scores = before.new_zeros(asked.size(1))
        turned, times = asked[1].unique(return_counts=True)
        # A loop over queries, not over a matrix: an interface answers one set of features at a time.
        for v, mine in zip(turned.tolist(), asked[1].argsort(stable=True).split(times.tolist()), strict=True):
            louder = x.clone()
            louder[v] *= 1 + step
            after = checked(answer(louder, edge_index, *weights), len(x))
            scores[mine] = ((after - before)[asked[0, mine]] / step).norm(dim=1)
    return scores.view(1 + both, pairs.size(1)).sum(0)


@contextmanager
def answering(model: Callable | Model) -> Iterator[Callable[..., Tensor]]:
    """The model as a function of features, edges and, maybe, their weights; a module's parts are put back as they were.

    :raises TypeError: for what cannot be called.
    """
    if not callable(model) and not isinstance(model, Model):
        raise TypeError(f"model must be a Backbone, a Model or something to be called, got {type(model).__name__}")
    parts = list(model.modules()) if isinstance(model, nn.Module) else []
    modes = [part.training for part in parts]
    try:
        for part in parts:
            part.training = False
        yield asked_of(model)
    finally:
        for part, mode in zip(parts, modes, strict=True):
            part.training = mode


def asked_of(model: Callable | Model) -> Callable[..., Tensor]:
    """How a model is asked."""
    if isinstance(model, Backbone):
        return lambda *inputs: model(model.prepare(*inputs))
    if isinstance(model, Model):
        return lambda x, edge_index: model.predict_proba(pyg.data.Data(x=x, edge_index=edge_index))
    return model


def checked(answer: Tensor, num_nodes: int) -> Tensor:
    """A row of finite numbers for each node."""
    if check_tensor(answer, "model's answer").dim() != 2 or len(answer) != num_nodes or not answer.is_floating_point():
        raise ValueError(f"model must answer with a float tensor [{num_nodes}, C], "
                         f"got {answer.dtype} of shape {list(answer.shape)}")
    if (odd := int((~answer.isfinite()).sum())) > 0:
        raise ValueError(f"model must answer with finite numbers, got {odd} that are not")
    return answer
