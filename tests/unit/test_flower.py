"""The same federation under Flower: SuperLink and SuperNodes as processes, listening on 127.0.0.1 only."""

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

import numpy as np
import psutil
import pytest

from privgraph import datasets
from privgraph.federate import flower, save_parts
from privgraph.methods.federated import hold
from privgraph.processes import end
from privgraph.randomness import draw_seed, seeded
from toy_federation import Mean

APP = """
import os, pickle
from pathlib import Path
from privgraph.federate.flower import client_of, server_of
from toy_federation import Mean

def tell(told):
    with open(os.environ["TOLD"], "ab") as file:
        pickle.dump(tuple(map(dict, (told.messages, told.answers, told.left_out))), file)

method = {method!r}
server_app = server_of(method, clients=4, seed={seed}, timeout=300, tell=tell)
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

    def run(method, files, server_seed, seeds):
        serverapp, fleet, control, *clients = (f"127.0.0.1:{port}" for port in free_ports(3 + len(files)))
        write_app(tmp_path / "app", method, server_seed)
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
        wait_for(lambda: listening.update(heard_at()) or len(told(tmp_path)) == method.rounds, 900)
        wait_for(lambda: files[0].with_suffix(".npy").exists(), 300)
        time.sleep(1)
        return told(tmp_path), listening
    yield run
    end(started)


def write_app(folder, method, seed):
    """The two files, as the module says that they must be."""
    folder.mkdir()
    (folder / "app.py").write_text(APP.format(method=method, seed=seed))
    written = re.search(r'``pyproject.toml``::\n\n(.*?\n)\n\S', flower.__doc__, re.DOTALL).group(1)
    (folder / "pyproject.toml").write_text(textwrap.dedent(written))


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


DATA = hold(datasets.load("karate"), seeded(0), clients=4, public=0.4, private=0.1)


def trouble(**by_client):
    return tuple((int((DATA.holder == int(name[1:])).nonzero()[0]), what) for name, what in by_client.items())


def coins():
    generator = seeded(3)
    return draw_seed(generator), [draw_seed(generator) for _ in range(4)]


@pytest.mark.slow
def test_under_flower_it_gives_what_it_gives_in_one_process(running, tmp_path):
    server_seed, seeds = coins()
    files = save_parts(Mean().split(DATA, seeded(0)), tmp_path)
    rounds, listening = running(Mean(), files, server_seed, seeds)
    clients, here = Mean().run(DATA, seeded(3))
    assert rounds == [(dict(each.messages), dict(each.answers), dict(each.left_out)) for each in here]
    for number, path in enumerate(files):
        assert np.array_equal(np.load(path.with_suffix(".npy")), clients[number].embeddings())
    assert listening == {"127.0.0.1"}
    assert [path.name for path in tmp_path.glob(".*")] == []  # nothing private is left lying


@pytest.mark.slow
def test_under_flower_who_sends_nan_is_killed_or_fails_is_left_out_and_the_round_goes_on(running, tmp_path):
    method = Mean(rounds=3, trouble=trouble(c1="nan", c2="killed", c3="fails"))
    server_seed, seeds = coins()
    rounds, _ = running(method, save_parts(method.split(DATA, seeded(0)), tmp_path), server_seed, seeds)
    assert [left_out for *_, left_out in rounds] == [
        {}, {1: "rows must be finite, got NaN or infinite numbers", 2: "its SuperNode gave no message",
             3: "its SuperNode gave no message"},
        {2: "its SuperNode gave no message", 3: "its SuperNode gave no message"}]
    assert [sorted(answers) for _, answers, _ in rounds] == [[0, 1, 2, 3], [0], [0, 1]]


def test_without_flower_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(flower, "Strategy", object)
    with pytest.raises(ImportError, match=r"pip install 'privgraph\[federated\]'"):
        flower.server_of(Mean(), clients=4)
    with pytest.raises(ImportError, match=r"pip install 'privgraph\[federated\]'"):
        flower.client_of(Mean())


def test_where_the_extra_is_named():
    pins = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^federated = \["flwr==1\.27\.0"\]', pins, re.MULTILINE)
    assert "flwr" not in (Path(__file__).parents[2] / "requirements.txt").read_text(encoding="utf-8")
