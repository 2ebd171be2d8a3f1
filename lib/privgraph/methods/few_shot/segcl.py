r"""SE-GCL: prototypes, and contrast of each query graph with views of itself and of others (dissertation, chapter 5).

A second encoder, whose weights follow those of the first (:math:`w \leftarrow \epsilon w + (1 - \epsilon) \theta`),
sees the views. With :math:`s = -W`, minus the distance to the vector of a view, eq. 5.5 is

.. math:: L_{con} = -\frac1M \sum_i \ln \frac{e^{s(G_i, G_i^{mask})}}{\sum_{j=1}^{M} e^{s(G_i, G_j^{neg})}}.

**As printed it trains to nothing** (``contrast="printed", mask="zeros"``): alone on both generated sets,
with the loss of the classes on graphs of triangles. Features masked to 0 pass convolutions whose bias starts at 0
as 0, so the positive view of every graph is the zero vector, and "agree with it" pulls all vectors there.
``mask="mean"`` gives every node the mean features of the query's nodes, so that a view is as large as its graph; that
alone repairs it. ``contrast="infonce"`` has the positive in the denominator (van den Oord et al. 2018) and a
temperature: the printed loss has no least value, as far-away negatives pay without end.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor

from ...checks import check_positive
from ...checks.parameters import Choice, Flag, Fraction, NotNegative, Positive
from ...datasets.episodes import Task
from ...graph_batch import GraphBatch
from ...nn import GraphEncoder
from .episodic import apart, together
from .prototypical import PrototypicalNetwork, Trainer
from .similarity import DISTANCES
from .views import MASKS, masked, perturbed

CONTRASTS = ("infonce", "printed")
POSITIVES = ("own", "shuffled")


def contrastive_loss(to_positive: Tensor, to_negatives: Tensor, temperature: float | None = None) -> Tensor:
    """Eq. 5.5 from distances.

    :param to_positive: [M], of each query graph to its own positive view.
    :param to_negatives: [M, M'], to all negative views.
    :param temperature: distances are divided by it, and the positive joins the denominator; ``None``: as printed.
    """
    if temperature is None:
        return (to_positive + (-to_negatives).logsumexp(1)).mean()
    scores = -torch.cat([to_positive[:, None], to_negatives], 1) / check_positive(temperature, "temperature")
    return F.cross_entropy(scores, scores.new_zeros(len(scores), dtype=torch.long))


@dataclass(frozen=True)
class SEGCL(PrototypicalNetwork):
    r"""A prototypical network with contrast, :math:`L_{meta} + \beta L_{con}` (eq. 5.6). **No guarantee.**

    With the same seed it sees the tasks and starts from the weights that ``PrototypicalNetwork`` does.

    :param beta: weight of the contrast.
    :param eta: perturbation ratio of negative views: nodes are deleted with chance eta, edges replaced with 1 - eta.
    :param momentum: epsilon, how much of the second encoder's weights stays in each step.
    :param contrast: ``"infonce"``, or ``"printed"`` as eq. 5.5 stands.
    :param mask: what features of positive views are, see ``views.masked``; printed, as we read it, are ``"zeros"``.
    :param temperature: of ``"infonce"``; the dissertation has none.
    :param positive: ``"own"``: each graph's masked view; ``"shuffled"``: that of a random graph of the query, a
        control that knows how to contrast but not with what.
    :param meta: with the loss of the classes; without, contrast alone.
    """

    beta: Annotated[float, NotNegative()] = 1.0
    eta: Annotated[float, Fraction(closed=True)] = field(default=0.8, metadata={"option": "perturbation"})
    momentum: Annotated[float, Fraction(closed=True)] = 0.99
    contrast: Annotated[str, Choice(CONTRASTS)] = "infonce"
    mask: Annotated[str, Choice(MASKS)] = "mean"
    temperature: Annotated[float, Positive()] = 0.5
    positive: Annotated[str, Choice(POSITIVES)] = "own"
    meta: Annotated[bool, Flag()] = field(default=True, metadata={"option": "class_loss"})

    def unread(self) -> dict[str, str]:
        return {"temperature": "contrast is printed"} if self.contrast == "printed" else {}

    def trainer(self, encoder: GraphEncoder, generator: torch.Generator) -> Trainer:
        """

        :param encoder: which makes a vector of each graph.
        """
        return Contrast(self, encoder, generator)


class Contrast(Trainer):
    """The loss of classes and of contrast; holds the second encoder."""

    def __init__(self, method: SEGCL, encoder: GraphEncoder, generator: torch.Generator):
        super().__init__(method, encoder)
        self.generator, self.follower = generator, copy.deepcopy(encoder).requires_grad_(False)

    def loss(self, tasks: Sequence[Task]) -> Tensor:
        z, cut = self.encoder.with_cut(together(tasks))
        each = apart(tasks, z)
        con = torch.stack([self.of_views(query, *views)
                           for (_, _, query), views in zip(each, self.views(tasks), strict=True)]).mean()
        classes = torch.stack([self.of_task(*one) for one in each]).mean() if self.method.meta else 0.0
        return cut + classes + self.method.beta * con

    @torch.no_grad()
    def views(self, tasks: Sequence[Task]) -> list[tuple[Tensor, Tensor]]:
        """The vectors of each task's positive and negative views [M, d], all in one pass."""
        queries = GraphBatch.join([GraphBatch.from_data_list(task.query) for task in tasks])
        both = GraphBatch.join([masked(queries, self.method.mask),
                                perturbed(queries, self.method.eta, self.generator)])
        positive, negative = self.follower(both).split(len(queries))
        sizes = [len(task.query) for task in tasks]
        return list(zip(positive.split(sizes), negative.split(sizes), strict=True))

    def of_views(self, query: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        if self.method.positive == "shuffled":
            positive = positive[torch.randperm(len(positive), generator=self.generator)]
        distance = DISTANCES[self.method.distance]
        near = distance(query[:, None], positive[:, None])[:, 0, 0]
        printed = self.method.contrast == "printed"
        return contrastive_loss(near, distance(query, negative), None if printed else self.method.temperature)

    @torch.no_grad()
    def after_step(self) -> None:
        """Algorithm 5, line 8."""
        for slow, fast in zip(self.follower.parameters(), self.encoder.parameters(), strict=True):
            slow.lerp_(fast, 1 - self.method.momentum)
