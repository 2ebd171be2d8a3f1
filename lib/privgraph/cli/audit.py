"""Evidence that runs: whatever a mechanism or a method promises."""

from collections.abc import Collection, Mapping

from ..audit import check_mechanism
from ..audit.promises import NOT_PROMISED, promise
from ..audit.verdict import NOTHING_TO_REFUTE, REFUTED, STATUS
from ..checks import check_choice
from ..mechanisms import Mechanism, all_mechanisms
from ..mechanisms.text import imported, made, said_in
from ..methods import Method, all_methods, check_method


def add_commands(commands) -> None:
    audit = commands.add_parser("audit", help="try all that a mechanism or a method promises, and name what refutes it")
    audit.add_argument(
        "name", help="of a mechanism or a method, NAME or NAME:key=value,...; or module:Class for one of your own, "
        "found from here. Status 1: refuted, 3: nothing that could refute was run")
    audit.set_defaults(command=audit_command)
    audit.otherwise = "what is said of a mechanism or a method stands in its name, NAME:key=value,..."


def audit_command(options) -> int:
    kind, said = named(options.name)
    called = options.name.partition("=")[0].rpartition(":")[0] if said else options.name
    tried = (made(kind, said, called),) if said else kind.examples()
    if not tried:
        raise ValueError(f"{kind.__name__} has no examples(); say which one: {options.name}:key=value,...")
    check, reports = check_mechanism if issubclass(kind, Mechanism) else check_method, []
    for each in tried:
        try:
            reports.append(check(each))
        except AssertionError as failure:
            print(f"{each!r}\n  {failure}\n{REFUTED}")
            return STATUS[REFUTED]
        except NotImplementedError as missing:  # such as an audit_case()
            print(f"{each!r}\n  {missing}\n{NOTHING_TO_REFUTE}")
            return STATUS[NOTHING_TO_REFUTE]
    if isinstance(tried[0], Mechanism):
        print(promise(tried[0]))
        print("  not promised: " + "; ".join(f"{name} ({why})" for name, why in NOT_PROMISED.items()))
    print(*reports, sep="\n")
    return max(STATUS[report.verdict] for report in reports)


def known_name(name: str, known: Collection[str]) -> str:
    try:
        return check_choice(name, "name", known)
    except ValueError as error:
        raise ValueError(f"{error}; one of your own is called module:Class") from error


def named(text: str, known: Mapping[str, type[Mechanism] | type[Method]] | None = None,
          ) -> tuple[type[Mechanism] | type[Method], dict[str, str]]:
    """The kind of mechanism or method that is meant, and what is said of it.

    :param known: by name; None: all mechanisms and methods.
    """
    (name, *rest), known = text.split(":"), all_mechanisms() | all_methods() if known is None else known
    if name in known or not (rest and rest[0].isidentifier()):
        return known[known_name(name, known)], said_in(":".join(rest), text)
    kind = getattr(module := imported(name), rest[0], None)
    if not (isinstance(kind, type) and issubclass(kind, (Mechanism, Method))):
        raise ValueError(f"name must say a subclass of Mechanism or Method, got {text!r}"
                         + (f", and there is no {rest[0]} in {name}" if not hasattr(module, rest[0]) else ""))
    del rest[0]
    return kind, said_in(":".join(rest), text)
