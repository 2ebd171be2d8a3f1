# at most 2: one noise for all classes, the Gumbel formula for both, the largest entry, basic composition
# says: same noise here
# says: formula for Gumbel noise
# says: Only the entry that changes most
# says: all others together
# says: basic composition alone
# says: With advanced composition a larger lambda
# %% vector_loss
def vector_loss(one, other, lam):
    return lam * max(abs(p - q) for p, q in zip(one, other))
# %% label
def label(scores, lam, noise, generator):
    E = torch.empty(len(scores), 1).exponential_(generator=generator)
    return (scores - E.log() / lam).argmax(1)
# %% win
def win(c, lam, noise):
    return math.exp(lam) / (math.exp(lam) + c - 1)
# %% label_loss
def label_loss(c, lam, noise):
    if noise == "gumbel":
        right = win(c, lam, noise)
    else:
        z = torch.linspace(-40, 40, 200_001, dtype=torch.float64)
        F = torch.distributions.Laplace(0.0, 1.0).cdf(z + lam)
        right = float(((-z.abs()).exp() / 2 * F ** (c - 1)).sum() * (z[1] - z[0]))
    return math.log(right / (1 - right))
# %% budget
def budget(queries, lam, rate, delta):
    return queries * math.log(1 + rate * (math.exp(lam) - 1))
# %% afford
best = math.log(1 + (math.exp(target / queries) - 1) / rate)
afford = {"lambda": best, "right": math.exp(best) / (math.exp(best) + c - 1)}
