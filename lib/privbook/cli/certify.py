"""What a finite mechanism guarantees, decided for every epsilon: certify."""

from privgraph.cli.audit import named
from privgraph.mechanisms import all_mechanisms
from privgraph.mechanisms.law import Finite
from privgraph.mechanisms.text import made

from ..prover.guarantees import certified

FALSE, NOTHING = 1, 3  # statuses


def add_commands(commands) -> None:
    certify = commands.add_parser("certify", help="prove for every epsilon what a finite mechanism guarantees")
    certify.add_argument("name", help="of a mechanism, NAME or NAME:key=value,...; or module:Class for one of your "
                         "own, found from here. Status 1: some guarantee is false, 3: there was nothing to decide")
    certify.set_defaults(command=certify_command)
    certify.otherwise = ("parameters of a mechanism stand in its name, NAME:key=value,..., and the evidence of a claim "
                         "is `privbook claims ID`")


def certify_command(options) -> int:
    kind, said = named(options.name, {name: kind for name, kind in all_mechanisms().items()
                                      if issubclass(kind, Finite)})
    if not issubclass(kind, Finite):
        raise ValueError("name must be that of a mechanism with finitely many outcomes, of which it gives the weights, "
                         f"got {options.name!r}")
    verdicts = []
    for mechanism in (made(kind, said, kind.__name__),) if said else kind.examples():
        print(repr(mechanism))
        for statement, found in certified(mechanism):
            at_most = "; ".join(f"at {found.variable} = {place}" for place in found.breaks) or "for every epsilon"
            holds = found.verdict == "holds"
            print(f"  {statement.name}: {'holds' if holds else 'is false'} {at_most} "
                  f"({len(statement.inputs)} inputs, {len(found.never_negative)} polynomials of degree {found.degree})")
            verdicts.append(holds)
    if not verdicts:
        print("nothing was decided: no guarantee is finite and a multiple of the budgets")
    return NOTHING if not verdicts else 0 if all(verdicts) else FALSE
