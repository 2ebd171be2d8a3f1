"""Certificates of `federate keys` open a connection between their server and their clients, and to nobody else."""

import shutil
import socket
import ssl
import subprocess
import threading

import pytest

from privgraph.cli import main
from privgraph.federate.keys import kind_of, make_keys
from privgraph.federate.sockets import TLSFiles

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folders = [tmp_path_factory.mktemp("keys") / name for name in ("ours", "theirs")]
    for folder in folders:
        make_keys(folder, "127.0.0.1", clients=2)
    return folders


def files(folder, name: str) -> TLSFiles:
    return TLSFiles(folder / "authority.pem", folder / f"{name}.pem", folder / f"{name}.key")


def shaken(server: TLSFiles, client: TLSFiles, host: str = "127.0.0.1") -> bytes:
    """What the client hears after both have shown their certificates."""
    here, there = socket.socketpair()
    def serve():
        try:
            with server.context(server=True).wrap_socket(there, server_side=True) as line:
                line.sendall(b"welcome")
        except (ssl.SSLError, OSError):
            there.close()
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with client.context(server=False).wrap_socket(here, server_hostname=host) as line:
            return line.recv(7)
    finally:
        thread.join()


@pytest.mark.parametrize("name", ["client-0", "client-1"])
def test_server_and_clients_know_each_other(keys, name):
    assert shaken(files(keys[0], "server"), files(keys[0], name)) == b"welcome"


def test_nobody_else_is_let_in(keys):
    ours, theirs = keys
    with pytest.raises((ssl.SSLError, OSError)):
        shaken(files(ours, "server"), files(theirs, "client-0"))
    with pytest.raises((ssl.SSLError, OSError)):  # the client looks at the server's address
        shaken(files(ours, "server"), files(ours, "client-0"), "192.0.2.1")
    with pytest.raises((ssl.SSLError, OSError)):  # a client is no server
        shaken(files(ours, "client-0"), files(ours, "client-1"))


def test_keys_are_their_owners_alone(keys):
    names = sorted(path.name for path in keys[0].iterdir())
    assert names == sorted(f"{name}.{end}" for name in ("authority", "server", "client-0", "client-1")
                           for end in ("pem", "key"))
    assert keys[0].stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in keys[0].glob("*.key"))


def test_the_command(tmp_path, capsys):
    assert main(["federate", "keys", str(tmp_path / "keys"), "--server", "graphs.example.org", "--clients", "1"]) == 0
    assert "authority.key can let anybody in" in capsys.readouterr().out
    for words, said in ((["--clients", "0"], "--clients must be"), (["--days", "0"], "--days must be"), ([], "folder")):
        assert main(["federate", "keys", str(tmp_path / "keys"), "--server", "here", *words]) == 2
        assert said in capsys.readouterr().err
    assert kind_of("::1") == "IP" and kind_of("graphs.example.org") == kind_of("3d") == kind_of("a-b.c") == "DNS"


@pytest.mark.parametrize("server", ["IP:1.2.3.4,DNS:evil", "300.1.1.1", "1.1.1", "7", "a..b", "-a", "a-.org", "a b",
                                    "x" * 64, "localhost:80", "graphs.example.1", ""])
def test_what_is_neither_an_address_nor_a_name_is_refused(server):
    with pytest.raises(ValueError, match="server must be an IP address or a name"):
        kind_of(server)


def test_files_that_do_not_belong_together_are_refused_before_anybody_waits(keys):
    ours, theirs = keys
    for name in ("server", "client-0"):
        files(ours, name).check(server=name == "server")
    swapped = TLSFiles(ours / "authority.pem", ours / "server.key", ours / "server.pem")
    another = TLSFiles(ours / "authority.pem", ours / "server.pem", ours / "client-0.key")
    strange = TLSFiles(theirs / "authority.pem", ours / "server.pem", ours / "server.key")
    no_authority = TLSFiles(ours / "authority.key", ours / "server.pem", ours / "server.key")
    for found, message in ((swapped, "certificate must be a PEM file with a certificate, got .*key, which holds a key"),
                           (no_authority, "authority must be a PEM file with a certificate, got .*, which holds a key"),
                           (another, "key must belong to the certificate, got .*client-0.key and .*server.pem"),
                           (strange, "certificate must be one that .* certifies for a server, got"),
                           (files(ours, "client-0"), "got .*client-0.pem: unsuitable certificate purpose")):
        with pytest.raises(ValueError, match=message):
            found.check(server=True)
    with pytest.raises(ValueError, match="certifies for a client, got .*client-0.pem"):
        TLSFiles(theirs / "authority.pem", ours / "client-0.pem", ours / "client-0.key").check(server=False)


def test_a_key_with_a_pass_phrase_is_refused_where_openssl_would_ask_for_it(keys, tmp_path):
    found = files(keys[0], "server")
    subprocess.run(["openssl", "ec", "-in", found.key, "-aes128", "-passout", "pass:secret", "-out",
                    tmp_path / "locked"], check=True, capture_output=True)
    with pytest.raises(ValueError, match="key must be a PEM file without a pass phrase, got .*locked"):
        TLSFiles(found.authority, found.certificate, tmp_path / "locked").check(server=True)


def test_a_server_does_not_listen_with_a_certificate_of_another_authority(keys, capsys):
    ours, theirs = keys
    words = ["--authority", theirs / "authority.pem", "--certificate", ours / "server.pem", "--key"]
    assert main(["federate", "server", "federatedgat", "--port", "0", *map(str, words), str(ours / "server.key")]) == 2
    told = capsys.readouterr()
    assert "--certificate must be one that" in told.err and "listening" not in told.out
