"""The library as a wheel, alone in a new environment, passes its unit tests: it needs nothing of this repository.

Beside the wheel and what that asks for, only pytest and hypothesis are installed; what an extra would bring is skipped.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ("tests/unit", "tests/statistical")
COMPILED = shutil.ignore_patterns("__pycache__")


def run(*words, **how) -> None:
    subprocess.run([*map(str, words)], check=True, **how)


def built(folder: Path, uv: str) -> Path:
    """The wheel, built of a copy: what building leaves behind is nobody's."""
    source = folder / "source"
    shutil.copytree(ROOT / "lib" / "privgraph", source / "lib" / "privgraph", ignore=COMPILED)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    run(uv, "build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", folder,
        source)
    wheel, = folder.glob("privgraph-*.whl")
    return wheel


def tests_alone(folder: Path) -> Path:
    """The unit tests, and what they share, in a folder of their own."""
    place = folder / "alone"
    for name in (*TESTS, "tools"):
        shutil.copytree(ROOT / name, place / name, ignore=COMPILED)
    for path in [*(ROOT / "tests").glob("*.py"), *(ROOT / "tests").glob("*.json")]:
        if not path.name.startswith("test_"):
            shutil.copy(path, place / "tests")
    shutil.copy(ROOT / "pyproject.toml", place)
    return place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    jobs = parser.parse_args().jobs
    uv = str(Path(sys.executable).parent / "uv")
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PRIVGRAPH_DATA")}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        wheel, python = built(folder, uv), folder / "environment" / "bin" / "python"
        run(sys.executable, "-m", "venv", folder / "environment")
        run(uv, "pip", "install", "--quiet", "--python", python, wheel, "pytest", "hypothesis", "pytest-xdist",
            "--constraint", ROOT / "constraints.txt", env=clean | links())
        sys.exit(subprocess.run([str(python), "-m", "pytest", "-q", "-n", str(jobs), "--dist", "loadfile", "-m",
                                 "not full", *TESTS], cwd=tests_alone(folder),
                                env=clean | {"PRIVGRAPH_CACHE": str(folder / "none")}).returncode)


def links() -> dict[str, str]:
    """Where pip is told to look for wheels, in the words of uv."""
    found = os.environ.get("PIP_FIND_LINKS")
    return {"UV_FIND_LINKS": found} if found else {}


if __name__ == "__main__":
    main()
