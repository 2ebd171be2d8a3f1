"""A system of which one call fails, and what is then wrong in a folder; also which modules write at all."""

import ast
import errno
import os
import re
import stat
from pathlib import Path

from privgraph import writing

CALLS = ("open", "write", "fsync", "close", "replace", "mkdir")


class Faulty:
    """The system, of which one call fails: ``number`` counts them from 0, and None lets all of them through.

    A write that fails has written half of what it was given, as on a full disk.
    """

    def __init__(self, number: int | None = None, error: type[BaseException] = OSError):
        self.number, self.error, self.count, self.seen = number, error, 0, []

    def __getattr__(self, name: str):
        return self.counted(name) if name in CALLS else getattr(os, name)

    def counted(self, name: str):
        def call(*arguments, **how):
            self.seen.append(name)
            self.count += 1
            if self.count - 1 != self.number:
                return getattr(os, name)(*arguments, **how)
            if name == "write":
                os.write(arguments[0], bytes(arguments[1])[:len(arguments[1]) // 2])
            if name == "close":
                os.close(*arguments)
            raise self.error(errno.ENOSPC, "No space left on device") if self.error is OSError else self.error
        return call


def kept(folder: Path) -> dict[str, bytes]:
    """All files below a folder, by their names; locks say who holds them, which is another matter."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".lock"}


def harm(write, folder: Path, monkeypatch, error: type[BaseException] = OSError) -> list[str]:
    """What is wrong under final names, or left over, when each call of ``write`` in turn fails."""
    before, found, folders = kept(folder), [], {path for path in folder.rglob("*") if path.is_dir()}
    monkeypatch.setattr(writing, "os", counting := Faulty())
    write(folder)
    whole = kept(folder)
    assert counting.count and whole != before
    for number in range(counting.count):
        restore(folder, before, folders)
        monkeypatch.setattr(writing, "os", Faulty(number, error))
        try:
            write(folder)
            wanted = [whole]  # a fault that does not matter, such as where a folder cannot be asked to settle
        except (OSError, KeyboardInterrupt):
            wanted = [before, whole]
        now = kept(folder)
        for name in now.keys() | before.keys():
            if now.get(name) not in [each.get(name) for each in wanted]:
                found.append(f"call {number} ({counting.seen[number]}): {name}")
    return found


def restore(folder: Path, content: dict[str, bytes], folders: set[Path]) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path not in folders:
            path.rmdir() if path.is_dir() else path.unlink()
    for path in sorted(folders):
        path.mkdir(exist_ok=True)
    for name, each in content.items():
        (folder / name).write_bytes(each)


def modes_of_what_is_put(write, folder: Path, monkeypatch) -> list[int]:
    """The rights of each file at the moment when something is put into it, where the process forbids nothing."""
    modes, put = [], writing.put

    def look(file, content):
        modes.append(stat.S_IMODE(os.fstat(file).st_mode))
        put(file, content)
    monkeypatch.setattr(writing, "put", look)
    before = os.umask(0)
    try:
        write(folder)
    finally:
        os.umask(before)
    return modes


def that_write(package: Path) -> set[str]:
    """The modules of a package that make, fill or move a file by themselves."""
    return {path.relative_to(package).as_posix() for path in package.rglob("*.py") for call in ast.walk(
        ast.parse(path.read_text("utf-8"))) if isinstance(call, ast.Call) and writes(call)}


def writes(call: ast.Call) -> bool:
    """Whether a call makes, fills or moves a file by itself."""
    name, values = ast.unparse(call.func), [*call.args, *(keyword.value for keyword in call.keywords)]
    words, last = [ast.unparse(each) for each in values], name.rpartition(".")[2]
    if name == "open" or last == "fdopen":
        return any(re.fullmatch("'[a-z+]*[wax+][a-z+]*'", word) for word in words[1:])
    if name in ("os.open", "os.write", "os.replace", "os.rename", "os.link", "os.mkfifo"):
        return True
    if last in ("save", "savez", "savez_compressed", "savetxt", "savefig") and name.split(".")[0] in (
            "np", "torch", "plt", "figure"):
        return not any("BytesIO" in word for word in words)
    return last in ("write_text", "write_bytes", "to_csv", "copyfile", "copytree", "touch") or name in (
        "json.dump", "pickle.dump", "nbformat.write", "shutil.move", "shutil.copy")
