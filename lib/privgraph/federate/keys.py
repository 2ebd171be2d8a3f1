"""Certificates for a federation on several machines: an authority, and what it signs for the server and each client.

OpenSSL makes them, as nobody should write that anew; nothing here computes with keys.
"""

import ipaddress
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from ..checks import check_count
from ..writing import new_folder

AUTHORITY = "authority"
MOST_CLIENTS = 10_000
# Letters, digits and dashes within; digits alone at the end would be an address, of which 300.1.1.1 is none.
PART, LONGEST = r"[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?", 253
NAME = re.compile(rf"(?:{PART}\.)*(?!\d+$){PART}", re.IGNORECASE | re.ASCII)
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def make_keys(folder, server: str, clients: int, days: int = 365) -> list[Path]:
    """Write ``authority.pem``, and ``NAME.pem`` with ``NAME.key`` for the server and each client, into a new folder.

    A machine gets ``authority.pem`` and its own two files. Whoever has ``authority.key`` can let anybody in.

    :param folder: a new one, which its owner alone may read.
    :param server: the IP address or name at which clients find the server; they check it.
    :param clients: how many, at least 1: ``client-0`` and so on.
    :param days: how long the certificates are valid, at least 1.
    :returns: all files.
    :raises ValueError: for what is neither an address nor a name.
    :raises FileNotFoundError: where there is no openssl.
    """
    check_count(clients, "clients", low=1, high=MOST_CLIENTS), check_count(days, "days", low=1, high=36_500)
    if shutil.which("openssl") is None:
        raise FileNotFoundError("openssl must be installed: it makes the certificates")
    names = {"server": f"subjectAltName={kind_of(server)}:{server}"} | {
        f"client-{number}": "extendedKeyUsage=clientAuth" for number in range(clients)}
    with new_folder(folder, "folder", 0o700) as place:
        run = in_folder(place)
        run("req", "-x509", *KEY, "-days", str(days), "-subj", f"/CN={AUTHORITY}", "-addext",
            "keyUsage=critical,keyCertSign,cRLSign", "-keyout", f"{AUTHORITY}.key", "-out", f"{AUTHORITY}.pem")
        for name, extension in names.items():
            run("req", *KEY, "-subj", f"/CN={name}", "-addext", extension, "-keyout", f"{name}.key", "-out", "request")
            run("x509", "-req", "-in", "request", "-CA", f"{AUTHORITY}.pem", "-CAkey", f"{AUTHORITY}.key",
                "-CAcreateserial", "-days", str(days), "-copy_extensions", "copy", "-out", f"{name}.pem")
        for left in ("request", f"{AUTHORITY}.srl"):
            (place / left).unlink(missing_ok=True)
    return sorted(Path(folder).iterdir())


def kind_of(server: str) -> str:
    """What a certificate calls an address: IP or DNS."""
    try:
        ipaddress.ip_address(server)
        return "IP"
    except ValueError:
        if not NAME.fullmatch(server) or len(server) > LONGEST:
            raise ValueError(f"server must be an IP address or a name such as graphs.example.org, got {server!r}"
                             ) from None
        return "DNS"


def in_folder(place: Path) -> Callable[..., None]:
    def run(*words: str) -> None:
        done = subprocess.run(["openssl", *words], cwd=place, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise OSError(f"openssl {words[0]} failed: {done.stderr.strip().splitlines()[-1:]}")
    return run
