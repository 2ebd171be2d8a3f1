"""The processes that do the runs: they use one thread, and none outlives the command that started it."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import joblib
import torch

from privgraph.processes import terminable

WATCH = 1.0  # seconds between two looks at whether the parent lives


@contextmanager
def parallel(workers: int, dask: str | None) -> Iterator[tuple[joblib.Parallel, int]]:
    """joblib's processes, or the same interface in front of a Dask cluster; and how many runs go on at a time."""
    settings = dict(return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")
    if dask is None:
        guarded = dict(initializer=die_with, initargs=(os.getpid(),)) if workers > 1 else {}
        with terminable():
            yield joblib.Parallel(n_jobs=workers, **settings, **guarded), workers
        return
    from dask.distributed import Client  # takes a second to import
    with terminable(), Client(dask, set_as_default=False) as client, joblib.parallel_config("dask", client=client):
        yield joblib.Parallel(n_jobs=-1, **settings), joblib.effective_n_jobs(-1)


@contextmanager
def one_thread() -> Iterator[None]:
    """So that a run gives the same wherever it runs, seconds are those of one core, and workers do not compete."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def die_with(parent: int) -> None:
    """Let this process end within seconds of its parent, however that ends: a killed one can tell nobody."""
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()
