"""What mechanisms, accountants and audits promise, read off the code, and what nothing here promises.

``promise`` tries a mechanism on its own small case, so that its row says what it does: whether all its coins came
through ``mechanisms.drawing``, which draws exactly where the generator is ``secret()``; how many inputs can be listed;
and by what it adds up.
"""

import math
from dataclasses import dataclass

from ..mechanisms.mechanism import Mechanism, name_of
from ..privacy import Guarantee, Step, account, pure_pair
from ..privacy.noise_pairs import GaussianPair
from ..randomness import secret
from . import statistical
from .accountants import Question, bounds, check_accountant
from .contract import check_mechanism
from .exact import delta_curve, worst_case
from .neighbour_lists import adjacent_pairs
from .replaying import replay

NOT_PROMISED = {
    "time": "how long a call takes depends on the data, and on the coins",
    "memory": "so do its peak, and whether it runs out",
    "repeated use": "a guarantee is for one call: the next one costs again, and nothing here remembers the first",
    "side channels": "caches, files that are swapped out, and whoever reads the process see the data",
    "a seed": "whoever knows it takes the noise off; and floats are taken for real numbers",
}


@dataclass(frozen=True)
class Promise:
    """One row: what holds for which change and how that is known, how it is drawn, how uses add up, how it is tried."""

    name: str
    holds: str
    known: str
    drawn: str
    adds_up: str
    tried: str

    def __str__(self) -> str:
        rows = {name.replace("_", " "): text for name, text in vars(self).items() if name != "name"}
        return "\n".join([f"{self.name} promises", *(f"  {name}: {text}" for name, text in rows.items())])


def promise(mechanism: Mechanism) -> Promise:
    """
    >>> from privgraph.mechanisms import RandomisedResponse
    >>> promise(RandomisedResponse(1.0, 3)).known
    'proved for every epsilon'
    """
    return Promise(name_of(type(mechanism)), "; ".join(map(said, mechanism.guarantees)), known(mechanism.guarantees),
                   drawn(mechanism), adds_up(mechanism), tried(mechanism))


def said(guarantee: Guarantee) -> str:
    """Unit and relation, and in what: a pure epsilon, one with a delta, or none that is finite."""
    size = "no finite epsilon" if math.isinf(guarantee.epsilon) else "epsilon, delta" if guarantee.delta else "epsilon"
    return f"{guarantee.unit} ({guarantee.relation}): {size}"


def known(guarantees: tuple[Guarantee, ...]) -> str:
    bases = sorted({guarantee.basis for guarantee in guarantees})
    return " and ".join("proved for every epsilon" if basis == "proved" else basis for basis in bases)


def drawn(mechanism: Mechanism) -> str:
    """Whether a secret generator is left as it was, as all numbers were read from the operating system."""
    generator, case = secret(), mechanism.audit_case()
    before = generator.get_state().clone()
    try:
        mechanism(case.encode(case.inputs[0]), generator=generator)
        exact = bool((generator.get_state() == before).all())
    except RuntimeError:  # by which ``noisy`` refuses numbers of an ordinary generator
        exact = False
    return "exactly with secret(), idealised with a seed" if exact else "idealised, with any generator"


def adds_up(mechanism: Mechanism) -> str:
    pair = getattr(mechanism, "pair", None)
    if pair is not None:
        return f"by its {type(pair).__name__}, between two bounds"
    return "by its steps, between two bounds" if hasattr(mechanism, "steps") else "epsilons add"


def tried(mechanism: Mechanism) -> str:
    case = mechanism.audit_case()
    if case.distribution is not None:
        return f"all outcomes of {len(case.inputs)} inputs"
    return "draws, against its law" if mechanism.law is not None else "draws"


@dataclass(frozen=True)
class Account:
    """What one accountant answers to a question, beside two bounds on the truth."""

    name: str
    question: str
    answer: float
    lower: float
    upper: float

    @property
    def kind(self) -> str:
        return {"exact": "exact", "PLD, optimistic": "a lower bound"}.get(self.name, "an upper bound")


def accounts() -> list[Account]:
    """Each row of ``account`` for sampled Gaussian noise, where the bounds share no code with it, and for coins, where
    the exact answer is known.

    >>> all(each.lower <= each.answer for each in accounts() if each.kind == "an upper bound")
    True
    """
    question, coins = Question(1.0, 100, 0.1), account([Step(pure_pair(0.1), 100)], 1e-5)
    lower, upper = bounds(question)
    noise = account([Step(GaussianPair(question.noise).poisson(question.rate), question.count)], question.delta)
    rows = [Account(name, str(question), answer, lower, upper) for name, answer in noise.items() if answer < math.inf]
    known = {row.name for row in rows}
    return rows + [Account(name, "coins of epsilon 0.1, count 100, delta 1e-05", answer, coins["exact"],
                           coins["basic"]) for name, answer in coins.items() if name not in known]


AUDITS = {  # what it finds is
    worst_case: "exact for the inputs that are listed, and says nothing of others",
    delta_curve: "exact for the inputs that are listed, and says nothing of others",
    adjacent_pairs: "exact for one graph and its public features",
    check_mechanism: "a refutation, or nothing: what was tried did not refute",
    replay: "what was computed without noise, on the inputs that were tried",
    statistical.guessing_game: "a lower bound, with a stated confidence",
    statistical.one_run_bound: "a lower bound, with a stated confidence",
    check_accountant: "a property that fails, at a question that was asked",
}
