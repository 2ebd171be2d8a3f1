"""Random graphs whose features tell the classes, small enough to teach teachers on."""

import torch
from torch_geometric.data import Data

from privgraph.graph import to_undirected
from privgraph.methods import NodeClassifier
from privgraph.randomness import seeded

QUICK = NodeClassifier(hidden=8, epochs=30)


def random_graph(n: int, seed: int, num_classes: int = 3, d: int = 12) -> Data:
    g = seeded(seed)
    y = torch.randint(num_classes, (n,), generator=g)
    x = (torch.rand(n, d, generator=g) < 0.2 + 0.4
         * (torch.arange(d) % num_classes == y[:, None])).to(torch.get_default_dtype())
    data = Data(x=x, y=y, edge_index=to_undirected(torch.randint(n, (2, 2 * n), generator=g), n))
    data.num_classes, data.name = num_classes, "random"
    return data


def pair_of_graphs(private: int = 60, public: int = 40) -> tuple[Data, Data]:
    inner, outer = random_graph(private, 1), random_graph(public, 2)
    outer.train_mask = torch.arange(public) < public // 2
    outer.test_mask = ~outer.train_mask
    return inner, outer
