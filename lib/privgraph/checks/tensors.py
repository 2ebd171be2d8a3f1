"""Tensors: labels, features, edges, masks, and where random numbers come from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..late import torch
from .numbers import check_count

if TYPE_CHECKING:
    from torch import Tensor


def check_tensor(value: Tensor, name: str) -> Tensor:
    """A tensor, which a NumPy array or a list is not: nothing is copied or converted behind one's back."""
    if not isinstance(value, torch.Tensor):
        made, plain = "torch.as_tensor makes one", value.tolist() if hasattr(value, "tolist") else value
        if isinstance(plain, list) and plain and isinstance(plain[0], str):
            made = "of names it is made with torch.tensor([NAMES.index(name) for name in ...]), NAMES a public list"
        raise TypeError(f"{name} must be a torch.Tensor, got {type(value).__name__}; {made}")
    return value


def check_mask(mask: Tensor, name: str, size: int) -> Tensor:
    """Which of ``size`` nodes or edges are meant: bool [size]. Whole numbers would be read as indices."""
    if check_tensor(mask, name).dtype != torch.bool or mask.shape != (size,):
        several = f"; {name} = {name}[:, 0] takes the first of several" * (mask.dim() == 2)
        raise ValueError(f"{name} must be a bool tensor of shape [{size}], "
                         f"got {mask.dtype} of shape {list(mask.shape)}{several}")
    return mask


def check_generator(generator: torch.Generator) -> torch.Generator:
    """Randomness always comes from an explicit ``torch.Generator``."""
    if not isinstance(generator, torch.Generator):
        raise TypeError(f"generator must be a torch.Generator, got {type(generator).__name__}; "
                        "make one with privgraph.randomness.seeded(0)")
    return generator


def check_labels(y: Tensor, num_classes: int | None, missing: bool = False) -> Tensor:
    """Integer labels in 0..num_classes-1 (None: no upper limit);
    -1 means "not labelled" where ``missing`` allows it."""
    if check_tensor(y, "labels").dtype != torch.long or y.dim() != 1:
        raise ValueError(f"labels must be an int64 tensor of shape [N], got {y.dtype} of shape {list(y.shape)}")
    low, high = -1 if missing else 0, math.inf if num_classes is None else check_count(num_classes, "num_classes") - 1
    if y.numel() and (y.min() < low or y.max() > high):
        raise ValueError(f"labels must lie in {low}..{high}, got {int(y.min())}..{int(y.max())}")
    return y


def check_features(x: Tensor, low=None, high=None) -> Tensor:
    """A finite float matrix [N, d]; with ``low`` and ``high`` (numbers, or d numbers each), also inside that range."""
    if check_tensor(x, "features").dim() != 2 or not x.is_floating_point():
        raise ValueError(f"features must be a float tensor of shape [N, d], got {x.dtype} of shape {list(x.shape)}")
    if not x.numel():
        return x
    if not torch.stack(torch.aminmax(x)).isfinite().all():  # one pass: NaN is least and most wherever it occurs
        raise ValueError(f"features must be finite, got {int((~torch.isfinite(x)).sum())} NaN or infinite values")
    if low is not None:
        ends = (torch.as_tensor(end, dtype=x.dtype, device=x.device) for end in (low, high))
        check_within(x, *torch.broadcast_tensors(*ends))
    return x


def check_within(x: Tensor, low: Tensor, high: Tensor) -> None:
    """x [N, d] lies between ``low`` and ``high``, [] or [d]."""
    if low.dim() and low.shape != x.shape[1:]:
        raise ValueError(f"features must have {len(low)} columns, as their bounds have, got {x.size(1)}")
    least, most = torch.aminmax(x, dim=0 if low.dim() else None)
    outside = ((least < low) | (most > high)).reshape(-1)
    if outside.any():
        j = int(outside.nonzero()[0])
        low, high, least, most = (float(value.reshape(-1)[j]) for value in (low, high, least, most))
        column = f" of column {j}" if outside.numel() > 1 else ""
        raise ValueError(f"features{column} must lie in [{low:g}, {high:g}], got [{least:g}, {most:g}]; "
                         "clamp them first (a value outside the range voids the guarantee)")


def check_pairs(pairs: Tensor, num_nodes: int, name: str = "pairs", size: str = "n", least: int = 0) -> Tensor:
    """Pairs of nodes in any order, int64 [2, n]. ``least`` nodes are needed."""
    if check_count(num_nodes, "num_nodes") < least:
        raise ValueError(f"a graph needs at least one node, got {num_nodes}")
    if check_tensor(pairs, name).dtype != torch.long or pairs.dim() != 2 or pairs.size(0) != 2:
        raise ValueError(f"{name} must be an int64 tensor of shape [2, {size}], "
                         f"got {pairs.dtype} of shape {list(pairs.shape)}")
    if pairs.numel() and (pairs.min() < 0 or pairs.max() >= num_nodes):
        raise ValueError(f"{name} must name nodes 0..{num_nodes - 1}, got {int(pairs.min())}..{int(pairs.max())}")
    return pairs


def check_nodes(nodes: Tensor, num_nodes: int, name: str = "nodes") -> Tensor:
    """Nodes in any order, as often as one likes, int64 [n]."""
    if check_tensor(nodes, name).dtype != torch.long or nodes.dim() != 1:
        raise ValueError(f"{name} must be an int64 tensor of shape [n], got {nodes.dtype} of shape {list(nodes.shape)}")
    if nodes.numel() and (nodes.min() < 0 or nodes.max() >= num_nodes):
        raise ValueError(f"{name} must name nodes 0..{num_nodes - 1}, got {int(nodes.min())}..{int(nodes.max())}")
    return nodes
