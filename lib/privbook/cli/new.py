"""``privbook new``: the skeleton of something that is to be added to this repository."""

from ..skeletons import KINDS, MARK, PLACES, write_skeletons


def add_commands(commands) -> None:
    new = commands.add_parser("new", help="write the skeleton of a mechanism, a method, an experiment or a chapter")
    new.add_argument("what", choices=[*PLACES])
    new.add_argument("name", help="of the module, as noisy_degrees; of a chapter, as 10_lppge")
    new.add_argument("--kind", choices=KINDS, default="local", help="of a method (default: %(default)s)")
    new.set_defaults(command=new_command)


def new_command(options) -> int:
    for path in write_skeletons(options.what, options.name, kind=options.kind):
        print(f"{path}: think about {path.read_text(encoding='utf-8').count(MARK)} places, marked {MARK}")
    print(f'what comes next: CONTRIBUTING.md, "A new {options.what}"')
    return 0
