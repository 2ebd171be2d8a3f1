"""Silent strangers at the door of a server: how long, and how many at once, while an honest client is greeted.

The limits are written out here: a test that took them from the module would move along with whatever stands there.
"""

import json
import socket
import time

import pytest

from privgraph.federate import listen, reception
from privgraph.federate.reception import Reception
from privgraph.federate.remote_clients import Table, terms
from privgraph.federate.wire import call
from toy_federation import Mean

SILENT, SECONDS = 16, 2.0  # how many may be silent at one address, and for how long


@pytest.fixture
def where():
    """The address of a server that greets whoever comes, and waits for clients for ever."""
    with listen("127.0.0.1", 0, 4) as door, Reception(door, Table(Mean(), 4, 60.0, print, None, 1, ""), None):
        yield door.getsockname()


def closed(stranger, seconds):
    """Whether the other side closes a connection within so many seconds."""
    stranger.settimeout(seconds)
    try:
        return stranger.recv(1) == b""
    except TimeoutError:
        return False


def test_who_is_silent_is_sent_away_after_two_seconds(where):
    begun = time.monotonic()
    with socket.create_connection(where) as stranger:
        assert closed(stranger, SECONDS + 1.5) and time.monotonic() - begun >= SECONDS


def test_one_silent_stranger_too_many_costs_the_oldest_of_them_her_place(where, monkeypatch):
    """At once: here nobody's time is ever up. An honest client of the same address is greeted beside them."""
    monkeypatch.setattr(reception, "FIRST", 60.0), monkeypatch.setattr(reception, "GREETING", 60.0)
    strangers = [socket.create_connection(where) for _ in range(SILENT)]
    try:
        assert not any(closed(each, 0.01) for each in strangers)
        strangers.append(socket.create_connection(where))
        assert closed(strangers[0], 10)
        wire = call(*where, None, 5, 10)
        wire.send(json.dumps(terms(Mean(), 4) | {"client": 2}).encode())
        assert wire.receive() == b"" and json.loads(wire.receive())["round"] == 1
        wire.close()
        # The client was one too many as well, when it came: that costs the next, if the first was gone by then.
        assert not any(closed(each, 0.01) for each in strangers[2:])
    finally:
        for each in strangers:
            each.close()
