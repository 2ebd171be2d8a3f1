r"""MAML: initial weights from which a few steps on the support of a task lead far (Finn, Abbeel and Levine 2017).

For each task the weights take ``steps`` steps of gradient descent on the support, and what is made small is the loss
of the query *there*:

.. math:: \min_\theta L_Q(\theta'), \quad \theta' = \theta - \alpha \nabla L_S(\theta).

Of second order, the gradient goes through those steps; of first order it takes :math:`\theta'` for the variable.

*Why vectors are centred.* The encoder ends in ReLU and a sum or mean, so its vectors have no negative entry, and most
of each is what all have in common. The slopes of the support's loss then point along the common part, a rate that this
direction bears is too small for all others, and five steps change next to no answer: untrained and not centred, letters
are named little better than by chance (a test says so). So the vectors of a task are centred by the mean of its support
and divided by one number, their spread there, as batch normalisation does in the original; the last layer starts at
zero.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from ...checks.parameters import Count, Flag, Positive
from ...datasets.episodes import Task
from ...graph_batch import GraphBatch
from ...nn import GraphEncoder
from ...randomness import torch_seeded
from .episodic import EpisodicTraining

WIDTH = 16  # of the vectors that the encoder makes
SMALL = 1e-5  # keeps graphs that are all alike from 0 / 0


class Classifier(nn.Module):
    """The encoder and one linear layer, which starts at zero: logits [G, ways].

    :param centred: whether vectors are centred and scaled before the layer.
    """

    def __init__(self, encoder: GraphEncoder, ways: int, centred: bool = True):
        super().__init__()
        self.encoder, self.head, self.centred = encoder, nn.Linear(WIDTH, ways), centred
        nn.init.zeros_(self.head.weight), nn.init.zeros_(self.head.bias)

    def forward(self, graphs: GraphBatch, support: GraphBatch | None = None) -> Tensor:
        """:param support: the graphs by whose vectors those of ``graphs`` are centred and scaled; by default their own.

        One scale for all columns: a column that is constant on the support would have none of its own.
        """
        z = self.encoder(graphs)
        if not self.centred:
            return self.head(z)
        known = z if support is None else self.encoder(support)
        return self.head((z - known.mean(0)) / (known.var(0, unbiased=False).mean() + SMALL).sqrt())


@dataclass(frozen=True)
class MAML(EpisodicTraining):
    """The encoder of the others with a linear layer, adapted to each task by gradient descent. **No guarantee.**

    Tasks for training and for tests have the same number of classes.

    :param steps: of gradient descent on a support, in training and in tests.
    :param inner_rate: of these steps.
    :param second_order: whether the gradient goes through them.
    :param centred: whether vectors are centred and scaled by the support; without, it hardly learns.
    """

    steps: Annotated[int, Count()] = 5
    inner_rate: Annotated[float, Positive()] = 0.1
    second_order: Annotated[bool, Flag()] = True
    centred: Annotated[bool, Flag()] = True

    @property
    def learning_seconds(self) -> float:
        """With the steps on each support."""
        return 0.02 * (1 + self.steps) * self.episodes * self.tasks

    @property
    def solving_seconds(self) -> float:
        """With these steps too."""
        return 0.01 * (1 + self.steps)

    @classmethod
    def examples(cls) -> tuple["MAML", ...]:
        return cls(episodes=2), cls(episodes=2, second_order=False), cls(episodes=1, layer="gat", readout="mincut")

    def learn(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> Callable[[Task], Tensor]:
        """A solver that adapts to each task's support."""
        initial = self.initial(sample, generator)
        with torch_seeded(initial.rest):
            model = Classifier(initial.encoder, initial.ways, self.centred)

        def loss(tasks: list[Task]) -> Tensor:
            return torch.stack([F.cross_entropy(self.answer(model, task, self.second_order), task.query_y)
                                for task in tasks]).mean()
        self.train(initial, model.parameters(), loss)
        return partial(self.solve, model)

    def solve(self, model: "Classifier", task: Task) -> Tensor:
        """Class probabilities float32 [Q, ways].

        :param model: from whose weights each task is fitted.
        """
        return self.answer(model, self.fitting(task, model.head.out_features), False).detach().softmax(1)

    def network(self, solver: partial) -> nn.Module:  # type: ignore[override]
        return solver.args[0]

    def solving(self, encoder: GraphEncoder, kept: dict[str, Tensor]) -> partial:
        return partial(self.solve, Classifier(encoder, len(kept["head.bias"]), self.centred))

    def fitting(self, task: Task, ways: int) -> Task:
        """The task, if it has as many classes as those for training had.

        :raises ValueError: where it has another number of classes.
        """
        if task.ways != ways:
            raise ValueError(f"task must have {ways} ways, as those for training had, got {task.ways}")
        return task

    def answer(self, model: Classifier, task: Task, second_order: bool) -> Tensor:
        """Logits of the query [Q, ways] with weights adapted to the support.

        :param model: the network with its initial weights.
        :param second_order: whether gradients flow through the steps of adaptation.
        :returns: float [Q, ways].
        """
        weights = dict(model.named_parameters())
        support = GraphBatch.from_data_list(task.support)
        for _ in range(self.steps):
            own = F.cross_entropy(functional_call(model, weights, (support,)), task.support_y)
            slopes = torch.autograd.grad(own, list(weights.values()), create_graph=second_order)
            weights = {name: value - self.inner_rate * slope
                       for (name, value), slope in zip(weights.items(), slopes, strict=True)}
        return functional_call(model, weights, (GraphBatch.from_data_list(task.query), support))
