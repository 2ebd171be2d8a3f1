"""Runs in the box: a student's cells one after the other in a kernel, and after them the questions of the grader.

Reads one request (JSON) from the standard input: ``cells``, each a text, [part, name, calls] or [name], an answer that
is to be kept for a later question, ``seconds`` of the processor that a cell may use, ``patience``, how many times as
long it may take by the clock, ``idle``, how many seconds it may only wait, ``tasks``, how many processes and threads
there may be, ``mime``, the type under which an answer is shown, and ``seal``. Writes a line for each cell as soon as it
ended, so that what was there before a crash counts; nothing of what is shown while a question is asked. Whatever comes
out is taken for what it is, a student's word: no mark is given in here.
A student's program can write to the same pipe. Therefore each line begins with the seal, which it does not know, and
neither this process's files nor its memory are open to it: in a second run it could answer with what is ours.
It is run by its path and imports nothing of the library, which the kernel alone needs: torch takes seconds.
"""

import ctypes
import json
import resource
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty

import psutil
from jupyter_client import KernelManager

SHOWN = 20_000  # characters of a cell's output
PICTURE = 400_000  # of a picture, in base64
QUESTION = "__import__('privgraph.teach', fromlist=['tell']).tell(globals(), {name!r}, {calls!r})"
NOT_DUMPABLE = 4  # PR_SET_DUMPABLE
LOOK = 0.2  # seconds between two looks at what a cell has used
STARTING = 120.0  # seconds of the processor for what comes before the first cell
KEEP = "__import__('privgraph.teach', fromlist=['hold']).hold(globals(), {name!r})"
HEAD = "%matplotlib inline\nimport torch, privgraph.teach"  # takes seconds, which no cell should pay for


class Waiting:
    """Whether somebody has only waited: used less than a hundredth of the processor for so many seconds by the clock.

    On a machine with a hundred others at work one is given more than that.
    """

    def __init__(self, seconds: float, used: float = 0.0):
        self.seconds, self.since, self.used = seconds, time.monotonic(), used

    def __call__(self, used: float) -> bool:
        """:param used: seconds of the processor up to now."""
        if (now := time.monotonic()) < self.since + self.seconds:
            return False
        waited = used - self.used < (now - self.since) / 100
        self.since, self.used = now, used
        return waited


class Outputs:
    """What a cell showed: text up to a limit, small pictures, no markup."""

    def __init__(self, mime: str):
        self.mime, self.shown, self.room, self.answer, self.late = mime, [], SHOWN, None, False

    def add(self, kind: str, content: dict) -> None:
        if kind == "stream":
            self.text(content["name"], content["text"])
        elif kind == "error":
            self.text("error", f"{content['ename'][:SHOWN]}: {content['evalue'][:SHOWN]}\n")
        elif kind in ("execute_result", "display_data"):
            data = content["data"]
            self.answer = data.get(self.mime, self.answer)
            image = data.get("image/png")
            if isinstance(image, str) and len(image) <= PICTURE:
                self.shown.append(["image/png", image])
            elif self.mime not in data:
                self.text("result", str(data.get("text/plain", "")) + "\n")

    def text(self, name: str, text: str) -> None:
        if self.room > 0:
            self.shown.append([name, text[:self.room] + ("\n..." if len(text) > self.room else "")])
            self.room -= len(text)


def run_cell(manager: KernelManager, client, request: dict, code: str, seconds: float) -> Outputs:
    """Run one cell; a note stands in its outputs where it took too long or ended the kernel."""
    outputs, late = Outputs(request["mime"]), too_long(manager, seconds, request["patience"], request["idle"])
    asked = client.execute(code, allow_stdin=False, stop_on_error=False)
    while not (note := late()):
        try:
            message = client.get_iopub_msg(timeout=LOOK)
        except Empty:
            if not manager.is_alive():
                outputs.text("error", "the kernel ended here\n")
                return outputs
            continue
        if message["parent_header"].get("msg_id") == asked:
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return outputs
            outputs.add(message["msg_type"], message["content"])
    outputs.text("error", note)
    outputs.late = True
    manager.interrupt_kernel()
    return outputs


def too_long(manager: KernelManager, seconds: float, patience: float, idle: float) -> Callable[[], str]:
    """A function that says what a cell which begins now has used too much of; it looks now and then."""
    before, begun, looked = spent(manager), time.monotonic(), time.monotonic()
    only_waited = Waiting(idle, before)

    def note() -> str:
        nonlocal looked
        if (now := time.monotonic()) < looked + LOOK:
            return ""
        looked, used = now, spent(manager)
        if used - before > seconds:
            return f"stopped after {seconds:g} seconds\n"
        if only_waited(used):
            return f"stopped: it only waited, for {idle:g} seconds\n"
        late = now - begun > patience * seconds
        return f"stopped after {patience * seconds:g} seconds by the clock\n" if late else ""
    return note


def spent(manager: KernelManager) -> float:
    """Seconds of the processor that the kernel has used, with all that it started."""
    seconds = 0.0
    with suppress(psutil.Error):  # it has ended
        kernel = psutil.Process(manager.provisioner.pid)
        for each in [kernel, *kernel.children(recursive=True)]:
            with suppress(psutil.Error):
                seconds += sum(each.cpu_times()[:4])  # with its children's that have ended
    return seconds


def run(request: dict, write) -> None:
    """Run all cells of a request, and write what each gave.

    Where a cell ends the kernel, all others run once more without it: what is asked at the end would be lost otherwise.
    """
    cells = request["cells"]
    ended_by = run_cells(request, cells, write)
    if ended_by is not None:
        run_cells(request, cells[:ended_by] + cells[ended_by + 1:], write, silent=ended_by)


def run_cells(request: dict, cells: list, write, silent: int = 0) -> int | None:
    """Run cells in a new kernel; the number of the cell that ended it, if one did.

    :param silent: as many cells were written before.
    """
    manager = KernelManager(kernel_name="python3", transport="ipc", connection_file=f"kernel-{len(cells)}.json")
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=request["patience"] * STARTING)
    run_code = partial(run_cell, manager, client, request)
    run_code(HEAD, STARTING)
    ended_by = None
    for number, cell in enumerate(cells):
        said = told(run_code, cell, request["seconds"])
        if said and number >= silent:
            write(said)
        if not manager.is_alive():
            ended_by = number
            break
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    return ended_by


def told(run_code: Callable[[str, float], Outputs], cell, seconds: float) -> dict:
    """What a cell or question gave; nothing of an answer that is only kept."""
    if isinstance(cell, str):
        ran = run_code(cell, seconds)
        return {"outputs": ran.shown, "late": ran.late}
    if len(cell) == 1:
        run_code(KEEP.format(name=cell[0]), seconds)
        return {}
    part, name, calls = cell
    ran = run_code(QUESTION.format(name=name, calls=calls), seconds)
    return {"part": part, "answer": ran.answer, "late": ran.late}


def closed() -> None:
    """Take from other processes of the same user the right to look into this one; where Linux is not, nothing."""
    with suppress(AttributeError):
        ctypes.CDLL(None).prctl(NOT_DUMPABLE, 0)


def limited(tasks: int | None) -> None:
    """Let the kernel refuse more processes and threads than these: whoever looks now and then may see them too late.

    Since Linux 5.14 those of this box are counted, and before that all of the user's: then it is left as it was. Root's
    are never refused.
    """
    before = resource.getrlimit(resource.RLIMIT_NPROC)
    if tasks is None or before[1] != resource.RLIM_INFINITY and before[1] < tasks:
        return
    resource.setrlimit(resource.RLIMIT_NPROC, (tasks, before[1]))
    try:
        threading.Thread(target=int).start()
    except RuntimeError:
        resource.setrlimit(resource.RLIMIT_NPROC, before)
    else:
        resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))


if __name__ == "__main__":
    closed()
    asked = json.load(sys.stdin)
    limited(asked["tasks"])
    run(asked, lambda line: print(f"{asked['seal']} {json.dumps(line)}", flush=True))
