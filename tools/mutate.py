"""Mutation testing of the privacy code: change one number or one comparison, and see whether a test notices.

Every number and comparison in the folders and modules that ``TESTS`` names is changed, one at a time; the module's
doctests and the listed tests run on each mutant. A mutant that passes them all survives: it is printed, and
the exit status is 1. Imports take seconds, so they happen once, and each mutant runs in a fork.

Privacy code is what draws, clips, counts, composes and states, what carries that out of people's hands, and what
checks it. What is made of a release afterwards costs nothing, however wrong it is: modules that only learn are not
named, and of a method neither a function that is handed a ``release`` is changed, nor one of those that train. Nor is a
parameter's default: whatever it is, what is stated is computed from it.
"""

import argparse
import ast
import doctest
import hashlib
import importlib
import math
import multiprocessing.connection
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "lib" / "privgraph"
# What is mutated, a folder or a module, and what runs on its mutants: of a folder's module what is listed for itself.
# The first failure ends a run, so the tests that are quick and likely to fail come first.
EDGES, ENDS = "tests/unit/test_mechanism_edges.py", "tests/unit/test_extremes.py"
LAW = "tests/unit/test_law.py"
NOISE = [EDGES, ENDS, "tests/unit/test_noise_mechanisms.py", "tests/unit/test_mutants.py",
         "tests/statistical/test_sampling.py", "tests/unit/test_added_noise.py", LAW]
CONTRACT = "tests/unit/test_mechanism_contract.py"
SPENDING, METHODS = "tests/unit/test_spending.py", "tests/unit/test_method_contract.py"
SENDS, FILES = "tests/claims/test_methods_spend.py", "tests/unit/test_files.py"
STRANGERS = "tests/unit/test_messages_of_strangers.py"
WRONG = ["tests/unit/test_wrong_methods.py", "tests/unit/test_wrong_methods_more.py"]
EDGE_REPORTS = ["tests/unit/test_edge_mechanisms.py", "tests/statistical/test_edge_sampling.py", CONTRACT, LAW]
TESTS = {
    "privacy": [EDGES, "tests/unit/test_dominating_pairs.py", "tests/unit/test_accounting.py", ENDS,
                "tests/unit/test_mutants.py"],
    **dict.fromkeys(("privacy/losses.py", "privacy/composition.py", "privacy/certified.py"),
                    ["tests/unit/test_composition.py", "tests/unit/test_accounting.py", ENDS]),
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
    "mechanisms/noisy_mean.py": ["tests/unit/test_mechanisms_noisy_mean.py"],
    "mechanisms/row_noise.py": ["tests/unit/test_methods_dpne.py", SPENDING],
    **dict.fromkeys(("mechanisms/exact_noise.py", "mechanisms/drawing.py"), ["tests/statistical/test_exact_noise.py"]),
    "mechanisms/law.py": [LAW],
    "mechanisms/mechanism.py": ["tests/unit/test_mechanisms_mechanism.py", SPENDING],
    "mechanisms/tape.py": ["tests/unit/test_replaying.py", SPENDING],
    "mechanisms/text.py": ["tests/unit/test_mechanisms_text.py"],
    **dict.fromkeys(("mechanisms/neighbours.py", "mechanisms/two_hop.py"), ["tests/unit/test_neighbours.py", LAW]),
    **dict.fromkeys(("mechanisms/blink.py", "mechanisms/edge_mechanism.py", "mechanisms/edge_response.py",
                     "mechanisms/edge_sampling.py", "mechanisms/similar_nodes.py"), EDGE_REPORTS),
    **dict.fromkeys(("audit/spending.py", "audit/replaying.py"), [SPENDING]),
    **dict.fromkeys(("methods/lpgnn.py", "methods/rgnn.py", "methods/graphprivatizer.py", "methods/release.py",
                     "methods/query_release.py"), [FILES, SENDS, "tests/unit/test_release.py"]),
    "methods/spent.py": ["tests/unit/test_spent.py"],
    "methods/pate.py": [SENDS],
    "methods/distilled.py": [SENDS, "tests/unit/test_pate.py", "tests/unit/test_privgnn.py"],
    "methods/privgnn.py": [SENDS],
    **dict.fromkeys(("methods/gae.py", "methods/lppge.py", "methods/sensitive.py"), ["tests/unit/test_lppge.py"]),
    **dict.fromkeys(("methods/dpne.py", "methods/embedding_controls.py"), []),
    **dict.fromkeys(("methods/messages.py", "methods/guard.py", "methods/federated/row_messages.py",
                     "methods/federated/averaging.py"),
                    ["tests/unit/test_messages.py", "tests/unit/test_averaging.py", STRANGERS]),
    **dict.fromkeys(("methods/federated/upload_noise.py", "methods/federated/split.py"), []),
    "methods/local.py": [FILES, "tests/unit/test_model.py", WRONG[0]],
    **dict.fromkeys(("methods/embedding.py", "methods/method.py", "methods/model.py",
                     "methods/model_files.py", "methods/few_shot/kind.py"), [FILES, "tests/unit/test_model.py"]),
    "methods/federation.py": ["tests/unit/test_model.py", SENDS, STRANGERS],
    **dict.fromkeys(("methods/curated.py", "methods/contract/curators.py"), ["tests/unit/test_methods_curated.py"]),
    **{f"methods/{name}.py": [f"tests/unit/test_methods_{name}.py"]
       for name in ("gap", "gap_for_nodes", "progap", "dpsgd")},
    "methods/federated/federated_deepwalk.py": [SENDS, STRANGERS, "tests/unit/test_upload_noise.py"],
    **dict.fromkeys(("methods/federated/gat.py", "methods/federated/fedavg.py"),
                    ["tests/unit/test_federated_gat.py", STRANGERS]),
    **{f"methods/contract/{name}.py": [METHODS, *WRONG] for name in ("all_kinds", "changes", "covering",
                                                                     "other_kinds", "two_halves")},
}
# Mutants that no test can tell from the original: (module, source line, change) -> why, in one sentence. It
# is an error to excuse a mutant that there is not. `--list` prints the three parts.
SEARCH = "the search for sigma only starts here; its root is the same"
QUADRATURE = "accuracy of the quadrature, far beyond what a probability is used for"
FIRST = "it names one of the wrong ones; any of them will do"
ONLY_ONE = "there is exactly one, so the first is the last"
SAME_SUM = "the guard is for sums that overflow; where the sum can be made it says the same"
ROUNDING = "a tolerance for rounding; nothing lies between the two values"
NEIGHBOURS, TWO_HOP, LARGEST = (f"mechanisms/{name}.py" for name in ("neighbours", "two_hop", "largest_pairs"))
SPEED = "the size of a block decides about time and memory, and not about the result"
ONE_ROW = "the tensor has one dimension, so its first is its last"
NEVER = "the two are equal with probability 0"
NEAR = "the answer comes as near either way as it is asked to"
LIMIT = "a limit of what is computed at all, which time and memory set"
BOTH = "both ways are right there"
ABOVE = "the search ends at the same root, from whatever bound above it"
ENDS_THERE = "at equality the search ends there as well"
MORE = "more tries find no less"
SEED = "any seed will do"
WIDER = "the table is wider, and nothing is read from what is added"
NO_WEIGHT = "the outcome has no probability, so its loss is not read"
CALIBRATION, ACCOUNTING, PAIRS, RENYI, NOISE_PAIRS = (
    f"privacy/{name}.py" for name in ("calibration", "accounting", "dominating_pairs", "renyi", "noise_pairs"))
EQUIVALENT: dict[tuple[str, str, str], str] = {
    **{("mechanisms/noisy_mean.py", "shift * (shift / 2 + math.sqrt(2 * math.log(1 / self.delta))))", change): ABOVE
       for change in ("2 -> 1", "2 -> 3 #2", "1 -> 2")},
    **{(TWO_HOP, line, change): SPEED for line, changes in {
        "BLOCK = 1 << 22  # two-hop walks that a block of people may hold": 
            ("1 -> 2", "1 -> 0", "22 -> 23", "22 -> 21"),
        "work = np.append(0, np.cumsum(lists @ np.diff(lists.indptr)))  # two-hop walks up to each person": 
            ("0 -> 1", "0 -> -1"),
        "while first < n:": ("< -> <=",),  # one more block, and it is empty
        'last = max(first + 1, int(np.searchsorted(work, work[first] + BLOCK, side="right")) - 1)':
            ("1 -> 2", "1 -> 2 #2", "1 -> 0 #2")}.items() for change in changes},
    **{(NEIGHBOURS, line, change): SPEED for line, changes in {
        "CACHED = 1 << 18  # numbers that a block of edges may hold: what stays in the processor's cache":
            ("1 -> 2", "1 -> 0", "18 -> 19", "18 -> 17"),
        "block = max(1, CACHED // max(x.size(1), 1))": ("1 -> 2", "1 -> 0 #2",
                                                        "1 -> 2 #3")}.items() for change in changes},
    **{(LARGEST, line, change): why for line, changes, why in (
        ("DENSE = 1 << 20  # pairs up to which each gets a number of its own", ("1 -> 2", "1 -> 0", "20 -> 21",
                                                                                "20 -> 19"), SPEED),
        ('all_drawn = pairs <= DENSE or is_secret(generator)', ("<= -> <",), SPEED),
        ("n, edges = data.num_nodes, data.edge_index[:, data.edge_index[0] > data.edge_index[1]]", ("> -> >=",),
         "a graph has no loops"),
        ("tail = -torch.expm1(-(steps / torch.arange(zeros, zeros - count, -1, dtype=torch.double)).cumsum(0))",
         ("0 -> -1",), ONE_ROW),
        ("positive = torch.where(tail < 0.5, -(2 * tail).log(), (2 * (1 - tail)).log())", ("< -> <=",), BOTH),
        ("ends = [-40.0, 0.0, far, far + 40.0]", ("40.0 -> 60.0", "0.0 -> 1.0", "40.0 -> 60.0 #2"), QUADRATURE),
        ("return sum(quad(density, low, high, epsabs=1e-14, epsrel=1e-12)[0]", ("1e-14 -> 1.5e-14",
                                                                                 "1e-12 -> 1.5e-12"), QUADRATURE),
        ("return math.exp(min(t, 0.0)) / 2 if t <= 0 else 1 - math.exp(-t) / 2", ("0.0 -> 1.0", "<= -> <"), BOTH),
        ("return below(high) - below(low) if low <= 0 else below(-low) - below(-high)",
         ("<= -> <", "<= -> >", "0 -> 1", "0 -> -1"), "both ways are the same number; one of them has more digits"),
    ) for change in changes},
    ("mechanisms/edge_mechanism.py", "graphs = [chosen for size in range(4) for chosen in combinations(pairs, size)]",
     "4 -> 5"): "of three pairs no four can be chosen",
    ("mechanisms/edge_mechanism.py", "return tuple(tuple(int(u in named) for u in range(v + 1 if once else 0, n) if u "
     "!= v)", "1 -> 0"): "oneself is left out in any case",
    **{("mechanisms/private_end_response.py", "def weights(self, lists: tuple[frozenset[int], ...], t, one=1, public: "
        "int = 0) -> Weights:", change): "a pair has two ends, so that one public person makes none open"
       for change in ("0 -> 1", "0 -> -1")},
    ("mechanisms/sensitive_response.py", "number = users.cumsum(0) - 1  # of each sensitive person among them, in the "
     "same order", "0 -> -1"): ONE_ROW,
    **{(NEIGHBOURS, line, "0 -> -1"): ONE_ROW for line in (
        "place = torch.arange(len(slot)) - (self.count.cumsum(0) - self.count)[slot]",
        "start = size.cumsum(0) - size")},
    **{("mechanisms/additive.py", "low, high = math.log(1e-160), math.log(1e160)  # of sigma / sensitivity, far "
        "beyond any use",
        change): SEARCH for change in ("1e-160 -> 1.5e-160", "1e+160 -> 1.5e+160")},
    **{("mechanisms/noisy_arg_max.py", line, change): QUADRATURE for line, changes in {
        "MOST_POINTS = 200  # of Gauss's rule": ("200 -> 201", "200 -> 199"),
        "REACH, FAR = 40.0, 1e300  # how far noise goes; how far behind is hopeless": 
            ("40.0 -> 60.0", "1e+300 -> 1.5e+300"),
        "x, weight = gauss_rule(min(num_classes, MOST_POINTS) + 20)": 
            ("20 -> 21", "20 -> 19")}.items() for change in changes},
    **{("mechanisms/noisy_arg_max.py", "if lead > 1:", change): "both ways are right between 1 and 2"
       for change in ("> -> >=", "1 -> 2")},
    ("mechanisms/noisy_arg_max.py", "return math.fsum(quad(integrand, a, b, epsabs=0, epsrel=1e-12)[0] "
     "for a, b in pairwise(kinks))", "1e-12 -> 1.5e-12"): QUADRATURE,
    ("mechanisms/noisy_arg_max.py", "return math.fsum(quad(integrand, a, b, epsabs=0, epsrel=1e-12)[0] "
     "for a, b in pairwise(kinks))", "0 -> -1"): "no error is allowed in absolute terms, and less than none is as much",
    ("privacy/dominating_pairs.py", "SMALL, LARGE = 1e-9, 700.0  # losses l for which floats tell e^l well from 1, and "
     "have room for e^l and e^-l", "1e-09 -> 1.5e-09"): "two bounds meet here, both sound",
    ("mechanisms/additive.py", "if REACH * scale > torch.finfo(answer.dtype).max:", "> -> >="): NEVER,
    **{("mechanisms/additive.py", "REACH = 100  # scales of noise that a number of the answer's type must hold",
        change): "any number beyond what noise reaches" for change in ("100 -> 101", "100 -> 99")},
    ("mechanisms/multibit.py", "if largest > float(np.finfo(np.float32).max):", "> -> >="): NEVER,
    ("mechanisms/multibit.py", "fraction = (above / (high - low).to(x.dtype)[places]).clamp(0, 1)  # far "
     "from 0 rounded ends lie further apart", "0 -> -1"): "no value that is accepted lies below the rounded end that "
                                                         "is taken away",
    **{("mechanisms/multibit.py", "MOST_ENUMERATED = 4  # features of a vector whose reports are all listed", change):
       SPEED for change in ("4 -> 5", "4 -> 3")},
    ("mechanisms/noisy_arg_max.py", "return np.where(z < 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2)",
     "< -> <="): "both branches are one half at 0",
    ("mechanisms/noisy_arg_max.py", "if scores.numel() and (off := float((scores.sum(1) - 1).abs().max())) > 1e-4:",
     "> -> >="): "1e-4 is no multiple of the spacing of floats near 1, so equality cannot occur",
    **{("privacy/dominating_pairs.py", "return bool(np.allclose(forth, back, rtol=1e-9, atol=1e-15))", change): ROUNDING
       for change in ("1e-09 -> 1.5e-09", "1e-15 -> 1.5e-15")},
    **{("privacy/guarantee.py", "elif (count - 1) * self.epsilon + math.log(self.delta) >= 0:  # the last term is 1 "
        "already, or overflows", change): SAME_SUM for change in (">= -> >", "1 -> 0", "0 -> 1", "0 -> -1")},
    ("privacy/guarantee.py", "delta = 1.0", "1.0 -> 1.5"): "any number from 1 on says that nothing is left to say",
    ("privacy/guarantee.py", "return found[0]", "0 -> -1"): ONLY_ONE,
    **{("privacy/guarantee.py", 'f"each guarantee must be a privgraph.privacy.Guarantee, got {odd[0]!r}; '
        'compose(*several) unpacks a list")', change): FIRST for change in ("0 -> 1", "0 -> -1")},
    ("mechanisms/mechanism.py", "row = report[0].tolist()", "0 -> -1"): ONLY_ONE,
    **{(CALIBRATION, line, change): why for line, why, changes in (
        ("FURTHEST = 2.0**100  # a scale that nobody needs", LIMIT, ("2.0 -> 3.0", "100 -> 101", "100 -> 99")),
        ("return advanced_composition(steps[0].pair.epsilon, steps[0].count, delta)", ONLY_ONE,
         ("0 -> -1", "0 -> -1 #2")),
        ("if spent.rate == 1:", "without a sample the formula below says the same", ("1 -> 2", "1 -> 0")),
        ("whole = None if delta is None else min(delta / spent.rate, math.nextafter(1, 0))",
         "the next float below 1, whichever number below it shows the way", ("0 -> -1",))) for change in changes},
    **{(ACCOUNTING, line, change): why for line, why, changes in (
        ("if self.rate == 1:", "without a sample the formula below says the same", ("1 -> 2", "1 -> 0")),
        ("found = pld_epsilon(list(self.steps), min(delta / self.rate, math.nextafter(1, 0)))",
         "the next float below 1, whichever number below it shows the way", ("0 -> -1",)),
        ("if LARGE < max(pair.epsilon for pair, _ in pairs) < math.inf:", BOTH, ("< -> <=",)),
        ("if uses(steps) > MOST_FACTORS:", LIMIT, ("> -> >=",)),
        ("delta, count = check_delta_or_none(delta), check_count(count, \"count\", low=1)",
         "exact_delta refuses it in the same words", ("1 -> 0",)),
        ('raise TypeError(f"steps must hold Step(pair, count) only, got {odd[0]!r}")', FIRST,
         ("0 -> -1",))) for change in changes},
    **{(PAIRS, line, change): why for line, why, changes in (
        ("losses = np.where(p + q > 0, np.log(p) - np.log(q), 0.0)", NO_WEIGHT, ("0.0 -> 1.0",)),
        ("size = max(1.0, np.abs(loss[np.isfinite(loss)]).max(initial=0))", ROUNDING,
         ("1.0 -> 1.5", "0 -> 1", "0 -> -1")),
        ("p, q = ({o: float(v) for o, v in enumerate(side) if v > -math.inf} for side in self.logarithms)",
         NO_WEIGHT, ("> -> >=",)),
        ("small = np.log1p(rate * np.expm1(np.minimum(loss, 1)))", BOTH, ("1 -> 2",)),
        ("return np.where(loss > 1, loss + np.log(rate + (1 - rate) * np.exp(-np.maximum(loss, 1))), small)", BOTH,
         ("> -> >=", "1 -> 0 #3")),
        ("def bounded_range_pair(spread: float, points: int = 64) -> FinitePair:", NEAR, ("64 -> 65", "64 -> 63")),
        ("if not SMALL <= spread <= LARGE:", BOTH, ("<= -> <", "<= -> < #2")),
        ("delta = np.where(loss < 0, -np.expm1(loss) + ratio * gain, gain)", BOTH, ("< -> <=",)),
        ("q = np.diff(slope).clip(0)  # how much of q has each ratio: as much as the curve bends there",
         "the curve is convex, so that only rounding is below 0", ("0 -> -1",))) for change in changes},
    **{(RENYI, line, change): LIMIT for line, change in (
        ("SMALLEST = 1e-300  # variances of a noise that is none", "1e-300 -> 1.5e-300"),
        ("return order / (2 * square) if square > SMALLEST else order * math.inf", "> -> >="))},
    (NOISE_PAIRS, "if 1 / self.scale > LARGE:", "> -> >="): LIMIT,
    **{("mechanisms/edge_sampling.py", line, change): why for line, why, changes in (
        ("CHUNK = 1 << 22  # random numbers at a time", SPEED, ("1 -> 2", "22 -> 23", "22 -> 21")),
        ("return self.widths.cumsum(0) - self.widths", ONE_ROW, ("0 -> -1",)),
        ("return self.starts[person] + named - (person + 1 if self.once else (named > person).long())",
         "nobody names herself", ("> -> >=",)),
        ("named, person = edge_index[:, edge_index[0] > edge_index[1]] if places.once else edge_index",
         "no edge joins a node to itself", ("> -> >=",)),
        ("ends, first = (hazard * sizes).cumsum(0), sizes.cumsum(0) - sizes", ONE_ROW, ("0 -> -1", "0 -> -1 #2")),
        ("while time < total:", NEVER, ("< -> <=",)),
        ("steps = torch.empty(min(int(left + 5 * math.sqrt(left)) + 16, CHUNK), dtype=torch.double)", SPEED,
         ("5 -> 6", "5 -> 4", "16 -> 17", "16 -> 15")),
        ("hits = time + steps.exponential_(generator=generator).cumsum(0)", ONE_ROW, ("0 -> -1",)),
        ("hits = hits[hits < total]", NEVER, ("< -> <=",)),
        ("place = ((hits - (ends - hazard * sizes)[row]) / hazard[row]).long().clamp(min=0)",
         "only rounding can bring it below 0, and never by 1", ("0 -> -1",)),
        ("chosen.append(first[row] + torch.minimum(place, sizes[row] - 1))  # rounding may step over an end",
         "only rounding can bring it there", ("1 -> 0",)),
        ("draws = drawing(generator).geometric(epsilon, (2, degrees.numel()))", "a third row would not be read",
         ("2 -> 3",))) for change in changes},
    **{("mechanisms/edge_response.py", line, change): why for line, why, changes in (
        ("ones = [one_2 if k else 1 for k in range(n)]  # of k = 0 it would be in all weights, and might vanish",
         "a factor of all weights", ("1 -> 2",)),
        ("return 1 / (1 + math.exp(self.epsilon)) if self.epsilon < 700 else math.exp(-self.epsilon)", BOTH,
         ("< -> <=", "700 -> 701", "700 -> 699")),
        ("return (noisy / (noisy * (p - lie) + (num_nodes - 1) * lie).clamp_min(1e-300)).clamp(max=1.0)", LIMIT,
         ("1e-300 -> 1.5e-300",))) for change in changes},
    **{("mechanisms/grr_fs.py", line, change): LIMIT for line, changes in (
        ("MOST_ENUMERATED = 64  # vectors all of whose reports are listed", ("64 -> 65", "64 -> 63")),
        ("MOST_STEPS = 10**9  # of the sums over all choices of m among d features: seconds",
         ("10 -> 11", "10 -> 9", "9 -> 8"))) for change in changes},
    **{("mechanisms/blink.py", line, change): why for line, why, changes in (
        ("ROUNDS, CLOSE = 1_000, 1e-9  # of the fixed point iteration, and when it stops", NEAR,
         ("1000 -> 1001", "1000 -> 999", "1e-09 -> 1.5e-09")),
        ("BLOCK = 1 << 22  # numbers that a block may hold", SPEED, ("1 -> 2", "1 -> 0", "22 -> 23", "22 -> 21")),
        ("step = max(1, BLOCK // len(d))", SPEED, ("1 -> 2", "1 -> 0")),
        ("if change.abs().max() < CLOSE:", NEVER, ("< -> <=",)),
        ("kept = beta[low] + beta[high] + (2 * ones - self.reports) * self.epsilon_edges > 0", NEVER, ("> -> >=",)),
        ("offset = torch.arange(left.numel()) - ((n - first).cumsum(0) - (n - first))[left]", ONE_ROW, ("0 -> -1",)),
        ('if self.output == "soft" and n > MOST_SOFT:', LIMIT, ("> -> >=",))) for change in changes},
    **{("mechanisms/similar_nodes.py", line, change): why for line, why, changes in (
        ("BLOCK = 1 << 20  # numbers that a block may hold", SPEED, ("1 -> 2", "1 -> 0", "20 -> 21", "20 -> 19")),
        ("for rows in torch.arange(len(x)).split(max(1, BLOCK // max(len(x), 1))):", SPEED,
         ("1 -> 2", "1 -> 0", "1 -> 2 #2", "1 -> 0 #2")),
        ("parts = [(rows.double() @ near, rows.double() @ far) for rows in self.counts.split(max(1, BLOCK // BINS))]",
         SPEED, ("1 -> 2",)),
        ("found = brentq(lambda s: loss(s) - self.epsilon, low, high, rtol=1e-12)", NEAR, ("1e-12 -> 1.5e-12",)),
        ("return found if loss(found) <= self.epsilon else max(low, found * (1 - 1e-9))", NEAR,
         ("<= -> <", "1e-09 -> 1.5e-09")),
        ("if loss(low) > self.epsilon:  # where only a bound is known it can be worse than the proof", ENDS_THERE,
         ("> -> >=",)),
        ("while high < SHARPEST and loss(high) <= self.epsilon:", ENDS_THERE, ("<= -> <",)),
        ("low, high = high, min(2 * high, SHARPEST)", ABOVE, ("2 -> 3",)),
        ("if loss(high) <= self.epsilon:", ENDS_THERE, ("<= -> <",)),
        ("size = torch.bincount(reported[0], minlength=data.num_nodes)",
         "the graph is undirected, so that its two rows count the same", ("0 -> 1", "0 -> -1")),
        ("place = torch.arange(len(slots)) - (ends - size)[rows][row] + (ends - size)[rows[0]]", WIDER, ("0 -> -1",)),
        ("if n < 3:", "with two nodes the loop below finds 0 as well", ("3 -> 2",)),
        ("distance[own, rows] = 2.0  # oneself is not another node", "any number above 1, the largest distance",
         ("2.0 -> 3.0",)),
        ("below, upto = torch.where(barred > 0, total[row, (barred - 1).clamp(min=0)], 0.0), total[row, barred]",
         "what is read for the first node is not used", ("0 -> -1 #2",)),
        ("wanted = torch.zeros(len(weight), int(place.max()) + 1 if len(place) else 0, dtype=torch.double)", WIDER,
         ("1 -> 2", "0 -> 1")),
        ("if count > MOST_SCORES:", LIMIT, ("> -> >=",)),
        ("unit = torch.nn.functional.normalize(x.double(), eps=1e-300)", LIMIT, ("1e-300 -> 1.5e-300",)),
        ("ends = size.cumsum(0)", ONE_ROW, ("0 -> -1",)),
        ("point = torch.where(point < below, point, upto + (point - below))  # step over the barred node", NEVER,
         ("< -> <=",))) for change in changes},
    **{("audit/spending.py", line, change): why for line, why, change in (
        ("COINS = 4  # with which a mechanism is asked whether it reads more than edges", MORE, "4 -> 5"),
        ("rate, held = samples[0][0].rate, [tape.held_the_last(*both) for both in samples]", "all have one rate here",
         "0 -> -1"),
        ("return Budget(sum(calls, ()), rate) if held[0] else None", ONLY_ONE, "0 -> -1"))},
    **{("audit/replaying.py", line, "0 -> 1"): SEED for line in (
        "def replay(pipeline: Callable[[Any, torch.Generator], Any], data, neighbour, seed: int = 0) -> list[Leak]:",
        "def __init__(self, pipeline: Callable[[Any, torch.Generator], Any], data, seed: int = 0, quiet: bool = "
        "False):")},
    **{("methods/federated/split.py", line, change): ROUNDING for line, change in (
        ("first, each = (int(n * fraction + 1e-9) for fraction in shares)", "1e-09 -> 1.5e-09"),
        ("if shares[0] + clients * shares[1] > 1 + 1e-9:", "> -> >="),
        ("if shares[0] + clients * shares[1] > 1 + 1e-9:", "1e-09 -> 1.5e-09"))},
    ("methods/federated/row_messages.py", "return (rows.double() * ((1 - 1e-6) * LONGEST / length).clamp(max=1.0))"
     ".to(rows.dtype)", "1e-06 -> 1.5e-06"): "any slack that rounding to float32 does not use up",
    **{("methods/embedding_controls.py", "u, s, _ = torch.pca_lowrank(x, min(width + 10, *x.shape), niter=4)",
        change): NEAR for change in ("10 -> 11", "10 -> 9")},
    **{("methods/sensitive.py", line, "0 -> -1"): ONE_ROW for line in (
        "return cls(graph, torch.zeros(graph.num_nodes, dtype=torch.bool).index_fill(0, links.unique(), True), links)",
        "near = near.index_fill(0, edges[1, near[edges[0]]], True)")},
    ("methods/pate.py", "applies = q < math.expm1(2 * lam) / math.expm1(4 * lam)", "< -> <="): NEVER,
    ("methods/pate.py", "agreed = q.where(applies, 0.0)", "0.0 -> 1.0"): "it is read only where the bound applies",
    **{("methods/guard.py", 'told = " ".join(str(error).split())[:300]', change): LIMIT
       for change in ("300 -> 301", "300 -> 299")},
    **{("methods/messages.py", line, change): LIMIT for line, changes in {
        "HEADER_MOST = 2**20  # bytes: what JSON makes of them is some twenty times as large":
            ("2 -> 3", "20 -> 21", "20 -> 19"),
        "if not all(type(size) is int and 0 <= size < 2**40 for size in shape) or len(shape) > 8:":
            ("< -> <=", "2 -> 3", "40 -> 41")}.items() for change in changes},
    ("privacy/accounting.py", "hits = np.arange(count + 1)", "1 -> 2"): "the term that is added has probability 0",
    ("privacy/accounting.py", "if delta_of(0.0) <= delta:",
     "<= -> <"): "at equality the search below ends at 0 as well",
}

CHANGES = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",),
           "!=": ("==",), "in": ("not in",), "not in": ("in",), "is": ("is not",), "is not": ("is",)}
OPERATORS = {sign: type(ast.parse(f"a {sign} b").body[0].value.ops[0]) for sign in CHANGES}
SIGNS = {operator: sign for sign, operator in OPERATORS.items()}
# Functions of what is tried, not of what is promised, and of what trains.
UNPROTECTED = {"examples", "trial", "fit", "learn", "play", "train", "reconstruct", "untrained"}
IMPORTED_ONCE = ["torch", "scipy.stats", "pytest", "hypothesis", "networkx", "torch_geometric.transforms",
                 "dp_accounting.pld.privacy_loss_distribution", "privgraph.mechanisms"]
MEMORY = 4 << 30  # bytes that a mutant may use: some ask for a grid without end
SECONDS = 1800  # of processor time, for tests without mutation
SLEEPS = 10  # how many times as long a mutant may take by the clock on the wall
BY_FILE = 10  # exit statuses from here on say which test file noticed a mutant
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
        """How ``EQUIVALENT`` names it."""
        return self.module, self.source, self.change


def arguments(node: ast.AST) -> set[str]:
    return {one.arg for one in node.args.args} if isinstance(node, ast.FunctionDef) else set()


def is_parameter(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith("Annotated[")


def sites(node: ast.AST) -> Iterator[tuple[ast.AST, int, ast.AST]]:
    """(node, place, where) of each number, and of each comparison of a chain; ``where`` has its line."""
    if getattr(node, "name", None) in UNPROTECTED or "release" in arguments(node) or is_parameter(node):
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


class Mutator(SourceFileLoader):
    """Finds and loads one module, from a changed tree; every other module is left to Python."""

    def __init__(self, name: str, path: Path, tree: ast.Module):
        super().__init__(name, str(path))
        self.code = compile(tree, str(path), "exec")

    def find_spec(self, name, path=None, target=None):
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, fullname):
        return self.code


def run_tests(root: Path, mutant: Mutant, tests: list[Path]) -> int:
    """In a child: put the mutant in its module's place, run doctests and tests. 0 when all pass, else ``BY_FILE`` and
    the place of the file that noticed it, or 1: it was noticed before."""
    import pytest
    path = root / mutant.module
    name = ".".join([root.name, *Path(mutant.module).with_suffix("").parts]).removesuffix(".__init__")
    for loaded in [m for m in sys.modules if m.partition(".")[0] == root.name]:
        del sys.modules[loaded]
    sys.meta_path.insert(0, Mutator(name, path, mutated(mutant, path.read_text(encoding="utf-8"))))
    if doctest.testmod(importlib.import_module(name)).failed:
        return 1
    # Without the plugins that happen to be installed: less to load, and nothing shuffles or retries.
    os.environ.update(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTEST_ADDOPTS="")
    for place, test in enumerate(tests):  # file by file: collecting them all takes longer than most mutants live
        if pytest.main(["-x", "-q", "-p", "no:cacheprovider", str(test)]):
            return BY_FILE + place
    return 0


def fork(root: Path, mutant: Mutant, tests: list[Path], limit: int, quiet: bool) -> int:
    """Start ``run_tests`` in a child and return its process id.

    SIGXCPU ends it after ``limit`` seconds of processor time, which are the same beside other work; one that
    sleeps is ended by SIGALRM, ``SLEEPS`` times later.
    """
    sys.stdout.flush()
    if child := os.fork():
        return child
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SLEEPS * limit)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
        if quiet:
            sys.stdout = sys.stderr = null = open(os.devnull, "w")
            os.dup2(null.fileno(), 1), os.dup2(null.fileno(), 2)
        status = int(run_tests(root, mutant, tests))
    except BaseException as error:  # a mutant may raise anything when imported; the child must end here
        print(f"{type(error).__name__}: {error}")
    finally:
        sys.stdout.flush()
        os._exit(status)


def wait_for(children: Iterable[int]) -> tuple:
    """What ``os.wait4`` says of the first of these children that ends; other children are not touched."""
    handles = {os.pidfd_open(child): child for child in children}
    ended, *_ = multiprocessing.connection.wait(handles)
    for handle in handles:
        os.close(handle)
    return os.wait4(handles[ended], 0)


def run(root: Path, todo: list[Mutant], tests: dict, limits: dict, jobs: int = 1, quiet: bool = True) -> dict:
    """Mutant -> (exit status, seconds of processor time); ``tests`` and ``limits`` are by module."""
    waiting, running, done = list(reversed(todo)), {}, {}
    with tqdm(total=len(todo), disable=None if quiet else True) as progress:
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop()
                progress.set_description(f"{mutant.module}:{mutant.line} {mutant.change}")
                child = fork(root, mutant, tests[mutant.module], limits[mutant.module], quiet)
                running[child] = mutant
            child, status, used = wait_for(running)
            done[running.pop(child)] = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
            progress.update()
    return done


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
    """Module -> its test files: of the table's entries the nearest; and before them those that have its name."""
    found = {}
    for module in modules:
        folder, _, name = module.removesuffix(".py").rpartition("/")
        listed = next(table[place] for place in (module, *map(str, Path(module).parents)) if place in table)
        own = (f"tests/unit/test_{each}.py" for each in (name, f"{folder.replace('/', '_')}_{name}"))
        found[module] = [base / test for test in dict.fromkeys(
            [*(test for test in own if (base / test).exists()), *listed])]
    if lost := sorted({str(path) for each in found.values() for path in each if not path.exists()}):
        sys.exit(f"TESTS lists what does not exist: {', '.join(lost)}")
    return found


def written(root: Path, tests: dict) -> dict[Path, int]:
    """When each module of the library and each test file was written."""
    return {path: path.stat().st_mtime_ns for path in {*root.rglob("*.py"), *sum(tests.values(), [])}}


def trial(root: Path, todo: list[Mutant], tests: dict, excuses: dict, jobs=1, patience=20) -> list[Mutant]:
    """Run the mutants, print what came of them, and return the survivors.

    A mutant has ``patience`` seconds of processor time, and five times what the tests take without mutation.
    """
    before, modules = written(root, tests), sorted({mutant.module for mutant in todo})
    intact = run(root, [Mutant(module) for module in modules], tests, dict.fromkeys(modules, SECONDS), jobs)
    if failing := [mutant.module for mutant, (status, _) in intact.items() if status]:
        sys.exit(f"tests fail without mutation: {', '.join(failing)}")
    limits = {mutant.module: math.ceil(patience + 5 * seconds) for mutant, (_, seconds) in intact.items()}
    done = run(root, [mutant for mutant in todo if mutant.key not in excuses], tests, limits, jobs)
    status = {mutant: code for mutant, (code, _) in done.items()}
    if written(root, tests) != before:
        sys.exit("the library or a test changed meanwhile, and may be what failed: run again")
    if -signal.SIGKILL in status.values():
        sys.exit("a mutant was killed from outside, perhaps for lack of memory: run again with fewer --jobs")
    first = Counter(tests[mutant.module][code - BY_FILE].name for mutant, code in status.items() if code >= BY_FILE)
    print(*(f"{count:6d} noticed by {name}, and by none before it" for name, count in first.items()), sep="\n")
    late = [mutant for mutant in done if status[mutant] in TIME_UP]
    alive = [mutant for mutant in done if status[mutant] == 0]
    for title, some in (("stopped by the time limit", late), ("SURVIVED", alive)):
        for mutant in some:
            print(f"{title}: {mutant}")
    print(f"{len(todo)} mutants: {len(done) - len(alive)} noticed, {len(late)} of them by the time limit; "
          f"{len(todo) - len(done)} excused; {len(alive)} survived. "
          f"{sum(seconds for _, seconds in done.values()) / max(1, len(done)):.1f} s each.")
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
    found = survey(LIBRARY, TESTS, EQUIVALENT)
    if unknown := set(args.module) - set(found):
        parser.error(f"nothing to mutate in {', '.join(sorted(unknown))}; there is {', '.join(found)}")
    todo = [mutant for module in args.module or found for mutant in found[module]]
    if args.sample is not None:
        todo = sample(LIBRARY, [mutant for mutant in todo if mutant.key not in EQUIVALENT], args.sample)
    if args.list:
        return print(*(f"{number:4d} {mutant}" for number, mutant in enumerate(todo)), sep="\n")
    tests = paths(found, TESTS, ROOT)
    warm_up()
    if args.only is None:
        sys.exit(1 if trial(LIBRARY, todo, tests, EQUIVALENT, args.jobs) else 0)
    mutant = todo[args.only]
    (status, _), = run(LIBRARY, [mutant], tests, {mutant.module: SECONDS}, quiet=False).values()
    print(f"{'noticed' if status else 'SURVIVED'} (status {status}): {mutant}")
    sys.exit(0 if status else 1)


if __name__ == "__main__":
    main()
