"""``check_mechanism``: tries everything that a mechanism promises, and names what refutes it."""

from __future__ import annotations

import copy
import math
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import torch

from ..checks import check_choice, check_count
from ..checks.parameters import Epsilon, kinds_of
from ..late import pyg
from ..mechanisms import AuditCase, Mechanism
from ..privacy import Guarantee
from ..randomness import seeded
from . import added_noise, crowds, exact, larger_graphs, refuting, sampled
from .refusals import budgets, refusals
from .refuting import CLOSE, CheckFailed, Skipped, Subject, finite_pairs
from .replaying import differences
from .verdict import NOTHING_TO_REFUTE, PROMISES_NOTHING, TRIED

SEEDS = range(8)  # so that one coin that falls right hides nothing


@dataclass(frozen=True)
class CheckReport:
    """What was checked of ``mechanism`` (name of the check -> what was found), and what could not be,
    with the reason.

    :param checked: what was found, by the name of the check.
    :param skipped: why it could not be checked, by the name of the check.
    """

    mechanism: Mechanism
    checked: dict[str, str]
    skipped: dict[str, str]

    @property
    def verdict(self) -> str:
        """One of ``audit.verdict``; a refutation is raised instead."""
        if all(g.epsilon == float("inf") for g in self.mechanism.guarantees):
            return PROMISES_NOTHING
        return TRIED if COULD_REFUTE & self.checked.keys() else NOTHING_TO_REFUTE

    def __str__(self) -> str:
        lines = [f"  {name}: {remark}" for name, remark in self.checked.items()]
        lines += [f"  {name}: not checked, as {why}" for name, why in self.skipped.items()]
        lines += [WANTED] * (self.verdict == NOTHING_TO_REFUTE)
        return "\n".join([repr(self.mechanism), *lines, self.verdict])


WANTED = ("  to say more it needs an audit_case() with two inputs that are neighbours, and a table of chances "
          "(distribution) or the law of its noise, or so small an epsilon that draws can tell")


def check_mechanism(mechanism: Mechanism, inputs: tuple | AuditCase | None = None, *, runs: int = 2_000,
                    only: str | None = None) -> CheckReport:
    """Try all that a mechanism promises (``Mechanism``) on small inputs.

    No check proves a guarantee for all inputs: an exact worst case holds for the inputs that were tried, and what is
    counted in ``runs`` finds large defects only (its remark says which). Those with chance in them err with probability
    1e-6 each. In very large crowds a scale of noise that is off by 5% is seen; by 2% where the ``law`` of noise added
    to numbers is stated, and there also tails that are cut, a coarse grid, and noise that is used again.

    What is not seen: small defects in reports of edges, of which only ``runs`` are drawn; for winners, noise cut five
    scales out or on a grid of a hundredth; for numbers, tails rarer than 3 in 100,000, grids finer than a billionth of
    the scale, and the holes that floats leave; what happens only on inputs, or in crowds, that were not tried.

    :param inputs: what to try it on; by default the mechanism's own ``audit_case()``. A tuple stands for
        ``AuditCase(inputs)``.
    :param runs: how often a report is drawn where its chances are compared with the stated ones.
    :param only: the name of one check, the others being left out.
    :raises CheckFailed: names the check and, where a guarantee is refuted, the two neighbouring inputs, the outcome,
        both chances, and the epsilon found beside the one stated.
    :raises TypeError: for what cannot be called.

    >>> from privgraph.mechanisms import RandomisedResponse
    >>> report = check_mechanism(RandomisedResponse(1.0, 3))
    >>> report.checked["worst case"]
    'label (replace): found 1 of 1'
    """
    if not callable(mechanism):
        raise TypeError(f"mechanism must be a mechanism, which can be called, got {mechanism!r}")
    check_count(runs, "runs", low=1)
    if only is not None:
        check_choice(only, "only", [check.__name__.replace("_", " ") for check in CHECKS])
    own = inputs if inputs is None or isinstance(inputs, AuditCase) else own_case(mechanism, inputs)
    case = mechanism.audit_case() if own is None else own
    return tried(Subject(mechanism, case, runs),
                 [check for check in CHECKS if only in (None, check.__name__.replace("_", " "))])


def tried(subject: Subject, checks: list[Callable[[Subject], str]]) -> CheckReport:
    """What these checks say."""
    mechanism, checked, skipped = subject.mechanism, {}, {}
    for check in checks:
        name = check.__name__.replace("_", " ")
        try:
            checked[name] = check(subject)
        except Skipped as why:
            skipped[name] = str(why)
        except CheckFailed as failure:
            raise CheckFailed(f"{name}: {failure}, of {mechanism!r}") from failure
        except Exception as error:
            raise CheckFailed(f"{name}: ended in {type(error).__name__}: {error}, of {mechanism!r}") from error
    return CheckReport(mechanism, checked, skipped)


def refute(mechanism: Mechanism, runs: int = 1_000) -> CheckReport | None:
    """Try what a mechanism promises of privacy, and leave its manners alone. None: it has no small data of its own.

    :raises CheckFailed: as ``check_mechanism`` does.
    """
    try:
        case = mechanism.audit_case()
    except NotImplementedError:
        return None
    return tried(Subject(mechanism, case, runs), [check for check in CHECKS if check not in MANNERS])


def own_case(mechanism: Mechanism, inputs: tuple) -> AuditCase:
    """These inputs, encoded as the mechanism's trial says where it has one."""
    try:
        return replace(mechanism.audit_case(), inputs=tuple(inputs))
    except NotImplementedError:
        return AuditCase(tuple(inputs), distribution=getattr(mechanism, "distribution", None))


def same(first, second) -> bool:
    return not list(differences(plain(first), plain(second)))


def plain(value):
    return value.to_dict() if isinstance(value, pyg.data.Data) else value


def expect(kept: bool, said: str) -> None:
    if not kept:
        raise CheckFailed(said)


# The checks: each returns a remark, or raises CheckFailed, or Skipped with the reason.

def frozen(subject: Subject) -> str:
    """A public constant: no field can be set, equal ones are equal, it can be hashed and pickled."""
    m = subject.mechanism
    params = getattr(type(m), "__dataclass_params__", None)
    expect(params is not None and params.frozen, "a mechanism must be a frozen dataclass")
    again = pickle.loads(pickle.dumps(m)) if "<locals>" not in type(m).__qualname__ else copy.deepcopy(m)
    expect(again == m and hash(again) == hash(m), "a copy must be equal and have the same hash")
    return "a frozen dataclass that can be hashed, pickled and compared"


def guarantees(subject: Subject) -> str:
    """Something is stated, and of each unit and relation once."""
    stated = subject.mechanism.guarantees
    expect(isinstance(stated, tuple) and all(isinstance(g, Guarantee) for g in stated) and bool(stated),
           f"guarantees must be a tuple of at least one Guarantee, got {stated!r}")
    kinds = [(g.unit, g.relation) for g in stated]
    expect(len(set(kinds)) == len(kinds), f"each unit and relation must be stated once, got {kinds}")
    expect(all(g.basis != "none" or g.epsilon == float("inf") for g in stated), "a finite epsilon needs a basis")
    return "; ".join(f"{g.unit} ({g.relation}): epsilon {g.epsilon:.4g}" + (f", delta {g.delta:.3g}" if g.delta else "")
                     for g in stated)


def bad_budgets(subject: Subject) -> str:
    """What a field may not be is refused by its name when the mechanism is made."""
    if not (tried := refusals(subject.mechanism)):
        raise Skipped("no field says what it may be, and none is called epsilon... or scale")
    return f"{', '.join(tried)}: what means nothing is refused by name"


def extreme_budgets(subject: Subject) -> str:
    """A budget, or another number, that is hardly any, or huge, is refused as a ValueError, or numbers come out that
    are numbers."""
    tried = {name: kind.extremes() for name, kind in kinds_of(type(subject.mechanism)).items() if kind.read is float}
    tried |= dict.fromkeys(budgets(subject.mechanism), Epsilon().extremes())
    if not tried:
        raise Skipped("it has no field epsilon..., and none says that it is a number")
    for name, value in ((name, value) for name, values in tried.items() for value in values):
        try:
            m = replace(subject.mechanism, **{name: value})
            told = plain(m(subject.case.encode(subject.busiest), generator=seeded(0)))
        except ValueError:
            continue
        for part in told.values() if isinstance(told, dict) else (told,):
            expect(not isinstance(part, torch.Tensor) or bool(torch.isfinite(part).all()),
                   f"{name}={value!r} gives {part}")
    return f"{', '.join(tried)}: at the ends of what is allowed finite numbers come out, or a refusal"


def bad_generator(subject: Subject) -> str:
    """Randomness comes from a torch.Generator; also where epsilon is inf and none is needed."""
    x = subject.case.encode(subject.busiest)
    for m in (subject.mechanism, *silent(subject)):
        for bad in (None, 0, np.random.default_rng(0)):
            try:
                m(x, generator=bad)
            except TypeError as error:
                expect("generator" in str(error), f"generator={bad!r} must be refused by name, got {error}")
            else:
                raise CheckFailed(f"generator={bad!r} must be refused, by {m!r}")
    return "None, a number and NumPy's are refused by name"


def bad_data(subject: Subject) -> str:
    """A number that is none is refused: it has no place in any range."""
    x = subject.case.encode(subject.busiest)
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        raise Skipped("it takes no floats")
    x = x.clone().fill_(float("nan"))
    try:
        subject.mechanism(x, generator=seeded(0))
    except ValueError:
        return "NaN is refused"
    raise CheckFailed("NaN must be refused")


def same_seed(subject: Subject) -> str:
    """The seed decides the report, whatever else draws numbers; and nobody else's numbers are drawn."""
    for value in subject.case.inputs:
        told = []
        for other in (1, 2):
            torch.manual_seed(other), np.random.seed(other), random.seed(other)
            before = states()
            told.append(subject.ask(value))
            expect(states() == before, f"only the generator may be drawn from, and a global one was, on {value!r}")
        expect(same(*told), f"two calls with one seed must give one report, got {told[0]} and {told[1]} on {value!r}")
    return f"one report for one seed on {len(subject.case.inputs)} inputs, and no global generator is drawn from"


def states() -> tuple:
    return torch.get_rng_state().numpy().tobytes(), pickle.dumps(np.random.get_state()), random.getstate()


def original(subject: Subject) -> str:
    """What a call is given is left as it was."""
    for value in subject.case.inputs:
        x = subject.case.encode(value)
        kept = copy.deepcopy(x)
        for m, seed in product((subject.mechanism, *silent(subject)), SEEDS):
            m(x, generator=seeded(seed))
            expect(same(x, kept), f"what it is given must be left alone, but {kept} became {x}")
    return "what it is given is left as it was"


def no_noise(subject: Subject) -> str:
    """Without noise the truth comes out."""
    if not (found := silent(subject)):
        raise Skipped("it has no noiseless form")
    quiet, = found
    for value, seed in product(subject.case.inputs, SEEDS):
        truth = subject.case.truth(subject.case.encode(value))
        told = quiet(subject.case.encode(value), generator=seeded(seed))
        expect(same(truth, told), f"{quiet!r} must give {truth}, gave {told}")
    return f"{quiet!r} gives the truth on {len(subject.case.inputs)} inputs"


def silent(subject: Subject) -> list[Mechanism]:
    """The same mechanism without noise, where it says that there is one; any other error is a fault of its own."""
    try:
        return [subject.mechanism.noiseless()]
    except NotImplementedError:
        return []


def transform(subject: Subject) -> str:
    """As a PyG transform it makes the same report and leaves the graph alone."""
    m, x = subject.mechanism, subject.case.encode(subject.busiest)
    attribute = getattr(m, "ATTRIBUTE", None)
    if not isinstance(x, pyg.data.Data) and attribute is None:
        raise Skipped("it reports no attribute of a graph")
    data = x
    if not isinstance(x, pyg.data.Data):
        data = pyg.data.Data(num_nodes=len(x), other=torch.arange(3), **{attribute: x})
    kept = copy.deepcopy(data)
    for seed in SEEDS:
        told, expected = m.transform(generator=seeded(seed))(data), m(x, generator=seeded(seed))
        expect(told is not data and same(data, kept),
               f"the graph must be left alone, but {plain(kept)} became {plain(data)}")
        expect(same(told if isinstance(x, pyg.data.Data) else told[attribute], expected),
               f"must report {expected}, got {plain(told)}")
    return "the same report, and the graph is left alone"


def replays(subject: Subject) -> str:
    """With its noise frozen, nothing of the report changes with one unit for which a finite epsilon is stated."""
    tried = crowds.replayed(subject, lambda x, g: plain(subject.mechanism(subject.case.encode(x), generator=g)))
    return f"nothing but noise differs between {tried} pairs of neighbours"


def two_inputs(subject: Subject) -> str:
    """What is said to dominate two inputs (``between``) does: it costs no less than their exact loss, and nothing where
    they are the same."""
    tried, _ = 0, subject.table
    for guarantee, value, other in finite_pairs(subject):
        x, y = (subject.case.encode(each) for each in (value, other))
        steps = subject.mechanism.between(x, y)
        spent = sum(step.count * step.pair.epsilon for step in steps)
        lost = exact.worst_case(subject.table, (value, other), lambda _, both=(value, other): both).epsilon
        expect(bool(guarantee.delta) or spent >= lost - CLOSE * max(1, lost), f"between must dominate what "
               f"is told of {value!r} and {other!r}, one {guarantee.unit} ({guarantee.relation}): it says epsilon "
               f"{spent:.6g}, and their loss is {lost:.6g}")
        expect(not subject.mechanism.between(x, x), f"between must be empty where nothing differs, on {value!r}")
        if isinstance(x, torch.Tensor) and x.dim() and len(x) == 1 and math.isfinite(lost) and not guarantee.delta:
            twice = subject.mechanism.between(*(torch.cat([row, row]) for row in (x, y)))
            spent = sum(step.count * step.pair.epsilon for step in twice)
            expect(spent >= 2 * lost - CLOSE * max(1, lost), f"between must dominate what is told of two people with "
                   f"{value!r} who are two with {other!r}: it says epsilon {spent:.6g}, and together they lose "
                   f"{2 * lost:.6g}")
        tried += 1
    if not tried:
        raise Skipped("no finite epsilon is stated for two of the inputs")
    return f"between costs no less than the exact loss of {tried} pairs of neighbours"


CHECKS: tuple[Callable[[Subject], str], ...] = (
    frozen, guarantees, bad_budgets, extreme_budgets, bad_generator, bad_data, same_seed, original, no_noise, transform,
    replays, crowds.together, crowds.whole_report, added_noise.stated_law, added_noise.added_noise,
    added_noise.fresh_noise, refuting.chances, refuting.worst_case, refuting.dominating_pair, two_inputs,
    refuting.drawn, sampled.lower_bound, crowds.several_people, crowds.many_people, larger_graphs.larger_graph)
MANNERS = {frozen, guarantees, bad_budgets, extreme_budgets, bad_generator, bad_data, original, no_noise, transform}
COULD_REFUTE = {"worst case", "stated law", "lower bound"}  # a guarantee, by themselves
