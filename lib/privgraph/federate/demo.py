"""All of a federation on one machine: the server in this process, each client in one of its own, sockets in between."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ..checks import check_count, check_positive
from ..methods import Federation, Round
from ..methods.spent import refuse_seed
from ..processes import end_with_parent
from ..randomness import coins, draw_seed, seed_of, seeded
from .part_files import save_parts, save_vectors
from .sockets import join, serve
from .wire import listen

if TYPE_CHECKING:
    from torch_geometric.data import Data


def in_processes(method: Federation, data: Data, generator: torch.Generator, folder, *, timeout: float = 600.0,
                 tell: Callable[[str], None] = print) -> Iterator[Round]:
    """``Federation.run`` with each client in a process of its own; the same bytes are exchanged.

    No process outlives the rounds, nor the process that called this.

    :param folder: where each client finds its part and leaves its vectors, ``client-0.npy`` and so on. Who was left
        out of the last round is not waited for.
    :param timeout: and ``tell``: as in ``serve``.
    """
    check_positive(timeout, "timeout"), check_count(method.rounds, "rounds", low=1)
    refuse_seed(seed_of(generator))
    server = seeded(draw_seed(generator))  # in the order of ``Federation.run``
    parts, seeds = zip(*method.parts_and_seeds(data, generator), strict=True)
    for part in parts:
        method.check_own(part)
    with listen("127.0.0.1", 0, len(parts)) as door, ExitStack() as ends:
        clients = [begin(ends, method, path, door.getsockname(), seed)
                   for path, seed in zip(save_parts(parts, folder), seeds, strict=True)]
        for told in serve(method, door, len(parts), server, timeout=timeout, tell=tell):
            yield told
        for number in told.replies:
            clients[number].join(timeout)


def begin(ends: ExitStack, *what) -> multiprocessing.Process:
    """A process that sits as a client.

    It is a fork of a process that has imported the library once for all and does nothing else: a fork of this one
    would inherit threads' locks, and nobody to open them.
    """
    warm = multiprocessing.get_context("forkserver")
    warm.set_forkserver_preload([__name__])
    process = warm.Process(target=sit, args=what, name="client", daemon=True)
    process.start()
    ends.callback(process.join), ends.callback(process.kill)  # the last comes first
    return process


def sit(method: Federation, path: Path, where: tuple[str, int], seed: int | None) -> None:
    """A client from beginning to end. What fails is printed here, and nowhere else."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this one
    torch.set_num_threads(1)
    try:
        client = join(method, path, *where, coins(seed), tell=lambda line: None)
        save_vectors(client.embeddings(), path.with_suffix(".npy"))
    except (ValueError, OSError) as error:
        sys.exit(f"{path.stem}: {error}")
