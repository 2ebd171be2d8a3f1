# at most 7: Euclidean distance, noises exchanged, a sure teacher against one who knows nothing, no sampling
# says: Euclidean distance
# says: kinds of noise are exchanged
# says: one who knows nothing
# says: The samples are forgotten
# says: as if there were no samples
# %% vector_loss
def vector_loss(one, other, lam):
    return lam * math.sqrt(sum((p - q) ** 2 for p, q in zip(one, other)))
# %% label
def label(scores, lam, noise, generator):
    E = torch.empty(scores.shape).exponential_(generator=generator)
    other = torch.empty(scores.shape).exponential_(generator=generator)
    return (scores + (E - other if noise == "gumbel" else -E.log()) / lam).argmax(1)
# %% win
def win(c, lam, noise):
    if noise == "gumbel":
        return math.exp(lam) / (math.exp(lam) + c - 1)
    z = torch.linspace(-40, 40, 200_001, dtype=torch.float64)
    F = torch.distributions.Laplace(0.0, 1.0).cdf(z + lam)
    return float(((-z.abs()).exp() / 2 * F ** (c - 1)).sum() * (z[1] - z[0]))
# %% label_loss
def label_loss(c, lam, noise):
    return math.log(win(c, lam, noise) / (1 / c))
# %% budget
def budget(queries, lam, rate, delta):
    return min(queries * lam, queries * lam * math.tanh(lam / 2) + lam * math.sqrt(2 * queries * math.log(1 / delta)))
# %% afford
low, high = 0.0, 30.0
for _ in range(80):
    middle = (low + high) / 2
    low, high = (middle, high) if budget(queries, middle, rate, delta) <= target else (low, middle)
afford = {"lambda": low, "right": win(c, low, "gumbel")}
