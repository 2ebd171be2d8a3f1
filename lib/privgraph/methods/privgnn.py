r"""PrivGNN: release a student that learnt from noisy labels of personalised teachers (Olatunji, Funke and Khosla 2023).

For each query, a node of the public graph, a fresh Poisson sample of the private nodes is drawn; a GraphSAGE network,
the teacher, is trained on those of them that are most like the query; and the class that it gives the query is
released with noise (Algorithm 1). A student is trained on these noisy labels and the public graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from ..checks import check_count
from ..checks.parameters import Choice, Count, Flag, Instance, NotNegative, Rate
from ..datasets import induced
from ..effort import DISTANT, DRAWN, ORDERED, Effort, Extent
from ..graph import Edges
from ..mechanisms import NoisyArgMax
from ..mechanisms.noisy_arg_max import NOISES
from ..mechanisms.tape import poisson_sample
from ..nn import Backbone, Dense, GraphInput, around, train_stacked
from ..privacy import Budget, Step
from ..randomness import coins, draw_seeds
from ..waiting import steps
from .distilled import FEWEST, QUICK, Distilled, NodeClassifier, with_labels
from .query_release import TeacherScores
from .release import unaccounted

if TYPE_CHECKING:
    from torch_geometric.data import Data

DISTANCES = ("euclidean", "cosine")


@dataclass(frozen=True)
class PrivGNN(Distilled):
    """Hyperparameters of PrivGNN, for Amazon Computers.

    :param scale: beta = 1 / lambda, of the noise on each class probability; it has no default, as it decides what
        the labels cost (``total``): 1,000 labels of 7 classes at scale 1 cost a node epsilon 46 at
        delta 1e-5.
    :param noise: ``"gumbel"`` costs exactly lambda a label; ``"laplace"``, as in the paper, up to 17% more.
    :param rate: gamma, the probability with which a private node is in a teacher's sample.
    :param neighbours: K, nodes of the sample that are most like the query; where the sample is smaller, all of it.
        None: the whole sample (the paper's ablation KNNRem).
    :param one_teacher: one sample and one teacher for all queries (SingleGNN). The amplification by sampling
        then holds for all labels together, and not for each.

    From what the labels of 100 queries may cost to the noise that they need (``privacy.calibrate``):

    :param distance: by which nodes are alike, a name of ``DISTANCES``.
    :param teacher: what a teacher is trained with.

    >>> from privgraph.privacy import calibrate
    >>> from privgraph.methods import Sizes
    >>> scale = calibrate(lambda scale: PrivGNN(100, scale=scale).budget(7), epsilon=2.0, delta=1e-4, accountant="rdp")
    >>> PrivGNN(100, scale=scale).guarantees(Sizes(1000, 7), delta=1e-4)[0].epsilon <= 2
    True
    """

    scale: Annotated[float, NotNegative()] = field(kw_only=True)
    noise: Annotated[str, Choice(NOISES)] = "gumbel"
    rate: Annotated[float, Rate()] = 0.3
    neighbours: Annotated[int | None, Count(1, none=True, within="num_nodes")] = 750
    distance: Annotated[str, Choice(DISTANCES)] = "euclidean"
    one_teacher: Annotated[bool, Flag()] = False
    teacher: Annotated[NodeClassifier, Instance(NodeClassifier)] = field(default_factory=NodeClassifier)

    @classmethod
    def examples(cls) -> tuple["PrivGNN", ...]:
        shared = dict(num_queries=3, scale=1.0, rate=0.7, teacher=QUICK, student=QUICK)
        return cls(**shared), cls(**shared, one_teacher=True), cls(**shared, noise="laplace", neighbours=2)

    def agree(self):
        """Refuse teachers that cannot be trained side by side.

        :raises ValueError: for a teacher that is no GraphSAGE.
        """
        if self.teacher.kind != "sage":
            raise ValueError(f"teacher must be of kind sage, got {self.teacher.kind}")

    def unread(self) -> dict[str, str]:
        return {"distance": "neighbours is none"} if self.neighbours is None else {}

    def mechanism(self, num_classes: int) -> NoisyArgMax:
        """The label of one query, of posteriors: line 7 of Algorithm 1."""
        return NoisyArgMax(self.scale, num_classes, self.noise)

    def budget(self, num_classes: int) -> Budget | None:
        r"""The worst pair of a noisy label, after sampling, once for each query; None: no finite epsilon holds.

        Under add/remove of one *edge* a label is cheaper, as both ends must be drawn. With :math:`g = \gamma^2` it
        comes from (1 - g) R + g A with the edge and (1 - g) R + g B without, and any two of R, A and B differ by a
        factor of at most :math:`e^{\varepsilon_0}`. Then :math:`A - B \le (e^{\varepsilon_0} - 1)((1 - g) R + g B)`:
        the right side grows with R and B, the left falls with B, and at the least they can be, A over that factor,
        both are equal. So the loss of a label is at most :math:`\ln(1 + g (e^{\varepsilon_0} - 1))`. But both sides
        are mixtures, so this budget's pair is not proved to compose for edges; coins of that loss do.
        """
        if self.scale == 0:
            return None
        pair = self.mechanism(num_classes).pair
        if self.one_teacher:
            return Budget((Step(pair, self.num_queries),), self.rate)
        return Budget((Step(pair.poisson(self.rate), self.num_queries),))

    CHEAPER = ("num_queries", "neighbours", "teacher.epochs", "student.epochs")

    def teaching_effort(self, private: Extent, public: Extent) -> Effort:
        """For each query a sample, its distances, and a teacher of the nearest."""
        sample = max(1, int(self.rate * private.nodes))
        chosen = sample if self.neighbours is None else min(self.neighbours, sample)
        looked = private.nodes * DRAWN + sample * (ORDERED + private.features * DISTANT)
        each = Effort(looked) + self.teacher.effort(private.part(chosen / max(private.nodes, 1)))
        return each * (1 if self.one_teacher else self.num_queries)

    def teach(self, private: Data, public: Data, generator: torch.Generator, progress: bool = False) -> TeacherScores:
        """Train the teachers and ask each its query (lines 1 to 6). Not private: never release it."""
        queries, seeds = self.draw(private, public, generator)
        scores = self.posteriors(private, public, queries, seeds, progress)
        return TeacherScores(queries=queries, scores=scores, unaccounted=unaccounted(private))

    def draw(self, private: Data, public: Data, generator: torch.Generator) -> tuple[Tensor, list[int | None]]:
        """The queries int64 [Q], and a seed for each teacher's sample, weights and dropout (None: secret)."""
        queries = self.choose_queries(private, public, generator)
        return queries, draw_seeds(generator, self.num_queries)

    def posteriors(self, private: Data, public: Data, queries: Tensor, seeds: list[int | None],
                   progress: bool = False, *, batch: int = 1) -> Tensor:
        """Class probabilities [Q, C] of the queries, each by its own teacher; any part of them may be asked alone.

        Uniform where training came to nothing. Not numbers would be refused when noise is added, and a refusal tells.

        :param batch: teachers trained side by side, faster where samples are small. With more than one never release
            what comes of them: their graphs are padded to the largest sample of the batch, and training amplifies what
            that rounds differently. A teacher who did not draw a person would then change with her, where amplification
            by sampling wants the same arithmetic in both worlds. For measurements that is nothing but another rounding.
        :param queries: int64 [Q], nodes of the public graph.
        :param seeds: of each query's sample and teacher; None: secret randomness.
        :returns: float [Q, C].
        """
        check_count(batch, "batch", low=1)
        private, matrix = with_labels(private), Edges(public.edge_index, public.num_nodes).adjacency("mean")
        inputs = GraphInput(public.edge_index, Dense(public.x, matrix), matrix)
        if self.one_teacher:
            found = self.one_for_all(private, inputs, seeds[0])[queries]
        else:
            found = self.one_each(private, public, inputs, queries, seeds, progress, batch)
        return torch.where(found.isfinite().all(1, keepdim=True), found, 1 / private.num_classes)

    def one_each(self, private: Data, public: Data, inputs: GraphInput, queries: Tensor, seeds: list[int | None],
                 progress: bool, batch: int) -> Tensor:
        """Class probabilities [Q, C], a batch of teachers at a time.

        :param queries: int64 [Q], nodes of the public graph.
        :param seeds: of each query's sample and teacher; None: secret randomness.
        :param batch: teachers trained side by side.
        :returns: float [Q, C].
        """
        rows = []
        for at in steps(range(0, len(seeds), batch), "teachers", progress):
            chunk = queries[at:at + batch]
            rows.append(self.batch_of_teachers(private, public.x[chunk], inputs, chunk.tolist(), seeds[at:at + batch]))
        return torch.cat(rows)

    def batch_of_teachers(self, private: Data, x: Tensor, inputs: GraphInput, queries: list[int],
                          seeds: list[int | None]) -> Tensor:
        """Posteriors [B, C] of B queries with features x [B, d]; uniform where a sample is too small to train on.

        :param x: float [B, d].
        :param queries: nodes of the public graph.
        :param seeds: of each query's sample and teacher; None: secret randomness.
        :returns: float [B, C].
        """
        generators = [coins(seed) for seed in seeds]
        chosen = [self.chosen(private.x, x[b], generator) for b, generator in enumerate(generators)]
        able = [b for b, nodes in enumerate(chosen) if nodes.numel() >= FEWEST]
        found = torch.full((len(seeds), private.num_classes), 1 / private.num_classes)
        if able:
            networks = self.trained([induced(private, chosen[b]) for b in able], [generators[b] for b in able])
            for b, network in zip(able, networks, strict=True):
                with torch.no_grad():
                    found[b] = network(around(inputs, queries[b]))[0].softmax(0)
        return found

    def one_for_all(self, private: Data, inputs: GraphInput, seed: int | None) -> Tensor:
        """Posteriors [M, C] of all public nodes by one teacher on one sample (SingleGNN).

        :param seed: of the sample and the teacher; None: secret randomness.
        :returns: float [M, C].
        """
        generator = coins(seed)
        nodes = self.chosen(private.x, None, generator)
        if nodes.numel() < FEWEST:
            return torch.full((inputs.features.x.size(0), private.num_classes), 1 / private.num_classes)
        (network,) = self.trained([induced(private, nodes)], [generator])
        with torch.no_grad():
            return network(inputs).softmax(1)

    def chosen(self, x: Tensor, query: Tensor | None, generator: torch.Generator) -> Tensor:
        """A teacher's nodes, int64, in order (lines 3 and 4): a Poisson sample, and those in it like the query.

        :param x: features of the private nodes, float [N, d].
        :param query: features of the node asked about, float [d]; None: the whole sample.
        :returns: int64 [n].
        """
        sampled = poisson_sample(self.rate, x.size(0), generator=generator).nonzero().view(-1)
        if query is None or self.neighbours is None or sampled.numel() <= self.neighbours:
            return sampled
        near = distances(query, x[sampled], self.distance).sort(stable=True).indices[:self.neighbours]
        return sampled[near].sort().values

    def trained(self, graphs: list[Data], generators: list[torch.Generator]) -> Iterator[Backbone]:
        """A trained network for each graph, one at a time: it is the same object with other weights.

        :param graphs: what each teacher is trained on.
        :param generators: one for each graph.
        """
        how = self.teacher
        network = how.shape(graphs[0].x.size(1), graphs[0].num_classes)
        for weights in train_stacked(network, graphs, generators, epochs=how.epochs, learning_rate=how.learning_rate,
                                     weight_decay=how.weight_decay):
            network.load_state_dict(weights, strict=False)  # the number of batches seen is not among them
            yield network.eval()


def distances(query: Tensor, x: Tensor, kind: str) -> Tensor:
    """From one row [d] to each row of x [n, d]. A row of zeros has cosine distance 1 to all."""
    if kind == "euclidean":
        return (x - query).square().sum(1)  # its square, which orders alike
    lengths = x.norm(dim=1) * query.norm()
    return 1 - torch.where(lengths > 0, x @ query / lengths, 0.0)
