r"""GSM: classes are grouped into super-classes by their spectra, and learnt with them (Chauhan et al. 2020).

The eigenvalues of a graph's normalised Laplacian are a distribution on [0, 2]. On a line the 2-Wasserstein distance is
the distance between quantile functions, and the barycentre of several distributions has their mean quantile function;
so clustering by Wasserstein distance is k-means on quantiles.

**What is simpler here than in GSM.** Its graph of graphs, on which a second network passes messages between the graphs
of a super-class, is left out; and super-classes are those of (task, class) pairs, as tasks do not say which of their
classes are the same. As there, the encoder is fixed in a test and a new last layer is fitted to the support.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import torch
import torch.nn.functional as F
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor, nn

from ...checks import check_count, check_is
from ...checks.parameters import Count
from ...datasets.episodes import Task
from ...graph_batch import GraphBatch
from ...nn import GraphEncoder
from ...randomness import draw_seed, torch_seeded
from .episodic import EpisodicTraining, apart, together
from .prototypical import prototypes
from .structure import padded

POINTS = 20  # at which quantile functions are compared
WIDTH = 16
EXAMPLES = 20  # tasks whose classes are clustered


def spectral_quantiles(graphs: GraphBatch) -> Tensor:
    """Quantiles of the eigenvalues of each graph's normalised Laplacian, ``POINTS`` of them: float [G, POINTS].

    A node without edges has the eigenvalue 0.
    """
    links = padded(check_is(graphs, "graphs", GraphBatch), 0.0)
    degree = links.sum(2)
    root = degree.clamp(min=1).rsqrt()
    there = torch.arange(links.size(1)) < graphs.sizes[:, None]
    diagonal = torch.where(there, (degree > 0).float(), 9.0)  # what pads comes after all others
    values = torch.linalg.eigvalsh(torch.diag_embed(diagonal) - root[:, :, None] * links * root[:, None])
    at = (torch.arange(POINTS) + 0.5) / POINTS
    return values.gather(1, (at * graphs.sizes[:, None]).long())


@dataclass(frozen=True)
class GSM(EpisodicTraining):
    """An encoder trained to tell super-classes and the classes of each task; **no guarantee**.

    :param super_classes: how many; GSM takes 3.
    """

    super_classes: Annotated[int, Count(2)] = 3

    @classmethod
    def examples(cls) -> tuple["GSM", ...]:
        return (cls(episodes=2, super_classes=2),)

    def learn(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> Callable[[Task], Tensor]:
        """A solver with a fixed encoder and a last layer for each task."""
        initial = self.initial(sample, generator)
        with torch_seeded(initial.rest):
            head = nn.Linear(WIDTH, self.super_classes)
        spectra = torch.cat([class_spectra(initial.sample()) for _ in range(EXAMPLES)])
        check_count(self.super_classes, "super_classes", low=2, high=len(spectra))  # of so many classes of tasks
        groups = KMeans(self.super_classes, n_init=10, random_state=draw_seed(initial.rest) % 2**32)
        groups.fit(spectra.double().numpy())

        def loss(tasks: list[Task]) -> Tensor:
            z, cut = initial.encoder.with_cut(together(tasks))
            return cut + torch.stack([self.of_task(head, groups, *each) for each in apart(tasks, z)]).mean()
        self.train(initial, [*initial.encoder.parameters(), *head.parameters()], loss)
        return partial(last_layer, initial.encoder, head)

    def network(self, solver: partial) -> nn.Module:  # type: ignore[override]
        return nn.ModuleDict(dict(zip(("encoder", "head"), solver.args, strict=True)))

    def solving(self, encoder: GraphEncoder, kept: dict[str, Tensor]) -> partial:
        return partial(last_layer, encoder, nn.Linear(WIDTH, self.super_classes))

    def of_task(self, head: nn.Linear, groups: KMeans, task: Task, support: Tensor, query: Tensor) -> Tensor:
        """The cross-entropy of the query's super-classes, and of its classes by distance to class means.

        :param head: from vectors to super-classes.
        :param groups: which spectrum is in which super-class.
        :param support: vectors of the support graphs, float [S, d].
        :param query: those of the query graphs, float [Q, d].
        :returns: float, a scalar.
        """
        of_class = torch.from_numpy(groups.predict(class_spectra(task).double().numpy())).long()
        means = prototypes(support, task.support_y, task.ways)
        return (F.cross_entropy(head(query), of_class[task.query_y])
                + F.cross_entropy(-torch.cdist(query, means), task.query_y))


def class_spectra(task: Task) -> Tensor:
    """The barycentre of the spectra of each class's support: quantiles [ways, POINTS]."""
    return prototypes(spectral_quantiles(GraphBatch.from_data_list(task.support)), task.support_y, task.ways)


@torch.no_grad()
def last_layer(encoder: GraphEncoder, head: nn.Linear, task: Task) -> Tensor:
    """Class probabilities [Q, ways]: a logistic regression on the support's vectors and super-class probabilities, each
    column in units of its spread there."""
    def seen(graphs) -> Tensor:
        z = encoder(GraphBatch.from_data_list(graphs))
        return torch.cat([z, head(z).softmax(1)], 1).double()
    machine = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    machine.fit(seen(task.support).numpy(), task.support_y.numpy())
    return torch.from_numpy(machine.predict_proba(seen(task.query).numpy())).float()
