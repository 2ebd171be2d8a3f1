"""The server: it reads rows of public nodes, aligns and averages them, and answers each client in its own space.

What it answers may be something else instead. These are controls: if clients gain as much from noise as from each
other, they gained from a longer training and not from each other.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from ...checks import check_choice, check_generator
from ..federation import Round, Server
from .alignment import align_to_each, check_enough, common_frame, nearest_orthogonal
from .row_messages import combined

MANY = 20  # clients from which on one frame serves for all: to align each pair costs their square


def aligned(uploads: Tensor, generator: torch.Generator) -> Tensor:
    """Eq. 4.4 and Algorithm 3: for each client the mean of all rows, turned into its space."""
    return (align_to_each if len(uploads) < MANY else common_frame)(uploads)


def mean(uploads: Tensor, generator: torch.Generator) -> Tensor:
    """The mean of all rows as they came, without alignment."""
    return uploads.mean(0).expand_as(uploads)


def permuted(uploads: Tensor, generator: torch.Generator) -> Tensor:
    """The aligned means, each row for another node: what is right about all rows together, and about none alone."""
    return aligned(uploads, generator)[:, torch.randperm(uploads.size(1), generator=generator)]


def rotated(uploads: Tensor, generator: torch.Generator) -> Tensor:
    """Each client's own rows, in a space that is turned at random."""
    turn = torch.randn(len(uploads), *uploads.shape[-1:] * 2, generator=generator, dtype=uploads.dtype)
    return uploads @ nearest_orthogonal(turn)


def noise(uploads: Tensor, generator: torch.Generator) -> Tensor:
    """Directions drawn at random, of the length of each client's own rows."""
    drawn = torch.randn(uploads.shape, generator=generator, dtype=uploads.dtype)
    return drawn * (uploads.norm(dim=2, keepdim=True) / drawn.norm(dim=2, keepdim=True))


def halved(uploads: Tensor, generator: torch.Generator) -> Tensor:
    """Each client's own rows, half as long: means of many are shorter, too."""
    return uploads / 2


def own(uploads: Tensor, generator: torch.Generator) -> Tensor:
    """Each client's own rows: nothing of the others, but as long a training."""
    return uploads


ANSWERS: dict[str, Callable[[Tensor, torch.Generator], Tensor]] = {
    made.__name__: made for made in (aligned, mean, permuted, rotated, noise, halved, own)}


class Averaging(Server):
    """Reads each client's rows float [P, d], answers rows of the same shape.

    Who sends what holds no finite rows, or rows of a shape that nobody else has, is left out of this round.

    :param answer: one of ``ANSWERS``.
    :param generator: for the controls that draw.
    """

    def __init__(self, answer: str, generator: torch.Generator):
        self.answer = check_choice(answer, "answer", ANSWERS)
        self.generator = check_generator(generator)

    def combine(self, messages: Mapping[int, bytes]) -> Round:
        return combined(messages, self.answers)

    def answers(self, uploads: Tensor) -> Tensor:
        check_enough(uploads)
        return ANSWERS[self.answer](uploads, self.generator)
