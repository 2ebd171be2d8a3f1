"""Scores of the published graph, each against a slow loop over neighbours or over walks."""

import math

import networkx as nx
import pytest
import torch

from privgraph.attacks import adamic_adar, local_paths, neighbourhood, shared_neighbours
from privgraph.attacks import node_pairs as pairs_module
from privgraph.datasets.small import karate
from privgraph.graph import to_undirected
from privgraph.randomness import seeded

GRAPHS = {"karate": nx.karate_club_graph(), "star": nx.star_graph(4), "path": nx.path_graph(5),
          "with a lonely node": nx.disjoint_union(nx.cycle_graph(4), nx.empty_graph(1)), "no links": nx.empty_graph(3)}


def edges_of(graph: nx.Graph) -> torch.Tensor:
    return to_undirected(torch.tensor(list(graph.edges), dtype=torch.long).reshape(-1, 2).t(), len(graph))


def every_pair(graph: nx.Graph) -> torch.Tensor:
    return torch.combinations(torch.arange(len(graph))).t()


@pytest.mark.parametrize("block", [65_536, 5])
@pytest.mark.parametrize("name", GRAPHS)
def test_shared_neighbours_are_those_of_sets(name, block, monkeypatch):
    monkeypatch.setattr(pairs_module, "BLOCK", block)
    graph = GRAPHS[name]
    pairs = every_pair(graph)
    shared = [set(graph[u]) & set(graph[v]) for u, v in pairs.t().tolist()]
    assert shared_neighbours(edges_of(graph), len(graph), pairs).tolist() == [len(each) for each in shared]
    expected = [sum(1 / math.log(graph.degree(w)) for w in each) for each in shared]
    assert adamic_adar(edges_of(graph), len(graph), pairs).tolist() == pytest.approx(expected)


def walks_past_the_link(graph: nx.Graph, u: int, v: int) -> tuple[int, int]:
    """Walks of two and of three steps from u to v, counted one by one, no step of which is the link u - v."""
    def count(node, steps):
        if steps == 0:
            return int(node == v)
        return sum(count(other, steps - 1) for other in graph[node] if {node, other} != {u, v})
    return count(u, 2), count(u, 3)


@pytest.mark.parametrize("block", [256, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_local_paths_are_those_of_a_walk(name, block, monkeypatch):
    monkeypatch.setattr(neighbourhood, "BLOCK", block)
    graph = GRAPHS[name]
    pairs = every_pair(graph)
    counted = [walks_past_the_link(graph, u, v) for u, v in pairs.t().tolist()]
    expected = [two + 0.25 * three for two, three in counted]
    assert local_paths(edges_of(graph), len(graph), pairs, 0.25).tolist() == pytest.approx(expected)


def test_a_link_adds_nothing_to_its_own_score():
    """Taken out or left in, two friends of karate score the same: they are not told by their own link."""
    edges = karate().edge_index
    links = edges[:, edges[0] < edges[1]]
    for link in links.t()[torch.randperm(78, generator=seeded(0))[:10]]:
        left = links[:, (links != link[:, None]).any(0)]
        for score in (local_paths, shared_neighbours):
            scores = [score(graph, 34, link[:, None]) for graph in (edges, to_undirected(left, 34))]
            assert torch.equal(*scores)
