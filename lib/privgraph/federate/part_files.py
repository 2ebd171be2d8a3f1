"""A client's part of a graph as a file of its own, which is all that its process is given.

Tensors, numbers and text, as releases are written: reading a file runs no code, whoever made it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import torch

from ..checks import check_all, check_count
from ..graph import check_edge_index, degrees
from ..late import pyg
from ..methods.files import packed, read
from ..writing import PRIVATE, write, write_all

if TYPE_CHECKING:
    from torch_geometric.data import Data

NUMBERS = ("client", "clients", "num_nodes")


def save_parts(parts: Sequence[Data], folder, beside: Mapping[str, str] = MappingProxyType({})) -> list[Path]:
    """Write ``client-0.pt``, ``client-1.pt``, ... into a folder, each readable by its owner alone; all or none.

    :param parts: one graph for each client, of ``Federation.split`` or ``methods.federated.parts``.
    :param beside: other files that belong to them, by name; written with them, or not at all.
    :param folder: which is made where there is none.
    :returns: the paths of the clients' files.
    """
    parts, folder = check_all(parts, "parts", pyg.data.Data), check_folder(folder, "folder")
    files = {folder / f"client-{number}.pt": packed(
        part.to_dict() | {"client": number, "clients": len(parts), "num_nodes": part.num_nodes})
        for number, part in enumerate(parts)}
    write_all(files | {folder / name: text for name, text in beside.items()}, PRIVATE, "folder")
    return list(files)


def load_part(path) -> Data:
    """The graph of one client, which says which ``client`` that is of how many ``clients``.

    :raises ValueError: for a file that is damaged, hostile, or not written by ``save_parts``.
    """
    fields = read(path, "part of a client")
    if missing := [name for name in (*NUMBERS, "edge_index") if name not in fields]:
        raise ValueError(f"{path} must hold a client's part, as `privgraph federate split` writes it; it lacks "
                         f"{', '.join(missing)}, got {', '.join(sorted(map(repr, fields))[:9])}")
    for name in NUMBERS:
        check_count(fields[name], f"{name} in {path}")
    check_count(fields["client"], f"client in {path}", high=fields["clients"] - 1)
    check_edge_index(fields["edge_index"], fields["num_nodes"])
    return pyg.data.Data(**fields)


def save_vectors(z: torch.Tensor, path) -> Path:
    """Write a client's vectors [N, d], readable by its owner alone; see ``vectors_path``."""
    np.save(content := io.BytesIO(), z.detach().numpy(), allow_pickle=False)
    return write(vectors_path(path), content.getvalue(), PRIVATE)


def vectors_path(path) -> Path:
    """Where vectors are written: the path, which gets the ending ``.npy`` if it has another, as in ``np.save``."""
    path = Path(path)
    return path if path.suffix == ".npy" else path.with_name(f"{path.name}.npy")


def check_folder(path, name: str) -> Path:
    """A folder that exists."""
    if not isinstance(path, (str, os.PathLike)) or not Path(path).is_dir():
        raise ValueError(f"{name} must be a folder that exists, got {str(path)!r}")
    return Path(path)


def describe(part: Data) -> str:
    """What a client says of its part, to its own people."""
    alone = int((degrees(part.edge_index, part.num_nodes) == 0).sum())
    public = f", of which all clients hold {part.num_public}" if "num_public" in part else ""
    return f"{part.num_nodes} nodes{public}; {part.num_edges // 2} edges; {alone} nodes have no edge here"
