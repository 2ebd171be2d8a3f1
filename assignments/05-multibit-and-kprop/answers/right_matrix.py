# full marks: matrices, and the covariance of all people
# %% encode
def encode(x, epsilon, m, low, high, generator):
    chosen = torch.multinomial(torch.ones(x.shape), m, generator=generator)
    mask = torch.zeros(x.shape, dtype=torch.int64)
    mask[torch.arange(len(x))[:, None], chosen] = 1
    budget = epsilon / m
    up = 1 / (1 + math.exp(budget)) + (x - low) / (high - low) * math.tanh(budget / 2)
    return mask * torch.where(torch.rand(x.shape, generator=generator) < up, 1, -1)
# %% estimate
def estimate(reports, epsilon, m, low, high):
    up, down = 1 / (1 + math.exp(-epsilon / m)), 1 / (1 + math.exp(epsilon / m))
    # for a feature `high` the mean report is (up - down) m / d, for `low` minus that
    mean_high = (up - down) * m / reports.shape[1]
    return (low + high) / 2 + (high - low) / 2 * reports.double() / mean_high
# %% variance
def variance(x, d, m, epsilon, low, high):
    half = (high - low) / 2
    scale = half * d / m / math.tanh(epsilon / (2 * m))
    seen = m / d
    mean = (x - low - half) / scale
    return scale**2 * (seen - mean**2)
# %% best
def best(d, epsilon):
    m = torch.arange(1, d + 1, dtype=torch.float64)
    return int((1 / m / torch.tanh(epsilon / m / 2) ** 2).argmin()) + 1
# %% kprop
def matrix(edge_index, size):
    A = torch.zeros(size, size, dtype=torch.float64)
    A[edge_index[1], edge_index[0]] = 1
    root = A.sum(1).pow(-0.5)
    root[root.isinf()] = 0
    return root[:, None] * A * root

def kprop(edge_index, x, steps):
    return (torch.linalg.matrix_power(matrix(edge_index, len(x)), steps) @ x.double()).to(x.dtype)
# %% spread
covariance = variance((low + high) / 2, d, m, epsilon, low, high) * torch.eye(n, dtype=torch.float64)
S = matrix(edge_index, n)
for _ in range(steps):
    covariance = S @ covariance @ S.T
spread = covariance.diagonal().sqrt()
