"""PrivGNN: teachers side by side and alone, against PyG's layers one at a time;
growth with a teacher's nodes; memory."""

import subprocess
import sys
import time

import joblib
import pytest
import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv

from privgraph.datasets import induced
from privgraph.graph import to_undirected
from privgraph.methods import NodeClassifier, PrivGNN
from privgraph.randomness import seeded

TEACHERS = 16
PUBLIC = 500


def random_task(nodes: int, seed: int, features: int = 767, classes: int = 10) -> Data:
    """A graph like Amazon Computers' private part: 767 binary features, a third of them ones, 4.6 edges a node."""
    g = seeded(seed)
    data = Data(x=(torch.rand(nodes, features, generator=g) < 1 / 3).float(),
                y=torch.randint(classes, (nodes,), generator=g),
                edge_index=to_undirected(torch.randint(nodes, (2, int(4.6 * nodes)), generator=g), nodes))
    data.num_classes, data.name = classes, "random"
    data.train_mask = torch.ones(nodes, dtype=torch.bool)
    return data


def task(nodes: int = 2500) -> tuple[Data, Data]:
    return random_task(nodes, 0), random_task(PUBLIC, 1)


def method(count: int = TEACHERS, epochs: int = 200) -> PrivGNN:
    return PrivGNN(scale=1.0, num_queries=count, rate=0.3, neighbours=750, teacher=NodeClassifier(epochs=epochs))


class Layers(torch.nn.Module):
    """The same network as anybody would write it with PyG."""

    def __init__(self, features: int, classes: int, hidden: int = 64):
        super().__init__()
        self.first, self.second = SAGEConv(features, hidden), SAGEConv(hidden, classes)
        self.norm = torch.nn.BatchNorm1d(hidden)

    def forward(self, x, edges):
        h = F.dropout(self.norm(self.first(x, edges)).relu(), 0.5, self.training)
        return self.second(h, edges)


def one_at_a_time(private: Data, public: Data, queries, seeds, epochs: int) -> torch.Tensor:
    rows = []
    for query, seed in zip(queries.tolist(), seeds, strict=True):
        generator = seeded(seed)
        own = induced(private, method().chosen(private.x, public.x[query], generator))
        torch.manual_seed(seed)
        net = Layers(own.x.size(1), own.num_classes)
        optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
        for _ in range(epochs):
            optimiser.zero_grad()
            F.cross_entropy(net(own.x, own.edge_index), own.y).backward()
            optimiser.step()
        net.eval()
        with torch.no_grad():
            rows.append(net(public.x, public.edge_index)[query].softmax(0))
    return torch.stack(rows)


def half_of_them(part: int, epochs: int) -> torch.Tensor:
    """What one of two worker processes does."""
    torch.set_num_threads(1)
    private, public = task()
    queries, seeds = method(epochs=epochs).draw(private, public, seeded(3))
    return method(epochs=epochs).posteriors(private, public, queries[part::2], seeds[part::2], batch=8)


@pytest.mark.parametrize("batch, at_least", [(8, 1.2), (1, 1.0)], ids=["side by side", "alone, as for a release"])
def test_on_one_thread(batch, at_least, compare):
    private, public = task()
    queries, seeds = method(epochs=50).draw(private, public, seeded(3))
    compare(f"PrivGNN, 16 teachers on 750 nodes, {batch} at once, one thread: PyG one at a time / library",
            lambda: one_at_a_time(private, public, queries, seeds, 50),
            lambda: method(epochs=50).posteriors(private, public, queries, seeds, batch=batch), at_least=at_least,
            rounds=3)


def test_small_samples_gain_by_a_batch(compare):
    """What a release pays for teachers trained alone."""
    (private, public), own = task(), PrivGNN(scale=1.0, num_queries=32, rate=0.01, neighbours=None,
                                             teacher=NodeClassifier(epochs=50))
    queries, seeds = own.draw(private, public, seeded(3))
    compare("PrivGNN, 32 teachers on 25 nodes, one thread: alone / eight at once",
            lambda: own.posteriors(private, public, queries, seeds),
            lambda: own.posteriors(private, public, queries, seeds, batch=8), at_least=1.2, rounds=3)


def test_on_two_cores(compare):
    """The reach: two processes of one thread each, as the ledger's workers are, against one teacher at a time."""
    private, public = task()
    queries, seeds = method().draw(private, public, seeded(3))
    workers = joblib.Parallel(n_jobs=2)
    def both():
        return workers(joblib.delayed(half_of_them)(part, 200) for part in range(2))
    compare("PrivGNN, 16 teachers of 200 epochs: PyG one at a time / library on two cores",
            lambda: one_at_a_time(private, public, queries, seeds, 200), both, at_least=2, rounds=3)


def seconds(nodes: int) -> float:
    """8 teachers on .3 of ``nodes`` private nodes, 20 epochs."""
    private, public = task(nodes)
    own = PrivGNN(scale=1.0, num_queries=8, rate=0.3, neighbours=None, teacher=NodeClassifier(epochs=20))
    queries, seeds = own.draw(private, public, seeded(3))
    own.posteriors(private, public, queries, seeds)
    start = time.perf_counter()
    own.posteriors(private, public, queries, seeds)
    return time.perf_counter() - start


def test_growth_with_the_private_graph(note):
    small, large = (min(seconds(nodes) for _ in range(3)) / nodes for nodes in (1000, 8000))
    note("PrivGNN, seconds a private node: 8,000 nodes / 1,000 nodes", large / small)
    assert large / small < 2


def test_memory(note):
    """What the library needs beside the two graphs does not grow with the number of teachers."""
    code = ("import sys, resource; sys.path[:0] = ['benchmarks']; from bench_privgnn import *; "
            "torch.set_num_threads(1); "
            "p, q = task(); m = method(64, 20); m.teach(p, q, seeded(0)); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)")
    memory = float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                  check=True).stdout.split()[-1])
    note("PrivGNN, 64 teachers on 750 nodes: peak memory in GiB", memory)
    assert memory < 4
