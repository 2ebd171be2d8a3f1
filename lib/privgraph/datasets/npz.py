"""A stranger's ``.npz`` file, read so that it can do nothing but be refused.

The file is a zip folder of ``.npy`` arrays, each with a header that announces its type and shape. All that is
announced is checked first, against the size of the file and against limits; only then is anything unpacked.
Nothing is ever unpickled, and the parts of a CSR matrix are checked before SciPy, which trusts them, sees them.
"""

import math
import os
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

MAX_BYTES = 2 * 2**30  # the arrays of a file; then, as a graph, dense float32 features, int64 edges and labels
MAX_CLASSES = 10_000
MAX_RATIO = 1032  # the best that deflate, the compression of .npz files, can do
MAX_HEADER = 10_000  # characters of an .npy header; ours have about a hundred
MAX_TEXT = 10_000  # bytes of what a file says about itself
MAX_LETTERS = 400  # bytes of each text in an array, four a letter
MAX_NAMES = 12  # of a file's arrays, in a message
CSR_PARTS = ("data", "indices", "indptr", "shape")


class Header(NamedTuple):
    """What an .npy file announces."""

    dtype: np.dtype
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize  # Python's integers do not overflow


class GraphFile:
    """The arrays of an .npz file by name; of those asked for, types and sizes are known before one is read.

    :param names: the arrays that will be read; others in the file are never unpacked.
    :param texts: those of them that may hold short texts in place of numbers.
    :raises ValueError: with a sentence, for whatever is wrong with the file.
    """

    def __init__(self, path, names: Iterable[str], texts: Iterable[str] = ()):
        self.texts = {*texts}
        self.label = Path(path).name
        if Path(path).is_dir():
            raise ValueError(f"cannot be read: {str(path)!r} is a folder, and a graph is a file")
        if Path(path).exists() and not Path(path).is_file():
            raise ValueError(f"cannot be read: {str(path)!r} is a device or a pipe, and a graph is a file")
        if not Path(path).is_file():
            raise FileNotFoundError(f"cannot be read: No such file or directory: {str(path)!r}")
        self.zip = self._checked(self._opened, path)
        self.parts_and_seeds = {member.filename.removesuffix(".npy"): member for member in self.zip.infolist()}
        size = os.path.getsize(path)
        self.headers = {name: self._checked(self._header, name, size) for name in names if name in self.parts_and_seeds}
        check_size(sum(header.nbytes for header in self.headers.values()), f"the arrays of {self.label}")

    def __enter__(self) -> "GraphFile":
        return self

    def __exit__(self, *_) -> None:
        self.zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self.headers

    def _checked(self, function, *arguments):
        """A broken file may raise almost anything, from zlib to struct; the user needs the sentence."""
        try:
            return function(*arguments)
        except Exception as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ValueError(f"{self.label} cannot be read: {why}") from error

    @staticmethod
    def _opened(path) -> zipfile.ZipFile:
        """The file unpacked by name; that it would have to be a zip file says nothing to who has never seen one."""
        try:
            found = zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            raise ValueError("it is no .npz file, or the end of it is missing") from None
        if (held := found.namelist()) and not any(name.endswith(".npy") for name in held):
            raise ValueError("it is no .npz file, as it holds no arrays of NumPy")
        return found

    @property
    def names(self) -> str:
        """The first arrays that the file has, for a message."""
        return ", ".join(map(repr, sorted(self.parts_and_seeds)[:MAX_NAMES])) or "none"

    def _header(self, name: str, size: int) -> Header:
        """The announced dtype and shape of one array, once they agree with each other and with the file's size."""
        member = self.parts_and_seeds[name]
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others unpack all at once
            raise ValueError(f"{name} is packed in a way that NumPy does not use")
        if member.compress_size > size or member.file_size > MAX_RATIO * (member.compress_size + 1):
            raise ValueError(f"{name} announces {member.file_size} bytes, more than fit into the file")
        with self.zip.open(member) as file:
            shape, dtype, start = read_header(file, name)
        short = name in self.texts and dtype.kind == "U" and dtype.itemsize <= MAX_LETTERS
        if (dtype.kind not in "fiub" or dtype.itemsize > 8) and not short:
            raise ValueError(f"{name} must hold plain numbers, got dtype {dtype}")
        if not all(type(length) is int and length >= 0 for length in shape):
            raise ValueError(f"{name} must have a shape of whole numbers, got {shape}")
        header = Header(dtype, shape)
        if start + header.nbytes != member.file_size:
            raise ValueError(f"{name} announces {header.nbytes} bytes and holds {member.file_size - start}")
        return header

    def read(self, name: str) -> np.ndarray:
        """One of the arrays asked for at first."""
        return self._checked(self._read, name)

    def _read(self, name: str) -> np.ndarray:
        with self.zip.open(self.parts_and_seeds[name]) as file:
            array = np.lib.format.read_array(file, allow_pickle=False, max_header_size=MAX_HEADER)
            file.read(1)  # at its end the checksum is compared
        return array

    def integers(self, name: str) -> np.ndarray:
        """An array of whole numbers as int64, which none of them leaves. Empty ones may have any type."""
        array = self.read(name)
        if array.size and (array.dtype.kind not in "iu" or array.max() > np.iinfo(np.int64).max):
            raise ValueError(f"{name} must hold whole numbers below 2^63, got dtype {array.dtype}")
        return array.astype(np.int64)

    def shape(self, name: str) -> tuple[int, int]:
        """[N, d] of the matrix ``name``: that of the array, or what ``<name>_shape`` says for a CSR matrix in parts."""
        if name in self:
            shape = self.headers[name].shape
        elif self.headers[announced := part_names(name)[-1]].shape == (2,):
            shape = tuple(map(int, self.integers(announced)))
        else:
            raise ValueError(f"{announced} must hold two numbers, got {self.headers[announced]}")
        if len(shape) != 2:
            raise ValueError(f"{name} must have shape [N, d], got {list(shape)}")
        return shape

    def lines(self, name: str) -> tuple[str, ...]:
        """Text that was kept as bytes, line by line; what is not printable is refused, as it will be printed."""
        header = self.headers[name]
        if header.dtype != np.uint8 or len(header.shape) != 1 or header.nbytes > MAX_TEXT:
            raise ValueError(f"{name} must hold text as at most {MAX_TEXT} bytes, got {header}")
        lines = self.read(name).tobytes().decode(errors="replace").split("\n")
        if not all(map(str.isprintable, lines)):
            raise ValueError(f"{name} must hold lines of printable text")
        return tuple(filter(None, lines))

    def matrix(self, name: str) -> np.ndarray | sp.csr_matrix:
        """The float32 matrix kept as the array ``name`` or as the parts ``<name>_data``, ``_indices`` and so on."""
        if name in self:
            return as_float32(self.read(name))
        data, indices, indptr, _ = part_names(name)
        data, indices, indptr = self.read(data), *map(self.integers, (indices, indptr))
        return csr_matrix(data, indices, indptr, self.shape(name), name)


def part_names(name: str) -> tuple[str, ...]:
    """How the parts of the CSR matrix ``name`` are called; those of the one that ``scipy.sparse.save_npz`` writes are
    called after nothing."""
    return tuple(f"{name}_{part}" if name else part for part in CSR_PARTS)


def read_header(file, name: str) -> tuple[tuple, np.dtype, int]:
    """What an .npy file says of its shape and dtype, and where its numbers begin.

    Only format 1.0, in which NumPy writes all plain arrays: a header of format 2.0 can itself be 4 GB long.
    """
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("not format 1.0")
        shape, _, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=MAX_HEADER)
    except Exception as error:  # the header is Python text, and its parsers raise what they like
        raise ValueError(f"{name} has no header of an .npy file") from error
    return shape, dtype, file.tell()


def csr_matrix(data, indices, indptr, shape: tuple[int, int], name: str = "x") -> sp.csr_matrix:
    """A float32 CSR matrix from its parts, all of them checked: wrong ones make SciPy write out of bounds."""
    rows, columns = shape
    if min(rows, columns) < 0:
        raise ValueError(f"{name}_shape must not be negative, got {[rows, columns]}")
    if data.ndim != 1 or data.shape != indices.shape or indptr.shape != (rows + 1,):
        raise ValueError(f"the CSR parts of {name} must have shapes [n], [n] and [{rows + 1}], "
                         f"got {list(data.shape)}, {list(indices.shape)} and {list(indptr.shape)}")
    if indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise ValueError(f"{name}_indptr must rise from 0 to {len(indices)}, the number of entries")
    if indices.size and (indices.min() < 0 or indices.max() >= columns):
        raise ValueError(f"{name}_indices must name columns 0..{columns - 1}, got {indices.min()}..{indices.max()}")
    matrix = sp.csr_matrix((as_float32(data), indices, indptr), shape=(rows, columns))
    matrix.check_format(full_check=True)
    matrix.sum_duplicates()
    return matrix


def as_float32(array: np.ndarray) -> np.ndarray:
    """Numbers too large for float32 become infinite, which ``check_features`` refuses."""
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def check_size(nbytes: int, what: str) -> None:
    if nbytes > MAX_BYTES:
        raise ValueError(f"{what} would take {nbytes / 2**30:,.1f} GiB of memory, and at most "
                         f"{MAX_BYTES / 2**30:g} GiB are allowed. Larger arrays that you trust can be handed to "
                         "from_edge_list")


def check_graph_size(nodes: int, features: int, edges: int) -> None:
    """Refuse what would be too large as a ``Data``, before any of it is allocated."""
    nbytes = nodes * (features * 4 + 8) + edges * 16
    check_size(nbytes, f"a graph of {nodes} nodes, {features} features and {edges} edges")


def check_classes(num_classes: int, nodes: int) -> None:
    """Refuse a number of classes C that would be absurd: a release holds [N, C], some mechanisms [C, C]."""
    if num_classes > MAX_CLASSES:
        raise ValueError(f"num_classes must be at most {MAX_CLASSES}, got {num_classes}; number them 0, 1, 2, ...")
    check_size(4 * nodes * num_classes, f"{num_classes} classes for each of {nodes} nodes")
