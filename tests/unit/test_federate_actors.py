"""A federation in separate processes gives what it gives in one, and goes on without those who are gone."""

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

from privgraph import datasets
from privgraph.federate import actors, run_processes, save_parts
from privgraph.methods.federated import FederatedDeepWalk, FederatedGAT, fold_of, hold, without_fold
from privgraph.methods.federated.messages import unpack_rows
from privgraph.methods.messages import unpack
from privgraph.randomness import Secret, draw_seed, secret, seeded
from toy_federation import Mean


def karate(clients=4):
    return hold(datasets.load("karate"), seeded(0), clients=clients, public=0.4, private=0.1)


def trouble(data, **by_client):
    """Who misbehaves how: client 2 is named by the first node that it holds alone."""
    return tuple((int((data.holder == int(name[1:])).nonzero()[0]), what) for name, what in by_client.items())


def workers():
    """Processes of ours that this one has started."""
    running = [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]
    return [p for p in running if "privgraph.federate.worker" in p.cmdline()]


def test_of_a_secret_generator_no_client_is_given_a_seed(tmp_path, monkeypatch):
    """Noise of a seed that another process could be handed would be noise of 32 bits. So each draws its own."""
    method, asked = FederatedDeepWalk.examples()[4], []
    files, seeds = actors.members(method, karate(), secret(), tmp_path)
    assert method.noise is not None and list(seeds) == [None] * 4
    assert list(actors.members(method, list(files.values()), secret(), tmp_path)[1]) == [None] * 4
    monkeypatch.setattr(FederatedDeepWalk, "client", lambda self, part, generator: asked.append(generator))
    actors.Seat(method, str(files[0]), None).there(), actors.Seat(method, str(files[0]), 5).there()
    assert [isinstance(generator, Secret) for generator in asked] == [True, False]


@pytest.mark.slow
def test_four_clients_in_processes_give_what_they_give_in_one(tmp_path, monkeypatch):
    data, listening = karate(), []
    play = actors.play

    def watched(*given):
        listening.extend(c.laddr.ip for p in workers() for c in p.net_connections() if c.status == "LISTEN")
        return play(*given)
    monkeypatch.setattr(actors, "play", watched)
    told = run_processes(Mean(), data, seeded(3), keep=tmp_path)
    clients, here = Mean().run(data, seeded(3))
    assert told == here and len(told) == 2 and all(len(each.answers) == 4 for each in told)  # to the last bit
    for number, client in clients.items():
        assert np.array_equal(np.load(tmp_path / f"client-{number}.npy"), client.embeddings())
    assert len(listening) >= 6 and set(listening) == {"127.0.0.1"}
    assert workers() == []


@pytest.mark.slow
@pytest.mark.parametrize("method", [FederatedDeepWalk.examples()[0], FederatedGAT.examples()[0]],
                         ids=lambda method: type(method).__name__)
def test_the_methods_of_chapter_11_give_in_processes_what_they_give_in_one(method, tmp_path):
    """Four clients, two rounds: what was sent and answered, and the vectors at the end."""
    data = without_fold(karate(), fold_of(34, 5, seeded(1)), 0)
    told = run_processes(method, data, seeded(3), keep=tmp_path)
    clients, here = method.run(data, seeded(3))
    assert len(told) == len(here) == 2 and len(clients) == 4
    for each, expected in zip(told, here, strict=True):
        assert each.left_out == expected.left_out == {}
        for found, right in ((each.messages, expected.messages), (each.answers, expected.answers)):
            assert all(torch.allclose(unpack_rows(found[number]), unpack_rows(right[number]), rtol=0, atol=1e-4)
                       for number in range(4))
    for number, client in clients.items():
        kept = torch.from_numpy(np.load(tmp_path / f"client-{number}.npy"))
        assert torch.allclose(kept, client.embeddings(), rtol=0, atol=1e-4)


@pytest.mark.slow
def test_who_is_killed_or_fails_or_is_late_is_left_out_and_the_round_goes_on(tmp_path, capfd):
    data = karate(5)
    method = Mean(rounds=3, trouble=trouble(data, c1="killed", c2="fails", c3="late", c4="nan"))
    files = save_parts(method.split(data, seeded(0)), tmp_path)
    with pytest.warns(UserWarning) as said:
        told = run_processes(method, files[::-1], seeded(3), timeout=10, keep=tmp_path)
    assert [dict(each.left_out) for each in told] == [
        {}, {1: "its process was ended by signal 9", 2: "it failed; its own process says why",
             3: "no answer within 10 seconds", 4: "rows must be finite, got NaN or infinite numbers"},
        {1: "its process was ended by signal 9", 2: "it failed; its own process says why",
         3: "no answer within 10 seconds"}]
    assert [sorted(each.answers) for each in told] == [[0, 1, 2, 3, 4], [0], [0, 4]]
    assert {str(w.message)[:8] for w in said if w.category is UserWarning} == {"client 1", "client 2", "client 3"}
    assert "a secret of this client" in capfd.readouterr().err  # in its own process, and nowhere else
    assert sorted(p.name for p in tmp_path.glob("*.npy")) == ["client-0.npy", "client-4.npy"]
    assert alone_with_those_who_stay(method, data, seeded(3)) == [dict(each.answers) for each in told]
    assert workers() == []


def alone_with_those_who_stay(method, data, generator):
    """The same in one process: nobody misbehaves, and the server gets only what it got there."""
    server = method.server(seeded(draw_seed(generator)))
    parts, seeds = method.split(data, generator), [draw_seed(generator) for _ in range(5)]
    clients = [replace(method, trouble=method.trouble[3:]).client(*each) for each in
               zip(parts, map(seeded, seeds), strict=True)]
    found = []
    for present in ((0, 1, 2, 3, 4), (0, 4), (0, 4)):
        told = server.combine({number: clients[number].send() for number in present})
        for number, answer in told.answers.items():
            clients[number].receive(answer)
        found.append(dict(told.answers))
    return found


KILLED = """
import sys
from privgraph import datasets
from privgraph.federate import run_processes
from privgraph.methods.federated import FederatedDeepWalk, FederatedGAT, fold_of, hold, without_fold
from privgraph.methods.federated.messages import unpack_rows
from privgraph.randomness import seeded
from toy_federation import Mean
data = hold(datasets.load("karate"), seeded(0), public=0.4, private=0.1)
run_processes(Mean(trouble=((int((data.holder == 2).nonzero()[0]), "late"),)), data, seeded(3))
"""


@pytest.mark.slow
def test_no_process_outlives_the_one_that_started_it():
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    parent = psutil.Popen([sys.executable, "-c", KILLED], env=os.environ | {"PYTHONPATH": paths})
    try:
        started = wait_for(lambda: children if len(children := parent.children()) == 6 else [])  # before they are ready
        os.kill(parent.pid, signal.SIGKILL)
        _, alive = psutil.wait_procs(started, timeout=30)
        assert alive == []
    finally:
        parent.kill()


def wait_for(look, seconds=60):
    last = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < last, "never seen"
        time.sleep(0.1)
    return found


@pytest.mark.parametrize("changes, error, message", [
    (dict(method=None), TypeError, "method must be a Federation, got None"),
    (dict(source=["nowhere.pt"]), FileNotFoundError, "nowhere.pt, which does not exist"),
    (dict(source=3), TypeError, "source must be a sequence of files, got 3"),
    (dict(source=datasets.load("karate")), ValueError, "data must have holder"),
    (dict(generator=0), TypeError, "generator must be"), (dict(timeout=0), ValueError, "timeout must be"),
    (dict(keep="nowhere"), ValueError, "keep must be a folder that exists, got 'nowhere'")])
def test_what_cannot_be_run_is_refused_before_a_process_starts(changes, error, message, monkeypatch):
    monkeypatch.setattr(actors, "cluster", None)
    with pytest.raises(error, match=message):
        run_processes(**dict(method=Mean(), source=karate(), generator=seeded(0)) | changes)


def test_the_files_must_be_those_of_all_clients(tmp_path):
    files = save_parts(Mean().split(karate(), seeded(0)), tmp_path)
    for wrong, named in ((files[1:], r"0 to 2, got those of \[1, 2, 3\]"), (files[:1] * 2, r"got those of \[0\]")):
        with pytest.raises(ValueError, match=named):
            run_processes(Mean(), wrong, seeded(0))


def test_what_the_server_is_told_holds_no_private_row():
    """The toy sends what it says: rows of public nodes, as bytes that anybody can read without running them."""
    data = karate()
    _, told = Mean().run(data, seeded(3))
    public = int((data.holder == -1).sum())
    for message in told[0].messages.values():
        assert {name: list(rows.shape) for name, rows in unpack(message).items()} == {"rows": [public, 3]}
        assert isinstance(unpack(message)["rows"], torch.Tensor)
