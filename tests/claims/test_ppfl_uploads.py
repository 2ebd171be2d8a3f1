"""PPFL-GNN's claims that its own messages decide: federations that run, and what is read in the bytes they send."""

import pytest
import torch
from torch_geometric.data import Data

from privbook.papers.published import entries
from privgraph.graph import degrees, sample_non_edges, to_undirected
from privgraph.methods.federated.gat import FederatedGAT
from privgraph.methods.federated.row_messages import unpack_rows
from privgraph.methods.federated.split import hold, parts
from privgraph.randomness import seeded

SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772  # of SELU


def before_selu(z):
    """What SELU was applied to."""
    return torch.where(z > 0, z / SCALE, torch.log1p((z / (SCALE * ALPHA)).clamp_min(-1 + 1e-12)))


def sparse_world(n=300, links=150, features=12):
    """Many people, of whom half know nobody; features are random numbers."""
    edges = sample_non_edges(torch.empty(2, 0, dtype=torch.long), n, links, seeded(1))
    data = Data(edge_index=to_undirected(edges, n), x=torch.randn(n, features, generator=seeded(2)),
                y=torch.arange(n) % 3, num_nodes=n, num_classes=3)
    data.train_mask = torch.ones(n, dtype=torch.bool)
    return hold(data, seeded(3), clients=2, public=0.5, private=0.2)


@pytest.mark.bears("beside", "ppfl-ensures-privacy")
@pytest.mark.bears("against", "ppfl-gat-no-weights-exposed")
def test_rows_of_people_without_links_give_the_weights_away(record_property):
    """Section 4.2.3: the rows are uploaded "without exposing the model weights". Somebody without a link attends to
    herself alone, so her row is SELU(W x + b). Public people's x is known to all who hold them. As many of them as
    features, and one, give W and b by solving linear equations; and rows that the server had not used confirm it."""
    data, method = sparse_world(), FederatedGAT(rounds=3, heads=2, hidden=8, epochs=10)
    clients, rounds = method.run(data, seeded(4))
    errors = []
    for number, (client, part) in enumerate(zip(clients.values(), parts(data), strict=True)):
        alone = (degrees(part.edge_index, part.num_nodes)[:part.num_public] == 0).nonzero()[:, 0]
        used, kept = alone[:13], alone[13:]
        assert len(kept) > 20 and part.num_nodes == 210
        x = torch.nn.functional.normalize(part.x[:part.num_public].double(), p=1.0)  # as each client does
        known = torch.cat([x, torch.ones(part.num_public, 1)], 1)
        for message in (*(each.messages[number] for each in rounds), client.send()):
            rows = before_selu(unpack_rows(message).double())
            solved = torch.linalg.solve(known[used], rows[used])
            assert torch.allclose(known[kept] @ solved, rows[kept], atol=2e-3)  # another round, other weights
        layer = client.network.first
        weights = next(each for name, each in layer.named_parameters() if name.endswith("weight"))
        truth = torch.cat([weights.t(), layer.bias[None]]).detach().double()
        errors.append(float((solved - truth).abs().max() / truth.abs().max()))
    assert max(errors) < 1e-3
    assert [entry.value for entry in entries("dissertation", "Table 3.1", dataset="Cora", metric="features")] == [1433]
    record_property("witness", "2 clients, 12 features, the rows of 13 public people without links in one upload: all "
                               f"104 weights of the first layer, off by at most {max(errors):.0e} of the largest")
