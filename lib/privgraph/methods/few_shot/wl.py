"""The Weisfeiler-Lehman subtree kernel with a support vector machine, on the support of a task alone.

Shervashidze et al. (2011). Each round names a node by its own name and the names of its neighbours; two graphs are as
alike as their counts of names are. Nothing is learnt from other tasks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import torch
from sklearn.svm import SVC
from torch import Tensor

from ...checks import check_count, check_function, check_generator, check_is
from ...checks.parameters import Count, Positive
from ...datasets.episodes import Task
from ...graph_batch import GraphBatch
from ...randomness import seeded
from .kind import FewShot


def wl_names(graphs: GraphBatch, rounds: int) -> list[Tensor]:
    """What each node is called before the first round and after each, int64 [N]; at first all are called the same.

    Equal names are equal trees: the multiset of the neighbours' names is compared by a sum of random 62-bit numbers,
    one for each name, which two different ones share with a chance below 2^-60.
    """
    check_is(graphs, "graphs", GraphBatch)
    source, target = graphs.edge_index
    generator, names = seeded(0), [torch.zeros(len(graphs.x), dtype=torch.long)]
    for _ in range(check_count(rounds, "rounds")):
        codes = torch.randint(2**62, (int(names[-1].max()) + 1,), generator=generator)
        around = torch.zeros_like(names[-1]).index_add(0, target, codes[names[-1]][source])  # overflow wraps: a sum
        names.append(torch.stack([names[-1], around], 1).unique(dim=0, return_inverse=True)[1])
    return names


def wl_kernel(graphs: GraphBatch, rounds: int) -> Tensor:
    """How alike the counts of names are, from 0 to 1: float [G, G]."""
    tables = []
    for names in wl_names(graphs, rounds):
        kinds = int(names.max()) + 1
        bins = graphs.batch * kinds + names
        tables.append(torch.bincount(bins, minlength=len(graphs) * kinds).view(len(graphs), kinds).double())
    counts = torch.cat(tables, 1)
    counts = counts / counts.norm(dim=1, keepdim=True)
    return counts @ counts.t()


@dataclass(frozen=True)
class WLKernel(FewShot):
    """A support vector machine on the support of each task, with the Weisfeiler-Lehman kernel. **No guarantee.**

    It reads edges only, no features. Probabilities are a softmax of its decisions, which keeps their order.

    :param rounds: in which nodes are named anew.
    :param cost: C of the machine.
    """

    rounds: Annotated[int, Count()] = 3
    cost: Annotated[float, Positive()] = 1.0

    CHEAPER = ("rounds",)

    @property
    def solving_seconds(self) -> float:
        """Names of each round, and a support vector machine."""
        return 0.005 * (1 + self.rounds)

    def learn(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> Callable[[Task], Tensor]:
        """Draws no task: there is nothing to learn from others."""
        check_function(sample, "sample", "generator"), check_generator(generator)
        return self.solve

    def kept(self, solver: Callable) -> dict[str, Tensor]:
        return {}

    def solver(self, kept: dict[str, Tensor], path) -> Callable[[Task], Tensor]:
        if kept:
            raise ValueError(f"{path} must hold nothing beside the method, got {', '.join(map(str, kept))}")
        return self.solve

    def solve(self, task: Task) -> Tensor:
        """Class probabilities [Q, ways].

        :returns: float32 [Q, ways].
        """
        both = GraphBatch.join([GraphBatch.from_data_list(graphs) for graphs in (task.support, task.query)])
        kernel = wl_kernel(both, self.rounds).numpy()
        known = len(task.support)
        machine = SVC(C=self.cost, kernel="precomputed", decision_function_shape="ovr")
        machine.fit(kernel[:known, :known], task.support_y.numpy())
        found = torch.from_numpy(machine.decision_function(kernel[known:, :known])).float()
        if task.ways == 2:
            found = torch.stack([-found, found], 1)
        return found.softmax(1)
