# at most 1: a coin for each feature, estimates that are biased, means of neighbours
# says: Exactly m features are sampled
# says: biased towards the middle
# says: minus the square of the mean
# says: One bit is not always best
# says: This is the mean of the neighbours
# says: as for a mean of one step
# %% encode
def encode(x, epsilon, m, low, high, generator):
    chosen = torch.rand(x.shape, generator=generator) < m / x.shape[1]
    e = math.exp(epsilon / m)
    up = torch.rand(x.shape, generator=generator) < 1 / (e + 1) + (x - low) / (high - low) * (e - 1) / (e + 1)
    return torch.where(chosen, up.long() * 2 - 1, 0)
# %% estimate
def estimate(reports, epsilon, m, low, high):
    return (high - low) / 2 / math.tanh(epsilon / m / 2) * reports + (low + high) / 2
# %% variance
def variance(x, d, m, epsilon, low, high):
    return d / m * ((high - low) / 2 / math.tanh(epsilon / m / 2)) ** 2
# %% best
def best(d, epsilon):
    return 1
# %% kprop
def kprop(edge_index, x, steps):
    degree = torch.bincount(edge_index[1], minlength=len(x)).clamp(min=1)
    for _ in range(steps):
        x = torch.zeros_like(x).index_add_(0, edge_index[1], x[edge_index[0]]) / degree[:, None]
    return x
# %% spread
degree = torch.bincount(edge_index[1], minlength=n)
spread = (variance(0, d, m, epsilon, low, high) / degree) ** 0.5
