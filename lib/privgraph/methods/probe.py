"""What a linear probe reads of vectors: classes, learned from the labels that it is handed."""

import torch
from torch import Tensor


def probed(z: Tensor, y: Tensor, train_mask: Tensor, num_classes: int) -> Tensor:
    """Class probabilities float [N, C] by logistic regression on the vectors of training nodes.

    :param z: float [N, d]
    :param y: int64 [N], read where ``train_mask`` bool [N] is set. A class that none of these has gets 0.
    :raises ValueError: where they are of one class.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    known = train_mask.numpy()
    if len(set(y[train_mask].tolist())) < 2:
        raise ValueError("training nodes must be of two classes at least for a linear probe")
    x = StandardScaler().fit_transform(z.detach().numpy())
    probe = LogisticRegression(max_iter=1000).fit(x[known], y.numpy()[known])
    p = torch.zeros(len(x), num_classes)
    p[:, torch.from_numpy(probe.classes_)] = torch.from_numpy(probe.predict_proba(x)).float()
    return p
