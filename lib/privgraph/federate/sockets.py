"""A server and clients that people start themselves, on one machine or on several: ``serve`` and ``join``.

A client runs its own program on its own file, with settings and coins of its own, and what leaves its process is a line
that says who it is, and the bytes of ``Client.send``; what comes back is bytes too.

A client says who it is before it trains, so that it hears at once whether it is let in. Who is ended comes back with
what it had (``memory``) and takes part from the next round. The page on federations says what happens when.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import torch

from ..checks import check_count, check_generator, check_is, check_positive
from ..methods import Client, Federation, Round
from ..methods.federation import public_sizes
from ..methods.spent import count_before, counted
from ..randomness import seed_of
from .memory import Memory
from .part_files import load_part
from .reception import MOST_GREETING, Reception
from .remote_clients import ALIVE, ANSWER, FRAME, LEFT_OUT, MESSAGE, Table, terms
from .wire import MOST, Gone, TLSFiles, Wire, call

if TYPE_CHECKING:
    from torch_geometric.data import Data

TRIES = 3  # to be let in


def serve(method: Federation, door: socket.socket, clients: int, generator: torch.Generator, *, timeout: float = 600.0,
          certificates: TLSFiles | None = None, tell: Callable[[str], None] = print,
          sizes: Mapping[str, int] | None = None, done: int = 0, session: str = "") -> Iterator[Round]:
    """The server's half: waits for clients, then gives each round once it is over. Clients may come and go meanwhile.

    :param door: a socket that waits for connections, of ``wire.listen``; it is left open.
    :param clients: how many there are; who has not come when nobody new came for ``timeout`` seconds is left out.
    :param generator: the server's coins.
    :param timeout: seconds in which nothing moves, after which a message is not waited for any longer.
    :param certificates: for TLS; without any nothing is encrypted.
    :param tell: what is done with a line about who came or went.
    :param sizes: what is public, of ``public_sizes``: messages of other sizes are refused. Without them, each client
        is held to what it says of its own.
    :param done: rounds that are over already, for a server that goes on; ``session`` is then that of the earlier one.
    """
    check_is(method, "method", Federation), check_generator(generator)
    check_count(clients, "clients", low=1), check_positive(timeout, "timeout")
    check_count(done, "done", high=method.rounds)
    count_before(method.of_others())
    server = method.server(generator)
    table = Table(method, clients, timeout, tell, sizes, done + 1, session)
    with Reception(door, table, certificates):
        table.gather()
        for number in range(done + 1, method.rounds + 1):
            yield table.play(number, server)


class Visit:
    """A client's connection to the server, which is made again where it breaks.

    :param again: seconds for the server to be there again, once it was.
    """

    def __init__(self, greeting: dict, call: Callable[[float], Wire], wait: float, again: float):
        self.greeting, self.call, self.again = greeting, call, again
        self.round, self.session, self.before = 1, "", False
        self.wire: Wire | None = None
        self.connect(wait)

    def connect(self, wait: float) -> None:
        """Say who it is, and hear which round is the next.

        :raises ValueError: where the server does not let it in.
        """
        for left in reversed(range(TRIES)):
            wire = self.call(wait)
            try:
                self.introduce(wire)
            except Gone:  # sent away in a crowd, before anybody looked at what it said
                wire.close()
                if not left:
                    raise
                time.sleep(0.2)
            except BaseException:
                wire.close()
                raise
            else:
                self.wire = wire
                return

    def introduce(self, wire: Wire) -> None:
        wire.send(json.dumps(self.greeting).encode())
        if why := wire.receive(MOST_GREETING):
            raise ValueError(f"the server lets this client not in: {printable(why)}; here it is {self.greeting}")
        told = json.loads(wire.receive(MOST_GREETING))
        self.round, self.session, self.before = int(told["round"]), str(told["session"]), bool(told["before"])
        threading.Thread(target=beat, args=[wire, float(told["beat"])], daemon=True).start()

    def back(self) -> str:
        """Connect again, where that is possible; else why not."""
        self.close()
        last, why = time.monotonic() + self.again, ""
        while not why or time.monotonic() < last and "already" in why:  # the server may not know that it was gone
            try:
                self.connect(max(0.05, last - time.monotonic()))
                return ""
            except (OSError, ValueError, LookupError, TypeError) as error:
                why = str(error)
                time.sleep(0.05)
        return why

    def close(self) -> None:
        if self.wire is not None:
            self.wire.close()
            self.wire = None

    def ask(self, number: int, message: bytes) -> tuple[bytes, bytes]:
        """Send a round's message, and wait for what is said to it."""
        if self.wire is None:
            raise Gone("it is not there")
        self.wire.send(FRAME.pack(MESSAGE, number) + message)
        while True:
            said = self.wire.receive(max(MOST, 2 * len(message)))
            kind, of = FRAME.unpack_from(said) if len(said) >= FRAME.size else (b"?", 0)
            if kind == LEFT_OUT or kind == ANSWER and of == number:
                return kind, said[FRAME.size:]
            if kind != ALIVE:
                raise Gone("it says what is no answer")


def beat(wire: Wire, seconds: float) -> None:
    """Show that this client is there, whatever it computes, for as long as the connection is open."""
    while wire.socket.fileno() != -1:
        wire.nudge(FRAME.pack(ALIVE, 0))
        time.sleep(min(max(seconds, 0.02), 60.0))


def join(method: Federation, path, host: str, port: int, generator: torch.Generator, *, wait: float = 60.0,
         timeout: float = 60.0, again: float = 3.0, certificates: TLSFiles | None = None,
         tell: Callable[[str], None] = print) -> Client:
    """A client's half. Where it is left out of a round, or the server is gone, its rows stay as they are.

    :param path: the file of its part, of ``save_parts``. Beside it lies, while the rounds go on, what this client
        needs to come back: ``memory``.
    :param generator: its coins. Who knows them knows what noise hides: they are nobody else's.
    :param wait: seconds for the server to be there.
    :param timeout: seconds without any sign of the server, after which it is gone.
    :param again: seconds for the server to be there again, once it was.
    :param host: the server's name or address.
    :param port: the server's.
    :param certificates: for TLS; None: nothing is encrypted.
    :param tell: what shows a line to whoever waits.
    :returns: the client as it is then; its ``embeddings()`` are its own. ``answered`` says of which rounds it has an
        answer, of those from ``joined`` on.
    """
    check_is(method, "method", Federation), check_generator(generator)
    check_positive(wait, "wait"), check_positive(timeout, "timeout"), check_positive(again, "again")
    part = load_part(path)
    greeting = terms(method, part.clients) | {"client": part.client, "sizes": public_sizes(part)}
    memory = Memory(path, method, part)
    visit = Visit(greeting, lambda wait: call(host, port, certificates, wait, timeout), wait, again)
    try:
        with counted(method.of_others(), seed_of(generator)):
            return Journey(method, memory, visit, tell).go(generator)
    finally:
        visit.close()


class Journey:
    """A client's way through the rounds."""

    def __init__(self, method: Federation, memory: Memory, visit: Visit, tell: Callable[[str], None]):
        self.method, self.memory, self.visit, self.tell = method, memory, visit, tell
        self.joined, self.answered, self.session = visit.round, [], visit.session

    def go(self, generator: torch.Generator) -> Client:
        if self.joined > 1:
            self.tell(f"it takes part from round {self.joined}")
        if cost := self.memory.cost(self.session, self.visit.before):
            self.tell(cost)
        client = self.memory.client(generator, self.session)
        number = self.joined
        while number <= self.method.rounds:
            number = self.round(client, number)
        self.memory.forget()
        client.joined, client.answered = self.joined, tuple(self.answered)  # for whoever wants to say how it went
        return client

    def round(self, client: Client, number: int) -> int:
        """One round, and what is to be said of it; the number of the next one."""
        message = self.memory.message(client, self.session, number)
        try:
            kind, said = self.visit.ask(number, message)
        except Gone as gone:
            return self.missed(number, gone)
        if number == self.method.rounds:
            self.visit.close()  # the server waits for that
        if kind == LEFT_OUT:
            self.tell(f"round {number}: left out of it, as {printable(said)}; its rows stay as they are")
            return number + 1
        try:
            client.receive(said)
        except (TypeError, ValueError) as error:
            self.tell(f"round {number}: the answer cannot be used ({error}); its rows stay as they are")
            return number + 1
        self.answered.append(number)
        self.memory.keep(client, self.session, **self.memory.sent(self.session))
        self.tell(f"round {number}: sent {len(message):,} bytes, got {len(said):,}")
        return number + 1

    def missed(self, number: int, gone: Gone) -> int:
        """The server is gone: come back to it, for the round that it says; or go on alone."""
        why = "it is not there" if self.visit.wire is None else self.visit.back()
        if not why and self.visit.session == self.session and self.visit.round >= number:
            if self.visit.round > number:
                self.tell(f"round {number}: missed, as {gone}; it takes part from round {self.visit.round}")
            return self.visit.round
        self.visit.close()
        why = why if "lets this client not in" in why else gone
        self.tell(f"round {number}: the server is gone ({why}); its rows stay as they are")
        return number + 1


def alone(method: Federation, part: Data, generator: torch.Generator) -> Client:
    """A client that hears nobody: as many rounds, with what it would have sent as the answer."""
    client = check_is(method, "method", Federation).client(part, generator)
    for _ in range(method.rounds):
        client.receive(client.send())
    return client


def printable(text: bytes) -> str:
    """What others sent, for a terminal."""
    return "".join(c for c in text[:MOST_GREETING].decode(errors="replace") if c.isprintable())
