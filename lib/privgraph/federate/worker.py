"""A process of Dask: ``python -m privgraph.federate.worker PARENT scheduler``, or ``PARENT ADDRESS NAME FOLDER``.

It listens on 127.0.0.1 only, uses one thread, and ends with its parent, whose number it is told.
"""

import asyncio
import logging
import sys

import torch
from distributed import Scheduler, Worker

from ..processes import die_with

HERE = dict(host="127.0.0.1", dashboard=False, dashboard_address="127.0.0.1:0")


async def scheduler() -> None:
    async with Scheduler(port=0, **HERE) as running:
        print(running.address, flush=True)
        await running.finished()


async def worker(address: str, name: str, folder: str) -> None:
    async with Worker(address, name=name, nthreads=1, memory_limit=0, local_directory=folder, **HERE) as running:
        await running.finished()


if __name__ == "__main__":
    parent, *words = sys.argv[1:]
    die_with(int(parent))  # told by the parent: it may be gone before this line is reached
    torch.set_num_threads(1)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    asyncio.run(scheduler() if words == ["scheduler"] else worker(*words))
