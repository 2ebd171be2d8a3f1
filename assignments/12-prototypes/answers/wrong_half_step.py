# at most 6: the step is C/K, a row is taken away, and edges count at both ends
# says: made for a step of C/K
# says: A row is taken away here
# says: Each edge counts once
# says: *all* that fit
# %% numbers
def numbers(n, edges):
    both = [*edges, *([v, u] for u, v in edges)]
    near = [{v for u, v in both if u == w} for w in range(n)]
    triangles = sum(len(near[u] & near[v]) for u, v in edges) // 3
    return [n, len(both), triangles, max(map(len, near))]
# %% classify
def classify(z, y, queries, ways):
    means = torch.stack([z[y == c].mean(0) for c in range(ways)])
    return [int((means - query).norm(dim=1).argmin()) for query in queries]
# %% fits
table = torch.stack([encode(graph) for graph in pool])
fits = [{next(i for i, row in enumerate(table) if (row - vector).abs().max() < 1e-6)} for vector in one_shot]
# %% recover
def recover(prototype, pool, shots):
    return {chosen for chosen in combinations(range(len(pool)), shots)
            if (pool[list(chosen)].mean(0) - prototype).abs().max() < 1e-4}
# %% largest_move
def clip_rows(z, clip):
    return z * (clip / z.norm(dim=1, keepdim=True)).clamp(max=1)

def largest_move(z, others, clip):
    rows = clip_rows(z, clip)
    mean = rows.mean(0)
    return max(float((rows[torch.arange(len(rows)) != i].mean(0) - mean).norm()) for i in range(len(rows)))
# %% noisy
def noisy(z, clip, epsilon, delta, generator):
    sigma = noise_for(clip / len(z), epsilon, delta)
    return clip_rows(z, clip).mean(0) + sigma * torch.randn(z.shape[1], generator=generator)
