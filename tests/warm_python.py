"""Python commands that start warm: forks of a process that has imported the packages, which takes seconds.

``run`` and ``start`` are what ``subprocess`` has for ``python WORD ...``. The packages are others' only: the command
itself imports the library, from where its environment says. Where Python itself must start, use ``subprocess``.
"""

import atexit
import os
import runpy
import subprocess
import sys
import tempfile
import types
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path

from warm import PACKAGES

TESTS = Path(__file__).parent
TOOLS = TESTS.parent / "tools"
OURS = ("privgraph", "privbook", "warm", "warm_python")
WARM = get_context("forkserver")  # not of this process, which has threads, and has imported the library


def start(*words: str, cwd: Path | None = None, env: Mapping[str, str] = os.environ, out: Path = Path(os.devnull),
          errors: Path = Path(os.devnull)):
    """The process of ``python WORD ...``; what it prints goes to the end of the files."""
    WARM.set_forkserver_preload([*PACKAGES, "joblib", "hypothesis", "jupytext", "pytest"])
    process = WARM.Process(target=become, args=(words, cwd or Path.cwd(), dict(env), out, errors))
    process.start()
    return process


def run(*words: str, cwd: Path | None = None, env: Mapping[str, str] = os.environ) -> subprocess.CompletedProcess:
    """What ``python WORD ...`` prints, and how it ends."""
    with tempfile.TemporaryDirectory() as folder:
        out, errors = Path(folder, "out"), Path(folder, "errors")
        process = start(*words, cwd=cwd, env=env, out=out, errors=errors)
        process.join()
        return subprocess.CompletedProcess(words, process.exitcode, out.read_text(), errors.read_text())


def become(words: tuple[str, ...], cwd: Path, env: dict[str, str], out: Path, errors: Path) -> None:
    """In the fork: be that command to its end."""
    for stream, file in ((1, out), (2, errors)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.dont_write_bytecode = bool(env.get("PYTHONDONTWRITEBYTECODE"))
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:  # who forks beside us preloads, too
        del sys.modules[name]
    first = "" if words[0] in ("-c", "-m") else str(Path(words[0]).resolve().parent)
    given = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [first, *given, *(path for path in sys.path if path and not is_for_tests(path))]
    try:
        interpret(words)
    finally:
        atexit._run_exitfuncs()


def is_for_tests(folder: str) -> bool:
    """Whether pytest alone put it on the path."""
    return Path(folder).is_relative_to(TESTS) or Path(folder) == TOOLS


def interpret(words: tuple[str, ...]) -> None:
    """As Python does it with the same words."""
    how, *more = words
    if how == "-c":
        sys.argv[:], sys.modules["__main__"] = ["-c", *more[1:]], types.ModuleType("__main__")
        exec(compile(more[0], "<string>", "exec"), vars(sys.modules["__main__"]))
    elif how == "-m":
        sys.argv[:] = more
        runpy.run_module(more[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv[:] = words
        runpy.run_path(how, run_name="__main__")


def kernels(**settings) -> tuple[str, ...]:
    """The command tools/warm.py with other settings; without packages its kernels start at once."""
    code = (f"import sys; sys.path.insert(0, {str(TOOLS)!r}); import warm; vars(warm).update({settings!r}); "
            "sys.exit(warm.main(sys.argv[1:]))")
    return sys.executable, "-c", code
