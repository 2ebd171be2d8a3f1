"""ProGAP: its stages as a loop, and mutants that the contract finds."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from privgraph.methods import check_method
from privgraph.methods.contract.toys import changed, path_graph
from privgraph.methods.gap import sums
from privgraph.methods.progap import ProGAP
from privgraph.nn.perceptron import Progressive
from privgraph.randomness import draw_seed, seeded


def test_the_sums_are_those_of_the_equations():
    """Two stages, with layers, training and sums written out: Adam on the logits of a stage, the epoch with the least
    loss on validation nodes, then one neighbour after the other."""
    data, method, generator = path_graph(), ProGAP(2.0, 1e-3, 2, hidden=4, epochs=3), seeded(3)
    network, tables = Progressive([3, 4, 4], 2, hidden=4, dropout=0.0, generator=generator), [data.x]
    for stage in (0, 1):
        def logits(stage=stage):
            rows = [F.selu(base[1](base[0](table))) for base, table in zip(network.bases, tables, strict=False)]
            return network.heads[stage][0](F.normalize(torch.cat(rows, 1), dim=1)), rows[-1]
        draw_seed(generator)  # which seeds dropout, of which there is none
        optimiser, best, kept = torch.optim.Adam(network.parameters(), lr=0.01), math.inf, None
        for _ in range(3):
            network.train(), optimiser.zero_grad()
            F.cross_entropy(logits()[0][data.train_mask], data.y[data.train_mask]).backward()
            optimiser.step(), network.eval()
            loss = float(F.cross_entropy(logits()[0].detach()[data.val_mask], data.y[data.val_mask]))
            if loss < best:
                best, kept = loss, {name: part.clone() for name, part in network.state_dict().items()}
        network.load_state_dict(kept)
        rows = logits()[1].detach().double()
        noise = torch.randn(8, 4, dtype=torch.double, generator=generator) * method.noise.sigma
        for u, v in data.edge_index.t().tolist():
            noise[v] += rows[u] / rows[u].norm()
        tables.append(noise.float())
    released = method.train(data, seeded(3)).tensors
    assert torch.allclose(released["sums"], torch.stack(tables[1:]), atol=1e-4)
    assert all(torch.allclose(released[name], part, atol=1e-4) for name, part in network.state_dict().items())


def test_labels_are_summed_beside_rows():
    """Without noise: each of the last two columns counts the neighbours of a class that are asked for training."""
    data = path_graph()
    left = ProGAP(math.inf, hops=1, labels=True, hidden=4, epochs=2).train(data, seeded(0)).tensors
    counts = torch.zeros(8, 2)
    for u, v in data.edge_index.t().tolist():
        counts[v, int(data.y[u])] += float(data.train_mask[u]) / math.sqrt(2)  # beside a row of length 1
    assert left["sums"].shape == (1, 8, 6) and torch.allclose(left["sums"][0, :, 4:], counts, atol=1e-6)


class SumsAnew(ProGAP):
    """In each stage all sums are drawn anew of newer rows, and each stage is paid for once."""

    def trained(self, model, y, masks, generator, progress):
        if len(model.inputs) > 1:
            rows = model.model.eval().hidden(model.inputs)[0].detach()
            model.inputs[1] = self.noisy_sums(rows, self.EDGES[-1], generator).float()
        return super().trained(model, y, masks, generator, progress)

    EDGES = []

    def train(self, data, generator, progress=False):
        self.EDGES.append(data.edge_index)
        return super().train(data, generator, progress)


class LongRows(ProGAP):
    """Rows are as long as they are."""

    def noisy_sums(self, z, edge_index, generator):
        return self.noise(sums(100 * z.double(), edge_index), generator=generator)


class ReadsDegrees(ProGAP):
    """Who has many neighbours is told by a feature."""

    def train(self, data, generator, progress=False):
        degree = torch.bincount(data.edge_index[0], minlength=data.num_nodes)[:, None].float()
        return super().train(changed(data, x=torch.cat([data.x, degree], 1)), generator, progress)


class NoNoiseKept(ProGAP):
    """The noise is redrawn with the coins of the first stage."""

    def noisy_sums(self, z, edge_index, generator):
        generator.manual_seed(1)
        return super().noisy_sums(z, edge_index, generator)


class LastStageReadsTheGraph(ProGAP):
    """The last stage, which is not the curator's, keeps the graph in mind."""

    GRAPH = []

    def train(self, data, generator, progress=False):
        self.GRAPH.append(data.y.roll(1))
        return super().train(data, generator, progress)

    def learn(self, release, generator, progress=False):
        return super().learn(replace(release, tensors=release.tensors | {"y": self.GRAPH[-1]}), generator, progress)


EDGES = "noise only; with a change of the edge"


@pytest.mark.parametrize("kind, found", [
    (SumsAnew, r"undirected edge \(add/remove\) is not covered"),
    (LongRows, r"undirected edge \(add/remove\) is not covered"), (ReadsDegrees, EDGES),
    (NoNoiseKept, "no coin may be used twice|with the same generator|with another"),
    (LastStageReadsTheGraph, "learn must read the release and nothing else")],
    ids=lambda part: getattr(part, "__name__", ""))
def test_a_mutant_is_found(kind, found):
    with pytest.raises(AssertionError, match=found):
        check_method(kind(1.0, 1e-5, 2, hidden=4, epochs=2))
