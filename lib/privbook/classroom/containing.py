"""The box in which a submission runs: no network, nothing to write to, no files but the library, and limits.

With bubblewrap (Linux): a file system of its own, in which Python and the library can be read and a small folder in
memory can be written; no network; none of the machine's processes; all of it ends when the grader says so. Without it
there are limits and a process group only, which contain mistakes and not malice: the teacher must say so in words.
What comes out is a pipe of text, cut off when it is too long.
"""

import json
import os
import resource
import secrets
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from privgraph.teach.handing_in import MIME
from privgraph.teach.seeds import GRADED

from .calls import program
from .inside import Waiting

LIBRARY, INSIDE = Path(__file__).resolve().parents[2], Path(__file__).resolve().with_name("inside.py")
POLL = 0.1  # seconds between two looks at the processes
MEGABYTE = 2**20
SCRATCH, SHARED = 256 * MEGABYTE, 64 * MEGABYTE  # bytes in files, which are memory that no process is seen to have
NOBODY = "65534"


@dataclass(frozen=True)
class Limits:
    """What a submission may use.

    Seconds are the processor's, with those of all its processes: by the clock they would be other people's as well, and
    on a busy machine an honest submission would not be done in time.

    :param seconds: for all of it.
    :param cell_seconds: for one cell.
    :param patience: times as many seconds by the clock, after which a submission or cell is ended in any case.
    :param idle: seconds by the clock after which a cell is ended that only waits, and a submission after three times
        as many.
    :param megabytes: of memory, for all its processes together.
    :param processes: at once.
    :param tasks: processes and threads at once, which the kernel refuses; with room for those of the kernel's own.
    :param output: bytes of text that are read.
    :param marking: seconds for what the grader itself does with what came out.
    """

    seconds: float = 300.0
    cell_seconds: float = 60.0
    patience: float = 10.0
    idle: float = 60.0
    megabytes: int = 4096
    processes: int = 40
    tasks: int = 300
    output: int = 20 * MEGABYTE
    marking: float = 120.0


LIMITS = Limits()


@dataclass(frozen=True)
class Executed:
    """What came out of the box: its lines; why it was ended, if it was; why it could not be run, if it could not.

    :param ours: parts in whose place our own answers were put when it ran again.
    :param again: the lines that came out then."""

    lines: list[dict]
    ended: str = ""
    failed: str = ""
    ours: Sequence[str] = ()
    again: Sequence[dict] = ()

    @property
    def late(self) -> bool:
        """Whether it may end otherwise on a machine that does nothing else."""
        return bool(self.ended or self.failed or any(line.get("late") for line in self.lines))


def available() -> str:
    """Why submissions cannot be contained here; nothing if they can."""
    if not shutil.which("bwrap"):
        return "bubblewrap (bwrap) is not installed"
    with filtered() as calls:
        tried = subprocess.run([*box(Path("/tmp"), calls), "true"], capture_output=True, text=True, pass_fds=[calls])
    return f"bubblewrap does not work here: {tried.stderr.strip()}" if tried.returncode else ""


@contextmanager
def filtered() -> Iterator[int]:
    """A descriptor from which the box reads which calls of the system it refuses."""
    with tempfile.TemporaryFile() as file:
        file.write(program()), file.seek(0)
        yield file.fileno()


def box(scratch: Path, calls: int) -> list[str]:
    """The command that puts what follows it into the box.

    :param scratch: the only folder there that can be written.
    :param calls: from ``filtered``; what follows needs it as well.
    """
    readable = {"/usr", "/etc/fonts", "/etc/ld.so.cache", sys.prefix, sys.base_prefix, str(LIBRARY),
                *site.getsitepackages()}
    folders = [arguments for place in sorted(readable) if os.path.exists(place)
               for arguments in ("--ro-bind", place, place)]
    links = [word for name in ("bin", "lib", "lib64") if os.path.islink(f"/{name}")
             for word in ("--symlink", f"usr/{name}", f"/{name}")]
    real = [word for name in ("bin", "lib", "lib64") if os.path.isdir(f"/{name}") and not os.path.islink(f"/{name}")
            for word in ("--ro-bind", f"/{name}", f"/{name}")]
    refused = ["--seccomp", str(calls)] if program() else []
    return ["bwrap", "--unshare-all", "--unshare-user", "--uid", NOBODY, "--gid", NOBODY, "--cap-drop", "ALL", *refused,
            "--die-with-parent", "--new-session", "--clearenv", *folders, *links, *real, "--proc", "/proc",
            "--dev", "/dev", "--size", str(SHARED), "--tmpfs", "/dev/shm",
            "--size", str(SCRATCH), "--perms", "0700", "--tmpfs", str(scratch),
            "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(scratch)]


def environment(student: str, home: str) -> dict[str, str]:
    return {"HOME": home, "PATH": f"{sys.prefix}/bin:/usr/bin:/bin", "TMPDIR": home, "LANG": "C.UTF-8", GRADED: student,
            "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "PYTHONDONTWRITEBYTECODE": "1",
            "IPYTHONDIR": home, "MPLCONFIGDIR": home, "PYTHONPATH": str(LIBRARY),
            "JUPYTER_PATH": f"{sys.prefix}/share/jupyter"}


def limit(limits: Limits) -> None:
    """In the child: limits of each of its processes."""
    most = limits.megabytes * MEGABYTE
    for kind, value in ((resource.RLIMIT_AS, most), (resource.RLIMIT_CPU, int(limits.seconds) + 5),
                        (resource.RLIMIT_FSIZE, 64 * MEGABYTE), (resource.RLIMIT_CORE, 0),
                        (resource.RLIMIT_NOFILE, 512)):
        resource.setrlimit(kind, (value, value))


def run_contained(cells: list, student: str, limits: Limits = LIMITS, *, contained: bool = True) -> Executed:
    """Run cells (see ``inside``) and read what they tell.

    :param contained: in the box; without it in a process group of its own, in a folder that is removed.
    """
    seal = secrets.token_hex(16)
    request = json.dumps({"cells": cells, "seconds": limits.cell_seconds, "patience": limits.patience,
                          "idle": limits.idle, "mime": MIME, "seal": seal,
                          "tasks": limits.tasks if contained else None})
    with tempfile.TemporaryDirectory() as folder, filtered() as calls:
        scratch = Path("/scratch") if contained else Path(folder)
        said = environment(student, str(scratch))
        command = [sys.executable, "-P", str(INSIDE)]  # -P: what lies beside it is not in its way
        if contained:
            names = [word for name, value in said.items() for word in ("--setenv", name, value)]
            command = [*box(scratch, calls), *names, *command]
        with subprocess.Popen(command, cwd=folder, env=said, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, start_new_session=True, pass_fds=[calls],
                              preexec_fn=lambda: limit(limits)) as child:
            return watch(child, request, limits, seal)


def watch(child: subprocess.Popen, request: str, limits: Limits, seal: str = "") -> Executed:
    """Read what the child tells until it ends, or uses more than it may.

    :param seal: of ``parse``.
    """
    received = bytearray()
    reader = threading.Thread(target=read, args=(child, received, limits.output), daemon=True)
    writer = threading.Thread(target=write, args=(child, request), daemon=True)
    reader.start(), writer.start()
    end, ended, waiting = time.monotonic() + limits.patience * limits.seconds, "", Waiting(3 * limits.idle)
    with urgent():
        while child.poll() is None and not ended:
            ended = excess(child, limits, len(received), end, waiting)
            time.sleep(POLL)
        kill(child)
    reader.join(10)
    return Executed(list(parse(bytes(received), seal)), ended)


@contextmanager
def urgent() -> Iterator[None]:
    """This thread goes before all others, where the system lets it: thousands of processes would keep it from the
    processor. Root is let, and needs it, as the kernel refuses root no process; others have ``Limits.tasks``."""
    if not hasattr(os, "sched_setscheduler"):
        yield
        return
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(os.sched_get_priority_min(os.SCHED_FIFO)))
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


def excess(child: subprocess.Popen, limits: Limits, received: int, end: float, waiting: Waiting) -> str:
    """What of the limits is exceeded, in words."""
    processes = family(child)
    memory, used = sum(resident(process) for process in processes) / MEGABYTE, sum(map(spent, processes))
    if used > limits.seconds:
        return f"stopped after {limits.seconds:g} seconds"
    if waiting(used):
        return f"stopped: it only waited, for {waiting.seconds:g} seconds"
    if time.monotonic() > end:
        return f"stopped after {limits.patience * limits.seconds:g} seconds by the clock"
    if len(processes) > limits.processes:
        return f"stopped: more than {limits.processes} processes"
    if memory + (SCRATCH + SHARED) / MEGABYTE > limits.megabytes:  # files, whether they are there or not
        return f"stopped: more than {limits.megabytes} MB of memory"
    return "stopped: too much output" if received >= limits.output else ""


def family(child: subprocess.Popen) -> list[psutil.Process]:
    try:
        top = psutil.Process(child.pid)
        return [top, *top.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def spent(process: psutil.Process) -> float:
    """Seconds of the processor that it used, and those of its children that have ended."""
    try:
        return sum(process.cpu_times()[:4])
    except psutil.Error:
        return 0.0


def resident(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.Error:
        return 0


def kill(child: subprocess.Popen) -> None:
    """End the child and all that it started; in the box that is certain, as its first process takes all along."""
    for process in [child, *family(child)[1:]]:
        try:
            process.kill()
        except (psutil.Error, ProcessLookupError):
            pass
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()


def read(child: subprocess.Popen, received: bytearray, most: int) -> None:
    while len(received) < most and (piece := child.stdout.read1(65536)):
        received += piece


def write(child: subprocess.Popen, request: str) -> None:
    try:
        child.stdin.write(request.encode()), child.stdin.close()
    except BrokenPipeError:
        pass


def parse(received: bytes, seal: str) -> Iterator[dict]:
    """The lines that are what they should be; a student may have written others.

    :param seal: how a line begins that is the box's own.
    """
    for line in received.splitlines():
        if not line.startswith(seal.encode()):
            continue
        try:
            found = json.loads(line[len(seal):])
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found
