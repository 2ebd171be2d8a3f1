"""Where a named graph comes from: generated, shipped with a package, a folder, or the user's cache.

Nothing here opens the network unless the user calls ``download`` (``privgraph data NAME``).
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from ..late import torch
from . import raw, small
from .cards import card
from .convert import from_edge_list, from_npz, make_data, save_npz
from .fingerprints import described, fingerprint
from .set_cards import SETS
from .synthetic import synthetic_cora

if TYPE_CHECKING:
    from torch_geometric.data import Data

ALWAYS_AT_HAND = {"karate": small.karate, "patients": small.patients, "digits": small.digits,
                  "blocks": lambda: drawn_blocks(),
                  "cora-twin": lambda: make_data(*twin_tensors(), name="cora-twin", **card("cora-twin").stated)}


class DatasetUnavailable(LookupError):
    """A known graph that is not on this machine; the message names the command that gets it."""


def load(name: str) -> Data:
    """The graph called ``name``: x float32 [N, d], edge_index int64 [2, E], y int64 [N] (-1 = not labelled).

    Looks in the folder named by ``PRIVGRAPH_DATA``, then in the cache, never on the network.

    :raises ValueError: for a name that no card has.
    :raises DatasetUnavailable: when the graph is not on this machine.

    >>> load("karate")
    Data(x=[34, 34], edge_index=[2, 156], y=[34], name='karate', num_classes=2, feature_range=[2])
    """
    if card(name).name in ALWAYS_AT_HAND:
        return ALWAYS_AT_HAND[name]()
    path = find_file(name)
    if path is None:
        raise DatasetUnavailable(unavailable_message(name))
    data = from_npz(path, name, **card(name).stated)
    return with_honest_name(data)


def default() -> Data:
    """Cora where it is at hand, else synthetic Cora, without masks. ``data.name`` says which."""
    from .splits import without_split  # with torch
    return without_split(load("cora" if at_hand("cora") else "cora-twin"))


def at_hand(name: str) -> bool:
    """Whether ``load(name)``, or ``load_graphs(name)`` for a set of graphs, will find it on this machine."""
    if isinstance(name, str) and name in SETS:
        return SETS[name].file is None or find_file(Path(SETS[name].file).stem) is not None
    return card(name).name in ALWAYS_AT_HAND or find_file(name) is not None


def find_file(name: str) -> Path | None:
    """The .npz of a graph in the folder ``PRIVGRAPH_DATA`` or in the cache.

    Whoever listens (``sys.addaudithook``) hears its name, at hand or not: what runs now may depend on it.
    """
    sys.audit("privgraph.graph", name)
    folders = [os.environ.get("PRIVGRAPH_DATA"), cache_folder()]
    paths = [Path(folder) / f"{name.replace('-', '_')}.npz" for folder in folders if folder]
    return next((path for path in paths if path.is_file()), None)


def cache_folder() -> Path:
    """``PRIVGRAPH_CACHE``, or ``privgraph`` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("PRIVGRAPH_CACHE") or Path(home) / "privgraph")


def unavailable_message(name: str) -> str:
    if name in SETS:
        made = ", ".join(each.name for each in SETS.values() if each.file is None)
        return (f"the graphs {name!r} are not on this machine: set PRIVGRAPH_DATA to a folder that holds "
                f"{SETS[name].file}. Always at hand: {made}")
    known = f"run `privgraph data {name}` (downloads it once), or set" if card(name).files else "set"
    return (f"the graph {name!r} is not on this machine: {known} PRIVGRAPH_DATA to a folder that holds "
            f"{name.replace('-', '_')}.npz. Always at hand: {', '.join(ALWAYS_AT_HAND)}")


def with_honest_name(data: Data) -> Data:
    """Rename a graph that is not the one its card describes, so that no result is filed under the wrong name."""
    if card(data.name).sha256 is not None and not described(card(data.name), data):
        name = f"{data.name}-{fingerprint(data.edge_index, data.x, data.y)[:8]}"
        warnings.warn(f"the file for {data.name!r} holds another graph than its card describes; it is called {name!r}",
                      stacklevel=3)
        data.name = name
    return data


def download(name: str) -> Path:
    """Fetch the files of a graph, check that they hold what its card describes, and keep it in the cache.

    Nothing in the files is run (``raw``), and none of them is kept. A graph with another fingerprint is kept as
    ``<name>-<the first eight digits of its fingerprint>``, and never taken for the one that was asked for.

    :raises ValueError: for a graph that is always at hand, and where another graph came than the card describes.
    :raises DatasetUnavailable: where no address of the graph is known.
    """
    if card(name).name in ALWAYS_AT_HAND:
        raise ValueError(f"{name!r} is always at hand; there is nothing to download")
    expected = card(name).sha256
    if not card(name).files or expected is None:
        raise DatasetUnavailable(unavailable_message(name))
    edges, x, y = raw.read({address.rpartition("/")[2]: raw.fetch(address) for address in card(name).files})
    data = from_edge_list(edges, x.toarray(), y, name, **card(name).stated)
    if described(card(name), data):
        return keep(data, name)
    found = fingerprint(data.edge_index, data.x, data.y)
    path = keep(data, f"{name}-{found[:8]}")
    raise ValueError(f"what came is not the {name!r} of the card (fingerprint {found[:8]}..., expected "
                     f"{expected[:8]}...), and is not taken for it; it was kept as {path}, "
                     "which can be used like any file")


def keep(data: Data, name: str) -> Path:
    """Write a graph into the cache, whole or not at all."""
    path = cache_folder() / f"{name.replace('-', '_')}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    save_npz(data, path)
    return path


def drawn_blocks() -> Data:
    from ..randomness import seeded  # both load PyTorch
    from .block_model import blocks
    return blocks(seeded(0))


def twin_tensors() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    edge_index, x, y = synthetic_cora()
    return torch.from_numpy(edge_index), torch.from_numpy(x), torch.from_numpy(y)
