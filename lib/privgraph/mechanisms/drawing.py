"""What mechanisms draw: lies, choices, noise and winners, of a seed or of the operating system.

``drawing(generator)`` is a ``Drawing`` for an ordinary ``torch.Generator``: fast, repeatable, and *idealised*, drawn
and added in floats as if these were real numbers. For a ``Secret`` it is a ``SecretDrawing``, with the same questions
and exact answers (``exact_noise``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..checks import check_generator
from ..late import torch
from . import exact_noise

if TYPE_CHECKING:
    from torch import Tensor

LAWS = {"laplace": exact_noise.LAPLACE, "gaussian": exact_noise.NORMAL, "gumbel": exact_noise.GUMBEL}
BEFORE_SECRETS: list[Callable[[], None]] = []  # who counts what is spent is told of secret noise, and may refuse it


def drawing(generator: torch.Generator) -> "Drawing":
    """How noise is drawn with this generator."""
    if not is_secret(check_generator(generator)):
        return Drawing(generator)
    for told in BEFORE_SECRETS:
        told()
    return SecretDrawing(generator)


def is_secret(generator: torch.Generator) -> bool:
    from ..randomness import Secret  # a class of torch's
    return isinstance(generator, Secret)


class Drawing:
    """Noise of an ordinary generator, on the device of the tensors that it is for."""

    def __init__(self, generator: torch.Generator):
        self.generator = generator

    def uniform(self, shape, double: bool = True, device=None) -> Tensor:
        """Numbers between 0 and 1; without ``double`` of torch's usual type, which has 24 binary digits."""
        return torch.rand(shape, generator=self.generator, dtype=torch.double if double else None, device=device)

    def exponential(self, like: Tensor) -> Tensor:
        """Exponential numbers of mean 1, float64, in the shape of ``like``."""
        return torch.empty(like.shape, dtype=torch.float64, device=like.device).exponential_(generator=self.generator)

    def lies(self, keep: float | Tensor, lie: float | Tensor, shape, double: bool = False, device=None) -> Tensor:
        """True with probability ``lie`` = 1 - ``keep``, bool [shape]; one of the two may be too near 1 for a float."""
        return self.uniform(shape, double, device) >= keep

    def happens(self, chance: float | Tensor, shape, double: bool = True, device=None) -> Tensor:
        """True with probability ``chance``, bool [shape]."""
        return self.uniform(shape, double, device) < chance

    def leaning(self, fraction: Tensor, slope: float, lie: float) -> Tensor:
        """True with probability ``lie`` where ``fraction`` is 0, 1 - ``lie`` where it is 1, a straight line between.

        :param slope: 1 - 2 ``lie``; one of the two may be too near its end for a float.
        """
        return self.uniform(fraction.shape, False, fraction.device) < 0.5 + (fraction - 0.5) * slope

    def integers(self, low: int, high: int, shape, device=None) -> Tensor:
        """Whole numbers low..high - 1, int64 [shape]."""
        return torch.randint(low, high, shape, generator=self.generator, device=device)

    def below(self, sizes: Tensor, shape) -> Tensor:
        """Whole numbers 0..size - 1 for sizes that may differ, int64 [shape]."""
        return (self.uniform(shape, device=sizes.device) * sizes).long()

    def subsets(self, rows: int, count: int, size: int, double: bool = False, device=None) -> Tensor:
        """For each row ``size`` different numbers of 0..count - 1, all choices alike: int64 [rows, size]."""
        return self.uniform((rows, count), double, device).topk(size, dim=1).indices

    def geometric(self, epsilon: float, shape) -> Tensor:
        r"""Whole numbers with :math:`\Pr[k] \propto e^{-\varepsilon k}`, int64 [shape]."""
        stop = -math.expm1(-epsilon)
        if stop == 1:  # no noise can be drawn any more
            return torch.zeros(shape, dtype=torch.long)
        return torch.empty(shape, dtype=torch.double).geometric_(stop, generator=self.generator).long() - 1

    def noisy(self, law: str, answer: Tensor, scale: float) -> Tensor:
        """The answer with noise of this law and scale on each number, of its shape and type."""
        return answer + (self.standard(law, answer) * scale).to(answer.dtype)

    def standard(self, law: str, like: Tensor) -> Tensor:
        """Noise of scale 1, float64, in the shape of ``like``."""
        if law == "gaussian":
            return torch.randn(like.shape, generator=self.generator, dtype=torch.float64, device=like.device)
        if law == "gumbel":
            return -self.exponential(like).log()
        return self.exponential(like) - self.exponential(like)

    def noisy_rows(self, answer: Tensor, scale: float) -> Tensor:
        """The answer [n, d] with a vector on each row, in every direction alike and of a Gamma(d) length."""
        direction = torch.empty(answer.shape, dtype=torch.float64, device=answer.device)
        direction = torch.nn.functional.normalize(direction.normal_(generator=self.generator), dim=1)
        length = self.exponential(answer).sum(1, keepdim=True)  # d of them: Gamma of shape d
        return answer + (scale * length * direction).to(answer.dtype)

    def winners(self, law: str, scores: Tensor, scale: float) -> Tensor:
        """The column with the largest noisy score of each row, int64 [n]."""
        return (scores + scale * self.standard(law, scores)).argmax(1)


class SecretDrawing(Drawing):
    """The same of the operating system, drawn exactly on the processor. No two calls can be repeated."""

    def lies(self, keep, lie, shape, double: bool = False, device=None) -> Tensor:
        return self.happens(lie, shape, device=device)

    def happens(self, chance, shape, double: bool = True, device=None) -> Tensor:
        chances = torch.as_tensor(chance, dtype=torch.double).cpu().expand(shape).numpy()
        return torch.from_numpy(exact_noise.happens(chances)).to(device)

    def leaning(self, fraction: Tensor, slope: float, lie: float) -> Tensor:
        """The share decides, and then one may lie: probabilities near 0 keep their digits."""
        truth, lies = (self.happens(chance, fraction.shape, device=fraction.device) for chance in (fraction, lie))
        return truth ^ lies

    def integers(self, low: int, high: int, shape, device=None) -> Tensor:
        return low + self.below(torch.full(tuple(shape), high - low, device=device), shape)

    def below(self, sizes: Tensor, shape) -> Tensor:
        return torch.from_numpy(exact_noise.below(sizes.cpu().expand(shape).numpy())).to(sizes.device)

    def subsets(self, rows: int, count: int, size: int, double: bool = False, device=None) -> Tensor:
        """By the order of keys of 64 bits, two of which are alike once in 10^19."""
        keys = torch.from_numpy(exact_noise.Words(rows * count).first.view("int64").copy()).view(rows, count)
        return keys.topk(size, dim=1).indices.to(device)

    def geometric(self, epsilon: float, shape) -> Tensor:
        hazards = torch.full((math.prod(shape),), epsilon, dtype=torch.double)
        return torch.from_numpy(exact_noise.quotients(hazards.numpy())).view(shape)

    def noisy(self, law: str, answer: Tensor, scale: float) -> Tensor:
        return exact_noise.add_noise(LAWS[law], answer, scale) if scale else answer.clone()

    def noisy_rows(self, answer: Tensor, scale: float) -> Tensor:
        return exact_noise.add_row_noise(answer, scale) if scale else answer.clone()

    def winners(self, law: str, scores: Tensor, scale: float) -> Tensor:
        return exact_noise.winners(LAWS[law], scores, scale) if scale else scores.argmax(1)
