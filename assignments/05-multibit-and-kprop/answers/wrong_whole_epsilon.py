# at most 8: every bit has the whole budget, as in chapter 6's broken twin
# says: Each bit gets the whole epsilon
# says: Each bit has epsilon / m only
# says: as if the budget of a bit did not shrink
# says: Square the weights of all steps together
# %% encode
def encode(x, epsilon, m, low, high, generator):
    places = torch.rand(x.shape, generator=generator).argsort(1)[:, :m]
    share = (x.gather(1, places) - low) / (high - low)
    e = math.exp(epsilon)
    up = torch.rand(len(x), m, generator=generator) < 1 / (e + 1) + share * (e - 1) / (e + 1)
    return torch.zeros(x.shape, dtype=torch.int64).scatter_(1, places, up.long() * 2 - 1)
# %% estimate
def estimate(reports, epsilon, m, low, high):
    e = math.exp(epsilon)
    return reports.shape[1] / (2 * m) * (e + 1) / (e - 1) * (high - low) * reports + (low + high) / 2
# %% variance
def variance(x, d, m, epsilon, low, high):
    e = math.exp(epsilon)
    a = d / (2 * m) * (e + 1) / (e - 1) * (high - low)
    return a**2 * m / d - (x - (low + high) / 2) ** 2
# %% best
def best(d, epsilon):
    return min(range(1, d + 1), key=lambda m: variance(0.5, d, m, epsilon, 0, 1))
# %% kprop
def kprop(edge_index, x, steps):
    sender, receiver = edge_index
    degree = torch.bincount(receiver, minlength=len(x)).to(x.dtype)
    for _ in range(steps):
        weighted = x[sender] / (degree[sender] * degree[receiver]).sqrt()[:, None]
        x = torch.zeros_like(x).index_add_(0, receiver, weighted)
    return x
# %% spread
e = math.exp(epsilon / m)
one = (d / (2 * m) * (e + 1) / (e - 1) * (high - low)) ** 2 * m / d
squares = torch.zeros(n, n, dtype=torch.float64)
degree = torch.bincount(edge_index[0], minlength=n).double()
squares[edge_index[0], edge_index[1]] = 1 / (degree[edge_index[0]] * degree[edge_index[1]])
noise = torch.full((n,), one, dtype=torch.float64)
for _ in range(steps):
    noise = squares @ noise
spread = noise.sqrt()
