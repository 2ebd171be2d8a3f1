# at most 7: a posterior sums to 1, so everything costs lambda; no composition
# says: sums to 1 does not bound the distance of two
# says: takes the sensitivity of a posterior for 1
# says: grows with their number
# says: composition is forgotten
# %% vector_loss
def vector_loss(one, other, lam):
    return lam if list(one) != list(other) else 0.0
# %% label
def label(scores, lam, noise, generator):
    E = torch.empty(scores.shape).exponential_(generator=generator)
    other = torch.empty(scores.shape).exponential_(generator=generator)
    return (scores + (E - other if noise == "laplace" else -E.log()) / lam).argmax(1)
# %% win
def win(c, lam, noise):
    if noise == "gumbel":
        return math.exp(lam) / (math.exp(lam) + c - 1)
    def F(z):
        return math.exp(z) / 2 if z < 0 else 1 - math.exp(-z) / 2
    def f(z):
        return math.exp(-abs(z)) / 2 * F(z + lam) ** (c - 1)
    return quad(f, -40, -lam)[0] + quad(f, -lam, 0)[0] + quad(f, 0, 40)[0]
# %% label_loss
def label_loss(c, lam, noise):
    return lam
# %% budget
def budget(queries, lam, rate, delta):
    return math.log(1 + rate * (math.exp(lam) - 1))
# %% afford
best = math.log(1 + (math.exp(target) - 1) / rate)
afford = {"lambda": best, "right": win(c, best, "gumbel")}
