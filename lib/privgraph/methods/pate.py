r"""PATE: teachers on disjoint parts of the private data vote on labels (Papernot et al. 2017).

As adapted to graphs by PrivGNN's authors: *PateM* has MLP teachers, *PateG* GraphSAGE teachers, each on the edges
inside its own part. The class with the most votes, after Laplace noise on the counts, is released (LNMax).
"""

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data
from tqdm.auto import tqdm

from ..checks import check_count, check_positive
from ..datasets import induced
from ..mechanisms import Laplace
from ..privacy import Budget, Step
from ..randomness import draw_seed, seeded
from .distilled import FEWEST, Answers, Distilled, NodeClassifier


@dataclass(frozen=True)
class PATE(Distilled):
    """Hyperparameters of PATE.

    :param scale: of the Laplace noise on each vote count, 1 / lambda.
    :param teachers: n, disjoint parts of the private nodes. Each node falls into one by a die of its own: parts of
        equal size would make the place of one node depend on the presence of another. A part of fewer than 2 abstains.
    :param teacher: ``NodeClassifier("mlp")`` for PateM, ``NodeClassifier("sage")`` for PateG.
    """

    scale: float = 1.0
    teachers: int = 20
    teacher: NodeClassifier = field(default_factory=lambda: NodeClassifier("mlp"))

    def __post_init__(self):
        check_count(self.num_queries, "num_queries", low=1), check_count(self.teachers, "teachers", low=1)
        check_positive(self.scale, "scale")

    @property
    def mechanism(self) -> Laplace:
        """Noise on the counts of one query: a node changes one teacher, so two counts by one."""
        return Laplace(2 / self.scale, sensitivity=2.0)

    def label(self, scores: Tensor, generator: torch.Generator) -> Tensor:
        """Noisy labels int64 [Q] of vote counts [Q, C]."""
        return self.mechanism(scores, generator=generator).argmax(1)

    def budget(self, num_classes: int) -> Budget:
        """That of the noisy counts, once for each query. The arg max alone may cost less."""
        return Budget((Step(self.mechanism.pair, self.num_queries),))

    def teach(self, private: Data, public: Data, generator: torch.Generator, progress: bool = False) -> Answers:
        """Train the teachers and count their votes [Q, C]. Not private: never release it."""
        queries = self.choose_queries(private, public, generator)
        generators = [seeded(draw_seed(generator)) for _ in range(self.teachers)]
        votes = torch.zeros(len(queries), private.num_classes)
        part = torch.randint(self.teachers, (private.num_nodes,), generator=generator)
        for number, own_generator in enumerate(tqdm(generators, desc="teachers", disable=not progress, leave=False)):
            own = induced(private, (part == number).nonzero().view(-1))
            if own.num_nodes < FEWEST:
                continue
            nodes = torch.arange(own.num_nodes)
            fitted = self.teacher.fit(own.x, own.edge_index, nodes, own.y, own.num_classes, own_generator)
            winner = fitted.predict_on(public.x, public.edge_index)[queries].argmax(1)
            votes += F.one_hot(winner, private.num_classes)
        return Answers(queries=queries, scores=votes)
