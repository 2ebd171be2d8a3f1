# at most 4: sums for means, and noise for one vector
# says: These are the sums of the classes
# says: their sum is compared with it
# says: the mean moves by a K-th of it
# says: made for one vector's step, 2C
# says: Nodes without an edge count
# %% numbers
def numbers(n, edges):
    nodes = {v for edge in edges for v in edge}
    near = {v: {a + b - v for a, b in edges if v in (a, b)} for v in nodes}
    return [len(nodes), len(edges), sum(len(near[u] & near[v]) for u, v in edges) // 3, max(map(len, near.values()))]
# %% classify
def classify(z, y, queries, ways):
    prototypes = torch.zeros(ways, z.shape[1])
    for row, label in zip(z, y):
        prototypes[label] += row
    return torch.cdist(queries, prototypes).argmin(1).tolist()
# %% fits
vectors = [encode(graph) for graph in pool]
fits = [{i for i, v in enumerate(vectors) if torch.allclose(v, published, atol=1e-6)} for published in one_shot]
# %% recover
def recover(prototype, pool, shots):
    return {chosen for chosen in combinations(range(len(pool)), shots)
            if (pool[list(chosen)].sum(0) - prototype).abs().max() < 1e-4}
# %% largest_move
def clip_rows(z, clip):
    return z / (z.norm(dim=1, keepdim=True) / clip).clamp(min=1)

def largest_move(z, others, clip):
    return float(torch.cdist(clip_rows(z, clip), clip_rows(others, clip)).max())
# %% noisy
def noisy(z, clip, epsilon, delta, generator):
    sigma = noise_for(2 * clip, epsilon, delta)
    return clip_rows(z, clip).mean(0) + sigma * torch.randn(z.shape[1], generator=generator)
