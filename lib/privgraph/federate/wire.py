"""Messages over a socket: the length, then the bytes. Nothing that arrives is ever run or unpickled.

Without TLS a message can be read and changed by whoever carries it, and anybody who reaches the port may take a
client's seat: right on one machine of one's own, and nowhere else. With TLS both sides show a certificate of an
authority that both name, and all messages are encrypted.

Waiting is for progress: a message may take as long as it moves, ``STEP`` bytes at a time.
"""

import selectors
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..checks import check_count

LENGTH = struct.Struct("!Q")
MOST = 2**26  # bytes of a message of a method that does not say what its messages weigh; of more none is read
STEP = 2**16  # bytes that must arrive, or leave, before patience is at its end
CHUNK = 2**20
BACKLOG = 128  # connections that wait to be accepted
NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "UNEXPECTED_MESSAGE", "PACKET_LENGTH_TOO_LONG",
          "RECORD_LAYER_FAILURE")  # what OpenSSL says of bytes that are none of TLS
HELD = {"authority": "CERTIFICATE", "certificate": "CERTIFICATE", "key": "PRIVATE KEY"}  # as a PEM file says it
MISMATCH = "KEY_VALUES_MISMATCH"
FLIGHTS = 4  # as often as both sides speak until each has the other's certificate
PARTING = 0.5  # seconds for somebody who is sent away to read why
HELLO = 0x16  # the first byte of TLS, and of no greeting of ours


@dataclass(frozen=True)
class TLSFiles:
    """Files for TLS, in PEM: the authority that certifies both sides, one's own certificate and its key.

    :param authority: certificates of whoever certifies both sides.
    :param certificate: one's own.
    :param key: that belongs to it.
    """

    authority: Path
    certificate: Path
    key: Path

    def context(self, server: bool) -> ssl.SSLContext:
        """Both sides are asked for a certificate; a client also asks whether the server's is for the name it called.

        :param server: True for a server's side, False for a client's.
        :raises ValueError: for files that are not there, are no PEM, or do not fit each other.
        """
        if missing := [str(path) for path in (self.authority, self.certificate, self.key) if not Path(path).is_file()]:
            raise ValueError(f"authority, certificate and key must be PEM files, got {' and '.join(missing)}, and no "
                             "such file is there")
        for name, held in HELD.items():
            check_pem(getattr(self, name), name, held)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(self.authority)
            context.load_cert_chain(self.certificate, self.key)
        except OSError as error:  # of the file system, or of OpenSSL
            if MISMATCH in str(error):
                raise ValueError(f"key must belong to the certificate, got {self.key} and {self.certificate}"
                                 ) from error
            raise ValueError("authority, certificate and key must be PEM files that fit each other, got "
                             f"{self.authority}, {self.certificate} and {self.key}: {words(error)}") from error
        return context

    def check(self, server: bool) -> None:
        """Refuse files with which nobody would be met: the two sides are tried here, without a connection.

        :param server: as for ``context``.
        :raises ValueError: as ``context``; and where the authority does not certify the certificate.
        """
        own, other = self.context(server), self.context(not server)
        for each in (own, other):
            each.check_hostname = False
        own.verify_mode = ssl.CERT_NONE  # the other's certificate is this one as well, for the other side
        one, two = ssl.MemoryBIO(), ssl.MemoryBIO()
        ends = own.wrap_bio(one, two, server), other.wrap_bio(two, one, not server)
        try:
            for end in ends * FLIGHTS:
                with suppress(ssl.SSLWantReadError):
                    end.do_handshake()
        except ssl.SSLCertVerificationError as error:
            raise ValueError(f"certificate must be one that {self.authority} certifies for a "
                             f"{'server' if server else 'client'}, got {self.certificate}: {error.verify_message}"
                             ) from error


def check_pem(path: Path, name: str, held: str) -> None:
    """Refuse a file that does not hold what it should, as one of two that were exchanged.

    :param held: CERTIFICATE or PRIVATE KEY.
    """
    text = Path(path).read_bytes()
    if f"{held}-----".encode() not in text:
        found = [f", which holds a {other.split()[-1].lower()}" for other in HELD.values() if other.encode() in text]
        raise ValueError(f"{name} must be a PEM file with a {held.split()[-1].lower()}, got {path}{''.join(found[:1])}")
    if b"ENCRYPTED" in text:  # OpenSSL would ask somebody for it
        raise ValueError(f"{name} must be a PEM file without a pass phrase, got {path}, which has one")


class Wire:
    """One end of a connection. One thread may receive while others send.

    :param timeout: seconds without progress after which the other end is gone.
    :param moved: is called whenever ``STEP`` bytes more have arrived.
    """

    def __init__(self, connected: socket.socket, timeout: float, moved: Callable[[], None] = lambda: None):
        connected.setblocking(False)
        self.socket, self.timeout, self.moved = connected, timeout, moved
        self.one = threading.Lock()  # a TLS connection is used by one thread at a time
        self.whole = threading.Lock()  # a message is sent as a whole

    def send(self, message: bytes) -> None:
        rest = memoryview(LENGTH.pack(len(message)) + message)
        with self.whole:
            while rest:
                part, last = rest[:STEP], time.monotonic() + self.timeout
                while part:
                    part = part[self.attempt(lambda part=part: self.socket.send(part), selectors.EVENT_WRITE, last):]
                rest = rest[STEP:]

    def nudge(self, message: bytes) -> None:
        """Send a few bytes if there is room for them, and say nothing where there is none: it may not be reading."""
        if self.whole.acquire(blocking=False):
            try:
                with self.one:
                    self.socket.send(LENGTH.pack(len(message)) + message)
            except (OSError, ValueError):  # whoever receives will find out
                pass
            finally:
                self.whole.release()

    def receive(self, most: int = MOST) -> bytes:
        length, = LENGTH.unpack(self.read(LENGTH.size))
        if length > most:
            raise Unreadable(f"it announced a message of {length} bytes, and at most {most} are read")
        return self.read(length)

    def read(self, length: int) -> bytes:
        found, last, seen = bytearray(), time.monotonic() + self.timeout, 0
        while len(found) < length:
            size = min(CHUNK, length - len(found))
            part = self.attempt(lambda size=size: self.socket.recv(size), selectors.EVENT_READ, last)
            if not part:
                raise Gone("it closed the connection")
            found += part
            if len(found) >= seen + STEP:
                last, seen = time.monotonic() + self.timeout, len(found)
                self.moved()
        return bytes(found)

    def attempt(self, what: Callable, side: int, last: float):
        """What a step gives, once the socket is ready for it."""
        while True:
            try:
                with self.one:
                    return what()
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
                side = selectors.EVENT_READ if isinstance(error, ssl.SSLWantReadError) else (
                    selectors.EVENT_WRITE if isinstance(error, ssl.SSLWantWriteError) else side)
            except (OSError, ValueError) as error:
                raise Gone(f"the connection broke: {words(error)}") from error
            if not self.ready(side, last - time.monotonic()):
                raise Gone(f"no message within {self.timeout:g} seconds")

    def ready(self, side: int, seconds: float) -> bool:
        try:
            with selectors.DefaultSelector() as waiting:
                waiting.register(self.socket, side)
                return bool(waiting.select(max(0.0, seconds)))
        except (OSError, ValueError) as error:  # closed by another thread
            raise Gone("the connection is closed") from error

    def hang_up(self) -> None:
        """Send nothing more; what was sent arrives, which it may not where a connection is closed at once."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_RDWR)  # who waits in another thread wakes
        except OSError:
            pass
        self.socket.close()


class Gone(ConnectionError):
    """Somebody who is not heard of any more, and why: too late, closed the connection, broke off."""


class Unreadable(Gone):
    """Who sent what cannot be read: away for good, as nothing that follows could be read either."""


def words(error: Exception) -> str:
    """What an error of the network or of TLS means, for people."""
    said = getattr(error, "reason", None) or ""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate of the other side is not accepted here: {error.verify_message}"
    if said in NO_TLS:
        return "this side speaks TLS and the other side does not"
    if "ALERT" in said or "CERTIFICATE" in said:
        return f"the other side does not accept the certificate of this side ({said.replace('_', ' ').lower()})"
    return str(getattr(error, "strerror", None) or error)


def listen(host: str, port: int, clients: int) -> socket.socket:
    """A socket that waits for connections; port 0 takes one that is free.

    :param host: an address of this machine.
    :param port: from 0 to 65535.
    :param clients: how many are expected.
    :raises OSError: where the address is not ours, or the port is taken.
    """
    check_count(port, "port", high=65535)
    try:
        return socket.create_server((host, port), backlog=max(BACKLOG, clients))
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (while attempting")[0]
        if error.errno == socket.EAI_NONAME:
            raise OSError(f"host must be a name or an address of this machine, without a port, got {host!r}: {why}"
                          ) from error
        raise OSError(f"cannot listen on {host}:{port}: {why}") from error


def call(host: str, port: int, certificates: TLSFiles | None, wait: float, timeout: float) -> Wire:
    """A connection to a server, which may start so many seconds later than this process does."""
    last = time.monotonic() + wait
    while True:
        try:
            connected = socket.create_connection((host, port), timeout=wait)
            break
        except OSError as error:
            if time.monotonic() > last:
                raise OSError(f"cannot reach a server at {host}:{port}: {error.strerror or error}") from error
            time.sleep(min(0.2, wait))
    return Wire(connected if certificates is None else sealed(connected, certificates, host, timeout), timeout)


def sealed(connected: socket.socket, certificates: TLSFiles, host: str, timeout: float) -> socket.socket:
    """The same under TLS, if the other end is who it should be."""
    connected.settimeout(timeout)
    try:
        return certificates.context(server=False).wrap_socket(connected, server_hostname=host)
    except OSError as error:
        connected.close()
        closed = isinstance(error, (ssl.SSLEOFError, ConnectionResetError))
        raise OSError(f"no TLS with {host}: " + ("the other side closed the connection, as one does that speaks no TLS"
                                                if closed else words(error))) from error


def part(connected: socket.socket) -> None:
    """Close a connection once the other side has had a moment to read: what it still sends would cut it short."""
    try:
        connected.setblocking(True)
        connected.shutdown(socket.SHUT_WR)
        last = time.monotonic() + PARTING
        while (left := last - time.monotonic()) > 0:
            connected.settimeout(left)
            if not connected.recv(STEP):
                break
    except OSError:
        pass
    connected.close()


def shut(connected: socket.socket) -> None:
    """Close a connection in whatever thread it is used."""
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connected.close()
