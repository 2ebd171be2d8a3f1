"""Evidence that runs: whatever a mechanism promises."""

import os
import sys

from ..audit import CheckFailed, check_mechanism
from ..audit.promises import NOT_PROMISED, promise
from ..mechanisms.text import made, parse


def add_commands(commands) -> None:
    audit = commands.add_parser("audit", help="try all that a mechanism promises, and name what refutes it")
    audit.add_argument(
        "mechanism", help="NAME or NAME:key=value,...; or module:Class for one of your own, found from here")
    audit.set_defaults(command=audit_command)


def audit_command(options) -> int:
    sys.path.insert(0, os.getcwd())  # for a module of one's own
    kind, said = parse(options.mechanism)
    mechanisms = (made(kind, said),) if said else kind.examples()
    if not mechanisms:
        raise ValueError(f"{kind.__name__} has no examples(); say which one: {options.mechanism}:key=value,...")
    try:
        for mechanism in mechanisms:
            print(check_mechanism(mechanism))
        print(promise(mechanisms[0]))
        print("  not promised: " + "; ".join(f"{name} ({why})" for name, why in NOT_PROMISED.items()))
    except CheckFailed as failure:
        print(failure)
        return 1
    return 0
