"""What uses of mechanisms cost together, and how much noise keeps a target."""

import argparse
import math
from collections.abc import Callable

from ..checks import check_fraction, check_number, check_positive
from ..checks.parameters import whole
from ..mechanisms.text import fields_of, made
from ..privacy import (
    ConcentratedPair,
    FinitePair,
    GaussianPair,
    Step,
    asking,
    calibrate,
    delta_answers,
    epsilon_answers,
    pure_rho,
)
from ..privacy.asking import best, printed
from ..privacy.calibration import ACCOUNTANTS, cost
from .uses import GROWING, Sampling, Stated, fitting, forms, parsed, read, steps_of

KNOWN = forms()
BUDGET_HELP = """each mechanism is NAME:key=value,key=value with one of the names and its keys:
""" + "\n".join(f"  {name}: {' | '.join(', '.join(fields_of(kind)) for kind in kinds)}"
                for name, kinds in KNOWN.items()) + """
and for any of them
  count          how many uses; 1e6 is a whole number too
  rate           each on a Poisson sample with this probability (add/remove only)
  batch, people  each on so many of so many people, without replacement (replace only)
zcdp, gdp, pure and approximate say what is known of a mechanism that is not ours; sigma is in the units of the answer,
noise_multiplier in units of the sensitivity.
examples: privgraph budget laplace:epsilon=0.1,rate=0.3,count=1000 randomised-response:epsilon=1,num_classes=4
          privgraph budget gaussian:noise_multiplier=1.1,rate=0.01,count=1000 --at-epsilon 2"""

CALIBRATE_HELP = """examples: privgraph calibrate laplace --epsilon 1 --count 100
          privgraph calibrate gaussian --epsilon 2 --delta 1e-5 --count 1000 --rate 0.01   (DP-SGD)
          privgraph calibrate zcdp --epsilon 1 --delta 1e-6
names and keys as in `privgraph budget --help`"""
USES = "how often, and on whom, is said with --count, --rate, --batch and --people"
OTHERWISE = "what is said of a mechanism stands in its name, NAME:key=value,..."


def add_commands(commands) -> None:
    budget = commands.add_parser("budget", help="compose mechanisms and print epsilon by unit and accountant",
                                 formatter_class=argparse.RawDescriptionHelpFormatter, epilog=BUDGET_HELP,
                                 allow_abbrev=False)
    budget.add_argument("mechanism", nargs="+", help="NAME:key=value,... see below")
    asked = budget.add_mutually_exclusive_group()
    asked.add_argument("--delta", type=float, default=1e-5, help="at which epsilon is printed; may be 0 "
                                                                 "(default: %(default)s)")
    asked.add_argument("--at-epsilon", type=float, help="print delta at this epsilon instead")
    budget.set_defaults(command=budget_command)
    budget.otherwise = OTHERWISE

    noise = commands.add_parser("calibrate", help="print the noise that keeps a target epsilon, by every accountant",
                                formatter_class=argparse.RawDescriptionHelpFormatter, epilog=CALIBRATE_HELP,
                                allow_abbrev=False)
    noise.add_argument("mechanism", help="NAME:key=value,... without its noise or epsilon, which is found")
    noise.add_argument("--epsilon", type=float, required=True, help="what all uses may cost together")
    noise.add_argument("--delta", type=float, default=1e-5, help="may be 0 (default: %(default)s)")
    noise.add_argument("--count", type=count, default=1, help="how many uses (default: %(default)s)")
    noise.add_argument("--rate", type=float, default=1.0,
                       help="Poisson sampling; for add/remove only (default: %(default)s)")
    noise.add_argument("--batch", type=count, help="a sample of this size without replacement; for replace only")
    noise.add_argument("--people", type=count, help="of how many people the batch is drawn")
    noise.add_argument("--unit", help="which of the mechanism's units the target is for, where it has several")
    noise.add_argument("--relation", help="and between which neighbours")
    noise.set_defaults(command=calibrate_command)
    noise.otherwise = OTHERWISE


def count(text: str) -> int:
    """A whole number, as 1000 or 1e3."""
    try:
        return whole(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a count must be a whole number, got {text!r}") from None


def budget_command(options) -> int:
    check_fraction(options.delta, "delta")
    if options.at_epsilon is not None:
        check_number(options.at_epsilon, "--at-epsilon", low=0, open_high=True, allowed="be at least 0 and finite")
    units = {}
    for text in options.mechanism:
        for guarantee, steps in steps_of(*read(text)):
            place = units.setdefault((guarantee.unit, guarantee.relation, guarantee.trust), ([], []))
            place[0].append(text), place[1].extend(steps)
    answered = [print_unit(unit, texts, steps, options) for unit, (texts, steps) in units.items()]
    if len(units) > 1:
        print("different units do not add; lift them to one unit first (Guarantee.convert)")
    return 0 if all(answered) else 1


def print_unit(unit: tuple[str, str, str], texts: list[str], steps: list[Step], options) -> bool:
    """One table; whether any accountant has an answer."""
    at = f"delta = {options.delta:g}" if options.at_epsilon is None else f"epsilon = {options.at_epsilon:g}"
    print(f"unit: {unit[0]} ({unit[1]}, {unit[2]}), {at}")
    if len(texts) < len(options.mechanism):
        print(f"  of {' '.join(texts)} alone")
    rows, what = ((epsilon_answers(steps, options.delta), "epsilon") if options.at_epsilon is None else
                  (delta_answers(steps, options.at_epsilon), "delta"))
    for accountant, answer in rows.items():
        remark = "" if answer.upper else " (a lower bound)"
        print(f"  {accountant:18} " + (f"{what} = {answer}{remark}" if answer.value is not None else str(answer)))
    for line in currencies(steps):
        print(f"  {line}")
    if found := best(rows):
        print(f"report this one: {what} = {found[1]} at {at}, by {found[0]}")
    return found is not None


def currencies(steps: list[Step]) -> list[str]:
    """What is spent as zCDP and as GDP, where each step has both or one of them."""
    said = []
    if all(isinstance(step.pair, GaussianPair) and step.pair.rate == 1 for step in steps):
        mu = math.sqrt(sum(step.count / step.pair.sigma**2 for step in steps))
        said.append(f"{'as mu-GDP':18} mu = {printed(mu)}")
    if None not in (rhos := [rho_of(step.pair) for step in steps]):
        spent = sum(step.count * rho for step, rho in zip(steps, rhos, strict=True))
        said.append(f"{'as zCDP':18} rho = {printed(spent)}")
    return said


def rho_of(pair) -> float | None:
    """A rho that holds for the pair; None where there is none that we know."""
    if isinstance(pair, ConcentratedPair):
        return pair.rho
    if isinstance(pair, GaussianPair):
        return 1 / (2 * pair.sigma**2) if pair.rate == 1 else None
    return pure_rho(pair.epsilon) if isinstance(pair, FinitePair) and 0 < pair.epsilon < math.inf else None


def calibrate_command(options) -> int:
    name, said, kinds = parsed(options.mechanism)
    check_fraction(options.delta, "delta"), check_positive(options.epsilon, "epsilon")
    sampling = Sampling(options.count, options.rate, options.batch, options.people)
    kind, field = sought(name, said, kinds)

    def steps(scale: float) -> list[Step]:
        value = repr(scale if field in GROWING else 1 / scale)
        thing = made(kind, said | {field: value}, name)
        return one_unit(steps_of(thing, {field: value}, name, sampling), name, options)[1]
    unit = one_unit(steps_of(made(kind, said | {field: "1.0"}, name), {field: "1.0"}, name, sampling), name, options)[0]
    print(f"unit: {unit.unit} ({unit.relation}, {unit.trust}), epsilon = {options.epsilon:g}, "
          f"delta = {options.delta:g}, {options.count} uses, {on_whom(sampling)}")
    found = {accountant: smallest(steps, options, accountant, field) for accountant in (*ACCOUNTANTS, "exact")}
    for accountant, (scale, why_not) in found.items():
        print(f"  {accountant:18} " + (why_not or worded(kind, said, field, scale)))
    held = {accountant: scale for accountant, (scale, _) in found.items() if scale}
    if held:
        least = min(held, key=held.get)
        print(f"take this one: {worded(kind, said, field, held[least])}, by {least}")
    return 0 if held else 1


def on_whom(sampling: Sampling) -> str:
    return f"rate {sampling.rate:g}" if sampling.batch is None else f"on {sampling.batch} of {sampling.people} people"


def sought(name: str, said: dict[str, str], kinds: list[type]) -> tuple[type, str]:
    """In which way the name is written, and what of it is looked for."""
    try:
        ways = fitting(name, said, kinds)
    except ValueError as error:
        raise ValueError(f"{error}; {USES}") from error
    for kind in ways:
        fields = fields_of(kind)
        fits = [kind.SOUGHT] if issubclass(kind, Stated) else [
            field for field in fields if field in GROWING or field.startswith("epsilon")]
        missing = [field for field in fits if field not in said]
        if len(missing) == 1:
            return kind, missing[0]
    if not missing:
        raise ValueError(f"{fits[0]} of {name} is what is looked for: leave it out")
    raise ValueError(f"{name} has {' and '.join(missing)}: say all but the one that is looked for")


def one_unit(found: list, name: str, options) -> tuple:
    """The (guarantee, steps) that the target is for."""
    wanted = [each for each in found if options.unit in (None, each[0].unit)
              and options.relation in (None, each[0].relation)]
    if len(wanted) != 1:
        stated = ", ".join(f"{each.unit!r} ({each.relation})" for each, _ in found)
        asked = " and ".join(f"--{key} {value!r}" for key in ("unit", "relation") if (value := vars(options)[key]))
        raise ValueError(f"--unit and --relation must name one of those that {name} has a guarantee for, {stated}; got "
                         f"{asked or 'neither'}")
    return wanted[0]


def smallest(steps: Callable[[float], list[Step]], options, accountant: str, field: str) -> tuple[float | None, str]:
    """The scale by one accountant, as it is printed, or why it finds none."""
    def ask() -> float:
        if accountant == "exact":
            return asking.exact_scale(steps, options.epsilon, options.delta)
        if options.delta == 0 and accountant in ("advanced", "rdp"):
            raise ValueError(f"{accountant} says nothing about delta = 0")
        if accountant in ("basic", "advanced") and not math.isfinite(max(each.pair.epsilon for each in steps(1.0))):
            raise ValueError("a use has no finite epsilon at delta = 0")
        return calibrate(steps, options.epsilon, options.delta, accountant)

    def keeps(scale: float) -> bool:
        if accountant == "exact":
            return asking.exact_answer(steps(scale), delta=options.delta) <= options.epsilon
        return cost(steps(scale), options.delta, accountant) <= options.epsilon
    found = asking.answer(lambda: ask() if field in GROWING else below(ask(), keeps))
    return found.value, "" if found.value else str(found)


def below(scale: float, keeps: Callable[[float], bool]) -> float:
    """A scale whose inverse has the digits that are printed, of which the accountant was asked again."""
    for _ in range(20):
        rounded = 1 / float(printed(1 / scale, up=False))
        if keeps(rounded):
            return rounded
        scale = rounded * (1 + 1e-4)
    raise ValueError("no number of five digits near the answer keeps the target")


def worded(kind: type, said: dict[str, str], field: str, scale: float) -> str:
    """The answer in words that the user typed or may type."""
    up = field in GROWING
    words = f"{field} = {printed(scale if up else 1 / scale, up)}"
    per = scale / float(said.get("sensitivity", 1))
    if kind.__name__ == "GaussianNoise":
        return f"{words} (noise multiplier {printed(per)})"
    return f"{words} (epsilon = {printed(1 / per, up=False)} a use)" if kind.__name__ == "LaplaceNoise" else words
