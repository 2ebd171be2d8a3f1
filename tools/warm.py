"""Run a command whose notebooks start warm: their kernels are forked from a process that has imported the packages.

    tools/warm.py COMMAND ARGUMENT ...

The packages that nearly every chapter needs take four seconds of processor time to import, and there are some forty
chapters. Here one process, the nursery, imports them once; each kernel is a fork of it, in which no other chapter ran,
and imports the library itself. To Jupyter it looks like any kernel: `JUPYTER_PATH` has a "python3" whose program asks
the nursery for a kernel, passes on what it is sent, and ends when the kernel does.

A kernel counts what its page costs, ends a cell or page that costs too much, and writes down what the page has read
(`Page`): into the file that `PAGE_RECORD` names, after each cell.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path

# Of other people only: a chapter that forgets to import a part of the library must fail here as it does for a reader.
PACKAGES = ("torch", "torch_geometric.nn", "torch_geometric.datasets", "dp_accounting.pld.privacy_loss_distribution",
            "scipy.stats", "scipy.optimize", "sklearn.datasets", "sklearn.linear_model", "sklearn.manifold",
            "networkx", "matplotlib.pyplot")
CELL, PAGE = 30, 60  # seconds of the processor that a cell and a page may use, with all their processes
SLOWER = 3  # on a machine that is so much slower the book is built, too: only what uses more than this is ended
LOOK = 1.0  # seconds between two looks at what is used
AGAIN = 10  # looks after which a cell that went on all the same is told again: its end takes a moment, too
BOOK = str(Path(__file__).resolve().parents[1]) + os.sep
STREAMS = (0, 1, 2)  # a process's input, output and errors


def ask(address: str, arguments: list[str]) -> None:
    """What Jupyter starts in a kernel's place. It imports nothing large, and waits."""
    with socket.socket(socket.AF_UNIX) as nursery:
        nursery.connect(address)
        socket.send_fds(nursery, [b" "], STREAMS)
        nursery.sendall(json.dumps([arguments, os.getcwd(), dict(os.environ)]).encode() + b"\n")
        kernel = int(nursery.makefile().readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(kernel, number))
        nursery.recv(1)  # nothing ever comes: this returns when the kernel has ended


def nurse(door: socket.socket, parent: int) -> None:
    """Import the packages, then fork a kernel for each that asks, as long as there is somebody who may ask."""
    # Both are read at import: what matplotlib draws with in a kernel, and with whom a kernel ends.
    os.environ.update(MPLBACKEND="module://matplotlib_inline.backend_inline", JPY_PARENT_PID=str(os.getpid()))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when it is over
    sys.path[:] = [folder for folder in sys.path if folder != str(Path(__file__).parent)]
    for name in (*PACKAGES, "ipykernel.kernelapp"):
        __import__(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the kernels, so the system need not keep them
    door.settimeout(1)
    while os.getppid() == parent:  # another one, where the parent was killed
        try:
            client, _ = door.accept()
        except TimeoutError:
            continue
        if os.fork() == 0:
            door.close()
            become_kernel(client)
        client.close()


def become_kernel(client: socket.socket) -> None:
    """In the fork: take over the client's streams, folder and environment, and be its kernel to the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()  # what is typed at a terminal is for Jupyter, as with its own kernels
    _, streams, _, _ = socket.recv_fds(client, 1, len(STREAMS))
    for mine, theirs in zip(STREAMS, streams, strict=True):
        os.dup2(theirs, mine)
        os.close(theirs)
    arguments, folder, environment = json.loads(client.makefile().readline())
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    client.sendall(f"{os.getpid()}\n".encode())
    threading.Thread(target=end_with, args=(client,), daemon=True).start()
    from ipykernel.kernelapp import IPKernelApp
    application = IPKernelApp.instance()
    application.initialize(arguments)
    Page(os.environ.get("PAGE_RECORD")).begin(application.shell)
    application.start()
    os._exit(0)


class Page:
    """What the page in this kernel uses.

    Seconds by the clock would be other people's as well: on a machine that is busy nothing would ever end in time.

    :param record: the file that says it: ``cells``, the seconds of each; ``files``, what of the book's folder was
        opened or listed for reading; ``graphs``, those that were asked for, at hand or not; ``children``, whether
        processes were started, of which nobody knows what they read.
    """

    def __init__(self, record: str | None):
        self.record, self.cells, self.begun, self.spent = record, [], None, spent()
        self.files, self.graphs = set(), set()

    def begin(self, shell) -> None:
        signal.signal(signal.SIGXCPU, self.too_long)
        shell.events.register("pre_run_cell", self.begin_cell)
        shell.events.register("post_run_cell", self.end_cell)
        sys.addaudithook(self.hear)
        threading.Thread(target=self.watch, daemon=True).start()

    def begin_cell(self, _) -> None:
        self.begun = spent()

    def end_cell(self, _) -> None:
        begun, self.begun = self.begun, None  # first of all: from here on it is not too long
        self.cells.append(spent() - begun)
        if self.record:
            told = {"cells": self.cells, "files": sorted(self.files), "graphs": sorted(self.graphs),
                    "children": bool(below()) or sum(os.times()[2:4]) > 0}
            Path(self.record).write_text(json.dumps(told))

    def hear(self, event: str, arguments: tuple) -> None:
        """Python says what it does (``sys.addaudithook``); the library, which graph it looks for."""
        if event == "open" and not writes(*arguments[1:]) or event in ("os.listdir", "os.scandir"):
            with suppress(TypeError):  # an open file, which was opened before
                path = os.path.abspath(os.fsdecode(arguments[0]))
                if path.startswith(BOOK):
                    self.files.add(path.removeprefix(BOOK))
        elif event == "privgraph.graph":
            self.graphs.add(arguments[0])

    def watch(self) -> None:
        while True:
            time.sleep(LOOK)
            now, begun = spent(), self.begun
            page = now - self.spent > SLOWER * PAGE
            if page or begun is not None and now - begun > SLOWER * CELL:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGXCPU)
                for child in below():  # they would go on without the cell
                    with suppress(ProcessLookupError):
                        child.kill()
                if begun is not None:
                    time.sleep(AGAIN * LOOK)

    def too_long(self, *signalled) -> None:
        if self.begun is not None:
            raise TimeoutError(f"a cell may use {CELL} s of the processor and a page {PAGE} s, on a slow machine "
                               f"{SLOWER} times as much")


def writes(mode: str | None, flags: int) -> bool:
    """Whether a file is opened to be written; ``os.open`` gives no mode."""
    return bool(flags & (os.O_WRONLY | os.O_RDWR)) if mode is None else bool(set(mode) & set("wax"))


def below() -> list:
    """The processes that this one has started, and those that they have."""
    try:  # psutil asks for each process of the machine, which takes seconds in a thread beside a cell that computes
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return []
    import psutil  # as ipykernel does; not above, where `ask` would import it
    return psutil.Process().children(recursive=True)


def spent() -> float:
    """Seconds of the processor that this process and all below it have used, with those that have ended."""
    seconds = sum(os.times()[:4])
    for child in below():
        with suppress(Exception):  # it has ended, and is among those that have
            seconds += sum(child.cpu_times()[:4])
    return seconds


def end_with(client: socket.socket) -> None:
    """A kernel whose client was killed ends as well."""
    client.recv(1)
    os._exit(1)


def describe(folder: Path, address: str) -> None:
    """Ipykernel's own description of its kernel with another program, where Jupyter looks first."""
    from ipykernel.kernelspec import get_kernel_dict  # not above, where `ask` would import it
    home = folder / "kernels" / "python3"
    home.mkdir(parents=True)
    argv = [sys.executable, "-S", str(Path(__file__).resolve()), "--ask", address, "-f", "{connection_file}"]
    (home / "kernel.json").write_text(json.dumps({**get_kernel_dict(), "argv": argv}))


def main(command: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as door:
        address = str(Path(folder) / "nursery")
        door.bind(address)
        door.listen()
        describe(Path(folder), address)
        parent = os.getpid()
        if (nursery := os.fork()) == 0:
            try:
                nurse(door, parent)
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(1)  # the folder and the rest of this function are the parent's
        door.close()  # who asks where the nursery failed is refused, and need not wait
        paths = [folder, *filter(None, [os.environ.get("JUPYTER_PATH")])]
        try:
            return subprocess.run(command, env={**os.environ, "JUPYTER_PATH": os.pathsep.join(paths)}).returncode
        finally:
            os.kill(nursery, signal.SIGKILL)
            os.waitpid(nursery, 0)


if __name__ == "__main__":
    if sys.argv[1] == "--ask":
        ask(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(main(sys.argv[1:]))
