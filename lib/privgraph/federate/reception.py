"""The door of a server: connections are accepted and greeted side by side, and whoever is silent is sent away soon."""

import contextlib
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Any

from .remote_clients import BEAT, Table
from .wire import HELLO, LENGTH, Gone, TLSFiles, Wire, part, shut

FIRST = 2.0  # seconds for the first byte of a greeting
GREETING = 5.0  # seconds for all of it, a handshake of TLS among them
MOST_GREETING = 1000  # bytes of that
AT_ONE = 16  # connections from one address that have not greeted; one more, and the oldest of them is closed
AT_ALL = 128  # such connections from anywhere
LOOK = 0.1  # seconds between two looks at who has been silent for too long


class Guest:
    """A connection that has not greeted yet."""

    def __init__(self, connected: socket.socket, address: str):
        self.socket, self.address, self.since = connected, address, time.monotonic()
        self.said = False

    def sealed(self, connected: socket.socket) -> None:
        """The same under TLS is another object."""
        self.socket, self.said = connected, True

    def spoken(self) -> bool:
        """Whether anything has come from it, even if nobody had the time to look."""
        with contextlib.suppress(OSError, ValueError), selectors.DefaultSelector() as looking:
            looking.register(self.socket, selectors.EVENT_READ)
            self.said = self.said or bool(looking.select(0))
        return self.said


class Reception:
    """Accepts connections for as long as the rounds go on, and greets them side by side.

    :param door: a socket that waits for connections; it is left open.
    """

    def __init__(self, door: socket.socket, table: Table, certificates: TLSFiles | None):
        self.door, self.table, self.certificates = door, table, certificates
        self.silent: list[Guest] = []  # who has not greeted, the oldest first
        self.lock, self.over = threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.accept, self.beat)]

    def __enter__(self) -> "Reception":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        """After the last round whoever comes is still told that it is late, while clients leave."""
        if self.table.held:
            self.table.close()
        self.over.set()
        for thread in self.threads:
            thread.join()
        for guest in list(self.silent):
            shut(guest.socket)
        self.table.close()

    def beat(self) -> None:
        while not self.over.wait(min(BEAT, self.table.timeout / 4)):
            self.table.beat()

    def accept(self) -> None:
        self.door.settimeout(LOOK)
        while not self.over.is_set():
            try:
                connected, where = self.door.accept()
            except OSError:  # nobody; or too many files are open, until some are closed
                self.send_away()
                continue
            self.send_away(where[0])
            guest = Guest(connected, where[0])
            with self.lock:
                self.silent.append(guest)
            threading.Thread(target=self.meet, args=[guest], daemon=True).start()

    def send_away(self, coming: str | None = None) -> None:
        """Close who has been greeting for too long; and the oldest who is silent, where one more would be too many."""
        with self.lock:
            here = [guest for guest in self.silent if guest.address == coming]
            out = [guest for guest in self.silent if time.monotonic() - guest.since > GREETING]
            full = coming and len(self.silent) >= AT_ALL
            for crowd in (here if len(here) >= AT_ONE else []), (self.silent if full else []):
                out += [guest for guest in crowd if not guest.spoken()][:1]
        for guest in out:
            shut(guest.socket)

    def meet(self, guest: "Guest") -> None:
        try:
            wire = greet(guest.socket, self.certificates, guest.sealed)
            self.table.admit(wire, guest.address, wire.receive(MOST_GREETING), names_of(wire))
        except Exception as error:  # of the network, or what nobody foresaw: it costs this connection
            shut(guest.socket)
            if not self.over.is_set():
                self.table.tell(f"somebody at {guest.address} was not let in: {error}")
        finally:
            with self.lock:
                self.silent.remove(guest)


def greet(connected: socket.socket, certificates: TLSFiles | None,
          sealed: Callable[[socket.socket], None] = lambda connected: None) -> Wire:
    """A connection that has begun to say something, under TLS where this server has certificates."""
    connected.settimeout(FIRST)
    try:
        first = connected.recv(1, socket.MSG_PEEK)
    except TimeoutError:
        raise Gone(f"not a word within {FIRST:g} seconds") from None
    if not first:
        raise Gone("it closed the connection")
    if (first[0] == HELLO) != (certificates is not None):
        refuse_plainly(connected, why := ("this server speaks TLS, and the other side does not" if certificates else
                                          "the other side speaks TLS, and this server does not"))
        raise Gone(why)
    if certificates is not None:
        sealed(connected := certificates.context(server=True).wrap_socket(
            connected, server_side=True, do_handshake_on_connect=False))
        wire = Wire(connected, GREETING)
        try:
            wire.attempt(connected.do_handshake, selectors.EVENT_READ, time.monotonic() + GREETING)
        except Gone:
            part(connected)  # it is on its way what is wrong with its certificate
            raise
        return wire
    return Wire(connected, GREETING)


def refuse_plainly(connected: socket.socket, why: str) -> None:
    """To who does not speak as we do; it may not understand."""
    try:
        connected.sendall(LENGTH.pack(len(why)) + why.encode())
    except OSError:
        pass
    part(connected)


def names_of(wire: Wire) -> tuple[str, ...]:
    """Whom the certificate at the other end is for; nobody without TLS."""
    if not isinstance(wire.socket, ssl.SSLSocket):
        return ()
    found: dict[str, Any] = wire.socket.getpeercert() or {}
    common = [value for part in found.get("subject", ()) for name, value in part if name == "commonName"]
    named = [value for kind, value in found.get("subjectAltName", ()) if kind == "DNS"]
    return tuple(dict.fromkeys(common + named)) or (f"certificate {found.get('serialNumber')}",)
