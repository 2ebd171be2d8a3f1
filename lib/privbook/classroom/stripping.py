"""What a large notebook shows, its outputs and pasted pictures, left out before anybody looks at its size.

A file that was made to unfold fills a process of its own, which has a limit.
"""

import resource
import subprocess
import sys

LARGEST = 20_000_000  # bytes of a notebook without what it shows
MEMORY, SECONDS = 3 * 2**30, 60  # for taking it apart
STRIP = """
import json, sys
found = json.load(sys.stdin.buffer)
for cell in found["cells"]:
    cell.pop("outputs", None), cell.pop("attachments", None)
json.dump(found, sys.stdout)
"""


def without_outputs(content: bytes) -> bytes:
    """A notebook's file without what it shows, if it is a large one.

    :raises ValueError: if it is no notebook, or too large all the same.
    """
    if len(content) <= LARGEST:
        return content
    done = subprocess.run([sys.executable, "-I", "-S", "-c", STRIP], input=content, capture_output=True,
                          preexec_fn=limit)
    if done.returncode:
        raise ValueError(f"it has more than {LARGEST:,} bytes, and its outputs cannot be taken out")
    if len(done.stdout) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes without its outputs")
    return done.stdout


def limit() -> None:
    """In the child."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
