"""The clients and the server of a federation in separate processes, which exchange bytes.

Its modules::

    part_files      a client's part of a graph as a file of its own
    wire            messages over a socket, with TLS or without
    remote_clients  who sits where, and how long each is waited for
    reception       the door: greetings side by side
    memory          what a client keeps, so that it can come back
    sockets         a server and clients that people start themselves, here or on several machines
    demo            all of it on this machine, with a process for each client
    flower          the same as an app of Flower
"""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from .part_files import load_part, save_parts
    from .sockets import alone, join, serve
    from .wire import TLSFiles, listen
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["TLSFiles", "alone", "join", "listen", "load_part", "save_parts", "serve"]
