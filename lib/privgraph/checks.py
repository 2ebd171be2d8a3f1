"""Arguments that are refused, in one place, so that every message reads the same way.

Each check names the argument, says what came and what is allowed, and returns the value.
"""

import math
import sys
from numbers import Integral, Real

import numpy as np
import torch
from torch import Tensor

TINY = sys.float_info.min  # below it floats have fewer digits, and their inverse has no room


def check_number(value, name: str, *, low: float = -math.inf, high: float = math.inf, open_low: bool = False,
                 open_high: bool = False, whole: bool = False, allowed: str = "") -> float:
    """A number in ``low..high`` as Python's own: an int with ``whole``, else a float. NaN and bools are no numbers.

    NumPy's scalars and tensors with one number and no dimension are read. A whole number is refused where it comes as
    a float (2.0): who counts knows the type. Above an open 0, what is too small for all digits of a float (1e-320) is
    refused, as its inverse is infinite.

    :param allowed: how the message says what is allowed; by default the range.
    """
    number = as_number(value, whole)
    inside = number is not None and low <= number <= high
    inside = inside and not (open_low and number == low) and not (open_high and number == high)
    if inside and open_low and low == 0 and number < TINY:
        raise ValueError(f"{name} must be at least {TINY:.3g}, where floats lose their digits, got {value!r}")
    if not inside:
        allowed = allowed or f"lie in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
        raise ValueError(f"{name} must {allowed}, got {value!r}")
    return number


def as_number(value, whole: bool = False) -> int | float | None:
    """Python's own int or float for a number of Python, NumPy or torch; None for whatever is none, and for NaN."""
    if isinstance(value, (Tensor, np.ndarray)) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real):
        return None
    try:
        number = int(value) if whole else float(value)
    except OverflowError:  # a whole number that no float reaches
        return None
    return number if number == number else None


def check_fields(instance, check, *names: str, **limits) -> None:
    """Check fields of a frozen dataclass, and let it keep the values that ``check`` returns."""
    for name in names:
        object.__setattr__(instance, name, check(getattr(instance, name), name, **limits))


def check_epsilon(epsilon: float, name: str = "epsilon") -> float:
    """A privacy budget: a positive number, or ``inf`` for "no noise"."""
    return check_number(epsilon, name, low=0, open_low=True, allowed="be a positive number or inf")


def check_count(value: int, name: str, low: int = 0, high: int | None = None) -> int:
    """A whole number in ``low..high`` (``high=None``: no upper limit)."""
    limit = f"at least {low}" if high is None else f"between {low} and {high}"
    return check_number(value, name, low=low, high=math.inf if high is None else high, whole=True,
                        allowed=f"be a whole number, {limit}")


def check_share(value: float, name: str, closed: bool = False) -> float:
    """A probability or a share: a number in [0, 1), or in [0, 1] with ``closed``."""
    return check_number(value, name, low=0, high=1, open_high=not closed)


def check_positive(value: float, name: str) -> float:
    """A finite positive number: a noise scale, a sensitivity."""
    return check_number(value, name, low=0, open_low=True, open_high=True, allowed="be a positive finite number")


def check_finite(value: float, name: str) -> float:
    """Any finite number."""
    return check_number(value, name, open_low=True, open_high=True, allowed="be a finite number")


def check_delta(delta: float, name: str = "delta") -> float:
    """The delta of an (epsilon, delta) statement: strictly between 0 and 1."""
    return check_number(delta, name, low=0, high=1, open_low=True, open_high=True,
                        allowed="lie strictly between 0 and 1")


def check_rate(rate: float, name: str = "rate") -> float:
    """The probability with which a person is sampled: in (0, 1]."""
    return check_number(rate, name, low=0, high=1, open_low=True)


def check_order(order: float, name: str = "order", whole: bool = False) -> float:
    """The order of a Renyi divergence: above 1; with ``whole``, one of 2, 3, 4, ... (2.0 too, as orders are real)."""
    allowed = "be a whole number of at least 2" if whole else "be a finite number above 1"
    number = check_number(order, name, low=2 if whole else 1, open_low=not whole, open_high=True, allowed=allowed)
    if whole and number != int(number):
        raise ValueError(f"{name} must {allowed}, got {order!r}")
    return int(number) if whole else number


def check_choice(value: str, name: str, allowed) -> str:
    """One of a fixed list of names."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(sorted(allowed))}; got {value!r}")
    return value


def check_generator(generator: torch.Generator) -> torch.Generator:
    """Randomness always comes from an explicit ``torch.Generator``."""
    if not isinstance(generator, torch.Generator):
        raise TypeError(f"generator must be a torch.Generator, got {type(generator).__name__}; "
                        "make one with privgraph.randomness.seeded(0)")
    return generator


def check_labels(y: Tensor, num_classes: int, missing: bool = False) -> Tensor:
    """Integer labels in 0..num_classes-1; -1 means "not labelled" where ``missing`` allows it."""
    if y.dtype != torch.long or y.dim() != 1:
        raise ValueError(f"labels must be an int64 tensor of shape [N], got {y.dtype} of shape {list(y.shape)}")
    low = -1 if missing else 0
    if y.numel() and (y.min() < low or y.max() >= num_classes):
        raise ValueError(f"labels must lie in {low}..{num_classes - 1}, got {int(y.min())}..{int(y.max())}")
    return y


def check_features(x: Tensor, low: float | None = None, high: float | None = None) -> Tensor:
    """A finite float matrix [N, d]; with ``low`` and ``high``, also inside that range."""
    if x.dim() != 2 or not x.is_floating_point():
        raise ValueError(f"features must be a float tensor of shape [N, d], got {x.dtype} of shape {list(x.shape)}")
    if not torch.isfinite(x).all():
        raise ValueError(f"features must be finite, got {int((~torch.isfinite(x)).sum())} NaN or infinite values")
    if low is not None and x.numel() and (x.min() < low or x.max() > high):
        raise ValueError(f"features must lie in [{low:g}, {high:g}], got [{float(x.min()):g}, {float(x.max()):g}]; "
                         "clamp them first (a value outside the range voids the guarantee)")
    return x


def check_edge_index(edge_index: Tensor, num_nodes: int, least: int = 1) -> Tensor:
    """The project's edge list: int64 [2, E], both directions, no self loops, no duplicates.

    Isolated nodes are legal, and so is a graph without any edge. ``least`` nodes are needed.
    """
    source, target = check_lists(edge_index, num_nodes, least)
    if not torch.equal((source * num_nodes + target).sort().values, (target * num_nodes + source).sort().values):
        raise ValueError("edge_index must hold both directions of every edge (an undirected graph); "
                         "graph.to_undirected adds the missing ones")
    return edge_index


def check_lists(edge_index: Tensor, num_nodes: int, least: int = 1) -> Tensor:
    """Edges that may be directed: int64 [2, E], no self loops, no duplicates."""
    if edge_index.dtype != torch.long or edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise ValueError("edge_index must be an int64 tensor of shape [2, E], "
                         f"got {edge_index.dtype} of shape {list(edge_index.shape)}")
    if num_nodes < least:
        raise ValueError(f"a graph needs at least one node, got {num_nodes}")
    if edge_index.numel() == 0:
        return edge_index
    if edge_index.min() < 0 or edge_index.max() >= num_nodes:
        raise ValueError(f"edge_index must name nodes 0..{num_nodes - 1}, "
                         f"got {int(edge_index.min())}..{int(edge_index.max())}")
    source, target = edge_index
    if (loops := int((source == target).sum())) > 0:
        raise ValueError(f"edge_index must have no self loops, got {loops}; "
                         "graph.to_undirected removes them")
    key = (source * num_nodes + target).sort().values
    if (duplicates := int((key[1:] == key[:-1]).sum())) > 0:
        raise ValueError(f"edge_index must have no duplicate edges, got {duplicates}; "
                         "graph.to_undirected removes them")
    return edge_index


def check_people(data) -> int:
    """How many people a graph has, as it states: by a row of x for each, or by num_nodes.

    Where it does neither, PyG takes the largest number among the edges, which are private.
    """
    if data.x is None and "num_nodes" not in data:
        raise ValueError("state how many people there are, with num_nodes: a public number. "
                         "The largest number in edge_index would be a release of its own")
    return data.num_nodes


def check_pairs(pairs: Tensor, num_nodes: int) -> Tensor:
    """Pairs of nodes, int64 [2, n]."""
    if pairs.dtype != torch.long or pairs.dim() != 2 or pairs.size(0) != 2:
        raise ValueError(f"pairs must be an int64 tensor of shape [2, n], got {pairs.dtype} of shape {list(pairs.shape)}")
    if pairs.numel() and (pairs.min() < 0 or pairs.max() >= num_nodes):
        raise ValueError(f"pairs must name nodes 0..{num_nodes - 1}, got {int(pairs.min())}..{int(pairs.max())}")
    return pairs


def check_task(data, least: int = 1) -> None:
    """What node classification needs of a graph: edges in order, finite features, labels in the public range.

    Each rule speaks of one person's record, or of public things: it says on which data a method is defined. A
    property of the data as a whole is not asked for. That somebody is in a second class can hang on one person, and
    then whether it is refused would tell of her. Where even the number of people is private, ``least`` is 0.
    """
    check_count(data.num_classes, "num_classes", low=2)
    check_edge_index(data.edge_index, data.num_nodes, least)
    check_features(data.x)
    if data.x.size(0) != data.num_nodes or data.y.size(0) != data.num_nodes:
        raise ValueError(f"x, y and the graph must have the same number of nodes, "
                         f"got {data.x.size(0)}, {data.y.size(0)} and {data.num_nodes}")
    check_labels(data.y, data.num_classes, missing=True)


def check_distribution(probabilities, name: str) -> np.ndarray:
    """A vector of probabilities that are not negative and sum to 1 (to 1e-9)."""
    values = np.asarray(probabilities, dtype=float)
    if values.ndim != 1 or not values.size or not (values >= 0).all() or abs(math.fsum(values) - 1) > 1e-9:
        raise ValueError(f"{name} must be a vector of probabilities that sum to 1, "
                         f"got shape {list(values.shape)}, smallest {values.min(initial=math.inf):g}, "
                         f"sum {values.sum():.12g}")
    return values
