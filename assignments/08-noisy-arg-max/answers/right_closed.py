# full marks: the integral in closed form, by pieces; the exponential mechanism drawn directly
# %% vector_loss
def vector_loss(one, other, lam):
    # the largest loss is reached where every noisy number lies beyond both of its centres
    found = 0.0
    for p, q in zip(one, other):
        found += lam * max(p - q, q - p)
    return found
# %% label
def label(scores, lam, noise, generator):
    if noise == "gumbel":
        return torch.multinomial(torch.softmax(lam * scores, 1), 1, generator=generator).flatten()
    sign = 2 * torch.randint(2, scores.shape, generator=generator) - 1
    size = -torch.log1p(-torch.rand(scores.shape, generator=generator, dtype=torch.float64))
    return (scores + sign * size / lam).argmax(1)
# %% win
def win(c, lam, noise):
    if noise == "gumbel":
        return 1 / (1 + (c - 1) * math.exp(-lam))
    k, e = c - 1, math.exp(-lam)
    # z < -lam: the integral of e^z/2 (e^(z+lam)/2)^k
    low = e / 2 ** c / c
    # -lam < z < 0: with u = 1 - e^-(z+lam)/2, dz = du/(1-u), e^z = e/(2(1-u)):  e/4 * integral of u^k/(1-u)^2
    def primitive(u):  # of u^k / (1 - u)^2, by v = 1 - u
        v = 1 - u
        total = 0.0
        for j in range(k + 1):
            term = math.comb(k, j) * (-1) ** j
            total += term * (-math.log(v) if j == 1 else -v ** (j - 1) / (j - 1))
        return total
    middle = e / 4 * (primitive(1 - e / 2) - primitive(0.5))
    # z > 0: with u = 1 - e^-(z+lam)/2, e^-z dz/2 = du / e
    high = (1 - (1 - e / 2) ** c) / c / e
    return low + middle + high
# %% label_loss
def label_loss(c, lam, noise):
    if noise == "gumbel":
        return lam
    right = win(c, lam, noise)
    return math.log((c - 1) * right / (1 - right))
# %% budget
def budget(queries, lam, rate, delta):
    one = math.log((1 - rate) + rate * math.exp(lam))
    both = [queries * one]
    both.append(queries * one * math.tanh(one / 2) + one * math.sqrt(2 * queries * math.log(1 / delta)))
    return min(both)
# %% afford
from scipy.optimize import bisect

found = bisect(lambda each: budget(queries, each, rate, delta) - target, 0.0, 60.0, xtol=1e-12)
afford = {"lambda": found, "right": win(c, found, "gumbel")}
