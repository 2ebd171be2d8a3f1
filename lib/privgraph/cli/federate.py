"""A federation in separate processes: cut a graph into parts, start a server, start clients; or all of it here."""

import argparse
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch
from torch_geometric.data import Data

from ..federate import alone, join, listen, load_part, run_processes, save_parts, serve
from ..federate.files import describe, save_vectors, vectors_path
from ..methods import Federation, Round, all_methods
from ..methods.federated import parts
from ..methods.federated.measures import fold_of, micro_f1, over_clients
from ..randomness import coins, draw_seed, seeded
from ..writing import PRIVATE, check_place, new_folder, ready_folder, write
from .federate_options import (
    add_client_options,
    add_demo_options,
    add_server_options,
    add_split_options,
    address,
    certificates_of,
    held,
    warn_of_the_open,
)
from .options import add_fields, given
from .said import Report

FOLDS = 5


def add_commands(commands) -> None:
    top = commands.add_parser("federate", help="clients that keep their parts of a graph, and a server, as processes")
    steps = top.add_subparsers(required=True, metavar="STEP")
    split = steps.add_parser("split", help="cut a graph into a file for each client, which holds its part only")
    add_split_options(split)
    split.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="for client-0.pt and so on")
    split.set_defaults(command=split_command)
    for step, words, add, command in (
            ("server", "start the server, and wait for clients", add_server_options, server_command),
            ("client", "start one client, which holds one file", add_client_options, client_command),
            ("demo", "a server and clients as processes of this machine, under Dask", add_demo_options, demo_command)):
        methods = steps.add_parser(step, help=words).add_subparsers(required=True, metavar="METHOD", dest="method")
        for name, kind in all_methods().items():
            if issubclass(kind, Federation):
                own = methods.add_parser(name, help=words, description=words)
                add(own)
                add_fields(own.add_argument_group("the method: server and clients must say the same"), kind)
                own.set_defaults(command=command, kind=kind)


def split_command(options) -> int:
    data, folder = held(options), options.to
    cut, fold = parts(data), fold_of(data.num_nodes, FOLDS, seeded(options.split_seed))
    for part in cut:
        part.fold = fold[part.n_id]
    with nullcontext(folder) if folder.is_dir() else new_folder(folder, "--to", 0o700) as place:
        names = [path.name for path in save_parts(cut, place)]
    for name, part in zip(names, cut, strict=True):
        print(f"{folder / name}: {describe(part)}")
    shared = int((cut[0].edge_index < cut[0].num_public).all(0).sum())  # in every file
    lost = data.num_edges - sum(part.num_edges for part in cut) + (len(cut) - 1) * shared
    print(f"{lost // 2} of {data.num_edges // 2} edges are in no file: they join private nodes of two clients, "
          "or nodes that nobody holds")
    return 0


def method_of(options: argparse.Namespace) -> Federation:
    return options.kind(**given(options, options.kind))


def server_command(options) -> int:
    method, certificates, report = method_of(options), certificates_of(options), Report(False)
    if (folder := options.save) is not None:
        ready_folder(folder, "--save", 0o700)
    warn_of_the_open(options.host, certificates)
    with listen(options.host, options.port, options.clients) as door:
        report.say("listening on {}:{}".format(*door.getsockname()[:2]))
        promise(method, report)
        heard = 0
        for number, told in enumerate(serve(method, door, options.clients, coins(options.seed), timeout=options.timeout,
                                            certificates=certificates, tell=report.say), 1):
            report.say(f"round {number}: {summary(told)}")
            heard += sum(map(len, told.messages.values()))
            for client, message in told.messages.items() if folder else ():
                write(folder / f"round-{number}-client-{client}.pt", message, PRIVATE, "--save")
    report.say(f"the server has seen {heard:,} bytes, and nothing else" + (f"; they are in {folder}" if folder else ""))
    return 0


def promise(method: Federation, report: Report) -> None:
    report.say("what holds for all messages together:")
    report.guarantees(method.guarantees)
    if not method.guarantees:
        report.say("  nothing: no guarantee is given. That data stay at home is none")


def summary(told: Round) -> str:
    away = "; ".join(f"client {number}: {why}" for number, why in sorted(told.left_out.items()))
    return f"{len(told.messages)} messages, {len(told.answers)} answers; left out: {away or 'nobody'}"


def client_command(options) -> int:
    method, certificates, where = method_of(options), certificates_of(options), address(options.server)
    if options.save is not None:
        check_place(vectors_path(options.save), "--save")
    part = load_part(options.file)
    print(f"client {part.client} of {part.clients}: {describe(part)}", flush=True)
    if options.alone:
        client = alone(method, part, coins(options.seed))
    else:
        client = join(method, options.file, *where, coins(options.seed), wait=options.wait, timeout=options.timeout,
                      certificates=certificates, tell=lambda line: print(line, flush=True))
    z = client.embeddings()
    if options.save is not None:
        save_vectors(z, options.save)
    print("classes named rightly from its own vectors, % micro F1 of a support vector machine, five folds:")
    for name, value in score(z, part).items():
        print(f"  {name:24} {value:.1f}")
    return 0


def score(z: torch.Tensor, part: Data) -> Mapping[str, float]:
    """By groups of nodes; the fold of a node is that of all clients' files."""
    fold = torch.zeros(int(part.n_id.max()) + 1, dtype=torch.long)
    fold[part.n_id] = part.fold
    return micro_f1(z, part, fold, seeded(0))


def demo_command(options) -> int:
    method, data, report = method_of(options), held(options), Report(False)
    promise(method, report)
    with tempfile.TemporaryDirectory() as folder:
        for number, told in enumerate(run_processes(method, data, seeded(options.seed), timeout=options.timeout,
                                                    keep=folder), 1):
            report.say(f"round {number}: {summary(told)}")
        together = {int(path.stem.rpartition("-")[2]): torch.from_numpy(np.load(path))
                    for path in sorted(Path(folder).glob("*.npy"))}
    report.say("classes named rightly, % micro F1 of a support vector machine, mean over the clients:")
    report.say(f"  {'nodes':24} {'together':>8} {'alone':>8}")
    for name, found in beside(method, data, together, options.seed).items():
        report.say(f"  {name:24} {found[0]:8.1f} {found[1]:8.1f}")
    return 0


def beside(method: Federation, data: Data, together: Mapping[int, torch.Tensor],
           seed: int) -> dict[str, tuple[float, float]]:
    """What clients reach with the others and without, each trained as long with the same coins; by groups of nodes."""
    generator = seeded(seed)
    draw_seed(generator)  # the server's
    fold, found = fold_of(data.num_nodes, FOLDS, seeded(seed)), ([], [])
    for number, (part, own) in enumerate(method.members(data, generator)):
        if number in together:
            for z, scores in zip((together[number], alone(method, part, seeded(own)).embeddings()), found, strict=True):
                scores.append(micro_f1(z, part, fold, seeded(0)))
    federated, by_itself = map(over_clients, found)
    return {name: (value, by_itself[name]) for name, value in federated.items()}
