"""A device that a machine without a GPU has: tensors of it compute here, mix with no others, and say where they are.

Its name is "meta", the one that PyTorch takes without a driver.
"""

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

ELSEWHERE = torch.device("meta")
MOVES = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)


class Far(Tensor):
    """A tensor of that device; ``near`` is what it holds."""

    @staticmethod
    def __new__(cls, near: Tensor):
        return Tensor._make_wrapper_subclass(cls, near.shape, strides=near.stride(), dtype=near.dtype, device=ELSEWHERE)

    def __init__(self, near: Tensor):
        self.near = near

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return Elsewhere().__torch_dispatch__(func, types, args, kwargs)


class Elsewhere(TorchDispatchMode):
    """While it is entered, the device is there."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        tensors = [value for value in tree_leaves((args, kwargs)) if isinstance(value, Tensor)]
        far = [value for value in tensors if isinstance(value, Far)]
        if far and func not in MOVES and any(value.dim() for value in tensors if not isinstance(value, Far)):
            raise RuntimeError(f"{func} got tensors of two devices")
        said = kwargs.get("device")
        there = bool(far) if said is None else torch.device(said).type == ELSEWHERE.type
        held = {id(value.near): value for value in far}
        near = tree_map(lambda value: value.near if isinstance(value, Far) else value, (args, dict(kwargs)))
        if said is not None:
            near[1]["device"] = torch.device("cpu")
        found = func(*near[0], **near[1])
        return tree_map(lambda value: held.get(id(value)) or Far(value) if isinstance(value, Tensor) else value,
                        found) if there else found
