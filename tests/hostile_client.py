"""A federation of two who do as they should and one whose every byte a test decides, over sockets.

The hostile client is written by hand; the honest ones are ``join``. The server is a generator, so it stands still
between two rounds, while the test looks at who is there.
"""

import json
import pickle
import threading
import time
from dataclasses import replace

import torch

from privgraph import datasets
from privgraph.federate import join, listen, load_part, save_parts, serve
from privgraph.federate.remote_clients import ALIVE, ANSWER, FRAME, MESSAGE, terms
from privgraph.federate.wire import LENGTH, call
from privgraph.methods import Federation, all_methods
from privgraph.methods.federated import hold
from privgraph.methods.federation import public_sizes
from privgraph.methods.messages import pack, unpack
from privgraph.randomness import seeded

METHODS = {name: replace(kind.examples()[0], rounds=3) for name, kind in all_methods().items()
           if issubclass(kind, Federation)}
DATA = hold(datasets.load("karate"), seeded(0), clients=3, public=0.4, private=0.1)
DATA.train_mask = torch.ones(DATA.num_nodes, dtype=torch.bool)
WALK = METHODS["federateddeepwalk"]
TIMEOUT = 2.0


class Hostile:
    """A client whose every byte a test decides."""

    def __init__(self, method, file, where, number=2, certificates=None, **changes):
        self.part = load_part(file)
        self.wire = call(*where, certificates, 5, 5)
        greeting = terms(method, self.part.clients) | {"client": number, "sizes": public_sizes(self.part)} | changes
        self.wire.send(json.dumps(greeting).encode())
        self.refused = self.wire.receive().decode()
        self.round = 0 if self.refused else json.loads(self.wire.receive())["round"]
        self.client = None if self.refused else method.client(self.part, seeded(9))

    def send(self, number, message=None):
        self.wire.send(FRAME.pack(MESSAGE, number) + (self.client.send() if message is None else message))

    def raw(self, content):
        self.wire.socket.setblocking(True)
        self.wire.socket.sendall(content)

    def answered(self):
        while True:
            said = self.wire.receive()
            if said[:1] != ALIVE:
                return said[:1] == ANSWER

    def beat(self):
        def act():
            while self.wire.socket.fileno() != -1:
                self.wire.nudge(FRAME.pack(ALIVE, 0)), time.sleep(0.1)
        threading.Thread(target=act, daemon=True).start()

    def act(self, fault, number):
        """Commit a fault in the place of the message of a round."""
        message = self.client.send()
        rows = unpack(message)["rows"]
        odd = {"wrong shape": rows[:, 1:], "wrong type": rows.half(), "NaN": rows * torch.nan,
               "too large": rows * 0 + 1e30}
        if fault == "killed":
            self.raw(LENGTH.pack(len(message) + FRAME.size) + FRAME.pack(MESSAGE, number) + message[:30])
            self.wire.close()
        elif fault == "late":
            self.beat()
        elif fault == "twice":
            self.send(number, message), self.send(number, message)
        elif fault == "older round":
            self.send(number - 1, message)
        elif fault == "oversized":
            self.raw(LENGTH.pack(len(message) + FRAME.size + 1))
        elif fault == "truncated":
            self.send(number, message[:-4])
        elif fault == "random bytes":
            self.send(number, pickle.dumps(rows)[:len(message)])  # no longer than it may be, so that it is read
        elif fault in odd:
            self.send(number, pack({"rows": odd[fault]}))
        else:
            assert fault == "stalled"


class Party:
    """A server, two clients that do as they should, and a place for one that does not."""

    def __init__(self, method, folder, timeout=TIMEOUT, certificates=None, pems=None, later=(), **how):
        self.method, self.files = method, save_parts(method.split(DATA, seeded(0)), folder)
        self.door, self.said, self.done = listen("127.0.0.1", 0, 3), [], {}
        self.where = self.door.getsockname()
        self.rounds = serve(method, self.door, 3, seeded(0), timeout=timeout, tell=self.said.append,
                            certificates=certificates, **how)
        self.threads = [threading.Thread(target=self.honest, args=[n, pems and pems(f"client-{n}")], daemon=True)
                        for n in (0, 1)]
        self.later = [self.threads[number] for number in later]

    def honest(self, number, certificates):
        client = join(self.method, self.files[number], *self.where, seeded(number), certificates=certificates,
                      timeout=20, tell=lambda line: None)
        self.done[number] = client.answered

    def __enter__(self):
        for thread in self.threads:
            if thread not in self.later:
                thread.start()
        return self

    def __exit__(self, *_):
        self.rounds.close()
        for thread in self.threads:
            thread.join(20)
        self.door.close()

    def meanwhile(self, act):
        """The next round, while a thread does something, from the moment that the server is there."""
        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        told = next(self.rounds)
        thread.join(60)
        return told


def wait_for(look):
    last = time.monotonic() + 120
    while not look():
        assert time.monotonic() < last, "never seen"
        time.sleep(0.05)
