r"""What a server could see of clients that lie: four signs, each a score for each client, higher = more suspicious.

The server has uploads and its own answers, and nothing to compare them with. Two uploads are compared by

.. math:: \frac{\lVert X^\top Y \rVert_F^2}{\lVert X^\top X \rVert_F \, \lVert Y^\top Y \rVert_F}

(linear centred kernel alignment without its centring: Kornblith et al. 2019), which is 1 for equal rows and does not
change when either space is turned. Where weights are averaged as they came, a rotation does count: ``aligned=False``
compares by the cosine of all numbers.

A sign is no proof. Honest clients differ, too, the more the fewer people they hold: what a score is worth is said by
the honest clients' scores beside it.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import check_flag
from .uploads import finite
from .worlds import followers, liars, loud_clients, sybils, tried_on


@tried_on(liars)
def unlike_the_others(uploads: Tensor, aligned: bool = True) -> Tensor:
    """Minus the median similarity of a client's upload to those of the others: false rows agree with nobody's.

    :param uploads: of all clients, float [k, P, d] or [k, r, P, d] for r rounds, of which the mean is taken; two
        clients at least.
    :param aligned: whether a rotation of all rows says nothing.
    :returns: float64 [k], higher = more likely a liar.
    """
    return -others(alike(uploads, aligned)).median(1).values


@tried_on(sybils)
def alike_another(uploads: Tensor, aligned: bool = True) -> Tensor:
    """The similarity of a client's upload to the likest of another: sybils send the same.

    :param uploads: of all clients, float [k, P, d] or [k, r, P, d]; two clients at least.
    :param aligned: whether a rotation of all rows says nothing.
    :returns: float64 [k], higher = more likely one of several names.
    """
    return others(alike(uploads, aligned)).amax(1)


@tried_on(followers)
def alike_the_answer(uploads: Tensor, answers: Tensor, aligned: bool = True) -> Tensor:
    """The similarity of a client's upload to what it was answered a round before: who has nothing sends that back.

    :param uploads: of all clients, float [k, r, P, d], of two rounds at least.
    :param answers: what they were answered, float [k, r, P, d]; the last is not looked at.
    :param aligned: whether a rotation of all rows says nothing.
    :returns: float64 [k], the mean over rounds, higher = more likely a follower.
    :raises ValueError: where there is one round only.
    """
    after = finite(uploads, "uploads", None, 4)[:, 1:].double()
    if after.size(1) == 0:
        raise ValueError(f"uploads must be of two rounds at least, got {uploads.size(1)}")
    before = finite(answers, "answers", tuple(uploads.shape))[:, :-1].double()
    return similarity(after, before, check_flag(aligned, "aligned")).mean(1)


@tried_on(loud_clients)
def unusual_length(uploads: Tensor) -> Tensor:
    """How far the length of a client's upload is from the median client's, as the size of its logarithm.

    :param uploads: of all clients, float [k, P, d] or [k, r, P, d].
    :returns: float64 [k], the mean over rounds, higher = more likely to outvote the others.
    """
    lengths = of_clients(uploads).flatten(2).norm(dim=2).clamp_min(1e-12).log()  # [k, r]
    return (lengths - lengths.median(0).values).abs().mean(1)


def alike(uploads: Tensor, aligned: bool) -> Tensor:
    """The mean similarity over rounds of each two clients, float64 [k, k]."""
    rows, aligned = of_clients(uploads), check_flag(aligned, "aligned")
    if len(rows) < 2:
        raise ValueError(f"uploads must be of two clients at least, got {len(rows)}")
    return similarity(rows[:, None], rows[None], aligned).mean(2)


def similarity(x: Tensor, y: Tensor, aligned: bool) -> Tensor:
    """Of uploads that go together, whose last dimensions are [P, d]; 0 where one of them is zero."""
    if not aligned:
        return (F.normalize(x.flatten(-2), dim=-1) * F.normalize(y.flatten(-2), dim=-1)).sum(-1)
    def product(a, b):
        return (a.transpose(-1, -2) @ b).square().sum((-1, -2))
    size = (product(x, x) * product(y, y)).sqrt()
    return torch.where(size > 0, product(x, y) / size, 0.0)


def others(table: Tensor) -> Tensor:
    """A square table [k, k] without its diagonal, [k, k - 1]."""
    k = len(table)
    return table.flatten()[1:].view(k - 1, k + 1)[:, :-1].reshape(k, k - 1)


def of_clients(uploads: Tensor) -> Tensor:
    """Float64 [k, r, P, d]."""
    uploads = uploads[:, None] if isinstance(uploads, Tensor) and uploads.dim() == 3 else uploads
    return finite(uploads, "uploads", None, 4).double()
