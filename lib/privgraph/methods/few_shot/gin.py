"""GIN and a perceptron, trained on the support of each task alone: no transfer from other classes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...checks import check_count, check_function, check_generator
from ...checks.parameters import Count, LearningRate
from ...datasets.episodes import Task
from ...graph_batch import GraphBatch
from ...late import pyg
from ...nn.training import flushed_denormals
from ...randomness import draw_seed, seeded, torch_seeded
from ..release import check_form
from .kind import FewShot


class GIN(nn.Module):
    """Graph isomorphism network (Xu et al. 2019): logits [G, ways] of the sum over nodes after each layer."""

    def __init__(self, columns: int, hidden: int, layers: int, ways: int):
        super().__init__()
        sizes = [columns] + layers * [hidden]
        steps = zip(sizes, sizes[1:], strict=False)
        self.layers = nn.ModuleList(pyg.nn.GINConv(perceptron(a, hidden, b)) for a, b in steps)
        self.read = perceptron(layers * hidden, hidden, ways)

    def forward(self, graphs: GraphBatch) -> Tensor:
        x, read = graphs.x, []
        for layer in self.layers:
            x = layer(x, graphs.edge_index).relu()
            read.append(x.new_zeros(len(graphs), x.size(1)).index_add(0, graphs.batch, x))
        return self.read(torch.cat(read, 1))


def perceptron(columns: int, hidden: int, out: int) -> nn.Module:
    return nn.Sequential(nn.Linear(columns, hidden), nn.ReLU(), nn.Linear(hidden, out))


@dataclass(frozen=True)
class SupportGIN(FewShot):
    """The dissertation's GIN baseline, of which it says "a naive GIN + MLP classifier". **No guarantee.**

    :param hidden: width of the layers.
    :param layers: of GIN.
    :param learning_rate: Adam's.
    :param epochs: passes over the support of a task, all of it in each step.
    """

    hidden: Annotated[int, Count(1)] = 32
    layers: Annotated[int, Count(1)] = 3
    learning_rate: Annotated[float, LearningRate()] = 0.01
    epochs: Annotated[int, Count(1)] = 100

    CHEAPER = ("epochs",)

    @property
    def solving_seconds(self) -> float:
        """A network is trained for each task."""
        return 0.003 * self.epochs

    @classmethod
    def examples(cls) -> tuple["SupportGIN", ...]:
        return (cls(epochs=2),)

    def learn(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> Callable[[Task], Tensor]:
        """Draws no task; ``generator`` says from which weights every task is learnt."""
        check_function(sample, "sample", "generator")
        seed = draw_seed(check_generator(generator))
        return partial(self.from_seed, seed)

    def from_seed(self, seed: int, task: Task) -> Tensor:
        """Class probabilities float32 [Q, ways], of the coins of a seed.

        :param seed: of the first weights and of dropout.
        """
        return self.solve(task, seeded(seed))

    def kept(self, solver: partial) -> dict[str, Tensor]:  # type: ignore[override]
        return {"seed": torch.tensor(solver.args)}

    def solver(self, kept: dict[str, Tensor], path) -> partial:
        check_form(kept.get("seed"), f"seed in {path}", (1,), torch.long)
        return partial(self.from_seed, check_count(int(kept["seed"]), f"seed in {path}"))

    def solve(self, task: Task, generator: torch.Generator) -> Tensor:
        """Class probabilities [Q, ways].

        :returns: float32 [Q, ways].
        """
        support, query = GraphBatch.from_data_list(task.support), GraphBatch.from_data_list(task.query)
        with torch_seeded(generator), flushed_denormals():
            network = GIN(support.num_features, self.hidden, self.layers, task.ways)
            optimiser = torch.optim.Adam(network.parameters(), lr=self.learning_rate)
            for _ in range(self.epochs):
                optimiser.zero_grad()
                F.cross_entropy(network(support), task.support_y).backward()
                optimiser.step()
        with torch.no_grad():
            return network(query).softmax(1)
