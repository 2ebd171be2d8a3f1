"""The command ``privgraph``: data | check | run | reproduce | ledger | audit | audit-mechanism | budget."""

import argparse
import os
import sys

from . import datasets
from .audit import CheckFailed, check_mechanism
from .audit.claims import FAILED, PASSED, Claim, load_claims, recheck
from .checks import check_choice, check_delta
from .experiments import (
    EXPERIMENTS,
    Experiment,
    cheapest_first,
    compare_controls,
    compare_paper,
    duration,
    expected,
    missing,
    papers,
    references,
    run_all,
)
from .mechanisms import all_mechanisms, name_of
from .mechanisms.text import fields_of, made, parse
from .methods import LPGNN
from .nn import BACKBONES, REFERENCE
from .privacy import Step, account
from .show import by_table, coverage_rows

# What `privgraph budget` can compose: mechanisms that name what dominates them.
MECHANISMS = {name: kind for name, kind in all_mechanisms().items() if hasattr(kind, "pair")}


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run one command; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        return options.command(options)
    except (ValueError, LookupError, OSError) as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="privgraph", description="Privacy-preserving graph neural networks.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for add in (add_data_commands, add_run_commands, add_ledger_commands, add_privacy_commands):
        add(commands)
    return top


def add_data_commands(commands) -> None:
    data = commands.add_parser("data", help="list the known graphs, or download one")
    data.add_argument("name", nargs="?", help="graph to download into the cache")
    data.set_defaults(command=data_command)

    check = commands.add_parser("check", help="say what is wrong with a graph file")
    check.add_argument("file")
    check.set_defaults(command=check_command)


def add_run_commands(commands) -> None:
    run = commands.add_parser("run", help="run LPGNN with its null controls and references on a graph")
    run.add_argument("method", choices=["lpgnn"])
    run.add_argument("--graph", default="cora-twin", help="name of a graph, or an .npz file (default: %(default)s)")
    run.add_argument("--feature-range", nargs=2, type=float, metavar=("LOW", "HIGH"),
                     help="public bounds of the features of an .npz file (default: 0 1)")
    run.add_argument("--classes", type=int, help="public number of classes of an .npz file, which must be stated")
    run.add_argument("--seeds", type=int, default=3, help="how many repeated runs (default: %(default)s)")
    defaults = LPGNN()
    run.add_argument("--backbone", default=defaults.backbone, choices=[*BACKBONES, REFERENCE])
    for name, kind in (("epsilon_x", float), ("epsilon_y", float), ("epochs", int)):
        run.add_argument("--" + name.replace("_", "-"), type=kind, default=getattr(defaults, name),
                         help="default: %(default)s")
    run.add_argument("--x-steps", type=int, help="hops of KProp (default: 16, and 0 where features carry no noise)")
    run.add_argument(
        "--y-steps", type=int, help="hops of label propagation (default: 2, and 0 where labels carry no noise)")
    run.add_argument("--as-published", action="store_true",
                     help="the paper's setting: 16 and 2 hops always, inputs not standardised, epochs by the log score")
    run.add_argument("--standardise", action=argparse.BooleanOptionalAction,
                     help="centre and scale what the network reads (default: yes, but not with --as-published)")
    run.set_defaults(command=run_command)


def add_ledger_commands(commands) -> None:
    reproduce = commands.add_parser("reproduce", help="run what is missing of an experiment; stop and go on at will",
                                    formatter_class=argparse.RawDescriptionHelpFormatter, epilog="experiments:\n" +
                                    "\n".join(f"  {e.name:24} {e.title}" for e in EXPERIMENTS.values()))
    reproduce.add_argument("experiment", choices=[*EXPERIMENTS, "all"], metavar="NAME",
                           help="one of the list below, or all: what takes least first")
    reproduce.add_argument("--dataset", help="this graph only (default: all that are at hand)")
    reproduce.add_argument("--seeds", type=int, help="seeds of each cell (default: as the experiment says)")
    reproduce.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    reproduce.add_argument("--minutes", type=float, help="start no run that is expected to end later; for all together")
    reproduce.add_argument("--dask", metavar="ADDRESS", help="hand the runs to the cluster of this Dask scheduler")
    reproduce.add_argument("--dry-run", action="store_true", help="say what is missing and how long it would take")
    reproduce.set_defaults(command=reproduce_command)

    ledger = commands.add_parser("ledger", help="how many of the papers' printed values were run, agree and differ")
    ledger.add_argument("paper", nargs="?", help="list the tables of one paper")
    ledger.set_defaults(command=ledger_command)


def add_privacy_commands(commands) -> None:
    audit = commands.add_parser("audit", help="run the evidence of every privacy claim again and print the verdicts")
    audit.add_argument("claim", nargs="*", help="an id, or the beginning of several such as privgnn (default: all)")
    audit.set_defaults(command=audit_command)

    contract = commands.add_parser("audit-mechanism",
                                   help="try all that a mechanism promises, and name what refutes it")
    contract.add_argument(
        "mechanism", help="NAME or NAME:key=value,...; or module:Class for one of your own, found from here")
    contract.set_defaults(command=audit_mechanism_command)

    budget = commands.add_parser("budget", help="compose mechanisms and print epsilon by unit and accountant",
                                 formatter_class=argparse.RawDescriptionHelpFormatter, epilog=BUDGET_HELP)
    budget.add_argument("mechanism", nargs="+", help="NAME:key=value,... see below")
    budget.add_argument("--delta", type=float, default=1e-5,
                        help="for the (epsilon, delta) accountants (default: %(default)s)")
    budget.set_defaults(command=budget_command)


BUDGET_HELP = """each mechanism is NAME:key=value,key=value with one of the names and its keys:
""" + "\n".join(f"  {name}: {', '.join(fields_of(kind))}" for name, kind in MECHANISMS.items()) + """
and for any of them count (how many uses) and rate (Poisson sampling; add/remove only).
example: privgraph budget laplace:epsilon=0.1,rate=0.3,count=1000 randomised-response:epsilon=1,num_classes=4"""


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


def run_command(options) -> int:
    data = graph_of(options)
    method = method_of(options)
    print(f"LPGNN on {data.name}: {data.num_nodes} nodes, {data.num_edges // 2} edges, {data.num_classes} classes")
    print(f"features and label of a node: epsilon = {method.epsilon_x + method.epsilon_y:g} (local); edges: not "
          "protected")
    for text in getattr(data, "unaccounted", ()):
        print(f"computed from raw features, which no epsilon accounts for: {text}")
    print(
        "for the owner of the data only: every accuracy is counted on true test labels, which no epsilon accounts for")
    for arm, result in compare_controls(method, data, options.seeds, progress=True).items():
        print(f"{arm + ' features':20} accuracy {result.said()}")
    for name, result in references(data, options.seeds, progress=True).items():
        print(f"{name:20} accuracy {result} %  ({REFERENCES[name]})")
    return 0


# What `privgraph run` prints beside every result.
REFERENCES = {"majority class": "nothing learnt: the largest class by the true labels of the training nodes",
              "plain GCN": "no privacy: true features and labels, as they are"}


def method_of(options) -> LPGNN:
    """The LPGNN that `privgraph run` was asked for."""
    names = ("backbone", "epsilon_x", "epsilon_y", "x_steps", "y_steps", "epochs", "standardise")
    asked = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return (LPGNN.as_published if options.as_published else LPGNN)(**asked)


def graph_of(options):
    """The graph of ``privgraph run``: a named one, or a file with the public facts that the user states."""
    if not (os.path.exists(options.graph) or options.graph.endswith(".npz")):
        return datasets.load(options.graph)
    if options.classes is None:
        raise ValueError(f"say with --classes how many classes {options.graph} can have: a public number, "
                         "which is not read off the labels")
    bounds = {"feature_range": tuple(options.feature_range)} if options.feature_range else {}
    return datasets.from_npz(options.graph, num_classes=options.classes, **bounds)


def reproduce_command(options) -> int:
    what = dict(dataset=options.dataset, seeds=options.seeds)
    everything = options.experiment == "all"
    chosen = cheapest_first(EXPERIMENTS.values(), **what) if everything else [EXPERIMENTS[options.experiment]]
    if options.dry_run:
        return (dry_run_of_all if everything else dry_run)(chosen, what, options.workers)
    failed = 0
    try:
        for experiment, report in run_all(chosen, **what, workers=options.workers, minutes=options.minutes,
                                          dask=options.dask):
            print((f"{experiment.name:16} " if everything else "")
                  + f"{report.added} runs added, {len(report.failed)} failed, {report.left} still missing"
                  + ("; the same command goes on with them" if report.left else ""))
            failed += len(report.failed)
    except KeyboardInterrupt:
        print("stopped; what was finished is in the ledger, and the same command goes on", file=sys.stderr)
        return 130
    names = dict.fromkeys(name for experiment in chosen for name in experiment.datasets)
    if away := [name for name in names if options.dataset is None and not datasets.at_hand(name)]:
        print(f"left out, as they are not on this machine: {', '.join(away)}; `privgraph data` says more")
    return 1 if failed else 0


def dry_run(chosen: list[Experiment], what: dict, workers: int) -> int:
    """Print what is missing of one experiment by graph, and how long it would take."""
    experiment, = chosen
    runs = missing(experiment, **what)
    for name in [what["dataset"]] if what["dataset"] else experiment.datasets:
        those = [run for run in runs if run.cell["dataset"] == name]
        state = f"{len(those):5} runs missing, about {duration(expected(those))}"
        print(f"{name:20} {state if datasets.at_hand(name) else 'not on this machine'}")
    print(f"in all {len(runs)} runs, about {duration(expected(runs), workers)} with {workers} at a time")
    return 0


def dry_run_of_all(chosen: list[Experiment], what: dict, workers: int) -> int:
    """Print what is missing by experiment, and how long all of it would take."""
    found = {experiment.name: missing(experiment, **what) for experiment in chosen}
    for name, runs in found.items():
        print(f"{name:20} {len(runs):5} runs missing, about {duration(expected(runs))}")
    seconds = [expected(runs) for runs in found.values()]
    known = sum(each for each in seconds if each is not None)
    print(f"in all {sum(map(len, found.values()))} runs, about {duration(known, workers)} with {workers} at a time"
          + ("; what was never measured is not counted" if None in seconds else ""))
    return 0


def ledger_command(options) -> int:
    if options.paper:
        groups = by_table(compare_paper(options.paper))
    else:
        groups = {title: compare_paper(paper) for paper, title in papers().items()}
    groups["all"] = [comparison for comparisons in groups.values() for comparison in comparisons]
    rows = coverage_rows(groups, "paper" if options.paper is None else "table")
    widths = {name: max(len(name), *(len(str(row[name])) for row in rows)) for name in rows[0]}
    for row in [{name: name for name in rows[0]}, *rows]:
        first, *others = (f"{row[name]:>{width}}" for name, width in widths.items())
        print("  ".join([first.strip().ljust(len(first)), *others]))
    return 0


def audit_command(options) -> int:
    claims = load_claims()
    def asked(claim: Claim, name: str) -> bool:
        return claim.id == name if name in claims else claim.id.startswith(name)
    chosen = [claim for claim in claims.values() if not options.claim or any(asked(claim, n) for n in options.claim)]
    if not chosen:
        raise LookupError(f"no claim begins with {' or '.join(options.claim)}; `privgraph audit` lists all")
    results = recheck(chosen)
    for result in results:
        print(f"{result.claim.id:44} {result.claim.verdict:20} {result.outcome}")
        if options.claim:
            print_details(result.claim, result.witnesses)
    failed = [result.claim.id for result in results if result.outcome == FAILED]
    print(f"{len(results)} claims; evidence ran again and passed for {sum(r.outcome == PASSED for r in results)}, "
          f"pending {sum(r.claim.verdict == 'pending' for r in results)}, failed {len(failed)}")
    return 1 if failed else 0


def print_details(claim: Claim, witnesses: tuple[str, ...]) -> None:
    print(f"    {claim.paper}, {claim.place}: {claim.statement}")
    for name, text in (("ours", claim.ours), ("waits for", claim.waits_for), *(("witness", w) for w in witnesses),
                       *(("for every epsilon", f"book/certificates/{name}.json") for name in claim.certificates),
                       *(("evidence", test) for test in claim.evidence)):
        if text:
            print(f"    {name}: {text}")


def audit_mechanism_command(options) -> int:
    sys.path.insert(0, os.getcwd())  # for a module of one's own
    kind, said = parse(options.mechanism)
    mechanisms = (made(kind, said),) if said else kind.examples()
    if not mechanisms:
        raise ValueError(f"{kind.__name__} has no examples(); say which one: {options.mechanism}:key=value,...")
    try:
        for mechanism in mechanisms:
            print(check_mechanism(mechanism))
    except CheckFailed as failure:
        print(failure)
        return 1
    return 0


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


if __name__ == "__main__":
    sys.exit(main())
