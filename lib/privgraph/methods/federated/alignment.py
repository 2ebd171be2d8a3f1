r"""Alignment: vectors that were learnt apart are turned into one space (section 4.2.2, eq. 4.4).

Two clients that train alone find two different spaces: any rotation of all vectors fits the same graph as well. The
orthogonal Procrustes problem asks for the rotation (or reflection) that brings shared rows together best,

.. math:: Q^* = \arg\min_{Q^\top Q = I} \lVert X Q - Y \rVert_F = U V^\top, \quad U \Sigma V^\top = X^\top Y

(Schönemann 1966). Rows are nodes here; the dissertation writes them as columns.
"""

import torch
from torch import Tensor

from ...checks import check_count, check_tensor
from .row_messages import check_rows

BLOCK = 1024  # rows of distances that are held at a time


def procrustes(source: Tensor, target: Tensor) -> Tensor:
    """Q float [d, d], orthogonal, for which ``source @ Q`` is nearest to ``target``; both are float [P, d] (eq. 4.4).

    :raises ValueError: if there are fewer rows than dimensions: many rotations fit then, and which one comes out says
        nothing about other rows.

    >>> turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    >>> x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]])
    >>> torch.allclose(procrustes(x, x @ turn), turn, atol=1e-6)
    True
    """
    check_rows(source, name="source"), check_rows(target, tuple(source.shape), name="target")
    check_enough(source)
    return nearest_orthogonal(source.t() @ target)


def check_enough(rows: Tensor) -> None:
    if rows.size(-2) < rows.size(-1):
        raise ValueError(f"there must be at least as many public rows as dimensions, got {rows.size(-2)} rows of "
                         f"{rows.size(-1)} dimensions")


def nearest_orthogonal(matrix: Tensor) -> Tensor:
    """U V' of the singular value decomposition, of one matrix or of many [..., d, d]."""
    u, _, v = torch.linalg.svd(matrix)
    return u @ v


def check_uploads(uploads: Tensor) -> Tensor:
    if check_tensor(uploads, "uploads").dim() != 3 or not uploads.is_floating_point() or not uploads.numel() or (
            not torch.isfinite(uploads).all()):
        raise ValueError("uploads must be a finite float tensor [k, P, d], "
                         f"got {uploads.dtype} of shape {list(uploads.shape)}")
    check_enough(uploads)
    return uploads


def align_to_each(uploads: Tensor) -> Tensor:
    """For each client the mean of its own rows and of all others' in its space, [k, P, d] (Algorithm 3, lines 11-18).

    Every pair of clients is aligned, which costs k^2 P d^2; ``common_frame`` costs k P d^2.

    :param uploads: float [k, P, d].
    """
    check_uploads(uploads)
    return torch.stack([(uploads @ nearest_orthogonal(uploads.transpose(1, 2) @ own)).mean(0) for own in uploads])


def common_frame(uploads: Tensor, steps: int = 3) -> Tensor:
    """Nearly the same for many clients: all are turned into one frame, averaged there, and the mean is turned back.

    The frame begins as the first client's space, and then is the mean of all in it (Gower 1975).

    :param uploads: float [k, P, d].
    :param steps: how often the frame is made anew.
    """
    frame = check_uploads(uploads)[0]
    for _ in range(check_count(steps, "steps", low=1)):
        turn = nearest_orthogonal(uploads.transpose(1, 2) @ frame)
        frame = torch.einsum("kpd,kde->pe", uploads, turn) / len(uploads)
    return frame @ nearest_orthogonal(uploads.transpose(1, 2) @ frame).transpose(1, 2)


def precision_at(source: Tensor, target: Tensor, k: int) -> float:
    """How often a row of ``source`` has its own row of ``target`` among its k nearest, in [0, 1] (section 4.3.4).

    A row that is as near as the own one counts as nearer, so rows that are all alike have precision 0.

    >>> x = torch.eye(3)
    >>> precision_at(x, x, 1), precision_at(x, torch.ones(3, 3), 1)
    (1.0, 0.0)
    """
    check_rows(source, name="source"), check_rows(target, tuple(source.shape), name="target")
    check_count(k, "k", low=1)
    hits = 0
    for first in range(0, len(source), BLOCK):
        block = source[first:first + BLOCK]
        away = torch.cdist(block, target, compute_mode="donot_use_mm_for_euclid_dist")  # the quick way rounds
        own = away.gather(1, torch.arange(first, first + len(block))[:, None])
        hits += int(((away <= own).sum(1) <= k).sum())
    return hits / len(source)
