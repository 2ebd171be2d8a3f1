import socket
import struct
import threading
import time

import pytest

from privgraph.federate import TLSFiles, listen
from privgraph.federate.reception import greet
from privgraph.federate.wire import LENGTH, STEP, Gone, Wire, call


@pytest.fixture
def ends():
    first, second = socket.socketpair()
    yield Wire(first, 5.0), Wire(second, 0.2)
    first.close(), second.close()


@pytest.mark.parametrize("message", [b"", b"a", bytes(range(256)) * 5000])  # the last is more than a socket holds
def test_a_message_arrives_as_it_was_sent(ends, message):
    thread = threading.Thread(target=ends[0].send, args=[message])
    thread.start()
    assert ends[1].receive() == message
    thread.join()


def test_messages_keep_apart(ends):
    ends[0].send(b"one"), ends[0].send(b"two")
    assert (ends[1].receive(), ends[1].receive()) == (b"one", b"two")


def test_a_message_too_long_is_refused_by_its_announcement(ends):
    ends[0].socket.sendall(struct.pack("!Q", 2**63))
    with pytest.raises(Gone, match="announced a message of 9223372036854775808 bytes, and at most 67108864 are read"):
        ends[1].receive()
    ends[0].send(b"123")
    with pytest.raises(Gone, match="at most 2 are read"):
        ends[1].receive(2)
    assert ends[1].socket.recv(9) == b"123"  # none of it was read


def test_silence_a_drip_and_a_closed_door(ends):
    with pytest.raises(Gone, match="no message within 0.2 seconds"):
        ends[1].receive()
    stop = threading.Event()

    def drip():  # a byte now and then, each in time
        ends[0].socket.sendall(struct.pack("!Q", 1000))
        while not stop.wait(0.05):
            ends[0].socket.sendall(b"x")
    thread = threading.Thread(target=drip)
    thread.start()
    with pytest.raises(Gone, match="no message within 0.2 seconds"):
        ends[1].receive()
    stop.set(), thread.join()
    ends[0].close()
    while ends[1].socket.recv(1000):
        pass
    with pytest.raises(Gone, match="it closed the connection"):
        ends[1].receive()


@pytest.fixture
def patient():
    """Two ends that wait for a second without progress."""
    first, second = socket.socketpair()
    yield Wire(first, 1.0), Wire(second, 1.0)
    first.close(), second.close()


def test_a_message_may_take_as_long_as_it_moves(patient):
    """Two seconds, of which none passes without progress: the clock of ``read`` starts anew with each part."""
    def sender():
        patient[0].socket.setblocking(True)
        patient[0].socket.sendall(LENGTH.pack(20 * STEP))
        for _ in range(20):
            time.sleep(0.1)
            patient[0].socket.sendall(b"x" * STEP)
    thread, moves = threading.Thread(target=sender), []
    patient[1].moved = lambda: moves.append(time.monotonic())
    thread.start()
    assert patient[1].receive() == b"x" * 20 * STEP and moves[-1] - moves[0] > patient[1].timeout
    thread.join()


def test_a_message_that_is_taken_slowly_may_take_as_long(patient):
    """The same for ``send``: more than a socket holds, to somebody who reads a part now and then."""
    whole, taken = LENGTH.size + 60 * STEP, []

    def reader():
        while sum(taken) < whole:
            time.sleep(0.05)
            taken.append(len(patient[1].socket.recv(2 * STEP)))
    patient[0].socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, STEP)  # or what is sent would wait on its way
    patient[1].socket.setblocking(True)
    thread, begun = threading.Thread(target=reader), time.monotonic()
    thread.start()
    patient[0].send(b"x" * 60 * STEP)
    assert time.monotonic() - begun > patient[0].timeout
    thread.join()
    assert sum(taken) == whole


def test_a_message_that_stalls_does_not_arrive(patient):
    """Progress starts the clock anew, and does not stop it."""
    over = threading.Timer(5, patient[0].close)  # who waited for ever would hear that it is closed
    over.start(), patient[0].socket.setblocking(True)
    patient[0].socket.sendall(LENGTH.pack(3 * STEP) + b"x" * STEP)
    begun = time.monotonic()
    with pytest.raises(Gone, match="no message within 1 seconds"):
        patient[1].receive()
    assert time.monotonic() - begun >= patient[1].timeout
    over.cancel()


def test_a_port_that_is_taken_and_a_server_that_is_not_there():
    with listen("127.0.0.1", 0, 1) as door:
        port = door.getsockname()[1]
        with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{port}: "):
            listen("127.0.0.1", port, 1)
    with pytest.raises(OSError, match=f"cannot reach a server at 127.0.0.1:{port}: "):
        call("127.0.0.1", port, None, 0.3, 1)
    with pytest.raises(ValueError, match="port must be a whole number, between 0 and 65535, got 70000"):
        listen("127.0.0.1", 70000, 1)


def shaken(server, client):
    """What a server with these certificates hears from a client with those, or why it hears nothing."""
    with listen("127.0.0.1", 0, 1) as door:
        found = []

        def act():
            try:
                wire = call(*door.getsockname(), client, 2, 5)
                wire.send(b"secret")
                wire.close()
            except OSError as error:
                found.append(error)
        thread = threading.Thread(target=act)
        thread.start()
        connected, _ = door.accept()
        try:
            wire = greet(connected, server)
            found.append((wire.receive(), wire.socket.version()))
            wire.close()
        except OSError as error:
            found.append(error)
            connected.close()
        thread.join()
        return found


def test_with_certificates_of_one_authority_messages_are_encrypted(pems):
    assert shaken(pems("server"), pems("client")) == [(b"secret", "TLSv1.3")]


@pytest.mark.parametrize("server, client", [
    ("server", None), (None, "client"), ("server", ("stranger", "ours")), ("server", ("stranger", "theirs")),
    (("stranger", "theirs"), "client"), ("server", ("client", "theirs"))])
def test_without_them_nothing_is_heard(pems, server, client):
    def made(which):
        return None if which is None else pems(which) if isinstance(which, str) else pems(*which)
    found = shaken(made(server), made(client))
    assert found and not any(b"secret" in each for each in found if isinstance(each, tuple))


def test_a_server_for_another_name_is_not_believed(pems):
    with listen("127.0.0.1", 0, 1) as door:
        port = door.getsockname()[1]

        def act():
            connected, _ = door.accept()
            try:
                greet(connected, pems("server"))
            except OSError:
                connected.close()
        thread = threading.Thread(target=act)
        thread.start()
        with pytest.raises(OSError, match="Hostname mismatch|not valid for 'localhost'"):
            call("localhost", port, pems("client"), 2, 5)
        thread.join()


def test_files_that_are_no_certificates_are_named(tmp_path):
    (tmp_path / "bad.pem").write_text("nothing")
    for name, message in (("bad.pem", "authority must be a PEM file with a certificate, got .*bad.pem$"),
                          ("nowhere.pem", "certificate and key must be PEM files, .* no such file is there")):
        with pytest.raises(ValueError, match=message):
            TLSFiles(*[tmp_path / name] * 3).context(server=True)
