"""Names: one of a list, or what may become the name of a file."""

import re

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_choice(value: str, name: str, allowed) -> str:
    """One of a fixed list of names."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(sorted(allowed))}; got {value!r}")
    return value


def check_name(value: str, name: str = "name") -> str:
    """The name of a graph or an experiment, which names files too: letters, digits, dots, dashes and underscores."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise ValueError(f"{name} must be made of letters, digits, dots, dashes and underscores, a letter or digit first, "
                         f"at most 100, got {value!r}")
    return value
