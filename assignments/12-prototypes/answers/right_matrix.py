# full marks: matrices of neighbours, and the library's mechanism
# %% numbers
def numbers(n, edges):
    near = torch.zeros(n, n, dtype=torch.int64)
    for u, v in edges:
        near[u, v] += 1
        near[v, u] += 1
    return torch.stack([torch.tensor(n), near.sum() // 2, torch.trace(near @ near @ near) // 6, near.sum(0).max()])
# %% classify
def classify(z, y, queries, ways):
    belongs = torch.nn.functional.one_hot(y, ways).to(z.dtype)
    means = (belongs.T @ z) / belongs.sum(0)[:, None]
    scores = queries @ means.T - (means**2).sum(1) / 2
    return scores.argmax(1)
# %% fits
table = torch.stack([encode(graph) for graph in pool])
fits = [{i for i in range(len(pool)) if torch.allclose(table[i], vector, rtol=0, atol=1e-6)} for vector in one_shot]
# %% recover
from privgraph.attacks.prototypes import recover_support

def recover(prototype, pool, shots):
    unit = shots**2 * torch.finfo(torch.float32).eps * float(pool.abs().max())
    candidates = recover_support(prototype[None].float(), pool.float(), shots, tolerance=shots * 1e-4 / unit)[0].sets
    return {tuple(rows) for rows in candidates.tolist()}
# %% largest_move
def largest_move(z, others, clip):
    def clipped(rows):
        return [row / max(1.0, float(row.norm()) / clip) for row in rows]
    ours, theirs = clipped(z), clipped(others)
    mean = sum(ours) / len(ours)
    moves = []
    for i in range(len(ours)):
        for row in theirs:
            world = ours[:i] + [row] + ours[i + 1:]
            moves.append(float((sum(world) / len(world) - mean).norm()))
    return max(moves)
# %% noisy
from privgraph.mechanisms import NoisyMean

def noisy(z, clip, epsilon, delta, generator):
    return NoisyMean(epsilon, delta, clip=clip, shots=len(z))(z[None], generator=generator)[0]
