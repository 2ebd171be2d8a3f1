"""The same federation under Flower: SuperLink and SuperNodes as processes, listening on 127.0.0.1 only."""

import ast
import importlib.util
import os
import pickle
import re
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from privgraph import datasets
from privgraph.federate import flower, load_part, save_parts
from privgraph.methods.federated import hold
from privgraph.randomness import draw_seed, seeded
from toy_federation import Mean

APP = """
import os, pickle
from pathlib import Path
from privgraph.federate.flower import client_of, server_of
from toy_federation import Mean

def tell(told):
    with open(os.environ["TOLD"], "ab") as file:
        pickle.dump(tuple(map(dict, (told.messages, told.replies, told.left_out))), file)

method = {method!r}
server_app = server_of(method, clients={clients}, seed={seed}, timeout=300, tell=tell)
client_app = client_of(method)
"""


@pytest.fixture
def commands():
    """Where Flower's commands are; skips where it is not installed."""
    if importlib.util.find_spec("flwr") is None:
        pytest.skip("Flower is not installed: pip install 'privgraph[federated]'")
    return Path(sys.executable).parent


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@pytest.fixture
def running(commands, tmp_path):
    """A function that runs a method under Flower: what the server was told in each round, and who listened where."""
    started = []

    def start(*words):
        env = os.environ | {"FLWR_HOME": str(tmp_path / "home"), "FLWR_TELEMETRY_ENABLED": "0", "OMP_NUM_THREADS": "1",
                            "TOLD": str(tmp_path / "told"), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
        with open(tmp_path / "log", "ab") as log:
            started.append(subprocess.Popen([commands / words[0], *words[1:]], env=env, stdout=log, stderr=log,
                                            cwd=tmp_path))
        return started[-1]

    def run(method, files, server_seed, seeds, stay):
        serverapp, fleet, control, *clients = (f"127.0.0.1:{port}" for port in free_ports(3 + len(files)))
        write_app(tmp_path / "app", method, server_seed, len(files))
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "config.toml").write_text(f'[superlink]\ndefault = "here"\n[superlink.here]\n'
                                                       f'address = "{control}"\ninsecure = true\n')
        start("flower-superlink", "--insecure", "--serverappio-api-address", serverapp, "--fleet-api-address", fleet,
              "--control-api-address", control)
        for path, seed, address in zip(files, seeds, clients, strict=True):
            start("flower-supernode", "--insecure", "--superlink", fleet, "--clientappio-api-address", address,
                  "--node-config", f'part="{path}" seed={seed} save="{path.with_suffix(".npy")}"')
        wait_for(lambda: all(reachable(address) for address in (control, *clients)), 300)
        assert start("flwr", "run", "app", "here").wait(300) == 0, (tmp_path / "log").read_text()
        listening = set()
        wait_for(lambda: listening.update(heard_at()) or len(told(tmp_path)) == method.rounds, 1800)
        wait_for(lambda: all(written(files[client].with_suffix(".npy")) for client in stay), 600)
        return told(tmp_path), listening
    yield run
    for process in started:
        process.terminate()
    for process in started:
        process.wait(30)


def write_app(folder, method, seed, clients):
    """The two files, as the module says that they must be."""
    folder.mkdir()
    (folder / "app.py").write_text(APP.format(method=method, seed=seed, clients=clients))
    written = re.search(r'``pyproject.toml``::\n\n(.*?\n)\n\S', flower.__doc__, re.DOTALL).group(1)
    (folder / "pyproject.toml").write_text(textwrap.dedent(written))


def written(path):
    """Whether a client's vectors are there as a whole: a file is there before all of it is."""
    try:
        return np.load(path).size > 0
    except (OSError, ValueError, EOFError):
        return False


def reachable(address):
    host, port = address.split(":")
    with socket.socket() as tried:
        return tried.connect_ex((host, int(port))) == 0


def heard_at():
    """Where our processes and theirs listen."""
    for each in psutil.Process().children(recursive=True):
        try:
            yield from (c.laddr.ip.removeprefix("::ffff:") for c in each.net_connections() if c.status == "LISTEN")
        except psutil.Error:
            pass


def wait_for(look, seconds):
    last = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < last, "never seen"
        time.sleep(0.3)


def told(folder):
    found = []
    if (folder / "told").exists():
        with open(folder / "told", "rb") as file:
            while file.peek(1):
                found.append(pickle.load(file))
    return found


def karate(clients):
    return hold(datasets.load("karate"), seeded(0), clients=clients, public=0.4, private=0.1)


def trouble(data, **by_client):
    return tuple((int((data.holder == int(name[1:])).nonzero()[0]), what) for name, what in by_client.items())


def coins(clients):
    generator = seeded(3)
    return draw_seed(generator), [draw_seed(generator) for _ in range(clients)]


@pytest.mark.slow
def test_under_flower_it_gives_what_it_gives_in_one_process(running, tmp_path):
    data = karate(4)
    server_seed, seeds = coins(4)
    files = save_parts(Mean().split(data, seeded(0)), tmp_path)
    rounds, listening = running(Mean(), files, server_seed, seeds, stay=range(4))
    clients, here = Mean().run(data, seeded(3))
    assert rounds == [(dict(each.messages), dict(each.replies), dict(each.left_out)) for each in here]
    for number, path in enumerate(files):
        assert np.array_equal(np.load(path.with_suffix(".npy")), clients[number].embeddings())
    assert listening == {"127.0.0.1"}
    assert [path.name for path in tmp_path.glob(".*")] == []  # nothing private is left lying


NAN, NEVER, SILENT = ("rows must be finite, got NaN or infinite numbers", "no message ever came from it",
                      "its SuperNode gave no message")
FEW = "there must be at least as many public rows as dimensions, got 2 rows of 3 dimensions"
ODD = "rows must have the shape of most, [13, 3], got [13, 2]"


def without_public(part):
    """A file that ``parts`` never makes: all are this client's own."""
    part = part.clone()
    part.num_public = 0
    return part


@pytest.mark.slow
def test_under_flower_who_sends_what_cannot_be_used_is_left_out_and_the_round_goes_on(running, tmp_path):
    """NaN, another dimension, too few public nodes at all who are left, none at one; killed, and failing."""
    data = karate(5)
    method = Mean(rounds=4, answer="aligned", trouble=trouble(data, c0="few@3", c1="nan@2,few@3,shape@4", c2="killed",
                                                             c3="fails"))
    own = method.split(data, seeded(0))
    server_seed, seeds = coins(5)
    files = save_parts((*own[:4], without_public(own[4])), tmp_path)
    rounds, _ = running(method, files, server_seed, seeds, stay=(0, 1))
    gone = {2: SILENT, 3: SILENT, 4: NEVER}
    assert [left_out for *_, left_out in rounds] == [{4: NEVER}, {1: NAN} | gone, {0: FEW, 1: FEW} | gone,
                                                     {1: ODD} | gone]
    assert [sorted(replies) for _, replies, _ in rounds] == [[0, 1, 2, 3], [0], [], [0]]
    server = method.server(seeded(server_seed))
    for messages, replies, left_out in rounds:  # as in one process
        here = server.combine(messages)
        assert here.replies == replies and here.left_out == {n: why for n, why in left_out.items() if n in messages}
    with pytest.raises(ValueError, match=r"rows must be a float tensor .* of shape \[0, 3\]"):
        method.client(without_public(own[4]), seeded(0)).send()


class Evil:
    def __reduce__(self):
        return os.mkdir, ("evil",)


def test_between_two_messages_a_client_is_kept_without_a_pickle(tmp_path, monkeypatch):
    """Each message is another process; what lies there in between is tensors and numbers, and somebody else's is not
    read."""
    monkeypatch.chdir(tmp_path)
    file, *_ = save_parts(Mean().split(karate(4), seeded(0)), tmp_path)
    context = SimpleNamespace(node_config={"part": str(file), "seed": 1}, run_id=7)
    client, state = Mean().client(load_part(file), seeded(1)), tmp_path / ".client-0.pt.7"
    message = flower.answer(Mean(), {}, "train", context)["message"]
    assert message == client.send() and state.stat().st_mode & 0o777 == 0o600
    client.receive(message)
    assert flower.answer(Mean(), {"answer": message}, "train", context)["message"] == client.send()
    state.chmod(0o640)
    with pytest.raises(PermissionError, match="must be a file of your own"):
        flower.answer(Mean(), {}, "train", context)
    state.write_bytes(pickle.dumps(Evil())), state.chmod(0o600)
    with pytest.raises(ValueError, match="holds no state of a client"):
        flower.answer(Mean(), {}, "train", context)
    assert not (tmp_path / "evil").exists()


def unsafe(call: ast.Call) -> bool:
    """Whether it unpickles."""
    name, how = ast.unparse(call.func), {each.arg: ast.unparse(each.value) for each in call.keywords}
    if name == "torch.load":
        return how.get("weights_only") != "True"
    return name in ("pickle.load", "pickle.loads", "joblib.load") or name.endswith("Unpickler") or (
        how.get("allow_pickle", "False") != "False")


def test_nothing_that_lies_in_a_folder_is_unpickled():
    """But what ``audit.checking`` has pickled itself a moment before."""
    lib = Path(flower.__file__).parents[1]
    found = {f"{path.relative_to(lib)}: {ast.unparse(call)}" for path in lib.rglob("*.py")
             for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(call, ast.Call) and unsafe(call)}
    assert found == {"audit/contract.py: pickle.loads(pickle.dumps(m))"}


@pytest.mark.parametrize("line, found", [("pickle.load(f)", True), ("torch.load(f)", True), ("np.load(f)", False),
                                         ("np.load(f, allow_pickle=True)", True), ("pickle.Unpickler(f).load()", True),
                                         ("torch.load(f, weights_only=False)", True), ("joblib.load(f)", True),
                                         ("torch.load(f, weights_only=True)", False),
                                         ("print('pickle.load(f)')", False)])
def test_what_unpickles_is_found(line, found):
    assert any(unsafe(call) for call in ast.walk(ast.parse(line)) if isinstance(call, ast.Call)) == found


def test_without_flower_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(flower, "Strategy", object)
    with pytest.raises(ImportError, match=r"pip install 'privgraph\[federated\]'"):
        flower.server_of(Mean(), clients=4)
    with pytest.raises(ImportError, match=r"pip install 'privgraph\[federated\]'"):
        flower.client_of(Mean())
