"""What a linear probe reads of vectors: classes, learned from the labels that it is handed."""

import torch
from torch import Tensor

from ..checks import check_mask


def probed(z: Tensor, y: Tensor, train_mask: Tensor, num_classes: int) -> Tensor:
    """Class probabilities float [N, C] by logistic regression on the vectors of training nodes.

    :param z: float [N, d]
    :param y: int64 [N], read where ``train_mask`` bool [N] is set. A class that none of these has gets 0.
    :raises ValueError: where they are of one class, or not as many as the vectors.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    if len(y) != len(z):
        raise ValueError(f"data must have a node for each of {len(z)} vectors, got {len(y)}")
    known = check_mask(train_mask, "train_mask", len(y)).numpy()
    if len(set(y[train_mask].tolist())) < 2:
        raise ValueError("training nodes must be of two classes at least for a linear probe")
    x = StandardScaler().fit_transform(z.detach().numpy())
    probe = LogisticRegression(max_iter=1000).fit(x[known], y.numpy()[known])
    p = torch.zeros(len(x), num_classes)
    p[:, torch.from_numpy(probe.classes_)] = torch.from_numpy(probe.predict_proba(x)).float()
    return p
