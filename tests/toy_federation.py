"""A federation small enough to be read, and clients of it that misbehave: for tests of what carries messages.

Each client has a random vector for each of its nodes, pulls it a little towards its neighbours', and sends those of
the public nodes; the server answers each with the mean, scaled by a number of its own.
"""

import os
import signal
import time
from dataclasses import dataclass

import torch

from privgraph.methods import Client, Federation, Round, Server
from privgraph.methods.federated import Averaging, parts
from privgraph.methods.federated.row_messages import pack_rows, readable, unpack_rows
from privgraph.methods.messages import pack


class MeanClient(Client):
    def __init__(self, part, generator, trouble=""):
        self.part, self.generator, self.trouble, self.sent = part, generator, trouble, 0
        self.z = torch.rand(part.num_nodes, 3, generator=generator)

    def send(self):
        self.sent += 1
        a, b = self.part.edge_index
        self.z = self.z.index_add(0, a, self.z[b] - self.z[a], alpha=0.1)
        self.z = self.z + torch.rand(self.z.shape, generator=self.generator)
        return self.message(self.z[:self.part.num_public])

    def message(self, rows):
        return misbehave(due(self.trouble, self.sent), rows)

    def receive(self, message):
        self.z[:self.part.num_public] = unpack_rows(message, (self.part.num_public, 3))

    def embeddings(self):
        return self.z


def due(trouble, number):
    """What is wrong in this round: "nan,few@3" is NaN in the second, as nothing else is said, and ``few`` in the third.
    """
    each = (what.partition("@")[::2] for what in trouble.split(","))
    return {int(at or 2): what for what, at in each}.get(number, "")


def misbehave(trouble, rows):
    if trouble == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if trouble == "late":
        time.sleep(3600)
    if trouble == "fails":
        raise ValueError("a secret of this client")
    return {"": lambda: pack_rows(rows), "nan": lambda: pack({"rows": rows * torch.nan}),
            "shape": lambda: pack_rows(rows[:, 1:]), "few": lambda: pack_rows(rows[:2]),
            "garbage": lambda: b"garbage"}[trouble]()


class MeanServer(Server):
    def __init__(self, generator):
        self.generator = generator

    def combine(self, messages):
        rows, left_out = readable(messages)
        scale = torch.rand(1, generator=self.generator)
        return Round(messages, {number: pack_rows(scale * torch.stack([*rows.values()]).mean(0)) for number in rows},
                     left_out)


@dataclass(frozen=True)
class Mean(Federation):
    """``trouble``: who holds a node alone, and what this client does in which round. ``answer``: of ``Averaging``."""

    rounds: int = 2
    trouble: tuple[tuple[int, str], ...] = ()
    answer: str = ""

    def server(self, generator):
        return Averaging(self.answer, generator) if self.answer else MeanServer(generator)

    def split(self, data, generator):
        return parts(data)

    def client(self, part, generator):
        own = part.n_id[part.num_public:].tolist()
        return MeanClient(part, generator, dict(self.trouble).get(own[0], ""))
