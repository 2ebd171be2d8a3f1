"""Graph files of strangers: a sentence or a graph comes out of each; no crash, no code, no flood of memory."""

import contextlib
import io
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from privgraph import datasets
from privgraph.cli import main
from privgraph.datasets import check, convert, npz

EDGES, Y = np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), np.array([0, 1, 1])
CSR = {"x_data": np.ones(3), "x_indices": np.array([0, 1, 2]), "x_indptr": np.array([0, 1, 2, 3]),
       "x_shape": np.array([3, 3])}
SPARSE = {"edge_index": EDGES, "y": Y, **CSR}
DENSE = {"edge_index": EDGES, "y": Y, "x": np.eye(3)}


def write(path, arrays, **others):
    np.savez_compressed(path, **(arrays | others))
    return path


class Payload:
    """Unpickled, it makes a file."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def npy(descr: str, shape: str, data: bytes = b"", order: str = "False") -> bytes:
    """An .npy file whose header says what we want."""
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}".encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def pack(path, members: dict[str, bytes]):
    path.write_bytes(zipped(members))
    return path


def zipped(members: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(buffer := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return buffer.getvalue()


def members(arrays) -> dict[str, bytes]:
    files = {}
    for name, array in arrays.items():
        np.lib.format.write_array(buffer := io.BytesIO(), np.asarray(array))
        files[name + ".npy"] = buffer.getvalue()
    return files


def test_an_index_far_outside_is_an_error_and_no_crash(tmp_path):
    """SciPy writes where such an index points; in a process of its own, as it used to end with a segmentation fault."""
    path = write(tmp_path / "wild.npz", SPARSE, x_indices=np.array([0, 10**9, 2]))
    command = [sys.executable, "-m", "privgraph", "run", "lpgnn", "--classes", "2", "--graph", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2, ended
    assert ended.stderr.splitlines()[1:] == ["privgraph: wild.npz: x_indices must name columns 0..2, got 0..1000000000"]
    assert ended.stderr.startswith("privgraph: loading PyTorch\n")


@pytest.mark.parametrize("others, message", [
    (dict(x_indices=np.array([0, 99, 2])), r"x_indices must name columns 0\.\.2, got 0\.\.99"),
    (dict(x_indices=np.array([0, -1, 2])), "x_indices must name columns"),
    (dict(x_indices=np.array([0.0, 1.0, 2.0])), "x_indices must hold whole numbers"),
    (dict(x_indices=np.array([0, 2**63, 2], dtype=np.uint64)), "x_indices must hold whole numbers"),
    (dict(x_indptr=np.array([0, 3, 1, 3])), "x_indptr must rise"),
    (dict(x_indptr=np.array([1, 1, 2, 3])), "x_indptr must rise from 0 to 3"),
    (dict(x_indptr=np.array([0, 1, 2, 9])), "x_indptr must rise from 0 to 3"),
    (dict(x_indptr=np.array([0, 3])), r"shapes \[n\], \[n\] and \[4\]"),
    (dict(x_data=np.ones(2)), r"shapes \[n\], \[n\] and \[4\]"),
    (dict(x_shape=np.array([3, -3])), "must not be negative"),
    (dict(x_shape=np.array([3, 3, 3])), "x_shape"),
    (dict(x_shape=np.array([3, 2**40])), "GiB of memory"),
    (dict(x_data=np.array(["a", "b", "c"])), "x_data must hold plain numbers"),
    (dict(x_data=np.ones(3, complex)), "x_data must hold plain numbers"),
    (dict(x_data=np.array([1, np.nan, 1])), "1 feature values are NaN"),
    (dict(x_data=np.array([1, 1e300, 1])), "1 feature values are NaN or infinite"),
    (dict(y=np.array([0.5, 1, 1])), "y must hold whole numbers"),
    (dict(y=np.array([0, 100_000, 1])), "at most 10000 of them; got 100000"),
    (dict(y=np.array([[0], [1], [1]])), "one entry a node"),
    (dict(edge_index=EDGES + 0.5), "edge_index must hold whole numbers"),
    (dict(edge_index=EDGES + 2**40), "edges must name nodes"),
    (dict(unaccounted=np.frombuffer(b"edges\x1b[2J", np.uint8)), "unaccounted must hold lines of printable text"),
    (dict(unaccounted=np.zeros(10_001, np.uint8)), "text as at most 10000 bytes"),
    (dict(unaccounted=np.ones(3)), "text as at most 10000 bytes"),
    (dict(unaccounted=np.array(["edges"])), "unaccounted must hold plain numbers"),
])
def test_check_and_loading_refuse_the_same(tmp_path, others, message):
    path = write(tmp_path / "bad.npz", SPARSE, **others)
    problems, _ = datasets.check_file(path)
    assert any(re.search(message, problem) for problem in problems), problems
    with pytest.raises(ValueError, match=message):
        datasets.from_npz(path, num_classes=2)


def test_entries_that_add_up_beyond_the_range_are_seen_by_check(tmp_path):
    """A CSR matrix may name a place twice; its dense form holds the sum."""
    path = write(tmp_path / "twice.npz", SPARSE, x_indices=np.array([0, 0, 2]), x_indptr=np.array([0, 2, 2, 3]))
    assert "features lie in [0, 2]" in datasets.check_file(path)[0][0]
    with pytest.raises(ValueError, match=r"features lie in \[0, 2\]"):
        datasets.from_npz(path, num_classes=2)


def test_labels_far_apart_are_refused_before_anything_of_that_size(tmp_path):
    """100,001 nodes with the labels 0 and 100,000 asked for a matrix of 40 GB."""
    y = np.zeros(100_001, dtype=int)
    y[-1] = 100_000
    path = write(tmp_path / "wide.npz", {"edge_index": EDGES, "x": np.ones((len(y), 1)), "y": y})
    assert "at most 10000 of them; got 100000" in datasets.check_file(path)[0][0]
    for refused in (lambda: datasets.from_npz(path, num_classes=100_001),
                    lambda: datasets.from_edge_list(EDGES, np.ones((len(y), 1)), y, num_classes=100_001)):
        with pytest.raises(ValueError, match="at most 10000( of them; got 100000|, got 100001)"):
            refused()
    with pytest.raises(ValueError, match="9000 classes for each of 100001 nodes would take 3.4 GiB"):
        datasets.from_edge_list(EDGES, np.ones((len(y), 1)), np.zeros(len(y), dtype=int), num_classes=9_000)


def test_a_small_file_of_a_large_matrix_is_refused_by_both(tmp_path, capsys):
    """Sparse it takes a megabyte, dense it would take 20 GB."""
    n = 70_000
    x = sp.csr_matrix((n, n))
    path = write(tmp_path / "large.npz", {"edge_index": EDGES, "y": np.arange(n) % 2, "x_data": x.data,
                                          "x_indices": x.indices, "x_indptr": x.indptr, "x_shape": np.array(x.shape)})
    assert path.stat().st_size < 2**20
    assert main(["check", str(path)]) == 1
    assert "would take 18.3 GiB of memory" in capsys.readouterr().out
    assert main(["run", "lpgnn", "--graph", str(path), "--classes", "2"]) == 2
    assert "would take 18.3 GiB of memory" in capsys.readouterr().err


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    """64 MB of zeros in 64 KB, where 32 MB are allowed: refused by what it announces."""
    path = write(tmp_path / "bomb.npz", DENSE, x=np.zeros((8_000_000, 1)), y=np.zeros(8_000_000, dtype=np.int8))
    monkeypatch.setattr(npz, "MAX_BYTES", 32 * 2**20)
    assert path.stat().st_size < 2**17
    tracemalloc.start()
    with pytest.raises(ValueError, match="would take 0.1 GiB"):
        datasets.from_npz(path, num_classes=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_a_header_is_no_bomb_either(tmp_path):
    """A header of format 2.0 may announce 4 GB of itself, which NumPy reads before it looks."""
    header = b"\x93NUMPY\x02\x00" + (2**27).to_bytes(4, "little") + bytes(2**27)
    path = pack(tmp_path / "bomb.npz", members(SPARSE) | {"x_data.npy": header})
    del header
    tracemalloc.start()
    problems, _ = datasets.check_file(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "x_data has no header" in problems[0] and peak < 2**20


@pytest.mark.parametrize("header, message", [
    (npy("'<f8'", "(3000000000,)"), "announces 24000000000 bytes and holds 0"),
    (npy("'<f8'", "(-3,)"), "shape of whole numbers"),
    (npy("'<f8'", "(True,)", bytes(8)), "shape of whole numbers"),
    (npy("'|O'", "(3,)", pickle.dumps([1, 2, 3])), "plain numbers, got dtype object"),
    (npy("[('a', '<f8')]", "(3,)", bytes(24)), "plain numbers"),
    (npy("'<f16'", "(3,)", bytes(48)), "plain numbers"),
    (npy("'<f8'", "(" * 5000), "x_data has no header"),
    (npy("'<f8'", "(3,)", bytes(25)), "announces 24 bytes and holds 25"),
    (b"\x93NUMPY\x09\x00", "x_data has no header"),
    (b"", "x_data has no header"),
], ids=["too-long", "negative", "true", "object", "structured", "long-double", "brackets", "one-more", "format-9",
        "empty"])
def test_headers_that_lie(tmp_path, header, message):
    path = pack(tmp_path / "lie.npz", members(SPARSE) | {"x_data.npy": header})
    assert message in datasets.check_file(path)[0][0]
    with pytest.raises(ValueError, match=re.escape(message)):
        datasets.from_npz(path, num_classes=2)


@pytest.mark.parametrize("packed", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_are_no_way_around(tmp_path, packed):
    """Python unpacks these all at once, and they shrink zeros further than deflate can."""
    with zipfile.ZipFile(tmp_path / "odd.npz", "w", packed) as file:
        for name, data in members(DENSE).items():
            file.writestr(name, data)
    assert "edge_index is packed in a way" in datasets.check_file(tmp_path / "odd.npz")[0][0]


def test_many_other_arrays_are_no_matter(tmp_path):
    path = write(tmp_path / "many.npz", DENSE, **{f"a{number}": np.array(["text"]) for number in range(50)})
    assert datasets.check_file(path)[0] == [] and datasets.from_npz(path, num_classes=2).num_nodes == 3


def test_a_directory_that_lies_about_sizes(tmp_path):
    """The zip directory announces 4 GB for a few bytes: more than deflate can hold in them."""
    size = 4 * 10**9 - 128 - 10**6
    data = npy("'|i1'", f"({size},)")
    path = pack(tmp_path / "lie.npz", members(SPARSE) | {"x_data.npy": data})
    raw = path.read_bytes()
    at = raw.rindex(b"x_data.npy") - 46 + 24  # the uncompressed size, in the last entry of the directory
    assert int.from_bytes(raw[at:at + 4], "little") == len(data)
    path.write_bytes(raw[:at] + (size + len(data)).to_bytes(4, "little") + raw[at + 4:])
    assert "more than fit into the file" in datasets.check_file(path)[0][0]


# The fuzzer: a good file with one thing wrong, chosen by a generator with a fixed seed.

WORDS = [0, 1, -1, 2, 3, 99, 2**31 - 1, 2**31, -2**31, 10**9, 2**62, -2**63, 10_000, 100_000]
TYPES = ["i1", "u1", "i4", "i8", "u8", ">i4", ">f8", "f2", "f4", "f8", "c16", "U3", "S4", "M8[s]", "O", "?", "V5"]


def wrong_numbers(rng, arrays, payload):
    """A few entries of an array are something else."""
    name = rng.choice(list(arrays))
    array = arrays[name] = np.array(arrays[name])
    for place in rng.integers(array.size, size=rng.integers(1, 3)):
        array.flat[place] = rng.choice([np.nan, np.inf, 1e300, -5]) if array.dtype.kind == "f" else rng.choice(WORDS)
    return members(arrays)


def wrong_type(rng, arrays, payload):
    name = rng.choice(list(arrays))
    with np.errstate(all="ignore"):
        arrays[name] = np.zeros(arrays[name].shape, rng.choice(TYPES))
    pickled = {name + ".npy": npy("'|O'", str(arrays[name].shape), payload)} if arrays[name].dtype == object else {}
    return members({key: array for key, array in arrays.items() if array.dtype != object}) | pickled


def wrong_shape(rng, arrays, payload):
    name = rng.choice(list(arrays))
    lengths = tuple(map(int, rng.integers(0, 6, size=rng.integers(0, 4))))
    arrays[name] = rng.integers(0, 4, lengths)
    return members(arrays)


def wrong_header(rng, arrays, payload):
    """Announces what is not there, in a header that may be no header."""
    files, name = members(arrays), rng.choice(list(arrays))
    shape = tuple(map(int, rng.choice(WORDS, size=rng.integers(1, 4))))
    text = rng.choice([str(shape), str(shape[0]), "None", "(1,", "(" * 200, "(1.5,)", "'a'", "(9**9**9,)", "(1e9,)"])
    files[name + ".npy"] = npy(repr(str(rng.choice(TYPES))), text, bytes(int(rng.integers(100))))
    return files


def wrong_members(rng, arrays, payload):
    """Arrays that are missing, doubled, pickled, or no arrays."""
    files = members(arrays)
    name = rng.choice(list(arrays)) + ".npy"
    kind = rng.integers(4)
    if kind == 0:
        del files[name]
    elif kind == 1:
        files[name] = payload
    elif kind == 2:
        files["../" + name] = files.pop(name)
    else:
        files[name[:-4]] = bytes(rng.integers(0, 256, 50, dtype=np.uint8))
    return files


@contextlib.contextmanager
def little_memory(extra: int):
    """Inside, no allocation that would add more than ``extra`` bytes succeeds (on Linux)."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        yield
        return
    import resource
    old = resource.getrlimit(resource.RLIMIT_AS)
    now = int(statm.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + extra, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, old)


def test_thousands_of_crafted_files(tmp_path):
    """2,400 files: check and loading agree on each, nothing is run, and 256 MB are more than enough."""
    rng = np.random.default_rng(0)
    planted, path = tmp_path / "planted", tmp_path / "fuzz.npz"
    payload = pickle.dumps(Payload(planted))
    counts = {True: 0, False: 0}
    with little_memory(2**28):
        for number in range(2_400):
            craft = (wrong_numbers, wrong_type, wrong_shape, wrong_header, wrong_members, None)[number % 6]
            arrays = dict(SPARSE if number % 4 < 2 else DENSE)
            raw = zipped(craft(rng, arrays, payload) if craft else members(arrays))
            path.write_bytes(raw if craft else damaged(rng, raw))
            counts[agree(path)] += 1
    assert not planted.exists(), "a payload ran"
    assert counts[False] > 1_500 and counts[True] > 100, counts


def damaged(rng, raw: bytes) -> bytes:
    """The file cut off, or some of its bytes changed."""
    if rng.random() < 0.4:
        return raw[:rng.integers(len(raw))]
    raw = bytearray(raw)
    for place in rng.integers(len(raw), size=rng.integers(1, 8)):
        raw[place] = rng.integers(256)
    return bytes(raw)


def agree(path) -> bool:
    """Whether check and loading call the file good; they must say the same, in a sentence."""
    problems, _ = check.check_file(path)
    assert all(len(problem) > 10 and "llocat" not in problem and "MemoryError" not in problem for problem in problems)
    try:
        data = convert.from_npz(path, num_classes=npz.MAX_CLASSES)
    except (ValueError, OSError) as error:
        assert problems, f"check is content, loading says: {error}"
        return False
    assert not problems, f"loading is content with {data}, check says: {problems}"
    return True
