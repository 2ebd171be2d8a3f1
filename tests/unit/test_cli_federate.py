"""Server and clients as a reader starts them, and what the commands refuse."""

import json
import re
import socket
import subprocess
import threading
import time
from contextlib import ExitStack

import numpy as np
import pytest

from privgraph.cli import federate, main
from privgraph.federate import alone, load_part
from privgraph.methods import FederatedDeepWalk, Round
from privgraph.methods.federation import public_sizes
from privgraph.methods.messages import unpack
from privgraph.randomness import Secret, seeded

QUICK = "federateddeepwalk --rounds 2 --dimension 4 --walks 2 --first-epochs 2 --epochs 1".split()
METHOD = FederatedDeepWalk(rounds=2, dimension=4, walks=2, first_epochs=2, epochs=1)


@pytest.fixture
def files(tmp_path, capsys):
    """The karate club, cut into the parts of four clients."""
    assert main(f"federate split --graph karate --private 0.1 --to {tmp_path}".split()) == 0
    found = sorted(tmp_path.glob("client-*.pt"))
    out = capsys.readouterr().out.splitlines()
    assert len(found) == 4 and len(out) == 5
    assert out[0].startswith(f"{found[0]}: 16 nodes, of which all clients hold 13; ")
    return found


def test_edges_in_no_file_are_counted(files, capsys):
    assert main(f"federate split --graph karate --private 0.1 --to {files[0].parent} --replace".split()) == 0
    edges = {tuple(sorted(pair)) for path in files for part in [load_part(path)]
             for pair in part.n_id[part.edge_index].T.tolist()}
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{78 - len(edges)} of 78 edges are in no file")


@pytest.mark.slow
def test_a_server_and_two_clients_as_processes_started_by_hand(start, tmp_path):
    """To the last bit what they give in one process, whose messages the server keeps."""
    assert main(f"federate split --graph karate --private 0.1 --clients 2 --to {tmp_path}".split()) == 0
    files, logs = sorted(tmp_path.glob("client-*.pt")), [tmp_path / f"log-{number}" for number in range(3)]
    with ExitStack() as stack:
        first, *others = (dict(stdout=stack.enter_context(log.open("w")), stderr=subprocess.STDOUT) for log in logs)
        server = start("federate", "server", *QUICK, "--clients", 2, "--port", 0, "--save", tmp_path / "seen", **first)
        where = address(server, logs[0])
        clients = [start("federate", "client", *QUICK, path, "--server", where, "--seed", number, "--save",
                         path.with_suffix(".npy"), **log)
                   for number, (path, log) in enumerate(zip(files, others, strict=True))]
        ended = [each.wait(300) for each in (server, *clients)]
    said, *heard = (log.read_text() for log in logs)
    assert ended == [0] * 3, said + "".join(heard)
    assert "no guarantee is given" in said and "round 2: 2 messages, 2 answers; left out: nobody" in said
    assert "round 2: sent" in heard[0] and "public with edges here" in heard[0]
    server, own = METHOD.server(seeded(0)), {i: METHOD.client(load_part(p), seeded(i)) for i, p in enumerate(files)}
    for number in (1, 2):
        told = server.combine({i: client.send() for i, client in own.items()})
        for client, message in told.messages.items():
            assert (tmp_path / "seen" / f"round-{number}-client-{client}.pt").read_bytes() == message
            assert list(unpack(message)) == ["rows"] and list(unpack(message)["rows"].shape) == [13, 4]
            own[client].receive(told.replies[client])
    for number, path in enumerate(files):
        assert np.array_equal(np.load(path.with_suffix(".npy")), own[number].embeddings())


def address(server, log):
    """Where a server says that it listens."""
    while not (found := re.search(r"listening on (127\.0\.0\.1:\d+)\n", log.read_text())):
        assert server.poll() is None, log.read_text()
        time.sleep(0.1)
    return found.group(1)


def test_a_server_that_nobody_came_to_says_so(files, tmp_path, capsys):
    words = ["federate", "server", *QUICK, "--port", "0", "--timeout", "0.3", "--sizes",
             str(files[0].with_name("public.json")), "--save", str(tmp_path / "seen")]
    assert main(words) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "end: status=1 rounds=0/2 clients=0/4"
    assert main(words) == 2
    assert "--resume goes on with it" in capsys.readouterr().err
    assert (tmp_path / "seen" / "federation.json").stat().st_mode & 0o777 == 0o600


def test_sizes_that_are_public_are_written_for_the_server(files):
    assert json.loads(files[0].with_name("public.json").read_text()) == public_sizes(load_part(files[0]))


def run_together(files, server, clients, capsys):
    """A server, in this thread, and clients in others: its status and theirs, and its last line."""
    port, found = free_port(), {}

    def client(number, more):
        found[number] = main(["federate", "client", *QUICK, str(files[number]), "--server", f"127.0.0.1:{port}",
                              "--again", "0.5", *more])
    threads = [threading.Thread(target=client, args=each, daemon=True) for each in clients.items()]
    for thread in threads:
        thread.start()
    status = main(["federate", "server", *QUICK, "--port", str(port), "--timeout", "1.5", *server])
    for thread in threads:
        thread.join(30)
    return status, found, capsys.readouterr().out


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


def test_status_and_last_line_say_how_it_went(files, capsys):
    sizes = ["--sizes", str(files[0].with_name("public.json"))]
    status, found, out = run_together(files, sizes, {0: [], 1: []}, capsys)
    assert status == 0 and found == {0: 0, 1: 0}
    assert "end: status=0 rounds=2/2 clients=2/4" in out and out.count("end: status=0 rounds=2/2\n") == 2


def test_sizes_that_are_false_are_refused(files, tmp_path, capsys):
    (tmp_path / "other.json").write_text(json.dumps(public_sizes(load_part(files[0])) | {"num_public": 9}))
    status, found, out = run_together(files, ["--sizes", str(tmp_path / "other.json")], {0: []}, capsys)
    assert status == 1 and found == {0: 2} and "was not let in: the server has {'num_public': 9" in out


@pytest.mark.parametrize("answered, rounds, status", [(2, 2, 0), (0, 2, 1), (1, 2, 3), (0, 0, 0)])
def test_the_status_of_so_many_rounds(answered, rounds, status):
    assert federate.status_of(answered, rounds) == status


def test_a_client_alone_needs_no_server(files, tmp_path, capsys):
    assert main(["federate", "client", *QUICK, str(files[2]), "--alone", "--seed", "5", "--save",
                 str(tmp_path / "z.npy")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("client 2 of 4: 16 nodes, of which all clients hold 13; 20 edges") and " all " in out
    assert np.array_equal(np.load(tmp_path / "z.npy"), alone(METHOD, load_part(files[2]), seeded(5)).embeddings())


@pytest.fixture
def drawn_from(monkeypatch):
    """Whether the coins of each server and of each client that is made are the operating system's."""
    found = []
    for side, own in (("server", FederatedDeepWalk.server), ("client", FederatedDeepWalk.client)):
        monkeypatch.setattr(FederatedDeepWalk, side, lambda *said, side=side, own=own: (
            found.append((side, isinstance(said[-1], Secret))), own(*said))[1])
    return found


@pytest.mark.parametrize("seed, secret", [([], True), (["--seed", "0"], False)], ids=["no seed", "seed"])
def test_without_a_seed_nobody_can_draw_the_coins_again(seed, secret, drawn_from, files, capsys):
    """At a server, a client, and a client alone: a seed that is 0 where none was said is one that everybody knows."""
    assert run_together(files, seed, {0: seed}, capsys)[:2] == (0, {0: 0})
    assert sorted(drawn_from) == [("client", secret), ("server", secret)]
    assert main(["federate", "client", *QUICK, str(files[1]), "--alone", *seed]) == 0
    assert drawn_from[2:] == [("client", secret)]


def here(method, data, generator, folder, timeout, tell):
    """The rounds of a demo in this process; its processes are tried in test_federate_demo."""
    clients, rounds = method.run(data, generator)
    for number, client in clients.items():
        np.save(f"{folder}/client-{number}.npy", client.embeddings())
    return rounds


DEMO = ["federate", "demo", *QUICK, "--graph", "karate", "--private", "0.1", "--answer", "own"]


def test_a_demo_prints_both_columns(monkeypatch, capsys):
    monkeypatch.setattr(federate, "in_processes", here)
    assert main(DEMO) == 0
    out = capsys.readouterr().out
    assert out.index("no guarantee is given") < out.index("round 1: 4 messages") < out.index("together    alone")
    rows = re.findall(r"^  (\w.*?) +(\S+) +(\S+)$", out.partition("alone")[2], re.MULTILINE)
    assert rows[-1][0] == "all" and len(rows) >= 5
    assert all(federated == by_itself for _, federated, by_itself in rows)  # each hears itself


def test_a_demo_in_which_nobody_was_answered_says_so(monkeypatch, capsys):
    monkeypatch.setattr(federate, "in_processes", lambda *_, **how: [Round({}, {}, {0: "it failed"})] * 2)
    assert main(DEMO) == 1
    assert "round 2: 0 messages, 0 answers; left out: client 0: it failed" in capsys.readouterr().out


@pytest.mark.parametrize("words, message", [
    ("split --graph karate --clients 9 --to {}", "--clients must be at most 4 with private = 0.15 and public ="),
    ("split --graph karate --public 0 --to {}", "public must lie in (0, 1], got 0.0"),
    ("split --graph karate --split-seed -1 --to {}", "--split-seed must be a whole number"),
    ("split --graph coar --to {}", "for coar, did you mean cora?"),
    ("split --graph karate --to {}/file", "/file', which is a file"),
    ("server federateddeepwalk --rounds -1", "rounds must be a whole number"),
    ("server QUICK --clients 0", "clients must be"),
    ("server QUICK --port 70000", "port must be a whole number, between 0 and 65535, got 70000"),
    ("server QUICK --host 203.0.113.1 --port 0", "cannot listen on 203.0.113.1:0"),
    ("server QUICK --port 0 --timeout 0", "timeout must be a positive"),
    ("server QUICK --save {}/file", "/file', which is a file"),
    ("server QUICK --key {}/file", "--authority, --certificate and --key must be given together, got None, None, "),
    ("server QUICK --authority {0}/file --certificate {0}/file --key {0}/file", "--authority must be a PEM"),
    ("server QUICK --resume", "--resume must come with --save FOLDER"),
    ("server QUICK --port 0 --sizes {}/nowhere.json", "nowhere.json"),
    ("server QUICK --port 0 --sizes {}/file", "--sizes must be a file as `privgraph federate split` writes it"),
    ("client QUICK {}/nowhere.pt", "nowhere.pt, which does not exist"),
    ("client QUICK {}/file", "holds no part of a client"),
    ("client QUICK {}/file --server 8765", "--server must be written HOST:PORT, got '8765'"),
    ("client QUICK {}/file --server here:99999", "--server must be written HOST:PORT, got 'here:99999'"),
    ("client QUICK {}/client-0.pt --save {}/nowhere/z.npy", "--save must be a file in a folder that exists"),
    ("client QUICK {}/client-0.pt --server 127.0.0.1:9 --wait 0.1", "cannot reach a server at 127.0.0.1:9"),
    ("client federateddeepwalk {}/client-0.pt --alone --dimension 14", "--dimension must be at most 13, the number"),
    ("demo QUICK --graph karate --private 0.1 --timeout 0", "timeout must be a positive"),
    ("demo federateddeepwalk --graph karate --rounds 0", "rounds must be a whole number, at least 1, got 0"),
    ("demo QUICK --graph karate --clients 2 --private 0.001", "--public and --private must give each client")])
def test_errors_are_one_sentence(words, message, files, tmp_path, capsys):
    (tmp_path / "file").write_text("nothing")
    words = words.replace("{0}", "{}").replace("{}", str(tmp_path)).replace("QUICK", " ".join(QUICK))
    assert main(["federate", *words.split()]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert message in error and error.startswith("privgraph: ")


@pytest.mark.parametrize("host, warned", [
    ("127.0.0.1", False), ("127.0.0.2", False), ("localhost", False), ("::1", False),
    ("0.0.0.0", True), ("192.0.2.1", True), ("example.org", True)])
def test_who_listens_for_others_without_tls_is_warned(host, warned, capsys):
    federate.warn_of_the_open(host, None)
    said = capsys.readouterr().err
    assert ("without TLS" in said and host in said) == warned and bool(said) == warned
    federate.warn_of_the_open(host, object())
    assert capsys.readouterr().err == ""
