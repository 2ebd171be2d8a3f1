"""A server and clients that people start themselves, on one machine or on several: ``serve`` and ``join``.

Not under Dask, whose workers run whatever their scheduler sends: the server could then read what clients hold. Here a
client runs its own program on its own file, with settings and coins of its own, and what leaves its process is a line
that says who it is, and the bytes of ``Client.send``; what comes back is bytes too.
"""

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping

import torch
from torch_geometric.data import Data

from ..checks import check_count, check_generator, check_is, check_positive
from ..methods import Client, Federation, Round
from .files import load_part
from .rounds import Gone, play
from .wire import Certificates, Wire, call

GREETING = 10.0  # seconds for a connection to say who it is
MOST_GREETING = 1000  # bytes of that
ANSWER, LEFT_OUT = b"+", b"-"  # how an answer begins, and a reason


class Seat(Client):
    """At the server: a client that is at the other end of a connection."""

    def __init__(self, wire: Wire):
        self.wire = wire

    def send(self) -> bytes:
        return self.wire.receive()

    def receive(self, message: bytes) -> None:
        self.wire.send(ANSWER + message)

    def refuse(self, why: str) -> None:
        self.wire.send(LEFT_OUT + why.encode())


def terms(method: Federation, clients: int) -> dict[str, object]:
    """What server and clients must agree on; all else they check by the messages."""
    return {"method": type(method).__name__, "rounds": method.rounds, "clients": clients}


def serve(method: Federation, door: socket.socket, clients: int, generator: torch.Generator, *, timeout: float = 600.0,
          certificates: Certificates | None = None, tell: Callable[[str], None] = print) -> Iterator[Round]:
    """The server's half: waits for clients, then gives each round once it is over.

    :param door: a socket that waits for connections, of ``wire.listen``; it is left open.
    :param clients: how many there are; who has not come after ``timeout`` seconds is left out.
    :param generator: the server's coins.
    :param timeout: seconds that a message may take.
    :param certificates: for TLS; without any nothing is encrypted.
    :param tell: what is done with a line about who came or went.
    """
    check_is(method, "method", Federation), check_generator(generator)
    check_count(clients, "clients", low=1), check_positive(timeout, "timeout")
    server = method.server(generator)
    seats = gather(terms(method, clients), door, timeout, certificates, tell)
    away = {number: f"it did not come within {timeout:g} seconds" for number in range(clients) if number not in seats}
    try:
        for told in play(server.combine, seats, method.rounds, away):
            refuse(told.left_out, seats, away)
            yield told
    finally:
        for seat in seats.values():
            seat.wire.close()


def refuse(left_out: Mapping[int, str], seats: Mapping[int, Seat], away: dict[int, str]) -> None:
    """Tell who is still there, and left out of a round, why."""
    for number in left_out.keys() & seats.keys() - away.keys():
        try:
            seats[number].refuse(left_out[number])
        except Gone as gone:
            away[number] = str(gone)


def gather(wanted: dict, door: socket.socket, timeout: float, certificates: Certificates | None,
           tell: Callable[[str], None]) -> dict[int, Seat]:
    """A seat for each client that comes; others are sent away with a reason."""
    seats, last = {}, time.monotonic() + timeout
    while len(seats) < wanted["clients"] and (left := last - time.monotonic()) > 0:
        door.settimeout(left)
        try:
            connected, where = door.accept()
        except TimeoutError:
            break
        try:
            wire = greet(connected, certificates)
            number = admit(wire, wanted, seats)
        except OSError as error:
            connected.close()
            tell(f"somebody at {where[0]} was not let in: {error}")
            continue
        wire.timeout, seats[number] = timeout, Seat(wire)
        tell(f"client {number} is here, from {where[0]}")
    return seats


def greet(connected: socket.socket, certificates: Certificates | None) -> Wire:
    connected.settimeout(GREETING)
    if certificates is not None:
        connected = certificates.context(server=True).wrap_socket(connected, server_side=True)
    return Wire(connected, GREETING)


def admit(wire: Wire, wanted: dict, seats: Mapping[int, Seat]) -> int:
    """The number of a client that says what was agreed on; an empty answer lets it in.

    :raises Gone: with the reason, which it is told.
    """
    try:
        said = json.loads(wire.receive(MOST_GREETING))
        number = check_count(said.pop("client"), "client", high=wanted["clients"] - 1)
        why = f"client {number} is here already" if number in seats else ""
        why = why if said == wanted else f"the server has {wanted}"
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):  # it may say anything
        why = "that is no greeting of a client"
    wire.send(why.encode())
    if why:
        raise Gone(why)
    return number


def join(method: Federation, path, host: str, port: int, generator: torch.Generator, *, wait: float = 60.0,
         timeout: float = 3600.0, certificates: Certificates | None = None,
         tell: Callable[[str], None] = print) -> Client:
    """A client's half. Where it is left out of a round, or the server is gone, its rows stay as they are.

    :param path: the file of its part, of ``save_parts``.
    :param generator: its coins. Who knows them knows what noise hides: they are nobody else's.
    :param wait: seconds for the server to be there.
    :param timeout: seconds to wait for each answer: longer than the server waits for the slowest client.
    :returns: the client as it is then; its ``embeddings()`` are its own.
    """
    check_is(method, "method", Federation), check_generator(generator)
    check_positive(wait, "wait"), check_positive(timeout, "timeout")
    part = load_part(path)
    client = method.client(part, generator)
    wire = call(host, port, certificates, wait, timeout)
    try:
        introduce(wire, terms(method, part.clients) | {"client": part.client})
        for number in range(method.rounds):
            tell(f"round {number + 1}: {exchange(client, wire)}")
    finally:
        wire.close()
    return client


def alone(method: Federation, part: Data, generator: torch.Generator) -> Client:
    """A client that hears nobody: as many rounds, with what it would have sent as the answer."""
    client = check_is(method, "method", Federation).client(part, generator)
    for _ in range(method.rounds):
        client.receive(client.send())
    return client


def introduce(wire: Wire, greeting: dict) -> None:
    wire.send(json.dumps(greeting).encode())
    if why := wire.receive(MOST_GREETING):
        raise ValueError(f"the server lets this client not in: {printable(why)}; here it is {greeting}")


def exchange(client: Client, wire: Wire) -> str:
    """One round; what is to be said of it."""
    message = client.send()
    try:
        wire.send(message)
        answer = wire.receive()
    except Gone as gone:
        return f"the server is gone ({gone}); its rows stay as they are"
    if answer[:1] != ANSWER:
        return f"left out of it, as {printable(answer[1:])}; its rows stay as they are"
    client.receive(answer[1:])
    return f"sent {len(message):,} bytes, got {len(answer) - 1:,}"


def printable(text: bytes) -> str:
    """What others sent, for a terminal."""
    return "".join(c for c in text[:MOST_GREETING].decode(errors="replace") if c.isprintable())
