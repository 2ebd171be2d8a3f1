"""What uses of mechanisms cost together."""

import argparse
from collections.abc import Callable

from ..checks import check_choice, check_delta, check_positive
from ..mechanisms import Mechanism, all_mechanisms, name_of
from ..mechanisms.text import fields_of, made, parse
from ..privacy import Guarantee, Step, account, calibrate
from ..privacy.calibration import ACCOUNTANTS

# What `privgraph budget` can compose: mechanisms that name what dominates them.
MECHANISMS = {name: kind for name, kind in all_mechanisms().items() if hasattr(kind, "pair")}

BUDGET_HELP = """each mechanism is NAME:key=value,key=value with one of the names and its keys:
""" + "\n".join(f"  {name}: {', '.join(fields_of(kind))}" for name, kind in MECHANISMS.items()) + """
and for any of them count (how many uses) and rate (Poisson sampling; add/remove only).
example: privgraph budget laplace:epsilon=0.1,rate=0.3,count=1000 randomised-response:epsilon=1,num_classes=4"""

CALIBRATE_HELP = """example: privgraph calibrate laplace --epsilon 1 --count 100
names and keys as in `privgraph budget --help`"""


def add_commands(commands) -> None:
    budget = commands.add_parser("budget", help="compose mechanisms and print epsilon by unit and accountant",
                                 formatter_class=argparse.RawDescriptionHelpFormatter, epilog=BUDGET_HELP)
    budget.add_argument("mechanism", nargs="+", help="NAME:key=value,... see below")
    budget.add_argument("--delta", type=float, default=1e-5,
                        help="for the (epsilon, delta) accountants (default: %(default)s)")
    budget.set_defaults(command=budget_command)

    noise = commands.add_parser("calibrate", help="print the noise that keeps a target epsilon, by every accountant",
                                formatter_class=argparse.RawDescriptionHelpFormatter, epilog=CALIBRATE_HELP)
    noise.add_argument("mechanism", help="NAME:key=value,... without its scale or epsilon, which is found")
    noise.add_argument("--epsilon", type=float, required=True, help="what all uses may cost together")
    noise.add_argument("--delta", type=float, default=1e-5, help="default: %(default)s")
    noise.add_argument("--count", type=int, default=1, help="how many uses (default: %(default)s)")
    noise.add_argument("--rate", type=float, default=1.0,
                       help="Poisson sampling; for add/remove only (default: %(default)s)")
    noise.set_defaults(command=calibrate_command)


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


def calibrate_command(options) -> int:
    kind, said = parse(options.mechanism)
    name, delta = check_choice(name_of(kind), "mechanism", MECHANISMS), check_delta(options.delta)
    check_positive(options.epsilon, "epsilon")
    field = "scale" if "scale" in fields_of(kind) else "epsilon"
    if field in said:
        raise ValueError(f"{field} of {name} is what is looked for: leave it out")

    def at(scale: float) -> Mechanism:
        return made(kind, said | {field: repr(scale if field == "scale" else 1 / scale)})
    guarantee = at(1.0).guarantee
    print(f"unit: {guarantee.unit} ({guarantee.relation}, {guarantee.trust}), epsilon = {options.epsilon:g}, "
          f"delta = {delta:g}, {options.count} uses, rate {options.rate:g}")
    found = {accountant: smallest(at, options, accountant) for accountant in ACCOUNTANTS}
    for accountant, (scale, why_not) in found.items():
        print(f"  {accountant:18} " + (why_not or f"{field} = {scale if field == 'scale' else 1 / scale:.5g}"))
    return 0 if any(scale for scale, _ in found.values()) else 1


def smallest(at: Callable[[float], Mechanism], options, accountant: str) -> tuple[float | None, str]:
    """The scale by one accountant, or why it finds none."""
    sampled_at(at(1.0), options.count, options.rate)  # what is refused at any scale is no lack of one
    try:
        return calibrate(lambda scale: [sampled_at(at(scale), options.count, options.rate)], options.epsilon,
                         options.delta, accountant), ""
    except (ValueError, AttributeError) as error:
        return None, f"none: {error}"


def parse_mechanism(text: str) -> tuple[Guarantee, Step]:
    """(guarantee, step) of one NAME:key=value,... argument."""
    kind, said = parse(text)
    check_choice(name_of(kind), "mechanism", MECHANISMS)
    read = {"count": int, "rate": float}
    uses = {"count": 1, "rate": 1.0}
    for key in read.keys() & said.keys():
        try:
            uses[key] = read[key](value := said.pop(key))
        except ValueError:
            raise ValueError(f"{key} must be a {'whole ' * (key == 'count')}number, got {value!r}") from None
    mechanism = made(kind, said)
    return mechanism.guarantee, sampled_at(mechanism, **uses)


def sampled_at(mechanism: Mechanism, count: int, rate: float) -> Step:
    """So many uses of a mechanism, each on a Poisson sample."""
    if rate < 1 and mechanism.guarantee.relation != "add/remove":
        raise ValueError(f"rate must be 1 for {name_of(type(mechanism))}: Poisson sampling amplifies under add/remove "
                         f"of whole people only, and its relation is {mechanism.guarantee.relation!r}")
    return Step(mechanism.pair if rate == 1 else mechanism.pair.poisson(rate), count)
