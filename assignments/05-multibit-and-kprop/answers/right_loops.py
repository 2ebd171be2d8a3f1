# full marks: one person after the other
# %% encode
def encode(x, epsilon, m, low, high, generator):
    e = math.exp(epsilon / m)
    told = []
    for row in x.tolist():
        places = torch.randperm(len(row), generator=generator)[:m].tolist()
        coins = torch.rand(m, generator=generator).tolist()
        report = [0] * len(row)
        for place, coin in zip(places, coins):
            share = (row[place] - low) / (high - low)
            report[place] = 1 if coin < 1 / (e + 1) + share * (e - 1) / (e + 1) else -1
        told.append(report)
    return torch.tensor(told)
# %% estimate
def estimate(reports, epsilon, m, low, high):
    e = math.exp(epsilon / m)
    found = []
    for row in reports.tolist():
        stretch = len(row) / m * (e + 1) / (e - 1)
        found.append([(low + high) / 2 + stretch * told * (high - low) / 2 for told in row])
    return torch.tensor(found)
# %% variance
def variance(x, d, m, epsilon, low, high):
    e = math.exp(epsilon / m)
    share = (x - low) / (high - low)
    up = m / d * (1 / (e + 1) + share * (e - 1) / (e + 1))
    down = m / d - up
    chances = {1: up, -1: down, 0: 1 - m / d}
    a = d / m * (e + 1) / (e - 1) * (high - low) / 2
    mean = sum(p * a * told for told, p in chances.items())
    return sum(p * (a * told - mean) ** 2 for told, p in chances.items())
# %% best
def best(d, epsilon):
    found, least = 1, math.inf
    for m in range(1, d + 1):
        noise = variance(0.0, d, m, epsilon, -1.0, 1.0)
        if noise < least:
            found, least = m, noise
    return found
# %% kprop
def kprop(edge_index, x, steps):
    edges = edge_index.t().tolist()
    degree = [sum(v == w for _, w in edges) for v in range(len(x))]
    for _ in range(steps):
        after = torch.zeros_like(x)
        for u, v in edges:
            after[v] += x[u] / math.sqrt(degree[u] * degree[v])
        x = after
    return x
# %% spread
one = variance((low + high) / 2, d, m, epsilon, low, high)
spread = []
for v in range(n):
    me = torch.zeros(n, 1, dtype=torch.float64)
    me[v] = 1
    weights = kprop(edge_index, me, steps).flatten().tolist()    # the matrix is symmetric
    spread.append(math.sqrt(sum(w * w * one for w in weights)))
