"""Sets of graphs: what is generated is what it says, fast code equals slow loops, and files are read or refused."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.datasets import (
    LETTERS,
    SETS,
    DatasetUnavailable,
    GraphSet,
    Sampler,
    count_triangles,
    fingerprint_of,
    letters,
    load_graphs,
    neighbourhoods,
    set_statistics,
    shop,
)
from privgraph.datasets.graph_sets import letter_graphs, neighbourhood_graphs, triangle_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.randomness import seeded

NO_EDGE = torch.zeros(2, 0, dtype=torch.long)
MADE = [name for name, card in SETS.items() if card.file is None]
TRIANGLES, DRAWN = load_graphs("triangles"), load_graphs("letters")


def network(graph: Data) -> nx.Graph:
    return nx.from_edgelist(graph.edge_index.t().tolist()) if graph.num_edges else nx.empty_graph(graph.num_nodes)


def slow_triangles(graph: Data) -> int:
    """Three nodes at a time."""
    edges = set(map(tuple, graph.edge_index.t().tolist()))
    return sum({(a, b), (b, c), (a, c)} <= edges for a, b, c in itertools.combinations(range(graph.num_nodes), 3))


# Triangles ----------------------------------------------------------------------------------------------


def some_graphs() -> list[Data]:
    """Random graphs of all densities, single nodes, and graphs without edges between them."""
    made = []
    for seed in range(30):
        graph = nx.gnp_random_graph(1 + seed % 12, seed / 29, seed=seed)
        edges = torch.tensor(list(graph.edges)).view(-1, 2).t()
        made += [Data(x=torch.ones(graph.number_of_nodes(), 1), edge_index=torch.cat([edges, edges.flip(0)], 1).long())]
    return made


def test_triangles_are_counted_as_a_loop_and_networkx_count_them():
    several = some_graphs()
    counted = count_triangles(GraphBatch.from_data_list(several)).tolist()
    assert counted == [slow_triangles(graph) for graph in several]
    assert counted == [sum(nx.triangles(network(graph)).values()) // 3 for graph in several]
    assert 0 in counted and max(counted) > 100 and counted[-1] == math.comb(6, 3)  # the last is complete


def test_a_graph_of_one_node_and_one_without_edges_have_no_triangle():
    assert count_triangles(GraphBatch(torch.ones(4, 1), NO_EDGE, torch.tensor([1, 3]))).tolist() == [0, 0]


def test_a_dense_count_is_the_same():
    adjacency = torch.zeros(1, 5, 5, dtype=torch.bool)
    adjacency[0, :4, :4] = ~torch.eye(4, dtype=torch.bool)
    assert triangle_graphs.triangles_of(adjacency).tolist() == [4]


def test_class_c_has_c_plus_1_triangles():
    assert torch.equal(count_triangles(TRIANGLES.graphs), TRIANGLES.y + 1)
    assert torch.bincount(TRIANGLES.y).tolist() == [200] * 10


def test_the_graphs_are_connected_and_a_node_has_its_degree():
    graphs = TRIANGLES.graphs
    assert torch.equal(graphs.x[:, 0].long(), torch.bincount(graphs.edge_index[0], minlength=len(graphs.x)))
    assert all(nx.is_connected(network(graphs[i])) for i in range(0, len(graphs), 20))


def test_sizes_and_edges_are_those_of_the_published_sample():
    """About 15 nodes and 25 edges, from 4 to 25 nodes; more triangles, more edges, at about the same size."""
    said, sizes = set_statistics(TRIANGLES), TRIANGLES.graphs.sizes
    assert 14.5 < said["average_nodes"] < 15.7 and 24 < said["average_edges"] < 27
    assert int(sizes.min()) == 4 and int(sizes.max()) == 25
    nodes, edges = (torch.stack([values[TRIANGLES.of_class(label)].double().mean() for label in range(10)])
                    for values in (sizes, TRIANGLES.graphs.num_edges))
    assert edges[9] > 1.5 * edges[0] and nodes[9] < 1.25 * nodes[0]


@pytest.mark.parametrize("wanted, nodes", [(1, 4), (2, 4), (3, 5), (4, 5), (5, 5), *((t, 6) for t in range(6, 11))])
def test_the_smallest_graphs_with_so_many_triangles_exist(wanted, nodes):
    """Else the search for one would never end."""
    drawn = triangle_graphs.connected(torch.tensor([nodes]), torch.tensor([wanted]), 20_000, seeded(wanted))
    assert (triangle_graphs.triangles_of(drawn[0]) == wanted).any()


def test_pairs_are_joined_with_the_stated_chance():
    """Beside the tree, on average half of 3/2 of the chance for 5 triangles; at level 1e-6 (4.9 deviations)."""
    nodes, tries = 20, 8000
    drawn = triangle_graphs.connected(torch.tensor([nodes]), torch.tensor([5]), tries, seeded(11))
    edges = drawn[0].sum((1, 2)).double() / 2
    likely, free = (6 * 5 / nodes**3) ** (1 / 3), math.comb(nodes, 2) - (nodes - 1)
    off = 4.9 * float(edges.std()) / math.sqrt(tries)
    for factor, fits in ((1.5, True), (1.4, False), (1.6, False)):
        assert (abs(float(edges.mean()) - (nodes - 1) - free * factor * likely / 2) < off) is fits


def test_a_search_that_finds_nothing_ends(monkeypatch):
    monkeypatch.setattr(triangle_graphs, "ROUNDS", 2)
    monkeypatch.setattr(triangle_graphs, "triangles_of", lambda drawn: torch.full(drawn.shape[:2], -1))
    with pytest.raises(RuntimeError, match=r"in 2 rounds, got none for \[1, 2, .*\] triangles with \[.*\] nodes"):
        triangle_graphs.triangles(seeded(0), per_class=1)


# Letters ------------------------------------------------------------------------------------------------


def clean(letter: str) -> Data:
    return letters(seeded(0), 1, noise=0, bend=0, erase=0, stray=0).graphs[LETTERS.index(letter)]


def test_a_clean_letter_is_its_skeleton():
    assert LETTERS == "AEFHIKLMNTVWXYZ"
    torch.testing.assert_close(clean("L").x, torch.tensor([[0, 2.4], [0, 0], [1.6, 0]]))
    assert sorted(clean("I").x[:, 0].tolist()) == [pytest.approx(0.8)] * 2
    degrees = {letter: sorted(torch.bincount(clean(letter).edge_index[0]).tolist()) for letter in LETTERS}
    assert degrees["T"] == degrees["Y"] == [1, 1, 1, 3] and degrees["X"] == [1, 1, 1, 1]
    assert degrees["A"] == [1, 1, 2, 3, 3] and degrees["E"] == [1, 1, 1, 2, 2, 3] and degrees["H"] == [1, 1, 1, 1, 3, 3]
    assert degrees["K"] == [1, 1, 1, 1, 4] and degrees["N"] == degrees["Z"] == [1, 1, 2, 2]


def test_fifteen_skeletons_lie_differently():
    """T and Y, M and W, N and Z are the same graphs; coordinates tell them apart."""
    tables = [(tuple(map(tuple, graph.x.tolist())), tuple(map(tuple, graph.edge_index.t().tolist())))
              for graph in map(clean, LETTERS)]
    assert len(set(tables)) == 15


def test_a_bent_line_goes_through_its_middle():
    found = letters(seeded(0), 1, noise=0, bend=1, erase=0, stray=0).graphs[LETTERS.index("L")]
    assert sorted(torch.bincount(found.edge_index[0]).tolist()) == [1, 1, 2, 2, 2]
    assert {(round(x, 1), round(y, 1)) for x, y in found.x.tolist()} == {(0, 2.4), (0, 1.2), (0, 0), (.8, 0), (1.6, 0)}


def test_all_lines_erased_and_all_pairs_joined():
    bare = letters(seeded(0), 2, erase=1, stray=0)
    assert bare.graphs.edge_index.numel() == 0 and len(bare.graphs) == 30
    full = letters(seeded(0), 2, erase=0, stray=1).graphs
    assert torch.equal(full.num_edges, full.sizes * (full.sizes - 1) // 2)


def expected_drawing(bend: float, erase: float, stray: float) -> tuple[float, float]:
    """The mean number of nodes and edges, from the skeletons' own: k of m lines are bent with a binomial chance."""
    nodes = edges = 0.0
    for graph in map(clean, LETTERS):
        n, m = graph.num_nodes, graph.num_edges // 2
        for k in range(m + 1):
            chance = math.comb(m, k) * bend**k * (1 - bend)**(m - k) / 15
            nodes += chance * (n + k)
            edges += chance * ((m + k) * (1 - erase) + stray * (math.comb(n + k, 2) - m - k))
    return nodes, edges


def test_drawings_are_on_average_as_large_as_published():
    """The printed 4.67 and 4.50, from the chances alone, and then in a large draw: 4.9 standard errors, level 1e-6."""
    nodes, edges = expected_drawing(0.1, 0.1, 0.209)
    assert round(nodes, 2) == 4.67 and round(edges, 2) == 4.50
    drawn = letters(seeded(1), per_class=1000).graphs
    for values, mean in ((drawn.sizes.double(), nodes), (drawn.num_edges.double(), edges)):
        assert abs(values.mean() - mean) < 4.9 * values.std() / len(values)**0.5


def test_the_position_of_an_end_is_off_by_the_noise():
    """12,000 coordinates of I, whose two ends are its first nodes: their deviation is within 4.9 standard errors."""
    drawn = letters(seeded(2), per_class=3000, noise=0.3, bend=0)
    ends = drawn.graphs.take(drawn.of_class(LETTERS.index("I"))).x.view(-1, 4) - clean("I").x.view(4)
    assert abs(ends.mean()) < 4.9 * 0.3 / 12_000**0.5
    assert abs(ends.std() - 0.3) < 4.9 * 0.3 / 24_000**0.5


def test_letters_are_split_as_published():
    assert [LETTERS[label] for label in DRAWN.test_classes] == list("IVWZ") and len(DRAWN.train_classes) == 11
    assert torch.bincount(DRAWN.y).tolist() == [150] * 15


def test_letters_without_an_edge_can_be_drawn_into_a_task():
    assert (DRAWN.graphs.num_edges == 0).any()
    found = Sampler(DRAWN, DRAWN.test_classes, 4, 5, 10)(seeded(0))
    assert len(found.support) == 20 and len(found.query) == 40


# Neighbourhoods -----------------------------------------------------------------------------------------


SHOP = shop(seeded(3), kinds=6, goods=30)


def slow_mode(y: list[int]) -> int:
    """The commonest label; -1 for a tie or without any."""
    counts = sorted(((y.count(label), label) for label in set(y) - {-1}), reverse=True)
    return -1 if not counts or len(counts) > 1 and counts[0][0] == counts[1][0] else counts[0][1]


@pytest.mark.parametrize("unlabelled", [0, 60, 180])
def test_the_class_is_the_mode_of_the_labels(unlabelled):
    data = SHOP.clone()
    data.y[torch.randperm(180, generator=seeded(4))[:unlabelled]] = -1
    key = neighbourhood_graphs.met(data, seeded(5), 3, 4)
    around = [[] for _ in range(180)]
    for centre, node in zip((key // 180).tolist(), (key % 180).tolist(), strict=True):
        around[centre].append(node)
    expected = [slow_mode(data.y[nodes].tolist()) if len(nodes) >= 4 else -1 for nodes in around]
    assert neighbourhood_graphs.modes(data, key).tolist() == expected
    assert all(centre in nodes and len(nodes) <= 1 + 3 * 3 for centre, nodes in enumerate(around))
    assert -1 in expected


def test_a_graph_has_all_edges_of_the_network_between_its_nodes():
    key, centres = neighbourhood_graphs.met(SHOP, seeded(5), 3, 4), torch.tensor([7, 100, 7, 179])
    numbered = SHOP.clone()
    numbered.x = torch.arange(180.0)[:, None]
    whole = nx.from_edgelist(SHOP.edge_index.t().tolist())
    for graph, centre in zip(neighbourhood_graphs.around(numbered, key, centres), centres.tolist(), strict=True):
        nodes = graph.x[:, 0].long().tolist()
        assert nodes == (key[key // 180 == centre] % 180).tolist()
        ends = {(nodes[a], nodes[b]) for a, b in graph.edge_index.t().tolist()}
        assert ends == {pair for a, b in whole.subgraph(nodes).edges for pair in ((a, b), (b, a))}
        assert nx.is_connected(network(graph))


def test_neighbourhoods_are_balanced_and_halved():
    found = neighbourhoods(SHOP, seeded(0), classes=5, per_class=10, walks=3, length=5)
    assert torch.bincount(found.y).tolist() == [10] * 5
    assert (found.train_classes, found.test_classes) == ((0, 1), (2, 3, 4))
    assert int(found.graphs.sizes.min()) >= 4


def test_too_few_neighbourhoods_of_a_class_are_refused():
    with pytest.raises(ValueError, match="classes must be at most 0, the labels that are commonest in 31 neigh"):
        neighbourhoods(SHOP, seeded(0), classes=2, per_class=60 // 2 + 1, walks=1, length=2)


def test_a_network_without_edges_has_no_neighbourhoods():
    data = Data(x=torch.ones(9, 1), edge_index=NO_EDGE, y=torch.arange(9) % 3, num_classes=3)
    with pytest.raises(ValueError, match="classes must be at most 0"):
        neighbourhoods(data, seeded(0), classes=2, per_class=1)


def test_neighbourhoods_of_the_shop_are_of_the_printed_size():
    """2,000 graphs in 10 + 10 classes; the dissertation's have 32.15 and 47.25 nodes."""
    said = set_statistics(load_graphs("neighbourhoods-twin"))
    assert (said["graphs"], said["train_classes"], said["test_classes"]) == (2000, 10, 10)
    assert 28 < said["average_nodes"] < 36
    assert set_statistics(load_graphs("neighbourhoods-small"))["graphs"] == 400


# By name ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MADE)
def test_generated_sets_are_the_same_each_time_and_need_no_data(name, monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    first = load_graphs(name)
    assert first.name == name and datasets.at_hand(name)
    assert fingerprint_of(first) == fingerprint_of(load_graphs(name))
    assert torch.equal(first.graphs.sizes.bincount(), load_graphs(name).graphs.sizes.bincount())


def test_a_fingerprint_sees_each_part():
    base = letters(seeded(0), 1)
    moved = GraphSet(base.name, base.graphs.with_features(base.graphs.x + 1), base.y, *split_of(base))
    renamed = GraphSet(base.name, base.graphs, base.y.flip(0), *split_of(base))
    swapped = GraphSet(base.name, base.graphs, base.y, *reversed(split_of(base)))
    erased = GraphSet(base.name, letters(seeded(0), 1, erase=1).graphs, base.y, *split_of(base))
    assert len(set(map(fingerprint_of, (base, moved, renamed, swapped, erased)))) == 5


def split_of(found: GraphSet) -> tuple:
    return found.train_classes, found.test_classes


REAL = {"triangles-sample": (2010, 15.08, 24.55, 1, 7, 3), "letter-high": (2250, 4.67, 4.50, 2, 11, 4),
        "amazon-clothing": (1600, 34.04, 148.09, 256, 8, 8)}


@pytest.mark.parametrize("name", REAL)
def test_real_sets_have_the_statistics_of_their_cards(name):
    if not datasets.at_hand(name):
        with pytest.raises(DatasetUnavailable, match="set PRIVGRAPH_DATA to a folder that holds"):
            load_graphs(name)
        pytest.skip(f"{name} is not on this machine")
    found = load_graphs(name)
    assert found.name == name and tuple(round(value, 2) for value in set_statistics(found).values()) == REAL[name]
    if name == "triangles-sample":
        assert torch.equal(count_triangles(found.graphs), found.y + 1)


def save(path, **changed) -> None:
    """A file of two graphs, a triangle and a single node, with some arrays replaced; None leaves one out."""
    arrays = dict(edge_index=np.array([[0, 1, 0, 2, 1, 2], [1, 0, 2, 0, 2, 1]]), x=np.ones((4, 1), np.float32),
                  y=np.array([0, 1]), node_graph_id=np.array([0, 0, 0, 1]), train_classes=np.array([0]),
                  test_classes=np.array([1])) | changed
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


def test_a_file_of_other_graphs_gets_another_name(monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    save(tmp_path / "letter_high.npz")
    with pytest.warns(UserWarning, match="holds other graphs than its card describes"):
        found = load_graphs("letter-high")
    assert found.name == f"letter-high-{fingerprint_of(found)[:8]}"
    assert (len(found.graphs), found.train_classes, found.test_classes) == (2, (0,), (1,))
    assert count_triangles(found.graphs).tolist() == [1, 0]


@pytest.mark.parametrize("changed, message", [
    (dict(y=None), "letter_high.npz lacks y; got"), (dict(y=np.array([0])), "y must have a class for each of 2 graphs"),
    (dict(y=np.array([0, -1])), "labels must lie in 0"), (dict(y=np.array([0.0, 1.0])), "y must hold whole numbers"),
    (dict(node_graph_id=np.array([0, 0, 1, 0])), "node_graph_id must name the graph of each of 4 nodes, rising"),
    (dict(node_graph_id=np.array([0, 0, 0, 2])), "node_graph_id must name"),  # graph 1 would be empty
    (dict(node_graph_id=np.array([1, 1, 1, 1])), "node_graph_id must name"),
    (dict(node_graph_id=np.array([0, 0, 0])), "node_graph_id must name"),
    (dict(node_graph_id=np.array([[0, 0, 0, 1]])), "node_graph_id must name"),
    (dict(x=np.ones((0, 1), np.float32), node_graph_id=np.zeros(0, int)), "node_graph_id must name"),
    (dict(node_graph_id=np.array([0, 0, 1, 1])), "edge_index must join nodes of one graph, got 4"),
    (dict(edge_index=np.array([[0, 9], [9, 0]])), "edge_index must name nodes 0..3, got 0..9"),
    (dict(edge_index=np.array([[0], [1]])), "edge_index must hold both directions"),
    (dict(edge_index=np.array([[0], [0]])), "edge_index must have no self loops"),
    (dict(x=np.full((4, 1), np.nan, np.float32)), "features must be finite"),
    (dict(test_classes=np.array([0])), "train_classes and test_classes must have none in common"),
    (dict(train_classes=np.array([[0]])), "each of train_classes must be a whole number")])
def test_a_file_that_holds_no_set_is_refused(changed, message, monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    save(tmp_path / "letter_high.npz", **changed)
    with pytest.raises(ValueError, match=message):
        load_graphs("letter-high")


def test_a_set_that_is_not_here_says_what_is(monkeypatch, tmp_path):
    for variable in ("PRIVGRAPH_DATA", "PRIVGRAPH_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert not datasets.at_hand("triangles-sample")
    with pytest.raises(DatasetUnavailable, match="holds triangles_fewshot.npz. Always at hand: triangles, letters, "):
        load_graphs("triangles-sample")


# What tasks ask of a set ---------------------------------------------------------------------------------


@pytest.mark.parametrize("settings, message", [
    ((4, 1, 1), "ways must be at most the 3 classes that are drawn from, got 4"),
    ((3, 150, 51), r"shots \+ queries must be at most 200, the graphs of the smallest class, got 150 \+ 51")])
def test_a_set_with_too_few_classes_or_graphs_for_a_task_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Sampler(TRIANGLES, TRIANGLES.test_classes, *settings)


def test_an_empty_graph_is_refused_and_single_nodes_are_graphs():
    with pytest.raises(ValueError, match="sizes must be at least 1"):
        GraphBatch(torch.ones(1, 1), NO_EDGE, torch.tensor([1, 0]))
    graphs = GraphBatch(torch.ones(6, 1), NO_EDGE, torch.ones(6).long())
    alone = GraphSet("alone", graphs, torch.arange(6) % 2, (0, 1), ())
    assert set_statistics(alone) == {"graphs": 6, "average_nodes": 1, "average_edges": 0, "features": 1,
                                     "train_classes": 2, "test_classes": 0}
    assert len(Sampler(alone, (0, 1), 2, 1, 2)(seeded(0)).query) == 4


def test_skeletons_name_their_ends_once():
    found = letter_graphs.skeletons()
    assert int(found.ends.sum()) == 65 and int(found.lines.sum()) == 50
    assert int(found.ends.max()) == letter_graphs.ENDS and int(found.lines.max()) == letter_graphs.LINES
