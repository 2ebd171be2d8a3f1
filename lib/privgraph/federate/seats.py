"""Who sits where, at a server; each is listened to by a thread of its own.

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
from ..methods.guard import guarded
from ..methods.kinds import Server
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


class Seat:
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
        self.seats: dict[int, Seat] = {}
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
            seat, why = self.judged(wire, said, names)
        self.tell(f"client {seat.number} is here, from {address}" if seat else
                  f"somebody at {address} was not let in: {why}")
        if seat is None:
            wire.send(why.encode())
            part(wire.socket)
            return
        try:
            wire.send(b"")
            wire.send(json.dumps({"round": seat.next, "session": self.session, "beat": min(BEAT, self.timeout / 4),
                                  "before": seat.number in self.why}).encode())
        except Gone as gone:
            self.leave(seat, str(gone))
            raise
        with self.changed:
            seat.welcome, wire.timeout = True, self.timeout
        threading.Thread(target=self.listen, args=[seat], daemon=True).start()

    def judged(self, wire: Wire, said: bytes, names: tuple[str, ...]) -> tuple[Seat | None, str]:
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
        self.seats[number] = seat = Seat(number, wire, most, layout, self.round)
        self.changed.notify_all()
        return seat, ""

    def full(self, number: int, names: tuple[str, ...]) -> str:
        """Why a seat is not for who has these names in its certificate; empty where it is."""
        meant = [int(found[1]) for name in names if (found := OWN.fullmatch(name))]
        if meant and number not in meant:
            return f"its certificate is for client {meant[0]}, and not for client {number}"
        owner = self.owners.get(number, "")
        if names and owner and owner != ", ".join(names):
            if not meant:
                return f"client {number} is {owner}, and its certificate is for {', '.join(names)}"
            if number in self.seats:  # whose name is the seat's own comes before who took it first
                self.vacate(self.seats[number], f"the seat belongs to {', '.join(names)}")
        if number in self.barred:
            return f"client {number} is out of this federation: {self.barred[number]}"
        if self.over or self.held:
            return "the last round has begun, or is over"
        return f"client {number} is here already" if number in self.seats else ""

    def limit(self, sizes: Mapping[str, int]) -> tuple[int, dict | None]:
        """How many bytes a message may have, and what it holds."""
        layout = self.method.layout(sizes)
        return (MOST, None) if layout is None else (weight(layout), layout)

    def listen(self, seat: Seat) -> None:
        """Take what a client sends, for as long as it is there."""
        try:
            begun, count = time.monotonic(), 0
            while not seat.gone:
                kind, number, content = seat.frame()
                count += 1 if kind != MESSAGE or self.take(seat, number, content) else RATE
                if count > FREE + RATE * (time.monotonic() - begun):
                    raise Unreadable("it sends more than anybody would read")
        except Exception as error:  # Gone, or what nobody foresaw: it costs this client
            self.leave(seat, str(error), isinstance(error, Unreadable))
        seat.wire.close()

    def take(self, seat: Seat, number: int, content: bytes) -> bool:
        """Whether a message counts: once, and in its round only."""
        with self.changed:
            counts = number == seat.next and seat.message is None and not seat.gone
            if counts:
                seat.message, seat.came = content, time.monotonic()
                self.changed.notify_all()
            return counts

    def leave(self, seat: Seat, why: str, for_good: bool = False) -> None:
        with self.changed:
            if not seat.gone:
                self.vacate(seat, why, for_good)

    def vacate(self, seat: Seat, why: str, for_good: bool = False) -> None:
        """A seat is free again, or never; who sat there hears why, if it can."""
        seat.gone = why
        if self.seats.get(seat.number) is seat:
            del self.seats[seat.number]
            self.why[seat.number] = why
            self.lapses[seat.number] += not self.over
        if for_good:
            self.barred[seat.number] = why
        seat.wire.nudge(FRAME.pack(LEFT_OUT, seat.next) + why.encode())
        seat.wire.hang_up()
        self.changed.notify_all()

    # Waiting

    def patience(self, number: int) -> float:
        return self.timeout / 2 ** self.lapses[number]

    def gather(self) -> None:
        """Wait until all are here, or nobody new has come for as long as each who is missing is waited for."""
        with self.changed:
            while missing := set(range(self.clients)) - self.seats.keys() - self.barred.keys():
                left = self.moved + max(map(self.patience, missing)) - time.monotonic()
                if left <= 0:
                    break
                self.changed.wait(left)
            self.deserted = not self.seats

    def collect(self, number: int) -> tuple[dict[int, bytes], dict[int, str]]:
        """The messages of a round, and who is left out of it for not being there."""
        with self.changed:
            self.somebody()
            asked, self.round = dict(self.seats), number + 1
            begun = moved = time.monotonic()
            while pending := [seat for seat in asked.values() if not seat.gone and seat.message is None]:
                came = [seat.came for seat in asked.values() if seat.message is not None and not seat.gone]
                moved, now = max([moved, *came]), time.monotonic()
                due = {seat: self.due(seat, begun, moved, max([0.0, *(at - begun for at in came)])) for seat in pending}
                for seat in pending:
                    if due[seat] <= now:
                        self.vacate(seat, f"no message within {self.patience(seat.number):g} seconds")
                self.changed.wait(max(0.0, min(due.values()) - now))
            messages = {n: seat.message for n, seat in sorted(asked.items()) if not seat.gone}
            return messages, {n: self.absent(n, asked) for n in range(self.clients) if n not in messages}

    def due(self, seat: Seat, begun: float, moved: float, slowest: float) -> float:
        """When a message must be there: so long after the last thing that moved, or at the pace of the others."""
        share = 2 ** self.lapses[seat.number]
        return max(max(moved, seat.moving) + self.timeout / share, begun + slowest * max(1.0, PACE / share))

    def somebody(self) -> None:
        """Wait for anybody at all; once only, where nobody comes."""
        if self.deserted and not self.seats:
            return
        open_ones = set(range(self.clients)) - self.barred.keys()
        last = time.monotonic() + max(map(self.patience, open_ones), default=0.0)
        while not self.seats and (left := last - time.monotonic()) > 0:
            self.changed.wait(left)
        self.deserted = not self.seats

    def absent(self, number: int, asked: Mapping[int, Seat]) -> str:
        if number in self.barred:
            return self.barred[number]
        if number in asked:
            return asked[number].gone
        if number in self.seats:
            return "it came when the round had begun, and takes part from the next"
        return self.why.get(number, f"it did not come within {self.timeout:g} seconds")

    # Rounds

    def play(self, number: int, server: Server) -> Round:
        """One round: wait for messages, let the server combine those that can be read, and answer."""
        messages, away = self.collect(number)
        refused = {client: why for client, sent in messages.items() if (why := self.unfit(client, sent))}
        usable = {client: sent for client, sent in messages.items() if client not in refused}
        told, failed = guarded(server.combine, usable)
        answers, left_out = ({}, {}) if told is None else (dict(told.answers), dict(told.left_out))
        left_out = left_out | failed | refused | away
        self.answer(number, messages, answers, left_out)
        return Round(messages, answers, left_out)

    def unfit(self, number: int, message: bytes) -> str:
        """Why a message is not looked at; who sends what nobody can read is out for good."""
        with self.changed:
            seat = self.seats.get(number)
        found, failed = guarded(lambda shares: unpack(shares[number]), {number: message})
        if found is None:
            if seat is not None:
                self.leave(seat, failed[number], for_good=True)
            return failed[number]
        if seat is None or seat.layout is None:
            return ""
        shapes = {name: tuple(getattr(part, "shape", ())) for name, part in found.items()}
        wanted = {name: list(shape) for name, shape in seat.layout.items()}
        return "" if shapes == seat.layout else (f"a message must hold {wanted}, got "
                                                f"{ {str(name)[:20]: list(shape) for name, shape in shapes.items()} }")

    def answer(self, number: int, messages: Mapping[int, bytes], answers: Mapping[int, bytes],
               left_out: Mapping[int, str]) -> None:
        """Tell everybody who is there, side by side; each may send the next message as soon as it was told."""
        with self.changed:
            seats = {client: seat for client, seat in self.seats.items() if client in messages and seat.next == number}
            for seat in seats.values():
                seat.next, seat.message = number + 1, None
        frames = {client: FRAME.pack(ANSWER, number) + answers[client] if client in answers else
                  FRAME.pack(LEFT_OUT, number) + left_out.get(client, "the server has no answer for it").encode()
                  for client in seats}
        with ThreadPoolExecutor(max(1, len(seats))) as pool:
            list(pool.map(lambda client: self.deliver(seats[client], frames[client]), seats))

    def deliver(self, seat: Seat, frame: bytes) -> None:
        try:
            seat.wire.send(frame)
        except Gone as gone:
            self.leave(seat, str(gone))

    def beat(self) -> None:
        """Show all who are here that the server is there."""
        with self.changed:
            seats = [seat for seat in self.seats.values() if seat.welcome]
        for seat in seats:
            seat.wire.nudge(FRAME.pack(ALIVE, 0))

    @property
    def held(self) -> bool:
        """Whether the last round has begun."""
        return self.round > self.method.rounds

    def close(self) -> None:
        """Where all rounds were held, let clients go first, so that nothing on its way to them is lost; then close."""
        with self.changed:
            self.over, last = True, time.monotonic() + min(LINGER, self.timeout)
            while self.seats and self.held and (left := last - time.monotonic()) > 0:
                self.changed.wait(left)
            for seat in self.seats.values():
                seat.gone = "the rounds are over"
                seat.wire.close()
