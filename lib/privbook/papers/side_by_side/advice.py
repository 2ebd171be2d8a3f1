"""The table that ``privgraph advise`` reads, made of the ledger: mean accuracies of what the command line can run."""

import csv
import io
from collections.abc import Iterator

from privgraph import datasets
from privgraph.cli.advise import Measured

from ..results import Results
from .break_even import UNITS, only_real
from .edges import DELTA, NO_EDGES
from .records import LABEL_ONLY
from .terms import BUDGETS, GRAPHS, MAJORITY

LEAST = 3  # seeds
WORD = {"undirected edge": "edge", "features and label": "record", "node": "node"}
AT = f"--delta {DELTA:g}"
REGULARISED = "--hidden 64 --dropout 0.5 --weight-decay 0.0005"


def shared_out(share: float) -> str:
    """LPGNN with this share of an epsilon on features and the rest on the label."""
    return f"lpgnn --epsilon-x {share:g}*epsilon --epsilon-y {1 - share:g}*epsilon"


# unit -> arm -> what `privgraph run` is told; of references, words
TYPED = {"edge": {"votes": "neighbourvotes", "votes no labels": "neighbourvotes --no-labels",
                  "votes two rounds": "neighbourvotes --rounds 2", "gap": f"gap {AT}",
                  "gap labels": f"gap --labels {AT}", "gap regularised": f"gap {REGULARISED} {AT}",
                  "gap regularised labels": f"gap --labels {REGULARISED} {AT}", "progap": f"progap {AT}",
                  "progap labels": f"progap --labels {AT}", "progap two stages": f"progap --hops 2 {AT}",
                  "progap two stages labels": f"progap --hops 2 --labels {AT}"},
         "record": {"label propagation": "labelpropagation", "lpgnn": shared_out(0.5),
                    "lpgnn label only": shared_out(LABEL_ONLY)},
         "node": {"centroids": "centroids", "dpsgd": "dpsgd"}}
FREE = {"edge": {NO_EDGES: "a read-out of features alone", "perceptron": "a perceptron",
                 MAJORITY: "the largest class"},
        "record": {MAJORITY: "the largest class"}, "node": {MAJORITY: "the largest class"}}


def rows() -> Iterator[Measured]:
    """A row for each graph, unit, method and true epsilon with enough seeds, on real graphs that have all budgets."""
    for unit, compared in UNITS.items():
        runs, word = Results(compared.experiment), WORD[unit]
        for dataset in GRAPHS:
            if all(enough(runs, dataset, unit, arm, budget) for arm in TYPED[word] for budget in BUDGETS):
                yield from of_graph(runs, dataset, unit, word)


def enough(runs: Results, dataset: str, unit: str, arm: str, budget: float) -> bool:
    return len(runs.values("accuracy", dataset=dataset, method=arm, budget=budget, **only_real(unit))) >= LEAST


def of_graph(runs: Results, dataset: str, unit: str, word: str) -> Iterator[Measured]:
    card = datasets.card(dataset)
    asked = [*((arm, typed, budget) for arm, typed in TYPED[word].items() for budget in BUDGETS),
             *((name, told, 0.0) for name, told in FREE[word].items())]
    for arm, told, budget in asked:
        found = runs.mean("accuracy", dataset=dataset, method=arm, budget=budget, **only_real(unit))
        if found is not None:
            yield Measured(word, dataset, card.nodes, round(2 * card.edges / card.nodes, 2), card.classes, told, budget,
                           round(found.mean, 1))


def table() -> str:
    """The text of the file."""
    told = io.StringIO()
    writer = csv.writer(told, lineterminator="\n")
    writer.writerow(Measured.__annotations__)
    writer.writerows([f"{value:g}" if isinstance(value, float) else value for value in vars(row).values()]
                     for row in rows())
    return told.getvalue()
