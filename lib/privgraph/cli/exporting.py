"""Published vectors for other tools: a table with a row for each node."""

import argparse
import io
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .. import writing
from ..methods import Embeddings, load
from ..methods.files import read
from ..methods.model_files import PARTS
from .describe import called, saved_in
from .replacing import add_replace, check_new
from .spelling import renamed


def add_commands(commands) -> None:
    parser = commands.add_parser("export", help="write published vectors as a table for other tools")
    parser.add_argument("file", type=Path, metavar="FILE", help="embeddings.pt, or the folder of run --save")
    parser.add_argument("--to", type=Path, required=True, metavar="FILE",
                        help="by its ending .csv (node,z0,z1,...), .npy [N, d] or .parquet (needs pyarrow)")
    add_replace(parser)
    parser.set_defaults(command=export_command)


def export_command(options: argparse.Namespace) -> int:
    if (kind := options.to.suffix.lower()) not in FORMS:
        raise ValueError(f"--to must end in {', '.join(FORMS)}, got {str(options.to)!r}")
    check_new(options, "--to", options.to)
    with renamed("path", "FILE"):
        z = vectors_of(saved_in(options.file) if options.file.is_dir() else options.file)
    writing.write(options.to, FORMS[kind](z), name="--to")
    print(f"{z.shape[0]} vectors of {z.shape[1]} numbers are in {options.to}; what holds for them: privgraph describe "
          f"{options.file}")
    return 0


def vectors_of(path: Path) -> np.ndarray:
    """Those of an embedding, float32 [N, d].

    :raises ValueError: where the file holds none.
    """
    found = read(path, "embeddings")
    with warnings.catch_warnings(action="ignore"):  # that a seed was public; ``describe`` says it
        if found.keys() != PARTS and "z" not in found:
            raise ValueError(f"{path} must hold embeddings, got {called(found, path)}")
        model = load(path) if found.keys() == PARTS else None
        release = model.release if model else Embeddings.of_content(found, path)
    if not isinstance(release, Embeddings):
        raise ValueError(f"{path} must hold embeddings, got a model of {type(model.method).__name__}, which publishes "
                         "no vectors of nodes")
    return release.z.float().numpy()


def as_csv(z: np.ndarray) -> bytes:
    lines = [",".join(["node", *(f"z{column}" for column in range(z.shape[1]))])]
    lines += [f"{node}," + ",".join(map(repr, row)) for node, row in enumerate(z.astype(float).tolist())]
    return ("\n".join(lines) + "\n").encode()


def as_npy(z: np.ndarray) -> bytes:
    np.save(content := io.BytesIO(), z, allow_pickle=False)
    return content.getvalue()


def as_parquet(z: np.ndarray) -> bytes:
    try:
        from pyarrow import parquet, table
    except ImportError as error:
        raise ImportError("a Parquet file needs pyarrow, the extra `tables` of privgraph") from error
    columns = {"node": np.arange(len(z))} | {f"z{column}": z[:, column] for column in range(z.shape[1])}
    parquet.write_table(table(columns), content := io.BytesIO())
    return content.getvalue()


FORMS: dict[str, Callable[[np.ndarray], bytes]] = {".csv": as_csv, ".npy": as_npy, ".parquet": as_parquet}
