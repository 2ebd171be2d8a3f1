"""The statements that are decided for every epsilon, by name; their certificates lie in book/certificates.

Each family is about one mechanism: several sizes, inputs and relations. ``tools/certify.py`` writes the certificates,
``certificates.verify`` checks them, and the entries of the register name them.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from fractions import Fraction
from itertools import combinations, product

import torch
from torch_geometric.data import Data

from privgraph.audit import relations
from privgraph.audit.neighbour_lists import ListReport
from privgraph.graph import to_undirected
from privgraph.mechanisms import (
    GRRFS,
    Blink,
    DegreePreservingResponse,
    MultiBit,
    NeighbourReplacement,
    NoisyArgMax,
    RandomisedResponse,
    SymmetricResponse,
)
from privgraph.writing import write

from ..claims import book_folder
from . import certificates, interval_proofs
from .certificates import Certificate, Statement
from .interval_proofs import Pieces
from .readings import Coins, OneLine, OneRow, whole_rows

MIXED = ((2, 3), (2, 2, 3), (2, 3, 4), (2, 2, 2, 6))
LAST_DIGIT = Fraction(1, 10**6)
EQUAL = ((2, 2), (3, 3), (2, 2, 2), (3, 3, 3), (2, 2, 2, 2))


def power(exponent: int) -> Callable:
    """The bound t^exponent."""
    return lambda t: (t**exponent, 1)


def sampled(m: int, d: int, exponent: int) -> Callable:
    """The bound 1 + m / d (t^exponent - 1)."""
    return lambda t: (d + m * (t**exponent - 1), d)


def vectors(sizes: tuple[int, ...]) -> tuple:
    return tuple(product(*map(range, sizes)))


def one_feature(sizes: tuple[int, ...]) -> Callable:
    """The relation "one feature has another value"."""
    return lambda x: [(*x[:i], v, *x[i + 1:]) for i, size in enumerate(sizes) for v in range(size) if v != x[i]]


def text(sizes: tuple[int, ...]) -> str:
    return "x".join(map(str, sizes))


def randomised_response() -> Iterator[Statement]:
    """Randomised response: at most e^epsilon."""
    for k in (2, 3, 4, 6, 7, 10, 47):
        yield Statement(f"{k} answers", RandomisedResponse(1.0, k), tuple(range(k)), power(1))


def multi_bit() -> Iterator[Statement]:
    """Multi-bit: at most e^epsilon for any two vectors, every m."""
    for d in range(1, 5):
        for m in range(1, d + 1):
            yield Statement(f"d = {d}, m = {m}", MultiBit(1.0, d, sampled=m), vectors((2,) * d), power(m),
                            variable="e^(epsilon/m)")


def grr_fs(neighbours: Callable | None, bound: Callable, domains: tuple, below: bool = False) -> Iterator[Statement]:
    """``bound(m, d)`` for all m (``below``: m < d) on all domains."""
    for sizes in domains:
        for m in range(1, len(sizes) + (not below)):
            yield Statement(f"domains {text(sizes)}, m = {m}", GRRFS(1.0, sizes, m), vectors(sizes),
                            bound(m, len(sizes)), neighbours and neighbours(sizes), "e^eps_x")


def grr_fs_any_two() -> Iterator[Statement]:
    """GRR-FS: at most e^(m eps_x) for any two vectors."""
    return grr_fs(None, lambda m, d: power(m), EQUAL + MIXED)


def grr_fs_theorem_1() -> Iterator[Statement]:
    """GRR-FS, Theorem 1: at most 1 + m/d (e^(m eps_x) - 1) for any two vectors, m < d."""
    return grr_fs(None, lambda m, d: sampled(m, d, m), EQUAL + MIXED, below=True)


def grr_fs_one_feature() -> Iterator[Statement]:
    """GRR-FS: at most 1 + m/d (e^eps_x - 1) for vectors that differ in one feature, domains of one size."""
    return grr_fs(one_feature, lambda m, d: sampled(m, d, 1), EQUAL)


def grr_fs_one_feature_mixed() -> Iterator[Statement]:
    """GRR-FS: the same on domains of several sizes, m < d."""
    return grr_fs(one_feature, lambda m, d: sampled(m, d, 1), MIXED, below=True)


# of e^eps_x, rounded down; None: there is none
ROOTS = {2: None, 3: Fraction(4793816, 10**6), 4: Fraction(12211102, 10**6)}


def grr_fs_coins() -> Iterator[Statement]:
    """RGNN's equation 4 as a coin for each of three features, one sampled on average:
    at most e^eps_x for any two vectors.

    True for two values. For three and four it is false up to a root and true from there on, to the sixth digit. All
    values of a feature are alike, so for any two vectors it is enough to look at those of 0 and 1.
    """
    for size, root in ROOTS.items():
        parts = [("", Fraction(1), None)] if root is None else [
            (f", t up to {float(root)}", Fraction(1), root),
            (f", t from {float(root + LAST_DIGIT)} on", root + LAST_DIGIT, None)]
        for said, start, end in parts:
            yield Statement(f"domains {text((size,) * 3)}{said}", Coins((size,) * 3, (1, 3)), vectors((2,) * 3),
                            power(1), variable="e^eps_x", start=start, end=end)


def everybodys_lists(n: int) -> tuple:
    """All graphs of n people."""
    pairs = list(combinations(range(n), 2))
    return tuple(relations.neighbour_lists(edges, n) for k in range(len(pairs) + 1) for edges in combinations(pairs, k))


def one_list(n: int, v: int) -> tuple:
    """All lists that person v can have."""
    others = [u for u in range(n) if u != v]
    return tuple(frozenset(chosen) for k in range(n) for chosen in combinations(others, k))


def change_slot(n: int, v: int) -> Callable:
    return lambda friends: [friends ^ {u} for u in range(n) if u != v]


def swap(n: int, v: int) -> Callable:
    return lambda friends: [friends - {old} | {new} for old in friends for new in range(n)
                            if new != v and new not in friends]


def rows(report, slot: int, swapped: int, people: tuple[int, ...] = (0,),
         variable: str = "e^epsilon") -> Iterator[Statement]:
    """What one person sends, in graphs of 3 and 4 people: t^slot for one name more or less,
    t^swapped for another name."""
    for n in (3, 4):
        for v in (v for v in people if v < n - 1):
            for name, relation, bound in (("slot", change_slot, slot), ("swap", swap, swapped)):
                yield Statement(f"{name}, {n} people, person {v}", OneRow(report, v, n), one_list(n, v), power(bound),
                                relation(n, v), variable)


def symmetric_response() -> Iterator[Statement]:
    """Symmetric response: epsilon for a slot and for an undirected edge, 2 epsilon for a swap."""
    yield from rows(SymmetricResponse(1.0), 1, 2, people=(0, 1, 2))
    for n in (3, 4):
        yield Statement(f"undirected edge, {n} people", SymmetricResponse(1.0), everybodys_lists(n), power(1),
                        relations.change_edge)


def degree_preserving_response() -> Iterator[Statement]:
    """Degree-preserving response: eps_1 + eps_2 for a slot, 2 eps_2 for a swap (eps_1 = eps_2).

    An undirected edge is in two lists, which are reported independently: twice that of a slot.
    """
    return rows(DegreePreservingResponse(1.0, 1.0), 2, 2, variable="e^eps_1 = e^eps_2")


def blink() -> Iterator[Statement]:
    """Blink: eps_a + eps_d for a slot, 2 eps_a for a swap,
    eps_a + 2 eps_d for an edge reported once (eps_a = 2 eps_d)."""
    yield from rows(Blink(1.0, 2.0), 3, 4, variable="e^eps_d, eps_a = 2 eps_d")
    yield Statement("undirected edge, 3 people, one report", OneLine(Blink(1.0, 2.0, reports=1)), everybodys_lists(3),
                    power(4), relations.change_edge, "e^eps_d, eps_a = 2 eps_d")


def gumbel_arg_max() -> Iterator[Statement]:
    """Arg max with Gumbel noise: at most e^(1/beta), between corners for up to 47 classes,
    between rows of parts for few."""
    for c, parts in ((2, 1), (3, 1), (7, 1), (10, 1), (47, 1), (2, 6), (3, 4), (4, 4)):
        yield Statement(f"{c} classes, scores in parts of {parts}", NoisyArgMax(1.0, c), tuple(whole_rows(c, parts)),
                        power(parts), variable="e^(1/beta)" if parts == 1 else f"e^(1/(beta {parts}))")


def replacement(edges, n: int, person: int, strategy: str = "threshold") -> ListReport:
    """A person's own report on a small graph whose people have equal features."""
    graph = Data(x=torch.ones(n, 1), edge_index=to_undirected(torch.tensor(edges).t(), n))
    return ListReport(NeighbourReplacement(1.0, strategy, mix=0.0, threshold=-1.0), graph, person)


def neighbour_replacement() -> Iterator[Statement]:
    """Neighbour replacement, own report: at most e^epsilon where both neighbours have one closed set of answers."""
    yield Statement("path 0-1-2: lists {0} and {2} of a fourth person", replacement([(0, 1), (1, 2), (2, 0)], 4, 3),
                    (frozenset({0}), frozenset({2})), power(1))
    yield Statement("diamond 0-1-2-3 with 1-3: lists {1} and {3} of person 0",
                    replacement([(0, 1), (1, 2), (2, 3), (3, 0), (1, 3)], 4, 0),
                    (frozenset({1}), frozenset({3})), power(1))


def neighbour_replacement_elsewhere() -> Iterator[Statement]:
    """Neighbour replacement, own report: at most e^epsilon elsewhere (an outcome is impossible for one of the two)."""
    yield Statement("three people, 0-1: lists {1} and {2} of person 0", replacement([(0, 1)], 3, 0),
                    (frozenset({1}), frozenset({2})), power(1))
    yield Statement("path 0-1-2-3: lists {1} and {2} of person 0", replacement([(0, 1), (1, 2), (2, 3)], 4, 0),
                    (frozenset({1}), frozenset({2})), power(1))


FAMILIES = {family.__name__.replace("_", "-"): family for family in (
    randomised_response, multi_bit, grr_fs_any_two, grr_fs_theorem_1, grr_fs_one_feature, grr_fs_one_feature_mixed,
    grr_fs_coins, symmetric_response, degree_preserving_response, blink, gumbel_arg_max,
    neighbour_replacement, neighbour_replacement_elsewhere)}


LAPLACE = "laplace-arg-max"  # proved by intervals, see there


def path_of(family: str):
    return book_folder() / "book" / "certificates" / f"{family}.json"


def save(family: str, found: list[Certificate]) -> None:
    """Write the certificates of a family, one a line."""
    path_of(family).parent.mkdir(exist_ok=True)
    write(path_of(family), "[\n" + ",\n".join(certificate.as_text() for certificate in found) + "\n]\n")


def text_of(family: str) -> str:
    return path_of(family).read_text(encoding="utf-8")


def load(family: str) -> list[Certificate]:
    return certificates.read(text_of(family))


def save_laplace(found: list[Pieces]) -> None:
    """The proofs about the Laplace arg max, one a line."""
    lines = ",\n".join(json.dumps(asdict(pieces), separators=(",", ":")) for pieces in found)
    write(path_of(LAPLACE), f"[\n{lines}\n]\n")


def load_laplace() -> list[Pieces]:
    return interval_proofs.read(text_of(LAPLACE))


def with_certificates(family: str) -> list[tuple[Statement, Certificate]]:
    """Each statement of a family with the certificate on file, which ``certificates.verify`` then checks."""
    return list(zip(FAMILIES[family](), load(family), strict=True))
