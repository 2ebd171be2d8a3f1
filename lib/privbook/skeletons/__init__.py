"""Skeletons: files to begin with, which keep their contract already and say TODO where somebody has to think.

They are the text files of this folder. ``CONTRIBUTING.md`` says what follows them.
"""

import keyword
import re
from pathlib import Path

from privgraph.checks import check_choice
from privgraph.writing import write_all

FOLDER = Path(__file__).parent
MARK = "TODO"  # a test refuses it in chapters and in the library, and in no skeleton
KINDS = ("local", "distilled", "curated", "embedding", "federation", "episodes")  # of methods
# What is written: skeleton -> its place in the repository. A name may serve a mechanism and a method.
PLACES = {
    "mechanism": {"mechanism.py": "lib/privgraph/mechanisms/{name}.py",
                  "test_mechanism.py": "tests/unit/test_mechanisms_{name}.py"},
    "method": {"method_{kind}.py": "lib/privgraph/methods/{name}.py",
               "test_method.py": "tests/unit/test_methods_{name}.py"},
    "experiment": {"experiment.py": "lib/privbook/papers/{name}.py"},
    "chapter": {"chapter.md": "chapters/{name}.md"},
}
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
CHAPTER = re.compile(r"\d\d(_[a-z0-9]+)+")


def check_new_name(name: str, what: str) -> str:
    """A name that can be a module's, or, for a chapter, one that begins with its two-digit number."""
    form, allowed = (CHAPTER, "as 10_lppge") if what == "chapter" else (NAME, "as noisy_degrees")
    if not isinstance(name, str) or not form.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(f"name of a {what} must be small letters, digits and single underscores, {allowed}; "
                         f"got {name!r}")
    return name


def write_skeletons(what: str, name: str, root: str | Path = ".", kind: str = "local") -> list[Path]:
    """Write the skeletons of something new, and return the files; nothing is ever overwritten.

    :param what: mechanism, method, experiment or chapter.
    :param name: of the new module or chapter.
    :param root: of a checkout of this repository.
    :param kind: of a method, one of ``KINDS``.
    :raises FileExistsError: naming the file that is in the way; nothing has been written then.
    """
    places, root = PLACES[check_choice(what, "what", PLACES)], Path(root)
    check_new_name(name, what), check_choice(kind, "kind", KINDS)
    files = {root / place.format(name=name): skeleton.format(kind=kind) for skeleton, place in places.items()}
    for path in files:
        if not path.parent.is_dir():
            raise FileNotFoundError(f"root must be a checkout of this repository, got {root}: "
                                    f"it has no folder {path.parent.relative_to(root)}")
        if path.exists() or path.with_suffix("").is_dir():
            raise FileExistsError(f"{path} is there already; nothing was written")
    return write_all({path: filled(skeleton, name) for path, skeleton in files.items()}, name="root")


def filled(skeleton: str, name: str) -> str:
    """The text of a skeleton for a name.

    >>> filled("test_method.py", "noisy_degrees").splitlines()[0]
    '\"\"\"NoisyDegrees: it keeps what its kind promises, and TODO.\"\"\"'
    """
    text = (FOLDER / f"{skeleton}.txt").read_text(encoding="utf-8")
    told = {"CamelName": "".join(map(str.capitalize, name.split("_"))), "snake_name": name,
            "kebab-name": name.replace("_", "-")}
    return re.sub("|".join(told), lambda found: told[found[0]], text)
