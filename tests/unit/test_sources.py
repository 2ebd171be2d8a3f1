"""Downloads: nothing in them is run, and only the graph of the card passes for it. The network is replaced."""

import dataclasses
import io
import os
import pickle
import urllib.error
import warnings
from collections import defaultdict

import numpy as np
import pytest
import scipy.sparse as sp
import torch_geometric.datasets as pyg
from torch_geometric.io import read_planetoid_data

from privgraph import datasets
from privgraph.cli import main
from privgraph.datasets import cards, fingerprints, raw

NODES, FEATURES, CLASSES = 520, 5, 3  # PyG takes 500 nodes for validation
TEST = [518, 516, 519, 515]  # 517 has no row, as 15 nodes of Citeseer have none
X = sp.random(NODES, FEATURES, density=0.5, random_state=0, format="csr", dtype=np.float32)
Y = np.arange(NODES) % CLASSES
# With self loops, and each edge in one direction only.
NEIGHBOURS = {node: [(node + 1) % NODES, (node + 5) % NODES, node] for node in range(NODES)}


class Payload:
    """Unpickled, it makes a folder."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


class Python2Pickler(pickle._Pickler):
    """Protocol 2 with the strings and the names of modules of Python 2, in which Planetoid's files are written."""

    dispatch = dict(pickle._Pickler.dispatch)

    def save_string(self, text):
        data = text if isinstance(text, bytes) else text.encode("latin-1")
        short = len(data) < 256
        self.write((pickle.SHORT_BINSTRING + bytes([len(data)]) if short else
                    pickle.BINSTRING + len(data).to_bytes(4, "little")) + data)
        self.memoize(text)

    dispatch[bytes] = dispatch[str] = save_string


def python2(value) -> bytes:
    buffer = io.BytesIO()
    Python2Pickler(buffer, protocol=2).dump(value)
    data = buffer.getvalue()
    return data.replace(b"cscipy.sparse._csr\n", b"cscipy.sparse.csr\n").replace(b"cnumpy._core.", b"cnumpy.core.")


def python3(value) -> bytes:
    return pickle.dumps(value, protocol=2)


def planetoid_parts(write=python2) -> dict[str, bytes]:
    first = min(TEST)
    hot = np.eye(CLASSES, dtype=np.int32)[Y]
    parts = {"allx": X[:first], "tx": X[TEST], "ally": hot[:first], "ty": hot[TEST],
             "graph": defaultdict(list, NEIGHBOURS)}
    lines = "".join(f"{node}\n" for node in TEST).encode()
    return {name: write(value) for name, value in parts.items()} | {"test.index": lines}


def planetoid_files(name: str, **others) -> dict[str, bytes]:
    return {f"ind.{name}.{part}": data for part, data in (planetoid_parts() | others).items()}


def npz_file(**others) -> bytes:
    """As Shchur et al. keep a graph; with pickled metadata beside it, which is never read."""
    pairs = [(node, neighbour) for node, neighbours in NEIGHBOURS.items() for neighbour in neighbours]
    adjacency = sp.csr_matrix((np.ones(len(pairs)), tuple(zip(*pairs, strict=True))), shape=(NODES, NODES))
    arrays = {f"{name}_{part}": getattr(matrix, part) for name, matrix in (("attr", X), ("adj", adjacency))
              for part in ("data", "indices", "indptr", "shape")}
    np.savez(buffer := io.BytesIO(), **(arrays | {"labels": Y, "names": np.array([{"a": 1}], dtype=object)} | others))
    return buffer.getvalue()


@pytest.fixture
def net(monkeypatch, tmp_path):
    """Files by name, served instead of the network; nothing is at hand, and the cache is empty."""
    monkeypatch.delenv("PRIVGRAPH_DATA", raising=False)
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path / "cache"))
    served = {}

    def urlopen(address, timeout):
        name = address.rpartition("/")[2]
        if name not in served:
            raise urllib.error.URLError("no such file")
        return io.BytesIO(served[name])

    monkeypatch.setattr(raw, "urlopen", urlopen)
    return served


def hash_of(data) -> str:
    return datasets.fingerprint(data.edge_index, data.x, data.y)


def pyg_reads(folder, prefix: str):
    """The graph as PyG reads the files, which unpickles them; it wants the rows to train on once more."""
    training = {"x": python2(X[:3]), "y": python2(np.eye(CLASSES)[Y[:3]])}
    for part, data in (planetoid_parts() | training).items():
        (folder / f"ind.{prefix}.{part}").write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_planetoid_data(str(folder), prefix)


def test_planetoid_is_read_as_pyg_reads_it(tmp_path):
    theirs = pyg_reads(tmp_path, "citeseer")
    their = datasets.from_pyg(theirs, num_classes=CLASSES)
    for write in (python2, python3):
        edges, x, y = raw.read({f"ind.citeseer.{part}": data for part, data in planetoid_parts(write).items()})
        ours = datasets.from_edge_list(edges, x.toarray(), y, num_classes=CLASSES)
        assert ours.num_nodes == NODES and ours.y[517] == 0 and not ours.x[517].any() and ours.x.any()
        assert hash_of(ours) == hash_of(their)


def test_npz_files_are_read_as_pyg_reads_them(tmp_path):
    from torch_geometric.io import read_npz
    (tmp_path / "graph.npz").write_bytes(npz_file())
    their = datasets.from_pyg(read_npz(str(tmp_path / "graph.npz")), num_classes=CLASSES)
    edges, x, y = raw.read({"graph.npz": npz_file()})
    ours = datasets.from_edge_list(edges, x.toarray(), y, num_classes=CLASSES)
    assert hash_of(ours) == hash_of(their)


def test_an_honest_download_is_kept_and_loaded(net, monkeypatch, capsys):
    net.update(planetoid_files("cora"))
    edges, x, y = raw.read(planetoid_files("cora"))
    data = datasets.from_edge_list(edges, x.toarray(), y, num_classes=CLASSES)
    honest = dict(sha256=hash_of(data), classes=CLASSES)
    monkeypatch.setitem(cards.CARDS, "cora", dataclasses.replace(datasets.card("cora"), **honest))
    assert main(["data", "cora"]) == 0
    assert datasets.load("cora").name == "cora" and datasets.load("cora").num_nodes == NODES
    assert [path.name for path in datasets.cache_folder().rglob("*")] == ["cora.npz"]


def test_another_graph_does_not_pass_for_the_one_asked_for(net, monkeypatch, capsys):
    """Its card knows Cora's fingerprint, and these files hold something else."""
    net.update(planetoid_files("cora"))
    monkeypatch.setitem(cards.CARDS, "cora", dataclasses.replace(datasets.card("cora"), classes=CLASSES))
    assert main(["data", "cora"]) == 2
    error = capsys.readouterr().err
    kept, = datasets.cache_folder().glob("*.npz")
    assert "is not the 'cora' of the card" in error and str(kept) in error and kept.name != "cora.npz"
    assert not datasets.at_hand("cora")
    assert datasets.from_npz(kept, num_classes=CLASSES).num_nodes == NODES, "the user may still have it, as a file"


@pytest.mark.parametrize("change, same", [
    (lambda x: x, True), (lambda x: np.float32(np.char.mod("%.6g", x)), True), (lambda x: x * 1.0002, False),
    (lambda x: x[:, ::-1], False), (lambda x: np.where(np.arange(x.size).reshape(x.shape) == np.flatnonzero(x)[7],
                                                       x * 1.01, x), False),
    (lambda x: np.where(x == x.max(), 0, x), False), (lambda x: places_changed(x), False)])
def test_what_has_more_digits_than_the_copy_of_a_card_is_known_by_all_the_others(net, monkeypatch, change, same):
    """As with PubMed: the card was written from features of six digits, and Planetoid's files have them all."""
    net.update(planetoid_files("pubmed"))
    edges, x, y = raw.read(planetoid_files("pubmed"))
    x.data = seeded_values(len(x.data))
    of_card, came = (datasets.from_edge_list(edges, np.ascontiguousarray(each), y, num_classes=CLASSES)
                     for each in (np.float32(np.char.mod("%.6g", x.toarray())), change(x.toarray())))
    card = dataclasses.replace(datasets.card("pubmed"), sha256=hash_of(of_card), classes=CLASSES,
                               structure=fingerprints.structure(of_card), sums=fingerprints.sums(of_card))
    assert fingerprints.described(card, came) is same
    other = came.clone()
    other.y[0] = (other.y[0] + 1) % CLASSES
    fewer = came.clone()
    fewer.edge_index = fewer.edge_index[:, 2:]
    assert not fingerprints.described(card, other) and not fingerprints.described(card, fewer)
    assert not fingerprints.described(dataclasses.replace(card, sums=None), came) or hash_of(came) == card.sha256


def places_changed(x: np.ndarray) -> np.ndarray:
    """The same values in the same pattern, the first two in each other's places."""
    changed, (one, other) = x.copy(), np.flatnonzero(x)[:2]
    changed.flat[one], changed.flat[other] = x.flat[other], x.flat[one]
    return changed


def test_the_card_of_pubmed_has_the_structure_and_sums_of_its_graph():
    if not datasets.at_hand("pubmed"):
        pytest.skip("pubmed is not on this machine")
    data, card = datasets.load("pubmed"), datasets.card("pubmed")
    assert fingerprints.structure(data) == card.structure
    assert fingerprints.sums(data) == pytest.approx(card.sums, abs=1e-4)


def seeded_values(count: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(0.01, 0.9, count).astype(np.float32)


@pytest.mark.parametrize("part", ["allx", "tx", "ally", "ty", "graph"])
@pytest.mark.parametrize("place", ["alone", "beside", "inside"])
def test_a_planted_pickle_is_not_run(net, tmp_path, capsys, part, place):
    """A call in the place of a part, before it, and within it."""
    planted = tmp_path / "planted"
    honest = pickle.loads(planetoid_parts(python3)[part])
    values = {"alone": Payload(planted), "beside": [Payload(planted), honest],
              "inside": find_guarantee(honest, Payload(planted))}
    data = python2(values[place])
    net.update(planetoid_files("cora", **{part: data}))
    assert main(["data", "cora"]) == 2
    assert "no files of a graph" in (error := capsys.readouterr().err) or "is not the 'cora'" in error
    assert not planted.exists() and not datasets.at_hand("cora")
    unpickled(data)
    assert planted.exists(), "the payload would not have run anyway"


def unpickled(data: bytes):
    """As PyG does it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pickle.loads(data, encoding="latin1")


def find_guarantee(value, payload):
    """The value with a payload somewhere within."""
    if isinstance(value, dict):
        return value | {99: payload}
    if sp.issparse(value):
        value = value.copy()
        value.note = payload
        return value
    return {"array": value, "note": payload}


def test_a_planted_pickle_in_an_npz_is_not_run(net, tmp_path, capsys):
    payload = np.array([Payload(tmp_path / "planted")] * NODES)
    for name in ("names", "labels"):
        net["amazon_electronics_photo.npz"] = npz_file(**{name: payload})
        assert main(["data", "amazon-photo"]) == 2
        assert not (tmp_path / "planted").exists()


def test_what_lies_in_the_cache_is_not_unpickled(net, tmp_path, capsys):
    """Where PyG would keep its raw and its processed files: both are pickles."""
    for name in [f"raw/ind.cora.{part}" for part in planetoid_parts()] + ["processed/data.pt"]:
        path = datasets.cache_folder() / "pyg" / "cora" / "Cora" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(Payload(tmp_path / "planted")))
    assert main(["data", "cora"]) == 2
    assert "could not be fetched" in capsys.readouterr().err and not (tmp_path / "planted").exists()


@pytest.mark.parametrize("name", ["facebook-pages", "facebook-pages-128", "german-rgnn"])
def test_what_cannot_be_verified_is_not_fetched(net, name, capsys):
    assert main(["data", name]) == 2
    assert f"set PRIVGRAPH_DATA to a folder that holds {name.replace('-', '_')}.npz" in capsys.readouterr().err


def test_always_at_hand_is_nothing_to_download(net):
    with pytest.raises(ValueError, match="always at hand"):
        datasets.download("karate")


def test_the_addresses_are_those_of_pyg():
    """And every card with addresses has a fingerprint to check against."""
    planetoid = {name: {f"{pyg.Planetoid.url}/ind.{name}.{part}" for part in planetoid_parts()}
                 for name in ("cora", "citeseer", "pubmed")}
    others = {f"amazon-{name}": {f"{pyg.Amazon.url}amazon_electronics_{name}.npz"} for name in ("photo", "computers")}
    addresses = planetoid | others | {"dblp": {pyg.CitationFull.url.format("dblp")}}
    assert {card.name: set(card.files) for card in datasets.CARDS.values() if card.files} == addresses
    assert all(card.sha256 for card in datasets.CARDS.values() if card.files)


def test_a_file_without_end_is_given_up(net, monkeypatch):
    net["x"] = bytes(100)
    monkeypatch.setattr(raw, "MAX_FILE", 99)
    with pytest.raises(ValueError, match="is larger than"):
        raw.fetch("https://example.org/x")


@pytest.mark.parametrize("parts, message", [
    ({"test.index": b"518 516 519 514"}, "each once, none of them below 515"),
    ({"test.index": b"518 516 519 519"}, "each once"),
    ({"test.index": b"518 516 519 515 517"}, "must name 4 nodes"),
    ({"test.index": b"1000000000000 516 519 515"}, "GiB of memory"),
    ({"test.index": b"ten"}, "invalid literal"),
    ({"graph": python2({0: [2**70]})}, "too large"),
    ({"tx": python2(sp.csr_matrix((4, FEATURES + 1)))}, "must name 4 nodes"),
    ({"tx": python2(np.ones(3))}, ""),
    ({"ty": python2(X)}, ""),
    ({"ally": b"cos\nsystem\n(S'true'\ntR."}, ""),
    ({"ally": b""}, ""),
    ({"ally": pickle.dumps(np.ones(3), protocol=5)}, "has no place in a file of arrays"),
    ({"graph": b"\x80\x02}" + b")" + b"\x85" * 300_000 + b"K\x01s."}, "only numbers and words can be keys"),
])
def test_what_is_no_graph_is_refused(parts, message):
    with pytest.raises(ValueError, match="no files of a graph") as refusal:
        raw.read(planetoid_files("cora", **parts))
    assert message in str(refusal.value)


def test_parts_that_would_make_scipy_write_out_of_bounds_are_refused():
    matrix = X[TEST].copy()
    matrix.indices[0] = 10**9
    with pytest.raises(ValueError, match="tx_indices must name columns"):
        raw.read(planetoid_files("cora", tx=python2(matrix)))


@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
def test_damaged_pickles_are_refused_or_hold_another_graph():
    """1,000 files with some bytes changed or missing: no other error, and no crash."""
    rng = np.random.default_rng(0)
    good, refused = planetoid_parts(), 0
    for number in range(1_000):
        part = ("allx", "tx", "ally", "ty", "graph")[number % 5]
        data = bytearray(good[part])
        for place in rng.integers(len(data), size=rng.integers(1, 6)):
            data[place] = rng.integers(256)
        data = bytes(data[:rng.integers(len(data))] if rng.random() < 0.2 else data)
        try:
            raw.read(planetoid_files("cora", **{part: data}))
        except ValueError as error:
            assert "no files of a graph" in str(error)
            refused += 1
    assert refused > 300
