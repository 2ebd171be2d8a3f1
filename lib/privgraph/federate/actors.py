"""A federation in processes of this machine, under Dask: a scheduler, the server's process and one for each client.

A client's process is told the path of one file, its part, and a seed. It reads the file itself, and what it tells
leaves it as the bytes of ``Client.send``. What goes wrong there is printed there: an error's text may speak of private
data, so others hear only that it failed.

For one machine and one person who trusts all of it, as in experiments: a Dask worker runs whatever its scheduler
sends. Several parties use ``by_hand``, where bytes are exchanged and nothing else.
"""

import os
import subprocess
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch_geometric.data import Data

from ..checks import check_generator, check_is, check_positive, check_sequence
from ..methods import Client, Federation, Round
from ..processes import children
from ..randomness import coins, draw_seed, draw_seeds, kind_of, seeded
from .files import check_folder, load_part, save_parts, save_vectors
from .rounds import Gone, play, together

GRACE = 120.0  # seconds for the processes to be there
PAUSE = 0.005  # seconds between two looks at whether an answer is there


def run_processes(method: Federation, source: Data | Sequence, generator: torch.Generator, *, timeout: float = 600.0,
                  keep=None) -> list[Round]:
    """``Federation.run`` with each client and the server in a process of its own; the same bytes are exchanged.

    A client whose process ends, fails or gives no answer in time is left out from then on, with the reason in
    ``Round.left_out``. No process outlives the call, nor the process that makes it.

    :param method: any federation; its class must be one that other processes can import, or be defined in a notebook.
    :param source: a graph with ``holder``, of ``methods.federated.hold``, which is cut into parts; or the files of
        the parts, of ``save_parts``.
    :param timeout: seconds that a message may take, from when it is asked for.
    :param keep: a folder in which each client writes its vectors as they are in the end, ``client-0.npy`` and so on:
        what ``embeddings()`` gives, if it has any.
    :returns: each round's messages, answers and who was left out, as the server saw it.
    """
    check_is(method, "method", Federation), check_generator(generator), check_positive(timeout, "timeout")
    keep = None if keep is None else check_folder(keep, "keep").resolve()
    with tempfile.TemporaryDirectory() as folder:
        server_seed = draw_seed(generator)  # in the order of ``Federation.run``
        files, seeds = members(method, source, generator, folder)
        with cluster([*map(name_of, files), "server"], folder) as place:
            desk = place("server", timeout, Desk, method, server_seed)
            seats = {number: place(name_of(number), timeout, Seat, method, str(path), seeds[number])
                     for number, path in files.items()}
            told = list(play(lambda messages: desk.ask("combine", messages), seats, method.rounds, away := {}))
            if keep is not None:
                together({number: partial(seat.heard, "write", str(keep / f"{name_of(number)}.npy"))
                          for number, seat in seats.items()}, away)
    for number, why in away.items():
        warnings.warn(f"client {number} was left out before the end: {why}", stacklevel=2)
    return [replace(each, randomness=kind_of(generator)) for each in told]


def members(method: Federation, source: Data | Sequence, generator: torch.Generator,
            folder) -> tuple[dict[int, Path], list[int | None]]:
    """The file of each client by its number, and each one's seed, for ``coins``."""
    if isinstance(source, Data):
        parts, seeds = zip(*method.members(source, generator), strict=True)
        return found(save_parts(parts, folder)), seeds
    files = found(check_sequence(source, "source", "files"))
    return files, draw_seeds(generator, len(files))


def found(paths: Sequence) -> dict[int, Path]:
    """The files of all clients, by the number that each says it is."""
    files = {load_part(path).client: Path(path).resolve() for path in paths}
    if sorted(files) != list(range(len(paths))):
        raise ValueError(f"source must be the files of clients 0 to {len(paths) - 1}, got those of {sorted(files)}")
    return files


def name_of(number: int) -> str:
    return f"client-{number}"


@contextmanager
def cluster(names: Sequence[str], folder) -> Iterator[Callable[..., "Placed"]]:
    """A process of Dask for each name; a function that makes an object in the one of a name."""
    from distributed import Client as Dask  # takes a second to import
    with children() as start:
        begin = partial(start, f"{__package__}.worker", os.getpid())
        scheduler = begin("scheduler", stdout=subprocess.PIPE, text=True)
        if not (address := scheduler.stdout.readline().strip()):
            raise OSError("the scheduler of Dask did not start; it says why on stderr")
        processes = {name: begin(address, name, folder) for name in names}
        with Dask(address, timeout=GRACE, set_as_default=False, direct_to_workers=True) as dask, dask.as_current():
            dask.wait_for_workers(len(names), timeout=GRACE)

            def place(name: str, timeout: float, kind: type, *arguments) -> Placed:
                actor = dask.submit(kind, *arguments, actor=True, workers=[name], allow_other_workers=False, pure=False)
                return Placed(actor, processes[name], timeout)

            yield place


class Placed(Client):
    """An object in another process, asked with patience; one that holds a client can be taken for it."""

    def __init__(self, made, process: subprocess.Popen, timeout: float):
        self.process, self.timeout = process, timeout
        self.actor = self.wait(made)

    def send(self) -> bytes:
        return self.heard("send")

    def receive(self, message: bytes) -> None:
        self.heard("receive", message)

    def heard(self, what: str, *arguments):
        """What a ``Seat`` answers, unless it failed."""
        if (answer := self.ask(what, *arguments)) is None:
            raise Gone("it failed; its own process says why")
        return answer

    def ask(self, what: str, *arguments):
        try:
            return self.wait(getattr(self.actor, what)(*arguments))
        except (OSError, RuntimeError):  # of Dask, where a process ends; or an error of what was asked
            if self.ended(patience=1.0):
                raise self.ended() from None
            raise

    def wait(self, future):
        last = time.monotonic() + self.timeout
        while not future.done():
            if ended := self.ended():
                raise ended
            if time.monotonic() > last:
                raise Gone(f"no answer within {self.timeout:g} seconds")
            time.sleep(PAUSE)
        return future.result()

    def ended(self, patience: float = 0.0) -> Gone | None:
        """What can be said of a process that has ended."""
        try:
            status = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        return Gone(f"its process was ended by signal {-status}" if status < 0 else f"its process ended with {status}")


class Seat:
    """In a worker: a client, made there of its own file. What fails is printed there, and ``None`` is said of it."""

    def __init__(self, method: Federation, file: str, seed: int | None):
        self.method, self.file, self.seed = method, file, seed
        self.client: Client | None = None

    def send(self) -> bytes | None:
        return quietly(lambda: self.there().send())

    def receive(self, answer: bytes) -> bool | None:
        return quietly(lambda: self.there().receive(answer) is None)

    def write(self, path: str) -> bool | None:
        return quietly(lambda: save_vectors(self.there().embeddings(), path).is_file())

    def there(self) -> Client:
        if self.client is None:
            self.client = self.method.client(load_part(self.file), coins(self.seed))
        return self.client


def quietly(what: Callable):
    try:
        return what()
    except Exception:
        traceback.print_exc()


class Desk:
    """In a worker: the server, which sees messages only."""

    def __init__(self, method: Federation, seed: int):
        self.server = method.server(seeded(seed))

    def combine(self, messages: Mapping[int, bytes]) -> Round:
        return self.server.combine(messages)
