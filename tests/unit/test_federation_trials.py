"""Two honest clients, hostile ones that hold seats and four silent strangers: both honest ones finish.

Some trials as a test; 200 of each kind with ``python tests/unit/test_federation_trials.py``.
"""

import io
import json
import random
import socket
import struct
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
import torch

from privgraph import datasets
from privgraph.federate import join, listen, save_parts, serve
from privgraph.federate.remote_clients import FRAME, MESSAGE, terms
from privgraph.federate.wire import call
from privgraph.methods import FederatedDeepWalk
from privgraph.methods.federated import hold
from privgraph.methods.federated.row_messages import pack_rows
from privgraph.methods.messages import pack
from privgraph.randomness import seeded

DATA = {clients: hold(datasets.load("karate"), seeded(0), clients=clients, public=0.4, private=0.1)
        for clients in (3, 5)}
METHOD = FederatedDeepWalk(dimension=4, rounds=2, walks=1, length=5, window=2, first_epochs=1, epochs=1)
SHAPE = (13, 4)


def saved(rows):
    torch.save({"rows": rows}, file := io.BytesIO())
    return file.getvalue()


ODD = {
    "3e38": lambda draw: pack({"rows": torch.full(SHAPE, 3e38)}),
    "1e30": lambda draw: pack({"rows": torch.full(SHAPE, 1e30)}),
    "longest": lambda draw: pack_rows(torch.full(SHAPE, 1e30)),
    "shape": lambda draw: pack_rows(torch.rand(13, 3)),
    "nan": lambda draw: pack({"rows": torch.full(SHAPE, torch.nan)}),
    "half": lambda draw: pack({"rows": torch.rand(SHAPE).half()}),
    "nothing": lambda draw: b"",
    "random": lambda draw: draw.randbytes(draw.randrange(1, 4000)),
    "stride": lambda draw: saved(torch.ones(1).as_strided((10**6, 10**6), (0, 0))),
    "sparse": lambda draw: saved(torch.rand(SHAPE).to_sparse()),
    "float8": lambda draw: saved(torch.rand(SHAPE).to(torch.float8_e5m2)),
    "meta": lambda draw: saved(torch.rand(SHAPE, device="meta")),
}
DONE = ("silence", "closed", "oversized", "truncated", "older")  # with a connection, in the place of a message


def hostile(where, certificates, draw, remote=2, clients=3):
    """Takes a seat, and does something odd in each round."""
    try:
        wire = call(*where, certificates, 5, 5)
        wire.send(json.dumps(terms(METHOD, clients) | {"client": remote}).encode())
        wire.receive(), wire.receive()
        for number in (1, 2):
            what = draw.choice([*ODD, *DONE])
            if what in ODD:
                wire.send(FRAME.pack(MESSAGE, number) + ODD[what](draw))
                wire.receive()
            else:
                misbehave(wire, what)
    except OSError:
        pass


def misbehave(wire, what):
    wire.socket.setblocking(True)
    if what == "closed":
        wire.close()
    elif what == "older":
        wire.send(FRAME.pack(MESSAGE, 0) + pack_rows(torch.rand(SHAPE)))
    elif what == "oversized":
        wire.socket.sendall(struct.pack("!Q", 2**40))
    else:
        wire.socket.sendall(struct.pack("!Q", 200) + b"m\0\0" if what == "truncated" else b"")
        time.sleep(3)


def silent(where, over):
    """Comes back whenever it is sent away."""
    while not over.is_set():
        try:
            with socket.create_connection(where, timeout=5) as connected:
                connected.settimeout(10), connected.recv(1)
        except OSError:
            time.sleep(0.05)


def trial(number, folder, pems=None, clients=3):
    """Which rounds each honest client has an answer of; clients 0 and 1 are honest."""
    over, done = threading.Event(), {}
    files = save_parts(METHOD.split(DATA[clients], seeded(0)), folder)
    with listen("127.0.0.1", 0, clients) as door:
        where = door.getsockname()

        def honest(client):
            done[client] = join(METHOD, files[client], *where, seeded(client), timeout=30, tell=lambda line: None,
                                certificates=pems and pems(f"client-{client}")).answered
        threads = [threading.Thread(target=silent, args=[where, over], daemon=True) for _ in range(4)]
        threads += [threading.Thread(target=hostile, daemon=True, args=[
            where, pems and pems(f"client-{remote}"), random.Random(100 * number + remote), remote, clients])
            for remote in range(2, clients)]
        threads += [threading.Thread(target=honest, args=[client], daemon=True) for client in (0, 1)]
        for thread in threads:
            thread.start()
        list(serve(METHOD, door, clients, seeded(0), timeout=2, certificates=pems and pems("server"),
                   tell=lambda line: None))
        for thread in threads[-2:]:
            thread.join(30)
        over.set()
    return done


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("sealed", [False, True], ids=["plain", "TLS"])
def test_both_honest_clients_finish(number, sealed, tmp_path, pems):
    assert trial(number, tmp_path, pems if sealed else None) == {0: (1, 2), 1: (1, 2)}


@pytest.mark.parametrize("number", range(5))
def test_so_they_do_beside_three_hostile_ones(number, tmp_path):
    assert trial(number, tmp_path, clients=5) == {0: (1, 2), 1: (1, 2)}


if __name__ == "__main__":
    from conftest import certified
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        for kind, certificates in (("plain", None), ("TLS", certified(Path(place)))):
            good, seconds = 0, []
            for each in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
                with tempfile.TemporaryDirectory() as parts:
                    begun = time.monotonic()
                    good += trial(each, parts, certificates) == {0: (1, 2), 1: (1, 2)}
                    seconds.append(time.monotonic() - begun)
            print(f"{kind}: both finish in {good} of {len(seconds)} trials; at most {max(seconds):.1f} s", flush=True)
