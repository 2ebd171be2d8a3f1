"""What `make book` installs can be had for every Python that the book names."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv", path=Path(sys.executable).parent) or shutil.which("uv")


def resolve(requirement: str, *options: str) -> subprocess.CompletedProcess:
    """uv's answer, from the index that this machine is set up with; no Python is downloaded for it."""
    links = {"UV_FIND_LINKS": os.environ["PIP_FIND_LINKS"]} if os.environ.get("PIP_FIND_LINKS") else {}
    return subprocess.run([UV, "pip", "compile", "--quiet", "-", *options], input=requirement, cwd=ROOT, text=True,
                          capture_output=True, timeout=300, env={**os.environ, **links, "UV_PYTHON_DOWNLOADS": "never"})


@pytest.fixture(scope="module")
def index():
    """Skips where there is nothing to resolve with; what is asked for here has no dependency that could fail."""
    if UV is None:
        pytest.skip("uv is not installed: `make test` installs it")
    if resolve("pyyaml", "--no-deps").returncode:
        pytest.skip("no package index can be reached from here")


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11.2", "3.12", "3.13"])  # 3.11.2 is Debian 12's own
def test_the_pins_resolve(index, version):
    answer = resolve("-r requirements.txt", "-c", "constraints.txt", "--python-version", version)
    assert answer.returncode == 0, answer.stderr
    assert "beautifulsoup4==" in answer.stdout, "nothing was resolved"


def test_where_the_extra_of_flower_is_named():
    pins = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^federated = \["flwr==1\.27\.0"\]', pins, re.MULTILINE)
    assert "flwr" not in (ROOT / "requirements.txt").read_text(encoding="utf-8")
