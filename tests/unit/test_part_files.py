import stat

import pytest
import torch
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.federate import load_part, save_parts
from privgraph.methods.federated import hold, parts
from privgraph.methods.files import write
from privgraph.randomness import seeded


@pytest.fixture
def held():
    return hold(datasets.load("karate"), seeded(0), clients=3)


def test_a_part_is_read_as_it_was_written_and_by_its_owner_only(held, tmp_path):
    files = save_parts(parts(held), tmp_path)
    assert [path.name for path in files] == ["client-0.pt", "client-1.pt", "client-2.pt"]
    for number, (part, path) in enumerate(zip(parts(held), files, strict=True)):
        found = load_part(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert (found.client, found.clients) == (number, 3)
        assert {*found.keys()} == {*part.keys(), "client", "clients"}
        for name, value in part.to_dict().items():
            assert torch.equal(found[name], value) if isinstance(value, torch.Tensor) else found[name] == value


def test_a_file_holds_its_own_part_and_nobody_elses(held, tmp_path):
    """A private node of another client has a row of features that no public node has: it is in no other file."""
    held.x = torch.arange(held.num_nodes)[:, None] + torch.tensor([0.25])
    for number, path in enumerate(save_parts(parts(held), tmp_path)):
        written = path.read_bytes()
        for node, holder in enumerate(held.holder.tolist()):
            row = held.x[node].numpy().tobytes()
            assert (row in written) == (holder == -1 or holder == number)


@pytest.mark.parametrize("changes, message", [
    (dict(client=3), "client in .* must be a whole number, between 0 and 2, got 3"),
    (dict(client="0"), "client in .* must be a whole number"), (dict(clients=0), "client in"),
    (dict(num_nodes=2.5), "num_nodes in .* must be a whole number"),
    (dict(edge_index=torch.tensor([[0], [9]])), "edge_index"), (dict(edge_index=None), "edge_index")])
def test_a_file_that_does_not_hold_together_is_refused(changes, message, tmp_path):
    good = dict(client=0, clients=3, num_nodes=4, edge_index=torch.tensor([[0, 1], [1, 0]]))
    write(good, tmp_path / "good.pt"), write(good | changes, tmp_path / "bad.pt")
    assert load_part(tmp_path / "good.pt").num_nodes == 4
    with pytest.raises((ValueError, TypeError), match=message):
        load_part(tmp_path / "bad.pt")


def test_other_files_are_refused(tmp_path):
    write({"z": torch.ones(2)}, tmp_path / "other.pt")
    with pytest.raises(ValueError, match="must hold a client's part, .* lacks client, clients, num_nodes, edge_index, "
                                         "got 'z'"):
        load_part(tmp_path / "other.pt")
    (tmp_path / "garbage.pt").write_bytes(b"garbage")
    with pytest.raises(ValueError, match="holds no part of a client: it holds text"):
        load_part(tmp_path / "garbage.pt")


@pytest.mark.parametrize("given, folder, message", [
    (None, ".", "parts must be a list of Data"), ([3], ".", "each of parts must be a Data, got 3"),
    ([Data()], "nowhere", "folder must be a folder that exists, got 'nowhere'")])
def test_what_cannot_be_written_is_refused(given, folder, message):
    with pytest.raises((ValueError, TypeError), match=message):
        save_parts(given, folder)
