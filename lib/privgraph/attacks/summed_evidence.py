"""Several attackers who tell each other what they found: the sum of their evidence.

Similar answers, similar features and influence are reasons for an edge that need not agree. Whoever has several scores
of a pair adds them up, once each is on one scale. No answer is needed for that, as nearly all pairs at random are no
edges: how far a score lies above theirs is how surprising it would be without an edge.
"""

from torch import Tensor

from .uploads import finite
from .worlds import several_scores, tried_on


@tried_on(several_scores)
def sum_of_evidence(scores: Tensor, usual: Tensor) -> Tensor:
    r"""The sum of several attackers' scores, each in deviations from its mean over pairs at random.

    .. math:: s(u, v) = \sum_i \frac{s_i(u, v) - \mu_i}{\sigma_i}

    Were the scores independent and normal, with one deviation for edges and others and the same distance of their means
    in deviations, this would be the logarithm of the odds, up to a constant and a factor. A score that finds nothing
    adds noise, so more is not always better.

    :param scores: float [k, n], of k attackers for n pairs.
    :param usual: float [k, m], their scores for pairs at random, at least two; one that is always the same counts for
        nothing where ``scores`` are that, too.
    :returns: float64 [n].
    :raises ValueError: where both are not of equally many attackers, or there are too few pairs at random.

    >>> import torch
    >>> sum_of_evidence(torch.tensor([[3.0, 1.0], [10.0, 30.0]]), torch.tensor([[0.0, 2.0], [0.0, 20.0]])).tolist()
    [1.414213562373095, 1.414213562373095]
    """
    scores, usual = finite(scores, "scores", None, 2).double(), finite(usual, "usual", None, 2).double()
    if len(scores) != len(usual) or usual.size(1) < 2:
        raise ValueError(f"usual must hold at least two scores of each of {len(scores)} attackers, "
                         f"got shape {list(usual.shape)}")
    return ((scores - usual.mean(1, keepdim=True)) / usual.std(1, keepdim=True).clamp_min(1e-12)).sum(0)
