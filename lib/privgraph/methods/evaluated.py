"""What ``Method.evaluate`` returns: accuracies of a method, of its null controls, and of what is had without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch

from ..nn import Interval, interval
from ..privacy import Guarantee
from .conclusions import verdict

if TYPE_CHECKING:
    from torch_geometric.data import Data

FOR_THE_OWNER = ("for the owner of the data only: every accuracy is counted on true test labels, which no epsilon "
                 "accounts for; and who passes on the best of several runs, chosen by it, releases that choice too")
LARGEST = "nothing learnt: the largest class by the true labels of the training nodes"


@dataclass(frozen=True, eq=False)
class Evaluation(Mapping[str, Interval]):
    """Accuracies in percent, by arm: the method first, then what it must beat. It prints as a table and a verdict.

    As a mapping it has the mean and 95% interval of each arm. ``scores``: the accuracies by arm, one a seed; paired, as
    one seed deals the same coins to all arms. ``remarks``: what an arm is. ``first``: what left in the run of seed 0;
    its coins are public, so nothing holds for it. ``guarantees``: what would hold, were they secret; None: not asked.
    ``answers``: how many answers an accuracy counts; None: unknown. ``reads_labels``: whether the method was told those
    of test nodes. ``evaluation | references(data, seeds)`` has the arms of both.

    >>> print(Evaluation({"real features": [80.0, 81.0, 82.0]}).table())
    real features            accuracy 81.0 ± 2.5 % (95% interval, 3 seeds)
    """

    scores: Mapping[str, Sequence[float]]
    remarks: Mapping[str, str] = field(default_factory=dict)
    first: Any = None
    guarantees: tuple[Guarantee, ...] | None = None
    answers: int | None = None
    reads_labels: bool = False

    def __getitem__(self, name: str) -> Interval:
        return interval(self.scores[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __or__(self, other: Evaluation) -> Evaluation:
        return replace(self, scores={**self.scores, **other.scores}, remarks={**other.remarks, **self.remarks})

    def remark(self, name: str) -> str:
        """What an arm is, or the control that it is of, as in "public, own"; empty where its name says it."""
        return self.remarks.get(name.rpartition(", ")[2], "")

    def table(self) -> str:
        """A line for each arm."""
        return "\n".join(row(name, found, self.remark(name)) for name, found in self.items())

    def verdict(self) -> tuple[str, ...]:
        """What follows, in sentences: whether it beats what learns nothing and its null controls, what privacy costs,
        what is protected and how well, and how often such sentences err (``methods.conclusions``).

        :raises ValueError: where arms of different numbers of seeds were put together.
        """
        return verdict(self.scores, self.guarantees, answers=self.answers, reads_labels=self.reads_labels)

    def __str__(self) -> str:
        return "\n".join([self.table(), *self.verdict(), FOR_THE_OWNER])


def row(name: str, found: Interval, remark: str = "") -> str:
    """One arm as a line."""
    return f"{name:24} accuracy {found.said()}{remark and f'  ({remark})'}"


def largest_class(data: Data) -> float:
    """Test accuracy in percent of the class that most training nodes have."""
    largest = torch.bincount(data.y[data.train_mask]).argmax()
    return 100 * float((data.y[data.test_mask] == largest).float().mean())
