"""The clients that a server hears, each listened to by a thread of its own.

Whatever one connection sends or does costs that one its place, and nobody else more than a wait: who is silent is sent
away after a moment, who is slow after ``timeout`` seconds in which nothing moved, and half of that the next time.
"""

import json
import re
import secrets
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from ..checks import check_count
from ..methods import Federation, Round
from ..methods.federation import Server
from ..methods.guard import guarded
from ..methods.messages import unpack, weight
from .wire import MOST, Gone, Unreadable, Wire, part

PACE = 3  # who shows that it is alive may take so many times as long as the slowest of the others took
BEAT = 5.0  # seconds between two signs of life, at most
FREE, RATE = 1000, 100  # signs of life that a client may show at once, and in each second
LINGER = 2.0  # seconds for clients to close, once all is over
FRAME = struct.Struct("!cI")  # what it is, and of which round
MESSAGE, ANSWER, LEFT_OUT, ALIVE = b"m", b"+", b"-", b"."
OWN = re.compile(r"client-(\d+)")  # a name in a certificate that says which seat is meant


def terms(method: Federation, clients: int) -> dict[str, object]:
    """What server and clients must agree on; all else they check by the messages."""
    return {"method": type(method).__name__, "rounds": method.rounds, "clients": clients}


class RemoteClient:
    """A client that is connected.

    :param most: bytes that its message may have.
    :param layout: what its message holds, where the method says it.
    :param after: the round that it takes part in first.
    """

    def __init__(self, number: int, wire: Wire, most: int, layout: dict | None, after: int):
        self.number, self.wire, self.most, self.layout, self.next = number, wire, most, layout, after
        self.message: bytes | None = None  # of the round ``next``
        self.gone = ""  # why, once it is
        self.welcome = False  # whether it has been told that it is here
        self.moving = self.came = 0.0
        wire.moved = self.move

    def move(self) -> None:
        self.moving = time.monotonic()

    def frame(self) -> tuple[bytes, int, bytes]:
        sent = self.wire.receive(self.most + FRAME.size)
        if len(sent) < FRAME.size:
            raise Unreadable(f"it sent {len(sent)} bytes, which are no message")
        return *FRAME.unpack_from(sent), sent[FRAME.size:]


class Table:
    """The seats of all clients. ``changed`` guards all fields; whoever waits for a client waits for it.

    :param sizes: what is public, where the server was told; else each client says it, for its own messages only.
    :param first: the round with which it begins: a later one, where the server goes on.
    """

    def __init__(self, method: Federation, clients: int, timeout: float, tell: Callable[[str], None],
                 sizes: Mapping[str, int] | None, first: int, session: str):
        self.method, self.clients, self.timeout, self.tell, self.sizes = method, clients, timeout, tell, sizes
        self.changed, self.round, self.session = threading.Condition(), first, session or secrets.token_hex(8)
        self.remotes: dict[int, RemoteClient] = {}
        self.why: dict[int, str] = {}  # a seat is empty
        self.barred: dict[int, str] = {}  # for good
        self.owners: dict[int, str] = {}  # the name in the certificate of who took a seat first
        self.lapses: Counter[int] = Counter()  # how often a client was waited for in vain
        self.moved = time.monotonic()
        self.over = self.deserted = False

    # Coming and going

    def admit(self, wire: Wire, address: str, said: bytes, names: tuple[str, ...]) -> None:
        """Let in who says what was agreed on, or say why not. An empty answer lets it in; then it is told where the
        others are."""
        with self.changed:
            remote, why = self.judged(wire, said, names)
        self.tell(f"client {remote.number} is here, from {address}" if remote else
                  f"somebody at {address} was not let in: {why}")
        if remote is None:
            wire.send(why.encode())
            part(wire.socket)
            return
        try:
            wire.send(b"")
            wire.send(json.dumps({"round": remote.next, "session": self.session, "beat": min(BEAT, self.timeout / 4),
                                  "before": remote.number in self.why}).encode())
        except Gone as gone:
            self.leave(remote, str(gone))
            raise
        with self.changed:
            remote.welcome, wire.timeout = True, self.timeout
        threading.Thread(target=self.listen, args=[remote], daemon=True).start()

    def judged(self, wire: Wire, said: bytes, names: tuple[str, ...]) -> tuple[RemoteClient | None, str]:
        """A seat, or why there is none for whoever says this."""
        wanted = terms(self.method, self.clients)
        try:
            greeting = json.loads(said)
            number = check_count(greeting.pop("client"), "client", high=self.clients - 1)
            sizes = {name: check_count(size, name, high=2**40) for name, size in greeting.pop("sizes", {}).items()}
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):  # it may say anything
            return None, f"that is no greeting of a client; there are clients 0 to {self.clients - 1}"
        if greeting != wanted:
            return None, f"the server has {wanted}"
        if self.sizes and sizes and sizes != self.sizes:
            return None, f"the server has {self.sizes}"
        why = self.full(number, names)
        most, layout = self.limit(self.sizes or sizes)
        why = why or (f"its messages would have {most:,} bytes, and at most {MOST:,} are read where the server was "
                      "not told the sizes" if not self.sizes and most > MOST else "")
        if why:
            return None, why
        if number not in self.why and number not in self.owners:
            self.moved = time.monotonic()
        self.owners[number] = ", ".join(names)
        self.remotes[number] = remote = RemoteClient(number, wire, most, layout, self.round)
        self.changed.notify_all()
        return remote, ""

    def full(self, number: int, names: tuple[str, ...]) -> str:
        """Why a seat is not for who has these names in its certificate; empty where it is."""
        meant = [int(found[1]) for name in names if (found := OWN.fullmatch(name))]
        if meant and number not in meant:
            return f"its certificate is for client {meant[0]}, and not for client {number}"
        owner = self.owners.get(number, "")
        if names and owner and owner != ", ".join(names):
            if not meant:
                return f"client {number} is {owner}, and its certificate is for {', '.join(names)}"
            if number in self.remotes:  # whose name is the seat's own comes before who took it first
                self.vacate(self.remotes[number], f"the seat belongs to {', '.join(names)}")
        if number in self.barred:
            return f"client {number} is out of this federation: {self.barred[number]}"
        if self.over or self.held:
            return "the last round has begun, or is over"
        return f"client {number} is here already" if number in self.remotes else ""

    def limit(self, sizes: Mapping[str, int]) -> tuple[int, dict | None]:
        """How many bytes a message may have, and what it holds."""
        layout = self.method.layout(sizes)
        return (MOST, None) if layout is None else (weight(layout), layout)

    def listen(self, remote: RemoteClient) -> None:
        """Take what a client sends, for as long as it is there."""
        try:
            begun, count = time.monotonic(), 0
            while not remote.gone:
                kind, number, content = remote.frame()
                count += 1 if kind != MESSAGE or self.take(remote, number, content) else RATE
                if count > FREE + RATE * (time.monotonic() - begun):
                    raise Unreadable("it sends more than anybody would read")
        except Exception as error:  # Gone, or what nobody foresaw: it costs this client
            self.leave(remote, str(error), isinstance(error, Unreadable))
        remote.wire.close()

    def take(self, remote: RemoteClient, number: int, content: bytes) -> bool:
        """Whether a message counts: once, and in its round only."""
        with self.changed:
            counts = number == remote.next and remote.message is None and not remote.gone
            if counts:
                remote.message, remote.came = content, time.monotonic()
                self.changed.notify_all()
            return counts

    def leave(self, remote: RemoteClient, why: str, for_good: bool = False) -> None:
        with self.changed:
            if not remote.gone:
                self.vacate(remote, why, for_good)

    def vacate(self, remote: RemoteClient, why: str, for_good: bool = False) -> None:
        """A seat is free again, or never; who sat there hears why, if it can."""
        remote.gone = why
        if self.remotes.get(remote.number) is remote:
            del self.remotes[remote.number]
            self.why[remote.number] = why
            self.lapses[remote.number] += not self.over
        if for_good:
            self.barred[remote.number] = why
        remote.wire.nudge(FRAME.pack(LEFT_OUT, remote.next) + why.encode())
        remote.wire.hang_up()
        self.changed.notify_all()

    # Waiting

    def patience(self, number: int) -> float:
        return self.timeout / 2 ** self.lapses[number]

    def gather(self) -> None:
        """Wait until all are here, or nobody new has come for as long as each who is missing is waited for."""
        with self.changed:
            while missing := set(range(self.clients)) - self.remotes.keys() - self.barred.keys():
                left = self.moved + max(map(self.patience, missing)) - time.monotonic()
                if left <= 0:
                    break
                self.changed.wait(left)
            self.deserted = not self.remotes

    def collect(self, number: int) -> tuple[dict[int, bytes], dict[int, str]]:
        """The messages of a round, and who is left out of it for not being there."""
        with self.changed:
            self.somebody()
            asked, self.round = dict(self.remotes), number + 1
            begun = moved = time.monotonic()
            while pending := [remote for remote in asked.values() if not remote.gone and remote.message is None]:
                came = [remote.came for remote in asked.values() if remote.message is not None and not remote.gone]
                moved, now = max([moved, *came]), time.monotonic()
                slowest = max([0.0, *(at - begun for at in came)])
                due = {remote: self.due(remote, begun, moved, slowest) for remote in pending}
                for remote in pending:
                    if due[remote] <= now:
                        self.vacate(remote, f"no message within {self.patience(remote.number):g} seconds")
                self.changed.wait(max(0.0, min(due.values()) - now))
            messages = {n: remote.message for n, remote in sorted(asked.items()) if not remote.gone}
            return messages, {n: self.absent(n, asked) for n in range(self.clients) if n not in messages}

    def due(self, remote: RemoteClient, begun: float, moved: float, slowest: float) -> float:
        """When a message must be there: so long after the last thing that moved, or at the pace of the others."""
        share = 2 ** self.lapses[remote.number]
        return max(max(moved, remote.moving) + self.timeout / share, begun + slowest * max(1.0, PACE / share))

    def somebody(self) -> None:
        """Wait for anybody at all; once only, where nobody comes."""
        if self.deserted and not self.remotes:
            return
        open_ones = set(range(self.clients)) - self.barred.keys()
        last = time.monotonic() + max(map(self.patience, open_ones), default=0.0)
        while not self.remotes and (left := last - time.monotonic()) > 0:
            self.changed.wait(left)
        self.deserted = not self.remotes

    def absent(self, number: int, asked: Mapping[int, RemoteClient]) -> str:
        if number in self.barred:
            return self.barred[number]
        if number in asked:
            return asked[number].gone
        if number in self.remotes:
            return "it came when the round had begun, and takes part from the next"
        return self.why.get(number, f"it did not come within {self.timeout:g} seconds")

    # Rounds

    def play(self, number: int, server: Server) -> Round:
        """One round: wait for messages, let the server combine those that can be read, and answer."""
        messages, away = self.collect(number)
        refused = {client: why for client, sent in messages.items() if (why := self.unfit(client, sent))}
        usable = {client: sent for client, sent in messages.items() if client not in refused}
        told, failed = guarded(server.combine, usable)
        replies, left_out = ({}, {}) if told is None else (dict(told.replies), dict(told.left_out))
        left_out = left_out | failed | refused | away
        self.answer(number, messages, replies, left_out)
        return Round(messages, replies, left_out)

    def unfit(self, number: int, message: bytes) -> str:
        """Why a message is not looked at; who sends what nobody can read is out for good."""
        with self.changed:
            remote = self.remotes.get(number)
        found, failed = guarded(lambda shares: unpack(shares[number]), {number: message})
        if found is None:
            if remote is not None:
                self.leave(remote, failed[number], for_good=True)
            return failed[number]
        if remote is None or remote.layout is None:
            return ""
        shapes = {name: tuple(getattr(part, "shape", ())) for name, part in found.items()}
        wanted = {name: list(shape) for name, shape in remote.layout.items()}
        return "" if shapes == remote.layout else (f"a message must hold {wanted}, got "
                                                f"{ {str(name)[:20]: list(shape) for name, shape in shapes.items()} }")

    def answer(self, number: int, messages: Mapping[int, bytes], replies: Mapping[int, bytes],
               left_out: Mapping[int, str]) -> None:
        """Tell everybody who is there, side by side; each may send the next message as soon as it was told."""
        with self.changed:
            remotes = {client: remote for client, remote in self.remotes.items()
                       if client in messages and remote.next == number}
            for remote in remotes.values():
                remote.next, remote.message = number + 1, None
        frames = {client: FRAME.pack(ANSWER, number) + replies[client] if client in replies else
                  FRAME.pack(LEFT_OUT, number) + left_out.get(client, "the server has no answer for it").encode()
                  for client in remotes}
        with ThreadPoolExecutor(max(1, len(remotes))) as pool:
            list(pool.map(lambda client: self.deliver(remotes[client], frames[client]), remotes))

    def deliver(self, remote: RemoteClient, frame: bytes) -> None:
        try:
            remote.wire.send(frame)
        except Gone as gone:
            self.leave(remote, str(gone))

    def beat(self) -> None:
        """Show all who are here that the server is there."""
        with self.changed:
            remotes = [remote for remote in self.remotes.values() if remote.welcome]
        for remote in remotes:
            remote.wire.nudge(FRAME.pack(ALIVE, 0))

    @property
    def held(self) -> bool:
        """Whether the last round has begun."""
        return self.round > self.method.rounds

    def close(self) -> None:
        """Where all rounds were held, let clients go first, so that nothing on its way to them is lost; then close."""
        with self.changed:
            self.over, last = True, time.monotonic() + min(LINGER, self.timeout)
            while self.remotes and self.held and (left := last - time.monotonic()) > 0:
                self.changed.wait(left)
            for remote in self.remotes.values():
                remote.gone = "the rounds are over"
                remote.wire.close()
