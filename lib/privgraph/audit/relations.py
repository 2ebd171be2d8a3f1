"""Neighbouring relations of small graphs: which other graphs count as "almost the same".

A graph is written as what its people hold: a tuple with one frozenset per person, her neighbour list. An
undirected edge is in two lists. Each function yields the neighbours of such a tuple under one relation and
one unit.
"""

from collections.abc import Iterator
from itertools import combinations

Lists = tuple[frozenset[int], ...]
SMALL_GRAPHS = {"path-3": ((0, 1), (1, 2)), "triangle": ((0, 1), (1, 2), (0, 2)), "star-4": ((0, 1), (0, 2), (0, 3))}


def neighbour_lists(edges, num_nodes: int | None = None) -> Lists:
    """The lists of an undirected graph given by its edges, each named once.

    >>> neighbour_lists([(0, 1), (1, 2)])
    (frozenset({1}), frozenset({0, 2}), frozenset({1}))
    """
    num_nodes = 1 + max(max(edge) for edge in edges) if num_nodes is None else num_nodes
    lists = [set() for _ in range(num_nodes)]
    for u, v in edges:
        lists[u].add(v), lists[v].add(u)
    return tuple(map(frozenset, lists))


def change_slot(lists: Lists) -> Iterator[Lists]:
    """Unit neighbour slot, add/remove: one person adds or drops one name in her own list; the other list stays."""
    for v, u in ordered_pairs(len(lists)):
        yield with_list(lists, v, lists[v] ^ {u})


def change_edge(lists: Lists) -> Iterator[Lists]:
    """Unit undirected edge, add/remove: one edge appears or disappears in both lists."""
    for v, u in combinations(range(len(lists)), 2):
        yield with_list(with_list(lists, v, lists[v] ^ {u}), u, lists[u] ^ {v})


def swap_in_list(lists: Lists) -> Iterator[Lists]:
    """Swap in a neighbour list: one person replaces one neighbour by another node (GraphPrivatizer, Definition 4.1)."""
    for v, new in ordered_pairs(len(lists)):
        if new not in lists[v]:
            for old in lists[v]:
                yield with_list(lists, v, lists[v] - {old} | {new})


def change_node(lists: Lists) -> Iterator[Lists]:
    """Unit node, replace: one person's edges become any others, in her list and in everybody's else."""
    for v in range(len(lists)):
        others = [u for u in range(len(lists)) if u != v]
        for size in range(len(others) + 1):
            for chosen in map(frozenset, combinations(others, size)):
                yield tuple(chosen if u == v else (lists[u] | {v} if u in chosen else lists[u] - {v})
                            for u in range(len(lists)))


CHANGES = {("neighbour slot", "add/remove"): change_slot, ("neighbour slot", "swap in a neighbour list"): swap_in_list,
           ("undirected edge", "add/remove"): change_edge, ("node", "replace"): change_node}  # by unit and relation


def ordered_pairs(n: int) -> Iterator[tuple[int, int]]:
    return ((v, u) for v in range(n) for u in range(n) if u != v)


def with_list(lists: Lists, v: int, changed: frozenset[int]) -> Lists:
    return (*lists[:v], changed, *lists[v + 1:])


def bits(lists: Lists) -> tuple[int, ...]:
    """The lists as one 0 or 1 for each ordered pair: what randomised response on neighbour lists works on."""
    return tuple(int(u in lists[v]) for v, u in ordered_pairs(len(lists)))
