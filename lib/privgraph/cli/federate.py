"""A federation in separate processes: cut a graph into parts, start a server, start clients; or all of it here.

What became of it is in the last line and in the exit status, at the server and at each client: 0 where every round had
an answer (at a client: every one from the round that it joined in), 1 where none had, 3 where some had; 2 is an error.
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import tempfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..checks import check_count
from ..federate import alone, join, listen, load_part, save_parts, serve
from ..federate.demo import in_processes
from ..federate.keys import AUTHORITY, make_keys
from ..federate.part_files import describe, save_vectors, vectors_path
from ..methods import Federation, Round
from ..methods.federated import parts
from ..methods.federated.metrics import fold_of, micro_f1, over_clients
from ..methods.federation import public_sizes
from ..randomness import coins, draw_seed, seeded
from ..writing import PRIVATE, check_folder, new_folder, ready_folder, write
from .federate_options import (
    add_client_options,
    add_demo_options,
    add_key_options,
    add_server_options,
    add_split_options,
    address,
    certificates_of,
    check_alone,
    held,
    sizes_of,
    warn_of_the_open,
)
from .options import add_fields, add_methods, given
from .replacing import add_replace, check_new, refuse_there
from .run import check_said
from .said import Report
from .saving import counting
from .spelling import ExactParser, renamed

if TYPE_CHECKING:
    from torch_geometric.data import Data

FOLDS = 5
PUBLIC, STATE = "public.json", "federation.json"


def add_commands(commands) -> None:
    top = commands.add_parser("federate", help="clients that keep their parts of a graph, and a server, as processes")
    steps = top.add_subparsers(required=True, metavar="STEP")
    split = steps.add_parser("split", help="cut a graph into a file for each client, which holds its part only")
    add_split_options(split)
    split.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="for client-0.pt and so on")
    add_replace(split, "the parts of another cut, of as many clients or fewer")
    split.set_defaults(command=split_command)
    keys = steps.add_parser("keys", help="make certificates for the server and each client, with openssl")
    add_key_options(keys)
    keys.set_defaults(command=keys_command)
    for step, words, add, command in (
            ("server", "start the server, and wait for clients", add_server_options, server_command),
            ("client", "start one client, which holds one file", add_client_options, client_command),
            ("demo", "all of it on this machine, with a process for each client", add_demo_options, demo_command)):
        add_methods(steps.add_parser(step, help=words), partial(add_options, add, command), "Federation", words=words)


def add_options(add: Callable, command: Callable, own: ExactParser, kind: type[Federation]) -> None:
    add(own)
    add_fields(own.add_argument_group("the method: server and clients must say the same"), kind)
    own.set_defaults(command=command, kind=kind)


def split_command(options) -> int:
    data, folder = held(options), options.to
    check_parts(folder, options)
    cut, fold = parts(data), fold_of(data.num_nodes, FOLDS, seeded(options.split_seed))
    for part in cut:
        part.fold = fold[part.n_id]
    with nullcontext(folder) if folder.is_dir() else new_folder(folder, "--to", 0o700) as place:
        names = [path.name for path in save_parts(cut, place, {PUBLIC: json.dumps(public_sizes(cut[0]))})]
    for name, part in zip(names, cut, strict=True):
        print(f"{folder / name}: {describe(part)}")
    shared = int((cut[0].edge_index < cut[0].num_public).all(0).sum())  # in every file
    lost = data.num_edges - sum(part.num_edges for part in cut) + (len(cut) - 1) * shared
    print(f"{lost // 2} of {data.num_edges // 2} edges are in no file: they join private nodes of two clients, "
          f"or nodes that nobody holds; {PUBLIC} has the sizes that are public, for the server")
    return 0


def check_parts(folder: Path, options) -> None:
    """Refuse a folder in which parts of another cut, or anything else, would stay beside these, or be lost."""
    check_folder(folder, "--to", re.compile("|".join([re.escape(PUBLIC), *(
        rf"client-{number}\.pt" for number in range(options.clients))])))
    refuse_there(options, "--to", folder)


def keys_command(options) -> int:
    with renamed("folder", "FOLDER"):
        made = make_keys(options.folder, options.server, options.clients, options.days)
    print(*made, sep="\n")
    print(f"each machine gets {AUTHORITY}.pem and its own two files, as --authority, --certificate and --key; whoever "
          f"has {AUTHORITY}.key can let anybody in, so it stays here")
    return 0


def method_of(options: argparse.Namespace, least: int = 0) -> Federation:
    """The method as it is asked for, of which there are at least so many rounds."""
    method = options.kind(**given(options, options.kind))
    check_count(method.rounds, "rounds", low=least)
    check_said(method, options)
    return method


def server_command(options) -> int:
    method, certificates, report = method_of(options, least=1), certificates_of(options, True), Report(False)
    log, sizes = Log(options.save, method, options.clients, options.resume), sizes_of(options.sizes)
    warn_of_the_open(options.host, certificates)
    with counting(options) as budget, listen(options.host, options.port, options.clients) as door:
        report.say("listening on {}:{}".format(*door.getsockname()[:2]))
        promise(method, report)
        if log.done:
            report.say(f"going on after round {log.done}, of {options.save}")
        for number, outcome in enumerate(serve(
                method, door, options.clients, coins(options.seed), timeout=options.timeout, certificates=certificates,
                tell=report.say, sizes=sizes, done=log.done, session=log.session), log.done + 1):
            report.say(f"round {number}: {summary(outcome)}")
            log.write(number, outcome)
    if budget is not None:
        report.say(f"counted in {budget}")
    where = f"; they are in {options.save}" if options.save else ""
    report.say(f"the server has seen {log.received:,} bytes, and nothing else{where}")
    status = status_of(len(log.answered), method.rounds)
    report.say(f"end: status={status} rounds={len(log.answered)}/{method.rounds} "
               f"clients={log.answered[-1] if log.answered else 0}/{options.clients}")
    return status


def status_of(answered: int, rounds: int) -> int:
    """0 where all rounds had an answer, 1 where none had, 3 where some had."""
    return 0 if answered >= rounds else 3 if answered else 1


class Log:
    """What a server keeps of its rounds: in a folder, where it may go on if it is ended.

    :param folder: each message of each round, all that the server learns; and which round was the last.
    """

    def __init__(self, folder: Path | None, method: Federation, clients: int, resume: bool):
        self.folder, self.received, self.answered = folder, 0, []
        self.state: dict[str, Any] = {"method": repr(method), "clients": clients, "session": secrets.token_hex(8),
                                     "answered": []}
        if folder is None and resume:
            raise ValueError("--resume must come with --save FOLDER, the folder of the server that was ended")
        if resume and folder is not None and not (folder / STATE).exists():
            raise ValueError(f"--resume must find a federation in {folder}, got none there")
        if folder is not None:
            if not (folder / STATE).exists():
                check_folder(folder, "--save")
            ready_folder(folder, "--save", 0o700)
            self.state = self.found(resume) or self.state
            self.answered = self.state["answered"]
            self.keep(STATE, json.dumps(self.state).encode())
        self.done, self.session = len(self.answered), self.state["session"]
        self.answered = [count for count in self.answered if count]

    def found(self, resume: bool) -> dict | None:
        """What an earlier server left there."""
        path = self.folder / STATE
        if not path.exists():
            return None
        if not resume:
            raise FileExistsError(f"--save must be a folder without a federation, got {self.folder}, which holds one; "
                                  "--resume goes on with it")
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            missing = self.state.keys() - state.keys()
        except (ValueError, AttributeError) as error:
            raise ValueError(f"--resume must find a federation in {self.folder}, got a damaged {STATE}") from error
        for name in (*missing, "method", "clients"):
            if state.get(name) != self.state[name]:
                raise ValueError(f"--resume must find the same federation in {self.folder}, got {name} = "
                                 f"{state.get(name)} there, and {self.state[name]} here")
        return state

    def write(self, number: int, outcome: Round) -> None:
        self.received += sum(map(len, outcome.messages.values()))
        self.answered += [len(outcome.replies)] if outcome.replies else []
        if self.folder is not None:
            for client, message in outcome.messages.items():
                self.keep(f"round-{number}-client-{client}.pt", message)
            self.state["answered"] = self.state["answered"] + [len(outcome.replies)]
            self.keep(STATE, json.dumps(self.state).encode())

    def keep(self, name: str, content: bytes) -> None:
        write(self.folder / name, content, PRIVATE, "--save")


def promise(method: Federation, report: Report) -> None:
    report.say("what holds for all messages together:")
    report.guarantees(method.guarantees())
    if not method.guarantees():
        report.say("  nothing: no guarantee is given. That data stay at home is none")


def summary(outcome: Round) -> str:
    away = "; ".join(f"client {number}: {why}" for number, why in sorted(outcome.left_out.items()))
    return f"{len(outcome.messages)} messages, {len(outcome.replies)} answers; left out: {away or 'nobody'}"


def client_command(options) -> int:
    check_alone(options)
    method, certificates, where = method_of(options), certificates_of(options, False), address(options.server)
    file = options.save
    if file is not None and file.suffix not in ("", ".npy"):
        raise ValueError(f"--save must end in .npy, as vectors are written, got {str(file)!r}")
    check_new(options, "--save", file if file is None or file.is_dir() else vectors_path(file))
    with renamed("path", "file"):
        part = load_part(options.file)
    method.check_own(part)
    print(f"client {part.client} of {part.clients}: {describe(part)}", flush=True)
    status, end = 0, "alone"
    if options.alone:
        client = alone(method, part, coins(options.seed))
    else:
        with counting(options):
            client = join(method, options.file, *where, coins(options.seed), wait=options.wait, timeout=options.timeout,
                          again=options.again, certificates=certificates, tell=lambda line: print(line, flush=True))
        rounds = method.rounds - client.joined + 1
        status, end = status_of(len(client.answered), rounds), f"rounds={len(client.answered)}/{rounds}"
    z = client.embeddings()
    if options.save is not None:
        print(f"its vectors are in {save_vectors(z, options.save)}")
    print("classes named rightly from its own vectors, % micro F1 of a support vector machine, five folds:")
    for name, value in score(z, part).items():
        print(f"  {name:24} {value:.1f}")
    print(f"end: status={status} {end}")
    return status


def score(z: torch.Tensor, part: Data) -> Mapping[str, float]:
    """By groups of nodes; the fold of a node is that of all clients' files."""
    fold = torch.zeros(int(part.n_id.max()) + 1, dtype=torch.long)
    fold[part.n_id] = part.fold
    return micro_f1(z, part, fold, seeded(0))


def demo_command(options) -> int:
    method, data, report, answered = method_of(options, least=1), held(options), Report(False), 0
    promise(method, report)
    with tempfile.TemporaryDirectory() as folder:
        rounds = in_processes(method, data, seeded(options.seed), folder, timeout=options.timeout, tell=report.say)
        for number, outcome in enumerate(rounds, 1):
            report.say(f"round {number}: {summary(outcome)}")
            answered += bool(outcome.replies)
        together = {int(path.stem.rpartition("-")[2]): torch.from_numpy(np.load(path))
                    for path in sorted(Path(folder).glob("*.npy"))}
    report.say("classes named rightly, % micro F1 of a support vector machine, mean over the clients:")
    report.say(f"  {'nodes':24} {'together':>8} {'alone':>8}")
    for name, found in beside(method, data, together, options.seed).items():
        report.say(f"  {name:24} {found[0]:8.1f} {found[1]:8.1f}")
    return status_of(answered, method.rounds)


def beside(method: Federation, data: Data, together: Mapping[int, torch.Tensor],
           seed: int) -> dict[str, tuple[float, float]]:
    """What clients reach with the others and without, each trained as long with the same coins; by groups of nodes."""
    generator = seeded(seed)
    draw_seed(generator)  # the server's
    fold, found = fold_of(data.num_nodes, FOLDS, seeded(seed)), ([], [])
    for number, (part, own) in enumerate(method.parts_and_seeds(data, generator)):
        if number in together:
            for z, scores in zip((together[number], alone(method, part, seeded(own)).embeddings()), found, strict=True):
                scores.append(micro_f1(z, part, fold, seeded(0)))
    federated, by_itself = map(over_clients, found)
    return {name: (value, by_itself[name]) for name, value in federated.items()}
