"""What can be said of a federation in separate processes."""

from __future__ import annotations

import argparse
import ipaddress
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..checks import check_count
from ..federate import TLSFiles
from ..methods.federated import hold
from ..methods.federation import PUBLIC_SIZES
from ..randomness import seeded
from . import splitting
from .data import add_graph_options, graph_of
from .replacing import add_replace
from .saving import add_budget_options

if TYPE_CHECKING:
    from torch_geometric.data import Data

LOOPBACK = "127.0.0.1"
PORT = 8765
WAIT = 60.0  # seconds that a client waits for its server


def add_split_options(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    group = splitting.add_split_options(parser)
    group.add_argument("--split-seed", type=int, default=0, help="of who is dealt what (default: %(default)s)")


def held(options: argparse.Namespace) -> Data:
    """The graph that was asked for, dealt out as was asked for."""
    generator = seeded(check_count(options.split_seed, "split_seed"))
    return hold(graph_of(options), generator, options.clients, options.public, options.private, options.by)


def add_server_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clients", type=int, default=4, help="how many are waited for (default: %(default)s)")
    parser.add_argument("--host", default=LOOPBACK,
                        help="where to listen (default: %(default)s, which other machines do not reach)")
    parser.add_argument("--port", type=int, default=PORT, help="0 takes one that is free (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=600.0,
                        help="seconds in which nothing moves, after which nobody is waited for (default: %(default)g)")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="keep each message: all that the server learns")
    parser.add_argument("--resume", action="store_true",
                        help="go on in the folder of --save, after the last round that is there")
    parser.add_argument("--sizes", type=Path, metavar="FILE", help="public.json, as `privgraph federate split` writes "
                        "it: messages of other sizes are refused (default: each client says its own)")
    add_budget_options(parser, "what the method states for all messages, before anybody is let in,")
    add_seed(parser, "the server's coins")
    add_tls_options(parser)


def add_client_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the part that this client holds, as `privgraph federate split` writes it")
    parser.add_argument("--server", metavar="HOST:PORT", help=f"(default: {LOOPBACK}:{PORT})")
    parser.add_argument("--alone", action="store_true", help="no server: as many rounds with its own rows as answers")
    parser.add_argument("--wait", type=float, default=WAIT,
                        help="seconds for the server to be there (default: %(default)g)")
    parser.add_argument("--timeout", type=float, default=WAIT,
                        help="seconds without any sign of the server, after which it is gone (default: %(default)g)")
    parser.add_argument("--again", type=float, default=WAIT,
                        help="seconds for the server to be there again, once it was (default: %(default)g)")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the vectors of its nodes in the end, as .npy")
    add_replace(parser, "the file of --save")
    add_budget_options(parser, "what the method states for all that this client sends")
    add_seed(parser, "this client's coins, which are nobody else's, as they undo noise")
    add_tls_options(parser)


def add_demo_options(parser: argparse.ArgumentParser) -> None:
    add_split_options(parser)
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for a message (default: %(default)g)")
    parser.add_argument("--seed", type=int, default=0, help="of everybody's coins (default: %(default)s)")


def add_seed(parser: argparse.ArgumentParser, whose: str) -> None:
    parser.add_argument("--seed", type=int, help=f"of {whose} (default: as the operating system says)")


def add_tls_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("TLS, which encrypts all messages; three PEM files")
    group.add_argument("--authority", type=Path, metavar="FILE", help="who certifies the server and all clients")
    group.add_argument("--certificate", type=Path, metavar="FILE", help="of this process")
    group.add_argument("--key", type=Path, metavar="FILE", help="that belongs to the certificate")


def sizes_of(path: Path | None) -> dict[str, int] | None:
    """What is public, of a file that ``federate split`` wrote."""
    if path is None:
        return None
    wrong = f"--sizes must be a file as `privgraph federate split` writes it, public.json, got {path}"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{wrong}: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(found, dict) or PUBLIC_SIZES[0] not in found or found.keys() - {*PUBLIC_SIZES}:
        raise ValueError(f"{wrong}, which does not hold {', '.join(PUBLIC_SIZES)}")
    return {name: check_count(size, f"{name} in {path}") for name, size in found.items()}


def add_key_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new one")
    parser.add_argument("--server", required=True, metavar="HOST", help="IP address or name at which clients find the "
                        "server")
    parser.add_argument("--clients", type=int, default=2, help="how many (default: %(default)s)")
    parser.add_argument("--days", type=int, default=365, help="how long they are valid (default: %(default)s)")


def certificates_of(options: argparse.Namespace, server: bool) -> TLSFiles | None:
    """
    :param server: whether it is the server's side that is asked for.
    """
    said = [options.authority, options.certificate, options.key]
    if not any(said):
        return None
    if not all(said):
        raise ValueError("--authority, --certificate and --key must be given together, got "
                         + ", ".join(str(each) for each in said))
    found = TLSFiles(*said)
    found.check(server)  # what is wrong with the files is said before anything else
    return found


def address(text: str | None) -> tuple[str, int]:
    """HOST:PORT."""
    host, _, port = (f"{LOOPBACK}:{PORT}" if text is None else text).rpartition(":")
    if not (host and "/" not in host and port.isdecimal() and 0 < int(port) < 2**16):
        raise ValueError(f"--server must be written HOST:PORT, got {text!r}")
    return host, int(port)


def check_alone(options: argparse.Namespace) -> None:
    """Refuse what is said about a server, or about what it is told, where none is asked."""
    for name in ("server", "authority", "certificate", "key", "budget_file", "limit", "budget_unit"):
        if options.alone and vars(options)[name] is not None:
            raise ValueError(f"--alone asks no server, so that --{name.replace('_', '-')} must be left out, got "
                             f"{vars(options)[name]}")
    for name in ("wait", "timeout", "again"):
        if options.alone and vars(options)[name] != WAIT:
            raise ValueError(f"--alone asks no server, so that --{name} must be left out, got {vars(options)[name]:g}")


def warn_of_the_open(host: str, certificates: TLSFiles | None) -> None:
    """Say what listening for other machines means, before it is done."""
    if certificates is None and not only_here(host):
        print(f"privgraph: warning: listening on {host} without TLS: whoever reaches this port can take a client's "
              "seat, and whoever carries the messages can read and change them; --authority, --certificate and --key "
              "turn TLS on", file=sys.stderr)


def only_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"
