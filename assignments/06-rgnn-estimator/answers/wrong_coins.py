# at most 11: a coin for each feature, in the reports and in their chances, and the paper's formula as a plan
# says: sampled by a coin of its own here
# says: as if each had been sampled by a coin of its own
# says: budget is put into the paper's formula
# %% chances
def chances(epsilon, gamma, d, m):
    keep = math.exp(epsilon) / (math.exp(epsilon) + gamma - 1)
    return [m / d * keep + (1 - m / d) / gamma, m / d * (1 - keep) / (gamma - 1) + (1 - m / d) / gamma]
# %% report
def report(x, sizes, epsilon, m, generator):
    sampled = torch.rand(x.shape, generator=generator) < m / len(sizes)
    told = torch.empty_like(x)
    for i, size in enumerate(sizes):
        keep = math.exp(epsilon) / (math.exp(epsilon) + size - 1)
        lies = (x[:, i] + torch.randint(1, size, (len(x),), generator=generator)) % size
        answer = torch.where(torch.rand(len(x), generator=generator) < keep, x[:, i], lies)
        told[:, i] = torch.where(sampled[:, i], answer, torch.randint(size, (len(x),), generator=generator))
    return told
# %% estimate
def estimate(column, gamma, d, epsilon, m):
    r, w = chances(epsilon, gamma, d, m)
    return ((torch.bincount(column, minlength=gamma) / len(column) - w) / (r - w)).tolist()
# %% loss
def loss(one, other, gamma, epsilon, m):
    r, w = chances(epsilon, gamma, len(one), m)
    worst = 0.0
    for told in product(range(gamma), repeat=len(one)):
        p = math.prod(r if t == a else w for t, a in zip(told, one))
        q = math.prod(r if t == b else w for t, b in zip(told, other))
        worst = max(worst, abs(math.log(p / q)))
    return worst
# %% verdict
verdict = {"claimed": math.log(1 + m / d * (math.exp(m * epsilon) - 1)), "true": m * epsilon, "from": d}
verdict["from"] = min(h for h in range(1, d + 1)
                      if loss([0] * d, [1] * h + [0] * (d - h), gamma, epsilon, m) > verdict["claimed"])
# %% plan
def plan(budget, gamma, d):
    found = []
    for m in range(1, d + 1):
        e = math.exp(math.log(1 + d / m * (math.exp(budget) - 1)) / m)
        found.append((m / d * (e - 1) / (e + gamma - 1), m))
    difference, m = max(found)
    return [m, difference]
