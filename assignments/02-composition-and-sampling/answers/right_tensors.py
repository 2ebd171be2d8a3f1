# full marks: tensors, SciPy's binomial, the best order by its formula
# %% total
def total(releases):
    names = ["all"] + sorted({who for _, who in releases} - {"all"})
    spent = torch.zeros(len(names), dtype=torch.float64)
    for epsilon, who in releases:
        spent[names.index(who)] += epsilon
    return float(spent[0] + torch.cat([torch.zeros(1, dtype=torch.float64), spent[1:]]).max())
# %% renyi
def renyi(p, q, order):
    p, q = (torch.tensor(side, dtype=torch.float64) for side in (p, q))
    seen = p + q > 0
    p, q = p[seen].log(), q[seen].log()
    both = [torch.logsumexp(order * a + (1 - order) * b, 0) / (order - 1) for a, b in ((p, q), (q, p))]
    return math.inf if bool((p - q).isinf().any()) else torch.stack(both).max()
# %% gauss
def gauss(sums, delta):
    sums = torch.tensor(sums, dtype=torch.float64)
    c = (sums[:, 0] / sums[:, 1]).square().sum() / 2
    log = math.log(1 / delta)
    order = 1 + (log / c).sqrt()
    return order * c + log / (order - 1)
# %% sampled
def sampled(scale, rate):
    without = torch.tensor([1.0, 2.0], dtype=torch.float64) / scale
    return torch.log1p(rate * torch.expm1(without))
# %% year
def amplify(epsilon):
    return math.log(1 + rate * (math.exp(epsilon) - 1))

year = dict(fresh=amplify(epsilon_0) * questions, one=amplify(epsilon_0 * questions))
# %% exact
from scipy.stats import binom
import numpy as np

def exact(epsilon_0, count, epsilon):
    hits = np.arange(count + 1)
    keep = 1 / (1 + np.exp(-epsilon_0))
    p, q = binom.pmf(hits, count, keep), binom.pmf(hits, count, 1 - keep)
    return np.maximum(0, p - np.exp(epsilon) * q).sum()
