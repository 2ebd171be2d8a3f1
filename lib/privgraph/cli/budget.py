"""What uses of mechanisms cost together."""

import argparse

from ..checks import check_choice, check_delta
from ..mechanisms import all_mechanisms, name_of
from ..mechanisms.text import fields_of, made, parse
from ..privacy import Step, account

# What `privgraph budget` can compose: mechanisms that name what dominates them.
MECHANISMS = {name: kind for name, kind in all_mechanisms().items() if hasattr(kind, "pair")}

BUDGET_HELP = """each mechanism is NAME:key=value,key=value with one of the names and its keys:
""" + "\n".join(f"  {name}: {', '.join(fields_of(kind))}" for name, kind in MECHANISMS.items()) + """
and for any of them count (how many uses) and rate (Poisson sampling; add/remove only).
example: privgraph budget laplace:epsilon=0.1,rate=0.3,count=1000 randomised-response:epsilon=1,num_classes=4"""


def add_commands(commands) -> None:
    budget = commands.add_parser("budget", help="compose mechanisms and print epsilon by unit and accountant",
                                 formatter_class=argparse.RawDescriptionHelpFormatter, epilog=BUDGET_HELP)
    budget.add_argument("mechanism", nargs="+", help="NAME:key=value,... see below")
    budget.add_argument("--delta", type=float, default=1e-5,
                        help="for the (epsilon, delta) accountants (default: %(default)s)")
    budget.set_defaults(command=budget_command)


def budget_command(options) -> int:
    check_delta(options.delta)
    units = {}
    for text in options.mechanism:
        guarantee, step = parse_mechanism(text)
        units.setdefault((guarantee.unit, guarantee.relation, guarantee.trust), []).append(step)
    for (unit, relation, trust), steps in units.items():
        print(f"unit: {unit} ({relation}, {trust}), delta = {options.delta:g}")
        for accountant, epsilon in account(steps, options.delta).items():
            remark = " (a lower bound)" if "optimistic" in accountant else ""
            print(f"  {accountant:18} epsilon = {epsilon:.4g}{remark}")
    if len(units) > 1:
        print("different units do not add; lift them to one unit first (Guarantee.lift)")
    return 0


def parse_mechanism(text: str):
    """(guarantee, step) of one NAME:key=value,... argument."""
    kind, said = parse(text)
    name = check_choice(name_of(kind), "mechanism", MECHANISMS)
    count, rate = int(said.pop("count", 1)), float(said.pop("rate", 1))
    mechanism = made(kind, said)
    if rate < 1 and mechanism.guarantee.relation != "add/remove":
        raise ValueError(f"rate must be 1 for {name}: Poisson sampling amplifies under add/remove of whole people "
                         f"only, and its relation is {mechanism.guarantee.relation!r}")
    pair = mechanism.pair if rate == 1 else mechanism.pair.poisson(rate)
    return mechanism.guarantee, Step(pair, count)
