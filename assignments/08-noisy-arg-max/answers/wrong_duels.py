# at most 3: noise of scale lambda, independent duels, 2 lambda for a label, one sample for all
# says: Here it has scale lambda
# says: as if they were independent
# says: all noisy numbers together cost
# says: That is one sample for all of them
# says: two classes are not c
# %% vector_loss
def vector_loss(one, other, lam):
    return lam * sum(abs(p - q) for p, q in zip(one, other))
# %% label
def label(scores, lam, noise, generator):
    E = torch.empty(scores.shape).exponential_(generator=generator)
    other = torch.empty(scores.shape).exponential_(generator=generator)
    return (scores + lam * (E - other if noise == "laplace" else -E.log())).argmax(1)
# %% win
def win(c, lam, noise):
    two = 1 - math.exp(-lam) * (2 + lam) / 4 if noise == "laplace" else math.exp(lam) / (math.exp(lam) + 1)
    return two ** (c - 1)
# %% label_loss
def label_loss(c, lam, noise):
    return 2 * lam
# %% budget
def budget(queries, lam, rate, delta):
    def advanced(eps):
        spread = eps * math.sqrt(2 * queries * math.log(1 / delta))
        return min(queries * eps, queries * eps * math.tanh(eps / 2) + spread)
    return math.log(1 + rate * (math.exp(advanced(lam)) - 1))
# %% afford
def fresh(lam):
    eps = math.log(1 + rate * (math.exp(lam) - 1))
    return min(queries * eps, queries * eps * math.tanh(eps / 2) + eps * math.sqrt(2 * queries * math.log(1 / delta)))

low, high = 0.0, 30.0
for _ in range(80):
    low, high = ((low + high) / 2, high) if fresh((low + high) / 2) <= target else (low, (low + high) / 2)
afford = {"lambda": low, "right": math.exp(low) / (math.exp(low) + 1)}
