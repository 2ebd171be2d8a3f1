"""The check of ``check_mechanism`` that graphs of four people cannot fail: edges among more than a trial has."""

from collections.abc import Callable, Hashable

from ..randomness import seeded
from .refuting import LEVEL, CheckFailed, Skipped, Subject, refutation
from .relations import neighbour_lists
from .statistical import two_sample_bound

PEOPLE, PAIRS = 9, ((0, 8), (3, 6), (6, 8))  # whose edges are looked at
PATH = [(v, v + 1) for v in range(PEOPLE - 1)]


def larger_graph(subject: Subject) -> str:
    """Edges in a graph of more people than the trial has: of a pair that is linked or not, wherever their numbers are,
    how often it is told keeps the guarantee."""
    count, most = counter(subject), 0.0
    stated = next((g for g in subject.finite if (g.unit, g.relation) == ("undirected edge", "add/remove")), None)
    if stated is None:
        raise Skipped("it states no finite epsilon for an undirected edge")
    calls = max(1, subject.runs // 2)
    for pair in PAIRS:
        without, linked = (count(neighbour_lists(edges, PEOPLE), pair, calls) for edges in (PATH, [*PATH, pair]))
        for more, less, outcome in ((linked, without, "is told"), (calls - without, calls - linked, "is not")):
            epsilon = two_sample_bound(more, calls, less, calls, 1 - LEVEL / 2 / len(PAIRS), stated.delta)
            most = max(most, epsilon)
            if epsilon > stated.epsilon:
                worlds = (f"a path of {PEOPLE} with {pair}", "it without")[::1 if outcome == "is told" else -1]
                raise CheckFailed(refutation(stated, epsilon, f"{pair} {outcome}", *worlds,
                                             f"about {more / calls:.4f}", f"about {less / calls:.4f}"))
    return f"{len(PAIRS)} pairs among {PEOPLE} people: at least {most:.3g} of {stated.epsilon:.4g} ({calls} draws)"


def counter(subject: Subject) -> Callable[[Hashable, tuple[int, int], int], int]:
    """(graph, pair, calls) -> how often the pair is told.

    :raises Skipped: where it is tried on no graphs, or tells of no edges.
    """
    first, tell = subject.case.inputs[0], getattr(subject.mechanism, "report", subject.mechanism)
    if not isinstance(first, tuple) or not all(isinstance(part, frozenset) for part in first):
        raise Skipped("it is tried on no graphs")
    if not hasattr(next(subject.reports(first, 1)), "edge_index"):
        raise Skipped("its report names no edges")
    generator = seeded(8)

    def told(graph: Hashable, pair: tuple[int, int], calls: int) -> int:
        try:
            x = subject.case.encode(graph)
            return sum(names(tell(x, generator=generator), pair) for _ in range(calls))
        except (ValueError, IndexError, RuntimeError) as error:
            raise Skipped(f"it takes no graph of {PEOPLE} people made as its trial makes them: {error}") from error
    return told


def names(report, pair: tuple[int, int]) -> bool:
    """Whether a report or a graph names a pair, from either end."""
    low, high = report.edge_index.sort(0).values
    return bool(((low == pair[0]) & (high == pair[1])).any())
