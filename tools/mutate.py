"""Mutation testing of the privacy code: change one number or one comparison, and see whether a test notices.

Every number and comparison in the folders and modules that ``TESTS`` names is changed, one at a time; the module's
doctests and the listed tests run on each mutant. A mutant that passes them all survives: it is printed, and
the exit status is 1. Imports take seconds, so they happen once, and each mutant runs in a fork (``trials``), on the
tests that call the function in which it is.

Privacy code is what draws, clips, counts, composes and states, what carries that out of people's hands, and what
checks it. What is made of a release afterwards costs nothing, however wrong it is: modules that only learn are not
named, and of a method neither a function that is handed a ``release`` is changed, nor one of those that train. Nor is a
parameter's default: whatever it is, what is stated is computed from it; nor how nearly a solver is asked to solve.
"""

import argparse
import ast
import hashlib
import importlib
import json
import math
import os
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from tqdm import tqdm

import trials

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "lib" / "privgraph"
# What is mutated, a folder or a module, and what runs on its mutants: of a folder's module what is listed for itself.
# The first failure ends a run, so the files that are quick and likely to fail come first.
EDGES, ENDS = "tests/unit/test_mechanism_edges.py", "tests/unit/test_extremes.py"
LAW = "tests/unit/test_law.py"
SPENDING, METHODS = "tests/unit/test_spending.py", "tests/unit/test_method_contract.py"
NOISE = [EDGES, SPENDING, ENDS, "tests/unit/test_noise_mechanisms.py", "tests/unit/test_mutants.py",
         "tests/statistical/test_sampling.py", "tests/unit/test_added_noise.py", LAW]
CONTRACT = "tests/unit/test_mechanism_contract.py"
SENDS, FILES = "tests/claims/test_methods_spend.py", "tests/unit/test_files.py"
STRANGERS, KINDS = "tests/unit/test_messages_of_strangers.py", "tests/unit/test_kinds_of_methods.py"
WRONG = ["tests/unit/test_wrong_methods.py", "tests/unit/test_wrong_methods_more.py"]
EDGE_REPORTS = [LAW, "tests/unit/test_edge_mechanisms.py", "tests/statistical/test_edge_sampling.py", CONTRACT]
TESTS = {
    "privacy": [EDGES, "tests/unit/test_dominating_pairs.py", "tests/unit/test_accounting.py", ENDS,
                "tests/unit/test_mutants.py"],
    **dict.fromkeys(("privacy/losses.py", "privacy/composition.py", "privacy/certified.py"),
                    ["tests/unit/test_both_ends.py"]),
    "privacy/renyi.py": ["tests/unit/test_both_ends.py", "tests/unit/test_accounting.py",
                         "tests/unit/test_privacy_sampling.py", EDGES, ENDS, "tests/unit/test_dominating_pairs.py"],
    "privacy/bounded_range.py": ["tests/unit/test_bounded_range.py", "tests/unit/test_noise_mechanisms.py"],
    "privacy/calibration.py": ["tests/unit/test_calibration.py"],
    **{f"privacy/{name}.py": [f"tests/unit/test_{name}.py"] for name in ("approximate", "conversions", "discrete")},
    "privacy/asking.py": ["tests/unit/test_cli_budget.py"],
    "privacy/further.py": ["tests/unit/test_discrete.py"],
    "privacy/sampling.py": ["tests/unit/test_privacy_sampling.py"],
    "privacy/limits.py": ["tests/unit/test_limits.py"],
    "privacy/repeated.py": ["tests/unit/test_repeated.py"],
    "privacy/guarantee.py": ["tests/unit/test_guarantee.py", EDGES],
    "mechanisms": [EDGES, "tests/unit/test_mechanisms.py", "tests/unit/test_replaying.py",
                   "tests/unit/test_mutants.py", "tests/statistical/test_sampling.py",
                   "tests/unit/test_noise_mechanisms.py", LAW],
    "mechanisms/frequencies.py": ["tests/unit/test_frequencies.py"],
    "mechanisms/multibit.py": [EDGES, "tests/unit/test_mechanisms.py", "tests/unit/test_bounds.py", ENDS,
                               "tests/statistical/test_sampling.py", LAW],
    **dict.fromkeys(("mechanisms/additive.py", "mechanisms/grr_fs.py", "mechanisms/noisy_arg_max.py"), NOISE),
    **dict.fromkeys(("mechanisms/private_end_response.py", "mechanisms/sensitive_response.py",
                     "mechanisms/some_pairs.py"), ["tests/unit/test_mechanisms_sensitive_response.py",
                                                   "tests/unit/test_mechanisms_private_end_response.py", CONTRACT,
                                                   LAW]),
    "mechanisms/largest_pairs.py": ["tests/unit/test_mechanisms_largest_pairs.py", CONTRACT],
    "mechanisms/noisy_mean.py": [SPENDING],
    "mechanisms/row_noise.py": ["tests/unit/test_methods_dpne.py", SPENDING],
    **dict.fromkeys(("mechanisms/exact_noise.py", "mechanisms/drawing.py"), []),
    "mechanisms/law.py": [LAW],
    "mechanisms/mechanism.py": ["tests/unit/test_mechanisms_mechanism.py", SPENDING],
    "mechanisms/tape.py": ["tests/unit/test_replaying.py", SPENDING],
    "mechanisms/text.py": ["tests/unit/test_mechanisms_text.py"],
    **dict.fromkeys(("mechanisms/neighbours.py", "mechanisms/two_hop.py"), ["tests/unit/test_neighbours.py", LAW]),
    **dict.fromkeys(("mechanisms/blink.py", "mechanisms/edge_mechanism.py", "mechanisms/edge_response.py",
                     "mechanisms/edge_sampling.py", "mechanisms/similar_nodes.py", "mechanisms/candidates.py"),
                    EDGE_REPORTS),
    **dict.fromkeys(("audit/spending.py", "audit/replaying.py"), [SPENDING]),
    **dict.fromkeys(("methods/lpgnn.py", "methods/rgnn.py", "methods/graphprivatizer.py", "methods/release.py",
                     "methods/query_release.py"), [FILES, SENDS, "tests/unit/test_release.py"]),
    "methods/spent.py": ["tests/unit/test_spent.py"],
    "methods/conclusions.py": [],
    "methods/evaluated.py": ["tests/unit/test_conclusions.py"],
    **dict.fromkeys(("methods/sweeping.py", "methods/turned.py"), ["tests/unit/test_sweep.py"]),
    "methods/pate.py": [SENDS],
    "methods/distilled.py": [SENDS, "tests/unit/test_pate.py", "tests/unit/test_privgnn.py"],
    "methods/privgnn.py": [SENDS],
    **dict.fromkeys(("methods/gae.py", "methods/lppge.py", "methods/sensitive.py"), ["tests/unit/test_lppge.py"]),
    **dict.fromkeys(("methods/dpne.py", "methods/embedding_controls.py"), []),
    **dict.fromkeys(("methods/messages.py", "methods/guard.py", "methods/federated/row_messages.py",
                     "methods/federated/averaging.py"),
                    ["tests/unit/test_messages.py", "tests/unit/test_averaging.py", STRANGERS]),
    **dict.fromkeys(("methods/federated/upload_noise.py", "methods/federated/split.py"), []),
    **dict.fromkeys(("methods/local.py", "methods/embedding.py", "methods/model.py", "methods/model_files.py",
                     "methods/few_shot/kind.py"), [KINDS, FILES]),
    "methods/method.py": [KINDS, FILES, "tests/unit/test_own_split.py", "tests/unit/test_own_weights.py"],
    "methods/federation.py": [],
    **dict.fromkeys(("methods/curated.py", "methods/contract/curators.py"), ["tests/unit/test_methods_curated.py"]),
    **{f"methods/{name}.py": [f"tests/unit/test_methods_{name}.py"]
       for name in ("gap", "gap_for_nodes", "progap", "dpsgd", "neighbour_votes", "centroids", "label_propagation")},
    "methods/federated/federated_deepwalk.py": [SENDS, STRANGERS, "tests/unit/test_upload_noise.py"],
    **dict.fromkeys(("methods/federated/gat.py", "methods/federated/fedavg.py"),
                    ["tests/unit/test_federated_gat.py", STRANGERS]),
    **{f"methods/contract/{name}.py": [METHODS, *WRONG] for name in ("all_kinds", "changes", "covering",
                                                                     "other_kinds", "two_halves")},
}
EQUIVALENT = ROOT / "tools" / "equivalent.yml"
CHANGES = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",),
           "!=": ("==",), "in": ("not in",), "not in": ("in",), "is": ("is not",), "is not": ("is",)}
# How nearly a solver is asked to find what it looks for.
ACCURACY = {"xtol", "rtol", "epsabs", "epsrel"}
OPERATORS = {sign: type(ast.parse(f"a {sign} b").body[0].value.ops[0]) for sign in CHANGES}
SIGNS = {operator: sign for sign, operator in OPERATORS.items()}
# Functions of what is tried, not of what is promised, and of what trains; and estimates of what that takes.
UNPROTECTED = {"examples", "trial", "fit", "learn", "play", "train", "reconstruct", "untrained", "effort",
               "training_effort", "gradient_effort", "embedding_effort", "teaching_effort", "client_effort", "walking",
               "learning_seconds", "solving_seconds"}
IMPORTED_ONCE = ["torch", "scipy.stats", "pytest", "hypothesis", "networkx", "torch_geometric.transforms",
                 "dp_accounting.pld.privacy_loss_distribution", "privgraph.mechanisms"]
SECONDS = 1800  # of processor time, for tests without mutation
TIME_UP = {-signal.SIGXCPU, -signal.SIGALRM}


@dataclass(frozen=True)
class Mutant:
    """One change of one module; ``site`` and ``choice`` tell ``mutated`` which; no site: no change."""

    module: str
    line: int = 0
    column: int = 0
    site: int | None = None
    choice: int = 0
    source: str = ""
    change: str = ""

    def __str__(self):
        return f"{self.module}:{self.line}:{self.column}: {self.change:10s} | {self.source}"

    @property
    def key(self) -> tuple[str, str, str]:
        """How the list of excuses names it."""
        return self.module, self.source, self.change


def arguments(node: ast.AST) -> set[str]:
    return {one.arg for one in node.args.args} if isinstance(node, ast.FunctionDef) else set()


def is_parameter(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith("Annotated[")


def sites(node: ast.AST) -> Iterator[tuple[ast.AST, int, ast.AST]]:
    """(node, place, where) of each number, and of each comparison of a chain; ``where`` has its line."""
    if getattr(node, "name", None) in UNPROTECTED or "release" in arguments(node) or is_parameter(node):
        return
    if isinstance(node, ast.keyword) and node.arg in ACCURACY:
        return
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
        return
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield node, 0, node
    if isinstance(node, ast.Compare):
        yield from ((node, place, left) for place, left in enumerate([node.left, *node.comparators[:-1]]))
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from sites(child)


def choices(node: ast.AST, place: int) -> tuple[str, list[str]]:
    """The number or comparison as it is, and what stands in for it, one mutant each."""
    if isinstance(node, ast.Compare):
        sign = SIGNS[type(node.ops[place])]
        return sign, list(CHANGES[sign])
    c = node.value
    after = (c + 1, c - 1) if isinstance(c, int) else (float(f"{c * 1.5:.12g}") or 1.0,)
    return repr(c), [repr(new) for new in after]


def mutants(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module, by line; the same change again on an equal line is marked #2, #3, ..."""
    found, seen, lines = [], Counter(), source.splitlines()
    for site, (node, place, where) in enumerate(sites(ast.parse(source))):
        before, after = choices(node, place)
        found += [(where.lineno, where.col_offset + 1, site, choice, f"{before} -> {new}")
                  for choice, new in enumerate(after)]
    for index, (line, column, site, choice, change) in enumerate(sorted(found)):
        text = lines[line - 1].strip()
        seen[text, change] += 1
        again = f" #{seen[text, change]}" if seen[text, change] > 1 else ""
        found[index] = Mutant(module, line, column, site, choice, text, change + again)
    return found


def mutated(mutant: Mutant, source: str) -> ast.Module:
    """The module's syntax tree with the change made."""
    tree = ast.parse(source)
    if mutant.site is not None:
        node, place, _ = list(sites(tree))[mutant.site]
        new = choices(node, place)[1][mutant.choice]
        if isinstance(node, ast.Compare):
            node.ops[place] = OPERATORS[new]()
        else:
            node.value = ast.literal_eval(new)
    return tree


def recorded(root: Path, modules: list[str], files: list[Path], jobs: int) -> dict[Path, trials.Seen]:
    """By test file, which test calls which function of these modules.

    :raises ValueError: where tests fail without mutation.
    """
    with TemporaryDirectory() as folder:
        notes = {file: Path(folder, str(number)) for number, file in enumerate(files)}
        calls = [(file, SECONDS, (trials.record, root, modules, file, note)) for file, note in notes.items()]
        calls.append((Path("their doctests"), SECONDS, (trials.doctests_pass, root, modules)))
        ended = tqdm(trials.in_forks(calls, jobs), "which test calls what", len(calls), disable=None)
        if failed := sorted(str(file) for file, status, _ in ended if status):
            raise ValueError(f"tests fail without mutation: {', '.join(failed)}")
        return {file: json.loads(note.read_text(encoding="utf-8")) for file, note in notes.items()}


def run(root: Path, todo: list[Mutant], seen: dict[str, trials.Seen], jobs: int, patience: int) -> dict:
    """What came of each mutant: (exit status, seconds of processor time, the test that noticed it); ``seen`` by
    module."""
    done, latest = {}, defaultdict(list)
    with TemporaryDirectory() as folder, tqdm(total=len(todo), disable=None) as progress:
        notes = {mutant: Path(folder, str(number)) for number, mutant in enumerate(todo)}

        def calls():
            for mutant in todo:
                module = mutant.module
                source = (root / module).read_text(encoding="utf-8")
                runs, seconds = trials.chosen(module, ast.parse(source), mutant.line, seen[module], latest[module])
                progress.set_description(f"{module}:{mutant.line} {mutant.change}")
                yield mutant, math.ceil(patience + 3 * seconds), (trials.passes, root, module,
                                                                  mutated(mutant, source), runs, notes[mutant])
        for mutant, status, seconds in trials.in_forks(calls(), jobs):
            test = notes[mutant].read_text(encoding="utf-8") if notes[mutant].exists() else ""
            done[mutant] = status, seconds, test
            if status == 0:
                tqdm.write(f"survived: {mutant}")  # at once, as the rest may take hours
            before = latest[mutant.module]
            before[:] = [test, *(each for each in before if each != test)] if test else before
            progress.update()
    return done


def excuses(file: Path = EQUIVALENT) -> dict[tuple[str, str, str], str]:
    """Mutants that no test can tell from the original: (module, source line, change) -> why, in one sentence. It is an
    error to excuse a mutant that there is not; ``--list`` prints the three parts."""
    return {(module, each["line"], change): each["why"]
            for module, lines in yaml.safe_load(file.read_text(encoding="utf-8")).items()
            for each in lines for change in each["changes"]}


def survey(root: Path, places, excuses: dict) -> dict[str, list[Mutant]]:
    """Module -> its mutants, where there are any; stops at an excuse for a mutant that there is not."""
    inside = {path for place in places for path in (root / place).rglob("*.py")}
    modules = sorted(path.relative_to(root).as_posix() for path in inside | {root / place for place in places}
                     if path.is_file())
    found = {module: mutants(module, (root / module).read_text(encoding="utf-8")) for module in modules}
    if stale := set(excuses) - {mutant.key for each in found.values() for mutant in each}:
        sys.exit("\n".join(f"stale excuse, there is no such mutant: {key}" for key in sorted(stale)))
    return {module: each for module, each in found.items() if each}


def sample(root: Path, todo: list[Mutant], count: int) -> list[Mutant]:
    """``count`` of them, drawn by their modules' sources: whoever changes a module draws others of it."""
    def drawn(mutant: Mutant) -> bytes:
        return hashlib.sha256((root / mutant.module).read_bytes() + repr(mutant.key).encode()).digest()
    chosen = set(sorted(todo, key=drawn)[:count])
    return [mutant for mutant in todo if mutant in chosen]


def paths(modules, table: dict[str, list[str]], base: Path) -> dict[str, list[Path]]:
    """Module -> its test files: of the table's entries the nearest; and before them those that have its name, or that
    of another module with the same entry, so that one recording serves them all."""
    listed = {module: tuple(next(table[place] for place in (module, *map(str, Path(module).parents)) if place in table))
              for module in modules}
    found: dict[tuple[str, ...], list[Path]] = {}
    for files in listed.values():
        own = [test for module, same in listed.items() if same == files for test in own_tests(module)
               if (base / test).exists()]
        found[files] = [base / test for test in dict.fromkeys([*own, *files])]
    if lost := sorted({str(path) for each in found.values() for path in each if not path.exists()}):
        sys.exit(f"TESTS lists what does not exist: {', '.join(lost)}")
    return {module: found[files] for module, files in listed.items()}


def own_tests(module: str) -> tuple[str, str]:
    folder, _, name = module.removesuffix(".py").rpartition("/")
    return f"tests/unit/test_{name}.py", f"tests/unit/test_{folder.replace('/', '_')}_{name}.py"


def written(root: Path, tests: dict) -> dict[Path, int]:
    """When each module of the library and each test file was written."""
    return {path: path.stat().st_mtime_ns for path in {*root.rglob("*.py"), *sum(tests.values(), [])}}


def trial(root: Path, todo: list[Mutant], tests: dict, excuses: dict, jobs=1, patience=20) -> list[Mutant]:
    """Run the mutants, print what came of them, and return the survivors.

    A mutant has ``patience`` seconds of processor time, and three times what its tests take without mutation.
    """
    before, some = written(root, tests), [mutant for mutant in todo if mutant.key not in excuses]
    modules = sorted({mutant.module for mutant in some})
    try:
        seen = recorded(root, modules, [*dict.fromkeys(sum((tests[module] for module in modules), []))], jobs)
    except ValueError as error:
        sys.exit(str(error))
    together = {module: trials.together([seen[file] for file in tests[module]]) for module in modules}
    done = run(root, some, together, jobs, patience)
    for module, count in Counter(mutant.module for mutant in some).items():
        alive = sum(not code for mutant, (code, *_) in done.items() if mutant.module == module)
        print(f"{module}: {alive} of {count} survived")
    status = {mutant: code for mutant, (code, *_) in done.items()}
    if written(root, tests) != before:
        sys.exit("the library or a test changed meanwhile, and may be what failed: run again")
    if -signal.SIGKILL in status.values():
        sys.exit("a mutant was killed from outside, perhaps for lack of memory: run again with fewer --jobs")
    noticed = Counter(Path(test.partition("::")[0]).name for _, _, test in done.values() if test)
    print(*(f"{count:6d} noticed by {name} first" for name, count in noticed.items()), sep="\n")
    late = [mutant for mutant in done if status[mutant] in TIME_UP]
    alive = [mutant for mutant in done if status[mutant] == 0]
    for title, some in (("stopped by the time limit", late), ("SURVIVED", alive)):
        for mutant in some:
            print(f"{title}: {mutant}")
    print(f"{len(todo)} mutants: {len(done) - len(alive)} noticed, {len(late)} of them by the time limit; "
          f"{len(todo) - len(done)} excused; {len(alive)} survived. "
          f"{sum(seconds for _, seconds, _ in done.values()) / max(1, len(done)):.1f} s each.")
    return alive


def warm_up() -> None:
    """Import what is slow, and make the children repeatable: one thread, the same examples each time."""
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.path.insert(0, str(LIBRARY.parent))  # this checkout, wherever privgraph is installed from
    for name in IMPORTED_ONCE:
        importlib.import_module(name)
    import hypothesis
    import torch
    torch.set_num_threads(1)
    phases = hypothesis.Phase.explicit, hypothesis.Phase.generate  # a failing example need not be made small
    hypothesis.settings.register_profile("mutate", derandomize=True, database=None, deadline=None,
                                         phases=phases)
    hypothesis.settings.load_profile("mutate")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--module", nargs="+", default=[], help="such as privacy/accounting.py; default: all")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, drawn by the sources")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--list", action="store_true", help="print the mutants, numbered, and run none")
    parser.add_argument("--only", type=int, metavar="N", help="run mutant N alone; show the tests' output")
    args = parser.parse_args()
    excused = excuses()
    found = survey(LIBRARY, TESTS, excused)
    if unknown := set(args.module) - set(found):
        parser.error(f"nothing to mutate in {', '.join(sorted(unknown))}; there is {', '.join(found)}")
    todo = [mutant for module in args.module or found for mutant in found[module]]
    if args.sample is not None:
        todo = sample(LIBRARY, [mutant for mutant in todo if mutant.key not in excused], args.sample)
    if args.list:
        return print(*(f"{number:4d} {mutant}" for number, mutant in enumerate(todo)), sep="\n")
    tests = paths(found, TESTS, ROOT)
    warm_up()
    if args.only is None:
        sys.exit(1 if trial(LIBRARY, todo, tests, excused, args.jobs) else 0)
    mutant = todo[args.only]
    source = (LIBRARY / mutant.module).read_text(encoding="utf-8")
    runs = [[str(test) for test in tests[mutant.module]]]
    child = trials.fork(SECONDS, False, trials.all_pass, LIBRARY, mutant.module, mutated(mutant, source), *runs)
    _, status, _ = trials.wait_for([child])
    print(f"{'noticed' if status else 'SURVIVED'} (status {status}): {mutant}")
    sys.exit(0 if status else 1)


if __name__ == "__main__":
    main()
