"""Who is let in, who sits where, and what counts. Each check looks at what happens before what, and at no clock; each
is seen to fail on a mutant, in which one thing is otherwise."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import torch

from hostile_client import DATA, WALK, Hostile, wait_for
from privgraph.federate import listen, reception, save_parts
from privgraph.federate.reception import Reception
from privgraph.federate.remote_clients import FRAME, MESSAGE, Table, terms
from privgraph.federate.wire import MOST, Wire, call
from privgraph.methods.federated.row_messages import pack_rows
from privgraph.methods.federation import public_sizes
from privgraph.methods.messages import weight
from privgraph.randomness import seeded

PARTS = WALK.split(DATA, seeded(0))
LAYOUT = WALK.layout(public_sizes(PARTS[0]))


class Hall:
    """A server's door and its table for three. A test plays all clients, and says when there is a round."""

    def __init__(self, folder, certificates=None):
        self.files, self.came, self.server = save_parts(PARTS, folder), [], WALK.server(seeded(0))
        self.door = listen("127.0.0.1", 0, 3)
        self.table = Table(WALK, 3, 20.0, lambda line: None, None, 1, "")
        self.reception = Reception(self.door, self.table, certificates)

    def __enter__(self):
        self.reception.__enter__()
        return self

    def __exit__(self, *_):
        for client in self.came:
            client.wire.close()
        self.reception.__exit__()
        self.door.close()

    def come(self, number, certificates=None):
        self.came.append(Hostile(WALK, self.files[number], self.door.getsockname(), number, certificates))
        return self.came[-1]

    def end(self, client, number):
        """A client's process ends, and the server knows."""
        client.wire.close()
        wait_for(lambda: number not in self.table.remotes)

    def play(self, number):
        return self.table.play(number, self.server)

    @contextmanager
    def nobody_missing(self, what):
        """All who are waited for are here already."""
        def wait(seconds):
            raise AssertionError(f"{what} waited for somebody")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.table.changed, "wait", wait)
            yield


def rows(seed):
    """A message that can be read; each seed has its own."""
    return pack_rows(torch.rand(LAYOUT["rows"], generator=seeded(seed)))


def greeting_in_parallel(folder, pems):
    """A client is let in while a stranger, who came before it, still says nothing."""
    with pytest.MonkeyPatch.context() as patch, Hall(folder) as hall:
        patch.setattr(reception, "FIRST", 3.0)
        with socket.create_connection(hall.door.getsockname()) as stranger:
            wait_for(lambda: hall.reception.silent)
            wire = call(*hall.door.getsockname(), None, 5, 20)
            wire.send(json.dumps(terms(WALK, 3) | {"client": 0}).encode())
            let_in = wire.receive() == b""
            wire.close()
            assert let_in and not closed(stranger), "a client waited until a silent stranger was sent away"


def closed(connected):
    connected.setblocking(False)
    try:
        return connected.recv(1) == b""
    except BlockingIOError:
        return False


def one_after_the_other(patch):
    """Who is next is greeted once those before it are."""
    meet = Reception.meet

    def in_turn(self, guest):
        wait_for(lambda: self.silent[0] is guest)
        meet(self, guest)
    patch.setattr(Reception, "meet", in_turn)


def dead_before_the_round(folder, pems):
    """A client ends when the server has its message but not those of all; it is started again."""
    with Hall(folder) as hall:
        clients = [hall.come(number) for number in (0, 1, 2)]
        clients[2].send(1, rows(1))
        wait_for(lambda: hall.table.remotes[2].message)
        hall.end(clients[2], 2)
        clients[2] = hall.come(2)
        for number, client in enumerate(clients):
            client.send(1, rows(10 + number))
        assert hall.play(1).messages == {n: rows(10 + n) for n in range(3)}, "what the dead connection sent counts"


def the_new_one_inherits(patch):
    """A seat keeps the message of who sat there."""
    left, judged, vacate = {}, Table.judged, Table.vacate

    def seated(self, *said):
        remote, why = judged(self, *said)
        if remote is not None:
            remote.message = left.get(remote.number)
        return remote, why

    def vacated(self, remote, *why):
        left[remote.number] = remote.message
        vacate(self, remote, *why)
    patch.setattr(Table, "judged", seated), patch.setattr(Table, "vacate", vacated)


def dead_in_the_round(folder, pems):
    """The same once the round has begun: the new one takes part from the next, and nobody speaks for this one."""
    with Hall(folder) as hall, ThreadPoolExecutor(1) as pool:
        clients = [hall.come(number) for number in (0, 1, 2)]
        playing = pool.submit(hall.play, 1)
        wait_for(lambda: hall.table.round == 2)
        remote = hall.table.remotes[2]
        clients[2].send(1, rows(1))
        wait_for(lambda: remote.message)
        hall.end(clients[2], 2)
        again = hall.come(2)
        again.send(1, rows(2))
        for number in (0, 1):
            clients[number].send(1, rows(10 + number))
        told = playing.result()
        assert told.messages == {n: rows(10 + n) for n in (0, 1)}, "what the dead connection sent counts"
        assert again.round == 2 and told.left_out == {2: "it closed the connection"}


def who_has_sent_may_end(patch):
    """A message that is there counts, whatever became of the client."""
    vacate = Table.vacate

    def vacated(self, remote, why, for_good=False):
        vacate(self, remote, why, for_good)
        remote.gone = "" if remote.message else why
    patch.setattr(Table, "vacate", vacated)


def seats_by_name(folder, pems):
    """All are certified by the authority of the server, and all seats are free: a name has its own, or had it first."""
    with Hall(folder, certificates=pems("server")) as hall:
        hall.end(hall.come(1, pems("client")), 1)
        for name, number, why in (("client-0", 2, "its certificate is for client 0, and not for client 2"),
                                  ("mallory", 1, "client 1 is client, and its certificate is for mallory"),
                                  ("client-0", 0, ""), ("client", 1, "")):
            assert hall.come(number, pems(name)).refused == why, f"{name} has the seat of another"


def names_are_not_looked_at(patch):
    patch.setattr(reception, "names_of", lambda wire: ())


def the_authority_is_the_name(patch):
    """Of a certificate, who signed it is read, and not whom it is for."""
    patch.setattr(reception, "names_of", lambda wire: tuple(
        value for part in wire.socket.getpeercert()["issuer"] for _, value in part))


def weighed_before_it_is_read(folder, pems):
    """A message with one byte more than the method says is refused by its announcement; it is all there to be read."""
    with Hall(folder) as hall:
        client, most = hall.come(0), weight(LAYOUT) + FRAME.size
        remote = hall.table.remotes[0]
        client.wire.send(FRAME.pack(MESSAGE, 1) + rows(1) + b"0")
        wait_for(lambda: remote.gone or remote.message)
        assert remote.message is None, "a message was read that is too large"
        assert remote.gone == f"it announced a message of {most + 1} bytes, and at most {most} are read"
        client = hall.come(1)
        client.send(1, rows(1))
        wait_for(lambda: hall.table.remotes[1].message)  # who sends as much as may be is heard


def the_method_is_not_asked(patch):
    """One limit for all methods."""
    limit = Table.limit
    patch.setattr(Table, "limit", lambda self, sizes: (MOST, limit(self, sizes)[1]))


def announcements_are_not_read(patch):
    receive = Wire.receive
    patch.setattr(Wire, "receive", lambda self, most=0: receive(self))


def out_for_good(folder, pems):
    """Who sent what is no message may not come back, and the next round is over when the others have sent."""
    with Hall(folder) as hall:
        clients = [hall.come(number) for number in (0, 1, 2)]
        for client, message in zip(clients, (rows(0), rows(1), b"garbage"), strict=True):
            client.send(1, message)
        first = hall.play(1)
        assert "holds no message" in first.left_out[2] and set(first.replies) == {0, 1}
        back = hall.come(2).refused
        for client in clients[:2]:
            client.send(2, rows(2))
        wait_for(lambda: all(hall.table.remotes[number].message for number in (0, 1)))
        with hall.nobody_missing("the next round"):
            told = hall.play(2)
        assert told.left_out == first.left_out and set(told.replies) == {0, 1}
        assert "client 2 is out of this federation" in back


def out_before_the_first_round(folder, pems):
    """The first round begins when all others have come."""
    with Hall(folder) as hall:
        hall.come(2).wire.send(b"")
        wait_for(lambda: hall.table.why.get(2))
        for number in (0, 1):
            hall.come(number)
        with hall.nobody_missing("the first round"):
            hall.table.gather()
        assert hall.table.remotes.keys() == {0, 1}


def asked_again(patch):
    """Nobody is away for good."""
    leave = Table.leave
    patch.setattr(Table, "leave", lambda self, remote, why, for_good=False: leave(self, remote, why))


CHECKS = (greeting_in_parallel, dead_before_the_round, dead_in_the_round, seats_by_name, weighed_before_it_is_read,
          out_for_good, out_before_the_first_round)
MUTANTS = ((one_after_the_other, greeting_in_parallel, "a client waited until a silent stranger was sent away"),
           (the_new_one_inherits, dead_before_the_round, "what the dead connection sent counts"),
           (who_has_sent_may_end, dead_in_the_round, "what the dead connection sent counts"),
           (names_are_not_looked_at, seats_by_name, "client-0 has the seat of another"),
           (the_authority_is_the_name, seats_by_name, "client-0 has the seat of another"),
           (the_method_is_not_asked, weighed_before_it_is_read, "a message was read that is too large"),
           (announcements_are_not_read, weighed_before_it_is_read, "a message was read that is too large"),
           (asked_again, out_for_good, "the next round waited for somebody"),
           (asked_again, out_before_the_first_round, "the first round waited for somebody"))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_seat(check, tmp_path, pems):
    check(tmp_path, pems)


@pytest.mark.parametrize("mutant, check, why", MUTANTS, ids=[mutant.__name__ for mutant, *_ in MUTANTS])
def test_a_broken_twin_is_seen(mutant, check, why, tmp_path, pems, monkeypatch):
    mutant(monkeypatch)
    with pytest.raises(AssertionError, match=why):
        check(tmp_path, pems)


def test_each_check_has_a_twin():
    assert {check for _, check, _ in MUTANTS} == set(CHECKS)
