# at most 2: nothing is clipped, one answer where several fit, cosines for distances
# says: *average* number of neighbours
# says: The cosine does not see
# says: whoever names one only
# says: Only one set is named
# says: The vectors are not clipped
# says: Nothing is clipped
# %% numbers
def numbers(n, edges):
    near = [{v for edge in edges if u in edge for v in edge} - {u} for u in range(n)]
    triangles = sum(len(near[u] & near[v]) for u, v in edges) / 3
    return [n, len(edges), triangles, sum(map(len, near)) / n]
# %% classify
def classify(z, y, queries, ways):
    means = torch.stack([z[y == c].mean(0) for c in range(ways)])
    return torch.cosine_similarity(queries[:, None], means[None], dim=2).argmax(1).tolist()
# %% fits
positions = {c: i for i, graph in enumerate(pool) for c in range(3) if (encode(graph) - one_shot[c]).abs().max() < 1e-6}
fits = [{positions[c]} for c in range(3)]
# %% recover
def recover(prototype, pool, shots):
    for chosen in combinations(range(len(pool)), shots):
        if (pool[list(chosen)].mean(0) - prototype).abs().max() < 1e-4:
            return {chosen}
    return set()
# %% largest_move
def largest_move(z, others, clip):
    return max(float((a - b).norm()) for a in z for b in others) / len(z)
# %% noisy
def noisy(z, clip, epsilon, delta, generator):
    return z.mean(0) + noise_for(2 * clip / len(z), epsilon, delta) * torch.randn(z.shape[1], generator=generator)
