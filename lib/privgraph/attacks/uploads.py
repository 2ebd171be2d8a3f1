"""What a client's uploads of public rows give away, to a server that follows the protocol and looks on.

The server of a federation gets vectors of public nodes only (chapter 11). It knows who is in which row, all rounds and
its own answers; it has no graph. Each attack here reads rows, and nothing else. ``upload_questions`` says what is
asked, and against which pairs: what another client's links would suggest as well is no leak of this one's.

Rows of one round are float [P, d], of several rounds [r, P, d].
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import check_count, check_labels, check_nodes, check_pairs, check_tensor
from .node_pairs import in_blocks
from .worlds import another_client, attributes, edges_and_none, fellow_client, rows, tried_on

NEAREST = 10  # public nodes whose labels are asked


@tried_on(rows("uploads"))
def upload_similarity(uploads: Tensor, pairs: Tensor) -> Tensor:
    """Who is on the same walks lies in the same direction: the mean cosine of both rows over the rounds.

    A rotation of a round's rows changes nothing. So neither what space a client is in nor any alignment matters.

    :param uploads: of one client, float [P, d] or [r, P, d].
    :param pairs: int64 [2, n] of public rows.
    :returns: float64 [n].

    >>> upload_similarity(torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), torch.tensor([[0, 0], [1, 2]])).tolist()
    [0.0, 1.0]
    """
    seen = F.normalize(rounds(uploads), dim=2)
    check_pairs(pairs, seen.size(1))
    return in_blocks(lambda part: (seen[:, part[0]] * seen[:, part[1]]).sum(2).mean(0), pairs)


@tried_on(another_client)
def alike_here(uploads: Tensor, others: Tensor, pairs: Tensor) -> Tensor:
    """How much more alike two rows are at this client than at the others: what all know cancels.

    :param uploads: of one client, float [P, d] or [r, P, d].
    :param others: of all other clients, the same rounds: float [k, P, d] or [k, r, P, d].
    :param pairs: int64 [2, n] of public rows.
    :returns: float64 [n], higher = the reason lies with this client.
    :raises ValueError: where ``others`` have another shape than ``uploads``.
    """
    here = upload_similarity(uploads, pairs)
    if check_tensor(others, "others").shape[1:] != uploads.shape or len(others) == 0:
        raise ValueError(f"others must be uploads [k, *] of the shape of this client's, {list(uploads.shape)}, "
                         f"got {list(others.shape)}")
    return here - torch.stack([upload_similarity(finite(each, "others"), pairs) for each in others]).mean(0)


@tried_on(edges_and_none)
def edgeless(uploads: Tensor, answers: Tensor | None = None) -> Tensor:
    """Who has no edge at this client is on no walk, and its row stays where it is: minus how far each row has moved.

    Before the first upload it began near zero, so there the length of the row tells. Later it began at the server's
    answer, which the server knows: a row that comes back as it was sent has no edge. (Where a client balances its
    tables after training, one linear map moves such rows too, but little.)

    :param uploads: of one client, float [P, d] or [r, P, d].
    :param answers: what it was sent between these rounds, float [r - 1, P, d].
    :returns: float64 [P], higher = more likely without an edge; minus the mean over the rounds.
    :raises ValueError: for several rounds of uploads without answers.

    >>> edgeless(torch.tensor([[3.0, 4.0], [0.0, 0.1]])).argmax().item()
    1
    """
    seen = rounds(uploads)
    started = torch.zeros_like(seen)
    if answers is not None:
        started[1:] = finite(answers, "answers", (len(seen) - 1, *seen.shape[1:])).double()
    elif len(seen) > 1:
        raise ValueError(f"answers must be given where there are several rounds of uploads, got {len(seen)} rounds")
    return -(seen - started).norm(dim=2).mean(0)


@tried_on(attributes)
def neighbours_class(uploads: Tensor, y: Tensor, nodes: Tensor, classes: Tensor) -> Tensor:
    """Of which class the private neighbours of a public node are: the labels of the public rows nearest to its own.

    Its own label is not among them. It suggests the answer to everybody who knows that friends are alike, and does so
    without any upload. So judge by those nodes whose private neighbours are of another class (``upload_questions``).

    :param uploads: of one client, float [P, d] or [r, P, d].
    :param y: int64 [P], the labels of public nodes, which are known.
    :param nodes: int64 [n] public rows.
    :param classes: int64 [n], asked for each of these.
    :returns: float64 [n] in [0, 1], the share of the ``NEAREST`` rows, by cosine and over the rounds, in this class.
    :raises ValueError: for too few labels, classes or rows.
    """
    seen = F.normalize(rounds(uploads), dim=2)
    check_labels(y, None), check_labels(classes, None), check_nodes(nodes, seen.size(1))
    if len(y) != seen.size(1) or len(classes) != len(nodes):
        raise ValueError(f"y must have a label for each of {seen.size(1)} rows and classes one for each of "
                         f"{len(nodes)} nodes, got {len(y)} and {len(classes)}")
    if seen.size(1) <= NEAREST:
        raise ValueError(f"uploads must have more than {NEAREST} rows, of which the nearest are asked, "
                         f"got {seen.size(1)}")
    asked, place = nodes.unique(return_inverse=True)
    near = torch.einsum("rnd,rpd->np", seen[:, asked], seen)  # [n, P]
    near[torch.arange(len(asked)), asked] = -torch.inf
    labels = y[near.topk(NEAREST, dim=1).indices]
    return (labels[place] == classes[:, None]).double().mean(1)


@dataclass(frozen=True, eq=False)
class Others:
    """What a client gets of its fellows: ``total`` float [P, d], the sum of their rows, turned into its own space."""

    total: Tensor


def recover_others(answer: Tensor, own: Tensor, clients: int) -> Others:
    r"""The exact sum of the others' aligned rows, from one's own upload and the answer: nothing need be guessed.

    .. math:: X'_i = \frac1k \Big(X_i + \sum_{j \ne i} X_j Q_{ji}\Big) \quad\Rightarrow\quad
              \sum_{j \ne i} X_j Q_{ji} = k X'_i - X_i

    (Algorithm 3, lines 15-17.) With two clients that is the other's upload up to a rotation, and all its inner
    products and lengths, :math:`X_j X_j^\top`, are exactly those of the other.

    :param answer: float [P, d], what the server sent.
    :param own: float [P, d], what this client had uploaded.
    :param clients: k, how many were averaged, at least two.
    """
    check_count(clients, "clients", low=2)
    return Others(clients * finite(answer, "answer").double() - finite(own, "own", tuple(answer.shape)).double())


@tried_on(fellow_client)
def recovered_similarity(answer: Tensor, own: Tensor, pairs: Tensor, clients: int = 2) -> Tensor:
    """The server's first attack, by a fellow client: the cosine of both rows in what it recovers, float64 [n].

    :param answer: float [P, d], what the server sent.
    :param own: float [P, d], what this client had uploaded.
    :param pairs: int64 [2, n] of public rows.
    :param clients: how many were averaged.
    """
    return upload_similarity(recover_others(answer, own, clients).total, pairs)


def rounds(uploads: Tensor) -> Tensor:
    """Uploads of one round or of several, float64 [r, P, d]."""
    if check_tensor(uploads, "uploads").dim() == 2:
        uploads = uploads[None]
    return finite(uploads, "uploads", None, 3).double()


def finite(values: Tensor, name: str, shape: tuple[int, ...] | None = None, dim: int | None = None) -> Tensor:
    """A finite float tensor, not empty."""
    if check_tensor(values, name).numel() == 0 or not values.is_floating_point() or (
            values.dim() != (dim or values.dim()) or values.shape != (shape or values.shape)):
        raise ValueError(f"{name} must be a float tensor of shape {list(shape) if shape else '[P, d] or [r, P, d]'}, "
                         f"got {values.dtype} of shape {list(values.shape)}")
    if (odd := int((~values.isfinite()).sum())) > 0:
        raise ValueError(f"{name} must be finite, got {odd} NaN or infinite values")
    return values.detach()
