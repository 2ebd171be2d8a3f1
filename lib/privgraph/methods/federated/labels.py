"""Wrong labels, as in section 4.3.3 of the dissertation: 15% of the training labels are modified at random.

The text does not say whether a public node has the same wrong label at every client. If each client is wrong by itself,
others know better, and their rows tell it; if all make the same mistake, nobody does.
"""

import torch
from torch import Tensor

from ...checks import check_count, check_fraction, check_generator, check_labels


def mislabel(y: Tensor, fraction: float, num_classes: int, generator: torch.Generator) -> Tensor:
    """Labels of which a share is wrong: each of them another class than it was, all others equally likely.

    :param y: int64 [N]; who is not labelled (-1) stays so, and does not count.
    :param fraction: of the labelled whose label is wrong, in [0, 1]; rounded to whole people.

    >>> from privgraph.randomness import seeded
    >>> mislabel(torch.tensor([0, 1, -1, 1, 0]), 0.5, 2, seeded(0)).tolist()
    [1, 0, -1, 1, 0]
    """
    check_fraction(fraction, "fraction", closed=True), check_generator(generator)
    check_labels(y, check_count(num_classes, "num_classes", low=2), missing=True)
    labelled = (y >= 0).nonzero().flatten()
    order = torch.randperm(len(labelled), generator=generator)
    wrong = labelled[order[:round(fraction * len(labelled))]]
    shift = torch.randint(1, num_classes, (len(wrong),), generator=generator)
    return y.index_copy(0, wrong, (y[wrong] + shift) % num_classes)
