"""Options from a file: ``--config FILE`` stands for the options that it names, and what is typed beside it counts more.

The file is TOML: ``epsilon-x = 2``, ``feature-range = [0, 1]``, ``json = true``. ``run --save`` writes one of its own.
"""

from __future__ import annotations

import json
import tomllib
from argparse import Action
from collections.abc import Collection
from pathlib import Path

from .spelling import ExactParser, lists, option_of

NOT_KEPT = ("config", "save", "replace", "report")  # of what a run was told, what is about its own files


def add_config_option(parser: ExactParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="a TOML file with options by name, such as "
                        "epsilon-x = 2; what is typed counts more")
    parser.before = with_config


def with_config(parser: ExactParser, words: list[str]) -> list[str]:
    """The words that were typed, and before them those of the file that they name, so that the typed ones win."""
    files = [file if is_one else after for (name, is_one, file), after in
             zip((word.partition("=") for word in words), [*words[1:], "-"], strict=False) if name == "--config"]
    if not files or not files[0] or files[0].startswith("-"):  # which argparse refuses
        return words
    found = words_of(Path(files[0]), parser, {
        parser.named(word) for word in words if not word.startswith("--config")} - {None})
    parser.held = {word.partition("=")[0]: files[0] for word in found if word.startswith("--")}
    parser.check_once(found)
    return [*found, *words]


def words_of(path: Path, parser: ExactParser, but: Collection[Action | None] = ()) -> list[str]:
    """The options of a file, as if they were typed.

    :param but: those that somebody did type.
    :raises ValueError: for a file that is no TOML, or holds tables.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"--config must name a TOML file, got {path}: {error}") from error
    except OSError as error:
        raise ValueError(f"--config must name a TOML file, got {path}: {error.strerror}") from error
    return [word for name, value in found.items() if parser.named(option_of(name)) not in {*but}
            for word in typed(name, value, path, parser)]


def typed(name: str, value, path: Path, parser: ExactParser) -> list[str]:
    """One line of the file."""
    action = parser.named(option := option_of(name))
    if isinstance(value, dict):
        raise ValueError(f"--config must hold options and no tables, got [{name}] in {path}")
    if option == "--config":
        raise ValueError(f"--config must hold options of a run and no other such file, got {name} = {value} in {path}")
    if value is False and action and action.nargs == 0:  # of a flag that there is no word against, nothing
        return [against] if (against := f"--no-{option[2:]}") in parser._option_string_actions else []
    if value is True and (action is None or action.nargs == 0):
        return [option]
    if isinstance(value, list) and action and action.nargs is None:
        if not lists(action):
            raise ValueError(f"--config must hold one word for {name}, got {json.dumps(value, default=str)} in {path}")
        value = ",".join(map(str, value))  # as in --epsilon 1,2,4
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
