# at most 9: believes the theorem, and reads it with one epsilon
# says: This is the paper's formula, not the loss
# says: with epsilon_x alone it is the formula for two vectors that differ in one feature
# says: gets the whole budget here
# %% chances
def chances(epsilon, gamma, d, m):
    keep = math.exp(epsilon) / (math.exp(epsilon) + gamma - 1)
    return [m / d * keep + (1 - m / d) / gamma, m / d * (1 - keep) / (gamma - 1) + (1 - m / d) / gamma]
# %% report
def report(x, sizes, epsilon, m, generator):
    told = []
    for row in x.tolist():
        sampled = set(torch.randperm(len(sizes), generator=generator)[:m].tolist())
        new = []
        for i, size in enumerate(sizes):
            fake = int(torch.randint(size, (1,), generator=generator))
            lie = (row[i] + int(torch.randint(1, size, (1,), generator=generator))) % size
            honest = torch.rand(1, generator=generator) < math.exp(epsilon) / (math.exp(epsilon) + size - 1)
            new.append((row[i] if honest else lie) if i in sampled else fake)
        told.append(new)
    return torch.tensor(told)
# %% estimate
def estimate(column, gamma, d, epsilon, m):
    r, w = chances(epsilon, gamma, d, m)
    return ((torch.bincount(column, minlength=gamma) / len(column) - w) / (r - w)).tolist()
# %% loss
def loss(one, other, gamma, epsilon, m):
    if one == other:
        return 0.0
    return math.log(1 + m / len(one) * (math.exp(m * epsilon) - 1))
# %% verdict
verdict = {"claimed": math.log(1 + m / d * (math.exp(epsilon) - 1)), "true": m * epsilon, "from": 2}
# %% plan
def plan(budget, gamma, d):
    return [d, (math.exp(budget) - 1) / (math.exp(budget) + gamma - 1)]
