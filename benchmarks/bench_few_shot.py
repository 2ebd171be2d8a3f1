"""Few-shot methods: many graphs in one pass against one at a time; episodes in seconds; growth with their number."""

import time

import torch

from privgraph.datasets import Sampler, letters, load_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.methods import SEGCL, PrototypicalNetwork
from privgraph.nn import GraphEncoder
from privgraph.randomness import seeded

DRAWN = load_graphs("letters")


@torch.no_grad()
def test_one_pass_against_one_graph_at_a_time(compare):
    """The reach: at least eight times as fast, on the graphs of four tasks."""
    encoder = GraphEncoder(DRAWN.graphs.num_features, generator=seeded(0))
    some = DRAWN.graphs.take(torch.arange(240))
    alone = [GraphBatch.from_data_list([graph]) for graph in some]
    compare("240 letters: one at a time / in one pass", lambda: [encoder(graph) for graph in alone],
            lambda: encoder(some), at_least=8)


def test_300_episodes_of_letters(note):
    """The reach: under ten seconds of processor time, with contrast too; so a busy machine fails nobody."""
    sampler = Sampler(DRAWN, DRAWN.train_classes, 4, 5, 10)
    for method in (PrototypicalNetwork(), SEGCL()):
        start = time.process_time()
        method.learn(sampler, seeded(0))
        seconds = time.process_time() - start
        note(f"300 episodes of letters, {type(method).__name__}, seconds", seconds)
        assert seconds < 10


@torch.no_grad()
def test_growth_with_the_number_of_graphs(note):
    """Ten times the graphs in less than twenty times the time: the cost is linear, and no machine is quite idle."""
    seconds = []
    for per_class in (100, 1000):
        graphs = letters(seeded(0), per_class).graphs
        encoder = GraphEncoder(graphs.num_features, generator=seeded(0))
        encoder(graphs)
        start = time.perf_counter()
        encoder(graphs)
        seconds.append(time.perf_counter() - start)
    note("15,000 letters / 1,500 letters in one pass", seconds[1] / seconds[0])
    assert seconds[1] < 20 * seconds[0]
