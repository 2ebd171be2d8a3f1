# at most 3: features between 0 and 1, places drawn twice, self loops, and the rule of thumb
# says: Draw m *different* places
# says: That is right for features between 0 and 1 only
# says: This is the formula for features between 0 and 1
# says: LPGNN's rule
# says: KProp has no self loops
# says: These are variances
# %% encode
def encode(x, epsilon, m, low, high, generator):
    places = torch.randint(x.shape[1], (len(x), m), generator=generator)
    share = (x.gather(1, places) - low) / (high - low)
    e = math.exp(epsilon / m)
    up = torch.rand(len(x), m, generator=generator) < 1 / (e + 1) + share * (e - 1) / (e + 1)
    return torch.zeros(x.shape, dtype=torch.int64).scatter_(1, places, up.long() * 2 - 1)
# %% estimate
def estimate(reports, epsilon, m, low, high):
    return reports.shape[1] * (high - low) / (2 * m * math.tanh(epsilon / m / 2)) * reports + 0.5
# %% variance
def variance(x, d, m, epsilon, low, high):
    a = d / (2 * m * math.tanh(epsilon / m / 2))
    return a**2 * m / d - (x - 0.5) ** 2
# %% best
def best(d, epsilon):
    return max(1, min(d, math.floor(epsilon / 2.18)))
# %% kprop
def kprop(edge_index, x, steps):
    A = torch.eye(len(x), dtype=x.dtype)
    A[edge_index[0], edge_index[1]] = 1
    root = A.sum(1).rsqrt()
    for _ in range(steps):
        x = (root[:, None] * A * root) @ x
    return x
# %% spread
A = torch.zeros(n, n, dtype=torch.float64)
A[edge_index[0], edge_index[1]] = 1
root = A.sum(1).rsqrt()
weights = torch.linalg.matrix_power(root[:, None] * A * root, steps)
spread = (high - low) ** 2 * variance(0.5, d, m, epsilon, 0, 1) * weights.square().sum(1)
