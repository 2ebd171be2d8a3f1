# at most 3: features that are rounded, estimates that are cut off, and sums
# says: rounded to one of the bounds
# says: cut off at the bounds
# says: Only the coin is counted
# says: without weights
# says: were added up
# %% encode
def encode(x, epsilon, m, low, high, generator):
    places = torch.rand(x.shape, generator=generator).argsort(1)[:, :m]
    is_high = x.gather(1, places) > (low + high) / 2
    keep = torch.rand(len(x), m, generator=generator) < 1 / (1 + math.exp(-epsilon / m))
    return torch.zeros(x.shape, dtype=torch.int64).scatter_(1, places, (is_high == keep).long() * 2 - 1)
# %% estimate
def estimate(reports, epsilon, m, low, high):
    a = reports.shape[1] * (high - low) / (2 * m * math.tanh(epsilon / m / 2))
    return (a * reports + (low + high) / 2).clamp(low, high)
# %% variance
def variance(x, d, m, epsilon, low, high):
    return ((high - low) / 2 / math.tanh(epsilon / m / 2)) ** 2 - (x - (low + high) / 2) ** 2
# %% best
def best(d, epsilon):
    def noise(m):
        return (d / m / math.tanh(epsilon / m / 2)) ** 2 * m / d
    return min(range(1, d + 1), key=noise)
# %% kprop
def kprop(edge_index, x, steps):
    for _ in range(steps):
        x = torch.zeros_like(x).index_add_(0, edge_index[1], x[edge_index[0]])
    return x
# %% spread
A = torch.zeros(n, n, dtype=torch.float64)
A[edge_index[0], edge_index[1]] = 1
root = A.sum(1).rsqrt()
weights = torch.linalg.matrix_power(root[:, None] * A * root, steps)
one = (d * (high - low) / (2 * m * math.tanh(epsilon / m / 2))) ** 2 * m / d
spread = math.sqrt(one) * weights.sum(1)
