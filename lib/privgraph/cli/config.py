"""Options from a file: ``--config FILE`` stands for the options that it names, and what is typed beside it counts more.

The file is TOML: ``epsilon-x = 2``, ``feature-range = [0, 1]``, ``json = true``. ``run --save`` writes one of its own.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from .spelling import ExactParser

NOT_KEPT = ("config", "save", "replace", "report")  # of what a run was told, what is about its own files


def add_config_option(parser: ExactParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="a TOML file with options by name, such as "
                        "epsilon-x = 2; what is typed counts more")
    parser.before = with_config


def with_config(parser: ExactParser, words: list[str]) -> list[str]:
    """The words that were typed, and before them those of the file that they name, so that the typed ones win."""
    for number, word in enumerate(words):
        name, is_one, file = word.partition("=")
        if name == "--config" and (is_one or number + 1 < len(words)):
            return [*words_of(Path(file if is_one else words[number + 1]), parser), *words]
    return words


def words_of(path: Path, parser: ExactParser) -> list[str]:
    """The options of a file, as if they were typed.

    :raises ValueError: for a file that is no TOML, or holds tables.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"--config must name a TOML file, got {path}: {error}") from error
    return [word for name, value in found.items() for word in typed(name, value, path, parser)]


def typed(name: str, value, path: Path, parser: ExactParser) -> list[str]:
    """One line of the file."""
    option = "--" + name.replace("_", "-")
    if isinstance(value, dict):
        raise ValueError(f"--config must hold options and no tables, got [{name}] in {path}")
    if value is True:
        return [option]
    if value is False:  # of a flag that there is no word against, nothing
        known = {word for action in parser._actions for word in action.option_strings}
        return [against] if (against := f"--no-{option[2:]}") in known else []
    return [option, *map(str, value)] if isinstance(value, list) else [f"{option}={value}"]


def as_toml(words: list[str]) -> str:
    """A file of what was typed, the last word on each option; for ``--config``.

    >>> print(as_toml(["--epsilon-x", "2", "--feature-range", "0", "1", "--no-standardize", "--epsilon-x=3"]), end="")
    epsilon-x = "3"
    feature-range = ["0", "1"]
    no-standardize = true
    """
    found: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("--"):
            name, is_one, value = word[2:].partition("=")
            found[name] = own = [value] if is_one else []
        else:
            own.append(word)
    lines = {name: True if not own else own[0] if len(own) == 1 else own for name, own in found.items()
             if name not in NOT_KEPT}
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in lines.items())
