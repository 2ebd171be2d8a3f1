"""Files of releases, embeddings and models: what is written is read again, and anything else is refused by name."""

import pickle

import pytest
import torch

from privgraph.methods import LPGNN, PATE, Embeddings, LPGNNRelease, NodeClassifier, QueryRelease, RGNNRelease, load
from privgraph.methods.contract.toys import path_graph
from privgraph.methods.messages import pack, unpack
from privgraph.randomness import seeded

METHOD = LPGNN.examples()[0]


@pytest.fixture(scope="module")
def release():
    return METHOD.collect(path_graph(), seeded(0))


@pytest.fixture
def written(release, tmp_path):
    release.save(tmp_path / "release.pt")
    return tmp_path / "release.pt"


READERS = {"a release": LPGNNRelease.load, "embeddings": Embeddings.load,
           "a model": load}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_what_is_no_such_file_is_refused_and_nobody_is_advised_to_load_it_unsafely(read, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "run"), "w"))
    (tmp_path / "text").write_text("a note\n")
    (tmp_path / "nothing").write_bytes(b"")
    (tmp_path / "pickle").write_bytes(pickle.dumps(Evil()))
    torch.save({"y": Evil()}, tmp_path / "torch")
    torch.save([1, 2], tmp_path / "list")
    torch.save({"z": torch.ones(2)}, tmp_path / "other")
    for name in ("text", "nothing", "pickle", "torch", "list", "other"):
        with pytest.raises(ValueError, match=f"{name} holds ") as caught:
            read(tmp_path / name)
        assert "weights_only" not in str(caught.value) and caught.value.__cause__ is None
    assert not (tmp_path / "run").exists()
    with pytest.raises(FileNotFoundError, match="missing, which does not exist"):
        read(tmp_path / "missing")
    with pytest.raises(IsADirectoryError, match="path must name a file"):
        read(tmp_path)


def test_saving_into_a_folder_or_nowhere(release, tmp_path):
    fitted = METHOD.learn(release, seeded(0))
    for save in (release.save, fitted.save, Embeddings(z=torch.ones(2, 2)).save):
        with pytest.raises(IsADirectoryError, match="path must name a file, got the folder"):
            save(tmp_path)
        with pytest.raises(FileNotFoundError, match="path must lie in a folder that exists"):
            save(tmp_path / "nowhere" / "release.pt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name, value, message", [
    ("y", torch.zeros(8), r"y in .* must be torch.int64 of shape \['any'\], got torch.float32"),
    ("y", torch.full((8,), 7), "labels must lie in"), ("y", "zero", "y in .* got str"),
    ("report", torch.zeros(7, 3, dtype=torch.int8),
     r"report in .* must be a tensor of shape \[8, 'any'\], got .*\[7, 3\]"),
    ("train_mask", torch.zeros(8), "train_mask in .* must be torch.bool"),
    ("edge_index", torch.tensor([[0], [9]]), "must name nodes 0..7, got 0..9"),
    ("num_classes", 2.0, "num_classes in .* must be a whole number"),
    ("num_classes", 1, "num_classes in .* at least 2, got 1"),
    ("edge_weight", torch.ones(3), r"edge_weight in .* must be a tensor of shape \[14\]"),
    ("epsilon_x", -1.0, "epsilon_x must be a positive number"),
    ("structure", [{"epsilon": 1.0, "planet": "Mars"}], "structure"),
    ("structure", 5, "structure")])
def test_a_release_of_another_shape_is_refused(written, name, value, message):
    fields = torch.load(written, weights_only=True)
    torch.save(fields | {name: value}, written)
    with pytest.raises(ValueError, match=message):
        LPGNNRelease.load(written)


def test_a_release_of_another_method_is_refused(written):
    message = r"holds no RGNNRelease: missing \['domain_sizes'\], unknown \['feature_range'\]"
    with pytest.raises(ValueError, match=message):
        RGNNRelease.load(written)


def test_weights_of_another_network_are_refused(release, tmp_path):
    fitted = METHOD.learn(release, seeded(0))
    own = fitted.model.state_dict()
    fitted.save(tmp_path / "model.pt")
    whole = torch.load(tmp_path / "model.pt", weights_only=True)
    name = next(iter(own))
    for changed, message in ((own | {name: own[name][..., :1].clone()}, f"{name} in .* must be torch.float32 of shape"),
                             (own | {name: own[name].double()}, "got torch.float64"),
                             ({}, "weights of another network, nothing"),
                             (own | {name: own[name] * float("nan")}, "must be finite"), (own | {name: 1}, "got int")):
        torch.save(whole | {"learned": dict(changed)}, tmp_path / "model.pt")
        with pytest.raises(ValueError, match=message):
            load(tmp_path / "model.pt")


@pytest.mark.parametrize("change, message", [
    (lambda whole: whole.pop("learned"), "expected learned, method, release, got method, release"),
    (lambda whole: whole.update(code="import os"), "got code, learned, method, release"),
    (lambda whole: whole.update(method=5), "holds no model"),
    (lambda whole: whole["method"].update({"class": "os.system"}), "'os.system', which is no Method that is known"),
    (lambda whole: whole["method"].update({"class": "privgraph.mechanisms.additive.Laplace"}), "which is no Method"),
    (lambda whole: whole["method"].update(epsilon_x=-1.0), "cannot be made: epsilon_x must be a positive number"),
    (lambda whole: whole["method"].pop("hidden"), "must have the fields"),
    (lambda whole: whole["method"].update(planet="Mars"), "got .*planet"),
    (lambda whole: whole["release"].pop("y"), "missing .'y'"),
    (lambda whole: whole["release"].update(y=torch.zeros(8)), "y in .* must be torch.int64")])
def test_a_model_that_was_changed_is_refused(release, tmp_path, change, message):
    METHOD.learn(release, seeded(0)).save(path := tmp_path / "model.pt")
    change(whole := torch.load(path, weights_only=True))
    torch.save(whole, path)
    with pytest.raises(ValueError, match=message):
        load(path)


def test_what_came_of_no_method_is_not_saved(tmp_path):
    """A teacher is one: she has seen private data."""
    data = path_graph(8)
    teacher = NodeClassifier(epochs=1).fit(data.x, data.edge_index, torch.arange(8), data.y, 2, seeded(0))
    with pytest.raises(ValueError, match="came of none: it may have seen private data"):
        teacher.save(tmp_path / "model.pt")
    assert not list(tmp_path.iterdir())


LABELLED = PATE.examples()[0]


def test_labels_of_teachers_come_back_and_others_are_refused(tmp_path):
    release = LABELLED.collect(path_graph(), path_graph(10), seeded(0))
    release.save(path := tmp_path / "release.pt")
    assert QueryRelease.load(path).guarantee(1e-5) == release.guarantee(1e-5)
    fields = torch.load(path, weights_only=True)
    for name, value, message in (("labels", torch.tensor([0, 1]), r"labels in .* of shape \[3\], got"),
                                 ("labels", torch.tensor([0, 1, 5]), "labels must lie in 0..1, got 0..5"),
                                 ("num_classes", 1, "num_classes in .* at least 2, got 1"),
                                 ("x", torch.ones(10), "x in .* must be a tensor of shape"),
                                 ("budget", {"rate": 1.0, "steps": [{"pair": "open"}]}, "budget in"),
                                 ("queries", torch.tensor([0, 1, 99]), "must lie in 0..9")):
        torch.save(fields | {name: value}, path)
        with pytest.raises(ValueError, match=message):
            QueryRelease.load(path)


def test_messages_are_bytes_that_cannot_run_code():
    assert unpack(pack({"z": torch.ones(2), "round": 3}))["round"] == 3
    with pytest.raises(ValueError, match="the message holds no message"):
        unpack(pickle.dumps(print))
    with pytest.raises(TypeError, match="message must be bytes, got str"):
        unpack("text")


def test_a_file_holds_what_it_names_and_no_memory_behind_it(tmp_path):
    """torch writes all memory behind a tensor: the first rows of a table would take the others along."""
    table = torch.rand(1000, 4)
    Embeddings(z=table[:2]).save(tmp_path / "z.pt")
    assert (tmp_path / "z.pt").stat().st_size < 4000
    assert Embeddings.load(tmp_path / "z.pt").z.untyped_storage().nbytes() == 2 * 4 * 4
    (again,), sent = unpack(message := pack({"parts": [table[5:6, ::2]]}))["parts"], table[5:6, ::2]
    assert torch.equal(again, sent) and again.untyped_storage().nbytes() == 2 * 4 and len(message) < 4000
