"""Noise on whole uploads: a guarantee for all that a client holds alone, over all rounds."""

import math
from dataclasses import dataclass, replace
from typing import Annotated

import torch
from torch import Tensor

from ...checks import check_count, check_positive
from ...checks.parameters import Delta, Epsilon, Parameters, Positive
from ...mechanisms import Gaussian
from ...mechanisms.text import fields_of, made, said_in
from ...privacy import Guarantee
from .row_messages import check_rows


@dataclass(frozen=True)
class UploadNoise(Parameters):
    r"""Shorten an upload [P, d], all rows as one vector, to the norm C, and add Gaussian noise to every number.

    .. math:: u \mapsto u \min\Big(1, \frac{C}{\lVert u \rVert_F}\Big) + N(0, \sigma^2)^{P \times d}

    **Unit.** The private part of a client: its private nodes and all edges that have one of them as an end, replaced by
    any others. A private edge is in it, and what holds for the whole holds for the edge.

    Proof. Whatever a client holds, its shortened upload lies in a ball of radius C. So two of them are at most
    :math:`\Delta = 2 C` apart, and that one edge moves many rows does not matter. Gaussian noise of one upload is
    :math:`\Delta / \sigma`-GDP; R of them, each chosen with the answers to those before in sight, are
    :math:`\sqrt R \Delta / \sigma`-GDP (Dong, Roth and Su 2022, Corollary 3.3). That is what one Gaussian mechanism
    of sensitivity :math:`2 C \sqrt R` costs, and its sigma is the smallest (Balle and Wang 2018). Answers, and what the
    other clients upload after them, are made of what has been sent: post-processing. No other client holds this part.

    **Condition.** At most R uploads are made of one private part, those of a client that was started anew included. The
    number of public nodes, and the edges among them, are known.

    :param epsilon: of all rounds together; ``inf`` only shortens.
    :param delta: of all rounds together.
    :param clip: C; fixed without a look at the data.

    >>> round(UploadNoise(1.0, 1e-5, clip=0.5).mechanism(rounds=4).sigma, 3)  # twice that of one round
    7.461
    """

    epsilon: Annotated[float, Epsilon()]
    delta: Annotated[float, Delta()] = 1e-5
    clip: Annotated[float, Positive()] = 1.0

    def mechanism(self, rounds: int) -> Gaussian:
        """What is added in each of so many rounds; its guarantee is for all of them."""
        reach = 2 * self.clip * math.sqrt(check_count(rounds, "rounds", low=1))
        return Gaussian(self.epsilon, self.delta, reach, "private part", "replace", "central")

    def guarantees(self, rounds: int) -> tuple[Guarantee, ...]:
        """For all that a client holds alone, and so for each edge in it."""
        whole = self.mechanism(rounds).guarantee
        return whole, replace(whole, unit="private edge", relation="add/remove")

    def __call__(self, rows: Tensor, rounds: int, generator: torch.Generator) -> Tensor:
        """One upload of ``rounds``."""
        return self.mechanism(rounds)(shortened(rows, self.clip), generator=generator).float()


def shortened(rows: Tensor, norm: float) -> Tensor:
    """The rows as one vector, no longer than ``norm``: float64 [P, d]. NaN counts as 0: a refusal would tell of it.

    >>> shortened(torch.tensor([[3.0, 0.0], [0.0, 4.0]]), 2.5).tolist()
    [[1.5, 0.0], [0.0, 2.0]]
    """
    finite = check_rows(rows.double().nan_to_num(0.0, 0.0, 0.0))
    return finite * (check_positive(norm, "norm") / max(float(finite.norm()), norm))


def upload_noise(text: str) -> UploadNoise:
    """
    >>> upload_noise("epsilon=4,clip=0.5").clip
    0.5
    """
    form = f"key=value,... with {', '.join(fields_of(UploadNoise))}"
    return made(UploadNoise, said_in(text, text, "upload noise", form), "upload noise")
