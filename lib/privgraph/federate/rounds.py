"""The rounds of a federation whose clients are somewhere else, and may be gone.

The server object and the clients are those of ``Federation.run``; only what stands between them differs. An engine
(Dask, a socket) has one ``Client`` here for each that is elsewhere: its ``send`` waits for that one's message, its
``receive`` delivers the answer, and both raise ``Gone`` where that one is not heard of any more.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from ..methods import Client, Round


class Gone(ConnectionError):
    """A client that will not be asked again, and why: killed, too late, closed its door."""


def play(combine: Callable[[Mapping[int, bytes]], Round], clients: Mapping[int, Client], rounds: int,
         away: dict[int, str]) -> Iterator[Round]:
    """Each round once it is over. Who is gone is left out of it and of those that follow, with the reason.

    :param combine: of the server, wherever that is.
    :param clients: by number; all are waited for at the same time.
    :param away: who is gone, and why; added to as it happens.
    """
    for _ in range(rounds):
        told = combine(together({number: client.send for number, client in clients.items()}, away))
        told = replace(told, left_out={**told.left_out, **away})
        together({number: partial(clients[number].receive, answer) for number, answer in told.answers.items()}, away)
        yield told


def together(asked: Mapping[int, Callable[[], object]], away: dict[int, str]) -> dict[int, object]:
    """What each client that is still there answers; who is gone is written into ``away``.

    In the order of their numbers, not of their coming or answering: sums of floats depend on it.
    """
    present, found = sorted(asked.keys() - away.keys()), {}
    with ThreadPoolExecutor(max(1, len(present))) as pool:
        answers = {number: pool.submit(asked[number]) for number in present}
    for number, answer in answers.items():
        try:
            found[number] = answer.result()
        except Gone as gone:
            away[number] = str(gone)
    return found
