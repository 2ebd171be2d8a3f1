"""Messages over a socket: the length, then the bytes. Nothing that arrives is ever run or unpickled.

Without TLS a message can be read and changed by whoever carries it, and anybody who reaches the port may take a
client's seat: right on one machine of one's own, and nowhere else. With TLS both sides show a certificate of an
authority that both name, and all messages are encrypted.
"""

import socket
import ssl
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from ..checks import check_count
from .rounds import Gone

LENGTH = struct.Struct("!Q")
MOST = 2**31  # bytes of a message; more is refused before any of it is read
CHUNK = 2**20


@dataclass(frozen=True)
class Certificates:
    """Files for TLS, in PEM: the authority that certifies both sides, one's own certificate and its key."""

    authority: Path
    certificate: Path
    key: Path

    def context(self, server: bool) -> ssl.SSLContext:
        """Both sides are asked for a certificate; a client also asks whether the server's is for the name it called."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(self.authority)
            context.load_cert_chain(self.certificate, self.key)
        except OSError as error:  # of the file system, or of OpenSSL
            raise ValueError("authority, certificate and key must be PEM files that fit each other, got "
                             f"{self.authority}, {self.certificate} and {self.key}: {error}") from error
        return context


class Wire:
    """One end of a connection.

    :param timeout: seconds that a message may take, from when it is waited for until it is whole.
    """

    def __init__(self, connected: socket.socket, timeout: float):
        self.socket, self.timeout = connected, timeout

    def send(self, message: bytes) -> None:
        try:
            self.socket.settimeout(self.timeout)
            self.socket.sendall(LENGTH.pack(len(message)) + message)
        except OSError as error:
            raise self.gone(error) from error

    def receive(self, most: int = MOST) -> bytes:
        last = time.monotonic() + self.timeout
        length, = LENGTH.unpack(self.read(LENGTH.size, last))
        if length > most:
            raise Gone(f"it announced a message of {length} bytes, and at most {most} are read")
        return self.read(length, last)

    def read(self, length: int, last: float) -> bytes:
        found = bytearray()
        while len(found) < length:
            try:
                self.socket.settimeout(max(1e-3, last - time.monotonic()))
                part = self.socket.recv(min(CHUNK, length - len(found)))
            except OSError as error:
                raise self.gone(error) from error
            if not part:
                raise Gone("it closed the connection")
            found += part
        return bytes(found)

    def gone(self, error: OSError) -> Gone:
        late = isinstance(error, TimeoutError)
        return Gone(f"no message within {self.timeout:g} seconds" if late else f"the connection broke: {error}")

    def close(self) -> None:
        self.socket.close()


def listen(host: str, port: int, clients: int) -> socket.socket:
    """A socket that waits for connections; port 0 takes one that is free."""
    check_count(port, "port", high=65535)
    try:
        return socket.create_server((host, port), backlog=clients)
    except OSError as error:
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error


def call(host: str, port: int, certificates: Certificates | None, wait: float, timeout: float) -> Wire:
    """A connection to a server, which may start so many seconds later than this process does."""
    last = time.monotonic() + wait
    while True:
        try:
            connected = socket.create_connection((host, port), timeout=wait)
            break
        except OSError as error:
            if time.monotonic() > last:
                raise OSError(f"cannot reach a server at {host}:{port}: {error.strerror or error}") from error
            time.sleep(0.2)
    if certificates is not None:
        connected = certificates.context(server=False).wrap_socket(connected, server_hostname=host)
    return Wire(connected, timeout)
