"""Server and clients that share nothing but a socket. Here they are threads, which is quicker than processes."""

import contextlib
import json
import threading
from dataclasses import replace

import numpy as np
import pytest
import torch

from privgraph import datasets
from privgraph.federate import join, listen, save_parts, serve
from privgraph.federate.reception import Reception
from privgraph.federate.remote_clients import ALIVE, FRAME, MESSAGE, Table, terms
from privgraph.federate.wire import call
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods import FederatedDeepWalk
from privgraph.methods.federated import UploadNoise, hold
from privgraph.methods.federated.row_messages import pack_rows
from privgraph.randomness import draw_seed, seeded
from toy_federation import Mean

DATA = hold(datasets.load("karate"), seeded(0), clients=4, public=0.4, private=0.1)


def trouble(**by_client):
    return tuple((int((DATA.holder == int(name[1:])).nonzero()[0]), what) for name, what in by_client.items())


class Meeting:
    """Clients in threads that join a server, and what everybody had to say."""

    def __init__(self, method, folder, absent=(), order=(0, 1, 2, 3), patience=10, **how):
        generator = seeded(3)
        server_seed = draw_seed(generator)
        members = method.parts_and_seeds(DATA, generator)
        files = save_parts([part for part, _ in members], folder)
        self.said, self.heard, self.clients, self.door = [], {i: [] for i in range(4)}, {}, listen("127.0.0.1", 0, 4)
        for number in order:
            if number not in absent:
                self.start(number, method, files[number], members[number][1])
        self.told = list(serve(method, self.door, 4, seeded(server_seed), tell=self.said.append, **how))
        for thread in threading.enumerate():
            if thread.name.startswith("client"):
                thread.join(patience)

    def start(self, number, method, file, seed):
        def act():
            try:
                self.clients[number] = join(method, file, *self.door.getsockname(), seeded(seed), timeout=20,
                                            tell=self.heard[number].append)
            except ValueError as error:
                self.heard[number].append(str(error))
        threading.Thread(target=act, daemon=True, name=f"client {number}").start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.door.close()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_four_clients_and_a_server_give_what_they_give_in_one_process(order, tmp_path):
    with Meeting(Mean(), tmp_path, order=order) as meeting:
        clients, here = Mean().run(DATA, seeded(3))
        assert meeting.told == here  # whoever came first: to the last bit
        for number, client in clients.items():
            assert np.array_equal(meeting.clients[number].embeddings(), client.embeddings())
        assert sorted(meeting.said) == [f"client {i} is here, from 127.0.0.1" for i in range(4)]
        size = len(here[0].messages[0])
        assert meeting.heard[0] == [f"round {r}: sent {size:,} bytes, got {size:,}" for r in (1, 2)]


@pytest.mark.parametrize("what, why", [
    ("nan", "rows must be finite, got NaN or infinite numbers"),
    ("shape", "rows must have the shape of most, [13, 3]")])
def test_who_sends_what_cannot_be_used_hears_why_and_may_go_on(what, why, tmp_path):
    with Meeting(Mean(rounds=3, trouble=trouble(c2=what)), tmp_path) as meeting:
        assert [sorted(each.replies) for each in meeting.told] == [[0, 1, 2, 3], [0, 1, 3], [0, 1, 2, 3]]
        assert why in meeting.told[1].left_out[2] and set(meeting.told[1].left_out) == {2}
        left_out = f"left out of it, as {meeting.told[1].left_out[2]}; its rows stay as they are"
        assert meeting.heard[2][1] == f"round 2: {left_out}"


def test_who_sends_what_cannot_be_read_is_out_for_good(tmp_path):
    with Meeting(Mean(rounds=3, trouble=trouble(c2="garbage")), tmp_path) as meeting:
        assert [sorted(each.replies) for each in meeting.told] == [[0, 1, 2, 3], [0, 1, 3], [0, 1, 3]]
        assert all("holds no message" in each.left_out[2] for each in meeting.told[1:])
        assert "holds no message" in meeting.heard[2][1] and "client 2 is out of this federation" in meeting.heard[2][2]


def test_who_fails_or_never_came_is_left_out_of_all_that_follows(tmp_path):
    with Meeting(Mean(rounds=3, trouble=trouble(c2="fails")), tmp_path, absent=[1], timeout=2) as meeting:
        gone = {1: "it did not come within 2 seconds", 2: "it closed the connection"}
        assert [dict(each.left_out) for each in meeting.told] == [{1: gone[1]}, gone, gone]
        assert [sorted(each.replies) for each in meeting.told] == [[0, 2, 3], [0, 3], [0, 3]]
        assert meeting.heard[2][-1] == "a secret of this client" not in str(meeting.said)


def test_who_is_late_is_left_out(tmp_path):
    with Meeting(Mean(trouble=trouble(c0="late")), tmp_path, timeout=1, patience=0) as meeting:
        assert [dict(each.left_out) for each in meeting.told] == [{}, {0: "no message within 1 seconds"}]


def test_a_client_whose_server_is_gone_goes_on_alone(tmp_path):
    part, *_ = files = save_parts(Mean().split(DATA, seeded(0)), tmp_path)
    door, heard = listen("127.0.0.1", 0, 4), []
    thread = threading.Thread(target=lambda: heard.append(join(
        Mean(rounds=3), part, *door.getsockname(), seeded(1), tell=heard.append)), daemon=True)
    thread.start()
    rounds = serve(Mean(rounds=3), door, len(files), seeded(0), timeout=1, tell=heard.append)
    next(rounds), rounds.close(), door.close(), thread.join(10)
    assert heard[0].startswith("client 0 is here") and heard[1].startswith("round 1: sent")
    assert [line.split(" (")[0] for line in heard[2:4]] == [f"round {r}: the server is gone" for r in (2, 3)]
    assert heard[4].sent == 3


def greeted(greeting, remotes=None):
    """What a server of 4 clients answers to a greeting, and what it says of it."""
    door, said = listen("127.0.0.1", 0, 1), []
    wire = call(*door.getsockname(), None, 1, 5)
    wire.send(greeting)
    list(serve(Mean(rounds=1), door, 4, seeded(0), timeout=0.5, tell=said.append))
    answer = wire.receive()
    wire.close(), door.close()
    return answer.decode(), said


GOOD = terms(Mean(rounds=1), 4) | {"client": 0}


def test_a_good_greeting_is_let_in():
    answer, said = greeted(json.dumps(GOOD).encode())
    assert answer == "" and said == ["client 0 is here, from 127.0.0.1"]


@pytest.mark.parametrize("greeting, why", [
    (b"GET / HTTP/1.1", "that is no greeting of a client"), (b"[0]", "no greeting"), (b"3", "no greeting"),
    (b"[" * 1000, "no greeting"), (json.dumps(GOOD | {"client": 4}).encode(), "no greeting"),
    (json.dumps(GOOD | {"client": "0"}).encode(), "no greeting"), (b'{"client": true}', "no greeting"),
    (json.dumps(GOOD | {"rounds": 2}).encode(), "the server has {'method': 'Mean', 'rounds': 1, 'clients': 4}"),
    (json.dumps(GOOD | {"method": "Median"}).encode(), "the server has"),
    (json.dumps(GOOD | {"clients": 3}).encode(), "the server has")])
def test_other_greetings_are_sent_away_with_a_reason(greeting, why):
    answer, said = greeted(greeting)
    assert why in answer and said == [f"somebody at 127.0.0.1 was not let in: {answer}"]


def test_a_seat_is_taken_once(tmp_path):
    files = save_parts(Mean().split(DATA, seeded(0)), tmp_path)
    door, heard = listen("127.0.0.1", 0, 4), []
    where = door.getsockname()
    first = call(*where, None, 1, 5)
    first.send(json.dumps(GOOD).encode())

    def second():
        with pytest.raises(ValueError, match="lets this client not in: client 0 is here already; here it is"):
            join(Mean(rounds=1), files[0], *where, seeded(0))
        heard.append("refused")
    thread = threading.Thread(target=second, daemon=True)

    def tell(line):
        heard.append(line)
        if line.startswith("client 0 is here"):  # not before: greetings are read side by side
            thread.start()
    list(serve(Mean(rounds=1), door, 4, seeded(0), timeout=2, tell=tell))
    thread.join(10), first.close(), door.close()
    assert "refused" in heard and len(heard) == 3


@pytest.fixture
def made(monkeypatch):
    """The parts of the clients that were made: with one, training begins, and noise on edges is drawn."""
    found, client = [], Mean.client
    monkeypatch.setattr(Mean, "client", lambda self, part, generator: (
        found.append(part.client), client(self, part, generator))[1])
    return found


def test_who_finds_no_server_has_not_trained(made, tmp_path):
    """A client that trained first would be told after its epochs, and would have drawn noise, that nobody is there."""
    file = save_parts(Mean().split(DATA, seeded(0)), tmp_path)[0]
    with listen("127.0.0.1", 0, 1) as door:
        closed = door.getsockname()
    with pytest.raises(OSError, match="cannot reach a server at 127.0.0.1"):
        join(Mean(), file, *closed, seeded(0), wait=0.1)
    assert made == [] and not state(file).exists()


def test_who_is_not_let_in_has_not_trained(made, tmp_path):
    """Its seat is taken, by a wire that makes no client. Once it is free again a client is made, and is seen here."""
    file = save_parts(Mean().split(DATA, seeded(0)), tmp_path)[0]
    with listen("127.0.0.1", 0, 4) as door, Reception(door, Table(Mean(), 4, 5.0, print, None, 1, ""), None) as desk:
        first = call(*door.getsockname(), None, 5, 5)
        first.send(json.dumps(terms(Mean(), 4) | {"client": 0}).encode())
        assert first.receive() == b""
        with pytest.raises(ValueError, match="lets this client not in: client 0 is here already"):
            join(Mean(), file, *door.getsockname(), seeded(0))
        assert made == [] and not state(file).exists()
        with desk.table.changed:
            first.close()
            assert desk.table.changed.wait_for(lambda: not desk.table.remotes, 10)
        thread = threading.Thread(target=join, args=[Mean(), file, *door.getsockname(), seeded(0)], daemon=True,
                                  kwargs=dict(again=0.1, tell=lambda line: None))
        thread.start()
        with desk.table.changed:
            assert desk.table.changed.wait_for(lambda: 0 in desk.table.remotes and desk.table.remotes[0].message, 10)
    thread.join(10)
    assert made == [0]


def test_what_a_server_says_cannot_steer_a_terminal():
    from privgraph.federate.sockets import printable
    assert printable(b"a\x1b[2Jb\r\nc") == "a[2Jbc"


@pytest.mark.parametrize("changes, message", [
    (dict(method=None), "method must be a Federation, got None"), (dict(clients=0), "clients must be a whole number"),
    (dict(generator=0), "generator must be"), (dict(timeout=-1), "timeout must be a positive")])
def test_a_server_refuses_what_makes_no_sense(changes, message):
    with pytest.raises((ValueError, TypeError), match=message):
        next(serve(**dict(method=Mean(), door=None, clients=1, generator=seeded(0)) | changes))


@pytest.mark.parametrize("changes, message", [
    (dict(method=None), "method must be a Federation, got None"), (dict(path="nowhere.pt"), "nowhere.pt"),
    (dict(generator=0), "generator must be"), (dict(wait=0), "wait must be a positive"),
    (dict(timeout=0), "timeout must be a positive")])
def test_a_client_refuses_what_makes_no_sense(changes, message):
    with pytest.raises((ValueError, TypeError, OSError), match=message):
        join(**dict(method=Mean(), path="x.pt", host="127.0.0.1", port=9, generator=seeded(0)) | changes)


def rounds_of(method, files, heard):
    """A federation of all clients in threads; what each was told."""
    with listen("127.0.0.1", 0, 4) as door:
        threads = [threading.Thread(target=lambda n=n, file=file: join(
            method, file, *door.getsockname(), seeded(n), tell=heard[n].append), daemon=True)
                   for n, file in enumerate(files)]
        for thread in threads:
            thread.start()
        told = list(serve(method, door, len(files), seeded(0), timeout=20, tell=lambda line: None))
        for thread in threads:
            thread.join(20)
        return told


def state(file):
    return file.with_name(f".{file.name}.state")


def state_of(file):
    return torch.load(state(file), weights_only=True)


def test_a_second_federation_reports_no_edge_again(tmp_path):
    """With other coins, too: what was drawn for the first is kept, and said."""
    method = FederatedDeepWalk(dimension=3, rounds=1, walks=1, first_epochs=1, epochs=1, edges=SymmetricResponse(1.0))
    files, heard = save_parts(method.split(DATA, seeded(0)), tmp_path), {n: [] for n in range(4)}
    rounds_of(method, files, heard)
    first = [state_of(file) for file in files]
    assert all(file.with_name(f".{file.name}.state").stat().st_mode & 0o777 == 0o600 for file in files)
    rounds_of(method, files, heard)
    for file, before in zip(files, first, strict=True):
        after = state_of(file)
        assert torch.equal(before["state"]["edge_index"], after["state"]["edge_index"])
        assert before["session"] != after["session"]
    assert "its noisy graph is the one of an earlier federation" in heard[0][1]
    rounds_of(replace(method, edges=SymmetricResponse(0.5)), files, heard)  # another mechanism: another graph
    assert not torch.equal(state_of(files[0])["state"]["edge_index"], first[0]["state"]["edge_index"])


def test_noise_on_uploads_that_is_spent_again_is_said(tmp_path):
    method = FederatedDeepWalk(dimension=3, rounds=1, walks=1, first_epochs=1, epochs=1, noise=UploadNoise(1.0))
    files, heard = save_parts(method.split(DATA, seeded(0)), tmp_path), {n: [] for n in range(4)}
    rounds_of(method, files, heard)
    assert len(heard[0]) == 1
    rounds_of(method, files, heard)
    assert "is spent once more, and adds up" in heard[0][1]


def test_a_state_that_others_could_have_written_is_not_read(tmp_path):
    files = save_parts(Mean().split(DATA, seeded(0)), tmp_path)
    state = files[0].with_name(f".{files[0].name}.state")
    state.write_bytes(b"")
    state.chmod(0o644)
    with pytest.raises(PermissionError, match="must be a file of your own that nobody else can read or write"):
        join(Mean(), files[0], "127.0.0.1", 9, seeded(0), wait=0.1)
    state.unlink(), state.symlink_to(files[1])
    with pytest.raises(PermissionError, match="must be a file of your own"):
        join(Mean(), files[0], "127.0.0.1", 9, seeded(0), wait=0.1)


def test_three_hostile_and_two_honest_clients(tmp_path):
    """One sends what cannot be read, one the longest rows, one never says a word; the rounds end."""
    data = hold(datasets.load("karate"), seeded(0), clients=5, public=0.4, private=0.1)
    method = FederatedDeepWalk(dimension=4, rounds=3, walks=1, first_epochs=1, epochs=1)
    files, done = save_parts(method.split(data, seeded(0)), tmp_path), {}
    with listen("127.0.0.1", 0, 5) as door:
        def honest(number):
            client = join(method, files[number], *door.getsockname(), seeded(number), tell=lambda line: None)
            done[number] = client.answered

        def hostile(number, messages):
            wire = call(*door.getsockname(), None, 5, 30)
            wire.send(json.dumps(terms(method, 5) | {"client": number}).encode())
            wire.receive(), wire.receive()
            for at, message in enumerate(messages, 1):
                wire.send(FRAME.pack(MESSAGE, at) + message), wire.receive()
            wire.receive()
        long = pack_rows(torch.full((13, 4), 1e30))
        threads = [threading.Thread(target=honest, args=[number], daemon=True) for number in (1, 3)]
        threads += [threading.Thread(target=hostile, args=[number, messages], daemon=True) for number, messages in (
            (0, [b"garbage"]), (2, [long] * 3), (4, []))]
        for thread in threads:
            thread.start()
        told = list(serve(method, door, 5, seeded(0), timeout=2, tell=lambda line: None))
        for thread in threads[:2]:
            thread.join(20)
    assert len(told) == 3 and done == {1: (1, 2, 3), 3: (1, 2, 3)}
    assert all({0, 4} <= set(each.left_out) for each in told)


def test_who_floods_the_server_is_out(tmp_path):
    files = save_parts(Mean().split(DATA, seeded(0)), tmp_path)
    with listen("127.0.0.1", 0, 4) as door:
        def flood():
            wire = call(*door.getsockname(), None, 5, 5)
            wire.send(json.dumps(terms(Mean(), 4) | {"client": 0}).encode())
            wire.receive(), wire.receive()
            with contextlib.suppress(OSError):
                while True:
                    wire.send(FRAME.pack(ALIVE, 0))
        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        told = list(serve(Mean(), door, len(files), seeded(0), timeout=5, tell=lambda line: None))
        thread.join(10)
    assert "it sends more than anybody would read" in told[0].left_out[0] and not thread.is_alive()
