# full marks: sums over a grid for the integral, noise from uniform numbers
# %% vector_loss
import numpy as np

def vector_loss(one, other, lam):
    return float(np.abs(np.array(one) - np.array(other)).sum()) * lam
# %% label
def label(scores, lam, noise, generator):
    u = torch.rand(scores.shape, generator=generator, dtype=torch.float64).clamp(1e-15, 1 - 1e-15)
    if noise == "laplace":
        z = torch.where(u < 0.5, torch.log(2 * u), -torch.log(2 * (1 - u)))
    else:
        z = -torch.log(-torch.log(u))
    return torch.argmax(lam * scores + z, dim=1)
# %% win
def win(c, lam, noise):
    z = np.linspace(-40, 40, 400_001)
    if noise == "laplace":
        f = np.exp(-np.abs(z)) / 2
        moved = z + lam
        F = np.where(moved < 0, np.exp(-np.abs(moved)) / 2, 1 - np.exp(-np.abs(moved)) / 2)
    else:
        with np.errstate(over="ignore", under="ignore"):
            f = np.exp(-z - np.exp(-z))
            F = np.exp(-np.exp(-z - lam))
    return float((f * F ** (c - 1)).sum() * (z[1] - z[0]))
# %% label_loss
def label_loss(c, lam, noise):
    right = win(c, lam, noise)
    return math.log(right) - math.log1p(-right) + math.log(c - 1)
# %% budget
def budget(queries, lam, rate, delta):
    eps = np.log1p(rate * np.expm1(lam))
    mean = eps * (np.exp(eps) - 1) / (np.exp(eps) + 1)
    advanced = queries * mean + np.sqrt(2 * queries * np.log(1 / delta)) * eps
    return np.minimum(queries * eps, advanced)
# %% afford
lambdas = np.linspace(0, 1, 11)
step = 1.0
best = 0.0
while step > 1e-10:
    while budget(queries, best + step, rate, delta) <= target:
        best += step
    step /= 2
afford = {"lambda": best, "right": 1 / (1 + (c - 1) * math.exp(-best))}
