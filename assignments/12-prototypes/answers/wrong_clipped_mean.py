# at most 2: the mean is clipped, triangles count three times, and the nearest rows are taken for the set
# says: counted three times
# says: nearest single *example*
# says: whatever fits *any*
# says: nearest to the prototype
# says: The mean is clipped, not the vectors: that bounds
# says: The mean is clipped, not the vectors before it
# %% numbers
def numbers(n, edges):
    near = [set() for _ in range(n)]
    for u, v in edges:
        near[u].add(v)
        near[v].add(u)
    return [n, len(edges), sum(len(near[u] & near[v]) for u, v in edges), max(map(len, near))]
# %% classify
def classify(z, y, queries, ways):
    return y[torch.cdist(queries, z).argmin(1)].tolist()
# %% fits
table = torch.stack([encode(graph) for graph in pool])
fits = [{i for i in range(len(pool)) for vector in one_shot if (table[i] - vector).abs().max() < 1e-6}] * 3
# %% recover
def recover(prototype, pool, shots):
    return {tuple(sorted((pool - prototype).norm(dim=1).argsort()[:shots].tolist()))}
# %% largest_move
def clip_one(row, clip):
    return row * min(1.0, clip / max(float(row.norm()), 1e-12))

def largest_move(z, others, clip):
    found = 0.0
    for i in range(len(z)):
        for row in others:
            world = z.clone()
            world[i] = row
            found = max(found, float((clip_one(world.mean(0), clip) - clip_one(z.mean(0), clip)).norm()))
    return found
# %% noisy
def noisy(z, clip, epsilon, delta, generator):
    sigma = noise_for(2 * clip / len(z), epsilon, delta)
    return clip_one(z.mean(0), clip) + sigma * torch.randn(z.shape[1], generator=generator)
