"""Run a command whose notebooks start warm: their kernels are forked from a process that has imported the packages.

    tools/warm.py COMMAND ARGUMENT ...

The packages that nearly every chapter needs take four seconds of processor time to import, and there are some forty
chapters. Here one process, the nursery, imports them once; each kernel is a fork of it, in which no other chapter ran,
and imports the library itself. To Jupyter it looks like any kernel: `JUPYTER_PATH` has a "python3" whose program asks
the nursery for a kernel, passes on what it is sent, and ends when the kernel does.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path

# Of other people only: a chapter that forgets to import a part of the library must fail here as it does for a reader.
PACKAGES = ("torch", "torch_geometric.nn", "torch_geometric.datasets", "dp_accounting.pld.privacy_loss_distribution",
            "scipy.stats", "scipy.optimize", "sklearn.datasets", "sklearn.linear_model", "sklearn.manifold",
            "networkx", "matplotlib.pyplot")
CELL, PAGE = 120, 180  # seconds of processor time that a cell may use, and that all cells of a page may
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
    count_seconds(application.shell)
    application.start()
    os._exit(0)


def count_seconds(shell) -> None:
    """End a cell that uses more of the processor than ``CELL``, or with those before it more than ``PAGE``.

    Seconds by the clock would be other people's as well: on a machine that is busy nothing would ever end in time.
    """
    def too_long(*signalled):
        raise TimeoutError(f"a cell may use {CELL} s of the processor, and a page {PAGE} s")

    begun = []  # the processor's seconds at the start of each cell; of children too, once they have ended

    def start(_):
        begun.append(sum(os.times()[:4]))
        signal.setitimer(signal.ITIMER_PROF, max(min(CELL, begun[0] + PAGE - begun[-1]), 0.001))
    signal.signal(signal.SIGPROF, too_long)
    shell.events.register("pre_run_cell", start)
    shell.events.register("post_run_cell", lambda _: signal.setitimer(signal.ITIMER_PROF, 0))


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
