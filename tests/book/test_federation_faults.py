"""The fault matrix: every fault of book/faults.yml, at each message of every federation, with its stated outcome."""

import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import yaml

from hostile_client import METHODS, TIMEOUT, WALK, Hostile, Party, wait_for
from privgraph.federate import serve
from privgraph.methods import FederatedDeepWalk
from privgraph.randomness import seeded

ROOT = Path(__file__).parents[2]
FAULTS = yaml.safe_load((ROOT / "book" / "faults.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("fault", FAULTS["messages"], ids=lambda fault: fault["fault"].replace(" ", "-"))
@pytest.mark.parametrize("name", METHODS)
def test_a_faulty_message_costs_who_sends_it_and_nobody_else(name, fault, at, tmp_path):
    with Party(METHODS[name], tmp_path) as party:
        came = {}

        def come(number):
            wait_for(lambda: len(party.said) >= 2)  # the honest ones are here
            came["it"] = came.get("it") or Hostile(party.method, party.files[2], party.where)
            if number == at:
                came["it"].act(fault["fault"], number)
            else:
                came["it"].send(number)
        for number in range(1, at + 1):
            begun = time.monotonic()
            told = party.meanwhile(lambda number=number: come(number))
        assert time.monotonic() - begun < 4 * TIMEOUT
        assert (2 in told.left_out) == (fault["round"] == "out") and {0, 1} <= set(told.replies), told.left_out
        it = came["it"]
        if fault["place"] == "kept":
            it.send(at + 1)
            assert 2 in next(party.rounds).replies
        else:
            it.wire.close()
            it = back = Hostile(party.method, party.files[2], party.where)
            assert ("is out of this federation" in back.refused) == (fault["place"] == "never")
            if fault["place"] == "free":
                assert back.round == at + 1
                back.send(at + 1)
            begun = time.monotonic()
            told = next(party.rounds)
            assert time.monotonic() - begun < TIMEOUT  # who is out is not waited for
            assert (2 in told.replies) == (fault["place"] == "free")
        it.wire.close()
        list(party.rounds)
    assert party.done == {0: (1, 2, 3), 1: (1, 2, 3)}


def silent(tmp_path, pems):
    """One after the other the strangers would take two minutes; the honest ones may be slow on a busy machine."""
    with Party(WALK, tmp_path, timeout=30) as party:
        strangers, begun = [], time.monotonic()

        def crowd():
            strangers.extend(socket.create_connection(party.where) for _ in range(60))
            wait_for(lambda: sum("is here" in line for line in party.said) == 2)
            Hostile(WALK, party.files[2], party.where).wire.close()
        assert set(party.meanwhile(crowd).replies) == {0, 1} and time.monotonic() - begun < 60
        strangers[0].settimeout(10)
        assert strangers[0].recv(1) == b""
        list(party.rounds)
    assert party.done == {0: (1, 2, 3), 1: (1, 2, 3)}


def refused(tmp_path, why, **changes):
    with Party(WALK, tmp_path) as party:
        party.meanwhile(lambda: None)
        begun = time.monotonic()
        assert why in Hostile(WALK, party.files[2], party.where, **changes).refused and time.monotonic() - begun < 0.5
        list(party.rounds)
    assert party.done == {0: (1, 2, 3), 1: (1, 2, 3)}


def taken(tmp_path, pems):
    refused(tmp_path, "client 0 is here already", number=0)


def surplus(tmp_path, pems):
    refused(tmp_path, "that is no greeting of a client; there are clients 0 to 2", number=3)


def other_settings(tmp_path, pems):
    refused(tmp_path, "the server has {'method': 'FederatedDeepWalk', 'rounds': 3, 'clients': 3}", rounds=7)


def foreign_certificate(tmp_path, pems):
    with Party(WALK, tmp_path, certificates=pems("server"), pems=pems) as party:
        heard = []

        def act():
            try:
                Hostile(WALK, party.files[2], party.where, certificates=pems("stranger"))
            except OSError as error:
                heard.append(str(error))
        party.meanwhile(act)
        assert "the other side does not accept the certificate of this side" in heard[0]
        wait_for(lambda: any("the certificate of the other side is not accepted here" in line for line in party.said))
        list(party.rounds)
    assert party.done == {0: (1, 2, 3), 1: (1, 2, 3)}


def another_seat(tmp_path, pems):
    with Party(WALK, tmp_path, certificates=pems("server"), pems=pems) as party:
        party.meanwhile(lambda: None)
        mallory, two, zero = pems("mallory"), pems("client-2"), pems("client-0")
        for certificates, number, why in ((two, 0, "its certificate is for client 2, and not for client 0"),
                                          (mallory, 0, "client 0 is client-0, and its certificate is for mallory"),
                                          (zero, 2, "its certificate is for client 0"), (mallory, 2, ""), (two, 2, "")):
            found = Hostile(WALK, party.files[2], party.where, number, certificates)
            assert why in found.refused and bool(why) == bool(found.refused)
        assert "client 2 is client-2" in Hostile(WALK, party.files[2], party.where, 2, mallory).refused
        found.wire.close()
        list(party.rounds)
    assert party.done == {0: (1, 2, 3), 1: (1, 2, 3)}


def no_tls(tmp_path, pems):
    with Party(WALK, tmp_path / "a", certificates=pems("server"), pems=pems) as party:
        party.meanwhile(lambda: None)
        why = "this server speaks TLS, and the other side does not"
        assert Hostile(WALK, party.files[2], party.where).refused == why
        wait_for(lambda: any(why in line for line in party.said))
        list(party.rounds)
    with Party(WALK, tmp_path / "b") as party:
        party.meanwhile(lambda: None)
        with pytest.raises(OSError, match="this side speaks TLS and the other side does not"):
            Hostile(WALK, party.files[2], party.where, certificates=pems("client-2"))
        wait_for(lambda: any("the other side speaks TLS, and this server does not" in line for line in party.said))
        list(party.rounds)


def late_start(tmp_path, pems):
    with Party(WALK, tmp_path) as party:
        next(party.rounds)
        late = Hostile(WALK, party.files[2], party.where)
        assert late.round == 2
        late.send(2)
        assert 2 in next(party.rounds).replies
        late.wire.close()
        list(party.rounds)
    assert party.done == {0: (1, 2, 3), 1: (1, 2, 3)}


def restarted(tmp_path, pems):
    """A real process, with noise on its edges, is killed when it has sent its message, and starts again.

    It sends the same again, so which of the two counts cannot be seen here: ``test_federate_seats`` has others.
    """
    from privgraph.mechanisms import SymmetricResponse
    method = replace(WALK, edges=SymmetricResponse(1.0))
    with Party(method, tmp_path, timeout=120, later=[1]) as party:
        script = ("import sys; from privgraph.federate import join; from privgraph.methods import FederatedDeepWalk;"
                  "from privgraph.mechanisms import SymmetricResponse; from privgraph.randomness import coins;"
                  f"join({method!r}, {str(party.files[2])!r}, {party.where[0]!r}, {party.where[1]}, coins(None))")
        seen = {}
        state = party.files[2].with_name(".client-2.pt.state")

        def act():
            first = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL)
            wait_for(lambda: state.exists() and "message" in torch.load(state, weights_only=True))
            seen["before"] = torch.load(state, weights_only=True)
            assert state.stat().st_mode & 0o777 == 0o600
            first.kill(), first.wait()
            seen["again"] = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
            wait_for(lambda: sum("client 2 is here" in line for line in party.said) == 2)
            party.threads[1].start()
        told = party.meanwhile(act)
        assert set(told.replies) == {0, 1, 2}
        assert told.messages[2] == bytes(seen["before"]["message"].numpy())  # what was sent is not drawn again
        list(party.rounds)
        seen["again"].communicate(timeout=60)
        kept = torch.load(state, weights_only=True)
        assert torch.equal(kept["state"]["edge_index"], seen["before"]["state"]["edge_index"])
    assert party.done == {0: (1, 2, 3), 1: (1, 2, 3)}


def server_restarted(tmp_path, pems):
    """As a process that is killed after a round: its clients come back, and it goes on after that round."""
    from privgraph.cli.federate import Log
    log = Log(tmp_path / "heard", WALK, 3, resume=False)
    with Party(WALK, tmp_path, session=log.session) as party:
        log.write(1, next(party.rounds))
        party.rounds.close()
        again = Log(tmp_path / "heard", WALK, 3, resume=True)
        assert (again.done, again.session) == (1, log.session)
        more = serve(WALK, party.door, 3, seeded(0), timeout=2, tell=party.said.append, done=again.done,
                     session=again.session)
        for number, told in enumerate(more, 2):
            assert set(told.replies) == {0, 1}
            again.write(number, told)
    assert party.done == {0: (1, 2, 3), 1: (1, 2, 3)}
    with pytest.raises(FileExistsError, match="--resume goes on with it"):
        Log(tmp_path / "heard", WALK, 3, resume=False)
    with pytest.raises(ValueError, match="the same federation in .*, got clients = 3 there, and 4 here"):
        Log(tmp_path / "heard", WALK, 4, resume=True)


@pytest.mark.parametrize("fault", FAULTS["connections"], ids=lambda fault: fault["fault"].replace(" ", "-"))
def test_a_faulty_connection(fault, tmp_path, pems):
    (tmp_path / "a").mkdir(), (tmp_path / "b").mkdir()
    case = fault["fault"].replace(" ", "_").lower()
    assert case in globals(), "each line of the table has a trial above"
    globals()[case](tmp_path, pems)


def test_the_page_says_what_is_tested():
    assert subprocess.run([sys.executable, ROOT / "tools" / "faults.py", "--check"]).returncode == 0


def test_all_federations_are_tried():
    assert FederatedDeepWalk.__name__.lower() in METHODS and len(METHODS) >= 3
