"""Runs in the box: a student's cells one after the other in a kernel, and after them the questions of the grader.

Reads one request (JSON) from the standard input: ``cells``, each a text or [part, name, calls], and ``seconds`` that a
cell may take. Writes a line of JSON for each cell as soon as it ended, so that what was there before a crash counts.
Whatever comes out is taken for what it is, a student's word: no mark is given in here.
"""

import json
import sys
import time
from queue import Empty

from jupyter_client import KernelManager

from privgraph.teach.telling import MIME

SHOWN = 20_000  # characters of a cell's output
PICTURE = 400_000  # of a picture, in base64
QUESTION = "__import__('privgraph.teach', fromlist=['tell']).tell(globals(), {name!r}, {calls!r})"
HEAD = "%matplotlib inline\nimport torch, privgraph.teach"  # takes seconds, which no cell should pay for


class Outputs:
    """What a cell showed: text up to a limit, small pictures, no markup."""

    def __init__(self):
        self.shown, self.room, self.answer = [], SHOWN, None

    def add(self, kind: str, content: dict) -> None:
        if kind == "stream":
            self.text(content["name"], content["text"])
        elif kind == "error":
            self.text("error", f"{content['ename']}: {content['evalue']}\n")
        elif kind in ("execute_result", "display_data"):
            data = content["data"]
            self.answer = data.get(MIME, self.answer)
            image = data.get("image/png")
            if isinstance(image, str) and len(image) <= PICTURE:
                self.shown.append(["image/png", image])
            elif MIME not in data:
                self.text("result", str(data.get("text/plain", "")) + "\n")

    def text(self, name: str, text: str) -> None:
        if self.room > 0:
            self.shown.append([name, text[:self.room] + ("\n..." if len(text) > self.room else "")])
            self.room -= len(text)


def run_cell(manager: KernelManager, client, code: str, seconds: float) -> Outputs:
    """Run one cell; a note stands in its outputs where it took too long or ended the kernel."""
    outputs, end = Outputs(), time.monotonic() + seconds
    asked = client.execute(code, allow_stdin=False, stop_on_error=False)
    while time.monotonic() < end:
        try:
            message = client.get_iopub_msg(timeout=0.2)
        except Empty:
            if not manager.is_alive():
                outputs.text("error", "the kernel ended here\n")
                return outputs
            continue
        if message["parent_header"].get("msg_id") == asked:
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return outputs
            outputs.add(message["msg_type"], message["content"])
    outputs.text("error", f"stopped after {seconds:g} seconds\n")
    manager.interrupt_kernel()
    return outputs


def run(request: dict, write) -> None:
    """Run all cells of a request, and write what each gave."""
    manager = KernelManager(kernel_name="python3", transport="ipc", connection_file="kernel.json")
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    run_cell(manager, client, HEAD, 120)
    for cell in request["cells"]:
        if not manager.is_alive():
            break
        if isinstance(cell, str):
            write({"outputs": run_cell(manager, client, cell, request["seconds"]).shown})
        else:
            part, name, calls = cell
            told = run_cell(manager, client, QUESTION.format(name=name, calls=calls), request["seconds"])
            write({"part": part, "answer": told.answer})
    manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    run(json.load(sys.stdin), lambda line: print(json.dumps(line), flush=True))
