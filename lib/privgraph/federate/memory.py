"""What a client keeps beside its part, so that it can be ended and come back: readable by its owner alone.

Above all the noise that it drew. A client that is started anew and draws its noisy graph again has answered twice for
the same edges, and has spent twice what its guarantee says; so the graph, and the message that was sent last, are
written before anything leaves. Tensors, numbers and text: reading the file runs no code.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ..methods import Client, Federation
from ..methods.files import read, write
from ..writing import PRIVATE

if TYPE_CHECKING:
    from torch_geometric.data import Data


class Memory:
    """The file of one client: ``.client-0.pt.state`` for ``client-0.pt``.

    :param session: the federation that takes place, by the name that its server gave it.
    """

    def __init__(self, path, method: Federation, part: Data):
        path = Path(path)
        self.path, self.method, self.part = path.with_name(f".{path.name}.state"), method, part
        if not os.access(path.parent, os.W_OK):
            raise PermissionError(f"{path.parent} must be a folder that can be written to: beside its part a client "
                                  "keeps what it needs to come back")
        self.kept = self.looked_up()

    def looked_up(self) -> dict:
        """What is in the file, where it is of the same method and part."""
        if not self.path.exists():
            return {}
        kept = read(owned(self.path), "state of a client")
        same = kept.get("method") == repr(self.method) and kept.get("part") == digest(self.part)
        return kept if same else {}

    def client(self, generator: torch.Generator, session: str) -> Client:
        """The client that goes on in this session; or on the noisy graph of an earlier one; or one that begins."""
        if self.kept.get("session") == session:
            client = self.method.resumed(self.part, generator, self.kept["state"])
        elif "edge_index" in self.kept.get("state", {}) and self.method.guarantees():
            client = self.method.resumed(self.part, generator, {"edge_index": self.kept["state"]["edge_index"]})
        else:
            client = self.method.client(self.part, generator)
        self.keep(client, session, **self.sent(session))
        return client

    def cost(self, session: str, before: bool) -> str:
        """What is to be said, before anything is drawn, of noise that is drawn once more; empty where none is."""
        if not self.method.guarantees() or self.kept.get("session") == session:
            return ""
        if self.kept and getattr(self.method, "edges", None) is not None:
            return "its noisy graph is the one of an earlier federation, so no edge is reported again"
        if self.kept or before:
            return ("noise is drawn anew for a part that may have been sent before: what is guaranteed is spent once "
                    "more, and adds up")
        return ""

    def sent(self, session: str) -> dict:
        """The last message of this session, and its round."""
        return {name: self.kept[name] for name in ("round", "message") if name in self.kept
                and self.kept.get("session") == session}

    def message(self, client: Client, session: str, number: int) -> bytes:
        """The message of a round: the one that was sent already, if it was; else a new one, kept before it leaves."""
        sent = self.sent(session)
        if sent.get("round") == number:
            return bytes(sent["message"].numpy())
        message = client.send()
        self.keep(client, session, round=number, message=torch.frombuffer(bytearray(message), dtype=torch.uint8))
        return message

    def keep(self, client: Client, session: str, **sent) -> None:
        self.kept = {"method": repr(self.method), "part": digest(self.part), "session": session,
                     "state": client.state()} | sent
        write(self.kept, self.path, PRIVATE)

    def forget(self) -> None:
        """All is over: only what was drawn to hide something stays, for whoever starts the same part again."""
        if not self.method.guarantees():
            self.path.unlink(missing_ok=True)


def digest(part: Data) -> str:
    """Says whether a part is the same; of its edges and public sizes."""
    content = f"{part.get('client')} {part.num_nodes} {part.get('num_public')}".encode()
    return hashlib.sha256(content + part.edge_index.contiguous().numpy().tobytes()).hexdigest()


def owned(path: Path) -> Path:
    """A file that nobody else can have written.

    :raises PermissionError: for a link, for somebody else's file, and for one that others may read or write.
    """
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode) or os.name != "nt" and (found.st_uid != os.geteuid() or found.st_mode & 0o077):
        raise PermissionError(f"{path} must be a file of your own that nobody else can read or write, got owner "
                              f"{found.st_uid}, mode {stat.S_IMODE(found.st_mode):o}. Remove it to begin anew")
    return path
