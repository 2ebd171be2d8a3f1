"""A federation whose clients are processes of their own gives what it gives in one, and goes on without who is gone."""

import multiprocessing
import multiprocessing.forkserver
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

from privgraph import datasets
from privgraph.federate import demo
from privgraph.federate.demo import in_processes
from privgraph.methods import Round
from privgraph.methods.federated import FederatedDeepWalk, FederatedGAT, fold_of, hold, without_fold
from privgraph.methods.messages import unpack
from privgraph.randomness import Secret, draw_seed, secret, seeded
from toy_federation import Mean


def karate(clients=4):
    return hold(datasets.load("karate"), seeded(0), clients=clients, public=0.4, private=0.1)


def trouble(data, **by_client):
    """Who misbehaves how: client 2 is named by the first node that it holds alone."""
    return tuple((int((data.holder == int(name[1:])).nonzero()[0]), what) for name, what in by_client.items())


def remotes():
    """Processes that sit as clients of this one; after the last round one may have gone while we look."""
    found = []
    for each in multiprocessing.active_children():
        with suppress(psutil.NoSuchProcess):
            found += [psutil.Process(each.pid)] if each.name == "client" else []
    return found


def listening_of(process):
    """Addresses at which a process waits for calls; none where it has ended."""
    with suppress(psutil.NoSuchProcess):
        return {each.laddr.ip for each in process.net_connections() if each.status == "LISTEN"}
    return set()


def test_of_a_secret_generator_no_client_is_given_a_seed(tmp_path, monkeypatch):
    """Noise of a seed that another process could be handed would be noise of 32 bits. So each draws its own."""
    method, given, drawn = FederatedDeepWalk.examples()[4], [], []
    monkeypatch.setattr(demo, "begin", lambda ends, method, path, where, seed: given.append(seed))
    monkeypatch.setattr(demo, "serve", lambda *_, **how: [Round({}, {}, {})])
    assert len(list(in_processes(method, karate(), secret(), tmp_path))) == 1
    assert method.noise is not None and given == [None] * 4
    monkeypatch.setattr(demo, "join", lambda method, path, host, port, generator, tell: drawn.append(generator))
    monkeypatch.setattr(demo, "end_with_parent", lambda: None)
    monkeypatch.setattr(demo.signal, "signal", lambda *_: None)
    for seed in (None, 5):
        with pytest.raises(AttributeError):  # there is no client
            demo.sit(method, tmp_path, ("127.0.0.1", 0), seed)
    assert [isinstance(generator, Secret) for generator in drawn] == [True, False]


@pytest.mark.slow
def test_four_clients_in_processes_give_what_they_give_in_one(tmp_path):
    data, listening, sitting, heard = karate(), set(), set(), []
    clients, here = Mean().run(data, seeded(3))
    for told, expected in zip(in_processes(Mean(), data, seeded(3), tmp_path, tell=heard.append), here, strict=True):
        assert told == expected and len(told.replies) == 4  # to the last bit
        sitting |= {p.pid for p in remotes()}
        listening |= set().union(*map(listening_of, (psutil.Process(), *remotes())))
    for number, client in clients.items():
        assert np.array_equal(np.load(tmp_path / f"client-{number}.npy"), client.embeddings())
    assert listening == {"127.0.0.1"} and len(sitting) == 4 and remotes() == []
    assert sorted(heard) == [f"client {number} is here, from 127.0.0.1" for number in range(4)]


@pytest.mark.slow
@pytest.mark.parametrize("method", [FederatedDeepWalk.examples()[0], FederatedGAT.examples()[0]],
                         ids=lambda method: type(method).__name__)
def test_the_methods_of_chapter_11_give_in_processes_what_they_give_in_one(method, tmp_path):
    """Four clients, two rounds: what was sent and answered, and the vectors at the end."""
    data = without_fold(karate(), fold_of(34, 5, seeded(1)), 0)
    told = list(in_processes(method, data, seeded(3), tmp_path))
    clients, here = method.run(data, seeded(3))
    assert told == here and len(told) == 2 and len(clients) == 4
    for number, client in clients.items():
        assert np.array_equal(np.load(tmp_path / f"client-{number}.npy"), client.embeddings().detach())


@pytest.mark.slow
def test_who_is_killed_or_fails_is_left_out_and_the_round_goes_on(tmp_path, capfd):
    multiprocessing.forkserver._forkserver._stop()  # an older one would print where it was started
    data, heard = karate(), []
    method = Mean(rounds=3, trouble=trouble(data, c1="killed", c2="fails", c3="nan"))
    told = list(in_processes(method, data, seeded(3), tmp_path, tell=heard.append))
    gone = {1: "it closed the connection", 2: "it closed the connection"}
    assert [dict(each.left_out) for each in told] == [
        {}, {**gone, 3: "rows must be finite, got NaN or infinite numbers"}, gone]
    assert [sorted(each.replies) for each in told] == [[0, 1, 2, 3], [0], [0, 3]]
    assert "a secret of this client" in capfd.readouterr().err  # in its own process, and nowhere else
    assert "secret" not in f"{told}{heard}"
    assert sorted(path.name for path in tmp_path.glob("*.npy")) == ["client-0.npy", "client-3.npy"]
    assert alone_with_those_who_stay(method, data, seeded(3)) == [dict(each.replies) for each in told]
    assert remotes() == []


def alone_with_those_who_stay(method, data, generator):
    """The same in one process: nobody misbehaves, and the server gets only what it got there."""
    server = method.server(seeded(draw_seed(generator)))
    parts, seeds = method.split(data, generator), [draw_seed(generator) for _ in range(4)]
    clients = [replace(method, trouble=method.trouble[2:]).client(*each) for each in
               zip(parts, map(seeded, seeds), strict=True)]
    found = []
    for present in ((0, 1, 2, 3), (0, 3), (0, 3)):
        told = server.combine({number: clients[number].send() for number in present})
        for number, answer in told.replies.items():
            clients[number].receive(answer)
        found.append(dict(told.replies))
    return found


KILLED = """
import sys
from privgraph import datasets
from privgraph.federate.demo import in_processes
from privgraph.methods import Round
from privgraph.methods.federated import hold
from privgraph.randomness import seeded
from toy_federation import Mean
data = hold(datasets.load("karate"), seeded(0), public=0.4, private=0.1)
method = Mean(trouble=((int((data.holder == 2).nonzero()[0]), "late"),))
list(in_processes(method, data, seeded(3), sys.argv[1], tell=print))
"""


@pytest.mark.slow
def test_no_process_outlives_the_one_that_started_it(tmp_path):
    """One of them would sleep for an hour."""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    with open(tmp_path / "said", "w") as said:
        parent = psutil.Popen([sys.executable, "-u", "-c", KILLED, str(tmp_path)], stdout=said,
                              env=os.environ | {"PYTHONPATH": paths})
    try:
        wait_for(lambda: (tmp_path / "said").read_text().count("is here") == 4)
        started = parent.children(recursive=True)
        os.kill(parent.pid, signal.SIGKILL)
        _, alive = psutil.wait_procs(started, timeout=30)
        assert len(started) >= 5 and alive == []  # four clients and what they are forks of
    finally:
        parent.kill()


def wait_for(look, seconds=120):
    last = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < last, "never seen"
        time.sleep(0.1)


@pytest.mark.parametrize("changes, error, message", [
    (dict(method=Mean(rounds=0)), ValueError, "rounds must be a whole number, at least 1, got 0"),
    (dict(data=datasets.load("karate")), ValueError, "data must have holder"),
    (dict(generator=0), TypeError, "generator must be"), (dict(timeout=0), ValueError, "timeout must be"),
    (dict(folder="nowhere"), ValueError, "folder must be a folder that exists, got 'nowhere'")])
def test_what_cannot_be_run_is_refused_before_a_process_starts(changes, error, message, monkeypatch):
    monkeypatch.setattr(demo, "begin", None)
    with pytest.raises(error, match=message):
        next(in_processes(**dict(method=Mean(), data=karate(), generator=seeded(0), folder=".") | changes))


def test_what_the_server_is_told_holds_no_private_row():
    """The toy sends what it says: rows of public nodes, as bytes that anybody can read without running them."""
    data = karate()
    _, told = Mean().run(data, seeded(3))
    public = int((data.holder == -1).sum())
    for message in told[0].messages.values():
        assert {name: list(rows.shape) for name, rows in unpack(message).items()} == {"rows": [public, 3]}
        assert isinstance(unpack(message)["rows"], torch.Tensor)
