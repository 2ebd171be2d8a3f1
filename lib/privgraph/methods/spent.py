"""One file that a curator keeps, and that adds up what one fit after another spends on the same people.

Every fit with secret randomness is a release of its own, and what all of them tell together is what counts: budgets are
lost by repeating. ``with budget_file(path, limit=4.0):`` counts each ``fit`` of the block and refuses, before anything
is drawn, one that would pass the limit.

**Whose data.** The file stands for one set of people: whatever is fitted while it is open counts for the same ones, and
who holds several sets keeps a file for each. The data themselves are not asked. A digest of them would be a release, as
whoever guesses the data could check the guess; and one corrected record would make them other people's. So too much may
be counted, and never too little.

**What is counted** is each unit under its relation, by itself: those of which the first fit states a finite epsilon, or
the one ``unit`` that is said. A later fit must state a finite one of each of them too; of what the first left open no
total holds, whatever later ones state. All of it is known of hyperparameters and public sizes, so nothing of the data
is in the file, and nothing of the file is in what a model saves.

**What is not.** A seed is refused while a file is open: of what is drawn from one nothing holds. So is secret noise
that is drawn outside of a ``fit``, such as ``collect(data, secret())``, as nobody says what it costs. Other processes
count where they open the file themselves; two of them at once take turns. Of a federation whose clients are processes
of their own, the server counts what the method states for all messages, in full, before the first client is let in; a
client does where its own process has a file open. Either counts once more where it is started again. A fit that is
refused before its first noise counts nothing, and one that fails or is stopped after it counts in full.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..checks import check_choice, check_delta, check_epsilon
from ..mechanisms.drawing import BEFORE_SECRETS
from ..privacy import Guarantee
from ..privacy.guarantee import BASES, TRUSTS, UNITS
from ..privacy.repeated import Cost, epsilon_of_all, packed, part_of, unpacked
from ..writing import PRIVATE, check_place, taking_turns, write

KEPT = "what was spent on one set of people, by privgraph.budget_file"
ROUNDED = 1e-12  # by which a sum of floats may pass the limit: 0.1 + 0.2 is not 0.3
FIELDS = ("epsilon", "delta", "unit", "relation", "trust", "basis")


class BudgetSpent(ValueError):
    """A fit would pass the limit of a budget file; nothing was drawn."""


@dataclass(frozen=True)
class Spending:
    """One fit: the method's name, the day, and what it costs, by unit and relation; only what has a finite epsilon."""

    method: str
    when: str
    costs: dict[tuple[str, str], Cost]

    def content(self) -> dict:
        return {"method": self.method, "when": self.when, "costs": [
            {name: getattr(cost.guarantee, name) for name in FIELDS} | {"budget": cost.budget and packed(cost.budget)}
            for cost in self.costs.values()]}

    @classmethod
    def of_content(cls, found: dict, path) -> "Spending":
        costs = [Cost(Guarantee(**{name: each[name] for name in FIELDS}),
                      each["budget"] and unpacked(each["budget"], path)) for each in found["costs"]]
        return cls(found["method"], found["when"], by_unit(costs))


def by_unit(costs: Sequence[Cost]) -> dict[tuple[str, str], Cost]:
    return {(cost.guarantee.unit, cost.guarantee.relation): cost for cost in costs}


@dataclass(frozen=True)
class BudgetFile:
    """What ``budget_file`` opens; ``spent`` says what is in it, and printing it too.

    :param limit: the largest epsilon of a unit; ``inf``: there is none.
    :param unit: of which alone is counted; None: those of the first fit.
    """

    path: Path
    limit: float
    delta: float | None
    unit: str | None

    def __enter__(self) -> "BudgetFile":
        if any(self.path == other.path for other in OPEN):
            raise ValueError(f"path must be a file that is not open yet, got {str(self.path)!r} twice")
        check_place(self.path), self.read()
        OPEN.append(self)
        if refuse_outside not in BEFORE_SECRETS:
            BEFORE_SECRETS.append(refuse_outside)
        return self

    def __exit__(self, *_) -> None:
        OPEN.remove(self)
        if not OPEN:
            BEFORE_SECRETS.remove(refuse_outside)

    @property
    def spent(self) -> tuple[Guarantee, ...]:
        """What holds for all fits together, each unit and relation once; empty where nothing was spent."""
        return self.together(self.read())

    def together(self, fits: Sequence[Spending]) -> tuple[Guarantee, ...]:
        """The units that count: the one that was asked for, or those that the first fit promised something of.

        :param fits: what each cost, in the order in which they were made.
        """
        told = dict.fromkeys(key for each in (fits if self.unit else fits[:1]) for key in each.costs
                             if self.unit in (None, key[0]))
        return tuple(self.total(fits, *key) for key in told)

    def total(self, fits: Sequence[Spending], unit: str, relation: str) -> Guarantee:
        """What holds for one unit; infinite where one of the fits promised nothing of it.

        :param fits: what each cost.
        :param unit: one of ``privacy.guarantee.UNITS``.
        :param relation: one of ``privacy.guarantee.RELATIONS``.
        """
        costs = [each.costs[unit, relation] for each in fits if (unit, relation) in each.costs]
        held = [cost.guarantee for cost in costs]
        epsilon = epsilon_of_all(costs, self.delta, self.limit) if len(costs) == len(fits) else math.inf
        delta = math.fsum(g.delta for g in held) if self.delta is None else self.delta
        return Guarantee(epsilon, 0.0 if math.isinf(epsilon) else delta, unit=unit, relation=relation,
                         trust=max((g.trust for g in held), key=TRUSTS.index),
                         basis=max((g.basis for g in held), key=BASES.index))

    def __str__(self) -> str:
        fits = self.read()
        room = f", of at most {self.limit:g}" * (self.limit < math.inf)
        told = "; ".join(f"{said(total)}{room}" for total in self.together(fits))
        return f"{self.path.name}: {len(fits)} fit{'s' * (len(fits) != 1)}" + (told and f"; {told}")

    def with_one_more(self, fit: Fit) -> list[Spending]:
        """All fits, where this one may be among them.

        :param fit: the one that is about to draw.
        :raises BudgetSpent: where it would pass the limit, or none can be kept.
        """
        fits = [*self.read(), fit.spending(self.delta)]
        totals = self.together(fits)
        if self.limit < math.inf and not totals:
            raise BudgetSpent(f"{fit.name} states no finite epsilon of {self.unit or 'anything'}, so no limit can be "
                              f"kept, got limit={self.limit:g}; nothing was drawn")
        for total in totals:
            if total.epsilon > self.limit * (1 + ROUNDED):
                before = f"{len(fits) - 1} earlier fit{'s' * (len(fits) != 2)} in {self.path}"
                raise BudgetSpent(f"{fit.name} would pass the limit of {self.limit:g}: with {before}, {said(total)}; "
                                  "nothing was drawn")
        return fits

    def read(self) -> list[Spending]:
        """What was spent; nothing where there is no file yet.

        :raises ValueError: where it is damaged: what was spent is then unknown, which is not nothing.
        """
        if not self.path.exists():
            return []
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            if found["holds"] != KEPT or found["digest"] != digest(found["fits"]):
                raise ValueError("its digest is another")
            return [Spending.of_content(each, self.path) for each in found["fits"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"path must hold {KEPT}, got {str(self.path)!r}, which is damaged or another file: what "
                             "was spent is unknown, so nothing more is spent; put a copy of it back") from error

    def write(self, fits: Sequence[Spending]) -> None:
        """The file anew, whole or not at all.

        :param fits: all that it is to hold.
        """
        told = [each.content() for each in fits]
        write(self.path, json.dumps({"holds": KEPT, "fits": told, "digest": digest(told)}, indent=1) + "\n", PRIVATE)


def digest(fits: list) -> str:
    """Of what the file itself says: shows that a part of it is lost, or was changed by mistake."""
    return hashlib.sha256(json.dumps(fits, sort_keys=True).encode()).hexdigest()


def said(total: Guarantee) -> str:
    delta = f" at delta = {total.delta:g}" if total.delta else ""
    return f"{total.unit} ({total.relation}) costs epsilon = {total.epsilon:.6g}{delta}"


class Fit:
    """One that runs while files are open: it is counted when its first secret noise is drawn, and once.

    :param name: of the method.
    :param costs: what it costs at a delta, by unit; asked where a file is open.
    """

    def __init__(self, name: str, costs: Callable[[float | None], Iterable[Cost]]):
        self.name, self.costs, self.counted = name, costs, False

    def spending(self, delta: float | None) -> Spending:
        """What it costs where anything is promised."""
        try:
            costs = [cost for cost in self.costs(None if delta is None else part_of(delta))
                     if math.isfinite(cost.guarantee.epsilon) and cost.guarantee.basis != "none"]
        except ValueError as error:
            raise ValueError(f"{error}; budget_file takes delta=") from error
        return Spending(self.name, datetime.now(UTC).date().isoformat(), by_unit(costs))

    def count(self) -> None:
        """Into all files or, where one of them refuses, into none."""
        if self.counted:
            return
        with ExitStack() as turns:
            files = sorted(OPEN, key=lambda file: file.path)  # the same order everywhere: nobody waits for each other
            for file in files:
                turns.enter_context(taking_turns(file.path))
            for file, fits in [(file, file.with_one_more(self)) for file in files]:
                file.write(fits)
        self.counted = True


OPEN: list[BudgetFile] = []
RUNNING: ContextVar[Fit | None] = ContextVar("RUNNING", default=None)


def refuse_outside() -> None:
    """Before secret noise is drawn while a file is open: it is counted, or refused."""
    if (fit := RUNNING.get()) is None:
        raise ValueError("secret noise is drawn by a fit alone while a budget_file is open, got some that nobody says "
                         "the cost of; fit, or draw it after the block")
    fit.count()


def refuse_seed(seed: int | None) -> None:
    """Where a file is open, nothing is drawn from a seed.

    :raises ValueError: where one is said all the same.
    """
    if OPEN and seed is not None:
        raise ValueError(f"seed must be left out while a budget_file is open, got {seed}: of what a seed draws no "
                         "guarantee holds, so it cannot be counted; try things out before the block")


@contextmanager
def counted(fit: Fit, seed: int | None) -> Iterator[None]:
    """Around all that a fit draws."""
    if not OPEN or RUNNING.get() is not None:
        yield
        return
    refuse_seed(seed)
    for file in OPEN:
        file.with_one_more(fit)
    token = RUNNING.set(fit)
    try:
        yield
        fit.count()
    except (ValueError, TypeError):  # refused, before any noise or after it
        raise
    except BaseException:
        fit.count()
        raise
    finally:
        RUNNING.reset(token)


def count_before(fit: Fit) -> None:
    """What others are about to draw, in processes of their own, in full; nothing where no file is open.

    :raises BudgetSpent: where it would pass a limit.
    """
    if OPEN:
        fit.count()


def budget_file(path, limit: float = math.inf, delta: float | None = None, unit: str | None = None) -> BudgetFile:
    """Count what each ``fit`` of a ``with`` block spends, and refuse one that would pass the limit.

    :param path: the curator's own file, made where there is none; for its owner's eyes only, as are all its copies. It
        stands for one set of people (see the module). Files in each other count all, each by itself.
    :param limit: the largest epsilon that each unit may cost, all fits together; by default there is none.
    :param delta: None: what each states at its own delta adds up, epsilons and deltas alike. Otherwise that of the
        total, which grows with the root of the number of fits where Gaussian noise is known
        (``privacy.repeated.epsilon_of_all``): the first ones cost more than they state, as room for delta is taken
        once, and later ones less. Limit and delta are decided before the first fit, and stay; all else may be decided
        in view of earlier results.
    :param unit: of which alone is counted, of ``privacy.guarantee.UNITS``; None: those of which the first fit in the
        file states a finite epsilon.
    :returns: for ``with``; its ``spent`` are guarantees, and it prints itself.
    :raises BudgetSpent: by ``fit``, before anything is drawn: where a total would pass the limit, or nothing finite is
        stated. It is a ValueError.
    :raises ValueError: where the file is damaged or another; by ``fit``, where a seed is said, or a delta is needed;
        and by whatever else draws secret noise in the block.
    :raises TimeoutError: where another process holds the file for a minute.

    >>> from tempfile import TemporaryDirectory
    >>> from privgraph.datasets import load, split
    >>> from privgraph.methods import GAP
    >>> from privgraph.randomness import seeded
    >>> data = split(load("karate"), seeded(0))
    >>> with TemporaryDirectory() as folder, budget_file(f"{folder}/karate.json", limit=4.0, delta=1e-5) as budget:
    ...     models = [GAP(epsilon=1.0, epochs=1).fit(data) for _ in range(3)]
    ...     print(budget)
    karate.json: 3 fits; undirected edge (add/remove) costs epsilon = 2.45992 at delta = 1e-05, of at most 4
    """
    return BudgetFile(check_place(path).resolve(), check_epsilon(limit, "limit"),
                      None if delta is None else check_delta(delta),
                      None if unit is None else check_choice(unit, "unit", UNITS))
