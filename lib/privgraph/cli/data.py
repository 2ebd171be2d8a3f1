"""Graphs: which are at hand, and what is wrong with a file."""

from .. import datasets


def add_commands(commands) -> None:
    data = commands.add_parser("data", help="list the known graphs, or download one")
    data.add_argument("name", nargs="?", help="graph to download into the cache")
    data.set_defaults(command=data_command)

    check = commands.add_parser("check", help="say what is wrong with a graph file")
    check.add_argument("file")
    check.set_defaults(command=check_command)


def data_command(options) -> int:
    if options.name:
        print(f"{options.name} is now in {datasets.download(options.name)}")
        return 0
    for card in datasets.CARDS.values():
        state = "at hand" if datasets.at_hand(card.name) else "not here"
        print(f"{card.name:20} {state:9} {card.title}")
    return 0


def check_command(options) -> int:
    problems, remarks = datasets.check_file(options.file)
    for line in [*(f"problem: {p}" for p in problems), *remarks]:
        print(line)
    print("this file cannot be used as it is" if problems else "ok")
    return 1 if problems else 0
